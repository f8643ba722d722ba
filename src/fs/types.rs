//! The plain data of the file tree: who asks, what a node is, how a file is opened.
//!
//! Everything here is `Copy` or plain bytes and carries no behaviour of the tree itself.

use serde::{Deserialize, Serialize};

/// A point in time: seconds since the epoch and nanoseconds below one second.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub struct Timestamp {
    /// Seconds since 1970-01-01T00:00:00Z; negative before.
    pub seconds: i64,
    /// Nanoseconds, 0 … 999 999 999.
    pub nanos: u32,
}

/// The user a task runs as. User 0 passes every permission check, except that running a file needs one `x` bit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Credentials {
    /// The effective user.
    pub uid: u32,
    /// The effective group; supplementary groups are not modelled.
    pub gid: u32,
}

/// Who asks, from where and when: what a real kernel takes from the calling task.
#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    /// The working directory, absolute; relative paths start here.
    pub cwd: &'a [u8],
    /// Permission bits taken away from new nodes.
    pub umask: u32,
    /// The user whose permissions count and who owns new nodes.
    pub user: Credentials,
    /// The time that changes are stamped with.
    pub now: Timestamp,
}

impl View<'_> {
    /// The view of user 0 in `/` with umask 022 at the epoch: what hosts use to prepare a tree.
    pub const ROOT: View<'static> = View {
        cwd: b"/",
        umask: 0o022,
        user: Credentials { uid: 0, gid: 0 },
        now: Timestamp { seconds: 0, nanos: 0 },
    };
}

/// The kinds of node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum FileKind {
    /// A file with contents.
    Regular,
    /// A directory.
    Directory,
    /// A symbolic link.
    Symlink,
    /// A named pipe.
    Fifo,
    /// A character device.
    CharDevice,
    /// A block device.
    BlockDevice,
    /// A socket; it can be made and listed, never connected.
    Socket,
}

/// What `stat` tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Metadata {
    /// The kind of node.
    pub kind: FileKind,
    /// Permission bits with setuid, setgid and sticky: `0o7777`.
    pub mode: u32,
    /// Number of names; for directories 2 and one more per subdirectory.
    pub nlink: u64,
    /// Owner.
    pub uid: u32,
    /// Group.
    pub gid: u32,
    /// Length in bytes.
    pub size: u64,
    /// Storage in units of 512 bytes.
    pub blocks: u64,
    /// The mounted tree the node lives in (`st_dev`).
    pub device: u64,
    /// The node number in that tree.
    pub inode: u64,
    /// Major and minor number of a device node.
    pub rdev: (u32, u32),
    /// Last access: set on creation and by `set_times` only, as under `noatime`.
    pub atime: Timestamp,
    /// Last change of the contents.
    pub mtime: Timestamp,
    /// Last change of the node.
    pub ctime: Timestamp,
    /// Creation.
    pub btime: Timestamp,
}

/// One name of a directory; `.` and `..` are never listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DirEntry {
    /// The name.
    pub name: Vec<u8>,
    /// The kind of what it names; links are not followed.
    pub kind: FileKind,
    /// Its node number.
    pub inode: u64,
}

/// Whether an operation on a path whose last component is a symbolic link means the link or its target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Follow {
    /// The target.
    Yes,
    /// The link.
    No,
}

/// What is wanted of a file in [`Fs::access`](super::Fs::access): the `R_OK`, `W_OK`, `X_OK` of `access(2)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Access(u8);

impl Access {
    /// The path resolves (`F_OK`).
    pub const EXISTS: Access = Access(0);
    /// May run, or search if a directory.
    pub const EXECUTE: Access = Access(1);
    /// May write.
    pub const WRITE: Access = Access(2);
    /// May read.
    pub const READ: Access = Access(4);

    /// The three bits, as in one digit of a mode.
    pub const fn bits(self) -> u32 {
        self.0 as u32
    }

    /// Whether `other` is wanted too.
    pub const fn contains(self, other: Access) -> bool {
        self.0 & other.0 == other.0
    }
}

impl std::ops::BitOr for Access {
    type Output = Access;
    fn bitor(self, other: Access) -> Access {
        Access(self.0 | other.0)
    }
}

/// How a file is opened, as the flags of `open(2)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OpenFlags {
    /// For reading.
    pub read: bool,
    /// For writing.
    pub write: bool,
    /// Writes go to the end; the caller keeps this and calls [`OpenNode::append`](super::OpenNode::append).
    pub append: bool,
    /// Create a regular file where there is none.
    pub create: bool,
    /// With `create`: fail with `EEXIST` where there is something, even a dangling link.
    pub exclusive: bool,
    /// Cut a regular file to length 0.
    pub truncate: bool,
    /// Fail with `ENOTDIR` unless it is a directory.
    pub directory: bool,
    /// Fail with `ELOOP` if the last component is a symbolic link.
    pub nofollow: bool,
}

impl OpenFlags {
    const NONE: OpenFlags = OpenFlags {
        read: false,
        write: false,
        append: false,
        create: false,
        exclusive: false,
        truncate: false,
        directory: false,
        nofollow: false,
    };
    /// `O_RDONLY`: the redirection `<`.
    pub const READ: OpenFlags = OpenFlags {
        read: true,
        ..Self::NONE
    };
    /// `O_WRONLY`.
    pub const WRITE: OpenFlags = OpenFlags {
        write: true,
        ..Self::NONE
    };
    /// `O_WRONLY|O_CREAT|O_TRUNC`: the redirection `>`.
    pub const CREATE: OpenFlags = OpenFlags {
        create: true,
        truncate: true,
        ..Self::WRITE
    };
    /// `O_WRONLY|O_CREAT|O_EXCL`: the redirection `>` under `noclobber`.
    pub const CREATE_NEW: OpenFlags = OpenFlags {
        create: true,
        exclusive: true,
        ..Self::WRITE
    };
    /// `O_WRONLY|O_CREAT|O_APPEND`: the redirection `>>`.
    pub const APPEND: OpenFlags = OpenFlags {
        create: true,
        append: true,
        ..Self::WRITE
    };
    /// `O_RDWR`.
    pub const READ_WRITE: OpenFlags = OpenFlags {
        read: true,
        ..Self::WRITE
    };
    /// `O_RDWR|O_CREAT`: the redirection `<>`.
    pub const READ_WRITE_CREATE: OpenFlags = OpenFlags {
        create: true,
        ..Self::READ_WRITE
    };
    /// `O_RDONLY|O_DIRECTORY`.
    pub const DIRECTORY: OpenFlags = OpenFlags {
        directory: true,
        ..Self::READ
    };
}

/// What a tree holds and may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    /// Sum of the lengths of files and symbolic links; holes count.
    pub bytes: u64,
    /// Number of nodes; each further hard link counts as one.
    pub nodes: u64,
    /// The limit of `bytes`.
    pub limit_bytes: u64,
    /// The limit of `nodes`.
    pub limit_nodes: u64,
}

/// Bounds of an in-memory tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Quota {
    /// Sum of the lengths of all files and symbolic links (`ENOSPC`).
    pub bytes: u64,
    /// Number of nodes and further hard links (`ENOSPC`).
    pub nodes: u64,
    /// Length of one file (`EFBIG`).
    pub file_bytes: u64,
}

impl Default for Quota {
    /// 1 GiB in 1 000 000 nodes.
    fn default() -> Self {
        Quota {
            bytes: 1 << 30,
            nodes: 1_000_000,
            file_bytes: 1 << 30,
        }
    }
}
