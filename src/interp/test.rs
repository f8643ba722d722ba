//! The tests that `[[`, `test` and `[` share.

use super::{ExpandFailure, Interp};
use crate::expand::{ExpandHost, Value};

/// Letters of unary operators.
pub const UNARY: &[u8] = b"abcdefghknoprstuvwxzGLNORS";

impl Interp {
    /// Answers `-op text`. `None`: no such operator. An index that cannot be evaluated is an error.
    pub fn unary_test(&mut self, op: u8, text: &[u8]) -> Result<Option<bool>, ExpandFailure> {
        let answer = match op {
            b'n' => !text.is_empty(),
            b'z' => text.is_empty(),
            // No descriptor of a script is a terminal.
            // What is no number is no terminal either.
            b't' => false,
            b'o' => super::options::set_index(text).is_some_and(|index| self.options.is_index(index)),
            b'v' => self.is_set(text)?,
            b'R' => self.nameref(text).is_some(),
            _ => return Ok(self.proc.test_file(op, text)),
        };
        Ok(Some(answer))
    }

    /// `-v name`, `-v name[key]`, `-v 1`
    fn is_set(&mut self, text: &[u8]) -> Result<bool, ExpandFailure> {
        if let Some(number) = crate::expand::arith::plain_number(text) {
            let index = usize::try_from(number).unwrap_or(usize::MAX);
            return Ok(index == 0 || index <= self.positional.len());
        }
        let (name, key) = super::variable::split_subscript(text);
        let Some(key) = key else {
            // A reference to an element of an array is never set.
            if self.is_reference(name) && self.follow(name).1.is_some() {
                return Ok(false);
            }
            return Ok(self.value_of(name).is_some_and(|value| value.scalar().is_some()));
        };
        let value = self.value_of(name).unwrap_or(Value::Unset);
        if matches!(key, b"@" | b"*") && !matches!(value, Value::Assoc(_)) {
            return Ok(!value.elements().is_empty());
        }
        let key = match &value {
            Value::Assoc(_) => key.to_vec(),
            _ => self.evaluate_or_end(key)?.to_string().into_bytes(),
        };
        match crate::expand::param::element::<super::Divert>(name, &value, &key) {
            Ok(text) => Ok(text.is_some()),
            Err(_) => {
                self.error([name, b": bad array subscript"].concat());
                Ok(false)
            }
        }
    }
}
