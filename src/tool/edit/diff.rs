//! The change as a unified diff.
//!
//! What changed is known, so only the lines around it are compared: an edit of a large file costs what it changes.

use std::fmt::Write as _;

use similar::{Algorithm, DiffOp, capture_diff_slices, group_diff_ops};

use super::{Change, newlines};
use crate::tool::clip::Clip;

/// Lines that are shown around a change.
const CONTEXT: usize = 3;

/// Pairs of lines that are compared; a larger change is shown as all old lines, then all new ones.
const PAIRS: usize = 4_000_000;

/// The diff, cut where it is long.
pub(super) fn unified(path: &str, contents: &[u8], changes: &[Change]) -> String {
    let mut clip = Clip::default();
    clip.push(&format!("--- {path}\n+++ {path}\n"));
    let mut position = Position::default();
    let mut rest = changes;
    while let Some(first) = rest.first() {
        let mut chunk = Chunk {
            start: line_start(contents, first.place.start, CONTEXT),
            end: line_end(contents, first.place.end, CONTEXT),
        };
        // Changes whose surroundings touch belong together.
        let mut count = 1;
        while let Some(next) = rest.get(count)
            && line_start(contents, next.place.start, CONTEXT) <= chunk.end
        {
            chunk.end = line_end(contents, next.place.end, CONTEXT);
            count += 1;
        }
        let (together, later) = rest.split_at(count);
        position.hunks(contents, chunk, together, &mut clip);
        rest = later;
    }
    clip.into_text()
}

/// A part of the file, of whole lines.
#[derive(Clone, Copy)]
struct Chunk {
    start: usize,
    end: usize,
}

/// How far the diff has come.
#[derive(Default)]
struct Position {
    at: usize,
    old_line: usize,
    new_line: usize,
}

impl Position {
    fn hunks(&mut self, contents: &[u8], chunk: Chunk, changes: &[Change], clip: &mut Clip) {
        let between = newlines(contents.get(self.at..chunk.start));
        self.old_line += between;
        self.new_line += between;
        let old_text = contents.get(chunk.start..chunk.end).unwrap_or_default();
        let new_text = changed(contents, chunk, changes);
        let (old, new) = (lines(old_text), lines(&new_text));
        for group in group_diff_ops(compare(&old, &new), CONTEXT) {
            self.hunk(&group, &old, &new, clip);
        }
        self.old_line += newlines(Some(old_text));
        self.new_line += newlines(Some(&new_text));
        self.at = chunk.end;
    }

    fn hunk(&self, group: &[DiffOp], old: &[&[u8]], new: &[&[u8]], clip: &mut Clip) {
        let (Some(first), Some(last)) = (group.first(), group.last()) else {
            return;
        };
        let old_range = first.old_range().start..last.old_range().end;
        let new_range = first.new_range().start..last.new_range().end;
        let mut header = String::from("@@ -");
        range(&mut header, self.old_line, &old_range);
        header.push_str(" +");
        range(&mut header, self.new_line, &new_range);
        header.push_str(" @@\n");
        clip.push(&header);
        for op in group {
            match op {
                DiffOp::Equal { .. } => show(clip, ' ', old.get(op.old_range())),
                _ => {
                    show(clip, '-', old.get(op.old_range()));
                    show(clip, '+', new.get(op.new_range()));
                }
            }
        }
    }
}

/// `start,count`, as `diff -u` writes it: without a count of 1, and before the first line when there is none.
fn range(header: &mut String, before: usize, range: &std::ops::Range<usize>) {
    let start = before + range.start;
    let _ = match range.len() {
        0 => write!(header, "{start},0"),
        1 => write!(header, "{}", start + 1),
        count => write!(header, "{},{count}", start + 1),
    };
}

fn show(clip: &mut Clip, sign: char, lines: Option<&[&[u8]]>) {
    for line in lines.unwrap_or_default() {
        let text = String::from_utf8_lossy(line);
        clip.push(&format!("{sign}{text}"));
        if !line.ends_with(b"\n") {
            clip.push("\n\\ No newline at end of file\n");
        }
    }
}

fn compare(old: &[&[u8]], new: &[&[u8]]) -> Vec<DiffOp> {
    let same = |(one, other): &(&&[u8], &&[u8])| one == other;
    let before = old.iter().zip(new).take_while(same).count();
    let room = old.len().min(new.len()) - before;
    let after = old
        .iter()
        .rev()
        .zip(new.iter().rev())
        .take(room)
        .take_while(same)
        .count();
    let (old_len, new_len) = (old.len() - before - after, new.len() - before - after);
    if old_len.saturating_mul(new_len) <= PAIRS {
        return capture_diff_slices(Algorithm::Myers, old, new);
    }
    let equal = |old_index, new_index, len| DiffOp::Equal {
        old_index,
        new_index,
        len,
    };
    let middle = DiffOp::Replace {
        old_index: before,
        old_len,
        new_index: before,
        new_len,
    };
    let ops = [
        equal(0, 0, before),
        middle,
        equal(before + old_len, before + new_len, after),
    ];
    ops.into_iter()
        .filter(|op| op.old_range().len() + op.new_range().len() > 0)
        .collect()
}

fn changed(contents: &[u8], chunk: Chunk, changes: &[Change]) -> Vec<u8> {
    let (mut text, mut at) = (Vec::new(), chunk.start);
    for change in changes {
        text.extend_from_slice(contents.get(at..change.place.start).unwrap_or_default());
        text.extend_from_slice(&change.text);
        at = change.place.end;
    }
    text.extend_from_slice(contents.get(at..chunk.end).unwrap_or_default());
    text
}

fn lines(text: &[u8]) -> Vec<&[u8]> {
    text.split_inclusive(|byte| *byte == b'\n').collect()
}

/// The start of the line that holds `at`, or of the one `lines` before it.
fn line_start(contents: &[u8], at: usize, lines: usize) -> usize {
    let before = contents.get(..at).unwrap_or_default();
    memchr::memrchr_iter(b'\n', before)
        .nth(lines)
        .map_or(0, |newline| newline + 1)
}

/// The end of the line that holds `at`, or of the one `lines` after it.
fn line_end(contents: &[u8], at: usize, lines: usize) -> usize {
    let after = contents.get(at..).unwrap_or_default();
    memchr::memchr_iter(b'\n', after)
        .nth(lines)
        .map_or(contents.len(), |newline| at + newline + 1)
}
