//! `[[ … ]]`: a small language of its own, read as bash reads it.
//!
//! Errors here have their own sentences, and bash then takes the input as ended: see
//! [`SyntaxError::ends_input`]. Newlines are passed before a term and behind a complete one, but not behind a lone word.

use super::ast::{CompoundKind, Cond, CondOp, Part, Word};
use super::error::SyntaxError;
use super::parser::{Parsed, Reader};
use super::token::{QUOTING, class, is_meta};
use super::word::{Builder, Quote};

/// What may come next in `[[`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CondToken {
    Word,
    Operator(&'static [u8]),
    /// `]]`
    Close,
    /// Digits or `{name}` directly before `<` or `>`, which bash takes for the start of a redirection.
    Descriptor,
    End,
}

impl CondToken {
    /// As bash shows it; a word is not shown.
    fn shown(self) -> Option<&'static str> {
        match self {
            Self::Word | Self::Descriptor => None,
            Self::Operator(b"\n") => Some("newline"),
            Self::Operator(text) => std::str::from_utf8(text).ok(),
            Self::Close => Some("]]"),
            Self::End => Some("EOF"),
        }
    }
}

impl Reader<'_> {
    /// Production: `[[ expression ]]`
    pub(super) fn cond_command(&mut self) -> Parsed<CompoundKind> {
        let line = self.cursor.line;
        self.cursor.bump_many(2);
        if self.env.cond_open() {
            self.blanks();
            return Err(self.unexpected());
        }
        let cond = self.cond_or()?;
        match self.cond_token() {
            CondToken::Close => {
                self.cursor.bump_many(2);
                Ok(CompoundKind::Cond(Box::new(cond)))
            }
            CondToken::End => Err(cond_error(line, "unexpected EOF while looking for `]]'")),
            CondToken::Word => {
                self.cond_word(Some(line), "unexpected EOF while looking for `]]'")?;
                Err(cond_error(line, "syntax error in conditional expression"))
            }
            token => Err(match token.shown() {
                Some(shown) => cond_error(
                    line,
                    format!("syntax error in conditional expression: unexpected token `{shown}'"),
                ),
                None => cond_error(line, "syntax error in conditional expression"),
            }),
        }
    }

    /// What comes next.
    fn cond_token(&mut self) -> CondToken {
        self.blanks();
        match self.cursor.peek() {
            None => CondToken::End,
            Some(b']') if self.cursor.looking_at(b"]]") && self.cursor.peek_at(2).is_none_or(is_meta) => {
                CondToken::Close
            }
            Some(b'0'..=b'9' | b'{') if self.at_descriptor() => CondToken::Descriptor,
            Some(_) => self.operator().map_or(CondToken::Word, CondToken::Operator),
        }
    }

    /// Production: `a || b`
    fn cond_or(&mut self) -> Parsed<Cond> {
        let left = self.cond_and();
        if left.is_err() || self.cond_token() != CondToken::Operator(b"||") {
            return left;
        }
        self.cond_right(left?, Self::cond_or, Cond::Or)
    }

    /// An operator of two bytes and what stands behind it.
    fn cond_right(
        &mut self,
        left: Cond,
        production: fn(&mut Self) -> Parsed<Cond>,
        join: fn(Box<Cond>, Box<Cond>) -> Cond,
    ) -> Parsed<Cond> {
        self.cursor.bump_many(2);
        let right = self.deeper(production)?;
        Ok(join(Box::new(left), Box::new(right)))
    }

    /// Production: `a && b`
    fn cond_and(&mut self) -> Parsed<Cond> {
        let left = self.cond_term();
        if left.is_err() || self.cond_token() != CondToken::Operator(b"&&") {
            return left;
        }
        self.cond_right(left?, Self::cond_and, Cond::And)
    }

    /// Production: `! a`, `( a )`, `-op word`, `word op word`, `word`
    fn cond_term(&mut self) -> Parsed<Cond> {
        self.newlines()?;
        match self.cond_token() {
            CondToken::Close => Err(cond_error(self.cursor.line, "")),
            CondToken::Operator(b"(") => self.deeper(Self::cond_group),
            CondToken::Word if self.at_cond_not() => {
                self.cursor.bump();
                self.deeper(Self::cond_term)
                    .map(|inner| Cond::Not(Box::new(inner)))
            }
            CondToken::Word => self.cond_words(),
            CondToken::Descriptor => Err(cond_error(
                self.cursor.line,
                "unexpected token 284 in conditional command",
            )),
            token => Err(self.unexpected_in_cond(token)),
        }
    }

    fn unexpected_in_cond(&mut self, token: CondToken) -> Box<SyntaxError> {
        let shown = token.shown().unwrap_or_default();
        let message = format!("unexpected token `{shown}' in conditional command");
        cond_error(self.end_line_at(token), message)
    }

    fn end_line_at(&mut self, token: CondToken) -> u32 {
        if token == CondToken::End {
            self.end_line()
        } else {
            self.cursor.line
        }
    }

    /// A word that is `!`.
    fn at_cond_not(&mut self) -> bool {
        self.cursor.peek() == Some(b'!')
            && self
                .cursor
                .peek_at(1)
                .is_none_or(|next| is_meta(next) && !(next == b'(' && self.extglob))
    }

    /// Production: `( expression )`
    fn cond_group(&mut self) -> Parsed<Cond> {
        let line = self.cursor.line;
        self.cursor.bump();
        let inner = match self.cond_or() {
            Err(mut error) if error.ends_input => {
                error.follow(line, "expected `)'");
                return Err(error);
            }
            inner => inner?,
        };
        match self.cond_token() {
            CondToken::Operator(b")") => {
                self.cursor.bump();
                self.newlines()?;
                Ok(Cond::Group(Box::new(inner)))
            }
            token => Err(match token.shown() {
                Some(shown) => cond_error(line, format!("unexpected token `{shown}', expected `)'")),
                None => cond_error(line, "expected `)'"),
            }),
        }
    }

    /// A term that starts with a word.
    fn cond_words(&mut self) -> Parsed<Cond> {
        let first = self.cond_word(None, "unexpected token `\u{fffd}' in conditional command")?;
        let cond = match unary_operator(&first) {
            Some(operator) => {
                self.require_cond_word("unary")?;
                Cond::Unary(
                    operator,
                    self.cond_word(None, "unexpected argument to conditional unary operator")?,
                )
            }
            None => match self.cond_operator()? {
                Some(operator) => {
                    let right = self.cond_operand(operator)?;
                    Cond::Binary(operator, first, right)
                }
                None => return Ok(Cond::Word(first)),
            },
        };
        self.newlines()?;
        Ok(cond)
    }

    /// Fails unless a word comes next.
    fn require_cond_word(&mut self, kind: &str) -> Parsed<()> {
        let token = self.cond_token();
        if token == CondToken::Word {
            return Ok(());
        }
        let line = self.end_line_at(token);
        Err(match token.shown() {
            Some(shown) => cond_error(
                line,
                format!("unexpected argument `{shown}' to conditional {kind} operator"),
            ),
            None => cond_error(
                line,
                format!("unexpected argument to conditional {kind} operator"),
            ),
        })
    }

    /// The operator behind a word; `None` when the word stands alone.
    fn cond_operator(&mut self) -> Parsed<Option<CondOp>> {
        let token = self.cond_token();
        let operator = match token {
            CondToken::Close | CondToken::Operator(b"&&" | b"||" | b")") => return Ok(None),
            CondToken::Operator(b"<") => Some((CondOp::Less, 1)),
            CondToken::Operator(b">") => Some((CondOp::Greater, 1)),
            CondToken::Word => self.cond_operator_word(),
            _ => None,
        };
        if let Some((operator, length)) = operator {
            self.cursor.bump_many(length);
            return Ok(Some(operator));
        }
        if token == CondToken::Word {
            self.cond_word(None, "conditional binary operator expected")?;
        }
        let line = self.end_line_at(token);
        Err(match token.shown() {
            Some(shown) => cond_error(
                line,
                format!("unexpected token `{shown}', conditional binary operator expected"),
            ),
            None => cond_error(line, "conditional binary operator expected"),
        })
    }

    /// A binary operator that is a word, and its length.
    fn cond_operator_word(&mut self) -> Option<(CondOp, usize)> {
        let mut text = Vec::with_capacity(4);
        while let Some(byte) = self.cursor.peek_at(text.len()).filter(|byte| !is_meta(*byte)) {
            text.push(byte);
            if text.len() > 3 {
                return None;
            }
        }
        let operator = match text.as_slice() {
            b"=" => CondOp::Match { single: true },
            b"==" => CondOp::Match { single: false },
            b"!=" => CondOp::NotMatch,
            b"=~" => CondOp::Regex,
            b"-eq" => CondOp::Eq,
            b"-ne" => CondOp::Ne,
            b"-lt" => CondOp::Lt,
            b"-le" => CondOp::Le,
            b"-gt" => CondOp::Gt,
            b"-ge" => CondOp::Ge,
            b"-nt" => CondOp::Newer,
            b"-ot" => CondOp::Older,
            b"-ef" => CondOp::SameFile,
            _ => return None,
        };
        Some((operator, text.len()))
    }

    /// The right side: extended patterns behind `==` and `!=`, an expression behind `=~`.
    fn cond_operand(&mut self, operator: CondOp) -> Parsed<Word> {
        self.blanks();
        if operator == CondOp::Regex
            && !matches!(
                self.cond_token(),
                CondToken::Close | CondToken::End | CondToken::Operator(b"\n")
            )
        {
            return self.regex_operand().map_err(|error| self.then_argument(error));
        }
        let pattern = matches!(operator, CondOp::Match { .. } | CondOp::NotMatch);
        let extglob = self.extglob;
        self.extglob |= pattern;
        let word = self
            .require_cond_word("binary")
            .and_then(|()| self.cond_word(None, BINARY_ARGUMENT));
        self.extglob = extglob;
        word
    }

    /// Production: the right side of `=~`: a word in which `|` is ordinary, and everything up to the `)` that matches a `(`.
    fn regex_operand(&mut self) -> Parsed<Word> {
        let mut builder = Builder::default();
        let mut open = 0_usize;
        let mut line = self.cursor.line;
        self.tilde(&mut builder, b":/");
        loop {
            match self.cursor.peek() {
                None if open > 0 => return Err(self.unclosed(b')', line)),
                None => break,
                Some(byte) if class(byte) & QUOTING != 0 => {
                    self.quoted(&mut builder, Quote::Bare, byte)?;
                    continue;
                }
                Some(byte @ (b'<' | b'>')) if self.cursor.peek_at(1) == Some(b'(') && open == 0 => {
                    self.cursor.bump_many(2);
                    let part = self.process_substitution(byte == b'>')?;
                    builder.part_with(part, false);
                    continue;
                }
                Some(b'(') => {
                    if open == 0 {
                        line = self.cursor.line;
                    }
                    open += 1;
                }
                Some(b')') if open > 0 => open -= 1,
                Some(byte) if open == 0 && byte != b'|' && is_meta(byte) => break,
                Some(_) => {}
            }
            if let Some(byte) = self.cursor.peek() {
                self.cursor.bump();
                builder.byte(byte);
            }
        }
        Ok(builder.finish())
    }

    /// A word; when it has no end, bash goes on to complain about its place.
    fn cond_word(&mut self, line: Option<u32>, complaint: &str) -> Parsed<Word> {
        self.word().map_err(|mut error| {
            if error.incomplete {
                let line = line.unwrap_or_else(|| self.end_line());
                error.follow(line, complaint);
            }
            error
        })
    }

    /// The same for the right side of `=~`.
    fn then_argument(&mut self, mut error: Box<SyntaxError>) -> Box<SyntaxError> {
        if error.incomplete {
            error.follow(self.end_line(), BINARY_ARGUMENT);
        }
        error
    }
}

const BINARY_ARGUMENT: &str = "unexpected argument to conditional binary operator";

/// An error after which bash takes the input as ended.
pub(super) fn cond_error(line: u32, message: impl Into<String>) -> Box<SyntaxError> {
    let message = message.into();
    Box::new(SyntaxError {
        message,
        line,
        context: None,
        before: Vec::new(),
        incomplete: false,
        ends_input: true,
        at_end: false,
        resumes: false,
        limit: None,
        ends_shell: false,
    })
}

/// The letter of a word that is a unary operator.
fn unary_operator(word: &Word) -> Option<u8> {
    let [Part::Literal(text)] = word.parts.as_slice() else {
        return None;
    };
    match &**text {
        [b'-', letter] if b"abcdefghknoprstuvwxzGLNORS".contains(letter) => Some(*letter),
        _ => None,
    }
}
