//! `realpath`: canonical paths, absolute or seen from a directory.
//!
//! With `-s` links are not followed, so `..` takes off the component before it; the file tree is asked only where a component must
//! be there or be a directory. `-L` does so first and follows links after.

use super::message::message;
use super::{path, usage};
use crate::args::{COREUTILS, Opt, Parsed, Spec, UsageError, quotef};
use crate::fs::{Errno, Existing, FileKind, Follow};
use crate::kernel::{Proc, Program, Stop};

/// The program.
pub const PROGRAM: Program = Program {
    name: "realpath",
    run: |proc| Box::pin(run(proc)),
};

#[derive(Clone, Copy, PartialEq)]
enum Flag {
    CanonicalizeExisting,
    CanonicalizeMissing,
    Logical,
    Physical,
    Quiet,
    RelativeTo,
    RelativeBase,
    Strip,
    Zero,
}

static SPEC: Spec<Flag> = Spec::new(
    "realpath",
    COREUTILS,
    &["[OPTION]... FILE..."],
    "Print the resolved absolute file name;\nall but the last component must exist\n",
    &[
        Opt::flag(
            Flag::CanonicalizeExisting,
            'e',
            "canonicalize-existing",
            "all components of the path must exist",
        ),
        Opt::flag(
            Flag::CanonicalizeMissing,
            'm',
            "canonicalize-missing",
            "no path components need exist or be a directory",
        ),
        Opt::flag(
            Flag::Logical,
            'L',
            "logical",
            "resolve '..' components before symlinks",
        ),
        Opt::flag(
            Flag::Physical,
            'P',
            "physical",
            "resolve symlinks as encountered (default)",
        ),
        Opt::flag(Flag::Quiet, 'q', "quiet", "suppress most error messages"),
        Opt::long(
            Flag::RelativeTo,
            "relative-to",
            "print the resolved path relative to DIR",
        )
        .takes("DIR"),
        Opt::long(
            Flag::RelativeBase,
            "relative-base",
            "print absolute paths unless paths below DIR",
        )
        .takes("DIR"),
        Opt::flag(Flag::Strip, 's', "strip", ""),
        Opt::long(Flag::Strip, "no-symlinks", "don't expand symlinks"),
        Opt::flag(
            Flag::Zero,
            'z',
            "zero",
            "end each output line with NUL, not newline",
        ),
    ],
);

/// How paths are resolved.
#[derive(Clone, Copy)]
struct Resolution {
    existing: Existing,
    /// Take `..` as text first.
    lexical: bool,
    /// Follow links (after that).
    links: bool,
}

/// The directories that paths are seen from.
#[derive(Default)]
struct Relative {
    to: Option<Vec<u8>>,
    base: Option<Vec<u8>>,
}

async fn run(proc: &mut Proc) -> Result<i32, Stop> {
    let parsed = usage::parse(proc, &SPEC).await?;
    if parsed.operands.is_empty() {
        return Err(usage::refuse(proc, &SPEC.missing_operand()).await);
    }
    let existing = match parsed.last_of(&[Flag::CanonicalizeExisting, Flag::CanonicalizeMissing]) {
        None => Existing::Parent,
        Some(Flag::CanonicalizeExisting) => Existing::All,
        Some(_) => Existing::None,
    };
    let links = parsed.last_of(&[Flag::Logical, Flag::Physical, Flag::Strip]);
    let resolution = Resolution {
        existing,
        lexical: matches!(links, Some(Flag::Logical | Flag::Strip)),
        links: links != Some(Flag::Strip),
    };
    let relative = read_relative(proc, &parsed, resolution);
    let relative = usage::accept(proc, relative).await?;
    let end: &[u8] = if parsed.has(Flag::Zero) { b"\0" } else { b"\n" };
    let mut status = 0;
    for path in &parsed.operands {
        match resolution.resolve(proc, path) {
            Ok(resolved) => {
                let shown = relative.show(resolved);
                proc.write(&[&shown, end].concat()).await?;
            }
            Err(errno) => {
                status = 1;
                if !parsed.has(Flag::Quiet) {
                    usage::warn_file(proc, path, errno).await?;
                }
            }
        }
    }
    Ok(status)
}

fn read_relative(proc: &Proc, parsed: &Parsed<Flag>, resolution: Resolution) -> Result<Relative, UsageError> {
    let (to, base) = (parsed.last(Flag::RelativeTo), parsed.last(Flag::RelativeBase));
    let directory = |path: &[u8]| -> Result<Vec<u8>, UsageError> {
        let resolved = resolution.resolve(proc, path).and_then(|resolved| {
            let needed = resolution.existing == Existing::All;
            if needed && !is_directory(proc, &resolved) {
                return Err(Errno::ENOTDIR);
            }
            Ok(resolved)
        });
        resolved.map_err(|errno| UsageError::plain(1, message!(quotef(path), ": ", errno.message())))
    };
    let Some(first) = to.or(base) else {
        return Ok(Relative::default());
    };
    let resolved = directory(first)?;
    let Some(base) = base else {
        return Ok(Relative {
            to: Some(resolved),
            base: None,
        });
    };
    let base = if to.is_none() {
        resolved.clone()
    } else {
        directory(base)?
    };
    if is_prefix(&base, &resolved) {
        return Ok(Relative {
            to: Some(resolved),
            base: Some(base),
        });
    }
    Ok(Relative::default())
}

fn is_directory(proc: &Proc, path: &[u8]) -> bool {
    proc.metadata(path, Follow::Yes)
        .is_ok_and(|found| found.kind == FileKind::Directory)
}

/// The directory `prefix` is `path` or above it.
fn is_prefix(prefix: &[u8], path: &[u8]) -> bool {
    if prefix == b"/" {
        return true;
    }
    path.strip_prefix(prefix)
        .is_some_and(|rest| matches!(rest.first(), None | Some(b'/')))
}

impl Relative {
    fn show(&self, resolved: Vec<u8>) -> Vec<u8> {
        match (&self.to, &self.base) {
            (None, _) => resolved,
            (Some(_), Some(base)) if !is_prefix(base, &resolved) => resolved,
            (Some(to), _) => path::relative_to(&resolved, to),
        }
    }
}

impl Resolution {
    fn resolve(self, proc: &Proc, path: &[u8]) -> Result<Vec<u8>, Errno> {
        if !self.lexical {
            return proc.canonicalize(path, self.existing);
        }
        let resolved = self.resolve_lexically(proc, path)?;
        if self.links {
            proc.canonicalize(&resolved, self.existing)
        } else {
            Ok(resolved)
        }
    }

    fn resolve_lexically(self, proc: &Proc, path: &[u8]) -> Result<Vec<u8>, Errno> {
        if path.is_empty() {
            return Err(Errno::ENOENT);
        }
        let whole = if path.starts_with(b"/") {
            path.to_vec()
        } else {
            path::join(&proc.cwd, path)
        };
        let given = whole.len() - path.len();
        let mut components: Vec<&[u8]> = Vec::new();
        let mut at = 0;
        for component in whole.split(|byte| *byte == b'/') {
            at += component.len();
            match component {
                b"" | b"." => {}
                b".." => drop(components.pop()),
                name => {
                    components.push(name);
                    // The working directory is there.
                    if at > given {
                        let so_far = [b"/", components.join(&b'/').as_slice()].concat();
                        self.check(proc, &so_far, whole.get(at..).unwrap_or_default())?;
                    }
                }
            }
            at += 1;
        }
        Ok([b"/", components.join(&b'/').as_slice()].concat())
    }

    /// Whether a path with `rest` behind it may be as it is.
    fn check(self, proc: &Proc, path: &[u8], rest: &[u8]) -> Result<(), Errno> {
        if self.existing == Existing::None {
            return Ok(());
        }
        let found = if needs_directory(rest) {
            proc.metadata(&[path, b"/"].concat(), Follow::Yes).map(drop)
        } else if rest.is_empty() {
            proc.metadata(path, Follow::Yes).map(drop)
        } else {
            Ok(())
        };
        let is_last = rest.iter().all(|byte| *byte == b'/');
        match found {
            Err(Errno::ENOENT) if self.existing == Existing::Parent && is_last => Ok(()),
            found => found,
        }
    }
}

/// What follows a component makes sense only behind a directory: slashes, `.` and `..`.
fn needs_directory(rest: &[u8]) -> bool {
    if !rest.starts_with(b"/") {
        return false;
    }
    let mut components = rest.split(|byte| *byte == b'/').filter(|name| !name.is_empty());
    loop {
        match components.next() {
            None | Some(b"..") => return true,
            Some(b".") => {}
            Some(_) => return false,
        }
    }
}
