//! What the fuzz targets do with their bytes. `fuzz/` calls these with what libFuzzer finds, `tests/properties.rs` with what proptest
//! makes up. Each returns, or panics where an invariant is broken.

use std::sync::Arc;

use exuvia::fs::Timestamp;
use exuvia::kernel::{Clock, Limits};
use exuvia::pattern::{Pattern, PatternOptions, Regex, RegexOptions, Syntax};
use exuvia::syntax::ast::List;
use exuvia::syntax::{Parser, parse_all, print};
use exuvia::{Outcome, Run, Shell, ShellBuilder};

/// Limits under which nothing takes long.
pub fn limits() -> Limits {
    Limits {
        steps: 400_000,
        output_bytes: 64 << 10,
        memory_bytes: 8 << 20,
        depth: 100,
        processes: 32,
        ..Limits::default()
    }
}

/// A shell that gives the same every time.
pub fn fixed() -> ShellBuilder {
    Shell::builder()
        .limits(limits())
        .clock(Clock::Virtual {
            start: Timestamp {
                seconds: 1_750_000_000,
                nanos: 0,
            },
        })
        .seed(7)
}

/// Reading a script ends, and every complete command takes at least a byte.
pub fn parse(bytes: &[u8]) {
    let mut parser = Parser::new(Arc::from(bytes), 1);
    let mut turns = 0;
    loop {
        match parser.next(&()) {
            Ok(None) => break,
            Ok(Some(_)) | Err(_) => turns += 1,
        }
        assert!(turns <= bytes.len() + 2, "the parser goes on without reading");
    }
}

fn printed(lists: &[Arc<List>]) -> Vec<u8> {
    let mut out = Vec::new();
    for list in lists {
        out.extend(print::print_list_exactly(list));
        out.push(b'\n');
    }
    out
}

/// What was read and printed reads again, and prints the same. Here-documents aside: what bash prints of them inside other commands
/// does not always read again, and the printer follows bash. A backslash stands for itself only where the source ends.
pub fn round_trip(bytes: &[u8]) {
    let has = |text: &[u8]| bytes.windows(text.len()).any(|part| part == text);
    if bytes.ends_with(b"\\") || has(b"<<") {
        return;
    }
    let Ok(lists) = parse_all(bytes, &()) else { return };
    let first = printed(&lists);
    let Ok(again) = parse_all(&first, &()) else {
        panic!(
            "does not read again:\n{}\n-- printed --\n{}",
            String::from_utf8_lossy(bytes),
            String::from_utf8_lossy(&first)
        )
    };
    let second = printed(&again);
    assert!(
        first == second,
        "prints differently:\n{}\n-- first --\n{}\n-- second --\n{}",
        String::from_utf8_lossy(bytes),
        String::from_utf8_lossy(&first),
        String::from_utf8_lossy(&second)
    );
}

/// Splits at the first NUL.
fn halves(bytes: &[u8]) -> (&[u8], &[u8]) {
    match bytes.iter().position(|byte| *byte == 0) {
        Some(at) => (&bytes[..at], &bytes[at + 1..]),
        None => bytes.split_at(bytes.len() / 2),
    }
}

/// Shell patterns and regular expressions: answers agree with each other and lie within the subject.
pub fn pattern(bytes: &[u8]) {
    let (text, subject) = halves(bytes);
    let (text, subject) = (&text[..text.len().min(64)], &subject[..subject.len().min(256)]);
    for extglob in [false, true] {
        let pattern = Pattern::compile(
            text,
            PatternOptions {
                extglob,
                ..PatternOptions::default()
            },
        );
        let shortest = pattern.shortest_prefix(subject);
        let longest = pattern.longest_prefix(subject);
        assert_eq!(shortest.is_some(), longest.is_some());
        assert!(shortest <= longest && longest.unwrap_or(0) <= subject.len());
        let suffix = (pattern.shortest_suffix(subject), pattern.longest_suffix(subject));
        assert_eq!(suffix.0.is_some(), suffix.1.is_some());
        if let Some((start, end)) = pattern.find(subject, 0) {
            assert!(start <= end && end <= subject.len());
        }
        let _ = pattern.matches(subject);
    }
    for syntax in [Syntax::Basic, Syntax::Extended] {
        if let Ok(regex) = Regex::compile(text, syntax, RegexOptions::default())
            && let Ok(Some((start, end))) = regex.find_at(subject, 0)
        {
            assert!(start <= end && end <= subject.len());
        }
    }
}

/// Runs a script in a fresh shell under [`limits`]; then the shell must still work.
pub fn run(script: &[u8]) -> Outcome {
    let mut shell = fixed().build().expect("the tree is small");
    let outcome = shell.execute(Run::command(script));
    assert!((0..=255).contains(&outcome.status), "status {}", outcome.status);
    let again = shell.execute(Run::script("echo works", "next").limits(Limits::default()));
    // The script may have changed what `echo` means, or where it writes.
    assert!(again.halt.is_none() || !script.is_empty(), "{:?}", again.halt);
    outcome
}

/// Arithmetic of any text.
pub fn arithmetic(bytes: &[u8]) {
    let quoted: Vec<u8> = bytes
        .iter()
        .copied()
        .filter(|byte| !matches!(byte, 0 | b'\''))
        .collect();
    run(&[
        b"x='",
        quoted.as_slice(),
        b"'; a=1 b=a; echo $((x)); let \"$x\"; r[x]=1",
    ]
    .concat());
}

/// Expansion of any text, through `${x@P}`, `eval` of a word, and patterns.
pub fn expansion(bytes: &[u8]) {
    let (word, value) = halves(bytes);
    let quoted: Vec<u8> = value
        .iter()
        .copied()
        .filter(|byte| !matches!(byte, 0 | b'\''))
        .collect();
    let prefix = [
        b"shopt -s extglob; x='",
        quoted.as_slice(),
        b"'; echo \"${x@P}\" $x ${x//$x/$x} ${x##$x} ${x^^} ${x@Q} ${x@E}\n",
    ]
    .concat();
    run(&[prefix.as_slice(), b"echo ", word].concat());
}

/// A whole script.
pub fn session(bytes: &[u8]) {
    run(bytes);
}

/// Runs a generated program here and in real bash: `None` when bash is not there or either met a limit, else the difference.
pub fn compare(program: &str, directory: &std::path::Path) -> Option<String> {
    let mut shell = fixed()
        .limits(Limits {
            steps: 20_000_000,
            ..Limits::default()
        })
        .build()
        .expect("the tree is small");
    let ours = shell.execute(Run::command(program));
    if ours.halt.is_some() {
        return Some(format!("halted: {:?}\n{program}", ours.halt));
    }
    let mut command = std::process::Command::new("timeout");
    command
        .args(["5", "bash", "-c", program, "bash"])
        .current_dir(directory)
        .env_clear();
    command.envs([
        ("PATH", "/usr/bin:/bin"),
        ("LC_ALL", "C.UTF-8"),
        ("HOME", "/workspace"),
    ]);
    let theirs = command.stdin(std::process::Stdio::null()).output().ok()?;
    let status = theirs.status.code()?;
    if status == 124 {
        return None;
    }
    if (ours.status, ours.stdout.as_slice()) == (status, theirs.stdout.as_slice()) {
        return None;
    }
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Some(format!(
        "-- program --\n{program}\n-- here, status {} --\n{}\n-- bash, status {status} --\n{}\n-- here, stderr --\n{}\n-- bash, stderr --\n{}",
        ours.status,
        text(&ours.stdout),
        text(&theirs.stdout),
        text(&ours.stderr),
        text(&theirs.stderr)
    ))
}
