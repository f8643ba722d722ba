//! `[[ … ]]`

use super::ast::{CompoundKind, Cond, CondOp, Part, Word};
use super::parser::{Parsed, Reader};
use super::token::{QUOTING, class, is_meta};
use super::word::{Builder, Quote};

impl Reader<'_> {
    /// Production: `[[ expression ]]`
    pub(super) fn cond_command(&mut self) -> Parsed<CompoundKind> {
        self.cursor.bump_many(2);
        let cond = self.cond_or()?;
        self.newlines()?;
        if !self.at_cond_end() {
            return Err(self.cond_unexpected("syntax error in conditional expression"));
        }
        self.cursor.bump_many(2);
        Ok(CompoundKind::Cond(cond))
    }

    fn at_cond_end(&mut self) -> bool {
        self.cursor.looking_at(b"]]") && self.cursor.peek_at(2).is_none_or(is_meta)
    }

    /// Production: `a || b`
    fn cond_or(&mut self) -> Parsed<Cond> {
        let left = self.cond_and()?;
        self.newlines()?;
        if self.operator() != Some(b"||") {
            return Ok(left);
        }
        self.cursor.bump_many(2);
        let right = self.deeper(Self::cond_or)?;
        Ok(Cond::Or(Box::new(left), Box::new(right)))
    }

    /// Production: `a && b`
    fn cond_and(&mut self) -> Parsed<Cond> {
        let left = self.cond_term()?;
        self.newlines()?;
        if self.operator() != Some(b"&&") {
            return Ok(left);
        }
        self.cursor.bump_many(2);
        let right = self.deeper(Self::cond_and)?;
        Ok(Cond::And(Box::new(left), Box::new(right)))
    }

    /// Production: `! a`, `( a )`, `-op word`, `word op word`, `word`
    fn cond_term(&mut self) -> Parsed<Cond> {
        self.newlines()?;
        match self.cursor.peek() {
            Some(b'(') => return self.deeper(Self::cond_group),
            Some(b'!')
                if self
                    .cursor
                    .peek_at(1)
                    .is_some_and(|byte| is_meta(byte) && byte != b'(') =>
            {
                self.cursor.bump();
                let inner = self.deeper(Self::cond_term)?;
                return Ok(Cond::Not(Box::new(inner)));
            }
            _ => {}
        }
        if self.at_cond_end() || self.operator().is_some() || self.cursor.peek().is_none() {
            return Err(self.cond_unexpected("syntax error in conditional expression"));
        }
        let first = self.word()?;
        if let Some(operator) = unary_operator(&first) {
            if let Some(cond) = self.cond_unary(operator)? {
                return Ok(cond);
            }
        }
        self.cond_binary(first)
    }

    /// Production: `( expression )`
    fn cond_group(&mut self) -> Parsed<Cond> {
        self.cursor.bump();
        let inner = self.cond_or()?;
        self.newlines()?;
        if self.cursor.eat(b')') {
            Ok(Cond::Group(Box::new(inner)))
        } else {
            Err(self.cond_unexpected("expected `)'"))
        }
    }

    /// The operand of a unary operator.
    fn cond_unary(&mut self, operator: u8) -> Parsed<Option<Cond>> {
        self.blanks();
        if self.at_cond_end() || self.cursor.peek().is_none() || self.operator().is_some() {
            return Err(self.cond_unexpected("unexpected argument to conditional unary operator"));
        }
        Ok(Some(Cond::Unary(operator, self.word()?)))
    }

    /// What may follow a word: a binary operator and its right side, or nothing.
    fn cond_binary(&mut self, left: Word) -> Parsed<Cond> {
        self.blanks();
        let operator = match self.operator() {
            Some(b"<") => CondOp::Less,
            Some(b">") => CondOp::Greater,
            Some(b"&&" | b"||" | b")" | b"\n") => return Ok(Cond::Word(left)),
            Some(_) => return Err(self.cond_unexpected("conditional binary operator expected")),
            None if self.at_cond_end() || self.cursor.peek().is_none() => return Ok(Cond::Word(left)),
            None => match self.cond_operator()? {
                Some(operator) => operator,
                None => return Err(self.cond_unexpected("conditional binary operator expected")),
            },
        };
        if matches!(operator, CondOp::Less | CondOp::Greater) {
            self.cursor.bump();
        }
        self.blanks();
        let right = self.cond_operand(operator)?;
        Ok(Cond::Binary(operator, left, right))
    }

    /// A binary operator that is a word.
    fn cond_operator(&mut self) -> Parsed<Option<CondOp>> {
        let rest = self.cursor.rest();
        let length = rest.iter().position(|byte| is_meta(*byte)).unwrap_or(rest.len());
        let operator = match rest.get(..length).unwrap_or_default() {
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
            _ => return Ok(None),
        };
        self.cursor.skip(length);
        Ok(Some(operator))
    }

    /// The right side: extended patterns behind `==` and `!=`, an expression behind `=~`.
    fn cond_operand(&mut self, operator: CondOp) -> Parsed<Word> {
        match operator {
            CondOp::Regex => self.regex_operand(),
            CondOp::Match { .. } | CondOp::NotMatch => {
                let extglob = std::mem::replace(&mut self.extglob, true);
                let word = self.cond_word();
                self.extglob = extglob;
                word
            }
            _ => self.cond_word(),
        }
    }

    fn cond_word(&mut self) -> Parsed<Word> {
        if self.cursor.peek().is_none() || self.operator().is_some() && !self.at_pattern_parenthesis() {
            return Err(self.cond_unexpected("unexpected argument to conditional binary operator"));
        }
        self.word()
    }

    fn at_pattern_parenthesis(&mut self) -> bool {
        false
    }

    /// Production: the right side of `=~`: a word in which parentheses group, and `|` and blanks inside them are ordinary.
    fn regex_operand(&mut self) -> Parsed<Word> {
        let mut builder = Builder::default();
        let mut open = 0_usize;
        let line = self.cursor.line;
        self.tilde(&mut builder, b"/");
        loop {
            match self.cursor.peek() {
                None if open > 0 => return Err(self.unclosed(b')', line)),
                None => break,
                Some(byte) if class(byte) & QUOTING != 0 => {
                    self.quoted(&mut builder, Quote::Bare, byte)?;
                    continue;
                }
                Some(b'(') => open += 1,
                Some(b')') if open == 0 => break,
                Some(b')') => open -= 1,
                Some(b'|') if open == 0 && self.cursor.peek_at(1) == Some(b'|') => break,
                Some(b'|') => {}
                Some(byte) if open == 0 && is_meta(byte) => break,
                Some(_) => {}
            }
            if let Some(byte) = self.cursor.peek() {
                self.cursor.bump();
                builder.byte(byte);
            }
        }
        if builder.is_empty() {
            return Err(self.cond_unexpected("unexpected argument to conditional binary operator"));
        }
        Ok(builder.finish())
    }

    fn cond_unexpected(&mut self, message: &str) -> super::error::SyntaxError {
        self.plain_error(message)
    }
}

/// The letter of a word that is a unary operator.
fn unary_operator(word: &Word) -> Option<u8> {
    let [Part::Literal(text)] = word.parts.as_slice() else {
        return None;
    };
    match text.as_ref() {
        [b'-', letter] if b"abcdefghknoprstuvwxzGLNORS".contains(letter) => Some(*letter),
        _ => None,
    }
}
