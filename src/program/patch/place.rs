//! Where a hunk applies: at its line, or the nearest place where its lines are, the outer ones left out step by step.

use super::hunk::{Edit, Hunk, Mark};
use crate::kernel::Kernel;
use crate::program::lines;

/// The file as the hunks so far have made it.
pub struct Target {
    kernel: Kernel,
    /// The lines that were there, each with its newline.
    pub lines: Vec<Vec<u8>>,
    /// The new file up to [`Target::copied`].
    pub output: Vec<u8>,
    /// How many old lines are behind us.
    pub copied: usize,
    /// How far the last hunk was from its line.
    pub offset: i64,
    /// How many lines have come more than have gone.
    pub growth: i64,
    /// White space is taken for white space of any length.
    ignores_blanks: bool,
}

impl Target {
    /// The lines of a file, none of them changed yet.
    pub fn new(kernel: &Kernel, text: &[u8], ignores_blanks: bool) -> Self {
        Target {
            kernel: kernel.clone(),
            lines: lines::split(text, b'\n').map(<[u8]>::to_vec).collect(),
            output: Vec::new(),
            copied: 0,
            offset: 0,
            growth: 0,
            ignores_blanks,
        }
    }

    /// The line, from 1, at which a hunk applies with so much left out of its context. None as well when the run is halted.
    pub fn locate(&mut self, hunk: &Hunk, fuzz: i64) -> Option<i64> {
        let pattern: Vec<&Edit> = hunk.old().collect();
        let length = pattern.len() as i64;
        let guess = hunk.first() + self.offset;
        if pattern.is_empty() {
            return Some(guess);
        }
        let (before, after) = hunk.context();
        let context = before.max(after);
        let (skip, leave) = (fuzz + before - context, fuzz + after - context);
        let lines = self.lines.len() as i64;
        let frozen = self.copied as i64;
        if skip < 0 && hunk.first() <= 1 {
            // It can only match at the start.
            if leave < 0 && (length != lines || before < frozen) {
                return None;
            }
            let fits = frozen <= before && 1 <= lines - length + leave.max(0) + 1;
            return (fits && self.matches(&pattern, 1, 0, leave.max(0))).then(|| self.found(1, guess));
        }
        let skip = skip.max(0);
        if leave < 0 {
            // It can only match at the end.
            let at = lines - length + 1;
            return (at > frozen && self.matches(&pattern, at, skip, 0)).then(|| self.found(at, guess));
        }
        let most = lines - (length - leave) + 1;
        let least = frozen + 1;
        let farthest = (most - guess).max(guess - least);
        for distance in 0..=farthest.max(0) {
            self.kernel.meter().charge(1).ok()?;
            for at in [guess + distance, guess - distance] {
                let inside = at >= least.max(1) && at <= most;
                if inside && self.matches(&pattern, at, skip, leave) {
                    return Some(self.found(at, guess));
                }
                if distance == 0 {
                    break;
                }
            }
        }
        None
    }

    fn found(&mut self, at: i64, guess: i64) -> i64 {
        self.offset += at - guess;
        at
    }

    fn matches(&self, pattern: &[&Edit], at: i64, skip: i64, leave: i64) -> bool {
        let count = pattern.len().saturating_sub(skip as usize + leave as usize);
        let compared = pattern.iter().enumerate().skip(skip as usize).take(count);
        for (index, edit) in compared {
            if self.kernel.meter().charge(1).is_err() {
                return false;
            }
            let line = usize::try_from(at - 1 + index as i64).ok();
            let Some(line) = line.and_then(|line| self.lines.get(line)) else {
                return false;
            };
            let same = *line == edit.text || (self.ignores_blanks && similar(line, &edit.text));
            if !same {
                return false;
            }
        }
        true
    }

    /// Applies a hunk at a line.
    pub fn apply(&mut self, hunk: &Hunk, at: i64) {
        let at = usize::try_from(at - 1).unwrap_or(0);
        self.copy_to(at);
        for edit in &hunk.edits {
            match edit.mark {
                Mark::Keep => self.copy_to(self.copied + 1),
                Mark::Delete => self.copied += 1,
                Mark::Insert => self.append(&edit.text),
            }
        }
        let (old, new) = hunk.counts();
        self.growth += new - old;
    }

    fn append(&mut self, line: &[u8]) {
        if self.output.last().is_some_and(|byte| *byte != b'\n') {
            self.output.push(b'\n');
        }
        self.output.extend_from_slice(line);
    }

    fn copy_to(&mut self, line: usize) {
        while self.copied < line {
            let Some(text) = self.lines.get(self.copied).cloned() else {
                return;
            };
            self.append(&text);
            self.copied += 1;
        }
    }

    /// Copies what is left.
    pub fn finish(&mut self) {
        self.copy_to(self.lines.len());
    }
}

/// The same but for the length of white space; at the end of a line it does not count.
fn similar(left: &[u8], right: &[u8]) -> bool {
    let words = |line: &[u8]| -> (bool, Vec<Vec<u8>>) {
        let starts_blank = line.first().is_some_and(u8::is_ascii_whitespace);
        let words = line
            .split(u8::is_ascii_whitespace)
            .filter(|word| !word.is_empty());
        (starts_blank, words.map(<[u8]>::to_vec).collect())
    };
    words(left) == words(right)
}
