//! Brace expansion against real bash: generated words, all expanded by one bash process.
//!
//! The words hold text and quotes only, so that joining the parts gives what bash prints. Without bash 5 on the machine
//! the test passes without looking.

// A test may stop at the first surprise.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::process::Command;

use exuvia::expand::brace;
use exuvia::syntax::ast::{Command as Node, Part, Word};
use exuvia::syntax::parse_all;
use exuvia::syntax::print::print_word;

const PIECES: &[&str] = &[
    "{",
    "{",
    "{",
    "}",
    "}",
    "}",
    ",",
    ",",
    "..",
    "..",
    "a",
    "b",
    "e",
    "1",
    "3",
    "03",
    "-2",
    "'x,y'",
    "\"q}\"",
    "\\,",
    "\\{",
    "z",
    ".",
    "{a,b}",
    "{1..3}",
    "{c..a}",
    "{,x}",
    "{01..3..2}",
    "{}",
    "$'{'",
    "+4",
];

fn words(count: usize) -> Vec<String> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut below = |limit: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as usize % limit
    };
    let count = std::env::var("ORACLE_CASES")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(count);
    (0..count)
        .map(|_| (0..=below(9)).map(|_| PIECES[below(PIECES.len())]).collect())
        .collect()
}

fn text(parts: &[Part]) -> Vec<u8> {
    let mut out = Vec::new();
    for part in parts {
        match part {
            Part::Literal(text) | Part::Single(text) | Part::AnsiC { text, .. } => {
                out.extend_from_slice(text)
            }
            Part::Escaped(byte) => out.push(*byte),
            Part::Double { parts, .. } => out.extend(self::text(parts)),
            other => panic!("{other:?}"),
        }
    }
    out
}

fn word(source: &str) -> Word {
    let lists = parse_all(format!("p {source}\n").as_bytes(), &()).expect("parses");
    match &lists[0].items[0].and_or.first.commands[0] {
        Node::Simple(simple) => simple.words[1].clone(),
        other => panic!("{other:?}"),
    }
}

fn ours(source: &str) -> String {
    let words = brace::expand(&word(source), &mut |_| Ok::<(), ()>(())).expect("no limit");
    let fields = words
        .iter()
        .filter(|word| !word.parts.is_empty())
        .map(|word| text(&word.parts));
    fields
        .map(|field| format!("<{}>", String::from_utf8_lossy(&field)))
        .collect()
}

#[test]
fn same_words_as_bash() {
    let words = words(1500);
    let mut script = "set -f; p() { (($#)) && printf '<%s>' \"$@\"; echo; }\n".to_owned();
    words
        .iter()
        .for_each(|word| script.push_str(&format!("p {word}\n")));
    let Ok(output) = Command::new("bash")
        .args(["--norc", "-c", &script])
        .env("LC_ALL", "C.UTF-8")
        .output()
    else {
        return;
    };
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut wrong = Vec::new();
    for (word, bash) in words.iter().zip(printed.lines()) {
        let ours = ours(word);
        if ours != bash {
            wrong.push(format!("{word}\n  bash {bash}\n  ours {ours}"));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} differences:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn charged_before_allocating() {
    let mut asked = 0;
    let result = brace::expand(&word("{1..1000000000}"), &mut |count| {
        asked += count;
        Err("limit")
    });
    assert_eq!((result.err(), asked), (Some("limit"), 1_000_000_000));
    let mut left = 10_000_usize;
    let deep = "{a,b}".repeat(200);
    let result = brace::expand(&word(&deep), &mut |count| {
        left = left.checked_sub(count).ok_or("limit")?;
        Ok(())
    });
    assert_eq!(result.err(), Some("limit"));
    let open = "{".repeat(5000) + &"{a,".repeat(5000) + "}";
    assert!(brace::expand(&word(&open), &mut |_| Ok::<(), ()>(())).is_ok());
}

/// The words as they would be written.
fn written(source: &str) -> String {
    let words = brace::expand(&word(source), &mut |_| Ok::<(), ()>(())).expect("no limit");
    let printed = words
        .iter()
        .map(|word| String::from_utf8_lossy(&print_word(word)).into_owned());
    printed.collect::<Vec<_>>().join(" ")
}

#[test]
fn text_is_read_again() {
    assert_eq!(written("$a{b,c}d"), "$abd $acd");
    assert_eq!(written("${a}{b,c}"), "${a}b ${a}c");
    assert_eq!(written("{$a,b}c"), "$ac bc");
    assert_eq!(written("{x,$(echo {a,b})}"), "x $(echo {a,b})");
    let words = brace::expand(&word("{~,~u/a,x~}"), &mut |_| Ok::<(), ()>(())).expect("no limit");
    assert!(matches!(&*words[0].parts, [Part::Tilde(user)] if user.is_empty()));
    assert!(matches!(&*words[1].parts, [Part::Tilde(user), Part::Literal(_)] if **user == *b"u"));
    assert!(matches!(&*words[2].parts, [Part::Literal(_)]));
}
