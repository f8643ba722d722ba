//! `$'…'`: what the escapes of ANSI C mean in bash.

/// The text that `raw`, what stood between the quotes, means. `\0` (in any spelling) ends the text, as in bash.
pub(super) fn decode(raw: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(raw.len());
    let mut rest = raw;
    while let Some((&byte, tail)) = rest.split_first() {
        rest = tail;
        if byte != b'\\' {
            text.push(byte);
            continue;
        }
        match escape(&mut rest, &mut text) {
            Flow::Go => {}
            Flow::Stop => break,
        }
    }
    text
}

enum Flow {
    Go,
    Stop,
}

/// One escape, behind its backslash.
fn escape(rest: &mut &[u8], text: &mut Vec<u8>) -> Flow {
    let Some((&byte, tail)) = rest.split_first() else {
        text.push(b'\\');
        return Flow::Go;
    };
    let value = match byte {
        b'a' => 7,
        b'b' => 8,
        b'e' | b'E' => 27,
        b'f' => 12,
        b'n' => 10,
        b'r' => 13,
        b't' => 9,
        b'v' => 11,
        b'\\' | b'\'' | b'"' | b'?' => byte,
        b'0'..=b'7' => return numeric(rest, text, 8, 3),
        b'x' | b'u' | b'U' => return hexadecimal(byte, rest, text),
        b'c' => return control(rest, text),
        _ => {
            text.push(b'\\');
            byte
        }
    };
    *rest = tail;
    text.push(value);
    Flow::Go
}

/// `\nnn` and the digits of `\xHH`.
fn numeric(rest: &mut &[u8], text: &mut Vec<u8>, base: u32, most: usize) -> Flow {
    let value = digits(rest, base, most).unwrap_or(0) as u8;
    if value == 0 {
        return Flow::Stop;
    }
    text.push(value);
    Flow::Go
}

/// Takes up to `most` digits.
fn digits(rest: &mut &[u8], base: u32, most: usize) -> Option<u32> {
    let digit = |byte: &u8| char::from(*byte).to_digit(base);
    let count = rest
        .iter()
        .take(most)
        .take_while(|byte| digit(byte).is_some())
        .count();
    let (taken, tail) = rest.split_at_checked(count)?;
    *rest = tail;
    let value = taken
        .iter()
        .filter_map(digit)
        .fold(0_u32, |value, digit| value.wrapping_mul(base).wrapping_add(digit));
    (count > 0).then_some(value)
}

/// `\xHH`, `\x{H…}`, `\uHHHH`, `\UHHHHHHHH`; without digits the text stays.
fn hexadecimal(kind: u8, rest: &mut &[u8], text: &mut Vec<u8>) -> Flow {
    let mut tail = rest.get(1..).unwrap_or_default();
    let value = match kind {
        b'x' => digits(&mut tail, 16, 2),
        b'u' => digits(&mut tail, 16, 4),
        _ => digits(&mut tail, 16, 8),
    };
    *rest = tail;
    match value {
        None => text.extend_from_slice(&[b'\\', kind]),
        Some(0) => return Flow::Stop,
        Some(value) if kind == b'x' => text.push(value as u8),
        Some(value) => code_point(value, text),
    }
    Flow::Go
}

/// UTF-8 as bash makes it: surrogates and numbers beyond Unicode get the pattern of their size.
fn code_point(value: u32, text: &mut Vec<u8>) {
    let tail = |shift: u32| 0x80 | (value >> shift & 0x3f) as u8;
    match value {
        0..=0x7f => text.push(value as u8),
        0x80..=0x7ff => text.extend_from_slice(&[0xc0 | (value >> 6) as u8, tail(0)]),
        0x800..=0xffff => text.extend_from_slice(&[0xe0 | (value >> 12) as u8, tail(6), tail(0)]),
        0x1_0000..=0x1f_ffff => {
            text.extend_from_slice(&[0xf0 | (value >> 18) as u8, tail(12), tail(6), tail(0)]);
        }
        0x20_0000..=0x3ff_ffff => {
            text.extend_from_slice(&[0xf8 | (value >> 24) as u8, tail(18), tail(12), tail(6), tail(0)]);
        }
        0x400_0000..=0x7fff_ffff => {
            let head = 0xfc | (value >> 30) as u8;
            text.extend_from_slice(&[head, tail(24), tail(18), tail(12), tail(6), tail(0)]);
        }
        _ => {}
    }
}

/// `\cX`
fn control(rest: &mut &[u8], text: &mut Vec<u8>) -> Flow {
    match rest {
        [_, b'\\', b'\\', tail @ ..] => {
            *rest = tail;
            text.push(b'\\' & 0x1f);
        }
        [_, byte, tail @ ..] => {
            let value = if *byte == b'?' {
                0x7f
            } else {
                byte.to_ascii_uppercase() & 0x1f
            };
            *rest = tail;
            if value == 0 {
                return Flow::Stop;
            }
            text.push(value);
        }
        _ => {
            *rest = &[];
            text.extend_from_slice(b"\\c");
        }
    }
    Flow::Go
}

/// `$'…'` around a text that is not printable, as bash shows it.
pub(super) fn quote(text: &[u8]) -> Vec<u8> {
    let mut out = b"$'".to_vec();
    for byte in text {
        match byte {
            27 => out.extend_from_slice(b"\\E"),
            7 => out.extend_from_slice(b"\\a"),
            8 => out.extend_from_slice(b"\\b"),
            9 => out.extend_from_slice(b"\\t"),
            10 => out.extend_from_slice(b"\\n"),
            11 => out.extend_from_slice(b"\\v"),
            12 => out.extend_from_slice(b"\\f"),
            13 => out.extend_from_slice(b"\\r"),
            b'\\' | b'\'' => out.extend_from_slice(&[b'\\', *byte]),
            0..=31 | 127 => out.extend_from_slice(format!("\\{byte:03o}").as_bytes()),
            byte => out.push(*byte),
        }
    }
    out.push(b'\'');
    out
}

#[cfg(test)]
mod tests {
    use super::decode;

    #[test]
    fn escapes_mean_what_bash_says() {
        assert_eq!(
            decode(br"a\tb\n\x41\101\u00e9\'\q\e\cA\c\\"),
            "a\tb\nAA\u{e9}'\\q\x1b\x01\x1c".as_bytes()
        );
        assert_eq!(decode(br"a\0b"), b"a");
        assert_eq!(decode(br"\xzz\u\"), br"\xzz\u\");
    }
}
