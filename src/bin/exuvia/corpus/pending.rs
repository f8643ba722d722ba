//! Cases that are known to fail in the emulated shell today.
//!
//! `corpus/pending.txt` holds their ids, one a line, sorted. A run counts them apart, so that it fails only for what is new. The list is
//! meant to shrink: `--update-pending` takes out what passes now and adds nothing, unless `--force` says so. It says nothing about other
//! shells. What differs from bash on purpose is not pending but known: `corpus/known-differences.md`.

use super::load::Loaded;
use super::play::{Played, select};
use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::Path;

/// Where the list is, seen from the package's root.
pub const FILE: &str = "corpus/pending.txt";

/// Whether an update may add ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Growth {
    Forbidden,
    Allowed,
}

/// The ids of the list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pending(BTreeSet<String>);

impl Pending {
    /// Reads the list; a file that is not there is an empty one.
    pub fn load(path: &Path) -> io::Result<Pending> {
        match fs::read_to_string(path) {
            Ok(text) => Ok(Pending::parse(&text)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Pending::default()),
            Err(error) => Err(error),
        }
    }

    fn parse(text: &str) -> Pending {
        Pending(
            text.lines()
                .map(str::trim)
                .filter(|line| !line.is_empty())
                .map(str::to_owned)
                .collect(),
        )
    }

    fn print(&self) -> String {
        self.0.iter().flat_map(|id| [id, "\n"]).collect()
    }

    /// Writes the list.
    pub fn save(&self, path: &Path) -> io::Result<()> {
        fs::write(path, self.print())
    }

    /// Marks the cases that may fail.
    pub fn mark(&self, played: &mut [Played]) {
        for one in played {
            one.pending = self.0.contains(&one.id());
        }
    }

    /// Ids that no case of the whole corpus has.
    pub fn strangers(&self, files: &[Loaded]) -> Vec<&str> {
        let ids: BTreeSet<String> = select(files, None)
            .into_iter()
            .map(|(loaded, case)| loaded.id(case))
            .collect();
        self.0
            .iter()
            .filter(|id| !ids.contains(*id))
            .map(String::as_str)
            .collect()
    }

    /// The list after a run. What was not played stays.
    pub fn updated(&self, played: &[Played], growth: Growth) -> Pending {
        let results = played.iter().map(|one| (one.id(), one.outcome.is_failure()));
        self.after(results, growth)
    }

    fn after(&self, results: impl Iterator<Item = (String, bool)>, growth: Growth) -> Pending {
        let mut ids = self.0.clone();
        for (id, failed) in results {
            if !failed {
                ids.remove(&id);
            } else if growth == Growth::Allowed {
                ids.insert(id);
            }
        }
        Pending(ids)
    }

    /// The list without some ids.
    pub fn without(&self, ids: &[&str]) -> Pending {
        Pending(
            self.0
                .iter()
                .filter(|id| !ids.contains(&id.as_str()))
                .cloned()
                .collect(),
        )
    }

    /// How many cases it names.
    pub fn len(&self) -> usize {
        self.0.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn results(list: &[(&str, bool)]) -> impl Iterator<Item = (String, bool)> {
        list.iter()
            .map(|(id, failed)| ((*id).to_owned(), *failed))
            .collect::<Vec<_>>()
            .into_iter()
    }

    #[test]
    fn the_list_is_printed_sorted() {
        let list = Pending::parse("b/two\n\na/one\nb/two\n");
        assert_eq!(list.print(), "a/one\nb/two\n");
        assert_eq!(list.without(&["a/one"]).print(), "b/two\n");
    }

    #[test]
    fn an_update_only_shrinks_unless_it_is_forced() {
        let list = Pending::parse("a\nb\nnot-played\n");
        let run = [("a", false), ("b", true), ("new", true)];
        assert_eq!(
            list.after(results(&run), Growth::Forbidden).print(),
            "b\nnot-played\n"
        );
        assert_eq!(
            list.after(results(&run), Growth::Allowed).print(),
            "b\nnew\nnot-played\n"
        );
    }
}
