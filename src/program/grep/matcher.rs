//! Finding lines, and matches within them.
//!
//! The whole window is searched at once: no match holds the byte that ends lines, so the first match lies in the first line that
//! matches. A single string goes through a substring search, everything else through one regular expression that joins all
//! patterns. Perl patterns can look beyond the line, so they see one line at a time.

use memchr::memmem::Finder;

use super::options::{Language, Options};
use crate::pattern::{Bound, Regex, RegexError, RegexOptions, Syntax};

/// What a command line looks for.
#[derive(Debug)]
pub struct Matcher {
    engine: Engine,
    /// The byte that ends lines.
    end: u8,
}

#[derive(Debug)]
enum Engine {
    /// There are no patterns.
    Nothing,
    Literal(Box<Finder<'static>>),
    Regex(Regex),
    Perl(Regex),
}

/// Where something was found.
pub type Found = Result<Option<(usize, usize)>, RegexError>;

impl Matcher {
    /// Compiles the patterns; the error is the message.
    pub fn compile(options: &Options, patterns: &[Vec<u8>]) -> Result<Matcher, String> {
        let engine = engine(options, patterns)?;
        Ok(Matcher {
            engine,
            end: options.end,
        })
    }

    /// What is doubtful about the patterns.
    pub fn warnings(&self) -> &[&'static str] {
        match &self.engine {
            Engine::Nothing | Engine::Literal(_) => &[],
            Engine::Regex(regex) | Engine::Perl(regex) => regex.warnings(),
        }
    }

    /// The first line with a match among the lines of `window` from the one that starts at `from` on: its start and the end
    /// of its text. `window` ends with a line's text, or with the byte behind it.
    pub fn find_line(&self, window: &[u8], from: usize) -> Found {
        let text = match window.split_last() {
            Some((last, before)) if *last == self.end => before,
            _ => window,
        };
        let hit = match &self.engine {
            Engine::Nothing => None,
            Engine::Literal(finder) => text
                .get(from..)
                .and_then(|rest| finder.find(rest))
                .map(|at| from + at),
            Engine::Regex(regex) => regex.find_at(text, from)?.map(|(start, _)| start),
            Engine::Perl(regex) => return self.find_line_alone(regex, text, from),
        };
        Ok(hit.map(|hit| self.line_around(text, from, hit)))
    }

    fn find_line_alone(&self, regex: &Regex, text: &[u8], from: usize) -> Found {
        let mut start = from;
        while start <= text.len() {
            let (_, end) = self.line_around(text, start, start);
            if regex.is_match(text.get(start..end).unwrap_or_default())? {
                return Ok(Some((start, end)));
            }
            start = end + 1;
        }
        Ok(None)
    }

    fn line_around(&self, text: &[u8], from: usize, hit: usize) -> (usize, usize) {
        let before = text.get(from..hit).unwrap_or_default();
        let start = memchr::memrchr(self.end, before).map_or(from, |at| from + at + 1);
        let behind = text.get(hit..).unwrap_or_default();
        let end = memchr::memchr(self.end, behind).map_or(text.len(), |at| hit + at);
        (start, end)
    }

    /// The leftmost, then longest match at or after `from` in a line.
    pub fn find_in_line(&self, line: &[u8], from: usize) -> Found {
        match &self.engine {
            Engine::Nothing => Ok(None),
            Engine::Literal(finder) => {
                let found = line.get(from..).and_then(|rest| finder.find(rest));
                Ok(found.map(|at| (from + at, from + at + finder.needle().len())))
            }
            Engine::Regex(regex) | Engine::Perl(regex) => regex.find_at(line, from),
        }
    }
}

fn engine(options: &Options, patterns: &[Vec<u8>]) -> Result<Engine, String> {
    if patterns.is_empty() {
        return Ok(Engine::Nothing);
    }
    let bound = match (options.line, options.word) {
        (true, _) => Bound::Line,
        (false, true) => Bound::Word,
        (false, false) => Bound::None,
    };
    let regex_options = RegexOptions {
        ignore_case: options.ignore_case,
        gnu: true,
        lenient: true,
        dfa: true,
        lines: Some(options.end),
        bound,
        ..RegexOptions::default()
    };
    if options.language == Language::Perl {
        let [pattern] = patterns else {
            return Err("the -P option only supports a single pattern".to_owned());
        };
        let regex = Regex::compile_perl(pattern, regex_options).map_err(|error| error.to_string())?;
        return Ok(Engine::Perl(regex));
    }
    if let [pattern] = patterns
        && bound == Bound::None
        && !pattern.is_empty()
        && (!options.ignore_case || !has_letters(pattern))
        && (options.language == Language::Fixed || is_plain(pattern))
        && std::str::from_utf8(pattern).is_ok()
    {
        return Ok(Engine::Literal(Box::new(Finder::new(pattern).into_owned())));
    }
    let all_plain = patterns.iter().all(|pattern| is_plain(pattern));
    let syntax = match options.language {
        _ if all_plain => Syntax::Fixed,
        Language::Fixed => Syntax::Fixed,
        Language::Basic => Syntax::Basic,
        _ => Syntax::Extended,
    };
    let patterns: Vec<&[u8]> = patterns.iter().map(Vec::as_slice).collect();
    let regex = Regex::compile_any(&patterns, syntax, regex_options).map_err(|error| error.to_string())?;
    Ok(Engine::Regex(regex))
}

/// No character of it means anything else than itself, in whatever language.
fn is_plain(pattern: &[u8]) -> bool {
    !pattern.iter().any(|byte| b"\\^$.[]*+?{}()|".contains(byte))
}

fn has_letters(pattern: &[u8]) -> bool {
    pattern
        .iter()
        .any(|byte| byte.is_ascii_alphabetic() || !byte.is_ascii())
}
