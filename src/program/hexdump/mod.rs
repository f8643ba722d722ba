//! `hexdump` and `hd`: dumps in formats, of which the letters are shorthands (`-C`, `-b`, …) and `-e` takes any.
//!
//! [`format`] reads format strings, [`show`] prints a block by them. A block is as long as the longest format; one equal to the block
//! before is shown as `*`.

mod format;
mod options;
mod show;

use self::format::Formats;
use self::options::Options;
use super::message::message;
use super::usage;
use crate::fs::FileKind;
use crate::kernel::{Input, Proc, Program, Stop};

/// `hexdump`
pub const PROGRAM: Program = Program {
    name: "hexdump",
    run: |proc| Box::pin(run(proc, false)),
};

/// `hd`: `hexdump -C`.
pub const HD: Program = Program {
    name: "hd",
    run: |proc| Box::pin(run(proc, true)),
};

async fn run(proc: &mut Proc, canonical: bool) -> Result<i32, Stop> {
    let options = Options::from_arguments(proc.arguments(), canonical);
    let options = usage::accept(proc, options).await?;
    let formats = Formats::parse(&options.formats);
    let formats = match formats {
        Ok(formats) => formats,
        Err(message) => return Err(usage::fail(proc, 1, message).await),
    };
    let mut source = Source {
        paths: usage::operands_or_stdin(options.paths).into_iter().collect(),
        input: None,
        skip: options.skip,
        address: 0,
        left: options.length.unwrap_or(u64::MAX),
        status: 0,
        opened: false,
    };
    dump(proc, &mut source, &formats, options.verbose).await?;
    if !source.opened {
        proc.warn("all input file arguments failed").await?;
    }
    Ok(source.status)
}

/// The operands as one stream.
struct Source {
    paths: std::collections::VecDeque<Vec<u8>>,
    input: Option<(Vec<u8>, Input)>,
    skip: u64,
    /// The offset of what comes next.
    address: u64,
    left: u64,
    status: i32,
    opened: bool,
}

impl Source {
    /// Opens the next file, and skips what is to be skipped.
    async fn open(&mut self, proc: &mut Proc) -> Result<bool, Stop> {
        while let Some(path) = self.paths.pop_front() {
            let file = match proc.open_operand(&path).await {
                Ok(file) => file,
                Err(errno) => {
                    proc.warn(message!(path, ": ", errno.message())).await?;
                    self.status = 1;
                    continue;
                }
            };
            self.opened = true;
            if self.skip > 0 {
                let found = file.metadata().ok();
                let regular = found.filter(|found| found.kind == FileKind::Regular);
                if let Some(size) = regular.map(|found| found.size).filter(|size| self.skip > *size) {
                    self.skip -= size;
                    self.address += size;
                    continue;
                }
                if file.seek(self.skip).is_err() {
                    let name: &[u8] = if path == b"-" { b"stdin" } else { &path };
                    return Err(usage::fail(proc, 1, message!(name, ": Illegal seek")).await);
                }
                self.address += self.skip;
                self.skip = 0;
            }
            self.input = Some((path, Input::new(file)));
            return Ok(true);
        }
        Ok(false)
    }

    /// Appends bytes until `wanted` are there or nothing is left.
    async fn read(&mut self, proc: &mut Proc, into: &mut Vec<u8>, wanted: usize) -> Result<(), Stop> {
        while into.len() < wanted && self.left > 0 {
            let Some((path, input)) = &mut self.input else {
                if self.open(proc).await? {
                    continue;
                }
                break;
            };
            if input.buffered().is_empty() {
                proc.kernel.breathe().await;
                match input.fill().await {
                    Ok(true) => {}
                    Ok(false) => self.input = None,
                    Err(errno) => {
                        let line = message!(path, ": ", errno.message());
                        self.input = None;
                        proc.warn(line).await?;
                    }
                }
                continue;
            }
            let most = usize::try_from(self.left).unwrap_or(usize::MAX);
            let taken = input.take(most.min(wanted - into.len()));
            into.extend_from_slice(taken);
            self.left -= taken.len() as u64;
        }
        Ok(())
    }
}

async fn dump(proc: &mut Proc, source: &mut Source, formats: &Formats, verbose: bool) -> Result<(), Stop> {
    let size = formats.block;
    let mut lease = proc.kernel.lease();
    lease.resize(size * 2)?;
    let mut before: Vec<u8> = Vec::new();
    let mut block = Vec::new();
    let mut starred = false;
    // The first file decides where the addresses begin.
    if !source.open(proc).await? && !source.opened {
        return Ok(());
    }
    let mut address = source.address;
    let mut end = None;
    loop {
        block.clear();
        source.read(proc, &mut block, size).await?;
        let length = block.len();
        if length == 0 {
            break;
        }
        if length == size && !verbose && block == before {
            if !starred {
                proc.write(b"*\n").await?;
            }
            starred = true;
            address += size as u64;
            continue;
        }
        starred = false;
        block.resize(size, 0);
        let limit = address + length as u64;
        show::block(proc.out(), formats, &block, address, limit);
        proc.flush_if_full().await?;
        address = limit;
        if length < size {
            end = Some(limit);
            break;
        }
        std::mem::swap(&mut before, &mut block);
    }
    let end = end.unwrap_or_else(|| address.max(source.address));
    if end > 0 {
        show::end(proc.out(), formats, end);
    }
    Ok(())
}
