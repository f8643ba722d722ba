//! Names of variables and functions.
//!
//! A name is shared by all its copies, and remembers where its variable was found last. Tables of variables look there first and compare
//! the name they find; so a variable in a loop costs a comparison of twenty bytes, and neither a hash nor a search. The
//! memory is only a hint: it is never trusted without that comparison.

use std::borrow::Borrow;
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Bytes of a name that need no allocation of their own.
const ROOM: usize = 19;

/// A variable or function name; cheap to clone.
#[derive(Clone)]
pub struct Name(Arc<Spelling>);

struct Spelling {
    place: AtomicU32,
    /// Of `short`; 0 where `long` is given.
    length: u8,
    /// Filled up with zeros.
    short: [u8; ROOM],
    long: Option<Box<[u8]>>,
}

impl Name {
    /// Where its variable was found last.
    #[inline]
    pub fn place(&self) -> usize {
        self.0.place.load(Relaxed) as usize
    }

    /// Remembers where its variable was found.
    #[inline]
    pub fn remember(&self, place: u32) {
        self.0.place.store(place, Relaxed);
    }
}

impl From<&[u8]> for Name {
    fn from(text: &[u8]) -> Name {
        let mut short = [0; ROOM];
        let long = match short.get_mut(..text.len()) {
            Some(room) => {
                room.copy_from_slice(text);
                None
            }
            None => Some(text.into()),
        };
        let length = if long.is_none() { text.len() as u8 } else { 0 };
        Name(Arc::new(Spelling {
            place: AtomicU32::new(0),
            length,
            short,
            long,
        }))
    }
}

impl From<Vec<u8>> for Name {
    fn from(text: Vec<u8>) -> Name {
        Name::from(text.as_slice())
    }
}

impl Deref for Name {
    type Target = [u8];
    #[inline]
    fn deref(&self) -> &[u8] {
        match &self.0.long {
            None => self.0.short.get(..usize::from(self.0.length)).unwrap_or_default(),
            Some(long) => long,
        }
    }
}

impl Borrow<[u8]> for Name {
    fn borrow(&self) -> &[u8] {
        self
    }
}

impl PartialEq for Name {
    #[inline]
    fn eq(&self, other: &Name) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
            || (self.0.length == other.0.length
                && self.0.short == other.0.short
                && self.0.long == other.0.long)
    }
}

impl Eq for Name {}

impl PartialOrd for Name {
    fn partial_cmp(&self, other: &Name) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Name {
    fn cmp(&self, other: &Name) -> std::cmp::Ordering {
        (**self).cmp(&**other)
    }
}

impl Hash for Name {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}

impl std::fmt::Debug for Name {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}", bstr::BStr::new(&**self))
    }
}

/// A number that an interpreter notes in a node of the tree; 0 at first. It is no part of what the node says.
#[derive(Debug, Default)]
pub struct Hint(AtomicU32);

impl Hint {
    /// What was noted.
    #[inline]
    pub fn get(&self) -> u32 {
        self.0.load(Relaxed)
    }

    /// Notes it.
    #[inline]
    pub fn set(&self, value: u32) {
        self.0.store(value, Relaxed);
    }
}

impl Clone for Hint {
    fn clone(&self) -> Hint {
        Hint(AtomicU32::new(self.get()))
    }
}

impl PartialEq for Hint {
    fn eq(&self, _: &Hint) -> bool {
        true
    }
}
