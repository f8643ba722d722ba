//! The words of expressions: every test, action and option of findutils 4.9 by its name, without the dash.

use super::predicate::{FileTime, Number};
use crate::fs::Access;

/// What a word stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Word {
    Not,
    And,
    Or,
    Comma,
    Open,
    Close,
    Constant(bool),
    /// Says nothing, and changes nothing.
    Nothing,
    DayStart,
    Warn(bool),
    RegexType,
    Follow,
    Depth,
    MaxDepth,
    MinDepth,
    OneFileSystem,
    StartPoints,
    Help,
    Version,
    /// A pattern for the name, path, or what a link holds; ignoring case or not.
    Name(bool),
    Path(bool),
    LinkName(bool),
    Regex(bool),
    Type,
    TargetType,
    Size,
    Empty,
    /// A time of the file against the modification time of another.
    NewerThan(FileTime),
    /// `-newerXY`.
    NewerXy,
    Days(FileTime),
    Minutes(FileTime),
    Used,
    Perm,
    Number(Number),
    User,
    Group,
    NoUser,
    NoGroup,
    SameFile,
    FileSystem,
    Context,
    Access(Access),
    Prune,
    Quit,
    Delete,
    /// With what ends each path.
    Print(u8),
    PrintTo(u8),
    Printf,
    PrintfTo,
    List,
    ListTo,
    Exec,
    ExecDirectory,
    Ok,
    OkDirectory,
}

use Word as W;

/// Sorted by name.
const WORDS: &[(&str, Word)] = &[
    ("!", W::Not),
    ("(", W::Open),
    (")", W::Close),
    (",", W::Comma),
    ("-help", W::Help),
    ("-version", W::Version),
    ("a", W::And),
    ("amin", W::Minutes(FileTime::Access)),
    ("and", W::And),
    ("anewer", W::NewerThan(FileTime::Access)),
    ("atime", W::Days(FileTime::Access)),
    ("cmin", W::Minutes(FileTime::Change)),
    ("cnewer", W::NewerThan(FileTime::Change)),
    ("context", W::Context),
    ("ctime", W::Days(FileTime::Change)),
    ("d", W::Depth),
    ("daystart", W::DayStart),
    ("delete", W::Delete),
    ("depth", W::Depth),
    ("empty", W::Empty),
    ("exec", W::Exec),
    ("execdir", W::ExecDirectory),
    ("executable", W::Access(Access::EXECUTE)),
    ("false", W::Constant(false)),
    ("files0-from", W::StartPoints),
    ("fls", W::ListTo),
    ("follow", W::Follow),
    ("fprint", W::PrintTo(b'\n')),
    ("fprint0", W::PrintTo(0)),
    ("fprintf", W::PrintfTo),
    ("fstype", W::FileSystem),
    ("gid", W::Number(Number::Gid)),
    ("group", W::Group),
    ("help", W::Help),
    ("ignore_readdir_race", W::Nothing),
    ("ilname", W::LinkName(true)),
    ("iname", W::Name(true)),
    ("inum", W::Number(Number::Inode)),
    ("ipath", W::Path(true)),
    ("iregex", W::Regex(true)),
    ("iwholename", W::Path(true)),
    ("links", W::Number(Number::Links)),
    ("lname", W::LinkName(false)),
    ("ls", W::List),
    ("maxdepth", W::MaxDepth),
    ("mindepth", W::MinDepth),
    ("mmin", W::Minutes(FileTime::Modification)),
    ("mount", W::OneFileSystem),
    ("mtime", W::Days(FileTime::Modification)),
    ("name", W::Name(false)),
    ("newer", W::NewerThan(FileTime::Modification)),
    ("nogroup", W::NoGroup),
    ("noignore_readdir_race", W::Nothing),
    ("noleaf", W::Nothing),
    ("noop", W::Nothing),
    ("not", W::Not),
    ("nouser", W::NoUser),
    ("nowarn", W::Warn(false)),
    ("o", W::Or),
    ("ok", W::Ok),
    ("okdir", W::OkDirectory),
    ("or", W::Or),
    ("path", W::Path(false)),
    ("perm", W::Perm),
    ("print", W::Print(b'\n')),
    ("print0", W::Print(0)),
    ("printf", W::Printf),
    ("prune", W::Prune),
    ("quit", W::Quit),
    ("readable", W::Access(Access::READ)),
    ("regex", W::Regex(false)),
    ("regextype", W::RegexType),
    ("samefile", W::SameFile),
    ("size", W::Size),
    ("true", W::Constant(true)),
    ("type", W::Type),
    ("uid", W::Number(Number::Uid)),
    ("used", W::Used),
    ("user", W::User),
    ("version", W::Version),
    ("warn", W::Warn(true)),
    ("wholename", W::Path(false)),
    ("writable", W::Access(Access::WRITE)),
    ("xdev", W::OneFileSystem),
    ("xtype", W::TargetType),
];

/// The meaning of a word, one dash in front of it or none.
pub fn lookup(word: &[u8]) -> Option<Word> {
    let name = word.strip_prefix(b"-").unwrap_or(word);
    if name.len() == 7 && name.starts_with(b"newer") {
        return Some(Word::NewerXy);
    }
    let index = WORDS
        .binary_search_by(|(known, _)| known.as_bytes().cmp(name))
        .ok()?;
    WORDS.get(index).map(|(_, meaning)| *meaning)
}

impl Word {
    /// Holds for the whole command, wherever it stands.
    pub fn is_global(self) -> bool {
        matches!(
            self,
            Word::Depth | Word::MaxDepth | Word::MinDepth | Word::OneFileSystem | Word::StartPoints
        )
    }

    /// A test, as the warning about global options counts them.
    pub fn is_positional(self) -> bool {
        !self.is_global()
            && !matches!(
                self,
                Word::Not
                    | Word::And
                    | Word::Or
                    | Word::Comma
                    | Word::Open
                    | Word::Close
                    | Word::Nothing
                    | Word::DayStart
                    | Word::Warn(_)
                    | Word::RegexType
                    | Word::Follow
            )
    }

    /// Prints, or does something: then nothing is printed by itself.
    pub fn is_action(self) -> bool {
        matches!(
            self,
            Word::Delete
                | Word::Print(_)
                | Word::PrintTo(_)
                | Word::Printf
                | Word::PrintfTo
                | Word::List
                | Word::ListTo
                | Word::Exec
                | Word::ExecDirectory
                | Word::Ok
                | Word::OkDirectory
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_is_sorted() {
        assert!(WORDS.is_sorted_by(|left, right| left.0 < right.0));
        assert_eq!(lookup(b"-newermt"), Some(Word::NewerXy));
        assert_eq!(lookup(b"--help"), Some(Word::Help));
        assert_eq!(lookup(b"-newerm"), None);
    }
}
