//! The system calls on paths that change or look at the tree: each charges the meter, then asks the file tree with the
//! view of this process. Opening and reading are in `proc.rs`.

use super::proc::Proc;
use crate::fs::{Access, Errno, Existing, FileKind, Follow, Timestamp, Usage};

impl Proc {
    /// Charges a call: what it does, and the walk along the path.
    pub(super) fn call(&self, path: &[u8], units: u64) -> Result<(), Errno> {
        let from = match path.first() {
            Some(b'/') => 0,
            _ => self.cwd.len(),
        };
        let walk = (path.len() + from) as u64 / 4;
        self.kernel.meter().charge(units + walk).map_err(|_| Errno::EIO)
    }

    /// `mkdir`: `mode` less the mask.
    pub fn make_dir(&self, path: &[u8], mode: u32) -> Result<(), Errno> {
        self.call(path, super::cost::PATH)?;
        self.fs.make_dir(&self.view(), path, mode)
    }

    /// `mknod`: `mode` less the mask.
    pub fn make_node(&self, path: &[u8], kind: FileKind, mode: u32, rdev: (u32, u32)) -> Result<(), Errno> {
        self.call(path, super::cost::PATH)?;
        self.fs.make_node(&self.view(), path, kind, mode, rdev)
    }

    /// `symlink`.
    pub fn symlink(&self, target: &[u8], path: &[u8]) -> Result<(), Errno> {
        self.call(target, super::cost::PATH)?;
        self.fs.symlink(&self.view(), target, path)
    }

    /// `linkat`: `follow` says whether a link at `old` means its target.
    pub fn link(&self, old: &[u8], new: &[u8], follow: Follow) -> Result<(), Errno> {
        self.call(old, super::cost::PATH)?;
        self.fs.link(&self.view(), old, new, follow)
    }

    /// `unlink`.
    pub fn unlink(&self, path: &[u8]) -> Result<(), Errno> {
        self.call(path, super::cost::PATH)?;
        self.fs.unlink(&self.view(), path)
    }

    /// `rmdir`.
    pub fn remove_dir(&self, path: &[u8]) -> Result<(), Errno> {
        self.call(path, super::cost::PATH)?;
        self.fs.remove_dir(&self.view(), path)
    }

    /// `rename`.
    pub fn rename(&self, old: &[u8], new: &[u8]) -> Result<(), Errno> {
        self.call(old, super::cost::PATH)?;
        self.fs.rename(&self.view(), old, new)
    }

    /// `readlink`.
    pub fn read_link(&self, path: &[u8]) -> Result<Vec<u8>, Errno> {
        self.call(path, super::cost::PATH)?;
        self.fs.read_link(&self.view(), path)
    }

    /// `realpath`.
    pub fn canonicalize(&self, path: &[u8], existing: Existing) -> Result<Vec<u8>, Errno> {
        self.call(path, super::cost::PATH)?;
        self.fs.canonicalize(&self.view(), path, existing)
    }

    /// `chmod`.
    pub fn set_mode(&self, path: &[u8], mode: u32, follow: Follow) -> Result<(), Errno> {
        self.call(path, super::cost::PATH)?;
        self.fs.set_mode(&self.view(), path, mode, follow)
    }

    /// `chown`; `None` leaves what is.
    pub fn set_owner(
        &self,
        path: &[u8],
        uid: Option<u32>,
        gid: Option<u32>,
        follow: Follow,
    ) -> Result<(), Errno> {
        self.call(path, super::cost::PATH)?;
        self.fs.set_owner(&self.view(), path, uid, gid, follow)
    }

    /// `utimensat`; `None` leaves what is.
    pub fn set_times(
        &self,
        path: &[u8],
        atime: Option<Timestamp>,
        mtime: Option<Timestamp>,
        follow: Follow,
    ) -> Result<(), Errno> {
        self.call(path, super::cost::PATH)?;
        self.fs.set_times(&self.view(), path, atime, mtime, follow)
    }

    /// `utimensat` with the current time: allowed to all who may write.
    pub fn set_times_now(&self, path: &[u8], atime: bool, mtime: bool, follow: Follow) -> Result<(), Errno> {
        self.call(path, super::cost::PATH)?;
        let view = self.view();
        let now = |wanted: bool| wanted.then_some(view.now);
        self.fs.set_times(&view, path, now(atime), now(mtime), follow)
    }

    /// `truncate`.
    pub fn truncate(&self, path: &[u8], length: u64) -> Result<(), Errno> {
        self.call(path, super::cost::PATH)?;
        self.fs.truncate(&self.view(), path, length)
    }

    /// `access`; descriptors' paths answer for their file.
    pub fn access(&self, path: &[u8], wanted: Access) -> Result<(), Errno> {
        if let Some(fd) = crate::fs::descriptor_of_path(path) {
            return self.descriptor_metadata(fd)?.permits(self.user, wanted);
        }
        self.call(path, super::cost::PATH)?;
        self.fs.access(&self.view(), path, wanted)
    }

    /// `statfs`.
    pub fn disk_usage(&self, path: &[u8]) -> Result<Usage, Errno> {
        self.call(path, super::cost::PATH)?;
        self.fs.disk_usage(&self.view(), path)
    }
}
