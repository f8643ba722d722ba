//! Shell patterns and POSIX regular expressions, compiled once, with bounded matching. Pure.
//!
//! - [`Pattern`] is a shell pattern: `case`, `[[ == ]]`, `${x#p}`, `${x/p/r}` and file name generation.
//! - [`escape`], [`unescape`] and [`has_glob`] are the *escaped form* in which the expander hands over what was
//!   quoted: `\c` stands for the character `c`, everything else is active.
//! - [`Regex`] is a POSIX regular expression: `grep`, `sed`, `awk`, `[[ =~ ]]`; or a Perl one for `grep -P`.
//! - [`fold`] and [`unit_at`] are the character rules of `C.UTF-8`; the classes are in [`text::class`](crate::text::class).
//!
//! Everything works on bytes. A *unit* is one UTF-8 character, or one byte that is not part of any; units are
//! what `?` and brackets match.

mod automaton;
mod bracket;
mod glob;
mod quote;
mod regex;
mod sequence;
mod shell_syntax;
mod unit;

pub use glob::{Pattern, PatternOptions};
pub use quote::{escape, has_glob, unescape};
pub use regex::{Bound, Captures, Regex, RegexError, RegexOptions, Syntax};
pub use unit::{INVALID, Units, fold, unit_at, unit_before};
