//! What a variable holds.
//!
//! Cloning a value is cheap at any size: short texts are inline, long ones and arrays are shared until written. That makes a
//! subshell cost microseconds.

use std::sync::Arc;

use super::assoc::Assoc;
use super::indexed::Indexed;
use crate::kernel::Lease;

const INLINE: usize = 22;

/// A byte string: inline when short, shared when long.
#[derive(Clone)]
pub enum Text {
    /// Length and bytes.
    Inline(u8, [u8; INLINE]),
    /// Shared.
    Heap(Arc<Shared>),
}

/// The bytes of a long text, and their share of the run's memory once it is stored in a variable.
#[derive(Clone)]
pub struct Shared {
    bytes: Vec<u8>,
    lease: Option<Lease>,
}

/// Bytes that a shared text costs beside its own.
const OVERHEAD: usize = 64;

impl Shared {
    fn new(bytes: Vec<u8>) -> Arc<Shared> {
        Arc::new(Shared { bytes, lease: None })
    }

    /// Takes other bytes, in the same place.
    pub fn replace(&mut self, bytes: &[u8]) {
        self.bytes.clear();
        if self.bytes.capacity() / 4 > bytes.len() {
            self.bytes.shrink_to(bytes.len());
        }
        self.bytes.extend_from_slice(bytes);
        self.settle();
    }

    fn push_slice(&mut self, tail: &[u8]) {
        self.bytes.extend_from_slice(tail);
        self.settle();
    }

    fn settle(&mut self) {
        if let Some(lease) = &mut self.lease {
            lease.set(self.bytes.capacity() + OVERHEAD);
        }
    }
}

impl Text {
    /// Bytes of a text that fit without an allocation.
    pub const INLINE: usize = INLINE;

    /// The empty text.
    pub const EMPTY: Text = Text::Inline(0, [0; INLINE]);

    /// A copy of `bytes`.
    #[inline]
    pub fn new(bytes: &[u8]) -> Text {
        let mut inline = [0; INLINE];
        match inline.get_mut(..bytes.len()) {
            Some(room) => {
                room.copy_from_slice(bytes);
                Text::Inline(bytes.len() as u8, inline)
            }
            None => Text::Heap(Shared::new(bytes.to_vec())),
        }
    }

    /// The bytes.
    #[inline]
    pub fn as_slice(&self) -> &[u8] {
        match self {
            Text::Inline(len, bytes) => bytes.get(..usize::from(*len)).unwrap_or_default(),
            Text::Heap(shared) => &shared.bytes,
        }
    }

    /// Appends in amortised constant time a byte.
    pub fn push_slice(&mut self, tail: &[u8]) {
        match self {
            Text::Inline(len, bytes) => {
                let used = usize::from(*len);
                if let Some(room) = bytes.get_mut(used..used + tail.len()) {
                    room.copy_from_slice(tail);
                    *len += tail.len() as u8;
                } else {
                    let mut joined = Vec::with_capacity((used + tail.len()) * 2);
                    joined.extend_from_slice(self.as_slice());
                    joined.extend_from_slice(tail);
                    *self = Text::Heap(Shared::new(joined));
                }
            }
            Text::Heap(shared) => Arc::make_mut(shared).push_slice(tail),
        }
    }

    /// Counts the bytes of a long text on the lease's meter from now on, until the last of those who share it goes.
    #[inline]
    pub fn hold(&mut self, lease: &Lease) {
        if let Text::Heap(shared) = self
            && !shared.lease.as_ref().is_some_and(|held| held.is_sibling(lease))
            && let Some(shared) = Arc::get_mut(shared)
        {
            shared.lease = Some(lease.sibling());
            shared.settle();
        }
    }
}

impl std::fmt::Debug for Text {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}", bstr::BStr::new(self.as_slice()))
    }
}

impl From<&[u8]> for Text {
    fn from(bytes: &[u8]) -> Self {
        Text::new(bytes)
    }
}

impl From<Vec<u8>> for Text {
    fn from(bytes: Vec<u8>) -> Self {
        if bytes.len() <= INLINE {
            Text::new(&bytes)
        } else {
            Text::Heap(Shared::new(bytes))
        }
    }
}

impl std::ops::Deref for Text {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        self.as_slice()
    }
}

impl PartialEq for Text {
    fn eq(&self, other: &Self) -> bool {
        self.as_slice() == other.as_slice()
    }
}

impl Eq for Text {}

/// The value of a variable.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// Declared, without a value.
    Unset,
    /// A string.
    Scalar(Text),
    /// `declare -a`
    Indexed(Arc<Indexed>),
    /// `declare -A`
    Assoc(Arc<Assoc>),
    /// Computed when asked for; assigning is passed to the shell. See `interp::dynamic`.
    Dynamic(u8),
}

impl Value {
    /// What `$name` gives: the string, or element 0.
    pub fn scalar(&self) -> Option<&[u8]> {
        match self {
            Value::Unset | Value::Dynamic(_) => None,
            Value::Scalar(text) => Some(text),
            Value::Indexed(array) => array.get(0),
            Value::Assoc(array) => array.get(b"0"),
        }
    }

    /// Every element in order; one for a string.
    pub fn elements(&self) -> Vec<Text> {
        match self {
            Value::Unset | Value::Dynamic(_) => Vec::new(),
            Value::Scalar(text) => vec![text.clone()],
            Value::Indexed(array) => array.iter().map(|(_, text)| text.clone()).collect(),
            Value::Assoc(array) => array.iter().map(|(_, text)| text.clone()).collect(),
        }
    }

    /// Every key in order.
    pub fn keys(&self) -> Vec<Text> {
        match self {
            Value::Unset | Value::Dynamic(_) => Vec::new(),
            Value::Scalar(_) => vec![Text::new(b"0")],
            Value::Indexed(array) => array
                .iter()
                .map(|(i, _)| Text::from(i.to_string().into_bytes()))
                .collect(),
            Value::Assoc(array) => array.iter().map(|(key, _)| Text::new(key)).collect(),
        }
    }

    /// Counts what it holds on the lease's meter, from now on.
    #[inline]
    pub fn hold(&mut self, lease: &Lease) {
        match self {
            Value::Scalar(text) => text.hold(lease),
            Value::Indexed(array) if !array.is_held(lease) => Arc::make_mut(array).hold(lease),
            Value::Assoc(array) if !array.is_held(lease) => Arc::make_mut(array).hold(lease),
            _ => {}
        }
    }

    /// An array of either kind.
    pub fn is_array(&self) -> bool {
        matches!(self, Value::Indexed(_) | Value::Assoc(_))
    }
}

/// A set of attributes of a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Attributes(pub u16);

impl Attributes {
    /// `-x`
    pub const EXPORT: Attributes = Attributes(1);
    /// `-r`
    pub const READONLY: Attributes = Attributes(2);
    /// `-i`
    pub const INTEGER: Attributes = Attributes(4);
    /// `-l`
    pub const LOWER: Attributes = Attributes(8);
    /// `-u`
    pub const UPPER: Attributes = Attributes(16);
    /// `-c`
    pub const CAPITAL: Attributes = Attributes(32);
    /// `-n`
    pub const NAMEREF: Attributes = Attributes(64);
    /// `-t`
    pub const TRACE: Attributes = Attributes(128);
    /// Declared as an array, not yet assigned: `declare -a x`.
    pub const ARRAY: Attributes = Attributes(256);
    /// The same for `declare -A x`.
    pub const ASSOC: Attributes = Attributes(512);
    /// What changes an assigned value.
    pub const TRANSFORMS: Attributes =
        Attributes(Self::INTEGER.0 | Self::LOWER.0 | Self::UPPER.0 | Self::CAPITAL.0);

    /// Any of these?
    #[inline]
    pub const fn has(self, other: Attributes) -> bool {
        self.0 & other.0 != 0
    }

    /// With these.
    #[must_use]
    pub const fn with(self, other: Attributes) -> Attributes {
        Attributes(self.0 | other.0)
    }

    /// Without these.
    #[must_use]
    pub const fn without(self, other: Attributes) -> Attributes {
        Attributes(self.0 & !other.0)
    }
}

/// A variable.
#[derive(Debug, Clone, PartialEq)]
pub struct Variable {
    /// What it holds.
    pub value: Value,
    /// How it behaves.
    pub attributes: Attributes,
}

impl Default for Variable {
    fn default() -> Self {
        Variable {
            value: Value::Unset,
            attributes: Attributes::default(),
        }
    }
}

impl Variable {
    /// The letters of `declare`, in bash's order: `${x@a}`.
    pub fn flags(&self) -> String {
        let array = matches!(self.value, Value::Indexed(_)) || self.attributes.has(Attributes::ARRAY);
        let assoc = matches!(self.value, Value::Assoc(_)) || self.attributes.has(Attributes::ASSOC);
        let table = [
            (array && !assoc, 'a'),
            (assoc, 'A'),
            (self.attributes.has(Attributes::INTEGER), 'i'),
            (self.attributes.has(Attributes::NAMEREF), 'n'),
            (self.attributes.has(Attributes::READONLY), 'r'),
            (self.attributes.has(Attributes::TRACE), 't'),
            (self.attributes.has(Attributes::EXPORT), 'x'),
            (self.attributes.has(Attributes::CAPITAL), 'c'),
            (self.attributes.has(Attributes::LOWER), 'l'),
            (self.attributes.has(Attributes::UPPER), 'u'),
        ];
        table
            .iter()
            .filter(|(on, _)| *on)
            .map(|(_, letter)| *letter)
            .collect()
    }
}
