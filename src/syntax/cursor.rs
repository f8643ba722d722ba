//! The byte cursor: where the reader stands, and what lies under an alias text.
//!
//! `peek` and `bump` see the input as bash's lexer does: a backslash-newline pair is not there, and the end of
//! an alias text is followed by what came after the alias. The `raw` variants see every byte, for the inside
//! of single quotes and of quoted here-documents. Runs of ordinary bytes are taken as slices.

use std::sync::Arc;

use super::ast::Name;

/// A position in the input that can be returned to. Cloning is cheap: alias texts are rare and shared.
#[derive(Debug, Clone, Default)]
pub(super) struct Cursor {
    source: Arc<[u8]>,
    pos: usize,
    /// Line of the byte at `pos` in the outermost source, 1 based.
    pub line: u32,
    /// The alias whose text is being read; `None` in the source itself.
    alias: Option<Name>,
    /// The current text ended in a blank when it was an alias: the next word may be an alias too.
    blank_end: bool,
    /// What continues when the current text ends; innermost last.
    below: Vec<Below>,
    /// Set when an alias text that ended in a blank was left.
    pub next_word_is_alias: bool,
    /// Set where the input ended on a continued line or in a here-document: more of it would belong to what was read.
    pub ran_out: bool,
}

/// An input that waits for the alias text above it to end.
#[derive(Debug, Clone)]
struct Below {
    source: Arc<[u8]>,
    pos: usize,
    alias: Option<Name>,
    blank_end: bool,
}

impl Cursor {
    pub(super) fn new(source: Arc<[u8]>, line: u32) -> Self {
        Self {
            source,
            pos: 0,
            line,
            alias: None,
            blank_end: false,
            below: Vec::new(),
            next_word_is_alias: false,
            ran_out: false,
        }
    }

    /// The offset in the outermost source.
    pub(super) fn offset(&self) -> usize {
        self.below.first().map_or(self.pos, |frame| frame.pos)
    }

    /// The offset in the text being read (an alias text or the source).
    pub(super) fn local(&self) -> usize {
        self.pos
    }

    /// How many alias texts are open.
    pub(super) fn frames(&self) -> usize {
        self.below.len()
    }

    /// The text being read from `start` to here.
    pub(super) fn since(&self, start: usize) -> &[u8] {
        self.source.get(start..self.pos).unwrap_or_default()
    }

    /// What is left of the text being read.
    pub(super) fn rest(&self) -> &[u8] {
        self.source.get(self.pos..).unwrap_or_default()
    }

    /// The next byte, with line continuations gone.
    #[inline]
    pub(super) fn peek(&mut self) -> Option<u8> {
        match self.source.get(self.pos) {
            Some(b'\\') if self.source.get(self.pos + 1) == Some(&b'\n') => self.peek_slow(),
            Some(&byte) => Some(byte),
            None if self.below.is_empty() => None,
            None => self.peek_slow(),
        }
    }

    #[cold]
    fn peek_slow(&mut self) -> Option<u8> {
        loop {
            match self.rest() {
                [b'\\', b'\n', ..] => {
                    self.pos += 2;
                    self.count_line();
                    self.ran_out |= self.below.is_empty() && self.pos >= self.source.len();
                }
                [byte, ..] => return Some(*byte),
                [] => {
                    if !self.leave_alias() {
                        return None;
                    }
                }
            }
        }
    }

    /// The next byte, whatever it is.
    pub(super) fn peek_raw(&mut self) -> Option<u8> {
        loop {
            if let Some(&byte) = self.source.get(self.pos) {
                return Some(byte);
            }
            if !self.leave_alias() {
                return None;
            }
        }
    }

    /// The byte `ahead` places after the next one, continuations gone. Does not move.
    #[inline]
    pub(super) fn peek_at(&self, ahead: usize) -> Option<u8> {
        if let [first, second, ..] = self.rest()
            && ahead == 1
            && *first != b'\\'
            && *second != b'\\'
        {
            return Some(*second);
        }
        self.ahead().nth(ahead)
    }

    /// The bytes that come next, continuations gone, without moving.
    pub(super) fn ahead(&self) -> impl Iterator<Item = u8> + '_ {
        let mut scout = Scout {
            cursor: self,
            frame: self.below.len(),
            source: &self.source,
            pos: self.pos,
        };
        std::iter::from_fn(move || scout.next())
    }

    /// Takes the byte that `peek` saw.
    #[inline]
    pub(super) fn bump(&mut self) {
        if self.source.get(self.pos) == Some(&b'\n') {
            self.count_line();
        }
        self.pos += 1;
    }

    /// Takes `count` bytes that were looked at with `peek` and `peek_at`.
    pub(super) fn bump_many(&mut self, count: usize) {
        for _ in 0..count {
            self.peek();
            self.bump();
        }
    }

    /// Takes `count` bytes of `rest` that hold no newline.
    #[inline]
    pub(super) fn skip(&mut self, count: usize) {
        self.pos += count;
    }

    /// Takes `count` bytes of `rest`, counting lines.
    pub(super) fn skip_lines(&mut self, count: usize) {
        if self.below.is_empty() {
            let taken = self.source.get(self.pos..self.pos + count).unwrap_or_default();
            self.line += memchr::memchr_iter(b'\n', taken).count() as u32;
        }
        self.pos += count;
    }

    /// Goes back over `count` bytes of the text that is being read.
    pub(super) fn unread(&mut self, count: usize) {
        let start = self.pos.saturating_sub(count);
        if self.below.is_empty() {
            let back = self.source.get(start..self.pos).unwrap_or_default();
            self.line -= memchr::memchr_iter(b'\n', back).count() as u32;
        }
        self.pos = start;
    }

    /// Takes the byte if it is next.
    #[inline]
    pub(super) fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        if found {
            self.bump();
        }
        found
    }

    /// Whether these bytes come next.
    pub(super) fn looking_at(&mut self, text: &[u8]) -> bool {
        self.peek() == text.first().copied()
            && text
                .iter()
                .enumerate()
                .skip(1)
                .all(|(at, byte)| self.peek_at(at) == Some(*byte))
    }

    /// The last byte of the source, when the cursor stands behind it.
    pub(super) fn last_byte(&self) -> Option<u8> {
        self.source.last().copied()
    }

    /// The line of the byte before this one.
    pub(super) fn line_before(&self) -> u32 {
        let newline = self.below.is_empty()
            && self
                .pos
                .checked_sub(1)
                .is_some_and(|at| self.source.get(at) == Some(&b'\n'));
        self.line - u32::from(newline)
    }

    /// Goes on with an alias's text, then with what follows here.
    pub(super) fn enter_alias(&mut self, name: Name, text: &[u8]) {
        let blank_end = text
            .last()
            .is_some_and(|byte| matches!(byte, b' ' | b'\t' | b'\n'));
        let mut padded = Vec::with_capacity(text.len() + 1);
        padded.extend_from_slice(text);
        if !blank_end {
            padded.push(b' ');
        }
        let source = std::mem::replace(&mut self.source, padded.into());
        self.below.push(Below {
            source,
            pos: self.pos,
            alias: self.alias.replace(name),
            blank_end: self.blank_end,
        });
        self.blank_end = blank_end;
        self.pos = 0;
    }

    /// Whether the alias's text is being read.
    pub(super) fn in_alias(&self, name: &[u8]) -> bool {
        let open = |alias: &Option<Name>| alias.as_deref() == Some(name);
        open(&self.alias) || self.below.iter().any(|frame| open(&frame.alias))
    }

    /// Goes back to the input under a finished alias text.
    fn leave_alias(&mut self) -> bool {
        let Some(frame) = self.below.pop() else {
            return false;
        };
        self.next_word_is_alias |= self.blank_end;
        (self.source, self.pos, self.alias, self.blank_end) =
            (frame.source, frame.pos, frame.alias, frame.blank_end);
        true
    }

    /// Lines of alias texts do not count.
    #[inline]
    fn count_line(&mut self) {
        if self.below.is_empty() {
            self.line += 1;
        }
    }

    /// The line of the text being read that holds `at`, or the byte before it at the end.
    pub(super) fn line_around(&self, at: usize) -> &[u8] {
        let text = &self.source;
        let at = at.min(text.len());
        let start = text
            .get(..at)
            .and_then(|head| memchr::memrchr(b'\n', head))
            .map_or(0, |newline| newline + 1);
        let tail = text.get(start..).unwrap_or_default();
        tail.get(..memchr::memchr(b'\n', tail).unwrap_or(tail.len()))
            .unwrap_or_default()
    }
}

/// Looks ahead without moving the cursor.
struct Scout<'a> {
    cursor: &'a Cursor,
    frame: usize,
    source: &'a [u8],
    pos: usize,
}

impl Scout<'_> {
    fn next(&mut self) -> Option<u8> {
        loop {
            match self.source.get(self.pos..).unwrap_or_default() {
                [b'\\', b'\n', ..] => self.pos += 2,
                [byte, ..] => {
                    self.pos += 1;
                    return Some(*byte);
                }
                [] => {
                    self.frame = self.frame.checked_sub(1)?;
                    let below = self.cursor.below.get(self.frame)?;
                    (self.source, self.pos) = (&below.source, below.pos);
                }
            }
        }
    }
}
