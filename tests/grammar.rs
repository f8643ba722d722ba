//! The written grammar and the parser name the same productions.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// The files of the parser, read.
fn sources() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/syntax");
    let entries = fs::read_dir(folder).expect("src/syntax");
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    paths
        .filter(|path| path.is_file())
        .map(|path| fs::read_to_string(path).unwrap())
        .collect()
}

/// The name of the function that a line declares.
fn function_name(line: &str) -> Option<&str> {
    let declaration = line
        .trim_start()
        .trim_start_matches("pub(super) ")
        .trim_start_matches("pub ")
        .strip_prefix("fn ")?;
    declaration.split(['(', '<']).next()
}

/// Functions whose documentation begins with "Production:".
fn productions_of_code() -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for source in sources() {
        let mut marked = false;
        for line in source.lines() {
            if line.trim_start().starts_with("/// Production:") {
                marked = true;
            } else if let Some(name) = function_name(line).filter(|_| marked) {
                names.insert(name.to_string());
                marked = false;
            }
        }
        assert!(!marked, "a production without a function");
    }
    names
}

/// Every function of the parser.
fn functions() -> BTreeSet<String> {
    let names = |source: String| {
        source
            .lines()
            .filter_map(function_name)
            .map(String::from)
            .collect::<Vec<_>>()
    };
    sources().into_iter().flat_map(names).collect()
}

/// Paragraphs of `grammar/bash.md`: name and rule.
fn productions_of_text() -> Vec<(String, String)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("grammar/bash.md");
    let text = fs::read_to_string(path).expect("grammar/bash.md");
    let paragraphs = text.split("\n\n").filter_map(|paragraph| {
        let mut lines = paragraph.trim().lines();
        let name = lines.next()?.strip_prefix('`')?.strip_suffix('`')?.to_string();
        let rule = lines.next()?.strip_prefix(": ")?.to_string();
        let sentence = lines
            .next()
            .and_then(|line| line.strip_prefix(": "))
            .unwrap_or_default();
        assert!(sentence.ends_with('.'), "{name}: a sentence is missing");
        assert!(
            rule.starts_with(&format!("{name} = ")),
            "{name}: the rule names another production"
        );
        Some((name, rule))
    });
    paragraphs.collect()
}

#[test]
fn code_and_grammar_name_the_same_productions() {
    let written: BTreeSet<String> = productions_of_text().into_iter().map(|(name, _)| name).collect();
    let coded = productions_of_code();
    let missing: Vec<_> = coded.difference(&written).collect();
    assert!(missing.is_empty(), "not in grammar/bash.md: {missing:?}");
    let functions = functions();
    let unknown: Vec<_> = written.difference(&functions).collect();
    assert!(unknown.is_empty(), "no such function in src/syntax: {unknown:?}");
    let unmarked: Vec<_> = written.difference(&coded).collect();
    assert!(
        unmarked.is_empty(),
        "functions without \"Production:\": {unmarked:?}"
    );
}

#[test]
fn rules_use_known_names_only() {
    let productions = productions_of_text();
    let names: BTreeSet<&str> = productions.iter().map(|(name, _)| name.as_str()).collect();
    for (name, rule) in &productions {
        let body = rule.split_once(" = ").map_or("", |(_, body)| body);
        // Terminals stand between quotes; a quote as terminal stands alone between blanks.
        let words = body
            .split_whitespace()
            .filter(|word| !word.starts_with('\'') && !word.ends_with('\''));
        for word in words.filter(|word| {
            word.chars()
                .all(|letter| letter.is_ascii_lowercase() || letter == '_')
        }) {
            assert!(
                names.contains(word) || word == "variable",
                "{name}: {word} is no production"
            );
        }
    }
}
