//! Expressions without back-references, on the engines of `regex-automata`.

use std::sync::OnceLock;

use regex_automata::hybrid::dfa::{self, DFA};
use regex_automata::nfa::thompson::{self, NFA, pikevm};
use regex_automata::util::look::LookMatcher;
use regex_automata::util::pool::Pool;
use regex_automata::util::primitives::NonMaxUsize;
use regex_automata::util::syntax;
use regex_automata::{Anchored, Input, MatchKind, meta};

use super::tree::Tree;
use super::{RegexError, RegexOptions, splits_character, translate};

/// The automaton may take so many bytes.
const NFA_LIMIT: usize = 20 << 20;

/// Start and end.
pub type Span = (usize, usize);

/// A compiled expression.
#[derive(Debug)]
pub struct Automata {
    meta: meta::Regex,
    /// The groups in the order of the compiled text: a group repeated zero times is not in it.
    numbers: Vec<usize>,
    /// An empty match may lie inside a character, if the search begins there.
    bytewise: bool,
    /// Present when the first match need not be the longest.
    longest: Option<Longest>,
}

/// Finds the longest match at a known start. Built when it is first asked.
#[derive(Debug)]
struct Longest {
    pattern: String,
    options: RegexOptions,
    engines: OnceLock<Option<Engines>>,
}

type MakeCache<T> = Box<dyn Fn() -> T + Send + Sync + std::panic::UnwindSafe + std::panic::RefUnwindSafe>;

#[derive(Debug)]
struct Engines {
    /// Answers nearly always; gives up where `\b` meets a character beyond ASCII.
    dfa: DFA,
    dfa_caches: Pool<dfa::Cache, MakeCache<dfa::Cache>>,
    pike: pikevm::PikeVM,
    pike_caches: Pool<pikevm::Cache, MakeCache<pikevm::Cache>>,
}

impl Automata {
    /// Compiles the tree.
    pub fn compile(tree: &Tree, options: RegexOptions) -> Result<Self, RegexError> {
        let (pattern, numbers) = translate::translate(tree, options).ok_or(RegexError::TooBig)?;
        let config = meta::Config::new()
            .utf8_empty(false)
            .nfa_size_limit(Some(NFA_LIMIT))
            .line_terminator(options.lines.unwrap_or(b'\n'));
        let meta = meta::Regex::builder()
            .syntax(syntax_config())
            .configure(config)
            .build(&pattern)
            .map_err(|_| RegexError::TooBig)?;
        let longest = (!tree.greedy_is_longest(options.ignore_case)).then(|| Longest {
            pattern,
            options,
            engines: OnceLock::new(),
        });
        Ok(Self {
            meta,
            numbers,
            bytewise: tree.is_bytewise(),
            longest,
        })
    }

    /// Whether there is a match.
    pub fn is_match(&self, text: &[u8]) -> bool {
        self.meta.is_match(text)
    }

    /// The first place where a match starts, and the end of one match there.
    pub fn first_at(&self, text: &[u8], start: usize) -> Option<Span> {
        let mut from = start;
        loop {
            let found = self.meta.search(&Input::new(text).span(from..text.len()))?;
            let inside = found.is_empty() && splits_character(text, found.start());
            if inside && !(self.bytewise && found.start() == start) {
                from = found.start() + 1;
                continue;
            }
            return Some((found.start(), found.end()));
        }
    }

    /// The leftmost-longest match.
    pub fn find_at(&self, text: &[u8], start: usize) -> Result<Option<Span>, RegexError> {
        let Some((first, end)) = self.first_at(text, start) else {
            return Ok(None);
        };
        match &self.longest {
            None => Ok(Some((first, end))),
            Some(longest) => Ok(Some((first, longest.engines()?.end(text, first).unwrap_or(end)))),
        }
    }

    /// The leftmost-longest match and its groups.
    pub fn captures_at(
        &self,
        text: &[u8],
        start: usize,
        spans: &mut [Option<Span>],
    ) -> Result<bool, RegexError> {
        let Some((first, end)) = self.find_at(text, start)? else {
            return Ok(false);
        };
        if let [whole] = spans {
            *whole = Some((first, end));
            return Ok(true);
        }
        let input = Input::new(text).span(first..end).anchored(Anchored::Yes);
        let mut slots = vec![None; spans.len() * 2];
        match &self.longest {
            None => _ = self.meta.search_slots(&input, &mut slots),
            Some(longest) => longest.engines()?.groups(&input, &mut slots),
        }
        for (pair, number) in slots.chunks_exact(2).skip(1).zip(&self.numbers) {
            if let ([Some(start), Some(end)], Some(span)) = (pair, spans.get_mut(*number)) {
                *span = Some((start.get(), end.get()));
            }
        }
        if let Some(whole) = spans.first_mut() {
            *whole = Some((first, end));
        }
        Ok(true)
    }
}

impl Longest {
    fn engines(&self) -> Result<&Engines, RegexError> {
        self.engines
            .get_or_init(|| Engines::build(&self.pattern, self.options))
            .as_ref()
            .ok_or(RegexError::TooBig)
    }
}

impl Engines {
    fn build(pattern: &str, options: RegexOptions) -> Option<Self> {
        let mut look = LookMatcher::new();
        look.set_line_terminator(options.lines.unwrap_or(b'\n'));
        let config = thompson::Config::new()
            .utf8(false)
            .nfa_size_limit(Some(NFA_LIMIT))
            .look_matcher(look);
        let nfa = NFA::compiler()
            .syntax(syntax_config())
            .configure(config)
            .build(pattern)
            .ok()?;
        let dfa = DFA::builder()
            .configure(
                dfa::Config::new()
                    .match_kind(MatchKind::All)
                    .unicode_word_boundary(true)
                    .skip_cache_capacity_check(true),
            )
            .build_from_nfa(nfa.clone())
            .ok()?;
        let pike = pikevm::PikeVM::builder()
            .configure(pikevm::Config::new().match_kind(MatchKind::All))
            .build_from_nfa(nfa)
            .ok()?;
        let (for_dfa, for_pike) = (dfa.clone(), pike.clone());
        let dfa_caches: MakeCache<_> = Box::new(move || for_dfa.create_cache());
        let pike_caches: MakeCache<_> = Box::new(move || for_pike.create_cache());
        Some(Self {
            dfa,
            dfa_caches: Pool::new(dfa_caches),
            pike,
            pike_caches: Pool::new(pike_caches),
        })
    }

    /// The end of the longest match that starts at `start`.
    fn end(&self, text: &[u8], start: usize) -> Option<usize> {
        let input = Input::new(text).span(start..text.len()).anchored(Anchored::Yes);
        if let Ok(found) = self.dfa.try_search_fwd(&mut self.dfa_caches.get(), &input) {
            return found.map(|found| found.offset());
        }
        let mut slots = [None, None];
        self.groups(&input, &mut slots);
        slots[1].map(NonMaxUsize::get)
    }

    /// The groups of the longest match of `input`.
    fn groups(&self, input: &Input<'_>, slots: &mut [Option<NonMaxUsize>]) {
        self.pike.search_slots(&mut self.pike_caches.get(), input, slots);
    }
}

fn syntax_config() -> syntax::Config {
    syntax::Config::new().utf8(false).unicode(true)
}
