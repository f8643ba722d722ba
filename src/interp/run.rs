//! Running source text: scripts, `eval`, sourced files, traps. A complete command is read, run, and then the next is read.

use std::sync::Arc;

use super::{Divert, Flow, Frame, Interp, Set, Shopt, TrapKey};
use crate::expand::Text;
use crate::kernel::{Halt, cost};
use crate::syntax::ast::{List, Name};
use crate::syntax::{ParseEnv, ParseLimit, Parser, SyntaxError};

/// What parsing costs.
const STEPS_A_BYTE: u64 = 3;

/// Where text comes from: how errors name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// `bash -c`
    Command,
    /// A script file or standard input.
    Script,
    /// `eval`
    Eval,
    /// `.` or `source`
    Source,
    /// A trap.
    Trap {
        /// The line it counts from.
        line: u32,
        /// Which.
        key: TrapKey,
    },
}

/// The shell as the parser sees it.
struct Env<'i>(&'i Interp);

impl ParseEnv for Env<'_> {
    fn alias(&self, name: &[u8]) -> Option<&[u8]> {
        if !self.0.options.shopt(Shopt::ExpandAliases) && !self.0.options.is(Set::Posix) {
            return None;
        }
        self.0.aliases.get(name).map(|text| &**text)
    }

    fn extglob(&self) -> bool {
        self.0.options.shopt(Shopt::Extglob)
    }

    fn posix(&self) -> bool {
        self.0.options.is(Set::Posix)
    }

    fn cond_open(&self) -> bool {
        self.0.cond_open
    }

    fn max_bytes(&self) -> usize {
        self.0.proc.kernel.meter().free_bytes()
    }
}

impl Interp {
    /// Reads and runs a text to its end.
    pub async fn run_text(&mut self, text: &[u8], origin: Origin) -> Flow {
        let first_line = match origin {
            Origin::Trap { line, .. } => line,
            Origin::Eval => self.line.max(1),
            _ => 1,
        };
        self.note_if_asked(text);
        let mut parser = Parser::new(Arc::from(text), first_line);
        let shift = std::mem::take(&mut self.line_shift);
        let flow = self.run_parsed(&mut parser, text, origin).await;
        self.line_shift = shift;
        flow
    }

    /// A text that asks for `BASH_COMMAND`: commands are noted from here on.
    fn note_if_asked(&mut self, text: &[u8]) {
        self.noting |= memchr::memmem::find(text, b"BASH_COMMAND").is_some();
    }

    async fn run_parsed(&mut self, parser: &mut Parser, text: &[u8], origin: Origin) -> Flow {
        let mut status = 0;
        let mut any = false;
        loop {
            self.notify_jobs();
            let start = parser.position();
            let parsed = parser.next(&Env(self));
            let read = parser.position().saturating_sub(start) as u64;
            self.proc
                .kernel
                .meter()
                .charge(read * STEPS_A_BYTE + cost::STATEMENT)?;
            self.say_parse_warnings(parser);
            if self.options.is(Set::Verbose) {
                let mut lines = text
                    .get(start..parser.position().min(text.len()))
                    .unwrap_or_default()
                    .to_vec();
                if !lines.is_empty() && lines.last() != Some(&b'\n') {
                    lines.push(b'\n');
                }
                self.print_error(lines);
                self.flush().await?;
            }
            match parsed {
                Ok(None) => break,
                Ok(Some(list)) => {
                    any = true;
                    self.commands += u64::from(origin == Origin::Script);
                    let remembered = match origin {
                        Origin::Command => !self.interactive,
                        Origin::Script => true,
                        _ => false,
                    };
                    if self.remembers() && remembered {
                        let end = parser.position().min(text.len());
                        self.remember_command(text.get(start..end).unwrap_or_default());
                    }
                    // A tree that is kept counts on its own: see `define_function`.
                    let mut tree = self.proc.kernel.lease();
                    tree.grow(parser.weight())?;
                    status = self.run_unit(&list, origin).await?;
                    if self.options.is(Set::Onecmd) && origin == Origin::Script {
                        return Err(Divert::Exit(self.status));
                    }
                }
                Err(error) => {
                    self.fail_syntax(&error, origin).await?;
                    status = self.status;
                    if !error.resumes || matches!(origin, Origin::Eval | Origin::Trap { .. }) {
                        return Ok(status);
                    }
                    any = true;
                }
            }
        }
        if !any && !matches!(origin, Origin::Trap { .. }) {
            self.status = 0;
        }
        Ok(status)
    }

    /// Runs one complete command.
    async fn run_unit(&mut self, list: &Arc<List>, origin: Origin) -> Flow {
        if self.options.is(Set::Noexec) {
            return Ok(0);
        }
        let context = self.context;
        let flow = Box::pin(self.list(list)).await;
        self.flush().await?;
        match self.survived(flow) {
            // An error abandons the line; scripts go on with the next one.
            Err(Divert::Discard(status))
                if self.subshell == 0 || matches!(origin, Origin::Command | Origin::Script) =>
            {
                self.status = status;
                self.set_pipe_status(status);
                self.context = context;
                Ok(status)
            }
            flow => flow,
        }
    }

    fn say_parse_warnings(&mut self, parser: &mut Parser) {
        for (line, message) in parser.take_warnings() {
            let saved = std::mem::replace(&mut self.line, line);
            self.error(format!("warning: {message}"));
            self.line = saved;
        }
    }

    async fn fail_syntax(&mut self, error: &SyntaxError, origin: Origin) -> Flow<()> {
        if let Some(limit) = error.limit {
            let halt = match limit {
                ParseLimit::Depth => Halt::Depth,
                ParseLimit::Memory => Halt::Memory,
            };
            self.proc.kernel.meter().stop(halt);
            return Err(Divert::Halt(halt));
        }
        let status = self.say_syntax_error(error, origin_text(origin));
        self.cond_open = error.ends_input;
        if error.ends_input && !error.at_end && !matches!(origin, Origin::Eval | Origin::Source) {
            return self.flush().await;
        }
        self.flush().await?;
        self.status = status;
        self.set_pipe_status(status);
        match origin {
            _ if error.resumes => Ok(()),
            _ if error.ends_shell => {
                let command = self.started_as == Some(b'c');
                let status = if self.subshell > 0 {
                    1
                } else if command {
                    127
                } else {
                    status
                };
                Err(Divert::Exit(status))
            }
            Origin::Command | Origin::Script => Err(Divert::Exit(status)),
            Origin::Eval if self.options.is(Set::Posix) => Err(Divert::Exit(status)),
            _ => Ok(()),
        }
    }

    /// Prints a syntax error as bash does. Its status.
    pub(super) fn say_syntax_error(&mut self, error: &SyntaxError, what: &[u8]) -> i32 {
        let name = self.message_name();
        let mut prefix = name.to_vec();
        if !what.is_empty() {
            prefix.extend_from_slice(b": ");
            prefix.extend_from_slice(what);
        }
        // Of an interactive shell, only what it sources has lines.
        let sourced = self.frames.back().map(|frame| Arc::clone(&frame.source));
        let sourced = sourced.filter(|source| what.is_empty() && !source.is_empty());
        // Before the second line of an error, `set -e` has ended the shell.
        let last = error.context.as_deref().filter(|_| self.options.is(Set::Errexit));
        for (line, message) in error.lines() {
            if self.interactive {
                let Some(source) = &sourced else {
                    self.error(message);
                    break;
                };
                self.error([source, format!(": line {line}: {message}").as_bytes()].concat());
                continue;
            }
            if last == Some(message) {
                break;
            }
            let line = format!(": line {line}: ");
            self.print_error([&prefix, line.as_bytes(), message.as_bytes(), b"\n"].concat());
        }
        if error.resumes { 1 } else { 2 }
    }

    /// `eval`, and other texts that may nest without end: deep ones run in a task of their own.
    pub async fn run_nested(&mut self, text: Vec<u8>, origin: Origin) -> Flow {
        self.depth += 1;
        let limit = self.proc.kernel.meter().depth_limit();
        if self.depth + self.proc.depth > limit {
            self.proc.kernel.meter().stop(crate::kernel::Halt::Depth);
            return Err(Divert::Halt(crate::kernel::Halt::Depth));
        }
        // The text, its tree and what is read of it stay until it has run.
        let mut lease = self.proc.kernel.lease();
        lease.resize(text.len().saturating_mul(2))?;
        self.proc.kernel.meter().charge_bytes(text.len())?;
        self.nest += 1;
        let flow = if self.hops_at(self.nest) {
            self.on_new_task(move |interp| Box::pin(async move { interp.run_text(&text, origin).await }))
                .await
        } else {
            Box::pin(self.run_text(&text, origin)).await
        };
        self.nest = self.nest.saturating_sub(1);
        self.depth -= 1;
        flow
    }

    /// `. file args`: the text runs with a frame of its own.
    pub async fn run_sourced(&mut self, path: &[u8], text: Vec<u8>, args: Option<Vec<Vec<u8>>>) -> Flow {
        let call_line = self.line;
        let arguments = match &args {
            Some(args) => {
                let texts = args.iter().map(|arg| Text::new(arg));
                Arc::new(super::Arguments::new(texts, self.proc.kernel.lease()))
            }
            None => Arc::clone(&self.positional),
        };
        let frame = Frame {
            name: Name::from(&b"source"[..]),
            source: path.into(),
            call_line,
            arguments: self.options.shopt(Shopt::Extdebug).then(|| match &args {
                Some(_) => Arc::clone(&arguments),
                // Without arguments of its own, a file is its own argument.
                None => Arc::new(super::Arguments::new([Text::new(path)], self.proc.kernel.lease())),
            }),
        };
        self.frames.push_back(frame);
        let positional = args
            .is_some()
            .then(|| std::mem::replace(&mut self.positional, arguments));
        let reset = std::mem::take(&mut self.positional_reset);
        let traced = self.traces_functions();
        let hidden = if traced { None } else { Some(self.hide_debug()) };
        self.evals += 1;
        let flow = self.run_nested(text, Origin::Source).await;
        self.evals = self.evals.saturating_sub(1);
        if let Some(hidden) = hidden {
            self.restore_traps(hidden);
        }
        self.frames.pop_back();
        self.line = call_line;
        let flow = self.end_sourced(flow).await;
        // `set --` inside stays in force, but in functions.
        let stays = std::mem::replace(&mut self.positional_reset, reset) && !self.vars.in_function();
        if let Some(positional) = positional.filter(|_| !stays) {
            self.positional = positional;
        }
        flow
    }

    /// The RETURN trap of a file that was sourced. It sees `$?` as it was before `return`.
    async fn end_sourced(&mut self, flow: Flow) -> Flow {
        let status = match flow {
            Ok(status) | Err(Divert::Return(status)) => status,
            flow => return flow,
        };
        if self.has_trap(TrapKey::Return) {
            self.run_trap(TrapKey::Return).await?;
        }
        self.status = status;
        Ok(status)
    }

    /// Runs a script that is read from a descriptor while it runs: commands may read the same one.
    pub(super) async fn run_stream(&mut self) -> Flow {
        let mut line_number = 1;
        let mut pending = Vec::new();
        loop {
            let before = pending.len();
            if self.interactive {
                self.prompt(pending.is_empty(), line_number).await?;
            }
            // Commands may close it, or put another file in its place.
            let count = match self.proc.stdin() {
                Ok(file) => {
                    let read = file.read_until(&mut pending, b'\n', usize::MAX);
                    read.await.unwrap_or(0)
                }
                Err(_) => 0,
            };
            pending.retain(|byte| *byte != 0);
            let ended = count == 0;
            if ended && before == 0 {
                self.say_exit();
                return Ok(self.status);
            }
            if self.interactive && !ended && !self.take_typed(&mut pending, before).await? {
                pending.truncate(before);
                continue;
            }
            self.proc
                .kernel
                .meter()
                .charge(pending.len() as u64 / 8 + cost::TRANSFER)?;
            self.proc.kernel.meter().check_memory(pending.len() as u64)?;
            while !pending.is_empty() {
                match self.run_streamed(&mut pending, &mut line_number, ended).await? {
                    Streamed::Command => {}
                    Streamed::NeedsMore => break,
                    Streamed::End => return Ok(self.status),
                }
            }
            if ended {
                return Ok(self.status);
            }
        }
    }

    /// Runs the first command of what was read, if it is complete, and takes it out.
    async fn run_streamed(
        &mut self,
        pending: &mut Vec<u8>,
        line_number: &mut u32,
        ended: bool,
    ) -> Flow<Streamed> {
        let mut parser = Parser::new(Arc::from(pending.as_slice()), *line_number);
        let parsed = parser.next(&Env(self));
        let incomplete = match &parsed {
            Err(error) => error.incomplete || error.at_end,
            Ok(unit) => unit.is_some() && parser.ran_out(),
        };
        if incomplete && !ended {
            return Ok(Streamed::NeedsMore);
        }
        self.say_parse_warnings(&mut parser);
        let used = match &parsed {
            Ok(Some(_)) => parser.position().min(pending.len()),
            _ => pending.len(),
        };
        let text: Vec<u8> = pending.drain(..used).collect();
        *line_number += bytecount(&text);
        match parsed {
            Err(error) => {
                let flow = self.fail_syntax(&error, Origin::Script).await;
                if self.is_interactive() && error.limit.is_none() {
                    self.remember_command(&text);
                    return Ok(Streamed::Command);
                }
                flow?;
                return Ok(if error.resumes {
                    Streamed::Command
                } else {
                    Streamed::End
                });
            }
            Ok(unit) => {
                if self.options.is(Set::Verbose) {
                    self.print_error(&text);
                    self.flush().await?;
                }
                if self.remembers() {
                    self.remember_command(&text);
                }
                if let Some(list) = unit {
                    self.commands += 1;
                    if self.interactive && self.vars.get(b"PS0").is_some() {
                        self.print_prompt(b"PS0").await?;
                    }
                    self.note_if_asked(&text);
                    self.run_unit(&list, Origin::Script).await?;
                    if self.options.is(Set::Onecmd) {
                        return Ok(Streamed::End);
                    }
                }
            }
        }
        Ok(Streamed::Command)
    }
}

/// What became of the text of a script that is read while it runs.
enum Streamed {
    /// A command of it was run, or an error said that does not end the shell.
    Command,
    /// A command has begun and not ended.
    NeedsMore,
    /// The shell ends.
    End,
}

/// What stands between the shell's name and the line in messages about a text.
const fn origin_text(origin: Origin) -> &'static [u8] {
    match origin {
        Origin::Command => b"-c",
        Origin::Eval => b"eval",
        Origin::Trap { key, .. } => match key {
            TrapKey::Exit => b"exit trap",
            TrapKey::Debug => b"debug trap",
            TrapKey::Err => b"error trap",
            TrapKey::Return => b"return trap",
            TrapKey::Signal(_) => b"trap",
        },
        Origin::Script | Origin::Source => b"",
    }
}

fn bytecount(text: &[u8]) -> u32 {
    memchr::memchr_iter(b'\n', text).count() as u32
}
