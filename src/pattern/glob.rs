//! [`Pattern`]: a compiled shell pattern, and the questions the shell asks it.
//!
//! Patterns without groups (nearly all) run in `sequence`, which needs no state; those with groups run in
//! `automaton`. Tests against real bash are in `tests/pattern_oracle.rs`.
//!
//! Two defects of bash are not imitated: `${x/p/r}` never matches when `p` holds `[!]…]` without a `*`, since bash
//! reckons the length of such a pattern wrongly; and what `*` before a group that may be empty does at the end of
//! the subject is imitated forward only, and not where `!(…)` is turned around there.

use std::cmp::Reverse;
use std::sync::OnceLock;

use super::automaton::{Direction, Program};
use super::sequence::Sequence;
use super::shell_syntax::{self, GroupKind, Node};
use super::unit::Units;

/// Groups are multiplied out to so many sequences.
const PRODUCT_LIMIT: usize = 32;

/// How a pattern is read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PatternOptions {
    /// `?( *( +( @( !(` are groups.
    pub extglob: bool,
    /// Letters match either case (`nocasematch`, `nocaseglob`).
    pub nocase: bool,
    /// The pattern is one component of a path: the subject is a file name. The caller splits at slashes.
    pub pathname: bool,
    /// What its characters are.
    pub units: Units,
    /// With `pathname`: a `.` at the start of the name must be matched by a literal `.` (`dotglob` is off).
    pub period: bool,
}

/// A compiled shell pattern.
///
/// ```
/// use exuvia::pattern::{Pattern, PatternOptions};
/// let pattern = Pattern::compile(b"*.[ch]", PatternOptions::default());
/// assert!(pattern.matches(b"main.c"));
/// assert_eq!(pattern.shortest_prefix(b"a.c.h"), Some(3));
/// ```
#[derive(Debug, Clone)]
pub struct Pattern {
    options: PatternOptions,
    /// `find` may match at the very end of the subject: bash allows it only to an empty pattern and one that
    /// begins with `*`.
    matches_at_end: bool,
    matcher: Matcher,
}

#[derive(Debug, Clone)]
enum Matcher {
    /// Nothing but text.
    Literal(Vec<u8>),
    /// `*`
    Everything,
    /// Any of these: more than one come from groups multiplied out, as in `*.@(jpg|png)`.
    Sequences(Vec<Sequence>),
    Automaton(Box<Automaton>),
}

#[derive(Debug, Clone)]
struct Automaton {
    nodes: Vec<Node>,
    forward: Program,
    /// Only suffixes need it.
    backward: OnceLock<Program>,
}

impl Pattern {
    /// Compiles `text`, in escaped form: `\c` is the character `c`, everything else is active. Never fails.
    pub fn compile(text: &[u8], options: PatternOptions) -> Self {
        let nodes = shell_syntax::parse(text, options.extglob, options.nocase, options.units);
        let matcher = match sequences(&nodes, options) {
            _ if matches!(nodes.as_slice(), [Node::Star]) => Matcher::Everything,
            Some(sequences) => match sequences.as_slice() {
                [only] if only.literal().is_some() => {
                    Matcher::Literal(only.literal().unwrap_or_default().to_vec())
                }
                _ => Matcher::Sequences(sequences),
            },
            None => {
                let forward = Program::compile(&nodes, options.nocase, options.units, Direction::Forward);
                Matcher::Automaton(Box::new(Automaton {
                    nodes,
                    forward,
                    backward: OnceLock::new(),
                }))
            }
        };
        Self {
            options,
            matches_at_end: matches!(text.first(), None | Some(b'*')),
            matcher,
        }
    }

    /// The only text that the pattern matches, when there is just one (never when case is ignored).
    pub fn is_literal(&self) -> Option<&[u8]> {
        match &self.matcher {
            Matcher::Literal(text) => Some(text),
            _ => None,
        }
    }

    /// Whether the pattern matches all of `subject`.
    pub fn matches(&self, subject: &[u8]) -> bool {
        let guarded = self.options.pathname && self.options.period && subject.first() == Some(&b'.');
        match &self.matcher {
            Matcher::Literal(text) => text == subject,
            Matcher::Everything => !guarded,
            Matcher::Sequences(sequences) => sequences
                .iter()
                .any(|sequence| (!guarded || sequence.starts_with_dot()) && sequence.matches(subject)),
            Matcher::Automaton(automaton) => automaton.forward.matches(subject, guarded),
        }
    }

    /// The length of the shortest prefix that matches (`${x#p}`).
    pub fn shortest_prefix(&self, subject: &[u8]) -> Option<usize> {
        match &self.matcher {
            Matcher::Literal(text) => subject.starts_with(text).then_some(text.len()),
            Matcher::Everything => Some(0),
            Matcher::Sequences(sequences) => sequences
                .iter()
                .filter_map(|sequence| sequence.shortest_prefix(subject))
                .min(),
            Matcher::Automaton(automaton) => first(|visit| automaton.forward.prefixes(subject, visit)),
        }
    }

    /// The length of the longest prefix that matches (`${x##p}`).
    pub fn longest_prefix(&self, subject: &[u8]) -> Option<usize> {
        match &self.matcher {
            Matcher::Literal(text) => subject.starts_with(text).then_some(text.len()),
            Matcher::Everything => Some(subject.len()),
            Matcher::Sequences(sequences) => sequences
                .iter()
                .filter_map(|sequence| sequence.longest_prefix(subject))
                .max(),
            Matcher::Automaton(automaton) => last(|visit| automaton.forward.prefixes(subject, visit)),
        }
    }

    /// The length of the shortest suffix that matches (`${x%p}`).
    pub fn shortest_suffix(&self, subject: &[u8]) -> Option<usize> {
        let start = match &self.matcher {
            Matcher::Literal(text) => return subject.ends_with(text).then_some(text.len()),
            Matcher::Everything => return Some(0),
            Matcher::Sequences(sequences) => sequences
                .iter()
                .filter_map(|sequence| sequence.shortest_suffix(subject))
                .max()?,
            Matcher::Automaton(automaton) => {
                first(|visit| self.backward(automaton).suffixes(subject, visit))?
            }
        };
        Some(subject.len() - start)
    }

    /// The length of the longest suffix that matches (`${x%%p}`).
    pub fn longest_suffix(&self, subject: &[u8]) -> Option<usize> {
        let start = match &self.matcher {
            Matcher::Literal(text) => return subject.ends_with(text).then_some(text.len()),
            Matcher::Everything => return Some(subject.len()),
            Matcher::Sequences(sequences) => sequences
                .iter()
                .filter_map(|sequence| sequence.longest_suffix(subject))
                .min()?,
            Matcher::Automaton(automaton) => last(|visit| self.backward(automaton).suffixes(subject, visit))?,
        };
        Some(subject.len() - start)
    }

    /// The leftmost match at or after `from`, there the longest: start and end (`${x/p/r}`). It may be empty.
    pub fn find(&self, subject: &[u8], from: usize) -> Option<(usize, usize)> {
        let found = match &self.matcher {
            Matcher::Literal(text) => {
                let start = from + memchr::memmem::find(subject.get(from..)?, text)?;
                Some((start, start + text.len()))
            }
            Matcher::Everything => (from <= subject.len()).then_some((from, subject.len())),
            Matcher::Sequences(sequences) => sequences
                .iter()
                .filter_map(|sequence| sequence.find(subject, from))
                .min_by_key(|&(start, end)| (start, Reverse(end))),
            Matcher::Automaton(automaton) => automaton.forward.find(subject, from),
        };
        found.filter(|&(start, _)| start < subject.len() || self.matches_at_end)
    }

    /// An upper bound of the steps that one question about a subject of this length takes; real costs are
    /// mostly far below.
    pub fn cost_bound(&self, length: usize) -> u64 {
        match &self.matcher {
            Matcher::Literal(_) | Matcher::Everything => length as u64 + 1,
            Matcher::Sequences(sequences) => {
                let size: usize = sequences.iter().map(Sequence::size).sum();
                (length as u64 + 1).saturating_mul(size as u64)
            }
            Matcher::Automaton(automaton) => automaton.forward.cost_bound(length),
        }
    }

    fn backward<'a>(&self, automaton: &'a Automaton) -> &'a Program {
        let PatternOptions { nocase, units, .. } = self.options;
        automaton
            .backward
            .get_or_init(|| Program::compile(&automaton.nodes, nocase, units, Direction::Backward))
    }
}

/// The pattern without groups, or with groups `@(…)` of plain alternatives multiplied out.
fn sequences(nodes: &[Node], options: PatternOptions) -> Option<Vec<Sequence>> {
    let mut products: Vec<Vec<Node>> = vec![Vec::new()];
    for node in nodes {
        let Node::Group(kind, alternatives) = node else {
            for product in &mut products {
                product.push(node.clone());
            }
            continue;
        };
        let count = products.len() * alternatives.len();
        if *kind != GroupKind::One
            || count > PRODUCT_LIMIT
            || !alternatives.iter().all(|nodes| never_empty(nodes))
        {
            return None;
        }
        let with = |product: &Vec<Node>| {
            let product = product.clone();
            alternatives
                .iter()
                .map(move |nodes| [product.as_slice(), nodes].concat())
        };
        products = products.iter().flat_map(with).collect();
    }
    products
        .iter()
        .map(|nodes| Sequence::from_nodes(nodes, options.nocase, options.units))
        .collect()
}

/// Whether the alternative surely matches no empty text; after a `*`, that makes a difference to bash.
fn never_empty(nodes: &[Node]) -> bool {
    nodes
        .iter()
        .any(|node| matches!(node, Node::Literal(_) | Node::Any | Node::Set(_)))
}

fn first(walk: impl FnOnce(&mut dyn FnMut(usize) -> bool)) -> Option<usize> {
    let mut found = None;
    walk(&mut |at| {
        found = Some(at);
        false
    });
    found
}

fn last(walk: impl FnOnce(&mut dyn FnMut(usize) -> bool)) -> Option<usize> {
    let mut found = None;
    walk(&mut |at| {
        found = Some(at);
        true
    });
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn extended(text: &[u8]) -> Pattern {
        Pattern::compile(
            text,
            PatternOptions {
                extglob: true,
                ..PatternOptions::default()
            },
        )
    }

    #[test]
    fn nested_repetition_is_polynomial() {
        let mut subject = b"a".repeat(3000);
        assert!(!extended(b"*(*(*(a)b)c)d").matches(&subject));
        assert!(!extended(b"+(+(+(a)))b").matches(&subject));
        assert!(extended(b"!(*(a)*(a)!(*a)b)").matches(&subject));
        assert!(!extended(b"*a*a*a*a*a*a*b").matches(&subject));
        subject.push(b'd');
        assert!(!extended(b"*(*(*(a)b)c)d").matches(&subject));
        assert_eq!(extended(b"@(+(a)d|x)").find(&subject, 0), Some((0, 3001)));
        assert_eq!(extended(b"@(+(a)z|d)").find(&subject, 0), Some((3000, 3001)));
    }

    #[test]
    fn leading_dots() {
        let options = PatternOptions {
            extglob: true,
            pathname: true,
            period: true,
            ..PatternOptions::default()
        };
        let matches = |pattern: &[u8], name: &[u8]| Pattern::compile(pattern, options).matches(name);
        assert!(!matches(b"*", b".a") && !matches(b"?a", b".a") && !matches(b"!(b)", b".a"));
        assert!(matches(b".*", b".a") && matches(b"@(.|x)a", b".a") && matches(b"\\.a", b".a"));
    }
}
