//! Times of the host's type and ours. Only converts; no clock is read.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::Timestamp;

/// Our form of a host time.
pub(super) fn timestamp(time: SystemTime) -> Timestamp {
    match time.duration_since(UNIX_EPOCH) {
        Ok(after) => Timestamp {
            seconds: after.as_secs() as i64,
            nanos: after.subsec_nanos(),
        },
        Err(before) => {
            let before = before.duration();
            let borrow = i64::from(before.subsec_nanos() > 0);
            let nanos = (1_000_000_000 - before.subsec_nanos()) % 1_000_000_000;
            Timestamp {
                seconds: (before.as_secs() as i64).wrapping_neg().saturating_sub(borrow),
                nanos,
            }
        }
    }
}

/// The host's form of a time, if it can express it.
pub(super) fn system_time(time: Timestamp) -> Option<SystemTime> {
    let whole = Duration::from_secs(time.seconds.unsigned_abs());
    let second = if time.seconds < 0 {
        UNIX_EPOCH.checked_sub(whole)
    } else {
        UNIX_EPOCH.checked_add(whole)
    };
    second.and_then(|second| second.checked_add(Duration::from_nanos(u64::from(time.nanos))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_convert_both_ways() {
        for (seconds, nanos) in [
            (0, 0),
            (1, 5),
            (-1, 0),
            (-1, 999_999_999),
            (-86_400, 1),
            (i64::MIN, 0),
        ] {
            let time = Timestamp { seconds, nanos };
            assert_eq!(system_time(time).map(timestamp), Some(time));
        }
    }
}
