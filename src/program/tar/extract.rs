//! Reading archives: listing and extracting.

use super::header::{self, BLOCK, Kind, Member, Next};
use super::options::{Mode, Options};
use super::{change_directory, fatal, is_excluded, list, read_archive, words};
use crate::fs::{Errno, FileKind, Follow, OpenFlags, Timestamp};
use crate::kernel::{Proc, Stop};
use crate::program::message::message;

/// A name without what leads out of the directory: slashes and all up to the last `..`.
pub fn safe_name(name: &[u8]) -> &[u8] {
    let mut rest = name;
    let parts = name.split(|byte| *byte == b'/');
    let mut at = 0;
    for part in parts {
        at += part.len() + 1;
        if part == b".." {
            rest = name.get(at..).unwrap_or_default();
        }
    }
    let slashes = rest.iter().take_while(|byte| **byte == b'/').count();
    rest.get(slashes..).unwrap_or_default()
}

struct Extraction<'a> {
    options: &'a Options,
    /// Wanted names, and whether they were found.
    wanted: Vec<(Vec<u8>, bool)>,
    /// Modes and times of directories, set when nothing more goes into them.
    directories: Vec<(Vec<u8>, Member)>,
    warned: bool,
    failed: bool,
}

/// Lists or extracts. Whether something went wrong.
pub async fn extract(proc: &mut Proc, options: &Options) -> Result<bool, Stop> {
    let (data, _lease) = read_archive(proc, options).await?;
    let mut wanted = Vec::new();
    for (directory, name) in words(proc, options).await? {
        if let Some(directory) = directory {
            change_directory(proc, &directory).await?;
        }
        if !name.is_empty() {
            let name = name.strip_suffix(b"/").unwrap_or(&name).to_vec();
            wanted.push((name, false));
        }
    }
    let mut extraction = Extraction {
        options,
        wanted,
        directories: Vec::new(),
        warned: false,
        failed: false,
    };
    extraction.read(proc, &data).await?;
    extraction.finish(proc).await?;
    Ok(extraction.failed)
}

impl Extraction<'_> {
    async fn read(&mut self, proc: &mut Proc, data: &[u8]) -> Result<(), Stop> {
        let mut at = 0;
        let mut first = true;
        loop {
            proc.kernel.breathe().await;
            proc.charge(2)?;
            let (member, begin) = match header::read(data, at) {
                Next::Member(member, begin) => (member, begin),
                Next::End if !(first && data.is_empty()) => return Ok(()),
                Next::Invalid if !first => {
                    self.failed = true;
                    proc.warn("Skipping to next header").await?;
                    match next_header(data, at + BLOCK) {
                        Some(next) => at = next,
                        None => return Ok(()),
                    }
                    continue;
                }
                Next::Short if !first => return Err(fatal(proc, "Unexpected EOF in archive").await),
                _ => {
                    self.failed = true;
                    proc.warn("This does not look like a tar archive").await?;
                    if data.len() > BLOCK {
                        proc.warn("Skipping to next header").await?;
                    }
                    return Ok(());
                }
            };
            first = false;
            let size = usize::try_from(member.size).unwrap_or(usize::MAX);
            let end = begin.saturating_add(size);
            let body = data.get(begin..end.min(data.len())).unwrap_or_default();
            let complete = end <= data.len();
            let chosen = self.is_wanted(&member.name) && !is_excluded(self.options, &member.name);
            if chosen && member.kind != Kind::Other {
                self.take(proc, &member, body).await?;
                if !complete && self.options.mode == Mode::Extract {
                    proc.warn("Unexpected EOF in archive").await?;
                }
            }
            if !complete {
                return Err(fatal(proc, "Unexpected EOF in archive").await);
            }
            at = end.next_multiple_of(BLOCK).min(data.len());
        }
    }

    fn is_wanted(&mut self, name: &[u8]) -> bool {
        if self.wanted.is_empty() {
            return true;
        }
        let name = name.strip_suffix(b"/").unwrap_or(name);
        let mut found = false;
        for (wanted, seen) in &mut self.wanted {
            let below = name.strip_prefix(wanted.as_slice());
            if below.is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/")) {
                *seen = true;
                found = true;
            }
        }
        found
    }

    async fn take(&mut self, proc: &mut Proc, member: &Member, body: &[u8]) -> Result<(), Stop> {
        if self.options.mode == Mode::List {
            return list(proc, self.options, member, false).await;
        }
        let Some(name) = self.target_name(proc, &member.name).await? else {
            return Ok(());
        };
        if self.options.verbose > 0 {
            let to_error = self.options.stdout;
            list(proc, self.options, member, to_error).await?;
        }
        if self.options.stdout {
            if member.kind == Kind::File {
                proc.write(body).await?;
            }
            return Ok(());
        }
        match self.make(proc, &name, member, body).await {
            Ok(()) => Ok(()),
            Err((what, errno)) => {
                self.failed = true;
                proc.warn(message!(name, ": Cannot ", what, ": ", errno.message()))
                    .await
            }
        }
    }

    /// Where a member goes; `None` when nothing is left of its name.
    async fn target_name(&mut self, proc: &mut Proc, name: &[u8]) -> Result<Option<Vec<u8>>, Stop> {
        let mut rest = name;
        if !self.options.absolute {
            rest = safe_name(name);
            let cut = name.len() - rest.len();
            if cut > 0 && !self.warned {
                self.warned = true;
                let prefix = name.get(..cut).unwrap_or_default();
                proc.warn(message!("Removing leading `", prefix, "' from member names"))
                    .await?;
            }
        }
        for _ in 0..self.options.strip {
            rest = match memchr::memchr(b'/', rest) {
                Some(at) => rest.get(at + 1..).unwrap_or_default(),
                None => b"",
            };
        }
        let rest = rest.strip_suffix(b"/").unwrap_or(rest);
        Ok((!rest.is_empty()).then(|| rest.to_vec()))
    }

    fn mode(&self, proc: &Proc, member: &Member) -> u32 {
        // The superuser gets modes as they are, anybody else less the mask.
        if self.options.preserve || proc.user.uid == 0 {
            member.mode
        } else {
            member.mode & !proc.umask & 0o777
        }
    }

    async fn make(
        &mut self,
        proc: &mut Proc,
        name: &[u8],
        member: &Member,
        body: &[u8],
    ) -> Result<(), (&'static str, Errno)> {
        if member.kind == Kind::Directory {
            return self.make_directory(proc, name, member);
        }
        let what = match member.kind {
            Kind::SymbolicLink => "create symlink",
            Kind::HardLink => "hard link",
            Kind::Fifo => "mkfifo",
            _ => "open",
        };
        let failed = |errno| (what, errno);
        match proc.metadata(name, Follow::No) {
            Ok(_) if self.options.skip_old => return Ok(()),
            Ok(_) if self.options.keep => return Err(failed(Errno::EEXIST)),
            Ok(found) if found.kind == FileKind::Directory => proc.remove_dir(name).map_err(failed)?,
            Ok(_) => proc.unlink(name).map_err(failed)?,
            Err(_) => make_parents(proc, name)?,
        }
        match member.kind {
            Kind::SymbolicLink => proc.symlink(&member.target, name).map_err(failed)?,
            Kind::HardLink => {
                let target = if self.options.absolute {
                    &member.target
                } else {
                    safe_name(&member.target)
                };
                return proc.link(target, name, Follow::No).map_err(failed);
            }
            Kind::Fifo => {
                let mode = self.mode(proc, member);
                proc.make_node(name, FileKind::Fifo, mode, (0, 0))
                    .map_err(failed)?;
            }
            _ => {
                let opened = proc.open_mode(name, OpenFlags::CREATE, 0o600).await;
                let written = opened.map_err(failed)?.write_all(body).await;
                written.map_err(|errno| ("write", errno))?;
            }
        }
        self.set_attributes(proc, name, member);
        Ok(())
    }

    /// Makes a directory, or takes what is one or leads to one. Its attributes come last, when its contents are there.
    fn make_directory(
        &mut self,
        proc: &Proc,
        name: &[u8],
        member: &Member,
    ) -> Result<(), (&'static str, Errno)> {
        let there = proc
            .metadata(name, Follow::Yes)
            .is_ok_and(|found| found.kind == FileKind::Directory);
        if !there {
            make_parents(proc, name)?;
            proc.make_dir(name, 0o777).map_err(|errno| ("mkdir", errno))?;
        }
        self.directories.push((name.to_vec(), member.clone()));
        Ok(())
    }

    /// Owner, mode and time. What cannot be set stays, as for anybody but the superuser.
    fn set_attributes(&self, proc: &Proc, name: &[u8], member: &Member) {
        let link = member.kind == Kind::SymbolicLink;
        if proc.user.uid == 0 {
            let _refused = proc.set_owner(name, Some(member.uid), Some(member.gid), Follow::No);
        }
        if !link {
            let _refused = proc.set_mode(name, self.mode(proc, member), Follow::No);
        }
        if !self.options.touch {
            let time = Timestamp {
                seconds: member.time,
                nanos: 0,
            };
            let _refused = proc.set_times(name, None, Some(time), Follow::No);
        }
    }

    async fn finish(&mut self, proc: &mut Proc) -> Result<(), Stop> {
        let directories = std::mem::take(&mut self.directories);
        for (name, member) in directories.iter().rev() {
            self.set_attributes(proc, name, member);
        }
        for (name, seen) in std::mem::take(&mut self.wanted) {
            if !seen {
                self.failed = true;
                proc.warn(message!(name, ": Not found in archive")).await?;
            }
        }
        Ok(())
    }
}

/// Where the next good header is.
fn next_header(data: &[u8], from: usize) -> Option<usize> {
    let starts = (from..data.len()).step_by(BLOCK);
    starts
        .into_iter()
        .find(|at| matches!(header::read(data, *at), Next::Member(..)))
}

/// Makes the directories that a name lies in.
fn make_parents(proc: &Proc, name: &[u8]) -> Result<(), (&'static str, Errno)> {
    for at in memchr::memchr_iter(b'/', name) {
        let parent = name.get(..at).unwrap_or_default();
        if parent.is_empty() || proc.metadata(parent, Follow::Yes).is_ok() {
            continue;
        }
        proc.make_dir(parent, 0o777).map_err(|errno| ("mkdir", errno))?;
    }
    Ok(())
}
