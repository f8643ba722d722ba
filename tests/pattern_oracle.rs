//! Shell patterns against real bash: generated patterns and subjects, all judged by one bash process.
//!
//! Each case asks `case`, `${x#p}`, `${x##p}`, `${x%p}`, `${x%%p}`, `${x/p/=}` and `${x//p/=}`. Without bash 5 on the
//! machine the tests pass without looking.

// A test may stop at the first surprise.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::io::Write as _;
use std::process::{Command, Stdio};

use exuvia::pattern::{Pattern, PatternOptions};

/// A small generator, so that every run judges the same cases.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % limit
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }
}

const PIECES: &[&str] = &[
    "a",
    "b",
    "c",
    "é",
    ".",
    "-",
    "]",
    "*",
    "*",
    "?",
    "[ab]",
    "[!a]",
    "[^b-c]",
    "[a-c]",
    "[]a]",
    "[!]a]",
    "[a-]",
    "[[:alpha:]]",
    "[![:alpha:]é]",
    "[[:punct:]]",
    "[[=a=]b]",
    "[[.-.]]",
    "\\a",
    "\\*",
    "\\\\",
    "[\\]a]",
    "[é]",
    "[a",
    "[z-a]",
    "[[:nope:]a]",
    "A",
    "[A-B]",
    "[[:upper:]]",
];

const CHARACTERS: &[&str] = &[
    "a", "a", "b", "b", "c", "é", ".", "-", "]", "[", "*", "\\", "A", "B", "|", "(",
];

fn pattern(random: &mut Random, extglob: bool, depth: usize) -> String {
    let mut out = String::new();
    for _ in 0..=random.below(4) {
        if extglob && depth > 0 && random.below(3) == 0 {
            out.push_str(random.pick(&["?(", "*(", "+(", "@(", "!("]));
            for alternative in 0..=random.below(3) {
                if alternative > 0 {
                    out.push('|');
                }
                if random.below(6) > 0 {
                    out.push_str(&pattern(random, true, depth - 1));
                }
            }
            if random.below(25) > 0 {
                out.push(')');
            }
        } else {
            let limit = if depth == 0 { 10 } else { PIECES.len() };
            out.push_str(PIECES[random.below(limit)]);
        }
    }
    out
}

fn subject(random: &mut Random) -> String {
    (0..random.below(7)).map(|_| random.pick(CHARACTERS)).collect()
}

/// What bash answers for each pair, in fields ended by NUL.
fn ask_bash(cases: &[(String, String)], setup: &str) -> Option<Vec<Vec<u8>>> {
    let script = format!(
        r#"{setup}
while IFS= read -r -d '' p && IFS= read -r -d '' s; do
  case $s in $p) r=1;; *) r=0;; esac
  printf '%s\0' "$r" "${{s#$p}}" "${{s##$p}}" "${{s%$p}}" "${{s%%$p}}" "${{s/$p/=}}" "${{s//$p/=}}"
done"#
    );
    let mut bash = Command::new("bash")
        .args(["--norc", "-c", &script])
        .env("LC_ALL", "C.UTF-8")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .ok()?;
    let mut stdin = bash.stdin.take()?;
    let mut input = Vec::new();
    for (pattern, subject) in cases {
        for field in [pattern, subject] {
            input.extend_from_slice(field.as_bytes());
            input.push(0);
        }
    }
    let writer = std::thread::spawn(move || stdin.write_all(&input));
    let output = bash.wait_with_output().ok()?;
    let _ = writer.join();
    Some(
        output
            .stdout
            .split(|&byte| byte == 0)
            .map(<[u8]>::to_vec)
            .collect(),
    )
}

fn replace(pattern: &Pattern, subject: &[u8], all: bool) -> Vec<u8> {
    let (mut out, mut at) = (Vec::new(), 0);
    while at < subject.len() || subject.is_empty() {
        let Some((start, end)) = pattern.find(subject, at) else {
            break;
        };
        out.extend_from_slice(&subject[at..start]);
        out.push(b'=');
        at = end;
        if start == end {
            let length = exuvia::pattern::unit_at(subject, at).map_or(0, |(_, length)| length);
            if all {
                out.extend_from_slice(&subject[at..at + length]);
                at += length;
            }
        }
        if !all || subject.is_empty() {
            break;
        }
    }
    out.extend_from_slice(&subject[at..]);
    out
}

fn ours(pattern: &Pattern, subject: &[u8]) -> [Vec<u8>; 7] {
    let n = subject.len();
    let without_prefix = |length: Option<usize>| subject[length.unwrap_or(0)..].to_vec();
    let without_suffix = |length: Option<usize>| subject[..n - length.unwrap_or(0)].to_vec();
    [
        if pattern.matches(subject) {
            b"1".to_vec()
        } else {
            b"0".to_vec()
        },
        without_prefix(pattern.shortest_prefix(subject)),
        without_prefix(pattern.longest_prefix(subject)),
        without_suffix(pattern.shortest_suffix(subject)),
        without_suffix(pattern.longest_suffix(subject)),
        replace(pattern, subject, false),
        replace(pattern, subject, true),
    ]
}

/// What is not compared.
fn excepted(pattern: &str, subject: &str, index: usize, nocase: bool) -> bool {
    // Removal does not look at `nocasematch`.
    (nocase && (1..=4).contains(&index))
        // Defects of bash, see `src/pattern/glob.rs`.
        || (index >= 5 && pattern.contains("[!]"))
        || (subject.is_empty() && pattern.contains("*!("))
}

fn judge(seed: u64, count: usize, extglob: bool, nocase: bool) {
    let mut random = Random(seed);
    let count = std::env::var("ORACLE_CASES")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(count);
    let cases: Vec<_> = (0..count)
        .map(|_| (pattern(&mut random, extglob, 2), subject(&mut random)))
        .collect();
    let mut setup = format!("shopt -{} extglob;", if extglob { 's' } else { 'u' });
    if nocase {
        setup.push_str("shopt -s nocasematch;");
    }
    let Some(answers) = ask_bash(&cases, &setup) else {
        return;
    };
    let mut wrong = Vec::new();
    for ((pattern, subject), answer) in cases.iter().zip(answers.chunks(7)) {
        let compiled = Pattern::compile(
            pattern.as_bytes(),
            PatternOptions {
                extglob,
                nocase,
                ..PatternOptions::default()
            },
        );
        for (index, (ours, bash)) in ours(&compiled, subject.as_bytes()).iter().zip(answer).enumerate() {
            if ours != bash && !excepted(pattern, subject, index, nocase) {
                let what = ["case", "#", "##", "%", "%%", "/", "//"][index];
                let show = |text: &[u8]| String::from_utf8_lossy(text).into_owned();
                wrong.push(format!(
                    "{pattern:?} {what} {subject:?}: bash {:?}, ours {:?}",
                    show(bash),
                    show(ours)
                ));
            }
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
fn plain_patterns() {
    judge(0x9e37_79b9_7f4a_7c15, 600, false, false);
}

#[test]
fn extended_patterns() {
    judge(0xd1b5_4a32_d192_ed03, 600, true, false);
}

#[test]
fn patterns_without_case() {
    judge(0x8cb9_2ba7_2f3d_8dd7, 300, true, true);
}
