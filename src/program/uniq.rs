//! `uniq`: reports or leaves out lines that repeat the line before.
//!
//! Lines compare as bytes; `-i` folds ASCII letters only, as GNU uniq does. The obsolete `-N` (fields) and `+N` (bytes) are
//! accepted. An output file becomes standard output.

use super::usage::{self, Failure};
use crate::args::{COREUTILS, CountError, Opt, Parsed, Spec, UsageError, parse_count, quoteaf};
use crate::fs::{Errno, OpenFlags};
use crate::kernel::{Input, Proc, Program, Stop};

/// The program.
pub const PROGRAM: Program = Program {
    name: "uniq",
    run: |proc| Box::pin(run(proc)),
};

#[derive(Clone, Copy, PartialEq)]
enum Flag {
    Count,
    Repeated,
    AllRepeated,
    SkipFields,
    Group,
    IgnoreCase,
    SkipBytes,
    Unique,
    Zero,
    CheckBytes,
    Digit,
}

static SPEC: Spec<Flag> = Spec::new(
    "uniq",
    COREUTILS,
    &["[OPTION]... [INPUT [OUTPUT]]"],
    "Filter adjacent matching lines from INPUT (or standard input),\n\
     writing to OUTPUT (or standard output).\n\n\
     With no options, matching lines are merged to the first occurrence.\n",
    &[
        Opt::flag(Flag::Count, 'c', "count", "prefix lines by the number of occurrences"),
        Opt::flag(Flag::Repeated, 'd', "repeated", "only print duplicate lines, one for each group"),
        Opt::short(Flag::AllRepeated, 'D', "print all duplicate lines"),
        Opt::long(
            Flag::AllRepeated,
            "all-repeated",
            "like -D, but allow separating groups\nwith an empty line;\nMETHOD={none(default),prepend,separate}",
        )
        .may_take("METHOD"),
        Opt::required(Flag::SkipFields, 'f', "skip-fields", "N", "avoid comparing the first N fields"),
        Opt::long(
            Flag::Group,
            "group",
            "show all items, separating groups with an empty line;\nMETHOD={separate(default),prepend,append,both}",
        )
        .may_take("METHOD"),
        Opt::flag(Flag::IgnoreCase, 'i', "ignore-case", "ignore differences in case when comparing"),
        Opt::required(Flag::SkipBytes, 's', "skip-chars", "N", "avoid comparing the first N characters"),
        Opt::flag(Flag::Unique, 'u', "unique", "only print unique lines"),
        Opt::flag(Flag::Zero, 'z', "zero-terminated", "line delimiter is NUL, not newline"),
        Opt::required(Flag::CheckBytes, 'w', "check-chars", "N", "compare no more than N characters in lines"),
        Opt::digits(Flag::Digit, ""),
    ],
)
.notes(
    "A field is a run of blanks (usually spaces and/or TABs), then non-blank\n\
     characters.  Fields are skipped before chars.",
);

/// Where an empty line goes around groups of repeated lines.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Around {
    None,
    Prepend,
    Append,
    Separate,
    Both,
}

const ALL_REPEATED: &[(&str, Around)] = &[
    ("none", Around::None),
    ("prepend", Around::Prepend),
    ("separate", Around::Separate),
];
const GROUP: &[(&str, Around)] = &[
    ("prepend", Around::Prepend),
    ("append", Around::Append),
    ("separate", Around::Separate),
    ("both", Around::Both),
];

#[derive(Debug)]
struct Plan {
    count: bool,
    /// Lines that are not repeated are printed.
    unique: bool,
    /// Repeated lines are printed once.
    first_repeated: bool,
    /// Repeated lines are printed every time.
    later_repeated: bool,
    all_repeated: Around,
    group: Option<Around>,
    ignore_case: bool,
    skip_fields: u64,
    skip_bytes: u64,
    check_bytes: u64,
    delimiter: u8,
    files: Vec<Vec<u8>>,
}

impl Plan {
    fn from_arguments(arguments: &[Vec<u8>]) -> Result<Plan, UsageError> {
        let mut plan = Plan {
            count: false,
            unique: true,
            first_repeated: true,
            later_repeated: false,
            all_repeated: Around::None,
            group: None,
            ignore_case: false,
            skip_fields: 0,
            skip_bytes: 0,
            check_bytes: u64::MAX,
            delimiter: b'\n',
            files: Vec::new(),
        };
        let Parsed { options, operands } = SPEC.parse(arguments)?;
        plan.operands(operands)?;
        let mut obsolete = false;
        let mut chooses_lines = false;
        for (flag, value) in &options {
            plan.set(*flag, value.as_deref(), &mut obsolete)?;
            chooses_lines |= matches!(
                flag,
                Flag::Count | Flag::Repeated | Flag::AllRepeated | Flag::Unique
            );
        }
        if plan.group.is_some() && chooses_lines {
            return Err(SPEC.complain("--group is mutually exclusive with -c/-d/-D/-u"));
        }
        if plan.count && plan.later_repeated {
            return Err(SPEC.complain("printing all duplicated lines and repeat counts is meaningless"));
        }
        Ok(plan)
    }

    fn operands(&mut self, operands: Vec<Vec<u8>>) -> Result<(), UsageError> {
        for operand in operands {
            // The obsolete `+N`; a name such as `+x` is a file.
            let bytes = operand.starts_with(b"+").then(|| parse_count(&operand, ""));
            if let Some(Ok(bytes)) = bytes {
                self.skip_bytes = bytes;
            } else if self.files.len() == 2 {
                return Err(SPEC.extra_operand(&operand));
            } else {
                self.files.push(operand);
            }
        }
        Ok(())
    }

    fn set(&mut self, flag: Flag, value: Option<&[u8]>, obsolete: &mut bool) -> Result<(), UsageError> {
        let number = value.unwrap_or_default();
        match flag {
            Flag::Count => self.count = true,
            Flag::Repeated => self.unique = false,
            Flag::AllRepeated => {
                self.unique = false;
                self.later_repeated = true;
                self.all_repeated = match value {
                    None => Around::None,
                    Some(word) => SPEC.choose("--all-repeated", word, ALL_REPEATED)?,
                };
            }
            Flag::SkipFields => {
                *obsolete = false;
                self.skip_fields = size(number, "invalid number of fields to skip")?;
            }
            Flag::Group => {
                self.group = Some(match value {
                    None => Around::Separate,
                    Some(word) => SPEC.choose("--group", word, GROUP)?,
                });
            }
            Flag::IgnoreCase => self.ignore_case = true,
            Flag::SkipBytes => self.skip_bytes = size(number, "invalid number of bytes to skip")?,
            Flag::Unique => self.first_repeated = false,
            Flag::Zero => self.delimiter = 0,
            Flag::CheckBytes => self.check_bytes = size(number, "invalid number of bytes to compare")?,
            Flag::Digit => {
                let before = if *obsolete { self.skip_fields } else { 0 };
                let digit = number
                    .first()
                    .map_or(0, |byte| u64::from(byte.wrapping_sub(b'0')));
                self.skip_fields = before.saturating_mul(10).saturating_add(digit);
                *obsolete = true;
            }
        }
        Ok(())
    }

    /// The part of a line that is compared.
    fn key<'a>(&self, line: &'a [u8]) -> &'a [u8] {
        let mut rest = line;
        let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\n');
        for _ in 0..self.skip_fields {
            if rest.is_empty() {
                break;
            }
            let start = rest.iter().position(|byte| !is_blank(byte)).unwrap_or(rest.len());
            let word = rest.get(start..).unwrap_or_default();
            let end = word.iter().position(is_blank).unwrap_or(word.len());
            rest = word.get(end..).unwrap_or_default();
        }
        let start = usize::try_from(self.skip_bytes)
            .unwrap_or(usize::MAX)
            .min(rest.len());
        let rest = rest.get(start..).unwrap_or_default();
        let end = usize::try_from(self.check_bytes)
            .unwrap_or(usize::MAX)
            .min(rest.len());
        rest.get(..end).unwrap_or_default()
    }

    fn same(&self, left: &[u8], right: &[u8]) -> bool {
        let (left, right) = (self.key(left), self.key(right));
        if self.ignore_case {
            left.eq_ignore_ascii_case(right)
        } else {
            left == right
        }
    }
}

fn size(text: &[u8], sentence: &str) -> Result<u64, UsageError> {
    match parse_count(text, "") {
        Ok(size) => Ok(size),
        Err(CountError::Overflow) => Ok(u64::MAX),
        Err(CountError::Invalid) => Err(UsageError::plain(1, [text, b": ", sentence.as_bytes()].concat())),
    }
}

async fn run(proc: &mut Proc) -> Result<i32, Stop> {
    let plan = Plan::from_arguments(proc.arguments());
    let plan = usage::accept(proc, plan).await?;
    let source = plan.files.first().map_or(b"-".as_slice(), Vec::as_slice);
    let Some(mut input) = usage::open_input(proc, source).await? else {
        return Ok(1);
    };
    if let Some(target) = plan.files.get(1).filter(|target| *target != b"-") {
        let opened = match proc.open(target, OpenFlags::CREATE).await {
            Ok(file) => proc.fds.set(1, file, proc.open_files).map(drop),
            Err(errno) => Err(errno),
        };
        if let Err(errno) = opened {
            usage::warn_file(proc, target, errno).await?;
            return Ok(1);
        }
    }
    let done = if plan.unique && plan.first_repeated && !plan.count {
        show_groups(proc, &mut input, &plan).await
    } else {
        show_chosen(proc, &mut input, &plan).await
    };
    match usage::settle(done)? {
        Ok(()) => Ok(0),
        Err(errno) => read_failed(proc, source, errno).await,
    }
}

/// GNU uniq says no more than this.
async fn read_failed(proc: &mut Proc, source: &[u8], _: Errno) -> Result<i32, Stop> {
    let message = [b"error reading ", quoteaf(source).as_slice()].concat();
    Err(usage::fail(proc, 1, message).await)
}

fn push_line(out: &mut Vec<u8>, line: &[u8], delimiter: u8) {
    out.extend_from_slice(line);
    out.push(delimiter);
}

/// One line of each group, or with `--group` all lines with empty lines around groups.
async fn show_groups(proc: &mut Proc, input: &mut Input, plan: &Plan) -> Result<(), Failure> {
    let mut previous: Option<Vec<u8>> = None;
    let before_first = matches!(plan.group, Some(Around::Prepend | Around::Both));
    let between = matches!(plan.group, Some(Around::Append | Around::Separate));
    loop {
        let block = super::lines::whole_lines(input, plan.delimiter).await?;
        if block.is_empty() {
            break;
        }
        for line in super::lines::split(block, plan.delimiter) {
            let line = super::lines::text(line, plan.delimiter);
            let fresh = previous
                .as_ref()
                .is_none_or(|previous| !plan.same(previous, line));
            if fresh && (before_first || (between && previous.is_some())) {
                proc.out().push(plan.delimiter);
            }
            if fresh || plan.group.is_some() {
                push_line(proc.out(), line, plan.delimiter);
                let kept = previous.get_or_insert_default();
                kept.clear();
                kept.extend_from_slice(line);
                proc.flush_if_full().await?;
            }
        }
    }
    if matches!(plan.group, Some(Around::Append | Around::Both)) && previous.is_some() {
        proc.out().push(plan.delimiter);
    }
    Ok(())
}

/// Where in its group a line stands that is about to be printed.
struct Place {
    /// How many lines before it were equal.
    repeats: u64,
    /// The line behind it is equal too.
    goes_on: bool,
}

fn show_line(out: &mut Vec<u8>, line: &[u8], place: &Place, plan: &Plan) {
    let shown = match place {
        Place { repeats: 0, .. } => plan.unique,
        Place { goes_on: false, .. } => plan.first_repeated,
        Place { goes_on: true, .. } => plan.later_repeated,
    };
    if !shown {
        return;
    }
    if plan.count {
        out.extend_from_slice(format!("{:7} ", place.repeats + 1).as_bytes());
    }
    push_line(out, line, plan.delimiter);
}

/// Counted, repeated, or not repeated lines.
async fn show_chosen(proc: &mut Proc, input: &mut Input, plan: &Plan) -> Result<(), Failure> {
    let mut previous: Option<Vec<u8>> = None;
    let mut place = Place {
        repeats: 0,
        goes_on: false,
    };
    let mut first_group = true;
    loop {
        let block = super::lines::whole_lines(input, plan.delimiter).await?;
        if block.is_empty() {
            break;
        }
        for line in super::lines::split(block, plan.delimiter) {
            let line = super::lines::text(line, plan.delimiter);
            let Some(kept) = &mut previous else {
                previous = Some(line.to_vec());
                continue;
            };
            place.goes_on = plan.same(kept, line);
            if !place.goes_on {
                first_group &= place.repeats == 0;
            } else if place.repeats == 0
                && (plan.all_repeated == Around::Prepend
                    || (plan.all_repeated == Around::Separate && !first_group))
            {
                proc.out().push(plan.delimiter);
            }
            place.repeats += u64::from(place.goes_on);
            if !place.goes_on || plan.later_repeated {
                show_line(proc.out(), kept, &place, plan);
                kept.clear();
                kept.extend_from_slice(line);
                proc.flush_if_full().await?;
            }
            if !place.goes_on {
                place.repeats = 0;
            }
        }
    }
    if let Some(last) = previous {
        place.goes_on = false;
        show_line(proc.out(), &last, &place, plan);
    }
    Ok(())
}
