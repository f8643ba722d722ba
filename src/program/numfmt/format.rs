//! `--format`: what stands around a number, its width and its digits.

use crate::args::{UsageError, quote};
use crate::program::message::message;

/// Digits behind the point that are written.
const MOST_DIGITS: usize = 1000;

/// A format.
#[derive(Debug, Default)]
pub struct Format {
    pub before: Vec<u8>,
    pub after: Vec<u8>,
    /// At least so many characters; negative: to the left. 0: as many as there are.
    pub width: i64,
    /// Zeros fill the width.
    pub zeros: bool,
    pub precision: Option<usize>,
}

/// Where the next directive is, `%%` being none, and how many characters GNU's counts up to there: one for a `%%`.
fn directive(text: &[u8]) -> (usize, usize) {
    let (mut at, mut count) = (0, 0);
    while let Some(byte) = text.get(at) {
        if *byte == b'%' {
            if text.get(at + 1) != Some(&b'%') {
                break;
            }
            at += 1;
        }
        at += 1;
        count += 1;
    }
    (at, count)
}

fn digits(text: &[u8]) -> (usize, &[u8]) {
    let length = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (digits, rest) = text.split_at(length);
    let value = std::str::from_utf8(digits)
        .ok()
        .and_then(|text| text.parse().ok());
    (value.unwrap_or(0), rest)
}

impl Format {
    /// Reads `TEXT%[0]['][-][WIDTH][.DIGITS]fTEXT`.
    pub fn parse(text: &[u8]) -> Result<Format, UsageError> {
        let plain = |message: Vec<u8>| UsageError::plain(1, message);
        let (at, count) = directive(text);
        let before = text.get(..count).unwrap_or_default().to_vec();
        let Some(mut rest) = text.get(at + 1..).filter(|_| at < text.len()) else {
            return Err(plain(message!("format ", quote(text), " has no % directive")));
        };
        let mut zeros = false;
        loop {
            match rest {
                [b' ' | b'\'', more @ ..] => rest = more,
                [b'0', more @ ..] => {
                    zeros = true;
                    rest = more;
                }
                _ => break,
            }
        }
        let left = rest.first() == Some(&b'-');
        let (width, mut rest) = digits(rest.strip_prefix(b"-").unwrap_or(rest));
        let mut precision = None;
        if let Some(more) = rest.strip_prefix(b".") {
            let (value, more) = digits(more);
            if value > MOST_DIGITS {
                return Err(plain(message!("invalid precision in format ", quote(text))));
            }
            precision = Some(value);
            rest = more;
        }
        if rest.is_empty() {
            return Err(plain(message!("format ", quote(text), " ends in %")));
        }
        let Some(rest) = rest.strip_prefix(b"f") else {
            return Err(plain(message!(
                "invalid format ",
                quote(text),
                ", directive must be %[0]['][-][N][.][N]f"
            )));
        };
        if directive(rest).0 < rest.len() {
            return Err(plain(message!(
                "format ",
                quote(text),
                " has too many % directives"
            )));
        }
        let width = width.min(1_000_000) as i64;
        Ok(Format {
            before,
            after: rest.to_vec(),
            width: if left { -width } else { width },
            zeros: zeros && !left,
            precision,
        })
    }

    /// The digits with zeros before them, up to the width.
    pub fn with_zeros(&self, digits: Vec<u8>) -> Vec<u8> {
        let missing = usize::try_from(self.width)
            .unwrap_or(0)
            .saturating_sub(digits.len());
        if !self.zeros || missing == 0 {
            return digits;
        }
        let signs = usize::from(digits.starts_with(b"-"));
        let (sign, rest) = digits.split_at(signs);
        [sign, &vec![b'0'; missing], rest].concat()
    }

    /// The number with what belongs around it; `width` of its field.
    pub fn apply(&self, number: &[u8], width: i64) -> Vec<u8> {
        let missing = usize::try_from(width.abs())
            .unwrap_or(0)
            .saturating_sub(number.len());
        let blanks = vec![b' '; missing];
        let parts: [&[u8]; 2] = if width < 0 {
            [number, &blanks]
        } else {
            [&blanks, number]
        };
        [&self.before, &*parts.concat(), &self.after].concat()
    }
}
