//! The POSIX character classes, as the GNU C library defines them in `C.UTF-8`: `[[:alpha:]]` of patterns and regular expressions,
//! `tr`, `wc`.

use super::unicode_tables as tables;
use super::utf8::{contains, is_print};

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
    pub fn from_name(name: &[u8]) -> Option<Class> {
        Some(match name {
            b"alnum" => Class::Alnum,
            b"alpha" => Class::Alpha,
            b"ascii" => Class::Ascii,
            b"blank" => Class::Blank,
            b"cntrl" => Class::Cntrl,
            b"digit" => Class::Digit,
            b"graph" => Class::Graph,
            b"lower" => Class::Lower,
            b"print" => Class::Print,
            b"punct" => Class::Punct,
            b"space" => Class::Space,
            b"upper" => Class::Upper,
            b"word" => Class::Word,
            b"xdigit" => Class::Xdigit,
            _ => return None,
        })
    }

    /// The class of this name, as POSIX has them: without bash's own.
    pub fn from_posix_name(name: &[u8]) -> Option<Class> {
        Class::from_name(name).filter(|class| !matches!(class, Class::Ascii | Class::Word))
    }

    /// Whether a character belongs to the class, as `iswctype` says.
    pub fn contains(self, character: char) -> bool {
        let code = u32::from(character);
        if let Ok(byte) = u8::try_from(code)
            && byte.is_ascii()
        {
            return self.contains_byte(byte);
        }
        match self {
            Class::Alnum | Class::Alpha | Class::Word => contains(tables::ALPHA, code),
            Class::Ascii | Class::Digit | Class::Xdigit => false,
            Class::Blank => contains(tables::BLANK, code),
            Class::Cntrl => contains(tables::CNTRL, code),
            Class::Graph => is_print(character) && !contains(tables::SPACE, code),
            Class::Lower => contains(tables::LOWER, code),
            Class::Print => is_print(character),
            Class::Punct => Class::Graph.contains(character) && !contains(tables::ALPHA, code),
            Class::Space => contains(tables::SPACE, code),
            Class::Upper => contains(tables::UPPER, code),
        }
    }

    /// Whether a unit belongs to the class; one that is no character belongs to none.
    pub fn contains_unit(self, unit: u32) -> bool {
        char::from_u32(unit).is_some_and(|character| self.contains(character))
    }

    /// Whether a byte belongs to the class; those that are not ASCII are no characters by themselves.
    pub fn contains_byte(self, byte: u8) -> bool {
        match self {
            Class::Alnum => byte.is_ascii_alphanumeric(),
            Class::Alpha => byte.is_ascii_alphabetic(),
            Class::Ascii => byte.is_ascii(),
            Class::Blank => matches!(byte, b' ' | b'\t'),
            Class::Cntrl => byte.is_ascii_control(),
            Class::Digit => byte.is_ascii_digit(),
            Class::Graph => byte.is_ascii_graphic(),
            Class::Lower => byte.is_ascii_lowercase(),
            Class::Print => matches!(byte, b' '..=b'~'),
            Class::Punct => byte.is_ascii_punctuation(),
            Class::Space => matches!(byte, b' ' | b'\t'..=b'\r'),
            Class::Upper => byte.is_ascii_uppercase(),
            Class::Word => byte.is_ascii_alphanumeric() || byte == b'_',
            Class::Xdigit => byte.is_ascii_hexdigit(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_and_tables_agree_on_ascii() {
        let tables = [
            (Class::Alpha, tables::ALPHA),
            (Class::Blank, tables::BLANK),
            (Class::Cntrl, tables::CNTRL),
            (Class::Lower, tables::LOWER),
            (Class::Space, tables::SPACE),
            (Class::Upper, tables::UPPER),
        ];
        for (class, table) in tables {
            for byte in 0..0x80 {
                assert_eq!(
                    class.contains_byte(byte),
                    contains(table, byte.into()),
                    "{class:?} {byte}"
                );
            }
        }
    }
}
