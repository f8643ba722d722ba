//! Making archives.

use std::collections::HashMap;

use super::header::{self, BLOCK, Kind, Member};
use super::options::{Mode, Options};
use super::{cannot_open, change_directory, is_excluded, list, words};
use crate::fs::{FileKind, Follow, Metadata, OpenFlags};
use crate::kernel::{Input, Lease, Proc, Stop};
use crate::program::accounts::Accounts;
use crate::program::gzip::codec;
use crate::program::message::message;

/// An archive is a whole number of so many blocks.
const RECORD: usize = 20 * BLOCK;

struct Builder<'a> {
    options: &'a Options,
    out: Vec<u8>,
    lease: Lease,
    accounts: Accounts,
    /// The first names of files that have several.
    seen: HashMap<(u64, u64), Vec<u8>>,
    warned: bool,
    failed: bool,
}

/// Makes an archive. Whether something went wrong.
pub async fn create(proc: &mut Proc, options: &Options) -> Result<bool, Stop> {
    let mut builder = Builder {
        options,
        out: Vec::new(),
        lease: proc.kernel.lease(),
        accounts: Accounts::default(),
        seen: HashMap::new(),
        warned: false,
        failed: false,
    };
    let start = proc.cwd.clone();
    if options.mode == Mode::Append && proc.metadata(&options.archive, Follow::Yes).is_ok() {
        let (data, lease) = super::read_archive(proc, options).await?;
        (builder.out, builder.lease) = (data, lease);
        builder.cut_end();
    }
    // The archive is opened before the files are read, so that a failure to do so shows first.
    let file = if options.archive == b"-" {
        None
    } else {
        match proc.open_mode(&options.archive, OpenFlags::CREATE, 0o666).await {
            Ok(file) => Some(file),
            Err(errno) => return Err(cannot_open(proc, &options.archive, errno).await),
        }
    };
    let own = file.as_ref().and_then(|file| file.metadata().ok());
    let own = own.map(|found| (found.device, found.inode));
    for (directory, name) in words(proc, options).await? {
        if let Some(directory) = directory {
            change_directory(proc, &directory).await?;
        }
        if !name.is_empty() {
            builder.add_tree(proc, name, own).await?;
        }
    }
    proc.cwd = start;
    let mut out = std::mem::take(&mut builder.out);
    out.resize(out.len() + 2 * BLOCK, 0);
    out.resize(out.len().next_multiple_of(RECORD), 0);
    builder.lease.resize(out.len())?;
    if options.gzip {
        let (packed, _lease) = codec::pack(proc, &out, 6, None, 0).await?;
        out = packed;
    }
    match file {
        None => proc.write(&out).await?,
        Some(file) => {
            if let Err(errno) = file.write_all(&out).await {
                let text = message!(options.archive, ": Cannot write: ", errno.message());
                return Err(super::fatal(proc, text).await);
            }
        }
    }
    Ok(builder.failed)
}

impl Builder<'_> {
    /// Takes the blocks of zeros off the end of an archive.
    fn cut_end(&mut self) {
        let mut at = 0;
        while let header::Next::Member(member, begin) = header::read(&self.out, at) {
            let size = usize::try_from(member.size).unwrap_or(usize::MAX);
            at = begin
                .saturating_add(size)
                .next_multiple_of(BLOCK)
                .min(self.out.len());
        }
        self.out.truncate(at);
    }

    async fn complain(&mut self, proc: &mut Proc, text: Vec<u8>) -> Result<(), Stop> {
        self.failed = true;
        proc.warn(text).await
    }

    async fn add_tree(
        &mut self,
        proc: &mut Proc,
        name: Vec<u8>,
        own: Option<(u64, u64)>,
    ) -> Result<(), Stop> {
        let mut pending = vec![name];
        while let Some(path) = pending.pop() {
            proc.kernel.breathe().await;
            if is_excluded(self.options, &path) {
                continue;
            }
            let follow = if self.options.dereference {
                Follow::Yes
            } else {
                Follow::No
            };
            let found = match proc.metadata(&path, follow) {
                Ok(found) => found,
                Err(errno) => {
                    self.complain(proc, message!(path, ": Cannot stat: ", errno.message()))
                        .await?;
                    continue;
                }
            };
            if own == Some((found.device, found.inode)) {
                proc.warn(message!(path, ": file is the archive; not dumped"))
                    .await?;
                continue;
            }
            self.add(proc, &path, &found).await?;
            if found.kind == FileKind::Directory && !self.options.shallow {
                match proc.read_dir(&path) {
                    Ok(entries) => {
                        let base = path.strip_suffix(b"/").unwrap_or(&path);
                        let names = entries.iter().rev();
                        pending.extend(names.map(|entry| [base, b"/", &entry.name].concat()));
                    }
                    Err(errno) => {
                        self.complain(proc, message!(path, ": Cannot open: ", errno.message()))
                            .await?;
                    }
                }
            }
        }
        Ok(())
    }

    /// The name in the archive: without what leads out of a directory.
    async fn stored_name(&mut self, proc: &mut Proc, path: &[u8]) -> Result<Vec<u8>, Stop> {
        if self.options.absolute {
            return Ok(path.to_vec());
        }
        let kept = super::extract::safe_name(path);
        let cut = path.len() - kept.len();
        if cut > 0 && !self.warned {
            self.warned = true;
            let prefix = path.get(..cut).unwrap_or_default();
            proc.warn(message!("Removing leading `", prefix, "' from member names"))
                .await?;
        }
        Ok(if kept.is_empty() {
            b"./".to_vec()
        } else {
            kept.to_vec()
        })
    }

    async fn add(&mut self, proc: &mut Proc, path: &[u8], found: &Metadata) -> Result<(), Stop> {
        let mut name = self.stored_name(proc, path).await?;
        if found.kind == FileKind::Directory && !name.ends_with(b"/") {
            name.push(b'/');
        }
        let Some((kind, target)) = self.kind(proc, path, found) else {
            return proc.warn(message!(path, ": socket ignored")).await;
        };
        if found.nlink > 1 && found.kind != FileKind::Directory {
            let node = (found.device, found.inode);
            self.seen.entry(node).or_insert_with(|| name.clone());
        }
        let mut data = Vec::new();
        if kind == Kind::File {
            data = match read(proc, path).await {
                Ok(data) => data,
                Err(errno) => {
                    let line = message!(path, ": Cannot open: ", errno.message());
                    return self.complain(proc, line).await;
                }
            };
        }
        let user = self.accounts.user_name(proc, found.uid);
        let user = user.unwrap_or_default().to_vec();
        let group = self.accounts.group_name(proc, found.gid);
        let member = Member {
            name,
            kind,
            target,
            size: data.len() as u64,
            mode: found.mode & 0o7777,
            uid: found.uid,
            gid: found.gid,
            user,
            group: group.unwrap_or_default().to_vec(),
            time: found.mtime.seconds,
        };
        if self.options.verbose > 0 {
            let to_error = self.options.archive == b"-";
            list(proc, self.options, &member, to_error).await?;
        }
        self.lease.resize(self.out.len() + data.len() + 4 * BLOCK)?;
        header::write(&member, &mut self.out);
        self.out.extend_from_slice(&data);
        header::pad(&mut self.out);
        Ok(())
    }

    /// What a file is stored as, and where it leads: a second name of one file is a link to the first. `None`: it cannot be stored.
    fn kind(&self, proc: &Proc, path: &[u8], found: &Metadata) -> Option<(Kind, Vec<u8>)> {
        let first = self.seen.get(&(found.device, found.inode));
        Some(match (found.kind, first) {
            (FileKind::Directory, _) => (Kind::Directory, Vec::new()),
            (_, Some(first)) if found.nlink > 1 => (Kind::HardLink, first.clone()),
            (FileKind::Regular, _) => (Kind::File, Vec::new()),
            (FileKind::Symlink, _) => (Kind::SymbolicLink, proc.read_link(path).unwrap_or_default()),
            (FileKind::Fifo, _) => (Kind::Fifo, Vec::new()),
            _ => return None,
        })
    }
}

async fn read(proc: &Proc, path: &[u8]) -> Result<Vec<u8>, crate::fs::Errno> {
    let file = proc.open(path, OpenFlags::READ).await?;
    let mut lease = proc.kernel.lease();
    Input::new(file).rest(&mut lease).await
}
