//! Parameter expansion: which parameter, its value or values, the operation, and how the result enters the word.
//!
//! A driver in [`super::word`] evaluates the operand words (at once or asynchronously) and calls in here; everything here is a plain
//! function of values.

use super::host::{ExpandHost, Failure};
use super::transform;
use super::value::{Text, Value};
use crate::kernel::cost;
use crate::pattern::{Pattern, PatternOptions};
use crate::syntax::ast::{Name, Param, ParamName, ParamOp, Part, ReplaceKind, Subscript, TestKind};

/// A parameter with its subscript evaluated.
#[derive(Debug, Clone, PartialEq)]
pub struct Target {
    /// The parameter; variables are resolved through namerefs.
    pub name: ParamName,
    /// Which element.
    pub key: Key,
}

/// An evaluated subscript.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Key {
    /// No subscript.
    None,
    /// `[@]`, and `$@`
    At,
    /// `[*]`, and `$*`
    Star,
    /// A number in decimal, or an associative key.
    Element(Vec<u8>),
}

/// A parameter's value.
#[derive(Debug, Clone, PartialEq)]
pub enum Subject {
    /// One string, or unset.
    One(Option<Vec<u8>>),
    /// `@` or `*`.
    Many {
        /// The elements.
        items: Vec<Text>,
        /// `*`
        star: bool,
    },
}

/// Evaluated operands of an operation.
#[derive(Debug, Default)]
pub struct Operands {
    /// Of `#`, `%`, `/`, `^`, `,`.
    pub pattern: Vec<u8>,
    /// Of `/`: `&` is the match, `\&` and `\\` are themselves.
    pub replacement: Vec<u8>,
    /// Of a slice.
    pub offset: i64,
    /// Of a slice.
    pub length: Option<i64>,
}

type Outcome<T, H> = Result<T, Failure<<H as ExpandHost>::Divert>>;

/// How the parameter is spelled in messages.
pub fn spelling(target: &Target) -> Vec<u8> {
    let mut text = match &target.name {
        ParamName::Variable(name) => name.to_vec(),
        ParamName::Positional(number) if *number < 10 => format!("${number}").into_bytes(),
        ParamName::Positional(number) => number.to_string().into_bytes(),
        ParamName::Special(byte) => vec![b'$', *byte],
    };
    let suffix: &[u8] = match &target.key {
        Key::None => return text,
        Key::At => b"@",
        Key::Star => b"*",
        Key::Element(key) => key,
    };
    if matches!(target.name, ParamName::Variable(_)) {
        text.push(b'[');
        text.extend_from_slice(suffix);
        text.push(b']');
    }
    text
}

/// The target of a parameter whose subscript, if it is an index, was evaluated to `key`.
pub fn target<H: ExpandHost>(host: &mut H, param: &Param, key: Option<Vec<u8>>) -> Target {
    match &param.name {
        ParamName::Variable(name) => {
            let (resolved, embedded) = if host.is_reference(name) {
                host.resolve(name)
            } else {
                (Name::clone(name), None)
            };
            if let Some(element) = &embedded
                && !works_on_element(param)
            {
                let name = [&*resolved, b"[", element, b"]"].concat();
                let key = match (&param.subscript, key) {
                    (Some(Subscript::At), _) => Key::At,
                    (Some(Subscript::Star), _) => Key::Star,
                    (Some(Subscript::Index(_)), Some(key)) => Key::Element(key),
                    _ => Key::None,
                };
                return Target {
                    name: ParamName::Variable(name.as_slice().into()),
                    key,
                };
            }
            let key = match (&param.subscript, key, embedded) {
                (Some(Subscript::At), _, _) => Key::At,
                (Some(Subscript::Star), _, _) => Key::Star,
                (Some(Subscript::Index(_)), Some(key), _) => Key::Element(key),
                (_, _, Some(key)) if key == b"@" => Key::At,
                (_, _, Some(key)) if key == b"*" => Key::Star,
                (_, _, Some(key)) => Key::Element(key),
                _ => Key::None,
            };
            Target {
                name: ParamName::Variable(resolved),
                key,
            }
        }
        ParamName::Special(b'@') => Target {
            name: param.name.clone(),
            key: Key::At,
        },
        ParamName::Special(b'*') => Target {
            name: param.name.clone(),
            key: Key::Star,
        },
        name => Target {
            name: name.clone(),
            key: Key::None,
        },
    }
}

/// What works through a reference to an element of an array. For the rest that element is a variable which is not there.
fn works_on_element(param: &Param) -> bool {
    param.subscript.is_none()
        && !matches!(
            param.op,
            ParamOp::Length | ParamOp::Keys { .. } | ParamOp::Transform(b'A' | b'a')
        )
}

/// Looks the value up.
pub fn subject<H: ExpandHost>(host: &mut H, target: &Target) -> Outcome<Subject, H> {
    match &target.name {
        ParamName::Variable(name) => variable_subject(host, name, &target.key),
        ParamName::Positional(0) => Ok(Subject::One(Some(host.zero().to_vec()))),
        ParamName::Positional(number) => {
            let text = host.positional().get(*number as usize - 1);
            Ok(Subject::One(text.map(|text| text.to_vec())))
        }
        ParamName::Special(byte @ (b'@' | b'*')) => Ok(Subject::Many {
            items: host.positional().to_vec(),
            star: *byte == b'*',
        }),
        ParamName::Special(byte) => Ok(Subject::One(host.special(*byte))),
    }
}

fn variable_subject<H: ExpandHost>(host: &mut H, name: &Name, key: &Key) -> Outcome<Subject, H> {
    let Some(value) = host.value(name) else {
        return Ok(match key {
            Key::At => Subject::Many {
                items: Vec::new(),
                star: false,
            },
            Key::Star => Subject::Many {
                items: Vec::new(),
                star: true,
            },
            _ => Subject::One(None),
        });
    };
    Ok(match key {
        Key::None => Subject::One(value.scalar().map(<[u8]>::to_vec)),
        Key::At => Subject::Many {
            items: value.elements(),
            star: false,
        },
        Key::Star => Subject::Many {
            items: value.elements(),
            star: true,
        },
        Key::Element(key) if key.is_empty() => {
            host.warn(&[name, b": bad array subscript".as_slice()].concat());
            Subject::One(None)
        }
        Key::Element(key) => match element::<H::Divert>(name, &value, key) {
            Ok(text) => Subject::One(text.map(<[u8]>::to_vec)),
            // Reading before the first element is said, and gives nothing.
            Err(_) => {
                host.warn(&[name, b": bad array subscript".as_slice()].concat());
                Subject::One(None)
            }
        },
    })
}

/// One element; an index that falls before the first is an error.
pub fn element<'v, D>(name: &[u8], value: &'v Value, key: &[u8]) -> Result<Option<&'v [u8]>, Failure<D>> {
    let number = || {
        bstr::ByteSlice::to_str(key)
            .ok()
            .and_then(|text| text.parse::<i64>().ok())
            .unwrap_or(0)
    };
    let bad = || Failure::Discard([name, b"[", key, b"]: bad array subscript"].concat());
    match value {
        Value::Unset | Value::Dynamic(_) => Ok(None),
        Value::Scalar(text) => match number() {
            0 | -1 => Ok(Some(text.as_slice())),
            n if n < 0 => Err(bad()),
            _ => Ok(None),
        },
        Value::Indexed(array) => match array.resolve(number()) {
            Some(index) => Ok(array.get(index)),
            None => Err(bad()),
        },
        Value::Assoc(array) => Ok(array.get(key)),
    }
}

/// What a test (`:-`, `=`, …) decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// Use the parameter's value.
    Value,
    /// Use the word.
    Word,
    /// Use nothing.
    Nothing,
    /// Assign the word, then use the value.
    Assign,
    /// Fail with the word.
    Error,
}

/// Decides a test. `joined`: the elements of `*` are one text without anything between them.
pub fn decide(subject: &Subject, kind: TestKind, colon: bool, joined: bool) -> Decision {
    let usable = match subject {
        Subject::One(None) => false,
        Subject::One(Some(text)) => !colon || !text.is_empty(),
        Subject::Many { items, .. } => match items.as_slice() {
            [] => false,
            [only] => !colon || !only.is_empty(),
            items if colon && joined && matches!(subject, Subject::Many { star: true, .. }) => {
                items.iter().any(|item| !item.is_empty())
            }
            _ => true,
        },
    };
    match (kind, usable) {
        (TestKind::Alternative, true) | (TestKind::Default, false) => Decision::Word,
        (TestKind::Alternative, false) => Decision::Nothing,
        (TestKind::Assign, false) => Decision::Assign,
        (TestKind::Error, false) => Decision::Error,
        (_, true) => Decision::Value,
    }
}

/// `set -u`: an unset parameter is an error.
pub fn check_set<H: ExpandHost>(
    host: &H,
    written: &Param,
    target: &Target,
    subject: &Subject,
) -> Outcome<(), H> {
    if matches!(subject, Subject::One(None)) && host.flags().nounset {
        let mut message = match &written.name {
            ParamName::Variable(name) if written.indirect => [b"!", &**name].concat(),
            ParamName::Positional(number) if written.indirect => format!("!{number}").into_bytes(),
            ParamName::Variable(name) => match &written.subscript {
                Some(Subscript::Index(word)) => [
                    name,
                    b"[".as_slice(),
                    &crate::syntax::print::print_word(word),
                    b"]",
                ]
                .concat(),
                // A nameref's own name.
                _ if target.key == Key::None => name.to_vec(),
                // An element behind a reference.
                _ => return Ok(()),
            },
            // In braces it goes by its bare name.
            _ => {
                let mut name = spelling(target);
                if written.braced && name.starts_with(b"$") {
                    name.remove(0);
                }
                name
            }
        };
        message.extend_from_slice(b": unbound variable");
        return Err(Failure::Fatal(message));
    }
    Ok(())
}

/// Assigns the word of `${x=word}`.
pub fn assign_default<H: ExpandHost>(host: &mut H, target: &Target, value: &[u8]) -> Outcome<(), H> {
    let refuse = |host: &H| {
        let _ = host;
        let mut message = spelling(target);
        message.extend_from_slice(b": cannot assign in this way");
        Failure::Discard(message)
    };
    let readonly = |failure| match failure {
        Failure::Discard(message) => Failure::Unassignable(message),
        failure => failure,
    };
    match (&target.name, &target.key) {
        (ParamName::Variable(name), Key::None) => host.assign(name, None, value).map_err(readonly),
        (ParamName::Variable(name), Key::Element(key)) => {
            host.assign(name, Some(key), value).map_err(readonly)
        }
        (ParamName::Variable(name), _) => {
            let message = [name, b"[@]: bad array subscript".as_slice()].concat();
            Err(Failure::Discard(message))
        }
        _ => Err(refuse(host)),
    }
}

/// The failure of `${x?word}`, which names a reference by its own name.
pub fn required<D>(written: &Param, target: &Target, colon: bool, word: &[u8], given: bool) -> Failure<D> {
    let mut message = match (&written.name, &written.subscript) {
        _ if written.indirect => spelling(target),
        (name, None) if !matches!(name, ParamName::Special(_)) => spelling(&Target {
            name: name.clone(),
            key: Key::None,
        }),
        (name, _) => spelling(&Target {
            name: name.clone(),
            key: target.key.clone(),
        }),
    };
    if message.first() == Some(&b'$') {
        message.remove(0);
    }
    message.extend_from_slice(b": ");
    if given {
        message.extend_from_slice(word);
    } else if colon {
        message.extend_from_slice(b"parameter null or not set");
    } else {
        message.extend_from_slice(b"parameter not set");
    }
    Failure::Fatal(message)
}

/// Does all of an operation that works on the value: everything but tests, names and keys.
pub fn operate<H: ExpandHost>(
    host: &mut H,
    param: &Param,
    target: &Target,
    subject: Subject,
    operands: &Operands,
) -> Outcome<Subject, H> {
    host.charge(match &subject {
        Subject::One(text) => text.as_ref().map_or(0, |text| text.len() as u64 / 32),
        Subject::Many { items, .. } => items.len() as u64 * 2,
    })?;
    match &param.op {
        ParamOp::Length => length(host, target, &subject),
        ParamOp::Trim { suffix, longest, .. } => {
            let pattern = compile(host, &operands.pattern);
            map(host, subject, |text| trim(text, &pattern, *suffix, *longest))
        }
        ParamOp::Replace { .. } => replace(host, subject, param, operands),
        ParamOp::Slice { .. } => slice(host, target, subject, operands),
        ParamOp::Case { kind, all, pattern } => {
            let pattern = pattern.as_ref().map(|_| compile(host, &operands.pattern));
            let change = transform::CaseChange {
                kind: *kind,
                all: *all,
                pattern: pattern.as_deref(),
                units: host.flags().units(),
            };
            map(host, subject, |text| change.apply(text))
        }
        ParamOp::Transform(letter) => transform::transform(host, target, subject, *letter),
        ParamOp::BadTransform(_) => match subject {
            Subject::One(None) => Ok(subject),
            Subject::Many { items, .. } if items.is_empty() => Ok(Subject::One(None)),
            _ => Err(Failure::BadSubstitution { fatal: true }),
        },
        _ => Ok(subject),
    }
}

fn compile<H: ExpandHost>(host: &mut H, pattern: &[u8]) -> std::sync::Arc<Pattern> {
    let extglob = host.flags().extglob;
    host.compile(
        pattern,
        PatternOptions {
            extglob,
            nocase: false,
            ..PatternOptions::default()
        },
    )
}

fn map<H: ExpandHost>(
    host: &H,
    subject: Subject,
    mut change: impl FnMut(&[u8]) -> Vec<u8>,
) -> Outcome<Subject, H> {
    Ok(match subject {
        Subject::One(text) => {
            host.charge(text.as_ref().map_or(0, |text| text.len() as u64 / 64))?;
            Subject::One(text.map(|text| change(&text)))
        }
        Subject::Many { items, star } => {
            host.charge(items.len() as u64 * cost::FIELD)?;
            Subject::Many {
                items: items.iter().map(|item| Text::from(change(item))).collect(),
                star,
            }
        }
    })
}

fn trim(text: &[u8], pattern: &Pattern, suffix: bool, longest: bool) -> Vec<u8> {
    let cut = match (suffix, longest) {
        (false, false) => pattern.shortest_prefix(text),
        (false, true) => pattern.longest_prefix(text),
        (true, false) => pattern.shortest_suffix(text),
        (true, true) => pattern.longest_suffix(text),
    };
    let cut = cut.unwrap_or(0);
    let kept = if suffix {
        text.get(..text.len() - cut)
    } else {
        text.get(cut..)
    };
    kept.unwrap_or(text).to_vec()
}

fn length<H: ExpandHost>(host: &mut H, target: &Target, subject: &Subject) -> Outcome<Subject, H> {
    let count = match subject {
        Subject::Many { items, .. } => items.len(),
        Subject::One(text) => {
            let text = text.as_deref().unwrap_or_default();
            if target.name == ParamName::Special(b'#') && text.is_empty() {
                host.positional().len()
            } else if host.flags().bytes {
                text.len()
            } else {
                crate::text::utf8::count(text)
            }
        }
    };
    Ok(Subject::One(Some(count.to_string().into_bytes())))
}

/// Which matches are meant: the mark may come out of an expansion (`${x/$p/r}` with `p='#a'`).
fn replacement_kind<'p>(param: &Param, pattern: &'p [u8]) -> (ReplaceKind, &'p [u8]) {
    let ParamOp::Replace {
        kind, pattern: word, ..
    } = &param.op
    else {
        return (ReplaceKind::First, pattern);
    };
    let expanded = !matches!(
        word.parts.first(),
        Some(Part::Literal(_) | Part::Escaped(_) | Part::Single(_))
    );
    if *kind != ReplaceKind::First || !expanded {
        return (*kind, pattern);
    }
    match pattern.split_first() {
        Some((b'/', rest)) => (ReplaceKind::All, rest),
        Some((b'#', rest)) => (ReplaceKind::Prefix, rest),
        Some((b'%', rest)) => (ReplaceKind::Suffix, rest),
        _ => (*kind, pattern),
    }
}

fn replace<H: ExpandHost>(
    host: &mut H,
    subject: Subject,
    param: &Param,
    operands: &Operands,
) -> Outcome<Subject, H> {
    let flags = host.flags();
    let (kind, pattern) = replacement_kind(param, &operands.pattern);
    // An anchored pattern may be empty: it matches at its end.
    if pattern.is_empty() && matches!(kind, ReplaceKind::First | ReplaceKind::All) {
        return Ok(subject);
    }
    let options = PatternOptions {
        extglob: flags.extglob,
        nocase: flags.nocasematch,
        ..PatternOptions::default()
    };
    let pattern = host.compile(pattern, options);
    let replacement = transform::Replacement::parse(&operands.replacement, flags.patsub_replacement);
    let mut failure = None;
    let result = map(host, subject, |text| {
        match replace_in(host, text, &pattern, kind, &replacement) {
            Ok(text) => text,
            Err(halt) => {
                failure = Some(halt);
                Vec::new()
            }
        }
    });
    match failure {
        Some(halt) => Err(Failure::Divert(halt.into())),
        None => result,
    }
}

fn replace_in<H: ExpandHost>(
    host: &H,
    text: &[u8],
    pattern: &Pattern,
    kind: ReplaceKind,
    replacement: &transform::Replacement,
) -> Result<Vec<u8>, crate::kernel::Halt> {
    let mut result = Vec::new();
    let mut at = 0;
    loop {
        let found = match kind {
            ReplaceKind::Prefix => pattern.longest_prefix(text).map(|end| (0, end)),
            ReplaceKind::Suffix => pattern
                .longest_suffix(text)
                .map(|size| (text.len() - size, text.len())),
            _ => pattern.find(text, at),
        };
        let Some((start, end)) = found else { break };
        result.extend_from_slice(text.get(at..start).unwrap_or_default());
        replacement.append(text.get(start..end).unwrap_or_default(), &mut result);
        host.charge(cost::FIELD)?;
        host.reserve(result.len())?;
        at = end;
        if end == start {
            // An empty match: keep one character and look on behind it.
            let step = crate::text::utf8::offset_of(text.get(at..).unwrap_or_default(), 1);
            result.extend_from_slice(text.get(at..at + step).unwrap_or_default());
            at += step;
        }
        if kind != ReplaceKind::All || at >= text.len() {
            break;
        }
    }
    result.extend_from_slice(text.get(at..).unwrap_or_default());
    Ok(result)
}

/// All elements of what is no array are its text.
fn of_scalar<H: ExpandHost>(host: &mut H, target: &Target, subject: Subject) -> Subject {
    match (&target.name, subject) {
        (ParamName::Variable(name), Subject::Many { mut items, star }) => match host.value(name) {
            Some(Value::Scalar(_)) => Subject::One(items.pop().map(|text| text.to_vec())),
            _ => Subject::Many { items, star },
        },
        (_, subject) => subject,
    }
}

fn slice<H: ExpandHost>(
    host: &mut H,
    target: &Target,
    subject: Subject,
    operands: &Operands,
) -> Outcome<Subject, H> {
    let bad_length = |length: i64| {
        let message = format!("{length}: substring expression < 0");
        Failure::Discard(message.into_bytes())
    };
    match of_scalar(host, target, subject) {
        Subject::One(None) => Ok(Subject::One(None)),
        Subject::One(Some(text)) if host.flags().bytes => {
            let range = range(text.len() as i64, operands, true).map_err(bad_length)?;
            let (start, end) = range.unwrap_or_default();
            let bytes = text.get(start..end).unwrap_or_default();
            Ok(Subject::One(Some(bytes.to_vec())))
        }
        Subject::One(Some(text)) => {
            let size = crate::text::utf8::count(&text) as i64;
            let Some((start, end)) = range(size, operands, true).map_err(bad_length)? else {
                return Ok(Subject::One(Some(Vec::new())));
            };
            Ok(Subject::One(Some(
                crate::text::utf8::slice(&text, start, end - start).to_vec(),
            )))
        }
        Subject::Many { items, star } => {
            let items = slice_items(host, target, items, operands).map_err(|error| match error {
                Some(length) => bad_length(length),
                None => bad_length(0),
            })?;
            Ok(Subject::Many { items, star })
        }
    }
}

fn slice_items<H: ExpandHost>(
    host: &mut H,
    target: &Target,
    items: Vec<Text>,
    operands: &Operands,
) -> Result<Vec<Text>, Option<i64>> {
    if let Some(length) = operands.length
        && length < 0
    {
        return Err(Some(length));
    }
    let wanted = operands.length.map_or(usize::MAX, |length| length as usize);
    if let ParamName::Variable(name) = &target.name {
        // Offsets are indices, so that holes count.
        if let Some(Value::Indexed(array)) = host.value(name) {
            let end = array.next_index();
            let start = if operands.offset < 0 {
                end + operands.offset
            } else {
                operands.offset
            };
            if start < 0 {
                return Ok(Vec::new());
            }
            let from = array.iter().filter(|(index, _)| *index >= start).take(wanted);
            return Ok(from.map(|(_, text)| text.clone()).collect());
        }
        let size = items.len() as i64;
        let start = if operands.offset < 0 {
            size + operands.offset
        } else {
            operands.offset
        };
        // bash counts the elements of an associative array from 1 here.
        let start = if matches!(host.value(name), Some(Value::Assoc(_))) {
            start.max(1) - 1
        } else {
            start
        };
        if start < 0 {
            return Ok(Vec::new());
        }
        return Ok(items.into_iter().skip(start as usize).take(wanted).collect());
    }
    let size = items.len() as i64;
    let start = if operands.offset < 0 {
        size + 1 + operands.offset
    } else {
        operands.offset
    };
    if start < 0 {
        return Ok(Vec::new());
    }
    // `${@:0}` starts with `$0`.
    let zero = Text::new(host.zero());
    Ok(std::iter::once(zero)
        .chain(items)
        .skip(start as usize)
        .take(wanted)
        .collect())
}

/// Start and end in characters; `None`: nothing. `Err`: the length that is too negative.
fn range(size: i64, operands: &Operands, _scalar: bool) -> Result<Option<(usize, usize)>, i64> {
    let start = if operands.offset < 0 {
        size + operands.offset
    } else {
        operands.offset
    };
    if start < 0 || start > size {
        return Ok(None);
    }
    let end = match operands.length {
        None => size,
        Some(length) if length < 0 => {
            let end = size + length;
            if end < start {
                return Err(length);
            }
            end
        }
        Some(length) => start.saturating_add(length).min(size),
    };
    Ok(Some((start as usize, end as usize)))
}

/// The names of `${!prefix*}` and the keys of `${!a[@]}`.
pub fn listing<H: ExpandHost>(host: &mut H, param: &Param, target: &Target) -> Option<Subject> {
    match &param.op {
        ParamOp::Names { at } => {
            let ParamName::Variable(prefix) = &param.name else {
                return None;
            };
            let items = host.names(prefix).iter().map(|name| Text::new(name)).collect();
            Some(Subject::Many { items, star: !at })
        }
        ParamOp::Keys { at } => {
            let ParamName::Variable(name) = &target.name else {
                return None;
            };
            let items = host.value(name).map(|value| value.keys()).unwrap_or_default();
            Some(Subject::Many { items, star: !at })
        }
        _ => None,
    }
}
