//! Walking through trees of files: what `fts(3)` is to `chmod`, `chown`, `du`, `find`.
//!
//! The walk keeps its own stack, so depth costs memory only. A directory is visited before what is in it and left after; between, the
//! caller may say not to go into it. Names come in their order. Where links are followed, a directory that contains itself is reported
//! and not entered.

use std::vec;

use super::path;
use crate::fs::{DirEntry, Errno, FileKind, Follow, Metadata};
use crate::kernel::Proc;

/// Which links are followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Links {
    /// None (`-P`).
    Never,
    /// Those that are operands (`-H`).
    Operands,
    /// All (`-L`).
    Always,
}

/// What a visit is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Visit {
    /// A directory, before what is in it.
    Enter,
    /// A directory, after what is in it.
    Leave,
    /// Something else.
    File,
    /// A link that is to be followed and leads nowhere; the metadata is its own.
    Dangling,
    /// It cannot be looked at.
    Missing(Errno),
    /// A directory that was entered and cannot be read; there is no [`Visit::Leave`].
    Unreadable(Errno),
    /// A directory that contains itself.
    Cycle,
}

/// One stop of the walk.
#[derive(Debug, Clone)]
pub struct Visited {
    /// The operand and the way from it.
    pub path: Vec<u8>,
    /// What it is, links followed as asked.
    pub metadata: Option<Metadata>,
    /// The kind that its directory gives.
    pub listed: Option<FileKind>,
    /// Why it was visited.
    pub visit: Visit,
    /// 0 for operands.
    pub depth: usize,
}

struct Level {
    directory: Visited,
    entries: vec::IntoIter<DirEntry>,
}

/// A walk from one operand.
pub struct Walk {
    links: Links,
    stack: Vec<Level>,
    start: Option<Vec<u8>>,
    /// The directory visited last, which is entered next.
    entered: Option<Visited>,
    skips: bool,
}

impl Walk {
    /// Starts at an operand.
    pub fn new(operand: &[u8], links: Links) -> Walk {
        Walk {
            links,
            stack: Vec::new(),
            start: Some(operand.to_vec()),
            entered: None,
            skips: false,
        }
    }

    /// Starts at an operand; of several slashes at its end one is left, as `fts(3)` does for all but `find`.
    pub fn tidy(operand: &[u8], links: Links) -> Walk {
        let mut operand = operand;
        while operand.len() > 2 && operand.ends_with(b"//") {
            operand = operand.get(..operand.len() - 1).unwrap_or_default();
        }
        Walk::new(operand, links)
    }

    /// Does not go into the directory that was visited last; it is left at once.
    pub fn skip(&mut self) {
        self.skips = true;
    }

    /// The next stop.
    pub fn next(&mut self, proc: &Proc) -> Option<Visited> {
        if let Some(directory) = self.entered.take() {
            let skips = std::mem::take(&mut self.skips);
            let left = self.enter(proc, directory, skips);
            if left.is_some() {
                return left;
            }
        }
        self.skips = false;
        if let Some(operand) = self.start.take() {
            return Some(self.look(proc, operand, None, 0));
        }
        let level = self.stack.last_mut()?;
        if let Some(entry) = level.entries.next() {
            let path = path::join(&level.directory.path, &entry.name);
            let depth = self.stack.len();
            return Some(self.look(proc, path, Some(entry.kind), depth));
        }
        let level = self.stack.pop()?;
        Some(Visited {
            visit: Visit::Leave,
            ..level.directory
        })
    }

    fn enter(&mut self, proc: &Proc, directory: Visited, skips: bool) -> Option<Visited> {
        if skips {
            return Some(Visited {
                visit: Visit::Leave,
                ..directory
            });
        }
        match proc.read_dir(&directory.path) {
            Ok(entries) => {
                self.stack.push(Level {
                    directory,
                    entries: entries.into_iter(),
                });
                None
            }
            Err(errno) => Some(Visited {
                visit: Visit::Unreadable(errno),
                ..directory
            }),
        }
    }

    fn look(&mut self, proc: &Proc, path: Vec<u8>, listed: Option<FileKind>, depth: usize) -> Visited {
        let follows = match self.links {
            Links::Never => false,
            Links::Operands => depth == 0,
            Links::Always => true,
        };
        let mut found = Err(Errno::ENOENT);
        if follows {
            found = proc.metadata(&path, Follow::Yes);
        }
        let mut dangling = false;
        if !follows || matches!(found, Err(Errno::ENOENT)) {
            found = proc.metadata(&path, Follow::No);
            dangling = follows;
        }
        let (metadata, visit) = match found {
            Err(errno) => (None, Visit::Missing(errno)),
            Ok(found) if dangling => (Some(found), Visit::Dangling),
            Ok(found) if found.kind == FileKind::Directory => (Some(found), Visit::Enter),
            Ok(found) => (Some(found), Visit::File),
        };
        let mut visited = Visited {
            path,
            metadata,
            listed,
            visit,
            depth,
        };
        if visit == Visit::Enter {
            if self.is_cycle(&visited) {
                visited.visit = Visit::Cycle;
            } else {
                self.entered = Some(visited.clone());
            }
        }
        visited
    }

    fn is_cycle(&self, visited: &Visited) -> bool {
        self.links != Links::Never && self.ancestor_like(visited).is_some()
    }

    /// The directory above that is the same as this one.
    pub fn ancestor_like(&self, visited: &Visited) -> Option<&[u8]> {
        let id = |visited: &Visited| visited.metadata.map(|found| (found.device, found.inode));
        let own = id(visited);
        let same = self.stack.iter().find(|level| id(&level.directory) == own)?;
        Some(&same.directory.path)
    }
}
