//! The command line of `patch`. What it has no code for (`--merge`, `-D`, `-e`, `-g`, `-Z`, `-T`) is refused as an unknown option.

use crate::args::{Complaint, Opt, Package, Parsed, Spec, UsageError, choose};
use crate::kernel::Proc;
use crate::program::backup::{Backup, METHODS, Method};
use crate::program::message::message;

/// The form of a patch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    Unified,
    Context,
    Normal,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Flag {
    Strip,
    Fuzz,
    IgnoreBlanks,
    Context,
    Normal,
    Unified,
    Forward,
    Reverse,
    Input,
    Output,
    RejectFile,
    RemoveEmpty,
    Backup,
    BackupIfMismatch,
    NoBackupIfMismatch,
    VersionControl,
    Prefix,
    BasenamePrefix,
    Suffix,
    Batch,
    Force,
    Quiet,
    Verbose,
    DryRun,
    Directory,
    RejectFormat,
    Binary,
}

static SPEC: Spec<Flag> = Spec::new(
    "patch",
    Package::Line("GNU patch 2.7.6"),
    &["[OPTION]... [ORIGFILE [PATCHFILE]]"],
    "",
    &[
        Opt::flag(Flag::Backup, 'b', "backup", ""),
        Opt::required(Flag::Prefix, 'B', "prefix", "PREFIX", ""),
        Opt::flag(Flag::Context, 'c', "context", ""),
        Opt::required(Flag::Directory, 'd', "directory", "DIR", ""),
        Opt::flag(Flag::RemoveEmpty, 'E', "remove-empty-files", ""),
        Opt::flag(Flag::Force, 'f', "force", ""),
        Opt::required(Flag::Fuzz, 'F', "fuzz", "LINES", ""),
        Opt::required(Flag::Input, 'i', "input", "PATCHFILE", ""),
        Opt::flag(Flag::IgnoreBlanks, 'l', "ignore-whitespace", ""),
        Opt::flag(Flag::Normal, 'n', "normal", ""),
        Opt::flag(Flag::Forward, 'N', "forward", ""),
        Opt::required(Flag::Output, 'o', "output", "FILE", ""),
        Opt::required(Flag::Strip, 'p', "strip", "NUM", ""),
        Opt::required(Flag::RejectFile, 'r', "reject-file", "FILE", ""),
        Opt::flag(Flag::Reverse, 'R', "reverse", ""),
        Opt::flag(Flag::Quiet, 's', "quiet", ""),
        Opt::long(Flag::Quiet, "silent", ""),
        Opt::flag(Flag::Batch, 't', "batch", ""),
        Opt::flag(Flag::Unified, 'u', "unified", ""),
        Opt::required(Flag::VersionControl, 'V', "version-control", "STYLE", ""),
        Opt::required(Flag::BasenamePrefix, 'Y', "basename-prefix", "PREFIX", ""),
        Opt::required(Flag::Suffix, 'z', "suffix", "SUFFIX", ""),
        Opt::long(Flag::DryRun, "dry-run", ""),
        Opt::long(Flag::Verbose, "verbose", ""),
        Opt::long(Flag::Binary, "binary", ""),
        Opt::long(Flag::BackupIfMismatch, "backup-if-mismatch", ""),
        Opt::long(Flag::NoBackupIfMismatch, "no-backup-if-mismatch", ""),
        Opt::long(Flag::RejectFormat, "reject-format", "").takes("FORMAT"),
    ],
)
.own_help(HELP)
.version_letter('v')
.fails_with(2)
.complains(Complaint::NamedTry);

const HELP: &str = "\
Usage: {name} [OPTION]... [ORIGFILE [PATCHFILE]]

Input options:

  -p NUM  --strip=NUM  Strip NUM leading components from file names.
  -F LINES  --fuzz LINES  Set the fuzz factor to LINES for inexact matching.
  -l  --ignore-whitespace  Ignore white space changes between patch and input.

  -c  --context  Interpret the patch as a context difference.
  -n  --normal  Interpret the patch as a normal difference.
  -u  --unified  Interpret the patch as a unified difference.

  -N  --forward  Ignore patches that appear to be reversed or already applied.
  -R  --reverse  Assume patches were created with old and new files swapped.

  -i PATCHFILE  --input=PATCHFILE  Read patch from PATCHFILE instead of stdin.

Output options:

  -o FILE  --output=FILE  Output patched files to FILE.
  -r FILE  --reject-file=FILE  Output rejects to FILE.

  -E  --remove-empty-files  Remove output files that are empty after patching.

Backup and version control options:

  -b  --backup  Back up the original contents of each file.
  --backup-if-mismatch  Back up if the patch does not match exactly.
  --no-backup-if-mismatch  Back up mismatches only if otherwise requested.

  -V STYLE  --version-control=STYLE  Use STYLE version control.
\tSTYLE is either 'simple', 'numbered', or 'existing'.
  -B PREFIX  --prefix=PREFIX  Prepend PREFIX to backup file names.
  -Y PREFIX  --basename-prefix=PREFIX  Prepend PREFIX to backup file basenames.
  -z SUFFIX  --suffix=SUFFIX  Append SUFFIX to backup file names.

Miscellaneous options:

  -t  --batch  Ask no questions; skip bad-Prereq patches; assume reversed.
  -f  --force  Like -t, but ignore bad-Prereq patches, and assume unreversed.
  -s  --quiet  --silent  Work silently unless an error occurs.
  --verbose  Output extra information about the work being done.
  --dry-run  Do not actually change any files; just print what would happen.

  -d DIR  --directory=DIR  Change the working directory to DIR first.
  --reject-format=FORMAT  Create 'context' or 'unified' rejects.
  --binary  Read and write data in binary mode.

  -v  --version  Output version info.
  --help  Output this help.

Report bugs to <bug-patch@gnu.org>.
";

/// What is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd)]
pub enum Verbosity {
    Silent,
    Normal,
    Verbose,
}

/// What happens where a person would be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answers {
    /// The question is printed; nobody answers.
    Ask,
    /// A patch that is applied already is left out (`-N`).
    Forward,
    /// Patches are reversed when they seem to be (`-t`).
    Batch,
    /// Patches are as they are said to be (`-f`).
    Force,
}

/// What to do.
#[derive(Debug, Clone)]
pub struct Options {
    pub strip: Option<usize>,
    pub fuzz: i64,
    pub ignores_blanks: bool,
    pub form: Option<Form>,
    pub answers: Answers,
    pub reverse: bool,
    pub input: Option<Vec<u8>>,
    pub file: Option<Vec<u8>>,
    pub output: Option<Vec<u8>>,
    pub reject_file: Option<Vec<u8>>,
    pub reject_form: Option<Form>,
    pub removes_empty: bool,
    pub backs_up: bool,
    pub backs_up_mismatch: bool,
    pub backup: Backup,
    pub prefix: Vec<u8>,
    pub basename_prefix: Vec<u8>,
    pub verbosity: Verbosity,
    pub dry_run: bool,
    pub directory: Option<Vec<u8>>,
    pub binary: bool,
}

impl Options {
    fn new() -> Options {
        Options {
            strip: None,
            fuzz: 2,
            ignores_blanks: false,
            form: None,
            answers: Answers::Ask,
            reverse: false,
            input: None,
            file: None,
            output: None,
            reject_file: None,
            reject_form: None,
            removes_empty: false,
            backs_up: false,
            backs_up_mismatch: true,
            backup: Backup {
                method: Method::Existing,
                suffix: b".orig".to_vec(),
            },
            prefix: Vec::new(),
            basename_prefix: Vec::new(),
            verbosity: Verbosity::Normal,
            dry_run: false,
            directory: None,
            binary: false,
        }
    }

    /// Reads the command line and the environment.
    pub fn from_arguments(proc: &Proc) -> Result<Options, UsageError> {
        let parsed = SPEC.parse(proc.arguments())?;
        let mut options = Options::new();
        if let Some(suffix) = proc
            .variable(b"SIMPLE_BACKUP_SUFFIX")
            .filter(|suffix| !suffix.is_empty())
        {
            options.backup.suffix = suffix.to_vec();
        }
        let mut control = proc
            .variable(b"PATCH_VERSION_CONTROL")
            .or(proc.variable(b"VERSION_CONTROL"))
            .map(<[u8]>::to_vec);
        let simple = [Flag::Prefix, Flag::BasenamePrefix, Flag::Suffix]
            .iter()
            .any(|flag| parsed.has(*flag));
        let operands = options.take(parsed, &mut control)?;
        if let Some(control) = control.filter(|control| !control.is_empty()) {
            options.backup.method = choose(&control, METHODS).map_err(|_| invalid_control(&control))?;
        }
        if simple {
            options.backup.method = Method::Simple;
        }
        let mut operands = operands.into_iter();
        options.file = operands.next();
        options.input = operands.next().or(options.input);
        if let Some(extra) = operands.next() {
            return Err(SPEC.complain(message!(extra, ": extra operand")));
        }
        Ok(options)
    }

    fn take(
        &mut self,
        parsed: Parsed<Flag>,
        control: &mut Option<Vec<u8>>,
    ) -> Result<Vec<Vec<u8>>, UsageError> {
        for (flag, value) in parsed.options {
            let value = value.unwrap_or_default();
            match flag {
                Flag::Strip => self.strip = Some(count("strip count", &value)? as usize),
                Flag::Fuzz => self.fuzz = count("fuzz factor", &value)?,
                Flag::IgnoreBlanks => self.ignores_blanks = true,
                Flag::Context => self.form = Some(Form::Context),
                Flag::Normal => self.form = Some(Form::Normal),
                Flag::Unified => self.form = Some(Form::Unified),
                Flag::Forward => self.answers = Answers::Forward,
                Flag::Force => self.answers = Answers::Force,
                Flag::Batch => self.answers = Answers::Batch,
                Flag::Reverse => self.reverse = true,
                Flag::Input => self.input = Some(value),
                Flag::Output => self.output = Some(value),
                Flag::RejectFile => self.reject_file = Some(value),
                Flag::RemoveEmpty => self.removes_empty = true,
                Flag::Backup => self.backs_up = true,
                Flag::BackupIfMismatch => self.backs_up_mismatch = true,
                Flag::NoBackupIfMismatch => self.backs_up_mismatch = false,
                Flag::VersionControl => *control = Some(value),
                Flag::Prefix => self.prefix = value,
                Flag::BasenamePrefix => self.basename_prefix = value,
                Flag::Suffix => self.backup.suffix = value,
                Flag::Quiet => self.verbosity = Verbosity::Silent,
                Flag::Verbose => self.verbosity = Verbosity::Verbose,
                Flag::DryRun => self.dry_run = true,
                Flag::Directory => self.directory = Some(value),
                Flag::Binary => self.binary = true,
                Flag::RejectFormat => {
                    self.reject_form = Some(match value.as_slice() {
                        b"context" => Form::Context,
                        b"unified" => Form::Unified,
                        _ => return Err(SPEC.bare_usage()),
                    });
                }
            }
        }
        if (self.prefix.len() + self.basename_prefix.len()) > 0 && self.backup.suffix == b".orig" {
            self.backup.suffix.clear();
        }
        Ok(parsed.operands)
    }
}

fn count(what: &str, text: &[u8]) -> Result<i64, UsageError> {
    let scanned = std::str::from_utf8(text)
        .ok()
        .and_then(|text| text.parse::<i64>().ok());
    let problem = match scanned {
        None => " is not a number",
        Some(..0) => " is negative",
        Some(value) => return Ok(value),
    };
    Err(UsageError::plain(2, message!("**** ", what, " ", text, problem)))
}

fn invalid_control(control: &[u8]) -> UsageError {
    let message = message!(
        "invalid argument '",
        control,
        "' for '--version-control or -V option'"
    );
    UsageError::plain(2, message).with_lines(
        b"Valid arguments are:\n  - 'none', 'off'\n  - 'simple', 'never'\n  - 'existing', 'nil'\n  - 'numbered', 't'\n",
    )
}
