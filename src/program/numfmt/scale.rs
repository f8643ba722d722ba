//! Units: reading numbers with a suffix, and writing them with one.

use super::options::{Options, Rounding};
use crate::args::quote;
use crate::program::decimal::{Number, power_of_ten};
use crate::program::message::message;

/// The letters of powers, from the first on.
const LETTERS: &[u8] = b"KMGTPEZY";

/// Digits behind the point that are calculated with.
const MOST_FRACTION: usize = 100;

/// A kind of units.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    None,
    /// A suffix says which: `K` or `Ki`.
    Auto,
    /// Powers of 1000.
    Si,
    /// Powers of 1024.
    Iec,
    /// Powers of 1024, and the suffix has an `i`.
    IecI,
}

/// A number as it was read, and how many digits it had behind its point.
#[derive(Debug)]
pub struct Input {
    pub value: Number,
    pub digits: usize,
}

impl Scale {
    fn base(self) -> u32 {
        if matches!(self, Scale::Iec | Scale::IecI) {
            1024
        } else {
            1000
        }
    }

    /// What a suffix stands for.
    pub fn factor(self, letter: u8) -> Option<Number> {
        let power = LETTERS.iter().position(|known| *known == letter)? + 1;
        Some(Number::whole(
            num_bigint::BigInt::from(self.base()).pow(power as u32),
        ))
    }

    /// Reads a number; the error is a sentence.
    pub fn read(self, text: &[u8]) -> Result<Input, Vec<u8>> {
        let (negative, unsigned) = match text.strip_prefix(b"-") {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let invalid = || message!("invalid number: ", quote(text));
        let whole = unsigned.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let mut length = whole;
        let mut digits = 0;
        if unsigned.get(whole) == Some(&b'.') {
            let after = unsigned.get(whole + 1..).unwrap_or_default();
            digits = after.iter().take_while(|byte| byte.is_ascii_digit()).count();
            length += 1 + digits;
            if digits == 0 {
                return Err(invalid());
            }
        }
        if length == 0 {
            return Err(invalid());
        }
        if whole > 27 || digits > MOST_FRACTION {
            return Err(message!("value too large to be converted: ", quote(text)));
        }
        let (number, rest) = unsigned.split_at(length);
        let value = Number::decimal(number);
        let value = if negative { value.negated() } else { value };
        self.with_suffix(text, rest, Input { value, digits })
    }

    fn with_suffix(self, text: &[u8], rest: &[u8], input: Input) -> Result<Input, Vec<u8>> {
        let no_i = || message!("missing 'i' suffix in input: ", quote(text), " (e.g Ki/Mi/Gi)");
        if rest.is_empty() {
            return if self == Scale::IecI {
                Err(no_i())
            } else {
                Ok(input)
            };
        }
        let rest = rest.trim_ascii_start();
        let (letter, mut rest) = match rest.split_first() {
            Some((letter, rest)) if LETTERS.contains(letter) => (*letter, rest),
            _ => return Err(message!("invalid suffix in input: ", quote(text))),
        };
        let mut scale = self;
        match self {
            Scale::None => {
                let sentence = " (consider using --from)";
                return Err(message!("rejecting suffix in input: ", quote(text), sentence));
            }
            Scale::Auto => {
                if let Some(behind) = rest.strip_prefix(b"i") {
                    scale = Scale::Iec;
                    rest = behind;
                }
            }
            Scale::IecI => match rest.strip_prefix(b"i") {
                Some(behind) => rest = behind,
                None => return Err(no_i()),
            },
            _ => {}
        }
        if !rest.is_empty() {
            return Err(message!(
                "invalid suffix in input ",
                quote(text),
                ": ",
                quote(rest)
            ));
        }
        let factor = scale.factor(letter).unwrap_or_default();
        Ok(Input {
            value: input.value.multiply(&factor, input.digits),
            digits: 0,
        })
    }

    /// Writes a number.
    pub fn write(self, value: &Number, digits: usize, options: &Options) -> Vec<u8> {
        let wanted = options.format.precision;
        if self == Scale::None {
            let digits = wanted.unwrap_or(digits);
            return options
                .format
                .with_zeros(fixed(&rounded(value, digits, options.rounding), digits));
        }
        let base = Number::whole(self.base());
        let reaches = |value: &Number, limit: &Number| absolute(value).compare(limit).is_ge();
        let mut power = 0;
        let mut value = value.clone();
        while reaches(&value, &base) {
            value = value.divide(&base, value.scale() + 12).unwrap_or_default();
            power += 1;
        }
        let ten = Number::whole(10);
        let kept = match wanted {
            Some(wanted) => wanted.min(power * 3),
            None => usize::from(!reaches(&value, &ten)),
        };
        value = rounded(&value, kept, options.rounding);
        if reaches(&value, &base) {
            value = value.divide(&base, value.scale() + 12).unwrap_or_default();
            power += 1;
        }
        let point = !value.is_zero() && !reaches(&value, &ten) && power > 0;
        let text = fixed(&value, wanted.unwrap_or(usize::from(point)));
        let mut text = options.format.with_zeros(text);
        if power > 0 {
            text.push(LETTERS.get(power - 1).copied().unwrap_or(b'?'));
            if self == Scale::IecI {
                text.push(b'i');
            }
        }
        text
    }
}

fn absolute(value: &Number) -> Number {
    if value.is_negative() {
        value.negated()
    } else {
        value.clone()
    }
}

/// Rounded to so many digits behind the point.
fn rounded(value: &Number, digits: usize, rounding: Rounding) -> Number {
    let cut = value.rescaled(digits);
    let rest = absolute(&value.subtract(&cut));
    if rest.is_zero() {
        return cut;
    }
    let negative = value.is_negative();
    let away = match rounding {
        Rounding::Up => !negative,
        Rounding::Down => negative,
        Rounding::FromZero => true,
        Rounding::TowardsZero => false,
        Rounding::Nearest => rest.compare(&Number::scaled(5.into(), digits + 1)).is_ge(),
    };
    let step = Number::scaled(1.into(), digits);
    match (away, negative) {
        (false, _) => cut,
        (true, false) => cut.add(&step),
        (true, true) => cut.subtract(&step),
    }
}

/// With so many digits behind the point, and one before it at least.
fn fixed(value: &Number, digits: usize) -> Vec<u8> {
    let shown = rounded(value, digits, Rounding::Nearest);
    let negative = shown.is_negative();
    let scaled = absolute(&shown).digits_at(digits);
    let unit = power_of_ten(digits);
    let mut text = if negative { b"-".to_vec() } else { Vec::new() };
    text.extend((&scaled / &unit).to_string().bytes());
    if digits > 0 {
        let rest = (&scaled % &unit).to_string();
        text.extend(format!(".{rest:0>digits$}").bytes());
    }
    text
}
