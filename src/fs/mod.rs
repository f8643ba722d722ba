//! The file tree.

mod errno;

pub use errno::Errno;
