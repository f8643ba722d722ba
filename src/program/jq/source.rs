//! The inputs of a program: values or lines of files, one after the other, or all as one.
//!
//! Text is handed to the parser line by line, as jq does, so that the line number in a message is that of the line which ended the value.

use std::collections::VecDeque;

use super::json::Parser;
use super::options::Options;
use super::stream;
use super::value::{Heap, Text, Value};
use crate::fs::Errno;
use crate::kernel::{Input, Lease, Proc, Stop};

/// What has no newline is handed on in pieces of this length.
const PIECE: usize = 64 << 10;

/// The inputs.
pub struct Source {
    files: VecDeque<Vec<u8>>,
    input: Option<Input>,
    parser: Parser,
    line: Vec<u8>,
    at: usize,
    lines: u64,
    name: Option<Vec<u8>>,
    raw: bool,
    slurp: bool,
    /// Values are taken apart into events, which wait here.
    events: Option<VecDeque<Value>>,
    ended: bool,
    /// A file could not be read.
    pub failed: bool,
}

impl Source {
    /// The files, or standard input.
    pub fn new(options: &Options, files: Vec<Vec<u8>>) -> Source {
        let files = if files.is_empty() {
            vec![b"-".to_vec()]
        } else {
            files
        };
        Source {
            files: files.into(),
            input: None,
            parser: Parser::new(),
            line: Vec::new(),
            at: 0,
            lines: 0,
            name: None,
            raw: options.raw_input,
            slurp: options.slurp,
            events: options.stream.then(VecDeque::new),
            ended: false,
            failed: false,
        }
    }

    /// The file that is read; `None` before the first one.
    pub fn name(&self, heap: &Heap) -> Option<Text> {
        let name = self.name.as_ref()?;
        Some(heap.share(if name == b"-" {
            "<stdin>".into()
        } else {
            String::from_utf8_lossy(name)
        }))
    }

    /// How many lines of the file were read.
    pub fn line(&self) -> u64 {
        self.lines
    }

    /// Where a message says that an error is.
    pub fn place(&self) -> String {
        match &self.name {
            None => "<unknown>".to_owned(),
            Some(name) if name != b"-" => format!("{}:{}", String::from_utf8_lossy(name), self.lines),
            _ => format!("<stdin>:{}", self.lines),
        }
    }

    /// Reads the next line, in pieces if it is long. `false` when nothing is left.
    async fn read_line(&mut self, proc: &mut Proc) -> Result<bool, Stop> {
        loop {
            proc.kernel.breathe().await;
            let Some(input) = &mut self.input else {
                let Some(path) = self.files.pop_front() else {
                    return Ok(false);
                };
                match proc.open_operand(&path).await {
                    Ok(file) => {
                        self.input = Some(Input::new(file));
                        self.lines = 0;
                        self.name = Some(path);
                    }
                    Err(errno) => self.complain(proc, &path, errno).await?,
                }
                continue;
            };
            match next_piece(input).await {
                Ok([]) => self.input = None,
                Ok(piece) => {
                    self.line.clear();
                    self.at = 0;
                    self.line.extend_from_slice(piece);
                    if self.line.ends_with(b"\n") {
                        self.lines += 1;
                    }
                    return Ok(true);
                }
                Err(errno) => {
                    self.input = None;
                    let path = self.name.clone().unwrap_or_default();
                    self.complain(proc, &path, errno).await?;
                }
            }
        }
    }

    async fn complain(&mut self, proc: &mut Proc, path: &[u8], errno: Errno) -> Result<(), Stop> {
        self.failed = true;
        let shown = String::from_utf8_lossy(path);
        if errno == Errno::EISDIR {
            // A directory is opened, and then nothing is said about it.
            return Ok(());
        }
        proc.warn(format!("error: Could not open file {shown}: {errno}"))
            .await
    }

    /// The next input; `Ok(None)` at the end; a sentence for what is no JSON.
    pub async fn next(
        &mut self,
        proc: &mut Proc,
        heap: &Heap,
    ) -> Result<Result<Option<Value>, String>, Stop> {
        if self.slurp {
            return self.next_slurped(proc, heap).await;
        }
        if self.raw {
            return Ok(Ok(self.next_line(proc, heap).await?));
        }
        self.next_value(proc, heap).await
    }

    /// The next value, or the next event of one.
    async fn next_value(
        &mut self,
        proc: &mut Proc,
        heap: &Heap,
    ) -> Result<Result<Option<Value>, String>, Stop> {
        if self.events.is_none() {
            return self.next_whole(proc, heap).await;
        }
        loop {
            if let Some(event) = self.events.as_mut().and_then(VecDeque::pop_front) {
                return Ok(Ok(Some(event)));
            }
            match self.next_whole(proc, heap).await? {
                Ok(Some(value)) => self.events = Some(stream::events(proc, heap, &value)?),
                other => return Ok(other),
            }
        }
    }

    async fn next_whole(
        &mut self,
        proc: &mut Proc,
        heap: &Heap,
    ) -> Result<Result<Option<Value>, String>, Stop> {
        loop {
            match self.parser.next(heap, &self.line, &mut self.at) {
                Ok(None) => {}
                other => return Ok(other),
            }
            if !self.read_line(proc).await? {
                if std::mem::replace(&mut self.ended, true) {
                    self.name = None;
                    return Ok(Ok(None));
                }
                let last = self.parser.finish(heap);
                // jq has closed a file whose last line has no newline when it asks for more.
                if matches!(last, Ok(None)) && !self.line.is_empty() && !self.line.ends_with(b"\n") {
                    self.name = None;
                }
                return Ok(last);
            }
        }
    }

    /// A line as a text, without its newline.
    async fn next_line(&mut self, proc: &mut Proc, heap: &Heap) -> Result<Option<Value>, Stop> {
        let mut text = Vec::new();
        let mut lease = proc.kernel.lease();
        loop {
            if !self.read_line(proc).await? {
                let rest = !text.is_empty();
                return Ok(rest.then(|| heap.text(String::from_utf8_lossy(&text))));
            }
            text.extend_from_slice(&self.line);
            lease.resize(text.len())?;
            if let Some(line) = text.strip_suffix(b"\n") {
                return Ok(Some(heap.text(String::from_utf8_lossy(line))));
            }
        }
    }

    async fn next_slurped(
        &mut self,
        proc: &mut Proc,
        heap: &Heap,
    ) -> Result<Result<Option<Value>, String>, Stop> {
        if self.ended {
            return Ok(Ok(None));
        }
        let mut lease: Lease = proc.kernel.lease();
        if self.raw {
            let mut text = Vec::new();
            while self.read_line(proc).await? {
                text.extend_from_slice(&self.line);
                lease.resize(text.len())?;
            }
            self.ended = true;
            return Ok(Ok(Some(heap.text(String::from_utf8_lossy(&text)))));
        }
        let mut values = Vec::new();
        loop {
            match self.next_value(proc, heap).await? {
                Ok(Some(value)) => {
                    values.push(value);
                    lease.resize(values.len() * size_of::<Value>())?;
                }
                Ok(None) => break,
                Err(message) => return Ok(Err(message)),
            }
        }
        self.ended = true;
        Ok(Ok(Some(heap.array(values))))
    }
}

/// Bytes up to a newline, or as many as there are.
async fn next_piece(input: &mut Input) -> Result<&[u8], Errno> {
    loop {
        let buffered = input.buffered();
        let end = memchr::memchr(b'\n', buffered);
        let length = buffered.len();
        if let Some(end) = end {
            return Ok(input.take(end + 1));
        }
        if length >= PIECE || !input.fill().await? {
            return Ok(input.take(length.max(input.buffered().len())));
        }
    }
}
