//! Source text to tokens. Whether `/` divides or begins a regular expression only the parser knows, so it asks for either.

use super::code::Builtin;
use crate::text::escape;

/// A word that begins or joins statements, or does something by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keyword {
    Begin,
    End,
    BeginFile,
    EndFile,
    Function,
    If,
    Else,
    While,
    For,
    Do,
    Break,
    Continue,
    Next,
    NextFile,
    Exit,
    Return,
    Delete,
    In,
    Getline,
    Print,
    Printf,
    Switch,
    Case,
    Default,
}

/// A token.
#[derive(Debug, Clone, PartialEq)]
pub enum Token {
    Newline,
    End,
    Number(f64),
    Text(Vec<u8>),
    /// `@/re/`
    TypedRegex(Vec<u8>),
    Name(Vec<u8>),
    /// A name with `(` right behind it: a call.
    CallName(Vec<u8>),
    Builtin(Builtin),
    Keyword(Keyword),
    /// `@name(`, without the parenthesis.
    Indirect(Vec<u8>),
    /// `@include` and its like.
    Directive(Vec<u8>),
    /// An operator or sign.
    Sign(&'static str),
}

/// A complaint about the source: the sentence, and where its arrow points.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceError {
    pub sentence: Vec<u8>,
    pub at: usize,
}

/// A warning: an offset and the sentence.
pub type Warning = (usize, String);

/// The tokens of a source.
#[derive(Debug, Clone)]
pub struct Lexer<'a> {
    source: &'a [u8],
    at: usize,
    pub warnings: Vec<Warning>,
}

/// The longest first.
const SIGNS: [&str; 46] = [
    "**=", "|&", "**", "+=", "-=", "*=", "/=", "%=", "^=", "==", "<=", ">=", "!=", "!~", "++", "--", "&&",
    "||", ">>", "{", "}", "(", ")", "[", "]", ";", ",", "+", "-", "*", "/", "%", "^", "!", ">", "<", "|",
    "?", ":", "~", "$", "=", "@", "&", "\\", "#",
];

const KEYWORDS: [(&str, Keyword); 25] = [
    ("BEGIN", Keyword::Begin),
    ("END", Keyword::End),
    ("BEGINFILE", Keyword::BeginFile),
    ("ENDFILE", Keyword::EndFile),
    ("function", Keyword::Function),
    ("func", Keyword::Function),
    ("if", Keyword::If),
    ("else", Keyword::Else),
    ("while", Keyword::While),
    ("for", Keyword::For),
    ("do", Keyword::Do),
    ("break", Keyword::Break),
    ("continue", Keyword::Continue),
    ("next", Keyword::Next),
    ("nextfile", Keyword::NextFile),
    ("exit", Keyword::Exit),
    ("return", Keyword::Return),
    ("delete", Keyword::Delete),
    ("in", Keyword::In),
    ("getline", Keyword::Getline),
    ("print", Keyword::Print),
    ("printf", Keyword::Printf),
    ("switch", Keyword::Switch),
    ("case", Keyword::Case),
    ("default", Keyword::Default),
];

impl<'a> Lexer<'a> {
    /// At the start of a source.
    pub fn new(source: &'a [u8]) -> Lexer<'a> {
        Lexer {
            source,
            at: 0,
            warnings: Vec::new(),
        }
    }

    /// Where the next token is looked for.
    pub fn position(&self) -> usize {
        self.at
    }

    /// Goes back to a position.
    pub fn rewind(&mut self, at: usize) {
        self.at = at;
    }

    fn rest(&self) -> &'a [u8] {
        self.source.get(self.at..).unwrap_or_default()
    }

    fn peek(&self, ahead: usize) -> Option<u8> {
        self.source.get(self.at + ahead).copied()
    }

    fn error<T>(&self, sentence: &str, at: usize) -> Result<T, SourceError> {
        Err(SourceError {
            sentence: sentence.as_bytes().to_vec(),
            at,
        })
    }

    /// Blanks, comments and lines that a backslash joins.
    fn skip_blanks(&mut self) {
        loop {
            match (self.peek(0), self.peek(1)) {
                (Some(b' ' | b'\t' | b'\r'), _) => self.at += 1,
                (Some(b'\\'), Some(b'\n')) => self.at += 2,
                (Some(b'\\'), Some(b'\r')) if self.peek(2) == Some(b'\n') => self.at += 3,
                (Some(b'#'), _) => {
                    let rest = self.rest();
                    self.at += memchr::memchr(b'\n', rest).unwrap_or(rest.len());
                }
                _ => return,
            }
        }
    }

    /// The next token and where it starts.
    pub fn next(&mut self) -> Result<(Token, usize), SourceError> {
        self.skip_blanks();
        let start = self.at;
        let Some(byte) = self.peek(0) else {
            return Ok((Token::End, start));
        };
        let token = match byte {
            b'\n' => {
                self.at += 1;
                Token::Newline
            }
            b'"' => {
                self.at += 1;
                Token::Text(self.string(start)?)
            }
            b'0'..=b'9' => self.number(),
            b'.' if self.peek(1).is_some_and(|byte| byte.is_ascii_digit()) => self.number(),
            b'_' | b'a'..=b'z' | b'A'..=b'Z' => self.word(),
            b'@' => self.at_sign(start)?,
            _ => {
                let rest = self.rest();
                let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(sign.as_bytes())) else {
                    let sentence = [b"invalid char '", &[byte][..], b"' in expression"].concat();
                    return Err(SourceError { sentence, at: start });
                };
                self.at += sign.len();
                Token::Sign(sign)
            }
        };
        Ok((token, start))
    }

    /// A name, perhaps with the namespace that it is in: `ns::name`.
    fn name(&mut self) -> Vec<u8> {
        let rest = self.rest();
        let word = |from: usize| {
            let rest = rest.get(from..).unwrap_or_default();
            let is_name = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
            rest.iter().take_while(is_name).count()
        };
        let mut length = word(0);
        if let Some([b':', b':', b'_' | b'a'..=b'z' | b'A'..=b'Z', ..]) = rest.get(length..) {
            length += 2 + word(length + 2);
        }
        self.at += length;
        rest.get(..length).unwrap_or_default().to_vec()
    }

    fn word(&mut self) -> Token {
        let name = self.name();
        if let Some((_, keyword)) = KEYWORDS.iter().find(|(word, _)| word.as_bytes() == name) {
            return Token::Keyword(*keyword);
        }
        if let Some(builtin) = Builtin::from_name(&name) {
            return Token::Builtin(builtin);
        }
        if self.peek(0) == Some(b'(') {
            Token::CallName(name)
        } else {
            Token::Name(name)
        }
    }

    fn at_sign(&mut self, start: usize) -> Result<Token, SourceError> {
        self.at += 1;
        match self.peek(0) {
            Some(b'/') => {
                self.at += 1;
                self.regex().map(Token::TypedRegex)
            }
            Some(byte) if byte.is_ascii_alphabetic() || byte == b'_' => {
                let name = self.name();
                if matches!(name.as_slice(), b"include" | b"load" | b"namespace") {
                    return Ok(Token::Directive(name));
                }
                Ok(Token::Indirect(name))
            }
            _ => self.error("syntax error", start),
        }
    }

    fn number(&mut self) -> Token {
        let rest = self.rest();
        if let [b'0', b'x' | b'X', digits @ ..] = rest {
            let length = digits.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
            if length > 0 {
                self.at += 2 + length;
                return Token::Number(radix(digits.get(..length).unwrap_or_default(), 16));
            }
        }
        let length = super::number::decimal_length(rest).max(1);
        self.at += length;
        let text = rest.get(..length).unwrap_or_default();
        // `017` is octal, `018` and `017.5` are not.
        if let [b'0', octal @ ..] = text
            && !octal.is_empty()
            && octal.iter().all(|byte| (b'0'..b'8').contains(byte))
        {
            return Token::Number(radix(octal, 8));
        }
        Token::Number(crate::text::number::scan_double(text).value)
    }

    /// The text of a string whose quote was read.
    fn string(&mut self, start: usize) -> Result<Vec<u8>, SourceError> {
        let begin = self.at;
        loop {
            match self.peek(0) {
                None | Some(b'\n') => {
                    self.at = start;
                    return self.error("unterminated string", start);
                }
                Some(b'"') => break,
                Some(b'\\') => self.at += 2,
                Some(_) => self.at += 1,
            }
        }
        let raw = self.source.get(begin..self.at).unwrap_or_default();
        self.at += 1;
        let mut warnings = Vec::new();
        let text = unescape(raw, &mut warnings);
        self.warnings
            .extend(warnings.into_iter().map(|warning| (start, warning)));
        Ok(text)
    }

    /// The text of a regular expression whose `/` was read; backslashes stay.
    pub fn regex(&mut self) -> Result<Vec<u8>, SourceError> {
        let start = self.at;
        let mut text = Vec::new();
        // A slash within brackets does not end it.
        let mut bracket = None;
        loop {
            let Some(byte) = self.peek(0) else {
                return self.error("unterminated regexp", start);
            };
            match byte {
                b'\n' => return self.error("unterminated regexp", start),
                b'\\' => {
                    match self.peek(1) {
                        // A joined line.
                        Some(b'\n') => {}
                        Some(b'/') => text.push(b'/'),
                        Some(next) => text.extend([b'\\', next]),
                        None => {
                            return self.error("unterminated regexp ends with `\\' at end of file", start);
                        }
                    }
                    self.at += 2;
                    continue;
                }
                b'/' if bracket.is_none() => {
                    self.at += 1;
                    return Ok(text);
                }
                b'[' if bracket.is_none() => bracket = Some(text.len()),
                b'[' if self.peek(1) == Some(b':') => {
                    // A class such as `[:alpha:]` does not end the brackets.
                    if let Some(end) = memchr::memmem::find(self.rest(), b":]") {
                        text.extend_from_slice(self.rest().get(..end + 2).unwrap_or_default());
                        self.at += end + 2;
                        continue;
                    }
                }
                b']' => {
                    let first = bracket.map(|open| open + 1 + usize::from(text.get(open + 1) == Some(&b'^')));
                    if first.is_none_or(|first| text.len() > first) {
                        bracket = None;
                    }
                }
                _ => {}
            }
            text.push(byte);
            self.at += 1;
        }
    }
}

/// Whether a name means something to the language.
pub fn is_reserved(name: &[u8]) -> bool {
    KEYWORDS.iter().any(|(word, _)| word.as_bytes() == name) || Builtin::from_name(name).is_some()
}

fn radix(digits: &[u8], base: u32) -> f64 {
    digits.iter().fold(0.0, |sum, digit| {
        sum * f64::from(base) + f64::from(char::from(*digit).to_digit(base).unwrap_or(0))
    })
}

/// Replaces the escapes of a string: of the program, of `-v` and of operands like `x=1`.
pub fn unescape(raw: &[u8], warnings: &mut Vec<String>) -> Vec<u8> {
    let mut text = Vec::with_capacity(raw.len());
    let mut at = 0;
    while let Some(&byte) = raw.get(at) {
        at += 1;
        if byte != b'\\' {
            text.push(byte);
            continue;
        }
        let Some(&letter) = raw.get(at) else {
            text.push(b'\\');
            break;
        };
        at += 1;
        match letter {
            b'\n' => {}
            b'\r' if raw.get(at) == Some(&b'\n') => at += 1,
            b'"' | b'\\' => text.push(letter),
            b'0'..=b'7' => {
                let rest = raw.get(at - 1..).unwrap_or_default();
                let (value, count) = escape::digits(rest, 8, 3);
                text.push(value as u8);
                at += count - 1;
            }
            b'x' => {
                let rest = raw.get(at..).unwrap_or_default();
                let (value, count) = escape::digits(rest, 16, 2);
                if count == 0 {
                    warnings.push("no hex digits in `\\x' escape sequence".to_owned());
                    text.push(b'x');
                } else {
                    text.push(value as u8);
                    at += count;
                }
            }
            _ if let Some(byte) = escape::letter(letter) => text.push(byte),
            _ => {
                if !warnings
                    .iter()
                    .any(|known| known.contains(&format!("`\\{}'", char::from(letter))))
                {
                    let letter = char::from(letter);
                    warnings.push(format!(
                        "escape sequence `\\{letter}' treated as plain `{letter}'"
                    ));
                }
                text.push(letter);
            }
        }
    }
    text
}
