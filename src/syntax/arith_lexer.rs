//! Tokens of arithmetic, with bash's lexer in all its oddities, because they show: `x+++y` and `--5` are read as there,
//! and a number is any run of letters, digits, `#`, `@` and `_` that starts with a digit.

use super::arith::{ArithError, BinaryOp};
use super::arith_parser::{Read, Reading};
use super::ast::Name;
use super::token::{NAME, class, starts_name};

/// Stands for a parameter in the text that is compiled.
pub(super) const DOLLAR: u8 = 0;

/// A token. Operands carry their value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token {
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
pub(super) enum Operand {
    Number(i64),
    Dollar,
    /// A name, or an element with the text of its subscript.
    Variable(Name, Option<(usize, usize)>),
}

/// What the token before this one was, as far as the lexer and the assignment check care.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Nothing,
    Operator,
    Number,
    Variable,
    Close,
    Step,
}

/// The lexer.
impl<'t> Reading<'t> {
    pub(super) fn skip_blanks(&mut self) -> &'t [u8] {
        let rest = self.text.get(self.pos..).unwrap_or_default();
        let blanks = rest
            .iter()
            .take_while(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r'))
            .count();
        self.pos += blanks;
        rest.get(blanks..).unwrap_or_default()
    }

    /// Reads the next token.
    pub(super) fn advance(&mut self) -> Read<()> {
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
pub fn subscript_length(inside: &[u8]) -> Option<usize> {
    let mut open = 0_usize;
    let mut quote = 0;
    let mut bytes = inside.iter().enumerate();
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'\\' if quote != b'\'' => {
                bytes.next();
            }
            b'\'' | b'"' if quote == 0 => quote = *byte,
            byte if *byte == quote => quote = 0,
            _ if quote != 0 => {}
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
