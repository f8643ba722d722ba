//! The record and its fields. Fields are found when one is asked for; the record is put together again when one was changed.

use super::number;
use super::split::{Span, Splitter};
use super::value::{Text, Value};
use crate::kernel::{Halt, Kernel};
use crate::pattern::RegexError;

/// The current record.
#[derive(Debug)]
pub struct Record {
    text: Vec<u8>,
    /// The fields are known.
    split: bool,
    /// A field was changed, and the text not yet put together.
    stale: bool,
    spans: Vec<Span>,
    /// Fields that were assigned to; as long as `spans` once there is one.
    changed: Vec<Option<Value>>,
    pub splitter: Splitter,
    /// Newlines end fields: `RS=""`.
    pub newlines: bool,
    origin: Origin,
}

/// Where the whole text comes from, which tells what it is as a value.
#[derive(Debug, Clone, Copy)]
enum Origin {
    /// Nothing was read yet.
    Nowhere,
    Input,
    /// It was assigned, or put together from fields.
    Text,
    Number(f64),
}

/// Why a record cannot be split or put together.
#[derive(Debug)]
pub enum RecordError {
    Regex(RegexError),
    Halt(Halt),
    /// More fields than can be.
    TooMany,
}

impl From<RegexError> for RecordError {
    fn from(error: RegexError) -> Self {
        RecordError::Regex(error)
    }
}

impl From<Halt> for RecordError {
    fn from(halt: Halt) -> Self {
        RecordError::Halt(halt)
    }
}

/// Fields a record may have.
const MOST: usize = 10_000_000;

impl Record {
    /// An empty record.
    pub fn new() -> Record {
        Record {
            text: Vec::new(),
            split: true,
            stale: false,
            spans: Vec::new(),
            changed: Vec::new(),
            splitter: Splitter::Blanks,
            newlines: false,
            origin: Origin::Nowhere,
        }
    }

    /// The buffer of the text, to be filled with a new record; [`Record::renew`] comes next.
    pub fn buffer(&mut self) -> &mut Vec<u8> {
        self.text.clear();
        &mut self.text
    }

    /// The text is another one, which was read.
    pub fn renew(&mut self) {
        self.origin = Origin::Input;
        self.split = false;
        self.stale = false;
        self.changed.clear();
    }

    /// Assigns the record.
    pub fn assign(&mut self, text: &[u8], value: &Value) {
        self.set(text);
        self.origin = match value {
            Value::Number(number) => Origin::Number(*number),
            Value::Input(_) => Origin::Input,
            _ => Origin::Text,
        };
    }

    /// The record as a value.
    pub fn whole(&mut self, separator: &[u8], format: &[u8], kernel: &Kernel) -> Result<Value, Halt> {
        let text = Text::copy(self.text(separator, format), kernel)?;
        Ok(match self.origin {
            Origin::Nowhere => Value::NoField,
            Origin::Input => Value::Input(text),
            Origin::Text => Value::Text(text),
            Origin::Number(number) => Value::Number(number),
        })
    }

    /// Replaces the record by what was read.
    pub fn set(&mut self, text: &[u8]) {
        self.text.clear();
        self.text.extend_from_slice(text);
        self.renew();
    }

    /// Finds the fields.
    #[inline]
    pub fn split(&mut self) -> Result<(), RecordError> {
        if !self.split {
            self.splitter.fields(&self.text, self.newlines, &mut self.spans)?;
            self.split = true;
        }
        Ok(())
    }

    /// The number of fields.
    #[inline]
    pub fn count(&mut self) -> Result<usize, RecordError> {
        self.split()?;
        Ok(self.spans.len())
    }

    /// The whole text.
    #[inline]
    pub fn text(&mut self, separator: &[u8], format: &[u8]) -> &[u8] {
        if self.stale {
            self.rebuild(separator, format);
        }
        &self.text
    }

    fn rebuild(&mut self, separator: &[u8], format: &[u8]) {
        let mut text = Vec::with_capacity(self.text.len());
        for (index, span) in self.spans.iter_mut().enumerate() {
            if index > 0 {
                text.extend_from_slice(separator);
            }
            let start = text.len();
            match self.changed.get(index).and_then(Option::as_ref) {
                Some(Value::Number(number)) => number::push(&mut text, *number, format),
                Some(value) => text.extend_from_slice(&value.text(format)),
                None => text.extend_from_slice(self.text.get(span.0..span.1).unwrap_or_default()),
            }
            *span = (start, text.len());
        }
        self.text = text;
        self.stale = false;
        self.origin = Origin::Text;
    }

    /// A field from 1 on.
    #[inline]
    pub fn field(&mut self, number: usize, kernel: &Kernel) -> Result<Value, RecordError> {
        self.split()?;
        let index = number.wrapping_sub(1);
        if let Some(Some(value)) = self.changed.get(index) {
            return Ok(value.clone());
        }
        match self
            .spans
            .get(index)
            .and_then(|span| self.text.get(span.0..span.1))
        {
            Some(text) => Ok(Value::Input(Text::copy(text, kernel)?)),
            None => Ok(Value::NoField),
        }
    }

    /// Assigns a field from 1 on.
    pub fn set_field(&mut self, number: usize, value: Value, kernel: &Kernel) -> Result<(), RecordError> {
        self.split()?;
        if number > self.spans.len() {
            self.resize(number, kernel)?;
        }
        self.changed.resize(self.spans.len(), None);
        if let Some(place) = self.changed.get_mut(number - 1) {
            *place = Some(value);
        }
        self.stale = true;
        Ok(())
    }

    /// Makes sure that a field is there, which leaves the text as it is.
    pub fn reach(&mut self, number: usize, kernel: &Kernel) -> Result<(), RecordError> {
        self.split()?;
        if number > self.spans.len() {
            self.resize(number, kernel)?;
        }
        Ok(())
    }

    /// Sets NF.
    pub fn set_count(&mut self, count: usize, kernel: &Kernel) -> Result<(), RecordError> {
        self.split()?;
        self.resize(count, kernel)?;
        self.changed.truncate(count);
        self.stale = true;
        Ok(())
    }

    fn resize(&mut self, count: usize, kernel: &Kernel) -> Result<(), RecordError> {
        if count > MOST {
            return Err(RecordError::TooMany);
        }
        let more = count.saturating_sub(self.spans.len());
        kernel.meter().check_memory(more as u64 * 64)?;
        kernel.meter().charge(more as u64 / 16)?;
        if more > 0 {
            self.changed.resize(self.spans.len(), None);
            self.changed.resize(count, Some(Value::NoField));
        }
        self.spans.resize(count, (0, 0));
        Ok(())
    }
}
