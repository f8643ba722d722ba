//! Numbers as awk reads and writes them.

use crate::text::format::Layout;
use crate::text::number::{is_space, scan_double};

/// The number at the start of a text; 0 when there is none.
pub fn leading(text: &[u8]) -> f64 {
    scan(text).map_or(0.0, |(number, _)| number)
}

/// The number that a text is, blanks around it aside; `None` when it is none.
pub fn whole(text: &[u8]) -> Option<f64> {
    let (number, end) = scan(text)?;
    let rest = text.get(end..)?;
    rest.iter().all(|byte| is_space(*byte)).then_some(number)
}

/// A number and where it ends. Hexadecimal is no number; infinity and not-a-number only with a sign.
fn scan(text: &[u8]) -> Option<(f64, usize)> {
    let blanks = text.iter().take_while(|byte| is_space(**byte)).count();
    let body = text.get(blanks..)?;
    if let Some((number, length)) = small_integer(body) {
        return Some((number, blanks + length));
    }
    let unsigned = body
        .strip_prefix(b"-")
        .or_else(|| body.strip_prefix(b"+"))
        .unwrap_or(body);
    let signed = unsigned.len() < body.len();
    match unsigned {
        [b'0'..=b'9' | b'.', ..] => {
            let length = decimal_length(unsigned);
            if length == 0 {
                return None;
            }
            let length = length + usize::from(signed);
            let scanned = scan_double(body.get(..length)?);
            Some((scanned.value, blanks + length))
        }
        _ if signed => special(body, unsigned).map(|(number, length)| (number, blanks + length)),
        _ => None,
    }
}

/// `+inf` and `-nan`, with nothing like a letter behind.
fn special(body: &[u8], unsigned: &[u8]) -> Option<(f64, usize)> {
    let word = unsigned.get(..3)?.to_ascii_lowercase();
    let number = match word.as_slice() {
        b"inf" => f64::INFINITY,
        b"nan" => f64::NAN,
        _ => return None,
    };
    if unsigned
        .get(3)
        .is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
    {
        return None;
    }
    Some((
        if body.first() == Some(&b'-') {
            -number
        } else {
            number
        },
        4,
    ))
}

/// Digits without point or exponent, which is what most numbers are.
fn small_integer(body: &[u8]) -> Option<(f64, usize)> {
    let negative = body.first() == Some(&b'-');
    let digits = if negative { body.get(1..)? } else { body };
    let mut value = 0u64;
    let mut length = 0;
    for byte in digits.iter().take_while(|byte| byte.is_ascii_digit()) {
        if length == 15 {
            return None;
        }
        value = value * 10 + u64::from(byte - b'0');
        length += 1;
    }
    let next = digits.get(length);
    if length == 0 || matches!(next, Some(b'.' | b'e' | b'E')) {
        return None;
    }
    let number = value as f64;
    Some((
        if negative { -number } else { number },
        length + usize::from(negative),
    ))
}

/// The length of a decimal number without sign; 0 when there is none.
pub fn decimal_length(text: &[u8]) -> usize {
    let digits = |from: usize| {
        text.get(from..)
            .unwrap_or_default()
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count()
    };
    let whole = digits(0);
    let mut end = whole;
    if text.get(whole) == Some(&b'.') {
        let fraction = digits(whole + 1);
        if whole + fraction == 0 {
            return 0;
        }
        end = whole + 1 + fraction;
    }
    if end > 0 && matches!(text.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(text.get(end + 1), Some(b'+' | b'-')));
        let exponent = digits(end + 1 + sign);
        if exponent > 0 {
            end += 1 + sign + exponent;
        }
    }
    end
}

/// A number as a string: whole numbers in full, others by `format`.
pub fn to_text(number: f64, format: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    push(&mut out, number, format);
    out
}

/// Appends a number as a string.
pub fn push(out: &mut Vec<u8>, number: f64, format: &[u8]) {
    if number.fract() == 0.0 && number.abs() < 1e15 {
        let integer = number as i64;
        if integer < 0 {
            out.push(b'-');
        }
        super::super::grep::push_number(out, integer.unsigned_abs());
    } else if !number.is_finite() {
        out.extend_from_slice(infinite(number));
    } else if number.fract() == 0.0 {
        out.extend_from_slice(format!("{number:.0}").as_bytes());
    } else if format == b"%.6g" {
        let layout = Layout {
            precision: Some(6),
            ..Layout::default()
        };
        out.extend_from_slice(&layout.double(number, b'g'));
    } else {
        super::format::number_by(out, number, format);
    }
}

/// How infinity and not-a-number are printed.
pub fn infinite(number: f64) -> &'static [u8] {
    match (number.is_nan(), number.is_sign_negative()) {
        (true, true) => b"-nan",
        (true, false) => b"+nan",
        (false, true) => b"-inf",
        (false, false) => b"+inf",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scanning() {
        assert_eq!(whole(b" 12 "), Some(12.0));
        assert_eq!(whole(b"0x1A"), None);
        assert_eq!(whole(b"1e"), None);
        assert_eq!(whole(b".5e1"), Some(5.0));
        assert_eq!(whole(b"+inf"), Some(f64::INFINITY));
        assert_eq!(whole(b"inf"), None);
        assert!((leading(b"3.5abc") - 3.5).abs() < 1e-9);
        assert_eq!(leading(b"."), 0.0);
        assert_eq!(to_text(-3.0, b"%.6g"), b"-3");
        assert_eq!(to_text(0.1, b"%.6g"), b"0.1");
        assert_eq!(to_text(1e18, b"%.6g"), b"1000000000000000000");
    }
}
