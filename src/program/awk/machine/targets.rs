//! What can be assigned: loading and storing by [`Target`], whose needs (a field's number, a subscript) are on the stack.

use super::{Machine, Run, fatal};
use crate::program::awk::code::{ArrayRef, Target};
use crate::program::awk::value::Value;

impl Machine<'_> {
    fn field_number(value: &Value) -> Run<usize> {
        let number = value.number();
        if number < 0.0 {
            return Err(fatal(format!("attempt to access field {}", number as i64)));
        }
        Ok(number as usize)
    }

    #[inline]
    fn load_field(&mut self, number: usize) -> Run<Value> {
        if number == 0 {
            let value = self.record.whole(&self.ofs, &self.convfmt, &self.proc.kernel)?;
            self.pay(&value)?;
            return Ok(value);
        }
        let value = self.record.field(number, &self.proc.kernel)?;
        self.pay(&value)?;
        Ok(value)
    }

    fn store_field(&mut self, number: usize, value: Value) -> Run<()> {
        if number == 0 {
            let text = self.text_of(&value);
            self.record.assign(&text, &value);
            return Ok(());
        }
        // What was split lazily must be split by the text as it is now.
        self.record.text(&self.ofs, &self.convfmt);
        Ok(self.record.set_field(number, value, &self.proc.kernel)?)
    }

    /// The value of a target; what it needs is taken off the stack.
    #[inline]
    pub fn load(&mut self, target: Target) -> Run<Value> {
        match target {
            Target::Variable(place) => self.load_variable(place),
            Target::FieldNumber(number) => self.load_field(number as usize),
            Target::Special(special) => self.load_special(special),
            Target::Field => {
                let index = self.pop();
                self.load_field(Machine::field_number(&index)?)
            }
            Target::Element(array) => {
                let key = self.pop();
                let key = self.key(&key)?;
                let array = self.resolve(array)?;
                self.load_element(array, &key)
            }
        }
    }

    /// Assigns to a target whose needs are on the stack.
    #[inline]
    pub fn store(&mut self, target: Target, value: Value) -> Run<()> {
        match target {
            Target::Variable(place) => self.store_variable(place, value),
            Target::FieldNumber(number) => self.store_field(number as usize, value),
            Target::Special(special) => self.store_special(special, value),
            Target::Field => {
                let index = self.pop();
                self.store_field(Machine::field_number(&index)?, value)
            }
            Target::Element(array) => {
                let key = self.pop();
                let key = self.key(&key)?;
                let array = self.resolve(array)?;
                self.set_element(array, &key, value)
            }
        }
    }

    /// The same target twice, to load and then to store: its needs are put on the stack once more.
    pub fn repeat_needs(&mut self, target: Target) -> Run<Target> {
        match target {
            Target::Field => {
                let index = self.stack.last().cloned().unwrap_or_default();
                self.push(index);
                Ok(target)
            }
            Target::Element(array) => {
                let key = self.pop();
                let array = self.resolve(array)?;
                for _ in 0..2 {
                    self.push(Value::Array(array));
                    self.push(key.clone());
                }
                Ok(Target::Element(ArrayRef::Stack))
            }
            other => Ok(other),
        }
    }
}
