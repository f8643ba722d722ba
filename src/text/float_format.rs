//! Floats as C's `printf` writes them: `%e %f %g %a`, exactly, for long doubles and doubles.
//!
//! A binary float is a finite decimal. Its digits are computed once ([`Decimal`]) and then rounded as text, half to even,
//! which is right for every precision. Padding and signs are done by [`super::format`].

use super::big::Big;
use super::long_double::LongDouble;

/// The digits of a finite number without its sign: `0.DIGITS * 10^point`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decimal {
    /// Digits in ASCII without zeros at either end; none for zero.
    digits: Vec<u8>,
    /// Where the decimal point is, counted from before the first digit.
    point: i64,
}

impl Decimal {
    /// All digits of `mantissa * 2^exponent`.
    fn exact(mantissa: u64, exponent: i32) -> Self {
        if mantissa == 0 {
            return Decimal {
                digits: Vec::new(),
                point: 1,
            };
        }
        let zeros = mantissa.trailing_zeros();
        let (mantissa, exponent) = (mantissa >> zeros, exponent + zeros as i32);
        let mut number = Big::new(mantissa);
        if exponent >= 0 {
            number.shift_left(exponent.unsigned_abs());
        } else {
            number.multiply_by_power_of_five(exponent.unsigned_abs());
        }
        let digits = number.into_decimal();
        let point = digits.len() as i64 + i64::from(exponent.min(0));
        Decimal { digits, point }.trimmed()
    }

    fn trimmed(mut self) -> Self {
        let used = self
            .digits
            .iter()
            .rposition(|&digit| digit != b'0')
            .map_or(0, |last| last + 1);
        self.digits.truncate(used);
        self
    }

    /// Rounded to `count` digits after the first `point` position, half to even.
    fn rounded(&self, count: i64) -> Self {
        let Ok(keep) = usize::try_from(count) else {
            return Decimal {
                digits: Vec::new(),
                point: 1,
            };
        };
        let Some((kept, rest)) = self
            .digits
            .split_at_checked(keep)
            .filter(|(_, rest)| !rest.is_empty())
        else {
            return self.clone();
        };
        let odd = kept.last().is_some_and(|digit| digit % 2 == 1);
        // A trimmed rest that is just "5" is exactly one half.
        let up = rest.first() > Some(&b'5') || (rest.first() == Some(&b'5') && (rest.len() > 1 || odd));
        let mut digits = kept.to_vec();
        let mut point = self.point;
        if up {
            let used = digits
                .iter()
                .rposition(|&digit| digit != b'9')
                .map_or(0, |last| last + 1);
            digits.truncate(used);
            if let Some(digit) = digits.last_mut() {
                *digit += 1;
            } else {
                digits.push(b'1');
                point += 1;
            }
        }
        Decimal { digits, point }.trimmed()
    }

    /// Digits of the positions from `from` (counted from the point of the digits) on.
    fn positions(&self, from: i64, count: usize, out: &mut Vec<u8>) {
        let start = usize::try_from(from).unwrap_or(0);
        let blanks = usize::try_from(-from).unwrap_or(0).min(count);
        out.extend(std::iter::repeat_n(b'0', blanks));
        let known = self.digits.get(start..).unwrap_or_default();
        let wanted = count - blanks;
        let known = known.get(..wanted).unwrap_or(known);
        out.extend_from_slice(known);
        out.extend(std::iter::repeat_n(b'0', wanted - known.len()));
    }
}

/// The letter of a conversion, in lower case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FloatStyle {
    /// `%e`
    Exponent,
    /// `%f`
    Fixed,
    /// `%g`
    General,
    /// `%a` of a long double (`0xc.8p+3`).
    HexLong,
    /// `%a` of a double (`0x1.9p+6`).
    HexDouble,
}

/// The text of a number without sign and padding, in lower case: `inf` and `nan` too. `alternate` is the flag `#`.
/// The precision must have been bounded by the caller.
pub fn magnitude(value: LongDouble, style: FloatStyle, precision: Option<usize>, alternate: bool) -> Vec<u8> {
    let (mantissa, exponent) = match value {
        LongDouble::Infinite { .. } => return b"inf".to_vec(),
        LongDouble::Nan { .. } => return b"nan".to_vec(),
        LongDouble::Finite {
            mantissa, exponent, ..
        } => (mantissa, exponent),
    };
    match style {
        FloatStyle::Fixed => fixed(
            &Decimal::exact(mantissa, exponent),
            precision.unwrap_or(6),
            alternate,
        ),
        FloatStyle::Exponent => exponential(
            &Decimal::exact(mantissa, exponent),
            precision.unwrap_or(6),
            alternate,
        ),
        FloatStyle::General => general(
            &Decimal::exact(mantissa, exponent),
            precision.unwrap_or(6),
            alternate,
        ),
        FloatStyle::HexLong => hex_long(mantissa, exponent, precision, alternate),
        FloatStyle::HexDouble => hex_double(mantissa, exponent, precision, alternate),
    }
}

fn fixed(number: &Decimal, precision: usize, alternate: bool) -> Vec<u8> {
    let number = number.rounded(number.point.saturating_add(precision as i64));
    let mut out = Vec::new();
    if number.digits.is_empty() || number.point <= 0 {
        out.push(b'0');
    } else {
        number.positions(0, number.point as usize, &mut out);
    }
    if precision > 0 || alternate {
        out.push(b'.');
    }
    if number.digits.is_empty() {
        out.extend(std::iter::repeat_n(b'0', precision));
    } else {
        number.positions(number.point, precision, &mut out);
    }
    out
}

fn push_exponent(out: &mut Vec<u8>, letter: u8, exponent: i64, least_digits: usize) {
    out.push(letter);
    out.push(if exponent < 0 { b'-' } else { b'+' });
    out.extend_from_slice(format!("{:0least_digits$}", exponent.abs()).as_bytes());
}

fn exponential(number: &Decimal, precision: usize, alternate: bool) -> Vec<u8> {
    let number = number.rounded(precision as i64 + 1);
    let mut out = Vec::new();
    number.positions(0, 1, &mut out);
    if precision > 0 || alternate {
        out.push(b'.');
    }
    number.positions(1, precision, &mut out);
    let exponent = if number.digits.is_empty() {
        0
    } else {
        number.point - 1
    };
    push_exponent(&mut out, b'e', exponent, 2);
    out
}

fn general(number: &Decimal, precision: usize, alternate: bool) -> Vec<u8> {
    let precision = precision.max(1);
    let rounded = number.rounded(precision as i64);
    let exponent = if rounded.digits.is_empty() {
        0
    } else {
        rounded.point - 1
    };
    // Without `#`, zeros at the end go: only the digits that there are count.
    let digits = if alternate {
        precision
    } else {
        rounded.digits.len().max(1)
    };
    if exponent < -4 || exponent >= precision as i64 {
        return exponential(&rounded, digits - 1, alternate);
    }
    let places = (digits as i64 - 1 - exponent).max(0);
    fixed(&rounded, places as usize, alternate)
}

/// Hexadecimal digits with a leading one; rounds half to even to `precision` digits.
/// `digits` has 15 nibbles after the leading digit.
fn hex(lead: u64, fraction: u64, exponent: i64, precision: Option<usize>, alternate: bool) -> Vec<u8> {
    const NIBBLES: usize = 15;
    let wide = u128::from(lead) << (4 * NIBBLES) | u128::from(fraction);
    let kept = match precision {
        Some(digits) if digits < NIBBLES => {
            let drop = 4 * (NIBBLES - digits);
            let (kept, rest, half) = (wide >> drop, wide & ((1 << drop) - 1), 1_u128 << (drop - 1));
            let up = rest > half || (rest == half && kept & 1 == 1);
            (kept + u128::from(up)) << drop
        }
        _ => wide,
    };
    let lead = (kept >> (4 * NIBBLES)) as u64;
    // A carry out of the leading digit moves the exponent.
    let (lead, exponent) = if lead > 15 {
        (1, exponent + 4)
    } else {
        (lead, exponent)
    };
    let mut fraction = format!("{:015x}", kept & ((1 << (4 * NIBBLES)) - 1)).into_bytes();
    match precision {
        None => {
            let used = fraction
                .iter()
                .rposition(|&digit| digit != b'0')
                .map_or(0, |last| last + 1);
            fraction.truncate(used);
        }
        Some(digits) => fraction.resize(digits, b'0'),
    }
    let mut out = format!("0x{lead:x}").into_bytes();
    if !fraction.is_empty() || alternate {
        out.push(b'.');
    }
    out.append(&mut fraction);
    push_exponent(&mut out, b'p', exponent, 1);
    out
}

/// The leading digit has the top four bits of the mantissa; subnormal numbers keep the least exponent.
fn hex_long(mantissa: u64, exponent: i32, precision: Option<usize>, alternate: bool) -> Vec<u8> {
    let shown = if mantissa == 0 {
        0
    } else {
        i64::from(exponent) + 60
    };
    hex(
        mantissa >> 60,
        mantissa & ((1 << 60) - 1),
        shown,
        precision,
        alternate,
    )
}

/// The leading digit is 1, or 0 for zero and subnormal doubles.
fn hex_double(mantissa: u64, exponent: i32, precision: Option<usize>, alternate: bool) -> Vec<u8> {
    if mantissa == 0 {
        return hex(0, 0, 0, precision, alternate);
    }
    let power = exponent + 63 - mantissa.leading_zeros() as i32;
    let bits = mantissa << mantissa.leading_zeros();
    let fraction = bits << 1 >> 4;
    if power < -1022 {
        let shift = (-1022 - power) as u32;
        let fraction = (bits >> 3).checked_shr(shift - 1).unwrap_or(0) >> 1;
        return hex(0, fraction, -1022, precision, alternate);
    }
    hex(1, fraction, i64::from(power), precision, alternate)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(value: f64, style: FloatStyle, precision: usize) -> String {
        String::from_utf8(magnitude(value.into(), style, Some(precision), false)).unwrap()
    }

    #[test]
    fn doubles() {
        use FloatStyle::{Exponent, Fixed, General, HexDouble};
        assert_eq!(text(0.1, Fixed, 20), "0.10000000000000000555");
        assert_eq!(text(2.5, Fixed, 0), "2");
        assert_eq!(text(3.5, Fixed, 0), "4");
        assert_eq!(text(999_999.5, General, 6), "1e+06");
        assert_eq!(text(0.0001, General, 6), "0.0001");
        assert_eq!(text(0.00001, General, 6), "1e-05");
        assert_eq!(text(100.0, General, 0), "1e+02");
        assert_eq!(text(0.0, General, 6), "0");
        assert_eq!(text(123_456_789.0, Exponent, 3), "1.235e+08");
        assert_eq!(text(0.05, Fixed, 1), "0.1");
        assert_eq!(text(0.04, Fixed, 1), "0.0");
        assert_eq!(text(9.5, Fixed, 0), "10");
        assert_eq!(text(1.0, HexDouble, 0), "0x1p+0");
        assert_eq!(text(0.1, HexDouble, 13), "0x1.999999999999ap-4");
        assert_eq!(text(5e-324, HexDouble, 13), "0x0.0000000000001p-1022");
    }

    #[test]
    fn as_rust_rounds() {
        let mut bits = 0x9e37_79b9_7f4a_7c15_u64;
        for round in 0..2000 {
            bits ^= bits << 13;
            bits ^= bits >> 7;
            bits ^= bits << 17;
            let value = f64::from_bits(bits).abs();
            let value = if round % 2 == 0 {
                (bits >> 40) as f64 / 1024.0
            } else {
                value
            };
            if value.is_finite() {
                let precision = (bits % 25) as usize;
                assert_eq!(
                    text(value, FloatStyle::Fixed, precision),
                    format!("{value:.precision$}")
                );
            }
        }
    }
}
