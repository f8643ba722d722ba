//! `${x@…}`, case modification, and the replacement text of `${x/p/r}`.

use super::host::{ExpandHost, Failure};
use super::param::{Key, Subject, Target};
use super::value::{Text, Value};
use crate::pattern::{Pattern, Units};
use crate::syntax::ast::{CaseKind, ParamName};
use crate::text::{escape, quote, utf8};

/// A parsed replacement: literal runs with the match between them.
#[derive(Debug)]
pub struct Replacement {
    literals: Vec<Vec<u8>>,
}

impl Replacement {
    /// `&` stands for the match when `ampersand` is on; a backslash before `&` or a backslash is removed.
    pub fn parse(text: &[u8], ampersand: bool) -> Replacement {
        let mut literals = vec![Vec::new()];
        let mut bytes = text.iter().copied().peekable();
        while let Some(byte) = bytes.next() {
            let quoted = byte == b'\\' && matches!(bytes.peek(), Some(b'&' | b'\\'));
            let literal = if quoted {
                bytes.next()
            } else {
                Some(byte).filter(|byte| *byte != b'&' || !ampersand)
            };
            match (literal, literals.last_mut()) {
                (Some(byte), Some(last)) => last.push(byte),
                _ => literals.push(Vec::new()),
            }
        }
        Replacement { literals }
    }

    /// Appends the replacement of one match.
    pub fn append(&self, matched: &[u8], into: &mut Vec<u8>) {
        for (i, literal) in self.literals.iter().enumerate() {
            if i > 0 {
                into.extend_from_slice(matched);
            }
            into.extend_from_slice(literal);
        }
    }
}

/// `^ ^^ , ,, ~ ~~`
#[derive(Debug, Clone, Copy)]
pub struct CaseChange<'p> {
    /// To which case.
    pub kind: CaseKind,
    /// All characters, not only the first.
    pub all: bool,
    /// Which of them.
    pub pattern: Option<&'p Pattern>,
    /// What they are: among bytes, only letters of ASCII have a case.
    pub units: Units,
}

impl CaseChange<'static> {
    /// A change of all characters, or of the first, whatever they are.
    pub fn plain(kind: CaseKind, all: bool, units: Units) -> CaseChange<'static> {
        CaseChange {
            kind,
            all,
            pattern: None,
            units,
        }
    }
}

impl CaseChange<'_> {
    /// The text changed.
    pub fn apply(&self, text: &[u8]) -> Vec<u8> {
        let mut result = Vec::with_capacity(text.len());
        self.append(text, &mut result);
        result
    }

    /// Appends the text changed.
    pub fn append(&self, text: &[u8], result: &mut Vec<u8>) {
        if self.pattern.is_none() && text.is_ascii() {
            let (head, tail) = text.split_at(if self.all { text.len() } else { text.len().min(1) });
            result.extend(head.iter().map(|byte| self.changed_byte(*byte)));
            result.extend_from_slice(tail);
            return;
        }
        let mut at = 0;
        while let Some((unit, length)) = self.units.at(text, at) {
            let piece = text.get(at..at + length).unwrap_or_default();
            let applies = (self.all || at == 0) && self.pattern.is_none_or(|pattern| pattern.matches(piece));
            match char::from_u32(unit).filter(|_| applies) {
                Some(character) => utf8::push_char(result, self.changed(character)),
                None => result.extend_from_slice(piece),
            }
            at += length;
        }
    }

    /// The same of an ASCII character.
    fn changed_byte(&self, byte: u8) -> u8 {
        match self.kind {
            CaseKind::Upper => byte.to_ascii_uppercase(),
            CaseKind::Toggle if byte.is_ascii_lowercase() => byte.to_ascii_uppercase(),
            CaseKind::Lower | CaseKind::Toggle => byte.to_ascii_lowercase(),
        }
    }

    fn changed(&self, character: char) -> char {
        match self.kind {
            CaseKind::Upper => utf8::to_upper(character),
            CaseKind::Lower => utf8::to_lower(character),
            CaseKind::Toggle if utf8::to_lower(character) != character => utf8::to_lower(character),
            CaseKind::Toggle => utf8::to_upper(character),
        }
    }
}

type Outcome<T, H> = Result<T, Failure<<H as ExpandHost>::Divert>>;

/// `${x@letter}`
pub fn transform<H: ExpandHost>(
    host: &mut H,
    target: &Target,
    subject: Subject,
    letter: u8,
) -> Outcome<Subject, H> {
    match letter {
        b'A' => Ok(assignment(host, target, &subject)),
        b'a' => Ok(attributes(host, target, &subject)),
        b'K' | b'k' => Ok(pairs(host, target, subject, letter == b'k')),
        _ => {
            let units = host.flags().units();
            let each = |text: &[u8]| each(text, letter, units);
            Ok(match subject {
                Subject::One(text) => Subject::One(text.map(|text| each(&text))),
                Subject::Many { items, star } => Subject::Many {
                    items: items.iter().map(|item| Text::from(each(item))).collect(),
                    star,
                },
            })
        }
    }
}

fn each(text: &[u8], letter: u8, units: Units) -> Vec<u8> {
    let change = |kind, all| CaseChange::plain(kind, all, units).apply(text);
    match letter {
        b'Q' => quote::reusable(text),
        b'E' => escape::unescape(text, escape::Reader::DollarQuote).bytes,
        b'U' => change(CaseKind::Upper, true),
        b'u' => change(CaseKind::Upper, false),
        b'L' => change(CaseKind::Lower, true),
        _ => text.to_vec(),
    }
}

fn attributes<H: ExpandHost>(host: &mut H, target: &Target, subject: &Subject) -> Subject {
    let letters = match &target.name {
        ParamName::Variable(name) => host.attribute_letters(name),
        _ => Some(String::new()),
    };
    match (subject, letters) {
        (Subject::Many { items, star }, letters) => {
            let Some(letters) = letters else {
                return Subject::Many {
                    items: Vec::new(),
                    star: *star,
                };
            };
            // A variable without a value has its attributes once.
            let count = items.len().max(1);
            let items = std::iter::repeat_n(Text::new(letters.as_bytes()), count).collect();
            Subject::Many { items, star: *star }
        }
        (_, letters) => Subject::One(letters.map(String::into_bytes)),
    }
}

/// A statement that makes the variable again.
fn assignment<H: ExpandHost>(host: &mut H, target: &Target, subject: &Subject) -> Subject {
    let ParamName::Variable(name) = &target.name else {
        let Subject::Many { items, .. } = subject else {
            return Subject::One(None);
        };
        let quoted: Vec<Vec<u8>> = items.iter().map(|item| quote::reusable(item)).collect();
        return Subject::One(Some([b"set -- ".to_vec(), quoted.join(&b' ')].concat()));
    };
    let letters = host.attribute_letters(name).unwrap_or_default();
    let value = host.value(name);
    let flags = if letters.is_empty() {
        String::new()
    } else {
        format!("declare -{letters} ")
    };
    let mut text = flags.into_bytes();
    text.extend_from_slice(name);
    match (&value, &target.key) {
        (Some(value), Key::At | Key::Star) if value.is_array() => {
            text.push(b'=');
            text.extend_from_slice(&super::readback::compound(value));
            Subject::One(Some(text))
        }
        (None, _) if letters.is_empty() => Subject::One(None),
        (None | Some(Value::Unset), _) => Subject::One(Some(text)),
        (Some(_), _) => {
            let Subject::One(Some(value)) = subject else {
                return Subject::One(Some(text));
            };
            text.push(b'=');
            text.extend_from_slice(&quote::reusable(value));
            Subject::One(Some(text))
        }
    }
}

/// `@K`: one string of keys and quoted values; `@k`: separate words.
fn pairs<H: ExpandHost>(host: &mut H, target: &Target, subject: Subject, words: bool) -> Subject {
    let Subject::Many { items, star } = subject else {
        return match subject {
            Subject::One(Some(text)) => Subject::One(Some(quote::reusable(&text))),
            other => other,
        };
    };
    let keys = match &target.name {
        ParamName::Variable(name) => host
            .value(name)
            .map(|value| (value.keys(), matches!(value, Value::Assoc(_)))),
        _ => None,
    };
    let Some((keys, assoc)) = keys else {
        let items = items
            .iter()
            .map(|item| Text::from(quote::reusable(item)))
            .collect();
        return Subject::Many { items, star };
    };
    if words {
        let items = keys
            .into_iter()
            .zip(items)
            .flat_map(|(key, item)| [key, item])
            .collect();
        return Subject::Many { items, star };
    }
    let pairs: Vec<Vec<u8>> = keys
        .iter()
        .zip(&items)
        .map(|(key, item)| {
            let key = if assoc {
                super::readback::assoc_key(key)
            } else {
                key.to_vec()
            };
            [key, b" ".to_vec(), quote::declared(item)].concat()
        })
        .collect();
    let mut joined = pairs.join(&b' ');
    if assoc && !joined.is_empty() {
        joined.push(b' ');
    }
    Subject::Many {
        items: vec![Text::from(joined)],
        star,
    }
}
