//! The stack machine of `dc`.

use std::sync::Arc;

use super::registers::Registers;
use super::scan::{Frame, number};
use crate::kernel::{Halt, Kernel, Lease};
use crate::program::decimal::Number;
use crate::program::decimal::printer::Printer;

/// Commands that run at a time.
const SLICE: usize = 1000;
/// Output that is handed over at the latest.
const OUTPUT: usize = 32 << 10;
/// What is kept back at the most: a buffer of C's.
const LATE: usize = 4096;
/// What a value takes besides its contents.
const VALUE_BYTES: usize = 48;
/// What a macro that waits takes.
const FRAME_BYTES: usize = 64;

/// What lies on the stack.
#[derive(Debug, Clone)]
pub enum Value {
    Number(Number),
    Text(Arc<[u8]>),
}

impl Value {
    /// Bytes that it takes.
    fn size(&self) -> usize {
        VALUE_BYTES
            + match self {
                Value::Number(number) => number.size() as usize * 8,
                Value::Text(text) => text.len(),
            }
    }
}

/// What the machine stopped for.
#[derive(Debug)]
pub enum Event {
    /// It goes on when it is called again.
    Pause,
    /// The text has ended.
    Done,
    /// The program has ended.
    Exit,
    /// Has something to say on standard error, and goes on.
    Said(Vec<u8>),
    /// The text goes on in the next line of standard input.
    More,
    /// `?`
    Read,
    /// `!`
    Command(Vec<u8>),
}

/// Why a command does not do what it should.
pub enum Trouble {
    Halt(Halt),
    /// A sentence.
    Said(String),
    /// Nothing is said.
    Silent,
}

impl From<Halt> for Trouble {
    fn from(halt: Halt) -> Trouble {
        Trouble::Halt(halt)
    }
}

pub type Done<T> = Result<T, Trouble>;

/// A complaint.
pub fn said<T>(sentence: impl Into<String>) -> Done<T> {
    Err(Trouble::Said(sentence.into()))
}

/// The machine.
pub struct Machine {
    pub kernel: Kernel,
    lease: Lease,
    held: usize,
    pub stack: Vec<Value>,
    pub registers: Registers,
    pub frames: Vec<Frame>,
    pub printer: Printer,
    /// What is printed with the next thing that is: GNU's does not write it out by itself.
    late: Vec<u8>,
    pub input_base: u32,
    pub output_base: u32,
    pub scale: usize,
    /// What a command wants of the outside.
    pub event: Option<Event>,
}

impl Machine {
    /// Nothing on the stack, and lines of at most `width` characters.
    pub fn new(kernel: &Kernel, width: usize) -> Machine {
        let width = if width == 0 { 0 } else { width + 1 };
        Machine {
            kernel: kernel.clone(),
            lease: kernel.lease(),
            held: 0,
            stack: Vec::new(),
            registers: Registers::default(),
            frames: Vec::new(),
            printer: Printer::new(width, true),
            late: Vec::new(),
            input_base: 10,
            output_base: 10,
            scale: 0,
            event: None,
        }
    }

    /// Begins a text.
    pub fn start(&mut self, text: Vec<u8>, more: bool) {
        self.frames = vec![Frame {
            text: text.into(),
            at: 0,
            levels: 1,
            more,
        }];
    }

    /// Adds the next line to the text, or says that there is none.
    pub fn more(&mut self, line: Option<Vec<u8>>) {
        let Some(frame) = self.frames.first_mut() else {
            return;
        };
        match line {
            Some(line) => {
                let rest = frame.text.get(frame.at..).unwrap_or_default();
                frame.text = [rest, &line].concat().into();
                frame.at = 0;
            }
            None => frame.more = false,
        }
    }

    /// Runs the line that `?` has read.
    pub fn give(&mut self, line: Option<Vec<u8>>) {
        if let Some(line) = line {
            self.frames.push(Frame {
                text: line.into(),
                at: 0,
                levels: 1,
                more: false,
            });
        }
    }

    pub fn push(&mut self, value: Value) -> Done<()> {
        self.hold(&value)?;
        self.stack.push(value);
        Ok(())
    }

    /// Accounts for a value that is kept.
    pub fn hold(&mut self, value: &Value) -> Done<()> {
        self.held += value.size();
        self.settle()
    }

    /// Accounts for values and for macros that wait.
    fn settle(&mut self) -> Done<()> {
        let waiting = self.frames.len() * FRAME_BYTES;
        Ok(self.lease.resize(self.held + waiting)?)
    }

    pub fn release(&mut self, value: &Value) {
        self.held = self.held.saturating_sub(value.size());
    }

    pub fn pop(&mut self) -> Done<Value> {
        let Some(value) = self.stack.pop() else {
            return said("stack empty");
        };
        self.release(&value);
        Ok(value)
    }

    /// Runs for a while.
    pub fn run(&mut self) -> Result<Event, Halt> {
        for _ in 0..SLICE {
            self.kernel.meter().charge(4)?;
            let Some(frame) = self.frames.last_mut() else {
                self.print_late();
                return Ok(Event::Exit);
            };
            let start = frame.at;
            let Some(byte) = frame.next() else {
                if frame.more {
                    return Ok(Event::More);
                }
                if self.frames.len() == 1 {
                    self.print_late();
                    return Ok(Event::Done);
                }
                self.frames.pop();
                continue;
            };
            let done = self.command(byte, start);
            if let Some(event) = self.event.take() {
                return Ok(event);
            }
            match done {
                Ok(()) | Err(Trouble::Silent) => {}
                Err(Trouble::Halt(halt)) => return Err(halt),
                Err(Trouble::Said(sentence)) => {
                    return Ok(Event::Said(format!("dc: {sentence}\n").into_bytes()));
                }
            }
            if self.printer.out.len() >= OUTPUT {
                return Ok(Event::Pause);
            }
        }
        Ok(Event::Pause)
    }

    /// Does a command, whose letter stood at `start`.
    fn command(&mut self, byte: u8, start: usize) -> Done<()> {
        match byte {
            b' ' | b'\t'..=b'\r' => Ok(()),
            b'0'..=b'9' | b'A'..=b'F' | b'.' | b'_' => self.number(byte),
            b'[' => self.string(start),
            b'#' => {
                self.frame(|frame| drop(frame.line()));
                Ok(())
            }
            b'+' | b'-' | b'*' | b'/' | b'%' | b'^' | b'~' | b'|' | b'v' => self.arithmetic(byte),
            b'p' | b'n' | b'P' | b'f' => self.print(byte),
            b'c' | b'd' | b'r' | b'R' | b'z' | b'Z' | b'X' => self.arrange(byte),
            b'i' | b'o' | b'k' | b'I' | b'O' | b'K' => self.setting(byte),
            b'a' => self.character(),
            b's' | b'l' | b'S' | b'L' | b':' | b';' => self.register(byte),
            b'x' => {
                let value = self.pop()?;
                self.execute(value)
            }
            b'<' | b'>' | b'=' => self.compare(byte, false),
            b'!' => self.bang(),
            b'?' => {
                self.event = Some(Event::Read);
                Ok(())
            }
            b'q' => {
                self.leave(2, true);
                Ok(())
            }
            b'Q' => self.leave_many(),
            _ => self.unimplemented(byte),
        }
    }

    fn frame<T>(&mut self, with: impl FnOnce(&mut Frame) -> T) -> Option<T> {
        self.frames.last_mut().map(with)
    }

    fn number(&mut self, first: u8) -> Done<()> {
        let digits = self.frame(|frame| {
            if first != b'_' {
                frame.at -= 1;
            }
            frame.digits()
        });
        let digits = digits.unwrap_or_default();
        self.kernel
            .meter()
            .charge(digits.len() as u64 * (digits.len() as u64 / 64 + 1))?;
        let value = number(&digits, self.input_base);
        let value = if first == b'_' { value.negated() } else { value };
        self.push(Value::Number(value))
    }

    fn string(&mut self, start: usize) -> Done<()> {
        let Some(frame) = self.frames.last_mut() else {
            return Ok(());
        };
        self.kernel
            .meter()
            .charge((frame.text.len() - frame.at) as u64 / 16)?;
        match frame.string() {
            Some(text) => self.push(Value::Text(text.into())),
            None if frame.more => {
                frame.at = start;
                self.event = Some(Event::More);
                Ok(())
            }
            None => {
                frame.at = frame.text.len();
                Ok(())
            }
        }
    }

    /// Runs a string; a number goes back on the stack.
    pub fn execute(&mut self, value: Value) -> Done<()> {
        let Value::Text(text) = value else {
            return self.push(value);
        };
        let mut levels = 1;
        // What runs at the end of a macro takes its place.
        if self.frames.len() > 1
            && let Some(frame) = self.frames.last().filter(|frame| frame.is_over())
        {
            levels += frame.levels;
            self.frames.pop();
        }
        self.frames.push(Frame {
            text,
            at: 0,
            levels,
            more: false,
        });
        self.settle()
    }

    /// Ends so many macros; beyond the last one the program ends, if it may.
    pub fn leave(&mut self, levels: u64, exits: bool) {
        let mut left = levels;
        while left > 0 {
            if self.frames.len() <= 1 {
                if exits {
                    self.print_late();
                    self.event = Some(Event::Exit);
                }
                return;
            }
            let ended = self.frames.pop().map_or(1, |frame| frame.levels);
            left = left.saturating_sub(ended);
        }
    }

    /// A comparison, or a command of the shell.
    fn bang(&mut self) -> Done<()> {
        match self.frame(|frame| frame.peek()).flatten() {
            Some(sign @ (b'<' | b'>' | b'=')) => {
                self.frame(|frame| frame.at += 1);
                self.compare(sign, true)
            }
            _ => {
                let command = self.frame(Frame::line).unwrap_or_default();
                self.event = Some(Event::Command(command));
                Ok(())
            }
        }
    }

    pub(super) fn print_late(&mut self) {
        let late = std::mem::take(&mut self.late);
        self.printer.text(&late);
    }

    /// The name is printed to standard output, and who says so to standard error.
    fn unimplemented(&mut self, byte: u8) -> Done<()> {
        let shown = match byte.is_ascii_graphic() || byte == b' ' {
            true => format!("'{}' (0{byte:o}) unimplemented\n", char::from(byte)),
            false => format!("0{byte:o} unimplemented\n"),
        };
        self.late.extend_from_slice(shown.as_bytes());
        if self.late.len() >= LATE {
            self.print_late();
        }
        self.event = Some(Event::Said(b"dc: ".to_vec()));
        Ok(())
    }
}
