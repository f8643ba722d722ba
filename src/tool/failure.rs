//! What can go wrong: [`InvalidInput`] before a tool runs, [`Failure`] when it does.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::path::show;
use super::workspace::Fault;
use crate::fs::Errno;

macro_rules! failure_codes {
    ($($(#[$page:meta])* $code:ident = $name:literal,)*) => {
        /// The reason in a word; stable.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
        pub enum FailureCode {
            $($(#[$page])* #[serde(rename = $name)] $code,)*
        }

        impl FailureCode {
            /// As it is written.
            pub fn name(self) -> &'static str {
                match self {
                    $(FailureCode::$code => $name,)*
                }
            }
        }
    };
}

failure_codes! {
    /// No such file or directory.
    NotFound = "sandbox.not_found",
    /// The file is not text.
    Binary = "sandbox.binary",
    /// A directory, where a file is wanted.
    IsDirectory = "sandbox.is_directory",
    /// The file cannot be written.
    WriteFailed = "sandbox.write_failed",
    /// The edit would change nothing.
    EditNoop = "sandbox.edit_noop",
    /// The text to replace is not in the file.
    EditNoMatch = "sandbox.edit_no_match",
    /// The text to replace is there more than once.
    EditNotUnique = "sandbox.edit_not_unique",
    /// A bad pattern, or a bad path to search.
    GrepFailed = "sandbox.grep_failed",
    /// The workspace cannot be reached.
    Unavailable = "sandbox.unavailable",
    /// The workspace did not start.
    StartFailed = "sandbox.start_failed",
    /// Anything else.
    Error = "sandbox.error",
}

/// Why a tool call failed, for the model to read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// The reason in a word.
    pub code: FailureCode,
    /// The reason in sentences.
    pub message: String,
}

impl Failure {
    /// A failure with its message.
    pub fn new(code: FailureCode, message: impl Into<String>) -> Failure {
        Failure {
            code,
            message: message.into(),
        }
    }

    /// What a fault at a path means to the model; `other` is the code for what has none of its own.
    pub(super) fn at(path: &[u8], fault: Fault, other: FailureCode) -> Failure {
        let errno = match fault {
            Fault::Workspace(failure) => return failure,
            Fault::File(errno) => errno,
        };
        let code = match errno {
            Errno::ENOENT | Errno::ENOTDIR => FailureCode::NotFound,
            Errno::EISDIR => FailureCode::IsDirectory,
            _ => other,
        };
        let message = match errno {
            Errno::EINVAL => "Not a regular file",
            other => other.message(),
        };
        Failure::new(code, format!("{}: {message}", show(path)))
    }

    /// The host cancelled a call that runs no command.
    pub(super) fn cancelled() -> Failure {
        Failure::new(FailureCode::Error, "cancelled")
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}

/// The input of a call does not fit the tool's schema, or there is no such tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidInput {
    /// The tool.
    pub tool: String,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for InvalidInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.tool, self.message)
    }
}

impl std::error::Error for InvalidInput {}
