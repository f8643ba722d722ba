//! Time in programs: the zone that `TZ` means, and the file tree's points in time as those of [`jiff`].

use jiff::tz::TimeZone;

use crate::fs::Timestamp;
use crate::kernel::Proc;
use crate::text::{date_parse, zone};

/// The zone of the process.
pub fn zone(proc: &Proc) -> TimeZone {
    zone::from_variable(proc.variable(b"TZ"))
}

/// The nearest point in time that jiff knows.
pub fn to_jiff(time: Timestamp) -> jiff::Timestamp {
    let (min, max) = (jiff::Timestamp::MIN, jiff::Timestamp::MAX);
    let nanos = i128::from(time.seconds) * 1_000_000_000 + i128::from(time.nanos);
    let nearest = if time.seconds < 0 { min } else { max };
    jiff::Timestamp::from_nanosecond(nanos).unwrap_or(nearest)
}

/// The same point in time for the file tree.
pub fn from_jiff(time: jiff::Timestamp) -> Timestamp {
    let nanos = time.as_nanosecond();
    Timestamp {
        seconds: nanos.div_euclid(1_000_000_000) as i64,
        nanos: nanos.rem_euclid(1_000_000_000) as u32,
    }
}

/// What a date string means, seen from `now`.
pub fn parse(proc: &Proc, text: &[u8], now: Timestamp) -> Option<Timestamp> {
    date_parse::parse(text, to_jiff(now), &zone(proc)).map(from_jiff)
}
