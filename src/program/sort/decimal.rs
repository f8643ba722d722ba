//! Numbers as `sort -n` and `-h` read them: text of any length, compared without rounding.

use std::cmp::Ordering;

/// A decimal in its parts. Zero is never negative.
#[derive(Debug, Clone, Copy)]
pub struct Decimal<'a> {
    negative: bool,
    /// Without leading zeros.
    whole: &'a [u8],
    /// Without trailing zeros.
    fraction: &'a [u8],
}

fn digits(text: &[u8]) -> usize {
    text.iter().take_while(|byte| byte.is_ascii_digit()).count()
}

/// Leaves blanks out, as at the start of a number.
pub fn trim_blanks(text: &[u8]) -> &[u8] {
    let blanks = text
        .iter()
        .take_while(|byte| super::key::is_blank(**byte))
        .count();
    text.get(blanks..).unwrap_or_default()
}

impl<'a> Decimal<'a> {
    /// The number at the start of `text`, behind blanks; 0 when there is none.
    pub fn parse(text: &'a [u8]) -> Decimal<'a> {
        let text = trim_blanks(text);
        let (negative, rest) = match text.strip_prefix(b"-") {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (whole, rest) = rest.split_at_checked(digits(rest)).unwrap_or_default();
        let zeros = whole.iter().take_while(|digit| **digit == b'0').count();
        let whole = whole.get(zeros..).unwrap_or_default();
        let fraction = rest.strip_prefix(b".").unwrap_or_default();
        let fraction = fraction.get(..digits(fraction)).unwrap_or_default();
        let used = fraction
            .iter()
            .rposition(|digit| *digit != b'0')
            .map_or(0, |last| last + 1);
        let fraction = fraction.get(..used).unwrap_or_default();
        Decimal {
            negative: negative && !(whole.is_empty() && fraction.is_empty()),
            whole,
            fraction,
        }
    }

    /// Compares by value.
    pub fn compare(&self, other: &Decimal<'_>) -> Ordering {
        let magnitude = || {
            self.whole
                .len()
                .cmp(&other.whole.len())
                .then_with(|| self.whole.cmp(other.whole))
                .then_with(|| self.fraction.cmp(other.fraction))
        };
        match (self.negative, other.negative) {
            (false, false) => magnitude(),
            (true, true) => magnitude().reverse(),
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
        }
    }

    /// An integer in the same order; numbers that differ late may have the same.
    pub fn rank(&self) -> u64 {
        /// Digits that are looked at.
        const SHOWN: usize = 17;
        let mut value = 0_u64;
        let length = self.whole.len().min(31) as u64;
        if length < 31 {
            let all = self
                .whole
                .iter()
                .chain(self.fraction)
                .copied()
                .chain(std::iter::repeat(b'0'));
            for digit in all.take(SHOWN) {
                value = value * 10 + u64::from(digit - b'0');
            }
        }
        let magnitude = length << 57 | value;
        let zero = 1 << 63;
        if self.negative {
            zero - 1 - magnitude
        } else {
            zero | magnitude
        }
    }
}

/// The unit behind a number of `sort -h`, as a power of 1000 or 1024, with the sign of the number; 0 for zero.
pub fn unit_order(text: &[u8]) -> i8 {
    let text = trim_blanks(text);
    let (negative, rest) = match text.strip_prefix(b"-") {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let mut at = digits(rest);
    if rest.get(at) == Some(&b'.') {
        at += 1;
        at += digits(rest.get(at..).unwrap_or_default());
    }
    let nonzero = rest
        .get(..at)
        .unwrap_or_default()
        .iter()
        .any(|byte| (b'1'..=b'9').contains(byte));
    let order = match rest.get(at) {
        Some(b'k' | b'K') => 1,
        Some(b'M') => 2,
        Some(b'G') => 3,
        Some(b'T') => 4,
        Some(b'P') => 5,
        Some(b'E') => 6,
        Some(b'Z') => 7,
        Some(b'Y') => 8,
        _ => 0,
    };
    match (nonzero, negative) {
        (false, _) => 0,
        (true, true) => -order,
        (true, false) => order,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_follow_values() {
        let sorted = [
            "-123456789012345678901",
            "-100",
            "-99.5",
            "-2",
            "-1.00000000000000000002",
            "-.00000000000000000000000001",
            "0",
            ".5",
            "1",
            "1.5",
            "2",
            "10",
            "99999999999999999999",
        ];
        for pair in sorted.windows(2) {
            let [left, right] = pair else { unreachable!() };
            let (left, right) = (Decimal::parse(left.as_bytes()), Decimal::parse(right.as_bytes()));
            assert_eq!(left.compare(&right), Ordering::Less, "{left:?} {right:?}");
            assert!(left.rank() <= right.rank(), "{left:?} {right:?}");
        }
        for zero in ["", "-", "-0", "0.000", "abc", "-.0", " +1"] {
            assert_eq!(Decimal::parse(zero.as_bytes()).rank(), 1 << 63, "{zero}");
        }
    }
}
