//! Input to items: GNU's `read_line`, which knows quotes, and `read_string`, which does not.

use super::options::{Options, Split};
use crate::fs::Errno;
use crate::kernel::Input;

/// What reading gives.
#[derive(Debug, PartialEq, Eq)]
pub enum Next {
    /// An item, or a whole line under `-I`.
    Item(Vec<u8>),
    End,
}

/// Why xargs ends before its input does.
#[derive(Debug, PartialEq, Eq)]
pub enum Trouble {
    Quote(&'static str),
    TooLong,
    Read(Errno),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Space,
    Text,
    Quote(u8),
    Backslash,
}

/// Reads items.
#[derive(Debug)]
pub struct Items<'a> {
    input: Input,
    options: &'a Options,
    /// Items may have so many bytes.
    longest: usize,
    ended: bool,
    /// The item that is read is the first of its line.
    first: bool,
    state: State,
    previous: Option<u8>,
    /// Lines that were not blank at their end, since the last command.
    pub lines: u64,
    /// A NUL came where none can be passed on, for the first time.
    pub nul: bool,
    nul_seen: bool,
}

impl<'a> Items<'a> {
    /// Reads from `input`.
    pub fn new(input: Input, options: &'a Options, longest: usize) -> Items<'a> {
        Items {
            input,
            options,
            longest,
            ended: false,
            first: true,
            state: State::Space,
            previous: None,
            lines: 0,
            nul: false,
            nul_seen: false,
        }
    }

    /// The next item or end.
    pub async fn next(&mut self) -> Result<Next, Trouble> {
        if self.ended {
            return Ok(Next::End);
        }
        match self.options.split {
            Split::Words => self.word().await,
            Split::At(delimiter) => self.string(delimiter).await,
        }
    }

    async fn byte(&mut self) -> Result<Option<u8>, Trouble> {
        if self.input.buffered().is_empty() {
            let filled = match self.input.fill().await {
                // Nothing is read from a directory that `-a` names.
                Err(Errno::EISDIR) if self.options.arg_file.is_some() => false,
                filled => filled.map_err(Trouble::Read)?,
            };
            if !filled {
                self.ended = true;
                return Ok(None);
            }
        }
        let byte = self.input.buffered().first().copied();
        self.input.consume(1);
        Ok(byte)
    }

    async fn string(&mut self, delimiter: u8) -> Result<Next, Trouble> {
        let mut item = Vec::new();
        let mut any = false;
        loop {
            match self.byte().await? {
                None if !any => return Ok(Next::End),
                None => break,
                Some(byte) if byte == delimiter => {
                    self.lines += 1;
                    break;
                }
                Some(byte) => self.push(&mut item, byte)?,
            }
            any = true;
        }
        Ok(Next::Item(item))
    }

    fn push(&mut self, item: &mut Vec<u8>, byte: u8) -> Result<(), Trouble> {
        if item.len() >= self.longest {
            return Err(Trouble::TooLong);
        }
        item.push(byte);
        Ok(())
    }

    fn is_end_string(&self, item: &[u8]) -> bool {
        self.options.end_string.as_deref() == Some(item)
    }

    /// One item; blanks end it unless whole lines are wanted.
    async fn word(&mut self) -> Result<Next, Trouble> {
        let lines = self.options.replace.is_some();
        let mut item = Vec::new();
        let mut seen = false;
        loop {
            let previous = self.previous;
            let byte = self.byte().await?;
            self.previous = byte;
            let Some(byte) = byte else {
                return self.last_word(item);
            };
            match self.state {
                State::Space if byte.is_ascii_whitespace() || byte == 11 => {}
                State::Space | State::Text => {
                    self.state = State::Text;
                    match byte {
                        b'\n' => {
                            if !matches!(previous, Some(b' ' | b'\t')) {
                                self.lines += 1;
                            }
                            self.state = State::Space;
                            if item.is_empty() && !seen {
                                continue;
                            }
                            return Ok(self.line_end(item));
                        }
                        b' ' | b'\t' if !lines => {
                            self.state = State::Space;
                            if self.is_end_string(&item) {
                                self.ended = true;
                                return Ok(Next::End);
                            }
                            self.first = false;
                            return Ok(Next::Item(item));
                        }
                        b'\\' => self.state = State::Backslash,
                        b'\'' | b'"' => {
                            self.state = State::Quote(byte);
                            seen = true;
                        }
                        _ => self.take(&mut item, byte)?,
                    }
                }
                State::Quote(quote) if byte == quote => self.state = State::Text,
                State::Quote(quote) if byte == b'\n' => return Err(Trouble::Quote(quote_name(quote))),
                State::Quote(_) => self.take(&mut item, byte)?,
                State::Backslash => {
                    self.state = State::Text;
                    self.take(&mut item, byte)?;
                }
            }
        }
    }

    fn take(&mut self, item: &mut Vec<u8>, byte: u8) -> Result<(), Trouble> {
        if byte == 0 && !self.nul_seen {
            (self.nul, self.nul_seen) = (true, true);
        }
        self.push(item, byte)
    }

    /// At the end of the input nothing is no item, quoted or not.
    fn last_word(&mut self, item: Vec<u8>) -> Result<Next, Trouble> {
        if item.is_empty() {
            return Ok(Next::End);
        }
        if let State::Quote(quote) = self.state {
            return Err(Trouble::Quote(quote_name(quote)));
        }
        if self.first && self.is_end_string(&item) {
            return Ok(Next::End);
        }
        Ok(Next::Item(item))
    }

    /// The item that a newline ends.
    fn line_end(&mut self, item: Vec<u8>) -> Next {
        self.first = true;
        if self.is_end_string(&item) {
            self.ended = true;
            return Next::End;
        }
        Next::Item(item)
    }

    /// The item given last ended its line.
    pub fn at_line_end(&self) -> bool {
        self.first
    }
}

fn quote_name(quote: u8) -> &'static str {
    if quote == b'"' { "double" } else { "single" }
}
