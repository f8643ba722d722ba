//! What `dd` says at its end.

use super::super::message::message;
use super::operands::Level;
use crate::fs::Timestamp;
use crate::kernel::{Proc, Stop, between};
use crate::text::float_format::{FloatStyle, magnitude};
use crate::text::human::{Rounding, human_size};

/// Blocks and bytes that went through.
#[derive(Debug, Clone, Copy)]
pub struct Counts {
    pub full_in: u64,
    pub partial_in: u64,
    pub full_out: u64,
    pub partial_out: u64,
    pub bytes: u64,
    pub start: Timestamp,
}

/// Prints the records, and how fast they went.
pub async fn print(proc: &mut Proc, level: Level, counts: &Counts) -> Result<(), Stop> {
    if level == Level::None {
        return Ok(());
    }
    let mut text = format!(
        "{}+{} records in\n{}+{} records out\n",
        counts.full_in, counts.partial_in, counts.full_out, counts.partial_out
    )
    .into_bytes();
    if level == Level::All {
        let elapsed = between(counts.start, proc.kernel.now()).as_secs_f64();
        text.extend(transfer(counts.bytes, elapsed));
    }
    proc.write_error(&text).await
}

fn transfer(bytes: u64, seconds: f64) -> Vec<u8> {
    let plain = if bytes == 1 {
        "1 byte".to_owned()
    } else {
        format!("{bytes} bytes")
    };
    let (decimal, binary) = (with_unit(bytes, 1000), with_unit(bytes, 1024));
    let size = match (decimal.ends_with(" B"), binary.ends_with(" B")) {
        (true, _) => plain,
        (false, true) => format!("{plain} ({decimal})"),
        (false, false) => format!("{plain} ({decimal}, {binary})"),
    };
    let time = magnitude(seconds.into(), FloatStyle::General, None, false);
    let rate = if seconds > 0.0 {
        let rate = (bytes as f64 / seconds).round() as u64;
        if rate == 0 {
            "0.0 kB".to_owned()
        } else {
            with_unit(rate, 1000)
        }
    } else {
        "Infinity B".to_owned()
    };
    message!(size, " copied, ", time, " s, ", rate, "/s\n")
}

/// `10 kB`, `9.8 KiB`, `12 B`
pub fn with_unit(bytes: u64, base: u64) -> String {
    let mut text = human_size(bytes, base, Rounding::Nearest);
    match text.pop() {
        Some(digit) if digit.is_ascii_digit() => format!("{text}{digit} B"),
        Some(letter) => format!("{text} {letter}{}", if base == 1000 { "B" } else { "iB" }),
        None => text,
    }
}
