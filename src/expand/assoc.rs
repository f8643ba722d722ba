//! Associative arrays, in bash's order.
//!
//! bash lists an associative array in the order of its hash table (`hashlib.c`): FNV-1 over the key, 1024 buckets, new keys at the head
//! of their chain, four times as many buckets when there are twice as many keys. Scripts print that order, so it is kept.

use super::value::Text;
use crate::kernel::Lease;

const BUCKETS: usize = 1024;
const NONE: u32 = u32::MAX;

#[derive(Debug, Clone)]
struct Entry {
    key: Text,
    value: Text,
    hash: u32,
    next: u32,
}

/// An associative array.
#[derive(Debug, Clone, Default)]
pub struct Assoc {
    heads: Vec<u32>,
    entries: Vec<Option<Entry>>,
    free: Vec<u32>,
    count: usize,
    /// Its share of the run's memory, once it is stored in a variable.
    lease: Option<Lease>,
}

/// Bytes that an entry costs beside those of long texts.
const ENTRY: usize = 96;

/// bash's hash of a key (FNV-1).
pub fn hash(key: &[u8]) -> u32 {
    key.iter().fold(2_166_136_261, |hash: u32, byte| {
        hash.wrapping_mul(16_777_619) ^ u32::from(*byte)
    })
}

impl Assoc {
    /// Its entries are counted on the lease's meter.
    #[inline]
    pub fn is_held(&self, lease: &Lease) -> bool {
        self.lease.as_ref().is_some_and(|held| held.is_sibling(lease))
    }

    /// Counts the entries on the lease's meter from now on.
    pub fn hold(&mut self, lease: &Lease) {
        for entry in self.entries.iter_mut().flatten() {
            entry.key.hold(lease);
            entry.value.hold(lease);
        }
        self.lease = Some(lease.sibling());
        self.settle();
    }

    fn settle(&mut self) {
        if let Some(lease) = &mut self.lease {
            lease.set(self.entries.len() * ENTRY + self.heads.len() * 4);
        }
    }

    /// Number of keys.
    pub fn len(&self) -> usize {
        self.count
    }

    /// No key is set.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    fn bucket(&self, hash: u32) -> usize {
        hash as usize & self.heads.len().wrapping_sub(1)
    }

    fn entry(&self, index: u32) -> Option<&Entry> {
        self.entries.get(index as usize).and_then(Option::as_ref)
    }

    fn find(&self, key: &[u8]) -> Option<u32> {
        let hash = hash(key);
        let mut at = *self.heads.get(self.bucket(hash))?;
        while let Some(entry) = self.entry(at) {
            if entry.hash == hash && entry.key.as_slice() == key {
                return Some(at);
            }
            at = entry.next;
        }
        None
    }

    /// The value of a key.
    pub fn get(&self, key: &[u8]) -> Option<&[u8]> {
        self.text(key).map(Text::as_slice)
    }

    /// The value of a key, shared.
    pub fn text(&self, key: &[u8]) -> Option<&Text> {
        self.entry(self.find(key)?).map(|entry| &entry.value)
    }

    /// The value of a key, to be changed.
    pub fn text_mut(&mut self, key: &[u8]) -> Option<&mut Text> {
        let at = self.find(key)?;
        self.entries
            .get_mut(at as usize)
            .and_then(Option::as_mut)
            .map(|entry| &mut entry.value)
    }

    /// Sets a key.
    pub fn set(&mut self, key: &[u8], mut value: Text) {
        if let Some(lease) = &self.lease {
            value.hold(lease);
        }
        if let Some(old) = self.text_mut(key) {
            *old = value;
            return;
        }
        if self.heads.is_empty() {
            self.heads = vec![NONE; BUCKETS];
        } else if self.count >= self.heads.len() * 2 {
            self.grow();
        }
        let hash = hash(key);
        let bucket = self.bucket(hash);
        let next = self.heads.get(bucket).copied().unwrap_or(NONE);
        let mut key = Text::new(key);
        if let Some(lease) = &self.lease {
            key.hold(lease);
        }
        let entry = Some(Entry {
            key,
            value,
            hash,
            next,
        });
        let at = match self.free.pop() {
            Some(at) => {
                if let Some(slot) = self.entries.get_mut(at as usize) {
                    *slot = entry;
                }
                at
            }
            None => {
                self.entries.push(entry);
                (self.entries.len() - 1) as u32
            }
        };
        if let Some(head) = self.heads.get_mut(bucket) {
            *head = at;
        }
        self.count += 1;
        self.settle();
    }

    /// Appends to a key's value, creating it.
    pub fn append(&mut self, key: &[u8], tail: &[u8]) {
        let lease = self.lease.as_ref().map(Lease::sibling);
        match self.text_mut(key) {
            Some(text) => {
                text.push_slice(tail);
                if let Some(lease) = lease {
                    text.hold(&lease);
                }
            }
            None => self.set(key, Text::new(tail)),
        }
    }

    fn grow(&mut self) {
        let order: Vec<u32> = self.chain_order().collect();
        self.heads = vec![NONE; self.heads.len() * 4];
        for at in order {
            let Some(hash) = self.entry(at).map(|entry| entry.hash) else {
                continue;
            };
            let bucket = self.bucket(hash);
            let Some(head) = self.heads.get_mut(bucket) else {
                continue;
            };
            let next = std::mem::replace(head, at);
            if let Some(Some(entry)) = self.entries.get_mut(at as usize) {
                entry.next = next;
            }
        }
    }

    /// Removes a key.
    pub fn remove(&mut self, key: &[u8]) -> bool {
        let Some(at) = self.find(key) else { return false };
        let Some(entry) = self.entries.get_mut(at as usize).and_then(Option::take) else {
            return false;
        };
        let bucket = self.bucket(entry.hash);
        let mut link = self.heads.get(bucket).copied().unwrap_or(NONE);
        if link == at {
            if let Some(head) = self.heads.get_mut(bucket) {
                *head = entry.next;
            }
        } else {
            while let Some(Some(previous)) = self.entries.get_mut(link as usize) {
                if previous.next == at {
                    previous.next = entry.next;
                    break;
                }
                link = previous.next;
            }
        }
        self.free.push(at);
        self.count -= 1;
        true
    }

    fn chain_order(&self) -> impl Iterator<Item = u32> + '_ {
        self.heads.iter().flat_map(|head| {
            std::iter::successors(Some(*head).filter(|at| *at != NONE), |at| {
                self.entry(*at).map(|entry| entry.next).filter(|at| *at != NONE)
            })
        })
    }

    /// Keys and values in bash's order.
    pub fn iter(&self) -> impl Iterator<Item = (&[u8], &Text)> + '_ {
        self.chain_order()
            .filter_map(|at| self.entry(at))
            .map(|entry| (entry.key.as_slice(), &entry.value))
    }
}

impl PartialEq for Assoc {
    fn eq(&self, other: &Self) -> bool {
        self.count == other.count && self.iter().all(|(key, value)| other.get(key) == Some(value))
    }
}
