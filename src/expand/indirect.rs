//! `${!x}`: the parameter that a value names.

use super::host::{ExpandHost, Failure};
use super::param::{self, Subject};
use super::subscript;
use super::value::Text;
use super::word::is_name;
use crate::syntax::ast::{Param, ParamName, ParamOp, Subscript, Word};

type Outcome<T, H> = Result<T, Failure<<H as ExpandHost>::Divert>>;

/// The value names the parameter that is meant.
pub(super) fn is_indirect(param: &Param) -> bool {
    param.indirect && !matches!(param.op, ParamOp::Names { .. } | ParamOp::Keys { .. })
}

/// What `${!x}` points to.
pub(super) struct Pointed {
    /// The parameter, with the same operation.
    pub param: Param,
    /// Its evaluated subscript.
    pub key: Option<Vec<u8>>,
    /// Its value, where it is the name itself.
    pub known: Option<Subject>,
}

/// `${!x…}`: the parameter that the value names. Of a nameref it is the name it refers to.
pub(super) fn indirect<H: ExpandHost>(
    host: &mut H,
    param: &Param,
    key: Option<Vec<u8>>,
) -> Outcome<Pointed, H> {
    if let (ParamName::Variable(name), None) = (&param.name, &param.subscript)
        && let Some(target) = host.nameref(name)
    {
        let direct = Param {
            indirect: false,
            ..param.clone()
        };
        return Ok(Pointed {
            param: direct,
            key: None,
            known: Some(Subject::One(Some(target))),
        });
    }
    let target = param::target(host, param, key);
    let text = match param::subject(host, &target)? {
        Subject::One(Some(text)) => text,
        Subject::One(None) if exists(host, &target.name) => {
            return Ok(nothing(param));
        }
        Subject::One(None) => {
            let mut message = param::spelling(&target);
            message.extend_from_slice(b": invalid indirect expansion");
            return Err(Failure::Discard(message));
        }
        Subject::Many { items, .. } => bstr::join(" ", items.iter().map(Text::as_slice)),
    };
    let (name, subscript) = parse_name(&text)
        .ok_or_else(|| Failure::Discard([&text, b": invalid variable name".as_slice()].concat()))?;
    let mut pointed = Param {
        name,
        subscript: None,
        indirect: false,
        op: param.op.clone(),
        braced: true,
    };
    let mut key = None;
    match subscript {
        None => {}
        Some(b"@") => pointed.subscript = Some(Subscript::At),
        Some(b"*") => pointed.subscript = Some(Subscript::Star),
        Some(text) => {
            let written = Word::subscript(text);
            key = Some(match written.pure {
                true => subscript::now(host, &pointed.name, &written)?,
                false => subscript::of_text(host, &pointed.name, text.to_vec())?,
            });
            pointed.subscript = Some(Subscript::Index(Box::default()));
        }
    }
    Ok(Pointed {
        param: pointed,
        key,
        known: None,
    })
}

/// A variable that was declared, or whose elements are others; positional parameters always are there.
fn exists<H: ExpandHost>(host: &H, name: &ParamName) -> bool {
    match name {
        ParamName::Variable(name) => host.attributes(name).is_some(),
        ParamName::Positional(_) => true,
        ParamName::Special(_) => false,
    }
}

/// What a variable without a value points to.
fn nothing(param: &Param) -> Pointed {
    Pointed {
        param: Param {
            indirect: false,
            ..param.clone()
        },
        key: None,
        known: Some(Subject::One(None)),
    }
}

/// Splits `name`, `name[subscript]`, `1` or `@` as found in a value.
fn parse_name(text: &[u8]) -> Option<(ParamName, Option<&[u8]>)> {
    if let [special @ (b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!')] = text {
        return Some((ParamName::Special(*special), None));
    }
    if !text.is_empty() && text.iter().all(u8::is_ascii_digit) {
        let number = bstr::ByteSlice::to_str(text).ok()?.parse().ok()?;
        return Some((ParamName::Positional(number), None));
    }
    let (name, subscript) = match text.iter().position(|byte| *byte == b'[') {
        Some(open) => {
            let inner = text.get(open + 1..)?.strip_suffix(b"]")?;
            (text.get(..open)?, Some(inner))
        }
        None => (text, None),
    };
    is_name(name).then(|| (ParamName::Variable(name.into()), subscript))
}
