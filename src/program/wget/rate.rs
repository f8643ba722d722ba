//! Numbers in the log: sizes, rates, times.

use std::time::Duration;

/// A clock that shows no difference is off by half of what it can tell.
const LEAST_SECONDS: f64 = 0.5e-9;

/// A number of bytes as `4.9K`.
pub(super) fn size(bytes: u64) -> String {
    if bytes < 1024 {
        return bytes.to_string();
    }
    let mut value = bytes as f64 / 1024.0;
    let mut unit = 'K';
    for larger in ['M', 'G', 'T', 'P', 'E'] {
        if value < 1024.0 {
            break;
        }
        value /= 1024.0;
        unit = larger;
    }
    let decimals = usize::from(value < 10.0);
    format!("{value:.decimals$}{unit}")
}

/// Bytes in a time: the number in three figures, and how often it was divided by 1024.
fn scaled(bytes: u64, time: Duration) -> (String, usize) {
    let seconds = time.as_secs_f64().max(LEAST_SECONDS);
    let mut rate = bytes as f64 / seconds;
    let mut unit = 0;
    while rate >= 1024.0 && unit < 4 {
        rate /= 1024.0;
        unit += 1;
    }
    let decimals = match rate {
        _ if rate >= 99.95 => 0,
        _ if rate >= 9.995 => 1,
        _ => 2,
    };
    (format!("{rate:.decimals$}"), unit)
}

/// `1.23 MB/s`
pub(super) fn long(bytes: u64, time: Duration) -> String {
    let (rate, unit) = scaled(bytes, time);
    let unit = ["B/s", "KB/s", "MB/s", "GB/s", "TB/s"]
        .get(unit)
        .unwrap_or(&"TB/s");
    format!("{rate} {unit}")
}

/// `1.23M`, in five places.
pub(super) fn short(bytes: u64, time: Duration) -> String {
    let (rate, unit) = scaled(bytes, time);
    let unit = [' ', 'K', 'M', 'G', 'T'].get(unit).unwrap_or(&'T');
    format!("{rate:>4}{unit}")
}

/// Seconds in as few figures as tell something.
pub(super) fn seconds(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    match seconds {
        _ if seconds >= 9.95 => format!("{seconds:.0}"),
        _ if seconds >= 0.95 => format!("{seconds:.1}"),
        _ if seconds >= 0.001 => one_figure(seconds),
        _ => "0".to_owned(),
    }
}

/// As `%.1g` below one.
fn one_figure(seconds: f64) -> String {
    let figure = format!("{seconds:.0e}");
    let decimals = figure
        .split_once("e-")
        .and_then(|(_, places)| places.parse().ok())
        .unwrap_or(0);
    format!("{seconds:.decimals$}")
}

/// `1m 5s`
pub(super) fn span(time: Duration) -> String {
    let whole = (time.as_secs_f64() + 0.5) as u64;
    let (minutes, rest) = (whole / 60, whole % 60);
    match minutes {
        0 => format!("{}s", seconds(time)),
        1..60 => format!("{minutes}m {rest}s"),
        60..1440 => format!("{}h {}m {rest}s", minutes / 60, minutes % 60),
        _ => format!("{}d {}h {}m", minutes / 1440, minutes / 60 % 24, minutes % 60),
    }
}

/// `5m3s`
pub(super) fn brief_span(seconds: u64) -> String {
    match seconds {
        0..100 => format!("{seconds}s"),
        100..6000 => format!("{}m{}s", seconds / 60, seconds % 60),
        6000..172_800 => format!("{}h{}m", seconds / 3600, seconds / 60 % 60),
        172_800..8_640_000 => format!("{}d{}h", seconds / 86_400, seconds / 3600 % 24),
        _ => format!("{}d", seconds / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As wget 1.21 printed them.
    #[test]
    fn numbers() {
        let sizes = [
            (1023, "1023"),
            (5000, "4.9K"),
            (51_200, "50K"),
            (2_000_000, "1.9M"),
            (500_000, "488K"),
        ];
        for (bytes, text) in sizes {
            assert_eq!(size(bytes), text);
        }
        let times = [
            (4, "0"),
            (94, "0"),
            (1_100, "0.001"),
            (9_000, "0.009"),
            (45_000, "0.04"),
            (96_000, "0.1"),
            (1_040_000, "1.0"),
        ];
        for (micros, text) in times {
            assert_eq!(seconds(Duration::from_micros(micros)), text, "{micros}");
        }
        assert_eq!(short(6, Duration::from_millis(43)), " 140 ");
        assert_eq!(short(127, Duration::from_millis(46)), "2.70K");
        assert_eq!(long(0, Duration::ZERO), "0.00 B/s");
    }
}
