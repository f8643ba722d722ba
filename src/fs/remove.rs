//! Taking names away: `unlink`, `rmdir`.

use super::resolve::{Last, Slot, Walker};
use super::{Errno, FileKind, Fs, View, permission};

impl Fs {
    /// `unlink(2)`: any node but a directory.
    pub fn unlink(&self, view: &View<'_>, path: &[u8]) -> Result<(), Errno> {
        let table = self.table();
        let mut walker = Walker::new(&table, view, path)?;
        let Last::Name(name) = walker.walk()? else {
            return Err(Errno::EISDIR);
        };
        let slash = walker.trailing_slash;
        walker.here().mount.check_writable()?;
        let slot = Slot::new(walker, name)?;
        let place = slot.existing.ok_or(Errno::ENOENT)?;
        let is_directory = place.node.kind == FileKind::Directory;
        if slash {
            return Err(if is_directory {
                Errno::EISDIR
            } else {
                Errno::ENOTDIR
            });
        }
        permission::check_remove(&slot.directory().metadata()?, &place, view)?;
        if is_directory {
            return Err(Errno::EISDIR);
        }
        place.mount.tree.unlink(slot.directory_id(), &slot.name, view.now)
    }

    /// `rmdir(2)`.
    pub fn remove_dir(&self, view: &View<'_>, path: &[u8]) -> Result<(), Errno> {
        let table = self.table();
        let mut walker = Walker::new(&table, view, path)?;
        let name = match walker.walk()? {
            Last::Name(name) => name,
            Last::Dot => return Err(Errno::EINVAL),
            Last::DotDot => return Err(Errno::ENOTEMPTY),
            Last::Root => return Err(Errno::EBUSY),
        };
        walker.here().mount.check_writable()?;
        let slot = Slot::new(walker, name)?;
        let place = slot.existing.ok_or(Errno::ENOENT)?;
        permission::check_remove(&slot.directory().metadata()?, &place, view)?;
        if place.node.kind != FileKind::Directory {
            return Err(Errno::ENOTDIR);
        }
        if slot.walker.is_mount_point(place) {
            return Err(Errno::EBUSY);
        }
        place
            .mount
            .tree
            .remove_dir(slot.directory_id(), &slot.name, view.now)
    }
}
