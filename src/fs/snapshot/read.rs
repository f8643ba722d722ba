//! From the portable form to a mount table. Nothing in it is trusted.

use std::sync::Arc;

use super::{PortableAttributes, PortableBody, PortableMount, PortableNode, PortableTree};
use crate::fs::mount::MountTable;
use crate::fs::resolve::NAME_MAX;
use crate::fs::{
    Attributes, Errno, FileKind, FileSystem, MemFs, NewNode, NodeId, ProcFs, Quota, ReadOnly, Timestamp,
};

/// Lengths beyond this are no file's.
const NO_QUOTA: Quota = Quota {
    bytes: i64::MAX as u64,
    nodes: i64::MAX as u64,
    file_bytes: i64::MAX as u64,
};

/// A mount that was read: its nodes by their index.
struct Made {
    device: u64,
    tree: Arc<dyn FileSystem>,
    ids: Vec<NodeId>,
}

impl Made {
    fn directory(&self, index: usize) -> Result<(u64, NodeId), Errno> {
        let id = *self.ids.get(index).ok_or(Errno::EINVAL)?;
        let kind = self.tree.metadata(id)?.kind;
        if kind == FileKind::Directory {
            Ok((self.device, id))
        } else {
            Err(Errno::EINVAL)
        }
    }
}

/// All mounts, the root first. `EINVAL` where the form contradicts itself.
pub(super) fn table(mounts: Vec<PortableMount>) -> Result<MountTable, Errno> {
    let mut table: Option<MountTable> = None;
    let mut made: Vec<Made> = Vec::new();
    for mount in mounts {
        let (tree, ids) = tree(mount.tree, mount.read_only)?;
        let next = match (&table, mount.covers) {
            (None, None) => MountTable::new(Arc::clone(&tree)),
            (Some(table), Some((number, index))) => {
                let covered = made.get(number).ok_or(Errno::EINVAL)?.directory(index)?;
                table.with(mount.at.0, covered, Arc::clone(&tree))
            }
            _ => return Err(Errno::EINVAL),
        };
        let device = next.all().last().map_or(0, |mount| mount.device);
        made.push(Made { device, tree, ids });
        table = Some(next);
    }
    table.ok_or(Errno::EINVAL)
}

fn tree(portable: PortableTree, read_only: bool) -> Result<(Arc<dyn FileSystem>, Vec<NodeId>), Errno> {
    let (tree, ids): (Arc<dyn FileSystem>, _) = match portable {
        PortableTree::Proc => (Arc::new(ProcFs), Vec::new()),
        PortableTree::Nodes { quota, nodes } => {
            let tree = MemFs::new(NO_QUOTA);
            let ids = build(&tree, &nodes)?;
            tree.set_quota(quota);
            (Arc::new(tree), ids)
        }
    };
    Ok((
        if read_only {
            Arc::new(ReadOnly::new(tree))
        } else {
            tree
        },
        ids,
    ))
}

/// Makes all nodes, then sets the attributes that the making of others changed.
fn build(tree: &MemFs, nodes: &[PortableNode]) -> Result<Vec<NodeId>, Errno> {
    let mut ids = Vec::new();
    for node in nodes {
        let id = if ids.is_empty() {
            root(tree, node)?
        } else {
            make(tree, node, &ids)?
        };
        ids.push(id);
    }
    for (node, id) in nodes.iter().zip(&ids) {
        if let Some(attributes) = &node.attributes {
            set(tree, *id, attributes)?;
        }
    }
    Ok(ids)
}

fn root(tree: &MemFs, node: &PortableNode) -> Result<NodeId, Errno> {
    match node.body {
        PortableBody::Directory => Ok(tree.root()),
        _ => Err(Errno::EINVAL),
    }
}

fn check_name(name: &[u8]) -> Result<(), Errno> {
    let bad = name.is_empty() || name == b"." || name == b".." || name.len() > NAME_MAX;
    if bad || memchr::memchr2(b'/', 0, name).is_some() {
        Err(Errno::EINVAL)
    } else {
        Ok(())
    }
}

fn make(tree: &MemFs, node: &PortableNode, ids: &[NodeId]) -> Result<NodeId, Errno> {
    let name = &node.name.0;
    check_name(name)?;
    let parent = *ids.get(node.parent).ok_or(Errno::EINVAL)?;
    let (kind, rdev, target) = match &node.body {
        PortableBody::Directory => (FileKind::Directory, (0, 0), &b""[..]),
        PortableBody::Regular { .. } => (FileKind::Regular, (0, 0), &b""[..]),
        PortableBody::Symlink(target) if target.0.is_empty() => return Err(Errno::EINVAL),
        PortableBody::Symlink(target) => (FileKind::Symlink, (0, 0), &target.0[..]),
        PortableBody::Special {
            kind: FileKind::Directory | FileKind::Regular | FileKind::Symlink,
            ..
        } => {
            return Err(Errno::EINVAL);
        }
        PortableBody::Special { kind, rdev } => (*kind, *rdev, &b""[..]),
        PortableBody::Link(index) => {
            let id = *ids.get(*index).ok_or(Errno::EINVAL)?;
            tree.link(id, parent, name, Timestamp::default())?;
            return Ok(id);
        }
    };
    let attributes = node.attributes.as_ref().ok_or(Errno::EINVAL)?;
    let new = NewNode {
        kind,
        mode: 0,
        uid: 0,
        gid: 0,
        rdev,
        target,
    };
    let id = tree.create(parent, name, &new, attributes.btime)?;
    if let PortableBody::Regular { length, parts } = &node.body {
        for (offset, bytes) in parts {
            if tree.write(id, *offset, &bytes.0, attributes.btime)? != bytes.0.len() {
                return Err(Errno::EFBIG);
            }
        }
        tree.truncate(id, *length, attributes.btime)?;
    }
    Ok(id)
}

fn set(tree: &MemFs, id: NodeId, from: &PortableAttributes) -> Result<(), Errno> {
    let change = Attributes {
        mode: Some(from.mode),
        uid: Some(from.uid),
        gid: Some(from.gid),
        atime: Some(from.atime),
        mtime: Some(from.mtime),
    };
    tree.set_attributes(id, &change, from.ctime)
}
