//! [`Overlay`]: a tree that may be changed over one that may not.
//!
//! The lower tree is never written. Changes live in an upper [`MemFs`] and in a table of what became of lower nodes:
//!
//! - A lower node that is written is **copied up** and keeps its number; all its names see the copy, so hard links hold. (The
//!   overlay of Linux breaks them: each name gets its own copy.) Changed attributes alone need no copy.
//! - A name that goes is **hidden**. What is made in its place is an upper node, so a new directory over an old one is opaque.
//! - A lower node that is moved or linked gets a **placeholder** in the upper tree that points to it. So a directory moves in
//!   O(1) whatever is below it. (The overlay of Linux answers `EXDEV`.)
//!
//! What is not changed costs nothing and is read through, so changes made behind our back to the lower tree are seen.
//! A fork is O(1) and shares the lower tree.

mod change;
mod state;
#[cfg(test)]
mod tests;

use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use super::{
    Attributes, Chunk, DirEntry, Errno, FileKind, FileSystem, MemFs, Metadata, NewNode, Node, NodeId,
    Portable, Quota, Timestamp, Usage,
};
use state::{Layer, State};

/// A changeable tree over an unchanged one. See the module page.
pub struct Overlay {
    lower: Arc<dyn FileSystem>,
    upper: MemFs,
    /// The upper directory that holds the copies of lower nodes, named by their numbers.
    copies: NodeId,
    state: RwLock<State>,
}

impl Overlay {
    /// An overlay without changes. The quota bounds what is changed: copies and new nodes.
    pub fn new(lower: Arc<dyn FileSystem>, quota: Quota) -> Result<Overlay, Errno> {
        // Two nodes are the overlay's own.
        let upper = MemFs::new(Quota {
            nodes: quota.nodes.saturating_add(2),
            ..quota
        });
        let directory = NewNode {
            kind: FileKind::Directory,
            mode: 0o700,
            uid: 0,
            gid: 0,
            rdev: (0, 0),
            target: b"",
        };
        let copies = upper.create(upper.root(), b"copies", &directory, Timestamp::default())?;
        Ok(Overlay {
            lower,
            upper,
            copies,
            state: RwLock::default(),
        })
    }

    fn read_state(&self) -> RwLockReadGuard<'_, State> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write_state(&self) -> RwLockWriteGuard<'_, State> {
        self.state.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// The tree and the node that hold the contents.
    fn contents(&self, state: &State, node: NodeId) -> (&dyn FileSystem, NodeId) {
        match Layer::of(node) {
            Layer::Upper(upper) => (&self.upper, upper),
            Layer::Lower(lower) => match state.copy_of(lower) {
                Some(upper) => (&self.upper, upper),
                None => (&*self.lower, lower),
            },
        }
    }

    fn find(&self, state: &State, directory: NodeId, name: &[u8]) -> Result<Node, Errno> {
        let (tree, node) = self.contents(state, directory);
        let Layer::Lower(lower) = Layer::of(directory) else {
            return tree.lookup(node, name).map(|found| upper_node(state, found));
        };
        if state.copy_of(lower).is_some() {
            match tree.lookup(node, name) {
                Err(Errno::ENOENT) => {}
                found => return found.map(|found| upper_node(state, found)),
            }
        }
        if !state.shows(lower, name) {
            return Err(Errno::ENOENT);
        }
        let found = self.lower.lookup(lower, name)?;
        Ok(Node {
            id: Layer::Lower(found.id).id(),
            kind: found.kind,
        })
    }

    fn list(&self, state: &State, directory: NodeId) -> Result<Vec<DirEntry>, Errno> {
        let (tree, node) = self.contents(state, directory);
        let upper = match Layer::of(directory) {
            Layer::Lower(lower) if state.copy_of(lower).is_none() => Vec::new(),
            _ => tree.read_dir(node)?,
        };
        let mut names: Vec<DirEntry> = upper
            .into_iter()
            .map(|entry| DirEntry {
                inode: state.canonical(entry.inode).id(),
                ..entry
            })
            .collect();
        if let Layer::Lower(lower) = Layer::of(directory) {
            let mut below = self.lower.read_dir(lower)?;
            below.retain(|entry| {
                let taken = names
                    .binary_search_by(|other| other.name.cmp(&entry.name))
                    .is_ok();
                !taken && state.shows(lower, &entry.name)
            });
            names.extend(below.into_iter().map(|entry| DirEntry {
                inode: Layer::Lower(entry.inode).id(),
                ..entry
            }));
            names.sort_by(|one, other| one.name.cmp(&other.name));
        }
        Ok(names)
    }

    fn attributes(&self, state: &State, node: NodeId) -> Result<Metadata, Errno> {
        let metadata = match Layer::of(node) {
            Layer::Upper(upper) => self.upper.metadata(upper)?,
            Layer::Lower(lower) => {
                let below = self.lower.metadata(lower)?;
                match state.changes.get(&lower) {
                    None => below,
                    Some(change) => {
                        let base = change
                            .upper
                            .map_or(Ok(below), |upper| self.upper.metadata(upper))?;
                        change.apply(
                            below.nlink,
                            Metadata {
                                btime: below.btime,
                                ..base
                            },
                        )
                    }
                }
            }
        };
        Ok(Metadata {
            inode: node,
            ..metadata
        })
    }
}

/// What the overlay makes of a node found in the upper tree.
fn upper_node(state: &State, found: Node) -> Node {
    Node {
        id: state.canonical(found.id).id(),
        kind: found.kind,
    }
}

impl FileSystem for Overlay {
    fn root(&self) -> NodeId {
        Layer::Lower(self.lower.root()).id()
    }

    fn lookup(&self, directory: NodeId, name: &[u8]) -> Result<Node, Errno> {
        self.find(&self.read_state(), directory, name)
    }

    fn metadata(&self, node: NodeId) -> Result<Metadata, Errno> {
        self.attributes(&self.read_state(), node)
    }

    fn read_dir(&self, directory: NodeId) -> Result<Vec<DirEntry>, Errno> {
        self.list(&self.read_state(), directory)
    }

    fn read_link(&self, node: NodeId) -> Result<Vec<u8>, Errno> {
        let state = self.read_state();
        let (tree, node) = self.contents(&state, node);
        tree.read_link(node)
    }

    fn read(&self, node: NodeId, offset: u64, buffer: &mut [u8]) -> Result<usize, Errno> {
        let state = self.read_state();
        let (tree, node) = self.contents(&state, node);
        tree.read(node, offset, buffer)
    }

    fn read_chunk(&self, node: NodeId, offset: u64, max: usize) -> Result<Chunk, Errno> {
        let state = self.read_state();
        let (tree, node) = self.contents(&state, node);
        tree.read_chunk(node, offset, max)
    }

    fn write(&self, node: NodeId, offset: u64, data: &[u8], now: Timestamp) -> Result<usize, Errno> {
        if data.is_empty() {
            return Ok(0);
        }
        let upper = self.copy_up(&mut self.write_state(), node, now)?;
        self.upper.write(upper, offset, data, now)
    }

    fn append(&self, node: NodeId, data: &[u8], now: Timestamp) -> Result<(usize, u64), Errno> {
        let upper = self.copy_up(&mut self.write_state(), node, now)?;
        self.upper.append(upper, data, now)
    }

    fn truncate(&self, node: NodeId, length: u64, now: Timestamp) -> Result<(), Errno> {
        let upper = self.copy_up_to(&mut self.write_state(), node, length, now)?;
        self.upper.truncate(upper, length, now)
    }

    fn create(
        &self,
        directory: NodeId,
        name: &[u8],
        new: &NewNode<'_>,
        now: Timestamp,
    ) -> Result<NodeId, Errno> {
        let mut state = self.write_state();
        self.check_free(&state, directory, name)?;
        let id = self.add(&mut state, directory, name, new, now)?;
        Ok(Layer::Upper(id).id())
    }

    fn link(&self, node: NodeId, directory: NodeId, name: &[u8], now: Timestamp) -> Result<(), Errno> {
        let mut state = self.write_state();
        self.check_free(&state, directory, name)?;
        self.add_link(&mut state, node, directory, name, now)
    }

    fn unlink(&self, directory: NodeId, name: &[u8], now: Timestamp) -> Result<(), Errno> {
        let mut state = self.write_state();
        let node = self.find(&state, directory, name)?;
        if node.kind == FileKind::Directory {
            return Err(Errno::EISDIR);
        }
        self.take_name(&mut state, directory, name, node, now)
    }

    fn remove_dir(&self, directory: NodeId, name: &[u8], now: Timestamp) -> Result<(), Errno> {
        let mut state = self.write_state();
        let node = self.find(&state, directory, name)?;
        if node.kind != FileKind::Directory {
            return Err(Errno::ENOTDIR);
        }
        self.take_directory(&mut state, directory, name, node, now)
    }

    fn rename(
        &self,
        from: NodeId,
        from_name: &[u8],
        to: NodeId,
        to_name: &[u8],
        now: Timestamp,
    ) -> Result<(), Errno> {
        self.move_name(&mut self.write_state(), (from, from_name), (to, to_name), now)
    }

    fn set_attributes(&self, node: NodeId, change: &Attributes, now: Timestamp) -> Result<(), Errno> {
        self.change_attributes(&mut self.write_state(), node, change, now)
    }

    fn retain(&self, node: NodeId) {
        match Layer::of(node) {
            Layer::Upper(upper) => self.upper.retain(upper),
            Layer::Lower(lower) => {
                self.lower.retain(lower);
                *self.write_state().holders.entry(lower).or_default() += 1;
            }
        }
    }

    fn release(&self, node: NodeId) {
        match Layer::of(node) {
            Layer::Upper(upper) => self.upper.release(upper),
            Layer::Lower(lower) => {
                self.lower.release(lower);
                let mut state = self.write_state();
                let Some(count) = state.holders.get_mut(&lower) else {
                    return;
                };
                *count -= 1;
                if *count == 0 {
                    state.holders.remove(&lower);
                    self.forget_if_gone(&mut state, lower);
                }
            }
        }
    }

    fn fork(&self) -> Result<Arc<dyn FileSystem>, Errno> {
        let mut state = self.read_state().clone();
        let fork = Overlay {
            lower: Arc::clone(&self.lower),
            upper: self.upper.fork_tree(),
            copies: self.copies,
            state: RwLock::default(),
        };
        let held = std::mem::take(&mut state.holders);
        for lower in held.into_keys() {
            fork.forget_if_gone(&mut state, lower);
        }
        *fork.write_state() = state;
        Ok(Arc::new(fork))
    }

    fn usage(&self) -> Usage {
        let usage = self.upper.usage();
        Usage {
            nodes: usage.nodes.saturating_sub(2),
            limit_nodes: usage.limit_nodes.saturating_sub(2),
            ..usage
        }
    }

    fn portable(&self) -> Portable {
        Portable::Tree(self.upper.quota())
    }

    fn type_name(&self) -> &'static str {
        "overlay"
    }
}
