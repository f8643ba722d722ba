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
            let separator = self.list_item(&mut items)?;
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
            let separator = self.list_item(&mut items)?;
            self.blanks();
            let newline = self.cursor.peek() == Some(b'\n');
            if let Some(item) = items.last_mut() {
                item.newline = newline && separator.is_none();
            }
            if newline || separator.is_some() {
                self.command_place()?;
            }
            if !(newline || separator.is_some()) || self.at_closer() {
                return Ok(List { items });
            }
        }
    }

    /// An and-or list, and what separates it from the next one.
    fn list_item(&mut self, items: &mut Vec<Item>) -> Parsed<Option<u8>> {
        items.push(Item::default());
        let Some(item) = items.last_mut() else {
            return Ok(None);
        };
        self.and_or(&mut item.and_or)?;
        self.blanks();
        let separator = self.separator();
        item.background = separator == Some(b'&');
        Ok(separator)
    }

    // What nests is read into its place in the tree: a result that is handed up leaves copies of itself in every frame on the way, where the
    // compiler does not optimise.

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
    fn and_or(&mut self, and_or: &mut AndOr) -> Parsed<()> {
        self.pipeline(&mut and_or.first)?;
        loop {
            self.blanks();
            let connector = match self.operator() {
                Some(b"&&") => Connector::And,
                Some(b"||") => Connector::Or,
                _ => return Ok(()),
            };
            self.cursor.bump_many(2);
            self.newlines()?;
            and_or.rest.push((connector, Pipeline::default()));
            if let Some((_, pipeline)) = and_or.rest.last_mut() {
                self.pipeline(pipeline)?;
            }
        }
    }

    /// Production: `[time [-p]] {!} command { (| | |&) command }`
    fn pipeline(&mut self, pipeline: &mut Pipeline) -> Parsed<()> {
        self.blanks();
        self.weigh(weight::PIPELINE)?;
        pipeline.line = self.cursor.line;
        if self.pipeline_prefix(pipeline) && self.ends_pipeline() {
            return Ok(());
        }
        let mut stages = Vec::new();
        loop {
            self.weigh(weight::CONSTRUCT)?;
            self.command(&mut pipeline.commands)?;
            self.blanks();
            let stderr = match self.operator() {
                Some(b"|") => false,
                Some(b"|&") => true,
                _ => {
                    if !stages.is_empty() {
                        stages.extend(pipeline.commands.take_only());
                        pipeline.commands = stages.into();
                    }
                    return Ok(());
                }
            };
            stages.extend(pipeline.commands.take_only());
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
    fn command(&mut self, into: &mut Stages) -> Parsed<()> {
        self.expand_aliases();
        match self.compound_start() {
            Some(CompoundStart::Function) => self.deeper(|reader| reader.function_keyword(into)),
            Some(CompoundStart::Coproc) => self.deeper(|reader| reader.coproc(into)),
            Some(CompoundStart::Closer) => Err(self.unexpected()),
            Some(start) => self
                .deeper(|reader| reader.compound_with_redirects(start))
                .map(|compound| *into = Stages::One(Command::Compound(compound))),
            None => self.simple_command(into),
        }
    }

    /// Production: `name ( ) body`, at the parenthesis.
    pub(super) fn function_parentheses(&mut self, simple: &Simple, into: &mut Stages) -> Parsed<()> {
        self.cursor.bump();
        self.blanks();
        if !self.cursor.eat(b')') {
            return Err(self.unexpected());
        }
        let mut name = Vec::new();
        for word in &simple.words {
            name.extend(super::print::print_word(word));
        }
        let line = simple.line;
        self.deeper(|reader| reader.function_body(name.into(), line, into))
    }

    /// Production: `function name [( )] body`, behind nothing.
    fn function_keyword(&mut self, into: &mut Stages) -> Parsed<()> {
        let line = self.cursor.line;
        self.cursor.bump_many(Reserved::Function.len());
        let name = self.required_word()?;
        let text = super::print::print_word(&name);
        self.blanks();
        if self.cursor.peek() == Some(b'(') && self.function_has_parentheses() {
            self.cursor.bump();
            self.blanks();
            self.cursor.eat(b')');
        }
        self.function_body(text.into(), line, into)
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
    fn function_body(&mut self, name: Name, line: u32, into: &mut Stages) -> Parsed<()> {
        let before = self.weight;
        self.newlines()?;
        match self.compound_start() {
            Some(start) if start.is_body() => {
                let body = self.compound_with_redirects(start)?;
                let weight = self.weight - before;
                *into = Stages::One(Command::Function(Arc::new(Function {
                    name,
                    body,
                    line,
                    weight,
                })));
                Ok(())
            }
            _ if self.operator().is_none() && self.cursor.peek().is_some() => Err(self.unexpected_word(true)),
            _ => Err(self.unexpected()),
        }
    }

    /// Production: `coproc [NAME] command`
    fn coproc(&mut self, into: &mut Stages) -> Parsed<()> {
        let line = self.cursor.line;
        self.cursor.bump_many(Reserved::Coproc.len());
        self.blanks();
        self.expand_aliases();
        let mut name: Name = Name::from(&b"COPROC"[..]);
        let mut start = self.compound_start();
        if start.is_none()
            && let Some(length) = self.coproc_name()
        {
            name = self.cursor.rest().get(..length).unwrap_or_default().into();
            self.cursor.skip(length);
            self.blanks();
            start = self.compound_start();
        }
        match start {
            Some(start) if !start.is_body() => return Err(self.unexpected()),
            Some(start) => *into = Stages::One(Command::Compound(self.compound_with_redirects(start)?)),
            None => self.simple_command(into)?,
        }
        if let Some(body) = into.take_only() {
            *into = Stages::One(Command::Coproc(Arc::new(Coproc { name, body, line })));
        }
        Ok(())
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
