//! `nl`: numbers lines, each logical page with its own header, body and footer.
//!
//! All files are one document: numbers and sections go on from one file to the next.

use super::usage::{self, Failure};
use super::{lines, numbers};
use crate::args::{COREUTILS, Opt, Parsed, Spec, UsageError, quote};
use crate::kernel::{Input, Proc, Program, Stop};
use crate::pattern::{Regex, RegexOptions, Syntax};

/// The program.
pub const PROGRAM: Program = Program {
    name: "nl",
    run: |proc| Box::pin(run(proc)),
};

#[derive(Clone, Copy, PartialEq)]
enum Flag {
    Body,
    Delimiter,
    Footer,
    Header,
    Increment,
    Join,
    Format,
    NoRenumber,
    Separator,
    Start,
    Width,
}

static SPEC: Spec<Flag> = Spec::new(
    "nl",
    COREUTILS,
    &["[OPTION]... [FILE]..."],
    "Write each FILE to standard output, with line numbers added.\n\n\
     With no FILE, or when FILE is -, read standard input.",
    &[
        Opt::required(
            Flag::Body,
            'b',
            "body-numbering",
            "STYLE",
            "use STYLE for numbering body lines",
        ),
        Opt::required(
            Flag::Delimiter,
            'd',
            "section-delimiter",
            "CC",
            "use CC for logical page delimiters",
        ),
        Opt::required(
            Flag::Footer,
            'f',
            "footer-numbering",
            "STYLE",
            "use STYLE for numbering footer lines",
        ),
        Opt::required(
            Flag::Header,
            'h',
            "header-numbering",
            "STYLE",
            "use STYLE for numbering header lines",
        ),
        Opt::required(
            Flag::Increment,
            'i',
            "line-increment",
            "NUMBER",
            "line number increment at each line",
        ),
        Opt::required(
            Flag::Join,
            'l',
            "join-blank-lines",
            "NUMBER",
            "group of NUMBER empty lines counted as one",
        ),
        Opt::required(
            Flag::Format,
            'n',
            "number-format",
            "FORMAT",
            "insert line numbers according to FORMAT",
        ),
        Opt::flag(
            Flag::NoRenumber,
            'p',
            "no-renumber",
            "do not reset line numbers for each section",
        ),
        Opt::required(
            Flag::Separator,
            's',
            "number-separator",
            "STRING",
            "add STRING after (possible) line number",
        ),
        Opt::required(
            Flag::Start,
            'v',
            "starting-line-number",
            "NUMBER",
            "first line number for each section",
        ),
        Opt::required(
            Flag::Width,
            'w',
            "number-width",
            "NUMBER",
            "use NUMBER columns for line numbers",
        ),
    ],
)
.notes(
    "Default options are: -bt -d'\\:' -fn -hn -i1 -l1 -n'rn' -s<TAB> -v1 -w6\n\n\
     CC are two delimiter characters used to construct logical page delimiters;\n\
     a missing second character implies ':'.  As a GNU extension one can specify\n\
     more than two characters, and also specifying the empty string (-d '')\n\
     disables section matching.\n\n\
     STYLE is one of:\n\n\
     \x20 a      number all lines\n\
     \x20 t      number only nonempty lines\n\
     \x20 n      number no lines\n\
     \x20 pBRE   number only lines that contain a match for the basic regular\n\
     \x20        expression, BRE\n\n\
     FORMAT is one of:\n\n\
     \x20 ln     left justified, no leading zeros\n\
     \x20 rn     right justified, no leading zeros\n\
     \x20 rz     right justified, leading zeros",
);

/// Which lines of a section are numbered.
#[derive(Debug, Clone)]
enum Style {
    All,
    Nonempty,
    None,
    Matching(Regex),
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Align {
    Left,
    Right,
    Zeros,
}

#[derive(Debug)]
struct Plan {
    body: Style,
    footer: Style,
    header: Style,
    delimiter: Vec<u8>,
    increment: i64,
    join: u64,
    align: Align,
    renumber: bool,
    separator: Vec<u8>,
    start: i64,
    width: usize,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Section {
    Header,
    Body,
    Footer,
}

#[derive(Debug)]
struct State {
    section: Section,
    number: Option<i64>,
    /// Empty lines since one was numbered.
    blank_lines: u64,
}

/// `Ok(None)`: no such style.
fn style(text: &[u8]) -> Result<Option<Style>, UsageError> {
    Ok(match text.split_first() {
        Some((b'a', _)) => Some(Style::All),
        Some((b't', _)) => Some(Style::Nonempty),
        Some((b'n', _)) => Some(Style::None),
        Some((b'p', pattern)) => {
            let options = RegexOptions {
                gnu: true,
                ..RegexOptions::default()
            };
            let regex = Regex::compile(pattern, Syntax::Basic, options)
                .map_err(|error| UsageError::plain(1, error.to_string()))?;
            Some(Style::Matching(regex))
        }
        _ => None,
    })
}

/// The plan and complaints that are made together, before the Try line.
fn plan(parsed: &Parsed<Flag>) -> Result<Plan, (Vec<Vec<u8>>, UsageError)> {
    let mut plan = Plan {
        body: Style::Nonempty,
        footer: Style::None,
        header: Style::None,
        delimiter: b"\\:".to_vec(),
        increment: 1,
        join: 1,
        align: Align::Right,
        renumber: true,
        separator: b"\t".to_vec(),
        start: 1,
        width: 6,
    };
    let mut complaints = Vec::new();
    for (flag, value) in &parsed.options {
        let value = value.as_deref().unwrap_or_default();
        match plan.set(*flag, value) {
            Ok(None) => {}
            Ok(Some(sentence)) => {
                complaints.push([b"invalid ", sentence.as_bytes(), b": ", &quote(value)].concat());
            }
            Err(error) => return Err((complaints, error)),
        }
    }
    match complaints.pop() {
        None => Ok(plan),
        Some(last) => Err((complaints, SPEC.complain(last))),
    }
}

impl Plan {
    /// `Some`: the value is none of the words that can be given, of this kind.
    fn set(&mut self, flag: Flag, value: &[u8]) -> Result<Option<&'static str>, UsageError> {
        let any = (i64::MIN, i64::MAX);
        let (slot, sentence) = match flag {
            Flag::Body => (&mut self.body, "body numbering style"),
            Flag::Footer => (&mut self.footer, "footer numbering style"),
            Flag::Header => (&mut self.header, "header numbering style"),
            Flag::Delimiter => {
                self.delimiter = match value {
                    [one] => vec![*one, b':'],
                    _ => value.to_vec(),
                };
                return Ok(None);
            }
            Flag::Increment => {
                self.increment = numbers::signed(value, "", any, "invalid line number increment")?;
                return Ok(None);
            }
            Flag::Join => {
                let sentence = "invalid line number of blank lines";
                self.join = numbers::signed(value, "", (1, i64::MAX), sentence)? as u64;
                return Ok(None);
            }
            Flag::Format => {
                self.align = match value {
                    b"ln" => Align::Left,
                    b"rn" => Align::Right,
                    b"rz" => Align::Zeros,
                    _ => return Ok(Some("line numbering format")),
                };
                return Ok(None);
            }
            Flag::NoRenumber => {
                self.renumber = false;
                return Ok(None);
            }
            Flag::Separator => {
                self.separator = value.to_vec();
                return Ok(None);
            }
            Flag::Start => {
                self.start = numbers::signed(value, "", any, "invalid starting line number")?;
                return Ok(None);
            }
            Flag::Width => {
                let bounds = (1, i64::from(i32::MAX));
                let width = numbers::signed(value, "", bounds, "invalid line number field width")?;
                self.width = usize::try_from(width).unwrap_or(usize::MAX);
                return Ok(None);
            }
        };
        match style(value)? {
            Some(style) => *slot = style,
            None => return Ok(Some(sentence)),
        }
        Ok(None)
    }

    /// The section that a line opens.
    fn section(&self, text: &[u8]) -> Option<Section> {
        let length = self.delimiter.len();
        if length < 2 || text.get(..2) != self.delimiter.get(..2) {
            return None;
        }
        let times = |count: usize| text.len() == length * count && text == self.delimiter.repeat(count);
        [(3, Section::Header), (2, Section::Body), (1, Section::Footer)]
            .into_iter()
            .find(|(count, _)| times(*count))
            .map(|(_, section)| section)
    }

    fn style(&self, section: Section) -> &Style {
        match section {
            Section::Header => &self.header,
            Section::Body => &self.body,
            Section::Footer => &self.footer,
        }
    }
}

async fn run(proc: &mut Proc) -> Result<i32, Stop> {
    let parsed = usage::parse(proc, &SPEC).await?;
    let plan = match plan(&parsed) {
        Ok(plan) => plan,
        Err((complaints, error)) => {
            for complaint in complaints {
                proc.warn(complaint).await?;
            }
            return Err(usage::refuse(proc, &error).await);
        }
    };
    proc.kernel.meter().check_memory(plan.width as u64)?;
    let mut state = State {
        section: Section::Body,
        number: Some(plan.start),
        blank_lines: 0,
    };
    let mut status = 0;
    for path in usage::operands_or_stdin(parsed.operands) {
        let Some(mut input) = usage::open_input(proc, &path).await? else {
            status = 1;
            continue;
        };
        let done = number_file(proc, &mut input, &plan, &mut state).await;
        if let Err(errno) = usage::settle(done)? {
            usage::warn_file(proc, &path, errno).await?;
            status = 1;
        }
    }
    Ok(status)
}

async fn number_file(
    proc: &mut Proc,
    input: &mut Input,
    plan: &Plan,
    state: &mut State,
) -> Result<(), Failure> {
    loop {
        let block = lines::whole_lines(input, b'\n').await?;
        if block.is_empty() {
            return Ok(());
        }
        for line in lines::split(block, b'\n') {
            let text = lines::text(line, b'\n');
            if let Some(section) = plan.section(text) {
                state.section = section;
                if plan.renumber {
                    state.number = Some(plan.start);
                }
                proc.out().push(b'\n');
                continue;
            }
            if is_numbered(plan, state, text) {
                let Some(number) = state.number else {
                    return Err(Failure::Stop(usage::fail(proc, 1, "line number overflow").await));
                };
                push_number(proc.out(), plan, number);
                state.number = number.checked_add(plan.increment);
            } else {
                let blanks = plan.width + plan.separator.len();
                proc.out().extend(std::iter::repeat_n(b' ', blanks));
            }
            proc.out().extend_from_slice(text);
            proc.out().push(b'\n');
            proc.flush_if_full().await?;
        }
    }
}

fn is_numbered(plan: &Plan, state: &mut State, text: &[u8]) -> bool {
    match plan.style(state.section) {
        Style::All if plan.join > 1 => {
            if text.is_empty() {
                state.blank_lines += 1;
                if state.blank_lines != plan.join {
                    return false;
                }
            }
            state.blank_lines = 0;
            true
        }
        Style::All => true,
        Style::Nonempty => !text.is_empty(),
        Style::None => false,
        // A search that is given up counts as no match.
        Style::Matching(regex) => regex.is_match(text).unwrap_or(false),
    }
}

fn push_number(out: &mut Vec<u8>, plan: &Plan, number: i64) {
    let width = plan.width;
    let digits = number.to_string();
    let blanks = width.saturating_sub(digits.len());
    match plan.align {
        Align::Left => {
            out.extend_from_slice(digits.as_bytes());
            out.extend(std::iter::repeat_n(b' ', blanks));
        }
        Align::Right => {
            out.extend(std::iter::repeat_n(b' ', blanks));
            out.extend_from_slice(digits.as_bytes());
        }
        Align::Zeros => {
            out.extend((number < 0).then_some(b'-'));
            out.extend(std::iter::repeat_n(b'0', blanks));
            out.extend_from_slice(number.unsigned_abs().to_string().as_bytes());
        }
    }
    out.extend_from_slice(&plan.separator);
}
