//! Arrays: they live in one list and are named by number, so that a variable, an argument and an element can hold the same one.
//!
//! An unused variable given to a function becomes an array only when that is used as one, there and in the callers.

use super::{Machine, Run, Trouble, fatal};
use crate::program::awk::array::Array;
use crate::program::awk::code::ArrayRef;
use crate::program::awk::number;
use crate::program::awk::value::{Place, Text, Value};

impl Machine<'_> {
    /// A new array.
    pub fn new_array(&mut self) -> u32 {
        match self.free.pop() {
            Some(array) => array,
            None => {
                self.arrays.push(Array::default());
                self.arrays.len() as u32 - 1
            }
        }
    }

    /// An array by number.
    #[inline]
    pub fn array(&self, array: u32) -> Option<&Array> {
        self.arrays.get(array as usize)
    }

    /// The array that a variable holds, made when it was never used.
    pub fn array_of(&mut self, place: Place) -> Run<u32> {
        let absolute = self.absolute(place);
        match self.slot(absolute) {
            Some(Value::Array(array)) => Ok(*array),
            Some(Value::Unset | Value::Untyped(_)) => Ok(self.make_array(absolute)),
            _ => Err(self.array_error(place)),
        }
    }

    /// Makes an array in an unused variable, and in the caller's that was given for it.
    fn make_array(&mut self, absolute: Place) -> u32 {
        let outer = match self.slot(absolute) {
            Some(Value::Array(array)) => return *array,
            Some(Value::Untyped(outer)) => Some(*outer),
            _ => None,
        };
        let mut chain = vec![absolute];
        let mut next = outer;
        let mut found = None;
        while let Some(place) = next {
            match self.slot(place) {
                Some(Value::Untyped(outer)) => next = Some(*outer),
                Some(Value::Array(array)) => {
                    found = Some(*array);
                    break;
                }
                Some(Value::Unset) => next = None,
                // The caller has used it otherwise meanwhile.
                _ => break,
            }
            chain.push(place);
        }
        let last = chain.last().copied().unwrap_or(absolute);
        let array = found.unwrap_or_else(|| {
            let array = self.new_array();
            if let Place::Local(index) = last
                && let Some(frame) = self.frames.iter_mut().rfind(|frame| frame.base <= index as usize)
            {
                frame.owned.push(array);
            }
            array
        });
        for place in chain {
            if let Some(slot) = self.slot_mut(place) {
                *slot = Value::Array(array);
            }
        }
        array
    }

    /// The array of an operation.
    pub fn resolve(&mut self, array: ArrayRef) -> Run<u32> {
        match array {
            ArrayRef::Variable(place) => self.array_of(place),
            ArrayRef::Stack => match self.pop() {
                Value::Array(array) => Ok(array),
                _ => Err(fatal("attempt to use a scalar value as array")),
            },
        }
    }

    /// A subscript as a key.
    #[inline]
    pub fn key(&self, value: &Value) -> Run<Text> {
        match value {
            Value::Text(text) | Value::Input(text) => Ok(text.clone()),
            Value::Number(number) => {
                let mut text = Vec::new();
                number::push(&mut text, *number, &self.convfmt);
                Ok(Text::small(&text))
            }
            _ => Ok(Text::default()),
        }
    }

    /// The value of an element, which is made when it is not there.
    pub fn element(&mut self, array: u32, key: &Text) -> Run<&mut Value> {
        let table = self
            .arrays
            .get_mut(array as usize)
            .ok_or_else(|| fatal("no such array"))?;
        let (value, cost) = table.entry(key).ok_or_else(|| fatal("no such element"))?;
        if cost > 0 {
            self.lease.grow(cost)?;
        }
        Ok(value)
    }

    pub(super) fn load_element(&mut self, array: u32, key: &Text) -> Run<Value> {
        if let Some(value) = self.array(array).and_then(|array| array.get(key.bytes())) {
            return match value {
                Value::Array(_) => Err(sub_array_error(key)),
                value => {
                    self.pay(value)?;
                    Ok(value.clone())
                }
            };
        }
        self.element(array, key).map(|value| value.clone())
    }

    /// Assigns an element.
    pub fn set_element(&mut self, array: u32, key: &Text, value: Value) -> Run<()> {
        let slot = self.element(array, key)?;
        if matches!(slot, Value::Array(_)) {
            return Err(sub_array_error(key));
        }
        *slot = value;
        Ok(())
    }

    /// The array within an element, made when it is not there.
    pub fn subarray(&mut self, array: u32, key: &Text) -> Run<u32> {
        match self.element(array, key)? {
            Value::Array(inner) => return Ok(*inner),
            Value::Unset | Value::Untyped(_) => {}
            _ => {
                let name = String::from_utf8_lossy(key.bytes()).into_owned();
                return Err(fatal(format!("attempt to use scalar `[\"{name}\"]' as an array")));
            }
        }
        let inner = self.new_array();
        *self.element(array, key)? = Value::Array(inner);
        Ok(inner)
    }

    /// Takes an element out.
    pub fn remove_element(&mut self, array: u32, key: &[u8]) {
        let Some(table) = self.arrays.get_mut(array as usize) else {
            return;
        };
        let before = table.bytes();
        let removed = table.remove(key);
        let after = table.bytes();
        self.shrink_lease(before - after);
        if let Some(Value::Array(inner)) = removed {
            self.free_array(inner);
        }
    }

    fn shrink_lease(&mut self, bytes: usize) {
        let held = (self.lease.bytes() as usize).saturating_sub(bytes);
        // Holding less cannot fail.
        let _ = self.lease.resize(held);
    }

    /// Empties an array, and frees those within it.
    pub fn clear_array(&mut self, array: u32) {
        let mut pending = vec![array];
        while let Some(array) = pending.pop() {
            let Some(table) = self.arrays.get_mut(array as usize) else {
                continue;
            };
            let table = std::mem::take(table);
            self.shrink_lease(table.bytes());
            table.visit(|_, value| {
                if let Value::Array(inner) = value {
                    pending.push(*inner);
                }
            });
            let inner = pending.iter().copied();
            self.free.extend(inner);
        }
    }

    pub(super) fn free_array(&mut self, array: u32) {
        self.clear_array(array);
        self.free.push(array);
    }
}

fn sub_array_error(key: &Text) -> Trouble {
    let name = String::from_utf8_lossy(key.bytes()).into_owned();
    fatal(format!("attempt to use array `[\"{name}\"]' in a scalar context"))
}
