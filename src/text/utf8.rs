//! Bytes as the characters of `C.UTF-8`.
//!
//! A well-formed UTF-8 sequence is one character; every byte that belongs to none is a unit of its own, as bash counts it
//! (`x=$'\xe2\x82'; echo ${#x}` prints 2), and passes through every function here unchanged. Classes, case mappings and
//! widths are those of glibc's `C.UTF-8` (tables in `unicode_tables.rs`), not those of Rust's `char`: `iswalpha` counts most
//! digits of other scripts, and case mappings are always one to one.
//! One known difference: glibc also decodes sequences past U+10FFFF (`f4 90 80 80`), which are invalid bytes here.

use super::unicode_tables as tables;

/// One character, or one byte that is part of no character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// A well-formed character.
    Char(char),
    /// A byte outside of any well-formed sequence.
    Byte(u8),
}

impl Unit {
    /// How many bytes it takes.
    pub fn len(self) -> usize {
        match self {
            Unit::Char(character) => character.len_utf8(),
            Unit::Byte(_) => 1,
        }
    }

    /// Never: a unit has at least one byte.
    pub fn is_empty(self) -> bool {
        false
    }

    /// Appends its bytes.
    pub fn push_to(self, out: &mut Vec<u8>) {
        match self {
            Unit::Char(character) => push_char(out, character),
            Unit::Byte(byte) => out.push(byte),
        }
    }
}

/// Appends a character as UTF-8.
pub fn push_char(out: &mut Vec<u8>, character: char) {
    out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
}

/// The first unit of `bytes`, or `None` when there is none.
pub fn first(bytes: &[u8]) -> Option<Unit> {
    let &lead = bytes.first()?;
    let length = match lead {
        0..=0x7f => return Some(Unit::Char(char::from(lead))),
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        _ => return Some(Unit::Byte(lead)),
    };
    let decoded = bytes
        .get(..length)
        .and_then(|sequence| std::str::from_utf8(sequence).ok());
    Some(
        decoded
            .and_then(|text| text.chars().next())
            .map_or(Unit::Byte(lead), Unit::Char),
    )
}

/// Whether `bytes` is the beginning of a character that lacks only its end (`mbrtowc` returns -2).
pub fn is_truncated(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_err_and(|error| error.valid_up_to() == 0 && error.error_len().is_none())
}

/// The units of a byte string with their offsets.
#[derive(Debug, Clone)]
pub struct Units<'a> {
    bytes: &'a [u8],
    offset: usize,
}

impl Iterator for Units<'_> {
    type Item = (usize, Unit);

    fn next(&mut self) -> Option<Self::Item> {
        let unit = first(self.bytes.get(self.offset..)?)?;
        let at = self.offset;
        self.offset += unit.len();
        Some((at, unit))
    }
}

/// Iterates over the units of `bytes`.
pub fn units(bytes: &[u8]) -> Units<'_> {
    Units { bytes, offset: 0 }
}

/// The number of characters, as `${#x}` counts.
pub fn count(bytes: &[u8]) -> usize {
    if bytes.is_ascii() {
        bytes.len()
    } else {
        units(bytes).count()
    }
}

/// The byte offset of the `index`th character; the length when there are fewer.
pub fn offset_of(bytes: &[u8], index: usize) -> usize {
    if bytes.is_ascii() {
        return index.min(bytes.len());
    }
    units(bytes).nth(index).map_or(bytes.len(), |(offset, _)| offset)
}

/// `length` characters from the `start`th on; less where the string ends.
pub fn slice(bytes: &[u8], start: usize, length: usize) -> &[u8] {
    let rest = bytes.get(offset_of(bytes, start)..).unwrap_or_default();
    rest.get(..offset_of(rest, length)).unwrap_or(rest)
}

/// Whether a character starts at (or the string ends at) `offset`.
pub fn is_boundary(bytes: &[u8], offset: usize) -> bool {
    // A sequence has four bytes at most: decode from the earliest byte that could cover `offset`.
    let start = offset.saturating_sub(3);
    offset <= bytes.len()
        && !(start..offset).any(|at| {
            bytes
                .get(at..)
                .and_then(first)
                .is_some_and(|unit| unit.len() > 1 && at + unit.len() > offset)
        })
}

/// Whether a table of ranges has a code.
pub(super) fn contains(table: &[(u32, u32)], code: u32) -> bool {
    let after = table.partition_point(|&(first, _)| first <= code);
    after
        .checked_sub(1)
        .and_then(|at| table.get(at))
        .is_some_and(|&(_, last)| code <= last)
}

/// `iswprint`.
pub fn is_print(character: char) -> bool {
    if character.is_ascii() {
        return (' '..='~').contains(&character);
    }
    contains(tables::PRINT, u32::from(character))
}

fn mapped(table: &[(u32, u32, u32, i32)], character: char) -> char {
    let code = u32::from(character);
    let after = table.partition_point(|&(first, ..)| first <= code);
    after
        .checked_sub(1)
        .and_then(|at| table.get(at))
        .filter(|&&(first, last, step, _)| code <= last && (code - first) % step == 0)
        .and_then(|&(.., delta)| char::from_u32(code.wrapping_add_signed(delta)))
        .unwrap_or(character)
}

/// `towupper`: one character to one character.
pub fn to_upper(character: char) -> char {
    if character.is_ascii() {
        character.to_ascii_uppercase()
    } else {
        mapped(tables::TO_UPPER, character)
    }
}

/// `towlower`: one character to one character.
pub fn to_lower(character: char) -> char {
    if character.is_ascii() {
        character.to_ascii_lowercase()
    } else {
        mapped(tables::TO_LOWER, character)
    }
}

fn map_chars(bytes: &[u8], map: impl Fn(char) -> char) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    for (_, unit) in units(bytes) {
        match unit {
            Unit::Char(character) => push_char(&mut out, map(character)),
            Unit::Byte(byte) => out.push(byte),
        }
    }
    out
}

/// The string in upper case.
pub fn uppercase(bytes: &[u8]) -> Vec<u8> {
    if bytes.is_ascii() {
        bytes.to_ascii_uppercase()
    } else {
        map_chars(bytes, to_upper)
    }
}

/// The string in lower case.
pub fn lowercase(bytes: &[u8]) -> Vec<u8> {
    if bytes.is_ascii() {
        bytes.to_ascii_lowercase()
    } else {
        map_chars(bytes, to_lower)
    }
}

/// `wcwidth`: columns on a terminal; `None` for what is not printable.
pub fn char_width(character: char) -> Option<usize> {
    if character == '\0' {
        return Some(0);
    }
    if !is_print(character) {
        return None;
    }
    let code = u32::from(character);
    Some(if code < 0x300 {
        1
    } else if contains(tables::ZERO, code) {
        0
    } else {
        1 + usize::from(contains(tables::WIDE, code))
    })
}

/// Columns of a string, as gnulib's `mbswidth` adds them up: what is not printable, and invalid bytes, take none.
pub fn width(bytes: &[u8]) -> usize {
    units(bytes)
        .map(|(_, unit)| match unit {
            Unit::Char(character) => char_width(character).unwrap_or(0),
            Unit::Byte(_) => 0,
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_bytes_are_units() {
        assert_eq!(count(b"\xed\xa0\x80"), 3);
        assert_eq!(count(b"\xe2\x82a"), 3);
        assert_eq!(count("é€𝄞".as_bytes()), 3);
        assert_eq!(slice("aé€b".as_bytes(), 1, 2), "é€".as_bytes());
        assert!(!is_boundary("é".as_bytes(), 1));
        assert!(is_boundary(b"\xe2\x82", 1));
    }

    #[test]
    fn case_and_width_are_those_of_glibc() {
        assert_eq!(uppercase("straße ÿ ǆ ᾳ".as_bytes()), "STRAßE Ÿ Ǆ ᾼ".as_bytes());
        assert_eq!(lowercase("İÀǅ".as_bytes()), "iàǆ".as_bytes());
        assert_eq!(width("a日é\u{301}\n".as_bytes()), 4);
        assert!(is_print('\u{200b}') && !is_print('\u{85}'));
    }
}
