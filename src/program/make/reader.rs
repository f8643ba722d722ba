//! Reading makefiles: logical lines, and what each one is.
//!
//! A line that begins with the recipe prefix belongs to the rule before it. Others set variables, are conditional, include, or are rules, in
//! the order in which GNU make looks for these. A rule waits for its recipe, and is recorded before the next line that is none.

use std::sync::Arc;

use super::Make;
use super::condition::Conditions;
use super::files::Place;
use super::names::{self, find_outside, is_blank, split_word, trim};
use super::outside::Newlines;
use super::rule::{RuleLine, Waiting};
use super::variables::{
    Definition, Export, Flavor, Modifiers, Operator, Origin, Statement, Variable, statement,
};
use crate::fs::Errno;
use crate::kernel::{BoxFuture, Input, Stop, cost};

/// A text that is read line by line.
struct Source {
    text: Arc<[u8]>,
    at: usize,
    /// The number of the next line; none in a text that has none of its own.
    next_line: u64,
    counts: bool,
}

impl Source {
    /// The next logical line, with its continuations, and its number.
    fn line(&mut self) -> Option<(Vec<u8>, u64)> {
        let rest = self.text.get(self.at..).filter(|rest| !rest.is_empty())?;
        let number = self.next_line;
        let mut end = 0;
        loop {
            let fresh = rest.get(end..).unwrap_or_default();
            let Some(newline) = memchr::memchr(b'\n', fresh) else {
                end = rest.len();
                break;
            };
            end += newline + 1;
            self.next_line += u64::from(self.counts);
            let line = rest.get(..end - 1).unwrap_or_default();
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            let quotes = line.iter().rev().take_while(|byte| **byte == b'\\').count();
            if quotes % 2 == 0 {
                break;
            }
        }
        let line = rest.get(..end).unwrap_or_default();
        self.at += end;
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        Some((without_carriage(line), number))
    }
}

/// Lines that end with a carriage return as others.
fn without_carriage(line: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(line.len());
    for (at, byte) in line.iter().enumerate() {
        if *byte != b'\r' || line.get(at + 1) != Some(&b'\n') {
            out.push(*byte);
        }
    }
    out
}

/// Joins continued lines with one blank.
pub fn collapsed(line: &[u8]) -> Vec<u8> {
    if memchr::memchr(b'\n', line).is_none() {
        return line.to_vec();
    }
    let mut out: Vec<u8> = Vec::with_capacity(line.len());
    for (index, part) in line.split(|byte| *byte == b'\n').enumerate() {
        if index == 0 {
            out.extend_from_slice(part);
            continue;
        }
        let quotes = out.iter().rev().take_while(|byte| **byte == b'\\').count();
        out.truncate(out.len() - quotes + quotes / 2);
        while quotes < 2 && out.last().copied().is_some_and(is_blank) {
            out.pop();
        }
        out.push(b' ');
        let start = part
            .iter()
            .position(|byte| !is_blank(*byte))
            .unwrap_or(part.len());
        out.extend_from_slice(part.get(start..).unwrap_or_default());
    }
    out
}

/// The line without its comment.
pub fn without_comment(line: &[u8]) -> Vec<u8> {
    let line = match find_outside(line, b"#") {
        Some(at) => line.get(..at).unwrap_or_default(),
        None => line,
    };
    unquoted_marks(line)
}

/// `\#` outside of references is `#`.
fn unquoted_marks(line: &[u8]) -> Vec<u8> {
    if memchr::memmem::find(line, b"\\#").is_none() {
        return line.to_vec();
    }
    names::unquote(line, b"#")
}

/// How a makefile is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// It is an error that it is not there.
    Required,
    Optional,
}

/// What is kept while one text is read.
pub struct Reading {
    pub conditions: Conditions,
    pub waiting: Option<Waiting>,
    /// Commands after a rule without targets are passed over.
    no_targets: bool,
    /// Nesting of `define` in a part that is passed over.
    ignored_defines: usize,
}

impl Make<'_> {
    /// Reads a makefile. An error is why it could not be read.
    pub fn read_file<'b>(&'b mut self, name: &'b [u8]) -> BoxFuture<'b, Result<Result<(), Errno>, Stop>> {
        Box::pin(async move {
            self.proc.kernel.meter().nest()?;
            let file = match self.proc.open(name, crate::fs::OpenFlags::READ).await {
                Ok(file) => file,
                Err(errno) => return Ok(Err(errno)),
            };
            let mut lease = self.proc.kernel.lease();
            let text = match Input::new(file).rest(&mut lease).await {
                Ok(text) => text,
                Err(errno) => return Ok(Err(errno)),
            };
            self.note_makefile(name)?;
            let place = Place {
                file: Arc::from(name),
                line: 1,
            };
            self.read_text(text, Some(place), true).await?;
            Ok(Ok(()))
        })
    }

    fn note_makefile(&mut self, name: &[u8]) -> Result<(), Stop> {
        let list = self
            .variables
            .get(b"MAKEFILE_LIST")
            .map(|list| list.value.to_vec());
        let list = names::join(list.iter().map(Vec::as_slice).chain([name]));
        let list = Variable::new(list, Flavor::Simple, Origin::File);
        self.variables.put(b"MAKEFILE_LIST", list)?;
        Ok(())
    }

    /// `$(eval text)`: lines count from where it stands.
    pub fn evaluate<'b>(&'b mut self, text: &'b [u8]) -> BoxFuture<'b, Result<(), Stop>> {
        Box::pin(async move {
            self.proc.kernel.meter().nest()?;
            let frames = std::mem::take(&mut self.frames);
            let scope = self.scope.take();
            let place = self.place.clone();
            let result = self.read_text(text.to_vec(), place, false).await;
            self.frames = frames;
            self.scope = scope;
            result
        })
    }

    async fn read_text(&mut self, text: Vec<u8>, place: Option<Place>, counts: bool) -> Result<(), Stop> {
        let mut lease = self.proc.kernel.lease();
        lease.grow(text.len() * 2)?;
        let before = self.place.take();
        let mut source = Source {
            text: text.into(),
            at: 0,
            next_line: place.as_ref().map_or(1, |place| place.line),
            counts,
        };
        let file = place.map(|place| place.file);
        let mut reading = Reading {
            conditions: Conditions::default(),
            waiting: None,
            no_targets: false,
            ignored_defines: 0,
        };
        while let Some((line, number)) = source.line() {
            self.proc.charge(cost::LINE + line.len() as u64 / 8)?;
            self.proc.kernel.breathe().await;
            self.place = file.clone().map(|file| Place { file, line: number });
            self.read_line(&mut reading, &mut source, line).await?;
        }
        if !reading.conditions.are_closed() {
            self.place = file.map(|file| Place {
                file,
                line: source.next_line,
            });
            return Err(self.fatal("missing 'endif'").await);
        }
        self.record(&mut reading).await?;
        self.place = before;
        Ok(())
    }

    /// Records the rule that waits for its recipe.
    async fn record(&mut self, reading: &mut Reading) -> Result<(), Stop> {
        match reading.waiting.take() {
            Some(waiting) => self.record_rule(waiting).await,
            None => Ok(()),
        }
    }

    async fn read_line(
        &mut self,
        reading: &mut Reading,
        source: &mut Source,
        line: Vec<u8>,
    ) -> Result<(), Stop> {
        if line.is_empty() {
            return Ok(());
        }
        let prefix = self.recipe_prefix();
        if line.first() == Some(&prefix) {
            if reading.no_targets && reading.waiting.is_none() {
                return Ok(());
            }
            if let Some(waiting) = &mut reading.waiting {
                if !reading.conditions.is_ignoring() {
                    let place = self.place.clone();
                    waiting.add_line(line.get(1..).unwrap_or_default(), place, prefix);
                }
                return Ok(());
            }
        }
        let plain = without_comment(&collapsed(&line));
        let ignoring = reading.conditions.is_ignoring();
        if let Some((modifiers, statement)) = statement(&plain, false) {
            if ignoring {
                reading.ignored_defines += usize::from(matches!(statement, Statement::Define(_)));
                return Ok(());
            }
            if reading.ignored_defines == 0 {
                self.record(reading).await?;
                return self.set_variable(source, modifiers, statement).await;
            }
        }
        let (word, rest) = split_word(&plain);
        if word.is_empty() {
            return Ok(());
        }
        if reading.ignored_defines > 0 {
            reading.ignored_defines -= usize::from(word == b"endef");
            return Ok(());
        }
        if self.conditional(&mut reading.conditions, word, rest).await? || reading.conditions.is_ignoring() {
            return Ok(());
        }
        match word {
            b"export" | b"unexport" => {
                self.record(reading).await?;
                self.export(rest, word == b"export").await
            }
            b"vpath" => {
                self.record(reading).await?;
                Err(self.fatal("the directive 'vpath' is not supported").await)
            }
            b"include" | b"-include" | b"sinclude" => {
                self.record(reading).await?;
                let need = if word == b"include" {
                    Need::Required
                } else {
                    Need::Optional
                };
                self.include(rest, need).await
            }
            b"load" | b"-load" => {
                self.record(reading).await?;
                Err(self.fatal("the directive 'load' is not supported").await)
            }
            _ if line.first() == Some(&prefix) => {
                Err(self.fatal("recipe commences before first target").await)
            }
            _ => self.read_rule(reading, &line).await,
        }
    }

    async fn read_rule(&mut self, reading: &mut Reading, line: &[u8]) -> Result<(), Stop> {
        self.record(reading).await?;
        reading.no_targets = false;
        match self.rule(line).await? {
            RuleLine::Rule(waiting) => reading.waiting = Some(waiting),
            RuleLine::NoTargets => reading.no_targets = true,
            RuleLine::Done => {}
        }
        Ok(())
    }

    fn recipe_prefix(&self) -> u8 {
        let prefix = self
            .variables
            .get(b".RECIPEPREFIX")
            .and_then(|prefix| prefix.value.first().copied());
        prefix.unwrap_or(b'\t')
    }

    async fn set_variable(
        &mut self,
        source: &mut Source,
        modifiers: Modifiers,
        statement: Statement,
    ) -> Result<(), Stop> {
        let origin = if modifiers.over {
            Origin::Override
        } else {
            Origin::File
        };
        let definition = match statement {
            Statement::Set(definition) => definition,
            Statement::Undefine(name) => {
                let name = self.expand(trim(&name)).await?;
                let name = self.nonempty(name).await?;
                let known = self.variables.get(&name).map(|variable| variable.origin);
                if known.is_some_and(|known| known <= origin) {
                    self.variables.remove(&name);
                }
                return Ok(());
            }
            Statement::Define(line) => self.read_define(source, &line).await?,
        };
        let name = self.define(&definition, origin).await?;
        if modifiers.export
            && let Some(variable) = self.variables.get_mut(&name)
        {
            variable.export = Export::Yes;
        }
        Ok(())
    }

    /// Reads the lines up to `endef`.
    async fn read_define(&mut self, source: &mut Source, line: &[u8]) -> Result<Definition, Stop> {
        let definition = Definition::parse(line);
        if let Some(Definition { value, .. }) = &definition
            && !value.is_empty()
        {
            self.complain("extraneous text after 'define' directive").await?;
        }
        let (name, operator) = match definition {
            Some(definition) => (definition.name, definition.operator),
            None => (trim(line).to_vec(), Operator::Recursive),
        };
        let prefix = self.recipe_prefix();
        let mut body = self.growing();
        let mut depth = 1;
        loop {
            let Some((line, number)) = source.line() else {
                return Err(self.fatal("missing 'endef', unterminated 'define'").await);
            };
            self.proc.charge(cost::LINE)?;
            let line = collapsed(&line);
            let (word, rest) = split_word(&line);
            if line.first() != Some(&prefix) {
                if word == b"define" {
                    depth += 1;
                } else if word == b"endef" {
                    depth -= 1;
                    if !trim(&without_comment(rest)).is_empty() {
                        let here = self.place.clone();
                        if let Some(place) = &mut self.place {
                            place.line = number;
                        }
                        self.complain("extraneous text after 'endef' directive").await?;
                        self.place = here;
                    }
                }
            }
            if depth == 0 {
                let value = body.text.strip_suffix(b"\n").unwrap_or_default().to_vec();
                return Ok(Definition {
                    name,
                    operator,
                    value,
                });
            }
            body.push(&line)?;
            body.push(b"\n")?;
        }
    }

    async fn nonempty(&mut self, name: Vec<u8>) -> Result<Vec<u8>, Stop> {
        if name.is_empty() {
            return Err(self.fatal("empty variable name").await);
        }
        Ok(name)
    }

    /// Sets a variable of all; its name.
    pub async fn define(&mut self, definition: &Definition, origin: Origin) -> Result<Vec<u8>, Stop> {
        let name = self.expand(trim(&definition.name)).await?;
        let name = self.nonempty(name).await?;
        let old = self.variables.get(&name).cloned();
        let Some((value, flavor)) = self.defined_value(definition, old.as_ref()).await? else {
            return Ok(name);
        };
        let overrides = self.options.env_overrides;
        let old = self.variables.get(&name).map(|old| match old.origin {
            Origin::Environment if overrides => Origin::EnvironmentOverride,
            origin => origin,
        });
        if old.is_none_or(|old| origin >= old) {
            let mut variable = Variable::new(value, flavor, origin);
            variable.place.clone_from(&self.place);
            self.variables.put(&name, variable)?;
        }
        Ok(name)
    }

    /// The value that a definition gives; `None` if it changes nothing.
    pub async fn defined_value(
        &mut self,
        definition: &Definition,
        old: Option<&Variable>,
    ) -> Result<Option<(Vec<u8>, Flavor)>, Stop> {
        let value = &definition.value;
        Ok(Some(match (definition.operator, old) {
            (Operator::Simple, _) => (self.expand(value).await?, Flavor::Simple),
            (Operator::Shell, _) => {
                let command = self.expand(value).await?;
                (
                    self.shell_output(&command, Newlines::Last).await?,
                    Flavor::Recursive,
                )
            }
            (Operator::Conditional, Some(_)) => return Ok(None),
            (Operator::Recursive | Operator::Conditional, _) | (Operator::Append, None) => {
                (value.clone(), Flavor::Recursive)
            }
            (Operator::Append, Some(old)) => {
                let added = match old.flavor {
                    Flavor::Recursive => value.clone(),
                    Flavor::Simple => self.expand(value).await?,
                };
                if added.is_empty() {
                    return Ok(None);
                }
                self.proc.charge(old.value.len() as u64 / 64)?;
                let blank: &[u8] = if old.value.is_empty() { b"" } else { b" " };
                ([&old.value, blank, &added].concat(), old.flavor)
            }
        }))
    }

    /// `export` and `unexport` of names, or of all.
    async fn export(&mut self, rest: &[u8], export: bool) -> Result<(), Stop> {
        if rest.is_empty() {
            self.export_all = export;
            return Ok(());
        }
        let all = self.expand(rest).await?;
        let export = if export { Export::Yes } else { Export::No };
        for name in names::words(&all) {
            if let Some(variable) = self.variables.get_mut(name) {
                variable.export = export;
            } else {
                let mut variable = Variable::new(Vec::new(), Flavor::Simple, Origin::File);
                variable.export = export;
                self.variables.put(name, variable)?;
            }
        }
        Ok(())
    }

    async fn include(&mut self, rest: &[u8], need: Need) -> Result<(), Stop> {
        let all = self.expand(rest).await?;
        for name in names::words(&all) {
            let mut files = self.matching_files(name)?;
            if files.is_empty() {
                files.push(self.with_home(name));
            }
            for file in files {
                self.include_file(&file, need).await?;
            }
        }
        Ok(())
    }

    /// Reads a makefile where it is, or in one of the directories for that.
    async fn include_file(&mut self, name: &[u8], need: Need) -> Result<(), Stop> {
        let place = self.place.clone();
        let mut result = self.read_file(name).await?;
        let mut found = name.to_vec();
        if matches!(result, Err(Errno::ENOENT)) && !name.starts_with(b"/") {
            let places: Vec<Vec<u8>> = self.options.include_dirs.clone();
            for directory in places
                .iter()
                .map(Vec::as_slice)
                .chain([b"/usr/local/include".as_slice(), b"/usr/include"])
            {
                let path = [directory, b"/", name].concat();
                if let Ok(()) = self.read_file(&path).await? {
                    found = path;
                    result = Ok(());
                    break;
                }
            }
        }
        self.place = place;
        let id = self.files.enter(&found)?;
        if need == Need::Optional && result.is_err() {
            self.files.get_mut(id).optional = true;
        }
        if let Err(errno) = result {
            self.missing.push((id, errno, need, self.place.clone()));
        }
        self.makefiles.push(id);
        Ok(())
    }

    /// What a line that is no rule lacks.
    pub async fn missing_separator(&mut self, line: &[u8]) -> Stop {
        if self.recipe_prefix() == b'\t' && line.starts_with(b"        ") {
            let sentence = "missing separator (did you mean TAB instead of 8 spaces?)";
            return self.fatal(sentence).await;
        }
        self.fatal("missing separator").await
    }
}
