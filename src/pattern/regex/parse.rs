//! The syntax of POSIX basic and extended regular expressions, after `regcomp.c` of the GNU C library.
//!
//! What POSIX leaves undefined (`*` at the start, `a**`, `a{1`, `^*`) is decided by a few properties of a
//! [`Dialect`], which are the library's syntax bits: `grep` reads more leniently than `sed` and bash.

use super::bracket;
use super::tree::{Assertion, Set, SetItem, Tree};
use super::{RegexError, RegexOptions, Syntax};
use crate::pattern::unit::unit_at;
use crate::text::class::Class;

/// Groups nested deeper than this are refused.
const DEPTH_LIMIT: u32 = 200;

/// Intervals that repeat intervals, deeper than this, are refused.
const INTERVAL_DEPTH_LIMIT: u32 = 6;

/// `RE_DUP_MAX`
const REPEAT_LIMIT: u32 = 0x7fff;

/// How the undefined parts are read.
#[derive(Debug, Clone, Copy)]
struct Dialect {
    extended: bool,
    gnu: bool,
    ignore_case: bool,
    /// `a{x` is literal (`RE_INVALID_INTERVAL_ORD`).
    interval_literal: bool,
    /// A repetition of nothing is an error (`RE_CONTEXT_INVALID_OPS`).
    strict_operators: bool,
    /// A repetition of a repetition, or `\{` at the start, is an error (`RE_CONTEXT_INVALID_DUP`).
    strict_repeats: bool,
    /// `)` without `(` is an error.
    paired: bool,
    /// An interval of nothing is skipped whole.
    dfa: bool,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Token {
    Unit(u32),
    Any,
    Class(Class, bool),
    Bracket,
    Assert(Assertion),
    Open,
    Close,
    Alternate,
    Star,
    Plus,
    Question,
    OpenInterval,
    CloseInterval,
    BackReference(usize),
    TrailingBackslash,
    End,
}

/// A parsed expression.
pub struct Parsed {
    pub tree: Tree,
    /// How many there are.
    pub groups: usize,
    /// What `grep` warns of.
    pub warnings: Vec<&'static str>,
}

/// Parses `text`; its groups are numbered from `first_group + 1`.
pub fn parse(
    text: &[u8],
    syntax: Syntax,
    options: RegexOptions,
    first_group: usize,
) -> Result<Parsed, RegexError> {
    let _base = crate::stack::Base::here();
    let extended = syntax == Syntax::Extended;
    let dialect = Dialect {
        extended,
        gnu: options.gnu,
        ignore_case: options.ignore_case,
        interval_literal: options.lenient && extended,
        strict_operators: !options.lenient && extended,
        strict_repeats: !options.lenient && !extended,
        paired: options.paired || !extended,
        dfa: options.dfa,
    };
    let mut parser = Parser {
        text,
        at: 0,
        token: Token::End,
        token_start: 0,
        dialect,
        first_group,
        groups: 0,
        closed: Vec::new(),
        depth: 0,
        warnings: Vec::new(),
        bare_class: false,
    };
    parser.fetch(true);
    let tree = parser.alternation(0)?;
    if options.dfa && parser.bare_class {
        return Err(RegexError::BareClass);
    }
    Ok(Parsed {
        tree,
        groups: parser.groups,
        warnings: parser.warnings,
    })
}

struct Parser<'t> {
    text: &'t [u8],
    /// After the current token.
    at: usize,
    token: Token,
    token_start: usize,
    dialect: Dialect,
    first_group: usize,
    groups: usize,
    /// Groups that are complete, which `\1` may name.
    closed: Vec<usize>,
    depth: u32,
    warnings: Vec<&'static str>,
    /// `[:space:]` was seen, which some mind, and only when all else is well.
    bare_class: bool,
}

impl Parser<'_> {
    /// Reads the next token. `caret` says that a `^` here is an anchor, whatever stood before.
    fn fetch(&mut self, caret: bool) {
        self.token_start = self.at;
        let (token, length) = self.peek(self.at, caret);
        self.token = token;
        self.at += length;
    }

    fn peek(&self, at: usize, caret: bool) -> (Token, usize) {
        let Some((unit, length)) = unit_at(self.text, at) else {
            return (Token::End, 0);
        };
        let Some(&byte) = self.text.get(at) else {
            return (Token::End, 0);
        };
        let extended = self.dialect.extended;
        let token = match byte {
            b'\\' => {
                let Some((unit, length)) = unit_at(self.text, at + 1) else {
                    return (Token::TrailingBackslash, 1);
                };
                return (self.escaped(unit), 1 + length);
            }
            b'*' => Token::Star,
            b'.' => Token::Any,
            b'[' => Token::Bracket,
            b'^' if extended || caret || at == 0 => Token::Assert(Assertion::LineStart),
            b'$' if extended || self.dollar_is_anchor(at) => Token::Assert(Assertion::LineEnd),
            b'+' if extended => Token::Plus,
            b'?' if extended => Token::Question,
            b'|' if extended => Token::Alternate,
            b'(' if extended => Token::Open,
            b')' if extended => Token::Close,
            b'{' if extended => Token::OpenInterval,
            b'}' if extended => Token::CloseInterval,
            _ => Token::Unit(unit),
        };
        (token, length)
    }

    /// In a basic expression `$` anchors at the end, before `\)` and before `\|`.
    fn dollar_is_anchor(&self, at: usize) -> bool {
        match self.text.get(at + 1..) {
            None | Some([] | [b'\\', b')', ..]) => true,
            Some([b'\\', b'|', ..]) => self.dialect.gnu,
            _ => false,
        }
    }

    fn escaped(&self, unit: u32) -> Token {
        let Some(byte) = u8::try_from(unit).ok().filter(u8::is_ascii) else {
            return Token::Unit(unit);
        };
        let Dialect { extended, gnu, .. } = self.dialect;
        match byte {
            b'1'..=b'9' => Token::BackReference(usize::from(byte - b'0')),
            b'(' if !extended => Token::Open,
            b')' if !extended => Token::Close,
            b'{' if !extended => Token::OpenInterval,
            b'}' if !extended => Token::CloseInterval,
            b'|' if !extended && gnu => Token::Alternate,
            b'+' if !extended && gnu => Token::Plus,
            b'?' if !extended && gnu => Token::Question,
            b'w' if gnu => Token::Class(Class::Word, false),
            b'W' if gnu => Token::Class(Class::Word, true),
            b's' if gnu => Token::Class(Class::Space, false),
            b'S' if gnu => Token::Class(Class::Space, true),
            b'b' if gnu => Token::Assert(Assertion::WordBoundary),
            b'B' if gnu => Token::Assert(Assertion::NotWordBoundary),
            b'<' if gnu => Token::Assert(Assertion::WordStart),
            b'>' if gnu => Token::Assert(Assertion::WordEnd),
            b'`' if gnu => Token::Assert(Assertion::BufferStart),
            b'\'' if gnu => Token::Assert(Assertion::BufferEnd),
            _ => Token::Unit(unit),
        }
    }

    fn at_branch_end(&self, nest: u32) -> bool {
        matches!(self.token, Token::Alternate | Token::End) || (nest > 0 && self.token == Token::Close)
    }

    fn alternation(&mut self, nest: u32) -> Result<Tree, RegexError> {
        // A branch may name the groups before the alternation and its own, not those of the other branches.
        let before = self.closed.len();
        let mut others = Vec::new();
        let mut branches = vec![self.branch(nest)?];
        while self.token == Token::Alternate {
            self.fetch(true);
            others.extend(self.closed.drain(before..));
            branches.push(self.branch(nest)?);
        }
        self.closed.extend(others);
        Ok(match (branches.pop(), branches.is_empty()) {
            (Some(only), true) => only,
            (last, _) => {
                branches.extend(last);
                // The library tries nothing after something, where nothing comes first.
                if branches.first() == Some(&Tree::Empty) {
                    branches.swap(0, 1);
                }
                Tree::Alternate(branches)
            }
        })
    }

    fn branch(&mut self, nest: u32) -> Result<Tree, RegexError> {
        let mut parts = Vec::new();
        while !self.at_branch_end(nest) {
            match self.expression(nest)? {
                Tree::Empty => {}
                part => parts.push(part),
            }
        }
        Ok(match (parts.pop(), parts.is_empty()) {
            (None, _) => Tree::Empty,
            (Some(only), true) => only,
            (last, _) => {
                parts.extend(last);
                Tree::Concat(parts)
            }
        })
    }

    /// One element with the repetitions after it.
    fn expression(&mut self, nest: u32) -> Result<Tree, RegexError> {
        while self.skips_operator()? {
            self.fetch(false);
        }
        let tree = match self.token {
            Token::Unit(unit) => Tree::Unit(unit),
            Token::Any => Tree::Any,
            Token::Class(class, negated) => Tree::Set(Set::class(class, negated)),
            Token::Bracket => {
                let (set, end) = bracket::parse(self.text, self.at, self.dialect.ignore_case)?;
                self.bare_class |= bracket::is_bare_class(self.text.get(self.at..end), &set);
                self.at = end;
                single_unit(&set).map_or(Tree::Set(set), Tree::Unit)
            }
            Token::Open => self.group(nest)?,
            Token::BackReference(number) => {
                let group = self.first_group + number;
                if !self.closed.contains(&group) {
                    return Err(RegexError::InvalidBackReference);
                }
                Tree::BackReference(group)
            }
            Token::Assert(assertion) => {
                // Nothing repeats an anchor: after `^`, `*` is literal or an error.
                self.fetch(false);
                return Ok(Tree::Assert(assertion));
            }
            Token::Star => Tree::Unit(u32::from(b'*')),
            Token::Plus => Tree::Unit(u32::from(b'+')),
            Token::Question => Tree::Unit(u32::from(b'?')),
            Token::OpenInterval => Tree::Unit(u32::from(b'{')),
            Token::Close if self.dialect.paired => return Err(RegexError::UnmatchedCloseParenthesis),
            Token::Close => Tree::Unit(u32::from(b')')),
            Token::CloseInterval => Tree::Unit(u32::from(b'}')),
            Token::TrailingBackslash => return Err(RegexError::TrailingBackslash),
            Token::Alternate | Token::End => return Ok(Tree::Empty),
        };
        self.fetch(false);
        self.repeats(tree)
    }

    /// Whether the token is an operator that has nothing to repeat and is skipped for it. Else it is an error, or
    /// literal.
    fn skips_operator(&mut self) -> Result<bool, RegexError> {
        let warning = match self.token {
            Token::Star => "* at start of expression",
            Token::Plus => "+ at start of expression",
            Token::Question => "? at start of expression",
            Token::OpenInterval => "{...} at start of expression",
            _ => return Ok(false),
        };
        let is_interval = self.token == Token::OpenInterval;
        let dialect = self.dialect;
        if dialect.strict_operators || (is_interval && dialect.strict_repeats) {
            return Err(RegexError::InvalidPreceding);
        }
        if !dialect.extended || (is_interval && !self.interval_follows()) {
            return Ok(false);
        }
        self.warnings.push(warning);
        if is_interval && dialect.dfa {
            self.interval()?;
        }
        Ok(true)
    }

    /// Whether `n}`, `n,}`, `,m}` or `n,m}` comes next.
    fn interval_follows(&self) -> bool {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let Some(end) = memchr::memchr(b'}', rest) else {
            return false;
        };
        let inside = rest.get(..end).unwrap_or_default();
        let commas = memchr::memchr_iter(b',', inside).take(2).count();
        !inside.is_empty() && commas <= 1 && inside.iter().all(|byte| byte.is_ascii_digit() || *byte == b',')
    }

    fn group(&mut self, nest: u32) -> Result<Tree, RegexError> {
        self.depth += 1;
        if self.depth > DEPTH_LIMIT || crate::stack::is_low() {
            return Err(RegexError::TooBig);
        }
        self.groups += 1;
        let number = self.first_group + self.groups;
        self.fetch(true);
        let inner = if self.token == Token::Close {
            Tree::Empty
        } else {
            self.alternation(nest + 1)?
        };
        if self.token != Token::Close {
            return Err(RegexError::UnmatchedParenthesis);
        }
        self.depth -= 1;
        self.closed.push(number);
        Ok(Tree::Group(number, Box::new(inner)))
    }

    fn repeats(&mut self, mut tree: Tree) -> Result<Tree, RegexError> {
        let mut depth = 0;
        loop {
            let (least, most) = match self.token {
                Token::Star => (0, None),
                Token::Plus => (1, None),
                Token::Question => (0, Some(1)),
                Token::OpenInterval => match self.interval()? {
                    Some(interval) => interval,
                    // The brace is literal: it begins the next element.
                    None => return Ok(tree),
                },
                _ => return Ok(tree),
            };
            self.fetch(false);
            (tree, depth) = repeat(tree, least, most, depth);
            if depth > INTERVAL_DEPTH_LIMIT {
                return Err(RegexError::TooBig);
            }
            if self.dialect.strict_repeats && matches!(self.token, Token::Star | Token::OpenInterval) {
                return Err(RegexError::InvalidPreceding);
            }
        }
    }

    /// Reads `{n,m}` up to its closing brace, which becomes the token; `None` when it is literal text.
    fn interval(&mut self) -> Result<Option<(u32, Option<u32>)>, RegexError> {
        let (start, after) = (self.token_start, self.at);
        let comma = Token::Unit(u32::from(b','));
        let least = match self.number() {
            Number::Missing if self.token == comma => Number::Value(0),
            Number::Missing => return Err(RegexError::InvalidInterval),
            number => number,
        };
        let most = match least {
            Number::Invalid => Number::Invalid,
            _ if self.token == Token::CloseInterval => least,
            _ if self.token == comma => self.number(),
            _ => Number::Invalid,
        };
        let (Number::Value(least), Number::Value(_) | Number::Missing) = (least, most) else {
            if !self.dialect.interval_literal {
                let unclosed = self.token == Token::End;
                return Err(if unclosed {
                    RegexError::UnmatchedBrace
                } else {
                    RegexError::InvalidInterval
                });
            }
            (self.token_start, self.at, self.token) = (start, after, Token::Unit(u32::from(b'{')));
            return Ok(None);
        };
        let most = if let Number::Value(most) = most {
            Some(most)
        } else {
            None
        };
        if most.is_some_and(|most| least > most) || self.token != Token::CloseInterval {
            return Err(RegexError::InvalidInterval);
        }
        if most.unwrap_or(least) > REPEAT_LIMIT {
            return Err(RegexError::TooBig);
        }
        Ok(Some((least, most)))
    }

    /// The digits up to `,` or the closing brace.
    fn number(&mut self) -> Number {
        let mut number = Number::Missing;
        loop {
            self.fetch(false);
            let Token::Unit(unit) = self.token else {
                match self.token {
                    Token::End => return Number::Invalid,
                    Token::CloseInterval => return number,
                    _ => number = Number::Invalid,
                }
                continue;
            };
            if unit == u32::from(b',') {
                return number;
            }
            let digit = char::from_u32(unit).and_then(|c| c.to_digit(10));
            number = match (digit, number) {
                (None, _) | (_, Number::Invalid) => Number::Invalid,
                (Some(digit), Number::Missing) => Number::Value(digit),
                (Some(digit), Number::Value(value)) => {
                    Number::Value((value * 10 + digit).min(REPEAT_LIMIT + 1))
                }
            };
        }
    }
}

#[derive(Clone, Copy)]
enum Number {
    Missing,
    Invalid,
    Value(u32),
}

/// `[a]` is `a`.
fn single_unit(set: &Set) -> Option<u32> {
    match set.items.as_slice() {
        [SetItem::Range(first, last)] if first == last && !set.negated => Some(*first),
        _ => None,
    }
}

/// Repeats `tree`, and counts how deep repetitions stand in each other; `*`, `+` and `?` of each other become one.
fn repeat(tree: Tree, least: u32, most: Option<u32>, depth: u32) -> (Tree, u32) {
    match tree {
        _ if most == Some(0) => (Tree::Empty, depth),
        Tree::Empty => (Tree::Empty, depth),
        tree if least == 1 && most == Some(1) => (tree, depth),
        Tree::Repeat(inner, own_least @ 0..=1, own_most @ (None | Some(1)))
            if least <= 1 && matches!(most, None | Some(1)) =>
        {
            (Tree::Repeat(inner, own_least * least, own_most.and(most)), depth)
        }
        tree => (Tree::Repeat(Box::new(tree), least, most), depth + 1),
    }
}
