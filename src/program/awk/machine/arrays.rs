//! Arrays: they live in one list and are named by number, so that a variable, an argument and an element can hold the same one.
//!
//! An unused variable given to a function becomes an array only when that is used as one, there and in the callers.

use super::names::Origin;
use super::variables::End;
use super::{Machine, Run, fatal};
use crate::program::awk::array::Array;
use crate::program::awk::code::ArrayRef;
use crate::program::awk::number;
use crate::program::awk::value::{Place, Text, Value};

impl Machine<'_> {
    /// A new array.
    fn new_array(&mut self, origin: Origin) -> u32 {
        if let Some(array) = self.free.pop() {
            if let Some(slot) = self.origins.get_mut(array as usize) {
                *slot = origin;
            }
            return array;
        }
        self.arrays.push(Array::default());
        self.origins.push(origin);
        self.arrays.len() as u32 - 1
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
            Some(Value::Unset | Value::Untyped(_) | Value::UntypedElement(_)) => self.make_array(place),
            _ => Err(self.array_error(place)),
        }
    }

    /// Makes an array in an unused variable, and in the caller's that was given for it.
    fn make_array(&mut self, place: Place) -> Run<u32> {
        let absolute = self.absolute(place);
        let (chain, end) = self.untyped_chain(absolute);
        let array = match end {
            End::Array(array) => array,
            End::Element(element) => self.subarray(element.0, &element.1)?,
            End::Scalar => return Err(self.array_error(place)),
            End::Nothing => match chain.last() {
                Some(Place::Global(index)) => self.new_array(Origin::Global(*index)),
                Some(Place::Local(index)) => {
                    let array = self.new_array(Origin::Local);
                    let owner = self
                        .frames
                        .iter_mut()
                        .rfind(|frame| frame.base <= *index as usize);
                    if let Some(frame) = owner {
                        frame.owned.push(array);
                    }
                    array
                }
                None => self.new_array(Origin::Local),
            },
        };
        self.set_slots(&chain, &Value::Array(array));
        Ok(array)
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
            Value::Regex(text) => Ok(text.clone()),
            Value::Key(key) => Ok(key.subscript().clone()),
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
        if self.is_table(array) {
            return self.load_symbol(array, key);
        }
        if let Some(value) = self.array(array).and_then(|array| array.get(key.bytes())) {
            match value {
                Value::Array(_) => return Err(self.element_scalar_error(array, key)),
                // Unlike a variable, it may still become an array.
                Value::Unset => return Ok(Value::Unassigned),
                value => {
                    self.pay(value)?;
                    return Ok(value.clone());
                }
            }
        }
        self.element(array, key)?;
        Ok(Value::Unassigned)
    }

    /// Assigns an element.
    pub fn set_element(&mut self, array: u32, key: &Text, value: Value) -> Run<()> {
        if self.is_table(array) {
            return self.store_symbol(array, key, value);
        }
        let slot = self.element(array, key)?;
        if matches!(slot, Value::Array(_)) {
            return Err(self.element_scalar_error(array, key));
        }
        *slot = match value {
            Value::Unset | Value::Untyped(_) | Value::UntypedElement(_) => Value::Unassigned,
            value => value,
        };
        Ok(())
    }

    /// The array within an element, made when it is not there.
    pub fn subarray(&mut self, array: u32, key: &Text) -> Run<u32> {
        if let Some(place) = self.symbol(array, key) {
            return self.array_of(place);
        }
        match self.element(array, key)? {
            Value::Array(inner) => return Ok(*inner),
            Value::Unset => {}
            _ => return Err(self.element_array_error(array, key)),
        }
        let inner = self.new_array(Origin::Element(array, key.clone()));
        *self.element(array, key)? = Value::Array(inner);
        Ok(inner)
    }

    /// An array with the same elements, those within it copied too.
    pub fn copy_array(&mut self, array: u32) -> Run<u32> {
        let copy = self.new_array(Origin::Local);
        let mut pending = vec![(array, copy)];
        while let Some((from, to)) = pending.pop() {
            let mut elements = Vec::new();
            if let Some(table) = self.array(from) {
                table.visit(|key, value| elements.push((key, value.clone())));
            }
            self.proc.charge(elements.len() as u64)?;
            for (key, value) in elements {
                if let Value::Array(inner) = value {
                    pending.push((inner, self.subarray(to, &key)?));
                } else {
                    *self.element(to, &key)? = value;
                }
            }
        }
        Ok(copy)
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
