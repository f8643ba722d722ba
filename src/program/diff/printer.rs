//! Printing lines of files, with their flags, colours and the note about a missing newline.

use super::hunk::Pair;
use super::options::{Options, Style};
use super::text::Text;

/// What is coloured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ink {
    Header,
    Line,
    Add,
    Delete,
}

/// Output about one pair of files.
pub struct Printer<'a> {
    pub pair: Pair<'a>,
    pub out: Vec<u8>,
    /// What is printed before the first difference.
    pub header: Option<Vec<u8>>,
    /// Bytes that `out` may grow to; what is more is dropped, and the program ends.
    pub room: usize,
}

impl<'a> Printer<'a> {
    /// The options.
    pub fn options(&self) -> &'a Options {
        self.pair.options
    }

    /// Prints the header, once.
    pub fn begin(&mut self) {
        if let Some(header) = self.header.take() {
            self.out.extend(header);
        }
    }

    /// Prints text.
    pub fn put(&mut self, text: impl AsRef<[u8]>) {
        if !self.is_full() {
            self.out.extend_from_slice(text.as_ref());
        }
    }

    /// Prints blanks.
    pub fn blanks(&mut self, count: usize) {
        let count = count.min(self.room.saturating_sub(self.out.len()) + 1);
        self.out.extend(std::iter::repeat_n(b' ', count));
    }

    /// There is more than may be held.
    pub fn is_full(&self) -> bool {
        self.out.len() > self.room
    }

    /// Prints text in a colour, where colours are on.
    pub fn put_inked(&mut self, ink: Ink, text: impl AsRef<[u8]>) {
        self.ink(ink);
        self.put(text);
        self.no_ink();
    }

    /// Starts a colour.
    pub fn ink(&mut self, ink: Ink) {
        let options = self.options();
        start_ink(options, ink, &mut self.out);
    }

    /// Ends a colour.
    pub fn no_ink(&mut self) {
        let options = self.options();
        if options.color {
            self.put([b"\x1b[", options.palette.reset.as_slice(), b"m"].concat());
        }
    }

    /// A line with a flag (`<`, `+`) and a blank before it, in a colour.
    pub fn flagged_line(&mut self, flag: &str, text: &Text, index: usize, ink: Option<Ink>) {
        let line = text.line(index);
        let options = self.options();
        if let Some(ink) = ink {
            self.ink(ink);
        }
        let blank = if options.initial_tab { "\t" } else { " " };
        let lead = match flag {
            "" => String::new(),
            _ if options.suppress_blank_empty && line.is_empty() => flag.trim_end().to_owned(),
            flag => format!("{flag}{blank}"),
        };
        self.put(&lead);
        self.put_line_text(line, &lead);
        self.end_line(text, index, ink, !flag.is_empty());
    }

    /// The end of a line: its newline, or the note that it has none.
    pub fn end_line(&mut self, text: &Text, index: usize, ink: Option<Ink>, notes: bool) {
        if text.is_complete(index) {
            if ink.is_some() {
                self.no_ink();
            }
            self.put("\n");
            return;
        }
        if notes {
            self.put("\n\\ No newline at end of file\n");
        }
        if ink.is_some() {
            self.no_ink();
        }
    }

    /// The text of a line, tabs expanded where asked for; `lead` is repeated after a carriage return.
    pub fn put_line_text(&mut self, line: &[u8], lead: &str) {
        let options = self.options();
        if !options.expand_tabs {
            return self.put(line);
        }
        let mut column = 0_usize;
        for (index, &byte) in line.iter().enumerate() {
            match byte {
                b'\t' => {
                    let blanks = options.tab_size - column % options.tab_size;
                    column += blanks;
                    self.blanks(blanks);
                    continue;
                }
                b'\r' => {
                    self.put("\r");
                    if index + 1 < line.len() {
                        self.put(lead);
                    }
                    column = 0;
                    continue;
                }
                8 if column == 0 => continue,
                8 => column -= 1,
                b' '..=b'~' => column += 1,
                _ => {}
            }
            self.out.push(byte);
        }
    }

    /// `1,3` or, for one line or none, `3`: lines count from 1.
    pub fn range(&self, separator: char, (first, last): (isize, isize)) -> String {
        if last > first {
            format!("{}{separator}{}", first + 1, last + 1)
        } else {
            format!("{}", last + 1)
        }
    }
}

/// Starts a colour, where colours are on.
pub fn start_ink(options: &Options, ink: Ink, out: &mut Vec<u8>) {
    if !options.color {
        return;
    }
    let code = match ink {
        Ink::Header => &options.palette.header,
        Ink::Line => &options.palette.line,
        Ink::Add => &options.palette.add,
        Ink::Delete => &options.palette.delete,
    };
    out.extend([b"\x1b[", code.as_slice(), b"m"].concat());
}

/// A file name as headers have it: in quotes where it has blanks or the like.
pub fn header_name(name: &[u8]) -> Vec<u8> {
    let letter = |byte: u8| match byte {
        7 => Some(b'a'),
        8 => Some(b'b'),
        b'\t' => Some(b't'),
        b'\n' => Some(b'n'),
        11 => Some(b'v'),
        12 => Some(b'f'),
        b'\r' => Some(b'r'),
        b'"' | b'\\' => Some(byte),
        _ => None,
    };
    if !name.iter().any(|byte| *byte <= b' ' || letter(*byte).is_some()) {
        return name.to_vec();
    }
    let mut out = b"\"".to_vec();
    for &byte in name {
        match letter(byte) {
            Some(letter) => out.extend([b'\\', letter]),
            None if byte < b' ' => out.extend(format!("\\{byte:03o}").into_bytes()),
            None => out.push(byte),
        }
    }
    out.push(b'"');
    out
}

/// Whether a style begins with the names of both files.
pub fn has_names(style: Style) -> bool {
    matches!(style, Style::Context | Style::Unified)
}
