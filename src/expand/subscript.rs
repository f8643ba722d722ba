//! Subscripts: a string for an associative array, arithmetic for an indexed one.
//!
//! An index is expanded as if in double quotes, so that quotes of the other kinds stay in it; an error in it abandons everything that is being
//! read, as bash does.

use super::host::{ExpandHost, Failure};
use super::{Mode, arith, word};
use crate::syntax::ast::{Name, ParamName, Part, Word};

type Outcome<T, H> = Result<T, Failure<<H as ExpandHost>::Divert>>;

/// Evaluates a subscript: a string for an associative array, else arithmetic, as a decimal number.
pub async fn value<H: ExpandHost>(host: &mut H, name: &ParamName, written: &Word) -> Outcome<Vec<u8>, H> {
    let quoted = quotes_kept(host, name, written);
    let text = word::text(host, quoted.as_ref().unwrap_or(written), Mode::Single).await?;
    of_written(host, name, written, text)
}

/// An index is expanded as if in double quotes: single quotes and backslashes stay, and fail as arithmetic.
fn quotes_kept<H: ExpandHost>(host: &mut H, name: &ParamName, written: &Word) -> Option<Word> {
    match name {
        ParamName::Variable(name) if !host.is_assoc(name) => with_quotes(written),
        _ => None,
    }
}

fn with_quotes(written: &Word) -> Option<Word> {
    let kept = |part: &Part| matches!(part, Part::Single(_) | Part::Escaped(_));
    if !written.parts.iter().any(kept) {
        return None;
    }
    let parts = written.parts.iter().map(|part| match part {
        Part::Single(text) => Part::Literal([b"'", &**text, b"'"].concat().into()),
        Part::Escaped(byte) if b"$`\\\"".contains(byte) => Part::Literal([*byte][..].into()),
        Part::Escaped(byte) => Part::Literal([b'\\', *byte][..].into()),
        part => part.clone(),
    });
    Some(Word {
        parts: parts.collect(),
        ..written.clone()
    })
}

/// What is written as a subscript and gives only blanks is index 0.
fn of_written<H: ExpandHost>(
    host: &mut H,
    name: &ParamName,
    written: &Word,
    text: Vec<u8>,
) -> Outcome<Vec<u8>, H> {
    let key = of_text(host, name, text)?;
    let assoc = matches!(name, ParamName::Variable(name) if host.is_assoc(name));
    if key.is_empty() && !written.parts.is_empty() && !assoc {
        return Ok(b"0".to_vec());
    }
    Ok(key)
}

/// Evaluates a pure subscript.
pub fn now<H: ExpandHost>(host: &mut H, name: &ParamName, written: &Word) -> Outcome<Vec<u8>, H> {
    if let ParamName::Variable(name) = name {
        return of_variable(host, name, written);
    }
    let text = word::text_now(host, written, Mode::Single)?;
    let key = index_of(host, text)?;
    Ok(zero_where_blank(key, written))
}

/// The same for a variable.
pub fn of_variable<H: ExpandHost>(host: &mut H, name: &Name, written: &Word) -> Outcome<Vec<u8>, H> {
    if let [Part::Literal(text)] = written.parts.as_slice()
        && text.len() < 10
        && text.iter().all(u8::is_ascii_digit)
        && (text.len() == 1 || text.first() != Some(&b'0'))
    {
        return Ok(text.to_vec());
    }
    if host.is_assoc(name) {
        return word::text_now(host, written, Mode::Single);
    }
    let quoted = with_quotes(written);
    let text = word::text_now(host, quoted.as_ref().unwrap_or(written), Mode::Single)?;
    let key = index_of(host, text)?;
    Ok(zero_where_blank(key, written))
}

fn zero_where_blank(key: Vec<u8>, written: &Word) -> Vec<u8> {
    if key.is_empty() && !written.parts.is_empty() {
        return b"0".to_vec();
    }
    key
}

/// Evaluates the text of a subscript.
pub(super) fn of_text<H: ExpandHost>(host: &mut H, name: &ParamName, text: Vec<u8>) -> Outcome<Vec<u8>, H> {
    if let ParamName::Variable(name) = name
        && host.is_assoc(name)
    {
        return Ok(text);
    }
    index_of(host, text)
}

/// A subscript as arithmetic, in decimal.
fn index_of<H: ExpandHost>(host: &mut H, text: Vec<u8>) -> Outcome<Vec<u8>, H> {
    if arith::is_canonical(&text) {
        return Ok(text);
    }
    if text.trim_ascii().is_empty() {
        return Ok(Vec::new());
    }
    if word::is_name(&text)
        && let arith::Integer::Number(index) = host.integer_of(&text)
    {
        return Ok(index.to_string().into_bytes());
    }
    match arith::evaluate(host, &text) {
        Ok(index) => Ok(index.to_string().into_bytes()),
        // An index that cannot be evaluated abandons everything.
        Err(Failure::Arith(message)) => Err(Failure::Top(message)),
        Err(failure) => Err(failure),
    }
}
