//! Syntax errors, in bash's words.

/// Why a script cannot be read. Nothing of the complete command it stands in has run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyntaxError {
    /// What bash prints after `line N: `, for example ``syntax error near unexpected token `fi'``.
    pub message: String,
    /// The line bash names, 1 based.
    pub line: u32,
    /// A second line that bash prints, with its own `line N: ` in front: the source line in quotes.
    pub context: Option<String>,
    /// The input ended inside a construct: more input could complete it.
    pub incomplete: bool,
    /// A nesting or size limit of the parser, not an error of the language.
    pub limit: bool,
}

impl std::fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for SyntaxError {}
