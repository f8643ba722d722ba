//! `grep`: lines of files that match a POSIX extended regular expression.
//!
//! Files are searched in pieces, sorted by path, and only until the page is full. A line longer than [`LONGEST`] is searched in its start alone.

use super::cancel::Cancel;
use super::content::{LOOK, binary_type};
use super::failure::{Failure, FailureCode};
use super::path::{absolute, show};
use super::path_pattern::{PathPattern, Position};
use super::pieces::Pieces;
use super::read::{regular, show_line};
use super::request::{Grep, bounds};
use super::walk::Walk;
use super::workspace::{Fault, Workspace};
use crate::fs::FileKind;
use crate::pattern::{Regex, RegexError, RegexOptions, Syntax};

/// Bytes of a line that are searched.
const LONGEST: usize = 16 << 20;

pub(super) async fn run(
    workspace: &mut dyn Workspace,
    grep: &Grep,
    cancel: &Cancel,
) -> Result<String, Failure> {
    let base = absolute(workspace.directory(), grep.path.as_deref().unwrap_or_default());
    let glob = grep
        .glob
        .as_deref()
        .filter(|glob| !glob.is_empty())
        .unwrap_or("**");
    let pattern = PathPattern::compile(glob.as_bytes())
        .map_err(|_| failed(format!("{glob}: the braces give too many patterns")))?;
    let limit = grep.max_results.unwrap_or(bounds::MAX_RESULTS_DEFAULT);
    let mut search = Search {
        regex: compile(grep)?,
        cancel,
        limit: usize::try_from(limit).unwrap_or(usize::MAX),
        lines: Vec::new(),
    };
    let at_base = |fault| Failure {
        code: FailureCode::GrepFailed,
        ..Failure::at(&base, fault, FailureCode::GrepFailed)
    };
    let node = workspace.node(&base).await.map_err(at_base)?;
    let mut unreadable = 0;
    if node.kind == FileKind::Directory {
        let start = position_of(&pattern, glob, &base);
        let mut walk = Walk::start(workspace, &base, &pattern, &start)
            .await
            .map_err(at_base)?;
        while !search.is_full()
            && let Some(found) = walk.next(workspace, cancel).await.map_err(at_base)?
        {
            if found.kind != FileKind::Regular {
                continue;
            }
            match search.file(workspace, &found.path).await {
                Err(Stop::Fault(Fault::File(_))) => unreadable += 1,
                result => result.map_err(|stop| stop.into_failure(&found.path))?,
            }
        }
        unreadable += walk.unreadable;
    } else {
        regular(node.kind).map_err(at_base)?;
        search
            .file(workspace, &base)
            .await
            .map_err(|stop| stop.into_failure(&base))?;
    }
    Ok(search.into_text(unreadable))
}

fn failed(message: impl Into<String>) -> Failure {
    Failure::new(FailureCode::GrepFailed, message)
}

/// As `grep -E` reads it: each line of the pattern is one of its own.
fn compile(grep: &Grep) -> Result<Regex, Failure> {
    let options = RegexOptions {
        ignore_case: grep.ignore_case.unwrap_or(false),
        gnu: true,
        lenient: true,
        lines: Some(b'\n'),
        ..RegexOptions::default()
    };
    let patterns: Vec<&[u8]> = grep.pattern.as_bytes().split(|byte| *byte == b'\n').collect();
    Regex::compile_any(&patterns, Syntax::Extended, options)
        .map_err(|error| failed(format!("{}: {error}", grep.pattern)))
}

/// A pattern that starts with a slash is matched from the root, any other from the directory that is searched.
fn position_of(pattern: &PathPattern, glob: &str, base: &[u8]) -> Position {
    if !glob.starts_with('/') {
        return pattern.start();
    }
    let names = base.split(|byte| *byte == b'/').filter(|name| !name.is_empty());
    names.fold(pattern.start(), |position, name| pattern.step(&position, name))
}

/// Why the search of a file ends early.
enum Stop {
    Fault(Fault),
    Regex(RegexError),
}

impl Stop {
    fn into_failure(self, path: &[u8]) -> Failure {
        match self {
            Stop::Fault(fault) => Failure {
                code: FailureCode::GrepFailed,
                ..Failure::at(path, fault, FailureCode::GrepFailed)
            },
            Stop::Regex(error) => failed(format!("{}: {error}", show(path))),
        }
    }
}

struct Search<'c> {
    regex: Regex,
    cancel: &'c Cancel,
    limit: usize,
    /// Found so far, one more than is shown at most.
    lines: Vec<String>,
}

impl Search<'_> {
    fn is_full(&self) -> bool {
        self.lines.len() > self.limit
    }

    async fn file(&mut self, workspace: &mut dyn Workspace, path: &[u8]) -> Result<(), Stop> {
        let mut pieces = Pieces::new(path);
        let mut text = TextOfFile::default();
        let mut first = true;
        loop {
            let piece = pieces.next(workspace, self.cancel).await.map_err(Stop::Fault)?;
            if first && binary_type(piece.get(..LOOK).unwrap_or(&piece)).is_some() {
                return Ok(());
            }
            first = false;
            let ended = piece.is_empty();
            text.add(&piece);
            self.lines_of(path, &mut text, ended).map_err(Stop::Regex)?;
            if ended || self.is_full() {
                return Ok(());
            }
        }
    }

    /// Searches the whole lines that are there.
    fn lines_of(&mut self, path: &[u8], text: &mut TextOfFile, ended: bool) -> Result<(), RegexError> {
        let end = text.searchable(ended);
        let lines = text.buffer.get(..end).unwrap_or_default();
        let (mut at, mut counted) = (0, 0);
        // The last line's end stays out, else an empty line would follow it.
        let searched = lines.strip_suffix(b"\n").unwrap_or(lines);
        while end > 0
            && at <= searched.len()
            && !self.is_full()
            && let Some((start, _)) = self.regex.find_at(searched, at)?
        {
            let before = searched.get(..start).unwrap_or_default();
            let line_start = memchr::memrchr(b'\n', before).map_or(0, |newline| newline + 1);
            let rest = searched.get(line_start..).unwrap_or_default();
            let line = memchr::memchr(b'\n', rest)
                .and_then(|end| rest.get(..end))
                .unwrap_or(rest);
            text.number += newlines(lines.get(counted..line_start));
            counted = line_start;
            let shown = show_line(line.strip_suffix(b"\r").unwrap_or(line)).0;
            self.lines.push(format!("{}:{}:{shown}", show(path), text.number));
            at = line_start + line.len() + 1;
        }
        text.number += newlines(lines.get(counted..));
        text.forget(end);
        Ok(())
    }

    fn into_text(mut self, unreadable: u64) -> String {
        let more = self.is_full();
        self.lines.truncate(self.limit);
        if self.lines.is_empty() {
            self.lines.push("No matches.".to_owned());
        }
        if unreadable > 0 {
            self.lines.push(format!(
                "[not searched, because they cannot be read: {unreadable}]"
            ));
        }
        if more {
            self.lines.push(format!(
                "[more lines match: only the first {} are shown; narrow the search, or raise max_results]",
                self.limit
            ));
        }
        self.lines.join("\n")
    }
}

fn newlines(bytes: Option<&[u8]>) -> u64 {
    memchr::memchr_iter(b'\n', bytes.unwrap_or_default()).count() as u64
}

/// What has been read of a file and not yet been searched.
struct TextOfFile {
    buffer: Vec<u8>,
    /// The number of the line at the buffer's start.
    number: u64,
    /// The rest of this line is not searched.
    skipping: bool,
}

impl Default for TextOfFile {
    fn default() -> Self {
        TextOfFile {
            buffer: Vec::new(),
            number: 1,
            skipping: false,
        }
    }
}

impl TextOfFile {
    fn add(&mut self, piece: &[u8]) {
        let mut piece = piece;
        if self.skipping {
            let Some(end) = memchr::memchr(b'\n', piece) else {
                return;
            };
            self.skipping = false;
            self.number += 1;
            piece = piece.get(end + 1..).unwrap_or_default();
        }
        self.buffer.extend_from_slice(piece);
    }

    /// How much of the buffer can be searched: whole lines, or all of a file's end or of a line that is too long.
    fn searchable(&mut self, ended: bool) -> usize {
        let whole = memchr::memrchr(b'\n', &self.buffer).map_or(0, |newline| newline + 1);
        if ended {
            return self.buffer.len();
        }
        if whole == 0 && self.buffer.len() >= LONGEST {
            self.skipping = true;
            return self.buffer.len();
        }
        whole
    }

    fn forget(&mut self, end: usize) {
        self.buffer.drain(..end.min(self.buffer.len()));
    }
}
