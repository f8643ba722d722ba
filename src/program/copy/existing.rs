//! A destination that exists: whether it may be replaced, and making room for what comes in its place.

use super::same::{Sameness, same_node};
use super::{Copier, Job, Make, Overwrite, Tree};
use crate::args::{quoteaf, quotef};
use crate::fs::{Access, Errno, FileKind, Follow, Metadata};
use crate::kernel::{Proc, Stop};
use crate::program::message::{ask, complain, message};
use crate::program::path;
use crate::text::mode::permission_letters;

/// How to go on.
pub(super) enum Prepared {
    /// Copy; with what is there and the backup that was made of it.
    Go(Option<Metadata>, Option<Vec<u8>>),
    /// Nothing more to do, well or not.
    Done(bool),
}

impl Copier<'_> {
    /// Links at the destination count as themselves where they are going to be replaced.
    fn looks_at_link(&self, found: &Metadata) -> bool {
        let options = self.options;
        let special = found.kind != FileKind::Regular
            && (!options.as_regular || matches!(found.kind, FileKind::Directory | FileKind::Symlink));
        special || options.make != Make::Copy || options.backup.is_on() || options.unlink_first
    }

    pub(super) async fn prepare(
        &mut self,
        proc: &mut Proc,
        tree: &mut Tree<'_>,
        job: &mut Job,
        found: &Metadata,
    ) -> Result<Prepared, Stop> {
        let follow = if self.looks_at_link(found) {
            Follow::No
        } else {
            Follow::Yes
        };
        let existing = match proc.metadata(&job.destination, follow) {
            Ok(existing) => existing,
            Err(Errno::ENOENT) => {
                job.is_new = true;
                return Ok(Prepared::Go(None, None));
            }
            Err(Errno::ELOOP) if self.options.unlink_on_failure => return Ok(Prepared::Go(None, None)),
            Err(errno) => {
                complain(proc, "cannot stat", &job.destination, errno).await?;
                return Ok(Prepared::Done(false));
            }
        };
        let sameness = self.sameness(proc, (&job.source, found), (&job.destination, &existing));
        // With -n nothing is looked at more closely than that it is there.
        if sameness == Sameness::Same && self.options.overwrite != Overwrite::No {
            let (source, destination) = (quoteaf(&job.source), quoteaf(&job.destination));
            proc.warn(message!(source, " and ", destination, " are the same file"))
                .await?;
            return Ok(Prepared::Done(false));
        }
        if self.is_kept(proc, tree, job, found, &existing).await? || sameness == Sameness::Done {
            return Ok(Prepared::Done(true));
        }
        if let Some(line) = self.kind_conflict(proc, job, found, &existing) {
            proc.warn(line).await?;
            return Ok(Prepared::Done(false));
        }
        self.make_room(proc, job, found, existing).await
    }

    /// The destination stays: it is newer, or may not or shall not be replaced.
    async fn is_kept(
        &mut self,
        proc: &mut Proc,
        tree: &mut Tree<'_>,
        job: &Job,
        found: &Metadata,
        existing: &Metadata,
    ) -> Result<bool, Stop> {
        let options = self.options;
        if found.kind == FileKind::Directory && !options.moves() {
            return Ok(false);
        }
        let newer = existing.mtime >= found.mtime && found.kind != FileKind::Directory;
        let kept = (options.update && newer)
            || match options.overwrite {
                Overwrite::Yes => false,
                Overwrite::No => true,
                Overwrite::Ask => {
                    let question = self.question(proc, &job.destination, existing);
                    !ask(proc, &question).await?
                }
            };
        // So that the source of a move is not removed.
        tree.result.renamed |= kept && options.moves();
        Ok(kept)
    }

    fn question(&self, proc: &Proc, destination: &[u8], existing: &Metadata) -> Vec<u8> {
        let writable = existing.kind == FileKind::Symlink
            || proc.user.uid == 0
            || proc.access(destination, Access::WRITE).is_ok();
        if writable {
            return message!("overwrite ", quoteaf(destination));
        }
        let options = self.options;
        let octal = format!("{:04o}", existing.mode);
        let letters = permission_letters(existing.mode);
        if options.moves() || options.unlink_first || options.unlink_on_failure {
            return message!(
                "replace ",
                quoteaf(destination),
                ", overriding mode ",
                octal,
                " (",
                letters,
                ")"
            );
        }
        message!(
            "unwritable ",
            quoteaf(destination),
            " (mode ",
            octal,
            ", ",
            letters,
            "); try anyway"
        )
    }

    /// Why the source cannot come in place of the destination.
    fn kind_conflict(
        &self,
        proc: &Proc,
        job: &Job,
        found: &Metadata,
        existing: &Metadata,
    ) -> Option<Vec<u8>> {
        let options = self.options;
        let from_directory = found.kind == FileKind::Directory;
        let to_directory = existing.kind == FileKind::Directory;
        let moves_aside = options.moves() && options.backup.is_on();
        let (source, destination) = (quoteaf(&job.source), quoteaf(&job.destination));
        if !to_directory {
            if from_directory && !moves_aside {
                return Some(message!(
                    "cannot overwrite non-directory ",
                    destination,
                    " with directory ",
                    source
                ));
            }
            let numbered = options.backup.method == crate::program::backup::Method::Numbered;
            if job.operand && !numbered && self.was_created(proc, &job.destination, existing) {
                return Some(message!(
                    "will not overwrite just-created ",
                    destination,
                    " with ",
                    source
                ));
            }
        } else if !from_directory && !moves_aside {
            return Some(message!(
                "cannot overwrite directory ",
                destination,
                " with non-directory"
            ));
        }
        if options.moves() && from_directory && !to_directory && !options.backup.is_on() {
            let (source, destination) = (quotef(&job.source), quotef(&job.destination));
            return Some(message!(
                "cannot move directory onto non-directory: ",
                source,
                " -> ",
                destination
            ));
        }
        None
    }

    /// Makes a backup, or removes the destination where it must not be written to.
    async fn make_room(
        &mut self,
        proc: &mut Proc,
        job: &mut Job,
        found: &Metadata,
        existing: Metadata,
    ) -> Result<Prepared, Stop> {
        let options = self.options;
        let is_directory = existing.kind == FileKind::Directory;
        let dots = path::is_dot_or_dotdot(&job.source);
        if options.backup.is_on() && !dots && (options.moves() || !is_directory) {
            return self.back_up(proc, job, found).await;
        }
        let linked = options.preserve.links && existing.nlink > 1;
        let special = options.dereference == super::Dereference::Never && found.kind != FileKind::Regular;
        let data = !options.attributes_only;
        if !is_directory && !options.moves() && (options.unlink_first || (data && (linked || special))) {
            match proc.unlink(&job.destination) {
                Ok(()) | Err(Errno::ENOENT) => {}
                Err(errno) => {
                    complain(proc, "cannot remove", &job.destination, errno).await?;
                    return Ok(Prepared::Done(false));
                }
            }
            job.is_new = true;
            if options.verbose {
                let line = message!("removed ", quoteaf(&job.destination), "\n");
                proc.write(&line).await?;
            }
        }
        Ok(Prepared::Go(Some(existing), None))
    }

    async fn back_up(&self, proc: &mut Proc, job: &mut Job, found: &Metadata) -> Result<Prepared, Stop> {
        let options = self.options;
        if self.would_destroy_source(proc, job, found) {
            let (destination, source) = (quoteaf(&job.destination), quoteaf(&job.source));
            let end = if options.moves() {
                " not moved"
            } else {
                " not copied"
            };
            proc.warn(message!(
                "backing up ",
                destination,
                " might destroy source;  ",
                source,
                end
            ))
            .await?;
            return Ok(Prepared::Done(false));
        }
        let backup = match options.backup.rename(proc, &job.destination) {
            Ok(backup) => Some(backup),
            Err(Errno::ENOENT) => None,
            Err(errno) => {
                complain(proc, "cannot backup", &job.destination, errno).await?;
                return Ok(Prepared::Done(false));
            }
        };
        job.is_new = true;
        Ok(Prepared::Go(None, backup))
    }

    /// The source is what the backup would replace: `cp -b a~ a`.
    fn would_destroy_source(&self, proc: &Proc, job: &Job, found: &Metadata) -> bool {
        let backup = &self.options.backup;
        if backup.method == crate::program::backup::Method::Numbered {
            return false;
        }
        let name = [path::base_name(&job.destination), &backup.suffix].concat();
        if path::base_name(&job.source) != name {
            return false;
        }
        let simple = [job.destination.as_slice(), &backup.suffix].concat();
        proc.metadata(&simple, Follow::Yes)
            .is_ok_and(|existing| same_node(&existing, found))
    }
}
