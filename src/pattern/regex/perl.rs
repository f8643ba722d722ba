//! Perl expressions (`grep -P`) on the crate `fancy-regex`, with a bounded number of backtracking steps.
//!
//! `\b` means ASCII words; the crate's means Unicode ones. Where the text is ASCII they agree, and its own is fast; else
//! the expression is compiled a second time, with `\b` spelled out.

use std::sync::OnceLock;

use fancy_regex::{BytesMode, CompileError, Error, ParseError, RegexBuilder, RegexInput};

use super::engine::Span;
use super::perl_syntax::{Words, rewrite};
use super::{Bound, RegexError, RegexOptions};

/// Steps of one search; the PCRE library's own limit is of this size.
const STEP_LIMIT: usize = 10_000_000;

/// A compiled expression.
#[derive(Debug)]
pub struct PerlRegex {
    source: String,
    options: RegexOptions,
    /// Exact for ASCII text, and for all where there is no `\b`.
    regex: fancy_regex::Regex,
    has_word_boundary: bool,
    any_text: OnceLock<Result<fancy_regex::Regex, RegexError>>,
}

impl PerlRegex {
    /// Compiles `pattern`, which must be UTF-8 as for `grep`.
    pub fn compile(pattern: &[u8], options: RegexOptions) -> Result<Self, RegexError> {
        let Ok(source) = std::str::from_utf8(pattern) else {
            return Err(RegexError::Perl(
                "UTF-8 error: illegal byte (0xfe or 0xff)".to_owned(),
            ));
        };
        let (regex, has_word_boundary) = build(source, options, Words::AsciiText)?;
        let source = source.to_owned();
        Ok(Self {
            source,
            options,
            regex,
            has_word_boundary,
            any_text: OnceLock::new(),
        })
    }

    fn regex(&self, text: &[u8]) -> Result<&fancy_regex::Regex, RegexError> {
        if !self.has_word_boundary || text.is_ascii() {
            return Ok(&self.regex);
        }
        let build = || build(&self.source, self.options, Words::AnyText).map(|(regex, _)| regex);
        self.any_text.get_or_init(build).as_ref().map_err(Clone::clone)
    }

    /// The number of groups.
    pub fn groups(&self) -> usize {
        self.regex.captures_len().saturating_sub(1)
    }

    /// Whether there is a match.
    pub fn is_match(&self, text: &[u8]) -> Result<bool, RegexError> {
        self.regex(text)?.is_match(text).map_err(|_| exhausted())
    }

    /// The first match at or after `start`.
    pub fn find_at(&self, text: &[u8], start: usize) -> Result<Option<Span>, RegexError> {
        let input = RegexInput::new(text).from_pos(start);
        let found = self.regex(text)?.find_input(input).map_err(|_| exhausted())?;
        Ok(found.map(|found| (found.start(), found.end())))
    }

    /// The first match at or after `start`, with its groups.
    pub fn captures_at(
        &self,
        text: &[u8],
        start: usize,
        spans: &mut [Option<Span>],
    ) -> Result<bool, RegexError> {
        let input = RegexInput::new(text).from_pos(start);
        let found = self.regex(text)?.captures_input(input).map_err(|_| exhausted())?;
        let Some(found) = found else { return Ok(false) };
        for (group, span) in spans.iter_mut().enumerate() {
            *span = found.get(group).map(|found| (found.start(), found.end()));
        }
        Ok(true)
    }
}

fn build(
    source: &str,
    options: RegexOptions,
    words: Words,
) -> Result<(fancy_regex::Regex, bool), RegexError> {
    let rewritten = rewrite(source, words)?;
    let pattern = match options.bound {
        Bound::None => rewritten.pattern,
        Bound::Word => format!("(?<![0-9A-Za-z_])(?:{})(?![0-9A-Za-z_])", rewritten.pattern),
        Bound::Line => format!("^(?:{})$", rewritten.pattern),
    };
    let regex = RegexBuilder::new(&pattern)
        .bytes_mode(BytesMode::UnicodeBytes)
        .case_insensitive(options.ignore_case)
        .multi_line(true)
        .backtrack_limit(STEP_LIMIT)
        .build()
        .map_err(|error| RegexError::Perl(sentence(&error)))?;
    Ok((regex, rewritten.has_word_boundary))
}

/// What PCRE says, where the rewriting did not find the error.
fn sentence(error: &Error) -> String {
    let text = match error {
        Error::ParseError(_, error) => match error {
            ParseError::UnclosedOpenParen => "missing closing parenthesis",
            ParseError::InvalidRepeat | ParseError::TargetNotRepeatable => {
                "quantifier does not follow a repeatable item"
            }
            ParseError::RecursionExceeded => "parentheses are too deeply nested",
            ParseError::InvalidBackref => "reference to non-existent subpattern",
            other => return other.to_string(),
        },
        Error::CompileError(error) => match &**error {
            CompileError::LookBehindNotConst | CompileError::VariableLookBehindRequiresFeature => {
                "lookbehind assertion is not fixed length"
            }
            CompileError::InvalidBackref(_) => "reference to non-existent subpattern",
            CompileError::PatternTooComplex => "regular expression is too large",
            CompileError::LeftRecursiveSubroutineCall(_) | CompileError::NeverEndingRecursion => {
                "recursion without end is not supported"
            }
            CompileError::InnerError(_) => "unknown property, or regular expression is too large",
            other => return other.to_string(),
        },
        other => return other.to_string(),
    };
    text.to_owned()
}

fn exhausted() -> RegexError {
    RegexError::Perl("exceeded PCRE's backtracking limit".to_owned())
}
