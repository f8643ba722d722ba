//! Commands on numbers and on the stack.

use std::cmp::Ordering;

use super::machine::{Done, Machine, Trouble, Value, said};
use crate::program::decimal::Number;
use crate::program::decimal::operate::{self, Problem, text_cost};

impl From<Problem> for Trouble {
    fn from(problem: Problem) -> Trouble {
        match problem {
            Problem::Halt(halt) => Trouble::Halt(halt),
            Problem::Error(_) => Trouble::Silent,
        }
    }
}

/// The bytes of a whole number, the lowest last.
fn low_byte(number: &Number) -> u8 {
    let bytes = number.integer().to_signed_bytes_le();
    bytes.first().copied().unwrap_or(0)
}

impl Machine {
    /// The numbers on top, in order; they stay if there are too few, or one is none.
    fn operands<const N: usize>(&self) -> Done<[Number; N]> {
        let Some(start) = self.stack.len().checked_sub(N) else {
            return said("stack empty");
        };
        let mut numbers = Vec::with_capacity(N);
        for value in self.stack.get(start..).unwrap_or_default() {
            match value {
                Value::Number(number) => numbers.push(number.clone()),
                Value::Text(_) => return said("non-numeric value"),
            }
        }
        numbers.try_into().map_err(|_| Trouble::Silent)
    }

    fn replace(&mut self, count: usize, results: impl IntoIterator<Item = Number>) -> Done<()> {
        for _ in 0..count {
            self.pop()?;
        }
        for result in results {
            self.push(Value::Number(result))?;
        }
        Ok(())
    }

    pub(super) fn arithmetic(&mut self, letter: u8) -> Done<()> {
        let scale = self.scale;
        let kernel = self.kernel.clone();
        let meter = kernel.meter();
        match letter {
            b'v' => return self.square_root(),
            b'|' => return self.modular_power(),
            _ => {}
        }
        let [left, right] = self.operands()?;
        let results = match letter {
            b'/' | b'~' if right.is_zero() => return said("divide by zero"),
            b'%' if right.is_zero() => return said("remainder by zero"),
            b'~' => {
                // Paid for as a division.
                operate::binary(meter, b'%', &left, &right, scale)?;
                let parts = left.divide_with_rest(&right, scale);
                let (quotient, rest) = parts.unwrap_or_default();
                vec![quotient, rest]
            }
            b'^' => vec![self.power(&left, &right)?],
            letter => vec![operate::binary(meter, letter, &left, &right, scale)?],
        };
        self.replace(2, results)
    }

    fn power(&mut self, left: &Number, right: &Number) -> Done<Number> {
        if right.scale() > 0 && right.rescaled(0).compare(right) != Ordering::Equal {
            self.event = Some(super::Event::Said(
                b"Runtime warning: non-zero scale in exponent\n".to_vec(),
            ));
        }
        let exponent = right.rescaled(0);
        if left.is_zero() && exponent.is_negative() {
            return Ok(Number::whole(0));
        }
        let small = exponent
            .to_i64()
            .is_some_and(|exponent| i32::try_from(exponent).is_ok());
        let power = match small {
            true => operate::binary(self.kernel.meter(), b'^', left, &exponent, self.scale),
            false => Err(Problem::of("exponent too large in raise")),
        };
        match power {
            Ok(power) => Ok(power),
            Err(Problem::Halt(halt)) => Err(halt.into()),
            Err(Problem::Error(_)) => {
                self.event = Some(super::Event::Said(
                    b"Runtime error: exponent too large in raise\n".to_vec(),
                ));
                Ok(Number::whole(1))
            }
        }
    }

    fn square_root(&mut self) -> Done<()> {
        let Value::Number(value) = self.pop()? else {
            return said("square root of nonnumeric attempted");
        };
        if value.is_negative() {
            return said("square root of negative number");
        }
        let root = operate::square_root(self.kernel.meter(), &value, self.scale)?;
        self.push(Value::Number(root))
    }

    /// `base exponent modulus |`
    fn modular_power(&mut self) -> Done<()> {
        let [base, exponent, modulus] = self.operands()?;
        if modulus.is_zero() {
            return said("remainder by zero");
        }
        if exponent.is_negative() {
            return Err(Trouble::Silent);
        }
        let words = base.size() + modulus.size() + 1;
        let turns = exponent.bits() * 2 + 1;
        self.kernel
            .meter()
            .charge(words.saturating_mul(words).saturating_mul(turns))?;
        let (base, exponent, modulus) = (base.integer(), exponent.integer(), modulus.integer());
        let mut result = num_bigint::BigInt::from(1) % &modulus;
        for bit in (0..exponent.bits()).rev() {
            result = &result * &result % &modulus;
            if exponent.bit(bit) {
                result = result * &base % &modulus;
            }
        }
        self.replace(3, [Number::whole(result)])
    }

    pub(super) fn print(&mut self, letter: u8) -> Done<()> {
        self.print_late();
        match letter {
            b'f' => {
                for index in (0..self.stack.len()).rev() {
                    if let Some(value) = self.stack.get(index).cloned() {
                        self.show(&value)?;
                        self.printer.newline();
                    }
                }
                return Ok(());
            }
            b'p' => {
                let Some(value) = self.stack.last().cloned() else {
                    return said("stack empty");
                };
                self.show(&value)?;
                self.printer.newline();
                return Ok(());
            }
            _ => {}
        }
        match self.pop()? {
            Value::Number(number) if letter == b'P' => {
                let (_, bytes) = number.integer().to_bytes_be();
                self.printer.out.extend_from_slice(&bytes);
                Ok(())
            }
            value => self.show(&value),
        }
    }

    fn show(&mut self, value: &Value) -> Done<()> {
        match value {
            Value::Number(number) => {
                self.kernel.meter().charge(text_cost(number))?;
                self.printer.number(number, self.output_base);
            }
            Value::Text(text) => {
                let meter = self.kernel.meter();
                meter.charge(text.len() as u64 / 8)?;
                meter.check_memory((self.printer.out.len() + text.len()) as u64)?;
                self.printer.text(text);
            }
        }
        Ok(())
    }

    /// Commands that look at the stack or turn it over.
    pub(super) fn arrange(&mut self, letter: u8) -> Done<()> {
        match letter {
            b'c' => {
                while let Some(value) = self.stack.pop() {
                    self.release(&value);
                }
                Ok(())
            }
            b'd' => match self.stack.last().cloned() {
                Some(value) => self.push(value),
                None => said("stack empty"),
            },
            b'r' => {
                let count = self.stack.len();
                if count < 2 {
                    return said("stack empty");
                }
                self.stack.swap(count - 1, count - 2);
                Ok(())
            }
            b'R' => self.rotate(),
            b'z' => self.push(Value::Number(Number::whole(self.stack.len()))),
            b'Z' => {
                let length = match self.pop()? {
                    Value::Number(number) => {
                        self.kernel.meter().charge(text_cost(&number))?;
                        let digits = number.digits_at(number.scale());
                        digits.magnitude().to_string().len()
                    }
                    Value::Text(text) => text.len(),
                };
                self.push(Value::Number(Number::whole(length)))
            }
            _ => {
                let scale = match self.pop()? {
                    Value::Number(number) => number.scale(),
                    Value::Text(_) => 0,
                };
                self.push(Value::Number(Number::whole(scale)))
            }
        }
    }

    /// Turns the values on top by one: up, or down for a negative count.
    fn rotate(&mut self) -> Done<()> {
        let Value::Number(count) = self.pop()? else {
            return Err(Trouble::Silent);
        };
        let count = count.to_i64().unwrap_or(i64::MAX);
        let length = usize::try_from(count.unsigned_abs()).unwrap_or(usize::MAX);
        let start = self.stack.len().saturating_sub(length);
        self.kernel
            .meter()
            .charge((self.stack.len() - start) as u64 / 4)?;
        let part = self.stack.get_mut(start..).unwrap_or_default();
        if part.len() < 2 {
            return Ok(());
        }
        if count > 0 {
            part.rotate_left(1);
        } else {
            part.rotate_right(1);
        }
        Ok(())
    }

    pub(super) fn setting(&mut self, letter: u8) -> Done<()> {
        let current = match letter {
            b'I' => Some(self.input_base as usize),
            b'O' => Some(self.output_base as usize),
            b'K' => Some(self.scale),
            _ => None,
        };
        if let Some(current) = current {
            return self.push(Value::Number(Number::whole(current)));
        }
        let value = match self.pop()? {
            Value::Number(number) => number.rescaled(0).to_i64(),
            Value::Text(_) => None,
        };
        match (letter, value) {
            (b'i', Some(base @ 2..=16)) => self.input_base = base as u32,
            (b'i', _) => return said("input base must be a number between 2 and 16 (inclusive)"),
            (b'o', Some(base @ 2..)) => self.output_base = u32::try_from(base).unwrap_or(u32::MAX),
            (b'o', _) => return said("output base must be a number greater than 1"),
            (_, Some(scale @ 0..)) => self.scale = scale as usize,
            _ => return said("scale must be a nonnegative number"),
        }
        Ok(())
    }

    /// `a`: a number becomes a character, a string its first one.
    pub(super) fn character(&mut self) -> Done<()> {
        let text = match self.pop()? {
            Value::Number(number) => vec![low_byte(&number)],
            // The first character of an empty string is its end.
            Value::Text(text) => vec![text.first().copied().unwrap_or(0)],
        };
        self.push(Value::Text(text.into()))
    }

    pub(super) fn leave_many(&mut self) -> Done<()> {
        let levels = match self.pop()? {
            Value::Number(number) => number.to_i64(),
            Value::Text(_) => None,
        };
        match levels {
            Some(levels @ 1..) => {
                self.leave(levels as u64, false);
                Ok(())
            }
            _ => said("Q command requires a number >= 1"),
        }
    }

    /// Runs a register's macro if two numbers compare so.
    pub(super) fn compare(&mut self, sign: u8, negated: bool) -> Done<()> {
        let name = self.register_name()?;
        let [second, top] = self.operands()?;
        self.replace(2, [])?;
        let order = top.compare(&second);
        let holds = match sign {
            b'<' => order == Ordering::Less,
            b'>' => order == Ordering::Greater,
            _ => order == Ordering::Equal,
        };
        if holds == negated {
            return Ok(());
        }
        let value = self.registers.top(name);
        self.execute(value)
    }
}
