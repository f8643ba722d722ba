//! How a text is written: its characters, its lines, and what else shows.

/// The encoding of a text.
#[derive(Debug)]
pub struct Encoding {
    name: &'static str,
    pub charset: &'static str,
    /// It has two bytes a character.
    pub is_wide: bool,
    lines: Lines,
}

/// What is said of lines.
#[derive(Debug, Default)]
struct Lines {
    longest: usize,
    crlf: bool,
    cr: bool,
    lf: bool,
    escapes: bool,
    backspaces: bool,
}

/// Lines longer than this are worth a word.
const LONG: usize = 300;

/// Control characters that texts have.
fn is_text_control(byte: u8) -> bool {
    matches!(byte, 7..=13 | 27)
}

fn is_ascii_text(byte: u8) -> bool {
    is_text_control(byte) || (32..127).contains(&byte)
}

/// The encoding of a text; `None` for what is none.
pub fn of(data: &[u8]) -> Option<Encoding> {
    let narrow = |name, charset| Encoding {
        name,
        charset,
        is_wide: false,
        lines: Lines::of(data.iter().map(|byte| u32::from(*byte))),
    };
    if data.iter().all(|byte| is_ascii_text(*byte)) {
        return Some(narrow("ASCII", "us-ascii"));
    }
    if is_utf8(data) {
        let characters = bstr::ByteSlice::chars(data).map(u32::from);
        let has_mark = data.starts_with(&[0xef, 0xbb, 0xbf]);
        return Some(Encoding {
            name: match has_mark {
                true => "Unicode text, UTF-8 (with BOM)",
                false => "Unicode text, UTF-8",
            },
            charset: "utf-8",
            is_wide: false,
            lines: Lines::of(characters.skip(usize::from(has_mark))),
        });
    }
    if let Some(encoding) = utf16(data) {
        return Some(encoding);
    }
    if data.iter().all(|byte| is_ascii_text(*byte) || *byte >= 160) {
        return Some(narrow("ISO-8859", "iso-8859-1"));
    }
    // A next line of the controls of Latin 1 is one too.
    if data.iter().all(|byte| is_ascii_text(*byte) || *byte >= 128) {
        return Some(narrow("Non-ISO extended-ASCII", "unknown-8bit"));
    }
    None
}

/// Valid UTF-8, but for a character that is cut at the end.
fn is_utf8(data: &[u8]) -> bool {
    let controls = |byte: &u8| *byte < 128 && !is_ascii_text(*byte);
    match std::str::from_utf8(data) {
        Err(error) if error.error_len().is_some() || error.valid_up_to() == 0 => false,
        _ => !data.iter().any(controls),
    }
}

fn utf16(data: &[u8]) -> Option<Encoding> {
    let little = data.starts_with(&[0xff, 0xfe]);
    if !little && !data.starts_with(&[0xfe, 0xff]) {
        return None;
    }
    let mut units = Vec::with_capacity(data.len() / 2);
    for pair in data.get(2..)?.chunks_exact(2) {
        let pair = <[u8; 2]>::try_from(pair).ok()?;
        let unit = match little {
            true => u16::from_le_bytes(pair),
            false => u16::from_be_bytes(pair),
        };
        if unit == 0xfffe || (unit < 128 && !is_ascii_text(unit as u8)) {
            return None;
        }
        units.push(u32::from(unit));
    }
    Some(Encoding {
        name: match little {
            true => "Unicode text, UTF-16, little-endian",
            false => "Unicode text, UTF-16, big-endian",
        },
        charset: match little {
            true => "utf-16le",
            false => "utf-16be",
        },
        is_wide: true,
        lines: Lines::of(units.into_iter()),
    })
}

impl Lines {
    fn of(characters: impl Iterator<Item = u32>) -> Lines {
        let mut lines = Lines::default();
        let mut length = 0;
        let mut was_cr = false;
        for character in characters {
            length += 1;
            match character {
                10 => {
                    if was_cr {
                        lines.crlf = true;
                    } else {
                        lines.lf = true;
                    }
                    length = 0;
                }
                _ if was_cr => lines.cr = true,
                8 => lines.backspaces = true,
                27 => lines.escapes = true,
                _ => {}
            }
            was_cr = character == 13;
            if was_cr {
                length = 0;
            }
            if length > LONG {
                lines.longest = lines.longest.max(length);
            }
        }
        lines.cr |= was_cr;
        lines
    }

    fn ends(&self) -> Option<String> {
        if !(self.crlf || self.cr || self.lf) {
            return Some("no".to_owned());
        }
        if !self.crlf && !self.cr {
            return None;
        }
        let ends = [(self.crlf, "CRLF"), (self.cr, "CR"), (self.lf, "LF")];
        let ends: Vec<_> = ends
            .iter()
            .filter(|(has, _)| *has)
            .map(|(_, name)| *name)
            .collect();
        Some(ends.join(", "))
    }
}

impl Encoding {
    /// `ASCII text, with CRLF line terminators`
    pub fn describe(&self, executable: bool) -> String {
        let mut text = format!("{} text", self.name);
        if executable {
            text.push_str(" executable");
        }
        if self.lines.longest > 0 {
            text.push_str(&format!(", with very long lines ({})", self.lines.longest));
        }
        if let Some(ends) = self.lines.ends() {
            text.push_str(&format!(", with {ends} line terminators"));
        }
        if self.lines.escapes {
            text.push_str(", with escape sequences");
        }
        if self.lines.backspaces {
            text.push_str(", with overstriking");
        }
        text
    }
}
