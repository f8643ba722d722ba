//! What to say when the text is not in the file: where the nearest is, and how it differs.

use std::collections::HashMap;

use super::alike::{Difference, Folded, quoted};
use super::newlines;
use crate::tool::request::Edit;

/// Bytes of the file that are looked at.
const LOOK: usize = 4 << 20;

/// Bytes of a line that are compared.
const LINE: usize = 1000;

/// Lines of the file that one line of the text votes for.
const VOTES: usize = 500;

/// Bytes of a new text that are not there by chance.
const TELLING: usize = 8;

/// Sentences that help to find the text.
pub(super) fn describe(contents: &[u8], edit: &Edit) -> String {
    let text = String::from_utf8_lossy(contents.get(..LOOK).unwrap_or(contents));
    let old = edit.old_string.as_str();
    let mut sentences = vec!["old_string is not in the file".to_owned()];
    let near = broken(&text, old)
        .or_else(|| alike(&text, old))
        .or_else(|| shifted(&text, old))
        .or_else(|| similar_line(&text, old));
    sentences.push(near.unwrap_or_else(|| "nothing in it comes near".to_owned()));
    if old.lines().all(has_number) {
        sentences.push(
            "old_string seems to hold the line numbers of `read`, which are no part of the file".to_owned(),
        );
    }
    if edit.new_string.trim().len() >= TELLING
        && let Some(at) = text.find(edit.new_string.as_str())
    {
        let line = line_of(&text, at);
        sentences.push(format!(
            "new_string is there already, at line {line}: was the edit made before?"
        ));
    }
    sentences.join("; ")
}

/// The text is what `read` shows, but the file has other bytes.
fn broken(text: &str, old: &str) -> Option<String> {
    let line = line_of(text, text.find(old)?);
    Some(format!(
        "line {line} has bytes that are not UTF-8, which are shown as \u{fffd} and cannot be given in old_string"
    ))
}

/// `12<TAB>text`
fn has_number(line: &str) -> bool {
    line.split_once('\t').is_some_and(|(number, _)| {
        !number.trim().is_empty() && number.trim().bytes().all(|byte| byte.is_ascii_digit())
    })
}

fn line_of(text: &str, at: usize) -> usize {
    1 + newlines(text.as_bytes().get(..at))
}

/// A place that is the same but for blanks, look-alikes or case: one of them, else all together.
fn alike(text: &str, old: &str) -> Option<String> {
    let single = Difference::ALL.iter().map(std::slice::from_ref);
    let place = single
        .chain([Difference::ALL.as_slice()])
        .find_map(|differences| find_folded(text, old, differences))?;
    let found = text.get(place.0..place.1)?;
    let differences = if found.trim_matches('\n') == old.trim_matches('\n') {
        "line breaks at its start or end".to_owned()
    } else {
        needed(found, old).join(" and ")
    };
    let line = line_of(text, place.0);
    let (number, theirs, ours) = first_difference(text, line, old)?;
    Some(format!(
        "the nearest text is at line {line} and differs in {differences}: line {number} of the file is {}, where old_string has {}",
        quoted(theirs),
        quoted(ours)
    ))
}

fn find_folded(text: &str, old: &str, differences: &[Difference]) -> Option<(usize, usize)> {
    let wanted = Folded::of(old, differences);
    let wanted = wanted.text.trim_matches(['\n', ' ']);
    if wanted.is_empty() {
        return None;
    }
    let folded = Folded::of(text, differences);
    let at = folded.text.find(wanted)?;
    let start = folded.origin(at)?;
    let last = folded.origin(at + wanted.len() - 1)?;
    let end = last + text.get(last..)?.chars().next()?.len_utf8();
    Some((start, end))
}

/// The differences that must be folded away for two texts to be the same.
fn needed(found: &str, old: &str) -> Vec<&'static str> {
    let needed = |difference: &Difference| {
        let others: Vec<Difference> = Difference::ALL
            .into_iter()
            .filter(|other| other != difference)
            .collect();
        Folded::of(found, &others).text != Folded::of(old.trim_matches('\n'), &others).text
    };
    let names: Vec<&str> = Difference::ALL
        .iter()
        .filter(|difference| needed(difference))
        .map(|difference| difference.name())
        .collect();
    if names.is_empty() {
        vec![Difference::Blanks.name()]
    } else {
        names
    }
}

/// The first line that differs, when the first line of `old` that is not empty stands at line `from` of the file: its number, the file's, and ours.
fn first_difference<'t>(text: &'t str, from: usize, old: &'t str) -> Option<(usize, &'t str, &'t str)> {
    let old = old.trim_start_matches('\n');
    let theirs = text.split('\n').skip(from - 1).chain(std::iter::repeat(""));
    let pairs = (from..).zip(theirs.zip(old.split('\n')));
    let last = old.split('\n').count() - 1;
    let mut first = None;
    for (index, (number, (theirs, ours))) in pairs.enumerate() {
        // The first and the last line may be given in part.
        let same = match (index == 0, index == last) {
            (true, true) => theirs.contains(ours),
            (true, false) => theirs.strip_suffix('\r').unwrap_or(theirs).ends_with(ours),
            (false, true) => theirs.starts_with(ours),
            (false, false) => theirs.strip_suffix('\r').unwrap_or(theirs) == ours,
        };
        first = first.or(Some((number, theirs, ours)));
        if !same {
            return Some((number, theirs, ours));
        }
    }
    first
}

/// Of several lines, some are in the file: where most of them are, at the distances they have.
fn shifted(text: &str, old: &str) -> Option<String> {
    let ours: Vec<&str> = old.trim_matches('\n').split('\n').map(str::trim).collect();
    if ours.len() < 2 {
        return None;
    }
    let mut wanted: HashMap<&str, Vec<usize>> = HashMap::new();
    for (index, line) in ours.iter().enumerate().filter(|(_, line)| !line.is_empty()) {
        let at = wanted.entry(line).or_default();
        if at.len() < VOTES {
            at.push(index);
        }
    }
    let mut votes: HashMap<isize, usize> = HashMap::new();
    for (number, line) in text.split('\n').enumerate() {
        for index in wanted.get(line.trim()).into_iter().flatten() {
            // Short lines such as `}` are in many places and say little.
            *votes.entry(number as isize - *index as isize).or_default() += line.trim().len().min(40);
        }
    }
    let (start, _) = votes
        .into_iter()
        .filter(|(start, weight)| *start >= 0 && *weight >= 4)
        .max_by_key(|(start, weight)| (*weight, std::cmp::Reverse(*start)))?;
    let from = usize::try_from(start).ok()? + 1;
    let differs = |(_, (theirs, ours)): &(usize, (&str, &&str))| theirs.trim() != **ours;
    let theirs = text.split('\n').skip(from - 1).chain(std::iter::repeat(""));
    let (number, (theirs, ours)) = (from..).zip(theirs.zip(&ours)).find(differs)?;
    Some(format!(
        "the nearest text is at line {from}; line {number} of the file is {}, where old_string has {}",
        quoted(theirs),
        quoted(ours)
    ))
}

/// The line that has most in common with the longest line of the text.
fn similar_line(text: &str, old: &str) -> Option<String> {
    let ours = old.split('\n').map(str::trim).max_by_key(|line| line.len())?;
    let pairs = Pairs::of(ours);
    let scored = text
        .split('\n')
        .enumerate()
        .map(|(index, line)| (pairs.likeness(line.trim()), index, line));
    let (likeness, index, theirs) =
        scored.max_by(|one, other| one.0.total_cmp(&other.0).then(other.1.cmp(&one.1)))?;
    (likeness >= 0.6).then(|| {
        format!(
            "the nearest line is line {}: {}, where old_string has {}",
            index + 1,
            quoted(theirs),
            quoted(ours)
        )
    })
}

/// The pairs of neighbouring bytes of a line, counted.
struct Pairs {
    counts: HashMap<(u8, u8), usize>,
    total: usize,
}

impl Pairs {
    fn of(line: &str) -> Pairs {
        let mut counts = HashMap::new();
        for pair in pairs(line) {
            *counts.entry(pair).or_default() += 1;
        }
        let total = pairs(line).count();
        Pairs { counts, total }
    }

    /// From 0, nothing in common, to 1.
    fn likeness(&self, line: &str) -> f64 {
        let total = self.total + line.len().min(LINE).saturating_sub(1);
        let shortest = self.total.min(line.len());
        // Lines of very different length need no closer look.
        if total == 0 || shortest * 3 < total - shortest {
            return 0.0;
        }
        let mut left = self.counts.clone();
        let mut common = 0;
        for pair in pairs(line) {
            if let Some(count) = left.get_mut(&pair).filter(|count| **count > 0) {
                *count -= 1;
                common += 1;
            }
        }
        2.0 * f64::from(common) / total as f64
    }
}

fn pairs(line: &str) -> impl Iterator<Item = (u8, u8)> {
    let bytes = line.as_bytes();
    let bytes = bytes.get(..LINE).unwrap_or(bytes);
    bytes.iter().copied().zip(bytes.iter().skip(1).copied())
}
