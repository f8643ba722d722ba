//! How messages name variables, arrays and elements: `x`, `a["1"]["2"]`, `parameter (from argument)`.

use super::{Machine, Trouble, fatal};
use crate::program::awk::value::{Place, Text, Value};

/// What an array was made for.
#[derive(Debug, Clone)]
pub enum Origin {
    Global(u32),
    /// A variable of a call, which the calls themselves lead to.
    Local,
    /// An element of another array.
    Element(u32, Text),
}

impl Machine<'_> {
    /// The name of a variable of the current call or a global one.
    fn name_of(&self, place: Place) -> Vec<u8> {
        match place {
            Place::Global(index) => self.global_name(index),
            Place::Local(index) => self.local_name(self.frames.len().wrapping_sub(1), index as usize),
        }
    }

    fn global_name(&self, index: u32) -> Vec<u8> {
        let name = self.program.globals.get(index as usize);
        name.cloned().unwrap_or_default()
    }

    fn local_name(&self, frame: usize, index: usize) -> Vec<u8> {
        let function = self
            .frames
            .get(frame)
            .and_then(|frame| self.program.functions.get(frame.function as usize));
        let name = function.and_then(|function| function.parameters.get(index));
        name.cloned().unwrap_or_default()
    }

    /// The name that an array was made with.
    fn array_name(&self, array: u32) -> Option<Vec<u8>> {
        let mut keys = Vec::new();
        let mut next = array;
        // Arrays within arrays end at a variable.
        while let Some(Origin::Element(outer, key)) = self.origins.get(next as usize) {
            keys.push(key);
            next = *outer;
        }
        let mut name = match self.origins.get(next as usize)? {
            Origin::Global(index) => self.global_name(*index),
            _ => self.holders(next).into_iter().next_back()?,
        };
        for key in keys.into_iter().rev() {
            push_key(&mut name, key.bytes());
        }
        Some(name)
    }

    /// The variables of open calls that hold an array, one a call, the innermost call first.
    fn holders(&self, array: u32) -> Vec<Vec<u8>> {
        let mut holders = Vec::new();
        let mut end = self.locals.len();
        for (number, frame) in self.frames.iter().enumerate().rev() {
            let own = self.locals.get(frame.base..end).unwrap_or_default();
            end = frame.base;
            let held = |value: &Value| matches!(value, Value::Array(held) if *held == array);
            if let Some(index) = own.iter().position(held) {
                holders.push(self.local_name(number, index));
            }
        }
        holders
    }

    /// An array where a plain value is wanted.
    pub(super) fn scalar_error(&self, place: Place) -> Trouble {
        let mut name = self.name_of(place);
        if let (Place::Local(_), Some(Value::Array(array))) = (place, self.slot(self.absolute(place))) {
            let mut from: Vec<_> = self.holders(*array).into_iter().skip(1).collect();
            if !matches!(self.origins.get(*array as usize), Some(Origin::Local)) {
                from.extend(self.array_name(*array));
            }
            let from: Vec<_> = from
                .iter()
                .map(|name| [b"from ", name.as_slice()].concat())
                .collect();
            if !from.is_empty() {
                name = [name.as_slice(), b" (", &from.join(&b", "[..]), b")"].concat();
            }
        }
        in_scalar_context(&name)
    }

    /// A plain value where an array is wanted.
    pub(super) fn array_error(&self, place: Place) -> Trouble {
        let kind: &[u8] = match place {
            Place::Local(_) => b"scalar parameter `",
            Place::Global(_) => b"scalar `",
        };
        fatal([b"attempt to use ", kind, &self.name_of(place), b"' as an array"].concat())
    }

    fn element_name(&self, array: u32, key: &Text) -> Vec<u8> {
        let mut name = self.array_name(array).unwrap_or_default();
        push_key(&mut name, key.bytes());
        name
    }

    /// An array in an element where a plain value is wanted.
    pub(super) fn element_scalar_error(&self, array: u32, key: &Text) -> Trouble {
        in_scalar_context(&self.element_name(array, key))
    }

    /// A plain value in an element where an array is wanted.
    pub(super) fn element_array_error(&self, array: u32, key: &Text) -> Trouble {
        let name = self.element_name(array, key);
        fatal([b"attempt to use scalar `", name.as_slice(), b"' as an array"].concat())
    }
}

fn in_scalar_context(name: &[u8]) -> Trouble {
    fatal([b"attempt to use array `", name, b"' in a scalar context"].concat())
}

fn push_key(name: &mut Vec<u8>, key: &[u8]) {
    name.extend_from_slice(b"[\"");
    name.extend_from_slice(key);
    name.extend_from_slice(b"\"]");
}
