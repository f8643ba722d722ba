//! `edit`: replaces text in a file, and touches no byte beside it.
//!
//! The file is bytes: byte order mark, line ends, a missing final newline and what is not UTF-8 stay, because they are outside of the match.
//! Only the line ends inside are looked at: `find` tells how.

mod alike;
mod diff;
mod find;
mod nearest;

use super::cancel::Cancel;
use super::failure::{Failure, FailureCode};
use super::path::{absolute, show};
use super::pieces::Pieces;
use super::read::regular;
use super::reply::EditReply;
use super::request::Edit;
use super::workspace::Workspace;
use super::write;
use find::{Place, places};

/// Bytes of a file that can be edited.
const LARGEST: u64 = 256 << 20;

/// Lines that are named when a text is not unique.
const LINES_NAMED: usize = 20;

pub(super) async fn run(
    workspace: &mut dyn Workspace,
    edit: &Edit,
    cancel: &Cancel,
) -> Result<EditReply, Failure> {
    let path = absolute(workspace.directory(), &edit.path);
    let failed = |fault| Failure::at(&path, fault, FailureCode::Error);
    let node = workspace.node(&path).await.map_err(failed)?;
    regular(node.kind).map_err(failed)?;
    if node.size > LARGEST {
        let message = format!("{}: too large to edit ({} bytes)", show(&path), node.size);
        return Err(Failure::new(FailureCode::Error, message));
    }
    if edit.old_string == edit.new_string {
        return Err(noop(&path, "old_string and new_string are the same"));
    }
    let contents = Pieces::new(&path).all(workspace, cancel).await.map_err(failed)?;
    let found = chosen(&contents, edit, &path)?;
    let changes: Vec<Change> = found
        .into_iter()
        .map(|place| Change {
            text: find::replacement(&contents, place, edit),
            place,
        })
        .collect();
    let changed = apply(&contents, &changes);
    if changed == contents {
        return Err(noop(&path, "the file holds the new text already"));
    }
    workspace
        .write(&path, &changed)
        .await
        .map_err(|fault| write::failed(&path, fault))?;
    Ok(EditReply {
        replacements: changes.len() as u64,
        diff: diff::unified(&show(&path), &contents, &changes),
        path: show(&path),
    })
}

/// What takes the place of a part of the file.
struct Change {
    place: Place,
    text: Vec<u8>,
}

fn noop(path: &[u8], reason: &str) -> Failure {
    let message = format!("{}: nothing to change: {reason}", show(path));
    Failure::new(FailureCode::EditNoop, message)
}

/// The places to replace: the only one, or all of them.
fn chosen(contents: &[u8], edit: &Edit, path: &[u8]) -> Result<Vec<Place>, Failure> {
    let found = places(contents, &edit.old_string);
    if found.is_empty() {
        let message = format!("{}: {}", show(path), nearest::describe(contents, edit));
        return Err(Failure::new(FailureCode::EditNoMatch, message));
    }
    if edit.replace_all.unwrap_or(false) {
        return Ok(found);
    }
    let starts = match found.as_slice() {
        [only] => match find::overlapping(contents, &edit.old_string, *only) {
            Some(other) => vec![*only, other],
            None => return Ok(found),
        },
        _ => found,
    };
    let message = format!(
        "{}: old_string is there {} times, {}: give more of the text around it, or set replace_all",
        show(path),
        starts.len(),
        lines_of(contents, &starts)
    );
    Err(Failure::new(FailureCode::EditNotUnique, message))
}

/// `at lines 3, 7 and 12`
fn lines_of(contents: &[u8], starts: &[Place]) -> String {
    let (mut line, mut counted) = (1, 0);
    let mut lines: Vec<String> = Vec::new();
    for place in starts.iter().take(LINES_NAMED) {
        line += newlines(contents.get(counted..place.start));
        counted = place.start;
        lines.push(line.to_string());
    }
    lines.dedup();
    let rest = starts.len().saturating_sub(LINES_NAMED);
    if rest > 0 {
        return format!("at lines {} and {rest} more", lines.join(", "));
    }
    match lines.split_last() {
        Some((last, before)) if !before.is_empty() => format!("at lines {} and {last}", before.join(", ")),
        _ => format!("at line {}", lines.concat()),
    }
}

fn newlines(bytes: Option<&[u8]>) -> usize {
    memchr::memchr_iter(b'\n', bytes.unwrap_or_default()).count()
}

fn apply(contents: &[u8], changes: &[Change]) -> Vec<u8> {
    let mut changed = Vec::with_capacity(contents.len());
    let mut at = 0;
    for Change { place, text } in changes {
        changed.extend_from_slice(contents.get(at..place.start).unwrap_or_default());
        changed.extend_from_slice(text);
        at = place.end;
    }
    changed.extend_from_slice(contents.get(at..).unwrap_or_default());
    changed
}
