//! The text format of case files: reading and writing. `corpus/README.md` is its description.
//!
//! A file is read into cases that remember their input lines verbatim, so that writing a recorded file back changes expectations
//! only and never the hand-written part. Bytes throughout: a case may hold any.

use super::escape::{self, CASE, SECTION, escape, is_plain};
use std::fmt;

/// How the script reaches the shell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Mode {
    /// `bash -c SCRIPT bash ARGS…`
    #[default]
    Command,
    /// `bash script.sh ARGS…`
    File,
    /// `bash -s -- ARGS… < SCRIPT`
    Stdin,
}

/// Something that exists in the working directory before the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    /// A regular file.
    File {
        name: Vec<u8>,
        mode: u32,
        content: Vec<u8>,
    },
    /// An empty directory.
    Directory { name: Vec<u8> },
    /// A symbolic link.
    Link { name: Vec<u8>, target: Vec<u8> },
}

/// What a shell printed and returned, or should have.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Observed {
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
    pub status: i32,
}

/// One case: how to run it and what to expect.
#[derive(Clone, Debug, Default)]
pub struct Case {
    pub name: String,
    pub line: usize,
    pub tags: Vec<String>,
    pub mode: Mode,
    pub args: Vec<Vec<u8>>,
    pub env: Vec<(Vec<u8>, Vec<u8>)>,
    pub limit: Option<u64>,
    pub map_cwd: bool,
    pub known: Option<String>,
    pub script: Vec<u8>,
    pub stdin: Option<Vec<u8>>,
    pub entries: Vec<Entry>,
    pub expected: Option<Observed>,
    pub known_expected: Option<Observed>,
    /// The lines from the header to the last input section, as written.
    source: Vec<u8>,
}

/// One file of cases.
#[derive(Clone, Debug, Default)]
pub struct CaseFile {
    /// The comment lines before the first case.
    preamble: Vec<u8>,
    pub cases: Vec<Case>,
}

/// A mistake in a case file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormatError {
    pub line: usize,
    pub message: String,
}

impl fmt::Display for FormatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

fn fail<T>(line: usize, message: impl Into<String>) -> Result<T, FormatError> {
    Err(FormatError {
        line,
        message: message.into(),
    })
}

impl Case {
    /// Whether the case carries this tag.
    pub fn has_tag(&self, tag: &str) -> bool {
        self.tags.iter().any(|t| t == tag)
    }
}

/// One line of the file with its number, newline included.
type Line<'a> = (usize, &'a [u8]);

/// Reads a case file.
pub fn parse(text: &[u8]) -> Result<CaseFile, FormatError> {
    let lines: Vec<Line> = (1..).zip(text.split_inclusive(|&b| b == b'\n')).collect();
    let first = lines
        .iter()
        .position(|(_, l)| l.starts_with(CASE))
        .unwrap_or(lines.len());
    let (head, mut rest) = lines.split_at(first);
    let mut file = CaseFile::default();
    for &(number, line) in head {
        if !line.starts_with(b"#") && !line.trim_ascii().is_empty() {
            return fail(number, "text before the first case");
        }
        file.preamble.extend_from_slice(line);
    }
    while let Some((header, tail)) = rest.split_first() {
        let end = tail
            .iter()
            .position(|(_, l)| l.starts_with(CASE))
            .unwrap_or(tail.len());
        let (body, next) = tail.split_at(end);
        let case = parse_case(*header, body)?;
        if let Some(other) = file.cases.iter().find(|c| c.name == case.name) {
            return fail(
                case.line,
                format!("the name {} is taken by line {}", case.name, other.line),
            );
        }
        file.cases.push(case);
        rest = next;
    }
    Ok(file)
}

fn parse_case(header: Line, body: &[Line]) -> Result<Case, FormatError> {
    let (line, text) = header;
    let name = utf8(line, text.get(CASE.len()..).unwrap_or_default())?.trim();
    if !is_kebab_case(name) {
        return fail(line, format!("not a kebab-case name: {name}"));
    }
    let mut case = Case {
        name: name.to_owned(),
        line,
        source: text.to_vec(),
        ..Case::default()
    };
    let first = body
        .iter()
        .position(|(_, l)| l.starts_with(SECTION))
        .unwrap_or(body.len());
    let (attributes, mut rest) = body.split_at(first);
    for &attribute in attributes {
        parse_attribute(&mut case, attribute)?;
        if !attribute.1.trim_ascii().is_empty() {
            case.source.extend_from_slice(attribute.1);
        }
    }
    let mut partial = Partial::default();
    while let Some((section, tail)) = rest.split_first() {
        let end = tail
            .iter()
            .position(|(_, l)| l.starts_with(SECTION))
            .unwrap_or(tail.len());
        let (content, next) = tail.split_at(end);
        parse_section(&mut case, &mut partial, *section, content, next.is_empty())?;
        rest = next;
    }
    partial.finish(&mut case)?;
    if case.script.is_empty() {
        return fail(line, format!("{name} has no script"));
    }
    if case.mode == Mode::Stdin && case.stdin.is_some() {
        return fail(line, "mode: stdin leaves no room for a stdin section");
    }
    Ok(case)
}

/// The expectation while its sections are being read.
#[derive(Default)]
struct Partial {
    seen: Vec<String>,
    expected: Observed,
    known: Observed,
    expects: bool,
    status: bool,
    has_known: bool,
    known_status: bool,
}

impl Partial {
    fn finish(self, case: &mut Case) -> Result<(), FormatError> {
        if self.expects && !self.status || self.has_known && !self.known_status {
            return fail(case.line, "an expectation ends with a status");
        }
        if self.has_known && case.known.is_none() {
            return fail(case.line, "a known block needs known: ID");
        }
        case.expected = self.status.then_some(self.expected);
        case.known_expected = self.known_status.then_some(self.known);
        Ok(())
    }
}

fn parse_attribute(case: &mut Case, (line, text): Line) -> Result<(), FormatError> {
    let text = text.strip_suffix(b"\n").unwrap_or(text);
    if text.starts_with(b"#") || text.trim_ascii().is_empty() {
        return Ok(());
    }
    let text = utf8(line, text)?;
    let Some((key, value)) = text.split_once(':') else {
        return fail(line, format!("neither attribute nor section: {text}"));
    };
    let value = value.strip_prefix(' ').unwrap_or(value);
    match key {
        "tags" => case.tags.extend(value.split_whitespace().map(str::to_owned)),
        "mode" => case.mode = parse_mode(line, value.trim())?,
        "arg" => case.args.push(unescape(line, value.as_bytes())?),
        "env" => case.env.push(parse_variable(line, value)?),
        "limit" => match value.trim().parse() {
            Ok(seconds) => case.limit = Some(seconds),
            Err(_) => return fail(line, "limit takes seconds"),
        },
        "cwd" if value.trim() == "mapped" => case.map_cwd = true,
        "known" => case.known = Some(value.trim().to_owned()),
        _ => return fail(line, format!("unknown attribute: {text}")),
    }
    Ok(())
}

fn parse_mode(line: usize, value: &str) -> Result<Mode, FormatError> {
    match value {
        "-c" => Ok(Mode::Command),
        "file" => Ok(Mode::File),
        "stdin" => Ok(Mode::Stdin),
        _ => fail(line, "mode is -c, file or stdin"),
    }
}

fn parse_variable(line: usize, value: &str) -> Result<(Vec<u8>, Vec<u8>), FormatError> {
    match value.split_once('=') {
        Some((name, value)) => Ok((name.as_bytes().to_vec(), unescape(line, value.as_bytes())?)),
        None => fail(line, "env takes NAME=TEXT"),
    }
}

/// The words after a section's name.
#[derive(Default)]
struct Flags {
    escaped: bool,
    no_newline: bool,
    mode: Option<u32>,
}

fn parse_flags(line: usize, words: &[&str]) -> Result<Flags, FormatError> {
    let mut flags = Flags::default();
    for &word in words {
        match word.strip_prefix("mode=").map(|m| u32::from_str_radix(m, 8)) {
            Some(Ok(mode)) => flags.mode = Some(mode),
            None if word == "escaped" => flags.escaped = true,
            None if word == "no-newline" => flags.no_newline = true,
            _ => return fail(line, format!("unknown word: {word}")),
        }
    }
    Ok(flags)
}

/// What a section is called, what it names, and the words behind that.
fn title<'w>(words: &'w [&'w str]) -> Option<(String, &'w [&'w str], &'w [&'w str])> {
    Some(match words {
        ["known", what, rest @ ..] => (format!("known {what}"), &[], rest),
        ["file", name, rest @ ..] => (format!("file {name}"), words.get(1..2).unwrap_or_default(), rest),
        ["dir", rest @ ..] => (format!("dir {}", rest.join(" ")), rest, &[]),
        ["link", rest @ ..] => (format!("link {}", rest.join(" ")), rest, &[]),
        [what, rest @ ..] => ((*what).to_owned(), &[], rest),
        [] => return None,
    })
}

fn parse_section(
    case: &mut Case,
    partial: &mut Partial,
    (line, header): Line,
    content: &[Line],
    last: bool,
) -> Result<(), FormatError> {
    let text = utf8(line, header.get(SECTION.len()..).unwrap_or_default())?;
    let words: Vec<&str> = text.split_whitespace().collect();
    let Some((title, named, rest)) = title(&words) else {
        return fail(line, "a section without a name");
    };
    if partial.seen.contains(&title) {
        return fail(line, format!("a second section {title}"));
    }
    let is_input = matches!(
        words.first(),
        Some(&("script" | "stdin" | "file" | "dir" | "link"))
    );
    if is_input && partial.expects {
        return fail(line, "input after the expectation");
    }
    let content = if is_input && last {
        trim_blank(content)
    } else {
        content
    };
    let read_body = |flags: &[&str]| -> Result<(Vec<u8>, Flags), FormatError> {
        let flags = parse_flags(line, flags)?;
        Ok((body(line, content, &flags)?, flags))
    };
    let no_body = || match trim_blank(content).first() {
        Some((number, _)) => fail(*number, "text where a section should start"),
        None => Ok(()),
    };
    match (words.first().copied().unwrap_or_default(), named) {
        ("script", _) => case.script = read_script(&read_body(rest)?.0),
        ("stdin", _) => case.stdin = Some(read_body(rest)?.0),
        ("file", [name]) => {
            let (content, flags) = read_body(rest)?;
            let name = unescape(line, name.as_bytes())?;
            let mode = flags.mode.unwrap_or(0o644);
            case.entries.push(Entry::File { name, mode, content });
        }
        ("dir", [name]) => {
            no_body()?;
            let name = unescape(line, name.as_bytes())?;
            case.entries.push(Entry::Directory { name });
        }
        ("link", [name, target]) => {
            no_body()?;
            let name = unescape(line, name.as_bytes())?;
            let target = unescape(line, target.as_bytes())?;
            case.entries.push(Entry::Link { name, target });
        }
        ("stdout" | "stderr" | "status" | "known", _) => {
            if title.ends_with("status") {
                no_body()?;
            }
            parse_expectation(partial, line, &title, rest, read_body)?;
        }
        _ => return fail(line, format!("unknown section: {}", text.trim_end())),
    }
    if is_input {
        case.source.extend_from_slice(header);
        case.source
            .extend(content.iter().flat_map(|(_, l)| l.iter().copied()));
    }
    partial.seen.push(title);
    Ok(())
}

fn parse_expectation(
    partial: &mut Partial,
    line: usize,
    title: &str,
    rest: &[&str],
    read_body: impl Fn(&[&str]) -> Result<(Vec<u8>, Flags), FormatError>,
) -> Result<(), FormatError> {
    let (known, what) = match title.strip_prefix("known ") {
        Some(what) => (true, what),
        None => (false, title),
    };
    if known {
        partial.has_known = true;
    } else {
        partial.expects = true;
    }
    let block = if known {
        &mut partial.known
    } else {
        &mut partial.expected
    };
    match (what, rest) {
        ("stdout", flags) => block.stdout = read_body(flags)?.0,
        ("stderr", flags) => block.stderr = read_body(flags)?.0,
        ("status", [number]) => match number.parse() {
            Ok(status) => block.status = status,
            Err(_) => return fail(line, "status takes a number"),
        },
        _ => return fail(line, format!("unknown section: {title}")),
    }
    if what == "status" {
        let seen = if known {
            &mut partial.known_status
        } else {
            &mut partial.status
        };
        *seen = true;
    }
    Ok(())
}

/// Blank lines at the end of a script are layout.
fn read_script(body: &[u8]) -> Vec<u8> {
    let mut script = body.to_vec();
    while script.ends_with(b"\n\n") {
        script.pop();
    }
    script
}

fn trim_blank<'a, 'b>(mut lines: &'b [Line<'a>]) -> &'b [Line<'a>] {
    while let Some(((_, line), front)) = lines.split_last() {
        if !line.trim_ascii().is_empty() {
            break;
        }
        lines = front;
    }
    lines
}

fn body(line: usize, content: &[Line], flags: &Flags) -> Result<Vec<u8>, FormatError> {
    let mut bytes: Vec<u8> = content.iter().flat_map(|(_, l)| l.iter().copied()).collect();
    if !bytes.is_empty() && !bytes.ends_with(b"\n") {
        bytes.push(b'\n');
    }
    if flags.no_newline && bytes.pop().is_none() {
        return fail(line, "no-newline without a body");
    }
    if flags.escaped {
        unescape(line, &bytes)
    } else {
        Ok(bytes)
    }
}

fn utf8(line: usize, bytes: &[u8]) -> Result<&str, FormatError> {
    std::str::from_utf8(bytes).or_else(|_| fail(line, "not UTF-8"))
}

fn is_kebab_case(name: &str) -> bool {
    let word = |w: &str| !w.is_empty() && w.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
    name.split('-').all(word)
}

fn unescape(line: usize, text: &[u8]) -> Result<Vec<u8>, FormatError> {
    escape::unescape(text).or_else(|message| fail(line, message))
}

/// Writes a case file; the hand-written part is kept as it was read.
pub fn print(file: &CaseFile) -> Vec<u8> {
    let mut out = file.preamble.trim_ascii().to_vec();
    if !out.is_empty() {
        out.extend_from_slice(b"\n\n");
    }
    for (index, case) in file.cases.iter().enumerate() {
        if index > 0 {
            out.push(b'\n');
        }
        out.extend_from_slice(&case.source);
        if !out.ends_with(b"\n") {
            out.push(b'\n');
        }
        if let Some(expected) = &case.expected {
            print_observed(&mut out, "", expected);
        }
        if let Some(known) = &case.known_expected {
            print_observed(&mut out, "known ", known);
        }
    }
    out
}

fn print_observed(out: &mut Vec<u8>, prefix: &str, observed: &Observed) {
    for (name, bytes) in [("stdout", &observed.stdout), ("stderr", &observed.stderr)] {
        if bytes.is_empty() {
            continue;
        }
        let plain = is_plain(bytes);
        let text = if plain { bytes.clone() } else { escape(bytes) };
        let escaped = if plain { "" } else { " escaped" };
        let newline = if text.ends_with(b"\n") { "" } else { " no-newline" };
        out.extend_from_slice(format!("~~~ {prefix}{name}{escaped}{newline}\n").as_bytes());
        out.extend_from_slice(&text);
        if !newline.is_empty() {
            out.push(b'\n');
        }
    }
    out.extend_from_slice(format!("~~~ {prefix}status {}\n", observed.status).as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round_trip(bytes: &[u8]) -> Observed {
        let mut file = parse(b"=== a\n~~~ script\necho\n").unwrap();
        file.cases[0].expected = Some(Observed {
            stdout: bytes.to_vec(),
            stderr: bytes.to_vec(),
            status: 3,
        });
        let printed = print(&file);
        let again = parse(&printed).unwrap();
        assert_eq!(print(&again), printed);
        again.cases[0].expected.clone().unwrap()
    }

    #[test]
    fn any_bytes_survive() {
        let bodies: [&[u8]; 9] = [
            b"",
            b"\n",
            b"x",
            b"x\n\n",
            b"=== a\n~~~ b",
            b"\\x41\n",
            b"\xff\0\r\n\t",
            "é\u{85}\n".as_bytes(),
            b"\n\nx",
        ];
        for body in bodies {
            assert_eq!(round_trip(body).stdout, body);
            assert_eq!(round_trip(body).stderr, body);
        }
    }

    #[test]
    fn mistakes_are_named() {
        let message = |text: &[u8]| parse(text).unwrap_err().to_string();
        assert_eq!(message(b"x\n"), "line 1: text before the first case");
        assert_eq!(message(b"=== A\n"), "line 1: not a kebab-case name: A");
        assert_eq!(message(b"=== a\n"), "line 1: a has no script");
        assert_eq!(
            message(b"=== a\n~~~ script\nx\n=== a\n~~~ script\nx\n"),
            "line 4: the name a is taken by line 1"
        );
        assert_eq!(
            message(b"=== a\n~~~ script\nx\n~~~ status 0\nx\n"),
            "line 5: text where a section should start"
        );
        assert_eq!(
            message(b"=== a\ncolour: red\n~~~ script\nx\n"),
            "line 2: unknown attribute: colour: red"
        );
    }
}
