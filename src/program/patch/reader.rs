//! Reads a patch: the text before each file's part, its names, and its hunks.
//!
//! A patch may stand in a mail or a log; what is no part of it is passed over and shown only when no file can be found.

use super::hunk::{Edit, Hunk, Mark};
use super::options::{Form, Options};
use super::{context, names};
use crate::program::message::message;

/// A patch that cannot be read: the sentence of `patch: **** `.
pub type Malformed = Vec<u8>;

/// A file's name in a header.
#[derive(Debug, Clone, Default)]
pub struct Name {
    /// The path as it is used, without what `-p` takes away; empty when nothing is left, or for `/dev/null`.
    pub path: Vec<u8>,
    /// What stands behind the name, a time in most patches.
    pub stamp: Vec<u8>,
    /// The file is said to be as old as time itself, which means that it is not there.
    pub is_epoch: bool,
}

/// What `git` says about a file besides its lines.
#[derive(Debug, Clone, Default)]
pub struct Git {
    pub mode: Option<u32>,
    pub renamed: bool,
    pub copied: bool,
}

/// The part of a patch that is about one file.
#[derive(Debug, Clone)]
pub struct Header {
    pub form: Form,
    pub old: Option<Name>,
    pub new: Option<Name>,
    pub index: Option<Name>,
    pub git: Option<Git>,
    /// The text that led up to it.
    pub lead: Vec<Vec<u8>>,
    /// The number of the line at which its hunks begin.
    pub line: usize,
    /// Whether the old, the new file is said to have no lines, and to be not there at all.
    pub missing: [Missing; 2],
    /// Carriage returns are taken off its lines.
    pub strips_returns: bool,
}

/// What is said of a file that has no lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd)]
pub enum Missing {
    /// It has some.
    No,
    /// It is empty, or not there.
    Empty,
    /// It is not there.
    Absent,
}

/// The lines of a patch.
pub struct Reader<'a> {
    pub(super) lines: Vec<&'a [u8]>,
    pub(super) next: usize,
    pub(super) strips_returns: bool,
    /// Where the last hunk ended.
    hunks_end: usize,
    /// The last line has no newline, which means that it is not there.
    is_cut: bool,
    /// It was looked for.
    missed: bool,
}

impl<'a> Reader<'a> {
    /// Reads a whole patch.
    pub fn new(text: &'a [u8]) -> Self {
        let mut lines: Vec<_> = crate::program::lines::split(text, b'\n').collect();
        // A remark about the line before it needs none.
        let is_cut = lines
            .pop_if(|line| line.last() != Some(&b'\n') && line.first() != Some(&b'\\'))
            .is_some();
        Reader {
            lines,
            next: 0,
            strips_returns: false,
            hunks_end: 0,
            is_cut,
            missed: false,
        }
    }

    /// Whether a last line without its newline was looked for since this was asked.
    pub fn missed_line(&mut self) -> bool {
        std::mem::take(&mut self.missed)
    }

    /// The last part ended with the text: nothing but its hunks came behind it.
    pub fn is_finished(&self) -> bool {
        self.hunks_end >= self.lines.len()
    }

    /// Whether carriage returns are taken off the lines of the part that comes.
    pub fn set_strips_returns(&mut self, strips: bool) {
        self.strips_returns = strips;
    }

    pub(super) fn line(&self, ahead: usize) -> &'a [u8] {
        self.lines.get(self.next + ahead).copied().unwrap_or_default()
    }

    /// The next line as part of a hunk.
    pub(super) fn take(&mut self) -> Option<Vec<u8>> {
        let Some(line) = self.lines.get(self.next) else {
            self.missed |= self.is_cut;
            return None;
        };
        self.next += 1;
        Some(match line {
            [text @ .., b'\r', b'\n'] if self.strips_returns => [text, b"\n"].concat(),
            line => line.to_vec(),
        })
    }

    pub(super) fn malformed(&self, line: &[u8]) -> Malformed {
        message!("malformed patch at line ", self.next.to_string(), ": ", line)
    }

    /// Goes to the next file's part; `None` when there is none.
    pub fn header(&mut self, options: &Options) -> Option<Header> {
        let start = self.next;
        let mut header = Header {
            form: Form::Unified,
            old: None,
            new: None,
            index: None,
            git: None,
            lead: Vec::new(),
            line: 0,
            missing: [Missing::No; 2],
            strips_returns: false,
        };
        while let Some(line) = self.lines.get(self.next) {
            let form = self.form_here(options.form);
            let ends_git = header.git.is_some() && line.starts_with(b"diff --git ");
            if form.is_some() || (ends_git && header.has_git_work()) {
                header.form = form.unwrap_or(Form::Unified);
                header.lead = self
                    .lines
                    .get(start..self.next)
                    .unwrap_or_default()
                    .iter()
                    .map(|line| line.to_vec())
                    .collect();
                header.line = self.next + 1;
                self.finish(&mut header, form.is_none());
                return Some(header);
            }
            self.note(&mut header, line, options);
            self.next += 1;
        }
        self.missed |= self.is_cut;
        if header.has_git_work() {
            header.lead = self
                .lines
                .get(start..)
                .unwrap_or_default()
                .iter()
                .map(|line| line.to_vec())
                .collect();
            header.line = self.next + 1;
            self.finish(&mut header, true);
            return Some(header);
        }
        None
    }

    /// The form of the hunk that begins here.
    fn form_here(&self, wanted: Option<Form>) -> Option<Form> {
        let line = self.line(0);
        let may = |form: Form| wanted.is_none_or(|wanted| wanted == form);
        if line.starts_with(b"@@ -") && may(Form::Unified) {
            return Some(Form::Unified);
        }
        if line.starts_with(b"********") && self.line(1).starts_with(b"*** ") && may(Form::Context) {
            return Some(Form::Context);
        }
        let is_edit =
            matches!(self.line(1), [b'<' | b'>', b' ', ..]) && context::normal_command(line).is_some();
        (is_edit && may(Form::Normal)).then_some(Form::Normal)
    }

    /// Learns what a line of the header says.
    fn note(&self, header: &mut Header, line: &[u8], options: &Options) {
        let name = |text: &[u8]| Some(names::read(text, options));
        if let Some(rest) = line.strip_prefix(b"*** ") {
            header.old = name(rest);
        } else if let Some(rest) = line.strip_prefix(b"+++ ") {
            header.new = name(rest);
        } else if let Some(rest) = line.strip_prefix(b"--- ") {
            // In a context diff this is the new file.
            let in_context = self
                .lines
                .get(self.next.wrapping_sub(1))
                .is_some_and(|line| line.starts_with(b"*** "));
            if in_context {
                header.new = name(rest);
            } else {
                header.old = name(rest);
            }
        } else if let Some(rest) = line.strip_prefix(b"Index:") {
            header.index = name(rest.trim_ascii_start());
        } else if let Some(rest) = line.strip_prefix(b"diff --git ") {
            header.git = Some(Git::default());
            if let Some((old, new)) = names::git_pair(rest.trim_ascii_end()) {
                header.old = name(old);
                header.new = name(new);
            }
        }
        if let Some(git) = &mut header.git {
            note_git(git, line);
        }
    }

    fn finish(&mut self, header: &mut Header, without_hunks: bool) {
        if without_hunks {
            return;
        }
        let is_returned = |line: &[u8]| line.ends_with(b"\r\n");
        header.strips_returns = is_returned(self.line(0))
            && header
                .lead
                .iter()
                .any(|line| is_returned(line) && is_name_line(line));
        if header.form == Form::Unified {
            let (old, new) = unified_zeros(self.line(0));
            let missing = |zero: bool, name: &Option<Name>| match (zero, name) {
                (false, _) => Missing::No,
                (true, Some(name)) if name.is_epoch => Missing::Absent,
                (true, _) => Missing::Empty,
            };
            header.missing = [missing(old, &header.old), missing(new, &header.new)];
        } else if header.form == Form::Context {
            let epoch = |name: &Option<Name>| name.as_ref().is_some_and(|name| name.is_epoch);
            let missing = |epoch: bool| if epoch { Missing::Absent } else { Missing::No };
            header.missing = [missing(epoch(&header.old)), missing(epoch(&header.new))];
        }
    }

    /// The next hunk of the part; `None` when another part or other text begins.
    pub fn hunk(&mut self, form: Form) -> Result<Option<Hunk>, Malformed> {
        self.hunks_end = self.next;
        match form {
            Form::Unified => self.unified(),
            Form::Context => self.context_hunk(),
            Form::Normal => self.normal_hunk(),
        }
    }

    fn unified(&mut self) -> Result<Option<Hunk>, Malformed> {
        if !self.line(0).starts_with(b"@@ -") {
            return Ok(None);
        }
        let head = self.take().unwrap_or_default();
        let Some(((old_start, old_count), (new_start, new_count), function)) = unified_head(&head) else {
            return Err(message!(
                "missing line number at line ",
                self.next.to_string(),
                ": ",
                head
            ));
        };
        let mut hunk = Hunk {
            old_start,
            new_start,
            edits: Vec::new(),
            function,
        };
        let (mut old, mut new) = (old_count, new_count);
        while old > 0 || new > 0 {
            let line = match self.take() {
                Some(line) => line,
                // Empty lines at the end get lost in mails.
                None if new < 3 => b" \n".to_vec(),
                None => return Err(b"unexpected end of file in patch".to_vec()),
            };
            let (mark, text) = match line.split_first() {
                Some((b'-', text)) if old > 0 => (Mark::Delete, text),
                Some((b'+', text)) if new > 0 => (Mark::Insert, text),
                Some((b' ', text)) if old > 0 && new > 0 => (Mark::Keep, text),
                // The blank got lost.
                Some((b'\t' | b'\n', _)) if old > 0 && new > 0 => (Mark::Keep, line.as_slice()),
                _ => return Err(self.malformed(&line)),
            };
            old -= i64::from(mark != Mark::Insert);
            new -= i64::from(mark != Mark::Delete);
            let mut text = text.to_vec();
            self.drop_newline(&mut text);
            hunk.edits.push(Edit { mark, text });
        }
        Ok(Some(hunk))
    }

    /// `\ No newline at end of file` behind a line takes its newline away.
    pub(super) fn drop_newline(&mut self, text: &mut Vec<u8>) {
        if self.line(0).starts_with(b"\\ ") {
            self.next += 1;
            if text.last() == Some(&b'\n') {
                text.pop();
            }
        }
    }
}

impl Header {
    /// There is something to do even without a hunk.
    fn has_git_work(&self) -> bool {
        self.git
            .as_ref()
            .is_some_and(|git| git.renamed || git.copied || git.mode.is_some())
    }
}

fn is_name_line(line: &[u8]) -> bool {
    [&b"--- "[..], b"+++ ", b"*** "]
        .iter()
        .any(|start| line.starts_with(start))
}

fn note_git(git: &mut Git, line: &[u8]) {
    let mode = |text: &[u8]| u32::from_str_radix(&String::from_utf8_lossy(text.trim_ascii()), 8).ok();
    if line.starts_with(b"rename from ") || line.starts_with(b"rename to ") {
        git.renamed = true;
    } else if line.starts_with(b"copy from ") || line.starts_with(b"copy to ") {
        git.copied = true;
    } else if let Some(rest) = line
        .strip_prefix(b"new mode ")
        .or(line.strip_prefix(b"new file mode "))
    {
        git.mode = mode(rest);
    }
}

type Range = (i64, i64);

/// `@@ -A[,B] +C[,D] @@ FUNCTION`
fn unified_head(line: &[u8]) -> Option<(Range, Range, Vec<u8>)> {
    let rest = line.strip_prefix(b"@@ -")?;
    let (old, rest) = range(rest)?;
    let (new, rest) = range(rest.trim_ascii_start().strip_prefix(b"+")?)?;
    let rest = rest.trim_ascii_start().strip_prefix(b"@@").unwrap_or_default();
    Some((old, new, rest.trim_ascii_end().to_vec()))
}

/// `A[,B]`; without B there is one line.
fn range(text: &[u8]) -> Option<(Range, &[u8])> {
    let (start, rest) = number(text)?;
    match rest.strip_prefix(b",") {
        Some(rest) => {
            let (count, rest) = number(rest)?;
            Some(((start, count), rest))
        }
        None => Some(((start, 1), rest)),
    }
}

/// Digits at the start of a text.
pub(super) fn number(text: &[u8]) -> Option<(i64, &[u8])> {
    let length = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (digits, rest) = text.split_at_checked(length)?;
    let value = std::str::from_utf8(digits).ok()?.parse().ok()?;
    Some((value, rest))
}

/// Whether the old and the new range of a unified hunk begin at line 0.
fn unified_zeros(line: &[u8]) -> (bool, bool) {
    unified_head(line).map_or((false, false), |(old, new, _)| (old.0 == 0, new.0 == 0))
}
