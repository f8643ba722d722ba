//! Byte text: lines, UTF-8, escapes, numbers, formats, columns, quoting. Pure: no clock, no I/O.

mod big;
pub mod class;
pub mod columns;
pub mod date_parse;
mod date_words;
pub mod escape;
pub mod float_format;
pub mod format;
pub mod gnu_quote;
pub mod human;
pub mod json;
pub mod long_double;
pub mod mode;
pub mod number;
pub mod printf;
pub mod quote;
pub mod strftime;
#[allow(clippy::unreadable_literal)] // generated tables of code points
mod unicode_tables;
pub mod utf8;
pub mod version;
pub mod zone;
