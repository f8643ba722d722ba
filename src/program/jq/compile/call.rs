//! Calls: of functions of the program, of the prelude, and of what is built in.

use super::super::ast::Exp;
use super::super::native;
use super::{Argument, Compiler, Name, Op};

impl Compiler<'_> {
    pub(super) fn call(&mut self, name: &str, arguments: &[Exp], start: usize) {
        let arity = arguments.len();
        let closure = self.find(|known| match known {
            Name::Closure(known, index) if known == name && arity == 0 => Some((*index, None)),
            Name::Function(known, count, function) if known == name && *count == arity => {
                Some((0, Some(*function)))
            }
            _ => None,
        });
        match closure {
            Some((up, (index, None))) => {
                self.emit(Op::CallClosure(up, index));
            }
            Some((up, (_, Some(function)))) => self.call_function(function, up, arguments),
            None => self.call_builtin(name, arguments, start),
        }
    }

    fn call_function(&mut self, function: usize, up: usize, arguments: &[Exp]) {
        let mut all = Vec::new();
        for argument in arguments {
            let parameter = match argument {
                Exp::Call(name, none, _) if none.is_empty() => self.find(|known| match known {
                    Name::Closure(known, index) if known == name => Some(Some(*index)),
                    Name::Function(known, 0, _) if known == name => Some(None),
                    _ => None,
                }),
                _ => None,
            };
            all.push(match parameter {
                Some((up, Some(index))) => Argument::Parameter(up, index),
                _ => Argument::Function(self.closure(argument)),
            });
        }
        self.emit(Op::Call(function, up, all.into()));
    }

    fn call_builtin(&mut self, name: &str, arguments: &[Exp], start: usize) {
        match (name, arguments) {
            ("empty", []) => {
                self.emit(Op::Back);
            }
            ("path", [inner]) => {
                self.emit(Op::PathBegin);
                self.exp(inner);
                self.emit(Op::PathEnd);
            }
            ("range", [from, to]) => {
                let slots = (self.fresh(), self.fresh());
                self.emit(Op::Duplicate);
                self.exp(from);
                self.emit(Op::Store(slots.0));
                self.emit(Op::Duplicate);
                self.exp(to);
                self.emit(Op::Store(slots.1));
                self.emit(Op::Range(slots.0, slots.1));
            }
            _ => {
                if let Some(function) = native::find(name, arguments.len()) {
                    for argument in arguments.iter().rev() {
                        self.sub(argument);
                    }
                    self.emit(Op::Native(function, arguments.len()));
                } else if let Some(function) = self.prelude(name, arguments.len()) {
                    let up = self.levels.len() - 1;
                    self.call_function(function, up, arguments);
                } else {
                    self.fail(format!("{name}/{} is not defined", arguments.len()), start);
                }
            }
        }
    }
}
