//! Lists, pipelines and simple commands.

use std::sync::Arc;

use super::ast::{
    AndOr, Command, Connector, Coproc, Function, Item, List, Name, Pipeline, Simple, Stages, TimeFormat, Word,
};
use super::compound::CompoundStart;
use super::parser::{Parsed, Reader, weight};
use super::token::{Reserved, is_meta};

impl Reader<'_> {
    /// Production: what bash reads before it acts: and-or lists up to a newline; `None` at the end of the input.
    pub(super) fn input_unit(&mut self) -> Parsed<Option<List>> {
        self.command_place()?;
        if self.cursor.peek().is_none() {
            return Ok(None);
        }
        let mut items = Vec::with_capacity(1);
        loop {
            let and_or = self.and_or()?;
            self.blanks();
            let separator = self.separator();
            items.push(Item {
                and_or,
                background: separator == Some(b'&'),
                newline: false,
            });
            self.blanks();
            match self.cursor.peek() {
                None => break,
                Some(b'\n') => {
                    self.newline()?;
                    return Ok(Some(List { items }));
                }
                Some(_) if separator.is_none() || self.at_unexpected() => {
                    self.documents_first = true;
                    return Err(self.unexpected());
                }
                Some(_) => {}
            }
        }
        if !self.pending.is_empty() {
            self.here_documents()?;
        }
        Ok(Some(List { items }))
    }

    /// Passes newlines up to where a command may start; an alias there may hold more of them.
    fn command_place(&mut self) -> Parsed<()> {
        loop {
            self.newlines()?;
            self.expand_aliases();
            if self.cursor.peek() != Some(b'\n') {
                return Ok(());
            }
        }
    }

    /// Whether no command can start here.
    fn at_unexpected(&mut self) -> bool {
        self.expand_aliases();
        match self.operator() {
            Some(operator) => {
                !matches!(operator.first(), Some(b'(' | b'<' | b'>')) && !operator.starts_with(b"&>")
            }
            None => self.reserved().is_some_and(Reserved::closes),
        }
    }

    /// Takes a single `;` or `&`.
    fn separator(&mut self) -> Option<u8> {
        let operator = self
            .operator()
            .filter(|operator| matches!(*operator, b";" | b"&"))?;
        self.cursor.bump();
        operator.first().copied()
    }

    /// Production: a list inside a compound command, up to what closes it (which stays). It cannot be empty.
    pub(super) fn compound_list(&mut self) -> Parsed<List> {
        self.command_place()?;
        let mut items = Vec::with_capacity(1);
        loop {
            let and_or = self.and_or()?;
            self.blanks();
            let separator = self.separator();
            self.blanks();
            let newline = self.cursor.peek() == Some(b'\n');
            items.push(Item {
                and_or,
                background: separator == Some(b'&'),
                newline: newline && separator.is_none(),
            });
            if newline || separator.is_some() {
                self.command_place()?;
            }
            if !(newline || separator.is_some()) || self.at_closer() {
                return Ok(List { items });
            }
        }
    }

    /// Whether what comes next ends a list. Aliases may hide it.
    pub(super) fn at_closer(&mut self) -> bool {
        self.expand_aliases();
        match self.cursor.peek() {
            None | Some(b')') => true,
            Some(b';') => matches!(self.cursor.peek_at(1), Some(b';' | b'&')),
            Some(_) => self.reserved().is_some_and(Reserved::closes),
        }
    }

    /// Production: `pipeline { (&& | ||) pipeline }`
    fn and_or(&mut self) -> Parsed<AndOr> {
        let first = self.pipeline()?;
        let mut rest = Vec::new();
        loop {
            self.blanks();
            let connector = match self.operator() {
                Some(b"&&") => Connector::And,
                Some(b"||") => Connector::Or,
                _ => return Ok(AndOr { first, rest }),
            };
            self.cursor.bump_many(2);
            self.newlines()?;
            rest.push((connector, self.pipeline()?));
        }
    }

    /// Production: `[time [-p]] {!} command { (| | |&) command }`
    fn pipeline(&mut self) -> Parsed<Pipeline> {
        self.blanks();
        self.weigh(weight::PIPELINE)?;
        let mut pipeline = Pipeline {
            time: None,
            negated: false,
            commands: Stages::none(),
            pipe_stderr: Vec::new(),
            line: self.cursor.line,
        };
        if self.pipeline_prefix(&mut pipeline) && self.ends_pipeline() {
            return Ok(pipeline);
        }
        let mut stages = Vec::new();
        loop {
            self.weigh(weight::CONSTRUCT)?;
            let command = self.command()?;
            self.blanks();
            let stderr = match self.operator() {
                Some(b"|") => false,
                Some(b"|&") => true,
                _ if stages.is_empty() => {
                    pipeline.commands = Stages::One(command);
                    return Ok(pipeline);
                }
                _ => {
                    stages.push(command);
                    pipeline.commands = stages.into();
                    return Ok(pipeline);
                }
            };
            stages.push(command);
            self.cursor.bump_many(1 + usize::from(stderr));
            pipeline.pipe_stderr.push(stderr);
            self.newlines()?;
        }
    }

    /// `time`, `time -p`, `--` and `!` in front; whether there was any.
    fn pipeline_prefix(&mut self, pipeline: &mut Pipeline) -> bool {
        let mut any = false;
        loop {
            self.expand_aliases();
            match self.reserved() {
                Some(Reserved::Bang) if !(self.extglob && self.cursor.peek_at(1) == Some(b'(')) => {
                    self.cursor.bump();
                    pipeline.negated = !pipeline.negated;
                }
                Some(Reserved::Time) => {
                    self.cursor.bump_many(4);
                    pipeline.time = Some(self.time_options());
                }
                _ => return any,
            }
            any = true;
            self.blanks();
        }
    }

    /// `-p` and `--` behind `time`.
    fn time_options(&mut self) -> TimeFormat {
        let mut format = TimeFormat::Default;
        self.blanks();
        if self.option_word(*b"-p") {
            format = TimeFormat::Posix;
            self.blanks();
        }
        // bash takes `--` for `-p` as well.
        if self.option_word(*b"--") {
            format = TimeFormat::Posix;
        }
        format
    }

    fn option_word(&mut self, option: [u8; 2]) -> bool {
        let found = self.cursor.looking_at(&option) && self.cursor.peek_at(2).is_none_or(is_meta);
        if found {
            self.cursor.bump_many(2);
        }
        found
    }

    /// Whether a lone `!` or `time` ends here.
    fn ends_pipeline(&mut self) -> bool {
        self.blanks();
        match self.cursor.peek() {
            None | Some(b'\n') => true,
            Some(b';') => !matches!(self.cursor.peek_at(1), Some(b';' | b'&')),
            _ => false,
        }
    }

    /// Production: one stage of a pipeline.
    pub(super) fn command(&mut self) -> Parsed<Command> {
        self.expand_aliases();
        match self.compound_start() {
            Some(CompoundStart::Function) => self.deeper(Self::function_keyword),
            Some(CompoundStart::Coproc) => self.deeper(Self::coproc),
            Some(CompoundStart::Closer) => Err(self.unexpected()),
            Some(start) => {
                let compound = self.deeper(|reader| reader.compound_with_redirects(start))?;
                Ok(Command::Compound(Arc::new(compound)))
            }
            None => self.simple_command(),
        }
    }

    /// Production: `name ( ) body`, at the parenthesis.
    pub(super) fn function_parentheses(&mut self, simple: &Simple) -> Parsed<Command> {
        self.cursor.bump();
        self.blanks();
        if !self.cursor.eat(b')') {
            return Err(self.unexpected());
        }
        let mut name = Vec::new();
        for word in &simple.words {
            super::print::word(word, &mut name);
        }
        let line = simple.line;
        self.deeper(|reader| reader.function_body(name.into(), line))
    }

    /// Production: `function name [( )] body`, behind nothing.
    fn function_keyword(&mut self) -> Parsed<Command> {
        let line = self.cursor.line;
        self.cursor.bump_many(Reserved::Function.len());
        let name = self.required_word()?;
        let mut text = Vec::new();
        super::print::word(&name, &mut text);
        self.blanks();
        if self.cursor.peek() == Some(b'(') && self.function_has_parentheses() {
            self.cursor.bump();
            self.blanks();
            self.cursor.eat(b')');
        }
        self.function_body(text.into(), line)
    }

    /// Whether the `(` here is followed by `)`.
    fn function_has_parentheses(&self) -> bool {
        self.cursor
            .ahead()
            .skip(1)
            .find(|byte| !matches!(byte, b' ' | b'\t'))
            == Some(b')')
    }

    /// Production: the compound command of a function, with its redirections.
    fn function_body(&mut self, name: Name, line: u32) -> Parsed<Command> {
        let before = self.weight;
        self.newlines()?;
        match self.compound_start() {
            Some(start) if start.is_body() => {
                let body = Arc::new(self.compound_with_redirects(start)?);
                let weight = self.weight - before;
                Ok(Command::Function(Arc::new(Function {
                    name,
                    body,
                    line,
                    weight,
                })))
            }
            _ if self.operator().is_none() && self.cursor.peek().is_some() => Err(self.unexpected_word(true)),
            _ => Err(self.unexpected()),
        }
    }

    /// Production: `coproc [NAME] command`
    fn coproc(&mut self) -> Parsed<Command> {
        let line = self.cursor.line;
        self.cursor.bump_many(Reserved::Coproc.len());
        self.blanks();
        self.expand_aliases();
        let mut name: Name = Name::from(&b"COPROC"[..]);
        if let Some(start) = self.compound_start() {
            let body = self.coproc_compound(start)?;
            return Ok(Command::Coproc(Arc::new(Coproc { name, body, line })));
        }
        if let Some(length) = self.coproc_name() {
            name = self.cursor.rest().get(..length).unwrap_or_default().into();
            self.cursor.skip(length);
            self.blanks();
            if let Some(start) = self.compound_start() {
                let body = self.coproc_compound(start)?;
                return Ok(Command::Coproc(Arc::new(Coproc { name, body, line })));
            }
        }
        let body = self.simple_command()?;
        Ok(Command::Coproc(Arc::new(Coproc { name, body, line })))
    }

    fn coproc_compound(&mut self, start: CompoundStart) -> Parsed<Command> {
        if !start.is_body() {
            return Err(self.unexpected());
        }
        Ok(Command::Compound(Arc::new(self.compound_with_redirects(start)?)))
    }

    /// The length of the word here when a compound command follows it.
    fn coproc_name(&mut self) -> Option<usize> {
        let length = self.cursor.rest().iter().position(|byte| is_meta(*byte))?;
        let word = self.cursor.rest().get(..length).filter(|word| !word.is_empty())?;
        if word.iter().any(|byte| b"\\'\"`$=".contains(byte)) {
            return None;
        }
        let start = self.cursor.clone();
        self.cursor.skip(length);
        self.blanks();
        let compound = self.compound_start().is_some_and(CompoundStart::is_body);
        self.cursor = start;
        compound.then_some(length)
    }

    /// A word that must be here.
    pub(super) fn required_word(&mut self) -> Parsed<Word> {
        self.blanks();
        match self.cursor.peek() {
            Some(_) if self.at_descriptor() => Err(self.unexpected()),
            Some(byte) if !is_meta(byte) || self.starts_process_substitution(byte) => self.word(),
            _ => Err(self.unexpected()),
        }
    }

    /// Replaces the word here while it is an alias, as bash does for the first word of a command.
    pub(super) fn expand_aliases(&mut self) {
        self.cursor.next_word_is_alias = false;
        self.blanks();
        if !self.aliases {
            return;
        }
        while let Some((name, text)) = self.alias_here() {
            if self.charge(text.len()).is_err() {
                return;
            }
            self.cursor.skip(name.len());
            self.cursor.enter_alias(name, &text);
            self.blanks();
        }
    }

    /// The alias that the unquoted word here names, and its text.
    fn alias_here(&mut self) -> Option<(Name, Vec<u8>)> {
        self.cursor.peek()?;
        let rest = self.cursor.rest();
        let length = rest.iter().position(|byte| is_meta(*byte)).unwrap_or(rest.len());
        let word = rest.get(..length).filter(|word| !word.is_empty())?;
        let text = self.env.alias(word).filter(|_| !self.cursor.in_alias(word))?;
        Some((word.into(), text.to_vec()))
    }
}
