//! What can go wrong: [`InvalidInput`] before a tool runs, [`Failure`] when it does.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::path::show;
use super::workspace::Fault;
use crate::fs::Errno;

/// The reason in a word; stable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum FailureCode {
    /// No such file or directory.
    #[serde(rename = "sandbox.not_found")]
    NotFound,
    /// The file is not text.
    #[serde(rename = "sandbox.binary")]
    Binary,
    /// A directory, where a file is wanted.
    #[serde(rename = "sandbox.is_directory")]
    IsDirectory,
    /// The file cannot be written.
    #[serde(rename = "sandbox.write_failed")]
    WriteFailed,
    /// The edit would change nothing.
    #[serde(rename = "sandbox.edit_noop")]
    EditNoop,
    /// The text to replace is not in the file.
    #[serde(rename = "sandbox.edit_no_match")]
    EditNoMatch,
    /// The text to replace is there more than once.
    #[serde(rename = "sandbox.edit_not_unique")]
    EditNotUnique,
    /// A bad pattern, or a bad path to search.
    #[serde(rename = "sandbox.grep_failed")]
    GrepFailed,
    /// The workspace cannot be reached.
    #[serde(rename = "sandbox.unavailable")]
    Unavailable,
    /// The workspace did not start.
    #[serde(rename = "sandbox.start_failed")]
    StartFailed,
    /// Anything else.
    #[serde(rename = "sandbox.error")]
    Error,
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
