//! History expansion, as `history -p` and interactive shells do it: events, words of them, and modifiers (bash manual, "History Interaction").

use super::History;

/// Expands every `!` of a text. `None`: there is no such event or word.
pub fn expand(history: &History, text: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let mut reader = Reader { history, text, at: 0 };
    let mut quoted = false;
    while let Some(byte) = reader.peek() {
        match byte {
            b'\\' => {
                out.extend_from_slice(text.get(reader.at..reader.at + 2).unwrap_or(b"\\"));
                reader.at += 2;
            }
            b'\'' => {
                quoted = !quoted;
                out.push(byte);
                reader.at += 1;
            }
            b'!' if !quoted && reader.starts_event() => out.extend(reader.event(&out.clone())?),
            byte => {
                out.push(byte);
                reader.at += 1;
            }
        }
    }
    Some(out)
}

struct Reader<'a> {
    history: &'a History,
    text: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    /// A `!` before a blank, `=`, `(` or at the end is ordinary.
    fn starts_event(&self) -> bool {
        !matches!(
            self.text.get(self.at + 1),
            None | Some(b' ' | b'\t' | b'\n' | b'=' | b'(')
        )
    }

    /// `!event:words:modifiers`, at the `!`.
    fn event(&mut self, before: &[u8]) -> Option<Vec<u8>> {
        self.at += 1;
        let line = self.line(before)?;
        let words = split(&line);
        let mut chosen = self.words(&words)?.unwrap_or(line);
        while self.peek() == Some(b':') {
            self.at += 1;
            chosen = self.modified(chosen)?;
        }
        Some(chosen)
    }

    fn number(&mut self) -> Option<usize> {
        let start = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        let digits = self.text.get(start..self.at)?;
        std::str::from_utf8(digits).ok()?.parse().ok()
    }

    /// The line that an event designator names.
    fn line(&mut self, before: &[u8]) -> Option<Vec<u8>> {
        let entries = &self.history.entries;
        let from_end = |count: usize| entries.len().checked_sub(count).and_then(|at| entries.get(at));
        let entry = match self.peek()? {
            b'!' => {
                self.at += 1;
                from_end(1)
            }
            // The word alone: of the last line.
            b'$' | b'^' | b'*' | b':' => from_end(1),
            b'#' => {
                self.at += 1;
                return Some(before.to_vec());
            }
            b'-' if self.text.get(self.at + 1).is_some_and(u8::is_ascii_digit) => {
                self.at += 1;
                from_end(self.number()?)
            }
            byte if byte.is_ascii_digit() => {
                let number = self.number()?;
                number.checked_sub(1).and_then(|at| entries.get(at))
            }
            b'?' => {
                self.at += 1;
                let rest = self.text.get(self.at..)?;
                let length = rest.iter().position(|byte| *byte == b'?').unwrap_or(rest.len());
                let wanted = rest.get(..length)?;
                self.at += length;
                self.eat(b'?');
                let mut newest = entries.iter().rev();
                newest.find(|entry| memchr::memmem::find(&entry.line, wanted).is_some())
            }
            _ => {
                let rest = self.text.get(self.at..)?;
                let ends = |byte: &u8| {
                    matches!(
                        byte,
                        b' ' | b'\t'
                            | b'\n'
                            | b':'
                            | b';'
                            | b'&'
                            | b'('
                            | b')'
                            | b'|'
                            | b'<'
                            | b'>'
                            | b'\''
                            | b'"'
                    )
                };
                let length = rest.iter().position(ends).unwrap_or(rest.len());
                let wanted = rest.get(..length)?;
                self.at += length;
                entries.iter().rev().find(|entry| entry.line.starts_with(wanted))
            }
        };
        entry.map(|entry| entry.line.to_vec())
    }

    /// The words that a designator picks; `Some(None)`: all of the line.
    fn words(&mut self, words: &[Vec<u8>]) -> Option<Option<Vec<u8>>> {
        let last = words.len().saturating_sub(1);
        let start = self.at;
        if self.peek() == Some(b':') {
            self.at += 1;
        }
        let colon = self.at > start;
        let (first, end) = match self.peek() {
            Some(b'^') => (1, self.end_of_range(1, last)?),
            Some(b'$') => {
                self.at += 1;
                (last, last)
            }
            Some(b'*') => {
                self.at += 1;
                return Some(Some(join(words.get(1..).unwrap_or_default())));
            }
            Some(b'-') if colon => (0, self.end_of_range(0, last)?),
            Some(byte) if colon && byte.is_ascii_digit() => {
                let first = self.number()?;
                self.at = self.at.saturating_sub(1);
                (first, self.end_of_range(first, last)?)
            }
            _ => {
                self.at = start;
                return Some(None);
            }
        };
        let chosen = words.get(first..=end)?;
        Some(Some(join(chosen)))
    }

    /// What follows the first number of a range; the cursor stands on its last character, or on the `-` of `:-n`.
    fn end_of_range(&mut self, first: usize, last: usize) -> Option<usize> {
        if self.peek() != Some(b'-') {
            self.at += 1;
        }
        if self.eat(b'*') {
            return Some(last.max(first));
        }
        if !self.eat(b'-') {
            return Some(first);
        }
        match self.peek() {
            Some(b'$') => {
                self.at += 1;
                Some(last)
            }
            Some(byte) if byte.is_ascii_digit() => self.number(),
            // Without an end: all but the last word.
            _ => last.checked_sub(1),
        }
    }

    /// One modifier, behind its colon.
    fn modified(&mut self, text: Vec<u8>) -> Option<Vec<u8>> {
        let letter = self.peek()?;
        self.at += 1;
        let slash = text.iter().rposition(|byte| *byte == b'/');
        let dot = text.iter().rposition(|byte| *byte == b'.');
        Some(match letter {
            b'h' => text.get(..slash.unwrap_or(text.len()))?.to_vec(),
            b't' => text.get(slash.map_or(0, |at| at + 1)..)?.to_vec(),
            b'r' => text.get(..dot.unwrap_or(text.len()))?.to_vec(),
            b'e' => text.get(dot.unwrap_or(0)..)?.to_vec(),
            b'p' => text,
            b'q' => crate::text::quote::single_quoted(&text),
            b'x' => split(&text)
                .iter()
                .map(|word| crate::text::quote::single_quoted(word))
                .collect::<Vec<_>>()
                .join(&b' '),
            b'g' | b'a' => {
                self.eat(b's');
                self.substituted(&text, true)?
            }
            b's' => self.substituted(&text, false)?,
            _ => return None,
        })
    }

    /// `/old/new/`
    fn substituted(&mut self, text: &[u8], everywhere: bool) -> Option<Vec<u8>> {
        let delimiter = self.peek()?;
        self.at += 1;
        let old = self.until(delimiter);
        let new = self.until(delimiter);
        let mut out = Vec::new();
        let mut rest = text;
        while let Some(at) = memchr::memmem::find(rest, &old).filter(|_| !old.is_empty()) {
            out.extend_from_slice(rest.get(..at)?);
            for byte in &new {
                match byte {
                    b'&' => out.extend_from_slice(&old),
                    byte => out.push(*byte),
                }
            }
            rest = rest.get(at + old.len()..)?;
            if !everywhere {
                break;
            }
        }
        if rest.len() == text.len() {
            return None;
        }
        out.extend_from_slice(rest);
        Some(out)
    }

    fn until(&mut self, delimiter: u8) -> Vec<u8> {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let length = rest
            .iter()
            .position(|byte| *byte == delimiter)
            .unwrap_or(rest.len());
        self.at += (length + 1).min(rest.len());
        rest.get(..length).unwrap_or_default().to_vec()
    }
}

fn join(words: &[Vec<u8>]) -> Vec<u8> {
    words.join(&b' ')
}

/// The words of a line: blanks part them, outside of quotes.
fn split(line: &[u8]) -> Vec<Vec<u8>> {
    let mut words = Vec::new();
    let mut word = Vec::new();
    let mut quote = 0;
    for byte in line {
        match byte {
            b' ' | b'\t' | b'\n' if quote == 0 => {
                if !word.is_empty() {
                    words.push(std::mem::take(&mut word));
                }
                continue;
            }
            b'\'' | b'"' if quote == 0 => quote = *byte,
            byte if *byte == quote => quote = 0,
            _ => {}
        }
        word.push(*byte);
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}
