//! The machine that runs a program: variables, arrays, the stack, and the loop over operations.
//!
//! Operations that need no waiting are done in [`Machine::run_on`], a plain loop; one that reads, writes or starts a process ends
//! that loop with what is to be done, and [`Machine::execute`] does it. So ordinary code costs no suspension.
//!
//! The state is one struct; each file adds the methods of one part of it.

mod arrays;
mod calls;
mod names;
mod operations;
mod regexes;
mod symbols;
mod targets;
mod trouble;
mod variables;

use std::sync::Arc;

use rustc_hash::FxHashMap;

pub use operations::write_values;
pub use trouble::{Run, Trouble, fatal};

use super::array::Array;
use super::code::{Op, Program, Special, Target};
use super::reader::Separator;
use super::record::Record;
use super::streams::Streams;
use super::value::Value;
use crate::kernel::{Lease, Proc};
use crate::pattern::Regex;

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
    keys: std::vec::IntoIter<Value>,
}

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
    /// What each array was made for.
    origins: Vec<names::Origin>,
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
    pub warnings: Vec<Vec<u8>>,
    /// What was warned of once.
    warned: rustc_hash::FxHashSet<String>,
    /// Those about operands, which have no place in the program.
    pub operand_warnings: Vec<String>,
    /// The kind of rule that runs, for messages about `next`.
    pub phase: Phase,
    pub files: super::files::Files,
    /// The array SYMTAB.
    symbols: Option<u32>,
    /// The array FUNCTAB.
    functions: Option<u32>,
    pub in_place: Option<super::inplace::InPlace>,
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
            origins: Vec::new(),
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
            warned: rustc_hash::FxHashSet::default(),
            operand_warnings: Vec::new(),
            phase: Phase::Begin,
            files: super::files::Files::default(),
            symbols: None,
            functions: None,
            in_place: None,
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
}
