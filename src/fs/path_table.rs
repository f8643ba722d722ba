//! Node numbers for trees that only know paths: a `vfs` tree, a host directory.
//!
//! A node is known by a key (its parent and name, or what the host calls it) and found by its last known place: parent and
//! name. So a directory moves with all that is below it. A number is given when a node is first seen and forgotten with its
//! last name, so the table grows with what was looked at.

use std::hash::Hash;

use rustc_hash::FxHashMap;

use super::{Errno, NodeId};

/// The number of the root.
pub(super) const ROOT: NodeId = 1;
/// A path longer than this many components is none: places that changed behind our back may go in a circle.
const DEPTH_MAX: usize = 2048;

/// The numbers of the nodes seen so far.
#[derive(Clone)]
pub(super) struct PathTable<Key> {
    numbers: FxHashMap<Key, NodeId>,
    places: FxHashMap<NodeId, Place<Key>>,
    next: NodeId,
}

#[derive(Clone)]
struct Place<Key> {
    key: Key,
    parent: NodeId,
    name: Vec<u8>,
}

impl<Key: Hash + Eq + Clone> PathTable<Key> {
    pub fn new() -> PathTable<Key> {
        PathTable {
            numbers: FxHashMap::default(),
            places: FxHashMap::default(),
            next: ROOT + 1,
        }
    }

    /// The number of a node that was found under a name.
    pub fn number(&mut self, key: Key, parent: NodeId, name: &[u8]) -> NodeId {
        if let Some(id) = self.numbers.get(&key).copied() {
            if let Some(place) = self
                .places
                .get_mut(&id)
                .filter(|place| place.parent != parent || place.name != name)
            {
                place.parent = parent;
                place.name = name.to_vec();
            }
            return id;
        }
        let id = self.next;
        self.next += 1;
        self.numbers.insert(key.clone(), id);
        self.places.insert(
            id,
            Place {
                key,
                parent,
                name: name.to_vec(),
            },
        );
        id
    }

    /// Gives a node another key and place; what had the key before is forgotten.
    pub fn rekey(&mut self, old: &Key, key: Key, parent: NodeId, name: &[u8]) {
        let Some(id) = self.numbers.remove(old) else {
            return;
        };
        if let Some(replaced) = self
            .numbers
            .insert(key.clone(), id)
            .filter(|replaced| *replaced != id)
        {
            self.places.remove(&replaced);
        }
        self.places.insert(
            id,
            Place {
                key,
                parent,
                name: name.to_vec(),
            },
        );
    }

    /// Forgets a node. A number that is still held answers `ENOENT` from then on.
    pub fn forget(&mut self, id: NodeId) {
        if let Some(place) = self.places.remove(&id)
            && self.numbers.get(&place.key) == Some(&id)
        {
            self.numbers.remove(&place.key);
        }
    }

    /// The components of a node's path, from below the root.
    pub fn path(&self, id: NodeId) -> Result<Vec<&[u8]>, Errno> {
        let mut components = Vec::new();
        let mut at = id;
        while at != ROOT {
            let place = self.places.get(&at).ok_or(Errno::ENOENT)?;
            components.push(place.name.as_slice());
            at = place.parent;
            if components.len() > DEPTH_MAX {
                return Err(Errno::ENOENT);
            }
        }
        components.reverse();
        Ok(components)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stay_and_paths_move() {
        let mut table = PathTable::new();
        let directory = table.number("d", ROOT, b"d");
        let file = table.number("f", directory, b"f");
        assert_eq!(table.number("f", directory, b"f"), file);
        table.rekey(&"d", "moved", ROOT, b"e");
        assert_eq!(table.path(file), Ok(vec![&b"e"[..], b"f"]));
        assert_eq!(table.number("moved", ROOT, b"e"), directory);
        table.forget(directory);
        assert_eq!(table.path(file), Err(Errno::ENOENT));
        let (one, two) = (table.number("1", ROOT, b"1"), table.number("2", ROOT, b"2"));
        table.number("1", two, b"1");
        table.number("2", one, b"2");
        assert_eq!(table.path(one), Err(Errno::ENOENT), "a circle ends");
    }
}
