//! The parser of jq 1.6's language: operators by their precedence, everything else by what it begins with.

use std::sync::Arc;

use super::ast::{Binary, Definition, Exp, Literal, Parameter, Pattern, PatternPair, Piece};
use super::lexer::{Kind, NOWHERE, SyntaxError, Token, tokens};

/// The deepest nesting of expressions.
const MOST_DEPTH: u32 = 120;

/// Parses a program. One that only defines functions is `.`.
pub fn parse(text: &str) -> Result<Exp, SyntaxError> {
    let mut parser = Parser::new(text)?;
    let module = parser.directives()?;
    if *parser.peek() != Kind::End && !parser.starts_expression() {
        return Err(parser.unexpected(", expecting $end"));
    }
    let program = parser.program()?;
    match (parser.peek(), module) {
        (Kind::End, None) => Ok(program),
        // There are no modules.
        (Kind::End, Some(name)) => Err(SyntaxError {
            message: format!("module not found: {name}"),
            start: NOWHERE,
            note: None,
        }),
        _ => Err(parser.unexpected(", expecting $end")),
    }
}

/// Parses definitions alone.
pub fn definitions(text: &str) -> Result<Vec<Arc<Definition>>, SyntaxError> {
    let mut parser = Parser::new(text)?;
    let mut all = Vec::new();
    while *parser.peek() != Kind::End {
        all.push(Arc::new(parser.definition()?));
    }
    Ok(all)
}

/// A program that is read.
pub(super) struct Parser<'a> {
    tokens: Vec<Token>,
    pub(super) at: usize,
    depth: u32,
    text: &'a str,
}

/// On which side an operator may be repeated.
#[derive(Clone, Copy, PartialEq)]
enum Side {
    Left,
    Right,
    Neither,
}

const UPDATES: u8 = 4;
const PRODUCTS: u8 = 9;

/// How tight an operator binds.
fn precedence(kind: &Kind) -> Option<(u8, Side)> {
    Some(match kind {
        // It is right associative in jq, which is the same.
        Kind::Sign("|") => (1, Side::Left),
        Kind::Sign(",") => (2, Side::Left),
        Kind::Sign("//") => (3, Side::Right),
        Kind::Sign("=" | "|=" | "+=" | "-=" | "*=" | "/=" | "%=" | "//=") => (UPDATES, Side::Neither),
        Kind::Keyword("or") => (5, Side::Left),
        Kind::Keyword("and") => (6, Side::Left),
        Kind::Sign("==" | "!=" | "<" | "<=" | ">" | ">=") => (7, Side::Neither),
        Kind::Sign("+" | "-") => (8, Side::Left),
        Kind::Sign("*" | "/" | "%") => (PRODUCTS, Side::Left),
        _ => return None,
    })
}

fn operation(sign: &str) -> Binary {
    match sign {
        "+" | "+=" => Binary::Add,
        "-" | "-=" => Binary::Subtract,
        "*" | "*=" => Binary::Multiply,
        "/" | "/=" => Binary::Divide,
        "%" | "%=" => Binary::Remainder,
        "==" => Binary::Equal,
        "!=" => Binary::NotEqual,
        "<" => Binary::Less,
        "<=" => Binary::LessEqual,
        ">" => Binary::Greater,
        _ => Binary::GreaterEqual,
    }
}

fn join(operator: &Kind, left: Exp, right: Exp, start: usize) -> Exp {
    match (operator, left) {
        (Kind::Sign("|"), Exp::Pipe(mut all)) => {
            all.push(right);
            Exp::Pipe(all)
        }
        (Kind::Sign("|"), left) => Exp::Pipe(vec![left, right]),
        (Kind::Sign(","), Exp::Comma(mut all)) => {
            all.push(right);
            Exp::Comma(all)
        }
        (Kind::Sign(","), left) => Exp::Comma(vec![left, right]),
        (_, left) => join_two(operator, left, right, start),
    }
}

fn join_two(operator: &Kind, left: Exp, right: Exp, start: usize) -> Exp {
    let update = precedence(operator).is_some_and(|(level, _)| level == UPDATES);
    let (left, right) = (Box::new(left), Box::new(right));
    match operator {
        Kind::Sign("//") => Exp::Alternative(left, right),
        Kind::Sign("=") => Exp::Assign(left, right),
        Kind::Sign("|=") => Exp::Modify(left, right),
        Kind::Sign("//=") => Exp::UpdateAlternative(left, right),
        Kind::Sign(sign) if update => Exp::Update(operation(sign), left, right),
        Kind::Sign(sign) => Exp::Binary(operation(sign), left, right, start),
        Kind::Keyword("or") => Exp::Or(left, right),
        _ => Exp::And(left, right),
    }
}

pub(super) type Parsed<T> = Result<T, SyntaxError>;

impl<'a> Parser<'a> {
    fn new(text: &'a str) -> Parsed<Parser<'a>> {
        Ok(Parser {
            tokens: tokens(text)?,
            at: 0,
            depth: 0,
            text,
        })
    }

    pub(super) fn peek(&self) -> &Kind {
        self.tokens.get(self.at).map_or(&Kind::End, |token| &token.kind)
    }

    fn peek_second(&self) -> &Kind {
        self.tokens
            .get(self.at + 1)
            .map_or(&Kind::End, |token| &token.kind)
    }

    pub(super) fn start(&self) -> usize {
        let last = self.tokens.get(self.at).or(self.tokens.last());
        last.map_or(0, |token| token.start)
    }

    fn error_at(&self, message: impl Into<String>) -> SyntaxError {
        SyntaxError {
            message: message.into(),
            start: self.start(),
            note: None,
        }
    }

    fn unexpected(&self, expecting: &str) -> SyntaxError {
        let name = self.peek().name();
        self.error_at(format!(
            "syntax error, unexpected {name}{expecting} (Unix shell quoting issues?)"
        ))
    }

    pub(super) fn is_sign(&self, sign: &str) -> bool {
        matches!(self.peek(), Kind::Sign(found) if *found == sign)
    }

    pub(super) fn accept(&mut self, sign: &str) -> bool {
        let found = self.is_sign(sign);
        self.at += usize::from(found);
        found
    }

    pub(super) fn expect(&mut self, sign: &str) -> Parsed<()> {
        if self.accept(sign) {
            Ok(())
        } else {
            Err(self.unexpected(""))
        }
    }

    fn keyword(&mut self, word: &str) -> bool {
        let found = matches!(self.peek(), Kind::Keyword(found) if *found == word);
        self.at += usize::from(found);
        found
    }

    pub(super) fn expect_keyword(&mut self, word: &str) -> Parsed<()> {
        if self.keyword(word) {
            Ok(())
        } else {
            Err(self.unexpected(""))
        }
    }

    pub(super) fn name(&mut self, expecting: &str) -> Parsed<String> {
        match self.peek().clone() {
            Kind::Name(name) => {
                self.at += 1;
                Ok(name)
            }
            _ => Err(self.unexpected(expecting)),
        }
    }

    fn variable_name(&mut self) -> Parsed<String> {
        self.expect("$")?;
        self.name(", expecting IDENT or __loc__")
    }

    fn enter(&mut self) -> Parsed<()> {
        self.depth += 1;
        if self.depth > MOST_DEPTH || crate::stack::is_low() {
            return Err(self.error_at("the program is nested too deeply"));
        }
        Ok(())
    }

    /// A program: definitions, and an expression unless there is nothing behind them.
    fn program(&mut self) -> Parsed<Exp> {
        let mut all = Vec::new();
        while matches!(self.peek(), Kind::Keyword("def")) {
            all.push(Arc::new(self.definition()?));
        }
        let body = if *self.peek() == Kind::End {
            Exp::Identity
        } else {
            self.expression(1)?
        };
        let define = |body, definition| Exp::Define(definition, Box::new(body));
        Ok(all.into_iter().rev().fold(body, define))
    }

    fn definition(&mut self) -> Parsed<Definition> {
        self.expect_keyword("def")?;
        let name = self.name("")?;
        let mut parameters = Vec::new();
        if self.accept("(") {
            loop {
                parameters.push(if self.is_sign("$") {
                    Parameter::Value(self.variable_name()?)
                } else {
                    Parameter::Closure(self.name("")?)
                });
                if self.accept(")") {
                    break;
                }
                self.expect(";")?;
            }
        }
        self.expect(":")?;
        let body = self.expression(1)?;
        self.expect(";")?;
        Ok(Definition {
            name,
            parameters,
            body,
        })
    }

    /// An expression of operators that bind at least so tight.
    fn expression(&mut self, least: u8) -> Parsed<Exp> {
        self.enter()?;
        let mut left = self.operand()?;
        let mut refused = None;
        while let Some((level, side)) = precedence(self.peek()) {
            if level < least {
                break;
            }
            if refused == Some(level) {
                return Err(self.unexpected(""));
            }
            let start = self.start();
            let operator = self.peek().clone();
            self.at += 1;
            let right = self.expression(if side == Side::Right { level } else { level + 1 })?;
            left = join(&operator, left, right, start);
            refused = (side == Side::Neither).then_some(level);
        }
        self.depth -= 1;
        Ok(left)
    }

    fn operand(&mut self) -> Parsed<Exp> {
        let operand = match self.peek() {
            Kind::Keyword("def") => {
                let definition = self.definition()?;
                let body = self.expression(1)?;
                return Ok(Exp::Define(Arc::new(definition), Box::new(body)));
            }
            Kind::Keyword("reduce") => self.reduce()?,
            Kind::Keyword("foreach") => self.foreach()?,
            Kind::Keyword("if") => self.condition()?,
            Kind::Keyword("try") => self.attempt()?,
            Kind::Keyword("label") => {
                self.at += 1;
                if !self.is_sign("$") {
                    return Err(self.unexpected(", expecting '$'"));
                }
                let name = self.variable_name()?;
                self.expect("|")?;
                let body = self.expression(1)?;
                return Ok(Exp::Label(name, Box::new(body)));
            }
            Kind::Sign("-") => {
                self.at += 1;
                // A product is negated as a whole, a sum is not.
                let operand = self.expression(PRODUCTS)?;
                return Ok(Exp::Negate(Box::new(operand)));
            }
            _ => {
                let term = self.term()?;
                if self.keyword("as") {
                    let patterns = self.patterns()?;
                    if !self.accept("|") {
                        return Err(self.unexpected(", expecting '|'"));
                    }
                    let body = self.expression(1)?;
                    return Ok(Exp::As(Box::new(term), patterns, Box::new(body)));
                }
                term
            }
        };
        Ok(self.optional(operand))
    }

    /// Any `?` behind an expression.
    fn optional(&mut self, mut exp: Exp) -> Exp {
        while self.accept("?") {
            exp = Exp::Try(Box::new(exp), None);
        }
        exp
    }

    /// `reduce` or `foreach`, up to its `(`.
    fn source(&mut self) -> Parsed<(Box<Exp>, Vec<Pattern>)> {
        self.at += 1;
        let source = self.term()?;
        self.expect_keyword("as")?;
        let patterns = self.patterns()?;
        self.expect("(")?;
        Ok((Box::new(source), patterns))
    }

    fn reduce(&mut self) -> Parsed<Exp> {
        let (source, patterns) = self.source()?;
        let first = Box::new(self.expression(1)?);
        self.expect(";")?;
        let update = Box::new(self.expression(1)?);
        self.expect(")")?;
        Ok(Exp::Reduce(source, patterns, first, update))
    }

    fn foreach(&mut self) -> Parsed<Exp> {
        let (source, patterns) = self.source()?;
        let first = Box::new(self.expression(1)?);
        self.expect(";")?;
        let update = Box::new(self.expression(1)?);
        let extract = if self.accept(";") {
            Some(Box::new(self.expression(1)?))
        } else {
            None
        };
        self.expect(")")?;
        Ok(Exp::Foreach(source, patterns, first, update, extract))
    }

    fn condition(&mut self) -> Parsed<Exp> {
        let start = self.start();
        self.at += 1;
        self.condition_body(start)
    }

    fn condition_body(&mut self, start: usize) -> Parsed<Exp> {
        self.enter()?;
        let condition = Box::new(self.expression(1)?);
        self.expect_keyword("then")?;
        // From here on jq says this as well.
        let (then, otherwise) = self.branches(start).map_err(|error| SyntaxError {
            note: error.note.or_else(|| {
                let syntax = error.message.starts_with("syntax error");
                syntax.then_some(("Possibly unterminated 'if' statement", start))
            }),
            ..error
        })?;
        self.depth -= 1;
        Ok(Exp::If(condition, Box::new(then), Box::new(otherwise)))
    }

    fn branches(&mut self, start: usize) -> Parsed<(Exp, Exp)> {
        let then = self.expression(1)?;
        if self.keyword("elif") {
            return Ok((then, self.condition_body(start)?));
        }
        self.expect_keyword("else")?;
        let otherwise = self.expression(1)?;
        self.expect_keyword("end")?;
        Ok((then, otherwise))
    }

    fn attempt(&mut self) -> Parsed<Exp> {
        self.at += 1;
        let body = Box::new(self.tight_operand()?);
        let handler = if self.keyword("catch") {
            Some(Box::new(self.tight_operand()?))
        } else {
            None
        };
        Ok(Exp::Try(body, handler))
    }

    /// What `try` and `catch` apply to: nothing binds tighter than they do.
    fn tight_operand(&mut self) -> Parsed<Exp> {
        self.enter()?;
        let operand = match self.peek() {
            Kind::Keyword("reduce" | "foreach" | "if" | "try" | "label" | "def") | Kind::Sign("-") => {
                self.operand()
            }
            _ => self.term(),
        };
        self.depth -= 1;
        operand
    }

    fn starts_expression(&self) -> bool {
        match self.peek() {
            Kind::Literal(_) | Kind::Name(_) | Kind::Field(_) | Kind::Format(_) | Kind::TextStart => true,
            Kind::Keyword(word) => ["def", "if", "reduce", "foreach", "try", "label", "break"].contains(word),
            Kind::Sign(sign) => ["-", ".", "..", "[", "(", "{", "$"].contains(sign),
            _ => false,
        }
    }

    fn patterns(&mut self) -> Parsed<Vec<Pattern>> {
        let mut all = vec![self.pattern()?];
        while self.accept("?//") {
            all.push(self.pattern()?);
        }
        Ok(all)
    }

    fn pattern(&mut self) -> Parsed<Pattern> {
        self.enter()?;
        let pattern = if self.accept("$") {
            Pattern::Variable(self.name(", expecting IDENT")?)
        } else if self.accept("[") {
            let mut parts = vec![self.pattern()?];
            while !self.accept("]") {
                self.expect(",")?;
                parts.push(self.pattern()?);
            }
            Pattern::Array(parts)
        } else if self.accept("{") {
            let mut parts = vec![self.pattern_pair()?];
            while !self.accept("}") {
                self.expect(",")?;
                parts.push(self.pattern_pair()?);
            }
            Pattern::Object(parts)
        } else {
            return Err(self.unexpected(", expecting '$' or '[' or '{'"));
        };
        self.depth -= 1;
        Ok(pattern)
    }

    fn pattern_pair(&mut self) -> Parsed<PatternPair> {
        let text = |name: String| Exp::Literal(Literal::Text(name));
        let mut bound = None;
        let key = match self.peek().clone() {
            Kind::Sign("$") => {
                let name = self.variable_name()?;
                if !self.is_sign(":") {
                    return Ok((text(name.clone()), Some(name), None));
                }
                bound = Some(name.clone());
                text(name)
            }
            Kind::Name(name) => {
                self.at += 1;
                text(name)
            }
            Kind::Keyword(word) => {
                self.at += 1;
                text(word.to_owned())
            }
            Kind::TextStart => self.text("text")?,
            Kind::Sign("(") => {
                self.at += 1;
                let key = self.expression(1)?;
                self.expect(")")?;
                key
            }
            _ => return Err(self.unexpected("")),
        };
        self.expect(":")?;
        Ok((key, bound, Some(self.pattern()?)))
    }

    pub(super) fn term(&mut self) -> Parsed<Exp> {
        let mut term = self.primary()?;
        loop {
            match self.peek().clone() {
                Kind::Field(name) => {
                    self.at += 1;
                    term = self.index(term, Exp::Literal(Literal::Text(name)));
                }
                Kind::Sign(".") if *self.peek_second() == Kind::TextStart => {
                    self.at += 1;
                    let key = self.text("text")?;
                    term = self.index(term, key);
                }
                Kind::Sign("[") => {
                    self.at += 1;
                    term = self.bracket(term)?;
                }
                Kind::Sign("?") => {
                    self.at += 1;
                    term = Exp::Try(Box::new(term), None);
                }
                _ => return Ok(term),
            }
        }
    }

    fn index(&mut self, term: Exp, key: Exp) -> Exp {
        let optional = self.accept("?");
        Exp::Index(Box::new(term), Box::new(key), optional)
    }

    /// What follows `term[`.
    fn bracket(&mut self, term: Exp) -> Parsed<Exp> {
        let term = Box::new(term);
        if self.accept("]") {
            let optional = self.accept("?");
            return Ok(Exp::Each(term, optional));
        }
        let from = if self.is_sign(":") {
            None
        } else {
            Some(Box::new(self.expression(1)?))
        };
        if let Some(key) = &from
            && !self.is_sign(":")
        {
            let key = key.clone();
            self.expect("]")?;
            let optional = self.accept("?");
            return Ok(Exp::Index(term, key, optional));
        }
        self.expect(":")?;
        let to = if from.is_some() && self.is_sign("]") {
            None
        } else {
            Some(Box::new(self.expression(1)?))
        };
        self.expect("]")?;
        let optional = self.accept("?");
        Ok(Exp::Slice(term, from, to, optional))
    }

    pub(super) fn primary(&mut self) -> Parsed<Exp> {
        let start = self.start();
        match self.peek().clone() {
            Kind::Literal(value) => {
                self.at += 1;
                Ok(Exp::Literal(Literal::Number(value)))
            }
            Kind::TextStart => self.text("text"),
            Kind::Format(name) => {
                self.at += 1;
                if *self.peek() == Kind::TextStart {
                    return self.text(&name);
                }
                Ok(Exp::Format(name))
            }
            Kind::Field(name) => {
                self.at += 1;
                Ok(self.index(Exp::Identity, Exp::Literal(Literal::Text(name))))
            }
            Kind::Keyword("break") => {
                self.at += 1;
                if !self.is_sign("$") {
                    return Err(self.error_at("break requires a label to break to"));
                }
                Ok(Exp::Break(self.variable_name()?, start))
            }
            Kind::Name(name) => {
                self.at += 1;
                self.call(name, start)
            }
            Kind::Sign(sign) => self.sign(sign, start),
            _ => Err(self.unexpected("")),
        }
    }

    /// What begins with a sign.
    fn sign(&mut self, sign: &str, start: usize) -> Parsed<Exp> {
        match sign {
            "$" => {
                self.at += 1;
                if self.keyword("__loc__") {
                    let before = self.text.get(..start).unwrap_or_default();
                    return Ok(Exp::Location(before.matches('\n').count() + 1));
                }
                Ok(Exp::Variable(self.name(", expecting IDENT or __loc__")?, start))
            }
            ".." => {
                self.at += 1;
                Ok(Exp::Call("recurse".to_owned(), Vec::new(), start))
            }
            "." => {
                self.at += 1;
                if *self.peek() == Kind::TextStart {
                    let key = self.text("text")?;
                    return Ok(self.index(Exp::Identity, key));
                }
                Ok(Exp::Identity)
            }
            "(" => {
                self.at += 1;
                let inner = self.expression(1)?;
                self.expect(")")?;
                Ok(inner)
            }
            "[" => {
                self.at += 1;
                if self.accept("]") {
                    return Ok(Exp::Array(None));
                }
                let inner = self.expression(1)?;
                self.expect("]")?;
                Ok(Exp::Array(Some(Box::new(inner))))
            }
            "{" => self.object(start),
            _ => Err(self.unexpected("")),
        }
    }

    fn call(&mut self, name: String, start: usize) -> Parsed<Exp> {
        let mut arguments = Vec::new();
        if self.accept("(") {
            arguments.push(self.expression(1)?);
            while !self.accept(")") {
                self.expect(";")?;
                arguments.push(self.expression(1)?);
            }
        }
        let literal = match (name.as_str(), arguments.len()) {
            ("true", 0) => Literal::Bool(true),
            ("false", 0) => Literal::Bool(false),
            ("null", 0) => Literal::Null,
            _ => return Ok(Exp::Call(name, arguments, start)),
        };
        Ok(Exp::Literal(literal))
    }

    /// A text, whose values pass through a format.
    fn text(&mut self, format: &str) -> Parsed<Exp> {
        self.at += 1;
        let mut pieces = Vec::new();
        loop {
            match self.peek().clone() {
                Kind::TextPart(text) => {
                    self.at += 1;
                    pieces.push(Piece::Text(text));
                }
                Kind::InterpolationStart => {
                    self.at += 1;
                    pieces.push(Piece::Value(self.expression(1)?));
                    if *self.peek() != Kind::InterpolationEnd {
                        return Err(self.unexpected(""));
                    }
                    self.at += 1;
                }
                Kind::TextEnd => {
                    self.at += 1;
                    break;
                }
                _ => {
                    let expecting = ", expecting QQSTRING_TEXT or QQSTRING_INTERP_START or QQSTRING_END";
                    return Err(self.unexpected(expecting));
                }
            }
        }
        match pieces.as_slice() {
            [] => Ok(Exp::Literal(Literal::Text(String::new()))),
            [Piece::Text(text)] => Ok(Exp::Literal(Literal::Text(text.clone()))),
            _ => Ok(Exp::Interpolation(format.to_owned(), pieces)),
        }
    }

    fn object(&mut self, start: usize) -> Parsed<Exp> {
        self.at += 1;
        let start = start.max(self.start());
        let mut pairs = Vec::new();
        while !self.accept("}") {
            pairs.push(self.pair()?);
            if !self.is_sign("}") && !self.accept(",") {
                return Err(self.unexpected(", expecting '}'"));
            }
        }
        Ok(Exp::Object(pairs, start))
    }

    fn pair(&mut self) -> Parsed<(Exp, Exp)> {
        let start = self.start();
        let text = |name: String| Exp::Literal(Literal::Text(name));
        let field = |key: Exp| Some(Exp::Index(Box::new(Exp::Identity), Box::new(key), false));
        let (key, short) = match self.peek().clone() {
            Kind::Sign("$") => {
                self.at += 1;
                let name = self.name(", expecting IDENT")?;
                return Ok((text(name.clone()), Exp::Variable(name, start)));
            }
            Kind::Name(name) => {
                self.at += 1;
                (text(name.clone()), field(text(name)))
            }
            Kind::Keyword(word) => {
                self.at += 1;
                (text(word.to_owned()), None)
            }
            Kind::TextStart => {
                let key = self.text("text")?;
                (key.clone(), field(key))
            }
            Kind::Format(name) if *self.peek_second() == Kind::TextStart => {
                self.at += 1;
                let key = self.text(&name)?;
                (key.clone(), field(key))
            }
            Kind::Sign("(") => {
                self.at += 1;
                let key = self.expression(1)?;
                self.expect(")")?;
                (key, None)
            }
            Kind::Literal(_) => {
                let note = Some(("May need parentheses around object key expression", start));
                return Err(SyntaxError {
                    note,
                    ..self.unexpected("")
                });
            }
            _ => return Err(self.unexpected("")),
        };
        if self.accept(":") {
            return Ok((key, self.pair_value()?));
        }
        match short {
            Some(value) if self.is_sign(",") || self.is_sign("}") => Ok((key, value)),
            Some(_) => Err(self.unexpected(", expecting '}'")),
            None => Err(self.unexpected("")),
        }
    }

    /// The value of a key: terms and pipes.
    fn pair_value(&mut self) -> Parsed<Exp> {
        self.enter()?;
        let mut value = if self.accept("-") {
            Exp::Negate(Box::new(self.pair_value()?))
        } else {
            self.term()?
        };
        if self.accept("|") {
            value = Exp::Pipe(vec![value, self.pair_value()?]);
        }
        self.depth -= 1;
        Ok(value)
    }
}
