//! How grep prints a line: its head (file name, number, offset), its colours, and what `-o` leaves of it.

use super::matcher::Matcher;
use super::options::{BinaryFiles, Options};
use crate::pattern::RegexError;

/// Whether a line was selected or stands around one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Selected,
    Context,
}

/// The sequences of `GREP_COLORS`; empty ones print nothing.
#[derive(Debug)]
pub struct Colors {
    selected_match: Vec<u8>,
    context_match: Vec<u8>,
    filename: Vec<u8>,
    line_number: Vec<u8>,
    byte_offset: Vec<u8>,
    separator: Vec<u8>,
    selected_line: Vec<u8>,
    context_line: Vec<u8>,
    /// `rv`: with `-v` the two line colours change places.
    reverse: bool,
    /// Erase to the end of the line after each sequence.
    erase: bool,
}

impl Colors {
    /// The defaults, changed by the value of `GREP_COLORS`.
    pub fn from_variable(value: Option<&[u8]>) -> Colors {
        let mut colors = Colors {
            selected_match: b"01;31".to_vec(),
            context_match: b"01;31".to_vec(),
            filename: b"35".to_vec(),
            line_number: b"32".to_vec(),
            byte_offset: b"32".to_vec(),
            separator: b"36".to_vec(),
            selected_line: Vec::new(),
            context_line: Vec::new(),
            reverse: false,
            erase: true,
        };
        for item in value.unwrap_or_default().split(|byte| *byte == b':') {
            if !colors.set(item) {
                break;
            }
        }
        colors
    }

    /// Takes `name=sequence` or `name`; says whether to go on: what is malformed ends the list.
    fn set(&mut self, item: &[u8]) -> bool {
        let (name, value) = match item.iter().position(|byte| *byte == b'=') {
            Some(at) => (item.get(..at).unwrap_or_default(), item.get(at + 1..)),
            None => (item, None),
        };
        let valid = value
            .unwrap_or_default()
            .iter()
            .all(|byte| byte.is_ascii_digit() || *byte == b';');
        if !valid {
            return false;
        }
        let Some(value) = value else {
            match name {
                b"rv" => self.reverse = true,
                b"ne" => self.erase = false,
                _ => {}
            }
            return true;
        };
        let place = match name {
            b"mt" => {
                self.context_match = value.to_vec();
                &mut self.selected_match
            }
            b"ms" => &mut self.selected_match,
            b"mc" => &mut self.context_match,
            b"fn" => &mut self.filename,
            b"ln" => &mut self.line_number,
            b"bn" => &mut self.byte_offset,
            b"se" => &mut self.separator,
            b"sl" => &mut self.selected_line,
            b"cx" => &mut self.context_line,
            _ => return true,
        };
        *place = value.to_vec();
        true
    }
}

/// Formats lines for one command line.
#[derive(Debug)]
pub struct Printer<'a> {
    pub options: &'a Options,
    pub matcher: &'a Matcher,
    pub colors: Option<Colors>,
}

/// Where a line stands.
#[derive(Clone, Copy, Debug)]
pub struct Position<'a> {
    /// The file name to print, if any.
    pub name: Option<&'a [u8]>,
    /// The number of the line.
    pub number: u64,
    /// The offset of its first byte in the file.
    pub offset: u64,
    /// Columns that `-T` gives to numbers.
    pub width: usize,
}

impl Printer<'_> {
    fn start(&self, out: &mut Vec<u8>, sequence: &[u8]) {
        if let Some(colors) = self.colors.as_ref().filter(|_| !sequence.is_empty()) {
            out.extend_from_slice(b"\x1b[");
            out.extend_from_slice(sequence);
            out.extend_from_slice(if colors.erase { b"m\x1b[K" } else { b"m" });
        }
    }

    fn stop(&self, out: &mut Vec<u8>, sequence: &[u8]) {
        if let Some(colors) = self.colors.as_ref().filter(|_| !sequence.is_empty()) {
            out.extend_from_slice(if colors.erase { b"\x1b[m\x1b[K" } else { b"\x1b[m" });
        }
    }

    fn colored(&self, out: &mut Vec<u8>, pick: impl Fn(&Colors) -> &[u8], text: &[u8]) {
        let sequence = self.colors.as_ref().map_or(&b""[..], pick);
        self.start(out, sequence);
        out.extend_from_slice(text);
        self.stop(out, sequence);
    }

    fn separator(&self, out: &mut Vec<u8>, kind: Kind) {
        let text: &[u8] = if kind == Kind::Selected { b":" } else { b"-" };
        self.colored(out, |colors| &colors.separator, text);
    }

    /// A file name, alone (`-l`) or in front of something.
    pub fn file_name(&self, out: &mut Vec<u8>, name: &[u8]) {
        self.colored(out, |colors| &colors.filename, name);
    }

    /// A file name and what stands between it and the rest.
    pub fn file_name_prefix(&self, out: &mut Vec<u8>, name: &[u8], kind: Kind) {
        self.file_name(out, name);
        if self.options.null {
            out.push(0);
        } else {
            self.separator(out, kind);
        }
    }

    /// The line between two groups of lines.
    pub fn group_separator(&self, out: &mut Vec<u8>, text: &[u8]) {
        self.colored(out, |colors| &colors.separator, text);
        out.push(b'\n');
    }

    /// What stands in front of `text`. `false`: it may not be printed, being binary.
    fn head(&self, out: &mut Vec<u8>, text: &[u8], at: Position<'_>, kind: Kind) -> bool {
        if self.options.binary_files != BinaryFiles::Text && !is_text(text) {
            return false;
        }
        if let Some(name) = at.name {
            self.file_name_prefix(out, name, kind);
        }
        let mut aligned = at.name.is_some();
        if self.options.line_number {
            self.number(out, |colors| &colors.line_number, at.number, at.width);
            self.separator(out, kind);
            aligned = true;
        }
        if self.options.byte_offset {
            self.number(out, |colors| &colors.byte_offset, at.offset, at.width);
            self.separator(out, kind);
            aligned = true;
        }
        if self.options.initial_tab && aligned && !text.is_empty() {
            out.push(b'\t');
        }
        true
    }

    fn number(&self, out: &mut Vec<u8>, pick: impl Fn(&Colors) -> &[u8], number: u64, width: usize) {
        if self.colors.is_some() || width > 1 {
            self.colored(out, pick, format!("{number:width$}").as_bytes());
        } else {
            push_number(out, number);
        }
    }

    /// Prints a line, given without its end. `false`: it is binary and may not be shown.
    pub fn line(
        &self,
        out: &mut Vec<u8>,
        line: &[u8],
        at: Position<'_>,
        kind: Kind,
    ) -> Result<bool, RegexError> {
        let options = self.options;
        if !options.only_matching && !self.head(out, line, at, kind) {
            return Ok(false);
        }
        let matching = (kind == Kind::Selected) != options.invert;
        if options.only_matching {
            return if matching {
                self.only_matches(out, line, at, kind)
            } else {
                Ok(true)
            };
        }
        if let Some(colors) = &self.colors {
            self.colored_line(out, line, kind, colors, matching)?;
        } else {
            out.extend_from_slice(line);
        }
        out.push(options.end);
        Ok(true)
    }

    /// `-o`: every match that is not empty on a line of its own.
    fn only_matches(
        &self,
        out: &mut Vec<u8>,
        line: &[u8],
        at: Position<'_>,
        kind: Kind,
    ) -> Result<bool, RegexError> {
        let kind = if self.options.invert { Kind::Context } else { kind };
        let sequence = self.match_color(kind);
        let mut from = 0;
        while let Some((start, end)) = self.matcher.find_in_line(line, from)? {
            if start == end {
                if start >= line.len() {
                    break;
                }
                from = start + 1;
                continue;
            }
            let text = line.get(start..end).unwrap_or_default();
            let place = Position {
                offset: at.offset + start as u64,
                ..at
            };
            if !self.head(out, text, place, kind) {
                return Ok(false);
            }
            self.start(out, sequence);
            out.extend_from_slice(text);
            self.stop(out, sequence);
            out.push(self.options.end);
            from = end;
        }
        Ok(true)
    }

    fn match_color(&self, kind: Kind) -> &[u8] {
        match &self.colors {
            None => b"",
            Some(colors) if kind == Kind::Selected => &colors.selected_match,
            Some(colors) => &colors.context_match,
        }
    }

    fn colored_line(
        &self,
        out: &mut Vec<u8>,
        line: &[u8],
        kind: Kind,
        colors: &Colors,
        matching: bool,
    ) -> Result<(), RegexError> {
        let selected = (kind == Kind::Selected) != (self.options.invert && colors.reverse);
        let line_color = if selected {
            &colors.selected_line
        } else {
            &colors.context_line
        };
        let match_color = self.match_color(kind);
        let mut printed = 0;
        let mut from = 0;
        while matching && !match_color.is_empty() {
            let Some((start, end)) = self.matcher.find_in_line(line, from)? else {
                break;
            };
            if start >= line.len() {
                break;
            }
            if start == end {
                from = start + 1;
                continue;
            }
            self.start(out, line_color);
            out.extend_from_slice(line.get(printed..start).unwrap_or_default());
            self.start(out, match_color);
            out.extend_from_slice(line.get(start..end).unwrap_or_default());
            self.stop(out, match_color);
            (printed, from) = (end, end);
        }
        let rest = line.get(printed..).unwrap_or_default();
        // An escape sequence must not stand between the text and a carriage return that ends the line.
        let tail = rest.len() - usize::from(rest.ends_with(b"\r"));
        if tail > 0 {
            self.start(out, line_color);
            out.extend_from_slice(rest.get(..tail).unwrap_or_default());
            self.stop(out, line_color);
        }
        out.extend_from_slice(rest.get(tail..).unwrap_or_default());
        Ok(())
    }
}

/// No byte of it is part of an invalid character.
fn is_text(text: &[u8]) -> bool {
    std::str::from_utf8(text).is_ok()
}

/// Appends a number in decimal.
pub(in crate::program) fn push_number(out: &mut Vec<u8>, number: u64) {
    let mut digits = [0u8; 20];
    let mut rest = number;
    let mut start = digits.len();
    for place in digits.iter_mut().rev() {
        *place = b'0' + (rest % 10) as u8;
        rest /= 10;
        start -= 1;
        if rest == 0 {
            break;
        }
    }
    out.extend_from_slice(digits.get(start..).unwrap_or_default());
}
