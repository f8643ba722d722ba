//! Natural numbers without a bound, as little as exact decimal conversion needs.
//!
//! Sizes are bounded by the callers: the exponents of a long double and the digits that can matter for it (some thousand).

use std::cmp::Ordering;

/// 10^19, the largest power of ten in a limb.
const TEN_19: u64 = 10_000_000_000_000_000_000;
/// 5^27, the largest power of five in a limb.
const FIVE_27: u64 = 7_450_580_596_923_828_125;

/// A natural number: limbs of 64 bits, least first, without leading zeros.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Big(Vec<u64>);

impl Big {
    pub(super) fn new(value: u64) -> Self {
        Big(if value == 0 { Vec::new() } else { vec![value] })
    }

    pub(super) fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    /// The number of decimal digits (ASCII), most significant first.
    pub(super) fn from_decimal(digits: &[u8]) -> Self {
        let mut number = Big::new(0);
        for chunk in digits.chunks(19) {
            let value = chunk
                .iter()
                .fold(0, |value: u64, digit| value * 10 + u64::from(digit - b'0'));
            number.multiply_add(10_u64.pow(chunk.len() as u32), value);
        }
        number
    }

    /// `self * factor + addend`.
    pub(super) fn multiply_add(&mut self, factor: u64, addend: u64) {
        let mut carry = u128::from(addend);
        for limb in &mut self.0 {
            let wide = u128::from(*limb) * u128::from(factor) + carry;
            *limb = wide as u64;
            carry = wide >> 64;
        }
        if carry != 0 {
            self.0.push(carry as u64);
        }
        self.trim();
    }

    pub(super) fn multiply_by_power_of_five(&mut self, power: u32) {
        for _ in 0..power / 27 {
            self.multiply_add(FIVE_27, 0);
        }
        self.multiply_add(5_u64.pow(power % 27), 0);
    }

    pub(super) fn shift_left(&mut self, bits: u32) {
        if self.is_zero() {
            return;
        }
        if !bits.is_multiple_of(64) {
            self.multiply_add(1 << (bits % 64), 0);
        }
        self.0.splice(0..0, std::iter::repeat_n(0, bits as usize / 64));
    }

    pub(super) fn bit_length(&self) -> u32 {
        self.0
            .last()
            .map_or(0, |top| self.0.len() as u32 * 64 - top.leading_zeros())
    }

    /// The digits in decimal, most significant first; none for zero.
    pub(super) fn into_decimal(mut self) -> Vec<u8> {
        let mut chunks = Vec::new();
        while !self.is_zero() {
            let mut remainder = 0_u128;
            for limb in self.0.iter_mut().rev() {
                let wide = remainder << 64 | u128::from(*limb);
                *limb = (wide / u128::from(TEN_19)) as u64;
                remainder = wide % u128::from(TEN_19);
            }
            chunks.push(remainder as u64);
            self.trim();
        }
        let mut digits = Vec::with_capacity(chunks.len() * 19);
        for chunk in chunks.iter().rev() {
            let text = if digits.is_empty() {
                chunk.to_string()
            } else {
                format!("{chunk:019}")
            };
            digits.extend_from_slice(text.as_bytes());
        }
        digits
    }

    /// The first `bits` bits of `self / divisor`, which lies from 1/2 to 2 when both have the same bit length; the first of
    /// them stands for 1. Also whether something is left.
    pub(super) fn ratio(mut self, mut divisor: Big, bits: u32) -> (u128, bool) {
        let (own, other) = (self.bit_length(), divisor.bit_length());
        self.shift_left(other.saturating_sub(own));
        divisor.shift_left(own.saturating_sub(other));
        let mut quotient = 0;
        for step in 0..bits {
            if step > 0 {
                self.multiply_add(2, 0);
            }
            quotient <<= 1;
            if self >= divisor {
                self.subtract(&divisor);
                quotient |= 1;
            }
        }
        (quotient, !self.is_zero())
    }

    /// `self - other`, which must not be negative.
    fn subtract(&mut self, other: &Big) {
        let mut borrow = false;
        let others = other.0.iter().copied().chain(std::iter::repeat(0));
        for (limb, subtrahend) in self.0.iter_mut().zip(others) {
            let (difference, first) = limb.overflowing_sub(subtrahend);
            let (difference, second) = difference.overflowing_sub(u64::from(borrow));
            *limb = difference;
            borrow = first || second;
        }
        self.trim();
    }

    fn trim(&mut self) {
        while self.0.last() == Some(&0) {
            self.0.pop();
        }
    }
}

impl PartialOrd for Big {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Big {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0
            .len()
            .cmp(&other.0.len())
            .then_with(|| self.0.iter().rev().cmp(other.0.iter().rev()))
    }
}
