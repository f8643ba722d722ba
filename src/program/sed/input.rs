//! The stream of lines that sed reads: one file after the other, or each by itself under `-s` and `-i`.

use std::collections::VecDeque;

use super::output::Outputs;
use crate::fs::{Errno, FileKind, Follow, OpenFlags};
use crate::kernel::{Input, Proc, Stop};
use crate::program::{path, usage};

/// How files are edited in place.
#[derive(Debug, Clone)]
pub struct InPlace {
    /// What is added to the name of a backup; `*` stands for the name.
    pub suffix: Option<Vec<u8>>,
    pub follow_symlinks: bool,
}

/// An open file.
#[derive(Debug)]
struct Current {
    input: Input,
    name: Vec<u8>,
    /// The file that its edited form goes to, until it takes its place.
    temporary: Option<Vec<u8>>,
}

/// All input.
#[derive(Debug)]
pub struct Lines {
    names: VecDeque<Vec<u8>>,
    current: Option<Current>,
    /// The next file, opened already to see whether a line follows.
    ahead: Option<Current>,
    separate: bool,
    in_place: Option<InPlace>,
    delimiter: u8,
    unbuffered: bool,
    /// Lines read; each file's own under `-s`.
    pub number: u64,
    /// Another file began: ranges start anew under `-s`.
    pub began_file: bool,
    /// The exit status that unreadable files leave.
    pub status: i32,
}

/// A line that was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Line {
    /// With its newline.
    Whole,
    /// The last one of a file, without newline.
    Unended,
    /// There is none.
    End,
}

impl Lines {
    /// The lines of these files.
    pub fn new(
        names: Vec<Vec<u8>>,
        separate: bool,
        in_place: Option<InPlace>,
        delimiter: u8,
        unbuffered: bool,
    ) -> Lines {
        Lines {
            names: names.into(),
            current: None,
            ahead: None,
            separate,
            in_place,
            delimiter,
            unbuffered,
            number: 0,
            began_file: false,
            status: 0,
        }
    }

    /// The name of the file that the last line came from; of the next one, if that was looked at.
    pub fn name(&self) -> &[u8] {
        let file = self.ahead.as_ref().or(self.current.as_ref());
        file.map_or(b"-", |file| &file.name)
    }

    /// Appends the next line to `space`.
    pub async fn read(
        &mut self,
        proc: &mut Proc,
        outputs: &mut Outputs,
        space: &mut Vec<u8>,
    ) -> Result<Line, Stop> {
        loop {
            if self.current.is_none() && !self.advance(proc, outputs).await? {
                return Ok(Line::End);
            }
            let Some(current) = &mut self.current else {
                return Ok(Line::End);
            };
            match current.input.line(self.delimiter).await {
                Ok(Some(line)) => {
                    self.number += 1;
                    return Ok(match line.split_last() {
                        Some((last, text)) if *last == self.delimiter => {
                            space.extend_from_slice(text);
                            Line::Whole
                        }
                        _ => {
                            space.extend_from_slice(line);
                            Line::Unended
                        }
                    });
                }
                Ok(None) => self.close(proc, outputs).await?,
                Err(errno) => {
                    let name = current.name.clone();
                    return Err(read_error(proc, &name, errno).await);
                }
            }
        }
    }

    /// Whether the line read last is the last one.
    pub async fn is_last(&mut self, proc: &mut Proc) -> Result<bool, Stop> {
        if let Some(current) = &mut self.current {
            if has_more(proc, current).await? {
                return Ok(false);
            }
            if self.separate {
                return Ok(true);
            }
        }
        loop {
            if self.ahead.is_none() {
                self.ahead = self.open_next(proc).await?;
            }
            let Some(ahead) = &mut self.ahead else {
                return Ok(true);
            };
            // What cannot be read, such as a directory, is skipped without a word when it is only looked at.
            if matches!(ahead.input.fill().await, Ok(true)) {
                return Ok(false);
            }
            self.ahead = None;
        }
    }

    /// Goes to the next file that can be read.
    async fn advance(&mut self, proc: &mut Proc, outputs: &mut Outputs) -> Result<bool, Stop> {
        let next = match self.ahead.take() {
            Some(ahead) => Some(ahead),
            None => self.open_next(proc).await?,
        };
        let Some(mut next) = next else {
            return Ok(false);
        };
        if self.separate {
            self.number = 0;
            self.began_file = true;
        }
        if self.in_place.is_some() {
            self.begin_edit(proc, outputs, &mut next).await?;
        }
        self.current = Some(next);
        Ok(true)
    }

    async fn open_next(&mut self, proc: &mut Proc) -> Result<Option<Current>, Stop> {
        while let Some(name) = self.names.pop_front() {
            let opened = if name == b"-" && self.in_place.is_none() {
                proc.stdin()
            } else {
                proc.open(&name, OpenFlags::READ).await
            };
            match opened {
                Ok(file) if self.in_place.is_some() && !is_regular(&file) => {
                    let message = [b"couldn't edit ", name.as_slice(), b": not a regular file"].concat();
                    proc.warn(message).await?;
                    self.status = 4;
                }
                Ok(file) => {
                    return Ok(Some(Current {
                        input: if self.unbuffered {
                            Input::unbuffered(file)
                        } else {
                            Input::new(file)
                        },
                        name,
                        temporary: None,
                    }));
                }
                Err(errno) => {
                    let message =
                        [b"can't read ", name.as_slice(), b": ", errno.message().as_bytes()].concat();
                    proc.warn(message).await?;
                    self.status = 2;
                }
            }
        }
        Ok(None)
    }

    /// Opens the file that the edited lines go to, beside the one that is read.
    async fn begin_edit(
        &mut self,
        proc: &mut Proc,
        outputs: &mut Outputs,
        current: &mut Current,
    ) -> Result<(), Stop> {
        if self
            .in_place
            .as_ref()
            .is_some_and(|in_place| in_place.follow_symlinks)
            && let Ok(target) = proc
                .fs
                .canonicalize(&proc.view(), &current.name, crate::fs::Existing::All)
        {
            current.name = target;
        }
        let mode = current
            .input
            .file()
            .metadata()
            .map_or(0o644, |metadata| metadata.mode);
        loop {
            let number = proc.kernel.random();
            let temporary = path::temporary_beside(&current.name, b"sed", number);
            match proc.open_mode(&temporary, OpenFlags::CREATE_NEW, mode).await {
                Ok(file) => {
                    let _ = proc.fs.set_mode(&proc.view(), &temporary, mode, Follow::Yes);
                    outputs.begin_in_place(file, &current.name);
                    current.temporary = Some(temporary);
                    return Ok(());
                }
                Err(Errno::EEXIST) => {}
                Err(errno) => {
                    let message = [
                        b"couldn't open temporary file ",
                        temporary.as_slice(),
                        b": ",
                        errno.message().as_bytes(),
                    ];
                    return Err(usage::fail(proc, 4, message.concat()).await);
                }
            }
        }
    }

    /// Leaves the current file: its edited form takes its place.
    pub async fn close(&mut self, proc: &mut Proc, outputs: &mut Outputs) -> Result<(), Stop> {
        let Some(mut current) = self.current.take() else {
            return Ok(());
        };
        if let (Some(temporary), Some(in_place)) = (&current.temporary, &self.in_place) {
            outputs.end_in_place(proc).await?;
            if let Some(suffix) = &in_place.suffix {
                let backup = backup_name(&current.name, suffix);
                rename(proc, &current.name, &backup, temporary).await?;
            }
            rename(proc, temporary, &current.name, temporary).await?;
        } else {
            current.input.give_back();
        }
        Ok(())
    }
}

/// Renames a file; when that fails, the edited form is removed and sed ends.
async fn rename(proc: &mut Proc, from: &[u8], to: &[u8], temporary: &[u8]) -> Result<(), Stop> {
    let Err(errno) = proc.fs.rename(&proc.view(), from, to) else {
        return Ok(());
    };
    let _ = proc.fs.unlink(&proc.view(), temporary);
    let message = [b"cannot rename ", from, b": ", errno.message().as_bytes()].concat();
    Err(usage::fail(proc, 4, message).await)
}

async fn has_more(proc: &mut Proc, file: &mut Current) -> Result<bool, Stop> {
    if !file.input.buffered().is_empty() {
        return Ok(true);
    }
    match file.input.fill().await {
        Ok(more) => Ok(more),
        Err(errno) => {
            let name = file.name.clone();
            Err(read_error(proc, &name, errno).await)
        }
    }
}

async fn read_error(proc: &mut Proc, name: &[u8], errno: Errno) -> Stop {
    let message = [b"read error on ", name, b": ", errno.message().as_bytes()].concat();
    usage::fail(proc, 4, message).await
}

fn is_regular(file: &crate::kernel::File) -> bool {
    file.metadata()
        .is_ok_and(|metadata| metadata.kind == FileKind::Regular)
}

/// `.bak` is added to the name; in `bak/*~` the star is the name.
fn backup_name(path: &[u8], suffix: &[u8]) -> Vec<u8> {
    let directory = path::directory_of(path);
    let base = path.get(directory.len()..).unwrap_or_default();
    let name = if suffix.contains(&b'*') {
        suffix.split(|byte| *byte == b'*').collect::<Vec<_>>().join(base)
    } else {
        [base, suffix].concat()
    };
    if name.contains(&b'/') {
        name
    } else {
        [directory, name.as_slice()].concat()
    }
}
