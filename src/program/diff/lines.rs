//! The formats without context: normal, ed scripts, RCS.

use super::analyze::Change;
use super::hunk::Extent;
use super::printer::{Ink, Printer};

fn letter(extent: &Extent) -> char {
    match (extent.deletes, extent.inserts) {
        (true, true) => 'c',
        (true, false) => 'd',
        _ => 'a',
    }
}

fn lines((first, last): (isize, isize)) -> std::ops::Range<usize> {
    let end = usize::try_from(last + 1).unwrap_or(0);
    usize::try_from(first).unwrap_or(0)..end
}

impl Printer<'_> {
    /// Normal output.
    pub fn print_normal(&mut self, script: &[Change]) {
        for change in script {
            let Some(extent) = self.pair.extent(std::slice::from_ref(change)) else {
                continue;
            };
            self.begin();
            let from = self.range(',', extent.left);
            let to = self.range(',', extent.right);
            self.put_inked(Ink::Line, format!("{from}{}{to}", letter(&extent)));
            self.put("\n");
            let (left, right) = (self.pair.left, self.pair.right);
            if extent.deletes {
                for index in lines(extent.left) {
                    self.flagged_line("<", left, index, Some(Ink::Delete));
                }
            }
            if extent.deletes && extent.inserts {
                self.put("---\n");
            }
            if extent.inserts {
                for index in lines(extent.right) {
                    self.flagged_line(">", right, index, Some(Ink::Add));
                }
            }
        }
    }

    /// An ed script: from the end backwards, so that line numbers stay right.
    pub fn print_ed(&mut self, script: &[Change]) {
        for change in script.iter().rev() {
            let Some(extent) = self.pair.extent(std::slice::from_ref(change)) else {
                continue;
            };
            self.begin();
            let from = self.range(',', extent.left);
            self.put(format!("{from}{}\n", letter(&extent)));
            if extent.inserts {
                self.ed_lines(extent.right);
            }
        }
    }

    /// Lines to insert. A line that is a point alone would end them, so it gets another one, which is taken off after.
    fn ed_lines(&mut self, range: (isize, isize)) {
        let right = self.pair.right;
        let mut inserting = true;
        for index in lines(range) {
            if !inserting {
                self.put("a\n");
                inserting = true;
            }
            if right.line(index) == b"." {
                self.put("..\n.\ns/.//\n");
                inserting = false;
            } else {
                self.plain_line(index);
            }
        }
        if inserting {
            self.put(".\n");
        }
    }

    fn plain_line(&mut self, index: usize) {
        let right = self.pair.right;
        self.put_line_text(right.line(index), "");
        self.put("\n");
    }

    /// A script like ed's from the start on, which no ed can read.
    pub fn print_forward_ed(&mut self, script: &[Change]) {
        for change in script {
            let Some(extent) = self.pair.extent(std::slice::from_ref(change)) else {
                continue;
            };
            self.begin();
            let range = self.range(' ', extent.left);
            self.put(format!("{}{range}\n", letter(&extent)));
            if extent.inserts {
                for index in lines(extent.right) {
                    self.plain_line(index);
                }
                self.put(".\n");
            }
        }
    }

    /// RCS: commands that count lines.
    pub fn print_rcs(&mut self, script: &[Change]) {
        for change in script {
            let Some(extent) = self.pair.extent(std::slice::from_ref(change)) else {
                continue;
            };
            self.begin();
            if extent.deletes {
                self.put(format!("d{} {}\n", extent.left.0 + 1, change.deleted));
            }
            if extent.inserts {
                self.put(format!("a{} {}\n", extent.left.1 + 1, change.inserted));
                let right = self.pair.right;
                for index in lines(extent.right) {
                    self.put_line_text(right.line(index), "");
                    self.end_line(right, index, None, false);
                }
            }
        }
    }
}
