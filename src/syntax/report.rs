//! What the parser says when it meets what it cannot read: bash's sentences and the lines it names.

use super::error::SyntaxError;
use super::parser::Reader;

impl Reader<'_> {
    /// The token that comes next does not fit.
    pub(super) fn unexpected(&mut self) -> SyntaxError {
        self.blanks();
        match self.operator() {
            Some(b"\n") => self.unexpected_token(b"newline"),
            Some(text) => self.unexpected_token(text),
            None if self.cursor.peek().is_none() => self.unexpected_end(),
            None => self.unexpected_word(),
        }
    }

    /// The word that comes next does not fit; it may itself be broken, which comes first.
    fn unexpected_word(&mut self) -> SyntaxError {
        let (start, frames) = (self.cursor.local(), self.cursor.frames());
        if let Err(error) = self.word() {
            return error;
        }
        let text = if frames == self.cursor.frames() {
            self.cursor.since(start).to_vec()
        } else {
            Vec::new()
        };
        self.unexpected_token(&text)
    }

    /// A token that does not fit was read, and the cursor stands behind it or at it.
    pub(super) fn unexpected_token(&mut self, text: &[u8]) -> SyntaxError {
        let source_line = self.cursor.line_around(self.cursor.local());
        SyntaxError {
            message: format!(
                "syntax error near unexpected token `{}'",
                String::from_utf8_lossy(text)
            ),
            line: self.cursor.line,
            context: Some(format!("`{}'", String::from_utf8_lossy(source_line))),
            incomplete: false,
            limit: false,
        }
    }

    /// The input ends inside a command.
    pub(super) fn unexpected_end(&mut self) -> SyntaxError {
        let message = match self.closer {
            0 => "syntax error: unexpected end of file".to_string(),
            closer => format!(
                "unexpected EOF while looking for matching `{}'",
                char::from(closer)
            ),
        };
        SyntaxError {
            message,
            line: self.cursor.line,
            context: None,
            incomplete: true,
            limit: false,
        }
    }

    /// The input ends before `closer`, which something on line `line` opened.
    pub(super) fn unclosed(&self, closer: u8, line: u32) -> SyntaxError {
        SyntaxError {
            message: format!(
                "unexpected EOF while looking for matching `{}'",
                char::from(closer)
            ),
            line,
            context: None,
            incomplete: true,
            limit: false,
        }
    }

    /// A sentence without a token.
    pub(super) fn plain_error(&self, message: impl Into<String>) -> SyntaxError {
        SyntaxError {
            message: message.into(),
            line: self.cursor.line,
            context: None,
            incomplete: false,
            limit: false,
        }
    }
}
