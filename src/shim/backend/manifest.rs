//! From a manifest to a tree, and from a tree to what changed in its manifest.

use std::collections::BTreeMap;

use super::paths::{escape, unescape};
use super::tree::WorkspaceTree;
use crate::fs::{Attributes, Errno, FileKind, FileSystem, Metadata, NewNode, NodeId, Timestamp};
use crate::shim::blobs;
use crate::shim::store::workspace::{Changes, Entry, Kind};

/// Who owns the files.
const OWNER: u32 = 1000;

/// The names of a workspace, by path.
pub type Manifest = BTreeMap<String, Entry>;

/// A file whose contents are not in the object store yet.
pub struct Fresh {
    /// Their hash.
    pub hash: String,
    /// They.
    pub contents: Vec<u8>,
}

/// What a look at a tree finds.
pub struct Difference {
    /// The new manifest.
    pub manifest: Manifest,
    /// What is other than in the old one.
    pub changes: Changes,
    /// What must be stored first.
    pub fresh: Vec<Fresh>,
}

/// Fills an empty tree.
pub fn fill(tree: &WorkspaceTree, manifest: &Manifest) -> Result<(), Errno> {
    let memory = tree.memory();
    let start = Attributes {
        mode: Some(0o755),
        uid: Some(OWNER),
        gid: Some(OWNER),
        ..Attributes::default()
    };
    memory.set_attributes(memory.root(), &start, Timestamp::default())?;
    let mut directories: BTreeMap<&str, NodeId> = BTreeMap::from([("", memory.root())]);
    let mut links: BTreeMap<i64, NodeId> = BTreeMap::new();
    for (path, entry) in manifest.iter().filter(|(path, _)| !path.is_empty()) {
        let (parent, name) = path.rsplit_once('/').unwrap_or(("", path));
        let parent = *directories.get(parent).ok_or(Errno::ENOENT)?;
        let node = add(tree, parent, &unescape(name), entry, &mut links)?;
        if entry.kind == Kind::Directory {
            directories.insert(path, node);
        }
    }
    // Last, since a new name changes the time of its directory.
    for (path, node) in directories {
        if let Some(entry) = manifest.get(path) {
            set(tree, node, entry)?;
        }
    }
    Ok(())
}

fn add(
    tree: &WorkspaceTree,
    parent: NodeId,
    name: &[u8],
    entry: &Entry,
    links: &mut BTreeMap<i64, NodeId>,
) -> Result<NodeId, Errno> {
    let memory = tree.memory();
    let time = stamp(entry);
    if let Some(node) = entry.link.and_then(|link| links.get(&link)) {
        memory.link(*node, parent, name, time)?;
        return Ok(*node);
    }
    let target = match entry.kind {
        Kind::Link => unescape(entry.content.as_deref().unwrap_or_default()),
        _ => Vec::new(),
    };
    let new = NewNode {
        kind: match entry.kind {
            Kind::File => FileKind::Regular,
            Kind::Directory => FileKind::Directory,
            Kind::Link => FileKind::Symlink,
            Kind::Pipe => FileKind::Fifo,
        },
        mode: entry.mode,
        uid: OWNER,
        gid: OWNER,
        rdev: (0, 0),
        target: &target,
    };
    let node = memory.create(parent, name, &new, time)?;
    if let (Kind::File, Some(hash)) = (entry.kind, &entry.content) {
        memory.truncate(node, entry.size, time)?;
        tree.set_stored(node, hash.clone(), entry.size == 0);
    }
    if let Some(link) = entry.link {
        links.insert(link, node);
    }
    Ok(node)
}

fn set(tree: &WorkspaceTree, node: NodeId, entry: &Entry) -> Result<(), Errno> {
    let attributes = Attributes {
        mode: Some(entry.mode),
        mtime: Some(stamp(entry)),
        ..Attributes::default()
    };
    tree.memory().set_attributes(node, &attributes, stamp(entry))
}

fn stamp(entry: &Entry) -> Timestamp {
    Timestamp {
        seconds: entry.time.0,
        nanos: entry.time.1,
    }
}

/// Compares a tree with the manifest that it had.
pub fn compare(tree: &WorkspaceTree, old: &Manifest) -> Result<Difference, Errno> {
    let mut walk = Walk {
        tree,
        manifest: Manifest::new(),
        fresh: Vec::new(),
        alive: rustc_hash::FxHashSet::default(),
    };
    walk.run()?;
    let Walk {
        manifest,
        fresh,
        alive,
        ..
    } = walk;
    tree.keep_only(|node| alive.contains(&node));
    let changed = manifest
        .iter()
        .filter(|(path, entry)| old.get(*path) != Some(entry));
    let gone = old.keys().filter(|path| !manifest.contains_key(*path));
    let changes = Changes {
        put: changed.map(|(_, entry)| entry.clone()).collect(),
        removed: gone.cloned().collect(),
    };
    Ok(Difference {
        manifest,
        changes,
        fresh,
    })
}

struct Walk<'t> {
    tree: &'t WorkspaceTree,
    manifest: Manifest,
    fresh: Vec<Fresh>,
    alive: rustc_hash::FxHashSet<NodeId>,
}

impl Walk<'_> {
    fn run(&mut self) -> Result<(), Errno> {
        let memory = self.tree.memory();
        let mut pending = vec![(memory.root(), String::new())];
        while let Some((node, path)) = pending.pop() {
            let metadata = memory.metadata(node)?;
            if let Some(entry) = self.entry(node, &metadata, path.clone())? {
                self.manifest.insert(path.clone(), entry);
            }
            if metadata.kind != FileKind::Directory {
                continue;
            }
            for name in memory.read_dir(node)? {
                let child = if path.is_empty() {
                    escape(&name.name)
                } else {
                    format!("{path}/{}", escape(&name.name))
                };
                pending.push((name.inode, child));
            }
        }
        Ok(())
    }

    /// Devices and sockets are not kept.
    fn entry(&mut self, node: NodeId, metadata: &Metadata, path: String) -> Result<Option<Entry>, Errno> {
        let (kind, content) = match metadata.kind {
            FileKind::Regular => (Kind::File, Some(self.contents(node, metadata)?)),
            FileKind::Directory => (Kind::Directory, None),
            FileKind::Symlink => (Kind::Link, Some(escape(&self.tree.memory().read_link(node)?))),
            FileKind::Fifo => (Kind::Pipe, None),
            FileKind::CharDevice | FileKind::BlockDevice | FileKind::Socket => return Ok(None),
        };
        Ok(Some(Entry {
            path,
            kind,
            mode: metadata.mode,
            time: (metadata.mtime.seconds, metadata.mtime.nanos),
            size: if kind == Kind::Directory { 0 } else { metadata.size },
            content,
            link: (kind == Kind::File && metadata.nlink > 1).then_some(node as i64),
        }))
    }

    /// The hash of a file, which is computed where it is not known.
    fn contents(&mut self, node: NodeId, metadata: &Metadata) -> Result<String, Errno> {
        self.alive.insert(node);
        if let Some(hash) = self.tree.hash(node) {
            return Ok(hash);
        }
        let mut contents = vec![0; usize::try_from(metadata.size).map_err(|_| Errno::EFBIG)?];
        let mut done = 0;
        while let Some(rest) = contents.get_mut(done..).filter(|rest| !rest.is_empty()) {
            let count = self.tree.memory().read(node, done as u64, rest)?;
            if count == 0 {
                break;
            }
            done += count;
        }
        let hash = blobs::hash(&contents);
        self.tree.set_stored(node, hash.clone(), true);
        self.fresh.push(Fresh {
            hash: hash.clone(),
            contents,
        });
        Ok(hash)
    }
}
