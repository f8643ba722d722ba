//! What the parser says when it meets what it cannot read: bash's sentences and the lines it names.

use bstr::ByteSlice;

use super::error::SyntaxError;
use super::parser::Reader;
use super::word::Builder;

impl Reader<'_> {
    /// The token that comes next does not fit.
    pub(super) fn unexpected(&mut self) -> Box<SyntaxError> {
        self.blanks();
        match self.operator() {
            Some(b"\n") => {
                self.documents_first = true;
                self.unexpected_token(b"newline")
            }
            Some(text) => {
                self.cursor.bump_many(text.len());
                // bash looks one byte further when that could make another operator.
                if matches!(text, [_] | b";;" | b"<<") {
                    self.cursor.peek();
                }
                self.unexpected_token(text)
            }
            None if self.cursor.peek().is_none() => self.unexpected_end(),
            None if self.at_descriptor() => self.unexpected_descriptor(),
            None => self.unexpected_word(false),
        }
    }

    /// Digits or `{name}` before an operator stand where a word must.
    fn unexpected_descriptor(&mut self) -> Box<SyntaxError> {
        if self.cursor.peek() != Some(b'{') {
            let digits = self.name();
            return self.unexpected_token(&digits);
        }
        let length = self.cursor.rest().find_byteset(b"<>").map_or(0, |at| at + 1);
        self.cursor.skip(length);
        let before = self.cursor.since(0);
        let start = before.rfind_byteset(b" \t\n;|&").map_or(0, |at| at + 1);
        let text = String::from_utf8_lossy(self.cursor.since(start)).into_owned();
        self.near(format!("syntax error near `{text}'"))
    }

    /// The word that comes next does not fit; it may itself be broken, which comes first.
    pub(super) fn unexpected_word(&mut self, may_assign: bool) -> Box<SyntaxError> {
        let mut builder = Builder::default();
        let assignment = if may_assign {
            self.assignment(&mut builder)
        } else {
            Ok(None)
        };
        let text = match assignment {
            Err(error) => return error,
            Ok(Some(assign)) => super::print::print_assignment(&assign),
            Ok(None) => match self.word_rest(&mut builder) {
                Err(error) => return error,
                Ok(()) => super::print::print_word(&builder.finish()),
            },
        };
        self.cursor.peek();
        self.unexpected_token(&text)
    }

    /// A token that does not fit was read up to the cursor.
    pub(super) fn unexpected_token(&mut self, text: &[u8]) -> Box<SyntaxError> {
        let printable = !text.iter().any(u8::is_ascii_control);
        let shown = if printable {
            text.to_vec()
        } else {
            super::ansi::quote(text)
        };
        self.near(format!(
            "syntax error near unexpected token `{}'",
            String::from_utf8_lossy(&shown)
        ))
    }

    /// An error with the source line. When bash has read the here-documents that wait, it names the line behind them.
    fn near(&mut self, message: String) -> Box<SyntaxError> {
        let source_line = String::from_utf8_lossy(self.cursor.line_around(self.cursor.local())).into_owned();
        let mut line = self.cursor.line;
        if self.documents_first && !self.pending.is_empty() {
            self.skip_line();
            if let Err(error) = self.here_documents() {
                return error;
            }
            line = self.cursor.line_before();
            self.line_skipped = true;
        }
        Box::new(SyntaxError {
            message,
            line,
            context: Some(format!("`{source_line}'")),
            before: Vec::new(),
            incomplete: false,
            ends_input: false,
            at_end: false,
            resumes: false,
            limit: None,
            ends_shell: false,
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
            at_end: false,
            resumes: false,
            limit: None,
            ends_shell: false,
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
            at_end: false,
            resumes: false,
            limit: None,
            ends_shell: false,
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
            at_end: false,
            resumes: false,
            limit: None,
            ends_shell: false,
        })
    }
}
