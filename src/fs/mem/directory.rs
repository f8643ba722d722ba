//! The names of a directory, sorted by bytes: a short vector while there are few (most directories), a persistent map
//! beyond, so that 100 000 names cost O(log n) each and a clone is cheap either way.

use std::sync::Arc;

use imbl::OrdMap;

use crate::fs::{DirEntry, Node};

/// Up to this many names stay in a vector.
const FEW: usize = 16;

type Name = Arc<[u8]>;

/// The names of one directory.
#[derive(Clone)]
pub(super) enum Directory {
    Few(Vec<(Name, Node)>),
    Many(OrdMap<Name, Node>),
}

impl Default for Directory {
    fn default() -> Directory {
        Directory::Few(Vec::new())
    }
}

fn position(entries: &[(Name, Node)], name: &[u8]) -> Result<usize, usize> {
    entries.binary_search_by(|(other, _)| (**other).cmp(name))
}

impl Directory {
    pub fn is_empty(&self) -> bool {
        match self {
            Directory::Few(entries) => entries.is_empty(),
            Directory::Many(map) => map.is_empty(),
        }
    }

    pub fn get(&self, name: &[u8]) -> Option<Node> {
        match self {
            Directory::Few(entries) => {
                let index = position(entries, name).ok()?;
                entries.get(index).map(|(_, node)| *node)
            }
            Directory::Many(map) => map.get(name).copied(),
        }
    }

    /// Sets what a name stands for.
    pub fn insert(&mut self, name: &[u8], node: Node) {
        match self {
            Directory::Few(entries) => match position(entries, name) {
                Ok(index) => {
                    if let Some(entry) = entries.get_mut(index) {
                        entry.1 = node;
                    }
                }
                Err(index) if entries.len() < FEW => entries.insert(index, (name.into(), node)),
                Err(_) => {
                    let mut map: OrdMap<Name, Node> = entries.drain(..).collect();
                    map.insert(name.into(), node);
                    *self = Directory::Many(map);
                }
            },
            Directory::Many(map) => {
                map.insert(name.into(), node);
            }
        }
    }

    pub fn remove(&mut self, name: &[u8]) {
        match self {
            Directory::Few(entries) => {
                if let Ok(index) = position(entries, name) {
                    entries.remove(index);
                }
            }
            Directory::Many(map) => {
                map.remove(name);
                if map.len() <= FEW / 2 {
                    let few = map.iter().map(|(name, node)| (Arc::clone(name), *node)).collect();
                    *self = Directory::Few(few);
                }
            }
        }
    }

    /// All names in order.
    pub fn list(&self) -> Vec<DirEntry> {
        let entry = |(name, node): (&Name, &Node)| DirEntry {
            name: name.to_vec(),
            kind: node.kind,
            inode: node.id,
        };
        match self {
            Directory::Few(entries) => entries.iter().map(|(name, node)| entry((name, node))).collect(),
            Directory::Many(map) => map.iter().map(entry).collect(),
        }
    }

    /// How many names are directories.
    #[cfg(test)]
    pub fn subdirectories(&self) -> u64 {
        self.list()
            .iter()
            .filter(|entry| entry.kind == crate::fs::FileKind::Directory)
            .count() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fs::FileKind;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn behaves_as_a_map(steps in prop::collection::vec((any::<bool>(), 0..40u8), 1..120)) {
            let (mut directory, mut model) = (Directory::default(), BTreeMap::new());
            for (number, (insert, key)) in steps.into_iter().enumerate() {
                let name = format!("n{key}").into_bytes();
                let node = Node { id: number as u64, kind: FileKind::Regular };
                if insert {
                    directory.insert(&name, node);
                    model.insert(name, node);
                } else {
                    directory.remove(&name);
                    model.remove(&name);
                }
                let listed: Vec<_> = directory.list().into_iter().map(|entry| (entry.name, entry.inode)).collect();
                let expected: Vec<_> = model.iter().map(|(name, node)| (name.clone(), node.id)).collect();
                prop_assert_eq!(listed, expected);
                prop_assert_eq!(directory.is_empty(), model.is_empty());
            }
            for (name, node) in &model {
                prop_assert_eq!(directory.get(name), Some(*node));
            }
        }
    }
}
