//! Printing a dump: lines of groups with the characters beside them, plain digits, or an array in C.

use super::{Options, Style};
use crate::fs::{Errno, FileKind};
use crate::kernel::{Input, Proc, Stop};
use crate::program::usage;

/// The bytes to dump, one at a time.
struct Source {
    input: Input,
    left: u64,
}

impl Source {
    async fn byte(&mut self, proc: &mut Proc) -> Result<Option<u8>, Stop> {
        if self.left == 0 {
            return Ok(None);
        }
        if self.input.buffered().is_empty() {
            proc.kernel.breathe().await;
            match self.input.fill().await {
                Ok(true) => {}
                Ok(false) => return Ok(None),
                Err(errno) => return Err(read_failed(proc, errno).await),
            }
        }
        self.left -= 1;
        Ok(self.input.take(1).first().copied())
    }
}

async fn read_failed(proc: &mut Proc, errno: Errno) -> Stop {
    usage::fail(proc, 2, errno.message()).await
}

/// Dumps the input.
pub(super) async fn dump(
    proc: &mut Proc,
    mut input: Input,
    options: &Options,
    columns: usize,
    group: usize,
) -> Result<i32, Stop> {
    let start = seek(proc, &mut input, options).await?;
    let mut source = Source {
        input,
        left: options.length.unwrap_or(u64::MAX),
    };
    match options.style {
        Style::Include => include(proc, &mut source, options, columns).await?,
        Style::Plain => plain(proc, &mut source, options, columns).await?,
        _ => lines(proc, &mut source, options, (columns, group), start).await?,
    }
    Ok(0)
}

/// Moves to where the dump starts, and says where that is.
async fn seek(proc: &mut Proc, input: &mut Input, options: &Options) -> Result<u64, Stop> {
    let wanted = options.seek;
    if wanted.offset == 0 && !wanted.backwards && wanted.relative {
        return Ok(0);
    }
    let file = input.file().clone();
    if file.is_seekable() {
        let size = match file.metadata() {
            Ok(found) if found.kind == FileKind::Regular => found.size,
            _ => 0,
        };
        let base = match (wanted.relative, wanted.backwards) {
            (true, _) => file.offset(),
            (false, true) => size,
            (false, false) => 0,
        };
        let step = if wanted.backwards {
            -wanted.offset
        } else {
            wanted.offset
        };
        let position = base.checked_add_signed(step);
        if let Some(position) = position
            && file.seek(position).is_ok()
        {
            return Ok(position);
        }
    }
    if wanted.backwards && wanted.offset != 0 {
        return Err(usage::fail(proc, 4, "Sorry, cannot seek.").await);
    }
    let mut left = wanted.offset;
    while left > 0 {
        proc.kernel.breathe().await;
        if input.buffered().is_empty() {
            match input.fill().await {
                Ok(true) => {}
                Ok(false) => return Err(usage::fail(proc, 4, "Sorry, cannot seek.").await),
                Err(errno) => return Err(read_failed(proc, errno).await),
            }
        }
        let most = usize::try_from(left).unwrap_or(usize::MAX);
        left -= input.take(most).len() as i64;
    }
    Ok(wanted.offset.unsigned_abs())
}

/// The name of the array: that of the file, with what C does not allow replaced.
fn push_name(out: &mut Vec<u8>, name: &[u8], capitals: bool) {
    for byte in name {
        let shown = if byte.is_ascii_alphanumeric() { *byte } else { b'_' };
        out.push(if capitals {
            shown.to_ascii_uppercase()
        } else {
            shown
        });
    }
}

async fn include(
    proc: &mut Proc,
    source: &mut Source,
    options: &Options,
    columns: usize,
) -> Result<(), Stop> {
    let file = options.operands.first().filter(|path| *path != b"-");
    let name = options.name.as_ref().or(file).cloned();
    if let Some(name) = &name {
        let out = proc.out();
        out.extend_from_slice(b"unsigned char ");
        if name.first().is_some_and(u8::is_ascii_digit) {
            out.extend_from_slice(b"__");
        }
        push_name(out, name, options.capitals);
        out.extend_from_slice(b"[] = {\n");
    }
    let mut count = 0_usize;
    while let Some(byte) = source.byte(proc).await? {
        let before = match (count, count.is_multiple_of(columns)) {
            (0, _) => "  ",
            (_, true) => ",\n  ",
            (_, false) => ", ",
        };
        let shown = if options.upper {
            format!("{before}0X{byte:02X}")
        } else {
            format!("{before}0x{byte:02x}")
        };
        proc.write(shown.as_bytes()).await?;
        count += 1;
    }
    if count > 0 {
        proc.write(b"\n").await?;
    }
    if let Some(name) = &name {
        let out = proc.out();
        out.extend_from_slice(b"};\nunsigned int ");
        if name.first().is_some_and(u8::is_ascii_digit) {
            out.extend_from_slice(b"__");
        }
        push_name(out, name, options.capitals);
        let suffix = if options.capitals { "_LEN" } else { "_len" };
        out.extend_from_slice(format!("{suffix} = {count};\n").as_bytes());
        proc.flush_if_full().await?;
    }
    Ok(())
}

fn push_hex(out: &mut Vec<u8>, byte: u8, upper: bool) {
    let digits = if upper {
        b"0123456789ABCDEF"
    } else {
        b"0123456789abcdef"
    };
    for digit in [byte >> 4, byte & 15] {
        out.extend(digits.get(usize::from(digit)));
    }
}

async fn plain(proc: &mut Proc, source: &mut Source, options: &Options, columns: usize) -> Result<(), Stop> {
    let mut column = 0;
    while let Some(byte) = source.byte(proc).await? {
        push_hex(proc.out(), byte, options.upper);
        column += 1;
        if column == columns {
            proc.write(b"\n").await?;
            column = 0;
        }
        proc.flush_if_full().await?;
    }
    if column > 0 || columns == 0 {
        proc.write(b"\n").await?;
    }
    Ok(())
}

/// Lines of zeros, of which `-a` shows the first.
#[derive(Default)]
struct Zeros {
    seen: u32,
    second: Vec<u8>,
}

impl Zeros {
    /// A line, or at the end `None`. What is printed now.
    fn pass(&mut self, line: &[u8], zero: bool, out: &mut Vec<u8>) {
        if zero {
            match self.seen {
                0 => out.extend_from_slice(line),
                1 => self.second = line.to_vec(),
                _ => {}
            }
            self.seen += 1;
            return;
        }
        self.flush(self.seen, out);
        out.extend_from_slice(line);
    }

    fn flush(&mut self, seen: u32, out: &mut Vec<u8>) {
        match seen {
            0 | 1 => {}
            2 => out.extend_from_slice(&self.second),
            _ => out.extend_from_slice(b"*\n"),
        }
        self.seen = 0;
    }

    /// The end: the last line of zeros is shown again.
    fn end(&mut self, last: &[u8], out: &mut Vec<u8>) {
        if self.seen > 1 {
            self.flush(self.seen - 1, out);
            out.extend_from_slice(last);
        }
    }
}

async fn lines(
    proc: &mut Proc,
    source: &mut Source,
    options: &Options,
    (columns, group): (usize, usize),
    start: u64,
) -> Result<(), Stop> {
    let mut offset = start.wrapping_add(options.display);
    let mut zeros = Zeros::default();
    let mut bytes = Vec::new();
    let mut line = Vec::new();
    loop {
        bytes.clear();
        while bytes.len() < columns {
            match source.byte(proc).await? {
                Some(byte) => bytes.push(byte),
                None => break,
            }
        }
        if bytes.is_empty() {
            break;
        }
        line.clear();
        format_line(&mut line, options, (columns, group), offset, &bytes);
        let zero = options.autoskip && bytes.len() == columns && bytes.iter().all(|byte| *byte == 0);
        zeros.pass(&line, zero, proc.out());
        proc.flush_if_full().await?;
        offset = offset.wrapping_add(bytes.len() as u64);
        if bytes.len() < columns {
            return Ok(());
        }
    }
    zeros.end(&line, proc.out());
    Ok(())
}

fn format_line(
    out: &mut Vec<u8>,
    options: &Options,
    (columns, group): (usize, usize),
    offset: u64,
    bytes: &[u8],
) {
    let address = if options.decimal {
        format!("{offset:08}: ")
    } else {
        format!("{offset:08x}: ")
    };
    out.extend_from_slice(address.as_bytes());
    let digits = if options.style == Style::Bits { 8 } else { 2 };
    let group_width = digits * group + 1;
    let text = out.len() + (group_width * columns - 1) / group + 2;
    let begin = out.len();
    out.resize(text, b' ');
    for (index, byte) in bytes.iter().enumerate() {
        let place = if options.style == Style::LittleEndian {
            index ^ (group - 1)
        } else {
            index
        };
        let at = begin + group_width * place / group;
        let mut shown = Vec::new();
        if options.style == Style::Bits {
            shown.extend_from_slice(format!("{byte:08b}").as_bytes());
        } else {
            push_hex(&mut shown, *byte, options.upper);
        }
        // In the last group of a little-endian dump a place may lie behind the columns.
        if out.len() < at + shown.len() {
            out.resize(at + shown.len(), b' ');
        }
        for (slot, digit) in out.iter_mut().skip(at).zip(&shown) {
            *slot = *digit;
        }
    }
    for (index, byte) in bytes.iter().enumerate() {
        let shown = if matches!(byte, 32..127) { *byte } else { b'.' };
        match out.get_mut(text + index) {
            Some(slot) => *slot = shown,
            None => out.push(shown),
        }
    }
    out.truncate(text + bytes.len());
    out.push(b'\n');
}
