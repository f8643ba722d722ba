//! Tokens of `bc`.

use super::diagnostic::Diagnostics;

/// A token.
#[derive(Debug, Clone, PartialEq)]
pub enum Token {
    /// The end of a line.
    Newline,
    /// The end of all input.
    End,
    /// A name that is no word of the language.
    Name(Vec<u8>),
    /// A constant as it is written, without needless zeros.
    Number(Vec<u8>),
    /// A string without its quotes.
    Text(Vec<u8>),
    /// A word of the language.
    Word(Word),
    /// `++` or `--`.
    Step(Step),
    /// `=`, or an operator with it: its letter, or `=`.
    Assign(u8),
    /// A comparison, as the letter of its instruction.
    Compare(u8),
    /// `&&`
    And,
    /// `||`
    Or,
    /// `!`
    Not,
    /// `.`, the value that was printed last.
    Last,
    /// Any other character that the grammar knows.
    Sign(u8),
}

/// `++` or `--`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Step {
    Up,
    Down,
}

/// Words of the language.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Word {
    Auto,
    Break,
    Continue,
    Define,
    Else,
    For,
    Halt,
    History,
    Ibase,
    If,
    Last,
    Length,
    Limits,
    Obase,
    Print,
    Quit,
    Random,
    Read,
    Return,
    Scale,
    Sqrt,
    Void,
    Warranty,
    While,
}

const WORDS: &[(&[u8], Word)] = &[
    (b"auto", Word::Auto),
    (b"break", Word::Break),
    (b"continue", Word::Continue),
    (b"define", Word::Define),
    (b"else", Word::Else),
    (b"for", Word::For),
    (b"halt", Word::Halt),
    (b"history", Word::History),
    (b"ibase", Word::Ibase),
    (b"if", Word::If),
    (b"last", Word::Last),
    (b"length", Word::Length),
    (b"limits", Word::Limits),
    (b"obase", Word::Obase),
    (b"print", Word::Print),
    (b"quit", Word::Quit),
    (b"random", Word::Random),
    (b"read", Word::Read),
    (b"return", Word::Return),
    (b"scale", Word::Scale),
    (b"sqrt", Word::Sqrt),
    (b"void", Word::Void),
    (b"warranty", Word::Warranty),
    (b"while", Word::While),
];

/// More text is needed to tell what comes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Incomplete;

/// Cuts text into tokens.
#[derive(Clone)]
pub struct Lexer<'a> {
    text: &'a [u8],
    /// Where the next token begins.
    pub at: usize,
    /// The line that is read.
    pub line: usize,
    /// No more text follows.
    pub ended: bool,
}

impl<'a> Lexer<'a> {
    /// Reads `text`, which begins in `line`; `ended` when nothing follows it.
    pub fn new(text: &'a [u8], line: usize, ended: bool) -> Self {
        Lexer {
            text,
            at: 0,
            line,
            ended,
        }
    }

    fn peek(&self, ahead: usize) -> Option<u8> {
        self.text.get(self.at + ahead).copied()
    }

    fn rest(&self) -> &'a [u8] {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// The next token.
    pub fn next(&mut self, said: &mut Diagnostics) -> Result<Token, Incomplete> {
        loop {
            self.skip_blanks(said)?;
            let Some(byte) = self.peek(0) else {
                return self.end();
            };
            let token = match byte {
                b'\n' => {
                    self.line += 1;
                    self.at += 1;
                    Token::Newline
                }
                b'a'..=b'z' => self.name()?,
                b'0'..=b'9' | b'A'..=b'Z' => self.number()?,
                b'.' if self.number_follows_point() => self.number()?,
                b'"' => match self.string(said)? {
                    Some(token) => token,
                    None => continue,
                },
                _ => match self.sign(byte)? {
                    Some(token) => token,
                    None => {
                        self.illegal(byte, said);
                        continue;
                    }
                },
            };
            return Ok(token);
        }
    }

    fn end(&mut self) -> Result<Token, Incomplete> {
        if !self.ended {
            return Err(Incomplete);
        }
        // At the end of its last file GNU bc counts lines anew.
        self.line = 1;
        Ok(Token::End)
    }

    /// Blanks, comments and continued lines.
    fn skip_blanks(&mut self, said: &mut Diagnostics) -> Result<(), Incomplete> {
        loop {
            match self.rest() {
                [b' ' | b'\t', ..] => self.at += 1,
                [b'\\', b'\n', ..] => {
                    self.line += 1;
                    self.at += 2;
                }
                [b'/', b'*', rest @ ..] => match memchr::memmem::find(rest, b"*/") {
                    Some(length) => {
                        let skipped = rest.get(..length).unwrap_or_default();
                        self.line += memchr::memchr_iter(b'\n', skipped).count();
                        self.at += length + 4;
                    }
                    None if !self.ended => return Err(Incomplete),
                    None => {
                        self.at = self.text.len();
                        said.raw("EOF encountered in a comment.\n");
                    }
                },
                [b'#', rest @ ..] => match memchr::memchr(b'\n', rest) {
                    Some(length) => self.at += length + 1,
                    None if !self.ended => return Err(Incomplete),
                    None => self.at = self.text.len(),
                },
                _ => return Ok(()),
            }
        }
    }

    fn name(&mut self) -> Result<Token, Incomplete> {
        let rest = self.rest();
        let is_part = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || *byte == b'_';
        let length = rest.iter().take_while(|byte| is_part(byte)).count();
        if length == rest.len() && !self.ended {
            return Err(Incomplete);
        }
        let name = rest.get(..length).unwrap_or_default();
        self.at += length;
        if let Some((_, word)) = WORDS.iter().find(|(text, _)| *text == name) {
            return Ok(Token::Word(*word));
        }
        Ok(Token::Name(name.to_vec()))
    }

    fn number_follows_point(&self) -> bool {
        let mut rest = self.rest().get(1..).unwrap_or_default();
        while let [b'\\', b'\n', more @ ..] = rest {
            rest = more;
        }
        rest.first()
            .is_some_and(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase())
    }

    fn number(&mut self) -> Result<Token, Incomplete> {
        let mut digits = Vec::new();
        let mut pointed = false;
        loop {
            match self.rest() {
                [byte, ..] if byte.is_ascii_digit() || byte.is_ascii_uppercase() => digits.push(*byte),
                [b'.', ..] if !pointed => {
                    pointed = true;
                    digits.push(b'.');
                }
                [b'\\', b'\n', ..] => {
                    self.line += 1;
                    self.at += 1;
                }
                [] | [b'\\'] if !self.ended => return Err(Incomplete),
                _ => break,
            }
            self.at += 1;
        }
        Ok(Token::Number(trimmed(&digits)))
    }

    fn string(&mut self, said: &mut Diagnostics) -> Result<Option<Token>, Incomplete> {
        let rest = self.rest().get(1..).unwrap_or_default();
        let Some(length) = memchr::memchr(b'"', rest) else {
            if !self.ended {
                return Err(Incomplete);
            }
            self.illegal(b'"', said);
            return Ok(None);
        };
        let text = rest.get(..length).unwrap_or_default();
        self.line += memchr::memchr_iter(b'\n', text).count();
        self.at += length + 2;
        if text.contains(&0) {
            said.error(self.line, "NUL character in string.");
        }
        Ok(Some(Token::Text(text.to_vec())))
    }

    fn sign(&mut self, byte: u8) -> Result<Option<Token>, Incomplete> {
        if self.peek(1).is_none() && !self.ended {
            return Err(Incomplete);
        }
        let (token, length) = match (byte, self.peek(1)) {
            (b'+', Some(b'+')) => (Token::Step(Step::Up), 2),
            (b'-', Some(b'-')) => (Token::Step(Step::Down), 2),
            (b'=', Some(b'=')) => (Token::Compare(b'='), 2),
            (b'!', Some(b'=')) => (Token::Compare(b'#'), 2),
            (b'<', Some(b'=')) => (Token::Compare(b'{'), 2),
            (b'>', Some(b'=')) => (Token::Compare(b'}'), 2),
            (b'<' | b'>', _) => (Token::Compare(byte), 1),
            (b'+' | b'-' | b'*' | b'/' | b'%' | b'^', Some(b'=')) => (Token::Assign(byte), 2),
            (b'=', _) => (Token::Assign(b'='), 1),
            (b'&', Some(b'&')) => (Token::And, 2),
            (b'|', Some(b'|')) => (Token::Or, 2),
            (b'!', _) => (Token::Not, 1),
            (b'.', _) => (Token::Last, 1),
            (b'+' | b'-' | b'*' | b'/' | b'%' | b'^' | b'(' | b')' | b'[' | b']' | b'{' | b'}', _) => {
                (Token::Sign(byte), 1)
            }
            (b',' | b';' | b'&', _) => (Token::Sign(byte), 1),
            _ => return Ok(None),
        };
        self.at += length;
        Ok(Some(token))
    }

    fn illegal(&mut self, byte: u8, said: &mut Diagnostics) {
        self.at += 1;
        let shown = match byte {
            0..=31 => format!("^{}", char::from(byte + b'@')),
            127.. => format!("\\{byte:03o}"),
            _ => char::from(byte).to_string(),
        };
        said.error(self.line, &format!("illegal character: {shown}"));
    }
}

/// Without zeros at the front, and without a point at the end.
fn trimmed(digits: &[u8]) -> Vec<u8> {
    let start = digits.iter().take_while(|byte| **byte == b'0').count();
    let mut digits = digits.get(start..).unwrap_or_default();
    if let [whole @ .., b'.'] = digits {
        digits = whole;
    }
    if digits.is_empty() {
        return b"0".to_vec();
    }
    digits.to_vec()
}
