//! What a parameter gave is put into the word: as one text, or as a list that `IFS` joins or fields take apart.

use super::fields::{Builder, Mode};
use super::host::{ExpandHost, Failure};
use super::param::Subject;
use super::value::Text;
use crate::kernel::cost;
use crate::syntax::ast::{Param, ParamName, ParamOp};

type Outcome<T, H> = Result<T, Failure<<H as ExpandHost>::Divert>>;

/// Puts a value into the word.
pub fn emit<H: ExpandHost>(
    host: &mut H,
    subject: Subject,
    quoted: bool,
    into: &mut Builder,
) -> Outcome<(), H> {
    match subject {
        Subject::One(None) => {
            if quoted {
                into.quoted(b"");
            }
        }
        Subject::One(Some(text)) => put(host, &text, quoted, into)?,
        Subject::Many { items, star } => emit_many(host, &items, star, quoted, into)?,
    }
    Ok(())
}

/// Puts what a parameter with its operation gave into the word. Without separators, lists of names and elements that are cut to size are one text
/// with blanks.
pub fn emit_of<H: ExpandHost>(
    host: &mut H,
    param: &Param,
    subject: Subject,
    quoted: bool,
    into: &mut Builder,
) -> Outcome<(), H> {
    let elements = matches!(param.name, ParamName::Variable(_));
    let blanks = match &param.op {
        ParamOp::Names { at } | ParamOp::Keys { at } => !at,
        ParamOp::Trim { .. } => elements,
        _ => false,
    };
    match subject {
        Subject::Many { items, .. }
            if blanks && !quoted && into.mode() == Mode::Fields && host.ifs().joiner.is_empty() =>
        {
            host.reserve(items.iter().map(|item| item.len() + 1).sum())?;
            // bash puts nothing between names.
            let joiner = if matches!(param.op, ParamOp::Names { .. }) {
                ""
            } else {
                " "
            };
            let joined = bstr::join(joiner, items.iter().map(Text::as_slice));
            put(host, &joined, quoted, into)
        }
        subject => emit(host, subject, quoted, into),
    }
}

/// Texts of fewer bytes cost no more than the step of their command.
const LARGE: usize = 1024;

/// Bytes that a field takes beside its text.
const FIELD: usize = 96;

/// Puts what an expansion gave into the word; pays for a large text, and asks for the room of the fields it falls into.
pub fn put<H: ExpandHost>(host: &mut H, text: &[u8], quoted: bool, into: &mut Builder) -> Outcome<(), H> {
    if text.len() >= LARGE {
        pay(host, text, !quoted && into.mode() == Mode::Fields)?;
    }
    if quoted {
        into.quoted(text);
    } else {
        into.value(text, false, host.ifs());
    }
    Ok(())
}

/// The charge of [`put`].
fn pay<H: ExpandHost>(host: &mut H, text: &[u8], splits: bool) -> Outcome<(), H> {
    host.charge(text.len() as u64 / if splits { 8 } else { 64 })?;
    let fields = if splits {
        let ifs = host.ifs();
        text.iter().filter(|byte| ifs.class(**byte) != 0).count()
    } else {
        0
    };
    host.reserve(text.len().saturating_add(fields.saturating_mul(FIELD)))?;
    Ok(())
}

fn emit_many<H: ExpandHost>(
    host: &mut H,
    items: &[Text],
    star: bool,
    quoted: bool,
    into: &mut Builder,
) -> Outcome<(), H> {
    host.charge(items.len() as u64 * cost::FIELD)?;
    let ifs = host.ifs();
    into.count_elements(items.len());
    let list = into.mode() == Mode::Fields;
    // Unquoted, both are joined and split again, so that empty elements count as `IFS` says.
    // Where no fields come out, `$@` is joined with blanks.
    let join = if list && !quoted {
        !ifs.joiner.is_empty()
    } else {
        star || !list
    };
    if join {
        let blank = into.mode() == Mode::Document || (!star && !list);
        let joiner = if blank { b" ".to_vec() } else { ifs.joiner.clone() };
        let bytes: usize = items.iter().map(|item| item.len() + joiner.len()).sum();
        host.reserve(bytes)?;
        let joined = bstr::join(joiner, items.iter().map(Text::as_slice));
        return put(host, &joined, quoted, into);
    }
    for (i, item) in items.iter().enumerate() {
        if i > 0 {
            into.break_field();
        }
        put(host, item, quoted, into)?;
    }
    Ok(())
}
