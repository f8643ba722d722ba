//! Path resolution, as in `path_resolution(7)`: component by component, through symbolic links and mount points.
//!
//! The [`Walker`] keeps the directories it came through, so `..` is one step back on that trail: right after links and
//! across mounts, without parent pointers in the trees. It stops in front of the last component ([`Walker::walk`]); what becomes of
//! that one is the business of each operation ([`Slot`] for those on names, [`Walker::finish`] for those on nodes).

use std::borrow::Cow;

use super::mount::{MountTable, Place};
use super::{Errno, FileKind, Follow, Node, View, permission};

/// Longest path, with its NUL in Linux: 4095 bytes and no more.
const PATH_MAX: usize = 4096;
/// Longest working directory. Linux has no bound, but each relative path walks it.
const CWD_MAX: usize = 16 * PATH_MAX;
/// Longest component.
pub(super) const NAME_MAX: usize = 255;
/// Symbolic links followed in one resolution.
const LINKS_MAX: u32 = 40;

/// The last component of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Last {
    /// There is none: `/`.
    Root,
    /// `.`
    Dot,
    /// `..`
    DotDot,
    /// A name.
    Name(Vec<u8>),
}

/// A resolution under way: stands in a directory, with a rest to go.
pub(super) struct Walker<'t> {
    table: &'t MountTable,
    view: &'t View<'t>,
    /// The directories gone through below the root, each with the length of `path` before it.
    trail: Vec<(Place<'t>, usize)>,
    /// The path of the directory it stands in; empty for the root.
    path: Vec<u8>,
    rest: Cow<'t, [u8]>,
    position: usize,
    links: u32,
    /// Whether search permission is checked: not on the way to the working directory, where the task already is.
    checked: bool,
    /// Whether slashes follow the last component: it must be a directory.
    pub trailing_slash: bool,
}

/// A node that a path leads to.
pub(super) struct Found<'t> {
    pub place: Place<'t>,
    /// Absolute, without links.
    pub path: Vec<u8>,
}

impl<'t> Walker<'t> {
    /// Starts at the root or the working directory, after the checks on the path as a whole.
    pub fn new(table: &'t MountTable, view: &'t View<'t>, path: &'t [u8]) -> Result<Walker<'t>, Errno> {
        if path.is_empty() || memchr::memchr(0, path).is_some() {
            return Err(Errno::ENOENT);
        }
        if path.len() >= PATH_MAX {
            return Err(Errno::ENAMETOOLONG);
        }
        let mut walker = Walker {
            table,
            view,
            trail: Vec::new(),
            path: Vec::new(),
            rest: Cow::Borrowed(path),
            position: 0,
            links: 0,
            checked: false,
            trailing_slash: false,
        };
        if path.first() != Some(&b'/') {
            if view.cwd.len() > CWD_MAX {
                return Err(Errno::ENAMETOOLONG);
            }
            walker.rest = Cow::Borrowed(view.cwd);
            while let Some((component, _)) = walker.next_component() {
                walker.step(component)?;
            }
            walker.rest = Cow::Borrowed(path);
            walker.position = 0;
            walker.links = 0;
        }
        walker.checked = true;
        Ok(walker)
    }

    /// The directory it stands in.
    pub fn here(&self) -> Place<'t> {
        self.trail
            .last()
            .map_or_else(|| self.table.root(), |(place, _)| *place)
    }

    /// Its path, absolute.
    pub fn here_path(&self) -> Vec<u8> {
        if self.path.is_empty() {
            b"/".to_vec()
        } else {
            self.path.clone()
        }
    }

    /// Its path as the start of a longer one: empty for the root.
    pub fn here_path_prefix(&self) -> Vec<u8> {
        self.path.clone()
    }

    /// The path of a name in it.
    pub fn path_of(&self, name: &[u8]) -> Vec<u8> {
        [&self.path, &b"/"[..], name].concat()
    }

    /// Whether a directory is on the way here, this one included.
    pub fn came_through(&self, place: &Place<'_>) -> bool {
        self.table.root().is(place) || self.trail.iter().any(|(step, _)| step.is(place))
    }

    /// Whether a tree is mounted on a directory.
    pub fn is_mount_point(&self, place: Place<'_>) -> bool {
        self.table.covering(place).is_some()
    }

    /// The next component as a range of `rest`, and whether it is the last.
    fn next_component(&mut self) -> Option<(std::ops::Range<usize>, bool)> {
        let rest = &self.rest;
        let skip = |from: usize| {
            let tail = rest.get(from..).unwrap_or_default();
            from + tail.iter().take_while(|byte| **byte == b'/').count()
        };
        let start = skip(self.position);
        let tail = rest.get(start..).filter(|tail| !tail.is_empty())?;
        let end = start + memchr::memchr(b'/', tail).unwrap_or(tail.len());
        self.position = skip(end);
        self.trailing_slash = self.position > end;
        Some((start..end, self.position >= rest.len()))
    }

    fn component(&self, range: std::ops::Range<usize>) -> &[u8] {
        self.rest.get(range).unwrap_or_default()
    }

    /// Goes on to the last component.
    pub fn walk(&mut self) -> Result<Last, Errno> {
        while let Some((range, last)) = self.next_component() {
            if !last {
                self.step(range)?;
                continue;
            }
            return Ok(match self.component(range) {
                b"." => Last::Dot,
                b".." => Last::DotDot,
                name => Last::Name(name.to_vec()),
            });
        }
        Ok(Last::Root)
    }

    /// Enters a component that more follow.
    fn step(&mut self, range: std::ops::Range<usize>) -> Result<(), Errno> {
        if self.checked {
            permission::check_search(&self.here(), self.view)?;
        }
        match self.component(range.clone()) {
            b"." => {}
            b".." => self.ascend(),
            name => {
                let place = self.table.cross(self.find(name)?);
                match place.node.kind {
                    FileKind::Directory => {
                        let name = self.component(range).to_vec();
                        self.descend(place, &name);
                    }
                    FileKind::Symlink => self.follow(place)?,
                    _ => return Err(Errno::ENOTDIR),
                }
            }
        }
        Ok(())
    }

    /// The next component as it is spelled.
    pub fn take_component(&mut self) -> Option<Vec<u8>> {
        let (range, _) = self.next_component()?;
        Some(self.component(range).to_vec())
    }

    /// Back to the parent; the root is its own.
    pub fn ascend(&mut self) {
        if let Some((_, length)) = self.trail.pop() {
            self.path.truncate(length);
        }
    }

    /// Into a directory under `name`.
    pub fn descend(&mut self, place: Place<'t>, name: &[u8]) {
        self.trail.push((place, self.path.len()));
        self.path.push(b'/');
        self.path.extend_from_slice(name);
    }

    /// Looks a name up in this directory, without crossing onto what is mounted on it.
    fn find(&self, name: &[u8]) -> Result<Place<'t>, Errno> {
        if name.len() > NAME_MAX {
            return Err(Errno::ENAMETOOLONG);
        }
        let mount = self.here().mount;
        let node = mount.tree.lookup(self.here().node.id, name)?;
        Ok(Place { mount, node })
    }

    /// Looks up the last component: search permission, then [`Walker::find`].
    pub fn find_last(&self, name: &[u8]) -> Result<Place<'t>, Errno> {
        permission::check_search(&self.here(), self.view)?;
        self.find(name)
    }

    /// Puts the target of a link in front of the rest.
    pub fn follow(&mut self, link: Place<'t>) -> Result<(), Errno> {
        self.links += 1;
        if self.links > LINKS_MAX {
            return Err(Errno::ELOOP);
        }
        let mut target = link.mount.tree.read_link(link.node.id)?;
        if target.is_empty() {
            return Err(Errno::ENOENT);
        }
        if target.first() == Some(&b'/') {
            self.trail.clear();
            self.path.clear();
        }
        // The slashes that followed the link count for its target too.
        if self.trailing_slash {
            target.push(b'/');
        }
        target.extend_from_slice(self.rest.get(self.position..).unwrap_or_default());
        self.rest = Cow::Owned(target);
        self.position = 0;
        Ok(())
    }

    /// Resolves the rest to a node that exists.
    pub fn finish(mut self, follow: Follow) -> Result<Found<'t>, Errno> {
        loop {
            let name = match self.walk()? {
                Last::Name(name) => name,
                other => return self.finish_special(&other),
            };
            let place = self.find_last(&name)?;
            if place.node.kind == FileKind::Symlink && (follow == Follow::Yes || self.trailing_slash) {
                self.follow(place)?;
                continue;
            }
            let place = self.table.cross(place);
            if self.trailing_slash && place.node.kind != FileKind::Directory {
                return Err(Errno::ENOTDIR);
            }
            return Ok(Found {
                place,
                path: self.path_of(&name),
            });
        }
    }

    /// The end of a path that has no name at its end.
    pub fn finish_special(mut self, last: &Last) -> Result<Found<'t>, Errno> {
        if *last != Last::Root {
            permission::check_search(&self.here(), self.view)?;
        }
        if *last == Last::DotDot {
            self.ascend();
        }
        Ok(Found {
            place: self.here(),
            path: self.here_path(),
        })
    }
}

/// A name in a directory, taken or free: where `mkdir`, `unlink` and `rename` work.
pub(super) struct Slot<'t> {
    pub walker: Walker<'t>,
    pub name: Vec<u8>,
    pub existing: Option<Place<'t>>,
}

impl<'t> Slot<'t> {
    /// Looks up the name the walker stands before; that there is none is no error.
    pub fn new(walker: Walker<'t>, name: Vec<u8>) -> Result<Slot<'t>, Errno> {
        let existing = match walker.find_last(&name) {
            Ok(place) => Some(place),
            Err(Errno::ENOENT) => None,
            Err(error) => return Err(error),
        };
        Ok(Slot {
            walker,
            name,
            existing,
        })
    }

    /// The directory.
    pub fn directory(&self) -> Place<'t> {
        self.walker.here()
    }

    /// The directory's node number.
    pub fn directory_id(&self) -> super::NodeId {
        self.directory().node.id
    }

    /// A place for a node in the same tree.
    pub fn place(&self, node: Node) -> Place<'t> {
        Place {
            mount: self.directory().mount,
            node,
        }
    }
}

/// Resolves a path to a node.
pub(super) fn resolve<'t>(
    table: &'t MountTable,
    view: &'t View<'t>,
    path: &'t [u8],
    follow: Follow,
) -> Result<Found<'t>, Errno> {
    Walker::new(table, view, path)?.finish(follow)
}
