//! Whether a text is one JSON object or array.

/// Deeper texts are not taken for JSON.
const DEEPEST: usize = 100;

/// One object or array and nothing else.
pub fn is_json(text: &[u8]) -> bool {
    let mut reader = Reader { text, at: 0 };
    reader.blanks();
    matches!(reader.peek(), Some(b'{' | b'[')) && reader.value(0).is_some() && {
        reader.blanks();
        reader.peek().is_none()
    }
}

struct Reader<'a> {
    text: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn take(&mut self, byte: u8) -> Option<()> {
        (self.peek() == Some(byte)).then(|| self.at += 1)
    }

    fn value(&mut self, depth: usize) -> Option<()> {
        if depth > DEEPEST || crate::stack::is_low() {
            return None;
        }
        self.blanks();
        match self.peek()? {
            b'{' => self.items(b'}', |reader| {
                reader.blanks();
                reader.string()?;
                reader.blanks();
                reader.take(b':')?;
                reader.value(depth + 1)
            }),
            b'[' => self.items(b']', |reader| reader.value(depth + 1)),
            b'"' => self.string(),
            b't' => self.word(b"true"),
            b'f' => self.word(b"false"),
            b'n' => self.word(b"null"),
            _ => self.number(),
        }
    }

    fn items(&mut self, end: u8, item: impl Fn(&mut Self) -> Option<()>) -> Option<()> {
        self.at += 1;
        self.blanks();
        if self.take(end).is_some() {
            return Some(());
        }
        loop {
            item(self)?;
            self.blanks();
            if self.take(end).is_some() {
                return Some(());
            }
            self.take(b',')?;
        }
    }

    fn string(&mut self) -> Option<()> {
        self.take(b'"')?;
        loop {
            match self.peek()? {
                b'"' => return self.take(b'"'),
                b'\\' => self.at += 2,
                _ => self.at += 1,
            }
        }
    }

    fn word(&mut self, word: &[u8]) -> Option<()> {
        let rest = self.text.get(self.at..)?;
        rest.starts_with(word).then(|| self.at += word.len())
    }

    fn number(&mut self) -> Option<()> {
        let rest = self.text.get(self.at..)?;
        let length = rest
            .iter()
            .take_while(|byte| byte.is_ascii_digit() || b"+-.eE".contains(byte))
            .count();
        let text = std::str::from_utf8(rest.get(..length)?).ok()?;
        self.at += length;
        text.parse::<f64>().ok().map(drop)
    }
}
