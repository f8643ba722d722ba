//! The functions: `$(name arguments)`.
//!
//! A row of [`FUNCTIONS`] says how many arguments a function needs and takes, and whether they are expanded before it runs. Those that only
//! work on texts are in [`text_function`]; the others are methods here and in [`super::outside`].

use super::Make;
use super::names::{self, Pattern, words};
use super::variables::{Flavor, Origin, Variable};
use crate::kernel::{BoxFuture, Stop, cost};
use crate::program::message::message;

/// A function.
#[derive(Debug)]
pub struct Function {
    pub name: &'static str,
    least: usize,
    /// 0 for any number.
    most: usize,
    /// Arguments are expanded before.
    expands: bool,
}

const fn row(name: &'static str, least: usize, most: usize) -> Function {
    Function {
        name,
        least,
        most,
        expands: true,
    }
}

const fn lazy(name: &'static str, least: usize, most: usize) -> Function {
    Function {
        name,
        least,
        most,
        expands: false,
    }
}

static FUNCTIONS: &[Function] = &[
    row("abspath", 0, 1),
    row("addprefix", 2, 2),
    row("addsuffix", 2, 2),
    lazy("and", 1, 0),
    row("basename", 0, 1),
    row("call", 1, 0),
    row("dir", 0, 1),
    row("error", 0, 1),
    row("eval", 0, 1),
    row("file", 1, 2),
    row("filter", 2, 2),
    row("filter-out", 2, 2),
    row("findstring", 2, 2),
    row("firstword", 0, 1),
    row("flavor", 0, 1),
    lazy("foreach", 3, 3),
    lazy("if", 2, 3),
    row("info", 0, 1),
    row("join", 2, 2),
    row("lastword", 0, 1),
    row("notdir", 0, 1),
    lazy("or", 1, 0),
    row("origin", 0, 1),
    row("patsubst", 3, 3),
    row("realpath", 0, 1),
    row("shell", 0, 1),
    row("sort", 0, 1),
    row("strip", 0, 1),
    row("subst", 3, 3),
    row("suffix", 0, 1),
    row("value", 0, 1),
    row("warning", 0, 1),
    row("wildcard", 0, 1),
    row("word", 2, 2),
    row("wordlist", 3, 3),
    row("words", 0, 1),
];

/// The function that a reference begins with, and where its arguments begin.
pub fn find(text: &[u8]) -> Option<(&'static Function, usize)> {
    let length = text
        .iter()
        .take_while(|byte| byte.is_ascii_lowercase() || **byte == b'-')
        .count();
    let name = text.get(..length)?;
    let blanks = text
        .get(length..)?
        .iter()
        .take_while(|byte| names::is_space(**byte))
        .count();
    if blanks == 0 {
        return None;
    }
    Some((named(name)?, length + blanks))
}

fn named(name: &[u8]) -> Option<&'static Function> {
    FUNCTIONS.iter().find(|function| function.name.as_bytes() == name)
}

/// The arguments: texts between commas that stand in no brackets; the last one has all the rest.
fn split(body: &[u8], most: usize, (open, close): (u8, u8)) -> Vec<&[u8]> {
    let mut parts = Vec::new();
    let (mut start, mut depth) = (0, 0_usize);
    for (at, byte) in body.iter().enumerate() {
        if *byte == open {
            depth += 1;
        } else if *byte == close {
            depth = depth.saturating_sub(1);
        } else if *byte == b',' && depth == 0 && (most == 0 || parts.len() + 1 < most) {
            parts.push(body.get(start..at).unwrap_or_default());
            start = at + 1;
        }
    }
    parts.push(body.get(start..).unwrap_or_default());
    parts
}

/// The text with all of `from` replaced; an empty one stands at its end.
pub fn replaced(text: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    if from.is_empty() {
        return [text, to].concat();
    }
    let mut out = Vec::new();
    let mut rest = text;
    while let Some(at) = memchr::memmem::find(rest, from) {
        out.extend_from_slice(rest.get(..at).unwrap_or_default());
        out.extend_from_slice(to);
        rest = rest.get(at + from.len()..).unwrap_or_default();
    }
    out.extend_from_slice(rest);
    out
}

fn filtered(patterns: &[u8], text: &[u8], keep: bool) -> Vec<u8> {
    let patterns: Vec<Pattern> = words(patterns).map(Pattern::parse).collect();
    let matches = |word: &&[u8]| patterns.iter().any(|pattern| pattern.stem(word).is_some());
    names::join(words(text).filter(|word| matches(word) == keep))
}

fn joined(first: &[u8], second: &[u8]) -> Vec<u8> {
    let (mut first, mut second) = (words(first), words(second));
    names::join(std::iter::from_fn(move || {
        let pair = (first.next(), second.next());
        match pair {
            (None, None) => None,
            (first, second) => Some([first.unwrap_or_default(), second.unwrap_or_default()].concat()),
        }
    }))
}

/// The text from one word to another, with the blanks between.
fn word_range(text: &[u8], first: u64, last: u64) -> &[u8] {
    let (mut start, mut number, mut in_word) = (None, 0, false);
    let mut end = 0;
    for (at, byte) in text.iter().enumerate() {
        let is_word = !names::is_space(*byte);
        if is_word && !in_word {
            number += 1;
            if number == first && first <= last {
                start = Some(at);
            }
        }
        if is_word && number <= last {
            end = at + 1;
        }
        in_word = is_word;
    }
    start.and_then(|start| text.get(start..end)).unwrap_or_default()
}

fn each(text: &[u8], change: impl Fn(&[u8]) -> Vec<u8>) -> Vec<u8> {
    names::join(words(text).map(change))
}

fn suffixes(text: &[u8]) -> Vec<u8> {
    let suffix = |name| names::split_suffix(name).1;
    names::join(words(text).map(suffix).filter(|suffix| !suffix.is_empty()))
}

fn sorted(text: &[u8]) -> Vec<u8> {
    let mut all: Vec<&[u8]> = words(text).collect();
    all.sort_unstable();
    all.dedup();
    names::join(all.into_iter())
}

/// A function that looks at nothing but its arguments.
fn text_function(name: &str, arguments: &[Vec<u8>]) -> Option<Vec<u8>> {
    let argument = |index: usize| arguments.get(index).map_or(b"".as_slice(), Vec::as_slice);
    let first = argument(0);
    Some(match name {
        "addprefix" => each(argument(1), |word| [first, word].concat()),
        "addsuffix" => each(argument(1), |word| [word, first].concat()),
        "basename" => each(first, |word| names::split_suffix(word).0.to_vec()),
        "dir" => each(first, |word| names::directory(word).to_vec()),
        "filter" => filtered(first, argument(1), true),
        "filter-out" => filtered(first, argument(1), false),
        "findstring" => {
            let found = first.is_empty() || memchr::memmem::find(argument(1), first).is_some();
            if found { first.to_vec() } else { Vec::new() }
        }
        "firstword" => words(first).next().unwrap_or_default().to_vec(),
        "join" => joined(first, argument(1)),
        "lastword" => words(first).last().unwrap_or_default().to_vec(),
        "notdir" => each(first, |word| names::base(word).to_vec()),
        "patsubst" => names::substitute(argument(2), first, argument(1)),
        "sort" => sorted(first),
        "strip" => names::join(words(first)),
        "subst" => replaced(argument(2), first, argument(1)),
        "suffix" => suffixes(first),
        "words" => words(first).count().to_string().into_bytes(),
        _ => return None,
    })
}

impl Make<'_> {
    /// Calls a function; `body` is its arguments as they are written.
    pub fn call_function<'b>(
        &'b mut self,
        function: &'static Function,
        body: &'b [u8],
        brackets: (u8, u8),
    ) -> BoxFuture<'b, Result<Vec<u8>, Stop>> {
        Box::pin(async move {
            self.proc.charge(cost::TURN + body.len() as u64 / 16)?;
            let parts = split(body, function.most, brackets);
            if parts.len() < function.least {
                return Err(self.too_few(function, parts.len()).await);
            }
            if !function.expands {
                return self.lazy_function(function.name, &parts).await;
            }
            let mut arguments = Vec::with_capacity(parts.len());
            let mut lease = self.proc.kernel.lease();
            for part in parts {
                let argument = self.expand(part).await?;
                lease.grow(argument.len())?;
                arguments.push(argument);
            }
            self.apply(function, arguments).await
        })
    }

    async fn too_few(&mut self, function: &Function, count: usize) -> Stop {
        let count = count.to_string();
        let sentence = message!(
            "insufficient number of arguments (",
            count,
            ") to function '",
            function.name,
            "'"
        );
        self.fatal_in_value(sentence).await
    }

    /// Runs a function with arguments that are expanded.
    fn apply<'b>(
        &'b mut self,
        function: &'static Function,
        arguments: Vec<Vec<u8>>,
    ) -> BoxFuture<'b, Result<Vec<u8>, Stop>> {
        Box::pin(async move {
            let bytes: usize = arguments.iter().map(Vec::len).sum();
            self.proc.charge(bytes as u64 / 4)?;
            if let Some(value) = text_function(function.name, &arguments) {
                return Ok(value);
            }
            let empty = Vec::new();
            let first = arguments.first().unwrap_or(&empty);
            match function.name {
                "call" => self.call(&arguments).await,
                "word" | "wordlist" => self.chosen_words(function.name, &arguments).await,
                "origin" => Ok(self.origin_of(first)),
                "flavor" => Ok(self.flavor_of(first)),
                "value" => Ok(self
                    .lookup(first)
                    .map_or_else(Vec::new, |found| found.variable.value.to_vec())),
                "info" => {
                    self.proc.write(&message!(first, "\n")).await?;
                    self.proc.flush().await?;
                    Ok(Vec::new())
                }
                "warning" => {
                    self.complain(first.clone()).await?;
                    Ok(Vec::new())
                }
                "error" => Err(self.fatal(first.clone()).await),
                "eval" => {
                    self.evaluate(first).await?;
                    Ok(Vec::new())
                }
                name => self.outside_function(name, &arguments).await,
            }
        })
    }

    fn lazy_function<'b>(
        &'b mut self,
        name: &'b str,
        parts: &'b [&'b [u8]],
    ) -> BoxFuture<'b, Result<Vec<u8>, Stop>> {
        Box::pin(async move {
            match name {
                "if" => {
                    let condition = names::trim(parts.first().copied().unwrap_or_default());
                    let condition = self.expand(condition).await?;
                    let branch = parts.get(if condition.is_empty() { 2 } else { 1 });
                    self.expand(branch.copied().unwrap_or_default()).await
                }
                "and" | "or" => {
                    let mut value = Vec::new();
                    for part in parts {
                        value = self.expand(names::trim(part)).await?;
                        if value.is_empty() == (name == "and") {
                            return Ok(value);
                        }
                    }
                    Ok(value)
                }
                _ => self.each_word(parts).await,
            }
        })
    }

    fn each_word<'b>(&'b mut self, parts: &'b [&'b [u8]]) -> BoxFuture<'b, Result<Vec<u8>, Stop>> {
        Box::pin(async move {
            let part = |index: usize| parts.get(index).copied().unwrap_or_default();
            let name = self.expand(part(0)).await?;
            let name = names::trim(&name).to_vec();
            let list = self.expand(part(1)).await?;
            let mut out = self.growing();
            for (index, word) in words(&list).enumerate() {
                let variable = Variable::new(word, Flavor::Simple, Origin::Automatic);
                self.frames.push(vec![(name.clone(), variable)]);
                let value = self.expand(part(2)).await;
                self.frames.pop();
                if index > 0 {
                    out.push(b" ")?;
                }
                out.push(&value?)?;
            }
            Ok(out.text)
        })
    }

    /// `$(call name,arguments)`: the variable is expanded with the arguments as `$1`, `$2` and so on.
    fn call<'b>(&'b mut self, arguments: &'b [Vec<u8>]) -> BoxFuture<'b, Result<Vec<u8>, Stop>> {
        Box::pin(async move {
            let name = names::trim(arguments.first().map_or(b"", Vec::as_slice)).to_vec();
            if name.is_empty() {
                return Ok(Vec::new());
            }
            if let Some(function) = named(&name) {
                let rest = arguments.get(1..).unwrap_or_default();
                if rest.len() < function.least {
                    return Err(self.too_few(function, rest.len()).await);
                }
                if !function.expands {
                    let parts: Vec<&[u8]> = rest.iter().map(Vec::as_slice).collect();
                    return self.lazy_function(function.name, &parts).await;
                }
                return self.apply(function, rest.to_vec()).await;
            }
            let Some(found) = self.lookup(&name) else {
                return Ok(Vec::new());
            };
            let value = |text: &Vec<u8>| Variable::new(text.as_slice(), Flavor::Simple, Origin::Automatic);
            let mut frame: Vec<(Vec<u8>, Variable)> = arguments
                .iter()
                .enumerate()
                .map(|(index, text)| (index.to_string().into_bytes(), value(text)))
                .collect();
            if let Some((_, zero)) = frame.first_mut() {
                zero.value = name.as_slice().into();
            }
            // An argument that an outer call had and this one has not is empty.
            let outer = self.frames.iter().filter(|frame| is_call(frame));
            let most = outer.map(Vec::len).max().unwrap_or(0);
            for index in frame.len()..most {
                frame.push((index.to_string().into_bytes(), value(&Vec::new())));
            }
            self.frames.push(frame);
            self.called.push(name.clone());
            let result = self.expanded(&name, found).await;
            self.called.pop();
            self.frames.pop();
            result
        })
    }

    /// The number that an argument is, or the end of it all.
    async fn number(&mut self, function: &str, text: &[u8], which: &str) -> Result<u64, Stop> {
        let digits = names::trim(text);
        let number = std::str::from_utf8(digits)
            .ok()
            .and_then(|digits| digits.parse::<u64>().ok());
        match number.filter(|_| digits.first().is_some_and(u8::is_ascii_digit)) {
            Some(number) => Ok(number),
            None => {
                let sentence = message!(
                    "non-numeric ",
                    which,
                    " argument to '",
                    function,
                    "' function: '",
                    text,
                    "'"
                );
                Err(self.fatal_in_value(sentence).await)
            }
        }
    }

    async fn chosen_words(&mut self, name: &str, arguments: &[Vec<u8>]) -> Result<Vec<u8>, Stop> {
        let argument = |index: usize| arguments.get(index).map_or(b"".as_slice(), Vec::as_slice);
        let first = self.number(name, argument(0), "first").await?;
        if name == "word" {
            if first == 0 {
                let sentence = "first argument to 'word' function must be greater than 0";
                return Err(self.fatal_in_value(sentence).await);
            }
            let word = words(argument(1)).nth(first as usize - 1);
            return Ok(word.unwrap_or_default().to_vec());
        }
        let last = self.number(name, argument(1), "second").await?;
        if first == 0 {
            let sentence = message!(
                "invalid first argument to 'wordlist' function: '",
                argument(0),
                "'"
            );
            return Err(self.fatal(sentence).await);
        }
        Ok(word_range(argument(2), first, last).to_vec())
    }

    fn origin_of(&self, name: &[u8]) -> Vec<u8> {
        let origin = self.lookup(name).map(|found| found.variable.origin.name());
        origin.unwrap_or("undefined").as_bytes().to_vec()
    }

    fn flavor_of(&self, name: &[u8]) -> Vec<u8> {
        let flavor = match self.lookup(name).map(|found| found.variable.flavor) {
            None => "undefined",
            Some(Flavor::Recursive) => "recursive",
            Some(Flavor::Simple) => "simple",
        };
        flavor.as_bytes().to_vec()
    }
}

/// A frame of a call begins with the function's name, as `$0`; one of a loop holds its variable alone.
fn is_call(frame: &[(Vec<u8>, Variable)]) -> bool {
    frame.first().is_some_and(|(name, _)| name == b"0")
}
