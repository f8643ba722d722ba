//! The language: tree, parser, printer. Pure.

pub mod arith;
pub mod ast;
mod error;

pub use error::SyntaxError;
