//! `--transform`: names are changed by sed's `s` command.

use crate::pattern::{Captures, Regex, RegexOptions, Syntax};

/// Substitutions, one after the other.
#[derive(Debug, Default)]
pub struct Transform {
    steps: Vec<Step>,
}

#[derive(Debug)]
struct Step {
    regex: Regex,
    pieces: Vec<Piece>,
    global: bool,
    /// The first match that is replaced, from 1 on.
    first: usize,
}

#[derive(Debug)]
enum Piece {
    Text(Vec<u8>),
    Group(usize),
}

/// Why an expression is none.
pub enum Wrong {
    Expression,
    Flag(u8),
    Regex(String),
    /// It would do what is not done here.
    Unsupported,
}

impl Transform {
    /// Adds `s/…/…/flags`, several behind semicolons.
    pub fn add(&mut self, text: &[u8]) -> Result<(), Wrong> {
        let mut rest = text;
        loop {
            let (step, behind) = Step::parse(rest)?;
            self.steps.push(step);
            match behind {
                [] => return Ok(()),
                [b';', more @ ..] => rest = more,
                [flag, ..] => return Err(Wrong::Flag(*flag)),
            }
        }
    }

    /// The changed name.
    pub fn apply(&self, name: &[u8]) -> Vec<u8> {
        self.steps
            .iter()
            .fold(name.to_vec(), |name, step| step.apply(&name))
    }
}

/// A part up to a separator that no backslash hides, and what is behind it.
fn part(text: &[u8], separator: u8) -> Option<(Vec<u8>, &[u8])> {
    let mut out = Vec::new();
    let mut bytes = text.iter().enumerate();
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'\\' => {
                let (_, next) = bytes.next()?;
                if *next != separator {
                    out.push(b'\\');
                }
                out.push(*next);
            }
            byte if *byte == separator => return Some((out, text.get(at + 1..)?)),
            byte => out.push(*byte),
        }
    }
    None
}

impl Step {
    fn parse(text: &[u8]) -> Result<(Step, &[u8]), Wrong> {
        let Some((b's', [separator, rest @ ..])) = text.split_first() else {
            return Err(Wrong::Expression);
        };
        let (source, rest) = part(rest, *separator).ok_or(Wrong::Expression)?;
        let (replacement, mut rest) = part(rest, *separator).ok_or(Wrong::Expression)?;
        let mut options = RegexOptions::default();
        let mut syntax = Syntax::Basic;
        let (mut global, mut first) = (false, 1);
        while let Some((flag, behind)) = rest.split_first() {
            match flag {
                b'g' => global = true,
                b'i' | b'I' => options.ignore_case = true,
                b'x' => syntax = Syntax::Extended,
                b'0'..=b'9' => {
                    let (number, length) = crate::text::format::leading_number(rest);
                    first = number.max(1);
                    rest = rest.get(length..).unwrap_or_default();
                    continue;
                }
                // Which names a change is for.
                b'r' | b'h' | b's' => {}
                b'R' | b'H' | b'S' => return Err(Wrong::Unsupported),
                _ => break,
            }
            rest = behind;
        }
        let regex =
            Regex::compile(&source, syntax, options).map_err(|error| Wrong::Regex(error.to_string()))?;
        let step = Step {
            regex,
            pieces: pieces(&replacement)?,
            global,
            first,
        };
        Ok((step, rest))
    }

    fn apply(&self, name: &[u8]) -> Vec<u8> {
        let mut captures = Captures::default();
        let mut out = Vec::new();
        let (mut from, mut copied, mut seen) = (0, 0, 0);
        while from <= name.len() {
            let found = self.regex.captures_at(name, from, &mut captures);
            let Some((start, end)) = found.ok().and_then(|_| captures.get(0)) else {
                break;
            };
            seen += 1;
            if seen >= self.first {
                out.extend_from_slice(name.get(copied..start).unwrap_or_default());
                for piece in &self.pieces {
                    match piece {
                        Piece::Text(text) => out.extend_from_slice(text),
                        Piece::Group(group) => {
                            let span = captures.get(*group);
                            let text = span.and_then(|(start, end)| name.get(start..end));
                            out.extend_from_slice(text.unwrap_or_default());
                        }
                    }
                }
                copied = end;
                if !self.global {
                    break;
                }
            }
            from = if end > start { end } else { end + 1 };
        }
        out.extend_from_slice(name.get(copied..).unwrap_or_default());
        out
    }
}

fn pieces(text: &[u8]) -> Result<Vec<Piece>, Wrong> {
    let mut pieces = Vec::new();
    let mut literal = Vec::new();
    let mut bytes = text.iter();
    while let Some(byte) = bytes.next() {
        let group = match byte {
            b'&' => 0,
            b'\\' => match bytes.next() {
                Some(digit @ b'0'..=b'9') => usize::from(digit - b'0'),
                Some(b'L' | b'U' | b'E' | b'l' | b'u') => return Err(Wrong::Unsupported),
                Some(b'n') => {
                    literal.push(b'\n');
                    continue;
                }
                Some(b't') => {
                    literal.push(b'\t');
                    continue;
                }
                Some(other) => {
                    literal.push(*other);
                    continue;
                }
                None => return Err(Wrong::Expression),
            },
            byte => {
                literal.push(*byte);
                continue;
            }
        };
        pieces.push(Piece::Text(std::mem::take(&mut literal)));
        pieces.push(Piece::Group(group));
    }
    pieces.push(Piece::Text(literal));
    Ok(pieces)
}
