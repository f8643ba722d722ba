//! One change of a patch: lines that must be there, and what they become.

/// What happens to a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// It stays.
    Keep,
    /// It goes.
    Delete,
    /// It comes.
    Insert,
}

/// A line with its newline, which the last of a file may lack.
#[derive(Debug, Clone)]
pub struct Edit {
    pub mark: Mark,
    pub text: Vec<u8>,
}

/// A change.
#[derive(Debug, Clone, Default)]
pub struct Hunk {
    /// The first old line, from 1; behind which the new ones go when there is no old one.
    pub old_start: i64,
    pub new_start: i64,
    pub edits: Vec<Edit>,
    /// What stands behind the line numbers: the function that the change is in.
    pub function: Vec<u8>,
}

impl Hunk {
    /// The lines that must be there.
    pub fn old(&self) -> impl Iterator<Item = &Edit> {
        self.edits.iter().filter(|edit| edit.mark != Mark::Insert)
    }

    /// How many lines are of the old or the new file.
    pub fn counts(&self) -> (i64, i64) {
        let kept = self.edits.iter().filter(|edit| edit.mark == Mark::Keep).count();
        let deleted = self.edits.iter().filter(|edit| edit.mark == Mark::Delete).count();
        ((kept + deleted) as i64, (self.edits.len() - deleted) as i64)
    }

    /// Lines at the start and at the end that stay.
    pub fn context(&self) -> (i64, i64) {
        let is_kept = |edit: &&Edit| edit.mark == Mark::Keep;
        let before = self.edits.iter().take_while(is_kept).count();
        let after = self.edits.iter().rev().take_while(is_kept).count();
        (before as i64, after as i64)
    }

    /// The line where it should match: behind its line when it has no old one.
    pub fn first(&self) -> i64 {
        if self.counts().0 == 0 {
            self.old_start + 1
        } else {
            self.old_start
        }
    }

    /// The opposite change.
    #[must_use]
    pub fn reversed(&self) -> Hunk {
        let mut edits: Vec<Edit> = Vec::with_capacity(self.edits.len());
        for run in self
            .edits
            .chunk_by(|one, two| (one.mark == Mark::Keep) == (two.mark == Mark::Keep))
        {
            // What goes stands before what comes.
            for (from, to) in [
                (Mark::Keep, Mark::Keep),
                (Mark::Insert, Mark::Delete),
                (Mark::Delete, Mark::Insert),
            ] {
                let lines = run.iter().filter(|edit| edit.mark == from);
                edits.extend(lines.map(|edit| Edit {
                    mark: to,
                    text: edit.text.clone(),
                }));
            }
        }
        Hunk {
            old_start: self.new_start,
            new_start: self.old_start,
            edits,
            function: self.function.clone(),
        }
    }
}
