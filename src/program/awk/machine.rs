//! The machine that runs a program: variables, arrays, the stack, and the loop over operations.
//!
//! Operations that need no waiting are done in [`Machine::run_on`], a plain loop; one that reads, writes or starts a process ends
//! that loop with what is to be done, and [`Machine::execute`] does it. So ordinary code costs no suspension.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::array::Array;
use super::code::{ArrayRef, Op, Program, Special, Target};
use super::reader::Separator;
use super::record::{Record, RecordError};
use super::streams::Streams;
use super::value::{Place, Text, Value};
use crate::kernel::{Halt, Lease, Proc, Stop};
use crate::pattern::{Regex, RegexError};

/// Why the machine stops in the middle.
#[derive(Debug)]
pub enum Trouble {
    /// An error of the program: the message.
    Fatal(Vec<u8>),
    Halt(Halt),
    Stop(Stop),
    /// An error with its whole text.
    Unlocated(Vec<u8>),
    /// `exit` in a rule about files.
    Exit,
}

impl From<Halt> for Trouble {
    fn from(halt: Halt) -> Self {
        Trouble::Halt(halt)
    }
}

impl From<Stop> for Trouble {
    fn from(stop: Stop) -> Self {
        Trouble::Stop(stop)
    }
}

impl From<RecordError> for Trouble {
    fn from(error: RecordError) -> Self {
        match error {
            RecordError::Regex(error) => error.into(),
            RecordError::Halt(halt) => Trouble::Halt(halt),
            RecordError::TooMany => fatal("too many fields"),
        }
    }
}

impl From<RegexError> for Trouble {
    fn from(error: RegexError) -> Self {
        fatal(format!("regexp: {error}"))
    }
}

/// An error of the program.
pub fn fatal(message: impl AsRef<[u8]>) -> Trouble {
    Trouble::Fatal(message.as_ref().to_vec())
}

pub type Run<T> = Result<T, Trouble>;

/// How a piece of code ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    Finished,
    Next,
    NextFile,
    Exit,
}

/// Why the loop over operations paused.
#[derive(Debug)]
pub enum Pause {
    Ended(Flow),
    /// This operation must be done with waiting.
    Wait(Op),
    /// Standard output is full.
    Flush,
    /// Others want to run.
    Breathe,
    /// There are warnings to print.
    Warn,
}

/// A call of a user's function.
#[derive(Debug)]
pub struct Frame {
    function: u32,
    return_to: usize,
    base: usize,
    stack: usize,
    walks: usize,
    /// Arrays that belong to this call's own variables.
    owned: Vec<u32>,
}

/// The keys of an array that `for` goes through.
#[derive(Debug)]
pub struct Walk {
    keys: std::vec::IntoIter<Text>,
}

/// Calls that may be open.
const DEPTH: usize = 100_000;
/// Standard output is written when its buffer holds this.
const FULL: usize = 32 << 10;
/// Expressions that are kept.
const REGEXES: usize = 500;

/// The state of a run.
pub struct Machine<'a> {
    pub proc: &'a mut Proc,
    pub program: Arc<Program>,
    pub globals: Vec<Value>,
    locals: Vec<Value>,
    pub stack: Vec<Value>,
    pub frames: Vec<Frame>,
    pub walks: Vec<Walk>,
    arrays: Vec<Array>,
    free: Vec<u32>,
    lease: Lease,
    pub record: Record,
    pub nr: f64,
    pub fnr: f64,
    pub separator: Separator,
    pub streams: Streams,
    regexes: FxHashMap<(Vec<u8>, bool), Regex>,
    constants: Vec<Option<(bool, Regex)>>,
    pub ranges: Vec<bool>,
    /// Where the next operation is.
    pub at: usize,
    pub status: i32,
    pub convfmt: Vec<u8>,
    pub ofmt: Vec<u8>,
    pub ofs: Vec<u8>,
    pub ors: Vec<u8>,
    pub subsep: Vec<u8>,
    pub ignore_case: bool,
    pub random: super::random::Random,
    /// Calls of [`Machine::execute`] within each other.
    pub nesting: usize,
    /// Warnings that are not printed yet.
    pub warnings: Vec<String>,
    /// The kind of rule that runs, for messages about `next`.
    pub phase: Phase,
    pub files: super::files::Files,
    /// The program mentions RT.
    pub uses_terminator: bool,
}

/// The kind of rule that runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    Begin,
    Main,
    BeginFile,
    EndFile,
    End,
}

/// A variable of awk's that is an array.
pub fn is_array(special: Special) -> bool {
    matches!(
        special,
        Special::Argv | Special::Environ | Special::Procinfo | Special::Functab | Special::Symtab
    )
}

impl<'a> Machine<'a> {
    /// Ready to run a program.
    pub fn new(proc: &'a mut Proc, program: Program) -> Machine<'a> {
        let lease = proc.kernel.lease();
        let constants = program.regexes.iter().map(|_| None).collect();
        let ranges = vec![false; program.ranges];
        let globals = vec![Value::Unset; program.globals.len()];
        let uses_terminator = program.code.contains(&Op::Load(Target::Special(Special::Rt)));
        Machine {
            proc,
            globals,
            program: Arc::new(program),
            locals: Vec::new(),
            stack: Vec::new(),
            frames: Vec::new(),
            walks: Vec::new(),
            arrays: Vec::new(),
            free: Vec::new(),
            lease,
            record: Record::new(),
            nr: 0.0,
            fnr: 0.0,
            separator: Separator::Byte(b'\n'),
            streams: Streams::default(),
            regexes: FxHashMap::default(),
            constants,
            ranges,
            at: 0,
            status: 0,
            convfmt: b"%.6g".to_vec(),
            ofmt: b"%.6g".to_vec(),
            ofs: b" ".to_vec(),
            ors: b"\n".to_vec(),
            subsep: vec![0x1c],
            ignore_case: false,
            random: super::random::Random::new(1.0),
            nesting: 0,
            warnings: Vec::new(),
            phase: Phase::Begin,
            files: super::files::Files::default(),
            uses_terminator,
        }
    }

    // The stack.

    #[inline]
    pub fn pop(&mut self) -> Value {
        self.stack.pop().unwrap_or_default()
    }

    #[inline]
    pub fn push(&mut self, value: Value) {
        self.stack.push(value);
    }

    /// The top values, taken off, in order.
    pub fn pop_many(&mut self, count: usize) -> Vec<Value> {
        let at = self.stack.len().saturating_sub(count);
        self.stack.split_off(at)
    }

    /// A value's string.
    pub fn text_of(&self, value: &Value) -> Vec<u8> {
        value.text(&self.convfmt).into_owned()
    }

    /// The string on the stack.
    pub fn pop_text(&mut self) -> Vec<u8> {
        let value = self.pop();
        self.text_of(&value)
    }

    pub fn new_text(&self, bytes: Vec<u8>) -> Run<Value> {
        Ok(Value::take(bytes, &self.proc.kernel)?)
    }

    // Variables.

    fn base(&self) -> usize {
        self.frames.last().map_or(0, |frame| frame.base)
    }

    /// The place counted from the start of the locals, not from the current call.
    fn absolute(&self, place: Place) -> Place {
        match place {
            Place::Local(index) => Place::Local(index + self.base() as u32),
            global @ Place::Global(_) => global,
        }
    }

    #[inline]
    fn slot(&self, absolute: Place) -> Option<&Value> {
        match absolute {
            Place::Global(index) => self.globals.get(index as usize),
            Place::Local(index) => self.locals.get(index as usize),
        }
    }

    #[inline]
    fn slot_mut(&mut self, absolute: Place) -> Option<&mut Value> {
        match absolute {
            Place::Global(index) => self.globals.get_mut(index as usize),
            Place::Local(index) => self.locals.get_mut(index as usize),
        }
    }

    /// What a variable holds.
    pub fn variable(&self, place: Place) -> Value {
        self.slot(self.absolute(place)).cloned().unwrap_or_default()
    }

    /// The name of a variable, for messages.
    fn name_of(&self, place: Place) -> (Vec<u8>, bool) {
        match place {
            Place::Global(index) => (
                self.program
                    .globals
                    .get(index as usize)
                    .cloned()
                    .unwrap_or_default(),
                false,
            ),
            Place::Local(index) => {
                let function = self
                    .frames
                    .last()
                    .and_then(|frame| self.program.functions.get(frame.function as usize));
                let name = function.and_then(|function| function.parameters.get(index as usize));
                (name.cloned().unwrap_or_default(), true)
            }
        }
    }

    fn scalar_error(&self, place: Place) -> Trouble {
        let (name, _) = self.name_of(place);
        fatal(
            [
                b"attempt to use array `",
                name.as_slice(),
                b"' in a scalar context",
            ]
            .concat(),
        )
    }

    fn array_error(&self, place: Place) -> Trouble {
        let (name, parameter) = self.name_of(place);
        let kind: &[u8] = if parameter {
            b"scalar parameter `"
        } else {
            b"scalar `"
        };
        fatal([b"attempt to use ", kind, &name, b"' as an array"].concat())
    }

    #[inline]
    fn load_variable(&self, place: Place) -> Run<Value> {
        let slot = match place {
            Place::Global(index) => self.globals.get(index as usize),
            Place::Local(index) => self.locals.get(self.base() + index as usize),
        };
        match slot {
            Some(Value::Array(_)) => Err(self.scalar_error(place)),
            Some(Value::Untyped(_)) | None => Ok(Value::Unset),
            Some(value) => Ok(value.clone()),
        }
    }

    #[inline]
    pub fn store_variable(&mut self, place: Place, value: Value) -> Run<()> {
        let base = self.base();
        let slot = match place {
            Place::Global(index) => self.globals.get_mut(index as usize),
            Place::Local(index) => self.locals.get_mut(base + index as usize),
        };
        match slot {
            Some(Value::Array(_)) => Err(self.scalar_error(place)),
            Some(slot) => {
                *slot = value;
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// Appends to a variable in place.
    pub fn append(&mut self, place: Place, count: usize) -> Run<()> {
        let mut more = Vec::new();
        for value in self.pop_many(count) {
            more.extend_from_slice(&value.text(&self.convfmt));
        }
        self.proc.charge(more.len() as u64 / 64)?;
        let absolute = self.absolute(place);
        let held = match self.slot_mut(absolute) {
            Some(slot @ (Value::Text(_) | Value::Input(_))) => std::mem::take(slot),
            _ => self.load_variable(place)?,
        };
        let mut text = match held {
            Value::Text(text) | Value::Input(text) => text,
            other => Text::copy(&other.text(&self.convfmt), &self.proc.kernel)?,
        };
        text.push(&more, &self.proc.kernel)?;
        self.store_variable(place, Value::Text(text.clone()))?;
        // The copy on the stack would keep the string shared; most are dropped at once.
        drop(text);
        Ok(())
    }

    // Arrays.

    /// A new array.
    pub fn new_array(&mut self) -> u32 {
        match self.free.pop() {
            Some(array) => array,
            None => {
                self.arrays.push(Array::default());
                self.arrays.len() as u32 - 1
            }
        }
    }

    /// An array by number.
    #[inline]
    pub fn array(&self, array: u32) -> Option<&Array> {
        self.arrays.get(array as usize)
    }

    /// The array that a variable holds, made when it was never used.
    pub fn array_of(&mut self, place: Place) -> Run<u32> {
        let absolute = self.absolute(place);
        match self.slot(absolute) {
            Some(Value::Array(array)) => Ok(*array),
            Some(Value::Unset | Value::Untyped(_)) => Ok(self.make_array(absolute)),
            _ => Err(self.array_error(place)),
        }
    }

    /// Makes an array in an unused variable, and in the caller's that was given for it.
    fn make_array(&mut self, absolute: Place) -> u32 {
        let outer = match self.slot(absolute) {
            Some(Value::Array(array)) => return *array,
            Some(Value::Untyped(outer)) => Some(*outer),
            _ => None,
        };
        let mut chain = vec![absolute];
        let mut next = outer;
        let mut found = None;
        while let Some(place) = next {
            match self.slot(place) {
                Some(Value::Untyped(outer)) => next = Some(*outer),
                Some(Value::Array(array)) => {
                    found = Some(*array);
                    break;
                }
                Some(Value::Unset) => next = None,
                // The caller has used it otherwise meanwhile.
                _ => break,
            }
            chain.push(place);
        }
        let last = chain.last().copied().unwrap_or(absolute);
        let array = found.unwrap_or_else(|| {
            let array = self.new_array();
            if let Place::Local(index) = last
                && let Some(frame) = self.frames.iter_mut().rfind(|frame| frame.base <= index as usize)
            {
                frame.owned.push(array);
            }
            array
        });
        for place in chain {
            if let Some(slot) = self.slot_mut(place) {
                *slot = Value::Array(array);
            }
        }
        array
    }

    /// The array of an operation.
    pub fn resolve(&mut self, array: ArrayRef) -> Run<u32> {
        match array {
            ArrayRef::Variable(place) => self.array_of(place),
            ArrayRef::Stack => match self.pop() {
                Value::Array(array) => Ok(array),
                _ => Err(fatal("attempt to use a scalar value as array")),
            },
        }
    }

    /// A subscript as a key.
    #[inline]
    pub fn key(&self, value: &Value) -> Run<Text> {
        match value {
            Value::Text(text) | Value::Input(text) => Ok(text.clone()),
            Value::Number(number) => {
                let mut text = Vec::new();
                super::number::push(&mut text, *number, &self.convfmt);
                Ok(Text::small(&text))
            }
            _ => Ok(Text::default()),
        }
    }

    /// The value of an element, which is made when it is not there.
    pub fn element(&mut self, array: u32, key: &Text) -> Run<&mut Value> {
        let table = self
            .arrays
            .get_mut(array as usize)
            .ok_or_else(|| fatal("no such array"))?;
        let (value, cost) = table.entry(key).ok_or_else(|| fatal("no such element"))?;
        if cost > 0 {
            self.lease.grow(cost)?;
        }
        Ok(value)
    }

    fn load_element(&mut self, array: u32, key: &Text) -> Run<Value> {
        if let Some(value) = self.array(array).and_then(|array| array.get(key.bytes())) {
            return match value {
                Value::Array(_) => Err(sub_array_error(key)),
                value => Ok(value.clone()),
            };
        }
        self.element(array, key).map(|value| value.clone())
    }

    /// Assigns an element.
    pub fn set_element(&mut self, array: u32, key: &Text, value: Value) -> Run<()> {
        let slot = self.element(array, key)?;
        if matches!(slot, Value::Array(_)) {
            return Err(sub_array_error(key));
        }
        *slot = value;
        Ok(())
    }

    /// The array within an element, made when it is not there.
    pub fn subarray(&mut self, array: u32, key: &Text) -> Run<u32> {
        match self.element(array, key)? {
            Value::Array(inner) => return Ok(*inner),
            Value::Unset | Value::Untyped(_) => {}
            _ => {
                let name = String::from_utf8_lossy(key.bytes()).into_owned();
                return Err(fatal(format!("attempt to use scalar `[\"{name}\"]' as an array")));
            }
        }
        let inner = self.new_array();
        *self.element(array, key)? = Value::Array(inner);
        Ok(inner)
    }

    /// Takes an element out.
    pub fn remove_element(&mut self, array: u32, key: &[u8]) {
        let Some(table) = self.arrays.get_mut(array as usize) else {
            return;
        };
        let before = table.bytes();
        let removed = table.remove(key);
        let after = table.bytes();
        self.shrink_lease(before - after);
        if let Some(Value::Array(inner)) = removed {
            self.free_array(inner);
        }
    }

    fn shrink_lease(&mut self, bytes: usize) {
        let held = (self.lease.bytes() as usize).saturating_sub(bytes);
        // Holding less cannot fail.
        let _ = self.lease.resize(held);
    }

    /// Empties an array, and frees those within it.
    pub fn clear_array(&mut self, array: u32) {
        let mut pending = vec![array];
        while let Some(array) = pending.pop() {
            let Some(table) = self.arrays.get_mut(array as usize) else {
                continue;
            };
            let table = std::mem::take(table);
            self.shrink_lease(table.bytes());
            table.visit(|_, value| {
                if let Value::Array(inner) = value {
                    pending.push(*inner);
                }
            });
            let inner = pending.iter().copied();
            self.free.extend(inner);
        }
    }

    fn free_array(&mut self, array: u32) {
        self.clear_array(array);
        self.free.push(array);
    }

    // Regular expressions.

    /// A regular expression of the program.
    pub fn constant_regex(&mut self, index: u32) -> Run<Regex> {
        let ignore_case = self.ignore_case;
        let program = Arc::clone(&self.program);
        let Some(slot) = self.constants.get_mut(index as usize) else {
            return Err(fatal("no such regexp"));
        };
        if let Some((known, regex)) = slot
            && *known == ignore_case
        {
            return Ok(regex.clone());
        }
        let source = program
            .regexes
            .get(index as usize)
            .map_or(&b""[..], Vec::as_slice);
        let regex = super::regex::compile(source, ignore_case)
            .map_err(|error| fatal([b"invalid regexp: ", error.as_bytes(), b": /", source, b"/"].concat()))?;
        *slot = Some((ignore_case, regex.clone()));
        Ok(regex)
    }

    /// A regular expression that a string is.
    pub fn dynamic_regex(&mut self, source: &[u8]) -> Run<Regex> {
        let key = (source.to_vec(), self.ignore_case);
        if let Some(regex) = self.regexes.get(&key) {
            return Ok(regex.clone());
        }
        self.proc.charge(source.len() as u64 + 16)?;
        let regex = super::regex::compile(source, self.ignore_case)
            .map_err(|error| fatal([b"invalid regexp: ", error.as_bytes(), b": /", source, b"/"].concat()))?;
        if self.regexes.len() >= REGEXES {
            self.regexes.clear();
        }
        self.regexes.insert(key, regex.clone());
        Ok(regex)
    }

    // Targets.

    fn field_number(value: &Value) -> Run<usize> {
        let number = value.number();
        if number < 0.0 {
            return Err(fatal(format!("attempt to access field {}", number as i64)));
        }
        Ok(number as usize)
    }

    #[inline]
    fn load_field(&mut self, number: usize) -> Run<Value> {
        if number == 0 {
            let text = self.record.text(&self.ofs, &self.convfmt);
            return Ok(Value::Input(Text::copy(text, &self.proc.kernel)?));
        }
        Ok(self.record.field(number, &self.proc.kernel)?)
    }

    fn store_field(&mut self, number: usize, value: Value) -> Run<()> {
        if number == 0 {
            let text = self.text_of(&value);
            self.record.set(&text);
            return Ok(());
        }
        // What was split lazily must be split by the text as it is now.
        self.record.text(&self.ofs, &self.convfmt);
        Ok(self.record.set_field(number, value, &self.proc.kernel)?)
    }

    /// The value of a target; what it needs is taken off the stack.
    #[inline]
    pub fn load(&mut self, target: Target) -> Run<Value> {
        match target {
            Target::Variable(place) => self.load_variable(place),
            Target::FieldNumber(number) => self.load_field(number as usize),
            Target::Special(special) => self.load_special(special),
            Target::Field => {
                let index = self.pop();
                self.load_field(Machine::field_number(&index)?)
            }
            Target::Element(array) => {
                let key = self.pop();
                let key = self.key(&key)?;
                let array = self.resolve(array)?;
                self.load_element(array, &key)
            }
        }
    }

    /// Assigns to a target whose needs are on the stack.
    #[inline]
    pub fn store(&mut self, target: Target, value: Value) -> Run<()> {
        match target {
            Target::Variable(place) => self.store_variable(place, value),
            Target::FieldNumber(number) => self.store_field(number as usize, value),
            Target::Special(special) => self.store_special(special, value),
            Target::Field => {
                let index = self.pop();
                self.store_field(Machine::field_number(&index)?, value)
            }
            Target::Element(array) => {
                let key = self.pop();
                let key = self.key(&key)?;
                let array = self.resolve(array)?;
                self.set_element(array, &key, value)
            }
        }
    }

    /// The same target twice, to load and then to store: its needs are put on the stack once more.
    pub fn repeat_needs(&mut self, target: Target) -> Run<Target> {
        match target {
            Target::Field => {
                let index = self.stack.last().cloned().unwrap_or_default();
                self.push(index);
                Ok(target)
            }
            Target::Element(array) => {
                let key = self.pop();
                let array = self.resolve(array)?;
                for _ in 0..2 {
                    self.push(Value::Array(array));
                    self.push(key.clone());
                }
                Ok(Target::Element(ArrayRef::Stack))
            }
            other => Ok(other),
        }
    }

    // Calls.

    /// Begins a call whose arguments are on the stack.
    pub fn call(&mut self, function: u32, count: usize) -> Run<()> {
        let program = Arc::clone(&self.program);
        let called = program.functions.get(function as usize);
        let Some((called, start)) = called.and_then(|called| Some((called, called.start?))) else {
            return Err(fatal("function not defined"));
        };
        if self.frames.len() >= DEPTH {
            return Err(Trouble::Halt(self.too_deep()));
        }
        self.proc.charge(1)?;
        let base = self.locals.len();
        let arguments = self.pop_many(count);
        let parameters = called.parameters.len();
        self.locals.extend(arguments.into_iter().take(parameters));
        self.locals.resize(base + parameters, Value::Unset);
        self.frames.push(Frame {
            function,
            return_to: self.at,
            base,
            stack: self.stack.len(),
            walks: self.walks.len(),
            owned: Vec::new(),
        });
        self.at = start as usize;
        Ok(())
    }

    fn too_deep(&self) -> Halt {
        self.proc.kernel.meter().stop(Halt::Depth);
        Halt::Depth
    }

    /// Ends the current call; its value is on the stack.
    pub fn return_from_call(&mut self) {
        let value = self.pop();
        if let Some(frame) = self.leave_frame() {
            self.at = frame.return_to;
        }
        self.push(value);
    }

    fn leave_frame(&mut self) -> Option<Frame> {
        let mut frame = self.frames.pop()?;
        self.stack.truncate(frame.stack);
        self.walks.truncate(frame.walks);
        self.locals.truncate(frame.base);
        for array in std::mem::take(&mut frame.owned) {
            self.free_array(array);
        }
        Some(frame)
    }

    /// Leaves every call above `frames`.
    pub fn unwind(&mut self, frames: usize, stack: usize, walks: usize) {
        while self.frames.len() > frames {
            self.leave_frame();
        }
        self.stack.truncate(stack);
        self.walks.truncate(walks);
    }

    /// An argument: an array or an unused variable is given itself.
    pub fn argument(&mut self, place: Place) {
        let absolute = self.absolute(place);
        let value = match self.slot(absolute) {
            Some(Value::Unset) => Value::Untyped(absolute),
            Some(value) => value.clone(),
            None => Value::Unset,
        };
        self.push(value);
    }

    /// Begins to go through an array.
    pub fn walk(&mut self, keys: Vec<Text>) {
        self.walks.push(Walk {
            keys: keys.into_iter(),
        });
    }

    /// Runs on until something must be waited for.
    pub fn run_on(&mut self) -> Run<Pause> {
        self.run_to_return(usize::MAX)
    }

    /// Runs on until something must be waited for, or until no more than `frames` calls are open.
    pub fn run_to_return(&mut self, frames: usize) -> Run<Pause> {
        let program = Arc::clone(&self.program);
        loop {
            let Some(op) = program.code.get(self.at).copied() else {
                return Ok(Pause::Ended(Flow::Finished));
            };
            self.at += 1;
            match op {
                Op::Number(number) => self.push(Value::Number(number)),
                Op::Text(index) => {
                    let text = program.texts.get(index as usize).cloned().unwrap_or_default();
                    self.push(text);
                }
                Op::Load(target) => {
                    let value = self.load(target)?;
                    self.push(value);
                }
                Op::Assign(target) => {
                    let value = self.pop();
                    self.store(target, value.clone())?;
                    self.push(value);
                }
                Op::Drop => {
                    self.stack.pop();
                }
                Op::Jump(to) => {
                    let to = to as usize;
                    let back = to < self.at;
                    self.at = to;
                    if back {
                        self.proc.charge(1)?;
                        if self.proc.kernel.meter().slice_spent() {
                            return Ok(Pause::Breathe);
                        }
                    }
                }
                Op::JumpIfFalse(to) => {
                    if !self.pop().is_true() {
                        self.at = to as usize;
                    }
                }
                Op::JumpIfTrue(to) => {
                    if self.pop().is_true() {
                        self.at = to as usize;
                        self.proc.charge(1)?;
                        if self.proc.kernel.meter().slice_spent() {
                            return Ok(Pause::Breathe);
                        }
                    }
                }
                Op::Call { function, count } => {
                    self.call(function, count as usize)?;
                    if self.proc.kernel.meter().slice_spent() {
                        return Ok(Pause::Breathe);
                    }
                }
                Op::Return => {
                    self.return_from_call();
                    if self.frames.len() <= frames && frames != usize::MAX {
                        return Ok(Pause::Ended(Flow::Finished));
                    }
                }
                Op::Finish => return Ok(Pause::Ended(Flow::Finished)),
                Op::WalkNext(to) => match self.walks.last_mut().and_then(|walk| walk.keys.next()) {
                    Some(key) => self.push(Value::Input(key)),
                    None => self.at = to as usize,
                },
                Op::WalkEnd => {
                    self.walks.pop();
                }
                Op::Print {
                    count,
                    redirection: None,
                } => {
                    self.print(count as usize)?;
                    if self.proc.out().len() >= FULL {
                        return Ok(Pause::Flush);
                    }
                }
                Op::Next => return self.leave(Flow::Next).map(Pause::Ended),
                Op::NextFile => return self.leave(Flow::NextFile).map(Pause::Ended),
                Op::Exit(has_status) => {
                    if has_status {
                        self.status = self.pop().number() as i64 as i32;
                    }
                    return Ok(Pause::Ended(Flow::Exit));
                }
                op => {
                    if let Some(pause) = self.operate(op)? {
                        return Ok(pause);
                    }
                    if !self.warnings.is_empty() {
                        return Ok(Pause::Warn);
                    }
                }
            }
        }
    }

    /// Prints a warning as soon as that can be.
    pub fn warn_later(&mut self, sentence: String) {
        self.warnings.push(sentence);
    }

    /// `next` and `nextfile` make sense only where records are read.
    fn leave(&self, flow: Flow) -> Run<Flow> {
        let name = if flow == Flow::Next { "next" } else { "nextfile" };
        let phase = match self.phase {
            Phase::Begin => "BEGIN",
            Phase::End => "END",
            Phase::BeginFile if flow == Flow::Next => "BEGINFILE",
            Phase::EndFile => "ENDFILE",
            _ => return Ok(flow),
        };
        Err(fatal(format!("`{name}' cannot be called from a `{phase}' rule")))
    }

    /// Prints to standard output's buffer.
    fn print(&mut self, count: usize) -> Run<()> {
        if count == 0 {
            let text = self.record.text(&self.ofs, &self.convfmt);
            let out = self.proc.out();
            out.extend_from_slice(text);
            out.extend_from_slice(&self.ors);
            return Ok(());
        }
        let first = self.stack.len().saturating_sub(count);
        let out = self.proc.out();
        write_values(
            out,
            self.stack.get(first..).unwrap_or_default(),
            &self.ofmt,
            &self.ofs,
            &self.ors,
        );
        self.stack.truncate(first);
        Ok(())
    }
}

fn sub_array_error(key: &Text) -> Trouble {
    let name = String::from_utf8_lossy(key.bytes()).into_owned();
    fatal(format!("attempt to use array `[\"{name}\"]' in a scalar context"))
}

/// The arguments of `print`.
pub fn write_values(out: &mut Vec<u8>, values: &[Value], ofmt: &[u8], ofs: &[u8], ors: &[u8]) {
    for (index, value) in values.iter().enumerate() {
        if index > 0 {
            out.extend_from_slice(ofs);
        }
        match value {
            Value::Number(number) => super::number::push(out, *number, ofmt),
            Value::Text(text) | Value::Input(text) => out.extend_from_slice(text.bytes()),
            _ => {}
        }
    }
    out.extend_from_slice(ors);
}
