//! `-i inplace`: what a program prints while it reads a file takes that file's place.
//!
//! gawk has this as a library of awk code around an extension. Its rules come before those of the program: a file ends when the next one begins or
//! at the end, so that what ENDFILE rules print still goes there. `inplace::suffix` names a copy to keep, `inplace::enable=0` lets files be.

use std::sync::Arc;

use super::code::Special;
use super::machine::{Machine, Run, fatal};
use crate::fs::{Errno, FileKind, Follow, OpenFlags};
use crate::kernel::File;

/// The state of editing in place.
#[derive(Debug)]
pub struct InPlace {
    enabled: bool,
    suffix: Vec<u8>,
    begun: bool,
    edited: Option<Edited>,
}

/// The file that is being edited.
#[derive(Debug)]
struct Edited {
    name: Vec<u8>,
    temporary: Vec<u8>,
    stdout: Arc<File>,
}

impl Default for InPlace {
    fn default() -> InPlace {
        InPlace {
            enabled: true,
            suffix: Vec::new(),
            begun: false,
            edited: None,
        }
    }
}

impl InPlace {
    /// Takes one of its own variables.
    pub fn assign(&mut self, name: &[u8], value: &[u8]) {
        match name {
            b"inplace::suffix" | b"INPLACE_SUFFIX" => self.suffix = value.to_vec(),
            b"inplace::enable" => {
                self.enabled = !matches!(value, b"" | b"0");
            }
            _ => {}
        }
    }
}

impl Machine<'_> {
    /// A file begins: output goes to what will replace it.
    pub async fn begin_in_place(&mut self, name: &[u8]) -> Run<()> {
        self.end_in_place().await?;
        let Some(in_place) = self.in_place.as_mut().filter(|in_place| in_place.enabled) else {
            return Ok(());
        };
        in_place.begun = !matches!(name, b"" | b"-" | b"/dev/stdin");
        let shown = String::from_utf8_lossy(name).into_owned();
        if !in_place.begun {
            let sentence = format!("disabling in-place editing for invalid FILENAME `{shown}'");
            return self.warn_in_place(59, "begin", sentence).await;
        }
        let metadata = match self.proc.metadata(name, Follow::Yes) {
            Ok(metadata) if metadata.kind == FileKind::Regular => metadata,
            Ok(_) => {
                let sentence = format!("`{shown}' is not a regular file");
                return self.warn_in_place(59, "begin", sentence).await;
            }
            Err(errno) => {
                let sentence = format!("Cannot stat `{shown}' ({errno})");
                return self.warn_in_place(59, "begin", sentence).await;
            }
        };
        let (file, temporary) = self.temporary_beside(name, metadata.mode).await?;
        self.streams.flush_all(self.proc).await?;
        let limit = self.proc.open_files;
        let before = self.proc.fds.set(1, file, limit).ok().flatten();
        if let (Some(in_place), Some(stdout)) = (&mut self.in_place, before) {
            in_place.edited = Some(Edited {
                name: name.to_vec(),
                temporary,
                stdout,
            });
        }
        Ok(())
    }

    async fn temporary_beside(&mut self, name: &[u8], mode: u32) -> Run<(Arc<File>, Vec<u8>)> {
        loop {
            let number = self.proc.kernel.random();
            let temporary = crate::program::path::temporary_beside(name, b"gawk.", number);
            match self.proc.open_mode(&temporary, OpenFlags::CREATE_NEW, mode).await {
                Ok(file) => {
                    // Only the mask of new files can be in the way, and the superuser's right to set it is not.
                    let _ = self
                        .proc
                        .fs
                        .set_mode(&self.proc.view(), &temporary, mode, Follow::Yes);
                    return Ok((file, temporary));
                }
                Err(Errno::EEXIST) => {}
                Err(errno) => return Err(in_place_error(&temporary, errno)),
            }
        }
    }

    /// The file that was begun ends: what was printed takes its place.
    pub async fn end_in_place(&mut self) -> Run<()> {
        let Some(in_place) = self.in_place.as_mut().filter(|in_place| in_place.begun) else {
            return Ok(());
        };
        in_place.begun = false;
        let Some(edited) = in_place.edited.take() else {
            let sentence = "in-place editing not active".to_owned();
            return self.warn_in_place(57, "end", sentence).await;
        };
        let suffix = in_place.suffix.clone();
        self.streams.flush_all(self.proc).await?;
        let limit = self.proc.open_files;
        let _ = self.proc.fds.set(1, edited.stdout, limit);
        let view = self.proc.view();
        if !suffix.is_empty() {
            let copy = [edited.name.as_slice(), &suffix].concat();
            self.proc
                .fs
                .rename(&view, &edited.name, &copy)
                .map_err(|errno| in_place_error(&copy, errno))?;
        }
        self.proc
            .fs
            .rename(&view, &edited.temporary, &edited.name)
            .map_err(|errno| in_place_error(&edited.name, errno))
    }

    /// A warning as the library's line says it.
    async fn warn_in_place(&mut self, line: u32, function: &str, sentence: String) -> Run<()> {
        let place = self.input_place();
        let text = format!("inplace:{line}: {place}warning: inplace::{function}: {sentence}");
        Ok(self.proc.warn(text).await?)
    }

    /// The file and record that messages tell, once a record was read.
    pub fn input_place(&self) -> String {
        if self.fnr <= 0.0 {
            return String::new();
        }
        let file = self.text_of(&self.variable(Special::Filename.place()));
        let shown = match file.is_empty() {
            true => "-".into(),
            false => String::from_utf8_lossy(&file).into_owned(),
        };
        format!("(FILENAME={shown} FNR={}) ", self.fnr)
    }
}

fn in_place_error(name: &[u8], errno: Errno) -> super::machine::Trouble {
    let name = String::from_utf8_lossy(name).into_owned();
    fatal(format!("inplace: cannot write `{name}' ({errno})"))
}
