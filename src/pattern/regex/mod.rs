//! POSIX regular expressions as the GNU C library and GNU grep read them, matched in linear time.
//!
//! `parse` makes a [`Tree`](tree::Tree), following `regcomp.c`: what POSIX leaves undefined (`*` at the start, `a**`,
//! `a{1`) is decided as the library decides it, leniently when [`RegexOptions::lenient`] is set as `grep` does.
//! `translate` writes it for `regex-automata`, whose engines (literal search, lazy automata) do the work.
//!
//! **Longest.** Those engines take the first match that greedy choice finds; POSIX wants the longest at the leftmost
//! place. The start is the same; the end comes from a second automaton (`engine`), unless the tree shows that
//! both agree. Groups are then those that greedy choice gives among the paths of that length, which is what the
//! library reports.
//!
//! **Back-references** are matched by `backtrack`: all ways are tried, once each, within a step limit that makes the
//! search fail with [`RegexError::Exhausted`]. The automaton of the expression with each `\1` replaced by its group
//! finds the places that are worth trying.
//!
//! **Whole buffers.** With [`RegexOptions::lines`] a buffer of many lines is searched at once: nothing matches the
//! terminator, and `^ $` match at its sides, so each match lies in one line and a line matches exactly when a
//! match starts in it. Leave the last terminator out of the buffer, else an empty line follows it.
//!
//! **Broken bytes.** As in the library, a byte that is no character is matched by itself only, not by `.` or a negated
//! set.
//!
//! Tests against bash, sed and grep are in `tests/regex_oracle.rs`.

mod automata;
mod backtrack;
mod bracket;
mod engine;
mod error;
mod parse;
mod perl;
mod perl_class;
mod perl_syntax;
mod translate;
mod tree;

use std::sync::Arc;

pub use error::RegexError;

use automata::Automata;
use backtrack::Backtracker;
use perl::PerlRegex;
use tree::{Assertion, Set, Tree};

use super::unit::unit_at;

/// The language of a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Syntax {
    /// `grep`, `sed`: `\( \) \{ \}`.
    #[default]
    Basic,
    /// `grep -E`, `sed -E`, `awk`, `[[ =~ ]]`.
    Extended,
    /// `grep -F`: no special characters.
    Fixed,
}

/// What a match must be surrounded by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Bound {
    /// Anything.
    #[default]
    None,
    /// No word characters (`grep -w`); shorter matches are tried where the longest is not.
    Word,
    /// The ends of the line (`grep -x`).
    Line,
}

/// How a pattern is read and matched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RegexOptions {
    /// Letters match either case.
    pub ignore_case: bool,
    /// `REG_NEWLINE`, sed's `M`: `^ $` match at newlines too, `.` and negated sets do not match a newline.
    pub newline_anchors: bool,
    /// GNU operators: `\+ \? \|` in basic expressions, `` \w \W \s \S \b \B \< \> \` \' ``.
    pub gnu: bool,
    /// As `grep` reads: a repetition of nothing is skipped or literal, `a{x` is literal in extended expressions.
    pub lenient: bool,
    /// GNU's `dfa.c` reads it too, as for `grep` and `sed`: `[:space:]` is an error, since hardly a set of letters is meant,
    /// and an interval that repeats nothing is skipped whole.
    pub dfa: bool,
    /// `)` without `(` is an error in extended expressions too (`sed`).
    pub paired: bool,
    /// The text is lines ended by this byte: see the module page.
    pub lines: Option<u8>,
    /// What must surround a match.
    pub bound: Bound,
}

/// A compiled regular expression; cloning shares it.
///
/// ```
/// use exuvia::pattern::{Regex, RegexOptions, Syntax};
/// let regex = Regex::compile(b"a|ab", Syntax::Extended, RegexOptions::default())?;
/// assert_eq!(regex.find_at(b"xabc", 0)?, Some((1, 3)));
/// # Ok::<(), exuvia::pattern::RegexError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Regex {
    engine: Arc<Engine>,
    groups: usize,
    warnings: Vec<&'static str>,
    by_byte: bool,
}

#[derive(Debug)]
enum Engine {
    Automata(Automata),
    Backtrack(Backtracker),
    Perl(PerlRegex),
}

/// Where the groups of a match lie; 0 is the whole.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Captures {
    spans: Vec<Option<(usize, usize)>>,
}

impl Captures {
    /// Start and end of a group; `None` when it took no part, or does not exist.
    pub fn get(&self, group: usize) -> Option<(usize, usize)> {
        self.spans.get(group).copied().flatten()
    }

    /// The number of groups, the whole match included; 0 before a match.
    pub fn len(&self) -> usize {
        self.spans.len()
    }

    /// No match yet.
    pub fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }
}

impl Regex {
    /// Compiles a POSIX expression.
    pub fn compile(pattern: &[u8], syntax: Syntax, options: RegexOptions) -> Result<Self, RegexError> {
        Self::compile_any(&[pattern], syntax, options)
    }

    /// Bytes that the compiled form takes, about: a measure of the work of compiling.
    pub fn size(&self) -> usize {
        match &*self.engine {
            Engine::Automata(automata) => automata.size(),
            Engine::Backtrack(_) | Engine::Perl(_) => 0,
        }
    }

    /// Compiles several; the result matches where any of them does (`grep -e … -e …`). Groups are numbered
    /// through, `\1` means the first group of its own pattern. Without patterns nothing matches.
    pub fn compile_any(
        patterns: &[&[u8]],
        syntax: Syntax,
        options: RegexOptions,
    ) -> Result<Self, RegexError> {
        let mut groups = 0;
        let (mut trees, mut warnings) = (Vec::new(), Vec::new());
        for pattern in patterns {
            if syntax == Syntax::Fixed {
                trees.push(fixed(pattern));
                continue;
            }
            let parsed = parse::parse(pattern, syntax, options, groups)?;
            groups += parsed.groups;
            trees.push(parsed.tree);
            warnings.extend(parsed.warnings);
        }
        let tree = match trees.len() {
            0 => Tree::Set(Set::default()),
            1 => trees.swap_remove(0),
            _ => Tree::Alternate(trees),
        };
        let by_byte = !options.ignore_case && tree.is_searched_by_byte();
        let tree = bounded(tree, options.bound);
        let engine = if tree.has_back_reference() {
            Engine::Backtrack(Backtracker::compile(tree, groups, options)?)
        } else {
            Engine::Automata(Automata::compile(tree, options)?)
        };
        Ok(Self {
            engine: Arc::new(engine),
            groups,
            warnings,
            by_byte,
        })
    }

    /// Compiles a Perl expression (`grep -P`), which takes the first match, not the longest.
    pub fn compile_perl(pattern: &[u8], options: RegexOptions) -> Result<Self, RegexError> {
        let perl = PerlRegex::compile(pattern, options)?;
        let groups = perl.groups();
        Ok(Self {
            engine: Arc::new(Engine::Perl(perl)),
            groups,
            warnings: Vec::new(),
            by_byte: false,
        })
    }

    /// Where the search for all matches goes on behind an empty one: after one character, or after one byte where the GNU C
    /// library searches byte by byte.
    pub fn step(&self, text: &[u8], at: usize) -> usize {
        if self.by_byte {
            1
        } else {
            bstr::decode_utf8(text.get(at..).unwrap_or_default()).1.max(1)
        }
    }

    /// The number of groups in the pattern.
    pub fn group_count(&self) -> usize {
        self.groups
    }

    /// What `grep` warns of when it reads the pattern: `* at start of expression`.
    pub fn warnings(&self) -> &[&'static str] {
        &self.warnings
    }

    /// Whether there is a match anywhere in `text`.
    pub fn is_match(&self, text: &[u8]) -> Result<bool, RegexError> {
        match &*self.engine {
            Engine::Automata(automata) => automata.is_match(text),
            Engine::Backtrack(backtracker) => Ok(backtracker.find_at(text, 0, &mut [])?.is_some()),
            Engine::Perl(perl) => perl.is_match(text),
        }
    }

    /// The leftmost-longest match that starts at or after `start`. What stands before `start` is seen by `^`, `\b`
    /// and the like. An empty match lies between characters, but at `start` inside one where the library matches bytes:
    /// so that `sed`, which goes on byte by byte after an empty match, can do as the real one.
    pub fn find_at(&self, text: &[u8], start: usize) -> Result<Option<(usize, usize)>, RegexError> {
        if start > text.len() {
            return Ok(None);
        }
        match &*self.engine {
            Engine::Automata(automata) => automata.find_at(text, start),
            Engine::Backtrack(backtracker) => backtracker.find_at(text, start, &mut []),
            Engine::Perl(perl) => perl.find_at(text, start),
        }
    }

    /// As [`Self::find_at`], with the groups. On `false`, `captures` is empty.
    pub fn captures_at(
        &self,
        text: &[u8],
        start: usize,
        captures: &mut Captures,
    ) -> Result<bool, RegexError> {
        captures.spans.clear();
        if start > text.len() {
            return Ok(false);
        }
        captures.spans.resize(self.groups + 1, None);
        let spans = &mut captures.spans;
        let found = match &*self.engine {
            Engine::Automata(automata) => automata.captures_at(text, start, spans)?,
            Engine::Backtrack(backtracker) => backtracker.find_at(text, start, spans)?.is_some(),
            Engine::Perl(perl) => perl.captures_at(text, start, spans)?,
        };
        if !found {
            captures.spans.clear();
        }
        Ok(found)
    }
}

fn fixed(text: &[u8]) -> Tree {
    let mut units = Vec::new();
    let mut at = 0;
    while let Some((unit, length)) = unit_at(text, at) {
        units.push(Tree::Unit(unit));
        at += length;
    }
    if units.len() == 1 {
        units.swap_remove(0)
    } else {
        Tree::Concat(units)
    }
}

fn bounded(tree: Tree, bound: Bound) -> Tree {
    let (before, after) = match bound {
        Bound::None => return tree,
        Bound::Word => (Assertion::NotAfterWord, Assertion::NotBeforeWord),
        Bound::Line => (Assertion::LineStart, Assertion::LineEnd),
    };
    Tree::Concat(vec![Tree::Assert(before), tree, Tree::Assert(after)])
}

/// Whether `at` lies inside a character.
fn splits_character(text: &[u8], at: usize) -> bool {
    if !text.get(at).is_some_and(|byte| (0x80..0xc0).contains(byte)) {
        return false;
    }
    (1..=at.min(3)).any(|back| unit_at(text, at - back).is_some_and(|(_, length)| length > back))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compile(pattern: &str) -> Result<Regex, RegexError> {
        let options = RegexOptions {
            gnu: true,
            ..RegexOptions::default()
        };
        Regex::compile(pattern.as_bytes(), Syntax::Extended, options)
    }

    #[test]
    fn bombs_are_refused_or_harmless() {
        let deep = "(x".repeat(200) + &"){1,2}{1,3}{1,2}{1,3}".repeat(200);
        for pattern in [
            deep.as_str(),
            "((a{1000}){1000}){1000}",
            "a{2}{2}{2}{2}{2}{2}{2}{2}",
            "(\\1{9}){9}(\\1{9})",
        ] {
            let error = compile(pattern).err();
            assert!(
                matches!(error, Some(RegexError::TooBig | RegexError::InvalidBackReference)),
                "{error:?}"
            );
        }
        let nested = "(a".repeat(199) + &")*".repeat(199);
        assert!(compile(&nested).unwrap().is_match(b"aaab").unwrap());
        let text = "a".repeat(3000);
        assert_eq!(
            compile("(((a*)*)*)*b").unwrap().find_at(text.as_bytes(), 0),
            Ok(None)
        );
        assert_eq!(
            compile("(.*)(.*)\\2\\1\\2b").unwrap().find_at(text.as_bytes(), 0),
            Ok(None)
        );
        let hard = compile("(.*)(.*)(.*)\\3\\2\\1(.)b\\4")
            .unwrap()
            .find_at(format!("{text}bb").as_bytes(), 0);
        assert_eq!(hard, Err(RegexError::Exhausted));
    }

    #[test]
    fn broken_bytes_match_themselves_only() {
        let options = RegexOptions::default();
        let at = |pattern: &[u8], text: &[u8]| {
            Regex::compile(pattern, Syntax::Basic, options)
                .unwrap()
                .find_at(text, 0)
                .unwrap()
        };
        assert_eq!(at(b"a.b", b"a\xffb"), None);
        assert_eq!(at(b"a[^x]b", b"a\xffb"), None);
        assert_eq!(at(b"a\xffb", b"xa\xffb"), Some((1, 4)));
        assert_eq!(at(b"[\xff]", b"a\xff"), Some((1, 2)));
        assert_eq!(at("a.b".as_bytes(), "a€b".as_bytes()), Some((0, 5)));
    }

    #[test]
    fn several_patterns() {
        let options = RegexOptions::default();
        let regex = Regex::compile_any(&[b"\\(a\\)\\1", b"\\(b\\)\\1"], Syntax::Basic, options).unwrap();
        assert_eq!(regex.find_at(b"abba", 0), Ok(Some((1, 3))));
        assert_eq!(regex.group_count(), 2);
        let none = Regex::compile_any(&[], Syntax::Basic, options).unwrap();
        assert_eq!(none.is_match(b""), Ok(false));
    }
}
