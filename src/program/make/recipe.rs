//! Running recipes: every line is one command of the shell, or of no shell where it needs none.
//!
//! All lines are expanded before the first one runs. A line without anything that only the shell understands is started directly, which
//! shows when there is no such program. Lines begin with `@` (not shown), `-` (errors are ignored) and `+` (run under `-n` too).

use super::Make;
use super::files::{Id, Recipe, Status};
use super::names::{self, is_blank, words};
use crate::fs::Follow;
use crate::kernel::{BoxFuture, Launch, Stop, WaitStatus};
use crate::program::message::message;

/// A line of a recipe, expanded.
struct Line {
    text: Vec<u8>,
    silent: bool,
    ignores_errors: bool,
    /// Calls make, or is marked to run always.
    recursive: bool,
    number: u64,
}

/// The prefix of a line, and where its text begins.
#[derive(Default, Clone, Copy)]
struct Marks {
    silent: bool,
    ignores_errors: bool,
    recursive: bool,
    length: usize,
}

fn marks(line: &[u8]) -> Marks {
    let mut marks = Marks::default();
    for byte in line {
        match byte {
            b'@' => marks.silent = true,
            b'-' => marks.ignores_errors = true,
            b'+' => marks.recursive = true,
            byte if is_blank(*byte) => {}
            _ => break,
        }
        marks.length += 1;
    }
    marks
}

/// The lines of a text; a backslash continues one.
fn lines(text: &[u8]) -> Vec<&[u8]> {
    let mut all = Vec::new();
    let mut start = 0;
    for at in memchr::memchr_iter(b'\n', text) {
        let line = text.get(start..at).unwrap_or_default();
        let quotes = line.iter().rev().take_while(|byte| **byte == b'\\').count();
        if quotes % 2 == 0 {
            all.push(line);
            start = at + 1;
        }
    }
    if let Some(rest) = text.get(start..).filter(|rest| !rest.is_empty()) {
        all.push(rest);
    }
    all
}

fn calls_make(line: &[u8]) -> bool {
    let has = |text: &[u8]| memchr::memmem::find(line, text).is_some();
    marks(line).recursive || has(b"$(MAKE)") || has(b"${MAKE}")
}

/// A line of it calls make.
pub fn is_recursive(recipe: &Recipe) -> bool {
    lines(&recipe.text).into_iter().any(calls_make)
}

/// All of its lines do.
pub fn is_all_recursive(recipe: &Recipe) -> bool {
    let lines = lines(&recipe.text);
    !lines.is_empty() && lines.into_iter().all(calls_make)
}

/// Continued lines inside of references are joined by a blank.
fn joined_references(line: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(line.len());
    let mut at = 0;
    while let Some(byte) = line.get(at) {
        if *byte != b'$' {
            out.push(*byte);
            at += 1;
            continue;
        }
        let end = names::after_reference(line, at);
        let reference = line.get(at..end).unwrap_or_default();
        if memchr::memmem::find(reference, b"\\\n").is_some() {
            out.extend_from_slice(&super::reader::collapsed(reference));
        } else {
            out.extend_from_slice(reference);
        }
        at = end.max(at + 1);
    }
    out
}

/// What only the shell understands.
const SHELL_BYTES: &[u8] = b"#;\"*?[]&|<>(){}$`^~!";
const SHELL_COMMANDS: &[&[u8]] = &[
    b".",
    b":",
    b"alias",
    b"bg",
    b"break",
    b"case",
    b"cd",
    b"command",
    b"continue",
    b"eval",
    b"exec",
    b"exit",
    b"export",
    b"fc",
    b"fg",
    b"for",
    b"getopts",
    b"hash",
    b"if",
    b"jobs",
    b"login",
    b"logout",
    b"read",
    b"readonly",
    b"return",
    b"set",
    b"shift",
    b"test",
    b"times",
    b"trap",
    b"type",
    b"ulimit",
    b"umask",
    b"unalias",
    b"unset",
    b"wait",
    b"while",
];

/// The words of a line that needs no shell.
fn direct(line: &[u8]) -> Option<Vec<Vec<u8>>> {
    let mut words: Vec<Vec<u8>> = Vec::new();
    let mut word: Option<Vec<u8>> = None;
    let mut only_settings = true;
    let mut bytes = line.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\'' => {
                let text = word.get_or_insert_with(Vec::new);
                loop {
                    match bytes.next()? {
                        b'\'' => break,
                        byte => text.push(byte),
                    }
                }
            }
            b'\\' => match bytes.next() {
                Some(b'\n') if word.is_none() => {}
                Some(b'\n') | None => {}
                Some(byte) => word.get_or_insert_with(Vec::new).push(byte),
            },
            b' ' | b'\t' => {
                if let Some(done) = word.take() {
                    only_settings &= done.contains(&b'=');
                    words.push(done);
                }
            }
            b'=' if words.is_empty() || only_settings => return None,
            byte if SHELL_BYTES.contains(&byte) => return None,
            byte => word.get_or_insert_with(Vec::new).push(byte),
        }
    }
    words.extend(word);
    let first = words.first().map(Vec::as_slice).unwrap_or_default();
    (!SHELL_COMMANDS.contains(&first)).then_some(words)
}

impl Make<'_> {
    /// How to start a command line; `None` for an empty one.
    pub async fn command(&mut self, line: &[u8]) -> Result<Option<Launch>, Stop> {
        let line = names::trim_start(line);
        if line.is_empty() {
            return Ok(None);
        }
        let shell = self.value_of(b"SHELL").await?;
        let shell = if shell.is_empty() {
            b"/bin/sh".to_vec()
        } else {
            shell
        };
        let flags = self.value_of(b".SHELLFLAGS").await?;
        let plain = shell == b"/bin/sh" && matches!(flags.as_slice(), b"-c" | b"-ec") && !self.one_shell;
        let args = match direct(line).filter(|_| plain) {
            Some(words) if words.is_empty() => return Ok(None),
            Some(words) => words,
            None => {
                let mut args: Vec<Vec<u8>> = words(&shell).map(<[u8]>::to_vec).collect();
                args.extend(words(&flags).map(<[u8]>::to_vec));
                args.push(line.to_vec());
                args
            }
        };
        Ok(Some(Launch {
            args,
            ..Launch::default()
        }))
    }

    /// Commands of this file are not shown.
    pub fn is_silent(&self, id: Id) -> bool {
        self.silent || self.files.get(id).is_silent
    }

    /// Runs the recipe of a file.
    pub fn run_recipe<'b>(&'b mut self, id: Id, recipe: &'b Recipe) -> BoxFuture<'b, Result<Status, Stop>> {
        Box::pin(async move {
            let is_mark = |byte: &u8| names::is_space(*byte) || b"-@+".contains(byte);
            if recipe.text.iter().all(is_mark) {
                self.finish(id, Status::Success, true);
                return Ok(Status::Success);
            }
            let scope = self.scope_of(id)?;
            let before = (self.scope.replace(scope), self.place.take());
            let frames = std::mem::take(&mut self.frames);
            let status = self.run_lines(id, recipe).await;
            self.frames = frames;
            (self.scope, self.place) = before;
            status
        })
    }

    async fn run_lines(&mut self, id: Id, recipe: &Recipe) -> Result<Status, Stop> {
        let lines = self.expanded_lines(recipe).await?;
        if self.options.trace {
            self.trace(id, recipe).await?;
        }
        let environment = self.child_environment().await?;
        let mut status = Status::Success;
        for line in &lines {
            status = self.run_line(id, recipe, line, &environment).await?;
            if status.is_bad() {
                break;
            }
        }
        self.finish(id, status, true);
        Ok(status)
    }

    async fn expanded_lines(&mut self, recipe: &Recipe) -> Result<Vec<Line>, Stop> {
        let raw = if self.one_shell {
            vec![recipe.text.as_slice()]
        } else {
            lines(&recipe.text)
        };
        let mut all = Vec::new();
        let mut lease = self.proc.kernel.lease();
        let mut number = recipe.place.as_ref().map_or(0, |place| place.line);
        for line in raw {
            let own = marks(line);
            let recursive = calls_make(line);
            self.place.clone_from(&recipe.place);
            if let Some(place) = &mut self.place {
                place.line = number;
            }
            let text = self.expand(&joined_references(line)).await?;
            lease.grow(text.len() * 2)?;
            let parts = if self.one_shell {
                vec![text.as_slice()]
            } else {
                lines(&text)
            };
            for part in parts {
                let inner = marks(part);
                all.push(Line {
                    text: self.command_text(part, inner.length, recipe.prefix),
                    silent: own.silent || inner.silent,
                    ignores_errors: own.ignores_errors || inner.ignores_errors,
                    recursive: recursive || inner.recursive,
                    number,
                });
            }
            number += memchr::memchr_iter(b'\n', line).count() as u64 + 1;
        }
        Ok(all)
    }

    /// The text of a line without its marks; lines that are continued lose the recipe's prefix.
    fn command_text(&self, part: &[u8], marks_length: usize, prefix: u8) -> Vec<u8> {
        let text = part.get(marks_length..).unwrap_or_default();
        if self.one_shell {
            let text = text.strip_suffix(b"\n").unwrap_or(text);
            let lines = text.split(|byte| *byte == b'\n');
            let bare: Vec<&[u8]> = lines
                .map(|line| line.get(marks(line).length..).unwrap_or_default())
                .collect();
            return bare.join(&b'\n');
        }
        let mut out = Vec::with_capacity(text.len());
        for (at, byte) in text.iter().enumerate() {
            let continues = at >= 2 && text.get(at - 2..at) == Some(b"\\\n");
            if !(continues && *byte == prefix) {
                out.push(*byte);
            }
        }
        out
    }

    async fn run_line(
        &mut self,
        id: Id,
        recipe: &Recipe,
        line: &Line,
        environment: &[(Vec<u8>, Vec<u8>)],
    ) -> Result<Status, Stop> {
        let Some(mut launch) = self.command(&line.text).await? else {
            return Ok(Status::Success);
        };
        if self.options.question && !line.recursive {
            return Ok(Status::Question);
        }
        if self.options.touch && !line.recursive {
            return Ok(Status::Success);
        }
        let silent = line.silent || self.is_silent(id);
        if self.options.just_print || self.options.trace || !silent {
            self.proc.write(&message!(line.text, "\n")).await?;
        }
        self.proc.flush().await?;
        self.commands_started += 1;
        if line.text == b":" || (self.options.just_print && !line.recursive) {
            return Ok(Status::Success);
        }
        launch.environment = Some(environment.to_vec());
        let name = launch.args.first().cloned().unwrap_or_default();
        let spawned = self.proc.spawn(launch);
        let end = match spawned {
            Ok(child) => self.proc.wait(child).await.unwrap_or(WaitStatus::Exited(0)),
            Err(errno) => {
                self.say_error(message!(name, ": ", errno.message())).await?;
                WaitStatus::Exited(127)
            }
        };
        if end == WaitStatus::Exited(0) {
            return Ok(Status::Success);
        }
        self.failed(id, recipe, line, end).await
    }

    async fn trace(&mut self, id: Id, recipe: &Recipe) -> Result<(), Stop> {
        let place = shown_place(recipe, recipe.place.as_ref().map_or(0, |place| place.line));
        let newer = self.value_of(b"?").await?;
        let name = &self.files.get(id).name;
        let reason = if newer.is_empty() {
            message!("target '", name, "' does not exist")
        } else {
            message!("update target '", name, "' due to: ", newer)
        };
        self.proc.write(&message!(place, ": ", reason, "\n")).await
    }

    /// A command failed: says so, and ends everything unless it is to go on.
    async fn failed(
        &mut self,
        id: Id,
        recipe: &Recipe,
        line: &Line,
        end: WaitStatus,
    ) -> Result<Status, Stop> {
        let entry = self.files.get(id);
        let ignored = line.ignores_errors || self.options.ignore_errors || entry.ignores_errors;
        let name = entry.name.clone();
        let what = match end {
            WaitStatus::Exited(code) => format!("Error {code}"),
            WaitStatus::Signaled(signal) => signal.description(),
        };
        let place = shown_place(recipe, line.number);
        if self.is_for_optional(id) {
            return Ok(Status::Failed);
        }
        if ignored {
            if !self.silent {
                self.say_error(message!("[", place, ": ", name, "] ", what, " (ignored)"))
                    .await?;
            }
            return Ok(Status::Success);
        }
        self.say_error(message!("*** [", place, ": ", name, "] ", what))
            .await?;
        if matches!(end, WaitStatus::Signaled(_)) || self.files.has_target(b".DELETE_ON_ERROR") {
            self.delete_target(id).await?;
            for other in self.files.get(id).also.clone() {
                self.delete_target(other).await?;
            }
        }
        if self.options.keep_going {
            return Ok(Status::Failed);
        }
        Err(Stop::Exit(2))
    }

    /// It is made for a makefile that need not be.
    fn is_for_optional(&self, id: Id) -> bool {
        let mut at = Some(id);
        for _ in self.files.ids() {
            let Some(entry) = at.map(|id| self.files.get(id)) else {
                return false;
            };
            if entry.optional {
                return true;
            }
            at = entry.parent;
        }
        false
    }

    /// Deletes a target that a failed command has changed.
    async fn delete_target(&mut self, id: Id) -> Result<(), Stop> {
        let entry = self.files.get(id);
        if entry.is_precious || entry.is_phony {
            return Ok(());
        }
        let (name, before) = (entry.name.clone(), entry.time.flatten());
        let Ok(found) = self.proc.metadata(&name, Follow::Yes) else {
            return Ok(());
        };
        let now = super::update::nanoseconds(found.mtime);
        if found.kind == crate::fs::FileKind::Regular && Some(now) != before {
            self.say_error(message!("*** Deleting file '", name, "'")).await?;
            if let Err(errno) = self.proc.unlink(&name) {
                self.say_error(message!("unlink: ", name, ": ", errno.message()))
                    .await?;
            }
        }
        Ok(())
    }
}

fn shown_place(recipe: &Recipe, number: u64) -> Vec<u8> {
    match &recipe.place {
        None => b"<builtin>".to_vec(),
        Some(place) => message!(place.file, ":", number.to_string()),
    }
}
