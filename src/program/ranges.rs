//! Lists of positions, `1,3-5,7-`, as `cut` and `numfmt` take them.
//!
//! Ranges that overlap are joined, ranges that only touch are not: `cut --output-delimiter` shows the difference.

use crate::args::quote;

/// What the numbers of a list count; the messages say so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counted {
    /// Fields.
    Fields,
    /// Bytes or characters.
    Positions,
}

impl Counted {
    fn choose(self, fields: &'static str, positions: &'static str) -> &'static str {
        match self {
            Counted::Fields => fields,
            Counted::Positions => positions,
        }
    }
}

/// From the first number to the last, both included, counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Range {
    /// At least 1.
    pub first: u64,
    /// `u64::MAX`: to the end.
    pub last: u64,
}

/// A part of a list while it is read.
#[derive(Default)]
struct Part {
    dash: bool,
    left: bool,
    right: bool,
    first: u64,
    value: u64,
}

/// Reads a list; the error is a message for a usage error. `lone_dash`: `-` means everything (`numfmt`).
pub fn parse(list: &[u8], counted: Counted, lone_dash: bool) -> Result<Vec<Range>, Vec<u8>> {
    let mut ranges = Vec::new();
    let mut part = Part::default();
    let mut digits_start = None;
    let mut rest = list;
    if lone_dash && list == b"-" {
        return Ok(vec![Range {
            first: 1,
            last: u64::MAX,
        }]);
    }
    let from_one = counted.choose(
        "fields are numbered from 1",
        "byte/character positions are numbered from 1",
    );
    loop {
        match rest.first() {
            Some(b'-') => {
                digits_start = None;
                if part.dash {
                    let text = counted.choose("invalid field range", "invalid byte or character range");
                    return Err(text.into());
                }
                if part.left && part.value == 0 {
                    return Err(from_one.into());
                }
                part.dash = true;
                part.first = if part.left { part.value } else { 1 };
                part.value = 0;
            }
            None | Some(b',' | b' ' | b'\t') => {
                digits_start = None;
                ranges.push(part.range(from_one, lone_dash)?);
                if rest.is_empty() {
                    return Ok(joined(ranges));
                }
                part = Part::default();
            }
            Some(digit @ b'0'..=b'9') => {
                let start = *digits_start.get_or_insert(rest);
                if part.dash {
                    part.right = true;
                } else {
                    part.left = true;
                }
                let value = part
                    .value
                    .checked_mul(10)
                    .and_then(|v| v.checked_add(u64::from(digit - b'0')));
                part.value = value
                    .filter(|value| *value != u64::MAX)
                    .ok_or_else(|| too_large(start, counted))?;
            }
            Some(_) => {
                let text = counted.choose("invalid field value ", "invalid byte/character position ");
                return Err([text.as_bytes(), &quote(rest)].concat());
            }
        }
        rest = rest.get(1..).unwrap_or_default();
    }
}

fn too_large(start: &[u8], counted: Counted) -> Vec<u8> {
    let length = start.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let number = quote(start.get(..length).unwrap_or_default());
    let text = counted.choose("field number ", "byte/character offset ");
    [text.as_bytes(), &number, b" is too large"].concat()
}

impl Part {
    fn range(&self, from_one: &str, lone_dash: bool) -> Result<Range, Vec<u8>> {
        if !self.dash {
            return if self.value == 0 {
                Err(from_one.into())
            } else {
                Ok(Range {
                    first: self.value,
                    last: self.value,
                })
            };
        }
        if !self.left && !self.right && !lone_dash {
            return Err("invalid range with no endpoint: -".into());
        }
        if !self.right {
            return Ok(Range {
                first: self.first,
                last: u64::MAX,
            });
        }
        if self.value < self.first {
            return Err("invalid decreasing range".into());
        }
        Ok(Range {
            first: self.first,
            last: self.value,
        })
    }
}

/// In order, overlapping ones joined.
fn joined(mut ranges: Vec<Range>) -> Vec<Range> {
    ranges.sort_by_key(|range| range.first);
    let mut result: Vec<Range> = Vec::with_capacity(ranges.len());
    for range in ranges {
        match result.last_mut() {
            Some(before) if range.first <= before.last => before.last = before.last.max(range.last),
            _ => result.push(range),
        }
    }
    result
}

/// Everything that is in none of the ranges.
pub fn complement(ranges: &[Range]) -> Vec<Range> {
    let mut result = Vec::new();
    let mut next = 1;
    for range in ranges {
        if next < range.first {
            result.push(Range {
                first: next,
                last: range.first - 1,
            });
        }
        next = range.last.saturating_add(1);
    }
    if next < u64::MAX {
        result.push(Range {
            first: next,
            last: u64::MAX,
        });
    }
    result
}
