//! The x87 `long double`: 64 bits of mantissa, 15 of exponent. bash's `printf`, `seq`, `numfmt` and `sort -g` compute with it, and
//! it shows: `printf %.25f 0.1` ends in `…000013553`, not in the double's `…00055511`.
//!
//! Arithmetic is exact and then rounded once, half to even, as the processor does. A double converts to it exactly, so the
//! formats of [`super::float_format`] take this type alone.

use super::big::Big;
use std::cmp::Ordering;

/// The exponent of the least bit of the smallest numbers.
const LEAST_EXPONENT: i32 = -16445;
/// The exponent of the least bit of the largest numbers.
const MOST_EXPONENT: i32 = 16320;
/// No more digits of a decimal can decide how it rounds, but whether any are left.
const MOST_DIGITS: usize = 12_000;

/// A long double.
#[derive(Debug, Clone, Copy)]
pub enum LongDouble {
    /// `mantissa * 2^exponent`. The top bit of the mantissa is set unless the exponent is the least one, or the number 0.
    Finite {
        /// The sign, of zero too.
        negative: bool,
        /// 64 bits.
        mantissa: u64,
        /// Of the mantissa's least bit.
        exponent: i32,
    },
    /// Infinity.
    Infinite {
        /// The sign.
        negative: bool,
    },
    /// Not a number.
    Nan {
        /// The sign, which is printed: `-nan`.
        negative: bool,
    },
}

/// A number that may have been too large or too small to be represented (`ERANGE`).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ranged {
    /// The nearest long double.
    pub value: LongDouble,
    /// It overflowed, or lost bits below the smallest normal number.
    pub out_of_range: bool,
}

/// Rounds `mantissa * 2^exponent` (and something more where `sticky`) to a long double.
pub(super) fn rounded(negative: bool, mantissa: u128, exponent: i32, sticky: bool) -> Ranged {
    let exact = |value| Ranged {
        value,
        out_of_range: false,
    };
    if mantissa == 0 {
        let value = LongDouble::Finite {
            negative,
            mantissa: 0,
            exponent: 0,
        };
        return Ranged {
            value,
            out_of_range: sticky,
        };
    }
    let bits = 128 - mantissa.leading_zeros() as i32;
    let drop = (bits - 64).max(LEAST_EXPONENT.saturating_sub(exponent));
    if drop <= 0 {
        // Fewer bits than there is room for: `sticky` is below half of the last one.
        let room = (64 - bits).min(exponent.saturating_sub(LEAST_EXPONENT)).max(0);
        let (mantissa, exponent) = ((mantissa as u64) << room, exponent - room);
        return exact(overflowed(negative, mantissa, exponent));
    }
    let drop_bits = drop as u32;
    let (kept, rest) = match drop_bits {
        0..=127 => (mantissa >> drop_bits, mantissa & ((1_u128 << drop_bits) - 1)),
        128 => (0, mantissa),
        _ => (0, mantissa.min(1)),
    };
    let half = if drop_bits <= 128 {
        1_u128 << (drop_bits - 1).min(127)
    } else {
        u128::MAX
    };
    let up = match rest.cmp(&half) {
        Ordering::Less => false,
        Ordering::Equal => sticky || kept & 1 == 1,
        Ordering::Greater => true,
    };
    let mut kept = kept + u128::from(up);
    let mut exponent = exponent.saturating_add(drop);
    if kept >> 64 != 0 {
        kept >>= 1;
        exponent += 1;
    }
    let inexact = rest != 0 || sticky;
    let value = overflowed(negative, kept as u64, exponent);
    let tiny = (kept >> 63) == 0 && inexact;
    let infinite = matches!(value, LongDouble::Infinite { .. });
    Ranged {
        value,
        out_of_range: tiny || infinite,
    }
}

fn overflowed(negative: bool, mantissa: u64, exponent: i32) -> LongDouble {
    if exponent > MOST_EXPONENT {
        return LongDouble::Infinite { negative };
    }
    let exponent = if mantissa == 0 { 0 } else { exponent };
    LongDouble::Finite {
        negative,
        mantissa,
        exponent,
    }
}

impl LongDouble {
    /// Zero.
    pub const ZERO: LongDouble = LongDouble::Finite {
        negative: false,
        mantissa: 0,
        exponent: 0,
    };

    /// The number `digits * 10^exponent`; digits in ASCII.
    pub fn from_decimal(negative: bool, digits: &[u8], exponent: i64) -> Ranged {
        let zeros = digits.iter().take_while(|&&digit| digit == b'0').count();
        let digits = digits.get(zeros..).unwrap_or_default();
        let used = digits.get(..MOST_DIGITS).unwrap_or(digits);
        let exponent = exponent.saturating_add((digits.len() - used.len()) as i64);
        let sticky = digits
            .get(used.len()..)
            .unwrap_or_default()
            .iter()
            .any(|&digit| digit != b'0');
        if used.is_empty() {
            return rounded(negative, 0, 0, false);
        }
        let magnitude = exponent.saturating_add(used.len() as i64);
        if magnitude > 5000 {
            return Ranged {
                value: LongDouble::Infinite { negative },
                out_of_range: true,
            };
        }
        if magnitude < -5000 {
            return rounded(negative, 0, 0, true);
        }
        let mut number = Big::from_decimal(used);
        let power = exponent as i32;
        if power >= 0 {
            number.multiply_by_power_of_five(power.unsigned_abs());
            return ratio(negative, number, Big::new(1), power, sticky);
        }
        let mut divisor = Big::new(1);
        divisor.multiply_by_power_of_five(power.unsigned_abs());
        ratio(negative, number, divisor, power, sticky)
    }

    /// The sign bit.
    pub fn is_negative(self) -> bool {
        match self {
            LongDouble::Finite { negative, .. }
            | LongDouble::Infinite { negative }
            | LongDouble::Nan { negative } => negative,
        }
    }

    /// Whether it is zero of either sign.
    pub fn is_zero(self) -> bool {
        matches!(self, LongDouble::Finite { mantissa: 0, .. })
    }

    /// Whether it is neither infinite nor NaN.
    pub fn is_finite(self) -> bool {
        matches!(self, LongDouble::Finite { .. })
    }

    /// The same without its sign.
    #[must_use]
    pub fn abs(self) -> Self {
        if self.is_negative() { -self } else { self }
    }

    /// The nearest double.
    pub fn to_f64(self) -> f64 {
        match self {
            LongDouble::Nan { negative } => f64::NAN.copysign(if negative { -1.0 } else { 1.0 }),
            LongDouble::Infinite { negative } => {
                if negative {
                    f64::NEG_INFINITY
                } else {
                    f64::INFINITY
                }
            }
            LongDouble::Finite {
                negative,
                mantissa,
                exponent,
            } => double(negative, mantissa, exponent, false),
        }
    }

    /// Rounded towards zero, when it fits.
    pub fn to_i128(self) -> Option<i128> {
        let LongDouble::Finite {
            negative,
            mantissa,
            exponent,
        } = self
        else {
            return None;
        };
        let wide = i128::from(mantissa);
        let magnitude = match exponent {
            0..=62 => wide << exponent,
            -63..=-1 => wide >> -exponent,
            i32::MIN..-63 => 0,
            _ => return None,
        };
        Some(if negative { -magnitude } else { magnitude })
    }

    fn parts(self) -> Option<(bool, u64, i32)> {
        match self {
            LongDouble::Finite {
                negative,
                mantissa,
                exponent,
            } => Some((negative, mantissa, exponent)),
            _ => None,
        }
    }
}

/// `number / divisor * 2^exponent`.
fn ratio(negative: bool, number: Big, divisor: Big, exponent: i32, sticky: bool) -> Ranged {
    const BITS: u32 = 67;
    let shift = number.bit_length() as i32 - divisor.bit_length() as i32;
    let (quotient, rest) = number.ratio(divisor, BITS);
    rounded(
        negative,
        quotient,
        exponent + shift - (BITS as i32 - 1),
        rest || sticky,
    )
}

/// The double nearest to `mantissa * 2^exponent` and a little more where `sticky`.
pub(super) fn double(negative: bool, mantissa: u64, exponent: i32, sticky: bool) -> f64 {
    if mantissa == 0 {
        return if negative { -0.0 } else { 0.0 };
    }
    let zeros = mantissa.leading_zeros() as i32;
    let (mantissa, exponent) = (mantissa << zeros, exponent - zeros);
    // The value is 1.xxx * 2^(exponent + 63); a subnormal keeps fewer than 53 bits.
    let biased = exponent + 63 + 1023;
    let drop = if biased <= 0 { 12 - biased } else { 11 };
    let (kept, up) = match drop {
        11..=63 => {
            let rest = mantissa & ((1 << drop) - 1);
            let half = 1_u64 << (drop - 1);
            let kept = mantissa >> drop;
            (kept, rest > half || (rest == half && (sticky || kept & 1 == 1)))
        }
        64 => (0, mantissa > 1 << 63 || sticky),
        _ => (0, false),
    };
    // A carry runs from the fraction into the exponent, as the format is made for.
    let base = if biased <= 0 {
        kept
    } else {
        ((biased as u64) << 52) + (kept & ((1 << 52) - 1))
    };
    let bits = if biased >= 2047 {
        2047 << 52
    } else {
        (base + u64::from(up)).min(2047 << 52)
    };
    f64::from_bits(bits | u64::from(negative) << 63)
}

impl From<f64> for LongDouble {
    fn from(value: f64) -> Self {
        let negative = value.is_sign_negative();
        if value.is_nan() {
            return LongDouble::Nan { negative };
        }
        if value.is_infinite() {
            return LongDouble::Infinite { negative };
        }
        let bits = value.to_bits();
        let (biased, fraction) = ((bits >> 52 & 0x7ff) as i32, bits & ((1 << 52) - 1));
        let (mantissa, exponent) = if biased == 0 {
            (fraction, -1074)
        } else {
            (fraction | 1 << 52, biased - 1075)
        };
        rounded(negative, u128::from(mantissa), exponent, false).value
    }
}

impl From<u64> for LongDouble {
    fn from(value: u64) -> Self {
        rounded(false, u128::from(value), 0, false).value
    }
}

impl From<i64> for LongDouble {
    fn from(value: i64) -> Self {
        rounded(value < 0, u128::from(value.unsigned_abs()), 0, false).value
    }
}

impl std::ops::Neg for LongDouble {
    type Output = Self;
    fn neg(self) -> Self {
        match self {
            LongDouble::Finite {
                negative,
                mantissa,
                exponent,
            } => LongDouble::Finite {
                negative: !negative,
                mantissa,
                exponent,
            },
            LongDouble::Infinite { negative } => LongDouble::Infinite { negative: !negative },
            LongDouble::Nan { negative } => LongDouble::Nan { negative: !negative },
        }
    }
}

/// The NaN that x87 makes of an invalid operation; it prints as `-nan`.
const INVALID: LongDouble = LongDouble::Nan { negative: true };

impl std::ops::Add for LongDouble {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        let (Some(left), Some(right)) = (self.parts(), other.parts()) else {
            return match (self, other) {
                (LongDouble::Nan { .. }, _) => self,
                (_, LongDouble::Nan { .. }) => other,
                (LongDouble::Infinite { negative: left }, LongDouble::Infinite { negative: right })
                    if left != right =>
                {
                    INVALID
                }
                (LongDouble::Infinite { .. }, _) => self,
                _ => other,
            };
        };
        if left.1 == 0 && right.1 == 0 {
            return LongDouble::Finite {
                negative: left.0 && right.0,
                mantissa: 0,
                exponent: 0,
            };
        }
        if left.1 == 0 || right.1 == 0 {
            return if left.1 == 0 { other } else { self };
        }
        // The larger one at the top of 126 bits; what the smaller one loses is below half of its last bit.
        let (large, small) = if left.2 > right.2 || (left.2 == right.2 && left.1 >= right.1) {
            (left, right)
        } else {
            (right, left)
        };
        let top = u128::from(large.1) << 62;
        let distance = (large.2 - small.2) as u32;
        let wide = u128::from(small.1) << 62;
        let (low, lost) = match distance {
            0..=126 => (wide >> distance, wide & ((1 << distance) - 1) != 0),
            _ => (0, true),
        };
        let exponent = large.2 - 62;
        if large.0 == small.0 {
            return rounded(large.0, top + low, exponent, lost).value;
        }
        let difference = top.checked_sub(low).map(|difference| (large.0, difference));
        let (negative, difference) = difference.unwrap_or((small.0, low.wrapping_sub(top)));
        // A lost part makes the difference a little smaller: take one off and stay above.
        let difference = difference - u128::from(lost);
        let negative = negative && (difference != 0 || lost);
        rounded(negative, difference, exponent, lost).value
    }
}

impl std::ops::Sub for LongDouble {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl std::ops::Mul for LongDouble {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let negative = self.is_negative() != other.is_negative();
        match (self.parts(), other.parts()) {
            (Some(left), Some(right)) => {
                rounded(
                    negative,
                    u128::from(left.1) * u128::from(right.1),
                    left.2 + right.2,
                    false,
                )
                .value
            }
            _ if matches!(self, LongDouble::Nan { .. }) => self,
            _ if matches!(other, LongDouble::Nan { .. }) => other,
            _ if self.is_zero() || other.is_zero() => INVALID,
            _ => LongDouble::Infinite { negative },
        }
    }
}

impl std::ops::Div for LongDouble {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        let negative = self.is_negative() != other.is_negative();
        match (self.parts(), other.parts()) {
            (Some((_, 0, _)), Some((_, 0, _))) => INVALID,
            (Some(_), Some((_, 0, _))) => LongDouble::Infinite { negative },
            (Some((_, 0, _)), Some(_)) => LongDouble::Finite {
                negative,
                mantissa: 0,
                exponent: 0,
            },
            (Some(left), Some(right)) => {
                let exponent = left.2 - right.2;
                ratio(negative, Big::new(left.1), Big::new(right.1), exponent, false).value
            }
            _ if matches!(self, LongDouble::Nan { .. }) => self,
            _ if matches!(other, LongDouble::Nan { .. }) => other,
            (None, None) => INVALID,
            (None, Some(_)) => LongDouble::Infinite { negative },
            (Some(_), None) => LongDouble::Finite {
                negative,
                mantissa: 0,
                exponent: 0,
            },
        }
    }
}

impl PartialEq for LongDouble {
    fn eq(&self, other: &Self) -> bool {
        self.partial_cmp(other) == Some(Ordering::Equal)
    }
}

impl PartialOrd for LongDouble {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        if matches!(self, LongDouble::Nan { .. }) || matches!(other, LongDouble::Nan { .. }) {
            return None;
        }
        if self.is_zero() && other.is_zero() {
            return Some(Ordering::Equal);
        }
        let rank = |value: Self| match value {
            LongDouble::Infinite { .. } => (i32::MAX, u64::MAX),
            LongDouble::Finite { mantissa: 0, .. } => (i32::MIN, 0),
            LongDouble::Finite {
                mantissa, exponent, ..
            } => (exponent, mantissa),
            LongDouble::Nan { .. } => (0, 0),
        };
        Some(
            match (
                self.is_negative() && !self.is_zero(),
                other.is_negative() && !other.is_zero(),
            ) {
                (false, false) => rank(*self).cmp(&rank(*other)),
                (true, true) => rank(*other).cmp(&rank(*self)),
                (true, false) => Ordering::Less,
                (false, true) => Ordering::Greater,
            },
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decimal(digits: &str, exponent: i64) -> LongDouble {
        LongDouble::from_decimal(false, digits.as_bytes(), exponent).value
    }

    #[test]
    fn decimals_round_to_nearest() {
        // printf %a 0.1 1e4000 1e-4940 in bash.
        let tenth = LongDouble::Finite {
            negative: false,
            mantissa: 0xcccc_cccc_cccc_cccd,
            exponent: -67,
        };
        assert_eq!(decimal("1", -1), tenth);
        let large = LongDouble::Finite {
            negative: false,
            mantissa: 0xd1ba_8323_fe55_8c61,
            exponent: 13284 - 60,
        };
        assert_eq!(decimal("1", 4000), large);
        let tiny = LongDouble::Finite {
            negative: false,
            mantissa: 0x0006_6327_8e62,
            exponent: -16445,
        };
        assert_eq!(decimal("1", -4940), tiny);
        assert!(LongDouble::from_decimal(false, b"1", -4940).out_of_range);
        assert!(LongDouble::from_decimal(false, b"12", 4931).out_of_range);
    }

    #[test]
    fn doubles_come_back() {
        for value in [
            0.0,
            -0.0,
            0.1,
            1e300,
            5e-324,
            f64::MIN_POSITIVE,
            f64::MAX,
            -2.5,
            f64::INFINITY,
        ] {
            assert_eq!(LongDouble::from(value).to_f64().to_bits(), value.to_bits());
        }
        assert_eq!(decimal("1", 400).to_f64(), f64::INFINITY);
        assert_eq!(decimal("25", -325).to_f64(), 5e-324);
        assert_eq!(decimal("2", -324).to_f64(), 0.0);
    }

    #[test]
    fn arithmetic() {
        let (one, tenth) = (LongDouble::from(1_u64), decimal("1", -1));
        let mut sum = LongDouble::ZERO;
        for _ in 0..10 {
            sum = sum + tenth;
        }
        assert!(sum > one - decimal("1", -18) && sum < one + decimal("1", -18));
        assert_eq!(one / LongDouble::from(10_u64), tenth);
        assert!(!(one - one).is_negative());
        assert_eq!(LongDouble::from(-7_i64).to_i128(), Some(-7));
        assert!(-one < tenth && decimal("1", 4000) * decimal("1", 4000) > one);
    }
}
