//! What `chmod`, `chown` and `chgrp` share, and `rm` in part: which changes are told, and that the root directory is not gone through.

use super::message::message;
use super::walk::Visited;
use crate::args::{Parsed, UsageError, quoteaf};
use crate::fs::{Follow, Metadata};
use crate::kernel::{Proc, Stop};

/// Which files are told about on standard output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Report {
    /// None.
    Nothing,
    /// Those that were changed (`-c`).
    Changes,
    /// All (`-v`).
    Everything,
}

impl Report {
    /// By the last of `-c` and `-v`.
    pub fn from_options<F: Copy + PartialEq>(parsed: &Parsed<F>, changes: F, verbose: F) -> Report {
        match parsed.last_of(&[changes, verbose]) {
            None => Report::Nothing,
            Some(flag) if flag == changes => Report::Changes,
            Some(_) => Report::Everything,
        }
    }

    /// Whether a file is told about.
    pub fn tells(self, changed: bool) -> bool {
        match self {
            Report::Nothing => false,
            Report::Changes => changed,
            Report::Everything => true,
        }
    }
}

/// What the file of `--reference` is like; of `touch` too.
pub fn reference(proc: &Proc, path: &[u8], follow: Follow) -> Result<Metadata, UsageError> {
    proc.metadata(path, follow).map_err(|errno| {
        let name = quoteaf(path);
        UsageError::plain(
            1,
            message!("failed to get attributes of ", name, ": ", errno.message()),
        )
    })
}

/// Whether a file is the root directory.
pub fn is_root(proc: &Proc, found: &Metadata) -> bool {
    let root = proc.metadata(b"/", Follow::Yes);
    root.is_ok_and(|root| (root.device, root.inode) == (found.device, found.inode))
}

/// What is said when the root directory, by whatever path, is to be removed or changed recursively.
pub fn root_refusal(path: &[u8]) -> [Vec<u8>; 2] {
    let same = match path {
        b"/" => Vec::new(),
        _ => message!(" (same as ", quoteaf(b"/"), ")"),
    };
    [
        message!("it is dangerous to operate recursively on ", quoteaf(path), same),
        b"use --no-preserve-root to override this failsafe".to_vec(),
    ]
}

/// Says why the root directory is not gone through, if it is that.
pub async fn refuses_root(proc: &mut Proc, visited: &Visited) -> Result<bool, Stop> {
    if !visited.metadata.is_some_and(|found| is_root(proc, &found)) {
        return Ok(false);
    }
    for line in root_refusal(&visited.path) {
        proc.warn(line).await?;
    }
    Ok(true)
}
