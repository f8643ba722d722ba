//! Arithmetic text to expression.

use super::arith::Expr;
use super::ast::Word;

/// The expression, where no expansion can change the shape of the text.
pub(super) fn compile(text: &Word) -> Option<Expr> {
    let _ = text;
    None
}
