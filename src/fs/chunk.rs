//! A piece of a file as it is handed out by [`FileSystem::read_chunk`](super::FileSystem::read_chunk): the storage of
//! the tree itself where that is possible, so that `cat` of a large file copies nothing before the pipe.

use std::ops::{Deref, Range};
use std::sync::{Arc, LazyLock};

/// All holes share these.
static ZEROS: LazyLock<Arc<Vec<u8>>> = LazyLock::new(|| Arc::new(vec![0; ZEROS_LENGTH]));
const ZEROS_LENGTH: usize = 64 * 1024;

/// Shared, immutable bytes; dereferences to a slice. A later write to the file does not change it.
#[derive(Debug, Clone, Default)]
pub struct Chunk {
    data: Arc<Vec<u8>>,
    range: Range<usize>,
}

impl Chunk {
    /// A part of shared bytes; a range past their end is cut.
    pub fn shared(data: Arc<Vec<u8>>, range: Range<usize>) -> Chunk {
        let end = range.end.min(data.len());
        let start = range.start.min(end);
        Chunk {
            data,
            range: start..end,
        }
    }

    /// A hole: zeros without storage, at most 64 KiB.
    pub fn zeros(length: usize) -> Chunk {
        Chunk::shared(Arc::clone(&ZEROS), 0..length)
    }

    /// Whether it was made by [`Chunk::zeros`].
    pub fn is_hole(&self) -> bool {
        Arc::ptr_eq(&self.data, &ZEROS)
    }

    /// The bytes as an owned vector, without a copy where nobody else holds them.
    pub fn into_vec(self) -> Vec<u8> {
        match Arc::try_unwrap(self.data) {
            Ok(mut bytes) => {
                bytes.truncate(self.range.end);
                bytes.drain(..self.range.start);
                bytes
            }
            Err(shared) => shared.get(self.range).unwrap_or_default().to_vec(),
        }
    }
}

impl Deref for Chunk {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        self.data.get(self.range.clone()).unwrap_or_default()
    }
}

impl AsRef<[u8]> for Chunk {
    fn as_ref(&self) -> &[u8] {
        self
    }
}

impl From<Vec<u8>> for Chunk {
    fn from(bytes: Vec<u8>) -> Chunk {
        let range = 0..bytes.len();
        Chunk {
            data: Arc::new(bytes),
            range,
        }
    }
}
