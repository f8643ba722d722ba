//! What the command line and the environment of `ls` come down to.
//!
//! Standard output is never a terminal here, so `auto` means never, names are not quoted unless said, and lists have one column
//! unless a format is said.

use super::spec::{FORMATS, Flag, INDICATORS, SORTS, SPEC, TIMES, WHENS, When};
use crate::args::{BlockSize, Parsed, UsageError, choose, quote};
use crate::fs::Errno;
use crate::kernel::Proc;
use crate::pattern::{Pattern, PatternOptions};
use crate::program::block_unit;
use crate::program::message::message;
use crate::text::gnu_quote::Style;
use crate::text::number::{Scanned, scan_unsigned};

/// How entries are laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    OneColumn,
    Long,
    Columns,
    Across,
    Commas,
}

/// What entries are sorted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sort {
    None,
    Name,
    Extension,
    Width,
    Size,
    Version,
    Time,
}

/// Which time is shown and sorted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeKind {
    Modification,
    Access,
    Change,
    Birth,
}

/// What is put behind names, each more than the last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd)]
pub enum Indicator {
    None,
    Slash,
    FileType,
    Classify,
}

/// Which links are followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dereference {
    Never,
    ArgumentDirectories,
    Arguments,
    Always,
}

/// Which names are left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hidden {
    /// Those that begin with a point.
    Default,
    /// `.` and `..`.
    DotAndDotdot,
    /// None.
    Nothing,
}

/// By which name it was called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Called {
    Ls,
    Dir,
    Vdir,
}

/// Everything that can be chosen.
pub struct Options {
    pub format: Format,
    pub sort: Sort,
    pub reverse: bool,
    pub directories_first: bool,
    pub time: TimeKind,
    /// Formats for dates, the one for older files first.
    pub time_formats: [Vec<u8>; 2],
    pub hidden: Hidden,
    pub hide: Vec<Pattern>,
    pub ignore: Vec<Pattern>,
    pub indicator: Indicator,
    pub dereference: Dereference,
    pub immediate: bool,
    pub recursive: bool,
    pub owner: bool,
    pub group: bool,
    pub author: bool,
    pub context: bool,
    pub numeric: bool,
    pub inode: bool,
    pub blocks: bool,
    /// The unit of `-s` and totals.
    pub block_unit: BlockSize,
    /// The unit of lengths.
    pub size_unit: BlockSize,
    pub color: bool,
    pub hyperlink: bool,
    pub dired: bool,
    pub end: u8,
    pub width: usize,
    pub tab: usize,
    pub style: Style,
    /// Bytes of names that are quoted besides those that the style needs.
    pub also_quoted: &'static [u8],
    /// Names are set one to the right where others have quotes.
    pub aligns_quotes: bool,
    /// `?` stands for what is not printable.
    pub question_marks: bool,
    /// Complaints about the environment.
    pub warnings: Vec<Vec<u8>>,
}

/// What the switches say, before the environment fills in the rest.
struct Switches {
    format: Option<Format>,
    sort: Option<Sort>,
    explicit_time: bool,
    style: Option<Style>,
    question_marks: Option<bool>,
    width: Option<usize>,
    tab: Option<usize>,
    time_style: Option<Vec<u8>>,
    unit: Option<BlockSize>,
    kibibytes: bool,
    dereference: Option<Dereference>,
}

impl Options {
    fn start() -> (Options, Switches) {
        let options = Options {
            format: Format::OneColumn,
            sort: Sort::Name,
            reverse: false,
            directories_first: false,
            time: TimeKind::Modification,
            time_formats: [b"%b %e  %Y".to_vec(), b"%b %e %H:%M".to_vec()],
            hidden: Hidden::Default,
            hide: Vec::new(),
            ignore: Vec::new(),
            indicator: Indicator::None,
            dereference: Dereference::Never,
            immediate: false,
            recursive: false,
            owner: true,
            group: true,
            author: false,
            context: false,
            numeric: false,
            inode: false,
            blocks: false,
            block_unit: BlockSize::Bytes(1024),
            size_unit: BlockSize::Bytes(1),
            color: false,
            hyperlink: false,
            dired: false,
            end: b'\n',
            width: 80,
            tab: 8,
            style: Style::Literal,
            also_quoted: b"",
            aligns_quotes: false,
            question_marks: false,
            warnings: Vec::new(),
        };
        let switches = Switches {
            format: None,
            sort: None,
            explicit_time: false,
            style: None,
            question_marks: None,
            width: None,
            tab: None,
            time_style: None,
            unit: None,
            kibibytes: false,
            dereference: None,
        };
        (options, switches)
    }

    /// Reads switches, then the environment.
    pub fn read(proc: &Proc, parsed: &Parsed<Flag>, called: Called) -> Result<Options, UsageError> {
        let (mut options, mut switches) = Options::start();
        for (flag, value) in &parsed.options {
            options.apply(&mut switches, *flag, value.as_deref())?;
        }
        options.format = switches.format.unwrap_or(match called {
            Called::Ls => Format::OneColumn,
            Called::Dir => Format::Columns,
            Called::Vdir => Format::Long,
        });
        options.sort = switches
            .sort
            .unwrap_or(if options.format != Format::Long && switches.explicit_time {
                Sort::Time
            } else {
                Sort::Name
            });
        options.read_units(proc, &switches);
        options.read_layout(proc, &switches);
        options.read_quoting(proc, &switches, called);
        options.dired &= options.format == Format::Long && !options.hyperlink;
        if options.dired && options.end == 0 {
            return Err(UsageError::plain(2, "--dired and --zero are incompatible"));
        }
        if options.format == Format::Long {
            let style = switches.time_style.as_deref().or(proc.variable(b"TIME_STYLE"));
            options.read_time_style(style.unwrap_or(b"locale"))?;
        }
        let plain =
            options.immediate || options.indicator == Indicator::Classify || options.format == Format::Long;
        options.dereference = switches.dereference.unwrap_or(if plain {
            Dereference::Never
        } else {
            Dereference::ArgumentDirectories
        });
        Ok(options)
    }

    fn apply(&mut self, switches: &mut Switches, flag: Flag, value: Option<&[u8]>) -> Result<(), UsageError> {
        let text = value.unwrap_or_default();
        let always = |option: &str| match value {
            None => Ok(true),
            Some(word) => Ok(SPEC.choose(option, word, WHENS)? == When::Always),
        };
        match flag {
            Flag::All => self.hidden = Hidden::Nothing,
            Flag::AlmostAll => self.hidden = Hidden::DotAndDotdot,
            Flag::Author => self.author = true,
            Flag::Escape => switches.style = Some(Style::Escape),
            Flag::BlockSize => {
                let unit = block_unit::parse(text, "--block-size", 2)?;
                self.size_unit = unit.clone();
                switches.unit = Some(unit);
            }
            Flag::IgnoreBackups => self.ignore.extend([pattern(b"*~"), pattern(b".*~")]),
            Flag::ChangeTime => self.set_time(switches, TimeKind::Change),
            Flag::AccessTime => self.set_time(switches, TimeKind::Access),
            Flag::Time => self.set_time(switches, SPEC.choose("--time", text, TIMES)?),
            Flag::Columns => switches.format = Some(Format::Columns),
            Flag::Across => switches.format = Some(Format::Across),
            Flag::Commas => switches.format = Some(Format::Commas),
            Flag::Long => switches.format = Some(Format::Long),
            Flag::Format => switches.format = Some(SPEC.choose("--format", text, FORMATS)?),
            Flag::One => switches.set_one_column(),
            Flag::Color => self.color = always("--color")?,
            Flag::Directory => self.immediate = true,
            Flag::Dired => self.dired = true,
            Flag::Unsorted => self.set_unsorted(switches),
            Flag::Classify => {
                if always("--classify")? {
                    self.indicator = Indicator::Classify;
                }
            }
            Flag::FileType => self.indicator = Indicator::FileType,
            Flag::Slash => self.indicator = Indicator::Slash,
            Flag::IndicatorStyle => self.indicator = SPEC.choose("--indicator-style", text, INDICATORS)?,
            Flag::FullTime => {
                switches.format = Some(Format::Long);
                switches.time_style = Some(b"full-iso".to_vec());
            }
            Flag::TimeStyle => switches.time_style = Some(text.to_vec()),
            Flag::NoOwner => {
                switches.format = Some(Format::Long);
                self.owner = false;
            }
            Flag::LongWithoutGroup => {
                switches.format = Some(Format::Long);
                self.group = false;
            }
            Flag::NumericIds => {
                switches.format = Some(Format::Long);
                self.numeric = true;
            }
            Flag::NoGroup => self.group = false,
            Flag::GroupDirectoriesFirst => self.directories_first = true,
            Flag::HumanReadable => self.set_human(switches, 1024),
            Flag::Si => self.set_human(switches, 1000),
            Flag::DereferenceArguments => switches.dereference = Some(Dereference::Arguments),
            Flag::DereferenceArgumentDirectories => {
                switches.dereference = Some(Dereference::ArgumentDirectories);
            }
            Flag::Dereference => switches.dereference = Some(Dereference::Always),
            Flag::Hide => self.hide.push(pattern(text)),
            Flag::Ignore => self.ignore.push(pattern(text)),
            Flag::Hyperlink => self.hyperlink = always("--hyperlink")?,
            Flag::Inode => self.inode = true,
            Flag::Kibibytes => switches.kibibytes = true,
            Flag::Literal => switches.style = Some(Style::Literal),
            Flag::QuoteName => switches.style = Some(Style::C),
            Flag::QuotingStyle => {
                // Each name has a line of its own in the complaint, `clocale` too.
                let numbered: Vec<(&str, usize)> = (0..)
                    .zip(Style::NAMES)
                    .map(|(index, (name, _))| (*name, index))
                    .collect();
                let index = SPEC.choose("--quoting-style", text, &numbered)?;
                switches.style = Style::NAMES.get(index).map(|(_, style)| *style);
            }
            Flag::HideControlCharacters => switches.question_marks = Some(true),
            Flag::ShowControlCharacters => switches.question_marks = Some(false),
            Flag::Reverse => self.reverse = true,
            Flag::Recursive => self.recursive = true,
            Flag::Size => self.blocks = true,
            Flag::SortBySize => switches.sort = Some(Sort::Size),
            Flag::SortByTime => switches.sort = Some(Sort::Time),
            Flag::SortByVersion => switches.sort = Some(Sort::Version),
            Flag::SortByExtension => switches.sort = Some(Sort::Extension),
            Flag::NoSort => switches.sort = Some(Sort::None),
            Flag::Sort => switches.sort = Some(SPEC.choose("--sort", text, SORTS)?),
            Flag::TabSize => {
                let tab = tab_size(text)?;
                switches.tab = Some(tab);
            }
            Flag::Width => {
                let width = line_width(text).ok_or_else(|| SPEC.invalid("invalid line width:", text))?;
                switches.width = Some(width);
            }
            Flag::Context => self.context = true,
            Flag::Zero => {
                self.end = 0;
                self.color = false;
                switches.question_marks = Some(false);
                switches.style = Some(Style::Literal);
                switches.set_one_column();
            }
        }
        Ok(())
    }

    fn set_time(&mut self, switches: &mut Switches, time: TimeKind) {
        self.time = time;
        switches.explicit_time = true;
    }

    fn set_human(&mut self, switches: &mut Switches, base: u64) {
        self.size_unit = BlockSize::Human(base);
        switches.unit = Some(BlockSize::Human(base));
    }

    /// `-f` also takes back what needs more than names.
    fn set_unsorted(&mut self, switches: &mut Switches) {
        self.hidden = Hidden::Nothing;
        switches.sort = Some(Sort::None);
        if switches.format == Some(Format::Long) {
            switches.format = None;
        }
        self.color = false;
        self.hyperlink = false;
        self.blocks = false;
    }

    fn read_units(&mut self, proc: &Proc, switches: &Switches) {
        if let Some(unit) = &switches.unit {
            self.block_unit = unit.clone();
            return;
        }
        self.block_unit = block_unit::of_environment(proc, b"LS_BLOCK_SIZE");
        let variables: [&[u8]; 2] = [b"LS_BLOCK_SIZE", b"BLOCK_SIZE"];
        if variables.iter().any(|name| proc.variable(name).is_some()) {
            self.size_unit = self.block_unit.clone();
        }
        if switches.kibibytes {
            self.block_unit = BlockSize::Bytes(1024);
        }
    }

    fn read_layout(&mut self, proc: &Proc, switches: &Switches) {
        let filled = matches!(self.format, Format::Columns | Format::Across | Format::Commas);
        let mut width = switches.width;
        if width.is_none() && (filled || self.color) {
            let text = proc.variable(b"COLUMNS").filter(|text| !text.is_empty());
            if let Some(text) = text {
                width = line_width(text);
                if width.is_none() {
                    self.warn("ignoring invalid width in environment variable COLUMNS: ", text);
                }
            }
        }
        self.width = width.unwrap_or(80);
        if !filled {
            return;
        }
        if let Some(tab) = switches.tab {
            self.tab = tab;
        } else if let Some(text) = proc.variable(b"TABSIZE") {
            match number(text) {
                Some(tab) => self.tab = tab,
                None => self.warn(
                    "ignoring invalid tab size in environment variable TABSIZE: ",
                    text,
                ),
            }
        }
    }

    fn warn(&mut self, sentence: &str, text: &[u8]) {
        self.warnings.push([sentence.as_bytes(), &quote(text)].concat());
    }

    fn read_quoting(&mut self, proc: &Proc, switches: &Switches, called: Called) {
        self.question_marks = switches.question_marks.unwrap_or(false);
        let mut style = switches.style;
        if style.is_none()
            && let Some(name) = proc.variable(b"QUOTING_STYLE")
        {
            style = choose(name, Style::NAMES).ok();
            if style.is_none() {
                self.warn(
                    "ignoring invalid value of environment variable QUOTING_STYLE: ",
                    name,
                );
            }
        }
        self.style = style.unwrap_or(match called {
            Called::Ls => Style::Literal,
            Called::Dir | Called::Vdir => Style::Escape,
        });
        let in_columns = matches!(self.format, Format::Columns | Format::Across) && self.width != 0;
        self.aligns_quotes = (self.format == Format::Long || in_columns)
            && matches!(self.style, Style::Shell | Style::ShellEscape | Style::CMaybe);
        let spaces = self.style == Style::Escape;
        self.also_quoted = match (self.indicator, spaces) {
            (Indicator::FileType, false) => b"=>@|",
            (Indicator::FileType, true) => b" =>@|",
            (Indicator::Classify, false) => b"*=>@|",
            (Indicator::Classify, true) => b" *=>@|",
            (_, true) => b" ",
            (_, false) => b"",
        };
    }

    fn read_time_style(&mut self, style: &[u8]) -> Result<(), UsageError> {
        const STYLES: &[(&str, [&str; 2])] = &[
            ("full-iso", ["%Y-%m-%d %H:%M:%S.%N %z"; 2]),
            ("long-iso", ["%Y-%m-%d %H:%M"; 2]),
            ("iso", ["%Y-%m-%d ", "%m-%d %H:%M"]),
            ("locale", ["%b %e  %Y", "%b %e %H:%M"]),
        ];
        let mut style = style;
        while let Some(rest) = style.strip_prefix(b"posix-") {
            style = rest;
        }
        if let Some(format) = style.strip_prefix(b"+") {
            let formats: Vec<&[u8]> = format.splitn(3, |byte| *byte == b'\n').collect();
            self.time_formats = match formats.as_slice() {
                [both] => [both.to_vec(), both.to_vec()],
                [older, recent] => [older.to_vec(), recent.to_vec()],
                _ => return Err(SPEC.invalid("invalid time style format", format)),
            };
            return Ok(());
        }
        let formats = choose(style, STYLES).map_err(|error| unknown_time_style(style, error))?;
        self.time_formats = formats.map(|format| format.as_bytes().to_vec());
        Ok(())
    }
}

impl Switches {
    fn set_one_column(&mut self) {
        if self.format != Some(Format::Long) {
            self.format = Some(Format::OneColumn);
        }
    }
}

fn unknown_time_style(style: &[u8], error: crate::args::ChoiceError) -> UsageError {
    const STYLES: &[u8] = b"Valid arguments are:\n  - [posix-]full-iso\n  - [posix-]long-iso\n  - [posix-]iso\n  - [posix-]locale\n  - +FORMAT (e.g., +%H:%M) for a 'date'-style format\n";
    let sort: &[u8] = match error {
        crate::args::ChoiceError::Invalid => b"invalid",
        crate::args::ChoiceError::Ambiguous => b"ambiguous",
    };
    let message = [
        sort,
        b" argument ",
        &quote(style),
        b" for ",
        &quote(b"time style"),
    ]
    .concat();
    SPEC.complain(message).with_lines(STYLES)
}

fn pattern(text: &[u8]) -> Pattern {
    let options = PatternOptions {
        pathname: true,
        period: true,
        ..PatternOptions::default()
    };
    Pattern::compile(text, options)
}

/// A number in C's notation.
fn scan(text: &[u8]) -> Option<Scanned<u64>> {
    let negative = text.trim_ascii_start().starts_with(b"-");
    let found = scan_unsigned(text, 0);
    (!negative && found.length > 0 && found.length == text.len()).then_some(found)
}

fn number(text: &[u8]) -> Option<usize> {
    let found = scan(text).filter(|found| !found.out_of_range)?;
    usize::try_from(found.value).ok()
}

fn tab_size(text: &[u8]) -> Result<usize, UsageError> {
    if scan(text).is_some_and(|found| found.out_of_range) {
        let line = message!(
            "invalid tab size: ",
            quote(text),
            ": ",
            Errno::EOVERFLOW.message()
        );
        return Err(UsageError::plain(SPEC.status, line));
    }
    number(text).ok_or_else(|| SPEC.invalid("invalid tab size:", text))
}

/// A width; one that is too large means no limit, as 0 does.
fn line_width(text: &[u8]) -> Option<usize> {
    let found = scan(text)?;
    Some(if found.out_of_range || found.value > i64::MAX as u64 {
        0
    } else {
        found.value as usize
    })
}
