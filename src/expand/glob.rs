//! Pathname expansion.
//!
//! A pattern is cut at slashes; literal components are walked, others are matched against the names of a directory. Results come out
//! sorted by bytes, as `strcoll` does in `C.UTF-8`.

use super::fields::Field;
use super::host::{ExpandFlags, ExpandHost, Failure};
use crate::fs::FileKind;
use crate::kernel::cost;
use crate::pattern::{Pattern, PatternOptions, has_glob, unescape};

/// The text may hold an active glob character: a cheap first look.
pub fn may_match(text: &[u8]) -> bool {
    text.iter().any(|byte| matches!(byte, b'*' | b'?' | b'[' | b'('))
}

/// How deep `**` descends.
const MAX_DEPTH: usize = 256;

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
    };
    let mut found = Vec::new();
    walk.pattern(pattern, &mut found)?;
    if let Some(ignore) = ignore {
        let patterns: Vec<Pattern> = split_colons(&ignore)
            .map(|text| Pattern::compile(text, walk.options(true)))
            .collect();
        found.retain(|path| {
            let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or(path);
            name != b"." && name != b".." && !patterns.iter().any(|pattern| pattern.matches(path))
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

fn split_colons(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|byte| *byte == b':').filter(|part| !part.is_empty())
}

/// Where a walk is.
#[derive(Clone, Copy)]
struct Place {
    /// Levels of `**`.
    depth: usize,
    /// A pattern was matched on the way.
    matched: bool,
}

impl Place {
    fn matched(self) -> Self {
        Place {
            matched: true,
            ..self
        }
    }

    fn below(self) -> Self {
        Place {
            depth: self.depth + 1,
            matched: true,
        }
    }
}

struct Walk<'h, H> {
    host: &'h H,
    flags: ExpandFlags,
    dots: bool,
}

impl<H: ExpandHost> Walk<'_, H> {
    fn options(&self, whole: bool) -> PatternOptions {
        PatternOptions {
            extglob: self.flags.extglob,
            nocase: self.flags.nocaseglob,
            pathname: whole,
            ..PatternOptions::default()
        }
    }

    fn pattern(&self, pattern: &[u8], found: &mut Vec<Vec<u8>>) -> Result<(), Failure<H::Divert>> {
        let (prefix, rest) = match pattern.iter().position(|byte| *byte != b'/') {
            Some(slashes) => pattern.split_at(slashes),
            None => (pattern, b"".as_slice()),
        };
        let components: Vec<&[u8]> = split_components(rest);
        self.step(
            prefix.to_vec(),
            &components,
            Place {
                depth: 0,
                matched: false,
            },
            found,
        )
    }

    /// `path` is what is matched so far; it ends with a slash unless it is empty.
    fn step(
        &self,
        mut path: Vec<u8>,
        components: &[&[u8]],
        place: Place,
        found: &mut Vec<Vec<u8>>,
    ) -> Result<(), Failure<H::Divert>> {
        self.host.charge(cost::FIELD)?;
        let Some((component, rest)) = components.split_first() else {
            found.push(path);
            return Ok(());
        };
        if component.is_empty() {
            // A slash at the end, or doubled: only directories go on. What stands before the first pattern stays as it is.
            let more = rest.iter().any(|part| !part.is_empty());
            if more && !place.matched {
                path.push(b'/');
            }
            if more || self.host.is_dir(&path) {
                return self.step(path, rest, place, found);
            }
            return Ok(());
        }
        if *component == b"**" && self.flags.globstar {
            // Several in a row are one.
            let more = rest.iter().take_while(|part| **part == b"**").count();
            let place = Place {
                matched: place.matched || more > 0,
                ..place
            };
            return self.descend(path, rest.get(more..).unwrap_or_default(), place, found);
        }
        if !has_glob(component, self.flags.extglob) {
            return self.literal(path, component, rest, place, found);
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
            self.enter(&path, name, rest, place.matched(), found)?;
        }
        Ok(())
    }

    fn literal(
        &self,
        path: Vec<u8>,
        component: &[u8],
        rest: &[&[u8]],
        place: Place,
        found: &mut Vec<Vec<u8>>,
    ) -> Result<(), Failure<H::Divert>> {
        let name = unescape(component);
        let mut next = path;
        next.extend_from_slice(&name);
        if rest.is_empty() {
            if self.host.kind(&next).is_some() {
                found.push(next);
            }
            return Ok(());
        }
        if !self.host.is_dir(&next) {
            return Ok(());
        }
        next.push(b'/');
        self.step(next, rest, place, found)
    }

    fn enter(
        &self,
        path: &[u8],
        name: &[u8],
        rest: &[&[u8]],
        place: Place,
        found: &mut Vec<Vec<u8>>,
    ) -> Result<(), Failure<H::Divert>> {
        let mut next = [path, name].concat();
        if rest.is_empty() {
            found.push(next);
            return Ok(());
        }
        if !self.host.is_dir(&next) {
            return Ok(());
        }
        next.push(b'/');
        self.step(next, rest, place, found)
    }

    /// `**`: this directory and every directory below, without following links.
    fn descend(
        &self,
        path: Vec<u8>,
        rest: &[&[u8]],
        place: Place,
        found: &mut Vec<Vec<u8>>,
    ) -> Result<(), Failure<H::Divert>> {
        let last = rest.is_empty();
        let only_directories = matches!(rest, [b""]);
        if last || only_directories {
            // `**` alone names everything below, `**/` the directories; the start itself when it has a name, which keeps its
            // slash when it was written out.
            let start = if last && place.matched {
                path.strip_suffix(b"/").unwrap_or(&path)
            } else {
                &path
            };
            if !path.is_empty() {
                found.push(start.to_vec());
            }
        } else {
            self.step(path.clone(), rest, place.matched(), found)?;
        }
        if place.depth >= MAX_DEPTH {
            return Ok(());
        }
        let directory = if path.is_empty() { b".".as_slice() } else { &path };
        let Some(entries) = self.host.read_dir(directory) else {
            return Ok(());
        };
        self.host.charge(entries.len() as u64 + 1)?;
        for entry in entries {
            if entry.name.first() == Some(&b'.') && !self.dots {
                continue;
            }
            let mut next = [path.as_slice(), &entry.name].concat();
            if entry.kind == FileKind::Directory {
                next.push(b'/');
                self.descend(next, rest, place.below(), found)?;
            } else if last {
                found.push(next);
            } else if only_directories && entry.kind == FileKind::Symlink && self.host.is_dir(&next) {
                next.push(b'/');
                found.push(next);
            }
        }
        Ok(())
    }
}

/// Cuts at slashes outside of brackets' backslashes; `a//b/` gives `a`, ``, `b`, ``.
fn split_components(pattern: &[u8]) -> Vec<&[u8]> {
    pattern.split(|byte| *byte == b'/').collect()
}
