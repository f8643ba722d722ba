//! Files of `/proc` whose text is made when they are opened: what it says depends on the moment or on who asks.
//!
//! The tree (`fs::special`) has their names. A process finds itself as `self` and by its number; of the others it sees that they are there.

use super::file::File;
use super::proc::Proc;
use super::{Pid, between};
use crate::fs::{DirEntry, Errno, FileKind, Follow, Metadata};

/// A path below `/proc` as a process sees it.
enum Place {
    /// A file of its own.
    Own(Vec<u8>),
    /// The directory of a process that is there.
    Process,
    /// Something of a process that is not there, or that nobody else sees.
    Absent,
}

impl Proc {
    /// The text of such a file.
    pub(super) fn moment_text(&self, path: &[u8]) -> Option<Vec<u8>> {
        let name = path.strip_prefix(b"/proc/")?;
        let place = self.place(name);
        let name = match &place {
            Some(Place::Own(name)) => name.as_slice(),
            Some(_) => return None,
            None => name,
        };
        Some(match name {
            b"loadavg" => format!("0.00 0.00 0.00 1/1 {}\n", self.pid).into_bytes(),
            b"uptime" => {
                let up = between(self.boot_time(), self.kernel.now());
                let up = format!("{}.{:02}", up.as_secs(), up.subsec_millis() / 10);
                format!("{up} {up}\n").into_bytes()
            }
            b"sys/kernel/random/uuid" => self.uuid(),
            b"self/cmdline" => self
                .args
                .iter()
                .flat_map(|arg| [arg.as_slice(), b"\0"].concat())
                .collect(),
            b"self/comm" => [self.short_name(), b"\n"].concat(),
            b"self/environ" => {
                let line =
                    |(name, value): &(Vec<u8>, Vec<u8>)| [name.as_slice(), b"=", value, b"\0"].concat();
                self.environment.iter().flat_map(line).collect()
            }
            b"self/status" => self.status_text(),
            _ => return None,
        })
    }

    /// Such a file, opened.
    pub(super) fn open_moment(&self, path: &[u8]) -> Option<Result<File, Errno>> {
        let text = self.moment_text(path)?;
        Some(File::here_document(&self.kernel, text).map_err(|_| Errno::ENOMEM))
    }

    /// What `stat` says of processes by their numbers. `None`: the tree knows.
    pub(super) fn process_metadata(&self, path: &[u8], follow: Follow) -> Option<Result<Metadata, Errno>> {
        let name = path.strip_prefix(b"/proc/")?;
        name.first().filter(|byte| byte.is_ascii_digit())?;
        Some(match self.place(name)? {
            Place::Own(name) => {
                let path = [b"/proc/", name.as_slice()].concat();
                self.fs.metadata(&self.view(), &path, follow)
            }
            Place::Process => self.fs.metadata(&self.view(), b"/proc/self", follow),
            Place::Absent => Err(Errno::ENOENT),
        })
    }

    /// The open descriptors, where a directory lists them.
    pub(super) fn listed_descriptors(&self, path: &[u8]) -> Option<Vec<DirEntry>> {
        let name = path.strip_suffix(b"/").unwrap_or(path);
        if !matches!(name, b"/dev/fd" | b"/proc/self/fd") {
            return None;
        }
        let open = (0..self.fds.places() as u32).filter(|fd| self.fds.get(*fd).is_ok());
        let mut entries: Vec<DirEntry> = open
            .map(|fd| DirEntry {
                name: fd.to_string().into_bytes(),
                kind: FileKind::CharDevice,
                inode: u64::from(fd) + 1,
            })
            .collect();
        entries.sort_by(|one, other| one.name.cmp(&other.name));
        Some(entries)
    }

    /// Reads `self/…` and `N/…`.
    fn place(&self, name: &[u8]) -> Option<Place> {
        let (first, rest) = match memchr::memchr(b'/', name) {
            Some(at) => name.split_at(at),
            None => (name, &b""[..]),
        };
        if first == b"self" {
            return Some(Place::Own(name.to_vec()));
        }
        let pid: Pid = std::str::from_utf8(first).ok()?.parse().ok()?;
        Some(if pid == self.pid && rest.len() > 1 {
            Place::Own([b"self", rest].concat())
        } else if rest.len() <= 1 && self.kernel.exists(pid) && self.kernel.status_of(pid).is_none() {
            Place::Process
        } else {
            Place::Absent
        })
    }

    /// When the tree was made.
    fn boot_time(&self) -> crate::fs::Timestamp {
        let root = self.fs.metadata(&self.view(), b"/", Follow::Yes);
        root.map_or_else(|_| self.kernel.now(), |root| root.mtime)
    }

    /// The last part of its name, cut as Linux cuts it.
    fn short_name(&self) -> &[u8] {
        let name = self
            .name()
            .rsplit(|byte| *byte == b'/')
            .next()
            .unwrap_or_default();
        match name.get(..15).unwrap_or(name) {
            // The shell that a host started.
            b"" => b"bash",
            name => name,
        }
    }

    fn status_text(&self) -> Vec<u8> {
        let name = String::from_utf8_lossy(self.short_name());
        let (pid, parent, umask) = (self.pid, self.parent, self.umask);
        let (uid, gid) = (self.user.uid, self.user.gid);
        format!(
            "Name:\t{name}\nUmask:\t{umask:04o}\nState:\tR (running)\nTgid:\t{pid}\nNgid:\t0\nPid:\t{pid}\nPPid:\t{parent}\n\
             TracerPid:\t0\nUid:\t{uid}\t{uid}\t{uid}\t{uid}\nGid:\t{gid}\t{gid}\t{gid}\t{gid}\nFDSize:\t64\nGroups:\t{gid} \n\
             Threads:\t1\n"
        )
        .into_bytes()
    }

    /// A random UUID, version 4.
    fn uuid(&self) -> Vec<u8> {
        let mut bytes = [0; 16];
        self.kernel.fill_random(&mut bytes);
        let number = u128::from_be_bytes(bytes) & !(0xf << 76 | 0x3 << 62) | 4 << 76 | 2 << 62;
        let digits = format!("{number:032x}");
        let mut text = Vec::with_capacity(37);
        for (at, digit) in digits.bytes().enumerate() {
            if matches!(at, 8 | 12 | 16 | 20) {
                text.push(b'-');
            }
            text.push(digit);
        }
        text.push(b'\n');
        text
    }
}
