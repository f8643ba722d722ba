//! Making names: `mkdir`, `mknod`, `symlink`, `link`.

use super::device::MAJOR_MAX;
use super::mount::Place;
use super::resolve::{Last, Slot, Walker, resolve};
use super::{Errno, FileKind, Follow, Fs, NewNode, NodeId, View, permission};

/// Longest target of a symbolic link.
const TARGET_MAX: usize = 4095;

/// A node of a kind with nothing else set.
pub(super) const fn template(kind: FileKind) -> NewNode<'static> {
    NewNode {
        kind,
        mode: 0,
        uid: 0,
        gid: 0,
        rdev: (0, 0),
        target: b"",
    }
}

/// The free name that a new node gets. Slashes may follow it only if that is to be a directory.
fn free_slot(mut walker: Walker<'_>, kind: FileKind) -> Result<Slot<'_>, Errno> {
    let Last::Name(name) = walker.walk()? else {
        return Err(Errno::EEXIST);
    };
    let slash = walker.trailing_slash;
    let slot = Slot::new(walker, name)?;
    if slot.existing.is_some() {
        return Err(Errno::EEXIST);
    }
    if slash && kind != FileKind::Directory {
        return Err(Errno::ENOENT);
    }
    slot.directory().mount.check_writable()?;
    Ok(slot)
}

/// Creates a node in a free slot: permission, umask, owner, and the group of a setgid directory.
pub(super) fn create_in(slot: &Slot<'_>, view: &View<'_>, new: &NewNode<'_>) -> Result<NodeId, Errno> {
    let directory = slot.directory();
    directory.mount.check_writable()?;
    let parent = directory.metadata()?;
    permission::check_add(&parent, view)?;
    let mut mode = match new.kind {
        FileKind::Symlink => 0o777,
        // mkdir(2) heeds the permission bits and the sticky bit alone.
        FileKind::Directory => new.mode & 0o1777 & !view.umask,
        _ => new.mode & 0o7777 & !view.umask,
    };
    let inherits = parent.mode & 0o2000 != 0;
    if inherits && new.kind == FileKind::Directory {
        mode |= 0o2000;
    }
    let gid = if inherits { parent.gid } else { view.user.gid };
    let node = NewNode {
        mode,
        uid: view.user.uid,
        gid,
        ..*new
    };
    directory
        .mount
        .tree
        .create(directory.node.id, &slot.name, &node, view.now)
}

impl Fs {
    fn make(&self, view: &View<'_>, path: &[u8], new: &NewNode<'_>) -> Result<(), Errno> {
        let table = self.table();
        let slot = free_slot(Walker::new(&table, view, path)?, new.kind)?;
        create_in(&slot, view, new).map(|_| ())
    }

    /// `mkdir(2)`.
    pub fn make_dir(&self, view: &View<'_>, path: &[u8], mode: u32) -> Result<(), Errno> {
        self.make(
            view,
            path,
            &NewNode {
                mode,
                ..template(FileKind::Directory)
            },
        )
    }

    /// `mknod(2)`: a regular file, pipe, socket or, for user 0, a device.
    pub fn make_node(
        &self,
        view: &View<'_>,
        path: &[u8],
        kind: FileKind,
        mode: u32,
        rdev: (u32, u32),
    ) -> Result<(), Errno> {
        match kind {
            FileKind::Directory => return Err(Errno::EPERM),
            FileKind::Symlink => return Err(Errno::EINVAL),
            _ if rdev.0 > MAJOR_MAX => return Err(Errno::EINVAL),
            _ => {}
        }
        let table = self.table();
        let slot = free_slot(Walker::new(&table, view, path)?, kind)?;
        if matches!(kind, FileKind::CharDevice | FileKind::BlockDevice) && view.user.uid != 0 {
            permission::check_add(&slot.directory().metadata()?, view)?;
            return Err(Errno::EPERM);
        }
        create_in(
            &slot,
            view,
            &NewNode {
                mode,
                rdev,
                ..template(kind)
            },
        )
        .map(|_| ())
    }

    /// `symlink(2)`.
    pub fn symlink(&self, view: &View<'_>, target: &[u8], path: &[u8]) -> Result<(), Errno> {
        if target.is_empty() {
            return Err(Errno::ENOENT);
        }
        if target.len() > TARGET_MAX {
            return Err(Errno::ENAMETOOLONG);
        }
        self.make(
            view,
            path,
            &NewNode {
                target,
                ..template(FileKind::Symlink)
            },
        )
    }

    /// `linkat(2)`; `link(2)` is `Follow::No`.
    pub fn link(&self, view: &View<'_>, old: &[u8], new: &[u8], follow: Follow) -> Result<(), Errno> {
        let table = self.table();
        let Place { mount, node } = resolve(&table, view, old, follow)?.place;
        let slot = free_slot(Walker::new(&table, view, new)?, FileKind::Regular)?;
        let directory = slot.directory();
        if directory.mount.device != mount.device {
            return Err(Errno::EXDEV);
        }
        permission::check_add(&directory.metadata()?, view)?;
        if node.kind == FileKind::Directory {
            return Err(Errno::EPERM);
        }
        mount.tree.link(node.id, directory.node.id, &slot.name, view.now)
    }
}
