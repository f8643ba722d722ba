//! A compiled script: a flat list of commands, blocks and branches being jumps within it.

use crate::pattern::Regex;

/// A regular expression: its place in [`Script::regexes`], or the last one used at run time (`//`).
pub type Pattern = Option<usize>;

/// The first address.
#[derive(Debug, Clone, PartialEq)]
pub enum Start {
    /// Line `N`. Line 0 starts a range before the first line.
    Line(u64),
    /// `first~step`.
    Step { first: u64, step: u64 },
    /// `$`.
    Last,
    /// `/re/`.
    Match(Pattern),
}

/// The second address.
#[derive(Debug, Clone, PartialEq)]
pub enum End {
    /// Line `N`.
    Line(u64),
    /// `+N` lines more.
    Plus(u64),
    /// The next line that is a multiple of `N`.
    Multiple(u64),
    /// `first~step`, which as an end means its first line that comes.
    Step { first: u64, step: u64 },
    /// `$`.
    Last,
    /// `/re/`.
    Match(Pattern),
}

/// A command with its addresses.
#[derive(Debug)]
pub struct Command {
    pub start: Option<Start>,
    pub end: Option<End>,
    /// `!`: for the lines that are not addressed.
    pub negated: bool,
    pub action: Action,
}

/// What a command does. Jumps are places in [`Script::commands`].
#[derive(Debug)]
pub enum Action {
    /// `{`: when the addresses do not hold, go on behind the block.
    Block(usize),
    /// `}`, `:label`, `v`: nothing.
    Nothing,
    Append(Vec<u8>),
    Insert(Vec<u8>),
    /// `0r`: a file before the first line.
    InsertFile(Vec<u8>),
    Change(Vec<u8>),
    Branch(usize),
    BranchIfReplaced(usize),
    BranchUnlessReplaced(usize),
    Delete,
    DeleteFirstLine,
    /// `e`, with the command or for the pattern space.
    Execute(Option<Vec<u8>>),
    FileName,
    Get,
    GetAppend,
    Hold,
    HoldAppend,
    /// `l`, with its own line length.
    List(Option<usize>),
    Next,
    NextAppend,
    Print,
    PrintFirstLine,
    Quit(i32),
    QuitSilently(i32),
    ReadFile(Vec<u8>),
    /// `R`: a place in [`Script::line_files`].
    ReadLine(usize),
    Substitute(Box<Substitution>),
    Translate(Box<Translation>),
    /// A place in [`Script::outputs`].
    Write(usize),
    WriteFirstLine(usize),
    Exchange,
    LineNumber,
    Zap,
}

/// `s`.
#[derive(Debug)]
pub struct Substitution {
    pub pattern: Pattern,
    pub replacement: Vec<Piece>,
    pub global: bool,
    /// The first match to replace, from 1.
    pub number: u64,
    /// `p` before `e`, and `p` after it or alone.
    pub print_before: bool,
    pub print: bool,
    pub execute: bool,
    pub output: Option<usize>,
}

/// How letters change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Case {
    #[default]
    AsIs,
    Upper,
    Lower,
}

/// Text of a replacement and then a group. `first` is the case of the first letter only (`\u`, `\l`).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Piece {
    pub text: Vec<u8>,
    pub group: Option<usize>,
    pub case: Case,
    pub first: Option<Case>,
}

/// `y`: what each character becomes. Bytes that stay are not listed.
#[derive(Debug, Default)]
pub struct Translation {
    /// By byte, when both sides are ASCII.
    pub ascii: Option<Box<[u8; 256]>>,
    /// By character otherwise.
    pub characters: std::collections::HashMap<Vec<u8>, Vec<u8>>,
}

/// A whole script.
#[derive(Debug, Default)]
pub struct Script {
    pub commands: Vec<Command>,
    pub regexes: Vec<Regex>,
    /// Names of the files that are written, without repetition.
    pub outputs: Vec<Vec<u8>>,
    /// Names of the files of `R`, without repetition.
    pub line_files: Vec<Vec<u8>>,
    /// How many pieces were given by `-e` or as the script: errors at run time name the last.
    pub expressions: usize,
    /// `#n` on the first line.
    pub quiet: bool,
}

impl Script {
    /// The place of a name in a list of names, added when it is new.
    pub fn place(names: &mut Vec<Vec<u8>>, name: Vec<u8>) -> usize {
        match names.iter().position(|known| *known == name) {
            Some(place) => place,
            None => {
                names.push(name);
                names.len() - 1
            }
        }
    }
}
