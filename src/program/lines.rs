//! Reading many lines at once: a block of whole lines costs one step instead of one a line.

use crate::fs::Errno;
use crate::kernel::Input;

/// Bytes that programs work on in a step, when they take many lines at once.
const BYTES_A_STEP: u64 = 16;

/// The next whole lines, as many as are there; empty at the end. Only the last line of the input may lack its delimiter.
pub async fn whole_lines(input: &mut Input, delimiter: u8) -> Result<&[u8], Errno> {
    let mut searched = 0;
    let count = loop {
        let fresh = input.buffered().get(searched..).unwrap_or_default();
        if let Some(at) = memchr::memrchr(delimiter, fresh) {
            break searched + at + 1;
        }
        searched = input.buffered().len();
        if !input.fill().await? {
            break searched;
        }
    };
    input.file().charge_work(count as u64 / BYTES_A_STEP)?;
    Ok(input.take(count))
}

/// The lines of a block, each with its delimiter, which only the last may lack.
pub fn split(block: &[u8], delimiter: u8) -> impl Iterator<Item = &[u8]> {
    let mut rest = block;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let end = memchr::memchr(delimiter, rest).map_or(rest.len(), |at| at + 1);
        let (line, behind) = rest.split_at_checked(end)?;
        rest = behind;
        Some(line)
    })
}

/// A line without its delimiter.
pub fn text(line: &[u8], delimiter: u8) -> &[u8] {
    match line.split_last() {
        Some((last, text)) if *last == delimiter => text,
        _ => line,
    }
}
