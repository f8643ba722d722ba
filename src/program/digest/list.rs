//! Lines of lists of digests: printing and parsing them.

use super::algorithm::{Algorithm, NAMES};
use super::options::{Mode, Plan};

/// Appends a name, with `\n`, `\r` and `\\` escaped.
pub fn push_escaped(out: &mut Vec<u8>, name: &[u8]) {
    for byte in name {
        match byte {
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\\' => out.extend_from_slice(b"\\\\"),
            _ => out.push(*byte),
        }
    }
}

fn hex(digest: &[u8]) -> String {
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// `DIGEST  NAME` or `TAG (NAME) = DIGEST`, without the end of the line.
pub fn push_line(out: &mut Vec<u8>, plan: &Plan, name: &[u8], digest: &[u8]) {
    let escapes = plan.line_end == b'\n' && name.iter().any(|byte| b"\\\n\r".contains(byte));
    let mut shown = Vec::new();
    if escapes {
        out.push(b'\\');
        push_escaped(&mut shown, name);
    } else {
        shown.extend_from_slice(name);
    }
    if plan.mode == Mode::Tagged {
        out.extend_from_slice(plan.algorithm.tag().as_bytes());
        if plan.algorithm == Algorithm::Blake2b && plan.length < plan.algorithm.length() {
            out.extend_from_slice(format!("-{}", plan.length * 8).as_bytes());
        }
        out.extend_from_slice(b" (");
        out.extend_from_slice(&shown);
        out.extend_from_slice(b") = ");
        out.extend_from_slice(hex(digest).as_bytes());
    } else {
        out.extend_from_slice(hex(digest).as_bytes());
        out.extend_from_slice(if plan.binary { b" *" } else { b"  " });
        out.extend_from_slice(&shown);
    }
}

/// A line that was understood.
#[derive(Debug, PartialEq)]
pub struct Entry {
    /// How it was computed.
    pub algorithm: Algorithm,
    /// The digest.
    pub digest: Vec<u8>,
    /// The file.
    pub name: Vec<u8>,
}

/// Reads the lines of a list, which are all of one kind where they have no tag.
#[derive(Debug)]
pub struct Reader {
    /// The algorithm that lines must have; `None`: what their tags say.
    pub algorithm: Option<Algorithm>,
    /// Lines have one blank only; known after the first one.
    pub one_blank: Option<bool>,
}

fn blanks(text: &[u8]) -> &[u8] {
    let count = text.iter().take_while(|byte| b" \t".contains(byte)).count();
    text.get(count..).unwrap_or_default()
}

fn unhex(text: &[u8]) -> Option<Vec<u8>> {
    let digit = |byte: &u8| char::from(*byte).to_digit(16);
    let pairs = text.chunks(2).map(|pair| match pair {
        [high, low] => Some((digit(high)? * 16 + digit(low)?) as u8),
        _ => None,
    });
    pairs.collect()
}

fn unescape(name: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let mut bytes = name.iter();
    while let Some(&byte) = bytes.next() {
        match byte {
            b'\\' => out.push(match bytes.next()? {
                b'n' => b'\n',
                b'r' => b'\r',
                b'\\' => b'\\',
                _ => return None,
            }),
            0 => return None,
            _ => out.push(byte),
        }
    }
    Some(out)
}

impl Reader {
    /// What a line says; `None` when it is not well formed.
    pub fn read(&mut self, line: &[u8]) -> Option<Entry> {
        let text = blanks(line);
        let (escaped, text) = match text.strip_prefix(b"\\") {
            Some(text) => (true, text),
            None => (false, text),
        };
        let entry = match self.tagged(text) {
            Some(found) => found?,
            None => self.untagged(text)?,
        };
        let name = if escaped {
            unescape(&entry.name)?
        } else {
            entry.name
        };
        Some(Entry { name, ..entry })
    }

    /// `TAG (NAME) = DIGEST`. The outer `None`: the line has no tag.
    fn tagged(&self, text: &[u8]) -> Option<Option<Entry>> {
        let (algorithm, rest) = match self.algorithm {
            Some(algorithm) => (algorithm, text.strip_prefix(algorithm.tag().as_bytes())?),
            None => {
                let length = text
                    .iter()
                    .take_while(|byte| byte.is_ascii_alphanumeric())
                    .count();
                let (tag, rest) = text.split_at_checked(length)?;
                let all = NAMES.iter().map(|(_, algorithm)| *algorithm);
                let mut known = all.filter(|algorithm| !algorithm.is_number());
                (known.find(|known| known.tag().as_bytes() == tag)?, rest)
            }
        };
        Some(tagged_rest(algorithm, rest))
    }

    fn untagged(&mut self, text: &[u8]) -> Option<Entry> {
        let algorithm = self.algorithm?;
        let digits = text.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
        let length = if algorithm == Algorithm::Blake2b {
            (2..=algorithm.length() * 2).contains(&digits).then_some(digits)?
        } else {
            algorithm.length() * 2
        };
        let (digest, rest) = text.split_at_checked(length)?;
        let digest = unhex(digest)?;
        let rest = rest.strip_prefix(b" ").or_else(|| rest.strip_prefix(b"\t"))?;
        let name = match rest {
            [] => return None,
            [b' ' | b'*', name @ ..] if !name.is_empty() => {
                if self.one_blank == Some(true) {
                    rest
                } else {
                    self.one_blank = Some(false);
                    name
                }
            }
            _ if self.one_blank == Some(false) => return None,
            _ => {
                self.one_blank = Some(true);
                rest
            }
        };
        Some(Entry {
            algorithm,
            digest,
            name: name.to_vec(),
        })
    }
}

fn tagged_rest(algorithm: Algorithm, rest: &[u8]) -> Option<Entry> {
    let mut length = algorithm.length();
    let mut rest = rest;
    if let (Algorithm::Blake2b, Some(digits)) = (algorithm, rest.strip_prefix(b"-")) {
        let count = digits.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (number, behind) = digits.split_at_checked(count)?;
        let bits: usize = std::str::from_utf8(number).ok()?.parse().ok()?;
        if bits == 0 || bits > length * 8 || !bits.is_multiple_of(8) {
            return None;
        }
        (length, rest) = (bits / 8, behind);
    }
    let rest = rest.strip_prefix(b" ").unwrap_or(rest).strip_prefix(b"(")?;
    let close = memchr::memrchr(b')', rest)?;
    let (name, rest) = rest.split_at_checked(close)?;
    let rest = blanks(rest.get(1..)?).strip_prefix(b"=")?;
    let digest = unhex(blanks(rest))?;
    (digest.len() == length).then(|| Entry {
        algorithm,
        digest,
        name: name.to_vec(),
    })
}
