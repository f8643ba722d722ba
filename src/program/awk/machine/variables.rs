//! Variables: globals and the locals of open calls, which a [`Place`] names.
//!
//! A place of an operation counts from the current call; an absolute one from the start of all locals, so that it stays valid in calls further in.

use std::sync::Arc;

use super::{Machine, Run};
use crate::kernel::Stop;
use crate::program::awk::value::{Place, Text, Value};

/// What the last of several unused variables stands for.
pub(super) enum End {
    Nothing,
    /// The caller has used it as a scalar meanwhile.
    Scalar,
    Array(u32),
    /// An element that was not used.
    Element(Arc<(u32, Text)>),
}

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
        let absolute = self.absolute(place);
        match self.slot(absolute) {
            // The caller's may have become an array meanwhile.
            Some(value @ Value::Untyped(_)) => match self.untyped_chain(absolute).1 {
                End::Array(array) => Value::Array(array),
                _ => value.clone(),
            },
            value => value.cloned().unwrap_or_default(),
        }
    }

    #[inline]
    pub(super) fn load_variable(&mut self, place: Place) -> Run<Value> {
        let slot = match place {
            Place::Global(index) => self.globals.get(index as usize),
            Place::Local(index) => self.locals.get(self.base() + index as usize),
        };
        match slot {
            Some(Value::Array(_)) => Err(self.scalar_error(place)),
            Some(Value::Unset | Value::Untyped(_) | Value::UntypedElement(_)) | None => {
                self.load_untyped(place)
            }
            Some(value) => {
                self.pay(value)?;
                Ok(value.clone())
            }
        }
    }

    /// Reading a variable that was never used makes it a scalar, and so the caller's that was given for it.
    fn load_untyped(&mut self, place: Place) -> Run<Value> {
        let absolute = self.absolute(place);
        let (chain, end) = self.untyped_chain(absolute);
        if let End::Array(array) = end {
            self.set_slots(&chain, &Value::Array(array));
            return Err(self.scalar_error(place));
        }
        if let End::Element(element) = &end {
            let (array, key) = element.as_ref();
            if let slot @ Value::Unset = self.element(*array, key)? {
                *slot = Value::Unassigned;
            }
        }
        self.set_slots(&chain, &Value::Unassigned);
        Ok(Value::Unassigned)
    }

    /// The variables that stand for each other from one on, and what the last of them stands for.
    pub(super) fn untyped_chain(&self, absolute: Place) -> (Vec<Place>, End) {
        let mut chain = vec![absolute];
        let mut next = self.slot(absolute);
        loop {
            match next {
                Some(Value::Untyped(outer)) => {
                    next = self.slot(*outer);
                    if matches!(
                        next,
                        Some(Value::Unset | Value::Untyped(_) | Value::UntypedElement(_))
                    ) {
                        chain.push(*outer);
                    }
                }
                Some(Value::UntypedElement(element)) => return (chain, End::Element(element.clone())),
                Some(Value::Array(array)) => return (chain, End::Array(*array)),
                Some(Value::Unset) | None => return (chain, End::Nothing),
                Some(_) => return (chain, End::Scalar),
            }
        }
    }

    pub(super) fn set_slots(&mut self, places: &[Place], value: &Value) {
        for place in places {
            if let Some(slot) = self.slot_mut(*place) {
                *slot = value.clone();
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
            Some(Value::Untyped(_)) => {
                // The caller's is a scalar from then on, too.
                self.load_untyped(place)?;
                self.store_variable(place, value)
            }
            Some(slot) => {
                *slot = match value {
                    // An unused value makes no other one.
                    Value::Unset | Value::Untyped(_) | Value::UntypedElement(_) => Value::Unassigned,
                    value => value,
                };
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
