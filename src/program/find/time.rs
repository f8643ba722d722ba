//! Numbers and times in arguments of `find`: `+N`, `-N`, `N`, sizes with units, ages in days or minutes.

use super::predicate::{Compare, Window};
use crate::fs::Timestamp;
use crate::text::number::{scan_double, scan_unsigned};

/// Seconds of a day.
pub const DAY: i64 = 86_400;

/// A sign in front of a number: `+` means more, `-` less.
pub fn comparison(text: &[u8]) -> (Compare, &[u8]) {
    match text.split_first() {
        Some((b'+', rest)) => (Compare::Greater, rest),
        Some((b'-', rest)) => (Compare::Less, rest),
        _ => (Compare::Equal, text),
    }
}

/// A number without sign that is the whole text.
pub fn whole_number(text: &[u8]) -> Option<u64> {
    let negative = text.trim_ascii_start().starts_with(b"-");
    let found = scan_unsigned(text, 10);
    let whole = found.length > 0 && found.length == text.len() && !found.out_of_range;
    (whole && !negative).then_some(found.value)
}

/// `+N`, `-N` or `N`.
pub fn compared_number(text: &[u8]) -> Option<(Compare, u64)> {
    let (compare, digits) = comparison(text);
    Some((compare, whole_number(digits)?))
}

/// The bytes of a unit of `-size`.
pub fn unit(letter: u8) -> Option<u64> {
    Some(match letter {
        b'b' => 512,
        b'c' => 1,
        b'w' => 2,
        b'k' => 1 << 10,
        b'M' => 1 << 20,
        b'G' => 1 << 30,
        _ => return None,
    })
}

/// What is wrong with an age.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AgeError {
    Invalid,
    Overflow,
}

/// An age before `origin`, in units of so many seconds. The sense turns around: older means less.
pub fn age(text: &[u8], origin: Timestamp, seconds_per_unit: i64) -> Result<Window, AgeError> {
    let (compare, number) = comparison(text);
    let compare = match compare {
        Compare::Less => Compare::Greater,
        Compare::Greater => Compare::Less,
        Compare::Equal => Compare::Equal,
    };
    let found = scan_double(number);
    let overflows = found.value.is_infinite() && number.iter().any(u8::is_ascii_digit);
    if found.length == 0 || found.length != number.len() || found.value.is_nan() || overflows {
        return Err(AgeError::Invalid);
    }
    let total = found.value * seconds_per_unit as f64;
    let nanos = if total.is_finite() {
        (total.fract() * 1e9) as i64
    } else {
        0
    };
    // C computes in floating point, and what does not fit becomes the least number; only for a time to come is that noticed.
    let difference = origin.seconds as f64 - total.trunc();
    let fits = difference.abs() < i64::MAX as f64;
    if !fits && total < 0.0 {
        return Err(AgeError::Overflow);
    }
    let seconds = if fits { difference as i64 } else { i64::MIN };
    let all = (i128::from(seconds) * 1_000_000_000 + i128::from(origin.nanos) - i128::from(nanos))
        .max(i128::from(i64::MIN) * 1_000_000_000);
    let reference = Timestamp {
        seconds: all.div_euclid(1_000_000_000) as i64,
        nanos: all.rem_euclid(1_000_000_000) as u32,
    };
    Ok(Window {
        compare,
        reference,
        seconds: seconds_per_unit,
    })
}

impl Window {
    /// Whether a time stands so to the reference.
    pub fn holds(&self, time: Timestamp) -> bool {
        match self.compare {
            Compare::Less => time < self.reference,
            Compare::Greater => time > self.reference,
            Compare::Equal => {
                let end = Timestamp {
                    seconds: self.reference.seconds.saturating_add(self.seconds),
                    ..self.reference
                };
                time > self.reference && time <= end
            }
        }
    }
}
