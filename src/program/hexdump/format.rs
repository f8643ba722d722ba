//! Format strings: `[COUNT][/BYTES] "FORMAT" …`.

use crate::program::message::message;
use crate::text::escape;

/// What a piece prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Its text alone.
    Text,
    /// `%_a`: the offset in this radix.
    Address(u32),
    /// `%_c`: a character or its escape.
    Character,
    /// `%_p`: a character or a dot.
    Printable,
    /// `%_u`: a character or its name.
    Named,
    /// `%c`
    Raw,
    /// `%s`
    Text8,
    /// `%d`, `%i`
    Signed,
    /// `%u`
    Unsigned,
    /// `%o`
    Octal,
    /// `%x` and `%X`
    Hexadecimal(bool),
    /// `%e`, `%f`, `%g`, and in capitals.
    Float(u8),
}

/// Text up to a conversion, and that.
#[derive(Debug, Clone)]
pub struct Piece {
    /// Printed before.
    pub text: Vec<u8>,
    /// The conversion.
    pub kind: Kind,
    /// `-`, `0`, `+`, ` `, `#`.
    pub flags: Vec<u8>,
    /// The least width.
    pub width: usize,
    /// The precision.
    pub precision: Option<usize>,
    /// Bytes that it takes.
    pub bytes: usize,
}

/// `COUNT/BYTES "FORMAT"`.
#[derive(Debug, Clone)]
pub struct Unit {
    /// How often it is applied.
    pub count: usize,
    given: bool,
    bytes: usize,
    /// What it prints.
    pub pieces: Vec<Piece>,
    /// It has `%_A`: printed once, at the end of the input.
    pub at_end: bool,
}

/// All format strings.
#[derive(Debug, Clone)]
pub struct Formats {
    /// The units of each.
    pub all: Vec<Vec<Unit>>,
    /// Bytes of a block.
    pub block: usize,
}

/// No more bytes a block.
const MOST: usize = 1 << 20;

impl Formats {
    /// Reads format strings.
    pub fn parse(texts: &[Vec<u8>]) -> Result<Formats, Vec<u8>> {
        let mut all = Vec::new();
        for text in texts {
            all.push(units(text)?);
        }
        let size = |units: &Vec<Unit>| {
            units.iter().fold(0_usize, |sum, unit| {
                sum.saturating_add(unit.bytes.saturating_mul(unit.count))
            })
        };
        let block = all.iter().map(size).max().unwrap_or(0);
        if block > MOST {
            return Err(b"format is too long".to_vec());
        }
        if block == 0 {
            return Err(b"no data is printed by the format".to_vec());
        }
        for units in &mut all {
            let own = size(units);
            if let Some(last) = units.last_mut()
                && own < block
                && !last.given
                && last.bytes > 0
            {
                last.count += (block - own) / last.bytes;
            }
        }
        Ok(Formats { all, block })
    }
}

fn bad(text: &[u8]) -> Vec<u8> {
    message!("bad format {", text, "}")
}

fn number(rest: &mut &[u8]) -> Option<usize> {
    let length = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (digits, behind) = rest.split_at_checked(length)?;
    *rest = behind;
    std::str::from_utf8(digits).ok()?.parse().ok()
}

fn units(text: &[u8]) -> Result<Vec<Unit>, Vec<u8>> {
    let mut units = Vec::new();
    let mut rest = text.trim_ascii_start();
    while !rest.is_empty() {
        let mut unit = Unit {
            count: 1,
            given: false,
            bytes: 0,
            pieces: Vec::new(),
            at_end: false,
        };
        if let Some(count) = number(&mut rest) {
            match rest.split_first() {
                Some((byte, behind)) if byte.is_ascii_whitespace() || *byte == b'/' => {
                    // A slash behind a blank belongs to the bytes.
                    rest = behind.trim_ascii_start();
                }
                _ => return Err(bad(text)),
            }
            (unit.count, unit.given) = (count, true);
        }
        if let Some(behind) = rest.strip_prefix(b"/") {
            rest = behind.trim_ascii_start();
        }
        if let Some(bytes) = number(&mut rest) {
            if !rest.first().is_some_and(u8::is_ascii_whitespace) {
                return Err(bad(text));
            }
            unit.bytes = bytes;
            rest = rest.trim_ascii_start();
        }
        let inner = rest.strip_prefix(b"\"").ok_or_else(|| bad(text))?;
        let end = memchr::memchr(b'"', inner).ok_or_else(|| bad(text))?;
        let (format, behind) = inner.split_at_checked(end).unwrap_or_default();
        unit.read_format(&escaped(format))?;
        units.push(unit);
        rest = behind.get(1..).unwrap_or_default().trim_ascii_start();
    }
    Ok(units)
}

fn escaped(format: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut bytes = format.iter();
    while let Some(&byte) = bytes.next() {
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        match bytes.next() {
            None => out.push(b'\\'),
            Some(&letter) => out.push(escape::letter(letter).unwrap_or(letter)),
        }
    }
    out
}

impl Unit {
    fn read_format(&mut self, format: &[u8]) -> Result<(), Vec<u8>> {
        let given = self.bytes;
        let mut rest = format;
        let mut conversions = 0;
        while !rest.is_empty() {
            let before = memchr::memchr(b'%', rest).unwrap_or(rest.len());
            let (text, behind) = rest.split_at_checked(before).unwrap_or_default();
            let mut piece = Piece {
                text: text.to_vec(),
                kind: Kind::Text,
                flags: Vec::new(),
                width: 0,
                precision: None,
                bytes: 0,
            };
            let Some(conversion) = behind.strip_prefix(b"%") else {
                self.pieces.push(piece);
                break;
            };
            rest = piece.read_conversion(conversion, given, &mut self.at_end)?;
            if !matches!(piece.kind, Kind::Address(_) | Kind::Text) && given > 0 {
                conversions += 1;
                if conversions > 1 {
                    return Err(b"byte count with multiple conversion characters".to_vec());
                }
            }
            self.pieces.push(piece);
        }
        if self.bytes == 0 {
            self.bytes = self.pieces.iter().map(|piece| piece.bytes).sum();
        }
        Ok(())
    }
}

impl Piece {
    /// Reads what follows a `%`; gives what is behind.
    fn read_conversion<'a>(
        &mut self,
        text: &'a [u8],
        given: usize,
        at_end: &mut bool,
    ) -> Result<&'a [u8], Vec<u8>> {
        let mut rest = text;
        while let Some((flag, behind)) = rest.split_first()
            && b" -0+#".contains(flag)
        {
            self.flags.push(*flag);
            rest = behind;
        }
        self.width = number(&mut rest).unwrap_or(0).min(1 << 12);
        if let Some(behind) = rest.strip_prefix(b".") {
            rest = behind;
            self.precision = Some(number(&mut rest).unwrap_or(0).min(1 << 12));
        }
        let (&letter, behind) = rest.split_first().ok_or_else(|| unknown(b""))?;
        let sized = |fallback: usize, allowed: &[usize]| match given {
            0 => Ok(fallback),
            _ if allowed.contains(&given) => Ok(given),
            _ => Err(message!("bad byte count for conversion character ", [letter])),
        };
        (self.kind, self.bytes) = match letter {
            b'%' => {
                self.text.push(b'%');
                (Kind::Text, 0)
            }
            b'c' => (Kind::Raw, sized(1, &[1])?),
            b'd' | b'i' => (Kind::Signed, sized(4, &[1, 2, 4, 8])?),
            b'o' => (Kind::Octal, sized(4, &[1, 2, 4, 8])?),
            b'u' => (Kind::Unsigned, sized(4, &[1, 2, 4, 8])?),
            b'x' | b'X' => (Kind::Hexadecimal(letter == b'X'), sized(4, &[1, 2, 4, 8])?),
            b'e' | b'E' | b'f' | b'g' | b'G' => (Kind::Float(letter), sized(8, &[4, 8])?),
            b's' => {
                let bytes = self.precision.unwrap_or(given);
                if bytes == 0 {
                    return Err(b"%s requires a precision or a byte count".to_vec());
                }
                (Kind::Text8, bytes)
            }
            b'_' => return self.read_own(behind, sized, at_end),
            _ => return Err(unknown(&[letter])),
        };
        Ok(behind)
    }

    /// Reads what follows `%_`: the conversions that `printf` does not know.
    fn read_own<'a>(
        &mut self,
        text: &'a [u8],
        sized: impl Fn(usize, &[usize]) -> Result<usize, Vec<u8>>,
        at_end: &mut bool,
    ) -> Result<&'a [u8], Vec<u8>> {
        let (&letter, mut behind) = text.split_first().ok_or_else(|| unknown(b"_"))?;
        (self.kind, self.bytes) = match letter {
            b'A' | b'a' => {
                *at_end |= letter == b'A';
                let (&radix, rest) = behind.split_first().ok_or_else(|| unknown(b"_a"))?;
                behind = rest;
                let radix = match radix {
                    b'd' => 10,
                    b'o' => 8,
                    b'x' => 16,
                    _ => return Err(unknown(&[b'_', letter, radix])),
                };
                (Kind::Address(radix), 0)
            }
            b'c' => (Kind::Character, sized(1, &[1])?),
            b'p' => (Kind::Printable, sized(1, &[1])?),
            b'u' => (Kind::Named, sized(1, &[1])?),
            _ => return Err(unknown(&[b'_', letter])),
        };
        Ok(behind)
    }
}

fn unknown(conversion: &[u8]) -> Vec<u8> {
    message!("bad conversion character %", conversion)
}
