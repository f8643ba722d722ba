//! awk's functions on numbers, strings and times.

use super::code::Builtin;
use super::format::{FormatError, format};
use super::machine::{Machine, Run, fatal};
use super::value::{Text, Value};
use crate::text::utf8;

/// A width or precision may be so large.
const WIDTH: usize = 1 << 26;

impl Machine<'_> {
    /// Calls a function whose arguments are on the stack; its value takes their place.
    pub(super) fn builtin(&mut self, function: Builtin, count: usize) -> Run<()> {
        let arguments = self.pop_many(count);
        let value = self.call_builtin(function, &arguments)?;
        self.push(value);
        Ok(())
    }

    fn call_builtin(&mut self, function: Builtin, arguments: &[Value]) -> Run<Value> {
        let first = arguments.first();
        let number = first.map_or(0.0, Value::number);
        Ok(match function {
            Builtin::Length => {
                let text = first.map(|value| value.text(&self.convfmt));
                Value::Number(text.map_or(0, |text| utf8::count(&text)) as f64)
            }
            Builtin::Substr => self.substr(arguments)?,
            Builtin::Index => self.index(arguments),
            Builtin::Tolower | Builtin::Toupper => {
                let text = first.map(|value| self.text_of(value)).unwrap_or_default();
                let lower = function == Builtin::Tolower;
                let changed = if lower {
                    utf8::lowercase(&text)
                } else {
                    utf8::uppercase(&text)
                };
                self.new_text(changed)?
            }
            Builtin::Sprintf => {
                let mut text = Vec::new();
                self.format_values(arguments, &mut text)?;
                self.new_text(text)?
            }
            Builtin::Int => Value::Number(number.trunc()),
            Builtin::Sin => Value::Number(number.sin()),
            Builtin::Cos => Value::Number(number.cos()),
            Builtin::Atan2 => Value::Number(number.atan2(second(arguments))),
            Builtin::Exp | Builtin::Log | Builtin::Sqrt => self.transcendental(function, number),
            Builtin::Rand => Value::Number(self.random.next()),
            Builtin::Srand => self.srand(first),
            Builtin::And | Builtin::Or | Builtin::Xor => bits(function, arguments)?,
            Builtin::Lshift | Builtin::Rshift | Builtin::Compl => shift(function, arguments)?,
            Builtin::Strtonum => Value::Number(strtonum(first, &self.convfmt)),
            Builtin::Mkbool => Value::truth(first.is_some_and(Value::is_true)),
            Builtin::Systime => Value::Number(self.proc.kernel.now().seconds as f64),
            Builtin::Strftime => self.strftime(arguments)?,
            Builtin::Mktime => self.mktime(arguments),
            _ => Value::Unset,
        })
    }

    /// Characters from a position on, counted from 1; what is before the first counts as the first.
    fn substr(&mut self, arguments: &[Value]) -> Run<Value> {
        let [text, rest @ ..] = arguments else {
            return Ok(Value::Unset);
        };
        let start = rest.first().map_or(1.0, Value::number).trunc().max(1.0);
        let length = rest.get(1).map_or(f64::INFINITY, |value| value.number().trunc());
        if length.is_nan() || length <= 0.0 || start.is_nan() {
            return Ok(Value::Text(Text::default()));
        }
        let text = text.text(&self.convfmt);
        // What is too large ends with the text; casts saturate.
        let piece = if text.is_ascii() {
            let from = (start as usize - 1).min(text.len());
            let to = from.saturating_add(length as usize).min(text.len());
            text.get(from..to).unwrap_or_default()
        } else {
            utf8::slice(&text, start as usize - 1, length as usize)
        };
        Ok(Value::Text(Text::copy(piece, &self.proc.kernel)?))
    }

    fn index(&self, arguments: &[Value]) -> Value {
        let [text, sought] = arguments else {
            return Value::Number(0.0);
        };
        let (text, sought) = (text.text(&self.convfmt), sought.text(&self.convfmt));
        if sought.is_empty() {
            return Value::Number(1.0);
        }
        let found = if self.ignore_case {
            let (text, sought) = (utf8::lowercase(&text), utf8::lowercase(&sought));
            memchr::memmem::find(&text, &sought).map(|at| utf8::count(text.get(..at).unwrap_or_default()))
        } else {
            memchr::memmem::find(&text, &sought).map(|at| utf8::count(text.get(..at).unwrap_or_default()))
        };
        Value::Number(found.map_or(0, |at| at + 1) as f64)
    }

    /// Formats values, the format first.
    pub(super) fn format_values(&mut self, values: &[Value], out: &mut Vec<u8>) -> Run<()> {
        let Some((text, values)) = values.split_first() else {
            return Err(fatal("printf: no arguments"));
        };
        let text = text.text(&self.convfmt);
        match format(out, &text, values, &self.convfmt, WIDTH) {
            Ok(()) => {
                self.proc.charge(out.len() as u64 / 256)?;
                Ok(())
            }
            Err(FormatError::Fatal(message)) => Err(fatal(message)),
            Err(FormatError::TooLarge) => Err(fatal("printf: field width or precision too large")),
        }
    }

    /// `printf` of values on the stack.
    pub(super) fn formatted(&mut self, count: usize, out: &mut Vec<u8>) -> Run<()> {
        let values = self.pop_many(count);
        self.format_values(&values, out)
    }

    fn transcendental(&mut self, function: Builtin, number: f64) -> Value {
        let result = match function {
            Builtin::Exp => number.exp(),
            Builtin::Log if number < 0.0 => -f64::NAN,
            Builtin::Log => number.ln(),
            _ if number < 0.0 => -f64::NAN,
            _ => number.sqrt(),
        };
        let shown = String::from_utf8(super::number::to_text(number, b"%.6g")).unwrap_or_default();
        if function == Builtin::Exp && result.is_infinite() && number.is_finite() {
            self.warn_later(format!("exp: argument {shown} is out of range"));
        } else if function != Builtin::Exp && number < 0.0 {
            self.warn_later(format!("{}: received negative argument {shown}", function.name()));
        }
        Value::Number(result)
    }

    fn srand(&mut self, seed: Option<&Value>) -> Value {
        let seed = match seed {
            Some(value) => value.number().trunc(),
            None => self.proc.kernel.now().seconds as f64,
        };
        let before = self.random.seed;
        self.random = super::random::Random::new(seed);
        Value::Number(before)
    }
}

fn second(arguments: &[Value]) -> f64 {
    arguments.get(1).map_or(0.0, Value::number)
}

/// The largest whole number that a double holds exactly.
const LARGEST: u64 = (1 << 53) - 1;

fn unsigned(function: Builtin, index: usize, value: &Value) -> Run<u64> {
    let number = value.number();
    if number < 0.0 {
        let name = function.name();
        return Err(fatal(format!(
            "{name}: argument {index} negative value {} is not allowed",
            shown(number)
        )));
    }
    Ok(number as u64)
}

fn shown(number: f64) -> String {
    String::from_utf8(super::number::to_text(number, b"%.6g")).unwrap_or_default()
}

fn bits(function: Builtin, arguments: &[Value]) -> Run<Value> {
    let mut result: Option<u64> = None;
    for (index, value) in arguments.iter().enumerate() {
        let number = unsigned(function, index + 1, value)?;
        result = Some(match (result, function) {
            (None, _) => number,
            (Some(result), Builtin::And) => result & number,
            (Some(result), Builtin::Or) => result | number,
            (Some(result), _) => result ^ number,
        });
    }
    Ok(Value::Number(exact(result.unwrap_or(0))))
}

/// Bits beyond what a double holds are lost at the low end, as gawk takes them off.
fn exact(mut number: u64) -> f64 {
    if number > LARGEST {
        let surplus = 64 - number.leading_zeros() - 53;
        number = number >> surplus << surplus;
    }
    number as f64
}

fn shift(function: Builtin, arguments: &[Value]) -> Run<Value> {
    let number = unsigned(function, 1, arguments.first().unwrap_or(&Value::Unset))?;
    if function == Builtin::Compl {
        return Ok(Value::Number((!number & LARGEST) as f64));
    }
    let by = unsigned(function, 2, arguments.get(1).unwrap_or(&Value::Unset))?;
    let by = u32::try_from(by).unwrap_or(u32::MAX);
    let result = if function == Builtin::Lshift {
        number.checked_shl(by)
    } else {
        number.checked_shr(by)
    };
    Ok(Value::Number(exact(result.unwrap_or(0))))
}

/// `strtonum`: hexadecimal and octal too.
fn strtonum(value: Option<&Value>, convfmt: &[u8]) -> f64 {
    let Some(value) = value else {
        return 0.0;
    };
    if let Value::Number(number) = value {
        return *number;
    }
    let text = value.text(convfmt);
    let text = text.trim_ascii_start();
    let (negative, digits) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    };
    let radix = |digits: &[u8], base: u32| {
        let digits = digits.iter().map_while(|byte| char::from(*byte).to_digit(base));
        digits.fold(0.0, |sum, digit| sum * f64::from(base) + f64::from(digit))
    };
    let number = match digits {
        [b'0', b'x' | b'X', rest @ ..] => radix(rest, 16),
        [b'0', rest @ ..]
            if rest
                .iter()
                .take_while(|byte| byte.is_ascii_digit())
                .all(|byte| *byte < b'8')
                && !rest
                    .iter()
                    .find(|byte| !byte.is_ascii_digit())
                    .is_some_and(|byte| b".eE".contains(byte)) =>
        {
            radix(rest, 8)
        }
        _ => return super::number::leading(text),
    };
    if negative { -number } else { number }
}
