//! Parsing of expressions: words and their arguments, with findutils' complaints. Operators are put together in `expression.rs`.

use super::exec::Exec;
use super::expression::{self, Token, TokenKind};
use super::names::{self, Word};
use super::output::Outputs;
use super::predicate::{Predicate, Sink, Step};
use super::regex::RegexType;
use super::{Options, printf};
use crate::args::quote;
use crate::fs::{Follow, Metadata};
use crate::kernel::{Proc, Stop};
use crate::program::message::message;
use crate::program::walk::Links;

/// Why an expression is not accepted.
pub enum Refusal {
    /// A complaint; the program ends.
    Fatal(Vec<u8>),
    /// The argument is wrong: named with the predicate.
    Argument(Vec<u8>),
    /// The argument is missing.
    Missing,
    /// The word itself is wrong.
    Word,
    /// Printed in answer to `--help` and `--version`.
    Answer(Vec<u8>),
    /// The run ends.
    Stop(Stop),
}

impl From<Stop> for Refusal {
    fn from(stop: Stop) -> Self {
        Refusal::Stop(stop)
    }
}

/// A parsed expression.
pub struct Expression {
    pub predicates: Vec<Predicate>,
    pub steps: Vec<Step>,
    pub outputs: Outputs,
}

/// Parsing at work.
pub struct Parser<'a> {
    pub proc: &'a mut Proc,
    pub options: &'a mut Options,
    pub words: &'a [Vec<u8>],
    pub next: usize,
    pub regex_type: RegexType,
    pub outputs: Outputs,
    tokens: Vec<Token>,
    predicates: Vec<Predicate>,
    /// The test that came first, for a warning.
    first_test: Option<Vec<u8>>,
    has_action: bool,
    /// `-delete` needs `-depth`, which makes `-prune` useless.
    deletes: bool,
    prunes: bool,
    explicit_depth: bool,
}

/// A word that starts the expression, or could: `leading` while start points are looked for.
pub fn looks_like_expression(word: &[u8], leading: bool) -> bool {
    match word {
        [b'-', _, ..] => true,
        [b'(' | b'!'] => true,
        [b')' | b','] => !leading,
        _ => false,
    }
}

impl<'a> Parser<'a> {
    /// Starts at the first word of the expression.
    pub fn new(proc: &'a mut Proc, options: &'a mut Options, words: &'a [Vec<u8>]) -> Parser<'a> {
        Parser {
            proc,
            options,
            words,
            next: 0,
            regex_type: RegexType::Emacs,
            outputs: Outputs::default(),
            tokens: Vec::new(),
            predicates: Vec::new(),
            first_test: None,
            has_action: false,
            deletes: false,
            prunes: false,
            explicit_depth: false,
        }
    }

    /// Parses everything.
    pub async fn parse(mut self) -> Result<Expression, Vec<Refusal>> {
        let mut previous: Option<&[u8]> = None;
        while let Some(name) = self.words.get(self.next) {
            let name = name.as_slice();
            if !looks_like_expression(name, false) {
                return Err(self.misplaced(name, previous));
            }
            previous = Some(name);
            let Some(word) = names::lookup(name) else {
                return Err(fatal(message!("unknown predicate `", name, "'")));
            };
            self.next += 1;
            self.check_position(word, name).await.map_err(stopped)?;
            if let Err(refusal) = self.word(word, name).await {
                return Err(vec![explain(refusal, name)]);
            }
            if self.deletes && self.prunes && !self.explicit_depth {
                return Err(fatal(DELETE_AND_PRUNE.into()));
            }
        }
        self.finish()
    }

    /// A word that is no predicate stands where one must.
    fn misplaced(&self, word: &[u8], previous: Option<&[u8]>) -> Vec<Refusal> {
        let first = message!("paths must precede expression: `", word, "'");
        let exists = self.proc.metadata(word, Follow::Yes).is_ok();
        match previous.filter(|_| exists) {
            None => fatal(first),
            Some(previous) => {
                let second = message!("possible unquoted pattern after predicate `", previous, "'?");
                vec![Refusal::Fatal(first), Refusal::Fatal(second)]
            }
        }
    }

    async fn check_position(&mut self, word: Word, name: &[u8]) -> Result<(), Stop> {
        if word.is_positional() && self.first_test.is_none() {
            self.first_test = Some(name.to_vec());
        }
        if let (true, Some(test)) = (word.is_global(), &self.first_test) {
            let line = message!(
                "warning: you have specified the global option ",
                name,
                " after the argument ",
                test,
                ", but global options are not positional, i.e., ",
                name,
                " affects tests specified before it as well as those specified after it.  Please specify global options before other arguments."
            );
            self.warn(line).await?;
        }
        Ok(())
    }

    /// Warns, if that is wanted.
    pub async fn warn(&mut self, line: Vec<u8>) -> Result<(), Stop> {
        if self.options.warns {
            self.proc.warn(line).await?;
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Expression, Vec<Refusal>> {
        let user = std::mem::take(&mut self.tokens);
        let print = Token {
            kind: TokenKind::Test(self.predicates.len()),
            name: b"-print".to_vec(),
            artificial: true,
        };
        if !self.has_action {
            self.predicates.push(Predicate::Print(Sink::Stdout, b'\n'));
        }
        let tokens = if user.is_empty() {
            vec![print]
        } else if self.has_action {
            user
        } else {
            let parenthesis = |kind, name: &[u8]| Token {
                kind,
                name: name.to_vec(),
                artificial: true,
            };
            let mut tokens = vec![parenthesis(TokenKind::Open, b"(")];
            tokens.extend(user);
            tokens.push(parenthesis(TokenKind::Close, b")"));
            expression::push(&mut tokens, print);
            tokens
        };
        let steps = expression::compile(&tokens).map_err(fatal)?;
        Ok(Expression {
            predicates: self.predicates,
            steps,
            outputs: self.outputs,
        })
    }

    /// The next word as an argument.
    pub fn argument(&mut self) -> Result<&'a [u8], Refusal> {
        let argument = self.words.get(self.next).ok_or(Refusal::Missing)?;
        self.next += 1;
        Ok(argument)
    }

    fn operator(&mut self, kind: TokenKind, name: &[u8]) {
        let name = name.to_vec();
        let artificial = false;
        expression::push(
            &mut self.tokens,
            Token {
                kind,
                name,
                artificial,
            },
        );
    }

    fn test(&mut self, predicate: Predicate, name: &[u8]) {
        let kind = TokenKind::Test(self.predicates.len());
        self.predicates.push(predicate);
        self.operator(kind, name);
    }

    async fn word(&mut self, word: Word, name: &[u8]) -> Result<(), Refusal> {
        self.has_action |= word.is_action();
        match word {
            Word::Not => self.operator(TokenKind::Not, name),
            Word::And => self.operator(TokenKind::And, name),
            Word::Or => self.operator(TokenKind::Or, name),
            Word::Comma => self.operator(TokenKind::Comma, name),
            Word::Open => self.operator(TokenKind::Open, name),
            Word::Close => self.operator(TokenKind::Close, name),
            Word::Help => return Err(Refusal::Answer(super::usage::HELP.into())),
            Word::Version => return Err(Refusal::Answer(super::usage::VERSION.into())),
            _ => {
                if let Some(predicate) = self.option(word).await? {
                    self.test(predicate, name);
                    return Ok(());
                }
                let predicate = match word {
                    Word::Exec | Word::ExecDirectory | Word::Ok | Word::OkDirectory => {
                        Predicate::Exec(self.command(word, name)?)
                    }
                    _ if word.is_action() || matches!(word, Word::Prune | Word::Quit) => {
                        self.action(word).await?
                    }
                    _ => self.plain_test(word, name).await?,
                };
                self.test(predicate, name);
            }
        }
        Ok(())
    }

    /// Options: they are always true.
    async fn option(&mut self, word: Word) -> Result<Option<Predicate>, Refusal> {
        match word {
            Word::Constant(value) => return Ok(Some(Predicate::Constant(value))),
            Word::Nothing => {}
            Word::DayStart => self.options.start_day(self.proc),
            Word::Warn(warns) => self.options.warns = warns,
            Word::Follow => self.options.links = Links::Always,
            Word::Depth => {
                self.options.contents_first = true;
                self.explicit_depth = true;
            }
            Word::OneFileSystem => self.options.one_file_system = true,
            Word::MaxDepth => self.options.max_depth = self.level("-maxdepth")?,
            Word::MinDepth => self.options.min_depth = self.level("-mindepth")?,
            Word::StartPoints => self.options.start_points = Some(self.argument()?.to_vec()),
            Word::RegexType => {
                let name = self.argument()?;
                self.regex_type = super::regex::type_named(name).ok_or_else(|| unknown_regex_type(name))?;
            }
            _ => return Ok(None),
        }
        Ok(Some(Predicate::Constant(true)))
    }

    fn level(&mut self, name: &str) -> Result<usize, Refusal> {
        let text = self.argument()?;
        let number = super::time::whole_number(text).filter(|_| text.iter().all(u8::is_ascii_digit));
        match number.and_then(|number| i32::try_from(number).ok()) {
            Some(level) => Ok(level as usize),
            None => Err(Refusal::Fatal(message!(
                "Expected a positive decimal integer argument to ",
                name,
                ", but got ",
                quote(text)
            ))),
        }
    }

    /// What `stat` says of a file named in the expression.
    pub fn file(&self, path: &[u8]) -> Result<Metadata, Refusal> {
        let follow = match self.options.links {
            Links::Never => Follow::No,
            _ => Follow::Yes,
        };
        let found = self.proc.metadata(path, follow);
        let found = match found {
            Err(crate::fs::Errno::ENOENT) if follow == Follow::Yes => self.proc.metadata(path, Follow::No),
            found => found,
        };
        found.map_err(|errno| Refusal::Fatal(message!(quote(path), ": ", errno.message())))
    }

    async fn action(&mut self, word: Word) -> Result<Predicate, Refusal> {
        Ok(match word {
            Word::Prune => {
                self.prunes = true;
                Predicate::Prune
            }
            Word::Quit => Predicate::Quit,
            Word::Delete => {
                self.deletes = true;
                self.options.contents_first = true;
                Predicate::Delete
            }
            Word::Print(end) => Predicate::Print(Sink::Stdout, end),
            Word::PrintTo(end) => Predicate::Print(self.sink().await?, end),
            Word::List => Predicate::List(Sink::Stdout),
            Word::ListTo => Predicate::List(self.sink().await?),
            Word::Printf => {
                let format = self.argument()?;
                Predicate::Printf(Sink::Stdout, self.format(format).await?)
            }
            Word::PrintfTo => {
                let Some([path, format]) = self.words.get(self.next..self.next + 2) else {
                    return Err(match self.words.get(self.next) {
                        Some(only) => Refusal::Argument(only.clone()),
                        None => Refusal::Missing,
                    });
                };
                let sink = self.open(path).await?;
                self.next += 2;
                Predicate::Printf(sink, self.format(format).await?)
            }
            _ => return Err(Refusal::Word),
        })
    }

    async fn sink(&mut self) -> Result<Sink, Refusal> {
        let path = self.argument()?;
        self.open(path).await
    }

    async fn open(&mut self, path: &[u8]) -> Result<Sink, Refusal> {
        let opened = self.outputs.open(self.proc, path).await;
        opened.map_err(|errno| Refusal::Fatal(message!(quote(path), ": ", errno.message())))
    }

    async fn format(&mut self, text: &[u8]) -> Result<printf::Format, Refusal> {
        let (format, warnings) = printf::parse(text).map_err(Refusal::Fatal)?;
        for warning in warnings {
            self.proc.warn(warning).await?;
        }
        Ok(format)
    }

    /// The words of a command up to `;`, or to `+` behind a `{}`.
    fn command(&mut self, word: Word, name: &[u8]) -> Result<Exec, Refusal> {
        let in_directory = matches!(word, Word::ExecDirectory | Word::OkDirectory);
        let asks = matches!(word, Word::Ok | Word::OkDirectory);
        if in_directory {
            self.check_path(name)?;
        }
        if asks {
            self.options.asks = true;
        }
        let rest = self.words.get(self.next..).unwrap_or_default();
        let has_braces = |word: &[u8]| memchr::memmem::find(word, b"{}").is_some();
        let mut after_braces = false;
        let end = rest.iter().position(|word| {
            let ends = word == b";" || (!asks && after_braces && word == b"+");
            after_braces = has_braces(word);
            ends
        });
        let Some(end) = end else {
            self.next = self.words.len();
            return Err(Refusal::Missing);
        };
        let words = rest.get(..end).unwrap_or_default();
        if words.is_empty() {
            return Err(Refusal::Argument(rest.first().cloned().unwrap_or_default()));
        }
        let gathers = rest.get(end).is_some_and(|last| last == b"+");
        self.next += end + 1;
        let mut words = words.to_vec();
        if gathers {
            check_gathering(&words, in_directory)?;
            words.pop();
        }
        Ok(Exec {
            words,
            in_directory,
            asks,
            gathers,
            ..Exec::default()
        })
    }

    /// `-execdir` refuses a `PATH` that depends on the directory.
    fn check_path(&self, name: &[u8]) -> Result<(), Refusal> {
        let path = self.proc.variable(b"PATH").unwrap_or_default();
        for directory in path.split(|byte| *byte == b':') {
            if matches!(directory, b"" | b".") {
                return Err(Refusal::Fatal(message!(
                    "The current directory is included in the PATH environment variable, which is insecure in combination with the ",
                    name,
                    " action of find.  Please remove the current directory from your $PATH (that is, remove \".\", doubled colons, or leading or trailing colons)"
                )));
            }
            if !directory.starts_with(b"/") {
                return Err(Refusal::Fatal(message!(
                    "The relative path ",
                    quote(directory),
                    " is included in the PATH environment variable, which is insecure in combination with the ",
                    name,
                    " action of find.  Please remove that entry from $PATH"
                )));
            }
        }
        Ok(())
    }
}

const DELETE_AND_PRUNE: &[u8] = b"The -delete action automatically turns on -depth, but -prune does nothing when -depth is in effect.  If you want to carry on anyway, just explicitly use the -depth option.";

/// `+` takes one `{}`, alone, at the end.
fn check_gathering(words: &[Vec<u8>], in_directory: bool) -> Result<(), Refusal> {
    let suffix = if in_directory { "dir" } else { "" };
    let mut braces = words
        .iter()
        .filter(|word| memchr::memmem::find(word, b"{}").is_some());
    let last = braces.next_back().cloned().unwrap_or_default();
    if braces.next().is_some() {
        let line = message!(
            "Only one instance of {} is supported with -exec",
            suffix,
            " ... +"
        );
        return Err(Refusal::Fatal(line));
    }
    if last != b"{}" {
        let form = message!("-exec", suffix, " ... {} +");
        return Err(Refusal::Fatal(message!(
            "In ",
            quote(&form),
            " the ",
            quote(b"{}"),
            " must appear by itself, but you specified ",
            quote(&last)
        )));
    }
    Ok(())
}

fn unknown_regex_type(name: &[u8]) -> Refusal {
    let types: Vec<String> = super::regex::TYPES
        .iter()
        .map(|(name, _)| format!("‘{name}’"))
        .collect();
    let types = types.join(", ");
    Refusal::Fatal(message!(
        "Unknown regular expression type ",
        quote(name),
        "; valid types are ",
        types,
        "."
    ))
}

fn fatal(line: Vec<u8>) -> Vec<Refusal> {
    vec![Refusal::Fatal(line)]
}

fn stopped(stop: Stop) -> Vec<Refusal> {
    vec![Refusal::Stop(stop)]
}

/// The sentence about a word.
fn explain(refusal: Refusal, name: &[u8]) -> Refusal {
    match refusal {
        Refusal::Missing => Refusal::Fatal(message!("missing argument to `", name, "'")),
        Refusal::Argument(argument) => {
            Refusal::Fatal(message!("invalid argument `", argument, "' to `", name, "'"))
        }
        Refusal::Word => Refusal::Fatal(message!("invalid predicate `", name, "'")),
        other => other,
    }
}
