//! `diff`: compares files line by line, and directories file by file.
//!
//! Which of several equally short scripts is printed is part of the behaviour, so the search follows GNU diffutils step by step.
//!
//! - `options.rs`: the command line · `compare.rs`: what is compared with what · `text.rs`: files as lines
//! - `analyze.rs`, `sequence.rs`: the edit script · `hunk.rs`: changes that are printed together · `printer.rs`: lines
//! - `lines.rs`: normal, ed, RCS · `context.rs`: `-c`, `-u` · `side.rs`: `-y` · `formats.rs`: `-D` and formats

mod analyze;
mod compare;
mod context;
mod formats;
mod hunk;
mod lines;
mod options;
mod printer;
mod sequence;
mod side;
mod text;

use self::compare::{Side, State};
use self::hunk::Pair;
use self::options::{Flag, Options, SPEC, Style};
use self::printer::{Ink, Printer, has_names, header_name, start_ink};
use self::text::Text;
use super::message::message;
use super::{dates, usage};
use crate::args::Parsed;
use crate::fs::{OpenFlags, Timestamp};
use crate::kernel::{Input, Lease, Proc, Program, Stop, WriteFailure};
use crate::text::gnu_quote::{Style as QuotingStyle, styled};
use crate::text::strftime::{Dialect, Moment, strftime};

/// The program.
pub const PROGRAM: Program = Program {
    name: "diff",
    run: |proc| Box::pin(run(proc)),
};

/// A NUL in this much of the start makes a file binary.
const BINARY_HEAD: usize = 4096;

/// A comparison at work.
struct Differ {
    options: Options,
}

async fn run(proc: &mut Proc) -> Result<i32, Stop> {
    proc.write_failure = WriteFailure {
        status: 2,
        sentence: "standard output",
    };
    let parsed = usage::parse(proc, &SPEC).await?;
    let read = options::read(&parsed);
    let (mut options, pattern_files) = usage::accept(proc, read).await?;
    for warning in std::mem::take(&mut options.warnings) {
        proc.warn(warning).await?;
    }
    for path in pattern_files {
        read_patterns(proc, &path, &mut options).await?;
    }
    options.switches = switches(proc.arguments(), &parsed.operands);
    let pairs = pairs(proc, &options, &parsed).await?;
    let mut differ = Differ { options };
    let mut status = 0;
    for (left, right) in pairs {
        status = status.max(differ.compare(proc, &left, &right).await?);
    }
    Ok(status)
}

/// Lines of `-X FILE`.
async fn read_patterns(proc: &mut Proc, path: &[u8], options: &mut Options) -> Result<(), Stop> {
    let mut lease = proc.kernel.lease();
    let text = match proc.open_operand(path).await {
        Ok(file) => Input::new(file).rest(&mut lease).await,
        Err(errno) => Err(errno),
    };
    match text {
        Ok(text) => {
            for line in text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
                options.exclude(line);
            }
            Ok(())
        }
        Err(errno) => Err(usage::fail(proc, 2, message!(path, ": ", errno.message())).await),
    }
}

/// The options as given, quoted for a shell, a blank before each.
fn switches(arguments: &[Vec<u8>], operands: &[Vec<u8>]) -> Vec<u8> {
    let mut operands = operands.iter().rev().peekable();
    let mut options: Vec<&[u8]> = arguments
        .iter()
        .rev()
        .filter(|argument| operands.next_if(|operand| operand == argument).is_none())
        .map(Vec::as_slice)
        .collect();
    options.reverse();
    options
        .iter()
        .flat_map(|option| [b" ", styled(option, QuotingStyle::Shell, b"").as_slice()].concat())
        .collect()
}

type Names = (Vec<u8>, Vec<u8>);

async fn pairs(proc: &mut Proc, options: &Options, parsed: &Parsed<Flag>) -> Result<Vec<Names>, Stop> {
    let operands = &parsed.operands;
    if let Some(from) = &options.from_file {
        return Ok(operands.iter().map(|to| (from.clone(), to.clone())).collect());
    }
    if let Some(to) = &options.to_file {
        return Ok(operands.iter().map(|from| (from.clone(), to.clone())).collect());
    }
    let complaint = match operands.as_slice() {
        [left, right] => return Ok(vec![(left.clone(), right.clone())]),
        [_, _, extra, ..] => message!("extra operand '", extra, "'"),
        few => {
            // The real one shows the last argument after putting operands behind options.
            let last = few.last().or(proc.args.last()).cloned().unwrap_or_default();
            message!("missing operand after '", last, "'")
        }
    };
    Err(usage::refuse(proc, &SPEC.complain(complaint)).await)
}

impl Differ {
    /// Reads one file whole.
    async fn read(
        &self,
        proc: &mut Proc,
        side: &Side,
        lease: &mut Lease,
    ) -> Result<Result<Vec<u8>, i32>, Stop> {
        if matches!(side.state, State::Absent) {
            return Ok(Ok(Vec::new()));
        }
        let opened = if side.name == b"-" {
            proc.stdin()
        } else {
            proc.open(&side.name, OpenFlags::READ).await
        };
        let text = match opened {
            Ok(file) => Input::new(file).rest(lease).await,
            Err(errno) => Err(errno),
        };
        match text {
            Ok(text) => Ok(Ok(text)),
            Err(errno) => {
                proc.warn(message!(side.name, ": ", errno.message())).await?;
                Ok(Err(2))
            }
        }
    }

    /// Compares the contents of two files and prints what differs; the exit status.
    async fn compare_files(&mut self, proc: &mut Proc, sides: &[Side; 2], nested: bool) -> Result<i32, Stop> {
        let [left, right] = sides;
        let (mut left_lease, mut right_lease) = (proc.kernel.lease(), proc.kernel.lease());
        let left_bytes = self.read(proc, left, &mut left_lease).await?;
        let same = left.name == b"-" && right.name == b"-";
        let right_bytes = match &left_bytes {
            Ok(bytes) if same => Ok(bytes.clone()),
            _ => self.read(proc, right, &mut right_lease).await?,
        };
        let (Ok(left_bytes), Ok(right_bytes)) = (left_bytes, right_bytes) else {
            return Ok(2);
        };
        let options = &self.options;
        let head = |bytes: &[u8]| bytes.get(..BINARY_HEAD).unwrap_or(bytes).contains(&0);
        let binary = !options.text && (head(&left_bytes) || head(&right_bytes));
        if binary || (options.brief && options.compares_bytes()) {
            let differ = left_bytes != right_bytes;
            return self
                .report_differing(proc, sides, differ, binary && !options.brief)
                .await;
        }
        // Lines and classes take about as much again.
        let mut lease = proc.kernel.lease();
        lease.resize(left_bytes.len() + right_bytes.len())?;
        let (left_text, right_text) = (Text::new(left_bytes, options), Text::new(right_bytes, options));
        let script = analyze::script(&left_text, &right_text, options, proc.kernel.meter())?;
        let pair = Pair {
            left: &left_text,
            right: &right_text,
            options,
        };
        let changed = script
            .iter()
            .any(|change| pair.extent(std::slice::from_ref(change)).is_some());
        if options.brief {
            return self.report_differing(proc, sides, changed, false).await;
        }
        let mut status = i32::from(changed);
        if changed || !options.prints_differences_only() {
            let header = self.header(proc, sides, nested);
            let mut printer = Printer {
                pair,
                out: Vec::new(),
                header: Some(header),
                room: proc.kernel.meter().free_bytes(),
            };
            print(&mut printer, script);
            proc.kernel.meter().check_memory(printer.out.len() as u64)?;
            proc.charge(printer.out.len() as u64 / 16)?;
            proc.write(&printer.out).await?;
        }
        if !options.style.is_robust() {
            let names = self.shown_names(sides);
            for (text, name) in [&left_text, &right_text].into_iter().zip(names) {
                if text.lacks_newline {
                    proc.warn(message!(name, ": No newline at end of file\n")).await?;
                    status = 2;
                }
            }
        }
        Ok(status)
    }

    async fn report_differing(
        &self,
        proc: &mut Proc,
        sides: &[Side; 2],
        differ: bool,
        binary: bool,
    ) -> Result<i32, Stop> {
        if differ {
            let [left, right] = self.shown_names(sides);
            let kind = if binary { "Binary files " } else { "Files " };
            proc.write(&message!(kind, left, " and ", right, " differ\n"))
                .await?;
        }
        Ok(i32::from(differ))
    }

    /// What comes before the first difference: the command in a comparison of directories, and both names where the format has them.
    fn header(&self, proc: &Proc, sides: &[Side; 2], nested: bool) -> Vec<u8> {
        let options = &self.options;
        let names = self.shown_names(sides).map(|name| header_name(&name));
        let mut out = Vec::new();
        if nested {
            out.extend(message!(
                "diff",
                options.switches,
                " ",
                names[0],
                " ",
                names[1],
                "\n"
            ));
        }
        if !has_names(options.style) {
            return out;
        }
        let marks = if options.style == Style::Unified {
            ["---", "+++"]
        } else {
            ["***", "---"]
        };
        for (index, (mark, side)) in marks.iter().zip(sides).enumerate() {
            start_ink(options, Ink::Header, &mut out);
            out.extend(message!(mark, " "));
            match options.labels.get(index) {
                Some(label) => out.extend_from_slice(label),
                None => out.extend(message!(header_name(&side.name), "\t", date(proc, side))),
            }
            if options.color {
                out.extend(message!("\x1b[", options.palette.reset, "m"));
            }
            out.push(b'\n');
        }
        out
    }
}

/// The time of a file as headers have it.
fn date(proc: &Proc, side: &Side) -> Vec<u8> {
    let time = side.metadata().map_or(Timestamp::default(), |found| found.mtime);
    Moment::new(time.seconds, time.nanos, &dates::zone(proc))
        .and_then(|moment| strftime(b"%Y-%m-%d %H:%M:%S.%N %z", &moment, Dialect::Gnulib, 200))
        .unwrap_or_else(|| format!("{}.{:09}", time.seconds, time.nanos).into_bytes())
}

fn print(printer: &mut Printer<'_>, script: Vec<analyze::Change>) {
    match printer.options().style {
        Style::Normal => printer.print_normal(&script),
        Style::Context => printer.print_context(script, false),
        Style::Unified => printer.print_context(script, true),
        Style::Ed => printer.print_ed(&script),
        Style::ForwardEd => printer.print_forward_ed(&script),
        Style::Rcs => printer.print_rcs(&script),
        Style::SideBySide => printer.print_side_by_side(&script),
        Style::Formats => printer.print_formats(&script),
    }
}
