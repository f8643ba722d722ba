//! Regular expressions, compiled once: those of the program by number, those that strings are by text.

use std::sync::Arc;

use super::{Machine, Run, fatal};
use crate::pattern::Regex;
use crate::program::awk::regex;

/// Expressions that are kept.
const REGEXES: usize = 500;

impl Machine<'_> {
    /// A regular expression of the program.
    pub fn constant_regex(&mut self, index: u32) -> Run<Regex> {
        let ignore_case = self.ignore_case;
        let program = Arc::clone(&self.program);
        let Some(slot) = self.constants.get_mut(index as usize) else {
            return Err(fatal("no such regexp"));
        };
        if let Some((known, regex)) = slot
            && *known == ignore_case
        {
            return Ok(regex.clone());
        }
        let source = program
            .regexes
            .get(index as usize)
            .map_or(&b""[..], Vec::as_slice);
        let regex = regex::compile(source, ignore_case)
            .map_err(|error| fatal([b"invalid regexp: ", error.as_bytes(), b": /", source, b"/"].concat()))?;
        *slot = Some((ignore_case, regex.clone()));
        Ok(regex)
    }

    /// A regular expression that a string is.
    pub fn dynamic_regex(&mut self, source: &[u8]) -> Run<Regex> {
        let key = (source.to_vec(), self.ignore_case);
        if let Some(regex) = self.regexes.get(&key) {
            return Ok(regex.clone());
        }
        self.proc.charge(source.len() as u64 + 16)?;
        let regex = regex::compile(source, self.ignore_case)
            .map_err(|error| fatal([b"invalid regexp: ", error.as_bytes(), b": /", source, b"/"].concat()))?;
        for sentence in regex::complaints(source) {
            if !self.program.warned.contains(&sentence) && self.warned.insert(sentence.clone()) {
                self.warn_later(sentence);
            }
        }
        if self.regexes.len() >= REGEXES {
            self.regexes.clear();
        }
        self.regexes.insert(key, regex.clone());
        Ok(regex)
    }
}
