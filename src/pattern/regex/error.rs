//! What can be wrong with a regular expression, in the sentences of the GNU C library.

use std::fmt;

/// Why a regular expression was refused, or a search given up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RegexError {
    /// `[` without `]`.
    UnmatchedBracket,
    /// `(` without `)`.
    UnmatchedParenthesis,
    /// `)` without `(`.
    UnmatchedCloseParenthesis,
    /// `{` without `}`.
    UnmatchedBrace,
    /// What stands between the braces is no interval.
    InvalidInterval,
    /// `z-a`, or an end that cannot be one.
    InvalidRangeEnd,
    /// `[[:nope:]]`
    InvalidClass,
    /// `[:space:]`: `grep` and `sed` mind.
    BareClass,
    /// `[[.nope.]]`
    InvalidCollation,
    /// `\1` without its group.
    InvalidBackReference,
    /// A repetition of nothing.
    InvalidPreceding,
    /// `\` at the end.
    TrailingBackslash,
    /// `[` with nothing after it, in places.
    Invalid,
    /// Larger than the limits allow.
    TooBig,
    /// A search with back-references took too many steps.
    Exhausted,
    /// A sentence about a Perl expression.
    Perl(String),
}

impl fmt::Display for RegexError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::UnmatchedBracket => "Unmatched [, [^, [:, [., or [=",
            Self::UnmatchedParenthesis => "Unmatched ( or \\(",
            Self::UnmatchedCloseParenthesis => "Unmatched ) or \\)",
            Self::UnmatchedBrace => "Unmatched \\{",
            Self::InvalidInterval => "Invalid content of \\{\\}",
            Self::InvalidRangeEnd => "Invalid range end",
            Self::InvalidClass => "Invalid character class name",
            Self::BareClass => "character class syntax is [[:space:]], not [:space:]",
            Self::InvalidCollation => "Invalid collation character",
            Self::InvalidBackReference => "Invalid back reference",
            Self::InvalidPreceding => "Invalid preceding regular expression",
            Self::TrailingBackslash => "Trailing backslash",
            Self::Invalid => "Invalid regular expression",
            Self::TooBig => "Regular expression too big",
            Self::Exhausted => "Memory exhausted",
            Self::Perl(sentence) => sentence,
        })
    }
}

impl std::error::Error for RegexError {}
