//! The command line of `ls`: its flags, its words, its help.

use super::options::{Format, Indicator, Sort, TimeKind};
use crate::args::{COREUTILS, Opt, Spec};

/// One flag.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Flag {
    All,
    AlmostAll,
    Author,
    Escape,
    BlockSize,
    IgnoreBackups,
    ChangeTime,
    Columns,
    Color,
    Directory,
    Dired,
    Unsorted,
    Classify,
    FileType,
    Format,
    FullTime,
    NoOwner,
    GroupDirectoriesFirst,
    NoGroup,
    HumanReadable,
    Si,
    DereferenceArguments,
    DereferenceArgumentDirectories,
    Hide,
    Hyperlink,
    IndicatorStyle,
    Inode,
    Ignore,
    Kibibytes,
    Long,
    Dereference,
    Commas,
    NumericIds,
    Literal,
    LongWithoutGroup,
    Slash,
    HideControlCharacters,
    ShowControlCharacters,
    QuoteName,
    QuotingStyle,
    Reverse,
    Recursive,
    Size,
    SortBySize,
    Sort,
    Time,
    TimeStyle,
    SortByTime,
    TabSize,
    AccessTime,
    NoSort,
    SortByVersion,
    Width,
    Across,
    SortByExtension,
    Context,
    Zero,
    One,
}

/// Whether to do something that suits terminals.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum When {
    Always,
    Never,
    Auto,
}

pub const WHENS: &[(&str, When)] = &[
    ("always", When::Always),
    ("yes", When::Always),
    ("force", When::Always),
    ("never", When::Never),
    ("no", When::Never),
    ("none", When::Never),
    ("auto", When::Auto),
    ("tty", When::Auto),
    ("if-tty", When::Auto),
];

pub const SORTS: &[(&str, Sort)] = &[
    ("none", Sort::None),
    ("time", Sort::Time),
    ("size", Sort::Size),
    ("extension", Sort::Extension),
    ("version", Sort::Version),
    ("width", Sort::Width),
];

pub const TIMES: &[(&str, TimeKind)] = &[
    ("atime", TimeKind::Access),
    ("access", TimeKind::Access),
    ("use", TimeKind::Access),
    ("ctime", TimeKind::Change),
    ("status", TimeKind::Change),
    ("birth", TimeKind::Birth),
    ("creation", TimeKind::Birth),
];

pub const FORMATS: &[(&str, Format)] = &[
    ("verbose", Format::Long),
    ("long", Format::Long),
    ("commas", Format::Commas),
    ("horizontal", Format::Across),
    ("across", Format::Across),
    ("vertical", Format::Columns),
    ("single-column", Format::OneColumn),
];

pub const INDICATORS: &[(&str, Indicator)] = &[
    ("none", Indicator::None),
    ("slash", Indicator::Slash),
    ("file-type", Indicator::FileType),
    ("classify", Indicator::Classify),
];

/// `ls`, `dir` and `vdir` have one command line.
pub static SPEC: Spec<Flag> = COMMON;
/// That of `dir`.
pub static DIR_SPEC: Spec<Flag> = Spec {
    name: "dir",
    ..COMMON
};
/// That of `vdir`.
pub static VDIR_SPEC: Spec<Flag> = Spec {
    name: "vdir",
    ..COMMON
};

const COMMON: Spec<Flag> = Spec::new(
    "ls",
    COREUTILS,
    &["[OPTION]... [FILE]..."],
    "List information about the FILEs (the current directory by default).\nSort entries alphabetically if none of -cftuvSUX nor --sort is specified.\n\nMandatory arguments to long options are mandatory for short options too.",
    &[
        Opt::flag(Flag::All, 'a', "all", "do not ignore entries starting with ."),
        Opt::flag(Flag::AlmostAll, 'A', "almost-all", "do not list implied . and .."),
        Opt::long(Flag::Author, "author", "with -l, print the author of each file"),
        Opt::flag(Flag::Escape, 'b', "escape", "print C-style escapes for nongraphic characters"),
        Opt::long(
            Flag::BlockSize,
            "block-size",
            "with -l, scale sizes by SIZE when printing them;\ne.g., '--block-size=M'; see SIZE format below",
        )
        .takes("SIZE"),
        Opt::flag(
            Flag::IgnoreBackups,
            'B',
            "ignore-backups",
            "do not list implied entries ending with ~",
        ),
        Opt::short(
            Flag::ChangeTime,
            'c',
            "with -lt: sort by, and show, ctime (time of last\nmodification of file status information);\nwith -l: show ctime and sort by name;\notherwise: sort by ctime, newest first",
        ),
        Opt::short(Flag::Columns, 'C', "list entries by columns"),
        Opt::long(Flag::Color, "color", "color the output WHEN; more info below").may_take("WHEN"),
        Opt::flag(
            Flag::Directory,
            'd',
            "directory",
            "list directories themselves, not their contents",
        ),
        Opt::flag(
            Flag::Dired,
            'D',
            "dired",
            "generate output designed for Emacs' dired mode",
        ),
        Opt::short(Flag::Unsorted, 'f', "list all entries in directory order"),
        Opt::short(
            Flag::Classify,
            'F',
            "append indicator (one of */=>@|) to entries WHEN",
        ),
        Opt::long(Flag::Classify, "classify", "").may_take("WHEN"),
        Opt::long(Flag::FileType, "file-type", "likewise, except do not append '*'"),
        Opt::long(
            Flag::Format,
            "format",
            "across -x, commas -m, horizontal -x, long -l,\nsingle-column -1, verbose -l, vertical -C",
        )
        .takes("WORD"),
        Opt::long(Flag::FullTime, "full-time", "like -l --time-style=full-iso"),
        Opt::short(Flag::NoOwner, 'g', "like -l, but do not list owner"),
        Opt::long(
            Flag::GroupDirectoriesFirst,
            "group-directories-first",
            "group directories before files;\ncan be augmented with a --sort option, but any\nuse of --sort=none (-U) disables grouping",
        ),
        Opt::flag(
            Flag::NoGroup,
            'G',
            "no-group",
            "in a long listing, don't print group names",
        ),
        Opt::flag(
            Flag::HumanReadable,
            'h',
            "human-readable",
            "with -l and -s, print sizes like 1K 234M 2G etc.",
        ),
        Opt::long(Flag::Si, "si", "likewise, but use powers of 1000 not 1024"),
        Opt::flag(
            Flag::DereferenceArguments,
            'H',
            "dereference-command-line",
            "follow symbolic links listed on the command line",
        ),
        Opt::long(
            Flag::DereferenceArgumentDirectories,
            "dereference-command-line-symlink-to-dir",
            "follow each command line symbolic link\nthat points to a directory",
        ),
        Opt::long(
            Flag::Hide,
            "hide",
            "do not list implied entries matching shell PATTERN\n(overridden by -a or -A)",
        )
        .takes("PATTERN"),
        Opt::long(Flag::Hyperlink, "hyperlink", "hyperlink file names WHEN").may_take("WHEN"),
        Opt::long(
            Flag::IndicatorStyle,
            "indicator-style",
            "append indicator with style WORD to entry names:\nnone (default), slash (-p),\nfile-type (--file-type), classify (-F)",
        )
        .takes("WORD"),
        Opt::flag(Flag::Inode, 'i', "inode", "print the index number of each file"),
        Opt::required(
            Flag::Ignore,
            'I',
            "ignore",
            "PATTERN",
            "do not list implied entries matching shell PATTERN",
        ),
        Opt::flag(
            Flag::Kibibytes,
            'k',
            "kibibytes",
            "default to 1024-byte blocks for file system usage;\nused only with -s and per directory totals",
        ),
        Opt::short(Flag::Long, 'l', "use a long listing format"),
        Opt::flag(
            Flag::Dereference,
            'L',
            "dereference",
            "when showing file information for a symbolic\nlink, show information for the file the link\nreferences rather than for the link itself",
        ),
        Opt::short(
            Flag::Commas,
            'm',
            "fill width with a comma separated list of entries",
        ),
        Opt::flag(
            Flag::NumericIds,
            'n',
            "numeric-uid-gid",
            "like -l, but list numeric user and group IDs",
        ),
        Opt::flag(Flag::Literal, 'N', "literal", "print entry names without quoting"),
        Opt::short(
            Flag::LongWithoutGroup,
            'o',
            "like -l, but do not list group information",
        ),
        Opt::short(Flag::Slash, 'p', "append / indicator to directories"),
        Opt::flag(
            Flag::HideControlCharacters,
            'q',
            "hide-control-chars",
            "print ? instead of nongraphic characters",
        ),
        Opt::long(
            Flag::ShowControlCharacters,
            "show-control-chars",
            "show nongraphic characters as-is (the default,\nunless program is 'ls' and output is a terminal)",
        ),
        Opt::flag(
            Flag::QuoteName,
            'Q',
            "quote-name",
            "enclose entry names in double quotes",
        ),
        Opt::long(
            Flag::QuotingStyle,
            "quoting-style",
            "use quoting style WORD for entry names:\nliteral, locale, shell, shell-always,\nshell-escape, shell-escape-always, c, escape\n(overrides QUOTING_STYLE environment variable)",
        )
        .takes("WORD"),
        Opt::flag(Flag::Reverse, 'r', "reverse", "reverse order while sorting"),
        Opt::flag(Flag::Recursive, 'R', "recursive", "list subdirectories recursively"),
        Opt::flag(
            Flag::Size,
            's',
            "size",
            "print the allocated size of each file, in blocks",
        ),
        Opt::short(Flag::SortBySize, 'S', "sort by file size, largest first"),
        Opt::long(
            Flag::Sort,
            "sort",
            "sort by WORD instead of name: none (-U), size (-S),\ntime (-t), version (-v), extension (-X), width",
        )
        .takes("WORD"),
        Opt::long(
            Flag::Time,
            "time",
            "change the default of using modification times;\n  access time (-u): atime, access, use;\n  change time (-c): ctime, status;\n  birth time: birth, creation;\nwith -l, WORD determines which time to show;\nwith --sort=time, sort by WORD (newest first)",
        )
        .takes("WORD"),
        Opt::long(
            Flag::TimeStyle,
            "time-style",
            "time/date format with -l; see TIME_STYLE below",
        )
        .takes("TIME_STYLE"),
        Opt::short(Flag::SortByTime, 't', "sort by time, newest first; see --time"),
        Opt::required(
            Flag::TabSize,
            'T',
            "tabsize",
            "COLS",
            "assume tab stops at each COLS instead of 8",
        ),
        Opt::short(
            Flag::AccessTime,
            'u',
            "with -lt: sort by, and show, access time;\nwith -l: show access time and sort by name;\notherwise: sort by access time, newest first",
        ),
        Opt::short(Flag::NoSort, 'U', "do not sort; list entries in directory order"),
        Opt::short(
            Flag::SortByVersion,
            'v',
            "natural sort of (version) numbers within text",
        ),
        Opt::required(
            Flag::Width,
            'w',
            "width",
            "COLS",
            "set output width to COLS.  0 means no limit",
        ),
        Opt::short(Flag::Across, 'x', "list entries by lines instead of by columns"),
        Opt::short(Flag::SortByExtension, 'X', "sort alphabetically by entry extension"),
        Opt::flag(
            Flag::Context,
            'Z',
            "context",
            "print any security context of each file",
        ),
        Opt::long(Flag::Zero, "zero", "end each output line with NUL, not newline"),
        Opt::short(Flag::One, '1', "list one file per line"),
    ],
)
.fails_with(2)
.long_order(&[
    "all",
    "escape",
    "directory",
    "dired",
    "full-time",
    "group-directories-first",
    "human-readable",
    "inode",
    "kibibytes",
    "numeric-uid-gid",
    "no-group",
    "hide-control-chars",
    "reverse",
    "size",
    "width",
    "almost-all",
    "ignore-backups",
    "classify",
    "file-type",
    "si",
    "dereference-command-line",
    "dereference-command-line-symlink-to-dir",
    "hide",
    "ignore",
    "indicator-style",
    "dereference",
    "literal",
    "quote-name",
    "quoting-style",
    "recursive",
    "format",
    "show-control-chars",
    "sort",
    "tabsize",
    "time",
    "time-style",
    "zero",
    "color",
    "hyperlink",
    "block-size",
    "context",
    "author",
])
.notes(
    "The SIZE argument is an integer and optional unit (example: 10K is 10*1024).\nUnits are K,M,G,T,P,E,Z,Y (powers of 1024) or KB,MB,... (powers of 1000).\nBinary prefixes can be used, too: KiB=K, MiB=M, and so on.\n\nThe TIME_STYLE argument can be full-iso, long-iso, iso, locale, or +FORMAT.\nFORMAT is interpreted like in date(1).  If FORMAT is FORMAT1<newline>FORMAT2,\nthen FORMAT1 applies to non-recent files and FORMAT2 to recent files.\nTIME_STYLE prefixed with 'posix-' takes effect only outside the POSIX locale.\nAlso the TIME_STYLE environment variable sets the default style to use.\n\nThe WHEN argument defaults to 'always' and can also be 'auto' or 'never'.\n\nUsing color to distinguish file types is disabled both by default and\nwith --color=never.  With --color=auto, ls emits color codes only when\nstandard output is connected to a terminal.  The LS_COLORS environment\nvariable can change the settings.  Use the dircolors(1) command to set it.\n\nExit status:\n 0  if OK,\n 1  if minor problems (e.g., cannot access subdirectory),\n 2  if serious trouble (e.g., cannot access command-line argument).",
);
