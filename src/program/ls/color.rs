//! The colours of `ls`: the table of `LS_COLORS`, and which entry of it a file has.
//!
//! Without `LS_COLORS` the built-in table counts only for terminals that are known to have colours, as in coreutils.

use super::entry::{Entry, Target};
use crate::args::quote;
use crate::fs::FileKind;
use crate::kernel::Proc;
use crate::pattern::{Pattern, PatternOptions};
use crate::text::escape;

/// Rows of the table, in the order of [`CODES`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(
    dead_code,
    reason = "a row of the table of GNU ls that this system has no file for"
)]
pub enum Code {
    Left,
    Right,
    End,
    Reset,
    Normal,
    File,
    Directory,
    Link,
    Fifo,
    Socket,
    BlockDevice,
    CharDevice,
    Missing,
    Orphan,
    Executable,
    Door,
    SetUid,
    SetGid,
    Sticky,
    OtherWritable,
    StickyOtherWritable,
    Capability,
    MultiHardLink,
    ClearToEnd,
}

/// The two letters of each row, and what it is when `LS_COLORS` does not say.
const CODES: [(&[u8; 2], Option<&[u8]>); 24] = [
    (b"lc", Some(b"\x1b[")),
    (b"rc", Some(b"m")),
    (b"ec", None),
    (b"rs", Some(b"0")),
    (b"no", None),
    (b"fi", None),
    (b"di", Some(b"01;34")),
    (b"ln", Some(b"01;36")),
    (b"pi", Some(b"33")),
    (b"so", Some(b"01;35")),
    (b"bd", Some(b"01;33")),
    (b"cd", Some(b"01;33")),
    (b"mi", None),
    (b"or", None),
    (b"ex", Some(b"01;32")),
    (b"do", Some(b"01;35")),
    (b"su", Some(b"37;41")),
    (b"sg", Some(b"30;43")),
    (b"st", Some(b"37;44")),
    (b"ow", Some(b"34;42")),
    (b"tw", Some(b"30;42")),
    (b"ca", Some(b"30;41")),
    (b"mh", None),
    (b"cl", Some(b"\x1b[K")),
];

/// Names of terminals with colours: those of `dircolors --print-database`.
const TERMINALS: [&str; 25] = [
    "Eterm",
    "ansi",
    "*color*",
    "con[0-9]*x[0-9]*",
    "cons25",
    "console",
    "cygwin",
    "*direct*",
    "dtterm",
    "gnome",
    "hurd",
    "jfbterm",
    "konsole",
    "kterm",
    "linux",
    "linux-c",
    "mlterm",
    "putty",
    "rxvt*",
    "screen*",
    "st",
    "terminator",
    "tmux*",
    "vt100",
    "xterm*",
];

/// The table.
pub struct Colors {
    codes: Vec<Option<Vec<u8>>>,
    /// Endings of names; later ones count first.
    endings: Vec<(Vec<u8>, Vec<u8>)>,
    /// Links look like what they lead to.
    pub link_as_target: bool,
}

/// What `LS_COLORS` came to.
pub enum Read {
    Table(Colors),
    /// No colours, and what there is to say about it.
    None(Vec<Vec<u8>>),
}

impl Colors {
    /// Reads the environment.
    pub fn read(proc: &Proc) -> Read {
        let mut colors = Colors {
            codes: CODES.iter().map(|(_, value)| value.map(<[u8]>::to_vec)).collect(),
            endings: Vec::new(),
            link_as_target: false,
        };
        match proc.variable(b"LS_COLORS").filter(|text| !text.is_empty()) {
            None if !is_known_terminal(proc) => return Read::None(Vec::new()),
            None => {}
            Some(text) => {
                if let Err(warning) = colors.parse(text) {
                    let last = b"unparsable value for LS_COLORS environment variable".to_vec();
                    return Read::None(warning.into_iter().chain([last]).collect());
                }
            }
        }
        if colors.code(Code::Link).is_some_and(|link| link == b"target") {
            colors.link_as_target = true;
        }
        Read::Table(colors)
    }

    /// The sequence of a row.
    pub fn code(&self, code: Code) -> Option<&[u8]> {
        self.codes.get(code as usize)?.as_deref()
    }

    /// The row changes something.
    pub fn is_colored(&self, code: Code) -> bool {
        !matches!(self.code(code), None | Some(b"" | b"0" | b"00"))
    }

    fn parse(&mut self, text: &[u8]) -> Result<(), Option<Vec<u8>>> {
        let mut rest = text;
        while let Some((&first, after)) = rest.split_first() {
            match first {
                b':' => rest = after,
                b'*' => {
                    let (ending, after) = sequence(after, true).ok_or(None)?;
                    let after = after.strip_prefix(b"=").ok_or(None)?;
                    let (color, after) = sequence(after, false).ok_or(None)?;
                    self.endings.push((ending, color));
                    rest = after;
                }
                _ => {
                    let (name, after) = rest.split_at_checked(2).ok_or(None)?;
                    let after = after.strip_prefix(b"=").ok_or(None)?;
                    let index = CODES.iter().position(|(known, _)| known.as_slice() == name);
                    let slot = index.and_then(|index| self.codes.get_mut(index));
                    let (Some(slot), Some((color, after))) = (slot, sequence(after, false)) else {
                        return Err(Some([b"unrecognized prefix: ", &*quote(name)].concat()));
                    };
                    *slot = Some(color);
                    rest = after;
                }
            }
        }
        Ok(())
    }

    /// The sequence for an entry, or for the target that a link shows.
    pub fn of<'a>(&'a self, entry: &Entry, target: Target) -> Option<&'a [u8]> {
        let (name, kind_and_mode, missing) = match target {
            Target::Shown => {
                let link = entry.link.as_deref().unwrap_or_default();
                (link, entry.link_target, entry.link_target.is_none())
            }
            Target::Entry => {
                let own = entry.metadata.map(|found| (found.kind, found.mode));
                let as_target = entry.link_target.filter(|_| self.link_as_target);
                (entry.name.as_slice(), as_target.or(own), false)
            }
        };
        let code = match kind_and_mode {
            _ if missing && self.is_colored(Code::Missing) => Code::Missing,
            _ if entry.metadata.is_none() => code_of_listed(entry.kind),
            None => Code::Orphan,
            Some((kind, mode)) => self.code_of(kind, mode, entry.metadata.map_or(0, |found| found.nlink)),
        };
        if code == Code::File
            && let Some((_, color)) = self
                .endings
                .iter()
                .rev()
                .find(|(ending, _)| ends_with(name, ending))
        {
            return Some(color);
        }
        let orphan =
            code == Code::Link && (missing || (target == Target::Entry && entry.link_target.is_none()));
        if orphan && (self.link_as_target || self.is_colored(Code::Orphan)) {
            return self.code(Code::Orphan);
        }
        self.code(code)
    }

    fn code_of(&self, kind: FileKind, mode: u32, links: u64) -> Code {
        let is = |bits: u32, code: Code| mode & bits == bits && self.is_colored(code);
        match kind {
            FileKind::Regular if is(0o4000, Code::SetUid) => Code::SetUid,
            FileKind::Regular if is(0o2000, Code::SetGid) => Code::SetGid,
            FileKind::Regular if mode & 0o111 != 0 && self.is_colored(Code::Executable) => Code::Executable,
            FileKind::Regular if links > 1 && self.is_colored(Code::MultiHardLink) => Code::MultiHardLink,
            FileKind::Regular => Code::File,
            FileKind::Directory if is(0o1002, Code::StickyOtherWritable) => Code::StickyOtherWritable,
            FileKind::Directory if is(0o0002, Code::OtherWritable) => Code::OtherWritable,
            FileKind::Directory if is(0o1000, Code::Sticky) => Code::Sticky,
            FileKind::Directory => Code::Directory,
            FileKind::Symlink => Code::Link,
            FileKind::Fifo => Code::Fifo,
            FileKind::Socket => Code::Socket,
            FileKind::BlockDevice => Code::BlockDevice,
            FileKind::CharDevice => Code::CharDevice,
        }
    }
}

/// What is known of a file from its directory alone.
fn code_of_listed(kind: Option<FileKind>) -> Code {
    match kind {
        None => Code::Orphan,
        Some(FileKind::Regular) => Code::File,
        Some(FileKind::Directory) => Code::Directory,
        Some(FileKind::Symlink) => Code::Link,
        Some(FileKind::Fifo) => Code::Fifo,
        Some(FileKind::Socket) => Code::Socket,
        Some(FileKind::BlockDevice) => Code::BlockDevice,
        Some(FileKind::CharDevice) => Code::CharDevice,
    }
}

fn ends_with(name: &[u8], ending: &[u8]) -> bool {
    let start = name.len().checked_sub(ending.len());
    start
        .and_then(|start| name.get(start..))
        .is_some_and(|end| end.eq_ignore_ascii_case(ending))
}

fn is_known_terminal(proc: &Proc) -> bool {
    if proc.variable(b"COLORTERM").is_some_and(|value| !value.is_empty()) {
        return true;
    }
    let Some(terminal) = proc.variable(b"TERM").filter(|value| !value.is_empty()) else {
        return false;
    };
    TERMINALS
        .iter()
        .any(|known| Pattern::compile(known.as_bytes(), PatternOptions::default()).matches(terminal))
}

/// A sequence up to `:` (or `=`), its escapes resolved; with what follows it.
fn sequence(text: &[u8], ends_at_equals: bool) -> Option<(Vec<u8>, &[u8])> {
    let mut out = Vec::new();
    let mut rest = text;
    while let Some((&byte, after)) = rest.split_first() {
        match byte {
            b':' => break,
            b'=' if ends_at_equals => break,
            b'\\' => {
                let (resolved, after) = escape(after)?;
                out.push(resolved);
                rest = after;
            }
            b'^' => {
                let (&letter, after) = after.split_first()?;
                out.push(match letter {
                    b'@'..=b'~' => letter & 0o37,
                    b'?' => 127,
                    _ => return None,
                });
                rest = after;
            }
            _ => {
                out.push(byte);
                rest = after;
            }
        }
    }
    Some((out, rest))
}

/// What follows a backslash.
fn escape(text: &[u8]) -> Option<(u8, &[u8])> {
    let (&byte, after) = text.split_first()?;
    let resolved = match byte {
        b'0'..=b'7' => return Some(digits(text, 8)),
        b'x' | b'X' => return Some(digits(after, 16)),
        b'e' => 27,
        b'?' => 127,
        b'_' => b' ',
        byte => escape::letter(byte).unwrap_or(byte),
    };
    Some((resolved, after))
}

/// As many digits as there are, in one byte.
fn digits(text: &[u8], base: u32) -> (u8, &[u8]) {
    let (value, count) = escape::digits(text, base, text.len());
    (value as u8, text.get(count..).unwrap_or_default())
}
