//! The output of `bc` and `dc`: lines that are too long are broken with a backslash.

use super::Number;

/// Prints numbers and strings.
#[derive(Debug)]
pub struct Printer {
    /// What is to be written.
    pub out: Vec<u8>,
    column: usize,
    /// Characters a line has, the newline included; 0: as many as there are.
    width: usize,
    /// As POSIX has it: strings are not broken.
    standard: bool,
}

impl Printer {
    /// An empty line of at most `width` characters.
    pub fn new(width: usize, standard: bool) -> Self {
        Printer {
            out: Vec::new(),
            column: 0,
            width,
            standard,
        }
    }

    fn character(&mut self, byte: u8) {
        if byte == b'\n' {
            self.newline();
            return;
        }
        self.column += 1;
        if self.width > 0 && self.column == self.width - 1 {
            self.out.extend_from_slice(b"\\\n");
            self.column = 1;
        }
        self.out.push(byte);
    }

    /// Ends the line.
    pub fn newline(&mut self) {
        self.column = 0;
        self.out.push(b'\n');
    }

    /// A number.
    pub fn number(&mut self, value: &Number, base: u32) {
        for byte in value.to_base(base) {
            self.character(byte);
        }
    }

    /// A string as it is.
    pub fn text(&mut self, text: &[u8]) {
        for byte in text {
            self.string_character(*byte);
        }
    }

    fn string_character(&mut self, byte: u8) {
        if self.standard && byte != b'\n' {
            self.out.push(byte);
        } else {
            self.character(byte);
        }
    }

    /// A string of `print`. An escape that is not known prints nothing.
    pub fn escaped(&mut self, text: &[u8]) {
        let mut bytes = text.iter();
        while let Some(byte) = bytes.next() {
            if *byte != b'\\' {
                self.string_character(*byte);
                continue;
            }
            let meant = match bytes.next() {
                Some(b'a') => 7,
                Some(b'b') => 8,
                Some(b'f') => 12,
                Some(b'n') => b'\n',
                Some(b'q') => b'"',
                Some(b'r') => b'\r',
                Some(b't') => b'\t',
                Some(b'\\') => b'\\',
                _ => continue,
            };
            self.string_character(meant);
        }
    }
}
