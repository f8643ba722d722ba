//! [`FileSystem`]: what a tree must be able to do to be mounted.
//!
//! It speaks of node numbers, like the inner interface of a Unix kernel, because hard links, open but unlinked files and
//! renamed directories have no path. It does **no** POSIX rules: paths, permissions, `umask`, symbolic links, mount points
//! and most of the order in which errors are found belong to [`Fs`](super::Fs). An implementation only keeps its own tree
//! whole: it must refuse what would break it (`ENOENT`, `EEXIST`, `ENOTDIR`, `EISDIR`, `ENOTEMPTY`) and its own limits
//! (`ENOSPC`, `EFBIG`, `EROFS`). It has no clock: every change brings the time it is stamped with.
//!
//! A node number stays the same as long as the node has a name or is retained. Names are single components: never empty,
//! never `.` or `..`, without `/` or NUL. All methods take `&self`; an implementation locks inside, and while
//! it holds its lock calls nothing but a tree that it wraps.

use std::sync::Arc;

use super::{Chunk, DirEntry, Errno, FileKind, Metadata, Quota, Timestamp, Usage};

/// The number of a node in its tree (`st_ino`). Below 2⁶².
pub type NodeId = u64;

/// What [`FileSystem::lookup`] finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Node {
    /// The number.
    pub id: NodeId,
    /// The kind; it never changes while the node lives.
    pub kind: FileKind,
}

/// What a new node starts with.
#[derive(Debug, Clone, Copy)]
pub struct NewNode<'a> {
    /// The kind.
    pub kind: FileKind,
    /// Permission bits, `umask` already taken away.
    pub mode: u32,
    /// Owner.
    pub uid: u32,
    /// Group.
    pub gid: u32,
    /// Major and minor number of a device.
    pub rdev: (u32, u32),
    /// The target of a symbolic link.
    pub target: &'a [u8],
}

/// A change of attributes; what is `None` stays.
#[derive(Debug, Clone, Copy, Default)]
pub struct Attributes {
    /// Permission bits, `0o7777`.
    pub mode: Option<u32>,
    /// Owner.
    pub uid: Option<u32>,
    /// Group.
    pub gid: Option<u32>,
    /// Access time.
    pub atime: Option<Timestamp>,
    /// Modification time.
    pub mtime: Option<Timestamp>,
}

/// How a tree goes into a serialised [`FsSnapshot`](super::FsSnapshot).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Portable {
    /// It is walked and written out node by node, and read back as a [`MemFs`](super::MemFs) with these limits.
    Tree(Quota),
    /// It is a [`ProcFs`](super::ProcFs): nothing but that is written.
    Proc,
    /// It cannot be written.
    No,
}

/// A tree of nodes. See the module page for the contract.
pub trait FileSystem: Send + Sync {
    /// The root directory.
    fn root(&self) -> NodeId;

    /// Finds a name in a directory. `ENOENT` without such a name, `ENOTDIR` if `directory` is none.
    fn lookup(&self, directory: NodeId, name: &[u8]) -> Result<Node, Errno>;

    /// The attributes of a node. `device` is filled in by the caller.
    fn metadata(&self, node: NodeId) -> Result<Metadata, Errno>;

    /// All names of a directory, sorted by bytes, without `.` and `..`.
    fn read_dir(&self, directory: NodeId) -> Result<Vec<DirEntry>, Errno>;

    /// The target of a symbolic link.
    fn read_link(&self, node: NodeId) -> Result<Vec<u8>, Errno>;

    /// Reads from a regular file; 0 at or past its end. May return less than asked for, never 0 before the end.
    fn read(&self, node: NodeId, offset: u64, buffer: &mut [u8]) -> Result<usize, Errno>;

    /// Reads at most `max` bytes, sharing storage where possible; empty at or past the end.
    fn read_chunk(&self, node: NodeId, offset: u64, max: usize) -> Result<Chunk, Errno> {
        let mut buffer = vec![0; max.min(65536)];
        let count = self.read(node, offset, &mut buffer)?;
        buffer.truncate(count);
        Ok(buffer.into())
    }

    /// Writes into a regular file, which grows with a hole of zeros if need be. Writes what fits and returns the count;
    /// `ENOSPC` or `EFBIG` only if not one byte does.
    fn write(&self, node: NodeId, offset: u64, data: &[u8], now: Timestamp) -> Result<usize, Errno>;

    /// Writes at the end, in one step with finding it. Returns the count and the new length.
    fn append(&self, node: NodeId, data: &[u8], now: Timestamp) -> Result<(usize, u64), Errno>;

    /// Sets the length of a regular file.
    fn truncate(&self, node: NodeId, length: u64, now: Timestamp) -> Result<(), Errno>;

    /// Makes a node of any kind. `EEXIST` if the name is taken.
    fn create(
        &self,
        directory: NodeId,
        name: &[u8],
        new: &NewNode<'_>,
        now: Timestamp,
    ) -> Result<NodeId, Errno>;

    /// Gives a node that is no directory another name.
    fn link(&self, node: NodeId, directory: NodeId, name: &[u8], now: Timestamp) -> Result<(), Errno>;

    /// Takes away the name of a node that is no directory. Without names and holders the node goes.
    fn unlink(&self, directory: NodeId, name: &[u8], now: Timestamp) -> Result<(), Errno>;

    /// Removes an empty directory.
    fn remove_dir(&self, directory: NodeId, name: &[u8], now: Timestamp) -> Result<(), Errno>;

    /// Moves a name, over an existing one if there is one: a directory over an empty directory, anything else over
    /// anything but a directory. The caller has made sure that no directory moves below itself, and that the two names
    /// are not the same node.
    fn rename(
        &self,
        from: NodeId,
        from_name: &[u8],
        to: NodeId,
        to_name: &[u8],
        now: Timestamp,
    ) -> Result<(), Errno>;

    /// Changes attributes; the change time becomes `now`.
    fn set_attributes(&self, node: NodeId, change: &Attributes, now: Timestamp) -> Result<(), Errno>;

    /// Notes one more holder: the node outlives its last name.
    fn retain(&self, node: NodeId);

    /// One holder less.
    fn release(&self, node: NodeId);

    /// An independent copy, at once and sharing storage. `EOPNOTSUPP` where that cannot be.
    fn fork(&self) -> Result<Arc<dyn FileSystem>, Errno> {
        Err(Errno::EOPNOTSUPP)
    }

    /// What is used and what is allowed; zeros where nobody counts.
    fn usage(&self) -> Usage {
        Usage::default()
    }

    /// Whether every change fails with `EROFS`.
    fn read_only(&self) -> bool {
        false
    }

    /// How the tree goes into a serialised snapshot.
    fn portable(&self) -> Portable {
        Portable::No
    }

    /// The name of this kind of tree as `mount` shows it.
    fn type_name(&self) -> &'static str;
}
