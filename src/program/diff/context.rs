//! The formats with context: copied (`-c`) and unified (`-u`).

use super::analyze::Change;
use super::hunk::Extent;
use super::printer::{Ink, Printer};
use super::text::Text;

impl Printer<'_> {
    /// Prints hunk after hunk.
    pub fn print_context(&mut self, mut script: Vec<Change>, unified: bool) {
        self.pair.mark_ignored(&mut script);
        let mut functions = Functions::default();
        for hunk in self.pair.hunks(&script) {
            let Some(extent) = self.pair.extent(hunk) else {
                continue;
            };
            let extent = self.pair.with_context(extent);
            let function = self.function_before(extent.left.0, &mut functions);
            self.begin();
            if unified {
                self.unified_hunk(hunk, &extent, function);
            } else {
                self.context_hunk(hunk, &extent, function);
            }
        }
    }

    /// The last line before a hunk that matches `-F`.
    fn function_before(&self, first: isize, functions: &mut Functions) -> Option<Vec<u8>> {
        let pattern = self.options().function.as_ref()?;
        let (from, to) = (functions.searched, usize::try_from(first).unwrap_or(0));
        functions.searched = functions.searched.max(to);
        let found = (from..to).rev().find(|index| {
            let line = self.pair.left.line(*index);
            pattern.is_match(line).unwrap_or(false)
        });
        functions.last = found.or(functions.last);
        Some(function_text(self.pair.left.line(functions.last?)))
    }

    fn unified_hunk(&mut self, hunk: &[Change], extent: &Extent, function: Option<Vec<u8>>) {
        let heading = format!(
            "@@ -{} +{} @@",
            unified_range(extent.left),
            unified_range(extent.right)
        );
        self.put_inked(Ink::Line, heading);
        self.put(function.unwrap_or_default());
        self.put("\n");
        let (left, right) = (self.pair.left, self.pair.right);
        let mut line = usize::try_from(extent.left.0).unwrap_or(0);
        for change in hunk {
            while line < change.left {
                self.common_line(left, line);
                line += 1;
            }
            for index in change.left..change.left + change.deleted {
                self.marked_line('-', left, index, Ink::Delete);
            }
            for index in change.right..change.right + change.inserted {
                self.marked_line('+', right, index, Ink::Add);
            }
            line = change.left + change.deleted;
        }
        while line as isize <= extent.left.1 {
            self.common_line(left, line);
            line += 1;
        }
    }

    fn common_line(&mut self, text: &Text, index: usize) {
        let options = self.options();
        let line = text.line(index);
        if !(options.suppress_blank_empty && line.is_empty()) {
            self.put(if options.initial_tab { "\t" } else { " " });
        }
        self.put_line_text(line, "");
        self.end_line(text, index, None, true);
    }

    fn marked_line(&mut self, mark: char, text: &Text, index: usize, ink: Ink) {
        let options = self.options();
        let line = text.line(index);
        self.ink(ink);
        self.put(mark.to_string());
        if options.initial_tab && !(options.suppress_blank_empty && line.is_empty()) {
            self.put("\t");
        }
        self.put_line_text(line, "");
        self.end_line(text, index, Some(ink), true);
    }

    fn context_hunk(&mut self, hunk: &[Change], extent: &Extent, function: Option<Vec<u8>>) {
        self.put("***************");
        self.put(function.unwrap_or_default());
        self.put("\n");
        let (from, to) = (self.range(',', extent.left), self.range(',', extent.right));
        self.put_inked(Ink::Line, format!("*** {from} ****"));
        self.put("\n");
        if extent.deletes {
            let spans = hunk
                .iter()
                .map(|change| (change.left, change.deleted, change.inserted > 0));
            self.context_lines(self.pair.left, extent.left, spans, "-", Ink::Delete);
        }
        self.put_inked(Ink::Line, format!("--- {to} ----"));
        self.put("\n");
        if extent.inserts {
            let spans = hunk
                .iter()
                .map(|change| (change.right, change.inserted, change.deleted > 0));
            self.context_lines(self.pair.right, extent.right, spans, "+", Ink::Add);
        }
    }

    /// Lines of one file: those in a span are marked, with `!` where the other file has lines too.
    fn context_lines(
        &mut self,
        text: &Text,
        (first, last): (isize, isize),
        spans: impl Iterator<Item = (usize, usize, bool)>,
        mark: &str,
        ink: Ink,
    ) {
        let mut spans = spans.peekable();
        let first = usize::try_from(first).unwrap_or(0);
        let end = usize::try_from(last + 1).unwrap_or(0);
        for index in first..end {
            while spans
                .next_if(|(start, count, _)| start + count <= index)
                .is_some()
            {}
            let flag = match spans.peek() {
                Some((start, _, both)) if *start <= index => {
                    if *both {
                        "!"
                    } else {
                        mark
                    }
                }
                _ => " ",
            };
            self.flagged_line(flag, text, index, Some(ink));
        }
    }
}

/// How far lines were searched for `-F`, and what was found.
#[derive(Default)]
struct Functions {
    searched: usize,
    last: Option<usize>,
}

/// A blank and the line, without blanks at its start, at most 40 bytes, without blanks at its end.
fn function_text(line: &[u8]) -> Vec<u8> {
    let start = line
        .iter()
        .take_while(|byte| super::text::is_space(**byte))
        .count();
    let rest = line.get(start..).unwrap_or_default();
    let rest = rest.get(..40).unwrap_or(rest);
    let end = rest
        .iter()
        .rposition(|byte| !super::text::is_space(*byte))
        .map_or(0, |last| last + 1);
    [b" ", rest.get(..end).unwrap_or_default()].concat()
}

/// `1,3`: start and count; a count of one is left away, and no lines are said by the line before.
fn unified_range((first, last): (isize, isize)) -> String {
    match last - first + 1 {
        1 => format!("{}", last + 1),
        ..=0 => format!("{},0", last + 1),
        count => format!("{},{count}", first + 1),
    }
}
