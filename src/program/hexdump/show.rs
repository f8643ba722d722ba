//! Printing a block by format strings.

use super::format::{Formats, Kind, Piece};
use crate::text::escape;
use crate::text::float_format::{FloatStyle, magnitude};
use crate::text::long_double::LongDouble;

const NAMES: [&str; 32] = [
    "nul", "soh", "stx", "etx", "eot", "enq", "ack", "bel", "bs", "ht", "lf", "vt", "ff", "cr", "so", "si",
    "dle", "dcl", "dc2", "dc3", "dc4", "nak", "syn", "etb", "can", "em", "sub", "esc", "fs", "gs", "rs",
    "us",
];

/// Prints a block that starts at `address`; what lies at `limit` and behind is padding.
pub fn block(out: &mut Vec<u8>, formats: &Formats, block: &[u8], address: u64, limit: u64) {
    for units in &formats.all {
        let mut offset = 0;
        for unit in units {
            if unit.at_end {
                break;
            }
            for round in 0..unit.count {
                let last = round + 1 == unit.count;
                for (index, piece) in unit.pieces.iter().enumerate() {
                    // The blank that parts the rounds does not follow the last one.
                    let cut = last && unit.count > 1 && index + 1 == unit.pieces.len();
                    let bytes = block.get(offset..offset + piece.bytes).unwrap_or_default();
                    let at = address + offset as u64;
                    show(out, piece, bytes, at, at >= limit, cut);
                    offset += piece.bytes;
                }
            }
        }
    }
}

/// What `%_A` prints at the end of the input.
pub fn end(out: &mut Vec<u8>, formats: &Formats, address: u64) {
    for unit in formats.all.iter().flatten().filter(|unit| unit.at_end) {
        for piece in &unit.pieces {
            show(out, piece, &[], address, false, false);
        }
    }
}

fn show(out: &mut Vec<u8>, piece: &Piece, bytes: &[u8], address: u64, padding: bool, cut: bool) {
    let mut text = piece.text.as_slice();
    if cut && piece.kind == Kind::Text && text.last().is_some_and(u8::is_ascii_whitespace) {
        text = text.get(..text.len() - 1).unwrap_or_default();
    }
    out.extend_from_slice(text);
    if piece.kind == Kind::Text {
        return;
    }
    if padding {
        out.resize(out.len() + piece.width, b' ');
        return;
    }
    let word = word(bytes);
    match piece.kind {
        Kind::Text => {}
        Kind::Address(radix) => push_number(out, piece, "", &digits(address, radix, false)),
        Kind::Signed => {
            let spare = 64 - 8 * bytes.len().clamp(1, 8) as u32;
            let value = ((word << spare) as i64) >> spare;
            let sign = match (
                value < 0,
                piece.flags.contains(&b'+'),
                piece.flags.contains(&b' '),
            ) {
                (true, _, _) => "-",
                (false, true, _) => "+",
                (false, false, true) => " ",
                _ => "",
            };
            push_number(out, piece, sign, &digits(value.unsigned_abs(), 10, false));
        }
        Kind::Unsigned => push_number(out, piece, "", &digits(word, 10, false)),
        Kind::Octal => {
            let sign = if piece.flags.contains(&b'#') { "0" } else { "" };
            push_number(out, piece, sign, &digits(word, 8, false));
        }
        Kind::Hexadecimal(upper) => {
            let sign = match (piece.flags.contains(&b'#') && word != 0, upper) {
                (false, _) => "",
                (true, false) => "0x",
                (true, true) => "0X",
            };
            push_number(out, piece, sign, &digits(word, 16, upper));
        }
        Kind::Raw => push_padded(out, piece, bytes),
        Kind::Text8 => {
            let text = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
            push_padded(out, piece, text);
        }
        Kind::Printable => {
            let byte = word as u8;
            push_padded(out, piece, &[if matches!(byte, 32..127) { byte } else { b'.' }]);
        }
        Kind::Character => push_padded(out, piece, &escape::in_column(word as u8)),
        Kind::Named => push_padded(out, piece, &named(word as u8)),
        Kind::Float(letter) => push_float(out, piece, letter, bytes, word),
    }
}

fn word(bytes: &[u8]) -> u64 {
    let bytes = bytes.iter().rev().take(8);
    bytes.fold(0, |word, byte| word << 8 | u64::from(*byte))
}

fn digits(value: u64, radix: u32, upper: bool) -> String {
    match (radix, upper) {
        (8, _) => format!("{value:o}"),
        (16, false) => format!("{value:x}"),
        (16, true) => format!("{value:X}"),
        _ => value.to_string(),
    }
}

fn push_number(out: &mut Vec<u8>, piece: &Piece, sign: &str, digits: &str) {
    let zeros = piece.precision.unwrap_or(1).saturating_sub(digits.len());
    let mut text = format!("{sign}{}{digits}", "0".repeat(zeros));
    let left = piece.flags.contains(&b'-');
    if piece.precision.is_none() && piece.flags.contains(&b'0') && !left && text.len() < piece.width {
        text = format!("{sign}{}{digits}", "0".repeat(piece.width - text.len()));
    }
    push_padded(out, piece, text.as_bytes());
}

fn push_padded(out: &mut Vec<u8>, piece: &Piece, text: &[u8]) {
    let room = piece.width.saturating_sub(text.len());
    let left = piece.flags.contains(&b'-');
    if !left {
        out.resize(out.len() + room, b' ');
    }
    out.extend_from_slice(text);
    if left {
        out.resize(out.len() + room, b' ');
    }
}

fn named(byte: u8) -> Vec<u8> {
    match (NAMES.get(usize::from(byte)), byte) {
        (Some(name), _) => name.as_bytes().to_vec(),
        (None, 127) => b"del".to_vec(),
        (None, 32..127) => vec![byte],
        _ => format!("{byte:02x}").into_bytes(),
    }
}

fn push_float(out: &mut Vec<u8>, piece: &Piece, letter: u8, bytes: &[u8], word: u64) {
    let value = if bytes.len() == 4 {
        f64::from(f32::from_bits(word as u32))
    } else {
        f64::from_bits(word)
    };
    let style = match letter.to_ascii_lowercase() {
        b'e' => FloatStyle::Exponent,
        b'f' => FloatStyle::Fixed,
        _ => FloatStyle::General,
    };
    let negative = value.is_sign_negative();
    let exact = match exact_double(value) {
        Some(exact) => exact,
        None if value.is_nan() => LongDouble::Nan { negative },
        None if value.is_infinite() => LongDouble::Infinite { negative },
        None => LongDouble::ZERO,
    };
    let mut digits = magnitude(exact, style, piece.precision, piece.flags.contains(&b'#'));
    if letter.is_ascii_uppercase() {
        digits.make_ascii_uppercase();
    }
    let text = String::from_utf8_lossy(&digits).into_owned();
    let sign = if negative { "-" } else { "" };
    let plain = Piece {
        precision: None,
        ..piece.clone()
    };
    push_number(out, &plain, sign, &text);
}

fn exact_double(value: f64) -> Option<LongDouble> {
    if !value.is_finite() || value == 0.0 {
        return None;
    }
    let bits = value.to_bits();
    let biased = (bits >> 52 & 0x7ff) as i32;
    let fraction = bits & ((1 << 52) - 1);
    let (mantissa, exponent) = if biased == 0 {
        (fraction, -1074)
    } else {
        (fraction | 1 << 52, biased - 1075)
    };
    let shift = mantissa.leading_zeros();
    Some(LongDouble::Finite {
        negative: value.is_sign_negative(),
        mantissa: mantissa << shift,
        exponent: exponent - shift as i32,
    })
}
