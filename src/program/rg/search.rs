//! The search of one text, and how its lines are shown.

use super::matcher::{Matcher, Span, line_end, line_start};
use super::options::{Mode, Options};
use crate::kernel::{Proc, Stop};

/// In this many bytes at its start a file shows whether it is binary.
const LOOKED_AT: usize = 64 << 10;

/// How a file came to be searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// It was named.
    Named,
    /// It was found in a directory.
    Found,
}

/// The search of one text.
pub struct Search<'a> {
    pub options: &'a Options,
    pub matcher: &'a Matcher,
    /// The path, where it is shown.
    pub name: Option<&'a [u8]>,
    pub path: &'a [u8],
    pub text: &'a [u8],
    /// Lines of other files were shown.
    pub separates: bool,
    line: u64,
    counted: usize,
    /// The end of the last line that was shown.
    shown: usize,
    has_shown: bool,
}

impl<'a> Search<'a> {
    pub fn new(options: &'a Options, matcher: &'a Matcher, path: &'a [u8], text: &'a [u8]) -> Self {
        Search {
            options,
            matcher,
            name: None,
            path,
            text,
            separates: false,
            line: 1,
            counted: 0,
            shown: 0,
            has_shown: false,
        }
    }

    /// Searches and shows. Whether there was a match.
    pub async fn run(mut self, proc: &mut Proc, origin: Origin) -> Result<bool, Stop> {
        let binary = if self.options.text {
            None
        } else {
            memchr::memchr(0, self.text)
        };
        let named = origin == Origin::Named || self.options.binary;
        let mut ends_early = None;
        if let Some(at) = binary {
            if !named && at < LOOKED_AT {
                return Ok(false);
            }
            if !named {
                ends_early = Some(at);
                self.text = self.text.get(..line_start(self.text, at, 0)).unwrap_or_default();
            }
        }
        let found = match self.options.mode {
            Mode::Lines if binary.is_some() && named => self.binary(proc, binary.unwrap_or(0)).await?,
            Mode::Lines => self.lines(proc).await?,
            Mode::Count | Mode::CountMatches => self.count(proc).await?,
            _ => self.file(proc).await?,
        };
        if let (Some(at), true, Mode::Lines) = (ends_early, found, self.options.mode) {
            let note = format!(
                "WARNING: stopped searching binary file after match (found \"\\0\" byte around offset {at})\n"
            );
            self.note(proc, &note).await?;
        }
        Ok(found)
    }

    async fn note(&self, proc: &mut Proc, note: &str) -> Result<(), Stop> {
        if let Some(name) = self.name {
            proc.out().extend_from_slice(name);
            proc.out().extend_from_slice(b": ");
        }
        proc.write(note.as_bytes()).await
    }

    async fn binary(&mut self, proc: &mut Proc, at: usize) -> Result<bool, Stop> {
        let found = self.matcher.next_line(self.text, 0).is_some();
        if found {
            let note = format!("binary file matches (found \"\\0\" byte around offset {at})\n");
            self.note(proc, &note).await?;
        }
        Ok(found)
    }

    /// `-l`, `--files-without-match` and `-q`.
    async fn file(&mut self, proc: &mut Proc) -> Result<bool, Stop> {
        let found = self.matcher.next_line(self.text, 0).is_some();
        let shown = match self.options.mode {
            Mode::FilesWith => found,
            Mode::FilesWithout => !found,
            _ => return Ok(found),
        };
        if shown {
            let end = if self.options.null { b'\0' } else { b'\n' };
            proc.out().extend_from_slice(self.path);
            proc.out().push(end);
            proc.flush_if_full().await?;
        }
        Ok(shown)
    }

    async fn count(&mut self, proc: &mut Proc) -> Result<bool, Stop> {
        let each =
            self.options.mode == Mode::CountMatches || (self.options.only_matching && !self.options.inverts);
        let (mut count, mut lines, mut from) = (0, 0, 0);
        while let Some(line) = self.next(from).filter(|_| lines < self.options.most) {
            proc.kernel.breathe().await;
            proc.charge(4)?;
            lines += 1;
            count += if each && !self.options.inverts {
                self.matcher.spans(self.text, line).len()
            } else {
                1
            };
            from = line.1;
        }
        if count > 0 {
            if let Some(name) = self.name {
                proc.out().extend_from_slice(name);
                proc.out().push(if self.options.null { b'\0' } else { b':' });
            }
            proc.write(format!("{count}\n").as_bytes()).await?;
        }
        Ok(count > 0)
    }

    fn next(&self, from: usize) -> Option<Span> {
        (from < self.text.len() || (from == 0 && self.text.is_empty()))
            .then(|| self.matcher.next_line(self.text, from))
            .flatten()
    }

    async fn lines(&mut self, proc: &mut Proc) -> Result<bool, Stop> {
        let context = self.options.before > 0 || self.options.after > 0;
        let (mut matched, mut from, mut after) = (0, 0, 0);
        while let Some(line) = self.next(from).filter(|_| matched < self.options.most) {
            proc.kernel.breathe().await;
            proc.charge(8)?;
            self.following(proc, &mut after, line.0).await?;
            let start = self.back(line.0);
            let follows = if self.has_shown {
                start > self.shown
            } else {
                self.separates && !self.options.heading
            };
            if context && follows {
                self.separate(proc);
            }
            self.head(proc);
            let mut at = start;
            while at < line.0 {
                at = self.context_line(proc, at).await?;
            }
            self.matched_line(proc, line).await?;
            matched += 1;
            after = self.options.after;
            self.shown = line.1;
            from = line.1;
        }
        self.following(proc, &mut after, self.text.len()).await?;
        Ok(matched > 0)
    }

    fn separate(&self, proc: &mut Proc) {
        proc.out().extend_from_slice(&self.options.separator);
        proc.out().push(b'\n');
    }

    /// The name above the lines of a file (`--heading`).
    fn head(&mut self, proc: &mut Proc) {
        if !self.has_shown && self.options.heading {
            if self.separates {
                proc.out().push(b'\n');
            }
            if let Some(name) = self.name {
                proc.out().extend_from_slice(name);
                proc.out().push(b'\n');
            }
        }
        self.has_shown = true;
    }

    /// Where the context before a line begins.
    fn back(&self, start: usize) -> usize {
        let mut at = start;
        for _ in 0..self.options.before {
            if at <= self.shown {
                break;
            }
            at = line_start(self.text, at - 1, self.shown);
        }
        at
    }

    /// Lines behind a match, up to the next one.
    async fn following(&mut self, proc: &mut Proc, left: &mut u64, end: usize) -> Result<(), Stop> {
        while *left > 0 && self.shown < end {
            self.shown = self.context_line(proc, self.shown).await?;
            *left -= 1;
        }
        *left = 0;
        Ok(())
    }

    async fn context_line(&mut self, proc: &mut Proc, start: usize) -> Result<usize, Stop> {
        let end = line_end(self.text, start);
        self.prefix(proc, start, None, b'-');
        let text = self.text.get(start..end).unwrap_or_default();
        self.push_text(proc, text, "context");
        proc.flush_if_full().await?;
        Ok(end)
    }

    async fn matched_line(&mut self, proc: &mut Proc, line: Span) -> Result<(), Stop> {
        let text = self.text.get(line.0..line.1).unwrap_or_default();
        let wants_spans = self.options.only_matching || self.options.columns || self.options.each_match;
        let spans = if wants_spans {
            self.matcher.spans(self.text, line)
        } else {
            Vec::new()
        };
        let replaced = match &self.options.replacement {
            Some(replacement) if !self.options.inverts => {
                Some(self.matcher.replaced(self.text, line, replacement))
            }
            _ => None,
        };
        if self.options.only_matching && !self.options.inverts {
            for (index, (start, end)) in spans.iter().enumerate() {
                self.prefix(proc, *start, Some(start - line.0 + 1), b':');
                let part = self.text.get(*start..*end).unwrap_or_default();
                let part = replaced
                    .as_ref()
                    .and_then(|(_, parts)| parts.get(index))
                    .map_or(part, Vec::as_slice);
                self.push_text(proc, part, "matching");
            }
            return proc.flush_if_full().await;
        }
        let text = replaced.as_ref().map_or(text, |(text, _)| text);
        let count = if self.options.each_match {
            spans.len().max(1)
        } else {
            1
        };
        for index in 0..count {
            let mut rest = text;
            let mut at = line.0;
            // A match over several lines shows each with its number.
            while !rest.is_empty() {
                let end = line_end(rest, 0);
                let (one, more) = rest.split_at(end);
                let column = spans
                    .get(index)
                    .map(|(start, _)| start.saturating_sub(line.0) + 1);
                self.prefix(proc, at, column, b':');
                self.push_text(proc, one, "matching");
                at += end;
                rest = more;
            }
            if text.is_empty() {
                self.prefix(proc, line.0, None, b':');
                self.push_text(proc, b"", "matching");
            }
        }
        proc.flush_if_full().await
    }

    /// Name, number, column and offset.
    fn prefix(&mut self, proc: &mut Proc, at: usize, column: Option<usize>, sign: u8) {
        if let Some(name) = self.name.filter(|_| !self.options.heading) {
            proc.out().extend_from_slice(name);
            proc.out().push(if self.options.null { b'\0' } else { sign });
        }
        let number = |proc: &mut Proc, value: u64| {
            proc.out().extend_from_slice(value.to_string().as_bytes());
            proc.out().push(sign);
        };
        if self.options.numbers {
            if at > self.counted {
                let passed = self.text.get(self.counted..at).unwrap_or_default();
                self.line += memchr::memchr_iter(b'\n', passed).count() as u64;
                self.counted = at;
            }
            number(proc, self.line);
        }
        if let Some(column) = column.filter(|_| self.options.columns) {
            number(proc, column as u64);
        }
        if self.options.offsets {
            number(proc, at as u64);
        }
    }

    fn push_text(&self, proc: &mut Proc, text: &[u8], kind: &str) {
        let text = text.strip_suffix(b"\n").unwrap_or(text);
        let text = if self.options.trims {
            text.trim_ascii_start()
        } else {
            text
        };
        if self.options.most_columns > 0 && text.len() > self.options.most_columns {
            proc.out()
                .extend_from_slice(format!("[Omitted long {kind} line]").as_bytes());
        } else {
            proc.out().extend_from_slice(text);
        }
        proc.out().push(b'\n');
    }
}
