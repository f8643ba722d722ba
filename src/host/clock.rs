//! The host's clock.

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

/// Real time.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl HostClock for SystemClock {
    fn now(&self) -> Timestamp {
        system_time()
    }
}
