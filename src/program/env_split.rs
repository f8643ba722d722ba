//! `env -S STRING`: splits the string into arguments, as a `#!` line needs.

use crate::args::{UsageError, quote};

/// The arguments, and what `-v` says of how they came about.
pub type Expanded = (Vec<Vec<u8>>, Vec<u8>);

/// The arguments with each `-S` and `--split-string` among the options replaced by what its string splits into.
pub fn expand(
    arguments: &[Vec<u8>],
    variable: impl Fn(&[u8]) -> Option<Vec<u8>>,
) -> Result<Expanded, UsageError> {
    let mut done = Vec::new();
    let mut debug = Vec::new();
    let mut rest: std::collections::VecDeque<Vec<u8>> = arguments.iter().cloned().collect();
    while let Some(word) = rest.pop_front() {
        let Some((before, text)) = split_option(&word) else {
            let ends = word == b"--" || !word.starts_with(b"-") || word == b"-";
            let takes_value = takes_value(&word);
            done.push(word);
            if ends {
                break;
            }
            if takes_value {
                done.extend(rest.pop_front());
            }
            continue;
        };
        done.extend(before);
        let text = match text {
            Some(text) => text,
            None => match rest.pop_front() {
                Some(text) => text,
                None => {
                    // The option parser says what is missing.
                    done.push(word);
                    break;
                }
            },
        };
        let words = split(&text, &variable)?;
        if done.iter().any(|word| is_verbose(word)) {
            describe(&mut debug, &text, &words);
        }
        for word in words.into_iter().rev() {
            rest.push_front(word);
        }
    }
    done.extend(rest);
    Ok((done, debug))
}

fn is_verbose(word: &[u8]) -> bool {
    match word {
        [b'-', b'-', name @ ..] => name.len() > 2 && b"debug".starts_with(name),
        [b'-', letters @ ..] => letters
            .iter()
            .take_while(|letter| b"iv0".contains(letter))
            .any(|letter| *letter == b'v'),
        _ => false,
    }
}

fn describe(debug: &mut Vec<u8>, text: &[u8], words: &[Vec<u8>]) {
    debug.extend([b"split -S:  ", &*quote(text), b"\n"].concat());
    for (index, word) in words.iter().enumerate() {
        let before: &[u8] = if index == 0 { b" into:    " } else { b"     &    " };
        debug.extend([before, &*quote(word), b"\n"].concat());
    }
}

/// The letters in front of `S`, as an option of their own, and the string if it is attached.
type Cut = (Option<Vec<u8>>, Option<Vec<u8>>);

fn split_option(word: &[u8]) -> Option<Cut> {
    if let Some(name) = word.strip_prefix(b"--") {
        let at = name.iter().position(|byte| *byte == b'=');
        let (name, value) = match at {
            Some(at) => (name.get(..at)?, name.get(at + 1..).map(<[u8]>::to_vec)),
            None => (name, None),
        };
        let is_split = !name.is_empty() && b"split-string".starts_with(name);
        return is_split.then_some((None, value));
    }
    let letters = word.strip_prefix(b"-")?;
    let at = letters.iter().position(|letter| !b"iv0".contains(letter))?;
    if letters.get(at) != Some(&b'S') {
        return None;
    }
    let before = letters.get(..at).filter(|before| !before.is_empty());
    let before = before.map(|before| [b"-", before].concat());
    let text = letters.get(at + 1..).filter(|text| !text.is_empty());
    Some((before, text.map(<[u8]>::to_vec)))
}

fn takes_value(word: &[u8]) -> bool {
    let Some(letters) = word.strip_prefix(b"-") else {
        return false;
    };
    if letters.starts_with(b"-") {
        return matches!(letters, b"-unset" | b"-chdir");
    }
    letters.iter().position(|letter| b"uC".contains(letter)) == Some(letters.len().wrapping_sub(1))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Quote {
    None,
    Single,
    Double,
}

struct Splitter {
    words: Vec<Vec<u8>>,
    word: Option<Vec<u8>>,
    quote: Quote,
}

impl Splitter {
    fn push(&mut self, byte: u8) {
        self.word.get_or_insert_default().push(byte);
    }

    fn end_word(&mut self) {
        self.words.extend(self.word.take());
    }
}

fn complaint(message: impl Into<Vec<u8>>) -> UsageError {
    UsageError::plain(125, message)
}

fn split(text: &[u8], variable: &impl Fn(&[u8]) -> Option<Vec<u8>>) -> Result<Vec<Vec<u8>>, UsageError> {
    let mut splitter = Splitter {
        words: Vec::new(),
        word: None,
        quote: Quote::None,
    };
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        at += 1;
        let next = text.get(at).copied();
        match (byte, splitter.quote) {
            (b'\'', Quote::None) => {
                splitter.quote = Quote::Single;
                splitter.word.get_or_insert_default();
            }
            (b'"', Quote::None) => {
                splitter.quote = Quote::Double;
                splitter.word.get_or_insert_default();
            }
            (b'\'', Quote::Single) | (b'"', Quote::Double) => splitter.quote = Quote::None,
            (b' ' | b'\t' | b'\n' | 11 | 12 | b'\r', Quote::None) => splitter.end_word(),
            (b'#', Quote::None) if splitter.word.is_none() => break,
            (b'\\', Quote::Single) if !matches!(next, Some(b'\\' | b'\'')) => splitter.push(b'\\'),
            (b'\\', _) => {
                at += 1;
                if escape(&mut splitter, next)? {
                    break;
                }
            }
            (b'$', Quote::None | Quote::Double) => {
                let rest = text.get(at - 1..).unwrap_or_default();
                let name = variable_name(rest).ok_or_else(|| {
                    complaint([b"only ${VARNAME} expansion is supported, error at: ", rest].concat())
                })?;
                at += name.len() + 2;
                if let Some(value) = variable(name) {
                    splitter.word.get_or_insert_default().extend_from_slice(&value);
                }
            }
            _ => splitter.push(byte),
        }
    }
    if splitter.quote != Quote::None {
        return Err(complaint("no terminating quote in -S string"));
    }
    splitter.end_word();
    Ok(splitter.words)
}

/// What a backslash and `letter` stand for. `true`: the string ends here.
fn escape(splitter: &mut Splitter, letter: Option<u8>) -> Result<bool, UsageError> {
    let byte = match letter {
        None => return Err(complaint("invalid backslash at end of string in -S")),
        Some(b'_') if splitter.quote == Quote::None => {
            splitter.end_word();
            return Ok(false);
        }
        Some(b'c') if splitter.quote == Quote::Double => {
            return Err(complaint("'\\c' must not appear in double-quoted -S string"));
        }
        Some(b'c') => return Ok(true),
        Some(b'_') => b' ',
        Some(b'f') => 12,
        Some(b'n') => b'\n',
        Some(b'r') => b'\r',
        Some(b't') => b'\t',
        Some(b'v') => 11,
        Some(byte @ (b'"' | b'#' | b'$' | b'\'' | b'\\')) => byte,
        Some(other) => {
            return Err(complaint(
                [b"invalid sequence '\\", &[other][..], b"' in -S"].concat(),
            ));
        }
    };
    splitter.push(byte);
    Ok(false)
}

/// The name in `${NAME}` at the start of a text.
fn variable_name(text: &[u8]) -> Option<&[u8]> {
    let inner = text.strip_prefix(b"${")?;
    let end = inner.iter().position(|byte| *byte == b'}')?;
    let name = inner.get(..end)?;
    let valid = name
        .first()
        .is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_')
        && name
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    valid.then_some(name)
}
