//! Backslash escapes of scripts: what stands for a byte, replacements, and the two sides of `y`.

use super::script::{Case, Piece, Translation};
use crate::text::escape;

/// A byte written as `\t`, `\cX`, `\d065`, `\o101`, `\x41`: the byte, and the length behind the backslash.
/// `Err`: `\c\` with something else than a second backslash.
pub fn escaped_byte(rest: &[u8]) -> Result<Option<(u8, usize)>, &'static str> {
    let Some(&letter) = rest.first() else {
        return Ok(None);
    };
    let found = match letter {
        b'a' | b'f' | b'n' | b'r' | b't' | b'v' => escape::letter(letter).map(|byte| (byte, 1)),
        b'c' => match (rest.get(1), rest.get(2)) {
            (Some(b'\\'), Some(b'\\')) => Some((0x1c, 3)),
            (Some(b'\\'), Some(_)) => return Err("recursive escaping after \\c not allowed"),
            (Some(byte), _) => Some((byte.to_ascii_uppercase() ^ 0x40, 2)),
            (None, _) => None,
        },
        b'd' => number(rest, 10, 3),
        b'o' => number(rest, 8, 3),
        b'x' => number(rest, 16, 2),
        _ => None,
    };
    Ok(found)
}

fn number(rest: &[u8], base: u32, most: usize) -> Option<(u8, usize)> {
    let (value, count) = escape::digits(rest.get(1..).unwrap_or_default(), base, most);
    (count > 0).then_some((value as u8, count + 1))
}

/// Replaces the escapes of a regular expression that its own language does not know.
pub fn regex(text: &[u8]) -> Result<Vec<u8>, &'static str> {
    unescaped(text, b"\\")
}

/// The text of `a`, `i` and `c`: escapes stand for bytes, any other backslash goes.
pub fn text(text: &[u8]) -> Result<Vec<u8>, &'static str> {
    unescaped(text, b"")
}

/// Puts bytes for escapes; `other` is what becomes of any other backslash.
fn unescaped(text: &[u8], other: &[u8]) -> Result<Vec<u8>, &'static str> {
    let mut out = Vec::with_capacity(text.len());
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        let rest = text.get(at + 1..).unwrap_or_default();
        if byte != b'\\' {
            out.push(byte);
            at += 1;
        } else if let Some((byte, length)) = escaped_byte(rest)? {
            out.push(byte);
            at += 1 + length;
        } else {
            out.extend_from_slice(other);
            out.extend(rest.first());
            at += 2;
        }
    }
    Ok(out)
}

/// Splits a replacement into pieces, as GNU's `setup_replacement`. With `posix`, letters do not change the case.
pub fn replacement(text: &[u8], posix: bool) -> Result<Vec<Piece>, &'static str> {
    let mut builder = Builder::default();
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        at += 1;
        if byte == b'&' {
            builder.group(0);
            continue;
        }
        if byte != b'\\' {
            builder.literal.push(byte);
            continue;
        }
        let rest = text.get(at..).unwrap_or_default();
        let Some(&letter) = rest.first() else {
            builder.literal.push(b'\\');
            break;
        };
        at += 1;
        match letter {
            b'0'..=b'9' => builder.group(usize::from(letter - b'0')),
            b'L' | b'U' | b'E' | b'l' | b'u' if posix => builder.literal.push(letter),
            b'L' => builder.case(Case::Lower),
            b'U' => builder.case(Case::Upper),
            b'E' => builder.case(Case::AsIs),
            b'l' => builder.first(Case::Lower),
            b'u' => builder.first(Case::Upper),
            _ => match escaped_byte(rest)? {
                Some((byte, length)) => {
                    builder.literal.push(byte);
                    at += length - 1;
                }
                None => builder.literal.push(letter),
            },
        }
    }
    builder.flush(None);
    Ok(builder.pieces)
}

#[derive(Default)]
struct Builder {
    pieces: Vec<Piece>,
    literal: Vec<u8>,
    case: Case,
    first: Option<Case>,
}

impl Builder {
    fn flush(&mut self, group: Option<usize>) {
        if !self.literal.is_empty() || group.is_some() {
            let text = std::mem::take(&mut self.literal);
            self.pieces.push(Piece {
                text,
                group,
                case: self.case,
                first: self.first.take(),
            });
        }
    }

    fn group(&mut self, group: usize) {
        self.flush(Some(group));
    }

    fn case(&mut self, case: Case) {
        self.flush(None);
        (self.case, self.first) = (case, None);
    }

    fn first(&mut self, case: Case) {
        self.flush(None);
        self.first = Some(case);
    }
}

/// Compiles `y`; `None` when the sides differ in length.
pub fn translation(from: &[u8], to: &[u8]) -> Result<Option<Translation>, &'static str> {
    let (from, to) = (characters(from)?, characters(to)?);
    if from.len() != to.len() {
        return Ok(None);
    }
    let mut table = Translation::default();
    if from
        .iter()
        .chain(&to)
        .all(|character| character.len() == 1 && character.is_ascii())
    {
        let mut ascii = Box::new([0u8; 256]);
        for (place, byte) in ascii.iter_mut().zip(0u8..=255) {
            *place = byte;
        }
        // The first of several rules for a character holds.
        for (old, new) in from.iter().zip(&to).rev() {
            if let ([old], [new]) = (old.as_slice(), new.as_slice())
                && let Some(place) = ascii.get_mut(usize::from(*old))
            {
                *place = *new;
            }
        }
        table.ascii = Some(ascii);
    } else {
        table.characters = from.into_iter().zip(to).rev().collect();
    }
    Ok(Some(table))
}

fn characters(text: &[u8]) -> Result<Vec<Vec<u8>>, &'static str> {
    let mut list = Vec::new();
    let mut bytes = Vec::new();
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        let rest = text.get(at + 1..).unwrap_or_default();
        if byte != b'\\' {
            bytes.push(byte);
            at += 1;
        } else if let Some((byte, length)) = escaped_byte(rest)? {
            bytes.push(byte);
            at += 1 + length;
        } else {
            // `\c` without a character stays as it is.
            if rest == b"c" {
                bytes.push(b'\\');
            }
            bytes.extend(rest.first());
            at += 2;
        }
    }
    let mut rest = bytes.as_slice();
    while !rest.is_empty() {
        let (_, size) = bstr::decode_utf8(rest);
        let (character, behind) = rest.split_at(size.max(1));
        list.push(character.to_vec());
        rest = behind;
    }
    Ok(list)
}
