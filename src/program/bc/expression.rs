//! Expressions of `bc`.
//!
//! An assignment binds its left side closer than any operator does (`1+a=3` is `1+(a=3)`), and a minus sign closer than `^`.

use super::code::{self, Id, Op};
use super::lexer::{Step, Token, Word};
use super::parser::{Fail, Parser};

/// What is known of an expression.
#[derive(Debug, Clone, Copy, Default)]
pub struct Flags {
    /// Its value is printed when it stands alone; that of an assignment is not.
    pub shown: bool,
    /// It has a comparison.
    pub comparison: bool,
    /// It stands in parentheses.
    pub parenthesized: bool,
    /// It has no value.
    pub void: bool,
}

impl Flags {
    const SHOWN: Flags = Flags {
        shown: true,
        comparison: false,
        parenthesized: false,
        void: false,
    };

    /// Of an operator's operands together.
    fn join(self, other: Flags) -> Flags {
        Flags {
            shown: self.shown || other.shown,
            comparison: self.comparison || other.comparison,
            parenthesized: false,
            void: false,
        }
    }
}

/// How close operators bind.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
enum Binding {
    Or,
    And,
    Not,
    Compare,
    Assign,
    Sum,
    Product,
    Power,
}

/// A place that can be assigned to.
#[derive(Debug, Clone, Copy)]
enum Place {
    Variable(Id),
    /// An element; the subscript is on the stack.
    Element(Id),
}

impl Parser<'_> {
    /// An expression.
    pub(super) fn expression(&mut self) -> Result<Flags, Fail> {
        self.binding(Binding::Or)
    }

    /// An expression of operators that bind at least so close.
    fn binding(&mut self, least: Binding) -> Result<Flags, Fail> {
        self.deeper()?;
        let mut flags = self.operand()?;
        while let Some((binding, operator)) = self.operator()? {
            if binding < least {
                break;
            }
            self.shift();
            flags = match binding {
                Binding::Or => self.or(flags)?,
                Binding::And => self.and(flags)?,
                _ => self.operate(flags, binding, operator)?,
            };
        }
        self.depth -= 1;
        Ok(flags)
    }

    /// The operator that comes, if one does.
    fn operator(&mut self) -> Result<Option<(Binding, u8)>, Fail> {
        Ok(match self.peek()? {
            Token::Or => Some((Binding::Or, 0)),
            Token::And => Some((Binding::And, 0)),
            Token::Compare(letter) => Some((Binding::Compare, *letter)),
            Token::Sign(sign @ (b'+' | b'-')) => Some((Binding::Sum, *sign)),
            Token::Sign(sign @ (b'*' | b'/' | b'%')) => Some((Binding::Product, *sign)),
            Token::Sign(b'^') => Some((Binding::Power, b'^')),
            _ => None,
        })
    }

    fn or(&mut self, left: Flags) -> Result<Flags, Fail> {
        self.nonstandard("|| operator");
        let one = self.new_label();
        self.code.push(Op::JumpUnlessZero(one));
        let right = self.binding(Binding::And)?;
        self.refuse_void(&[left, right], "with ||");
        let end = self.new_label();
        self.code.push(Op::JumpUnlessZero(one));
        self.code.push(Op::Bit(false));
        self.code.push(Op::Jump(end));
        self.code.place(one);
        self.code.push(Op::Bit(true));
        self.code.place(end);
        Ok(left.join(right))
    }

    fn and(&mut self, left: Flags) -> Result<Flags, Fail> {
        self.nonstandard("&& operator");
        let zero = self.new_label();
        self.jump_if_copy_is_zero(zero);
        let right = self.binding(Binding::Not)?;
        self.refuse_void(&[left, right], "with &&");
        self.jump_if_copy_is_zero(zero);
        self.code.push(Op::Bit(true));
        self.code.place(zero);
        Ok(left.join(right))
    }

    fn jump_if_copy_is_zero(&mut self, label: code::Label) {
        self.code.push(Op::Duplicate);
        self.code.push(Op::JumpIfZero(label));
        self.code.push(Op::Drop);
    }

    fn operate(&mut self, left: Flags, binding: Binding, operator: u8) -> Result<Flags, Fail> {
        let above = match binding {
            Binding::Compare => Binding::Assign,
            Binding::Sum => Binding::Product,
            // To the right.
            _ => Binding::Power,
        };
        let right = self.binding(above)?;
        self.code.push(Op::Operate(operator));
        if binding == Binding::Compare {
            self.refuse_void(&[left, right], "with comparison");
            return Ok(Flags {
                comparison: true,
                ..Flags::SHOWN
            });
        }
        self.refuse_void(&[left, right], &format!("with {}", char::from(operator)));
        Ok(left.join(right))
    }

    fn refuse_void(&mut self, operands: &[Flags], place: &str) {
        if operands.iter().any(|flags| flags.void) {
            self.error(&format!("void expression {place}"));
        }
    }

    fn operand(&mut self) -> Result<Flags, Fail> {
        match self.peek()?.clone() {
            Token::Not => {
                self.shift();
                let flags = self.binding(Binding::Not)?;
                self.nonstandard("! operator");
                self.refuse_void(&[flags], "with !");
                self.code.push(Op::Operate(b'!'));
                Ok(flags.join(Flags::default()))
            }
            Token::Sign(b'-') => {
                self.shift();
                self.deeper()?;
                let flags = self.operand()?;
                self.depth -= 1;
                self.refuse_void(&[flags], "with unary -");
                self.code.push(Op::Operate(b'n'));
                Ok(flags.join(Flags::default()))
            }
            Token::Sign(b'(') => {
                self.shift();
                let flags = self.expression()?;
                self.refuse_void(&[flags], "in parenthesis");
                self.need_sign(b')')?;
                Ok(Flags {
                    shown: true,
                    parenthesized: true,
                    ..flags
                })
            }
            Token::Number(digits) => {
                self.shift();
                self.code.push(match digits.as_slice() {
                    b"0" => Op::Bit(false),
                    b"1" => Op::Bit(true),
                    _ => Op::Constant(digits),
                });
                Ok(Flags::SHOWN)
            }
            Token::Step(step) => {
                self.shift();
                let place = self.place()?;
                self.step(place, step);
                Ok(Flags::SHOWN)
            }
            Token::Word(word) => self.intrinsic(word),
            _ => self.named(),
        }
    }

    /// A place's value before or after a step.
    fn step(&mut self, place: Place, step: Step) {
        match place {
            Place::Variable(id) => {
                self.code.push(step_of(place, step));
                self.code.push(Op::Load(id));
            }
            Place::Element(id) => {
                self.code.push(Op::Duplicate);
                self.code.push(step_of(place, step));
                self.code.push(Op::LoadElement(id));
            }
        }
    }

    fn intrinsic(&mut self, word: Word) -> Result<Flags, Fail> {
        let (letter, name) = match word {
            Word::Length => (b'L', "length"),
            Word::Sqrt => (b'R', "sqrt"),
            Word::Scale => (b'S', "scale"),
            Word::Read => (b'I', "read"),
            Word::Random => (b'X', "random"),
            _ => return self.named(),
        };
        self.shift();
        if word == Word::Scale && !self.is_sign(b'(')? {
            return self.assigned(Place::Variable(code::SCALE));
        }
        self.need_sign(b'(')?;
        if matches!(word, Word::Read | Word::Random) {
            self.need_sign(b')')?;
            self.nonstandard(&format!("{name} function"));
        } else {
            let flags = self.expression()?;
            self.need_sign(b')')?;
            self.refuse_void(&[flags], &format!("in {name}()"));
        }
        self.code.push(Op::Intrinsic(letter));
        Ok(Flags::SHOWN)
    }

    /// What begins with a name: a call, a value, an assignment.
    fn named(&mut self) -> Result<Flags, Fail> {
        if let Token::Name(name) = self.peek()? {
            let name = name.clone();
            self.shift();
            if self.take_sign(b'(')? {
                return self.call(&name);
            }
            let place = self.place_of(&name)?;
            return self.assigned(place);
        }
        let place = self.place()?;
        self.assigned(place)
    }

    fn place(&mut self) -> Result<Place, Fail> {
        let id = match self.peek()?.clone() {
            Token::Name(name) => {
                self.shift();
                return self.place_of(&name);
            }
            Token::Last | Token::Word(Word::Last) => {
                self.shift();
                self.nonstandard("Last variable");
                return Ok(Place::Variable(code::LAST));
            }
            Token::Word(Word::History) => {
                self.shift();
                self.nonstandard("History variable");
                return Ok(Place::Variable(code::HISTORY));
            }
            Token::Word(Word::Ibase) => code::IBASE,
            Token::Word(Word::Obase) => code::OBASE,
            Token::Word(Word::Scale) => code::SCALE,
            _ => return Err(self.syntax_error()),
        };
        self.shift();
        Ok(Place::Variable(id))
    }

    /// A variable, or an element when a subscript follows.
    fn place_of(&mut self, name: &[u8]) -> Result<Place, Fail> {
        if !self.take_sign(b'[')? {
            self.notice_name(name);
            return Ok(Place::Variable(self.symbols.variables.id(name)));
        }
        let flags = self.expression()?;
        self.refuse_void_subscript(flags);
        self.need_sign(b']')?;
        self.notice_name(name);
        Ok(Place::Element(self.symbols.arrays.id(name)))
    }

    fn refuse_void_subscript(&mut self, flags: Flags) {
        self.refuse_void(&[flags], "as subscript");
        if flags.comparison {
            self.nonstandard("comparison in subscript");
        }
    }

    /// A place with what follows it: an assignment, a step, or nothing.
    fn assigned(&mut self, place: Place) -> Result<Flags, Fail> {
        match self.peek()?.clone() {
            Token::Assign(operator) => {
                self.shift();
                self.assignment(place, operator)
            }
            Token::Step(step) => {
                self.shift();
                self.step_after(place, step);
                Ok(Flags::SHOWN)
            }
            _ => {
                self.code.push(load(place));
                Ok(Flags::SHOWN)
            }
        }
    }

    fn assignment(&mut self, place: Place, operator: u8) -> Result<Flags, Fail> {
        if operator != b'=' {
            if matches!(place, Place::Element(_)) {
                self.code.push(Op::Duplicate);
            }
            self.code.push(load(place));
        }
        if self.binding(Binding::Assign)?.void {
            self.error("Assignment of a void expression");
        }
        if operator != b'=' {
            self.code.push(Op::Operate(operator));
        }
        self.code.push(match place {
            Place::Variable(id) => Op::Store(id),
            Place::Element(id) => Op::StoreElement(id),
        });
        Ok(Flags::default())
    }

    fn step_after(&mut self, place: Place, step: Step) {
        if matches!(place, Place::Element(_)) {
            self.code.push(Op::Duplicate);
        }
        self.code.push(load(place));
        if matches!(place, Place::Element(_)) {
            self.code.push(Op::Exchange);
        }
        self.code.push(step_of(place, step));
    }

    /// The arguments of a call, and the call.
    fn call(&mut self, name: &[u8]) -> Result<Flags, Fail> {
        let mut arguments = Vec::new();
        while !self.take_sign(b')')? {
            if !arguments.is_empty() {
                self.need_sign(b',')?;
            }
            arguments.push(self.argument()?);
        }
        self.notice_name(name);
        let function = self.symbols.functions.id(name);
        self.code.push(Op::Call(function, arguments));
        Ok(self.call_flags(function))
    }

    /// An argument; `true` for an array.
    fn argument(&mut self) -> Result<bool, Fail> {
        if let Some(name) = self.array_argument()? {
            self.notice_name(&name);
            let id = self.symbols.arrays.id(&name);
            self.code.push(Op::Array(id));
            return Ok(true);
        }
        let flags = self.expression()?;
        if flags.comparison {
            self.nonstandard("comparison in argument");
        }
        if flags.void {
            self.error("void argument");
        }
        Ok(false)
    }
}

fn load(place: Place) -> Op {
    match place {
        Place::Variable(id) => Op::Load(id),
        Place::Element(id) => Op::LoadElement(id),
    }
}

fn step_of(place: Place, step: Step) -> Op {
    match (place, step) {
        (Place::Variable(id), Step::Up) => Op::Increment(id),
        (Place::Variable(id), Step::Down) => Op::Decrement(id),
        (Place::Element(id), Step::Up) => Op::IncrementElement(id),
        (Place::Element(id), Step::Down) => Op::DecrementElement(id),
    }
}
