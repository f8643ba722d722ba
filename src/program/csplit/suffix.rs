//! The ends of the names of pieces: `-b`'s format, which is C's with one conversion of an integer, or digits.

use crate::args::UsageError;
use crate::text::format::{Directive, Flags, Layout, Radix};

/// The number that widths are checked with: no name needs more.
const MOST_WIDTH: usize = 1 << 16;

/// Makes the ends of names.
#[derive(Debug, Clone)]
pub struct Suffix {
    before: Vec<u8>,
    layout: Layout,
    /// None: signed decimal.
    radix: Option<Radix>,
    after: Vec<u8>,
}

fn refused(sentence: impl Into<Vec<u8>>) -> UsageError {
    UsageError::plain(1, sentence)
}

impl Suffix {
    /// So many digits at least.
    pub fn digits(count: usize) -> Suffix {
        Suffix {
            before: Vec::new(),
            layout: Layout {
                flags: Flags {
                    zero: true,
                    ..Flags::default()
                },
                width: count,
                precision: None,
            },
            radix: None,
            after: Vec::new(),
        }
    }

    /// Reads a format.
    pub fn parse(format: &[u8]) -> Result<Suffix, UsageError> {
        let mut found: Option<Suffix> = None;
        let mut text = Vec::new();
        let mut rest = format;
        while let Some((byte, behind)) = rest.split_first() {
            rest = behind;
            if *byte != b'%' {
                text.push(*byte);
                continue;
            }
            if let Some(behind) = rest.strip_prefix(b"%") {
                text.push(b'%');
                rest = behind;
                continue;
            }
            if found.is_some() {
                return Err(refused("too many % conversion specifications in suffix"));
            }
            let (directive, length) = directive(rest);
            let letter = rest.get(length).copied();
            found = Some(Suffix {
                before: std::mem::take(&mut text),
                layout: directive.resolve(|| 0),
                radix: conversion(letter, directive.flags)?,
                after: Vec::new(),
            });
            rest = rest.get(length + 1..).unwrap_or_default();
        }
        match found {
            Some(suffix) => Ok(Suffix {
                after: text,
                ..suffix
            }),
            None => Err(refused("missing % conversion specification in suffix")),
        }
    }

    /// Bytes that every name takes, where that is more than any needs.
    pub fn is_too_wide(&self) -> bool {
        self.layout.exceeds(MOST_WIDTH)
    }

    /// The end of the name of a piece.
    pub fn of(&self, number: u64) -> Vec<u8> {
        let digits = match self.radix {
            None => self.layout.signed(i128::from(number)),
            Some(radix) => self.layout.unsigned(number, radix),
        };
        [self.before.as_slice(), &digits, &self.after].concat()
    }
}

/// Flags, width and precision, and how long they are: of the flags only `-`, `0`, `#` and `'`.
fn directive(text: &[u8]) -> (Directive, usize) {
    let is_part = |byte: &u8| byte.is_ascii_digit() || b"-0#'.".contains(byte);
    let length = text.iter().take_while(|byte| is_part(byte)).count();
    Directive::parse(text.get(..length).unwrap_or_default())
}

fn conversion(letter: Option<u8>, flags: Flags) -> Result<Option<Radix>, UsageError> {
    let Some(letter) = letter else {
        return Err(refused("missing conversion specifier in suffix"));
    };
    let radix = match letter {
        b'd' | b'i' | b'u' => None,
        b'o' => Some(Radix::Octal),
        b'x' => Some(Radix::Hex),
        b'X' => Some(Radix::UpperHex),
        _ => {
            let shown = match letter {
                b' '..=b'~' => vec![letter],
                _ => format!("\\{letter:03o}").into_bytes(),
            };
            let sentence = b"invalid conversion specifier in suffix: ".as_slice();
            return Err(refused([sentence, &shown].concat()));
        }
    };
    let wrong = match radix {
        None if flags.alternate => Some(b'#'),
        Some(_) if flags.group => Some(b'\''),
        _ => None,
    };
    match wrong {
        None => Ok(radix),
        Some(flag) => {
            let sentence = b"invalid flags in conversion specification: %".as_slice();
            Err(refused([sentence, &[flag, letter]].concat()))
        }
    }
}
