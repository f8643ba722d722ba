//! The formats of `od -t`: how large a number is, how wide it is printed, and how.

use super::float;
use crate::args::{UsageError, quote};
use crate::text::escape;

/// What a number is printed as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// `a`
    Named,
    /// `c`
    Character,
    /// `d`
    Signed,
    /// `u`
    Unsigned,
    /// `o`
    Octal,
    /// `x`
    Hexadecimal,
    /// `f`
    Float,
}

/// One format.
#[derive(Debug, Clone, Copy)]
pub struct Format {
    /// What it prints.
    pub kind: Kind,
    /// Bytes of a number.
    pub size: usize,
    /// `z`: the characters follow.
    pub trailer: bool,
}

const NAMES: [&str; 33] = [
    "nul", "soh", "stx", "etx", "eot", "enq", "ack", "bel", "bs", "ht", "nl", "vt", "ff", "cr", "so", "si",
    "dle", "dc1", "dc2", "dc3", "dc4", "nak", "syn", "etb", "can", "em", "sub", "esc", "fs", "gs", "rs",
    "us", "sp",
];

/// The least common multiple of the sizes, all of which are powers of two.
pub fn common_multiple(formats: &[Format]) -> usize {
    formats.iter().map(|format| format.size).max().unwrap_or(1)
}

fn refused(message: &str, text: &[u8], after: &str) -> UsageError {
    let message = [message.as_bytes(), &quote(text), after.as_bytes()].concat();
    UsageError::plain(1, message)
}

/// Reads a type string: `x1z`, `doxf`, …
pub fn parse(text: &[u8]) -> Result<Vec<Format>, UsageError> {
    let mut formats = Vec::new();
    let mut rest = text;
    while let Some((&letter, behind)) = rest.split_first() {
        let kind = match letter {
            b'a' => Kind::Named,
            b'c' => Kind::Character,
            b'd' => Kind::Signed,
            b'u' => Kind::Unsigned,
            b'o' => Kind::Octal,
            b'x' => Kind::Hexadecimal,
            b'f' => Kind::Float,
            _ => {
                let shown = char::from(letter);
                return Err(refused(
                    &format!("invalid character '{shown}' in type string "),
                    text,
                    "",
                ));
            }
        };
        let (size, behind) = match kind {
            Kind::Named | Kind::Character => (1, behind),
            Kind::Float => float_size(behind, text)?,
            _ => integer_size(behind, text)?,
        };
        let behind_z = behind.strip_prefix(b"z");
        formats.push(Format {
            kind,
            size,
            trailer: behind_z.is_some(),
        });
        rest = behind_z.unwrap_or(behind);
    }
    Ok(formats)
}

/// A size in digits, if there is one.
fn digits<'a>(rest: &'a [u8], text: &[u8]) -> Result<(Option<u64>, &'a [u8]), UsageError> {
    let length = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (number, behind) = rest.split_at_checked(length).unwrap_or_default();
    let mut value = 0_u64;
    for digit in number {
        value = value
            .checked_mul(10)
            .and_then(|value| value.checked_add(u64::from(digit - b'0')))
            .ok_or_else(|| refused("invalid type string ", text, ""))?;
    }
    Ok(((length > 0).then_some(value), behind))
}

fn integer_size<'a>(rest: &'a [u8], text: &[u8]) -> Result<(usize, &'a [u8]), UsageError> {
    match rest {
        [b'C', behind @ ..] => return Ok((1, behind)),
        [b'S', behind @ ..] => return Ok((2, behind)),
        [b'I', behind @ ..] => return Ok((4, behind)),
        [b'L', behind @ ..] => return Ok((8, behind)),
        _ => {}
    }
    match digits(rest, text)? {
        (None, behind) => Ok((4, behind)),
        (Some(size @ (1 | 2 | 4 | 8)), behind) => Ok((size as usize, behind)),
        (Some(size), _) => Err(refused(
            "invalid type string ",
            text,
            &format!(";\nthis system doesn't provide a {size}-byte integral type"),
        )),
    }
}

fn float_size<'a>(rest: &'a [u8], text: &[u8]) -> Result<(usize, &'a [u8]), UsageError> {
    match rest {
        [b'F', behind @ ..] => return Ok((4, behind)),
        [b'D', behind @ ..] => return Ok((8, behind)),
        [b'L', behind @ ..] => return Ok((16, behind)),
        _ => {}
    }
    match digits(rest, text)? {
        (None, behind) => Ok((8, behind)),
        (Some(size @ (4 | 8 | 16)), behind) => Ok((size as usize, behind)),
        (Some(size), _) => Err(refused(
            "invalid type string ",
            text,
            &format!(";\nthis system doesn't provide a {size}-byte floating point type"),
        )),
    }
}

impl Format {
    /// The width of a field, without the blank before it.
    pub fn width(&self) -> usize {
        match (self.kind, self.size) {
            (Kind::Named | Kind::Character, _) => 3,
            (Kind::Signed, 1) => 4,
            (Kind::Signed, 2) => 6,
            (Kind::Signed, 4) => 11,
            (Kind::Signed, _) => 20,
            (Kind::Unsigned, 1) => 3,
            (Kind::Unsigned, 2) => 5,
            (Kind::Unsigned, 4) => 10,
            (Kind::Unsigned, _) => 20,
            (Kind::Octal, 1) => 3,
            (Kind::Octal, 2) => 6,
            (Kind::Octal, 4) => 11,
            (Kind::Octal, _) => 22,
            (Kind::Hexadecimal, size) => size * 2,
            (Kind::Float, 4) => 15,
            (Kind::Float, 8) => 24,
            (Kind::Float, _) => 29,
        }
    }

    /// The text of one number, without padding.
    pub fn show(&self, bytes: &[u8], big_endian: bool) -> Vec<u8> {
        let mut raw = [0_u8; 16];
        for (slot, byte) in raw.iter_mut().zip(bytes) {
            *slot = *byte;
        }
        if big_endian && let Some(used) = raw.get_mut(..self.size) {
            used.reverse();
        }
        let wide = u128::from_le_bytes(raw);
        let value = wide as u64;
        match self.kind {
            Kind::Named => named(value as u8).into_bytes(),
            Kind::Character => escape::in_column(value as u8),
            Kind::Signed => {
                let spare = 64 - 8 * self.size as u32;
                (((value << spare) as i64) >> spare).to_string().into_bytes()
            }
            Kind::Unsigned => value.to_string().into_bytes(),
            Kind::Octal => format!("{value:0width$o}", width = self.width()).into_bytes(),
            Kind::Hexadecimal => format!("{value:0width$x}", width = self.width()).into_bytes(),
            Kind::Float => match self.size {
                4 => float::single(f32::from_bits(value as u32)).into_bytes(),
                8 => float::double(f64::from_bits(value)).into_bytes(),
                _ => float::long(value, (wide >> 64) as u16),
            },
        }
    }
}

fn named(byte: u8) -> String {
    let seven = byte & 127;
    match (NAMES.get(usize::from(seven)), seven) {
        (Some(name), _) => (*name).to_owned(),
        (None, 127) => "del".to_owned(),
        _ => char::from(seven).to_string(),
    }
}
