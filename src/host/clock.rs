//! The host's clock.

use std::time::Duration;

use crate::fs::Timestamp;
use crate::kernel::HostClock;

/// The host's time now. On targets without a clock: the start of 2025.
pub fn system_time() -> Timestamp {
    #[cfg(not(target_family = "wasm"))]
    if let Ok(since) = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH) {
        let seconds = i64::try_from(since.as_secs()).unwrap_or(i64::MAX);
        return Timestamp {
            seconds,
            nanos: since.subsec_nanos(),
        };
    }
    Timestamp {
        seconds: 1_735_689_600,
        nanos: 0,
    }
}

/// Measures how long something takes. On targets without a clock: no time passes.
#[derive(Debug, Clone, Copy)]
pub struct Stopwatch {
    #[cfg(not(target_family = "wasm"))]
    start: std::time::Instant,
}

impl Stopwatch {
    /// Starts now.
    pub fn start() -> Stopwatch {
        Stopwatch {
            #[cfg(not(target_family = "wasm"))]
            start: std::time::Instant::now(),
        }
    }

    /// The time since the start.
    pub fn elapsed(&self) -> Duration {
        #[cfg(not(target_family = "wasm"))]
        return self.start.elapsed();
        #[cfg(target_family = "wasm")]
        return Duration::ZERO;
    }
}

/// Real time.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl HostClock for SystemClock {
    fn now(&self) -> Timestamp {
        system_time()
    }
}
