//! Making archives.

use std::collections::HashMap;
use std::sync::Arc;

use super::archive::{Archive, Found};
use super::header::{self, BLOCK, Kind, Member};
use super::options::{Mode, Options};
use super::{cannot_open, change_directory, fatal, is_excluded, list, words};
use crate::fs::{FileKind, Follow, Metadata, OpenFlags};
use crate::kernel::{File, Input, Proc, Stop};
use crate::program::accounts::Accounts;
use crate::program::gzip::codec::Packer;
use crate::program::message::message;

/// An archive is a whole number of so many blocks.
const RECORD: usize = 20 * BLOCK;

/// Zeros.
const ZEROS: &[u8] = &[0; RECORD];

/// The archive that is written, through gzip where that is asked for.
struct Output {
    /// Its name, for messages.
    name: Vec<u8>,
    /// Standard output where there is none.
    file: Option<Arc<File>>,
    packer: Option<Packer>,
    /// Bytes so far, before compression.
    written: u64,
}

impl Output {
    async fn put(&mut self, proc: &mut Proc, data: &[u8]) -> Result<(), Stop> {
        self.written += data.len() as u64;
        let Some(packer) = &mut self.packer else {
            return self.send(proc, data).await;
        };
        packer.push(proc, data).await?;
        let packed = packer.take();
        self.send(proc, &packed).await
    }

    async fn send(&self, proc: &mut Proc, data: &[u8]) -> Result<(), Stop> {
        let Some(file) = &self.file else {
            return proc.write(data).await;
        };
        match file.write_all(data).await {
            Ok(()) => Ok(()),
            Err(errno) => {
                let text = message!(self.name, ": Cannot write: ", errno.message());
                Err(fatal(proc, text).await)
            }
        }
    }

    async fn zeros(&mut self, proc: &mut Proc, mut count: u64) -> Result<(), Stop> {
        while count > 0 {
            let piece = ZEROS.get(..count as usize).unwrap_or(ZEROS);
            self.put(proc, piece).await?;
            count -= piece.len() as u64;
        }
        Ok(())
    }

    /// Fills the last block, or record, with zeros.
    async fn pad(&mut self, proc: &mut Proc, unit: usize) -> Result<(), Stop> {
        let unit = unit as u64;
        self.zeros(proc, (unit - self.written % unit) % unit).await
    }

    /// The end of the archive.
    async fn end(&mut self, proc: &mut Proc) -> Result<(), Stop> {
        self.zeros(proc, 2 * BLOCK as u64).await?;
        self.pad(proc, RECORD).await?;
        if let Some(packer) = &mut self.packer {
            packer.finish(proc).await?;
            let packed = packer.take();
            self.send(proc, &packed).await?;
        }
        Ok(())
    }
}

struct Builder<'a> {
    options: &'a Options,
    out: Output,
    accounts: Accounts,
    /// The first names of files that have several.
    seen: HashMap<(u64, u64), Vec<u8>>,
    /// Files with no more names than this cannot come twice.
    single: u64,
    /// The time that all files get.
    time: Option<i64>,
    /// What is in the archive and is to be removed.
    done: Vec<(Vec<u8>, bool)>,
    warned: bool,
    failed: bool,
}

/// Makes an archive. Whether something went wrong.
pub async fn create(proc: &mut Proc, options: &Options) -> Result<bool, Stop> {
    // The archive is opened before the files are read, so that a failure to do so shows first.
    let time = sample_time(proc, options).await?;
    let names = words(proc, options).await?;
    let mut builder = Builder {
        options,
        out: open(proc, options).await?,
        accounts: Accounts::default(),
        seen: HashMap::new(),
        single: u64::from(names.len() < 2 && !options.dereference),
        time,
        done: Vec::new(),
        warned: false,
        failed: false,
    };
    let start = proc.cwd.clone();
    let own = builder.out.file.as_ref().and_then(|file| file.metadata().ok());
    let own = own.map(|found| (found.device, found.inode));
    for (directory, name) in names {
        if let Some(directory) = directory {
            change_directory(proc, &directory).await?;
        }
        if !name.is_empty() {
            builder.add_tree(proc, name, own).await?;
        }
    }
    builder.out.end(proc).await?;
    builder.remove_done(proc).await?;
    proc.cwd = start;
    Ok(builder.failed)
}

/// The time of `--mtime`: that of a file if it looks like a path.
async fn sample_time(proc: &mut Proc, options: &Options) -> Result<Option<i64>, Stop> {
    let Some(text) = &options.mtime else {
        return Ok(None);
    };
    if !text.starts_with(b"/") && !text.starts_with(b".") {
        let now = proc.kernel.now();
        return match crate::program::dates::parse(proc, text, now) {
            Some(time) => Ok(Some(time.seconds)),
            None => Err(fatal(proc, message!("unknown date format ‘", text, "’")).await),
        };
    }
    match proc.metadata(text, Follow::Yes) {
        Ok(found) => Ok(Some(found.mtime.seconds)),
        Err(errno) => {
            proc.warn(message!(text, ": Cannot stat: ", errno.message()))
                .await?;
            let error = super::options::SPEC.complain("Date sample file not found");
            Err(crate::program::usage::refuse(proc, &error.with_status(2)).await)
        }
    }
}

/// Opens the archive: a new one, or the end of the old one.
async fn open(proc: &mut Proc, options: &Options) -> Result<Output, Stop> {
    let path = options.archive.as_slice();
    let append = options.mode == Mode::Append && proc.metadata(path, Follow::Yes).is_ok();
    let written = if append { end_of(proc, options).await? } else { 0 };
    let file = match path {
        b"-" => None,
        _ => {
            let flags = if append {
                OpenFlags::WRITE
            } else {
                OpenFlags::CREATE
            };
            let file = proc.open_mode(path, flags, 0o666).await;
            let placed = file.and_then(|file| {
                if append {
                    file.seek(written)?;
                }
                Ok(file)
            });
            match placed {
                Ok(file) => Some(file),
                Err(errno) => return Err(cannot_open(proc, path, errno).await),
            }
        }
    };
    let packer = if options.gzip {
        Some(Packer::new(proc, 6, None, 0)?)
    } else {
        None
    };
    Ok(Output {
        name: path.to_vec(),
        file,
        packer,
        written,
    })
}

/// Where the blocks of zeros at the end of an archive begin.
async fn end_of(proc: &mut Proc, options: &Options) -> Result<u64, Stop> {
    let mut archive = Archive::open(proc, options).await?;
    if archive.is_compressed() {
        return Err(fatal(proc, "Cannot update compressed archives").await);
    }
    while let Found::Member(_) = archive.next(proc).await? {
        if !archive.skip(proc).await? {
            break;
        }
    }
    Ok(archive.offset())
}

impl Builder<'_> {
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
        if found.nlink > self.single && found.kind != FileKind::Directory {
            let node = (found.device, found.inode);
            self.seen.entry(node).or_insert_with(|| name.clone());
        }
        let source = if kind == Kind::File {
            match proc.open(path, OpenFlags::READ).await {
                Ok(file) => Some(Input::new(file)),
                Err(errno) => {
                    let line = message!(path, ": Cannot open: ", errno.message());
                    return self.complain(proc, line).await;
                }
            }
        } else {
            None
        };
        let (uid, mut user) = self.owner(proc, found.uid);
        let (gid, mut group) = self.group(proc, found.gid);
        if self.options.numeric {
            user.clear();
            group.clear();
        }
        let directory = found.kind == FileKind::Directory;
        let mode = found.mode & 0o7777;
        let change = self.options.mode_change.as_ref();
        let mut member = Member {
            name,
            kind,
            target,
            size: if source.is_some() { found.size } else { 0 },
            mode: change.map_or(mode, |change| change.apply(mode, directory, proc.umask)),
            uid,
            gid,
            user,
            group,
            time: self.time.unwrap_or(found.mtime.seconds),
        };
        let changed = super::transformed(self.options, &member.name);
        if self.options.show_transformed {
            member.name.clone_from(&changed);
        }
        if self.options.verbose > 0 {
            let to_error = self.options.archive == b"-";
            list(proc, self.options, &member, to_error).await?;
        }
        member.name = changed;
        member.target = super::transformed(self.options, &member.target);
        if self.options.remove {
            self.done.push((path.to_vec(), directory));
        }
        let mut header = Vec::new();
        header::write(&member, &mut header);
        self.out.put(proc, &header).await?;
        match source {
            Some(input) => self.copy(proc, path, input, member.size).await,
            None => Ok(()),
        }
    }

    /// Whose a file is said to be.
    fn owner(&mut self, proc: &Proc, uid: u32) -> (u32, Vec<u8>) {
        let account = self.options.owner.as_ref();
        let named = account.and_then(|account| account.name.clone());
        let known = named.as_ref().and_then(|name| self.accounts.user_id(proc, name));
        let uid = account
            .and_then(|account| account.number)
            .or(known)
            .unwrap_or(uid);
        let own = self.accounts.user_name(proc, uid).unwrap_or_default().to_vec();
        (uid, named.unwrap_or(own))
    }

    fn group(&mut self, proc: &Proc, gid: u32) -> (u32, Vec<u8>) {
        let account = self.options.group.as_ref();
        let named = account.and_then(|account| account.name.clone());
        let known = named.as_ref().and_then(|name| self.accounts.group_id(proc, name));
        let gid = account
            .and_then(|account| account.number)
            .or(known)
            .unwrap_or(gid);
        let own = self.accounts.group_name(proc, gid).unwrap_or_default().to_vec();
        (gid, named.unwrap_or(own))
    }

    /// `--remove-files`: directories after what is in them.
    async fn remove_done(&mut self, proc: &mut Proc) -> Result<(), Stop> {
        for (path, directory) in std::mem::take(&mut self.done).into_iter().rev() {
            let removed = match directory {
                true => proc.fs.remove_dir(&proc.view(), &path),
                false => proc.fs.unlink(&proc.view(), &path),
            };
            if let Err(errno) = removed {
                let what = if directory {
                    ": Cannot rmdir: "
                } else {
                    ": Cannot unlink: "
                };
                self.complain(proc, message!(path, what, errno.message())).await?;
            }
        }
        Ok(())
    }

    /// Writes the data of a file, as many as the header says.
    async fn copy(&mut self, proc: &mut Proc, path: &[u8], mut input: Input, size: u64) -> Result<(), Stop> {
        let mut left = size;
        while left > 0 {
            proc.kernel.breathe().await;
            let block = match input.block().await {
                Ok(block) => block,
                Err(errno) => {
                    self.complain(proc, message!(path, ": Cannot read: ", errno.message()))
                        .await?;
                    break;
                }
            };
            if block.is_empty() {
                let text = message!(path, format!(": File shrank by {left} bytes; padding with zeros"));
                self.complain(proc, text).await?;
                break;
            }
            let piece = block.get(..left as usize).unwrap_or(block);
            self.out.put(proc, piece).await?;
            left -= piece.len() as u64;
        }
        self.out.zeros(proc, left).await?;
        self.out.pad(proc, BLOCK).await
    }

    /// What a file is stored as, and where it leads: a second name of one file is a link to the first. `None`: it cannot be stored.
    fn kind(&self, proc: &Proc, path: &[u8], found: &Metadata) -> Option<(Kind, Vec<u8>)> {
        let first = self.seen.get(&(found.device, found.inode));
        Some(match (found.kind, first) {
            (FileKind::Directory, _) => (Kind::Directory, Vec::new()),
            (_, Some(first)) if found.nlink > self.single => (Kind::HardLink, first.clone()),
            (FileKind::Regular, _) => (Kind::File, Vec::new()),
            (FileKind::Symlink, _) => (Kind::SymbolicLink, proc.read_link(path).unwrap_or_default()),
            (FileKind::Fifo, _) => (Kind::Fifo, Vec::new()),
            _ => return None,
        })
    }
}
