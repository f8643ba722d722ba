//! Byte text: lines, UTF-8, escapes, numbers, formats, columns, quoting. Pure: no clock, no I/O.

pub mod gnu_quote;
pub mod mode;
mod unicode_tables;
pub mod utf8;
