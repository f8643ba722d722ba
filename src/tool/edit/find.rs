//! Where the text to replace is, and what takes its place.
//!
//! A model sees no carriage returns. So when its text has newlines and no carriage return, a newline matches CR LF as well; and new lines get
//! the ends that the place has: those inside of the match, else that of the line it is in.

use memchr::memmem;

use crate::tool::request::Edit;

/// A part of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) start: usize,
    pub(super) end: usize,
}

/// All places where `old` is, from left to right, none in another.
pub(super) fn places(contents: &[u8], old: &str) -> Vec<Place> {
    let text = Text::of(contents, old);
    memmem::find_iter(text.bytes(), old)
        .map(|start| text.place(start, old.len()))
        .collect()
}

/// Another place that begins inside of the only one: then it is not clear which is meant.
pub(super) fn overlapping(contents: &[u8], old: &str, only: Place) -> Option<Place> {
    let text = Text::of(contents, old);
    let start = memmem::find(text.bytes(), old.as_bytes())?;
    let other = start + 1 + memmem::find(text.bytes().get(start + 1..)?, old.as_bytes())?;
    let place = text.place(other, old.len());
    (place.start < only.end).then_some(place)
}

/// The file as the search sees it.
enum Text<'c> {
    Exact(&'c [u8]),
    /// Without the CR of each CR LF.
    Unix {
        bytes: Vec<u8>,
        /// Where in `bytes` the newlines are that had one.
        ends: Vec<usize>,
    },
}

impl Text<'_> {
    fn of<'c>(contents: &'c [u8], old: &str) -> Text<'c> {
        let any_end = old.contains('\n') && !old.contains('\r');
        if !any_end || memmem::find(contents, b"\r\n").is_none() {
            return Text::Exact(contents);
        }
        let (mut bytes, mut ends, mut at) = (Vec::with_capacity(contents.len()), Vec::new(), 0);
        for end in memmem::find_iter(contents, b"\r\n") {
            bytes.extend_from_slice(contents.get(at..end).unwrap_or_default());
            ends.push(bytes.len());
            at = end + 1;
        }
        bytes.extend_from_slice(contents.get(at..).unwrap_or_default());
        Text::Unix { bytes, ends }
    }

    fn bytes(&self) -> &[u8] {
        match self {
            Text::Exact(bytes) => bytes,
            Text::Unix { bytes, .. } => bytes,
        }
    }

    fn place(&self, start: usize, length: usize) -> Place {
        let (start, end) = (start, start + length);
        match self {
            Text::Exact(_) => Place { start, end },
            Text::Unix { ends, .. } => {
                let original = |at: usize| at + ends.partition_point(|end| *end < at);
                Place {
                    start: original(start),
                    end: original(end),
                }
            }
        }
    }
}

/// The new text, with the line ends of its place.
pub(super) fn replacement(contents: &[u8], place: Place, edit: &Edit) -> Vec<u8> {
    let explicit = edit.old_string.contains('\r') || edit.new_string.contains('\r');
    if !explicit && edit.new_string.contains('\n') && ends_with_cr(contents, place) {
        return edit.new_string.replace('\n', "\r\n").into_bytes();
    }
    edit.new_string.clone().into_bytes()
}

/// Whether lines at a place end in CR LF: those in it, else the one it is in, else the one before.
fn ends_with_cr(contents: &[u8], place: Place) -> bool {
    let inside = contents.get(place.start..place.end).unwrap_or_default();
    let newline = match memchr::memchr(b'\n', inside) {
        Some(at) => Some(place.start + at),
        None => memchr::memchr(b'\n', contents.get(place.end..).unwrap_or_default())
            .map(|at| place.end + at)
            .or_else(|| memchr::memrchr(b'\n', contents.get(..place.start).unwrap_or_default())),
    };
    newline
        .and_then(|newline| contents.get(newline.checked_sub(1)?))
        .is_some_and(|byte| *byte == b'\r')
}
