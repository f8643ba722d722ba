//! What the command line and the environment of `df` come down to.

use crate::args::{BlockSize, COREUTILS, Opt, Parsed, Spec, UsageError, quote};
use crate::kernel::Proc;
use crate::program::block_unit;
use crate::program::message::message;
use crate::text::human::{Rounding, human_size};

#[derive(Clone, Copy, PartialEq)]
pub enum Flag {
    All,
    BlockSize,
    Human,
    Si,
    Inodes,
    Kibibytes,
    Local,
    NoSync,
    Output,
    Posix,
    Sync,
    Total,
    Type,
    PrintType,
    Exclude,
    Ignored,
}

pub static SPEC: Spec<Flag> = Spec::new(
    "df",
    COREUTILS,
    &["[OPTION]... [FILE]..."],
    "Show information about the file system on which each FILE resides,\nor all file systems by default.\n\nMandatory arguments to long options are mandatory for short options too.",
    &[
        Opt::flag(
            Flag::All,
            'a',
            "all",
            "include pseudo, duplicate, inaccessible file systems",
        ),
        Opt::required(
            Flag::BlockSize,
            'B',
            "block-size",
            "SIZE",
            "scale sizes by SIZE before printing them; e.g.,\n'-BM' prints sizes in units of 1,048,576 bytes;\nsee SIZE format below",
        ),
        Opt::flag(
            Flag::Human,
            'h',
            "human-readable",
            "print sizes in powers of 1024 (e.g., 1023M)",
        ),
        Opt::flag(
            Flag::Si,
            'H',
            "si",
            "print sizes in powers of 1000 (e.g., 1.1G)",
        ),
        Opt::flag(
            Flag::Inodes,
            'i',
            "inodes",
            "list inode information instead of block usage",
        ),
        Opt::short(Flag::Kibibytes, 'k', "like --block-size=1K"),
        Opt::flag(
            Flag::Local,
            'l',
            "local",
            "limit listing to local file systems",
        ),
        Opt::long(
            Flag::NoSync,
            "no-sync",
            "do not invoke sync before getting usage info (default)",
        ),
        Opt::long(
            Flag::Output,
            "output",
            "use the output format defined by FIELD_LIST,\nor print all fields if FIELD_LIST is omitted.",
        )
        .may_take("FIELD_LIST"),
        Opt::flag(
            Flag::Posix,
            'P',
            "portability",
            "use the POSIX output format",
        ),
        Opt::long(
            Flag::Sync,
            "sync",
            "invoke sync before getting usage info",
        ),
        Opt::long(
            Flag::Total,
            "total",
            "elide all entries insignificant to available space,\nand produce a grand total",
        ),
        Opt::required(
            Flag::Type,
            't',
            "type",
            "TYPE",
            "limit listing to file systems of type TYPE",
        ),
        Opt::flag(
            Flag::PrintType,
            'T',
            "print-type",
            "print file system type",
        ),
        Opt::required(
            Flag::Exclude,
            'x',
            "exclude-type",
            "TYPE",
            "limit listing to file systems not of type TYPE",
        ),
        Opt::short(Flag::Ignored, 'v', "(ignored)"),
    ],
)
.long_order(&[
    "all",
    "block-size",
    "inodes",
    "human-readable",
    "si",
    "local",
    "output",
    "portability",
    "print-type",
    "sync",
    "no-sync",
    "total",
    "type",
    "exclude-type",
]);

/// A column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Column {
    Source,
    Kind,
    Size,
    Used,
    Available,
    Percent,
    Nodes,
    NodesUsed,
    NodesFree,
    NodesPercent,
    File,
    Target,
}

/// The names of `--output`, in the order of all of them.
const FIELDS: &[(&str, Column)] = &[
    ("source", Column::Source),
    ("fstype", Column::Kind),
    ("itotal", Column::Nodes),
    ("iused", Column::NodesUsed),
    ("iavail", Column::NodesFree),
    ("ipcent", Column::NodesPercent),
    ("size", Column::Size),
    ("used", Column::Used),
    ("avail", Column::Available),
    ("pcent", Column::Percent),
    ("file", Column::File),
    ("target", Column::Target),
];

/// Which kind of table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    Usual,
    Posix,
    Fields,
}

/// What is wanted.
pub struct Options {
    pub all: bool,
    pub unit: BlockSize,
    pub form: Form,
    pub total: bool,
    pub columns: Vec<Column>,
    types: Vec<Vec<u8>>,
    excluded: Vec<Vec<u8>>,
}

impl Options {
    /// Reads options.
    pub fn read(proc: &Proc, parsed: &Parsed<Flag>) -> Result<Options, UsageError> {
        let fields = parsed.has(Flag::Output);
        let exclusive = [(Flag::Inodes, "-i"), (Flag::Posix, "-P"), (Flag::PrintType, "-T")];
        for (flag, name) in exclusive {
            if fields && parsed.has(flag) {
                let line = format!("options {name} and --output are mutually exclusive");
                return Err(SPEC.complain(line));
            }
        }
        let values = |wanted: Flag| {
            let values = parsed.options.iter().filter(move |(flag, _)| *flag == wanted);
            values.filter_map(|(_, value)| value.clone()).collect::<Vec<_>>()
        };
        let (types, excluded) = (values(Flag::Type), values(Flag::Exclude));
        if let Some(both) = types.iter().find(|name| excluded.contains(name)) {
            let line = message!("file system type ", quote(both), " both selected and excluded");
            return Err(UsageError::plain(1, line));
        }
        let form = if fields {
            Form::Fields
        } else if parsed.has(Flag::Posix) {
            Form::Posix
        } else {
            Form::Usual
        };
        Ok(Options {
            all: parsed.has(Flag::All),
            unit: unit(proc, parsed)?,
            form,
            total: parsed.has(Flag::Total),
            columns: columns(parsed)?,
            types,
            excluded,
        })
    }

    /// Whether mounts of this kind are listed.
    pub fn wants(&self, kind: &[u8]) -> bool {
        let named = |names: &[Vec<u8>]| names.iter().any(|name| name == kind);
        (self.types.is_empty() || named(&self.types)) && !named(&self.excluded)
    }

    /// `1K-blocks`, `Size`.
    pub fn size_header(&self) -> String {
        let size = match &self.unit {
            BlockSize::Human(_) => return "Size".to_owned(),
            BlockSize::Bytes(size) | BlockSize::Unit(size, _) => *size,
        };
        if self.form == Form::Posix {
            return format!("{size}-blocks");
        }
        let (mut thousands, mut binary) = (size, size);
        loop {
            let (by_1000, by_1024) = (thousands % 1000 == 0, binary % 1024 == 0);
            thousands /= 1000;
            binary /= 1024;
            if !(by_1000 && by_1024 && thousands > 0 && binary > 0) {
                return if by_1024 && !by_1000 {
                    format!("{}-blocks", plain(human_size(size, 1024, Rounding::Up)))
                } else {
                    format!("{}B-blocks", plain(human_size(size, 1000, Rounding::Up)))
                };
            }
        }
    }
}

/// `1.0K` as `1K`.
fn plain(size: String) -> String {
    size.replace(".0", "")
}

fn columns(parsed: &Parsed<Flag>) -> Result<Vec<Column>, UsageError> {
    if parsed.has(Flag::Output) {
        let mut columns = Vec::new();
        for list in parsed.values(Flag::Output) {
            for name in list.split(|byte| *byte == b',') {
                let found = FIELDS.iter().find(|(known, _)| known.as_bytes() == name);
                let Some((_, column)) = found else {
                    let line = message!("option --output: field ", quote(name), " unknown");
                    return Err(SPEC.complain(line));
                };
                if columns.contains(column) {
                    let line = message!("option --output: field ", quote(name), " used more than once");
                    return Err(SPEC.complain(line));
                }
                columns.push(*column);
            }
        }
        if columns.is_empty() {
            columns = FIELDS.iter().map(|(_, column)| *column).collect();
        }
        return Ok(columns);
    }
    let mut columns = vec![Column::Source];
    if parsed.has(Flag::PrintType) {
        columns.push(Column::Kind);
    }
    columns.extend(if parsed.has(Flag::Inodes) {
        [
            Column::Nodes,
            Column::NodesUsed,
            Column::NodesFree,
            Column::NodesPercent,
        ]
    } else {
        [Column::Size, Column::Used, Column::Available, Column::Percent]
    });
    columns.push(Column::Target);
    Ok(columns)
}

/// The last option for the unit, else the environment.
fn unit(proc: &Proc, parsed: &Parsed<Flag>) -> Result<BlockSize, UsageError> {
    let mut unit = None;
    for (flag, value) in &parsed.options {
        let text = value.as_deref().unwrap_or_default();
        unit = Some(match flag {
            Flag::BlockSize => {
                let option = block_unit::spelling(proc, b"--b", "-B", "--block-size");
                block_unit::parse(text, option, 1)?
            }
            Flag::Human => BlockSize::Human(1024),
            Flag::Si => BlockSize::Human(1000),
            Flag::Kibibytes => BlockSize::Bytes(1024),
            _ => continue,
        });
    }
    Ok(unit.unwrap_or_else(|| block_unit::of_environment(proc, b"DF_BLOCK_SIZE")))
}
