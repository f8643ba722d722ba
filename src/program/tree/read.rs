//! Reading the tree: every entry that is shown, in the order in which it is shown.

use std::cmp::Ordering;

use rustc_hash::FxHashSet;

use super::Totals;
use super::options::{First, Options, Sort, any_matches};
use crate::fs::{FileKind, Follow, Metadata};
use crate::kernel::{Lease, Proc, Stop};
use crate::program::message::message;
use crate::program::path;
use crate::text::version;

/// What one node weighs in memory besides its names, about.
const NODE: usize = 256;

/// An entry that is shown.
pub struct Node {
    pub name: Vec<u8>,
    pub path: Vec<u8>,
    pub metadata: Option<Metadata>,
    /// Where a link leads, and what is there.
    pub link: Option<(Vec<u8>, Option<Metadata>)>,
    /// Numbers of the nodes in it, when it was looked into.
    pub children: Option<Vec<usize>>,
    /// Said behind the name.
    pub note: Option<Vec<u8>>,
    depth: usize,
    /// A directory that `--matchdirs` found: what is directly in it is shown.
    unfiltered: bool,
}

impl Node {
    /// A directory, or a link to one.
    pub fn is_directory(&self) -> bool {
        let kind = |found: &Metadata| found.kind == FileKind::Directory;
        self.metadata.as_ref().is_some_and(kind)
            || self
                .link
                .as_ref()
                .is_some_and(|(_, target)| target.as_ref().is_some_and(kind))
    }
}

/// All trees of a command.
pub struct Forest {
    pub nodes: Vec<Node>,
    pub roots: Vec<usize>,
    pub totals: Totals,
    /// Something could not be read.
    pub failed: bool,
    lease: Lease,
    weight: usize,
    /// Directories that were entered, for `-l`.
    entered: FxHashSet<(u64, u64)>,
    device: Option<u64>,
}

impl Forest {
    /// Reads the operands.
    pub async fn read(proc: &mut Proc, options: &Options) -> Result<Forest, Stop> {
        let mut forest = Forest {
            nodes: Vec::new(),
            roots: Vec::new(),
            totals: Totals::default(),
            failed: false,
            lease: proc.kernel.lease(),
            weight: 0,
            entered: FxHashSet::default(),
            device: None,
        };
        for operand in &options.operands {
            let root = forest.root(proc, operand, options)?;
            forest.roots.push(root);
            forest.device = forest
                .nodes
                .get(root)
                .and_then(|node| node.metadata.map(|found| found.device));
            let mut pending = vec![root];
            while let Some(index) = pending.pop() {
                proc.kernel.breathe().await;
                forest.expand(proc, index, options)?;
                let children = forest.nodes.get(index).and_then(|node| node.children.as_ref());
                pending.extend(children.into_iter().flatten().rev());
            }
        }
        // With `-d` the real one prunes nothing.
        if options.prune && !options.directories_only {
            forest.prune();
        }
        forest.count(options);
        Ok(forest)
    }

    fn push(&mut self, node: Node) -> Result<usize, Stop> {
        self.weight += NODE + node.name.len() + node.path.len();
        self.lease.resize(self.weight)?;
        self.nodes.push(node);
        Ok(self.nodes.len() - 1)
    }

    fn root(&mut self, proc: &Proc, operand: &[u8], options: &Options) -> Result<usize, Stop> {
        let metadata = proc.metadata(operand, Follow::Yes).ok();
        // A link as an operand is remembered as itself.
        if let Ok(own) = proc.metadata(operand, Follow::No) {
            self.entered.insert((own.device, own.inode));
        }
        let stripped = path::without_trailing_slashes(operand);
        let name = if options.full_paths { stripped } else { operand };
        self.push(Node {
            name: name.to_vec(),
            path: if options.full_paths {
                stripped.to_vec()
            } else {
                operand.to_vec()
            },
            metadata,
            link: None,
            children: None,
            note: None,
            depth: 0,
            unfiltered: false,
        })
    }

    /// Looks into a directory, where that is wanted.
    fn expand(&mut self, proc: &Proc, index: usize, options: &Options) -> Result<(), Stop> {
        let Some(node) = self.nodes.get(index) else {
            return Ok(());
        };
        let own_kind = node.metadata.map(|found| found.kind);
        if node.depth == 0 && own_kind != Some(FileKind::Directory) {
            self.failed |= own_kind.is_none();
            self.note(index, b"  [error opening dir]".to_vec());
            return Ok(());
        }
        let target = node.link.as_ref().and_then(|(_, target)| *target);
        let followed = target.filter(|found| options.follow_links && found.kind == FileKind::Directory);
        let directory = node
            .metadata
            .filter(|found| found.kind == FileKind::Directory)
            .or(followed);
        let Some(directory) = directory else { return Ok(()) };
        if options.follow_links && node.depth > 0 {
            let is_new = self.entered.insert((directory.device, directory.inode));
            if !is_new && followed.is_some() {
                self.note(index, b"  [recursive, not followed]".to_vec());
                return Ok(());
            }
        }
        let Some(node) = self.nodes.get(index) else {
            return Ok(());
        };
        let foreign = options.one_file_system && self.device != Some(directory.device);
        if node.depth >= options.levels || foreign {
            return Ok(());
        }
        let (path, depth, unfiltered) = (node.path.clone(), node.depth + 1, node.unfiltered);
        let Ok(listed) = proc.read_dir(&path) else {
            self.failed = true;
            self.note(index, b"  [error opening dir]".to_vec());
            return Ok(());
        };
        let mut found = Vec::new();
        for entry in listed {
            let whole = path::join(&path, &entry.name);
            if let Some(node) = look(proc, entry.name, whole, depth, unfiltered, options) {
                found.push(node);
            }
        }
        if options.file_limit > 0 && found.len() > options.file_limit {
            let count = found.len().to_string();
            self.note(
                index,
                message!("  [", count, " entries exceeds filelimit, not opening dir]"),
            );
            return Ok(());
        }
        sort(&mut found, options);
        let mut children = Vec::with_capacity(found.len());
        for node in found {
            children.push(self.push(node)?);
        }
        if let Some(node) = self.nodes.get_mut(index) {
            node.children = Some(children);
        }
        Ok(())
    }

    fn note(&mut self, index: usize, note: Vec<u8>) {
        if let Some(node) = self.nodes.get_mut(index) {
            node.note = Some(note);
        }
    }

    /// Takes out directories with nothing in them, from below. Children have greater numbers than their parents.
    fn prune(&mut self) {
        let mut empty = vec![false; self.nodes.len()];
        for index in (0..self.nodes.len()).rev() {
            let Some(node) = self.nodes.get_mut(index) else {
                continue;
            };
            let is_directory = node
                .metadata
                .is_some_and(|found| found.kind == FileKind::Directory);
            if let Some(children) = &mut node.children {
                children.retain(|child| empty.get(*child) != Some(&true));
            }
            let holds = node
                .children
                .as_ref()
                .is_some_and(|children| !children.is_empty());
            if let Some(slot) = empty.get_mut(index) {
                *slot = is_directory && !holds && node.note.is_none();
            }
        }
    }

    fn count(&mut self, options: &Options) {
        let mut pending: Vec<usize> = Vec::new();
        for root in &self.roots {
            let Some(node) = self.nodes.get(*root) else {
                continue;
            };
            match &node.children {
                Some(children) if !children.is_empty() => {
                    self.totals.directories += 1;
                    pending.extend(children);
                }
                Some(_) => {}
                None if node.is_directory() && node.note.is_some() => self.totals.directories += 1,
                None if node.metadata.is_some() && !options.directories_only => self.totals.files += 1,
                None => {}
            }
        }
        while let Some(index) = pending.pop() {
            let Some(node) = self.nodes.get(index) else {
                continue;
            };
            if node.is_directory() {
                self.totals.directories += 1;
            } else {
                self.totals.files += 1;
            }
            pending.extend(node.children.iter().flatten());
        }
    }
}

/// An entry of a directory, unless it is not shown.
fn look(
    proc: &Proc,
    name: Vec<u8>,
    whole: Vec<u8>,
    depth: usize,
    unfiltered: bool,
    options: &Options,
) -> Option<Node> {
    if !options.all && name.starts_with(b".") {
        return None;
    }
    let metadata = proc.metadata(&whole, Follow::No).ok()?;
    let mut link = None;
    if metadata.kind == FileKind::Symlink {
        let target = proc.read_link(&whole).unwrap_or_default();
        link = Some((target, proc.metadata(&whole, Follow::Yes).ok()));
    }
    let mut node = Node {
        name,
        path: whole,
        metadata: Some(metadata),
        link,
        children: None,
        note: None,
        depth,
        unfiltered: false,
    };
    let leads_to_directory = node.is_directory();
    let is_directory = metadata.kind == FileKind::Directory || (options.follow_links && leads_to_directory);
    if !options.include.is_empty() {
        let matches = any_matches(&options.include, &node.name, is_directory);
        if !matches && !is_directory && !unfiltered {
            return None;
        }
        node.unfiltered = is_directory && matches && options.match_directories;
    }
    if any_matches(&options.exclude, &node.name, is_directory) {
        return None;
    }
    if options.directories_only && !leads_to_directory {
        return None;
    }
    Some(node)
}

fn sort(nodes: &mut [Node], options: &Options) {
    let time = |node: &Node| {
        node.metadata.map(|found| match options.sort {
            Sort::Change => found.ctime,
            _ => found.mtime,
        })
    };
    let size = |node: &Node| node.metadata.map_or(0, |found| found.size);
    if options.sort == Sort::None {
        return;
    }
    nodes.sort_by(|left, right| {
        let group = match options.first {
            First::Neither => Ordering::Equal,
            First::Directories => right.is_directory().cmp(&left.is_directory()),
            First::Files => left.is_directory().cmp(&right.is_directory()),
        };
        let order = match options.sort {
            Sort::Name | Sort::None => Ordering::Equal,
            Sort::Version => version::compare(&left.name, &right.name),
            Sort::Size => size(right).cmp(&size(left)),
            Sort::Modification | Sort::Change => time(left).cmp(&time(right)),
        };
        let order = order.then_with(|| left.name.cmp(&right.name));
        group.then(if options.reverse { order.reverse() } else { order })
    });
}
