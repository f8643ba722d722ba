//! Words of a text, patterns with a `%`, and parts of names of files.

/// White space between words.
pub fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

/// A blank within a line.
pub fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

/// The words of a text.
pub fn words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|byte| is_space(*byte)).filter(|word| !word.is_empty())
}

/// The text without white space at its beginning.
pub fn trim_start(text: &[u8]) -> &[u8] {
    let start = text
        .iter()
        .position(|byte| !is_space(*byte))
        .unwrap_or(text.len());
    text.get(start..).unwrap_or_default()
}

/// The text without white space around it.
pub fn trim(text: &[u8]) -> &[u8] {
    let text = trim_start(text);
    let end = text
        .iter()
        .rposition(|byte| !is_space(*byte))
        .map_or(0, |at| at + 1);
    text.get(..end).unwrap_or_default()
}

/// The first word and what follows it, without the white space between.
pub fn split_word(text: &[u8]) -> (&[u8], &[u8]) {
    let text = trim_start(text);
    let end = text.iter().position(|byte| is_space(*byte)).unwrap_or(text.len());
    let (word, rest) = text.split_at_checked(end).unwrap_or((text, b""));
    (word, trim_start(rest))
}

/// A pattern: what stands before its `%` and behind it. Without a `%` it stands for itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    pub prefix: Vec<u8>,
    pub suffix: Option<Vec<u8>>,
}

impl Pattern {
    /// The first `%` counts that no backslash quotes; backslashes before a `%` quote each other.
    pub fn parse(text: &[u8]) -> Pattern {
        let mut prefix: Vec<u8> = Vec::new();
        let mut rest = text;
        while let Some(at) = memchr::memchr(b'%', rest) {
            let before = rest.get(..at).unwrap_or_default();
            let quotes = before.iter().rev().take_while(|byte| **byte == b'\\').count();
            let kept = before.len() - quotes + quotes / 2;
            prefix.extend_from_slice(before.get(..kept).unwrap_or_default());
            rest = rest.get(at + 1..).unwrap_or_default();
            if quotes % 2 == 0 {
                return Pattern {
                    prefix,
                    suffix: Some(rest.to_vec()),
                };
            }
            prefix.push(b'%');
        }
        prefix.extend_from_slice(rest);
        Pattern { prefix, suffix: None }
    }

    /// There is a `%`.
    pub fn is_pattern(&self) -> bool {
        self.suffix.is_some()
    }

    /// Only a `%`.
    pub fn is_anything(&self) -> bool {
        self.prefix.is_empty() && self.suffix.as_ref().is_some_and(Vec::is_empty)
    }

    /// As it is written, but for quotes.
    pub fn text(&self) -> Vec<u8> {
        match &self.suffix {
            None => self.prefix.clone(),
            Some(suffix) => [self.prefix.as_slice(), b"%", suffix].concat(),
        }
    }

    /// What the `%` stands for in a word that matches.
    pub fn stem<'a>(&self, word: &'a [u8]) -> Option<&'a [u8]> {
        match &self.suffix {
            None => (word == self.prefix).then_some(b""),
            Some(suffix) => word
                .strip_prefix(self.prefix.as_slice())?
                .strip_suffix(suffix.as_slice()),
        }
    }

    /// The word for a stem.
    pub fn fill(&self, stem: &[u8]) -> Vec<u8> {
        match &self.suffix {
            None => self.prefix.clone(),
            Some(suffix) => [self.prefix.as_slice(), stem, suffix].concat(),
        }
    }
}

/// Replaces the words that match.
pub fn substitute(text: &[u8], pattern: &[u8], replacement: &[u8]) -> Vec<u8> {
    let pattern = Pattern::parse(pattern);
    let replacement = if pattern.is_pattern() {
        Pattern::parse(replacement)
    } else {
        Pattern {
            prefix: replacement.to_vec(),
            suffix: None,
        }
    };
    join(words(text).map(|word| match pattern.stem(word) {
        Some(stem) => replacement.fill(stem),
        None => word.to_vec(),
    }))
}

/// Words with a blank between them.
pub fn join<T: AsRef<[u8]>>(words: impl Iterator<Item = T>) -> Vec<u8> {
    let mut text = Vec::new();
    for (index, word) in words.enumerate() {
        if index > 0 {
            text.push(b' ');
        }
        text.extend_from_slice(word.as_ref());
    }
    text
}

/// The directory of a name, with its slash; `./` without one.
pub fn directory(name: &[u8]) -> &[u8] {
    match memchr::memrchr(b'/', name) {
        Some(at) => name.get(..=at).unwrap_or(name),
        None => b"./",
    }
}

/// The name without its directory.
pub fn base(name: &[u8]) -> &[u8] {
    match memchr::memrchr(b'/', name) {
        Some(at) => name.get(at + 1..).unwrap_or_default(),
        None => name,
    }
}

/// The name up to its suffix, and the suffix with its point.
pub fn split_suffix(name: &[u8]) -> (&[u8], &[u8]) {
    let start = name.len() - base(name).len();
    match memchr::memrchr(b'.', base(name)) {
        Some(at) => name.split_at_checked(start + at).unwrap_or((name, b"")),
        None => (name, b""),
    }
}

/// Where a byte of `wanted` stands that is neither in a reference to a variable nor quoted.
pub fn find_outside(text: &[u8], wanted: &[u8]) -> Option<usize> {
    let mut at = 0;
    while let Some(byte) = text.get(at) {
        match byte {
            b'$' => at = after_reference(text, at),
            byte if wanted.contains(byte) => {
                let before = text.get(..at).unwrap_or_default();
                let quotes = before.iter().rev().take_while(|byte| **byte == b'\\').count();
                if quotes % 2 == 0 {
                    return Some(at);
                }
                at += 1;
            }
            _ => at += 1,
        }
    }
    None
}

/// Where the reference ends that begins with the `$` at a place.
pub fn after_reference(text: &[u8], at: usize) -> usize {
    let close = match text.get(at + 1) {
        Some(b'(') => b')',
        Some(b'{') => b'}',
        Some(_) => return at + 2,
        None => return at + 1,
    };
    let open = text.get(at + 1).copied().unwrap_or_default();
    let mut depth = 0_usize;
    for (index, byte) in text.iter().enumerate().skip(at + 1) {
        if *byte == open {
            depth += 1;
        } else if *byte == close {
            depth -= 1;
            if depth == 0 {
                return index + 1;
            }
        }
    }
    text.len()
}

/// Takes backslashes away that quote a byte of `wanted`.
pub fn unquote(text: &[u8], wanted: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut quotes = 0;
    for byte in text {
        if *byte == b'\\' {
            quotes += 1;
            continue;
        }
        let kept = if wanted.contains(byte) { quotes / 2 } else { quotes };
        out.extend(std::iter::repeat_n(b'\\', kept));
        quotes = 0;
        out.push(*byte);
    }
    out.extend(std::iter::repeat_n(b'\\', quotes));
    out
}
