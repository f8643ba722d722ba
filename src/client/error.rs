//! [`Error`]: why a request came to nothing.

use std::fmt;
use std::time::Duration;

use serde_json::Value;

use crate::tool::Failure;
use crate::wire::Rejection;

/// Why a request came to nothing.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The shim refused, or failed.
    Rejected {
        /// The status of HTTP.
        status: u16,
        /// When to try again.
        retry_after: Option<Duration>,
        /// The reason.
        rejection: Box<Rejection>,
    },
    /// A tool could not do its work. The message is written for the model.
    Tool(Failure),
    /// A key is needed that the client was not given.
    KeyMissing(KeyKind),
    /// No answer came: what was asked for may have happened all the same.
    Transport(Box<dyn std::error::Error + Send + Sync>),
    /// What came is no answer of a shim.
    Unreadable(String),
}

/// What a key is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyKind {
    /// Sessions, sandboxes, artifacts.
    Application,
    /// The settings of the tenant.
    Management,
}

impl Error {
    /// The reason in a word: of the shim (`sandbox_busy`), or of a tool that failed (`sandbox.not_found`).
    pub fn code(&self) -> Option<&str> {
        match self {
            Error::Rejected { rejection, .. } => Some(&rejection.code),
            Error::Tool(failure) => Some(failure.code.name()),
            _ => None,
        }
    }

    /// The status of HTTP.
    pub fn status(&self) -> Option<u16> {
        match self {
            Error::Rejected { status, .. } => Some(*status),
            _ => None,
        }
    }

    /// More about a refusal, by its code.
    pub fn details(&self) -> Option<&Value> {
        self.rejection()?.details.as_ref()
    }

    /// The turn that is in the way.
    pub fn active_turn_id(&self) -> Option<&str> {
        self.rejection()?.active_turn_id.as_deref()
    }

    /// The `requestId` that was sent.
    pub fn request_id(&self) -> Option<&str> {
        self.rejection()?.request_id.as_deref()
    }

    /// When to try again.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Error::Rejected { retry_after, .. } => *retry_after,
            _ => None,
        }
    }

    fn rejection(&self) -> Option<&Rejection> {
        match self {
            Error::Rejected { rejection, .. } => Some(rejection),
            _ => None,
        }
    }

    pub(super) fn unreadable(error: impl fmt::Display) -> Error {
        Error::Unreadable(error.to_string())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Rejected {
                status, rejection, ..
            } => write!(f, "{status} {}: {}", rejection.code, rejection.message),
            Error::Tool(failure) => write!(f, "{}: {}", failure.code.name(), failure.message),
            Error::KeyMissing(KeyKind::Application) => f.write_str("an application key is needed"),
            Error::KeyMissing(KeyKind::Management) => f.write_str("a management key is needed"),
            Error::Transport(error) => error.fmt(f),
            Error::Unreadable(why) => write!(f, "this is no answer of a shim: {why}"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Tool(failure) => Some(failure),
            Error::Transport(error) => Some(&**error),
            _ => None,
        }
    }
}

impl From<ureq::Error> for Error {
    fn from(error: ureq::Error) -> Error {
        Error::Transport(error.into())
    }
}

impl From<std::io::Error> for Error {
    fn from(error: std::io::Error) -> Error {
        Error::Transport(error.into())
    }
}
