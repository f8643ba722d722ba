//! Time zones as glibc finds them: the value of `TZ`, names of the local zone, local time to a point in time.

use jiff::tz::{AmbiguousOffset, Offset, TimeZone};
use jiff::{Timestamp, civil};

/// The zone that a value of `TZ` means; UTC when it is not set or means nothing.
pub fn from_variable(value: Option<&[u8]>) -> TimeZone {
    let Some(text) = value.and_then(|value| std::str::from_utf8(value).ok()) else {
        return TimeZone::UTC;
    };
    let name = text.strip_prefix(':').unwrap_or(text);
    if name.is_empty() {
        return TimeZone::UTC;
    }
    let posix = || TimeZone::posix(name).ok();
    // A name that nobody knows stands for UTC, and shows as itself.
    let letters: String = name.chars().take_while(char::is_ascii_alphabetic).collect();
    let unknown = || TimeZone::posix(&format!("{letters}0")).ok();
    TimeZone::get(name)
        .ok()
        .or_else(posix)
        .or_else(unknown)
        .unwrap_or(TimeZone::UTC)
}

/// Daylight saving time is in force then.
pub fn is_daylight(zone: &TimeZone, at: Timestamp) -> bool {
    zone.to_offset_info(at).dst().is_dst()
}

/// The abbreviations that the zone uses within a year from `now`, with whether they mean daylight saving.
pub fn names_around(zone: &TimeZone, now: Timestamp) -> Vec<(String, bool)> {
    let mut names: Vec<(String, bool)> = Vec::new();
    for quarter in 0..4 {
        let Ok(at) = Timestamp::from_second(now.as_second() + quarter * 90 * 86_400) else {
            continue;
        };
        let info = zone.to_offset_info(at);
        let daylight = info.dst().is_dst();
        // Names are compared in upper case; glibc's tables hold one name for each kind of time.
        if !names.iter().any(|(_, known)| *known == daylight) {
            names.push((info.abbreviation().to_owned(), daylight));
        }
    }
    names
}

/// Which of the points in time that a local time may mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Prefer {
    /// The earlier one.
    Any,
    /// The one where daylight saving is in force, or is not, even if clocks then show another time (`tm_isdst` of `mktime`).
    Daylight(bool),
}

/// The point in time when clocks in `zone` show `civil`. A time that they skip is taken on from before the gap.
pub fn local_to_timestamp(zone: &TimeZone, civil: civil::DateTime, prefer: Prefer) -> Option<Timestamp> {
    let ambiguous = zone.to_ambiguous_timestamp(civil);
    let fold = matches!(ambiguous.offset(), AmbiguousOffset::Fold { .. });
    let found = match ambiguous.offset() {
        // glibc tries the offset at that time of UTC first, which decides what a time that comes twice means.
        AmbiguousOffset::Fold { after, .. } if guessed_offset(zone, civil) == Some(after) => {
            ambiguous.later().ok()?
        }
        _ => ambiguous.compatible().ok()?,
    };
    let Prefer::Daylight(wanted) = prefer else {
        return Some(found);
    };
    if is_daylight(zone, found) == wanted {
        return Some(found);
    }
    if fold {
        return ambiguous.later().ok();
    }
    let Some(offset) = offset_nearby(zone, found, wanted) else {
        return Some(found);
    };
    offset.to_timestamp(civil).ok()
}

/// The offset of the zone when clocks show `civil` in Greenwich.
fn guessed_offset(zone: &TimeZone, civil: civil::DateTime) -> Option<Offset> {
    let at = Offset::UTC.to_timestamp(civil).ok()?;
    Some(zone.to_offset(at))
}

/// The offset of the nearest time at which daylight saving is, or is not, in force; looked for a week at a time as glibc does.
fn offset_nearby(zone: &TimeZone, from: Timestamp, daylight: bool) -> Option<Offset> {
    const STRIDE: i64 = 601_200;
    (1..=446).flat_map(|steps| [-steps, steps]).find_map(|steps| {
        let at = Timestamp::from_second(from.as_second() + steps * STRIDE).ok()?;
        (is_daylight(zone, at) == daylight).then(|| zone.to_offset(at))
    })
}
