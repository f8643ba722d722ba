//! An operand of a declaration builtin: `name`, `name=value`, `name[subscript]+=value`.
//!
//! Brackets and quotes of a subscript are in pairs, as where bash looks whether something may be assigned to.

use crate::interp::split_reference;
use crate::syntax::arith::subscript_length;

/// An argument cut into its pieces.
pub(super) struct Operand<'a> {
    pub name: &'a [u8],
    /// Between the brackets.
    pub key: Option<&'a [u8]>,
    /// `+=`
    pub append: bool,
    /// Behind the `=`.
    pub value: Option<&'a [u8]>,
}

pub(super) fn cut(operand: &[u8]) -> Operand<'_> {
    let equals = value_start(operand);
    let (left, value) = match equals {
        Some(at) => (operand.get(..at).unwrap_or_default(), operand.get(at + 1..)),
        None => (operand, None),
    };
    let append = value.is_some() && left.last() == Some(&b'+');
    let left = if append {
        left.get(..left.len() - 1).unwrap_or_default()
    } else {
        left
    };
    let (name, key) = match left.strip_suffix(b"[]") {
        Some(name) => (name, Some(&b""[..])),
        None => split_reference(left).unwrap_or((left, None)),
    };
    Operand {
        name,
        key,
        append,
        value,
    }
}

/// The `=` behind the name, or behind a subscript's bracket.
fn value_start(operand: &[u8]) -> Option<usize> {
    let end = operand.iter().position(|byte| matches!(byte, b'=' | b'['))?;
    let inside = match operand.get(end) {
        Some(b'[') => operand.get(end + 1..).unwrap_or_default(),
        _ => return Some(end),
    };
    let close = end + 1 + subscript_length(inside)?;
    match operand.get(close + 1..) {
        Some([b'=', ..]) => Some(close + 1),
        Some([b'+', b'=', ..]) => Some(close + 2),
        _ => None,
    }
}
