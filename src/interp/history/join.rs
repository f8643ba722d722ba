//! `shopt cmdhist`: the lines of a command become one entry of the history.
//!
//! Between two lines goes what lets the entry be read again: `; `, only a blank behind what no `;` may follow, and a newline inside of quotes and
//! substitutions, behind a comment and in a here-document.

/// What a `;` may not follow.
const OPENING: [&[u8]; 17] = [
    b"{", b"(", b";", b"&", b"|", b";;", b";&", b";;&", b"&&", b"||", b"do", b"else", b"if", b"in", b"then",
    b"until", b"while",
];

/// One entry out of the lines of a command. With a here-document the lines stay, and so does the newline at the end.
pub fn on_one_line(text: &[u8]) -> Vec<u8> {
    if memchr::memchr(b'\n', text).is_none() {
        return text.to_vec();
    }
    if memchr::memmem::find(text, b"<<").is_some_and(|at| text.get(at + 2) != Some(&b'<')) {
        return [text, b"\n"].concat();
    }
    let mut joiner = Joiner::default();
    for line in text.split(|byte| *byte == b'\n') {
        joiner.line(line);
    }
    joiner.out
}

/// What has been read so far.
#[derive(Default)]
struct Joiner {
    out: Vec<u8>,
    /// The quotes and substitutions that are open: the byte that ends each.
    open: Vec<u8>,
    /// The last word, and the one before.
    words: [Vec<u8>; 2],
    word: Vec<u8>,
    /// Inside of `case`: how deep.
    cases: usize,
    /// Inside of `[[`, or of the parentheses of an array.
    spaced: Option<&'static [u8]>,
    commented: bool,
    blank: bool,
}

impl Joiner {
    fn line(&mut self, line: &[u8]) {
        let trimmed = line.trim_ascii_start();
        let first = self.out.is_empty();
        let quoted = !self.open.is_empty();
        if !first && !quoted && trimmed.starts_with(b"#") {
            self.commented = true;
            return;
        }
        if !first {
            self.delimiter(trimmed.is_empty());
        }
        self.blank = trimmed.is_empty() && !quoted;
        self.commented = false;
        let continued = line.ends_with(b"\\") && self.open.last() != Some(&b'\'');
        let kept = line.len() - usize::from(continued);
        self.scan(line.get(..kept).unwrap_or_default());
        if continued {
            self.words[0] = b"\\".to_vec();
        }
    }

    fn delimiter(&mut self, blank: bool) {
        let last = self.words[0].as_slice();
        let text: &[u8] = if last == b"\\" {
            b""
        } else if self.open.last() == Some(&b'}') {
            b" "
        } else if !self.open.is_empty() || self.commented {
            b"\n"
        } else if blank {
            if self.blank { b"" } else { b"; " }
        } else if self.blank || self.spaced.is_some() || self.takes_blank(last) {
            b" "
        } else {
            b"; "
        };
        self.out.extend_from_slice(text);
    }

    /// Nothing but a blank belongs behind this word.
    fn takes_blank(&self, last: &[u8]) -> bool {
        let before = self.words[1].as_slice();
        OPENING.contains(&last)
            || last == b"()"
            || last == b")" && (before == b"(" || self.cases > 0)
            || matches!(before, b"function" | b"case" | b"for" | b"select")
    }

    /// Reads a line: what quotes it opens and closes, and its words.
    fn scan(&mut self, line: &[u8]) {
        let mut at = 0;
        while let Some(&byte) = line.get(at) {
            let next = line.get(at + 1).copied();
            match (self.open.last().copied(), byte) {
                (Some(b'\''), b'\'') => drop(self.open.pop()),
                (Some(b'\''), _) => {}
                (_, b'\\') => {
                    self.word.extend(line.get(at..at + 2).unwrap_or_default());
                    self.out.extend(line.get(at..at + 2).unwrap_or(b"\\"));
                    at += 2;
                    continue;
                }
                (Some(end), byte) if end == byte => drop(self.open.pop()),
                (Some(b'"'), b'\'') => {}
                (_, b'\'' | b'"' | b'`') => self.open.push(byte),
                (_, b'(') if self.word.ends_with(b"$") || self.open.last() == Some(&b')') => {
                    self.open.push(b')')
                }
                (_, b'{') if self.word.ends_with(b"$") => self.open.push(b'}'),
                (None, b'#') if self.word.is_empty() => {
                    self.commented = true;
                    self.out.extend(line.get(at..).unwrap_or_default());
                    return;
                }
                (None, b' ' | b'\t') => self.end_word(),
                (None, b'(' | b')' | b';' | b'&' | b'|') => self.operator(byte, next),
                _ => {}
            }
            if self.open.is_empty() && !matches!(byte, b' ' | b'\t' | b'(' | b')' | b';' | b'&' | b'|')
                || !self.open.is_empty()
            {
                self.word.push(byte);
            }
            self.out.push(byte);
            at += 1;
        }
        if self.open.is_empty() {
            self.end_word();
        }
    }

    fn operator(&mut self, byte: u8, next: Option<u8>) {
        let array = byte == b'(' && self.word.ends_with(b"=");
        self.end_word();
        if array {
            self.spaced = Some(b")");
        }
        // The second half of `;;`, `&&` and their kin joins the first.
        match self.words[0].last() {
            Some(b';' | b'&' | b'|') if byte != b'(' && byte != b')' && self.words[0].len() < 3 => {
                self.words[0].push(byte)
            }
            _ => self.shift(vec![byte]),
        }
        if byte == b')' && self.spaced == Some(b")") {
            self.spaced = None;
        }
        if next.is_none() && self.words[0] == b")" && self.words[1] == b"(" {
            self.words[0] = b"()".to_vec();
        }
    }

    fn end_word(&mut self) {
        if self.word.is_empty() {
            return;
        }
        let word = std::mem::take(&mut self.word);
        match word.as_slice() {
            b"case" => self.cases += 1,
            b"esac" => self.cases = self.cases.saturating_sub(1),
            b"[[" => self.spaced = Some(b"]]"),
            b"]]" => self.spaced = None,
            _ => {}
        }
        self.shift(word);
    }

    fn shift(&mut self, word: Vec<u8>) {
        self.words.swap(0, 1);
        self.words[0] = word;
    }
}
