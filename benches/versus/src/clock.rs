//! Two ways to tell how long something took.

use std::time::{SystemTime, UNIX_EPOCH};

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;

/// What is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Clock {
    /// The time that passes.
    Wall,
    /// What processors worked for this process and for children that have ended: what else the machine does hardly shows.
    Processor,
}

impl Clock {
    /// Seconds since some moment.
    pub fn now(self) -> f64 {
        match self {
            Clock::Wall => SystemTime::now()
                .duration_since(UNIX_EPOCH)
                .map_or(0.0, |time| time.as_secs_f64()),
            Clock::Processor => processor(UsageWho::RUSAGE_SELF) + processor(UsageWho::RUSAGE_CHILDREN),
        }
    }
}

fn processor(who: UsageWho) -> f64 {
    getrusage(who).map_or(0.0, |usage| {
        (usage.user_time() + usage.system_time()).num_microseconds() as f64 / 1e6
    })
}
