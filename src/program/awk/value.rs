//! Values: numbers, strings, and strings from outside that may look like numbers.
//!
//! A short string lies within the value; a longer one is shared. A large one holds its bytes on the meter for as long as it
//! lives, so that no variable escapes the limit on memory.

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::number;
use crate::kernel::{Halt, Kernel, Lease};

/// Strings up to this length lie within the value.
const INLINE: usize = 22;
/// Strings from this length on are held on the meter.
const METERED: usize = 4096;

/// A long string.
#[derive(Debug)]
pub struct Shared {
    bytes: Vec<u8>,
    lease: Option<Lease>,
}

/// A string.
#[derive(Debug, Clone)]
pub enum Text {
    /// The first bytes of the array.
    Inline(u8, [u8; INLINE]),
    /// A long string, shared.
    Shared(Arc<Shared>),
}

impl Default for Text {
    fn default() -> Self {
        Text::Inline(0, [0; INLINE])
    }
}

impl Text {
    /// A short string, copied; `None` when it is long.
    fn inline(bytes: &[u8]) -> Option<Text> {
        let mut data = [0; INLINE];
        data.get_mut(..bytes.len())?.copy_from_slice(bytes);
        Some(Text::Inline(bytes.len() as u8, data))
    }

    /// A string, copied.
    pub fn copy(bytes: &[u8], kernel: &Kernel) -> Result<Text, Halt> {
        match Text::inline(bytes) {
            Some(text) => Ok(text),
            None => Text::take(bytes.to_vec(), kernel),
        }
    }

    /// A string from a buffer.
    pub fn take(bytes: Vec<u8>, kernel: &Kernel) -> Result<Text, Halt> {
        if let Some(text) = Text::inline(&bytes) {
            return Ok(text);
        }
        let mut lease = None;
        if bytes.len() >= METERED {
            let mut held = kernel.lease();
            held.grow(bytes.len())?;
            lease = Some(held);
        }
        Ok(Text::Shared(Arc::new(Shared { bytes, lease })))
    }

    /// A string that is known to be of moderate length: of the program's own text, a number.
    pub fn small(bytes: &[u8]) -> Text {
        Text::inline(bytes).unwrap_or_else(|| {
            let bytes = bytes.to_vec();
            Text::Shared(Arc::new(Shared { bytes, lease: None }))
        })
    }

    /// The bytes.
    #[inline]
    pub fn bytes(&self) -> &[u8] {
        match self {
            Text::Inline(length, data) => data.get(..usize::from(*length)).unwrap_or_default(),
            Text::Shared(shared) => &shared.bytes,
        }
    }

    /// Appends in place when nobody shares the string.
    pub fn push(&mut self, more: &[u8], kernel: &Kernel) -> Result<(), Halt> {
        if let Text::Shared(shared) = self
            && let Some(shared) = Arc::get_mut(shared)
        {
            shared.bytes.extend_from_slice(more);
            let length = shared.bytes.len();
            match &mut shared.lease {
                Some(lease) => lease.resize(length)?,
                None if length >= METERED => {
                    let mut lease = kernel.lease();
                    lease.grow(length)?;
                    shared.lease = Some(lease);
                }
                None => {}
            }
            return Ok(());
        }
        let bytes = [self.bytes(), more].concat();
        *self = Text::take(bytes, kernel)?;
        Ok(())
    }
}

/// A subscript that `for` goes through and that was kept as an integer.
///
/// It is a string, but as gawk 5.2.1 has it, a comparison takes it for a number until its string was asked for, be it by a comparison. All copies
/// of it share that.
#[derive(Debug)]
pub struct Key {
    text: Text,
    fresh: AtomicBool,
}

impl Key {
    fn text(&self) -> &[u8] {
        self.fresh.store(false, Ordering::Relaxed);
        self.text.bytes()
    }

    /// The same as another subscript.
    pub fn subscript(&self) -> &Text {
        &self.text
    }
}

/// A place of a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// A global variable.
    Global(u32),
    /// A parameter, counted from the base of its frame; on the stack of locals, from its start.
    Local(u32),
}

/// A value.
#[derive(Debug, Clone, Default)]
pub enum Value {
    /// A variable or element that was neither assigned nor read: it may become an array.
    #[default]
    Unset,
    /// One that was read and is a scalar from then on, empty and 0.
    Unassigned,
    /// What a field that is not there gives: an empty string.
    NoField,
    Number(f64),
    Text(Text),
    /// From outside: a number too if it looks like one.
    Input(Text),
    /// `@/re/`
    Regex(Text),
    Key(Arc<Key>),
    /// An array, by its place in the heap.
    Array(u32),
    /// A parameter for which the caller gave a variable that was never used: it may become an array.
    Untyped(Place),
    /// The same for an element that was never used: its array and its key.
    UntypedElement(Arc<(u32, Text)>),
}

impl Value {
    /// 1 or 0.
    pub fn truth(value: bool) -> Value {
        Value::Number(f64::from(u8::from(value)))
    }

    /// A string from a buffer.
    pub fn take(bytes: Vec<u8>, kernel: &Kernel) -> Result<Value, Halt> {
        Ok(Value::Text(Text::take(bytes, kernel)?))
    }

    /// A subscript of a loop, kept as an integer.
    pub fn key(text: Text) -> Value {
        let fresh = AtomicBool::new(true);
        Value::Key(Arc::new(Key { text, fresh }))
    }

    /// As a number.
    #[inline]
    pub fn number(&self) -> f64 {
        match self {
            Value::Number(number) => *number,
            Value::Text(text) | Value::Input(text) | Value::Regex(text) => number::leading(text.bytes()),
            Value::Key(key) => number::leading(key.text.bytes()),
            _ => 0.0,
        }
    }

    /// As a string; `format` is CONVFMT or OFMT.
    #[inline]
    pub fn text<'a>(&'a self, format: &[u8]) -> Cow<'a, [u8]> {
        match self {
            Value::Number(number) => Cow::Owned(number::to_text(*number, format)),
            Value::Text(text) | Value::Input(text) | Value::Regex(text) => Cow::Borrowed(text.bytes()),
            Value::Key(key) => Cow::Borrowed(key.text()),
            _ => Cow::Borrowed(b""),
        }
    }

    /// Bytes of its text.
    #[inline]
    pub fn size(&self) -> usize {
        match self {
            Value::Text(text) | Value::Input(text) | Value::Regex(text) => text.bytes().len(),
            _ => 0,
        }
    }

    /// As a condition.
    #[inline]
    pub fn is_true(&self) -> bool {
        match self {
            Value::Number(number) => *number != 0.0,
            Value::Text(text) | Value::Regex(text) => !text.bytes().is_empty(),
            Value::Key(key) => !key.text().is_empty(),
            Value::Input(text) => match number::whole(text.bytes()) {
                Some(number) => number != 0.0,
                None => !text.bytes().is_empty(),
            },
            _ => false,
        }
    }

    /// The number, when it counts as one in a comparison.
    #[inline]
    pub fn comparable_number(&self) -> Option<f64> {
        match self {
            Value::Number(number) => Some(*number),
            Value::Input(text) => number::whole(text.bytes()),
            Value::Key(key) if key.fresh.swap(false, Ordering::Relaxed) => number::whole(key.text.bytes()),
            Value::Text(_) | Value::Regex(_) | Value::NoField | Value::Key(_) => None,
            _ => Some(0.0),
        }
    }
}
