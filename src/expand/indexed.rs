//! Indexed arrays: a vector while they are dense, a map when they are sparse.

use std::collections::BTreeMap;

use super::value::Text;
use crate::kernel::Lease;

/// An indexed array.
#[derive(Debug, Clone, Default)]
pub struct Indexed {
    dense: Vec<Option<Text>>,
    /// Elements at or above `dense.len()` that are too far away to be dense.
    sparse: BTreeMap<i64, Text>,
    count: usize,
    /// Its share of the run's memory, once it is stored in a variable.
    lease: Option<Lease>,
}

/// Bytes that an element costs beside those of a long text.
const SLOT: usize = 48;

/// A gap up to this long is filled with empty slots.
const GAP: usize = 64;

impl Indexed {
    /// From elements 0, 1, 2, …
    pub fn from_texts(texts: impl IntoIterator<Item = Text>) -> Indexed {
        let dense: Vec<_> = texts.into_iter().map(Some).collect();
        Indexed {
            count: dense.len(),
            dense,
            ..Indexed::default()
        }
    }

    /// Its elements are counted on the lease's meter.
    #[inline]
    pub fn is_held(&self, lease: &Lease) -> bool {
        self.lease.as_ref().is_some_and(|held| held.is_sibling(lease))
    }

    /// Counts the elements on the lease's meter from now on.
    pub fn hold(&mut self, lease: &Lease) {
        for text in self.dense.iter_mut().flatten().chain(self.sparse.values_mut()) {
            text.hold(lease);
        }
        self.lease = Some(lease.sibling());
        self.settle();
    }

    #[inline]
    fn settle(&mut self) {
        if let Some(lease) = &mut self.lease {
            lease.set((self.dense.len() + self.sparse.len()) * SLOT);
        }
    }

    /// Number of elements set.
    pub fn len(&self) -> usize {
        self.count
    }

    /// No element is set.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// An element.
    #[inline]
    pub fn get(&self, index: i64) -> Option<&[u8]> {
        self.text(index).map(Text::as_slice)
    }

    /// An element, shared.
    #[inline]
    pub fn text(&self, index: i64) -> Option<&Text> {
        match self.dense.get(usize::try_from(index).ok()?) {
            Some(slot) => slot.as_ref(),
            None => self.sparse.get(&index),
        }
    }

    /// Sets an element; `index` is not negative.
    pub fn set(&mut self, index: i64, mut text: Text) {
        if let Some(lease) = &self.lease {
            text.hold(lease);
        }
        let Ok(at) = usize::try_from(index) else { return };
        if let Some(slot) = self.dense.get_mut(at) {
            self.count += usize::from(slot.is_none());
            *slot = Some(text);
            return;
        }
        if at - self.dense.len() <= GAP && self.sparse.is_empty() {
            self.dense.resize(at, None);
            self.dense.push(Some(text));
            self.count += 1;
        } else if self.sparse.insert(index, text).is_none() {
            self.count += 1;
        }
        self.settle();
    }

    /// Appends to an element, creating it.
    pub fn append(&mut self, index: i64, tail: &[u8]) {
        let slot = match usize::try_from(index).ok().and_then(|at| self.dense.get_mut(at)) {
            Some(slot) => slot.as_mut(),
            None => self.sparse.get_mut(&index),
        };
        match slot {
            Some(text) => {
                text.push_slice(tail);
                if let Some(lease) = &self.lease {
                    text.hold(lease);
                }
            }
            None => self.set(index, Text::new(tail)),
        }
    }

    /// Removes an element.
    pub fn remove(&mut self, index: i64) -> bool {
        let Ok(at) = usize::try_from(index) else {
            return false;
        };
        let removed = match self.dense.get_mut(at) {
            Some(slot) => slot.take().is_some(),
            None => self.sparse.remove(&index).is_some(),
        };
        self.count -= usize::from(removed);
        while matches!(self.dense.last(), Some(None)) {
            self.dense.pop();
        }
        self.settle();
        removed
    }

    /// The highest index that is set.
    pub fn last_index(&self) -> Option<i64> {
        let dense = self.dense.iter().rposition(Option::is_some).map(|i| i as i64);
        self.sparse.last_key_value().map(|(index, _)| *index).or(dense)
    }

    /// Where `+=( … )` goes on.
    pub fn next_index(&self) -> i64 {
        self.last_index().map_or(0, |index| index.saturating_add(1))
    }

    /// Index and text of every element, ascending.
    pub fn iter(&self) -> impl Iterator<Item = (i64, &Text)> {
        let dense = self
            .dense
            .iter()
            .enumerate()
            .filter_map(|(i, slot)| slot.as_ref().map(|text| (i as i64, text)));
        dense.chain(self.sparse.iter().map(|(index, text)| (*index, text)))
    }

    /// A negative index counts back from one past the last; `None` when it falls before 0.
    pub fn resolve(&self, index: i64) -> Option<i64> {
        if index >= 0 {
            return Some(index);
        }
        self.next_index().checked_add(index).filter(|index| *index >= 0)
    }
}

impl PartialEq for Indexed {
    fn eq(&self, other: &Self) -> bool {
        self.count == other.count && self.iter().eq(other.iter())
    }
}
