//! Redirections.

use super::ast::{Part, Redirect, RedirectFd, RedirectOp, Word};
use super::parser::{Parsed, Reader, weight};
use super::token::{NAME, class, is_meta, starts_name};

impl Reader<'_> {
    /// Production: a redirection, if one starts here.
    pub(super) fn redirect(&mut self) -> Parsed<Option<Redirect>> {
        let line = self.cursor.line;
        let prefix = match self.cursor.peek() {
            Some(b'<' | b'>') if self.cursor.peek_at(1) != Some(b'(') => 0,
            Some(b'&') if self.cursor.peek_at(1) == Some(b'>') => 0,
            Some(b'0'..=b'9') => self.digits_before_operator(),
            Some(b'{') => self.variable_before_operator(),
            _ => return Ok(None),
        };
        if prefix == 0 && matches!(self.cursor.peek(), Some(b'0'..=b'9' | b'{')) {
            return Ok(None);
        }
        let fd = self.redirect_fd(prefix)?;
        self.redirect_operator(fd, line).map(Some)
    }

    /// How many digits stand directly before `<` or `>`.
    fn digits_before_operator(&mut self) -> usize {
        let mut bytes = self.cursor.ahead().take(12).enumerate();
        match (bytes.find(|(_, byte)| !byte.is_ascii_digit()), bytes.next()) {
            (Some((_, b'<' | b'>')), Some((_, b'('))) => 0,
            (Some((length @ 1..=10, b'<' | b'>')), _) => length,
            _ => 0,
        }
    }

    /// How many bytes `{name}` or `{name[…]}` has, directly before `<` or `>`.
    fn variable_before_operator(&mut self) -> usize {
        let mut bytes = self.cursor.ahead().enumerate().skip(1).peekable();
        if !bytes.peek().is_some_and(|(_, byte)| starts_name(*byte)) {
            return 0;
        }
        let mut in_brackets = false;
        let end = bytes.find(|(_, byte)| {
            in_brackets |= *byte == b'[';
            is_meta(*byte)
                || if in_brackets {
                    *byte == b'}'
                } else {
                    class(*byte) & NAME == 0
                }
        });
        match (end, bytes.next(), bytes.next()) {
            (_, Some((_, b'<' | b'>')), Some((_, b'('))) => 0,
            (Some((length, b'}')), Some((_, b'<' | b'>')), _) => length + 1,
            _ => 0,
        }
    }

    /// Whether a descriptor stands directly before an operator here.
    pub(super) fn at_descriptor(&mut self) -> bool {
        match self.cursor.peek() {
            Some(b'{') => self.variable_before_operator() > 0,
            Some(b'0'..=b'9') => self.digits_before_operator() > 0,
            _ => false,
        }
    }

    /// Takes the `prefix` bytes before the operator.
    fn redirect_fd(&mut self, prefix: usize) -> Parsed<Option<RedirectFd>> {
        if prefix == 0 {
            return Ok(None);
        }
        if self.cursor.eat(b'{') {
            let name = self.name();
            let line = self.cursor.line;
            let subscript = if self.cursor.eat(b'[') {
                Some(self.subscript_text(line)?)
            } else {
                None
            };
            self.cursor.eat(b'}');
            return Ok(Some(RedirectFd::Variable(name, subscript)));
        }
        let digits = self.name();
        let number = std::str::from_utf8(&digits)
            .ok()
            .and_then(|digits| digits.parse().ok());
        Ok(Some(RedirectFd::Number(number.unwrap_or(u32::MAX))))
    }

    /// Production: the operator and its word.
    fn redirect_operator(&mut self, fd: Option<RedirectFd>, line: u32) -> Parsed<Redirect> {
        self.weigh(weight::REDIRECT)?;
        let Some(operator) = self.operator() else {
            return Err(self.unexpected());
        };
        self.cursor.bump_many(operator.len());
        self.blanks();
        let starts_word = self.cursor.peek().is_some() && self.operator().is_none();
        let duplicates = matches!(operator, b"<&" | b">&");
        let number = duplicates && self.cursor.peek() != Some(b'{');
        if !starts_word || !number && self.at_descriptor() {
            return Err(self.unexpected());
        }
        if matches!(operator, b"<<" | b"<<-") {
            let document = self.here_document(operator == b"<<-")?;
            return Ok(Redirect {
                fd,
                op: RedirectOp::HereDocument(document),
                line,
            });
        }
        let word = if duplicates && self.cursor.peek() == Some(b'-') {
            self.close_mark()
        } else if operator == b"<<<" {
            // Tildes count as on the right side of an assignment.
            self.assigned_word()?
        } else {
            self.word()?
        };
        let op = match operator {
            b"<" => RedirectOp::Read(word),
            b">" => RedirectOp::Write(word),
            b">|" => RedirectOp::Clobber(word),
            b">>" => RedirectOp::Append(word),
            b"<>" => RedirectOp::ReadWrite(word),
            b"&>" => RedirectOp::WriteBoth(word),
            b"&>>" => RedirectOp::AppendBoth(word),
            b"<&" => RedirectOp::DuplicateInput(word),
            b">&" => RedirectOp::DuplicateOutput(word),
            _ => RedirectOp::HereString(word),
        };
        Ok(Redirect { fd, op, line })
    }

    /// The `-` of `>&-` is a token of its own.
    fn close_mark(&mut self) -> Word {
        self.cursor.bump();
        Word {
            parts: vec![Part::Literal(b"-"[..].into())],
            pure: true,
            braces: false,
            assign: None,
            index: None,
        }
    }

    /// The redirections behind a compound command.
    pub(super) fn redirects(&mut self) -> Parsed<Vec<Redirect>> {
        let mut redirects = Vec::new();
        loop {
            self.blanks();
            match self.redirect()? {
                Some(redirect) => redirects.push(redirect),
                None => return Ok(redirects),
            }
        }
    }
}

/// Whether expanding the redirection can run nothing.
pub(super) fn is_pure(redirect: &Redirect) -> bool {
    let subscript_pure = match &redirect.fd {
        Some(RedirectFd::Variable(_, Some(subscript))) => subscript.pure,
        _ => true,
    };
    let word = match &redirect.op {
        RedirectOp::Read(word)
        | RedirectOp::Write(word)
        | RedirectOp::Clobber(word)
        | RedirectOp::Append(word)
        | RedirectOp::ReadWrite(word)
        | RedirectOp::WriteBoth(word)
        | RedirectOp::AppendBoth(word)
        | RedirectOp::DuplicateInput(word)
        | RedirectOp::DuplicateOutput(word)
        | RedirectOp::HereString(word) => word,
        RedirectOp::HereDocument(document) => &document.body,
    };
    subscript_pure && word.pure
}
