//! Hunks of context diffs and of normal ones.

use super::hunk::{Edit, Hunk, Mark};
use super::reader::{Malformed, Reader, number};
use crate::program::message::message;

/// `A[,B]` as first and last line; `0` or an end before the start means no line.
fn lines_of(text: &[u8]) -> Option<((i64, i64), &[u8])> {
    let (first, rest) = number(text)?;
    match rest.strip_prefix(b",") {
        Some(rest) => {
            let (last, rest) = number(rest)?;
            Some(((first, last), rest))
        }
        None => Some(((first, first), rest)),
    }
}

/// A command of a normal diff: its old lines, its letter, its new lines.
pub fn normal_command(line: &[u8]) -> Option<((i64, i64), u8, (i64, i64))> {
    let (old, rest) = lines_of(line)?;
    let (letter, rest) = rest.split_first()?;
    if !matches!(letter, b'a' | b'c' | b'd') {
        return None;
    }
    let (new, rest) = lines_of(rest)?;
    rest.trim_ascii().is_empty().then_some((old, *letter, new))
}

impl Reader<'_> {
    pub(super) fn normal_hunk(&mut self) -> Result<Option<Hunk>, Malformed> {
        let Some((old, letter, new)) = normal_command(self.line(0)) else {
            return Ok(None);
        };
        self.next += 1;
        let mut hunk = Hunk {
            old_start: old.0,
            new_start: new.0,
            ..Hunk::default()
        };
        if letter != b'a' {
            self.normal_lines(&mut hunk, b'<', Mark::Delete, old.1 - old.0 + 1)?;
        }
        if letter == b'c' {
            let line = self.take().unwrap_or_default();
            if !line.starts_with(b"-") {
                return Err(message!(
                    "'---' expected at line ",
                    self.next.to_string(),
                    " of patch"
                ));
            }
        }
        if letter != b'd' {
            self.normal_lines(&mut hunk, b'>', Mark::Insert, new.1 - new.0 + 1)?;
        }
        Ok(Some(hunk))
    }

    fn normal_lines(&mut self, hunk: &mut Hunk, sign: u8, mark: Mark, count: i64) -> Result<(), Malformed> {
        for _ in 0..count {
            let Some(line) = self.take() else {
                return Err(message!(
                    "unexpected end of file in patch at line ",
                    self.next.to_string()
                ));
            };
            let Some(text) = line.strip_prefix(&[sign, b' ']) else {
                let sign = char::from(sign).to_string();
                return Err(message!(
                    "'",
                    sign,
                    "' followed by space or tab expected at line ",
                    self.next.to_string(),
                    " of patch"
                ));
            };
            let mut text = text.to_vec();
            self.drop_newline(&mut text);
            hunk.edits.push(Edit { mark, text });
        }
        Ok(())
    }

    pub(super) fn context_hunk(&mut self) -> Result<Option<Hunk>, Malformed> {
        if !(self.line(0).starts_with(b"********") && self.line(1).starts_with(b"*** ")) {
            return Ok(None);
        }
        self.next += 1;
        let head = self.take().unwrap_or_default();
        let Some((old, _)) = head.strip_prefix(b"*** ").and_then(lines_of) else {
            return Err(self.malformed(&head));
        };
        let mut before = Vec::new();
        if !self.line(0).starts_with(b"--- ") {
            self.context_lines(&mut before, old)?;
        }
        let middle = self.take().unwrap_or_default();
        let Some((new, _)) = middle.strip_prefix(b"--- ").and_then(lines_of) else {
            return Err(self.malformed(&middle));
        };
        let mut after = Vec::new();
        let has_new = matches!(self.line(0), [b' ' | b'+' | b'!', b' ' | b'\t', ..]);
        if has_new {
            self.context_lines(&mut after, new)?;
        }
        let kept = |lines: &[(u8, Vec<u8>)]| -> Vec<(u8, Vec<u8>)> {
            lines.iter().filter(|(sign, _)| *sign == b' ').cloned().collect()
        };
        if before.is_empty() {
            before = kept(&after);
        } else if after.is_empty() {
            after = kept(&before);
        }
        Ok(Some(Hunk {
            old_start: old.0,
            new_start: new.0,
            edits: merged(before, after),
            function: Vec::new(),
        }))
    }

    fn context_lines(
        &mut self,
        lines: &mut Vec<(u8, Vec<u8>)>,
        (first, last): (i64, i64),
    ) -> Result<(), Malformed> {
        let count = if first == 0 { 0 } else { last - first + 1 };
        for _ in 0..count {
            let Some(line) = self.take() else {
                return Err(b"unexpected end of file in patch".to_vec());
            };
            let (sign, text) = match line.as_slice() {
                [sign @ (b' ' | b'-' | b'+' | b'!'), b' ' | b'\t', text @ ..] => (*sign, text.to_vec()),
                b"\n" => (b' ', line.clone()),
                _ => return Err(self.malformed(&line)),
            };
            let mut text = text;
            self.drop_newline(&mut text);
            lines.push((sign, text));
        }
        Ok(())
    }
}

/// The two halves of a context hunk as one sequence.
fn merged(before: Vec<(u8, Vec<u8>)>, after: Vec<(u8, Vec<u8>)>) -> Vec<Edit> {
    let mut edits = Vec::with_capacity(before.len() + after.len());
    let mut after = after.into_iter().peekable();
    let insert = |edits: &mut Vec<Edit>,
                  after: &mut std::iter::Peekable<std::vec::IntoIter<(u8, Vec<u8>)>>| {
        while let Some((_, text)) = after.next_if(|(sign, _)| *sign != b' ') {
            edits.push(Edit {
                mark: Mark::Insert,
                text,
            });
        }
    };
    for (sign, text) in before {
        if sign == b' ' {
            insert(&mut edits, &mut after);
            after.next();
            edits.push(Edit {
                mark: Mark::Keep,
                text,
            });
        } else {
            edits.push(Edit {
                mark: Mark::Delete,
                text,
            });
        }
    }
    insert(&mut edits, &mut after);
    edits
}
