//! The functions of `bc -l`: sine, cosine, arctangent, logarithm, exponential and Bessel.
//!
//! They are calculated in fixed point with more digits than asked for, and cut. GNU's are written in bc itself; both give the same digits
//! but where those of GNU are wrong in their last place.

use num_bigint::{BigInt, Sign};

use crate::kernel::Meter;
use crate::program::decimal::operate::{self, Problem};
use crate::program::decimal::{Number, power_of_ten};

/// Digits that are calculated besides those that are shown.
const GUARD: usize = 12;

/// A function of the library.
#[derive(Debug, Clone, Copy)]
pub struct Native {
    /// Its name.
    pub name: u8,
    /// How many arguments it takes.
    pub parameters: usize,
}

/// The library.
pub const FUNCTIONS: &[Native] = &[
    Native {
        name: b'e',
        parameters: 1,
    },
    Native {
        name: b'l',
        parameters: 1,
    },
    Native {
        name: b's',
        parameters: 1,
    },
    Native {
        name: b'c',
        parameters: 1,
    },
    Native {
        name: b'a',
        parameters: 1,
    },
    Native {
        name: b'j',
        parameters: 2,
    },
];

/// Calls a function; the last argument comes first.
pub fn call(meter: &Meter, native: Native, arguments: &[Number], scale: usize) -> Result<Number, Problem> {
    let zero = Number::default();
    let last = arguments.first().unwrap_or(&zero);
    let magnitude = last.to_i64().map_or(i64::MAX, i64::saturating_abs);
    let magnitude = usize::try_from(magnitude).unwrap_or(usize::MAX);
    // Digits before the point, of the argument or the result.
    let whole = match native.name {
        b'e' | b'j' => (magnitude / 2).saturating_add(2),
        _ => (last.bits() / 3) as usize,
    };
    let digits = scale
        .saturating_add(whole)
        .saturating_add(GUARD * 2 + last.scale());
    let words = operate::words(digits);
    // A series has about as many terms as digits.
    meter.check_memory(words.saturating_mul(400))?;
    meter.charge((digits as u64).saturating_mul(words.saturating_mul(words / 8 + 2)))?;
    Ok(match native.name {
        b'e' => exponential(last, scale),
        b'l' => logarithm(last, scale),
        b's' => sine(last, scale),
        b'c' => cosine(last, scale),
        b'a' => arctangent(last, scale),
        _ => bessel(arguments.get(1).unwrap_or(&zero), last, scale),
    })
}

/// A fixed-point number: cut to `scale` digits from `digits`.
fn cut(value: BigInt, digits: usize, scale: usize) -> Number {
    Number::scaled(value, digits).rescaled(scale)
}

/// The sum of a series: each term is made from the one before and its index, from 1 on, until it is nothing.
fn series(first: BigInt, mut next: impl FnMut(BigInt, u64) -> BigInt) -> BigInt {
    let mut sum = first.clone();
    let mut term = first;
    for index in 1.. {
        term = next(term, index);
        if term.sign() == Sign::NoSign {
            break;
        }
        sum += &term;
    }
    sum
}

fn exponential(x: &Number, scale: usize) -> Number {
    let size = x
        .to_i64()
        .map_or(usize::MAX, |value| value.unsigned_abs() as usize);
    // 0.4343 digits for each whole number.
    let whole = size.saturating_mul(4343) / 10000 + 1;
    if x.is_negative() && whole > scale + 3 {
        return Number::default().rescaled(scale);
    }
    let halvings = (size.max(1).ilog2() + 10) as usize;
    let digits = scale + whole + GUARD + halvings;
    let one = power_of_ten(digits);
    let absolute = if x.is_negative() { x.negated() } else { x.clone() };
    let part = absolute.digits_at(digits) >> halvings;
    let mut value = series(one.clone(), |term, index| term * &part / &one / index);
    for _ in 0..halvings {
        value = &value * &value / &one;
    }
    if x.is_negative() {
        value = &one * &one / value;
    }
    cut(value, digits, scale)
}

fn logarithm(x: &Number, scale: usize) -> Number {
    let one = Number::whole(1);
    if x.is_negative() || x.is_zero() {
        let least = one.subtract(&Number::scaled(power_of_ten(scale), 0));
        return least.rescaled(scale);
    }
    let digits = scale + GUARD * 2 + x.bits().max(2).ilog2() as usize;
    let small = x.to_i64() == Some(0);
    let inverted = small.then(|| one.divide(x, digits)).flatten();
    let unit = power_of_ten(digits);
    let mut value = inverted.as_ref().unwrap_or(x).digits_at(digits);
    let mut roots = 0usize;
    while (&value - &unit) * 256 > unit {
        value = (value * &unit).sqrt();
        roots += 1;
    }
    // ln(v) = 2 artanh((v-1)/(v+1))
    let ratio = (&value - &unit) * &unit / (&value + &unit);
    let square = &ratio * &ratio / &unit;
    let result: BigInt = odd_series(&ratio, &square, &unit) << (roots + 1);
    cut(if small { -result } else { result }, digits, scale)
}

/// `x + x·s/3 + x·s²/5 + …`
fn odd_series(first: &BigInt, square: &BigInt, unit: &BigInt) -> BigInt {
    let mut sum = first.clone();
    let mut power = first.clone();
    for divisor in (3u64..).step_by(2) {
        power = power * square / unit;
        if power.sign() == Sign::NoSign {
            break;
        }
        sum += &power / divisor;
    }
    sum
}

/// The arctangent of a small number.
fn arctangent_series(x: &BigInt, unit: &BigInt) -> BigInt {
    let square = -(x * x / unit);
    odd_series(x, &square, unit)
}

/// Pi, by Machin's formula.
fn pi(digits: usize) -> BigInt {
    let digits = digits + 6;
    let unit = power_of_ten(digits);
    let fifth = arctangent_series(&(&unit / 5), &unit) * 16;
    let other = arctangent_series(&(&unit / 239), &unit) * 4;
    (fifth - other) / power_of_ten(6)
}

/// The sine. Its digits are those of a calculation with two more digits than asked for, as GNU's are: near a whole number that shows.
fn sine(x: &Number, scale: usize) -> Number {
    let eighth_digits = scale + scale / 10 + 2;
    let eighth = arctangent(&Number::whole(1), eighth_digits);
    let absolute = if x.is_negative() { x.negated() } else { x.clone() };
    // Half turns, rounded.
    let halves: BigInt = (absolute.divide(&eighth, 0).unwrap_or_default().integer() + 2) / 4;
    let odd = halves.bit(0);
    let turned = Number::whole(halves * 4).multiply(&eighth, eighth_digits);
    let rest = absolute.subtract(&turned);
    let turns = odd ^ x.is_negative();
    let rest = if turns { rest.negated() } else { rest };
    let digits = scale + 2;
    let square = rest.multiply(&rest, digits).negated();
    let mut sum = rest.clone();
    let mut term = rest;
    for index in (3u64..).step_by(2) {
        let factor = square.divide(&Number::whole(index * (index - 1)), digits);
        term = term.multiply(&factor.unwrap_or_default(), digits);
        if term.is_zero() {
            break;
        }
        sum = sum.add(&term);
    }
    sum.rescaled(scale)
}

/// The cosine: the sine of an angle a quarter turn further, with as many digits as GNU's has.
fn cosine(x: &Number, scale: usize) -> Number {
    let digits = scale * 6 / 5;
    let quarter = arctangent(&Number::whole(1), digits).multiply(&Number::whole(2), digits);
    sine(&x.add(&quarter), digits).rescaled(scale)
}

fn arctangent(x: &Number, scale: usize) -> Number {
    let digits = scale + GUARD * 2;
    let unit = power_of_ten(digits);
    let absolute = if x.is_negative() { x.negated() } else { x.clone() };
    let large = !absolute.integer().eq(&BigInt::default());
    let inverted = large
        .then(|| Number::whole(1).divide(&absolute, digits))
        .flatten();
    let mut value = inverted.as_ref().unwrap_or(&absolute).digits_at(digits);
    for _ in 0..4 {
        // atan(v) = 2 atan(v / (1 + sqrt(1 + v²)))
        let root = (&unit * &unit + &value * &value).sqrt();
        value = value * &unit / (&unit + root);
    }
    let mut result: BigInt = arctangent_series(&value, &unit) * 16;
    if large {
        result = pi(digits) / 2 - result;
    }
    cut(if x.is_negative() { -result } else { result }, digits, scale)
}

fn bessel(order: &Number, x: &Number, scale: usize) -> Number {
    let order = order.to_i64().unwrap_or(0);
    let count = order.unsigned_abs();
    let size = x.to_i64().map_or(0, |value| value.unsigned_abs() as usize);
    let digits = scale + GUARD * 2 + size;
    let unit = power_of_ten(digits);
    let half = x.digits_at(digits) / 2;
    let mut first = unit.clone();
    for index in 1..=count {
        first = first * &half / &unit / index;
        if first.sign() == Sign::NoSign {
            break;
        }
    }
    let square = &half * &half / &unit;
    let value = series(first, |term: BigInt, index: u64| {
        let next: BigInt = term * &square / &unit;
        -next / (index * (index + count))
    });
    let value = if order < 0 && count % 2 == 1 {
        -value
    } else {
        value
    };
    cut(value, digits, scale)
}
