//! [`MemFs`]: a tree in memory with structure sharing.
//!
//! The whole state is one persistent map of nodes (`tree`), whose directories (`directory`) and file contents (`content`)
//! are persistent too. So [`MemFs::fork_tree`] is O(1), whatever the tree holds, and afterwards each side pays only for what it
//! changes: a path of map nodes, and one chunk of 64 KiB for a byte written into a large file.
//!
//! Reading never changes a node: access times stand as under the mount option `noatime`. A read that wrote would unshare
//! every tree that is only looked at.

mod content;
mod directory;
mod inode;
#[cfg(test)]
mod tests;
mod tree;

use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use rustc_hash::FxHashMap;

use super::{
    Attributes, Chunk, DirEntry, Errno, FileSystem, Metadata, NewNode, Node, NodeId, Portable, Quota,
    Timestamp, Usage,
};
use tree::{ROOT, Tree};

/// A tree in memory. See the module page.
pub struct MemFs {
    state: RwLock<State>,
}

struct State {
    tree: Tree,
    /// Open counts; they belong to this instance and are not forked.
    holders: FxHashMap<NodeId, u32>,
}

impl Default for MemFs {
    fn default() -> MemFs {
        MemFs::new(Quota::default())
    }
}

impl MemFs {
    /// A tree of an empty root directory (0755, user 0).
    pub fn new(quota: Quota) -> MemFs {
        MemFs::of(Tree::new(quota))
    }

    fn of(tree: Tree) -> MemFs {
        MemFs {
            state: RwLock::new(State {
                tree,
                holders: FxHashMap::default(),
            }),
        }
    }

    fn read_state(&self) -> RwLockReadGuard<'_, State> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write_state(&self) -> RwLockWriteGuard<'_, State> {
        self.state.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// An independent copy in O(1). Files that are open but unlinked stay behind.
    #[must_use]
    pub fn fork_tree(&self) -> MemFs {
        let state = self.read_state();
        let mut tree = state.tree.clone();
        for id in state.holders.keys() {
            tree.free_if_nameless(*id);
        }
        MemFs::of(tree)
    }

    /// The limits.
    pub fn quota(&self) -> Quota {
        self.read_state().tree.quota
    }

    /// Changes the limits. What is there stays, even if it is more.
    pub fn set_quota(&self, quota: Quota) {
        self.write_state().tree.quota = quota;
    }

    /// Checks the invariants of the tree.
    #[cfg(test)]
    pub(crate) fn check(&self) {
        self.read_state().tree.check();
    }
}

impl State {
    fn free_unless_held(&mut self, id: NodeId) {
        if !self.holders.contains_key(&id) {
            self.tree.free_if_nameless(id);
        }
    }
}

impl FileSystem for MemFs {
    fn root(&self) -> NodeId {
        ROOT
    }

    fn lookup(&self, directory: NodeId, name: &[u8]) -> Result<Node, Errno> {
        self.read_state().tree.lookup(directory, name)
    }

    fn metadata(&self, node: NodeId) -> Result<Metadata, Errno> {
        Ok(self.read_state().tree.node(node)?.metadata(node))
    }

    fn read_dir(&self, directory: NodeId) -> Result<Vec<DirEntry>, Errno> {
        Ok(self.read_state().tree.node(directory)?.directory()?.list())
    }

    fn read_link(&self, node: NodeId) -> Result<Vec<u8>, Errno> {
        self.read_state().tree.read_link(node)
    }

    fn read(&self, node: NodeId, offset: u64, buffer: &mut [u8]) -> Result<usize, Errno> {
        Ok(self.read_state().tree.node(node)?.content()?.read(offset, buffer))
    }

    fn read_chunk(&self, node: NodeId, offset: u64, max: usize) -> Result<Chunk, Errno> {
        Ok(self.read_state().tree.node(node)?.content()?.chunk(offset, max))
    }

    fn write(&self, node: NodeId, offset: u64, data: &[u8], now: Timestamp) -> Result<usize, Errno> {
        self.write_state().tree.write(node, offset, data, now)
    }

    fn append(&self, node: NodeId, data: &[u8], now: Timestamp) -> Result<(usize, u64), Errno> {
        let tree = &mut self.write_state().tree;
        let end = tree.node(node)?.content()?.length();
        let count = tree.write(node, end, data, now)?;
        Ok((count, end + count as u64))
    }

    fn truncate(&self, node: NodeId, length: u64, now: Timestamp) -> Result<(), Errno> {
        self.write_state().tree.truncate(node, length, now)
    }

    fn create(
        &self,
        directory: NodeId,
        name: &[u8],
        new: &NewNode<'_>,
        now: Timestamp,
    ) -> Result<NodeId, Errno> {
        self.write_state().tree.create(directory, name, new, now)
    }

    fn link(&self, node: NodeId, directory: NodeId, name: &[u8], now: Timestamp) -> Result<(), Errno> {
        self.write_state().tree.link(node, directory, name, now)
    }

    fn unlink(&self, directory: NodeId, name: &[u8], now: Timestamp) -> Result<(), Errno> {
        let mut state = self.write_state();
        let gone = state.tree.unlink(directory, name, now)?;
        state.free_unless_held(gone);
        Ok(())
    }

    fn remove_dir(&self, directory: NodeId, name: &[u8], now: Timestamp) -> Result<(), Errno> {
        let mut state = self.write_state();
        let gone = state.tree.remove_dir(directory, name, now)?;
        state.free_unless_held(gone);
        Ok(())
    }

    fn rename(
        &self,
        from: NodeId,
        from_name: &[u8],
        to: NodeId,
        to_name: &[u8],
        now: Timestamp,
    ) -> Result<(), Errno> {
        let mut state = self.write_state();
        if let Some(replaced) = state.tree.rename((from, from_name), (to, to_name), now)? {
            state.free_unless_held(replaced);
        }
        Ok(())
    }

    fn set_attributes(&self, node: NodeId, change: &Attributes, now: Timestamp) -> Result<(), Errno> {
        self.write_state().tree.set_attributes(node, change, now)
    }

    fn retain(&self, node: NodeId) {
        *self.write_state().holders.entry(node).or_default() += 1;
    }

    fn release(&self, node: NodeId) {
        let mut state = self.write_state();
        let Some(count) = state.holders.get_mut(&node) else {
            return;
        };
        *count -= 1;
        if *count == 0 {
            state.holders.remove(&node);
            state.tree.free_if_nameless(node);
        }
    }

    fn fork(&self) -> Result<Arc<dyn FileSystem>, Errno> {
        Ok(Arc::new(self.fork_tree()))
    }

    fn usage(&self) -> Usage {
        let tree = &self.read_state().tree;
        Usage {
            bytes: tree.bytes,
            nodes: tree.count,
            limit_bytes: tree.quota.bytes,
            limit_nodes: tree.quota.nodes,
        }
    }

    fn portable(&self) -> Portable {
        Portable::Tree(self.quota())
    }

    fn type_name(&self) -> &'static str {
        "tmpfs"
    }
}
