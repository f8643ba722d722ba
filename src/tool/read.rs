//! `read`: lines of a text file, with their numbers.
//!
//! The file is read in pieces, and of a line no more is kept than is shown; so neither a file nor a line is too long. Reading
//! stops where the page ends.

use super::cancel::Cancel;
use super::content::{LOOK, binary_type};
use super::failure::{Failure, FailureCode};
use super::path::{absolute, show};
use super::pieces::Pieces;
use super::request::{Read, bounds};
use super::workspace::{Fault, Workspace};
use crate::fs::FileKind;

/// Characters of a line that are shown.
pub(super) const LINE: usize = 2000;

/// Bytes of a line that are kept: enough for the longest characters, one more, and a CR.
const KEPT: usize = (LINE + 1) * 4 + 1;

pub(super) async fn run(
    workspace: &mut dyn Workspace,
    read: &Read,
    cancel: &Cancel,
) -> Result<String, Failure> {
    let path = absolute(workspace.directory(), &read.path);
    let failed = |fault| Failure::at(&path, fault, FailureCode::Error);
    let node = workspace.node(&path).await.map_err(failed)?;
    regular(node.kind).map_err(failed)?;
    let mut pieces = Pieces::new(&path);
    let mut piece = pieces.next(workspace, cancel).await.map_err(failed)?;
    if let Some(kind) = binary_type(piece.get(..LOOK).unwrap_or(&piece)) {
        let message = format!("{}: binary file ({kind}, {} bytes)", show(&path), node.size);
        return Err(Failure::new(FailureCode::Binary, message));
    }
    let mut page = Page::new(
        read.offset.unwrap_or(1),
        read.limit.unwrap_or(bounds::LIMIT_DEFAULT),
    );
    while !piece.is_empty() && page.take(&piece) {
        piece = pieces.next(workspace, cancel).await.map_err(failed)?;
    }
    Ok(page.into_text())
}

/// Whether a file of a kind can be read as text.
pub(super) fn regular(kind: FileKind) -> Result<(), Fault> {
    use crate::fs::Errno;
    match kind {
        FileKind::Regular => Ok(()),
        FileKind::Directory => Err(Errno::EISDIR.into()),
        _ => Err(Errno::EINVAL.into()),
    }
}

/// The lines to show, as the file goes by.
struct Page {
    first: u64,
    end: u64,
    /// The line that the next byte belongs to.
    number: u64,
    /// Its start, when it is to be shown.
    line: Vec<u8>,
    /// It has bytes.
    open: bool,
    lines: Vec<String>,
    /// There is more after the page.
    more: bool,
    /// Bytes that are no characters are among what is shown.
    broken: bool,
}

impl Page {
    fn new(first: u64, limit: u64) -> Page {
        Page {
            first,
            end: first.saturating_add(limit),
            number: 1,
            line: Vec::new(),
            open: false,
            lines: Vec::new(),
            more: false,
            broken: false,
        }
    }

    /// Takes the next bytes of the file; `false` when it needs no more.
    fn take(&mut self, piece: &[u8]) -> bool {
        let mut rest = piece;
        while !rest.is_empty() {
            if self.number >= self.end {
                self.more = true;
                return false;
            }
            let at = memchr::memchr(b'\n', rest);
            let (part, after) = rest.split_at(at.unwrap_or(rest.len()));
            if self.number >= self.first {
                let room = KEPT.saturating_sub(self.line.len());
                self.line.extend_from_slice(part.get(..room).unwrap_or(part));
            }
            self.open = at.is_none();
            if at.is_some() {
                self.end_line(true);
            }
            rest = after.get(1..).unwrap_or_default();
        }
        true
    }

    fn end_line(&mut self, newline: bool) {
        if self.number >= self.first {
            let text = self.shown(newline);
            self.lines.push(text);
            self.line.clear();
        }
        self.number += 1;
        self.open = false;
    }

    fn shown(&mut self, newline: bool) -> String {
        let mut line = self.line.as_slice();
        if self.number == 1 {
            line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
        }
        if newline {
            line = line.strip_suffix(b"\r").unwrap_or(line);
        }
        let (text, broken) = show_line(line);
        self.broken |= broken;
        text
    }

    fn into_text(mut self) -> String {
        if self.open {
            self.end_line(false);
        }
        let count = self.number - 1;
        if count == 0 {
            return "The file is empty.".to_owned();
        }
        if self.lines.is_empty() {
            let lines = if count == 1 { "line" } else { "lines" };
            return format!(
                "Offset {} is past the end: the file has {count} {lines}.",
                self.first
            );
        }
        let last = self.first + self.lines.len() as u64 - 1;
        let width = last.to_string().len();
        let mut lines: Vec<String> = (self.first..)
            .zip(&self.lines)
            .map(|(number, line)| format!("{number:>width$}\t{line}"))
            .collect();
        if self.broken {
            lines.push(
                "[not all of it is UTF-8: \u{fffd} stands for bytes that are no characters]".to_owned(),
            );
        }
        if self.more {
            lines.push(format!("[there are more lines: go on with offset {}]", last + 1));
        }
        lines.join("\n")
    }
}

/// The text of a line, cut at [`LINE`] characters, and whether it holds bytes that are no characters. Of a longer line only the start need be given.
pub(super) fn show_line(line: &[u8]) -> (String, bool) {
    let text = String::from_utf8_lossy(line);
    let mut broken = matches!(text, std::borrow::Cow::Owned(_));
    let mut text = text.replace('\0', "\u{2400}");
    if let Some((end, _)) = text.char_indices().nth(LINE) {
        text.truncate(end);
        broken = broken && text.contains('\u{fffd}');
        text.push('…');
    }
    (text, broken)
}
