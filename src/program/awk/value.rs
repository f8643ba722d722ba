//! Values: numbers, strings, and strings from outside that may look like numbers.
//!
//! A short string lies within the value; a longer one is shared. A large one holds its bytes on the meter for as long as it
//! lives, so that no variable escapes the limit on memory.

use std::borrow::Cow;
use std::sync::Arc;

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
    /// Never assigned.
    #[default]
    Unset,
    Number(f64),
    Text(Text),
    /// From outside: a number too if it looks like one.
    Input(Text),
    /// An array, by its place in the heap.
    Array(u32),
    /// A parameter for which the caller gave a variable that was never used: it may become an array.
    Untyped(Place),
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

    /// As a number.
    #[inline]
    pub fn number(&self) -> f64 {
        match self {
            Value::Number(number) => *number,
            Value::Text(text) | Value::Input(text) => number::leading(text.bytes()),
            _ => 0.0,
        }
    }

    /// As a string; `format` is CONVFMT or OFMT.
    #[inline]
    pub fn text<'a>(&'a self, format: &[u8]) -> Cow<'a, [u8]> {
        match self {
            Value::Number(number) => Cow::Owned(number::to_text(*number, format)),
            Value::Text(text) | Value::Input(text) => Cow::Borrowed(text.bytes()),
            _ => Cow::Borrowed(b""),
        }
    }

    /// Bytes of its text.
    #[inline]
    pub fn size(&self) -> usize {
        match self {
            Value::Text(text) | Value::Input(text) => text.bytes().len(),
            _ => 0,
        }
    }

    /// As a condition.
    #[inline]
    pub fn is_true(&self) -> bool {
        match self {
            Value::Number(number) => *number != 0.0,
            Value::Text(text) => !text.bytes().is_empty(),
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
            Value::Text(_) => None,
            _ => Some(0.0),
        }
    }
}
