//! `tar`: archives of files, with gzip around them.
//!
//! Archives are read and written piece by piece. [`header`] is the format, [`archive`] what is read, [`create`] and [`extract`] the two directions, [`options`]
//! the command line, [`transform`] the change of names. Compression other than gzip, updates and deletions are refused.

mod archive;
mod create;
mod extract;
mod header;
mod options;
mod transform;

use self::header::Member;
use self::options::{Mode, Options, Word};
use super::message::message;
use super::usage;
use crate::fs::{Errno, FileKind, Follow};
use crate::kernel::{Input, Proc, Program, Stop};
use crate::program::inode::mode_letters;
use crate::text::strftime::{Dialect, Moment, strftime};
use crate::text::zone;

/// The program.
pub const PROGRAM: Program = Program {
    name: "tar",
    run: |proc| Box::pin(run(proc)),
};

async fn run(proc: &mut Proc) -> Result<i32, Stop> {
    let options = Options::from_arguments(proc.arguments());
    let mut options = usage::accept(proc, options).await?;
    read_excluded(proc, &mut options).await?;
    let failed = match options.mode {
        Mode::Create | Mode::Append => create::create(proc, &options).await?,
        Mode::Extract | Mode::List => extract::extract(proc, &options).await?,
    };
    if failed {
        proc.warn("Exiting with failure status due to previous errors")
            .await?;
        return Ok(2);
    }
    Ok(0)
}

/// Reads the files of `-X`.
async fn read_excluded(proc: &mut Proc, options: &mut Options) -> Result<(), Stop> {
    for path in std::mem::take(&mut options.exclude_from) {
        let mut lease = proc.kernel.lease();
        let text = match proc.open_operand(&path).await {
            Ok(file) => Input::new(file).rest(&mut lease).await,
            Err(errno) => Err(errno),
        };
        match text {
            Ok(text) => {
                let lines = text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
                lines.for_each(|line| options.leave_out(line));
            }
            Err(errno) => return Err(fatal(proc, message!(path, ": ", errno.message())).await),
        }
    }
    Ok(())
}

/// The name as `--transform` changes it; the slash of a directory is no part of that.
fn transformed(options: &Options, name: &[u8]) -> Vec<u8> {
    match name.strip_suffix(b"/") {
        Some(name) => {
            let mut name = options.transform.apply(name);
            name.push(b'/');
            name
        }
        None => options.transform.apply(name),
    }
}

/// An error that ends the program.
async fn fatal(proc: &mut Proc, text: impl AsRef<[u8]>) -> Stop {
    if let Err(stop) = proc.warn(text).await {
        return stop;
    }
    usage::fail(proc, 2, "Error is not recoverable: exiting now").await
}

async fn cannot_open(proc: &mut Proc, path: &[u8], errno: Errno) -> Stop {
    fatal(proc, message!(path, ": Cannot open: ", errno.message())).await
}

/// Changes the directory; fails as tar does.
async fn change_directory(proc: &mut Proc, path: &[u8]) -> Result<(), Stop> {
    let found = proc.metadata(path, Follow::Yes).and_then(|found| {
        if found.kind == FileKind::Directory {
            Ok(())
        } else {
            Err(Errno::ENOTDIR)
        }
    });
    let absolute = found.and_then(|()| proc.canonicalize(path, crate::fs::Existing::All));
    match absolute {
        Ok(absolute) => {
            proc.cwd = absolute.into();
            Ok(())
        }
        Err(errno) => Err(cannot_open(proc, path, errno).await),
    }
}

/// The names in a file of `-T`.
async fn names_from(proc: &mut Proc, options: &Options, path: &[u8]) -> Result<Vec<Vec<u8>>, Stop> {
    let file = match proc.open_operand(path).await {
        Ok(file) => file,
        Err(errno) => return Err(cannot_open(proc, path, errno).await),
    };
    let mut lease = proc.kernel.lease();
    let data = match Input::new(file).rest(&mut lease).await {
        Ok(data) => data,
        Err(errno) => return Err(cannot_open(proc, path, errno).await),
    };
    let end = if options.null { 0 } else { b'\n' };
    let names = data.split(|byte| *byte == end).filter(|name| !name.is_empty());
    Ok(names.map(<[u8]>::to_vec).collect())
}

/// A pattern of `--exclude` matches any run of components.
fn is_excluded(options: &Options, name: &[u8]) -> bool {
    let name = name.strip_suffix(b"/").unwrap_or(name);
    let slashes: Vec<usize> = memchr::memchr_iter(b'/', name).collect();
    let starts = std::iter::once(0).chain(slashes.iter().map(|at| at + 1));
    options.exclude.iter().any(|pattern| {
        starts.clone().any(|start| {
            let ends = slashes
                .iter()
                .copied()
                .filter(|end| *end > start)
                .chain([name.len()]);
            ends.into_iter()
                .any(|end| pattern.matches(name.get(start..end).unwrap_or_default()))
        })
    })
}

/// Prints a member's name, or with `-vv` (or `-tv`) its line.
async fn list(proc: &mut Proc, options: &Options, member: &Member, to_error: bool) -> Result<(), Stop> {
    let least = if options.mode == Mode::List { 1 } else { 2 };
    let mut line = Vec::new();
    if options.verbose >= least {
        let letters = mode_letters(member.kind.file_kind(), member.mode);
        line.extend_from_slice(&letters);
        if let (header::Kind::HardLink, Some(slot)) = (member.kind, line.first_mut()) {
            *slot = b'h';
        }
        let owner = |name: &[u8], id: u32| {
            if options.numeric || name.is_empty() {
                id.to_string().into_bytes()
            } else {
                name.to_vec()
            }
        };
        let owners = message!(
            owner(&member.user, member.uid),
            "/",
            owner(&member.group, member.gid)
        );
        let size = member.size.to_string();
        let room = 19_usize.saturating_sub(owners.len() + size.len()).max(1);
        let zone = zone::from_variable(proc.variable(b"TZ"));
        let time = Moment::new(member.time, 0, &zone)
            .and_then(|moment| strftime(b"%Y-%m-%d %H:%M", &moment, Dialect::Glibc, 64))
            .unwrap_or_default();
        line.push(b' ');
        line.extend_from_slice(&owners);
        line.resize(line.len() + room, b' ');
        line.extend_from_slice(&message!(size, " ", time, " "));
    }
    line.extend_from_slice(&crate::text::gnu_quote::styled(
        &member.name,
        crate::text::gnu_quote::Style::Escape,
        b"",
    ));
    if options.verbose >= least {
        match member.kind {
            header::Kind::SymbolicLink => line.extend_from_slice(&message!(" -> ", member.target)),
            header::Kind::HardLink => line.extend_from_slice(&message!(" link to ", member.target)),
            _ => {}
        }
    }
    line.push(b'\n');
    if to_error {
        proc.write_error(&line).await
    } else {
        proc.write(&line).await
    }
}

/// The names of the command line with the directory that each is in.
async fn words(proc: &mut Proc, options: &Options) -> Result<Vec<(Option<Vec<u8>>, Vec<u8>)>, Stop> {
    let mut all = Vec::new();
    let mut directory = None;
    for word in &options.words {
        match word {
            Word::Directory(path) => directory = Some(path.clone()),
            Word::Name(name) => all.push((directory.take(), name.clone())),
            Word::FilesFrom(path) => {
                for name in names_from(proc, options, path).await? {
                    all.push((directory.take(), name));
                }
            }
        }
    }
    if let Some(directory) = directory {
        all.push((Some(directory), Vec::new()));
    }
    Ok(all)
}
