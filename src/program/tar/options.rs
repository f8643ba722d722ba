//! The command line of `tar`, with the old form whose first word is letters without a dash.

use super::transform::{Transform, Wrong};
use crate::args::{Complaint, Opt, Spec, TAR, UsageError};
use crate::pattern::{Pattern, PatternOptions};
use crate::text::mode::ModeChange;

/// An option.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Flag {
    Create,
    Extract,
    List,
    Append,
    File,
    Gzip,
    AutoCompress,
    Verbose,
    Directory,
    Stdout,
    Preserve,
    Keep,
    SkipOld,
    Strip,
    Exclude,
    FilesFrom,
    Null,
    NumericOwner,
    AbsoluteNames,
    Dereference,
    NoRecursion,
    Sort,
    Owner,
    Group,
    Ignored,
    Touch,
    Mtime,
    Mode,
    Format,
    Transform,
    Wildcards(bool),
    NoAnchored,
    ExcludeFrom,
    ExcludeVcs,
    Program,
    OneTopLevel,
    RemoveFiles,
    ShowTransformed,
    Overwrite,
    /// One that is not supported, by its name.
    Missing(&'static str),
}

const fn missing(name: &'static str) -> Opt<Flag> {
    Opt::long(Flag::Missing(name), name, "").may_take("X")
}

/// The options.
pub static SPEC: Spec<Flag> = Spec::new(
    "tar",
    TAR,
    &["[OPTION...] [FILE]..."],
    "GNU 'tar' saves many files together into a single tape or disk archive, and can\nrestore individual files from the archive.",
    &[
        Opt::flag(Flag::Append, 'r', "append", "append files to the end of an archive"),
        Opt::flag(Flag::Create, 'c', "create", "create a new archive"),
        Opt::flag(Flag::List, 't', "list", "list the contents of an archive"),
        Opt::flag(Flag::Extract, 'x', "extract", "extract files from an archive"),
        Opt::long(Flag::Extract, "get", ""),
        Opt::short(Flag::Missing("concatenate"), 'A', ""),
        Opt::short(Flag::Missing("diff"), 'd', ""),
        Opt::short(Flag::Missing("update"), 'u', ""),
        missing("concatenate"),
        missing("delete"),
        missing("diff"),
        missing("update"),
        Opt::required(Flag::File, 'f', "file", "ARCHIVE", "use archive file or device ARCHIVE"),
        Opt::flag(Flag::Gzip, 'z', "gzip", "filter the archive through gzip"),
        Opt::long(Flag::Gzip, "gunzip", ""),
        Opt::long(Flag::Gzip, "ungzip", ""),
        Opt::flag(Flag::AutoCompress, 'a', "auto-compress", "use archive suffix to determine the compression program"),
        Opt::flag(Flag::Missing("bzip2"), 'j', "bzip2", ""),
        Opt::flag(Flag::Missing("xz"), 'J', "xz", ""),
        Opt::flag(Flag::Missing("compress"), 'Z', "compress", ""),
        missing("zstd"),
        missing("lzma"),
        Opt::required(Flag::Program, 'I', "use-compress-program", "PROG", "filter through PROG (must accept -d)"),
        Opt::flag(Flag::Verbose, 'v', "verbose", "verbosely list files processed"),
        Opt::required(Flag::Directory, 'C', "directory", "DIR", "change to directory DIR"),
        Opt::flag(Flag::Stdout, 'O', "to-stdout", "extract files to standard output"),
        Opt::flag(Flag::Preserve, 'p', "preserve-permissions", "extract information about file permissions"),
        Opt::long(Flag::Preserve, "same-permissions", ""),
        Opt::flag(Flag::Keep, 'k', "keep-old-files", "don't replace existing files when extracting"),
        Opt::long(Flag::SkipOld, "skip-old-files", "don't replace existing files when extracting, silently skip over them"),
        Opt::long(Flag::Strip, "strip-components", "strip NUMBER leading components from file names").takes("NUMBER"),
        Opt::long(Flag::Exclude, "exclude", "exclude files, given as a PATTERN").takes("PATTERN"),
        Opt::required(Flag::FilesFrom, 'T', "files-from", "FILE", "get names to extract or create from FILE"),
        Opt::long(Flag::Null, "null", "-T reads null-terminated names"),
        Opt::long(Flag::NumericOwner, "numeric-owner", "always use numbers for user/group names"),
        Opt::flag(Flag::AbsoluteNames, 'P', "absolute-names", "don't strip leading '/'s from file names"),
        Opt::flag(Flag::Dereference, 'h', "dereference", "follow symlinks; archive and dump the files they point to"),
        Opt::long(Flag::NoRecursion, "no-recursion", "avoid descending automatically in directories"),
        Opt::long(Flag::Sort, "sort", "directory sorting order: none (default), name or inode").takes("ORDER"),
        Opt::long(Flag::Owner, "owner", "force NAME as owner for added files").takes("NAME"),
        Opt::long(Flag::Group, "group", "force NAME as group for added files").takes("NAME"),
        Opt::flag(Flag::Touch, 'm', "touch", "don't extract file modified time"),
        Opt::long(Flag::Ignored, "no-same-owner", ""),
        Opt::long(Flag::Overwrite, "overwrite", "overwrite existing files when extracting"),
        Opt::long(Flag::Ignored, "no-same-permissions", ""),
        Opt::long(Flag::Ignored, "no-auto-compress", ""),
        Opt::long(Flag::Transform, "transform", "use sed replace EXPRESSION to transform file names").takes("EXPRESSION"),
        Opt::long(Flag::Transform, "xform", "").takes("EXPRESSION"),
        Opt::long(Flag::ShowTransformed, "show-transformed-names", "show file or archive names after transformation"),
        Opt::long(Flag::ShowTransformed, "show-stored-names", ""),
        Opt::long(Flag::Wildcards(true), "wildcards", "use wildcards"),
        Opt::long(Flag::Wildcards(false), "no-wildcards", "verbatim string matching"),
        Opt::long(Flag::NoAnchored, "no-anchored", "patterns match after any '/'"),
        Opt::long(Flag::Mtime, "mtime", "set mtime for added files from DATE-OR-FILE").takes("DATE-OR-FILE"),
        missing("newer"),
        Opt::required(Flag::ExcludeFrom, 'X', "exclude-from", "FILE", "exclude patterns listed in FILE"),
        Opt::long(Flag::ExcludeVcs, "exclude-vcs", "exclude version control system directories"),
        missing("listed-incremental"),
        Opt::long(Flag::OneTopLevel, "one-top-level", "create a subdirectory to avoid having loose files extracted").may_take("DIR"),
        Opt::long(Flag::RemoveFiles, "remove-files", "remove files after adding them to the archive"),
        missing("totals"),
        missing("checkpoint"),
        Opt::long(Flag::Format, "format", "create archive of the given format").takes("FORMAT"),
        Opt::long(Flag::Mode, "mode", "force (symbolic) mode CHANGES for added files").takes("CHANGES"),
    ],
)
.fails_with(64)
.complains(Complaint::TryUsage);

/// What is done.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Mode {
    /// `-c`
    Create,
    /// `-x`
    Extract,
    /// `-t`
    List,
    /// `-r`
    Append,
}

/// A word of the command line that counts in order.
#[derive(Debug)]
pub enum Word {
    /// A file or member.
    Name(Vec<u8>),
    /// `-C`
    Directory(Vec<u8>),
    /// `-T`
    FilesFrom(Vec<u8>),
}

/// What to do.
#[derive(Debug)]
pub struct Options {
    /// What is done.
    pub mode: Mode,
    /// The archive; `-` is standard input or output.
    pub archive: Vec<u8>,
    /// Compress or decompress.
    pub gzip: bool,
    /// How much is said.
    pub verbose: u32,
    /// Names and directories in order.
    pub words: Vec<Word>,
    /// Data go to standard output.
    pub stdout: bool,
    /// Modes are those of the archive.
    pub preserve: bool,
    /// What exists stays, and is an error.
    pub keep: bool,
    /// What exists stays.
    pub skip_old: bool,
    /// Components to cut off.
    pub strip: usize,
    /// Patterns of names to leave out.
    pub exclude: Vec<Pattern>,
    /// Names in files end with NUL.
    pub null: bool,
    /// No names of users.
    pub numeric: bool,
    /// Leading slashes stay.
    pub absolute: bool,
    /// Links are followed.
    pub dereference: bool,
    /// Directories are not entered.
    pub shallow: bool,
    /// The time of extracted files is now.
    pub touch: bool,
    /// Whose the files are said to be.
    pub owner: Option<Account>,
    pub group: Option<Account>,
    /// The time of added files: a date, or a file that has it.
    pub mtime: Option<Vec<u8>>,
    /// A change of the modes of added files.
    pub mode_change: Option<ModeChange>,
    /// Names are changed.
    pub transform: Transform,
    /// Changed names are listed.
    pub show_transformed: bool,
    /// Names of members are patterns, if that was said.
    pub wildcards: Option<bool>,
    /// They match behind any slash.
    pub unanchored: bool,
    /// Files with patterns of names to leave out.
    pub exclude_from: Vec<Vec<u8>>,
    /// Everything is extracted into this directory.
    pub top_level: Option<Vec<u8>>,
    /// What exists is written into.
    pub overwrite: bool,
    /// Files are removed when they are in the archive.
    pub remove: bool,
}

/// An owner or a group: a name, a number, or both.
#[derive(Debug, Clone, PartialEq)]
pub struct Account {
    pub name: Option<Vec<u8>>,
    pub number: Option<u32>,
}

impl Account {
    fn parse(text: &[u8]) -> Option<Account> {
        let number = |digits: &[u8]| {
            let plain = !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
            let digits = std::str::from_utf8(digits).ok().filter(|_| plain)?;
            digits.parse::<u32>().ok()
        };
        if let Some(number) = number(text) {
            return Some(Account {
                name: None,
                number: Some(number),
            });
        }
        let (name, rest) = match memchr::memchr(b':', text) {
            Some(at) => (text.get(..at)?, text.get(at + 1..)?),
            None => (text, &b""[..]),
        };
        let number = match rest {
            [] if name.len() < text.len() => return None,
            [] => {
                return Some(Account {
                    name: Some(name.to_vec()),
                    number: None,
                });
            }
            rest => Some(number(rest)?),
        };
        Some(Account {
            name: (!name.is_empty()).then(|| name.to_vec()),
            number,
        })
    }
}

/// What `--exclude-vcs` leaves out.
const VERSION_CONTROL: &[&str] = &[
    "CVS",
    ".cvsignore",
    "RCS",
    "SCCS",
    ".git",
    ".gitignore",
    ".gitattributes",
    ".gitmodules",
    ".svn",
    ".arch-ids",
    "{arch}",
    "=RELEASE-ID",
    "=meta-update",
    "=update",
    ".bzr",
    ".bzrignore",
    ".bzrtags",
    ".hg",
    ".hgignore",
    ".hgtags",
    "_darcs",
];

/// The first word as letters, each with the argument that it takes.
fn modern(arguments: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let mut rest = arguments.iter();
    let Some(first) = rest
        .next()
        .filter(|first| !first.starts_with(b"-") && !first.is_empty())
    else {
        return arguments.to_vec();
    };
    let mut all = Vec::new();
    for letter in first {
        all.push(vec![b'-', *letter]);
        if b"fCTXI".contains(letter)
            && let Some(value) = rest.next()
        {
            all.push(value.clone());
        }
    }
    all.extend(rest.cloned());
    all
}

fn fatal(message: impl Into<Vec<u8>>) -> UsageError {
    SPEC.complain(message).with_status(2)
}

fn account(text: &[u8]) -> Result<Account, UsageError> {
    Account::parse(text).ok_or_else(|| {
        let number = text.rsplit(|byte| *byte == b':').next().unwrap_or_default();
        unrecoverable([number, b": Invalid owner or group ID"].concat())
    })
}

/// Only GNU's own format is written.
fn check_format(name: &[u8]) -> Result<(), UsageError> {
    match name {
        b"gnu" => Ok(()),
        b"oldgnu" | b"pax" | b"posix" | b"ustar" | b"v7" => {
            Err(fatal([b"--format=", name, b" is not supported"].concat()))
        }
        _ => Err(fatal([name, b": Invalid archive format"].concat())),
    }
}

fn wrong_transform(wrong: Wrong) -> UsageError {
    fatal(match wrong {
        Wrong::Expression => "Invalid transform expression".to_owned(),
        Wrong::Flag(flag) => format!("Unknown flag in transform expression: {}", char::from(flag)),
        Wrong::Regex(error) => format!("Invalid transform expression: {error}"),
        Wrong::Unsupported => "this transform expression is not supported".to_owned(),
    })
}

/// An error that says that it cannot be helped.
fn unrecoverable(message: impl Into<Vec<u8>>) -> UsageError {
    UsageError::plain(2, "Error is not recoverable: exiting now").after(message)
}

impl Options {
    /// Reads the command line. Names and `-C` count in their order, which the parser does not keep: so operands are marked first.
    pub fn from_arguments(arguments: &[Vec<u8>]) -> Result<Options, UsageError> {
        let arguments = modern(arguments);
        let parsed = SPEC.parse(&arguments)?;
        let mut mode = None;
        let mut options = Options {
            mode: Mode::List,
            archive: b"-".to_vec(),
            gzip: false,
            verbose: 0,
            words: Vec::new(),
            stdout: false,
            preserve: false,
            keep: false,
            skip_old: false,
            strip: 0,
            exclude: Vec::new(),
            null: false,
            numeric: false,
            absolute: false,
            dereference: false,
            shallow: false,
            touch: false,
            owner: None,
            group: None,
            mtime: None,
            mode_change: None,
            transform: Transform::default(),
            show_transformed: false,
            wildcards: None,
            unanchored: false,
            exclude_from: Vec::new(),
            top_level: None,
            overwrite: false,
            remove: false,
        };
        let mut auto = false;
        for (flag, value) in &parsed.options {
            let value = value.clone().unwrap_or_default();
            let chosen = match flag {
                Flag::Create => Mode::Create,
                Flag::Extract => Mode::Extract,
                Flag::List => Mode::List,
                Flag::Append => Mode::Append,
                _ => {
                    auto |= *flag == Flag::AutoCompress;
                    options.set(*flag, value)?;
                    continue;
                }
            };
            if mode.is_some_and(|mode| mode != chosen) {
                let message =
                    "You may not specify more than one '-Acdtrux', '--delete' or  '--test-label' option";
                return Err(fatal(message));
            }
            mode = Some(chosen);
        }
        let Some(mode) = mode else {
            let message = "You must specify one of the '-Acdtrux', '--delete' or '--test-label' options";
            return Err(fatal(message));
        };
        options.mode = mode;
        options.gzip |= auto && (options.archive.ends_with(b".gz") || options.archive.ends_with(b".tgz"));
        options.order_words(&arguments, &parsed.operands);
        let named = options
            .words
            .iter()
            .any(|word| !matches!(word, Word::Directory(_)));
        if mode == Mode::Create && !named {
            return Err(fatal("Cowardly refusing to create an empty archive"));
        }
        Ok(options)
    }

    fn set(&mut self, flag: Flag, value: Vec<u8>) -> Result<(), UsageError> {
        match flag {
            Flag::File => self.archive = value,
            Flag::Gzip => self.gzip = true,
            Flag::Verbose => self.verbose += 1,
            Flag::Stdout => self.stdout = true,
            Flag::Preserve => self.preserve = true,
            Flag::Keep => self.keep = true,
            Flag::SkipOld => self.skip_old = true,
            Flag::Strip => {
                let number = std::str::from_utf8(&value)
                    .ok()
                    .and_then(|text| text.parse().ok());
                self.strip = number.ok_or_else(|| {
                    let text = [value.as_slice(), b": Invalid number of elements"].concat();
                    fatal(text)
                })?;
            }
            Flag::Exclude => self.leave_out(&value),
            Flag::ExcludeFrom => self.exclude_from.push(value),
            Flag::ExcludeVcs => VERSION_CONTROL
                .iter()
                .for_each(|name| self.leave_out(name.as_bytes())),
            Flag::Null => self.null = true,
            Flag::NumericOwner => self.numeric = true,
            Flag::AbsoluteNames => self.absolute = true,
            Flag::Dereference => self.dereference = true,
            Flag::NoRecursion => self.shallow = true,
            // These say what is done anyway.
            Flag::Ignored => {}
            Flag::Touch => self.touch = true,
            Flag::Sort if value != b"name" && value != b"none" => {
                return Err(fatal("only --sort=name and --sort=none are supported"));
            }
            Flag::Missing(name) => return Err(fatal(format!("option --{name} is not supported"))),
            // In order below; directories are sorted anyway.
            Flag::Directory | Flag::FilesFrom | Flag::AutoCompress | Flag::Sort => {}
            flag => return self.set_further(flag, value),
        }
        Ok(())
    }

    /// Options about how files are stored and named.
    fn set_further(&mut self, flag: Flag, value: Vec<u8>) -> Result<(), UsageError> {
        match flag {
            Flag::Owner => self.owner = Some(account(&value)?),
            Flag::Group => self.group = Some(account(&value)?),
            Flag::Mtime => self.mtime = Some(value),
            Flag::Mode => match ModeChange::parse(&value) {
                Some(change) => self.mode_change = Some(change),
                None => return Err(unrecoverable("Invalid mode given on option")),
            },
            Flag::Format => check_format(&value)?,
            Flag::Transform => self.transform.add(&value).map_err(wrong_transform)?,
            Flag::ShowTransformed => self.show_transformed = true,
            Flag::Wildcards(on) => self.wildcards = Some(on),
            Flag::NoAnchored => self.unanchored = true,
            Flag::Program if matches!(value.as_slice(), b"gzip" | b"gunzip") => self.gzip = true,
            Flag::Program => {
                let text = [b"--use-compress-program=", value.as_slice(), b" is not supported"].concat();
                return Err(fatal(text));
            }
            Flag::OneTopLevel => self.top_level = Some(value),
            Flag::RemoveFiles => self.remove = true,
            Flag::Overwrite => self.overwrite = true,
            _ => {}
        }
        Ok(())
    }

    /// Adds a pattern of names to leave out.
    pub fn leave_out(&mut self, pattern: &[u8]) {
        let pattern = pattern.strip_suffix(b"/").unwrap_or(pattern);
        self.exclude
            .push(Pattern::compile(pattern, PatternOptions::default()));
    }

    /// Puts operands, `-C` and `-T` in the order in which they stand.
    fn order_words(&mut self, arguments: &[Vec<u8>], operands: &[Vec<u8>]) {
        let mut left = operands.iter().peekable();
        let mut rest = arguments.iter();
        while let Some(word) = rest.next() {
            match word.as_slice() {
                b"-C" | b"--directory" => self.words.extend(rest.next().cloned().map(Word::Directory)),
                b"-T" | b"--files-from" => self.words.extend(rest.next().cloned().map(Word::FilesFrom)),
                b"-f"
                | b"--file"
                | b"--exclude"
                | b"--strip-components"
                | b"--sort"
                | b"-X"
                | b"--exclude-from"
                | b"-I"
                | b"--use-compress-program"
                | b"--owner"
                | b"--group"
                | b"--mtime"
                | b"--mode"
                | b"--format"
                | b"--transform"
                | b"--xform" => {
                    rest.next();
                }
                [b'-', b'C', value @ ..] => self.words.push(Word::Directory(value.to_vec())),
                [b'-', b'T', value @ ..] => self.words.push(Word::FilesFrom(value.to_vec())),
                [b'-', b'-', name @ ..] if name.starts_with(b"directory=") => {
                    let value = name.get(10..).unwrap_or_default();
                    self.words.push(Word::Directory(value.to_vec()));
                }
                [b'-', b'-', name @ ..] if name.starts_with(b"files-from=") => {
                    let value = name.get(11..).unwrap_or_default();
                    self.words.push(Word::FilesFrom(value.to_vec()));
                }
                // A cluster of letters whose last one takes the next word.
                [b'-', letters @ ..]
                    if letters.last().is_some_and(|letter| b"fCTXI".contains(letter))
                        && !letters.starts_with(b"-") =>
                {
                    let value = rest.next().cloned();
                    match letters.last() {
                        Some(b'C') => self.words.extend(value.map(Word::Directory)),
                        Some(b'T') => self.words.extend(value.map(Word::FilesFrom)),
                        _ => {}
                    }
                }
                _ => {
                    if left.peek().is_some_and(|operand| *operand == word) {
                        left.next();
                        self.words.push(Word::Name(word.clone()));
                    }
                }
            }
        }
        self.words.extend(left.cloned().map(Word::Name));
    }
}
