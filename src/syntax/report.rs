//! What the parser says when it meets what it cannot read: bash's sentences and the lines it names.

use super::error::SyntaxError;
use super::parser::Reader;

impl Reader<'_> {
    /// The token that comes next does not fit.
    pub(super) fn unexpected(&mut self) -> Box<SyntaxError> {
        self.blanks();
        match self.operator() {
            Some(text) => {
                self.cursor.bump_many(text.len());
                let shown = if text == b"\n" { b"newline" } else { text };
                self.unexpected_token(shown)
            }
            None if self.cursor.peek().is_none() => self.unexpected_end(),
            None => self.unexpected_word(),
        }
    }

    /// The word that comes next does not fit; it may itself be broken, which comes first.
    fn unexpected_word(&mut self) -> Box<SyntaxError> {
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

    /// A token that does not fit was read, and the cursor stands behind it.
    pub(super) fn unexpected_token(&mut self, text: &[u8]) -> Box<SyntaxError> {
        let behind = self.cursor.local().saturating_sub(1);
        let source_line = String::from_utf8_lossy(self.cursor.line_around(behind)).into_owned();
        let line = self.cursor.line_before();
        Box::new(SyntaxError {
            message: format!(
                "syntax error near unexpected token `{}'",
                String::from_utf8_lossy(text)
            ),
            line,
            context: Some(format!("`{source_line}'")),
            before: Vec::new(),
            incomplete: false,
            ends_input: false,
            limit: false,
        })
    }

    /// The input ends inside a command.
    pub(super) fn unexpected_end(&mut self) -> Box<SyntaxError> {
        if self.closer != 0 {
            let line = self.end_line();
            return self.unclosed(self.closer, line);
        }
        let message = "syntax error: unexpected end of file".to_string();
        Box::new(SyntaxError {
            message,
            line: self.end_line(),
            context: None,
            before: Vec::new(),
            incomplete: true,
            ends_input: false,
            limit: false,
        })
    }

    /// The line that bash is at when the input has ended: the one that would come next.
    pub(super) fn end_line(&mut self) -> u32 {
        let ended = matches!(self.cursor.last_byte(), None | Some(b'\n'));
        self.cursor.line + u32::from(!ended)
    }

    /// The input ends before `closer`, which something on line `line` opened.
    pub(super) fn unclosed(&self, closer: u8, line: u32) -> Box<SyntaxError> {
        Box::new(SyntaxError {
            message: format!(
                "unexpected EOF while looking for matching `{}'",
                char::from(closer)
            ),
            line,
            context: None,
            before: Vec::new(),
            incomplete: true,
            ends_input: false,
            limit: false,
        })
    }

    /// A sentence without a token.
    pub(super) fn plain_error(&self, message: impl Into<String>) -> Box<SyntaxError> {
        let (message, line) = (message.into(), self.cursor.line);
        Box::new(SyntaxError {
            message,
            line,
            context: None,
            before: Vec::new(),
            incomplete: false,
            ends_input: false,
            limit: false,
        })
    }
}
