//! Paragraphs: which lines belong together, their words, and how they are printed.

use super::breaks::{self, MOST, Measure, Word};
use super::{Indent, Plan};
use crate::kernel::{Input, Lease, Proc};
use crate::program::usage::Failure;

/// What is kept of a paragraph: more is formatted in parts.
const MOST_BYTES: usize = 5000;
const MOST_WORDS: usize = 1000;
/// Distance of tab stops.
const TAB: usize = 8;
/// What makes a split in the middle of a long paragraph better the later it is.
const LINE_CREDIT: i64 = 9;
/// The second indent of a tagged paragraph of one line.
const TAGGED_INDENT: usize = 3;

/// The state of formatting one file.
pub struct Formatter<'a> {
    proc: &'a mut Proc,
    input: Input,
    plan: &'a Plan,
    block: Vec<u8>,
    at: usize,
    lease: Lease,
    /// The byte behind the prefix of the next line.
    next: Option<u8>,
    /// Tabs were seen, so they are written.
    tabs: bool,
    in_column: usize,
    out_column: usize,
    prefix_indent: usize,
    next_prefix_indent: usize,
    first_indent: usize,
    other_indent: usize,
    last_line: usize,
    words: Vec<Word>,
    word: Word,
    bytes: usize,
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

impl<'a> Formatter<'a> {
    /// At the start of a file.
    pub fn new(proc: &'a mut Proc, input: Input, plan: &'a Plan) -> Formatter<'a> {
        let lease = proc.kernel.lease();
        Formatter {
            proc,
            input,
            plan,
            block: Vec::new(),
            at: 0,
            lease,
            next: None,
            tabs: false,
            in_column: 0,
            out_column: 0,
            prefix_indent: 0,
            next_prefix_indent: 0,
            first_indent: 0,
            other_indent: 0,
            last_line: 0,
            words: Vec::new(),
            word: Word::default(),
            bytes: 0,
        }
    }

    /// Formats the file.
    pub async fn run(&mut self) -> Result<(), Failure> {
        self.next = self.prefix().await?;
        while self.paragraph().await? {
            self.words.push(Word::default());
            self.find_breaks()?;
            let limit = self.words.len() - 1;
            self.print(limit).await?;
            self.words.clear();
        }
        Ok(())
    }

    async fn byte(&mut self) -> Result<Option<u8>, Failure> {
        if self.at >= self.block.len() {
            let block = self.input.block().await?;
            self.block.clear();
            self.block.extend_from_slice(block);
            self.at = 0;
            self.lease.resize(self.block.len() + 2 * MOST_BYTES)?;
        }
        self.at += 1;
        Ok(self.block.get(self.at - 1).copied())
    }

    /// Passes blanks and tabs: the byte behind them.
    async fn blanks(&mut self, byte: Option<u8>) -> Result<Option<u8>, Failure> {
        let mut byte = byte;
        loop {
            match byte {
                Some(b' ') => self.in_column += 1,
                Some(b'\t') => {
                    self.tabs = true;
                    self.in_column = (self.in_column / TAB + 1) * TAB;
                }
                other => return Ok(other),
            }
            byte = self.byte().await?;
        }
    }

    /// Reads what stands in front of a line: the byte behind it.
    async fn prefix(&mut self) -> Result<Option<u8>, Failure> {
        self.in_column = 0;
        let first = self.byte().await?;
        let mut byte = self.blanks(first).await?;
        if self.plan.prefix.is_empty() {
            self.next_prefix_indent = self.plan.lead.min(self.in_column);
            return Ok(byte);
        }
        self.next_prefix_indent = self.in_column;
        for wanted in &self.plan.prefix {
            if byte != Some(*wanted) {
                return Ok(byte);
            }
            self.in_column += 1;
            byte = self.byte().await?;
        }
        self.blanks(byte).await
    }

    /// The line in front of which we are belongs to the paragraph.
    fn continues(&self, byte: Option<u8>) -> bool {
        self.next_prefix_indent == self.prefix_indent
            && self.in_column >= self.next_prefix_indent + self.plan.full_prefix
            && !matches!(byte, None | Some(b'\n'))
    }

    /// Reads a paragraph; what is none is copied. `false` at the end.
    async fn paragraph(&mut self) -> Result<bool, Failure> {
        self.last_line = 0;
        let mut byte = self.next;
        while matches!(byte, None | Some(b'\n'))
            || self.next_prefix_indent < self.plan.lead
            || self.in_column < self.next_prefix_indent + self.plan.full_prefix
        {
            if !self.copy_rest(byte).await? {
                self.next = None;
                return Ok(false);
            }
            self.proc.out().push(b'\n');
            self.proc.flush_if_full().await?;
            byte = self.prefix().await?;
        }
        self.prefix_indent = self.next_prefix_indent;
        self.first_indent = self.in_column;
        self.bytes = 0;
        byte = self.line(byte).await?;
        self.set_other_indent(self.continues(byte));
        let goes_on = match self.plan.indent {
            Indent::Split => false,
            Indent::Tagged => self.continues(byte) && self.in_column != self.first_indent,
            Indent::Crown | Indent::Same => self.continues(byte),
        };
        if goes_on {
            // The second line of a crown tells its own indent.
            while self.continues(byte) && self.in_column == self.other_indent {
                byte = self.line(byte).await?;
            }
        }
        if let Some(last) = self.words.last_mut() {
            (last.period, last.ends) = (true, true);
        }
        self.next = byte;
        Ok(true)
    }

    fn set_other_indent(&mut self, continues: bool) {
        match self.plan.indent {
            Indent::Crown if continues => self.other_indent = self.in_column,
            Indent::Tagged if continues && self.in_column != self.first_indent => {
                self.other_indent = self.in_column;
            }
            // With one line alone: as in the last paragraph, but never as the first line.
            Indent::Tagged if self.other_indent == self.first_indent => {
                self.other_indent = if self.first_indent == 0 { TAGGED_INDENT } else { 0 };
            }
            Indent::Tagged => {}
            _ => self.other_indent = self.first_indent,
        }
    }

    /// Reads the words of a line, and the prefix of the next one.
    async fn line(&mut self, byte: Option<u8>) -> Result<Option<u8>, Failure> {
        let mut byte = byte;
        loop {
            self.proc.charge(1)?;
            while let Some(letter) = byte {
                if self.bytes == MOST_BYTES {
                    self.set_other_indent(true);
                    self.flush_part().await?;
                }
                self.word.text.push(letter);
                self.bytes += 1;
                byte = self.byte().await?;
                if byte.is_some_and(is_space) {
                    break;
                }
            }
            self.in_column += self.word.text.len();
            self.word.look();
            let start = self.in_column;
            byte = self.blanks(byte).await?;
            let space = self.in_column - start;
            let at_end = matches!(byte, None | Some(b'\n'));
            let ends = byte.is_none() || (self.word.period && (at_end || space > 1));
            self.word.ends = ends;
            self.word.space = match at_end || self.plan.uniform {
                true => 1 + usize::from(ends),
                false => space,
            };
            if self.words.len() == MOST_WORDS - 2 {
                self.set_other_indent(true);
                self.flush_part().await?;
            }
            self.words.push(std::mem::take(&mut self.word));
            if at_end {
                return self.prefix().await;
            }
        }
    }

    fn find_breaks(&mut self) -> Result<(), Failure> {
        // A line may have as many words as half its width.
        let turns = self.plan.max_width as u64 / 16 + 1;
        self.proc.charge(self.words.len() as u64 * turns)?;
        let measure = Measure {
            goal: self.plan.goal_width as i64,
            most: self.plan.max_width as i64,
            first_indent: self.first_indent as i64,
            other_indent: self.other_indent as i64,
            last_line: self.last_line as i64,
        };
        breaks::find(&mut self.words, measure);
        Ok(())
    }

    /// Prints the lines of a paragraph that is too long up to a good break.
    async fn flush_part(&mut self) -> Result<(), Failure> {
        if self.words.is_empty() {
            let text = std::mem::take(&mut self.word.text);
            self.bytes = 0;
            self.proc.write(&text).await?;
            return Ok(());
        }
        self.words.push(Word::default());
        self.find_breaks()?;
        let limit = self.words.len() - 1;
        let cost = |index: usize| self.words.get(index).map_or(0, |word| word.cost);
        let next = |index: usize| self.words.get(index).map_or(limit, |word| word.next);
        let (mut split, mut best) = (limit, MOST);
        let mut index = next(0);
        while index < limit {
            let own = cost(index) - cost(next(index));
            if own < best {
                (split, best) = (index, own);
            }
            if best <= MOST - LINE_CREDIT {
                best += LINE_CREDIT;
            }
            index = next(index);
        }
        self.print(split).await?;
        self.words.truncate(limit);
        self.words.drain(..split.min(limit));
        self.first_indent = self.other_indent;
        let kept = self.words.iter().map(|word| word.text.len());
        self.bytes = kept.sum::<usize>() + self.word.text.len();
        Ok(())
    }

    /// Prints the lines up to a word that begins one.
    async fn print(&mut self, end: usize) -> Result<(), Failure> {
        let mut start = 0;
        while start < end {
            let next = self.words.get(start).map_or(end, |word| word.next);
            let indent = if start == 0 {
                self.first_indent
            } else {
                self.other_indent
            };
            self.print_line(start, next, indent);
            self.proc.flush_if_full().await?;
            start = next;
        }
        Ok(())
    }

    fn print_line(&mut self, start: usize, end: usize, indent: usize) {
        self.out_column = 0;
        self.print_space(self.prefix_indent);
        self.proc.out().extend_from_slice(&self.plan.prefix);
        self.out_column += self.plan.prefix.len();
        self.print_space(indent.saturating_sub(self.out_column));
        for index in start..end {
            let Some(word) = self.words.get(index) else {
                break;
            };
            self.proc.out().extend_from_slice(&word.text);
            self.out_column += word.text.len();
            let space = word.space;
            if index + 1 < end {
                self.print_space(space);
            }
        }
        self.last_line = self.out_column;
        self.proc.out().push(b'\n');
    }

    fn print_space(&mut self, count: usize) {
        let target = self.out_column + count;
        let tab_target = target / TAB * TAB;
        if self.tabs && self.out_column + 1 < tab_target {
            while self.out_column < tab_target {
                self.proc.out().push(b'\t');
                self.out_column = (self.out_column / TAB + 1) * TAB;
            }
        }
        while self.out_column < target {
            self.proc.out().push(b' ');
            self.out_column += 1;
        }
    }

    /// Copies the rest of a line that is no part of a paragraph; `false` at the end of the file.
    async fn copy_rest(&mut self, byte: Option<u8>) -> Result<bool, Failure> {
        self.out_column = 0;
        let at_end = matches!(byte, None | Some(b'\n'));
        if self.in_column > self.next_prefix_indent || !at_end {
            self.print_space(self.next_prefix_indent);
            for letter in &self.plan.prefix {
                if self.out_column == self.in_column {
                    break;
                }
                self.proc.out().push(*letter);
                self.out_column += 1;
            }
            if !at_end {
                self.print_space(self.in_column.saturating_sub(self.out_column));
            }
            if byte.is_none() && self.in_column >= self.next_prefix_indent + self.plan.prefix.len() {
                self.proc.out().push(b'\n');
            }
        }
        let mut byte = byte;
        while let Some(letter) = byte {
            if letter == b'\n' {
                return Ok(true);
            }
            self.proc.out().push(letter);
            self.proc.flush_if_full().await?;
            byte = self.byte().await?;
        }
        Ok(false)
    }
}

impl Word {
    /// What its first and last letters say.
    fn look(&mut self) {
        let (Some(first), Some(last)) = (self.text.first(), self.text.last()) else {
            return;
        };
        self.opens = b"(['`\"".contains(first);
        self.punctuation = last.is_ascii_punctuation();
        let closing = self.text.iter().skip(1).rev();
        let closing = closing.take_while(|byte| b")]'\"".contains(byte)).count();
        let inner = self.text.get(self.text.len() - 1 - closing);
        self.period = inner.is_some_and(|byte| b".?!".contains(byte));
    }
}
