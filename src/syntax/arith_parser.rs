//! Arithmetic text to expression: bash's own lexer and precedences, with its messages and error tokens.
//!
//! The lexer is bash's in all its oddities, because they show: `x+++y` and `--5` are read as there, a number
//! is any run of letters, digits, `#`, `@` and `_` that starts with a digit, and the error token is the text
//! from the last token read. One pass, no backtracking; depth is bounded, and long sums are flat
//! ([`Expr::Chain`]).
//!
//! [`parse`] reads a text that was expanded. [`compile`] reads one that was not: each `$x` stands for one
//! operand, which is the zero byte in the text that is parsed.

use super::arith::{ArithError, BinaryOp, Expr, UnaryOp};
use super::ast::{Name, Param, ParamName, ParamOp, Part, Word};
use super::token::{NAME, class, starts_name};

/// How deep expressions may nest.
const MAX_DEPTH: usize = 150;
/// How deep their trees may be, which left-associative operators deepen without nesting.
const MAX_HEIGHT: u32 = 400;
/// Runs of one precedence longer than this are kept flat.
const CHAIN: usize = 16;

/// Reads an expression; empty text is 0.
pub fn parse(text: &[u8]) -> Result<Expr, ArithError> {
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

/// Stands for a parameter.
const DOLLAR: u8 = 0;

/// A value without operation.
fn is_plain(param: &Param) -> bool {
    param.op == ParamOp::Get && param.subscript.is_none() && !param.indirect
}

/// Whether a parameter touches text that could make another token of it.
fn joined(flat: &[u8]) -> bool {
    let touches =
        |byte: Option<&u8>| byte.is_some_and(|byte| class(*byte) & NAME != 0 || b"#@[]$\0.".contains(byte));
    let stepped = |at: usize| matches!(flat.get(at + 1..), Some([b'+', b'+', ..] | [b'-', b'-', ..]));
    flat.iter()
        .enumerate()
        .filter(|(_, byte)| **byte == DOLLAR)
        .any(|(at, _)| {
            touches(flat.get(at + 1))
                || touches(at.checked_sub(1).and_then(|before| flat.get(before)))
                || stepped(at)
        })
}

/// Whether the expression sets this variable: `$x` has its value from before.
fn assigns(expr: &Expr, name: &[u8]) -> bool {
    let target_is = |target: &Expr| match target {
        Expr::Variable(variable) | Expr::Element { name: variable, .. } => variable.as_ref() == name,
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

/// A token. Operands carry their value.
#[derive(Debug, Clone, PartialEq)]
enum Token {
    End,
    Operand(Operand),
    /// A binary operator, or `+ -` in front.
    Operator(BinaryOp),
    And,
    Or,
    Not,
    Complement,
    Question,
    Colon,
    Comma,
    Open,
    Close,
    /// `=` or `op=`
    Assign(Option<BinaryOp>),
    /// `++` or `--` before a name.
    Before(i64),
    /// `++` or `--` behind a name.
    After(i64),
}

#[derive(Debug, Clone, PartialEq)]
enum Operand {
    Number(i64),
    Dollar,
    /// A name, or an element with the text of its subscript.
    Variable(Name, Option<(usize, usize)>),
}

/// What the token before this one was, as far as the lexer and the assignment check care.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Nothing,
    Operator,
    Number,
    Variable,
    Close,
    Step,
}

type Read<T> = Result<T, ArithError>;

struct Reading<'t> {
    text: &'t [u8],
    /// Behind the current token.
    pos: usize,
    token: Token,
    kind: Kind,
    /// The kind of the token before, or `Number` when an operation was read since.
    last: Kind,
    /// Where the last token that is not the end starts.
    start: usize,
    depth: usize,
    /// The height of the expression that was read last.
    height: u32,
    params: &'t [&'t Param],
    /// How many zero bytes were met.
    met: usize,
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
        let expr = self.deeper(Self::comma)?;
        if self.token == Token::End {
            Ok(expr)
        } else {
            Err(self.error("syntax error in expression"))
        }
    }

    fn error(&self, message: &'static str) -> ArithError {
        ArithError {
            message,
            token: self.text.get(self.start..).unwrap_or_default().into(),
            end: None,
        }
    }

    fn deeper(&mut self, production: impl FnOnce(&mut Self) -> Read<Expr>) -> Read<Expr> {
        if self.depth >= MAX_DEPTH {
            return Err(self.error("expression recursion level exceeded"));
        }
        self.depth += 1;
        let result = production(self);
        self.depth -= 1;
        result
    }

    /// `assignment { , assignment }`
    fn comma(&mut self) -> Read<Expr> {
        let mut left = self.assignment()?;
        while self.token == Token::Comma {
            let height = self.height;
            self.advance()?;
            let right = self.assignment()?;
            self.grow(height)?;
            self.last = Kind::Number;
            left = Expr::Comma(Box::new(left), Box::new(right));
        }
        Ok(left)
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

    /// `conditional [= assignment]`, with all the `op=`.
    fn assignment(&mut self) -> Read<Expr> {
        let target = self.conditional()?;
        let Token::Assign(op) = self.token else {
            return Ok(target);
        };
        if self.last != Kind::Variable {
            return Err(self.error("attempted assignment to non-variable"));
        }
        let height = self.height;
        self.advance()?;
        let mut value = self.deeper(Self::assignment)?;
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

    /// `binary [? comma : conditional]`
    fn conditional(&mut self) -> Read<Expr> {
        let test = self.binary(0)?;
        if self.token != Token::Question {
            return Ok(test);
        }
        let test_height = self.height;
        self.advance()?;
        if matches!(self.token, Token::End | Token::Colon) {
            return Err(self.error("expression expected"));
        }
        let yes = self.deeper(Self::comma)?;
        let yes_height = self.height;
        if self.token != Token::Colon {
            return Err(self.error("`:' expected for conditional expression"));
        }
        self.advance()?;
        if self.token == Token::End {
            return Err(self.error("expression expected"));
        }
        let no = self.deeper(Self::conditional)?;
        self.grow(test_height.max(yes_height))?;
        self.last = Kind::Number;
        Ok(Expr::Conditional(Box::new(test), Box::new(yes), Box::new(no)))
    }

    /// Binary operators of at least this precedence.
    fn binary(&mut self, least: u8) -> Read<Expr> {
        let mut left = self.unary()?;
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
            let right = self.deeper(|reading| reading.binary(POWER))?;
            let right = self.at(right, self.start);
            return Ok(Expr::Binary(BinaryOp::Power, Box::new(left), Box::new(right)));
        }
        let right = self.deeper(|reading| reading.binary(precedence + 1))?;
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

    /// `! ~ - +` in front, which bind tighter than `**`.
    fn unary(&mut self) -> Read<Expr> {
        let op = match self.token {
            Token::Not => UnaryOp::Not,
            Token::Complement => UnaryOp::Complement,
            Token::Operator(BinaryOp::Subtract) => UnaryOp::Negate,
            Token::Operator(BinaryOp::Add) => UnaryOp::Plus,
            _ => return self.primary(),
        };
        self.advance()?;
        let operand = self.deeper(Self::unary)?;
        self.grow(0)?;
        self.last = Kind::Number;
        Ok(Expr::Unary(op, Box::new(operand)))
    }

    /// Parentheses, numbers, variables and their steps.
    fn primary(&mut self) -> Read<Expr> {
        match std::mem::replace(&mut self.token, Token::End) {
            Token::Before(delta) => {
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
            Token::Open => {
                self.advance()?;
                let inner = self.deeper(Self::comma)?;
                if self.token != Token::Close {
                    return Err(self.error("missing `)'"));
                }
                self.advance()?;
                Ok(inner)
            }
            Token::Operand(operand) => {
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
            _ => Err(self.error("syntax error: operand expected")),
        }
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
        let text = self.text.get(start..end).unwrap_or_default();
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
    }
}

/// The lexer.
impl<'t> Reading<'t> {
    fn skip_blanks(&mut self) -> &'t [u8] {
        let rest = self.text.get(self.pos..).unwrap_or_default();
        let blanks = rest
            .iter()
            .take_while(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r'))
            .count();
        self.pos += blanks;
        rest.get(blanks..).unwrap_or_default()
    }

    /// Reads the next token.
    fn advance(&mut self) -> Read<()> {
        let rest = self.skip_blanks();
        let Some(&first) = rest.first() else {
            self.set(Token::End, Kind::Nothing, 0);
            return Ok(());
        };
        self.start = self.pos;
        if starts_name(first) {
            return self.variable(rest);
        }
        if first.is_ascii_digit() {
            return self.number(rest);
        }
        if first == DOLLAR {
            self.met += 1;
            self.set(Token::Operand(Operand::Dollar), Kind::Number, 1);
            return Ok(());
        }
        self.operator(rest)
    }

    fn set(&mut self, token: Token, kind: Kind, length: usize) {
        self.last = std::mem::replace(&mut self.kind, kind);
        self.token = token;
        self.pos += length;
    }

    fn variable(&mut self, rest: &[u8]) -> Read<()> {
        let length = rest
            .iter()
            .position(|byte| class(*byte) & NAME == 0)
            .unwrap_or(rest.len());
        let name: Name = rest.get(..length).unwrap_or_default().into();
        if rest.get(length) != Some(&b'[') {
            self.set(
                Token::Operand(Operand::Variable(name, None)),
                Kind::Variable,
                length,
            );
            return Ok(());
        }
        let inside = rest.get(length + 1..).unwrap_or_default();
        let Some(size) = subscript_length(inside) else {
            return Err(self.error("bad array subscript"));
        };
        let start = self.pos + length + 1;
        self.met += memchr::memchr_iter(DOLLAR, inside.get(..size).unwrap_or_default()).count();
        let operand = Operand::Variable(name, Some((start, start + size)));
        self.set(Token::Operand(operand), Kind::Variable, length + size + 2);
        Ok(())
    }

    fn number(&mut self, rest: &[u8]) -> Read<()> {
        let digit = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'#' | b'@' | b'_');
        let length = rest.iter().position(|byte| !digit(byte)).unwrap_or(rest.len());
        let digits = rest.get(..length).unwrap_or_default();
        match constant(digits) {
            Ok(value) => {
                self.set(Token::Operand(Operand::Number(value)), Kind::Number, length);
                Ok(())
            }
            Err(message) => Err(ArithError {
                message,
                token: digits.into(),
                end: Some(self.pos + length),
            }),
        }
    }

    fn operator(&mut self, rest: &[u8]) -> Read<()> {
        let (token, length) = match rest {
            [b'+', b'+', ..] | [b'-', b'-', ..] => return self.step(rest),
            _ => match operator_token(rest) {
                Some(found) => found,
                None => {
                    let operand = matches!(self.kind, Kind::Nothing | Kind::Operator | Kind::Close);
                    return Err(self.error(match operand {
                        true => "syntax error: operand expected",
                        false => "syntax error: invalid arithmetic operator",
                    }));
                }
            },
        };
        let kind = if token == Token::Close {
            Kind::Close
        } else {
            Kind::Operator
        };
        self.set(token, kind, length);
        Ok(())
    }

    /// `++` and `--`: a step next to a name, else two signs.
    fn step(&mut self, rest: &[u8]) -> Read<()> {
        let (delta, sign) = match rest.first() {
            Some(b'-') => (-1, BinaryOp::Subtract),
            _ => (1, BinaryOp::Add),
        };
        let next = rest
            .iter()
            .skip(2)
            .find(|byte| !matches!(byte, b' ' | b'\t' | b'\n' | b'\r'));
        if self.kind == Kind::Variable {
            self.set(Token::After(delta), Kind::Step, 2);
        } else if next.is_some_and(|byte| starts_name(*byte)) {
            self.set(Token::Before(delta), Kind::Step, 2);
        } else {
            self.set(Token::Operator(sign), Kind::Operator, 1);
        }
        Ok(())
    }
}

/// The operator at the start of the text and its length.
fn operator_token(rest: &[u8]) -> Option<(Token, usize)> {
    use BinaryOp::{
        Add, And, Divide, Equal, Greater, GreaterEqual, Less, LessEqual, Multiply, NotEqual, Or, Power,
        Remainder, ShiftLeft, ShiftRight, Subtract, Xor,
    };
    let infix = |op, length| (Token::Operator(op), length);
    let assign = |op, length| (Token::Assign(Some(op)), length);
    Some(match rest {
        [b'=', b'=', ..] => infix(Equal, 2),
        [b'!', b'=', ..] => infix(NotEqual, 2),
        [b'>', b'=', ..] => infix(GreaterEqual, 2),
        [b'<', b'=', ..] => infix(LessEqual, 2),
        [b'<', b'<', b'=', ..] => assign(ShiftLeft, 3),
        [b'<', b'<', ..] => infix(ShiftLeft, 2),
        [b'>', b'>', b'=', ..] => assign(ShiftRight, 3),
        [b'>', b'>', ..] => infix(ShiftRight, 2),
        [b'&', b'&', ..] => (Token::And, 2),
        [b'|', b'|', ..] => (Token::Or, 2),
        [b'*', b'*', ..] => infix(Power, 2),
        [b'*', b'=', ..] => assign(Multiply, 2),
        [b'/', b'=', ..] => assign(Divide, 2),
        [b'%', b'=', ..] => assign(Remainder, 2),
        [b'+', b'=', ..] => assign(Add, 2),
        [b'-', b'=', ..] => assign(Subtract, 2),
        [b'&', b'=', ..] => assign(And, 2),
        [b'^', b'=', ..] => assign(Xor, 2),
        [b'|', b'=', ..] => assign(Or, 2),
        [b'=', ..] => (Token::Assign(None), 1),
        [b'>', ..] => infix(Greater, 1),
        [b'<', ..] => infix(Less, 1),
        [b'+', ..] => infix(Add, 1),
        [b'-', ..] => infix(Subtract, 1),
        [b'*', ..] => infix(Multiply, 1),
        [b'/', ..] => infix(Divide, 1),
        [b'%', ..] => infix(Remainder, 1),
        [b'!', ..] => (Token::Not, 1),
        [b'(', ..] => (Token::Open, 1),
        [b')', ..] => (Token::Close, 1),
        [b'&', ..] => infix(And, 1),
        [b'|', ..] => infix(Or, 1),
        [b'^', ..] => infix(Xor, 1),
        [b'~', ..] => (Token::Complement, 1),
        [b'?', ..] => (Token::Question, 1),
        [b':', ..] => (Token::Colon, 1),
        [b',', ..] => (Token::Comma, 1),
        _ => return None,
    })
}

/// The length of a subscript before its bracket, through quotes and nested brackets.
fn subscript_length(inside: &[u8]) -> Option<usize> {
    let mut open = 0_usize;
    let mut quote = 0;
    let mut bytes = inside.iter().enumerate();
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'\\' if quote != b'\'' => {
                bytes.next();
            }
            b'\'' | b'"' if quote == 0 => quote = *byte,
            byte if quote != 0 => {
                if *byte == quote {
                    quote = 0;
                }
            }
            b'[' => open += 1,
            b']' if open == 0 => return Some(at),
            b']' => open -= 1,
            _ => {}
        }
    }
    None
}

/// A constant as bash reads it: `0x…`, octal behind a 0, `base#digits`.
pub fn constant(digits: &[u8]) -> Result<i64, &'static str> {
    let (mut base, mut based, mut rest) = match digits {
        [b'0'] => return Ok(0),
        [b'0', b'x' | b'X', rest @ ..] => (16, true, rest),
        [b'0', rest @ ..] => (8, true, rest),
        _ => (10, false, digits),
    };
    let mut value = 0_i64;
    while let Some((&byte, tail)) = rest.split_first() {
        rest = tail;
        if byte == b'#' {
            if based {
                return Err("invalid number");
            }
            if !(2..=64).contains(&value) {
                return Err("invalid arithmetic base");
            }
            if rest.first().is_none_or(|next| *next == b'#') {
                return Err("invalid integer constant");
            }
            (base, value, based) = (value, 0, true);
            continue;
        }
        let digit = i64::from(match byte {
            b'0'..=b'9' => byte - b'0',
            b'a'..=b'z' => byte - b'a' + 10,
            b'A'..=b'Z' if base <= 36 => byte - b'A' + 10,
            b'A'..=b'Z' => byte - b'A' + 36,
            b'@' => 62,
            _ => 63,
        });
        if digit >= base {
            return Err("value too great for base");
        }
        value = value.wrapping_mul(base).wrapping_add(digit);
    }
    Ok(value)
}
