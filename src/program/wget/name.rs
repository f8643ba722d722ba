//! Names of local files.

use super::options::Options;
use crate::fs::{FileKind, Follow};
use crate::kernel::Proc;
use crate::net::{Url, percent_decoded};

/// The longest a name gets: what a file system takes, less room for an ending.
const LONGEST: usize = 236;

/// A name, and how long it was before it was cut.
pub(super) struct Name {
    pub(super) path: Vec<u8>,
    pub(super) cut_from: Option<usize>,
}

/// The file for a URL.
pub(super) fn of(url: &Url, options: &Options) -> Name {
    let (path, query) = match url.target.split_once('?') {
        Some((path, query)) => (path, Some(query)),
        None => (url.target.as_str(), None),
    };
    let segments: Vec<&str> = path.split('/').skip(1).collect();
    let (last, above) = segments
        .split_last()
        .map_or(("", &[][..]), |(last, above)| (*last, above));
    let mut name = if last.is_empty() {
        options.default_page.clone()
    } else {
        local(last)
    };
    if let Some(query) = query {
        name.push(b'?');
        name.extend(local(query));
    }
    let cut_from = (name.len() > LONGEST).then_some(name.len());
    name.truncate(LONGEST);
    let mut parts: Vec<Vec<u8>> = Vec::new();
    if options.directories {
        if options.protocol_directories {
            parts.push(url.scheme.name().as_bytes().to_vec());
        }
        if options.host_directories {
            parts.push(url.host_header().into_bytes());
        }
        let wanted = above
            .iter()
            .filter(|part| !part.is_empty())
            .skip(options.cut_directories);
        parts.extend(wanted.map(|part| local(part)));
    }
    parts.push(name);
    Name {
        path: placed(&parts.join(&b'/'), options),
        cut_from,
    }
}

/// Below the directory of `-P`.
pub(super) fn placed(name: &[u8], options: &Options) -> Vec<u8> {
    match options.prefix.as_deref() {
        None | Some(b"." | b"") => name.to_vec(),
        Some(prefix) => {
            let prefix = prefix.strip_suffix(b"/").unwrap_or(prefix);
            [prefix, b"/", name].concat()
        }
    }
}

/// A part of a URL as part of a file name: `%XX` is undone, and done again for what must not be in a name.
fn local(part: &str) -> Vec<u8> {
    let decoded = percent_decoded(part);
    match decoded.as_slice() {
        b"." => return b"%2E".to_vec(),
        b".." => return b"%2E%2E".to_vec(),
        _ => {}
    }
    let is_text = std::str::from_utf8(&decoded).is_ok();
    let mut name = Vec::with_capacity(decoded.len());
    for byte in decoded {
        let bad = byte < b' ' || byte == b'/' || (!is_text && (0x80..0xa0).contains(&byte));
        if bad {
            name.extend(format!("%{byte:02X}").into_bytes());
        } else {
            name.push(byte);
        }
    }
    name
}

/// Whether there is a file of this name; a directory is none.
pub(super) fn is_taken(proc: &Proc, path: &[u8]) -> bool {
    proc.metadata(path, Follow::Yes)
        .is_ok_and(|file| file.kind != FileKind::Directory)
}

/// The name, or the first of `NAME.1`, `NAME.2` … that no file has.
pub(super) fn unique(proc: &Proc, path: Vec<u8>) -> Vec<u8> {
    if !is_taken(proc, &path) {
        return path;
    }
    let mut number = 1_u64;
    loop {
        let numbered = [path.as_slice(), format!(".{number}").as_bytes()].concat();
        // A halted run charges no call, and finds no file.
        if !is_taken(proc, &numbered) {
            return numbered;
        }
        number += 1;
    }
}
