//! [`Fs`]: the handle that everything else holds. Here are mounting, forking and snapshots; the operations on paths are in the
//! files of their families: `open`, `query`, `canonical`, `create`, `remove`, `rename`, `attributes`, `host_access`.

use std::sync::{Arc, PoisonError, RwLock};

use super::mount::{MountInfo, MountTable, Place};
use super::resolve::{Walker, resolve};
use super::{Errno, FileKind, FileSystem, Follow, Usage, View};

/// A file tree with the rules of POSIX over one or more [`FileSystem`]s. Clones share it; [`Fs::fork`] makes an independent one.
///
/// ```
/// use std::sync::Arc;
/// use exuvia::fs::{Errno, Follow, Fs, MemFs, View};
///
/// let fs = Fs::new(Arc::new(MemFs::default()));
/// fs.write_with_parents(&View::ROOT, b"/etc/motd", b"welcome\n")?;
/// fs.symlink(&View::ROOT, b"etc/motd", b"/motd")?;
/// let fork = fs.fork()?;
/// fs.unlink(&View::ROOT, b"/etc/motd")?;
/// assert_eq!(fs.read(&View::ROOT, b"/motd"), Err(Errno::ENOENT));
/// assert_eq!(fork.read(&View::ROOT, b"/motd")?, b"welcome\n");
/// assert_eq!(fork.metadata(&View::ROOT, b"/motd", Follow::No)?.size, 8);
/// # Ok::<(), Errno>(())
/// ```
#[derive(Clone)]
pub struct Fs {
    table: Arc<RwLock<Arc<MountTable>>>,
}

/// A saved state of an [`Fs`], to go back to or to start others from. Cheap to keep and to clone. It serialises (see the module
/// `snapshot`) if all its trees can be written out.
#[derive(Clone)]
pub struct FsSnapshot {
    pub(super) table: Arc<MountTable>,
}

impl Fs {
    /// A file tree with this root.
    pub fn new(root: Arc<dyn FileSystem>) -> Fs {
        Fs::of(MountTable::new(root))
    }

    fn of(table: MountTable) -> Fs {
        Fs {
            table: Arc::new(RwLock::new(Arc::new(table))),
        }
    }

    /// The mount table as it stands.
    pub(super) fn table(&self) -> Arc<MountTable> {
        Arc::clone(&self.table.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn set_table(&self, table: MountTable) {
        *self.table.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(table);
    }

    /// Covers an existing directory (absolute path) with a tree. Over a directory that is covered already, it hides that tree.
    pub fn mount(&self, at: &[u8], tree: Arc<dyn FileSystem>) -> Result<(), Errno> {
        let mut table = self.table.write().unwrap_or_else(PoisonError::into_inner);
        let found = resolve(&table, &View::ROOT, at, Follow::Yes)?;
        let Place { mount, node } = found.place;
        if node.kind != FileKind::Directory {
            return Err(Errno::ENOTDIR);
        }
        let next = table.with(found.path, (mount.device, node.id), tree);
        *table = Arc::new(next);
        Ok(())
    }

    /// What is mounted where, the root first.
    pub fn mounts(&self) -> Vec<MountInfo> {
        self.table().all().map(super::mount::Mount::info).collect()
    }

    /// What the tree that a path lives in holds and may hold; the last component need not exist.
    pub fn disk_usage(&self, view: &View<'_>, path: &[u8]) -> Result<Usage, Errno> {
        let table = self.table();
        let mut walker = Walker::new(&table, view, path)?;
        walker.walk()?;
        let parent = walker.here();
        let place = match resolve(&table, view, path, Follow::Yes) {
            Ok(found) => found.place,
            Err(Errno::ENOENT) => parent,
            Err(error) => return Err(error),
        };
        Ok(place.mount.tree.usage())
    }

    /// An independent copy, without open files: O(1) for trees in memory and overlays. `EOPNOTSUPP` if a mounted tree cannot.
    pub fn fork(&self) -> Result<Fs, Errno> {
        Ok(Fs::of(self.table().fork()?))
    }

    /// Saves the state: O(1), as [`Fs::fork`].
    pub fn snapshot(&self) -> Result<FsSnapshot, Errno> {
        Ok(FsSnapshot {
            table: Arc::new(self.table().fork()?),
        })
    }

    /// Goes back to a saved state, mounts included. An [`OpenNode`](super::OpenNode) opened before keeps the old tree.
    pub fn restore(&self, snapshot: &FsSnapshot) -> Result<(), Errno> {
        self.set_table(snapshot.table.fork()?);
        Ok(())
    }

    /// A new tree from a saved state.
    pub fn from_snapshot(snapshot: &FsSnapshot) -> Result<Fs, Errno> {
        Ok(Fs::of(snapshot.table.fork()?))
    }
}
