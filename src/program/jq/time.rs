//! Times: seconds since the epoch, and "broken down time" as an array.

use jiff::tz::TimeZone;

use super::value::{Heap, Value};
use crate::text::strftime::{Dialect, Moment, strftime};

const DAY: i64 = 86_400;

/// Calls a function by name.
pub fn call(
    heap: &Heap,
    name: &str,
    zone: &TimeZone,
    input: &Value,
    format: &Value,
) -> Result<Value, String> {
    match name {
        "mktime" => {
            let fields = fields(
                input,
                "mktime requires array of 6 numbers",
                "mktime requires parsed datetime inputs",
            )?;
            Ok(Value::Number(seconds(&fields) as f64))
        }
        "gmtime" => broken_down(heap, input, &TimeZone::UTC, name),
        "localtime" => broken_down(heap, input, zone, name),
        "strftime" => written(heap, input, format, &TimeZone::UTC, name),
        "strflocaltime" => written(heap, input, format, zone, name),
        _ => parsed(heap, input, format),
    }
}

fn broken_down(heap: &Heap, input: &Value, zone: &TimeZone, name: &str) -> Result<Value, String> {
    let Value::Number(at) = input else {
        return Err(format!("{name}() requires numeric inputs"));
    };
    let whole = at.floor();
    let moment = Moment::new(whole as i64, 0, zone)
        .ok_or_else(|| "error converting number of seconds since epoch to datetime".to_owned())?;
    // The seconds keep their fraction.
    let second = f64::from(moment.second) + (at - whole);
    let fields = [
        moment.year as f64,
        f64::from(moment.month) - 1.0,
        f64::from(moment.day),
        f64::from(moment.hour),
        f64::from(moment.minute),
        second,
        f64::from(moment.weekday),
        f64::from(moment.year_day),
    ];
    Ok(heap.array(fields.map(Value::Number).to_vec()))
}

/// The parts of a time; months count from 0.
#[derive(Debug, Clone, Copy)]
struct Fields {
    year: i64,
    month: i64,
    day: i64,
    hour: i64,
    minute: i64,
    second: i64,
}

fn fields(input: &Value, short: &str, wrong: &str) -> Result<Fields, String> {
    let Value::Array(items) = input else {
        let arrays = short.replace("array of 6 numbers", "array inputs");
        return Err(arrays);
    };
    let mut fields = [0_i64; 6];
    if items.items().len() < fields.len() {
        return Err(short.to_owned());
    }
    for (slot, item) in fields.iter_mut().zip(items.items()) {
        match item {
            Value::Number(value) => *slot = *value as i64,
            _ => return Err(wrong.to_owned()),
        }
    }
    let [year, month, day, hour, minute, second] = fields;
    Ok(Fields {
        year,
        month,
        day,
        hour,
        minute,
        second,
    })
}

/// Days from the epoch to a date; the month may be out of range.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = (year.saturating_add(month.div_euclid(12)), month.rem_euclid(12));
    // Years begin in March, so that leap days are at their end.
    let (year, month) = if month < 2 {
        (year - 1, month + 10)
    } else {
        (year, month - 2)
    };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * month + 2) / 5 + day - 1;
    era.saturating_mul(146_097) + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

fn seconds(fields: &Fields) -> i64 {
    let Fields {
        year,
        month,
        day,
        hour,
        minute,
        second,
    } = *fields;
    let bounded = |value: i64| value.clamp(-1 << 40, 1 << 40);
    days(
        bounded(year).clamp(-1 << 24, 1 << 24),
        bounded(month),
        bounded(day),
    ) * DAY
        + bounded(hour) * 3600
        + bounded(minute) * 60
        + bounded(second)
}

fn written(heap: &Heap, input: &Value, format: &Value, zone: &TimeZone, name: &str) -> Result<Value, String> {
    let Value::Text(format) = format else {
        return Err(format!("{name}/1 requires a string format"));
    };
    let at = match input {
        Value::Number(at) => at.floor() as i64,
        Value::Array(_) => {
            let wrong = format!("{name}/1 requires parsed datetime inputs");
            seconds(&fields(input, &wrong, &wrong)?)
        }
        _ => return Err(format!("{name}/1 requires parsed datetime inputs")),
    };
    let moment = match input {
        // Fields are taken as they are, whatever the zone.
        Value::Array(_) => Moment::new(at, 0, &TimeZone::UTC),
        _ => Moment::new(at, 0, zone),
    };
    let text = moment.and_then(|moment| strftime(format.as_bytes(), &moment, Dialect::Glibc, 4096));
    match text {
        Some(text) => Ok(heap.text(String::from_utf8_lossy(&text))),
        None => Err(format!("{name}/1: unknown system failure")),
    }
}

struct Reader<'a> {
    rest: &'a str,
    fields: Fields,
    offset: i64,
    afternoon: bool,
    year_day: Option<i64>,
    epoch: Option<i64>,
}

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];
const WEEKDAYS: [&str; 7] = [
    "sunday",
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
];

impl Reader<'_> {
    fn blanks(&mut self) {
        self.rest = self.rest.trim_start();
    }

    fn number(&mut self, width: usize, least: i64, most: i64) -> Option<i64> {
        self.blanks();
        let (sign, rest) = match self.rest.strip_prefix('-').filter(|_| width > 4) {
            Some(rest) => (-1, rest),
            None => (1, self.rest.strip_prefix('+').unwrap_or(self.rest)),
        };
        let length = rest.bytes().take(width).take_while(u8::is_ascii_digit).count();
        let value = rest.get(..length)?.parse::<i64>().ok()? * sign;
        self.rest = rest.get(length..)?;
        (least..=most).contains(&value).then_some(value)
    }

    /// One of some names, or its first three letters.
    fn name(&mut self, names: &[&str]) -> Option<i64> {
        let lower = self.rest.to_ascii_lowercase();
        let length = |name: &str| {
            if lower.starts_with(name) {
                Some(name.len())
            } else {
                lower.starts_with(name.get(..3)?).then_some(3)
            }
        };
        let (index, length) = names
            .iter()
            .enumerate()
            .find_map(|(index, name)| Some((index, length(name)?)))?;
        self.rest = self.rest.get(length..)?;
        Some(index as i64)
    }

    fn zone(&mut self) -> Option<()> {
        self.blanks();
        if let Some(rest) = self.rest.strip_prefix('Z') {
            self.rest = rest;
            return Some(());
        }
        let sign = match self.rest.bytes().next()? {
            b'+' => 1,
            b'-' => -1,
            _ => return None,
        };
        self.rest = self.rest.get(1..)?;
        let hours = self.number(2, 0, 23)?;
        self.rest = self.rest.strip_prefix(':').unwrap_or(self.rest);
        let minutes = self.number(2, 0, 59).unwrap_or(0);
        self.offset = sign * (hours * 3600 + minutes * 60);
        Some(())
    }

    fn conversion(&mut self, letter: char) -> Option<()> {
        match letter {
            'Y' => self.fields.year = self.number(4, 0, 9999)?,
            'y' => {
                let short = self.number(2, 0, 99)?;
                self.fields.year = short + if short < 69 { 2000 } else { 1900 };
            }
            'm' => self.fields.month = self.number(2, 1, 12)? - 1,
            'd' | 'e' => self.fields.day = self.number(2, 1, 31)?,
            'H' | 'k' => self.fields.hour = self.number(2, 0, 23)?,
            'I' | 'l' => self.fields.hour = self.number(2, 1, 12)? % 12,
            'M' => self.fields.minute = self.number(2, 0, 59)?,
            'S' => self.fields.second = self.number(2, 0, 61)?,
            'j' => self.year_day = Some(self.number(3, 1, 366)? - 1),
            'b' | 'B' | 'h' => self.fields.month = self.name(&MONTHS)?,
            'a' | 'A' => {
                self.name(&WEEKDAYS)?;
            }
            'p' => {
                let word = self.rest.get(..2)?.to_ascii_lowercase();
                self.rest = self.rest.get(2..)?;
                self.afternoon = match word.as_str() {
                    "am" => false,
                    "pm" => true,
                    _ => return None,
                };
            }
            's' => self.epoch = Some(self.number(18, i64::MIN, i64::MAX)?),
            'z' => self.zone()?,
            'Z' => {
                let length = self.rest.bytes().take_while(u8::is_ascii_alphabetic).count();
                self.rest = self.rest.get(length..)?;
            }
            'n' | 't' => self.blanks(),
            'T' => self.pattern("%H:%M:%S")?,
            'R' => self.pattern("%H:%M")?,
            'D' => self.pattern("%m/%d/%y")?,
            'F' => self.pattern("%Y-%m-%d")?,
            'c' => self.pattern("%a %b %e %H:%M:%S %Y")?,
            '%' => self.rest = self.rest.strip_prefix('%')?,
            _ => return None,
        }
        Some(())
    }

    fn pattern(&mut self, format: &str) -> Option<()> {
        let mut letters = format.chars();
        while let Some(letter) = letters.next() {
            match letter {
                '%' => self.conversion(letters.next()?)?,
                _ if letter.is_whitespace() => self.blanks(),
                _ => self.rest = self.rest.strip_prefix(letter)?,
            }
        }
        Some(())
    }
}

fn parsed(heap: &Heap, input: &Value, format: &Value) -> Result<Value, String> {
    let Value::Text(text) = input else {
        return Err("strptime/1 requires string inputs and arguments".to_owned());
    };
    let Value::Text(format) = format else {
        return Err("strptime/1 requires string inputs and arguments".to_owned());
    };
    let mut reader = Reader {
        rest: text,
        fields: Fields {
            year: 1900,
            month: 0,
            day: 0,
            hour: 0,
            minute: 0,
            second: 0,
        },
        offset: 0,
        afternoon: false,
        year_day: None,
        epoch: None,
    };
    let wrong = || format!("date \"{}\" does not match format \"{}\"", &**text, &**format);
    reader.pattern(format).ok_or_else(wrong)?;
    if !reader.rest.is_empty() {
        return Err(wrong());
    }
    if reader.afternoon {
        reader.fields.hour += 12;
    }
    if let Some(day) = reader.year_day {
        (reader.fields.month, reader.fields.day) = (0, day + 1);
    }
    let at = reader.epoch.unwrap_or_else(|| seconds(&reader.fields));
    broken_down(heap, &Value::Number(at as f64), &TimeZone::UTC, "gmtime")
}
