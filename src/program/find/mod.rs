//! `find`: walks trees of files and evaluates an expression for each.
//!
//! The expression is parsed once into a list of predicates and small code with jumps, so that evaluating it neither recurses nor
//! allocates. The real one goes by the order of directories, which here is that of names. Start points are walked one after the
//! other; `-depth` evaluates a directory when it is left instead of when it is entered.
//!
//! - `names.rs`: the words · `parse.rs`, `tests.rs`: words and arguments · `expression.rs`: operators · `regex.rs`: `-regextype`
//! - `predicate.rs`: what comes out · `evaluate.rs`: evaluation · `time.rs`: numbers and ages · `exec.rs`: commands
//! - `printf.rs`, `show.rs`: `-printf` and `-ls` · `output.rs`: files of `-fprint`

mod evaluate;
mod exec;
mod expression;
mod names;
mod output;
mod parse;
mod predicate;
mod printf;
mod regex;
mod show;
mod tests;
mod time;
mod usage;

use std::sync::Arc;

use jiff::tz::TimeZone;

use self::evaluate::Wish;
use self::output::Outputs;
use self::parse::{Expression, Parser, Refusal, looks_like_expression};
use self::predicate::{Predicate, Step};
use super::accounts::Accounts;
use super::dates;
use super::message::message;
use super::walk::{Links, Visit, Visited, Walk};
use crate::args::quote;
use crate::fs::{Errno, FileKind, Metadata, OpenFlags, Timestamp};
use crate::kernel::{Input, Proc, Program, Stop};

/// The program.
pub const PROGRAM: Program = Program {
    name: "find",
    run: |proc| Box::pin(run(proc)),
};

/// What holds for the whole command.
pub struct Options {
    links: Links,
    warns: bool,
    contents_first: bool,
    one_file_system: bool,
    min_depth: usize,
    max_depth: usize,
    /// When the program started.
    start: Timestamp,
    /// A day before that, or with `-daystart` the start of today.
    day_start: Timestamp,
    full_days: bool,
    /// The file of `-files0-from`.
    start_points: Option<Vec<u8>>,
    /// `-ok` reads standard input.
    asks: bool,
    /// The operands, which patterns of paths that end in a slash may match.
    starts: Vec<Vec<u8>>,
    accounts: Accounts,
}

impl Options {
    /// `-daystart`: ages count from the end of today.
    fn start_day(&mut self, proc: &Proc) {
        if self.full_days {
            return;
        }
        self.full_days = true;
        let local = dates::zone(proc).to_datetime(dates::to_jiff(self.start));
        let (hour, minute, second) = (local.hour(), local.minute(), local.second());
        let since = i64::from(hour) * 3600 + i64::from(minute) * 60 + i64::from(second);
        self.day_start = Timestamp {
            seconds: self.start.seconds - since,
            nanos: 0,
        };
    }
}

/// A search at work.
struct Finder {
    options: Options,
    predicates: Vec<Predicate>,
    steps: Arc<Vec<Step>>,
    outputs: Outputs,
    accounts: Accounts,
    zone: Option<TimeZone>,
    columns: show::Columns,
    status: i32,
    /// Standard output could not be written before a command ran.
    lost_output: bool,
}

/// The file that the expression is evaluated for.
struct Subject<'a> {
    path: &'a [u8],
    start: &'a [u8],
    depth: usize,
    metadata: Option<Metadata>,
    listed: Option<FileKind>,
}

impl Subject<'_> {
    /// What it is, as far as is known.
    fn kind(&self) -> Option<FileKind> {
        self.metadata.map(|found| found.kind).or(self.listed)
    }
}

async fn run(proc: &mut Proc) -> Result<i32, Stop> {
    let arguments = proc.arguments().to_vec();
    let start = proc.kernel.now();
    let mut options = Options {
        links: Links::Never,
        warns: false,
        contents_first: false,
        one_file_system: false,
        min_depth: 0,
        max_depth: usize::MAX,
        start,
        day_start: Timestamp {
            seconds: start.seconds - time::DAY,
            ..start
        },
        full_days: false,
        start_points: None,
        asks: false,
        starts: Vec::new(),
        accounts: Accounts::default(),
    };
    let first = leading_options(proc, &mut options, &arguments).await?;
    let rest = arguments.get(first..).unwrap_or_default();
    let count = rest
        .iter()
        .take_while(|word| !looks_like_expression(word, true))
        .count();
    let (starts, words) = rest.split_at_checked(count).unwrap_or_default();
    options.starts = starts.to_vec();
    let parsed = Parser::new(proc, &mut options, words).parse().await;
    let expression = match parsed {
        Ok(expression) => expression,
        Err(refusals) => return refuse(proc, refusals).await,
    };
    let points = start_points(proc, &options, starts).await?;
    let mut finder = Finder::new(options, expression);
    finder.search(proc, points).await?;
    finder.end(proc).await
}

/// `-H`, `-L`, `-P`, `-D`, `-O` before everything else; where the rest begins.
async fn leading_options(proc: &mut Proc, options: &mut Options, words: &[Vec<u8>]) -> Result<usize, Stop> {
    let mut index = 0;
    while let Some(word) = words.get(index) {
        index += 1;
        match word.as_slice() {
            b"-H" => options.links = Links::Operands,
            b"-L" => options.links = Links::Always,
            b"-P" => options.links = Links::Never,
            b"--" => return Ok(index),
            b"-D" => {
                let Some(flags) = words.get(index) else {
                    let line = "Missing argument after the -D option.";
                    proc.warn(line).await?;
                    let hint = message!("Try '", proc.name(), " --help' for more information.\n");
                    proc.write_error(&hint).await?;
                    return Err(Stop::Exit(1));
                };
                index += 1;
                debug_flags(proc, flags).await?;
            }
            [b'-', b'O', level @ ..] => {
                let digits = !level.is_empty() && level.iter().all(u8::is_ascii_digit);
                if !digits {
                    let line = if level.is_empty() {
                        "The -O option must be immediately followed by a decimal integer"
                    } else {
                        "Please specify a decimal number immediately after -O"
                    };
                    return Err(super::usage::fail(proc, 1, line).await);
                }
            }
            _ => return Ok(index - 1),
        }
    }
    Ok(index)
}

/// Debug output has nothing to say here, but its names are checked.
async fn debug_flags(proc: &mut Proc, flags: &[u8]) -> Result<(), Stop> {
    const KNOWN: [&[u8]; 8] = [
        b"exec", b"opt", b"rates", b"search", b"stat", b"time", b"tree", b"all",
    ];
    for flag in flags.split(|byte| *byte == b',') {
        if flag == b"help" {
            proc.write(usage::DEBUG).await?;
            return Err(Stop::Exit(0));
        }
        if !KNOWN.contains(&flag) {
            let line = message!("Ignoring unrecognised debug flag ", quote(flag));
            proc.warn(line).await?;
        }
    }
    Ok(())
}

async fn refuse(proc: &mut Proc, refusals: Vec<Refusal>) -> Result<i32, Stop> {
    for refusal in refusals {
        match refusal {
            Refusal::Fatal(line) => proc.warn(line).await?,
            Refusal::Answer(text) => {
                proc.write(&text).await?;
                return Ok(0);
            }
            Refusal::Stop(stop) => return Err(stop),
            Refusal::Argument(_) | Refusal::Missing | Refusal::Word => {}
        }
    }
    Ok(1)
}

/// A place to start, or what is wrong with it.
type StartPoint = Result<Vec<u8>, Vec<u8>>;

async fn start_points(
    proc: &mut Proc,
    options: &Options,
    operands: &[Vec<u8>],
) -> Result<Vec<StartPoint>, Stop> {
    let Some(list) = &options.start_points else {
        return Ok(match operands {
            [] => vec![Ok(b".".to_vec())],
            operands => operands.iter().cloned().map(Ok).collect(),
        });
    };
    if let Some(first) = operands.first() {
        proc.warn(message!("extra operand ", quote(first))).await?;
        let line = "file operands cannot be combined with -files0-from";
        return Err(super::usage::fail(proc, 1, line).await);
    }
    if list == b"-" && options.asks {
        // The empty line is the real one's.
        let line = "option -files0-from reading from standard input cannot be combined with -ok, -okdir\n";
        return Err(super::usage::fail(proc, 1, line).await);
    }
    let opened = if list == b"-" {
        proc.stdin()
    } else {
        proc.open(list, OpenFlags::READ).await
    };
    let file = match opened {
        Ok(file) => file,
        Err(errno) => {
            let line = message!("cannot open ", quote(list), " for reading: ", errno.message());
            return Err(super::usage::fail(proc, 1, line).await);
        }
    };
    let shown: &[u8] = if list == b"-" { b"(standard input)" } else { list };
    read_start_points(proc, file, shown).await
}

async fn read_start_points(
    proc: &mut Proc,
    file: Arc<crate::kernel::File>,
    shown: &[u8],
) -> Result<Vec<StartPoint>, Stop> {
    let mut lease = proc.kernel.lease();
    let text = match Input::new(file).rest(&mut lease).await {
        Ok(text) => text,
        Err(errno) => {
            let line = message!(quote(shown), ": read error: ", errno.message());
            return Err(super::usage::fail(proc, 1, line).await);
        }
    };
    let text = text.strip_suffix(b"\0").unwrap_or(&text);
    if text.is_empty() {
        return Ok(Vec::new());
    }
    let points = text.split(|byte| *byte == 0).zip(1_u64..).map(|(name, line)| {
        if name.is_empty() {
            let line = line.to_string();
            return Err(message!(
                quote(shown),
                ":",
                line,
                ": invalid zero-length file name"
            ));
        }
        Ok(name.to_vec())
    });
    Ok(points.collect())
}

impl Finder {
    fn new(mut options: Options, expression: Expression) -> Finder {
        Finder {
            accounts: std::mem::take(&mut options.accounts),
            options,
            predicates: expression.predicates,
            steps: Arc::new(expression.steps),
            outputs: expression.outputs,
            zone: None,
            columns: show::Columns::default(),
            status: 0,
            lost_output: false,
        }
    }

    /// Says what went wrong and remembers it.
    async fn fail(&mut self, proc: &mut Proc, line: Vec<u8>) -> Result<(), Stop> {
        self.status = 1;
        proc.warn(line).await
    }

    async fn search(&mut self, proc: &mut Proc, points: Vec<StartPoint>) -> Result<(), Stop> {
        for point in points {
            let start = match point {
                Ok(start) => start,
                Err(line) => {
                    self.fail(proc, line).await?;
                    continue;
                }
            };
            let mut walk = Walk::new(&start, self.options.links);
            let mut device = None;
            while let Some(visited) = walk.next(proc) {
                proc.kernel.breathe().await;
                device = device.or(visited.metadata.map(|found| found.device));
                if self.visit(proc, &mut walk, &visited, &start, device).await? {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// One stop of the walk; `true` ends the search.
    async fn visit(
        &mut self,
        proc: &mut Proc,
        walk: &mut Walk,
        visited: &Visited,
        start: &[u8],
        device: Option<u64>,
    ) -> Result<bool, Stop> {
        let last = self.options.contents_first;
        let evaluates = match visited.visit {
            Visit::Enter => !last,
            Visit::Leave => last,
            Visit::File | Visit::Dangling => true,
            Visit::Unreadable(errno) => {
                self.complain(proc, visited, errno).await?;
                last
            }
            Visit::Missing(errno) => {
                self.complain(proc, visited, errno).await?;
                // What is known from the directory will do, but not for links in a circle.
                visited.depth > 0 && errno != Errno::ELOOP
            }
            Visit::Cycle => {
                self.report_loop(proc, walk, visited).await?;
                return Ok(false);
            }
        };
        let mut wish = Wish::default();
        if evaluates && visited.depth >= self.options.min_depth {
            let subject = Subject {
                path: &visited.path,
                start,
                depth: visited.depth,
                metadata: visited.metadata,
                listed: visited.listed,
            };
            wish = self.evaluate(proc, &subject).await?;
        }
        if visited.visit == Visit::Enter {
            let foreign =
                self.options.one_file_system && visited.metadata.map(|found| found.device) != device;
            if wish.prune || foreign || visited.depth >= self.options.max_depth {
                walk.skip();
            }
        }
        Ok(wish.quit)
    }

    async fn complain(&mut self, proc: &mut Proc, visited: &Visited, errno: Errno) -> Result<(), Stop> {
        self.fail(proc, message!(quote(&visited.path), ": ", errno.message()))
            .await
    }

    async fn report_loop(&mut self, proc: &mut Proc, walk: &Walk, visited: &Visited) -> Result<(), Stop> {
        let other = walk.ancestor_like(visited).unwrap_or_default();
        let line = message!(
            "File system loop detected; ",
            quote(&visited.path),
            " is part of the same file system loop as ",
            quote(other),
            "."
        );
        self.fail(proc, line).await
    }

    /// Runs what `-exec … +` gathered, and writes what is left.
    async fn end(&mut self, proc: &mut Proc) -> Result<i32, Stop> {
        for mut predicate in std::mem::take(&mut self.predicates) {
            if let Predicate::Exec(exec) = &mut predicate {
                self.run_gathered(proc, exec).await?;
            }
        }
        let written = proc.try_flush().await?;
        self.outputs.flush(proc).await?;
        if let Err(errno) = written {
            self.fail(proc, message!(quote(b"standard output"), ": ", errno.message()))
                .await?;
        }
        if written.is_err() || self.lost_output {
            self.fail(proc, b"write error".to_vec()).await?;
        }
        Ok(self.status)
    }
}
