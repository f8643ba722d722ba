//! The emulated shell as a [`Runner`]: the same case, without a process.

use super::format::{Case, Observed};
use super::shell::{RunError, Runner};

/// exuvia itself, in this process.
pub struct Emulated;

impl Runner for Emulated {
    fn run(&self, _case: &Case) -> Result<Observed, RunError> {
        Err(RunError::Failed(
            "the emulated shell is not connected yet".to_owned(),
        ))
    }
}
