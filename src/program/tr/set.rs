//! The sets of `tr`: `a-z`, `[:alpha:]`, `[=c=]`, `[x*n]`, escapes.
//!
//! A set is an ordered list of elements that is walked character by character ([`Walk`]), never spelled out: a repeat count may be
//! as large as 2⁶⁴. Sets are sets of bytes, as in GNU tr.

use crate::args::quote;
use crate::text::class::Class;
use crate::text::escape;

/// An element of a set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Element {
    /// A byte.
    Byte(u8),
    /// From the first to the last, both included.
    Range(u8, u8),
    /// `[:name:]`
    Class(Class),
    /// `[=c=]`: in this locale the byte itself.
    Equivalent(u8),
    /// `[x*n]`; a count of 0 stands for as many as are needed.
    Repeat(u8, u64),
}

/// The bytes of a class, in order.
fn bytes_of(class: Class) -> impl Iterator<Item = u8> {
    (0..=255).filter(move |byte| class.contains_byte(*byte))
}

/// More than this cannot be counted (gnulib's `UINTMAX_MAX - 1`).
const MOST: u64 = u64::MAX - 1;

/// The last byte of a set was a lone backslash: worth a warning.
pub type Warnings = Vec<Vec<u8>>;

/// A string after its escapes: the bytes, and whether each was written with a backslash.
struct Unescaped {
    bytes: Vec<(u8, bool)>,
}

impl Unescaped {
    fn parse(text: &[u8], warnings: &mut Warnings) -> Unescaped {
        let mut bytes = Vec::with_capacity(text.len());
        let mut rest = text;
        while let Some((byte, behind)) = rest.split_first() {
            rest = behind;
            if *byte != b'\\' {
                bytes.push((*byte, false));
                continue;
            }
            let Some((&letter, behind)) = rest.split_first() else {
                warnings.push(b"warning: an unescaped backslash at end of string is not portable".to_vec());
                // It stands for itself, and for the escape of nothing.
                bytes.push((b'\\', false));
                break;
            };
            rest = behind;
            let value = match letter {
                b'0'..=b'7' => {
                    let (value, used) = octal(letter, rest, warnings);
                    rest = rest.get(used..).unwrap_or_default();
                    value
                }
                letter => escape::letter(letter).unwrap_or(letter),
            };
            bytes.push((value, true));
        }
        Unescaped { bytes }
    }

    fn byte(&self, at: usize) -> u8 {
        self.bytes.get(at).map_or(0, |(byte, _)| *byte)
    }

    /// The byte at `at` is this one, not escaped.
    fn is(&self, at: usize, byte: u8) -> bool {
        self.bytes.get(at) == Some(&(byte, false))
    }

    fn text(&self, from: usize, to: usize) -> Vec<u8> {
        self.bytes
            .get(from..to)
            .unwrap_or_default()
            .iter()
            .map(|(byte, _)| *byte)
            .collect()
    }

    /// Where `:]` or `=]` stands.
    fn closing(&self, start: usize, mark: u8) -> Option<usize> {
        (start..self.bytes.len().saturating_sub(1)).find(|at| self.is(*at, mark) && self.is(at + 1, b']'))
    }

    /// `*`, digits and `]` stand at `at`.
    fn is_repeat_end(&self, at: usize) -> bool {
        let digits = self
            .bytes
            .iter()
            .skip(at + 1)
            .take_while(|(byte, _)| byte.is_ascii_digit())
            .count();
        self.is(at, b'*') && self.is(at + 1 + digits, b']')
    }
}

/// Up to two more octal digits; how many were used.
fn octal(first: u8, rest: &[u8], warnings: &mut Warnings) -> (u8, usize) {
    let mut value = u32::from(first - b'0');
    let mut used = 0;
    for digit in rest
        .iter()
        .take(2)
        .take_while(|byte| (b'0'..=b'7').contains(byte))
    {
        let next = value * 8 + u32::from(digit - b'0');
        if next > 255 {
            let second = rest.first().copied().unwrap_or_default();
            let (a, b, c) = (char::from(first), char::from(second), char::from(*digit));
            let text = format!(
                "warning: the ambiguous octal escape \\{a}{b}{c} is being\n\
                 \tinterpreted as the 2-byte sequence \\0{a}{b}, {c}"
            );
            warnings.push(text.into_bytes());
            break;
        }
        value = next;
        used += 1;
    }
    (value as u8, used)
}

/// As messages show bytes.
fn printable(bytes: &[u8]) -> Vec<u8> {
    let mut text = Vec::new();
    for byte in bytes {
        escape::push_visible(&mut text, *byte);
    }
    text
}

/// As messages show one byte of a range.
fn printable_byte(byte: u8) -> Vec<u8> {
    match byte {
        b' '..=b'~' => vec![byte],
        _ => format!("\\{byte:03o}").into_bytes(),
    }
}

/// A set.
#[derive(Debug, Clone)]
pub struct Set {
    /// In the order in which they were written.
    pub elements: Vec<Element>,
}

impl Set {
    /// Reads a set; the error is a message.
    pub fn parse(text: &[u8], warnings: &mut Warnings) -> Result<Set, Vec<u8>> {
        let text = Unescaped::parse(text, warnings);
        let mut elements = Vec::new();
        let mut at = 0;
        // Every construct of more than one byte has at least three.
        while at + 2 < text.bytes.len() {
            if text.is(at, b'[')
                && let Some((element, next)) = bracketed(&text, at)?
            {
                elements.push(element);
                at = next;
            } else if text.is(at + 1, b'-') {
                let (first, last) = (text.byte(at), text.byte(at + 2));
                if first > last {
                    let message = [
                        b"range-endpoints of '",
                        &*printable_byte(first),
                        b"-",
                        &printable_byte(last),
                        b"' are in reverse collating sequence order",
                    ];
                    return Err(message.concat());
                }
                elements.push(Element::Range(first, last));
                at += 3;
            } else {
                elements.push(Element::Byte(text.byte(at)));
                at += 1;
            }
        }
        elements.extend(text.bytes.iter().skip(at).map(|(byte, _)| Element::Byte(*byte)));
        Ok(Set { elements })
    }

    /// The bytes that are in it.
    pub fn members(&self) -> [bool; 256] {
        let mut members = [false; 256];
        let mut add = |byte: u8| {
            if let Some(member) = members.get_mut(usize::from(byte)) {
                *member = true;
            }
        };
        for element in &self.elements {
            match *element {
                Element::Byte(byte) | Element::Equivalent(byte) => add(byte),
                Element::Range(first, last) => (first..=last).for_each(&mut add),
                Element::Class(class) => bytes_of(class).for_each(&mut add),
                Element::Repeat(_, 0) => {}
                Element::Repeat(byte, _) => add(byte),
            }
        }
        members
    }

    /// How many characters it stands for, repeats without a count as none.
    pub fn length(&self) -> Result<u64, &'static str> {
        let mut length = 0_u64;
        for element in &self.elements {
            let more = match *element {
                Element::Byte(_) | Element::Equivalent(_) => 1,
                Element::Range(first, last) => u64::from(last - first) + 1,
                Element::Class(class) => bytes_of(class).count() as u64,
                Element::Repeat(_, count) => count,
            };
            length = length
                .checked_add(more)
                .filter(|length| *length <= MOST)
                .ok_or("too many characters in set")?;
        }
        Ok(length)
    }

    /// How many repeats have no count.
    pub fn open_repeats(&self) -> usize {
        self.elements
            .iter()
            .filter(|element| matches!(element, Element::Repeat(_, 0)))
            .count()
    }

    /// Its first character, when it has one.
    pub fn walk(&self) -> Walk<'_> {
        Walk {
            set: self,
            index: 0,
            done: 0,
        }
    }
}

/// What stands in brackets at `at`, and where it ends; `None` when the bracket stands for itself.
fn bracketed(text: &Unescaped, at: usize) -> Result<Option<(Element, usize)>, Vec<u8>> {
    for mark in [b':', b'='] {
        if !text.is(at + 1, mark) {
            continue;
        }
        let Some(close) = text.closing(at + 2, mark) else {
            continue;
        };
        let name = text.text(at + 2, close);
        if name.is_empty() {
            let message = match mark {
                b':' => "missing character class name '[::]'",
                _ => "missing equivalence class character '[==]'",
            };
            return Err(message.into());
        }
        let element = match (mark, name.as_slice()) {
            (b':', name) => Class::from_posix_name(name).map(Element::Class),
            (_, [byte]) => Some(Element::Equivalent(*byte)),
            _ => None,
        };
        if let Some(element) = element {
            return Ok(Some((element, close + 2)));
        }
        if !text.is_repeat_end(at + 2) {
            let name = printable(&name);
            return Err(match mark {
                b':' => [b"invalid character class ", quote(&name).as_slice()].concat(),
                _ => [
                    &name,
                    b": equivalence class operand must be a single character".as_slice(),
                ]
                .concat(),
            });
        }
    }
    repeat(text, at + 1)
}

/// `x*n]`
fn repeat(text: &Unescaped, at: usize) -> Result<Option<(Element, usize)>, Vec<u8>> {
    if !text.is(at + 1, b'*') {
        return Ok(None);
    }
    let start = at + 2;
    let length = text
        .bytes
        .iter()
        .skip(start)
        .take_while(|(byte, escaped)| !escaped && *byte != b']')
        .count();
    if !text.is(start + length, b']') {
        return Ok(None);
    }
    let digits = text.text(start, start + length);
    let count = count(&digits).ok_or_else(|| {
        [
            b"invalid repeat count ",
            quote(&printable(&digits)).as_slice(),
            b" in [c*n] construct",
        ]
        .concat()
    })?;
    Ok(Some((Element::Repeat(text.byte(at), count), start + length + 1)))
}

/// Octal when it starts with 0.
fn count(digits: &[u8]) -> Option<u64> {
    if digits.is_empty() {
        return Some(0);
    }
    let radix = if digits.starts_with(b"0") { 8 } else { 10 };
    let text = std::str::from_utf8(digits)
        .ok()?
        .trim_start_matches([' ', '\t', '\n', '\x0b', '\x0c', '\r']);
    u64::from_str_radix(text, radix)
        .ok()
        .filter(|count| *count <= MOST)
}

/// A case class that a character comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Case {
    /// Not from one.
    None,
    /// `[:lower:]`
    Lower,
    /// `[:upper:]`
    Upper,
}

/// The characters of a set, one after the other.
#[derive(Debug, Clone)]
pub struct Walk<'a> {
    set: &'a Set,
    index: usize,
    /// How many characters of the element are done.
    done: u64,
}

impl Walk<'_> {
    /// The next character is the first of its element.
    pub fn at_new_element(&self) -> bool {
        self.done == 0
    }

    /// Leaves the rest of an element that has begun.
    pub fn skip_element(&mut self) {
        if self.done > 0 {
            self.index += 1;
            self.done = 0;
        }
    }

    /// What is left of the current element when it repeats one byte.
    fn left_of_repeat(&self) -> u64 {
        match self.set.elements.get(self.index) {
            Some(Element::Repeat(_, count)) if self.done > 0 => count - self.done,
            _ => 0,
        }
    }

    /// Leaves out pairs of bytes that are the same as the last pair, so that large counts cost nothing.
    pub fn skip_repeats(&mut self, other: &mut Walk<'_>) {
        let count = self.left_of_repeat().min(other.left_of_repeat());
        self.skip(count);
        other.skip(count);
    }

    fn skip(&mut self, count: u64) {
        if count > 0 {
            let last = self.left_of_repeat() == count;
            self.done += count - 1;
            self.leave_if(last);
        }
    }

    fn leave_if(&mut self, last: bool) {
        self.done += 1;
        if last {
            self.skip_element();
        }
    }
}

impl Iterator for Walk<'_> {
    type Item = (u8, Case);

    fn next(&mut self) -> Option<(u8, Case)> {
        let element = loop {
            match *self.set.elements.get(self.index)? {
                Element::Repeat(_, 0) => self.index += 1,
                element => break element,
            }
        };
        match element {
            Element::Byte(byte) | Element::Equivalent(byte) => {
                self.leave_if(true);
                Some((byte, Case::None))
            }
            Element::Range(first, last) => {
                let byte = first + self.done as u8;
                self.leave_if(byte == last);
                Some((byte, Case::None))
            }
            Element::Class(class) => {
                let case = match class {
                    Class::Lower => Case::Lower,
                    Class::Upper => Case::Upper,
                    _ => Case::None,
                };
                let mut rest = bytes_of(class).skip(self.done as usize);
                let byte = rest.next()?;
                let last = rest.next().is_none();
                self.leave_if(last);
                Some((byte, case))
            }
            Element::Repeat(byte, count) => {
                self.leave_if(self.done + 1 == count);
                Some((byte, Case::None))
            }
        }
    }
}
