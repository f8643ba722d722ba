//! Arithmetic text to expression: bash's own lexer and precedences, with its messages and error tokens.
//!
//! One pass, no backtracking; depth is bounded, and long sums are flat ([`Expr::Chain`]). The error token is the text
//! from the last token read.
//!
//! [`parse`] reads a text that was expanded. [`compile`] reads one that was not: each `$x` stands for one
//! operand, which is the zero byte in the text that is parsed.

use super::arith::{ArithError, BinaryOp, Expr, UnaryOp};
use super::arith_lexer::{DOLLAR, Kind, Operand, Token};
use super::ast::{Name, Param, ParamName, ParamOp, Part, Word};
use super::token::{NAME, class};
use crate::stack;

/// How deep expressions may nest, where [`stack`] has room.
const MAX_DEPTH: usize = 200;
/// How deep their trees may be, which left-associative operators deepen without nesting.
const MAX_HEIGHT: u32 = 400;
/// Runs of one precedence longer than this are kept flat.
const CHAIN: usize = 16;

/// Reads an expression; empty text is 0.
pub fn parse(text: &[u8]) -> Result<Expr, ArithError> {
    let _base = stack::Base::here();
    Reading::new(text, &[]).whole()
}

/// What bash shows as the error token when the operand `place` (of [`Expr::At`]) of this text is at fault.
pub fn rest_at(text: &[u8], place: u32) -> Box<[u8]> {
    let mut reading = Reading::new(text, &[]);
    let _ = reading.whole();
    let start = reading.places.get(place as usize).copied().unwrap_or(text.len());
    text.get(start..).unwrap_or_default().into()
}

/// The expression of an unexpanded text, where no expansion can change its shape.
pub(super) fn compile(text: &Word) -> Option<Expr> {
    compile_at(text, 0)
}

/// The same at some depth of subscripts in subscripts.
fn compile_at(text: &Word, depth: usize) -> Option<Expr> {
    if !text.pure {
        return None;
    }
    let mut flat = Vec::new();
    let mut params = Vec::new();
    for part in &text.parts {
        match part {
            Part::Literal(literal) => flat.extend_from_slice(literal),
            Part::Param(param) if is_plain(param) => {
                flat.push(DOLLAR);
                params.push(param.as_ref());
            }
            // Only as a whole subscript.
            Part::Double { parts, .. } => match parts.as_slice() {
                [Part::Param(param)] if is_plain(param) => {
                    flat.extend_from_slice(&[b'"', DOLLAR, b'"']);
                    params.push(param.as_ref());
                }
                _ => return None,
            },
            _ => return None,
        }
    }
    if !params.is_empty() && joined(&flat) {
        return None;
    }
    let mut reading = Reading {
        depth,
        ..Reading::new(&flat, &params)
    };
    let expr = reading.whole().ok()?;
    let changed = params
        .iter()
        .any(|param| matches!(&param.name, ParamName::Variable(name) if assigns(&expr, name)));
    (!changed).then_some(expr)
}

/// A value without operation.
fn is_plain(param: &Param) -> bool {
    param.op == ParamOp::Get && param.subscript.is_none() && !param.indirect
}

/// Whether a parameter touches text that could make another token of it. Those in subscripts are left to what compiles the subscript.
fn joined(flat: &[u8]) -> bool {
    let touches =
        |byte: Option<&u8>| byte.is_some_and(|byte| class(*byte) & NAME != 0 || b"#@[]$\0.".contains(byte));
    let stepped = |at: usize| matches!(flat.get(at + 1..), Some([b'+', b'+', ..] | [b'-', b'-', ..]));
    let mut open = 0_usize;
    flat.iter().enumerate().any(|(at, byte)| {
        match byte {
            b'[' => open += 1,
            b']' => open = open.saturating_sub(1),
            _ => {}
        }
        *byte == DOLLAR
            && open == 0
            && (touches(flat.get(at + 1))
                || touches(at.checked_sub(1).and_then(|before| flat.get(before)))
                || stepped(at))
    })
}

/// Whether the expression sets this variable: `$x` has its value from before.
fn assigns(expr: &Expr, name: &[u8]) -> bool {
    let target_is = |target: &Expr| match target {
        Expr::Variable(variable) | Expr::Element { name: variable, .. } => **variable == *name,
        _ => false,
    };
    match expr {
        Expr::Number(_) | Expr::Variable(_) | Expr::Dollar(_) => false,
        Expr::Element { index, .. } => index.as_ref().is_some_and(|index| assigns(index, name)),
        Expr::Unary(_, inner) | Expr::At(_, inner) => assigns(inner, name),
        Expr::Step { target, .. } => target_is(target) || assigns(target, name),
        Expr::Assign { target, value, .. } => {
            target_is(target) || assigns(target, name) || assigns(value, name)
        }
        Expr::Binary(_, left, right)
        | Expr::And(left, right)
        | Expr::Or(left, right)
        | Expr::Comma(left, right) => assigns(left, name) || assigns(right, name),
        Expr::Conditional(test, yes, no) => assigns(test, name) || assigns(yes, name) || assigns(no, name),
        Expr::Chain(first, rest) => assigns(first, name) || rest.iter().any(|(_, expr)| assigns(expr, name)),
    }
}

pub(super) type Read<T> = Result<T, ArithError>;

/// A text being read.
pub(super) struct Reading<'t> {
    pub(super) text: &'t [u8],
    /// Behind the current token.
    pub(super) pos: usize,
    pub(super) token: Token,
    pub(super) kind: Kind,
    /// The kind of the token before, or `Number` when an operation was read since.
    pub(super) last: Kind,
    /// Where the last token that is not the end starts.
    pub(super) start: usize,
    depth: usize,
    /// The height of the expression that was read last.
    height: u32,
    params: &'t [&'t Param],
    /// How many zero bytes were met.
    pub(super) met: usize,
    /// For each [`Expr::At`], where its error token starts.
    places: Vec<usize>,
}

impl<'t> Reading<'t> {
    fn new(text: &'t [u8], params: &'t [&'t Param]) -> Self {
        Self {
            text,
            pos: 0,
            token: Token::End,
            kind: Kind::Nothing,
            last: Kind::Nothing,
            start: 0,
            depth: 0,
            height: 0,
            params,
            met: 0,
            places: Vec::new(),
        }
    }

    /// The whole text.
    fn whole(&mut self) -> Read<Expr> {
        self.advance()?;
        if self.token == Token::End {
            return Ok(Expr::Number(0));
        }
        let expr = self.deeper(Self::expression)?;
        if self.token == Token::End {
            Ok(expr)
        } else {
            Err(self.error("syntax error in expression"))
        }
    }

    pub(super) fn error(&self, message: &'static str) -> ArithError {
        ArithError {
            message,
            token: self.text.get(self.start..).unwrap_or_default().into(),
            end: None,
        }
    }

    fn deeper(&mut self, production: impl FnOnce(&mut Self) -> Read<Expr>) -> Read<Expr> {
        if self.depth >= MAX_DEPTH || stack::is_low() {
            return Err(self.error("expression recursion level exceeded"));
        }
        self.depth += 1;
        let result = production(self);
        self.depth -= 1;
        result
    }

    /// Production: `a , b`
    fn expression(&mut self) -> Read<Expr> {
        let mut left = self.assignment_expression();
        while left.is_ok() && self.token == Token::Comma {
            left = left.and_then(|left| self.behind_comma(left));
        }
        left
    }

    // What stands behind an operator is read in functions of its own: most expressions have few, and the frames of those that nest without
    // them are smaller.

    fn behind_comma(&mut self, left: Expr) -> Read<Expr> {
        let height = self.height;
        self.advance()?;
        let right = self.assignment_expression()?;
        self.grow(height)?;
        self.last = Kind::Number;
        Ok(Expr::Comma(Box::new(left), Box::new(right)))
    }

    /// An expression was made of the one read last and one of this height.
    fn grow(&mut self, height: u32) -> Read<()> {
        self.height = self.height.max(height) + 1;
        if self.height > MAX_HEIGHT {
            Err(self.error("expression recursion level exceeded"))
        } else {
            Ok(())
        }
    }

    /// Production: `x = a`, `x op= a`
    fn assignment_expression(&mut self) -> Read<Expr> {
        let target = self.conditional_expression();
        match self.token {
            Token::Assign(op) => target.and_then(|target| self.assignment(target, op)),
            _ => target,
        }
    }

    fn assignment(&mut self, target: Expr, op: Option<BinaryOp>) -> Read<Expr> {
        if self.last != Kind::Variable {
            return Err(self.error("attempted assignment to non-variable"));
        }
        let height = self.height;
        self.advance()?;
        let mut value = self.deeper(Self::assignment_expression)?;
        if matches!(op, Some(BinaryOp::Divide | BinaryOp::Remainder)) {
            value = self.at(value, self.start);
        }
        self.grow(height)?;
        Ok(Expr::Assign {
            target: Box::new(target),
            op,
            value: Box::new(value),
        })
    }

    /// Production: `a ? b : c`
    fn conditional_expression(&mut self) -> Read<Expr> {
        let test = self.binary_expression(0);
        if self.token == Token::Question {
            test.and_then(|test| self.choice(test))
        } else {
            test
        }
    }

    fn choice(&mut self, test: Expr) -> Read<Expr> {
        let test_height = self.height;
        self.advance()?;
        if matches!(self.token, Token::End | Token::Colon) {
            return Err(self.error("expression expected"));
        }
        let yes = self.deeper(Self::expression)?;
        let yes_height = self.height;
        if self.token != Token::Colon {
            return Err(self.error("`:' expected for conditional expression"));
        }
        self.advance()?;
        if self.token == Token::End {
            return Err(self.error("expression expected"));
        }
        let no = self.deeper(Self::conditional_expression)?;
        self.grow(test_height.max(yes_height))?;
        self.last = Kind::Number;
        Ok(Expr::Conditional(Box::new(test), Box::new(yes), Box::new(no)))
    }

    /// Production: binary operators of at least this precedence.
    fn binary_expression(&mut self, least: u8) -> Read<Expr> {
        let left = self.unary_expression();
        match self.precedence() {
            Some(precedence) if precedence >= least => left.and_then(|left| self.operations(left, least)),
            _ => left,
        }
    }

    /// Operators of at least this precedence, and their right sides.
    fn operations(&mut self, mut left: Expr, least: u8) -> Read<Expr> {
        let (mut run, mut run_of) = (0, u8::MAX);
        while let Some(precedence) = self.precedence().filter(|precedence| *precedence >= least) {
            run = if precedence == run_of { run + 1 } else { 1 };
            run_of = precedence;
            let height = self.height;
            left = self.operation(left, precedence, run)?;
            match left {
                Expr::Chain(..) if run > CHAIN + 1 => self.height = height.max(self.height + 1),
                _ => self.grow(height)?,
            }
            self.last = Kind::Number;
        }
        Ok(left)
    }

    /// One operator and its right side.
    fn operation(&mut self, left: Expr, precedence: u8, run: usize) -> Read<Expr> {
        let token = self.token.clone();
        self.advance()?;
        let start = self.start;
        if token == Token::Operator(BinaryOp::Power) {
            let right = self.deeper(|reading| reading.binary_expression(POWER))?;
            let right = self.at(right, self.start);
            return Ok(Expr::Binary(BinaryOp::Power, Box::new(left), Box::new(right)));
        }
        let right = self.deeper(|reading| reading.binary_expression(precedence + 1))?;
        Ok(match token {
            Token::And => Expr::And(Box::new(left), Box::new(right)),
            Token::Or => Expr::Or(Box::new(left), Box::new(right)),
            Token::Operator(op @ (BinaryOp::Divide | BinaryOp::Remainder)) => {
                let right = self.at(right, start);
                join(left, op, right, run)
            }
            Token::Operator(op) => join(left, op, right, run),
            _ => left,
        })
    }

    /// Notes where an operand stands, when it can be at fault.
    fn at(&mut self, operand: Expr, start: usize) -> Expr {
        if matches!(operand, Expr::Number(1..)) {
            return operand;
        }
        self.height += 1;
        let place = self.places.len() as u32;
        self.places.push(start);
        Expr::At(place, Box::new(operand))
    }

    fn precedence(&self) -> Option<u8> {
        Some(match self.token {
            Token::Or => 0,
            Token::And => 1,
            Token::Operator(op) => match op {
                BinaryOp::Or => 2,
                BinaryOp::Xor => 3,
                BinaryOp::And => 4,
                BinaryOp::Equal | BinaryOp::NotEqual => 5,
                BinaryOp::Less | BinaryOp::LessEqual | BinaryOp::Greater | BinaryOp::GreaterEqual => 6,
                BinaryOp::ShiftLeft | BinaryOp::ShiftRight => 7,
                BinaryOp::Add | BinaryOp::Subtract => 8,
                BinaryOp::Multiply | BinaryOp::Divide | BinaryOp::Remainder => 9,
                BinaryOp::Power => POWER,
            },
            _ => return None,
        })
    }

    /// Production: `! ~ - +` in front, which bind tighter than `**`.
    fn unary_expression(&mut self) -> Read<Expr> {
        let op = match self.token {
            Token::Not => UnaryOp::Not,
            Token::Complement => UnaryOp::Complement,
            Token::Operator(BinaryOp::Subtract) => UnaryOp::Negate,
            Token::Operator(BinaryOp::Add) => UnaryOp::Plus,
            _ => return self.primary_expression(),
        };
        self.behind_sign(op)
    }

    fn behind_sign(&mut self, op: UnaryOp) -> Read<Expr> {
        self.advance()?;
        let operand = self.deeper(Self::unary_expression)?;
        self.grow(0)?;
        self.last = Kind::Number;
        Ok(Expr::Unary(op, Box::new(operand)))
    }

    /// Production: parentheses, numbers, variables and their steps.
    fn primary_expression(&mut self) -> Read<Expr> {
        match std::mem::replace(&mut self.token, Token::End) {
            Token::Before(delta) => self.stepped_before(delta),
            Token::Open => self.parenthesis(),
            Token::Operand(operand) => self.stepped_operand(operand),
            _ => Err(self.error("syntax error: operand expected")),
        }
    }

    /// Production: `( a )`, behind the parenthesis that opens.
    fn parenthesis(&mut self) -> Read<Expr> {
        self.advance()?;
        let inner = self.deeper(Self::expression)?;
        if self.token != Token::Close {
            return Err(self.error("missing `)'"));
        }
        self.advance()?;
        Ok(inner)
    }

    /// `++x`, `--x`, behind the operator.
    fn stepped_before(&mut self, delta: i64) -> Read<Expr> {
        self.advance()?;
        let Token::Operand(operand @ Operand::Variable(..)) = self.token.clone() else {
            return Err(self.error("identifier expected after pre-increment or pre-decrement"));
        };
        let target = Box::new(self.operand(operand)?);
        self.kind = Kind::Number;
        self.last = Kind::Step;
        self.advance_after_step()?;
        Ok(Expr::Step {
            target,
            delta,
            postfix: false,
        })
    }

    /// An operand, `x++`, `x--`.
    fn stepped_operand(&mut self, operand: Operand) -> Read<Expr> {
        let expr = self.operand(operand)?;
        self.advance()?;
        let Token::After(delta) = self.token else {
            return Ok(expr);
        };
        self.kind = Kind::Number;
        self.advance()?;
        Ok(Expr::Step {
            target: Box::new(expr),
            delta,
            postfix: true,
        })
    }

    /// `--x++` is caught here.
    fn advance_after_step(&mut self) -> Read<()> {
        let rest = self.skip_blanks();
        match rest {
            [first @ (b'+' | b'-'), second, ..] if first == second => {
                self.start = self.text.len() - rest.len();
                Err(self.error(match first {
                    b'-' => "--: assignment requires lvalue",
                    _ => "++: assignment requires lvalue",
                }))
            }
            _ => self.advance(),
        }
    }

    fn operand(&mut self, operand: Operand) -> Read<Expr> {
        self.height = 1;
        Ok(match operand {
            Operand::Number(number) => Expr::Number(number),
            Operand::Dollar => {
                let Some(param) = self.params.get(self.met.wrapping_sub(1)) else {
                    return Err(self.error("syntax error: operand expected"));
                };
                Expr::Dollar(Box::new((*param).clone()))
            }
            Operand::Variable(name, None) => Expr::Variable(name),
            Operand::Variable(name, Some((start, end))) => self.element(name, start, end)?,
        })
    }

    /// `name[…]`: the subscript as a word, and compiled.
    fn element(&mut self, name: Name, start: usize, end: usize) -> Read<Expr> {
        let mut text = self.text.get(start..end).unwrap_or_default();
        if let [b'"', DOLLAR, b'"'] = text {
            text = &[DOLLAR];
        }
        let holes = memchr::memchr_iter(DOLLAR, text).count();
        let params = self.params;
        let here = params.get(self.met - holes..self.met).unwrap_or_default();
        let subscript = if params.is_empty() {
            Word::subscript(text)
        } else if text.iter().any(|byte| b"'\"\\`$".contains(byte)) {
            return Err(self.error("syntax error: operand expected"));
        } else {
            with_params(text, here)
        };
        let index = match compile_at(&subscript, self.depth + 1) {
            Some(Expr::Number(0)) if text.is_empty() => None,
            compiled => compiled.map(Box::new),
        };
        Ok(Expr::Element {
            name,
            subscript: Box::new(subscript),
            index,
        })
    }
}

const POWER: u8 = 10;

/// `left op right`, flat when the run is long.
fn join(left: Expr, op: BinaryOp, right: Expr, run: usize) -> Expr {
    match left {
        Expr::Chain(first, mut rest) if run > CHAIN + 1 => {
            rest.push((op, right));
            Expr::Chain(first, rest)
        }
        left if run > CHAIN => Expr::Chain(Box::new(left), vec![(op, right)]),
        left => Expr::Binary(op, Box::new(left), Box::new(right)),
    }
}

/// A word of text with a parameter at each zero byte.
fn with_params(text: &[u8], params: &[&Param]) -> Word {
    let mut parts = Vec::new();
    for (at, piece) in text.split(|byte| *byte == DOLLAR).enumerate() {
        if let Some(param) = at.checked_sub(1).and_then(|before| params.get(before)) {
            parts.push(Part::Param(Box::new((*param).clone())));
        }
        if !piece.is_empty() {
            parts.push(Part::Literal(piece.into()));
        }
    }
    Word {
        parts,
        pure: true,
        braces: false,
        assign: None,
        index: None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::arith::{BinaryOp, Expr};
    use super::{parse, rest_at};

    fn number(value: i64) -> Box<Expr> {
        Box::new(Expr::Number(value))
    }

    #[test]
    fn precedence_and_associativity() {
        let product = Expr::Binary(BinaryOp::Multiply, number(2), number(3));
        assert_eq!(
            parse(b"1+2*3"),
            Ok(Expr::Binary(BinaryOp::Add, number(1), Box::new(product)))
        );
        let left = Expr::Binary(BinaryOp::Subtract, number(1), number(2));
        assert_eq!(
            parse(b" 1-2 - 3"),
            Ok(Expr::Binary(BinaryOp::Subtract, Box::new(left), number(3)))
        );
        assert_eq!(parse(b""), Ok(Expr::Number(0)));
    }

    #[test]
    fn errors_carry_message_and_token() {
        for (text, message, token) in [
            ("1+", "syntax error: operand expected", "+"),
            ("08", "value too great for base", "08"),
            ("1 2", "syntax error in expression", "2"),
            ("1=2", "attempted assignment to non-variable", "=2"),
            ("2#", "invalid integer constant", "2#"),
            ("(1", "missing `)'", "1"),
        ] {
            let error = parse(text.as_bytes()).unwrap_err();
            assert_eq!(
                (error.message, error.token.as_ref()),
                (message, token.as_bytes()),
                "{text}"
            );
        }
    }

    #[test]
    fn long_sums_are_flat_and_depth_is_bounded() {
        let sum = format!("1{}", "+1".repeat(100_000));
        assert!(matches!(parse(sum.as_bytes()), Ok(Expr::Chain(_, rest)) if rest.len() > 99_000));
        for deep in ["(", "-", "a[", "x=", "1?", "1**"] {
            let message = parse(deep.repeat(100_000).as_bytes()).unwrap_err().message;
            assert!(
                matches!(
                    message,
                    "expression recursion level exceeded" | "bad array subscript"
                ),
                "{deep}: {message}"
            );
        }
    }

    #[test]
    fn the_divisor_is_found_again() {
        let Ok(Expr::Binary(BinaryOp::Divide, _, right)) = parse(b"1 / x") else {
            panic!("a division")
        };
        assert!(matches!(*right, Expr::At(0, _)));
        assert_eq!(rest_at(b"1 / x", 0).as_ref(), b"x");
    }
}
