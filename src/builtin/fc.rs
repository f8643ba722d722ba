//! `fc [-e ename] [-lnr] [first] [last]`, `fc -s [pat=rep] [command]`
//!
//! Lists the history and runs lines of it again. There is no editor to hand lines to: what would start one says so and fails.

use std::sync::Arc;

use crate::args::{BuiltinParsed, BuiltinSpec};
use crate::interp::{Flow, Interp, Origin, Set};
use crate::text::number::scan_signed;

const SPEC: BuiltinSpec = BuiltinSpec::new("fc", "e:lnrs");

/// How many lines a listing shows without operands.
const LISTED: usize = 16;

/// The builtin.
pub async fn run(interp: &mut Interp, args: Vec<Vec<u8>>) -> Flow {
    // `fc -1` names a line.
    let names_line = |arg: &Vec<u8>| match arg.split_first() {
        Some((b'-', digits)) => !digits.is_empty() && digits.iter().all(u8::is_ascii_digit),
        _ => false,
    };
    let mut protected = args.clone();
    if let Some(at) = args.iter().position(|arg| arg == b"--" || names_line(arg))
        && protected.get(at).is_some_and(names_line)
    {
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

/// `-s`: runs a line again, with the first `pat` in it replaced by `rep`. It takes the place of the `fc` in the list.
async fn again(interp: &mut Interp, operands: &[Vec<u8>]) -> Flow {
    let is_change = |operand: &&Vec<u8>| operand.contains(&b'=');
    let changes = operands.iter().take_while(is_change).count();
    let (changes, rest) = operands.split_at(changes);
    let found = line_of(interp, rest.first().map(Vec::as_slice), Purpose::Again);
    let entry = found.and_then(|at| interp.history.entries.get(at));
    let Some(mut line) = entry.map(|entry| entry.line.to_vec()) else {
        interp.complain("fc", "no command found");
        return Ok(1);
    };
    for change in changes {
        let equals = memchr::memchr(b'=', change).unwrap_or(change.len());
        let (old, new) = (
            change.get(..equals).unwrap_or_default(),
            change.get(equals + 1..).unwrap_or_default(),
        );
        interp.proc.kernel.meter().charge_bytes(line.len())?;
        line = replaced(&line, old, new);
        interp.proc.kernel.meter().check_memory(line.len() as u64)?;
    }
    interp.print_error([&line, b"\n".as_slice()].concat());
    Arc::make_mut(&mut interp.history).entries.pop();
    interp.remember_command(&line);
    interp.flush().await?;
    interp.run_nested(line, Origin::Eval).await
}

/// Every `old` in a line is `new`.
fn replaced(line: &[u8], old: &[u8], new: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = line;
    while let Some(at) = memchr::memmem::find(rest, old).filter(|_| !old.is_empty()) {
        out.extend_from_slice(rest.get(..at).unwrap_or_default());
        out.extend_from_slice(new);
        rest = rest.get(at + old.len()..).unwrap_or_default();
    }
    out.extend_from_slice(rest);
    out
}

/// The place of the last line that counts: the one before the running `fc`, where that is in the list.
fn last_place(interp: &Interp) -> Option<usize> {
    let history = &interp.history;
    let running = match (interp.options.is(Set::History), history.holds_running) {
        (true, true) => 2,
        _ => 1,
    };
    history.entries.len().checked_sub(running)
}

/// What a line is named for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Purpose {
    /// To be run.
    Again,
    /// As the first of a listing.
    First,
    /// As the last of one.
    Last,
}

/// The place of a line by its number, its distance from the end, or its beginning; the last one without a specification.
fn line_of(interp: &Interp, text: Option<&[u8]>, purpose: Purpose) -> Option<usize> {
    let entries = &interp.history.entries;
    let last = last_place(interp)?;
    let Some(text) = text else { return Some(last) };
    let (back, digits) = match text.strip_prefix(b"-") {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    if digits.first().is_some_and(u8::is_ascii_digit) {
        let number = usize::try_from(scan_signed(digits, 10).value).ok()?;
        return match (back, number) {
            (true, 0) => (purpose != Purpose::Again).then(|| entries.len() - 1),
            (true, number) => Some((last + 1).saturating_sub(number)),
            (false, 0) => Some(last),
            // A listing from the end on, or from behind it, is one of everything.
            (false, number) if purpose == Purpose::First && number > last => Some(0),
            (false, number) => Some((number - 1).min(last)),
        };
    }
    let searched = entries.get(..=last).unwrap_or_default();
    searched.iter().rposition(|entry| entry.line.starts_with(text))
}

fn list(interp: &mut Interp, parsed: &BuiltinParsed) -> i32 {
    let history = Arc::clone(&interp.history);
    let Some(last_place) = last_place(interp) else {
        return 0;
    };
    let mut places = Vec::new();
    for (operand, purpose) in parsed.operands.iter().zip([Purpose::First, Purpose::Last]) {
        match line_of(interp, Some(operand), purpose) {
            Some(place) => places.push(place),
            None => {
                interp.complain("fc", "no command found");
                return 1;
            }
        }
    }
    let (first, last) = match places.as_slice() {
        [first, last] => (*first, *last),
        [first] => (*first, last_place.max(*first)),
        _ => ((last_place + 1).saturating_sub(LISTED), last_place),
    };
    let mut numbers: Vec<usize> = (first.min(last)..=first.max(last)).collect();
    if parsed.has(b'r') || first > last {
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
