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
    /// What bash prints before all that, for an error it reports in several sentences: `(line, message)`.
    pub before: Vec<(u32, String)>,
    /// The input ended inside a construct: more input could complete it.
    pub incomplete: bool,
    /// An error in `[[ … ]]`: bash stops reading there as if the input had ended, and the status stays what it was
    /// (a script ends, with the status of its last command). `message` may be empty: then nothing is shown.
    pub ends_input: bool,
    /// With [`SyntaxError::ends_input`]: the input really had ended, and the status is 2.
    pub at_end: bool,
    /// An error between the parentheses of `name=( … )`: bash drops the rest of the line, sets the status to 1 and
    /// goes on with the next line, in scripts too.
    pub resumes: bool,
    /// A limit of the parser, not an error of the language.
    pub limit: Option<ParseLimit>,
    /// An error in `$( … )` or `<( … )`: the shell ends, whatever reads the text (`eval`, a sourced file).
    pub ends_shell: bool,
}

/// A limit of the parser.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParseLimit {
    /// Constructs nest too deep, or a stretch was read again too often.
    Depth,
    /// The tree of the command takes more than [`super::ParseEnv::max_bytes`].
    Memory,
}

impl SyntaxError {
    /// Every line that bash prints for it, in order: `(line, message)`, to be shown as `NAME: line N: MESSAGE`.
    pub fn lines(&self) -> impl Iterator<Item = (u32, &str)> {
        let before = self
            .before
            .iter()
            .map(|(line, message)| (*line, message.as_str()));
        let context = self.context.as_deref().map(|context| (self.line, context));
        let shown = before.chain([(self.line, self.message.as_str())]).chain(context);
        shown.filter(|(_, message)| !message.is_empty())
    }

    /// Adds a sentence that comes after what was said so far.
    pub(super) fn follow(&mut self, line: u32, message: &str) {
        let first = std::mem::replace(&mut self.message, message.to_string());
        self.before.push((std::mem::replace(&mut self.line, line), first));
    }
}

impl std::fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for SyntaxError {}
