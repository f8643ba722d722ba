//! `od`: dumps of files in octal and other formats.
//!
//! The operands are read as one stream ([`source`]), a block of `-w` bytes a line; a block equal to the one before is shown as `*`. Each
//! format ([`format`]) prints a line of its own, and their columns align.

mod float;
mod format;
mod options;
mod source;

use self::format::Format;
use self::options::{Options, Radix};
use self::source::Source;
use super::usage;
use crate::kernel::{Proc, Program, Stop};

/// The program.
pub const PROGRAM: Program = Program {
    name: "od",
    run: |proc| Box::pin(run(proc)),
};

async fn run(proc: &mut Proc) -> Result<i32, Stop> {
    let options = Options::from_arguments(proc.arguments());
    let options = usage::accept(proc, options).await?;
    for warning in &options.warnings {
        proc.warn(warning).await?;
    }
    let mut source = Source::new(&options.paths);
    if !source.begin(proc).await? {
        return Ok(1);
    }
    if source.skip(proc, options.skip).await? > 0 {
        return Err(usage::fail(proc, 1, "cannot skip past end of combined input").await);
    }
    match options.strings {
        Some(least) => dump_strings(proc, &mut source, &options, least).await?,
        None => dump(proc, &mut source, &options).await?,
    }
    Ok(i32::from(source.failed))
}

impl Options {
    /// The offset at the start of a line.
    fn address(&self, offset: u64) -> String {
        let plain = match self.radix {
            Radix::Decimal => format!("{offset:07}"),
            Radix::Octal => format!("{offset:07o}"),
            Radix::Hexadecimal => format!("{offset:06x}"),
            Radix::None => String::new(),
        };
        let Some(label) = self.label else { return plain };
        let shown = offset.wrapping_sub(self.skip).wrapping_add(label);
        match self.radix {
            Radix::Decimal => format!("{plain} ({shown:07})"),
            Radix::Octal => format!("{plain} ({shown:07o})"),
            Radix::Hexadecimal => format!("{plain} ({shown:06x})"),
            Radix::None => format!("({shown:o})"),
        }
    }
}

async fn dump(proc: &mut Proc, source: &mut Source, options: &Options) -> Result<(), Stop> {
    let mut lease = proc.kernel.lease();
    lease.resize(options.width * 2)?;
    let mut offset = options.skip;
    let mut left = options.count.unwrap_or(u64::MAX);
    let mut before: Vec<u8> = Vec::new();
    let mut block = Vec::new();
    let mut starred = false;
    let least = format::common_multiple(&options.formats);
    while left > 0 {
        proc.kernel.breathe().await;
        block.clear();
        let wanted = usize::try_from(left).unwrap_or(usize::MAX).min(options.width);
        source.read(proc, &mut block, wanted, left).await?;
        let length = block.len();
        if length == 0 {
            break;
        }
        left -= length as u64;
        let same = length == options.width && !options.verbose && block == before;
        if same {
            if !starred {
                proc.write(b"*\n").await?;
            }
            starred = true;
        } else {
            starred = false;
            block.resize(length.next_multiple_of(least), 0);
            write_block(proc, options, offset, &block, length);
            proc.flush_if_full().await?;
        }
        offset += length as u64;
        if length < options.width {
            break;
        }
        std::mem::swap(&mut before, &mut block);
    }
    let end = options.address(offset);
    if !end.is_empty() {
        proc.write(end.as_bytes()).await?;
        proc.write(b"\n").await?;
    }
    Ok(())
}

/// One line a format. `block` holds `length` bytes and zeros up to a whole number.
fn write_block(proc: &mut Proc, options: &Options, offset: u64, block: &[u8], length: usize) {
    let address = options.address(offset);
    let widest = options
        .formats
        .iter()
        .map(|format| (format.width() + 1) * (options.width / format.size))
        .max()
        .unwrap_or(0);
    let out = proc.out();
    for (index, format) in options.formats.iter().enumerate() {
        if index == 0 {
            out.extend_from_slice(address.as_bytes());
        } else {
            out.resize(out.len() + address.len(), b' ');
        }
        write_fields(out, options, format, widest, block, length);
        out.push(b'\n');
    }
}

fn write_fields(
    out: &mut Vec<u8>,
    options: &Options,
    format: &Format,
    widest: usize,
    block: &[u8],
    length: usize,
) {
    let fields = options.width / format.size;
    let blank = (options.width - length) / format.size;
    let padding = widest - format.width() * fields;
    let mut left = padding;
    for (index, bytes) in block.chunks(format.size).take(fields - blank).enumerate() {
        let next = padding * (fields - index - 1) / fields;
        let text = format.show(bytes, options.big_endian);
        let width = left - next + format.width();
        out.resize(out.len() + width.saturating_sub(text.len()), b' ');
        out.extend_from_slice(&text);
        left = next;
    }
    if format.trailer {
        let room = blank * format.width() + padding * blank / fields;
        out.resize(out.len() + room, b' ');
        out.extend_from_slice(b"  >");
        let bytes = block.iter().take(length);
        out.extend(bytes.map(|&byte| if matches!(byte, 32..127) { byte } else { b'.' }));
        out.push(b'<');
    }
}

/// `-S`: runs of at least `least` graphic characters before a NUL.
async fn dump_strings(
    proc: &mut Proc,
    source: &mut Source,
    options: &Options,
    least: usize,
) -> Result<(), Stop> {
    let mut lease = proc.kernel.lease();
    let end = options
        .count
        .map_or(u64::MAX, |count| options.skip.saturating_add(count));
    let mut address = options.skip;
    let mut text = Vec::new();
    loop {
        text.clear();
        if options.count.is_some() && end.checked_sub(least as u64).is_none_or(|last| last <= address) {
            return Ok(());
        }
        // GNU looks at no byte behind the end, but for the first ones of a run.
        let complete = loop {
            if text.len() >= least && address >= end {
                break true;
            }
            let Some(byte) = source.byte(proc).await? else {
                return Ok(());
            };
            address += 1;
            match byte {
                0 if text.len() >= least => break true,
                32..127 => text.push(byte),
                _ => break false,
            }
            lease.resize(text.len())?;
        };
        if complete {
            let start = address.wrapping_sub(text.len() as u64).wrapping_sub(1);
            let shown = options.address(start);
            if !shown.is_empty() {
                proc.write(shown.as_bytes()).await?;
                proc.write(b" ").await?;
            }
            text.push(b'\n');
            proc.write(&text).await?;
        }
    }
}
