//! `cut`: selected bytes or fields of each line.
//!
//! `-c` counts bytes, as GNU cut does. With `-d` of a newline the fields are the lines of the whole file.

use super::lines;
use super::ranges::{self, Counted, Range};
use super::usage::{self, Failure};
use crate::args::{COREUTILS, Opt, Parsed, Spec, UsageError};
use crate::kernel::{Input, Proc, Program, Stop};

/// The program.
pub const PROGRAM: Program = Program {
    name: "cut",
    run: |proc| Box::pin(run(proc)),
};

#[derive(Clone, Copy, PartialEq)]
enum Flag {
    Bytes,
    Characters,
    Delimiter,
    Fields,
    Unsplit,
    Complement,
    OnlyDelimited,
    OutputDelimiter,
    Zero,
}

static SPEC: Spec<Flag> = Spec::new(
    "cut",
    COREUTILS,
    &["OPTION... [FILE]..."],
    "Print selected parts of lines from each FILE to standard output.\n\n\
     With no FILE, or when FILE is -, read standard input.",
    &[
        Opt::required(Flag::Bytes, 'b', "bytes", "LIST", "select only these bytes"),
        Opt::required(Flag::Characters, 'c', "characters", "LIST", "select only these characters"),
        Opt::required(Flag::Delimiter, 'd', "delimiter", "DELIM", "use DELIM instead of TAB for field delimiter"),
        Opt::required(
            Flag::Fields,
            'f',
            "fields",
            "LIST",
            "select only these fields;  also print any line\nthat contains no delimiter character, unless\nthe -s option is specified",
        ),
        Opt::short(Flag::Unsplit, 'n', "(ignored)"),
        Opt::long(Flag::Complement, "complement", "complement the set of selected bytes, characters\nor fields"),
        Opt::flag(Flag::OnlyDelimited, 's', "only-delimited", "do not print lines not containing delimiters"),
        Opt::long(
            Flag::OutputDelimiter,
            "output-delimiter",
            "use STRING as the output delimiter\nthe default is to use the input delimiter",
        )
        .takes("STRING"),
        Opt::flag(Flag::Zero, 'z', "zero-terminated", "line delimiter is NUL, not newline"),
    ],
)
.notes(
    "Use one, and only one of -b, -c or -f.  Each LIST is made up of one\n\
     range, or many ranges separated by commas.  Selected input is written\n\
     in the same order that it is read, and is written exactly once.\n\
     Each range is one of:\n\n\
     \x20 N     N'th byte, character or field, counted from 1\n\
     \x20 N-    from N'th byte, character or field, to end of line\n\
     \x20 N-M   from N'th to M'th (included) byte, character or field\n\
     \x20 -M    from first to M'th (included) byte, character or field",
);

#[derive(Debug)]
struct Plan {
    fields: bool,
    ranges: Vec<Range>,
    delimiter: u8,
    output_delimiter: Option<Vec<u8>>,
    only_delimited: bool,
    line_end: u8,
}

impl Plan {
    fn from_options(parsed: &Parsed<Flag>) -> Result<Plan, UsageError> {
        let mut list: Option<(Flag, &[u8])> = None;
        let mut delimiter = None;
        for (flag, value) in &parsed.options {
            let value = value.as_deref().unwrap_or_default();
            match flag {
                Flag::Bytes | Flag::Characters | Flag::Fields => {
                    if list.is_some() {
                        return Err(SPEC.complain("only one list may be specified"));
                    }
                    list = Some((*flag, value));
                }
                Flag::Delimiter => {
                    if value.len() > 1 {
                        return Err(SPEC.complain("the delimiter must be a single character"));
                    }
                    // An empty one means NUL.
                    delimiter = Some(value.first().copied().unwrap_or(0));
                }
                _ => {}
            }
        }
        let Some((kind, list)) = list else {
            return Err(SPEC.complain("you must specify a list of bytes, characters, or fields"));
        };
        let fields = kind == Flag::Fields;
        if !fields && delimiter.is_some() {
            return Err(SPEC.complain("an input delimiter may be specified only when operating on fields"));
        }
        if !fields && parsed.has(Flag::OnlyDelimited) {
            let text = "suppressing non-delimited lines makes sense\n\tonly when operating on fields";
            return Err(SPEC.complain(text));
        }
        let counted = if fields {
            Counted::Fields
        } else {
            Counted::Positions
        };
        let mut ranges = ranges::parse(list, counted, false).map_err(|text| SPEC.complain(text))?;
        if parsed.has(Flag::Complement) {
            ranges = ranges::complement(&ranges);
        }
        let output = parsed.last(Flag::OutputDelimiter).map(|text| {
            // As with -d, an empty string is a NUL.
            if text.is_empty() { vec![0] } else { text.to_vec() }
        });
        Ok(Plan {
            fields,
            ranges,
            delimiter: delimiter.unwrap_or(b'\t'),
            output_delimiter: output,
            only_delimited: parsed.has(Flag::OnlyDelimited),
            line_end: if parsed.has(Flag::Zero) { 0 } else { b'\n' },
        })
    }

    fn output(&self) -> &[u8] {
        self.output_delimiter
            .as_deref()
            .unwrap_or(std::slice::from_ref(&self.delimiter))
    }
}

async fn run(proc: &mut Proc) -> Result<i32, Stop> {
    let parsed = usage::parse(proc, &SPEC).await?;
    let plan = usage::accept(proc, Plan::from_options(&parsed)).await?;
    let mut status = 0;
    for path in usage::operands_or_stdin(parsed.operands) {
        let Some(mut input) = usage::open_input(proc, &path).await? else {
            status = 1;
            continue;
        };
        let done = if plan.fields && plan.delimiter == plan.line_end {
            select_lines(proc, &mut input, &plan).await
        } else {
            select(proc, &mut input, &plan).await
        };
        if let Err(errno) = usage::settle(done)? {
            usage::warn_file(proc, &path, errno).await?;
            status = 1;
        }
    }
    Ok(status)
}

async fn select(proc: &mut Proc, input: &mut Input, plan: &Plan) -> Result<(), Failure> {
    loop {
        let block = lines::whole_lines(input, plan.line_end).await?;
        if block.is_empty() {
            return Ok(());
        }
        for line in lines::split(block, plan.line_end) {
            let text = lines::text(line, plan.line_end);
            if plan.fields {
                push_fields(proc.out(), text, plan);
            } else {
                push_bytes(proc.out(), text, plan);
                proc.out().push(plan.line_end);
            }
            proc.flush_if_full().await?;
        }
    }
}

fn push_bytes(out: &mut Vec<u8>, text: &[u8], plan: &Plan) {
    let mut first = true;
    for range in &plan.ranges {
        let start = usize::try_from(range.first - 1).unwrap_or(usize::MAX);
        let end = usize::try_from(range.last).unwrap_or(usize::MAX).min(text.len());
        let Some(part) = text.get(start..end).filter(|part| !part.is_empty()) else {
            break;
        };
        if let (false, Some(delimiter)) = (first, &plan.output_delimiter) {
            out.extend_from_slice(delimiter);
        }
        out.extend_from_slice(part);
        first = false;
    }
}

/// The selected fields of a line and its end; nothing where `-s` leaves the line out.
fn push_fields(out: &mut Vec<u8>, text: &[u8], plan: &Plan) {
    let mut ends = memchr::memchr_iter(plan.delimiter, text).peekable();
    if ends.peek().is_none() {
        if !plan.only_delimited {
            out.extend_from_slice(text);
            out.push(plan.line_end);
        }
        return;
    }
    let mut first = true;
    // The number of the field that starts at `start`; `None` behind the last.
    let (mut number, mut start) = (1, Some(0));
    for range in &plan.ranges {
        while number < range.first && start.is_some() {
            start = ends.next().map(|end| end + 1);
            number += 1;
        }
        // To the end of the line without change: one copy.
        if let (u64::MAX, None, Some(from)) = (range.last, &plan.output_delimiter, start) {
            if !first {
                out.push(plan.delimiter);
            }
            out.extend_from_slice(text.get(from..).unwrap_or_default());
            break;
        }
        while number <= range.last
            && let Some(from) = start
        {
            if !first {
                out.extend_from_slice(plan.output());
            }
            first = false;
            let end = ends.next();
            out.extend_from_slice(text.get(from..end.unwrap_or(text.len())).unwrap_or_default());
            start = end.map(|end| end + 1);
            number += 1;
        }
    }
    out.push(plan.line_end);
}

/// Fields that are lines.
async fn select_lines(proc: &mut Proc, input: &mut Input, plan: &Plan) -> Result<(), Failure> {
    let mut number = 0;
    let mut selected = false;
    let mut ranges = plan.ranges.iter().peekable();
    loop {
        let block = lines::whole_lines(input, plan.line_end).await?;
        if block.is_empty() {
            break;
        }
        for line in lines::split(block, plan.line_end) {
            number += 1;
            if number == 1 && line.last() != Some(&plan.line_end) {
                // There is no delimiter at all.
                if !plan.only_delimited {
                    proc.write(&[line, &[plan.line_end]].concat()).await?;
                }
                return Ok(());
            }
            while ranges.next_if(|range| range.last < number).is_some() {}
            if ranges.peek().is_some_and(|range| range.first <= number) {
                if selected {
                    proc.write(plan.output()).await?;
                }
                selected = true;
                proc.write(lines::text(line, plan.line_end)).await?;
            }
        }
    }
    if selected || number > 1 || (number == 1 && !plan.only_delimited) {
        proc.write(&[plan.line_end]).await?;
    }
    Ok(())
}
