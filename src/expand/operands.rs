//! The operands of `${x#…}`, `${x/…/…}`, `${x:…}` and their like, expanded.

use super::Mode;
use super::host::{ExpandHost, Failure};
use super::param::Operands;
use super::word::{arithmetic, arithmetic_now, text, text_now};
use crate::syntax::ast::{Param, ParamName, ParamOp};

type Outcome<T, H> = Result<T, Failure<<H as ExpandHost>::Divert>>;

/// The operands of a pure parameter.
pub(super) fn operands_now<H: ExpandHost>(host: &mut H, param: &Param) -> Outcome<Operands, H> {
    let mut operands = Operands::default();
    match &param.op {
        ParamOp::Trim { pattern, .. } => operands.pattern = text_now(host, pattern, Mode::Pattern)?,
        ParamOp::Case {
            pattern: Some(pattern),
            ..
        } => operands.pattern = text_now(host, pattern, Mode::Pattern)?,
        ParamOp::Replace {
            pattern, replacement, ..
        } => {
            operands.pattern = text_now(host, pattern, Mode::Pattern)?;
            if let Some(word) = replacement {
                operands.replacement = text_now(host, word, Mode::Replacement)?;
            }
        }
        ParamOp::Slice { offset, length } => {
            operands.offset = arithmetic_now(host, offset).map_err(|failure| named(param, failure))?;
            operands.length = match length {
                Some(length) => Some(arithmetic_now(host, length).map_err(|failure| named(param, failure))?),
                None => None,
            };
        }
        _ => {}
    }
    Ok(operands)
}

/// bash names the parameter before an error in its offset or length.
fn named<D>(param: &Param, failure: Failure<D>) -> Failure<D> {
    match (failure, &param.name) {
        (Failure::Arith(message), ParamName::Variable(name)) => {
            Failure::Discard([name, b": ".as_slice(), &message].concat())
        }
        (failure, _) => failure,
    }
}

/// The operands of any.
pub(super) async fn operands<H: ExpandHost>(host: &mut H, param: &Param) -> Outcome<Operands, H> {
    let mut operands = Operands::default();
    match &param.op {
        ParamOp::Trim { pattern, .. }
        | ParamOp::Case {
            pattern: Some(pattern),
            ..
        } => {
            operands.pattern = text(host, pattern, Mode::Pattern).await?;
        }
        ParamOp::Replace {
            pattern, replacement, ..
        } => {
            operands.pattern = text(host, pattern, Mode::Pattern).await?;
            if let Some(word) = replacement {
                operands.replacement = text(host, word, Mode::Replacement).await?;
            }
        }
        ParamOp::Slice { offset, length } => {
            operands.offset = arithmetic(host, offset)
                .await
                .map_err(|failure| named(param, failure))?;
            operands.length = match length {
                Some(length) => Some(
                    arithmetic(host, length)
                        .await
                        .map_err(|failure| named(param, failure))?,
                ),
                None => None,
            };
        }
        _ => {}
    }
    Ok(operands)
}
