//! `ln`: makes hard and symbolic links.

use super::backup::{Backup, BackupFlags, Method};
use super::destination::DestinationFlags;
use super::message::{ask, complain, message};
use super::{path, usage};
use crate::args::{COREUTILS, Opt, Parsed, Spec, UsageError, quoteaf, quotef};
use crate::fs::{Errno, Existing, FileKind, Follow, Metadata};
use crate::kernel::{Proc, Program, Stop};

/// The program.
pub const PROGRAM: Program = Program {
    name: "ln",
    run: |proc| Box::pin(run(proc)),
};

#[derive(Clone, Copy, PartialEq)]
enum Flag {
    Backup,
    ShortBackup,
    Directory,
    Force,
    Interactive,
    Logical,
    NoDereference,
    Physical,
    Relative,
    Symbolic,
    Suffix,
    TargetDirectory,
    NoTargetDirectory,
    Verbose,
}

const BACKUP: BackupFlags<Flag> = BackupFlags {
    control: Flag::Backup,
    short: Flag::ShortBackup,
    suffix: Flag::Suffix,
};

const DESTINATION: DestinationFlags<Flag> = DestinationFlags {
    directory: Flag::TargetDirectory,
    no_directory: Flag::NoTargetDirectory,
};

static SPEC: Spec<Flag> = Spec::new(
    "ln",
    COREUTILS,
    &[
        "[OPTION]... [-T] TARGET LINK_NAME",
        "[OPTION]... TARGET",
        "[OPTION]... TARGET... DIRECTORY",
        "[OPTION]... -t DIRECTORY TARGET...",
    ],
    "In the 1st form, create a link to TARGET with the name LINK_NAME.\nIn the 2nd form, create a link to TARGET in the current directory.\nIn the 3rd and 4th forms, create links to each TARGET in DIRECTORY.\nCreate hard links by default, symbolic links with --symbolic.\nBy default, each destination (name of new link) should not already exist.\nWhen creating hard links, each TARGET must exist.  Symbolic links\ncan hold arbitrary text; if later resolved, a relative link is\ninterpreted in relation to its parent directory.",
    &[
        BACKUP.control_row(),
        BACKUP.short_row(),
        Opt::flag(
            Flag::Directory,
            'd',
            "directory",
            "allow the superuser to attempt to hard link\ndirectories (note: will probably fail due to\nsystem restrictions, even for the superuser)",
        ),
        Opt::short(Flag::Directory, 'F', ""),
        Opt::flag(Flag::Force, 'f', "force", "remove existing destination files"),
        Opt::flag(
            Flag::Interactive,
            'i',
            "interactive",
            "prompt whether to remove destinations",
        ),
        Opt::flag(
            Flag::Logical,
            'L',
            "logical",
            "dereference TARGETs that are symbolic links",
        ),
        Opt::flag(
            Flag::NoDereference,
            'n',
            "no-dereference",
            "treat LINK_NAME as a normal file if\nit is a symbolic link to a directory",
        ),
        Opt::flag(
            Flag::Physical,
            'P',
            "physical",
            "make hard links directly to symbolic links",
        ),
        Opt::flag(
            Flag::Relative,
            'r',
            "relative",
            "with -s, create links relative to link location",
        ),
        Opt::flag(
            Flag::Symbolic,
            's',
            "symbolic",
            "make symbolic links instead of hard links",
        ),
        BACKUP.suffix_row(),
        DESTINATION.directory_row("specify the DIRECTORY in which to create\nthe links"),
        DESTINATION.no_directory_row("treat LINK_NAME as a normal file always"),
        Opt::flag(Flag::Verbose, 'v', "verbose", "print name of each linked file"),
    ],
)
.long_order(&[
    "backup",
    "directory",
    "no-dereference",
    "no-target-directory",
    "force",
    "interactive",
    "suffix",
    "target-directory",
    "logical",
    "physical",
    "relative",
    "symbolic",
    "verbose",
]);

struct Options {
    symbolic: bool,
    relative: bool,
    force: bool,
    interactive: bool,
    /// Hard links go to what a symbolic link leads to.
    follow: Follow,
    directories: bool,
    verbose: bool,
    backup: Backup,
}

/// Hard links that this command made: they are not replaced by later ones.
type Made = Vec<(Vec<u8>, (u64, u64))>;

async fn run(proc: &mut Proc) -> Result<i32, Stop> {
    let mut parsed = usage::parse(proc, &SPEC).await?;
    let directory = target_directory(proc, &parsed);
    let directory = usage::accept(proc, directory).await?;
    let mut operands = std::mem::take(&mut parsed.operands);
    let checked = check(&parsed, &operands, directory.is_some());
    usage::accept(proc, checked).await?;
    let into = find_directory(proc, &parsed, &mut operands, directory);
    let into = usage::accept(proc, into).await?;
    let options = read_options(proc, &parsed);
    let options = usage::accept(proc, options).await?;
    let mut made = Made::new();
    let mut complete = true;
    match into {
        Some(directory) => {
            for source in &operands {
                let name = path::without_trailing_slashes(path::last_component(source));
                let at = path::concatenate(&directory, name);
                complete &= link(proc, &options, source, &at, &mut made).await?;
            }
        }
        None => {
            if let [source, at] = operands.as_slice() {
                complete = link(proc, &options, source, at, &mut made).await?;
            }
        }
    }
    Ok(i32::from(!complete))
}

/// The value of `-t`, which must be a directory already.
fn target_directory(proc: &Proc, parsed: &Parsed<Flag>) -> Result<Option<Vec<u8>>, UsageError> {
    let directory = DESTINATION.wanted(parsed)?.directory;
    if let Some(directory) = &directory {
        match proc.metadata(directory, Follow::Yes) {
            Ok(found) if found.kind == FileKind::Directory => {}
            Ok(_) => {
                let line = message!("target ", quoteaf(directory), " is not a directory");
                return Err(UsageError::plain(1, line));
            }
            Err(errno) => {
                let line = message!("failed to access ", quoteaf(directory), ": ", errno.message());
                return Err(UsageError::plain(1, line));
            }
        }
    }
    Ok(directory)
}

fn check(parsed: &Parsed<Flag>, operands: &[Vec<u8>], directory: bool) -> Result<(), UsageError> {
    let Some(first) = operands.first() else {
        return Err(SPEC.missing_file_operand());
    };
    if parsed.has(Flag::Relative) && !parsed.has(Flag::Symbolic) {
        return Err(UsageError::plain(1, "cannot do --relative without --symbolic"));
    }
    if !parsed.has(Flag::NoTargetDirectory) {
        return Ok(());
    }
    if directory {
        let line = "cannot combine --target-directory and --no-target-directory";
        return Err(UsageError::plain(1, line));
    }
    match operands {
        [_, _] => Ok(()),
        [_, _, extra, ..] => Err(SPEC.complain(message!("extra operand ", quoteaf(extra)))),
        _ => Err(SPEC.missing_destination(first)),
    }
}

/// The directory that links go into, taken off the operands; `None`: the last operand is the link.
fn find_directory(
    proc: &Proc,
    parsed: &Parsed<Flag>,
    operands: &mut Vec<Vec<u8>>,
    directory: Option<Vec<u8>>,
) -> Result<Option<Vec<u8>>, UsageError> {
    if parsed.has(Flag::NoTargetDirectory) {
        return Ok(None);
    }
    if operands.len() < 2 && directory.is_none() {
        return Ok(Some(b".".to_vec()));
    }
    let given = directory.is_some();
    let candidate = directory.or_else(|| operands.last().cloned()).unwrap_or_default();
    let follow = if parsed.has(Flag::NoDereference) {
        Follow::No
    } else {
        Follow::Yes
    };
    let errno = match proc.metadata(&candidate, follow) {
        Ok(found) if found.kind == FileKind::Directory => {
            if !given {
                operands.pop();
            }
            return Ok(Some(candidate));
        }
        Ok(_) => Errno::ENOTDIR,
        Err(errno) => errno,
    };
    if operands.len() == 2 && !given {
        return Ok(None);
    }
    let line = message!("target ", quoteaf(&candidate), ": ", errno.message());
    Err(UsageError::plain(1, line))
}

fn read_options(proc: &Proc, parsed: &Parsed<Flag>) -> Result<Options, UsageError> {
    let replacing = parsed.last_of(&[Flag::Force, Flag::Interactive]);
    Ok(Options {
        symbolic: parsed.has(Flag::Symbolic),
        relative: parsed.has(Flag::Relative),
        force: replacing == Some(Flag::Force),
        interactive: replacing == Some(Flag::Interactive),
        follow: match parsed.last_of(&[Flag::Logical, Flag::Physical]) {
            Some(Flag::Logical) => Follow::Yes,
            _ => Follow::No,
        },
        directories: parsed.has(Flag::Directory),
        verbose: parsed.has(Flag::Verbose),
        backup: Backup::from_options(proc, &SPEC, parsed, BACKUP)?,
    })
}

/// What is done about a destination that exists.
enum Room {
    /// Nothing is there, or nothing is to be done about it.
    Untouched,
    /// What still stands in the way goes; this is the backup of it.
    Made(Option<Vec<u8>>),
    /// The user wants to keep it.
    Declined,
    /// It cannot be replaced, and that was said.
    Refused,
}

async fn link(
    proc: &mut Proc,
    options: &Options,
    source: &[u8],
    at: &[u8],
    made: &mut Made,
) -> Result<bool, Stop> {
    let found = match check_source(proc, options, source).await? {
        Some(found) => found,
        None if options.symbolic => None,
        None => return Ok(false),
    };
    let relative = options.relative.then(|| relative_target(proc, source, at));
    let target = relative.as_deref().unwrap_or(source);
    let mut result = if options.relative {
        Err(Errno::EEXIST)
    } else {
        create(proc, options, target, at)
    };
    let mut backup = None;
    if result.is_err() {
        let mut replaces = false;
        let exists = options.relative || result == Err(Errno::EEXIST);
        match make_room(proc, options, target, at, found, made, exists).await? {
            Room::Untouched => {}
            Room::Made(moved) => (backup, replaces) = (moved, true),
            Room::Declined => return Ok(true),
            Room::Refused => return Ok(false),
        }
        result = create(proc, options, target, at);
        if result == Err(Errno::EEXIST) && replaces {
            result = proc.unlink(at).and_then(|()| create(proc, options, target, at));
        }
    }
    if let Err(errno) = result {
        proc.warn(failure(options, target, at, errno)).await?;
        if let Some(backup) = backup
            && let Err(errno) = proc.rename(&backup, at)
        {
            complain(proc, "cannot un-backup", at, errno).await?;
        }
        return Ok(false);
    }
    if let Some(found) = found {
        made.push((at.to_vec(), (found.device, found.inode)));
    }
    if options.verbose {
        let arrow = if options.symbolic { " -> " } else { " => " };
        let mut line = backup.map_or_else(Vec::new, |backup| message!(quoteaf(&backup), " ~ "));
        line.extend_from_slice(&message!(quoteaf(at), arrow, quoteaf(target), "\n"));
        proc.write(&line).await?;
    }
    Ok(true)
}

/// What a hard link goes to. `Some(None)` for symbolic links, `None` when it cannot be linked.
async fn check_source(
    proc: &mut Proc,
    options: &Options,
    source: &[u8],
) -> Result<Option<Option<Metadata>>, Stop> {
    if options.symbolic {
        return Ok(Some(None));
    }
    match proc.metadata(source, options.follow) {
        Ok(found) if found.kind == FileKind::Directory && !options.directories => {
            proc.warn(message!(quotef(source), ": hard link not allowed for directory"))
                .await?;
            Ok(None)
        }
        Ok(found) => Ok(Some(Some(found))),
        Err(errno) => {
            complain(proc, "failed to access", source, errno).await?;
            Ok(None)
        }
    }
}

fn create(proc: &Proc, options: &Options, target: &[u8], at: &[u8]) -> Result<(), Errno> {
    // `/` has no name that it could get in a directory.
    if options.symbolic && at == b"./" {
        Err(Errno::ENOENT)
    } else if options.symbolic {
        proc.symlink(target, at)
    } else {
        proc.link(target, at, options.follow)
    }
}

/// The target as it is written from where the link is.
fn relative_target(proc: &Proc, source: &[u8], at: &[u8]) -> Vec<u8> {
    let directory = proc.canonicalize(path::directory_name(at), Existing::None);
    let real = proc.canonicalize(source, Existing::None);
    match (directory, real) {
        (Ok(directory), Ok(real)) => path::relative_to(&real, &directory),
        _ => source.to_vec(),
    }
}

async fn make_room(
    proc: &mut Proc,
    options: &Options,
    source: &[u8],
    at: &[u8],
    found: Option<Metadata>,
    made: &Made,
    exists: bool,
) -> Result<Room, Stop> {
    if !(options.force || options.interactive || options.backup.is_on()) {
        return Ok(Room::Untouched);
    }
    let existing = match proc.metadata(at, Follow::No) {
        Ok(existing) => existing,
        Err(Errno::ENOENT) => return Ok(Room::Untouched),
        Err(errno) => {
            complain(proc, "failed to access", at, errno).await?;
            return Ok(Room::Refused);
        }
    };
    if let Some(line) = refusal(proc, options, source, at, found, made, &existing) {
        proc.warn(line).await?;
        return Ok(Room::Refused);
    }
    if !exists {
        return Ok(Room::Untouched);
    }
    if options.interactive && !ask(proc, &message!("replace ", quoteaf(at))).await? {
        return Ok(Room::Declined);
    }
    if !options.backup.is_on() {
        return Ok(Room::Made(None));
    }
    match options.backup.rename(proc, at) {
        Ok(backup) => Ok(Room::Made(Some(backup))),
        Err(Errno::ENOENT) => Ok(Room::Untouched),
        Err(errno) => {
            complain(proc, "cannot backup", at, errno).await?;
            Ok(Room::Refused)
        }
    }
}

/// Why the destination is not replaced.
fn refusal(
    proc: &Proc,
    options: &Options,
    source: &[u8],
    at: &[u8],
    found: Option<Metadata>,
    made: &Made,
    existing: &Metadata,
) -> Option<Vec<u8>> {
    let node = (existing.device, existing.inode);
    if existing.kind == FileKind::Directory {
        return Some(message!(quotef(at), ": cannot overwrite directory"));
    }
    let protects = options.force && !options.symbolic && options.backup.method != Method::Numbered;
    if protects && made.iter().any(|(path, made)| path == at && *made == node) {
        let (at, source) = (quoteaf(at), quoteaf(source));
        return Some(message!("will not overwrite just-created ", at, " with ", source));
    }
    let found = found.or_else(|| proc.metadata(source, Follow::Yes).ok())?;
    let same = (found.device, found.inode) == node && (found.nlink == 1 || same_name(proc, source, at));
    same.then(|| message!(quoteaf(source), " and ", quoteaf(at), " are the same file"))
}

/// Both paths are one name in one directory.
fn same_name(proc: &Proc, left: &[u8], right: &[u8]) -> bool {
    let directory = |of: &[u8]| {
        let found = proc.metadata(path::directory_name(of), Follow::Yes);
        found.map(|found| (found.device, found.inode))
    };
    path::base_name(left) == path::base_name(right) && directory(left) == directory(right)
}

fn failure(options: &Options, source: &[u8], at: &[u8], errno: Errno) -> Vec<u8> {
    let kind = if options.symbolic { "symbolic" } else { "hard" };
    let arrow = if options.symbolic { " -> " } else { " => " };
    let short = match errno {
        Errno::ENAMETOOLONG => false,
        _ if options.symbolic => !source.is_empty(),
        Errno::EDQUOT | Errno::EEXIST | Errno::ENOSPC | Errno::EROFS => true,
        _ => false,
    };
    let mut line = message!("failed to create ", kind, " link ", quoteaf(at));
    if errno == Errno::EMLINK && !options.symbolic {
        line = message!("failed to create hard link to ", quoteaf(source));
    } else if !short {
        line.extend_from_slice(&message!(arrow, quoteaf(source)));
    }
    message!(line, ": ", errno.message())
}
