//! How a text falls into fields: at blanks, at a character, at matches, into matches, by widths.

use crate::pattern::{Regex, RegexError};

/// A stretch of a text: start and end.
pub type Span = (usize, usize);

/// How fields are found.
#[derive(Debug, Clone)]
pub enum Splitter {
    /// At runs of blanks, tabs and newlines, none at the ends.
    Blanks,
    /// At each such byte.
    Byte(u8),
    /// Every character is a field.
    Characters,
    /// At matches.
    Regex(Regex),
    /// FPAT: the matches are the fields.
    Pattern(Regex),
    /// FIELDWIDTHS: how many characters are skipped and taken; `None` takes the rest.
    Widths(Vec<(usize, Option<usize>)>),
}

/// Fields and what stands between them.
#[derive(Debug, Default)]
pub struct Pieces {
    pub fields: Vec<Span>,
    /// One more than the fields where there is something in front of the first or behind the last.
    pub separators: Vec<Span>,
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n')
}

impl Splitter {
    /// Splits a text. With `newlines`, a newline ends a field too (`RS=""`). `fields` is cleared first.
    pub fn fields(&self, text: &[u8], newlines: bool, fields: &mut Vec<Span>) -> Result<(), RegexError> {
        fields.clear();
        if text.is_empty() {
            return Ok(());
        }
        match self {
            Splitter::Blanks => blanks(text, fields),
            Splitter::Byte(byte) if newlines && *byte != b'\n' => {
                cut(text, memchr::memchr2_iter(*byte, b'\n', text), fields);
            }
            Splitter::Byte(byte) => cut(text, memchr::memchr_iter(*byte, text), fields),
            Splitter::Characters => characters(text, fields),
            Splitter::Regex(regex) if newlines => {
                // Each line is split by itself.
                let mut start = 0;
                for end in memchr::memchr_iter(b'\n', text).chain([text.len()]) {
                    at_matches(regex, text.get(..end).unwrap_or_default(), start, fields, None)?;
                    start = end + 1;
                }
            }
            Splitter::Regex(regex) => at_matches(regex, text, 0, fields, None)?,
            Splitter::Pattern(regex) => into_matches(regex, text, fields)?,
            Splitter::Widths(widths) => by_widths(widths, text, fields),
        }
        Ok(())
    }

    /// Splits a text and keeps what stands between, for `split` and `patsplit`.
    pub fn pieces(&self, text: &[u8]) -> Result<Pieces, RegexError> {
        let mut pieces = Pieces::default();
        if text.is_empty() {
            return Ok(pieces);
        }
        match self {
            Splitter::Regex(regex) => {
                at_matches(regex, text, 0, &mut pieces.fields, Some(&mut pieces.separators))?;
                pieces.separators.insert(0, (0, 0));
            }
            _ => {
                self.fields(text, false, &mut pieces.fields)?;
                let ends = [0].into_iter().chain(pieces.fields.iter().map(|span| span.1));
                let starts = pieces.fields.iter().map(|span| span.0).chain([text.len()]);
                pieces.separators = ends.zip(starts).collect();
            }
        }
        Ok(pieces)
    }
}

fn blanks(text: &[u8], fields: &mut Vec<Span>) {
    let mut start = None;
    for (at, byte) in text.iter().enumerate() {
        match (is_blank(*byte), start) {
            (false, None) => start = Some(at),
            (true, Some(begin)) => {
                fields.push((begin, at));
                start = None;
            }
            _ => {}
        }
    }
    if let Some(begin) = start {
        fields.push((begin, text.len()));
    }
}

fn cut(text: &[u8], ends: impl Iterator<Item = usize>, fields: &mut Vec<Span>) {
    let mut start = 0;
    for end in ends {
        fields.push((start, end));
        start = end + 1;
    }
    fields.push((start, text.len()));
}

fn character_length(text: &[u8], at: usize) -> usize {
    bstr::decode_utf8(text.get(at..).unwrap_or_default()).1.max(1)
}

fn characters(text: &[u8], fields: &mut Vec<Span>) {
    let mut at = 0;
    while at < text.len() {
        let end = at + character_length(text, at);
        fields.push((at, end));
        at = end;
    }
}

/// An empty match separates nothing.
fn at_matches(
    regex: &Regex,
    text: &[u8],
    begin: usize,
    fields: &mut Vec<Span>,
    mut separators: Option<&mut Vec<Span>>,
) -> Result<(), RegexError> {
    let (mut start, mut from) = (begin, begin);
    while from <= text.len() {
        let Some((begin, end)) = regex.find_at(text, from)? else {
            break;
        };
        if begin == end {
            from = end + character_length(text, end);
            continue;
        }
        fields.push((start, begin));
        if let Some(separators) = &mut separators {
            separators.push((begin, end));
        }
        (start, from) = (end, end);
    }
    fields.push((start, text.len()));
    Ok(())
}

fn into_matches(regex: &Regex, text: &[u8], fields: &mut Vec<Span>) -> Result<(), RegexError> {
    let mut from = 0;
    // An empty field cannot stand right behind a field that is not.
    let mut last_end = None;
    while from <= text.len() {
        let Some((begin, end)) = regex.find_at(text, from)? else {
            break;
        };
        if begin < end || last_end != Some(begin) {
            fields.push((begin, end));
        }
        if begin < end {
            last_end = Some(end);
            from = end;
        } else {
            from = end + character_length(text, end);
        }
    }
    Ok(())
}

fn by_widths(widths: &[(usize, Option<usize>)], text: &[u8], fields: &mut Vec<Span>) {
    let advance = |at: usize, count: usize| {
        let mut at = at;
        for _ in 0..count {
            if at >= text.len() {
                break;
            }
            at += character_length(text, at);
        }
        at
    };
    let mut at = 0;
    for (skip, width) in widths {
        let start = advance(at, *skip);
        if start >= text.len() {
            break;
        }
        let end = width.map_or(text.len(), |width| advance(start, width));
        fields.push((start, end));
        at = end;
    }
}
