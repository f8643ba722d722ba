//! Expressions, by precedence: `?:`, `||`, `&&`, `in`, `~`, comparisons, concatenation and `| getline`, sums, products, signs and
//! `!`, powers, `++` and `--`, `$`.
//!
//! What was read is not always code yet: a variable may turn out to be assigned to, a regular expression to be an argument.

use super::code::{ArrayRef, Builtin, Comparison, LineSource, LineTarget, Op, Operation, RegexRef, Target};
use super::lexer::{Keyword, Token};
use super::parser::{Parser, Parsing};
use super::value::{Place, Text, Value};

/// An expression that was read.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Parsed {
    /// Its value is on the stack.
    Value,
    /// Something that can be assigned to; what it needs is on the stack.
    Target(Target),
    /// A regular expression by itself.
    Regex(u32),
    /// `(a, b)`: so many values are on the stack.
    Group(u32),
}

impl Parser<'_> {
    /// Makes code of what was read: its value is on the stack.
    pub(super) fn value(&mut self, parsed: Parsed) -> Parsing<()> {
        match parsed {
            Parsed::Value => {}
            Parsed::Target(target) => {
                self.emit(Op::Load(target));
            }
            Parsed::Regex(regex) => {
                self.emit(Op::MatchRecord {
                    regex,
                    negated: false,
                });
            }
            Parsed::Group(_) => return Err(self.unexpected()),
        }
        Ok(())
    }

    /// Parses with `>` as a redirection.
    pub(super) fn without_greater<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsing<T>) -> Parsing<T> {
        let before = std::mem::replace(&mut self.no_greater, true);
        let parsed = parse(self);
        self.no_greater = before;
        parsed
    }

    fn with_greater<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsing<T>) -> Parsing<T> {
        let before = std::mem::replace(&mut self.no_greater, false);
        let parsed = parse(self);
        self.no_greater = before;
        parsed
    }

    /// Any expression.
    pub(super) fn expression(&mut self) -> Parsing<Parsed> {
        self.deeper(|parser| {
            let parsed = parser.or_expression()?;
            if parser.is("?") {
                return parser.conditional(parsed);
            }
            parser.assignment(parsed)
        })
    }

    fn conditional(&mut self, condition: Parsed) -> Parsing<Parsed> {
        self.value(condition)?;
        self.advance()?;
        self.skip_newlines()?;
        let otherwise = self.emit(Op::JumpIfFalse(0));
        let parsed = self.expression()?;
        self.value(parsed)?;
        self.skip_newlines()?;
        self.expect(":")?;
        self.skip_newlines()?;
        let end = self.emit(Op::Jump(0));
        self.land(otherwise);
        let parsed = self.expression()?;
        self.value(parsed)?;
        self.land(end);
        Ok(Parsed::Value)
    }

    /// `target = value`, when an operator for it follows.
    fn assignment(&mut self, parsed: Parsed) -> Parsing<Parsed> {
        if self.is("=") && self.ends_with_field_step(parsed) {
            self.advance()?;
            self.expression()?;
            return Err(
                self.error("cannot assign a value to the result of a field post-increment expression")
            );
        }
        let (Parsed::Target(target), Token::Sign(sign)) = (parsed, &self.token) else {
            return Ok(parsed);
        };
        let operation = match *sign {
            "=" => None,
            "+=" => Some(Operation::Add),
            "-=" => Some(Operation::Subtract),
            "*=" => Some(Operation::Multiply),
            "/=" => Some(Operation::Divide),
            "%=" => Some(Operation::Modulo),
            "^=" => Some(Operation::Power),
            "**=" => Some(Operation::Power),
            _ => return Ok(parsed),
        };
        self.advance()?;
        // `**=` comes as `**` and `=` would be split otherwise.
        self.skip_newlines()?;
        let begin = self.here();
        let right = self.expression()?;
        self.value(right)?;
        match operation {
            Some(operation) => {
                self.emit(Op::AssignOperation(operation, target));
            }
            None if !self.append_in_place(target, begin) => {
                self.emit(Op::Assign(target));
            }
            None => {}
        }
        Ok(Parsed::Value)
    }

    fn ends_with_field_step(&self, parsed: Parsed) -> bool {
        let step = matches!(
            self.program.code.last(),
            Some(Op::Step {
                target: Target::Field | Target::FieldNumber(_),
                before: false,
                ..
            })
        );
        step && parsed == Parsed::Value
    }

    /// `x = x y` grows x where it is, when nothing in `y` could see the difference.
    fn append_in_place(&mut self, target: Target, begin: u32) -> bool {
        let Target::Variable(place) = target else {
            return false;
        };
        let begin = begin as usize;
        let Some(
            [
                Op::Load(Target::Variable(first)),
                rest @ ..,
                Op::Concatenate(count),
            ],
        ) = self.program.code.get(begin..)
        else {
            return false;
        };
        let harmless = rest.iter().all(|op| {
            matches!(
                op,
                Op::Number(_) | Op::Text(_) | Op::Load(_) | Op::Arithmetic(_) | Op::JoinKey(_) | Op::Negate
            )
        });
        if *first != place || !harmless || count_values(rest) != Some(*count as usize - 1) {
            return false;
        }
        let count = *count - 1;
        self.program.code.pop();
        self.program.lines.pop();
        self.program.code.remove(begin);
        self.program.lines.remove(begin);
        self.emit(Op::Append(place, count));
        true
    }

    fn or_expression(&mut self) -> Parsing<Parsed> {
        let mut left = self.and_expression()?;
        while self.is("||") {
            left = self.junction(left, Op::Or(0), Self::and_expression)?;
        }
        Ok(left)
    }

    fn and_expression(&mut self) -> Parsing<Parsed> {
        let mut left = self.in_expression()?;
        while self.is("&&") {
            left = self.junction(left, Op::And(0), Self::in_expression)?;
        }
        Ok(left)
    }

    /// `||` or `&&` and its right side, over which the operation jumps.
    fn junction(
        &mut self,
        left: Parsed,
        operation: Op,
        side: fn(&mut Self) -> Parsing<Parsed>,
    ) -> Parsing<Parsed> {
        self.value(left)?;
        self.advance()?;
        self.skip_newlines()?;
        let jump = self.emit(operation);
        let right = side(self)?;
        let right = self.assignment(right)?;
        self.value(right)?;
        self.emit(Op::Truth);
        self.land(jump);
        Ok(Parsed::Value)
    }

    fn in_expression(&mut self) -> Parsing<Parsed> {
        let mut left = self.match_expression()?;
        while self.is_keyword(Keyword::In) {
            self.value(left)?;
            self.membership()?;
            left = Parsed::Value;
        }
        Ok(left)
    }

    /// `in NAME`, with the key on the stack.
    fn membership(&mut self) -> Parsing<()> {
        self.advance()?;
        let Token::Name(name) = self.token.clone() else {
            return Err(self.unexpected());
        };
        self.advance()?;
        let variable = ArrayRef::Variable(self.variable(&name));
        let array = self.subarray_path(variable)?;
        self.emit(Op::In(array));
        Ok(())
    }

    fn match_expression(&mut self) -> Parsing<Parsed> {
        let mut left = self.comparison()?;
        while self.is("~") || self.is("!~") {
            let negated = self.is("!~");
            self.value(left)?;
            self.advance()?;
            let right = self.comparison()?;
            let right = self.assignment(right)?;
            let regex = self.regex_operand(right)?;
            self.emit(Op::Match { regex, negated });
            left = Parsed::Value;
        }
        Ok(left)
    }

    /// A regular expression, or a value that is one.
    fn regex_operand(&mut self, parsed: Parsed) -> Parsing<RegexRef> {
        if let Parsed::Regex(regex) = parsed {
            return Ok(RegexRef::Constant(regex));
        }
        self.value(parsed)?;
        Ok(RegexRef::Stack)
    }

    fn comparison(&mut self) -> Parsing<Parsed> {
        let left = self.common()?;
        let Token::Sign(sign) = &self.token else {
            return Ok(left);
        };
        let comparison = match *sign {
            "<" => Comparison::Less,
            "<=" => Comparison::LessEqual,
            "==" => Comparison::Equal,
            "!=" => Comparison::NotEqual,
            ">=" => Comparison::GreaterEqual,
            ">" if !self.no_greater => Comparison::Greater,
            _ => return Ok(left),
        };
        self.value(left)?;
        self.advance()?;
        let right = self.common()?;
        let right = self.assignment(right)?;
        self.value(right)?;
        self.emit(Op::Compare(comparison));
        Ok(Parsed::Value)
    }

    /// Concatenation, and commands that lines are read from.
    pub(super) fn common(&mut self) -> Parsing<Parsed> {
        let mut left = self.concatenation(Parsed::Value, 0)?;
        while self.is("|") || self.is("|&") {
            let source = if self.is("|") {
                LineSource::Command
            } else {
                LineSource::Coprocess
            };
            let (position, token, start) = (self.lexer.position(), self.token.clone(), self.start);
            self.advance()?;
            if !self.is_keyword(Keyword::Getline) {
                self.lexer.rewind(position);
                (self.token, self.start) = (token, start);
                break;
            }
            self.advance()?;
            self.value(left)?;
            let target = self.line_target()?;
            self.emit(Op::Getline { source, target });
            // What follows is joined to the result: `cmd | getline x y`.
            let rest = self.rest_of_product(Parsed::Value)?;
            let rest = self.rest_of_sum(rest)?;
            left = self.concatenation(rest, 1)?;
        }
        Ok(left)
    }

    /// Sums side by side; `count` values are there already.
    fn concatenation(&mut self, left: Parsed, count: u32) -> Parsing<Parsed> {
        let (mut left, mut count) = (left, count);
        if count == 0 {
            left = self.sum()?;
            count = 1;
        }
        while self.begins_operand() {
            self.value(left)?;
            let right = self.sum()?;
            self.value(right)?;
            left = Parsed::Value;
            count += 1;
        }
        if count > 1 {
            self.emit(Op::Concatenate(count));
        }
        Ok(left)
    }

    /// A token that can begin the right side of a concatenation.
    fn begins_operand(&self) -> bool {
        match &self.token {
            Token::Number(_)
            | Token::Text(_)
            | Token::TypedRegex(_)
            | Token::Name(_)
            | Token::CallName(_)
            | Token::Builtin(_)
            | Token::Indirect(_) => true,
            Token::Sign(sign) => matches!(*sign, "$" | "!" | "(" | "-" | "+" | "++" | "--"),
            _ => false,
        }
    }

    fn sum(&mut self) -> Parsing<Parsed> {
        let left = self.product()?;
        self.rest_of_sum(left)
    }

    fn rest_of_sum(&mut self, left: Parsed) -> Parsing<Parsed> {
        let mut left = left;
        loop {
            let operation = match &self.token {
                Token::Sign("+") => Operation::Add,
                Token::Sign("-") => Operation::Subtract,
                _ => return Ok(left),
            };
            self.value(left)?;
            self.advance()?;
            let right = self.product()?;
            self.value(right)?;
            self.emit(Op::Arithmetic(operation));
            left = Parsed::Value;
        }
    }

    fn product(&mut self) -> Parsing<Parsed> {
        let left = self.unary()?;
        self.rest_of_product(left)
    }

    fn rest_of_product(&mut self, left: Parsed) -> Parsing<Parsed> {
        let mut left = left;
        loop {
            let operation = match &self.token {
                Token::Sign("*") => Operation::Multiply,
                Token::Sign("/") => Operation::Divide,
                Token::Sign("%") => Operation::Modulo,
                _ => return Ok(left),
            };
            self.value(left)?;
            self.advance()?;
            let (parenthesized, before) = (self.is("("), self.program.code.len());
            let right = self.unary()?;
            self.value(right)?;
            if !parenthesized {
                self.check_division(operation, before)?;
            }
            self.emit(Op::Arithmetic(operation));
            left = Parsed::Value;
        }
    }

    /// A division by the constant zero is found while the program is read; the divisor's code begins at `begin`.
    fn check_division(&mut self, operation: Operation, begin: usize) -> Parsing<()> {
        let divisor = self.program.code.get(begin..).unwrap_or_default();
        let zero = matches!(divisor, [Op::Number(zero)] | [Op::Number(zero), Op::Negate] if *zero == 0.0);
        match operation {
            Operation::Divide if zero => Err(self.plain_error(b"error: division by zero attempted")),
            Operation::Modulo if zero => Err(self.plain_error(b"error: division by zero attempted in `%'")),
            _ => Ok(()),
        }
    }

    /// `!x`, `-x`, `+x`.
    pub(super) fn unary(&mut self) -> Parsing<Parsed> {
        let op = match &self.token {
            Token::Sign("!") => Op::Not,
            Token::Sign("-") => Op::Negate,
            Token::Sign("+") => Op::Plus,
            _ => return self.power(),
        };
        self.advance()?;
        self.deeper(|parser| {
            let parsed = parser.unary()?;
            let negative = match (op, parsed, parser.program.code.last()) {
                // A negative constant, which is what it looks like.
                (Op::Negate, Parsed::Value, Some(Op::Number(number))) => Some(-number),
                _ => None,
            };
            parser.value(parsed)?;
            match (negative, parser.program.code.last_mut()) {
                (Some(negative), Some(constant)) => *constant = Op::Number(negative),
                _ => {
                    parser.emit(op);
                }
            }
            Ok(Parsed::Value)
        })
    }

    fn power(&mut self) -> Parsing<Parsed> {
        let left = self.postfix()?;
        if !self.is("^") && !self.is("**") {
            return Ok(left);
        }
        self.value(left)?;
        self.advance()?;
        self.deeper(|parser| {
            let right = parser.unary()?;
            parser.value(right)
        })?;
        self.emit(Op::Arithmetic(Operation::Power));
        Ok(Parsed::Value)
    }

    fn postfix(&mut self) -> Parsing<Parsed> {
        let parsed = self.primary()?;
        let Parsed::Target(target) = parsed else {
            return Ok(parsed);
        };
        let delta = match &self.token {
            Token::Sign("++") => 1.0,
            Token::Sign("--") => -1.0,
            _ => return Ok(parsed),
        };
        self.advance()?;
        self.emit(Op::Step {
            target,
            delta,
            before: false,
        });
        Ok(Parsed::Value)
    }

    fn primary(&mut self) -> Parsing<Parsed> {
        match self.token.clone() {
            Token::Number(number) => {
                self.advance()?;
                self.emit(Op::Number(number));
                Ok(Parsed::Value)
            }
            Token::Text(text) => {
                self.advance()?;
                let index = self.text(text);
                self.emit(Op::Text(index));
                Ok(Parsed::Value)
            }
            Token::TypedRegex(source) => {
                self.advance()?;
                // Wrong ones are found while the program is read.
                self.regex(source.clone())?;
                self.program.texts.push(Value::Regex(Text::small(&source)));
                let text = self.program.texts.len() as u32 - 1;
                self.emit(Op::Text(text));
                Ok(Parsed::Value)
            }
            Token::Sign("/" | "/=") => {
                let regex = self.regex_token()?;
                Ok(Parsed::Regex(self.regex(regex)?))
            }
            Token::Sign("(") => self.deeper(Parser::parenthesized),
            Token::Sign("$") => {
                self.advance()?;
                self.deeper(Parser::field)
            }
            Token::Sign("++") => self.step(1.0),
            Token::Sign("--") => self.step(-1.0),
            Token::Name(name) => {
                self.advance()?;
                self.named(&name)
            }
            Token::CallName(name) => {
                self.advance()?;
                self.call(&name)
            }
            Token::Indirect(name) => {
                self.advance()?;
                let target = self.target(&name);
                self.emit(Op::Load(target));
                let count = self.call_arguments()?;
                self.emit(Op::CallIndirect { count });
                Ok(Parsed::Value)
            }
            Token::Builtin(function) => {
                self.advance()?;
                self.builtin(function)
            }
            Token::Keyword(Keyword::Getline) => {
                self.advance()?;
                let target = self.line_target()?;
                let mut source = LineSource::Main;
                if self.take("<")? {
                    source = LineSource::File;
                    let name = self.postfix()?;
                    self.value(name)?;
                }
                self.emit(Op::Getline { source, target });
                Ok(Parsed::Value)
            }
            _ => Err(self.unexpected()),
        }
    }

    fn parenthesized(&mut self) -> Parsing<Parsed> {
        self.expect("(")?;
        let count = self.with_greater(|parser| {
            let mut count = 0;
            loop {
                let parsed = parser.expression()?;
                parser.value(parsed)?;
                count += 1;
                parser.skip_newlines()?;
                if !parser.take(",")? {
                    return Ok(count);
                }
                parser.skip_newlines()?;
            }
        })?;
        self.expect(")")?;
        if count == 1 {
            return Ok(Parsed::Value);
        }
        if self.is_keyword(Keyword::In) {
            self.emit(Op::JoinKey(count));
            self.membership()?;
            return Ok(Parsed::Value);
        }
        Ok(Parsed::Group(count))
    }

    /// What follows `$`. Of `$$a++` the inner field takes the `++`.
    fn field(&mut self) -> Parsing<Parsed> {
        let parsed = match self.token {
            Token::Sign("-" | "+" | "!") => self.unary()?,
            Token::Sign("$") => self.postfix()?,
            _ => self.primary()?,
        };
        self.value(parsed)?;
        if let (Parsed::Value, Some(Op::Number(number))) = (parsed, self.program.code.last())
            && (0.0..1e9).contains(number)
        {
            let number = *number as u32;
            self.program.code.pop();
            self.program.lines.pop();
            return Ok(Parsed::Target(Target::FieldNumber(number)));
        }
        Ok(Parsed::Target(Target::Field))
    }

    /// `++x`, `--x`.
    fn step(&mut self, delta: f64) -> Parsing<Parsed> {
        self.advance()?;
        let parsed = self.primary()?;
        let Parsed::Target(target) = parsed else {
            return Err(self.unexpected());
        };
        self.emit(Op::Step {
            target,
            delta,
            before: true,
        });
        Ok(Parsed::Value)
    }

    /// A variable or an element, whose name was read.
    fn named(&mut self, name: &[u8]) -> Parsing<Parsed> {
        if !self.is("[") {
            return Ok(Parsed::Target(self.target(name)));
        }
        let array = ArrayRef::Variable(self.variable(name));
        let array = self.subscripts(array)?;
        Ok(Parsed::Target(Target::Element(array)))
    }

    /// `[i, j]` once or more: the array that the last key, left on the stack, belongs to.
    pub(super) fn subscripts(&mut self, array: ArrayRef) -> Parsing<ArrayRef> {
        let mut array = array;
        loop {
            self.subscript()?;
            if !self.is("[") {
                return Ok(array);
            }
            self.emit(Op::Subarray(array));
            array = ArrayRef::Stack;
        }
    }

    /// The array that follows `in`, perhaps within others.
    pub(super) fn subarray_path(&mut self, array: ArrayRef) -> Parsing<ArrayRef> {
        let mut array = array;
        while self.is("[") {
            self.subscript()?;
            self.emit(Op::Subarray(array));
            array = ArrayRef::Stack;
        }
        Ok(array)
    }

    fn subscript(&mut self) -> Parsing<()> {
        self.expect("[")?;
        let count = self.with_greater(|parser| {
            let mut count = 0;
            loop {
                let parsed = parser.expression()?;
                parser.value(parsed)?;
                count += 1;
                if !parser.take(",")? {
                    return Ok(count);
                }
                parser.skip_newlines()?;
            }
        })?;
        self.expect("]")?;
        if count > 1 {
            self.emit(Op::JoinKey(count));
        }
        Ok(())
    }

    fn call(&mut self, name: &[u8]) -> Parsing<Parsed> {
        if self.is_parameter(name) {
            let name = String::from_utf8_lossy(name).into_owned();
            self.complain(&format!(
                "error: attempt to use non-function `{name}' in function call"
            ));
        }
        let function = self.function(name);
        let line = self.line_of(self.start);
        let count = self.call_arguments()?;
        self.note_call(function);
        self.emit(Op::Call {
            function: function as u32,
            count,
        });
        // Messages tell where a call begins.
        if let Some(place) = self.program.lines.last_mut() {
            place.1 = line;
        }
        Ok(Parsed::Value)
    }

    fn call_arguments(&mut self) -> Parsing<u32> {
        self.expect("(")?;
        let mut count = 0;
        self.skip_newlines()?;
        if self.take(")")? {
            return Ok(0);
        }
        loop {
            let parsed = self.with_greater(Parser::expression)?;
            self.argument(parsed)?;
            count += 1;
            self.skip_newlines()?;
            if !self.take(",")? {
                break;
            }
            self.skip_newlines()?;
        }
        self.expect(")")?;
        Ok(count)
    }

    /// An argument of a user's function, which may be an array.
    fn argument(&mut self, parsed: Parsed) -> Parsing<()> {
        match parsed {
            Parsed::Target(Target::Variable(place)) => {
                self.emit(Op::Argument(place));
            }
            Parsed::Target(Target::Special(special)) => {
                self.emit(match special {
                    super::code::Special::Argv
                    | super::code::Special::Environ
                    | super::code::Special::Procinfo
                    | super::code::Special::Functab
                    | super::code::Special::Symtab => Op::Argument(special.place()),
                    special => Op::Load(Target::Special(special)),
                });
            }
            Parsed::Target(Target::Element(array)) => {
                self.emit(Op::ArgumentElement(array));
            }
            parsed => self.value(parsed)?,
        }
        Ok(())
    }

    /// What `getline` reads into.
    fn line_target(&mut self) -> Parsing<LineTarget> {
        let parsed = match self.token.clone() {
            Token::Name(name) => {
                self.advance()?;
                self.named(&name)?
            }
            Token::Sign("$") => {
                self.advance()?;
                self.deeper(Parser::field)?
            }
            _ => return Ok(LineTarget::Record),
        };
        match parsed {
            Parsed::Target(target) => Ok(LineTarget::Target(target)),
            _ => Err(self.unexpected()),
        }
    }

    /// A place that holds a value that nothing else can reach.
    pub(super) fn temporary(&mut self) -> Place {
        let place = self.hidden();
        self.emit(Op::Assign(Target::Variable(place)));
        self.emit(Op::Drop);
        place
    }

    pub(super) fn wrong_count(&mut self, function: Builtin, count: usize) -> super::parser::ProgramError {
        self.error(format!(
            "{count} is invalid as number of arguments for {}",
            function.name()
        ))
    }
}

/// How many values a piece of plain code leaves on the stack; `None` when that is not plain.
fn count_values(code: &[Op]) -> Option<usize> {
    let mut count = 0usize;
    for op in code {
        match op {
            Op::Number(_) | Op::Text(_) => count += 1,
            Op::Load(Target::Field | Target::Element(ArrayRef::Variable(_))) => {
                count = count.checked_sub(1)? + 1
            }
            Op::Load(Target::Element(ArrayRef::Stack)) => return None,
            Op::Load(_) => count += 1,
            Op::Arithmetic(_) => count = count.checked_sub(2)? + 1,
            Op::Negate => count = count.checked_sub(1)? + 1,
            Op::JoinKey(values) => count = count.checked_sub(*values as usize)? + 1,
            _ => return None,
        }
    }
    Some(count)
}
