//! Dates as people write them: the strings of `date -d`, `touch -d`, `find -newermt` (gnulib's `parse-datetime`).
//!
//! The grammar is that of gnulib's `parse-datetime.y`; where yacc has a conflict it shifts, and so does this parser: after `10:00`
//! a signed number is a time zone (`10:00 +1 day` is one day after 10:00 in zone +01). What the items say is collected first, then
//! turned into a point in time: fields that are not said come from now.
//!
//! Years are those of [`jiff`]: -9999 to 9999. What lies outside is refused like any other invalid date.

use jiff::tz::{Offset, TimeZone};
use jiff::{Timestamp, civil};

use super::date_words::{Number, Token, Unit, scan};
use super::zone;

/// The point in time that `text` means, seen from `now` in `zone`; `None` for an invalid date.
pub fn parse(text: &[u8], now: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
    let text = text.trim_ascii_start();
    let (own_zone, text) = match leading_zone(text) {
        Some((name, rest)) => (Some(zone::from_variable(Some(&name))), rest.trim_ascii_start()),
        None => (None, text),
    };
    let zone = own_zone.as_ref().unwrap_or(zone);
    let text: &[u8] = if text.is_empty() { b"0" } else { text };
    let tokens = scan(text, &zone::names_around(zone, now))?;
    let mut parser = Parser::new(&tokens, now, zone);
    if let [Token::Character(b'@'), rest @ ..] = tokens.as_slice() {
        return parser.epoch(rest);
    }
    while !parser.rest.is_empty() {
        parser.item()?;
    }
    parser.found.resolve(now, zone)
}

/// `TZ="Europe/Paris" REST`: the zone's name and the rest.
fn leading_zone(text: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    let mut rest = text.strip_prefix(b"TZ=\"")?;
    let mut name = Vec::new();
    loop {
        rest = match rest {
            [b'"', rest @ ..] => return Some((name, rest)),
            [b'\\', escaped @ (b'\\' | b'"'), rest @ ..] => {
                name.push(*escaped);
                rest
            }
            [b'\\', ..] | [] => return None,
            [byte, rest @ ..] => {
                name.push(*byte);
                rest
            }
        };
    }
}

/// Seconds and what is below one.
#[derive(Debug, Clone, Copy, Default)]
struct Seconds {
    whole: i64,
    nanos: u32,
}

/// A time span in the units that were said.
#[derive(Debug, Clone, Copy, Default)]
struct Span {
    years: i64,
    months: i64,
    days: i64,
    hours: i64,
    minutes: i64,
    seconds: i64,
    nanos: i64,
}

impl Span {
    fn of(unit: Unit, count: i64) -> Option<Span> {
        let span = Span::default();
        Some(match unit {
            Unit::Year => Span { years: count, ..span },
            Unit::Month => Span {
                months: count,
                ..span
            },
            Unit::Days(days) => Span {
                days: count.checked_mul(days)?,
                ..span
            },
            Unit::Hour => Span { hours: count, ..span },
            Unit::Minute => Span {
                minutes: count,
                ..span
            },
            Unit::Second => Span {
                seconds: count,
                ..span
            },
        })
    }

    fn plus(self, other: Span, factor: i64) -> Option<Span> {
        let add = |left: i64, right: i64| left.checked_add(right.checked_mul(factor)?);
        Some(Span {
            years: add(self.years, other.years)?,
            months: add(self.months, other.months)?,
            days: add(self.days, other.days)?,
            hours: add(self.hours, other.hours)?,
            minutes: add(self.minutes, other.minutes)?,
            seconds: add(self.seconds, other.seconds)?,
            nanos: add(self.nanos, other.nanos)?,
        })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Hours {
    Of24,
    Morning,
    Afternoon,
}

/// What has been said so far.
#[derive(Debug)]
struct Found {
    year: Number,
    month: i64,
    day: i64,
    hour: i64,
    minutes: i64,
    seconds: Seconds,
    hours: Hours,
    relative: Span,
    /// Seconds east of Greenwich.
    zone: i32,
    local_daylight: bool,
    day_ordinal: i64,
    day_number: i64,
    dates: u32,
    times: u32,
    days: u32,
    zones: u32,
    local_zones: u32,
    dsts: u32,
    relatives: bool,
}

struct Parser<'a> {
    rest: &'a [Token],
    found: Found,
}

impl<'a> Parser<'a> {
    fn new(tokens: &'a [Token], now: Timestamp, zone: &TimeZone) -> Parser<'a> {
        let here = zone.to_datetime(now);
        let year = Number {
            negative: false,
            value: i64::from(here.year()),
            // An absent year has no digits, so that a number may still become it.
            digits: 0,
        };
        let found = Found {
            year,
            month: i64::from(here.month()),
            day: i64::from(here.day()),
            hour: i64::from(here.hour()),
            minutes: i64::from(here.minute()),
            seconds: Seconds {
                whole: i64::from(here.second()),
                nanos: here.subsec_nanosecond().unsigned_abs(),
            },
            hours: Hours::Of24,
            relative: Span::default(),
            zone: 0,
            local_daylight: false,
            day_ordinal: 0,
            day_number: 0,
            dates: 0,
            times: 0,
            days: 0,
            zones: 0,
            local_zones: 0,
            dsts: 0,
            relatives: false,
        };
        Parser { rest: tokens, found }
    }

    /// `@SECONDS`, and nothing more.
    fn epoch(&mut self, rest: &[Token]) -> Option<Timestamp> {
        match rest {
            [Token::Unsigned(number) | Token::Signed(number)] => timestamp(number.value, 0),
            [Token::Decimal { seconds, nanos, .. }] => timestamp(*seconds, *nanos),
            _ => None,
        }
    }

    fn skip(&mut self, count: usize) {
        self.rest = self.rest.get(count..).unwrap_or_default();
    }

    fn item(&mut self) -> Option<()> {
        match *self.rest {
            [Token::Unsigned(number), ..] => self.begins_with_number(number),
            [Token::Month(month), ..] => self.begins_with_month(month),
            [Token::Weekday(day), Token::Character(b','), ..] => self.weekday(0, day, 2),
            [Token::Weekday(day), ..] => self.weekday(0, day, 1),
            [Token::Ordinal(ordinal), Token::Weekday(day), ..] => self.weekday(ordinal, day, 2),
            [Token::Ordinal(count), Token::Unit(unit), ..] => self.relative(Span::of(unit, count)?, 2),
            [Token::Signed(count), Token::Unit(unit), ..] => self.relative(Span::of(unit, count.value)?, 2),
            [
                Token::Decimal { seconds, nanos, .. },
                Token::Unit(Unit::Second),
                ..,
            ] => {
                let span = Span {
                    seconds,
                    nanos: i64::from(nanos),
                    ..Span::default()
                };
                self.relative(span, 2)
            }
            [Token::Unit(unit), ..] => self.relative(Span::of(unit, 1)?, 1),
            [Token::DayShift(days), ..] => {
                self.skip(1);
                self.found.shift(
                    Span {
                        days,
                        ..Span::default()
                    },
                    1,
                )
            }
            [Token::LocalZone { daylight }, ..] => {
                self.skip(1);
                self.local_zone(daylight)
            }
            [Token::Zone(zone), ..] => self.zone(zone, true),
            [Token::T, ..] => self.zone(-7 * 3600, false),
            [Token::DaylightZone(zone), ..] => {
                self.skip(1);
                (self.found.zone, self.found.zones) = (zone, self.found.zones + 1);
                Some(())
            }
            _ => None,
        }
    }

    fn weekday(&mut self, ordinal: i64, day: i64, tokens: usize) -> Option<()> {
        self.skip(tokens);
        (self.found.day_ordinal, self.found.day_number) = (ordinal, day);
        self.found.days += 1;
        Some(())
    }

    /// A span and the `ago` or `hence` after it.
    fn relative(&mut self, span: Span, tokens: usize) -> Option<()> {
        self.skip(tokens);
        let factor = match self.rest {
            [Token::Ago(factor), ..] => {
                let factor = *factor;
                self.skip(1);
                factor
            }
            _ => 1,
        };
        self.found.shift(span, factor)
    }

    fn local_zone(&mut self, daylight: bool) -> Option<()> {
        self.found.local_zones += 1;
        self.found.local_daylight = daylight;
        if let [Token::Dst, ..] = self.rest {
            self.skip(1);
            self.found.local_daylight = true;
            self.found.dsts += 1;
        }
        Some(())
    }

    /// A zone, and what may stand right behind it; after the letter `T` that is no offset.
    fn zone(&mut self, zone: i32, named: bool) -> Option<()> {
        self.skip(1);
        self.found.zone = zone;
        self.found.zones += 1;
        match *self.rest {
            [Token::Signed(count), Token::Unit(unit), ..] => {
                self.skip(2);
                self.found.shift(Span::of(unit, count.value)?, 1)?;
            }
            [Token::Signed(_), ..] if named => {
                let offset = self.offset()?;
                self.found.zone = zone + offset;
            }
            [Token::Dst, ..] if named => {
                self.skip(1);
                self.found.zone = zone + 3600;
            }
            _ => {}
        }
        Some(())
    }

    /// `+0100`, `-05:30`, `+9` as seconds.
    fn offset(&mut self) -> Option<i32> {
        let [Token::Signed(number), ..] = *self.rest else {
            return None;
        };
        self.skip(1);
        let minutes = match *self.rest {
            [Token::Character(b':'), Token::Unsigned(minutes), ..] => {
                self.skip(2);
                let total = number.value.checked_mul(60)?;
                if number.negative {
                    total.checked_sub(minutes.value)?
                } else {
                    total.checked_add(minutes.value)?
                }
            }
            [Token::Character(b':'), ..] => return None,
            _ => {
                let hundreds = if number.digits <= 2 {
                    number.value.checked_mul(100)?
                } else {
                    number.value
                };
                (hundreds / 100).checked_mul(60)?.checked_add(hundreds % 100)?
            }
        };
        (-1440..=1440).contains(&minutes).then(|| minutes as i32 * 60)
    }

    fn begins_with_number(&mut self, number: Number) -> Option<()> {
        let value = number.value;
        match *self.rest.get(1..).unwrap_or_default() {
            [Token::Meridian { afternoon }, ..] => {
                self.skip(2);
                self.found.time(value, 0, Seconds::default());
                self.meridian(afternoon)
            }
            [Token::Character(b':'), Token::Unsigned(minutes), ..] => {
                self.skip(3);
                self.clock_time(value, minutes.value)
            }
            [Token::Character(b'/'), Token::Unsigned(second), ..] => self.slashes(number, second),
            [Token::Signed(month), Token::Signed(day), ..] => {
                self.skip(3);
                self.found
                    .date(number, month.value.checked_neg()?, day.value.checked_neg()?);
                self.time_after_t()
            }
            [Token::Signed(count), Token::Unit(unit), ..] => {
                self.skip(3);
                self.found.digits(number);
                self.found.shift(Span::of(unit, count.value)?, 1)
            }
            [Token::Signed(_), ..] => {
                self.skip(1);
                self.found.time(value, 0, Seconds::default());
                self.zone_offset()
            }
            [Token::Month(month), Token::Signed(year), ..] => {
                self.skip(3);
                self.found.date(negated(year)?, month, value);
                Some(())
            }
            [Token::Month(month), Token::Unsigned(year), ..] => {
                self.skip(3);
                self.found.date(year, month, value);
                Some(())
            }
            [Token::Month(month), ..] => {
                self.skip(2);
                self.found.month_and_day(month, value);
                Some(())
            }
            [Token::Weekday(day), ..] => self.weekday(value, day, 2),
            [Token::Unit(unit), ..] => self.relative(Span::of(unit, value)?, 2),
            [Token::Character(_), ..] => None,
            _ => {
                self.skip(1);
                self.found.digits(number);
                Some(())
            }
        }
    }

    /// After `10:30`: seconds, then `am`, `pm` or a zone.
    fn clock_time(&mut self, hour: i64, minutes: i64) -> Option<()> {
        let seconds = match *self.rest {
            [Token::Character(b':'), Token::Unsigned(seconds), ..] => Some(Seconds {
                whole: seconds.value,
                nanos: 0,
            }),
            [
                Token::Character(b':'),
                Token::Decimal {
                    seconds,
                    nanos,
                    signed: false,
                },
                ..,
            ] => Some(Seconds {
                whole: seconds,
                nanos,
            }),
            [Token::Character(b':'), ..] => return None,
            _ => None,
        };
        if seconds.is_some() {
            self.skip(2);
        }
        self.found.time(hour, minutes, seconds.unwrap_or_default());
        match *self.rest {
            [Token::Meridian { afternoon }, ..] => {
                self.skip(1);
                self.meridian(afternoon)
            }
            [Token::Signed(_), ..] => self.zone_offset(),
            _ => Some(()),
        }
    }

    fn meridian(&mut self, afternoon: bool) -> Option<()> {
        self.found.hours = if afternoon {
            Hours::Afternoon
        } else {
            Hours::Morning
        };
        Some(())
    }

    fn zone_offset(&mut self) -> Option<()> {
        self.found.zone = self.offset()?;
        self.found.zones += 1;
        Some(())
    }

    /// After an ISO date: `T10:30`, `T10`.
    fn time_after_t(&mut self) -> Option<()> {
        let [Token::T, ..] = self.rest else {
            return Some(());
        };
        self.skip(1);
        match *self.rest {
            [
                Token::Unsigned(hour),
                Token::Character(b':'),
                Token::Unsigned(minutes),
                ..,
            ] => {
                self.skip(3);
                self.clock_time(hour.value, minutes.value)?;
                // No `am` or `pm` here.
                (self.found.hours == Hours::Of24).then_some(())
            }
            [Token::Unsigned(hour), Token::Signed(_), ..] => {
                self.skip(1);
                self.found.time(hour.value, 0, Seconds::default());
                self.zone_offset()
            }
            _ => None,
        }
    }

    /// `12/31`, `12/31/2020`, `2020/12/31`.
    fn slashes(&mut self, first: Number, second: Number) -> Option<()> {
        let third = match *self.rest.get(3..).unwrap_or_default() {
            [Token::Character(b'/'), Token::Unsigned(third), ..] => third,
            [Token::Character(b'/'), ..] => return None,
            _ => {
                self.skip(3);
                self.found.month_and_day(first.value, second.value);
                return Some(());
            }
        };
        self.skip(5);
        if first.digits >= 4 {
            self.found.date(first, second.value, third.value);
        } else {
            self.found.date(third, first.value, second.value);
        }
        Some(())
    }

    fn begins_with_month(&mut self, month: i64) -> Option<()> {
        match *self.rest.get(1..).unwrap_or_default() {
            [Token::Signed(day), Token::Signed(year), ..] => {
                self.skip(3);
                self.found.date(negated(year)?, month, day.value.checked_neg()?);
            }
            [
                Token::Unsigned(day),
                Token::Character(b','),
                Token::Unsigned(year),
                ..,
            ] => {
                self.skip(4);
                self.found.date(year, month, day.value);
            }
            [Token::Unsigned(day), ..] => {
                self.skip(2);
                self.found.month_and_day(month, day.value);
            }
            _ => return None,
        }
        Some(())
    }
}

/// The year of `17-JUN-1992`: its sign is a hyphen.
fn negated(year: Number) -> Option<Number> {
    Some(Number {
        value: year.value.checked_neg()?,
        ..year
    })
}

impl Found {
    fn shift(&mut self, span: Span, factor: i64) -> Option<()> {
        self.relative = self.relative.plus(span, factor)?;
        self.relatives = true;
        Some(())
    }

    fn time(&mut self, hour: i64, minutes: i64, seconds: Seconds) {
        (self.hour, self.minutes, self.seconds) = (hour, minutes, seconds);
        self.hours = Hours::Of24;
        self.times += 1;
    }

    fn date(&mut self, year: Number, month: i64, day: i64) {
        self.year = year;
        self.month_and_day(month, day);
    }

    fn month_and_day(&mut self, month: i64, day: i64) {
        (self.month, self.day) = (month, day);
        self.dates += 1;
    }

    /// A bare number: a year after a date, else a date or a time by its length.
    fn digits(&mut self, number: Number) {
        let (value, digits) = (number.value, number.digits);
        let wants_year = self.dates > 0 && self.year.digits == 0 && !self.relatives;
        if wants_year && (self.times > 0 || digits > 2) {
            self.year = number;
        } else if digits > 4 {
            let year = Number {
                negative: false,
                value: value / 10_000,
                digits: digits - 4,
            };
            self.date(year, value / 100 % 100, value % 100);
        } else if digits <= 2 {
            self.time(value, 0, Seconds::default());
        } else {
            self.time(value / 100, value % 100, Seconds::default());
        }
    }

    fn resolve(&self, now: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
        let named = self.local_zones + self.zones;
        if [self.times, self.dates, self.days, self.dsts, named]
            .into_iter()
            .any(|seen| seen > 1)
        {
            return None;
        }
        let mut nanos = i64::from(self.seconds.nanos);
        let says_date = self.dates > 0 || self.days > 0;
        let time = if self.times > 0 || (self.relatives && !says_date) {
            (self.hour_of_day()?, self.minutes, self.seconds.whole)
        } else {
            nanos = 0;
            (0, 0, 0)
        };
        let civil = checked_civil(self.full_year()?, self.month, self.day, time)?;
        let absolute = says_date || self.times > 0;
        let prefer = if self.local_zones > 0 {
            zone::Prefer::Daylight(self.local_daylight)
        } else if absolute {
            zone::Prefer::Any
        } else {
            zone::Prefer::Daylight(zone::is_daylight(zone, now))
        };
        let offset_at = |at: Timestamp| zone.to_offset(at).seconds();
        let (mut start, mut offset) = match zone::local_to_timestamp(zone, civil, prefer) {
            Some(start) if zone.to_datetime(start) == civil => (start, offset_at(start)),
            // A time that the local clocks do not show is right in another zone.
            _ if self.zones > 0 => {
                let named = Offset::from_seconds(self.zone).ok()?;
                (named.to_timestamp(civil).ok()?, self.zone)
            }
            _ => return None,
        };
        let mut here = civil;
        if self.days > 0 && self.dates == 0 {
            here = self.next_weekday(civil)?;
            start = zone::local_to_timestamp(zone, here, zone::Prefer::Any)?;
            offset = offset_at(start);
        }
        let span = &self.relative;
        if span.years != 0 || span.months != 0 || span.days != 0 {
            start = zone::local_to_timestamp(zone, self.moved_date(here)?, prefer)?;
            offset = offset_at(start);
        }
        if self.zones > 0 {
            start = timestamp(start.as_second() + i64::from(offset) - i64::from(self.zone), 0)?;
        }
        self.moved_time(start.as_second(), nanos)
    }

    fn hour_of_day(&self) -> Option<i64> {
        match (self.hours, self.hour) {
            (Hours::Of24, hour @ 0..24) | (Hours::Morning, hour @ 1..12) => Some(hour),
            (Hours::Morning, 12) => Some(0),
            (Hours::Afternoon, 12) => Some(12),
            (Hours::Afternoon, hour @ 1..12) => Some(hour + 12),
            _ => None,
        }
    }

    /// Two digits are of the years 1969 to 2068.
    fn full_year(&self) -> Option<i64> {
        let year = self.year.value;
        if year < 0 {
            return year.checked_neg();
        }
        if self.year.digits == 2 {
            return Some(year + if year < 69 { 2000 } else { 1900 });
        }
        Some(year)
    }

    /// The date of the weekday that was said.
    fn next_weekday(&self, civil: civil::DateTime) -> Option<civil::DateTime> {
        let today = i64::from(civil.weekday().to_sunday_zero_offset());
        let ordinal = self.day_ordinal - i64::from(self.day_ordinal > 0 && today != self.day_number);
        let days = ordinal
            .checked_mul(7)?
            .checked_add((self.day_number - today + 7) % 7)?;
        add_days(civil, days)
    }

    /// Years, months and days of the relative part; days that a month lacks run over into the next.
    fn moved_date(&self, civil: civil::DateTime) -> Option<civil::DateTime> {
        let span = &self.relative;
        let months = i64::from(civil.month() - 1).checked_add(span.months)?;
        let year = i64::from(civil.year())
            .checked_add(span.years)?
            .checked_add(months.div_euclid(12))?;
        let month = months.rem_euclid(12) + 1;
        let first = civil::Date::new(i16::try_from(year).ok()?, month as i8, 1).ok()?;
        let days = i64::from(civil.day() - 1).checked_add(span.days)?;
        add_days(civil::DateTime::from_parts(first, civil.time()), days)
    }

    fn moved_time(&self, start: i64, nanos: i64) -> Option<Timestamp> {
        let span = &self.relative;
        let nanos = nanos.checked_add(span.nanos)?;
        let seconds = start
            .checked_add(span.hours.checked_mul(3600)?)?
            .checked_add(span.minutes.checked_mul(60)?)?
            .checked_add(span.seconds)?
            .checked_add(nanos.div_euclid(1_000_000_000))?;
        timestamp(seconds, nanos.rem_euclid(1_000_000_000) as u32)
    }
}

fn timestamp(seconds: i64, nanos: u32) -> Option<Timestamp> {
    // jiff gives both parts one sign.
    if seconds < 0 && nanos > 0 {
        return Timestamp::new(seconds + 1, nanos as i32 - 1_000_000_000).ok();
    }
    Timestamp::new(seconds, nanos as i32).ok()
}

fn checked_civil(year: i64, month: i64, day: i64, time: (i64, i64, i64)) -> Option<civil::DateTime> {
    let date = civil::Date::new(
        i16::try_from(year).ok()?,
        i8::try_from(month).ok()?,
        i8::try_from(day).ok()?,
    )
    .ok()?;
    let (hour, minutes, seconds) = time;
    let time = civil::Time::new(
        i8::try_from(hour).ok()?,
        i8::try_from(minutes).ok()?,
        i8::try_from(seconds).ok()?,
        0,
    )
    .ok()?;
    Some(civil::DateTime::from_parts(date, time))
}

fn add_days(civil: civil::DateTime, days: i64) -> Option<civil::DateTime> {
    let span = jiff::Span::new().try_days(days).ok()?;
    civil.checked_add(span).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(text: &str, zone: &str) -> Option<i64> {
        let zone = zone::from_variable(Some(zone.as_bytes()));
        let now = Timestamp::from_second(1_709_210_096).ok()?; // 2024-02-29 12:34:56 UTC
        Some(parse(text.as_bytes(), now, &zone)?.as_second())
    }

    /// Every value was seen from `date -d` of coreutils 9.1 at that time.
    #[test]
    fn as_date_does() {
        for (text, expected) in [
            ("@5", 5),
            ("-1.5 sec +2 weeks", 1_710_419_694),
            ("12:15 p.m. fri", 1_709_295_300),
            ("wednes", 1_709_683_200),
            ("jan 5 2020 CEST", 1_578_175_200),
            ("", 1_709_164_800),
            ("monday 20210304", 1_614_816_000),
            ("Jun-17-1992 0", 708_739_200),
        ] {
            assert_eq!(seconds(text, "UTC"), Some(expected), "{text}");
        }
        assert_eq!(seconds("months", "America/New_York"), Some(1_711_715_696));
        assert_eq!(seconds("TZ=\"UTC\" 1970-01-01", "America/New_York"), Some(0));
    }

    #[test]
    fn invalid_dates() {
        for text in [
            "2020-02-30",
            "13pm",
            "24:00",
            "foo",
            "fri mon",
            "-05:30",
            "17 JUN 10:00",
            "T +0200",
            "12:60",
        ] {
            assert_eq!(seconds(text, "UTC"), None, "{text}");
        }
        assert_eq!(seconds("2020-03-08 02:30", "America/New_York"), None);
    }
}
