//! Elements of plain arrays, `${a[i]}`, and operations on plain strings whose operands are plain text or numbers: `${x#ab}`, `${x/a/b}`,
//! `${x:1:3}`, `${x^^}`, `${#x}`.
//!
//! They are what loops are full of, and need neither a compiled pattern nor a copy of the value. Whatever is more than that is left to [`super::param`],
//! which does the same at length.

use super::arith::Key;
use super::fields::Builder;
use super::host::{ExpandHost, Failure};
use super::transform::CaseChange;
use super::value::Text;
use super::{arith, emit};
use crate::syntax::ast::{Arith, Name, Param, ParamName, ParamOp, Part, ReplaceKind, Subscript, Word};

type Outcome<T, H> = Result<T, Failure<<H as ExpandHost>::Divert>>;

/// Puts the value of such an operation into the word. `false`: it is none, and nothing has happened.
pub fn operation<H: ExpandHost>(
    host: &mut H,
    param: &Param,
    quoted: bool,
    into: &mut Builder,
) -> Outcome<bool, H> {
    let ParamName::Variable(name) = &param.name else {
        return Ok(false);
    };
    if param.subscript.is_some() || param.indirect || matches!(param.op, ParamOp::Get) {
        return Ok(false);
    }
    let Some(text) = host.plain_text(name).cloned() else {
        return Ok(false);
    };
    let mut buffer = host.buffer();
    let done = match changed(host, param, &text, &mut buffer) {
        Some(value) => {
            host.charge(text.len() as u64 / 32)?;
            emit::put(host, value, quoted, into)?;
            true
        }
        None => false,
    };
    host.give_back(buffer);
    Ok(done)
}

/// Puts an element of an array into the word. `false`: more has to be done than to look at it, and nothing has happened.
pub fn element<H: ExpandHost>(
    host: &mut H,
    param: &Param,
    quoted: bool,
    into: &mut Builder,
) -> Outcome<bool, H> {
    let (ParamOp::Get, ParamName::Variable(name), Some(Subscript::Index(word)), false) =
        (&param.op, &param.name, &param.subscript, param.indirect)
    else {
        return Ok(false);
    };
    let Some(key) = key(host, name, word) else {
        return Ok(false);
    };
    let Some(text) = host.plain_element(name, &key).cloned() else {
        return Ok(false);
    };
    emit::put(host, &text, quoted, into)?;
    Ok(true)
}

/// Which element a subscript means, where a look tells it: a number, or a text that stands there or is that of a parameter.
pub fn key<H: ExpandHost>(host: &H, name: &Name, subscript: &Word) -> Option<Key> {
    if host.is_numbered(name) {
        let index = arith::number_at_once(host, subscript.index.as_deref()?)?;
        return (index >= 0).then_some(Key::Index(index));
    }
    if !host.is_plain_assoc(name) {
        return None;
    }
    let text = match subscript.parts.as_slice() {
        [Part::Literal(text)] => Text::new(text),
        [Part::Param(param)] => arith::plain_param(host, param)?.clone(),
        [Part::Double { parts, .. }] => match parts.as_slice() {
            [Part::Param(param)] => arith::plain_param(host, param)?.clone(),
            _ => return None,
        },
        _ => return None,
    };
    (!text.is_empty()).then_some(Key::Text(text))
}

/// The value: a part of the text, or what was put into the buffer.
fn changed<'v, H: ExpandHost>(
    host: &H,
    param: &Param,
    text: &'v Text,
    buffer: &'v mut Vec<u8>,
) -> Option<&'v [u8]> {
    match &param.op {
        ParamOp::Length => {
            let count = match host.flags().bytes {
                true => text.len(),
                false => crate::text::utf8::count(text),
            };
            buffer.extend_from_slice(itoa::Buffer::new().format(count).as_bytes());
            Some(buffer)
        }
        ParamOp::Trim { suffix, pattern, .. } => {
            let cut = literal(pattern)?;
            let kept = match suffix {
                true => text.strip_suffix(cut),
                false => text.strip_prefix(cut),
            };
            Some(kept.unwrap_or(text))
        }
        ParamOp::Replace {
            kind: ReplaceKind::First,
            pattern,
            replacement,
        } if !host.flags().nocasematch => replaced(text, pattern, replacement.as_deref(), buffer),
        ParamOp::Slice { offset, length } => {
            let offset = at_once(host, offset)?;
            let length = match length {
                Some(length) => Some(at_once(host, length)?),
                None => None,
            };
            slice(text, offset, length)
        }
        ParamOp::Case {
            kind,
            all,
            pattern: None,
        } => {
            CaseChange::plain(*kind, *all, host.flags().units()).append(text, buffer);
            Some(buffer)
        }
        _ => None,
    }
}

/// The first of a text's places where a plain pattern matches is replaced.
fn replaced<'v>(
    text: &'v Text,
    pattern: &Word,
    replacement: Option<&Word>,
    buffer: &'v mut Vec<u8>,
) -> Option<&'v [u8]> {
    let wanted = literal(pattern)?;
    let replacement = replacement.map_or(Some(&b""[..]), literal)?;
    if wanted.is_empty() || replacement.contains(&b'&') {
        return None;
    }
    let Some(at) = memchr::memmem::find(text, wanted) else {
        return Some(text);
    };
    buffer.extend_from_slice(text.get(..at)?);
    buffer.extend_from_slice(replacement);
    buffer.extend_from_slice(text.get(at + wanted.len()..)?);
    Some(buffer)
}

/// The text of a pattern in which nothing is active, or of a replacement.
fn literal(word: &Word) -> Option<&[u8]> {
    match word.parts.as_slice() {
        [] => Some(b""),
        [Part::Literal(text)] if !text.iter().any(|byte| b"*?[\\(".contains(byte)) => Some(text),
        _ => None,
    }
}

/// A number that is there without any effect.
fn at_once<H: ExpandHost>(host: &H, arith: &Arith) -> Option<i64> {
    arith::number_at_once(host, arith.compiled.as_deref()?)
}

/// Characters of ASCII text, where offset and length are inside of it or beyond its end.
fn slice(text: &Text, offset: i64, length: Option<i64>) -> Option<&[u8]> {
    let start = usize::try_from(offset).ok()?;
    let length = match length {
        Some(length) => usize::try_from(length).ok()?,
        None => usize::MAX,
    };
    if !text.is_ascii() {
        return None;
    }
    let rest = text.get(start..).unwrap_or_default();
    Some(rest.get(..length).unwrap_or(rest))
}
