//! [`Pieces`]: the contents of a file, one bounded piece after the other.

use super::cancel::Cancel;
use super::failure::Failure;
use super::workspace::{Fault, Workspace};
use crate::kernel::yield_now;

/// Bytes of a piece.
const PIECE: usize = 256 * 1024;

/// Bytes after which others get their turn.
const SLICE: u64 = 4 << 20;

/// Where in a file the reading is.
pub(super) struct Pieces<'p> {
    path: &'p [u8],
    offset: u64,
}

impl<'p> Pieces<'p> {
    /// Starts at the beginning of a regular file.
    pub(super) fn new(path: &'p [u8]) -> Pieces<'p> {
        Pieces { path, offset: 0 }
    }

    /// The next piece; empty at the end. Never starts or ends anywhere in particular.
    pub(super) async fn next(
        &mut self,
        workspace: &mut dyn Workspace,
        cancel: &Cancel,
    ) -> Result<Vec<u8>, Fault> {
        check(cancel)?;
        let piece = workspace.read(self.path, self.offset, PIECE).await?;
        let before = self.offset / SLICE;
        self.offset += piece.len() as u64;
        if self.offset / SLICE != before {
            yield_now().await;
        }
        Ok(piece)
    }

    /// All of the file that is left.
    pub(super) async fn all(
        mut self,
        workspace: &mut dyn Workspace,
        cancel: &Cancel,
    ) -> Result<Vec<u8>, Fault> {
        let mut contents = Vec::new();
        loop {
            let piece = self.next(workspace, cancel).await?;
            if piece.is_empty() {
                return Ok(contents);
            }
            contents.extend_from_slice(&piece);
        }
    }
}

/// Ends a call that was cancelled.
pub(super) fn check(cancel: &Cancel) -> Result<(), Fault> {
    if cancel.is_cancelled() {
        return Err(Fault::Workspace(Failure::cancelled()));
    }
    Ok(())
}
