//! `strftime` and `mktime`.

use super::machine::{Machine, Run};
use super::value::Value;
use crate::text::strftime::{Dialect, Moment, strftime};
use crate::text::zone;
use jiff::civil;

/// A time as text may be so long.
const LIMIT: usize = 1 << 16;

impl Machine<'_> {
    fn zone(&self, utc: bool) -> jiff::tz::TimeZone {
        let name = if utc {
            Some(&b"UTC0"[..])
        } else {
            self.proc.variable(b"TZ")
        };
        zone::from_variable(name)
    }

    /// `strftime([format [, time [, utc]]])`
    pub(super) fn strftime(&mut self, arguments: &[Value]) -> Run<Value> {
        let format = arguments.first().map(|value| self.text_of(value));
        let format = format.unwrap_or_else(|| b"%a %b %e %H:%M:%S %Z %Y".to_vec());
        let seconds = match arguments.get(1) {
            Some(value) => value.number() as i64,
            None => self.proc.kernel.now().seconds,
        };
        let utc = arguments.get(2).is_some_and(Value::is_true);
        let text = Moment::new(seconds, 0, &self.zone(utc))
            .and_then(|moment| strftime(&format, &moment, Dialect::Glibc, LIMIT))
            .unwrap_or_default();
        self.new_text(text)
    }

    /// `mktime("YYYY MM DD HH MM SS [DST]" [, utc])`
    pub(super) fn mktime(&mut self, arguments: &[Value]) -> Value {
        let text = arguments
            .first()
            .map(|value| self.text_of(value))
            .unwrap_or_default();
        let utc = arguments.get(1).is_some_and(Value::is_true);
        let seconds = seconds_of(&text, &self.zone(utc));
        Value::Number(seconds.map_or(-1.0, |seconds| seconds as f64))
    }
}

/// Fields beyond their bounds count on: the 13th month is January.
fn seconds_of(text: &[u8], zone: &jiff::tz::TimeZone) -> Option<i64> {
    let words = text
        .split(u8::is_ascii_whitespace)
        .filter(|word| !word.is_empty());
    let numbers: Vec<i64> = words
        .map_while(|word| std::str::from_utf8(word).ok()?.parse::<i32>().ok())
        .map(i64::from)
        .collect();
    let [year, month, day, hour, minute, second, rest @ ..] = numbers.as_slice() else {
        return None;
    };
    let months = year * 12 + month - 1;
    let first = civil::Date::new(
        i16::try_from(months.div_euclid(12)).ok()?,
        months.rem_euclid(12) as i8 + 1,
        1,
    )
    .ok()?;
    let span = jiff::Span::new();
    let midnight = first.to_datetime(civil::Time::midnight());
    let seconds = (day - 1) * 86_400 + hour * 3600 + minute * 60 + second;
    let local = midnight.checked_add(span.try_seconds(seconds).ok()?).ok()?;
    let prefer = match rest.first() {
        Some(0) => zone::Prefer::Daylight(false),
        Some(dst) if *dst > 0 => zone::Prefer::Daylight(true),
        _ => zone::Prefer::Any,
    };
    zone::local_to_timestamp(zone, local, prefer).map(jiff::Timestamp::as_second)
}
