//! What a text may be: a script, a document, source code.
//!
//! The strongest sign comes first, in the order in which file's own signs are tried.

use crate::pattern::{Regex, RegexOptions, Syntax};

/// A kind of text.
pub struct Language {
    pub name: String,
    pub kind: &'static str,
    /// `ASCII text executable`
    pub executable: bool,
}

/// Three lines or more with the same count of commas.
pub fn is_csv(text: &[u8]) -> bool {
    const LINES: usize = 10;
    let (mut lines, mut fields, mut wanted) = (0, 0, 0);
    let mut bytes = text.iter();
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => drop(bytes.find(|byte| **byte == b'"')),
            b',' => fields += 1,
            b'\n' => {
                lines += 1;
                if lines == LINES {
                    return wanted != 0 && wanted == fields;
                }
                if wanted == 0 {
                    wanted = fields;
                }
                if fields == 0 || fields != wanted {
                    return false;
                }
                fields = 0;
            }
            _ => {}
        }
    }
    wanted != 0 && lines > 2
}

/// The interpreters of scripts: the path behind `#!`, what a script is called, its MIME type.
const INTERPRETERS: &[(&str, &str, &str)] = &[
    ("/bin/sh", "POSIX shell script", SHELL),
    ("/usr/bin/sh", "POSIX shell script", SHELL),
    ("/bin/csh", "C shell script", SHELL),
    ("/bin/ksh", "Korn shell script", SHELL),
    ("/bin/tcsh", "Tenex C shell script", SHELL),
    ("/usr/bin/tcsh", "Tenex C shell script", SHELL),
    ("/bin/zsh", "Paul Falstad's zsh script", SHELL),
    ("/usr/bin/zsh", "Paul Falstad's zsh script", SHELL),
    ("/usr/local/bin/zsh", "Paul Falstad's zsh script", SHELL),
    ("/usr/bin/env zsh", "Paul Falstad's zsh script", SHELL),
    ("/bin/bash", "Bourne-Again shell script", SHELL),
    ("/usr/bin/bash", "Bourne-Again shell script", SHELL),
    ("/usr/local/bin/bash", "Bourne-Again shell script", SHELL),
    ("/usr/bin/env bash", "Bourne-Again shell script", SHELL),
    ("/usr/bin/fish", "fish shell script", SHELL),
    ("/usr/bin/env fish", "fish shell script", SHELL),
    ("/bin/nawk", "new awk script", "text/x-nawk"),
    ("/usr/bin/nawk", "new awk script", "text/x-nawk"),
    ("/bin/gawk", "GNU awk script", "text/x-gawk"),
    ("/usr/bin/gawk", "GNU awk script", "text/x-gawk"),
    ("/bin/awk", "awk script", "text/x-awk"),
    ("/usr/bin/awk", "awk script", "text/x-awk"),
];

const SHELL: &str = "text/x-shellscript";

/// Those of which the path may go on: `python3`.
const FAMILIES: &[(&str, &str, &str)] = &[
    ("/usr/bin/python", "Python script", "text/x-script.python"),
    ("/usr/local/bin/python", "Python script", "text/x-script.python"),
    ("/usr/bin/env python", "Python script", "text/x-script.python"),
    ("/usr/bin/ruby", "Ruby script", "text/x-ruby"),
    ("/usr/local/bin/ruby", "Ruby script", "text/x-ruby"),
    ("/usr/bin/env ruby", "Ruby script", "text/x-ruby"),
    ("/usr/bin/php", "PHP script", "text/x-php"),
    ("/usr/local/bin/php", "PHP script", "text/x-php"),
    ("/usr/bin/lua", "Lua script", "text/x-lua"),
    ("/usr/local/bin/lua", "Lua script", "text/x-lua"),
    ("/usr/bin/env lua", "Lua script", "text/x-lua"),
    ("/usr/bin/tcl", "Tcl script", "text/x-tcl"),
    ("/usr/bin/env tcl", "Tcl script", "text/x-tcl"),
];

fn named(name: &str, kind: &'static str, executable: bool) -> Option<Language> {
    Some(Language {
        name: name.to_owned(),
        kind,
        executable,
    })
}

/// The language of a text.
pub fn of(text: &[u8]) -> Option<Language> {
    let begin = text.get(..4096).unwrap_or(text);
    script(text)
        .or_else(|| markup(begin))
        .or_else(|| start(text))
        .or_else(|| source(text))
}

fn script(text: &[u8]) -> Option<Language> {
    let line = text.strip_prefix(b"#!")?;
    let end = memchr::memchr(b'\n', line).unwrap_or(line.len());
    let ends = end < line.len();
    let line = line.get(..end)?;
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let blanks = line
        .iter()
        .take_while(|byte| matches!(byte, b' ' | b'\t'))
        .count();
    let path = line.get(blanks..)?;
    for (known, name, kind) in FAMILIES {
        if path.starts_with(known.as_bytes()) {
            return named(name, kind, true);
        }
    }
    if [&b"/bin/node"[..], b"/usr/bin/node", b"/usr/bin/env node"]
        .iter()
        .any(|known| path.starts_with(known))
    {
        return named("Node.js script executable", "application/javascript", false);
    }
    for (known, name, kind) in INTERPRETERS {
        let rest = path.strip_prefix(known.as_bytes());
        if rest.is_some_and(|rest| matches!(rest, [b' ' | b'\t', ..]) || (rest.is_empty() && ends)) {
            return named(name, kind, true);
        }
    }
    let path = match path.strip_prefix(b"/usr/bin/env") {
        Some(rest) => rest.trim_ascii_start(),
        None => path,
    };
    named(
        &format!("a {} script", String::from_utf8_lossy(path)),
        "text/plain",
        true,
    )
}

fn markup(text: &[u8]) -> Option<Language> {
    let lower = text.to_ascii_lowercase();
    let has = |sign: &str| memchr::memmem::find(&lower, sign.as_bytes()).is_some();
    const HTML: &[&str] = &[
        "<!doctype html",
        "<html>",
        "<html ",
        "<head>",
        "<head ",
        "<title>",
        "<title ",
        "<script>",
        "<script ",
        "<style>",
        "<style ",
        "<table>",
        "<table ",
        "<a href=",
    ];
    if HTML.iter().any(|sign| has(sign)) {
        return named("HTML document", "text/html", false);
    }
    if let Some(rest) = text.strip_prefix(b"<?xml version=") {
        let quote = *rest.first()?;
        let version = rest.get(1..)?.split(|byte| *byte == quote).next()?;
        let version = String::from_utf8_lossy(version);
        return named(&format!("XML {version} document"), "text/xml", false);
    }
    if text
        .get(..5)
        .is_some_and(|start| start.eq_ignore_ascii_case(b"<?php"))
    {
        return named("PHP script", "text/x-php", false);
    }
    has("<!--").then(|| named("exported SGML document", "text/html", false))?
}

fn start(text: &[u8]) -> Option<Language> {
    const STARTS: &[(&str, &str, &str)] = &[
        ("diff ", "diff output", "text/x-diff"),
        ("*** ", "context diff output", "text/x-diff"),
        ("Only in ", "diff output", "text/x-diff"),
        ("Index:", "RCS/CVS diff output", "text/x-diff"),
        ("From:", "news or mail", "message/rfc822"),
        ("Date:", "news or mail", "message/rfc822"),
        ("Received:", "RFC 822 mail", "message/rfc822"),
        (".\\\"", "troff or preprocessor input", "text/troff"),
        ("'\\\"", "troff or preprocessor input", "text/troff"),
        ("#EXTM3U", "M3U playlist", "audio/x-mpegurl"),
    ];
    let has = |sign: &[u8]| memchr::memmem::find(text, sign).is_some();
    if (text.starts_with(b"--- ") || text.starts_with(b"diff ")) && has(b"\n+++ ") && has(b"\n@@ ") {
        return named("unified diff output", "text/x-diff", false);
    }
    let (_, name, kind) = STARTS
        .iter()
        .find(|(start, ..)| text.starts_with(start.as_bytes()))?;
    named(name, kind, false)
}

/// Signs of source code: expressions that some line has to match.
const SOURCES: &[(&str, &str, &str, bool)] = &[
    (
        "^from[ \t]+([A-Za-z0-9_]|\\.)+[ \t]+import.*$",
        "Python script",
        "text/x-script.python",
        true,
    ),
    (
        "^class [_A-Za-z0-9]+(\\(.*\\))?( *): *(pass)?$",
        "Python script",
        "text/x-script.python",
        true,
    ),
    (
        "^[ \t]{0,50}def {1,50}[_a-zA-Z][_a-zA-Z0-9]*\\(.*\\)( *-> *.*)?:",
        "Python script",
        "text/x-script.python",
        true,
    ),
    (
        "^(public|abstract|final)? *(class|interface) .*\\{",
        "Java source",
        "text/x-java",
        false,
    ),
    (
        "^#[ \t]*include[ \t]*<(iostream|vector|string|map|memory|algorithm)>",
        "C++ source",
        "text/x-c++",
        false,
    ),
    ("^#[ \t]*include", "C source", "text/x-c", false),
    ("^#[ \t]*(if|ifn)def", "C source", "text/x-c", false),
    (
        "^(extern|struct|union|static|typedef) .*[;{]$",
        "C source",
        "text/x-c",
        false,
    ),
    (
        "^(int|void|char|fn|func) [_A-Za-z0-9]+\\(.*\\) *(\\{|;)",
        "C source",
        "text/x-c",
        false,
    ),
    (
        "^(CFLAGS|VPATH|LDFLAGS|all:|\\.PRECIOUS)",
        "makefile script",
        "text/x-makefile",
        false,
    ),
    (
        "^(const|var|let).*=.*require\\(",
        "JavaScript source",
        "application/javascript",
        false,
    ),
    (
        "^export (function|class|default|const|var|let|async) ",
        "JavaScript source",
        "application/javascript",
        false,
    ),
    (
        "^(import|export).* from ",
        "JavaScript source",
        "application/javascript",
        false,
    ),
    ("^import.*;$", "Java source", "text/x-java", false),
    (
        "^[ \t]*require[ \t]'[A-Za-z_/.]+'",
        "Ruby script",
        "text/x-ruby",
        false,
    ),
];

/// How much of a text is searched for lines.
const SEARCHED: usize = 8192;

fn source(text: &[u8]) -> Option<Language> {
    let text = text.get(..SEARCHED).unwrap_or(text);
    let has = |sign: &str| memchr::memmem::find(text.get(..4096).unwrap_or(text), sign.as_bytes()).is_some();
    if text.starts_with(b"\"\"\"") {
        return named("Python script", "text/plain", true);
    }
    if has("\\documentclass") {
        return named("LaTeX 2e document", "text/x-tex", false);
    }
    if has("\\begin") || has("\\section") || has("\\chapter") {
        return named("LaTeX document", "text/x-tex", false);
    }
    for (expression, name, kind, executable) in SOURCES {
        let regex = Regex::compile(expression.as_bytes(), Syntax::Extended, RegexOptions::default());
        let Ok(regex) = regex else { continue };
        let mut lines = text.split(|byte| *byte == b'\n');
        if lines.any(|line| regex.is_match(line).unwrap_or(false)) {
            return named(name, kind, *executable);
        }
    }
    None
}
