//! The rules of `src/architecture.md` that a program can check.
//!
//! The sources are read as text, so that a rule costs milliseconds and its message can name a line. Every exception stands in a list below; an
//! exception that is not needed any more is an error as well, so the lists only shrink.

// A test may stop at the first surprise.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use exuvia::Shell;
use exuvia::fs::View;

/// Which top module may use which. Adding an edge is a change of the design: say why in `src/architecture.md`.
const EDGES: &[(&str, &[&str])] = &[
    ("args", &["text"]),
    (
        "builtin",
        &[
            "args", "expand", "fs", "interp", "kernel", "pattern", "stack", "syntax", "text",
        ],
    ),
    ("client", &["tool", "wire"]),
    ("error", &["fs"]),
    ("expand", &["fs", "kernel", "pattern", "stack", "syntax", "text"]),
    ("fs", &["text"]),
    ("host", &["fs", "kernel", "net"]),
    (
        "interp",
        &["expand", "fs", "kernel", "pattern", "stack", "syntax", "text"],
    ),
    ("kernel", &["fs", "net", "stack"]),
    ("mcp", &["tool"]),
    ("net", &[]),
    ("outcome", &["kernel"]),
    ("pattern", &["stack", "text"]),
    (
        "program",
        &["args", "fs", "kernel", "net", "pattern", "stack", "text"],
    ),
    (
        "shell",
        &[
            "builtin", "error", "fs", "host", "interp", "kernel", "net", "outcome", "program", "snapshot",
        ],
    ),
    ("shim", &["fs", "host", "kernel", "mcp", "net", "tool", "wire"]),
    (
        "snapshot",
        &["builtin", "error", "expand", "fs", "interp", "syntax", "text"],
    ),
    ("stack", &[]),
    ("syntax", &["stack", "text"]),
    ("text", &[]),
    (
        "tool",
        &[
            "error", "fs", "host", "kernel", "outcome", "pattern", "shell", "text",
        ],
    ),
    ("wire", &["tool"]),
];

/// Who may touch the host's time, threads, files, environment, processes or network.
const HOST_OWNERS: &[&str] = &[
    "src/bin/",                 // the command line: a process like any other
    "src/fs/adapter/to_vfs.rs", // the times that the crate `vfs` speaks of
    "src/fs/host/",             // host directories, feature `host-fs`
    "src/fs/system_time.rs",    // converts times, reads no clock
    "src/host/",                // the clock, the blocking executor, sockets (feature `http`)
    "src/wire/random.rs",       // ends the process when the host has no randomness for a key
    "src/shim/",                // a server, feature `server`: a process like any other
];

/// Programs without a file or folder below `corpus/cases/program`.
#[rustfmt::skip] // one a line
const WITHOUT_CASES: &[&str] = &[
];

/// Files with more than [`LONGEST`] lines of code.
const LONG_FILES: &[&str] = &[];

/// Lines a file may have before its tests.
const LONGEST: usize = 800;

/// A source file: its path from the package's root, and its text.
struct Source {
    path: String,
    text: String,
}

impl Source {
    /// The lines before the unit tests.
    fn lines(&self) -> impl Iterator<Item = &str> {
        let end = self
            .text
            .find("#[cfg(test)]\nmod tests {")
            .unwrap_or(self.text.len());
        self.text[..end].lines()
    }

    /// Those that are no comments, with their numbers.
    fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        self.lines()
            .enumerate()
            .map(|(index, line)| (index + 1, line.trim_start()))
            .filter(|(_, line)| !line.starts_with("//"))
    }

    /// The top module that the file is part of; none for the crate's root and the binary.
    fn module(&self) -> Option<&str> {
        let below = self.path.strip_prefix("src/")?;
        let name = below.split('/').next()?.trim_end_matches(".rs");
        (!["lib", "bin"].contains(&name)).then_some(name)
    }

    /// A file of unit tests, beside what it tests.
    fn is_test(&self) -> bool {
        self.path.starts_with("tests/") || self.path.ends_with("tests.rs")
    }
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// All Rust files below a directory of the package, sorted.
fn sources(directory: &str) -> Vec<Source> {
    let mut paths = Vec::new();
    let mut pending = vec![root().join(directory)];
    while let Some(directory) = pending.pop() {
        for entry in fs::read_dir(&directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                pending.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                paths.push(path);
            }
        }
    }
    paths.sort();
    let source = |path: PathBuf| Source {
        text: fs::read_to_string(&path).unwrap(),
        path: path.strip_prefix(root()).unwrap().to_str().unwrap().to_owned(),
    };
    paths.into_iter().map(source).collect()
}

/// The names that follow a path prefix in a line: one, or those of a `{…}` group.
fn names_after<'a>(line: &'a str, prefix: &str) -> Vec<&'a str> {
    let mut names = Vec::new();
    for (at, _) in line.match_indices(prefix) {
        let before = line[..at].chars().next_back();
        if before.is_some_and(|c| c.is_alphanumeric() || c == '_') {
            continue;
        }
        let rest = &line[at + prefix.len()..];
        match rest.strip_prefix('{') {
            Some(group) => names.extend(group.split(',').map(str::trim).map(first_name)),
            None => names.push(first_name(rest)),
        }
    }
    names.retain(|name| !name.is_empty());
    names
}

fn first_name(text: &str) -> &str {
    let end = text
        .find(|c: char| !c.is_alphanumeric() && c != '_')
        .unwrap_or(text.len());
    &text[..end]
}

fn assert_none(violations: &[String], rule: &str) {
    assert!(violations.is_empty(), "{rule}:\n{}\n", violations.join("\n"));
}

/// What is wrong between an exact list of exceptions and what needs one.
fn compare_lists(listed: &[&str], needed: &BTreeSet<String>) -> Vec<String> {
    assert!(listed.is_sorted(), "the list is not sorted");
    let listed: BTreeSet<String> = listed.iter().map(|name| (*name).to_owned()).collect();
    let missing = needed
        .difference(&listed)
        .map(|name| format!("{name}: breaks the rule"));
    let stale = listed
        .difference(needed)
        .map(|name| format!("{name}: take it off the list of exceptions"));
    missing.chain(stale).collect()
}

#[test]
fn modules_use_only_what_the_table_allows() {
    let mut violations = Vec::new();
    for source in sources("src") {
        let Some(module) = source.module() else { continue };
        let Some((_, allowed)) = EDGES.iter().find(|(name, _)| *name == module) else {
            violations.push(format!("{}: module {module} is not in the table", source.path));
            continue;
        };
        for (number, line) in source.code() {
            for used in names_after(line, "crate::") {
                if used != module && !allowed.contains(&used) {
                    violations.push(format!("{}:{number}: {module} uses {used}", source.path));
                }
            }
        }
    }
    assert_none(&violations, "edges between modules that the table does not have");
}

#[test]
fn the_table_of_edges_has_no_cycle() {
    assert!(EDGES.is_sorted_by(|a, b| a.0 < b.0));
    // Takes away modules that use nothing but what was taken away, until none is left.
    let mut left: Vec<_> = EDGES.to_vec();
    while !left.is_empty() {
        let before = left.len();
        let names: Vec<&str> = left.iter().map(|(name, _)| *name).collect();
        left.retain(|(_, uses)| uses.iter().any(|used| names.contains(used)));
        assert!(left.len() < before, "a cycle among {names:?}");
    }
}

#[test]
fn only_their_owners_touch_the_host() {
    let forbidden = ["time", "thread", "fs", "env", "process", "net"];
    let mut violations = Vec::new();
    for source in sources("src") {
        if source.is_test() || HOST_OWNERS.iter().any(|owner| source.path.starts_with(owner)) {
            continue;
        }
        for (number, line) in source.code() {
            // A duration is a number.
            let line = line.replace("std::time::Duration", "");
            for used in names_after(&line, "std::") {
                if forbidden.contains(&used) {
                    violations.push(format!("{}:{number}: std::{used}", source.path));
                }
            }
        }
    }
    assert_none(&violations, "uses of the host outside of their owners");
}

#[test]
fn the_owners_of_the_host_exist() {
    let gone: Vec<String> = HOST_OWNERS
        .iter()
        .filter(|owner| !root().join(owner).exists())
        .map(|owner| (*owner).to_owned())
        .collect();
    assert_none(&gone, "owners that are not there");
}

#[test]
fn every_file_opens_with_a_page() {
    let violations: Vec<String> = ["src", "tests"]
        .into_iter()
        .flat_map(sources)
        .filter(|source| !source.text.starts_with("//!"))
        .map(|source| source.path)
        .collect();
    assert_none(&violations, "files that do not say what they are");
}

#[test]
fn files_are_short() {
    let long: BTreeSet<String> = sources("src")
        .into_iter()
        .filter(|source| !source.is_test() && source.lines().count() > LONGEST)
        .map(|source| source.path)
        .collect();
    assert_none(&compare_lists(LONG_FILES, &long), "files that are too long");
}

#[test]
fn every_program_has_cases() {
    let shell = Shell::new();
    let programs = shell.fs().read_dir(&View::ROOT, b"/usr/bin").unwrap();
    let cases = root().join("corpus/cases/program");
    let without: BTreeSet<String> = programs
        .into_iter()
        .map(|entry| String::from_utf8(entry.name).unwrap())
        .filter(|name| !["bash", "sh"].contains(&name.as_str()))
        .filter(|name| !has_cases(&cases, name))
        .collect();
    assert_none(&compare_lists(WITHOUT_CASES, &without), "programs without cases");
}

/// `NAME.case`, or a folder of case files.
fn has_cases(cases: &Path, name: &str) -> bool {
    cases.join(format!("{name}.case")).is_file() || cases.join(name).is_dir()
}

/// The first text in quotes of each row of a table.
fn rows(path: &str, start: &str) -> Vec<String> {
    let text = fs::read_to_string(root().join(path)).unwrap();
    let table = text.split_once(start).unwrap().1.split_once("\n];").unwrap().0;
    // A row that is broken into lines has other texts in quotes further down.
    let row = |line: &str| {
        let starts = line.contains("name: \"") || line.trim_start().starts_with("plain(");
        let text = starts.then(|| line.split_once('"'))??.1;
        Some(text.split_once('"')?.0.to_owned())
    };
    table.lines().filter_map(row).collect()
}

#[test]
fn builtins_are_sorted() {
    let rows = rows("src/builtin/mod.rs", "BUILTINS: &[Builtin] = &[");
    assert!(rows.len() > 30);
    assert!(rows.is_sorted_by(|a, b| a < b), "{rows:?}");
}

#[test]
fn programs_are_sorted() {
    let text = fs::read_to_string(root().join("src/program/mod.rs")).unwrap();
    let modules: Vec<&str> = text
        .lines()
        .filter_map(|line| line.strip_prefix("mod "))
        .map(|name| name.trim_start_matches("r#"))
        .collect();
    assert!(modules.len() > 30);
    let code: Vec<&str> = modules
        .iter()
        .copied()
        .filter(|name| *name != "tests {")
        .collect();
    assert!(code.is_sorted(), "modules of src/program/mod.rs");
    // That the table itself is sorted by name is a unit test there.
}

#[test]
fn names_are_found_in_paths_and_groups() {
    assert_eq!(names_after("use crate::fs::Errno;", "crate::"), ["fs"]);
    assert_eq!(
        names_after("use crate::{args, text::width};", "crate::"),
        ["args", "text"]
    );
    assert_eq!(names_after("f(crate::a::b, my_crate::c)", "crate::"), ["a"]);
}
