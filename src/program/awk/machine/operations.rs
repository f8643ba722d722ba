//! The loop over operations.
//!
//! It does what needs no waiting, and pauses with a reason for the rest.

use std::sync::Arc;

use super::{Flow, Machine, Pause, Phase, Run, Walk, fatal};
use crate::kernel::cost;
use crate::program::awk::code::Op;
use crate::program::awk::number;
use crate::program::awk::value::Value;

/// Standard output is written when its buffer holds this.
const FULL: usize = 32 << 10;

impl Machine<'_> {
    /// Begins to go through an array.
    pub fn walk(&mut self, keys: Vec<Value>) {
        self.walks.push(Walk {
            keys: keys.into_iter(),
        });
    }

    /// Runs on until something must be waited for.
    pub fn run_on(&mut self) -> Run<Pause> {
        self.run_to_return(usize::MAX)
    }

    /// Runs on until something must be waited for, or until no more than `frames` calls are open.
    pub fn run_to_return(&mut self, frames: usize) -> Run<Pause> {
        let program = Arc::clone(&self.program);
        loop {
            let Some(op) = program.code.get(self.at).copied() else {
                return Ok(Pause::Ended(Flow::Finished));
            };
            self.at += 1;
            match op {
                Op::Number(number) => self.push(Value::Number(number)),
                Op::Text(index) => {
                    let text = program.texts.get(index as usize).cloned().unwrap_or_default();
                    self.push(text);
                }
                Op::Load(target) => {
                    let value = self.load(target)?;
                    self.push(value);
                }
                Op::Assign(target) => {
                    let value = self.pop();
                    self.store(target, value.clone())?;
                    self.push(value);
                }
                Op::Drop => {
                    self.stack.pop();
                }
                Op::Jump(to) => {
                    let to = to as usize;
                    let back = to < self.at;
                    self.at = to;
                    if back {
                        self.proc.charge(cost::TURN)?;
                        if self.proc.kernel.meter().slice_spent() {
                            return Ok(Pause::Breathe);
                        }
                    }
                }
                Op::JumpIfFalse(to) => {
                    if !self.pop().is_true() {
                        self.at = to as usize;
                    }
                }
                Op::JumpIfTrue(to) => {
                    if self.pop().is_true() {
                        self.at = to as usize;
                        self.proc.charge(cost::TURN)?;
                        if self.proc.kernel.meter().slice_spent() {
                            return Ok(Pause::Breathe);
                        }
                    }
                }
                Op::Call { function, count } => {
                    self.call(function, count as usize)?;
                    if !self.warnings.is_empty() {
                        return Ok(Pause::Warn);
                    }
                    if self.proc.kernel.meter().slice_spent() {
                        return Ok(Pause::Breathe);
                    }
                }
                Op::Return => {
                    self.return_from_call();
                    if self.frames.len() <= frames && frames != usize::MAX {
                        return Ok(Pause::Ended(Flow::Finished));
                    }
                }
                Op::Finish => return Ok(Pause::Ended(Flow::Finished)),
                Op::WalkNext(to) => match self.walks.last_mut().and_then(|walk| walk.keys.next()) {
                    Some(key) => self.push(key),
                    None => self.at = to as usize,
                },
                Op::WalkEnd => {
                    self.walks.pop();
                }
                Op::Print {
                    count,
                    redirection: None,
                } => {
                    self.print(count as usize)?;
                    if self.proc.out().len() >= FULL {
                        return Ok(Pause::Flush);
                    }
                }
                Op::Next => return self.leave(Flow::Next).map(Pause::Ended),
                Op::NextFile => return self.leave(Flow::NextFile).map(Pause::Ended),
                Op::Exit(has_status) => {
                    if has_status {
                        self.status = self.pop().number() as i64 as i32;
                    }
                    return Ok(Pause::Ended(Flow::Exit));
                }
                op => {
                    if let Some(pause) = self.operate(op)? {
                        return Ok(pause);
                    }
                    if !self.warnings.is_empty() {
                        return Ok(Pause::Warn);
                    }
                }
            }
        }
    }

    /// Prints a warning about the place where the machine is as soon as that can be.
    pub fn warn_later(&mut self, sentence: String) {
        let text = self.located(&[b"warning: ", sentence.as_bytes()].concat());
        self.warnings.push(text);
    }

    /// `next` and `nextfile` make sense only where records are read.
    fn leave(&self, flow: Flow) -> Run<Flow> {
        let name = if flow == Flow::Next { "next" } else { "nextfile" };
        let phase = match self.phase {
            Phase::Begin => "BEGIN",
            Phase::End => "END",
            Phase::BeginFile if flow == Flow::Next => "BEGINFILE",
            Phase::EndFile => "ENDFILE",
            _ => return Ok(flow),
        };
        Err(fatal(format!("`{name}' cannot be called from a `{phase}' rule")))
    }

    /// Prints to standard output's buffer.
    fn print(&mut self, count: usize) -> Run<()> {
        if count == 0 {
            let text = self.record.text(&self.ofs, &self.convfmt);
            let out = self.proc.out();
            out.extend_from_slice(text);
            out.extend_from_slice(&self.ors);
            return Ok(());
        }
        let first = self.stack.len().saturating_sub(count);
        let out = self.proc.out();
        write_values(
            out,
            self.stack.get(first..).unwrap_or_default(),
            &self.ofmt,
            &self.ofs,
            &self.ors,
        );
        self.stack.truncate(first);
        Ok(())
    }
}

/// The arguments of `print`.
pub fn write_values(out: &mut Vec<u8>, values: &[Value], ofmt: &[u8], ofs: &[u8], ors: &[u8]) {
    for (index, value) in values.iter().enumerate() {
        if index > 0 {
            out.extend_from_slice(ofs);
        }
        match value {
            Value::Number(number) => number::push(out, *number, ofmt),
            Value::Text(text) | Value::Input(text) => out.extend_from_slice(text.bytes()),
            value => out.extend_from_slice(&value.text(ofmt)),
        }
    }
    out.extend_from_slice(ors);
}
