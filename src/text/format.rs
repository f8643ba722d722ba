//! One `%` directive of C's `printf`: flags, width, precision, and what they do to integers, floats and strings.
//!
//! Shared by the `printf` builtin and program, awk, `find -printf`, `stat -c`, `seq -f`, `date`. Everything counts bytes, as C
//! does. Widths come from the input: callers refuse a [`Layout`] that [`Layout::exceeds`] their bound before they use it.

use super::float_format::{self, FloatStyle};
use super::long_double::LongDouble;

/// The flags of a directive.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Flags {
    /// `-`
    pub left: bool,
    /// `+`
    pub plus: bool,
    /// A space.
    pub space: bool,
    /// `#`
    pub alternate: bool,
    /// `0`
    pub zero: bool,
    /// `'`, which changes nothing in `C.UTF-8`.
    pub group: bool,
}

/// A width or precision as written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Amount {
    /// Not given.
    #[default]
    None,
    /// Given; saturated.
    Given(usize),
    /// `*`: the next argument.
    Argument,
}

/// The part of a directive between `%` and the length modifiers or conversion letter.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Directive {
    /// The flags.
    pub flags: Flags,
    /// The width.
    pub width: Amount,
    /// The precision. A point without digits is 0.
    pub precision: Amount,
}

/// Leading digits as a number, saturated, and how many there are.
pub fn leading_number(text: &[u8]) -> (usize, usize) {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit());
    digits.fold((0_usize, 0), |(value, count), digit| {
        (
            value.saturating_mul(10).saturating_add(usize::from(digit - b'0')),
            count + 1,
        )
    })
}

fn amount(text: &[u8]) -> (Amount, usize) {
    if text.first() == Some(&b'*') {
        return (Amount::Argument, 1);
    }
    match leading_number(text) {
        (_, 0) => (Amount::None, 0),
        (value, count) => (Amount::Given(value), count),
    }
}

impl Directive {
    /// Parses what follows a `%`; also how many bytes it took.
    pub fn parse(text: &[u8]) -> (Directive, usize) {
        let mut flags = Flags::default();
        let mut at = 0;
        while let Some(&byte) = text.get(at) {
            match byte {
                b'-' => flags.left = true,
                b'+' => flags.plus = true,
                b' ' => flags.space = true,
                b'#' => flags.alternate = true,
                b'0' => flags.zero = true,
                b'\'' => flags.group = true,
                _ => break,
            }
            at += 1;
        }
        let (width, length) = amount(text.get(at..).unwrap_or_default());
        at += length;
        let mut precision = Amount::None;
        if text.get(at) == Some(&b'.') {
            let (given, length) = amount(text.get(at + 1..).unwrap_or_default());
            precision = if given == Amount::None {
                Amount::Given(0)
            } else {
                given
            };
            at += 1 + length;
        }
        (
            Directive {
                flags,
                width,
                precision,
            },
            at,
        )
    }

    /// Puts the values of `*` in: a negative width means left, a negative precision none.
    pub fn resolve(&self, mut next: impl FnMut() -> i64) -> Layout {
        let mut flags = self.flags;
        let width = match self.width {
            Amount::None => 0,
            Amount::Given(width) => width,
            Amount::Argument => {
                let width = next();
                flags.left |= width < 0;
                usize::try_from(width.unsigned_abs()).unwrap_or(usize::MAX)
            }
        };
        let precision = match self.precision {
            Amount::None => None,
            Amount::Given(precision) => Some(precision),
            Amount::Argument => usize::try_from(next()).ok(),
        };
        Layout {
            flags,
            width,
            precision,
        }
    }
}

/// A directive with all its numbers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Layout {
    /// The flags.
    pub flags: Flags,
    /// The least number of bytes.
    pub width: usize,
    /// The precision.
    pub precision: Option<usize>,
}

/// How an unsigned integer is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Radix {
    /// `%u`
    Decimal,
    /// `%o`
    Octal,
    /// `%x`
    Hex,
    /// `%X`
    UpperHex,
}

impl Radix {
    /// The digits of a number.
    fn digits(self, value: u64, room: &mut [u8; 22]) -> &[u8] {
        let (base, letters): (u64, &[u8; 16]) = match self {
            Radix::Decimal => (10, b"0123456789abcdef"),
            Radix::Octal => (8, b"0123456789abcdef"),
            Radix::Hex => (16, b"0123456789abcdef"),
            Radix::UpperHex => (16, b"0123456789ABCDEF"),
        };
        let mut rest = value;
        let mut start = room.len();
        for slot in room.iter_mut().rev() {
            *slot = letters.get((rest % base) as usize).copied().unwrap_or(b'0');
            rest /= base;
            start -= 1;
            if rest == 0 {
                break;
            }
        }
        room.get(start..).unwrap_or_default()
    }
}

impl Layout {
    /// Whether it asks for more than `limit` bytes.
    pub fn exceeds(&self, limit: usize) -> bool {
        self.width > limit || self.precision.is_some_and(|precision| precision > limit)
    }

    /// Pads with blanks.
    pub fn pad(&self, text: Vec<u8>) -> Vec<u8> {
        self.pad_counted(text, usize::MAX)
    }

    /// Pads a text that counts as `columns` (characters, say); `usize::MAX` counts its bytes.
    pub fn pad_counted(&self, mut text: Vec<u8>, columns: usize) -> Vec<u8> {
        let columns = if columns == usize::MAX {
            text.len()
        } else {
            columns
        };
        let blanks = std::iter::repeat_n(b' ', self.width.saturating_sub(columns));
        if self.flags.left {
            text.extend(blanks);
        } else {
            text.splice(0..0, blanks);
        }
        text
    }

    /// `%s`: at most `precision` bytes, padded with blanks.
    pub fn string(&self, text: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        self.append_string(text, &mut out);
        out
    }

    /// Appends [`Layout::string`].
    pub fn append_string(&self, text: &[u8], out: &mut Vec<u8>) {
        let kept = self.precision.and_then(|most| text.get(..most)).unwrap_or(text);
        self.append_padded(out, kept.len(), |out| out.extend_from_slice(kept));
    }

    /// Appends what `print` does, which is `length` bytes, and blanks.
    fn append_padded(&self, out: &mut Vec<u8>, length: usize, print: impl FnOnce(&mut Vec<u8>)) {
        let blanks = self.width.saturating_sub(length);
        if !self.flags.left {
            out.extend(std::iter::repeat_n(b' ', blanks));
        }
        print(out);
        if self.flags.left {
            out.extend(std::iter::repeat_n(b' ', blanks));
        }
    }

    fn sign(&self, negative: bool) -> &'static [u8] {
        match (negative, self.flags.plus, self.flags.space) {
            (true, ..) => b"-",
            (_, true, _) => b"+",
            (_, _, true) => b" ",
            _ => b"",
        }
    }

    /// A prefix (sign, `0x`) and digits, with zeros between where asked for.
    fn number(&self, prefix: &[u8], digits: &[u8], zeros: bool) -> Vec<u8> {
        let missing = self.width.saturating_sub(prefix.len() + digits.len());
        let fill = if zeros && !self.flags.left { missing } else { 0 };
        let mut text = Vec::with_capacity(prefix.len() + fill + digits.len());
        text.extend_from_slice(prefix);
        text.extend(std::iter::repeat_n(b'0', fill));
        text.extend_from_slice(digits);
        self.pad(text)
    }

    /// `%d`.
    pub fn signed(&self, value: i128) -> Vec<u8> {
        let mut out = Vec::new();
        self.append_signed(value, &mut out);
        out
    }

    /// Appends [`Layout::signed`].
    pub fn append_signed(&self, value: i128, out: &mut Vec<u8>) {
        let sign = self.sign(value < 0);
        match u64::try_from(value.unsigned_abs()) {
            Ok(magnitude) => self.append_integer(sign, itoa::Buffer::new().format(magnitude).as_bytes(), out),
            Err(_) => self.append_integer(sign, value.unsigned_abs().to_string().as_bytes(), out),
        }
    }

    /// `%u %o %x %X`.
    pub fn unsigned(&self, value: u64, radix: Radix) -> Vec<u8> {
        let mut out = Vec::new();
        self.append_unsigned(value, radix, &mut out);
        out
    }

    /// Appends [`Layout::unsigned`].
    pub fn append_unsigned(&self, value: u64, radix: Radix, out: &mut Vec<u8>) {
        let mut room = [0; 22];
        let digits = radix.digits(value, &mut room);
        let (prefix, digits): (&[u8], &[u8]) = match radix {
            _ if !self.flags.alternate => (b"", digits),
            Radix::Octal => {
                // `#` asks for a leading zero, unless the precision brings one.
                let padded = self.precision.is_some_and(|least| least > digits.len());
                let needed = !padded && (value != 0 || self.precision == Some(0));
                return self.append_octal(needed, digits, out);
            }
            Radix::Hex if value != 0 => (b"0x", digits),
            Radix::UpperHex if value != 0 => (b"0X", digits),
            _ => (b"", digits),
        };
        self.append_integer(prefix, digits, out);
    }

    fn append_octal(&self, leading_zero: bool, digits: &[u8], out: &mut Vec<u8>) {
        if !leading_zero {
            return self.append_integer(b"", digits, out);
        }
        let digits = if digits == b"0" { b"" } else { digits };
        let digits = [b"0".as_slice(), digits].concat();
        let layout = Layout {
            precision: self.precision.filter(|least| *least > 0),
            ..*self
        };
        let zeros = self.flags.zero && self.precision.is_none();
        layout.append_digits(b"", &digits, digits.len(), zeros, out);
    }

    /// Appends a prefix (sign, `0x`) and at least `precision` digits; none for a zero with precision 0.
    fn append_integer(&self, prefix: &[u8], digits: &[u8], out: &mut Vec<u8>) {
        let digits = if self.precision == Some(0) && digits == b"0" {
            b""
        } else {
            digits
        };
        let least = self.precision.unwrap_or(0).max(digits.len());
        self.append_digits(
            prefix,
            digits,
            least,
            self.flags.zero && self.precision.is_none(),
            out,
        );
    }

    /// Appends a prefix and at least `least` digits; `zeros` fill the width.
    fn append_digits(&self, prefix: &[u8], digits: &[u8], least: usize, zeros: bool, out: &mut Vec<u8>) {
        let mut length = prefix.len() + least;
        if zeros && !self.flags.left {
            length = length.max(self.width);
        }
        self.append_padded(out, length, |out| {
            out.extend_from_slice(prefix);
            let fill = length - prefix.len() - digits.len();
            out.extend(std::iter::repeat_n(b'0', fill));
            out.extend_from_slice(digits);
        });
    }

    /// `%e %f %g %a` and their upper case forms; `letter` is the conversion, `hex` the form of `%a`.
    fn float_with(&self, value: LongDouble, letter: u8, hex: FloatStyle) -> Vec<u8> {
        let style = match letter.to_ascii_lowercase() {
            b'e' => FloatStyle::Exponent,
            b'f' => FloatStyle::Fixed,
            b'a' => hex,
            _ => FloatStyle::General,
        };
        let mut text = float_format::magnitude(value, style, self.precision, self.flags.alternate);
        let mut prefix = self.sign(value.is_negative()).to_vec();
        if style == hex && value.is_finite() {
            prefix.extend(text.drain(..2));
        }
        if letter.is_ascii_uppercase() {
            text.make_ascii_uppercase();
            prefix.make_ascii_uppercase();
        }
        self.number(&prefix, &text, self.flags.zero && value.is_finite())
    }

    /// A float of the builtin and program `printf` and of `seq`: a long double.
    pub fn long_double(&self, value: LongDouble, letter: u8) -> Vec<u8> {
        self.float_with(value, letter, FloatStyle::HexLong)
    }

    /// A float of awk, jq and others: a double.
    pub fn double(&self, value: f64, letter: u8) -> Vec<u8> {
        self.float_with(value.into(), letter, FloatStyle::HexDouble)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(text: &str) -> Layout {
        let (directive, length) = Directive::parse(text.as_bytes());
        assert_eq!(length, text.len());
        directive.resolve(|| -7)
    }

    fn signed(text: &str, value: i128) -> String {
        String::from_utf8(layout(text).signed(value)).unwrap()
    }

    #[test]
    fn integers() {
        assert_eq!(signed("05", -3), "-0003");
        assert_eq!(signed("05.3", 5), "  005");
        assert_eq!(signed("+.0", 0), "+");
        assert_eq!(signed("+ ", 5), "+5");
        assert_eq!(signed("*", 3), "3      ");
        let hex = |text: &str, value, radix| String::from_utf8(layout(text).unsigned(value, radix)).unwrap();
        assert_eq!(hex("#", 255, Radix::UpperHex), "0XFF");
        assert_eq!(hex("#.0", 0, Radix::Octal), "0");
        assert_eq!(hex("#.0", 0, Radix::Hex), "");
        assert_eq!(hex("#08", 10, Radix::Hex), "0x00000a");
        assert_eq!(hex("#.3", 8, Radix::Octal), "010");
    }

    #[test]
    fn floats() {
        let float =
            |text: &str, value: f64, letter| String::from_utf8(layout(text).double(value, letter)).unwrap();
        assert_eq!(float("015", -2.5, b'f'), "-0000002.500000");
        assert_eq!(float("06", f64::INFINITY, b'F'), "   INF");
        assert_eq!(float("+#.0", 3.0, b'g'), "+3.");
        assert_eq!(float("012", 1.0, b'a'), "0x0000001p+0");
    }
}
