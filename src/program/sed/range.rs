//! Where a command with two addresses stands.

use super::script::{Command, Start};

/// Outside, or within a range that ends at a known line or at one that is still looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RangeState {
    /// Before the first address.
    #[default]
    Inactive,
    /// Within.
    Active(Until),
    /// Behind a range that began at a line number, which comes once.
    Closed,
}

/// The end of a range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Until {
    /// A line number of the script; lines behind it, when `N` jumped over it, do not belong to the range.
    Line(u64),
    /// A line counted from the first; if it was jumped over, the next line that is looked at still belongs to the range.
    Counted(u64),
    /// The line that the second address matches.
    Match,
}

impl RangeState {
    /// Before the first line: `0,/re/` is within its range already.
    pub fn first(command: &Command) -> RangeState {
        if command.start == Some(Start::Line(0)) {
            RangeState::Active(Until::Match)
        } else {
            RangeState::Inactive
        }
    }

    /// Behind the end of a range.
    pub fn ended(start: &Start) -> RangeState {
        match start {
            Start::Line(_) => RangeState::Closed,
            _ => RangeState::Inactive,
        }
    }

    /// Within a range.
    pub fn is_active(&self) -> bool {
        matches!(self, RangeState::Active(_))
    }
}
