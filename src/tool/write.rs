//! `write`: sets the contents of a file.

use super::failure::{Failure, FailureCode};
use super::path::{absolute, show};
use super::reply::WriteReply;
use super::request::Write;
use super::workspace::{Fault, Workspace};

pub(super) async fn run(workspace: &mut dyn Workspace, write: &Write) -> Result<WriteReply, Failure> {
    let path = absolute(workspace.directory(), &write.path);
    let path = if write.path.ends_with('/') {
        [&path, b"/".as_slice()].concat()
    } else {
        path
    };
    workspace
        .write(&path, write.content.as_bytes())
        .await
        .map_err(|fault| failed(&path, fault))?;
    Ok(WriteReply {
        path: show(&path),
        bytes: write.content.len() as u64,
    })
}

/// Whatever keeps a file from being written has this one code.
pub(super) fn failed(path: &[u8], fault: Fault) -> Failure {
    match fault {
        Fault::Workspace(failure) => failure,
        Fault::File(_) => Failure {
            code: FailureCode::WriteFailed,
            ..Failure::at(path, fault, FailureCode::WriteFailed)
        },
    }
}
