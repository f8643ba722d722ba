//! `glob`: finds files by name.

use super::cancel::Cancel;
use super::failure::{Failure, FailureCode};
use super::path::{absolute, below, show};
use super::path_pattern::{PathPattern, Rooted};
use super::request::Glob;
use super::walk::Walk;
use super::workspace::{Fault, Workspace};
use crate::fs::{Errno, FileKind};

/// Files that are shown.
const RESULTS: usize = 500;

/// Files that are looked at.
const SCANNED: u64 = 20_000;

pub(super) async fn run(
    workspace: &mut dyn Workspace,
    glob: &Glob,
    cancel: &Cancel,
) -> Result<String, Failure> {
    let base = absolute(workspace.directory(), glob.path.as_deref().unwrap_or_default());
    let node = workspace.node(&base).await;
    node.and_then(|node| directory(node.kind))
        .map_err(|fault| Failure::at(&base, fault, FailureCode::Error))?;
    let rooted = PathPattern::compile_rooted(glob.pattern.as_bytes()).map_err(|_| {
        Failure::new(
            FailureCode::Error,
            format!("{}: the braces give too many patterns", glob.pattern),
        )
    })?;
    let mut search = Search {
        workspace,
        cancel,
        found: Vec::new(),
        scanned: 0,
    };
    for Rooted { prefix, pattern } in &rooted {
        let start = if prefix.starts_with(b"/") {
            prefix.clone()
        } else {
            below(&base, prefix)
        };
        let start = absolute(b"/", &show(&start));
        match search.below(&start, pattern).await {
            Ok(()) => {}
            Err(Fault::File(_)) => {} // what is not there matches nothing
            Err(fault) => return Err(Failure::at(&start, fault, FailureCode::Error)),
        }
    }
    Ok(search.into_text())
}

fn directory(kind: FileKind) -> Result<(), Fault> {
    match kind {
        FileKind::Directory => Ok(()),
        _ => Err(Errno::ENOTDIR.into()),
    }
}

struct Search<'w> {
    workspace: &'w mut dyn Workspace,
    cancel: &'w Cancel,
    found: Vec<Vec<u8>>,
    scanned: u64,
}

impl Search<'_> {
    /// Adds what matches below a directory, one more than is shown at most.
    async fn below(&mut self, start: &[u8], pattern: &PathPattern) -> Result<(), Fault> {
        let mut walk = Walk::start(self.workspace, start, pattern, &pattern.start()).await?;
        let mut count = 0;
        while count <= RESULTS
            && self.scanned + walk.scanned <= SCANNED
            && let Some(found) = walk.next(self.workspace, self.cancel).await?
        {
            if self.scanned + walk.scanned <= SCANNED && self.is_file(&found.path, found.kind).await? {
                self.found.push(found.path);
                count += 1;
            }
        }
        self.scanned += walk.scanned;
        Ok(())
    }

    /// Links to directories are no files; links to nothing count.
    async fn is_file(&mut self, path: &[u8], kind: FileKind) -> Result<bool, Fault> {
        if kind != FileKind::Symlink {
            return Ok(true);
        }
        match self.workspace.node(path).await {
            Ok(node) => Ok(node.kind != FileKind::Directory),
            Err(Fault::File(_)) => Ok(true),
            Err(fault) => Err(fault),
        }
    }

    fn into_text(mut self) -> String {
        self.found.sort_unstable();
        self.found.dedup();
        let more = self.found.len() > RESULTS;
        self.found.truncate(RESULTS);
        let mut lines: Vec<String> = self.found.iter().map(|path| show(path)).collect();
        if lines.is_empty() {
            lines.push("No files matched.".to_owned());
        }
        if more {
            lines.push(format!(
                "[there are more files: only the first {RESULTS} are shown; give a narrower pattern or path]"
            ));
        } else if self.scanned > SCANNED {
            lines.push(format!(
                "[stopped after {SCANNED} files: there may be more; give a narrower pattern or path]"
            ));
        }
        lines.join("\n")
    }
}
