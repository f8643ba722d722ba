//! What `-printf` and `-ls` print.

use super::printf::{Format, Piece};
use super::{Finder, Subject};
use crate::args::quote;
use crate::fs::{Errno, FileKind, Follow, Metadata, Timestamp};
use crate::kernel::{Proc, Stop};
use crate::program::inode::{is_device, kind_letter, mode_letters};
use crate::program::message::message;
use crate::text::format::{Layout, Radix};
use crate::text::strftime::{Dialect, Moment, strftime};

/// Longest date.
const DATE_LIMIT: usize = 4096;
/// Six months, to `-ls`.
const RECENT: i64 = 6 * 30 * 24 * 60 * 60;
/// Less in the future than this still counts as recent.
const HOUR: i64 = 60 * 60;

/// A value for a directive.
enum Value {
    Text(Vec<u8>),
    Integer(i128),
    Octal(u64),
}

fn number(number: impl ToString) -> Value {
    Value::Text(number.to_string().into_bytes())
}

/// How wide the columns of `-ls` are; they grow.
#[derive(Debug, Clone, Copy)]
pub struct Columns {
    inode: usize,
    blocks: usize,
    links: usize,
    owner: usize,
    group: usize,
    major: usize,
    minor: usize,
    size: usize,
}

impl Default for Columns {
    fn default() -> Self {
        Columns {
            inode: 9,
            blocks: 6,
            links: 3,
            owner: 8,
            group: 8,
            major: 3,
            minor: 3,
            size: 8,
        }
    }
}

/// Pads to a column, which becomes as wide as it must; a blank follows.
fn put(out: &mut Vec<u8>, text: &[u8], column: &mut usize, left: bool) {
    *column = (*column).max(text.len());
    let blanks = std::iter::repeat_n(b' ', *column - text.len());
    if left {
        out.extend_from_slice(text);
        out.extend(blanks);
    } else {
        out.extend(blanks);
        out.extend_from_slice(text);
    }
    out.push(b' ');
}

fn put_number(out: &mut Vec<u8>, number: impl ToString, column: &mut usize) {
    put(out, number.to_string().as_bytes(), column, false);
}

/// A name with escapes for blanks, quotes and all that is no printable ASCII.
fn escaped(name: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(name.len());
    for &byte in name {
        let letter = match byte {
            b'\\' | b'"' | b' ' => byte,
            b'\n' => b'n',
            8 => b'b',
            b'\r' => b'r',
            b'\t' => b't',
            12 => b'f',
            0x21..=0x7e => {
                out.push(byte);
                continue;
            }
            _ => {
                out.extend_from_slice(format!("\\{byte:03o}").as_bytes());
                continue;
            }
        };
        out.extend_from_slice(&[b'\\', letter]);
    }
    out
}

fn type_letter(kind: FileKind) -> u8 {
    match kind_letter(kind) {
        b'-' => b'f',
        letter => letter,
    }
}

impl Finder {
    /// The text of a format, and whether it ended in `\c`.
    pub async fn formatted(
        &mut self,
        proc: &mut Proc,
        format: &Format,
        subject: &Subject<'_>,
    ) -> Result<(Vec<u8>, bool), Stop> {
        let mut out = Vec::new();
        for piece in &format.pieces {
            match piece {
                Piece::Text(text) => out.extend_from_slice(text),
                Piece::Stop => return Ok((out, true)),
                Piece::Field {
                    layout, letter: b'Z', ..
                } => {
                    let line = message!("getfilecon failed: ", quote(subject.path), ": No data available");
                    self.fail(proc, line).await?;
                    out.extend(layout.string(b""));
                }
                Piece::Field { layout, letter, kind } => {
                    let value = self.value(proc, *letter, *kind, subject);
                    out.extend(lay_out(layout, value));
                }
            }
        }
        Ok((out, false))
    }

    fn value(&mut self, proc: &Proc, letter: u8, kind: u8, subject: &Subject<'_>) -> Value {
        let path = subject.path;
        match letter {
            b'd' => return Value::Integer(subject.depth as i128),
            b'p' => return Value::Text(path.to_vec()),
            b'f' => return Value::Text(file_name(path).to_vec()),
            b'h' => return Value::Text(leading(path).to_vec()),
            b'H' => return Value::Text(subject.start.to_vec()),
            b'P' => return Value::Text(below(path, subject.start).to_vec()),
            b'y' => return Value::Text(vec![subject.kind().map_or(b'U', type_letter)]),
            b'B' if kind == b'@' => return Value::Text(b"-1.-000000010".to_vec()),
            b'B' => return Value::Text(Vec::new()),
            _ => {}
        }
        let Some(found) = subject.metadata else {
            return Value::Text(Vec::new());
        };
        match letter {
            b'a' => self.date(proc, found.atime, 0),
            b'A' => self.date(proc, found.atime, kind),
            b'c' => self.date(proc, found.ctime, 0),
            b'C' => self.date(proc, found.ctime, kind),
            b't' => self.date(proc, found.mtime, 0),
            b'T' => self.date(proc, found.mtime, kind),
            b'b' => number(found.blocks),
            b'k' => number(found.blocks.div_ceil(2)),
            b'D' => number(found.device),
            b'F' => Value::Text(self.file_system(proc, found.device).to_vec()),
            b'g' => Value::Text(self.accounts.group_text(proc, found.gid)),
            b'G' => number(found.gid),
            b'u' => Value::Text(self.accounts.user_text(proc, found.uid)),
            b'U' => number(found.uid),
            b'i' => number(found.inode),
            b'l' if found.kind == FileKind::Symlink => Value::Text(proc.read_link(path).unwrap_or_default()),
            b'm' => Value::Octal(u64::from(found.mode)),
            b'M' => Value::Text(mode_letters(found.kind, found.mode)),
            b'n' => number(found.nlink),
            b's' => number(found.size),
            b'S' => Value::Text(sparseness(&found)),
            b'Y' => Value::Text(vec![target_letter(proc, path, &found)]),
            _ => Value::Text(Vec::new()),
        }
    }

    /// A time in the form that a letter asks for; 0 is that of `ctime`.
    fn date(&mut self, proc: &Proc, time: Timestamp, kind: u8) -> Value {
        let fraction = format!(".{:09}0", time.nanos);
        if kind == b'@' {
            return Value::Text(format!("{}{fraction}", time.seconds).into_bytes());
        }
        let zone = self.zone.get_or_insert_with(|| crate::program::dates::zone(proc));
        let Some(moment) = Moment::new(time.seconds, time.nanos, zone) else {
            return Value::Text(format!("{}{fraction}", time.seconds).into_bytes());
        };
        let text = |format: &[u8]| strftime(format, &moment, Dialect::Glibc, DATE_LIMIT).unwrap_or_default();
        Value::Text(match kind {
            0 => message!(text(b"%a %b %e %H:%M:%S"), fraction, text(b" %Y")),
            b'+' => message!(text(b"%Y-%m-%d+%H:%M:%S"), fraction),
            b'S' | b'T' | b'X' => message!(text(&[b'%', kind]), fraction),
            _ => text(&[b'%', kind]),
        })
    }

    /// The line of `-ls`.
    pub fn listed(&mut self, proc: &Proc, subject: &Subject<'_>, found: &Metadata) -> Vec<u8> {
        let mut columns = self.columns;
        let mut out = Vec::new();
        let posix = proc.variable(b"POSIXLY_CORRECT").is_some();
        let blocks = found.blocks.div_ceil(if posix { 1 } else { 2 });
        put_number(&mut out, found.inode, &mut columns.inode);
        put_number(&mut out, blocks, &mut columns.blocks);
        out.extend(mode_letters(found.kind, found.mode));
        out.push(b' ');
        put_number(&mut out, found.nlink, &mut columns.links);
        let owner = self.accounts.user_text(proc, found.uid);
        let group = self.accounts.group_text(proc, found.gid);
        put(&mut out, &owner, &mut columns.owner, true);
        put(&mut out, &group, &mut columns.group, true);
        if is_device(found.kind) {
            put_number(&mut out, found.rdev.0, &mut columns.major);
            out.insert(out.len() - 1, b',');
            put_number(&mut out, found.rdev.1, &mut columns.minor);
        } else {
            put_number(&mut out, found.size, &mut columns.size);
        }
        self.columns = columns;
        out.extend(self.list_date(proc, found.mtime));
        out.push(b' ');
        out.extend(escaped(subject.path));
        if found.kind == FileKind::Symlink
            && let Ok(target) = proc.read_link(subject.path)
        {
            out.extend_from_slice(b" -> ");
            out.extend(escaped(&target));
        }
        out.push(b'\n');
        out
    }

    fn list_date(&mut self, proc: &Proc, time: Timestamp) -> Vec<u8> {
        let now = self.options.start.seconds;
        let is_recent = now - RECENT <= time.seconds && time.seconds <= now + HOUR;
        let format: &[u8] = if is_recent { b"%b %e %H:%M" } else { b"%b %e  %Y" };
        let zone = self.zone.get_or_insert_with(|| crate::program::dates::zone(proc));
        Moment::new(time.seconds, time.nanos, zone)
            .and_then(|moment| strftime(format, &moment, Dialect::Glibc, DATE_LIMIT))
            .unwrap_or_else(|| format!("{:>12}", time.seconds).into_bytes())
    }
}

fn lay_out(layout: &Layout, value: Value) -> Vec<u8> {
    match value {
        Value::Text(text) => layout.string(&text),
        Value::Integer(value) => layout.signed(value),
        Value::Octal(value) => layout.unsigned(value, Radix::Octal),
    }
}

/// `%f`: the last component with a slash if one is behind it.
fn file_name(path: &[u8]) -> &[u8] {
    let last = path.iter().rposition(|byte| *byte != b'/').unwrap_or(0);
    let end = (last + 2).min(path.len());
    let start = path.get(..=last).unwrap_or_default();
    let start = start
        .iter()
        .rposition(|byte| *byte == b'/')
        .map_or(0, |at| at + 1);
    path.get(start.min(last)..end).unwrap_or_default()
}

/// `%h`: what is before the last component.
fn leading(path: &[u8]) -> &[u8] {
    // Slashes at the end are taken away where more than one byte is before them.
    let last = path.iter().rposition(|byte| *byte != b'/').unwrap_or(0);
    let stripped = if last > 0 {
        path.get(..=last).unwrap_or_default()
    } else {
        path
    };
    match stripped.iter().rposition(|byte| *byte == b'/') {
        Some(slash) => stripped.get(..slash).unwrap_or_default(),
        None => b".",
    }
}

/// `%P`: the path without the start point.
fn below<'p>(path: &'p [u8], start: &[u8]) -> &'p [u8] {
    let rest = path.strip_prefix(start).unwrap_or_default();
    rest.strip_prefix(b"/").unwrap_or(rest)
}

/// `%S`: how much of a file is stored.
fn sparseness(found: &Metadata) -> Vec<u8> {
    if found.size == 0 {
        return if found.blocks == 0 {
            b"1".to_vec()
        } else {
            b"inf".to_vec()
        };
    }
    let ratio = found.blocks as f64 * 512.0 / found.size as f64;
    Layout::default().double(ratio, b'g')
}

/// `%Y`: the type of what a link leads to.
fn target_letter(proc: &Proc, path: &[u8], found: &Metadata) -> u8 {
    if found.kind != FileKind::Symlink {
        return type_letter(found.kind);
    }
    match proc.metadata(path, Follow::Yes) {
        Ok(target) => type_letter(target.kind),
        Err(Errno::ENOENT | Errno::ENOTDIR) => b'N',
        Err(Errno::ELOOP) => b'L',
        Err(_) => b'?',
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_paths() {
        for (path, file, directory) in [
            ("d/", "d/", "d"),
            ("d/s/", "s/", "d"),
            ("./d/s", "s", "./d"),
            ("../", "../", "."),
            ("d//", "d/", "d/"),
            (".", ".", "."),
            ("/", "/", ""),
            ("d", "d", "."),
        ] {
            assert_eq!(file_name(path.as_bytes()), file.as_bytes(), "{path}");
            assert_eq!(leading(path.as_bytes()), directory.as_bytes(), "{path}");
        }
        assert_eq!(below(b"d/s/t", b"d"), b"s/t");
        assert_eq!(below(b"d/s", b"d/"), b"s");
    }
}
