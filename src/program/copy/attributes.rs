//! What a copy takes over from its source: times, owner, mode, in this order, since changing the owner takes set-id bits away and
//! changing anything else must not change the times.

use super::{Copier, Directory, Job};
use crate::fs::{Errno, FileKind, Follow, Metadata};
use crate::kernel::{Proc, Stop};
use crate::program::message::complain;

/// A finished copy.
struct Finished<'a> {
    destination: &'a [u8],
    found: &'a Metadata,
    /// What was there before, when it was written over.
    existing: Option<&'a Metadata>,
    /// The mode that it gets when nothing says otherwise.
    restore: Option<u32>,
}

impl Copier<'_> {
    pub(super) async fn take_over(
        &self,
        proc: &mut Proc,
        job: &Job,
        found: &Metadata,
        existing: Option<&Metadata>,
    ) -> Result<bool, Stop> {
        let withheld = if self.options.preserve.ownership { 0o077 } else { 0 };
        let restore = (withheld != 0 && existing.is_none()).then_some(found.mode & 0o777 & !proc.umask);
        let finished = Finished {
            destination: &job.destination,
            found,
            existing,
            restore,
        };
        self.finish(proc, finished).await
    }

    pub(super) async fn finish_directory(&self, proc: &mut Proc, directory: Directory) -> Result<bool, Stop> {
        let finished = Finished {
            destination: &directory.destination,
            found: &directory.found,
            existing: directory.existing.as_ref(),
            restore: directory.restore,
        };
        self.finish(proc, finished).await
    }

    async fn finish(&self, proc: &mut Proc, copy: Finished<'_>) -> Result<bool, Stop> {
        let preserve = self.options.preserve;
        let is_link = copy.found.kind == FileKind::Symlink;
        if preserve.ownership && !self.keep_owner(proc, &copy).await? {
            return Ok(false);
        }
        if !is_link && !self.set_mode(proc, &copy).await? {
            return Ok(false);
        }
        if !preserve.times {
            return Ok(true);
        }
        let (atime, mtime) = (copy.found.atime, copy.found.mtime);
        let follow = if is_link { Follow::No } else { Follow::Yes };
        if let Err(errno) = proc.set_times(copy.destination, Some(atime), Some(mtime), follow) {
            complain(proc, "preserving times for", copy.destination, errno).await?;
            return Ok(false);
        }
        Ok(true)
    }

    async fn keep_owner(&self, proc: &mut Proc, copy: &Finished<'_>) -> Result<bool, Stop> {
        let (uid, gid) = (copy.found.uid, copy.found.gid);
        let same = copy
            .existing
            .is_some_and(|existing| (existing.uid, existing.gid) == (uid, gid));
        if same {
            return Ok(true);
        }
        let result = proc.set_owner(copy.destination, Some(uid), Some(gid), Follow::No);
        match result {
            // Only the superuser can give files away; for others it is fine that it fails.
            Err(Errno::EPERM | Errno::EINVAL) if proc.user.uid != 0 => {
                let _ = proc.set_owner(copy.destination, None, Some(gid), Follow::No);
                Ok(true)
            }
            Err(errno) => {
                complain(proc, "failed to preserve ownership for", copy.destination, errno).await?;
                Ok(false)
            }
            Ok(()) => Ok(true),
        }
    }

    async fn set_mode(&self, proc: &mut Proc, copy: &Finished<'_>) -> Result<bool, Stop> {
        let preserve = self.options.preserve;
        let mode = if preserve.mode || self.options.moves() {
            Some(copy.found.mode)
        } else if let Some(mode) = self.options.mode {
            Some(mode)
        } else if preserve.no_mode && copy.existing.is_none() {
            let wide = matches!(copy.found.kind, FileKind::Directory | FileKind::Socket);
            Some(if wide { 0o777 } else { 0o666 } & !proc.umask)
        } else {
            copy.restore
        };
        let Some(mode) = mode else { return Ok(true) };
        let mode = if preserve.ownership && proc.user.uid != 0 && !owns(proc, copy) {
            mode & 0o1777
        } else {
            mode
        };
        if let Err(errno) = proc.set_mode(copy.destination, mode, Follow::Yes) {
            complain(proc, "preserving permissions for", copy.destination, errno).await?;
            return Ok(false);
        }
        Ok(true)
    }
}

/// The copy has the owner of its source: only then do set-id bits mean the same.
fn owns(proc: &Proc, copy: &Finished<'_>) -> bool {
    proc.metadata(copy.destination, Follow::No)
        .is_ok_and(|made| (made.uid, made.gid) == (copy.found.uid, copy.found.gid))
}
