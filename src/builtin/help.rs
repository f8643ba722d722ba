//! `help [-dms] [pattern …]`
//!
//! Topics and usage lines are bash's, what they say in full is in our own words (`args::builtin_usage`).

use crate::args::{BuiltinSpec, BuiltinUsage, builtin_usages};
use crate::interp::{Flow, Interp, Shopt};
use crate::pattern::{Pattern, PatternOptions, has_glob};

const SPEC: BuiltinSpec = BuiltinSpec::new("help", "dms");

const VERSION: &str = "GNU bash, version 5.2.15(1)-release (x86_64-pc-linux-gnu)\n";

const INTRODUCTION: &str = "\
These shell commands are defined internally.  Type `help' to see this list.
Type `help name' to find out more about the function `name'.
Use `info bash' to find out more about the shell in general.
Use `man -k' or `info' to find out more about commands not in this list.

A star (*) next to a name means that the command is disabled.

";

const LICENCE: &str = "Copyright (C) 2022 Free Software Foundation, Inc.\n    \
License GPLv3+: GNU GPL version 3 or later <http://gnu.org/licenses/gpl.html>\n";

/// How much is told of a topic.
#[derive(Debug, Clone, Copy)]
enum Style {
    Full,
    /// `-s`
    Usage,
    /// `-d`
    Summary,
    /// `-m`
    Manual,
}

/// The builtin.
pub fn run(interp: &mut Interp, args: &[Vec<u8>]) -> Flow {
    let parsed = match interp.parse_options(&SPEC, args) {
        Ok(parsed) => parsed,
        Err(status) => return Ok(status),
    };
    let Some(first) = parsed.operands.first() else {
        list(interp);
        return Ok(0);
    };
    let style = match () {
        () if parsed.has(b'd') => Style::Summary,
        () if parsed.has(b'm') => Style::Manual,
        () if parsed.has(b's') => Style::Usage,
        () => Style::Full,
    };
    if has_glob(first, true) {
        let plural = if parsed.operands.len() > 1 { "s" } else { "" };
        let list = parsed.operands.join(b", ".as_slice());
        interp.print(
            [
                format!("Shell commands matching keyword{plural} `").as_bytes(),
                &list,
                b"'\n\n",
            ]
            .concat(),
        );
    }
    let mut found = false;
    for pattern in &parsed.operands {
        for topic in topics(pattern, interp.options.shopt(Shopt::Extglob)) {
            found = true;
            interp.print(describe(topic, style));
        }
    }
    if !found {
        let last = parsed.operands.last().unwrap_or(first);
        let hints: [&[u8]; 7] = [
            b"no help topics match `",
            last,
            b"'.  Try `help help' or `man -k ",
            last,
            b"' or `info ",
            last,
            b"'.",
        ];
        interp.complain("help", hints.concat());
        return Ok(1);
    }
    Ok(0)
}

/// Topics by name or pattern; without any, those that begin so.
fn topics(pattern: &[u8], extglob: bool) -> Vec<&'static BuiltinUsage> {
    let compiled = Pattern::compile(
        pattern,
        PatternOptions {
            extglob,
            ..PatternOptions::default()
        },
    );
    let all = || builtin_usages().iter();
    let exact: Vec<_> = all()
        .filter(|topic| topic.title.as_bytes() == pattern || compiled.matches(topic.title.as_bytes()))
        .collect();
    if !exact.is_empty() {
        return exact;
    }
    all()
        .filter(|topic| topic.title.as_bytes().starts_with(pattern))
        .collect()
}

fn describe(topic: &BuiltinUsage, style: Style) -> Vec<u8> {
    let (title, usage, summary) = (topic.title, topic.usage, topic.summary);
    match style {
        Style::Full => topic.help_text(),
        Style::Usage => format!("{title}: {usage}\n").into_bytes(),
        Style::Summary => format!("{title} - {summary}\n").into_bytes(),
        Style::Manual => format!(
            "NAME\n    {title} - {summary}\n\nSYNOPSIS\n    {usage}\n\nDESCRIPTION\n    {summary}\n\n\
             SEE ALSO\n    bash(1)\n\nIMPLEMENTATION\n    {VERSION}    {LICENCE}\n"
        )
        .into_bytes(),
    }
}

/// All topics in two columns, with a star where the builtin is disabled.
fn list(interp: &mut Interp) {
    interp.print([VERSION, INTRODUCTION].concat());
    let columns = interp
        .scalar(b"COLUMNS")
        .and_then(|text| super::support::number(&text));
    let width = columns
        .and_then(|columns| usize::try_from(columns).ok())
        .filter(|columns| *columns > 0)
        .unwrap_or(80)
        / 2;
    let width = if width <= 3 { 40 } else { width.min(256) };
    let all = builtin_usages();
    let height = all.len().div_ceil(2);
    for (row, left) in all.iter().take(height).enumerate() {
        let mut line = cell(interp, left, width, false);
        if let Some(right) = all.get(row + height) {
            let pad = width.saturating_sub(line.len());
            line.push_str(&" ".repeat(pad));
            line.push_str(&cell(interp, right, width, true));
        }
        line.push('\n');
        interp.print(line);
    }
}

/// A usage line for a column of `width`; `>` says that it was cut, one place earlier in the right column.
fn cell(interp: &Interp, topic: &BuiltinUsage, width: usize, right: bool) -> String {
    let star = if interp.disabled.contains(topic.name) {
        '*'
    } else {
        ' '
    };
    let shown = topic.usage.len().min(width.saturating_sub(2));
    let mut text: String = std::iter::once(star)
        .chain(topic.usage.chars().take(shown))
        .collect();
    if shown + 3 >= width {
        text.truncate(shown - usize::from(right).min(shown));
        text.push('>');
    }
    text
}
