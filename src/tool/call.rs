//! [`call`]: the one entry of all tools.

use std::time::Duration;

use serde_json::Value;

use super::cancel::Cancel;
use super::failure::{Failure, InvalidInput};
use super::reply::{Outcome, OutputChunk, Reply};
use super::request::Request;
use super::workspace::Workspace;
use super::{bash, edit, glob, grep, read, write};
use crate::host::block_on;

/// How often a call that waits looks at the time.
const TICK: Duration = Duration::from_millis(50);

/// What a caller may add to a call.
#[derive(Default)]
pub struct Call<'a> {
    /// Ends the call.
    pub cancel: Cancel,
    /// Takes the output of a command as it comes: all of it, also what the reply leaves out.
    pub output: Option<&'a mut (dyn FnMut(OutputChunk) + Send)>,
}

impl std::fmt::Debug for Call<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Call")
            .field("cancel", &self.cancel)
            .finish_non_exhaustive()
    }
}

/// Calls the tool `name`.
///
/// # Errors
/// [`InvalidInput`] when there is no such tool, or the input does not fit its schema; then nothing has been done.
pub async fn call(
    workspace: &mut dyn Workspace,
    name: &str,
    input: Value,
    call: Call<'_>,
) -> Result<Outcome, InvalidInput> {
    let request = Request::parse(name, input)?;
    run(workspace, &request, call).await
}

/// Calls a tool with typed input.
///
/// # Errors
/// [`InvalidInput`] when the input is out of its bounds.
pub async fn run(
    workspace: &mut dyn Workspace,
    request: &Request,
    call: Call<'_>,
) -> Result<Outcome, InvalidInput> {
    request.check()?;
    Ok(dispatch(workspace, request, call).await.into())
}

async fn dispatch(
    workspace: &mut dyn Workspace,
    request: &Request,
    call: Call<'_>,
) -> Result<Reply, Failure> {
    match request {
        Request::Bash(bash) => bash::run(workspace, bash, call).await.map(Reply::Bash),
        Request::Read(read) => read::run(workspace, read, &call.cancel).await.map(Reply::Text),
        Request::Write(write) => write::run(workspace, write).await.map(Reply::Write),
        Request::Edit(edit) => edit::run(workspace, edit, &call.cancel).await.map(Reply::Edit),
        Request::Grep(grep) => grep::run(workspace, grep, &call.cancel).await.map(Reply::Text),
        Request::Glob(glob) => glob::run(workspace, glob, &call.cancel).await.map(Reply::Text),
    }
}

/// As [`call`], on the calling thread, which waits.
///
/// # Errors
/// As [`call`].
pub fn call_blocking(
    workspace: &mut dyn Workspace,
    name: &str,
    input: Value,
    options: Call<'_>,
) -> Result<Outcome, InvalidInput> {
    block_on(call(workspace, name, input, options), || Some(TICK))
}
