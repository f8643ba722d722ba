//! The special files of a Unix: the nodes of `/dev`, and [`ProcFs`], a small `/proc`.
//!
//! A device in `/dev` is an ordinary node with a device number ([`Device`](super::Device)), so `/dev` lives in any tree. `/proc`
//! cannot: `/proc/self/fd/N` depends on who asks. Here it has every `N`; [`Metadata::descriptor`] marks them, and the kernel, which
//! knows what is open, answers for them. `/dev/fd` and `/dev/stdin` are links into it, as on Linux.
//!
//! What changes from moment to moment or depends on who asks (`uptime`, `self/status`) is empty here: the kernel makes its text when
//! it is opened (`kernel::moment`).

use std::sync::Arc;

use super::device::{Device, descriptor_name};
use super::{
    Attributes, DirEntry, Errno, FileKind, FileSystem, Fs, Metadata, NewNode, Node, NodeId, Portable,
    Timestamp, View,
};

/// The character devices of `/dev`.
const DEVICES: [(&str, u32, (u32, u32)); 6] = [
    ("full", 0o666, (1, 7)),
    ("null", 0o666, (1, 3)),
    ("random", 0o666, (1, 8)),
    ("tty", 0o666, (5, 0)),
    ("urandom", 0o666, (1, 9)),
    ("zero", 0o666, (1, 5)),
];

/// The links of `/dev`.
const LINKS: [(&str, &str); 4] = [
    ("fd", "/proc/self/fd"),
    ("stderr", "/proc/self/fd/2"),
    ("stdin", "/proc/self/fd/0"),
    ("stdout", "/proc/self/fd/1"),
];

/// Fills a directory (absolute path, `/dev` as a rule) with the devices of Linux.
pub fn make_devices(fs: &Fs, directory: &[u8], now: Timestamp) -> Result<(), Errno> {
    let view = View {
        cwd: directory,
        umask: 0,
        now,
        ..View::ROOT
    };
    for (name, mode, rdev) in DEVICES {
        fs.make_node(&view, name.as_bytes(), FileKind::CharDevice, mode, rdev)?;
    }
    for (name, target) in LINKS {
        fs.symlink(&view, target.as_bytes(), name.as_bytes())?;
    }
    fs.make_dir(&view, b"pts", 0o755)?;
    fs.make_dir(&view, b"shm", 0o1777)
}

/// Directories of `/proc` before its files: name, parent, mode.
const DIRECTORIES: [(&[u8], NodeId, u32); 6] = [
    (b"", 1, 0o555),
    (b"self", 1, 0o555),
    (b"fd", 2, 0o500),
    (b"sys", 1, 0o555),
    (b"kernel", 4, 0o555),
    (b"random", 5, 0o555),
];
const ROOT: NodeId = 1;
const OWN: NodeId = 2;
const DESCRIPTORS: NodeId = 3;
const KERNEL: NodeId = 5;
const RANDOM: NodeId = 6;
/// Files of a process-wide kind.
const FILES: [(&str, NodeId, &str); 14] = [
    ("cpuinfo", ROOT, CPU_INFO),
    ("filesystems", ROOT, "nodev\tproc\nnodev\ttmpfs\nnodev\toverlay\n"),
    ("loadavg", ROOT, ""),
    ("meminfo", ROOT, MEMORY_INFO),
    ("mounts", ROOT, MOUNTS),
    ("uptime", ROOT, ""),
    (
        "version",
        ROOT,
        "Linux version 6.1.0 (exuvia@exuvia) (gcc (Debian 12.2.0-14) 12.2.0) #1 SMP\n",
    ),
    ("cmdline", OWN, ""),
    ("comm", OWN, ""),
    ("environ", OWN, ""),
    ("status", OWN, ""),
    ("osrelease", KERNEL, "6.1.0\n"),
    ("ostype", KERNEL, "Linux\n"),
    ("uuid", RANDOM, ""),
];
const CPU_INFO: &str =
    "processor\t: 0\nvendor_id\t: exuvia\nmodel name\t: exuvia virtual CPU\ncpu cores\t: 1\n\n";
const MEMORY_INFO: &str = "MemTotal:        1048576 kB\nMemFree:         1048576 kB\nMemAvailable:    1048576 kB\nBuffers:               0 kB\nCached:                0 kB\nSwapTotal:             0 kB\nSwapFree:              0 kB\n";
const MOUNTS: &str =
    "overlay / overlay rw,relatime 0 0\nproc /proc proc rw,nosuid,nodev,noexec,relatime 0 0\n";
const FIRST_FILE: NodeId = 100;
/// Node numbers of descriptors start here.
const FIRST_DESCRIPTOR: NodeId = 1 << 32;

/// A small `/proc`. Nothing in it can be changed.
#[derive(Debug, Clone, Copy, Default)]
pub struct ProcFs;

/// What a node number stands for.
enum Entry {
    Directory { mode: u32 },
    File(&'static str),
    Descriptor(u32),
}

fn entry(node: NodeId) -> Result<Entry, Errno> {
    if let Some(number) = node.checked_sub(FIRST_DESCRIPTOR) {
        return Ok(Entry::Descriptor(number as u32));
    }
    if let Some(index) = node.checked_sub(FIRST_FILE) {
        return FILES
            .get(index as usize)
            .map(|file| Entry::File(file.2))
            .ok_or(Errno::ENOENT);
    }
    let index = node.checked_sub(ROOT).ok_or(Errno::ENOENT)?;
    DIRECTORIES
        .get(index as usize)
        .map(|(_, _, mode)| Entry::Directory { mode: *mode })
        .ok_or(Errno::ENOENT)
}

fn names(directory: NodeId) -> impl Iterator<Item = (&'static [u8], Node)> {
    let directories = (ROOT..)
        .zip(DIRECTORIES)
        .filter(move |(id, row)| row.1 == directory && *id != ROOT);
    let files = (FIRST_FILE..)
        .zip(FILES)
        .filter(move |(_, row)| row.1 == directory);
    directories
        .map(|(id, row)| {
            (
                row.0,
                Node {
                    id,
                    kind: FileKind::Directory,
                },
            )
        })
        .chain(files.map(|(id, row)| {
            (
                row.0.as_bytes(),
                Node {
                    id,
                    kind: FileKind::Regular,
                },
            )
        }))
}

fn descriptor(number: u32) -> Node {
    Node {
        id: FIRST_DESCRIPTOR + NodeId::from(number),
        kind: FileKind::CharDevice,
    }
}

impl FileSystem for ProcFs {
    fn root(&self) -> NodeId {
        ROOT
    }

    fn lookup(&self, directory: NodeId, name: &[u8]) -> Result<Node, Errno> {
        let Entry::Directory { .. } = entry(directory)? else {
            return Err(Errno::ENOTDIR);
        };
        if directory == DESCRIPTORS {
            return descriptor_name(name).map(descriptor).ok_or(Errno::ENOENT);
        }
        names(directory)
            .find(|(other, _)| *other == name)
            .map(|(_, node)| node)
            .ok_or(Errno::ENOENT)
    }

    fn metadata(&self, node: NodeId) -> Result<Metadata, Errno> {
        let (kind, mode, rdev) = match entry(node)? {
            Entry::Directory { mode } => (FileKind::Directory, mode, (0, 0)),
            Entry::File(_) => (FileKind::Regular, 0o444, (0, 0)),
            Entry::Descriptor(number) => (FileKind::CharDevice, 0o600, Device::descriptor_rdev(number)),
        };
        let subdirectories = names(node)
            .filter(|(_, node)| node.kind == FileKind::Directory)
            .count() as u64;
        let zero = Timestamp::default();
        Ok(Metadata {
            kind,
            mode,
            nlink: if kind == FileKind::Directory {
                2 + subdirectories
            } else {
                1
            },
            uid: 0,
            gid: 0,
            size: 0,
            blocks: 0,
            device: 0,
            inode: node,
            rdev,
            atime: zero,
            mtime: zero,
            ctime: zero,
            btime: zero,
        })
    }

    /// `/proc/self/fd` lists 0, 1 and 2; the kernel knows the true list.
    fn read_dir(&self, directory: NodeId) -> Result<Vec<DirEntry>, Errno> {
        let Entry::Directory { .. } = entry(directory)? else {
            return Err(Errno::ENOTDIR);
        };
        let listed = |(name, node): (&[u8], Node)| DirEntry {
            name: name.to_vec(),
            kind: node.kind,
            inode: node.id,
        };
        if directory == DESCRIPTORS {
            let standard = [(&b"0"[..], 0), (b"1", 1), (b"2", 2)];
            return Ok(standard
                .into_iter()
                .map(|(name, number)| listed((name, descriptor(number))))
                .collect());
        }
        let mut list: Vec<DirEntry> = names(directory).map(listed).collect();
        list.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(list)
    }

    fn read_link(&self, _: NodeId) -> Result<Vec<u8>, Errno> {
        Err(Errno::EINVAL)
    }

    fn read(&self, node: NodeId, offset: u64, buffer: &mut [u8]) -> Result<usize, Errno> {
        let Entry::File(text) = entry(node)? else {
            return Err(Errno::EINVAL);
        };
        let rest = usize::try_from(offset)
            .ok()
            .and_then(|offset| text.as_bytes().get(offset..))
            .unwrap_or_default();
        let count = rest.len().min(buffer.len());
        if let (Some(to), Some(from)) = (buffer.get_mut(..count), rest.get(..count)) {
            to.copy_from_slice(from);
        }
        Ok(count)
    }

    fn write(&self, _: NodeId, _: u64, _: &[u8], _: Timestamp) -> Result<usize, Errno> {
        Err(Errno::EIO)
    }

    fn append(&self, _: NodeId, _: &[u8], _: Timestamp) -> Result<(usize, u64), Errno> {
        Err(Errno::EIO)
    }

    /// Opening with `O_TRUNC` does nothing in `/proc`; the write then fails.
    fn truncate(&self, _: NodeId, _: u64, _: Timestamp) -> Result<(), Errno> {
        Ok(())
    }

    fn create(&self, _: NodeId, _: &[u8], _: &NewNode<'_>, _: Timestamp) -> Result<NodeId, Errno> {
        Err(Errno::ENOENT)
    }

    fn link(&self, _: NodeId, _: NodeId, _: &[u8], _: Timestamp) -> Result<(), Errno> {
        Err(Errno::EPERM)
    }

    fn unlink(&self, _: NodeId, _: &[u8], _: Timestamp) -> Result<(), Errno> {
        Err(Errno::EPERM)
    }

    fn remove_dir(&self, _: NodeId, _: &[u8], _: Timestamp) -> Result<(), Errno> {
        Err(Errno::EPERM)
    }

    fn rename(&self, _: NodeId, _: &[u8], _: NodeId, _: &[u8], _: Timestamp) -> Result<(), Errno> {
        Err(Errno::EPERM)
    }

    fn set_attributes(&self, _: NodeId, _: &Attributes, _: Timestamp) -> Result<(), Errno> {
        Err(Errno::EPERM)
    }

    fn retain(&self, _: NodeId) {}

    fn release(&self, _: NodeId) {}

    fn fork(&self) -> Result<Arc<dyn FileSystem>, Errno> {
        Ok(Arc::new(*self))
    }

    fn portable(&self) -> Portable {
        Portable::Proc
    }

    fn type_name(&self) -> &'static str {
        "proc"
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fs::{Follow, MemFs, OpenFlags, Opened};

    fn tree() -> Fs {
        let fs = Fs::new(Arc::new(MemFs::default()));
        fs.make_dir(&View::ROOT, b"/dev", 0o755).unwrap();
        fs.make_dir(&View::ROOT, b"/proc", 0o555).unwrap();
        make_devices(&fs, b"/dev", Timestamp::default()).unwrap();
        fs.mount(b"/proc", Arc::new(ProcFs)).unwrap();
        fs
    }

    fn device(fs: &Fs, path: &str) -> Result<Device, Errno> {
        match fs.open(&View::ROOT, path.as_bytes(), OpenFlags::READ_WRITE, 0)? {
            Opened::Device(device, _) => Ok(device),
            _ => Err(Errno::EINVAL),
        }
    }

    #[test]
    fn devices_open_by_number() {
        let fs = tree();
        assert_eq!(device(&fs, "/dev/null"), Ok(Device::Null));
        assert_eq!(device(&fs, "/dev/urandom"), Ok(Device::Random));
        fs.make_node(&View::ROOT, b"/mine", FileKind::CharDevice, 0o600, (1, 5))
            .unwrap();
        assert_eq!(device(&fs, "/mine"), Ok(Device::Zero));
        fs.make_node(&View::ROOT, b"/disk", FileKind::BlockDevice, 0o600, (1, 5))
            .unwrap();
        assert_eq!(device(&fs, "/disk"), Err(Errno::ENXIO));
    }

    #[test]
    fn descriptors_resolve_through_links() {
        let fs = tree();
        assert_eq!(device(&fs, "/dev/stdin"), Ok(Device::Stdin));
        assert_eq!(device(&fs, "/dev/fd/1"), Ok(Device::Stdout));
        assert_eq!(device(&fs, "/dev/fd/63"), Ok(Device::Descriptor(63)));
        assert_eq!(device(&fs, "/dev/fd/03"), Err(Errno::ENOENT));
        fs.symlink(&View::ROOT, b"/dev/fd/7", b"/seven").unwrap();
        assert_eq!(
            fs.metadata(&View::ROOT, b"/seven", Follow::Yes)
                .unwrap()
                .descriptor(),
            Some(7)
        );
        assert_eq!(super::super::descriptor_of_path(b"/dev/fd/63"), Some(63));
        assert_eq!(super::super::descriptor_of_path(b"/dev/fd/"), None);
    }

    #[test]
    fn proc_lists_and_reads() {
        let fs = tree();
        let names: Vec<_> = fs
            .read_dir(&View::ROOT, b"/proc")
            .unwrap()
            .into_iter()
            .map(|entry| entry.name)
            .collect();
        assert_eq!(
            names,
            [
                &b"cpuinfo"[..],
                b"filesystems",
                b"loadavg",
                b"meminfo",
                b"mounts",
                b"self",
                b"sys",
                b"uptime",
                b"version"
            ]
        );
        assert_eq!(
            fs.read(&View::ROOT, b"/proc/sys/kernel/../kernel/ostype")
                .unwrap(),
            b"Linux\n"
        );
        assert_eq!(fs.make_dir(&View::ROOT, b"/proc/x", 0o755), Err(Errno::ENOENT));
        assert_eq!(fs.write(&View::ROOT, b"/proc/version", b"x"), Err(Errno::EIO));
        assert_eq!(fs.unlink(&View::ROOT, b"/proc/version"), Err(Errno::EPERM));
        assert_eq!(fs.remove_dir(&View::ROOT, b"/proc"), Err(Errno::EBUSY));
    }
}
