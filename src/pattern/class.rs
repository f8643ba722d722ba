//! The POSIX character classes, as the GNU C library defines them in `C.UTF-8`.
//!
//! Checked against `iswctype` for every code point (2.36): classes follow its Unicode 15, upper and lower case
//! follow `char`, which is a little newer.

use super::class_table::{ALPHA, GRAPH};

/// A character class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Class {
    /// `[:alnum:]`
    Alnum,
    /// `[:alpha:]`
    Alpha,
    /// `[:ascii:]`: bash only.
    Ascii,
    /// `[:blank:]`
    Blank,
    /// `[:cntrl:]`
    Cntrl,
    /// `[:digit:]`
    Digit,
    /// `[:graph:]`
    Graph,
    /// `[:lower:]`
    Lower,
    /// `[:print:]`
    Print,
    /// `[:punct:]`
    Punct,
    /// `[:space:]`
    Space,
    /// `[:upper:]`
    Upper,
    /// `[:word:]`: bash only; alphanumeric or `_`.
    Word,
    /// `[:xdigit:]`
    Xdigit,
}

impl Class {
    /// The class of this name; `ascii` and `word`, which only bash knows, too.
    pub fn from_name(name: &[u8]) -> Option<Self> {
        Some(match name {
            b"alnum" => Self::Alnum,
            b"alpha" => Self::Alpha,
            b"ascii" => Self::Ascii,
            b"blank" => Self::Blank,
            b"cntrl" => Self::Cntrl,
            b"digit" => Self::Digit,
            b"graph" => Self::Graph,
            b"lower" => Self::Lower,
            b"print" => Self::Print,
            b"punct" => Self::Punct,
            b"space" => Self::Space,
            b"upper" => Self::Upper,
            b"word" => Self::Word,
            b"xdigit" => Self::Xdigit,
            _ => return None,
        })
    }

    /// Whether the character is in the class. Units that are no character are in none.
    pub fn contains(self, unit: u32) -> bool {
        let Some(c) = char::from_u32(unit) else {
            return false;
        };
        match self {
            Self::Ascii => c.is_ascii(),
            Self::Digit => c.is_ascii_digit(),
            Self::Xdigit => c.is_ascii_hexdigit(),
            Self::Alpha => is_alpha(c),
            Self::Alnum => is_alpha(c) || c.is_ascii_digit(),
            Self::Word => is_alpha(c) || c.is_ascii_digit() || c == '_',
            Self::Graph => is_graph(c),
            Self::Punct => is_graph(c) && !is_alpha(c) && !c.is_ascii_digit(),
            Self::Print => is_graph(c) || is_blank_separator(c),
            Self::Space => is_space(c),
            Self::Blank => c == '\t' || is_blank_separator(c),
            Self::Cntrl => c.is_control() || matches!(c, '\u{2028}' | '\u{2029}'),
            Self::Upper => c.is_uppercase() || is_title(c),
            Self::Lower => c.is_lowercase() || matches!(c, '\u{1c5}' | '\u{1c8}' | '\u{1cb}' | '\u{1f2}'),
        }
    }
}

fn is_alpha(c: char) -> bool {
    if c.is_ascii() {
        c.is_ascii_alphabetic()
    } else {
        in_table(ALPHA, u32::from(c))
    }
}

fn is_graph(c: char) -> bool {
    if c.is_ascii() {
        c.is_ascii_graphic()
    } else {
        in_table(GRAPH, u32::from(c))
    }
}

/// White space but the spaces that must not break, which count as graphic.
fn is_space(c: char) -> bool {
    if c.is_ascii() {
        return matches!(c, '\t'..='\r' | ' ');
    }
    c.is_whitespace() && !matches!(c, '\u{85}' | '\u{a0}' | '\u{2007}' | '\u{202f}')
}

/// White space that stays on the line and is no control character.
fn is_blank_separator(c: char) -> bool {
    is_space(c) && !matches!(c, '\t'..='\r' | '\u{2028}' | '\u{2029}')
}

/// Title case letters count as upper case.
fn is_title(c: char) -> bool {
    matches!(c, '\u{1c5}' | '\u{1c8}' | '\u{1cb}' | '\u{1f2}' | '\u{1f88}'..='\u{1f8f}' | '\u{1f98}'..='\u{1f9f}'
        | '\u{1fa8}'..='\u{1faf}' | '\u{1fbc}' | '\u{1fcc}' | '\u{1ffc}')
}

fn in_table(table: &[(u32, u32)], unit: u32) -> bool {
    let after = table.partition_point(|&(first, _)| first <= unit);
    table
        .get(after.wrapping_sub(1))
        .is_some_and(|&(_, last)| unit <= last)
}
