//! Making one node that is no directory: a copy, a link, a special file.

use std::sync::Arc;

use super::{Copier, Holes, Job, Make, Replacing};
use crate::args::{quoteaf, quotef};
use crate::fs::{Errno, FileKind, Follow, Metadata, OpenFlags};
use crate::kernel::{File, Proc, Stop};
use crate::program::message::{complain, message};
use crate::program::path;

/// Bytes copied at a time.
const BLOCK: usize = 64 << 10;
/// Zeros of this length become a hole.
const PAGE: usize = 4 << 10;

impl Copier<'_> {
    pub(super) async fn make(
        &mut self,
        proc: &mut Proc,
        job: &Job,
        found: &Metadata,
        existing: Option<&Metadata>,
    ) -> Result<bool, Stop> {
        let options = self.options;
        match (options.make, found.kind) {
            (Make::SymbolicLink, _) => self.symbolic_link(proc, job).await,
            (Make::HardLink, _) => {
                let follow = self.follows(job.operand);
                let source = job.source.clone();
                let replaces = options.unlink_on_failure || options.overwrite == super::Overwrite::Ask;
                let replacing = if replaces {
                    Replacing::Silently
                } else {
                    Replacing::No
                };
                self.hard_link(proc, &source, job, replacing, follow).await
            }
            (_, FileKind::Regular) => self.regular(proc, job, found, existing).await,
            (_, FileKind::Symlink) => self.copy_link(proc, job, found).await,
            _ if options.as_regular => self.regular(proc, job, found, existing).await,
            (_, kind) => self.special(proc, job, found, kind).await,
        }
    }

    async fn special(
        &self,
        proc: &mut Proc,
        job: &Job,
        found: &Metadata,
        kind: FileKind,
    ) -> Result<bool, Stop> {
        let withheld = if self.options.preserve.ownership { 0o077 } else { 0 };
        if let Err(errno) = proc.make_node(&job.destination, kind, found.mode & !withheld, found.rdev) {
            let what = if kind == FileKind::Fifo {
                "cannot create fifo"
            } else {
                "cannot create special file"
            };
            complain(proc, what, &job.destination, errno).await?;
            return Ok(false);
        }
        self.take_over(proc, job, found, None).await
    }

    /// `cp -s`.
    async fn symbolic_link(&self, proc: &mut Proc, job: &Job) -> Result<bool, Stop> {
        let here = |path: &[u8]| {
            proc.metadata(path, Follow::Yes)
                .map(|found| (found.device, found.inode))
        };
        let in_cwd =
            !job.destination.contains(&b'/') || here(path::directory_name(&job.destination)) == here(b".");
        if !job.source.starts_with(b"/") && !in_cwd {
            let line = message!(
                quotef(&job.destination),
                ": can make relative symbolic links only in current directory"
            );
            proc.warn(line).await?;
            return Ok(false);
        }
        if let Err(errno) = self.force_symlink(proc, &job.source, &job.destination) {
            let sentence = "cannot create symbolic link ";
            return cannot_link(proc, sentence, &job.destination, &job.source, errno).await;
        }
        Ok(true)
    }

    fn force_symlink(&self, proc: &Proc, target: &[u8], at: &[u8]) -> Result<(), Errno> {
        match proc.symlink(target, at) {
            Err(Errno::EEXIST) if self.options.unlink_on_failure => {
                proc.unlink(at)?;
                proc.symlink(target, at)
            }
            result => result,
        }
    }

    async fn copy_link(&self, proc: &mut Proc, job: &Job, found: &Metadata) -> Result<bool, Stop> {
        let target = match proc.read_link(&job.source) {
            Ok(target) => target,
            Err(errno) => {
                complain(proc, "cannot read symbolic link", &job.source, errno).await?;
                return Ok(false);
            }
        };
        if let Err(errno) = self.force_symlink(proc, &target, &job.destination) {
            let wanted = self.options.update && proc.read_link(&job.destination).is_ok_and(|it| it == target);
            if !wanted {
                complain(proc, "cannot create symbolic link", &job.destination, errno).await?;
                return Ok(false);
            }
        }
        self.take_over(proc, job, found, None).await
    }

    /// `source` is the operand, or an earlier copy of the same node.
    pub(super) async fn hard_link(
        &self,
        proc: &mut Proc,
        source: &[u8],
        job: &Job,
        replacing: Replacing,
        follow: Follow,
    ) -> Result<bool, Stop> {
        let mut result = proc.link(source, &job.destination, follow);
        if result == Err(Errno::EEXIST) && replacing != Replacing::No {
            result = proc
                .unlink(&job.destination)
                .and_then(|()| proc.link(source, &job.destination, follow));
            if result.is_ok() && replacing == Replacing::Aloud {
                let line = message!("removed ", quoteaf(&job.destination), "\n");
                proc.write(&line).await?;
            }
        }
        if let Err(errno) = result {
            let sentence = "cannot create hard link ";
            return cannot_link(proc, sentence, &job.destination, source, errno).await;
        }
        Ok(true)
    }

    async fn regular(
        &self,
        proc: &mut Proc,
        job: &Job,
        found: &Metadata,
        existing: Option<&Metadata>,
    ) -> Result<bool, Stop> {
        let source = match proc.open(&job.source, OpenFlags::READ).await {
            Ok(source) => source,
            Err(errno) => {
                let line = message!(
                    "cannot open ",
                    quoteaf(&job.source),
                    " for reading: ",
                    errno.message()
                );
                proc.warn(line).await?;
                return Ok(false);
            }
        };
        let Some((target, is_new)) = self.open_destination(proc, job, found).await? else {
            return Ok(false);
        };
        if self.options.clone_always {
            let (destination, source) = (quoteaf(&job.destination), quoteaf(&job.source));
            let errno = Errno::EOPNOTSUPP.message();
            proc.warn(message!(
                "failed to clone ",
                destination,
                " from ",
                source,
                ": ",
                errno
            ))
            .await?;
            if is_new {
                // What was made for the copy goes again.
                let _ = proc.unlink(&job.destination);
            }
            return Ok(false);
        }
        if !self.options.attributes_only && !self.contents(proc, job, &source, &target).await? {
            return Ok(false);
        }
        drop(target);
        self.take_over(proc, job, found, existing.filter(|_| !is_new))
            .await
    }

    /// Opens what is written to, and says whether it was made. `None`: it cannot be, and that was said.
    async fn open_destination(
        &self,
        proc: &mut Proc,
        job: &Job,
        found: &Metadata,
    ) -> Result<Option<(Arc<File>, bool)>, Stop> {
        let options = self.options;
        let mut is_new = job.is_new;
        if !is_new {
            let flags = OpenFlags {
                truncate: !options.attributes_only,
                ..OpenFlags::WRITE
            };
            match proc.open(&job.destination, flags).await {
                Ok(target) => return Ok(Some((target, false))),
                Err(_) if options.unlink_on_failure => {
                    if let Err(errno) = proc.unlink(&job.destination) {
                        complain(proc, "cannot remove", &job.destination, errno).await?;
                        return Ok(None);
                    }
                    if options.verbose {
                        let line = message!("removed ", quoteaf(&job.destination), "\n");
                        proc.write(&line).await?;
                    }
                    is_new = true;
                }
                // It went away, or is a link to nothing.
                Err(Errno::ENOENT) => is_new = true,
                Err(errno) => {
                    complain(proc, "cannot create regular file", &job.destination, errno).await?;
                    return Ok(None);
                }
            }
        }
        self.create_destination(proc, job, found).await.map(|target| {
            let target = target?;
            Some((target, is_new))
        })
    }

    /// Copies the bytes.
    async fn contents(&self, proc: &mut Proc, job: &Job, source: &File, target: &File) -> Result<bool, Stop> {
        let has_holes = |found: Metadata| found.blocks * 512 < found.size;
        let wanted = match self.options.holes {
            Holes::Kept => source.metadata().is_ok_and(has_holes),
            Holes::Made => true,
            Holes::Filled => false,
        };
        let makes_holes = wanted && target.is_seekable() && target.open_node().is_some();
        copy_contents(proc, job, source, target, makes_holes).await
    }

    async fn create_destination(
        &self,
        proc: &mut Proc,
        job: &Job,
        found: &Metadata,
    ) -> Result<Option<Arc<File>>, Stop> {
        let withheld = if self.options.preserve.ownership { 0o077 } else { 0 };
        let mode = self.options.mode.unwrap_or(found.mode) & 0o777 & !withheld;
        let errno = match proc
            .open_mode(&job.destination, OpenFlags::CREATE_NEW, mode)
            .await
        {
            Ok(target) => return Ok(Some(target)),
            Err(errno) => errno,
        };
        let is_link = proc
            .metadata(&job.destination, Follow::No)
            .is_ok_and(|metadata| metadata.kind == FileKind::Symlink);
        if errno == Errno::EEXIST && is_link && !self.options.moves() {
            let line = message!("not writing through dangling symlink ", quoteaf(&job.destination));
            proc.warn(line).await?;
            return Ok(None);
        }
        let slash = job.destination.ends_with(b"/");
        let errno = if slash && matches!(errno, Errno::EISDIR | Errno::ENOENT) {
            Errno::ENOTDIR
        } else {
            errno
        };
        complain(proc, "cannot create regular file", &job.destination, errno).await?;
        Ok(None)
    }
}

async fn copy_contents(
    proc: &mut Proc,
    job: &Job,
    source: &File,
    target: &File,
    makes_holes: bool,
) -> Result<bool, Stop> {
    // What was said so far comes before what is copied to standard output.
    if target.open_node().is_none() {
        proc.flush().await?;
    }
    let mut block = Vec::new();
    loop {
        block.clear();
        match source.read(&mut block, BLOCK).await {
            Ok(0) => break,
            Ok(_) => {}
            Err(errno) => {
                complain(proc, "error reading", &job.source, errno).await?;
                return Ok(false);
            }
        }
        let written = if makes_holes {
            write_around_zeros(target, &block).await
        } else {
            target.write_all(&block).await
        };
        if let Err(errno) = written {
            complain(proc, "error writing", &job.destination, errno).await?;
            return Ok(false);
        }
    }
    // A hole at the end.
    if makes_holes
        && let Some(node) = target.open_node()
        && let Err(errno) = node.truncate(target.offset(), proc.kernel.now())
    {
        complain(proc, "failed to extend", &job.destination, errno).await?;
        return Ok(false);
    }
    Ok(true)
}

/// Writes pages that are not all zeros, and moves over the others.
async fn write_around_zeros(target: &File, block: &[u8]) -> Result<(), Errno> {
    for page in block.chunks(PAGE) {
        if page.iter().all(|byte| *byte == 0) {
            target.seek(target.offset() + page.len() as u64)?;
        } else {
            target.write_all(page).await?;
        }
    }
    Ok(())
}

async fn cannot_link(
    proc: &mut Proc,
    sentence: &str,
    destination: &[u8],
    source: &[u8],
    errno: Errno,
) -> Result<bool, Stop> {
    let (destination, source) = (quoteaf(destination), quoteaf(source));
    proc.warn(message!(
        sentence,
        destination,
        " to ",
        source,
        ": ",
        errno.message()
    ))
    .await?;
    Ok(false)
}
