//! `history [-c] [-d offset] [n]`, `history -anrw [filename]`, `history -ps arg [arg …]`

use std::sync::Arc;

use super::support::number;
use crate::args::{BuiltinParsed, BuiltinSpec};
use crate::fs::OpenFlags;
use crate::interp::history::expand;
use crate::interp::{Divert, Flow, Interp};

const SPEC: BuiltinSpec = BuiltinSpec::new("history", "acd:npsrw");

/// The builtin.
pub async fn run(interp: &mut Interp, args: Vec<Vec<u8>>) -> Flow {
    let parsed = match interp.parse_options(&SPEC, &args) {
        Ok(parsed) => parsed,
        Err(status) => return Ok(status),
    };
    let file_options = b"anrw".iter().filter(|letter| parsed.has(**letter)).count();
    if file_options > 1 {
        interp.complain("history", "cannot use more than one of -anrw");
        return Ok(1);
    }
    if parsed.has(b'c') {
        Arc::make_mut(&mut interp.history).clear();
        if parsed.operands.is_empty() {
            return Ok(0);
        }
    }
    if parsed.has(b's') {
        if !parsed.operands.is_empty() && Arc::make_mut(&mut interp.history).drop_running() {
            interp.remember(parsed.operands.join(&b' '));
        }
        return Ok(0);
    }
    if parsed.has(b'p') {
        Arc::make_mut(&mut interp.history).drop_running();
        return Ok(print_expanded(interp, &parsed.operands));
    }
    if let Some(range) = parsed.last(b'd') {
        return Ok(delete(interp, range));
    }
    if file_options == 1 {
        return with_file(interp, &parsed).await;
    }
    list(interp, &parsed.operands)
}

fn print_expanded(interp: &mut Interp, args: &[Vec<u8>]) -> i32 {
    let mut status = 0;
    for arg in args {
        match expand(&interp.history, arg) {
            Some(text) => interp.print([&text, b"\n".as_slice()].concat()),
            None => {
                interp.complain(
                    "history",
                    [arg, b": history expansion failed".as_slice()].concat(),
                );
                status = 1;
            }
        }
    }
    status
}

/// The index of an entry by its number, or counted from the end.
fn position(interp: &Interp, text: &[u8]) -> Option<usize> {
    let count = interp.history.entries.len();
    let index = match number(text)? {
        offset @ 1.. => usize::try_from(offset)
            .ok()?
            .checked_sub(1 + interp.history.dropped)?,
        offset => count.checked_sub(usize::try_from(offset.checked_neg()?).ok()?)?,
    };
    (index < count).then_some(index)
}

fn delete(interp: &mut Interp, range: &[u8]) -> i32 {
    // A dash behind the first character parts two ends.
    let dash = range
        .iter()
        .skip(1)
        .position(|byte| *byte == b'-')
        .map(|at| at + 1);
    let (first, last) = match dash {
        Some(at) => (
            range.get(..at).unwrap_or_default(),
            range.get(at + 1..).unwrap_or_default(),
        ),
        None => (range, range),
    };
    for end in [first, last] {
        if position(interp, end).is_none() {
            interp.complain("history", [end, b": history position out of range"].concat());
            return 1;
        }
    }
    if let (Some(first), Some(last)) = (position(interp, first), position(interp, last))
        && first <= last
    {
        Arc::make_mut(&mut interp.history).entries.drain(first..=last);
    }
    0
}

fn list(interp: &mut Interp, operands: &[Vec<u8>]) -> Flow {
    let count = match operands {
        [] => usize::MAX,
        [text] => match number(text) {
            Some(count) => usize::try_from(count.saturating_abs()).unwrap_or(usize::MAX),
            None => {
                interp.complain(
                    "history",
                    [text, b": numeric argument required".as_slice()].concat(),
                );
                return Ok(1);
            }
        },
        _ => {
            interp.complain("history", "too many arguments");
            return Err(Divert::Exit(1));
        }
    };
    let history = Arc::clone(&interp.history);
    let format = interp
        .scalar(b"HISTTIMEFORMAT")
        .filter(|format| !format.is_empty());
    let first = history.entries.len().saturating_sub(count);
    for (index, entry) in history.entries.iter().enumerate().skip(first) {
        let time = match (&format, entry.time) {
            (None, _) => Vec::new(),
            (Some(_), None) => b"??".to_vec(),
            (Some(format), Some(time)) => interp.format_timestamp(format, time),
        };
        let head = format!("{:5}  ", history.dropped + index + 1);
        interp.print([head.as_bytes(), &time, &entry.line, b"\n"].concat());
    }
    Ok(0)
}

/// The file of `-a`, `-n`, `-r`, `-w`.
fn file_name(interp: &mut Interp, parsed: &BuiltinParsed) -> Vec<u8> {
    if let Some(name) = parsed.operands.first() {
        return name.clone();
    }
    interp.history_file().unwrap_or_else(|| {
        let home = interp.scalar(b"HOME").unwrap_or_default();
        [home.as_slice(), b"/.history"].concat()
    })
}

async fn with_file(interp: &mut Interp, parsed: &BuiltinParsed) -> Flow {
    let path = file_name(interp, parsed);
    if parsed.has(b'r') || parsed.has(b'n') {
        let skipped = if parsed.has(b'n') { interp.history.read } else { 0 };
        return Ok(i32::from(!interp.read_history(&path, skipped)));
    }
    let append = parsed.has(b'a');
    let first = if append { interp.fresh_history() } else { 0 };
    let text = interp.history_text(first);
    if append && text.is_empty() {
        return Ok(0);
    }
    let flags = if append {
        OpenFlags::APPEND
    } else {
        OpenFlags::CREATE
    };
    let written = match interp.proc.open(&path, flags).await {
        Ok(file) => file.write_all(&text).await.is_ok(),
        Err(_) => false,
    };
    if written {
        let history = Arc::make_mut(&mut interp.history);
        history.fresh = 0;
        if !append {
            history.read = history.entries.len();
        }
    }
    Ok(i32::from(!written))
}
