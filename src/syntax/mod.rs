//! The language: tree, parser, printer. Pure.

mod ansi;
pub mod arith;
mod arith_parser;
mod assign;
pub mod ast;
mod attach;
mod command;
mod compound;
mod cond;
mod cursor;
mod dollar;
mod error;
mod heredoc;
mod param;
mod parser;
pub mod print;
mod redirect;
mod report;
mod simple;
mod substitution;
mod token;
mod word;

pub use error::SyntaxError;
pub use parser::{MAX_DEPTH, ParseEnv, Parser, parse_all, parse_double_quoted};
