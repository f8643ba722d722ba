//! Arithmetic expressions: the tree, and the parser from text (`parse`).
//!
//! The grammar is that of C without structs, per the bash manual, "Shell Arithmetic". Evaluation stands in
//! `expand::arith`.

pub use super::arith_lexer::{constant, subscript_length};
pub use super::arith_parser::{parse, rest_at};
use super::ast::{Name, Param, Word};

/// An expression.
#[derive(Debug, Clone, PartialEq)]
pub enum Expr {
    /// A constant (`base#digits`, octal and hexadecimal already converted).
    Number(i64),
    /// A variable, whose value is itself evaluated as an expression when it is not a number.
    Variable(Name),
    /// `name[subscript]`: the subscript's text as a word (an associative array takes it as a string), and
    /// compiled where possible.
    Element {
        /// The array.
        name: Name,
        /// Between the brackets.
        subscript: Box<Word>,
        /// The subscript as arithmetic.
        index: Option<Box<Expr>>,
    },
    /// `$x` or `${…}` standing alone as an operand.
    Dollar(Box<Param>),
    /// `- + ! ~`
    Unary(UnaryOp, Box<Expr>),
    /// `++x`, `x--`, …
    Step {
        /// A variable or an element.
        target: Box<Expr>,
        /// +1 or -1.
        delta: i64,
        /// The value is taken before the step.
        postfix: bool,
    },
    /// `a op b`
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `a op b op c …`, operators of one precedence, left to right: made for long runs only, so that a sum of
    /// ten thousand terms is not a tree of that depth.
    Chain(Box<Expr>, Vec<(BinaryOp, Expr)>),
    /// An operand that can be at fault: a divisor, an exponent, the right side of `/=` and `%=`. Its value is that
    /// of the inner expression; the number finds the error token, see [`rest_at`].
    At(u32, Box<Expr>),
    /// `a && b`
    And(Box<Expr>, Box<Expr>),
    /// `a || b`
    Or(Box<Expr>, Box<Expr>),
    /// `c ? a : b`
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `x = e`, `x op= e`
    Assign {
        /// A variable or an element.
        target: Box<Expr>,
        /// Absent for plain `=`.
        op: Option<BinaryOp>,
        /// The right side.
        value: Box<Expr>,
    },
    /// `a, b`
    Comma(Box<Expr>, Box<Expr>),
}

/// Prefix operators.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnaryOp {
    /// `-`
    Negate,
    /// `+`
    Plus,
    /// `!`
    Not,
    /// `~`
    Complement,
}

/// Infix operators without short circuit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BinaryOp {
    /// `**`
    Power,
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `%`
    Remainder,
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `<<`
    ShiftLeft,
    /// `>>`
    ShiftRight,
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterEqual,
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `&`
    And,
    /// `^`
    Xor,
    /// `|`
    Or,
}

/// Why a text is not an expression, in bash's words: `message` (error token is "`token`").
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArithError {
    /// For example `syntax error: operand expected`.
    pub message: &'static str,
    /// The rest of the text where it went wrong.
    pub token: Box<[u8]>,
    /// bash shows the expression only up to here (behind a bad number), not whole.
    pub end: Option<usize>,
}
