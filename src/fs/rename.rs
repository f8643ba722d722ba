//! `rename(2)`, with the order in which Linux finds what is wrong: `do_renameat2` and `vfs_rename` are the source.

use super::mount::Place;
use super::resolve::{Last, Slot, Walker};
use super::{Access, Errno, FileKind, Fs, View, permission};

impl Fs {
    /// Gives a node another name, in one step over what has that name.
    pub fn rename(&self, view: &View<'_>, old: &[u8], new: &[u8]) -> Result<(), Errno> {
        let table = self.table();
        let mut from = Walker::new(&table, view, old)?;
        let from_last = from.walk()?;
        let mut to = Walker::new(&table, view, new)?;
        let to_last = to.walk()?;
        if from.here().mount.device != to.here().mount.device {
            return Err(Errno::EXDEV);
        }
        let (Last::Name(from_name), Last::Name(to_name)) = (from_last, to_last) else {
            return Err(Errno::EBUSY);
        };
        from.here().mount.check_writable()?;
        let from = Slot::new(from, from_name)?;
        let moved = from.existing.ok_or(Errno::ENOENT)?;
        let to = Slot::new(to, to_name)?;
        check_paths(&from, &moved, &to)?;
        if to.existing.is_some_and(|replaced| replaced.is(&moved)) {
            return Ok(());
        }
        check_permission(&from, &moved, &to, view)?;
        let busy = |place: Place<'_>| from.walker.is_mount_point(place);
        if busy(moved) || to.existing.is_some_and(busy) {
            return Err(Errno::EBUSY);
        }
        moved.mount.tree.rename(
            from.directory_id(),
            &from.name,
            to.directory_id(),
            &to.name,
            view.now,
        )
    }
}

/// Trailing slashes are for directories, and none may move into itself or replace what it is in.
fn check_paths(from: &Slot<'_>, moved: &Place<'_>, to: &Slot<'_>) -> Result<(), Errno> {
    let slash = from.walker.trailing_slash || to.walker.trailing_slash;
    if slash && moved.node.kind != FileKind::Directory {
        return Err(Errno::ENOTDIR);
    }
    if to.walker.came_through(moved) {
        return Err(Errno::EINVAL);
    }
    if to
        .existing
        .is_some_and(|replaced| from.walker.came_through(&replaced))
    {
        return Err(Errno::ENOTEMPTY);
    }
    Ok(())
}

/// Both directories must be writable; a directory that changes its parent must be so itself, since its `..` changes.
fn check_permission(from: &Slot<'_>, moved: &Place<'_>, to: &Slot<'_>, view: &View<'_>) -> Result<(), Errno> {
    permission::check_remove(&from.directory().metadata()?, moved, view)?;
    let target = to.directory().metadata()?;
    let is_directory = moved.node.kind == FileKind::Directory;
    match to.existing {
        None => permission::check_add(&target, view)?,
        Some(replaced) => {
            permission::check_remove(&target, &replaced, view)?;
            match (is_directory, replaced.node.kind == FileKind::Directory) {
                (true, false) => return Err(Errno::ENOTDIR),
                (false, true) => return Err(Errno::EISDIR),
                _ => {}
            }
        }
    }
    if is_directory && !from.directory().is(&to.directory()) {
        permission::check(&moved.metadata()?, view.user, Access::WRITE)?;
    }
    Ok(())
}
