//! POSIX regular expressions against bash `[[ =~ ]]`, `grep -o` and `sed`: generated pairs, judged in one bash process.
//!
//! Half of the expressions are well formed, half are soups of special characters, for the undefined parts of the
//! syntax and the error sentences. Without bash 5 on the machine the tests pass without looking.

// A test may stop at the first surprise.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::io::Write as _;
use std::process::{Command, Stdio};

use exuvia::pattern::{Bound, Captures, Regex, RegexOptions, Syntax, unit_at};

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

const ATOMS: &[&str] = &[
    "a",
    "b",
    "c",
    "a",
    "b",
    "é",
    ".",
    "[ab]",
    "[^a]",
    "[a-c]",
    "[[:alpha:]]",
    "[]a]",
    "[^]a]",
    "[a-]",
    "[[:space:]b]",
    "\\w",
    "\\W",
    "\\.",
    "_",
    " ",
];
const PLACES: &[&str] = &["^", "$", "\\b", "\\B", "\\<", "\\>"];
const REPEATS: &[&str] = &["*", "+", "?", "{2}", "{1,2}", "{,2}", "{0,1}", "{2,}", "{0}"];
const SOUP: &[&str] = &[
    "a",
    "b",
    "a",
    "b",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "*",
    "+",
    "?",
    "|",
    "^",
    "$",
    ".",
    "\\",
    ",",
    "1",
    "2",
    "-",
    "\\(",
    "\\)",
    "\\{",
    "\\}",
    "\\|",
    "\\+",
    "\\?",
    "[^",
    "[a",
    "[:alpha:]",
    "\\1",
    "é",
    "{1",
    "{1,",
    "\\{1",
    "()",
];
const SUBJECT: &[&str] = &["a", "b", "a", "b", "c", "é", "_", " ", ".", "*", "{", "1"];

/// A well-formed extended expression.
fn extended(random: &mut Random, depth: usize) -> String {
    let mut out = String::new();
    for _ in 0..=random.below(3) {
        match random.below(if depth > 0 { 8 } else { 5 }) {
            0 if random.below(2) == 0 => {
                out.push_str(random.pick(PLACES));
                continue;
            }
            0..=4 => out.push_str(random.pick(ATOMS)),
            5 => {
                out = format!(
                    "{out}({}|{})",
                    extended(random, depth - 1),
                    extended(random, depth - 1)
                )
            }
            6 => out = format!("{out}({})", extended(random, depth - 1)),
            _ => out = format!("{out}(|{})", random.pick(ATOMS)),
        }
        // The library loses anchors in what it copies for an interval.
        let limit = if out.contains(['^', '$', '\\']) {
            3
        } else {
            REPEATS.len()
        };
        if random.below(3) == 0 {
            out.push_str(REPEATS[random.below(limit)]);
        }
    }
    out
}

/// The same expression in basic syntax.
fn to_basic(extended: &str) -> String {
    let mut out = String::new();
    let mut bytes = extended.chars();
    let mut in_bracket = false;
    while let Some(c) = bytes.next() {
        match c {
            '\\' if !in_bracket => {
                out.push(c);
                out.extend(bytes.next());
                continue;
            }
            '[' if !in_bracket => in_bracket = true,
            ']' if in_bracket && !out.ends_with('[') && !out.ends_with("[^") => in_bracket = false,
            '(' | ')' | '{' | '}' | '|' | '+' | '?' if !in_bracket => out.push('\\'),
            _ => {}
        }
        out.push(c);
    }
    out
}

fn soup(random: &mut Random) -> String {
    (0..=random.below(6)).map(|_| random.pick(SOUP)).collect()
}

fn subject(random: &mut Random) -> String {
    (0..random.below(8)).map(|_| random.pick(SUBJECT)).collect()
}

type Case = (String, String);

fn cases(seed: u64, count: usize, basic: bool, depth: usize) -> Vec<Case> {
    let mut random = Random(seed);
    let count = std::env::var("ORACLE_CASES")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(count);
    (0..count)
        .map(|index| {
            let pattern = match (index % 2, basic) {
                (0, _) => soup(&mut random),
                (_, false) => extended(&mut random, depth),
                (_, true) => to_basic(&extended(&mut random, depth)),
            };
            (pattern, subject(&mut random))
        })
        .collect()
}

/// What bash prints for each case in `body`, in fields ended by NUL.
fn ask_bash(cases: &[Case], body: &str) -> Option<Vec<Vec<u8>>> {
    let script = format!("while IFS= read -r -d '' p && IFS= read -r -d '' s; do\n{body}\ndone");
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

fn without_warnings(answer: &[u8]) -> String {
    let text = String::from_utf8_lossy(answer);
    text.lines()
        .filter(|line| !line.starts_with("grep: warning: "))
        .collect::<Vec<_>>()
        .join("\n")
}

fn compare(cases: &[Case], body: &str, ours: impl Fn(&str, &str) -> String) {
    let Some(answers) = ask_bash(cases, body) else {
        return;
    };
    assert!(answers.len() > cases.len(), "{} answers", answers.len());
    let mut wrong = Vec::new();
    for ((pattern, subject), answer) in cases.iter().zip(answers) {
        let (ours, theirs) = (ours(pattern, subject), without_warnings(&answer));
        // Whether an optional repetition may match nothing, the library decides by the order of its nodes.
        let undecided = pattern.contains("(|") && pattern.contains('{');
        let whole = |answer: &str| answer.split(']').next().unwrap_or("").to_owned();
        if ours != theirs && !(undecided && whole(&ours) == whole(&theirs)) {
            wrong.push(format!(
                "{pattern:?} on {subject:?}:\n  real {theirs:?}\n  ours {ours:?}"
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} differences:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

const GNU: RegexOptions = RegexOptions {
    gnu: true,
    ignore_case: false,
    newline_anchors: false,
    lenient: false,
    dfa: false,
    paired: false,
    lines: None,
    bound: Bound::None,
};

#[test]
fn bash_conditional() {
    let body = r#"
  if [[ $s =~ $p ]]; then printf '[%s]' "${BASH_REMATCH[@]}"; printf '\0'
  else printf '%s\0' "$?"; fi"#;
    compare(
        &cases(0x9e37_79b9_7f4a_7c15, 1000, false, 2),
        body,
        |pattern, subject| {
            let Ok(regex) = Regex::compile(pattern.as_bytes(), Syntax::Extended, GNU) else {
                return "2".to_owned();
            };
            let mut captures = Captures::default();
            if !regex.captures_at(subject.as_bytes(), 0, &mut captures).unwrap() {
                return "1".to_owned();
            }
            let group = |group| {
                captures
                    .get(group)
                    .map_or("", |(start, end)| &subject[start..end])
            };
            (0..captures.len())
                .map(|number| format!("[{}]", group(number)))
                .collect()
        },
    );
}

/// `grep -o`: the matches that are not empty, or the error.
fn grep(pattern: &str, subject: &str, syntax: Syntax, options: RegexOptions) -> String {
    let regex = match Regex::compile(pattern.as_bytes(), syntax, options) {
        Ok(regex) => regex,
        Err(error) => return format!("grep: {error}"),
    };
    all_matches(&regex, subject)
}

fn all_matches(regex: &Regex, subject: &str) -> String {
    let (mut out, mut at) = (String::new(), 0);
    while let Some((start, end)) = regex.find_at(subject.as_bytes(), at).unwrap() {
        at = end;
        if start == end {
            let Some((_, length)) = unit_at(subject.as_bytes(), at) else {
                break;
            };
            at += length;
        } else {
            out.push_str(&subject[start..end]);
            out.push('\n');
        }
    }
    out.pop();
    out
}

const GREP_OPTIONS: RegexOptions = RegexOptions {
    lenient: true,
    dfa: true,
    lines: Some(b'\n'),
    ..GNU
};

const GREP: &str = r#"
  out=$(grep FLAG -o -e "$p" <<< "$s" 2>&1); printf '%s\0' "$out""#;

#[test]
fn grep_extended() {
    let mut cases = cases(0xd1b5_4a32_d192_ed03, 300, false, 1);
    // Of a brace at the start its two matchers think differently: one selects lines by it, `-o` does not see it.
    cases.retain(|(pattern, _)| {
        !pattern.starts_with('{') && !["({", "|{", "^{"].iter().any(|p| pattern.contains(p))
    });
    compare(&cases, &GREP.replace("FLAG", "-E"), |pattern, subject| {
        grep(pattern, subject, Syntax::Extended, GREP_OPTIONS)
    });
}

#[test]
fn grep_basic() {
    let cases = cases(0x8cb9_2ba7_2f3d_8dd7, 300, true, 1);
    compare(&cases, &GREP.replace("FLAG", "-G"), |pattern, subject| {
        grep(pattern, subject, Syntax::Basic, GREP_OPTIONS)
    });
}

#[test]
fn grep_options() {
    for (seed, flags, options) in [
        (
            1,
            "-E -w",
            RegexOptions {
                bound: Bound::Word,
                ..GREP_OPTIONS
            },
        ),
        (
            2,
            "-E -x",
            RegexOptions {
                bound: Bound::Line,
                ..GREP_OPTIONS
            },
        ),
        (
            3,
            "-E -i",
            RegexOptions {
                ignore_case: true,
                ..GREP_OPTIONS
            },
        ),
    ] {
        let mut cases = cases(0x5851_f42d_4c95_7f2d + seed, 110, false, 1);
        cases.retain(|(pattern, _)| !pattern.contains(['{', '\\', '^']));
        for (index, (_, subject)) in cases.iter_mut().enumerate() {
            if index % 3 == 0 {
                *subject = subject.to_uppercase();
            }
        }
        compare(&cases, &GREP.replace("FLAG", flags), |pattern, subject| {
            grep(pattern, subject, Syntax::Extended, options)
        });
    }
}

/// A buffer of lines is searched as its lines are, ASCII or not.
#[test]
fn buffers_are_lines() {
    let mut random = Random(0x1234_5678_9abc_def1);
    for _ in 0..200 {
        let pattern = extended(&mut random, 2);
        let Ok(buffer) = Regex::compile(pattern.as_bytes(), Syntax::Extended, GREP_OPTIONS) else {
            continue;
        };
        let Ok(line) = Regex::compile(pattern.as_bytes(), Syntax::Extended, GNU) else {
            continue;
        };
        let plain = "ab c\n_a1b\n\nbb\n".repeat(random.below(700));
        let lines: Vec<String> = (0..20).map(|_| subject(&mut random)).collect();
        let text = [plain.as_str(), &lines.join("\n")].concat().into_bytes();
        let mut expected = Vec::new();
        let mut start = 0;
        for part in text.split(|&byte| byte == b'\n') {
            let found = line.find_at(part, 0).unwrap();
            expected.extend(found.map(|(from, to)| (start + from, start + to)));
            start += part.len() + 1;
        }
        let (mut found, mut at) = (Vec::new(), 0);
        while let Some(span) = buffer.find_at(&text, at).unwrap() {
            found.push(span);
            let rest = &text[span.1..];
            at = span.1
                + rest
                    .iter()
                    .position(|&byte| byte == b'\n')
                    .map_or(rest.len(), |length| length)
                + 1;
        }
        assert_eq!(found, expected, "{pattern:?}");
    }
}

/// `s/p/<&>/g`, or the error.
fn sed(pattern: &str, subject: &str) -> String {
    let regex = match Regex::compile(pattern.as_bytes(), Syntax::Basic, GNU) {
        Ok(regex) => regex,
        Err(error) => return error.to_string(),
    };
    let subject = subject.as_bytes();
    let (mut out, mut at, mut last) = (Vec::new(), 0, None);
    while let Some((start, end)) = regex.find_at(subject, at).unwrap() {
        out.extend(&subject[at..start]);
        at = end;
        if start < end || last != Some(end) {
            out.extend([b"<", &subject[start..end], b">"].concat());
        }
        last = Some(end);
        if start == end {
            // One byte, not one character.
            out.extend(subject.get(at..=at).unwrap_or_default());
            at += 1;
        }
    }
    out.extend(subject.get(at..).unwrap_or_default());
    String::from_utf8_lossy(&out).into_owned()
}

#[test]
fn sed_substitution() {
    let body = r#"
  out=$(sed "s/$p/<&>/g" <<< "$s" 2>&1); printf '%s\0' "${out#*expression #1, char *: }""#;
    let mut cases = cases(0x2545_f491_4f6c_dd1d, 300, true, 1);
    // An empty expression, and one with a slash or an open end, mean something else to sed itself.
    cases.retain(|(pattern, _)| !pattern.is_empty() && !pattern.ends_with('\\') && !pattern.contains('['));
    compare(&cases, body, sed);
}

const PERL: &[&str] = &[
    "\\w+",
    "\\d+",
    "\\bb",
    "b\\b",
    "\\Bb",
    "\\s",
    "\\S+",
    "[\\w.]+",
    "[^\\W_]+",
    "[\\d-]",
    "[[:alpha:]]+",
    "[[:^alpha:]]",
    "(?i)É",
    "(?i:A)b",
    "a(?=b)",
    "a(?!b)",
    "(?<=a)b",
    "(?<!a)b",
    "(?<=é)b",
    "a\\Kb",
    "(a)\\1",
    "(?<n>a)\\k<n>",
    "(?P<n>a)(?P=n)",
    "(a)\\g{1}",
    "(a)\\g{-1}",
    "a++b",
    "(?>a+)b",
    "a*?b",
    "a{2}",
    "a{,2}",
    "{",
    "a{",
    "\\x61",
    "\\x{e9}",
    "\\Qa.b\\E",
    "\\.",
    "[a&&b]",
    "[a--b]",
    "[]a]",
    "[^]a]",
    "[a\\]b]",
    "[[]",
    "\\h",
    "\\R",
    "\\N",
    "^.",
    ".$",
    "\\A.",
    ".\\z",
    ".\\Z",
    "(a|ab)(c|b)",
    "(?x) a b # c",
    "(?#c)a",
    "\\p{L}+",
    "\\pL",
    "\\P{L}",
    "\\p{Lu}",
    "(?:a|b)+",
    "(a)(?1)",
    "(x)?(?(1)a|b)",
    "\\141",
    "\\o{141}",
    "(",
    ")",
    "[a",
    "*a",
    "a**",
    "\\1",
    "a\\",
    "(?<=a+)b",
    "[z-a]",
    "(?P<n",
    "a{2,1}",
    "[[:nope:]]",
    "(?z)",
    "\\g{2}",
    "\\y",
    "\\u",
    "(?<n>a)(?<n>b)",
    "a|*",
    "(?:",
    "é",
    "[é-ü]",
    "\\e",
    "[\\b]",
    "\\cA",
    "(?s).",
    "(?-i)A",
    "\\d{2,3}",
    "_\\b",
    "(?<!\\w)b",
];

#[test]
fn perl_expressions() {
    let mut random = Random(0x0dd0_beef_1234_5679);
    let mut cases: Vec<Case> = PERL
        .iter()
        .map(|&pattern| (pattern.to_owned(), subject(&mut random)))
        .collect();
    for (pattern, text) in PERL.iter().zip(
        ["aab_éb a.b 12 {", "éaabb Aab[]-&1x", "xa éb É.,ab cb"]
            .iter()
            .cycle(),
    ) {
        cases.push(((*pattern).to_owned(), (*text).to_owned()));
        cases.push(((*pattern).to_owned(), "aabb ab a{ x.1 c".to_owned()));
    }
    compare(&cases, &GREP.replace("FLAG", "-P"), |pattern, subject| {
        let regex = match Regex::compile_perl(pattern.as_bytes(), GREP_OPTIONS) {
            Ok(regex) => regex,
            Err(error) => return format!("grep: {error}"),
        };
        all_matches(&regex, subject)
    });
}
