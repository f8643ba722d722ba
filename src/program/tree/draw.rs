//! Lines: what is in front of a name, the name, what is behind it, and the report at the end.

use jiff::tz::TimeZone;

use super::options::{Lines, Names, Options};
use super::read::{Forest, Node};
use super::{Output, Totals};
use crate::fs::{FileKind, Metadata};
use crate::kernel::{Proc, Stop};
use crate::program::accounts::Accounts;
use crate::program::inode::mode_letters;
use crate::text::strftime::{Dialect, Moment, strftime};
use crate::text::utf8;

/// Longest date.
const DATE_LIMIT: usize = 256;
/// Half a year, to `-D`.
const RECENT: i64 = 6 * 31 * 24 * 60 * 60;

/// A place in the drawing: what is left of a directory's entries.
struct Level<'f> {
    rest: std::slice::Iter<'f, usize>,
}

/// Words for what metadata says.
pub struct Drawing<'o> {
    pub options: &'o Options,
    accounts: Accounts,
    zone: TimeZone,
}

/// Draws everything.
pub async fn print(proc: &mut Proc, forest: &Forest, options: &Options, output: &Output) -> Result<(), Stop> {
    let mut drawing = Drawing::new(proc, options);
    for root in &forest.roots {
        let Some(node) = forest.nodes.get(*root) else {
            continue;
        };
        let line = drawing.line(proc, node, b"");
        output.write(proc, &line).await?;
        let mut levels = vec![Level {
            rest: node.children.as_deref().unwrap_or_default().iter(),
        }];
        while let Some(level) = levels.last_mut() {
            proc.kernel.breathe().await;
            let Some(index) = level.rest.next() else {
                levels.pop();
                continue;
            };
            let Some(node) = forest.nodes.get(*index) else {
                continue;
            };
            let line = drawing.line(proc, node, &lead(&levels, options));
            output.write(proc, &line).await?;
            proc.charge(levels.len() as u64 / 8 + 1)?;
            if let Some(children) = &node.children {
                levels.push(Level {
                    rest: children.iter(),
                });
            }
        }
    }
    if options.report {
        output.write(proc, &report(forest.totals, options)).await?;
    }
    Ok(())
}

/// The lines in front of an entry.
fn lead(levels: &[Level<'_>], options: &Options) -> Vec<u8> {
    let (through, branch, last) = match options.lines {
        Lines::None => return Vec::new(),
        Lines::Unicode => ("│\u{a0}\u{a0} ", "├── ", "└── "),
        Lines::Ascii => ("|   ", "|-- ", "`-- "),
    };
    let mut out = Vec::new();
    for (index, level) in levels.iter().enumerate() {
        let goes_on = !level.rest.as_slice().is_empty();
        let text = match (index + 1 == levels.len(), goes_on) {
            (true, true) => branch,
            (true, false) => last,
            (false, true) => through,
            (false, false) => "    ",
        };
        out.extend_from_slice(text.as_bytes());
    }
    out
}

fn report(totals: Totals, options: &Options) -> Vec<u8> {
    let Totals { directories, files } = totals;
    let noun = if directories == 1 {
        "directory"
    } else {
        "directories"
    };
    if options.directories_only {
        return format!("\n{directories} {noun}\n").into_bytes();
    }
    let file = if files == 1 { "file" } else { "files" };
    format!("\n{directories} {noun}, {files} {file}\n").into_bytes()
}

impl<'o> Drawing<'o> {
    /// Reads no accounts before it has to.
    pub fn new(proc: &Proc, options: &'o Options) -> Drawing<'o> {
        Drawing {
            options,
            accounts: Accounts::default(),
            zone: crate::program::dates::zone(proc),
        }
    }

    /// The owner's name or number.
    pub fn user(&mut self, proc: &Proc, uid: u32) -> String {
        String::from_utf8_lossy(&self.accounts.user_text(proc, uid)).into_owned()
    }

    /// The group's name or number.
    pub fn group(&mut self, proc: &Proc, gid: u32) -> String {
        String::from_utf8_lossy(&self.accounts.group_text(proc, gid)).into_owned()
    }

    fn line(&mut self, proc: &Proc, node: &Node, lead: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        let info = self.info(proc, node);
        if self.options.info_first {
            out.extend_from_slice(&info);
            out.extend_from_slice(lead);
        } else {
            out.extend_from_slice(lead);
            out.extend_from_slice(&info);
        }
        let name = if self.options.full_paths {
            &node.path
        } else {
            &node.name
        };
        out.extend(shown(name, self.options));
        let indicator = |found: &Metadata| indicator(found.kind, found.mode);
        if self.options.indicators && node.link.is_none() {
            out.extend(node.metadata.as_ref().and_then(indicator));
        }
        if let Some((target, found)) = &node.link {
            out.extend_from_slice(b" -> ");
            out.extend(shown(target, self.options));
            if self.options.indicators {
                out.extend(found.as_ref().and_then(indicator));
            }
        }
        out.extend_from_slice(node.note.as_deref().unwrap_or_default());
        out.push(b'\n');
        out
    }

    /// What `-p -u -g -s -D --inodes` show in brackets.
    fn info(&mut self, proc: &Proc, node: &Node) -> Vec<u8> {
        let options = self.options;
        let Some(found) = node.metadata else {
            return Vec::new();
        };
        let mut fields: Vec<String> = Vec::new();
        if options.inodes {
            fields.push(format!("{:7}", found.inode));
        }
        if options.modes {
            fields.push(String::from_utf8_lossy(&mode_letters(found.kind, found.mode)).into_owned());
        }
        if options.users {
            fields.push(format!("{:<8}", self.user(proc, found.uid)));
        }
        if options.groups {
            fields.push(format!("{:<8}", self.group(proc, found.gid)));
        }
        if options.sizes {
            fields.push(size(found.size, options.human));
        }
        if options.dates {
            fields.push(self.date(proc, &found));
        }
        if fields.is_empty() {
            return Vec::new();
        }
        format!("[{}]  ", fields.join(" ")).into_bytes()
    }

    /// The time that `-D` shows.
    pub fn date(&self, proc: &Proc, found: &Metadata) -> String {
        let time = if self.options.change_time {
            found.ctime
        } else {
            found.mtime
        };
        let now = proc.kernel.now().seconds;
        let is_recent = time.seconds <= now && time.seconds + RECENT >= now;
        let usual: &[u8] = if is_recent { b"%b %e %R" } else { b"%b %e  %Y" };
        let format = self.options.time_format.as_deref().unwrap_or(usual);
        let text = Moment::new(time.seconds, time.nanos, &self.zone)
            .and_then(|moment| strftime(format, &moment, Dialect::Glibc, DATE_LIMIT));
        String::from_utf8_lossy(&text.unwrap_or_default()).into_owned()
    }
}

fn size(bytes: u64, human: Option<u64>) -> String {
    let Some(base) = human else {
        return format!("{bytes:11}");
    };
    if bytes < base {
        return format!("{bytes:4}");
    }
    let units = if base == 1000 { "dkMGTPEZY" } else { "BKMGTPEZY" };
    let mut scaled = bytes;
    let mut unit = 1;
    while scaled >= base * base {
        scaled /= base;
        unit += 1;
    }
    let letter = units.chars().nth(unit).unwrap_or('?');
    let value = scaled as f64 / base as f64;
    if scaled / base >= 10 {
        format!("{value:3.0}{letter}")
    } else {
        format!("{value:3.1}{letter}")
    }
}

fn indicator(kind: FileKind, mode: u32) -> Option<u8> {
    match kind {
        FileKind::Directory => Some(b'/'),
        FileKind::Socket => Some(b'='),
        FileKind::Fifo => Some(b'|'),
        FileKind::Symlink => Some(b'@'),
        FileKind::Regular if mode & 0o111 != 0 => Some(b'*'),
        _ => None,
    }
}

/// A name as the options show it.
fn shown(name: &[u8], options: &Options) -> Vec<u8> {
    let mut out = Vec::new();
    if options.quotes {
        out.push(b'"');
    }
    if options.names == Names::Raw {
        out.extend_from_slice(name);
    } else if let (true, Ok(text)) = (options.unicode, std::str::from_utf8(name)) {
        show_text(&mut out, text, options);
    } else {
        show_bytes(&mut out, name, options);
    }
    if options.quotes {
        out.push(b'"');
    }
    out
}

fn show_text(out: &mut Vec<u8>, text: &str, options: &Options) {
    let mut buffer = [0; 4];
    for character in text.chars() {
        let bytes = character.encode_utf8(&mut buffer).as_bytes();
        if utf8::is_print(character) {
            out.extend_from_slice(bytes);
        } else if options.names == Names::QuestionMarks {
            out.push(b'?');
        } else {
            for byte in bytes {
                out.extend_from_slice(format!("\\{byte:03o}").as_bytes());
            }
        }
    }
}

/// What is no text gets C's escapes, and blanks get one too.
fn show_bytes(out: &mut Vec<u8>, name: &[u8], options: &Options) {
    for &byte in name {
        let escaped = match byte {
            7..=13 => b"abtnvfr".get(usize::from(byte - 7)).copied(),
            b'\\' => Some(byte),
            b'"' if options.quotes => Some(byte),
            b' ' if !options.quotes => Some(byte),
            _ => None,
        };
        match escaped {
            Some(letter) => out.extend([b'\\', letter]),
            None if (0x20..0x7f).contains(&byte) => out.push(byte),
            None if options.names == Names::QuestionMarks => {
                out.push(if options.unicode && byte > 127 { byte } else { b'?' });
            }
            None => out.extend_from_slice(format!("\\{byte:03o}").as_bytes()),
        }
    }
}
