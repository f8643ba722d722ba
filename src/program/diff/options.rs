//! The command line of `diff`.

use crate::args::{Complaint, CountError, DIFFUTILS, Opt, Parsed, Spec, UsageError, parse_count};
use crate::pattern::{Pattern, PatternOptions, Regex, RegexOptions, Syntax};
use crate::program::message::message;

use super::formats::Formats;

/// How differences are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Style {
    #[default]
    Normal,
    Context,
    Unified,
    Ed,
    ForwardEd,
    Rcs,
    SideBySide,
    /// `-D` and formats for lines and groups.
    Formats,
}

impl Style {
    /// Can say that a newline is missing.
    pub fn is_robust(self) -> bool {
        !matches!(self, Style::Ed | Style::ForwardEd)
    }
}

/// Which white space is ignored; each level more than the last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum WhiteSpace {
    #[default]
    Matters,
    TabExpansion,
    TrailingSpace,
    TabExpansionAndTrailingSpace,
    SpaceChange,
    AllSpace,
}

/// Everything that can be chosen.
#[derive(Default)]
pub struct Options {
    pub style: Style,
    pub brief: bool,
    pub reports_identical: bool,
    pub recursive: bool,
    pub new_file: bool,
    pub new_first_file: bool,
    pub no_dereference: bool,
    pub ignore_name_case: bool,
    pub exclude: Vec<Pattern>,
    pub starting_file: Option<Vec<u8>>,
    pub from_file: Option<Vec<u8>>,
    pub to_file: Option<Vec<u8>>,
    pub labels: Vec<Vec<u8>>,
    pub context: usize,
    pub horizon: usize,
    pub width: usize,
    pub left_column: bool,
    pub suppress_common: bool,
    pub expand_tabs: bool,
    pub initial_tab: bool,
    pub tab_size: usize,
    pub suppress_blank_empty: bool,
    pub function: Option<Regex>,
    pub ignore_case: bool,
    pub white_space: WhiteSpace,
    pub ignore_blank_lines: bool,
    pub ignore_matching: Option<Regex>,
    pub text: bool,
    pub strip_carriage_returns: bool,
    pub minimal: bool,
    pub speed_large: bool,
    pub color: bool,
    pub palette: Palette,
    /// What to say before anything is compared.
    pub warnings: Vec<Vec<u8>>,
    pub formats: Formats,
    /// The options as they are shown before each pair of files.
    pub switches: Vec<u8>,
}

/// Colours of `--color`.
pub struct Palette {
    pub header: Vec<u8>,
    pub line: Vec<u8>,
    pub add: Vec<u8>,
    pub delete: Vec<u8>,
    pub reset: Vec<u8>,
}

impl Default for Palette {
    fn default() -> Self {
        Palette {
            header: b"1".to_vec(),
            line: b"36".to_vec(),
            add: b"32".to_vec(),
            delete: b"31".to_vec(),
            reset: b"0".to_vec(),
        }
    }
}

/// One flag.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Flag {
    Normal,
    Brief,
    ReportIdentical,
    Context,
    Unified,
    Lines,
    Ed,
    ForwardEd,
    Rcs,
    SideBySide,
    Width,
    LeftColumn,
    SuppressCommon,
    ShowFunction,
    FunctionLine,
    Label,
    ExpandTabs,
    InitialTab,
    TabSize,
    SuppressBlankEmpty,
    Paginate,
    Recursive,
    NoDereference,
    NewFile,
    NewFirstFile,
    IgnoreNameCase,
    NoIgnoreNameCase,
    Exclude,
    ExcludeFrom,
    StartingFile,
    FromFile,
    ToFile,
    IgnoreCase,
    IgnoreTabExpansion,
    IgnoreTrailingSpace,
    IgnoreSpaceChange,
    IgnoreAllSpace,
    IgnoreBlankLines,
    IgnoreMatching,
    Text,
    StripCarriageReturns,
    Ifdef,
    GroupFormat(usize),
    LineFormat,
    OneLineFormat(usize),
    Minimal,
    Horizon,
    SpeedLarge,
    Color,
    Palette,
    Nothing,
}

use Flag as F;

pub static SPEC: Spec<Flag> = Spec::new(
    "diff",
    DIFFUTILS,
    &["[OPTION]... FILES"],
    "Compare FILES line by line.\n\nMandatory arguments to long options are mandatory for short options too.",
    &[
        Opt::long(F::Normal, "normal", "output a normal diff (the default)"),
        Opt::flag(F::Brief, 'q', "brief", "report only when files differ"),
        Opt::flag(
            F::ReportIdentical,
            's',
            "report-identical-files",
            "report when two files are the same",
        ),
        Opt::short(F::Context, 'c', "output 3 lines of copied context"),
        Opt::short(F::Context, 'C', "output NUM lines of copied context").takes("NUM"),
        Opt::long(F::Context, "context", "output NUM (default 3) lines of copied context").may_take("NUM"),
        Opt::short(F::Unified, 'u', "output 3 lines of unified context"),
        Opt::short(F::Unified, 'U', "output NUM lines of unified context").takes("NUM"),
        Opt::long(
            F::Unified,
            "unified",
            "output NUM (default 3) lines of unified context",
        )
        .may_take("NUM"),
        Opt::digits(F::Lines, ""),
        Opt::flag(F::Ed, 'e', "ed", "output an ed script"),
        Opt::flag(F::ForwardEd, 'f', "forward-ed", ""),
        Opt::flag(F::Rcs, 'n', "rcs", "output an RCS format diff"),
        Opt::flag(F::SideBySide, 'y', "side-by-side", "output in two columns"),
        Opt::required(
            F::Width,
            'W',
            "width",
            "NUM",
            "output at most NUM (default 130) print columns",
        ),
        Opt::long(
            F::LeftColumn,
            "left-column",
            "output only the left column of common lines",
        ),
        Opt::long(
            F::SuppressCommon,
            "suppress-common-lines",
            "do not output common lines",
        ),
        Opt::flag(
            F::ShowFunction,
            'p',
            "show-c-function",
            "show which C function each change is in",
        ),
        Opt::required(
            F::FunctionLine,
            'F',
            "show-function-line",
            "RE",
            "show the most recent line matching RE",
        ),
        Opt::required(
            F::Label,
            'L',
            "label",
            "LABEL",
            "use LABEL instead of file name and timestamp\n  (can be repeated)",
        ),
        Opt::flag(F::ExpandTabs, 't', "expand-tabs", "expand tabs to spaces in output"),
        Opt::flag(
            F::InitialTab,
            'T',
            "initial-tab",
            "make tabs line up by prepending a tab",
        ),
        Opt::long(
            F::TabSize,
            "tabsize",
            "tab stops every NUM (default 8) print columns",
        )
        .takes("NUM"),
        Opt::long(
            F::SuppressBlankEmpty,
            "suppress-blank-empty",
            "suppress space or tab before empty output lines",
        ),
        Opt::flag(
            F::Paginate,
            'l',
            "paginate",
            "pass output through 'pr' to paginate it",
        ),
        Opt::flag(
            F::Recursive,
            'r',
            "recursive",
            "recursively compare any subdirectories found",
        ),
        Opt::long(F::NoDereference, "no-dereference", "don't follow symbolic links"),
        Opt::flag(F::NewFile, 'N', "new-file", "treat absent files as empty"),
        Opt::flag(F::NewFirstFile, 'P', "unidirectional-new-file", "treat absent first files as empty"),
        Opt::long(
            F::IgnoreNameCase,
            "ignore-file-name-case",
            "ignore case when comparing file names",
        ),
        Opt::long(
            F::NoIgnoreNameCase,
            "no-ignore-file-name-case",
            "consider case when comparing file names",
        ),
        Opt::required(F::Exclude, 'x', "exclude", "PAT", "exclude files that match PAT"),
        Opt::required(
            F::ExcludeFrom,
            'X',
            "exclude-from",
            "FILE",
            "exclude files that match any pattern in FILE",
        ),
        Opt::required(
            F::StartingFile,
            'S',
            "starting-file",
            "FILE",
            "start with FILE when comparing directories",
        ),
        Opt::long(
            F::FromFile,
            "from-file",
            "compare FILE1 to all operands;\n  FILE1 can be a directory",
        )
        .takes("FILE1"),
        Opt::long(
            F::ToFile,
            "to-file",
            "compare all operands to FILE2;\n  FILE2 can be a directory",
        )
        .takes("FILE2"),
        Opt::flag(
            F::IgnoreCase,
            'i',
            "ignore-case",
            "ignore case differences in file contents",
        ),
        Opt::flag(
            F::IgnoreTabExpansion,
            'E',
            "ignore-tab-expansion",
            "ignore changes due to tab expansion",
        ),
        Opt::flag(
            F::IgnoreTrailingSpace,
            'Z',
            "ignore-trailing-space",
            "ignore white space at line end",
        ),
        Opt::flag(
            F::IgnoreSpaceChange,
            'b',
            "ignore-space-change",
            "ignore changes in the amount of white space",
        ),
        Opt::flag(
            F::IgnoreAllSpace,
            'w',
            "ignore-all-space",
            "ignore all white space",
        ),
        Opt::flag(
            F::IgnoreBlankLines,
            'B',
            "ignore-blank-lines",
            "ignore changes where lines are all blank",
        ),
        Opt::required(
            F::IgnoreMatching,
            'I',
            "ignore-matching-lines",
            "RE",
            "ignore changes where all lines match RE",
        ),
        Opt::flag(F::Text, 'a', "text", "treat all files as text"),
        Opt::long(
            F::StripCarriageReturns,
            "strip-trailing-cr",
            "strip trailing carriage return on input",
        ),
        Opt::required(
            F::Ifdef,
            'D',
            "ifdef",
            "NAME",
            "output merged file with '#ifdef NAME' diffs",
        ),
        Opt::long(F::GroupFormat(0), "unchanged-group-format", "format unchanged input groups with GFMT")
            .takes("GFMT"),
        Opt::long(F::GroupFormat(1), "old-group-format", "format old input groups with GFMT").takes("GFMT"),
        Opt::long(F::GroupFormat(2), "new-group-format", "format new input groups with GFMT").takes("GFMT"),
        Opt::long(F::GroupFormat(3), "changed-group-format", "format changed input groups with GFMT")
            .takes("GFMT"),
        Opt::long(F::LineFormat, "line-format", "format all input lines with LFMT").takes("LFMT"),
        Opt::long(
            F::OneLineFormat(0),
            "unchanged-line-format",
            "format unchanged input lines with LFMT",
        )
        .takes("LFMT"),
        Opt::long(F::OneLineFormat(1), "old-line-format", "format old input lines with LFMT").takes("LFMT"),
        Opt::long(F::OneLineFormat(2), "new-line-format", "format new input lines with LFMT").takes("LFMT"),
        Opt::flag(
            F::Minimal,
            'd',
            "minimal",
            "try hard to find a smaller set of changes",
        ),
        Opt::long(
            F::Horizon,
            "horizon-lines",
            "keep NUM lines of the common prefix and suffix",
        )
        .takes("NUM"),
        Opt::flag(
            F::SpeedLarge,
            'H',
            "speed-large-files",
            "assume large files and many scattered small changes",
        ),
        Opt::long(
            F::Color,
            "color",
            "color output; WHEN is 'never', 'always', or 'auto';\n  plain --color means --color='auto'",
        )
        .may_take("WHEN"),
        Opt::long(
            F::Palette,
            "palette",
            "the colors to use when --color is active; PALETTE is\na colon-separated list of terminfo capabilities",
        )
        .takes("PALETTE"),
        Opt::long(F::Nothing, "inhibit-hunk-merge", ""),
        Opt::long(F::Nothing, "binary", ""),
        Opt::short(F::Nothing, 'h', ""),
    ],
)
.fails_with(2)
.complains(Complaint::NamedTry)
.version_letter('v')
.notes(
    "These format options provide fine-grained control over the output\n  of diff, generalizing -D/--ifdef.\nLTYPE is 'old', 'new', or 'unchanged'.  GTYPE is LTYPE or 'changed'.\nGFMT (only) may contain:\n  %<  lines from FILE1\n  %>  lines from FILE2\n  %=  lines common to FILE1 and FILE2\n  %[-][WIDTH][.[PREC]]{doxX}LETTER  printf-style spec for LETTER\n    LETTERs are as follows for new group, lower case for old group:\n      F  first line number\n      L  last line number\n      N  number of lines = L-F+1\n      E  F-1\n      M  L+1\n  %(A=B?T:E)  if A equals B then T else E\nLFMT (only) may contain:\n  %L  contents of line\n  %l  contents of line, excluding any trailing newline\n  %[-][WIDTH][.[PREC]]{doxX}n  printf-style spec for input line number\nBoth GFMT and LFMT may contain:\n  %%  %\n  %c'C'  the single character C\n  %c'\\OOO'  the character with octal code OOO\n  C    the character C (other characters represent themselves)\n\nFILES are 'FILE1 FILE2' or 'DIR1 DIR2' or 'DIR FILE' or 'FILE DIR'.\nIf --from-file or --to-file is given, there are no restrictions on FILE(s).\nIf a FILE is '-', read standard input.\nExit status is 0 if inputs are the same, 1 if different, 2 if trouble.\n\nReport bugs to: bug-diffutils@gnu.org\nGNU diffutils home page: <https://www.gnu.org/software/diffutils/>\nGeneral help using GNU software: <https://www.gnu.org/gethelp/>",
);

/// What is being read.
struct Reader {
    options: Options,
    style: Option<Style>,
    context: Option<usize>,
    /// Digits as options.
    lines: Option<usize>,
    explicit_context: bool,
    functions: Vec<Vec<u8>>,
    /// `-p`.
    shows_functions: bool,
    palette: Option<Vec<u8>>,
    ignored: Vec<Vec<u8>>,
}

/// Files whose lines are patterns for names: the caller reads them.
pub type PatternFiles = Vec<Vec<u8>>;

/// Reads the switches.
pub fn read(parsed: &Parsed<Flag>) -> Result<(Options, PatternFiles), UsageError> {
    let mut reader = Reader {
        options: Options {
            width: 130,
            tab_size: 8,
            ..Options::default()
        },
        style: None,
        context: None,
        lines: None,
        explicit_context: false,
        functions: Vec::new(),
        shows_functions: false,
        palette: None,
        ignored: Vec::new(),
    };
    let mut after_digit = false;
    for (flag, value) in &parsed.options {
        reader.apply(*flag, value.as_deref(), after_digit)?;
        after_digit = *flag == Flag::Lines;
    }
    let files = parsed.values(Flag::ExcludeFrom).map(<[u8]>::to_vec);
    Ok((reader.finish()?, files.collect()))
}

fn fatal(message: impl Into<Vec<u8>>) -> UsageError {
    UsageError::plain(2, message)
}

fn count(text: &[u8], what: &str, least: u64) -> Result<usize, UsageError> {
    let value = match parse_count(text, "") {
        Ok(value) => Some(value),
        Err(CountError::Overflow) => Some(u64::MAX),
        Err(CountError::Invalid) => None,
    };
    value
        .filter(|value| *value >= least)
        .map(|value| {
            usize::try_from(value)
                .unwrap_or(usize::MAX)
                .min(isize::MAX as usize / 4)
        })
        .ok_or_else(|| SPEC.complain(message!("invalid ", what, " '", text, "'")))
}

impl Reader {
    fn set_style(&mut self, style: Style) -> Result<(), UsageError> {
        if self.style.is_some_and(|before| before != style) {
            return Err(SPEC.complain("conflicting output style options"));
        }
        self.style = Some(style);
        Ok(())
    }

    fn set_context(&mut self, style: Style, value: Option<&[u8]>) -> Result<(), UsageError> {
        let lines = match value {
            Some(text) => {
                self.explicit_context = true;
                count(text, "context length", 0)?
            }
            None => 3,
        };
        self.context = Some(self.context.map_or(lines, |before| before.max(lines)));
        self.set_style(style)
    }

    fn apply(&mut self, flag: Flag, value: Option<&[u8]>, after_digit: bool) -> Result<(), UsageError> {
        let text = value.unwrap_or_default();
        let options = &mut self.options;
        match flag {
            Flag::Normal => self.set_style(Style::Normal)?,
            Flag::Context => self.set_context(Style::Context, value)?,
            Flag::Unified => self.set_context(Style::Unified, value)?,
            Flag::Ed => self.set_style(Style::Ed)?,
            Flag::ForwardEd => self.set_style(Style::ForwardEd)?,
            Flag::Rcs => self.set_style(Style::Rcs)?,
            Flag::SideBySide => self.set_style(Style::SideBySide)?,
            Flag::Lines => {
                let digit = text.first().map_or(0, |byte| usize::from(byte - b'0'));
                let before = self.lines.filter(|_| after_digit).unwrap_or(0);
                self.lines = Some(before.saturating_mul(10).saturating_add(digit).min(1 << 40));
            }
            Flag::Brief => options.brief = true,
            Flag::ReportIdentical => options.reports_identical = true,
            Flag::Width => options.width = count(text, "width", 1)?,
            Flag::LeftColumn => options.left_column = true,
            Flag::SuppressCommon => options.suppress_common = true,
            Flag::ShowFunction => {
                self.shows_functions = true;
                self.functions.push(b"^[[:alpha:]$_]".to_vec());
            }
            Flag::FunctionLine => self.functions.push(text.to_vec()),
            Flag::Label => {
                options.labels.push(text.to_vec());
                if options.labels.len() > 2 {
                    return Err(fatal("too many file label options"));
                }
            }
            Flag::ExpandTabs => options.expand_tabs = true,
            Flag::InitialTab => options.initial_tab = true,
            Flag::TabSize => options.tab_size = count(text, "tabsize", 1)?,
            Flag::SuppressBlankEmpty => options.suppress_blank_empty = true,
            Flag::Paginate => return Err(fatal("pagination not supported on this host")),
            Flag::Recursive => options.recursive = true,
            Flag::NoDereference => options.no_dereference = true,
            Flag::NewFile => options.new_file = true,
            Flag::NewFirstFile => options.new_first_file = true,
            Flag::IgnoreNameCase => options.ignore_name_case = true,
            Flag::NoIgnoreNameCase => options.ignore_name_case = false,
            Flag::Exclude => options.exclude(text),
            Flag::StartingFile => options.starting_file = Some(text.to_vec()),
            Flag::FromFile => options.from_file = Some(text.to_vec()),
            Flag::ToFile => options.to_file = Some(text.to_vec()),
            Flag::IgnoreCase => options.ignore_case = true,
            Flag::IgnoreTabExpansion => options.ignore_some(true),
            Flag::IgnoreTrailingSpace => options.ignore_some(false),
            Flag::IgnoreSpaceChange => {
                options.white_space = options.white_space.max(WhiteSpace::SpaceChange);
            }
            Flag::IgnoreAllSpace => options.white_space = WhiteSpace::AllSpace,
            Flag::IgnoreBlankLines => options.ignore_blank_lines = true,
            Flag::IgnoreMatching => self.ignored.push(text.to_vec()),
            Flag::Text => options.text = true,
            Flag::StripCarriageReturns => options.strip_carriage_returns = true,
            Flag::Minimal => options.minimal = true,
            Flag::Horizon => options.horizon = options.horizon.max(count(text, "horizon length", 0)?),
            Flag::SpeedLarge => options.speed_large = true,
            Flag::Color => options.set_color(value)?,
            Flag::Palette => self.palette = Some(text.to_vec()),
            Flag::Ifdef | Flag::GroupFormat(_) | Flag::LineFormat | Flag::OneLineFormat(_) => {
                options.formats.set(flag, text).map_err(fatal)?;
                self.set_style(Style::Formats)?;
            }
            Flag::ExcludeFrom | Flag::Nothing => {}
        }
        Ok(())
    }

    fn finish(self) -> Result<Options, UsageError> {
        let mut options = self.options;
        // `-F` alone does not ask for context.
        let shows_functions = self.shows_functions;
        let default = if shows_functions {
            Style::Context
        } else {
            Style::Normal
        };
        options.style = self.style.unwrap_or(default);
        let mut context = self.context;
        if self.style.is_none() && shows_functions {
            context = Some(context.map_or(3, |lines| lines.max(3)));
        }
        if let (Some(lines), Style::Context | Style::Unified) = (self.lines, options.style) {
            let now = context.unwrap_or(0);
            if now < lines || (lines < now && !self.explicit_context) {
                context = Some(lines);
            }
        }
        options.context = context.unwrap_or(0);
        options.horizon = options.horizon.max(options.context);
        options.function = regex(&self.functions)?;
        options.ignore_matching = regex(&self.ignored)?;
        options.formats.finish();
        if let Some(palette) = self.palette.filter(|_| options.color) {
            options.set_palette(&palette);
        }
        if options.from_file.is_some() && options.to_file.is_some() {
            return Err(fatal("--from-file and --to-file both specified"));
        }
        Ok(options)
    }
}

/// Any of these expressions.
fn regex(texts: &[Vec<u8>]) -> Result<Option<Regex>, UsageError> {
    let options = RegexOptions {
        gnu: true,
        lenient: true,
        ..RegexOptions::default()
    };
    for text in texts {
        Regex::compile(text, Syntax::Basic, options)
            .map_err(|error| fatal(message!(text, ": ", error.to_string())))?;
    }
    if texts.is_empty() {
        return Ok(None);
    }
    let all: Vec<&[u8]> = texts.iter().map(Vec::as_slice).collect();
    let compiled = Regex::compile_any(&all, Syntax::Basic, options);
    compiled.map(Some).map_err(|error| fatal(error.to_string()))
}

impl Options {
    /// Leaves out files whose names match a pattern.
    pub fn exclude(&mut self, pattern: &[u8]) {
        let options = PatternOptions {
            nocase: self.ignore_name_case,
            ..PatternOptions::default()
        };
        self.exclude.push(Pattern::compile(pattern, options));
    }

    fn ignore_some(&mut self, tabs: bool) {
        use WhiteSpace::{Matters, SpaceChange, TabExpansion, TabExpansionAndTrailingSpace, TrailingSpace};
        self.white_space = match (self.white_space, tabs) {
            (more, _) if more >= SpaceChange => more,
            (Matters | TabExpansion, true) => TabExpansion,
            (Matters | TrailingSpace, false) => TrailingSpace,
            _ => TabExpansionAndTrailingSpace,
        };
    }

    fn set_color(&mut self, when: Option<&[u8]>) -> Result<(), UsageError> {
        self.color = match when {
            None | Some(b"auto" | b"never") => false,
            Some(b"always") => true,
            Some(other) => return Err(SPEC.complain(message!("invalid color '", other, "'"))),
        };
        Ok(())
    }

    /// A palette that cannot be read is complained about, and there is no colour.
    fn set_palette(&mut self, text: &[u8]) {
        if self.read_palette(text).is_none() {
            self.color = false;
            self.warnings.push(b"unparsable value for --palette".to_vec());
        }
    }

    fn read_palette(&mut self, text: &[u8]) -> Option<()> {
        for entry in text.split(|byte| *byte == b':').filter(|entry| !entry.is_empty()) {
            let (name, value) = entry.split_at_checked(2)?;
            let value = value.strip_prefix(b"=")?;
            let slot = match name {
                b"hd" => &mut self.palette.header,
                b"ln" => &mut self.palette.line,
                b"ad" => &mut self.palette.add,
                b"de" => &mut self.palette.delete,
                b"rs" => &mut self.palette.reset,
                _ => {
                    self.warnings.push(message!("unrecognized prefix: ", name));
                    return None;
                }
            };
            *slot = value.to_vec();
        }
        Some(())
    }

    /// Some differences may not count.
    pub fn may_ignore_hunks(&self) -> bool {
        self.ignore_blank_lines || self.ignore_matching.is_some()
    }

    /// Files that differ anywhere differ.
    pub fn compares_bytes(&self) -> bool {
        !(self.ignore_blank_lines
            || self.ignore_case
            || self.strip_carriage_returns
            || self.ignore_matching.is_some()
            || self.white_space != WhiteSpace::Matters)
    }

    /// Without differences there is nothing to print.
    pub fn prints_differences_only(&self) -> bool {
        match self.style {
            Style::SideBySide => self.suppress_common,
            Style::Formats => self.formats.prints_differences_only(),
            _ => true,
        }
    }
}
