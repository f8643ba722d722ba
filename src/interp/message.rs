//! What the shell and its builtins print.
//!
//! Builtins are plain functions: they print into [`Interp::print`], and what they printed is written when they return, waiting if a pipe is
//! full. Messages carry bash's prefix: the script's name and the line.

use std::sync::Arc;

use super::{Divert, ExpandFailure, Flow, Interp, Set};
use crate::fs::Errno;
use crate::kernel::{Disposition, File, Signal};

impl Interp {
    /// Prints on standard output.
    pub fn print(&mut self, text: impl AsRef<[u8]>) {
        match self.proc.fds.get(1).cloned() {
            Ok(file) => self.queue(&file, text.as_ref()),
            Err(errno) if !text.as_ref().is_empty() => self.fail_write(errno),
            Err(_) => {}
        }
    }

    pub(super) fn queue(&mut self, file: &Arc<File>, text: &[u8]) {
        match self.pending.last_mut() {
            Some((last, buffer)) if Arc::ptr_eq(last, file) => {
                buffer.extend_from_slice(text);
                if buffer.len() > 1 << 16 && self.pending.len() == 1 {
                    let _ = self.flush_now();
                }
            }
            _ => {
                let mut buffer = crate::expand::ExpandHost::buffer(self);
                buffer.extend_from_slice(text);
                self.pending.push((Arc::clone(file), buffer));
            }
        }
    }

    fn fail_write(&mut self, errno: Errno) {
        if !self.write_failed {
            self.write_failed = true;
            self.pending_errno = Some(errno);
        }
    }

    /// Prints on standard error as it is.
    pub fn print_error(&mut self, text: impl AsRef<[u8]>) {
        if let Ok(file) = self.proc.fds.get(2).cloned() {
            self.queue(&file, text.as_ref());
        }
    }

    /// The name that bash puts in front of messages.
    pub fn message_name(&self) -> Arc<[u8]> {
        if self.interactive {
            return self.proc.name().into();
        }
        match self.frames.back() {
            Some(frame) if !frame.source.is_empty() => Arc::clone(&frame.source),
            _ => Arc::clone(&self.zero),
        }
    }

    /// Prints `NAME: line N: message`; an interactive shell knows no lines.
    pub fn error(&mut self, message: impl AsRef<[u8]>) {
        let name = self.message_name();
        let line = match self.interactive {
            true => ": ".to_owned(),
            false => format!(": line {}: ", self.line),
        };
        self.print_error([&*name, line.as_bytes(), message.as_ref(), b"\n"].concat());
    }

    /// Writes what is pending as far as that needs no waiting. `Ok(true)`: everything.
    pub fn flush_now(&mut self) -> Flow<bool> {
        while let Some((file, text)) = self.pending.first_mut() {
            match file.try_write(text) {
                Ok(count) if count == text.len() => {
                    let (_, text) = self.pending.remove(0);
                    self.recycle_buffer(text);
                }
                Ok(count) => {
                    text.drain(..count);
                    return Ok(false);
                }
                Err(errno) => {
                    let (file, _) = self.pending.remove(0);
                    self.write_error(&file, errno)?;
                }
            }
        }
        Ok(true)
    }

    fn write_error(&mut self, file: &Arc<File>, errno: Errno) -> Flow<()> {
        if let Some(halt) = self.proc.kernel.meter().halted() {
            return Err(Divert::Halt(halt));
        }
        if errno == Errno::EPIPE && self.proc.signals.disposition(Signal::PIPE) != Disposition::Ignore {
            if !self
                .traps
                .active
                .contains_key(&super::TrapKey::Signal(Signal::PIPE))
            {
                self.pending.clear();
                return Err(Divert::Kill(Signal::PIPE));
            }
            let _ = self
                .proc
                .kernel
                .kill_from(self.proc.pid, self.proc.pid, Some(Signal::PIPE));
        }
        let is_output = self.proc.fds.get(1).is_ok_and(|output| Arc::ptr_eq(output, file));
        if is_output {
            self.fail_write(errno);
        }
        Ok(())
    }

    /// Writes everything that is pending.
    pub async fn flush(&mut self) -> Flow<()> {
        while !self.flush_now()? {
            let Some((file, text)) = self.pending.first_mut() else {
                break;
            };
            let (file, text) = (Arc::clone(file), std::mem::take(text));
            self.pending.remove(0);
            if let Err(errno) = file.write_all(&text).await {
                self.write_error(&file, errno)?;
            }
        }
        Ok(())
    }

    /// After a builtin: its output could not be written. bash says so and fails it.
    pub(super) fn settle_write(&mut self, name: &[u8], status: i32) -> i32 {
        let Some(errno) = self.pending_errno.take() else {
            return status;
        };
        self.write_failed = false;
        let message = format!(": write error: {errno}");
        self.error([name, message.as_bytes()].concat());
        1
    }

    /// The same for an assignment: one that cannot be made ends a shell in POSIX mode.
    pub(super) fn fail_assignment(&mut self, failure: ExpandFailure) -> Divert {
        match failure {
            ExpandFailure::Discard(message) if self.options.is(Set::Posix) => {
                self.fail_expansion(ExpandFailure::Fatal(message))
            }
            failure => self.fail_expansion(failure),
        }
    }

    /// An error that abandons the line; under `set -e`, the shell.
    fn abandon_line(&mut self, message: &[u8]) -> Divert {
        self.error(message);
        self.status = 1;
        match self.options.is(Set::Errexit) {
            true => Divert::Exit(1),
            false => Divert::Discard(1),
        }
    }

    /// Says why an expansion failed, and turns it into control flow.
    pub fn fail_expansion(&mut self, failure: ExpandFailure) -> Divert {
        match failure {
            ExpandFailure::Divert(divert) => divert,
            ExpandFailure::BadSubstitution { .. } => self.abandon_line(b"bad substitution"),
            ExpandFailure::Discard(message) => self.abandon_line(&message),
            ExpandFailure::Arith(message) => {
                self.error(message);
                self.status = 1;
                Divert::Discard(1)
            }
            ExpandFailure::Unassignable(message) => {
                self.error(message);
                let subshell = self.subshell > 0 && !self.in_substitution && !self.detached;
                self.status = if subshell { 2 } else { 1 };
                Divert::Discard(self.status)
            }
            ExpandFailure::Top(message) => {
                self.error(message);
                self.status = 1;
                if self.started_as == Some(b'c') {
                    Divert::Exit(1)
                } else {
                    Divert::Discard(1)
                }
            }
            ExpandFailure::Fatal(message) => {
                self.error(message);
                let command =
                    self.started_as == Some(b'c') && !self.options.is(Set::Errexit) && !self.interactive;
                let status = if command && self.subshell == 0 { 127 } else { 1 };
                self.status = status;
                Divert::Exit(status)
            }
        }
    }
}
