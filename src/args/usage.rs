//! Why a program stops before it starts: a complaint about its arguments, `--help`, or `--version`.
//!
//! The sentences of GNU usage errors live here alone. They are kept without the program's name, which is what the program
//! was called (`/bin/cat` as well as `cat`), known only when the text is printed.

use super::getopt::Parsed;
use super::spec::{Complaint, Spec};
use crate::text::gnu_quote::{quote, quoteaf};

/// Where the text goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// `--help` or `--version`: standard output.
    Output,
    /// A complaint: standard error.
    Complaint,
}

/// A complete answer to a command line that the program does not run with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsageError {
    /// Complaint or answer.
    pub outcome: Outcome,
    /// The exit status.
    pub status: u8,
    /// Lines that `name: ` goes before.
    messages: Vec<Vec<u8>>,
    /// What follows as it is; [`NAME`] stands for the name.
    tail: Vec<u8>,
}

/// Stands for the program's name in a tail.
pub(super) const NAME: u8 = 0;

impl UsageError {
    /// A complaint without anything after it.
    pub fn plain(status: u8, message: impl Into<Vec<u8>>) -> Self {
        let messages = vec![message.into()];
        UsageError {
            outcome: Outcome::Complaint,
            status,
            messages,
            tail: Vec::new(),
        }
    }

    pub(super) fn output(tail: Vec<u8>) -> Self {
        UsageError {
            outcome: Outcome::Output,
            status: 0,
            messages: Vec::new(),
            tail,
        }
    }

    /// The same with lines after the message, before the Try line.
    #[must_use]
    pub fn with_lines(mut self, lines: &[u8]) -> Self {
        self.tail.splice(0..0, lines.iter().copied());
        self
    }

    /// The same with another exit status.
    #[must_use]
    pub fn with_status(self, status: u8) -> Self {
        UsageError { status, ..self }
    }

    /// The same after another complaint (`sleep x y` complains about both).
    #[must_use]
    pub fn after(mut self, message: impl Into<Vec<u8>>) -> Self {
        self.messages.insert(0, message.into());
        self
    }

    /// Everything that is printed when the program was called `name`.
    pub fn text(&self, name: &[u8]) -> Vec<u8> {
        let mut text = Vec::new();
        for message in &self.messages {
            text.extend_from_slice(name);
            text.extend_from_slice(b": ");
            text.extend_from_slice(message);
            text.push(b'\n');
        }
        for &byte in &self.tail {
            if byte == NAME {
                text.extend_from_slice(name);
            } else {
                text.push(byte);
            }
        }
        text
    }
}

impl<F: Copy + PartialEq> Spec<F> {
    /// A complaint with what this program says after one: `cat: MESSAGE`, `Try 'cat --help' for more information.`
    pub fn complain(&self, message: impl Into<Vec<u8>>) -> UsageError {
        let error = UsageError::plain(self.status, message);
        UsageError {
            tail: self.complaint_tail(),
            ..error
        }
    }

    /// What is printed after a complaint; alone for programs that print their usage without a message (`grep`).
    fn complaint_tail(&self) -> Vec<u8> {
        let text: &[u8] = match self.complaint {
            Complaint::Try => b"Try '\0 --help' for more information.\n",
            Complaint::NamedTry => b"\0: Try '\0 --help' for more information.\n",
            Complaint::UsageAndTry => return self.usage_and(b"Try '\0 --help' for more information.\n"),
            Complaint::UsageAndOptions => return self.usage_and(b"\nTry `\0 --help' for more options.\n"),
            Complaint::TryUsage => b"Try '\0 --help' or '\0 --usage' for more information.\n",
            Complaint::BackquotedTryUsage => b"Try `\0 --help' or `\0 --usage' for more information.\n",
            Complaint::BackquotedTry => b"Try `\0 --help' for more information.\n",
            Complaint::Help => return self.help_text(),
            Complaint::Silent => b"",
        };
        text.to_vec()
    }

    fn usage_and(&self, line: &[u8]) -> Vec<u8> {
        let usage = self.synopsis.first().copied().unwrap_or_default();
        [b"Usage: \0 ", usage.as_bytes(), b"\n", line].concat()
    }

    /// The usage without a message, as `grep` and `sed` print it when there is no operand at all.
    pub fn bare_usage(&self) -> UsageError {
        let tail = self.complaint_tail();
        UsageError {
            outcome: Outcome::Complaint,
            status: self.status,
            messages: Vec::new(),
            tail,
        }
    }

    /// `missing operand`.
    pub fn missing_operand(&self) -> UsageError {
        self.complain("missing operand")
    }

    /// `missing operand after 'x'`, quoted ‘x’.
    pub fn missing_operand_after(&self, operand: &[u8]) -> UsageError {
        self.complain([b"missing operand after ", &*quote(operand)].concat())
    }

    /// `missing file operand`.
    pub fn missing_file_operand(&self) -> UsageError {
        self.complain("missing file operand")
    }

    /// `missing destination file operand after 'x'`.
    pub fn missing_destination(&self, operand: &[u8]) -> UsageError {
        self.complain([b"missing destination file operand after ", &*quoteaf(operand)].concat())
    }

    /// `extra operand ‘x’`.
    pub fn extra_operand(&self, operand: &[u8]) -> UsageError {
        self.complain([b"extra operand ", &*quote(operand)].concat())
    }

    /// `SENTENCE ‘x’` without a Try line: `invalid number of lines: ‘x’`.
    pub fn invalid(&self, sentence: &str, value: &[u8]) -> UsageError {
        UsageError::plain(self.status, [sentence.as_bytes(), b" ", &*quote(value)].concat())
    }

    /// The operands, when there are from `least` to `most`.
    pub fn check_operands(&self, parsed: &Parsed<F>, least: usize, most: usize) -> Result<(), UsageError> {
        let operands = &parsed.operands;
        if let Some(extra) = operands.get(most) {
            return Err(self.extra_operand(extra));
        }
        match operands.last() {
            _ if operands.len() >= least => Ok(()),
            None => Err(self.missing_operand()),
            Some(last) => Err(self.missing_operand_after(last)),
        }
    }
}
