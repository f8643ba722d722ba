//! `fc [-e ename] [-lnr] [first] [last]`, `fc -s [pat=rep] [command]`
//!
//! Lists the history, and runs lines of it again: as they are, changed, or as an editor leaves them.

use std::sync::Arc;

use crate::args::{BuiltinParsed, BuiltinSpec};
use crate::fs::OpenFlags;
use crate::interp::{Flow, Interp, Origin, Set};
use crate::text::number::scan_signed;

const SPEC: BuiltinSpec = BuiltinSpec::new("fc", "e:lnrs");

/// How many lines a listing shows without operands.
const LISTED: usize = 16;

/// The builtin.
pub async fn run(interp: &mut Interp, args: Vec<Vec<u8>>) -> Flow {
    let protected = protect_numbers(args);
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
    edit(interp, &parsed).await
}

/// `fc -1` names a line: options end before it.
fn protect_numbers(mut args: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
    let mut at = 0;
    while let Some(arg) = args.get(at) {
        match arg.strip_prefix(b"-") {
            Some(digits) if digits.first().is_some_and(u8::is_ascii_digit) => {
                args.insert(at, b"--".to_vec());
                break;
            }
            None | Some(b"" | b"-") => break,
            // An editor follows.
            Some(letters) => at += 1 + usize::from(letters.ends_with(b"e")),
        }
    }
    args
}

/// Lines go through an editor, a command that is given a file of them, and what it leaves there is run.
async fn edit(interp: &mut Interp, parsed: &BuiltinParsed) -> Flow {
    let named: Vec<Option<&[u8]>> = match parsed.operands.as_slice() {
        [] => vec![None],
        names => names.iter().take(2).map(|name| Some(name.as_slice())).collect(),
    };
    let mut places = Vec::new();
    for name in named {
        let Some(place) = line_of(interp, name, Purpose::Again) else {
            interp.complain("fc", "no command found");
            return Ok(1);
        };
        places.push(place);
    }
    let first = places.first().copied().unwrap_or(0);
    let last = places.last().copied().unwrap_or(0);
    let history = Arc::clone(&interp.history);
    let chosen = first.min(last)..=first.max(last);
    let mut lines: Vec<&[u8]> = chosen
        .filter_map(|place| history.entries.get(place))
        .map(|entry| &*entry.line)
        .collect();
    if parsed.has(b'r') || first > last {
        lines.reverse();
    }
    let text = [lines.join(&b'\n').as_slice(), b"\n"].concat();
    Arc::make_mut(&mut interp.history).drop_running();
    let Some(edited) = edited(interp, parsed.last(b'e'), &text).await? else {
        return Ok(1);
    };
    for line in edited
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty())
    {
        interp.remember_command(line);
    }
    interp.print_error(&edited);
    interp.flush().await?;
    interp.run_nested(edited, Origin::Eval).await
}

/// What an editor makes of a text; nothing, if there is none or it fails.
async fn edited(interp: &mut Interp, editor: Option<&[u8]>, text: &[u8]) -> Flow<Option<Vec<u8>>> {
    let mut variables = ["FCEDIT", "EDITOR"].iter();
    let editor = match editor {
        Some(editor) => editor.to_vec(),
        None => variables
            .find_map(|name| interp.scalar(name.as_bytes()).filter(|editor| !editor.is_empty()))
            .unwrap_or_else(|| b"vi".to_vec()),
    };
    let path = format!("/tmp/bash-fc.{:06x}", interp.proc.kernel.random() & 0xff_ffff).into_bytes();
    let written = match interp.proc.open_mode(&path, OpenFlags::CREATE_NEW, 0o600).await {
        Ok(file) => file.write_all(text).await.is_ok(),
        Err(_) => false,
    };
    if !written {
        interp.complain("fc", [path.as_slice(), b": cannot open temp file"].concat());
        return Ok(None);
    }
    let command = [&editor, b" ".as_slice(), &path].concat();
    let status = interp.run_nested(command, Origin::Eval).await?;
    let edited = interp.read_whole(&path).await.unwrap_or_default();
    let _ = interp.proc.fs.unlink(&interp.proc.view(), &path);
    Ok((status == 0).then_some(edited))
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
    Arc::make_mut(&mut interp.history).drop_running();
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
            (false, number) => {
                let place = number.saturating_sub(1 + interp.history.dropped);
                let behind = purpose == Purpose::First && place >= last;
                Some(if behind { 0 } else { place.min(last) })
            }
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
            (history.dropped + place + 1).to_string()
        };
        interp.print([head.as_bytes(), b"\t ", &entry.line, b"\n"].concat());
    }
    0
}
