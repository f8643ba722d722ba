//! `csplit`: splits a file where lines match.
//!
//! [`options`] reads the command line and the patterns, [`suffix`] makes names, [`lines`] holds what is read. Each pattern takes lines from
//! there and gives them to a piece; a pattern that finds no place ends it all, and then the pieces are removed unless `-k` keeps them.
//!
//! Tests: `corpus/cases/program/csplit.case`.

mod lines;
mod options;
mod suffix;

use std::sync::Arc;

use super::message::message;
use super::usage::{self, Failure};
use crate::args::{quote, quoteaf, quotef};
use crate::fs::{Errno, OpenFlags};
use crate::kernel::{File, Input, Proc, Program, Stop, cost};
use crate::pattern::Regex;
use lines::{Ended, Lines};
use options::{Options, Pattern, Place, SPEC};

/// The program.
pub const PROGRAM: Program = Program {
    name: "csplit",
    run: |proc| Box::pin(run(proc)),
};

/// Bytes of a piece that are kept before they are written.
const BUFFER: usize = 32 << 10;

async fn run(proc: &mut Proc) -> Result<i32, Stop> {
    let parsed = usage::parse(proc, &SPEC).await?;
    let options = Options::of(&parsed);
    let options = usage::accept(proc, options).await?;
    if options.suffix.is_too_wide() {
        return Err(usage::fail(proc, 1, Errno::ENAMETOOLONG.message()).await);
    }
    let (path, words) = parsed
        .operands
        .split_first()
        .unwrap_or((const { &Vec::new() }, &[]));
    let file = match proc.open_operand(path).await {
        Ok(file) => file,
        Err(errno) => {
            let line = message!("cannot open ", quoteaf(path), " for reading: ", errno.message());
            return Err(usage::fail(proc, 1, line).await);
        }
    };
    let (patterns, warnings) = usage::accept(proc, options::patterns(words)).await?;
    for warning in warnings {
        proc.warn(warning).await?;
    }
    let lines = Lines::new(proc, Input::new(file));
    let mut splitter = Splitter {
        proc,
        options: &options,
        lines,
        piece: None,
        count: 0,
    };
    match splitter.run(&patterns).await {
        Ok(()) => Ok(0),
        Err(Ended::Stop(stop)) => Err(stop),
        Err(Ended::Fatal) => {
            splitter.clean_up().await?;
            Ok(1)
        }
    }
}

/// The piece that is written.
struct Piece {
    name: Vec<u8>,
    file: Arc<File>,
    pending: Vec<u8>,
    bytes: u64,
}

struct Splitter<'a> {
    proc: &'a mut Proc,
    options: &'a Options,
    lines: Lines,
    piece: Option<Piece>,
    /// Pieces so far.
    count: u64,
}

impl Splitter<'_> {
    async fn run(&mut self, patterns: &[Pattern]) -> Result<(), Ended> {
        for pattern in patterns {
            let mut repetition = 0;
            while pattern.repeat.is_none_or(|most| repetition <= most) {
                self.proc.charge(cost::LINE).map_err(Ended::Stop)?;
                match &pattern.place {
                    Place::Line(number) => self.split_at_line(*number, repetition).await?,
                    Place::Match { regex, offset, skip } => {
                        let sought = Sought {
                            pattern,
                            regex,
                            offset: *offset,
                            skip: *skip,
                        };
                        self.split_at_match(&sought, repetition).await?;
                    }
                }
                repetition += 1;
            }
        }
        self.begin_piece().await?;
        self.rest().await
    }

    /// What reading gave; an error of the input ends it all.
    async fn read<T>(&mut self, result: Result<T, Failure>) -> Result<T, Ended> {
        match usage::settle(result)? {
            Ok(value) => Ok(value),
            Err(errno) => self.fail(message!("read error: ", errno.message())).await,
        }
    }

    async fn fail<T>(&mut self, sentence: Vec<u8>) -> Result<T, Ended> {
        self.proc.warn(sentence).await?;
        Err(Ended::Fatal)
    }

    async fn find(&mut self, number: u64) -> Result<Option<&[u8]>, Ended> {
        let found = self.lines.find(number).await.map(|line| line.is_some());
        if self.read(found).await? {
            let line = self.lines.find(number).await;
            return Ok(usage::settle(line)?.unwrap_or_default());
        }
        Ok(None)
    }

    async fn take(&mut self) -> Result<Option<Vec<u8>>, Ended> {
        let line = self.lines.take().await;
        self.read(line).await
    }

    async fn first_line(&mut self) -> Result<u64, Ended> {
        let first = self.lines.first().await;
        match self.read(first).await? {
            Some(first) => Ok(first),
            // Nothing is cleaned up here.
            None => Err(Ended::Stop(usage::fail(self.proc, 1, "input disappeared").await)),
        }
    }

    /// A line number splits before that line, and repeated, before its multiples.
    async fn split_at_line(&mut self, number: u64, repetition: u64) -> Result<(), Ended> {
        let end = number.saturating_mul(repetition + 1);
        self.begin_piece().await?;
        let suppress = self.options.suppress_matched;
        if suppress && self.find(self.lines.current + 1).await?.is_none() {
            return self.line_missing(number, repetition).await;
        }
        for _ in self.first_line().await?..end {
            match self.take().await? {
                Some(line) => self.save(&line).await?,
                None => return self.line_missing(number, repetition).await,
            }
        }
        self.end_piece().await?;
        if suppress {
            self.take().await?;
        } else if self.find(self.lines.current + 1).await?.is_none() {
            return self.line_missing(number, repetition).await;
        }
        Ok(())
    }

    async fn line_missing(&mut self, number: u64, repetition: u64) -> Result<(), Ended> {
        let number = number.to_string();
        self.complain(number.as_bytes(), "line number out of range", repetition)
            .await?;
        Err(Ended::Fatal)
    }

    /// Says which pattern found nothing, before the sizes of pieces that are not written yet.
    async fn complain(&mut self, what: &[u8], sentence: &str, repetition: u64) -> Result<(), Stop> {
        let times = match repetition {
            0 => String::new(),
            _ => format!(" on repetition {repetition}"),
        };
        let line = message!(self.proc.name(), ": ", quote(what), ": ", sentence, times, "\n");
        self.proc.write_error(&line).await
    }

    async fn split_at_match(&mut self, sought: &Sought<'_>, repetition: u64) -> Result<(), Ended> {
        if !sought.skip {
            self.begin_piece().await?;
        }
        while !self.is_at_match(sought, repetition).await? {
            // Lines before the match are needed only where the offset goes back to them.
            if sought.offset >= 0 {
                let line = self.take().await?.unwrap_or_default();
                self.keep(&line, sought.skip).await?;
            }
        }
        let end = self.lines.current.saturating_add_signed(sought.offset);
        self.take_until(end, sought).await?;
        if !sought.skip {
            self.end_piece().await?;
        }
        if sought.offset > 0 {
            self.lines.current = end;
        }
        if self.options.suppress_matched {
            self.take().await?;
        }
        Ok(())
    }

    /// Looks at the next line. Without one, the pattern has failed, or has been used as often as it can be.
    async fn is_at_match(&mut self, sought: &Sought<'_>, repetition: u64) -> Result<bool, Ended> {
        self.lines.current += 1;
        let Some(line) = self.find(self.lines.current).await? else {
            let forever = sought.pattern.repeat.is_none();
            if !forever {
                self.complain(&sought.pattern.text, "match not found", repetition)
                    .await?;
            }
            if !sought.skip {
                self.rest().await?;
            }
            return Err(if forever {
                Ended::Stop(Stop::Exit(0))
            } else {
                Ended::Fatal
            });
        };
        let text = line.strip_suffix(b"\n").unwrap_or(line);
        let length = text.len() as u64;
        let matched = sought.regex.is_match(text);
        self.proc.charge(cost::MATCH + length / 4)?;
        match matched {
            Ok(matched) => Ok(matched),
            Err(_) => self.fail(b"error in regular expression search".to_vec()).await,
        }
    }

    /// Takes the lines before `end`.
    async fn take_until(&mut self, end: u64, sought: &Sought<'_>) -> Result<(), Ended> {
        let out_of_range = || message!(quote(&sought.pattern.text), ": line number out of range");
        let first = self.first_line().await?;
        if first > end {
            return self.fail(out_of_range()).await;
        }
        for _ in first..end {
            match self.take().await? {
                Some(line) => self.keep(&line, sought.skip).await?,
                None => return self.fail(out_of_range()).await,
            }
        }
        Ok(())
    }

    async fn keep(&mut self, line: &[u8], skip: bool) -> Result<(), Ended> {
        if skip { Ok(()) } else { self.save(line).await }
    }

    async fn rest(&mut self) -> Result<(), Ended> {
        while let Some(line) = self.take().await? {
            self.save(&line).await?;
        }
        self.end_piece().await
    }

    fn piece_name(&self, number: u64) -> Vec<u8> {
        [self.options.prefix.as_slice(), &self.options.suffix.of(number)].concat()
    }

    async fn begin_piece(&mut self) -> Result<(), Ended> {
        let name = self.piece_name(self.count);
        match self.proc.open_mode(&name, OpenFlags::CREATE, 0o666).await {
            Ok(file) => {
                self.count += 1;
                self.piece = Some(Piece {
                    name,
                    file,
                    pending: Vec::new(),
                    bytes: 0,
                });
                Ok(())
            }
            Err(errno) => self.fail(message!(quotef(&name), ": ", errno.message())).await,
        }
    }

    async fn save(&mut self, line: &[u8]) -> Result<(), Ended> {
        let Some(piece) = &mut self.piece else {
            return Ok(());
        };
        piece.bytes += line.len() as u64;
        piece.pending.extend_from_slice(line);
        if piece.pending.len() >= BUFFER {
            self.write_piece().await?;
        }
        Ok(())
    }

    async fn write_piece(&mut self) -> Result<(), Ended> {
        let Some(piece) = &mut self.piece else {
            return Ok(());
        };
        let pending = std::mem::take(&mut piece.pending);
        if piece.file.write_all(&pending).await.is_err() {
            let line = message!("write error for ", quoteaf(&piece.name));
            self.piece = None;
            return self.fail(line).await;
        }
        Ok(())
    }

    /// Ends the piece and prints how large it is.
    async fn end_piece(&mut self) -> Result<(), Ended> {
        self.write_piece().await?;
        let Some(piece) = self.piece.take() else {
            return Ok(());
        };
        if piece.bytes == 0 && self.options.elide_empty {
            match self.proc.unlink(&piece.name) {
                Ok(()) => self.count -= 1,
                Err(errno) => usage::warn_file(self.proc, &piece.name, errno).await?,
            }
        } else if !self.options.quiet {
            let line = format!("{}\n", piece.bytes);
            self.proc.write(line.as_bytes()).await?;
        }
        Ok(())
    }

    /// Ends the piece and removes all of them.
    async fn clean_up(&mut self) -> Result<(), Stop> {
        if let Err(Ended::Stop(stop)) = self.end_piece().await {
            return Err(stop);
        }
        if self.options.keep {
            return Ok(());
        }
        for number in 0..self.count {
            let name = self.piece_name(number);
            match self.proc.unlink(&name) {
                Ok(()) | Err(Errno::ENOENT) => {}
                Err(errno) => usage::warn_file(self.proc, &name, errno).await?,
            }
        }
        Ok(())
    }
}

/// A pattern of the kind that matches.
struct Sought<'a> {
    pattern: &'a Pattern,
    regex: &'a Regex,
    offset: i64,
    skip: bool,
}
