//! `test` and `[`, the programs: what `find -exec test` and `env [` run. The shell has its own.
//!
//! The grammar is that of coreutils: up to four arguments mean what POSIX says, more are an expression of `-o`, `-a`, `!` and parentheses.
//! Everything is evaluated; the first error ends it with status 2.

use std::cmp::Ordering;

use super::message::message;
use super::usage;
use crate::args::{COREUTILS, Spec, quote};
use crate::kernel::{Proc, Program, Stop};

/// `test`.
pub const PROGRAM: Program = Program {
    name: "test",
    run: |proc| Box::pin(run_test(proc)),
};

/// `[`.
pub const BRACKET: Program = Program {
    name: "[",
    run: |proc| Box::pin(run_bracket(proc)),
};

/// Parentheses may be nested so deep.
const DEPTH: usize = 500;

static BRACKET_SPEC: Spec<()> = Spec::new(
    "[",
    COREUTILS,
    &["EXPRESSION ]", "", "OPTION"],
    "Exit with the status determined by EXPRESSION.\n",
    &[],
);

async fn run_test(proc: &mut Proc) -> Result<i32, Stop> {
    let words = proc.arguments().to_vec();
    evaluate(proc, &words).await
}

async fn run_bracket(proc: &mut Proc) -> Result<i32, Stop> {
    let words = proc.arguments().to_vec();
    // Only as `[` it has options, and only alone.
    if let [only] = words.as_slice() {
        let answer = match only.as_slice() {
            b"--help" => Some(BRACKET_SPEC.help()),
            b"--version" => Some(BRACKET_SPEC.version()),
            _ => None,
        };
        if let Some(answer) = answer {
            return Err(usage::refuse(proc, &answer).await);
        }
    }
    match words.split_last() {
        Some((last, rest)) if last == b"]" => evaluate(proc, rest).await,
        _ => Err(usage::fail(proc, 2, message!("missing ", quote(b"]"))).await),
    }
}

async fn evaluate(proc: &mut Proc, words: &[Vec<u8>]) -> Result<i32, Stop> {
    if words.is_empty() {
        return Ok(1);
    }
    proc.charge(words.len() as u64)?;
    let mut evaluator = Evaluator {
        proc,
        words,
        at: 0,
        depth: 0,
    };
    let result = evaluator.posix(words.len());
    let result = result.and_then(|value| match words.get(evaluator.at) {
        Some(extra) => Err(message!("extra argument ", quote(extra))),
        None => Ok(value),
    });
    match result {
        Ok(value) => Ok(i32::from(!value)),
        Err(line) => Err(usage::fail(proc, 2, line).await),
    }
}

/// A value, or a complaint.
type Value = Result<bool, Vec<u8>>;

struct Evaluator<'w> {
    proc: &'w Proc,
    words: &'w [Vec<u8>],
    at: usize,
    depth: usize,
}

fn is_binary(word: &[u8]) -> bool {
    matches!(
        word,
        b"=" | b"==" | b"!=" | b"-eq" | b"-ne" | b"-lt" | b"-le" | b"-gt" | b"-ge" | b"-nt" | b"-ot" | b"-ef"
    )
}

impl<'w> Evaluator<'w> {
    fn word(&self, ahead: usize) -> &'w [u8] {
        self.words.get(self.at + ahead).map_or(b"", Vec::as_slice)
    }

    fn left(&self) -> usize {
        self.words.len().saturating_sub(self.at)
    }

    /// Moves on to a word that must be there.
    fn advance(&mut self) -> Result<(), Vec<u8>> {
        self.at += 1;
        if self.at >= self.words.len() {
            return Err(self.beyond());
        }
        Ok(())
    }

    fn beyond(&self) -> Vec<u8> {
        let last = self.words.last().map_or(&b""[..], Vec::as_slice);
        message!("missing argument after ", quote(last))
    }

    /// The meaning of so many arguments.
    fn posix(&mut self, count: usize) -> Value {
        match count {
            1 => Ok(self.one()),
            2 => self.two(),
            3 => self.three(),
            4 if self.word(0) == b"!" => {
                self.advance()?;
                Ok(!self.three()?)
            }
            4 if self.word(0) == b"(" && self.word(3) == b")" => {
                self.at += 1;
                let value = self.two()?;
                self.at += 1;
                Ok(value)
            }
            _ => self.or(),
        }
    }

    fn one(&mut self) -> bool {
        let value = !self.word(0).is_empty();
        self.at += 1;
        value
    }

    fn two(&mut self) -> Value {
        if self.word(0) == b"!" {
            self.at += 1;
            return Ok(!self.one());
        }
        if matches!(self.word(0), [b'-', _]) {
            return self.unary();
        }
        Err(self.beyond())
    }

    fn three(&mut self) -> Value {
        if is_binary(self.word(1)) {
            return self.binary(false);
        }
        if self.word(0) == b"!" {
            self.advance()?;
            return Ok(!self.two()?);
        }
        if self.word(0) == b"(" && self.word(2) == b")" {
            self.at += 1;
            let value = self.one();
            self.at += 1;
            return Ok(value);
        }
        if matches!(self.word(1), b"-a" | b"-o") {
            return self.or();
        }
        Err(message!(quote(self.word(1)), ": binary operator expected"))
    }

    fn or(&mut self) -> Value {
        let mut value = false;
        loop {
            value |= self.and()?;
            if self.left() == 0 || self.word(0) != b"-o" {
                return Ok(value);
            }
            self.at += 1;
        }
    }

    fn and(&mut self) -> Value {
        let mut value = true;
        loop {
            value &= self.term()?;
            if self.left() == 0 || self.word(0) != b"-a" {
                return Ok(value);
            }
            self.at += 1;
        }
    }

    fn term(&mut self) -> Value {
        let mut negated = false;
        while self.left() > 0 && self.word(0) == b"!" {
            self.advance()?;
            negated = !negated;
        }
        if self.left() == 0 {
            return Err(self.beyond());
        }
        let value = if self.word(0) == b"(" {
            self.parentheses()?
        } else if self.left() >= 4 && self.word(0) == b"-l" && is_binary(self.word(2)) {
            self.binary(true)?
        } else if self.left() >= 3 && is_binary(self.word(1)) {
            self.binary(false)?
        } else if matches!(self.word(0), [b'-', _]) {
            self.unary()?
        } else {
            self.one()
        };
        Ok(value ^ negated)
    }

    fn parentheses(&mut self) -> Value {
        self.advance()?;
        self.depth += 1;
        if self.depth > DEPTH || crate::stack::is_low() {
            return Err(b"too many nested parentheses".to_vec());
        }
        let mut count = 1;
        while count < self.left() && self.word(count) != b")" {
            if count == 4 {
                count = self.left();
                break;
            }
            count += 1;
        }
        let value = self.posix(count)?;
        self.depth -= 1;
        if self.left() == 0 {
            return Err(message!(quote(b")"), " expected"));
        }
        if self.word(0) != b")" {
            let found = quote(self.word(0));
            return Err(message!(quote(b")"), " expected, found ", found));
        }
        self.at += 1;
        Ok(value)
    }

    fn unary(&mut self) -> Value {
        let operator = self.word(0);
        let letter = operator.get(1).copied().unwrap_or_default();
        if !b"erwxNOGfdsScbpLhugktnz".contains(&letter) {
            return Err(message!(quote(operator), ": unary operator expected"));
        }
        self.advance()?;
        let operand = self.word(0);
        self.at += 1;
        Ok(match letter {
            b'n' => !operand.is_empty(),
            b'z' => operand.is_empty(),
            b't' => {
                integer(operand)?;
                false
            }
            _ => self.proc.test_file(letter, operand).unwrap_or(false),
        })
    }

    /// `left` has its length taken when it follows `-l`.
    fn binary(&mut self, left_length: bool) -> Value {
        if left_length {
            self.advance()?;
        }
        let (left, operator) = (self.word(0), self.word(1));
        self.at += 2;
        let right_length = self.left() >= 2 && self.word(0) == b"-l" && operator.starts_with(b"-");
        if right_length {
            self.at += 1;
        }
        let right = self.word(0);
        self.at += 1;
        match operator {
            b"=" | b"==" => return Ok(left == right),
            b"!=" => return Ok(left != right),
            b"-nt" | b"-ot" | b"-ef" if left_length || right_length => {
                return Err(message!(operator, " does not accept -l"));
            }
            b"-nt" => return Ok(self.proc.compare_times(left, right) == Some(Ordering::Greater)),
            b"-ot" => return Ok(self.proc.compare_times(left, right) == Some(Ordering::Less)),
            b"-ef" => return Ok(self.proc.same_file(left, right)),
            _ => {}
        }
        let length = |word: &[u8]| word.len().to_string().into_bytes();
        let left = if left_length { length(left) } else { left.to_vec() };
        let right = if right_length {
            length(right)
        } else {
            right.to_vec()
        };
        let order = compare(integer(&left)?, integer(&right)?);
        Ok(match operator {
            b"-eq" => order == Ordering::Equal,
            b"-ne" => order != Ordering::Equal,
            b"-lt" => order == Ordering::Less,
            b"-le" => order != Ordering::Greater,
            b"-gt" => order == Ordering::Greater,
            _ => order != Ordering::Less,
        })
    }
}

/// Whether it is negative, and its digits without zeros in front; blanks around it do not count.
fn integer(text: &[u8]) -> Result<(bool, &[u8]), Vec<u8>> {
    let trimmed = text.trim_ascii();
    let (negative, digits) = match trimmed {
        [b'-', digits @ ..] => (true, digits),
        [b'+', digits @ ..] => (false, digits),
        _ => (false, trimmed),
    };
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return Err(message!("invalid integer ", quote(text)));
    }
    let zeros = digits.iter().take_while(|digit| **digit == b'0').count();
    let digits = digits.get(zeros..).unwrap_or_default();
    Ok((negative && !digits.is_empty(), digits))
}

fn compare((left_negative, left): (bool, &[u8]), (right_negative, right): (bool, &[u8])) -> Ordering {
    let sizes = left.len().cmp(&right.len()).then_with(|| left.cmp(right));
    match (left_negative, right_negative) {
        (false, false) => sizes,
        (true, true) => sizes.reverse(),
        (true, false) => Ordering::Less,
        (false, true) => Ordering::Greater,
    }
}
