//! Positional parameters, and their share of the run's memory.

use std::ops::{Deref, DerefMut};

use crate::expand::Text;
use crate::kernel::Lease;

/// Bytes that a parameter costs beside those of a long text.
const SLOT: usize = 32;

/// `$1 …` of a shell, a function or a sourced file.
#[derive(Debug, Clone, Default)]
pub struct Arguments {
    texts: Vec<Text>,
    /// Held until the last who shares them goes.
    _lease: Option<Lease>,
}

impl Arguments {
    /// Holds them on the lease.
    pub fn new(texts: impl IntoIterator<Item = Text>, mut lease: Lease) -> Arguments {
        let texts: Vec<Text> = texts.into_iter().collect();
        let long = texts
            .iter()
            .map(|text| text.len())
            .filter(|length| *length > Text::INLINE);
        lease.set(texts.len() * SLOT + long.sum::<usize>());
        Arguments {
            texts,
            _lease: Some(lease),
        }
    }
}

impl Deref for Arguments {
    type Target = Vec<Text>;
    fn deref(&self) -> &Vec<Text> {
        &self.texts
    }
}

impl DerefMut for Arguments {
    fn deref_mut(&mut self) -> &mut Vec<Text> {
        &mut self.texts
    }
}
