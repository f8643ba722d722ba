//! `install`: copies files and gives the copies a mode, or makes directories.
//!
//! The copying is that of `cp` with the destination removed first. Owners are changed where that is allowed; there is no `strip`.

use super::accounts::Accounts;
use super::backup::{Backup, BackupFlags};
use super::copy::{Copier, CopyOptions, Preserve};
use super::destination::{self, DestinationFlags, Wanted};
use super::message::{complain, message};
use super::{path, usage};
use crate::args::{COREUTILS, Opt, Parsed, Spec, UsageError, quote, quoteaf};
use crate::fs::{Errno, FileKind, Follow, Metadata};
use crate::kernel::{Input, Proc, Program, Stop};
use crate::text::mode::{Adjusted, ModeChange};

/// The program.
pub const PROGRAM: Program = Program {
    name: "install",
    run: |proc| Box::pin(run(proc)),
};

/// What files and directories get without `-m`.
const DEFAULT_MODE: u32 = 0o755;

#[derive(Clone, Copy, PartialEq)]
enum Flag {
    Backup,
    ShortBackup,
    Ignored,
    Compare,
    Directory,
    Parents,
    Group,
    Mode,
    Owner,
    Timestamps,
    Strip,
    StripProgram,
    Suffix,
    TargetDirectory,
    NoTargetDirectory,
    Verbose,
    PreserveContext,
    Context,
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
    "install",
    COREUTILS,
    &[
        "[OPTION]... [-T] SOURCE DEST",
        "[OPTION]... SOURCE... DIRECTORY",
        "[OPTION]... -t DIRECTORY SOURCE...",
        "[OPTION]... -d DIRECTORY...",
    ],
    "\nThis install program copies files (often just compiled) into destination\nlocations you choose.  If you want to download and install a ready-to-use\npackage on a GNU/Linux system, you should instead be using a package manager\nlike yum(1) or apt-get(1).\n\nIn the first three forms, copy SOURCE to DEST or multiple SOURCE(s) to\nthe existing DIRECTORY, while setting permission modes and owner/group.\nIn the 4th form, create all components of the given DIRECTORY(ies).\n\nMandatory arguments to long options are mandatory for short options too.",
    &[
        BACKUP.control_row(),
        BACKUP.short_row(),
        Opt::short(Flag::Ignored, 'c', "(ignored)"),
        Opt::flag(
            Flag::Compare,
            'C',
            "compare",
            "compare content of source and destination files, and\nif no change to content, ownership, and permissions,\ndo not modify the destination at all",
        ),
        Opt::flag(
            Flag::Directory,
            'd',
            "directory",
            "treat all arguments as directory names; create all\ncomponents of the specified directories",
        ),
        Opt::short(
            Flag::Parents,
            'D',
            "create all leading components of DEST except the last,\nor all components of --target-directory,\nthen copy SOURCE to DEST",
        ),
        Opt::required(
            Flag::Group,
            'g',
            "group",
            "GROUP",
            "set group ownership, instead of process' current group",
        ),
        Opt::required(
            Flag::Mode,
            'm',
            "mode",
            "MODE",
            "set permission mode (as in chmod), instead of rwxr-xr-x",
        ),
        Opt::required(
            Flag::Owner,
            'o',
            "owner",
            "OWNER",
            "set ownership (super-user only)",
        ),
        Opt::flag(
            Flag::Timestamps,
            'p',
            "preserve-timestamps",
            "apply access/modification times of SOURCE files\nto corresponding destination files",
        ),
        Opt::flag(Flag::Strip, 's', "strip", "strip symbol tables"),
        Opt::long(
            Flag::StripProgram,
            "strip-program",
            "program used to strip binaries",
        )
        .takes("PROGRAM"),
        BACKUP.suffix_row(),
        DESTINATION.directory_row("copy all SOURCE arguments into DIRECTORY"),
        DESTINATION.no_directory_row("treat DEST as a normal file"),
        Opt::flag(
            Flag::Verbose,
            'v',
            "verbose",
            "print the name of each directory as it is created",
        ),
        Opt::long(
            Flag::PreserveContext,
            "preserve-context",
            "preserve SELinux security context",
        ),
        Opt::short(
            Flag::Context,
            'Z',
            "set SELinux security context of destination\nfile and each created directory to default type",
        ),
        Opt::long(
            Flag::Context,
            "context",
            "like -Z, or if CTX is specified then set the\nSELinux or SMACK security context to CTX",
        )
        .may_take("CTX"),
    ],
)
.long_order(&[
    "backup",
    "context",
    "directory",
    "group",
    "mode",
    "no-target-directory",
    "owner",
    "preserve-timestamps",
    "preserve-context",
    "strip",
    "strip-program",
    "suffix",
    "target-directory",
    "verbose",
]);

struct Options {
    copy: CopyOptions,
    mode: u32,
    directory_mode: Adjusted,
    owner: Option<u32>,
    group: Option<u32>,
    compares: bool,
    parents: bool,
    strips: bool,
    verbose: bool,
}

/// Where things go.
enum Form {
    Directories,
    Into(Vec<u8>),
    At(Vec<u8>),
}

async fn run(proc: &mut Proc) -> Result<i32, Stop> {
    let parsed = usage::parse(proc, &SPEC).await?;
    let mut operands = parsed.operands.clone();
    let form = form(proc, &parsed, &mut operands);
    let form = usage::accept(proc, form).await?;
    let options = read_options(proc, &parsed);
    let options = usage::accept(proc, options).await?;
    warn_of_ignored(proc, &parsed, &options).await?;
    // Modes are what was said, whatever the mask is.
    proc.umask = 0;
    let mut status = 0;
    let mut copier = Copier::new(&options.copy, false);
    match form {
        Form::Directories => {
            for operand in &operands {
                status |= i32::from(!make_directory(proc, operand, &options).await?);
            }
        }
        Form::At(at) => {
            let ready = !options.parents || make_parents(proc, &at, &options).await?;
            for source in operands.iter().filter(|_| ready) {
                status |= i32::from(!install(proc, &mut copier, source, &at, &options).await?);
            }
            status |= i32::from(!ready);
        }
        Form::Into(directory) => {
            if options.parents && proc.metadata(&directory, Follow::Yes).is_err() {
                let inside = path::join(&directory, b"x");
                if !make_parents(proc, &inside, &options).await? {
                    return Ok(1);
                }
            }
            for source in &operands {
                let at = destination::name_in(&directory, source);
                status |= i32::from(!install(proc, &mut copier, source, &at, &options).await?);
            }
        }
    }
    Ok(status)
}

fn form(proc: &Proc, parsed: &Parsed<Flag>, operands: &mut Vec<Vec<u8>>) -> Result<Form, UsageError> {
    let plain = |line: &str| Err(UsageError::plain(1, line));
    let makes_directories = parsed.has(Flag::Directory);
    let Wanted {
        directory: target,
        no_directory,
    } = DESTINATION.wanted(parsed)?;
    if makes_directories && parsed.has(Flag::Strip) {
        return plain("the strip option may not be used when installing a directory");
    }
    if makes_directories && target.is_some() {
        return plain("target directory not allowed when installing a directory");
    }
    let least = usize::from(!(makes_directories || target.is_some())) + 1;
    if operands.len() < least {
        return Err(match operands.first() {
            Some(only) => SPEC.missing_destination(only),
            None => SPEC.missing_file_operand(),
        });
    }
    if no_directory {
        if target.is_some() {
            return plain("cannot combine --target-directory (-t) and --no-target-directory (-T)");
        }
        if let Some(extra) = operands.get(2) {
            return Err(SPEC.complain(message!("extra operand ", quoteaf(extra))));
        }
    } else if let Some(target) = target {
        return match destination::check_directory(proc, &target) {
            Err(errno) if !(parsed.has(Flag::Parents) && errno == Errno::ENOENT) => {
                let line = message!("failed to access ", quoteaf(&target), ": ", errno.message());
                Err(UsageError::plain(1, line))
            }
            _ => Ok(Form::Into(target)),
        };
    }
    if makes_directories {
        return Ok(Form::Directories);
    }
    let last = operands.pop().unwrap_or_default();
    if no_directory {
        return Ok(Form::At(last));
    }
    match destination::check_directory(proc, &last) {
        Ok(()) => Ok(Form::Into(last)),
        Err(errno) if operands.len() > 1 => {
            let line = message!("target ", quoteaf(&last), ": ", errno.message());
            Err(UsageError::plain(1, line))
        }
        Err(_) => Ok(Form::At(last)),
    }
}

/// The numbers of `-o` and `-g`.
fn owners(proc: &Proc, parsed: &Parsed<Flag>) -> Result<(Option<u32>, Option<u32>), UsageError> {
    let mut accounts = Accounts::default();
    let resolve = |name: &[u8], known: Option<u32>, what: &str| {
        let number = || std::str::from_utf8(name).ok()?.parse().ok();
        let invalid = || UsageError::plain(1, message!(what, quote(name)));
        known.or_else(number).ok_or_else(invalid)
    };
    let owner = parsed.last(Flag::Owner).map(|name| {
        let known = accounts.user_id(proc, name);
        resolve(name, known, "invalid user ")
    });
    let owner = owner.transpose()?;
    let group = parsed.last(Flag::Group).map(|name| {
        let known = accounts.group_id(proc, name);
        resolve(name, known, "invalid group ")
    });
    Ok((owner, group.transpose()?))
}

fn read_options(proc: &Proc, parsed: &Parsed<Flag>) -> Result<Options, UsageError> {
    let mut mode = DEFAULT_MODE;
    let mut directory_mode = Adjusted {
        mode: DEFAULT_MODE,
        concerned: 0o7777,
    };
    if let Some(text) = parsed.last(Flag::Mode) {
        let invalid = || UsageError::plain(1, message!("invalid mode ", quote(text)));
        let change = ModeChange::parse(text).ok_or_else(invalid)?;
        mode = change.apply(0, false, 0);
        directory_mode = change.adjust(0, true, 0);
    }
    let compares = parsed.has(Flag::Compare);
    if compares && parsed.has(Flag::Timestamps) {
        return Err(SPEC.complain("options --compare (-C) and --preserve-timestamps are mutually exclusive"));
    }
    if compares && parsed.has(Flag::Strip) {
        return Err(SPEC.complain("options --compare (-C) and --strip are mutually exclusive"));
    }
    let (owner, group) = owners(proc, parsed)?;
    let verbose = parsed.has(Flag::Verbose);
    Ok(Options {
        copy: CopyOptions {
            backup: Backup::from_options(proc, &SPEC, parsed, BACKUP)?,
            unlink_first: true,
            verbose,
            preserve: Preserve {
                times: parsed.has(Flag::Timestamps),
                ..Preserve::default()
            },
            mode: Some(0o600),
            ..CopyOptions::plain()
        },
        mode,
        directory_mode,
        owner,
        group,
        compares: compares && mode <= 0o777,
        parents: parsed.has(Flag::Parents),
        strips: parsed.has(Flag::Strip),
        verbose,
    })
}

async fn warn_of_ignored(proc: &mut Proc, parsed: &Parsed<Flag>, options: &Options) -> Result<(), Stop> {
    if parsed.has(Flag::StripProgram) && !options.strips {
        proc.warn("WARNING: ignoring --strip-program option as -s option was not specified")
            .await?;
    }
    if parsed.has(Flag::Compare) && options.mode > 0o777 {
        proc.warn("the --compare (-C) option is ignored when you specify a mode with non-permission bits")
            .await?;
    }
    if parsed.has(Flag::PreserveContext) {
        proc.warn("WARNING: ignoring --preserve-context; this kernel is not SELinux-enabled")
            .await?;
    }
    if parsed.values(Flag::Context).next().is_some() {
        proc.warn("warning: ignoring --context; it requires an SELinux/SMACK-enabled kernel")
            .await?;
    }
    Ok(())
}

/// Copies a file, unless `-C` finds that nothing would change.
async fn install(
    proc: &mut Proc,
    copier: &mut Copier<'_>,
    source: &[u8],
    at: &[u8],
    options: &Options,
) -> Result<bool, Stop> {
    if options.compares && is_installed(proc, source, at, options).await? {
        return Ok(true);
    }
    if !copier.copy(proc, source, at, false).await?.complete {
        return Ok(false);
    }
    if options.strips {
        proc.warn("cannot run strip: No such file or directory").await?;
        proc.warn("strip process terminated abnormally").await?;
        if let Err(errno) = proc.unlink(at) {
            complain(proc, "cannot unlink", at, errno).await?;
        }
        return Ok(false);
    }
    finish(proc, at, options).await
}

/// Gives owner and mode.
async fn finish(proc: &mut Proc, at: &[u8], options: &Options) -> Result<bool, Stop> {
    if (options.owner.is_some() || options.group.is_some())
        && let Err(errno) = proc.set_owner(at, options.owner, options.group, Follow::No)
    {
        complain(proc, "cannot change ownership of", at, errno).await?;
        return Ok(false);
    }
    if let Err(errno) = proc.set_mode(at, options.mode, Follow::Yes) {
        complain(proc, "cannot change permissions of", at, errno).await?;
        return Ok(false);
    }
    Ok(true)
}

/// Whether the copy that is there already has the contents, the mode and the owner.
async fn is_installed(proc: &mut Proc, source: &[u8], at: &[u8], options: &Options) -> Result<bool, Stop> {
    let (Ok(from), Ok(to)) = (proc.metadata(source, Follow::No), proc.metadata(at, Follow::No)) else {
        return Ok(false);
    };
    let plain = |found: &Metadata| found.kind == FileKind::Regular && found.mode <= 0o777;
    let same_owner =
        to.uid == options.owner.unwrap_or(proc.user.uid) && to.gid == options.group.unwrap_or(proc.user.gid);
    if !plain(&from) || !plain(&to) || from.size != to.size || to.mode != options.mode || !same_owner {
        return Ok(false);
    }
    let (Ok(left), Ok(right)) = (proc.open_operand(source).await, proc.open_operand(at).await) else {
        return Ok(false);
    };
    let (mut left, mut right) = (Input::new(left), Input::new(right));
    loop {
        let (Ok(one), Ok(other)) = (left.block().await, right.block().await) else {
            return Ok(false);
        };
        if one != other {
            return Ok(false);
        }
        if one.is_empty() {
            return Ok(true);
        }
        proc.charge(one.len() as u64 / 64 + 1)?;
    }
}

/// `-d`: makes a directory and what is missing above it, and gives it the mode even where it was there.
async fn make_directory(proc: &mut Proc, path: &[u8], options: &Options) -> Result<bool, Stop> {
    if !make_parents(proc, path, options).await? {
        return Ok(false);
    }
    match proc.make_dir(path, options.directory_mode.mode & 0o700) {
        Ok(()) => announce(proc, path, options).await?,
        Err(errno) => {
            let found = proc.metadata(path, Follow::Yes);
            if !found.is_ok_and(|found| found.kind == FileKind::Directory) {
                {
                    let shown = quote(path);
                    let line = message!("cannot create directory ", shown, ": ", errno.message());
                    proc.warn(line).await?;
                }
                return Ok(false);
            }
        }
    }
    let Adjusted { mode, concerned } = options.directory_mode;
    let kept = proc.metadata(path, Follow::Yes).map_or(0, |found| found.mode) & !concerned;
    if (options.owner.is_some() || options.group.is_some())
        && let Err(errno) = proc.set_owner(path, options.owner, options.group, Follow::Yes)
    {
        complain(proc, "cannot change ownership of", path, errno).await?;
        return Ok(false);
    }
    if let Err(errno) = proc.set_mode(path, mode | kept, Follow::Yes) {
        complain(proc, "cannot change permissions of", path, errno).await?;
        return Ok(false);
    }
    Ok(true)
}

/// Makes the directories above the last component.
async fn make_parents(proc: &mut Proc, path: &[u8], options: &Options) -> Result<bool, Stop> {
    let mut missing = Vec::new();
    let mut directory = path::directory_name(path);
    while !matches!(directory, b"." | b"/" | b"") {
        match proc.metadata(directory, Follow::Yes) {
            Ok(found) if found.kind == FileKind::Directory => break,
            Ok(_) => return refuse_parent(proc, directory, Errno::ENOTDIR, options).await,
            Err(_) => missing.push(directory.to_vec()),
        }
        directory = path::directory_name(directory);
    }
    for directory in missing.iter().rev() {
        if matches!(path::base_name(directory), b"." | b"..") {
            continue;
        }
        match proc.make_dir(directory, DEFAULT_MODE) {
            Ok(()) => announce(proc, directory, options).await?,
            Err(Errno::EEXIST) => {}
            Err(errno) => return refuse_parent(proc, directory, errno, options).await,
        }
    }
    Ok(true)
}

async fn refuse_parent(
    proc: &mut Proc,
    directory: &[u8],
    errno: Errno,
    options: &Options,
) -> Result<bool, Stop> {
    // The two forms quote differently.
    let shown = if options.parents {
        quoteaf(directory)
    } else {
        quote(directory)
    };
    let line = message!("cannot create directory ", shown, ": ", errno.message());
    proc.warn(line).await?;
    Ok(false)
}

async fn announce(proc: &mut Proc, path: &[u8], options: &Options) -> Result<(), Stop> {
    if options.verbose {
        let line = message!(proc.name(), ": creating directory ", quoteaf(path), "\n");
        proc.write(&line).await?;
    }
    Ok(())
}
