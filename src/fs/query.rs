//! Looking: `stat`, directories, links.

use super::resolve::resolve;
use super::{Access, DirEntry, Errno, FileKind, Follow, Fs, Metadata, View, permission};

impl Fs {
    /// `stat(2)` or, with `Follow::No`, `lstat(2)`. If [`Metadata::descriptor`] is set, the kernel knows better.
    pub fn metadata(&self, view: &View<'_>, path: &[u8], follow: Follow) -> Result<Metadata, Errno> {
        let table = self.table();
        resolve(&table, view, path, follow)?.place.metadata()
    }

    /// The kind alone: cheaper than [`Fs::metadata`], for globbing and the search of `PATH`.
    pub fn kind(&self, view: &View<'_>, path: &[u8], follow: Follow) -> Result<FileKind, Errno> {
        let table = self.table();
        Ok(resolve(&table, view, path, follow)?.place.node.kind)
    }

    /// Whether a path leads to a node.
    pub fn exists(&self, view: &View<'_>, path: &[u8]) -> bool {
        self.kind(view, path, Follow::Yes).is_ok()
    }

    /// The names of a directory, sorted by bytes, without `.` and `..`.
    pub fn read_dir(&self, view: &View<'_>, path: &[u8]) -> Result<Vec<DirEntry>, Errno> {
        let table = self.table();
        let place = resolve(&table, view, path, Follow::Yes)?.place;
        if place.node.kind != FileKind::Directory {
            return Err(Errno::ENOTDIR);
        }
        permission::check(&place.metadata()?, view.user, Access::READ)?;
        place.mount.tree.read_dir(place.node.id)
    }

    /// The target of a symbolic link; `EINVAL` if it is none.
    pub fn read_link(&self, view: &View<'_>, path: &[u8]) -> Result<Vec<u8>, Errno> {
        let table = self.table();
        let place = resolve(&table, view, path, Follow::No)?.place;
        if place.node.kind != FileKind::Symlink {
            return Err(Errno::EINVAL);
        }
        place.mount.tree.read_link(place.node.id)
    }
}
