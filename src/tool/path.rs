//! Paths in tool input and output.

/// The absolute form of a path: taken from `directory`, without `.` and doubled slashes. `..` stays, since what it means depends on links.
pub(super) fn absolute(directory: &[u8], path: &str) -> Vec<u8> {
    let path = path.as_bytes();
    let from = if path.starts_with(b"/") {
        b"".as_slice()
    } else {
        directory
    };
    let mut clean = Vec::with_capacity(from.len() + path.len() + 1);
    let components = from
        .split(|byte| *byte == b'/')
        .chain(path.split(|byte| *byte == b'/'));
    for component in components.filter(|component| !component.is_empty() && *component != b".") {
        clean.push(b'/');
        clean.extend_from_slice(component);
    }
    if clean.is_empty() {
        clean.push(b'/');
    }
    clean
}

/// A path below a directory.
pub(super) fn below(directory: &[u8], name: &[u8]) -> Vec<u8> {
    let slash: &[u8] = if directory.ends_with(b"/") { b"" } else { b"/" };
    [directory, slash, name].concat()
}

/// A path as text.
pub(super) fn show(path: &[u8]) -> String {
    String::from_utf8_lossy(path).into_owned()
}
