//! Errors of the library's face.

use std::fmt;

use crate::fs::Errno;

/// Why a shell could not be built, or its state not saved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Error {
    /// A file operation failed: on which path, and why.
    File(Vec<u8>, Errno),
    /// A saved state is damaged, or of another version.
    Snapshot(String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::File(path, errno) => write!(f, "{}: {errno}", bstr::BStr::new(path)),
            Error::Snapshot(reason) => write!(f, "snapshot: {reason}"),
        }
    }
}

impl std::error::Error for Error {}
