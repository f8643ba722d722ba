//! Units: the characters of `C.UTF-8` in bytes that need not be UTF-8.
//!
//! A unit is the code point of a character, or [`INVALID`]` + byte` for a byte that is part of none. UTF-8
//! synchronises itself, so walking forward and walking backward find the same units.

/// Added to a byte that is part of no character; above every code point.
pub const INVALID: u32 = 0x11_0000;

/// The unit that starts at `at`, and its length in bytes.
pub fn unit_at(text: &[u8], at: usize) -> Option<(u32, usize)> {
    let &byte = text.get(at)?;
    if byte.is_ascii() {
        return Some((u32::from(byte), 1));
    }
    Some(match bstr::decode_utf8(text.get(at..).unwrap_or_default()) {
        (Some(character), length) => (u32::from(character), length),
        (None, _) => (INVALID + u32::from(byte), 1),
    })
}

/// The unit that ends before `end`, and its length in bytes.
pub fn unit_before(text: &[u8], end: usize) -> Option<(u32, usize)> {
    let &byte = text.get(end.checked_sub(1)?)?;
    if byte.is_ascii() {
        return Some((u32::from(byte), 1));
    }
    Some(
        match bstr::decode_last_utf8(text.get(..end).unwrap_or_default()) {
            (Some(character), length) => (u32::from(character), length),
            (None, _) => (INVALID + u32::from(byte), 1),
        },
    )
}

/// What a pattern takes for characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Units {
    /// Those of UTF-8.
    #[default]
    Characters,
    /// Bytes, as in the locale `C`: one beyond ASCII is in no class.
    Bytes,
}

impl Units {
    /// The unit that starts at `at`, and its length in bytes.
    pub fn at(self, text: &[u8], at: usize) -> Option<(u32, usize)> {
        match self {
            Units::Characters => unit_at(text, at),
            Units::Bytes => text.get(at).map(|byte| (byte_unit(*byte), 1)),
        }
    }

    /// The unit that ends before `end`, and its length in bytes.
    pub fn before(self, text: &[u8], end: usize) -> Option<(u32, usize)> {
        match self {
            Units::Characters => unit_before(text, end),
            Units::Bytes => self.at(text, end.checked_sub(1)?),
        }
    }
}

fn byte_unit(byte: u8) -> u32 {
    if byte.is_ascii() {
        u32::from(byte)
    } else {
        INVALID + u32::from(byte)
    }
}

/// The unit in lower case where it has one, as `towlower` does (one character to one character).
pub fn fold(unit: u32) -> u32 {
    if unit < 0x80 {
        return if (0x41..=0x5a).contains(&unit) {
            unit + 0x20
        } else {
            unit
        };
    }
    let Some(character) = char::from_u32(unit) else {
        return unit;
    };
    let mut lower = character.to_lowercase();
    match (lower.next(), lower.next()) {
        (Some(one), None) => u32::from(one),
        _ if unit == 0x130 => u32::from('i'),
        _ => unit,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_directions_agree() {
        let text = b"a\xc3\xa9\xc3\xe2\x82\xff\xe2\x82\xac\xa9";
        let (mut forward, mut at) = (Vec::new(), 0);
        while let Some((unit, length)) = unit_at(text, at) {
            forward.push(unit);
            at += length;
        }
        let (mut backward, mut end) = (Vec::new(), text.len());
        while let Some((unit, length)) = unit_before(text, end) {
            backward.insert(0, unit);
            end -= length;
        }
        assert_eq!(forward, backward);
    }
}
