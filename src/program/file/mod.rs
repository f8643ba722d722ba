//! `file`: what a file is, by its kind, the signature of its contents, and its encoding if it is text. Sentences are those of file 5.44.
//!
//! [`signature`] knows binary formats, [`language`] what a text may be, [`encoding`] how it is written. Only what a workspace commonly holds is known:
//! another binary format is `data`, another language plain text.

mod encoding;
mod json;
mod language;
mod signature;

use super::usage;
use crate::args::{Opt, Outcome, Package, Parsed, Spec};
use crate::fs::{Errno, FileKind, Follow, Metadata};
use crate::kernel::{File, Input, Proc, Program, Stop};

/// The program.
pub const PROGRAM: Program = Program {
    name: "file",
    run: |proc| Box::pin(run(proc)),
};

#[derive(Clone, Copy, PartialEq)]
enum Flag {
    Brief,
    Mime,
    MimeType,
    MimeEncoding,
    Dereference,
    NoDereference,
    NoPad,
    Print0,
    Separator,
    FilesFrom,
    Errors,
    Special,
    Nothing,
}

static SPEC: Spec<Flag> = Spec::new(
    "file",
    Package::Line("file-5.44\nmagic file from /etc/magic:/usr/share/misc/magic"),
    &["[OPTION...] [FILE...]"],
    "Determine type of FILEs.",
    &[
        Opt::flag(
            Flag::Brief,
            'b',
            "brief",
            "do not prepend filenames to output lines",
        ),
        Opt::required(
            Flag::FilesFrom,
            'f',
            "files-from",
            "FILE",
            "read the filenames to be examined from FILE",
        ),
        Opt::required(
            Flag::Separator,
            'F',
            "separator",
            "STRING",
            "use string as separator instead of `:'",
        ),
        Opt::flag(
            Flag::Mime,
            'i',
            "mime",
            "output MIME type strings (--mime-type and --mime-encoding)",
        ),
        Opt::long(Flag::MimeType, "mime-type", "output the MIME type"),
        Opt::long(Flag::MimeEncoding, "mime-encoding", "output the MIME encoding"),
        Opt::flag(Flag::Dereference, 'L', "dereference", "follow symlinks"),
        Opt::flag(
            Flag::NoDereference,
            'h',
            "no-dereference",
            "don't follow symlinks (default)",
        ),
        Opt::flag(Flag::Nothing, 'n', "no-buffer", "do not buffer output"),
        Opt::flag(Flag::NoPad, 'N', "no-pad", "do not pad output"),
        Opt::flag(Flag::Print0, '0', "print0", "terminate filenames with ASCII NUL"),
        Opt::flag(
            Flag::Nothing,
            'p',
            "preserve-date",
            "preserve access times on files",
        ),
        Opt::flag(
            Flag::Nothing,
            'r',
            "raw",
            "don't translate unprintable chars to \\ooo",
        ),
        Opt::flag(
            Flag::Special,
            's',
            "special-files",
            "treat special (block/char devices) files as ordinary ones",
        ),
        Opt::flag(Flag::Nothing, 'S', "no-sandbox", "disable system call sandboxing"),
        Opt::short(
            Flag::Errors,
            'E',
            "exit with an error for what cannot be examined",
        ),
    ],
)
.own_help(include_str!("usage.txt"))
.version_letter('v');

/// What is said of a wrong command line.
const USAGE: &str = "Usage: file [-bcCdEhikLlNnprsSvzZ0] [--apple] [--extension] [--mime-encoding]\n            [--mime-type] [-e <testname>] [-F <separator>]  [-f <namefile>]\n            [-m <magicfiles>] [-P <parameter=value>] [--exclude-quiet]\n            <file> ...\n       file -C [-m <magicfiles>]\n       file [--help]\n";

/// What was found out.
struct Found {
    text: String,
    /// The MIME type.
    kind: &'static str,
    charset: &'static str,
}

impl Found {
    fn new(text: impl Into<String>, kind: &'static str, charset: &'static str) -> Found {
        Found {
            text: text.into(),
            kind,
            charset,
        }
    }

    fn binary(text: impl Into<String>, kind: &'static str) -> Found {
        Found::new(text, kind, "binary")
    }
}

/// What is printed of it.
#[derive(Clone, Copy, PartialEq)]
enum Show {
    Text,
    Mime,
    Type,
    Charset,
}

/// How much of a file is looked at.
const LOOKED_AT: usize = 1 << 16;

struct Plan {
    show: Show,
    brief: bool,
    print0: bool,
    separator: Vec<u8>,
    follow: Follow,
    special: bool,
    errors: bool,
}

async fn run(proc: &mut Proc) -> Result<i32, Stop> {
    let parsed: Parsed<Flag> = match SPEC.parse(proc.arguments()) {
        Ok(parsed) => parsed,
        Err(error) if error.outcome == Outcome::Output => return Err(usage::refuse(proc, &error).await),
        Err(error) => {
            let text = error.text(proc.name());
            let first = text
                .split_inclusive(|byte| *byte == b'\n')
                .next()
                .unwrap_or_default();
            proc.write_error(&[first, USAGE.as_bytes()].concat()).await?;
            return Ok(1);
        }
    };
    let mut plan = Plan {
        show: Show::Text,
        brief: parsed.has(Flag::Brief),
        print0: parsed.has(Flag::Print0),
        separator: b":".to_vec(),
        follow: Follow::No,
        special: parsed.has(Flag::Special),
        errors: parsed.has(Flag::Errors),
    };
    let mut names = Vec::new();
    for (flag, value) in &parsed.options {
        let value = value.as_deref().unwrap_or_default();
        match flag {
            Flag::Mime => plan.show = Show::Mime,
            Flag::MimeType => plan.show = Show::Type,
            Flag::MimeEncoding => plan.show = Show::Charset,
            Flag::Dereference => plan.follow = Follow::Yes,
            Flag::NoDereference => plan.follow = Follow::No,
            Flag::Separator => plan.separator = value.to_vec(),
            Flag::FilesFrom => names.extend(read_names(proc, value).await?),
            _ => {}
        }
    }
    names.extend(parsed.operands.iter().cloned());
    if names.is_empty() && parsed.operands.is_empty() {
        proc.write_error(USAGE.as_bytes()).await?;
        return Ok(1);
    }
    let width = match parsed.has(Flag::NoPad) {
        true => 0,
        false => names.iter().map(Vec::len).max().unwrap_or(0),
    };
    let mut status = 0;
    for name in names {
        let found = look(proc, &plan, &name).await?;
        status |= i32::from(found.is_err() && plan.errors);
        print(proc, &plan, &name, width, &found).await?;
    }
    Ok(status)
}

async fn read_names(proc: &mut Proc, path: &[u8]) -> Result<Vec<Vec<u8>>, Stop> {
    let file = match proc.open_operand(path).await {
        Ok(file) => file,
        Err(errno) => {
            let name = String::from_utf8_lossy(path).into_owned();
            return Err(usage::fail(proc, 1, format!("Cannot open `{name}' ({errno})")).await);
        }
    };
    let mut lease = proc.kernel.lease();
    let text = Input::new(file).rest(&mut lease).await.unwrap_or_default();
    let text = text.strip_suffix(b"\n").unwrap_or(&text);
    Ok(match text {
        [] => Vec::new(),
        text => text.split(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect(),
    })
}

/// A name as it is printed.
fn shown(name: &[u8]) -> Vec<u8> {
    if name == b"-" {
        return b"/dev/stdin".to_vec();
    }
    let mut text = Vec::new();
    for byte in name {
        match byte {
            0..=31 | 127 => text.extend_from_slice(format!("\\{byte:03o}").as_bytes()),
            byte => text.push(*byte),
        }
    }
    text
}

async fn print(
    proc: &mut Proc,
    plan: &Plan,
    name: &[u8],
    width: usize,
    found: &Result<Found, String>,
) -> Result<(), Stop> {
    let mut line = Vec::new();
    if !plan.brief {
        line.extend_from_slice(&shown(name));
        if plan.print0 {
            line.push(0);
        }
        line.extend_from_slice(&plan.separator);
        let blanks = width.saturating_sub(name.len()) + 1;
        line.extend(std::iter::repeat_n(b' ', blanks));
    }
    match found {
        Err(message) => line.extend_from_slice(message.as_bytes()),
        Ok(found) => line.extend_from_slice(
            match plan.show {
                Show::Text => found.text.clone(),
                Show::Mime if found.charset.is_empty() => found.kind.to_owned(),
                Show::Mime => format!("{}; charset={}", found.kind, found.charset),
                Show::Type => found.kind.to_owned(),
                Show::Charset => found.charset.to_owned(),
            }
            .as_bytes(),
        ),
    }
    line.push(b'\n');
    proc.write(&line).await
}

/// Looks at a file; the error is a whole sentence.
async fn look(proc: &mut Proc, plan: &Plan, name: &[u8]) -> Result<Result<Found, String>, Stop> {
    if name == b"-" {
        return Ok(match proc.stdin() {
            Ok(file) => Ok(contents(proc, &file, 0).await?),
            Err(errno) => Err(format!("cannot open `/dev/stdin' ({errno})")),
        });
    }
    let cannot = |verb: &str, errno: Errno| {
        let name = String::from_utf8_lossy(name);
        match plan.errors {
            true => format!("ERROR: cannot {verb} `{name}' ({errno})"),
            false => format!("cannot open `{name}' ({errno})"),
        }
    };
    let metadata = match proc.metadata(name, plan.follow) {
        Ok(metadata) => metadata,
        Err(errno) => return Ok(Err(cannot("stat", errno))),
    };
    if let Some(found) = special(proc, plan, name, &metadata) {
        return Ok(Ok(found));
    }
    let file = match proc.open(name, crate::fs::OpenFlags::READ).await {
        Ok(file) => file,
        Err(errno) => return Ok(Err(cannot("open", errno))),
    };
    let mut found = contents(proc, &file, metadata.size).await?;
    found.text.insert_str(0, &mode_words(&metadata));
    Ok(Ok(found))
}

fn mode_words(metadata: &Metadata) -> String {
    let words = [(0o4000, "setuid "), (0o2000, "setgid "), (0o1000, "sticky ")];
    let words = words.iter().filter(|(bit, _)| metadata.mode & bit != 0);
    words.map(|(_, word)| *word).collect()
}

/// What is no file with contents, or an empty one.
fn special(proc: &Proc, plan: &Plan, name: &[u8], metadata: &Metadata) -> Option<Found> {
    let words = mode_words(metadata);
    let words = if words.is_empty() {
        words
    } else {
        words.trim_end().replace(' ', ", ") + ", "
    };
    let (major, minor) = metadata.rdev;
    Some(match metadata.kind {
        FileKind::Directory => Found::binary(format!("{words}directory"), "inode/directory"),
        FileKind::Fifo => Found::binary("fifo (named pipe)", "inode/fifo"),
        FileKind::CharDevice | FileKind::BlockDevice if plan.special => return None,
        FileKind::CharDevice => {
            Found::binary(format!("character special ({major}/{minor})"), "inode/chardevice")
        }
        FileKind::BlockDevice => {
            Found::binary(format!("block special ({major}/{minor})"), "inode/blockdevice")
        }
        FileKind::Symlink => {
            let target = proc.fs.read_link(&proc.view(), name).unwrap_or_default();
            let target = String::from_utf8_lossy(&target).into_owned();
            match proc.metadata(name, Follow::Yes) {
                Ok(_) => Found::binary(format!("symbolic link to {target}"), "inode/symlink"),
                Err(_) => Found::new(format!("broken symbolic link to {target}"), "inode/symlink", ""),
            }
        }
        _ if metadata.size == 0 && metadata.kind == FileKind::Regular => {
            Found::binary("empty", "inode/x-empty")
        }
        _ => return None,
    })
}

/// Looks at what is in a file of a size.
async fn contents(proc: &mut Proc, file: &std::sync::Arc<File>, size: u64) -> Result<Found, Stop> {
    let mut lease = proc.kernel.lease();
    lease.grow(2 * LOOKED_AT)?;
    let mut data = Vec::new();
    while data.len() < LOOKED_AT {
        match file.read(&mut data, LOOKED_AT).await {
            Ok(0) => break,
            Ok(_) => proc.charge(data.len() as u64 / 4)?,
            Err(errno) => {
                return Ok(Found::binary(
                    format!("ERROR: cannot read ({errno})"),
                    "application/octet-stream",
                ));
            }
        }
    }
    data.truncate(LOOKED_AT);
    // Every sign of every language is looked for in all of it.
    proc.charge(data.len() as u64 / 2 + 1000)?;
    match data.as_slice() {
        [] => return Ok(Found::binary("empty", "inode/x-empty")),
        [_] => {
            return Ok(Found::binary(
                "very short file (no magic)",
                "application/octet-stream",
            ));
        }
        _ => {}
    }
    // gzip tells the length of what is in it at its end.
    let mut end = Vec::new();
    if size > 4 && file.seek(size - 4).is_ok() {
        let _ = file.read(&mut end, 4).await;
    }
    Ok(recognize(&data, &end))
}

fn recognize(data: &[u8], end: &[u8]) -> Found {
    let written = encoding::of(data);
    let charset = written.as_ref().map_or("binary", |written| written.charset);
    if written.is_some() && json::is_json(data) {
        return Found::new("JSON text data", "application/json", charset);
    }
    if written.is_some() && language::is_csv(data) {
        return Found::new("CSV text", "text/csv", charset);
    }
    if let Some((text, kind)) = signature::of(data, end) {
        return Found::new(text, kind, charset);
    }
    let Some(written) = written else {
        return Found::binary("data", "application/octet-stream");
    };
    let language = match written.is_wide {
        true => None,
        false => language::of(data),
    };
    let Some(language) = language else {
        return Found::new(written.describe(false), "text/plain", written.charset);
    };
    let rest = written.describe(language.executable);
    Found::new(
        format!("{}, {rest}", language.name),
        language.kind,
        written.charset,
    )
}
