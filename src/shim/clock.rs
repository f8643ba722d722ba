//! The time, in milliseconds since the epoch, and how it is written on the wire.

use crate::host::system_time;

/// Now.
pub fn now() -> i64 {
    let time = system_time();
    time.seconds * 1000 + i64::from(time.nanos / 1_000_000)
}

/// As RFC 3339 in UTC, to the millisecond.
pub fn rfc3339(milliseconds: i64) -> String {
    jiff::Timestamp::from_millisecond(milliseconds)
        .unwrap_or_default()
        .strftime("%Y-%m-%dT%H:%M:%S%.3fZ")
        .to_string()
}
