//! What is known about files: their rules, prerequisites and recipes, and how far they are made.

use std::collections::HashMap;
use std::sync::Arc;

use super::names::Pattern;
use super::variables::Variable;
use crate::kernel::{Lease, Stop};

/// A place in a makefile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    pub file: Arc<[u8]>,
    pub line: u64,
}

/// The commands of a rule.
#[derive(Debug)]
pub struct Recipe {
    /// Lines as they are written, each with its newline.
    pub text: Vec<u8>,
    /// Where it begins; none for those that are built in.
    pub place: Option<Place>,
    /// What its lines began with.
    pub prefix: u8,
}

/// A file's number.
pub type Id = usize;

/// A prerequisite.
#[derive(Debug, Clone)]
pub struct Dependency {
    pub file: Id,
    /// Only has to be there.
    pub order_only: bool,
    /// It was made anew, or is newer than what needs it.
    pub changed: bool,
}

/// How making a file ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// There was nothing to do so far.
    None,
    Success,
    /// `-q` found something to do.
    Question,
    Failed,
}

impl Status {
    pub fn is_bad(self) -> bool {
        self > Status::Success
    }
}

/// A point in time; none for a file that is not there.
pub type Time = Option<i128>;

/// The time of what was made just now, or is to be taken for that.
pub const NEW: Time = Some(i128::MAX);
/// The time of what is to be taken for old.
pub const OLD: Time = Some(i128::MIN);

/// Variables of a target or pattern, in the order of their definition.
pub type Scope = Vec<(Vec<u8>, Variable)>;

/// A file.
#[derive(Debug, Default)]
pub struct Entry {
    pub name: Vec<u8>,
    pub dependencies: Vec<Dependency>,
    pub recipe: Option<Arc<Recipe>>,
    pub stem: Option<Vec<u8>>,
    /// A rule has it as target.
    pub is_target: bool,
    pub is_phony: bool,
    pub is_precious: bool,
    pub is_secondary: bool,
    /// Came up only on the way to another file.
    pub is_intermediate: bool,
    /// Named on the command line.
    pub is_goal: bool,
    /// A rule was looked for.
    pub searched: bool,
    pub is_silent: bool,
    pub ignores_errors: bool,
    /// It has `::` rules: itself and the others, in order.
    pub double_colon: bool,
    pub more: Vec<Id>,
    /// Made by the same commands.
    pub also: Vec<Id>,
    pub variables: Scope,
    /// Prerequisites that are expanded once more, when the file is made.
    pub second: Vec<SecondExpansion>,
    /// What needs it.
    pub parent: Option<Id>,
    pub updating: bool,
    pub updated: bool,
    pub status: Option<Status>,
    /// Known time; none when it has to be asked for.
    pub time: Option<Time>,
    pub time_before: Option<Time>,
    /// Failures are passed over (an optional makefile).
    pub optional: bool,
}

/// Text of prerequisites for `.SECONDEXPANSION`.
#[derive(Debug, Clone)]
pub struct SecondExpansion {
    pub text: Vec<u8>,
    pub place: Option<Place>,
}

/// A pattern rule.
#[derive(Debug, Clone)]
pub struct PatternRule {
    pub targets: Vec<Pattern>,
    /// Prerequisites as they are written: texts with a `%` or without.
    pub dependencies: Vec<(Vec<u8>, bool)>,
    pub recipe: Option<Arc<Recipe>>,
    pub terminal: bool,
}

/// What a file takes.
const ROOM: usize = 512;

/// All files.
#[derive(Debug)]
pub struct Files {
    by_name: HashMap<Vec<u8>, Id>,
    entries: Vec<Entry>,
    lease: Lease,
    /// What stands for a number that is none.
    nothing: Entry,
}

impl Files {
    pub fn new(lease: Lease) -> Files {
        Files {
            by_name: HashMap::new(),
            entries: Vec::new(),
            lease,
            nothing: Entry::default(),
        }
    }

    pub fn find(&self, name: &[u8]) -> Option<Id> {
        self.by_name.get(name).copied()
    }

    /// The file of a name, which is known from now on.
    pub fn enter(&mut self, name: &[u8]) -> Result<Id, Stop> {
        if let Some(id) = self.find(name) {
            return Ok(id);
        }
        let id = self.add(name)?;
        self.by_name.insert(name.to_vec(), id);
        Ok(id)
    }

    /// One more record of a name, for a `::` rule.
    pub fn add(&mut self, name: &[u8]) -> Result<Id, Stop> {
        self.lease.grow(ROOM + name.len() * 2)?;
        self.entries.push(Entry {
            name: name.to_vec(),
            ..Entry::default()
        });
        Ok(self.entries.len() - 1)
    }

    /// More memory of the files.
    pub fn hold(&mut self, bytes: usize) -> Result<(), Stop> {
        Ok(self.lease.grow(bytes)?)
    }

    pub fn get(&self, id: Id) -> &Entry {
        self.entries.get(id).unwrap_or(&self.nothing)
    }

    pub fn get_mut(&mut self, id: Id) -> &mut Entry {
        self.entries.get_mut(id).unwrap_or(&mut self.nothing)
    }

    pub fn ids(&self) -> std::ops::Range<Id> {
        0..self.entries.len()
    }

    /// The prerequisites of a special target.
    pub fn special(&self, name: &[u8]) -> Option<&Entry> {
        self.find(name).map(|id| self.get(id))
    }

    /// A special target is mentioned as a target.
    pub fn has_target(&self, name: &[u8]) -> bool {
        self.special(name).is_some_and(|entry| entry.is_target)
    }
}
