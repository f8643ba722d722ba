//! Who may do what: the permission bits, the sticky bit and ownership, in the words of `path_resolution(7)`.

use super::mount::Place;
use super::{Access, Credentials, Errno, FileKind, Metadata, View};

impl Metadata {
    /// Whether the bits allow a user what is wanted (`EACCES`).
    pub(crate) fn permits(&self, user: Credentials, wanted: Access) -> Result<(), Errno> {
        check(self, user, wanted)
    }
}

/// Whether the bits allow what is wanted (`EACCES`).
pub(super) fn check(metadata: &Metadata, user: Credentials, wanted: Access) -> Result<(), Errno> {
    let granted = if user.uid == 0 {
        let runs = metadata.kind == FileKind::Directory || metadata.mode & 0o111 != 0;
        if runs { 7 } else { 6 }
    } else if user.uid == metadata.uid {
        metadata.mode >> 6 & 7
    } else if user.gid == metadata.gid {
        metadata.mode >> 3 & 7
    } else {
        metadata.mode & 7
    };
    if wanted.bits() & !granted == 0 {
        Ok(())
    } else {
        Err(Errno::EACCES)
    }
}

/// Whether names may be looked up in a directory.
pub(super) fn check_search(directory: &Place<'_>, view: &View<'_>) -> Result<(), Errno> {
    if view.user.uid == 0 {
        return Ok(());
    }
    check(&directory.metadata()?, view.user, Access::EXECUTE)
}

/// Whether names may be added to a directory.
pub(super) fn check_add(directory: &Metadata, view: &View<'_>) -> Result<(), Errno> {
    check(directory, view.user, Access::WRITE | Access::EXECUTE)
}

/// Whether the name of `node` may be taken from a directory: in a sticky one (`/tmp`) only the owner of either may (`EPERM`).
pub(super) fn check_remove(directory: &Metadata, node: &Place<'_>, view: &View<'_>) -> Result<(), Errno> {
    check_add(directory, view)?;
    let sticky = directory.mode & 0o1000 != 0 && view.user.uid != 0 && view.user.uid != directory.uid;
    if sticky && node.metadata()?.uid != view.user.uid {
        Err(Errno::EPERM)
    } else {
        Ok(())
    }
}

/// Whether the user may change attributes (`EPERM`).
pub(super) fn check_owner(metadata: &Metadata, view: &View<'_>) -> Result<(), Errno> {
    if view.user.uid == 0 || view.user.uid == metadata.uid {
        Ok(())
    } else {
        Err(Errno::EPERM)
    }
}
