//! The search for a pattern rule that makes a file.
//!
//! Rules whose target matches are tried by the length of their stems, the shortest first, and in the order in which they were given: first
//! those whose prerequisites exist or ought to, then those whose prerequisites other rules can make. A rule is used once in a chain.

use std::collections::HashSet;

use super::Make;
use super::files::{Dependency, Id};
use super::names::{self, Pattern};
use crate::fs::Follow;
use crate::kernel::Stop;

/// A rule whose target matches.
struct Candidate {
    rule: usize,
    target: usize,
    /// What the `%` stands for, without the directory.
    stem: Vec<u8>,
    /// The directory, where the pattern has none.
    directory: Vec<u8>,
}

/// A prerequisite of a rule that was found.
struct Needed {
    name: Vec<u8>,
    order_only: bool,
    /// It has to be made by another rule.
    made: Option<Box<Found>>,
}

/// A rule that was found.
struct Found {
    candidate: Candidate,
    needed: Vec<Needed>,
}

/// What one search remembers.
#[derive(Default)]
struct Search {
    in_use: Vec<usize>,
    impossible: HashSet<Vec<u8>>,
}

impl Make<'_> {
    /// Gives a file the recipe and prerequisites of a pattern rule, if one is found.
    pub fn find_pattern_rule(&mut self, id: Id) -> Result<(), Stop> {
        let name = self.files.get(id).name.clone();
        let mut search = Search::default();
        let found = self.search(&name, Some(id), &mut search)?;
        self.files.get_mut(id).searched = true;
        match found {
            Some(found) => self.apply_rule(id, found),
            None => Ok(()),
        }
    }

    fn candidates(&self, name: &[u8], recursing: bool, search: &Search) -> Vec<Candidate> {
        let mut specific = false;
        let mut found = Vec::new();
        for (index, rule) in self.patterns.iter().enumerate() {
            if (!rule.dependencies.is_empty() && rule.recipe.is_none()) || search.in_use.contains(&index) {
                continue;
            }
            for (place, target) in rule.targets.iter().enumerate() {
                if recursing && target.is_anything() && !rule.terminal {
                    continue;
                }
                let Some((stem, directory)) = matched(target, name) else {
                    continue;
                };
                specific |= !target.is_anything();
                // Without prerequisites and recipe it only says that the name is no name of any kind.
                if rule.dependencies.is_empty() && rule.recipe.is_none() {
                    continue;
                }
                found.push(Candidate {
                    rule: index,
                    target: place,
                    stem,
                    directory,
                });
            }
        }
        if specific {
            found.retain(|candidate| self.is_specific(candidate));
        }
        found.sort_by_key(|candidate| candidate.stem.len());
        found
    }

    fn is_specific(&self, candidate: &Candidate) -> bool {
        let Some(rule) = self.patterns.get(candidate.rule) else {
            return false;
        };
        rule.terminal || !rule.targets.iter().any(Pattern::is_anything)
    }

    fn search(&mut self, name: &[u8], file: Option<Id>, search: &mut Search) -> Result<Option<Found>, Stop> {
        self.proc.kernel.meter().nest()?;
        self.proc.charge(self.patterns.len() as u64 * 2)?;
        let candidates = self.candidates(name, file.is_none(), search);
        for may_make in [false, true] {
            for candidate in &candidates {
                let terminal = self
                    .patterns
                    .get(candidate.rule)
                    .is_some_and(|rule| rule.terminal);
                if may_make && terminal {
                    continue;
                }
                search.in_use.push(candidate.rule);
                let needed = self.needed(candidate, file, may_make, search);
                search.in_use.pop();
                if let Some(needed) = needed? {
                    let candidate = Candidate {
                        stem: candidate.stem.clone(),
                        directory: candidate.directory.clone(),
                        ..*candidate
                    };
                    return Ok(Some(Found { candidate, needed }));
                }
            }
        }
        Ok(None)
    }

    /// The prerequisites of a rule for a name, if all exist or ought to, or can be made.
    fn needed(
        &mut self,
        candidate: &Candidate,
        file: Option<Id>,
        may_make: bool,
        search: &mut Search,
    ) -> Result<Option<Vec<Needed>>, Stop> {
        let list = self
            .patterns
            .get(candidate.rule)
            .map(|rule| rule.dependencies.clone());
        let mut needed = Vec::new();
        for (text, order_only) in list.unwrap_or_default() {
            for name in self.filled(&text, candidate)? {
                self.proc.charge(8)?;
                if search.impossible.contains(&name) {
                    return Ok(None);
                }
                let mut made = None;
                if !self.ought_to_exist(&name, file) {
                    if !may_make {
                        return Ok(None);
                    }
                    match self.search(&name, None, search)? {
                        Some(found) => made = Some(Box::new(found)),
                        None => {
                            search.impossible.insert(name);
                            return Ok(None);
                        }
                    }
                }
                needed.push(Needed {
                    name,
                    order_only,
                    made,
                });
            }
        }
        Ok(Some(needed))
    }

    /// A prerequisite for a stem: its names, since it may hold patterns of files.
    fn filled(&mut self, text: &[u8], candidate: &Candidate) -> Result<Vec<Vec<u8>>, Stop> {
        let pattern = Pattern::parse(text);
        let mut name = pattern.fill(&candidate.stem);
        if pattern.is_pattern() && !candidate.directory.is_empty() {
            name = [candidate.directory.as_slice(), &name].concat();
        }
        self.file_names(&quoted(&name))
    }

    fn ought_to_exist(&mut self, name: &[u8], file: Option<Id>) -> bool {
        if let Some(known) = self.files.find(name)
            && Some(known) != file
        {
            return true;
        }
        self.proc.metadata(name, Follow::Yes).is_ok()
    }

    fn apply_rule(&mut self, id: Id, found: Found) -> Result<(), Stop> {
        let Found { candidate, needed } = found;
        let Some(rule) = self.patterns.get(candidate.rule).cloned() else {
            return Ok(());
        };
        let mut dependencies = Vec::new();
        for Needed {
            name,
            order_only,
            made,
        } in needed
        {
            let file = self.files.enter(&name)?;
            if let Some(made) = made {
                let entry = self.files.get_mut(file);
                entry.is_intermediate = true;
                entry.searched = true;
                self.apply_rule(file, *made)?;
            }
            if rule.terminal {
                self.files.get_mut(file).searched = true;
            }
            self.files.hold(std::mem::size_of::<Dependency>())?;
            dependencies.push(Dependency {
                file,
                order_only,
                changed: false,
            });
        }
        let mut also = Vec::new();
        for (index, target) in rule.targets.iter().enumerate() {
            if index != candidate.target {
                let name = [candidate.directory.as_slice(), &target.fill(&candidate.stem)].concat();
                let other = self.files.enter(&name)?;
                self.files.get_mut(other).is_target = true;
                also.push(other);
            }
        }
        let pattern = rule.targets.get(candidate.target).map(Pattern::text);
        let precious = pattern
            .and_then(|pattern| self.files.special(&pattern))
            .is_some_and(|entry| entry.is_precious);
        let entry = self.files.get_mut(id);
        let explicit = std::mem::replace(&mut entry.dependencies, dependencies);
        entry.dependencies.extend(explicit);
        entry.recipe.clone_from(&rule.recipe);
        entry.stem = Some([candidate.directory.as_slice(), &candidate.stem].concat());
        entry.is_target = true;
        entry.is_precious |= precious;
        entry.also.extend(also);
        Ok(())
    }
}

/// The stem of a name, and its directory where the pattern has none.
fn matched(target: &Pattern, name: &[u8]) -> Option<(Vec<u8>, Vec<u8>)> {
    let has_slash = target.text().contains(&b'/');
    let (directory, base) = if has_slash || !name.contains(&b'/') {
        (b"".as_slice(), name)
    } else {
        (names::directory(name), names::base(name))
    };
    let stem = target.stem(base)?;
    (!stem.is_empty()).then(|| (stem.to_vec(), directory.to_vec()))
}

/// Blanks of a name that was read before do not split it again.
fn quoted(name: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(name.len());
    for byte in name {
        if names::is_space(*byte) {
            out.push(b'\\');
        }
        out.push(*byte);
    }
    out
}
