//! The command line of `rg`. Its messages are those of the crate clap, which this tool is built with.

use super::glob::GlobOptions;
use super::ignore::List;
use super::types;
use crate::args::{Complaint, Opt, Outcome, Package, Parsed, Spec};
use crate::program::message::message;

#[derive(Debug, Clone, Copy, PartialEq)]
enum Flag {
    After,
    Before,
    Context,
    ByteOffset,
    CaseSensitive,
    Color,
    Column,
    ContextSeparator,
    Count,
    CountMatches,
    Files,
    FilesWith,
    FilesWithout,
    File,
    Fixed,
    Follow,
    Glob,
    GlobIgnoringCase,
    Heading,
    NoHeading,
    Hidden,
    IgnoreCase,
    Invert,
    LineNumber,
    LineRegexp,
    MaxColumns,
    MaxCount,
    MaxDepth,
    Multiline,
    MultilineDotall,
    NoFilename,
    NoIgnore,
    NoIgnoreDot,
    NoIgnoreParent,
    NoIgnoreVcs,
    NoLineNumber,
    NoMessages,
    Null,
    OnlyMatching,
    Quiet,
    Regexp,
    Replace,
    SmartCase,
    Sort,
    Text,
    Threads,
    Trim,
    Type,
    TypeNot,
    Unrestricted,
    Vimgrep,
    WithFilename,
    Word,
}

static SPEC: Spec<Flag> = Spec::new(
    "rg",
    Package::Line("ripgrep 13.0.0"),
    &["[OPTIONS] PATTERN [PATH ...]"],
    "",
    &[
        Opt::required(
            Flag::After,
            'A',
            "after-context",
            "NUM",
            "Show NUM lines after each match.",
        ),
        Opt::required(
            Flag::Before,
            'B',
            "before-context",
            "NUM",
            "Show NUM lines before each match.",
        ),
        Opt::flag(
            Flag::ByteOffset,
            'b',
            "byte-offset",
            "Print the 0-based byte offset for each matching line.",
        ),
        Opt::flag(
            Flag::CaseSensitive,
            's',
            "case-sensitive",
            "Search case sensitively (default).",
        ),
        Opt::long(
            Flag::Color,
            "color",
            "Controls when to use color (never and auto).",
        )
        .takes("WHEN"),
        Opt::long(Flag::Column, "column", "Show column numbers."),
        Opt::required(
            Flag::Context,
            'C',
            "context",
            "NUM",
            "Show NUM lines before and after each match.",
        ),
        Opt::long(
            Flag::ContextSeparator,
            "context-separator",
            "Set the context separator string.",
        )
        .takes("SEPARATOR"),
        Opt::flag(
            Flag::Count,
            'c',
            "count",
            "Only show the count of matching lines for each file.",
        ),
        Opt::long(
            Flag::CountMatches,
            "count-matches",
            "Only show the count of individual matches for each file.",
        ),
        Opt::required(
            Flag::File,
            'f',
            "file",
            "PATTERNFILE",
            "Search for patterns from the given file.",
        ),
        Opt::long(Flag::Files, "files", "Print each file that would be searched."),
        Opt::flag(
            Flag::FilesWith,
            'l',
            "files-with-matches",
            "Only print the paths with at least one match.",
        ),
        Opt::long(
            Flag::FilesWithout,
            "files-without-match",
            "Only print the paths that contain zero matches.",
        ),
        Opt::flag(
            Flag::Fixed,
            'F',
            "fixed-strings",
            "Treat the pattern as a literal string.",
        ),
        Opt::flag(Flag::Follow, 'L', "follow", "Follow symbolic links."),
        Opt::required(Flag::Glob, 'g', "glob", "GLOB", "Include or exclude files."),
        Opt::long(Flag::Heading, "heading", "Print matches grouped by each file."),
        Opt::flag(
            Flag::Hidden,
            '.',
            "hidden",
            "Search hidden files and directories.",
        ),
        Opt::long(
            Flag::GlobIgnoringCase,
            "iglob",
            "Include or exclude files case insensitively.",
        )
        .takes("GLOB"),
        Opt::flag(Flag::IgnoreCase, 'i', "ignore-case", "Case insensitive search."),
        Opt::flag(Flag::Invert, 'v', "invert-match", "Invert matching."),
        Opt::flag(Flag::LineNumber, 'n', "line-number", "Show line numbers."),
        Opt::flag(
            Flag::LineRegexp,
            'x',
            "line-regexp",
            "Only show matches surrounded by line boundaries.",
        ),
        Opt::required(
            Flag::MaxColumns,
            'M',
            "max-columns",
            "NUM",
            "Don't print lines longer than this limit.",
        ),
        Opt::required(
            Flag::MaxCount,
            'm',
            "max-count",
            "NUM",
            "Limit the number of matches.",
        ),
        Opt::long(Flag::MaxDepth, "max-depth", "Descend at most NUM directories.").takes("NUM"),
        Opt::long(Flag::MaxDepth, "maxdepth", "").takes("NUM"),
        Opt::flag(
            Flag::Multiline,
            'U',
            "multiline",
            "Enable matching across multiple lines.",
        ),
        Opt::long(
            Flag::MultilineDotall,
            "multiline-dotall",
            "Make '.' match new lines when multiline is enabled.",
        ),
        Opt::flag(
            Flag::NoFilename,
            'I',
            "no-filename",
            "Never print the file path with the matched lines.",
        ),
        Opt::long(Flag::NoHeading, "no-heading", "Don't group matches by each file."),
        Opt::long(Flag::NoIgnore, "no-ignore", "Don't respect ignore files."),
        Opt::long(Flag::NoIgnoreDot, "no-ignore-dot", "Don't respect .ignore files."),
        Opt::long(
            Flag::NoIgnoreParent,
            "no-ignore-parent",
            "Don't respect ignore files in parent directories.",
        ),
        Opt::long(
            Flag::NoIgnoreVcs,
            "no-ignore-vcs",
            "Don't respect VCS ignore files.",
        ),
        Opt::flag(
            Flag::NoLineNumber,
            'N',
            "no-line-number",
            "Suppress line numbers.",
        ),
        Opt::long(Flag::NoMessages, "no-messages", "Suppress some error messages."),
        Opt::flag(Flag::Null, '0', "null", "Print a NUL byte after file paths."),
        Opt::flag(
            Flag::OnlyMatching,
            'o',
            "only-matching",
            "Print only matched parts of a line.",
        ),
        Opt::flag(Flag::Quiet, 'q', "quiet", "Do not print anything to stdout."),
        Opt::required(Flag::Regexp, 'e', "regexp", "PATTERN", "A pattern to search for."),
        Opt::required(
            Flag::Replace,
            'r',
            "replace",
            "REPLACEMENT_TEXT",
            "Replace matches with the given text.",
        ),
        Opt::flag(Flag::SmartCase, 'S', "smart-case", "Smart case search."),
        Opt::long(Flag::Sort, "sort", "Sort results by path.").takes("SORTBY"),
        Opt::flag(
            Flag::Text,
            'a',
            "text",
            "Search binary files as if they were text.",
        ),
        Opt::required(
            Flag::Threads,
            'j',
            "threads",
            "NUM",
            "The approximate number of threads to use.",
        ),
        Opt::long(Flag::Trim, "trim", "Trim prefixed whitespace from matches."),
        Opt::required(
            Flag::Type,
            't',
            "type",
            "TYPE",
            "Only search files matching TYPE.",
        ),
        Opt::required(
            Flag::TypeNot,
            'T',
            "type-not",
            "TYPE",
            "Do not search files matching TYPE.",
        ),
        Opt::flag(
            Flag::Unrestricted,
            'u',
            "unrestricted",
            "Reduce the level of \"smart\" searching.",
        ),
        Opt::long(Flag::Vimgrep, "vimgrep", "Show results in vim compatible format."),
        Opt::flag(
            Flag::WithFilename,
            'H',
            "with-filename",
            "Print the file path with the matched lines.",
        ),
        Opt::flag(
            Flag::Word,
            'w',
            "word-regexp",
            "Only show matches surrounded by word boundaries.",
        ),
    ],
)
.fails_with(2)
.complains(Complaint::Silent)
.help_letter('h')
.version_letter('V');

const USAGE: &str = "
USAGE:
    
    rg [OPTIONS] PATTERN [PATH ...]
    rg [OPTIONS] -e PATTERN ... [PATH ...]
    rg [OPTIONS] -f PATTERNFILE ... [PATH ...]
    rg [OPTIONS] --files [PATH ...]
    rg [OPTIONS] --type-list
    command | rg [OPTIONS] PATTERN
    rg [OPTIONS] --help
    rg [OPTIONS] --version

For more information try --help

";

/// What is printed of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    Lines,
    Count,
    CountMatches,
    FilesWith,
    FilesWithout,
    Quiet,
}

/// What to do.
#[derive(Debug)]
pub struct Options {
    pub patterns: Vec<Vec<u8>>,
    pub pattern_files: Vec<Vec<u8>>,
    pub paths: Vec<Vec<u8>>,
    /// Only the files that would be searched are listed.
    pub lists_files: bool,
    pub mode: Mode,
    pub ignores_case: bool,
    pub smart_case: bool,
    pub inverts: bool,
    pub fixed: bool,
    pub words: bool,
    pub whole_lines: bool,
    pub multiline: bool,
    pub dot_matches_newline: bool,
    pub only_matching: bool,
    pub replacement: Option<Vec<u8>>,
    pub before: u64,
    pub after: u64,
    pub most: u64,
    pub most_columns: usize,
    pub numbers: bool,
    pub columns: bool,
    pub offsets: bool,
    pub each_match: bool,
    pub names: Option<bool>,
    pub heading: bool,
    pub null: bool,
    pub trims: bool,
    pub separator: Vec<u8>,
    pub text: bool,
    /// Binary files are searched like those that are named.
    pub binary: bool,
    pub hidden: bool,
    pub follows: bool,
    pub ignores_git: bool,
    pub ignores_dot: bool,
    pub ignores_parents: bool,
    pub silent: bool,
    pub deepest: Option<usize>,
    pub globs: List,
    pub types: List,
    pub types_not: List,
}

/// An answer instead of a search: on standard output or standard error, and the status.
#[derive(Debug)]
pub struct Answer {
    pub outcome: Outcome,
    pub text: Vec<u8>,
    pub status: i32,
}

fn error(sentence: impl AsRef<[u8]>) -> Answer {
    Answer {
        outcome: Outcome::Complaint,
        text: message!("error: ", sentence, "\n"),
        status: 2,
    }
}

fn plain(sentence: impl AsRef<[u8]>) -> Answer {
    Answer {
        outcome: Outcome::Complaint,
        text: message!(sentence, "\n"),
        status: 2,
    }
}

/// What `getopt` says in clap's words.
fn in_other_words(said: &[u8]) -> Answer {
    let said = String::from_utf8_lossy(said);
    let said = said.trim_end().trim_start_matches(": ");
    let quoted = said.split('\'').nth(1).unwrap_or_default().to_owned();
    if said.starts_with("invalid option") || said.starts_with("unrecognized option") {
        let name = quoted.split('=').next().unwrap_or_default();
        let dash = if said.starts_with("invalid") { "-" } else { "" };
        return error(message!(
            "Found argument '",
            dash,
            name,
            "' which wasn't expected, or isn't valid in this context\n",
            USAGE.strip_suffix('\n').unwrap_or(USAGE)
        ));
    }
    let letter = quoted.chars().next().filter(|_| quoted.len() == 1);
    let option = SPEC.options.iter().find(|opt| {
        opt.short == letter && letter.is_some() || opt.long.is_some_and(|long| quoted.ends_with(long))
    });
    let shown = option.and_then(|opt| match (opt.long, opt.value) {
        (Some(long), crate::args::Value::Required(name)) => Some(format!("--{long} <{name}>")),
        _ => None,
    });
    let shown = shown.unwrap_or(quoted);
    error(message!(
        "The argument '",
        shown,
        "' requires a value but none was supplied\n",
        USAGE.strip_suffix('\n').unwrap_or(USAGE)
    ))
}

impl Options {
    /// Reads the command line.
    pub fn from_arguments(arguments: &[Vec<u8>]) -> Result<Options, Answer> {
        let parsed = SPEC.parse(arguments).map_err(|refused| match refused.outcome {
            Outcome::Output => Answer {
                outcome: Outcome::Output,
                text: refused.text(b"rg"),
                status: 0,
            },
            Outcome::Complaint => in_other_words(&refused.text(b"")),
        })?;
        let mut options = Options::new();
        let mut unrestricted = 0;
        let Parsed {
            options: given,
            operands,
        } = parsed;
        for (flag, value) in given {
            if flag == Flag::Unrestricted {
                unrestricted += 1;
                continue;
            }
            options.take(flag, value.unwrap_or_default())?;
        }
        options.unrestrict(unrestricted);
        let mut operands = operands.into_iter();
        if !options.lists_files && options.patterns.is_empty() && options.pattern_files.is_empty() {
            let Some(pattern) = operands.next() else {
                return Err(error(message!(
                    "The following required arguments were not provided:\n    <PATTERN>\n",
                    USAGE.strip_suffix('\n').unwrap_or(USAGE)
                )));
            };
            options.patterns.push(pattern);
        }
        options.paths = operands.collect();
        Ok(options)
    }

    fn new() -> Options {
        Options {
            patterns: Vec::new(),
            pattern_files: Vec::new(),
            paths: Vec::new(),
            lists_files: false,
            mode: Mode::Lines,
            ignores_case: false,
            smart_case: false,
            inverts: false,
            fixed: false,
            words: false,
            whole_lines: false,
            multiline: false,
            dot_matches_newline: false,
            only_matching: false,
            replacement: None,
            before: 0,
            after: 0,
            most: u64::MAX,
            most_columns: 0,
            numbers: false,
            columns: false,
            offsets: false,
            each_match: false,
            names: None,
            heading: false,
            null: false,
            trims: false,
            separator: b"--".to_vec(),
            text: false,
            binary: false,
            hidden: false,
            follows: false,
            ignores_git: true,
            ignores_dot: true,
            ignores_parents: true,
            silent: false,
            deepest: None,
            globs: List::default(),
            types: List::default(),
            types_not: List::default(),
        }
    }

    fn unrestrict(&mut self, level: u32) {
        if level >= 1 {
            self.ignore_nothing();
        }
        self.hidden |= level >= 2;
        self.binary |= level >= 3;
    }

    fn ignore_nothing(&mut self) {
        (self.ignores_git, self.ignores_dot, self.ignores_parents) = (false, false, false);
    }

    fn take(&mut self, flag: Flag, value: Vec<u8>) -> Result<(), Answer> {
        match flag {
            Flag::After => self.after = number("--after-context <NUM>", &value)?,
            Flag::Before => self.before = number("--before-context <NUM>", &value)?,
            Flag::Context => {
                self.before = number("--context <NUM>", &value)?;
                self.after = self.before;
            }
            Flag::MaxCount => self.most = number("--max-count <NUM>", &value)?,
            Flag::MaxColumns => self.most_columns = number("--max-columns <NUM>", &value)? as usize,
            Flag::MaxDepth => self.deepest = Some(number("--max-depth <NUM>", &value)? as usize),
            Flag::Threads => drop(number("--threads <NUM>", &value)?),
            Flag::Regexp => self.patterns.push(value),
            Flag::File => self.pattern_files.push(value),
            Flag::Replace => self.replacement = Some(value),
            Flag::ContextSeparator => self.separator = value,
            Flag::Glob => self.add_glob(&value, false),
            Flag::GlobIgnoringCase => self.add_glob(&value, true),
            Flag::Type => add_type(&mut self.types, &value)?,
            Flag::TypeNot => add_type(&mut self.types_not, &value)?,
            Flag::Sort if matches!(value.as_slice(), b"path" | b"none") => {}
            Flag::Sort => {
                return Err(not_possible(
                    &value,
                    "--sort <SORTBY>",
                    "accessed, created, modified, none, path",
                ));
            }
            Flag::Color if matches!(value.as_slice(), b"never" | b"auto") => {}
            Flag::Color => {
                return Err(not_possible(
                    &value,
                    "--color <WHEN>",
                    "always, ansi, auto, never",
                ));
            }
            _ => self.switch(flag),
        }
        Ok(())
    }

    fn switch(&mut self, flag: Flag) {
        match flag {
            Flag::ByteOffset => self.offsets = true,
            Flag::CaseSensitive => (self.ignores_case, self.smart_case) = (false, false),
            Flag::IgnoreCase => (self.ignores_case, self.smart_case) = (true, false),
            Flag::SmartCase => (self.ignores_case, self.smart_case) = (false, true),
            Flag::Column => (self.columns, self.numbers) = (true, true),
            Flag::Count => self.mode = Mode::Count,
            Flag::CountMatches => self.mode = Mode::CountMatches,
            Flag::FilesWith => self.mode = Mode::FilesWith,
            Flag::FilesWithout => self.mode = Mode::FilesWithout,
            Flag::Quiet => self.mode = Mode::Quiet,
            Flag::Files => self.lists_files = true,
            Flag::Fixed => self.fixed = true,
            Flag::Follow => self.follows = true,
            Flag::Heading => self.heading = true,
            Flag::NoHeading => self.heading = false,
            Flag::Hidden => self.hidden = true,
            Flag::Invert => self.inverts = true,
            Flag::LineNumber => self.numbers = true,
            Flag::NoLineNumber => self.numbers = false,
            Flag::LineRegexp => self.whole_lines = true,
            Flag::Word => self.words = true,
            Flag::Multiline => self.multiline = true,
            Flag::MultilineDotall => self.dot_matches_newline = true,
            Flag::NoFilename => self.names = Some(false),
            Flag::WithFilename => self.names = Some(true),
            Flag::NoIgnore => self.ignore_nothing(),
            Flag::NoIgnoreDot => self.ignores_dot = false,
            Flag::NoIgnoreParent => self.ignores_parents = false,
            Flag::NoIgnoreVcs => self.ignores_git = false,
            Flag::NoMessages => self.silent = true,
            Flag::Null => self.null = true,
            Flag::OnlyMatching => self.only_matching = true,
            Flag::Text => self.text = true,
            Flag::Trim => self.trims = true,
            Flag::Vimgrep => {
                (self.numbers, self.columns, self.each_match) = (true, true, true);
                self.names = Some(true);
            }
            _ => {}
        }
    }

    /// `-g`: what matches is taken in, and with `!` left out.
    fn add_glob(&mut self, glob: &[u8], ignores_case: bool) {
        let turned = match glob.strip_prefix(b"!") {
            Some(rest) => rest.to_vec(),
            None => [b"!", glob].concat(),
        };
        let options = GlobOptions {
            ignores_case,
            braces: true,
        };
        self.globs.add(&turned, options);
    }
}

fn add_type(list: &mut List, name: &[u8]) -> Result<(), Answer> {
    let Some(globs) = types::globs(name) else {
        return Err(plain(message!("unrecognized file type: ", name)));
    };
    for glob in globs {
        list.add(glob.as_bytes(), GlobOptions::default());
    }
    Ok(())
}

fn number(option: &str, value: &[u8]) -> Result<u64, Answer> {
    let text = String::from_utf8_lossy(value);
    text.parse().map_err(|problem: std::num::ParseIntError| {
        let text = format!("Invalid value for '{option}': {problem}\n");
        error(text)
    })
}

/// A value that is none of those possible, or one of them that there is no code for.
fn not_possible(value: &[u8], option: &str, possible: &str) -> Answer {
    let supported = possible.split(", ").filter(|word| word.as_bytes() != value);
    let possible = supported.collect::<Vec<_>>().join(", ");
    error(message!(
        "'",
        value,
        "' isn't a valid value for '",
        option,
        "'\n\t[possible values: ",
        possible,
        "]\n\n",
        USAGE.strip_suffix('\n').unwrap_or(USAGE)
    ))
}
