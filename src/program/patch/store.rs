//! Files: reading the old one, writing the new one, backups, and removal.

use super::apply::Session;
use super::fatal;
use crate::fs::{Errno, FileKind, Follow, OpenFlags};
use crate::kernel::{Input, Proc, Stop};
use crate::program::message::message;
use crate::program::path;

/// A file before the patch.
#[derive(Debug, Default)]
pub struct Old {
    pub exists: bool,
    pub text: Vec<u8>,
    pub mode: Option<u32>,
}

impl Session {
    /// Reads the file; one that is not there is empty.
    pub(super) async fn read_old(&mut self, proc: &mut Proc, name: &[u8]) -> Result<Old, Stop> {
        let metadata = match proc.metadata(name, Follow::Yes) {
            Ok(metadata) => metadata,
            Err(Errno::ENOENT) => return Ok(Old::default()),
            Err(errno) => {
                return Err(fatal(
                    proc,
                    message!("Can't get file attributes of file ", name, " : ", errno.message()),
                )
                .await);
            }
        };
        if metadata.kind != FileKind::Regular {
            let sentence = message!("File ", name, " is not a regular file -- can't patch");
            return Err(fatal(proc, sentence).await);
        }
        let read = match proc.open(name, OpenFlags::READ).await {
            Ok(file) => Input::new(file).rest(&mut self.lease).await,
            Err(errno) => Err(errno),
        };
        match read {
            Ok(text) => Ok(Old {
                exists: true,
                text,
                mode: Some(metadata.mode & 0o7777),
            }),
            Err(errno) => Err(fatal(proc, message!("Can't open file ", name, " : ", errno.message())).await),
        }
    }

    /// Writes a file, and makes the directories above it.
    pub(super) async fn write_file(
        &self,
        proc: &mut Proc,
        name: &[u8],
        text: &[u8],
        mode: Option<u32>,
    ) -> Result<(), Stop> {
        make_parents(proc, name);
        let written = match proc.open(name, OpenFlags::CREATE).await {
            Ok(file) => file.write_all(text).await,
            Err(errno) => Err(errno),
        };
        let written = written.and_then(|()| match mode {
            Some(mode) => proc.set_mode(name, mode, Follow::Yes),
            None => Ok(()),
        });
        match written {
            Ok(()) => Ok(()),
            Err(errno) => {
                Err(fatal(proc, message!("Can't create file ", name, " : ", errno.message())).await)
            }
        }
    }

    /// Keeps the old text of a file, once.
    pub(super) async fn back_up(&mut self, proc: &mut Proc, name: &[u8], old: &Old) -> Result<(), Stop> {
        if self.backed_up.iter().any(|done| done == name) {
            return Ok(());
        }
        self.backed_up.push(name.to_vec());
        let directory = name.len() - path::last_component(name).len();
        let (directory, base) = name.split_at(directory);
        let prefixed = message!(self.options.prefix, directory, self.options.basename_prefix, base);
        let backup = self.options.backup.name_for(proc, &prefixed);
        self.write_file(proc, &backup, &old.text, old.mode).await
    }

    /// Removes a file, and the directories above it that are empty then.
    pub(super) async fn remove(&self, proc: &mut Proc, name: &[u8]) -> Result<(), Stop> {
        match proc.unlink(name) {
            Ok(()) | Err(Errno::ENOENT) => {}
            Err(errno) => {
                return Err(fatal(proc, message!("Can't remove file ", name, " : ", errno.message())).await);
            }
        }
        let mut directory = path::directory_name(name).to_vec();
        while directory != b"." && directory != b"/" && proc.remove_dir(&directory).is_ok() {
            directory = path::directory_name(&directory).to_vec();
        }
        Ok(())
    }

    /// Writes the file of `-o`; the status.
    pub(super) async fn finish(&self, proc: &mut Proc) -> Result<i32, Stop> {
        if let Some(output) = self
            .options
            .output
            .as_ref()
            .filter(|output| *output != b"-" && !self.options.dry_run)
        {
            self.write_file(proc, output, &self.collected, None).await?;
        }
        Ok(i32::from(self.failed))
    }
}

fn make_parents(proc: &Proc, name: &[u8]) {
    for (at, _) in name.iter().enumerate().filter(|(_, byte)| **byte == b'/') {
        let parent = name.get(..at).unwrap_or_default();
        if !parent.is_empty() {
            // What is there already is fine; any other mistake shows when the file is made.
            let _ = proc.make_dir(parent, 0o777);
        }
    }
}
