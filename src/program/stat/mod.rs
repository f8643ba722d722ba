//! `stat`: what is known of a file, or of the file system it is in, in a format.
//!
//! - `format.rs`: the directives of formats and what they print · `seconds.rs`: `%X` and the like, with fractions

mod format;
mod seconds;

use self::format::{Piece, Subject};
use super::accounts::Accounts;
use super::message::message;
use super::usage;
use crate::args::{COREUTILS, Opt, Parsed, Spec, UsageError, quote, quoteaf};
use crate::fs::{Errno, Follow, Metadata};
use crate::kernel::{Proc, Program, Stop};
use crate::text::gnu_quote::Style;

/// The program.
pub const PROGRAM: Program = Program {
    name: "stat",
    run: |proc| Box::pin(run(proc)),
};

#[derive(Clone, Copy, PartialEq)]
enum Flag {
    Dereference,
    FileSystem,
    Cached,
    Format,
    Printf,
    Terse,
}

static SPEC: Spec<Flag> = Spec::new(
    "stat",
    COREUTILS,
    &["[OPTION]... FILE..."],
    "Display file or file system status.\n\nMandatory arguments to long options are mandatory for short options too.",
    &[
        Opt::flag(Flag::Dereference, 'L', "dereference", "follow links"),
        Opt::flag(
            Flag::FileSystem,
            'f',
            "file-system",
            "display file system status instead of file status",
        ),
        Opt::long(
            Flag::Cached,
            "cached",
            "specify how to use cached attributes;\n  useful on remote file systems. See MODE below",
        )
        .takes("MODE"),
        Opt::required(
            Flag::Format,
            'c',
            "format",
            "FORMAT",
            "use the specified FORMAT instead of the default;\noutput a newline after each use of FORMAT",
        ),
        Opt::long(
            Flag::Printf,
            "printf",
            "like --format, but interpret backslash escapes,\nand do not output a mandatory trailing newline;\nif you want a newline, include \\n in FORMAT",
        )
        .takes("FORMAT"),
        Opt::flag(Flag::Terse, 't', "terse", "print the information in terse form"),
    ],
)
.notes(
    "The MODE argument of --cached can be: always, never, or default.\n'always' will use cached attributes if available, while\n'never' will try to synchronize with the latest attributes, and\n'default' will leave it up to the underlying file system.\n\nThe valid format sequences for files (without --file-system):\n\n  %a   permission bits in octal (note '#' and '0' printf flags)\n  %A   permission bits and file type in human readable form\n  %b   number of blocks allocated (see %B)\n  %B   the size in bytes of each block reported by %b\n  %C   SELinux security context string\n  %d   device number in decimal (st_dev)\n  %D   device number in hex (st_dev)\n  %Hd  major device number in decimal\n  %Ld  minor device number in decimal\n  %f   raw mode in hex\n  %F   file type\n  %g   group ID of owner\n  %G   group name of owner\n  %h   number of hard links\n  %i   inode number\n  %m   mount point\n  %n   file name\n  %N   quoted file name with dereference if symbolic link\n  %o   optimal I/O transfer size hint\n  %s   total size, in bytes\n  %r   device type in decimal (st_rdev)\n  %R   device type in hex (st_rdev)\n  %Hr  major device type in decimal, for character/block device special files\n  %Lr  minor device type in decimal, for character/block device special files\n  %t   major device type in hex, for character/block device special files\n  %T   minor device type in hex, for character/block device special files\n  %u   user ID of owner\n  %U   user name of owner\n  %w   time of file birth, human-readable; - if unknown\n  %W   time of file birth, seconds since Epoch; 0 if unknown\n  %x   time of last access, human-readable\n  %X   time of last access, seconds since Epoch\n  %y   time of last data modification, human-readable\n  %Y   time of last data modification, seconds since Epoch\n  %z   time of last status change, human-readable\n  %Z   time of last status change, seconds since Epoch\n\nValid format sequences for file systems:\n\n  %a   free blocks available to non-superuser\n  %b   total data blocks in file system\n  %c   total file nodes in file system\n  %d   free file nodes in file system\n  %f   free blocks in file system\n  %i   file system ID in hex\n  %l   maximum length of filenames\n  %n   file name\n  %s   block size (for faster transfers)\n  %S   fundamental block size (for block counts)\n  %t   file system type in hex\n  %T   file system type in human readable form\n\n--terse is equivalent to the following FORMAT:\n    %n %s %b %f %u %g %D %i %h %t %T %X %Y %Z %W %o %C\n--terse --file-system is equivalent to the following FORMAT:\n    %n %i %l %t %s %S %b %f %a %c %d",
);

#[derive(Clone, Copy, PartialEq)]
enum Cached {
    Default,
    Never,
    Always,
}

const CACHED: &[(&str, Cached)] = &[
    ("default", Cached::Default),
    ("never", Cached::Never),
    ("always", Cached::Always),
];

const FILE: &str = "  File: %N\n  Size: %-10s\tBlocks: %-10b IO Block: %-6o %F\nDevice: %Hd,%Ld\tInode: %-10i  Links: %h\nAccess: (%04a/%10.10A)  Uid: (%5u/%8U)   Gid: (%5g/%8G)\nAccess: %x\nModify: %y\nChange: %z\n Birth: %w\n";
const DEVICE: &str = "  File: %N\n  Size: %-10s\tBlocks: %-10b IO Block: %-6o %F\nDevice: %Hd,%Ld\tInode: %-10i  Links: %-5h Device type: %Hr,%Lr\nAccess: (%04a/%10.10A)  Uid: (%5u/%8U)   Gid: (%5g/%8G)\nAccess: %x\nModify: %y\nChange: %z\n Birth: %w\n";
const FILE_TERSE: &str = "%n %s %b %f %u %g %D %i %h %t %T %X %Y %Z %W %o\n";
const SYSTEM: &str = "  File: \"%n\"\n    ID: %-8i Namelen: %-7l Type: %T\nBlock size: %-10s Fundamental block size: %S\nBlocks: Total: %-10b Free: %-10f Available: %a\nInodes: Total: %-10c Free: %d\n";
const SYSTEM_TERSE: &str = "%n %i %l %t %s %S %b %f %a %c %d\n";

/// What to print about each operand.
struct Options {
    follow: Follow,
    system: bool,
    /// For plain files and for devices.
    formats: [Vec<Piece>; 2],
    style: Style,
    accounts: Accounts,
}

async fn run(proc: &mut Proc) -> Result<i32, Stop> {
    let parsed = usage::parse(proc, &SPEC).await?;
    let mut options = read_options(proc, &parsed).await?;
    let mut status = 0;
    for path in &parsed.operands {
        if !show(proc, path, &mut options).await? {
            status = 1;
        }
    }
    Ok(status)
}

async fn read_options(proc: &mut Proc, parsed: &Parsed<Flag>) -> Result<Options, Stop> {
    if let Some(word) = parsed.last(Flag::Cached) {
        let chosen = SPEC.choose("--cached", word, CACHED);
        usage::accept(proc, chosen).await?;
    }
    if parsed.operands.is_empty() {
        return Err(usage::refuse(proc, &SPEC.missing_operand()).await);
    }
    let system = parsed.has(Flag::FileSystem);
    let formats = match parsed.last_of(&[Flag::Format, Flag::Printf]) {
        Some(flag) => {
            let text = parsed.last(flag).unwrap_or_default();
            let escapes = flag == Flag::Printf;
            let (mut pieces, warnings) = format::parse(text, escapes);
            for warning in warnings {
                proc.warn(warning).await?;
            }
            if !escapes {
                pieces.push(Piece::Text(b"\n".to_vec()));
            }
            [pieces.clone(), pieces]
        }
        None => {
            let texts = match (system, parsed.has(Flag::Terse)) {
                (true, true) => [SYSTEM_TERSE; 2],
                (true, false) => [SYSTEM; 2],
                (false, true) => [FILE_TERSE; 2],
                (false, false) => [FILE, DEVICE],
            };
            texts.map(|text| format::parse(text.as_bytes(), false).0)
        }
    };
    let given = parsed.last_of(&[Flag::Format, Flag::Printf]).is_some();
    let style = if given {
        read_style(proc).await?
    } else {
        Style::Literal
    };
    Ok(Options {
        follow: if parsed.has(Flag::Dereference) {
            Follow::Yes
        } else {
            Follow::No
        },
        system,
        formats,
        style,
        accounts: Accounts::default(),
    })
}

/// How `%N` quotes.
async fn read_style(proc: &mut Proc) -> Result<Style, Stop> {
    let Some(name) = proc.variable(b"QUOTING_STYLE").map(<[u8]>::to_vec) else {
        return Ok(Style::ShellEscapeAlways);
    };
    if let Ok(style) = crate::args::choose(&name, Style::NAMES) {
        return Ok(style);
    }
    let line = message!(
        "ignoring invalid value of environment variable QUOTING_STYLE: ",
        quote(&name)
    );
    proc.warn(line).await?;
    Ok(Style::ShellEscapeAlways)
}

/// Prints one operand; whether all went well.
async fn show(proc: &mut Proc, path: &[u8], options: &mut Options) -> Result<bool, Stop> {
    let subject = if options.system {
        system(proc, path)
    } else {
        file(proc, path, options.follow)
    };
    let subject = match subject {
        Ok(subject) => subject,
        Err(error) => {
            proc.warn(error).await?;
            return Ok(false);
        }
    };
    let [plain, device] = &options.formats;
    let pieces = match &subject {
        Subject::File(found) if super::inode::is_device(found.kind) => device,
        _ => plain,
    };
    let mut printer = format::Printer {
        path,
        subject: &subject,
        style: options.style,
        accounts: &mut options.accounts,
        complaints: Vec::new(),
    };
    let mut fine = true;
    for piece in pieces {
        let text = printer.print(proc, piece);
        for complaint in std::mem::take(&mut printer.complaints) {
            proc.warn(complaint).await?;
            fine = false;
        }
        match text {
            Ok(text) => proc.write(&text).await?,
            Err(invalid) => {
                let error = UsageError::plain(1, message!(quote(&invalid), ": invalid directive"));
                proc.flush().await?;
                return Err(usage::refuse(proc, &error).await);
            }
        }
    }
    Ok(fine)
}

fn file(proc: &Proc, path: &[u8], follow: Follow) -> Result<Subject, Vec<u8>> {
    let found: Result<Metadata, Errno> = if path == b"-" {
        match proc.stdin() {
            Ok(file) => file.metadata(),
            Err(errno) => return Err(message!("cannot stat standard input: ", errno.message())),
        }
    } else {
        proc.metadata(path, follow)
    };
    match found {
        Ok(found) => Ok(Subject::File(found)),
        Err(errno) => Err(message!("cannot statx ", quoteaf(path), ": ", errno.message())),
    }
}

fn system(proc: &Proc, path: &[u8]) -> Result<Subject, Vec<u8>> {
    if path == b"-" {
        let dash = quoteaf(path);
        return Err(message!(
            "using ",
            dash,
            " to denote standard input does not work in file system mode"
        ));
    }
    let found = proc
        .metadata(path, Follow::Yes)
        .and_then(|found| Ok((found, proc.disk_usage(path)?)));
    match found {
        Ok((found, usage)) => Ok(Subject::System(found.device, usage)),
        Err(errno) => Err(message!(
            "cannot read file system information for ",
            quoteaf(path),
            ": ",
            errno.message()
        )),
    }
}
