//! The file of hunks that could not be applied.

use super::hunk::{Edit, Hunk, Mark};
use super::options::Form;
use super::reader::Name;
use crate::program::message::message;

/// Rejected hunks as text.
#[derive(Debug, Default)]
pub struct Rejects {
    pub text: Vec<u8>,
}

impl Rejects {
    /// Adds a hunk; its lines have moved by `shift`.
    pub fn add(&mut self, hunk: &Hunk, form: Form, names: [&Name; 2], shift: i64) {
        if self.text.is_empty() {
            let signs = if form == Form::Unified {
                ["--- ", "+++ "]
            } else {
                ["*** ", "--- "]
            };
            for (sign, name) in signs.iter().zip(names) {
                let path: &[u8] = if name.path.is_empty() {
                    b"/dev/null"
                } else {
                    &name.path
                };
                let tab = if name.stamp.is_empty() { "" } else { "\t" };
                self.text.extend(message!(sign, path, tab, name.stamp, "\n"));
            }
        }
        match form {
            Form::Unified => self.unified(hunk, shift),
            _ => self.context(hunk, shift),
        }
    }

    fn unified(&mut self, hunk: &Hunk, shift: i64) {
        let (old, new) = hunk.counts();
        let range = |start: i64, count: i64| match count {
            1 => (start + shift).to_string(),
            _ => format!("{},{count}", start + shift),
        };
        let head = format!(
            "@@ -{} +{} @@",
            range(hunk.old_start, old),
            range(hunk.new_start, new)
        );
        self.text.extend(message!(head, hunk.function, "\n"));
        for edit in &hunk.edits {
            let sign = match edit.mark {
                Mark::Keep => b' ',
                Mark::Delete => b'-',
                Mark::Insert => b'+',
            };
            self.line(&[sign], &edit.text);
        }
    }

    fn line(&mut self, sign: &[u8], text: &[u8]) {
        self.text.extend_from_slice(sign);
        self.text.extend_from_slice(text);
        if text.last() != Some(&b'\n') {
            self.text.extend_from_slice(b"\n\\ No newline at end of file\n");
        }
    }

    fn context(&mut self, hunk: &Hunk, shift: i64) {
        let (old, new) = hunk.counts();
        let range = |start: i64, count: i64| match count {
            0 | 1 => (start + shift).to_string(),
            _ => format!("{},{}", start + shift, start + shift + count - 1),
        };
        self.text.extend_from_slice(b"***************\n");
        self.text.extend(message!(
            format!("*** {} ****", range(hunk.old_start, old)),
            hunk.function,
            "\n"
        ));
        self.half(hunk, Mark::Delete, b"- ");
        self.text
            .extend(format!("--- {} ----\n", range(hunk.new_start, new)).bytes());
        self.half(hunk, Mark::Insert, b"+ ");
    }

    /// The old or the new half, when it has a change.
    fn half(&mut self, hunk: &Hunk, mark: Mark, sign: &[u8]) {
        if !hunk.edits.iter().any(|edit| edit.mark == mark) {
            return;
        }
        let is_kept = |edit: &Edit| edit.mark == Mark::Keep;
        for run in hunk.edits.chunk_by(|one, two| is_kept(one) == is_kept(two)) {
            let has = |mark: Mark| run.iter().any(|edit| edit.mark == mark);
            let changed = has(Mark::Delete) && has(Mark::Insert);
            for edit in run {
                match edit.mark {
                    Mark::Keep => self.line(b"  ", &edit.text),
                    found if found == mark => self.line(if changed { b"! " } else { sign }, &edit.text),
                    _ => {}
                }
            }
        }
    }
}
