//! Reading a program: numbers, strings in brackets, commands.

use num_bigint::BigInt;

use crate::program::decimal::Number;
use crate::program::decimal::base::digit_value;

/// A text that runs, and where in it.
#[derive(Debug)]
pub struct Frame {
    pub text: std::sync::Arc<[u8]>,
    pub at: usize,
    /// Macros that end with it: itself, and those in whose place it came.
    pub levels: u64,
    /// More of it may come.
    pub more: bool,
}

impl Frame {
    pub fn next(&mut self) -> Option<u8> {
        let byte = self.text.get(self.at).copied()?;
        self.at += 1;
        Some(byte)
    }

    pub fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn rest(&self) -> &[u8] {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Nothing but blanks is left.
    pub fn is_over(&self) -> bool {
        self.rest().iter().all(u8::is_ascii_whitespace)
    }

    /// Passes the rest of a line: the text without its newline.
    pub fn line(&mut self) -> Vec<u8> {
        let rest = self.rest();
        let end = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        let line = rest.get(..end).unwrap_or_default().to_vec();
        self.at += (end + 1).min(rest.len());
        line
    }

    /// A string whose bracket was read; `None` when it does not end, and nothing is passed then.
    pub fn string(&mut self) -> Option<Vec<u8>> {
        let mut depth = 1;
        for (index, byte) in self.rest().iter().enumerate() {
            match byte {
                b'[' => depth += 1,
                b']' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                let text = self.rest().get(..index).unwrap_or_default().to_vec();
                self.at += index + 1;
                return Some(text);
            }
        }
        None
    }

    /// The digits of a number, the first of which comes next.
    pub fn digits(&mut self) -> Vec<u8> {
        let mut text = Vec::new();
        while let Some(byte) = self.peek() {
            let digit = matches!(byte, b'0'..=b'9' | b'A'..=b'F');
            if !digit && (byte != b'.' || text.contains(&b'.')) {
                break;
            }
            text.push(byte);
            self.at += 1;
        }
        text
    }
}

/// A number in a base, in which every digit counts for itself.
pub fn number(text: &[u8], base: u32) -> Number {
    let plain = text.iter().all(|byte| byte.is_ascii_digit() || *byte == b'.');
    if base == 10 && plain && text.iter().any(u8::is_ascii_digit) {
        return Number::decimal(text);
    }
    let mut parts = text.splitn(2, |byte| *byte == b'.');
    let digits = |part: &[u8]| {
        part.iter().fold(BigInt::from(0), |sum, digit| {
            sum * base + digit_value(*digit).unwrap_or(0)
        })
    };
    let whole = Number::whole(digits(parts.next().unwrap_or_default()));
    let Some(fraction) = parts.next().filter(|fraction| !fraction.is_empty()) else {
        return whole;
    };
    let weight = BigInt::from(base).pow(u32::try_from(fraction.len()).unwrap_or(u32::MAX));
    let fraction = Number::whole(digits(fraction)).divide(&Number::whole(weight), fraction.len());
    fraction.map_or(whole.clone(), |fraction| whole.add(&fraction))
}
