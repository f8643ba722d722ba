//! The shell as expansion sees it.

use std::sync::{Arc, OnceLock};

use super::arith::{Integer, Key};
use super::value::{Attributes, Text, Value};
use crate::fs::{DirEntry, FileKind};
use crate::kernel::{BoxFuture, Halt};
use crate::pattern::{Pattern, PatternOptions, Units};
use crate::syntax::ast::{List, Name, Substitution};

/// The `IFS` in force, prepared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ifs {
    /// `separators[b]`: 0 no separator, 1 white space, 2 other, 3 may begin one of `wide`.
    pub separators: [u8; 256],
    /// Separators of several bytes.
    wide: Vec<Vec<u8>>,
    /// What joins `"$*"`: the first character, or nothing.
    pub joiner: Vec<u8>,
}

impl Ifs {
    /// Space, tab, newline.
    pub fn standard() -> &'static Arc<Ifs> {
        static STANDARD: OnceLock<Arc<Ifs>> = OnceLock::new();
        STANDARD.get_or_init(|| Arc::new(Ifs::new(None)))
    }

    /// From the value of `IFS`; unset means space, tab, newline.
    pub fn new(value: Option<&[u8]>) -> Ifs {
        let value = value.unwrap_or(b" \t\n");
        let mut separators = [0; 256];
        let mut wide = Vec::new();
        for (at, unit) in crate::text::utf8::units(value) {
            let bytes = value.get(at..at + unit.len()).unwrap_or_default();
            let Some(slot) = bytes
                .first()
                .and_then(|first| separators.get_mut(usize::from(*first)))
            else {
                continue;
            };
            *slot = match bytes {
                [b' ' | b'\t' | b'\n'] => 1,
                [_] => 2,
                _ => 3,
            };
            if bytes.len() > 1 {
                wide.push(bytes.to_vec());
            }
        }
        let first = bstr::decode_utf8(value).1;
        Ifs {
            separators,
            wide,
            joiner: value.get(..first).unwrap_or_default().to_vec(),
        }
    }

    /// The length of the separator of several bytes that `text` starts with.
    pub fn wide_separator(&self, text: &[u8]) -> Option<usize> {
        self.wide
            .iter()
            .find(|separator| text.starts_with(separator))
            .map(Vec::len)
    }

    /// The class of a byte: 0 no separator, 1 white space, 2 other, 3 see [`Ifs::wide_separator`].
    #[inline]
    pub fn class(&self, byte: u8) -> u8 {
        self.separators.get(usize::from(byte)).copied().unwrap_or(0)
    }
}

/// Shell options that change expansion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExpandFlags {
    /// `set -u`
    pub nounset: bool,
    /// `set -f`
    pub noglob: bool,
    /// `set +B` clears it
    pub braceexpand: bool,
    /// `shopt -s extglob`
    pub extglob: bool,
    /// `shopt -s nullglob`
    pub nullglob: bool,
    /// `shopt -s failglob`
    pub failglob: bool,
    /// `shopt -s dotglob`
    pub dotglob: bool,
    /// `shopt -s globstar`
    pub globstar: bool,
    /// `shopt -s nocaseglob`
    pub nocaseglob: bool,
    /// `shopt -s nocasematch`
    pub nocasematch: bool,
    /// `shopt -s globskipdots`
    pub globskipdots: bool,
    /// `shopt -s patsub_replacement`
    pub patsub_replacement: bool,
    /// The locale is set to `C`: lengths and offsets count bytes.
    pub bytes: bool,
    /// `set -o posix`
    pub posix: bool,
}

impl ExpandFlags {
    /// What patterns and changes of case take for characters.
    pub fn units(&self) -> Units {
        if self.bytes {
            Units::Bytes
        } else {
            Units::Characters
        }
    }
}

/// Why an expansion failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure<D> {
    /// Said on standard error; the complete command is abandoned with status 1 (`division by 0`, `bad substitution`).
    Discard(Vec<u8>),
    /// The same, for an arithmetic expression: some commands put their name in front of the message.
    Arith(Vec<u8>),
    /// No valid `${…}`: becomes [`Failure::Fatal`] or [`Failure::Discard`] with the text of the word it stands in.
    BadSubstitution {
        /// The shell ends.
        fatal: bool,
    },
    /// The word of `${x:=word}` for a readonly variable: as [`Failure::Discard`], but the status of a subshell is 2.
    Unassignable(Vec<u8>),
    /// Said on standard error; everything that is being read is abandoned: `bash -c` ends with status 1.
    Top(Vec<u8>),
    /// Said on standard error; a non-interactive shell exits with status 127 (`${x?}`, `set -u`).
    Fatal(Vec<u8>),
    /// Control flow of the shell, already said.
    Divert(D),
}

impl<D> Failure<D> {
    /// A message for [`Failure::Discard`].
    pub fn discard(message: impl Into<Vec<u8>>) -> Self {
        Failure::Discard(message.into())
    }
}

/// The shell, as far as expansion needs it.
pub trait ExpandHost: Send {
    /// The shell's control flow, carried through expansion untouched.
    type Divert: Send + From<Halt>;

    /// A variable's value through namerefs; dynamic ones are computed. `None`: unset.
    fn value(&mut self, name: &Name) -> Option<Value>;
    /// What `$name` gives. The fast path of `value`.
    fn scalar_text(&mut self, name: &Name) -> Option<Text>;
    /// The value of a variable that is a plain string, and no array, no nameref and not computed.
    fn plain_text(&self, name: &Name) -> Option<&Text>;
    /// The same as a number, where it is a plain one.
    fn plain_number(&self, name: &Name) -> Option<i64>;
    /// A variable's value as arithmetic sees it. The fast path of `value`.
    fn integer(&mut self, name: &Name) -> Integer;
    /// The same for a name that is not one of the tree.
    fn integer_of(&mut self, name: &[u8]) -> Integer;
    /// An element of a plain array as a number; `None` where more than a look has to be done.
    fn element_number(&self, name: &Name, key: &Key) -> Option<i64>;
    /// An element of a plain array, where it is set.
    fn plain_element(&self, name: &Name, key: &Key) -> Option<&Text>;
    /// The variable a name stands for (through namerefs), with the subscript that a nameref may carry.
    fn resolve(&mut self, name: &[u8]) -> (Name, Option<Vec<u8>>);
    /// The name is a nameref.
    fn is_reference(&self, name: &[u8]) -> bool;
    /// The raw target of a nameref, if `name` is one.
    fn nameref(&self, name: &[u8]) -> Option<Vec<u8>>;
    /// Its attributes; `None` when it does not exist at all.
    fn attributes(&self, name: &[u8]) -> Option<Attributes>;
    /// Letters of `${x@a}`.
    fn attribute_letters(&self, name: &[u8]) -> Option<String>;
    /// Assigns to a variable or to the element with this key. An indexed array's key is the evaluated number in decimal.
    fn assign(&mut self, name: &[u8], key: Option<&[u8]>, value: &[u8]) -> Result<(), Failure<Self::Divert>>;
    /// Assigns a number to a variable, or to an element of an array, where nothing more is to be done than to store it. `false`: nothing was
    /// done.
    fn assign_number(&mut self, name: &Name, key: &Key, number: i64) -> bool;
    /// Assigns to a variable or to an element. The fast path of `assign`.
    fn assign_at(&mut self, name: &Name, key: &Key, value: &[u8]) -> Result<(), Failure<Self::Divert>>;
    /// The name is an associative array.
    fn is_assoc(&mut self, name: &Name) -> bool;
    /// The same, where a look at the variable tells it: no nameref, and not computed.
    fn is_plain_assoc(&self, name: &Name) -> bool;
    /// Subscripts of the name are numbers, which a look at the variable tells: it is no nameref, not associative, and not computed.
    fn is_numbered(&self, name: &Name) -> bool;
    /// Positional parameters from `$1`.
    fn positional(&self) -> &[Text];
    /// `$0`
    fn zero(&self) -> &[u8];
    /// One of `# ? - $ !`; `None` when unset (`$!` before any job).
    fn special(&mut self, parameter: u8) -> Option<Vec<u8>>;
    /// Names of visible variables that start so, sorted.
    fn names(&self, prefix: &[u8]) -> Vec<Name>;
    /// Options.
    fn flags(&self) -> ExpandFlags;
    /// `IFS`.
    fn ifs(&mut self) -> &Ifs;
    /// An empty buffer for a field; hosts keep those of earlier commands.
    fn buffer(&mut self) -> Vec<u8>;
    /// Takes such a buffer back.
    fn give_back(&mut self, buffer: Vec<u8>);
    /// `~`, `~user`, `~+`, `~-`: the directory.
    fn tilde(&mut self, user: &[u8]) -> Option<Vec<u8>>;
    /// Levels of arithmetic that are being evaluated now.
    fn arithmetic_depth(&mut self) -> &mut u32;
    /// One level of recursion more: an end of the run where the host's stack has no room for it.
    fn nest(&self) -> Result<(), Halt>;
    /// Charges work.
    fn charge(&self, units: u64) -> Result<(), Halt>;
    /// A text of this many bytes is about to be made.
    fn reserve(&self, bytes: usize) -> Result<(), Halt>;
    /// Runs a command substitution: its output without trailing newlines.
    fn substitute<'a>(
        &'a mut self,
        substitution: &'a Substitution,
    ) -> BoxFuture<'a, Result<Vec<u8>, Failure<Self::Divert>>>;
    /// Starts a process substitution: the path that names its descriptor.
    fn process<'a>(
        &'a mut self,
        write: bool,
        body: &'a Arc<List>,
    ) -> BoxFuture<'a, Result<Vec<u8>, Failure<Self::Divert>>>;
    /// Says a message on standard error without failing.
    fn warn(&mut self, message: &[u8]);
    /// Expands a prompt string: `${x@P}`.
    fn prompt<'a>(&'a mut self, text: &'a [u8]) -> BoxFuture<'a, Result<Vec<u8>, Failure<Self::Divert>>>;
    /// A directory's entries; `None` when it cannot be read.
    fn read_dir(&self, path: &[u8]) -> Option<Vec<DirEntry>>;
    /// What a path is, links not followed; `None` when nothing is there.
    fn kind(&self, path: &[u8]) -> Option<FileKind>;
    /// The path is a directory, links followed.
    fn is_dir(&self, path: &[u8]) -> bool;
    /// A compiled pattern; hosts keep those of loops.
    fn compile(&mut self, text: &[u8], options: PatternOptions) -> Arc<Pattern>;
    /// The value of `GLOBIGNORE`, when set and not null.
    fn glob_ignore(&mut self) -> Option<Vec<u8>>;
}
