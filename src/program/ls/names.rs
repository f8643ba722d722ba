//! Printing one name: quoted, coloured, hyperlinked, with its indicator.

use super::Lister;
use super::color::{Code, Colors};
use super::entry::{Entry, Target};
use super::options::{Format, Options};
use crate::text::gnu_quote::{Style, styled};
use crate::text::utf8::{Unit, char_width, units, width};

/// A name as it is printed.
pub struct Quoted {
    pub text: Vec<u8>,
    /// Columns on a terminal.
    pub width: usize,
    /// Quoting changed it.
    pub changed: bool,
}

/// Quotes a name in the style of the listing.
pub fn quote_name(name: &[u8], options: &Options, also: &[u8]) -> Quoted {
    let text = match options.style {
        Style::Literal => name.to_vec(),
        style => styled(name, style, also),
    };
    let changed = text.len() != name.len() || text.first() != name.first();
    let literal = matches!(options.style, Style::Shell | Style::ShellAlways | Style::Literal);
    if options.question_marks && literal {
        return questioned(&text, changed);
    }
    let width = width(&text);
    Quoted { text, width, changed }
}

/// With `?` for what is not printable.
fn questioned(text: &[u8], changed: bool) -> Quoted {
    let mut out = Vec::with_capacity(text.len());
    let mut columns = 0;
    for (_, unit) in units(text) {
        let shown = match unit {
            Unit::Char(character) if character != '\0' => char_width(character),
            _ => None,
        };
        if let Some(width) = shown {
            unit.push_to(&mut out);
            columns += width;
        } else {
            out.push(b'?');
            columns += 1;
        }
    }
    Quoted {
        text: out,
        width: columns,
        changed,
    }
}

/// `%xx` for all but letters, digits and `-._~`, and `/` in paths.
fn escape_url(text: &[u8], out: &mut Vec<u8>) {
    for byte in text {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(byte) {
            out.push(*byte);
        } else {
            out.extend_from_slice(format!("%{byte:02x}").as_bytes());
        }
    }
}

impl Colors {
    /// Puts a piece of an escape sequence out.
    pub fn put(&self, used: &mut bool, out: &mut Vec<u8>, piece: &[u8]) {
        if !*used {
            *used = true;
            self.reset(used, out);
        }
        out.extend_from_slice(piece);
    }

    fn put_code(&self, used: &mut bool, out: &mut Vec<u8>, code: Code) {
        self.put(used, out, self.code(code).unwrap_or_default());
    }

    /// What ends a colour.
    fn reset(&self, used: &mut bool, out: &mut Vec<u8>) {
        if self.code(Code::End).is_some() {
            return self.put_code(used, out, Code::End);
        }
        for code in [Code::Left, Code::Reset, Code::Right] {
            self.put_code(used, out, code);
        }
    }

    /// The terminal's own colour, at the very end.
    pub fn restore_default(&self, used: &mut bool, out: &mut Vec<u8>) {
        self.put_code(used, out, Code::Left);
        self.put_code(used, out, Code::Right);
    }
}

impl Lister<'_> {
    /// What `no=` asks for before everything that is no name.
    pub fn set_normal_color(&mut self) {
        if let Some(colors) = &self.colors
            && colors.is_colored(Code::Normal)
        {
            for code in [Code::Left, Code::Normal, Code::Right] {
                colors.put_code(&mut self.used_color, &mut self.out, code);
            }
        }
    }

    /// Prints a name that starts in column `start`; how many bytes or blanks that were.
    pub fn print_name(&mut self, entry: &Entry, target: Target, start: usize) -> usize {
        let name = match target {
            Target::Entry => &entry.name,
            Target::Shown => entry.link.as_ref().unwrap_or(&entry.name),
        };
        let quoted = quote_name(name, self.options, self.options.also_quoted);
        let pads = self.options.aligns_quotes && self.some_quoted && !quoted.changed;
        if pads && target == Target::Entry {
            self.out.push(b' ');
        }
        let color = self.colors.as_ref().and_then(|colors| colors.of(entry, target));
        let colored = self
            .colors
            .as_ref()
            .is_some_and(|colors| color.is_some() || colors.is_colored(Code::Normal));
        if let (Some(colors), Some(color)) = (&self.colors, color) {
            if colors.is_colored(Code::Normal) {
                colors.restore_default(&mut self.used_color, &mut self.out);
            }
            colors.put_code(&mut self.used_color, &mut self.out, Code::Left);
            colors.put(&mut self.used_color, &mut self.out, color);
            colors.put_code(&mut self.used_color, &mut self.out, Code::Right);
        }
        let absolute = if target == Target::Entry {
            entry.absolute.as_deref()
        } else {
            None
        };
        self.put_linked(&quoted.text, absolute, pads, target);
        let length = quoted.text.len() + usize::from(pads);
        if colored {
            self.end_color(start, length);
        }
        length
    }

    fn end_color(&mut self, start: usize, length: usize) {
        let Some(colors) = &self.colors else { return };
        colors.reset(&mut self.used_color, &mut self.out);
        let line = self.options.width;
        if line != 0 && start / line != (start + length).saturating_sub(1) / line {
            colors.put_code(&mut self.used_color, &mut self.out, Code::ClearToEnd);
        }
    }

    /// Prints the text of a name, as a hyperlink when there is an address.
    fn put_linked(&mut self, text: &[u8], absolute: Option<&[u8]>, pads: bool, target: Target) {
        let mut text = text;
        let mut closing = None;
        if let Some(absolute) = absolute {
            if self.options.aligns_quotes
                && self.some_quoted
                && !pads
                && let [first, inner @ .., last] = text
            {
                self.out.push(*first);
                closing = Some(*last);
                text = inner;
            }
            self.out.extend_from_slice(b"\x1b]8;;file://");
            escape_url(&self.host.clone(), &mut self.out);
            escape_url(absolute, &mut self.out);
            self.out.push(7);
        }
        let from = self.position();
        self.out.extend_from_slice(text);
        if target == Target::Entry && self.options.format == Format::Long {
            let to = self.position();
            self.dired.extend([from, to]);
        }
        if absolute.is_some() {
            self.out.extend_from_slice(b"\x1b]8;;\x07");
            self.out.extend(closing);
        }
    }

    /// Columns of a name, with a blank for the quote that others have.
    pub fn name_width(&self, entry: &Entry) -> usize {
        let quoted = quote_name(&entry.name, self.options, self.options.also_quoted);
        let pads = self.options.aligns_quotes && self.some_quoted && !quoted.changed;
        quoted.width + usize::from(pads)
    }
}
