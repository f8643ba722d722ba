//! Time. Virtual by default: it starts where the host says and jumps to the next timer when every task sleeps, so
//! `sleep 60` is free and `date`, `SECONDS`, `timeout` and file times agree. A host may give real time instead.

use std::sync::Arc;
use std::time::Duration;

use crate::fs::Timestamp;

/// Real time, given by a host.
pub trait HostClock: Send + Sync {
    /// The time now.
    fn now(&self) -> Timestamp;
}

/// How time passes in a run.
#[derive(Clone)]
pub enum Clock {
    /// Starts at a time, advances by work done (a microsecond a unit), jumps when all tasks sleep.
    Virtual {
        /// The start.
        start: Timestamp,
    },
    /// Follows the host; a run that sleeps is pending until the host polls it after the deadline.
    Real(Arc<dyn HostClock>),
}

impl std::fmt::Debug for Clock {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Clock::Virtual { start } => f.debug_struct("Virtual").field("start", start).finish(),
            Clock::Real(_) => f.write_str("Real"),
        }
    }
}

/// The time `duration` after `start`, saturating.
pub fn after(start: Timestamp, duration: Duration) -> Timestamp {
    let nanos = u64::from(start.nanos) + u64::from(duration.subsec_nanos());
    let seconds = i64::try_from(duration.as_secs()).unwrap_or(i64::MAX / 2);
    Timestamp {
        seconds: start
            .seconds
            .saturating_add(seconds)
            .saturating_add((nanos / 1_000_000_000) as i64),
        nanos: (nanos % 1_000_000_000) as u32,
    }
}

/// How long from `start` to `end`; zero when `end` is earlier.
pub fn between(start: Timestamp, end: Timestamp) -> Duration {
    let nanos = (i128::from(end.seconds) - i128::from(start.seconds)) * 1_000_000_000 + i128::from(end.nanos)
        - i128::from(start.nanos);
    let nanos = u128::try_from(nanos).unwrap_or(0);
    Duration::new(
        u64::try_from(nanos / 1_000_000_000).unwrap_or(u64::MAX),
        (nanos % 1_000_000_000) as u32,
    )
}
