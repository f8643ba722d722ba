//! Binary formats, and texts that are known by their first line alone: the description and the MIME type.

type Described = (String, &'static str);

/// What the first bytes say; `end` are the last four of the file.
pub fn of(data: &[u8], end: &[u8]) -> Option<Described> {
    plain(data)
        .or_else(|| archive(data, end))
        .or_else(|| image(data))
        .or_else(|| elf(data))
        .or_else(|| document(data))
        .or_else(|| tar(data))
}

fn number(data: &[u8], at: usize, bytes: usize, little: bool) -> Option<u64> {
    let bytes = data.get(at..at + bytes)?;
    let fold = |sum: u64, byte: &u8| sum << 8 | u64::from(*byte);
    Some(match little {
        true => bytes.iter().rev().fold(0, fold),
        false => bytes.iter().fold(0, fold),
    })
}

/// Formats that are described by one sentence.
const PLAIN: &[(&[u8], &str, &str)] = &[
    (b"-----BEGIN CERTIFICATE-----", "PEM certificate", "text/plain"),
    (
        b"-----BEGIN CERTIFICATE REQ",
        "PEM certificate request",
        "text/plain",
    ),
    (b"-----BEGIN RSA PRIVATE", "PEM RSA private key", "text/plain"),
    (b"-----BEGIN DSA PRIVATE", "PEM DSA private key", "text/plain"),
    (b"-----BEGIN EC PRIVATE", "PEM EC private key", "text/plain"),
    (
        b"-----BEGIN OPENSSH PRIVATE KEY-----",
        "OpenSSH private key",
        "text/plain",
    ),
    (b"ssh-rsa ", "OpenSSH RSA public key", "text/plain"),
    (b"ssh-ed25519", "OpenSSH ED25519 public key", "text/plain"),
    (b"#!/usr/bin/perl", "Perl script text executable", "text/x-perl"),
    (b"#! /usr/bin/perl", "Perl script text executable", "text/x-perl"),
    (
        b"#!/usr/bin/env perl",
        "Perl script text executable",
        "text/x-perl",
    ),
    (b"BEGIN:VCALENDAR", "vCalendar calendar file", "text/calendar"),
    (b"BEGIN:VCARD", "vCard visiting card", "text/vcard"),
    (
        b"7z\xbc\xaf\x27\x1c\0\x04",
        "7-zip archive data, version 0.4",
        "application/x-7z-compressed",
    ),
    (
        b"\x28\xb5\x2f\xfd",
        "Zstandard compressed data (v0.8+), Dictionary ID: None",
        "application/zstd",
    ),
    (b"!<arch>\n", "current ar archive", "application/x-archive"),
    (b"RIFF", "", ""),
];

fn plain(data: &[u8]) -> Option<Described> {
    let (_, text, kind) = PLAIN.iter().find(|(start, ..)| data.starts_with(start))?;
    if !text.is_empty() {
        return Some(((*text).to_owned(), kind));
    }
    match data.get(8..12)? {
        b"WEBP" => Some(("RIFF (little-endian) data, Web/P image".to_owned(), "image/webp")),
        _ => None,
    }
}

fn archive(data: &[u8], end: &[u8]) -> Option<Described> {
    match data {
        [0x1f, 0x8b, ..] => Some((gzip(data, end)?, "application/gzip")),
        [b'B', b'Z', b'h', level @ b'1'..=b'9', ..] => Some((
            format!("bzip2 compressed data, block size = {}00k", char::from(*level)),
            "application/x-bzip2",
        )),
        [0xfd, b'7', b'z', b'X', b'Z', 0, _, check, ..] => {
            let check = match check & 15 {
                0 => "NONE",
                1 => "CRC32",
                4 => "CRC64",
                10 => "SHA-256",
                _ => return Some(("XZ compressed data".to_owned(), "application/x-xz")),
            };
            Some((
                format!("XZ compressed data, checksum {check}"),
                "application/x-xz",
            ))
        }
        [b'P', b'K', 5, 6, ..] => Some(("Zip archive data (empty)".to_owned(), "application/zip")),
        [b'P', b'K', 3, 4, version, ..] if data.len() >= 30 => {
            let method = match number(data, 8, 2, true)? {
                0 => "store",
                8 => "deflate",
                12 => "bzip2",
                14 => "lzma",
                _ => return Some(("Zip archive data".to_owned(), "application/zip")),
            };
            let (major, minor) = (version / 10, version % 10);
            Some((
                format!(
                    "Zip archive data, at least v{major}.{minor} to extract, compression method={method}"
                ),
                "application/zip",
            ))
        }
        _ => None,
    }
}

fn gzip(data: &[u8], end: &[u8]) -> Option<String> {
    let flags = *data.get(3)?;
    let mut text = "gzip compressed data".to_owned();
    if flags & 8 != 0 && flags & 4 == 0 {
        let name = data.get(10..)?.split(|byte| *byte == 0).next()?;
        text.push_str(&format!(", was \"{}\"", String::from_utf8_lossy(name)));
    }
    let time = number(data, 4, 4, true)?;
    if time > 0 {
        let stamp = jiff::Timestamp::from_second(i64::try_from(time).ok()?).ok()?;
        let stamp = jiff::tz::TimeZone::UTC.to_datetime(stamp);
        text.push_str(&format!(
            ", last modified: {}",
            stamp.strftime("%a %b %e %H:%M:%S %Y")
        ));
    }
    match data.get(8)? {
        2 => text.push_str(", max compression"),
        4 => text.push_str(", max speed"),
        _ => {}
    }
    text.push_str(match data.get(9)? {
        0 => ", from FAT filesystem (MS-DOS, OS/2, NT)",
        3 => ", from Unix",
        _ => "",
    });
    if let Some(size) = number(end, 0, 4, true) {
        text.push_str(&format!(", original size modulo 2^32 {size}"));
    }
    Some(text)
}

fn image(data: &[u8]) -> Option<Described> {
    if data.starts_with(b"\x89PNG\r\n\x1a\n") {
        return png(data).map(|text| (text, "image/png"));
    }
    if let [b'G', b'I', b'F', b'8', version @ (b'7' | b'9'), b'a', ..] = data {
        let (width, height) = (number(data, 6, 2, true)?, number(data, 8, 2, true)?);
        let version = char::from(*version);
        return Some((
            format!("GIF image data, version 8{version}a, {width} x {height}"),
            "image/gif",
        ));
    }
    if data.starts_with(&[0xff, 0xd8, 0xff]) {
        return Some((jpeg(data), "image/jpeg"));
    }
    None
}

fn png(data: &[u8]) -> Option<String> {
    if data.get(12..16)? != b"IHDR" {
        return None;
    }
    let (width, height) = (number(data, 16, 4, false)?, number(data, 20, 4, false)?);
    let depth = data.get(24)?;
    let colours = match data.get(25)? {
        0 => " grayscale",
        2 => "/color RGB",
        3 => " colormap",
        4 => " gray+alpha",
        6 => "/color RGBA",
        _ => return None,
    };
    let interlaced = if *data.get(28)? == 0 {
        "non-interlaced"
    } else {
        "interlaced"
    };
    // The colours follow the depth: `8-bit/color RGB`, `1-bit grayscale`.
    Some(format!(
        "PNG image data, {width} x {height}, {depth}-bit{colours}, {interlaced}"
    ))
}

fn jpeg(data: &[u8]) -> String {
    let mut text = "JPEG image data".to_owned();
    if data.get(6..11) != Some(b"JFIF\0") {
        return text;
    }
    let byte = |at: usize| data.get(at).copied().unwrap_or(0);
    let pair = |at: usize| number(data, at, 2, false).unwrap_or(0);
    text.push_str(&format!(", JFIF standard {}.{:02}", byte(11), byte(12)));
    text.push_str(match byte(13) {
        0 => ", aspect ratio",
        1 => ", resolution (DPI)",
        _ => ", resolution (DPCM)",
    });
    text.push_str(&format!(
        ", density {}x{}, segment length {}",
        pair(14),
        pair(16),
        pair(4)
    ));
    text
}

fn elf(data: &[u8]) -> Option<Described> {
    let rest = data.strip_prefix(b"\x7fELF")?;
    let bits = match rest.first()? {
        1 => "32-bit",
        2 => "64-bit",
        _ => return None,
    };
    let little = *rest.get(1)? == 1;
    let order = if little { "LSB" } else { "MSB" };
    let (kind, mime) = match number(data, 16, 2, little)? {
        1 => ("relocatable", "application/x-object"),
        2 => ("executable", "application/x-executable"),
        3 => ("shared object", "application/x-sharedlib"),
        4 => ("core file", "application/x-coredump"),
        _ => return None,
    };
    let machine = match number(data, 18, 2, little)? {
        3 => "Intel 80386",
        40 => "ARM",
        62 => "x86-64",
        183 => "ARM aarch64",
        243 => "UCB RISC-V",
        _ => "unknown arch",
    };
    Some((
        format!("ELF {bits} {order} {kind}, {machine}, version 1 (SYSV)"),
        mime,
    ))
}

fn document(data: &[u8]) -> Option<Described> {
    if let Some(rest) = data.strip_prefix(b"%PDF-") {
        let version = String::from_utf8_lossy(rest.get(..3)?).into_owned();
        return Some((format!("PDF document, version {version}"), "application/pdf"));
    }
    if data.starts_with(b"\xca\xfe\xba\xbe") {
        let (minor, major) = (number(data, 4, 2, false)?, number(data, 6, 2, false)?);
        if major < 45 {
            return None;
        }
        let release = match major - 44 {
            release @ 1..=8 => format!("1.{release}"),
            release => release.to_string(),
        };
        return Some((
            format!("compiled Java class data, version {major}.{minor} (Java {release})"),
            "application/x-java-applet",
        ));
    }
    if data.starts_with(b"\0asm\x01\0\0\0") {
        let text = "WebAssembly (wasm) binary module version 0x1 (MVP)";
        return Some((text.to_owned(), "application/wasm"));
    }
    let begin = data.get(..4096).unwrap_or(data);
    let blanks = begin.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    let begin = begin.get(blanks..)?;
    if (begin.starts_with(b"<svg") || begin.starts_with(b"<?xml"))
        && memchr::memmem::find(begin, b"<svg").is_some()
    {
        return Some(("SVG Scalable Vector Graphics image".to_owned(), "image/svg+xml"));
    }
    None
}

/// A tar archive is known by the sum of its first header.
fn tar(data: &[u8]) -> Option<Described> {
    let header = data.get(..512)?;
    let field = header.get(148..156)?;
    let digits = field.iter().skip_while(|byte| **byte == b' ');
    let stated = digits
        .take_while(|byte| (b'0'..=b'7').contains(*byte))
        .fold(0u32, |sum, digit| sum * 8 + u32::from(digit - b'0'));
    let sum: u32 = header
        .iter()
        .enumerate()
        .map(|(at, byte)| match at {
            148..156 => u32::from(b' '),
            _ => u32::from(*byte),
        })
        .sum();
    if sum != stated || sum == 256 {
        return None;
    }
    let text = match header.get(257..265)? {
        b"ustar  \0" => "POSIX tar archive (GNU)",
        magic if magic.starts_with(b"ustar\0") => "POSIX tar archive",
        _ => "tar archive",
    };
    Some((text.to_owned(), "application/x-tar"))
}
