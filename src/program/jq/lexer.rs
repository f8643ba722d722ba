//! The tokens of a program of jq.
//!
//! Texts are tokens of their own kinds, since `\( )` holds a whole program: the lexer keeps a stack of what is open, as jq's does.

/// What a token is.
#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    /// The end.
    End,
    /// A number.
    Literal(f64),
    /// A name, with `::` perhaps, that is no keyword.
    Name(String),
    /// A word of the language.
    Keyword(&'static str),
    /// `.name`
    Field(String),
    /// `@name`
    Format(String),
    /// An operator or bracket.
    Sign(&'static str),
    /// `"`, which begins a text.
    TextStart,
    /// A stretch of a text, escapes done.
    TextPart(String),
    /// `\(`
    InterpolationStart,
    /// Its `)`.
    InterpolationEnd,
    /// `"`, which ends a text.
    TextEnd,
    /// What is none of these.
    Invalid,
}

/// A token and where it is.
#[derive(Debug, Clone)]
pub struct Token {
    /// What it is.
    pub kind: Kind,
    /// The offset of its first byte.
    pub start: usize,
}

/// The offset of what is wrong with no place of the text.
pub const NOWHERE: usize = usize::MAX;

/// A complaint and where it is.
#[derive(Debug, Clone)]
pub struct SyntaxError {
    /// The sentence.
    pub message: String,
    /// The offset, or [`NOWHERE`].
    pub start: usize,
    /// Another sentence about another place.
    pub note: Option<(&'static str, usize)>,
}

/// The words of the language.
pub const KEYWORDS: [&str; 19] = [
    "as", "import", "include", "module", "def", "if", "then", "else", "elif", "end", "and", "or", "reduce",
    "foreach", "try", "catch", "label", "break", "__loc__",
];

/// Signs, longer ones first.
const SIGNS: [&str; 33] = [
    "?//", "//=", "!=", "==", "|=", "+=", "-=", "*=", "/=", "%=", "<=", ">=", "//", "..", "=", ";", ",", ":",
    "|", "+", "-", "*", "/", "%", "$", "<", ">", "?", "[", "(", "{", ".", "]",
];

/// What is open.
#[derive(Clone, Copy, PartialEq)]
enum Open {
    Bracket(u8),
    Text,
    Interpolation,
}

struct Lexer<'a> {
    text: &'a [u8],
    at: usize,
    open: Vec<Open>,
    tokens: Vec<Token>,
}

/// Cuts a program into tokens, the last of which is the end.
pub fn tokens(text: &str) -> Result<Vec<Token>, SyntaxError> {
    let mut lexer = Lexer {
        text: text.as_bytes(),
        at: 0,
        open: Vec::new(),
        tokens: Vec::new(),
    };
    while lexer.at < lexer.text.len() {
        if lexer.open.last() == Some(&Open::Text) {
            lexer.text_part()?;
        } else {
            lexer.token()?;
        }
    }
    // The end is where the last token was, as flex has it.
    let start = lexer.tokens.last().map_or(0, |token| token.start);
    let kind = Kind::End;
    lexer.tokens.push(Token { kind, start });
    Ok(lexer.tokens)
}

impl<'a> Lexer<'a> {
    fn rest(&self) -> &'a [u8] {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn push(&mut self, kind: Kind, length: usize) {
        let start = self.at;
        self.tokens.push(Token { kind, start });
        self.at += length;
    }

    fn token(&mut self) -> Result<(), SyntaxError> {
        let rest = self.rest();
        let Some((&first, behind)) = rest.split_first() else {
            return Ok(());
        };
        match first {
            b' ' | b'\t' | b'\r' | b'\n' => self.at += 1,
            b'#' => self.at += memchr::memchr(b'\n', rest).unwrap_or(rest.len()),
            b'"' => {
                self.push(Kind::TextStart, 1);
                self.open.push(Open::Text);
            }
            b'@' => match word(behind) {
                "" => self.push(Kind::Invalid, 1),
                name => self.push(Kind::Format(name.to_owned()), name.len() + 1),
            },
            b'.' if !identifier(behind).is_empty() => {
                let name = identifier(behind);
                self.push(Kind::Field(name.to_owned()), name.len() + 1);
            }
            b'0'..=b'9' | b'.' if number_length(rest) > 0 => self.number()?,
            _ if !identifier(rest).is_empty() => self.name(),
            _ => self.sign(),
        }
        Ok(())
    }

    fn number(&mut self) -> Result<(), SyntaxError> {
        let length = number_length(self.rest());
        let digits = self.rest().get(..length).unwrap_or_default();
        if let Some(value) = super::json::number(digits) {
            self.push(Kind::Literal(value), length);
            return Ok(());
        }
        let shown = String::from_utf8_lossy(digits);
        Err(SyntaxError {
            message: format!(
                "Invalid numeric literal at EOF at line 1, column {length} (while parsing '{shown}')"
            ),
            start: self.at,
            note: None,
        })
    }

    fn name(&mut self) {
        let mut length = identifier(self.rest()).len();
        loop {
            let behind = self.rest().get(length..).unwrap_or_default();
            let Some(more) = behind.strip_prefix(b"::") else {
                break;
            };
            let more = identifier(more).len();
            if more == 0 {
                break;
            }
            length += 2 + more;
        }
        let name = String::from_utf8_lossy(self.rest().get(..length).unwrap_or_default()).into_owned();
        let kind = match KEYWORDS.iter().find(|keyword| **keyword == name) {
            Some(keyword) => Kind::Keyword(keyword),
            None => Kind::Name(name),
        };
        self.push(kind, length);
    }

    fn sign(&mut self) {
        let rest = self.rest();
        let first = rest.first().copied().unwrap_or(0);
        let closed = match (first, self.open.last()) {
            (b')', Some(Open::Bracket(b'('))) => Some(Kind::Sign(")")),
            (b')', Some(Open::Interpolation)) => Some(Kind::InterpolationEnd),
            (b']', Some(Open::Bracket(b'['))) => Some(Kind::Sign("]")),
            (b'}', Some(Open::Bracket(b'{'))) => Some(Kind::Sign("}")),
            _ => None,
        };
        if let Some(kind) = closed {
            self.open.pop();
            self.push(kind, 1);
            return;
        }
        if matches!(first, b'(' | b'[' | b'{') {
            self.open.push(Open::Bracket(first));
        }
        match SIGNS.iter().find(|sign| rest.starts_with(sign.as_bytes())) {
            Some(sign) if *sign != "]" => self.push(Kind::Sign(sign), sign.len()),
            _ => self.push(Kind::Invalid, 1),
        }
    }

    /// A stretch of a text, up to its end or an interpolation.
    fn text_part(&mut self) -> Result<(), SyntaxError> {
        let start = self.at;
        let mut escaped = Vec::new();
        loop {
            match self.rest() {
                [] => return self.end_part(start, &escaped),
                [b'"', ..] => {
                    self.end_part(start, &escaped)?;
                    self.push(Kind::TextEnd, 1);
                    self.open.pop();
                    return Ok(());
                }
                [b'\\', b'(', ..] => {
                    self.end_part(start, &escaped)?;
                    self.push(Kind::InterpolationStart, 2);
                    self.open.push(Open::Interpolation);
                    return Ok(());
                }
                [b'\\', next, ..] => {
                    escaped.extend_from_slice(&[b'\\', *next]);
                    self.at += 2;
                }
                // A control character stands for itself here, while JSON wants it escaped.
                [byte @ 1..32, ..] => {
                    escaped.extend_from_slice(format!("\\u{byte:04x}").as_bytes());
                    self.at += 1;
                }
                [byte, ..] => {
                    escaped.push(*byte);
                    self.at += 1;
                }
            }
        }
    }

    fn end_part(&mut self, start: usize, escaped: &[u8]) -> Result<(), SyntaxError> {
        if self.at == start {
            return Ok(());
        }
        let text = super::json::unescape(escaped).map_err(|message| SyntaxError {
            message: format!(
                "{message} at line 1, column {} (while parsing '\"{}\"')",
                escaped.len() + 2,
                String::from_utf8_lossy(escaped)
            ),
            start,
            note: None,
        })?;
        let kind = Kind::TextPart(text);
        self.tokens.push(Token { kind, start });
        Ok(())
    }
}

/// The letters, digits and `_` that a text begins with.
fn word(text: &[u8]) -> &str {
    let is_word = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
    let length = text.iter().take_while(is_word).count();
    std::str::from_utf8(text.get(..length).unwrap_or_default()).unwrap_or_default()
}

/// The name that a text begins with.
fn identifier(text: &[u8]) -> &str {
    if text.first().is_some_and(u8::is_ascii_digit) {
        return "";
    }
    word(text)
}

/// The length of the number that a text begins with: `[0-9.]+([eE][+-]?[0-9]+)?`, but for `.` and `..`.
fn number_length(text: &[u8]) -> usize {
    let is_part = |byte: &&u8| byte.is_ascii_digit() || **byte == b'.';
    let length = text.iter().take_while(is_part).count();
    if matches!(text.get(..length), Some(b"." | b"..")) {
        return 0;
    }
    let (sign, digits) = match text.get(length..).unwrap_or_default() {
        [b'e' | b'E', b'+' | b'-', digits @ ..] => (2, digits),
        [b'e' | b'E', digits @ ..] => (1, digits),
        _ => return length,
    };
    let digits = digits.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if digits == 0 {
        length
    } else {
        length + sign + digits
    }
}

impl Kind {
    /// What a complaint calls it.
    pub fn name(&self) -> String {
        let name = match self {
            Kind::End => "$end",
            Kind::Literal(_) => "LITERAL",
            Kind::Name(_) => "IDENT",
            Kind::Keyword(word) => word,
            Kind::Field(_) => "FIELD",
            Kind::Format(_) => "FORMAT",
            Kind::Sign(sign) if sign.len() == 1 => return format!("'{sign}'"),
            Kind::Sign(sign) => sign,
            Kind::TextStart => "QQSTRING_START",
            Kind::TextPart(_) => "QQSTRING_TEXT",
            Kind::InterpolationStart => "QQSTRING_INTERP_START",
            Kind::InterpolationEnd => "QQSTRING_INTERP_END",
            Kind::TextEnd => "QQSTRING_END",
            Kind::Invalid => "INVALID_CHARACTER",
        };
        name.to_owned()
    }
}
