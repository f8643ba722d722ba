//! The parser and the printer against real bash: what `bash -n` accepts and says, and what `declare -f` prints.
//! Runs only where bash 5.2 is found.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::collections::BTreeMap;
use std::process::{Command, Stdio};

use exuvia::syntax::ast;
use exuvia::syntax::{Parser, print};

/// Snippets (separated by `---` lines), good and broken.
const SNIPPETS: &str = include_str!("syntax_oracle/snippets.txt");
/// Function definitions.
const FUNCTIONS: &str = include_str!("syntax_oracle/functions.sh");
/// Told apart on purpose: bash reads a line twice there and says so in odd words.
const KNOWN: [&str; 1] = ["((1)"];

/// Whether the judge is here.
fn has_bash() -> bool {
    let version = Command::new("bash").arg("--version").output();
    version.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains("version 5.2"))
}

/// What bash says to a script, a sentence a line, without its own name in front.
fn said_by_bash(snippet: &str) -> Vec<String> {
    let output = Command::new("bash")
        .args(["-n", "-c", snippet, "sh"])
        .stdin(Stdio::null())
        .env("LC_ALL", "C.UTF-8")
        .output()
        .expect("bash runs");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let named = |line: &str| {
        line.find(": line ")
            .or(line.find(": warning"))
            .map(|at| line[at + 2..].to_string())
    };
    said.lines()
        .map(|line| named(line).unwrap_or_else(|| line.to_string()))
        .collect()
}

/// The same from the parser.
fn said_by_parser(snippet: &str) -> Vec<String> {
    let mut parser = Parser::new(snippet.as_bytes().into(), 1);
    let mut said = Vec::new();
    loop {
        let result = parser.next(&());
        for (line, message) in parser.take_warnings() {
            let place = if line > 0 {
                format!("line {line}: ")
            } else {
                String::new()
            };
            said.push(format!("{place}warning: {message}"));
        }
        match result {
            Ok(Some(_)) => {}
            Ok(None) => return said,
            Err(error) => {
                let lines = error
                    .lines()
                    .map(|(line, message)| format!("line {line}: {message}"));
                said.extend(lines.flat_map(|line| line.lines().map(String::from).collect::<Vec<_>>()));
                if !error.resumes {
                    return said;
                }
            }
        }
    }
}

#[test]
fn errors_are_those_of_bash() {
    if !has_bash() {
        return;
    }
    let snippets: Vec<&str> = SNIPPETS.trim_end().split("\n---\n").collect();
    let check = |snippet: &&str| {
        let (expected, found) = (said_by_bash(snippet), said_by_parser(snippet));
        (expected != found && !KNOWN.contains(snippet)).then(|| {
            format!(
                "{snippet}\n  bash:   {}\n  parser: {}",
                expected.join("\n          "),
                found.join("\n          ")
            )
        })
    };
    // Most of the time goes to starting bash.
    let wrong: Vec<String> = std::thread::scope(|scope| {
        let chunks = snippets.chunks(snippets.len().div_ceil(4));
        let workers: Vec<_> = chunks
            .map(|chunk| scope.spawn(move || chunk.iter().filter_map(check).collect::<Vec<_>>()))
            .collect();
        workers
            .into_iter()
            .flat_map(|worker| worker.join().unwrap())
            .collect()
    });
    assert!(
        wrong.is_empty(),
        "{} of {} differ:\n{}",
        wrong.len(),
        snippets.len(),
        wrong.join("\n")
    );
}

/// Every function that a script defines at its top level.
fn functions_of(script: &str) -> BTreeMap<Vec<u8>, Vec<u8>> {
    let mut parser = Parser::new(script.as_bytes().into(), 1);
    let mut functions = BTreeMap::new();
    while let Some(list) = parser.next(&()).expect("the script is right") {
        for command in list
            .items
            .iter()
            .flat_map(|item| item.and_or.first.commands.iter())
        {
            if let ast::Command::Function(function) = command {
                functions.insert(function.name.to_vec(), print::print_function(function));
            }
        }
    }
    functions
}

#[test]
fn functions_print_as_declare_does() {
    if !has_bash() {
        return;
    }
    let script = format!("{FUNCTIONS}\ndeclare -f");
    let output = Command::new("bash")
        .args(["-c", &script])
        .stdin(Stdio::null())
        .output()
        .expect("bash runs");
    let mut found = Vec::new();
    for text in functions_of(FUNCTIONS).values() {
        found.extend_from_slice(text);
        found.push(b'\n');
    }
    let (expected, found) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&found),
    );
    for (at, (expected, found)) in expected.lines().zip(found.lines()).enumerate() {
        assert_eq!(expected, found, "line {}", at + 1);
    }
    assert_eq!(expected.len(), found.len());
}
