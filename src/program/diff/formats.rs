//! `-D` and the formats for groups and lines: merged output.
//!
//! Formats are checked when they are used, character by character, as the real one does; what is no directive is printed as it is.

use super::analyze::Change;
use super::options::Flag;
use super::printer::Printer;
use super::text::Text;

/// Kinds of lines and groups, by index: unchanged, old, new; groups may also be changed.
const UNCHANGED: usize = 0;
const OLD: usize = 1;
const NEW: usize = 2;
const CHANGED: usize = 3;

/// The formats.
#[derive(Debug, Default)]
pub struct Formats {
    groups: [Option<Vec<u8>>; 4],
    lines: [Option<Vec<u8>>; 3],
}

/// Lines of both files that are printed as one.
#[derive(Debug, Clone, Copy)]
struct Group {
    left: (usize, usize),
    right: (usize, usize),
}

fn set(slot: &mut Option<Vec<u8>>, value: Vec<u8>) -> Result<(), &'static str> {
    if slot.as_ref().is_some_and(|before| *before != value) {
        return Err("conflicting ifdef formats");
    }
    *slot = Some(value);
    Ok(())
}

impl Formats {
    /// Takes one from the command line.
    pub fn set(&mut self, flag: Flag, text: &[u8]) -> Result<(), &'static str> {
        match flag {
            Flag::Ifdef => {
                let defines = [
                    b"%=".to_vec(),
                    [b"#ifndef ", text, b"\n%<#endif /* ! ", text, b" */\n"].concat(),
                    [b"#ifdef ", text, b"\n%>#endif /* ", text, b" */\n"].concat(),
                    [
                        b"#ifndef ",
                        text,
                        b"\n%<#else /* ",
                        text,
                        b" */\n%>#endif /* ",
                        text,
                        b" */\n",
                    ]
                    .concat(),
                ];
                for (slot, value) in self.groups.iter_mut().zip(defines) {
                    set(slot, value)?;
                }
            }
            Flag::GroupFormat(kind) => {
                if let Some(slot) = self.groups.get_mut(kind) {
                    set(slot, text.to_vec())?;
                }
            }
            Flag::OneLineFormat(kind) => {
                if let Some(slot) = self.lines.get_mut(kind) {
                    set(slot, text.to_vec())?;
                }
            }
            Flag::LineFormat => {
                for slot in &mut self.lines {
                    set(slot, text.to_vec())?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Fills in what was not given.
    pub fn finish(&mut self) {
        let [unchanged, old, new, changed] = &mut self.groups;
        // The format of changes is that of one-sided ones too, unless they have their own.
        let given = |or: &[u8]| changed.clone().unwrap_or_else(|| or.to_vec());
        let (for_old, for_new) = (given(b"%<"), given(b"%>"));
        let old = old.get_or_insert(for_old).clone();
        let new = new.get_or_insert(for_new).clone();
        unchanged.get_or_insert_with(|| b"%=".to_vec());
        changed.get_or_insert_with(|| [old, new].concat());
        for slot in &mut self.lines {
            slot.get_or_insert_with(|| b"%l\n".to_vec());
        }
    }

    /// Unchanged lines print nothing.
    pub fn prints_differences_only(&self) -> bool {
        let empty = |slot: Option<&Option<Vec<u8>>>| slot.and_then(Option::as_ref).is_some_and(Vec::is_empty);
        empty(self.groups.first()) || empty(self.lines.first())
    }
}

impl Printer<'_> {
    /// Prints both files merged.
    pub fn print_formats(&mut self, script: &[Change]) {
        let (mut left, mut right) = (0, 0);
        for change in script {
            let Some(extent) = self.pair.extent(std::slice::from_ref(change)) else {
                continue;
            };
            self.unchanged_group((left, change.left), (right, change.right));
            left = change.left + change.deleted;
            right = change.right + change.inserted;
            let kind = match (extent.deletes, extent.inserts) {
                (true, true) => CHANGED,
                (true, false) => OLD,
                _ => NEW,
            };
            let group = Group {
                left: (change.left, left),
                right: (change.right, right),
            };
            self.begin();
            self.group(kind, group);
        }
        let (left_end, right_end) = (self.pair.left.count(), self.pair.right.count());
        self.unchanged_group((left, left_end), (right, right_end));
    }

    fn unchanged_group(&mut self, left: (usize, usize), right: (usize, usize)) {
        if left.0 < left.1 || right.0 < right.1 {
            self.begin();
            self.group(UNCHANGED, Group { left, right });
        }
    }

    fn group(&mut self, kind: usize, group: Group) {
        let format = self.options().formats.groups.get(kind).and_then(Option::as_ref);
        let format = format.cloned().unwrap_or_default();
        self.format_group(&format, None, group, true, 0);
    }

    /// Prints a group format up to `end`; how many bytes that took. Without `prints`, only looks for the end.
    fn format_group(
        &mut self,
        format: &[u8],
        end: Option<u8>,
        group: Group,
        prints: bool,
        depth: usize,
    ) -> usize {
        let mut at = 0;
        while let Some(&byte) = format.get(at) {
            if end == Some(byte) {
                break;
            }
            at += 1;
            if byte != b'%' {
                if prints {
                    self.out.push(byte);
                }
                continue;
            }
            let rest = format.get(at..).unwrap_or_default();
            match rest.first() {
                Some(b'%') => {
                    at += 1;
                    if prints {
                        self.put("%");
                    }
                }
                Some(b'(') if depth < 64 => {
                    if let Some(length) = self.condition(rest, group, prints, depth) {
                        at += length;
                    } else if prints {
                        self.put("%");
                    }
                }
                Some(b'<') => {
                    at += 1;
                    self.group_lines(self.pair.left, OLD, group.left, prints);
                }
                Some(b'=') => {
                    at += 1;
                    self.group_lines(self.pair.left, UNCHANGED, group.left, prints);
                }
                Some(b'>') => {
                    at += 1;
                    self.group_lines(self.pair.right, NEW, group.right, prints);
                }
                _ => {
                    let number = |letter: u8| group_number(group, letter);
                    match directive(rest, number) {
                        Some((text, length)) => {
                            at += length;
                            if prints {
                                self.put(text);
                            }
                        }
                        None if prints => self.put("%"),
                        None => {}
                    }
                }
            }
        }
        at
    }

    /// `(A=B?T:E)`: its length, unless it is none.
    fn condition(&mut self, text: &[u8], group: Group, prints: bool, depth: usize) -> Option<usize> {
        let mut at = 1;
        let mut values = [0_u64; 2];
        for (value, end) in values.iter_mut().zip([b'=', b'?']) {
            let rest = text.get(at..)?;
            let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
            if digits > 0 {
                let number = crate::text::number::scan_unsigned(rest.get(..digits)?, 10);
                *value = number.value;
                at += digits;
            } else {
                *value = group_number(group, *rest.first()?)?;
                at += 1;
            }
            if text.get(at) != Some(&end) {
                return None;
            }
            at += 1;
        }
        let holds = values.first() == values.last();
        at += self.format_group(text.get(at..)?, Some(b':'), group, prints && holds, depth + 1);
        if text.get(at) == Some(&b':') {
            at += 1;
            at += self.format_group(text.get(at..)?, Some(b')'), group, prints && !holds, depth + 1);
            if text.get(at) == Some(&b')') {
                at += 1;
            }
        }
        Some(at)
    }

    fn group_lines(&mut self, text: &Text, kind: usize, (first, end): (usize, usize), prints: bool) {
        if !prints {
            return;
        }
        let format = self.options().formats.lines.get(kind).and_then(Option::as_ref);
        let format = format.cloned().unwrap_or_default();
        for index in first..end {
            self.format_line(&format, text, index);
        }
    }

    fn format_line(&mut self, format: &[u8], text: &Text, index: usize) {
        let mut at = 0;
        while let Some(&byte) = format.get(at) {
            at += 1;
            if byte != b'%' {
                self.out.push(byte);
                continue;
            }
            let rest = format.get(at..).unwrap_or_default();
            match rest.first() {
                Some(b'%') => {
                    at += 1;
                    self.put("%");
                }
                Some(b'l') => {
                    at += 1;
                    self.put_line_text(text.line(index), "");
                }
                Some(b'L') => {
                    at += 1;
                    self.put_line_text(text.line(index), "");
                    if text.is_complete(index) {
                        self.put("\n");
                    }
                }
                _ => {
                    let number = |letter: u8| (letter == b'n').then_some(index as u64 + 1);
                    match directive(rest, number) {
                        Some((shown, length)) => {
                            at += length;
                            self.put(shown);
                        }
                        None => self.put("%"),
                    }
                }
            }
        }
    }
}

/// The number that a letter stands for in a group: lower case for the old one.
fn group_number(group: Group, letter: u8) -> Option<u64> {
    let (first, end) = if letter.is_ascii_lowercase() {
        group.left
    } else {
        group.right
    };
    Some(match letter.to_ascii_lowercase() {
        b'e' => first,
        b'f' => first + 1,
        b'l' => end,
        b'm' => end + 1,
        b'n' => end - first,
        _ => return None,
    } as u64)
}

/// `c'C'` or a `printf` directive with a letter for its number; its text and length.
fn directive(text: &[u8], number: impl Fn(u8) -> Option<u64>) -> Option<(Vec<u8>, usize)> {
    use crate::text::format::{Directive, Radix};
    if let Some(quoted) = text.strip_prefix(b"c'") {
        return character(quoted);
    }
    let (parsed, length) = Directive::parse(text);
    let layout = parsed.resolve(|| 0);
    if layout.exceeds(1 << 16) {
        return None;
    }
    let conversion = *text.get(length)?;
    let value = number(*text.get(length + 1)?)?;
    let shown = match conversion {
        b'd' => layout.signed(i128::from(value)),
        b'o' => layout.unsigned(value, Radix::Octal),
        b'x' => layout.unsigned(value, Radix::Hex),
        b'X' => layout.unsigned(value, Radix::UpperHex),
        _ => return None,
    };
    Some((shown, length + 2))
}

/// What is between the quotes of `c'…'`.
fn character(quoted: &[u8]) -> Option<(Vec<u8>, usize)> {
    match quoted {
        [b'\\', rest @ ..] if rest.first() != Some(&b'\'') => {
            let digits = rest.iter().take_while(|byte| matches!(byte, b'0'..=b'7')).count();
            let (number, after) = rest.split_at_checked(digits.min(3))?;
            if number.is_empty() || after.first() != Some(&b'\'') {
                return None;
            }
            let value = number
                .iter()
                .fold(0_u32, |value, digit| value * 8 + u32::from(digit - b'0'));
            Some((vec![value as u8], 2 + 1 + number.len() + 1))
        }
        [byte, b'\'', ..] if *byte != b'\'' => Some((vec![*byte], 4)),
        _ => None,
    }
}
