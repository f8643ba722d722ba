//! What a run says: differences, summary per folder, closing line, JSON.

use super::escape::escape;
use super::format::Observed;
use super::play::{Outcome, Played};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Lines of one difference that are printed, so that a runaway script does not bury the rest.
const DIFFERENCE_LINES: usize = 40;

/// Failures that are printed in full; the rest by name.
const FULL_FAILURES: usize = 50;

/// The text after a run: failures, pending cases that pass, counts per folder, closing line.
pub fn text(played: &[Played]) -> String {
    let mut out = String::new();
    for (index, failure) in played.iter().filter(|p| p.fails()).enumerate() {
        push_failure(&mut out, failure, index < FULL_FAILURES);
    }
    for one in played.iter().filter(|p| p.pending && !p.outcome.is_failure()) {
        push_line(&mut out, &format!("no longer pending: {}", one.id()));
    }
    push_summary(&mut out, played);
    out
}

fn push_failure(out: &mut String, failure: &Played, in_full: bool) {
    let place = format!("{}:{}", failure.loaded.path.display(), failure.case.line);
    let word = failure.outcome.word();
    push_line(out, &format!("{word}: {}   ({place})", failure.id()));
    if !in_full {
        return;
    }
    match &failure.outcome {
        Outcome::Differs(expected, actual) => push_line(out, &difference(expected, actual)),
        Outcome::Resolved => push_line(out, "  agrees with bash now: remove known: and its block"),
        Outcome::Broken(message) => push_line(out, &format!("  {message}")),
        Outcome::Passed | Outcome::Known | Outcome::TimedOut => {}
    }
}

fn push_line(out: &mut String, line: &str) {
    out.push_str(line);
    out.push('\n');
}

/// How many of some cases passed, failed, and failed as expected.
#[derive(Default)]
struct Count {
    passed: usize,
    failed: usize,
    pending: usize,
}

impl Count {
    fn add(&mut self, one: &Played) {
        *match (one.outcome.is_failure(), one.pending) {
            (false, _) => &mut self.passed,
            (true, false) => &mut self.failed,
            (true, true) => &mut self.pending,
        } += 1;
    }

    /// `, 3 failed, 2 pending`, without what is zero.
    fn rest(&self) -> String {
        let part = |count: usize, word| {
            if count == 0 {
                String::new()
            } else {
                format!(", {count} {word}")
            }
        };
        part(self.failed, "failed") + &part(self.pending, "pending")
    }
}

fn push_summary(out: &mut String, played: &[Played]) {
    let mut folders: BTreeMap<&str, Count> = BTreeMap::new();
    let mut all = Count::default();
    for one in played {
        folders.entry(one.loaded.folder()).or_default().add(one);
        all.add(one);
    }
    let width = folders.keys().map(|f| f.len()).max().unwrap_or_default();
    for (folder, count) in &folders {
        push_line(
            out,
            &format!("{folder:width$}  {:5} passed{}", count.passed, count.rest()),
        );
    }
    let known = played.iter().filter(|p| p.outcome == Outcome::Known).count();
    if known > 0 {
        push_line(
            out,
            &format!("{known} of the passed differ from bash as known-differences.md says"),
        );
    }
    if all.pending > 0 {
        push_line(out, &format!("{} fail as corpus/pending.txt says", all.pending));
    }
    push_line(
        out,
        &format!(
            "{} passed, {} failed, {} pending",
            all.passed, all.failed, all.pending
        ),
    );
}

/// What differs between two results, line by line: `-` was expected, `+` came out.
pub fn difference(expected: &Observed, actual: &Observed) -> String {
    let mut out = String::new();
    for (name, a, b) in [
        ("stdout", &expected.stdout, &actual.stdout),
        ("stderr", &expected.stderr, &actual.stderr),
    ] {
        if a != b {
            push_line(&mut out, &format!("  {name}"));
            push_lines(&mut out, &lines(a), &lines(b));
        }
    }
    if expected.status != actual.status {
        push_line(
            &mut out,
            &format!("  status\n  - {}\n  + {}", expected.status, actual.status),
        );
    }
    out.pop();
    out
}

/// The lines of a stream, printable; a missing last newline is shown.
fn lines(bytes: &[u8]) -> Vec<String> {
    let show = |line: &[u8]| {
        let text = String::from_utf8_lossy(&escape(line)).into_owned();
        text.strip_suffix('\n')
            .map_or_else(|| format!("{text}\\(no newline)"), str::to_owned)
    };
    bytes.split_inclusive(|&b| b == b'\n').map(show).collect()
}

/// A plain edit script between two short texts; long ones are only trimmed of what they share at both ends.
fn push_lines(out: &mut String, expected: &[String], actual: &[String]) {
    let mut edits = Vec::new();
    let same = expected.iter().zip(actual).take_while(|(a, b)| a == b).count();
    let (shared, a) = expected.split_at(same);
    let (_, b) = actual.split_at(same);
    edits.extend(shared.iter().skip(same.saturating_sub(3)).map(|l| (' ', l)));
    if a.len().saturating_mul(b.len()) <= 100_000 {
        edit_script(a, b, &mut edits);
    } else {
        edits.extend(a.iter().map(|l| ('-', l)));
        edits.extend(b.iter().map(|l| ('+', l)));
    }
    for (sign, line) in edits.iter().take(DIFFERENCE_LINES) {
        push_line(
            out,
            &format!("  {sign} {}", line.chars().take(400).collect::<String>()),
        );
    }
    if edits.len() > DIFFERENCE_LINES {
        push_line(out, &format!("  … {} more lines", edits.len() - DIFFERENCE_LINES));
    }
}

/// The longest common subsequence, by the textbook table: a cell holds its length from there on.
fn edit_script<'a>(before: &'a [String], after: &'a [String], edits: &mut Vec<(char, &'a String)>) {
    let width = after.len() + 1;
    let mut table = vec![0usize; (before.len() + 1) * width];
    let at = |table: &[usize], i: usize, j: usize| table.get(i * width + j).copied().unwrap_or_default();
    for (i, old) in before.iter().enumerate().rev() {
        for (j, new) in after.iter().enumerate().rev() {
            let longest = if old == new {
                at(&table, i + 1, j + 1) + 1
            } else {
                at(&table, i + 1, j).max(at(&table, i, j + 1))
            };
            if let Some(cell) = table.get_mut(i * width + j) {
                *cell = longest;
            }
        }
    }
    let (mut i, mut j) = (0, 0);
    loop {
        match (before.get(i), after.get(j)) {
            (Some(old), Some(new)) if old == new => {
                edits.push((' ', old));
                (i, j) = (i + 1, j + 1);
            }
            (Some(old), new) if new.is_none() || at(&table, i + 1, j) >= at(&table, i, j + 1) => {
                edits.push(('-', old));
                i += 1;
            }
            (_, Some(new)) => {
                edits.push(('+', new));
                j += 1;
            }
            _ => break,
        }
    }
}

/// The report for machines. Streams are text: bytes that are not UTF-8 appear as U+FFFD.
pub fn json(played: &[Played]) -> String {
    let mut all = Count::default();
    played.iter().for_each(|one| all.add(one));
    let (passed, failed, pending) = (all.passed, all.failed, all.pending);
    let mut out = format!("{{\"passed\":{passed},\"failed\":{failed},\"pending\":{pending},\"cases\":[");
    for (index, one) in played.iter().enumerate() {
        out.push_str(if index == 0 { "\n" } else { ",\n" });
        push_json_case(&mut out, one);
    }
    out.push_str("\n]}\n");
    out
}

fn push_json_case(out: &mut String, one: &Played) {
    let path = one.loaded.path.display().to_string();
    push_member(out, "{\"name\":", one.id().as_bytes());
    push_member(out, ",\"path\":", path.as_bytes());
    push_member(out, ",\"outcome\":", one.outcome.word().as_bytes());
    if one.pending {
        out.push_str(",\"pending\":true");
    }
    match &one.outcome {
        Outcome::Differs(expected, actual) => {
            push_observed(out, "expected", expected);
            push_observed(out, "actual", actual);
        }
        Outcome::Broken(message) => push_member(out, ",\"message\":", message.as_bytes()),
        Outcome::Passed | Outcome::Known | Outcome::Resolved | Outcome::TimedOut => {}
    }
    out.push('}');
}

fn push_observed(out: &mut String, name: &str, observed: &Observed) {
    push_member(out, &format!(",\"{name}\":{{\"stdout\":"), &observed.stdout);
    push_member(out, ",\"stderr\":", &observed.stderr);
    // Writing to a string cannot fail.
    let _ = write!(out, ",\"status\":{}}}", observed.status);
}

fn push_member(out: &mut String, key: &str, value: &[u8]) {
    out.push_str(key);
    out.push('"');
    for c in String::from_utf8_lossy(value).chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            c if c < ' ' => {
                // Writing to a string cannot fail.
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn difference_shows_lines_and_status() {
        let result = |out: &str, status| Observed {
            stdout: out.into(),
            stderr: Vec::new(),
            status,
        };
        let text = difference(&result("a\nb\nc\n", 0), &result("a\nc\nd", 1));
        assert_eq!(
            text,
            "  stdout\n    a\n  - b\n    c\n  + d\\(no newline)\n  status\n  - 0\n  + 1"
        );
    }
}
