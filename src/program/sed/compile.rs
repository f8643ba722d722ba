//! Scripts to commands: GNU sed's `compile.c`, character by character, so that messages and positions agree.

use super::escape;
use super::scan::{Scanner, ScriptError, Source, error_in};
use super::script::{Action, Command, End, Pattern, Script, Start, Substitution};
use crate::pattern::{Regex, RegexError, RegexOptions, Syntax};

/// How a script is read.
#[derive(Debug, Clone, Copy)]
pub struct Dialect {
    /// `-E`.
    pub extended: bool,
    /// `--posix`.
    pub posix: bool,
    /// `--sandbox`.
    pub sandbox: bool,
    /// `-z`.
    pub null_data: bool,
}

/// A script in the making; pieces (`-e`, `-f`) are added one by one.
#[derive(Debug)]
pub struct Compiler {
    dialect: Dialect,
    script: Script,
    /// Open blocks: the place of `{` and where it was read.
    blocks: Vec<(usize, Source, usize)>,
    labels: Vec<(Vec<u8>, usize)>,
    /// Branches whose label is not known yet.
    jumps: Vec<(usize, Vec<u8>)>,
    /// The text of the last `a`, `i` or `c` goes on in the next piece.
    pending_text: Option<Vec<u8>>,
    pieces: usize,
}

type Compiled<T> = Result<T, ScriptError>;

impl Compiler {
    /// An empty script.
    pub fn new(dialect: Dialect) -> Compiler {
        Compiler {
            dialect,
            script: Script::default(),
            blocks: Vec::new(),
            labels: Vec::new(),
            jumps: Vec::new(),
            pending_text: None,
            pieces: 0,
        }
    }

    /// Adds a piece.
    pub fn add(&mut self, text: &[u8], source: Source) -> Compiled<()> {
        if let Source::Expression(number) = source {
            self.script.expressions = number;
        }
        let mut scanner = Scanner::new(text, source);
        self.pieces += 1;
        if let Some(started) = self.pending_text.take() {
            self.read_text(&mut scanner, started)?;
        }
        loop {
            let mut byte = scanner.next();
            while byte.is_some_and(|byte| byte == b';' || byte.is_ascii_whitespace()) {
                byte = scanner.next();
            }
            let Some(byte) = byte else {
                return Ok(());
            };
            self.command(&mut scanner, byte)?;
        }
    }

    /// Checks what only the end of the script can tell.
    pub fn finish(mut self) -> Compiled<Script> {
        if let Some((_, source, line)) = self.blocks.last() {
            return Err(error_in(source, 0, *line, "unmatched `{'"));
        }
        if let Some(text) = self.pending_text.take() {
            self.set_text(text);
        }
        let end = self.script.commands.len();
        for (place, label) in std::mem::take(&mut self.jumps) {
            let target = if label.is_empty() {
                end
            } else if let Some((_, target)) = self.labels.iter().find(|(known, _)| *known == label) {
                *target
            } else {
                let message = [b"can't find label for jump to `", label.as_slice(), b"'"].concat();
                return Err(ScriptError { message, status: 4 });
            };
            if let Some(command) = self.script.commands.get_mut(place) {
                match &mut command.action {
                    Action::Branch(to) | Action::BranchIfReplaced(to) | Action::BranchUnlessReplaced(to) => {
                        *to = target
                    }
                    _ => {}
                }
            }
        }
        Ok(self.script)
    }

    fn command(&mut self, scanner: &mut Scanner<'_>, first: u8) -> Compiled<()> {
        let (start, end, mut byte) = self.addresses(scanner, first)?;
        let mut negated = false;
        if byte == Some(b'!') {
            negated = true;
            byte = scanner.next_nonblank();
            if byte == Some(b'!') {
                return Err(scanner.error("multiple `!'s"));
            }
        }
        let Some(name) = byte else {
            return Err(scanner.error("missing command"));
        };
        self.check_dialect(scanner, name, end.is_some())?;
        if name == b'#' {
            if start.is_some() {
                return Err(scanner.error("comments don't accept any addresses"));
            }
            self.comment(scanner);
            return Ok(());
        }
        let place = self.script.commands.len();
        self.script.commands.push(Command {
            start,
            end,
            negated,
            action: Action::Nothing,
        });
        let action = self.action(scanner, name, place)?;
        if let Some(command) = self.script.commands.get_mut(place) {
            command.action = action;
        }
        // The text of `a`, `i` and `c` is stored after the command that takes it.
        if matches!(name, b'a' | b'i' | b'c') {
            self.text_argument(scanner)?;
        }
        Ok(())
    }

    fn check_dialect(&self, scanner: &Scanner<'_>, name: u8, two: bool) -> Compiled<()> {
        if !self.dialect.posix {
            return Ok(());
        }
        match name {
            b'e' | b'F' | b'v' | b'z' | b'L' | b'Q' | b'T' | b'R' | b'W' => {
                Err(unknown_command(scanner, name))
            }
            b'a' | b'i' | b'=' | b'r' if two => Err(scanner.error("command only uses one address")),
            _ => Ok(()),
        }
    }

    /// A comment; `#n` at the very start of the script is `-n`.
    fn comment(&mut self, scanner: &mut Scanner<'_>) {
        let at_start = self.pieces == 1 && scanner.position() == 1;
        let mut byte = scanner.next();
        if at_start && byte == Some(b'n') {
            self.script.quiet = true;
        }
        while byte.is_some_and(|byte| byte != b'\n') {
            byte = scanner.next();
        }
    }

    fn action(&mut self, scanner: &mut Scanner<'_>, name: u8, place: usize) -> Compiled<Action> {
        let action = match name {
            b'{' => {
                self.blocks.push((place, scanner.source.clone(), scanner.line()));
                return Ok(Action::Block(0));
            }
            b'}' => return self.end_of_block(scanner, place),
            b'a' => return Ok(Action::Append(Vec::new())),
            b'i' => return Ok(Action::Insert(Vec::new())),
            b'c' => return Ok(Action::Change(Vec::new())),
            b':' => return self.label(scanner, place),
            b'b' | b't' | b'T' => {
                self.jumps.push((place, scanner.label()));
                return Ok(match name {
                    b'b' => Action::Branch(0),
                    b't' => Action::BranchIfReplaced(0),
                    _ => Action::BranchUnlessReplaced(0),
                });
            }
            b'e' => return self.execute(scanner),
            b'r' | b'R' | b'w' | b'W' => return self.file_command(scanner, name, place),
            b's' => return self.substitution(scanner),
            b'v' => {
                let version = scanner.label();
                if !version_is_old_enough(&version) {
                    return Err(scanner.error("expected newer version of sed"));
                }
                return Ok(Action::Nothing);
            }
            b'y' => self.translation(scanner)?,
            b'q' | b'Q' | b'l' => self.numbered(scanner, name, place)?,
            b'=' => Action::LineNumber,
            b'd' => Action::Delete,
            b'D' => Action::DeleteFirstLine,
            b'F' => Action::FileName,
            b'g' => Action::Get,
            b'G' => Action::GetAppend,
            b'h' => Action::Hold,
            b'H' => Action::HoldAppend,
            b'n' => Action::Next,
            b'N' => Action::NextAppend,
            b'p' => Action::Print,
            b'P' => Action::PrintFirstLine,
            b'x' => Action::Exchange,
            b'z' => Action::Zap,
            _ => return Err(unknown_command(scanner, name)),
        };
        end_of_command(scanner)?;
        Ok(action)
    }

    fn end_of_block(&mut self, scanner: &mut Scanner<'_>, place: usize) -> Compiled<Action> {
        let Some((open, ..)) = self.blocks.pop() else {
            return Err(scanner.error("unexpected `}'"));
        };
        if self
            .script
            .commands
            .get(place)
            .is_some_and(|command| command.start.is_some())
        {
            return Err(scanner.error("`}' doesn't want any addresses"));
        }
        end_of_command(scanner)?;
        if let Some(command) = self.script.commands.get_mut(open) {
            command.action = Action::Block(place + 1);
        }
        Ok(Action::Nothing)
    }

    fn label(&mut self, scanner: &mut Scanner<'_>, place: usize) -> Compiled<Action> {
        if self
            .script
            .commands
            .get(place)
            .is_some_and(|command| command.start.is_some())
        {
            return Err(scanner.error(": doesn't want any addresses"));
        }
        let label = scanner.label();
        if label.is_empty() {
            return Err(scanner.error("\":\" lacks a label"));
        }
        self.labels.push((label, place));
        Ok(Action::Nothing)
    }

    fn execute(&mut self, scanner: &mut Scanner<'_>) -> Compiled<Action> {
        if self.dialect.sandbox {
            return Err(scanner.error("e/r/w commands disabled in sandbox mode"));
        }
        let command = scanner.file_name();
        Ok(Action::Execute((!command.is_empty()).then_some(command)))
    }

    fn file_command(&mut self, scanner: &mut Scanner<'_>, name: u8, place: usize) -> Compiled<Action> {
        if self.dialect.sandbox {
            return Err(scanner.error("e/r/w commands disabled in sandbox mode"));
        }
        let file = file_argument(scanner)?;
        Ok(match name {
            b'r' if self.is_before_all(place) => Action::InsertFile(file),
            b'r' => Action::ReadFile(file),
            b'R' => Action::ReadLine(Script::place(&mut self.script.line_files, file)),
            b'w' => Action::Write(Script::place(&mut self.script.outputs, file)),
            _ => Action::WriteFirstLine(Script::place(&mut self.script.outputs, file)),
        })
    }

    /// Whether a command stands before the first line: `0r FILE`.
    fn is_before_all(&self, place: usize) -> bool {
        let command = self.script.commands.get(place);
        command.is_some_and(|command| command.start == Some(Start::Line(0)) && command.end.is_none())
    }

    /// `q`, `Q` and `l` with an optional number.
    fn numbered(&mut self, scanner: &mut Scanner<'_>, name: u8, place: usize) -> Compiled<Action> {
        let two = self
            .script
            .commands
            .get(place)
            .is_some_and(|command| command.end.is_some());
        if two && name != b'l' {
            return Err(scanner.error("command only uses one address"));
        }
        let byte = scanner.next_nonblank();
        let number = match byte {
            Some(digit @ b'0'..=b'9') if !self.dialect.posix => Some(scanner.number(digit)),
            _ => {
                scanner.back(byte);
                None
            }
        };
        Ok(match name {
            b'q' => Action::Quit(number.unwrap_or(0) as i32),
            b'Q' => Action::QuitSilently(number.unwrap_or(0) as i32),
            _ => Action::List(number.map(|number| number as usize)),
        })
    }

    /// Behind `a`, `i` and `c`: on the same line, or on the next after a backslash.
    fn text_argument(&mut self, scanner: &mut Scanner<'_>) -> Compiled<()> {
        let expected = "expected \\ after `a', `c' or `i'";
        let byte = scanner.next_nonblank();
        match byte {
            None => Err(scanner.error(expected)),
            Some(b'\\') => match scanner.next() {
                None => {
                    self.pending_text = Some(Vec::new());
                    Ok(())
                }
                Some(b'\n') => self.read_text(scanner, Vec::new()),
                Some(_) if self.dialect.posix => Err(scanner.error(expected)),
                other => {
                    scanner.back(other);
                    self.read_text(scanner, Vec::new())
                }
            },
            Some(_) if self.dialect.posix => Err(scanner.error(expected)),
            other => {
                scanner.back(other);
                self.read_text(scanner, Vec::new())
            }
        }
    }

    /// Text up to a newline without a backslash in front; `text` is what an earlier piece began.
    fn read_text(&mut self, scanner: &mut Scanner<'_>, mut text: Vec<u8>) -> Compiled<()> {
        let mut byte = scanner.next();
        while let Some(letter) = byte.filter(|byte| *byte != b'\n') {
            text.push(letter);
            if letter == b'\\' {
                match scanner.next() {
                    Some(escaped) => text.push(escaped),
                    None => {
                        // The next piece goes on with this text, on a new line.
                        text.pop();
                        text.push(b'\n');
                        self.pending_text = Some(text);
                        return Ok(());
                    }
                }
            }
            byte = scanner.next();
        }
        text.push(b'\n');
        let text = escape::text(&text).map_err(|sentence| scanner.error(sentence))?;
        self.set_text(text);
        Ok(())
    }

    fn set_text(&mut self, text: Vec<u8>) {
        if let Some(command) = self.script.commands.last_mut()
            && let Action::Append(place) | Action::Insert(place) | Action::Change(place) = &mut command.action
        {
            *place = text;
        }
    }

    fn substitution(&mut self, scanner: &mut Scanner<'_>) -> Compiled<Action> {
        let unterminated = "unterminated `s' command";
        let delimiter = delimiter(scanner, unterminated)?;
        let regex = scanner
            .delimited(delimiter, true)
            .ok_or_else(|| scanner.error(unterminated))?;
        let text = scanner
            .delimited(delimiter, false)
            .ok_or_else(|| scanner.error(unterminated))?;
        let replacement =
            escape::replacement(&text, self.dialect.posix).map_err(|sentence| scanner.error(sentence))?;
        let most = replacement
            .iter()
            .filter_map(|piece| piece.group)
            .max()
            .unwrap_or(0);
        let mut substitution = Substitution {
            pattern: None,
            replacement,
            global: false,
            number: 1,
            print_before: false,
            print: false,
            execute: false,
            output: None,
        };
        let mut flags = RegexFlags::default();
        self.substitution_flags(scanner, &mut substitution, &mut flags)?;
        substitution.pattern = self.regex(scanner, &regex, flags)?;
        let groups = substitution
            .pattern
            .and_then(|place| self.script.regexes.get(place))
            .map(Regex::group_count);
        if groups.is_some_and(|groups| groups < most) {
            return Err(scanner.error(format!("invalid reference \\{most} on `s' command's RHS")));
        }
        Ok(Action::Substitute(Box::new(substitution)))
    }

    fn substitution_flags(
        &mut self,
        scanner: &mut Scanner<'_>,
        substitution: &mut Substitution,
        flags: &mut RegexFlags,
    ) -> Compiled<()> {
        let mut numbered = false;
        let mut printed = false;
        loop {
            match scanner.next() {
                Some(b'I' | b'i' | b'm' | b'M' | b'e') if self.dialect.posix => {
                    return Err(scanner.error("unknown option to `s'"));
                }
                Some(b'e' | b'w') if self.dialect.sandbox => {
                    return Err(scanner.error("e/r/w commands disabled in sandbox mode"));
                }
                Some(b'i' | b'I') => flags.ignore_case = true,
                Some(b'm' | b'M') => flags.multi_line = true,
                Some(b'e') => substitution.execute = true,
                Some(b'p') if std::mem::replace(&mut printed, true) => {
                    return Err(scanner.error("multiple `p' options to `s' command"));
                }
                Some(b'p') if substitution.execute => substitution.print = true,
                Some(b'p') => substitution.print_before = true,
                Some(b'g') if substitution.global => {
                    return Err(scanner.error("multiple `g' options to `s' command"));
                }
                Some(b'g') => substitution.global = true,
                Some(b'w') => {
                    let name = file_argument(scanner)?;
                    substitution.output = Some(Script::place(&mut self.script.outputs, name));
                    break;
                }
                Some(b'0'..=b'9') if std::mem::replace(&mut numbered, true) => {
                    return Err(scanner.error("multiple number options to `s' command"));
                }
                Some(digit @ b'0'..=b'9') => {
                    substitution.number = scanner.number(digit);
                    if substitution.number == 0 {
                        return Err(scanner.error("number option to `s' command may not be zero"));
                    }
                }
                Some(b' ' | b'\t') => {}
                byte @ Some(b'}' | b'#') => {
                    scanner.back(byte);
                    break;
                }
                None | Some(b'\n' | b';') => break,
                Some(b'\r') if scanner.peek() == Some(b'\n') => {
                    scanner.next();
                    break;
                }
                Some(_) => return Err(scanner.error("unknown option to `s'")),
            }
        }
        if !substitution.execute {
            substitution.print = std::mem::take(&mut substitution.print_before);
        }
        Ok(())
    }

    fn translation(&mut self, scanner: &mut Scanner<'_>) -> Compiled<Action> {
        let unterminated = "unterminated `y' command";
        let delimiter = delimiter(scanner, unterminated)?;
        let from = scanner
            .delimited(delimiter, false)
            .ok_or_else(|| scanner.error(unterminated))?;
        let to = scanner
            .delimited(delimiter, false)
            .ok_or_else(|| scanner.error(unterminated))?;
        let table = escape::translation(&from, &to).map_err(|sentence| scanner.error(sentence))?;
        match table {
            Some(table) => Ok(Action::Translate(Box::new(table))),
            None => Err(scanner.error("strings for `y' command are different lengths")),
        }
    }

    fn addresses(
        &mut self,
        scanner: &mut Scanner<'_>,
        first: u8,
    ) -> Compiled<(Option<Start>, Option<End>, Option<u8>)> {
        let Some(start) = self.start_address(scanner, first)? else {
            return Ok((None, None, Some(first)));
        };
        let mut byte = scanner.next_nonblank();
        let mut end = None;
        if byte == Some(b',') {
            let first = scanner.next_nonblank();
            end = self.end_address(scanner, first)?;
            if end.is_none() {
                return Err(scanner.error("unexpected `,'"));
            }
            byte = scanner.next_nonblank();
        }
        let regex_end = matches!(end, Some(End::Match(_)));
        // `0r FILE` prints the file before the first line.
        let before_all = end.is_none() && byte == Some(b'r');
        if start == Start::Line(0) && (!(regex_end || before_all) || self.dialect.posix) {
            return Err(scanner.error("invalid usage of line address 0"));
        }
        Ok((Some(start), end, byte))
    }

    fn start_address(&mut self, scanner: &mut Scanner<'_>, first: u8) -> Compiled<Option<Start>> {
        Ok(Some(match first {
            b'/' | b'\\' => Start::Match(self.regex_address(scanner, first)?),
            b'0'..=b'9' => {
                let line = scanner.number(first);
                match step(scanner, self.dialect) {
                    Some(step) if step > 0 => Start::Step { first: line, step },
                    _ => Start::Line(line),
                }
            }
            b'$' => Start::Last,
            b'+' | b'~' if !self.dialect.posix => {
                let byte = scanner.next_nonblank();
                match byte {
                    Some(digit @ b'0'..=b'9') => drop(scanner.number(digit)),
                    _ => scanner.back(byte),
                }
                return Err(scanner.error("invalid usage of +N or ~N as first address"));
            }
            _ => return Ok(None),
        }))
    }

    fn end_address(&mut self, scanner: &mut Scanner<'_>, first: Option<u8>) -> Compiled<Option<End>> {
        let Some(first) = first else {
            return Ok(None);
        };
        Ok(Some(match first {
            b'/' | b'\\' => End::Match(self.regex_address(scanner, first)?),
            b'0'..=b'9' => {
                let line = scanner.number(first);
                match step(scanner, self.dialect) {
                    Some(step) if step > 0 => End::Step { first: line, step },
                    _ => End::Line(line),
                }
            }
            b'$' => End::Last,
            b'+' | b'~' if !self.dialect.posix => {
                let byte = scanner.next_nonblank();
                let number = match byte {
                    Some(digit @ b'0'..=b'9') => scanner.number(digit),
                    _ => {
                        scanner.back(byte);
                        0
                    }
                };
                if first == b'+' {
                    End::Plus(number)
                } else {
                    End::Multiple(number)
                }
            }
            _ => return Ok(None),
        }))
    }

    fn regex_address(&mut self, scanner: &mut Scanner<'_>, first: u8) -> Compiled<Pattern> {
        let unterminated = "unterminated address regex";
        let delimiter = if first == b'\\' {
            delimiter(scanner, unterminated)?
        } else {
            b'/'
        };
        let text = scanner
            .delimited(delimiter, true)
            .ok_or_else(|| scanner.error(unterminated))?;
        let mut flags = RegexFlags::default();
        loop {
            let byte = scanner.next_nonblank();
            match byte {
                Some(b'I') if !self.dialect.posix => flags.ignore_case = true,
                Some(b'M') if !self.dialect.posix => flags.multi_line = true,
                _ => {
                    scanner.back(byte);
                    return self.regex(scanner, &text, flags);
                }
            }
        }
    }

    fn regex(&mut self, scanner: &Scanner<'_>, text: &[u8], flags: RegexFlags) -> Compiled<Pattern> {
        if text.is_empty() {
            if flags.is_set() {
                return Err(scanner.error("cannot specify modifiers on empty regexp"));
            }
            return Ok(None);
        }
        let text = escape::regex(text).map_err(|sentence| scanner.error(sentence))?;
        let syntax = if self.dialect.extended {
            Syntax::Extended
        } else {
            Syntax::Basic
        };
        let options = RegexOptions {
            ignore_case: flags.ignore_case,
            // In `-z` mode lines end with NUL, which a pattern space hardly has.
            newline_anchors: flags.multi_line && !self.dialect.null_data,
            gnu: !self.dialect.posix,
            dfa: true,
            paired: true,
            ..RegexOptions::default()
        };
        let regex = Regex::compile(&text, syntax, options).map_err(|error| match error {
            // Found by a second parser of GNU sed's, which knows no position.
            RegexError::BareClass => ScriptError {
                message: error.to_string().into_bytes(),
                status: 4,
            },
            error => scanner.error(error.to_string()),
        })?;
        self.script.regexes.push(regex);
        Ok(Some(self.script.regexes.len() - 1))
    }
}

#[derive(Debug, Clone, Copy, Default)]
struct RegexFlags {
    ignore_case: bool,
    multi_line: bool,
}

impl RegexFlags {
    fn is_set(self) -> bool {
        self.ignore_case || self.multi_line
    }
}

fn step(scanner: &mut Scanner<'_>, dialect: Dialect) -> Option<u64> {
    let byte = scanner.next_nonblank();
    if byte != Some(b'~') || dialect.posix {
        scanner.back(byte);
        return None;
    }
    let byte = scanner.next_nonblank();
    match byte {
        Some(digit @ b'0'..=b'9') => Some(scanner.number(digit)),
        _ => {
            scanner.back(byte);
            Some(0)
        }
    }
}

fn delimiter(scanner: &mut Scanner<'_>, unterminated: &str) -> Compiled<u8> {
    match scanner.next() {
        Some(byte) if byte.is_ascii() => Ok(byte),
        Some(_) => Err(scanner.error("delimiter character is not a single-byte character")),
        None => Err(scanner.error(unterminated)),
    }
}

fn file_argument(scanner: &mut Scanner<'_>) -> Compiled<Vec<u8>> {
    let name = scanner.file_name();
    if name.is_empty() {
        return Err(scanner.error("missing filename in r/R/w/W commands"));
    }
    Ok(name)
}

/// Nothing but the end of the command may follow.
fn end_of_command(scanner: &mut Scanner<'_>) -> Compiled<()> {
    let byte = scanner.next_nonblank();
    match byte {
        Some(b'}' | b'#') => {
            scanner.back(byte);
            Ok(())
        }
        None | Some(b'\n' | b';') => Ok(()),
        Some(b'\r') if matches!(scanner.peek(), None | Some(b'\n')) => Ok(()),
        Some(_) => Err(scanner.error("extra characters after command")),
    }
}

fn unknown_command(scanner: &Scanner<'_>, name: u8) -> ScriptError {
    scanner.error([b"unknown command: `", &[name][..], b"'"].concat())
}

/// `v`: the version asked for is not newer than 4.9.
fn version_is_old_enough(version: &[u8]) -> bool {
    let mut parts = version.split(|byte| *byte == b'.').map(|part| {
        let digits = part.iter().take_while(|byte| byte.is_ascii_digit());
        digits.fold(0u64, |sum, digit| {
            sum.saturating_mul(10).saturating_add(u64::from(digit - b'0'))
        })
    });
    let wanted = (parts.next().unwrap_or(0), parts.next().unwrap_or(0));
    wanted <= (4, 9)
}
