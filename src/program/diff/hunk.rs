//! Changes in groups: what is printed together, and whether it counts at all.

use super::analyze::Change;
use super::options::{Options, WhiteSpace};
use super::text::{Text, is_space};

/// Two files and what is to be printed about them.
pub struct Pair<'a> {
    pub left: &'a Text,
    pub right: &'a Text,
    pub options: &'a Options,
}

/// The lines that a group of changes covers, the ends included: from and to, -1 before the first line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    pub left: (isize, isize),
    pub right: (isize, isize),
    pub deletes: bool,
    pub inserts: bool,
}

impl Pair<'_> {
    /// What a group of changes covers; `None` when it is nothing but what is ignored.
    pub fn extent(&self, changes: &[Change]) -> Option<Extent> {
        let (first, last) = (changes.first()?, changes.last()?);
        let end = |at: usize, count: usize| (at + count) as isize - 1;
        if self.options.may_ignore_hunks() && changes.iter().all(|change| self.is_ignorable(change)) {
            return None;
        }
        Some(Extent {
            left: (first.left as isize, end(last.left, last.deleted)),
            right: (first.right as isize, end(last.right, last.inserted)),
            deletes: changes.iter().any(|change| change.deleted > 0),
            inserts: changes.iter().any(|change| change.inserted > 0),
        })
    }

    /// All lines of a change are blank or match what is ignored.
    fn is_ignorable(&self, change: &Change) -> bool {
        let left = (change.left..change.left + change.deleted).map(|index| self.left.line(index));
        let right = (change.right..change.right + change.inserted).map(|index| self.right.line(index));
        left.chain(right).all(|line| self.is_ignorable_line(line))
    }

    fn is_ignorable_line(&self, line: &[u8]) -> bool {
        let options = self.options;
        if options.ignore_blank_lines {
            let skips = options.white_space >= WhiteSpace::TrailingSpace;
            let blank = if skips {
                line.iter().all(|byte| is_space(*byte))
            } else {
                line.is_empty()
            };
            if blank {
                return true;
            }
        }
        let pattern = options.ignore_matching.as_ref();
        pattern.is_some_and(|pattern| pattern.is_match(line).unwrap_or(false))
    }

    /// Marks changes that are ignored.
    pub fn mark_ignored(&self, script: &mut [Change]) {
        if self.options.may_ignore_hunks() {
            for change in script {
                change.ignored = self.is_ignorable(change);
            }
        }
    }

    /// Groups changes whose contexts touch.
    pub fn hunks<'s>(&self, script: &'s [Change]) -> Vec<&'s [Change]> {
        let context = self.options.context;
        let mut hunks = Vec::new();
        let mut start = 0;
        for (index, pair) in script.windows(2).enumerate() {
            let [before, after] = pair else { continue };
            let gap = after.left - (before.left + before.deleted);
            let threshold = if before.ignored || after.ignored {
                context
            } else {
                2 * context + 1
            };
            if gap >= threshold {
                hunks.extend(script.get(start..=index));
                start = index + 1;
            }
        }
        hunks.extend(script.get(start..).filter(|rest| !rest.is_empty()));
        hunks
    }

    /// An extent with context around.
    pub fn with_context(&self, extent: Extent) -> Extent {
        let context = self.options.context as isize;
        let widen = |(first, last): (isize, isize), count: usize| {
            let last_line = count as isize - 1;
            ((first - context).max(0), (last + context).min(last_line))
        };
        Extent {
            left: widen(extent.left, self.left.count()),
            right: widen(extent.right, self.right.count()),
            ..extent
        }
    }
}
