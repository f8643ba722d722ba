//! The mount table: which tree covers which directory.
//!
//! A table never changes; mounting makes a new one. So an operation takes one shared pointer and works on a state that
//! stands still, and a fork is a table of forked trees.

use std::sync::Arc;

use super::{Errno, FileKind, FileSystem, Metadata, Node, NodeId, Usage};

/// The `st_dev` of the first tree; the others follow. Major 0 is what Linux gives trees without a disk.
const FIRST_DEVICE: u64 = 40;

/// One mounted tree.
#[derive(Clone)]
pub(super) struct Mount {
    pub tree: Arc<dyn FileSystem>,
    pub root: NodeId,
    pub device: u64,
    pub at: Vec<u8>,
    /// The directory it covers: device and node; the root covers none.
    pub covers: Option<(u64, NodeId)>,
}

/// All mounted trees; the first is the root.
#[derive(Clone)]
pub(super) struct MountTable {
    root: Mount,
    others: Vec<Mount>,
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

/// A node of a mounted tree.
#[derive(Clone, Copy)]
pub(super) struct Place<'t> {
    pub mount: &'t Mount,
    pub node: Node,
}

impl MountTable {
    pub fn new(tree: Arc<dyn FileSystem>) -> MountTable {
        let root = Mount {
            root: tree.root(),
            tree,
            device: FIRST_DEVICE,
            at: b"/".to_vec(),
            covers: None,
        };
        MountTable {
            root,
            others: Vec::new(),
        }
    }

    /// The table with one more tree over a directory: its device and node.
    pub fn with(&self, at: Vec<u8>, over: (u64, NodeId), tree: Arc<dyn FileSystem>) -> MountTable {
        let mut table = self.clone();
        let device = FIRST_DEVICE + 1 + table.others.len() as u64;
        let covers = Some(over);
        table.others.push(Mount {
            root: tree.root(),
            tree,
            device,
            at,
            covers,
        });
        table
    }

    /// The table with a fork of every tree.
    pub fn fork(&self) -> Result<MountTable, Errno> {
        let fork = |mount: &Mount| {
            Ok(Mount {
                tree: mount.tree.fork()?,
                ..mount.clone()
            })
        };
        let others = self.others.iter().map(fork).collect::<Result<_, Errno>>()?;
        Ok(MountTable {
            root: fork(&self.root)?,
            others,
        })
    }

    pub fn all(&self) -> impl Iterator<Item = &Mount> {
        std::iter::once(&self.root).chain(&self.others)
    }

    pub fn root(&self) -> Place<'_> {
        self.cross(self.root.top())
    }

    /// The tree on top of a directory, if one is mounted there.
    pub fn covering(&self, place: Place<'_>) -> Option<&Mount> {
        let key = Some((place.mount.device, place.node.id));
        self.others.iter().rev().find(|mount| mount.covers == key)
    }

    /// Steps from a covered directory to the root of what covers it.
    pub fn cross<'t>(&'t self, mut place: Place<'t>) -> Place<'t> {
        while let Some(mount) = self.covering(place) {
            place = mount.top();
        }
        place
    }
}

impl Mount {
    fn top(&self) -> Place<'_> {
        Place {
            mount: self,
            node: Node {
                id: self.root,
                kind: FileKind::Directory,
            },
        }
    }

    pub fn info(&self) -> MountInfo {
        MountInfo {
            at: self.at.clone(),
            device: self.device,
            type_name: self.tree.type_name(),
            read_only: self.tree.read_only(),
            usage: self.tree.usage(),
        }
    }

    /// `EROFS` on a tree that refuses changes.
    pub fn check_writable(&self) -> Result<(), Errno> {
        if self.tree.read_only() {
            Err(Errno::EROFS)
        } else {
            Ok(())
        }
    }
}

impl Place<'_> {
    pub fn metadata(&self) -> Result<Metadata, Errno> {
        let metadata = self.mount.tree.metadata(self.node.id)?;
        Ok(Metadata {
            device: self.mount.device,
            ..metadata
        })
    }

    /// Whether both are the same node of the same tree.
    pub fn is(&self, other: &Place<'_>) -> bool {
        self.mount.device == other.mount.device && self.node.id == other.node.id
    }
}
