//! The state of an in-memory tree and the changes of it. A clone is O(1): one persistent map from node numbers to shared
//! nodes. All accounting is here: `bytes` and `nodes` are at any time the sums over the nodes (a property test holds that).

use std::sync::Arc;

use imbl::OrdMap;

use super::inode::{Body, Inode};
use crate::fs::{Attributes, Errno, FileKind, NewNode, Node, NodeId, Quota, Timestamp};

/// The number of the root directory, as on ext4.
pub(super) const ROOT: NodeId = 2;

/// ext4 allows as many names of one file.
const LINK_MAX: u64 = 65000;

/// All nodes and what they add up to.
#[derive(Clone)]
pub(super) struct Tree {
    nodes: OrdMap<NodeId, Arc<Inode>>,
    next: NodeId,
    pub bytes: u64,
    pub count: u64,
    pub quota: Quota,
}

impl Tree {
    /// A tree of one directory.
    pub fn new(quota: Quota) -> Tree {
        let root = NewNode {
            kind: FileKind::Directory,
            mode: 0o755,
            uid: 0,
            gid: 0,
            rdev: (0, 0),
            target: b"",
        };
        let inode = Inode::new(&root, Timestamp::default());
        // ext4 starts ordinary numbers at 11, after lost+found.
        Tree {
            nodes: OrdMap::unit(ROOT, Arc::new(inode)),
            next: 11,
            bytes: 0,
            count: 1,
            quota,
        }
    }

    pub fn node(&self, id: NodeId) -> Result<&Inode, Errno> {
        self.nodes.get(&id).map(|node| &**node).ok_or(Errno::ENOENT)
    }

    fn node_mut(&mut self, id: NodeId) -> Result<&mut Inode, Errno> {
        self.nodes.get_mut(&id).map(Arc::make_mut).ok_or(Errno::ENOENT)
    }

    pub fn lookup(&self, directory: NodeId, name: &[u8]) -> Result<Node, Errno> {
        self.node(directory)?.directory()?.get(name).ok_or(Errno::ENOENT)
    }

    /// Room for `bytes` and `nodes` more.
    fn check_room(&self, bytes: u64, nodes: u64) -> Result<(), Errno> {
        let fits = self.bytes.saturating_add(bytes) <= self.quota.bytes
            && self.count.saturating_add(nodes) <= self.quota.nodes;
        // What adds nothing passes even where a lowered quota is exceeded.
        if fits || (bytes == 0 && nodes == 0) {
            Ok(())
        } else {
            Err(Errno::ENOSPC)
        }
    }

    /// A directory that still has its name, for adding to it.
    fn check_free(&self, directory: NodeId, name: &[u8]) -> Result<(), Errno> {
        let parent = self.node(directory)?;
        if parent.directory()?.get(name).is_some() {
            return Err(Errno::EEXIST);
        }
        if parent.nlink == 0 {
            Err(Errno::ENOENT)
        } else {
            Ok(())
        }
    }

    fn set_entry(&mut self, directory: NodeId, name: &[u8], node: Node, now: Timestamp) -> Result<(), Errno> {
        let parent = self.node_mut(directory)?;
        parent.directory_mut()?.insert(name, node);
        parent.modified(now);
        Ok(())
    }

    fn clear_entry(&mut self, directory: NodeId, name: &[u8], now: Timestamp) -> Result<(), Errno> {
        let parent = self.node_mut(directory)?;
        parent.directory_mut()?.remove(name);
        parent.modified(now);
        Ok(())
    }

    pub fn create(
        &mut self,
        directory: NodeId,
        name: &[u8],
        new: &NewNode<'_>,
        now: Timestamp,
    ) -> Result<NodeId, Errno> {
        self.check_free(directory, name)?;
        let inode = Inode::new(new, now);
        self.check_room(inode.charged_bytes(), 1)?;
        self.bytes += inode.charged_bytes();
        self.count += 1;
        let id = self.next;
        self.next += 1;
        self.nodes.insert(id, Arc::new(inode));
        self.set_entry(directory, name, Node { id, kind: new.kind }, now)?;
        if new.kind == FileKind::Directory {
            self.node_mut(directory)?.nlink += 1;
        }
        Ok(id)
    }

    pub fn link(&mut self, id: NodeId, directory: NodeId, name: &[u8], now: Timestamp) -> Result<(), Errno> {
        self.check_free(directory, name)?;
        let inode = self.node(id)?;
        let kind = inode.kind();
        match inode.nlink {
            _ if kind == FileKind::Directory => return Err(Errno::EPERM),
            0 => return Err(Errno::ENOENT),
            LINK_MAX.. => return Err(Errno::EMLINK),
            _ => self.check_room(0, 1)?,
        }
        self.count += 1;
        let inode = self.node_mut(id)?;
        inode.nlink += 1;
        inode.ctime = now;
        self.set_entry(directory, name, Node { id, kind }, now)
    }

    /// Takes a name away. Returns the node, which the caller frees if nobody holds it.
    pub fn unlink(&mut self, directory: NodeId, name: &[u8], now: Timestamp) -> Result<NodeId, Errno> {
        let node = self.lookup(directory, name)?;
        if node.kind == FileKind::Directory {
            return Err(Errno::EISDIR);
        }
        self.clear_entry(directory, name, now)?;
        self.drop_name(node.id, now)?;
        Ok(node.id)
    }

    fn drop_name(&mut self, id: NodeId, now: Timestamp) -> Result<(), Errno> {
        let inode = self.node_mut(id)?;
        let before = inode.charged_nodes();
        inode.nlink = inode.nlink.saturating_sub(1);
        inode.ctime = now;
        self.count -= before - self.node(id)?.charged_nodes();
        Ok(())
    }

    /// Removes an empty directory; returns it as [`Tree::unlink`] does.
    pub fn remove_dir(&mut self, directory: NodeId, name: &[u8], now: Timestamp) -> Result<NodeId, Errno> {
        let node = self.lookup(directory, name)?;
        if !self.node(node.id)?.directory()?.is_empty() {
            return Err(Errno::ENOTEMPTY);
        }
        self.clear_entry(directory, name, now)?;
        self.node_mut(directory)?.nlink -= 1;
        let gone = self.node_mut(node.id)?;
        gone.nlink = 0;
        gone.ctime = now;
        Ok(node.id)
    }

    /// Frees a node that has no name left.
    pub fn free_if_nameless(&mut self, id: NodeId) {
        let Some(inode) = self.nodes.get(&id).filter(|inode| inode.nlink == 0) else {
            return;
        };
        self.bytes -= inode.charged_bytes();
        self.count -= inode.charged_nodes();
        self.nodes.remove(&id);
    }

    /// Moves a name. Returns the node that was replaced, if any.
    pub fn rename(
        &mut self,
        from: (NodeId, &[u8]),
        to: (NodeId, &[u8]),
        now: Timestamp,
    ) -> Result<Option<NodeId>, Errno> {
        let moved = self.lookup(from.0, from.1)?;
        let target = self.node(to.0)?;
        if target.nlink == 0 {
            return Err(Errno::ENOENT);
        }
        let replaced = match target.directory()?.get(to.1) {
            Some(old) if old.id == moved.id => return Ok(None),
            Some(old) => {
                match (moved.kind, old.kind) {
                    (FileKind::Directory, FileKind::Directory) => self.remove_dir(to.0, to.1, now)?,
                    (FileKind::Directory, _) => return Err(Errno::ENOTDIR),
                    // EISDIR if the old one is a directory.
                    _ => self.unlink(to.0, to.1, now)?,
                };
                Some(old.id)
            }
            None => None,
        };
        self.clear_entry(from.0, from.1, now)?;
        self.set_entry(to.0, to.1, moved, now)?;
        if moved.kind == FileKind::Directory {
            self.node_mut(from.0)?.nlink -= 1;
            self.node_mut(to.0)?.nlink += 1;
        }
        self.node_mut(moved.id)?.ctime = now;
        Ok(replaced)
    }

    /// The furthest end that a file may reach, or why it may not grow from where it is.
    fn room_for(&self, length: u64) -> (u64, Errno) {
        let by_total = length.saturating_add(self.quota.bytes.saturating_sub(self.bytes));
        let by_file = self.quota.file_bytes.min(i64::MAX as u64).max(length);
        if by_file <= by_total {
            (by_file, Errno::EFBIG)
        } else {
            (by_total, Errno::ENOSPC)
        }
    }

    pub fn write(&mut self, id: NodeId, offset: u64, data: &[u8], now: Timestamp) -> Result<usize, Errno> {
        let length = self.node(id)?.content()?.length();
        if data.is_empty() {
            return Ok(0);
        }
        let (limit, error) = self.room_for(length);
        let fitting = limit.saturating_sub(offset).min(data.len() as u64) as usize;
        let Some(data) = data.get(..fitting).filter(|data| !data.is_empty()) else {
            return Err(error);
        };
        let inode = self.node_mut(id)?;
        let content = inode.content_mut()?;
        content.write(offset, data);
        let grown = content.length() - length;
        inode.modified(now);
        self.bytes += grown;
        Ok(fitting)
    }

    pub fn truncate(&mut self, id: NodeId, length: u64, now: Timestamp) -> Result<(), Errno> {
        let old = self.node(id)?.content()?.length();
        let (limit, error) = self.room_for(old);
        if length > limit {
            return Err(error);
        }
        let inode = self.node_mut(id)?;
        inode.content_mut()?.truncate(length);
        inode.modified(now);
        self.bytes = self.bytes - old + length;
        Ok(())
    }

    pub fn set_attributes(&mut self, id: NodeId, change: &Attributes, now: Timestamp) -> Result<(), Errno> {
        self.node_mut(id)?.apply(change, now);
        Ok(())
    }

    pub fn read_link(&self, id: NodeId) -> Result<Vec<u8>, Errno> {
        match &self.node(id)?.body {
            Body::Symlink(target) => Ok(target.to_vec()),
            _ => Err(Errno::EINVAL),
        }
    }

    /// Checks the sums and link counts against the nodes.
    #[cfg(test)]
    pub fn check(&self) {
        let bytes: u64 = self.nodes.values().map(|node| node.charged_bytes()).sum();
        let count: u64 = self.nodes.values().map(|node| node.charged_nodes()).sum();
        assert_eq!((self.bytes, self.count), (bytes, count), "the sums are off");
        let mut names: std::collections::HashMap<NodeId, u64> = std::collections::HashMap::new();
        for (id, node) in &self.nodes {
            let Body::Directory(directory) = &node.body else {
                continue;
            };
            let expected = if node.nlink == 0 {
                0
            } else {
                2 + directory.subdirectories()
            };
            assert_eq!(node.nlink, expected, "links of directory {id}");
            for entry in directory.list() {
                assert_eq!(entry.kind, self.node(entry.inode).unwrap().kind());
                *names.entry(entry.inode).or_default() += 1;
            }
        }
        for (id, node) in self
            .nodes
            .iter()
            .filter(|(_, node)| node.kind() != FileKind::Directory)
        {
            assert_eq!(node.nlink, names.get(id).copied().unwrap_or(0), "links of {id}");
        }
    }
}
