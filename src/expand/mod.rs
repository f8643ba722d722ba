//! What words mean: the order of expansion stands here once.
//!
//! For one word of a command, as the bash manual's "Shell Expansions" says:
//! 1. [`brace`]: one word becomes several, on the unexpanded parts;
//! 2. left to right over the parts ([`word`]): tilde, parameter ([`param`]), command substitution, [`arith`], process substitution;
//! 3. what came out of unquoted expansions is split by `IFS` while it is appended ([`fields`]);
//! 4. fields with unquoted glob characters are matched against the tree ([`glob`]);
//! 5. quote removal needs no step: quoting is known part by part, and never enters the text.
//!
//! This layer sees the shell only through [`ExpandHost`]. Words that are `pure` (no command or process substitution) are expanded by
//! plain functions; the others by futures that reuse the same pieces, so that what waits is only the substitution itself.

pub mod arith;
pub mod arith_text;
mod assoc;
pub mod brace;
pub mod direct;
mod emit;
pub mod fields;
pub mod glob;
mod host;
mod indexed;
mod indirect;
mod operands;
pub mod param;
pub mod readback;
pub mod subscript;
mod transform;
pub mod value;
pub mod word;

pub use assoc::{Assoc, hash as assoc_hash};
pub use fields::{Builder, Mode};
pub use host::{ExpandFlags, ExpandHost, Failure, Ifs};
pub use indexed::Indexed;
pub use transform::CaseChange;
pub use value::{Attributes, Text, Value, Variable};
