//! The command line of grep, turned into a struct before anything is read.

use crate::args::{Complaint, GREP, Opt, Parsed, Spec, UsageError};
use crate::program::grep::filter::{Filter, Rule};

/// What an option letter stands for.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Flag {
    Extended,
    Fixed,
    Basic,
    Perl,
    MatcherName,
    Regexp,
    File,
    IgnoreCase,
    ObsoleteIgnoreCase,
    NoIgnoreCase,
    Word,
    Line,
    NullData,
    NoMessages,
    Invert,
    MaxCount,
    ByteOffset,
    UnixOffsets,
    LineNumber,
    LineBuffered,
    WithFilename,
    NoFilename,
    Label,
    OnlyMatching,
    Quiet,
    BinaryFiles,
    Text,
    SkipBinary,
    Directories,
    Devices,
    Recursive,
    Dereference,
    Include,
    Exclude,
    ExcludeFrom,
    ExcludeDir,
    WithoutMatch,
    WithMatch,
    Count,
    InitialTab,
    Null,
    Before,
    After,
    Context,
    ContextDigit,
    GroupSeparator,
    NoGroupSeparator,
    Color,
    Binary,
}

/// The table of options.
pub static SPEC: Spec<Flag> = Spec::new(
    "grep",
    GREP,
    &["[OPTION]... PATTERNS [FILE]..."],
    "Search for PATTERNS in each FILE.\nExample: grep -i 'hello world' menu.h main.c\nPATTERNS can contain multiple patterns \
     separated by newlines.",
    &[
        Opt::flag(Flag::Extended, 'E', "extended-regexp", "PATTERNS are extended regular expressions"),
        Opt::flag(Flag::Fixed, 'F', "fixed-strings", "PATTERNS are strings"),
        Opt::flag(Flag::Basic, 'G', "basic-regexp", "PATTERNS are basic regular expressions"),
        Opt::flag(Flag::Perl, 'P', "perl-regexp", "PATTERNS are Perl regular expressions"),
        Opt::short(Flag::MatcherName, 'X', "").takes("MATCHER"),
        Opt::required(Flag::Regexp, 'e', "regexp", "PATTERNS", "use PATTERNS for matching"),
        Opt::required(Flag::File, 'f', "file", "FILE", "take PATTERNS from FILE"),
        Opt::flag(Flag::IgnoreCase, 'i', "ignore-case", "ignore case distinctions in patterns and data"),
        Opt::short(Flag::ObsoleteIgnoreCase, 'y', ""),
        Opt::long(Flag::NoIgnoreCase, "no-ignore-case", "do not ignore case distinctions (default)"),
        Opt::flag(Flag::Word, 'w', "word-regexp", "match only whole words"),
        Opt::flag(Flag::Line, 'x', "line-regexp", "match only whole lines"),
        Opt::flag(Flag::NullData, 'z', "null-data", "a data line ends in 0 byte, not newline"),
        Opt::flag(Flag::NoMessages, 's', "no-messages", "suppress error messages"),
        Opt::flag(Flag::Invert, 'v', "invert-match", "select non-matching lines"),
        Opt::required(Flag::MaxCount, 'm', "max-count", "NUM", "stop after NUM selected lines"),
        Opt::flag(Flag::ByteOffset, 'b', "byte-offset", "print the byte offset with output lines"),
        Opt::flag(Flag::UnixOffsets, 'u', "unix-byte-offsets", ""),
        Opt::flag(Flag::LineNumber, 'n', "line-number", "print line number with output lines"),
        Opt::long(Flag::LineBuffered, "line-buffered", "flush output on every line"),
        Opt::flag(Flag::WithFilename, 'H', "with-filename", "print file name with output lines"),
        Opt::flag(Flag::NoFilename, 'h', "no-filename", "suppress the file name prefix on output"),
        Opt::long(Flag::Label, "label", "use LABEL as the standard input file name prefix").takes("LABEL"),
        Opt::flag(Flag::OnlyMatching, 'o', "only-matching", "show only nonempty parts of lines that match"),
        Opt::flag(Flag::Quiet, 'q', "quiet", "suppress all normal output"),
        Opt::long(Flag::Quiet, "silent", ""),
        Opt::long(
            Flag::BinaryFiles,
            "binary-files",
            "assume that binary files are TYPE;\nTYPE is 'binary', 'text', or 'without-match'",
        )
        .takes("TYPE"),
        Opt::flag(Flag::Text, 'a', "text", "equivalent to --binary-files=text"),
        Opt::short(Flag::SkipBinary, 'I', "equivalent to --binary-files=without-match"),
        Opt::required(
            Flag::Directories,
            'd',
            "directories",
            "ACTION",
            "how to handle directories;\nACTION is 'read', 'recurse', or 'skip'",
        ),
        Opt::required(
            Flag::Devices,
            'D',
            "devices",
            "ACTION",
            "how to handle devices, FIFOs and sockets;\nACTION is 'read' or 'skip'",
        ),
        Opt::flag(Flag::Recursive, 'r', "recursive", "like --directories=recurse"),
        Opt::flag(Flag::Dereference, 'R', "dereference-recursive", "likewise, but follow all symlinks"),
        Opt::long(Flag::Include, "include", "search only files that match GLOB (a file pattern)").takes("GLOB"),
        Opt::long(Flag::Exclude, "exclude", "skip files that match GLOB").takes("GLOB"),
        Opt::long(Flag::ExcludeFrom, "exclude-from", "skip files that match any file pattern from FILE")
            .takes("FILE"),
        Opt::long(Flag::ExcludeDir, "exclude-dir", "skip directories that match GLOB").takes("GLOB"),
        Opt::flag(
            Flag::WithoutMatch,
            'L',
            "files-without-match",
            "print only names of FILEs with no selected lines",
        ),
        Opt::flag(Flag::WithMatch, 'l', "files-with-matches", "print only names of FILEs with selected lines"),
        Opt::flag(Flag::Count, 'c', "count", "print only a count of selected lines per FILE"),
        Opt::flag(Flag::InitialTab, 'T', "initial-tab", "make tabs line up (if needed)"),
        Opt::flag(Flag::Null, 'Z', "null", "print 0 byte after FILE name"),
        Opt::required(Flag::Before, 'B', "before-context", "NUM", "print NUM lines of leading context"),
        Opt::required(Flag::After, 'A', "after-context", "NUM", "print NUM lines of trailing context"),
        Opt::required(Flag::Context, 'C', "context", "NUM", "print NUM lines of output context"),
        Opt::digits(Flag::ContextDigit, "same as --context=NUM"),
        Opt::long(Flag::GroupSeparator, "group-separator", "print SEP on line between matches with context")
            .takes("SEP"),
        Opt::long(Flag::NoGroupSeparator, "no-group-separator", "do not print separator for matches with context"),
        Opt::long(
            Flag::Color,
            "color",
            "use markers to highlight the matching strings;\nWHEN is 'always', 'never', or 'auto'",
        )
        .may_take("WHEN"),
        Opt::long(Flag::Color, "colour", "").may_take("WHEN"),
        Opt::flag(Flag::Binary, 'U', "binary", "do not strip CR characters at EOL (MSDOS/Windows)"),
    ],
)
.fails_with(2)
.complains(Complaint::UsageAndTry)
.version_letter('V')
.notes(
    "When FILE is '-', read standard input.  With no FILE, read '.' if\nrecursive, '-' otherwise.  With fewer than two \
     FILEs, assume -h.\nExit status is 0 if any line is selected, 1 otherwise;\nif any error occurs and -q is not given, the \
     exit status is 2.\n\nReport bugs to: bug-grep@gnu.org\nGNU grep home page: <https://www.gnu.org/software/grep/>\nGeneral \
     help using GNU software: <https://www.gnu.org/gethelp/>",
);

/// How patterns are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Language {
    Basic,
    Extended,
    Fixed,
    Perl,
}

/// Which file names `-l` and `-L` list.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum List {
    None,
    Matching,
    NonMatching,
}

/// What a binary file is taken for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BinaryFiles {
    Binary,
    Text,
    WithoutMatch,
}

/// What happens to a directory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Directories {
    Read,
    Recurse,
    Skip,
}

/// What happens to devices and pipes: by default they are read only when named on the command line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Devices {
    ReadNamed,
    Read,
    Skip,
}

/// Where a list of patterns comes from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PatternSource {
    Text(Vec<u8>),
    File(Vec<u8>),
}

/// Where a rule about names comes from, in the order of the command line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NameSource {
    Rule(Rule, Vec<u8>),
    ExcludeFrom(Vec<u8>),
}

/// A command line of grep.
#[derive(Debug)]
pub struct Options {
    pub language: Language,
    pub sources: Vec<PatternSource>,
    pub ignore_case: bool,
    pub word: bool,
    pub line: bool,
    /// The byte that ends a line.
    pub end: u8,
    pub no_messages: bool,
    pub invert: bool,
    pub max_count: Option<u64>,
    pub byte_offset: bool,
    pub line_number: bool,
    pub line_buffered: bool,
    /// `-H` and `-h`.
    pub with_filename: Option<bool>,
    pub label: Option<Vec<u8>>,
    pub only_matching: bool,
    pub quiet: bool,
    pub binary_files: BinaryFiles,
    pub directories: Directories,
    pub devices: Devices,
    /// `-R`.
    pub dereference: bool,
    pub names: Vec<NameSource>,
    pub exclude_dirs: Filter,
    pub list: List,
    pub count: bool,
    pub initial_tab: bool,
    /// A zero byte after file names.
    pub null: bool,
    /// Lines of context; `None` when none were asked for, which also means no separators.
    pub before: Option<u64>,
    pub after: Option<u64>,
    pub separator: Option<Vec<u8>>,
    pub color: bool,
    pub operands: Vec<Vec<u8>>,
    /// `-u` was given, which only brings a warning.
    pub unix_offsets: bool,
}

impl Options {
    fn new() -> Options {
        Options {
            language: Language::Basic,
            sources: Vec::new(),
            ignore_case: false,
            word: false,
            line: false,
            end: b'\n',
            no_messages: false,
            invert: false,
            max_count: None,
            byte_offset: false,
            line_number: false,
            line_buffered: false,
            with_filename: None,
            label: None,
            only_matching: false,
            quiet: false,
            binary_files: BinaryFiles::Binary,
            directories: Directories::Read,
            devices: Devices::ReadNamed,
            dereference: false,
            names: Vec::new(),
            exclude_dirs: Filter::default(),
            list: List::None,
            count: false,
            initial_tab: false,
            null: false,
            before: None,
            after: None,
            separator: Some(b"--".to_vec()),
            color: false,
            operands: Vec::new(),
            unix_offsets: false,
        }
    }

    /// Reads the options in order; `implied` is the language that the name `egrep` or `fgrep` brings.
    pub fn from_parsed(parsed: Parsed<Flag>, implied: Option<Language>) -> Result<Options, UsageError> {
        let mut options = Options::new();
        let mut language = implied;
        let mut contexts = Contexts::default();
        for (flag, value) in &parsed.options {
            let value = value.as_deref().unwrap_or_default();
            if contexts.take(*flag, value)? || options.take_pattern(*flag, value, &mut language)? {
                continue;
            }
            if !options.take_switch(*flag) {
                options.take_value(*flag, value)?;
            }
        }
        options.language = language.unwrap_or(Language::Basic);
        options.before = contexts.before.or(contexts.both);
        options.after = contexts.after.or(contexts.both);
        options.operands = parsed.operands;
        if options.sources.is_empty() {
            if options.operands.is_empty() {
                return Err(SPEC.bare_usage());
            }
            let first = options.operands.remove(0);
            options.sources.push(PatternSource::Text(first));
        }
        Ok(options)
    }

    fn take_pattern(
        &mut self,
        flag: Flag,
        value: &[u8],
        language: &mut Option<Language>,
    ) -> Result<bool, UsageError> {
        let wanted = match flag {
            Flag::Extended => Language::Extended,
            Flag::Fixed => Language::Fixed,
            Flag::Basic => Language::Basic,
            Flag::Perl => Language::Perl,
            Flag::MatcherName => match value {
                b"grep" => Language::Basic,
                b"egrep" | b"awk" | b"gawk" | b"posixawk" => Language::Extended,
                b"fgrep" => Language::Fixed,
                b"perl" => Language::Perl,
                _ => {
                    let message = [b"invalid matcher ", value].concat();
                    return Err(UsageError::plain(2, message));
                }
            },
            Flag::Regexp => {
                self.sources.push(PatternSource::Text(value.to_vec()));
                return Ok(true);
            }
            Flag::File => {
                self.sources.push(PatternSource::File(value.to_vec()));
                return Ok(true);
            }
            _ => return Ok(false),
        };
        if language.is_some_and(|known| known != wanted) {
            return Err(UsageError::plain(2, "conflicting matchers specified"));
        }
        *language = Some(wanted);
        Ok(true)
    }

    /// Options without a value.
    fn take_switch(&mut self, flag: Flag) -> bool {
        match flag {
            Flag::IgnoreCase | Flag::ObsoleteIgnoreCase => self.ignore_case = true,
            Flag::NoIgnoreCase => self.ignore_case = false,
            Flag::Word => self.word = true,
            Flag::Line => self.line = true,
            Flag::NullData => self.end = 0,
            Flag::NoMessages => self.no_messages = true,
            Flag::Invert => self.invert = true,
            Flag::ByteOffset => self.byte_offset = true,
            Flag::UnixOffsets => self.unix_offsets = true,
            Flag::LineNumber => self.line_number = true,
            Flag::LineBuffered => self.line_buffered = true,
            Flag::WithFilename => self.with_filename = Some(true),
            Flag::NoFilename => self.with_filename = Some(false),
            Flag::OnlyMatching => self.only_matching = true,
            Flag::Quiet => self.quiet = true,
            Flag::Text => self.binary_files = BinaryFiles::Text,
            Flag::SkipBinary => self.binary_files = BinaryFiles::WithoutMatch,
            Flag::Recursive => (self.directories, self.dereference) = (Directories::Recurse, false),
            Flag::Dereference => (self.directories, self.dereference) = (Directories::Recurse, true),
            Flag::WithoutMatch => self.list = List::NonMatching,
            Flag::WithMatch => self.list = List::Matching,
            Flag::Count => self.count = true,
            Flag::InitialTab => self.initial_tab = true,
            Flag::Null => self.null = true,
            Flag::NoGroupSeparator => self.separator = None,
            Flag::Binary => {}
            _ => return false,
        }
        true
    }

    /// Options with a value.
    fn take_value(&mut self, flag: Flag, value: &[u8]) -> Result<(), UsageError> {
        match flag {
            Flag::MaxCount => self.max_count = max_count(value)?,
            Flag::Label => self.label = Some(value.to_vec()),
            Flag::GroupSeparator => self.separator = Some(value.to_vec()),
            Flag::BinaryFiles => {
                self.binary_files = match value {
                    b"binary" => BinaryFiles::Binary,
                    b"text" => BinaryFiles::Text,
                    b"without-match" => BinaryFiles::WithoutMatch,
                    _ => return Err(UsageError::plain(2, "unknown binary-files type")),
                };
            }
            Flag::Directories => {
                let choices = [
                    ("read", Directories::Read),
                    ("recurse", Directories::Recurse),
                    ("skip", Directories::Skip),
                ];
                self.directories = SPEC.choose("--directories", value, &choices)?;
            }
            Flag::Devices => {
                self.devices = match value {
                    b"read" => Devices::Read,
                    b"skip" => Devices::Skip,
                    _ => return Err(UsageError::plain(2, "unknown devices method")),
                };
            }
            Flag::Include => self.names.push(NameSource::Rule(Rule::Include, value.to_vec())),
            Flag::Exclude => self.names.push(NameSource::Rule(Rule::Exclude, value.to_vec())),
            Flag::ExcludeFrom => self.names.push(NameSource::ExcludeFrom(value.to_vec())),
            Flag::ExcludeDir => self.exclude_dirs.add(Rule::Exclude, without_slashes(value)),
            Flag::Color => self.color = color(value)?,
            _ => {}
        }
        Ok(())
    }

    /// Only whether something matches is of interest.
    pub fn first_match_decides(&self) -> bool {
        self.quiet || self.list != List::None
    }
}

#[derive(Default)]
struct Contexts {
    before: Option<u64>,
    after: Option<u64>,
    both: Option<u64>,
    digits: Vec<u8>,
}

impl Contexts {
    fn take(&mut self, flag: Flag, value: &[u8]) -> Result<bool, UsageError> {
        match flag {
            Flag::Before => self.before = Some(context_length(value)?),
            Flag::After => self.after = Some(context_length(value)?),
            Flag::Context => self.both = Some(context_length(value)?),
            Flag::ContextDigit => {
                self.digits.extend_from_slice(value);
                self.both = Some(context_length(&self.digits)?);
                return Ok(true);
            }
            _ => {
                self.digits.clear();
                return Ok(false);
            }
        }
        self.digits.clear();
        Ok(true)
    }
}

/// A number as `xstrtoimax` reads it, saturating; `None` when it is none.
fn saturating_number(text: &[u8]) -> Option<i128> {
    let text = text.trim_ascii_start();
    let (negative, digits) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    };
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let value = digits.iter().fold(0i128, |sum, digit| {
        (sum * 10 + i128::from(digit - b'0')).min(i128::from(i64::MAX))
    });
    Some(if negative { -value } else { value })
}

fn context_length(text: &[u8]) -> Result<u64, UsageError> {
    saturating_number(text)
        .and_then(|value| u64::try_from(value).ok())
        .ok_or_else(|| UsageError::plain(2, [text, b": invalid context length argument"].concat()))
}

/// A negative count is no limit.
fn max_count(text: &[u8]) -> Result<Option<u64>, UsageError> {
    match saturating_number(text) {
        Some(value) => Ok(u64::try_from(value).ok()),
        None => Err(UsageError::plain(2, "invalid max count")),
    }
}

/// There is no terminal, so `auto` means no.
fn color(when: &[u8]) -> Result<bool, UsageError> {
    match when.to_ascii_lowercase().as_slice() {
        b"always" | b"yes" | b"force" => Ok(true),
        b"never" | b"no" | b"none" | b"auto" | b"tty" | b"if-tty" | b"" => Ok(false),
        // Not an error for grep, which shows what may be said.
        _ => Err(SPEC.help()),
    }
}

fn without_slashes(pattern: &[u8]) -> Vec<u8> {
    let mut pattern = pattern.to_vec();
    while pattern.len() > 1 && pattern.last() == Some(&b'/') {
        pattern.pop();
    }
    pattern
}
