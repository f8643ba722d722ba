//! Registers: each is a stack of values, and each value has an array.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::machine::{Done, Machine, Value, said};
use crate::program::decimal::Number;

/// A value of a register with its array.
#[derive(Debug, Default)]
struct Level {
    value: Option<Value>,
    array: BTreeMap<u64, Value>,
}

/// A register: the value that counts, and those that wait below it.
#[derive(Debug, Default)]
struct Register {
    top: Level,
    below: Vec<Level>,
}

/// All registers, by letter.
#[derive(Debug, Default)]
pub struct Registers {
    all: FxHashMap<u8, Register>,
}

fn zero() -> Value {
    Value::Number(Number::whole(0))
}

impl Registers {
    /// The value on top of a register; 0 when there is none.
    pub fn top(&self, name: u8) -> Value {
        let value = self
            .all
            .get(&name)
            .and_then(|register| register.top.value.clone());
        value.unwrap_or_else(zero)
    }

    fn level(&mut self, name: u8) -> &mut Level {
        &mut self.all.entry(name).or_default().top
    }
}

impl Machine {
    /// The letter behind a command.
    pub(super) fn register_name(&mut self) -> Done<u8> {
        match self.frames.last_mut().and_then(super::scan::Frame::next) {
            Some(name) => Ok(name),
            None => said("unexpected EOS"),
        }
    }

    pub(super) fn register(&mut self, letter: u8) -> Done<()> {
        let name = self.register_name()?;
        match letter {
            b's' => {
                let value = self.pop()?;
                self.hold(&value)?;
                if let Some(old) = self.registers.level(name).value.replace(value) {
                    self.release(&old);
                }
                Ok(())
            }
            b'l' => {
                let value = self.registers.top(name);
                self.push(value)
            }
            b'S' => {
                let value = self.pop()?;
                self.hold(&value)?;
                let register = self.registers.all.entry(name).or_default();
                let above = Level {
                    value: Some(value),
                    array: BTreeMap::new(),
                };
                register.below.push(std::mem::replace(&mut register.top, above));
                Ok(())
            }
            b'L' => self.take_level(name),
            b':' => self.store_element(name),
            _ => {
                let index = self.index()?;
                let array = &self.registers.level(name).array;
                let value = array.get(&index).cloned().unwrap_or_else(zero);
                self.push(value)
            }
        }
    }

    fn take_level(&mut self, name: u8) -> Done<()> {
        let register = self.registers.all.entry(name).or_default();
        let below = register.below.pop().unwrap_or_default();
        let level = std::mem::replace(&mut register.top, below);
        let Some(value) = level.value else {
            let shown = match name.is_ascii_graphic() || name == b' ' {
                true => format!("'{}' (0{name:o})", char::from(name)),
                false => format!("0{name:o}"),
            };
            return said(format!("stack register {shown} is empty"));
        };
        self.release(&value);
        self.push(value)
    }

    fn index(&mut self) -> Done<u64> {
        let index = match self.pop()? {
            Value::Number(number) => number.rescaled(0).to_i64(),
            Value::Text(_) => None,
        };
        match index.and_then(|index| u64::try_from(index).ok()) {
            Some(index) => Ok(index),
            None => said("array index must be a nonnegative integer"),
        }
    }

    fn store_element(&mut self, name: u8) -> Done<()> {
        let index = self.index()?;
        let value = self.pop()?;
        self.hold(&value)?;
        if let Some(old) = self.registers.level(name).array.insert(index, value) {
            self.release(&old);
        }
        Ok(())
    }
}
