//! The input that the command line names: files one after the other, assignments between them, and the rules around files.

use super::code::Special;
use super::machine::{Flow, Machine, Phase, Run, fatal};
use super::reader::Reader;
use super::value::{Text, Value};
use crate::fs::{Errno, FileKind, OpenFlags};
use crate::kernel::Input;

/// Where the reading of the files stands.
#[derive(Debug, Default)]
pub struct Files {
    pub reader: Option<Reader>,
    /// The operand to look at next.
    pub next: f64,
    /// Something was read, or standard input because nothing was named.
    any: bool,
    pub ended: bool,
}

impl Machine<'_> {
    /// The next record of the named files; `false` at their end.
    pub async fn next_record(&mut self, record: &mut Vec<u8>) -> Run<bool> {
        loop {
            if self.files.reader.is_none() && !self.next_file().await? {
                return Ok(false);
            }
            let Some(reader) = &mut self.files.reader else {
                continue;
            };
            match reader.read(&self.separator, record).await {
                Ok(true) => {
                    self.proc.charge(2 * crate::kernel::cost::LINE)?;
                    if !matches!(self.separator, super::reader::Separator::Byte(b'\n'))
                        || self.uses_terminator
                    {
                        let terminator = reader.terminator.clone();
                        self.set_terminator(&terminator)?;
                    }
                    return Ok(true);
                }
                Ok(false) => self.end_file().await?,
                Err(errno) => {
                    let name = self.variable(Special::Filename.place());
                    let name = self.text_of(&name);
                    let name = String::from_utf8_lossy(&name).into_owned();
                    return Err(fatal(format!("error reading input file `{name}': {errno}")));
                }
            }
        }
    }

    /// The current file ends: its rules run.
    pub async fn end_file(&mut self) -> Run<()> {
        if let Some(mut reader) = self.files.reader.take() {
            reader.give_back();
            self.run_file_rules(Phase::EndFile).await?;
        }
        Ok(())
    }

    async fn run_file_rules(&mut self, phase: Phase) -> Run<Flow> {
        let program = std::sync::Arc::clone(&self.program);
        let entries = if phase == Phase::BeginFile {
            &program.begin_file
        } else {
            &program.end_file
        };
        if entries.is_empty() {
            return Ok(Flow::Finished);
        }
        let before = std::mem::replace(&mut self.phase, phase);
        let at = self.at;
        for entry in entries {
            match self.execute_boxed(*entry as usize).await? {
                Flow::Finished => {}
                flow => {
                    self.phase = before;
                    self.at = at;
                    if flow == Flow::Exit {
                        return Err(super::machine::Trouble::Exit);
                    }
                    return Ok(flow);
                }
            }
        }
        self.phase = before;
        self.at = at;
        Ok(Flow::Finished)
    }

    /// Goes to the next file that can be read; `false` when there is none.
    async fn next_file(&mut self) -> Run<bool> {
        if self.files.ended {
            return Ok(false);
        }
        while let Some(operand) = self.next_operand() {
            if operand.is_empty() {
                continue;
            }
            if let Some((name, text)) = assignment(&operand) {
                self.assign_operand(name, text)?;
                self.print_warnings().await?;
                continue;
            }
            self.files.any = true;
            if self.open_file(&operand).await? {
                return Ok(true);
            }
        }
        self.files.ended = true;
        if self.files.any {
            return Ok(false);
        }
        // Nothing was named.
        self.files.any = true;
        self.begin_in_place(b"-").await?;
        let file = self
            .proc
            .stdin()
            .map_err(|errno| fatal(format!("cannot read standard input: {errno}")))?;
        self.begin_file(Input::new(file), b"-").await
    }

    /// The next element of ARGV, as it is now.
    fn next_operand(&mut self) -> Option<Vec<u8>> {
        let count = self.variable(Special::Argc.place()).number();
        while self.files.next < count {
            let index = self.files.next;
            self.files.next += 1.0;
            let Value::Array(argv) = self.variable(Special::Argv.place()) else {
                return None;
            };
            let key = index.to_string();
            let value = self
                .array(argv)
                .and_then(|argv| argv.get(key.as_bytes()))
                .cloned();
            if let Some(value) = value {
                self.set_global(Special::Argind, Value::Number(index));
                return Some(self.text_of(&value));
            }
        }
        None
    }

    async fn open_file(&mut self, name: &[u8]) -> Run<bool> {
        self.fnr = 0.0;
        self.begin_in_place(name).await?;
        let opened = match name {
            b"-" | b"/dev/stdin" => self.proc.stdin(),
            _ => self.proc.open(name, OpenFlags::READ).await,
        };
        let error = match opened {
            Ok(file)
                if file
                    .metadata()
                    .is_ok_and(|metadata| metadata.kind == FileKind::Directory) =>
            {
                Errno::EISDIR
            }
            Ok(file) => return self.begin_file(Input::new(file), name).await,
            Err(errno) => errno,
        };
        if !self.program.begin_file.is_empty() {
            // The rules may look at ERRNO and go on with the next file.
            self.set_error(error.message())?;
            self.set_global(
                Special::Filename,
                Value::Input(Text::copy(name, &self.proc.kernel)?),
            );
            if self.run_file_rules(Phase::BeginFile).await? == Flow::NextFile {
                return Ok(false);
            }
        }
        if error == Errno::EISDIR {
            let text = [
                b"warning: command line argument `",
                name,
                b"' is a directory: skipped",
            ]
            .concat();
            let text = self.placed_in_rule(text);
            self.proc.warn(text).await?;
            return Ok(false);
        }
        let text = [
            b"fatal: cannot open file `",
            name,
            format!("' for reading: {error}").as_bytes(),
        ]
        .concat();
        let text = self.placed_in_rule(text);
        Err(super::machine::Trouble::Unlocated(text))
    }

    /// A message about a file names the place in the program that ran last, if a BEGINFILE rule did.
    fn placed_in_rule(&self, text: Vec<u8>) -> Vec<u8> {
        if !self.program.begin_file.is_empty() {
            return self.located(&text);
        }
        if self.in_place.is_some() {
            return [b"inplace:59: ", self.input_place().as_bytes(), text.as_slice()].concat();
        }
        text
    }

    async fn begin_file(&mut self, input: Input, name: &[u8]) -> Run<bool> {
        self.set_global(
            Special::Filename,
            Value::Input(Text::copy(name, &self.proc.kernel)?),
        );
        self.fnr = 0.0;
        self.set_error("")?;
        self.files.reader = Some(Reader::new(input, self.proc.kernel.lease()));
        if self.run_file_rules(Phase::BeginFile).await? == Flow::NextFile {
            self.end_file().await?;
            return Ok(false);
        }
        Ok(true)
    }
}

/// `name=text`; the name may be one of a namespace.
pub fn assignment(operand: &[u8]) -> Option<(&[u8], &[u8])> {
    let at = memchr::memchr(b'=', operand)?;
    let (name, text) = (operand.get(..at)?, operand.get(at + 1..)?);
    let inner = match memchr::memmem::find(name, b"::") {
        Some(end) if is_name(name.get(..end)?) => name.get(end + 2..)?,
        Some(_) => return None,
        None => name,
    };
    is_name(inner).then_some((name, text))
}

/// Whether a word can name a variable.
pub fn is_name(word: &[u8]) -> bool {
    word.first()
        .is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_')
        && word
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
}
