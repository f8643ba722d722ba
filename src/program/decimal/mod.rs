//! Decimal numbers of any size with a scale, as `bc` and `dc` calculate with them.
//!
//! A number is a whole number and how many of its decimal digits stand behind the point. Every operation says how many digits its result
//! keeps, by the rules of POSIX `bc`; what is cut off is cut, never rounded. [`base`] reads and writes numbers in other bases.
//! Whoever calculates asks the meter first: [`Number::size`] tells what work costs, [`operate`] pays it. [`printer`] breaks lines.

pub mod base;
pub mod operate;
pub mod printer;

use std::cmp::Ordering;

use num_bigint::{BigInt, BigUint, Sign};

/// A number.
#[derive(Debug, Clone, Default)]
pub struct Number {
    /// The digits, without the point.
    value: BigInt,
    /// How many of them are behind the point.
    scale: usize,
}

/// Why there is no power.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PowerError {
    /// The exponent does not fit a machine's number.
    TooLarge,
    /// A negative power of zero.
    DivideByZero,
}

/// Ten to a power.
pub fn power_of_ten(exponent: usize) -> BigInt {
    match u32::try_from(exponent) {
        Ok(small) if small <= 19 => BigInt::from(10u64.pow(small)),
        Ok(exponent) => BigInt::from(BigUint::from(10u32).pow(exponent)),
        Err(_) => BigInt::default(),
    }
}

impl Number {
    /// A whole number.
    pub fn whole(value: impl Into<BigInt>) -> Number {
        Number {
            value: value.into(),
            scale: 0,
        }
    }

    /// `value` with its last `scale` digits behind the point.
    pub fn scaled(value: BigInt, scale: usize) -> Number {
        Number { value, scale }
    }

    /// Reads `[0-9]*(\.[0-9]*)?`.
    pub fn decimal(text: &[u8]) -> Number {
        let point = text.iter().position(|byte| *byte == b'.').unwrap_or(text.len());
        let (before, after) = text.split_at(point);
        let after = after.get(1..).unwrap_or_default();
        let digits = [before, after].concat();
        Number {
            value: BigInt::parse_bytes(&digits, 10).unwrap_or_default(),
            scale: after.len(),
        }
    }

    /// How many digits are behind the point.
    pub fn scale(&self) -> usize {
        self.scale
    }

    /// Words of 64 bits that it takes.
    pub fn size(&self) -> u64 {
        self.value.bits() / 64 + 1
    }

    /// Bits of its digits.
    pub fn bits(&self) -> u64 {
        self.value.bits()
    }

    /// Whether it is zero.
    pub fn is_zero(&self) -> bool {
        self.value.sign() == Sign::NoSign
    }

    /// Whether it is less than zero.
    pub fn is_negative(&self) -> bool {
        self.value.sign() == Sign::Minus
    }

    /// The digits as a whole number that has `scale` digits behind the point: cut or filled up.
    pub fn digits_at(&self, scale: usize) -> BigInt {
        match scale.cmp(&self.scale) {
            Ordering::Equal => self.value.clone(),
            Ordering::Greater => &self.value * power_of_ten(scale - self.scale),
            Ordering::Less => &self.value / power_of_ten(self.scale - scale),
        }
    }

    /// The same with `scale` digits behind the point, cut or filled up.
    #[must_use]
    pub fn rescaled(&self, scale: usize) -> Number {
        Number {
            value: self.digits_at(scale),
            scale,
        }
    }

    /// The whole part.
    pub fn integer(&self) -> BigInt {
        self.digits_at(0)
    }

    /// The whole part, when it fits.
    pub fn to_i64(&self) -> Option<i64> {
        i64::try_from(self.integer()).ok()
    }

    /// How many digits stand before the point, at least one.
    pub fn integer_digits(&self) -> usize {
        self.integer().magnitude().to_str_radix(10).len()
    }

    /// The sum.
    #[must_use]
    pub fn add(&self, other: &Number) -> Number {
        let scale = self.scale.max(other.scale);
        Number {
            value: self.digits_at(scale) + other.digits_at(scale),
            scale,
        }
    }

    /// The difference.
    #[must_use]
    pub fn subtract(&self, other: &Number) -> Number {
        self.add(&other.negated())
    }

    /// With the other sign.
    #[must_use]
    pub fn negated(&self) -> Number {
        Number {
            value: -&self.value,
            scale: self.scale,
        }
    }

    /// The product, with as many digits as both factors have together, but no more than `scale` or those of the longer one.
    #[must_use]
    pub fn multiply(&self, other: &Number, scale: usize) -> Number {
        let full = self.scale + other.scale;
        let product = Number {
            value: &self.value * &other.value,
            scale: full,
        };
        let kept = full.min(scale.max(self.scale).max(other.scale));
        if kept == full {
            product
        } else {
            product.rescaled(kept)
        }
    }

    /// The quotient with `scale` digits; `None` for a division by zero.
    pub fn divide(&self, other: &Number, scale: usize) -> Option<Number> {
        if other.is_zero() {
            return None;
        }
        let shift = scale + other.scale;
        let value = match shift.checked_sub(self.scale) {
            Some(more) => &self.value * power_of_ten(more) / &other.value,
            None => &self.value / (&other.value * power_of_ten(self.scale - shift)),
        };
        Some(Number { value, scale })
    }

    /// Quotient and remainder of a division to `scale` digits; `None` for a division by zero.
    pub fn divide_with_rest(&self, other: &Number, scale: usize) -> Option<(Number, Number)> {
        let quotient = self.divide(other, scale)?;
        let kept = self.scale.max(other.scale + scale);
        let rest = self.subtract(&quotient.multiply(other, kept)).rescaled(kept);
        Some((quotient, rest))
    }

    /// The power. The exponent's fraction is cut off.
    pub fn raise(&self, exponent: &Number, scale: usize) -> Result<Number, PowerError> {
        let exponent = exponent.to_i64().ok_or(PowerError::TooLarge)?;
        if exponent == 0 {
            return Ok(Number::whole(1));
        }
        if exponent < 0 && self.is_zero() {
            return Err(PowerError::DivideByZero);
        }
        let times = u32::try_from(exponent.unsigned_abs()).map_err(|_| PowerError::TooLarge)?;
        let full = self.scale * times as usize;
        let power = Number {
            value: self.value.pow(times),
            scale: full,
        };
        if exponent < 0 {
            return Number::whole(1)
                .divide(&power, scale)
                .ok_or(PowerError::DivideByZero);
        }
        Ok(power.rescaled(full.min(scale.max(self.scale))))
    }

    /// The square root, with `scale` digits or its own number of them; `None` for a negative number.
    pub fn square_root(&self, scale: usize) -> Option<Number> {
        if self.is_negative() {
            return None;
        }
        if self.is_zero() {
            return Some(Number::default());
        }
        if self.compare(&Number::whole(1)) == Ordering::Equal {
            return Some(Number::whole(1));
        }
        let scale = scale.max(self.scale);
        Some(Number {
            value: self.digits_at(scale * 2).sqrt(),
            scale,
        })
    }

    /// Which is larger.
    pub fn compare(&self, other: &Number) -> Ordering {
        let scale = self.scale.max(other.scale);
        self.digits_at(scale).cmp(&other.digits_at(scale))
    }
}

#[cfg(test)]
mod tests {
    use super::Number;

    #[test]
    fn results_are_cut() {
        let third = Number::whole(1).divide(&Number::whole(-3), 5).unwrap();
        assert_eq!(third.to_decimal(), b"-.33333");
        let product = Number::decimal(b"1.234").multiply(&Number::decimal(b"5.6789"), 3);
        assert_eq!(product.to_decimal(), b"7.0077");
        let (_, rest) = Number::whole(10).divide_with_rest(&Number::whole(3), 5).unwrap();
        assert_eq!(rest.to_decimal(), b".00001");
    }
}
