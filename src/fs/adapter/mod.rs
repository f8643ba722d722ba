//! Bridges to the crate `vfs`, both ways: [`VfsAdapter`] mounts any `vfs::FileSystem` as a tree, [`VfsView`] shows a file
//! tree as a `vfs::FileSystem`.
//!
//! `vfs` has no modes, owners, links or devices, its names are UTF-8, and its files are written from the start or at the
//! end. That is why it is a bridge and not our interface. What it cannot do is an error here, never a silent success.

mod from_vfs;
mod to_vfs;

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::{Errno, Timestamp};

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

/// Only converts; no clock is read here.
fn timestamp(time: SystemTime) -> Timestamp {
    match time.duration_since(UNIX_EPOCH) {
        Ok(after) => Timestamp {
            seconds: after.as_secs() as i64,
            nanos: after.subsec_nanos(),
        },
        Err(before) => {
            let before = before.duration();
            let borrow = i64::from(before.subsec_nanos() > 0);
            let nanos = (1_000_000_000 - before.subsec_nanos()) % 1_000_000_000;
            Timestamp {
                seconds: -(before.as_secs() as i64) - borrow,
                nanos,
            }
        }
    }
}

/// The other way; a time that the host cannot express becomes the epoch.
fn system_time(time: Timestamp) -> SystemTime {
    let whole = Duration::from_secs(time.seconds.unsigned_abs());
    let second = if time.seconds < 0 {
        UNIX_EPOCH.checked_sub(whole)
    } else {
        UNIX_EPOCH.checked_add(whole)
    };
    let exact = second.and_then(|second| second.checked_add(Duration::from_nanos(u64::from(time.nanos))));
    exact.unwrap_or(UNIX_EPOCH)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_convert_both_ways() {
        for (seconds, nanos) in [(0, 0), (1, 5), (-1, 0), (-1, 999_999_999), (-86_400, 1)] {
            let time = Timestamp { seconds, nanos };
            assert_eq!(timestamp(system_time(time)), time);
        }
    }
}
