//! The command line of `column`.

use crate::args::{Opt, Parsed, Spec, UTIL_LINUX, UsageError};
use crate::program::message::message;
use crate::text::columns::Fill;

#[derive(Debug, Clone, Copy, PartialEq)]
enum Flag {
    Columns,
    Table,
    TableName,
    TableOrder,
    TableColumns,
    ColumnsLimit,
    NoHeadings,
    HeaderRepeat,
    Hide,
    Right,
    Json,
    FillRows,
    KeepEmpty,
    OutputSeparator,
    Separator,
    /// An option that is not supported, by its name.
    Missing(&'static str),
}

const fn missing(letter: char, name: &'static str) -> Opt<Flag> {
    Opt::required(Flag::Missing(name), letter, name, "columns", "")
}

static SPEC: Spec<Flag> = Spec::new(
    "column",
    UTIL_LINUX,
    &["[options] [<file>...]"],
    "\nColumnate lists.",
    &[
        Opt::flag(Flag::Table, 't', "table", "create a table"),
        Opt::required(
            Flag::TableName,
            'n',
            "table-name",
            "name",
            "table name for JSON output",
        ),
        Opt::required(
            Flag::TableOrder,
            'O',
            "table-order",
            "columns",
            "specify order of output columns",
        ),
        Opt::required(
            Flag::TableColumns,
            'N',
            "table-columns",
            "names",
            "comma separated columns names",
        ),
        Opt::required(
            Flag::ColumnsLimit,
            'l',
            "table-columns-limit",
            "num",
            "maximal number of input columns",
        ),
        missing('E', "table-noextreme"),
        Opt::flag(Flag::NoHeadings, 'd', "table-noheadings", "don't print header"),
        Opt::flag(
            Flag::HeaderRepeat,
            'e',
            "table-header-repeat",
            "repeat header for each page",
        ),
        Opt::required(
            Flag::Hide,
            'H',
            "table-hide",
            "columns",
            "don't print the columns",
        ),
        Opt::required(
            Flag::Right,
            'R',
            "table-right",
            "columns",
            "right align text in these columns",
        ),
        missing('T', "table-truncate"),
        missing('W', "table-wrap"),
        Opt::flag(
            Flag::KeepEmpty,
            'L',
            "keep-empty-lines",
            "don't ignore empty lines",
        ),
        Opt::long(Flag::KeepEmpty, "table-empty-lines", ""),
        Opt::flag(Flag::Json, 'J', "json", "use JSON output format for table"),
        missing('r', "tree"),
        missing('i', "tree-id"),
        missing('p', "tree-parent"),
        Opt::required(
            Flag::Columns,
            'c',
            "output-width",
            "width",
            "width of output in number of characters",
        ),
        Opt::long(Flag::Columns, "columns", "").takes("width"),
        Opt::required(
            Flag::OutputSeparator,
            'o',
            "output-separator",
            "string",
            "columns separator for table output (default is two spaces)",
        ),
        Opt::required(
            Flag::Separator,
            's',
            "separator",
            "string",
            "possible table delimiters",
        ),
        Opt::flag(Flag::FillRows, 'x', "fillrows", "fill rows before columns"),
    ],
)
.help_letter('h')
.version_letter('V')
.notes("For more details see column(1).");

/// What is made of the lines.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Mode {
    /// Lists.
    Fill(Fill),
    /// A table.
    Table,
}

/// What to do.
pub struct Options {
    /// A list or a table.
    pub mode: Mode,
    /// The width of lists.
    pub width: usize,
    /// Empty lines count.
    pub keep_empty: bool,
    /// Print JSON.
    pub json: bool,
    /// The name of the table in JSON.
    pub name: Vec<u8>,
    /// The names of the columns.
    pub names: Vec<Vec<u8>>,
    /// Print the names.
    pub headings: bool,
    /// Columns that come first.
    pub order: Vec<Vec<u8>>,
    /// Columns that are not shown.
    pub hidden: Vec<Vec<u8>>,
    /// Columns whose text is at the right.
    pub right: Vec<Vec<u8>>,
    /// No more cells a row.
    pub limit: Option<usize>,
    /// What parts cells; `None`: runs of blanks.
    pub delimiters: Option<Vec<u8>>,
    /// What is printed between columns.
    pub separator: Vec<u8>,
    /// The operands.
    pub paths: Vec<Vec<u8>>,
}

fn list(text: Option<&[u8]>) -> Vec<Vec<u8>> {
    let names = text.map(|text| text.split(|byte| *byte == b','));
    names.into_iter().flatten().map(<[u8]>::to_vec).collect()
}

/// The exclusive options that were given both.
fn check_together(parsed: &Parsed<Flag>) -> Result<(), UsageError> {
    let table = parsed.has(Flag::Table);
    let exclusive = [(parsed.has(Flag::Json), "--json"), (table, "--table")];
    for (given, name) in exclusive {
        if given && parsed.has(Flag::FillRows) {
            let message = message!("mutually exclusive arguments: ", name, " --fillrows");
            return Err(UsageError::plain(1, message));
        }
    }
    let needs_table = [
        Flag::TableOrder,
        Flag::TableColumns,
        Flag::Hide,
        Flag::Right,
        Flag::ColumnsLimit,
    ];
    if !table && !parsed.has(Flag::Json) && needs_table.iter().any(|flag| parsed.has(*flag)) {
        let message = "option --table required for all --table-*";
        return Err(UsageError::plain(1, message));
    }
    if parsed.has(Flag::Json) && !parsed.has(Flag::TableColumns) {
        let message = "option --table-columns required for --json";
        return Err(UsageError::plain(1, message));
    }
    Ok(())
}

fn width(text: &[u8]) -> Result<usize, UsageError> {
    if text == b"unlimited" {
        return Ok(usize::MAX);
    }
    let value = std::str::from_utf8(text)
        .ok()
        .and_then(|text| text.parse::<i64>().ok());
    let range = if value.is_some() {
        ": Numerical result out of range"
    } else {
        ""
    };
    value
        .and_then(|value| usize::try_from(value).ok())
        .ok_or_else(|| {
            let message = message!("invalid columns argument: '", text, "'", range);
            UsageError::plain(1, message)
        })
}

impl Options {
    /// Reads the command line; `columns` is the variable of that name.
    pub fn from_arguments(arguments: &[Vec<u8>], columns: Option<&[u8]>) -> Result<Options, UsageError> {
        let parsed = SPEC.parse(arguments)?;
        let mut shown = columns
            .and_then(|text| width(text).ok())
            .filter(|width| *width > 0);
        let mut limit = None;
        for (flag, value) in &parsed.options {
            let text = value.as_deref().unwrap_or_default();
            match flag {
                Flag::Missing(name) => {
                    return Err(UsageError::plain(1, format!("option --{name} is not supported")));
                }
                Flag::Columns => shown = Some(width(text)?),
                Flag::ColumnsLimit => {
                    let number = std::str::from_utf8(text).ok().and_then(|text| text.parse().ok());
                    limit = Some(number.filter(|number| *number > 0).ok_or_else(|| {
                        let message = message!("invalid columns limit argument: '", text, "'");
                        UsageError::plain(1, message)
                    })?);
                }
                _ => {}
            }
        }
        check_together(&parsed)?;
        let json = parsed.has(Flag::Json);
        let mode = match (parsed.has(Flag::Table) || json, parsed.has(Flag::FillRows)) {
            (true, _) => Mode::Table,
            (false, true) => Mode::Fill(Fill::Rows),
            (false, false) => Mode::Fill(Fill::Columns),
        };
        Ok(Options {
            mode,
            width: shown.unwrap_or(80),
            keep_empty: parsed.has(Flag::KeepEmpty),
            json,
            name: parsed.last(Flag::TableName).unwrap_or(b"table").to_vec(),
            names: list(parsed.last(Flag::TableColumns)),
            headings: !parsed.has(Flag::NoHeadings),
            order: list(parsed.last(Flag::TableOrder)),
            hidden: list(parsed.last(Flag::Hide)),
            right: list(parsed.last(Flag::Right)),
            limit,
            delimiters: parsed.last(Flag::Separator).map(<[u8]>::to_vec),
            separator: parsed.last(Flag::OutputSeparator).unwrap_or(b"  ").to_vec(),
            paths: parsed.operands,
        })
    }
}
