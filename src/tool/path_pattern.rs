//! [`PathPattern`]: which paths below a directory a pattern of `glob` names.
//!
//! A pattern is multiplied out at its braces, split at slashes, and matched name by name as the walk goes down, so that directories where nothing
//! can match are never entered. `**` stands for any number of directories. Each name is matched by a shell pattern, hidden names as any other.
//! `crate::pattern` is used, not the crate `globset`: it knows `[[:digit:]]` and bytes, and takes one name at a time.

use crate::pattern::{Pattern, PatternOptions, has_glob, unescape};

/// Alternatives that braces may give.
const ALTERNATIVES: usize = 1000;

/// Depth of braces within braces.
const DEPTH: usize = 32;

/// One part of an alternative.
#[derive(Debug, Clone)]
enum Part {
    /// `**`
    Deep,
    /// A name.
    Name(Pattern),
}

/// Where a walk stands in the pattern: alternatives, and how many of their parts have been met. Sorted.
pub(super) type Position = Vec<(usize, usize)>;

/// A compiled pattern.
#[derive(Debug, Clone)]
pub(super) struct PathPattern {
    alternatives: Vec<Vec<Part>>,
}

/// The pattern's parts that start in the same directory.
pub(super) struct Rooted {
    /// Where to start: what the pattern's first parts say literally. Absolute, or below the base.
    pub(super) prefix: Vec<u8>,
    /// The rest.
    pub(super) pattern: PathPattern,
}

/// Braces give too many alternatives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TooMany;

impl PathPattern {
    /// Compiles a pattern as a whole.
    pub(super) fn compile(text: &[u8]) -> Result<PathPattern, TooMany> {
        let alternatives = alternatives(text)?;
        Ok(PathPattern {
            alternatives: alternatives.iter().map(|parts| compile_parts(parts)).collect(),
        })
    }

    /// Compiles a pattern for walks that start as far down as its text says.
    pub(super) fn compile_rooted(text: &[u8]) -> Result<Vec<Rooted>, TooMany> {
        let mut all: Vec<Rooted> = Vec::new();
        for parts in alternatives(text)? {
            let literal = parts
                .iter()
                .take(parts.len().saturating_sub(1))
                .take_while(|part| part.as_slice() != b"**" && !has_glob(part, false))
                .count();
            let (prefix, rest) = parts.split_at(literal);
            let absolute: &[u8] = if text.starts_with(b"/") { b"/" } else { b"" };
            let prefix: Vec<Vec<u8>> = prefix.iter().map(|part| unescape(part)).collect();
            let prefix = [absolute, &prefix.join(&b'/')].concat();
            let compiled = compile_parts(rest);
            match all.iter_mut().find(|rooted| rooted.prefix == prefix) {
                Some(rooted) => rooted.pattern.alternatives.push(compiled),
                None => all.push(Rooted {
                    prefix,
                    pattern: PathPattern {
                        alternatives: vec![compiled],
                    },
                }),
            }
        }
        Ok(all)
    }

    /// Where a walk starts.
    pub(super) fn start(&self) -> Position {
        let all = (0..self.alternatives.len()).map(|alternative| (alternative, 0));
        self.closed(all.collect())
    }

    /// Where the walk stands below `position` at a name; empty when nothing can match there.
    pub(super) fn step(&self, position: &Position, name: &[u8]) -> Position {
        let mut next = Position::new();
        for &(alternative, at) in position {
            match self.part(alternative, at) {
                Some(Part::Deep) => next.push((alternative, at)),
                Some(Part::Name(pattern)) if pattern.matches(name) => next.push((alternative, at + 1)),
                _ => {}
            }
        }
        self.closed(next)
    }

    /// Whether a path that led here matches.
    pub(super) fn accepts(&self, position: &Position) -> bool {
        position.iter().any(|&(alternative, at)| {
            self.alternatives
                .get(alternative)
                .is_some_and(|parts| parts.len() == at)
        })
    }

    fn part(&self, alternative: usize, at: usize) -> Option<&Part> {
        self.alternatives.get(alternative)?.get(at)
    }

    /// `**` may stand for no directory at all.
    fn closed(&self, mut position: Position) -> Position {
        let mut index = 0;
        while let Some(&(alternative, at)) = position.get(index) {
            if matches!(self.part(alternative, at), Some(Part::Deep)) {
                position.push((alternative, at + 1));
            }
            index += 1;
        }
        position.sort_unstable();
        position.dedup();
        position
    }
}

/// The alternatives of a pattern, each split into its parts. Without a slash, it is a name at any depth.
fn alternatives(text: &[u8]) -> Result<Vec<Vec<Vec<u8>>>, TooMany> {
    let mut expanded = Vec::new();
    expand_braces(text, DEPTH, &mut expanded)?;
    let name_alone = !text.contains(&b'/');
    Ok(expanded
        .into_iter()
        .map(|alternative| parts(&alternative, name_alone))
        .collect())
}

fn parts(alternative: &[u8], name_alone: bool) -> Vec<Vec<u8>> {
    let mut parts: Vec<Vec<u8>> = Vec::new();
    if name_alone {
        parts.push(b"**".to_vec());
    }
    let names = alternative.split(|byte| *byte == b'/');
    parts.extend(
        names
            .filter(|name| !name.is_empty() && *name != b".")
            .map(<[u8]>::to_vec),
    );
    // `src/` and `src/**` mean all that is in there.
    if alternative.ends_with(b"/") {
        parts.push(b"**".to_vec());
    }
    if parts.last().is_some_and(|part| part == b"**") {
        parts.push(b"*".to_vec());
    }
    parts
}

fn compile_parts(parts: &[Vec<u8>]) -> Vec<Part> {
    let options = PatternOptions {
        pathname: true,
        ..PatternOptions::default()
    };
    parts
        .iter()
        .map(|part| match part.as_slice() {
            b"**" => Part::Deep,
            name => Part::Name(Pattern::compile(name, options)),
        })
        .collect()
}

/// Multiplies out `{a,b}`. A brace without its partner stands for itself.
fn expand_braces(text: &[u8], depth: usize, expanded: &mut Vec<Vec<u8>>) -> Result<(), TooMany> {
    let mut pending = vec![text.to_vec()];
    while let Some(text) = pending.pop() {
        if depth == 0 || pending.len() + expanded.len() >= ALTERNATIVES {
            return Err(TooMany);
        }
        let Some(group) = Group::find(&text) else {
            expanded.push(text);
            continue;
        };
        let before = text.get(..group.open).unwrap_or_default();
        let after = text.get(group.close + 1..).unwrap_or_default();
        for alternative in group.alternatives(&text).iter().rev() {
            pending.push([before, alternative, after].concat());
        }
    }
    Ok(())
}

/// The first braces that have their partner.
struct Group {
    open: usize,
    close: usize,
    commas: Vec<usize>,
}

impl Group {
    fn find(text: &[u8]) -> Option<Group> {
        let mut open = 0;
        while open < text.len() {
            match text.get(open)? {
                b'\\' => open += 2,
                b'{' => match Group::starting(text, open) {
                    Some(group) => return Some(group),
                    None => open += 1,
                },
                _ => open += 1,
            }
        }
        None
    }

    fn starting(text: &[u8], open: usize) -> Option<Group> {
        let (mut depth, mut at, mut commas) = (0_usize, open, Vec::new());
        while let Some(byte) = text.get(at) {
            match byte {
                b'\\' => at += 1,
                b'{' => depth += 1,
                b',' if depth == 1 => commas.push(at),
                b'}' if depth == 1 => {
                    return Some(Group {
                        open,
                        close: at,
                        commas,
                    });
                }
                b'}' => depth -= 1,
                _ => {}
            }
            at += 1;
        }
        None
    }

    fn alternatives<'t>(&self, text: &'t [u8]) -> Vec<&'t [u8]> {
        let starts = std::iter::once(self.open).chain(self.commas.iter().copied());
        let ends = self.commas.iter().copied().chain([self.close]);
        starts
            .zip(ends)
            .map(|(start, end)| text.get(start + 1..end).unwrap_or_default())
            .collect()
    }
}
