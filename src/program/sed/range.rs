//! Where a command with two addresses stands.

use super::script::{Command, Start};

/// Outside, or within a range that ends at a known line or at one that is still looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RangeState {
    active: bool,
    last: Option<u64>,
}

impl RangeState {
    /// Before the first line: `0,/re/` is within its range already.
    pub fn first(command: &Command) -> RangeState {
        if command.start == Some(Start::Line(0)) {
            RangeState::open()
        } else {
            RangeState::default()
        }
    }

    /// Within, until the second address matches.
    pub fn open() -> RangeState {
        RangeState {
            active: true,
            last: None,
        }
    }

    /// Behind line `number`, in a range that ends at line `last`.
    pub fn until(number: u64, last: u64) -> RangeState {
        if last <= number {
            RangeState::default()
        } else {
            RangeState {
                active: true,
                last: Some(last),
            }
        }
    }

    /// Within a range.
    pub fn is_active(&self) -> bool {
        self.active
    }

    /// The line at which it ends.
    pub fn last_line(self) -> Option<u64> {
        self.last
    }
}
