//! The quoting styles of GNU tools: gnulib's `quotearg`, for file names in messages, `ls`, `stat`, `printf %q` of coreutils.
//!
//! The scan either finishes or finds, at the first character that needs it, that the string must be quoted after all; then it
//! starts again with outer quotes. [`quote`], [`quotef`] and [`quoteaf`] are what messages use.

use super::{escape, utf8};

/// A quoting style, by the names of `ls --quoting-style`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// As it is.
    Literal,
    /// `'…'` where a shell needs it.
    Shell,
    /// `'…'` always.
    ShellAlways,
    /// `'…'` where a shell needs it, with `$'\n'` for what is not printable.
    ShellEscape,
    /// The same, always quoted.
    ShellEscapeAlways,
    /// A C string.
    C,
    /// A C string with its quotes only where something was escaped.
    CMaybe,
    /// A C string without its quotes (`ls -b`, which escapes spaces too).
    Escape,
    /// `‘…’` with C escapes.
    Locale,
}

impl Style {
    /// The style of a name such as `shell-escape`.
    pub fn from_name(name: &[u8]) -> Option<Style> {
        Self::NAMES
            .iter()
            .find(|(known, _)| known.as_bytes() == name)
            .map(|&(_, style)| style)
    }

    /// The names, in the order that error messages list them.
    pub const NAMES: &'static [(&'static str, Style)] = &[
        ("literal", Style::Literal),
        ("shell", Style::Shell),
        ("shell-always", Style::ShellAlways),
        ("shell-escape", Style::ShellEscape),
        ("shell-escape-always", Style::ShellEscapeAlways),
        ("c", Style::C),
        ("c-maybe", Style::CMaybe),
        ("escape", Style::Escape),
        ("locale", Style::Locale),
        ("clocale", Style::Locale),
    ];
}

/// The `quote` of messages about words: `invalid number of lines: ‘x’`.
pub fn quote(text: &[u8]) -> Vec<u8> {
    styled(text, Style::Locale, b"")
}

/// The `quotef` of messages about files: `cat: 'a b': No such file or directory`, plain names unquoted.
pub fn quotef(name: &[u8]) -> Vec<u8> {
    styled(name, Style::ShellEscape, b":")
}

/// The `quoteaf` of messages about files within a sentence: `cannot remove 'x'`, always quoted.
pub fn quoteaf(name: &[u8]) -> Vec<u8> {
    styled(name, Style::ShellEscapeAlways, b"")
}

/// Quotes `text` in a style; the bytes of `also` are quoted besides those that the style needs.
pub fn styled(text: &[u8], style: Style, also: &[u8]) -> Vec<u8> {
    let form = Form::of(style);
    match Scan::new(text, form, also).run() {
        Ok(quoted) => quoted,
        Err(NeedsQuotes) => requoted(text, form.with_quotes()),
    }
}

/// A second scan, with outer quotes: it can fail only towards the plainer C style.
fn requoted(text: &[u8], form: Form) -> Vec<u8> {
    Scan::new(text, form, b"")
        .run()
        .unwrap_or_else(|NeedsQuotes| text.to_vec())
}

/// The scan found that outer quotes are needed.
struct NeedsQuotes;

#[derive(Debug, Clone, Copy)]
struct Form {
    /// `'…'`: a quote inside is `'\''`, an escape leaves the quotes for `$'…'`.
    shell: bool,
    escapes: bool,
    /// Outer quotes are left away as long as nothing needs them.
    elide: bool,
    open: &'static [u8],
    close: &'static [u8],
}

impl Form {
    fn of(style: Style) -> Form {
        let c = Form {
            shell: false,
            escapes: true,
            elide: false,
            open: b"\"",
            close: b"\"",
        };
        let shell = Form {
            shell: true,
            escapes: false,
            elide: false,
            open: b"'",
            close: b"'",
        };
        match style {
            Style::Literal => Form {
                escapes: false,
                open: b"",
                close: b"",
                ..c
            },
            Style::Shell => Form { elide: true, ..shell },
            Style::ShellAlways => shell,
            Style::ShellEscape => Form {
                elide: true,
                escapes: true,
                ..shell
            },
            Style::ShellEscapeAlways => Form {
                escapes: true,
                ..shell
            },
            Style::C => c,
            Style::CMaybe => Form { elide: true, ..c },
            Style::Escape => Form {
                open: b"",
                close: b"",
                ..c
            },
            Style::Locale => Form {
                open: "‘".as_bytes(),
                close: "’".as_bytes(),
                ..c
            },
        }
    }

    fn with_quotes(self) -> Form {
        Form { elide: false, ..self }
    }
}

struct Scan<'a> {
    text: &'a [u8],
    form: Form,
    also: &'a [u8],
    out: Vec<u8>,
    /// Inside of `$'…'`.
    in_escape: bool,
    saw_single_quote: bool,
    /// This is the second scan of a string with single quotes.
    again: bool,
    /// Everything so far reads the same inside of `"…"`, for C and for the shell.
    double_quotes_do: bool,
}

/// What becomes of one character.
enum Fate {
    /// Stored as it is; whether it reads the same in double quotes.
    Plain(bool),
    /// `\` and this letter.
    Escaped(u8),
    /// Stored as three octal digits.
    Octal,
}

impl<'a> Scan<'a> {
    fn new(text: &'a [u8], form: Form, also: &'a [u8]) -> Self {
        let out = Vec::with_capacity(text.len() + 2);
        Scan {
            text,
            form,
            also,
            out,
            in_escape: false,
            saw_single_quote: false,
            again: false,
            double_quotes_do: true,
        }
    }

    fn run(mut self) -> Result<Vec<u8>, NeedsQuotes> {
        if !self.form.elide {
            self.out.extend_from_slice(self.form.open);
        }
        let mut offset = 0;
        while offset < self.text.len() {
            offset += self.character(offset)?;
        }
        if self.text.is_empty() && self.form.shell && self.form.elide {
            return Err(NeedsQuotes);
        }
        if self.form.shell && !self.form.elide && self.saw_single_quote && self.double_quotes_do {
            return Ok(requoted(self.text, Form::of(Style::C)));
        }
        if self.form.shell && !self.form.elide && self.saw_single_quote && self.in_escape && !self.again {
            // gnulib starts over here and forgets that the escape ended: `cp $'a\'\n'` says `'''a'\'''$'\n'`.
            let scan = Scan::new(self.text, self.form, self.also);
            return Scan {
                in_escape: true,
                again: true,
                ..scan
            }
            .run();
        }
        if !self.form.elide {
            self.out.extend_from_slice(self.form.close);
        }
        Ok(self.out)
    }

    /// Handles the character at `offset` and returns its length.
    fn character(&mut self, offset: usize) -> Result<usize, NeedsQuotes> {
        let rest = self.text.get(offset..).unwrap_or_default();
        let Some(&byte) = rest.first() else { return Ok(1) };
        let form = self.form;
        let is_close = form.escapes && !form.shell && !form.close.is_empty() && rest.starts_with(form.close);
        if is_close {
            self.need_quotes_if_elided()?;
        }
        if !byte.is_ascii() {
            return self.multibyte(rest, is_close);
        }
        match self.fate(byte, offset)? {
            Fate::Plain(same) => {
                if is_close || self.is_also_quoted(byte) {
                    self.start_escape()?;
                    self.out.push(byte);
                } else {
                    self.store(byte);
                }
                self.double_quotes_do &= same;
            }
            Fate::Escaped(letter) => {
                self.start_escape()?;
                self.out.push(letter);
                self.double_quotes_do = false;
            }
            Fate::Octal => {
                self.octal(byte)?;
                self.double_quotes_do = false;
            }
        }
        Ok(1)
    }

    fn fate(&mut self, byte: u8, offset: usize) -> Result<Fate, NeedsQuotes> {
        let form = self.form;
        Ok(match byte {
            0 if form.escapes => self.nul(offset)?,
            b'?' => {
                self.special()?;
                Fate::Plain(false)
            }
            _ if let Some(letter) = escape::letter_of(byte) => {
                if matches!(byte, b'\n' | b'\r' | b'\t') {
                    self.special()?;
                }
                if form.escapes {
                    Fate::Escaped(letter)
                } else {
                    Fate::Plain(false)
                }
            }
            b'\\' => {
                self.special()?;
                let plain = form.shell || !form.escapes || form.elide;
                if plain {
                    Fate::Plain(false)
                } else {
                    Fate::Escaped(b'\\')
                }
            }
            b'{' | b'}' if self.text.len() == 1 => self.shell_special()?,
            b'#' | b'~' if offset == 0 => {
                self.special()?;
                Fate::Plain(true)
            }
            b' ' => {
                self.special()?;
                Fate::Plain(true)
            }
            b'!' | b'"' | b'$' | b'&' | b'(' | b')' | b'*' | b';' | b'<' | b'=' | b'>' | b'[' | b'^'
            | b'`' | b'|' => self.shell_special()?,
            b'\'' => self.single_quote()?,
            b'{' | b'}' | b'#' | b'~' => Fate::Plain(false),
            b'!'..=b'~' => Fate::Plain(true),
            _ if form.escapes => Fate::Octal,
            _ => Fate::Plain(false),
        })
    }

    /// What the shell styles have to quote.
    fn special(&self) -> Result<(), NeedsQuotes> {
        if self.form.shell {
            self.need_quotes_if_elided()
        } else {
            Ok(())
        }
    }

    fn shell_special(&self) -> Result<Fate, NeedsQuotes> {
        self.special()?;
        Ok(Fate::Plain(false))
    }

    fn need_quotes_if_elided(&self) -> Result<(), NeedsQuotes> {
        if self.form.elide { Err(NeedsQuotes) } else { Ok(()) }
    }

    /// A NUL is `\0`, or `\000` before a digit.
    fn nul(&mut self, offset: usize) -> Result<Fate, NeedsQuotes> {
        let digit_follows = self.text.get(offset + 1).is_some_and(u8::is_ascii_digit);
        Ok(if !self.form.shell && digit_follows {
            self.need_quotes_if_elided()?;
            Fate::Octal
        } else {
            Fate::Escaped(b'0')
        })
    }

    fn single_quote(&mut self) -> Result<Fate, NeedsQuotes> {
        self.saw_single_quote = true;
        if self.form.shell {
            self.special()?;
            self.out.extend_from_slice(b"'\\'");
            self.in_escape = false;
        }
        Ok(Fate::Plain(true))
    }

    /// A byte outside of ASCII: a character that is printable or not, or an invalid byte.
    fn multibyte(&mut self, rest: &[u8], is_close: bool) -> Result<usize, NeedsQuotes> {
        let (length, printable) = match utf8::first(rest) {
            Some(utf8::Unit::Char(character)) => (character.len_utf8(), utf8::is_print(character)),
            _ if utf8::is_truncated(rest) => (rest.len(), false),
            _ => (1, false),
        };
        let bytes = rest.get(..length).unwrap_or(rest);
        if printable || !self.form.escapes {
            if is_close {
                self.start_escape()?;
            }
            for (index, &byte) in bytes.iter().enumerate() {
                if is_close && index == 0 {
                    self.out.push(byte);
                } else {
                    self.store(byte);
                }
            }
        } else {
            for &byte in bytes {
                self.octal(byte)?;
            }
        }
        self.double_quotes_do &= printable;
        Ok(length)
    }

    fn is_also_quoted(&self, byte: u8) -> bool {
        ((self.form.escapes && !self.form.shell) || self.form.elide) && self.also.contains(&byte)
    }

    fn octal(&mut self, byte: u8) -> Result<(), NeedsQuotes> {
        self.start_escape()?;
        self.out
            .extend([b'0' + (byte >> 6), b'0' + ((byte >> 3) & 7), b'0' + (byte & 7)]);
        Ok(())
    }

    fn start_escape(&mut self) -> Result<(), NeedsQuotes> {
        self.need_quotes_if_elided()?;
        if self.form.shell && !self.in_escape {
            self.out.extend_from_slice(b"'$'");
            self.in_escape = true;
        }
        self.out.push(b'\\');
        Ok(())
    }

    fn store(&mut self, byte: u8) {
        if self.in_escape {
            self.out.extend_from_slice(b"''");
            self.in_escape = false;
        }
        self.out.push(byte);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(bytes: Vec<u8>) -> String {
        String::from_utf8_lossy(&bytes).into_owned()
    }

    #[test]
    fn file_names_as_cat_prints_them() {
        for (name, quoted) in [
            (&b"a b"[..], "'a b'"),
            (b"it's", "\"it's\""),
            (b"x\ny", "'x'$'\\n''y'"),
            (b"\xff", "''$'\\377'"),
            ("é".as_bytes(), "é"),
            (b"", "''"),
            (b"a:b", "'a:b'"),
        ] {
            assert_eq!(text(quotef(name)), quoted);
        }
        assert_eq!(text(quoteaf(b"a'\n")), r"'''a'\'''$'\n'");
        assert_eq!(text(quoteaf(b"\n'\n")), r"'\n'\'''$'\n'");
    }

    #[test]
    fn words_as_basename_prints_them() {
        let word = b"a\xff\n\\b\xe2\x80\x99c\xe2\x80\x98\x01\xc3\xa9'\"";
        assert_eq!(text(quote(word)), "‘a\\377\\n\\\\b\\’c‘\\001é'\"’");
        assert_eq!(text(quote(b"\xe2\x82")), "‘\\342\\202’");
    }
}
