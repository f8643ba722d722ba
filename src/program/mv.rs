//! `mv`: renames files, or copies and removes them where they go to another file system.

use super::backup::{Backup, BackupFlags};
use super::copy::{Copied, Copier, CopyOptions, Overwrite};
use super::destination::{self, Destination, DestinationFlags, Wanted};
use super::message::message;
use super::remove::{Interactive, Removal, Removed, remove};
use super::{path, usage};
use crate::args::{COREUTILS, Opt, Parsed, Spec, UsageError, quoteaf};
use crate::fs::{Errno, FileKind, Follow};
use crate::kernel::{Proc, Program, Stop};

/// The program.
pub const PROGRAM: Program = Program {
    name: "mv",
    run: |proc| Box::pin(run(proc)),
};

#[derive(Clone, Copy, PartialEq)]
enum Flag {
    Backup,
    ShortBackup,
    Force,
    Interactive,
    NoClobber,
    StripSlashes,
    Suffix,
    TargetDirectory,
    NoTargetDirectory,
    Update,
    Verbose,
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
    "mv",
    COREUTILS,
    &[
        "[OPTION]... [-T] SOURCE DEST",
        "[OPTION]... SOURCE... DIRECTORY",
        "[OPTION]... -t DIRECTORY SOURCE...",
    ],
    "Rename SOURCE to DEST, or move SOURCE(s) to DIRECTORY.",
    &[
        BACKUP.control_row(),
        BACKUP.short_row(),
        Opt::flag(Flag::Force, 'f', "force", "do not prompt before overwriting"),
        Opt::flag(Flag::Interactive, 'i', "interactive", "prompt before overwrite"),
        Opt::flag(
            Flag::NoClobber,
            'n',
            "no-clobber",
            "do not overwrite an existing file\nIf you specify more than one of -i, -f, -n, only the final one takes effect.",
        ),
        Opt::long(
            Flag::StripSlashes,
            "strip-trailing-slashes",
            "remove any trailing slashes from each SOURCE\nargument",
        ),
        BACKUP.suffix_row(),
        DESTINATION.directory_row("move all SOURCE arguments into DIRECTORY"),
        DESTINATION.no_directory_row("treat DEST as a normal file"),
        Opt::flag(
            Flag::Update,
            'u',
            "update",
            "move only when the SOURCE file is newer\nthan the destination file or when the\ndestination file is missing",
        ),
        Opt::flag(Flag::Verbose, 'v', "verbose", "explain what is being done"),
        Opt::flag(
            Flag::Context,
            'Z',
            "context",
            "set SELinux security context of destination\nfile to default type",
        ),
    ],
);

async fn run(proc: &mut Proc) -> Result<i32, Stop> {
    let mut parsed = usage::parse(proc, &SPEC).await?;
    let read = read_options(proc, &parsed);
    let (options, wanted) = usage::accept(proc, read).await?;
    let mut operands = std::mem::take(&mut parsed.operands);
    let destination = destination::take(proc, &SPEC, &mut operands, wanted).await?;
    let mut copier = Copier::new(&options, false);
    let mut complete = true;
    for operand in &operands {
        let stripped = path::without_trailing_slashes(operand);
        let source = if parsed.has(Flag::StripSlashes) {
            stripped
        } else {
            operand
        };
        let at = match &destination {
            // Unlike `cp`, `mv` takes `..` for a name.
            Destination::Into(directory) => {
                let name = path::without_trailing_slashes(path::last_component(source));
                path::concatenate(directory, name)
            }
            Destination::At(at) => at.clone(),
        };
        let tried = !parsed.has(Flag::NoTargetDirectory) && operands.len() == 1;
        if tried && source != operand && fails_with_slash(proc, source, &at, &destination) {
            let line = message!(
                "cannot move ",
                quoteaf(source),
                " to ",
                quoteaf(&at),
                ": ",
                Errno::ENOTDIR.message()
            );
            proc.warn(line).await?;
            complete = false;
            continue;
        }
        complete &= move_one(proc, &mut copier, source, &at, options.verbose).await?;
    }
    Ok(i32::from(!complete))
}

/// The real one tries two operands as they are first, and stays with that error when it takes the slashes off.
fn fails_with_slash(proc: &Proc, source: &[u8], at: &[u8], destination: &Destination) -> bool {
    let is_directory = proc
        .metadata(source, Follow::No)
        .is_ok_and(|found| found.kind == FileKind::Directory);
    let exists = proc.metadata(at, Follow::No).is_ok();
    matches!(destination, Destination::At(_)) && !is_directory && !exists
}

fn read_options(proc: &Proc, parsed: &Parsed<Flag>) -> Result<(CopyOptions, Wanted), UsageError> {
    let mut options = CopyOptions::moving();
    let overwrite = parsed.last_of(&[Flag::Force, Flag::Interactive, Flag::NoClobber]);
    options.overwrite = match overwrite {
        Some(Flag::Interactive) => Overwrite::Ask,
        Some(Flag::NoClobber) => Overwrite::No,
        _ => Overwrite::Yes,
    };
    options.verbose = parsed.has(Flag::Verbose);
    options.update = parsed.has(Flag::Update) && options.overwrite != Overwrite::No;
    if BACKUP.any_given(parsed) && options.overwrite == Overwrite::No {
        return Err(SPEC.complain("options --backup and --no-clobber are mutually exclusive"));
    }
    options.backup = Backup::from_options(proc, &SPEC, parsed, BACKUP)?;
    Ok((options, DESTINATION.wanted(parsed)?))
}

async fn move_one(
    proc: &mut Proc,
    copier: &mut Copier<'_>,
    source: &[u8],
    at: &[u8],
    verbose: bool,
) -> Result<bool, Stop> {
    let copied = copier.copy(proc, source, at, false).await?;
    match copied {
        Copied { complete: false, .. }
        | Copied {
            into_itself: true, ..
        } => Ok(false),
        Copied { renamed: true, .. } => Ok(true),
        // It was copied to another file system: the source goes now.
        _ => {
            let removal = Removal {
                interactive: Interactive::Never,
                recursive: true,
                verbose,
                preserve_root: false,
                ..Removal::default()
            };
            Ok(remove(proc, source, &removal).await? == Removed::Gone)
        }
    }
}
