//! Device numbers: which character device of Linux means what. The tree stores numbers only, so a device made with
//! `mknod` anywhere works as the one in `/dev`.

use super::{FileKind, Metadata};

/// The major number in [`Metadata::rdev`] that marks `/proc/self/fd/N`. No device can have it: see [`MAJOR_MAX`].
const DESCRIPTOR_MAJOR: u32 = u32::MAX;

/// The largest major number that `mknod` takes, as on Linux.
pub(super) const MAJOR_MAX: u32 = 0xfff;

/// What a device does; reading and writing it is the kernel's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Device {
    /// Empty, takes everything.
    Null,
    /// Endless zeros, takes everything.
    Zero,
    /// Endless zeros, always full.
    Full,
    /// Endless random bytes.
    Random,
    /// The controlling terminal.
    Tty,
    /// The descriptor 0 of the caller.
    Stdin,
    /// The descriptor 1 of the caller.
    Stdout,
    /// The descriptor 2 of the caller.
    Stderr,
    /// Another descriptor of the caller, by `/dev/fd/N` or `/proc/self/fd/N`.
    Descriptor(u32),
}

impl Device {
    /// The device behind a node, if it is a known one.
    pub fn of(metadata: &Metadata) -> Option<Device> {
        if metadata.kind != FileKind::CharDevice {
            return None;
        }
        Some(match metadata.rdev {
            (1, 3) => Device::Null,
            (1, 5) => Device::Zero,
            (1, 7) => Device::Full,
            (1, 8 | 9) => Device::Random,
            (5, 0) => Device::Tty,
            (DESCRIPTOR_MAJOR, 0) => Device::Stdin,
            (DESCRIPTOR_MAJOR, 1) => Device::Stdout,
            (DESCRIPTOR_MAJOR, 2) => Device::Stderr,
            (DESCRIPTOR_MAJOR, number) => Device::Descriptor(number),
            _ => return None,
        })
    }

    /// The descriptor of the caller that this device stands for.
    pub const fn descriptor(self) -> Option<u32> {
        match self {
            Device::Stdin => Some(0),
            Device::Stdout => Some(1),
            Device::Stderr => Some(2),
            Device::Descriptor(number) => Some(number),
            _ => None,
        }
    }

    /// The `rdev` that stands for a descriptor.
    pub(crate) const fn descriptor_rdev(number: u32) -> (u32, u32) {
        (DESCRIPTOR_MAJOR, number)
    }
}

impl Metadata {
    /// The descriptor of the caller that this node stands for (`/dev/stdin`, `/dev/fd/3`, links to them). Only the kernel
    /// knows whether it is open and what it is, so it answers `stat` and `access` from its own table then.
    pub fn descriptor(&self) -> Option<u32> {
        Device::of(self).and_then(Device::descriptor)
    }
}

/// The descriptor that a path names by its spelling alone: `/dev/fd/3`, `/proc/self/fd/3`, `/dev/stdin`.
pub fn descriptor_of_path(path: &[u8]) -> Option<u32> {
    match path {
        b"/dev/stdin" => return Some(0),
        b"/dev/stdout" => return Some(1),
        b"/dev/stderr" => return Some(2),
        _ => {}
    }
    let name = path
        .strip_prefix(b"/dev/fd/")
        .or_else(|| path.strip_prefix(b"/proc/self/fd/"))?;
    descriptor_name(name)
}

/// A descriptor number as it is spelled in `/proc/self/fd`: decimal, without leading zeros.
pub(crate) fn descriptor_name(name: &[u8]) -> Option<u32> {
    let canonical = name == b"0" || name.first().is_some_and(|digit| (b'1'..=b'9').contains(digit));
    if !canonical || name.len() > 9 || !name.iter().all(u8::is_ascii_digit) {
        return None;
    }
    Some(
        name.iter()
            .fold(0, |value, digit| value * 10 + u32::from(digit - b'0')),
    )
}
