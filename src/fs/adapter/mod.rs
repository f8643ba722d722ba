//! Bridges to the crate `vfs`, both ways: [`VfsAdapter`] mounts any `vfs::FileSystem` as a tree, [`VfsView`] shows a file
//! tree as a `vfs::FileSystem`.
//!
//! `vfs` has no modes, owners, links or devices, its names are UTF-8, and its files are written from the start or at the
//! end. That is why it is a bridge and not our interface. What it cannot do is an error here, never a silent success.

mod from_vfs;
mod to_vfs;

use super::Errno;

pub use from_vfs::VfsAdapter;
pub use to_vfs::VfsView;

/// The nearest number for an error of `vfs`.
fn errno(error: &vfs::VfsError) -> Errno {
    use vfs::error::VfsErrorKind;
    match error.kind() {
        VfsErrorKind::IoError(error) => error.into(),
        VfsErrorKind::FileNotFound => Errno::ENOENT,
        VfsErrorKind::InvalidPath => Errno::EINVAL,
        VfsErrorKind::DirectoryExists | VfsErrorKind::FileExists => Errno::EEXIST,
        VfsErrorKind::NotSupported => Errno::EOPNOTSUPP,
        VfsErrorKind::Other(_) => Errno::EIO,
    }
}
