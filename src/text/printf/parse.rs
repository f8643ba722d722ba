//! Formats into pieces.

use super::{Complaint, Family, Format};
use crate::text::escape::{self, Reader};
use crate::text::format::{Amount, Directive};

/// A piece of a format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece {
    /// Printed as it is.
    Text(Vec<u8>),
    /// A conversion with its letter.
    Convert(Directive, u8),
    /// `%(format)T`.
    Time(Directive, Vec<u8>),
    /// Said each time; the format goes on.
    Say(Complaint),
    /// Said, and the end.
    Fail(Complaint),
    /// `\c` in a coreutils format: the end, without an error.
    Stop,
}

/// Letters that C takes before a conversion. They change nothing here.
const MODIFIERS: &[u8] = b"hjlLtz";

impl Format {
    /// Parses a format.
    pub fn parse(text: &[u8], family: Family) -> Format {
        let mut parser = Parser {
            family,
            text,
            at: 0,
            literal: Vec::new(),
            pieces: Vec::new(),
        };
        while parser.step() {}
        parser.flush();
        Format {
            family,
            pieces: parser.pieces,
        }
    }
}

struct Parser<'a> {
    family: Family,
    text: &'a [u8],
    at: usize,
    literal: Vec<u8>,
    pieces: Vec<Piece>,
}

impl<'a> Parser<'a> {
    fn rest(&self) -> &'a [u8] {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn flush(&mut self) {
        if !self.literal.is_empty() {
            self.pieces.push(Piece::Text(std::mem::take(&mut self.literal)));
        }
    }

    fn push(&mut self, piece: Piece) {
        self.flush();
        self.pieces.push(piece);
    }

    /// Ends the format with a piece that nothing can follow.
    fn end(&mut self, piece: Piece) -> bool {
        self.push(piece);
        false
    }

    /// Reads on; false at the end.
    fn step(&mut self) -> bool {
        let rest = self.rest();
        let plain = memchr::memchr2(b'%', b'\\', rest).unwrap_or(rest.len());
        self.literal
            .extend_from_slice(rest.get(..plain).unwrap_or_default());
        self.at += plain;
        match rest.get(plain..) {
            Some([b'%', b'%', ..]) => {
                self.literal.push(b'%');
                self.at += 2;
                true
            }
            Some([b'%', after @ ..]) => self.directive(after),
            Some([b'\\', after @ ..]) => self.escape(after),
            _ => false,
        }
    }

    fn escape(&mut self, after: &[u8]) -> bool {
        let reader = match self.family {
            Family::Bash => Reader::Format,
            Family::Coreutils => Reader::ProgramFormat,
        };
        // bash complains before it prints the backslash, but nothing shows the difference.
        let read = escape::read(after, reader, &mut self.literal);
        self.at += 1 + read.length;
        match (read.problem, self.family) {
            _ if read.stop => self.end(Piece::Stop),
            (None, _) => true,
            (Some(problem), Family::Bash) => {
                self.push(Piece::Say(Complaint::Escape(problem)));
                true
            }
            (Some(problem), Family::Coreutils) => {
                // Fatal: the backslash that was kept is not printed.
                if self.literal.last() == Some(&b'\\') && read.length == 0 {
                    self.literal.pop();
                }
                self.end(Piece::Fail(Complaint::Escape(problem)))
            }
        }
    }

    fn directive(&mut self, after: &[u8]) -> bool {
        match self.family {
            Family::Bash => self.bash_directive(after),
            Family::Coreutils => self.coreutils_directive(after),
        }
    }

    fn bash_directive(&mut self, after: &[u8]) -> bool {
        let (mut directive, mut length) = Directive::parse(after);
        // A negative precision, which bash skips and C then refuses to read.
        let negative = matches!(after.get(length.wrapping_sub(1)..), Some([b'.', b'-', ..]));
        if negative {
            let digits = after.get(length + 1..).unwrap_or_default();
            length += 1 + digits.iter().take_while(|byte| byte.is_ascii_digit()).count();
            directive.precision = Amount::None;
        }
        length += modifiers(after.get(length..));
        let Some(&letter) = after.get(length) else {
            let text = self.rest().to_vec();
            return self.end(Piece::Fail(Complaint::MissingCharacter(text)));
        };
        let spent = 1 + length + 1;
        match letter {
            b'(' => return self.time(directive, after.get(length + 1..).unwrap_or_default(), spent),
            _ if negative && b"diouxXeEfFgGaAcs".contains(&letter) => {
                let text = unreadable(self.rest().get(..spent).unwrap_or_default(), letter);
                self.literal.extend_from_slice(&text);
            }
            // A precision of a mere point does not cut the argument of `%Q`, but what is made of it.
            b'Q' if after.get(length.wrapping_sub(1)) == Some(&b'.') => {
                self.push(Piece::Convert(directive, b'q'))
            }
            b'd' | b'i' | b'o' | b'u' | b'x' | b'X' | b'e' | b'E' | b'f' | b'F' | b'g' | b'G' | b'a'
            | b'A' | b'c' | b's' | b'b' | b'q' | b'Q' | b'n' => self.push(Piece::Convert(directive, letter)),
            _ => return self.end(Piece::Fail(Complaint::InvalidCharacter(letter))),
        }
        self.at += spent;
        true
    }

    /// `(format)T`; anything else prints the `%` and reads on after it.
    fn time(&mut self, directive: Directive, inner: &[u8], spent: usize) -> bool {
        let mut depth = 1_usize;
        let close = inner.iter().position(|byte| {
            match byte {
                b'(' => depth += 1,
                b')' => depth -= 1,
                _ => {}
            }
            depth == 0
        });
        let letter = close.and_then(|close| inner.get(close + 1)).copied();
        if let (Some(close), Some(b'T')) = (close, letter) {
            let format = inner
                .get(..close)
                .filter(|format| !format.is_empty())
                .unwrap_or(b"%X");
            self.push(Piece::Time(directive, format.to_vec()));
            self.at += spent + close + 2;
            return true;
        }
        self.push(Piece::Say(Complaint::InvalidTimeFormat(letter.unwrap_or(0))));
        self.literal.push(b'%');
        self.at += 1;
        true
    }

    fn coreutils_directive(&mut self, after: &[u8]) -> bool {
        if let Some(&letter @ (b'b' | b'q')) = after.first() {
            self.push(Piece::Convert(Directive::default(), letter));
            self.at += 2;
            return true;
        }
        let (directive, mut length) = Directive::parse(after);
        length += modifiers(after.get(length..));
        let letter = after.get(length).copied();
        let Some(letter) = letter.filter(|&letter| is_allowed(&directive, letter)) else {
            let text = self.rest().get(..length + 2).unwrap_or(self.rest()).to_vec();
            return self.end(Piece::Fail(Complaint::InvalidConversion(text)));
        };
        self.push(Piece::Convert(directive, letter));
        self.at += 2 + length;
        true
    }
}

fn modifiers(text: Option<&[u8]>) -> usize {
    text.unwrap_or_default()
        .iter()
        .take_while(|byte| MODIFIERS.contains(byte))
        .count()
}

/// Which flags go with which conversion, for coreutils.
fn is_allowed(directive: &Directive, letter: u8) -> bool {
    let flags = directive.flags;
    b"aAcdeEfFgGiosuxX".contains(&letter)
        && !(flags.group && b"aAceEosxX".contains(&letter))
        && !(flags.alternate && b"cdisu".contains(&letter))
        && !(flags.zero && b"cs".contains(&letter))
        && !(directive.precision != Amount::None && letter == b'c')
}

/// glibc prints a directive that it cannot read: `%.-3d` becomes `%.0-3ld` with the modifier that bash adds.
fn unreadable(text: &[u8], letter: u8) -> Vec<u8> {
    let modifier: &[u8] = match letter {
        b'c' | b's' => b"",
        b'd' | b'i' | b'o' | b'u' | b'x' | b'X' => b"l",
        _ => b"L",
    };
    let body = text.get(..text.len().saturating_sub(1)).unwrap_or_default();
    let kept = body
        .iter()
        .filter(|byte| !MODIFIERS.contains(byte))
        .copied()
        .collect::<Vec<u8>>();
    let point = kept
        .iter()
        .position(|&byte| byte == b'.')
        .map_or(kept.len(), |at| at + 1);
    let (before, after) = kept.split_at_checked(point).unwrap_or_default();
    [before, b"0", after, modifier, &[letter]].concat()
}
