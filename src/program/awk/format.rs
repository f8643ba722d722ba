//! awk's `printf`.

use std::borrow::Cow;

use super::number::{infinite, push};
use super::value::Value;
use crate::text::format::{Directive, Layout, Radix, leading_number};
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
        by_position: false,
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
    /// A directive named its argument: all must.
    by_position: bool,
    text: &'a [u8],
    convfmt: &'a [u8],
    limit: usize,
}

/// What stands between `%` and the letter.
struct Head {
    /// `2$` names the argument.
    position: Option<usize>,
    directive: Directive,
    stars: Vec<Star>,
    /// Where the letter is.
    end: usize,
}

/// A `*`, perhaps with the argument that it names, and where it ends.
struct Star {
    position: Option<usize>,
    at: usize,
}

fn mixed() -> FormatError {
    wrong("must use `count$' on all formats or none")
}

fn wrong(sentence: impl AsRef<[u8]>) -> FormatError {
    FormatError::Fatal(sentence.as_ref().to_vec())
}

impl<'a> Run<'a> {
    /// The next argument for what ends at a column, or the one that is named.
    fn value(&mut self, position: Option<usize>, column: usize) -> Result<&'a Value, FormatError> {
        let index = match position {
            Some(_) if self.next > 0 => return Err(mixed()),
            Some(number) => number - 1,
            None if self.by_position => return Err(mixed()),
            None => {
                self.next += 1;
                self.next - 1
            }
        };
        self.values.get(index).ok_or_else(|| self.ran_out(column))
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

    /// Reads what follows the `%` at `start` up to the letter.
    fn head(&mut self, start: usize) -> Result<Head, FormatError> {
        let mut head = Head {
            position: None,
            directive: Directive::default(),
            stars: Vec::new(),
            end: start + 1,
        };
        // The directive without the names of arguments.
        let mut plain = Vec::new();
        while let Some(byte) = self.text.get(head.end) {
            match byte {
                b'0'..=b'9' => self.digits(&mut head, &mut plain)?,
                b'*' => self.star(&mut head, &mut plain)?,
                // A negative precision is none.
                b'-' if plain.contains(&b'.') => {
                    plain.retain(|byte| *byte != b'.');
                    head.end += 1;
                    head.end += leading_number(self.text.get(head.end..).unwrap_or_default()).1;
                }
                b'-' | b'+' | b' ' | b'#' | b'\'' | b'.' => {
                    plain.push(*byte);
                    head.end += 1;
                }
                _ => break,
            }
        }
        let (directive, length) = Directive::parse(&plain);
        head.directive = directive;
        // What Directive leaves is no directive: it is shown from there on.
        head.end -= plain.len() - length;
        Ok(head)
    }

    /// A width, a precision, or the argument's number.
    fn digits(&mut self, head: &mut Head, plain: &mut Vec<u8>) -> Result<(), FormatError> {
        let rest = self.text.get(head.end..).unwrap_or_default();
        let (number, length) = leading_number(rest);
        head.end += length;
        if rest.get(length) != Some(&b'$') {
            plain.extend_from_slice(rest.get(..length).unwrap_or_default());
            return Ok(());
        }
        head.end += 1;
        if plain.contains(&b'.') {
            return Err(wrong("`$' not permitted after period in format"));
        }
        if number == 0 {
            return Err(wrong("argument index with `$' must be > 0"));
        }
        if number > self.values.len() {
            return Err(wrong(format!(
                "argument index {number} greater than total number of supplied arguments"
            )));
        }
        self.by_position = true;
        head.position = Some(number);
        Ok(())
    }

    fn star(&mut self, head: &mut Head, plain: &mut Vec<u8>) -> Result<(), FormatError> {
        plain.push(b'*');
        let rest = self.text.get(head.end + 1..).unwrap_or_default();
        let (number, length) = leading_number(rest);
        let mut position = None;
        if length > 0 {
            if rest.get(length) != Some(&b'$') {
                return Err(wrong("no `$' supplied for positional field width or precision"));
            }
            head.end += length + 1;
            if !(1..=self.values.len()).contains(&number) {
                return Err(self.ran_out(head.end));
            }
            position = Some(number);
        } else if self.by_position {
            return Err(wrong("fatal: must use `count$' on all formats or none"));
        }
        head.stars.push(Star {
            position,
            at: head.end,
        });
        head.end += 1;
        Ok(())
    }

    /// The directive that starts at `start`: where it ends.
    fn directive(&mut self, out: &mut Vec<u8>, start: usize) -> Result<usize, FormatError> {
        let head = self.head(start)?;
        let rest = self.text.get(head.end..).unwrap_or_default();
        let modifiers = usize::from(rest.first().is_some_and(|byte| b"hlLjztP".contains(byte)));
        let as_c = rest.first() == Some(&b'P');
        let end = head.end + modifiers;
        let Some(&letter) = self.text.get(end) else {
            out.extend_from_slice(self.text.get(start..).unwrap_or_default());
            return Ok(self.text.len());
        };
        if letter == b'%' {
            out.push(b'%');
            return Ok(end + 1);
        }
        if !b"diouxXeEfFgGaAcs".contains(&letter) {
            out.extend_from_slice(self.text.get(start..=end).unwrap_or_default());
            return Ok(end + 1);
        }
        let layout = self.layout(&head)?;
        if layout.exceeds(self.limit) {
            return Err(FormatError::TooLarge);
        }
        let value = self.value(head.position, end)?;
        self.convert(out, layout, letter, value, as_c);
        Ok(end + 1)
    }

    fn layout(&mut self, head: &Head) -> Result<Layout, FormatError> {
        let mut numbers = Vec::new();
        for star in &head.stars {
            let value = match star.position {
                Some(number) => self.values.get(number - 1),
                None => Some(self.value(None, star.at)?),
            };
            numbers.push(value.map_or(0, |value| value.number() as i64));
        }
        let mut numbers = numbers.into_iter();
        Ok(head.directive.resolve(|| numbers.next().unwrap_or(0)))
    }

    /// `as_c` is gawk's own `P`: what is no number is printed as C does.
    fn convert(&self, out: &mut Vec<u8>, layout: Layout, letter: u8, value: &Value, as_c: bool) {
        match letter {
            b's' => {
                let text = value.text(self.convfmt);
                return string(out, layout, &text);
            }
            b'c' => return character(out, layout, value, self.convfmt),
            _ => {}
        }
        let number = value.number();
        if !number.is_finite() {
            // Neither width nor sign apply to what is no number.
            let mut text = infinite(number).to_vec();
            if letter.is_ascii_uppercase() {
                text.make_ascii_uppercase();
            }
            if as_c {
                let text = text.strip_prefix(b"+").unwrap_or(&text);
                out.extend_from_slice(&layout.pad(text.to_vec()));
            } else {
                out.extend_from_slice(&text);
            }
            return;
        }
        match letter {
            b'd' | b'i' => out.extend_from_slice(&integer(layout, number)),
            b'o' | b'u' | b'x' | b'X' => out.extend_from_slice(&unsigned(layout, letter, number)),
            _ => out.extend_from_slice(&layout.double(number, letter)),
        }
    }
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
            // The library encodes beyond what Unicode has.
            None if (0x11_0000..0x20_0000).contains(&code) => {
                text.push(0xf0 | (code >> 18) as u8);
                text.extend([12, 6, 0].map(|shift| 0x80 | (code >> shift & 0x3f) as u8));
            }
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

fn integer(layout: Layout, number: f64) -> Vec<u8> {
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
