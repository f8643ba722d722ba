//! The only option parser and `--help` renderer, for builtins and programs.
//!
//! A program's options are one static table, a [`Spec`], which yields both the parser (glibc's `getopt_long`) and the help
//! text. Builtins of bash have a [`BuiltinSpec`] (bash's `internal_getopt`, which never permutes and has no long options).
//! A program parses its arguments into a struct of its own before it does anything; flags are data.
//!
//! ```
//! use exuvia::args::{COREUTILS, Opt, Spec};
//!
//! #[derive(Debug, Clone, Copy, PartialEq)]
//! enum Flag { Number, Lines }
//!
//! static SPEC: Spec<Flag> = Spec::new("demo", COREUTILS, &["[OPTION]... [FILE]..."], "Show each FILE.", &[
//!     Opt::flag(Flag::Number, 'n', "number", "number all lines"),
//!     Opt::required(Flag::Lines, 'l', "lines", "NUM", "stop after NUM lines"),
//! ]);
//!
//! let parsed = SPEC.parse(&[b"-nl3".to_vec(), b"x".to_vec()]).unwrap();
//! assert_eq!(parsed.operands, [b"x".to_vec()]);
//! assert!(parsed.options[1] == (Flag::Lines, Some(b"3".to_vec())));
//!
//! let error = SPEC.parse(&[b"-z".to_vec()]).unwrap_err();
//! assert_eq!(error.text(b"demo"), b"demo: invalid option -- 'z'\nTry 'demo --help' for more information.\n");
//! ```

mod block_size;
mod builtin;
mod builtin_usage;
mod choice;
mod count;
mod echo;
mod getopt;
mod help;
mod spec;
mod usage;

pub use block_size::{BlockSize, BlockSizeError};
pub use builtin::{BuiltinError, BuiltinOption, BuiltinParsed, BuiltinSpec};
pub use builtin_usage::{BuiltinUsage, builtin_usage, builtin_usages};
pub use choice::{ChoiceError, choose};
pub use count::{CountError, parse_count, parse_count_in, parse_signed_count};
pub use echo::EchoSwitches;
pub use getopt::Parsed;
pub use spec::{
    COREUTILS, Complaint, DIFFUTILS, FINDUTILS, GREP, Opt, Order, Package, SED, Spec, TAR, UTIL_LINUX, Value,
};
pub use usage::{Outcome, UsageError};

/// Quoting of words in messages, so that programs need not reach further.
pub use crate::text::gnu_quote::{quote, quoteaf, quotef};
