//! Perl expressions (`grep -P`) on the crate `fancy-regex`, with a bounded number of backtracking steps.

use fancy_regex::{BytesMode, RegexBuilder, RegexInput};

use super::engine::Span;
use super::{Bound, RegexError, RegexOptions};

/// Steps of one search; the PCRE library's own limit is of this size.
const STEP_LIMIT: usize = 10_000_000;

/// A compiled expression.
#[derive(Debug)]
pub struct PerlRegex {
    regex: fancy_regex::Regex,
}

impl PerlRegex {
    /// Compiles `pattern`, which must be UTF-8 as for `grep`.
    pub fn compile(pattern: &[u8], options: RegexOptions) -> Result<Self, RegexError> {
        let Ok(text) = std::str::from_utf8(pattern) else {
            return Err(RegexError::Perl(
                "UTF-8 error: illegal byte (0xfe or 0xff)".to_owned(),
            ));
        };
        let wrapped = match options.bound {
            Bound::None => text.to_owned(),
            Bound::Word => format!("(?<![A-Za-z0-9_])(?:{text})(?![A-Za-z0-9_])"),
            Bound::Line => format!("^(?:{text})$"),
        };
        let regex = RegexBuilder::new(&wrapped)
            .bytes_mode(BytesMode::UnicodeBytes)
            .case_insensitive(options.ignore_case)
            .multi_line(true)
            .backtrack_limit(STEP_LIMIT)
            .build()
            .map_err(|error| RegexError::Perl(error.to_string()))?;
        Ok(Self { regex })
    }

    /// The number of groups.
    pub fn groups(&self) -> usize {
        self.regex.captures_len().saturating_sub(1)
    }

    /// Whether there is a match.
    pub fn is_match(&self, text: &[u8]) -> Result<bool, RegexError> {
        self.regex.is_match(text).map_err(exhausted)
    }

    /// The first match at or after `start`.
    pub fn find_at(&self, text: &[u8], start: usize) -> Result<Option<Span>, RegexError> {
        let input = RegexInput::new(text).from_pos(start);
        let found = self.regex.find_input(input).map_err(exhausted)?;
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
        let Some(found) = self.regex.captures_input(input).map_err(exhausted)? else {
            return Ok(false);
        };
        for (group, span) in spans.iter_mut().enumerate() {
            *span = found.get(group).map(|found| (found.start(), found.end()));
        }
        Ok(true)
    }
}

fn exhausted(_: fancy_regex::Error) -> RegexError {
    RegexError::Perl("exceeded PCRE's backtracking limit".to_owned())
}
