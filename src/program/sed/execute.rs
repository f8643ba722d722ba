//! Runs a script over the lines: a cycle a line, and what `n`, `N`, `D`, `q` do to that.

use super::input::{Line, Lines};
use super::output::{Outputs, To};
use super::range::{RangeState, Until};
use super::script::{Action, End, Pattern, Script, Start, Substitution};
use super::substitute::{Failure, Workspace, translate};
use crate::fs::OpenFlags;
use crate::kernel::{Input, Lease, Proc, Stop};
use crate::pattern::{Regex, RegexError};
use crate::program::{launch, usage};

/// How the command line wants the script run.
#[derive(Debug)]
pub struct Manner {
    /// `-n`.
    pub quiet: bool,
    /// `-l`.
    pub line_length: usize,
    pub delimiter: u8,
    /// `N` on the last line prints nothing (`--posix`, `POSIXLY_CORRECT`).
    pub posix_next: bool,
}

/// What is printed at the end of a cycle.
#[derive(Debug)]
enum Appended {
    Text(Vec<u8>),
    /// The contents of a file, if it can be read.
    File(Vec<u8>),
}

/// How a cycle ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cycle {
    /// At the end of the script: the pattern space is printed.
    Finished,
    /// Without printing.
    Discarded,
    /// `D`: once more without reading.
    Again,
    Quit(i32),
    QuitSilently(i32),
}

/// A text and whether a newline belongs behind it.
#[derive(Debug)]
struct Space {
    text: Vec<u8>,
    newline: bool,
}

/// A run of a script.
pub struct Run<'a> {
    pub proc: &'a mut Proc,
    pub script: &'a Script,
    pub manner: &'a Manner,
    pub lines: Lines,
    pub outputs: Outputs,
    states: Vec<RangeState>,
    /// Open files of `R`; `None` inside when one cannot be read.
    line_files: Vec<Option<Option<Input>>>,
    space: Space,
    hold: Space,
    workspace: Workspace,
    appended: Vec<Appended>,
    replaced: bool,
    last_regex: Option<usize>,
    lease: Lease,
}

impl<'a> Run<'a> {
    /// Ready for the first line.
    pub fn new(
        proc: &'a mut Proc,
        script: &'a Script,
        manner: &'a Manner,
        lines: Lines,
        outputs: Outputs,
    ) -> Run<'a> {
        let lease = proc.kernel.lease();
        Run {
            proc,
            script,
            manner,
            lines,
            outputs,
            states: script.commands.iter().map(RangeState::first).collect(),
            line_files: script.line_files.iter().map(|_| None).collect(),
            space: Space {
                text: Vec::new(),
                newline: true,
            },
            hold: Space {
                text: Vec::new(),
                newline: true,
            },
            workspace: Workspace::default(),
            appended: Vec::new(),
            replaced: false,
            last_regex: None,
            lease,
        }
    }

    /// All cycles. The exit status.
    pub async fn run(&mut self) -> Result<i32, Stop> {
        let mut again = false;
        let code = loop {
            if !again && !self.read_line(false).await? {
                break 0;
            }
            let cycle = self.cycle().await?;
            if matches!(cycle, Cycle::Finished | Cycle::Quit(_)) && !self.manner.quiet {
                self.print_space(To::Current).await?;
            }
            again = cycle == Cycle::Again;
            match cycle {
                Cycle::QuitSilently(code) => break code,
                Cycle::Quit(code) => {
                    self.outputs.text(self.proc, To::Current, b"").await?;
                    self.print_appended().await?;
                    break code;
                }
                _ => self.print_appended().await?,
            }
        };
        self.lines.close(self.proc, &mut self.outputs).await?;
        self.outputs.flush(self.proc).await?;
        Ok(if code == 0 { self.lines.status } else { code })
    }

    /// Reads the next line, over the pattern space or behind it.
    async fn read_line(&mut self, append: bool) -> Result<bool, Stop> {
        if !self.appended.is_empty() {
            self.print_appended().await?;
        }
        self.replaced = false;
        if !append {
            self.space.text.clear();
        }
        let line = self
            .lines
            .read(self.proc, &mut self.outputs, &mut self.space.text)
            .await?;
        if std::mem::take(&mut self.lines.began_file) {
            self.states = self.script.commands.iter().map(RangeState::first).collect();
        }
        self.space.newline = line == Line::Whole;
        self.hold_memory()?;
        Ok(line != Line::End)
    }

    fn hold_memory(&mut self) -> Result<(), Stop> {
        Ok(self.lease.resize(self.space.text.len() + self.hold.text.len())?)
    }

    async fn print_space(&mut self, to: To) -> Result<(), Stop> {
        self.outputs
            .line(self.proc, to, &self.space.text, self.space.newline)
            .await
    }

    /// Runs the script once.
    async fn cycle(&mut self) -> Result<Cycle, Stop> {
        let script = self.script;
        let mut place = 0;
        while let Some(command) = script.commands.get(place) {
            place += 1;
            self.proc.charge(crate::kernel::cost::TURN)?;
            let addressed = command.start.is_none() || self.is_addressed(place - 1).await?;
            if addressed == command.negated {
                if let Action::Block(behind) = command.action {
                    place = behind;
                }
                continue;
            }
            match &command.action {
                Action::Block(_) | Action::Nothing => {}
                Action::Branch(to) => place = self.jump(place, *to).await,
                Action::BranchIfReplaced(to) => {
                    if std::mem::take(&mut self.replaced) {
                        place = self.jump(place, *to).await;
                    }
                }
                Action::BranchUnlessReplaced(to) => {
                    if !std::mem::take(&mut self.replaced) {
                        place = self.jump(place, *to).await;
                    }
                }
                Action::Substitute(substitution) => self.substitute(substitution).await?,
                Action::Print => self.print_space(To::Current).await?,
                Action::Delete => return Ok(Cycle::Discarded),
                Action::DeleteFirstLine => {
                    let Some(end) = memchr::memchr(self.manner.delimiter, &self.space.text) else {
                        return Ok(Cycle::Discarded);
                    };
                    self.pay_space()?;
                    self.space.text.drain(..=end);
                    return Ok(Cycle::Again);
                }
                Action::Change(text) => {
                    let in_range = self.states.get(place - 1).is_some_and(RangeState::is_active);
                    if !in_range || command.negated {
                        self.outputs.text(self.proc, To::Current, text).await?;
                    }
                    return Ok(Cycle::Discarded);
                }
                Action::Quit(code) => return Ok(Cycle::Quit(*code)),
                Action::QuitSilently(code) => return Ok(Cycle::QuitSilently(*code)),
                Action::Next | Action::NextAppend => {
                    let append = matches!(command.action, Action::NextAppend);
                    if let Some(end) = self.next_line(append).await? {
                        return Ok(end);
                    }
                }
                action => self.simple(action).await?,
            }
        }
        Ok(Cycle::Finished)
    }

    /// `n` and `N`. How they end the cycle, where there is no further line.
    async fn next_line(&mut self, append: bool) -> Result<Option<Cycle>, Stop> {
        if self.lines.is_last(self.proc).await? {
            return Ok(Some(self.no_next_line()));
        }
        if append {
            self.space.text.push(self.manner.delimiter);
        } else if !self.manner.quiet {
            self.print_space(To::Current).await?;
        }
        if self.read_line(append).await? {
            return Ok(None);
        }
        if append {
            self.space.text.pop();
            return Ok(Some(Cycle::Finished));
        }
        Ok(Some(Cycle::Discarded))
    }

    /// `n` and `N` on the last line: POSIX wants `N` to print nothing.
    fn no_next_line(&self) -> Cycle {
        if self.manner.posix_next {
            Cycle::Discarded
        } else {
            Cycle::Finished
        }
    }

    async fn jump(&mut self, from: usize, to: usize) -> usize {
        if to < from {
            self.proc.kernel.breathe().await;
        }
        to
    }

    /// Commands that neither jump nor end the cycle.
    async fn simple(&mut self, action: &Action) -> Result<(), Stop> {
        self.proc
            .charge((self.space.text.len() + self.hold.text.len()) as u64 / 32)?;
        match action {
            Action::Append(text) => self.append(Appended::Text(text.clone()))?,
            Action::Insert(text) => {
                let newline = text.ends_with(b"\n");
                let line = text.strip_suffix(b"\n").unwrap_or(text);
                if newline {
                    self.outputs.line(self.proc, To::Current, line, true).await?;
                }
            }
            Action::InsertFile(name) => self.print_file(name).await?,
            Action::Exchange => std::mem::swap(&mut self.space, &mut self.hold),
            Action::Get => {
                self.space.text.clone_from(&self.hold.text);
                self.space.newline = self.hold.newline;
                self.hold_memory()?;
            }
            Action::GetAppend => {
                self.space.text.push(self.manner.delimiter);
                self.space.text.extend_from_slice(&self.hold.text);
                self.space.newline = self.hold.newline;
                self.hold_memory()?;
            }
            Action::Hold => {
                self.hold.text.clone_from(&self.space.text);
                self.hold.newline = self.space.newline;
                self.hold_memory()?;
            }
            Action::HoldAppend => {
                self.hold.text.push(self.manner.delimiter);
                self.hold.text.extend_from_slice(&self.space.text);
                self.hold.newline = self.space.newline;
                self.hold_memory()?;
            }
            Action::Zap => self.space.text.clear(),
            Action::Translate(table) => translate(table, &mut self.space.text),
            Action::Execute(command) => self.execute(command.as_deref()).await?,
            Action::FileName => {
                let name = self.lines.name().to_vec();
                self.outputs.line(self.proc, To::Current, &name, true).await?;
            }
            Action::LineNumber => {
                let number = self.lines.number.to_string();
                self.outputs
                    .line(self.proc, To::Current, number.as_bytes(), true)
                    .await?;
            }
            Action::List(length) => {
                let length = length.unwrap_or(self.manner.line_length);
                let listed = super::list::listed(&self.space.text, length, self.manner.delimiter);
                self.outputs.line(self.proc, To::Current, &listed, true).await?;
            }
            Action::PrintFirstLine => self.print_first_line(To::Current).await?,
            Action::Write(place) => self.print_space(To::File(*place)).await?,
            Action::WriteFirstLine(place) => self.print_first_line(To::File(*place)).await?,
            Action::ReadFile(name) => self.append(Appended::File(name.clone()))?,
            Action::ReadLine(place) => self.read_line_of(*place).await?,
            _ => {}
        }
        Ok(())
    }

    fn append(&mut self, item: Appended) -> Result<(), Stop> {
        // Bounded by the cycle's steps; what a loop queues is charged as it is queued.
        if let Appended::Text(text) = &item {
            self.proc.charge(text.len() as u64 / 64 + 1)?;
        }
        self.appended.push(item);
        Ok(())
    }

    async fn print_first_line(&mut self, to: To) -> Result<(), Stop> {
        match memchr::memchr(self.manner.delimiter, &self.space.text) {
            Some(end) => {
                let line = self.space.text.get(..end).unwrap_or_default();
                self.outputs.line(self.proc, to, line, true).await
            }
            None => self.print_space(to).await,
        }
    }

    async fn print_appended(&mut self) -> Result<(), Stop> {
        for item in std::mem::take(&mut self.appended) {
            match item {
                Appended::Text(text) => self.outputs.text(self.proc, To::Current, &text).await?,
                Appended::File(name) => self.print_file(&name).await?,
            }
        }
        Ok(())
    }

    async fn print_file(&mut self, name: &[u8]) -> Result<(), Stop> {
        self.outputs.flush_files(self.proc).await?;
        let file = if name == b"/dev/stdin" {
            self.proc.stdin()
        } else {
            self.proc.open(name, OpenFlags::READ).await
        };
        let Ok(file) = file else {
            return Ok(());
        };
        let mut input = Input::new(file);
        // A file that cannot be read counts as empty.
        while let Ok(block) = input.block().await {
            if block.is_empty() {
                break;
            }
            self.outputs.text(self.proc, To::Current, block).await?;
        }
        Ok(())
    }

    async fn read_line_of(&mut self, place: usize) -> Result<(), Stop> {
        let Some(name) = self.script.line_files.get(place) else {
            return Ok(());
        };
        if self.line_files.get(place).is_some_and(Option::is_none) {
            self.outputs.flush_files(self.proc).await?;
            let file = if name == b"/dev/stdin" {
                self.proc.stdin()
            } else {
                self.proc.open(name, OpenFlags::READ).await
            };
            if let Some(slot) = self.line_files.get_mut(place) {
                *slot = Some(file.ok().map(Input::new));
            }
        }
        let Some(Some(Some(input))) = self.line_files.get_mut(place) else {
            return Ok(());
        };
        let delimiter = self.manner.delimiter;
        if let Ok(Some(line)) = input.line(delimiter).await {
            let text = line.to_vec();
            self.append(Appended::Text(text))?;
        }
        Ok(())
    }

    /// The expression of a pattern: its own, or the last one used.
    async fn regex(&mut self, pattern: Pattern) -> Result<&'a Regex, Stop> {
        let place = pattern.or(self.last_regex);
        self.last_regex = place;
        match place.and_then(|place| self.script.regexes.get(place)) {
            Some(regex) => Ok(regex),
            None => {
                let piece = self.script.expressions.max(1);
                let message = format!("-e expression #{piece}, char 0: no previous regular expression");
                Err(usage::fail(self.proc, 1, message).await)
            }
        }
    }

    async fn exhausted(&mut self, error: &RegexError) -> Stop {
        usage::fail(self.proc, 4, error.to_string()).await
    }

    /// Whether the pattern space matches.
    /// Pays for going through the pattern space.
    fn pay_space(&self) -> Result<(), Stop> {
        self.proc.charge(self.space.text.len() as u64 / 8)
    }

    async fn matches(&mut self, pattern: Pattern) -> Result<bool, Stop> {
        self.pay_space()?;
        let regex = self.regex(pattern).await?;
        match regex.is_match(&self.space.text) {
            Ok(found) => Ok(found),
            Err(error) => Err(self.exhausted(&error).await),
        }
    }

    async fn substitute(&mut self, substitution: &Substitution) -> Result<(), Stop> {
        self.pay_space()?;
        let regex = self.regex(substitution.pattern).await?;
        let space = &mut self.space.text;
        let replaced = match self
            .workspace
            .substitute(substitution, regex, space, &mut self.lease)
        {
            Ok(replaced) => replaced,
            Err(Failure::Halt(halt)) => return Err(halt.into()),
            Err(Failure::Regex(error)) => return Err(self.exhausted(&error).await),
        };
        if !replaced {
            return Ok(());
        }
        self.replaced = true;
        self.hold_memory()?;
        if substitution.print_before {
            self.print_space(To::Current).await?;
        }
        if substitution.execute {
            self.execute(None).await?;
        }
        if substitution.print {
            self.print_space(To::Current).await?;
        }
        if let Some(place) = substitution.output {
            self.print_space(To::File(place)).await?;
        }
        Ok(())
    }

    /// `e`: a command's output is printed, or replaces the pattern space that was the command.
    async fn execute(&mut self, command: Option<&[u8]>) -> Result<(), Stop> {
        self.outputs.flush(self.proc).await?;
        let text = command.unwrap_or(&self.space.text).to_vec();
        let mut output = match launch::capture(self.proc, text).await? {
            Ok((output, _)) => output,
            Err(errno) => return Err(usage::fail(self.proc, 4, format!("error subprocess: {errno}")).await),
        };
        if command.is_some() {
            return self.outputs.text(self.proc, To::Current, &output).await;
        }
        if output.last() == Some(&self.manner.delimiter) {
            output.pop();
        }
        self.space.text = output;
        self.hold_memory()
    }

    async fn is_addressed(&mut self, place: usize) -> Result<bool, Stop> {
        let script = self.script;
        let Some(command) = script.commands.get(place) else {
            return Ok(true);
        };
        let Some(start) = &command.start else {
            return Ok(true);
        };
        let state = self.states.get(place).copied().unwrap_or_default();
        let Some(end) = &command.end else {
            if let Action::InsertFile(_) = command.action {
                return Ok(self.lines.number == 1);
            }
            return self.is_start(start).await;
        };
        let (state, addressed) = match state {
            RangeState::Active(until) => self.continue_range(until, start, end).await?,
            RangeState::Closed => (state, false),
            RangeState::Inactive => self.begin_range(start, end).await?,
        };
        if let Some(place) = self.states.get_mut(place) {
            *place = state;
        }
        Ok(addressed)
    }

    async fn is_start(&mut self, start: &Start) -> Result<bool, Stop> {
        let number = self.lines.number;
        match start {
            Start::Line(line) => Ok(number == *line),
            Start::Step { first, step } => Ok(number >= *first && (number - first).is_multiple_of(*step)),
            Start::Last => self.lines.is_last(self.proc).await,
            Start::Match(pattern) => self.matches(*pattern).await,
        }
    }

    /// Outside of a range: the new state, and whether this line belongs to one. A line number as the first address also means a
    /// later line, when `N` or `n` jumped over it.
    async fn begin_range(&mut self, start: &Start, end: &End) -> Result<(RangeState, bool), Stop> {
        let number = self.lines.number;
        let begins = match start {
            Start::Line(line) => number >= *line,
            start => self.is_start(start).await?,
        };
        if !begins {
            return Ok((RangeState::Inactive, false));
        }
        let until = match end {
            End::Line(line) if *line <= number => {
                // The range is this line, if it is one at all.
                let addressed = *line == number || !matches!(start, Start::Line(first) if *first != number);
                return Ok((RangeState::ended(start), addressed));
            }
            End::Line(line) => Until::Line(*line),
            End::Plus(count) => Until::Counted(number.saturating_add(*count)),
            End::Multiple(0) => Until::Counted(number),
            // 4.9 goes on to the next multiple even from a line that is one.
            End::Multiple(of) => Until::Counted((number / of + 1).saturating_mul(*of)),
            End::Step { .. } | End::Last | End::Match(_) => Until::Match,
        };
        Ok(match until {
            Until::Counted(last) if last <= number => (RangeState::ended(start), true),
            until => (RangeState::Active(until), true),
        })
    }

    /// Within a range: the new state, and whether this line still belongs to it.
    async fn continue_range(
        &mut self,
        until: Until,
        start: &Start,
        end: &End,
    ) -> Result<(RangeState, bool), Stop> {
        let number = self.lines.number;
        let (ends, addressed) = match (until, end) {
            (Until::Line(last), _) => (number >= last, number <= last),
            (Until::Counted(last), _) => (number >= last, true),
            (Until::Match, End::Step { first, step }) => {
                (number >= *first && (number - first).is_multiple_of(*step), true)
            }
            (Until::Match, End::Last) => (self.lines.is_last(self.proc).await?, true),
            (Until::Match, End::Match(pattern)) => (self.matches(*pattern).await?, true),
            (Until::Match, _) => (true, true),
        };
        let state = if ends {
            RangeState::ended(start)
        } else {
            RangeState::Active(until)
        };
        Ok((state, addressed))
    }
}
