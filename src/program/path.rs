//! Paths as text: what gnulib's `dirname` and `filenamecat` modules do.

/// `directory/name`, with one slash between; an empty directory gives the name.
pub fn join(directory: &[u8], name: &[u8]) -> Vec<u8> {
    let mut path = directory.to_vec();
    if !path.is_empty() && path.last() != Some(&b'/') {
        path.push(b'/');
    }
    path.extend_from_slice(name);
    path
}

/// [`join`] where slashes before the name do not count: `file_name_concat`.
pub fn concatenate(directory: &[u8], name: &[u8]) -> Vec<u8> {
    let start = name.iter().take_while(|byte| **byte == b'/').count();
    join(directory, name.get(start..).unwrap_or_default())
}

/// The path without slashes at its end; `/` stays.
pub fn without_trailing_slashes(path: &[u8]) -> &[u8] {
    let end = path
        .iter()
        .rposition(|byte| *byte != b'/')
        .map_or(0, |last| last + 1);
    match path.get(..end) {
        Some([]) if !path.is_empty() => b"/",
        Some(stripped) => stripped,
        None => path,
    }
}

/// The last component with the slashes after it; of `/` nothing.
pub fn last_component(path: &[u8]) -> &[u8] {
    let stripped = without_trailing_slashes(path);
    if stripped == b"/" {
        return b"";
    }
    let start = stripped
        .iter()
        .rposition(|byte| *byte == b'/')
        .map_or(0, |slash| slash + 1);
    path.get(start..).unwrap_or_default()
}

/// The last component without slashes; of `/` a slash: what `basename` prints.
pub fn base_name(path: &[u8]) -> &[u8] {
    let stripped = without_trailing_slashes(path);
    if stripped == b"/" {
        return b"/";
    }
    last_component(stripped)
}

/// The directory of a path, with its slash; nothing for a name alone.
pub fn directory_of(path: &[u8]) -> &[u8] {
    let end = path.iter().rposition(|byte| *byte == b'/').map_or(0, |at| at + 1);
    path.get(..end).unwrap_or_default()
}

/// The name of a file that will replace one in the same directory: a prefix and six letters that a random number chooses.
pub fn temporary_beside(path: &[u8], prefix: &[u8], number: u64) -> Vec<u8> {
    const LETTERS: &[u8; 62] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    let letters = (0..6).map(|place| (number >> (place * 8)) as usize % LETTERS.len());
    let letters = letters.filter_map(|index| LETTERS.get(index).copied());
    let mut name = [directory_of(path), prefix].concat();
    name.extend(letters);
    name
}

/// What is before the last component: what `dirname` prints.
pub fn directory_name(path: &[u8]) -> &[u8] {
    let stripped = without_trailing_slashes(path);
    match stripped.iter().rposition(|byte| *byte == b'/') {
        None => b".",
        Some(slash) => match without_trailing_slashes(stripped.get(..slash).unwrap_or_default()) {
            [] => b"/",
            directory => directory,
        },
    }
}

/// The canonical path `path` as it is written from the canonical directory `from`.
pub fn relative_to(path: &[u8], from: &[u8]) -> Vec<u8> {
    fn components(path: &[u8]) -> Vec<&[u8]> {
        path.split(|byte| *byte == b'/')
            .filter(|name| !name.is_empty())
            .collect()
    }
    let (path, from) = (components(path), components(from));
    let common = path
        .iter()
        .zip(&from)
        .take_while(|(left, right)| left == right)
        .count();
    let up = from.iter().skip(common).map(|_| &b".."[..]);
    let words: Vec<&[u8]> = up.chain(path.iter().skip(common).copied()).collect();
    if words.is_empty() {
        b".".to_vec()
    } else {
        words.join(&b'/')
    }
}

/// The last component is `.` or `..`.
pub fn is_dot_or_dotdot(name: &[u8]) -> bool {
    matches!(without_trailing_slashes(last_component(name)), b"." | b"..")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts() {
        for (path, directory, base) in [
            ("a/b//", "a", "b"),
            ("/", "/", "/"),
            ("//", "/", "/"),
            ("/a", "/", "a"),
            ("a", ".", "a"),
            ("a//b", "a", "b"),
            ("", ".", ""),
        ] {
            assert_eq!(directory_name(path.as_bytes()), directory.as_bytes(), "{path}");
            assert_eq!(base_name(path.as_bytes()), base.as_bytes(), "{path}");
        }
        assert_eq!(last_component(b"a/b//"), b"b//");
        assert_eq!(concatenate(b"d", b"/x"), b"d/x");
        assert_eq!(join(b"d/", b"x"), b"d/x");
        assert_eq!(relative_to(b"/a/b", b"/a/c/d"), b"../../b");
        assert_eq!(relative_to(b"/a", b"/a"), b".");
        assert_eq!(relative_to(b"/", b"/a"), b"..");
        assert!(is_dot_or_dotdot(b"a/../"));
    }
}
