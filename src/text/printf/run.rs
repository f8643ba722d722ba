//! Pieces into output.

use super::argument::Arguments;
use super::parse::Piece;
use super::{Complaint, Family, Format, Host, LimitExceeded, Printed};
use crate::text::escape::{self, Reader};
use crate::text::format::{Amount, Directive, Layout, Radix};
use crate::text::gnu_quote;
use crate::text::quote;

/// C's `printf` fails above this, and bash then prints nothing.
const INT_MAX: usize = i32::MAX as usize;
/// bash's buffer for `%(…)T`; a longer time is empty.
const TIME_BUFFER: usize = 128;

/// What one piece did.
enum Flow {
    Continue,
    /// The command ends, with the status so far.
    Stop,
    /// The command ends with 1.
    Fail,
}

struct Run<'a> {
    family: Family,
    arguments: Arguments<'a>,
    host: &'a mut dyn Host,
    limit: usize,
    out: Vec<u8>,
}

impl Format {
    /// Runs the format over the arguments. `limit` bounds widths, precisions and the output, in bytes.
    pub fn run(&self, args: &[Vec<u8>], host: &mut dyn Host, limit: usize) -> Result<Printed, LimitExceeded> {
        self.run_into(Vec::with_capacity(64), args, host, limit)
    }

    /// The same with an empty buffer for the output.
    pub fn run_into(
        &self,
        out: Vec<u8>,
        args: &[Vec<u8>],
        host: &mut dyn Host,
        limit: usize,
    ) -> Result<Printed, LimitExceeded> {
        let family = self.family;
        let arguments = Arguments {
            family,
            words: args.iter(),
            complaints: Vec::new(),
            failed: false,
        };
        let mut run = Run {
            family,
            arguments,
            host,
            limit,
            out,
        };
        let mut status = 0;
        'formats: loop {
            let left = run.arguments.words.len();
            for piece in &self.pieces {
                match run.piece(piece)? {
                    Flow::Continue => {}
                    Flow::Stop => break 'formats,
                    Flow::Fail => {
                        status = 1;
                        break 'formats;
                    }
                }
            }
            let now = run.arguments.words.len();
            if now == 0 || now == left {
                if let (Family::Coreutils, Some(word)) = (family, run.arguments.next()) {
                    run.say(Complaint::ExcessArguments(word.to_vec()));
                }
                break;
            }
        }
        status |= u8::from(run.arguments.failed);
        Ok(Printed {
            bytes: run.out,
            complaints: run.arguments.complaints,
            status,
        })
    }
}

impl Run<'_> {
    fn say(&mut self, complaint: Complaint) {
        self.arguments.complaints.push(complaint);
    }

    fn print(&mut self, text: &[u8]) -> Result<Flow, LimitExceeded> {
        if self.out.len() + text.len() > self.limit {
            return Err(LimitExceeded);
        }
        self.out.extend_from_slice(text);
        Ok(Flow::Continue)
    }

    /// What was just printed still fits.
    fn within_limit(&self) -> Result<Flow, LimitExceeded> {
        if self.out.len() > self.limit {
            return Err(LimitExceeded);
        }
        Ok(Flow::Continue)
    }

    fn piece(&mut self, piece: &Piece) -> Result<Flow, LimitExceeded> {
        match piece {
            Piece::Text(text) => self.print(text),
            Piece::Say(complaint) => {
                self.say(complaint.clone());
                Ok(Flow::Continue)
            }
            Piece::Fail(complaint) => {
                self.say(complaint.clone());
                Ok(Flow::Fail)
            }
            Piece::Stop => Ok(Flow::Stop),
            Piece::Time(directive, format) => self.time(directive, format),
            Piece::Convert(directive, letter) => self.convert(directive, *letter),
        }
    }

    /// The numbers of a directive, or the flow when it is not to be printed.
    fn layout(&mut self, directive: &Directive) -> Result<Result<Layout, Flow>, LimitExceeded> {
        if self.family == Family::Coreutils
            && let Some(complaint) = self.out_of_bounds(directive)
        {
            self.say(complaint);
            return Ok(Err(Flow::Fail));
        }
        let arguments = &mut self.arguments;
        let layout = directive.resolve(|| arguments.signed());
        let written = |amount| matches!(amount, Amount::Given(value) if value > INT_MAX);
        if written(directive.width) || written(directive.precision) {
            return Ok(Err(Flow::Continue));
        }
        if layout.exceeds(self.limit) {
            Err(LimitExceeded)
        } else {
            Ok(Ok(layout))
        }
    }

    /// coreutils refuses a `*` beyond an `int` at once.
    fn out_of_bounds(&self, directive: &Directive) -> Option<Complaint> {
        let mut words = self.arguments.words.clone();
        let mut beyond = |amount: Amount, least: i64| {
            let word = words.by_ref().next().filter(|_| amount == Amount::Argument)?;
            let value = crate::text::number::scan_signed(word, 0).value;
            (value > i64::from(i32::MAX) || value < least).then(|| word.clone())
        };
        if directive.width == Amount::Argument
            && let Some(word) = beyond(directive.width, i64::from(i32::MIN))
        {
            return Some(Complaint::InvalidWidth(word));
        }
        beyond(directive.precision, i64::MIN).map(Complaint::InvalidPrecision)
    }

    fn convert(&mut self, directive: &Directive, letter: u8) -> Result<Flow, LimitExceeded> {
        let layout = match self.layout(directive)? {
            Ok(layout) => layout,
            Err(flow) => {
                self.arguments.next();
                return Ok(flow);
            }
        };
        let out = &mut self.out;
        let text = match letter {
            b'd' | b'i' => {
                layout.append_signed(i128::from(self.arguments.signed()), out);
                return self.within_limit();
            }
            b'u' | b'o' | b'x' | b'X' => {
                let radix = match letter {
                    b'u' => Radix::Decimal,
                    b'o' => Radix::Octal,
                    b'x' => Radix::Hex,
                    _ => Radix::UpperHex,
                };
                layout.append_unsigned(self.arguments.unsigned(), radix, out);
                return self.within_limit();
            }
            b's' => {
                layout.append_string(self.arguments.next().unwrap_or_default(), out);
                return self.within_limit();
            }
            b'c' => {
                let first = self.arguments.next().and_then(|word| word.first().copied());
                layout.pad(vec![first.unwrap_or(0)])
            }
            b'b' => return self.escaped(layout),
            b'q' | b'Q' => self.quoted(layout, letter),
            b'n' => return Ok(self.assign()),
            _ => layout.long_double(self.arguments.float(), letter),
        };
        self.print(&text)
    }

    /// `%b`.
    fn escaped(&mut self, layout: Layout) -> Result<Flow, LimitExceeded> {
        let reader = match self.family {
            Family::Bash => Reader::PercentB,
            Family::Coreutils => Reader::ProgramPercentB,
        };
        let word = self.arguments.next().unwrap_or_default();
        let read = escape::unescape(word, reader);
        let fatal = self.family == Family::Coreutils && !read.problems.is_empty();
        if fatal {
            return self.fatal_escape(word, reader);
        }
        for problem in read.problems {
            self.say(Complaint::Escape(problem));
        }
        self.print(&layout.string(&read.bytes))?;
        Ok(if read.stop { Flow::Stop } else { Flow::Continue })
    }

    /// Prints what comes before the escape that ends the program.
    fn fatal_escape(&mut self, word: &[u8], reader: Reader) -> Result<Flow, LimitExceeded> {
        let (mut at, mut text) = (0, Vec::new());
        while let Some((&byte, after)) = word.get(at..).and_then(<[u8]>::split_first) {
            at += 1;
            if byte != b'\\' {
                text.push(byte);
                continue;
            }
            let length = text.len();
            let read = escape::read(after, reader, &mut text);
            at += read.length;
            if let Some(problem) = read.problem {
                text.truncate(length);
                self.say(Complaint::Escape(problem));
                break;
            }
        }
        self.print(&text)?;
        Ok(Flow::Fail)
    }

    /// `%q`, and `%Q` which cuts the argument before it quotes it.
    fn quoted(&mut self, layout: Layout, letter: u8) -> Vec<u8> {
        let word = self.arguments.next().unwrap_or_default();
        match (self.family, letter) {
            (Family::Coreutils, _) => gnu_quote::styled(word, gnu_quote::Style::ShellEscape, b""),
            (Family::Bash, b'Q') => {
                let kept = layout.precision.and_then(|most| word.get(..most)).unwrap_or(word);
                layout.pad(quote::backslashed(kept))
            }
            (Family::Bash, _) => layout.string(&quote::backslashed(word)),
        }
    }

    /// `%n`.
    fn assign(&mut self) -> Flow {
        let Some(name) = self.arguments.next().filter(|name| !name.is_empty()) else {
            return Flow::Continue;
        };
        let start = |byte: &u8| byte.is_ascii_alphabetic() || *byte == b'_';
        let valid =
            name.first().is_some_and(start) && name.iter().all(|byte| start(byte) || byte.is_ascii_digit());
        if !valid {
            self.say(Complaint::NotAnIdentifier(name.to_vec()));
            return Flow::Fail;
        }
        match self.host.assign(name, self.out.len()) {
            Ok(()) => Flow::Continue,
            Err(message) => {
                self.say(Complaint::Host(message));
                Flow::Fail
            }
        }
    }

    fn time(&mut self, directive: &Directive, format: &[u8]) -> Result<Flow, LimitExceeded> {
        let layout = match self.layout(directive)? {
            Ok(layout) => layout,
            Err(flow) => return Ok(flow),
        };
        let given = self.arguments.words.len() > 0;
        let seconds = if given { self.arguments.signed() } else { -1 };
        let mut text = self.host.time(format, seconds);
        if text.len() >= TIME_BUFFER {
            text.clear();
        }
        self.print(&layout.string(&text))
    }
}
