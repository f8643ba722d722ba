//! `test expression`, `[ expression ]`
//!
//! By the number of arguments, as POSIX says, and by precedence for more than four.

use crate::interp::test::UNARY;
use crate::interp::{ExpandFailure, Flow, Interp};

/// `test`
pub fn run(interp: &mut Interp, args: &[Vec<u8>]) -> Flow {
    evaluate(interp, "test", args)
}

/// `[`
pub fn bracket(interp: &mut Interp, args: &[Vec<u8>]) -> Flow {
    match args.split_last() {
        Some((last, args)) if last == b"]" => evaluate(interp, "[", args),
        _ => {
            interp.complain("[", "missing `]'");
            Ok(2)
        }
    }
}

/// Nesting of parentheses and `!`.
const MAX_DEPTH: usize = 200;

struct Parser<'a> {
    interp: &'a mut Interp,
    args: &'a [Vec<u8>],
    at: usize,
    depth: usize,
    /// It is `[`.
    bracket: bool,
    /// An index could not be evaluated: what is being read is abandoned.
    failure: Option<ExpandFailure>,
}

type Answer = Result<bool, Vec<u8>>;

fn evaluate(interp: &mut Interp, name: &str, args: &[Vec<u8>]) -> Flow {
    let mut parser = Parser {
        interp,
        args,
        at: 0,
        depth: 0,
        bracket: name == "[",
        failure: None,
    };
    let answer = parser.by_count(args);
    if let Some(failure) = parser.failure {
        return Err(interp.fail_expansion(failure));
    }
    match answer {
        Ok(answer) => Ok(i32::from(!answer)),
        Err(message) => {
            interp.complain(name, message);
            Ok(2)
        }
    }
}

impl<'a> Parser<'a> {
    fn by_count(&mut self, args: &'a [Vec<u8>]) -> Answer {
        match args {
            [] => Ok(false),
            [only] => Ok(!only.is_empty()),
            [not, operand] if not == b"!" => Ok(operand.is_empty()),
            [operator, operand] => self.unary(operator, operand),
            [left, operator, right] => self.three(left, operator, right),
            [not, rest @ ..] if not == b"!" && rest.len() == 3 => self.by_count(rest).map(|answer| !answer),
            [open, inner @ .., close] if open == b"(" && close == b")" && inner.len() == 2 => {
                self.by_count(inner)
            }
            _ => self.whole(args),
        }
    }

    fn three(&mut self, left: &'a [u8], operator: &'a [u8], right: &'a [u8]) -> Answer {
        if is_binary(operator) {
            return self.binary(left, operator, right);
        }
        match (left, operator) {
            (_, b"-a") => Ok(!left.is_empty() && !right.is_empty()),
            (_, b"-o") => Ok(!left.is_empty() || !right.is_empty()),
            (b"!", b"!") => Ok(!right.is_empty()),
            (b"!", _) => self.unary(operator, right).map(|answer| !answer),
            (b"(", _) if right == b")" => Ok(!operator.is_empty()),
            _ => Err([operator, b": binary operator expected"].concat()),
        }
    }

    fn whole(&mut self, args: &'a [Vec<u8>]) -> Answer {
        self.args = args;
        self.at = 0;
        let answer = self.or()?;
        match args.get(self.at) {
            None => Ok(answer),
            Some(word) if word.first() == Some(&b'-') => {
                Err([b"syntax error: `", word.as_slice(), b"' unexpected"].concat())
            }
            Some(_) => Err(b"too many arguments".to_vec()),
        }
    }

    fn peek(&self, ahead: usize) -> Option<&'a [u8]> {
        self.args.get(self.at + ahead).map(Vec::as_slice)
    }

    fn or(&mut self) -> Answer {
        let mut answer = self.and()?;
        while self.peek(0) == Some(b"-o") {
            self.at += 1;
            answer |= self.and()?;
        }
        Ok(answer)
    }

    fn and(&mut self) -> Answer {
        let mut answer = self.not()?;
        while self.peek(0) == Some(b"-a") {
            self.at += 1;
            answer &= self.not()?;
        }
        Ok(answer)
    }

    fn not(&mut self) -> Answer {
        let mut negate = false;
        while self.peek(0) == Some(b"!") && self.args.len() - self.at > 1 {
            self.at += 1;
            negate = !negate;
        }
        Ok(self.primary()? != negate)
    }

    fn primary(&mut self) -> Answer {
        let Some(word) = self.peek(0) else {
            return Err(b"argument expected".to_vec());
        };
        if word == b"(" && self.peek(1).is_some() {
            self.at += 1;
            self.depth += 1;
            if self.depth > MAX_DEPTH || crate::stack::is_low() {
                return Err(b"expression nested too deeply".to_vec());
            }
            let answer = self.or()?;
            self.depth -= 1;
            return match self.peek(0) {
                Some(b")") => {
                    self.at += 1;
                    Ok(answer)
                }
                Some(found) => Err([b"`)' expected, found ", found].concat()),
                None if self.bracket => Err(b"`)' expected, found ]".to_vec()),
                None => Err(b"`)' expected".to_vec()),
            };
        }
        if let (Some(operator), Some(right)) = (self.peek(1), self.peek(2))
            && is_binary(operator)
        {
            self.at += 3;
            return self.binary(word, operator, right);
        }
        if let ([b'-', letter], Some(operand)) = (word, self.peek(1))
            && UNARY.contains(letter)
        {
            self.at += 2;
            return self.unary(word, operand);
        }
        self.at += 1;
        Ok(!word.is_empty())
    }

    fn unary(&mut self, operator: &[u8], operand: &[u8]) -> Answer {
        let [b'-', letter] = operator else {
            return Err([operator, b": unary operator expected"].concat());
        };
        let answer = self.interp.unary_test(*letter, operand);
        let answer = answer.map_err(|failure| {
            self.failure = Some(failure);
            Vec::new()
        })?;
        answer.ok_or_else(|| [operator, b": unary operator expected"].concat())
    }

    fn binary(&mut self, left: &[u8], operator: &[u8], right: &[u8]) -> Answer {
        use std::cmp::Ordering;
        Ok(match operator {
            b"=" | b"==" => left == right,
            b"!=" => left != right,
            b"<" => left < right,
            b">" => left > right,
            b"-nt" => self.interp.proc.compare_times(left, right) == Some(Ordering::Greater),
            b"-ot" => self.interp.proc.compare_times(left, right) == Some(Ordering::Less),
            b"-ef" => self.interp.proc.same_file(left, right),
            _ => {
                let (left, right) = (integer(left)?, integer(right)?);
                match operator {
                    b"-eq" => left == right,
                    b"-ne" => left != right,
                    b"-lt" => left < right,
                    b"-le" => left <= right,
                    b"-gt" => left > right,
                    _ => left >= right,
                }
            }
        })
    }
}

fn integer(text: &[u8]) -> Result<i64, Vec<u8>> {
    super::support::number(text).ok_or_else(|| [text, b": integer expression expected"].concat())
}

fn is_binary(operator: &[u8]) -> bool {
    matches!(
        operator,
        b"=" | b"=="
            | b"!="
            | b"<"
            | b">"
            | b"-eq"
            | b"-ne"
            | b"-lt"
            | b"-le"
            | b"-gt"
            | b"-ge"
            | b"-nt"
            | b"-ot"
            | b"-ef"
    )
}
