//! The stack machine that runs the instructions of `bc`.
//!
//! It runs without waiting, for a while at a time ([`Machine::run`]), and hands over what it printed; whoever drives it writes that,
//! lets others run and reads for `read()`. Variables are dynamic: a function's own are put over the caller's and taken off again.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::code::{Code, Definition, HISTORY, IBASE, Id, LAST, Local, OBASE, Op, SCALE, SPECIALS, Symbols};
use super::library::{self, Native};
use super::random::Random;
use crate::kernel::{Halt, Kernel, Lease};
use crate::program::decimal::Number;
use crate::program::decimal::operate::{self, Problem};
use crate::program::decimal::printer::Printer;

/// Instructions that run at a time.
const SLICE: usize = 2000;
/// Output that is handed over at the latest.
const OUTPUT: usize = 32 << 10;
/// What a value takes besides its digits.
const VALUE_BYTES: usize = 40;
/// What a call takes.
const FRAME_BYTES: usize = 160;
/// The largest subscript.
const LARGEST_SUBSCRIPT: i64 = 16_777_215;
/// The largest base and scale.
const LARGEST_SETTING: i64 = 2_147_483_647;

/// What the machine stopped for.
#[derive(Debug, PartialEq)]
pub enum Event {
    /// It goes on when it is called again.
    Pause,
    /// The item has ended.
    Done,
    /// `halt`
    Exit,
    /// Has something to say on standard error, and goes on.
    Said(Vec<u8>),
    /// Waits for a number.
    Read,
}

/// A function.
#[derive(Debug, Clone)]
enum Function {
    Missing,
    Defined(Arc<Definition>),
    Native(Native),
}

/// An array: its elements by subscript.
type Elements = Arc<BTreeMap<u32, Number>>;

/// What a name meant before a function put its own over it.
#[derive(Debug)]
enum Saved {
    Variable(Id, Number),
    Array(Id, usize),
}

/// A caller that waits.
#[derive(Debug)]
struct Frame {
    function: Id,
    definition: Option<Arc<Definition>>,
    next: usize,
    saved: Vec<Saved>,
    arrays: usize,
}

/// The machine.
pub struct Machine {
    kernel: Kernel,
    lease: Lease,
    /// Bytes that values take.
    held: usize,
    stack: Vec<Number>,
    variables: Vec<Number>,
    /// For each name of an array which of the [`Machine::elements`] it means.
    arrays: Vec<usize>,
    elements: Vec<Elements>,
    functions: Vec<Function>,
    frames: Vec<Frame>,
    /// What runs now: nothing but the item, or a function.
    function: Id,
    definition: Option<Arc<Definition>>,
    item: Arc<Code>,
    next: usize,
    /// The address behind the instruction that runs.
    address: usize,
    failed: bool,
    pub(super) printer: Printer,
    random: Random,
    settings: Settings,
}

/// Variables that the language itself reads.
#[derive(Debug, Clone, Copy)]
struct Settings {
    ibase: u32,
    obase: u32,
    scale: usize,
    history: i64,
    standard: bool,
}

impl Machine {
    /// A machine that has run nothing.
    pub fn new(kernel: &Kernel, printer: Printer, standard: bool) -> Self {
        Machine {
            lease: kernel.lease(),
            kernel: kernel.clone(),
            held: 0,
            stack: Vec::new(),
            variables: Vec::new(),
            arrays: Vec::new(),
            elements: Vec::new(),
            functions: Vec::new(),
            frames: Vec::new(),
            function: 0,
            definition: None,
            item: Arc::default(),
            next: 0,
            address: 0,
            failed: false,
            printer,
            random: Random::new(),
            settings: Settings {
                ibase: 10,
                obase: 10,
                scale: 0,
                history: -1,
                standard,
            },
        }
    }

    /// Defines the functions of the library, and sets the scale that it wants.
    pub fn load_library(&mut self, symbols: &mut Symbols) {
        for native in library::FUNCTIONS {
            let id = symbols.functions.id(&[native.name]);
            self.grow(symbols);
            if let Some(function) = self.functions.get_mut(id) {
                *function = Function::Native(*native);
            }
        }
        self.settings.scale = 20;
    }

    /// Makes room for all names.
    fn grow(&mut self, symbols: &Symbols) {
        self.variables
            .resize(symbols.variables.count().max(SPECIALS), Number::default());
        self.functions
            .resize(symbols.functions.count(), Function::Missing);
        while self.arrays.len() < symbols.arrays.count() {
            self.arrays.push(self.elements.len());
            self.elements.push(Elements::default());
        }
    }

    /// A function is there from now on.
    pub fn define(&mut self, definition: Definition, symbols: &Symbols) {
        self.grow(symbols);
        if let Some(function) = self.functions.get_mut(definition.function) {
            self.held += definition.code.ops.len() * size_of::<(Op, usize)>();
            *function = Function::Defined(Arc::new(definition));
        }
    }

    /// The item that runs next.
    pub fn start(&mut self, code: Code, symbols: &Symbols) {
        self.grow(symbols);
        self.item = Arc::new(code);
        self.next = 0;
        self.failed = false;
    }

    /// Runs for a while.
    pub fn run(&mut self, symbols: &Symbols) -> Result<Event, Halt> {
        for _ in 0..SLICE {
            let Some((op, end)) = self.fetch() else {
                self.unwind();
                return Ok(Event::Done);
            };
            self.kernel.meter().charge(2)?;
            self.address = end;
            match self.execute(op, symbols) {
                Ok(None) => {}
                Ok(Some(event)) => return Ok(event),
                Err(Problem::Halt(halt)) => return Err(halt),
                Err(Problem::Error(messages)) => {
                    let said = self.complaint("error", &messages, symbols);
                    self.unwind();
                    self.item = Arc::default();
                    return Ok(Event::Said(said));
                }
            }
            if self.printer.out.len() > OUTPUT {
                break;
            }
        }
        self.lease.resize(self.held)?;
        Ok(Event::Pause)
    }

    fn fetch(&mut self) -> Option<(Op, usize)> {
        let code = self
            .definition
            .as_ref()
            .map_or(&*self.item, |definition| &definition.code);
        let found = code.ops.get(self.next).cloned()?;
        self.next += 1;
        Some(found)
    }

    /// Lines about what went wrong: each with an address of its own, or that of the instruction.
    fn complaint(&self, kind: &str, messages: &[(Option<usize>, Vec<u8>)], symbols: &Symbols) -> Vec<u8> {
        let name = match self.function {
            0 => b"(main)".as_slice(),
            id => symbols.functions.name(id),
        };
        let mut said = Vec::new();
        for (address, message) in messages {
            said.extend_from_slice(format!("Runtime {kind} (func=").as_bytes());
            said.extend_from_slice(name);
            said.extend_from_slice(format!(", adr={}): ", address.unwrap_or(self.address)).as_bytes());
            said.extend_from_slice(message);
            said.push(b'\n');
        }
        said
    }

    fn warning(&self, message: &str, symbols: &Symbols) -> Option<Event> {
        let messages = [(None, message.as_bytes().to_vec())];
        Some(Event::Said(self.complaint("warning", &messages, symbols)))
    }

    /// Leaves all functions and forgets what was calculated.
    fn unwind(&mut self) {
        while self.leave() {}
        self.stack.clear();
        self.next = usize::MAX;
    }

    fn push(&mut self, value: Number) {
        self.held += value_bytes(&value);
        self.stack.push(value);
    }

    fn pop(&mut self) -> Number {
        let value = self.stack.pop().unwrap_or_default();
        self.held = self.held.saturating_sub(value_bytes(&value));
        value
    }

    fn top(&self) -> Number {
        self.stack.last().cloned().unwrap_or_default()
    }

    /// The number that was read for `read()`.
    pub fn give(&mut self, text: &[u8], negative: bool) {
        let value = Number::from_base(text, self.settings.ibase);
        self.push(if negative { value.negated() } else { value });
    }

    fn execute(&mut self, op: Op, symbols: &Symbols) -> Result<Option<Event>, Problem> {
        match op {
            Op::Constant(text) => {
                let cost = text.len() as u64 / 8;
                self.kernel.meter().charge(cost + cost * cost / 64)?;
                self.push(Number::from_base(&text, self.settings.ibase));
            }
            Op::Bit(bit) => self.push(Number::whole(u8::from(bit))),
            Op::Array(id) => self.push(Number::whole(id)),
            Op::Drop => drop(self.pop()),
            Op::Duplicate => self.push(self.top()),
            Op::Exchange => {
                let length = self.stack.len();
                if length >= 2 {
                    self.stack.swap(length - 1, length - 2);
                }
            }
            Op::Load(id) => {
                let value = self.load(id)?;
                self.push(value);
            }
            Op::Store(id) => return self.store(id, symbols),
            Op::Increment(id) => return self.step(id, 1, symbols),
            Op::Decrement(id) => return self.step(id, -1, symbols),
            Op::LoadElement(id) => {
                let subscript = self.subscript(id, symbols)?;
                let value = self.element(id, subscript);
                self.push(value);
            }
            Op::StoreElement(id) => {
                let value = self.pop();
                let subscript = self.subscript(id, symbols)?;
                self.set_element(id, subscript, value.clone())?;
                self.push(value);
            }
            Op::IncrementElement(id) => self.step_element(id, 1, symbols)?,
            Op::DecrementElement(id) => self.step_element(id, -1, symbols)?,
            Op::Operate(letter) => return self.operate(letter, symbols),
            Op::Intrinsic(b'I') => return Ok(Some(Event::Read)),
            Op::Intrinsic(letter) => self.intrinsic(letter)?,
            Op::Jump(label) => self.jump(label),
            Op::JumpIfZero(label) => {
                if self.pop().is_zero() {
                    self.jump(label);
                }
            }
            Op::JumpUnlessZero(label) => {
                if !self.pop().is_zero() {
                    self.jump(label);
                }
            }
            Op::Call(id, arguments) => self.call(id, &arguments, symbols)?,
            Op::Return => {
                self.leave();
            }
            Op::Halt => return Ok(Some(Event::Exit)),
            Op::WriteLine => {
                self.write()?;
                self.printer.newline();
            }
            Op::Write => self.write()?,
            Op::Text(text) => self.printer.text(&text),
            Op::Escaped(text) => self.printer.escaped(&text),
        }
        Ok(None)
    }

    fn jump(&mut self, label: usize) {
        let code = self
            .definition
            .as_ref()
            .map_or(&*self.item, |definition| &definition.code);
        self.next = code.target(label);
    }

    fn write(&mut self) -> Result<(), Problem> {
        let value = self.pop();
        self.kernel.meter().charge(operate::text_cost(&value))?;
        self.kernel.meter().check_memory(value.bits())?;
        self.printer.number(&value, self.settings.obase);
        self.set(LAST, value);
        Ok(())
    }

    fn load(&self, id: Id) -> Result<Number, Problem> {
        Ok(match id {
            IBASE => Number::whole(self.settings.ibase),
            OBASE => Number::whole(self.settings.obase),
            SCALE => Number::whole(self.settings.scale),
            HISTORY => Number::whole(self.settings.history),
            _ => {
                let value = self.variables.get(id).cloned().unwrap_or_default();
                self.kernel.meter().charge(value.size() / 16)?;
                value
            }
        })
    }

    fn set(&mut self, id: Id, value: Number) {
        if let Some(place) = self.variables.get_mut(id) {
            self.held += value_bytes(&value);
            let before = std::mem::replace(place, value);
            self.held = self.held.saturating_sub(value_bytes(&before));
        }
    }

    fn store(&mut self, id: Id, symbols: &Symbols) -> Result<Option<Event>, Problem> {
        let value = self.top();
        let (message, said) = match id {
            IBASE => self.set_ibase(&value),
            OBASE => self.set_obase(&value),
            SCALE => self.set_scale(&value),
            HISTORY => self.set_history(&value),
            _ => {
                self.kernel.meter().charge(value.size() / 16)?;
                self.set(id, value);
                return Ok(None);
            }
        };
        Ok(if said {
            self.warning(&message, symbols)
        } else {
            None
        })
    }

    fn set_ibase(&mut self, value: &Number) -> (String, bool) {
        let (ibase, message) = match value.to_i64() {
            _ if value.is_negative() => (2, "negative ibase, set to 2"),
            Some(0 | 1) => (2, "ibase too small, set to 2"),
            Some(ibase @ 2..=16) => (ibase as u32, ""),
            Some(ibase @ 17..=36) if self.settings.standard => {
                (ibase as u32, "ibase larger than 16 is non-standard")
            }
            Some(ibase @ 17..=36) => (ibase as u32, ""),
            _ => (36, "ibase too large, set to 36"),
        };
        self.settings.ibase = ibase;
        (message.into(), !message.is_empty())
    }

    fn set_obase(&mut self, value: &Number) -> (String, bool) {
        let (obase, message) = match value.to_i64() {
            _ if value.is_negative() => (2, "negative obase, set to 2".into()),
            Some(0 | 1) => (2, "obase too small, set to 2".into()),
            Some(obase @ 2..=LARGEST_SETTING) => (obase as u32, String::new()),
            _ => (
                LARGEST_SETTING as u32,
                format!("obase too large, set to {LARGEST_SETTING}"),
            ),
        };
        self.settings.obase = obase;
        let said = !message.is_empty();
        (message, said)
    }

    fn set_scale(&mut self, value: &Number) -> (String, bool) {
        let (scale, message) = match value.to_i64() {
            _ if value.is_negative() => (0, "negative scale, set to 0".into()),
            Some(scale @ 0..=LARGEST_SETTING) => (scale as usize, String::new()),
            _ => (
                LARGEST_SETTING as usize,
                format!("scale too large, set to {LARGEST_SETTING}"),
            ),
        };
        self.settings.scale = scale;
        let said = !message.is_empty();
        (message, said)
    }

    fn set_history(&mut self, value: &Number) -> (String, bool) {
        let (history, message) = match value.to_i64() {
            _ if value.is_negative() => (-1, ""),
            Some(history @ 0..=LARGEST_SETTING) => (history, ""),
            _ => (-1, "history too large, set to unlimited"),
        };
        self.settings.history = history;
        (message.into(), !message.is_empty())
    }

    /// `++` and `--` of a variable.
    fn step(&mut self, id: Id, by: i8, symbols: &Symbols) -> Result<Option<Event>, Problem> {
        let Settings {
            ibase, obase, scale, ..
        } = self.settings;
        let warning = match (id, by > 0) {
            (IBASE, true) if ibase >= 16 => "ibase too big in ++",
            (IBASE, false) if ibase <= 2 => "ibase too small in --",
            (OBASE, true) if i64::from(obase) >= LARGEST_SETTING => "obase too big in ++",
            (OBASE, false) if obase <= 2 => "obase too small in --",
            (SCALE, true) if scale as i64 >= LARGEST_SETTING => "Scale too big in ++",
            (SCALE, false) if scale == 0 => "scale can not be negative in -- ",
            _ => "",
        };
        if !warning.is_empty() {
            return Ok(self.warning(warning, symbols));
        }
        match id {
            IBASE => self.settings.ibase = ibase.saturating_add_signed(by.into()),
            OBASE => self.settings.obase = obase.saturating_add_signed(by.into()),
            SCALE => self.settings.scale = scale.saturating_add_signed(by.into()),
            _ => {
                let value = self.load(id)?.add(&Number::whole(by));
                self.set(id, value);
            }
        }
        Ok(None)
    }

    /// Takes a subscript off the stack.
    fn subscript(&mut self, id: Id, symbols: &Symbols) -> Result<u32, Problem> {
        let value = self.pop();
        let outside = || {
            let name = symbols.arrays.name(id);
            Problem::of([b"Array ", name, b" subscript out of bounds."].concat())
        };
        match value.to_i64() {
            Some(0) if !value.is_zero() => Err(outside()),
            Some(subscript @ 0..=LARGEST_SUBSCRIPT) => Ok(subscript as u32),
            _ => Err(outside()),
        }
    }

    fn elements_of(&self, id: Id) -> usize {
        self.arrays.get(id).copied().unwrap_or(usize::MAX)
    }

    fn element(&self, id: Id, subscript: u32) -> Number {
        let elements = self.elements.get(self.elements_of(id));
        elements
            .and_then(|elements| elements.get(&subscript))
            .cloned()
            .unwrap_or_default()
    }

    fn set_element(&mut self, id: Id, subscript: u32, value: Number) -> Result<(), Problem> {
        let at = self.elements_of(id);
        let Some(elements) = self.elements.get_mut(at) else {
            return Ok(());
        };
        if Arc::get_mut(elements).is_none() {
            // A copy is made: two arrays share these.
            self.kernel.meter().charge(elements.len() as u64 * 10)?;
            self.held += elements.values().map(value_bytes).sum::<usize>();
        }
        self.held += value_bytes(&value);
        let before = Arc::make_mut(elements).insert(subscript, value);
        self.held = self
            .held
            .saturating_sub(before.map_or(0, |value| value_bytes(&value)));
        Ok(())
    }

    fn step_element(&mut self, id: Id, by: i8, symbols: &Symbols) -> Result<(), Problem> {
        let subscript = self.subscript(id, symbols)?;
        let value = self.element(id, subscript).add(&Number::whole(by));
        self.set_element(id, subscript, value)
    }

    fn operate(&mut self, letter: u8, symbols: &Symbols) -> Result<Option<Event>, Problem> {
        let right = self.pop();
        if letter == b'n' || letter == b'!' {
            self.push(match letter {
                b'n' => right.negated(),
                _ => Number::whole(u8::from(right.is_zero())),
            });
            return Ok(None);
        }
        let left = self.pop();
        let result = operate::binary(self.kernel.meter(), letter, &left, &right, self.settings.scale)?;
        self.push(result);
        if letter == b'^' && right.scale() != 0 {
            return Ok(self.warning("non-zero scale in exponent", symbols));
        }
        Ok(None)
    }

    fn intrinsic(&mut self, letter: u8) -> Result<(), Problem> {
        if letter == b'X' {
            let value = self.random.next();
            self.push(Number::whole(value));
            return Ok(());
        }
        let value = self.pop();
        let result = match letter {
            b'L' => operate::length(self.kernel.meter(), &value)?,
            b'S' => Number::whole(value.scale()),
            _ => operate::square_root(self.kernel.meter(), &value, self.settings.scale)?,
        };
        self.push(result);
        Ok(())
    }

    fn call(&mut self, id: Id, arguments: &[bool], symbols: &Symbols) -> Result<(), Problem> {
        self.kernel.meter().charge(10)?;
        let definition = match self.functions.get(id) {
            Some(Function::Defined(definition)) => Arc::clone(definition),
            Some(Function::Native(native)) => return self.call_native(*native, arguments, symbols),
            _ => {
                let message = [b"Function ", symbols.functions.name(id), b" not defined."].concat();
                let address = self.address - arguments.len() - 1;
                return Err(Problem::Error(vec![(Some(address), message)]));
            }
        };
        self.check_arguments(&definition.parameters, arguments, symbols)?;
        self.held += FRAME_BYTES;
        let mut frame = Frame {
            function: self.function,
            definition: self.definition.take(),
            next: self.next,
            saved: Vec::new(),
            arrays: self.elements.len(),
        };
        // The last argument is on top.
        let mut values: Vec<Number> = definition.parameters.iter().map(|_| self.pop()).collect();
        values.reverse();
        let values: Vec<(Number, usize)> = values
            .into_iter()
            .map(|value| {
                let array = value.to_i64().unwrap_or(0) as usize;
                (value, self.elements_of(array))
            })
            .collect();
        for (parameter, (value, elements)) in definition.parameters.iter().zip(values) {
            let saved = self.pass(*parameter, value, elements)?;
            frame.saved.push(saved);
        }
        for local in &definition.automatic {
            let saved = self.pass(*local, Number::default(), usize::MAX)?;
            frame.saved.push(saved);
        }
        self.frames.push(frame);
        self.function = id;
        self.definition = Some(definition);
        self.next = 0;
        Ok(self.lease.resize(self.held)?)
    }

    /// Gives a name of a function its value, and tells what it meant before.
    fn pass(&mut self, local: Local, value: Number, elements: usize) -> Result<Saved, Problem> {
        self.held += VALUE_BYTES;
        Ok(match local {
            Local::Variable(id) => {
                let before = self.load(id)?;
                self.held += value_bytes(&before);
                self.set(id, value);
                Saved::Variable(id, before)
            }
            Local::Array(id) | Local::Reference(id) => {
                let before = self.elements_of(id);
                let now = if matches!(local, Local::Reference(_)) {
                    elements
                } else {
                    self.elements
                        .push(self.elements.get(elements).cloned().unwrap_or_default());
                    self.elements.len() - 1
                };
                if let Some(place) = self.arrays.get_mut(id) {
                    *place = now;
                }
                Saved::Array(id, before)
            }
        })
    }

    /// Compares the kinds of arguments and parameters, from the last one on.
    fn check_arguments(
        &self,
        parameters: &[Local],
        arguments: &[bool],
        symbols: &Symbols,
    ) -> Result<(), Problem> {
        let mut messages = Vec::new();
        let mut left = parameters.iter().rev().peekable();
        for (index, is_array) in arguments.iter().rev().enumerate() {
            let address = Some(self.address - arguments.len() + index);
            match left.peek() {
                None => {
                    messages.push((address, b"Parameter number mismatch".to_vec()));
                    break;
                }
                Some(Local::Variable(id)) if *is_array => {
                    let name = match symbols.arrays.name(*id) {
                        b"" => b"(null)",
                        name => name,
                    };
                    messages.push((
                        address,
                        [b"Parameter type mismatch, parameter ", name, b"."].concat(),
                    ));
                }
                Some(Local::Array(id) | Local::Reference(id)) if !is_array => {
                    let name = symbols.arrays.name(*id);
                    messages.push((
                        address,
                        [b"Parameter type mismatch parameter ", name, b"."].concat(),
                    ));
                }
                Some(_) => {
                    left.next();
                }
            }
        }
        if left.peek().is_some() {
            messages.push((None, b"Parameter number mismatch".to_vec()));
        }
        if messages.is_empty() {
            Ok(())
        } else {
            Err(Problem::Error(messages))
        }
    }

    fn call_native(&mut self, native: Native, arguments: &[bool], symbols: &Symbols) -> Result<(), Problem> {
        let parameters = vec![Local::Variable(usize::MAX); native.parameters];
        self.check_arguments(&parameters, arguments, symbols)?;
        let values: Vec<Number> = arguments.iter().map(|_| self.pop()).collect();
        let result = library::call(self.kernel.meter(), native, &values, self.settings.scale)?;
        self.push(result);
        Ok(())
    }

    /// Returns from a function. `false` when none runs.
    fn leave(&mut self) -> bool {
        let Some(frame) = self.frames.pop() else {
            self.function = 0;
            self.definition = None;
            return false;
        };
        self.held = self.held.saturating_sub(FRAME_BYTES);
        for saved in frame.saved.into_iter().rev() {
            self.held = self.held.saturating_sub(VALUE_BYTES);
            match saved {
                Saved::Variable(id, value) => self.restore(id, value),
                Saved::Array(id, elements) => {
                    if let Some(place) = self.arrays.get_mut(id) {
                        *place = elements;
                    }
                }
            }
        }
        for elements in self.elements.drain(frame.arrays..) {
            if Arc::strong_count(&elements) == 1 {
                let bytes: usize = elements.values().map(value_bytes).sum();
                self.held = self.held.saturating_sub(bytes);
            }
        }
        self.function = frame.function;
        self.definition = frame.definition;
        self.next = frame.next;
        true
    }

    fn restore(&mut self, id: Id, value: Number) {
        self.held = self.held.saturating_sub(value_bytes(&value));
        self.set(id, value);
    }
}

fn value_bytes(value: &Number) -> usize {
    VALUE_BYTES + value.size() as usize * 8
}
