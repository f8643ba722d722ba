//! The tree that the parser makes and the interpreter walks.
//!
//! Words are lossless: their parts keep quoting and spelling, so that `declare -f` prints back what was
//! written (see `print`), and the expander decides what quoting means. Every part that can be evaluated
//! without running a command is marked `pure`, which lets the interpreter stay synchronous.
//!
//! Bodies that may outlive their reader (functions, subshells, substitutions) are behind `Arc`, so that a
//! task can own them.

use std::sync::Arc;

pub use super::name::{Hint, Name};
pub use super::stages::Stages;
pub use super::verbatim::Verbatim;

/// `list`: and-or lists with their terminators.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct List {
    /// In order of execution.
    pub items: Vec<Item>,
}

/// One and-or list and how it ends.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Item {
    /// What runs.
    pub and_or: AndOr,
    /// Ended by `&`.
    pub background: bool,
    /// Ended by a newline alone: inside `$( … )` the printer keeps it.
    pub newline: bool,
}

/// `pipeline { (&& | ||) pipeline }`, left associative.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AndOr {
    /// Always runs.
    pub first: Pipeline,
    /// Each runs depending on the status so far.
    pub rest: Vec<(Connector, Pipeline)>,
}

/// `&&` or `||`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Connector {
    /// `&&`
    And,
    /// `||`
    Or,
}

/// `[time [-p]] [!] command { | command }`
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Pipeline {
    /// `time` in front.
    pub time: Option<TimeFormat>,
    /// An odd number of `!` in front.
    pub negated: bool,
    /// At least one; empty only for a lone `!` or `time`.
    pub commands: Stages,
    /// `pipe_stderr[i]`: the pipe after command `i` is `|&` (the parser adds no redirection for it).
    pub pipe_stderr: Vec<bool>,
    /// Line of the first word, 1 based.
    pub line: u32,
}

/// How `time` reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeFormat {
    /// `time`: by `TIMEFORMAT`.
    Default,
    /// `time -p`
    Posix,
}

/// One stage of a pipeline.
#[derive(Debug, Clone, PartialEq)]
pub enum Command {
    /// Assignments, words, redirections.
    Simple(Simple),
    /// A compound command with its redirections.
    Compound(Arc<Compound>),
    /// A function definition.
    Function(Arc<Function>),
    /// `coproc [NAME] command`
    Coproc(Arc<Coproc>),
}

/// `coproc [NAME] command`
#[derive(Debug, Clone, PartialEq)]
pub struct Coproc {
    /// `COPROC` when none is given.
    pub name: Name,
    /// Simple or compound.
    pub body: Command,
    /// Line of `coproc`.
    pub line: u32,
}

/// A function definition; running it stores it.
#[derive(Debug, Clone, PartialEq)]
pub struct Function {
    /// Any word without expansions.
    pub name: Name,
    /// The body with its redirections.
    pub body: Arc<Compound>,
    /// Line of the name.
    pub line: u32,
    /// Bytes that the body's tree takes, about.
    pub weight: usize,
}

/// A simple command.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Simple {
    /// Assignments before the first word.
    pub assigns: Vec<Assign>,
    /// Command name and arguments. For a declaration builtin (`declare typeset local export readonly alias`,
    /// in POSIX mode also behind `command`) assignment-shaped arguments carry `Word::assign`.
    pub words: Vec<Word>,
    /// In the order written, wherever they stood.
    pub redirects: Vec<Redirect>,
    /// Line of the first token, 1 based.
    pub line: u32,
    /// No word, assignment or redirection can run a command: see [`Word::pure`].
    pub pure: bool,
    /// Which builtin the first word names, once it has been looked up.
    pub builtin: Hint,
}

/// `NAME[sub]+=value`
#[derive(Debug, Clone, PartialEq)]
pub struct Assign {
    /// The variable.
    pub name: Name,
    /// Text between the brackets, as a word.
    pub subscript: Option<Word>,
    /// `+=`
    pub append: bool,
    /// The right side.
    pub value: AssignValue,
}

/// The right side of an assignment.
#[derive(Debug, Clone, PartialEq)]
pub enum AssignValue {
    /// One word, not split; tildes after `=` and `:` are [`Part::Tilde`].
    Scalar(Word),
    /// `( … )`
    Array(Vec<ArrayElement>),
}

/// `[sub]=word`, `[sub]+=word` or `word` inside `( … )`.
#[derive(Debug, Clone, PartialEq)]
pub struct ArrayElement {
    /// Absent: the next index, and the word is expanded to any number of fields.
    pub subscript: Option<Word>,
    /// `+=`
    pub append: bool,
    /// The value.
    pub value: Word,
}

/// A word: what one token means after quoting, before expansion.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Word {
    /// In order; adjacent literals are merged.
    pub parts: Vec<Part>,
    /// No part, at any depth, holds a command or process substitution.
    pub pure: bool,
    /// May be subject to brace expansion: an unquoted `{` with `,` or `..` and `}` after it. The brace
    /// expander works on `parts`.
    pub braces: bool,
    /// In a declaration command: the same word read as an assignment.
    pub assign: Option<Box<Assign>>,
    /// In brackets: the same word compiled as arithmetic, where no expansion can change its shape.
    pub index: Option<Box<super::arith::Expr>>,
}

/// A piece of a word.
#[derive(Debug, Clone, PartialEq)]
pub enum Part {
    /// Unquoted text; glob characters in it are active.
    Literal(Verbatim),
    /// `\x` outside quotes, or an escaped character inside double quotes: the character alone.
    Escaped(u8),
    /// `'…'`: the text.
    Single(Verbatim),
    /// `$'…'`: the decoded text, and the text between the quotes as written.
    AnsiC {
        /// What it means.
        text: Verbatim,
        /// What stood there.
        raw: Box<[u8]>,
    },
    /// `"…"` (or `$"…"`, `localized`).
    Double {
        /// Only `Literal`, `Escaped`, `Param`, `Command`, `Arith` inside.
        parts: Vec<Part>,
        /// Written with `$` in front.
        localized: bool,
    },
    /// `~` or `~user` where a tilde prefix is recognised: the text after `~`.
    Tilde(Box<[u8]>),
    /// `$x` or `${…}`.
    Param(Box<Param>),
    /// `$( … )` or `` ` … ` ``.
    Command(Box<Substitution>),
    /// `$(( … ))` or `$[ … ]`.
    Arith(Box<Arith>),
    /// `<( … )` or `>( … )`.
    Process {
        /// `>( … )`: the command reads.
        write: bool,
        /// What runs.
        body: Arc<List>,
    },
}

/// A command substitution.
#[derive(Debug, Clone, PartialEq)]
pub struct Substitution {
    /// What runs.
    pub body: Arc<List>,
    /// The text between backquotes, as written; `None` for `$( … )`.
    pub backquoted: Option<Box<[u8]>>,
    /// What stood between `$(` and `)`, where bash keeps it: `$((a); b)`, written like arithmetic.
    pub raw: Option<Box<[u8]>>,
    /// `$(< word)`: the file to read instead of running.
    pub file: Option<Word>,
    /// A syntax error inside backquotes, found when it runs, as bash does.
    pub error: Option<Box<crate::syntax::SyntaxError>>,
}

/// Arithmetic text: kept as a word that is expanded as if in double quotes, and compiled beforehand
/// where no expansion can change its shape.
#[derive(Debug, Clone, PartialEq)]
pub struct Arith {
    /// What stood between the brackets.
    pub text: Word,
    /// Present when `text` is pure and parses with each `$x`/`${x}` standing as one operand.
    pub compiled: Option<Arc<super::arith::Expr>>,
    /// Written `$[ … ]`.
    pub bracket: bool,
}

/// A parameter expansion.
#[derive(Debug, Clone, PartialEq)]
pub struct Param {
    /// Which parameter.
    pub name: ParamName,
    /// `[…]` after the name.
    pub subscript: Option<Subscript>,
    /// `${!…}`: the value names the parameter (or a nameref's target).
    pub indirect: bool,
    /// What is done with the value.
    pub op: ParamOp,
    /// Written with braces.
    pub braced: bool,
}

/// The parameter's name.
#[derive(Debug, Clone, PartialEq)]
pub enum ParamName {
    /// A variable.
    Variable(Name),
    /// `$1`, `${10}`; 0 is `$0`.
    Positional(u32),
    /// One of `@ * # ? - $ !`; `_` is a variable.
    Special(u8),
}

/// What stands in `[…]`.
#[derive(Debug, Clone, PartialEq)]
pub enum Subscript {
    /// `[@]`
    At,
    /// `[*]`
    Star,
    /// An arithmetic expression for indexed arrays, a string for associative ones.
    Index(Box<Word>),
}

/// The operation of `${…}`. Operand words are expanded as bash does for each (see `expand::param`).
#[derive(Debug, Clone, PartialEq)]
pub enum ParamOp {
    /// The value itself.
    Get,
    /// `${#x}`
    Length,
    /// `${!prefix*}`, or `@` when `at`.
    Names {
        /// `@`
        at: bool,
    },
    /// `${!a[*]}`, or `@` when `at`.
    Keys {
        /// `@`
        at: bool,
    },
    /// `${x:-w}`, `${x:=w}`, `${x:?w}`, `${x:+w}`; without colon only unset counts.
    Test {
        /// `- = ? +`
        kind: TestKind,
        /// With `:`, null counts as unset.
        colon: bool,
        /// The word.
        word: Word,
    },
    /// `${x#p}`, `${x##p}`, `${x%p}`, `${x%%p}`
    Trim {
        /// `%`
        suffix: bool,
        /// Doubled.
        longest: bool,
        /// The pattern.
        pattern: Word,
    },
    /// `${x/p/r}` and its variants.
    Replace {
        /// First, all, anchored.
        kind: ReplaceKind,
        /// The pattern.
        pattern: Word,
        /// Absent (`${x/p}`): delete.
        replacement: Option<Box<Word>>,
    },
    /// `${x:offset:length}`, arithmetic both.
    Slice {
        /// The offset.
        offset: Box<Arith>,
        /// The length.
        length: Option<Box<Arith>>,
    },
    /// `${x^p}`, `^^`, `,`, `,,`, `~`, `~~`
    Case {
        /// `^ , ~`
        kind: CaseKind,
        /// Doubled: every character.
        all: bool,
        /// Absent: `?`.
        pattern: Option<Word>,
    },
    /// `${x@Q}`: the letter.
    Transform(u8),
    /// `${x@…}` with what is no letter of a transformation: an error when the parameter is set, showing this text.
    BadTransform(Box<[u8]>),
    /// Not a valid form: expanding it fails with `bad substitution`, showing this text (`${…}` whole).
    Bad(Box<[u8]>),
}

/// The four tests of a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TestKind {
    /// `-`
    Default,
    /// `=`
    Assign,
    /// `?`
    Error,
    /// `+`
    Alternative,
}

/// Which matches `${x/p/r}` replaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplaceKind {
    /// `/`
    First,
    /// `//`
    All,
    /// `/#`
    Prefix,
    /// `/%`
    Suffix,
}

/// Case modification.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CaseKind {
    /// `^`
    Upper,
    /// `,`
    Lower,
    /// `~`
    Toggle,
}

/// A redirection.
#[derive(Debug, Clone, PartialEq)]
pub struct Redirect {
    /// In front of the operator; absent: 0 for input, 1 for output.
    pub fd: Option<RedirectFd>,
    /// What it does.
    pub op: RedirectOp,
    /// Line of the operator.
    pub line: u32,
}

/// `3>` or `{name}>`
#[derive(Debug, Clone, PartialEq)]
pub enum RedirectFd {
    /// A number.
    Number(u32),
    /// A variable that receives the number (or, with `&-`, holds it).
    Variable(Name, Option<Word>),
}

/// The operator and its operand.
#[derive(Debug, Clone, PartialEq)]
pub enum RedirectOp {
    /// `<`
    Read(Word),
    /// `>`
    Write(Word),
    /// `>|`
    Clobber(Word),
    /// `>>`
    Append(Word),
    /// `<>`
    ReadWrite(Word),
    /// `&>` or `>& word`
    WriteBoth(Word),
    /// `&>>`
    AppendBoth(Word),
    /// `<&word`: a number, `-`, or `n-` after expansion.
    DuplicateInput(Word),
    /// `>&word`: as above; a word that is no number means `WriteBoth` when no fd is given.
    DuplicateOutput(Word),
    /// `<<` or `<<-`
    HereDocument(HereDocument),
    /// `<<< word`
    HereString(Word),
}

/// A here-document.
#[derive(Debug, Clone, PartialEq)]
pub struct HereDocument {
    /// As written, quotes included (for printing).
    pub delimiter: Box<[u8]>,
    /// `<<-`
    pub strip_tabs: bool,
    /// Delimiter quoted: the body is one `Single` part.
    pub quoted: bool,
    /// The body, tabs already stripped, expanded as in double quotes (where `"` is ordinary).
    pub body: Word,
    /// The body as written, where printing its parts gives another text.
    pub raw: Option<Box<[u8]>>,
}

/// A compound command and its redirections.
#[derive(Debug, Clone, PartialEq)]
pub struct Compound {
    /// What it is.
    pub kind: CompoundKind,
    /// Applied around it.
    pub redirects: Vec<Redirect>,
    /// Line of its first token.
    pub line: u32,
}

/// The compound commands.
#[derive(Debug, Clone, PartialEq)]
pub enum CompoundKind {
    /// `{ …; }`
    Group(List),
    /// `( … )`
    Subshell(Arc<List>),
    /// `if`
    If {
        /// Condition and body of `if` and each `elif`.
        branches: Vec<(List, List)>,
        /// `else`
        otherwise: Option<List>,
    },
    /// `while`, `until`
    While {
        /// `until`
        until: bool,
        /// The condition.
        condition: List,
        /// The body.
        body: List,
    },
    /// `for name [in words]`
    For {
        /// The variable.
        name: Name,
        /// Absent: `"$@"`.
        words: Option<Vec<Word>>,
        /// The body.
        body: List,
    },
    /// `select name [in words]`
    Select {
        /// The variable.
        name: Name,
        /// Absent: `"$@"`.
        words: Option<Vec<Word>>,
        /// The body.
        body: List,
    },
    /// `for ((a;b;c))`
    ArithFor {
        /// Evaluated first; empty text is 1.
        init: Box<Arith>,
        /// Before each turn; empty is true.
        condition: Box<Arith>,
        /// After each turn.
        update: Box<Arith>,
        /// The body.
        body: List,
    },
    /// `case word in … esac`
    Case {
        /// What is matched.
        word: Word,
        /// In order.
        items: Vec<CaseItem>,
    },
    /// `(( … ))`
    Arith(Box<Arith>),
    /// `[[ … ]]`
    Cond(Box<Cond>),
}

/// `pattern | pattern ) list ;;`
#[derive(Debug, Clone, PartialEq)]
pub struct CaseItem {
    /// Alternatives.
    pub patterns: Vec<Word>,
    /// What runs.
    pub body: List,
    /// What follows.
    pub end: CaseEnd,
}

/// How a case item ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CaseEnd {
    /// `;;`
    Break,
    /// `;&`: run the next body.
    FallThrough,
    /// `;;&`: test the next patterns.
    Continue,
}

/// `[[ … ]]`
#[derive(Debug, Clone, PartialEq)]
pub enum Cond {
    /// `a && b`
    And(Box<Cond>, Box<Cond>),
    /// `a || b`
    Or(Box<Cond>, Box<Cond>),
    /// `! a`
    Not(Box<Cond>),
    /// `( a )`
    Group(Box<Cond>),
    /// `-f x`: the operator without its dash.
    Unary(u8, Word),
    /// `a op b`; for `==`, `!=` and `=~` the right word is a pattern or regular expression.
    Binary(CondOp, Word, Word),
    /// A lone word: true when not empty.
    Word(Word),
}

/// Binary operators of `[[`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CondOp {
    /// `==` or `=`, told apart for printing only.
    Match {
        /// Written `=`.
        single: bool,
    },
    /// `!=`
    NotMatch,
    /// `=~`
    Regex,
    /// `<`
    Less,
    /// `>`
    Greater,
    /// `-eq`
    Eq,
    /// `-ne`
    Ne,
    /// `-lt`
    Lt,
    /// `-le`
    Le,
    /// `-gt`
    Gt,
    /// `-ge`
    Ge,
    /// `-nt`
    Newer,
    /// `-ot`
    Older,
    /// `-ef`
    SameFile,
}
