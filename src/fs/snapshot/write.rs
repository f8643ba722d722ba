//! From a mount table to its portable form.

use rustc_hash::FxHashMap;

use super::bytes::Bytes;
use super::{PortableAttributes, PortableBody, PortableMount, PortableNode, PortableTree};
use crate::fs::mount::{Mount, MountTable};
use crate::fs::{DirEntry, Errno, FileKind, FileSystem, Metadata, NodeId, Portable};

/// Bytes read at a time.
const PIECE: usize = 1 << 20;

/// The index of each node of a tree.
type Indices = FxHashMap<NodeId, usize>;

/// All mounts. `EOPNOTSUPP` if one cannot be written.
pub(super) fn mounts(table: &MountTable) -> Result<Vec<PortableMount>, Errno> {
    let mut devices: FxHashMap<u64, (usize, Indices)> = FxHashMap::default();
    let mut mounts = Vec::new();
    for (number, mount) in table.all().enumerate() {
        let (portable, indices) = tree(mount)?;
        devices.insert(mount.device, (number, indices));
        let covers = match mount.covers {
            None => None,
            Some((device, node)) => {
                // A mount point inside /proc has no index.
                let (number, indices) = devices.get(&device).ok_or(Errno::EOPNOTSUPP)?;
                Some((*number, *indices.get(&node).ok_or(Errno::EOPNOTSUPP)?))
            }
        };
        let at = Bytes(mount.at.clone());
        mounts.push(PortableMount {
            at,
            covers,
            read_only: mount.tree.read_only(),
            tree: portable,
        });
    }
    Ok(mounts)
}

fn tree(mount: &Mount) -> Result<(PortableTree, Indices), Errno> {
    match mount.tree.portable() {
        Portable::No => Err(Errno::EOPNOTSUPP),
        Portable::Proc => Ok((PortableTree::Proc, Indices::default())),
        Portable::Tree(quota) => {
            let (nodes, indices) = nodes(&*mount.tree)?;
            Ok((PortableTree::Nodes { quota, nodes }, indices))
        }
    }
}

/// Directory by directory in the order they are found, so that a parent comes before its children.
fn nodes(tree: &dyn FileSystem) -> Result<(Vec<PortableNode>, Indices), Errno> {
    let root = tree.root();
    let mut indices = Indices::from_iter([(root, 0)]);
    let mut nodes = vec![node(tree, root, 0, Vec::new())?];
    let mut directories = vec![(0, root)];
    while let Some((parent, directory)) = directories.pop() {
        for DirEntry { name, kind, inode } in tree.read_dir(directory)? {
            if let Some(earlier) = indices.get(&inode) {
                let body = PortableBody::Link(*earlier);
                nodes.push(PortableNode {
                    parent,
                    name: Bytes(name),
                    body,
                    attributes: None,
                });
                continue;
            }
            let index = nodes.len();
            indices.insert(inode, index);
            nodes.push(node(tree, inode, parent, name)?);
            if kind == FileKind::Directory {
                directories.push((index, inode));
            }
        }
    }
    Ok((nodes, indices))
}

fn node(tree: &dyn FileSystem, id: NodeId, parent: usize, name: Vec<u8>) -> Result<PortableNode, Errno> {
    let found = tree.metadata(id)?;
    let body = match found.kind {
        FileKind::Directory => PortableBody::Directory,
        FileKind::Regular => PortableBody::Regular {
            length: found.size,
            parts: parts(tree, id)?,
        },
        FileKind::Symlink => PortableBody::Symlink(Bytes(tree.read_link(id)?)),
        kind => PortableBody::Special {
            kind,
            rdev: found.rdev,
        },
    };
    Ok(PortableNode {
        parent,
        name: Bytes(name),
        body,
        attributes: Some(attributes(&found)),
    })
}

fn parts(tree: &dyn FileSystem, id: NodeId) -> Result<Vec<(u64, Bytes)>, Errno> {
    let mut parts = Vec::new();
    let mut offset = 0;
    loop {
        let chunk = tree.read_chunk(id, offset, PIECE)?;
        if chunk.is_empty() {
            return Ok(parts);
        }
        let start = offset;
        offset += chunk.len() as u64;
        if !chunk.is_hole() {
            parts.push((start, Bytes(chunk.into_vec())));
        }
    }
}

fn attributes(found: &Metadata) -> PortableAttributes {
    let Metadata {
        mode,
        uid,
        gid,
        atime,
        mtime,
        ctime,
        btime,
        ..
    } = *found;
    PortableAttributes {
        mode,
        uid,
        gid,
        atime,
        mtime,
        ctime,
        btime,
    }
}
