//! Character sets: from bytes to characters and back.

use super::sets;

/// A set of characters in bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Charset {
    Ascii,
    Utf8,
    /// Units of two or four bytes.
    Wide(Wide),
    /// One byte each: the characters from 128 on.
    Single(Vec<char>),
}

/// How wide units are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wide {
    /// 2 or 4.
    pub bytes: usize,
    pub big: bool,
    /// A mark at the start tells the order of the bytes.
    pub marked: bool,
    /// Two units of two bytes may stand for one character.
    pub pairs: bool,
}

/// What comes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// A character, and how many bytes it took.
    Character(char, usize),
    /// So many bytes that mean nothing.
    Illegal(usize),
    /// The text ends inside a character.
    Incomplete,
}

impl Charset {
    /// The set of this name; case, dashes and underscores do not count.
    pub fn from_name(name: &[u8]) -> Option<Charset> {
        let plain: Vec<u8> = name
            .iter()
            .filter(|byte| !matches!(byte, b'-' | b'_'))
            .map(u8::to_ascii_uppercase)
            .collect();
        let wide = |bytes, big, marked, pairs| {
            Some(Charset::Wide(Wide {
                bytes,
                big,
                marked,
                pairs,
            }))
        };
        match plain.as_slice() {
            b"" | b"UTF8" | b"ISO10646/UTF8" => Some(Charset::Utf8),
            b"ASCII" | b"USASCII" | b"ANSIX3.41968" | b"ISO646US" | b"646" | b"CP367" => Some(Charset::Ascii),
            b"UTF16" => wide(2, false, true, true),
            b"UTF16LE" => wide(2, false, false, true),
            b"UTF16BE" => wide(2, true, false, true),
            b"UNICODE" => wide(2, false, true, false),
            b"UCS2" | b"UCS2LE" | b"UNICODELITTLE" => wide(2, false, false, false),
            b"UCS2BE" | b"UNICODEBIG" => wide(2, true, false, false),
            b"UTF32" => wide(4, false, true, false),
            b"UTF32LE" | b"UCS4LE" => wide(4, false, false, false),
            b"UTF32BE" | b"UCS4" | b"UCS4BE" => wide(4, true, false, false),
            plain => Self::single(plain),
        }
    }

    fn single(plain: &[u8]) -> Option<Charset> {
        let renamed = match plain {
            b"LATIN1" | b"L1" | b"CP819" | b"88591" => b"ISO88591".to_vec(),
            b"LATIN2" | b"L2" => b"ISO88592".to_vec(),
            b"LATIN9" => b"ISO885915".to_vec(),
            b"MAC" => b"MACINTOSH".to_vec(),
            plain => match plain.strip_prefix(b"WINDOWS") {
                Some(number) => [b"CP", number].concat(),
                None => plain.to_vec(),
            },
        };
        sets::upper(&renamed).map(|upper| Charset::Single(upper.chars().collect()))
    }

    /// Takes a mark at the start: how the rest is to be read, and where it begins.
    pub fn start(self, text: &[u8]) -> (Charset, usize) {
        let Charset::Wide(wide) = self else {
            return (self, 0);
        };
        if !wide.marked {
            return (Charset::Wide(wide), 0);
        }
        let is = |mark: &[u8]| text.starts_with(mark);
        let (big, length) = match wide.bytes {
            2 if is(b"\xfe\xff") => (true, 2),
            2 if is(b"\xff\xfe") => (false, 2),
            4 if is(b"\0\0\xfe\xff") => (true, 4),
            4 if is(b"\xff\xfe\0\0") => (false, 4),
            _ => (wide.big, 0),
        };
        (Charset::Wide(Wide { big, ..wide }), length)
    }

    /// The mark that stands before a text.
    pub fn mark(&self) -> &'static [u8] {
        match self {
            Charset::Wide(wide) if wide.marked && wide.bytes == 2 => b"\xff\xfe",
            Charset::Wide(wide) if wide.marked => b"\xff\xfe\0\0",
            _ => b"",
        }
    }

    /// The first character of a text that is not empty.
    pub fn decode(&self, text: &[u8]) -> Step {
        let first = text.first().copied().unwrap_or(0);
        match self {
            Charset::Utf8 => decode_utf8(text),
            Charset::Wide(wide) => wide.decode(text),
            _ if first < 128 => Step::Character(char::from(first), 1),
            Charset::Ascii => Step::Illegal(1),
            Charset::Single(upper) => match upper.get(usize::from(first) - 128) {
                Some('\u{fffd}') | None => Step::Illegal(1),
                Some(character) => Step::Character(*character, 1),
            },
        }
    }

    /// Writes a character; `false` when the set does not have it.
    pub fn encode(&self, character: char, out: &mut Vec<u8>) -> bool {
        match self {
            Charset::Utf8 => {
                let mut buffer = [0; 4];
                out.extend_from_slice(character.encode_utf8(&mut buffer).as_bytes());
                true
            }
            Charset::Wide(wide) => wide.encode(character, out),
            _ if character.is_ascii() => {
                out.push(character as u8);
                true
            }
            Charset::Ascii => false,
            Charset::Single(upper) => match upper.iter().position(|known| *known == character) {
                Some(place) if character != '\u{fffd}' => {
                    out.push(place as u8 + 128);
                    true
                }
                _ => false,
            },
        }
    }
}

fn decode_utf8(text: &[u8]) -> Step {
    let head = text.get(..4).unwrap_or(text);
    let valid = match std::str::from_utf8(head) {
        Ok(text) => text,
        Err(error) if error.valid_up_to() == 0 => {
            return error.error_len().map_or(Step::Incomplete, Step::Illegal);
        }
        Err(error) => {
            std::str::from_utf8(head.get(..error.valid_up_to()).unwrap_or_default()).unwrap_or_default()
        }
    };
    match valid.chars().next() {
        Some(character) => Step::Character(character, character.len_utf8()),
        None => Step::Incomplete,
    }
}

impl Wide {
    fn unit(self, text: &[u8]) -> Option<u32> {
        let bytes = text.get(..self.bytes)?;
        let join = |value: u32, byte: &u8| value << 8 | u32::from(*byte);
        Some(if self.big {
            bytes.iter().fold(0, join)
        } else {
            bytes.iter().rev().fold(0, join)
        })
    }

    fn decode(self, text: &[u8]) -> Step {
        let Some(unit) = self.unit(text) else {
            return Step::Incomplete;
        };
        if self.pairs && (0xd800..0xdc00).contains(&unit) {
            let Some(second) = self.unit(text.get(2..).unwrap_or_default()) else {
                return Step::Incomplete;
            };
            if !(0xdc00..0xe000).contains(&second) {
                return Step::Illegal(2);
            }
            let code = 0x10000 + ((unit - 0xd800) << 10) + (second - 0xdc00);
            return char::from_u32(code).map_or(Step::Illegal(2), |character| Step::Character(character, 4));
        }
        char::from_u32(unit).map_or(Step::Illegal(self.bytes), |character| {
            Step::Character(character, self.bytes)
        })
    }

    fn encode(self, character: char, out: &mut Vec<u8>) -> bool {
        let mut push = |unit: u32| {
            let bytes = unit.to_be_bytes();
            let bytes = bytes.get(4 - self.bytes..).unwrap_or_default();
            if self.big {
                out.extend(bytes);
            } else {
                out.extend(bytes.iter().rev());
            }
        };
        let code = u32::from(character);
        if self.bytes == 4 || code < 0x10000 {
            push(code);
            return true;
        }
        if self.pairs {
            push(0xd800 + ((code - 0x10000) >> 10));
            push(0xdc00 + ((code - 0x10000) & 0x3ff));
        }
        self.pairs
    }
}
