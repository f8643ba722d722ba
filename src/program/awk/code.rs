//! The code that the parser makes and the machine runs: a list of operations on a stack of values.

use super::value::{Place, Value};

/// Variables that awk itself knows; their places are the first global ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum Special {
    Argc,
    Argv,
    Argind,
    Convfmt,
    Environ,
    Errno,
    Fieldwidths,
    Filename,
    Fnr,
    Fpat,
    Fs,
    Ignorecase,
    Nf,
    Nr,
    Ofmt,
    Ofs,
    Ors,
    Procinfo,
    Rlength,
    Rs,
    Rstart,
    Rt,
    Subsep,
    Binmode,
    Lint,
    Textdomain,
    Functab,
    Symtab,
    Prec,
    Roundmode,
}

impl Special {
    /// All, with their names, in order.
    pub const ALL: [(Special, &'static str); 30] = [
        (Special::Argc, "ARGC"),
        (Special::Argv, "ARGV"),
        (Special::Argind, "ARGIND"),
        (Special::Convfmt, "CONVFMT"),
        (Special::Environ, "ENVIRON"),
        (Special::Errno, "ERRNO"),
        (Special::Fieldwidths, "FIELDWIDTHS"),
        (Special::Filename, "FILENAME"),
        (Special::Fnr, "FNR"),
        (Special::Fpat, "FPAT"),
        (Special::Fs, "FS"),
        (Special::Ignorecase, "IGNORECASE"),
        (Special::Nf, "NF"),
        (Special::Nr, "NR"),
        (Special::Ofmt, "OFMT"),
        (Special::Ofs, "OFS"),
        (Special::Ors, "ORS"),
        (Special::Procinfo, "PROCINFO"),
        (Special::Rlength, "RLENGTH"),
        (Special::Rs, "RS"),
        (Special::Rstart, "RSTART"),
        (Special::Rt, "RT"),
        (Special::Subsep, "SUBSEP"),
        (Special::Binmode, "BINMODE"),
        (Special::Lint, "LINT"),
        (Special::Textdomain, "TEXTDOMAIN"),
        (Special::Functab, "FUNCTAB"),
        (Special::Symtab, "SYMTAB"),
        (Special::Prec, "PREC"),
        (Special::Roundmode, "ROUNDMODE"),
    ];

    /// Its place.
    pub fn place(self) -> Place {
        Place::Global(self as u32)
    }

    /// The variable at a place, when it is one of these.
    pub fn at(place: Place) -> Option<Special> {
        match place {
            Place::Global(index) => Special::ALL.get(index as usize).map(|(special, _)| *special),
            Place::Local(_) => None,
        }
    }
}

/// An array: a variable, or one whose number is on the stack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArrayRef {
    Variable(Place),
    Stack,
}

/// What can be assigned to. What it needs besides is on the stack, pushed before the value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    Variable(Place),
    /// A variable with a meaning to awk.
    Special(Special),
    /// The index is on the stack.
    Field,
    /// `$1`
    FieldNumber(u32),
    /// The key is on the stack.
    Element(ArrayRef),
}

/// A regular expression: of the program, or text on the stack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RegexRef {
    Constant(u32),
    Stack,
}

/// Operators on two numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
    Power,
}

/// Operators on two values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    Less,
    LessEqual,
    Equal,
    NotEqual,
    GreaterEqual,
    Greater,
}

/// Where a line comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineSource {
    Main,
    File,
    Command,
    /// `|&`
    Coprocess,
}

/// Where output goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Redirection {
    File,
    Append,
    Pipe,
    Coprocess,
}

impl Redirection {
    /// How it is written.
    pub fn sign(self) -> &'static str {
        match self {
            Redirection::File => ">",
            Redirection::Append => ">>",
            Redirection::Pipe => "|",
            Redirection::Coprocess => "|&",
        }
    }
}

/// What `getline` reads into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineTarget {
    Record,
    Target(Target),
}

/// An operation. Arguments are taken from the top of the stack, the last one uppermost.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Op {
    Number(f64),
    /// A text of the program.
    Text(u32),
    Load(Target),
    /// As an argument of a user's function: an array or an unused variable is given itself.
    Argument(Place),
    /// The same for an element, which may be an array within.
    ArgumentElement(ArrayRef),
    /// Puts the array within an element, made when needed, on the stack.
    Subarray(ArrayRef),
    /// Joins subscripts to one.
    JoinKey(u32),
    Assign(Target),
    AssignOperation(Operation, Target),
    /// `++` and `--`.
    Step {
        target: Target,
        delta: f64,
        before: bool,
    },
    /// `x = x y`: appends the top values to a variable.
    Append(Place, u32),
    Drop,
    Arithmetic(Operation),
    Negate,
    Plus,
    Not,
    /// The top value as 1 or 0.
    Truth,
    Compare(Comparison),
    Concatenate(u32),
    Match {
        regex: RegexRef,
        negated: bool,
    },
    /// `/re/` against the record.
    MatchRecord {
        regex: u32,
        negated: bool,
    },
    In(ArrayRef),
    Jump(u32),
    JumpIfFalse(u32),
    JumpIfTrue(u32),
    /// `&&`: a false value becomes 0 and jumps, a true one is dropped.
    And(u32),
    /// `||`
    Or(u32),
    Call {
        function: u32,
        count: u32,
    },
    CallIndirect {
        count: u32,
    },
    /// Ends a function; its value is on the stack.
    Return,
    /// Ends a rule.
    Finish,
    /// A value never assigned.
    Unset,
    Builtin {
        function: Builtin,
        count: u32,
    },
    LengthRecord,
    /// `length(x)`, where x may be an array.
    LengthVariable(Place),
    LengthElement(ArrayRef),
    TypeOf {
        place: Place,
        is_array: bool,
    },
    TypeOfElement {
        array: ArrayRef,
        is_array: bool,
    },
    Substitute {
        regex: RegexRef,
        global: bool,
        target: Option<Target>,
    },
    Gensub(RegexRef),
    MatchFunction {
        regex: RegexRef,
        array: Option<ArrayRef>,
    },
    Split {
        array: ArrayRef,
        separator: Option<RegexRef>,
        separators: Option<ArrayRef>,
        by_pattern: bool,
    },
    Sort {
        source: ArrayRef,
        destination: Option<ArrayRef>,
        indices: bool,
        how: bool,
    },
    Getline {
        source: LineSource,
        target: LineTarget,
    },
    Print {
        count: u32,
        redirection: Option<Redirection>,
    },
    Printf {
        count: u32,
        redirection: Option<Redirection>,
    },
    Delete(ArrayRef),
    DeleteAll(ArrayRef),
    /// Begins to go through an array.
    Walk(ArrayRef),
    /// Pushes the next key, or ends and jumps.
    WalkNext(u32),
    WalkEnd,
    Next,
    NextFile,
    /// With the status on the stack, or without.
    Exit(bool),
    /// Jumps when the range is open.
    IfInRange(u32, u32),
    SetRange(u32, bool),
    /// Duplicates the subject of `switch`, compares it with a case: a value on the stack or a regular expression.
    Case(Option<u32>),
}

macro_rules! builtins {
    ($($name:ident = $text:literal $least:literal $most:literal;)*) => {
        /// A function of the language.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Builtin { $($name,)* }

        impl Builtin {
            /// By name.
            pub fn from_name(name: &[u8]) -> Option<Builtin> {
                $(if name == $text.as_bytes() { return Some(Builtin::$name); })*
                None
            }

            /// All names.
            pub const NAMES: &[&str] = &[$($text,)*];

            /// Its name.
            pub fn name(self) -> &'static str {
                match self { $(Builtin::$name => $text,)* }
            }

            /// The least and the most arguments it takes.
            pub fn arguments(self) -> (usize, usize) {
                match self { $(Builtin::$name => ($least, $most),)* }
            }
        }
    };
}

builtins! {
    And = "and" 2 99;
    Asort = "asort" 1 3;
    Asorti = "asorti" 1 3;
    Atan2 = "atan2" 2 2;
    Close = "close" 1 2;
    Compl = "compl" 1 1;
    Cos = "cos" 1 1;
    Exp = "exp" 1 1;
    Fflush = "fflush" 0 1;
    Gensub = "gensub" 3 4;
    Gsub = "gsub" 2 3;
    Index = "index" 2 2;
    Int = "int" 1 1;
    Isarray = "isarray" 1 1;
    Length = "length" 0 1;
    Log = "log" 1 1;
    Lshift = "lshift" 2 2;
    Match = "match" 2 3;
    Mkbool = "mkbool" 1 1;
    Mktime = "mktime" 1 2;
    Or = "or" 2 99;
    Patsplit = "patsplit" 2 4;
    Rand = "rand" 0 0;
    Rshift = "rshift" 2 2;
    Sin = "sin" 1 1;
    Split = "split" 2 4;
    Sprintf = "sprintf" 0 9999;
    Sqrt = "sqrt" 1 1;
    Srand = "srand" 0 1;
    Strftime = "strftime" 0 3;
    Strtonum = "strtonum" 1 1;
    Sub = "sub" 2 3;
    Substr = "substr" 2 3;
    System = "system" 1 1;
    Systime = "systime" 0 0;
    Tolower = "tolower" 1 1;
    Toupper = "toupper" 1 1;
    Typeof = "typeof" 1 1;
    Xor = "xor" 2 99;
}

impl Builtin {
    /// Whether it takes values alone and needs no waiting, so that it can be called by its name in a variable.
    pub fn is_plain(self) -> bool {
        !matches!(
            self,
            Builtin::Asort
                | Builtin::Asorti
                | Builtin::Close
                | Builtin::Fflush
                | Builtin::Gensub
                | Builtin::Gsub
                | Builtin::Isarray
                | Builtin::Match
                | Builtin::Patsplit
                | Builtin::Split
                | Builtin::Sub
                | Builtin::System
                | Builtin::Typeof
        )
    }
}

/// A user's function.
#[derive(Debug, Clone, Default)]
pub struct Function {
    pub name: Vec<u8>,
    pub parameters: Vec<Vec<u8>>,
    /// Where its code starts; `None` while it is only called.
    pub start: Option<u32>,
}

/// A piece of code: where it starts. It ends with [`Op::Finish`].
pub type Entry = u32;

/// A whole program.
#[derive(Debug, Default)]
pub struct Program {
    pub code: Vec<Op>,
    /// The source of each operation, by number, and its line there.
    pub lines: Vec<(u16, u32)>,
    /// How messages name the sources: `cmd. line` or a file.
    pub sources: Vec<Vec<u8>>,
    pub texts: Vec<Value>,
    pub regexes: Vec<Vec<u8>>,
    pub functions: Vec<Function>,
    /// Names of the global variables, by place.
    pub globals: Vec<Vec<u8>>,
    pub begin: Vec<Entry>,
    pub end: Vec<Entry>,
    pub begin_file: Vec<Entry>,
    pub end_file: Vec<Entry>,
    /// The rules for records.
    pub main: Vec<Entry>,
    pub ranges: usize,
    /// Warnings that are given once.
    pub warned: rustc_hash::FxHashSet<String>,
}
