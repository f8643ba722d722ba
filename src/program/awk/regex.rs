//! awk's regular expressions, rewritten for the library's extended ones.
//!
//! awk differs in this: backslashes work within brackets; `\y` is a word's boundary; `\t`, `\101`, `\x41` stand for the character
//! that they name, with whatever meaning that has; a `)` by itself and a repetition of nothing are plain characters.

use crate::pattern::{Regex, RegexOptions, Syntax};
use crate::text::escape;

/// Compiles a regular expression; the error is the library's sentence.
pub fn compile(source: &[u8], ignore_case: bool) -> Result<Regex, String> {
    let options = RegexOptions {
        ignore_case,
        gnu: true,
        lenient: true,
        ..RegexOptions::default()
    };
    Regex::compile(&rewrite(source), Syntax::Extended, options).map_err(|error| error.to_string())
}

/// What gawk says about backslashes in an expression that mean nothing there, each once.
pub fn complaints(source: &[u8]) -> Vec<String> {
    let mut complaints = Vec::new();
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'\\', source.get(at..).unwrap_or_default()) {
        at += found + 2;
        let Some(&byte) = source.get(at - 1) else {
            break;
        };
        let letter = char::from(byte);
        let complaint = match byte {
            b'8' | b'9' => format!("regexp escape sequence `\\{letter}' treated as plain `{letter}'"),
            b'x' if !source.get(at).is_some_and(u8::is_ascii_hexdigit) => {
                "no hex digits in `\\x' escape sequence".to_owned()
            }
            b'0'..=b'7' | b'x' | b'\n' | 0x80.. => continue,
            _ if b"'()*+-./<>?[]^`{|}$\\abfnrtvyswBSW".contains(&byte) => continue,
            _ => format!("regexp escape sequence `\\{letter}' is not a known regexp operator"),
        };
        if !complaints.contains(&complaint) {
            complaints.push(complaint);
        }
    }
    complaints
}

/// A character that a backslash sequence stands for, and the length of the sequence behind the backslash.
fn named_character(rest: &[u8]) -> Option<(u8, usize)> {
    match *rest.first()? {
        b'0'..=b'7' => {
            let (value, count) = escape::digits(rest, 8, 3);
            Some((value as u8, count))
        }
        b'x' => match escape::digits(rest.get(1..)?, 16, 2) {
            (_, 0) => None,
            (value, count) => Some((value as u8, count + 1)),
        },
        letter => escape::letter(letter).map(|byte| (byte, 1)),
    }
}

/// A character between brackets, and how much of the `rest` belongs to it; `None` for classes and the like.
fn single(byte: u8, rest: &[u8]) -> Option<(u8, usize)> {
    match (byte, rest.first()) {
        (b'\\', Some(next)) => Some(named_character(rest).unwrap_or((*next, 1))),
        (b'[', Some(b':' | b'.' | b'=')) => None,
        _ => Some((byte, 0)),
    }
}

fn rewrite(source: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(source.len() + 8);
    let mut at = 0;
    let mut open = 0usize;
    // Nothing stands here that could be repeated.
    let mut fresh = true;
    while let Some(&byte) = source.get(at) {
        at += 1;
        let was_fresh = std::mem::replace(&mut fresh, false);
        match byte {
            b'\\' => at += backslash(&mut out, source.get(at..).unwrap_or_default()),
            b'[' => at = bracket(&mut out, source, at),
            b'(' => {
                open += 1;
                out.push(byte);
                fresh = true;
            }
            b')' if open > 0 => {
                open -= 1;
                out.push(byte);
            }
            b')' => out.extend_from_slice(b"\\)"),
            b'|' => {
                out.push(byte);
                fresh = true;
            }
            b'^' => {
                out.push(byte);
                fresh = was_fresh;
            }
            b'*' | b'+' | b'?' | b'{' if was_fresh => out.extend([b'\\', byte]),
            _ => out.push(byte),
        }
    }
    out
}

/// What follows a backslash outside brackets; says how long it is.
fn backslash(out: &mut Vec<u8>, rest: &[u8]) -> usize {
    if let Some((byte, length)) = named_character(rest) {
        // A named letter is only that; a named sign works as the sign.
        out.push(byte);
        return length;
    }
    match rest.first() {
        None => {
            out.extend_from_slice(b"\\\\");
            0
        }
        Some(b'y') => {
            out.extend_from_slice(b"\\b");
            1
        }
        Some(letter @ (b'B' | b'<' | b'>' | b'w' | b'W' | b's' | b'S' | b'`' | b'\'')) => {
            out.extend([b'\\', *letter]);
            1
        }
        Some(letter) if letter.is_ascii_alphanumeric() || !letter.is_ascii() => {
            out.push(*letter);
            1
        }
        Some(sign) => {
            out.extend([b'\\', *sign]);
            1
        }
    }
}

/// What stands between brackets. `]`, `-` and `^` that stand for themselves are kept apart, since their place tells what they mean.
#[derive(Default)]
struct Bracket {
    negated: bool,
    items: Vec<u8>,
    closing: bool,
    hyphen: bool,
    caret: bool,
}

/// Brackets whose `[` was read: without backslashes, with `]` first and `-` last where they stand for themselves. Says where
/// they end.
fn bracket(out: &mut Vec<u8>, source: &[u8], begin: usize) -> usize {
    let negated = source.get(begin) == Some(&b'^');
    let mut bracket = Bracket {
        negated,
        ..Bracket::default()
    };
    let mut at = begin + usize::from(negated);
    let mut first = true;
    while let Some(&byte) = source.get(at) {
        at += 1;
        if byte == b']' && !first {
            bracket.write(out);
            return at;
        }
        let rest = source.get(at..).unwrap_or_default();
        at += match bracket.add_range(byte, rest) {
            0 => bracket.add(byte, rest, first),
            length => length,
        };
        first = false;
    }
    // Without an end the library complains.
    out.push(b'[');
    out.extend_from_slice(source.get(begin..).unwrap_or_default());
    source.len()
}

impl Bracket {
    /// Adds a range of which one end is a sign that means something by itself; gives how much of the `rest` belongs to it, 0 when there is none.
    fn add_range(&mut self, byte: u8, rest: &[u8]) -> usize {
        let Some((start, length)) = single(byte, rest) else {
            return 0;
        };
        let Some([b'-', end, behind @ ..]) = rest.get(length..).filter(|rest| !rest.starts_with(b"-]"))
        else {
            return 0;
        };
        let Some((end, end_length)) = single(*end, behind) else {
            return 0;
        };
        let special = |byte: u8| matches!(byte, b']' | b'-' | b'^' | b'\\' | b'[');
        if !special(start) && !special(end) || start > end {
            return 0;
        }
        for (byte, sign) in [(start, &b"-"[..]), (end, b"")] {
            match special(byte) {
                true => self.items.extend([b'[', b'.', byte, b'.', b']']),
                false => self.items.push(byte),
            }
            self.items.extend_from_slice(sign);
        }
        length + 2 + end_length
    }

    /// Adds what a byte begins; gives how much of the `rest` belongs to it.
    fn add(&mut self, byte: u8, rest: &[u8], first: bool) -> usize {
        match byte {
            b'[' if matches!(rest.first(), Some(b':' | b'.' | b'=')) => {
                let end = rest
                    .first()
                    .and_then(|kind| memchr::memmem::find(rest.get(1..)?, &[*kind, b']']));
                let length = end.map_or(0, |end| end + 3);
                self.items.push(b'[');
                self.items
                    .extend_from_slice(rest.get(..length).unwrap_or_default());
                return length;
            }
            b'\\' => return self.add_escaped(rest),
            b']' => self.closing = true,
            b'-' if first || rest.first() == Some(&b']') => self.hyphen = true,
            b'^' if !rest.starts_with(b"-") && self.items.last() != Some(&b'-') => self.caret = true,
            _ => self.items.push(byte),
        }
        0
    }

    fn add_escaped(&mut self, rest: &[u8]) -> usize {
        let plain = || match rest.first() {
            Some(byte) => (*byte, 1),
            None => (b'\\', 0),
        };
        let (byte, length) = named_character(rest).unwrap_or_else(plain);
        let behind = rest.get(length..).unwrap_or_default();
        let ranges = matches!(behind, [b'-', next, ..] if *next != b']');
        match byte {
            b']' if !ranges => self.closing = true,
            b'-' if !ranges => self.hyphen = true,
            b'^' if !ranges => self.caret = true,
            _ => self.items.push(byte),
        }
        length
    }

    fn write(&self, out: &mut Vec<u8>) {
        // A caret alone would negate.
        if self.caret && self.items.is_empty() && !self.closing && !self.negated {
            let alone: &[u8] = if self.hyphen { b"[-^]" } else { b"\\^" };
            return out.extend_from_slice(alone);
        }
        out.push(b'[');
        out.extend(self.negated.then_some(b'^'));
        out.extend(self.closing.then_some(b']'));
        out.extend_from_slice(&self.items);
        out.extend(self.caret.then_some(b'^'));
        out.extend(self.hyphen.then_some(b'-'));
        out.push(b']');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rewritten(source: &str) -> String {
        String::from_utf8(rewrite(source.as_bytes())).unwrap()
    }

    #[test]
    fn rewriting() {
        assert_eq!(rewritten(r"[\]a]"), "[]a]");
        assert_eq!(rewritten(r"[^\t\]]"), "[^]\t]");
        assert_eq!(rewritten(r"[a\-z]"), "[az-]");
        assert_eq!(rewritten(r"[[:alpha:]\/]"), "[[:alpha:]/]");
        assert_eq!(rewritten(r"a)|*b"), r"a\)|\*b");
        assert_eq!(rewritten(r"\ya\.\056"), r"\ba\..");
        assert_eq!(rewritten(r"[\^]"), r"\^");
        assert_eq!(rewritten(r"^*a"), r"^\*a");
    }
}
