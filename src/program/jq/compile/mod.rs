//! From the tree to code for the machine.
//!
//! The code is that of jq itself: an expression takes the value on top of the stack and leaves its output there; more outputs come by going back to
//! a fork. What shows (which of two operands varies fastest, what a `try` catches, when a path is followed) is thereby jq's. A function of the
//! prelude is compiled when it is first called.

mod call;
mod destructure;

use std::collections::HashMap;
use std::sync::Arc;

use super::ast::{Binary, Definition, Exp, Literal, Parameter, Pattern, Piece};
use super::lexer::SyntaxError;
use super::native;
use super::prelude;
use super::value::{Heap, Value};

/// A local variable: how many functions out, and which.
pub type Slot = (usize, usize);

/// An argument of a call: a function of its own, or a closure that was passed in.
#[derive(Debug, Clone, Copy)]
pub enum Argument {
    /// Code that runs in the frame of the caller.
    Function(usize),
    /// A parameter of a function so far out.
    Parameter(usize, usize),
}

/// An instruction.
#[derive(Debug, Clone)]
pub enum Op {
    /// Replaces the top.
    Constant(Value),
    /// Another copy of the top.
    Duplicate,
    /// Another copy, for which the one below becomes `null`.
    DuplicateTaking,
    /// Drops the top.
    Drop,
    /// A copy on top, from which the path is not followed.
    Begin,
    /// Ends that: exchanges the two on top.
    End,
    /// Replaces the top by a variable.
    Load(Slot),
    /// The same, and the variable becomes `null`.
    Take(Slot),
    /// Moves the top into a variable.
    Store(Slot),
    /// Moves the top to the end of the array in a variable.
    Append(Slot),
    /// `value[key]`; whether errors are silent.
    Index(bool),
    /// `value[]`
    Each(bool),
    /// Goes on behind, and later at a place.
    Fork(usize),
    /// Goes on behind, and at a place with the message when there is an error.
    Try(usize),
    /// The same, with the input instead of the message.
    TryPattern(usize),
    /// Goes on at a place.
    Jump(usize),
    /// Goes on at a place if the top is `false` or `null`.
    JumpIfNot(usize),
    /// Goes back to the last fork.
    Back,
    /// Puts a value with its key into the object below.
    Insert,
    /// Numbers between two variables.
    Range(Slot, Slot),
    /// Follows the path from here.
    PathBegin,
    /// The path that was followed.
    PathEnd,
    /// Calls a function whose definition is so far out.
    Call(usize, usize, Arc<[Argument]>),
    /// Calls a closure.
    CallClosure(usize, usize),
    /// The same in place of the frame.
    TailCall(usize, usize, Arc<[Argument]>),
    /// The same of a closure.
    TailCallClosure(usize, usize),
    /// Calls what is built in, with so many arguments below the top.
    Native(native::Function, usize),
    /// A label that is like no other.
    Label,
    /// Ends the function.
    Return,
}

/// A function.
#[derive(Debug, Default)]
pub struct Function {
    /// Its code.
    pub ops: Vec<Op>,
    /// How many variables it has.
    pub locals: usize,
}

/// A program.
#[derive(Debug)]
pub struct Program {
    /// The functions, the first of which is the program.
    pub functions: Vec<Function>,
}

enum Name {
    Function(String, usize, usize),
    Closure(String, usize),
    Variable(String, usize),
}

/// A function that is being compiled.
#[derive(Default)]
struct Level {
    ops: Vec<Op>,
    locals: usize,
    names: Vec<Name>,
    function: usize,
}

/// Compiles programs.
pub struct Compiler<'a> {
    heap: &'a Heap,
    globals: &'a HashMap<String, Value>,
    levels: Vec<Level>,
    functions: Vec<Function>,
    /// Functions of the prelude that are compiled.
    known: HashMap<(String, usize), usize>,
    errors: Vec<SyntaxError>,
    depth: u32,
}

/// The deepest nesting of expressions, patterns and functions.
const MOST_DEPTH: u32 = 600;

/// Compiles a program. The errors are all names that are not defined, or one of another kind.
pub fn compile(
    heap: &Heap,
    globals: &HashMap<String, Value>,
    program: &Exp,
) -> Result<Program, Vec<SyntaxError>> {
    let mut compiler = Compiler {
        heap,
        globals,
        levels: vec![Level::default()],
        functions: vec![Function::default()],
        known: HashMap::new(),
        errors: Vec::new(),
        depth: 0,
    };
    compiler.exp(program);
    compiler.end_level();
    if compiler.errors.is_empty() {
        Ok(Program {
            functions: compiler.functions,
        })
    } else {
        Err(compiler.errors)
    }
}

impl Compiler<'_> {
    fn level(&mut self) -> &mut Level {
        if self.levels.is_empty() {
            self.levels.push(Level::default());
        }
        let last = self.levels.len() - 1;
        // There is one: it was pushed above.
        #[allow(clippy::indexing_slicing)]
        &mut self.levels[last]
    }

    fn emit(&mut self, op: Op) -> usize {
        let level = self.level();
        level.ops.push(op);
        level.ops.len() - 1
    }

    fn here(&mut self) -> usize {
        self.level().ops.len()
    }

    /// Lets an instruction go on here.
    fn land(&mut self, at: usize) {
        let here = self.here();
        if let Some(op) = self.level().ops.get_mut(at) {
            match op {
                Op::Fork(target)
                | Op::Try(target)
                | Op::TryPattern(target)
                | Op::Jump(target)
                | Op::JumpIfNot(target) => *target = here,
                _ => {}
            }
        }
    }

    fn fresh(&mut self) -> Slot {
        let level = self.level();
        level.locals += 1;
        (0, level.locals - 1)
    }

    fn bind(&mut self, name: &str) -> Slot {
        let slot = self.fresh();
        self.level().names.push(Name::Variable(name.to_owned(), slot.1));
        slot
    }

    fn constant(&mut self, literal: &Literal) -> Value {
        match literal {
            Literal::Null => Value::Null,
            Literal::Bool(flag) => Value::Bool(*flag),
            Literal::Number(value) => Value::Number(*value),
            Literal::Text(text) => self.heap.text(text.as_str()),
        }
    }

    fn fail(&mut self, message: impl Into<String>, start: usize) {
        self.errors.push(SyntaxError {
            message: message.into(),
            start,
            note: None,
        });
    }

    fn find<T>(&self, pick: impl Fn(&Name) -> Option<T>) -> Option<(usize, T)> {
        self.levels
            .iter()
            .rev()
            .enumerate()
            .find_map(|(up, level)| Some((up, level.names.iter().rev().find_map(&pick)?)))
    }

    fn variable(&self, wanted: &str) -> Option<Slot> {
        self.find(|name| match name {
            Name::Variable(name, slot) if name == wanted => Some(*slot),
            _ => None,
        })
    }

    /// Ends the innermost function and stores its code.
    fn end_level(&mut self) {
        self.emit(Op::Return);
        let Some(mut level) = self.levels.pop() else {
            return;
        };
        mark_tail_calls(&mut level.ops);
        if let Some(function) = self.functions.get_mut(level.function) {
            *function = Function {
                ops: level.ops,
                locals: level.locals,
            };
        }
    }

    fn begin_level(&mut self) -> usize {
        self.functions.push(Function::default());
        let function = self.functions.len() - 1;
        self.levels.push(Level {
            function,
            ..Level::default()
        });
        function
    }

    /// Compiles an expression as a function of its own.
    fn closure(&mut self, exp: &Exp) -> usize {
        let function = self.begin_level();
        self.exp(exp);
        self.end_level();
        function
    }

    /// Compiles a definition: its function's number. It knows itself.
    fn define(&mut self, definition: &Definition) -> usize {
        let function = self.functions.len();
        let name = Name::Function(definition.name.clone(), definition.parameters.len(), function);
        self.level().names.push(name);
        self.begin_level();
        self.body(definition);
        function
    }

    fn body(&mut self, definition: &Definition) {
        for (index, parameter) in definition.parameters.iter().enumerate() {
            let name = Name::Closure(parameter.name().to_owned(), index);
            self.level().names.push(name);
        }
        for (index, parameter) in definition.parameters.iter().enumerate() {
            if let Parameter::Value(name) = parameter {
                self.emit(Op::Duplicate);
                self.emit(Op::CallClosure(0, index));
                let slot = self.bind(name);
                self.emit(Op::Store(slot));
            }
        }
        self.exp(&definition.body);
        self.end_level();
    }

    /// The number of a function of the prelude, compiled if it was not.
    fn prelude(&mut self, name: &str, arity: usize) -> Option<usize> {
        let key = (name.to_owned(), arity);
        if let Some(function) = self.known.get(&key) {
            return Some(*function);
        }
        let definition = prelude::find(name, arity)?;
        // It sees the outermost level, and none of the program's names.
        let mut outer = std::mem::take(&mut self.levels);
        self.levels.push(Level::default());
        let function = self.begin_level();
        self.known.insert(key, function);
        self.body(&definition);
        std::mem::swap(&mut self.levels, &mut outer);
        Some(function)
    }

    fn exp(&mut self, exp: &Exp) {
        self.depth += 1;
        if self.depth > MOST_DEPTH || crate::stack::is_low() {
            if self.errors.is_empty() {
                self.fail("the program is nested too deeply", 0);
            }
        } else {
            self.exp_inner(exp);
        }
        self.depth -= 1;
    }

    fn exp_inner(&mut self, exp: &Exp) {
        match exp {
            Exp::Identity => {}
            Exp::Literal(literal) => {
                let value = self.constant(literal);
                self.emit(Op::Constant(value));
            }
            Exp::Interpolation(format, pieces) => self.interpolation(format, pieces),
            Exp::Format(name) => self.format(name),
            Exp::Variable(name, start) => self.load(name, *start),
            Exp::Location(line) => self.location(*line),
            Exp::Call(name, arguments, start) => self.call(name, arguments, *start),
            Exp::Index(term, key, optional) => {
                self.sub(key);
                self.exp(term);
                self.emit(Op::Index(*optional));
            }
            Exp::Slice(term, from, to, optional) => self.slice(term, (from, to), *optional),
            Exp::Each(term, optional) => {
                self.exp(term);
                self.emit(Op::Each(*optional));
            }
            Exp::Array(None) => {
                let value = self.heap.array(Vec::new());
                self.emit(Op::Constant(value));
            }
            Exp::Array(Some(inner)) => self.array(inner),
            Exp::Object(pairs, start) => self.object(pairs, *start),
            Exp::Negate(inner) => self.negate(inner),
            Exp::Pipe(all) => all.iter().for_each(|part| self.exp(part)),
            Exp::Comma(all) => self.comma(all),
            Exp::Binary(operation, left, right, start) => self.binary(*operation, left, right, *start),
            Exp::And(left, right) => self.junction(left, right, false),
            Exp::Or(left, right) => self.junction(left, right, true),
            Exp::Alternative(left, right) => self.alternative(left, &mut |this| this.exp(right)),
            Exp::Assign(left, right) => self.assign("_assign", left, right),
            Exp::Modify(left, right) => self.assign("_modify", left, right),
            Exp::Update(operation, left, right) => {
                let update = |old, new| Exp::Binary(*operation, Box::new(old), Box::new(new), 0);
                self.update(left, right, update);
            }
            Exp::UpdateAlternative(left, right) => {
                self.update(left, right, |old, new| {
                    Exp::Alternative(Box::new(old), Box::new(new))
                });
            }
            Exp::If(condition, then, otherwise) => {
                self.condition(condition, &mut |this| this.exp(then), &mut |this| {
                    this.exp(otherwise)
                })
            }
            Exp::Try(body, handler) => self.attempt(body, handler.as_deref()),
            Exp::Reduce(source, patterns, first, update) => self.reduce(source, patterns, first, update),
            Exp::Foreach(source, patterns, first, update, extract) => {
                self.foreach(source, patterns, (first, update), extract.as_deref());
            }
            Exp::As(source, patterns, body) => {
                // The path is followed in the body alone.
                self.emit(Op::Duplicate);
                self.sub(source);
                self.emit(Op::Drop);
                self.destructure(patterns, &mut |this| this.exp(body));
            }
            Exp::Define(definition, body) => {
                let before = self.level().names.len();
                self.define(definition);
                self.exp(body);
                self.level().names.truncate(before);
            }
            Exp::Label(name, body) => self.label(name, body),
            Exp::Break(name, start) => self.break_out(name, *start),
        }
    }

    /// `$__loc__`
    fn location(&mut self, line: usize) {
        let line = Value::Number(line as f64);
        let file = self.heap.text("<top-level>");
        let pairs = [(self.heap.share("file"), file), (self.heap.share("line"), line)];
        let value = self.heap.object(pairs);
        self.emit(Op::Constant(value));
    }

    fn negate(&mut self, inner: &Exp) {
        if let Exp::Literal(Literal::Number(value)) = inner {
            self.emit(Op::Constant(Value::Number(-value)));
            return;
        }
        self.exp(inner);
        self.emit(Op::Native(native::NEGATE, 0));
    }

    /// `=` and `|=`, which are functions of the library.
    fn assign(&mut self, function: &str, left: &Exp, right: &Exp) {
        self.call(function, &[left.clone(), right.clone()], 0);
    }

    /// `break $name`: an error that only its label takes.
    fn break_out(&mut self, name: &str, start: usize) {
        match self.variable(&format!("*label-{name}")) {
            Some(slot) => {
                self.emit(Op::Load(slot));
                self.emit(Op::Native(native::ERROR, 0));
            }
            None => self.fail(format!("$*label-{name} is not defined"), start),
        }
    }

    /// An expression whose path is not followed; its output lands below the input.
    fn sub(&mut self, exp: &Exp) {
        self.emit(Op::Begin);
        self.exp(exp);
        self.emit(Op::End);
    }

    fn load(&mut self, name: &str, start: usize) {
        if let Some(slot) = self.variable(name) {
            self.emit(Op::Load(slot));
        } else if let Some(value) = self.globals.get(name) {
            self.emit(Op::Constant(value.clone()));
        } else {
            self.fail(format!("${name} is not defined"), start);
        }
    }

    fn format(&mut self, name: &str) {
        let value = self.heap.text(name);
        self.emit(Op::Begin);
        self.emit(Op::Constant(value));
        self.emit(Op::End);
        self.emit(Op::Native(native::FORMAT, 1));
    }

    fn interpolation(&mut self, format: &str, pieces: &[Piece]) {
        // A sum, as in jq, where the last value varies slowest.
        let mut sum = Exp::Literal(Literal::Text(String::new()));
        for piece in pieces {
            let part = match piece {
                Piece::Text(text) => Exp::Literal(Literal::Text(text.clone())),
                Piece::Value(exp) => Exp::Pipe(vec![exp.clone(), Exp::Format(format.to_owned())]),
            };
            sum = Exp::Binary(Binary::Add, Box::new(sum), Box::new(part), 0);
        }
        self.exp(&sum);
    }

    fn slice(&mut self, term: &Exp, (from, to): (&Option<Box<Exp>>, &Option<Box<Exp>>), optional: bool) {
        let null = Exp::Literal(Literal::Null);
        let bound = |name: &str, bound: &Option<Box<Exp>>| {
            let key = Exp::Literal(Literal::Text(name.to_owned()));
            (key, bound.as_deref().unwrap_or(&null).clone())
        };
        let pairs = [bound("start", from), bound("end", to)];
        self.emit(Op::Begin);
        self.object(&pairs, 0);
        self.emit(Op::End);
        self.exp(term);
        self.emit(Op::Index(optional));
    }

    fn array(&mut self, inner: &Exp) {
        let slot = self.fresh();
        self.emit(Op::Duplicate);
        let empty = self.heap.array(Vec::new());
        self.emit(Op::Constant(empty));
        self.emit(Op::Store(slot));
        let fork = self.emit(Op::Fork(0));
        self.exp(inner);
        self.emit(Op::Append(slot));
        self.emit(Op::Back);
        self.land(fork);
        self.emit(Op::Take(slot));
    }

    fn object(&mut self, pairs: &[(Exp, Exp)], start: usize) {
        self.emit(Op::Begin);
        let empty = self.heap.empty_object();
        self.emit(Op::Constant(empty));
        self.emit(Op::End);
        for (key, value) in pairs {
            if let Exp::Literal(literal) = key
                && !matches!(literal, Literal::Text(_))
            {
                let value = self.constant(literal);
                let shown = super::operate::described(&value);
                self.fail(format!("Cannot use {shown} as object key"), start);
            }
            self.sub(key);
            self.sub(value);
            self.emit(Op::Insert);
        }
        self.emit(Op::Drop);
    }

    fn comma(&mut self, all: &[Exp]) {
        let mut ends = Vec::new();
        for (index, part) in all.iter().enumerate() {
            if index + 1 == all.len() {
                self.exp(part);
                break;
            }
            let fork = self.emit(Op::Fork(0));
            self.exp(part);
            ends.push(self.emit(Op::Jump(0)));
            self.land(fork);
        }
        for end in ends {
            self.land(end);
        }
    }

    fn binary(&mut self, operation: Binary, left: &Exp, right: &Exp, _: usize) {
        if let (Binary::Divide, Exp::Literal(Literal::Number(_)), Exp::Literal(Literal::Number(divisor))) =
            (operation, left, right)
            && *divisor == 0.0
        {
            self.fail("Division by zero?", 0);
        }
        self.sub(right);
        self.sub(left);
        self.emit(Op::Native(native::binary(operation), 2));
    }

    /// `if`, with code for both ways.
    fn condition(
        &mut self,
        condition: &Exp,
        then: &mut dyn FnMut(&mut Self),
        otherwise: &mut dyn FnMut(&mut Self),
    ) {
        self.emit(Op::Duplicate);
        self.sub(condition);
        self.emit(Op::Drop);
        let jump = self.emit(Op::JumpIfNot(0));
        self.emit(Op::Drop);
        then(self);
        let end = self.emit(Op::Jump(0));
        self.land(jump);
        self.emit(Op::Drop);
        otherwise(self);
        self.land(end);
    }

    /// `and` (`decided` is false) and `or` (it is true).
    fn junction(&mut self, left: &Exp, right: &Exp, decided: bool) {
        let mut known = |this: &mut Self| {
            this.emit(Op::Constant(Value::Bool(decided)));
        };
        let mut other = |this: &mut Self| {
            let mut yes = |this: &mut Self| {
                this.emit(Op::Constant(Value::Bool(true)));
            };
            let mut no = |this: &mut Self| {
                this.emit(Op::Constant(Value::Bool(false)));
            };
            this.condition(right, &mut yes, &mut no);
        };
        if decided {
            self.condition(left, &mut known, &mut other);
        } else {
            self.condition(left, &mut other, &mut known);
        }
    }

    fn alternative(&mut self, left: &Exp, right: &mut dyn FnMut(&mut Self)) {
        let found = self.fresh();
        self.emit(Op::Duplicate);
        self.emit(Op::Constant(Value::Bool(false)));
        self.emit(Op::Store(found));
        let fork = self.emit(Op::Fork(0));
        self.exp(left);
        let not = self.emit(Op::JumpIfNot(0));
        self.emit(Op::Duplicate);
        self.emit(Op::Constant(Value::Bool(true)));
        self.emit(Op::Store(found));
        let end = self.emit(Op::Jump(0));
        self.land(not);
        self.emit(Op::Back);
        // Nothing more on the left.
        self.land(fork);
        self.emit(Op::Duplicate);
        self.emit(Op::Load(found));
        let none = self.emit(Op::JumpIfNot(0));
        self.emit(Op::Back);
        self.land(none);
        self.emit(Op::Drop);
        right(self);
        self.land(end);
    }

    fn update(&mut self, left: &Exp, right: &Exp, update: impl Fn(Exp, Exp) -> Exp) {
        let before = self.level().names.len();
        self.emit(Op::Duplicate);
        self.exp(right);
        // No name of a program has a blank.
        let slot = self.bind("new value");
        self.emit(Op::Store(slot));
        let new = Exp::Variable("new value".to_owned(), 0);
        let arguments = [left.clone(), update(Exp::Identity, new)];
        self.call("_modify", &arguments, 0);
        self.level().names.truncate(before);
    }

    fn attempt(&mut self, body: &Exp, handler: Option<&Exp>) {
        let start = self.emit(Op::Try(0));
        self.exp(body);
        let end = self.emit(Op::Jump(0));
        self.land(start);
        match handler {
            None => {
                self.emit(Op::Back);
            }
            Some(handler) => {
                // A `break` on its way out is no error to catch.
                self.emit(Op::Native(native::RETHROW_BREAK, 0));
                self.exp(handler);
            }
        }
        self.land(end);
    }

    fn reduce(&mut self, source: &Exp, patterns: &[Pattern], first: &Exp, update: &Exp) {
        let state = self.fresh();
        self.emit(Op::Duplicate);
        self.exp(first);
        self.emit(Op::Store(state));
        let fork = self.emit(Op::Fork(0));
        self.emit(Op::DuplicateTaking);
        self.exp(source);
        self.destructure(patterns, &mut |this| {
            this.emit(Op::Take(state));
            this.exp(update);
            this.emit(Op::Store(state));
        });
        self.emit(Op::Back);
        self.land(fork);
        self.emit(Op::Take(state));
    }

    fn foreach(
        &mut self,
        source: &Exp,
        patterns: &[Pattern],
        (first, update): (&Exp, &Exp),
        extract: Option<&Exp>,
    ) {
        let state = self.fresh();
        self.emit(Op::Duplicate);
        self.exp(first);
        self.emit(Op::Store(state));
        let fork = self.emit(Op::Fork(0));
        self.emit(Op::DuplicateTaking);
        self.exp(source);
        let mut outputs = Vec::new();
        self.destructure(patterns, &mut |this| {
            this.emit(Op::Take(state));
            this.exp(update);
            this.emit(Op::Duplicate);
            this.emit(Op::Store(state));
            if let Some(extract) = extract {
                this.exp(extract);
            }
            outputs.push(this.emit(Op::Jump(0)));
        });
        self.land(fork);
        self.emit(Op::Back);
        for output in outputs {
            self.land(output);
        }
    }

    fn label(&mut self, name: &str, body: &Exp) {
        let before = self.level().names.len();
        self.emit(Op::Duplicate);
        self.emit(Op::Label);
        let slot = self.bind(&format!("*label-{name}"));
        self.emit(Op::Store(slot));
        let start = self.emit(Op::Try(0));
        self.exp(body);
        let end = self.emit(Op::Jump(0));
        self.land(start);
        // The error is on top: ours ends here, another goes on.
        self.emit(Op::Begin);
        self.emit(Op::Load(slot));
        self.emit(Op::End);
        self.emit(Op::Native(native::RETHROW_OTHER, 1));
        self.emit(Op::Back);
        self.land(end);
        self.level().names.truncate(before);
    }
}

/// A call that nothing follows needs no frame below it, unless it passes code that runs in this one.
fn mark_tail_calls(ops: &mut [Op]) {
    let ends = |from: usize, ops: &[Op]| {
        let mut at = from;
        for _ in 0..ops.len() {
            match ops.get(at) {
                Some(Op::Jump(target)) => at = *target,
                Some(Op::Return) => return true,
                _ => return false,
            }
        }
        false
    };
    for at in 0..ops.len() {
        if !ends(at + 1, ops) {
            continue;
        }
        let Some(op) = ops.get_mut(at) else { continue };
        match op {
            Op::Call(function, up, arguments) if *up > 0 => {
                let own = arguments
                    .iter()
                    .any(|argument| matches!(argument, Argument::Function(_)));
                if !own {
                    *op = Op::TailCall(*function, *up, Arc::clone(arguments));
                }
            }
            Op::CallClosure(up, index) => *op = Op::TailCallClosure(*up, *index),
            _ => {}
        }
    }
}
