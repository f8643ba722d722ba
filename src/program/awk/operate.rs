//! Operations that need no waiting, but for the commonest, which are in the machine's own loop.

use super::code::{ArrayRef, Builtin, Comparison, Op, Operation, RegexRef, Special, Target};
use super::machine::{Machine, Pause, Run, fatal};
use super::split::Splitter;
use super::value::{Place, Text, Value};
use crate::pattern::Regex;

impl Machine<'_> {
    /// Does an operation, or gives it back as one that must wait.
    pub(super) fn operate(&mut self, op: Op) -> Run<Option<Pause>> {
        match op {
            Op::Arithmetic(operation) => {
                let right = self.pop().number();
                let left = self.pop().number();
                let result = calculate(operation, left, right)?;
                self.push(Value::Number(result));
            }
            Op::Compare(comparison) => {
                let right = self.pop();
                let left = self.pop();
                let holds = self.compare(comparison, &left, &right);
                self.push(Value::truth(holds));
            }
            Op::Concatenate(count) => self.concatenate(count as usize)?,
            Op::AssignOperation(operation, target) => self.assign_operation(operation, target)?,
            Op::Step {
                target,
                delta,
                before,
            } => self.step(target, delta, before)?,
            Op::Append(place, count) => {
                self.append(place, count as usize)?;
                let value = self.variable(place);
                // When the value is dropped at once, the string stays unshared.
                if let Some(Op::Drop) = self.program.code.get(self.at) {
                    self.at += 1;
                } else {
                    self.push(value);
                }
            }
            Op::Negate => {
                let number = self.pop().number();
                self.push(Value::Number(-number));
            }
            Op::Plus => {
                let number = self.pop().number();
                self.push(Value::Number(number));
            }
            Op::Not => {
                let truth = self.pop().is_true();
                self.push(Value::truth(!truth));
            }
            Op::Truth => {
                let truth = self.pop().is_true();
                self.push(Value::truth(truth));
            }
            Op::And(to) => self.short_circuit(to, false),
            Op::Or(to) => self.short_circuit(to, true),
            Op::MatchRecord { regex, negated } => {
                let regex = self.constant_regex(regex)?;
                let text = self.record.text(&self.ofs, &self.convfmt);
                let (found, size) = (regex.is_match(text)?, text.len());
                self.pay_bytes(size)?;
                self.push(Value::truth(found != negated));
            }
            Op::Match { regex, negated } => {
                let regex = self.regex(regex)?;
                let subject = self.pop();
                self.pay_bytes(subject.size())?;
                let found = regex.is_match(&subject.text(&self.convfmt))?;
                self.push(Value::truth(found != negated));
            }
            Op::Unset => self.push(Value::Unset),
            Op::Case(regex) => self.case(regex)?,
            Op::IfInRange(range, to) => {
                if self.ranges.get(range as usize) == Some(&true) {
                    self.at = to as usize;
                }
            }
            Op::SetRange(range, open) => {
                if let Some(place) = self.ranges.get_mut(range as usize) {
                    *place = open;
                }
            }
            Op::Argument(place) => self.argument(place),
            Op::CallIndirect { count } => self.call_indirect(count as usize)?,
            Op::Builtin { function, count } => return self.builtin_or_wait(op, function, count as usize),
            Op::Substitute {
                regex,
                global,
                target,
            } => self.substitute(regex, global, target)?,
            Op::Gensub(regex) => self.gensub(regex)?,
            Op::MatchFunction { regex, array } => self.match_function(regex, array)?,
            Op::Split {
                array,
                separator,
                separators,
                by_pattern,
            } => {
                self.split(array, separator, separators, by_pattern)?;
            }
            Op::LengthRecord | Op::LengthVariable(_) | Op::LengthElement(_) => self.length(op)?,
            Op::TypeOf { .. } | Op::TypeOfElement { .. } => self.type_of(op)?,
            Op::Getline { .. } | Op::Sort { .. } | Op::Walk(_) | Op::Print { .. } | Op::Printf { .. } => {
                return self.printf_or_wait(op);
            }
            op => self.array_operation(op)?,
        }
        Ok(None)
    }

    fn array_operation(&mut self, op: Op) -> Run<()> {
        match op {
            Op::In(array) => {
                let (array, key) = if array == ArrayRef::Stack {
                    let array = self.resolve(array)?;
                    (array, self.pop())
                } else {
                    let key = self.pop();
                    (self.resolve(array)?, key)
                };
                let key = self.key(&key)?;
                let found = self
                    .array(array)
                    .is_some_and(|array| array.get(key.bytes()).is_some());
                self.push(Value::truth(found));
            }
            Op::JoinKey(count) => {
                let mut key = Vec::new();
                for (index, value) in self.pop_many(count as usize).iter().enumerate() {
                    if index > 0 {
                        key.extend_from_slice(&self.subsep);
                    }
                    key.extend_from_slice(self.key(value)?.bytes());
                }
                let key = self.new_text(key)?;
                self.push(key);
            }
            Op::Subarray(array) => {
                let key = self.pop();
                let key = self.key(&key)?;
                let array = self.resolve(array)?;
                let inner = self.subarray(array, &key)?;
                self.push(Value::Array(inner));
            }
            Op::ArgumentElement(array) => {
                let key = self.pop();
                let key = self.key(&key)?;
                let array = self.resolve(array)?;
                if let Some(value) = self.symbol_itself(array, &key)? {
                    self.push(value);
                    return Ok(());
                }
                let value = match self.element(array, &key)?.clone() {
                    // It may become an array.
                    Value::Unset => Value::UntypedElement(std::sync::Arc::new((array, key))),
                    value => value,
                };
                self.push(value);
            }
            Op::Delete(array) => {
                let key = self.pop();
                let key = self.key(&key)?;
                let array = self.resolve(array)?;
                self.refuse_delete(array)?;
                if let Some(Value::Array(inner)) = self.array(array).and_then(|array| array.get(key.bytes()))
                {
                    let inner = *inner;
                    self.clear_array(inner);
                }
                self.remove_element(array, key.bytes());
            }
            Op::DeleteAll(array) => {
                let array = self.resolve(array)?;
                self.refuse_delete(array)?;
                self.clear_array(array);
            }
            _ => {}
        }
        Ok(())
    }

    fn short_circuit(&mut self, to: u32, when: bool) {
        if self.pop().is_true() == when {
            self.push(Value::truth(when));
            self.at = to as usize;
        }
    }

    /// The regular expression of an operation; a dynamic one is taken off the stack.
    pub(super) fn regex(&mut self, regex: RegexRef) -> Run<Regex> {
        match regex {
            RegexRef::Constant(index) => self.constant_regex(index),
            RegexRef::Stack => {
                let source = self.pop_text();
                self.dynamic_regex(&source)
            }
        }
    }

    fn case(&mut self, regex: Option<u32>) -> Run<()> {
        if let Some(regex) = regex {
            let regex = self.constant_regex(regex)?;
            let subject = self.stack.last().cloned().unwrap_or_default();
            let found = regex.is_match(&subject.text(&self.convfmt))?;
            self.push(Value::truth(found));
            return Ok(());
        }
        let label = self.pop();
        let subject = self.stack.last().cloned().unwrap_or_default();
        let holds = match &label {
            Value::Regex(source) => {
                let regex = self.dynamic_regex(source.bytes())?;
                regex.is_match(&subject.text(&self.convfmt))?
            }
            // A string is compared as one, a number only with numbers.
            Value::Text(text) => {
                !matches!(subject, Value::Number(_)) && subject.text(&self.convfmt).as_ref() == text.bytes()
            }
            label => {
                subject.comparable_number().is_some() && self.compare(Comparison::Equal, &subject, label)
            }
        };
        self.push(Value::truth(holds));
        Ok(())
    }

    fn call_indirect(&mut self, count: usize) -> Run<()> {
        let at = self.stack.len().saturating_sub(count + 1);
        if at >= self.stack.len() {
            return Ok(());
        }
        let name = self.stack.remove(at);
        let name = self.text_of(&name);
        let name = name.strip_prefix(b"awk::").unwrap_or(&name).to_vec();
        let found = self
            .program
            .functions
            .iter()
            .position(|function| function.name == name && function.start.is_some());
        if let Some(function) = found {
            return self.call(function as u32, count);
        }
        match super::code::Builtin::from_name(&name) {
            Some(function) if function.is_plain() => self.builtin(function, count),
            _ => Err(fatal(
                [
                    b"`",
                    name.as_slice(),
                    b"' is not a function, so it cannot be called indirectly",
                ]
                .concat(),
            )),
        }
    }

    /// Compares two values as awk does: as numbers if both can be, else as strings.
    pub fn compare(&self, comparison: Comparison, left: &Value, right: &Value) -> bool {
        use std::cmp::Ordering;
        let order = match (left.comparable_number(), right.comparable_number()) {
            (Some(left), Some(right)) => match left.partial_cmp(&right) {
                Some(order) => order,
                // Not-a-number is more than anything and equal to itself.
                None => left.is_nan().cmp(&right.is_nan()),
            },
            _ => {
                let (left, right) = (left.text(&self.convfmt), right.text(&self.convfmt));
                if self.ignore_case {
                    crate::text::utf8::lowercase(&left).cmp(&crate::text::utf8::lowercase(&right))
                } else {
                    left.cmp(&right)
                }
            }
        };
        match comparison {
            Comparison::Less => order == Ordering::Less,
            Comparison::LessEqual => order != Ordering::Greater,
            Comparison::Equal => order == Ordering::Equal,
            Comparison::NotEqual => order != Ordering::Equal,
            Comparison::GreaterEqual => order != Ordering::Less,
            Comparison::Greater => order == Ordering::Greater,
        }
    }

    fn concatenate(&mut self, count: usize) -> Run<()> {
        let at = self.stack.len().saturating_sub(count);
        let mut text = Vec::new();
        for value in self.stack.get(at..).unwrap_or_default() {
            match value {
                Value::Number(number) => super::number::push(&mut text, *number, &self.convfmt),
                value => text.extend_from_slice(&value.text(&self.convfmt)),
            }
        }
        self.stack.truncate(at);
        if text.len() > 4096 {
            self.proc.charge(text.len() as u64 / 256)?;
        }
        let text = self.new_text(text)?;
        self.push(text);
        Ok(())
    }

    fn assign_operation(&mut self, operation: Operation, target: Target) -> Run<()> {
        let right = self.pop().number();
        let target = self.repeat_needs(target)?;
        let left = self.load(target)?.number();
        if right == 0.0
            && let Operation::Divide | Operation::Modulo = operation
        {
            let sign = if operation == Operation::Divide {
                "/="
            } else {
                "%="
            };
            return Err(fatal(format!("division by zero attempted in `{sign}'")));
        }
        let result = calculate(operation, left, right)?;
        self.store(target, Value::Number(result))?;
        self.push(Value::Number(result));
        Ok(())
    }

    fn step(&mut self, target: Target, delta: f64, before: bool) -> Run<()> {
        let target = self.repeat_needs(target)?;
        let old = self.load(target)?.number();
        self.store(target, Value::Number(old + delta))?;
        self.push(Value::Number(if before { old + delta } else { old }));
        Ok(())
    }

    fn length(&mut self, op: Op) -> Run<()> {
        let length = match op {
            Op::LengthRecord => {
                let text = self.record.text(&self.ofs, &self.convfmt);
                let (count, size) = (crate::text::utf8::count(text), text.len());
                self.pay_bytes(size)?;
                count
            }
            Op::LengthVariable(place) => match self.variable(place) {
                // It is a scalar from then on.
                Value::Unset | Value::Untyped(_) | Value::UntypedElement(_) => {
                    self.load(Target::Variable(place))?;
                    0
                }
                Value::Array(array) => self.array(array).map_or(0, super::array::Array::len),
                value => {
                    self.pay_bytes(value.size())?;
                    crate::text::utf8::count(&value.text(&self.convfmt))
                }
            },
            Op::LengthElement(array) => {
                let key = self.pop();
                let key = self.key(&key)?;
                let array = self.resolve(array)?;
                let value = match self.symbol_itself(array, &key)? {
                    Some(value) => value,
                    None => self.element(array, &key)?.clone(),
                };
                match value {
                    Value::Array(array) => self.array(array).map_or(0, super::array::Array::len),
                    value => {
                        self.pay_bytes(value.size())?;
                        crate::text::utf8::count(&value.text(&self.convfmt))
                    }
                }
            }
            _ => 0,
        };
        self.push(Value::Number(length as f64));
        Ok(())
    }

    fn type_of(&mut self, op: Op) -> Run<()> {
        let (value, is_array) = match op {
            Op::TypeOf { place, is_array } => (self.variable(place), is_array),
            Op::TypeOfElement { array, is_array } => {
                let key = self.pop();
                let key = self.key(&key)?;
                let array = self.resolve(array)?;
                let value = match self.symbol_itself(array, &key)? {
                    Some(value) => value,
                    // Asking makes the element, as any other mention does.
                    None => self.element(array, &key)?.clone(),
                };
                (value, is_array)
            }
            _ => (Value::Unset, false),
        };
        if is_array {
            self.push(Value::truth(matches!(value, Value::Array(_))));
            return Ok(());
        }
        let name: &[u8] = match &value {
            Value::Array(_) => b"array",
            Value::Number(_) => b"number",
            Value::Input(_) if value.comparable_number().is_some() => b"strnum",
            Value::Text(_) | Value::Input(_) | Value::Key(_) => b"string",
            Value::Regex(_) => b"regexp",
            Value::Unassigned | Value::NoField => b"unassigned",
            Value::Unset | Value::Untyped(_) | Value::UntypedElement(_) => b"untyped",
        };
        self.push(Value::Text(Text::small(name)));
        Ok(())
    }

    /// How the third argument of `split` splits.
    pub(super) fn splitter_of(&mut self, separator: RegexRef) -> Run<Splitter> {
        match separator {
            RegexRef::Constant(index) => Ok(Splitter::Regex(self.constant_regex(index)?)),
            RegexRef::Stack => {
                let source = self.pop_text();
                self.field_splitter(&source)
            }
        }
    }

    /// How FS splits.
    pub(super) fn field_splitter(&mut self, source: &[u8]) -> Run<Splitter> {
        Ok(match source {
            b" " => Splitter::Blanks,
            b"" => Splitter::Characters,
            [byte] => Splitter::Byte(*byte),
            _ => Splitter::Regex(self.dynamic_regex(source)?),
        })
    }

    /// The plain value of a special variable's place.
    pub(super) fn set_global(&mut self, special: Special, value: Value) {
        if let Place::Global(index) = special.place()
            && let Some(slot) = self.globals.get_mut(index as usize)
        {
            *slot = value;
        }
    }

    fn builtin_or_wait(&mut self, op: Op, function: Builtin, count: usize) -> Run<Option<Pause>> {
        match function {
            Builtin::Close | Builtin::Fflush | Builtin::System => Ok(Some(Pause::Wait(op))),
            _ => {
                self.builtin(function, count)?;
                Ok(None)
            }
        }
    }

    /// `printf` to standard output is done here; what goes elsewhere waits.
    fn printf_or_wait(&mut self, op: Op) -> Run<Option<Pause>> {
        let Op::Printf {
            count,
            redirection: None,
        } = op
        else {
            return Ok(Some(Pause::Wait(op)));
        };
        let mut text = Vec::new();
        self.formatted(count as usize, &mut text)?;
        self.proc.out().extend_from_slice(&text);
        Ok((self.proc.out().len() >= 32 << 10).then_some(Pause::Flush))
    }
}

/// An operation on two numbers.
pub fn calculate(operation: Operation, left: f64, right: f64) -> Run<f64> {
    Ok(match operation {
        Operation::Add => left + right,
        Operation::Subtract => left - right,
        Operation::Multiply => left * right,
        Operation::Divide if right == 0.0 => return Err(fatal("division by zero attempted")),
        Operation::Divide => left / right,
        Operation::Modulo if right == 0.0 => return Err(fatal("division by zero attempted in `%'")),
        Operation::Modulo => left % right,
        Operation::Power => power(left, right),
    })
}

/// Whole exponents are multiplied out, as gawk does.
fn power(base: f64, exponent: f64) -> f64 {
    if exponent.fract() != 0.0 || exponent.abs() > 1024.0 {
        return base.powf(exponent);
    }
    let mut count = exponent.abs() as u32;
    let (mut square, mut result) = (base, 1.0);
    while count > 0 {
        if count % 2 == 1 {
            result *= square;
        }
        square *= square;
        count /= 2;
    }
    if exponent < 0.0 { 1.0 / result } else { result }
}
