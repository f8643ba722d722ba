//! `. file [args]`, `source file [args]`

use crate::args::BuiltinSpec;
use crate::fs::{Errno, FileKind, Follow};
use crate::interp::{Flow, Interp, Misuse, Set, Shopt};

const DOT: BuiltinSpec = BuiltinSpec::new(".", "");
const SOURCE: BuiltinSpec = BuiltinSpec::new("source", "");

/// `.`
pub async fn run_dot(interp: &mut Interp, args: Vec<Vec<u8>>) -> Flow {
    source(interp, &DOT, args).await
}

/// `source`
pub async fn run(interp: &mut Interp, args: Vec<Vec<u8>>) -> Flow {
    source(interp, &SOURCE, args).await
}

async fn source(interp: &mut Interp, spec: &BuiltinSpec, args: Vec<Vec<u8>>) -> Flow {
    let parsed = match interp.parse_options(spec, &args) {
        Ok(parsed) => parsed,
        Err(status) => return Ok(status),
    };
    let Some((name, rest)) = parsed.operands.split_first() else {
        interp.complain(spec.name, "filename argument required");
        interp.print_error(format!("{0}: usage: {0} filename [arguments]\n", spec.name));
        interp.misuse = Misuse::Usage;
        return Ok(2);
    };
    let Some(path) = find(interp, name) else {
        interp.complain(spec.name, [name, b": file not found".as_slice()].concat());
        return failed(interp);
    };
    let is_dir = interp
        .proc
        .metadata(&path, Follow::Yes)
        .is_ok_and(|metadata| metadata.kind == FileKind::Directory);
    if is_dir {
        interp.complain(spec.name, [&path, b": is a directory".as_slice()].concat());
        return Ok(1);
    }
    let text = match interp.read_whole(&path).await {
        Ok(text) => text,
        Err(errno) => {
            interp.error([&path, format!(": {errno}").as_bytes()].concat());
            return if errno == Errno::ENOENT {
                failed(interp)
            } else {
                Ok(1)
            };
        }
    };
    let args = (!rest.is_empty()).then(|| rest.to_vec());
    interp.run_sourced(&path, text, args).await
}

/// In posix mode a file that is not found ends the shell.
fn failed(interp: &mut Interp) -> Flow {
    interp.misuse = Misuse::Failure;
    Ok(1)
}

fn find(interp: &mut Interp, name: &[u8]) -> Option<Vec<u8>> {
    if name.contains(&b'/') || !interp.options.shopt(Shopt::Sourcepath) {
        return Some(name.to_vec());
    }
    let path = interp.scalar(b"PATH").unwrap_or_default();
    for directory in path.split(|byte| *byte == b':') {
        let directory = if directory.is_empty() {
            b".".as_slice()
        } else {
            directory
        };
        let candidate = [directory, b"/", name].concat();
        if interp
            .proc
            .metadata(&candidate, Follow::Yes)
            .is_ok_and(|found| found.kind == FileKind::Regular)
        {
            return Some(candidate);
        }
    }
    if interp.options.is(Set::Posix) {
        return None;
    }
    Some(name.to_vec())
}
