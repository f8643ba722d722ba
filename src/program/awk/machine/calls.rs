//! Calls of the program's functions.

use std::sync::Arc;

use super::{Frame, Machine, Run, Trouble, fatal};
use crate::kernel::{Halt, cost};
use crate::program::awk::value::{Place, Value};

/// Calls that may be open.
const DEPTH: usize = 100_000;

impl Machine<'_> {
    /// Begins a call whose arguments are on the stack.
    pub fn call(&mut self, function: u32, count: usize) -> Run<()> {
        let program = Arc::clone(&self.program);
        let called = program.functions.get(function as usize);
        let name = called.map_or(&b""[..], |called| &called.name);
        let Some((called, start)) = called.and_then(|called| Some((called, called.start?))) else {
            return Err(fatal([b"function `", name, b"' not defined"].concat()));
        };
        if self.frames.len() >= DEPTH {
            return Err(Trouble::Halt(self.too_deep()));
        }
        self.proc.charge(cost::TURN)?;
        let base = self.locals.len();
        let arguments = self.pop_many(count);
        let parameters = called.parameters.len();
        if count > parameters {
            let name = String::from_utf8_lossy(name).into_owned();
            self.warn_later(format!(
                "function `{name}' called with more arguments than declared"
            ));
        }
        self.locals.extend(arguments.into_iter().take(parameters));
        self.locals.resize(base + parameters, Value::Unset);
        self.frames.push(Frame {
            function,
            return_to: self.at,
            base,
            stack: self.stack.len(),
            walks: self.walks.len(),
            owned: Vec::new(),
        });
        self.at = start as usize;
        Ok(())
    }

    fn too_deep(&self) -> Halt {
        self.proc.kernel.meter().stop(Halt::Depth);
        Halt::Depth
    }

    /// Ends the current call; its value is on the stack.
    pub fn return_from_call(&mut self) {
        let value = self.pop();
        if let Some(frame) = self.leave_frame() {
            self.at = frame.return_to;
        }
        self.push(value);
    }

    fn leave_frame(&mut self) -> Option<Frame> {
        let mut frame = self.frames.pop()?;
        self.stack.truncate(frame.stack);
        self.walks.truncate(frame.walks);
        self.locals.truncate(frame.base);
        for array in std::mem::take(&mut frame.owned) {
            self.free_array(array);
        }
        Some(frame)
    }

    /// Leaves every call above `frames`.
    pub fn unwind(&mut self, frames: usize, stack: usize, walks: usize) {
        while self.frames.len() > frames {
            self.leave_frame();
        }
        self.stack.truncate(stack);
        self.walks.truncate(walks);
    }

    /// An argument: an array or an unused variable is given itself.
    pub fn argument(&mut self, place: Place) {
        let absolute = self.absolute(place);
        let value = match self.slot(absolute) {
            Some(Value::Unset | Value::UntypedElement(_)) => Value::Untyped(absolute),
            Some(value) => value.clone(),
            None => Value::Unset,
        };
        self.push(value);
    }
}
