//! Printing values: compact or indented, with keys sorted, in ASCII, in colour.

use super::value::{Text, Value};

/// How values are printed.
#[derive(Debug, Clone, Copy)]
pub struct Style {
    /// Blanks a level; 0: all on one line.
    pub indent: usize,
    /// Tabs instead of blanks.
    pub tab: bool,
    /// Keys in order.
    pub sorted: bool,
    /// Escape what is not ASCII.
    pub ascii: bool,
    /// In colour.
    pub colour: bool,
}

impl Style {
    /// On one line.
    pub const COMPACT: Style = Style {
        indent: 0,
        tab: false,
        sorted: false,
        ascii: false,
        colour: false,
    };
}

const RESET: &str = "\x1b[0m";
const FIELD: &str = "\x1b[34;1m";
const LIST: &str = "\x1b[1;39m";

/// A number: as few digits as read back to it.
pub fn number(value: f64) -> String {
    if value.is_nan() {
        return "null".to_owned();
    }
    // What has no literal in JSON is the nearest number that has.
    let value = value.clamp(f64::MIN, f64::MAX);
    let scientific = format!("{value:e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let (sign, mantissa) = match mantissa.strip_prefix('-') {
        Some(mantissa) => ("-", mantissa),
        None => ("", mantissa),
    };
    let digits = mantissa.replace('.', "");
    let exponent: i32 = exponent.parse().unwrap_or(0);
    // Where the point is, counted from the first digit.
    let point = exponent + 1;
    let count = digits.len() as i32;
    if value == 0.0 {
        return format!("{sign}0");
    }
    if point <= -4 || point > count + 15 {
        let (first, rest) = digits.split_at_checked(1).unwrap_or((&digits, ""));
        let dot = if rest.is_empty() { "" } else { "." };
        let exponent_sign = if exponent < 0 { '-' } else { '+' };
        return format!("{sign}{first}{dot}{rest}e{exponent_sign}{:02}", exponent.abs());
    }
    if point <= 0 {
        return format!("{sign}0.{}{digits}", "0".repeat(point.unsigned_abs() as usize));
    }
    match digits.split_at_checked(point as usize) {
        Some((whole, "")) => format!("{sign}{whole}"),
        Some((whole, fraction)) => format!("{sign}{whole}.{fraction}"),
        None => format!("{sign}{digits}{}", "0".repeat((point - count) as usize)),
    }
}

/// Appends a text in quotes.
pub fn push_text(out: &mut String, text: &str, ascii: bool) {
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\0'..' ' | '\x7f' => out.push_str(&format!("\\u{:04x}", u32::from(character))),
            _ if ascii && !character.is_ascii() => {
                for unit in character.encode_utf16(&mut [0; 2]) {
                    out.push_str(&format!("\\u{unit:04x}"));
                }
            }
            _ => out.push(character),
        }
    }
    out.push('"');
}

/// The text of a value.
pub fn print(value: &Value, style: Style) -> String {
    let mut out = String::new();
    Printer { out: &mut out, style }.value(value, 0);
    out
}

/// The text of a value on one line.
pub fn compact(value: &Value) -> String {
    print(value, Style::COMPACT)
}

struct Printer<'a> {
    out: &'a mut String,
    style: Style,
}

impl Printer<'_> {
    fn line(&mut self, level: usize) {
        if self.style.tab {
            self.out.push('\n');
            self.out.extend(std::iter::repeat_n('\t', level));
        } else if self.style.indent > 0 {
            self.out.push('\n');
            self.out
                .extend(std::iter::repeat_n(' ', level * self.style.indent));
        }
    }

    fn colour(&mut self, code: &str) {
        if self.style.colour {
            self.out.push_str(code);
        }
    }

    fn value(&mut self, value: &Value, level: usize) {
        let code = match value {
            Value::Null => "\x1b[1;30m",
            Value::Bool(_) | Value::Number(_) => "\x1b[0;39m",
            Value::Text(_) => "\x1b[0;32m",
            Value::Array(_) | Value::Object(_) => LIST,
        };
        self.colour(code);
        match value {
            Value::Null => self.out.push_str("null"),
            Value::Bool(flag) => self.out.push_str(if *flag { "true" } else { "false" }),
            Value::Number(value) => self.out.push_str(&number(*value)),
            Value::Text(text) => push_text(self.out, text, self.style.ascii),
            Value::Array(array) => {
                self.array(array.items(), level);
                return;
            }
            Value::Object(object) => {
                let pairs = if self.style.sorted {
                    object.sorted()
                } else {
                    object.pairs().iter().collect()
                };
                self.object(&pairs, level);
                return;
            }
        }
        self.colour(RESET);
    }

    fn array(&mut self, items: &[Value], level: usize) {
        if items.is_empty() {
            self.out.push_str("[]");
            self.colour(RESET);
            return;
        }
        self.out.push('[');
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                self.colour(LIST);
                self.out.push(',');
            }
            self.line(level + 1);
            self.value(item, level + 1);
        }
        self.colour(LIST);
        self.line(level);
        self.colour(LIST);
        self.out.push(']');
        self.colour(RESET);
    }

    fn object(&mut self, pairs: &[&(Text, Value)], level: usize) {
        if pairs.is_empty() {
            self.out.push_str("{}");
            self.colour(RESET);
            return;
        }
        self.out.push('{');
        for (index, (key, item)) in pairs.iter().enumerate() {
            if index > 0 {
                self.colour(LIST);
                self.out.push(',');
            }
            self.line(level + 1);
            self.colour(RESET);
            self.colour(FIELD);
            push_text(self.out, key, self.style.ascii);
            self.colour(RESET);
            self.colour(LIST);
            self.out.push(':');
            if self.style.indent > 0 || self.style.tab {
                self.out.push(' ');
            }
            self.colour(RESET);
            self.value(item, level + 1);
        }
        self.colour(LIST);
        self.line(level);
        self.colour(LIST);
        self.out.push('}');
        self.colour(RESET);
    }
}
