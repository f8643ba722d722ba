//! Bracket expressions of shell patterns: `[a-z]`, `[!…]`, `[[:alpha:]]`, `[[=a=]]`, `[[.-.]]`.
//!
//! The rules are those of bash's `BRACKMATCH`, oddities included: a backslash quotes inside brackets, a class that
//! does not exist matches nothing, a range that is backwards matches nothing, what is not closed is a literal
//! `[`, and a backslash or `-` that ends the pattern makes the whole expression match nothing.

use super::unit::{Units, fold};
use crate::text::class::Class;

/// A compiled bracket expression.
#[derive(Debug, Clone)]
pub struct CharSet {
    negated: bool,
    nocase: bool,
    /// Matches nothing whatever the items say.
    broken: bool,
    items: Vec<Item>,
    /// The answer for ASCII.
    ascii: u128,
}

#[derive(Debug, Clone, Copy)]
enum Item {
    Range(u32, u32),
    Class(Class),
}

/// What stands at a `[`.
pub enum Bracket {
    /// An expression, and the position after it.
    Set(CharSet, usize),
    /// Not closed: the `[` is literal.
    Literal,
}

impl CharSet {
    /// Whether the expression matches this unit.
    pub fn contains(&self, unit: u32) -> bool {
        if unit < 0x80 {
            self.ascii >> unit & 1 == 1
        } else {
            self.evaluate(unit)
        }
    }

    fn evaluate(&self, unit: u32) -> bool {
        if self.broken {
            return false;
        }
        let folded = if self.nocase { fold(unit) } else { unit };
        let found = self.items.iter().any(|item| match *item {
            Item::Range(first, last) => (first..=last).contains(&folded),
            // bash tests classes on the character as it is, even when it ignores case.
            Item::Class(class) => class.contains_unit(unit),
        });
        found != self.negated
    }

    fn finish(mut self) -> Self {
        let bits = (0..0x80)
            .filter(|&unit| self.evaluate(unit))
            .fold(0, |bits, unit| bits | 1_u128 << unit);
        self.ascii = bits;
        self
    }
}

/// Parses the expression whose `[` stands at `open`.
pub fn parse(text: &[u8], open: usize, nocase: bool, units: Units) -> Bracket {
    let mut parser = Parser {
        text,
        at: open + 1,
        nocase,
        units,
        items: Vec::new(),
        absent: Vec::new(),
    };
    let negated = matches!(text.get(open + 1), Some(b'!' | b'^'));
    if negated {
        parser.at += 1;
    }
    let end = parser.items();
    let set = CharSet {
        negated,
        nocase,
        broken: end == End::Broken,
        items: parser.items,
        ascii: 0,
    };
    match end {
        End::Unclosed => Bracket::Literal,
        End::Closed => Bracket::Set(set.finish(), parser.at),
        End::Broken => Bracket::Set(set.finish(), text.len()),
    }
}

#[derive(PartialEq, Eq)]
enum End {
    Closed,
    Unclosed,
    Broken,
}

struct Parser<'t> {
    text: &'t [u8],
    at: usize,
    nocase: bool,
    units: Units,
    items: Vec<Item>,
    /// Marks `: = .` for which no closing is left; keeps parsing linear.
    absent: Vec<u8>,
}

/// One end of a range, or a character alone.
enum Point {
    Unit(u32),
    /// A class, equivalence or collating symbol that cannot begin a range.
    Done,
    /// A collating symbol that does not exist.
    Unknown,
}

impl Parser<'_> {
    fn items(&mut self) -> End {
        let mut first = true;
        loop {
            match self.text.get(self.at) {
                None => return End::Unclosed,
                Some(b']') if !first => {
                    self.at += 1;
                    return End::Closed;
                }
                Some(_) => {}
            }
            first = false;
            let Some(start) = self.point(true) else {
                return End::Broken;
            };
            let start = match start {
                Point::Done => continue,
                Point::Unit(unit) => Some(unit),
                Point::Unknown => None,
            };
            if self.text.get(self.at) != Some(&b'-') || self.text.get(self.at + 1) == Some(&b']') {
                self.add(start, start);
                continue;
            }
            self.at += 1;
            match self.point(false) {
                None => return End::Broken,
                Some(Point::Unit(end)) => self.add(start, Some(end)),
                Some(_) => {}
            }
        }
    }

    fn add(&mut self, start: Option<u32>, end: Option<u32>) {
        let (Some(start), Some(end)) = (start, end) else {
            return;
        };
        let (start, end) = if self.nocase {
            (fold(start), fold(end))
        } else {
            (start, end)
        };
        if start <= end {
            self.items.push(Item::Range(start, end));
        }
    }

    /// The next character or symbol; `None` where the pattern ends too soon.
    fn point(&mut self, start: bool) -> Option<Point> {
        let (unit, length) = self.units.at(self.text, self.at)?;
        if unit == u32::from('[') {
            let kind = self.text.get(self.at + 1).copied();
            let special = match kind {
                Some(b':') if start => self.class(),
                Some(b'=') if start => self.equivalence(),
                Some(b'.') => self.symbol(),
                _ => None,
            };
            if let Some(point) = special {
                return Some(point);
            }
        }
        self.at += length;
        if unit != u32::from('\\') {
            return Some(Point::Unit(unit));
        }
        let (unit, length) = self.units.at(self.text, self.at)?;
        self.at += length;
        Some(Point::Unit(unit))
    }

    /// The text between `[x` and `x]`, and the position after.
    fn delimited(&mut self, mark: u8) -> Option<(Vec<u8>, usize)> {
        if self.absent.contains(&mark) {
            return None;
        }
        let from = self.at + 2;
        let rest = self.text.get(from..)?;
        let Some(length) = memchr::memmem::find(rest, &[mark, b']']) else {
            self.absent.push(mark);
            return None;
        };
        Some((rest.get(..length)?.to_vec(), from + length + 2))
    }

    fn class(&mut self) -> Option<Point> {
        let (name, end) = self.delimited(b':')?;
        if let Some(class) = Class::from_name(&super::unescape(&name)) {
            self.items.push(Item::Class(class));
        }
        self.at = end;
        Some(Point::Done)
    }

    /// `[=c=]`: in this locale only the character itself is equivalent.
    fn equivalence(&mut self) -> Option<Point> {
        let (unit, length) = self.units.at(self.text, self.at + 2)?;
        let end = self.at + 2 + length;
        if self.text.get(end..end + 2) != Some(b"=]") {
            return None;
        }
        self.add(Some(unit), Some(unit));
        self.at = end + 2;
        Some(Point::Done)
    }

    fn symbol(&mut self) -> Option<Point> {
        let (name, end) = self.delimited(b'.')?;
        let point = match self.units.at(&name, 0) {
            Some((unit, length)) if length == name.len() => Point::Unit(unit),
            _ => collating_symbol(&name).map_or(Point::Unknown, Point::Unit),
        };
        self.at = end;
        Some(point)
    }
}

/// The characters that POSIX names.
fn collating_symbol(name: &[u8]) -> Option<u32> {
    COLLATING_SYMBOLS
        .iter()
        .find(|(symbol, _)| symbol.as_bytes() == name)
        .map(|&(_, byte)| u32::from(byte))
}

#[rustfmt::skip]
const COLLATING_SYMBOLS: &[(&str, u8)] = &[
    ("NUL", 0), ("SOH", 1), ("STX", 2), ("ETX", 3), ("EOT", 4), ("ENQ", 5), ("ACK", 6), ("alert", 7), ("BS", 8),
    ("backspace", 8), ("HT", 9), ("tab", 9), ("LF", 10), ("newline", 10), ("VT", 11), ("vertical-tab", 11),
    ("FF", 12), ("form-feed", 12), ("CR", 13), ("carriage-return", 13), ("SO", 14), ("SI", 15), ("DLE", 16),
    ("DC1", 17), ("DC2", 18), ("DC3", 19), ("DC4", 20), ("NAK", 21), ("SYN", 22), ("ETB", 23), ("CAN", 24),
    ("EM", 25), ("SUB", 26), ("ESC", 27), ("IS4", 28), ("FS", 28), ("IS3", 29), ("GS", 29), ("IS2", 30),
    ("RS", 30), ("IS1", 31), ("US", 31), ("space", b' '), ("exclamation-mark", b'!'), ("quotation-mark", b'"'),
    ("number-sign", b'#'), ("dollar-sign", b'$'), ("percent-sign", b'%'), ("ampersand", b'&'),
    ("apostrophe", b'\''), ("left-parenthesis", b'('), ("right-parenthesis", b')'), ("asterisk", b'*'),
    ("plus-sign", b'+'), ("comma", b','), ("hyphen", b'-'), ("hyphen-minus", b'-'), ("minus", b'-'),
    ("dash", b'-'), ("period", b'.'), ("full-stop", b'.'), ("slash", b'/'), ("solidus", b'/'), ("zero", b'0'),
    ("one", b'1'), ("two", b'2'), ("three", b'3'), ("four", b'4'), ("five", b'5'), ("six", b'6'),
    ("seven", b'7'), ("eight", b'8'), ("nine", b'9'), ("colon", b':'), ("semicolon", b';'),
    ("less-than-sign", b'<'), ("equals-sign", b'='), ("greater-than-sign", b'>'), ("question-mark", b'?'),
    ("commercial-at", b'@'), ("left-square-bracket", b'['), ("backslash", b'\\'), ("reverse-solidus", b'\\'),
    ("right-square-bracket", b']'), ("circumflex", b'^'), ("circumflex-accent", b'^'), ("underscore", b'_'),
    ("grave-accent", b'`'), ("left-brace", b'{'), ("left-curly-bracket", b'{'), ("vertical-line", b'|'),
    ("right-brace", b'}'), ("right-curly-bracket", b'}'), ("tilde", b'~'), ("DEL", 127),
];
