//! `[[ … ]]`

use std::sync::Arc;

use super::{ExpandFailure, Flow, Interp, Set};
use crate::expand::{Mode, arith_text, word};
use crate::kernel::{BoxFuture, Halt};
use crate::pattern::{Captures, Regex, RegexOptions, Syntax};
use crate::syntax::ast::{Cond, CondOp};

/// No word of it runs a command.
pub(super) fn is_pure(cond: &Cond) -> bool {
    match cond {
        Cond::And(left, right) | Cond::Or(left, right) => is_pure(left) && is_pure(right),
        Cond::Not(inner) | Cond::Group(inner) => is_pure(inner),
        Cond::Unary(_, word) | Cond::Word(word) => word.pure,
        Cond::Binary(_, left, right) => left.pure && right.pure,
    }
}

/// What an odd or even number of `!` stands before.
fn without_not(cond: &Cond) -> (&Cond, bool) {
    let (mut inner, mut negated) = (cond, false);
    while let Cond::Not(next) = inner {
        inner = next;
        negated = !negated;
    }
    (inner, negated)
}

/// What compiling a regular expression costs, beside its size.
const COMPILING: u64 = 2_000;

/// How the right word of an operator is expanded.
const fn mode_of(op: CondOp) -> Mode {
    match op {
        CondOp::Match { .. } | CondOp::NotMatch => Mode::Pattern,
        CondOp::Regex => Mode::Regex,
        _ => Mode::Single,
    }
}

impl Interp {
    pub(super) fn cond_now(&mut self, cond: &Cond) -> Flow {
        let answer = self.evaluate_now(cond);
        self.cond_status(answer)
    }

    pub(super) async fn cond(&mut self, cond: &Cond) -> Flow {
        self.prepare_trace().await?;
        let answer = self.evaluate(cond).await;
        self.cond_status(answer)
    }

    fn cond_status(&mut self, answer: Result<bool, Bad>) -> Flow {
        let status = match answer {
            Ok(answer) => i32::from(!answer),
            Err(Bad::Status(status)) => status,
            Err(Bad::Failure(ExpandFailure::Arith(message))) => {
                self.error([b"[[: ".as_slice(), &message].concat());
                1
            }
            Err(Bad::Failure(failure)) => return Err(self.fail_expansion(failure)),
        };
        self.status = status;
        self.set_pipe_status(status);
        Ok(status)
    }

    fn evaluate_now(&mut self, cond: &Cond) -> Result<bool, Bad> {
        match cond {
            Cond::And(left, right) => Ok(self.evaluate_now(left)? && self.evaluate_now(right)?),
            Cond::Or(left, right) => Ok(self.evaluate_now(left)? || self.evaluate_now(right)?),
            Cond::Not(inner) => Ok(!self.evaluate_now(inner)?),
            Cond::Group(inner) => self.evaluate_now(inner),
            Cond::Word(word) => Ok(!word::text_now(self, word, Mode::Single)
                .map_err(of_word)?
                .is_empty()),
            Cond::Unary(op, word) => {
                let text = word::text_now(self, word, Mode::Single).map_err(of_word)?;
                Ok(self.unary_test(*op, &text)?.unwrap_or(false))
            }
            Cond::Binary(op, left, right) if is_arithmetic(*op) => {
                let left = arith_text::text_now(self, left).map_err(of_word)?;
                let right = arith_text::text_now(self, right).map_err(of_word)?;
                self.binary(*op, &left, &right)
            }
            Cond::Binary(op, left, right) => {
                let left = word::text_now(self, left, Mode::Single).map_err(of_word)?;
                let right = word::text_now(self, right, mode_of(*op)).map_err(of_word)?;
                self.binary(*op, &left, &right)
            }
        }
    }

    fn evaluate<'a>(&'a mut self, cond: &'a Cond) -> BoxFuture<'a, Result<bool, Bad>> {
        Box::pin(async move {
            match cond {
                Cond::And(left, right) => Ok(self.evaluate(left).await? && self.evaluate(right).await?),
                Cond::Or(left, right) => Ok(self.evaluate(left).await? || self.evaluate(right).await?),
                Cond::Not(_) => {
                    let (inner, negated) = without_not(cond);
                    let answer = match inner {
                        Cond::And(..) | Cond::Or(..) | Cond::Not(_) | Cond::Group(_) => {
                            self.evaluate(inner).await?
                        }
                        term => self.term(term, negated).await?,
                    };
                    Ok(answer != negated)
                }
                Cond::Group(inner) => self.evaluate(inner).await,
                term => self.term(term, false).await,
            }
        })
    }

    /// A test without `!`, `&&` and `||` of its own; a `!` directly before it is part of its trace.
    async fn term(&mut self, term: &Cond, negated: bool) -> Result<bool, Bad> {
        match term {
            Cond::Word(word) => {
                let text = word::text(self, word, Mode::Single).await.map_err(of_word)?;
                self.trace_cond(negated, None, b"-n", &text);
                Ok(!text.is_empty())
            }
            Cond::Unary(op, word) => {
                let text = word::text(self, word, Mode::Single).await.map_err(of_word)?;
                self.trace_cond(negated, None, &[b'-', *op], &text);
                Ok(self.unary_test(*op, &text)?.unwrap_or(false))
            }
            Cond::Binary(op, left, right) => {
                if is_arithmetic(*op) {
                    let left = arith_text::text(self, left).await.map_err(of_word)?;
                    let right = arith_text::text(self, right).await.map_err(of_word)?;
                    self.trace_cond(negated, Some(&left), operator(*op), &right);
                    return self.binary(*op, &left, &right);
                }
                let left = word::text(self, left, Mode::Single).await.map_err(of_word)?;
                let mode = match mode_of(*op) {
                    Mode::Pattern if self.options.is(Set::Xtrace) => Mode::TracedPattern,
                    mode => mode,
                };
                let right = word::text(self, right, mode).await.map_err(of_word)?;
                self.trace_cond(negated, Some(&left), operator(*op), &right);
                self.binary(*op, &left, &right)
            }
            other => self.evaluate(other).await,
        }
    }

    fn binary(&mut self, op: CondOp, left: &[u8], right: &[u8]) -> Result<bool, Bad> {
        Ok(match op {
            CondOp::Match { .. } | CondOp::NotMatch => {
                let negated = op == CondOp::NotMatch;
                // Extended patterns are always on here.
                let matches = self.matches_pattern(left, right, true);
                matches.map_err(super::Divert::from)? != negated
            }
            CondOp::Regex => return self.regex_match(left, right),
            CondOp::Less => left < right,
            CondOp::Greater => left > right,
            CondOp::Newer => self.proc.compare_times(left, right) == Some(std::cmp::Ordering::Greater),
            CondOp::Older => self.proc.compare_times(left, right) == Some(std::cmp::Ordering::Less),
            CondOp::SameFile => self.proc.same_file(left, right),
            _ => {
                let left = self.operand(left)?;
                let right = self.operand(right)?;
                compare(op, left, right)
            }
        })
    }

    /// A number of `-eq` and its like. An assignment in it that cannot be done fails the test alone.
    fn operand(&mut self, text: &[u8]) -> Result<i64, Bad> {
        match crate::expand::arith::evaluate(self, text) {
            Err(ExpandFailure::Discard(message)) => {
                self.error(message);
                Err(Bad::Status(1))
            }
            value => Ok(value?),
        }
    }

    fn regex_match(&mut self, subject: &[u8], pattern: &[u8]) -> Result<bool, Bad> {
        let nocase = self.options.shopt(super::Shopt::Nocasematch);
        let options = RegexOptions {
            ignore_case: nocase,
            gnu: true,
            ..RegexOptions::default()
        };
        self.proc
            .kernel
            .meter()
            .charge(subject.len() as u64 / 4 + 20)
            .map_err(super::Divert::from)?;
        let Some(regex) = self.cached_regex(pattern, options).map_err(super::Divert::from)? else {
            return Err(Bad::Status(2));
        };
        let mut captures = Captures::default();
        let Ok(matched) = regex.captures_at(subject, 0, &mut captures) else {
            return Err(Bad::Status(2));
        };
        let mut groups = Vec::new();
        if matched {
            for i in 0..=regex.group_count() {
                let text = captures
                    .get(i)
                    .and_then(|(start, end)| subject.get(start..end))
                    .unwrap_or_default();
                groups.push(text.to_vec());
            }
        }
        self.set_array(b"BASH_REMATCH", groups)?;
        Ok(matched)
    }

    /// Compiles a regular expression, or finds it compiled: loops use the same ones.
    /// `None`: it is no regular expression.
    fn cached_regex(&mut self, pattern: &[u8], options: RegexOptions) -> Result<Option<Regex>, Halt> {
        if let Some(last) = &self.last_regex
            && last.0 == pattern
            && last.1 == options
        {
            return Ok(Some(last.2.clone()));
        }
        let meter = self.proc.kernel.meter();
        meter.charge(COMPILING + pattern.len() as u64 * 8)?;
        let Ok(regex) = Regex::compile(pattern, Syntax::Extended, options) else {
            return Ok(None);
        };
        meter.charge(regex.size() as u64 / 8)?;
        self.last_regex = Some(Arc::new((pattern.to_vec(), options, regex.clone())));
        Ok(Some(regex))
    }
}

/// Why a condition has no answer.
pub(super) enum Bad {
    Status(i32),
    Failure(ExpandFailure),
}

impl From<ExpandFailure> for Bad {
    fn from(failure: ExpandFailure) -> Self {
        Bad::Failure(failure)
    }
}

impl From<super::Divert> for Bad {
    fn from(divert: super::Divert) -> Self {
        Bad::Failure(ExpandFailure::Divert(divert))
    }
}

/// The operands are expressions.
const fn is_arithmetic(op: CondOp) -> bool {
    matches!(
        op,
        CondOp::Eq | CondOp::Ne | CondOp::Lt | CondOp::Le | CondOp::Gt | CondOp::Ge
    )
}

const fn compare(op: CondOp, left: i64, right: i64) -> bool {
    match op {
        CondOp::Eq => left == right,
        CondOp::Ne => left != right,
        CondOp::Lt => left < right,
        CondOp::Le => left <= right,
        CondOp::Gt => left > right,
        _ => left >= right,
    }
}

const fn operator(op: CondOp) -> &'static [u8] {
    match op {
        CondOp::Match { single: true } => b"=",
        CondOp::Match { single: false } => b"==",
        CondOp::NotMatch => b"!=",
        CondOp::Regex => b"=~",
        CondOp::Less => b"<",
        CondOp::Greater => b">",
        CondOp::Eq => b"-eq",
        CondOp::Ne => b"-ne",
        CondOp::Lt => b"-lt",
        CondOp::Le => b"-le",
        CondOp::Gt => b"-gt",
        CondOp::Ge => b"-ge",
        CondOp::Newer => b"-nt",
        CondOp::Older => b"-ot",
        CondOp::SameFile => b"-ef",
    }
}

/// An error of arithmetic inside a word ends the line, as it does outside of `[[`; only operands of `-eq` and its like end the test alone.
fn of_word(failure: ExpandFailure) -> Bad {
    Bad::Failure(match failure {
        ExpandFailure::Arith(message) => ExpandFailure::Discard(message),
        failure => failure,
    })
}
