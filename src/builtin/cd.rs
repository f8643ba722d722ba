//! `cd [-L|[-P [-e]] [-@]] [dir]`

use crate::args::BuiltinSpec;
use crate::expand::Attributes;
use crate::fs::{Access, Errno, Existing, FileKind, Follow};
use crate::interp::{Flow, Interp, Set, Shopt};

const LETTERS: &str = "eLP@";

/// The builtin.
pub fn run(interp: &mut Interp, args: &[Vec<u8>]) -> Flow {
    run_as(interp, "cd", args)
}

/// What `cd`, `pushd` and `popd` do; messages carry the name of the builtin.
pub(super) fn run_as(interp: &mut Interp, name: &'static str, args: &[Vec<u8>]) -> Flow {
    let spec = BuiltinSpec::new(name, LETTERS);
    let parsed = match interp.parse_options(&spec, args) {
        Ok(parsed) => parsed,
        Err(status) => return Ok(status),
    };
    if parsed.has(b'@') {
        let error = spec.usage_error(Some(b"-@: invalid option".to_vec()));
        return Ok(interp.say_usage(name, error));
    }
    let physical = match parsed
        .options
        .iter()
        .rev()
        .find(|option| matches!(option.letter, b'L' | b'P'))
    {
        Some(option) => option.letter == b'P',
        None => interp.options.is(Set::Physical),
    };
    if parsed.operands.len() > 1 {
        interp.complain(name, "too many arguments");
        return Ok(1);
    }
    let (target, from) = match parsed.operands.first().map(Vec::as_slice) {
        None => match interp.scalar(b"HOME") {
            Some(home) => (home, From::Home),
            None => {
                interp.complain(name, "HOME not set");
                return Ok(1);
            }
        },
        Some(b"-") => match interp.scalar(b"OLDPWD") {
            Some(old) => (old, From::Oldpwd),
            None => {
                interp.complain(name, "OLDPWD not set");
                return Ok(1);
            }
        },
        Some(target) => (target.to_vec(), From::Operand),
    };
    change(interp, name, &target, physical, from)
}

/// Where a directory's name comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum From {
    Operand,
    Home,
    /// `cd -`: the new directory is printed.
    Oldpwd,
}

/// Tries `CDPATH`, then the directory itself.
fn change(interp: &mut Interp, name: &str, target: &[u8], physical: bool, from: From) -> Flow {
    let given = from == From::Operand;
    let first = target.split(|byte| *byte == b'/').next();
    let relative = (target.is_empty() && given) || !matches!(first, Some(b"" | b"." | b".."));
    if relative && let Some(list) = interp.scalar(b"CDPATH") {
        for prefix in list.split(|byte| *byte == b':') {
            let candidate = match prefix.last() {
                None => target.to_vec(),
                Some(b'/') => [prefix, target].concat(),
                Some(_) => [prefix, b"/", target].concat(),
            };
            if enter(interp, &candidate, physical).is_ok() {
                if !prefix.is_empty() {
                    print_cwd(interp);
                }
                return Ok(0);
            }
        }
    }
    match enter(interp, target, physical) {
        Ok(()) => {
            if from == From::Oldpwd {
                // An empty one leads nowhere, and is shown so.
                match target.is_empty() {
                    true => interp.print(b"\n"),
                    false => print_cwd(interp),
                }
            }
            Ok(0)
        }
        Err(errno) => {
            if interp.options.shopt(Shopt::CdableVars)
                && let Some(value) = interp.scalar(target)
                && enter(interp, &value, physical).is_ok()
            {
                print_cwd(interp);
                return Ok(0);
            }
            interp.complain(name, [target, format!(": {errno}").as_bytes()].concat());
            Ok(1)
        }
    }
}

fn print_cwd(interp: &mut Interp) {
    let line = [&*interp.proc.cwd, b"\n"].concat();
    interp.print(line);
}

/// Makes a directory the working directory; sets `PWD` and `OLDPWD`.
pub(super) fn enter(interp: &mut Interp, target: &[u8], physical: bool) -> Result<(), Errno> {
    let target = if target.is_empty() {
        b".".as_slice()
    } else {
        target
    };
    let path = if physical {
        let path = interp
            .proc
            .fs
            .canonicalize(&interp.proc.view(), target, Existing::All)?;
        match is_double(target) {
            true => [b"/", path.as_slice()].concat(),
            false => path,
        }
    } else {
        let path = logical(&interp.proc.cwd, target);
        leaves_directories(interp, target)?;
        path
    };
    let metadata = interp.proc.metadata(&path, Follow::Yes)?;
    if metadata.kind != FileKind::Directory {
        return Err(Errno::ENOTDIR);
    }
    interp
        .proc
        .fs
        .access(&interp.proc.view(), &path, Access::EXECUTE)?;
    let old = interp.scalar(b"PWD").unwrap_or_else(|| interp.proc.cwd.to_vec());
    interp.proc.cwd = path.as_slice().into();
    set_directory(interp, b"OLDPWD", old);
    set_directory(interp, b"PWD", path);
    Ok(())
}

fn set_directory(interp: &mut Interp, name: &[u8], value: Vec<u8>) {
    let exported = interp
        .vars
        .get(name)
        .is_some_and(|variable| variable.attributes.has(Attributes::EXPORT));
    if exported {
        interp.vars.set_exported(name, value);
    } else {
        interp.vars.set_raw(name, value);
    }
}

/// Bytes of a path, at most.
const PATH_MAX: usize = 4096;

/// What `..` leaves must be a directory, though it is removed by text.
fn leaves_directories(interp: &Interp, target: &[u8]) -> Result<(), Errno> {
    // No path of the system is longer, and each step looks at all that stands before.
    if target.len() > PATH_MAX {
        return Ok(());
    }
    for at in memchr::memmem::find_iter(target, b"/..") {
        let ends = target.get(at + 3).is_none_or(|byte| *byte == b'/');
        let before = logical(&interp.proc.cwd, target.get(..at).unwrap_or_default());
        if ends && interp.proc.metadata(&before, Follow::Yes)?.kind != FileKind::Directory {
            return Err(Errno::ENOTDIR);
        }
    }
    Ok(())
}

/// Joins and removes `.` and `..` by text, as `cd -L` does.
fn logical(cwd: &[u8], target: &[u8]) -> Vec<u8> {
    let absolute = match (target.first(), cwd.last()) {
        (Some(b'/'), _) => target.to_vec(),
        (_, Some(b'/')) => [cwd, target].concat(),
        _ => [cwd, b"/", target].concat(),
    };
    let mut parts: Vec<&[u8]> = Vec::new();
    for part in absolute.split(|byte| *byte == b'/') {
        match part {
            b"" | b"." => {}
            b".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    let prefix: &[u8] = if is_double(&absolute) { b"//" } else { b"/" };
    [prefix, &parts.join(&b'/')].concat()
}

/// POSIX keeps exactly two slashes at the start apart.
fn is_double(path: &[u8]) -> bool {
    path.starts_with(b"//") && !path.starts_with(b"///")
}
