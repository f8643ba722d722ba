//! `comm`: compares two sorted files line by line.

use super::lines;
use super::usage::{self, Failure};
use crate::args::{COREUTILS, Opt, Parsed, Spec, UsageError};
use crate::kernel::{Input, Proc, Program, Stop};
use std::cmp::Ordering;

/// The program.
pub const PROGRAM: Program = Program {
    name: "comm",
    run: |proc| Box::pin(run(proc)),
};

#[derive(Clone, Copy, PartialEq)]
enum Flag {
    NoFirst,
    NoSecond,
    NoBoth,
    CheckOrder,
    NoCheckOrder,
    OutputDelimiter,
    Total,
    Zero,
}

static SPEC: Spec<Flag> = Spec::new(
    "comm",
    COREUTILS,
    &["[OPTION]... FILE1 FILE2"],
    "Compare sorted files FILE1 and FILE2 line by line.\n\n\
     When FILE1 or FILE2 (not both) is -, read standard input.\n\n\
     With no options, produce three-column output.  Column one contains\n\
     lines unique to FILE1, column two contains lines unique to FILE2,\n\
     and column three contains lines common to both files.\n",
    &[
        Opt::short(Flag::NoFirst, '1', "suppress column 1 (lines unique to FILE1)"),
        Opt::short(Flag::NoSecond, '2', "suppress column 2 (lines unique to FILE2)"),
        Opt::short(
            Flag::NoBoth,
            '3',
            "suppress column 3 (lines that appear in both files)",
        ),
        Opt::long(
            Flag::CheckOrder,
            "check-order",
            "check that the input is correctly sorted, even\nif all input lines are pairable",
        ),
        Opt::long(
            Flag::NoCheckOrder,
            "nocheck-order",
            "do not check that the input is correctly sorted",
        ),
        Opt::long(
            Flag::OutputDelimiter,
            "output-delimiter",
            "separate columns with STR",
        )
        .takes("STR"),
        Opt::long(Flag::Total, "total", "output a summary"),
        Opt::flag(
            Flag::Zero,
            'z',
            "zero-terminated",
            "line delimiter is NUL, not newline",
        ),
    ],
);

#[derive(Debug)]
struct Plan {
    first: bool,
    second: bool,
    both: bool,
    /// `None`: only when lines were not paired.
    check: Option<bool>,
    separator: Vec<u8>,
    total: bool,
    delimiter: u8,
}

impl Plan {
    fn from_options(parsed: &Parsed<Flag>) -> Result<Plan, UsageError> {
        let mut separator: Option<&[u8]> = None;
        for (flag, value) in &parsed.options {
            if let (Flag::OutputDelimiter, Some(text)) = (flag, value) {
                if separator.is_some_and(|before| before != text.as_slice()) {
                    return Err(UsageError::plain(1, "multiple output delimiters specified"));
                }
                separator = Some(text);
            }
        }
        let separator = match separator {
            None => b"\t".to_vec(),
            Some([]) => vec![0],
            Some(text) => text.to_vec(),
        };
        let check = parsed.last_of(&[Flag::CheckOrder, Flag::NoCheckOrder]);
        SPEC.check_operands(parsed, 2, 2)?;
        Ok(Plan {
            first: !parsed.has(Flag::NoFirst),
            second: !parsed.has(Flag::NoSecond),
            both: !parsed.has(Flag::NoBoth),
            check: check.map(|flag| flag == Flag::CheckOrder),
            separator,
            total: parsed.has(Flag::Total),
            delimiter: if parsed.has(Flag::Zero) { 0 } else { b'\n' },
        })
    }

    /// Puts a line into its column.
    fn push(&self, out: &mut Vec<u8>, line: &[u8], order: Ordering) {
        let (shown, indent) = match order {
            Ordering::Less => (self.first, 0),
            Ordering::Greater => (self.second, usize::from(self.first)),
            Ordering::Equal => (self.both, usize::from(self.first) + usize::from(self.second)),
        };
        if shown {
            for _ in 0..indent {
                out.extend_from_slice(&self.separator);
            }
            out.extend_from_slice(line);
            out.push(self.delimiter);
        }
    }
}

/// One of the two files.
struct Side {
    path: Vec<u8>,
    number: u8,
    input: Input,
    /// The line that is compared now; `None` at the end.
    line: Option<Vec<u8>>,
    /// The two lines before it, the last first.
    before: [Option<Vec<u8>>; 2],
    disorder: bool,
}

impl Side {
    async fn open(proc: &mut Proc, path: &[u8], number: u8) -> Result<Side, Stop> {
        let Some(input) = usage::open_input(proc, path).await? else {
            return Err(Stop::Exit(1));
        };
        Ok(Side {
            path: path.to_vec(),
            number,
            input,
            line: None,
            before: [None, None],
            disorder: false,
        })
    }

    async fn read(&mut self, proc: &mut Proc, plan: &Plan) -> Result<(), Stop> {
        let read = self.input.line(plan.delimiter).await;
        let line = match usage::settle(read.map_err(Failure::from))? {
            Ok(line) => line.map(|line| lines::text(line, plan.delimiter).to_vec()),
            Err(errno) => {
                usage::warn_file(proc, &self.path, errno).await?;
                return Err(Stop::Exit(1));
            }
        };
        let [last, _] = std::mem::take(&mut self.before);
        self.before = [self.line.take(), last];
        self.line = line;
        Ok(())
    }

    /// The next line, whose order is checked.
    async fn advance(&mut self, proc: &mut Proc, plan: &Plan, unpaired: bool) -> Result<(), Stop> {
        self.read(proc, plan).await?;
        if self.disorder || !plan.check.unwrap_or(unpaired) {
            return Ok(());
        }
        // At the end the last two lines are looked at again: it may have turned out only now that they must be sorted.
        let pair = match (&self.line, &self.before) {
            (Some(line), [Some(before), _]) => Some((before, line)),
            (None, [Some(line), Some(before)]) => Some((before, line)),
            _ => None,
        };
        if pair.is_some_and(|(before, line)| before > line) {
            let message = format!("file {} is not in sorted order", self.number);
            proc.warn(message).await?;
            if plan.check == Some(true) {
                return Err(Stop::Exit(1));
            }
            self.disorder = true;
        }
        Ok(())
    }
}

async fn run(proc: &mut Proc) -> Result<i32, Stop> {
    let parsed = usage::parse(proc, &SPEC).await?;
    let plan = usage::accept(proc, Plan::from_options(&parsed)).await?;
    let [first, second] = parsed.operands.as_slice() else {
        return Ok(1);
    };
    let mut left = Side::open(proc, first, 1).await?;
    left.read(proc, &plan).await?;
    let mut right = Side::open(proc, second, 2).await?;
    right.read(proc, &plan).await?;
    let totals = compare(proc, &plan, &mut left, &mut right).await?;
    if plan.total {
        let separator = if plan.separator == [0] {
            b""
        } else {
            plan.separator.as_slice()
        };
        for total in totals {
            proc.out().extend_from_slice(total.to_string().as_bytes());
            proc.out().extend_from_slice(separator);
        }
        proc.out().extend_from_slice(b"total");
        proc.out().push(plan.delimiter);
    }
    if left.disorder || right.disorder {
        return Err(usage::fail(proc, 1, "input is not in sorted order").await);
    }
    Ok(0)
}

async fn compare(proc: &mut Proc, plan: &Plan, left: &mut Side, right: &mut Side) -> Result<[u64; 3], Stop> {
    let mut totals = [0; 3];
    let mut unpaired = false;
    loop {
        let (order, line) = match (&left.line, &right.line) {
            (None, None) => return Ok(totals),
            (None, Some(line)) => (Ordering::Greater, line),
            (Some(line), None) => (Ordering::Less, line),
            (Some(line), Some(other)) => match line.cmp(other) {
                Ordering::Greater => (Ordering::Greater, other),
                order => (order, line),
            },
        };
        plan.push(proc.out(), line, order);
        proc.flush_if_full().await?;
        let [first, second, both] = &mut totals;
        *match order {
            Ordering::Less => first,
            Ordering::Greater => second,
            Ordering::Equal => both,
        } += 1;
        unpaired |= order.is_ne();
        if order.is_le() {
            left.advance(proc, plan, unpaired).await?;
        }
        if order.is_ge() {
            right.advance(proc, plan, unpaired).await?;
        }
    }
}
