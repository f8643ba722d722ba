//! The file tree.

mod chunk;
mod device;
mod errno;
mod handle;
mod storage;
mod types;

pub use chunk::Chunk;
pub use device::{Device, descriptor_of_path};
pub use errno::Errno;
pub use handle::{Existing, Fs, FsSnapshot, MountInfo, OpenNode, Opened};
pub use storage::{Attributes, FileSystem, NewNode, Node, NodeId, Portable};
pub use types::{
    Access, Credentials, DirEntry, FileKind, Follow, Metadata, OpenFlags, Quota, Timestamp, Usage, View,
};
