//! The syntax of shell patterns: escaped text to a tree.
//!
//! Nothing is an error. As in bash, a bracket that does not close is a literal `[`; a `?(` (or `* + @ !`) whose
//! `)` is missing makes the rest of the pattern plain text, backslashes included.

use super::bracket::{self, Bracket, CharSet};
use super::unit::Units;

/// Groups nested deeper than this are plain text.
const DEPTH_LIMIT: u32 = 100;

/// After so many brackets that do not close, the others are taken to be literal without looking.
const UNCLOSED_LIMIT: u32 = 1000;

/// A piece of a pattern.
#[derive(Debug, Clone)]
pub enum Node {
    /// These bytes.
    Literal(Vec<u8>),
    /// `?`
    Any,
    /// `[…]`
    Set(Box<CharSet>),
    /// `*`
    Star,
    /// `?(…)` and its kin.
    Group(GroupKind, Vec<Vec<Node>>),
}

/// How often a group may match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GroupKind {
    /// `?(…)`
    Optional,
    /// `*(…)`
    Any,
    /// `+(…)`
    Many,
    /// `@(…)`
    One,
    /// `!(…)`
    Not,
}

impl GroupKind {
    fn from_byte(byte: u8) -> Option<Self> {
        Some(match byte {
            b'?' => Self::Optional,
            b'*' => Self::Any,
            b'+' => Self::Many,
            b'@' => Self::One,
            b'!' => Self::Not,
            _ => return None,
        })
    }
}

/// Parses `text`.
pub fn parse(text: &[u8], extglob: bool, nocase: bool, units: Units) -> Vec<Node> {
    Parser {
        extglob,
        nocase,
        units,
        unclosed: 0,
    }
    .sequence(text, 0)
}

struct Parser {
    extglob: bool,
    nocase: bool,
    units: Units,
    /// Brackets found open so far; each cost a walk to the end.
    unclosed: u32,
}

impl Parser {
    fn sequence(&mut self, text: &[u8], depth: u32) -> Vec<Node> {
        let mut nodes = Vec::new();
        let mut at = 0;
        while let Some(&byte) = text.get(at) {
            if let Some(kind) = self.group_at(text, at, byte) {
                let Some(end) =
                    scan_group(text, at + 2, None).filter(|_| depth < DEPTH_LIMIT && !crate::stack::is_low())
                else {
                    push_literal(&mut nodes, text.get(at..).unwrap_or_default());
                    return nodes;
                };
                nodes.push(Node::Group(kind, self.alternatives(text, at + 2, end, depth + 1)));
                at = end;
                continue;
            }
            at = self.single(text, at, byte, &mut nodes);
        }
        nodes
    }

    fn group_at(&self, text: &[u8], at: usize, byte: u8) -> Option<GroupKind> {
        let group = self.extglob && text.get(at + 1) == Some(&b'(');
        if group { GroupKind::from_byte(byte) } else { None }
    }

    /// The alternatives between `from` and the `)` before `end`.
    fn alternatives(&mut self, text: &[u8], mut from: usize, end: usize, depth: u32) -> Vec<Vec<Node>> {
        let mut all = Vec::new();
        while let Some(next) = scan_group(text, from, Some(b'|')) {
            all.push(self.sequence(text.get(from..next - 1).unwrap_or_default(), depth));
            if next >= end {
                break;
            }
            from = next;
        }
        all
    }

    /// Anything but a group; returns the position after it.
    fn single(&mut self, text: &[u8], at: usize, byte: u8, nodes: &mut Vec<Node>) -> usize {
        match byte {
            b'?' => nodes.push(Node::Any),
            b'*' => {
                if !matches!(nodes.last(), Some(Node::Star)) {
                    nodes.push(Node::Star);
                }
            }
            b'[' if self.unclosed < UNCLOSED_LIMIT => match bracket::parse(text, at, self.nocase, self.units)
            {
                Bracket::Set(set, end) => {
                    nodes.push(Node::Set(Box::new(set)));
                    return end;
                }
                Bracket::Literal => {
                    self.unclosed += 1;
                    push_literal(nodes, b"[");
                }
            },
            _ => {
                let from = if byte == b'\\' && at + 1 < text.len() {
                    at + 1
                } else {
                    at
                };
                let length = self.units.at(text, from).map_or(1, |(_, length)| length);
                push_literal(nodes, text.get(from..from + length).unwrap_or_default());
                return from + length;
            }
        }
        at + 1
    }
}

fn push_literal(nodes: &mut Vec<Node>, bytes: &[u8]) {
    if let Some(Node::Literal(text)) = nodes.last_mut() {
        text.extend_from_slice(bytes);
    } else {
        nodes.push(Node::Literal(bytes.to_vec()));
    }
}

/// The position after the `)` that closes what begins at `from`, or after a `|` of the same level when that is
/// the `delimiter`. This is bash's `PATSCAN`: a plain `(` nests too, and an unclosed `[` hides the rest.
fn scan_group(text: &[u8], from: usize, delimiter: Option<u8>) -> Option<usize> {
    let (mut depth, mut in_bracket, mut bracket_first, mut special) = (0_u32, false, 0, None);
    let mut at = from;
    while let Some(&byte) = text.get(at) {
        match byte {
            b'\\' => at += 1,
            b'[' if !in_bracket => {
                in_bracket = true;
                bracket_first = at + 1 + usize::from(matches!(text.get(at + 1), Some(b'!' | b'^')));
            }
            b'[' => {
                if let Some(&mark @ (b':' | b'.' | b'=')) = text.get(at + 1) {
                    special = Some(mark);
                }
            }
            b']' if in_bracket => {
                if special.is_some() && special == text.get(at - 1).copied() {
                    special = None;
                } else if at != bracket_first {
                    in_bracket = false;
                }
            }
            b'(' if !in_bracket => depth += 1,
            b')' if !in_bracket => {
                if depth == 0 {
                    return Some(at + 1);
                }
                depth -= 1;
            }
            b'|' if !in_bracket && depth == 0 && delimiter == Some(b'|') => return Some(at + 1),
            _ => {}
        }
        at += 1;
    }
    None
}
