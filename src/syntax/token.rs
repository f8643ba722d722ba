//! Tokens: blanks, comments, operators and reserved words, seen from the cursor without being taken.
//!
//! There is no token stream: bash's lexer depends on what is being read, so each production looks at the bytes
//! it may meet. What is shared is here.

use super::parser::Reader;

/// Ends a word: blanks, newline and operators.
pub(super) const META: u8 = 1;
/// Quotes, `$`, backquote and backslash.
pub(super) const QUOTING: u8 = 2;
/// `{`, which may open a brace expansion.
pub(super) const BRACE: u8 = 4;
/// May stand in a name.
pub(super) const NAME: u8 = 8;
/// A digit.
pub(super) const DIGIT: u8 = 16;
/// `=` or `:`, after which a tilde may count.
pub(super) const TILDE_AFTER: u8 = 32;

/// The classes of each byte.
pub(super) static CLASS: [u8; 256] = classes();

const fn classes() -> [u8; 256] {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = match byte as u8 {
            b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'<' | b'>' | b'(' | b')' => META,
            b'\\' | b'\'' | b'"' | b'`' | b'$' => QUOTING,
            b'{' => BRACE,
            b'=' | b':' => TILDE_AFTER,
            b'0'..=b'9' => NAME | DIGIT,
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => NAME,
            _ => 0,
        };
        byte += 1;
    }
    table
}

/// The classes of a byte.
#[inline]
pub(super) fn class(byte: u8) -> u8 {
    CLASS.get(usize::from(byte)).copied().unwrap_or(0)
}

/// Whether the byte ends a word.
#[inline]
pub(super) fn is_meta(byte: u8) -> bool {
    class(byte) & META != 0
}

/// Whether the byte may start a name.
#[inline]
pub(super) fn starts_name(byte: u8) -> bool {
    class(byte) & (NAME | DIGIT) == NAME
}

/// Whether the text is a name.
pub(super) fn is_name(text: &[u8]) -> bool {
    text.first().is_some_and(|byte| starts_name(*byte)) && text.iter().all(|byte| class(*byte) & NAME != 0)
}

/// Whether the text is a reserved word.
pub(super) fn is_reserved(text: &[u8]) -> bool {
    Reserved::from_text(text).is_some()
}

/// Words that open, join or close compound commands where a command may begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reserved {
    If,
    Then,
    Elif,
    Else,
    Fi,
    Case,
    Esac,
    For,
    Select,
    While,
    Until,
    Do,
    Done,
    In,
    Function,
    Time,
    Coproc,
    Bang,
    OpenBrace,
    CloseBrace,
    OpenCond,
    CloseCond,
}

impl Reserved {
    fn from_text(text: &[u8]) -> Option<Self> {
        Some(match text {
            b"if" => Self::If,
            b"then" => Self::Then,
            b"elif" => Self::Elif,
            b"else" => Self::Else,
            b"fi" => Self::Fi,
            b"case" => Self::Case,
            b"esac" => Self::Esac,
            b"for" => Self::For,
            b"select" => Self::Select,
            b"while" => Self::While,
            b"until" => Self::Until,
            b"do" => Self::Do,
            b"done" => Self::Done,
            b"in" => Self::In,
            b"function" => Self::Function,
            b"time" => Self::Time,
            b"coproc" => Self::Coproc,
            b"!" => Self::Bang,
            b"{" => Self::OpenBrace,
            b"}" => Self::CloseBrace,
            b"[[" => Self::OpenCond,
            b"]]" => Self::CloseCond,
            _ => return None,
        })
    }

    /// How many bytes it has.
    pub(super) fn len(self) -> usize {
        match self {
            Self::Bang | Self::OpenBrace | Self::CloseBrace => 1,
            Self::If | Self::Fi | Self::Do | Self::In | Self::OpenCond | Self::CloseCond => 2,
            Self::For => 3,
            Self::Then | Self::Elif | Self::Else | Self::Case | Self::Esac | Self::Done | Self::Time => 4,
            Self::While | Self::Until => 5,
            Self::Select | Self::Coproc => 6,
            Self::Function => 8,
        }
    }

    /// Whether it can only continue or end a command that is open.
    pub(super) fn closes(self) -> bool {
        matches!(
            self,
            Self::Then
                | Self::Elif
                | Self::Else
                | Self::Fi
                | Self::Esac
                | Self::Do
                | Self::Done
                | Self::CloseBrace
        )
    }
}

/// Whether a reserved word can start with this byte.
#[inline]
fn may_start_reserved(byte: u8) -> bool {
    matches!(
        byte,
        b'i' | b't' | b'e' | b'f' | b'c' | b's' | b'w' | b'u' | b'd' | b'!' | b'{' | b'}' | b'[' | b']'
    )
}

impl Reader<'_> {
    /// Passes blanks, and a comment when one starts here. The newline that ends it stays.
    #[inline]
    pub(super) fn blanks(&mut self) {
        if let Some(byte) = self.cursor.rest().first()
            && !matches!(byte, b' ' | b'\t' | b'#' | b'\\')
        {
            return;
        }
        self.blanks_here();
    }

    #[inline(never)]
    fn blanks_here(&mut self) {
        loop {
            let rest = self.cursor.rest();
            let length = rest
                .iter()
                .position(|byte| !matches!(byte, b' ' | b'\t'))
                .unwrap_or(rest.len());
            self.cursor.skip(length);
            match self.cursor.peek() {
                Some(b' ' | b'\t') => {}
                Some(b'#') => self.comment(),
                _ => return,
            }
        }
    }

    /// A comment that starts in an alias goes on behind it.
    fn comment(&mut self) {
        while self.cursor.peek_raw().is_some_and(|byte| byte != b'\n') {
            let rest = self.cursor.rest();
            let length = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
            self.cursor.skip(length);
        }
    }

    /// The operator or newline that comes next.
    #[inline]
    pub(super) fn operator(&mut self) -> Option<&'static [u8]> {
        let first = self.cursor.peek()?;
        if is_meta(first) {
            self.operator_from(first)
        } else {
            None
        }
    }

    /// The longest operator that starts with this byte.
    fn operator_from(&self, first: u8) -> Option<&'static [u8]> {
        let second = self.cursor.peek_at(1);
        let third = |byte| self.cursor.peek_at(2) == Some(byte);
        Some(match (first, second) {
            (b'\n', _) => b"\n",
            (b'(', _) => b"(",
            (b')', _) => b")",
            (b';', Some(b';')) if third(b'&') => b";;&",
            (b';', Some(b';')) => b";;",
            (b';', Some(b'&')) => b";&",
            (b';', _) => b";",
            (b'&', Some(b'&')) => b"&&",
            (b'&', Some(b'>')) if third(b'>') => b"&>>",
            (b'&', Some(b'>')) => b"&>",
            (b'&', _) => b"&",
            (b'|', Some(b'|')) => b"||",
            (b'|', Some(b'&')) => b"|&",
            (b'|', _) => b"|",
            (b'<' | b'>', Some(b'(')) => return None,
            (b'<', Some(b'<')) if third(b'<') => b"<<<",
            (b'<', Some(b'<')) if third(b'-') => b"<<-",
            (b'<', Some(b'<')) => b"<<",
            (b'<', Some(b'&')) => b"<&",
            (b'<', Some(b'>')) => b"<>",
            (b'<', _) => b"<",
            (b'>', Some(b'>')) => b">>",
            (b'>', Some(b'&')) => b">&",
            (b'>', Some(b'|')) => b">|",
            (b'>', _) => b">",
            _ => return None,
        })
    }

    /// The reserved word that comes next, if the word here is one.
    #[inline]
    pub(super) fn reserved(&mut self) -> Option<Reserved> {
        let first = self.cursor.peek()?;
        if may_start_reserved(first) {
            self.reserved_here()
        } else {
            None
        }
    }

    #[inline(never)]
    fn reserved_here(&mut self) -> Option<Reserved> {
        let rest = self.cursor.rest();
        let end = rest
            .iter()
            .take(9)
            .position(|byte| is_meta(*byte) || *byte == b'\\');
        match end {
            Some(end) if rest.get(end) != Some(&b'\\') => Reserved::from_text(rest.get(..end)?),
            None if rest.len() >= 9 => None,
            _ => self.reserved_slow(),
        }
    }

    /// The same where the text ends or is continued on the next line.
    #[cold]
    fn reserved_slow(&mut self) -> Option<Reserved> {
        let mut text = Vec::with_capacity(9);
        while let Some(byte) = self.cursor.peek_at(text.len()).filter(|byte| !is_meta(*byte)) {
            if text.len() == 9 {
                return None;
            }
            text.push(byte);
        }
        Reserved::from_text(&text)
    }

    /// Takes the reserved word if it comes next.
    pub(super) fn eat_reserved(&mut self, wanted: Reserved) -> bool {
        self.blanks();
        let found = self.reserved() == Some(wanted);
        if found {
            self.cursor.bump_many(wanted.len());
        }
        found
    }

    /// Takes the reserved word or fails on what stands there.
    pub(super) fn expect_reserved(&mut self, wanted: Reserved) -> super::parser::Parsed<()> {
        if self.eat_reserved(wanted) {
            Ok(())
        } else {
            Err(self.unexpected())
        }
    }

    /// Passes newlines, blanks and comments.
    pub(super) fn newlines(&mut self) -> super::parser::Parsed<()> {
        loop {
            self.blanks();
            if self.cursor.peek() != Some(b'\n') {
                return Ok(());
            }
            self.newline()?;
        }
    }

    /// Takes a newline, then the here-documents that start behind it.
    pub(super) fn newline(&mut self) -> super::parser::Parsed<()> {
        self.cursor.bump();
        if self.pending.is_empty() {
            Ok(())
        } else {
            self.here_documents()
        }
    }

    /// Passes what is left of the line after an error.
    pub(super) fn skip_line(&mut self) {
        while let Some(byte) = self.cursor.peek_raw() {
            self.cursor.bump();
            if byte == b'\n' {
                return;
            }
        }
    }
}
