//! [`Fs`]: the handle that everything else holds.

use std::sync::Arc;

use super::{
    Access, Chunk, Device, DirEntry, Errno, FileKind, FileSystem, Follow, Metadata, OpenFlags, Timestamp,
    Usage, View,
};

/// A tree with the rules of POSIX. Clones share it; [`Fs::fork`] makes an independent one.
#[derive(Clone)]
pub struct Fs {
    root: Arc<dyn FileSystem>,
}

/// A saved state of an [`Fs`].
#[derive(Clone)]
pub struct FsSnapshot {}

/// What `open` gives.
pub enum Opened {
    /// A regular file.
    File(OpenNode),
    /// A directory.
    Directory(OpenNode),
    /// A device.
    Device(Device, OpenNode),
    /// A named pipe.
    Fifo(OpenNode),
}

/// An open node. An unlinked file lives until its last `OpenNode` goes.
pub struct OpenNode {
    path: Vec<u8>,
}

/// One line of `mount`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MountInfo {
    /// Where, absolute.
    pub at: Vec<u8>,
    /// `st_dev` of its nodes.
    pub device: u64,
    /// What kind of tree.
    pub type_name: &'static str,
    /// Whether it refuses changes.
    pub read_only: bool,
    /// What it holds.
    pub usage: Usage,
}

/// Which components must exist for [`Fs::canonicalize`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existing {
    /// All: `realpath -e`, `readlink -e`.
    All,
    /// All but the last: `realpath`, `readlink -f`.
    Parent,
    /// None: `realpath -m`.
    None,
}

#[allow(unused_variables, missing_docs, clippy::unused_self)]
impl OpenNode {
    pub fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<usize, Errno> {
        Err(Errno::ENOSYS)
    }
    pub fn read_chunk(&self, offset: u64, max: usize) -> Result<Chunk, Errno> {
        Err(Errno::ENOSYS)
    }
    pub fn write_at(&self, offset: u64, data: &[u8], now: Timestamp) -> Result<usize, Errno> {
        Err(Errno::ENOSYS)
    }
    /// Returns the count written and the new offset (the new end).
    pub fn append(&self, data: &[u8], now: Timestamp) -> Result<(usize, u64), Errno> {
        Err(Errno::ENOSYS)
    }
    pub fn truncate(&self, length: u64, now: Timestamp) -> Result<(), Errno> {
        Err(Errno::ENOSYS)
    }
    pub fn metadata(&self) -> Result<Metadata, Errno> {
        Err(Errno::ENOSYS)
    }
    pub fn read_dir(&self) -> Result<Vec<DirEntry>, Errno> {
        Err(Errno::ENOSYS)
    }
    /// Absolute, as resolved at open.
    pub fn path(&self) -> &[u8] {
        &self.path
    }
    /// Device and node number.
    pub fn id(&self) -> (u64, u64) {
        (0, 0)
    }
}

#[allow(unused_variables, missing_docs, clippy::unused_self)]
impl Fs {
    pub fn new(root: Arc<dyn FileSystem>) -> Fs {
        Fs { root }
    }
    pub fn mount(&self, at: &[u8], tree: Arc<dyn FileSystem>) -> Result<(), Errno> {
        Err(Errno::ENOSYS)
    }
    pub fn mounts(&self) -> Vec<MountInfo> {
        Vec::new()
    }
    pub fn open(&self, view: &View<'_>, path: &[u8], flags: OpenFlags, mode: u32) -> Result<Opened, Errno> {
        Err(Errno::ENOSYS)
    }
    pub fn metadata(&self, view: &View<'_>, path: &[u8], follow: Follow) -> Result<Metadata, Errno> {
        Err(Errno::ENOSYS)
    }
    /// The kind alone: cheaper than `metadata`, for globbing and PATH search.
    pub fn kind(&self, view: &View<'_>, path: &[u8], follow: Follow) -> Result<FileKind, Errno> {
        Err(Errno::ENOSYS)
    }
    pub fn exists(&self, view: &View<'_>, path: &[u8]) -> bool {
        false
    }
    /// Sorted by bytes.
    pub fn read_dir(&self, view: &View<'_>, path: &[u8]) -> Result<Vec<DirEntry>, Errno> {
        Err(Errno::ENOSYS)
    }
    pub fn read_link(&self, view: &View<'_>, path: &[u8]) -> Result<Vec<u8>, Errno> {
        Err(Errno::ENOSYS)
    }
    pub fn canonicalize(&self, view: &View<'_>, path: &[u8], existing: Existing) -> Result<Vec<u8>, Errno> {
        Err(Errno::ENOSYS)
    }
    pub fn make_dir(&self, view: &View<'_>, path: &[u8], mode: u32) -> Result<(), Errno> {
        Err(Errno::ENOSYS)
    }
    pub fn make_node(
        &self,
        view: &View<'_>,
        path: &[u8],
        kind: FileKind,
        mode: u32,
        rdev: (u32, u32),
    ) -> Result<(), Errno> {
        Err(Errno::ENOSYS)
    }
    pub fn symlink(&self, view: &View<'_>, target: &[u8], path: &[u8]) -> Result<(), Errno> {
        Err(Errno::ENOSYS)
    }
    pub fn link(&self, view: &View<'_>, old: &[u8], new: &[u8], follow: Follow) -> Result<(), Errno> {
        Err(Errno::ENOSYS)
    }
    pub fn unlink(&self, view: &View<'_>, path: &[u8]) -> Result<(), Errno> {
        Err(Errno::ENOSYS)
    }
    pub fn remove_dir(&self, view: &View<'_>, path: &[u8]) -> Result<(), Errno> {
        Err(Errno::ENOSYS)
    }
    pub fn rename(&self, view: &View<'_>, old: &[u8], new: &[u8]) -> Result<(), Errno> {
        Err(Errno::ENOSYS)
    }
    pub fn set_mode(&self, view: &View<'_>, path: &[u8], mode: u32, follow: Follow) -> Result<(), Errno> {
        Err(Errno::ENOSYS)
    }
    pub fn set_owner(
        &self,
        view: &View<'_>,
        path: &[u8],
        uid: Option<u32>,
        gid: Option<u32>,
        follow: Follow,
    ) -> Result<(), Errno> {
        Err(Errno::ENOSYS)
    }
    pub fn set_times(
        &self,
        view: &View<'_>,
        path: &[u8],
        atime: Option<Timestamp>,
        mtime: Option<Timestamp>,
        follow: Follow,
    ) -> Result<(), Errno> {
        Err(Errno::ENOSYS)
    }
    pub fn truncate(&self, view: &View<'_>, path: &[u8], length: u64) -> Result<(), Errno> {
        Err(Errno::ENOSYS)
    }
    pub fn access(&self, view: &View<'_>, path: &[u8], wanted: Access) -> Result<(), Errno> {
        Err(Errno::ENOSYS)
    }
    /// Of the tree that `path` lives in.
    pub fn disk_usage(&self, view: &View<'_>, path: &[u8]) -> Result<Usage, Errno> {
        Err(Errno::ENOSYS)
    }
    pub fn read(&self, view: &View<'_>, path: &[u8]) -> Result<Vec<u8>, Errno> {
        Err(Errno::ENOSYS)
    }
    pub fn write(&self, view: &View<'_>, path: &[u8], data: &[u8]) -> Result<(), Errno> {
        Err(Errno::ENOSYS)
    }
    pub fn write_with_parents(&self, view: &View<'_>, path: &[u8], data: &[u8]) -> Result<(), Errno> {
        Err(Errno::ENOSYS)
    }
    pub fn snapshot(&self) -> Result<FsSnapshot, Errno> {
        Err(Errno::ENOSYS)
    }
    pub fn restore(&self, snapshot: &FsSnapshot) -> Result<(), Errno> {
        Err(Errno::ENOSYS)
    }
    pub fn fork(&self) -> Result<Fs, Errno> {
        Err(Errno::ENOSYS)
    }
}
