//! Bracket expressions of regular expressions, after `parse_bracket_exp` of the GNU C library.
//!
//! A backslash is literal in them. In this locale an equivalence class or collating symbol holds one byte only; the
//! longer names are refused, as the library does, and so are ranges of characters beyond ASCII.

use super::RegexError;
use super::tree::{Set, SetItem};
use crate::pattern::unit::{INVALID, unit_at};
use crate::text::class::Class;

/// A name between `[:` and `:]` may not be longer.
const NAME_LIMIT: usize = 32;

enum Token {
    Unit(u32),
    /// `[.`, `[=`, `[:`
    Open(u8),
    Dash,
    Close,
    End,
}

enum Element {
    Unit(u32),
    Class(Class),
    Equivalence(u32),
}

struct Parser<'t> {
    text: &'t [u8],
    at: usize,
    ignore_case: bool,
}

/// Parses what follows the `[` before `at`; the set and the position after its `]`.
pub fn parse(text: &[u8], at: usize, ignore_case: bool) -> Result<(Set, usize), RegexError> {
    let mut parser = Parser {
        text,
        at,
        ignore_case,
    };
    let mut set = Set::default();
    if text.get(at) == Some(&b'^') {
        set.negated = true;
        parser.at += 1;
    }
    if parser.at >= text.len() {
        return Err(RegexError::Invalid);
    }
    let mut first = true;
    loop {
        let (mut token, length) = parser.peek();
        if first && matches!(token, Token::Close) {
            token = Token::Unit(u32::from(b']'));
        }
        let start = parser.element(&token, length, first)?;
        first = false;
        parser.item(start, &mut set)?;
        match parser.peek() {
            (Token::End, _) => return Err(RegexError::UnmatchedBracket),
            (Token::Close, _) => return Ok((set, parser.at + 1)),
            _ => {}
        }
    }
}

/// Whether the expression, read up to its `]`, is a class without the outer brackets: `[:space:]`.
pub fn is_bare_class(text: Option<&[u8]>, set: &Set) -> bool {
    let Some([body @ .., b']']) = text else {
        return false;
    };
    let body = body.strip_prefix(b"^").unwrap_or(body);
    let singles = set
        .items
        .iter()
        .all(|item| matches!(item, SetItem::Range(first, last) if first == last));
    singles && body.starts_with(b":") && body.ends_with(b":") && body.iter().any(|&byte| byte != b':')
}

/// Adds a range. Only bytes have an order here: a range that ends in another character is refused.
fn push_range(set: &mut Set, first: u32, last: u32) -> Result<(), RegexError> {
    let is_byte = |unit| !(0x80..INVALID).contains(&unit);
    if !is_byte(first) || !is_byte(last) {
        return Err(RegexError::InvalidCollation);
    }
    if first > last {
        return Err(RegexError::InvalidRangeEnd);
    }
    if first < 0x80 && last >= INVALID {
        set.items.push(SetItem::Range(first, 0x7f));
        set.items.push(SetItem::Range(INVALID + 0x80, last));
    } else {
        set.items.push(SetItem::Range(first, last));
    }
    Ok(())
}

impl Parser<'_> {
    fn byte(&self, at: usize) -> Option<u8> {
        self.text.get(at).copied()
    }

    fn peek(&self) -> (Token, usize) {
        let Some((unit, length)) = unit_at(self.text, self.at) else {
            return (Token::End, 0);
        };
        match self.byte(self.at) {
            Some(b'[') => match self.byte(self.at + 1) {
                Some(mark @ (b'.' | b'=' | b':')) => (Token::Open(mark), 2),
                _ => (Token::Unit(unit), 1),
            },
            Some(b'-') => (Token::Dash, 1),
            Some(b']') => (Token::Close, 1),
            _ => (Token::Unit(unit), length),
        }
    }

    /// Adds the element, or the range that it begins.
    fn item(&mut self, start: Element, set: &mut Set) -> Result<(), RegexError> {
        let may_range = matches!(start, Element::Unit(_));
        let (token, length) = self.peek();
        if may_range && matches!(token, Token::Dash) {
            let dash = self.at;
            self.at += length;
            let (token, length) = self.peek();
            match token {
                Token::End => return Err(RegexError::UnmatchedBracket),
                Token::Close => self.at = dash,
                _ => {
                    let end = self.element(&token, length, true)?;
                    let (Element::Unit(first), Element::Unit(last)) = (start, end) else {
                        return Err(RegexError::InvalidRangeEnd);
                    };
                    return push_range(set, first, last);
                }
            }
        }
        set.items.push(match start {
            Element::Unit(unit) | Element::Equivalence(unit) => SetItem::Range(unit, unit),
            Element::Class(class) => SetItem::Class(class),
        });
        Ok(())
    }

    fn element(&mut self, token: &Token, length: usize, accept_dash: bool) -> Result<Element, RegexError> {
        self.at += length;
        match *token {
            Token::End => Err(RegexError::UnmatchedBracket),
            Token::Open(mark) => self.symbol(mark),
            Token::Unit(unit) => Ok(Element::Unit(unit)),
            Token::Close => Ok(Element::Unit(u32::from(b']'))),
            Token::Dash if accept_dash || self.byte(self.at) == Some(b']') => {
                Ok(Element::Unit(u32::from(b'-')))
            }
            Token::Dash => Err(RegexError::InvalidRangeEnd),
        }
    }

    fn symbol(&mut self, mark: u8) -> Result<Element, RegexError> {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let length = memchr::memmem::find(rest, &[mark, b']'])
            .filter(|&length| length < NAME_LIMIT)
            .ok_or(RegexError::UnmatchedBracket)?;
        let name = rest.get(..length).unwrap_or_default();
        self.at += length + 2;
        if mark == b':' {
            let class = Class::from_posix_name(name);
            return match class.ok_or(RegexError::InvalidClass)? {
                Class::Upper | Class::Lower if self.ignore_case => Ok(Element::Class(Class::Alpha)),
                class => Ok(Element::Class(class)),
            };
        }
        let &[byte] = name else {
            return Err(RegexError::InvalidCollation);
        };
        Ok(if mark == b'=' {
            Element::Equivalence(u32::from(byte))
        } else {
            Element::Unit(u32::from(byte))
        })
    }
}
