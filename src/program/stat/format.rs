//! Formats of `stat`: text and directives, and what a directive prints.

use super::seconds;
use crate::fs::{Existing, Metadata, Timestamp, Usage};
use crate::kernel::Proc;
use crate::program::accounts::Accounts;
use crate::program::message::message;
use crate::program::{dates, inode};
use crate::text::escape;
use crate::text::format::{Directive, Flags, Layout, Radix};
use crate::text::gnu_quote::{Style, quoteaf, styled};
use crate::text::strftime::{Dialect, Moment, strftime};

/// Widths and precisions beyond this are refused.
const LIMIT: usize = 1 << 20;
/// The unit of file systems.
const BLOCK: u64 = 4096;

/// A part of a format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// Printed as it is.
    Text(Vec<u8>),
    /// `%` with flags, width and precision as written, which of major (`H`) or minor (`L`) number, and a letter.
    Directive {
        written: Vec<u8>,
        half: Option<u8>,
        letter: u8,
    },
    /// `%5%`: ends the program.
    Invalid(Vec<u8>),
}

/// What is shown.
pub enum Subject {
    File(Metadata),
    /// A file system: its device, and what it holds.
    System(u64, Usage),
}

/// Reads a format; with `escapes` backslashes mean something. Also warnings.
pub fn parse(format: &[u8], escapes: bool) -> (Vec<Piece>, Vec<Vec<u8>>) {
    let (mut pieces, mut warnings, mut text) = (Vec::new(), Vec::new(), Vec::new());
    let mut rest = format;
    while let Some((&byte, after)) = rest.split_first() {
        match byte {
            b'%' => {
                let (piece, after) = directive(after);
                if !text.is_empty() {
                    pieces.push(Piece::Text(std::mem::take(&mut text)));
                }
                pieces.push(piece);
                rest = after;
            }
            b'\\' if escapes => rest = escape(after, &mut text, &mut warnings),
            _ => {
                text.push(byte);
                rest = after;
            }
        }
    }
    if !text.is_empty() {
        pieces.push(Piece::Text(text));
    }
    (pieces, warnings)
}

/// What follows a `%`.
fn directive(text: &[u8]) -> (Piece, &[u8]) {
    let mut length = text.iter().take_while(|byte| b"'-+ #0I".contains(byte)).count();
    let digits = |from: usize| {
        let rest = text.get(from..).unwrap_or_default();
        rest.iter().take_while(|byte| byte.is_ascii_digit()).count()
    };
    length += digits(length);
    if text.get(length) == Some(&b'.') {
        length += 1 + digits(length + 1);
    }
    let (written, rest) = text.split_at_checked(length).unwrap_or_default();
    let Some((&letter, after)) = rest.split_first() else {
        return plain_percent(written, b"", rest);
    };
    match (letter, after.split_first()) {
        (b'%', _) => plain_percent(written, b"%", after),
        (b'H' | b'L', Some((&next, beyond))) if matches!(next, b'd' | b'r') => {
            let piece = Piece::Directive {
                written: written.to_vec(),
                half: Some(letter),
                letter: next,
            };
            (piece, beyond)
        }
        _ => {
            let piece = Piece::Directive {
                written: written.to_vec(),
                half: None,
                letter,
            };
            (piece, after)
        }
    }
}

fn plain_percent<'t>(written: &[u8], end: &[u8], rest: &'t [u8]) -> (Piece, &'t [u8]) {
    if written.is_empty() {
        return (Piece::Text(b"%".to_vec()), rest);
    }
    (Piece::Invalid([b"%", written, end].concat()), rest)
}

/// What follows a backslash; gives what follows that.
fn escape<'t>(text: &'t [u8], out: &mut Vec<u8>, warnings: &mut Vec<Vec<u8>>) -> &'t [u8] {
    let Some((&first, after)) = text.split_first() else {
        warnings.push(b"warning: backslash at end of format".to_vec());
        out.push(b'\\');
        return text;
    };
    let number = |text: &'t [u8], base: u32, most: usize| {
        let (value, count) = escape::digits(text, base, most);
        (value as u8, text.get(count..).unwrap_or_default(), count)
    };
    match first {
        b'0'..=b'7' => {
            let (value, rest, _) = number(text, 8, 3);
            out.push(value);
            return rest;
        }
        b'x' => {
            let (value, rest, count) = number(after, 16, 2);
            if count > 0 {
                out.push(value);
                return rest;
            }
        }
        b'"' | b'\\' => {
            out.push(first);
            return after;
        }
        b'e' => {
            out.push(27);
            return after;
        }
        _ => {
            if let Some(byte) = escape::letter(first) {
                out.push(byte);
                return after;
            }
        }
    }
    warnings.push(message!("warning: unrecognized escape '\\", [first], "'"));
    out.push(first);
    after
}

/// Prints the pieces of a format for one file.
pub struct Printer<'a> {
    pub path: &'a [u8],
    pub subject: &'a Subject,
    pub style: Style,
    pub accounts: &'a mut Accounts,
    /// What went wrong on the way.
    pub complaints: Vec<Vec<u8>>,
}

/// A value before it is laid out.
enum Value {
    Text(Vec<u8>),
    Signed(i128),
    Decimal(u64),
    Octal(u64),
    Hex(u64),
    Seconds(Timestamp),
    /// No such directive.
    Unknown,
}

impl Printer<'_> {
    /// The text of a piece; of an invalid one itself.
    pub fn print(&mut self, proc: &Proc, piece: &Piece) -> Result<Vec<u8>, Vec<u8>> {
        match piece {
            Piece::Text(text) => Ok(text.clone()),
            Piece::Invalid(text) => Err(text.clone()),
            Piece::Directive {
                written,
                half,
                letter,
            } => {
                let value = match self.subject {
                    Subject::File(found) => self.file_value(proc, found, *half, *letter),
                    Subject::System(device, usage) => system_value(self.path, *device, usage, *letter),
                };
                lay_out(value, written).ok_or_else(|| [b"%", written.as_slice(), &[*letter]].concat())
            }
        }
    }

    fn file_value(&mut self, proc: &Proc, found: &Metadata, half: Option<u8>, letter: u8) -> Value {
        let halves = |numbers: (u32, u32)| match half {
            Some(b'H') => Value::Decimal(u64::from(numbers.0)),
            Some(_) => Value::Decimal(u64::from(numbers.1)),
            None => Value::Decimal(inode::pack_device(numbers)),
        };
        let device = inode::unpack_device(found.device);
        match letter {
            b'a' => Value::Octal(u64::from(found.mode)),
            b'A' => Value::Text(inode::mode_letters(found.kind, found.mode)),
            b'b' => Value::Decimal(found.blocks),
            b'B' => Value::Decimal(512),
            b'C' => {
                let path = quoteaf(self.path);
                let line = message!("failed to get security context of ", path, ": No data available");
                self.complaints.push(line);
                Value::Text(b"?".to_vec())
            }
            b'd' => halves(device),
            b'D' => Value::Hex(found.device),
            b'f' => Value::Hex(u64::from(inode::full_mode(found))),
            b'F' => Value::Text(inode::kind_words(found).into()),
            b'g' => Value::Decimal(u64::from(found.gid)),
            b'G' => named(self.accounts.group_name(proc, found.gid)),
            b'h' => Value::Decimal(found.nlink),
            b'i' => Value::Decimal(found.inode),
            b'm' => Value::Text(self.mount_point(proc)),
            b'n' => Value::Text(self.path.to_vec()),
            b'N' => Value::Text(self.quoted(proc, found)),
            b'o' => Value::Decimal(BLOCK),
            b'r' => halves(found.rdev),
            b'R' => Value::Hex(inode::pack_device(found.rdev)),
            b's' => Value::Signed(i128::from(found.size)),
            b't' => Value::Hex(u64::from(found.rdev.0)),
            b'T' => Value::Hex(u64::from(found.rdev.1)),
            b'u' => Value::Decimal(u64::from(found.uid)),
            b'U' => named(self.accounts.user_name(proc, found.uid)),
            b'w' => date(proc, found.btime),
            b'W' => Value::Seconds(found.btime),
            b'x' => date(proc, found.atime),
            b'X' => Value::Seconds(found.atime),
            b'y' => date(proc, found.mtime),
            b'Y' => Value::Seconds(found.mtime),
            b'z' => date(proc, found.ctime),
            b'Z' => Value::Seconds(found.ctime),
            _ => Value::Unknown,
        }
    }

    fn mount_point(&self, proc: &Proc) -> Vec<u8> {
        let Ok(path) = proc.canonicalize(self.path, Existing::All) else {
            return b"?".to_vec();
        };
        let below = |point: &[u8]| {
            point == b"/"
                || path
                    .strip_prefix(point)
                    .is_some_and(|rest| matches!(rest.first(), None | Some(b'/')))
        };
        let mounts = proc.fs.mounts();
        let points = mounts.iter().map(|mount| mount.at.as_slice());
        let longest = points
            .filter(|point| below(point))
            .max_by_key(|point| point.len());
        longest.unwrap_or(b"/").to_vec()
    }

    fn quoted(&mut self, proc: &Proc, found: &Metadata) -> Vec<u8> {
        let name = styled(self.path, self.style, b"");
        if found.kind != crate::fs::FileKind::Symlink {
            return name;
        }
        match proc.read_link(self.path) {
            Ok(target) => message!(name, " -> ", styled(&target, self.style, b"")),
            Err(errno) => {
                let path = quoteaf(self.path);
                let line = message!("cannot read symbolic link ", path, ": ", errno.message());
                self.complaints.push(line);
                name
            }
        }
    }
}

fn named(name: Option<&[u8]>) -> Value {
    Value::Text(name.unwrap_or(b"UNKNOWN").to_vec())
}

/// `2024-01-02 03:04:05.000000000 +0000`.
fn date(proc: &Proc, time: Timestamp) -> Value {
    let zone = dates::zone(proc);
    let moment = Moment::new(time.seconds, time.nanos, &zone);
    let text = moment.and_then(|moment| strftime(b"%Y-%m-%d %H:%M:%S.%N %z", &moment, Dialect::Gnulib, 200));
    Value::Text(text.unwrap_or_else(|| format!("{}.{:09}", time.seconds, time.nanos).into_bytes()))
}

fn system_value(path: &[u8], device: u64, usage: &Usage, letter: u8) -> Value {
    let free = usage.limit_bytes.saturating_sub(usage.bytes) / BLOCK;
    match letter {
        b'a' | b'f' => Value::Signed(i128::from(free)),
        b'b' => Value::Decimal(usage.limit_bytes / BLOCK),
        b'c' => Value::Decimal(usage.limit_nodes),
        b'd' => Value::Signed(i128::from(usage.limit_nodes.saturating_sub(usage.nodes))),
        b'i' => Value::Hex(device),
        b'l' => Value::Decimal(255),
        b'n' => Value::Text(path.to_vec()),
        b's' | b'S' => Value::Decimal(BLOCK),
        b't' => Value::Hex(0x0102_1994),
        b'T' => Value::Text(b"tmpfs".to_vec()),
        _ => Value::Unknown,
    }
}

/// Puts a value into its width; `None` when that is beyond all measure.
fn lay_out(value: Value, written: &[u8]) -> Option<Vec<u8>> {
    let kept: Vec<u8> = written.iter().copied().filter(|byte| *byte != b'I').collect();
    let (directive, _) = Directive::parse(&kept);
    let layout = directive.resolve(|| 0);
    if layout.exceeds(LIMIT) {
        return None;
    }
    let flags = directive.flags;
    let only = |allowed: Flags| Layout {
        flags: Flags {
            left: flags.left,
            plus: flags.plus && allowed.plus,
            space: flags.space && allowed.space,
            alternate: flags.alternate && allowed.alternate,
            zero: flags.zero && allowed.zero,
            group: false,
        },
        ..layout
    };
    let none = Flags::default();
    let number = Flags { zero: true, ..none };
    let based = Flags {
        alternate: true,
        ..number
    };
    let signed = Flags {
        plus: true,
        space: true,
        ..number
    };
    Some(match value {
        Value::Text(text) => only(none).string(&text),
        Value::Signed(value) => only(signed).signed(value),
        Value::Decimal(value) => only(number).unsigned(value, Radix::Decimal),
        Value::Octal(value) => only(based).unsigned(value, Radix::Octal),
        Value::Hex(value) => only(based).unsigned(value, Radix::Hex),
        Value::Seconds(time) => seconds::format(time, &kept),
        Value::Unknown => b"?".to_vec(),
    })
}
