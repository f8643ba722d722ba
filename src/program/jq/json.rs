//! Reading JSON, a piece of text at a time, with the complaints of jq's own parser.
//!
//! It is a machine over characters, as in jq: a value is done at the character that ends it, which is what line numbers in messages follow from.

use super::value::{Heap, MOST_DEPTH, Text, Value};

/// Deeper input is refused, as jq does.
const MOST_PARSED: usize = 256;

#[derive(Debug, Clone, Copy, PartialEq)]
enum State {
    Normal,
    Text,
    Escape,
}

/// What is open.
enum Open {
    Array(Vec<Value>),
    Object(Vec<(Text, Value)>),
    /// The key of the object below.
    Key(Text),
}

/// The parser.
pub struct Parser {
    state: State,
    open: Vec<Open>,
    next: Option<Value>,
    token: Vec<u8>,
    line: u64,
    column: u64,
    /// How much of a byte order mark was read; all of it once the text has begun.
    mark: usize,
}

/// What may stand in front of a text.
const BYTE_ORDER_MARK: [u8; 3] = [0xef, 0xbb, 0xbf];

fn is_structure(byte: u8) -> bool {
    matches!(byte, b'[' | b']' | b'{' | b'}' | b',' | b':')
}

impl Parser {
    /// At the start of a text.
    pub fn new() -> Parser {
        Parser {
            state: State::Normal,
            open: Vec::new(),
            next: None,
            token: Vec::new(),
            line: 1,
            column: 0,
            mark: 0,
        }
    }

    /// Reads on in `text` from `at`, until a value is done: that value. The error is a whole sentence.
    pub fn next(&mut self, heap: &Heap, text: &[u8], at: &mut usize) -> Result<Option<Value>, String> {
        while let Some(&byte) = text.get(*at) {
            *at += 1;
            match self.scan(heap, byte) {
                Ok(None) => {}
                Ok(done) => return Ok(done),
                Err(message @ "Malformed BOM") => return Err(message.to_owned()),
                Err(message) => {
                    return Err(format!("{message} at line {}, column {}", self.line, self.column));
                }
            }
        }
        Ok(None)
    }

    /// The text has ended: the value that only its end ends.
    pub fn finish(&mut self, heap: &Heap) -> Result<Option<Value>, String> {
        let place = format!("at EOF at line {}, column {}", self.line, self.column);
        if self.state != State::Normal {
            return Err(format!("Unfinished string {place}"));
        }
        self.end_literal()
            .map_err(|message| format!("{message} {place}"))?;
        let _ = heap;
        if !self.open.is_empty() {
            return Err(format!("Unfinished JSON term {place}"));
        }
        Ok(self.next.take())
    }

    fn scan(&mut self, heap: &Heap, byte: u8) -> Result<Option<Value>, &'static str> {
        if let Some(expected) = BYTE_ORDER_MARK.get(self.mark) {
            if byte == *expected {
                self.mark += 1;
                return Ok(None);
            }
            if self.mark > 0 {
                return Err("Malformed BOM");
            }
            self.mark = BYTE_ORDER_MARK.len();
        }
        self.column += 1;
        if byte == b'\n' {
            self.line += 1;
            self.column = 0;
        }
        match self.state {
            State::Normal => match byte {
                b' ' | b'\t' | b'\r' | b'\n' => self.end_literal()?,
                b'"' => {
                    self.end_literal()?;
                    self.state = State::Text;
                }
                _ if is_structure(byte) => {
                    self.end_literal()?;
                    // A value that was done is out before the character counts: jq puts it off instead, which shows nowhere.
                    self.structure(heap, byte)?;
                }
                _ => self.token.push(byte),
            },
            State::Text if byte == b'"' => {
                let text = unescape(&self.token)?;
                self.token.clear();
                self.value(heap.text(text))?;
                self.state = State::Normal;
            }
            State::Text => {
                self.token.push(byte);
                if byte == b'\\' {
                    self.state = State::Escape;
                }
            }
            State::Escape => {
                self.token.push(byte);
                self.state = State::Text;
            }
        }
        if self.open.is_empty() && self.state == State::Normal {
            return Ok(self.next.take());
        }
        Ok(None)
    }

    fn value(&mut self, value: Value) -> Result<(), &'static str> {
        if self.next.is_some() {
            return Err("Expected separator between values");
        }
        self.next = Some(value);
        Ok(())
    }

    fn end_literal(&mut self) -> Result<(), &'static str> {
        let Some(&first) = self.token.first() else {
            return Ok(());
        };
        let token = std::mem::take(&mut self.token);
        let word = match first {
            b't' => Some((&b"true"[..], Value::Bool(true))),
            b'f' => Some((&b"false"[..], Value::Bool(false))),
            b'n' if token.len() != 3 => Some((&b"null"[..], Value::Null)),
            _ => None,
        };
        let value = match word {
            Some((word, value)) if word == token => value,
            Some(_) => return Err("Invalid literal"),
            None => Value::Number(number(&token).ok_or("Invalid numeric literal")?),
        };
        self.value(value)
    }

    /// Puts the value that is complete into what is open.
    fn store(&mut self, value: Value) -> Result<(), &'static str> {
        match self.open.pop() {
            Some(Open::Array(mut items)) => {
                items.push(value);
                self.open.push(Open::Array(items));
                Ok(())
            }
            Some(Open::Key(key)) => {
                if let Some(Open::Object(pairs)) = self.open.last_mut() {
                    pairs.push((key, value));
                }
                Ok(())
            }
            other => {
                self.open.extend(other);
                Err("Objects must consist of key:value pairs")
            }
        }
    }

    fn structure(&mut self, heap: &Heap, byte: u8) -> Result<(), &'static str> {
        match byte {
            b'[' | b'{' => {
                if self.open.len() >= MOST_PARSED.min(MOST_DEPTH as usize) {
                    return Err("Exceeds depth limit for parsing");
                }
                if self.next.is_some() {
                    return Err("Expected separator between values");
                }
                self.open.push(if byte == b'[' {
                    Open::Array(Vec::new())
                } else {
                    Open::Object(Vec::new())
                });
            }
            b':' => match (self.open.last(), self.next.take()) {
                (_, None) => return Err("Expected string key before ':'"),
                (None | Some(Open::Array(_) | Open::Key(_)), _) => {
                    return Err("':' not as part of an object");
                }
                (_, Some(Value::Text(key))) => self.open.push(Open::Key(key)),
                _ => return Err("Object keys must be strings"),
            },
            b',' => match self.next.take() {
                None => return Err("Expected value before ','"),
                Some(_) if self.open.is_empty() => return Err("',' not as part of an object or array"),
                Some(value) => self.store(value)?,
            },
            b']' => {
                if !matches!(self.open.last(), Some(Open::Array(_))) {
                    return Err("Unmatched ']'");
                }
                if let Some(value) = self.next.take() {
                    self.store(value)?;
                } else if matches!(self.open.last(), Some(Open::Array(items)) if !items.is_empty()) {
                    return Err("Expected another array element");
                }
                if let Some(Open::Array(items)) = self.open.pop() {
                    self.next = Some(heap.array(items));
                }
            }
            _ => self.close_object(heap)?,
        }
        Ok(())
    }

    fn close_object(&mut self, heap: &Heap) -> Result<(), &'static str> {
        if self.open.is_empty() {
            return Err("Unmatched '}'");
        }
        match self.next.take() {
            Some(value) if matches!(self.open.last(), Some(Open::Key(_))) => self.store(value)?,
            Some(_) => return Err("Objects must consist of key:value pairs"),
            None => match self.open.last() {
                Some(Open::Object(pairs)) if pairs.is_empty() => {}
                Some(Open::Object(_)) => return Err("Expected another key-value pair"),
                _ => return Err("Unmatched '}'"),
            },
        }
        if let Some(Open::Object(pairs)) = self.open.pop() {
            self.next = Some(heap.object(pairs));
        }
        Ok(())
    }
}

/// A number as C's `strtod` takes it.
pub fn number(token: &[u8]) -> Option<f64> {
    let text = std::str::from_utf8(token).ok()?;
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    if digits.eq_ignore_ascii_case("nan") {
        return Some(f64::NAN);
    }
    if digits.eq_ignore_ascii_case("infinity") || digits.eq_ignore_ascii_case("inf") {
        return Some(f64::INFINITY.copysign(if text.starts_with('-') { -1.0 } else { 1.0 }));
    }
    let plain = digits
        .bytes()
        .all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'e' | b'E' | b'+' | b'-'));
    if !plain || !digits.bytes().any(|byte| byte.is_ascii_digit()) {
        return None;
    }
    text.parse().ok()
}

fn hex(text: &[u8], at: usize) -> Option<u32> {
    let digits = text.get(at..at + 4)?;
    let text = std::str::from_utf8(digits).ok()?;
    u32::from_str_radix(text, 16)
        .ok()
        .filter(|_| !text.starts_with('+'))
}

/// The text of a token with its escapes.
pub fn unescape(token: &[u8]) -> Result<String, &'static str> {
    const PAIR: &str = "Invalid \\uXXXX\\uXXXX surrogate pair escape";
    let mut out = Vec::with_capacity(token.len());
    let mut at = 0;
    while let Some(&byte) = token.get(at) {
        at += 1;
        if byte != b'\\' {
            if (1..32).contains(&byte) {
                return Err("Invalid string: control characters from U+0000 through U+001F must be escaped");
            }
            out.push(byte);
            continue;
        }
        let Some(&letter) = token.get(at) else {
            return Err("Expected escape character at end of string");
        };
        at += 1;
        let plain = match letter {
            b'\\' | b'"' | b'/' => letter,
            b'b' => 8,
            b'f' => 12,
            b't' => b'\t',
            b'n' => b'\n',
            b'r' => b'\r',
            b'u' => {
                if token.len() < at + 4 {
                    return Err("Invalid \\uXXXX escape");
                }
                let mut code = hex(token, at).ok_or("Invalid characters in \\uXXXX escape")?;
                at += 4;
                if (0xd800..0xdc00).contains(&code) {
                    if token.get(at..at + 2) != Some(b"\\u") {
                        return Err(PAIR);
                    }
                    let low = hex(token, at + 2).filter(|low| (0xdc00..0xe000).contains(low));
                    code = 0x10000 + ((code - 0xd800) << 10) + (low.ok_or(PAIR)? - 0xdc00);
                    at += 6;
                }
                let character = char::from_u32(code).unwrap_or('\u{fffd}');
                out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                continue;
            }
            _ => return Err("Invalid escape"),
        };
        out.push(plain);
    }
    Ok(match String::from_utf8(out) {
        Ok(text) => text,
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
    })
}

/// Parses a text that is one value; the error is the sentence of `fromjson` without what was parsed.
pub fn parse(heap: &Heap, text: &str) -> Result<Value, String> {
    let mut parser = Parser::new();
    let mut at = 0;
    let mut found = parser.next(heap, text.as_bytes(), &mut at)?;
    loop {
        let more = if at < text.len() {
            parser.next(heap, text.as_bytes(), &mut at)?
        } else {
            match parser.finish(heap)? {
                None => break,
                more => more,
            }
        };
        if more.is_some() && found.is_some() {
            return Err("Unexpected extra JSON values".to_owned());
        }
        found = found.or(more);
    }
    found.ok_or_else(|| "Expected JSON value".to_owned())
}
