//! The log: standard error, or the file of `-o` and `-a`.

use std::sync::Arc;

use super::options::{Options, Verbosity};
use crate::fs::{Errno, OpenFlags};
use crate::kernel::{File, Proc, Stop};
use crate::program::dates;

/// When something is said.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Level {
    Always,
    /// Not with `-q`.
    NotQuiet,
    /// Only with `-nv`.
    Terse,
    /// Neither with `-q` nor with `-nv`.
    Verbose,
    /// As the meter is shown.
    Progress,
}

/// Where it is said.
pub(super) struct Log {
    file: Option<Arc<File>>,
    verbosity: Verbosity,
    progress: bool,
}

impl Log {
    pub(super) async fn open(proc: &Proc, options: &Options) -> Result<Log, (Vec<u8>, Errno)> {
        let file = match &options.log {
            None => None,
            Some((path, append)) => {
                let flags = if *append {
                    OpenFlags::APPEND
                } else {
                    OpenFlags::CREATE
                };
                let opened = proc.open(path, flags).await;
                Some(opened.map_err(|errno| (path.clone(), errno))?)
            }
        };
        Ok(Log {
            file,
            verbosity: options.verbosity,
            progress: options.show_progress || options.verbosity == Verbosity::Verbose,
        })
    }

    /// Says something.
    pub(super) async fn say(
        &self,
        proc: &mut Proc,
        level: Level,
        text: impl AsRef<[u8]>,
    ) -> Result<(), Stop> {
        let wanted = match level {
            Level::Always => true,
            Level::NotQuiet => self.verbosity != Verbosity::Quiet,
            Level::Terse => self.verbosity == Verbosity::Terse,
            Level::Verbose => self.verbosity == Verbosity::Verbose,
            Level::Progress => self.progress,
        };
        if !wanted || text.as_ref().is_empty() {
            return Ok(());
        }
        let Some(file) = &self.file else {
            return proc.write_error(text.as_ref()).await;
        };
        // A log that cannot be written ends nothing.
        let written = file.write_all(text.as_ref()).await;
        match (written, proc.kernel.meter().halted()) {
            (Err(_), Some(halt)) => Err(Stop::Halt(halt)),
            _ => Ok(()),
        }
    }
}

/// The local time, as the log shows it.
pub(super) fn stamp(proc: &Proc) -> String {
    let now = dates::to_jiff(proc.kernel.now()).to_zoned_datetime(dates::zone(proc));
    now.strftime("%Y-%m-%d %H:%M:%S").to_string()
}
