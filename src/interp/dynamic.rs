//! Variables that the shell computes: `RANDOM`, `SECONDS`, `FUNCNAME`, …
//!
//! They stand in the table as [`Value::Dynamic`], so that `unset` makes them ordinary, as bash says.

use std::sync::Arc;

use super::{Arguments, ExpandFailure, Interp, Leaving};
use crate::expand::arith::plain_number;
use crate::expand::{Assoc, Indexed, Text, Value};
use crate::kernel::between;

/// The computed variables; the discriminant is the code in the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Dynamic {
    Random,
    Srandom,
    Seconds,
    EpochSeconds,
    EpochRealtime,
    Lineno,
    BashPid,
    BashSubshell,
    BashCommand,
    PipeStatus,
    FuncName,
    BashSource,
    BashLineno,
    BashArgc,
    BashArgv,
    DirStack,
    Groups,
    Underscore,
    ShellOpts,
    BashOpts,
    BashAliases,
    BashCmds,
    HistCmd,
    BashArgv0,
    CompWordbreaks,
}

/// What the shell does with a list for one of its own arrays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kept {
    /// It is stored.
    No,
    /// It is lost: the shell writes the array after each command.
    Remade,
    /// It cannot be assigned.
    Refused,
}

/// Names and what they compute.
pub(super) const TABLE: [(&str, Dynamic); 25] = [
    ("BASHOPTS", Dynamic::BashOpts),
    ("BASHPID", Dynamic::BashPid),
    ("BASH_ALIASES", Dynamic::BashAliases),
    ("BASH_ARGC", Dynamic::BashArgc),
    ("BASH_ARGV", Dynamic::BashArgv),
    ("BASH_ARGV0", Dynamic::BashArgv0),
    ("BASH_CMDS", Dynamic::BashCmds),
    ("BASH_COMMAND", Dynamic::BashCommand),
    ("BASH_LINENO", Dynamic::BashLineno),
    ("BASH_SOURCE", Dynamic::BashSource),
    ("BASH_SUBSHELL", Dynamic::BashSubshell),
    ("COMP_WORDBREAKS", Dynamic::CompWordbreaks),
    ("DIRSTACK", Dynamic::DirStack),
    ("EPOCHREALTIME", Dynamic::EpochRealtime),
    ("EPOCHSECONDS", Dynamic::EpochSeconds),
    ("FUNCNAME", Dynamic::FuncName),
    ("GROUPS", Dynamic::Groups),
    ("HISTCMD", Dynamic::HistCmd),
    ("LINENO", Dynamic::Lineno),
    ("PIPESTATUS", Dynamic::PipeStatus),
    ("RANDOM", Dynamic::Random),
    ("SECONDS", Dynamic::Seconds),
    ("SHELLOPTS", Dynamic::ShellOpts),
    ("SRANDOM", Dynamic::Srandom),
    ("_", Dynamic::Underscore),
];

fn text(value: impl ToString) -> Option<Value> {
    Some(Value::Scalar(Text::from(value.to_string().into_bytes())))
}

impl Interp {
    /// An array that is made anew each time, and paid for.
    fn array(&self, items: impl IntoIterator<Item = Vec<u8>>) -> Option<Value> {
        let items: Vec<Text> = items.into_iter().map(Text::from).collect();
        // Too much ends the run at its next charge.
        let _ = self.proc.kernel.meter().charge(items.len() as u64);
        Some(Value::Indexed(Arc::new(Indexed::from_texts(items))))
    }

    /// Computes a dynamic variable; `None`: unset just now.
    pub fn dynamic(&mut self, code: u8) -> Option<Value> {
        let (_, kind) = TABLE.iter().find(|(_, kind)| *kind as u8 == code)?;
        match kind {
            Dynamic::Random => text(self.next_random()),
            Dynamic::Srandom => text(self.proc.kernel.random() as u32),
            Dynamic::Seconds => {
                let now = self.proc.kernel.now();
                text(now.seconds - self.seconds_base.seconds)
            }
            Dynamic::EpochSeconds => text(self.proc.kernel.now().seconds),
            Dynamic::EpochRealtime => {
                let now = self.proc.kernel.now();
                text(format!("{}.{:06}", now.seconds, now.nanos / 1000))
            }
            Dynamic::Lineno => text(self.line),
            Dynamic::BashPid => text(self.proc.pid),
            Dynamic::BashSubshell => {
                let levels = self.subshell - u32::from(self.words_outside);
                text(i64::from(levels) + self.subshell_offset)
            }
            Dynamic::HistCmd => text(self.history_number()),
            Dynamic::BashCommand => self
                .command_text
                .as_ref()
                .map(|text| Value::Scalar(Text::new(text))),
            Dynamic::CompWordbreaks => text(" \t\n\"'@><=;|&(:"),
            // Nothing has run yet.
            Dynamic::PipeStatus if self.pipe_status.is_empty() => None,
            Dynamic::PipeStatus => self.array(
                self.pipe_status
                    .iter()
                    .map(|status| status.to_string().into_bytes()),
            ),
            Dynamic::FuncName if !self.vars.in_function() && self.leaving == Leaving::Nothing => None,
            Dynamic::FuncName => self.array(self.frames.iter().rev().map(|frame| frame.name.to_vec())),
            Dynamic::BashSource => self.array(self.frames.iter().rev().map(|frame| frame.source.to_vec())),
            Dynamic::BashLineno => self.array(
                self.frames
                    .iter()
                    .rev()
                    .map(|frame| frame.call_line.to_string().into_bytes()),
            ),
            Dynamic::BashArgc => {
                let counts = self.noted_arguments();
                self.array(
                    counts
                        .iter()
                        .map(|arguments| arguments.len().to_string().into_bytes()),
                )
            }
            Dynamic::BashArgv => {
                let noted = self.noted_arguments();
                self.array(
                    noted
                        .iter()
                        .flat_map(|arguments| arguments.iter().rev().map(|text| text.to_vec())),
                )
            }
            Dynamic::BashArgv0 => Some(Value::Scalar(Text::new(&self.zero))),
            Dynamic::DirStack => self.array(self.directory_stack()),
            Dynamic::Groups => self.array([self.proc.user.gid.to_string().into_bytes()]),
            Dynamic::Underscore => Some(Value::Scalar(Text::new(&self.last_argument))),
            Dynamic::ShellOpts => text(self.options.shellopts()),
            Dynamic::BashOpts => text(self.options.bashopts()),
            Dynamic::BashAliases => {
                let pairs = self
                    .aliases
                    .iter()
                    .map(|(name, value)| (name.as_slice(), &**value));
                Some(Value::Assoc(Arc::new(assoc(pairs))))
            }
            Dynamic::BashCmds => {
                let pairs = self
                    .hashed
                    .iter()
                    .map(|(name, (path, _))| (name.as_slice(), &**path));
                Some(Value::Assoc(Arc::new(assoc(pairs))))
            }
        }
    }

    /// What becomes of a list that is assigned to a variable of the shell, as long as nothing was put in its place.
    pub fn kept_by_shell(&self, name: &[u8]) -> Kept {
        const REMADE: [Dynamic; 2] = [Dynamic::PipeStatus, Dynamic::DirStack];
        const REFUSED: [Dynamic; 6] = [
            Dynamic::FuncName,
            Dynamic::BashSource,
            Dynamic::BashLineno,
            Dynamic::BashArgc,
            Dynamic::BashArgv,
            Dynamic::Groups,
        ];
        let Some(Value::Dynamic(code)) = self.vars.get(name).map(|variable| &variable.value) else {
            return Kept::No;
        };
        let is_among = |kinds: &[Dynamic]| kinds.iter().any(|kind| *kind as u8 == *code);
        match (is_among(&REMADE), is_among(&REFUSED)) {
            (true, _) => Kept::Remade,
            (_, true) => Kept::Refused,
            _ => Kept::No,
        }
    }

    /// Outside of functions, asking for `BASH_ARGC` or `BASH_ARGV` notes the arguments of the shell.
    pub(super) fn note_arguments_asked(&mut self, code: u8) {
        let asked = code == Dynamic::BashArgc as u8 || code == Dynamic::BashArgv as u8;
        if asked && !self.vars.in_function() {
            self.note_first_arguments();
        }
    }

    /// The arguments of functions and files that run, the innermost first, and those of the shell, as far as they were noted.
    fn noted_arguments(&self) -> Vec<Arc<Arguments>> {
        let frames = self.frames.iter().rev();
        let noted = frames.filter_map(|frame| frame.arguments.clone());
        noted.chain(self.first_arguments.clone()).collect()
    }

    /// `extdebug` was switched on, or `BASH_ARGV` is looked at.
    pub fn note_first_arguments(&mut self) {
        self.first_arguments
            .get_or_insert_with(|| Arc::clone(&self.positional));
    }

    /// `BASH_ALIASES` and `BASH_CMDS`, as long as nothing was put in their place.
    pub fn is_dynamic_assoc(&self, value: &Value) -> bool {
        matches!(value, Value::Dynamic(code)
            if *code == Dynamic::BashAliases as u8 || *code == Dynamic::BashCmds as u8)
    }

    /// bash's generator (Park and Miller's minimal standard), once it is seeded; before, the run's own.
    fn next_random(&mut self) -> u16 {
        loop {
            let seed = i64::from(self.random as u32);
            let seed = if seed == 0 { 123_459_876 } else { seed };
            let (high, low) = (seed / 127_773, seed % 127_773);
            let next = 16_807 * low - 2_836 * high;
            self.random = if next < 0 { next + 0x7fff_ffff } else { next } as u64;
            let value = ((self.random >> 16) ^ (self.random & 0xffff)) as u16 & 0x7fff;
            if value != self.last_random {
                self.last_random = value;
                return value;
            }
        }
    }

    /// Assigns to a dynamic variable. `false`: it becomes an ordinary one.
    pub(super) fn assign_dynamic(
        &mut self,
        code: u8,
        name: &[u8],
        key: Option<&[u8]>,
        value: &[u8],
    ) -> Result<bool, ExpandFailure> {
        let Some((_, kind)) = TABLE.iter().find(|(_, kind)| *kind as u8 == code) else {
            return Ok(false);
        };
        match kind {
            Dynamic::Random => {
                self.random = plain_number(value).unwrap_or(0) as u64 & 0xffff_ffff;
                self.last_random = 0;
            }
            Dynamic::Seconds => {
                let offset = plain_number(value).unwrap_or(0);
                let now = self.proc.kernel.now();
                self.seconds_base = crate::fs::Timestamp {
                    seconds: now.seconds - offset,
                    ..now
                };
            }
            Dynamic::BashArgv0 => self.zero = value.into(),
            Dynamic::Underscore => self.last_argument = value.to_vec(),
            Dynamic::BashAliases => {
                if let Some(key) = key {
                    let value = self.proc.kernel.held(key, value.to_vec());
                    Arc::make_mut(&mut self.aliases).insert(key.to_vec(), value);
                }
            }
            Dynamic::BashCmds => {
                if let Some(key) = key {
                    let path = self.proc.kernel.held(key, value.to_vec());
                    Arc::make_mut(&mut self.hashed).insert(key.to_vec(), (path, 0));
                }
            }
            Dynamic::DirStack => {
                let index = key
                    .and_then(plain_number)
                    .and_then(|index| usize::try_from(index).ok());
                let slot = index.and_then(|index| index.checked_sub(1));
                let kept = self.proc.kernel.held(b"", value.to_vec());
                if let Some(slot) = slot.and_then(|slot| Arc::make_mut(&mut self.directories).get_mut(slot)) {
                    *slot = kept;
                }
            }
            Dynamic::ShellOpts | Dynamic::BashOpts => {
                return Err(ExpandFailure::Discard([name, b": readonly variable"].concat()));
            }
            Dynamic::BashSubshell => {
                let levels = i64::from(self.subshell);
                self.subshell_offset = plain_number(value).unwrap_or(0) - levels;
            }
            Dynamic::CompWordbreaks => return Ok(false),
            Dynamic::Lineno => self.line = plain_number(value).unwrap_or(0) as u32,
            _ => {}
        }
        Ok(true)
    }

    /// When the shell started.
    pub fn started(&self) -> crate::fs::Timestamp {
        self.started_at
    }

    /// How long the shell has run, for `time` and `SECONDS`.
    pub fn elapsed(&self) -> std::time::Duration {
        between(self.started_at, self.proc.kernel.now())
    }
}

fn assoc<'a>(pairs: impl Iterator<Item = (&'a [u8], &'a [u8])>) -> Assoc {
    let mut array = Assoc::default();
    for (key, value) in pairs {
        array.set(key, Text::new(value));
    }
    array
}
