//! Formats of `-printf`: parsing. What a directive prints is in `show.rs`.
//!
//! `%d` and `%m` are numbers to C's `printf`, everything else is a string to it; the flags, width and precision go there as written.

use crate::text::escape;
use crate::text::format::{Directive, Layout};

/// A part of a format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    Text(Vec<u8>),
    /// `\c`: nothing more is printed, and the output is flushed.
    Stop,
    /// A letter in its layout, and for times the letter after it.
    Field {
        layout: Layout,
        letter: u8,
        kind: u8,
    },
}

/// A format.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Format {
    pub pieces: Vec<Piece>,
}

/// Widths beyond this are refused.
const LIMIT: usize = 1 << 20;

struct Parser<'t> {
    text: &'t [u8],
    at: usize,
    plain: Vec<u8>,
    pieces: Vec<Piece>,
    warnings: Vec<Vec<u8>>,
}

/// Reads a format; also warnings. An error ends the program.
pub fn parse(text: &[u8]) -> Result<(Format, Vec<Vec<u8>>), Vec<u8>> {
    let mut parser = Parser {
        text,
        at: 0,
        plain: Vec::new(),
        pieces: Vec::new(),
        warnings: Vec::new(),
    };
    while let Some(byte) = parser.take() {
        match byte {
            b'\\' => {
                if parser.escape() {
                    break;
                }
            }
            b'%' => parser.directive()?,
            _ => parser.plain.push(byte),
        }
    }
    parser.end_plain();
    let format = Format {
        pieces: parser.pieces,
    };
    Ok((format, parser.warnings))
}

impl Parser<'_> {
    fn take(&mut self) -> Option<u8> {
        let byte = self.text.get(self.at).copied();
        self.at += usize::from(byte.is_some());
        byte
    }

    fn end_plain(&mut self) {
        if !self.plain.is_empty() {
            self.pieces.push(Piece::Text(std::mem::take(&mut self.plain)));
        }
    }

    /// After a backslash; `true` for `\c`.
    fn escape(&mut self) -> bool {
        let Some(byte) = self.take() else {
            self.plain.push(b'\\');
            let warning = b"warning: escape `\\' followed by nothing at all";
            self.warnings.push(warning.to_vec());
            return false;
        };
        match byte {
            b'c' => {
                self.end_plain();
                self.pieces.push(Piece::Stop);
                return true;
            }
            b'0'..=b'7' => {
                let digits = self.text.get(self.at - 1..).unwrap_or_default();
                let (value, count) = escape::digits(digits, 8, 3);
                self.at += count - 1;
                self.plain.push(value as u8);
            }
            b'\\' => self.plain.push(b'\\'),
            _ if let Some(named) = escape::letter(byte) => self.plain.push(named),
            _ => {
                self.plain.extend([b'\\', byte]);
                let warning = [b"warning: unrecognized escape `\\", &[byte][..], b"'"].concat();
                self.warnings.push(warning);
            }
        }
        false
    }

    /// After a `%`.
    fn directive(&mut self) -> Result<(), Vec<u8>> {
        let start = self.at;
        let rest = self.text.get(start..).unwrap_or_default();
        match rest.first() {
            None => return Err(b"error: % at end of format string".to_vec()),
            Some(b'%') => {
                self.plain.push(b'%');
                self.at += 1;
                return Ok(());
            }
            Some(_) => {}
        }
        let flags = rest.iter().take_while(|byte| b"-+ #".contains(byte)).count();
        let written = rest.get(flags..).unwrap_or_default();
        let digits = written.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let mut length = flags + digits;
        if rest.get(length) == Some(&b'.') {
            let precision = rest.get(length + 1..).unwrap_or_default();
            length += 1 + precision.iter().take_while(|byte| byte.is_ascii_digit()).count();
        }
        self.at = start + length;
        let letter = self.take();
        let (directive, _) = Directive::parse(rest.get(..length).unwrap_or_default());
        let layout = directive.resolve(|| 0);
        match letter {
            None | Some(b'{' | b'[' | b'(') => Err([
                b"error: the format directive `%",
                &[letter.unwrap_or(0)][..],
                b"' is reserved for future use",
            ]
            .concat()),
            Some(b'%') => {
                let kept = self.text.get(start - 1..self.at - 1).unwrap_or_default().to_vec();
                self.plain.extend(kept);
                Ok(())
            }
            Some(letter) => {
                self.field(start, letter, layout);
                Ok(())
            }
        }
    }

    fn field(&mut self, start: usize, letter: u8, layout: Layout) {
        let known = b"abcdDfFgGhHiklmMnpPsStuUyYZABCT".contains(&letter);
        let kind = match letter {
            b'A' | b'B' | b'C' | b'T' => self.take(),
            _ => Some(0),
        };
        if let (true, Some(kind), false) = (known, kind, layout.exceeds(LIMIT)) {
            self.end_plain();
            self.pieces.push(Piece::Field { layout, letter, kind });
            return;
        }
        let written = self.text.get(start - 1..self.at).unwrap_or_default().to_vec();
        self.plain.extend(written);
        self.warnings.push(if kind.is_none() {
            let after = b"' should be followed by another character";
            [b"warning: format directive `%", &[letter][..], after].concat()
        } else {
            [b"warning: unrecognized format directive `%", &[letter][..], b"'"].concat()
        });
    }
}
