//! Characters of a script, one at a time, with the position that error messages name.

/// Where a piece of script comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// The Nth `-e`.
    Expression(usize),
    /// A file of `-f`.
    File(Vec<u8>),
}

/// Why a script is not run: the whole message, without `sed: `, and the exit status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScriptError {
    pub message: Vec<u8>,
    pub status: i32,
}

/// A reader of one piece of script.
#[derive(Debug)]
pub struct Scanner<'a> {
    text: &'a [u8],
    at: usize,
    line: usize,
    pub source: Source,
}

impl<'a> Scanner<'a> {
    /// At the start of `text`.
    pub fn new(text: &'a [u8], source: Source) -> Scanner<'a> {
        Scanner {
            text,
            at: 0,
            line: 1,
            source,
        }
    }

    /// The line that is read, from 1.
    pub fn line(&self) -> usize {
        self.line
    }

    /// How many characters are read.
    pub fn position(&self) -> usize {
        self.at
    }

    /// The next byte.
    pub fn next(&mut self) -> Option<u8> {
        let byte = self.text.get(self.at).copied()?;
        self.at += 1;
        self.line += usize::from(byte == b'\n');
        Some(byte)
    }

    /// The next byte, not read yet.
    pub fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    /// Unreads a byte that [`Scanner::next`] gave.
    pub fn back(&mut self, byte: Option<u8>) {
        if let Some(byte) = byte {
            self.at = self.at.saturating_sub(1);
            self.line -= usize::from(byte == b'\n');
        }
    }

    /// The next byte behind blanks.
    pub fn next_nonblank(&mut self) -> Option<u8> {
        loop {
            match self.next() {
                Some(b' ' | b'\t') => {}
                byte => return byte,
            }
        }
    }

    /// A number whose first digit was read.
    pub fn number(&mut self, first: u8) -> u64 {
        let mut value = u64::from(first - b'0');
        while let Some(digit @ b'0'..=b'9') = self.peek() {
            self.at += 1;
            value = value.wrapping_mul(10).wrapping_add(u64::from(digit - b'0'));
        }
        value
    }

    /// A label: what is before white space, `;` or `}`.
    pub fn label(&mut self) -> Vec<u8> {
        let mut label = Vec::new();
        let mut byte = self.next_nonblank();
        while let Some(letter) = byte.filter(|byte| !byte.is_ascii_whitespace() && !b";}".contains(byte)) {
            label.push(letter);
            byte = self.next();
        }
        self.back(byte);
        label
    }

    /// A file name: the rest of the line.
    pub fn file_name(&mut self) -> Vec<u8> {
        let mut name = Vec::new();
        let mut byte = self.next_nonblank();
        while let Some(letter) = byte.filter(|byte| *byte != b'\n') {
            name.push(letter);
            byte = self.next();
        }
        name
    }

    /// Text up to `delimiter`, as GNU's `match_slash`: a backslash in front of the delimiter goes, `\n` in a regular
    /// expression becomes a newline. `None` when the delimiter does not come.
    pub fn delimited(&mut self, delimiter: u8, is_regex: bool) -> Option<Vec<u8>> {
        let mut text = Vec::new();
        loop {
            let mut byte = self.next()?;
            if byte == b'\n' {
                // Errors are about the line that ends here.
                self.back(Some(byte));
                return None;
            }
            if byte == delimiter {
                return Some(text);
            }
            if byte == b'[' && is_regex {
                self.bracket(&mut text)?;
                continue;
            }
            if byte == b'\\' {
                byte = self.next()?;
                if byte == b'n' && is_regex && delimiter != b'n' {
                    byte = b'\n';
                } else if byte != b'\n' && (byte != delimiter || (!is_regex && byte == b'&')) {
                    text.push(b'\\');
                }
            }
            text.push(byte);
        }
    }

    /// A bracket expression whose `[` was read: the delimiter is a character like others in it.
    fn bracket(&mut self, text: &mut Vec<u8>) -> Option<()> {
        text.push(b'[');
        for first in [b'^', b']'] {
            if self.peek() == Some(first) {
                text.extend(self.next());
            }
        }
        // The character that ends a class such as `[:alpha:]`.
        let mut class = None;
        loop {
            let byte = self.next()?;
            if byte == b'\n' {
                self.back(Some(byte));
                return None;
            }
            text.push(byte);
            let next = self.peek();
            match class {
                None if byte == b']' => return Some(()),
                None if byte == b'[' && matches!(next, Some(b':' | b'.' | b'=')) => {
                    class = next;
                    text.extend(self.next());
                }
                Some(end) if byte == end && next == Some(b']') => {
                    class = None;
                    text.extend(self.next());
                }
                _ => {}
            }
        }
    }

    /// `-e expression #1, char 3: SENTENCE` or `file x line 2: SENTENCE`.
    pub fn error(&self, sentence: impl AsRef<[u8]>) -> ScriptError {
        self.error_at(self.at, self.line, sentence)
    }

    /// The same about another place.
    pub fn error_at(&self, character: usize, line: usize, sentence: impl AsRef<[u8]>) -> ScriptError {
        error_in(&self.source, character, line, sentence)
    }
}

/// An error in a piece of script that is no longer read.
pub fn error_in(source: &Source, character: usize, line: usize, sentence: impl AsRef<[u8]>) -> ScriptError {
    let place = match source {
        Source::Expression(number) => format!("-e expression #{number}, char {character}: ").into_bytes(),
        Source::File(name) => [b"file ", name.as_slice(), format!(" line {line}: ").as_bytes()].concat(),
    };
    ScriptError {
        message: [&place, sentence.as_ref()].concat(),
        status: 1,
    }
}
