//! The six tools that a model is given: `bash`, `read`, `write`, `edit`, `grep`, `glob`.
//!
//! [`call`] takes the name of a tool and its input as JSON, and gives an [`Outcome`]. [`definitions`] are the names, descriptions and JSON
//! schemas to show to the model. Typed requests can be made without JSON ([`Request`]).
//!
//! ```
//! use exuvia::tool::{Call, VirtualWorkspace, call_blocking};
//! use serde_json::json;
//!
//! let mut workspace = VirtualWorkspace::in_memory()?;
//! let mut ask = |name, input| call_blocking(&mut workspace, name, input, Call::default()).map(|outcome| json!(outcome));
//! ask("write", json!({"path": "names", "content": "ada\ngrace\n"}))?;
//! let outcome = ask("bash", json!({"command": "tr a-z A-Z < names"}))?;
//! assert_eq!(outcome, json!({"kind": "completed", "output": {"exitCode": 0, "stdout": "ADA\nGRACE\n", "stderr": ""}}));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Decisions:
//! - The tools stand on the trait [`Workspace`] and nothing else, so that every kind of workspace answers alike. A workspace runs a command, and
//!   reads, writes and lists files; what lines, matches and edits are is said here once.
//! - Input that breaks the schema is an [`InvalidInput`], the caller's mistake. What goes wrong in the workspace is a [`Failure`], for the model to
//!   read, with a stable code.
//! - Output that is cut says so, says how much, and leaves a way to the rest.
//! - No executor: calls are plain futures that give way while they work, and end soon after [`Cancel::cancel`]. A host with timers polls a
//!   pending call now and then (each 50 ms, say), so that time-outs act while nothing else happens.
//!
//! Tests: `tests/tool.rs`.

mod bash;
mod call;
mod cancel;
mod characters;
mod clip;
mod content;
mod edit;
mod failure;
mod glob;
mod grep;
mod path;
mod path_pattern;
mod pieces;
mod read;
mod reply;
mod request;
mod schema;
mod virtual_workspace;
mod walk;
mod workspace;
mod write;

pub use call::{Call, call, call_blocking, run};
pub use cancel::Cancel;
pub use clip::{CLIP, Clip};
pub use failure::{Failure, FailureCode, InvalidInput};
pub use reply::{BashReply, EditReply, Outcome, OutputChunk, Reply, Stream, WriteReply};
pub use request::{Bash, Edit, Glob, Grep, Read, Request, TOOL_NAMES, Write};
pub use schema::{Definition, definitions};
pub use virtual_workspace::VirtualWorkspace;
pub use workspace::{Command, End, Fault, Node, Output, Work, Workspace};
