//! The command line of `pr`. Digits add up to a number of columns, and what begins with `+` is a range of pages until one was given.

use crate::args::{
    BlockSizeError, COREUTILS, CountError, Opt, Spec, UsageError, parse_count_in, parse_signed_count, quote,
};
use crate::program::message::message;
use crate::program::numbers;

#[derive(Clone, Copy, PartialEq)]
enum Flag {
    Pages,
    Columns,
    Across,
    Balance,
    Control,
    Double,
    DateFormat,
    ExpandTabs,
    FormFeed,
    Header,
    OutputTabs,
    Join,
    Length,
    Merge,
    Number,
    FirstNumber,
    Indent,
    NoWarnings,
    Separator,
    SeparatorString,
    OmitHeader,
    OmitPagination,
    Nonprinting,
    Width,
    PageWidth,
    Digit,
}

static SPEC: Spec<Flag> = Spec::new(
    "pr",
    COREUTILS,
    &["[OPTION]... [FILE]..."],
    "",
    &[
        Opt::long(Flag::Pages, "pages", "").takes("PAGES"),
        Opt::long(Flag::Columns, "columns", "").takes("COLUMN"),
        Opt::flag(Flag::Across, 'a', "across", ""),
        Opt::short(Flag::Balance, 'b', ""),
        Opt::flag(Flag::Control, 'c', "show-control-chars", ""),
        Opt::flag(Flag::Double, 'd', "double-space", ""),
        Opt::required(Flag::DateFormat, 'D', "date-format", "FORMAT", ""),
        Opt::optional(Flag::ExpandTabs, 'e', "expand-tabs", "CHAR", ""),
        Opt::flag(Flag::FormFeed, 'f', "form-feed", ""),
        Opt::short(Flag::FormFeed, 'F', ""),
        Opt::required(Flag::Header, 'h', "header", "HEADER", ""),
        Opt::optional(Flag::OutputTabs, 'i', "output-tabs", "CHAR", ""),
        Opt::flag(Flag::Join, 'J', "join-lines", ""),
        Opt::required(Flag::Length, 'l', "length", "PAGE_LENGTH", ""),
        Opt::flag(Flag::Merge, 'm', "merge", ""),
        Opt::optional(Flag::Number, 'n', "number-lines", "SEP", ""),
        Opt::required(Flag::FirstNumber, 'N', "first-line-number", "NUMBER", ""),
        Opt::required(Flag::Indent, 'o', "indent", "MARGIN", ""),
        Opt::flag(Flag::NoWarnings, 'r', "no-file-warnings", ""),
        Opt::optional(Flag::Separator, 's', "separator", "CHAR", ""),
        Opt::optional(Flag::SeparatorString, 'S', "sep-string", "STRING", ""),
        Opt::flag(Flag::OmitHeader, 't', "omit-header", ""),
        Opt::flag(Flag::OmitPagination, 'T', "omit-pagination", ""),
        Opt::flag(Flag::Nonprinting, 'v', "show-nonprinting", ""),
        Opt::required(Flag::Width, 'w', "width", "PAGE_WIDTH", ""),
        Opt::required(Flag::PageWidth, 'W', "page-width", "PAGE_WIDTH", ""),
        Opt::digits(Flag::Digit, ""),
    ],
)
.own_help(include_str!("help.txt"));

/// What the command line says, and what follows from it.
#[derive(Debug, Clone)]
pub struct Options {
    pub first_page: u64,
    pub last_page: u64,
    pub columns: i64,
    /// A number of columns was given.
    pub explicit_columns: bool,
    pub across: bool,
    pub parallel: bool,
    /// Lines go down the columns, so that a page is stored before it is printed.
    pub storing: bool,
    pub control_prefix: bool,
    pub escapes: bool,
    pub double_space: bool,
    pub date_format: Option<Vec<u8>>,
    pub untabify: bool,
    pub input_tab: u8,
    pub input_tab_width: i64,
    pub tabify: bool,
    pub output_tab: u8,
    pub output_tab_width: i64,
    pub form_feed: bool,
    pub header: Option<Vec<u8>>,
    pub join: bool,
    pub page_length: i64,
    pub numbered: bool,
    pub number_separator: u8,
    pub number_digits: i64,
    /// Lines of pages that are skipped count too.
    pub skip_count: bool,
    pub first_number: i64,
    pub margin: i64,
    pub quiet_opens: bool,
    pub use_separator: bool,
    pub separator: Vec<u8>,
    /// Pages have headers and footers.
    pub extremities: bool,
    pub keep_form_feeds: bool,
    pub truncate: bool,
    pub line_width: i64,
    pub files: Vec<Vec<u8>>,
    old_style: bool,
    old_separator: bool,
    old_width: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            first_page: 0,
            last_page: u64::MAX,
            columns: 1,
            explicit_columns: false,
            across: false,
            parallel: false,
            storing: true,
            control_prefix: false,
            escapes: false,
            double_space: false,
            date_format: None,
            untabify: false,
            input_tab: b'\t',
            input_tab_width: 8,
            tabify: false,
            output_tab: b'\t',
            output_tab_width: 8,
            form_feed: false,
            header: None,
            join: false,
            page_length: 66,
            numbered: false,
            number_separator: b'\t',
            number_digits: 5,
            skip_count: true,
            first_number: 1,
            margin: 0,
            quiet_opens: false,
            use_separator: false,
            separator: Vec::new(),
            extremities: true,
            keep_form_feeds: false,
            truncate: false,
            line_width: 72,
            files: Vec::new(),
            old_style: false,
            old_separator: false,
            old_width: false,
        }
    }
}

const MOST: i64 = i32::MAX as i64;

fn number(text: &[u8], least: i64, sentence: &str) -> Result<i64, UsageError> {
    numbers::signed(text, "", (least, MOST), sentence)
}

/// `FIRST[:LAST]`; `None` when it is none. Numbers that are none are refused in the option's name.
fn page_range(text: &[u8], option: &str) -> Result<Option<(u64, u64)>, UsageError> {
    let refused = |error: BlockSizeError| UsageError::plain(1, error.message(option, text));
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (first, rest) = text.split_at_checked(digits).unwrap_or_default();
    let first = parse_count_in(first, 10, "").map_err(refused)?;
    let last = match rest {
        _ if first == 0 => return Ok(None),
        [] => u64::MAX,
        [b':', last @ ..] => parse_count_in(last, 10, "").map_err(refused)?,
        _ => return Ok(None),
    };
    Ok((last >= first).then_some((first, last)))
}

/// `[CHAR][NUMBER]`.
fn char_and_number(text: &[u8], letter: char, byte: &mut u8, number: &mut i64) -> Result<(), UsageError> {
    let mut rest = text;
    if let Some((first, behind)) = text.split_first()
        && !first.is_ascii_digit()
    {
        *byte = *first;
        rest = behind;
    }
    if rest.is_empty() {
        return Ok(());
    }
    let parsed = parse_signed_count(rest, "").and_then(|value| match value {
        ..=0 => Err(CountError::Invalid),
        value if value > MOST => Err(CountError::Overflow),
        value => Ok(value),
    });
    match parsed {
        Ok(value) => {
            *number = value;
            Ok(())
        }
        Err(error) => {
            let sentence = format!("'-{letter}' extra characters or invalid number in the argument: ");
            let reason = match error {
                CountError::Invalid => "",
                CountError::Overflow => ": Value too large for defined data type",
            };
            Err(SPEC.complain(message!(sentence, quote(rest), reason)))
        }
    }
}

impl Options {
    /// Reads the arguments.
    pub fn parse(arguments: &[Vec<u8>]) -> Result<Options, UsageError> {
        let parsed = SPEC.parse(arguments)?;
        let mut options = Options::default();
        let mut digits = Vec::new();
        let mut last_was_digit = false;
        for (flag, value) in &parsed.options {
            if *flag == Flag::Digit {
                if !last_was_digit {
                    digits.clear();
                }
                digits.extend(value.iter().flatten());
                last_was_digit = true;
                continue;
            }
            last_was_digit = false;
            if *flag == Flag::Columns {
                digits.clear();
            }
            options.apply(*flag, value.as_deref())?;
        }
        if !digits.is_empty() {
            options.set_columns(&digits)?;
        }
        for operand in parsed.operands {
            let range = operand.strip_prefix(b"+").filter(|_| options.first_page == 0);
            let range = range.map(|range| page_range(range, "+")).transpose()?;
            match range.flatten() {
                Some((first, last)) => (options.first_page, options.last_page) = (first, last),
                None => options.files.push(operand),
            }
        }
        options.first_page = options.first_page.max(1);
        options.check()?;
        options.translate_old();
        Ok(options)
    }

    fn set_columns(&mut self, text: &[u8]) -> Result<(), UsageError> {
        self.columns = number(text, 1, "invalid number of columns")?;
        self.explicit_columns = true;
        Ok(())
    }

    fn apply(&mut self, flag: Flag, value: Option<&[u8]>) -> Result<(), UsageError> {
        let text = value.unwrap_or_default();
        match flag {
            Flag::Pages => match page_range(text, "--pages")? {
                Some((first, last)) => (self.first_page, self.last_page) = (first, last),
                None => return Err(UsageError::plain(1, message!("invalid page range ", quote(text)))),
            },
            Flag::Columns => self.set_columns(text)?,
            Flag::Across => (self.across, self.storing) = (true, false),
            Flag::Balance | Flag::Digit => {}
            Flag::Control => self.control_prefix = true,
            Flag::Double => self.double_space = true,
            Flag::DateFormat => self.date_format = Some(text.to_vec()),
            Flag::ExpandTabs => {
                char_and_number(text, 'e', &mut self.input_tab, &mut self.input_tab_width)?;
                self.untabify = true;
            }
            Flag::FormFeed => self.form_feed = true,
            Flag::Header => self.header = Some(text.to_vec()),
            Flag::OutputTabs => {
                char_and_number(text, 'i', &mut self.output_tab, &mut self.output_tab_width)?;
                self.tabify = true;
            }
            Flag::Join => self.join = true,
            Flag::Length => self.page_length = number(text, 1, "'-l PAGE_LENGTH' invalid number of lines")?,
            Flag::Merge => (self.parallel, self.storing) = (true, false),
            Flag::Number => {
                char_and_number(text, 'n', &mut self.number_separator, &mut self.number_digits)?;
                self.numbered = true;
            }
            Flag::FirstNumber => {
                let least = i64::from(i32::MIN);
                self.first_number = number(text, least, "'-N NUMBER' invalid starting line number")?;
                self.skip_count = false;
            }
            Flag::Indent => self.margin = number(text, 0, "'-o MARGIN' invalid line offset")?,
            Flag::NoWarnings => self.quiet_opens = true,
            Flag::Separator => {
                (self.old_style, self.old_separator) = (true, true);
                if let Some(text) = value.filter(|_| !self.use_separator) {
                    self.separator = text.to_vec();
                }
            }
            Flag::SeparatorString => {
                (self.old_separator, self.use_separator) = (false, true);
                self.separator = text.to_vec();
            }
            Flag::OmitHeader => (self.extremities, self.keep_form_feeds) = (false, true),
            Flag::OmitPagination => (self.extremities, self.keep_form_feeds) = (false, false),
            Flag::Nonprinting => self.escapes = true,
            Flag::Width => {
                (self.old_style, self.old_width) = (true, true);
                let width = number(text, 1, "'-w PAGE_WIDTH' invalid number of characters")?;
                if !self.truncate {
                    self.line_width = width;
                }
            }
            Flag::PageWidth => {
                (self.old_width, self.truncate) = (false, true);
                self.line_width = number(text, 1, "'-W PAGE_WIDTH' invalid number of characters")?;
            }
        }
        Ok(())
    }

    fn check(&self) -> Result<(), UsageError> {
        let sentence = if self.parallel && self.explicit_columns {
            "cannot specify number of columns when printing in parallel"
        } else if self.parallel && self.across {
            "cannot specify both printing across and printing in parallel"
        } else {
            return Ok(());
        };
        Err(UsageError::plain(1, sentence))
    }

    /// What `-w` and `-s` mean besides, as in older programs.
    fn translate_old(&mut self) {
        let many = self.parallel || self.explicit_columns;
        if !self.old_style {
            return;
        }
        if self.old_width {
            if many {
                self.truncate = true;
                self.use_separator |= self.old_separator;
            } else {
                self.join = true;
            }
        } else if !self.use_separator && self.old_separator && many {
            if self.truncate {
                self.use_separator = true;
            } else {
                self.join = true;
                self.use_separator = !self.separator.is_empty();
            }
        }
    }
}
