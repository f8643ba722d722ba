//! `--include`, `--exclude` and `--exclude-dir`: gnulib's `exclude`, where the last rule that matches decides.

use crate::pattern::{Pattern, PatternOptions};

/// What a rule does with the names it matches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rule {
    /// Only such names are searched.
    Include,
    /// Such names are skipped.
    Exclude,
}

/// Whether a name comes from the command line, where a rule may match its tail behind any slash, or from a directory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin {
    CommandLine,
    Directory,
}

/// Rules in the order they were given.
#[derive(Debug, Default)]
pub struct Filter {
    rules: Vec<(Rule, Pattern)>,
}

impl Filter {
    /// Adds a rule.
    pub fn add(&mut self, rule: Rule, glob: impl AsRef<[u8]>) {
        self.rules
            .push((rule, Pattern::compile(glob.as_ref(), PatternOptions::default())));
    }

    /// Whether a name is to be skipped.
    pub fn skips(&self, name: &[u8], origin: Origin) -> bool {
        let Some((first, _)) = self.rules.first() else {
            return false;
        };
        let deciding = self
            .rules
            .iter()
            .rev()
            .find(|(_, pattern)| matches(pattern, name, origin));
        match deciding {
            Some((rule, _)) => *rule == Rule::Exclude,
            None => *first == Rule::Include,
        }
    }
}

fn matches(pattern: &Pattern, name: &[u8], origin: Origin) -> bool {
    if pattern.matches(name) {
        return true;
    }
    origin == Origin::CommandLine
        && memchr::memchr_iter(b'/', name).any(|slash| {
            let tail = name.get(slash + 1..).unwrap_or_default();
            tail.first() != Some(&b'/') && pattern.matches(tail)
        })
}
