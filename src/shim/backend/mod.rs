//! [`Backend`]: a kind of sandbox, as the rest of the shim sees it.
//!
//! Nothing above this trait knows which kind it has. A call [enters](Backend::enter) a sandbox and waits there until those before it are done, so
//! that one thing happens at a time, first in, first out. Inside it [works](Place::work); then the shim commits what the work came to together
//! with the turn and the events, and says to the place whether that [held](Place::settle).

pub mod manifest;
mod paths;
mod tree;
mod virtual_;

use std::future::Future;
use std::pin::Pin;

use axum::body::Bytes;

use super::error::Problem;
use super::store::calls::Begun;
use super::store::workspace::Changes;
use crate::tool::{Cancel, Outcome, OutputChunk, Request};

pub use virtual_::Virtual;

/// What the methods give.
pub type Work<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Takes output of a command while it runs.
pub type Output = Box<dyn FnMut(OutputChunk) + Send>;

/// What is to be done in a sandbox.
pub enum Task {
    /// A tool.
    Tool(Request, Option<Output>),
    /// Bytes into a file; directories above it are made.
    Put(Vec<u8>, Bytes),
    /// The bytes of a file.
    Get(Vec<u8>),
}

/// What came of it.
#[derive(Debug)]
pub enum Answer {
    /// Of a tool.
    Tool(Outcome),
    /// So many bytes were written.
    Stored(u64),
    /// The contents.
    Contents(Bytes),
}

/// An answer, and what must be committed before it may be given.
#[derive(Debug)]
pub struct Effect {
    /// The answer.
    pub answer: Answer,
    /// What changed in a workspace that the shim keeps.
    pub changes: Option<Changes>,
}

/// A regular file below `outputs`.
#[derive(Debug, Clone)]
pub struct OutputFile {
    /// From `outputs`.
    pub path: String,
    /// Bytes.
    pub size: u64,
    /// Its hash; the blob is there.
    pub hash: String,
}

/// How a commit went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Settled {
    /// The workspace is now at this version.
    Kept(i64),
    /// Nothing of the work holds.
    Lost,
}

/// Whether a kind can be had.
#[derive(Debug, Clone)]
pub struct Availability {
    /// `process`, `container` or nothing.
    pub isolation: Option<&'static str>,
    /// What to know.
    pub note: &'static str,
}

/// A kind of sandbox.
pub trait Backend: Send + Sync {
    /// Its name on the wire.
    fn kind(&self) -> &'static str;

    /// What to know of it.
    fn availability(&self) -> Availability;

    /// Waits until nothing else happens in a sandbox, and keeps others out.
    fn enter<'a>(&'a self, name: &'a str) -> Work<'a, Box<dyn Place>>;

    /// A sandbox is gone.
    fn forget(&self, name: &str);

    /// Puts to rest what nobody has used since a time; the names. `most` is how many may stay loaded all the same.
    fn rest(&self, unused_since: i64, most: usize) -> Vec<Rested>;

    /// How many are loaded, and how many bytes their files have.
    fn loaded(&self) -> (usize, u64);
}

/// A sandbox that was put to rest.
#[derive(Debug, Clone)]
pub struct Rested {
    /// Its name.
    pub name: String,
    /// Who used it last.
    pub session: String,
}

/// One who has a sandbox to itself. Dropping it lets the next one in.
pub trait Place: Send {
    /// Does one thing.
    fn work<'a>(
        &'a mut self,
        begun: &'a Begun,
        task: Task,
        cancel: Cancel,
    ) -> Work<'a, Result<Effect, Problem>>;

    /// The regular files below `outputs`, links not followed.
    fn outputs<'a>(&'a mut self, key: &'a str) -> Work<'a, Result<Vec<OutputFile>, Problem>>;

    /// Says whether what was done holds.
    fn settle(&mut self, how: Settled);
}
