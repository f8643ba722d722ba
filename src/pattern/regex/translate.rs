//! Trees written in the syntax of the crate `regex-automata`.
//!
//! Units that are no character become single bytes; everything else is written with Unicode rules, so that `.`
//! and negated sets never match a broken byte, as in the GNU C library. The classes of that library are
//! spelled out from Unicode properties, or, where the text is known to be ASCII, from their ASCII members.

use std::fmt::Write as _;

use super::RegexOptions;
use super::tree::{Assertion, Set, SetItem, Tree};
use crate::pattern::unit::INVALID;
use crate::text::class::Class;

/// Matches no byte.
const NOTHING: &str = "[^\\x00-\\x7f]";

/// The largest text that is worth compiling.
const SIZE_LIMIT: usize = 4 << 20;

/// The characters that may occur in the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Alphabet {
    /// ASCII only.
    Ascii,
    /// Any bytes.
    Unicode,
}

/// An expression in the other syntax.
pub struct Translation {
    pub pattern: String,
    /// The numbers of its groups as they come.
    pub numbers: Vec<usize>,
    pub alphabet: Alphabet,
}

/// `tree` in the other syntax; `None` when it grows too large. A back-reference becomes the group it names, which
/// matches all that it can and more.
pub fn translate(tree: &Tree, options: RegexOptions, alphabet: Alphabet) -> Option<Translation> {
    let mut writer = Writer {
        out: String::new(),
        options,
        alphabet,
        groups: Vec::new(),
        numbers: Vec::new(),
    };
    if options.ignore_case {
        writer.out.push_str("(?i)");
    }
    if tree.has_back_reference() {
        collect_groups(tree, &mut writer.groups);
    }
    writer.tree(tree)?;
    Some(Translation {
        pattern: writer.out,
        numbers: writer.numbers,
        alphabet,
    })
}

fn collect_groups<'t>(tree: &'t Tree, out: &mut Vec<(usize, &'t Tree)>) {
    match tree {
        Tree::Group(number, inner) => {
            out.push((*number, inner));
            collect_groups(inner, out);
        }
        Tree::Repeat(inner, ..) => collect_groups(inner, out),
        Tree::Concat(all) | Tree::Alternate(all) => all.iter().for_each(|tree| collect_groups(tree, out)),
        _ => {}
    }
}

struct Writer<'t> {
    out: String,
    options: RegexOptions,
    alphabet: Alphabet,
    /// What back-references stand for; empty when there are none.
    groups: Vec<(usize, &'t Tree)>,
    /// Numbers in order of writing.
    numbers: Vec<usize>,
}

impl<'t> Writer<'t> {
    fn tree(&mut self, tree: &'t Tree) -> Option<()> {
        if self.out.len() > SIZE_LIMIT {
            return None;
        }
        match tree {
            Tree::Empty => self.out.push_str("(?:)"),
            Tree::Unit(unit) => self.unit(*unit),
            Tree::Any => self.any(),
            Tree::Set(set) => self.set(set),
            Tree::Assert(assertion) => self.assertion(*assertion),
            Tree::Group(number, inner) => {
                self.numbers.push(*number);
                self.out.push('(');
                self.tree(inner)?;
                self.out.push(')');
            }
            Tree::Concat(all) => all.iter().try_for_each(|tree| self.operand(tree))?,
            Tree::Alternate(all) => {
                for (index, tree) in all.iter().enumerate() {
                    if index > 0 {
                        self.out.push('|');
                    }
                    self.tree(tree)?;
                }
            }
            Tree::Repeat(inner, least, most) => {
                self.out.push_str("(?:");
                self.tree(inner)?;
                self.out.push(')');
                self.interval(*least, *most);
            }
            Tree::BackReference(number) => self.relaxed(*number)?,
        }
        Some(())
    }

    fn operand(&mut self, tree: &'t Tree) -> Option<()> {
        if !matches!(tree, Tree::Alternate(_)) {
            return self.tree(tree);
        }
        self.out.push_str("(?:");
        self.tree(tree)?;
        self.out.push(')');
        Some(())
    }

    /// The text of the group, without numbering it again.
    fn relaxed(&mut self, number: usize) -> Option<()> {
        let inner = self
            .groups
            .iter()
            .find(|(own, _)| *own == number)
            .map(|(_, inner)| *inner);
        self.out.push_str("(?:");
        if let Some(inner) = inner {
            self.tree(inner)?;
        }
        self.out.push(')');
        Some(())
    }

    fn interval(&mut self, least: u32, most: Option<u32>) {
        match (least, most) {
            (0, None) => self.out.push('*'),
            (1, None) => self.out.push('+'),
            (0, Some(1)) => self.out.push('?'),
            (least, None) => _ = write!(self.out, "{{{least},}}"),
            (least, Some(most)) => _ = write!(self.out, "{{{least},{most}}}"),
        }
    }

    fn unit(&mut self, unit: u32) {
        match char::from_u32(unit) {
            Some(c) if c.is_ascii_alphanumeric() => self.out.push(c),
            Some(c) if !c.is_ascii() && self.alphabet == Alphabet::Unicode => self.out.push(c),
            Some(c) if !c.is_ascii() => self.out.push_str(NOTHING),
            Some(c) => _ = write!(self.out, "\\x{:02x}", u32::from(c)),
            None => _ = write!(self.out, "(?-u:\\x{:02x})", unit & 0xff),
        }
    }

    /// The byte that `.` and sets must not match.
    fn excluded(&self) -> Option<u8> {
        self.options
            .lines
            .or(self.options.newline_anchors.then_some(b'\n'))
    }

    fn any(&mut self) {
        match self.excluded() {
            Some(byte) => _ = write!(self.out, "[^\\x{byte:02x}]"),
            None => self.out.push_str("(?s:.)"),
        }
    }

    fn set(&mut self, set: &Set) {
        match self.alphabet {
            Alphabet::Ascii => self.ascii_set(set),
            Alphabet::Unicode => self.unicode_set(set),
        }
    }

    fn ascii_set(&mut self, set: &Set) {
        let excluded = self.options.lines.or(self.excluded().filter(|_| set.negated));
        let members = (0..0x80_u8).filter(|&byte| {
            Some(byte) != excluded && set.contains(u32::from(byte), self.options.ignore_case)
        });
        let start = self.out.len();
        self.out.push('[');
        for byte in members {
            _ = write!(self.out, "\\x{byte:02x}");
        }
        if self.out.len() == start + 1 {
            self.out.truncate(start);
            return self.out.push_str(NOTHING);
        }
        self.out.push(']');
    }

    fn unicode_set(&mut self, set: &Set) {
        // A list may name the newline even where a negated one may not match it, but not where the text is lines.
        let excluded = self.options.lines.or(self.excluded().filter(|_| set.negated));
        let bytes: Vec<u32> = broken_bytes(set);
        let with_bytes = !bytes.is_empty() && !set.negated;
        if with_bytes {
            self.out.push_str("(?:(?-u:[");
            for byte in bytes {
                _ = write!(self.out, "\\x{byte:02x}");
            }
            self.out.push_str("])|");
        }
        if let Some(byte) = excluded {
            self.out.push('[');
            self.items(set);
            _ = write!(self.out, "--\\x{byte:02x}]");
        } else {
            self.items(set);
        }
        if with_bytes {
            self.out.push(')');
        }
    }

    fn items(&mut self, set: &Set) {
        let characters = || {
            set.items
                .iter()
                .filter(|item| !matches!(item, SetItem::Range(first, _) if *first >= INVALID))
        };
        if characters().next().is_none() {
            // Nothing but broken bytes: no character, or every one.
            self.out.push_str(if set.negated {
                "[\\x00-\\x{10ffff}]"
            } else {
                "[^\\x00-\\x{10ffff}]"
            });
            return;
        }
        self.out.push_str(if set.negated { "[^" } else { "[" });
        for item in characters() {
            match *item {
                SetItem::Range(first, last) => {
                    let last = last.min(0x10_ffff);
                    _ = write!(self.out, "\\x{{{first:x}}}-\\x{{{last:x}}}");
                }
                SetItem::Class(class) => self.out.push_str(class_text(class)),
            }
        }
        self.out.push(']');
    }

    fn assertion(&mut self, assertion: Assertion) {
        let lines = self.options.lines.is_some();
        let multi = lines || self.options.newline_anchors;
        self.out.push_str(match assertion {
            Assertion::LineStart if multi => "(?m:^)",
            Assertion::LineEnd if multi => "(?m:$)",
            Assertion::BufferStart if lines => "(?m:^)",
            Assertion::BufferEnd if lines => "(?m:$)",
            Assertion::LineStart | Assertion::BufferStart => "\\A",
            Assertion::LineEnd | Assertion::BufferEnd => "\\z",
            Assertion::WordBoundary => "\\b",
            Assertion::NotWordBoundary => "\\B",
            Assertion::WordStart => "\\b{start}",
            Assertion::WordEnd => "\\b{end}",
            Assertion::NotAfterWord => "\\b{start-half}",
            Assertion::NotBeforeWord => "\\b{end-half}",
        });
    }
}

/// The bytes that are no character and that a set lists.
fn broken_bytes(set: &Set) -> Vec<u32> {
    let ranges = set.items.iter().filter_map(|item| match *item {
        SetItem::Range(first, last) if first >= INVALID => Some(first - INVALID..=last - INVALID),
        _ => None,
    });
    ranges.flatten().filter(|byte| *byte <= 0xff).collect()
}

/// The class as items of a bracket expression.
fn class_text(class: Class) -> &'static str {
    match class {
        Class::Alpha => r"\p{Alphabetic}[\p{Nd}--0-9]",
        Class::Alnum => r"\p{Alphabetic}\p{Nd}",
        Class::Word => r"\p{Alphabetic}\p{Nd}_",
        Class::Ascii => r"\x00-\x7f",
        Class::Digit => "0-9",
        Class::Xdigit => "0-9A-Fa-f",
        Class::Upper => r"\p{Uppercase}\p{Lt}",
        Class::Lower => r"\p{Lowercase}\x{1c5}\x{1c8}\x{1cb}\x{1f2}",
        Class::Space => {
            r"\t-\r\x20\x{1680}\x{2000}-\x{2006}\x{2008}-\x{200a}\x{2028}\x{2029}\x{205f}\x{3000}"
        }
        Class::Blank => r"\t\x20\x{1680}\x{2000}-\x{2006}\x{2008}-\x{200a}\x{205f}\x{3000}",
        Class::Cntrl => r"\p{Cc}\x{2028}\x{2029}",
        Class::Graph => r"[[^\p{Cn}\p{Cc}\p{Z}]\x{a0}\x{2007}\x{202f}]",
        Class::Print => r"[[^\p{Cn}\p{Cc}\p{Zl}\p{Zp}]]",
        Class::Punct => r"[[[^\p{Cn}\p{Cc}\p{Z}]\x{a0}\x{2007}\x{202f}]--[\p{Alphabetic}\p{Nd}]]",
    }
}
