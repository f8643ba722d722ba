//! The grammar of `bc`: statements and definitions. [`expression`](super::expression) has the rest.
//!
//! A line is an item: it is read as a whole and then runs, so that it knows what the lines before have set. A mistake is reported
//! where GNU's parser sees it, and reading goes on where that one's does: at the end of the line, or inside of braces at the next
//! token that can begin a statement. Text that ends inside an item is [`Fail::Incomplete`]: the item is read again when more is there.

use super::code::{Code, Definition, Id, Label, Local, Op, Symbols};
use super::diagnostic::{Diagnostics, Strictness};
use super::expression::Flags;
use super::lexer::{Incomplete, Lexer, Token, Word};

/// How deep statements and expressions may nest.
const DEEPEST: u32 = 200;

/// Why an item is not read.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Fail {
    /// More text is needed.
    Incomplete,
    /// A mistake, which has been reported.
    Syntax,
    /// `quit` was read: it acts at once.
    Quit,
    /// The text has ended inside an item.
    End,
}

impl From<Incomplete> for Fail {
    fn from(_: Incomplete) -> Self {
        Fail::Incomplete
    }
}

/// What one reading came to.
#[derive(Debug)]
pub enum Item {
    /// Statements to run.
    Line(Code),
    /// A function.
    Definition(Definition),
    /// `quit`, or the end of the text.
    End,
}

/// Reads items.
pub struct Parser<'a> {
    pub(super) lexer: Lexer<'a>,
    pub(super) symbols: &'a mut Symbols,
    pub(super) said: &'a mut Diagnostics,
    pub(super) code: Code,
    token: Option<Token>,
    /// Tokens that must be taken before another mistake is worth a message.
    muted: u8,
    pub(super) depth: u32,
    /// The next label.
    label: Label,
    break_label: Label,
    continue_label: Label,
    /// The function that is defined, if any, and whether it gives no value.
    function: Option<FunctionKind>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum FunctionKind {
    Value,
    Void,
}

impl<'a> Parser<'a> {
    /// Reads one item from the start of what `lexer` has.
    pub fn new(lexer: Lexer<'a>, symbols: &'a mut Symbols, said: &'a mut Diagnostics) -> Self {
        Parser {
            lexer,
            symbols,
            said,
            code: Code::default(),
            token: None,
            muted: 0,
            depth: 0,
            label: 1,
            break_label: 0,
            continue_label: 0,
            function: None,
        }
    }

    /// Where the lexer stands behind the item: offset and line.
    pub fn position(&self) -> (usize, usize) {
        (self.lexer.at, self.lexer.line)
    }

    pub(super) fn peek(&mut self) -> Result<&Token, Fail> {
        let token = match self.token.take() {
            Some(token) => token,
            None => self.lexer.next(self.said)?,
        };
        Ok(self.token.insert(token))
    }

    /// Takes the token that was looked at.
    pub(super) fn shift(&mut self) {
        self.token = None;
        self.muted = self.muted.saturating_sub(1);
    }

    pub(super) fn is_sign(&mut self, sign: u8) -> Result<bool, Fail> {
        Ok(*self.peek()? == Token::Sign(sign))
    }

    /// Takes the sign when it comes.
    pub(super) fn take_sign(&mut self, sign: u8) -> Result<bool, Fail> {
        let found = self.is_sign(sign)?;
        if found {
            self.shift();
        }
        Ok(found)
    }

    pub(super) fn need_sign(&mut self, sign: u8) -> Result<(), Fail> {
        if self.take_sign(sign)? {
            Ok(())
        } else {
            Err(self.syntax_error())
        }
    }

    fn take_newline(&mut self) -> Result<bool, Fail> {
        let found = *self.peek()? == Token::Newline;
        if found {
            self.shift();
        }
        Ok(found)
    }

    fn take_word(&mut self, word: Word) -> Result<bool, Fail> {
        let found = *self.peek()? == Token::Word(word);
        if found {
            self.shift();
        }
        Ok(found)
    }

    pub(super) fn error(&mut self, message: &str) {
        self.said.error(self.lexer.line, message);
    }

    pub(super) fn nonstandard(&mut self, message: &str) {
        self.said.nonstandard(self.lexer.line, message.as_bytes());
    }

    /// The token that comes does not fit.
    pub(super) fn syntax_error(&mut self) -> Fail {
        self.said.failed = true;
        if self.muted == 0 {
            self.error("syntax error");
        } else if self.muted == 3 {
            // Nothing was taken since the last mistake: the token is in the way.
            if self.token == Some(Token::End) {
                return Fail::End;
            }
            self.token = None;
        }
        self.muted = 3;
        Fail::Syntax
    }

    /// Leaves tokens out until one comes that can begin a statement.
    fn recover(&mut self, at_newline: bool) -> Result<(), Fail> {
        loop {
            match self.peek()? {
                Token::End => return Err(Fail::End),
                Token::Newline if at_newline => return Ok(()),
                token if begins_statement(token) => return Ok(()),
                _ => self.token = None,
            }
        }
    }

    pub(super) fn new_label(&mut self) -> Label {
        self.label += 1;
        self.label - 1
    }

    /// Goes a level deeper.
    pub(super) fn deeper(&mut self) -> Result<(), Fail> {
        self.depth += 1;
        if self.depth > DEEPEST || crate::stack::is_low() {
            self.error("memory exhausted");
            return Err(Fail::End);
        }
        Ok(())
    }

    /// The next item.
    pub fn item(&mut self) -> Result<Item, Fail> {
        let read = match self.peek()? {
            Token::End => Ok(Item::End),
            Token::Word(Word::Define) => self.function().map(Item::Definition),
            _ => self.line().map(Item::Line),
        };
        match read {
            Err(Fail::Syntax) => self.rest_of_line(),
            Err(Fail::Quit | Fail::End) => Ok(Item::End),
            read => read,
        }
    }

    /// After a mistake: the rest of the line is read, and nothing of it runs.
    fn rest_of_line(&mut self) -> Result<Item, Fail> {
        loop {
            self.depth = 0;
            let read = match self.recover(true) {
                Ok(()) => self.line(),
                Err(fail) => Err(fail),
            };
            match read {
                Ok(_) => return Ok(Item::Line(Code::default())),
                Err(Fail::Syntax) => {}
                Err(Fail::Incomplete) => return Err(Fail::Incomplete),
                Err(_) => return Ok(Item::End),
            }
        }
    }

    /// Statements to the end of the line.
    fn line(&mut self) -> Result<Code, Fail> {
        loop {
            if begins_statement(self.peek()?) {
                self.statement()?;
            }
            if self.take_newline()? {
                return Ok(std::mem::take(&mut self.code));
            }
            self.need_sign(b';')?;
        }
    }

    /// Statements to the closing brace.
    fn block(&mut self) -> Result<(), Fail> {
        let depth = self.depth;
        loop {
            match self.block_step() {
                Ok(true) => return Ok(()),
                Ok(false) => {}
                Err(Fail::Syntax) => {
                    self.depth = depth;
                    self.recover(false)?;
                }
                Err(fail) => return Err(fail),
            }
        }
    }

    /// A statement and what ends it; the closing brace gives `true`.
    fn block_step(&mut self) -> Result<bool, Fail> {
        if begins_statement(self.peek()?) {
            self.statement()?;
        }
        if self.take_sign(b'}')? {
            return Ok(true);
        }
        if !self.take_newline()? {
            self.need_sign(b';')?;
        }
        Ok(false)
    }

    fn statement(&mut self) -> Result<(), Fail> {
        self.deeper()?;
        let token = self.peek()?.clone();
        match token {
            Token::Text(text) => {
                self.shift();
                self.code.push(Op::Text(text));
            }
            Token::Sign(b'{') => {
                self.shift();
                self.block()?;
            }
            Token::Word(word) if !begins_expression(&token) => {
                self.shift();
                self.word(word)?;
            }
            _ => {
                let flags = self.expression()?;
                if flags.comparison {
                    self.nonstandard("comparison in expression");
                }
                self.code.push(if flags.shown { Op::WriteLine } else { Op::Drop });
            }
        }
        self.depth -= 1;
        Ok(())
    }

    /// A statement that begins with a word.
    fn word(&mut self, word: Word) -> Result<(), Fail> {
        match word {
            Word::Break if self.break_label == 0 => self.error("Break outside a for/while"),
            Word::Break => self.code.push(Op::Jump(self.break_label)),
            Word::Continue => {
                self.nonstandard("Continue statement");
                match self.continue_label {
                    0 => self.error("Continue outside a for"),
                    label => self.code.push(Op::Jump(label)),
                }
            }
            Word::Quit => return Err(Fail::Quit),
            Word::Halt => self.code.push(Op::Halt),
            Word::Return => self.return_statement()?,
            Word::For => self.for_statement()?,
            Word::If => self.if_statement()?,
            Word::While => self.while_statement()?,
            Word::Print => self.print_statement()?,
            Word::Limits => self.said.answer(super::notice::LIMITS),
            Word::Warranty => self.said.answer(super::notice::WARRANTY),
            _ => return Err(self.syntax_error()),
        }
        Ok(())
    }

    fn return_statement(&mut self) -> Result<(), Fail> {
        if begins_expression(self.peek()?) {
            let flags = self.expression()?;
            if flags.comparison {
                self.nonstandard("comparison in return expression");
            }
            if !flags.parenthesized {
                self.nonstandard("return expression requires parenthesis");
            }
            if flags.void {
                self.error("return requires non-void expression");
            }
            if self.function == Some(FunctionKind::Void) {
                self.error("Return expression in a void function.");
            }
        } else {
            self.code.push(Op::Bit(false));
        }
        if self.function.is_none() {
            self.error("Return outside of a function.");
        }
        self.code.push(Op::Return);
        Ok(())
    }

    fn for_statement(&mut self) -> Result<(), Fail> {
        let outer = (self.break_label, self.continue_label);
        self.break_label = self.new_label();
        self.need_sign(b'(')?;
        self.for_part(b';', "first", "Comparison in first for expression")?;
        let condition = self.new_label();
        self.code.place(condition);
        if !self.for_part(b';', "second", "")? {
            self.code.push(Op::Bit(true));
        }
        let body = self.new_label();
        self.code.push(Op::JumpUnlessZero(body));
        self.code.push(Op::Jump(self.break_label));
        self.continue_label = self.new_label();
        self.code.place(self.continue_label);
        self.for_part(b')', "third", "Comparison in third for expression")?;
        self.code.push(Op::Jump(condition));
        self.code.place(body);
        self.body()?;
        self.code.push(Op::Jump(self.continue_label));
        self.code.place(self.break_label);
        (self.break_label, self.continue_label) = outer;
        Ok(())
    }

    /// One of the three parts of a `for` and what ends it; `false` when it is empty.
    fn for_part(&mut self, end: u8, place: &str, comparison: &str) -> Result<bool, Fail> {
        let present = begins_expression(self.peek()?);
        if present {
            let flags = self.expression()?;
            self.need_sign(end)?;
            if flags.void {
                self.error(&format!("{place} expression is void"));
            }
            if flags.comparison && !comparison.is_empty() {
                self.nonstandard(comparison);
            }
        } else {
            self.nonstandard("Missing expression in for statement");
            self.need_sign(end)?;
        }
        if present && place != "second" {
            self.code.push(Op::Drop);
        }
        Ok(present)
    }

    /// What a condition or loop holds.
    fn body(&mut self) -> Result<(), Fail> {
        if self.take_newline()? {
            self.nonstandard("newline not allowed");
        }
        if !begins_statement(self.peek()?) {
            return Err(self.syntax_error());
        }
        self.statement()
    }

    fn condition(&mut self, label: Label) -> Result<(), Fail> {
        if self.expression()?.void {
            self.error("void expression");
        }
        self.code.push(Op::JumpIfZero(label));
        self.need_sign(b')')
    }

    fn if_statement(&mut self) -> Result<(), Fail> {
        self.need_sign(b'(')?;
        if self.expression()?.void {
            self.error("void expression");
        }
        self.need_sign(b')')?;
        let mut end = self.new_label();
        self.code.push(Op::JumpIfZero(end));
        self.body()?;
        if self.take_word(Word::Else)? {
            self.nonstandard("else clause in if statement");
            let otherwise = std::mem::replace(&mut end, self.label);
            self.label += 1;
            self.code.push(Op::Jump(end));
            self.code.place(otherwise);
            self.body()?;
        }
        self.code.place(end);
        Ok(())
    }

    fn while_statement(&mut self) -> Result<(), Fail> {
        let outer = (self.break_label, self.continue_label);
        let start = self.new_label();
        self.code.place(start);
        self.need_sign(b'(')?;
        let end = self.label;
        self.label += 1;
        (self.break_label, self.continue_label) = (end, start);
        self.condition(end)?;
        self.body()?;
        self.code.push(Op::Jump(start));
        self.code.place(end);
        (self.break_label, self.continue_label) = outer;
        Ok(())
    }

    fn print_statement(&mut self) -> Result<(), Fail> {
        self.nonstandard("print statement");
        loop {
            if let Token::Text(text) = self.peek()?.clone() {
                self.shift();
                self.code.push(Op::Escaped(text));
            } else {
                if self.expression()?.void {
                    self.error("void expression in print");
                }
                self.code.push(Op::Write);
            }
            if !self.take_sign(b',')? {
                return Ok(());
            }
        }
    }

    /// `define [void] NAME(PARAMETERS) { … }`
    fn function(&mut self) -> Result<Definition, Fail> {
        self.shift();
        let void = self.take_word(Word::Void)?;
        if void {
            self.nonstandard("void functions");
        }
        let name = self.need_name()?;
        self.need_sign(b'(')?;
        let parameters = match self.is_sign(b')')? {
            true => Vec::new(),
            false => self.locals()?,
        };
        self.need_sign(b')')?;
        if self.take_newline()? {
            self.nonstandard("newline not allowed");
        }
        self.need_sign(b'{')?;
        if !self.take_newline()? {
            self.nonstandard("End of line required");
        }
        while self.take_newline()? {
            self.nonstandard("Too many end of lines");
        }
        let automatic = self.automatic()?;
        self.check_locals(&parameters, &automatic);
        self.notice_name(&name);
        let function = self.symbols.functions.id(&name);
        self.symbols.void.retain(|id| *id != function);
        if void {
            self.symbols.void.push(function);
        }
        self.function = Some(if void {
            FunctionKind::Void
        } else {
            FunctionKind::Value
        });
        self.block()?;
        self.code.push(Op::Bit(false));
        self.code.push(Op::Return);
        Ok(Definition {
            function,
            parameters,
            automatic,
            code: std::mem::take(&mut self.code),
        })
    }

    fn automatic(&mut self) -> Result<Vec<Local>, Fail> {
        if !self.take_word(Word::Auto)? {
            return Ok(Vec::new());
        }
        let automatic = self.locals()?;
        if !self.take_newline()? {
            self.need_sign(b';')?;
        }
        Ok(automatic)
    }

    pub(super) fn need_name(&mut self) -> Result<Vec<u8>, Fail> {
        if let Token::Name(name) = self.peek()? {
            let name = name.clone();
            self.shift();
            return Ok(name);
        }
        Err(self.syntax_error())
    }

    /// A name is looked up: one of several letters is not standard.
    pub(super) fn notice_name(&mut self, name: &[u8]) {
        if name.len() > 1 {
            let message = [b"multiple letter name - ", name].concat();
            self.said.nonstandard(self.lexer.line, &message);
        }
    }

    /// Takes `NAME[]` when it comes, and gives the name.
    pub(super) fn array_argument(&mut self) -> Result<Option<Vec<u8>>, Fail> {
        let Token::Name(name) = self.peek()?.clone() else {
            return Ok(None);
        };
        let mut ahead = self.lexer.clone();
        let mut silent = Diagnostics::new(b"", Strictness::Gnu);
        let found =
            ahead.next(&mut silent)? == Token::Sign(b'[') && ahead.next(&mut silent)? == Token::Sign(b']');
        if !found {
            return Ok(None);
        }
        self.lexer = ahead;
        self.shift();
        Ok(Some(name))
    }

    /// Names with commas between them.
    fn locals(&mut self) -> Result<Vec<Local>, Fail> {
        let mut locals = Vec::new();
        loop {
            let reference = self.take_sign(b'*')? || self.take_sign(b'&')?;
            let name = self.need_name()?;
            let array = self.take_sign(b'[')?;
            if array {
                self.need_sign(b']')?;
            } else if reference {
                return Err(self.syntax_error());
            }
            if reference {
                self.nonstandard("Call by variable arrays");
            }
            self.notice_name(&name);
            locals.push(match (array, reference) {
                (false, _) => Local::Variable(self.symbols.variables.id(&name)),
                (true, false) => Local::Array(self.symbols.arrays.id(&name)),
                (true, true) => Local::Reference(self.symbols.arrays.id(&name)),
            });
            if !self.take_sign(b',')? {
                return Ok(locals);
            }
        }
    }

    fn check_locals(&mut self, parameters: &[Local], automatic: &[Local]) {
        if has_twice(parameters) {
            self.error("duplicate parameter names");
        }
        if parameters
            .iter()
            .any(|local| matches!(local, Local::Reference(_)))
        {
            self.nonstandard("Variable array parameter");
        }
        if has_twice(automatic) {
            self.error("duplicate auto variable names");
        }
        if automatic.iter().any(|local| matches!(local, Local::Reference(_))) {
            self.error("* not allowed here");
        }
        let in_both = |local: &Local| automatic.iter().any(|other| other.same_name(*local));
        if parameters.iter().any(in_both) {
            self.error("variable in both parameter and auto lists");
        }
    }

    /// The kind of what a call of the function is worth.
    pub(super) fn call_flags(&self, function: Id) -> Flags {
        Flags {
            shown: !self.symbols.void.contains(&function),
            void: self.symbols.void.contains(&function),
            ..Flags::default()
        }
    }
}

fn has_twice(locals: &[Local]) -> bool {
    locals
        .iter()
        .enumerate()
        .any(|(index, local)| locals.iter().skip(index + 1).any(|other| other.same_name(*local)))
}

fn begins_expression(token: &Token) -> bool {
    match token {
        Token::Name(_) | Token::Number(_) | Token::Step(_) | Token::Not | Token::Last => true,
        Token::Sign(sign) => matches!(sign, b'(' | b'-'),
        Token::Word(word) => matches!(
            word,
            Word::History
                | Word::Ibase
                | Word::Last
                | Word::Length
                | Word::Obase
                | Word::Random
                | Word::Read
                | Word::Scale
                | Word::Sqrt
        ),
        _ => false,
    }
}

fn begins_statement(token: &Token) -> bool {
    match token {
        Token::Word(word) => !matches!(word, Word::Auto | Word::Define | Word::Else | Word::Void),
        Token::Text(_) | Token::Sign(b'{') => true,
        _ => begins_expression(token),
    }
}
