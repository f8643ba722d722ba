//! The printer: trees back to text, in the layout of `declare -f`, `type`, `$BASH_COMMAND` and `jobs`.
//!
//! bash has one printer with two modes: inside a function definition lists are broken into lines, elsewhere they
//! stay on one. A third switch, for what stands in `$( … )`, keeps the newlines that separated commands, because bash
//! stores a command substitution as its printed form. Its peculiar treatment of here-documents (bodies wait
//! for the end of a connection, the `;` behind them vanishes) is reproduced as it is, so the state below mirrors
//! bash's. Reading what was printed gives the same tree again.
//!
//! The differential test against real bash is `tests/syntax_oracle.rs`.

mod command;
mod compound;
mod redirect;
mod word;

use super::ast::{
    AndOr, Assign, AssignValue, Command, Compound, Coproc, Function, HereDocument, List, Part, Pipeline,
    Simple, Word,
};

use word::word;

/// `declare -f name`: ends with `}` and no newline.
pub fn print_function(function: &Function) -> Vec<u8> {
    let mut printer = Printer::default();
    printer.function(function);
    printer.out.bytes
}

/// A function that reads again as what it is, where [`print_function`] is like bash: see [`Out::exact`].
pub fn print_function_exactly(function: &Function) -> Vec<u8> {
    let mut printer = Printer::default();
    printer.out.exact = true;
    printer.function(function);
    printer.out.bytes
}

/// The same of a list.
pub fn print_list_exactly(list: &List) -> Vec<u8> {
    let mut printer = Printer::default();
    printer.out.exact = true;
    printer.list(list);
    printer.out.bytes
}

/// A list on one line, where its commands allow it.
pub fn print_list(list: &List) -> Vec<u8> {
    let mut printer = Printer::default();
    printer.list(list);
    printer.out.bytes
}

/// A command as `$BASH_COMMAND` and `jobs` show it.
pub fn print_command(command: &Command) -> Vec<u8> {
    let mut printer = Printer::default();
    printer.indent_once();
    printer.command(command, false);
    printer.out.bytes
}

/// A simple command as `$BASH_COMMAND` shows it.
pub fn print_simple(simple: &Simple) -> Vec<u8> {
    let mut printer = Printer::default();
    printer.simple(simple, false);
    printer.out.bytes
}

/// A pipeline as `jobs` shows it.
pub fn print_pipeline(pipeline: &Pipeline) -> Vec<u8> {
    let mut printer = Printer::default();
    printer.pipeline(pipeline);
    printer.out.bytes
}

/// An and-or list, as `jobs` shows it.
pub fn print_and_or(and_or: &AndOr) -> Vec<u8> {
    let mut printer = Printer::default();
    printer.and_or(and_or);
    printer.out.bytes
}

/// A compound command as `$BASH_COMMAND` shows it.
pub fn print_compound(compound: &Compound) -> Vec<u8> {
    let mut printer = Printer::default();
    printer.compound_kind(&compound.kind);
    printer.out.bytes
}

/// A coprocess as `jobs` shows it.
pub fn print_coproc(coproc: &Coproc) -> Vec<u8> {
    let mut printer = Printer::default();
    printer.indent_once();
    printer.command(&coproc.body, false);
    [b"coproc ", &*coproc.name, b" ", printer.out.as_slice()].concat()
}

/// An assignment as it was written.
pub fn print_assignment(assign: &Assign) -> Vec<u8> {
    let mut out = Out::default();
    self::word::assign(assign, &mut out);
    out.bytes
}

/// A function as the value of its environment variable: `() { … }`.
pub fn print_function_value(function: &Function) -> Vec<u8> {
    let mut printer = Printer {
        flat: true,
        ..Printer::default()
    };
    printer.function_value(function);
    printer.out.bytes
}

/// A word as it was written, up to what bash changes on reading (`$'…'` becomes `'…'`).
pub fn print_word(word: &Word) -> Vec<u8> {
    let mut out = Out::default();
    self::word(word, &mut out);
    out.bytes
}

/// The value of an assignment as bash rebuilds it.
pub(super) fn print_value(value: &AssignValue) -> Vec<u8> {
    let mut out = Out::default();
    self::word::assign_value(value, &mut out);
    out.bytes
}

/// A part of a word as it was written.
pub(super) fn print_part(part: &Part) -> Vec<u8> {
    let mut out = Out::default();
    self::word::part(part, &mut out);
    out.bytes
}

/// One space level of bash's indentation.
const INDENT: usize = 4;

/// No line is indented further: thousands of `elif` would print a text of quadratic size.
const MOST_SPACES: usize = 4 * super::MAX_DEPTH;

/// The text so far.
#[derive(Debug, Default)]
struct Out {
    bytes: Vec<u8>,
    /// What bash prints so that it means something else when it is read again is printed as it must be written: a simple command as a coprocess
    /// has no name, bash shows one, and would then take that for the command.
    exact: bool,
}

impl std::ops::Deref for Out {
    type Target = Vec<u8>;

    fn deref(&self) -> &Vec<u8> {
        &self.bytes
    }
}

impl std::ops::DerefMut for Out {
    fn deref_mut(&mut self) -> &mut Vec<u8> {
        &mut self.bytes
    }
}

/// The text so far and the state of the layout.
#[derive(Default)]
struct Printer<'t> {
    out: Out,
    indentation: usize,
    /// One blank stands for any indentation.
    flat: bool,
    /// How many of the next commands stay on the line.
    skip_indent: usize,
    /// Depth of function definitions: lists are broken into lines.
    in_function: usize,
    /// Inside `$( … )`: newlines between commands stay.
    in_substitution: bool,
    /// Depth of connections (`;`, `&`, `|`, `&&`, `||`), whose here-documents wait.
    connections: usize,
    deferred: Vec<&'t HereDocument>,
    /// The text ends in here-document bodies.
    after_document: bool,
}

impl Printer<'_> {
    fn text(&mut self, text: &str) {
        self.out.extend_from_slice(text.as_bytes());
    }

    fn spaces(&mut self) {
        let most = if self.flat { 1 } else { MOST_SPACES };
        let length = self.out.len() + self.indentation.min(most);
        self.out.resize(length, b' ');
    }

    /// Indents the command that follows, unless it stays on the line.
    fn indent_once(&mut self) {
        match self.skip_indent.checked_sub(1) {
            Some(left) => self.skip_indent = left,
            None => self.spaces(),
        }
    }

    fn newline(&mut self, text: &str) {
        self.out.push(b'\n');
        self.spaces();
        self.text(text);
    }

    /// A `;` unless a `&` or newline already ends the command.
    fn semicolon(&mut self) {
        if !matches!(self.out.last(), Some(b'&' | b'\n')) {
            self.out.push(b';');
        }
    }

    /// Prints `text` and the bodies that wait behind it.
    fn flush_documents(&mut self, text: &str) {
        let shown = !matches!(text, "" | ";");
        if shown {
            self.text(text);
        }
        let documents = std::mem::take(&mut self.deferred);
        if !documents.is_empty() {
            self.document_bodies(&documents);
            if shown {
                self.out.push(b' ');
            }
        }
    }

    fn flush_waiting(&mut self) {
        if !self.deferred.is_empty() {
            self.flush_documents("");
        }
    }
}
