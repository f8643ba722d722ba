//! The parser's face and its inner reader.
//!
//! [`Parser`] owns a source and gives one complete command at a time, as bash reads: what a line defines
//! (aliases, options) acts on the next one. The work is done by [`Reader`], which lives for one such command and carries
//! what only that command needs: here-documents that wait for the end of the line, the depth of nesting, and
//! the budget for reading a stretch twice.
//!
//! The productions are methods of `Reader`, one file a family. Every one that can nest goes through
//! [`Reader::deeper`], so that no input can overflow the stack, neither here nor where the tree is dropped. Productions that nest keep
//! their frames small: what only some inputs need is read in a function of its own.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::ast::{AssignValue, Command, List, Word};
use super::cursor::Cursor;
use super::error::{ParseLimit, SyntaxError};
use super::heredoc::{Body, Pending};

/// What the parser asks of the shell it reads for.
pub trait ParseEnv {
    /// The text of an alias, when aliases are expanded and there is one of this name.
    fn alias(&self, name: &[u8]) -> Option<&[u8]> {
        let _ = name;
        None
    }
    /// Whether [`ParseEnv::alias`] can answer at all: a fast way out.
    fn has_aliases(&self) -> bool {
        true
    }
    /// `shopt extglob`
    fn extglob(&self) -> bool {
        false
    }
    /// `set -o posix`
    fn posix(&self) -> bool {
        false
    }
    /// An earlier `[[` had an error; see `cond`.
    fn cond_open(&self) -> bool {
        false
    }
    /// How many bytes the tree of one complete command may take, about.
    fn max_bytes(&self) -> usize {
        usize::MAX
    }
    /// How deep constructs may nest before the parser gives up.
    fn max_depth(&self) -> usize {
        MAX_DEPTH
    }
}

/// How deep constructs may nest where the parser's frames are small enough: see [`crate::stack`].
pub const MAX_DEPTH: usize = 200;

/// No aliases, default options.
impl ParseEnv for () {
    fn has_aliases(&self) -> bool {
        false
    }
}

/// Reads a source, a complete command at a time.
#[derive(Debug, Clone)]
pub struct Parser {
    /// The source had no newline at its end.
    unterminated: bool,
    cursor: Cursor,
    warnings: Vec<(u32, String)>,
    weight: usize,
}

impl Parser {
    /// A parser at the start of `source`, whose first line has this number. NUL bytes are dropped, as bash does.
    pub fn new(source: Arc<[u8]>, first_line: u32) -> Self {
        let unterminated = !matches!(source.last(), None | Some(b'\n'));
        let source = whole_lines(source);
        Self {
            unterminated,
            cursor: Cursor::new(source, first_line),
            warnings: Vec::new(),
            weight: 0,
        }
    }

    /// The next complete command; `None` at the end of the source. After an error, reading goes on behind the
    /// line where it stood (bash does so when interactive, and stops otherwise).
    pub fn next(&mut self, env: &dyn ParseEnv) -> Result<Option<Arc<List>>, SyntaxError> {
        let _base = crate::stack::Base::here();
        let mut cursor = std::mem::take(&mut self.cursor);
        cursor.ran_out = false;
        let mut reader = Reader::new(cursor, env);
        let mut result = reader.input_unit();
        if let Ok(Some(list)) = &mut result {
            reader.attach_documents(list);
        }
        if let Err(error) = &mut result
            && error.ends_input
        {
            let rest = reader.cursor.rest();
            error.at_end = rest.is_empty() || (rest == b"\n" && self.unterminated);
        }
        if result.is_err() && !reader.line_skipped {
            reader.skip_line();
        }
        self.warnings.append(&mut reader.warnings);
        self.weight = reader.weight;
        self.cursor = reader.cursor;
        result.map(|list| list.map(Arc::new)).map_err(|error| *error)
    }

    /// The input ended on a continued line or in a here-document of the command read last: more input would belong to it.
    pub fn ran_out(&self) -> bool {
        self.cursor.ran_out
    }

    /// Bytes that the tree of the command read last takes, about.
    pub fn weight(&self) -> usize {
        self.weight
    }

    /// The line that will be read next, 1 based.
    pub fn line(&self) -> u32 {
        self.cursor.line
    }

    /// The offset that will be read next (NUL bytes not counted).
    pub fn position(&self) -> usize {
        self.cursor.offset()
    }

    /// What bash prints on standard error while it reads: `(line, message)`, the message without `line N: `.
    pub fn take_warnings(&mut self) -> Vec<(u32, String)> {
        std::mem::take(&mut self.warnings)
    }
}

/// The source as bash reads it: without NUL bytes, and with a newline at the end (a backslash there escapes itself).
pub(super) fn whole_lines(source: Arc<[u8]>) -> Arc<[u8]> {
    if matches!(source.last(), None | Some(b'\n')) && memchr::memchr(0, &source).is_none() {
        return source;
    }
    let mut text: Vec<u8> = source.iter().copied().filter(|byte| *byte != 0).collect();
    match text.last() {
        None | Some(b'\n') => {}
        Some(b'\\') => text.extend_from_slice(b"\\\n"),
        Some(_) => text.push(b'\n'),
    }
    text.into()
}

/// Reads a whole source at once, stopping at the first error.
pub fn parse_all(source: &[u8], env: &dyn ParseEnv) -> Result<Vec<Arc<List>>, SyntaxError> {
    let mut parser = Parser::new(source.into(), 1);
    let mut lists = Vec::new();
    while let Some(list) = parser.next(env)? {
        lists.push(list);
    }
    Ok(lists)
}

/// What pieces of the tree take on the heap, about: with what they point at, and with lists that are half full.
pub(super) mod weight {
    use super::super::ast::{Item, Part, Redirect, Word};

    /// A pipeline in its list, with a command.
    pub const PIPELINE: usize = size_of::<Item>() + 192;
    /// A word of one part.
    pub const WORD: usize = size_of::<Word>() * 3 / 2 + size_of::<Part>() + 32;
    /// A part behind `$` or in quotes.
    pub const PART: usize = size_of::<Part>() * 2 + 128;
    /// A redirection.
    pub const REDIRECT: usize = size_of::<Redirect>() * 3 / 2;
    /// Anything that nests.
    pub const CONSTRUCT: usize = 192;
    /// A byte of arithmetic, which is compiled too.
    pub const ARITHMETIC: usize = 48;
}

/// The result of a production.
pub(super) type Parsed<T> = Result<T, Box<SyntaxError>>;

/// Reads one complete command.
pub(super) struct Reader<'e> {
    pub(super) cursor: Cursor,
    pub(super) env: &'e dyn ParseEnv,
    /// Extended patterns are recognised here.
    pub(super) extglob: bool,
    pub(super) aliases: bool,
    /// A tilde after the `=` of an argument counts: not in posix mode, but for declaration builtins.
    pub(super) tildes_in_arguments: bool,
    /// The right side of an assignment is being read.
    pub(super) in_assignment: bool,
    pub(super) depth: usize,
    max_depth: usize,
    /// Here-documents whose bodies start after the next newline.
    pub(super) pending: Vec<Pending>,
    /// Bodies read so far, by number; see `heredoc`.
    pub(super) bodies: Vec<Body>,
    pub(super) warnings: Vec<(u32, String)>,
    /// Where `((` or `$((` turned out not to open arithmetic.
    pub(super) not_arith: FxHashSet<(usize, usize)>,
    /// Bytes that may still be read twice, or come from aliases.
    budget: usize,
    /// Bytes that the tree takes so far, and may take.
    pub(super) weight: usize,
    max_weight: usize,
    /// What closes the substitution being read; 0 at top level.
    pub(super) closer: u8,
    /// The line of an error was left already, to read its here-documents.
    pub(super) line_skipped: bool,
    /// An error now comes behind the here-documents of its line: a complete list stands before it.
    pub(super) documents_first: bool,
}

impl<'e> Reader<'e> {
    pub(super) fn new(cursor: Cursor, env: &'e dyn ParseEnv) -> Self {
        let budget = (cursor.rest().len() * 4).max(1 << 20);
        Self {
            cursor,
            env,
            extglob: env.extglob(),
            aliases: env.has_aliases(),
            tildes_in_arguments: !env.posix(),
            in_assignment: false,
            depth: 0,
            max_depth: env.max_depth(),
            pending: Vec::new(),
            bodies: Vec::new(),
            warnings: Vec::new(),
            not_arith: FxHashSet::default(),
            budget,
            weight: 0,
            max_weight: env.max_bytes(),
            closer: 0,
            line_skipped: false,
            documents_first: false,
        }
    }

    /// A reader of a text inside what this one reads: it nests as deep and pays from the same budget.
    pub(super) fn inside(&mut self, text: Arc<[u8]>, line: u32) -> Parsed<Reader<'e>> {
        self.charge(text.len())?;
        let mut reader = Reader::new(Cursor::new(text, line), self.env);
        reader.depth = self.depth;
        reader.budget = self.budget;
        reader.weight = self.weight;
        Ok(reader)
    }

    /// Takes back what such a reader has left.
    pub(super) fn finish(&mut self, mut inner: Reader<'e>) {
        self.budget = inner.budget;
        self.weight = inner.weight;
        self.warnings.append(&mut inner.warnings);
    }

    /// Runs a production one level deeper.
    pub(super) fn deeper<T>(&mut self, production: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= self.max_depth || crate::stack::is_low() {
            return Err(self.too_large("commands nested too deeply", ParseLimit::Depth));
        }
        self.weigh(weight::CONSTRUCT)?;
        self.depth += 1;
        let result = production(self);
        self.depth -= 1;
        result
    }

    /// Counts bytes of the tree: see [`weight`].
    #[inline]
    pub(super) fn weigh(&mut self, bytes: usize) -> Parsed<()> {
        self.weight += bytes;
        if self.weight > self.max_weight {
            return Err(self.too_large("memory exhausted", ParseLimit::Memory));
        }
        Ok(())
    }

    /// Pays for `bytes` that are read again.
    pub(super) fn charge(&mut self, bytes: usize) -> Parsed<()> {
        match self.budget.checked_sub(bytes + 1) {
            Some(left) => self.budget = left,
            None => return Err(self.too_large("command too complex", ParseLimit::Depth)),
        }
        Ok(())
    }

    pub(super) fn too_large(&self, what: &str, limit: ParseLimit) -> Box<SyntaxError> {
        Box::new(SyntaxError {
            message: format!("syntax error: {what}"),
            line: self.cursor.line,
            context: None,
            before: Vec::new(),
            incomplete: false,
            ends_input: false,
            at_end: false,
            resumes: false,
            limit: Some(limit),
            ends_shell: false,
        })
    }
}

/// Reads a text as the inside of double quotes, where `"` is ordinary: prompt strings.
pub fn parse_double_quoted(text: &[u8]) -> Result<Word, SyntaxError> {
    let mut source = b"x=\"".to_vec();
    for byte in text {
        if *byte == b'"' {
            source.push(b'\\');
        }
        source.push(*byte);
    }
    source.push(b'"');
    let lists = parse_all(&source, &())?;
    let command = lists
        .first()
        .and_then(|list| list.items.first())
        .and_then(|item| item.and_or.first.commands.first());
    match command {
        Some(Command::Simple(simple)) => match simple.assigns.first().map(|assign| &assign.value) {
            Some(AssignValue::Scalar(word)) => Ok(word.clone()),
            _ => Ok(Word::default()),
        },
        _ => Ok(Word::default()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::print::print_list;
    use super::{MAX_DEPTH, ParseEnv, Parser, parse_all};

    /// One alias, and a choice of options.
    struct Env;

    impl ParseEnv for Env {
        fn alias(&self, name: &[u8]) -> Option<&[u8]> {
            match name {
                b"ll" => Some(b"ls -l "),
                b"x" => Some(b"y"),
                b"y" => Some(b"x"),
                b"begin" => Some(b"if true; then"),
                _ => None,
            }
        }
        fn extglob(&self) -> bool {
            true
        }
    }

    fn printed(source: &str, env: &dyn ParseEnv) -> Vec<String> {
        let lists = parse_all(source.as_bytes(), env).unwrap();
        lists
            .iter()
            .map(|list| String::from_utf8(print_list(list)).unwrap())
            .collect()
    }

    #[test]
    fn one_complete_command_at_a_time() {
        let mut parser = Parser::new(b"a; b\n\n# c\nif d; then\ne; fi; f\n)"[..].into(), 1);
        assert_eq!(parser.next(&()).unwrap().unwrap().items.len(), 2);
        assert_eq!((parser.line(), parser.position()), (2, 5));
        assert_eq!(parser.next(&()).unwrap().unwrap().items.len(), 2);
        let error = parser.next(&()).unwrap_err();
        assert_eq!(
            (error.line, error.message.as_str()),
            (6, "syntax error near unexpected token `)'")
        );
        assert_eq!(error.context.as_deref(), Some("`)'"));
    }

    #[test]
    fn aliases_are_text() {
        assert_eq!(
            printed("ll x; A=1 ll; echo ll; \\ll", &Env),
            ["ls -l x; A=1 ls -l; echo ll; \\ll"]
        );
        assert_eq!(printed("begin a; fi", &Env), ["if true; then\n    a;\nfi"]);
        assert_eq!(printed("x", &Env), ["x"]);
    }

    #[test]
    fn options_matter() {
        assert_eq!(printed("echo @(a b|c)", &Env), ["echo @(a b|c)"]);
        assert!(parse_all(b"echo @(a b|c)", &()).is_err());
        assert!(parse_all(b"[[ a == @(a b|c) ]]", &()).is_ok());
    }

    #[test]
    fn no_nesting_overflows_a_small_stack() {
        let cases = [
            ("", "("),
            ("", "( "),
            ("", "$("),
            ("", "echo $("),
            ("", "${x:-"),
            ("", "$(("),
            ("[[ ", "("),
            ("[[ ", "! "),
            ("[[ ", "x && "),
            ("", "{ "),
            ("", "if "),
            ("", "while "),
            ("", "for x in a; do "),
            ("", "case x in a) "),
            ("", "f() { "),
            ("", "\"${x:-"),
            ("", "\"$("),
            ("", "<("),
            ("", "a[$"),
            ("", "$["),
            ("", "x=( $("),
            ("", "cat <<E\n$("),
            ("", "coproc { "),
            ("(( ", "- "),
        ];
        let work = move || {
            for (prefix, case) in cases {
                let source = format!("{prefix}{}", case.repeat(100_000));
                let error = parse_all(source.as_bytes(), &()).map(|_| ()).unwrap_err();
                assert!(error.limit.is_some() || error.incomplete, "{case}: {error}");
            }
            let nested = format!("{}:{}", "{ ".repeat(MAX_DEPTH - 1), "; }".repeat(MAX_DEPTH - 1));
            let lists = parse_all(nested.as_bytes(), &()).unwrap();
            let copy: Vec<_> = lists.iter().map(|list| (**list).clone()).collect();
            assert_eq!(
                copy.iter().map(|list| print_list(list).len()).sum::<usize>(),
                1 + 5 * (MAX_DEPTH - 1)
            );
        };
        std::thread::Builder::new()
            .stack_size(1 << 20)
            .spawn(work)
            .unwrap()
            .join()
            .unwrap();
    }
}
