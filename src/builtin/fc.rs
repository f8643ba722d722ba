//! `fc [-e ename] [-lnr] [first] [last]`, `fc -s [pat=rep] [command]`
//!
//! Lists the history and runs lines of it again. There is no editor to hand lines to: what would start one says so and fails.

use std::sync::Arc;

use super::support::number;
use crate::args::{BuiltinParsed, BuiltinSpec};
use crate::interp::{Flow, Interp, Origin};

const SPEC: BuiltinSpec = BuiltinSpec::new("fc", "e:lnrs");

/// How many lines a listing shows without operands.
const LISTED: usize = 16;

/// The builtin.
pub async fn run(interp: &mut Interp, args: Vec<Vec<u8>>) -> Flow {
    // `fc -1` names a line.
    let ends = args.iter().position(|arg| {
        arg.first() == Some(&b'-') && arg.len() > 1 && arg.iter().skip(1).all(u8::is_ascii_digit)
    });
    let mut protected = args.clone();
    if let Some(at) = ends {
        protected.insert(at, b"--".to_vec());
    }
    let parsed = match interp.parse_options(&SPEC, &protected) {
        Ok(parsed) => parsed,
        Err(status) => return Ok(status),
    };
    if parsed.has(b's') || parsed.last(b'e') == Some(b"-") {
        return again(interp, &parsed.operands).await;
    }
    if interp.history.entries.is_empty() {
        return Ok(0);
    }
    if parsed.has(b'l') {
        return Ok(list(interp, &parsed));
    }
    interp.complain("fc", "lines cannot be edited: there is no editor");
    Ok(1)
}

/// `-s`: runs a line again, with the first `pat` in it replaced by `rep`.
async fn again(interp: &mut Interp, operands: &[Vec<u8>]) -> Flow {
    let mut changes = Vec::new();
    let mut wanted = None;
    for operand in operands {
        match memchr::memchr(b'=', operand) {
            Some(equals) if wanted.is_none() => changes.push(operand.split_at(equals)),
            _ => wanted = Some(operand),
        }
    }
    let entries = &interp.history.entries;
    let found = match wanted {
        None => entries.len().checked_sub(1),
        Some(text) => line_of(interp, text),
    };
    let Some(mut line) = found
        .and_then(|at| entries.get(at))
        .map(|entry| entry.line.to_vec())
    else {
        interp.complain("fc", "no command found");
        return Ok(1);
    };
    for (old, new) in changes {
        if let Some(at) = memchr::memmem::find(&line, old) {
            line.splice(
                at..at + old.len(),
                new.get(1..).unwrap_or_default().iter().copied(),
            );
        }
    }
    interp.print_error([&line, b"\n".as_slice()].concat());
    interp.remember(line.clone());
    interp.flush().await?;
    interp.run_nested(line, Origin::Eval).await
}

/// The place of a line by its number, its distance from the end, or its beginning.
fn line_of(interp: &Interp, text: &[u8]) -> Option<usize> {
    let entries = &interp.history.entries;
    match number(text) {
        Some(number @ 1..) => usize::try_from(number).ok()?.checked_sub(1),
        Some(number) => entries
            .len()
            .checked_sub(usize::try_from(number.checked_neg()?).ok()?.max(1)),
        None => entries.iter().rposition(|entry| entry.line.starts_with(text)),
    }
}

fn list(interp: &mut Interp, parsed: &BuiltinParsed) -> i32 {
    let history = Arc::clone(&interp.history);
    let last_place = history.entries.len().saturating_sub(1);
    let mut places = Vec::new();
    for operand in parsed.operands.iter().take(2) {
        match line_of(interp, operand) {
            Some(place) => places.push(place.min(last_place)),
            None => {
                interp.complain("fc", "no command found");
                return 1;
            }
        }
    }
    let first = places
        .first()
        .copied()
        .unwrap_or((last_place + 1).saturating_sub(LISTED));
    let last = places.get(1).copied().unwrap_or(last_place);
    let mut numbers: Vec<usize> = (first.min(last)..=first.max(last)).collect();
    if parsed.has(b'r') != (first > last) {
        numbers.reverse();
    }
    for place in numbers {
        let Some(entry) = history.entries.get(place) else {
            continue;
        };
        let head = if parsed.has(b'n') {
            String::new()
        } else {
            (place + 1).to_string()
        };
        interp.print([head.as_bytes(), b"\t ", &entry.line, b"\n"].concat());
    }
    0
}
