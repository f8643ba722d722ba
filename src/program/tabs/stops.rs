//! Lists of tab stops: `8`, `4,12`, `4,+6`, `4,/8`.

use crate::args::{UsageError, quote};
use crate::program::message::message;

/// Where tabs stop.
#[derive(Debug, Clone, Default)]
pub struct Stops {
    /// Columns, ascending.
    list: Vec<u64>,
    /// Then at multiples of this.
    multiples: u64,
    /// Then this far apart.
    increment: u64,
    /// Everywhere at multiples of this; 0: by the list.
    size: u64,
}

/// What may stand before a number.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Specifier {
    None,
    Multiples,
    Increment,
}

impl Stops {
    /// Takes a list in. The errors are messages, to be printed in turn before the program ends.
    pub fn add(&mut self, text: &[u8]) -> Result<(), Vec<Vec<u8>>> {
        let mut messages = Vec::new();
        let mut number: Option<(u64, &[u8])> = None;
        let mut specifier = Specifier::None;
        let mut rest = text;
        while let Some((byte, behind)) = rest.split_first() {
            match byte {
                b',' | b' ' | b'\t' => {
                    if let Some((value, _)) = number.take()
                        && let Err(message) = self.add_one(value, specifier)
                    {
                        messages.push(message);
                        return Err(messages);
                    }
                }
                b'/' | b'+' => {
                    if number.is_some() {
                        let sign = char::from(*byte).to_string();
                        messages.push(message!(
                            "'",
                            sign,
                            "' specifier not at start of number: ",
                            quote(rest)
                        ));
                    }
                    specifier = if *byte == b'/' {
                        Specifier::Multiples
                    } else {
                        Specifier::Increment
                    };
                }
                b'0'..=b'9' => {
                    let (value, start) = number.unwrap_or((0, rest));
                    let next = value
                        .checked_mul(10)
                        .and_then(|value| value.checked_add(u64::from(byte - b'0')));
                    let Some(next) = next else {
                        let length = start.iter().take_while(|byte| byte.is_ascii_digit()).count();
                        let (digits, behind) = start.split_at_checked(length).unwrap_or_default();
                        messages.push(message!("tab stop is too large ", quote(digits)));
                        rest = behind;
                        continue;
                    };
                    number = Some((next, start));
                }
                _ => {
                    messages.push(message!("tab size contains invalid character(s): ", quote(rest)));
                    break;
                }
            }
            rest = behind;
        }
        if let (Some((value, _)), true) = (number, messages.is_empty())
            && let Err(message) = self.add_one(value, specifier)
        {
            messages.push(message);
        }
        if messages.is_empty() {
            Ok(())
        } else {
            Err(messages)
        }
    }

    fn add_one(&mut self, value: u64, specifier: Specifier) -> Result<(), Vec<u8>> {
        let (slot, sign) = match specifier {
            Specifier::None => {
                self.list.push(value);
                return Ok(());
            }
            Specifier::Multiples => (&mut self.multiples, "/"),
            Specifier::Increment => (&mut self.increment, "+"),
        };
        if *slot != 0 {
            return Err(message!(
                "'",
                sign,
                "' specifier only allowed with the last value"
            ));
        }
        *slot = value;
        Ok(())
    }

    /// Takes one stop in.
    pub fn add_stop(&mut self, column: u64) {
        self.list.push(column);
    }

    /// Checks the whole list.
    pub fn finish(mut self) -> Result<Stops, UsageError> {
        let complain = |message: &str| Err(UsageError::plain(1, message));
        let mut before = 0;
        for stop in &self.list {
            if *stop == 0 {
                return complain("tab size cannot be 0");
            }
            if *stop <= before {
                return complain("tab sizes must be ascending");
            }
            before = *stop;
        }
        if self.increment != 0 && self.multiples != 0 {
            return complain("'/' specifier is mutually exclusive with '+'");
        }
        self.size = match self.list.as_slice() {
            [] if self.multiples != 0 => self.multiples,
            [] if self.increment != 0 => self.increment,
            [] => 8,
            [one] if self.multiples == 0 && self.increment == 0 => *one,
            _ => 0,
        };
        Ok(self)
    }

    /// The stop behind `column`, beginning with stop number `index`; `None` behind the last. `Err`: it cannot be counted.
    pub fn next(&self, column: u64, index: &mut usize) -> Result<Option<u64>, ()> {
        let behind = |size: u64, offset: u64| column.checked_add(size - offset % size).map(Some).ok_or(());
        if self.size != 0 {
            return behind(self.size, column);
        }
        while let Some(stop) = self.list.get(*index) {
            if column < *stop {
                return Ok(Some(*stop));
            }
            *index += 1;
        }
        if self.multiples != 0 {
            return behind(self.multiples, column);
        }
        match self.list.last() {
            Some(last) if self.increment != 0 => behind(self.increment, column - last),
            _ => Ok(None),
        }
    }
}
