//! Canonical names: the absolute path without links, `.` and `..`, as `realpath` and `readlink -f`, `-e`, `-m` print it.

use super::mount::{MountTable, Place};
use super::resolve::{Last, Walker, resolve};
use super::{Errno, FileKind, Follow, Fs, View};

/// Which components must exist for [`Fs::canonicalize`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existing {
    /// All: `realpath -e`, `readlink -e`.
    All,
    /// All but the last: `realpath`, `readlink -f`.
    Parent,
    /// None: `realpath -m`, `readlink -m`.
    None,
}

impl Fs {
    /// The canonical name of a path.
    pub fn canonicalize(&self, view: &View<'_>, path: &[u8], existing: Existing) -> Result<Vec<u8>, Errno> {
        let table = self.table();
        match existing {
            Existing::All => Ok(resolve(&table, view, path, Follow::Yes)?.path),
            Existing::Parent => parent_exists(&table, view, path),
            Existing::None => nothing_exists(&table, view, path),
        }
    }
}

fn parent_exists(table: &MountTable, view: &View<'_>, path: &[u8]) -> Result<Vec<u8>, Errno> {
    let mut walker = Walker::new(table, view, path)?;
    loop {
        let name = match walker.walk()? {
            Last::Name(name) => name,
            other => return Ok(walker.finish_special(&other)?.path),
        };
        match walker.find_last(&name) {
            Ok(link) if link.node.kind == FileKind::Symlink => walker.follow(link)?,
            Ok(place) if walker.trailing_slash && place.node.kind != FileKind::Directory => {
                return Err(Errno::ENOTDIR);
            }
            Ok(_) | Err(Errno::ENOENT) => return Ok(walker.path_of(&name)),
            Err(error) => return Err(error),
        }
    }
}

/// Follows what exists; below what does not, or is no directory, the path goes on by its spelling alone.
fn nothing_exists(table: &MountTable, view: &View<'_>, path: &[u8]) -> Result<Vec<u8>, Errno> {
    let mut walker = Walker::new(table, view, path)?;
    // Components below the last directory that exists.
    let mut beyond: Vec<Vec<u8>> = Vec::new();
    while let Some(component) = walker.take_component() {
        match component.as_slice() {
            b"." => {}
            b".." if beyond.pop().is_some() => {}
            b".." => walker.ascend(),
            name if !beyond.is_empty() => beyond.push(name.to_vec()),
            name => match walker.find_last(name).map(|place| table.cross(place)) {
                Ok(place @ Place { node, .. }) if node.kind == FileKind::Directory => {
                    walker.descend(place, name);
                }
                // A loop of links counts as a name that leads nowhere.
                Ok(link) if link.node.kind == FileKind::Symlink && walker.follow(link).is_ok() => {}
                _ => beyond.push(name.to_vec()),
            },
        }
    }
    let mut path = if beyond.is_empty() {
        walker.here_path()
    } else {
        walker.here_path_prefix()
    };
    for name in beyond {
        path.push(b'/');
        path.extend_from_slice(&name);
    }
    Ok(path)
}
