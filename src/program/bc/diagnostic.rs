//! What `bc` says about the text that it reads.

/// What is done with what POSIX does not have.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Strictness {
    /// It is taken.
    Gnu,
    /// It is taken with a warning (`-w`).
    Warn,
    /// It is an error (`-s`).
    Standard,
}

/// Messages about one item of the program.
#[derive(Debug)]
pub struct Diagnostics {
    /// The name of the source.
    name: Vec<u8>,
    strictness: Strictness,
    /// What is to be printed on standard error.
    pub text: Vec<u8>,
    /// What is to be printed on standard output: answers to `limits` and `warranty`.
    pub output: Vec<u8>,
    /// The item will not run.
    pub failed: bool,
}

impl Diagnostics {
    /// Nothing so far.
    pub fn new(name: &[u8], strictness: Strictness) -> Self {
        Diagnostics {
            name: name.to_vec(),
            strictness,
            text: Vec::new(),
            output: Vec::new(),
            failed: false,
        }
    }

    fn located(&mut self, line: usize, prefix: &str, message: &[u8]) {
        self.text.extend_from_slice(&self.name);
        self.text
            .extend_from_slice(format!(" {line}: {prefix}").as_bytes());
        self.text.extend_from_slice(message);
        self.text.push(b'\n');
    }

    /// An error.
    pub fn error(&mut self, line: usize, message: &str) {
        self.failed = true;
        self.located(line, "", message.as_bytes());
    }

    /// Something that POSIX does not have.
    pub fn nonstandard(&mut self, line: usize, message: &[u8]) {
        match self.strictness {
            Strictness::Gnu => {}
            Strictness::Warn => self.located(line, "(Warning) ", message),
            Strictness::Standard => {
                self.failed = true;
                self.located(line, "Error: ", message);
            }
        }
    }

    /// An answer.
    pub fn answer(&mut self, text: &str) {
        self.output.extend_from_slice(text.as_bytes());
    }

    /// A line as it is.
    pub fn raw(&mut self, line: &str) {
        self.text.extend_from_slice(line.as_bytes());
    }
}
