//! A file as `diff` compares it: its lines, and for each the class of lines that count as equal to it.
//!
//! A last line without its newline gets one, which is remembered: such a line differs from one that has it, unless white space at ends
//! of lines is ignored or the output style cannot say so.

use rustc_hash::FxHashMap;
use std::borrow::Cow;

use super::options::{Options, WhiteSpace};

/// A file.
#[derive(Debug, Default)]
pub struct Text {
    /// The contents; the last line ends with a newline.
    bytes: Vec<u8>,
    /// Where lines begin, and the end.
    starts: Vec<usize>,
    /// The newline of the last line was put there.
    pub lacks_newline: bool,
}

impl Text {
    /// Splits contents into lines.
    pub fn new(mut bytes: Vec<u8>, options: &Options) -> Text {
        let lacks_newline = bytes.last().is_some_and(|last| *last != b'\n');
        if lacks_newline {
            bytes.push(b'\n');
        }
        if options.strip_carriage_returns {
            let mut previous = None;
            let mut kept = Vec::with_capacity(bytes.len());
            for byte in bytes {
                if byte == b'\n' && previous == Some(b'\r') {
                    kept.pop();
                }
                kept.push(byte);
                previous = Some(byte);
            }
            bytes = kept;
        }
        let starts = std::iter::once(0)
            .chain(memchr::memchr_iter(b'\n', &bytes).map(|at| at + 1))
            .collect();
        Text {
            bytes,
            starts,
            lacks_newline,
        }
    }

    /// The contents with the newline that was put there.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// How many lines there are.
    pub fn count(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// A line without its newline.
    pub fn line(&self, index: usize) -> &[u8] {
        let start = self.starts.get(index).copied().unwrap_or(0);
        let end = self.starts.get(index + 1).copied().unwrap_or(start + 1);
        self.bytes.get(start..end.saturating_sub(1)).unwrap_or_default()
    }

    /// A line has its newline in the file.
    pub fn is_complete(&self, index: usize) -> bool {
        !(self.lacks_newline && index + 1 == self.count())
    }

    /// The number of whole lines in the first `end` bytes.
    pub fn lines_before(&self, end: usize) -> usize {
        self.starts.partition_point(|start| *start < end)
    }

    /// Where a line begins.
    pub fn start(&self, index: usize) -> usize {
        self.starts.get(index).copied().unwrap_or(self.bytes.len())
    }
}

/// Lines that count as equal have one number.
#[derive(Default)]
pub struct Classes<'t> {
    numbers: FxHashMap<(Cow<'t, [u8]>, bool), u32>,
}

impl<'t> Classes<'t> {
    /// The numbers of some lines of a file, from 1 on.
    pub fn of(&mut self, text: &'t Text, lines: std::ops::Range<usize>, options: &Options) -> Vec<u32> {
        let marks_incomplete = options.style.is_robust() && options.white_space < WhiteSpace::TrailingSpace;
        lines
            .map(|index| {
                let incomplete = marks_incomplete && !text.is_complete(index);
                let key = normalized(text.line(index), options);
                let next = self.numbers.len() as u32 + 1;
                *self.numbers.entry((key, incomplete)).or_insert(next)
            })
            .collect()
    }

    /// How many classes there are.
    pub fn count(&self) -> usize {
        self.numbers.len()
    }
}

/// C's `isspace`.
pub fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | 11 | 12 | b'\r')
}

/// A line with everything taken out that is ignored.
pub fn normalized<'t>(line: &'t [u8], options: &Options) -> Cow<'t, [u8]> {
    let mut line: Cow<'t, [u8]> = match options.white_space {
        WhiteSpace::Matters => Cow::Borrowed(line),
        WhiteSpace::TabExpansion => Cow::Owned(expanded(line, options.tab_size)),
        WhiteSpace::TrailingSpace => Cow::Borrowed(trimmed(line)),
        WhiteSpace::TabExpansionAndTrailingSpace => Cow::Owned(expanded(trimmed(line), options.tab_size)),
        WhiteSpace::SpaceChange => Cow::Owned(squeezed(trimmed(line))),
        WhiteSpace::AllSpace => Cow::Owned(line.iter().copied().filter(|byte| !is_space(*byte)).collect()),
    };
    if options.ignore_case && line.iter().any(u8::is_ascii_uppercase) {
        line.to_mut().make_ascii_lowercase();
    }
    line
}

fn trimmed(line: &[u8]) -> &[u8] {
    let end = line
        .iter()
        .rposition(|byte| !is_space(*byte))
        .map_or(0, |last| last + 1);
    line.get(..end).unwrap_or(line)
}

fn squeezed(line: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(line.len());
    let mut in_space = false;
    for &byte in line {
        let space = is_space(byte);
        if !space {
            out.push(byte);
        } else if !in_space {
            out.push(b' ');
        }
        in_space = space;
    }
    out
}

/// Tabs as blanks, by the rules of the real one: a backspace takes a column back.
fn expanded(line: &[u8], tab: usize) -> Vec<u8> {
    let mut out = Vec::with_capacity(line.len());
    let mut column = 0_usize;
    for &byte in line {
        match byte {
            b'\t' => {
                let blanks = tab - column % tab;
                out.extend(std::iter::repeat_n(b' ', blanks));
                column += blanks;
                continue;
            }
            8 => column = column.saturating_sub(1),
            b'\r' => column = 0,
            _ => column += 1,
        }
        out.push(byte);
    }
    out
}
