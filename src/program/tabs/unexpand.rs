//! `unexpand`: blanks become tabs.

use super::{Converter, Step, Stops};
use crate::args::{COREUTILS, Opt, Spec};
use crate::kernel::{Proc, Program, Stop};
use crate::program::usage;

/// The program.
pub const PROGRAM: Program = Program {
    name: "unexpand",
    run: |proc| Box::pin(run(proc)),
};

#[derive(Clone, Copy, PartialEq)]
enum Flag {
    All,
    FirstOnly,
    Tabs,
    Digit,
    Comma,
}

static SPEC: Spec<Flag> = Spec::new(
    "unexpand",
    COREUTILS,
    &["[OPTION]... [FILE]..."],
    "Convert blanks in each FILE to tabs, writing to standard output.\n\n\
     With no FILE, or when FILE is -, read standard input.",
    &[
        Opt::flag(Flag::All, 'a', "all", "convert all blanks, instead of just initial blanks"),
        Opt::long(Flag::FirstOnly, "first-only", "convert only leading sequences of blanks (overrides -a)"),
        Opt::required(Flag::Tabs, 't', "tabs", "N", "have tabs N characters apart instead of 8 (enables -a)"),
        Opt::long(
            Flag::Tabs,
            "tabs",
            "use comma separated list of tab positions.\nThe last specified position can be prefixed with '/'\n\
             to specify a tab size to use after the last\nexplicitly specified tab stop.  Also a prefix of '+'\n\
             can be used to align remaining tab stops relative to\nthe last specified tab stop instead of the first column",
        )
        .takes("LIST"),
        Opt::digits(Flag::Digit, ""),
        Opt::short(Flag::Comma, ',', ""),
    ],
);

async fn run(proc: &mut Proc) -> Result<i32, Stop> {
    let parsed = usage::parse(proc, &SPEC).await?;
    let mut stops = Stops::default();
    // The obsolete `-4,8`, digit by digit.
    let mut number: Option<u64> = None;
    for (flag, value) in &parsed.options {
        let value = value.as_deref().unwrap_or_default();
        match flag {
            Flag::Tabs => {
                if let Err(messages) = stops.add(value) {
                    for message in messages {
                        proc.warn(message).await?;
                    }
                    return Ok(1);
                }
            }
            Flag::Digit => {
                let digit = value.first().map_or(0, |byte| u64::from(byte.wrapping_sub(b'0')));
                let next = number
                    .unwrap_or(0)
                    .checked_mul(10)
                    .and_then(|value| value.checked_add(digit));
                let Some(next) = next else {
                    return Err(usage::fail(proc, 1, "tab stop value is too large").await);
                };
                number = Some(next);
            }
            Flag::Comma => {
                if let Some(column) = number.take() {
                    stops.add_stop(column);
                }
            }
            Flag::All | Flag::FirstOnly => {}
        }
    }
    if let Some(column) = number {
        stops.add_stop(column);
    }
    let stops = usage::accept(proc, stops.finish()).await?;
    let all = parsed.has(Flag::All) || parsed.has(Flag::Tabs);
    let whole_line = all && !parsed.has(Flag::FirstOnly);
    let mut unexpander = Unexpander {
        stops,
        whole_line,
        line: Line::default(),
    };
    super::convert_files(proc, parsed.operands, &mut unexpander).await
}

struct Unexpander {
    stops: Stops,
    whole_line: bool,
    line: Line,
}

/// Where a line stands.
struct Line {
    converting: bool,
    column: u64,
    index: usize,
    /// The first blank that waits came just before a stop.
    one_before_stop: bool,
    /// The byte before was a blank; so is the start of a line.
    after_blank: bool,
    /// Blanks that may become a tab.
    waiting: Vec<u8>,
}

impl Default for Line {
    fn default() -> Self {
        Line {
            converting: true,
            column: 0,
            index: 0,
            one_before_stop: false,
            after_blank: true,
            waiting: Vec::new(),
        }
    }
}

impl Line {
    fn set_first(&mut self, byte: u8) {
        match self.waiting.first_mut() {
            Some(first) => *first = byte,
            None => self.waiting.push(byte),
        }
    }

    fn put_waiting(&mut self, out: &mut Vec<u8>) {
        if self.waiting.is_empty() {
            return;
        }
        if self.waiting.len() > 1 && self.one_before_stop {
            self.set_first(b'\t');
        }
        out.append(&mut self.waiting);
        self.one_before_stop = false;
    }
}

impl Converter for Unexpander {
    fn push(&mut self, byte: u8, out: &mut Vec<u8>) -> Step {
        let line = &mut self.line;
        let mut shown = byte;
        if line.converting {
            let blank = matches!(byte, b' ' | b'\t');
            if blank {
                let Ok(stop) = self.stops.next(line.column, &mut line.index) else {
                    return Step::TooLong;
                };
                match stop {
                    None => line.converting = false,
                    Some(stop) if byte == b'\t' => {
                        line.column = stop;
                        if !line.waiting.is_empty() {
                            line.set_first(b'\t');
                        }
                        line.waiting.truncate(usize::from(line.one_before_stop));
                    }
                    Some(stop) => {
                        line.column += 1;
                        if !(line.after_blank && line.column == stop) {
                            line.one_before_stop |= line.column == stop;
                            line.waiting.push(byte);
                            line.after_blank = true;
                            return Step::Done;
                        }
                        shown = b'\t';
                        line.set_first(b'\t');
                        line.waiting.truncate(usize::from(line.one_before_stop));
                    }
                }
            } else if byte == 8 {
                line.column = line.column.saturating_sub(1);
                line.index = line.index.saturating_sub(1);
            } else {
                line.column += 1;
            }
            line.put_waiting(out);
            line.after_blank = blank;
            line.converting &= self.whole_line || blank;
        }
        out.push(shown);
        if byte == b'\n' {
            *line = Line {
                waiting: std::mem::take(&mut line.waiting),
                ..Line::default()
            };
        }
        Step::Done
    }

    fn end(&mut self, out: &mut Vec<u8>) {
        self.line.put_waiting(out);
    }
}
