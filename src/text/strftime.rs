//! `strftime` in the locale C.UTF-8: gnulib's (`date`, `ls`, `touch`, `stat`, `du`, `pr`) and glibc's (`printf '%(…)T'`, awk).
//!
//! A [`Moment`] is a broken-down time with its zone. gnulib adds `%N`, `%:z`, `%q` and padded signs to what both know: flags
//! `_ - 0 ^ #`, widths, and conversions copied as they are where unknown. Widths come from the input, so the caller names a limit.

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

/// Whose `strftime`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// The C library's.
    Glibc,
    /// That of coreutils.
    Gnulib,
}

/// A time broken down, as C's `struct tm` with nanoseconds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moment {
    /// Seconds since the epoch.
    pub seconds: i64,
    /// Nanoseconds, below 10^9.
    pub nanos: u32,
    /// The year, as people count it.
    pub year: i64,
    /// 1 to 12.
    pub month: u8,
    /// 1 to 31.
    pub day: u8,
    /// 0 to 23.
    pub hour: u8,
    /// 0 to 59.
    pub minute: u8,
    /// 0 to 59.
    pub second: u8,
    /// 0 is Sunday.
    pub weekday: u8,
    /// 0 is the first of January.
    pub year_day: u16,
    /// Seconds east of Greenwich.
    pub offset: i32,
    /// The abbreviation of the zone.
    pub zone: String,
}

const DAY: i64 = 86_400;

impl Moment {
    /// The time in a zone; `None` when its year does not fit a C `int`, as `localtime` fails.
    pub fn new(seconds: i64, nanos: u32, zone: &TimeZone) -> Option<Moment> {
        // What jiff cannot hold has the zone's rules of its first or last year.
        let known = seconds.clamp(Timestamp::MIN.as_second(), Timestamp::MAX.as_second());
        let info = zone.to_offset_info(Timestamp::from_second(known).ok()?);
        let offset = info.offset().seconds();
        let local = seconds.checked_add(i64::from(offset))?;
        let (days, second_of_day) = (local.div_euclid(DAY), local.rem_euclid(DAY));
        let (year, month, day) = civil(days);
        let fits = i32::try_from(year - 1900).is_ok();
        fits.then(|| Moment {
            seconds,
            nanos,
            year,
            month,
            day,
            hour: (second_of_day / 3600) as u8,
            minute: (second_of_day / 60 % 60) as u8,
            second: (second_of_day % 60) as u8,
            weekday: (days + 4).rem_euclid(7) as u8,
            year_day: (days - days_before(year)) as u16,
            offset,
            zone: info.abbreviation().to_owned(),
        })
    }

    /// The time of a jiff timestamp in a zone.
    pub fn from_timestamp(at: Timestamp, zone: &TimeZone) -> Option<Moment> {
        let since = at.duration_since(Timestamp::UNIX_EPOCH);
        let nanos = since.subsec_nanos().rem_euclid(1_000_000_000);
        let whole = since.checked_sub(SignedDuration::from_nanos(i64::from(nanos)))?;
        Moment::new(whole.as_secs(), nanos as u32, zone)
    }

    /// The year and week of ISO 8601.
    pub fn iso_week(&self) -> (i64, u8) {
        let weekday = i64::from((self.weekday + 6) % 7);
        // The week belongs to the year of its Thursday.
        let thursday = days_before(self.year) + i64::from(self.year_day) - weekday + 3;
        let (year, ..) = civil(thursday);
        (year, ((thursday - days_before(year)) / 7 + 1) as u8)
    }

    /// The week of the year when weeks begin on `first` (0 is Sunday); days before the first one are in week 0.
    fn week_from(&self, first: u8) -> i64 {
        let weekday = i64::from((self.weekday + 7 - first) % 7);
        (i64::from(self.year_day) - weekday + 7) / 7
    }
}

/// Days from the epoch to the first of January.
fn days_before(year: i64) -> i64 {
    let last = year - 1;
    last * 365 + last.div_euclid(4) - last.div_euclid(100) + last.div_euclid(400) - 719_162
}

/// Year, month and day of a day since the epoch.
fn civil(days: i64) -> (i64, u8, u8) {
    // Years are counted from March, so that the leap day is the last one.
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (
        year_of_era + era * 400 + i64::from(month <= 2),
        month as u8,
        day as u8,
    )
}

/// Full names; abbreviations are their first three letters.
const WEEKDAYS: [&str; 7] = [
    "Sunday",
    "Monday",
    "Tuesday",
    "Wednesday",
    "Thursday",
    "Friday",
    "Saturday",
];
const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// The text of a format; `None` when it would be longer than `limit` bytes.
pub fn strftime(format: &[u8], moment: &Moment, dialect: Dialect, limit: usize) -> Option<Vec<u8>> {
    let mut formatter = Formatter {
        moment,
        dialect,
        limit,
        out: Vec::new(),
    };
    formatter.format(format, Style::default())?;
    Some(formatter.out)
}

struct Formatter<'a> {
    moment: &'a Moment,
    dialect: Dialect,
    limit: usize,
    out: Vec<u8>,
}

/// The flags and width of a conversion.
#[derive(Debug, Clone, Copy, Default)]
struct Style {
    /// One of `_-0+`, or 0.
    pad: u8,
    /// What years take for `pad` inside of gnulib's `%D`.
    year_pad: u8,
    upper: bool,
    change_case: bool,
    width: Option<usize>,
}

/// A conversion as it stands in a format.
struct Conversion<'a> {
    style: Style,
    /// `E` or `O`, or 0.
    modifier: u8,
    colons: usize,
    letter: u8,
    /// From the `%` on.
    source: &'a [u8],
}

impl Conversion<'_> {
    fn is_alternative_number(&self) -> bool {
        match self.modifier {
            b'E' => b"CyY".contains(&self.letter),
            b'O' => b"deHImMSuUVwWy".contains(&self.letter),
            _ => false,
        }
    }
}

impl Formatter<'_> {
    fn format(&mut self, format: &[u8], inherited: Style) -> Option<()> {
        let mut rest = format;
        while let Some(at) = memchr::memchr(b'%', rest) {
            let (plain, directive) = rest.split_at_checked(at)?;
            self.push(plain)?;
            let conversion = self.read(directive, inherited);
            rest = directive.get(conversion.source.len()..)?;
            self.convert(&conversion)?;
        }
        self.push(rest)
    }

    fn read<'f>(&self, directive: &'f [u8], inherited: Style) -> Conversion<'f> {
        let mut style = inherited;
        let mut at = 1;
        while let Some(&byte) = directive.get(at) {
            match byte {
                b'+' if self.dialect == Dialect::Glibc => break,
                b'_' | b'-' | b'0' | b'+' => style.pad = byte,
                b'^' => style.upper = true,
                b'#' => style.change_case = true,
                _ => break,
            }
            at += 1;
        }
        let (width, digits) = super::format::leading_number(directive.get(at..).unwrap_or_default());
        if digits > 0 {
            style.width = Some(width);
        }
        at += digits;
        let modifier = directive
            .get(at)
            .copied()
            .filter(|byte| matches!(byte, b'E' | b'O'))
            .unwrap_or(0);
        at += usize::from(modifier != 0);
        let mut colons = 0;
        if self.dialect == Dialect::Gnulib {
            let tail = directive.get(at..).unwrap_or_default();
            colons = tail.iter().take_while(|&&byte| byte == b':').count();
            if tail.get(colons) != Some(&b'z') || colons > 3 {
                colons = 0;
            }
        }
        at += colons;
        let mut letter = directive.get(at).copied().unwrap_or(0);
        if letter == b'%' && at > 1 && self.dialect == Dialect::Gnulib {
            // A percent sign takes no flags: what came before is copied, and it begins the next conversion.
            at -= 1;
            letter = 0;
        }
        let source = directive.get(..=at).unwrap_or(directive);
        Conversion {
            style,
            modifier,
            colons,
            letter,
            source,
        }
    }

    fn push(&mut self, text: &[u8]) -> Option<()> {
        if self.out.len() + text.len() > self.limit {
            return None;
        }
        self.out.extend_from_slice(text);
        Some(())
    }

    fn fill(&mut self, style: Style, count: usize) -> Option<()> {
        if count > self.limit {
            return None;
        }
        let byte = if matches!(style.pad, b'0' | b'+') {
            b'0'
        } else {
            b' '
        };
        self.push(&vec![byte; count])
    }

    /// A text, padded on the left up to the width.
    fn text(&mut self, style: Style, text: &[u8]) -> Option<()> {
        let width = style
            .width
            .filter(|_| style.pad != b'-' || self.dialect == Dialect::Glibc)
            .unwrap_or(0);
        self.fill(style, width.saturating_sub(text.len()))?;
        if style.upper {
            self.push(&text.to_ascii_uppercase())
        } else {
            self.push(text)
        }
    }

    /// Names turn to upper case with `#`.
    fn name(&mut self, style: Style, text: &str) -> Option<()> {
        self.text(
            Style {
                upper: style.upper || style.change_case,
                ..style
            },
            text.as_bytes(),
        )
    }

    /// A text that turns to lower case with `#`.
    fn lower_name(&mut self, style: Style, text: &str) -> Option<()> {
        if style.change_case {
            return self.text(
                Style {
                    upper: false,
                    ..style
                },
                text.to_ascii_lowercase().as_bytes(),
            );
        }
        self.text(style, text.as_bytes())
    }

    fn number(&mut self, style: Style, digits: usize, value: i64) -> Option<()> {
        self.signed(
            style,
            digits,
            value < 0,
            false,
            value.unsigned_abs().to_string().as_bytes(),
        )
    }

    fn space_padded(&mut self, style: Style, value: u8) -> Option<()> {
        let pad = if style.pad == 0 { b'_' } else { style.pad };
        self.number(Style { pad, ..style }, 2, i64::from(value))
    }

    /// A number with its sign; `digits` is the least width of its own.
    fn signed(&mut self, style: Style, digits: usize, negative: bool, plus: bool, text: &[u8]) -> Option<()> {
        let pad = if style.pad == 0 { b'0' } else { style.pad };
        let least = if self.dialect == Dialect::Glibc && pad != b'-' {
            digits
        } else {
            0
        };
        let width = style.width.unwrap_or(digits).max(least);
        let sign: &[u8] = if negative {
            b"-"
        } else if plus {
            b"+"
        } else {
            b""
        };
        let shortage = width.saturating_sub(sign.len() + text.len());
        // In glibc a width counts in spite of `-`, and pads with blanks.
        let blank = pad == b'-' && style.width.is_some() && self.dialect == Dialect::Glibc;
        let padding = if pad == b'-' && !blank { 0 } else { shortage };
        let style = Style { pad, ..style };
        if pad == b'_' || blank {
            self.fill(style, padding)?;
            self.push(sign)?;
        } else {
            self.push(sign)?;
            self.fill(style, padding)?;
        }
        self.push(text)
    }

    /// `%Y %C %G %y %g`: the flag `+` shows a sign where there are more digits than usual.
    fn yearish(&mut self, style: Style, digits: usize, value: i64, negative: bool) -> Option<()> {
        let pad = if style.pad == 0 { style.year_pad } else { style.pad };
        let style = Style { pad, ..style };
        if self.dialect == Dialect::Glibc {
            return self.number(style, if digits == 4 { 1 } else { digits }, value);
        }
        let usual = if digits == 2 { 99 } else { 9999 };
        let wide = style.width.is_some_and(|width| width > digits);
        let plus = style.pad == b'+' && (value.abs() > usual || wide);
        self.signed(
            style,
            digits,
            negative,
            plus,
            value.unsigned_abs().to_string().as_bytes(),
        )
    }

    fn convert(&mut self, conversion: &Conversion) -> Option<()> {
        let (style, moment) = (conversion.style, self.moment);
        let gnulib = self.dialect == Dialect::Gnulib;
        if !self.takes_modifier(conversion.modifier, conversion.letter) {
            return self.text(style, conversion.source);
        }
        if gnulib && conversion.is_alternative_number() {
            return self.alternative_number(conversion);
        }
        let (iso_year, iso_week) = moment.iso_week();
        let hour12 = (moment.hour + 11) % 12 + 1;
        match conversion.letter {
            b'a' => self.name(style, abbreviation(&WEEKDAYS, moment.weekday)),
            b'A' => self.name(style, full_name(&WEEKDAYS, moment.weekday)),
            b'b' | b'h' => self.name(style, abbreviation(&MONTHS, moment.month - 1)),
            b'B' => self.name(style, full_name(&MONTHS, moment.month - 1)),
            b'c' => self.by_library(style, b"%a %b %e %H:%M:%S %Y"),
            b'C' => self.century(style),
            b'd' => self.number(style, 2, i64::from(moment.day)),
            b'D' => self.nested(style, b"%m/%d/%y"),
            b'e' => self.space_padded(style, moment.day),
            b'F' if gnulib => self.iso_date(style),
            b'F' => self.nested(style, b"%Y-%m-%d"),
            b'g' => self.year_of_century(style, iso_year),
            b'G' => self.yearish(style, 4, iso_year, iso_year < 0),
            b'H' => self.number(style, 2, i64::from(moment.hour)),
            b'I' => self.number(style, 2, i64::from(hour12)),
            b'j' => self.number(style, 3, i64::from(moment.year_day) + 1),
            b'k' => self.space_padded(style, moment.hour),
            b'l' => self.space_padded(style, hour12),
            b'm' => self.number(style, 2, i64::from(moment.month)),
            b'M' => self.number(style, 2, i64::from(moment.minute)),
            b'n' => self.text(style, b"\n"),
            b'N' if gnulib => self.nanoseconds(style),
            b'p' => self.lower_name(style, if moment.hour < 12 { "AM" } else { "PM" }),
            b'P' => self.text(
                Style {
                    upper: false,
                    ..style
                },
                if moment.hour < 12 { b"am" } else { b"pm" },
            ),
            b'q' if gnulib => self.number(style, 1, i64::from((moment.month - 1) / 3) + 1),
            b'r' => self.nested(style, b"%I:%M:%S %p"),
            b'R' => self.nested(style, b"%H:%M"),
            b's' if gnulib => self.number(style, 1, moment.seconds),
            b's' => self.text(style, moment.seconds.to_string().as_bytes()),
            b'S' => self.number(style, 2, i64::from(moment.second)),
            b't' => self.text(style, b"\t"),
            b'T' | b'X' => self.nested(style, b"%H:%M:%S"),
            b'u' => self.number(style, 1, i64::from((moment.weekday + 6) % 7) + 1),
            b'U' => self.number(style, 2, moment.week_from(0)),
            b'V' => self.number(style, 2, i64::from(iso_week)),
            b'w' => self.number(style, 1, i64::from(moment.weekday)),
            b'W' => self.number(style, 2, moment.week_from(1)),
            b'x' => self.by_library(style, b"%m/%d/%y"),
            b'y' => self.year_of_century(style, moment.year),
            b'Y' => self.yearish(style, 4, moment.year, moment.year < 0),
            b'z' => self.offset(style, conversion.colons),
            b'Z' => self.lower_name(style, &moment.zone),
            b'%' => self.text(style, b"%"),
            _ => self.text(style, conversion.source),
        }
    }

    /// Which conversions go with `%E` and `%O`.
    fn takes_modifier(&self, modifier: u8, letter: u8) -> bool {
        let refused: &[u8] = match modifier {
            b'E' => b"aAbBdDeFgGhHIjklmMNSUVwW",
            b'O' => b"aAcDFqxXY",
            _ => return true,
        };
        let percent = letter == b'%' && self.dialect == Dialect::Gnulib;
        !percent && !refused.contains(&letter)
    }

    /// gnulib leaves `%Od` and `%Ey` to the C library and pads what that writes as a text.
    fn alternative_number(&mut self, conversion: &Conversion) -> Option<()> {
        self.by_library(conversion.style, &[b'%', conversion.letter])
    }

    /// What gnulib leaves to the C library.
    fn by_library(&mut self, style: Style, format: &[u8]) -> Option<()> {
        let mut formatter = Formatter {
            out: Vec::new(),
            dialect: Dialect::Glibc,
            ..*self
        };
        formatter.format(format, Style::default())?;
        let text = formatter.out;
        self.text(style, &text)
    }

    /// glibc pads the sign and the digits to the width, each for itself.
    fn glibc_offset(&mut self, style: Style) -> Option<()> {
        let offset = self.moment.offset;
        self.text(style, if offset < 0 { b"-" } else { b"+" })?;
        let total = i64::from(offset.unsigned_abs());
        self.number(style, 4, total / 3600 * 100 + total / 60 % 60)
    }

    /// A conversion that stands for a format; it is padded as a whole.
    fn nested(&mut self, style: Style, format: &[u8]) -> Option<()> {
        let inner = Style {
            upper: style.upper,
            year_pad: if self.dialect == Dialect::Gnulib {
                style.pad
            } else {
                0
            },
            ..Style::default()
        };
        let mut formatter = Formatter {
            out: Vec::new(),
            ..*self
        };
        formatter.format(format, inner)?;
        let text = formatter.out;
        self.text(style, &text)
    }

    /// `%F`: with the sign and width that the year may have.
    fn iso_date(&mut self, style: Style) -> Option<()> {
        let (pad, width) = match style.width {
            None if style.pad == 0 => (b'+', 4),
            width => (style.pad, width.unwrap_or(0).saturating_sub(6)),
        };
        let year = Style {
            pad,
            width: Some(width),
            ..style
        };
        let mut formatter = Formatter {
            out: Vec::new(),
            ..*self
        };
        formatter.yearish(year, 4, self.moment.year, self.moment.year < 0)?;
        formatter.format(b"-%m-%d", Style::default())?;
        let text = formatter.out;
        self.text(style, &text)
    }

    fn century(&mut self, style: Style) -> Option<()> {
        let year = self.moment.year;
        match self.dialect {
            Dialect::Glibc => self.number(style, 1, year.div_euclid(100)),
            // Towards zero, but -0 for the years before 0.
            Dialect::Gnulib => self.yearish(style, 2, year / 100, year < 0),
        }
    }

    /// `%y`: for gnulib, of the year without its sign.
    fn year_of_century(&mut self, style: Style, year: i64) -> Option<()> {
        match self.dialect {
            Dialect::Glibc => self.yearish(style, 2, year.rem_euclid(100), false),
            Dialect::Gnulib => self.yearish(style, 2, year.abs() % 100, false),
        }
    }

    /// `%N`: the width cuts digits; what is missing is filled on the right.
    fn nanoseconds(&mut self, style: Style) -> Option<()> {
        let width = style.width.filter(|&width| width > 0).unwrap_or(9);
        let digits = format!("{:09}", self.moment.nanos);
        let kept = digits
            .get(..width.min(9))
            .unwrap_or(&digits)
            .trim_end_matches('0');
        let kept = if kept.is_empty() { "0" } else { kept };
        self.push(kept.as_bytes())?;
        let pad = if style.pad == 0 { b'0' } else { style.pad };
        if pad == b'-' {
            return Some(());
        }
        self.fill(Style { pad, ..style }, width - kept.len())
    }

    /// `%z` with colons.
    fn offset(&mut self, style: Style, colons: usize) -> Option<()> {
        let offset = self.moment.offset;
        if self.dialect == Dialect::Glibc {
            return self.glibc_offset(style);
        }
        let negative = offset < 0 || (offset == 0 && self.moment.zone.starts_with('-'));
        let total = offset.unsigned_abs();
        let (hours, minutes, seconds) = (total / 3600, total / 60 % 60, total % 60);
        let colons = match colons {
            3 if seconds != 0 => 2,
            3 if minutes != 0 => 1,
            colons => colons,
        };
        let (width, text) = match colons {
            0 => (5, (hours * 100 + minutes).to_string()),
            1 => (6, format!("{hours}:{minutes:02}")),
            2 => (9, format!("{hours}:{minutes:02}:{seconds:02}")),
            _ => (3, hours.to_string()),
        };
        self.signed(style, width, negative, true, text.as_bytes())
    }
}

fn full_name<const N: usize>(names: &[&'static str; N], index: u8) -> &'static str {
    names.get(usize::from(index)).copied().unwrap_or("?")
}

fn abbreviation<const N: usize>(names: &[&'static str; N], index: u8) -> &'static str {
    let name = full_name(names, index);
    name.get(..3).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64, nanos: u32, zone: &str) -> Moment {
        let zone = crate::text::zone::from_variable(Some(zone.as_bytes()));
        Moment::new(seconds, nanos, &zone).unwrap()
    }

    fn gnu(format: &str, moment: &Moment) -> String {
        String::from_utf8(strftime(format.as_bytes(), moment, Dialect::Gnulib, 1000).unwrap()).unwrap()
    }

    #[test]
    fn as_date_prints() {
        let moment = at(1_000_000_000, 120_000_000, "Asia/Kolkata");
        assert_eq!(
            gnu("%c|%r|%F|%D|%j|%U %V %W %G-%g|%q", &moment),
            "Sun Sep  9 07:16:40 2001|07:16:40 AM|2001-09-09|09/09/01|252|36 36 36 2001-01|3"
        );
        assert_eq!(
            gnu("%N|%3N|%-N|%12N|%_N", &moment),
            "120000000|120|12|120000000000|12       "
        );
        assert_eq!(
            gnu("%z %:z %::z %:::z %_z %-z %10z", &moment),
            "+0530 +05:30 +05:30:00 +05:30  +530 +530 +000000530"
        );
        assert_eq!(
            gnu("%^a %#Z %#p %P %10A|%-10A|%010a|%_d %-d %e %k %l", &moment),
            "SUN ist am am     Sunday|Sunday|0000000Sun| 9 9  9  7  7"
        );
        assert_eq!(gnu("%Q %5Q %E %Ey %Od %Ed %", &moment), "%Q   %5Q %E 01 09 %Ed %");
        assert_eq!(
            gnu("%s %C %10Y %+6Y %12F", &moment),
            "1000000000 20 0000002001 +02001 002001-09-09"
        );
    }

    #[test]
    fn far_years() {
        assert_eq!(
            gnu("%Y %F %C %y %G", &at(999_999_999_999, 0, "UTC")),
            "33658 +33658-09-27 336 58 33658"
        );
        let early = at(-62_200_000_000, 0, "UTC");
        assert_eq!(
            gnu("%Y %C %y %F %G %g %_Y %-Y %+Y %5Y", &early),
            "-002 -0 02 -002-12-17 -002 02   -2 -2 -002 -0002"
        );
        let glibc = strftime(b"%F %Y %C %y %G", &early, Dialect::Glibc, 100).unwrap();
        assert_eq!(glibc, b"-2-12-17 -2 -1 98 -2");
        assert!(Moment::new(99_999_999_999_999_999, 0, &TimeZone::UTC).is_none());
    }

    #[test]
    fn as_the_c_library_prints() {
        let moment = at(0, 0, "America/New_York");
        let glibc = |format: &str| {
            String::from_utf8(strftime(format.as_bytes(), &moment, Dialect::Glibc, 1000).unwrap()).unwrap()
        };
        assert_eq!(
            glibc("%N %:z %q %+6Y|%10z|%_10z|%010z|%-5d"),
            "%N %:z %q %+6Y|         -0000000500|         -       500|000000000-0000000500|   31"
        );
        assert_eq!(glibc("%(%5|%Es %Oz %EF %OY %OC"), "%(  %5|0 -0500 %EF %OY 19");
    }
}
