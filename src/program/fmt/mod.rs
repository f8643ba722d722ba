//! `fmt`: fills paragraphs so that lines are about as long as wanted.
//!
//! [`paragraph`] reads the words of a paragraph and finds out what belongs to it; [`breaks`] chooses where its lines end. Columns are bytes, as in GNU fmt.

mod breaks;
mod paragraph;

use self::paragraph::Formatter;
use super::numbers;
use super::usage;
use crate::args::{COREUTILS, Opt, Parsed, Spec, UsageError};
use crate::kernel::{Input, Proc, Program, Stop};

/// The program.
pub const PROGRAM: Program = Program {
    name: "fmt",
    run: |proc| Box::pin(run(proc)),
};

#[derive(Clone, Copy, PartialEq)]
enum Flag {
    Crown,
    Prefix,
    Split,
    Tagged,
    Uniform,
    Width,
    Goal,
    Digit(u8),
}

static SPEC: Spec<Flag> = Spec::new(
    "fmt",
    COREUTILS,
    &["[-WIDTH] [OPTION]... [FILE]..."],
    "Reformat each paragraph in the FILE(s), writing to standard output.\n\
     The option -WIDTH is an abbreviated form of --width=DIGITS.\n\n\
     With no FILE, or when FILE is -, read standard input.",
    &[
        Opt::flag(
            Flag::Crown,
            'c',
            "crown-margin",
            "preserve indentation of first two lines",
        ),
        Opt::required(
            Flag::Prefix,
            'p',
            "prefix",
            "STRING",
            "reformat only lines beginning with STRING,\nreattaching the prefix to reformatted lines",
        ),
        Opt::flag(
            Flag::Split,
            's',
            "split-only",
            "split long lines, but do not refill",
        ),
        Opt::flag(
            Flag::Tagged,
            't',
            "tagged-paragraph",
            "indentation of first line different from second",
        ),
        Opt::flag(
            Flag::Uniform,
            'u',
            "uniform-spacing",
            "one space between words, two after sentences",
        ),
        Opt::required(
            Flag::Width,
            'w',
            "width",
            "WIDTH",
            "maximum line width (default of 75 columns)",
        ),
        Opt::required(
            Flag::Goal,
            'g',
            "goal",
            "WIDTH",
            "goal width (default of 93% of width)",
        ),
        digit('0'),
        digit('1'),
        digit('2'),
        digit('3'),
        digit('4'),
        digit('5'),
        digit('6'),
        digit('7'),
        digit('8'),
        digit('9'),
    ],
);

const fn digit(letter: char) -> Opt<Flag> {
    Opt::short(Flag::Digit(letter as u8), letter, "")
}

/// How the second line of a paragraph may be indented.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Indent {
    /// As the first line.
    Same,
    /// `-c`: as it is.
    Crown,
    /// `-t`: otherwise than the first.
    Tagged,
    /// `-s`: every line is a paragraph.
    Split,
}

/// What the options say.
#[derive(Debug)]
struct Plan {
    indent: Indent,
    uniform: bool,
    /// Blanks in front of the prefix.
    lead: usize,
    prefix: Vec<u8>,
    /// The prefix with the blanks at its end.
    full_prefix: usize,
    max_width: usize,
    goal_width: usize,
}

/// Lines are at most half as long as what is kept of a paragraph.
const MOST_WIDTH: u64 = 2500;

/// `-WIDTH` in front is `-w WIDTH`.
fn modernized(arguments: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let mut arguments = arguments.to_vec();
    if let Some(first) = arguments.first_mut()
        && let [b'-', digits @ ..] = first.as_slice()
        && digits.first().is_some_and(u8::is_ascii_digit)
    {
        *first = [b"-w", digits].concat();
    }
    arguments
}

fn plan(parsed: &Parsed<Flag>) -> Result<Plan, UsageError> {
    let mut prefix: &[u8] = b"";
    let (mut width, mut goal) = (None, None);
    for (flag, value) in &parsed.options {
        let value = value.as_deref().unwrap_or_default();
        match flag {
            Flag::Prefix => prefix = value,
            Flag::Width => width = Some(value),
            Flag::Goal => goal = Some(value),
            Flag::Digit(letter) => {
                let letter = char::from(*letter);
                return Err(SPEC.complain(format!(
                    "invalid option -- {letter}; -WIDTH is recognized only when it is the first\noption; use -w N instead"
                )));
            }
            _ => {}
        }
    }
    let number = |text: &[u8], most: u64| numbers::unsigned(text, "", (0, most), "invalid width");
    let mut max_width = match width {
        Some(text) => number(text, MOST_WIDTH)?,
        None => 75,
    };
    let goal_width = match goal {
        Some(text) => {
            let goal = number(text, max_width)?;
            if width.is_none() {
                max_width = goal + 10;
            }
            goal
        }
        // 93.5 of a hundred.
        None => max_width * 187 / 200,
    };
    let lead = prefix.iter().take_while(|byte| **byte == b' ').count();
    let full = prefix.get(lead..).unwrap_or_default();
    let blanks = full.iter().rev().take_while(|byte| **byte == b' ').count();
    Ok(Plan {
        indent: match () {
            () if parsed.has(Flag::Split) => Indent::Split,
            () if parsed.has(Flag::Crown) => Indent::Crown,
            () if parsed.has(Flag::Tagged) => Indent::Tagged,
            () => Indent::Same,
        },
        uniform: parsed.has(Flag::Uniform),
        lead,
        prefix: full.get(..full.len() - blanks).unwrap_or_default().to_vec(),
        full_prefix: full.len(),
        max_width: max_width as usize,
        goal_width: goal_width as usize,
    })
}

async fn run(proc: &mut Proc) -> Result<i32, Stop> {
    let parsed = SPEC.parse(&modernized(proc.arguments()));
    let parsed: Parsed<Flag> = usage::accept(proc, parsed).await?;
    let plan = usage::accept(proc, plan(&parsed)).await?;
    let mut status = 0;
    for path in usage::operands_or_stdin(parsed.operands) {
        let input = match proc.open_operand(&path).await {
            Ok(file) => Input::new(file),
            Err(errno) => {
                usage::warn_about(proc, "cannot open", &path, &format!(" for reading: {errno}")).await?;
                status = 1;
                continue;
            }
        };
        let done = Formatter::new(proc, input, &plan).run().await;
        if usage::settle(done)?.is_err() {
            proc.warn("read error").await?;
            status = 1;
        }
    }
    Ok(status)
}
