//! Patterns without groups: pieces of fixed length in units, with `*` between them.
//!
//! No backtracking is needed: the first piece stands at the start, the last at the end, and those between are
//! taken at their first place (or their last, walking backward). Pieces that begin with text are found with
//! `memmem`, so `*mid*`, `prefix*` and `*suffix` run at the speed of memory. Cost: O(subject · pattern) at worst.

use memchr::memmem;

use super::bracket::CharSet;
use super::shell_syntax::Node;
use super::unit::{Units, fold};

/// A pattern without groups; `pieces` holds one more than there are stars.
#[derive(Debug, Clone)]
pub struct Sequence {
    pieces: Vec<Vec<Element>>,
    units: Units,
}

#[derive(Debug, Clone)]
enum Element {
    Literal(Vec<u8>),
    /// Lower case units, compared without case.
    Folded(Vec<u32>),
    Any,
    Set(Box<CharSet>),
}

/// Start and end of a match.
type Span = (usize, usize);

impl Sequence {
    /// `None` when there is a group in `nodes`.
    pub fn from_nodes(nodes: &[Node], nocase: bool, units: Units) -> Option<Self> {
        let mut pieces = Vec::new();
        let mut piece = Vec::new();
        for node in nodes {
            piece.push(match node {
                Node::Group(..) => return None,
                // Two in a row stand where groups were multiplied out.
                Node::Star if piece.is_empty() && !pieces.is_empty() => continue,
                Node::Star => {
                    pieces.push(std::mem::take(&mut piece));
                    continue;
                }
                Node::Any => Element::Any,
                Node::Set(set) => Element::Set(set.clone()),
                Node::Literal(text) if nocase => Element::Folded(folded_units(units, text)),
                Node::Literal(text) => Element::Literal(text.clone()),
            });
        }
        pieces.push(piece);
        Some(Self { pieces, units })
    }

    /// The text, when the pattern is nothing but text.
    pub fn literal(&self) -> Option<&[u8]> {
        match self.pieces.as_slice() {
            [piece] => match piece.as_slice() {
                [] => Some(b""),
                [Element::Literal(text)] => Some(text),
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether the pattern begins with a literal `.`.
    pub fn starts_with_dot(&self) -> bool {
        match self.pieces.first().and_then(|piece| piece.first()) {
            Some(Element::Literal(text)) => text.first() == Some(&b'.'),
            Some(Element::Folded(units)) => units.first() == Some(&u32::from('.')),
            _ => false,
        }
    }

    /// The number of pieces and elements, for cost estimates.
    pub fn size(&self) -> usize {
        self.pieces.iter().map(|piece| piece.len() + 1).sum()
    }

    /// Whether the pattern matches all of `subject`.
    pub fn matches(&self, subject: &[u8]) -> bool {
        let (first, middle, last) = self.split();
        let Some(from) = piece_at(self.units, first, subject, 0) else {
            return false;
        };
        let Some(last) = last else {
            return from == subject.len();
        };
        let Some(limit) =
            piece_before(self.units, last, subject, subject.len()).filter(|&limit| limit >= from)
        else {
            return false;
        };
        let inside = subject.get(..limit).unwrap_or_default();
        find_all(self.units, middle, inside, from).is_some()
    }

    /// The length of the shortest prefix that matches.
    pub fn shortest_prefix(&self, subject: &[u8]) -> Option<usize> {
        let (first, middle, last) = self.split();
        let from = piece_at(self.units, first, subject, 0)?;
        let Some(last) = last else { return Some(from) };
        let from = find_all(self.units, middle, subject, from)?;
        Some(find_piece(self.units, last, subject, from)?.1)
    }

    /// The length of the longest prefix that matches.
    pub fn longest_prefix(&self, subject: &[u8]) -> Option<usize> {
        let (first, ..) = self.split();
        self.longest_end(subject, piece_at(self.units, first, subject, 0)?)
    }

    /// The start of the shortest suffix that matches.
    pub fn shortest_suffix(&self, subject: &[u8]) -> Option<usize> {
        let (first, limit) = self.suffix_limit(subject)?;
        let Some(first) = first else { return Some(limit) };
        Some(rfind_piece(self.units, first, subject, 0, limit)?.0)
    }

    /// The start of the longest suffix that matches.
    pub fn longest_suffix(&self, subject: &[u8]) -> Option<usize> {
        let (first, limit) = self.suffix_limit(subject)?;
        let Some(first) = first else { return Some(limit) };
        Some(find_piece(self.units, first, subject.get(..limit)?, 0)?.0)
    }

    /// The leftmost and there longest match at or after `from`.
    pub fn find(&self, subject: &[u8], from: usize) -> Option<Span> {
        let (first, ..) = self.split();
        let (start, end) = find_piece(self.units, first, subject, from)?;
        Some((start, self.longest_end(subject, end)?))
    }

    /// The end of the longest match whose first piece ends at `from`.
    fn longest_end(&self, subject: &[u8], from: usize) -> Option<usize> {
        let (_, middle, last) = self.split();
        let Some(last) = last else { return Some(from) };
        let from = find_all(self.units, middle, subject, from)?;
        Some(rfind_piece(self.units, last, subject, from, subject.len())?.1)
    }

    /// With all pieces but the first taken at their last place: the first (unless it is the only one) and where
    /// it must end.
    fn suffix_limit(&self, subject: &[u8]) -> Option<(Option<&[Element]>, usize)> {
        let (first, middle, last) = self.split();
        let mut limit = piece_before(self.units, last.unwrap_or(first), subject, subject.len())?;
        for piece in middle.iter().rev() {
            limit = rfind_piece(self.units, piece, subject, 0, limit)?.0;
        }
        Some((last.map(|_| first), limit))
    }

    /// First piece, those between, last piece if there is more than one.
    fn split(&self) -> (&[Element], &[Vec<Element>], Option<&[Element]>) {
        match self.pieces.as_slice() {
            [] => (&[], &[], None),
            [only] => (only, &[], None),
            [first, middle @ .., last] => (first, middle, Some(last)),
        }
    }
}

fn folded_units(units: Units, text: &[u8]) -> Vec<u32> {
    let mut folded = Vec::with_capacity(text.len());
    let mut at = 0;
    while let Some((unit, length)) = units.at(text, at) {
        folded.push(fold(unit));
        at += length;
    }
    folded
}

/// Takes the pieces one after another, each at its first place; the end of the last.
fn find_all(units: Units, pieces: &[Vec<Element>], subject: &[u8], from: usize) -> Option<usize> {
    pieces.iter().try_fold(from, |from, piece| {
        Some(find_piece(units, piece, subject, from)?.1)
    })
}

/// The end of `piece` at `at`.
fn piece_at(units: Units, piece: &[Element], subject: &[u8], mut at: usize) -> Option<usize> {
    for element in piece {
        at = match element {
            Element::Literal(text) => subject.get(at..)?.starts_with(text).then_some(at + text.len())?,
            Element::Folded(folded) => folded.iter().try_fold(at, |at, &unit| {
                let (found, length) = units.at(subject, at)?;
                (fold(found) == unit).then_some(at + length)
            })?,
            Element::Any => at + units.at(subject, at)?.1,
            Element::Set(set) => {
                let (unit, length) = units.at(subject, at)?;
                set.contains(unit).then_some(at + length)?
            }
        };
    }
    Some(at)
}

/// The start of `piece` where it ends at `end`.
fn piece_before(units: Units, piece: &[Element], subject: &[u8], mut end: usize) -> Option<usize> {
    for element in piece.iter().rev() {
        end = match element {
            Element::Literal(text) => subject.get(..end)?.strip_suffix(text.as_slice())?.len(),
            Element::Folded(folded) => folded.iter().rev().try_fold(end, |end, &unit| {
                let (found, length) = units.before(subject, end)?;
                (fold(found) == unit).then_some(end - length)
            })?,
            Element::Any => end - units.before(subject, end)?.1,
            Element::Set(set) => {
                let (unit, length) = units.before(subject, end)?;
                set.contains(unit).then_some(end - length)?
            }
        };
    }
    Some(end)
}

/// The first place of `piece` at or after `from`.
fn find_piece(units: Units, piece: &[Element], subject: &[u8], from: usize) -> Option<Span> {
    let mut at = from;
    loop {
        if let Some(Element::Literal(text)) = piece.first() {
            at += memmem::find(subject.get(at..)?, text)?;
        }
        if let Some(end) = piece_at(units, piece, subject, at) {
            return Some((at, end));
        }
        at += units.at(subject, at)?.1;
    }
}

/// The last place of `piece` that starts at or after `from` and ends at or before `limit`.
fn rfind_piece(units: Units, piece: &[Element], subject: &[u8], from: usize, limit: usize) -> Option<Span> {
    let mut end = limit;
    loop {
        if let Some(Element::Literal(text)) = piece.last() {
            end = from + memmem::rfind(subject.get(from..end)?, text)? + text.len();
        }
        match piece_before(units, piece, subject, end) {
            Some(start) if start >= from => return Some((start, end)),
            _ => {
                end = end
                    .checked_sub(units.before(subject, end)?.1)
                    .filter(|&end| end >= from)?;
            }
        }
    }
}
