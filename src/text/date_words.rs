//! The words of date strings: the scanner of gnulib's `parse-datetime`, with its tables of names.

/// An integer as it was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Number {
    /// A `-` stood before it.
    pub negative: bool,
    pub value: i64,
    /// How many digits it had.
    pub digits: usize,
}

/// What a relative time counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    Year,
    Month,
    /// Days, of which the unit has so many.
    Days(i64),
    Hour,
    Minute,
    Second,
}

/// A token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token {
    Unsigned(Number),
    Signed(Number),
    /// Seconds and nanoseconds; `signed`: with a sign before.
    Decimal {
        seconds: i64,
        nanos: u32,
        signed: bool,
    },
    /// `am` or `pm`.
    Meridian {
        afternoon: bool,
    },
    Month(i64),
    Weekday(i64),
    /// Seconds east of Greenwich.
    Zone(i32),
    /// The same, one hour on for daylight saving.
    DaylightZone(i32),
    /// A name of the local zone.
    LocalZone {
        daylight: bool,
    },
    Dst,
    /// The letter `T`: between date and time, or a military zone.
    T,
    Unit(Unit),
    /// `next`, `last`, `third`.
    Ordinal(i64),
    /// `tomorrow`, `today`.
    DayShift(i64),
    /// `ago`, `hence`.
    Ago(i64),
    Character(u8),
}

/// Abbreviations of the local zone, with whether they mean daylight saving.
pub(super) type LocalNames = [(String, bool)];

/// Splits a date string; `None` when it has a word that means nothing or a number too large.
pub(super) fn scan(text: &[u8], local: &LocalNames) -> Option<Vec<Token>> {
    let mut tokens = Vec::new();
    let mut rest = text;
    loop {
        rest = rest.trim_ascii_start();
        rest = rest.strip_prefix(b"\x0b").unwrap_or(rest);
        let Some(&first) = rest.first() else {
            return Some(tokens);
        };
        match first {
            b'0'..=b'9' => rest = number(rest, None, &mut tokens)?,
            b'+' | b'-' => {
                let after = rest.get(1..).unwrap_or_default().trim_ascii_start();
                rest = match after.first() {
                    Some(b'0'..=b'9') => number(after, Some(first == b'-'), &mut tokens)?,
                    // A sign before anything else is skipped.
                    _ => after,
                };
            }
            b'a'..=b'z' | b'A'..=b'Z' => {
                let length = rest
                    .iter()
                    .take_while(|byte| byte.is_ascii_alphabetic() || **byte == b'.')
                    .count();
                let (word, after) = rest.split_at_checked(length)?;
                tokens.push(look_up(word, local)?);
                rest = after;
            }
            b'(' => match comment(rest) {
                Some(after) => rest = after,
                None => return Some(tokens),
            },
            b'\x0b' => rest = rest.get(1..).unwrap_or_default(),
            _ => {
                tokens.push(Token::Character(first));
                rest = rest.get(1..).unwrap_or_default();
            }
        }
    }
}

/// What follows a parenthesis and all in it; `None` when it is not closed.
fn comment(text: &[u8]) -> Option<&[u8]> {
    let mut depth = 0_usize;
    for (index, byte) in text.iter().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return text.get(index + 1..);
        }
    }
    None
}

fn number<'a>(text: &'a [u8], sign: Option<bool>, tokens: &mut Vec<Token>) -> Option<&'a [u8]> {
    let negative = sign == Some(true);
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (integer, rest) = text.split_at_checked(digits)?;
    let mut value = 0_i64;
    for digit in integer {
        let digit = i64::from(digit - b'0');
        value = value
            .checked_mul(10)?
            .checked_add(if negative { -digit } else { digit })?;
    }
    if let [b'.' | b',', fraction @ ..] = rest
        && fraction.first().is_some_and(u8::is_ascii_digit)
    {
        let length = fraction.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (fraction, rest) = fraction.split_at_checked(length)?;
        let (seconds, nanos) = with_fraction(value, negative, fraction)?;
        tokens.push(Token::Decimal {
            seconds,
            nanos,
            signed: sign.is_some(),
        });
        return Some(rest);
    }
    let number = Number {
        negative,
        value,
        digits,
    };
    tokens.push(if sign.is_some() {
        Token::Signed(number)
    } else {
        Token::Unsigned(number)
    });
    Some(rest)
}

/// Nanoseconds are rounded down and never negative.
fn with_fraction(seconds: i64, negative: bool, fraction: &[u8]) -> Option<(i64, u32)> {
    let digit = |index: usize| u32::from(fraction.get(index).map_or(0, |digit| digit - b'0'));
    let mut nanos = (0..9).fold(0, |nanos, index| nanos * 10 + digit(index));
    if !negative {
        return Some((seconds, nanos));
    }
    let excess = fraction.get(9..).unwrap_or_default();
    if excess.iter().any(|digit| *digit != b'0') {
        nanos += 1;
    }
    if nanos == 0 {
        return Some((seconds, 0));
    }
    Some((seconds.checked_sub(1)?, 1_000_000_000 - nanos))
}

const MONTHS_AND_DAYS: &[(&[u8], Token)] = &[
    (b"JANUARY", Token::Month(1)),
    (b"FEBRUARY", Token::Month(2)),
    (b"MARCH", Token::Month(3)),
    (b"APRIL", Token::Month(4)),
    (b"MAY", Token::Month(5)),
    (b"JUNE", Token::Month(6)),
    (b"JULY", Token::Month(7)),
    (b"AUGUST", Token::Month(8)),
    (b"SEPTEMBER", Token::Month(9)),
    (b"SEPT", Token::Month(9)),
    (b"OCTOBER", Token::Month(10)),
    (b"NOVEMBER", Token::Month(11)),
    (b"DECEMBER", Token::Month(12)),
    (b"SUNDAY", Token::Weekday(0)),
    (b"MONDAY", Token::Weekday(1)),
    (b"TUESDAY", Token::Weekday(2)),
    (b"TUES", Token::Weekday(2)),
    (b"WEDNESDAY", Token::Weekday(3)),
    (b"WEDNES", Token::Weekday(3)),
    (b"THURSDAY", Token::Weekday(4)),
    (b"THUR", Token::Weekday(4)),
    (b"THURS", Token::Weekday(4)),
    (b"FRIDAY", Token::Weekday(5)),
    (b"SATURDAY", Token::Weekday(6)),
];

const UNITS: &[(&[u8], Unit)] = &[
    (b"YEAR", Unit::Year),
    (b"MONTH", Unit::Month),
    (b"FORTNIGHT", Unit::Days(14)),
    (b"WEEK", Unit::Days(7)),
    (b"DAY", Unit::Days(1)),
    (b"HOUR", Unit::Hour),
    (b"MINUTE", Unit::Minute),
    (b"MIN", Unit::Minute),
    (b"SECOND", Unit::Second),
    (b"SEC", Unit::Second),
];

const RELATIVE: &[(&[u8], Token)] = &[
    (b"TOMORROW", Token::DayShift(1)),
    (b"YESTERDAY", Token::DayShift(-1)),
    (b"TODAY", Token::DayShift(0)),
    (b"NOW", Token::DayShift(0)),
    (b"LAST", Token::Ordinal(-1)),
    (b"THIS", Token::Ordinal(0)),
    (b"NEXT", Token::Ordinal(1)),
    (b"FIRST", Token::Ordinal(1)),
    // "second" is the unit.
    (b"THIRD", Token::Ordinal(3)),
    (b"FOURTH", Token::Ordinal(4)),
    (b"FIFTH", Token::Ordinal(5)),
    (b"SIXTH", Token::Ordinal(6)),
    (b"SEVENTH", Token::Ordinal(7)),
    (b"EIGHTH", Token::Ordinal(8)),
    (b"NINTH", Token::Ordinal(9)),
    (b"TENTH", Token::Ordinal(10)),
    (b"ELEVENTH", Token::Ordinal(11)),
    (b"TWELFTH", Token::Ordinal(12)),
    (b"AGO", Token::Ago(-1)),
    (b"HENCE", Token::Ago(1)),
];

/// A zone some minutes east of Greenwich.
const fn zone(minutes: i32) -> Token {
    Token::Zone(minutes * 60)
}

/// The daylight saving time of a zone that is some minutes east of Greenwich.
const fn daylight(minutes: i32) -> Token {
    Token::DaylightZone((minutes + 60) * 60)
}

const UNIVERSAL: &[(&[u8], Token)] = &[(b"GMT", zone(0)), (b"UT", zone(0)), (b"UTC", zone(0))];

const ZONES: &[(&[u8], Token)] = &[
    (b"WET", zone(0)),
    (b"WEST", daylight(0)),
    (b"BST", daylight(0)),
    (b"ART", zone(-180)),
    (b"BRT", zone(-180)),
    (b"BRST", daylight(-180)),
    (b"NST", zone(-210)),
    (b"NDT", daylight(-210)),
    (b"AST", zone(-240)),
    (b"ADT", daylight(-240)),
    (b"CLT", zone(-240)),
    (b"CLST", daylight(-240)),
    (b"EST", zone(-300)),
    (b"EDT", daylight(-300)),
    (b"CST", zone(-360)),
    (b"CDT", daylight(-360)),
    (b"MST", zone(-420)),
    (b"MDT", daylight(-420)),
    (b"PST", zone(-480)),
    (b"PDT", daylight(-480)),
    (b"AKST", zone(-540)),
    (b"AKDT", daylight(-540)),
    (b"HST", zone(-600)),
    (b"HAST", zone(-600)),
    (b"HADT", daylight(-600)),
    (b"SST", zone(-720)),
    (b"WAT", zone(60)),
    (b"CET", zone(60)),
    (b"CEST", daylight(60)),
    (b"MET", zone(60)),
    (b"MEZ", zone(60)),
    (b"MEST", daylight(60)),
    (b"MESZ", daylight(60)),
    (b"EET", zone(120)),
    (b"EEST", daylight(120)),
    (b"CAT", zone(120)),
    (b"SAST", zone(120)),
    (b"EAT", zone(180)),
    (b"MSK", zone(180)),
    (b"MSD", daylight(180)),
    (b"IST", zone(330)),
    (b"SGT", zone(480)),
    (b"KST", zone(540)),
    (b"JST", zone(540)),
    (b"GST", zone(600)),
    (b"NZST", zone(720)),
    (b"NZDT", daylight(720)),
];

/// Longest word that is looked at.
const WORD_MAX: usize = 19;

fn look_up(word: &[u8], local: &LocalNames) -> Option<Token> {
    let word = word.get(..WORD_MAX).unwrap_or(word).to_ascii_uppercase();
    let exact = |table: &[(&[u8], Token)], word: &[u8]| {
        table
            .iter()
            .find(|(name, _)| *name == word)
            .map(|(_, token)| *token)
    };
    match word.as_slice() {
        b"AM" | b"A.M." => return Some(Token::Meridian { afternoon: false }),
        b"PM" | b"P.M." => return Some(Token::Meridian { afternoon: true }),
        _ => {}
    }
    let abbreviated = word.len() == 3 || (word.len() == 4 && word.ends_with(b"."));
    let month_or_day = MONTHS_AND_DAYS.iter().find(|(name, _)| {
        if abbreviated {
            name.get(..3) == word.get(..3)
        } else {
            *name == word
        }
    });
    if let Some((_, token)) = month_or_day {
        return Some(*token);
    }
    zone_name(&word, local)
        .or_else(|| (word == b"DST").then_some(Token::Dst))
        .or_else(|| unit_name(&word))
        .or_else(|| word.strip_suffix(b"S").and_then(unit_name))
        .or_else(|| exact(RELATIVE, &word))
        .or_else(|| military(&word))
        .or_else(|| {
            let bare: Vec<u8> = word.iter().copied().filter(|byte| *byte != b'.').collect();
            if bare.len() == word.len() {
                None
            } else {
                zone_name(&bare, local)
            }
        })
}

fn unit_name(word: &[u8]) -> Option<Token> {
    UNITS
        .iter()
        .find(|(name, _)| *name == word)
        .map(|(_, unit)| Token::Unit(*unit))
}

fn zone_name(word: &[u8], local: &LocalNames) -> Option<Token> {
    let find = |table: &[(&[u8], Token)]| {
        table
            .iter()
            .find(|(name, _)| *name == word)
            .map(|(_, token)| *token)
    };
    let local_name = || {
        local
            .iter()
            .find(|(name, _)| name.as_bytes() == word)
            .map(|(_, daylight)| Token::LocalZone { daylight: *daylight })
    };
    find(UNIVERSAL).or_else(local_name).or_else(|| find(ZONES))
}

fn military(word: &[u8]) -> Option<Token> {
    let [letter] = word else { return None };
    let hours = match letter {
        b'A'..=b'I' => i32::from(letter - b'A') + 1,
        b'K'..=b'M' => i32::from(letter - b'K') + 10,
        b'N'..=b'S' | b'U'..=b'Y' => -(i32::from(letter - b'N') + 1),
        b'T' => return Some(Token::T),
        b'Z' => 0,
        _ => return None,
    };
    Some(zone(hours * 60))
}
