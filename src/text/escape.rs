//! Backslash escapes: one table of what is shared, and each reader's differences.
//!
//! | | `echo -e` | `$'…'` | printf format | `%b` | coreutils printf | its `%b` | coreutils echo |
//! | --- | --- | --- | --- | --- | --- | --- | --- |
//! | octal | `\0nnn` | `\nnn` | `\nnn` | `\nnn`, `\0nnn` | `\nnn` | both | both |
//! | `\x` without digits | kept | kept | complains | complains | fails | fails | kept |
//! | `\x{…}` | kept | any length | | | | | |
//! | `\u` | 1–4 digits | same | same | same | exactly 4 | exactly 4 | kept |
//! | `\c` | stops | control | kept | stops | stops | stops | stops |
//! | `\"` | kept | `"` | `"` | kept | `"` | `"` | kept |
//! | `\'` `\?` | kept | taken | taken | kept | kept | kept | kept |
//! | `\E` | ESC | ESC | ESC | ESC | kept | kept | kept |
//!
//! Recorded by running each; `tests/text_oracle.rs` compares.

/// Who reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reader {
    /// bash's `echo -e`.
    Echo,
    /// `$'…'` and `${x@E}`. The result ends before a NUL.
    DollarQuote,
    /// The format of bash's `printf`.
    Format,
    /// `%b` of bash's `printf`.
    PercentB,
    /// The format of coreutils' `printf`.
    ProgramFormat,
    /// `%b` of coreutils' `printf`.
    ProgramPercentB,
    /// coreutils' `echo -e`.
    ProgramEcho,
}

/// What is wrong with an escape. Only readers of printf complain; for those of coreutils it is fatal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Problem {
    /// `missing hex digit for \x`
    HexDigit,
    /// `missing unicode digit for \u`, with the letter.
    UnicodeDigit(char),
    /// `missing hexadecimal number in escape`
    HexNumber,
    /// `invalid universal character name \ud800`
    UniversalName(String),
}

impl Problem {
    /// The sentence.
    pub fn message(&self) -> String {
        match self {
            Problem::HexDigit => "missing hex digit for \\x".to_owned(),
            Problem::UnicodeDigit(letter) => format!("missing unicode digit for \\{letter}"),
            Problem::HexNumber => "missing hexadecimal number in escape".to_owned(),
            Problem::UniversalName(name) => format!("invalid universal character name {name}"),
        }
    }
}

/// One escape that was read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Escape {
    /// How many bytes it took after the backslash.
    pub length: usize,
    /// It was `\c`: nothing more is printed.
    pub stop: bool,
    /// What to complain about.
    pub problem: Option<Problem>,
}

/// A whole text that was read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Unescaped {
    /// The result.
    pub bytes: Vec<u8>,
    /// It was ended by `\c`.
    pub stop: bool,
    /// Complaints in order.
    pub problems: Vec<Problem>,
}

/// Reads all escapes of a text. A backslash at its end is kept.
pub fn unescape(text: &[u8], reader: Reader) -> Unescaped {
    let mut result = Unescaped::default();
    let mut rest = text;
    while let Some(at) = memchr::memchr(b'\\', rest) {
        let (plain, escape) = rest.split_at_checked(at).unwrap_or_default();
        result.bytes.extend_from_slice(plain);
        let Some(after) = escape.get(1..).filter(|after| !after.is_empty()) else {
            rest = escape;
            break;
        };
        let read = read(after, reader, &mut result.bytes);
        result.problems.extend(read.problem);
        rest = after.get(read.length..).unwrap_or_default();
        if read.stop {
            result.stop = true;
            rest = b"";
        }
    }
    result.bytes.extend_from_slice(rest);
    if reader == Reader::DollarQuote {
        // As a C string: what follows a NUL is lost.
        let end = memchr::memchr(0, &result.bytes).unwrap_or(result.bytes.len());
        result.bytes.truncate(end);
    }
    result
}

/// The escapes that every reader knows: a letter behind the backslash, and the byte that it stands for.
const LETTERS: [(u8, u8); 7] = [
    (b'a', 7),
    (b'b', 8),
    (b't', b'\t'),
    (b'n', b'\n'),
    (b'v', 11),
    (b'f', 12),
    (b'r', b'\r'),
];

/// The byte that `\a \b \f \n \r \t \v` stand for, by the letter.
pub fn letter(letter: u8) -> Option<u8> {
    LETTERS
        .iter()
        .find(|(known, _)| *known == letter)
        .map(|(_, byte)| *byte)
}

/// The letter that stands for a byte: the other way round.
pub fn letter_of(byte: u8) -> Option<u8> {
    LETTERS
        .iter()
        .find(|(_, known)| *known == byte)
        .map(|(letter, _)| *letter)
}

/// Appends a byte as C would write it: plain when printable (a backslash too), else by its letter or by three octal digits.
pub fn push_visible(out: &mut Vec<u8>, byte: u8) {
    match letter_of(byte) {
        Some(letter) => out.extend([b'\\', letter]),
        None if matches!(byte, b' '..=b'~') => out.push(byte),
        None => push_octal(out, byte),
    }
}

/// Appends a backslash and three octal digits.
pub fn push_octal(out: &mut Vec<u8>, byte: u8) {
    out.push(b'\\');
    out.extend([byte >> 6, byte >> 3 & 7, byte & 7].map(|digit| b'0' + digit));
}

/// A byte as `od -c` and `hexdump -c` show it in a column of three: plain, by its letter, or by octal digits alone.
pub fn in_column(byte: u8) -> Vec<u8> {
    match (byte, letter_of(byte)) {
        (0, _) => b"\\0".to_vec(),
        (_, Some(letter)) => vec![b'\\', letter],
        (b' '..=b'~', None) => vec![byte],
        (_, None) => format!("{byte:03o}").into_bytes(),
    }
}

/// Appends a byte in the notation of `cat -v`: `^X` for control characters, `M-` before what has the high bit.
pub fn push_caret(out: &mut Vec<u8>, byte: u8) {
    if byte >= 128 {
        out.extend_from_slice(b"M-");
    }
    match byte & 127 {
        127 => out.extend_from_slice(b"^?"),
        control @ 0..32 => out.extend([b'^', control + 64]),
        plain => out.push(plain),
    }
}

/// The value of up to `most` leading digits of a base (wrapping), and how many there are.
pub fn digits(text: &[u8], base: u32, most: usize) -> (u32, usize) {
    let digits = text
        .iter()
        .take(most)
        .map_while(|&byte| char::from(byte).to_digit(base));
    digits.fold((0, 0), |(value, count), digit| {
        (value.wrapping_mul(base).wrapping_add(digit), count + 1)
    })
}

fn took(length: usize) -> Escape {
    Escape {
        length,
        ..Escape::default()
    }
}

/// Keeps the backslash; the characters after it are read as text.
fn kept(out: &mut Vec<u8>) -> Escape {
    out.push(b'\\');
    took(0)
}

/// Reads one escape; `after` is what stands after the backslash.
pub fn read(after: &[u8], reader: Reader, out: &mut Vec<u8>) -> Escape {
    use Reader::{DollarQuote, Echo, Format, PercentB, ProgramEcho, ProgramFormat, ProgramPercentB};
    let Some(&byte) = after.first() else {
        return kept(out);
    };
    let bash = matches!(reader, Echo | DollarQuote | Format | PercentB);
    if let Some(character) = letter(byte) {
        out.push(character);
        return took(1);
    }
    match byte {
        b'e' => out.push(0x1b),
        b'E' if bash => out.push(0x1b),
        b'\\' => out.push(b'\\'),
        b'"' if matches!(reader, DollarQuote | Format | ProgramFormat | ProgramPercentB) => out.push(b'"'),
        b'\'' | b'?' if matches!(reader, DollarQuote | Format) => out.push(byte),
        b'0'..=b'7' => return octal(after, reader, out),
        b'x' => return hex(after, reader, out),
        b'u' | b'U' if bash => return unicode(after, reader, out),
        b'u' | b'U' if reader != ProgramEcho => return universal(after, out),
        b'c' if reader == DollarQuote => return control(after, out),
        b'c' if reader != Format => {
            return Escape {
                length: 1,
                stop: true,
                problem: None,
            };
        }
        // `\%` of a format does not begin a directive there.
        _ if matches!(reader, ProgramFormat | ProgramPercentB) => out.extend([b'\\', byte]),
        _ => return kept(out),
    }
    took(1)
}

/// `\nnn`, and for some readers `\0nnn`.
fn octal(after: &[u8], reader: Reader, out: &mut Vec<u8>) -> Escape {
    let zero_first = after.first() == Some(&b'0');
    let most = match reader {
        Reader::Echo if !zero_first => return kept(out),
        Reader::DollarQuote | Reader::Format | Reader::ProgramFormat => 3,
        _ => 3 + usize::from(zero_first),
    };
    let (value, length) = digits(after, 8, most);
    out.push(value as u8);
    took(length)
}

fn hex(after: &[u8], reader: Reader, out: &mut Vec<u8>) -> Escape {
    let rest = after.get(1..).unwrap_or_default();
    if reader == Reader::DollarQuote
        && let Some(braced) = rest.strip_prefix(b"{")
    {
        let (value, count) = digits(braced, 16, braced.len());
        out.push(value as u8);
        return took(2 + count + usize::from(braced.get(count) == Some(&b'}')));
    }
    let (value, count) = digits(rest, 16, 2);
    if count > 0 {
        out.push(value as u8);
        return took(1 + count);
    }
    let problem = match reader {
        Reader::Format | Reader::PercentB => Some(Problem::HexDigit),
        Reader::ProgramFormat | Reader::ProgramPercentB => Some(Problem::HexNumber),
        _ => None,
    };
    Escape { problem, ..kept(out) }
}

/// `\u` with up to four digits, `\U` with up to eight.
fn unicode(after: &[u8], reader: Reader, out: &mut Vec<u8>) -> Escape {
    let (letter, most) = if after.first() == Some(&b'u') {
        ('u', 4)
    } else {
        ('U', 8)
    };
    let (value, count) = digits(after.get(1..).unwrap_or_default(), 16, most);
    if count == 0 {
        let complains = matches!(reader, Reader::Format | Reader::PercentB);
        return Escape {
            problem: complains.then_some(Problem::UnicodeDigit(letter)),
            ..kept(out)
        };
    }
    push_code(value, out);
    took(1 + count)
}

/// coreutils' `\u` with exactly four digits, `\U` with eight.
fn universal(after: &[u8], out: &mut Vec<u8>) -> Escape {
    let (letter, most) = if after.first() == Some(&b'u') {
        ('u', 4)
    } else {
        ('U', 8)
    };
    let (value, count) = digits(after.get(1..).unwrap_or_default(), 16, most);
    let problem = if count < most {
        Problem::HexNumber
    } else if matches!(value, 0..=0x9f | 0xd800..=0xdfff) && !matches!(value, 0x24 | 0x40 | 0x60) {
        Problem::UniversalName(format!("\\{letter}{value:0most$x}"))
    } else {
        match char::from_u32(value) {
            Some(_) => push_code(value, out),
            None => out.extend_from_slice(format!("\\{letter}{value:0most$X}").as_bytes()),
        }
        return took(1 + count);
    };
    Escape {
        problem: Some(problem),
        ..took(0)
    }
}

/// `\cx`: a control character. `\c\\` takes both backslashes.
fn control(after: &[u8], out: &mut Vec<u8>) -> Escape {
    let Some(&byte) = after.get(1) else {
        return kept(out);
    };
    out.push(if byte == b'?' {
        0x7f
    } else {
        byte.to_ascii_uppercase() & 0x1f
    });
    took(2 + usize::from(byte == b'\\' && after.get(2) == Some(&b'\\')))
}

/// UTF-8 as it was first defined: surrogates and up to 31 bits, as bash writes them; nothing above.
fn push_code(value: u32, out: &mut Vec<u8>) {
    let tail = |shift: u32| 0x80 | (value >> shift & 0x3f) as u8;
    let lead = |mark: u8, shift: u32| mark | (value >> shift) as u8;
    match value {
        0..=0x7f => out.push(value as u8),
        0x80..=0x7ff => out.extend([lead(0xc0, 6), tail(0)]),
        0x800..=0xffff => out.extend([lead(0xe0, 12), tail(6), tail(0)]),
        0x1_0000..=0x1f_ffff => out.extend([lead(0xf0, 18), tail(12), tail(6), tail(0)]),
        0x20_0000..=0x3ff_ffff => out.extend([lead(0xf8, 24), tail(18), tail(12), tail(6), tail(0)]),
        0x400_0000..=0x7fff_ffff => {
            out.extend([lead(0xfc, 30), tail(24), tail(18), tail(12), tail(6), tail(0)]);
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str, reader: Reader) -> Vec<u8> {
        unescape(text.as_bytes(), reader).bytes
    }

    #[test]
    fn readers_differ() {
        use Reader::{DollarQuote, Echo, Format, PercentB, ProgramEcho, ProgramFormat};
        assert_eq!(text("\\0101x\\101", Echo), b"Ax\\101");
        assert_eq!(text("\\0101x\\101", Format), b"\x081xA");
        assert_eq!(text("\\0101x\\101", PercentB), b"AxA");
        assert_eq!(text("\\x{4142}z\\cA\\c\\\\a", DollarQuote), b"Bz\x01\x1ca");
        assert_eq!(text("a\\0b", DollarQuote), b"a");
        assert_eq!(
            text("\\u20ac1\\U7fffffff", Echo),
            b"\xe2\x82\xac1\xfd\xbf\xbf\xbf\xbf\xbf"
        );
        assert_eq!(text("\\u20ac1", ProgramEcho), b"\\u20ac1");
        assert_eq!(text("x\\cab", Echo), b"x");
        assert_eq!(text("x\\cab", Format), b"x\\cab");
        assert_eq!(text("\\", Format), b"\\");
        assert_eq!(unescape(b"\\xg", Format).problems, [Problem::HexDigit]);
        let name = unescape(b"\\ud800", ProgramFormat).problems;
        assert_eq!(name, [Problem::UniversalName("\\ud800".to_owned())]);
    }
}
