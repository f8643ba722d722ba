//! `cp`: copies files. The options become [`CopyOptions`]; the work is done by [`super::copy`].

use super::backup::{Backup, BackupFlags};
use super::copy::{Copier, CopyOptions, Dereference, Holes, Make, Overwrite, Preserve};
use super::destination::{self, Destination, DestinationFlags, Wanted};
use super::message::{complain, message};
use super::{path, usage};
use crate::args::{COREUTILS, Opt, Parsed, Spec, UsageError, quoteaf};
use crate::fs::{FileKind, Follow, Metadata};
use crate::kernel::{Proc, Program, Stop};

/// The program.
pub const PROGRAM: Program = Program {
    name: "cp",
    run: |proc| Box::pin(run(proc)),
};

#[derive(Clone, Copy, PartialEq)]
enum Flag {
    Archive,
    AttributesOnly,
    Backup,
    ShortBackup,
    CopyContents,
    NoDereferenceLinks,
    Force,
    Interactive,
    FollowOperands,
    Link,
    Dereference,
    NoClobber,
    NoDereference,
    ShortPreserve,
    Preserve,
    NoPreserve,
    Parents,
    Recursive,
    Reflink,
    RemoveDestination,
    Sparse,
    StripSlashes,
    SymbolicLink,
    Suffix,
    TargetDirectory,
    NoTargetDirectory,
    Update,
    Verbose,
    OneFileSystem,
    DefaultContext,
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
    "cp",
    COREUTILS,
    &[
        "[OPTION]... [-T] SOURCE DEST",
        "[OPTION]... SOURCE... DIRECTORY",
        "[OPTION]... -t DIRECTORY SOURCE...",
    ],
    "Copy SOURCE to DEST, or multiple SOURCE(s) to DIRECTORY.",
    &[
        Opt::flag(Flag::Archive, 'a', "archive", "same as -dR --preserve=all"),
        Opt::long(
            Flag::AttributesOnly,
            "attributes-only",
            "don't copy the file data, just the attributes",
        ),
        BACKUP.control_row(),
        BACKUP.short_row(),
        Opt::long(
            Flag::CopyContents,
            "copy-contents",
            "copy contents of special files when recursive",
        ),
        Opt::short(
            Flag::NoDereferenceLinks,
            'd',
            "same as --no-dereference --preserve=links",
        ),
        Opt::flag(
            Flag::Force,
            'f',
            "force",
            "if an existing destination file cannot be\nopened, remove it and try again (this option\nis ignored when the -n option is also used)",
        ),
        Opt::flag(
            Flag::Interactive,
            'i',
            "interactive",
            "prompt before overwrite (overrides a previous -n\noption)",
        ),
        Opt::short(Flag::FollowOperands, 'H', "follow command-line symbolic links in SOURCE"),
        Opt::flag(Flag::Link, 'l', "link", "hard link files instead of copying"),
        Opt::flag(
            Flag::Dereference,
            'L',
            "dereference",
            "always follow symbolic links in SOURCE",
        ),
        Opt::flag(
            Flag::NoClobber,
            'n',
            "no-clobber",
            "do not overwrite an existing file (overrides\na previous -i option)",
        ),
        Opt::flag(
            Flag::NoDereference,
            'P',
            "no-dereference",
            "never follow symbolic links in SOURCE",
        ),
        Opt::short(
            Flag::ShortPreserve,
            'p',
            "same as --preserve=mode,ownership,timestamps",
        ),
        Opt::long(
            Flag::Preserve,
            "preserve",
            "preserve the specified attributes (default:\nmode,ownership,timestamps), if possible\nadditional attributes: context, links, xattr,\nall",
        )
        .may_take("ATTR_LIST"),
        Opt::long(
            Flag::NoPreserve,
            "no-preserve",
            "don't preserve the specified attributes",
        )
        .takes("ATTR_LIST"),
        Opt::long(Flag::Parents, "parents", "use full source file name under DIRECTORY"),
        Opt::flag(Flag::Recursive, 'R', "recursive", "copy directories recursively"),
        Opt::short(Flag::Recursive, 'r', ""),
        Opt::long(Flag::Reflink, "reflink", "control clone/CoW copies").may_take("WHEN"),
        Opt::long(
            Flag::RemoveDestination,
            "remove-destination",
            "remove each existing destination file before\nattempting to open it (contrast with --force)",
        ),
        Opt::long(Flag::Sparse, "sparse", "control creation of sparse files").takes("WHEN"),
        Opt::long(
            Flag::StripSlashes,
            "strip-trailing-slashes",
            "remove any trailing slashes from each SOURCE\nargument",
        ),
        Opt::flag(
            Flag::SymbolicLink,
            's',
            "symbolic-link",
            "make symbolic links instead of copying",
        ),
        BACKUP.suffix_row(),
        DESTINATION.directory_row("copy all SOURCE arguments into DIRECTORY"),
        DESTINATION.no_directory_row("treat DEST as a normal file"),
        Opt::flag(
            Flag::Update,
            'u',
            "update",
            "copy only when the SOURCE file is newer\nthan the destination file or when the\ndestination file is missing",
        ),
        Opt::flag(Flag::Verbose, 'v', "verbose", "explain what is being done"),
        Opt::flag(Flag::OneFileSystem, 'x', "one-file-system", "stay on this file system"),
        Opt::short(
            Flag::DefaultContext,
            'Z',
            "set SELinux security context of destination\nfile to default type",
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
    "archive",
    "attributes-only",
    "backup",
    "copy-contents",
    "dereference",
    "force",
    "interactive",
    "link",
    "no-clobber",
    "no-dereference",
    "no-preserve",
    "no-target-directory",
    "one-file-system",
    "parents",
    "path",
    "preserve",
    "recursive",
    "remove-destination",
    "sparse",
    "reflink",
    "strip-trailing-slashes",
    "suffix",
    "symbolic-link",
    "target-directory",
    "update",
    "verbose",
    "context",
]);

#[derive(Clone, Copy, PartialEq)]
enum Attribute {
    Mode,
    Timestamps,
    Ownership,
    Links,
    Context,
    Extended,
    All,
}

const ATTRIBUTES: &[(&str, Attribute)] = &[
    ("mode", Attribute::Mode),
    ("timestamps", Attribute::Timestamps),
    ("ownership", Attribute::Ownership),
    ("links", Attribute::Links),
    ("context", Attribute::Context),
    ("xattr", Attribute::Extended),
    ("all", Attribute::All),
];

#[derive(Clone, Copy, PartialEq)]
enum When {
    Never,
    Auto,
    Always,
}

const SPARSE: &[(&str, When)] = &[
    ("never", When::Never),
    ("auto", When::Auto),
    ("always", When::Always),
];
const REFLINK: &[(&str, When)] = &[
    ("auto", When::Auto),
    ("always", When::Always),
    ("never", When::Never),
];

/// What there is besides the options of the copy.
struct Command {
    options: CopyOptions,
    parents: bool,
    strip_slashes: bool,
    wanted: Wanted,
    ignores_context: bool,
}

async fn run(proc: &mut Proc) -> Result<i32, Stop> {
    let mut parsed = usage::parse(proc, &SPEC).await?;
    let command = read_options(proc, &parsed);
    let mut command = usage::accept(proc, command).await?;
    if command.ignores_context {
        proc.warn("warning: ignoring --context; it requires an SELinux-enabled kernel")
            .await?;
    }
    let mut operands = std::mem::take(&mut parsed.operands);
    let wanted = std::mem::take(&mut command.wanted);
    let destination = destination::take(proc, &SPEC, &mut operands, wanted).await?;
    let options = command.options.clone();
    let mut copier = Copier::new(&options, true);
    let mut complete = true;
    match destination {
        Destination::Into(directory) => {
            for operand in &operands {
                complete &= copy_into(proc, &mut copier, &command, operand, &directory).await?;
            }
        }
        Destination::At(at) => {
            if command.parents {
                let error = SPEC.complain("with --parents, the destination must be a directory");
                return Err(usage::refuse(proc, &error).await);
            }
            let source = operands.first().map_or(&b""[..], Vec::as_slice);
            complete = copy_at(proc, &mut copier, &command, source, &at).await?;
        }
    }
    Ok(i32::from(!complete))
}

fn read_options(proc: &Proc, parsed: &Parsed<Flag>) -> Result<Command, UsageError> {
    let mut switches = Switches {
        options: CopyOptions::plain(),
        dereference: None,
        copy_contents: false,
        hard: false,
        symbolic: false,
        sparse: When::Auto,
        reflink: When::Auto,
    };
    for (flag, value) in &parsed.options {
        switches.apply(*flag, value.as_deref())?;
    }
    Ok(Command {
        options: switches.finish(proc, parsed)?,
        parents: parsed.has(Flag::Parents),
        strip_slashes: parsed.has(Flag::StripSlashes),
        wanted: DESTINATION.wanted(parsed)?,
        ignores_context: parsed.last(Flag::Context).is_some(),
    })
}

/// What the switches say, before they are held against each other.
struct Switches {
    options: CopyOptions,
    dereference: Option<Dereference>,
    copy_contents: bool,
    hard: bool,
    symbolic: bool,
    sparse: When,
    reflink: When,
}

impl Switches {
    fn apply(&mut self, flag: Flag, value: Option<&[u8]>) -> Result<(), UsageError> {
        let options = &mut self.options;
        match flag {
            Flag::Archive => {
                self.dereference = Some(Dereference::Never);
                options.preserve = Preserve::ALL;
                options.recursive = true;
            }
            Flag::AttributesOnly => options.attributes_only = true,
            Flag::CopyContents => self.copy_contents = true,
            Flag::NoDereferenceLinks => {
                options.preserve.links = true;
                self.dereference = Some(Dereference::Never);
            }
            Flag::Force => options.unlink_on_failure = true,
            Flag::Interactive => options.overwrite = Overwrite::Ask,
            Flag::FollowOperands => self.dereference = Some(Dereference::Operands),
            Flag::Link => self.hard = true,
            Flag::Dereference => self.dereference = Some(Dereference::Always),
            Flag::NoClobber => options.overwrite = Overwrite::No,
            Flag::NoDereference => self.dereference = Some(Dereference::Never),
            Flag::Recursive => options.recursive = true,
            Flag::Reflink => {
                let when = value.map(|when| SPEC.choose("--reflink", when, REFLINK));
                self.reflink = when.unwrap_or(Ok(When::Always))?;
            }
            Flag::RemoveDestination => options.unlink_first = true,
            Flag::Sparse => self.sparse = SPEC.choose("--sparse", value.unwrap_or_default(), SPARSE)?,
            Flag::SymbolicLink => self.symbolic = true,
            Flag::Update => options.update = true,
            Flag::Verbose => options.verbose = true,
            Flag::OneFileSystem => options.one_file_system = true,
            _ => return apply_preservation(&mut options.preserve, flag, value),
        }
        Ok(())
    }

    /// Refuses what excludes each other, and fills in what follows from the rest.
    fn finish(mut self, proc: &Proc, parsed: &Parsed<Flag>) -> Result<CopyOptions, UsageError> {
        let options = &mut self.options;
        options.make = match (self.hard, self.symbolic) {
            (true, true) => return Err(SPEC.complain("cannot make both hard and symbolic links")),
            (true, false) => Make::HardLink,
            (false, true) => Make::SymbolicLink,
            (false, false) => Make::Copy,
        };
        if options.overwrite == Overwrite::No {
            options.update = false;
            if BACKUP.any_given(parsed) {
                return Err(SPEC.complain("options --backup and --no-clobber are mutually exclusive"));
            }
        }
        if self.reflink == When::Always && self.sparse != When::Auto {
            return Err(SPEC.complain("--reflink can be used only with --sparse=auto"));
        }
        options.clone_always = self.reflink == When::Always && !options.attributes_only;
        options.holes = match self.sparse {
            When::Auto => Holes::Kept,
            When::Always => Holes::Made,
            When::Never => Holes::Filled,
        };
        options.backup = Backup::from_options(proc, &SPEC, parsed, BACKUP)?;
        let never = options.recursive && options.make != Make::HardLink;
        options.dereference = self.dereference.unwrap_or(if never {
            Dereference::Never
        } else {
            Dereference::Always
        });
        options.as_regular = !options.recursive || self.copy_contents;
        Ok(self.options)
    }
}

/// `-p`, `--preserve`, `--no-preserve`; other flags change nothing here.
fn apply_preservation(preserve: &mut Preserve, flag: Flag, value: Option<&[u8]>) -> Result<(), UsageError> {
    match (flag, value) {
        (Flag::ShortPreserve, _) | (Flag::Preserve, None) => preserve_usual(preserve),
        (Flag::Preserve, Some(list)) => preserve_list(preserve, "--preserve", list, true)?,
        (Flag::NoPreserve, list) => {
            preserve_list(preserve, "--no-preserve", list.unwrap_or_default(), false)?;
        }
        _ => {}
    }
    Ok(())
}

fn preserve_usual(preserve: &mut Preserve) {
    *preserve = Preserve {
        mode: true,
        ownership: true,
        times: true,
        ..*preserve
    };
}

fn preserve_list(preserve: &mut Preserve, option: &str, list: &[u8], on: bool) -> Result<(), UsageError> {
    for word in list.split(|byte| *byte == b',') {
        match SPEC.choose(option, word, ATTRIBUTES)? {
            Attribute::Mode => (preserve.mode, preserve.no_mode) = (on, !on),
            Attribute::Timestamps => preserve.times = on,
            Attribute::Ownership => preserve.ownership = on,
            Attribute::Links => preserve.links = on,
            Attribute::Context if on => {
                let line = "cannot preserve security context without an SELinux-enabled kernel";
                return Err(UsageError::plain(1, line));
            }
            // No file here has extended attributes.
            Attribute::Context | Attribute::Extended => {}
            Attribute::All if on => *preserve = Preserve::ALL,
            Attribute::All => {
                *preserve = Preserve {
                    no_mode: true,
                    ..Preserve::default()
                };
            }
        }
    }
    Ok(())
}

async fn copy_at(
    proc: &mut Proc,
    copier: &mut Copier<'_>,
    command: &Command,
    source: &[u8],
    at: &[u8],
) -> Result<bool, Stop> {
    // The real one takes slashes off only for copies into a directory.
    let options = &command.options;
    // With --force --backup a file may be copied onto itself: the copy is the backup.
    let onto_itself = options.unlink_on_failure && options.backup.is_on() && source == at;
    let is_regular = |found: Metadata| found.kind == FileKind::Regular;
    if onto_itself && proc.metadata(at, Follow::Yes).is_ok_and(is_regular) {
        let backup = options.backup.name_for(proc, at);
        let options = CopyOptions {
            backup: Backup::off(),
            ..options.clone()
        };
        let copied = Copier::new(&options, true)
            .copy(proc, source, &backup, false)
            .await?;
        return Ok(copied.complete);
    }
    Ok(copier.copy(proc, source, at, false).await?.complete)
}

async fn copy_into(
    proc: &mut Proc,
    copier: &mut Copier<'_>,
    command: &Command,
    operand: &[u8],
    directory: &[u8],
) -> Result<bool, Stop> {
    let source = if command.strip_slashes {
        path::without_trailing_slashes(operand)
    } else {
        operand
    };
    if !command.parents {
        let at = destination::name_in(directory, source);
        return Ok(copier.copy(proc, source, &at, false).await?.complete);
    }
    let plain = path::without_trailing_slashes(operand);
    let at = path::concatenate(directory, plain);
    let Some(parents) = make_parents(proc, command, directory, plain).await? else {
        return Ok(false);
    };
    let complete = copier.copy(proc, source, &at, false).await?.complete;
    Ok(protect_parents(proc, command, parents).await? && complete)
}

/// A directory above a copy, with what its attributes come from.
struct Parent {
    path: Vec<u8>,
    found: Metadata,
    /// The mode to give it in the end.
    restore: Option<u32>,
}

/// Makes the directories of `--parents` that are missing. `None`: one could not be made, and that was said.
async fn make_parents(
    proc: &mut Proc,
    command: &Command,
    directory: &[u8],
    operand: &[u8],
) -> Result<Option<Vec<Parent>>, Stop> {
    let start = operand.iter().take_while(|byte| **byte == b'/').count();
    let mut parents = Vec::new();
    let slashes = operand
        .iter()
        .enumerate()
        .skip(start)
        .filter(|(_, byte)| **byte == b'/');
    for (slash, _) in slashes {
        let Some(source) = operand.get(..slash) else {
            continue;
        };
        if source.ends_with(b"/") {
            continue;
        }
        let path = path::concatenate(directory, source);
        let found = match proc.metadata(source, Follow::Yes) {
            Ok(found) => found,
            Err(errno) => {
                complain(proc, "failed to get attributes of", source, errno).await?;
                return Ok(None);
            }
        };
        match make_parent(proc, command, source, path, found).await? {
            Some(parent) => parents.push(parent),
            None => return Ok(None),
        }
    }
    Ok(Some(parents))
}

async fn make_parent(
    proc: &mut Proc,
    command: &Command,
    source: &[u8],
    path: Vec<u8>,
    found: Metadata,
) -> Result<Option<Parent>, Stop> {
    let mut restore = None;
    match proc.metadata(&path, Follow::Yes) {
        Ok(existing) if existing.kind == FileKind::Directory => {}
        Ok(_) => {
            proc.warn(message!(quoteaf(&path), " exists but is not a directory"))
                .await?;
            return Ok(None);
        }
        Err(_) => {
            if let Err(errno) = proc.make_dir(&path, found.mode) {
                complain(proc, "cannot make directory", &path, errno).await?;
                return Ok(None);
            }
            if command.options.verbose {
                proc.write(&message!(source, " -> ", path, "\n")).await?;
            }
            let made = proc.metadata(&path, Follow::Yes).map_or(0o700, |made| made.mode);
            if made & 0o700 != 0o700 {
                restore = Some(made);
                // A failure shows when something is to be put there.
                let _ = proc.set_mode(&path, made | 0o700, Follow::Yes);
            }
        }
    }
    Ok(Some(Parent { path, found, restore }))
}

/// Gives the directories of `--parents` their attributes.
async fn protect_parents(proc: &mut Proc, command: &Command, parents: Vec<Parent>) -> Result<bool, Stop> {
    let preserve = command.options.preserve;
    for parent in parents {
        let Parent { path, found, restore } = parent;
        if preserve.ownership {
            let result = proc.set_owner(&path, Some(found.uid), Some(found.gid), Follow::Yes);
            if let Err(errno) = result
                && proc.user.uid == 0
            {
                complain(proc, "failed to preserve ownership for", &path, errno).await?;
                return Ok(false);
            }
        }
        let mode = if preserve.mode { Some(found.mode) } else { restore };
        if let Some(mode) = mode
            && let Err(errno) = proc.set_mode(&path, mode, Follow::Yes)
        {
            complain(proc, "failed to preserve permissions for", &path, errno).await?;
            return Ok(false);
        }
        if preserve.times
            && let Err(errno) = proc.set_times(&path, Some(found.atime), Some(found.mtime), Follow::Yes)
        {
            complain(proc, "failed to preserve times for", &path, errno).await?;
            return Ok(false);
        }
    }
    Ok(true)
}
