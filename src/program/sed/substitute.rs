//! What `s` and `y` do to the pattern space.

use super::script::{Case, Piece, Substitution, Translation};
use crate::kernel::{Halt, Lease};
use crate::pattern::{Captures, Regex, RegexError};

/// Why a substitution does not end.
#[derive(Debug)]
pub enum Failure {
    Regex(RegexError),
    Halt(Halt),
}

/// Buffers that last from line to line.
#[derive(Debug, Default)]
pub struct Workspace {
    captures: Captures,
    whole: (usize, usize),
    out: Vec<u8>,
}

/// Growth that is not yet accounted for is at most this.
const UNCHECKED: usize = 1 << 20;

impl Workspace {
    /// Replaces the matches that `substitution` asks for; `false`: nothing was replaced.
    pub fn substitute(
        &mut self,
        substitution: &Substitution,
        regex: &Regex,
        space: &mut Vec<u8>,
        lease: &mut Lease,
    ) -> Result<bool, Failure> {
        self.out.clear();
        let mut checked = UNCHECKED;
        let mut start = 0;
        let mut last_end = None;
        let mut count = 0;
        let mut replaced = false;
        while start <= space.len() && (!replaced || substitution.global) {
            let Some((from, to)) = self.find(substitution, regex, space, start)? else {
                break;
            };
            self.out
                .extend_from_slice(space.get(start..from).unwrap_or_default());
            // An empty match where the last match ended is none.
            let counts = from < to || last_end != Some(from);
            count += u64::from(counts);
            if counts && count >= substitution.number {
                self.replace(&substitution.replacement, space);
                replaced = true;
            } else {
                self.out
                    .extend_from_slice(space.get(from..to).unwrap_or_default());
            }
            last_end = Some(to);
            start = to;
            if from == to {
                start += regex.step(space, to);
                self.out
                    .extend_from_slice(space.get(to..start.min(space.len())).unwrap_or_default());
            }
            if self.out.len() > checked {
                lease.grow(self.out.len() - checked).map_err(Failure::Halt)?;
                checked = self.out.len() + UNCHECKED;
            }
        }
        if replaced {
            self.out.extend_from_slice(space.get(start..).unwrap_or_default());
            std::mem::swap(&mut self.out, space);
        }
        Ok(replaced)
    }

    fn find(
        &mut self,
        substitution: &Substitution,
        regex: &Regex,
        space: &[u8],
        start: usize,
    ) -> Result<Option<(usize, usize)>, Failure> {
        let needs_groups = substitution
            .replacement
            .iter()
            .any(|piece| piece.group.is_some_and(|group| group > 0));
        if needs_groups {
            regex
                .captures_at(space, start, &mut self.captures)
                .map_err(Failure::Regex)?;
            self.whole = self.captures.get(0).unwrap_or_default();
            return Ok(self.captures.get(0));
        }
        let found = regex.find_at(space, start).map_err(Failure::Regex)?;
        self.whole = found.unwrap_or_default();
        Ok(found)
    }

    /// Appends the replacement of the current match.
    fn replace(&mut self, pieces: &[Piece], space: &[u8]) {
        // A `\u` before an empty group waits for the next text.
        let mut waiting = None;
        for piece in pieces {
            let mut first = piece.first.or(waiting.take());
            if !piece.text.is_empty() {
                push_changed(&mut self.out, &piece.text, piece.case, first.take());
            }
            let Some(group) = piece.group else {
                continue;
            };
            let span = if group == 0 {
                Some(self.whole)
            } else {
                self.captures.get(group)
            };
            let (from, to) = span.unwrap_or_default();
            let text = space.get(from..to).unwrap_or_default();
            if text.is_empty() {
                waiting = first.filter(|_| piece.first.is_some());
            } else {
                push_changed(&mut self.out, text, piece.case, first);
            }
        }
    }
}

fn character_length(text: &[u8], at: usize) -> usize {
    bstr::decode_utf8(text.get(at..).unwrap_or_default()).1
}

fn push_changed(out: &mut Vec<u8>, text: &[u8], case: Case, first: Option<Case>) {
    let mut rest = text;
    if let Some(first) = first {
        let (head, tail) = text.split_at(character_length(text, 0));
        push_case(out, head, first);
        rest = tail;
    }
    push_case(out, rest, case);
}

fn push_case(out: &mut Vec<u8>, text: &[u8], case: Case) {
    // GNU sed's conversion ends at a NUL.
    let end = memchr::memchr(0, text).unwrap_or(text.len());
    let (changed, rest) = text.split_at(end);
    match case {
        Case::AsIs => out.extend_from_slice(changed),
        Case::Upper => out.extend_from_slice(&crate::text::utf8::uppercase(changed)),
        Case::Lower => out.extend_from_slice(&crate::text::utf8::lowercase(changed)),
    }
    out.extend_from_slice(rest);
}

/// `y`.
pub fn translate(table: &Translation, space: &mut Vec<u8>) {
    if let Some(ascii) = &table.ascii {
        for byte in space.iter_mut() {
            if let Some(new) = ascii.get(usize::from(*byte)) {
                *byte = *new;
            }
        }
        return;
    }
    let mut out = Vec::with_capacity(space.len());
    let mut at = 0;
    while at < space.len() {
        let length = character_length(space, at).max(1);
        let character = space.get(at..at + length).unwrap_or_default();
        out.extend_from_slice(table.characters.get(character).map_or(character, Vec::as_slice));
        at += length;
    }
    *space = out;
}
