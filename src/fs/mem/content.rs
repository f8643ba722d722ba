//! The contents of a regular file: chunks of 64 KiB behind `Arc`, absent where nothing was written.
//!
//! A clone is O(1); after it, a write copies the one chunk it falls into. Appending grows the last chunk in place. A hole
//! costs nothing, and the last chunk is only as long as what was written, so a small file is one exact allocation. The
//! invariant that makes growing cheap: a chunk holds no byte at or past the length of the file.

use std::sync::Arc;

use imbl::OrdMap;

use crate::fs::Chunk;

/// Bytes in a chunk.
pub(super) const CHUNK: usize = 64 * 1024;

/// `st_blocks` counts in these.
const BLOCK: u64 = 512;
/// What a real disk hands out at a time.
const PAGE: u64 = 4096;

type Bytes = Arc<Vec<u8>>;

/// The bytes of one file.
#[derive(Clone, Default)]
pub(super) struct Content {
    length: u64,
    /// Pages in use.
    pages: u64,
    chunks: Chunks,
}

/// The stored chunks by their number. Most files have one: it needs no map.
#[derive(Clone, Default)]
struct Chunks {
    first: Option<Bytes>,
    others: OrdMap<u64, Bytes>,
}

impl Chunks {
    fn get(&self, index: u64) -> Option<&Bytes> {
        if index == 0 {
            self.first.as_ref()
        } else {
            self.others.get(&index)
        }
    }

    /// The chunk for writing; made if absent.
    fn get_mut(&mut self, index: u64) -> &mut Vec<u8> {
        let bytes = if index == 0 {
            self.first.get_or_insert_default()
        } else {
            self.others.entry(index).or_default()
        };
        Arc::make_mut(bytes)
    }

    /// Drops all chunks from `index` on; returns the pages they held.
    fn drop_from(&mut self, index: u64) -> u64 {
        let mut held = 0;
        if index == 0 {
            held += self.first.take().map_or(0, |bytes| pages(bytes.len()));
        }
        if self.others.get_max().is_some_and(|(last, _)| *last >= index) {
            let (kept, at, rest) = self.others.split_lookup(&index);
            held += rest
                .values()
                .chain(at.iter())
                .map(|bytes| pages(bytes.len()))
                .sum::<u64>();
            self.others = kept;
        }
        held
    }
}

fn pages(bytes: usize) -> u64 {
    (bytes as u64).div_ceil(PAGE)
}

/// The chunk that an offset falls into, and where in it.
const fn place(offset: u64) -> (u64, usize) {
    (offset / CHUNK as u64, (offset % CHUNK as u64) as usize)
}

impl Content {
    /// Length in bytes.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Storage in units of 512 bytes.
    pub fn blocks(&self) -> u64 {
        self.pages * (PAGE / BLOCK)
    }

    /// At most `max` bytes at `offset`, without a copy; ends at the latest with the chunk.
    pub fn chunk(&self, offset: u64, max: usize) -> Chunk {
        let (index, start) = place(offset);
        let rest = self.length.saturating_sub(offset).min((CHUNK - start) as u64) as usize;
        let end = start + rest.min(max);
        match self.chunks.get(index) {
            // The stored part of the chunk; what follows it up to the length is a hole.
            Some(bytes) if start < bytes.len() => Chunk::shared(Arc::clone(bytes), start..end),
            _ if start == end => Chunk::default(),
            _ => Chunk::zeros(end - start),
        }
    }

    /// Fills the buffer from `offset`; returns the count, short only at the end of the file.
    pub fn read(&self, offset: u64, buffer: &mut [u8]) -> usize {
        let mut done = 0;
        while let Some(rest) = buffer.get_mut(done..).filter(|rest| !rest.is_empty()) {
            let chunk = self.chunk(offset.saturating_add(done as u64), rest.len());
            if chunk.is_empty() {
                break;
            }
            let Some(place) = rest.get_mut(..chunk.len()) else {
                break;
            };
            place.copy_from_slice(&chunk);
            done += chunk.len();
        }
        done
    }

    /// Stores `data` at `offset`; the file grows if need be. The caller has checked all limits.
    pub fn write(&mut self, mut offset: u64, mut data: &[u8]) {
        while !data.is_empty() {
            let (index, start) = place(offset);
            let (now, later) = data.split_at(data.len().min(CHUNK - start));
            self.write_chunk(index, start, now);
            offset += now.len() as u64;
            self.length = self.length.max(offset);
            data = later;
        }
    }

    fn write_chunk(&mut self, index: u64, start: usize, data: &[u8]) {
        let bytes = self.chunks.get_mut(index);
        let before = pages(bytes.len());
        let end = start + data.len();
        if end > bytes.capacity() && bytes.capacity() * 2 > CHUNK {
            bytes.reserve_exact(CHUNK - bytes.len());
        }
        if start >= bytes.len() {
            bytes.resize(start, 0);
            bytes.extend_from_slice(data);
        } else {
            let inside = data.len().min(bytes.len() - start);
            let (over, beyond) = data.split_at(inside);
            if let Some(place) = bytes.get_mut(start..start + inside) {
                place.copy_from_slice(over);
            }
            bytes.extend_from_slice(beyond);
        }
        self.pages += pages(bytes.len()) - before;
    }

    /// Sets the length; what is cut reads as zeros if the file grows again.
    pub fn truncate(&mut self, length: u64) {
        if length < self.length {
            let (index, keep) = place(length);
            let first_gone = if keep == 0 { index } else { index + 1 };
            self.pages -= self.chunks.drop_from(first_gone);
            if let Some(bytes) = self.chunks.get(index).filter(|bytes| bytes.len() > keep) {
                let short = bytes.get(..keep).unwrap_or_default().to_vec();
                self.pages -= pages(bytes.len()) - pages(keep);
                *self.chunks.get_mut(index) = short;
            }
        }
        self.length = length;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn all(content: &Content) -> Vec<u8> {
        let mut bytes = vec![1; content.length() as usize + 3];
        let count = content.read(0, &mut bytes);
        bytes.truncate(count);
        bytes
    }

    /// Offsets and lengths around the borders of chunks.
    fn edge() -> impl Strategy<Value = usize> {
        (0..4usize, 0..7usize).prop_map(|(chunk, near)| (chunk * CHUNK + near).saturating_sub(3))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]
        #[test]
        fn behaves_as_a_vector(steps in prop::collection::vec((0..3u8, edge(), edge(), any::<u8>()), 1..12)) {
            let (mut content, mut model) = (Content::default(), Vec::new());
            let mut old: Vec<(Content, Vec<u8>)> = Vec::new();
            for (what, at, length, byte) in steps {
                match what {
                    0 => {
                        let data = vec![byte; length];
                        content.write(at as u64, &data);
                        if length > 0 {
                            model.resize(model.len().max(at + length), 0);
                            model[at..at + length].copy_from_slice(&data);
                        }
                    }
                    1 => {
                        content.truncate(at as u64);
                        model.resize(at, 0);
                    }
                    _ => old.push((content.clone(), model.clone())),
                }
                prop_assert_eq!(content.length(), model.len() as u64);
                prop_assert!(all(&content) == model);
                prop_assert!(content.blocks() * 512 <= (content.length() + PAGE) * 2 + CHUNK as u64);
            }
            for (content, model) in old {
                prop_assert!(all(&content) == model, "an older clone changed");
            }
        }
    }

    #[test]
    fn a_hole_of_a_terabyte_stores_nothing() {
        let mut content = Content::default();
        content.truncate(1 << 40);
        assert_eq!((content.length(), content.blocks()), (1 << 40, 0));
        content.write(1 << 39, b"x");
        assert_eq!(content.blocks(), 8);
        assert_eq!(&*content.chunk((1 << 39) - 2, 9), b"\0\0");
        assert_eq!(&*content.chunk(1 << 39, 3), b"x");
        content.truncate(0);
        assert_eq!(content.blocks(), 0);
    }

    #[test]
    fn appending_does_not_copy() {
        let mut content = Content::default();
        content.write(0, &[7; 1000]);
        let before = content.chunk(0, 1).as_ptr();
        let clone = content.clone();
        content.write(1000, &[8; 10]);
        assert_ne!(
            content.chunk(0, 1).as_ptr(),
            before,
            "the shared chunk is copied once"
        );
        let own = content.chunk(0, 1).as_ptr();
        content.write(0, &[9]);
        assert_eq!(content.chunk(0, 1).as_ptr(), own, "and then written in place");
        assert_eq!(clone.length(), 1000);
    }
}
