//! Source to code, in one pass: rules and functions, names, and the errors of a program.
//!
//! Code is emitted as it is read, so no tree is built and long chains of operators need no recursion. What nests (parentheses,
//! blocks, prefix operators) is counted against a limit.

use rustc_hash::FxHashMap;

use super::code::{Entry, Function, Op, Program, Special};
use super::lexer::{Keyword, Lexer, SourceError, Token};
use super::value::{Place, Text, Value};

/// Why a program does not run: the text as it is printed behind the program's name, and the status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProgramError {
    pub lines: Vec<Vec<u8>>,
    pub status: i32,
}

/// What stands around a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Context {
    Rule,
    Begin,
    End,
    BeginFile,
    EndFile,
    Function,
}

/// Jumps that wait for their target.
#[derive(Debug, Default)]
pub(super) struct Loop {
    /// `continue` goes here.
    pub continues: Vec<usize>,
    pub breaks: Vec<usize>,
    /// It is a `switch`: `continue` passes it by and drops its subject.
    pub is_switch: bool,
}

/// Nesting that is allowed.
const DEPTH: usize = 150;

/// A program in the making.
pub struct Parser<'a> {
    source: &'a [u8],
    pub(super) lexer: Lexer<'a>,
    pub(super) token: Token,
    /// Where the current token starts.
    pub(super) start: usize,
    line: u32,
    line_at: usize,
    source_number: u16,
    /// Where names without one belong; empty for `awk`.
    namespace: Vec<u8>,
    pub(super) program: Program,
    globals: FxHashMap<Vec<u8>, u32>,
    functions: FxHashMap<Vec<u8>, usize>,
    /// Parameters of the function that is read.
    locals: FxHashMap<Vec<u8>, u32>,
    texts: FxHashMap<Vec<u8>, u32>,
    /// The calls of each function, and where they stand.
    calls: Vec<(usize, u16, u32)>,
    /// Errors after which the reading went on, as they are printed.
    pub errors: Vec<Vec<u8>>,
    pub(super) context: Context,
    pub(super) loops: Vec<Loop>,
    depth: usize,
    /// `>` redirects here.
    pub(super) no_greater: bool,
    /// Warnings as they are printed behind the program's name.
    pub warnings: Vec<Vec<u8>>,
}

pub(super) type Parsing<T> = Result<T, ProgramError>;

impl<'a> Parser<'a> {
    /// An empty program.
    pub fn new() -> Parser<'a> {
        let mut parser = Parser {
            source: b"",
            lexer: Lexer::new(b""),
            token: Token::End,
            start: 0,
            line: 1,
            line_at: 0,
            source_number: 0,
            namespace: Vec::new(),
            program: Program::default(),
            globals: FxHashMap::default(),
            functions: FxHashMap::default(),
            locals: FxHashMap::default(),
            texts: FxHashMap::default(),
            calls: Vec::new(),
            errors: Vec::new(),
            context: Context::Rule,
            loops: Vec::new(),
            depth: 0,
            no_greater: false,
            warnings: Vec::new(),
        };
        for (_, name) in Special::ALL {
            parser.global(name.as_bytes());
        }
        parser
    }

    /// Reads a source; `name` is `cmd. line` or a file.
    pub fn add(&mut self, source: &'a [u8], name: &[u8]) -> Parsing<()> {
        self.source = source;
        self.lexer = Lexer::new(source);
        (self.line, self.line_at) = (1, 0);
        self.namespace.clear();
        self.program.sources.push(name.to_vec());
        self.source_number = self.program.sources.len() as u16 - 1;
        self.advance()?;
        loop {
            self.skip_terminators()?;
            if self.token == Token::End {
                return Ok(());
            }
            self.item()?;
        }
    }

    /// The program, when nothing is wrong with it. A function that is not there is missed when it is called.
    pub fn finish(mut self) -> Parsing<Program> {
        for (function, source, line) in std::mem::take(&mut self.calls) {
            let Some(called) = self.program.functions.get(function) else {
                continue;
            };
            if called.start.is_none() && self.globals.contains_key(&called.name) {
                let name = String::from_utf8_lossy(&called.name).into_owned();
                let sentence = format!("error: attempt to use non-function `{name}' in function call");
                let text = self.prefixed(source, line, sentence.as_bytes());
                self.errors.push(text);
            }
        }
        if self.errors.is_empty() {
            return Ok(self.program);
        }
        Err(ProgramError {
            lines: self.errors,
            status: 1,
        })
    }

    /// Notes an error after which the reading goes on.
    pub(super) fn complain(&mut self, sentence: &str) {
        let line = self.line_of(self.start);
        let text = self.prefixed(self.source_number, line, sentence.as_bytes());
        self.errors.push(text);
    }

    // Tokens.

    /// The line of an offset that is not before the last one asked for.
    pub(super) fn line_of(&mut self, at: usize) -> u32 {
        if at >= self.line_at {
            let passed = self.source.get(self.line_at..at).unwrap_or_default();
            self.line += memchr::memchr_iter(b'\n', passed).count() as u32;
        } else {
            let before = self.source.get(..at).unwrap_or_default();
            self.line = 1 + memchr::memchr_iter(b'\n', before).count() as u32;
        }
        self.line_at = at;
        self.line
    }

    /// Goes on to the next token.
    pub(super) fn advance(&mut self) -> Parsing<()> {
        match self.lexer.next() {
            Ok((token, start)) => {
                (self.token, self.start) = (token, start);
                self.take_warnings();
                Ok(())
            }
            Err(error) => Err(self.source_error(&error)),
        }
    }

    fn take_warnings(&mut self) {
        for (at, sentence) in std::mem::take(&mut self.lexer.warnings) {
            if self.program.warned.insert(sentence.clone()) {
                let line = self.line_of(at);
                let text = self.prefixed(
                    self.source_number,
                    line,
                    format!("warning: {sentence}").as_bytes(),
                );
                self.warnings.push(text);
            }
        }
    }

    /// Reads the regular expression whose first slash is the current token.
    pub(super) fn regex_token(&mut self) -> Parsing<Vec<u8>> {
        self.lexer.rewind(self.start + 1);
        match self.lexer.regex() {
            Ok(regex) => {
                self.advance()?;
                Ok(regex)
            }
            Err(error) => Err(self.source_error(&error)),
        }
    }

    pub(super) fn is(&self, sign: &str) -> bool {
        matches!(&self.token, Token::Sign(known) if *known == sign)
    }

    pub(super) fn is_keyword(&self, keyword: Keyword) -> bool {
        self.token == Token::Keyword(keyword)
    }

    pub(super) fn take(&mut self, sign: &str) -> Parsing<bool> {
        let found = self.is(sign);
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    pub(super) fn expect(&mut self, sign: &str) -> Parsing<()> {
        if self.take(sign)? {
            Ok(())
        } else {
            Err(self.unexpected())
        }
    }

    pub(super) fn skip_newlines(&mut self) -> Parsing<()> {
        while self.token == Token::Newline {
            self.advance()?;
        }
        Ok(())
    }

    fn skip_terminators(&mut self) -> Parsing<()> {
        while self.token == Token::Newline || self.is(";") {
            self.advance()?;
        }
        Ok(())
    }

    /// Runs `parse` one level deeper.
    pub(super) fn deeper<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsing<T>) -> Parsing<T> {
        self.depth += 1;
        if self.depth > DEPTH || crate::stack::is_low() {
            return Err(self.plain_error(b"fatal: program nests too deep"));
        }
        let parsed = parse(self);
        self.depth -= 1;
        parsed
    }

    // Errors.

    fn prefixed(&self, source: u16, line: u32, sentence: &[u8]) -> Vec<u8> {
        let name = self
            .program
            .sources
            .get(usize::from(source))
            .map_or(&b""[..], Vec::as_slice);
        [name, format!(":{line}: ").as_bytes(), sentence].concat()
    }

    fn plain_error_at(&self, source: u16, line: u32, status: i32, sentence: &[u8]) -> ProgramError {
        ProgramError {
            lines: vec![self.prefixed(source, line, sentence)],
            status,
        }
    }

    /// An error about the current line.
    pub(super) fn plain_error(&mut self, sentence: &[u8]) -> ProgramError {
        let line = self.line_of(self.start);
        let status = if sentence.starts_with(b"fatal") { 2 } else { 1 };
        self.plain_error_at(self.source_number, line, status, sentence)
    }

    /// The same for an error that gawk's grammar meets twice.
    pub(super) fn repeated_error(&mut self, sentence: &[u8]) -> ProgramError {
        let mut error = self.plain_error(sentence);
        error.lines.extend(error.lines.clone());
        error
    }

    /// An error that shows its line and points into it.
    fn source_error(&mut self, error: &SourceError) -> ProgramError {
        let line = self.line_of(error.at);
        let before = self.source.get(..error.at).unwrap_or_default();
        let begin = memchr::memrchr(b'\n', before).map_or(0, |at| at + 1);
        let rest = self.source.get(begin..).unwrap_or_default();
        let end = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        let shown = rest.get(..end).unwrap_or_default();
        let mut arrow: Vec<u8> = self.source.get(begin..error.at).unwrap_or_default().to_vec();
        for byte in &mut arrow {
            if *byte != b'\t' {
                *byte = b' ';
            }
        }
        let pointed = [arrow.as_slice(), b"^ ", &error.sentence].concat();
        let lines = vec![
            self.prefixed(self.source_number, line, shown),
            self.prefixed(self.source_number, line, &pointed),
        ];
        ProgramError { lines, status: 1 }
    }

    /// An error that points to the current token.
    pub(super) fn error(&mut self, sentence: impl AsRef<[u8]>) -> ProgramError {
        let error = SourceError {
            sentence: sentence.as_ref().to_vec(),
            at: self.start,
        };
        self.source_error(&error)
    }

    /// The current token belongs elsewhere.
    pub(super) fn unexpected(&mut self) -> ProgramError {
        match self.token {
            // The end is where the last line ends.
            Token::End if self.source.last() == Some(&b'\n') => {
                let error = SourceError {
                    sentence: b"unexpected newline or end of string".to_vec(),
                    at: self.source.len() - 1,
                };
                self.source_error(&error)
            }
            Token::End | Token::Newline => self.error("unexpected newline or end of string"),
            _ => self.error("syntax error"),
        }
    }

    // Code.

    pub(super) fn emit(&mut self, op: Op) -> usize {
        let line = self.line_of(self.start);
        self.program.code.push(op);
        self.program.lines.push((self.source_number, line));
        self.program.code.len() - 1
    }

    /// Where the next operation will be.
    pub(super) fn here(&self) -> u32 {
        self.program.code.len() as u32
    }

    /// Lets a jump lead to the next operation.
    pub(super) fn land(&mut self, jump: usize) {
        let here = self.here();
        self.aim(jump, here);
    }

    pub(super) fn aim(&mut self, jump: usize, to: u32) {
        if let Some(op) = self.program.code.get_mut(jump) {
            match op {
                Op::Jump(target)
                | Op::JumpIfFalse(target)
                | Op::JumpIfTrue(target)
                | Op::And(target)
                | Op::Or(target)
                | Op::WalkNext(target)
                | Op::IfInRange(_, target) => *target = to,
                _ => {}
            }
        }
    }

    pub(super) fn text(&mut self, text: Vec<u8>) -> u32 {
        if let Some(index) = self.texts.get(&text) {
            return *index;
        }
        let index = self.program.texts.len() as u32;
        self.program.texts.push(Value::Text(Text::small(&text)));
        self.texts.insert(text, index);
        index
    }

    pub(super) fn regex(&mut self, regex: Vec<u8>) -> Parsing<u32> {
        if let Err(message) = super::regex::compile(&regex, false) {
            let sentence = [b"error: ", message.as_bytes(), b": /", &regex, b"/"].concat();
            return Err(self.plain_error(&sentence));
        }
        let at = self.start;
        let complaints = super::regex::complaints(&regex);
        self.lexer
            .warnings
            .extend(complaints.into_iter().map(|sentence| (at, sentence)));
        self.take_warnings();
        self.program.regexes.push(regex);
        Ok(self.program.regexes.len() as u32 - 1)
    }

    // Names.

    pub(super) fn global(&mut self, name: &[u8]) -> Place {
        if let Some(index) = self.globals.get(name) {
            return Place::Global(*index);
        }
        let index = self.program.globals.len() as u32;
        self.program.globals.push(name.to_vec());
        self.globals.insert(name.to_vec(), index);
        Place::Global(index)
    }

    /// The place of a variable: a parameter, or a global one.
    pub(super) fn variable(&mut self, name: &[u8]) -> Place {
        if let Some(index) = self.locals.get(name) {
            return Place::Local(*index);
        }
        let name = &self.qualified(name);
        let function = self
            .functions
            .get(name)
            .and_then(|index| self.program.functions.get(*index));
        if function.is_some_and(|function| function.start.is_some()) {
            let name = String::from_utf8_lossy(name).into_owned();
            self.complain(&format!(
                "error: function `{name}' called with space between name and `(',\nor used as a variable or an array"
            ));
            return self.hidden();
        }
        self.global(name)
    }

    pub(super) fn is_parameter(&self, name: &[u8]) -> bool {
        self.locals.contains_key(name)
    }

    /// The name with its namespace, which `awk` is not told for. Names in capitals are always awk's.
    fn qualified(&self, name: &[u8]) -> Vec<u8> {
        if let Some(name) = name.strip_prefix(b"awk::") {
            return name.to_vec();
        }
        let has_own = memchr::memmem::find(name, b"::").is_some();
        if self.namespace.is_empty() || has_own || name.iter().all(u8::is_ascii_uppercase) {
            return name.to_vec();
        }
        [self.namespace.as_slice(), b"::", name].concat()
    }

    /// `@namespace "name"`
    fn namespace_directive(&mut self) -> Parsing<()> {
        self.advance()?;
        let Token::Text(name) = self.token.clone() else {
            return Err(self.unexpected());
        };
        let shown = String::from_utf8_lossy(&name).into_owned();
        if !super::files::is_name(&name) {
            self.complain(&format!(
                "error: namespace name `{shown}' must meet identifier naming rules"
            ));
        } else if super::lexer::is_reserved(&name) {
            self.complain(&format!(
                "error: using reserved identifier `{shown}' as a namespace is not allowed"
            ));
        }
        self.namespace = if name == b"awk" { Vec::new() } else { name };
        self.advance()
    }

    /// A place that no name leads to.
    pub(super) fn hidden(&mut self) -> Place {
        self.global(b" ")
    }

    pub(super) fn function(&mut self, name: &[u8]) -> usize {
        let name = &self.qualified(name);
        if let Some(index) = self.functions.get(name) {
            return *index;
        }
        let index = self.program.functions.len();
        self.program.functions.push(Function {
            name: name.clone(),
            ..Function::default()
        });
        self.functions.insert(name.clone(), index);
        index
    }

    pub(super) fn note_call(&mut self, function: usize) {
        let line = self.line_of(self.start);
        self.calls.push((function, self.source_number, line));
    }

    // Rules and functions.

    fn item(&mut self) -> Parsing<()> {
        match self.token.clone() {
            Token::Keyword(Keyword::Function) => self.function_definition(),
            Token::Keyword(Keyword::Begin) => self.special_rule(Context::Begin, "BEGIN"),
            Token::Keyword(Keyword::End) => self.special_rule(Context::End, "END"),
            Token::Keyword(Keyword::BeginFile) => self.special_rule(Context::BeginFile, "BEGINFILE"),
            Token::Keyword(Keyword::EndFile) => self.special_rule(Context::EndFile, "ENDFILE"),
            Token::Directive(name) if name == b"namespace" => self.namespace_directive(),
            Token::Directive(name) => {
                let sentence = [b"error: @", name.as_slice(), b" is not supported"].concat();
                Err(self.plain_error(&sentence))
            }
            _ => self.record_rule(),
        }
    }

    fn special_rule(&mut self, context: Context, name: &str) -> Parsing<()> {
        self.advance()?;
        if !self.is("{") {
            let line = self.line_of(self.start);
            let sentence = format!("{name} blocks must have an action part");
            return Err(self.plain_error_at(self.source_number, line, 1, sentence.as_bytes()));
        }
        let entry = self.here();
        self.context = context;
        self.block()?;
        self.emit(Op::Finish);
        let entries = match context {
            Context::Begin => &mut self.program.begin,
            Context::End => &mut self.program.end,
            Context::BeginFile => &mut self.program.begin_file,
            _ => &mut self.program.end_file,
        };
        entries.push(entry);
        Ok(())
    }

    fn record_rule(&mut self) -> Parsing<()> {
        let entry: Entry = self.here();
        self.context = Context::Rule;
        let mut skip = None;
        if !self.is("{") {
            skip = Some(self.pattern()?);
        }
        if self.is("{") {
            self.block()?;
        } else {
            if !(self.token == Token::Newline || self.token == Token::End || self.is(";")) {
                return Err(self.unexpected());
            }
            self.emit(Op::Print {
                count: 0,
                redirection: None,
            });
        }
        if let Some(jump) = skip {
            self.land(jump);
        }
        self.emit(Op::Finish);
        self.program.main.push(entry);
        Ok(())
    }

    /// A pattern: gives the jump that is taken when it does not apply.
    fn pattern(&mut self) -> Parsing<usize> {
        let range = self.program.ranges as u32;
        let start = self.here();
        self.condition()?;
        let code = self.program.code.split_off(start as usize);
        let lines = self.program.lines.split_off(start as usize);
        if !self.take(",")? {
            self.program.code.extend(code);
            self.program.lines.extend(lines);
            return Ok(self.emit(Op::JumpIfFalse(0)));
        }
        self.skip_newlines()?;
        // The test stands in front of the first pattern, whose jumps move on by one.
        self.program.ranges += 1;
        let open = self.emit(Op::IfInRange(range, 0));
        self.program.code.extend(code.into_iter().map(moved));
        self.program.lines.extend(lines);
        let skip = self.emit(Op::JumpIfFalse(0));
        self.emit(Op::SetRange(range, true));
        self.land(open);
        self.condition()?;
        let stays = self.emit(Op::JumpIfFalse(0));
        self.emit(Op::SetRange(range, false));
        self.land(stays);
        Ok(skip)
    }

    fn function_definition(&mut self) -> Parsing<()> {
        self.advance()?;
        let name = match std::mem::replace(&mut self.token, Token::Newline) {
            Token::Name(name) | Token::CallName(name) => name,
            Token::Builtin(builtin) => {
                let name = builtin.name();
                return Err(self.error(format!("`{name}' is a built-in function, it cannot be redefined")));
            }
            token => {
                self.token = token;
                return Err(self.unexpected());
            }
        };
        self.advance()?;
        let index = self.function(&name);
        let name = self.qualified(&name);
        let shown = String::from_utf8_lossy(&name).into_owned();
        let is_special = Special::ALL.iter().any(|(_, special)| special.as_bytes() == name);
        let defined = self
            .program
            .functions
            .get(index)
            .is_some_and(|function| function.start.is_some());
        if defined || is_special || self.globals.contains_key(&name) {
            self.complain(&format!("error: function name `{shown}' previously defined"));
        }
        self.expect("(")?;
        let parameters = self.parameters(&name, &shown)?;
        self.skip_newlines()?;
        let start = self.here();
        self.locals = parameters.iter().cloned().zip(0..).collect();
        if let Some(function) = self.program.functions.get_mut(index) {
            function.parameters = parameters;
            function.start = Some(start);
        }
        if !self.is("{") {
            return Err(self.unexpected());
        }
        self.context = Context::Function;
        self.block()?;
        self.locals.clear();
        self.emit(Op::Unset);
        self.emit(Op::Return);
        Ok(())
    }

    fn parameters(&mut self, function: &[u8], shown: &str) -> Parsing<Vec<Vec<u8>>> {
        let mut parameters: Vec<Vec<u8>> = Vec::new();
        self.skip_newlines()?;
        while !self.is(")") {
            let Token::Name(name) = self.token.clone() else {
                return Err(self.unexpected());
            };
            let parameter = String::from_utf8_lossy(&name).into_owned();
            if name == function {
                let sentence =
                    format!("error: function `{shown}': cannot use function name as parameter name");
                return Err(self.plain_error(sentence.as_bytes()));
            }
            if Special::ALL.iter().any(|(_, special)| special.as_bytes() == name) {
                let sentence = format!(
                    "error: function `{shown}': cannot use special variable `{parameter}' as a function parameter"
                );
                return Err(self.plain_error(sentence.as_bytes()));
            }
            if let Some(first) = parameters.iter().position(|known| *known == name) {
                let sentence = format!(
                    "error: function `{shown}': parameter #{}, `{parameter}', duplicates parameter #{}",
                    parameters.len() + 1,
                    first + 1
                );
                self.complain(&sentence);
            }
            parameters.push(name);
            self.advance()?;
            self.skip_newlines()?;
            if !self.take(",")? {
                break;
            }
            self.skip_newlines()?;
            if self.is(")") {
                return Err(self.unexpected());
            }
        }
        self.expect(")")?;
        Ok(parameters)
    }
}

/// The operation with its jump led one place further.
fn moved(op: Op) -> Op {
    match op {
        Op::Jump(to) => Op::Jump(to + 1),
        Op::JumpIfFalse(to) => Op::JumpIfFalse(to + 1),
        Op::JumpIfTrue(to) => Op::JumpIfTrue(to + 1),
        Op::And(to) => Op::And(to + 1),
        Op::Or(to) => Op::Or(to + 1),
        op => op,
    }
}
