//! awk's `printf`.

use std::borrow::Cow;

use super::number::{infinite, push};
use super::value::Value;
use crate::text::format::{Amount, Directive, Layout, Radix};
use crate::text::utf8;

/// Why a format is not printed.
#[derive(Debug)]
pub enum FormatError {
    /// The whole message.
    Fatal(Vec<u8>),
    /// A width or precision beyond what is allowed.
    TooLarge,
}

/// Formats values. `convfmt` turns numbers to strings; `limit` bounds widths and precisions.
pub fn format(
    out: &mut Vec<u8>,
    text: &[u8],
    values: &[Value],
    convfmt: &[u8],
    limit: usize,
) -> Result<(), FormatError> {
    let mut run = Run {
        values,
        next: 0,
        text,
        convfmt,
        limit,
    };
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'%', text.get(at..).unwrap_or_default()) {
        out.extend_from_slice(text.get(at..at + found).unwrap_or_default());
        at = run.directive(out, at + found)?;
    }
    out.extend_from_slice(text.get(at..).unwrap_or_default());
    Ok(())
}

/// A number by CONVFMT or OFMT, whatever that is.
pub fn number_by(out: &mut Vec<u8>, number: f64, text: &[u8]) {
    let start = out.len();
    // CONVFMT itself must not be asked for again.
    if format(out, text, &[Value::Number(number)], b"%.6g", 4096).is_err() {
        out.truncate(start);
        push(out, number, b"%.6g");
    }
}

struct Run<'a> {
    values: &'a [Value],
    next: usize,
    text: &'a [u8],
    convfmt: &'a [u8],
    limit: usize,
}

impl<'a> Run<'a> {
    fn value(&mut self, at: usize) -> Result<&'a Value, FormatError> {
        let value = self.values.get(self.next).ok_or_else(|| self.ran_out(at))?;
        self.next += 1;
        Ok(value)
    }

    fn ran_out(&self, at: usize) -> FormatError {
        let blanks = b" ".repeat(at);
        FormatError::Fatal(
            [
                b"not enough arguments to satisfy format string\n\t`".as_slice(),
                self.text,
                b"'\n\t",
                &blanks,
                b"^ ran out for this one",
            ]
            .concat(),
        )
    }

    /// The directive that starts at `start`: where it ends.
    fn directive(&mut self, out: &mut Vec<u8>, start: usize) -> Result<usize, FormatError> {
        let rest = self.text.get(start + 1..).unwrap_or_default();
        // `%2$s` names its argument.
        let position = positional(rest);
        let skipped = position.map_or(0, |(_, length)| length);
        let (directive, mut length) = Directive::parse(rest.get(skipped..).unwrap_or_default());
        length += skipped;
        let modifiers = rest
            .get(length..)
            .unwrap_or_default()
            .iter()
            .take_while(|byte| b"hlLqjzt".contains(byte));
        let modifiers = modifiers.take(1).count();
        let end = start + 1 + length + modifiers;
        let Some(&letter) = self.text.get(end) else {
            out.extend_from_slice(self.text.get(start..).unwrap_or_default());
            return Ok(self.text.len());
        };
        let column = start + 1;
        if letter == b'%' {
            out.push(b'%');
            return Ok(end + 1);
        }
        if !b"diouxXeEfFgGaAcs".contains(&letter) {
            out.extend_from_slice(self.text.get(start..=end).unwrap_or_default());
            return Ok(end + 1);
        }
        let layout = self.layout(&directive, column)?;
        if layout.exceeds(self.limit) {
            return Err(FormatError::TooLarge);
        }
        let value = match position {
            Some((number, _)) => self.values.get(number - 1).ok_or_else(|| self.ran_out(column))?,
            None => self.value(column)?,
        };
        self.convert(out, layout, letter, value);
        Ok(end + 1)
    }

    fn layout(&mut self, directive: &Directive, column: usize) -> Result<Layout, FormatError> {
        let stars = [directive.width, directive.precision];
        let wanted = stars.iter().filter(|amount| **amount == Amount::Argument).count();
        let mut numbers = Vec::new();
        for _ in 0..wanted {
            numbers.push(self.value(column)?.number() as i64);
        }
        let mut numbers = numbers.into_iter();
        Ok(directive.resolve(|| numbers.next().unwrap_or(0)))
    }

    fn convert(&self, out: &mut Vec<u8>, layout: Layout, letter: u8, value: &Value) {
        match letter {
            b's' => {
                let text = value.text(self.convfmt);
                string(out, layout, &text);
            }
            b'c' => character(out, layout, value, self.convfmt),
            b'd' | b'i' => out.extend_from_slice(&integer(layout, value.number())),
            b'o' | b'u' | b'x' | b'X' => out.extend_from_slice(&unsigned(layout, letter, value.number())),
            _ => out.extend_from_slice(&float(layout, letter, value.number())),
        }
    }
}

fn positional(rest: &[u8]) -> Option<(usize, usize)> {
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if digits == 0 || digits > 6 || rest.get(digits) != Some(&b'$') {
        return None;
    }
    let number = rest
        .iter()
        .take(digits)
        .fold(0, |sum, digit| sum * 10 + usize::from(digit - b'0'));
    (number > 0).then_some((number, digits + 1))
}

/// Widths and precisions of strings count characters.
fn string(out: &mut Vec<u8>, layout: Layout, text: &[u8]) {
    let kept = match layout.precision {
        Some(most) if most < text.len() => Cow::Borrowed(utf8::slice(text, 0, most)),
        _ => Cow::Borrowed(text),
    };
    if layout.width == 0 {
        out.extend_from_slice(&kept);
        return;
    }
    let columns = utf8::count(&kept);
    let fill = layout.width.saturating_sub(columns);
    let blanks = std::iter::repeat_n(b' ', fill);
    if layout.flags.left {
        out.extend_from_slice(&kept);
        out.extend(blanks);
    } else {
        out.extend(blanks);
        out.extend_from_slice(&kept);
    }
}

/// A number is a code point, a string gives its first character.
fn character(out: &mut Vec<u8>, layout: Layout, value: &Value, convfmt: &[u8]) {
    let number = match value {
        Value::Number(number) => Some(*number),
        Value::Input(_) => value.comparable_number(),
        _ => None,
    };
    let layout = Layout {
        precision: None,
        ..layout
    };
    if let Some(number) = number {
        let code = number as i64 as u32;
        let mut text = Vec::new();
        match char::from_u32(code) {
            Some(character) => utf8::push_char(&mut text, character),
            None => text.push(code as u8),
        }
        return string(out, layout, &text);
    }
    let text = value.text(convfmt);
    if text.is_empty() {
        // The character at the start of an empty string is its end.
        return string(out, layout, &[0]);
    }
    let length = bstr::decode_utf8(&text).1;
    string(out, layout, text.get(..length).unwrap_or_default());
}

fn special(layout: Layout, number: f64) -> Option<Vec<u8>> {
    (!number.is_finite()).then(|| layout.pad(infinite(number).to_vec()))
}

fn integer(layout: Layout, number: f64) -> Vec<u8> {
    if let Some(text) = special(layout, number) {
        return text;
    }
    if number.abs() < 1e37 {
        return layout.signed(number as i128);
    }
    Layout {
        precision: Some(0),
        ..layout
    }
    .double(number.trunc(), b'f')
}

fn unsigned(layout: Layout, letter: u8, number: f64) -> Vec<u8> {
    if let Some(text) = special(layout, number) {
        return text;
    }
    let whole = number.trunc();
    let radix = match letter {
        b'o' => Radix::Octal,
        b'x' => Radix::Hex,
        b'X' => Radix::UpperHex,
        _ => Radix::Decimal,
    };
    if (0.0..18_446_744_073_709_551_616.0).contains(&whole) {
        return layout.unsigned(whole as u64, radix);
    }
    if (-9_223_372_036_854_775_808.0..0.0).contains(&whole) {
        return layout.unsigned(whole as i64 as u64, radix);
    }
    if letter == b'u' {
        return integer(layout, number);
    }
    layout.double(number, b'g')
}

fn float(layout: Layout, letter: u8, number: f64) -> Vec<u8> {
    special(layout, number).unwrap_or_else(|| layout.double(number, letter))
}
