//! Operations of `bc` and `dc` on numbers, paid for before they are done.

use std::cmp::Ordering;

use super::{Number, PowerError};
use crate::kernel::{Halt, Meter};

/// Why there is no result.
#[derive(Debug)]
pub enum Problem {
    /// The run has ended.
    Halt(Halt),
    /// Errors of the program, each with an address where it is not the instruction's.
    Error(Vec<(Option<usize>, Vec<u8>)>),
}

impl From<Halt> for Problem {
    fn from(halt: Halt) -> Self {
        Problem::Halt(halt)
    }
}

impl Problem {
    /// An error where the instruction ends.
    pub fn of(message: impl Into<Vec<u8>>) -> Problem {
        Problem::Error(vec![(None, message.into())])
    }
}

/// Words of 64 bits that hold so many decimal digits.
pub fn words(digits: usize) -> u64 {
    digits as u64 * 10 / 192 + 1
}

/// What it costs to write a number.
pub fn text_cost(value: &Number) -> u64 {
    let words = value.size() + words(value.scale());
    words + words.saturating_mul(words) / 4
}

/// Pays for a product of so many words.
pub fn pay(meter: &Meter, left: u64, right: u64) -> Result<(), Halt> {
    meter.charge(left.saturating_mul(right) / 8 + (left + right) / 4)?;
    meter.check_memory((left + right).saturating_mul(16))
}

/// An operator between two numbers.
pub fn binary(
    meter: &Meter,
    letter: u8,
    left: &Number,
    right: &Number,
    scale: usize,
) -> Result<Number, Problem> {
    let scales = words(left.scale().max(right.scale()));
    match letter {
        b'*' => pay(meter, left.size(), right.size())?,
        b'/' | b'%' => pay(
            meter,
            left.size() + scales + words(scale),
            right.size() + scales + words(scale),
        )?,
        b'^' => pay_for_power(meter, left, right, scale)?,
        _ => pay(meter, left.size().max(right.size()) + scales, 1)?,
    }
    let bit = |bit: bool| Number::whole(u8::from(bit));
    Ok(match letter {
        b'+' => left.add(right),
        b'-' => left.subtract(right),
        b'*' => left.multiply(right, scale),
        b'/' => left
            .divide(right, scale)
            .ok_or_else(|| Problem::of("Divide by zero"))?,
        b'%' => {
            let parts = left.divide_with_rest(right, scale);
            parts.ok_or_else(|| Problem::of("Modulo by zero"))?.1
        }
        b'^' => left.raise(right, scale).map_err(|error| {
            Problem::of(match error {
                PowerError::TooLarge => "exponent too large in raise",
                PowerError::DivideByZero => "divide by zero",
            })
        })?,
        b'=' => bit(left.compare(right) == Ordering::Equal),
        b'#' => bit(left.compare(right) != Ordering::Equal),
        b'<' => bit(left.compare(right) == Ordering::Less),
        b'>' => bit(left.compare(right) == Ordering::Greater),
        b'{' => bit(left.compare(right) != Ordering::Greater),
        _ => bit(left.compare(right) != Ordering::Less),
    })
}

fn pay_for_power(meter: &Meter, base: &Number, exponent: &Number, scale: usize) -> Result<(), Problem> {
    let Some(times) = exponent.to_i64() else {
        return Ok(());
    };
    // Powers of 0, 1 and -1 stay as small.
    if base.bits() <= 1 && base.scale() == 0 {
        return Ok(());
    }
    let words = (base.bits().saturating_mul(times.unsigned_abs()) / 64).saturating_add(words(base.scale()));
    meter.check_memory(words.saturating_mul(24))?;
    let places = if times < 0 { self::words(scale) } else { 0 };
    Ok(pay(meter, words, words.saturating_add(places))?)
}

/// The square root.
pub fn square_root(meter: &Meter, value: &Number, scale: usize) -> Result<Number, Problem> {
    let words = value.size() + words(scale.max(value.scale())) * 2;
    pay(meter, words, words.saturating_mul(2))?;
    value
        .square_root(scale)
        .ok_or_else(|| Problem::of("Square root of a negative number"))
}

/// How many digits a number has.
pub fn length(meter: &Meter, value: &Number) -> Result<Number, Problem> {
    meter.charge(text_cost(value))?;
    let digits = match value.integer_digits() {
        1 if value.scale() > 0 && value.to_i64() == Some(0) => 0,
        digits => digits,
    };
    Ok(Number::whole(digits + value.scale()))
}
