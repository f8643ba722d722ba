//! Reading archives: listing and extracting.

use std::sync::Arc;

use super::archive::{Archive, Found};
use super::header::{Kind, Member};
use super::options::{Mode, Options};
use super::{change_directory, fatal, is_excluded, list, words};
use crate::fs::{Errno, FileKind, Follow, OpenFlags, Timestamp};
use crate::kernel::{File, Proc, Stop};
use crate::pattern::{Pattern, PatternOptions};
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

/// A name of the command line.
struct Wanted {
    name: Vec<u8>,
    /// What it is with `--wildcards`.
    pattern: Option<Pattern>,
    found: bool,
}

/// Whether a name of the command line is for a member: its own name, or that of a directory that it is in.
fn names_member(options: &Options, wanted: &Wanted, name: &[u8]) -> bool {
    let starts = memchr::memchr_iter(b'/', name)
        .map(|at| at + 1)
        .filter(|_| options.unanchored);
    let ends: Vec<usize> = memchr::memchr_iter(b'/', name).chain([name.len()]).collect();
    std::iter::once(0).chain(starts).any(|start| {
        let mut ends = ends.iter().filter(|end| **end > start);
        ends.any(|end| {
            let part = name.get(start..*end).unwrap_or_default();
            match &wanted.pattern {
                Some(pattern) => pattern.matches(part),
                None => part == wanted.name,
            }
        })
    })
}

struct Extraction<'a> {
    options: &'a Options,
    wanted: Vec<Wanted>,
    /// Modes and times of directories, set when nothing more goes into them.
    directories: Vec<(Vec<u8>, Member)>,
    warned: bool,
    failed: bool,
}

/// Lists or extracts. Whether something went wrong.
pub async fn extract(proc: &mut Proc, options: &Options) -> Result<bool, Stop> {
    let mut archive = Archive::open(proc, options).await?;
    let mut wanted = Vec::new();
    for (directory, name) in words(proc, options).await? {
        if let Some(directory) = directory {
            change_directory(proc, &directory).await?;
        }
        if !name.is_empty() {
            let name = name.strip_suffix(b"/").unwrap_or(&name).to_vec();
            let pattern =
                (options.wildcards == Some(true)).then(|| Pattern::compile(&name, PatternOptions::default()));
            wanted.push(Wanted {
                name,
                pattern,
                found: false,
            });
        }
    }
    let mut extraction = Extraction {
        options,
        wanted,
        directories: Vec::new(),
        warned: false,
        failed: false,
    };
    extraction.warn_of_patterns(proc).await?;
    extraction.read(proc, &mut archive).await?;
    extraction.finish(proc).await?;
    archive.close(proc).await?;
    Ok(extraction.failed)
}

impl Extraction<'_> {
    async fn read(&mut self, proc: &mut Proc, archive: &mut Archive) -> Result<(), Stop> {
        let mut first = true;
        loop {
            let member = match archive.next(proc).await? {
                Found::Member(member) => member,
                Found::End if !(first && archive.is_empty()) => return Ok(()),
                Found::Invalid if !first => {
                    self.failed = true;
                    proc.warn("Skipping to next header").await?;
                    if archive.find_header(proc).await? {
                        continue;
                    }
                    return Ok(());
                }
                Found::Short if !first => return Err(fatal(proc, "Unexpected EOF in archive").await),
                _ => return self.no_archive(proc, archive).await,
            };
            first = false;
            let chosen = self.is_wanted(&member.name) && !is_excluded(self.options, &member.name);
            if chosen && member.kind != Kind::Other {
                self.take(proc, &member, archive).await?;
            }
            if !archive.skip(proc).await? {
                if chosen && member.kind != Kind::Other && self.options.mode == Mode::Extract {
                    proc.warn("Unexpected EOF in archive").await?;
                }
                return Err(fatal(proc, "Unexpected EOF in archive").await);
            }
        }
    }

    /// The first header is none.
    async fn no_archive(&mut self, proc: &mut Proc, archive: &mut Archive) -> Result<(), Stop> {
        self.failed = true;
        proc.warn("This does not look like a tar archive").await?;
        if archive.has_more(proc).await? {
            proc.warn("Skipping to next header").await?;
        }
        Ok(())
    }

    /// Patterns among the names are names, unless it was said that they are none.
    async fn warn_of_patterns(&self, proc: &mut Proc) -> Result<(), Stop> {
        let mut names = self.wanted.iter().map(|wanted| &wanted.name);
        if self.options.wildcards.is_none()
            && names.any(|name| memchr::memchr3(b'*', b'?', b'[', name).is_some())
        {
            proc.warn("Pattern matching characters used in file names")
                .await?;
            proc.warn(
                "Use --wildcards to enable pattern matching, or --no-wildcards to suppress this warning",
            )
            .await?;
        }
        Ok(())
    }

    fn is_wanted(&mut self, name: &[u8]) -> bool {
        if self.wanted.is_empty() {
            return true;
        }
        let name = name.strip_suffix(b"/").unwrap_or(name);
        let mut found = false;
        for wanted in &mut self.wanted {
            if names_member(self.options, wanted, name) {
                wanted.found = true;
                found = true;
            }
        }
        found
    }

    async fn take(&mut self, proc: &mut Proc, member: &Member, archive: &mut Archive) -> Result<(), Stop> {
        if self.options.mode == Mode::List {
            let shown = self.shown(member);
            return list(proc, self.options, &shown, false).await;
        }
        let Some(name) = self.target_name(proc, &member.name).await? else {
            return Ok(());
        };
        if self.options.verbose > 0 {
            let to_error = self.options.stdout;
            let shown = self.shown(member);
            list(proc, self.options, &shown, to_error).await?;
        }
        if self.options.stdout {
            return if member.kind == Kind::File {
                print(proc, archive).await
            } else {
                Ok(())
            };
        }
        let made = match self.make(proc, &name, member).await {
            Ok(Some(file)) => {
                let written = store(proc, archive, &file).await?;
                self.set_attributes(proc, &name, member);
                written.map_err(|errno| ("write", errno))
            }
            made => made.map(drop),
        };
        match made {
            Ok(()) => Ok(()),
            Err((what, errno)) => {
                self.failed = true;
                proc.warn(message!(name, ": Cannot ", what, ": ", errno.message()))
                    .await
            }
        }
    }

    /// A member as it is listed.
    fn shown(&self, member: &Member) -> Member {
        let mut shown = member.clone();
        if self.options.show_transformed {
            let name = super::transformed(self.options, &member.name);
            let stripped = self.stripped(name.strip_suffix(b"/").unwrap_or(&name)).to_vec();
            let slash: &[u8] = if name.ends_with(b"/") { b"/" } else { b"" };
            shown.name = [stripped.as_slice(), slash].concat();
        }
        shown
    }

    fn stripped<'n>(&self, name: &'n [u8]) -> &'n [u8] {
        let mut rest = name;
        for _ in 0..self.options.strip {
            rest = match memchr::memchr(b'/', rest) {
                Some(at) => rest.get(at + 1..).unwrap_or_default(),
                None => b"",
            };
        }
        rest
    }

    /// The directory of `--one-top-level`: the archive's name without its ending, if none was given.
    fn in_top_level(&self, name: &[u8]) -> Vec<u8> {
        let Some(given) = &self.options.top_level else {
            return name.to_vec();
        };
        let archive = crate::program::path::base_name(&self.options.archive);
        let endings: [&[u8]; 4] = [b".tar.gz", b".tgz", b".tar", b".gz"];
        let base = endings.iter().find_map(|ending| archive.strip_suffix(*ending));
        let top = match given.as_slice() {
            [] => base.unwrap_or(archive),
            given => given,
        };
        if name == top || name.strip_prefix(top).is_some_and(|rest| rest.starts_with(b"/")) {
            return name.to_vec();
        }
        [top, b"/", name].concat()
    }

    /// Where a member goes; `None` when nothing is left of its name.
    async fn target_name(&mut self, proc: &mut Proc, name: &[u8]) -> Result<Option<Vec<u8>>, Stop> {
        let name = &super::transformed(self.options, name);
        let mut rest = name.as_slice();
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
        let rest = self.stripped(rest);
        let rest = rest.strip_suffix(b"/").unwrap_or(rest);
        Ok((!rest.is_empty()).then(|| self.in_top_level(rest)))
    }

    fn mode(&self, proc: &Proc, member: &Member) -> u32 {
        // The superuser gets modes as they are, anybody else less the mask.
        if self.options.preserve || proc.user.uid == 0 {
            member.mode
        } else {
            member.mode & !proc.umask & 0o777
        }
    }

    /// Makes what a member is; a file is to be filled.
    async fn make(
        &mut self,
        proc: &mut Proc,
        name: &[u8],
        member: &Member,
    ) -> Result<Option<Arc<File>>, (&'static str, Errno)> {
        if member.kind == Kind::Directory {
            return self.make_directory(proc, name, member).map(|()| None);
        }
        let what = match member.kind {
            Kind::SymbolicLink => "create symlink",
            Kind::HardLink => "hard link",
            Kind::Fifo => "mkfifo",
            _ => "open",
        };
        let failed = |errno| (what, errno);
        if member.kind == Kind::HardLink && self.is_linked(proc, name, member) {
            return Ok(None);
        }
        let into = self.options.overwrite && member.kind == Kind::File;
        match proc.metadata(name, Follow::No) {
            Ok(_) if self.options.skip_old => return Ok(None),
            Ok(_) if self.options.keep => return Err(failed(Errno::EEXIST)),
            Ok(found) if found.kind == FileKind::Directory => proc.remove_dir(name).map_err(failed)?,
            Ok(found) if into && found.kind == FileKind::Regular => {}
            Ok(_) => proc.unlink(name).map_err(failed)?,
            Err(_) => make_parents(proc, name)?,
        }
        match member.kind {
            Kind::SymbolicLink => proc.symlink(&member.target, name).map_err(failed)?,
            Kind::HardLink => {
                proc.link(self.link_target(member), name, Follow::No)
                    .map_err(failed)?;
                return Ok(None);
            }
            Kind::Fifo => {
                let mode = self.mode(proc, member);
                proc.make_node(name, FileKind::Fifo, mode, (0, 0))
                    .map_err(failed)?;
            }
            _ => {
                let file = proc.open_mode(name, OpenFlags::CREATE, 0o600).await;
                return file.map(Some).map_err(failed);
            }
        }
        self.set_attributes(proc, name, member);
        Ok(None)
    }

    fn link_target<'m>(&self, member: &'m Member) -> &'m [u8] {
        if self.options.absolute {
            &member.target
        } else {
            safe_name(&member.target)
        }
    }

    /// A link is there already: a file that was stored twice is a link to itself.
    fn is_linked(&self, proc: &Proc, name: &[u8], member: &Member) -> bool {
        let node = |path: &[u8]| {
            let found = proc.metadata(path, Follow::No).ok()?;
            Some((found.device, found.inode))
        };
        node(name).is_some_and(|own| node(self.link_target(member)) == Some(own))
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
        for Wanted {
            name, found: seen, ..
        } in std::mem::take(&mut self.wanted)
        {
            if !seen {
                self.failed = true;
                proc.warn(message!(name, ": Not found in archive")).await?;
            }
        }
        Ok(())
    }
}

/// `-O`: prints the data of a member.
async fn print(proc: &mut Proc, archive: &mut Archive) -> Result<(), Stop> {
    loop {
        let piece = archive.body(proc).await?;
        if piece.is_empty() {
            return Ok(());
        }
        proc.write(piece).await?;
    }
}

/// Fills a file with the data of a member.
async fn store(proc: &mut Proc, archive: &mut Archive, file: &File) -> Result<Result<(), Errno>, Stop> {
    loop {
        let piece = archive.body(proc).await?;
        if piece.is_empty() {
            return Ok(Ok(()));
        }
        if let Err(errno) = file.write_all(piece).await {
            return Ok(Err(errno));
        }
    }
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
