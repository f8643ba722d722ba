//! Fields: where expanded text is collected, split and marked.

use super::host::Ifs;

/// How the text will be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Arguments of a command: unquoted expansions are split, and matched against the tree.
    Fields,
    /// One string: assignments, here-documents, redirection targets after splitting is off.
    Single,
    /// A shell pattern: quoted text is escaped with backslashes.
    Pattern,
    /// The same for a trace: every quoted character is escaped, as bash shows it.
    TracedPattern,
    /// A here-document: one string, where `$*` is joined by spaces.
    Document,
    /// A regular expression: quoted text is escaped for it.
    Regex,
    /// The replacement of `${x/p/r}`: quoted `&` and backslashes are escaped.
    Replacement,
}

/// One field.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Field {
    /// Its text.
    pub text: Vec<u8>,
    /// The first byte range of `text` that was quoted, if one was; kept only in [`Mode::Fields`].
    pub quoted: Option<(usize, usize)>,
    /// Further ones.
    pub more_quoted: Vec<(usize, usize)>,
    /// Holds an unquoted glob character.
    pub glob: bool,
    /// Exists even when empty.
    pub present: bool,
}

impl Field {
    /// What follows `start` was quoted.
    fn add_quoted(&mut self, start: usize) {
        let end = self.text.len();
        match &mut self.quoted {
            _ if start == end => {}
            None => self.quoted = Some((start, end)),
            Some((_, last)) if *last == start && self.more_quoted.is_empty() => *last = end,
            Some(_) => self.more_quoted.push((start, end)),
        }
    }

    fn clear_is_absent(&self) -> bool {
        !self.present && self.text.is_empty()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Delimiter {
    None,
    /// White space ended a field: a following other separator belongs to it.
    Space,
}

/// Collects the expansion of one word.
#[derive(Debug)]
pub struct Builder {
    mode: Mode,
    /// Finished fields.
    pub fields: Vec<Field>,
    current: Field,
    delimiter: Delimiter,
    /// Elements of lists so far.
    elements: usize,
}

/// The byte may make a field a pattern.
pub(super) const fn is_glob(byte: u8) -> bool {
    matches!(byte, b'*' | b'?' | b'[' | b'\\' | b'(')
}

impl Builder {
    /// An empty collection.
    pub fn new(mode: Mode) -> Builder {
        Builder {
            mode,
            fields: Vec::new(),
            current: Field::default(),
            delimiter: Delimiter::None,
            elements: 0,
        }
    }

    /// An empty collection that begins in this buffer.
    pub fn with_buffer(mode: Mode, buffer: Vec<u8>) -> Builder {
        let mut builder = Builder::new(mode);
        builder.current.text = buffer;
        builder
    }

    /// Everything collected, where it is exactly one field that is not finished yet.
    pub fn only(self) -> Result<Field, Builder> {
        if self.fields.is_empty() && !self.current.clear_is_absent() {
            Ok(self.current)
        } else {
            Err(self)
        }
    }

    /// What it is for.
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// Appends unquoted text of the word itself: never split.
    #[inline]
    pub fn literal(&mut self, text: &[u8]) {
        if self.mode == Mode::Fields && !self.current.glob {
            self.current.glob = text.iter().copied().any(is_glob);
        }
        self.delimiter = Delimiter::None;
        self.current.text.extend_from_slice(text);
    }

    /// Appends quoted text, even when empty.
    pub fn quoted(&mut self, text: &[u8]) {
        self.current.present = true;
        self.delimiter = Delimiter::None;
        self.append_quoted(text);
    }

    fn append_quoted(&mut self, text: &[u8]) {
        match self.mode {
            Mode::Single | Mode::Document => self.current.text.extend_from_slice(text),
            Mode::Fields => {
                let start = self.current.text.len();
                self.current.text.extend_from_slice(text);
                self.current.add_quoted(start);
            }
            Mode::Pattern => escape(text, &mut self.current.text, |byte| {
                matches!(
                    byte,
                    b'*' | b'?'
                        | b'['
                        | b']'
                        | b'\\'
                        | b'('
                        | b')'
                        | b'|'
                        | b'!'
                        | b'+'
                        | b'@'
                        | b'-'
                        | b'^'
                        | b'#'
                        | b'%'
                        | b'/'
                )
            }),
            // Once a character: bytes that go on with one stay behind its first.
            Mode::TracedPattern => escape(text, &mut self.current.text, |byte| byte & 0xc0 != 0x80),
            Mode::Replacement => escape(text, &mut self.current.text, |byte| matches!(byte, b'&' | b'\\')),
            Mode::Regex => escape(text, &mut self.current.text, |byte| {
                matches!(
                    byte,
                    b'*' | b'?'
                        | b'['
                        | b']'
                        | b'\\'
                        | b'('
                        | b')'
                        | b'|'
                        | b'+'
                        | b'.'
                        | b'^'
                        | b'$'
                        | b'{'
                        | b'}'
                )
            }),
        }
    }

    /// The next quoted text continues a quotation that exists already: an empty one adds nothing.
    pub fn mark_present(&mut self) {
        self.current.present = true;
    }

    /// Appends what an expansion gave.
    #[inline]
    pub fn value(&mut self, text: &[u8], quoted: bool, ifs: &Ifs) {
        if quoted {
            self.quoted(text);
        } else if self.mode == Mode::Fields {
            self.split(text, ifs);
        } else {
            self.current.text.extend_from_slice(text);
        }
    }

    fn split(&mut self, text: &[u8], ifs: &Ifs) {
        let mut rest = text;
        while let Some(first) = rest.first() {
            match ifs.class(*first) {
                0 => {
                    let end = rest
                        .iter()
                        .position(|byte| ifs.class(*byte) != 0)
                        .unwrap_or(rest.len());
                    let (run, tail) = rest.split_at(end);
                    self.literal(run);
                    rest = tail;
                    continue;
                }
                1 => {
                    if !self.current.clear_is_absent() {
                        self.finish_field();
                        self.delimiter = Delimiter::Space;
                    }
                }
                3 => {
                    let Some(length) = ifs.wide_separator(rest) else {
                        self.literal(rest.get(..1).unwrap_or_default());
                        rest = rest.get(1..).unwrap_or_default();
                        continue;
                    };
                    // White space in front does not join it, as it does other separators.
                    self.current.present = true;
                    self.finish_field();
                    self.delimiter = Delimiter::None;
                    rest = rest.get(length..).unwrap_or_default();
                    continue;
                }
                _ => {
                    if !self.current.clear_is_absent() {
                        self.finish_field();
                    } else if self.delimiter != Delimiter::Space {
                        self.current.present = true;
                        self.finish_field();
                    }
                    self.delimiter = Delimiter::None;
                }
            }
            rest = rest.get(1..).unwrap_or_default();
        }
    }

    /// Ends the current field, if there is one: between the elements of `$@`.
    pub fn break_field(&mut self) {
        if !self.current.clear_is_absent() {
            self.finish_field();
        }
        self.delimiter = Delimiter::None;
    }

    fn finish_field(&mut self) {
        self.fields.push(std::mem::take(&mut self.current));
    }

    /// Everything collected, as fields.
    pub fn finish(mut self) -> Vec<Field> {
        self.break_field();
        self.fields
    }

    /// Everything collected, as one string: fields are joined by spaces.
    pub fn into_single(mut self) -> Vec<u8> {
        if self.fields.is_empty() {
            return self.current.text;
        }
        self.break_field();
        let mut joined = Vec::new();
        for (i, field) in self.fields.iter().enumerate() {
            if i > 0 {
                joined.push(b' ');
            }
            joined.extend_from_slice(&field.text);
        }
        joined
    }

    /// Where the collection stands; see [`Builder::forget_presence`].
    pub fn mark(&self) -> (usize, usize, bool, usize) {
        (
            self.fields.len(),
            self.current.text.len(),
            self.current.present,
            self.elements,
        )
    }

    /// Since `mark`, nothing came but empty lists and empty text: the field is as present as it was.
    pub fn forget_presence(&mut self, mark: (usize, usize, bool, usize)) {
        if (self.fields.len(), self.current.text.len(), self.elements) == (mark.0, mark.1, mark.3) {
            self.current.present = mark.2;
        }
    }

    /// Elements of a list were put in.
    pub fn count_elements(&mut self, count: usize) {
        self.elements += count;
    }
}

fn escape(text: &[u8], into: &mut Vec<u8>, special: impl Fn(u8) -> bool) {
    for byte in text {
        if special(*byte) {
            into.push(b'\\');
        }
        into.push(*byte);
    }
}

impl Field {
    /// The field as a pattern: quoted bytes that would be active are escaped.
    pub fn pattern(&self) -> Vec<u8> {
        let mut pattern = Vec::with_capacity(self.text.len() + 8);
        let mut at = 0;
        for (start, end) in self.quoted.iter().chain(&self.more_quoted) {
            pattern.extend_from_slice(self.text.get(at..*start).unwrap_or_default());
            for byte in self.text.get(*start..*end).unwrap_or_default() {
                if !byte.is_ascii_alphanumeric() && *byte < 0x80 && *byte != b'/' {
                    pattern.push(b'\\');
                }
                pattern.push(*byte);
            }
            at = *end;
        }
        pattern.extend_from_slice(self.text.get(at..).unwrap_or_default());
        pattern
    }
}
