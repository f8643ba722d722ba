//! Arithmetic evaluation: 64 bits, wrapping, as the bash manual's "Shell Arithmetic" says.
//!
//! bash expands the text as if in double quotes and then evaluates what came out, so `$x` is pasted. A compiled expression keeps that
//! meaning: where `$x` is not a plain number, or is used together with side effects, the text is expanded and read again.

use super::host::{ExpandHost, Failure};
use super::subscript;
use super::value::{Text, Value};
use crate::kernel::cost;
use crate::stack;
use crate::syntax::arith::{BinaryOp, Expr, UnaryOp, parse, rest_at};
use crate::syntax::ast::{Arith, Name, Param, ParamName, ParamOp, Part, Word};

/// How deep evaluation may go, where an operator is a level and a value that names another expression two. bash itself gives up after
/// 1024 such values. The limit is even, and three variables that name each other end at the same one as in bash: messages show its text.
const MAX_DEPTH: u32 = 1024;

const TOO_DEEP: &str = "expression recursion level exceeded";

/// One level more is too many.
fn is_too_deep<H: ExpandHost>(host: &mut H) -> bool {
    *host.arithmetic_depth() > MAX_DEPTH || stack::is_low_soon()
}

/// A value of a variable as arithmetic sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Integer {
    /// A plain number.
    Number(i64),
    /// Something to evaluate.
    Text(Vec<u8>),
    /// No value.
    Unset,
}

/// Which element of an array.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Key {
    /// No subscript: the variable itself.
    None,
    /// An evaluated subscript.
    Index(i64),
    /// The key of an associative array, or an evaluated subscript in decimal; empty when there was nothing between the brackets.
    Text(Text),
}

impl Key {
    /// Calls `work` with the key as a text.
    pub fn with_text<T>(&self, work: impl FnOnce(Option<&[u8]>) -> T) -> T {
        match self {
            Key::None => work(None),
            Key::Index(index) => work(Some(itoa::Buffer::new().format(*index).as_bytes())),
            Key::Text(text) => work(Some(text)),
        }
    }
}

enum Stop<D> {
    /// No expression after all, or one whose text must be read instead.
    Reread,
    Failed(Failure<D>),
    /// An error of this operation: message and the offset of the operand it is about.
    Error(&'static str, u32),
}

impl<D> From<Failure<D>> for Stop<D> {
    fn from(failure: Failure<D>) -> Self {
        Stop::Failed(failure)
    }
}

type Step<H> = Result<i64, Stop<<H as ExpandHost>::Divert>>;

/// Reads a plain decimal number: what most variables hold.
#[inline]
pub fn plain_number(text: &[u8]) -> Option<i64> {
    if let [digit] = text {
        let digit = digit.wrapping_sub(b'0');
        return (digit <= 9).then(|| i64::from(digit));
    }
    let (negative, digits) = match text.split_first() {
        Some((b'-', rest)) => (true, rest),
        _ => (false, text),
    };
    if digits.is_empty() || digits.len() > 18 || (digits.len() > 1 && digits.first() == Some(&b'0')) {
        return None;
    }
    let mut value = 0i64;
    for byte in digits {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        value = value * 10 + i64::from(digit);
    }
    Some(if negative { -value } else { value })
}

/// The text is a number as it is printed: its own value in decimal.
pub fn is_canonical(text: &[u8]) -> bool {
    plain_number(text).is_some() && text != b"-0"
}

/// Evaluates an expanded text.
pub fn evaluate<H: ExpandHost>(host: &mut H, text: &[u8]) -> Result<i64, Failure<H::Divert>> {
    if let Some(number) = plain_number(text) {
        return Ok(number);
    }
    deeper(host, 2, |host| read_evaluate(host, text))
}

/// Counts levels around `work`. Every way by which a value may name another expression, subscripts with expansions too, comes through
/// here, so the count is the host's.
fn deeper<H: ExpandHost, T>(host: &mut H, levels: u32, work: impl FnOnce(&mut H) -> T) -> T {
    *host.arithmetic_depth() += levels;
    let value = work(host);
    *host.arithmetic_depth() -= levels;
    value
}

fn read_evaluate<H: ExpandHost>(host: &mut H, text: &[u8]) -> Result<i64, Failure<H::Divert>> {
    host.charge(text.len() as u64 + cost::FIELD)?;
    // Its tree.
    host.reserve(text.len().saturating_mul(32))?;
    let trimmed = text.trim_ascii_start();
    if is_too_deep(host) {
        return Err(failure(trimmed, TOO_DEEP, trimmed));
    }
    let expr = match parse(text) {
        Ok(expr) => expr,
        Err(error) => {
            let shown = match error.end {
                Some(end) => text.get(..end).unwrap_or(text).trim_ascii_start(),
                None => trimmed,
            };
            return Err(failure(shown, error.message, &error.token));
        }
    };
    match (Eval { host }).run(&expr) {
        Ok(value) => Ok(value),
        Err(Stop::Failed(failure)) => Err(failure),
        Err(Stop::Error(message, place)) => Err(failure_at(text, message, place)),
        Err(Stop::Reread) => Err(failure(trimmed, "syntax error: operand expected", trimmed)),
    }
}

/// An error of evaluation at an operand of a text.
fn failure_at<D>(text: &[u8], message: &'static str, place: u32) -> Failure<D> {
    let trimmed = text.trim_ascii_start();
    match message {
        TOO_DEEP => failure(trimmed, message, trimmed),
        _ => failure(trimmed, message, &rest_at(text, place)),
    }
}

fn failure<D>(text: &[u8], message: &str, token: &[u8]) -> Failure<D> {
    let parts: [&[u8]; 6] = [
        text,
        b": ",
        message.as_bytes(),
        b" (error token is \"",
        token,
        b"\")",
    ];
    Failure::Arith(parts.concat())
}

/// Evaluates the expression of a pure arithmetic part; `None` when its text must be expanded and read instead, and nothing has happened.
pub fn evaluate_compiled<H: ExpandHost>(
    host: &mut H,
    source: &Arith,
) -> Result<Option<i64>, Failure<H::Divert>> {
    let Some(expr) = &source.compiled else {
        return Ok(None);
    };
    if let Some(value) = quick(host, expr) {
        return Ok(Some(value));
    }
    if !keeps_shape(host, expr) {
        return Ok(None);
    }
    match (Eval { host }).run(expr) {
        Ok(value) => Ok(Some(value)),
        Err(Stop::Failed(failure)) => Err(failure),
        Err(Stop::Reread) => Ok(None),
        Err(Stop::Error(message, place)) => {
            let text = super::word::text_now(host, &source.text, super::Mode::Single)?;
            Err(failure_at(&text, message, place))
        }
    }
}

/// Whether each `$x` of the expression means as one operand what its text would, pasted. bash pastes before it evaluates anything, so this is
/// asked before as well.
fn keeps_shape<H: ExpandHost>(host: &mut H, expr: &Expr) -> bool {
    match expr {
        Expr::Number(_) | Expr::Variable(_) => true,
        Expr::Dollar(param) => dollar_number(host, param).is_some(),
        Expr::Element {
            name,
            subscript,
            index,
        } => element_keeps_shape(host, name, subscript, index.as_deref()),
        Expr::Unary(UnaryOp::Negate, operand) => match &**operand {
            // `-$x` with a number below zero is pasted to `--1`.
            Expr::Dollar(param) => dollar_number(host, param).is_some_and(|number| number >= 0),
            operand => keeps_shape(host, operand),
        },
        Expr::Unary(_, inner) | Expr::At(_, inner) | Expr::Step { target: inner, .. } => {
            keeps_shape(host, inner)
        }
        Expr::Binary(_, left, right)
        | Expr::And(left, right)
        | Expr::Or(left, right)
        | Expr::Comma(left, right)
        | Expr::Assign {
            target: left,
            value: right,
            ..
        } => keeps_shape(host, left) && keeps_shape(host, right),
        Expr::Conditional(condition, yes, no) => {
            keeps_shape(host, condition) && keeps_shape(host, yes) && keeps_shape(host, no)
        }
        Expr::Chain(first, rest) => {
            keeps_shape(host, first) && rest.iter().all(|(_, operand)| keeps_shape(host, operand))
        }
    }
}

/// The same for a subscript. As the key of an associative array any text will do: bash 5.2 takes it as it is.
fn element_keeps_shape<H: ExpandHost>(
    host: &mut H,
    name: &Name,
    subscript: &Word,
    index: Option<&Expr>,
) -> bool {
    let pasted = subscript.parts.iter().any(|part| matches!(part, Part::Param(_)));
    match index {
        _ if pasted && host.is_assoc(name) => subscript.parts.iter().all(|part| match part {
            Part::Param(param) => plain_param(host, param).is_some_and(|text| !text.is_empty()),
            _ => true,
        }),
        Some(index) => keeps_shape(host, index),
        None => !pasted,
    }
}

/// The text of `$x` or `$1`, where looking at it is all that it takes.
pub(super) fn plain_param<'h, H: ExpandHost>(host: &'h H, param: &Param) -> Option<&'h Text> {
    if param.subscript.is_some() || param.indirect || param.op != ParamOp::Get {
        return None;
    }
    match &param.name {
        ParamName::Variable(name) => host.plain_text(name),
        ParamName::Positional(number @ 1..) => host.positional().get(*number as usize - 1),
        _ => None,
    }
}

/// The number of `$x` as an operand, where its text is one.
fn dollar_number<H: ExpandHost>(host: &mut H, param: &Param) -> Option<i64> {
    if let Some(text) = plain_param(host, param) {
        return plain_number(text);
    }
    match (&param.name, &param.op) {
        (ParamName::Special(byte @ (b'#' | b'?' | b'$' | b'!')), ParamOp::Get) => {
            plain_number(&host.special(*byte)?)
        }
        _ => None,
    }
}

impl<D: From<crate::kernel::Halt>> From<crate::kernel::Halt> for Failure<D> {
    fn from(halt: crate::kernel::Halt) -> Self {
        Failure::Divert(halt.into())
    }
}

/// Levels of operators that are evaluated without counting them.
const QUICK_DEPTH: u32 = 24;

/// The value of an expression of nothing but plain numbers, which has no effect. `None`: it is more than that.
pub fn number_at_once<H: ExpandHost>(host: &H, expr: &Expr) -> Option<i64> {
    quick_value(host, expr, 0)
}

/// Evaluates what is nothing but plain numbers, with at most one assignment, and that at the top. `None`: it is more than that, and
/// nothing has happened.
fn quick<H: ExpandHost>(host: &mut H, expr: &Expr) -> Option<i64> {
    match expr {
        Expr::Step {
            target,
            delta,
            postfix,
        } => {
            let (name, key) = quick_place(host, target)?;
            let old = quick_load(host, name, &key)?;
            let new = old.wrapping_add(*delta);
            host.assign_number(name, &key, new)
                .then_some(if *postfix { old } else { new })
        }
        Expr::Assign { target, op, value } => {
            let (name, key) = quick_place(host, target)?;
            let value = match op {
                None => quick_value(host, value, 0)?,
                Some(op) => {
                    let old = quick_load(host, name, &key)?;
                    binary(*op, old, quick_value(host, value, 0)?).ok()?
                }
            };
            host.assign_number(name, &key, value).then_some(value)
        }
        _ => quick_value(host, expr, 0),
    }
}

/// The variable, or the element of an array.
#[inline]
fn quick_place<'e, H: ExpandHost>(host: &H, target: &'e Expr) -> Option<(&'e Name, Key)> {
    match target {
        Expr::Variable(name) => Some((name, Key::None)),
        Expr::Element {
            name,
            subscript,
            index,
        } => Some((name, quick_key(host, name, subscript, index.as_deref(), 0)?)),
        _ => None,
    }
}

/// Which element: by a number, or by a text that is a parameter or stands there.
#[inline]
fn quick_key<H: ExpandHost>(
    host: &H,
    name: &Name,
    subscript: &Word,
    index: Option<&Expr>,
    depth: u32,
) -> Option<Key> {
    if !host.is_plain_assoc(name) {
        return Some(Key::Index(quick_value(host, index?, depth)?));
    }
    let text = match subscript.parts.as_slice() {
        [Part::Param(param)] => plain_param(host, param)?.clone(),
        [Part::Literal(text)]
            if text
                .iter()
                .all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_') =>
        {
            Text::new(text)
        }
        _ => return None,
    };
    (!text.is_empty()).then_some(Key::Text(text))
}

#[inline]
fn quick_load<H: ExpandHost>(host: &H, name: &Name, key: &Key) -> Option<i64> {
    match key {
        Key::None => host.plain_number(name),
        key => host.element_number(name, key),
    }
}

fn quick_value<H: ExpandHost>(host: &H, expr: &Expr, depth: u32) -> Option<i64> {
    let below = depth + 1;
    match expr {
        Expr::Number(number) => Some(*number),
        Expr::Variable(name) => host.plain_number(name),
        _ if depth > QUICK_DEPTH => None,
        Expr::Dollar(param) => plain_number(plain_param(host, param)?),
        Expr::Element {
            name,
            subscript,
            index,
        } => host.element_number(name, &quick_key(host, name, subscript, index.as_deref(), below)?),
        Expr::Binary(op, left, right) => {
            let left = quick_value(host, left, below)?;
            binary(*op, left, quick_value(host, right, below)?).ok()
        }
        Expr::Unary(op, operand) => {
            let value = quick_value(host, operand, below)?;
            let pasted = *op == UnaryOp::Negate && value < 0 && matches!(**operand, Expr::Dollar(_));
            (!pasted).then(|| unary(*op, value))
        }
        Expr::At(_, inner) => quick_value(host, inner, below),
        Expr::And(left, right) => {
            let both = quick_value(host, left, below)? != 0 && quick_value(host, right, below)? != 0;
            Some(i64::from(both))
        }
        Expr::Or(left, right) => {
            let either = quick_value(host, left, below)? != 0 || quick_value(host, right, below)? != 0;
            Some(i64::from(either))
        }
        _ => None,
    }
}

struct Eval<'h, H> {
    host: &'h mut H,
}

impl<H: ExpandHost> Eval<'_, H> {
    fn run(&mut self, expr: &Expr) -> Step<H> {
        match expr {
            Expr::Number(number) => return Ok(*number),
            Expr::Variable(name) => return self.variable(name),
            _ => {}
        }
        if is_too_deep(self.host) {
            return Err(Stop::Error(TOO_DEEP, 0));
        }
        deeper(self.host, 1, |host| (Eval { host }).operation(expr))
    }

    fn operation(&mut self, expr: &Expr) -> Step<H> {
        match expr {
            Expr::Number(number) => Ok(*number),
            Expr::Variable(name) => self.variable(name),
            Expr::Element { .. } => {
                let place = self.place(expr)?;
                self.load(&place)
            }
            Expr::Dollar(param) => self.dollar(param),
            Expr::Unary(op, operand) => Ok(unary(*op, self.run(operand)?)),
            Expr::Binary(op, left, right) => {
                let left = self.run(left)?;
                self.apply(*op, left, right)
            }
            Expr::Chain(first, rest) => {
                let mut value = self.run(first)?;
                for (op, right) in rest {
                    value = self.apply(*op, value, right)?;
                }
                Ok(value)
            }
            Expr::At(_, inner) => self.run(inner),
            Expr::And(left, right) => Ok(i64::from(self.run(left)? != 0 && self.run(right)? != 0)),
            Expr::Or(left, right) => Ok(i64::from(self.run(left)? != 0 || self.run(right)? != 0)),
            Expr::Conditional(condition, yes, no) => {
                let chosen = if self.run(condition)? != 0 { yes } else { no };
                self.run(chosen)
            }
            Expr::Comma(left, right) => {
                self.run(left)?;
                self.run(right)
            }
            Expr::Step {
                target,
                delta,
                postfix,
            } => {
                let place = self.place(target)?;
                let old = self.load(&place)?;
                let new = old.wrapping_add(*delta);
                self.store(&place, new)?;
                Ok(if *postfix { old } else { new })
            }
            Expr::Assign {
                target,
                op: None,
                value,
            } => {
                // The subscript comes after the value.
                let value = self.run(value)?;
                let place = self.place(target)?;
                self.store(&place, value)?;
                Ok(value)
            }
            Expr::Assign {
                target,
                op: Some(op),
                value,
            } => {
                let place = self.place(target)?;
                let old = self.load(&place)?;
                let value = self.apply(*op, old, value)?;
                self.store(&place, value)?;
                Ok(value)
            }
        }
    }

    fn apply(&mut self, op: BinaryOp, left: i64, right: &Expr) -> Step<H> {
        let value = self.run(right)?;
        let at = if let Expr::At(number, _) = right {
            *number
        } else {
            0
        };
        binary(op, left, value).map_err(|message| Stop::Error(message, at))
    }

    fn variable(&mut self, name: &Name) -> Step<H> {
        match self.host.integer(name) {
            Integer::Number(number) => Ok(number),
            Integer::Text(text) => self.text(&text),
            Integer::Unset => {
                self.check_set(name)?;
                Ok(0)
            }
        }
    }

    fn check_set(&mut self, name: &[u8]) -> Result<(), Stop<H::Divert>> {
        if self.host.flags().nounset {
            return Err(Failure::Fatal([name, b": unbound variable"].concat()).into());
        }
        Ok(())
    }

    fn text(&mut self, text: &[u8]) -> Step<H> {
        if text.is_empty() {
            return Ok(0);
        }
        if let Some(number) = plain_number(text) {
            return Ok(number);
        }
        Ok(evaluate(self.host, text)?)
    }

    /// `$x` as an operand: its text must be a number to mean what the pasted text would.
    fn dollar(&mut self, param: &Param) -> Step<H> {
        dollar_number(self.host, param).ok_or(Stop::Reread)
    }

    fn place<'e>(&mut self, target: &'e Expr) -> Result<Place<'e>, Stop<H::Divert>> {
        match target {
            Expr::Variable(name) => Ok(Place { name, key: Key::None }),
            Expr::Element {
                name,
                subscript,
                index,
            } => {
                let key = self.key(name, subscript, index.as_deref())?;
                Ok(Place { name, key })
            }
            _ => Err(Stop::Reread),
        }
    }

    fn key(&mut self, name: &Name, subscript: &Word, index: Option<&Expr>) -> Result<Key, Stop<H::Divert>> {
        if let Some(index) = index
            && !self.host.is_assoc(name)
        {
            match self.index(subscript, index) {
                Ok(index) => return Ok(Key::Index(index)),
                // An error in an index ends everything.
                Err(Stop::Failed(Failure::Arith(message))) => {
                    return Err(Stop::Failed(Failure::Top(message)));
                }
                Err(stop @ Stop::Error(TOO_DEEP, _)) => return Err(stop),
                // The message is about the index: it is read again.
                Err(Stop::Reread | Stop::Error(..)) => {}
                Err(stop) => return Err(stop),
            }
        }
        if !subscript.pure {
            // Evaluation cannot wait for a command.
            return Err(Stop::Error("syntax error: operand expected", 0));
        }
        Ok(Key::Text(
            subscript::of_variable(self.host, name, subscript)?.into(),
        ))
    }

    /// An index counts as an expression of its own.
    fn index(&mut self, subscript: &Word, index: &Expr) -> Step<H> {
        if let Expr::Number(number) = index {
            return Ok(*number);
        }
        if is_too_deep(self.host) {
            let text = crate::syntax::print::print_word(subscript);
            return Err(failure(&text, TOO_DEEP, &text).into());
        }
        deeper(self.host, 2, |host| (Eval { host }).run(index))
    }

    fn load(&mut self, place: &Place<'_>) -> Step<H> {
        let key = match &place.key {
            Key::None => return self.variable(place.name),
            key => key,
        };
        if let Some(number) = self.host.element_number(place.name, key) {
            return Ok(number);
        }
        if is_empty(key) {
            let message = [place.name, b"[]: bad array subscript".as_slice()].concat();
            self.host.warn(&message);
            self.host.warn(&message);
            return Ok(0);
        }
        let value = self.host.value(place.name).unwrap_or(Value::Unset);
        let element = key.with_text(|key| {
            super::param::element::<H::Divert>(place.name, &value, key.unwrap_or_default())
                .map(|text| text.map(<[u8]>::to_vec))
        });
        let before = match key {
            Key::Index(index) => *index < 0,
            Key::Text(text) => text.first() == Some(&b'-'),
            Key::None => false,
        };
        let element = match (element, &value) {
            (Ok(_), Value::Scalar(_) | Value::Unset) if before => None,
            (Ok(element), _) => Some(element),
            (Err(_), _) => None,
        };
        let Some(element) = element else {
            self.host
                .warn(&[place.name, b": bad array subscript".as_slice()].concat());
            return Ok(0);
        };
        match element {
            Some(text) => self.text(&text),
            // `set -u` minds an array without any value, not a missing element.
            None if matches!(value, Value::Unset) => {
                self.check_set(place.name)?;
                Ok(0)
            }
            None => Ok(0),
        }
    }

    fn store(&mut self, place: &Place<'_>, value: i64) -> Result<(), Stop<H::Divert>> {
        if is_empty(&place.key) {
            self.host
                .warn(&[b"`", &**place.name, b"[]': not a valid identifier"].concat());
            return Ok(());
        }
        let mut buffer = itoa::Buffer::new();
        let text = buffer.format(value).as_bytes();
        match self.host.assign_at(place.name, &place.key, text) {
            // The expression goes on without.
            Err(Failure::Discard(message))
                if message.ends_with(b": bad array subscript")
                    || message.ends_with(b"': not a valid identifier") =>
            {
                self.host.warn(&message);
                Ok(())
            }
            assigned => Ok(assigned?),
        }
    }
}

struct Place<'e> {
    name: &'e Name,
    key: Key,
}

/// `name[]`
fn is_empty(key: &Key) -> bool {
    matches!(key, Key::Text(text) if text.is_empty())
}

const fn unary(op: UnaryOp, value: i64) -> i64 {
    match op {
        UnaryOp::Negate => value.wrapping_neg(),
        UnaryOp::Plus => value,
        UnaryOp::Not => (value == 0) as i64,
        UnaryOp::Complement => !value,
    }
}

fn binary(op: BinaryOp, left: i64, right: i64) -> Result<i64, &'static str> {
    Ok(match op {
        BinaryOp::Power => {
            if right < 0 {
                return Err("exponent less than 0");
            }
            power(left, right)
        }
        BinaryOp::Multiply => left.wrapping_mul(right),
        BinaryOp::Divide | BinaryOp::Remainder if right == 0 => return Err("division by 0"),
        BinaryOp::Divide => left.wrapping_div(right),
        BinaryOp::Remainder => left.wrapping_rem(right),
        BinaryOp::Add => left.wrapping_add(right),
        BinaryOp::Subtract => left.wrapping_sub(right),
        BinaryOp::ShiftLeft => left.wrapping_shl(right as u32),
        BinaryOp::ShiftRight => left.wrapping_shr(right as u32),
        BinaryOp::Less => i64::from(left < right),
        BinaryOp::LessEqual => i64::from(left <= right),
        BinaryOp::Greater => i64::from(left > right),
        BinaryOp::GreaterEqual => i64::from(left >= right),
        BinaryOp::Equal => i64::from(left == right),
        BinaryOp::NotEqual => i64::from(left != right),
        BinaryOp::And => left & right,
        BinaryOp::Xor => left ^ right,
        BinaryOp::Or => left | right,
    })
}

const fn power(base: i64, exponent: i64) -> i64 {
    let (mut result, mut base, mut exponent) = (1i64, base, exponent);
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = result.wrapping_mul(base);
        }
        base = base.wrapping_mul(base);
        exponent >>= 1;
    }
    result
}
