//! The file tree: storage ([`FileSystem`]) and the rules of POSIX over it ([`Fs`]).
//!
//! An [`Fs`] is a table of mounted trees. It resolves paths, checks permissions and finds errors in the order Linux does; a
//! [`FileSystem`] only keeps nodes. So every tree, ours or an embedder's, behaves alike: [`MemFs`] (in memory, forks in O(1)), [`Overlay`]
//! (changes over another tree), [`ReadOnly`], [`ProcFs`].
//!
//! Decisions:
//! - Nothing here knows the time, the environment or a descriptor: each call brings a [`View`], who asks, from where and when.
//! - The errors are those of Linux in its order, since scripts and agents see them. `tests/fs_oracle.rs` compares random
//!   sequences of operations with a real directory.
//! - Access times change by `set_times` alone (`noatime`): reading must not unshare a forked tree.
//! - Not modelled: supplementary groups, access control lists, `fs.protected_*` of `sysctl`, file locks, mandatory `O_SYNC`.

mod adapter;
mod attributes;
mod base;
mod base_text;
mod canonical;
mod chunk;
mod create;
mod device;
mod errno;
mod handle;
#[cfg(all(feature = "host-fs", unix))]
mod host;
mod host_access;
mod mem;
mod mount;
#[cfg(test)]
mod mount_tests;
mod open;
mod overlay;
mod path_table;
mod permission;
#[cfg(test)]
mod permission_tests;
mod query;
mod readonly;
mod remove;
mod rename;
mod resolve;
mod snapshot;
mod special;
mod storage;
mod system_time;
mod types;

pub use adapter::{VfsAdapter, VfsView};
pub use base::{DEFAULT_USER, PROGRAM_MARK, base_fs, base_tree, program_image, program_in_image};
pub use canonical::Existing;
pub use chunk::Chunk;
pub use device::{Device, descriptor_of_path};
pub use errno::Errno;
pub use handle::{Fs, FsSnapshot};
#[cfg(all(feature = "host-fs", unix))]
pub use host::{HostDir, ImportError, ImportLimits, ImportReport, import};
pub use mem::MemFs;
pub use mount::MountInfo;
pub use open::{OpenNode, Opened};
pub use overlay::Overlay;
pub use readonly::ReadOnly;
pub use special::{ProcFs, make_devices};
pub use storage::{Attributes, FileSystem, NewNode, Node, NodeId, Portable};
pub use types::{
    Access, Credentials, DirEntry, FileKind, Follow, Metadata, OpenFlags, Quota, Timestamp, Usage, View,
};
