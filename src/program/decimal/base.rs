//! Numbers as text, in any base.
//!
//! A digit above nine is a capital letter up to base 16; in a larger base each digit is a group of decimal digits behind a blank. In a
//! constant of several digits one that the base does not have counts as the base's last, and a single one counts for itself.

use num_bigint::BigInt;

use super::{Number, power_of_ten};

/// The digits of bases up to 16.
const DIGITS: &[u8; 16] = b"0123456789ABCDEF";

/// The value of a digit, `A` being ten and `Z` 35.
pub fn digit_value(byte: u8) -> Option<u32> {
    match byte {
        b'0'..=b'9' => Some(u32::from(byte - b'0')),
        b'A'..=b'Z' => Some(u32::from(byte - b'A') + 10),
        _ => None,
    }
}

impl Number {
    /// In decimal: no zero before the point, and all digits behind it.
    pub fn to_decimal(&self) -> Vec<u8> {
        if self.is_zero() {
            return b"0".to_vec();
        }
        let digits = self.value.magnitude().to_str_radix(10).into_bytes();
        let mut text = Vec::with_capacity(digits.len() + 3);
        if self.is_negative() {
            text.push(b'-');
        }
        let whole = digits.len().saturating_sub(self.scale);
        text.extend(digits.iter().take(whole));
        if self.scale > 0 {
            text.push(b'.');
            text.resize(text.len() + self.scale.saturating_sub(digits.len()), b'0');
            text.extend(digits.iter().skip(whole));
        }
        text
    }

    /// In a base from 2 on.
    pub fn to_base(&self, base: u32) -> Vec<u8> {
        if base == 10 || self.is_zero() {
            return self.to_decimal();
        }
        let mut text = Vec::new();
        if self.is_negative() {
            text.push(b'-');
        }
        let whole = self.integer();
        let rest = &self.value - &whole * power_of_ten(self.scale);
        push_whole(&mut text, &whole, base);
        if self.scale > 0 {
            text.push(b'.');
            self.push_fraction(&mut text, rest, base);
        }
        text
    }

    /// Digits until the base to their count is longer than the scale, as GNU's do.
    fn push_fraction(&self, text: &mut Vec<u8>, fraction: BigInt, base: u32) {
        let limit = power_of_ten(self.scale);
        let mut rest = fraction.magnitude().clone();
        let mut weight = BigInt::from(1);
        let mut first = true;
        while weight < limit {
            rest *= base;
            let digit = &rest / limit.magnitude();
            rest -= &digit * limit.magnitude();
            push_digit(text, u32::try_from(digit).unwrap_or(0), base, first);
            weight *= base;
            first = false;
        }
    }

    /// Reads `[0-9A-Z]*(\.[0-9A-Z]*)?` in a base.
    pub fn from_base(text: &[u8], base: u32) -> Number {
        if base == 10 && text.len() > 1 && !text.iter().any(u8::is_ascii_uppercase) {
            return Number::decimal(text);
        }
        let point = text.iter().position(|byte| *byte == b'.').unwrap_or(text.len());
        let (before, after) = text.split_at(point);
        let after = after.get(1..).unwrap_or_default();
        let whole = match before {
            [digit] => BigInt::from(digit_value(*digit).unwrap_or(0)),
            _ => digits_in(before, base),
        };
        if after.is_empty() {
            return Number::whole(whole);
        }
        let divisor = BigInt::from(base).pow(u32::try_from(after.len()).unwrap_or(u32::MAX));
        let fraction = digits_in(after, base) * power_of_ten(after.len()) / divisor;
        Number::scaled(whole * power_of_ten(after.len()) + fraction, after.len())
    }
}

/// The digits of a whole number; none for zero.
fn push_whole(text: &mut Vec<u8>, whole: &BigInt, base: u32) {
    if whole.magnitude().bits() == 0 {
        return;
    }
    if base <= 16 {
        let digits = whole.magnitude().to_str_radix(base);
        text.extend(digits.bytes().map(|digit| digit.to_ascii_uppercase()));
        return;
    }
    let mut digits = Vec::new();
    let mut rest = whole.magnitude().clone();
    while rest.bits() > 0 {
        digits.push(u32::try_from(&rest % base).unwrap_or(0));
        rest /= base;
    }
    for digit in digits.into_iter().rev() {
        push_digit(text, digit, base, false);
    }
}

fn push_digit(text: &mut Vec<u8>, digit: u32, base: u32, first: bool) {
    if base <= 16 {
        text.extend(DIGITS.get(digit as usize));
        return;
    }
    if !first {
        text.push(b' ');
    }
    let width = (base - 1).to_string().len();
    text.extend(format!("{digit:0width$}").bytes());
}

fn digits_in(text: &[u8], base: u32) -> BigInt {
    if (2..=36).contains(&base) {
        let last = char::from_digit(base - 1, 36).unwrap_or('0') as u8;
        let digits: Vec<u8> = text
            .iter()
            .map(|byte| {
                if digit_value(*byte).is_some_and(|value| value >= base) {
                    last
                } else {
                    *byte
                }
            })
            .collect();
        return BigInt::parse_bytes(&digits, base).unwrap_or_default();
    }
    BigInt::default()
}
