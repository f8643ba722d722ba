//! What an overlay remembers about the nodes of its lower tree.

use std::sync::Arc;

use imbl::{OrdMap, OrdSet};
use rustc_hash::FxHashMap;

use crate::fs::{Attributes, Metadata, NodeId, Timestamp};

/// Which tree a node of the overlay comes from. A lower node keeps its number when it is copied up, so open files, hard
/// links and the trail of a resolution stay right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Layer {
    Lower(NodeId),
    Upper(NodeId),
}

impl Layer {
    pub fn of(id: NodeId) -> Layer {
        if id & 1 == 0 {
            Layer::Lower(id >> 1)
        } else {
            Layer::Upper(id >> 1)
        }
    }

    pub fn id(self) -> NodeId {
        match self {
            Layer::Lower(id) => id << 1,
            Layer::Upper(id) => id << 1 | 1,
        }
    }
}

/// What became of a lower node.
#[derive(Clone, Default)]
pub(super) struct Change {
    /// Its copy in the upper tree, from the first change of contents on; a directory's holds its new names.
    pub upper: Option<NodeId>,
    /// Changed attributes of a node that is not copied.
    pub attributes: Option<(Attributes, Timestamp)>,
    /// Names of a directory that are gone or replaced: the whiteouts.
    pub hidden: OrdSet<Arc<[u8]>>,
    /// Links gained and lost; for a directory subdirectories.
    pub links: i64,
    /// A directory that was removed.
    pub removed: bool,
}

impl Change {
    /// The attributes of the node: `base` is the copy's if there is one, else the lower node's.
    pub fn apply(&self, lower_links: u64, base: Metadata) -> Metadata {
        let nlink = if self.removed {
            0
        } else {
            lower_links.saturating_add_signed(self.links)
        };
        let mut metadata = Metadata { nlink, ..base };
        if let Some((change, ctime)) = &self.attributes {
            metadata.mode = change.mode.unwrap_or(metadata.mode);
            metadata.uid = change.uid.unwrap_or(metadata.uid);
            metadata.gid = change.gid.unwrap_or(metadata.gid);
            metadata.atime = change.atime.unwrap_or(metadata.atime);
            metadata.mtime = change.mtime.unwrap_or(metadata.mtime);
            metadata.ctime = *ctime;
        }
        metadata
    }

    /// Adds a change of attributes to those before.
    pub fn set_attributes(&mut self, change: &Attributes, now: Timestamp) {
        let old = self.attributes.map(|(old, _)| old).unwrap_or_default();
        let merged = Attributes {
            mode: change.mode.or(old.mode),
            uid: change.uid.or(old.uid),
            gid: change.gid.or(old.gid),
            atime: change.atime.or(old.atime),
            mtime: change.mtime.or(old.mtime),
        };
        self.attributes = Some((merged, now));
    }
}

/// All changes. A clone is O(1) but for the open counts, which a fork starts without.
#[derive(Clone, Default)]
pub(super) struct State {
    /// By lower node.
    pub changes: OrdMap<NodeId, Change>,
    /// Upper nodes that only give a lower node another name: what was moved or linked. To that lower node.
    pub origins: OrdMap<NodeId, NodeId>,
    /// Open counts of lower nodes.
    pub holders: FxHashMap<NodeId, u32>,
}

impl State {
    /// The node that an upper node stands for.
    pub fn canonical(&self, upper: NodeId) -> Layer {
        self.origins
            .get(&upper)
            .map_or(Layer::Upper(upper), |lower| Layer::Lower(*lower))
    }

    /// The copy of a lower node.
    pub fn copy_of(&self, lower: NodeId) -> Option<NodeId> {
        self.changes.get(&lower).and_then(|change| change.upper)
    }

    /// Whether a name of a lower directory is to be seen.
    pub fn shows(&self, directory: NodeId, name: &[u8]) -> bool {
        self.changes
            .get(&directory)
            .is_none_or(|change| !change.hidden.contains(name))
    }

    pub fn change(&mut self, lower: NodeId) -> &mut Change {
        self.changes.entry(lower).or_default()
    }
}
