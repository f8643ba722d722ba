//! `expand`: tabs become blanks.

use super::{Converter, Step, Stops};
use crate::args::{COREUTILS, Opt, Spec};
use crate::kernel::{Proc, Program, Stop};
use crate::program::{fold, usage};

/// The program.
pub const PROGRAM: Program = Program {
    name: "expand",
    run: |proc| Box::pin(run(proc)),
};

#[derive(Clone, Copy, PartialEq)]
enum Flag {
    Initial,
    Tabs,
}

static SPEC: Spec<Flag> = Spec::new(
    "expand",
    COREUTILS,
    &["[OPTION]... [FILE]..."],
    "Convert tabs in each FILE to spaces, writing to standard output.\n\n\
     With no FILE, or when FILE is -, read standard input.",
    &[
        Opt::flag(Flag::Initial, 'i', "initial", "do not convert tabs after non blanks"),
        Opt::required(Flag::Tabs, 't', "tabs", "N", "have tabs N characters apart, not 8"),
        Opt::long(
            Flag::Tabs,
            "tabs",
            "use comma separated list of tab positions.\nThe last specified position can be prefixed with '/'\n\
             to specify a tab size to use after the last\nexplicitly specified tab stop.  Also a prefix of '+'\n\
             can be used to align remaining tab stops relative to\nthe last specified tab stop instead of the first column",
        )
        .takes("LIST"),
    ],
);

async fn run(proc: &mut Proc) -> Result<i32, Stop> {
    let parsed = SPEC.parse(&fold::modernized(proc.arguments(), b't'));
    let parsed = usage::accept(proc, parsed).await?;
    let mut stops = Stops::default();
    for list in parsed.values(Flag::Tabs) {
        if let Err(messages) = stops.add(list) {
            for message in messages {
                proc.warn(message).await?;
            }
            return Ok(1);
        }
    }
    let stops = usage::accept(proc, stops.finish()).await?;
    let whole_line = !parsed.has(Flag::Initial);
    let mut expander = Expander {
        stops,
        whole_line,
        converting: true,
        column: 0,
        index: 0,
        target: None,
    };
    super::convert_files(proc, parsed.operands, &mut expander).await
}

struct Expander {
    stops: Stops,
    whole_line: bool,
    converting: bool,
    column: u64,
    index: usize,
    /// The column that a tab leads to, while blanks are put out.
    target: Option<u64>,
}

impl Expander {
    fn tab(&mut self, out: &mut Vec<u8>) -> Step {
        let target = match self.target.take() {
            Some(target) => target,
            None => match self.stops.next(self.column, &mut self.index) {
                Ok(stop) => stop.unwrap_or(self.column + 1),
                Err(()) => return Step::TooLong,
            },
        };
        // A bounded part at a time: the stop may be anywhere.
        let blanks = (target - self.column).min(32 << 10);
        out.extend(std::iter::repeat_n(b' ', blanks as usize));
        self.column += blanks;
        if self.column < target {
            self.target = Some(target);
            return Step::Again;
        }
        Step::Done
    }
}

impl Converter for Expander {
    fn push(&mut self, byte: u8, out: &mut Vec<u8>) -> Step {
        if byte == b'\n' {
            (self.converting, self.column, self.index) = (true, 0, 0);
            out.push(byte);
            return Step::Done;
        }
        if !self.converting {
            out.push(byte);
            return Step::Done;
        }
        if byte == b'\t' {
            return self.tab(out);
        }
        if byte == 8 {
            self.column = self.column.saturating_sub(1);
            self.index = self.index.saturating_sub(1);
        } else {
            let Some(column) = self.column.checked_add(1) else {
                return Step::TooLong;
            };
            self.column = column;
        }
        self.converting = self.whole_line || byte == b' ';
        out.push(byte);
        Step::Done
    }

    fn end(&mut self, _: &mut Vec<u8>) {}
}
