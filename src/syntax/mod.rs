//! The language: tree, parser, printer. Pure.
//!
//! - `ast` and `arith` hold the trees; they keep how words were quoted and spelled, so that `print` can give a function back
//!   as `declare -f` does, byte for byte.
//! - `parser` is the face: [`Parser`] owns a source and gives one complete command at a time, because what a line defines
//!   (aliases, `extglob`) acts on the next. [`ParseEnv`] is all it asks of the shell.
//! - The productions stand one family a file, each a method named as in `grammar/bash.md`: `command`, `simple`, `compound`,
//!   `cond`, `redirect` and `heredoc`, `assign`, `word`, `dollar`, `param`, `substitution`, `arith_parser`.
//!   They look at the bytes through `cursor` (which hides line continuations and alias texts) and `token`.
//! - `report` says errors in bash's sentences, with the lines bash names.
//!
//! The parser is predictive and linear. Two places need to look far ahead, `((` and `$((`: what is read there twice is
//! paid from a budget, so that nothing is exponential. Nesting is bounded ([`MAX_DEPTH`]), so that neither the parser nor
//! what walks or drops its trees can overflow a stack.
//!
//! What is read is judged by real bash in `tests/syntax_oracle.rs`.

mod ansi;
pub mod arith;
mod arith_lexer;
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
mod name;
mod param;
mod parser;
pub mod print;
mod redirect;
mod report;
mod simple;
mod stages;
mod substitution;
mod token;
mod verbatim;
mod word;

pub use error::{ParseLimit, SyntaxError};
pub use parser::{MAX_DEPTH, ParseEnv, Parser, parse_all, parse_double_quoted};
