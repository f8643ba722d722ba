//! The tree of a POSIX regular expression, and what can be told from it.

use crate::pattern::unit::fold;
use crate::text::class::Class;

/// A regular expression.
#[derive(Debug, Clone, PartialEq)]
pub enum Tree {
    /// Matches the empty string.
    Empty,
    /// One unit.
    Unit(u32),
    /// `.`
    Any,
    /// A bracket expression, `\w` and the like.
    Set(Set),
    /// A place.
    Assert(Assertion),
    /// `( … )`, numbered from 1.
    Group(usize, Box<Tree>),
    /// One after another.
    Concat(Vec<Tree>),
    /// The first listed is preferred where lengths are equal.
    Alternate(Vec<Tree>),
    /// At least, and at most, so many times.
    Repeat(Box<Tree>, u32, Option<u32>),
    /// `\1`
    BackReference(usize),
}

/// The set of units that one element matches.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Set {
    /// Matches what the items do not.
    pub negated: bool,
    /// What is in it.
    pub items: Vec<SetItem>,
}

/// An item of a [`Set`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SetItem {
    /// First and last.
    Range(u32, u32),
    /// `[:alpha:]`
    Class(Class),
}

/// A condition on a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Assertion {
    /// `^`
    LineStart,
    /// `$`
    LineEnd,
    /// `` \` ``
    BufferStart,
    /// `\'`
    BufferEnd,
    /// `\b`
    WordBoundary,
    /// `\B`
    NotWordBoundary,
    /// `\<`
    WordStart,
    /// `\>`
    WordEnd,
    /// No word character before: what `grep -w` asks at the start.
    NotAfterWord,
    /// No word character after.
    NotBeforeWord,
}

impl Set {
    /// A set of one class.
    pub fn class(class: Class, negated: bool) -> Self {
        Self {
            negated,
            items: vec![SetItem::Class(class)],
        }
    }

    /// Whether the set matches `unit`; with `ignore_case`, in either case. Units that are no character are matched
    /// by a set that lists them only, never because a negated set does not.
    pub fn contains(&self, unit: u32, ignore_case: bool) -> bool {
        let listed = self.lists(unit) || (ignore_case && self.lists_other_case(unit));
        if unit >= crate::pattern::INVALID {
            listed && !self.negated
        } else {
            listed != self.negated
        }
    }

    fn lists(&self, unit: u32) -> bool {
        self.items.iter().any(|item| match *item {
            SetItem::Range(first, last) => (first..=last).contains(&unit),
            SetItem::Class(class) => class.contains_unit(unit),
        })
    }

    fn lists_other_case(&self, unit: u32) -> bool {
        let lower = fold(unit);
        let upper = char::from_u32(unit)
            .map(char::to_uppercase)
            .filter(|upper| upper.len() == 1);
        (lower != unit && self.lists(lower))
            || upper
                .and_then(|mut upper| upper.next())
                .is_some_and(|c| self.lists(u32::from(c)))
    }
}

impl Tree {
    /// Whether a back-reference stands anywhere in it.
    pub fn has_back_reference(&self) -> bool {
        match self {
            Self::BackReference(_) => true,
            Self::Group(_, inner) | Self::Repeat(inner, ..) => inner.has_back_reference(),
            Self::Concat(all) | Self::Alternate(all) => all.iter().any(Self::has_back_reference),
            _ => false,
        }
    }

    /// Whether the GNU C library would search it byte by byte (`optimize_utf8`): nothing in it needs to know where characters start.
    /// Then an empty match may lie within a character.
    pub fn is_searched_by_byte(&self) -> bool {
        match self {
            Self::Assert(assertion) => matches!(
                assertion,
                Assertion::LineStart | Assertion::LineEnd | Assertion::BufferStart | Assertion::BufferEnd
            ),
            Self::Set(set) => {
                let is_byte = |item: &SetItem| matches!(item, SetItem::Range(first, last) if first == last && *first < 0x80);
                !set.negated && set.items.iter().all(is_byte)
            }
            Self::Group(_, inner) | Self::Repeat(inner, ..) => inner.is_searched_by_byte(),
            Self::Concat(all) | Self::Alternate(all) => all.iter().all(Self::is_searched_by_byte),
            Self::Empty | Self::Unit(_) | Self::Any | Self::BackReference(_) => true,
        }
    }

    /// The number of units it matches, where that is always the same.
    pub fn fixed_length(&self) -> Option<u64> {
        match self {
            Self::Empty | Self::Assert(_) => Some(0),
            Self::Unit(_) | Self::Any | Self::Set(_) => Some(1),
            Self::Group(_, inner) => inner.fixed_length(),
            Self::Concat(all) => all
                .iter()
                .try_fold(0_u64, |sum, tree| sum.checked_add(tree.fixed_length()?)),
            Self::Alternate(all) => {
                let (first, rest) = all.split_first()?;
                let length = first.fixed_length()?;
                rest.iter()
                    .all(|tree| tree.fixed_length() == Some(length))
                    .then_some(length)
            }
            Self::Repeat(inner, least, most) => match most {
                Some(most) if most == least => inner.fixed_length()?.checked_mul(u64::from(*least)),
                _ => None,
            },
            Self::BackReference(_) => None,
        }
    }

    /// Whether the match that greedy choice finds first is surely the longest: nothing varies in length but
    /// one repetition, and others that must end where a unit stands that they cannot match.
    pub fn greedy_is_longest(&self, ignore_case: bool) -> bool {
        let mut elements = Vec::new();
        self.flatten(&mut elements);
        let mut free = 0;
        for (index, element) in elements.iter().enumerate() {
            if element.fixed_length().is_some() {
                continue;
            }
            let Self::Repeat(inner, _, most) = element else {
                return false;
            };
            if inner.fixed_length().is_none() {
                return false;
            }
            let delimited = most.is_none()
                && matches!(elements.get(index + 1), Some(Self::Unit(next)) if inner.excludes(*next, ignore_case));
            free += u32::from(!delimited);
        }
        free <= 1
    }

    /// Whether the library matches it byte by byte, so that empty matches are found inside characters too: it
    /// does where the text's encoding makes no difference to any element.
    pub fn is_bytewise(&self) -> bool {
        match self {
            Self::Assert(assertion) => matches!(
                assertion,
                Assertion::LineStart | Assertion::LineEnd | Assertion::BufferStart | Assertion::BufferEnd
            ),
            Self::Set(set) => {
                !set.negated
                    && set
                        .items
                        .iter()
                        .all(|item| matches!(item, SetItem::Range(_, last) if *last < 0x80))
            }
            Self::Group(_, inner) | Self::Repeat(inner, ..) => inner.is_bytewise(),
            Self::Concat(all) | Self::Alternate(all) => all.iter().all(Self::is_bytewise),
            _ => true,
        }
    }

    fn flatten<'t>(&'t self, out: &mut Vec<&'t Self>) {
        match self {
            Self::Group(_, inner) => inner.flatten(out),
            Self::Concat(all) => all.iter().for_each(|tree| tree.flatten(out)),
            other => out.push(other),
        }
    }

    /// Whether this single element cannot match `unit`.
    fn excludes(&self, unit: u32, ignore_case: bool) -> bool {
        match self {
            Self::Set(set) => !set.contains(unit, ignore_case),
            Self::Unit(own) => fold(*own) != fold(unit),
            Self::Group(_, inner) => inner.excludes(unit, ignore_case),
            _ => false,
        }
    }
}
