//! What the tools answer.

use serde::{Deserialize, Serialize};

use super::failure::Failure;

/// The end of a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Outcome {
    /// The tool did its work. A command that exits with a status other than 0 has done so, too.
    Completed {
        /// What it answers.
        output: Reply,
    },
    /// It could not.
    Failed(Failure),
}

impl From<Result<Reply, Failure>> for Outcome {
    fn from(result: Result<Reply, Failure>) -> Outcome {
        match result {
            Ok(output) => Outcome::Completed { output },
            Err(failure) => Outcome::Failed(failure),
        }
    }
}

/// The answer of one of the tools.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Reply {
    /// `read`, `grep`, `glob`
    Text(String),
    /// `bash`
    Bash(BashReply),
    /// `edit`
    Edit(EditReply),
    /// `write`
    Write(WriteReply),
}

/// How a command ended, and what it printed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct BashReply {
    /// The exit status: 124 after a time-out, 130 when cancelled.
    pub exit_code: i32,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
    /// A part of the output is left out.
    #[serde(default, skip_serializing_if = "is_false")]
    pub truncated: bool,
    /// Its time was over.
    #[serde(default, skip_serializing_if = "is_false")]
    pub timed_out: bool,
}

/// What was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WriteReply {
    /// The file, absolute.
    pub path: String,
    /// Its length.
    pub bytes: u64,
}

/// What was replaced.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EditReply {
    /// The file, absolute.
    pub path: String,
    /// How many places.
    pub replacements: u64,
    /// The change as a unified diff.
    pub diff: String,
}

/// A piece of a command's output while it runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutputChunk {
    /// Which stream.
    pub stream: Stream,
    /// Whole characters.
    pub text: String,
}

/// A stream of output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Stream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // serde hands over a reference
fn is_false(flag: &bool) -> bool {
    !*flag
}
