//! Variables: globals and the locals of open calls, which a [`Place`] names.
//!
//! A place of an operation counts from the current call; an absolute one from the start of all locals, so that it stays valid in calls further in.

use super::{Machine, Run, Trouble, fatal};
use crate::kernel::Stop;
use crate::program::awk::value::{Place, Text, Value};

/// Texts of fewer bytes cost no more than the operation on them.
const LARGE: usize = 1024;

impl Machine<'_> {
    pub(super) fn base(&self) -> usize {
        self.frames.last().map_or(0, |frame| frame.base)
    }

    /// The place counted from the start of the locals, not from the current call.
    pub(super) fn absolute(&self, place: Place) -> Place {
        match place {
            Place::Local(index) => Place::Local(index + self.base() as u32),
            global @ Place::Global(_) => global,
        }
    }

    #[inline]
    pub(super) fn slot(&self, absolute: Place) -> Option<&Value> {
        match absolute {
            Place::Global(index) => self.globals.get(index as usize),
            Place::Local(index) => self.locals.get(index as usize),
        }
    }

    #[inline]
    pub(super) fn slot_mut(&mut self, absolute: Place) -> Option<&mut Value> {
        match absolute {
            Place::Global(index) => self.globals.get_mut(index as usize),
            Place::Local(index) => self.locals.get_mut(index as usize),
        }
    }

    /// What a variable holds.
    pub fn variable(&self, place: Place) -> Value {
        self.slot(self.absolute(place)).cloned().unwrap_or_default()
    }

    /// The name of a variable, for messages.
    fn name_of(&self, place: Place) -> (Vec<u8>, bool) {
        match place {
            Place::Global(index) => (
                self.program
                    .globals
                    .get(index as usize)
                    .cloned()
                    .unwrap_or_default(),
                false,
            ),
            Place::Local(index) => {
                let function = self
                    .frames
                    .last()
                    .and_then(|frame| self.program.functions.get(frame.function as usize));
                let name = function.and_then(|function| function.parameters.get(index as usize));
                (name.cloned().unwrap_or_default(), true)
            }
        }
    }

    fn scalar_error(&self, place: Place) -> Trouble {
        let (name, _) = self.name_of(place);
        fatal(
            [
                b"attempt to use array `",
                name.as_slice(),
                b"' in a scalar context",
            ]
            .concat(),
        )
    }

    pub(super) fn array_error(&self, place: Place) -> Trouble {
        let (name, parameter) = self.name_of(place);
        let kind: &[u8] = if parameter {
            b"scalar parameter `"
        } else {
            b"scalar `"
        };
        fatal([b"attempt to use ", kind, &name, b"' as an array"].concat())
    }

    #[inline]
    pub(super) fn load_variable(&self, place: Place) -> Run<Value> {
        let slot = match place {
            Place::Global(index) => self.globals.get(index as usize),
            Place::Local(index) => self.locals.get(self.base() + index as usize),
        };
        match slot {
            Some(Value::Array(_)) => Err(self.scalar_error(place)),
            Some(Value::Untyped(_)) | None => Ok(Value::Unset),
            Some(value) => {
                self.pay(value)?;
                Ok(value.clone())
            }
        }
    }

    /// What is done with a large text goes through all of it: every operand is paid for where it is loaded.
    #[inline]
    pub(super) fn pay(&self, value: &Value) -> Result<(), Stop> {
        self.pay_bytes(value.size())
    }

    /// Pays for going through a text.
    #[inline]
    pub fn pay_bytes(&self, bytes: usize) -> Result<(), Stop> {
        if bytes < LARGE {
            return Ok(());
        }
        self.proc.charge(bytes as u64 / 8)
    }

    #[inline]
    pub fn store_variable(&mut self, place: Place, value: Value) -> Run<()> {
        let base = self.base();
        let slot = match place {
            Place::Global(index) => self.globals.get_mut(index as usize),
            Place::Local(index) => self.locals.get_mut(base + index as usize),
        };
        match slot {
            Some(Value::Array(_)) => Err(self.scalar_error(place)),
            Some(slot) => {
                *slot = value;
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// Appends to a variable in place.
    pub fn append(&mut self, place: Place, count: usize) -> Run<()> {
        let mut more = Vec::new();
        for value in self.pop_many(count) {
            more.extend_from_slice(&value.text(&self.convfmt));
        }
        self.proc.charge(more.len() as u64 / 64)?;
        let absolute = self.absolute(place);
        let held = match self.slot_mut(absolute) {
            Some(slot @ (Value::Text(_) | Value::Input(_))) => std::mem::take(slot),
            _ => self.load_variable(place)?,
        };
        let mut text = match held {
            Value::Text(text) | Value::Input(text) => text,
            other => Text::copy(&other.text(&self.convfmt), &self.proc.kernel)?,
        };
        text.push(&more, &self.proc.kernel)?;
        self.store_variable(place, Value::Text(text.clone()))?;
        // The copy on the stack would keep the string shared; most are dropped at once.
        drop(text);
        Ok(())
    }
}
