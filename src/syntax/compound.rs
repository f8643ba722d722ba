//! Compound commands: groups, loops, `if`, `case`, `select`, `(( … ))`.

use std::sync::Arc;

use super::ast::{Arith, CaseEnd, CaseItem, Compound, CompoundKind, List, Name, Word};
use super::dollar::arith;
use super::parser::{Parsed, Reader};
use super::token::Reserved;

/// More `elif` than this bash cannot read either: its parser has 10 000 states to stack.
const MOST_BRANCHES: usize = 2500;

/// What begins a command that is not simple.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CompoundStart {
    Parenthesis,
    Brace,
    If,
    While,
    Until,
    For,
    Select,
    Case,
    Cond,
    Function,
    Coproc,
    /// A reserved word that cannot begin a command.
    Closer,
}

impl CompoundStart {
    /// Whether it can be the body of a function.
    pub(super) fn is_body(self) -> bool {
        !matches!(self, Self::Function | Self::Coproc | Self::Closer)
    }
}

impl Reader<'_> {
    /// What the next token begins, when not a simple command.
    pub(super) fn compound_start(&mut self) -> Option<CompoundStart> {
        if self.cursor.peek() == Some(b'(') {
            return Some(CompoundStart::Parenthesis);
        }
        Some(match self.reserved()? {
            Reserved::OpenBrace => CompoundStart::Brace,
            Reserved::If => CompoundStart::If,
            Reserved::While => CompoundStart::While,
            Reserved::Until => CompoundStart::Until,
            Reserved::For => CompoundStart::For,
            Reserved::Select => CompoundStart::Select,
            Reserved::Case => CompoundStart::Case,
            Reserved::OpenCond => CompoundStart::Cond,
            Reserved::Function => CompoundStart::Function,
            Reserved::Coproc => CompoundStart::Coproc,
            // Behind a `|`, `time` is a command like others.
            Reserved::Time => return None,
            Reserved::Bang if self.extglob && self.cursor.peek_at(1) == Some(b'(') => return None,
            _ => CompoundStart::Closer,
        })
    }

    /// Production: a compound command and its redirections.
    pub(super) fn compound_with_redirects(&mut self, start: CompoundStart) -> Parsed<Arc<Compound>> {
        let line = self.cursor.line;
        self.compound(start).and_then(|kind| self.redirected(kind, line))
    }

    /// The redirections behind a compound command.
    fn redirected(&mut self, kind: CompoundKind, line: u32) -> Parsed<Arc<Compound>> {
        let redirects = self.redirects()?;
        Ok(Arc::new(Compound {
            kind,
            redirects,
            line,
        }))
    }

    fn compound(&mut self, start: CompoundStart) -> Parsed<CompoundKind> {
        match start {
            CompoundStart::Parenthesis => self.parenthesis(),
            CompoundStart::Brace => self.group().map(CompoundKind::Group),
            CompoundStart::If => self.if_command(),
            CompoundStart::While => self.while_loop(false),
            CompoundStart::Until => self.while_loop(true),
            CompoundStart::For => self.for_loop(),
            CompoundStart::Select => self.select(),
            CompoundStart::Case => self.case_command(),
            CompoundStart::Cond => self.cond_command(),
            CompoundStart::Function | CompoundStart::Coproc | CompoundStart::Closer => Err(self.unexpected()),
        }
    }

    /// Production: `(( … ))`, or a subshell when the parentheses do not match that way.
    fn parenthesis(&mut self) -> Parsed<CompoundKind> {
        if self.cursor.peek_at(1) == Some(b'(')
            && let Some(text) = self.attempt_arithmetic(2)?
        {
            return Ok(CompoundKind::Arith(Box::new(arith(text, false))));
        }
        self.subshell()
    }

    /// Production: `( list )`
    fn subshell(&mut self) -> Parsed<CompoundKind> {
        self.cursor.bump();
        let list = self.compound_list()?;
        self.blanks();
        if self.cursor.eat(b')') {
            Ok(CompoundKind::Subshell(Arc::new(list)))
        } else {
            Err(self.unexpected())
        }
    }

    /// Production: `{ list }`
    fn group(&mut self) -> Parsed<List> {
        self.cursor.bump();
        let list = self.compound_list()?;
        self.expect_reserved(Reserved::CloseBrace)?;
        Ok(list)
    }

    /// Production: `if list then list { elif list then list } [else list] fi`
    fn if_command(&mut self) -> Parsed<CompoundKind> {
        let mut branches = Vec::with_capacity(1);
        let mut opener = Reserved::If;
        loop {
            self.cursor.bump_many(opener.len());
            let condition = self.compound_list()?;
            self.expect_reserved(Reserved::Then)?;
            branches.push((condition, self.compound_list()?));
            if branches.len() > MOST_BRANCHES {
                return Err(self.too_large("too many branches", super::ParseLimit::Depth));
            }
            self.blanks();
            match self.reserved() {
                Some(Reserved::Elif) => opener = Reserved::Elif,
                _ => break,
            }
        }
        let otherwise = if self.eat_reserved(Reserved::Else) {
            Some(self.compound_list()?)
        } else {
            None
        };
        self.expect_reserved(Reserved::Fi)?;
        Ok(CompoundKind::If { branches, otherwise })
    }

    /// Production: `while list do list done`, and `until`.
    fn while_loop(&mut self, until: bool) -> Parsed<CompoundKind> {
        self.cursor.bump_many(5);
        let condition = self.compound_list()?;
        let body = self.do_group()?;
        Ok(CompoundKind::While {
            until,
            condition,
            body,
        })
    }

    /// Production: `do list done`
    fn do_group(&mut self) -> Parsed<List> {
        self.expect_reserved(Reserved::Do)?;
        let body = self.compound_list()?;
        self.expect_reserved(Reserved::Done)?;
        Ok(body)
    }

    /// Production: `do list done` or `{ list }`, the body of `for` and `select`.
    fn loop_body(&mut self) -> Parsed<List> {
        self.newlines()?;
        self.expand_aliases();
        if self.reserved() == Some(Reserved::OpenBrace) {
            self.group()
        } else {
            self.do_group()
        }
    }

    /// Production: `for name [in words] body`, or `for (( … ))`.
    fn for_loop(&mut self) -> Parsed<CompoundKind> {
        self.cursor.bump_many(Reserved::For.len());
        self.blanks();
        if self.cursor.peek() == Some(b'(') && self.cursor.peek_at(1) == Some(b'(') {
            return self.arithmetic_for();
        }
        let (name, words) = self.loop_head()?;
        Ok(CompoundKind::For {
            name,
            words,
            body: self.loop_body()?,
        })
    }

    /// Production: `select name [in words] body`
    fn select(&mut self) -> Parsed<CompoundKind> {
        self.cursor.bump_many(Reserved::Select.len());
        let (name, words) = self.loop_head()?;
        Ok(CompoundKind::Select {
            name,
            words,
            body: self.loop_body()?,
        })
    }

    /// Production: `name [in words] ;`, what stands before the body of `for` and `select`.
    fn loop_head(&mut self) -> Parsed<(Name, Option<Vec<Word>>)> {
        let word = self.required_word()?;
        let name = super::print::print_word(&word);
        self.blanks();
        if self.operator() == Some(b";") {
            self.cursor.bump();
            return Ok((name.into(), None));
        }
        self.newlines()?;
        if !self.eat_reserved(Reserved::In) {
            return Ok((name.into(), None));
        }
        let words = self.word_list()?;
        Ok((name.into(), Some(words)))
    }

    /// Production: words up to `;` or a newline.
    fn word_list(&mut self) -> Parsed<Vec<Word>> {
        let mut words = Vec::new();
        loop {
            self.blanks();
            match self.operator() {
                Some(b"\n") => {
                    self.newline()?;
                    return Ok(words);
                }
                Some(b";") => {
                    self.cursor.bump();
                    return Ok(words);
                }
                Some(_) => return Err(self.unexpected()),
                None if self.cursor.peek().is_none() => return Err(self.unexpected()),
                None if self.at_descriptor() => return Err(self.unexpected()),
                None => words.push(self.word()?),
            }
        }
    }

    /// Production: `for (( init; condition; update )) [;] body`
    fn arithmetic_for(&mut self) -> Parsed<CompoundKind> {
        let line = self.cursor.line;
        let (start, frames) = (self.cursor.local(), self.cursor.frames());
        self.cursor.bump_many(2);
        let mut sections = Vec::with_capacity(3);
        loop {
            sections.push(self.arithmetic_section(line)?);
            if !self.cursor.eat(b';') {
                break;
            }
        }
        if self.cursor.peek_at(1) != Some(b')') {
            return Err(super::cond::cond_error(line, ""));
        }
        self.cursor.bump_many(2);
        let text = if frames == self.cursor.frames() {
            self.cursor.since(start).to_vec()
        } else {
            Vec::new()
        };
        let [init, condition, update] = self.three_sections(sections, &text, line)?;
        self.blanks();
        if self.operator() == Some(b";") {
            self.cursor.bump();
        }
        let body = self.loop_body()?;
        Ok(CompoundKind::ArithFor {
            init,
            condition,
            update,
            body,
        })
    }

    /// The sections, when there are three of them.
    fn three_sections(
        &mut self,
        sections: Vec<Box<Arith>>,
        text: &[u8],
        line: u32,
    ) -> Parsed<[Box<Arith>; 3]> {
        let message = if sections.len() < 3 {
            "arithmetic expression required"
        } else {
            "`;' unexpected"
        };
        sections.try_into().map_err(|_| {
            let mut error = self.plain_error(format!("syntax error: {message}"));
            error.line = line;
            error.follow(
                line,
                &format!("syntax error: `{}'", String::from_utf8_lossy(text)),
            );
            error
        })
    }

    /// One expression of `for (( … ))`; blanks in front do not count.
    fn arithmetic_section(&mut self, line: u32) -> Parsed<Box<Arith>> {
        while self
            .cursor
            .peek()
            .is_some_and(|byte| matches!(byte, b' ' | b'\t' | b'\n'))
        {
            self.cursor.bump();
        }
        Ok(Box::new(arith(self.arithmetic_text(b";)", line)?, false)))
    }

    /// Production: `case word in { item } esac`
    fn case_command(&mut self) -> Parsed<CompoundKind> {
        self.cursor.bump_many(Reserved::Case.len());
        let word = self.required_word()?;
        self.newlines()?;
        self.expect_reserved(Reserved::In)?;
        let mut items = Vec::new();
        loop {
            self.newlines()?;
            if self.eat_reserved(Reserved::Esac) {
                return Ok(CompoundKind::Case { word, items });
            }
            if self.case_item(&mut items)? {
                self.expect_reserved(Reserved::Esac)?;
                return Ok(CompoundKind::Case { word, items });
            }
        }
    }

    /// Production: `[(] pattern { | pattern } ) list`, and `;;`, `;&`, `;;&`; whether `esac` must follow.
    fn case_item(&mut self, items: &mut Vec<CaseItem>) -> Parsed<bool> {
        let patterns = self.case_patterns()?;
        self.newlines()?;
        let mut body = List::default();
        if !self.at_closer() {
            body = self.compound_list()?;
        }
        self.blanks();
        let (end, last) = match self.operator() {
            Some(b";;") => (CaseEnd::Break, false),
            Some(b";&") => (CaseEnd::FallThrough, false),
            Some(b";;&") => (CaseEnd::Continue, false),
            _ => (CaseEnd::Break, true),
        };
        if !last {
            self.cursor
                .bump_many(if end == CaseEnd::Continue { 3 } else { 2 });
        }
        items.push(CaseItem { patterns, body, end });
        Ok(last)
    }

    /// Production: `[(] pattern { | pattern } )`
    fn case_patterns(&mut self) -> Parsed<Vec<Word>> {
        self.blanks();
        self.cursor.eat(b'(');
        let mut patterns = Vec::with_capacity(1);
        loop {
            patterns.push(self.required_word()?);
            self.blanks();
            match self.operator() {
                Some(b"|") => self.cursor.bump(),
                Some(b")") => {
                    self.cursor.bump();
                    return Ok(patterns);
                }
                _ => return Err(self.unexpected()),
            }
        }
    }
}
