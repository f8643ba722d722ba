//! An archive that is read piece by piece, through gzip where it is compressed: headers with [`Archive::next`], the data of a member with
//! [`Archive::body`]. No more than a few blocks are in memory, however large it is.

use super::header::{self, BLOCK, Member, Next};
use super::options::Options;
use super::{cannot_open, fatal, message, usage};
use crate::fs::{FileKind, OpenFlags};
use crate::kernel::{Input, Proc, Stop};
use crate::program::gzip::codec::{self, Broken, Unpacker};

enum Source {
    Plain(Input),
    Gzip(Box<Unpacker>),
}

/// What comes next in an archive.
pub enum Found {
    /// A member, whose data follow.
    Member(Box<Member>),
    /// Blocks of zeros, or nothing.
    End,
    /// No header.
    Invalid,
    /// Not even a block.
    Short,
}

/// An open archive.
pub struct Archive {
    source: Source,
    /// Its name, for messages.
    name: Vec<u8>,
    buffer: Vec<u8>,
    /// Where what is not used begins in the buffer.
    start: usize,
    /// Nothing follows what is in the buffer.
    ended: bool,
    /// How much was used.
    offset: u64,
    /// Bytes of the member that are still to come.
    left: u64,
    /// Bytes behind it.
    padding: usize,
    /// What gzip exits with.
    child: i32,
    /// Another process writes it, and is not to be told that nobody reads on.
    piped: bool,
}

impl Archive {
    /// Opens the archive of the command line.
    pub async fn open(proc: &mut Proc, options: &Options) -> Result<Archive, Stop> {
        let file = if options.archive == b"-" {
            proc.stdin()
        } else {
            proc.open(&options.archive, OpenFlags::READ).await
        };
        let file = match file {
            Ok(file) => file,
            Err(errno) => return Err(cannot_open(proc, &options.archive, errno).await),
        };
        let piped = file.metadata().is_ok_and(|found| found.kind == FileKind::Fifo);
        let mut input = Input::new(file);
        while input.buffered().len() < 2 {
            match input.fill().await {
                Ok(true) => {}
                Ok(false) => break,
                Err(errno) => {
                    let text = message!(options.archive, ": Cannot read: ", errno.message());
                    return Err(fatal(proc, text).await);
                }
            }
        }
        let source = source(proc, options, input).await?;
        Ok(Archive {
            source,
            name: options.archive.clone(),
            buffer: Vec::new(),
            start: 0,
            ended: false,
            offset: 0,
            left: 0,
            padding: 0,
            child: 0,
            piped,
        })
    }

    /// It goes through gzip.
    pub fn is_compressed(&self) -> bool {
        matches!(self.source, Source::Gzip(_))
    }

    /// How much was used.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// It has no byte.
    pub fn is_empty(&self) -> bool {
        self.offset == 0 && self.ended && self.unused().is_empty()
    }

    /// More than a block is there.
    pub async fn has_more(&mut self, proc: &mut Proc) -> Result<bool, Stop> {
        while self.unused().len() <= BLOCK && self.fill(proc).await? {}
        Ok(self.unused().len() > BLOCK)
    }

    fn unused(&self) -> &[u8] {
        self.buffer.get(self.start..).unwrap_or_default()
    }

    fn consume(&mut self, count: usize) {
        let count = count.min(self.unused().len());
        self.start += count;
        self.offset += count as u64;
    }

    /// Reads a piece more. `false` at the end.
    async fn fill(&mut self, proc: &mut Proc) -> Result<bool, Stop> {
        if self.ended {
            return Ok(false);
        }
        self.buffer.drain(..self.start);
        self.start = 0;
        let before = self.buffer.len();
        match &mut self.source {
            Source::Plain(input) => match input.block().await {
                Ok(block) => self.buffer.extend_from_slice(block),
                Err(errno) => {
                    let text = message!(self.name, ": Cannot read: ", errno.message());
                    return Err(fatal(proc, text).await);
                }
            },
            Source::Gzip(unpacker) => {
                if let Some(Err(broken)) = unpacker.read(proc, &mut self.buffer).await? {
                    self.child = if broken == Broken::Garbage { 2 } else { 1 };
                    self.ended = true;
                    let text = message!("\ngzip: stdin: ", broken.sentence(), "\n");
                    proc.write_error(&text).await?;
                }
            }
        }
        self.ended |= self.buffer.len() == before;
        Ok(!self.ended || self.buffer.len() > before)
    }

    /// Reads a header.
    pub async fn next(&mut self, proc: &mut Proc) -> Result<Found, Stop> {
        loop {
            proc.kernel.breathe().await;
            proc.charge(2)?;
            match header::read(self.unused(), self.ended) {
                Next::More => {
                    self.fill(proc).await?;
                }
                Next::Member(member, length) => {
                    self.consume(length);
                    self.left = member.size;
                    self.padding = (BLOCK - (member.size % BLOCK as u64) as usize) % BLOCK;
                    return Ok(Found::Member(member));
                }
                Next::End => return Ok(Found::End),
                Next::Invalid => return Ok(Found::Invalid),
                Next::Short => return Ok(Found::Short),
            }
        }
    }

    /// Passes blocks until one is a header. `false`: none is.
    pub async fn find_header(&mut self, proc: &mut Proc) -> Result<bool, Stop> {
        self.consume(BLOCK);
        loop {
            proc.kernel.breathe().await;
            proc.charge(2)?;
            match header::read(self.unused(), self.ended) {
                Next::Member(..) => return Ok(true),
                Next::More => {
                    self.fill(proc).await?;
                }
                _ if self.unused().is_empty() => return Ok(false),
                _ => self.consume(BLOCK),
            }
        }
    }

    /// The next piece of the member's data: empty at its end, and at that of the archive.
    pub async fn body(&mut self, proc: &mut Proc) -> Result<&[u8], Stop> {
        if self.left == 0 {
            return Ok(&[]);
        }
        if self.unused().is_empty() {
            self.fill(proc).await?;
        }
        let count = usize::try_from(self.left)
            .unwrap_or(usize::MAX)
            .min(self.unused().len());
        let start = self.start;
        self.consume(count);
        self.left -= count as u64;
        Ok(self.buffer.get(start..start + count).unwrap_or_default())
    }

    /// Passes what is left of a member. `false`: the archive ends inside.
    pub async fn skip(&mut self, proc: &mut Proc) -> Result<bool, Stop> {
        while !self.body(proc).await?.is_empty() {
            proc.kernel.breathe().await;
        }
        if self.left > 0 {
            return Ok(false);
        }
        while self.unused().len() < self.padding && self.fill(proc).await? {}
        let padding = std::mem::take(&mut self.padding);
        self.consume(padding);
        Ok(true)
    }

    /// Reads to the end where another process writes, and says what became of gzip.
    pub async fn close(&mut self, proc: &mut Proc) -> Result<(), Stop> {
        if self.piped || self.is_compressed() {
            loop {
                proc.kernel.breathe().await;
                self.consume(self.unused().len());
                if !self.fill(proc).await? {
                    break;
                }
            }
        }
        if self.child == 0 {
            return Ok(());
        }
        proc.warn(format!("Child returned status {}", self.child)).await?;
        Err(usage::fail(proc, 2, "Error is not recoverable: exiting now").await)
    }
}

/// Finds out whether an archive is compressed.
async fn source(proc: &mut Proc, options: &Options, input: Input) -> Result<Source, Stop> {
    if !codec::is_gzip(input.buffered()) {
        if options.gzip && !input.buffered().is_empty() {
            return Err(gzip_failed(proc, Broken::NotGzip).await);
        }
        return Ok(Source::Plain(input));
    }
    if options.archive == b"-" && !options.gzip {
        return Err(fatal(proc, "Archive is compressed. Use -z option").await);
    }
    match Unpacker::new(proc, input).await? {
        (unpacker, None) => Ok(Source::Gzip(Box::new(unpacker))),
        (_, Some(broken)) => Err(gzip_failed(proc, broken).await),
    }
}

async fn gzip_failed(proc: &mut Proc, broken: Broken) -> Stop {
    let text = message!("\ngzip: stdin: ", broken.sentence(), "\n");
    if let Err(stop) = proc.write_error(&text).await {
        return stop;
    }
    fatal(proc, "Child returned status 1").await
}
