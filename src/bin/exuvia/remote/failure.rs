//! [`Failure`]: why a command failed, and its exit status.

use exuvia::client::{Error, KeyKind};

/// A command that failed: what to print, and the exit status.
#[derive(Debug)]
pub struct Failure {
    /// The exit status.
    pub status: u8,
    /// For people.
    pub message: String,
}

impl Failure {
    /// With status 1.
    pub fn new(message: impl Into<String>) -> Failure {
        Failure {
            status: 1,
            message: message.into(),
        }
    }

    /// Wrong arguments: status 2.
    pub fn usage(message: impl Into<String>) -> Failure {
        Failure {
            status: 2,
            message: message.into(),
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        match error {
            Error::KeyMissing(KeyKind::Application) => Failure::usage("a key is needed: --key or EXUVIA_KEY"),
            Error::KeyMissing(KeyKind::Management) => {
                Failure::usage("a key is needed: --management-key or EXUVIA_MANAGEMENT_KEY")
            }
            other => Failure::new(other.to_string()),
        }
    }
}

/// What `--json` prints.
pub fn print_json(value: &impl serde::Serialize) -> Result<(), Failure> {
    let text = serde_json::to_string_pretty(value).map_err(|error| Failure::new(error.to_string()))?;
    println!("{text}");
    Ok(())
}
