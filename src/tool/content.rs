//! Whether a file is text, and what it is when it is not.

/// Bytes at the start of a file that are looked at.
pub(super) const LOOK: usize = 8192;

/// How files of some kinds start.
const STARTS: &[(&[u8], &str)] = &[
    (b"%PDF-", "PDF document"),
    (b"\x00\x00\x01\x00", "icon"),
    (b"\x00asm", "WebAssembly module"),
    (b"\x1f\x8b", "gzip archive"),
    (b"\x28\xb5\x2f\xfd", "zstd archive"),
    (b"\x7fELF", "ELF program"),
    (b"\x89PNG\r\n\x1a\n", "PNG image"),
    (b"\xca\xfe\xba\xbe", "Java class or Mach-O program"),
    (b"\xcf\xfa\xed\xfe", "Mach-O program"),
    (b"\xd0\xcf\x11\xe0", "Microsoft Office document"),
    (b"\xfd7zXZ\x00", "xz archive"),
    (b"\xff\xd8\xff", "JPEG image"),
    (b"\xfe\xff", "UTF-16 text"),
    (b"\xff\xfe", "UTF-16 text"),
    (b"7z\xbc\xaf\x27\x1c", "7-Zip archive"),
    (b"BZh", "bzip2 archive"),
    (b"GIF8", "GIF image"),
    (b"ID3", "MP3 audio"),
    (b"MZ", "Windows program"),
    (b"OggS", "Ogg media"),
    (b"PK\x03\x04", "zip archive"),
    (b"RIFF", "RIFF media"),
    (b"SQLite format 3\x00", "SQLite database"),
];

/// The name of a binary file's type, judged by its start; `None` for text. Binary is what has a NUL byte there, as for `git`, or
/// the unmistakable start of a PDF document.
pub(super) fn binary_type(start: &[u8]) -> Option<&'static str> {
    let start = start.get(..LOOK).unwrap_or(start);
    let known = STARTS.iter().find(|(mark, _)| start.starts_with(mark));
    if start.starts_with(b"%PDF-") || memchr::memchr(0, start).is_some() {
        return Some(known.map_or_else(|| unknown_type(start), |(_, name)| name));
    }
    None
}

fn unknown_type(start: &[u8]) -> &'static str {
    if start.get(257..262) == Some(b"ustar") {
        "tar archive"
    } else if start.get(4..8) == Some(b"ftyp") {
        "MP4 media"
    } else {
        "data"
    }
}
