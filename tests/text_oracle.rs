//! `text` against the real bash and GNU tools of this machine: escapes, `printf`, quoting, `strftime`.
//!
//! Each test runs one process over all its cases and compares every answer. Without bash the tests pass and say so.

// A test may stop at the first surprise.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};

use exuvia::args::BlockSize;
use exuvia::text::columns::{self, Fill, Item};
use exuvia::text::escape::{Reader, unescape};
use exuvia::text::gnu_quote::{self, Style};
use exuvia::text::printf::{Family, Format, Host};
use exuvia::text::strftime::{Dialect, Moment, strftime};
use exuvia::text::{quote, utf8, zone};

/// Ends each answer of a script.
const MARK: &[u8] = b"\x1e|\x1e";

/// The answers of a bash script that finds the cases in the array `words` and ends each answer with the mark `$M`. `None`
/// without bash.
fn ask(script: &str, cases: &[Vec<u8>]) -> Option<Vec<Vec<u8>>> {
    // Not `read -d ''`, which takes a NUL after the first byte of a character for a part of it.
    let script = format!("M=$'\\x1e|\\x1e'; mapfile -d '' -t words\n{script}");
    let mut child = Command::new("bash")
        .args(["--norc", "-c", &script])
        .env_clear()
        .envs([("PATH", "/usr/bin:/bin"), ("LC_ALL", "C.UTF-8"), ("TZ", "UTC")])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .inspect_err(|_| eprintln!("skipped: no bash"))
        .ok()?;
    let mut stdin = child.stdin.take().unwrap();
    let input: Vec<u8> = cases
        .iter()
        .flat_map(|case| [&case[..], b"\0"].concat())
        .collect();
    let writer = std::thread::spawn(move || stdin.write_all(&input).unwrap());
    let output = child.wait_with_output().unwrap().stdout;
    writer.join().unwrap();
    let mut answers = Vec::new();
    let mut rest = &output[..];
    while let Some(at) = memchr::memmem::find(rest, MARK) {
        answers.push(rest[..at].to_vec());
        rest = &rest[at + MARK.len()..];
    }
    Some(answers)
}

/// Collects differences, to show many of them at once.
#[derive(Default)]
struct Differences(String, usize);

impl Differences {
    fn check(&mut self, what: &str, case: &[u8], ours: &[u8], real: &[u8]) {
        self.1 += 1;
        if ours != real && self.0.len() < 6000 {
            let show = |bytes: &[u8]| String::from_utf8_lossy(bytes).escape_debug().to_string();
            writeln!(
                self.0,
                "{what} {}: ours {} real {}",
                show(case),
                show(ours),
                show(real)
            )
            .unwrap();
        }
    }

    fn finish(self, least: usize) {
        assert!(self.0.is_empty(), "\n{}", self.0);
        assert!(self.1 >= least, "only {} cases", self.1);
    }
}

/// Words with every byte alone, inside and at the ends, and with characters of all kinds.
fn words() -> Vec<Vec<u8>> {
    let mut words: Vec<Vec<u8>> = vec![Vec::new()];
    for byte in 1..=255_u8 {
        words.push(vec![byte]);
        words.push(vec![b'a', byte, b'b']);
        words.push(vec![byte, b'b']);
        words.push(vec![b'a', byte]);
    }
    for character in [
        'é',
        '\u{85}',
        '\u{ad}',
        '\u{200b}',
        '\u{301}',
        '日',
        '\u{e000}',
        '\u{fffe}',
        '\u{1f600}',
        '‘',
        '’',
    ] {
        words.push(format!("a{character}b").into_bytes());
        words.push(format!("{character}'").into_bytes());
    }
    for text in [
        "a=~b", "a:~b", "a~b", "~a", "#a", "a#", "{a,b}", "a'b\"c", "it's\n", "\n'\n", "a'\x01'b", "!", "-n",
        "\\'", "a\\nb",
    ] {
        words.push(text.as_bytes().to_vec());
    }
    words.push(b"\xe2\x82".to_vec());
    words.push(b"a\xe2\x82'".to_vec());
    words
}

/// What stands between two texts.
fn between<'a>(before: &[u8], answer: &'a [u8], after: &[u8]) -> &'a [u8] {
    answer
        .strip_prefix(before)
        .and_then(|rest| rest.strip_suffix(after))
        .unwrap_or(answer)
}

#[test]
fn bash_quotes() {
    let script = r#"for x in "${words[@]}"; do
        printf '%q%s' "$x" "$M"; printf '%s%s' "${x@Q}" "$M"
        declare -p x; printf %s "$M"; alias a="$x"; alias a; printf %s "$M"
        { set -x; : "$x"; set +x; } 2>&1; printf %s "$M"
        unset m; declare -A m; [[ -n $x ]] && m[$x]=1; declare -p m; printf %s "$M"
    done"#;
    let cases = words();
    let Some(answers) = ask(script, &cases) else {
        return;
    };
    let mut differences = Differences::default();
    for (case, answer) in cases.iter().zip(answers.chunks(6)) {
        differences.check("%q", case, &quote::backslashed(case), &answer[0]);
        differences.check("@Q", case, &quote::reusable(case), &answer[1]);
        differences.check(
            "declare -p",
            case,
            &quote::declared(case),
            between(
                b"declare -- x=",
                &answer[2],
                b"
",
            ),
        );
        differences.check(
            "alias",
            case,
            &quote::single_quoted(case),
            between(
                b"alias a=",
                &answer[3],
                b"
",
            ),
        );
        differences.check(
            "set -x",
            case,
            &quote::traced(case),
            between(
                b"+ : ",
                &answer[4],
                b"
+ set +x
",
            ),
        );
        if !case.is_empty() {
            let key = between(b"declare -A m=([", &answer[5], b"]=\"1\" )\n");
            differences.check("key", case, &quote::declared_key(case), key);
        }
    }
    differences.finish(5000);
}

#[test]
fn bash_lists_variables() {
    // One variable for each word; `set` prints them sorted, between two that mark the ends.
    let script = r#"for n in "${!words[@]}"; do printf -v name qz%05d $n; declare "$name=${words[n]}"; done
        printf -v name qz%05d $((n + 1)); declare $name=end
        unset words; (set) | sed -z "s/\nqz[0-9]*=/$M/g""#;
    let cases = words();
    let Some(answers) = ask(script, &cases) else {
        return;
    };
    let mut differences = Differences::default();
    for (case, answer) in cases.iter().zip(answers.iter().skip(1)) {
        differences.check("set", case, &quote::listed(case), answer);
    }
    differences.finish(1000);
}

#[test]
fn gnu_quotes() {
    let script = r#"d=$(mktemp -d) && cd "$d" && for n in "${words[@]}"; do : >"./$n"; done
        for style in literal shell shell-always shell-escape shell-escape-always c c-maybe escape locale; do
            ls -dU --zero --quoting-style=$style -- "${words[@]}" | sed -z "s/\$/$M/" | tr -d '\0'
        done
        rm -rf "$d""#;
    let valid = |word: &Vec<u8>| !word.is_empty() && !word.contains(&b'/') && word != b".";
    let cases: Vec<Vec<u8>> = words().into_iter().filter(valid).collect();
    let Some(answers) = ask(script, &cases) else {
        return;
    };
    let styles = Style::NAMES.iter().filter(|(name, _)| *name != "clocale");
    let mut differences = Differences::default();
    for ((name, style), answers) in styles.zip(answers.chunks(cases.len())) {
        for (case, answer) in cases.iter().zip(answers) {
            // ls escapes spaces too in this style.
            let also: &[u8] = if *style == Style::Escape { b" " } else { b"" };
            differences.check(name, case, &gnu_quote::styled(case, *style, also), answer);
        }
    }
    differences.finish(3000);
}

fn escapes() -> Vec<Vec<u8>> {
    let mut cases: Vec<Vec<u8>> = (1..=127_u8)
        // bash doubles a byte 1 there, which it uses as a mark.
        .filter(|byte| *byte != b'\'' && *byte != 1)
        .map(|byte| vec![b'x', b'\\', byte, b'1', b'y'])
        .collect();
    let texts = [
        "\\0101",
        "\\101",
        "\\1011",
        "\\x",
        "\\x4",
        "\\x41f",
        "\\x{41}z",
        "\\x{4142}z",
        "\\x{41z",
        "\\xg",
        "\\u",
        "\\u41",
        "\\u00e9x",
        "\\ud800",
        "\\u20ac1",
        "\\U1F600x",
        "\\U110000",
        "\\U7fffffff",
        "\\Uffffffff",
        "\\U123456789",
        "\\uzz",
        "x\\cab",
        "\\c?",
        "\\c\\\\a",
        "\\8",
        "\\400",
        "\\777",
        "\\0777",
        "\\0",
        "\\000",
        "a\\0b",
        "é\\é",
        "\\\\c",
        "\\e\\E",
        "\\\"",
        "\\?",
        "\\cé",
        "\\U00000041",
        "\\u0041",
    ];
    cases.extend(texts.iter().map(|text| text.as_bytes().to_vec()));
    cases
}

#[test]
fn bash_escapes() {
    let script = r#"for x in "${words[@]}"; do
        echo -ne "$x"; printf %s "$M"; printf "${x//%/%%}"; printf %s "$M"; printf %b "$x"; printf %s "$M"; eval "y=\$'$x'"; printf '%s%s' "$y" "$M"
        env printf "${x//%/%%}"; printf %s "$M"; env printf %b "$x"; printf %s "$M"; env echo -ne "$x"; printf %s "$M"
    done"#;
    let cases = escapes();
    let Some(answers) = ask(script, &cases) else {
        return;
    };
    let mut differences = Differences::default();
    for (case, answer) in cases.iter().zip(answers.chunks(7)) {
        let format = |family| {
            let format = Format::parse(
                &case
                    .iter()
                    .flat_map(|&byte| if byte == b'%' { vec![byte; 2] } else { vec![byte] })
                    .collect::<Vec<_>>(),
                family,
            );
            format.run(&[], &mut Clock, 1000).unwrap().bytes
        };
        let percent_b = |family| {
            Format::parse(b"%b", family)
                .run(std::slice::from_ref(case), &mut Clock, 1000)
                .unwrap()
                .bytes
        };
        differences.check("echo", case, &unescape(case, Reader::Echo).bytes, &answer[0]);
        differences.check("format", case, &format(Family::Bash), &answer[1]);
        differences.check("%b", case, &percent_b(Family::Bash), &answer[2]);
        differences.check(
            "$''",
            case,
            &unescape(case, Reader::DollarQuote).bytes,
            &answer[3],
        );
        differences.check("program format", case, &format(Family::Coreutils), &answer[4]);
        differences.check("program %b", case, &percent_b(Family::Coreutils), &answer[5]);
        differences.check(
            "program echo",
            case,
            &unescape(case, Reader::ProgramEcho).bytes,
            &answer[6],
        );
    }
    differences.finish(1000);
}

/// Times in UTC, no variables.
struct Clock;

impl Host for Clock {
    fn time(&mut self, format: &[u8], seconds: i64) -> Vec<u8> {
        let utc = zone::from_variable(None);
        let moment = Moment::new(seconds, 0, &utc)
            .or_else(|| Moment::new(0, 0, &utc))
            .unwrap();
        strftime(format, &moment, Dialect::Glibc, 1000).unwrap()
    }
    fn assign(&mut self, _name: &[u8], _count: usize) -> Result<(), Vec<u8>> {
        Ok(())
    }
}

/// A small generator of numbers, the same each time.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % sides
    }

    fn pick<'a>(&mut self, items: &[&'a str]) -> &'a str {
        items[self.roll(items.len())]
    }
}

#[test]
fn bash_printf() {
    let flags = ["", "", "", "-", "+", " ", "#", "0", "'", "+0", "-#", "# 0", "+-"];
    let widths = ["", "", "5", "12", "30"];
    let precisions = ["", "", ".", ".0", ".1", ".3", ".7", ".20", ".40"];
    let integers = [
        "0",
        "1",
        "-1",
        "42",
        "0x1F",
        "010",
        "08",
        "3x",
        "x",
        "",
        "9223372036854775807",
        "-9223372036854775808",
        "99999999999999999999",
        "'a",
        "'é",
        "\"",
        " 7",
        "7 ",
    ];
    let floats = [
        "0",
        "-0",
        "1",
        "0.1",
        "2.5",
        "-3.5",
        "1e10",
        "123456789.987",
        "1e300",
        "1e-300",
        "1e-4940",
        "1e4000",
        "1e5000",
        "inf",
        "-nan",
        "0x1.8p3",
        "0.000123456",
        "9.5",
        "99999.95",
        "999999.5",
        ".5",
        "1e",
        "x",
        "1_0",
        "5e-324",
        "18446744073709551617",
        "0.3",
        "1.005",
        "3.6e-4951",
        "255.9",
        "4095.99",
    ];
    let strings = ["", "a", "é", "hello world", "a\\tb", "it's", "-x"];
    let mut dice = Dice(88_172_645_463_325_252);
    let mut cases = Vec::new();
    for _ in 0..6000 {
        let (letters, args): (&[&str], &[&str]) = match dice.roll(5) {
            0 | 1 => (&["d", "i", "u", "o", "x", "X", "ld", "hhx"], &integers),
            2 | 3 => (&["e", "f", "g", "a", "E", "F", "G", "A", "Lf"], &floats),
            _ => (&["s", "b", "q", "c", "Q"], &strings),
        };
        let letter = dice.pick(letters);
        let mut flag = dice.pick(&flags);
        if matches!(letter, "b" | "q" | "Q") && flag.contains('\'') {
            flag = "";
        }
        let format = format!(
            "[%{flag}{}{}{letter}]",
            dice.pick(&widths),
            dice.pick(&precisions)
        );
        cases.push(format.into_bytes());
        cases.push(dice.pick(args).as_bytes().to_vec());
    }
    let script = r#"set -- "${words[@]}"; while (( $# )); do printf "$1" "$2"; printf '%s%s' "$?" "$M"; shift 2; done"#;
    let Some(answers) = ask(script, &cases) else {
        return;
    };
    let mut differences = Differences::default();
    for (case, answer) in cases.chunks(2).zip(&answers) {
        let printed = Format::parse(&case[0], Family::Bash)
            .run(&case[1..], &mut Clock, 100_000)
            .unwrap();
        let ours = [printed.bytes, printed.status.to_string().into_bytes()].concat();
        differences.check("printf", &case.join(&b' '), &ours, answer);
    }
    differences.finish(6000);
}

#[test]
fn dates() {
    let flags = [
        "", "", "", "-", "_", "0", "^", "#", "+", "_5", "10", "-3", "010", "3",
    ];
    let letters = [
        "a", "A", "b", "B", "c", "C", "d", "D", "e", "F", "g", "G", "h", "H", "I", "j", "k", "l", "m", "M",
        "N", "p", "P", "q", "r", "R", "s", "S", "T", "u", "U", "V", "w", "W", "x", "X", "y", "Y", "z", ":z",
        "::z", ":::z", "Z", "Q", "Ey", "Od", "EY", "EC", "Ex", "OH", "OU", "Oe", "Es", "OB", "Op", "i", "%",
    ];
    let mut dice = Dice(5_521_354_646_332_525);
    let mut cases = Vec::new();
    for _ in 0..200 {
        let seconds = dice.roll(8_000_000_000) as i64 - 4_000_000_000;
        let format: String = (0..20)
            .map(|_| format!("%{}{}|", dice.pick(&flags), dice.pick(&letters)))
            .collect();
        // `date` itself turns `%-N` into `%9N`.
        let format = format.replace("%-N", "%N").replace("%-3N", "%3N");
        cases.extend([seconds.to_string().into_bytes(), format.into_bytes()]);
    }
    let script = r#"export TZ=America/St_Johns; set -- "${words[@]}"
        while (( $# )); do date -d "@$1" "+$2"; printf %s "$M"; printf "%($2)T%s" "$1" "$M"; shift 2; done"#;
    let Some(answers) = ask(script, &cases) else {
        return;
    };
    let here = zone::from_variable(Some(b"America/St_Johns"));
    let mut differences = Differences::default();
    for (case, answer) in cases.chunks(2).zip(answers.chunks(2)) {
        let seconds = String::from_utf8_lossy(&case[0]).parse().unwrap();
        let moment = Moment::new(seconds, 0, &here).unwrap();
        let text = |dialect| strftime(&case[1], &moment, dialect, 10_000).unwrap();
        differences.check(
            "date",
            &case.join(&b' '),
            &[text(Dialect::Gnulib), b"\n".to_vec()].concat(),
            &answer[0],
        );
        let glibc = text(Dialect::Glibc);
        if glibc.len() < 128 {
            differences.check("printf %()T", &case.join(&b' '), &glibc, &answer[1]);
        }
    }
    differences.finish(200);
}

#[test]
fn characters() {
    let script = r#"for x in "${words[@]}"; do printf '%s' "${#x}" "$M" "${x^^}" "$M" "${x,,}" "$M" "${x:1:2}" "$M"; done"#;
    let cases = words();
    let Some(answers) = ask(script, &cases) else {
        return;
    };
    let mut differences = Differences::default();
    for (case, answer) in cases.iter().zip(answers.chunks(4)) {
        // bash reads beyond the end of a character that is cut off when it changes its case.
        if (1..=3).any(|length| case.len() >= length && utf8::is_truncated(&case[case.len() - length..])) {
            continue;
        }
        differences.check(
            "length",
            case,
            utf8::count(case).to_string().as_bytes(),
            &answer[0],
        );
        differences.check("upper", case, &utf8::uppercase(case), &answer[1]);
        differences.check("lower", case, &utf8::lowercase(case), &answer[2]);
        differences.check("slice", case, utf8::slice(case, 1, 2), &answer[3]);
    }
    differences.finish(3500);
}

fn items(words: &[Vec<u8>]) -> Vec<Item> {
    words
        .iter()
        .map(|word| Item {
            text: word.clone(),
            width: utf8::width(word),
        })
        .collect()
}

#[test]
fn columns_and_menus() {
    let mut dice = Dice(77_777_777_777_777);
    let mut cases = Vec::new();
    for count in (1..40).step_by(3).chain([100, 250]) {
        let longest = 1 + dice.roll(30);
        let word = |index: usize, dice: &mut Dice| {
            format!(
                "{index:03}{}",
                dice.pick(&["x", "é", "日"]).repeat(dice.roll(longest))
            )
        };
        cases.extend((0..count).map(|index| word(index, &mut dice).into_bytes()));
        cases.push(b"/".to_vec());
    }
    let script = r#"cd "$(mktemp -d)"; export COLUMNS
        for w in "${words[@]}"; do
            if [[ $w != / ]]; then names+=("$w"); : >"$w"; continue; fi
            for COLUMNS in 20 80 133; do
                ls -C -w $COLUMNS "${names[@]}"; printf %s "$M"; ls -x -w $COLUMNS "${names[@]}"; printf %s "$M"
                printf '%s\n' "${names[@]}" | column -c $COLUMNS; printf %s "$M"
                printf '%s\n' "${names[@]}" | column -x -c $COLUMNS; printf %s "$M"
                { select x in "${names[@]}"; do :; done </dev/null; } 2>&1; printf %s "$M"
            done
            names=()
        done; rm -rf "$PWD""#;
    let Some(answers) = ask(script, &cases) else {
        return;
    };
    let mut differences = Differences::default();
    let mut answers = answers.iter();
    for names in cases.split(|case| case == b"/").filter(|names| !names.is_empty()) {
        let items = items(names);
        for line in [20, 80, 133] {
            let what = format!("{} items in {line}", items.len());
            let mut check =
                |name, ours: &[u8]| differences.check(name, what.as_bytes(), ours, answers.next().unwrap());
            check("ls -C", &columns::ls(&items, line, Fill::Columns, 8));
            check("ls -x", &columns::ls(&items, line, Fill::Rows, 8));
            check("column", &columns::column(&items, line, Fill::Columns));
            check("column -x", &columns::column(&items, line, Fill::Rows));
            check(
                "select",
                &[columns::select_menu(&items, line), b"#? \n".to_vec()].concat(),
            );
        }
    }
    differences.finish(200);
}

#[test]
fn sizes() {
    let mut dice = Dice(1_234_567_891_011);
    let mut cases: Vec<Vec<u8>> = [
        "0", "1", "1023", "1024", "1025", "10137", "10138", "10240", "10241", "1047552", "1047553",
        "1048575", "999999",
    ]
    .map(|text| text.as_bytes().to_vec())
    .to_vec();
    cases.extend((0..20).map(|_| {
        (1_u64 << dice.roll(42))
            .saturating_add(dice.roll(5000) as u64)
            .to_string()
            .into_bytes()
    }));
    let script = r#"f=$(mktemp); for w in "${words[@]}"; do
        truncate -s $w $f
        for o in -h --si --block-size=M --block-size=1M --block-size=KiB --block-size=kB --block-size=3; do
            set -- $(ls -l $o $f); printf '%s' "$5" "$M"
        done
    done; rm -f $f"#;
    let Some(answers) = ask(script, &cases) else {
        return;
    };
    let units = ["human-readable", "si", "M", "1M", "KiB", "kB", "3"]
        .map(|unit| BlockSize::parse(unit.as_bytes()).unwrap());
    let mut differences = Differences::default();
    for (case, answers) in cases.iter().zip(answers.chunks(units.len())) {
        let bytes = String::from_utf8_lossy(case).parse().unwrap();
        for (unit, answer) in units.iter().zip(answers) {
            differences.check(&format!("{unit:?}"), case, unit.format(bytes).as_bytes(), answer);
        }
    }
    differences.finish(200);
}
