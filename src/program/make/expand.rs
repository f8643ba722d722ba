//! What references to variables and functions stand for.
//!
//! Expansion recurses: a value refers to variables, an argument holds calls. Futures are boxed at every step of that, in functions of their
//! own, so that a level takes little of the host's stack, and each level asks the meter for room
//! on the stack, so that what calls itself without end is halted. A variable that refers to itself is refused in make's words.

use super::Make;
use super::functions;
use super::names::{self, after_reference};
use super::variables::{Flavor, Origin, Variable};
use crate::kernel::{BoxFuture, Stop, cost};
use crate::program::message::message;

/// A growing text, with its share of the run's memory.
pub struct Growing {
    pub text: Vec<u8>,
    lease: crate::kernel::Lease,
}

/// Texts below this are not counted.
const SMALL: usize = 1 << 12;

impl Growing {
    pub fn push(&mut self, piece: &[u8]) -> Result<(), Stop> {
        let length = self.text.len() + piece.len();
        if length > SMALL {
            self.lease.resize(length)?;
        }
        self.text.extend_from_slice(piece);
        Ok(())
    }
}

/// Variables that stand before all others: those of a call or a loop.
pub type Frame = Vec<(Vec<u8>, Variable)>;

/// A variable as it is found, and where.
pub struct Found {
    pub variable: Variable,
    /// What `+=` of targets puts it behind, the outermost first.
    pub outer: Vec<Variable>,
}

impl Make<'_> {
    pub fn growing(&self) -> Growing {
        Growing {
            text: Vec::new(),
            lease: self.proc.kernel.lease(),
        }
    }

    /// Looks a variable up: in calls and loops, for the target, for those that need it, among all.
    pub fn lookup(&self, name: &[u8]) -> Option<Found> {
        let local = self
            .frames
            .iter()
            .rev()
            .flatten()
            .find(|(known, _)| known == name);
        if let Some((_, variable)) = local {
            return Some(Found {
                variable: variable.clone(),
                outer: Vec::new(),
            });
        }
        let mut found: Vec<Variable> = Vec::new();
        if let Some(scope) = &self.scope {
            if let Some(value) = scope.automatic.get(name) {
                return Some(Found {
                    variable: Variable::new(value.as_slice(), Flavor::Simple, Origin::Automatic),
                    outer: Vec::new(),
                });
            }
            for (index, table) in scope.tables.iter().enumerate() {
                let Some((_, variable)) = table.iter().rev().find(|(known, _)| known == name) else {
                    continue;
                };
                if index >= scope.own && variable.private {
                    continue;
                }
                found.push(variable.clone());
                if !variable.append {
                    break;
                }
            }
        }
        if found.last().is_none_or(|variable| variable.append)
            && let Some(variable) = self.variables.get(name)
        {
            found.push(variable.clone());
        }
        let mut found = found.into_iter();
        let variable = found.next()?;
        let mut outer: Vec<Variable> = found.collect();
        outer.reverse();
        Some(Found { variable, outer })
    }

    /// Expands a text.
    pub async fn expand(&mut self, text: &[u8]) -> Result<Vec<u8>, Stop> {
        if memchr::memchr(b'$', text).is_none() {
            return Ok(text.to_vec());
        }
        self.expand_boxed(text).await
    }

    fn expand_boxed<'b>(&'b mut self, text: &'b [u8]) -> BoxFuture<'b, Result<Vec<u8>, Stop>> {
        Box::pin(self.expand_references(text))
    }

    async fn expand_references(&mut self, text: &[u8]) -> Result<Vec<u8>, Stop> {
        self.proc.kernel.meter().nest()?;
        let mut out = self.growing();
        let mut at = 0;
        while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
            let plain = memchr::memchr(b'$', rest).unwrap_or(rest.len());
            out.push(rest.get(..plain).unwrap_or_default())?;
            at += plain;
            self.proc.charge(cost::TURN + plain as u64 / 16)?;
            match text.get(at + 1) {
                None if at >= text.len() => break,
                None => {
                    out.push(b"$")?;
                    break;
                }
                Some(b'$') => {
                    out.push(b"$")?;
                    at += 2;
                }
                Some(open @ (b'(' | b'{')) => {
                    let (value, end) = self.reference(text, at + 2, *open).await?;
                    self.proc.charge(value.len() as u64 / 16)?;
                    out.push(&value)?;
                    at = end;
                }
                Some(letter) => {
                    let value = self.value_of(&[*letter]).await?;
                    out.push(&value)?;
                    at += 2;
                }
            }
        }
        Ok(std::mem::take(&mut out.text))
    }

    /// A reference in brackets: what it stands for, and where it ends. `start` is behind the bracket.
    fn reference<'b>(
        &'b mut self,
        text: &'b [u8],
        start: usize,
        open: u8,
    ) -> BoxFuture<'b, Result<(Vec<u8>, usize), Stop>> {
        Box::pin(async move {
            let close = if open == b'(' { b')' } else { b'}' };
            let inner = text.get(start..).unwrap_or_default();
            if let Some((function, arguments)) = functions::find(inner) {
                let end = after_reference(text, start - 2);
                let Some((last, body)) = text.get(start..end).and_then(<[u8]>::split_last) else {
                    return Err(self.unterminated(function.name, close).await);
                };
                if *last != close || names_open(text.get(start - 1..end).unwrap_or_default(), open, close) {
                    return Err(self.unterminated(function.name, close).await);
                }
                let body = body.get(arguments..).unwrap_or_default();
                let value = self.call_function(function, body, (open, close)).await?;
                return Ok((value, end));
            }
            let Some(first_close) = memchr::memchr(close, inner) else {
                return Err(self.fatal_in_value("unterminated variable reference").await);
            };
            let simple = inner.get(..first_close).unwrap_or_default();
            if memchr::memchr(b'$', simple).is_none() {
                let value = self.named(simple).await?;
                return Ok((value, start + first_close + 1));
            }
            let end = after_reference(text, start - 2);
            let whole = text.get(start..end).and_then(|body| body.strip_suffix(&[close]));
            let balanced = !names_open(text.get(start - 1..end).unwrap_or_default(), open, close);
            match whole.filter(|_| balanced) {
                Some(body) => {
                    let name = self.expand(body).await?;
                    let value = self.named(&name).await?;
                    Ok((value, end))
                }
                // An unbalanced one ends where the first bracket closes.
                None => {
                    let value = self.named(simple).await?;
                    Ok((value, start + first_close + 1))
                }
            }
        })
    }

    async fn unterminated(&mut self, name: &str, close: u8) -> Stop {
        let shown = [close];
        let sentence = message!(
            "unterminated call to function '",
            name,
            "': missing '",
            shown,
            "'"
        );
        self.fatal_in_value(sentence).await
    }

    /// A name whose own references are expanded, or `NAME:PATTERN=REPLACEMENT`.
    fn named<'b>(&'b mut self, name: &'b [u8]) -> BoxFuture<'b, Result<Vec<u8>, Stop>> {
        Box::pin(async move {
            let parts = memchr::memchr(b':', name).and_then(|colon| {
                let (variable, rest) = name.split_at_checked(colon)?;
                let rest = rest.get(1..)?;
                let (pattern, replacement) = rest.split_at_checked(memchr::memchr(b'=', rest)?)?;
                Some((variable, pattern, replacement.get(1..)?))
            });
            let Some((variable, pattern, replacement)) = parts else {
                return self.value_of(name).await;
            };
            let value = self.value_of(variable).await?;
            self.proc.charge(value.len() as u64 / 4)?;
            if names::Pattern::parse(pattern).is_pattern() {
                return Ok(names::substitute(&value, pattern, replacement));
            }
            let suffixed = |text: &[u8]| [b"%", text].concat();
            Ok(names::substitute(
                &value,
                &suffixed(pattern),
                &suffixed(replacement),
            ))
        })
    }

    /// The value of a variable, expanded.
    pub async fn value_of(&mut self, name: &[u8]) -> Result<Vec<u8>, Stop> {
        let found = match self.lookup(name) {
            Some(found) => found,
            None if name == b".VARIABLES" => {
                return Ok(names::join(self.variables.iter().map(|(name, _)| name)));
            }
            None => {
                if self.options.warn_undefined {
                    self.complain(message!("warning: undefined variable '", name, "'"))
                        .await?;
                }
                return Ok(Vec::new());
            }
        };
        self.expanded(name, found).await
    }

    /// Expands what a variable holds.
    pub fn expanded<'b>(&'b mut self, name: &'b [u8], found: Found) -> BoxFuture<'b, Result<Vec<u8>, Stop>> {
        Box::pin(async move {
            let Found { variable, outer } = found;
            if outer.is_empty() && variable.flavor == Flavor::Simple {
                return Ok(variable.value.to_vec());
            }
            let outer_place = self.value_place.clone();
            if variable.place.is_some() {
                self.value_place.clone_from(&variable.place);
            }
            if self.expanding.iter().any(|known| known == name)
                && !self.called.iter().any(|known| known == name)
            {
                let sentence = message!("Recursive variable '", name, "' references itself (eventually)");
                return Err(self.fatal_in_value(sentence).await);
            }
            self.expanding.push(name.to_vec());
            let mut out = self.growing();
            for part in outer.into_iter().chain([variable]) {
                let value = match part.flavor {
                    Flavor::Simple => part.value.to_vec(),
                    Flavor::Recursive => self.expand(&part.value).await?,
                };
                if !out.text.is_empty() && !value.is_empty() {
                    out.push(b" ")?;
                }
                out.push(&value)?;
            }
            self.expanding.pop();
            self.value_place = outer_place;
            Ok(std::mem::take(&mut out.text))
        })
    }
}

/// More brackets are opened than closed.
fn names_open(text: &[u8], open: u8, close: u8) -> bool {
    let count = |wanted: u8| memchr::memchr_iter(wanted, text).count();
    count(open) > count(close)
}
