//! The history list of a shell that is not interactive: empty, unless `history -s` or `set -o history` fill it.

mod events;

pub use events::expand;

use super::Interp;
use super::interactive::Stage;
use crate::fs::Timestamp;
use crate::kernel::Held;

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
    /// How many of the last ones were read from the script: `history -a` writes them.
    pub fresh: usize,
    /// The command that is running is the last entry.
    pub holds_running: bool,
    /// How many lines were read from the file: `history -n` skips them.
    pub read: usize,
}

impl Interp {
    /// The number of the command that is running, as the history counts.
    pub(super) fn history_number(&self) -> usize {
        let counts = self.options.is(super::Set::History);
        if counts {
            (self.history.entries.len() + usize::from(self.stage == Stage::Prompting)).max(1)
        } else {
            1
        }
    }

    /// Appends a line.
    pub fn remember(&mut self, line: Vec<u8>) {
        let timed = self.vars.get(b"HISTTIMEFORMAT").is_some();
        let time = timed.then(|| self.proc.kernel.now());
        let limit = self
            .number(b"HISTSIZE")
            .and_then(|size| usize::try_from(size).ok());
        let line = self.proc.kernel.held(b"", line);
        let history = std::sync::Arc::make_mut(&mut self.history);
        history.entries.push(Entry { line, time });
        if let Some(limit) = limit
            && history.entries.len() > limit
        {
            let surplus = history.entries.len() - limit;
            history.entries.drain(..surplus);
        }
    }

    /// `set -o history`: a command that was read, as `HISTCONTROL` wants it.
    pub fn remember_command(&mut self, text: &[u8]) {
        let text = text.strip_suffix(b"\n").unwrap_or(text);
        std::sync::Arc::make_mut(&mut self.history).holds_running = false;
        if text.trim_ascii().is_empty() {
            return;
        }
        let control = self.scalar(b"HISTCONTROL").unwrap_or_default();
        let has = |word: &[u8]| control.split(|byte| *byte == b':').any(|one| one == word);
        let (both, erases) = (has(b"ignoreboth"), has(b"erasedups"));
        if (both || has(b"ignorespace")) && text.first().is_some_and(|byte| matches!(byte, b' ' | b'\t')) {
            return;
        }
        let repeats = self
            .history
            .entries
            .last()
            .is_some_and(|last| *last.line == *text);
        if repeats && (both || has(b"ignoredups")) {
            return;
        }
        if erases {
            let history = std::sync::Arc::make_mut(&mut self.history);
            history.entries.retain(|entry| *entry.line != *text);
        }
        self.remember(on_one_line(text));
        let history = std::sync::Arc::make_mut(&mut self.history);
        history.fresh += 1;
        history.holds_running = true;
    }
}

/// `shopt cmdhist`: a command of several lines becomes one, but for here-documents.
fn on_one_line(text: &[u8]) -> Vec<u8> {
    if memchr::memmem::find(text, b"<<").is_some() {
        return text.to_vec();
    }
    let mut out: Vec<u8> = Vec::with_capacity(text.len());
    for line in text.split(|byte| *byte == b'\n') {
        if !out.is_empty() {
            let opens: [&[u8]; 10] = [b"then", b"do", b"else", b"in", b"{", b"(", b"|", b"&", b";", b")"];
            let open = opens.iter().any(|word| out.trim_ascii_end().ends_with(word));
            out.extend_from_slice(if open { b" " } else { b"; " });
        }
        out.extend_from_slice(line);
    }
    out
}
