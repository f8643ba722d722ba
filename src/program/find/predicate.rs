//! What an expression of `find` is made of, after parsing: tests and actions, and small code that joins them.

use super::exec::Exec;
use super::printf::Format;
use crate::fs::{Access, FileKind, Timestamp};
use crate::pattern::{Pattern, Regex};

/// How a number is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compare {
    Less,
    Equal,
    Greater,
}

impl Compare {
    /// Whether `value` stands so to `wanted`.
    pub fn holds<T: PartialOrd>(self, value: T, wanted: T) -> bool {
        match self {
            Compare::Less => value < wanted,
            Compare::Equal => value == wanted,
            Compare::Greater => value > wanted,
        }
    }
}

/// One of the times of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileTime {
    Access,
    Change,
    Modification,
}

/// A point in time that a time of files is compared with; `Equal` means within a window after it.
#[derive(Debug, Clone, Copy)]
pub struct Window {
    pub compare: Compare,
    pub reference: Timestamp,
    pub seconds: i64,
}

/// Which number of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Number {
    Uid,
    Gid,
    Links,
    Inode,
}

/// How `-perm` compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PermKind {
    Exact,
    AllOf,
    AnyOf,
}

/// A set of kinds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Kinds(u8);

impl Kinds {
    pub fn add(&mut self, kind: FileKind) {
        self.0 |= 1 << kind as u8;
    }

    pub fn contains(self, kind: FileKind) -> bool {
        self.0 & 1 << kind as u8 != 0
    }
}

/// Where an action prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sink {
    Stdout,
    Stderr,
    /// A file of the expression.
    File(usize),
}

/// A test or an action.
pub enum Predicate {
    Constant(bool),
    Name(Pattern),
    Path(Pattern),
    LinkName(Pattern),
    Regex(Regex),
    Type(Kinds),
    TargetType(Kinds),
    /// Length in units of so many bytes, rounded up.
    Size(Compare, u64, u64),
    Empty,
    Newer(FileTime, Timestamp),
    Age(FileTime, Window),
    Used(Window),
    /// For files, for directories.
    Perm(PermKind, u32, u32),
    Number(Number, Compare, u64),
    NoUser,
    NoGroup,
    SameFile(u64, u64),
    FileSystem(Vec<u8>),
    Access(Access),
    Prune,
    Quit,
    Delete,
    Print(Sink, u8),
    Printf(Sink, Format),
    List(Sink),
    Exec(Exec),
}

/// A step of an expression; the last value is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// The value is that of a predicate.
    Test(usize),
    Not,
    /// `-a`: goes on at the step when the value is false.
    UnlessTrue(usize),
    /// `-o`: goes on at the step when the value is true.
    UnlessFalse(usize),
}
