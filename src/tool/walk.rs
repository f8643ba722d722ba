//! [`Walk`]: all that is below a directory, sorted by path, one at a time.
//!
//! Links are told, not followed, so there are no loops. `.git` is left out.

use super::cancel::Cancel;
use super::path::below;
use super::path_pattern::{PathPattern, Position};
use super::pieces::check;
use super::workspace::{Fault, Workspace};
use crate::fs::{DirEntry, FileKind};
use crate::kernel::yield_now;

/// Entries after which others get their turn.
const SLICE: u64 = 4096;

/// Something that is no directory.
pub(super) struct Found {
    pub(super) path: Vec<u8>,
    pub(super) kind: FileKind,
}

struct Pending {
    path: Vec<u8>,
    kind: FileKind,
    position: Position,
}

/// A walk under way.
pub(super) struct Walk<'p> {
    pattern: &'p PathPattern,
    /// What comes later, the next last.
    pending: Vec<Pending>,
    /// Entries that were looked at, but for directories.
    pub(super) scanned: u64,
    /// Directories that could not be read.
    pub(super) unreadable: u64,
}

impl<'p> Walk<'p> {
    /// Starts below a directory, at a place in the pattern.
    pub(super) async fn start(
        workspace: &mut dyn Workspace,
        base: &[u8],
        pattern: &'p PathPattern,
        position: &Position,
    ) -> Result<Walk<'p>, Fault> {
        let mut walk = Walk {
            pattern,
            pending: Vec::new(),
            scanned: 0,
            unreadable: 0,
        };
        let entries = workspace.list(base).await?;
        walk.enter(base, position, entries);
        Ok(walk)
    }

    /// The next match.
    pub(super) async fn next(
        &mut self,
        workspace: &mut dyn Workspace,
        cancel: &Cancel,
    ) -> Result<Option<Found>, Fault> {
        while let Some(Pending { path, kind, position }) = self.pending.pop() {
            check(cancel)?;
            if kind == FileKind::Directory {
                match workspace.list(&path).await {
                    Ok(entries) => self.enter(&path, &position, entries),
                    Err(Fault::File(_)) => self.unreadable += 1,
                    Err(fault) => return Err(fault),
                }
                continue;
            }
            self.scanned += 1;
            if self.scanned.is_multiple_of(SLICE) {
                yield_now().await;
            }
            if self.pattern.accepts(&position) {
                return Ok(Some(Found { path, kind }));
            }
        }
        Ok(None)
    }

    fn enter(&mut self, directory: &[u8], position: &Position, mut entries: Vec<DirEntry>) {
        entries.retain(|entry| entry.name != b".git");
        // By path: what is in the directory `a` comes after the file `a.c` and before the file `a0`.
        entries.sort_by(|one, other| sort_key(other).cmp(sort_key(one)));
        for entry in entries {
            let position = self.pattern.step(position, &entry.name);
            // A position without parts left to meet still counts a file as looked at.
            if entry.kind == FileKind::Directory && position.is_empty() {
                continue;
            }
            self.pending.push(Pending {
                path: below(directory, &entry.name),
                kind: entry.kind,
                position,
            });
        }
    }
}

fn sort_key(entry: &DirEntry) -> impl Iterator<Item = &u8> {
    let slash: &[u8] = if entry.kind == FileKind::Directory {
        b"/"
    } else {
        b""
    };
    entry.name.iter().chain(slash)
}
