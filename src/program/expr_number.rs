//! Whole numbers of any size for `expr`, in groups of nine decimal digits.

use std::cmp::Ordering;

/// A group holds digits below this.
const BASE: u64 = 1_000_000_000;

/// A number: sign and groups, the lowest first, without leading zero groups; zero has none and is not negative.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Number {
    negative: bool,
    groups: Vec<u32>,
}

impl Number {
    /// Reads `-?[0-9]+`.
    pub fn parse(text: &[u8]) -> Option<Number> {
        let (negative, digits) = match text {
            [b'-', rest @ ..] => (true, rest),
            _ => (false, text),
        };
        if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
            return None;
        }
        let groups = digits.rchunks(9).map(|group| {
            group
                .iter()
                .fold(0, |sum, digit| sum * 10 + u32::from(digit - b'0'))
        });
        Some(Number::from_groups(negative, groups.collect()))
    }

    /// A small number.
    pub fn small(value: u64) -> Number {
        let groups = [value % BASE, value / BASE % BASE, value / BASE / BASE];
        Number::from_groups(false, groups.iter().map(|group| *group as u32).collect())
    }

    fn from_groups(negative: bool, mut groups: Vec<u32>) -> Number {
        while groups.last() == Some(&0) {
            groups.pop();
        }
        Number {
            negative: negative && !groups.is_empty(),
            groups,
        }
    }

    /// Whether it is zero.
    pub fn is_zero(&self) -> bool {
        self.groups.is_empty()
    }

    /// How many groups it has: what work with it costs.
    pub fn size(&self) -> u64 {
        self.groups.len() as u64
    }

    /// The number as a count, when it is one that fits.
    pub fn to_usize(&self) -> Option<usize> {
        if self.negative || self.groups.len() > 2 {
            return None;
        }
        let value = self
            .groups
            .iter()
            .rev()
            .fold(0u64, |sum, group| sum * BASE + u64::from(*group));
        usize::try_from(value).ok()
    }

    /// In decimal.
    pub fn to_text(&self) -> Vec<u8> {
        let mut text = String::new();
        if self.negative {
            text.push('-');
        }
        let mut groups = self.groups.iter().rev();
        text += &groups.next().copied().unwrap_or(0).to_string();
        for group in groups {
            text += &format!("{group:09}");
        }
        text.into_bytes()
    }

    /// The number with the other sign.
    pub fn negated(&self) -> Number {
        Number::from_groups(!self.negative, self.groups.clone())
    }

    /// The sum.
    pub fn add(&self, other: &Number) -> Number {
        if self.negative == other.negative {
            return Number::from_groups(self.negative, add(&self.groups, &other.groups));
        }
        match compare(&self.groups, &other.groups) {
            Ordering::Less => Number::from_groups(other.negative, subtract(&other.groups, &self.groups)),
            _ => Number::from_groups(self.negative, subtract(&self.groups, &other.groups)),
        }
    }

    /// The product.
    pub fn multiply(&self, other: &Number) -> Number {
        let mut sums = vec![0u64; self.groups.len() + other.groups.len() + 1];
        for (shift, left) in self.groups.iter().enumerate() {
            let mut carry = 0;
            for (place, right) in sums
                .iter_mut()
                .skip(shift)
                .zip(other.groups.iter().map(Some).chain(std::iter::repeat(None)))
            {
                if right.is_none() && carry == 0 {
                    break;
                }
                let product = *place + u64::from(*left) * u64::from(right.copied().unwrap_or(0)) + carry;
                *place = product % BASE;
                carry = product / BASE;
            }
        }
        let groups = sums.into_iter().map(|group| group as u32).collect();
        Number::from_groups(self.negative != other.negative, groups)
    }

    /// Quotient and remainder, cut towards zero; `None` for a division by zero.
    pub fn divide(&self, other: &Number) -> Option<(Number, Number)> {
        if other.is_zero() {
            return None;
        }
        let mut quotient = Vec::with_capacity(self.groups.len());
        let mut rest: Vec<u32> = Vec::new();
        for group in self.groups.iter().rev() {
            rest.insert(0, *group);
            while rest.last() == Some(&0) {
                rest.pop();
            }
            // The largest digit whose multiple still fits.
            let (mut low, mut high) = (0, BASE - 1);
            while low < high {
                let middle = (low + high).div_ceil(2);
                if compare(&multiply_small(&other.groups, middle), &rest) == Ordering::Greater {
                    high = middle - 1;
                } else {
                    low = middle;
                }
            }
            rest = subtract(&rest, &multiply_small(&other.groups, low));
            while rest.last() == Some(&0) {
                rest.pop();
            }
            quotient.push(low as u32);
        }
        quotient.reverse();
        Some((
            Number::from_groups(self.negative != other.negative, quotient),
            Number::from_groups(self.negative, rest),
        ))
    }
}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Number {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self.negative, other.negative) {
            (false, true) => Ordering::Greater,
            (true, false) => Ordering::Less,
            (false, false) => compare(&self.groups, &other.groups),
            (true, true) => compare(&other.groups, &self.groups),
        }
    }
}

fn compare(left: &[u32], right: &[u32]) -> Ordering {
    left.len()
        .cmp(&right.len())
        .then_with(|| left.iter().rev().cmp(right.iter().rev()))
}

fn add(left: &[u32], right: &[u32]) -> Vec<u32> {
    let length = left.len().max(right.len());
    let digit = |groups: &[u32], index: usize| u64::from(groups.get(index).copied().unwrap_or(0));
    let mut carry = 0;
    let mut sum: Vec<u32> = (0..length)
        .map(|index| {
            let value = digit(left, index) + digit(right, index) + carry;
            carry = value / BASE;
            (value % BASE) as u32
        })
        .collect();
    sum.push(carry as u32);
    sum
}

/// `left` is not less than `right`.
fn subtract(left: &[u32], right: &[u32]) -> Vec<u32> {
    let mut borrow = 0;
    left.iter()
        .enumerate()
        .map(|(index, group)| {
            let taken = u64::from(right.get(index).copied().unwrap_or(0)) + borrow;
            borrow = u64::from(taken > u64::from(*group));
            (u64::from(*group) + borrow * BASE - taken) as u32
        })
        .collect()
}

fn multiply_small(groups: &[u32], factor: u64) -> Vec<u32> {
    let mut carry = 0;
    let mut product: Vec<u32> = groups
        .iter()
        .map(|group| {
            let value = u64::from(*group) * factor + carry;
            carry = value / BASE;
            (value % BASE) as u32
        })
        .collect();
    product.push(carry as u32);
    while product.last() == Some(&0) {
        product.pop();
    }
    product
}

#[cfg(test)]
mod tests {
    use super::Number;

    fn number(text: &str) -> Number {
        Number::parse(text.as_bytes()).unwrap()
    }

    fn text(number: &Number) -> String {
        String::from_utf8(number.to_text()).unwrap()
    }

    #[test]
    fn arithmetic() {
        let large = number("99999999999999999999");
        assert_eq!(
            text(&large.multiply(&large)),
            "9999999999999999999800000000000000000001"
        );
        let (quotient, rest) = number("-9999999999999999999800000000000000000007")
            .divide(&large)
            .unwrap();
        assert_eq!(
            (text(&quotient), text(&rest)),
            ("-99999999999999999999".into(), "-6".into())
        );
        assert_eq!(text(&number("1000000000").add(&number("-1"))), "999999999");
        assert_eq!(text(&number("-000").add(&number("0"))), "0");
        assert_eq!(text(&number("-7").divide(&number("2")).unwrap().1), "-1");
        assert_eq!(number("18446744073709551615"), Number::small(u64::MAX));
    }
}
