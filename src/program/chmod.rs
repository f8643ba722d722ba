//! `chmod`: changes the permissions of files.
//!
//! A mode may look like options (`chmod -w file`, `chmod -r,+x file`): every argument whose first letter that is no option belongs to
//! a mode is one. Such modes are checked against a mask of zero afterwards, since `-w` under a mask takes away less than it says.

use super::attribute_change::{self, Report, refuses_root};
use super::message::{complain, message};
use super::usage;
use super::walk::{Links, Visit, Visited, Walk};
use crate::args::{COREUTILS, Opt, Parsed, Spec, UsageError, quote, quoteaf, quotef};
use crate::fs::{FileKind, Follow, Metadata};
use crate::kernel::{Proc, Program, Stop};
use crate::text::mode::{ModeChange, permission_letters};

/// The program.
pub const PROGRAM: Program = Program {
    name: "chmod",
    run: |proc| Box::pin(run(proc)),
};

#[derive(Clone, Copy, PartialEq)]
enum Flag {
    Changes,
    Silent,
    Verbose,
    NoPreserveRoot,
    PreserveRoot,
    Reference,
    Recursive,
}

static SPEC: Spec<Flag> = Spec::new(
    "chmod",
    COREUTILS,
    &[
        "[OPTION]... MODE[,MODE]... FILE...",
        "[OPTION]... OCTAL-MODE FILE...",
        "[OPTION]... --reference=RFILE FILE...",
    ],
    "Change the mode of each FILE to MODE.\nWith --reference, change the mode of each FILE to that of RFILE.",
    &[
        Opt::flag(
            Flag::Changes,
            'c',
            "changes",
            "like verbose but report only when a change is made",
        ),
        Opt::flag(Flag::Silent, 'f', "silent", "suppress most error messages"),
        Opt::long(Flag::Silent, "quiet", ""),
        Opt::flag(
            Flag::Verbose,
            'v',
            "verbose",
            "output a diagnostic for every file processed",
        ),
        Opt::long(
            Flag::NoPreserveRoot,
            "no-preserve-root",
            "do not treat '/' specially (the default)",
        ),
        Opt::long(
            Flag::PreserveRoot,
            "preserve-root",
            "fail to operate recursively on '/'",
        ),
        Opt::long(
            Flag::Reference,
            "reference",
            "use RFILE's mode instead of MODE values",
        )
        .takes("RFILE"),
        Opt::flag(
            Flag::Recursive,
            'R',
            "recursive",
            "change files and directories recursively",
        ),
    ],
)
.long_order(&[
    "changes",
    "recursive",
    "no-preserve-root",
    "preserve-root",
    "quiet",
    "reference",
    "silent",
    "verbose",
])
.notes("Each MODE is of the form '[ugoa]*([-+=]([rwxXst]*|[ugo]))+|[-+=][0-7]+'.");

/// What is printed about each file.
struct Options {
    change: ModeChange,
    report: Report,
    silent: bool,
    recursive: bool,
    preserve_root: bool,
    /// The mode looked like an option.
    diagnoses_surprises: bool,
}

/// What became of a file.
#[derive(Clone, Copy, PartialEq)]
enum Fate {
    NoStat,
    NotApplied,
    Failed,
    Changed,
    Retained,
}

async fn run(proc: &mut Proc) -> Result<i32, Stop> {
    let (arguments, dashed) = split_modes(proc.arguments());
    let parsed = usage::ordered(proc, &SPEC).parse(&arguments);
    let parsed = usage::accept(proc, parsed).await?;
    let read = read_options(proc, &parsed, dashed);
    let (options, operands) = usage::accept(proc, read).await?;
    let mut status = 0;
    for operand in operands {
        let mut walk = Walk::tidy(operand, Links::Operands);
        while let Some(visited) = walk.next(proc) {
            proc.kernel.breathe().await;
            if visited.visit == Visit::Leave {
                continue;
            }
            let refused = options.recursive && options.preserve_root && refuses_root(proc, &visited).await?;
            if refused || !options.recursive {
                walk.skip();
            }
            if refused || !change(proc, &visited, &options).await? {
                status = 1;
            }
        }
    }
    Ok(status)
}

/// Takes the arguments that are modes out: those whose first letter that is no option is one of a mode.
fn split_modes(arguments: &[Vec<u8>]) -> (Vec<Vec<u8>>, Option<Vec<u8>>) {
    let mut rest = Vec::new();
    let mut modes: Vec<&[u8]> = Vec::new();
    let mut takes_value = false;
    let mut ended = false;
    for argument in arguments {
        let is_mode = !ended && !takes_value && is_dashed_mode(argument);
        takes_value = !ended && argument == b"--reference";
        ended |= argument == b"--";
        if is_mode {
            modes.push(argument);
        } else {
            rest.push(argument.clone());
        }
    }
    let joined = (!modes.is_empty()).then(|| modes.join(&b','));
    (rest, joined)
}

fn is_dashed_mode(argument: &[u8]) -> bool {
    let Some(letters) = argument.strip_prefix(b"-") else {
        return false;
    };
    letters
        .iter()
        .find(|letter| !b"Rcfv".contains(letter))
        .is_some_and(|letter| b"rwxXstugoa,+=01234567".contains(letter))
}

fn read_options<'p>(
    proc: &Proc,
    parsed: &'p Parsed<Flag>,
    dashed: Option<Vec<u8>>,
) -> Result<(Options, &'p [Vec<u8>]), UsageError> {
    let reference = parsed.last(Flag::Reference);
    if reference.is_some() && dashed.is_some() {
        return Err(SPEC.complain("cannot combine mode and --reference options"));
    }
    let mut operands = parsed.operands.as_slice();
    let diagnoses_surprises = dashed.is_some();
    let mut mode = dashed;
    if reference.is_none()
        && mode.is_none()
        && let Some((first, rest)) = operands.split_first()
    {
        mode = Some(first.clone());
        if rest.is_empty() {
            return Err(SPEC.missing_operand_after(first));
        }
        operands = rest;
    }
    if operands.is_empty() {
        return Err(SPEC.missing_operand());
    }
    let change = match reference {
        Some(path) => ModeChange::exactly(attribute_change::reference(proc, path, Follow::Yes)?.mode),
        None => {
            let text = mode.unwrap_or_default();
            let invalid = || SPEC.complain(message!("invalid mode: ", quote(&text)));
            ModeChange::parse(&text).ok_or_else(invalid)?
        }
    };
    let preserve = parsed.last_of(&[Flag::PreserveRoot, Flag::NoPreserveRoot]);
    let options = Options {
        change,
        report: Report::from_options(parsed, Flag::Changes, Flag::Verbose),
        silent: parsed.has(Flag::Silent),
        recursive: parsed.has(Flag::Recursive),
        preserve_root: preserve == Some(Flag::PreserveRoot),
        diagnoses_surprises,
    };
    Ok((options, operands))
}

/// Changes one file; whether all went well.
async fn change(proc: &mut Proc, visited: &Visited, options: &Options) -> Result<bool, Stop> {
    let path = visited.path.as_slice();
    let problem = match visited.visit {
        Visit::Missing(errno) => Some(message!("cannot access ", quoteaf(path), ": ", errno.message())),
        Visit::Dangling => Some(message!("cannot operate on dangling symlink ", quoteaf(path))),
        Visit::Unreadable(errno) => {
            // The directory itself is done.
            complain(proc, "cannot read directory", path, errno).await?;
            return Ok(false);
        }
        _ => None,
    };
    let (Some(found), None) = (visited.metadata, &problem) else {
        if let Some(line) = problem
            && !options.silent
        {
            proc.warn(line).await?;
        }
        describe(proc, path, Fate::NoStat, (0, 0), options).await?;
        return Ok(false);
    };
    let directory = found.kind == FileKind::Directory;
    let new = options.change.apply(found.mode, directory, proc.umask);
    if found.kind == FileKind::Symlink {
        describe(proc, path, Fate::NotApplied, (found.mode, new), options).await?;
        return Ok(true);
    }
    if let Err(errno) = proc.set_mode(path, new, Follow::Yes) {
        if !options.silent {
            complain(proc, "changing permissions of", path, errno).await?;
        }
        describe(proc, path, Fate::Failed, (found.mode, new), options).await?;
        return Ok(false);
    }
    let now = proc.metadata(path, Follow::Yes).map_or(new, |found| found.mode);
    let fate = if now == found.mode {
        Fate::Retained
    } else {
        Fate::Changed
    };
    describe(proc, path, fate, (found.mode, new), options).await?;
    if options.diagnoses_surprises {
        return check_surprise(proc, path, &found, new, options).await;
    }
    Ok(true)
}

fn letters(mode: u32) -> String {
    String::from_utf8_lossy(&permission_letters(mode)).into_owned()
}

/// Complains when the mask kept bits that `-w` seems to take.
async fn check_surprise(
    proc: &mut Proc,
    path: &[u8],
    found: &Metadata,
    new: u32,
    options: &Options,
) -> Result<bool, Stop> {
    let expected = options
        .change
        .apply(found.mode, found.kind == FileKind::Directory, 0);
    if new & !expected == 0 {
        return Ok(true);
    }
    let (new, expected) = (letters(new), letters(expected));
    let line = message!(quotef(path), ": new permissions are ", new, ", not ", expected);
    proc.warn(line).await?;
    Ok(false)
}

async fn describe(
    proc: &mut Proc,
    path: &[u8],
    fate: Fate,
    (old, new): (u32, u32),
    options: &Options,
) -> Result<(), Stop> {
    if !options.report.tells(fate == Fate::Changed) {
        return Ok(());
    }
    let name = quoteaf(path);
    let mode = |mode: u32| format!("{:04o} ({})", mode, letters(mode));
    let line = match fate {
        Fate::NoStat => message!(name, " could not be accessed\n"),
        Fate::NotApplied => message!("neither symbolic link ", name, " nor referent has been changed\n"),
        Fate::Failed => message!(
            "failed to change mode of ",
            name,
            " from ",
            mode(old),
            " to ",
            mode(new),
            "\n"
        ),
        Fate::Changed => message!(
            "mode of ",
            name,
            " changed from ",
            mode(old),
            " to ",
            mode(new),
            "\n"
        ),
        Fate::Retained => message!("mode of ", name, " retained as ", mode(new), "\n"),
    };
    proc.write(&line).await
}
