//! The pattern: regular expressions of the crate `regex`, which is what ripgrep itself uses.

use regex_automata::Input;
use regex_automata::meta::{Config, Regex};
use regex_automata::util::{interpolate, syntax};

use super::options::Options;

/// Bytes that the automaton of a pattern may take.
const SIZE_LIMIT: usize = 16 << 20;

/// What is said of a line break in a pattern without `-U`.
const LINE_BREAK: &str = "the literal '\"\\n\"' is not allowed in a regex

Consider enabling multiline mode with the --multiline flag (or -U for short).
When multiline mode is enabled, new line characters can be matched.";

/// A compiled pattern.
#[derive(Debug)]
pub struct Matcher {
    regex: Regex,
    multiline: bool,
    inverts: bool,
}

/// A part of a text.
pub type Span = (usize, usize);

impl Matcher {
    /// Compiles the patterns; the error is what ripgrep prints.
    pub fn compile(options: &Options, patterns: &[Vec<u8>]) -> Result<Matcher, String> {
        let patterns: Vec<String> = patterns
            .iter()
            .map(|pattern| String::from_utf8_lossy(pattern).into_owned())
            .collect();
        let ignores_case =
            options.ignores_case || (options.smart_case && !patterns.iter().any(|text| has_upper_case(text)));
        let config = syntax::Config::new()
            .utf8(false)
            .multi_line(true)
            .case_insensitive(ignores_case)
            .dot_matches_new_line(options.multiline && options.dot_matches_newline);
        let mut parts = Vec::new();
        for pattern in &patterns {
            let pattern = if options.fixed {
                escaped(pattern)
            } else {
                pattern.clone()
            };
            syntax::parse_with(&pattern, &config).map_err(|error| with_advice(error.to_string()))?;
            if !options.multiline && pattern.contains("\\n") && !pattern.contains("\\\\n") {
                return Err(LINE_BREAK.into());
            }
            parts.push(if options.whole_lines {
                format!("^(?:{pattern})$")
            } else if options.words {
                format!(r"\b{{start-half}}(?:{pattern})\b{{end-half}}")
            } else {
                format!("(?:{pattern})")
            });
        }
        let expression = match parts.as_slice() {
            [only] if !options.whole_lines && !options.words => only
                .strip_prefix("(?:")
                .and_then(|rest| rest.strip_suffix(')'))
                .unwrap_or(only)
                .to_owned(),
            parts => parts.join("|"),
        };
        let regex = Regex::builder()
            .configure(Config::new().utf8_empty(false).nfa_size_limit(Some(SIZE_LIMIT)))
            .syntax(config)
            .build(&expression)
            .map_err(|error| error.to_string())?;
        Ok(Matcher {
            regex,
            multiline: options.multiline,
            inverts: options.inverts,
        })
    }

    /// The next line that is to be shown, from the start of a line on. With `-U` the lines that a match covers.
    pub fn next_line(&self, text: &[u8], from: usize) -> Option<Span> {
        if self.inverts {
            return self.next_other_line(text, from);
        }
        let mut from = from;
        loop {
            let found = self.regex.find(Input::new(text).range(from..))?;
            if found.start() == text.len() && (text.is_empty() || text.ends_with(b"\n")) {
                return None;
            }
            let start = line_start(text, found.start(), from);
            if self.multiline {
                let last = found.end().max(found.start() + 1) - 1;
                return Some((start, line_end(text, last)));
            }
            let end = line_end(text, found.start());
            let content = content_end(text, (start, end));
            if found.end() <= content || self.is_match(text, (start, content)) {
                return Some((start, end));
            }
            from = end;
            if from >= text.len() {
                return None;
            }
        }
    }

    fn next_other_line(&self, text: &[u8], from: usize) -> Option<Span> {
        let mut start = from;
        while start < text.len() {
            let line = (start, line_end(text, start));
            if !self.is_match(text, (start, content_end(text, line))) {
                return Some(line);
            }
            start = line.1;
        }
        None
    }

    fn is_match(&self, text: &[u8], (start, end): Span) -> bool {
        self.regex.is_match(Input::new(text).range(start..end))
    }

    /// The matches in a line.
    pub fn spans(&self, text: &[u8], line: Span) -> Vec<Span> {
        if self.inverts {
            return Vec::new();
        }
        let end = if self.multiline {
            line.1
        } else {
            content_end(text, line)
        };
        let input = Input::new(text).range(line.0..end);
        self.regex
            .find_iter(input)
            .map(|found| (found.start(), found.end()))
            .collect()
    }

    /// The lines with what replaces each match; and for `-o` the replacements alone.
    pub fn replaced(&self, text: &[u8], line: Span, replacement: &[u8]) -> (Vec<u8>, Vec<Vec<u8>>) {
        let end = if self.multiline {
            line.1
        } else {
            content_end(text, line)
        };
        let mut result = Vec::new();
        let mut parts = Vec::new();
        let mut copied = line.0;
        for captures in self.regex.captures_iter(Input::new(text).range(line.0..end)) {
            let Some(found) = captures.get_match() else {
                continue;
            };
            let mut part = Vec::new();
            interpolate::bytes(
                replacement,
                |index, out| {
                    let group = captures.get_group(index);
                    out.extend_from_slice(
                        group
                            .and_then(|group| text.get(group.range()))
                            .unwrap_or_default(),
                    );
                },
                |name| captures.group_info().to_index(captures.pattern()?, name),
                &mut part,
            );
            result.extend_from_slice(text.get(copied..found.start()).unwrap_or_default());
            result.extend_from_slice(&part);
            copied = found.end();
            parts.push(part);
        }
        result.extend_from_slice(text.get(copied..line.1).unwrap_or_default());
        (result, parts)
    }
}

/// Where the line of a position begins, not before `least`.
pub fn line_start(text: &[u8], at: usize, least: usize) -> usize {
    let before = text.get(least..at).unwrap_or_default();
    memchr::memrchr(b'\n', before).map_or(least, |newline| least + newline + 1)
}

/// The position behind the newline of a line.
pub fn line_end(text: &[u8], at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    memchr::memchr(b'\n', rest).map_or(text.len(), |newline| at + newline + 1)
}

/// The end of a line without its newline.
fn content_end(text: &[u8], (start, end): Span) -> usize {
    match text.get(start..end) {
        Some([.., b'\n']) => end - 1,
        _ => end,
    }
}

/// Names the flag that other expressions would need.
fn with_advice(error: String) -> String {
    if error.contains("backreferences") || error.contains("look-around") {
        return error
            + "\n\nConsider enabling PCRE2 with the --pcre2 flag, which can handle backreferences\nand look-around.";
    }
    error
}

fn escaped(pattern: &str) -> String {
    let mut result = String::new();
    for character in pattern.chars() {
        if character.is_ascii_punctuation() {
            result.push('\\');
        }
        result.push(character);
    }
    result
}

/// A capital letter that stands for itself.
fn has_upper_case(pattern: &str) -> bool {
    let mut characters = pattern.chars();
    while let Some(character) = characters.next() {
        if character == '\\' {
            characters.next();
        } else if character.is_uppercase() {
            return true;
        }
    }
    false
}
