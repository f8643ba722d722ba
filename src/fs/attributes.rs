//! Changing attributes: `chmod`, `chown`, `utimensat`, `truncate`; and `access`.

use super::mount::Place;
use super::resolve::resolve;
use super::{Access, Attributes, Errno, FileKind, Follow, Fs, Metadata, Timestamp, View, permission};

fn apply(place: &Place<'_>, change: &Attributes, view: &View<'_>) -> Result<(), Errno> {
    place.mount.tree.set_attributes(place.node.id, change, view.now)
}

impl Fs {
    /// `fchmodat(2)`. The mode of a symbolic link cannot be changed (`EOPNOTSUPP`).
    pub fn set_mode(&self, view: &View<'_>, path: &[u8], mode: u32, follow: Follow) -> Result<(), Errno> {
        let table = self.table();
        let place = resolve(&table, view, path, follow)?.place;
        place.mount.check_writable()?;
        let metadata = place.metadata()?;
        permission::check_owner(&metadata, view)?;
        if metadata.kind == FileKind::Symlink {
            return Err(Errno::EOPNOTSUPP);
        }
        // Only a member of the group may give its powers away.
        let foreign_group = view.user.uid != 0 && view.user.gid != metadata.gid;
        let mode = if foreign_group { mode & !0o2000 } else { mode };
        apply(
            &place,
            &Attributes {
                mode: Some(mode & 0o7777),
                ..Attributes::default()
            },
            view,
        )
    }

    /// `fchownat(2)`; `None` leaves as is. Takes setuid and setgid away from what is no directory.
    pub fn set_owner(
        &self,
        view: &View<'_>,
        path: &[u8],
        uid: Option<u32>,
        gid: Option<u32>,
        follow: Follow,
    ) -> Result<(), Errno> {
        let table = self.table();
        let place = resolve(&table, view, path, follow)?.place;
        place.mount.check_writable()?;
        let metadata = place.metadata()?;
        check_new_owner(&metadata, uid, gid, view)?;
        let mode = match metadata.kind {
            FileKind::Directory | FileKind::Symlink => metadata.mode,
            _ if metadata.mode & 0o010 != 0 => metadata.mode & !0o6000,
            _ => metadata.mode & !0o4000,
        };
        apply(
            &place,
            &Attributes {
                mode: Some(mode),
                uid,
                gid,
                ..Attributes::default()
            },
            view,
        )
    }

    /// `utimensat(2)`; `None` leaves as is. The current time may be set by all who may write, another only by the owner.
    pub fn set_times(
        &self,
        view: &View<'_>,
        path: &[u8],
        atime: Option<Timestamp>,
        mtime: Option<Timestamp>,
        follow: Follow,
    ) -> Result<(), Errno> {
        let table = self.table();
        let place = resolve(&table, view, path, follow)?.place;
        if atime.is_none() && mtime.is_none() {
            return Ok(());
        }
        place.mount.check_writable()?;
        let metadata = place.metadata()?;
        let current = atime == Some(view.now) && mtime == Some(view.now);
        if permission::check_owner(&metadata, view).is_err() {
            if !current {
                return Err(Errno::EPERM);
            }
            permission::check(&metadata, view.user, Access::WRITE)?;
        }
        apply(
            &place,
            &Attributes {
                atime,
                mtime,
                ..Attributes::default()
            },
            view,
        )
    }

    /// `truncate(2)`.
    pub fn truncate(&self, view: &View<'_>, path: &[u8], length: u64) -> Result<(), Errno> {
        let table = self.table();
        let place = resolve(&table, view, path, Follow::Yes)?.place;
        match place.node.kind {
            FileKind::Regular => {}
            FileKind::Directory => return Err(Errno::EISDIR),
            _ => return Err(Errno::EINVAL),
        }
        place.mount.check_writable()?;
        permission::check(&place.metadata()?, view.user, Access::WRITE)?;
        place.mount.tree.truncate(place.node.id, length, view.now)
    }

    /// `access(2)`, for the user of the view.
    pub fn access(&self, view: &View<'_>, path: &[u8], wanted: Access) -> Result<(), Errno> {
        let table = self.table();
        let place = resolve(&table, view, path, Follow::Yes)?.place;
        let stored = matches!(
            place.node.kind,
            FileKind::Regular | FileKind::Directory | FileKind::Symlink
        );
        if wanted.contains(Access::WRITE) && stored {
            place.mount.check_writable()?;
        }
        if wanted == Access::EXISTS {
            return Ok(());
        }
        permission::check(&place.metadata()?, view.user, wanted)
    }
}

/// User 0 gives files away; an owner may only hand them to the own group.
fn check_new_owner(
    metadata: &Metadata,
    uid: Option<u32>,
    gid: Option<u32>,
    view: &View<'_>,
) -> Result<(), Errno> {
    if view.user.uid == 0 {
        return Ok(());
    }
    let owner = view.user.uid == metadata.uid;
    let uid_stays = uid.is_none_or(|uid| owner && uid == metadata.uid);
    let gid_stays = gid.is_none_or(|gid| owner && (gid == metadata.gid || gid == view.user.gid));
    if uid_stays && gid_stays {
        Ok(())
    } else {
        Err(Errno::EPERM)
    }
}
