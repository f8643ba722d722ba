//! Seconds since the epoch with a fraction: `%X`, `%.3X`, `%-15.1X`: coreutils' `out_epoch_sec`, step by step.
//!
//! The fraction is cut towards the past. A width counts the whole number; digits behind the ninth are zeros.

use crate::fs::Timestamp;
use crate::text::format::{Directive, Flags, Layout, leading_number};

/// What the width and precision come to.
struct Plan {
    /// How the seconds are laid out.
    whole: Layout,
    /// Digits of the fraction.
    precision: usize,
    /// The width of everything, where both were given.
    width: usize,
}

/// A directive up to its point: flags that numbers take, and a width.
fn layout(text: &[u8]) -> Layout {
    let (directive, _) = Directive::parse(text);
    let layout = directive.resolve(|| 0);
    Layout {
        flags: Flags {
            alternate: false,
            group: false,
            ..layout.flags
        },
        ..layout
    }
}

/// Reads flags, width and precision as written.
fn plan(written: &[u8]) -> Plan {
    let Some(point) = written.iter().position(|byte| *byte == b'.') else {
        return Plan {
            whole: layout(written),
            precision: 0,
            width: 0,
        };
    };
    let (before, after) = written.split_at_checked(point).unwrap_or_default();
    let precision = match leading_number(after.get(1..).unwrap_or_default()) {
        (_, 0) => 9,
        (value, _) => value,
    };
    let digits = before
        .iter()
        .rev()
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    let (flags, number) = before.split_at_checked(before.len() - digits).unwrap_or_default();
    let width = if precision == 0 {
        0
    } else {
        leading_number(number).0
    };
    if width <= 1 {
        return Plan {
            whole: layout(before),
            precision,
            width,
        };
    }
    let zero: &[u8] = if number.starts_with(b"0") { b"0" } else { b"" };
    let mut prefix = [flags, zero].concat();
    let whole = (width - 1).saturating_sub(precision);
    if whole > 1 {
        let left = prefix.contains(&b'-');
        prefix.retain(|byte| *byte != b'-');
        if !left {
            prefix.extend_from_slice(whole.to_string().as_bytes());
        }
    }
    Plan {
        whole: layout(&prefix),
        precision,
        width,
    }
}

/// Writes a time as the directive says.
pub fn format(time: Timestamp, written: &[u8]) -> Vec<u8> {
    let Plan {
        whole,
        precision,
        width,
    } = plan(written);
    let divisor = 10_u32.pow(9 - precision.min(9) as u32);
    let (mut seconds, mut fraction) = (time.seconds, time.nanos / divisor);
    let mut minus_zero = false;
    if seconds < 0 && time.nanos != 0 {
        fraction = 1_000_000_000 / divisor - fraction - u32::from(!time.nanos.is_multiple_of(divisor));
        seconds += i64::from(fraction != 0);
        minus_zero = seconds == 0;
    }
    let mut out = if minus_zero {
        minus_zero_text(&whole)
    } else {
        whole.signed(i128::from(seconds))
    };
    if precision == 0 {
        return out;
    }
    let shown = precision.min(9);
    let zeros = precision - shown;
    let length = out.len();
    out.push(b'.');
    out.extend_from_slice(format!("{fraction:0shown$}").as_bytes());
    out.extend(std::iter::repeat_n(b'0', zeros));
    if width > length + 1 {
        // A negative width of C means its absolute value to the left.
        let trailing = (width - length - 1).abs_diff(shown);
        out.extend(std::iter::repeat_n(b' ', trailing.saturating_sub(zeros)));
    }
    out
}

/// `-0` in the place of a number.
fn minus_zero_text(layout: &Layout) -> Vec<u8> {
    let text = layout.signed(-1);
    let mut text = text;
    if let Some(one) = text.iter_mut().rfind(|byte| **byte == b'1') {
        *one = b'0';
    }
    text
}
