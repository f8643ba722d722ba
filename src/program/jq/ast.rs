//! The tree of a program of jq.

use std::sync::Arc;

/// An operator between two values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Binary {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `%`
    Remainder,
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterEqual,
}

/// A constant.
#[derive(Debug, Clone, PartialEq)]
pub enum Literal {
    /// `null`
    Null,
    /// `true`, `false`
    Bool(bool),
    /// A number.
    Number(f64),
    /// A text.
    Text(String),
}

/// An expression. Offsets are those of messages.
#[derive(Debug, Clone)]
pub enum Exp {
    /// `.`
    Identity,
    /// A constant.
    Literal(Literal),
    /// `"…\( )…"` with the format that values pass through.
    Interpolation(String, Vec<Piece>),
    /// `@name`
    Format(String),
    /// `$name`, and where it is.
    Variable(String, usize),
    /// `$__loc__` on this line.
    Location(usize),
    /// `name(args)`, and where it is.
    Call(String, Vec<Exp>, usize),
    /// `term[key]`, and whether `?` follows.
    Index(Box<Exp>, Box<Exp>, bool),
    /// `term[from:to]`, and whether `?` follows.
    Slice(Box<Exp>, Option<Box<Exp>>, Option<Box<Exp>>, bool),
    /// `term[]`, and whether `?` follows.
    Each(Box<Exp>, bool),
    /// `[exp]`
    Array(Option<Box<Exp>>),
    /// `{key: value, …}`, and where it is.
    Object(Vec<(Exp, Exp)>, usize),
    /// `-exp`
    Negate(Box<Exp>),
    /// `a | b | …`
    Pipe(Vec<Exp>),
    /// `a, b, …`
    Comma(Vec<Exp>),
    /// `a + b`, …, and where it begins.
    Binary(Binary, Box<Exp>, Box<Exp>, usize),
    /// `a and b`
    And(Box<Exp>, Box<Exp>),
    /// `a or b`
    Or(Box<Exp>, Box<Exp>),
    /// `a // b`
    Alternative(Box<Exp>, Box<Exp>),
    /// `a = b`
    Assign(Box<Exp>, Box<Exp>),
    /// `a |= b`
    Modify(Box<Exp>, Box<Exp>),
    /// `a += b`, …
    Update(Binary, Box<Exp>, Box<Exp>),
    /// `a //= b`
    UpdateAlternative(Box<Exp>, Box<Exp>),
    /// `if a then b else c end`
    If(Box<Exp>, Box<Exp>, Box<Exp>),
    /// `try a catch b`, and `a?`
    Try(Box<Exp>, Option<Box<Exp>>),
    /// `reduce a as p (b; c)`
    Reduce(Box<Exp>, Vec<Pattern>, Box<Exp>, Box<Exp>),
    /// `foreach a as p (b; c; d)`
    Foreach(Box<Exp>, Vec<Pattern>, Box<Exp>, Box<Exp>, Option<Box<Exp>>),
    /// `a as p | b`
    As(Box<Exp>, Vec<Pattern>, Box<Exp>),
    /// `def f: a; b`
    Define(Arc<Definition>, Box<Exp>),
    /// `label $name | a`
    Label(String, Box<Exp>),
    /// `break $name`, and where it is.
    Break(String, usize),
}

/// A piece of a text.
#[derive(Debug, Clone)]
pub enum Piece {
    /// As it is.
    Text(String),
    /// `\(exp)`
    Value(Exp),
}

/// A key of an object pattern, the variable that it binds if it is one, and the pattern of its value.
pub type PatternPair = (Exp, Option<String>, Option<Pattern>);

/// What a value is taken apart by.
#[derive(Debug, Clone)]
pub enum Pattern {
    /// `$name`
    Variable(String),
    /// `[p, …]`
    Array(Vec<Pattern>),
    /// `{key: p, …}`
    Object(Vec<PatternPair>),
}

/// A parameter of a function.
#[derive(Debug, Clone)]
pub enum Parameter {
    /// `f`
    Closure(String),
    /// `$v`
    Value(String),
}

/// `def name(parameters): body;`
#[derive(Debug)]
pub struct Definition {
    /// Its name.
    pub name: String,
    /// Its parameters.
    pub parameters: Vec<Parameter>,
    /// What it does.
    pub body: Exp,
}

impl Parameter {
    /// The name.
    pub fn name(&self) -> &str {
        match self {
            Parameter::Closure(name) | Parameter::Value(name) => name,
        }
    }
}

impl Pattern {
    /// Adds the variables that it binds.
    pub fn variables(&self, names: &mut Vec<String>) {
        match self {
            Pattern::Variable(name) => add(names, name),
            Pattern::Array(parts) => parts.iter().for_each(|part| part.variables(names)),
            Pattern::Object(parts) => {
                for (_, name, part) in parts {
                    if let Some(name) = name {
                        add(names, name);
                    }
                    if let Some(part) = part {
                        part.variables(names);
                    }
                }
            }
        }
    }
}

fn add(names: &mut Vec<String>, name: &str) {
    if !names.iter().any(|known| known == name) {
        names.push(name.to_owned());
    }
}
