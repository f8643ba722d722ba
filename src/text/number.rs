//! Numbers in text: C's `strtoimax`, `strtod` and `strtold`, bash's `base#digits`, and sizes for people.

use super::long_double::{self, LongDouble, Ranged};

/// What C's `strto…` functions find at the start of a text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scanned<T> {
    /// The number; 0 when there is none.
    pub value: T,
    /// Where it ended; 0 when there is none.
    pub length: usize,
    /// It was out of range (`ERANGE`), and `value` is the nearest one.
    pub out_of_range: bool,
}

/// C's `isspace`.
pub fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

fn sign(text: &[u8]) -> (usize, bool) {
    let blanks = text.iter().take_while(|&&byte| is_space(byte)).count();
    match text.get(blanks) {
        Some(b'-') => (blanks + 1, true),
        Some(b'+') => (blanks + 1, false),
        _ => (blanks, false),
    }
}

/// The magnitude of an integer with its sign; `None` for the value when it does not fit in 128 bits.
struct Magnitude {
    negative: bool,
    value: Option<u128>,
    length: usize,
}

fn scan_magnitude(text: &[u8], base: u32) -> Magnitude {
    let (start, negative) = sign(text);
    let rest = text.get(start..).unwrap_or_default();
    let hex_prefix = matches!(rest, [b'0', b'x' | b'X', digit, ..] if digit.is_ascii_hexdigit());
    let (prefix, base) = match base {
        0 if hex_prefix => (2, 16),
        0 if rest.first() == Some(&b'0') => (0, 8),
        0 => (0, 10),
        16 if hex_prefix => (2, 16),
        base => (0, base),
    };
    let digits = rest.get(prefix..).unwrap_or_default();
    let mut value = Some(0_u128);
    let mut count = 0;
    for digit in digits.iter().map_while(|&byte| char::from(byte).to_digit(base)) {
        value = value.and_then(|value| {
            value
                .checked_mul(u128::from(base))?
                .checked_add(u128::from(digit))
        });
        count += 1;
    }
    let length = if count == 0 { 0 } else { start + prefix + count };
    Magnitude {
        negative,
        value,
        length,
    }
}

/// `strtoimax`. Base 0 takes `0x` and `0` prefixes; other bases are 2 to 36.
pub fn scan_signed(text: &[u8], base: u32) -> Scanned<i64> {
    let found = scan_magnitude(text, base);
    let wide = found.value.and_then(|value| i128::try_from(value).ok());
    let wide = wide.map(|value| if found.negative { -value } else { value });
    let value = wide.and_then(|value| i64::try_from(value).ok());
    let nearest = if found.negative { i64::MIN } else { i64::MAX };
    Scanned {
        value: value.unwrap_or(nearest),
        length: found.length,
        out_of_range: value.is_none(),
    }
}

/// `strtoumax`, which negates in 64 bits: `-1` is the largest number.
pub fn scan_unsigned(text: &[u8], base: u32) -> Scanned<u64> {
    let found = scan_magnitude(text, base);
    let value = found.value.and_then(|value| u64::try_from(value).ok());
    let value = value.map(|value| {
        if found.negative {
            value.wrapping_neg()
        } else {
            value
        }
    });
    Scanned {
        value: value.unwrap_or(u64::MAX),
        length: found.length,
        out_of_range: value.is_none(),
    }
}

/// bash's `legal_number`: a decimal number with blanks around it and nothing else, in range.
pub fn legal_number(text: &[u8]) -> Option<i64> {
    let found = scan_signed(text, 10);
    let rest = text.get(found.length..)?;
    let blank = rest.iter().all(|byte| matches!(byte, b' ' | b'\t'));
    (found.length > 0 && blank && !found.out_of_range).then_some(found.value)
}

/// A floating point number as it stands in a text.
#[derive(Debug, Clone, PartialEq)]
enum FloatText {
    Decimal {
        digits: Vec<u8>,
        exponent: i64,
    },
    Hex {
        mantissa: u128,
        exponent: i64,
        sticky: bool,
    },
    Infinite,
    Nan,
}

struct ScannedFloat {
    negative: bool,
    number: FloatText,
    length: usize,
}

fn has_prefix(text: &[u8], prefix: &[u8]) -> bool {
    text.get(..prefix.len())
        .is_some_and(|start| start.eq_ignore_ascii_case(prefix))
}

fn scan_float_text(text: &[u8]) -> Option<ScannedFloat> {
    let (start, negative) = sign(text);
    let rest = text.get(start..).unwrap_or_default();
    let (number, length) = if has_prefix(rest, b"infinity") {
        (FloatText::Infinite, 8)
    } else if has_prefix(rest, b"inf") {
        (FloatText::Infinite, 3)
    } else if has_prefix(rest, b"nan") {
        (FloatText::Nan, nan_length(rest))
    } else {
        hex_float(rest).or_else(|| decimal_float(rest))?
    };
    Some(ScannedFloat {
        negative,
        number,
        length: start + length,
    })
}

/// `nan` or `nan(chars)`.
fn nan_length(text: &[u8]) -> usize {
    let inner = text.get(3..).and_then(|rest| rest.strip_prefix(b"("));
    let Some(inner) = inner else { return 3 };
    let word = inner
        .iter()
        .take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_')
        .count();
    if inner.get(word) == Some(&b')') {
        5 + word
    } else {
        3
    }
}

/// Digits with a point among them: the digits, how many stand after the point, and the length.
fn mantissa_digits(text: &[u8], is_digit: impl Fn(&u8) -> bool) -> Option<(Vec<u8>, usize, usize)> {
    let whole = text.iter().take_while(|byte| is_digit(byte)).count();
    let mut digits = text.get(..whole)?.to_vec();
    let (mut length, mut places) = (whole, 0);
    if text.get(whole) == Some(&b'.') {
        let fraction = text.get(whole + 1..)?;
        places = fraction.iter().take_while(|byte| is_digit(byte)).count();
        digits.extend_from_slice(fraction.get(..places)?);
        length += 1 + places;
    }
    (!digits.is_empty()).then_some((digits, places, length))
}

/// `e+12`: the exponent and its length, or nothing when no digits follow.
fn exponent_part(text: &[u8], letter: u8) -> (i64, usize) {
    if !text
        .first()
        .is_some_and(|first| first.eq_ignore_ascii_case(&letter))
    {
        return (0, 0);
    }
    let (negative, start) = match text.get(1) {
        Some(b'-') => (true, 2),
        Some(b'+') => (false, 2),
        _ => (false, 1),
    };
    let digits = text.get(start..).unwrap_or_default();
    let count = digits.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if count == 0 {
        return (0, 0);
    }
    // Far beyond every range, and far from overflow.
    let add = |value: i64, digit: &u8| (value * 10 + i64::from(digit - b'0')).min(1 << 50);
    let value = digits.iter().take(count).fold(0, add);
    (if negative { -value } else { value }, start + count)
}

fn decimal_float(text: &[u8]) -> Option<(FloatText, usize)> {
    let (digits, places, length) = mantissa_digits(text, u8::is_ascii_digit)?;
    let (exponent, more) = exponent_part(text.get(length..)?, b'e');
    Some((
        FloatText::Decimal {
            digits,
            exponent: exponent - places as i64,
        },
        length + more,
    ))
}

fn hex_float(text: &[u8]) -> Option<(FloatText, usize)> {
    let rest = text.strip_prefix(b"0x").or_else(|| text.strip_prefix(b"0X"))?;
    let (digits, places, length) = mantissa_digits(rest, u8::is_ascii_hexdigit)?;
    let (exponent, more) = exponent_part(rest.get(length..)?, b'p');
    let (mut mantissa, mut exponent, mut sticky) = (0_u128, exponent - 4 * places as i64, false);
    for digit in digits.iter().filter_map(|&byte| char::from(byte).to_digit(16)) {
        if mantissa >> 120 == 0 {
            mantissa = mantissa << 4 | u128::from(digit);
        } else {
            sticky |= digit != 0;
            exponent += 4;
        }
    }
    Some((
        FloatText::Hex {
            mantissa,
            exponent,
            sticky,
        },
        2 + length + more,
    ))
}

fn clamp(exponent: i64) -> i32 {
    exponent.clamp(-100_000, 100_000) as i32
}

/// `strtold`.
pub fn scan_long_double(text: &[u8]) -> Scanned<LongDouble> {
    let Some(found) = scan_float_text(text) else {
        return Scanned {
            value: LongDouble::ZERO,
            length: 0,
            out_of_range: false,
        };
    };
    let negative = found.negative;
    let ranged = match found.number {
        FloatText::Infinite => Ranged {
            value: LongDouble::Infinite { negative },
            out_of_range: false,
        },
        FloatText::Nan => Ranged {
            value: LongDouble::Nan { negative },
            out_of_range: false,
        },
        FloatText::Decimal { digits, exponent } => LongDouble::from_decimal(negative, &digits, exponent),
        FloatText::Hex {
            mantissa,
            exponent,
            sticky,
        } => long_double::rounded(negative, mantissa, clamp(exponent), sticky),
    };
    Scanned {
        value: ranged.value,
        length: found.length,
        out_of_range: ranged.out_of_range,
    }
}

/// `strtod`. Decimal, hexadecimal, `inf` and `nan`.
pub fn scan_double(text: &[u8]) -> Scanned<f64> {
    let Some(found) = scan_float_text(text) else {
        return Scanned {
            value: 0.0,
            length: 0,
            out_of_range: false,
        };
    };
    let signed = |value: f64| if found.negative { -value } else { value };
    let (value, finite) = match &found.number {
        FloatText::Infinite => (signed(f64::INFINITY), false),
        FloatText::Nan => (signed(f64::NAN), false),
        FloatText::Decimal { digits, exponent } => {
            let digits = String::from_utf8_lossy(digits);
            (
                signed(format!("{digits}e{exponent}").parse().unwrap_or(0.0)),
                true,
            )
        }
        FloatText::Hex {
            mantissa,
            exponent,
            sticky,
        } => {
            let shift = 64 - mantissa.leading_zeros().min(64) as i32;
            let lost = mantissa & ((1_u128 << shift) - 1) != 0;
            let top = (mantissa >> shift) as u64;
            (
                long_double::double(found.negative, top, clamp(*exponent) + shift, *sticky || lost),
                true,
            )
        }
    };
    let zero_text = match &found.number {
        FloatText::Decimal { digits, .. } => digits.iter().all(|&digit| digit == b'0'),
        FloatText::Hex { mantissa, .. } => *mantissa == 0,
        _ => false,
    };
    let out_of_range = finite && (value.is_infinite() || (value == 0.0 && !zero_text));
    Scanned {
        value,
        length: found.length,
        out_of_range,
    }
}

/// The digits of bash's `base#digits`: `0-9a-zA-Z@_`.
const BASE_DIGITS: &[u8; 64] = b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ@_";

/// Digits of a number in a base of 2 to 64, as arithmetic in bash reads and writes them. In bases up to 36 letters of either
/// case are the same when reading.
pub fn base_digit_value(byte: u8, base: u32) -> Option<u32> {
    let byte = if base <= 36 {
        byte.to_ascii_lowercase()
    } else {
        byte
    };
    let value = BASE_DIGITS.iter().position(|&digit| digit == byte)? as u32;
    (value < base).then_some(value)
}

/// A number in a base of 2 to 64, without the base.
pub fn to_base(value: u64, base: u32) -> Vec<u8> {
    let base = u64::from(base.clamp(2, 64));
    let mut digits = Vec::new();
    let mut rest = value;
    loop {
        digits.extend(BASE_DIGITS.get((rest % base) as usize));
        rest /= base;
        if rest == 0 {
            break;
        }
    }
    digits.reverse();
    digits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers() {
        let signed = |text: &str| {
            let found = scan_signed(text.as_bytes(), 0);
            (found.value, found.length, found.out_of_range)
        };
        assert_eq!(signed(" -0x1Fz"), (-31, 6, false));
        assert_eq!(signed("0xg"), (0, 1, false));
        assert_eq!(signed("08"), (0, 1, false));
        assert_eq!(signed("010"), (8, 3, false));
        assert_eq!(signed("++5"), (0, 0, false));
        assert_eq!(signed("-99999999999999999999"), (i64::MIN, 21, true));
        assert_eq!(signed("-9223372036854775808"), (i64::MIN, 20, false));
        assert_eq!(scan_unsigned(b"-1", 0).value, u64::MAX);
        assert_eq!(legal_number(b" 12 "), Some(12));
        assert_eq!(legal_number(b"12x"), None);
        assert_eq!(to_base(255, 16), b"ff");
        assert_eq!(to_base(63, 64), b"_");
    }

    #[test]
    fn doubles() {
        let double = |text: &str| {
            let found = scan_double(text.as_bytes());
            (found.value, found.length)
        };
        assert_eq!(double(" 1e+x"), (1.0, 2));
        assert_eq!(double("-.5e-3"), (-0.0005, 6));
        assert_eq!(double("."), (0.0, 0));
        assert_eq!(double("0x"), (0.0, 1));
        assert_eq!(double("0x1.8p1z"), (3.0, 7));
        assert_eq!(double("0x.8"), (0.5, 4));
        assert_eq!(double("infin"), (f64::INFINITY, 3));
        assert_eq!(double("0x1p-1074"), (5e-324, 9));
        assert_eq!(double("0x1.00000000000008p0").0, 1.0);
        assert_eq!(double("0x1.000000000000081p0").0, 1.000_000_000_000_000_2);
        assert!(scan_double(b"1e999").out_of_range && !scan_double(b"0e999").out_of_range);
        assert!(scan_double(b"nan(12)").value.is_nan());
        assert_eq!(scan_double(b"nan(12").length, 3);
    }
}
