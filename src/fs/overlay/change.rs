//! The changes of an overlay: copying up, hiding, placeholders. Each takes the locked state.

use super::Overlay;
use super::state::{Layer, State};
use crate::fs::{Attributes, Errno, FileKind, FileSystem, NewNode, Node, NodeId, Timestamp};

/// A name in a directory.
type Slot<'a> = (NodeId, &'a [u8]);

impl Overlay {
    /// The upper node to write to, with all contents.
    pub(super) fn copy_up(&self, state: &mut State, node: NodeId, now: Timestamp) -> Result<NodeId, Errno> {
        self.copy_up_to(state, node, u64::MAX, now)
    }

    /// The same for a file that is about to be cut: no more than `length` bytes are copied.
    pub(super) fn copy_up_to(
        &self,
        state: &mut State,
        node: NodeId,
        length: u64,
        now: Timestamp,
    ) -> Result<NodeId, Errno> {
        let lower = match Layer::of(node) {
            Layer::Upper(upper) => return Ok(upper),
            Layer::Lower(lower) => lower,
        };
        if let Some(upper) = state.copy_of(lower) {
            return Ok(upper);
        }
        let found = self.attributes(state, node)?;
        let target = if found.kind == FileKind::Symlink {
            self.lower.read_link(lower)?
        } else {
            Vec::new()
        };
        let new = NewNode {
            kind: found.kind,
            mode: found.mode,
            uid: found.uid,
            gid: found.gid,
            rdev: found.rdev,
            target: &target,
        };
        let name = copy_name(lower);
        let upper = self.upper.create(self.copies, &name, &new, found.ctime)?;
        if found.kind == FileKind::Regular
            && let Err(error) = self.copy_contents(lower, upper, found.size.min(length), now)
        {
            self.upper.unlink(self.copies, &name, now)?;
            return Err(error);
        }
        let times = Attributes {
            atime: Some(found.atime),
            mtime: Some(found.mtime),
            ..Attributes::default()
        };
        self.upper.set_attributes(upper, &times, found.ctime)?;
        let change = state.change(lower);
        change.upper = Some(upper);
        change.attributes = None;
        Ok(upper)
    }

    fn copy_contents(&self, lower: NodeId, upper: NodeId, length: u64, now: Timestamp) -> Result<(), Errno> {
        let mut offset = 0;
        while offset < length {
            let max = (length - offset).min(1 << 20) as usize;
            let chunk = self.lower.read_chunk(lower, offset, max)?;
            if chunk.is_empty() {
                break;
            }
            let mut rest: &[u8] = &chunk;
            while !rest.is_empty() {
                let count = self.upper.write(upper, offset, rest, now)?;
                offset += count as u64;
                rest = rest.get(count..).unwrap_or_default();
            }
        }
        Ok(())
    }

    /// A free name in a directory that still has one.
    pub(super) fn check_free(&self, state: &State, directory: NodeId, name: &[u8]) -> Result<(), Errno> {
        match self.find(state, directory, name) {
            Ok(_) => return Err(Errno::EEXIST),
            Err(Errno::ENOENT) => {}
            Err(error) => return Err(error),
        }
        if self.attributes(state, directory)?.nlink == 0 {
            Err(Errno::ENOENT)
        } else {
            Ok(())
        }
    }

    /// Makes an upper node under a free name.
    pub(super) fn add(
        &self,
        state: &mut State,
        directory: NodeId,
        name: &[u8],
        new: &NewNode<'_>,
        now: Timestamp,
    ) -> Result<NodeId, Errno> {
        let upper = self.copy_up(state, directory, now)?;
        let id = self.upper.create(upper, name, new, now)?;
        if new.kind == FileKind::Directory {
            count_subdirectory(state, directory, 1);
        }
        Ok(id)
    }

    /// Gives a lower node a name by a placeholder.
    fn add_placeholder(
        &self,
        state: &mut State,
        lower: Node,
        to: Slot<'_>,
        now: Timestamp,
    ) -> Result<(), Errno> {
        let new = NewNode {
            kind: lower.kind,
            mode: 0,
            uid: 0,
            gid: 0,
            rdev: (0, 0),
            target: b"",
        };
        let placeholder = self.add(state, to.0, to.1, &new, now)?;
        if let Layer::Lower(id) = Layer::of(lower.id) {
            state.origins.insert(placeholder, id);
        }
        Ok(())
    }

    /// A further name for a node that is no directory.
    pub(super) fn add_link(
        &self,
        state: &mut State,
        node: NodeId,
        directory: NodeId,
        name: &[u8],
        now: Timestamp,
    ) -> Result<(), Errno> {
        let found = self.attributes(state, node)?;
        match found.nlink {
            _ if found.kind == FileKind::Directory => return Err(Errno::EPERM),
            0 => return Err(Errno::ENOENT),
            _ => {}
        }
        match Layer::of(node) {
            Layer::Upper(upper) => {
                let parent = self.copy_up(state, directory, now)?;
                self.upper.link(upper, parent, name, now)
            }
            Layer::Lower(lower) => {
                self.add_placeholder(
                    state,
                    Node {
                        id: node,
                        kind: found.kind,
                    },
                    (directory, name),
                    now,
                )?;
                state.change(lower).links += 1;
                self.change_attributes(state, node, &Attributes::default(), now)
            }
        }
    }

    pub(super) fn change_attributes(
        &self,
        state: &mut State,
        node: NodeId,
        change: &Attributes,
        now: Timestamp,
    ) -> Result<(), Errno> {
        let (upper, lower) = match Layer::of(node) {
            Layer::Upper(upper) => (Some(upper), upper),
            Layer::Lower(lower) => (state.copy_of(lower), lower),
        };
        if let Some(upper) = upper {
            return self.upper.set_attributes(upper, change, now);
        }
        state.change(lower).set_attributes(change, now);
        Ok(())
    }

    /// Makes a name invisible: drops it from the upper directory, hides it in the lower one.
    fn clear_name(&self, state: &mut State, at: Slot<'_>, now: Timestamp) -> Result<(), Errno> {
        let (directory, name) = at;
        let (upper, lower) = match Layer::of(directory) {
            Layer::Upper(upper) => (Some(upper), None),
            Layer::Lower(lower) => (state.copy_of(lower), Some(lower)),
        };
        let found = upper.and_then(|upper| Some((upper, self.upper.lookup(upper, name).ok()?)));
        if let Some((upper, node)) = found {
            match node.kind {
                FileKind::Directory => self.upper.remove_dir(upper, name, now)?,
                _ => self.upper.unlink(upper, name, now)?,
            }
            state.origins.remove(&node.id);
        }
        if let Some(lower) = lower
            && state.shows(lower, name)
            && self.lower.lookup(lower, name).is_ok()
        {
            state.change(lower).hidden.insert(name.into());
        }
        let times = Attributes {
            mtime: Some(now),
            ..Attributes::default()
        };
        self.change_attributes(state, directory, &times, now)
    }

    /// Takes a name from a node that is no directory.
    pub(super) fn take_name(
        &self,
        state: &mut State,
        directory: NodeId,
        name: &[u8],
        node: Node,
        now: Timestamp,
    ) -> Result<(), Errno> {
        self.clear_name(state, (directory, name), now)?;
        if let Layer::Lower(lower) = Layer::of(node.id) {
            state.change(lower).links -= 1;
            self.change_attributes(state, node.id, &Attributes::default(), now)?;
            self.forget_if_gone(state, lower);
        }
        Ok(())
    }

    /// Removes an empty directory.
    pub(super) fn take_directory(
        &self,
        state: &mut State,
        directory: NodeId,
        name: &[u8],
        node: Node,
        now: Timestamp,
    ) -> Result<(), Errno> {
        if !self.list(state, node.id)?.is_empty() {
            return Err(Errno::ENOTEMPTY);
        }
        self.clear_name(state, (directory, name), now)?;
        count_subdirectory(state, directory, -1);
        if let Layer::Lower(lower) = Layer::of(node.id) {
            state.change(lower).removed = true;
            self.forget_if_gone(state, lower);
        }
        Ok(())
    }

    pub(super) fn move_name(
        &self,
        state: &mut State,
        from: Slot<'_>,
        to: Slot<'_>,
        now: Timestamp,
    ) -> Result<(), Errno> {
        let moved = self.find(state, from.0, from.1)?;
        let replaced = match self.find(state, to.0, to.1) {
            Ok(node) if node.id == moved.id => return Ok(()),
            Ok(node) => Some(node),
            Err(Errno::ENOENT) => None,
            Err(error) => return Err(error),
        };
        self.check_room_to_move(state, to.0)?;
        let is_directory = moved.kind == FileKind::Directory;
        if let Some(node) = replaced {
            match (is_directory, node.kind == FileKind::Directory) {
                (true, false) => return Err(Errno::ENOTDIR),
                (false, true) => return Err(Errno::EISDIR),
                (true, true) => self.take_directory(state, to.0, to.1, node, now)?,
                (false, false) => self.take_name(state, to.0, to.1, node, now)?,
            }
        }
        match Layer::of(moved.id) {
            Layer::Upper(_) => {
                let source = self.copy_up(state, from.0, now)?;
                let target = self.copy_up(state, to.0, now)?;
                self.upper.rename(source, from.1, target, to.1, now)?;
                if is_directory {
                    count_subdirectory(state, to.0, 1);
                }
            }
            Layer::Lower(_) => {
                self.clear_name(state, from, now)?;
                self.add_placeholder(state, moved, to, now)?;
                self.change_attributes(state, moved.id, &Attributes::default(), now)?;
            }
        }
        if is_directory {
            count_subdirectory(state, from.0, -1);
        }
        Ok(())
    }

    /// Room for a placeholder and the copy of the directory it goes to, before anything is changed.
    fn check_room_to_move(&self, state: &State, directory: NodeId) -> Result<(), Errno> {
        if self.attributes(state, directory)?.nlink == 0 {
            return Err(Errno::ENOENT);
        }
        let usage = self.upper.usage();
        if usage.nodes + 2 > usage.limit_nodes {
            Err(Errno::ENOSPC)
        } else {
            Ok(())
        }
    }

    /// Drops what is remembered of a lower node that has neither names nor holders.
    pub(super) fn forget_if_gone(&self, state: &mut State, lower: NodeId) {
        let gone = match self.attributes(state, Layer::Lower(lower).id()) {
            Ok(found) => found.nlink == 0,
            // The lower tree lost it behind our back.
            Err(_) => true,
        };
        if !gone || state.holders.contains_key(&lower) {
            return;
        }
        let Some(change) = state.changes.remove(&lower) else {
            return;
        };
        if change.upper.is_some() {
            let name = copy_name(lower);
            // One of the two fits; the copy is the overlay's own and empty if a directory.
            let _ = self.upper.unlink(self.copies, &name, Timestamp::default());
            let _ = self.upper.remove_dir(self.copies, &name, Timestamp::default());
        }
    }
}

fn copy_name(lower: NodeId) -> Vec<u8> {
    format!("{lower:x}").into_bytes()
}

/// Counts a subdirectory of a lower directory; an upper one is counted by its tree.
fn count_subdirectory(state: &mut State, directory: NodeId, change: i64) {
    if let Layer::Lower(lower) = Layer::of(directory) {
        state.change(lower).links += change;
    }
}
