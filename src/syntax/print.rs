//! Prints trees as bash does.

use super::ast::{Part, Word};

/// A word as written.
pub(super) fn word(word: &Word, out: &mut Vec<u8>) {
    for each in &word.parts {
        part(each, out);
    }
}

/// A part as written.
pub(super) fn part(part: &Part, out: &mut Vec<u8>) {
    if let Part::Literal(text) = part {
        out.extend_from_slice(text);
    }
}
