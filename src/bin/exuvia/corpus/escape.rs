//! The escaped form of bodies: how any bytes stand in a case file as text.

/// What starts a case.
pub const CASE: &[u8] = b"=== ";

/// What starts a section of a case.
pub const SECTION: &[u8] = b"~~~ ";

fn is_marker(line: &[u8]) -> bool {
    line.starts_with(CASE) || line.starts_with(SECTION)
}

/// Undoes [`escape`]; the error is a sentence.
pub fn unescape(text: &[u8]) -> Result<Vec<u8>, &'static str> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((&byte, tail)) = rest.split_first() {
        rest = tail;
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        let (value, width) = match rest {
            [b'\\', ..] => (b'\\', 1),
            [b't', ..] => (b'\t', 1),
            [b'n', ..] => (b'\n', 1),
            [b'r', ..] => (b'\r', 1),
            [b'e', ..] => (0x1b, 1),
            [b'x', high, low, ..] => match (hex(*high), hex(*low)) {
                (Some(high), Some(low)) => (high * 16 + low, 3),
                _ => return Err("\\x takes two hexadecimal digits"),
            },
            _ => return Err("unknown escape"),
        };
        out.push(value);
        rest = rest.get(width..).unwrap_or_default();
    }
    Ok(out)
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|d| u8::try_from(d).ok())
}

/// Whether a body can stand in a file as it is.
pub fn is_plain(bytes: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return false;
    };
    !text.chars().any(|c| c.is_control() && c != '\n' && c != '\t')
        && !bytes.split(|&b| b == b'\n').any(is_marker)
}

/// The escaped form of a body: text stays, all else becomes `\xHH`; newlines stay newlines.
pub fn escape(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    for line in bytes.split_inclusive(|&b| b == b'\n') {
        let marked = is_marker(line);
        let (marker, line) = if marked {
            line.split_at(1)
        } else {
            line.split_at(0)
        };
        push_hex(&mut out, marker);
        for chunk in line.utf8_chunks() {
            for c in chunk.valid().chars() {
                escape_char(&mut out, c);
            }
            push_hex(&mut out, chunk.invalid());
        }
    }
    out
}

fn escape_char(out: &mut Vec<u8>, c: char) {
    let mut buffer = [0; 4];
    let bytes = c.encode_utf8(&mut buffer).as_bytes();
    match c {
        '\n' | '\t' => out.extend_from_slice(bytes),
        '\\' => out.extend_from_slice(b"\\\\"),
        '\r' => out.extend_from_slice(b"\\r"),
        '\x1b' => out.extend_from_slice(b"\\e"),
        c if c.is_control() => push_hex(out, bytes),
        _ => out.extend_from_slice(bytes),
    }
}

fn push_hex(out: &mut Vec<u8>, bytes: &[u8]) {
    for byte in bytes {
        out.extend_from_slice(format!("\\x{byte:02x}").as_bytes());
    }
}
