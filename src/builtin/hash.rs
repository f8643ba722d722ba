//! `hash [-lr] [-p pathname] [-dt] [name …]`

use std::sync::Arc;

use crate::args::{BuiltinParsed, BuiltinSpec};
use crate::fs::{FileKind, Follow};
use crate::interp::{Flow, Interp, Set};
use crate::text::quote;

const SPEC: BuiltinSpec = BuiltinSpec::new("hash", "dlp:rt");

/// Chains of bash's table of remembered commands; it lists them in their order.
const BUCKETS: u32 = 256;

/// The builtin.
pub fn run(interp: &mut Interp, args: &[Vec<u8>]) -> Flow {
    if !interp.options.is(Set::Hashall) {
        interp.complain("hash", "hashing disabled");
        return Ok(1);
    }
    let parsed = match interp.parse_options(&SPEC, args) {
        Ok(parsed) => parsed,
        Err(status) => return Ok(status),
    };
    if parsed.operands.is_empty() {
        return without_names(interp, &parsed);
    }
    if parsed.has(b'r') {
        interp.hashed = Arc::default();
    }
    if parsed.has(b't') {
        return show_targets(interp, &parsed.operands, parsed.has(b'l'));
    }
    let mut status = 0;
    for name in parsed.operands.iter().filter(|name| !name.contains(&b'/')) {
        let done = match parsed.last(b'p') {
            Some(path) => remember(interp, name, path),
            None if parsed.has(b'd') => forget(interp, name),
            None => search_again(interp, name),
        };
        if !done {
            status = 1;
        }
    }
    Ok(status)
}

fn without_names(interp: &mut Interp, parsed: &BuiltinParsed) -> Flow {
    if let Some(letter) = [b'd', b't'].into_iter().find(|letter| parsed.has(*letter)) {
        interp.complain(
            "hash",
            [b"-", [letter].as_slice(), b": option requires an argument"].concat(),
        );
        return Ok(1);
    }
    if parsed.has(b'r') {
        interp.hashed = Arc::default();
    } else {
        list(interp, parsed.has(b'l'));
    }
    Ok(0)
}

fn list(interp: &mut Interp, reusable: bool) {
    let hashed = Arc::clone(&interp.hashed);
    if hashed.is_empty() {
        if !reusable && !interp.options.is(Set::Posix) {
            interp.print("hash: hash table empty\n");
        }
        return;
    }
    let mut entries: Vec<_> = hashed.iter().collect();
    entries.sort_by_key(|(name, _)| crate::expand::assoc_hash(name) % BUCKETS);
    if !reusable {
        interp.print("hits\tcommand\n");
    }
    for (name, (path, hits)) in entries {
        if reusable {
            print_reusable(interp, name, path);
        } else {
            interp.print([format!("{hits:4}\t").as_bytes(), path, b"\n"].concat());
        }
    }
}

fn print_reusable(interp: &mut Interp, name: &[u8], path: &[u8]) {
    interp.print(
        [
            b"builtin hash -p ",
            &*quote::listed(path),
            b" ",
            &quote::listed(name),
            b"\n",
        ]
        .concat(),
    );
}

fn show_targets(interp: &mut Interp, names: &[Vec<u8>], reusable: bool) -> Flow {
    let mut status = 0;
    for name in names {
        let Some((path, hits)) = Arc::make_mut(&mut interp.hashed).get_mut(name) else {
            not_found(interp, name);
            status = 1;
            continue;
        };
        // Looking counts as a hit.
        *hits += 1;
        let path = path.to_vec();
        if reusable {
            // Unquoted, whatever it holds.
            interp.print([b"builtin hash -p ", &*path, b" ", name, b"\n"].concat());
        } else if names.len() > 1 {
            interp.print([name, b"\t".as_slice(), &path, b"\n"].concat());
        } else {
            interp.print([&path, b"\n".as_slice()].concat());
        }
    }
    Ok(status)
}

fn remember(interp: &mut Interp, name: &[u8], path: &[u8]) -> bool {
    let is_dir = interp
        .proc
        .metadata(path, Follow::Yes)
        .is_ok_and(|metadata| metadata.kind == FileKind::Directory);
    if is_dir {
        interp.complain("hash", [path, b": Is a directory"].concat());
        return false;
    }
    let path = interp.proc.kernel.held(name, path.to_vec());
    Arc::make_mut(&mut interp.hashed).insert(name.to_vec(), (path, 0));
    true
}

fn forget(interp: &mut Interp, name: &[u8]) -> bool {
    let found = Arc::make_mut(&mut interp.hashed).remove(name).is_some();
    if !found {
        not_found(interp, name);
    }
    found
}

/// Functions and builtins need no path, so they are let be.
fn search_again(interp: &mut Interp, name: &[u8]) -> bool {
    if interp.functions.contains_key(name) || interp.find_builtin(name).is_some() {
        return true;
    }
    Arc::make_mut(&mut interp.hashed).remove(name);
    match interp.find_in_path(name).into_iter().next() {
        Some(path) => {
            let path = interp.proc.kernel.held(name, path);
            Arc::make_mut(&mut interp.hashed).insert(name.to_vec(), (path, 0));
            true
        }
        None => {
            not_found(interp, name);
            false
        }
    }
}

fn not_found(interp: &mut Interp, name: &[u8]) {
    interp.complain("hash", [name, b": not found"].concat());
}
