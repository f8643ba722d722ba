//! [`WorkspaceTree`]: the files of a workspace in memory, with contents that are fetched when they are first looked at.
//!
//! A tree is made from a manifest: every file has its length at once and a hole for contents, and remembers the hash of its blob. The first read, or
//! a write that keeps a part, fetches the blob. A file that is written forgets its hash, and [`manifest`](super::manifest) finds it by that.
//!
//! The tree refuses to be forked: a copy would be a workspace that nobody commits.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustc_hash::FxHashMap;

use crate::fs::{
    Attributes, Chunk, DirEntry, Errno, FileSystem, MemFs, Metadata, NewNode, Node, NodeId, Quota, Timestamp,
    Usage,
};

/// Where contents come from. Called on threads that may wait.
pub trait Source: Send + Sync {
    /// The blob of a hash.
    fn load(&self, hash: &str) -> Option<Vec<u8>>;
}

/// Contents as they are in the object store.
#[derive(Debug, Clone)]
struct Stored {
    hash: String,
    fetched: bool,
}

/// The tree. See the module page.
pub struct WorkspaceTree {
    memory: MemFs,
    stored: Mutex<FxHashMap<NodeId, Stored>>,
    changed: AtomicBool,
    source: Arc<dyn Source>,
}

impl WorkspaceTree {
    /// An empty tree.
    pub fn new(source: Arc<dyn Source>, quota: Quota) -> WorkspaceTree {
        WorkspaceTree {
            memory: MemFs::new(quota),
            stored: Mutex::default(),
            changed: AtomicBool::new(false),
            source,
        }
    }

    /// The files, past the fetching: for making the tree and looking at its shape.
    pub fn memory(&self) -> &MemFs {
        &self.memory
    }

    /// Says what the contents of a file are.
    pub fn set_stored(&self, node: NodeId, hash: String, fetched: bool) {
        self.stored().insert(node, Stored { hash, fetched });
    }

    /// The hash of a file's contents, unless they were changed.
    pub fn hash(&self, node: NodeId) -> Option<String> {
        self.stored().get(&node).map(|stored| stored.hash.clone())
    }

    /// Whether anything was changed since this was last asked.
    pub fn take_changed(&self) -> bool {
        self.changed.swap(false, Ordering::SeqCst)
    }

    /// Forgets hashes of nodes that are gone.
    pub fn keep_only(&self, alive: impl Fn(NodeId) -> bool) {
        self.stored().retain(|node, _| alive(*node));
    }

    fn stored(&self) -> MutexGuard<'_, FxHashMap<NodeId, Stored>> {
        self.stored.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change<T>(&self, result: Result<T, Errno>) -> Result<T, Errno> {
        self.changed.store(true, Ordering::SeqCst);
        result
    }

    /// Brings the contents into memory.
    fn fetch(&self, node: NodeId) -> Result<(), Errno> {
        let mut stored = self.stored();
        let Some(found) = stored.get_mut(&node).filter(|stored| !stored.fetched) else {
            return Ok(());
        };
        let contents = self.source.load(&found.hash).ok_or(Errno::EIO)?;
        let time = self.memory.metadata(node)?.mtime;
        let mut done = 0;
        while let Some(rest) = contents.get(done..).filter(|rest| !rest.is_empty()) {
            done += self.memory.write(node, done as u64, rest, time)?;
        }
        found.fetched = true;
        Ok(())
    }

    /// The contents are no longer those of the blob.
    fn rewrite(&self, node: NodeId) {
        self.stored().remove(&node);
        self.changed.store(true, Ordering::SeqCst);
    }
}

impl FileSystem for WorkspaceTree {
    fn root(&self) -> NodeId {
        self.memory.root()
    }

    fn lookup(&self, directory: NodeId, name: &[u8]) -> Result<Node, Errno> {
        self.memory.lookup(directory, name)
    }

    fn metadata(&self, node: NodeId) -> Result<Metadata, Errno> {
        let mut metadata = self.memory.metadata(node)?;
        // A file whose contents are not here yet looks as one whose are.
        metadata.blocks = metadata.blocks.max(metadata.size.div_ceil(4096) * 8);
        Ok(metadata)
    }

    fn read_dir(&self, directory: NodeId) -> Result<Vec<DirEntry>, Errno> {
        self.memory.read_dir(directory)
    }

    fn read_link(&self, node: NodeId) -> Result<Vec<u8>, Errno> {
        self.memory.read_link(node)
    }

    fn read(&self, node: NodeId, offset: u64, buffer: &mut [u8]) -> Result<usize, Errno> {
        self.fetch(node)?;
        self.memory.read(node, offset, buffer)
    }

    fn read_chunk(&self, node: NodeId, offset: u64, max: usize) -> Result<Chunk, Errno> {
        self.fetch(node)?;
        self.memory.read_chunk(node, offset, max)
    }

    fn write(&self, node: NodeId, offset: u64, data: &[u8], now: Timestamp) -> Result<usize, Errno> {
        self.fetch(node)?;
        self.rewrite(node);
        self.memory.write(node, offset, data, now)
    }

    fn append(&self, node: NodeId, data: &[u8], now: Timestamp) -> Result<(usize, u64), Errno> {
        self.fetch(node)?;
        self.rewrite(node);
        self.memory.append(node, data, now)
    }

    fn truncate(&self, node: NodeId, length: u64, now: Timestamp) -> Result<(), Errno> {
        if length > 0 {
            self.fetch(node)?;
        }
        self.rewrite(node);
        self.memory.truncate(node, length, now)
    }

    fn create(
        &self,
        directory: NodeId,
        name: &[u8],
        new: &NewNode<'_>,
        now: Timestamp,
    ) -> Result<NodeId, Errno> {
        self.change(self.memory.create(directory, name, new, now))
    }

    fn link(&self, node: NodeId, directory: NodeId, name: &[u8], now: Timestamp) -> Result<(), Errno> {
        self.change(self.memory.link(node, directory, name, now))
    }

    fn unlink(&self, directory: NodeId, name: &[u8], now: Timestamp) -> Result<(), Errno> {
        self.change(self.memory.unlink(directory, name, now))
    }

    fn remove_dir(&self, directory: NodeId, name: &[u8], now: Timestamp) -> Result<(), Errno> {
        self.change(self.memory.remove_dir(directory, name, now))
    }

    fn rename(
        &self,
        from: NodeId,
        from_name: &[u8],
        to: NodeId,
        to_name: &[u8],
        now: Timestamp,
    ) -> Result<(), Errno> {
        self.change(self.memory.rename(from, from_name, to, to_name, now))
    }

    fn set_attributes(&self, node: NodeId, change: &Attributes, now: Timestamp) -> Result<(), Errno> {
        self.change(self.memory.set_attributes(node, change, now))
    }

    fn retain(&self, node: NodeId) {
        self.memory.retain(node);
    }

    fn release(&self, node: NodeId) {
        self.memory.release(node);
    }

    fn usage(&self) -> Usage {
        self.memory.usage()
    }

    fn type_name(&self) -> &'static str {
        "workspace"
    }
}
