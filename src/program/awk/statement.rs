//! Statements.

use super::code::{ArrayRef, Op, Redirection, Target};
use super::expression::Parsed;
use super::lexer::{Keyword, Token};
use super::parser::{Context, Loop, Parser, Parsing};

impl Parser<'_> {
    /// `{ … }`
    pub(super) fn block(&mut self) -> Parsing<()> {
        self.deeper(|parser| {
            parser.expect("{")?;
            loop {
                parser.skip_newlines()?;
                if parser.take("}")? {
                    return Ok(());
                }
                parser.statement()?;
            }
        })
    }

    /// A statement with what ends it.
    fn statement(&mut self) -> Parsing<()> {
        match self.token.clone() {
            Token::Sign("{") => self.block(),
            Token::Sign(";") => self.advance(),
            Token::Keyword(Keyword::If) => self.deeper(Parser::if_statement),
            Token::Keyword(Keyword::While) => self.deeper(Parser::while_statement),
            Token::Keyword(Keyword::Do) => self.deeper(Parser::do_statement),
            Token::Keyword(Keyword::For) => self.deeper(Parser::for_statement),
            Token::Keyword(Keyword::Switch) => self.deeper(Parser::switch_statement),
            _ => {
                self.simple_statement()?;
                self.end_of_statement()
            }
        }
    }

    /// The statement that `if`, `while` and the like govern.
    fn body(&mut self) -> Parsing<()> {
        self.skip_newlines()?;
        self.statement()
    }

    fn end_of_statement(&mut self) -> Parsing<()> {
        if self.take(";")? || self.is("}") || self.token == Token::End {
            return Ok(());
        }
        if self.token == Token::Newline {
            return self.skip_newlines();
        }
        Err(self.unexpected())
    }

    /// An expression for its truth.
    pub(super) fn condition(&mut self) -> Parsing<()> {
        let parsed = self.expression()?;
        self.value(parsed)
    }

    fn parenthesized_condition(&mut self) -> Parsing<()> {
        self.expect("(")?;
        self.condition()?;
        self.expect(")")
    }

    fn if_statement(&mut self) -> Parsing<()> {
        self.advance()?;
        self.parenthesized_condition()?;
        let skip = self.emit(Op::JumpIfFalse(0));
        self.body()?;
        self.skip_newlines()?;
        // A semicolon of its own may stand before `else`.
        if !self.is_keyword(Keyword::Else) {
            self.land(skip);
            return Ok(());
        }
        self.advance()?;
        let end = self.emit(Op::Jump(0));
        self.land(skip);
        self.body()?;
        self.land(end);
        Ok(())
    }

    /// The body of a loop, whose `continue` and `break` are left in what is given back.
    fn loop_body(&mut self) -> Parsing<Loop> {
        self.loops.push(Loop::default());
        self.body()?;
        Ok(self.loops.pop().unwrap_or_default())
    }

    fn land_all(&mut self, jumps: Vec<usize>) {
        for jump in jumps {
            self.land(jump);
        }
    }

    /// The body, and the jump back to the `begin`; the jump at `end` leads behind it.
    fn rest_of_loop(&mut self, begin: u32, end: usize) -> Parsing<()> {
        let inner = if self.take(";")? {
            Loop::default()
        } else {
            self.loop_body()?
        };
        inner.continues.into_iter().for_each(|jump| self.aim(jump, begin));
        self.emit(Op::Jump(begin));
        self.land(end);
        self.land_all(inner.breaks);
        Ok(())
    }

    fn while_statement(&mut self) -> Parsing<()> {
        self.advance()?;
        let begin = self.here();
        self.parenthesized_condition()?;
        let end = self.emit(Op::JumpIfFalse(0));
        self.rest_of_loop(begin, end)
    }

    fn do_statement(&mut self) -> Parsing<()> {
        self.advance()?;
        let begin = self.here();
        let inner = self.loop_body()?;
        self.skip_newlines()?;
        if !self.is_keyword(Keyword::While) {
            return Err(self.unexpected());
        }
        self.advance()?;
        self.land_all(inner.continues);
        self.parenthesized_condition()?;
        self.emit(Op::JumpIfTrue(begin));
        self.land_all(inner.breaks);
        self.end_of_statement()
    }

    fn for_statement(&mut self) -> Parsing<()> {
        self.advance()?;
        self.expect("(")?;
        if let Some((variable, array)) = self.for_in_head()? {
            return self.for_in(&variable, array);
        }
        if !self.is(";") {
            self.simple_statement()?;
        }
        self.expect(";")?;
        self.skip_newlines()?;
        let begin = self.here();
        let mut end = None;
        if !self.is(";") {
            self.condition()?;
            end = Some(self.emit(Op::JumpIfFalse(0)));
        }
        self.expect(";")?;
        self.skip_newlines()?;
        // The step stands before the body and is jumped over at first.
        let over = self.emit(Op::Jump(0));
        let step = self.here();
        if !self.is(")") {
            self.simple_statement()?;
        }
        self.emit(Op::Jump(begin));
        self.expect(")")?;
        self.land(over);
        let inner = if self.take(";")? {
            Loop::default()
        } else {
            self.loop_body()?
        };
        inner.continues.into_iter().for_each(|jump| self.aim(jump, step));
        self.emit(Op::Jump(step));
        if let Some(end) = end {
            self.land(end);
        }
        self.land_all(inner.breaks);
        Ok(())
    }

    /// `NAME in NAME )` or `NAME in NAME[…] )`, or nothing read.
    fn for_in_head(&mut self) -> Parsing<Option<(Vec<u8>, ArrayRef)>> {
        let (position, token, start) = (self.lexer.position(), self.token.clone(), self.start);
        if let Token::Name(variable) = token.clone() {
            self.advance()?;
            if self.is_keyword(Keyword::In) {
                self.advance()?;
                if let Token::Name(array) = self.token.clone()
                    && self.is_array_and_parenthesis()?
                {
                    self.advance()?;
                    let array = ArrayRef::Variable(self.variable(&array));
                    let array = self.subarray_path(array)?;
                    self.expect(")")?;
                    return Ok(Some((variable, array)));
                }
            }
        }
        self.lexer.rewind(position);
        (self.token, self.start) = (token, start);
        Ok(None)
    }

    /// Looks ahead whether `)` follows a name and what is in brackets behind it.
    fn is_array_and_parenthesis(&mut self) -> Parsing<bool> {
        let (position, token, start) = (self.lexer.position(), self.token.clone(), self.start);
        self.advance()?;
        let mut depth = 0;
        while depth > 0 || self.is("[") {
            match &self.token {
                Token::Sign("[") => depth += 1,
                Token::Sign("]") => depth -= 1,
                Token::End => break,
                _ => {}
            }
            self.advance()?;
        }
        let found = self.is(")");
        self.lexer.rewind(position);
        (self.token, self.start) = (token, start);
        Ok(found)
    }

    fn for_in(&mut self, variable: &[u8], array: ArrayRef) -> Parsing<()> {
        let target = self.target(variable);
        self.emit(Op::Walk(array));
        let begin = self.here();
        let end = self.emit(Op::WalkNext(0));
        self.emit(Op::Assign(target));
        self.emit(Op::Drop);
        self.rest_of_loop(begin, end)?;
        self.emit(Op::WalkEnd);
        Ok(())
    }

    fn switch_statement(&mut self) -> Parsing<()> {
        self.advance()?;
        self.parenthesized_condition()?;
        self.skip_newlines()?;
        self.expect("{")?;
        self.loops.push(Loop {
            is_switch: true,
            ..Loop::default()
        });
        let mut next_test = Some(self.emit(Op::Jump(0)));
        let mut default = None;
        let mut falls_through = None;
        loop {
            self.skip_newlines()?;
            if self.take("}")? {
                break;
            }
            let is_default = self.is_keyword(Keyword::Default);
            if is_default {
                self.advance()?;
            } else if self.is_keyword(Keyword::Case) {
                self.advance()?;
                if let Some(test) = next_test.take() {
                    self.land(test);
                }
                self.case_label()?;
                next_test = Some(self.emit(Op::JumpIfFalse(0)));
            } else {
                return Err(self.unexpected());
            }
            self.expect(":")?;
            if let Some(jump) = falls_through.take() {
                self.land(jump);
            }
            if is_default {
                default = Some(self.here());
            }
            self.case_body()?;
            falls_through = Some(self.emit(Op::Jump(0)));
        }
        if let Some(test) = next_test {
            self.land(test);
        }
        if let Some(default) = default {
            self.emit(Op::Jump(default));
        }
        if let Some(jump) = falls_through {
            self.land(jump);
        }
        let inner = self.loops.pop().unwrap_or_default();
        self.land_all(inner.breaks);
        self.emit(Op::Drop);
        Ok(())
    }

    fn case_label(&mut self) -> Parsing<()> {
        let regex = match self.token.clone() {
            Token::Sign("/" | "/=") => {
                let regex = self.regex_token()?;
                Some(self.regex(regex)?)
            }
            Token::Number(_) | Token::Text(_) | Token::TypedRegex(_) | Token::Sign("-" | "+") => {
                let parsed = self.unary()?;
                self.value(parsed)?;
                None
            }
            _ => return Err(self.unexpected()),
        };
        self.emit(Op::Case(regex));
        Ok(())
    }

    fn case_body(&mut self) -> Parsing<()> {
        loop {
            self.skip_newlines()?;
            if self.is("}") || self.is_keyword(Keyword::Case) || self.is_keyword(Keyword::Default) {
                return Ok(());
            }
            self.statement()?;
        }
    }

    /// A statement that may stand in the head of `for`.
    fn simple_statement(&mut self) -> Parsing<()> {
        match self.token.clone() {
            Token::Keyword(Keyword::Print) => self.print(false),
            Token::Keyword(Keyword::Printf) => self.print(true),
            Token::Keyword(Keyword::Next) => self.next_statement("next", Op::Next),
            Token::Keyword(Keyword::NextFile) => self.next_statement("nextfile", Op::NextFile),
            Token::Keyword(Keyword::Exit) => {
                self.advance()?;
                let has_value = !self.at_end_of_statement();
                if has_value {
                    self.condition()?;
                }
                self.emit(Op::Exit(has_value));
                Ok(())
            }
            Token::Keyword(Keyword::Return) => self.return_statement(),
            Token::Keyword(Keyword::Break) => self.break_statement(),
            Token::Keyword(Keyword::Continue) => self.continue_statement(),
            Token::Keyword(Keyword::Delete) => self.delete_statement(),
            _ => {
                let parsed = self.expression()?;
                self.value(parsed)?;
                self.emit(Op::Drop);
                Ok(())
            }
        }
    }

    fn at_end_of_statement(&self) -> bool {
        matches!(self.token, Token::Newline | Token::End) || self.is(";") || self.is("}") || self.is(")")
    }

    fn next_statement(&mut self, name: &str, op: Op) -> Parsing<()> {
        let place = match self.context {
            Context::Begin => "BEGIN",
            Context::End => "END",
            Context::BeginFile if op == Op::Next => "BEGINFILE",
            Context::EndFile => "ENDFILE",
            _ => "",
        };
        if !place.is_empty() {
            return Err(self.plain_error(format!("error: `{name}' used in {place} action").as_bytes()));
        }
        self.advance()?;
        self.emit(op);
        Ok(())
    }

    fn return_statement(&mut self) -> Parsing<()> {
        if self.context != Context::Function {
            return Err(self.error("`return' used outside function context"));
        }
        self.advance()?;
        if self.at_end_of_statement() {
            self.emit(Op::Unset);
        } else {
            self.condition()?;
        }
        self.emit(Op::Return);
        Ok(())
    }

    fn break_statement(&mut self) -> Parsing<()> {
        if self.loops.is_empty() {
            return Err(self.repeated_error(b"error: `break' is not allowed outside a loop or switch"));
        }
        self.advance()?;
        let jump = self.emit(Op::Jump(0));
        if let Some(inner) = self.loops.last_mut() {
            inner.breaks.push(jump);
        }
        Ok(())
    }

    fn continue_statement(&mut self) -> Parsing<()> {
        let Some(target) = self.loops.iter().rposition(|inner| !inner.is_switch) else {
            return Err(self.repeated_error(b"error: `continue' is not allowed outside a loop"));
        };
        self.advance()?;
        for _ in target + 1..self.loops.len() {
            self.emit(Op::Drop);
        }
        let jump = self.emit(Op::Jump(0));
        if let Some(inner) = self.loops.get_mut(target) {
            inner.continues.push(jump);
        }
        Ok(())
    }

    fn delete_statement(&mut self) -> Parsing<()> {
        self.advance()?;
        let Token::Name(name) = self.token.clone() else {
            return Err(self.unexpected());
        };
        self.advance()?;
        let array = ArrayRef::Variable(self.variable(&name));
        if !self.is("[") {
            self.emit(Op::DeleteAll(array));
            return Ok(());
        }
        let array = self.subscripts(array)?;
        self.emit(Op::Delete(array));
        Ok(())
    }

    fn print(&mut self, formatted: bool) -> Parsing<()> {
        self.advance()?;
        let count = self.print_arguments()?;
        let kind = match &self.token {
            Token::Sign(">") => Some(Redirection::File),
            Token::Sign(">>") => Some(Redirection::Append),
            Token::Sign("|") => Some(Redirection::Pipe),
            Token::Sign("|&") => Some(Redirection::Coprocess),
            _ => None,
        };
        if kind.is_some() {
            self.advance()?;
            let parsed = self.without_greater(Parser::common)?;
            self.value(parsed)?;
        }
        self.emit(if formatted {
            Op::Printf {
                count,
                redirection: kind,
            }
        } else {
            Op::Print {
                count,
                redirection: kind,
            }
        });
        Ok(())
    }

    fn print_arguments(&mut self) -> Parsing<u32> {
        let ends = self.at_end_of_statement() || [">", ">>", "|", "|&"].iter().any(|sign| self.is(sign));
        if ends {
            return Ok(0);
        }
        let first = self.without_greater(Parser::expression)?;
        if let Parsed::Group(count) = first {
            return Ok(count);
        }
        self.value(first)?;
        let mut count = 1;
        while self.take(",")? {
            self.skip_newlines()?;
            let parsed = self.without_greater(Parser::expression)?;
            self.value(parsed)?;
            count += 1;
        }
        Ok(count)
    }

    /// What a name stands for as something to assign to.
    pub(super) fn target(&mut self, name: &[u8]) -> Target {
        let place = self.variable(name);
        super::code::Special::at(place).map_or(Target::Variable(place), Target::Special)
    }
}
