//! Pathname expansion.
//!
//! A pattern is cut at slashes; literal components are walked, others are matched against the names of a directory. Results come out
//! sorted by bytes, as `strcoll` does in `C.UTF-8`.

use std::cell::Cell;

use super::fields::Field;
use super::host::{ExpandFlags, ExpandHost, Failure};
use crate::fs::FileKind;
use crate::kernel::cost;
use crate::pattern::{Pattern, PatternOptions, has_glob, unescape};

/// The text may hold an active glob character: a cheap first look.
pub fn may_match(text: &[u8]) -> bool {
    text.iter().any(|byte| matches!(byte, b'*' | b'?' | b'[' | b'('))
}

/// Matches a field's pattern against the tree; without a match, the field stays as it is, by `nullglob` and `failglob`.
pub fn expand<H: ExpandHost>(
    host: &mut H,
    pattern: &[u8],
    field: Field,
    into: &mut Vec<Vec<u8>>,
) -> Result<(), Failure<H::Divert>> {
    let flags = host.flags();
    let ignore = host.glob_ignore();
    let walk = Walk {
        host: &*host,
        flags,
        dots: flags.dotglob || ignore.is_some(),
        bytes: Cell::new(0),
    };
    let mut found = Vec::new();
    walk.pattern(pattern, &mut found)?;
    if let Some(ignore) = ignore {
        let patterns: Vec<Vec<Pattern>> = split_colons(&ignore)
            .into_iter()
            .map(|text| {
                let parts = text.split(|byte| *byte == b'/');
                parts
                    .map(|part| Pattern::compile(part, walk.options(true)))
                    .collect()
            })
            .collect();
        found.retain(|path| {
            let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or(path);
            name != b"." && name != b".." && !patterns.iter().any(|pattern| matches_path(pattern, path))
        });
    }
    if found.is_empty() {
        if flags.failglob {
            return Err(Failure::Discard([b"no match: ".as_slice(), &field.text].concat()));
        }
        if !flags.nullglob {
            into.push(field.text);
        }
        return Ok(());
    }
    found.sort_unstable();
    found.dedup();
    into.extend(found);
    Ok(())
}

/// Matches component by component: no wildcard goes over a slash.
fn matches_path(patterns: &[Pattern], path: &[u8]) -> bool {
    let parts = path.split(|byte| *byte == b'/');
    parts.clone().count() == patterns.len()
        && parts.zip(patterns).all(|(part, pattern)| pattern.matches(part))
}

/// The patterns of a list. A colon that is escaped or in brackets separates nothing.
fn split_colons(text: &[u8]) -> Vec<&[u8]> {
    let (mut parts, mut start, mut at) = (Vec::new(), 0, 0);
    while let Some(byte) = text.get(at) {
        match byte {
            b'\\' => at += 1,
            b'[' => at += bracket_length(text.get(at..).unwrap_or_default()),
            b':' => {
                parts.push(text.get(start..at).unwrap_or_default());
                start = at + 1;
            }
            _ => {}
        }
        at += 1;
    }
    parts.push(text.get(start..).unwrap_or_default());
    parts.retain(|part| !part.is_empty());
    parts
}

/// How far behind the `[` its bracket closes; 0 where it does not.
fn bracket_length(text: &[u8]) -> usize {
    // A bracket at the start stands for itself, negated or not.
    let mut at = match text {
        [_, b'!' | b'^', b']', ..] => 3,
        [_, b']', ..] => 2,
        _ => 1,
    };
    while let Some(byte) = text.get(at) {
        match (byte, text.get(at + 1)) {
            (b']', _) => return at,
            (b'[', Some(mark @ (b':' | b'.' | b'='))) => {
                let inside = text.get(at + 2..).unwrap_or_default();
                match memchr::memmem::find(inside, &[*mark, b']']) {
                    Some(length) => at += length + 3,
                    None => return 0,
                }
            }
            _ => {}
        }
        at += 1;
    }
    0
}

/// A pattern was matched on the way to where a walk is.
type Matched = bool;

struct Walk<'h, H> {
    host: &'h H,
    flags: ExpandFlags,
    dots: bool,
    /// Bytes of what was found.
    bytes: Cell<usize>,
}

impl<H: ExpandHost> Walk<'_, H> {
    fn options(&self, whole: bool) -> PatternOptions {
        PatternOptions {
            extglob: self.flags.extglob,
            nocase: self.flags.nocaseglob,
            pathname: whole,
            units: self.flags.units(),
            ..PatternOptions::default()
        }
    }

    fn pattern(&self, pattern: &[u8], found: &mut Vec<Vec<u8>>) -> Result<(), Failure<H::Divert>> {
        let (prefix, rest) = match pattern.iter().position(|byte| *byte != b'/') {
            Some(slashes) => pattern.split_at(slashes),
            None => (pattern, b"".as_slice()),
        };
        let components: Vec<&[u8]> = split_components(rest);
        self.step(prefix.to_vec(), &components, false, found)
    }

    /// Keeps a path that matches.
    fn put(&self, path: Vec<u8>, found: &mut Vec<Vec<u8>>) -> Result<(), Failure<H::Divert>> {
        self.bytes
            .set(self.bytes.get() + path.capacity() + size_of::<Vec<u8>>());
        self.host.reserve(self.bytes.get())?;
        found.push(path);
        Ok(())
    }

    /// `path` is what is matched so far; it ends with a slash unless it is empty.
    fn step(
        &self,
        mut path: Vec<u8>,
        mut components: &[&[u8]],
        matched: Matched,
        found: &mut Vec<Vec<u8>>,
    ) -> Result<(), Failure<H::Divert>> {
        self.host.nest()?;
        self.host.charge(cost::FIELD)?;
        while let Some((component, rest)) = components.split_first() {
            let slashes = components.iter().take_while(|part| part.is_empty()).count();
            if slashes == 0 && !self.is_literal(component) {
                break;
            }
            self.host
                .charge(cost::FIELD + (path.len() + slashes) as u64 / 64)?;
            let goes_on = if slashes > 0 {
                components = components.get(slashes..).unwrap_or_default();
                self.walk_slashes(&mut path, slashes, components.is_empty(), matched)
            } else {
                components = rest;
                self.walk_literal(&mut path, component, rest.is_empty())
            };
            if !goes_on {
                return Ok(());
            }
        }
        let Some((component, rest)) = components.split_first() else {
            return self.put(path, found);
        };
        if *component == b"**" && self.flags.globstar {
            // Several in a row are one.
            let more = rest.iter().take_while(|part| **part == b"**").count();
            let rest = rest.get(more..).unwrap_or_default();
            return self.descend(path, rest, matched || more > 0, found);
        }
        let options = PatternOptions {
            pathname: true,
            period: !self.dots,
            ..self.options(true)
        };
        let pattern = Pattern::compile(component, options);
        let directory = if path.is_empty() { b".".as_slice() } else { &path };
        let Some(entries) = self.host.read_dir(directory) else {
            return Ok(());
        };
        self.host.charge(entries.len() as u64 * cost::MATCH)?;
        let explicit_dot = component.first() == Some(&b'.') || component.starts_with(b"\\.");
        let implied: [&[u8]; 2] = if explicit_dot && !self.flags.globskipdots {
            [b".", b".."]
        } else {
            [b"", b""]
        };
        let names = implied.iter().copied().filter(|name| !name.is_empty());
        let listed = entries.iter().map(|entry| (entry.name.as_slice(), entry.kind));
        for (name, kind) in names.map(|name| (name, FileKind::Directory)).chain(listed) {
            if !pattern.matches(name) {
                continue;
            }
            if !rest.is_empty() && kind != FileKind::Directory && kind != FileKind::Symlink {
                continue;
            }
            self.enter(&path, name, rest, found)?;
        }
        Ok(())
    }

    fn is_literal(&self, component: &[u8]) -> bool {
        let descends = component == b"**" && self.flags.globstar;
        !descends && !has_glob(component, self.flags.extglob)
    }

    /// A slash at the end, or doubled: only directories go on. What stands before the first pattern stays as it is.
    fn walk_slashes(&self, path: &mut Vec<u8>, slashes: usize, last: bool, matched: Matched) -> bool {
        if last {
            return self.host.is_dir(path);
        }
        if !matched {
            path.resize(path.len() + slashes, b'/');
        }
        true
    }

    /// Appends a component without a pattern to a path. `false`: there is nothing of that name.
    fn walk_literal(&self, path: &mut Vec<u8>, component: &[u8], last: bool) -> bool {
        path.extend_from_slice(&unescape(component));
        if last {
            return self.host.kind(path).is_some();
        }
        if !self.host.is_dir(path) {
            return false;
        }
        path.push(b'/');
        true
    }

    fn enter(
        &self,
        path: &[u8],
        name: &[u8],
        rest: &[&[u8]],
        found: &mut Vec<Vec<u8>>,
    ) -> Result<(), Failure<H::Divert>> {
        let mut next = [path, name].concat();
        if rest.is_empty() {
            return self.put(next, found);
        }
        if !self.host.is_dir(&next) {
            return Ok(());
        }
        next.push(b'/');
        self.step(next, rest, true, found)
    }

    /// `**`: this directory and every directory below, without following links.
    fn descend(
        &self,
        start: Vec<u8>,
        rest: &[&[u8]],
        matched: Matched,
        found: &mut Vec<Vec<u8>>,
    ) -> Result<(), Failure<H::Divert>> {
        let mut pending = vec![(start, matched)];
        while let Some((path, matched)) = pending.pop() {
            self.start_of_descent(&path, rest, matched, found)?;
            let directory = if path.is_empty() { b".".as_slice() } else { &path };
            let Some(entries) = self.host.read_dir(directory) else {
                continue;
            };
            self.host
                .charge((entries.len() as u64 + 1) * (1 + path.len() as u64 / 64))?;
            for entry in entries {
                if entry.name.first() == Some(&b'.') && !self.dots {
                    continue;
                }
                let mut next = [path.as_slice(), &entry.name].concat();
                if entry.kind == FileKind::Directory {
                    next.push(b'/');
                    pending.push((next, true));
                } else if rest.is_empty() {
                    self.put(next, found)?;
                } else if matches!(rest, [b""]) && entry.kind == FileKind::Symlink && self.host.is_dir(&next)
                {
                    next.push(b'/');
                    self.put(next, found)?;
                }
            }
        }
        Ok(())
    }

    /// What a directory is to `**` itself.
    fn start_of_descent(
        &self,
        path: &[u8],
        rest: &[&[u8]],
        matched: Matched,
        found: &mut Vec<Vec<u8>>,
    ) -> Result<(), Failure<H::Divert>> {
        let last = rest.is_empty();
        if !last && !matches!(rest, [b""]) {
            return self.step(path.to_vec(), rest, true, found);
        }
        if path.is_empty() {
            return Ok(());
        }
        // `**` alone names everything below, `**/` the directories; the start itself when it has a name, which keeps its
        // slash when it was written out.
        let shown = if last && matched {
            path.strip_suffix(b"/").unwrap_or(path)
        } else {
            path
        };
        self.put(shown.to_vec(), found)
    }
}

/// Cuts at slashes outside of brackets' backslashes; `a//b/` gives `a`, ``, `b`, ``.
fn split_components(pattern: &[u8]) -> Vec<&[u8]> {
    pattern.split(|byte| *byte == b'/').collect()
}
