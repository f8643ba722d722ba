//! What a node is, as the tools print it: the letters of `ls -l`, `st_mode`, the words of `stat` and `find`, device numbers.

use crate::fs::{FileKind, Metadata};
use crate::text::mode::permission_letters;

/// The bits of a kind in `st_mode`.
pub const fn kind_bits(kind: FileKind) -> u32 {
    match kind {
        FileKind::Fifo => 0o010_000,
        FileKind::CharDevice => 0o020_000,
        FileKind::Directory => 0o040_000,
        FileKind::BlockDevice => 0o060_000,
        FileKind::Regular => 0o100_000,
        FileKind::Symlink => 0o120_000,
        FileKind::Socket => 0o140_000,
    }
}

/// `st_mode`.
pub const fn full_mode(metadata: &Metadata) -> u32 {
    kind_bits(metadata.kind) | metadata.mode
}

/// The first letter of `ls -l`.
pub const fn kind_letter(kind: FileKind) -> u8 {
    match kind {
        FileKind::Fifo => b'p',
        FileKind::CharDevice => b'c',
        FileKind::Directory => b'd',
        FileKind::BlockDevice => b'b',
        FileKind::Regular => b'-',
        FileKind::Symlink => b'l',
        FileKind::Socket => b's',
    }
}

/// The ten letters of `ls -l`.
pub fn mode_letters(kind: FileKind, mode: u32) -> Vec<u8> {
    [&[kind_letter(kind)][..], &permission_letters(mode)].concat()
}

/// What `stat` calls it.
pub const fn kind_words(metadata: &Metadata) -> &'static str {
    match metadata.kind {
        FileKind::Regular if metadata.size == 0 => "regular empty file",
        FileKind::Regular => "regular file",
        FileKind::Directory => "directory",
        FileKind::BlockDevice => "block special file",
        FileKind::CharDevice => "character special file",
        FileKind::Fifo => "fifo",
        FileKind::Symlink => "symbolic link",
        FileKind::Socket => "socket",
    }
}

/// A device of a number of its own.
pub const fn is_device(kind: FileKind) -> bool {
    matches!(kind, FileKind::CharDevice | FileKind::BlockDevice)
}

/// `makedev`: how glibc packs major and minor number.
pub const fn pack_device((major, minor): (u32, u32)) -> u64 {
    let (major, minor) = (major as u64, minor as u64);
    (major & 0xfff) << 8 | (major & !0xfff) << 32 | (minor & 0xff) | (minor & !0xff) << 12
}

/// Major and minor number of a packed device number.
pub const fn unpack_device(device: u64) -> (u32, u32) {
    let major = (device >> 8 & 0xfff) | (device >> 32 & 0xffff_f000);
    let minor = (device & 0xff) | (device >> 12 & 0xffff_ff00);
    (major as u32, minor as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn device_numbers() {
        assert_eq!(pack_device((8, 1)), 0x801);
        assert_eq!(pack_device((259, 300)), 0x11_032c);
        for pair in [(1, 3), (259, 300), (0x12_345, 0x6_789a)] {
            assert_eq!(unpack_device(pack_device(pair)), pair);
        }
    }
}
