//! Names of files in a patch, and which of them is meant.

use super::options::Options;
use super::reader::Name;
use crate::fs::{FileKind, Follow};
use crate::kernel::Proc;
use crate::program::path;
use crate::text::{date_parse, zone};

/// Reads a name and what stands behind it: a time behind a tab, or anything behind a blank.
pub fn read(text: &[u8], options: &Options) -> Name {
    let text = text.trim_ascii_end();
    let (raw, stamp) = match quoted(text) {
        Some((name, rest)) => (name, rest.to_vec()),
        None => {
            let end = memchr::memchr(b'\t', text)
                .or_else(|| text.iter().position(u8::is_ascii_whitespace))
                .unwrap_or(text.len());
            let (name, rest) = text.split_at(end);
            (name.to_vec(), rest.to_vec())
        }
    };
    let is_null = raw == b"/dev/null";
    let stamp = stamp.trim_ascii_start().to_vec();
    Name {
        is_epoch: is_null || is_epoch(&stamp),
        path: if is_null {
            Vec::new()
        } else {
            stripped(&raw, options.strip)
        },
        stamp,
    }
}

/// A time that is the start of all times.
fn is_epoch(stamp: &[u8]) -> bool {
    if stamp.is_empty() {
        return false;
    }
    let zone = zone::from_variable(Some(b"UTC"));
    let now = jiff::Timestamp::UNIX_EPOCH;
    date_parse::parse(stamp, now, &zone).is_some_and(|time| time == now)
}

/// A name in double quotes, as git writes those with odd characters, and what follows.
fn quoted(text: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    let rest = text.strip_prefix(b"\"")?;
    let end = memchr::memrchr(b'"', rest)?;
    let inner = rest.get(..end)?;
    let unescaped = crate::text::escape::unescape(inner, crate::text::escape::Reader::ProgramEcho);
    Some((unescaped.bytes, rest.get(end + 1..)?))
}

/// The two names behind `diff --git`, when both are the same but for their first part.
pub fn git_pair(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let middle = text.len() / 2;
    if text.get(middle) != Some(&b' ') {
        let at = memchr::memchr(b' ', text)?;
        return Some((text.get(..at)?, text.get(at + 1..)?));
    }
    Some((text.get(..middle)?, text.get(middle + 1..)?))
}

/// Without its first parts; without a count only the last part is left. Empty when there are not so many.
fn stripped(name: &[u8], count: Option<usize>) -> Vec<u8> {
    let Some(count) = count else {
        return path::last_component(name).to_vec();
    };
    let mut rest = name;
    for _ in 0..count {
        let Some(at) = memchr::memchr(b'/', rest) else {
            return Vec::new();
        };
        rest = rest.get(at..).unwrap_or_default();
        let slashes = rest.iter().take_while(|byte| **byte == b'/').count();
        rest = rest.get(slashes..).unwrap_or_default();
    }
    rest.to_vec()
}

/// A name that leads out of the directory.
pub fn is_dangerous(name: &[u8]) -> bool {
    name.starts_with(b"/") || name.split(|byte| *byte == b'/').any(|part| part == b"..")
}

/// The name that is meant: of those that exist, the one with the fewest parts, the shortest last part, the fewest characters.
pub fn best(proc: &Proc, candidates: &[&Name], may_create: bool) -> Option<Vec<u8>> {
    let names: Vec<&Vec<u8>> = candidates
        .iter()
        .map(|name| &name.path)
        .filter(|name| !name.is_empty() && !is_dangerous(name))
        .collect();
    let exists = |name: &&&Vec<u8>| {
        proc.metadata(name, Follow::Yes)
            .is_ok_and(|found| found.kind == FileKind::Regular)
    };
    let shortness = |name: &&&Vec<u8>| {
        let parts = name.split(|byte| *byte == b'/').count();
        (parts, path::last_component(name).len(), name.len())
    };
    if let Some(found) = names.iter().filter(exists).min_by_key(shortness) {
        return Some((*found).clone());
    }
    if !may_create {
        return None;
    }
    let missing = |name: &&&Vec<u8>| {
        let mut directory = path::directory_name(name).to_vec();
        let mut count = 0;
        while directory != b"." && directory != b"/" && proc.metadata(&directory, Follow::Yes).is_err() {
            count += 1;
            directory = path::directory_name(&directory).to_vec();
        }
        count
    };
    let created = names.iter().min_by_key(|name| (missing(name), shortness(name)));
    created.map(|name| (*name).clone())
}
