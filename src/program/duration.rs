//! The durations of `sleep` and `timeout`: a floating-point number and `s`, `m`, `h` or `d`.

use std::time::Duration;

use crate::text::number::scan_long_double;

/// A duration; `None` when the text is none. What is too long lasts for ever.
pub fn parse(text: &[u8]) -> Option<Duration> {
    let scanned = scan_long_double(text);
    if scanned.length == 0 {
        return None;
    }
    let factor = match text.get(scanned.length..)? {
        b"" | b"s" => 1.0,
        b"m" => 60.0,
        b"h" => 3600.0,
        b"d" => 86400.0,
        _ => return None,
    };
    let seconds = scanned.value.to_f64() * factor;
    if seconds.is_nan() || seconds < 0.0 {
        return None;
    }
    Some(Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX))
}
