//! `ifeq`, `ifneq`, `ifdef`, `ifndef`, `else` and `endif`.

use super::Make;
use super::names::{is_blank, split_word, trim, trim_start};
use crate::kernel::Stop;
use crate::program::message::message;

/// Whether the lines of a branch are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Branch {
    Read,
    /// No branch was taken yet.
    Ignored,
    /// One was taken before.
    Done,
}

/// A conditional that is open.
#[derive(Debug, Clone, Copy)]
struct Level {
    branch: Branch,
    seen_else: bool,
}

/// The conditionals that are open.
#[derive(Debug, Default)]
pub struct Conditions {
    levels: Vec<Level>,
}

impl Conditions {
    pub fn is_ignoring(&self) -> bool {
        self.levels.iter().any(|level| level.branch != Branch::Read)
    }

    pub fn are_closed(&self) -> bool {
        self.levels.is_empty()
    }
}

const SYNTAX: &str = "invalid syntax in conditional";

impl Make<'_> {
    /// Deals with a line that begins with `word`. `false`: it is no conditional.
    pub async fn conditional(
        &mut self,
        conditions: &mut Conditions,
        word: &[u8],
        rest: &[u8],
    ) -> Result<bool, Stop> {
        match word {
            b"ifeq" | b"ifneq" | b"ifdef" | b"ifndef" => self.open(conditions, word, rest).await?,
            b"else" => self.alternative(conditions, rest).await?,
            b"endif" => {
                if !trim(rest).is_empty() {
                    self.extra_text("endif").await?;
                }
                if conditions.levels.pop().is_none() {
                    return Err(self.fatal("extraneous 'endif'").await);
                }
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    async fn extra_text(&mut self, directive: &str) -> Result<(), Stop> {
        self.complain(message!("extraneous text after '", directive, "' directive"))
            .await
    }

    async fn open(&mut self, conditions: &mut Conditions, word: &[u8], rest: &[u8]) -> Result<(), Stop> {
        let ignoring = conditions.is_ignoring();
        self.files.hold(std::mem::size_of::<Level>())?;
        conditions.levels.push(Level {
            branch: Branch::Ignored,
            seen_else: false,
        });
        if ignoring {
            return Ok(());
        }
        let holds = self.holds(word, rest).await?;
        if let Some(level) = conditions.levels.last_mut() {
            level.branch = if holds { Branch::Read } else { Branch::Ignored };
        }
        Ok(())
    }

    async fn alternative(&mut self, conditions: &mut Conditions, rest: &[u8]) -> Result<(), Stop> {
        let outer = conditions
            .levels
            .iter()
            .rev()
            .skip(1)
            .any(|level| level.branch != Branch::Read);
        let Some(level) = conditions.levels.last_mut() else {
            return Err(self.fatal("extraneous 'else'").await);
        };
        if level.seen_else {
            return Err(self.fatal("only one 'else' per conditional").await);
        }
        level.branch = match level.branch {
            Branch::Read | Branch::Done => Branch::Done,
            Branch::Ignored => Branch::Read,
        };
        if trim(rest).is_empty() {
            level.seen_else = true;
            return Ok(());
        }
        let undecided = level.branch == Branch::Read;
        let (word, rest) = split_word(rest);
        if !matches!(word, b"ifeq" | b"ifneq" | b"ifdef" | b"ifndef") {
            return self.extra_text("else").await;
        }
        if undecided {
            let holds = !outer && self.holds(word, rest).await?;
            if let Some(level) = conditions.levels.last_mut() {
                level.branch = if holds { Branch::Read } else { Branch::Ignored };
            }
        }
        Ok(())
    }

    /// The condition is true.
    async fn holds(&mut self, word: &[u8], rest: &[u8]) -> Result<bool, Stop> {
        if matches!(word, b"ifdef" | b"ifndef") {
            let name = self.expand(rest).await?;
            let (name, more) = split_word(&name);
            if !more.is_empty() {
                return Err(self.fatal(SYNTAX).await);
            }
            let defined = self
                .lookup(name)
                .is_some_and(|found| !found.variable.value.is_empty());
            return Ok(defined == (word == b"ifdef"));
        }
        let Some((first, second, extra)) = sides(rest) else {
            return Err(self.fatal(SYNTAX).await);
        };
        if !trim(extra).is_empty() {
            let directive = String::from_utf8_lossy(word).into_owned();
            self.extra_text(&directive).await?;
        }
        let first = self.expand(first).await?;
        let second = self.expand(second).await?;
        Ok((first == second) == (word == b"ifeq"))
    }
}

/// The two sides of `(a,b)` or `"a" 'b'`, and what follows.
fn sides(text: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let (open, text) = text.split_first()?;
    match open {
        b'(' => {
            let comma = at_depth(text, b',', true)?;
            let (first, rest) = text.split_at_checked(comma)?;
            let second = trim_start(rest.get(1..)?);
            let close = at_depth(second, b')', false)?;
            Some((
                trim_blanks_end(first),
                second.get(..close)?,
                second.get(close + 1..)?,
            ))
        }
        b'"' | b'\'' => {
            let (first, rest) = text.split_at_checked(memchr::memchr(*open, text)?)?;
            let (quote, rest) = trim_start(rest.get(1..)?).split_first()?;
            if !matches!(quote, b'"' | b'\'') {
                return None;
            }
            let (second, rest) = rest.split_at_checked(memchr::memchr(*quote, rest)?)?;
            Some((first, second, rest.get(1..)?))
        }
        _ => None,
    }
}

/// Where a byte stands that is in no brackets. A bracket that closes too much counts below zero, as make has it for commas.
fn at_depth(text: &[u8], wanted: u8, below: bool) -> Option<usize> {
    let mut depth = 0_i64;
    for (at, byte) in text.iter().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' if wanted == b')' && depth <= 0 => return Some(at),
            b')' => depth -= 1,
            byte if *byte == wanted && (depth == 0 || (below && depth < 0)) => return Some(at),
            _ => {}
        }
    }
    None
}

fn trim_blanks_end(text: &[u8]) -> &[u8] {
    let end = text
        .iter()
        .rposition(|byte| !is_blank(*byte))
        .map_or(0, |at| at + 1);
    text.get(..end).unwrap_or_default()
}
