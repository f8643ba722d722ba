//! One compiled form of an expression on the engines of `regex-automata`.

use std::sync::OnceLock;

use regex_automata::hybrid::dfa::{self, DFA};
use regex_automata::nfa::thompson::{self, NFA, pikevm};
use regex_automata::util::look::LookMatcher;
use regex_automata::util::pool::Pool;
use regex_automata::util::primitives::NonMaxUsize;
use regex_automata::util::syntax;
use regex_automata::{Anchored, Input, MatchKind, meta};

use super::translate::{Alphabet, Translation};
use super::{RegexError, RegexOptions};

/// The automaton may take so many bytes.
const NFA_LIMIT: usize = 10 << 20;

/// The groups of all states may take so many bytes.
const GROUPS_LIMIT: usize = 64 << 20;
/// Bytes of a state of the automaton, at least.
const STATE: usize = 32;

/// Start and end.
pub type Span = (usize, usize);

/// A compiled expression.
#[derive(Debug)]
pub struct Engine {
    meta: meta::Regex,
    /// The groups in the order of the compiled text: a group repeated zero times is not in it.
    numbers: Vec<usize>,
    /// Present when the first match need not be the longest.
    longest: Option<Longest>,
}

/// Finds the longest match at a known start. Built when it is first asked.
#[derive(Debug)]
struct Longest {
    pattern: String,
    alphabet: Alphabet,
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

impl Engine {
    /// Compiles the text. `greedy_is_longest` says that nothing has to be done to get the longest match.
    pub fn compile(
        translation: Translation,
        options: RegexOptions,
        greedy_is_longest: bool,
    ) -> Result<Self, RegexError> {
        let Translation {
            pattern,
            numbers,
            alphabet,
        } = translation;
        // A full automaton would be faster by little and take longer to build than most searches.
        let config = meta::Config::new()
            .utf8_empty(false)
            .dfa(false)
            .nfa_size_limit(Some(NFA_LIMIT))
            .line_terminator(options.lines.unwrap_or(b'\n'));
        let meta = meta::Regex::builder()
            .syntax(syntax_config(alphabet))
            .configure(config)
            .build(&pattern)
            .map_err(|_| RegexError::TooBig)?;
        // A search for groups keeps every group for every state.
        let states = meta.memory_usage() / STATE;
        if states.saturating_mul(numbers.len() * 2 * size_of::<usize>()) > GROUPS_LIMIT {
            return Err(RegexError::TooBig);
        }
        let longest = (!greedy_is_longest).then(|| Longest {
            pattern,
            alphabet,
            options,
            engines: OnceLock::new(),
        });
        Ok(Self {
            meta,
            numbers,
            longest,
        })
    }

    /// Bytes that the compiled form takes.
    pub fn size(&self) -> usize {
        self.meta.memory_usage()
    }

    /// Whether there is a match in `span`.
    pub fn is_match(&self, text: &[u8], (start, end): Span) -> bool {
        self.meta.is_match(Input::new(text).span(start..end))
    }

    /// The first place in `span` where a match starts, and the end of one match there. Where that is known to be the
    /// longest, its groups are put into `spans` at once.
    pub fn first(&self, text: &[u8], (start, end): Span, spans: &mut [Option<Span>]) -> Option<Span> {
        let input = Input::new(text).span(start..end);
        if spans.len() > 1 && self.longest.is_none() {
            let mut slots = vec![None; spans.len() * 2];
            self.meta.search_slots(&input, &mut slots)?;
            self.take_groups(&slots, spans);
            return slots
                .first()
                .copied()
                .flatten()
                .zip(slots.get(1).copied().flatten())
                .map(positions);
        }
        let found = self.meta.search(&input)?;
        Some((found.start(), found.end()))
    }

    /// The end of the longest match that starts at `found.0`, when one ends at `found.1`.
    pub fn longest_end(&self, text: &[u8], found: Span, limit: usize) -> Result<usize, RegexError> {
        let Some(longest) = &self.longest else {
            return Ok(found.1);
        };
        Ok(longest.engines()?.end(text, (found.0, limit)).unwrap_or(found.1))
    }

    /// The groups of the longest match, which is `found`, where `first` did not know them.
    pub fn groups(&self, text: &[u8], found: Span, spans: &mut [Option<Span>]) -> Result<(), RegexError> {
        let Some(longest) = &self.longest else {
            return Ok(());
        };
        let input = Input::new(text).span(found.0..found.1).anchored(Anchored::Yes);
        let mut slots = vec![None; spans.len() * 2];
        longest.engines()?.groups(&input, &mut slots);
        self.take_groups(&slots, spans);
        Ok(())
    }

    fn take_groups(&self, slots: &[Option<NonMaxUsize>], spans: &mut [Option<Span>]) {
        for (pair, number) in slots.chunks_exact(2).skip(1).zip(&self.numbers) {
            if let ([Some(start), Some(end)], Some(span)) = (pair, spans.get_mut(*number)) {
                *span = Some(positions((*start, *end)));
            }
        }
    }
}

fn positions((start, end): (NonMaxUsize, NonMaxUsize)) -> Span {
    (start.get(), end.get())
}

impl Longest {
    fn engines(&self) -> Result<&Engines, RegexError> {
        self.engines
            .get_or_init(|| Engines::build(self))
            .as_ref()
            .ok_or(RegexError::TooBig)
    }
}

impl Engines {
    fn build(longest: &Longest) -> Option<Self> {
        let mut look = LookMatcher::new();
        look.set_line_terminator(longest.options.lines.unwrap_or(b'\n'));
        let config = thompson::Config::new()
            .utf8(false)
            .nfa_size_limit(Some(NFA_LIMIT))
            .look_matcher(look);
        let nfa = NFA::compiler()
            .syntax(syntax_config(longest.alphabet))
            .configure(config)
            .build(&longest.pattern)
            .ok()?;
        let config = dfa::Config::new()
            .match_kind(MatchKind::All)
            .unicode_word_boundary(true)
            .skip_cache_capacity_check(true);
        let dfa = DFA::builder()
            .configure(config)
            .build_from_nfa(nfa.clone())
            .ok()?;
        let config = pikevm::Config::new().match_kind(MatchKind::All);
        let pike = pikevm::PikeVM::builder()
            .configure(config)
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

    /// The end of the longest match that starts where `span` does.
    fn end(&self, text: &[u8], span: Span) -> Option<usize> {
        let input = Input::new(text).span(span.0..span.1).anchored(Anchored::Yes);
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

fn syntax_config(alphabet: Alphabet) -> syntax::Config {
    syntax::Config::new()
        .utf8(false)
        .unicode(alphabet == Alphabet::Unicode)
        .nest_limit(1000)
}
