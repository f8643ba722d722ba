//! Traps: EXIT, ERR, DEBUG, RETURN and signals.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Divert, Flow, Interp, Origin, Set, Shopt};
use crate::kernel::{BoxFuture, Disposition, Held, Signal};

/// What a trap waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TrapKey {
    /// The shell ends.
    Exit,
    /// A signal.
    Signal(Signal),
    /// Before each command.
    Debug,
    /// After a failure.
    Err,
    /// After a function or a sourced file.
    Return,
}

impl TrapKey {
    /// The number that keeps this kind from running inside itself.
    const fn bit(self) -> u8 {
        match self {
            TrapKey::Exit => 1,
            TrapKey::Signal(_) => 0,
            TrapKey::Debug => 2,
            TrapKey::Err => 4,
            TrapKey::Return => 8,
        }
    }

    /// The name `trap -p` prints.
    pub fn name(self) -> String {
        match self {
            TrapKey::Exit => "EXIT".into(),
            TrapKey::Signal(signal) => format!("SIG{}", signal.name()),
            TrapKey::Debug => "DEBUG".into(),
            TrapKey::Err => "ERR".into(),
            TrapKey::Return => "RETURN".into(),
        }
    }

    /// Reads a name or number as `trap` takes it.
    pub fn parse(text: &[u8]) -> Option<TrapKey> {
        match text.to_ascii_uppercase().as_slice() {
            b"EXIT" | b"0" => return Some(TrapKey::Exit),
            b"DEBUG" => return Some(TrapKey::Debug),
            b"ERR" => return Some(TrapKey::Err),
            b"RETURN" => return Some(TrapKey::Return),
            _ => {}
        }
        let signal = match crate::expand::arith::plain_number(text) {
            Some(number) => Signal::from_number(number),
            None => Signal::from_name(text),
        };
        signal.map(TrapKey::Signal)
    }
}

/// The table of traps.
#[derive(Debug, Clone, Default)]
pub struct Traps {
    /// Active ones. An empty text ignores the signal.
    pub active: BTreeMap<TrapKey, Arc<Held>>,
    /// What a subshell's parent had: `trap` without arguments still lists it.
    pub inherited: BTreeMap<TrapKey, Arc<Held>>,
    /// Signals that were ignored when the shell started: they cannot be trapped.
    pub ignored_at_start: Vec<Signal>,
}

/// Traps that a function does not see.
#[derive(Debug, Clone, Default)]
pub(super) struct Hidden(Vec<(TrapKey, Arc<Held>)>);

impl Interp {
    /// A trap of this kind is set and does not run now.
    #[inline]
    pub fn has_trap(&self, key: TrapKey) -> bool {
        !self.traps.active.is_empty() && self.in_trap & key.bit() == 0 && self.traps.active.contains_key(&key)
    }

    /// Some trap is set: a program must not take this process over.
    pub(super) fn has_any_trap(&self) -> bool {
        self.traps.active.values().any(|text| !text.is_empty())
    }

    /// Sets, ignores (empty text) or resets (`None`) a trap.
    pub fn set_trap(&mut self, key: TrapKey, text: Option<&[u8]>) {
        let traps = Arc::make_mut(&mut self.traps);
        self.noting |= matches!(key, TrapKey::Err | TrapKey::Debug);
        // The first change forgets what the parent had.
        traps.inherited.clear();
        match text {
            Some(text) => traps
                .active
                .insert(key, Arc::new(self.proc.kernel.held(b"", text.to_vec()))),
            None => traps.active.remove(&key),
        };
        match (key, text) {
            (TrapKey::Signal(signal), Some(b"")) => self.proc.signals.set(signal, Disposition::Ignore),
            (TrapKey::Signal(signal), Some(_)) => self.proc.signals.set(signal, Disposition::Catch),
            (TrapKey::Signal(signal), None) => self.reset_signal(signal),
            (TrapKey::Exit, _) => self.catch_for_exit(),
            _ => {}
        }
    }

    /// A signal without trap ends the shell; with an EXIT trap the shell must notice, to run that first.
    fn reset_signal(&self, signal: Signal) {
        let caught =
            signal.terminates() && signal != Signal::QUIT && self.traps.active.contains_key(&TrapKey::Exit);
        self.proc.signals.set(
            signal,
            if caught {
                Disposition::Catch
            } else {
                Disposition::Default
            },
        );
    }

    /// The EXIT trap came or went.
    fn catch_for_exit(&self) {
        for signal in Signal::all().filter(|signal| signal.terminates()) {
            if !self.traps.active.contains_key(&TrapKey::Signal(signal))
                && self.proc.signals.disposition(signal) != Disposition::Ignore
            {
                self.reset_signal(signal);
            }
        }
    }

    /// In a subshell, traps are back to their defaults, but ignored signals stay ignored.
    pub(super) fn reset_traps(&mut self) {
        if self.traps.active.is_empty() {
            return;
        }
        let errtrace = self.options.is(Set::Errtrace) || self.options.shopt(Shopt::Extdebug);
        let functrace = self.traces_functions();
        let traps = Arc::make_mut(&mut self.traps);
        let old = std::mem::take(&mut traps.active);
        traps.active = old
            .iter()
            .filter(|(key, text)| match key {
                TrapKey::Err => errtrace,
                TrapKey::Debug | TrapKey::Return => functrace,
                TrapKey::Signal(_) => text.is_empty(),
                TrapKey::Exit => false,
            })
            .map(|(key, text)| (*key, Arc::clone(text)))
            .collect();
        // What a subshell of a subshell lists is what the outermost had, as long as none changed it.
        if traps.inherited.is_empty() {
            traps.inherited = old;
        }
    }

    /// A process substitution does not even list them.
    pub(super) fn forget_inherited_traps(&mut self) {
        if !self.traps.inherited.is_empty() {
            Arc::make_mut(&mut self.traps).inherited.clear();
        }
    }

    /// Takes DEBUG, RETURN and ERR away for the time of a function that does not inherit them.
    pub(super) fn hide_traps(&mut self, traced: bool) -> Hidden {
        if self.traps.active.is_empty() {
            return Hidden::default();
        }
        let mut hide = Vec::new();
        if !traced {
            hide.extend([TrapKey::Debug, TrapKey::Return]);
        }
        if !self.options.is(Set::Errtrace) {
            hide.push(TrapKey::Err);
        }
        let traps = Arc::make_mut(&mut self.traps);
        Hidden(
            hide.into_iter()
                .filter_map(|key| traps.active.remove(&key).map(|text| (key, text)))
                .collect(),
        )
    }

    /// Gives them back, unless the function set its own.
    pub(super) fn restore_traps(&mut self, hidden: Hidden) {
        if hidden.0.is_empty() {
            return;
        }
        let traps = Arc::make_mut(&mut self.traps);
        for (key, text) in hidden.0 {
            traps.active.entry(key).or_insert(text);
        }
    }

    /// Remembers the command for `BASH_COMMAND`, unless a trap is running.
    pub(super) fn note_command(&mut self, text: impl FnOnce() -> Vec<u8>) {
        if self.trap.is_none() {
            self.command_text = Some(text().into());
        }
    }

    /// Runs a trap; `$?` is what it was, unless the trap exits. Its status.
    pub(super) fn run_trap(&mut self, key: TrapKey) -> BoxFuture<'_, Flow> {
        Box::pin(async move {
            let Some(text) = self.traps.active.get(&key).cloned() else {
                return Ok(0);
            };
            if text.is_empty() {
                return Ok(0);
            }
            self.flush().await?;
            let (status, pipe_status, line) = (self.status, self.pipe_status.clone(), self.line);
            let bit = key.bit();
            self.in_trap |= bit;
            let outer = self.trap.replace(key);
            self.trap_status = status;
            let context = self.context;
            // `break` and `continue` leave the loop that the trap came in.
            self.context.unchecked = false;
            let line_one = match key {
                TrapKey::Exit | TrapKey::Signal(_) => 1,
                TrapKey::Debug | TrapKey::Err | TrapKey::Return => line.max(1),
            };
            self.evals += 1;
            let origin = Origin::Trap { line: line_one, key };
            let flow = self.run_nested(text.to_vec(), origin).await;
            self.evals = self.evals.saturating_sub(1);
            self.context = context;
            self.in_trap &= !bit;
            self.trap = outer;
            let result = match flow {
                Ok(status) | Err(Divert::Discard(status)) => Ok(status),
                Err(divert @ (Divert::Break(_) | Divert::Continue(_))) => Err(divert),
                Err(divert) => return Err(divert),
            };
            self.status = status;
            self.pipe_status = pipe_status;
            self.line = line;
            result
        })
    }

    /// Runs traps of signals that came.
    pub(super) async fn run_pending_traps(&mut self) -> Flow<()> {
        while let Some(signal) = self.proc.signals.take_pending() {
            let key = TrapKey::Signal(signal);
            if signal != Signal::KILL && self.traps.active.contains_key(&key) {
                self.run_trap(key).await?;
            } else if signal.terminates() {
                // The shell was killed: by itself, or while it had an EXIT trap to run.
                return Err(Divert::Kill(signal));
            }
        }
        Ok(())
    }

    /// Runs the EXIT trap once; the status to end with.
    pub(super) async fn run_exit_trap(&mut self, status: i32) -> Flow {
        if !self.has_trap(TrapKey::Exit) {
            return Ok(status);
        }
        let Some(text) = Arc::make_mut(&mut self.traps).active.remove(&TrapKey::Exit) else {
            return Ok(status);
        };
        self.flush().await?;
        self.in_trap |= TrapKey::Exit.bit();
        self.context = super::Context::default();
        self.status = status;
        self.trap = Some(TrapKey::Exit);
        self.trap_status = status;
        let origin = Origin::Trap {
            line: 1,
            key: TrapKey::Exit,
        };
        let flow = self.run_text(&text, origin).await;
        match flow {
            Err(Divert::Exit(status)) => Ok(status),
            Err(divert @ (Divert::Halt(_) | Divert::Kill(_))) => Err(divert),
            _ => Ok(status),
        }
    }

    /// `extdebug` makes functions inherit traps.
    pub fn traces_functions(&self) -> bool {
        self.options.is(Set::Functrace) || self.options.shopt(Shopt::Extdebug)
    }
}

impl Interp {
    /// Takes DEBUG and RETURN away for the time of a sourced file.
    pub(super) fn hide_debug(&mut self) -> Hidden {
        if self.traps.active.is_empty() {
            return Hidden::default();
        }
        let traps = Arc::make_mut(&mut self.traps);
        let keys = [TrapKey::Debug];
        Hidden(
            keys.into_iter()
                .filter_map(|key| traps.active.remove(&key).map(|text| (key, text)))
                .collect(),
        )
    }
}
