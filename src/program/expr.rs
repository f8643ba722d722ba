//! `expr`: evaluates the expression that its arguments are.
//!
//! A recursive descent over the arguments, evaluating as it goes; operands that `|` and `&` do not need are parsed only.

use super::expr_number::Number;
use super::usage;
use crate::args::{COREUTILS, Spec, UsageError, quote};
use crate::kernel::{Proc, Program, Stop};
use crate::pattern::{Captures, Regex, RegexOptions, Syntax};
use crate::text::utf8;

/// The program.
pub const PROGRAM: Program = Program {
    name: "expr",
    run: |proc| Box::pin(run(proc)),
};

#[derive(Clone, Copy, PartialEq)]
enum Flag {}

static SPEC: Spec<Flag> = Spec::new(
    "expr",
    COREUTILS,
    &["EXPRESSION", "OPTION"],
    "",
    &[],
)
.fails_with(2)
.notes(
    "Print the value of EXPRESSION to standard output.  A blank line below\nseparates increasing precedence groups.  EXPRESSION \
     may be:\n\n  ARG1 | ARG2       ARG1 if it is neither null nor 0, otherwise ARG2\n\n  ARG1 & ARG2       ARG1 if neither \
     argument is null or 0, otherwise 0\n\n  ARG1 < ARG2       ARG1 is less than ARG2\n  ARG1 <= ARG2      ARG1 is less than or \
     equal to ARG2\n  ARG1 = ARG2       ARG1 is equal to ARG2\n  ARG1 != ARG2      ARG1 is unequal to ARG2\n  ARG1 >= ARG2      \
     ARG1 is greater than or equal to ARG2\n  ARG1 > ARG2       ARG1 is greater than ARG2\n\n  ARG1 + ARG2       arithmetic sum \
     of ARG1 and ARG2\n  ARG1 - ARG2       arithmetic difference of ARG1 and ARG2\n\n  ARG1 * ARG2       arithmetic product of \
     ARG1 and ARG2\n  ARG1 / ARG2       arithmetic quotient of ARG1 divided by ARG2\n  ARG1 % ARG2       arithmetic remainder of \
     ARG1 divided by ARG2\n\n  STRING : REGEXP   anchored pattern match of REGEXP in STRING\n\n  match STRING REGEXP        same \
     as STRING : REGEXP\n  substr STRING POS LENGTH   substring of STRING, POS counted from 1\n  index STRING CHARS         index \
     in STRING where any CHARS is found, or 0\n  length STRING              length of STRING\n  + TOKEN                    \
     interpret TOKEN as a string, even if it is a\n                               keyword like 'match' or an operator like '/'\n\n  \
     ( EXPRESSION )             value of EXPRESSION\n\nExit status is 0 if EXPRESSION is neither null nor 0, 1 if EXPRESSION is \
     null\nor 0, 2 if EXPRESSION is syntactically invalid, and 3 if an error occurred.",
);

async fn run(proc: &mut Proc) -> Result<i32, Stop> {
    proc.write_failure.status = 3;
    let mut arguments = proc.arguments().to_vec();
    // `--help` and `--version` are options only when they stand alone.
    if let [only] = arguments.as_slice()
        && only.starts_with(b"--")
        && only.len() > 3
        && (b"--help".starts_with(only.as_slice()) || b"--version".starts_with(only.as_slice()))
    {
        usage::parse(proc, &SPEC).await?;
    }
    if arguments.first().is_some_and(|first| first == b"--") {
        arguments.remove(0);
    }
    if arguments.is_empty() {
        return Err(usage::refuse(proc, &SPEC.missing_operand()).await);
    }
    let mut parser = Parser {
        arguments: &arguments,
        next: 0,
        depth: 0,
        proc,
    };
    let value = parser.any(true).and_then(|value| match parser.peek() {
        None => Ok(value),
        Some(extra) => Err(syntax(b"unexpected argument ", extra)),
    });
    let value = match value {
        Ok(value) => value,
        Err(Failure::Stop(stop)) => return Err(stop),
        Err(Failure::Usage(error)) => return Err(usage::refuse(proc, &error).await),
    };
    let mut text = value.text();
    let status = i32::from(is_null(&text));
    text.push(b'\n');
    proc.write(&text).await?;
    Ok(status)
}

enum Failure {
    Usage(UsageError),
    Stop(Stop),
}

type Evaluated<T> = Result<T, Failure>;

fn fail(message: impl Into<Vec<u8>>) -> Failure {
    Failure::Usage(UsageError::plain(2, message))
}

fn syntax(sentence: &[u8], word: &[u8]) -> Failure {
    fail([b"syntax error: ", sentence, &quote(word)].concat())
}

#[derive(Debug, Clone)]
enum Value {
    Text(Vec<u8>),
    Number(Number),
}

impl Value {
    fn text(&self) -> Vec<u8> {
        match self {
            Value::Text(text) => text.clone(),
            Value::Number(number) => number.to_text(),
        }
    }

    fn number(&self) -> Option<Number> {
        match self {
            Value::Text(text) => Number::parse(text),
            Value::Number(number) => Some(number.clone()),
        }
    }

    fn integer(&self) -> Evaluated<Number> {
        self.number().ok_or_else(|| fail("non-integer argument"))
    }

    fn is_null(&self) -> bool {
        is_null(&self.text())
    }

    fn count(count: usize) -> Value {
        Value::Number(Number::small(count as u64))
    }

    fn empty() -> Value {
        Value::Text(Vec::new())
    }
}

/// Empty, or a zero in whatever form.
fn is_null(text: &[u8]) -> bool {
    let digits = text.strip_prefix(b"-").unwrap_or(text);
    text.is_empty() || (!digits.is_empty() && digits.iter().all(|byte| *byte == b'0'))
}

struct Parser<'a> {
    arguments: &'a [Vec<u8>],
    next: usize,
    depth: usize,
    proc: &'a Proc,
}

/// Parentheses and prefix operators may nest so deep.
const DEPTH: usize = 250;

impl<'a> Parser<'a> {
    fn peek(&self) -> Option<&'a [u8]> {
        self.arguments.get(self.next).map(Vec::as_slice)
    }

    /// Takes the next argument if it is one of `words`.
    fn take(&mut self, words: &[&'static str]) -> Option<&'static str> {
        let next = self.peek()?;
        let word = words.iter().find(|word| word.as_bytes() == next)?;
        self.next += 1;
        Some(word)
    }

    fn need_more(&self) -> Evaluated<()> {
        if self.next < self.arguments.len() {
            return Ok(());
        }
        let last = self.arguments.last().map_or(&b""[..], Vec::as_slice);
        Err(syntax(b"missing argument after ", last))
    }

    fn charge(&self, units: u64) -> Evaluated<()> {
        self.proc.charge(units).map_err(Failure::Stop)
    }

    /// `|`
    fn any(&mut self, evaluate: bool) -> Evaluated<Value> {
        let mut left = self.all(evaluate)?;
        while self.take(&["|"]).is_some() {
            let right = self.all(evaluate && left.is_null())?;
            if left.is_null() {
                left = if right.is_null() { Value::count(0) } else { right };
            }
        }
        Ok(left)
    }

    /// `&`
    fn all(&mut self, evaluate: bool) -> Evaluated<Value> {
        let mut left = self.comparison(evaluate)?;
        while self.take(&["&"]).is_some() {
            let right = self.comparison(evaluate && !left.is_null())?;
            if left.is_null() || right.is_null() {
                left = Value::count(0);
            }
        }
        Ok(left)
    }

    fn comparison(&mut self, evaluate: bool) -> Evaluated<Value> {
        let mut left = self.sum(evaluate)?;
        while let Some(operator) = self.take(&["<", "<=", "=", "==", "!=", ">=", ">"]) {
            let right = self.sum(evaluate)?;
            let order = match (left.number(), right.number()) {
                (Some(left), Some(right)) => left.cmp(&right),
                _ => left.text().cmp(&right.text()),
            };
            let holds = match operator {
                "<" => order.is_lt(),
                "<=" => order.is_le(),
                "!=" => order.is_ne(),
                ">=" => order.is_ge(),
                ">" => order.is_gt(),
                _ => order.is_eq(),
            };
            left = Value::count(usize::from(evaluate && holds));
        }
        Ok(left)
    }

    fn sum(&mut self, evaluate: bool) -> Evaluated<Value> {
        let mut left = self.product(evaluate)?;
        while let Some(operator) = self.take(&["+", "-"]) {
            let right = self.product(evaluate)?;
            if evaluate {
                let (first, second) = (left.integer()?, right.integer()?);
                self.charge((first.size() + second.size()) / 8 + 1)?;
                let second = if operator == "-" { second.negated() } else { second };
                left = Value::Number(first.add(&second));
            }
        }
        Ok(left)
    }

    fn product(&mut self, evaluate: bool) -> Evaluated<Value> {
        let mut left = self.matching(evaluate)?;
        while let Some(operator) = self.take(&["*", "/", "%"]) {
            let right = self.matching(evaluate)?;
            if !evaluate {
                continue;
            }
            let (first, second) = (left.integer()?, right.integer()?);
            self.charge(first.size() * second.size() / 8 + 1)?;
            left = if operator == "*" {
                Value::Number(first.multiply(&second))
            } else {
                let (quotient, rest) = first.divide(&second).ok_or_else(|| fail("division by zero"))?;
                Value::Number(if operator == "/" { quotient } else { rest })
            };
        }
        Ok(left)
    }

    /// `:`
    fn matching(&mut self, evaluate: bool) -> Evaluated<Value> {
        let mut left = self.function(evaluate)?;
        while self.take(&[":"]).is_some() {
            let right = self.function(evaluate)?;
            if evaluate {
                left = match_text(&left.text(), &right.text())?;
            }
        }
        Ok(left)
    }

    fn function(&mut self, evaluate: bool) -> Evaluated<Value> {
        self.depth += 1;
        if self.depth > DEPTH || crate::stack::is_low() {
            return Err(fail("memory exhausted"));
        }
        let value = self.function_at_depth(evaluate);
        self.depth -= 1;
        value
    }

    fn function_at_depth(&mut self, evaluate: bool) -> Evaluated<Value> {
        match self.take(&["+", "length", "match", "index", "substr"]) {
            Some("+") => {
                self.need_more()?;
                let word = self.peek().unwrap_or_default().to_vec();
                self.next += 1;
                Ok(Value::Text(word))
            }
            Some("length") => {
                let text = self.function(evaluate)?.text();
                Ok(Value::count(utf8::count(&text)))
            }
            Some("match") => {
                let (text, pattern) = (self.function(evaluate)?, self.function(evaluate)?);
                if evaluate {
                    match_text(&text.text(), &pattern.text())
                } else {
                    Ok(text)
                }
            }
            Some("index") => {
                let (text, set) = (self.function(evaluate)?.text(), self.function(evaluate)?.text());
                Ok(Value::count(index(&text, &set)))
            }
            Some("substr") => {
                let text = self.function(evaluate)?.text();
                let (start, length) = (self.function(evaluate)?, self.function(evaluate)?);
                Ok(substring(&text, &start, &length))
            }
            _ => self.primary(evaluate),
        }
    }

    fn primary(&mut self, evaluate: bool) -> Evaluated<Value> {
        self.need_more()?;
        if self.take(&["("]).is_some() {
            let value = self.any(evaluate)?;
            return match self.peek() {
                Some(b")") => {
                    self.next += 1;
                    Ok(value)
                }
                None => {
                    let last = self.arguments.last().map_or(&b""[..], Vec::as_slice);
                    Err(syntax(b"expecting ')' after ", last))
                }
                Some(other) => Err(syntax(b"expecting ')' instead of ", other)),
            };
        }
        if self.peek() == Some(b")") {
            return Err(fail("syntax error: unexpected ')'"));
        }
        let word = self.peek().unwrap_or_default().to_vec();
        self.next += 1;
        Ok(Value::Text(word))
    }
}

/// The first group of a match at the start, or its length in characters without groups.
fn match_text(text: &[u8], pattern: &[u8]) -> Evaluated<Value> {
    let options = RegexOptions {
        gnu: true,
        lenient: true,
        ..RegexOptions::default()
    };
    let regex = Regex::compile(pattern, Syntax::Basic, options).map_err(|error| fail(error.to_string()))?;
    let mut captures = Captures::default();
    regex
        .captures_at(text, 0, &mut captures)
        .map_err(|error| fail(error.to_string()))?;
    let whole = captures.get(0).filter(|(start, _)| *start == 0);
    Ok(match (whole, regex.group_count()) {
        (None, 0) => Value::count(0),
        (None, _) => Value::empty(),
        (Some((_, end)), 0) => Value::count(utf8::count(text.get(..end).unwrap_or_default())),
        (Some(_), _) => {
            let group = captures.get(1).and_then(|(start, end)| text.get(start..end));
            Value::Text(group.unwrap_or_default().to_vec())
        }
    })
}

/// Where in `text` the first character of `set` stands, from 1; 0 for none.
fn index(text: &[u8], set: &[u8]) -> usize {
    let set: Vec<_> = utf8::units(set).map(|(_, unit)| unit).collect();
    utf8::units(text)
        .position(|(_, unit)| set.contains(&unit))
        .map_or(0, |at| at + 1)
}

fn substring(text: &[u8], start: &Value, length: &Value) -> Value {
    let count = |value: &Value| {
        let number = value.number().filter(|number| *number > Number::small(0))?;
        Some(number.to_usize().unwrap_or(usize::MAX))
    };
    match (count(start), count(length)) {
        (Some(start), Some(length)) => Value::Text(utf8::slice(text, start - 1, length).to_vec()),
        _ => Value::empty(),
    }
}
