//! Regular expressions of `find`: the types of `-regextype`, each as one of the languages that [`crate::pattern`] knows.
//!
//! Emacs syntax, the default, has groups `\( \| \)` and repetitions `* + ?`, no intervals; it is rewritten as an extended expression.

use crate::pattern::{Bound, Regex, RegexError, RegexOptions, Syntax};

/// A type of regular expressions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RegexType {
    Emacs,
    Basic,
    /// Without the GNU operators.
    MinimalBasic,
    /// With `\+` and `\?` as `grep` has them.
    Grep,
    Extended,
    /// Extended, where a repetition of nothing is no error.
    Egrep,
    /// The same without back-references.
    Awk,
}

/// The names, in the order of the complaint.
pub const TYPES: [(&str, RegexType); 13] = [
    ("findutils-default", RegexType::Emacs),
    ("ed", RegexType::Basic),
    ("emacs", RegexType::Emacs),
    ("gnu-awk", RegexType::Awk),
    ("grep", RegexType::Grep),
    ("posix-awk", RegexType::Awk),
    ("awk", RegexType::Awk),
    ("posix-basic", RegexType::Basic),
    ("posix-egrep", RegexType::Egrep),
    ("egrep", RegexType::Egrep),
    ("posix-extended", RegexType::Extended),
    ("posix-minimal-basic", RegexType::MinimalBasic),
    ("sed", RegexType::Basic),
];

/// The type of a name.
pub fn type_named(name: &[u8]) -> Option<RegexType> {
    TYPES
        .iter()
        .find(|(known, _)| known.as_bytes() == name)
        .map(|(_, kind)| *kind)
}

/// Compiles an expression that must match a whole path.
pub fn compile(text: &[u8], kind: RegexType, ignore_case: bool) -> Result<Regex, RegexError> {
    let options = RegexOptions {
        ignore_case,
        gnu: kind != RegexType::MinimalBasic,
        lenient: matches!(kind, RegexType::Grep | RegexType::Egrep | RegexType::Awk),
        bound: Bound::Line,
        ..RegexOptions::default()
    };
    match kind {
        RegexType::Emacs => Regex::compile(&extended(text), Syntax::Extended, options),
        RegexType::Basic | RegexType::MinimalBasic | RegexType::Grep => {
            Regex::compile(text, Syntax::Basic, options)
        }
        RegexType::Extended | RegexType::Egrep => Regex::compile(text, Syntax::Extended, options),
        RegexType::Awk => Regex::compile(&without_references(text), Syntax::Extended, options),
    }
}

/// `\\2` as `2`.
fn without_references(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        match (byte, after.split_first()) {
            (b'\\', Some((digit @ b'1'..=b'9', beyond))) => {
                out.push(*digit);
                rest = beyond;
            }
            (b'\\', Some((next, beyond))) => {
                out.extend([byte, *next]);
                rest = beyond;
            }
            _ => out.push(byte),
        }
    }
    out
}

/// Emacs syntax as an extended expression.
fn extended(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    // At the start of an alternative `^` is an anchor, and repetitions are characters.
    let mut starts = true;
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        let rest = text.get(at + 1..).unwrap_or_default();
        at += 1;
        let was_start = std::mem::replace(&mut starts, false);
        match byte {
            b'\\' => {
                let Some(&next) = rest.first() else {
                    out.push(b'\\');
                    break;
                };
                at += 1;
                match next {
                    b'(' | b'|' => {
                        out.push(next);
                        starts = true;
                    }
                    b')' => out.push(next),
                    b'{' | b'}' => out.extend_from_slice(&[b'\\', next]),
                    _ => out.extend_from_slice(&[b'\\', next]),
                }
            }
            b'(' | b')' | b'|' | b'{' | b'}' => out.extend_from_slice(&[b'\\', byte]),
            b'*' | b'+' | b'?' if was_start => out.extend_from_slice(&[b'\\', byte]),
            b'^' => {
                if was_start {
                    starts = true;
                } else {
                    out.push(b'\\');
                }
                out.push(byte);
            }
            b'$' if !(rest.is_empty() || rest.starts_with(b"\\)") || rest.starts_with(b"\\|")) => {
                out.extend_from_slice(b"\\$");
            }
            b'[' => {
                let length = bracket_length(rest);
                out.push(b'[');
                out.extend_from_slice(rest.get(..length).unwrap_or_default());
                at += length;
            }
            _ => out.push(byte),
        }
    }
    out
}

/// Bytes of a bracket expression after its `[`.
fn bracket_length(text: &[u8]) -> usize {
    let mut at = usize::from(text.first() == Some(&b'^'));
    at += usize::from(text.get(at) == Some(&b']'));
    while let Some(&byte) = text.get(at) {
        at += 1;
        if byte == b']' {
            break;
        }
        if let (b'[', Some(&kind @ (b':' | b'.' | b'='))) = (byte, text.get(at)) {
            let rest = text.get(at + 1..).unwrap_or_default();
            if let Some(end) = rest.windows(2).position(|pair| pair == [kind, b']']) {
                at += end + 3;
            }
        }
    }
    at.min(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn emacs_as_extended() {
        for (emacs, ours) in [
            (r"d/\(a\|l\)", "d/(a|l)"),
            ("a(b)|c", r"a\(b\)\|c"),
            ("*a+", r"\*a+"),
            ("[](]x{2}", r"[](]x\{2\}"),
            ("a^b$c$", r"a\^b\$c$"),
            (r"\(^a\)$", "(^a)$"),
        ] {
            assert_eq!(extended(emacs.as_bytes()), ours.as_bytes(), "{emacs}");
        }
    }
}
