//! Variables: where they come from, and the tables that they live in.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::files::Place;
use crate::kernel::{Lease, Stop};

/// Where a value comes from. A later one is not replaced by an earlier one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    Default,
    Environment,
    File,
    EnvironmentOverride,
    CommandLine,
    Override,
    Automatic,
}

impl Origin {
    /// As `$(origin)` says it.
    pub fn name(self) -> &'static str {
        match self {
            Origin::Default => "default",
            Origin::Environment => "environment",
            Origin::File => "file",
            Origin::EnvironmentOverride => "environment override",
            Origin::CommandLine => "command line",
            Origin::Override => "override",
            Origin::Automatic => "automatic",
        }
    }
}

/// When a value is expanded: each time, or when it was set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flavor {
    Recursive,
    Simple,
}

/// Whether the commands of recipes see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Export {
    /// If it came from outside, or if all are exported.
    #[default]
    Default,
    Yes,
    No,
}

/// A variable.
#[derive(Debug, Clone)]
pub struct Variable {
    pub value: Arc<[u8]>,
    pub flavor: Flavor,
    pub origin: Origin,
    pub export: Export,
    /// Of a target: goes behind the value that the variable has outside.
    pub append: bool,
    /// Of a target: not for its prerequisites.
    pub private: bool,
    /// Where it was set.
    pub place: Option<Place>,
}

impl Variable {
    pub fn new(value: impl Into<Arc<[u8]>>, flavor: Flavor, origin: Origin) -> Variable {
        Variable {
            value: value.into(),
            flavor,
            origin,
            export: Export::Default,
            append: false,
            private: false,
            place: None,
        }
    }
}

/// What a variable takes beside its texts.
const ROOM: usize = 128;

/// A table of variables.
#[derive(Debug)]
pub struct Table {
    table: BTreeMap<Vec<u8>, Variable>,
    lease: Lease,
}

impl Table {
    pub fn new(lease: Lease) -> Table {
        Table {
            table: BTreeMap::new(),
            lease,
        }
    }

    pub fn get(&self, name: &[u8]) -> Option<&Variable> {
        self.table.get(name)
    }

    pub fn get_mut(&mut self, name: &[u8]) -> Option<&mut Variable> {
        self.table.get_mut(name)
    }

    pub fn remove(&mut self, name: &[u8]) {
        if let Some(gone) = self.table.remove(name) {
            let bytes = self.lease.bytes() as usize;
            let freed = gone.value.len() + name.len() + ROOM;
            self.lease.set(bytes.saturating_sub(freed));
        }
    }

    /// Sets a variable whatever it was; how it is exported stays.
    pub fn put(&mut self, name: &[u8], variable: Variable) -> Result<&mut Variable, Stop> {
        let fresh = variable.value.len();
        if let Some(old) = self.table.get(name) {
            let bytes = self.lease.bytes() as usize;
            self.lease
                .resize((bytes + fresh).saturating_sub(old.value.len()))?;
        } else {
            self.lease.grow(fresh + name.len() + ROOM)?;
        }
        let export = self
            .table
            .get(name)
            .map_or(variable.export, |old| match variable.export {
                Export::Default => old.export,
                given => given,
            });
        let place = self
            .table
            .entry(name.to_vec())
            .or_insert_with(|| variable.clone());
        *place = Variable { export, ..variable };
        Ok(place)
    }

    pub fn iter(&self) -> impl Iterator<Item = (&Vec<u8>, &Variable)> {
        self.table.iter()
    }
}

/// How a definition is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operator {
    /// `=`
    Recursive,
    /// `:=`, `::=`
    Simple,
    /// `+=`
    Append,
    /// `?=`
    Conditional,
    /// `!=`
    Shell,
}

/// `NAME OPERATOR VALUE`, nothing expanded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Definition {
    pub name: Vec<u8>,
    pub operator: Operator,
    pub value: Vec<u8>,
}

impl Definition {
    /// Reads a line; `None` if it is no definition.
    pub fn parse(line: &[u8]) -> Option<Definition> {
        use super::names::{after_reference, is_blank, trim_start};
        let line = trim_start(line);
        let mut at = 0;
        let mut end = None;
        loop {
            let byte = *line.get(at)?;
            let next = line.get(at + 1).copied();
            let operator = match byte {
                b'#' => return None,
                byte if is_blank(byte) => {
                    if end.is_some() {
                        return None;
                    }
                    end = Some(at);
                    while line.get(at).copied().is_some_and(is_blank) {
                        at += 1;
                    }
                    continue;
                }
                b'$' => {
                    at = after_reference(line, at);
                    continue;
                }
                b'=' => Some((Operator::Recursive, 1)),
                b':' if line.get(at..).is_some_and(|rest| rest.starts_with(b"::=")) => {
                    Some((Operator::Simple, 3))
                }
                b':' if next == Some(b'=') => Some((Operator::Simple, 2)),
                b':' => return None,
                b'+' if next == Some(b'=') => Some((Operator::Append, 2)),
                b'?' if next == Some(b'=') => Some((Operator::Conditional, 2)),
                b'!' if next == Some(b'=') => Some((Operator::Shell, 2)),
                _ => None,
            };
            if let Some((operator, length)) = operator {
                return Some(Definition {
                    name: line.get(..end.unwrap_or(at))?.to_vec(),
                    operator,
                    value: trim_start(line.get(at + length..)?).to_vec(),
                });
            }
            if end.is_some() {
                return None;
            }
            at += 1;
        }
    }
}

/// What stands before a definition.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Modifiers {
    pub export: bool,
    pub over: bool,
    pub private: bool,
}

/// A line that deals with a variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Statement {
    Set(Definition),
    /// `define NAME`: the rest of the line.
    Define(Vec<u8>),
    Undefine(Vec<u8>),
}

/// Reads a line with the modifiers before it; `None` if it sets no variable. `define` is not for targets.
pub fn statement(line: &[u8], of_target: bool) -> Option<(Modifiers, Statement)> {
    let mut modifiers = Modifiers::default();
    let mut rest = super::names::trim_start(line);
    loop {
        if let Some(definition) = Definition::parse(rest) {
            return Some((modifiers, Statement::Set(definition)));
        }
        let (word, behind) = super::names::split_word(rest);
        match word {
            b"export" => modifiers.export = true,
            b"override" => modifiers.over = true,
            b"private" => modifiers.private = true,
            b"define" if !of_target => return Some((modifiers, Statement::Define(behind.to_vec()))),
            b"undefine" if !of_target => return Some((modifiers, Statement::Undefine(behind.to_vec()))),
            _ => return None,
        }
        if behind.is_empty() {
            return None;
        }
        rest = behind;
    }
}
