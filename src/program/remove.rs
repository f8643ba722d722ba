//! Removing what a path names and everything below it, for `rm` and for `mv` after a copy.
//!
//! The walk keeps its own stack of directories instead of recursing, so depth costs memory only. A directory of which something was
//! left over is not tried itself, as in GNU `rm`.

use std::vec;

use super::attribute_change::{is_root, root_refusal};
use super::message::{ask, complain, message};
use super::path;
use crate::args::quoteaf;
use crate::fs::{Access, DirEntry, Errno, FileKind, Follow, Metadata};
use crate::kernel::{Proc, Stop};

/// When to ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Interactive {
    /// Not at all.
    Never,
    /// About what is write-protected, if there is a terminal.
    #[default]
    Sometimes,
    /// Before each removal.
    Always,
}

/// How to remove.
#[derive(Debug, Clone)]
pub struct Removal {
    /// Whether to ask.
    pub interactive: Interactive,
    /// What is not there counts as removed.
    pub ignore_missing: bool,
    /// Directories with what is in them.
    pub recursive: bool,
    /// Directories without anything in them.
    pub empty_directories: bool,
    /// Stay in the file system of the operand.
    pub one_file_system: bool,
    /// Refuse `/`.
    pub preserve_root: bool,
    /// Refuse every operand that is a mount point.
    pub preserve_all_roots: bool,
    /// Say what is removed.
    pub verbose: bool,
    /// Act as if standard input were a terminal: ask about what is write-protected.
    pub asks_about_protected: bool,
}

impl Default for Removal {
    fn default() -> Self {
        Removal {
            interactive: Interactive::default(),
            ignore_missing: false,
            recursive: false,
            empty_directories: false,
            one_file_system: false,
            preserve_root: true,
            preserve_all_roots: false,
            verbose: false,
            asks_about_protected: false,
        }
    }
}

/// What became of an operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Removed {
    /// It is gone.
    Gone,
    /// The user wanted to keep some of it.
    Declined,
    /// Something went wrong, and was said.
    Failed,
}

/// A directory being emptied.
struct Level {
    path: Vec<u8>,
    device: u64,
    entries: vec::IntoIter<DirEntry>,
    /// Why its names could not be read.
    unreadable: Option<Errno>,
    /// Something below stays, so it stays too.
    kept: bool,
}

struct Walk<'a> {
    removal: &'a Removal,
    levels: Vec<Level>,
    device: u64,
    result: Removed,
}

/// Removes `operand`; errors are printed.
pub async fn remove(proc: &mut Proc, operand: &[u8], removal: &Removal) -> Result<Removed, Stop> {
    let mut walk = Walk {
        removal,
        levels: Vec::new(),
        device: 0,
        result: Removed::Gone,
    };
    let slashes = operand.len() - path::without_trailing_slashes(operand).len();
    let operand = operand
        .get(..operand.len() - slashes.saturating_sub(1))
        .unwrap_or(operand);
    walk.enter(proc, operand.to_vec()).await?;
    while let Some(level) = walk.levels.last_mut() {
        proc.kernel.breathe().await;
        match level.entries.next() {
            Some(entry) => {
                let path = path::join(&level.path, &entry.name);
                walk.enter(proc, path).await?;
            }
            None => walk.leave(proc).await?,
        }
    }
    Ok(walk.result)
}

impl Walk<'_> {
    fn failed(&mut self) {
        self.result = Removed::Failed;
        self.keep_ancestors();
    }

    /// A directory that the user does not want to go into; nobody is asked about those above it either.
    fn declined(&mut self) {
        self.keep();
        self.keep_ancestors();
    }

    /// A file, or a directory that was gone into, that the user wants to keep. The question about those above it still comes.
    fn keep(&mut self) {
        if self.result == Removed::Gone {
            self.result = Removed::Declined;
        }
    }

    fn keep_ancestors(&mut self) {
        for level in &mut self.levels {
            level.kept = true;
        }
    }

    /// Removes a file, or starts on a directory.
    async fn enter(&mut self, proc: &mut Proc, path: Vec<u8>) -> Result<(), Stop> {
        let metadata = match proc.metadata(&path, Follow::No) {
            Ok(metadata) => metadata,
            Err(errno) => {
                if !(self.removal.ignore_missing && is_missing(errno)) {
                    complain(proc, "cannot remove", &path, errno).await?;
                    self.failed();
                }
                return Ok(());
            }
        };
        if metadata.kind == FileKind::Directory {
            return self.enter_directory(proc, path, &metadata).await;
        }
        match self.question(proc, &path, &metadata) {
            Some(question) if !ask(proc, &question).await? => self.keep(),
            _ => self.excise(proc, &path, false, None).await?,
        }
        Ok(())
    }

    async fn enter_directory(
        &mut self,
        proc: &mut Proc,
        path: Vec<u8>,
        found: &Metadata,
    ) -> Result<(), Stop> {
        let names = proc.read_dir(&path);
        let empty = names.as_ref().is_ok_and(Vec::is_empty);
        let may_go = self.removal.recursive || (self.removal.empty_directories && empty);
        if !may_go {
            let errno = if self.removal.empty_directories {
                Errno::ENOTEMPTY
            } else {
                Errno::EISDIR
            };
            complain(proc, "cannot remove", &path, errno).await?;
            self.failed();
            return Ok(());
        }
        if self.levels.is_empty() {
            self.device = found.device;
            if let Some(refusal) = self.refusal(proc, &path, found) {
                for line in refusal {
                    proc.warn(line).await?;
                }
                self.failed();
                return Ok(());
            }
        }
        if let Some(question) = self.directory_question(proc, &path, found, empty) {
            if !ask(proc, &question).await? {
                self.declined();
                return Ok(());
            }
            if empty {
                return self.excise(proc, &path, true, None).await;
            }
        }
        let (entries, unreadable) = match names {
            // With --one-file-system nothing below a mount point is touched.
            Ok(_) if self.is_foreign(found) => (Vec::new(), None),
            Ok(entries) => (entries, None),
            Err(errno) => (Vec::new(), Some(errno)),
        };
        self.levels.push(Level {
            path,
            device: found.device,
            entries: entries.into_iter(),
            unreadable,
            kept: false,
        });
        Ok(())
    }

    fn is_foreign(&self, found: &Metadata) -> bool {
        self.removal.one_file_system && !self.levels.is_empty() && found.device != self.device
    }

    /// Why an operand is not touched at all.
    fn refusal(&self, proc: &Proc, path: &[u8], found: &Metadata) -> Option<Vec<Vec<u8>>> {
        if path::is_dot_or_dotdot(path) {
            let line = message!(
                "refusing to remove '.' or '..' directory: skipping ",
                quoteaf(path)
            );
            return Some(vec![line]);
        }
        if self.removal.preserve_root && is_root(proc, found) {
            return Some(root_refusal(path).to_vec());
        }
        if !self.removal.preserve_all_roots {
            return None;
        }
        let parent = path::join(path, b"..");
        match proc.metadata(&parent, Follow::No) {
            Ok(parent) if parent.device == found.device => None,
            Ok(_) => Some(vec![
                message!("skipping ", quoteaf(path), ", since it's on a different device"),
                b"and --preserve-root=all is in effect".to_vec(),
            ]),
            Err(_) => Some(vec![message!(
                "failed to stat ",
                quoteaf(&parent),
                ": skipping ",
                quoteaf(path)
            )]),
        }
    }

    /// A directory has been emptied: it goes itself.
    async fn leave(&mut self, proc: &mut Proc) -> Result<(), Stop> {
        let Some(level) = self.levels.pop() else {
            return Ok(());
        };
        if self.removal.one_file_system && !self.levels.is_empty() && level.device != self.device {
            let line = message!(
                "skipping ",
                quoteaf(&level.path),
                ", since it's on a different device"
            );
            proc.warn(line).await?;
            self.failed();
            return Ok(());
        }
        if level.kept {
            return Ok(());
        }
        let found = proc.metadata(&level.path, Follow::No).ok();
        let question = found.and_then(|found| self.question(proc, &level.path, &found));
        if let Some(question) = question
            && !ask(proc, &question).await?
        {
            self.keep();
            return Ok(());
        }
        self.excise(proc, &level.path, true, level.unreadable).await
    }

    async fn excise(
        &mut self,
        proc: &mut Proc,
        path: &[u8],
        directory: bool,
        unreadable: Option<Errno>,
    ) -> Result<(), Stop> {
        let result = if directory {
            proc.remove_dir(path)
        } else {
            proc.unlink(path)
        };
        let errno = match (result, unreadable) {
            (Ok(()), _) => {
                if self.removal.verbose {
                    let what = if directory {
                        "removed directory "
                    } else {
                        "removed "
                    };
                    proc.write(&message!(what, quoteaf(path), "\n")).await?;
                }
                return Ok(());
            }
            (Err(Errno::ENOTEMPTY | Errno::EISDIR | Errno::ENOTDIR | Errno::EEXIST), Some(earlier)) => {
                earlier
            }
            (Err(errno), _) => errno,
        };
        if self.removal.ignore_missing && is_missing(errno) {
            return Ok(());
        }
        complain(proc, "cannot remove", path, errno).await?;
        self.failed();
        Ok(())
    }

    /// The question before removing a node, when one is to be asked.
    fn question(&self, proc: &Proc, path: &[u8], found: &Metadata) -> Option<Vec<u8>> {
        let protected = self.protected(proc, path, found)?;
        Some(message!(
            "remove ",
            protected,
            file_type(found),
            " ",
            quoteaf(path)
        ))
    }

    fn directory_question(&self, proc: &Proc, path: &[u8], found: &Metadata, empty: bool) -> Option<Vec<u8>> {
        if empty {
            return self.question(proc, path, found);
        }
        let protected = self.protected(proc, path, found)?;
        Some(message!("descend into ", protected, "directory ", quoteaf(path)))
    }

    /// How a question speaks of protection; `None` when nothing is asked.
    fn protected(&self, proc: &Proc, path: &[u8], found: &Metadata) -> Option<&'static str> {
        let always = self.removal.interactive == Interactive::Always;
        if self.removal.interactive == Interactive::Never || !(always || self.removal.asks_about_protected) {
            return None;
        }
        let protected = !self.removal.ignore_missing
            && found.kind != FileKind::Symlink
            && proc.access(path, Access::WRITE).is_err();
        match (protected, always) {
            (true, _) => Some("write-protected "),
            (false, true) => Some(""),
            (false, false) => None,
        }
    }
}

/// The error says that there is no such file.
fn is_missing(errno: Errno) -> bool {
    matches!(
        errno,
        Errno::ENOENT | Errno::ENOTDIR | Errno::EILSEQ | Errno::EINVAL
    )
}

/// What gnulib calls a node: `regular empty file`.
pub fn file_type(found: &Metadata) -> &'static str {
    match found.kind {
        FileKind::Regular if found.size == 0 => "regular empty file",
        FileKind::Regular => "regular file",
        FileKind::Directory => "directory",
        FileKind::Symlink => "symbolic link",
        FileKind::Fifo => "fifo",
        FileKind::CharDevice => "character special file",
        FileKind::BlockDevice => "block special file",
        FileKind::Socket => "socket",
    }
}
