//! Floating point numbers as `od` prints them: as few digits as read back to the same number, in the layout of `%g`.

use crate::text::float_format::{FloatStyle, magnitude};
use crate::text::long_double::LongDouble;
use crate::text::number::scan_long_double;

/// `%.*g` of digits with the exponent of the first one.
fn general(digits: &str, exponent: i32, precision: i32) -> String {
    let (first, rest) = digits.split_at_checked(1).unwrap_or(("0", ""));
    if exponent < -4 || exponent >= precision {
        let sign = if exponent < 0 { '-' } else { '+' };
        let point = if rest.is_empty() { "" } else { "." };
        return format!("{first}{point}{rest}e{sign}{:02}", exponent.abs());
    }
    if exponent < 0 {
        let zeros = "0".repeat(exponent.unsigned_abs() as usize - 1);
        return format!("0.{zeros}{digits}");
    }
    let whole = exponent.unsigned_abs() as usize + 1;
    match digits.split_at_checked(whole) {
        Some((whole, "")) => whole.to_owned(),
        Some((whole, fraction)) => format!("{whole}.{fraction}"),
        None => format!("{digits}{}", "0".repeat(whole - digits.len())),
    }
}

/// The shortest digits of Rust's `{:e}`, laid out. `least` is how many digits the type holds for sure.
fn laid_out(scientific: &str, least: i32) -> String {
    let (sign, number) = match scientific.strip_prefix('-') {
        Some(number) => ("-", number),
        None => ("", scientific),
    };
    let (mantissa, exponent) = number.split_once('e').unwrap_or((number, "0"));
    let digits = mantissa.replace('.', "");
    let precision = least.max(digits.len() as i32);
    let exponent = exponent.parse().unwrap_or(0);
    format!("{sign}{}", general(&digits, exponent, precision))
}

fn special(negative: bool, nan: bool) -> String {
    let sign = if negative { "-" } else { "" };
    format!("{sign}{}", if nan { "nan" } else { "inf" })
}

/// A `float`.
pub fn single(value: f32) -> String {
    if !value.is_finite() {
        return special(value.is_sign_negative(), value.is_nan());
    }
    let least = if value.abs() < f32::MIN_POSITIVE { 1 } else { 6 };
    laid_out(&format!("{value:e}"), least)
}

/// A `double`.
pub fn double(value: f64) -> String {
    if !value.is_finite() {
        return special(value.is_sign_negative(), value.is_nan());
    }
    let least = if value.abs() < f64::MIN_POSITIVE { 1 } else { 15 };
    laid_out(&format!("{value:e}"), least)
}

/// A `long double` from its ten bytes.
pub fn long(mantissa: u64, sign_exponent: u16) -> Vec<u8> {
    let negative = sign_exponent >> 15 == 1;
    let biased = i32::from(sign_exponent & 0x7fff);
    let value = match biased {
        0x7fff if mantissa << 1 == 0 => LongDouble::Infinite { negative },
        0x7fff => LongDouble::Nan { negative },
        _ => LongDouble::Finite {
            negative,
            mantissa,
            exponent: if mantissa == 0 { 0 } else { biased.max(1) - 16446 },
        },
    };
    let sign: &[u8] = if negative { b"-" } else { b"" };
    let least = if biased == 0 { 1 } else { 18 };
    for precision in least..21 {
        let text = magnitude(value, FloatStyle::General, Some(precision), false);
        let back = scan_long_double(&text).value;
        if !value.is_finite() || same(back, value) {
            return [sign, &text].concat();
        }
    }
    let text = magnitude(value, FloatStyle::General, Some(21), false);
    [sign, &text].concat()
}

/// Equal but for the sign.
fn same(one: LongDouble, other: LongDouble) -> bool {
    match (one, other) {
        (
            LongDouble::Finite {
                mantissa: left,
                exponent: first,
                ..
            },
            LongDouble::Finite {
                mantissa: right,
                exponent: second,
                ..
            },
        ) => (left, first) == (right, second) || (left == 0 && right == 0),
        _ => false,
    }
}
