//! Instructions, and the names that they speak of.
//!
//! GNU bc turns its source into bytes and names the address of a byte in its messages, so each instruction here knows where in those
//! bytes it would end: [`Code::push`] counts what GNU's takes.

use rustc_hash::FxHashMap;

/// A number for a name, in the table of its kind.
pub type Id = usize;

/// Variables that mean something to bc; others follow.
pub const IBASE: Id = 0;
pub const OBASE: Id = 1;
pub const SCALE: Id = 2;
pub const HISTORY: Id = 3;
pub const LAST: Id = 4;
/// How many of them there are.
pub const SPECIALS: usize = 5;

/// An instruction of the stack machine.
#[derive(Debug, Clone, PartialEq)]
pub enum Op {
    /// A constant as it is written: what it is depends on `ibase`.
    Constant(Vec<u8>),
    /// 0 or 1.
    Bit(bool),
    /// An array as an argument.
    Array(Id),
    /// Takes the top away.
    Drop,
    /// A second top.
    Duplicate,
    /// Exchanges the two upper values.
    Exchange,
    Load(Id),
    Store(Id),
    Increment(Id),
    Decrement(Id),
    LoadElement(Id),
    StoreElement(Id),
    IncrementElement(Id),
    DecrementElement(Id),
    /// An operator of two operands, or `n` (minus) and `!` of one.
    Operate(u8),
    /// A function of the language, by its letter.
    Intrinsic(u8),
    Jump(Label),
    /// Jumps when the top is zero.
    JumpIfZero(Label),
    /// Jumps when the top is not zero.
    JumpUnlessZero(Label),
    /// Calls a function: for each argument whether it is an array.
    Call(Id, Vec<bool>),
    Return,
    Halt,
    /// Prints the top on a line of its own and keeps it as `last`.
    WriteLine,
    /// Prints the top.
    Write,
    /// Prints a string as it is.
    Text(Vec<u8>),
    /// Prints a string with escapes.
    Escaped(Vec<u8>),
}

/// A place to jump to.
pub type Label = usize;

/// A sequence of instructions.
#[derive(Debug, Clone, Default)]
pub struct Code {
    /// Each with the address behind it.
    pub ops: Vec<(Op, usize)>,
    /// Indices of instructions, by label.
    labels: Vec<usize>,
}

impl Code {
    /// Adds an instruction.
    pub fn push(&mut self, op: Op) {
        let start = self.ops.last().map_or(0, |(_, end)| *end);
        let end = start + length(&op);
        self.ops.push((op, end));
    }

    /// A label is here.
    pub fn place(&mut self, label: Label) {
        if self.labels.len() <= label {
            self.labels.resize(label + 1, usize::MAX);
        }
        if let Some(place) = self.labels.get_mut(label) {
            *place = self.ops.len();
        }
    }

    /// Where a label is; behind the end when nowhere.
    pub fn target(&self, label: Label) -> usize {
        self.labels.get(label).copied().unwrap_or(usize::MAX)
    }
}

/// Bytes of a variable's number.
fn id_length(id: Id) -> usize {
    if id < 128 { 1 } else { 2 }
}

fn length(op: &Op) -> usize {
    match op {
        Op::Constant(text) => text.len() + 2,
        Op::Array(id) => id.to_string().len() + 2,
        Op::Load(id) | Op::Store(id) | Op::Increment(id) | Op::Decrement(id) => 1 + id_length(*id),
        Op::LoadElement(id) | Op::StoreElement(id) | Op::IncrementElement(id) | Op::DecrementElement(id) => {
            1 + id_length(*id)
        }
        Op::Intrinsic(_) => 2,
        Op::Jump(_) | Op::JumpIfZero(_) | Op::JumpUnlessZero(_) => 3,
        Op::Call(id, arguments) => 2 + id_length(*id) + arguments.len(),
        Op::Text(text) | Op::Escaped(text) => text.len() + 2,
        _ => 1,
    }
}

/// A parameter or an automatic variable.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Local {
    Variable(Id),
    Array(Id),
    /// An array that stays the caller's.
    Reference(Id),
}

impl Local {
    /// The same name: how an array is passed does not count.
    pub fn same_name(self, other: Local) -> bool {
        match (self, other) {
            (Local::Variable(left), Local::Variable(right)) => left == right,
            (Local::Variable(_), _) | (_, Local::Variable(_)) => false,
            (Local::Array(left) | Local::Reference(left), Local::Array(right) | Local::Reference(right)) => {
                left == right
            }
        }
    }
}

/// What a definition says.
#[derive(Debug, Clone, Default)]
pub struct Definition {
    pub function: Id,
    pub parameters: Vec<Local>,
    pub automatic: Vec<Local>,
    pub code: Code,
}

/// Names of one kind and their numbers.
#[derive(Debug)]
pub struct Names {
    ids: FxHashMap<Vec<u8>, Id>,
    names: Vec<Vec<u8>>,
}

impl Names {
    /// `taken` numbers are used already.
    pub fn new(taken: usize) -> Self {
        Names {
            ids: FxHashMap::default(),
            names: vec![Vec::new(); taken],
        }
    }

    /// The number of a name, a new one if need be.
    pub fn id(&mut self, name: &[u8]) -> Id {
        if let Some(id) = self.ids.get(name) {
            return *id;
        }
        let id = self.names.len();
        self.names.push(name.to_vec());
        self.ids.insert(name.to_vec(), id);
        id
    }

    /// The name of a number.
    pub fn name(&self, id: Id) -> &[u8] {
        self.names.get(id).map_or(&[], Vec::as_slice)
    }

    /// How many numbers are in use.
    pub fn count(&self) -> usize {
        self.names.len()
    }
}

/// All names of a program.
#[derive(Debug)]
pub struct Symbols {
    pub variables: Names,
    pub arrays: Names,
    pub functions: Names,
    /// Functions that give no value.
    pub void: Vec<Id>,
}

impl Symbols {
    /// Only the names that bc has itself.
    pub fn new() -> Self {
        Symbols {
            variables: Names::new(SPECIALS),
            arrays: Names::new(1),
            functions: Names::new(1),
            void: Vec::new(),
        }
    }
}
