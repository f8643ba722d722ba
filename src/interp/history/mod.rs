//! The history list: empty in a script, unless `history -s` or `set -o history` fill it; on in a shell that was started with `-i`.
//!
//! What is read is remembered before it runs, so the last entry is the command that is running: [`History::holds_running`]. `HISTFILE` is read when
//! recording begins and gets what is new when the shell ends.

mod events;
mod join;

pub use events::expand;

use std::sync::Arc;

use super::interactive::Stage;
use super::{Interp, Set, Shopt};
use crate::fs::{OpenFlags, Timestamp};
use crate::kernel::Held;

/// How many entries are kept where nothing else is said.
const USUAL_SIZE: &[u8] = b"500";

/// A line of the history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The command, without its last newline.
    pub line: Held,
    /// When it came, if `HISTTIMEFORMAT` was set by then.
    pub time: Option<Timestamp>,
}

/// The list, and what of it files have.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct History {
    /// Oldest first.
    pub entries: Vec<Entry>,
    /// How many entries went before the first, to make room.
    pub dropped: usize,
    /// How many of the last ones were read from the script: `history -a` writes them.
    pub fresh: usize,
    /// How many lines were read from the file: `history -n` skips them.
    pub read: usize,
    /// The last entry is the command that is running.
    pub holds_running: bool,
    /// The file was looked at.
    pub begun: bool,
}

impl History {
    /// `history -c`
    pub fn clear(&mut self) {
        *self = History {
            holds_running: self.holds_running,
            begun: self.begun,
            ..History::default()
        };
    }

    /// Takes out the command that is running: something else comes in its place. False: it is gone already.
    pub fn drop_running(&mut self) -> bool {
        if !std::mem::take(&mut self.holds_running) {
            return true;
        }
        self.fresh = self.fresh.saturating_sub(1);
        self.entries.pop().is_some()
    }
}

impl Interp {
    fn history_mut(&mut self) -> &mut History {
        Arc::make_mut(&mut self.history)
    }

    /// What is read goes into the list; what `-c` is given does when a command of it asks for that, not an option before.
    pub(super) fn remembers(&self) -> bool {
        self.options.is(Set::History) && self.history.begun
    }

    /// The number of the command that is running, as the history counts.
    pub(super) fn history_number(&self) -> usize {
        if self.options.is(Set::History) {
            let coming = usize::from(self.stage == Stage::Prompting);
            (self.history.dropped + self.history.entries.len() + coming).max(1)
        } else {
            1
        }
    }

    /// Appends a line.
    pub fn remember(&mut self, line: Vec<u8>) {
        let timed = self.vars.get(b"HISTTIMEFORMAT").is_some();
        let time = timed.then(|| self.proc.kernel.now());
        self.remember_at(line, time);
    }

    /// Appends a line of a certain time.
    pub fn remember_at(&mut self, line: Vec<u8>, time: Option<Timestamp>) {
        let line = self.proc.kernel.held(b"", line);
        self.history_mut().entries.push(Entry { line, time });
        let surplus = self.drop_surplus();
        self.history_mut().dropped += surplus;
    }

    /// Drops the oldest entries above `HISTSIZE`; how many.
    fn drop_surplus(&mut self) -> usize {
        let limit = self.number(b"HISTSIZE");
        let Some(limit) = limit.and_then(|size| usize::try_from(size).ok()) else {
            return 0;
        };
        let surplus = self.history.entries.len().saturating_sub(limit);
        if surplus > 0 {
            self.history_mut().entries.drain(..surplus);
        }
        surplus
    }

    /// `HISTSIZE` was assigned. As in readline, the first entry then has the number of the last one that went.
    pub(super) fn stifle_history(&mut self) {
        let surplus = self.drop_surplus();
        if let Some(dropped) = surplus.checked_sub(1) {
            self.history_mut().dropped = dropped;
        }
    }

    /// `set -o history`: a command that was read, with the comments before it, as `HISTCONTROL` and `HISTIGNORE` want it.
    pub fn remember_command(&mut self, text: &[u8]) {
        let mut text = text.strip_suffix(b"\n").unwrap_or(text);
        while let Some(end) = memchr::memchr(b'\n', text) {
            let line = text.get(..end).unwrap_or_default();
            let trimmed = line.trim_ascii();
            if trimmed.starts_with(b"#") {
                self.remember_controlled(line);
            } else if !trimmed.is_empty() {
                break;
            }
            text = text.get(end + 1..).unwrap_or_default();
        }
        self.remember_controlled(text);
    }

    fn remember_controlled(&mut self, text: &[u8]) {
        self.history_mut().holds_running = false;
        if text.trim_ascii().is_empty() {
            return;
        }
        let control = self.scalar(b"HISTCONTROL").unwrap_or_default();
        let has = |word: &[u8]| control.split(|byte| *byte == b':').any(|one| one == word);
        let (both, erases) = (has(b"ignoreboth"), has(b"erasedups"));
        if (both || has(b"ignorespace")) && text.first().is_some_and(|byte| matches!(byte, b' ' | b'\t')) {
            return;
        }
        let last = self.history.entries.last();
        let repeats = last.is_some_and(|last| *last.line == *text);
        if repeats && (both || has(b"ignoredups")) || self.is_ignored(text, repeats) {
            return;
        }
        if erases {
            let history = self.history_mut();
            history.entries.retain(|entry| *entry.line != *text);
        }
        let whole = self.options.shopt(Shopt::Lithist);
        if !self.options.shopt(Shopt::Cmdhist) {
            for line in text.split(|byte| *byte == b'\n') {
                self.remember(line.to_vec());
            }
        } else if whole {
            self.remember(text.to_vec());
        } else {
            self.remember(join::on_one_line(text));
        }
        let history = self.history_mut();
        history.fresh += 1;
        history.holds_running = true;
    }

    /// A pattern of `HISTIGNORE` matches the line; `&` is the line before.
    fn is_ignored(&mut self, text: &[u8], repeats: bool) -> bool {
        let Some(patterns) = self.scalar(b"HISTIGNORE") else {
            return false;
        };
        let options = crate::pattern::PatternOptions {
            extglob: self.options.shopt(Shopt::Extglob),
            ..Default::default()
        };
        let mut patterns = patterns
            .split(|byte| *byte == b':')
            .filter(|pattern| !pattern.is_empty());
        patterns.any(|pattern| {
            pattern == b"&" && repeats || crate::pattern::Pattern::compile(pattern, options).matches(text)
        })
    }

    /// Recording begins: the list has a size, and what an earlier shell left is read.
    pub(super) fn begin_history(&mut self) {
        if std::mem::replace(&mut self.history_mut().begun, true) {
            return;
        }
        self.size_history();
        if let Some(path) = self.history_file() {
            self.read_history(&path, 0);
        }
    }

    fn size_history(&mut self) {
        if self.vars.get(b"HISTSIZE").is_none() {
            self.vars.set_raw(b"HISTSIZE", USUAL_SIZE);
        }
        if self.vars.get(b"HISTFILESIZE").is_none() {
            let size = self.scalar(b"HISTSIZE").unwrap_or_default();
            self.vars.set_raw(b"HISTFILESIZE", size);
        }
    }

    /// `bash -o history`: it records from its start, but does not read what an earlier shell left.
    pub(super) fn start_history(&mut self) {
        self.name_history_file();
        self.history_mut().begun = true;
        self.size_history();
    }

    /// A shell that records from its start has a file of its own.
    pub(super) fn name_history_file(&mut self) {
        if self.vars.get(b"HISTFILE").is_none() {
            let home = self.scalar(b"HOME").unwrap_or_default();
            self.vars
                .set_raw(b"HISTFILE", [&home, b"/.bash_history".as_slice()].concat());
        }
    }

    /// `HISTFILE`, if it names one.
    pub fn history_file(&mut self) -> Option<Vec<u8>> {
        self.scalar(b"HISTFILE").filter(|name| !name.is_empty())
    }

    /// Appends the lines of a file but for the first `skipped`; false: it cannot be read.
    pub fn read_history(&mut self, path: &[u8], skipped: usize) -> bool {
        let Ok(text) = self.proc.fs.read(&self.proc.view(), path) else {
            return false;
        };
        let mut count = 0;
        let mut time = None;
        for line in text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            if self.proc.kernel.meter().charge_bytes(line.len()).is_err() {
                break;
            }
            if let Some(seconds) = stamp(line) {
                time = Some(Timestamp { seconds, nanos: 0 });
                continue;
            }
            count += 1;
            if count > skipped {
                let now = self.proc.kernel.now();
                self.remember_at(line.to_vec(), Some(time.take().unwrap_or(now)));
            }
        }
        self.history_mut().read = count;
        true
    }

    /// Entries as a file has them.
    pub fn history_text(&mut self, first: usize) -> Vec<u8> {
        let stamped = self.vars.get(b"HISTTIMEFORMAT").is_some();
        let mut text = Vec::new();
        for entry in self.history.entries.iter().skip(first) {
            if let Some(time) = entry.time.filter(|_| stamped) {
                text.extend_from_slice(format!("#{}\n", time.seconds).as_bytes());
            }
            text.extend_from_slice(&entry.line);
            text.push(b'\n');
        }
        text
    }

    /// What was remembered since the file was written last.
    pub fn fresh_history(&self) -> usize {
        self.history.entries.len().saturating_sub(self.history.fresh)
    }

    /// The shell ends: what is new goes behind the file, which keeps `HISTFILESIZE` lines. A file that cannot be written is nobody's matter.
    pub(super) async fn save_history(&mut self) {
        let ours = self.options.is(Set::History) && self.proc.pid == self.shell_pid && self.history.fresh > 0;
        let Some(path) = self.history_file().filter(|_| ours) else {
            return;
        };
        let behind =
            self.options.shopt(Shopt::Histappend) || self.history.fresh <= self.history.entries.len();
        let first = if behind { self.fresh_history() } else { 0 };
        let text = self.history_text(first);
        let how = if behind {
            OpenFlags::APPEND
        } else {
            OpenFlags::CREATE
        };
        if let Ok(file) = self.proc.open(&path, how).await {
            let _ = file.write_all(&text).await;
        }
        self.history_mut().fresh = 0;
        self.truncate_history_file(&path);
    }

    /// `HISTFILESIZE`: the last lines of the file stay.
    pub(super) fn truncate_history_file(&mut self, path: &[u8]) {
        let limit = self.number(b"HISTFILESIZE");
        let Some(limit) = limit.and_then(|size| usize::try_from(size).ok()) else {
            return;
        };
        let view = self.proc.view();
        let Ok(text) = self.proc.fs.read(&view, path) else {
            return;
        };
        let lines = memchr::memchr_iter(b'\n', &text).count();
        let surplus = lines.saturating_sub(limit);
        if surplus > 0 {
            let at = memchr::memchr_iter(b'\n', &text)
                .nth(surplus - 1)
                .map_or(0, |at| at + 1);
            let _ = self
                .proc
                .fs
                .write(&view, path, text.get(at..).unwrap_or_default());
        }
    }
}

/// `#1700000000`: the time of the entry behind it.
fn stamp(line: &[u8]) -> Option<i64> {
    let digits = line
        .strip_prefix(b"#")
        .filter(|digits| digits.first().is_some_and(u8::is_ascii_digit))?;
    std::str::from_utf8(digits).ok()?.parse().ok()
}
