//! The machine: a stack of values, a stack of frames, and forks to go back to.
//!
//! A fork remembers how long both stacks were; nothing below that goes while the fork is there, so going back is cutting them. Variables are not
//! restored, as in jq. The machine works until it has an output, needs something from outside, or has used its slice; it holds nothing while it waits.

use std::sync::Arc;

use super::ast::Binary;
use super::compile::{Argument, Op, Program, Slot};
use super::native::{self, Outcome, Request};
use super::operate;
use super::value::{Heap, MOST_DEPTH, Value};
use crate::kernel::{Halt, Lease, Meter};

/// Why the machine stops for now.
pub enum Event {
    /// An output.
    Output(Value),
    /// No more outputs.
    End,
    /// An error that nobody caught.
    Error(Value),
    /// The slice is used.
    Breathe,
    /// Something from outside is needed; see [`Machine::answer`].
    Request(Request),
}

struct Block {
    value: Value,
    below: usize,
}

#[derive(Clone, Copy)]
struct Closure {
    function: usize,
    env: usize,
}

struct Frame {
    function: usize,
    env: usize,
    caller: usize,
    back: usize,
    locals: Vec<Value>,
    closures: Vec<Closure>,
}

enum Resume {
    Jump(usize),
    Catch(usize),
    CatchPattern(usize),
    /// The rest of a container, from an index.
    Each(Value, usize),
    /// Numbers from one below another.
    Range(f64, f64),
}

struct Fork {
    resume: Resume,
    pc: usize,
    frame: usize,
    top: usize,
    data: usize,
    frames: usize,
    path: Option<Arc<Vec<Value>>>,
    at: Value,
    nest: u32,
}

/// What `path( )` put aside.
struct Aside {
    path: Option<Arc<Vec<Value>>>,
    at: Value,
    nest: u32,
}

const NONE: usize = usize::MAX;

/// The machine.
pub struct Machine<'a> {
    program: &'a Program,
    heap: &'a Heap,
    meter: &'a Meter,
    lease: Lease,
    data: Vec<Block>,
    top: usize,
    frames: Vec<Frame>,
    frame: usize,
    pc: usize,
    forks: Vec<Fork>,
    path: Option<Arc<Vec<Value>>>,
    at: Value,
    nest: u32,
    labels: u64,
    begun: bool,
    /// The context of natives.
    pub context: native::Context<'a>,
}

impl<'a> Machine<'a> {
    /// A machine that will run a program on one input.
    pub fn new(
        program: &'a Program,
        heap: &'a Heap,
        meter: &'a Meter,
        lease: Lease,
        context: native::Context<'a>,
        input: Value,
    ) -> Machine<'a> {
        let mut machine = Machine {
            program,
            heap,
            meter,
            lease,
            data: Vec::new(),
            top: NONE,
            frames: Vec::new(),
            frame: NONE,
            pc: 0,
            forks: Vec::new(),
            path: None,
            at: Value::Null,
            nest: 0,
            labels: 0,
            begun: false,
            context,
        };
        machine.push_frame(
            Closure {
                function: 0,
                env: NONE,
            },
            Vec::new(),
            (NONE, 0),
        );
        machine.push(input);
        machine
    }

    fn push(&mut self, value: Value) {
        let below = self.top;
        self.data.push(Block { value, below });
        self.top = self.data.len() - 1;
    }

    fn pop(&mut self) -> Value {
        let floor = self.forks.last().map_or(0, |fork| fork.data);
        let at = self.top;
        if at + 1 == self.data.len() && at >= floor {
            return match self.data.pop() {
                Some(block) => {
                    self.top = block.below;
                    block.value
                }
                None => Value::Null,
            };
        }
        match self.data.get(at) {
            Some(block) => {
                self.top = block.below;
                block.value.clone()
            }
            None => Value::Null,
        }
    }

    fn peek(&self) -> &Value {
        self.data.get(self.top).map_or(&Value::Null, |block| &block.value)
    }

    fn push_frame(&mut self, closure: Closure, closures: Vec<Closure>, (caller, back): (usize, usize)) {
        let locals = self
            .program
            .functions
            .get(closure.function)
            .map_or(0, |function| function.locals);
        self.frames.push(Frame {
            function: closure.function,
            env: closure.env,
            caller,
            back,
            locals: vec![Value::Null; locals],
            closures,
        });
        self.frame = self.frames.len() - 1;
    }

    /// Takes the current frame off, where no fork needs it.
    fn pop_frame(&mut self) {
        let floor = self.forks.last().map_or(0, |fork| fork.frames);
        if self.frame + 1 == self.frames.len() && self.frame >= floor {
            self.frames.pop();
        }
    }

    fn outer(&self, up: usize) -> usize {
        let mut frame = self.frame;
        for _ in 0..up {
            frame = self.frames.get(frame).map_or(NONE, |frame| frame.env);
        }
        frame
    }

    fn local(&mut self, (up, slot): Slot) -> Option<&mut Value> {
        let frame = self.outer(up);
        self.frames.get_mut(frame)?.locals.get_mut(slot)
    }

    fn closure(&self, up: usize, index: usize) -> Closure {
        let frame = self.frames.get(self.outer(up));
        let closure = frame.and_then(|frame| frame.closures.get(index)).copied();
        closure.unwrap_or(Closure {
            function: 0,
            env: NONE,
        })
    }

    fn fork(&mut self, resume: Resume) {
        self.forks.push(Fork {
            resume,
            pc: self.pc,
            frame: self.frame,
            top: self.top,
            data: self.data.len(),
            frames: self.frames.len(),
            path: self.path.clone(),
            at: self.at.clone(),
            nest: self.nest,
        });
    }

    /// Goes back to the last fork that takes it: an output is none of them when this is `Some`.
    fn back(&mut self, error: Option<Value>) -> Option<Event> {
        loop {
            let Some(fork) = self.forks.pop() else {
                return Some(error.map_or(Event::End, Event::Error));
            };
            self.data.truncate(fork.data);
            self.frames.truncate(fork.frames);
            self.top = fork.top;
            self.frame = fork.frame;
            self.pc = fork.pc;
            self.path = fork.path;
            self.at = fork.at;
            self.nest = fork.nest;
            match (fork.resume, error.is_some()) {
                (Resume::Jump(target), false) => self.pc = target,
                (Resume::Catch(target), true) => {
                    self.pop();
                    self.push(error.unwrap_or_default());
                    self.pc = target;
                }
                (Resume::CatchPattern(target), true) => self.pc = target,
                (Resume::Each(container, index), false) => self.each(&container, index),
                (Resume::Range(next, end), false) => self.range(next, end),
                _ => continue,
            }
            return None;
        }
    }

    /// Goes on with the value of what was requested.
    pub fn answer(&mut self, value: Result<Value, Value>) -> Result<Event, Halt> {
        let raised = match value {
            Ok(value) => {
                self.push(value);
                None
            }
            Err(error) => self.raise(error),
        };
        raised.map_or_else(|| self.go_on(), Ok)
    }

    /// An error of `null` is none: it goes back, as in jq 1.6.
    fn raise(&mut self, error: Value) -> Option<Event> {
        match error {
            Value::Null => self.back(None),
            error => self.back(Some(error)),
        }
    }

    /// Runs until there is something to say.
    pub fn run(&mut self) -> Result<Event, Halt> {
        if self.begun
            && let Some(event) = self.back(None)
        {
            return Ok(event);
        }
        self.begun = true;
        self.go_on()
    }

    /// Runs on after [`Event::Breathe`], or when a request was answered.
    pub fn go_on(&mut self) -> Result<Event, Halt> {
        let mut round = 0_u32;
        loop {
            round += 1;
            if round.is_multiple_of(16) {
                self.meter.charge(4)?;
                self.measure()?;
                if self.meter.slice_spent() {
                    return Ok(Event::Breathe);
                }
            }
            if let Some(event) = self.step()? {
                return Ok(event);
            }
        }
    }

    fn measure(&mut self) -> Result<(), Halt> {
        let bytes = self.data.len() * size_of::<Block>()
            + self.frames.len() * (size_of::<Frame>() + 64)
            + self.forks.len() * size_of::<Fork>();
        // Rounded, so that the lease changes seldom.
        self.lease.resize(bytes & !0xffff)
    }

    fn step(&mut self) -> Result<Option<Event>, Halt> {
        let program = self.program;
        let function = self.frames.get(self.frame).map_or(0, |frame| frame.function);
        let ops = program
            .functions
            .get(function)
            .map_or(&[][..], |function| &function.ops);
        let Some(op) = ops.get(self.pc) else {
            return Ok(Some(Event::End));
        };
        self.pc += 1;
        match op {
            Op::Constant(value) => {
                self.pop();
                self.push(value.clone());
            }
            Op::Duplicate => self.push(self.peek().clone()),
            Op::DuplicateTaking => {
                let value = self.pop();
                self.push(Value::Null);
                self.push(value);
            }
            Op::Drop => {
                self.pop();
            }
            Op::Begin => {
                self.push(self.peek().clone());
                self.nest += 1;
            }
            Op::End => {
                let (output, input) = (self.pop(), self.pop());
                self.push(output);
                self.push(input);
                self.nest -= 1;
            }
            Op::Load(slot) => {
                let value = self.local(*slot).map_or(Value::Null, |value| value.clone());
                self.pop();
                self.push(value);
            }
            Op::Take(slot) => {
                let value = self.local(*slot).map(std::mem::take).unwrap_or_default();
                self.pop();
                self.push(value);
            }
            Op::Store(slot) => {
                let value = self.pop();
                if let Some(local) = self.local(*slot) {
                    *local = value;
                }
            }
            Op::Append(slot) => return Ok(self.append(*slot)),
            Op::Index(optional) => return Ok(self.index(*optional)),
            Op::Each(optional) => return Ok(self.iterate(*optional)),
            Op::Fork(target) => self.fork(Resume::Jump(*target)),
            Op::Try(target) => self.fork(Resume::Catch(*target)),
            Op::TryPattern(target) => self.fork(Resume::CatchPattern(*target)),
            Op::Jump(target) => self.pc = *target,
            Op::JumpIfNot(target) => {
                if !self.peek().is_true() {
                    self.pc = *target;
                }
            }
            Op::Back => return Ok(self.back(None)),
            Op::Insert => return Ok(self.insert()),
            Op::Range(from, to) => return Ok(self.begin_range(*from, *to)),
            Op::PathBegin => self.path_begin(),
            Op::PathEnd => return Ok(self.path_end()),
            Op::Call(..) | Op::CallClosure(..) | Op::TailCall(..) | Op::TailCallClosure(..) => self.call(op),
            Op::Native(function, count) => return self.native(*function, *count),
            Op::Label => {
                self.pop();
                self.labels += 1;
                let key = self.heap.share("__jq");
                let label = self.heap.object([(key, Value::Number(self.labels as f64))]);
                self.push(label);
            }
            Op::Return => return Ok(self.end_function()),
        }
        Ok(None)
    }

    fn end_function(&mut self) -> Option<Event> {
        let value = self.pop();
        let (caller, back) = self
            .frames
            .get(self.frame)
            .map_or((NONE, 0), |frame| (frame.caller, frame.back));
        if caller == NONE {
            return Some(Event::Output(value));
        }
        self.pop_frame();
        self.frame = caller;
        self.pc = back;
        self.push(value);
        None
    }

    fn call(&mut self, op: &Op) {
        let (closure, closures, tail) = match op {
            Op::Call(function, up, arguments) | Op::TailCall(function, up, arguments) => {
                let env = self.outer(*up);
                let closures = arguments.iter().map(|argument| match argument {
                    Argument::Function(function) => Closure {
                        function: *function,
                        env: self.frame,
                    },
                    Argument::Parameter(up, index) => self.closure(*up, *index),
                });
                let function = *function;
                let closures = closures.collect();
                (
                    Closure { function, env },
                    closures,
                    matches!(op, Op::TailCall(..)),
                )
            }
            Op::CallClosure(up, index) => (self.closure(*up, *index), Vec::new(), false),
            Op::TailCallClosure(up, index) => (self.closure(*up, *index), Vec::new(), true),
            _ => return,
        };
        let mut end = (self.frame, self.pc);
        // The root frame stays: its end is the program's.
        if tail
            && self.frame != 0
            && let Some(frame) = self.frames.get(self.frame)
            // What a closure sees may be this very frame.
            && closure.env != self.frame
            && closures.iter().all(|closure: &Closure| closure.env != self.frame)
        {
            end = (frame.caller, frame.back);
            let input = self.pop();
            self.pop_frame();
            self.push(input);
        }
        self.push_frame(closure, closures, end);
        self.pc = 0;
    }

    fn append(&mut self, slot: Slot) -> Option<Event> {
        let value = self.pop();
        if value.depth() + 1 > MOST_DEPTH {
            let error = self.heap.text("Exceeds depth limit");
            return self.raise(error);
        }
        if let Some(Value::Array(array)) = self.local(slot) {
            Arc::make_mut(array).push(value);
        }
        None
    }

    fn insert(&mut self) -> Option<Event> {
        let (input, value, key) = (self.pop(), self.pop(), self.pop());
        let mut object = self.pop();
        if value.depth() + 1 > MOST_DEPTH {
            let error = self.heap.text("Exceeds depth limit");
            return self.raise(error);
        }
        match (key, &mut object) {
            (Value::Text(key), Value::Object(object)) => Arc::make_mut(object).insert(key, value),
            (key, _) => {
                let message = format!("Cannot use {} as object key", operate::described(&key));
                let error = self.heap.text(message);
                return self.raise(error);
            }
        }
        self.push(object);
        self.push(input);
        None
    }

    /// The path is followed, and leads to another value than this.
    fn off_path(&self, value: &Value) -> bool {
        self.nest == 0 && self.path.is_some() && !operate::identical(value, &self.at)
    }

    fn follow(&mut self, key: Value, value: &Value) {
        if self.nest == 0
            && let Some(path) = &mut self.path
        {
            Arc::make_mut(path).push(key);
            self.at = value.clone();
        }
    }

    fn index(&mut self, optional: bool) -> Option<Event> {
        let (container, key) = (self.pop(), self.pop());
        if self.off_path(&container) {
            let message = format!(
                "Invalid path expression near attempt to access element {} of {}",
                operate::shortened(&key, 15),
                operate::shortened(&container, 30)
            );
            let error = self.heap.text(message);
            return self.raise(error);
        }
        match operate::get(self.heap, &container, &key) {
            Ok(value) => {
                self.follow(key, &value);
                self.push(value);
                None
            }
            Err(_) if optional => self.back(None),
            Err(message) => {
                let error = self.heap.text(message);
                self.raise(error)
            }
        }
    }

    fn iterate(&mut self, optional: bool) -> Option<Event> {
        let container = self.pop();
        if self.off_path(&container) {
            let message = format!(
                "Invalid path expression near attempt to iterate through {}",
                operate::shortened(&container, 15)
            );
            let error = self.heap.text(message);
            return self.raise(error);
        }
        match &container {
            Value::Array(array) if array.items().is_empty() => self.back(None),
            Value::Object(object) if object.pairs().is_empty() => self.back(None),
            Value::Array(_) | Value::Object(_) => {
                self.each(&container, 0);
                None
            }
            _ if optional => self.back(None),
            _ => {
                let message = format!("Cannot iterate over {}", operate::described(&container));
                let error = self.heap.text(message);
                self.raise(error)
            }
        }
    }

    /// Gives the value at an index, with a fork for the rest.
    fn each(&mut self, container: &Value, index: usize) {
        let (key, value, count) = match container {
            Value::Array(array) => (
                Value::Number(index as f64),
                array.items().get(index).cloned().unwrap_or_default(),
                array.items().len(),
            ),
            Value::Object(object) => {
                let (key, value) = match object.pairs().get(index) {
                    Some((key, value)) => (Value::Text(key.clone()), value.clone()),
                    None => (Value::Null, Value::Null),
                };
                (key, value, object.pairs().len())
            }
            _ => return,
        };
        if index + 1 < count {
            self.fork(Resume::Each(container.clone(), index + 1));
        }
        self.follow(key, &value);
        self.push(value);
    }

    fn begin_range(&mut self, from: Slot, to: Slot) -> Option<Event> {
        self.pop();
        let from = self.local(from).map_or(Value::Null, |value| value.clone());
        let to = self.local(to).map_or(Value::Null, |value| value.clone());
        match (from, to) {
            (Value::Number(from), Value::Number(to)) if from < to => {
                self.range(from, to);
                None
            }
            (Value::Number(_), Value::Number(_)) => self.back(None),
            _ => {
                let error = self.heap.text("Range bounds must be numeric");
                self.raise(error)
            }
        }
    }

    fn range(&mut self, next: f64, end: f64) {
        if next + 1.0 < end {
            self.fork(Resume::Range(next + 1.0, end));
        }
        self.push(Value::Number(next));
    }

    fn path_begin(&mut self) {
        let input = self.peek().clone();
        let aside = Aside {
            path: self.path.replace(Arc::default()),
            at: std::mem::replace(&mut self.at, input),
            nest: std::mem::take(&mut self.nest),
        };
        // What is put aside lies below the input.
        let input = self.pop();
        let path = match aside.path {
            Some(path) => self.heap.array(path.to_vec()),
            None => Value::Null,
        };
        self.push(path);
        self.push(aside.at);
        self.push(Value::Number(f64::from(aside.nest)));
        self.push(input);
    }

    fn path_end(&mut self) -> Option<Event> {
        let value = self.pop();
        if self.off_path(&value) {
            let message = format!(
                "Invalid path expression with result {}",
                operate::shortened(&value, 30)
            );
            let error = self.heap.text(message);
            return self.raise(error);
        }
        let nest = self.pop();
        let at = self.pop();
        let path = self.pop();
        let found = self.path.take().unwrap_or_default();
        self.nest = if let Value::Number(nest) = nest {
            nest as u32
        } else {
            0
        };
        self.at = at;
        self.path = match path {
            Value::Array(path) => Some(Arc::new(path.items().to_vec())),
            _ => None,
        };
        let path = self.heap.array(found.to_vec());
        self.push(path);
        None
    }

    fn native(&mut self, function: native::Function, count: usize) -> Result<Option<Event>, Halt> {
        let input = self.pop();
        if let Some(operation) = native::operation(function) {
            // The input goes first, so that the left side may be nobody else's and grow in place.
            drop(input);
            let (left, right) = (self.pop(), self.pop());
            return self.operate(operation, left, &right);
        }
        let arguments: Vec<Value> = (0..count).map(|_| self.pop()).collect();
        let known = self.nest == 0 && self.path.is_some();
        if known && function == native::GETPATH {
            return Ok(self.get_path(&input, arguments.first()));
        }
        match native::call(
            function,
            self.heap,
            self.meter,
            &mut self.context,
            input,
            &arguments,
        )? {
            Outcome::Value(value) if value.depth() > MOST_DEPTH => {
                let error = self.heap.text("Exceeds depth limit");
                Ok(self.raise(error))
            }
            Outcome::Value(value) => {
                self.push(value);
                Ok(None)
            }
            Outcome::Error(message) => {
                let error = self.heap.text(message);
                Ok(self.raise(error))
            }
            Outcome::Raise(error) => Ok(self.raise(error)),
            Outcome::Request(request) => Ok(Some(Event::Request(request))),
        }
    }

    fn operate(&mut self, operation: Binary, left: Value, right: &Value) -> Result<Option<Event>, Halt> {
        if !matches!(left, Value::Number(_)) {
            let grows = operation == Binary::Add && left.is_own();
            let weight = if grows { 1 } else { left.weight(1 << 20) };
            self.meter.charge((weight + right.weight(1 << 20)) / 16)?;
        }
        match operate::binary(self.heap, operation, left, right) {
            Ok(value) if value.depth() > MOST_DEPTH => {
                let error = self.heap.text("Exceeds depth limit");
                Ok(self.raise(error))
            }
            Ok(value) => {
                self.push(value);
                Ok(None)
            }
            Err(message) => {
                let error = self.heap.text(message);
                Ok(self.raise(error))
            }
        }
    }

    /// `getpath` within `path( )` goes on with the path.
    fn get_path(&mut self, input: &Value, path: Option<&Value>) -> Option<Event> {
        if self.off_path(input) {
            let shown = operate::shortened(input, 30);
            let error = self
                .heap
                .text(format!("Invalid path expression with result {shown}"));
            return self.raise(error);
        }
        let found = match path {
            Some(path) => operate::get_path(self.heap, input, path),
            None => Ok(Value::Null),
        };
        match found {
            Ok(value) => {
                if let (Some(own), Some(Value::Array(keys))) = (&mut self.path, path) {
                    Arc::make_mut(own).extend(keys.items().iter().cloned());
                    self.at = value.clone();
                }
                self.push(value);
                None
            }
            Err(message) => {
                let error = self.heap.text(message);
                self.raise(error)
            }
        }
    }
}
