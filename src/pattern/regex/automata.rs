//! Expressions without back-references: which of two compiled forms looks at which part of the text.
//!
//! Text is mostly ASCII, and for ASCII the classes are small, `\b` costs nothing and compiling takes a fraction. So
//! an expression is compiled for ASCII first; the form with all of Unicode is made when other text comes. Whether
//! text is ASCII is looked up before it is searched: the whole of it when it is short, and windows of whole lines,
//! growing, when it is lines.

use std::sync::OnceLock;

use super::engine::{Engine, Span};
use super::translate::{Alphabet, translate};
use super::tree::Tree;
use super::{RegexError, RegexOptions, splits_character};

/// Text that is not lines is looked through before each search up to this length.
const SHORT_TEXT: usize = 1 << 16;
/// The first window, and the largest.
const WINDOW: (usize, usize) = (1 << 12, 1 << 20);

/// A compiled expression.
#[derive(Debug)]
pub struct Automata {
    tree: Tree,
    options: RegexOptions,
    /// An empty match may lie inside a character, if the search begins there.
    bytewise: bool,
    greedy_is_longest: bool,
    ascii: Engine,
    unicode: OnceLock<Result<Engine, RegexError>>,
}

/// A part of the text, and how it is searched.
#[derive(Clone, Copy)]
struct Window {
    start: usize,
    /// After the last place where a match may end.
    end: usize,
    ascii: bool,
}

impl Automata {
    /// Compiles the tree.
    pub fn compile(tree: Tree, options: RegexOptions) -> Result<Self, RegexError> {
        let greedy_is_longest = tree.greedy_is_longest(options.ignore_case);
        let text = translate(&tree, options, Alphabet::Ascii).ok_or(RegexError::TooBig)?;
        let ascii = Engine::compile(text, options, greedy_is_longest)?;
        let bytewise = tree.is_bytewise();
        Ok(Self {
            tree,
            options,
            bytewise,
            greedy_is_longest,
            ascii,
            unicode: OnceLock::new(),
        })
    }

    /// Bytes that the form for ASCII takes.
    pub fn size(&self) -> usize {
        self.ascii.size()
    }

    fn engine(&self, window: Window) -> Result<&Engine, RegexError> {
        if window.ascii {
            return Ok(&self.ascii);
        }
        let build = || {
            let text = translate(&self.tree, self.options, Alphabet::Unicode).ok_or(RegexError::TooBig)?;
            Engine::compile(text, self.options, self.greedy_is_longest)
        };
        self.unicode.get_or_init(build).as_ref().map_err(Clone::clone)
    }

    /// The window that begins at `start`.
    fn window(&self, text: &[u8], start: usize, size: usize) -> Window {
        let Some(terminator) = self.options.lines else {
            let ascii = text.len() <= SHORT_TEXT && text.is_ascii();
            return Window {
                start,
                end: text.len(),
                ascii,
            };
        };
        let reach = start.saturating_add(size).min(text.len());
        let rest = text.get(reach..).unwrap_or_default();
        let end = memchr::memchr(terminator, rest).map_or(text.len(), |length| reach + length);
        // What stands before is seen by `\b`: the last character is enough.
        let ascii = text
            .get(start.saturating_sub(1)..end)
            .unwrap_or_default()
            .is_ascii();
        Window { start, end, ascii }
    }

    /// The first window from `start` on for which `search` finds something.
    fn walk<T>(
        &self,
        text: &[u8],
        start: usize,
        mut search: impl FnMut(&Engine, Window) -> Option<T>,
    ) -> Result<Option<(T, Window)>, RegexError> {
        let (mut size, largest) = WINDOW;
        let mut from = start;
        loop {
            let window = self.window(text, from, size);
            if let Some(found) = search(self.engine(window)?, window) {
                return Ok(Some((found, window)));
            }
            if window.end >= text.len() {
                return Ok(None);
            }
            from = window.end + 1;
            size = (size * 2).min(largest);
        }
    }

    /// Whether there is a match.
    pub fn is_match(&self, text: &[u8]) -> Result<bool, RegexError> {
        let found = self.walk(text, 0, |engine, window| {
            engine.is_match(text, (window.start, window.end)).then_some(())
        })?;
        Ok(found.is_some())
    }

    fn first(
        &self,
        text: &[u8],
        start: usize,
        spans: &mut [Option<Span>],
    ) -> Result<Option<(Span, Window)>, RegexError> {
        self.walk(text, start, |engine, window| {
            let mut from = window.start;
            loop {
                let found = engine.first(text, (from, window.end), spans)?;
                let inside = found.0 == found.1 && splits_character(text, found.0);
                if !inside || (self.bytewise && found.0 == start) {
                    return Some(found);
                }
                from = found.0 + 1;
            }
        })
    }

    /// The first place where a match starts, and the end of one match there.
    pub fn first_at(&self, text: &[u8], start: usize) -> Result<Option<Span>, RegexError> {
        Ok(self.first(text, start, &mut [])?.map(|(found, _)| found))
    }

    /// The leftmost-longest match.
    pub fn find_at(&self, text: &[u8], start: usize) -> Result<Option<Span>, RegexError> {
        let Some((found, window)) = self.first(text, start, &mut [])? else {
            return Ok(None);
        };
        let end = self.engine(window)?.longest_end(text, found, window.end)?;
        Ok(Some((found.0, end)))
    }

    /// The leftmost-longest match and its groups.
    pub fn captures_at(
        &self,
        text: &[u8],
        start: usize,
        spans: &mut [Option<Span>],
    ) -> Result<bool, RegexError> {
        let Some((found, window)) = self.first(text, start, spans)? else {
            return Ok(false);
        };
        let engine = self.engine(window)?;
        let whole = (found.0, engine.longest_end(text, found, window.end)?);
        if spans.len() > 1 {
            engine.groups(text, whole, spans)?;
        }
        if let Some(span) = spans.first_mut() {
            *span = Some(whole);
        }
        Ok(true)
    }
}
