//! Perl expressions rewritten for the crate `fancy-regex`.
//!
//! The crate's syntax is close to that of PCRE, but not in what `grep -P` users meet first: `\w \d \s \b` and the classes
//! mean ASCII there (PCRE without `UCP`), `[` and `&&` inside brackets are literal, `{` is literal where it begins no
//! interval, named groups have numbers. So the expression is read and written again, which also gives the error
//! sentences of PCRE. Two passes are made, since a name may be used before its group.

use std::fmt::Write as _;

use super::RegexError;

const WORD: &str = "0-9A-Za-z_";
const SPACE: &str = r"\t-\r\x20";
const HORIZONTAL: &str = r"\t\x20\xa0\x{1680}\x{180e}\x{2000}-\x{200a}\x{202f}\x{205f}\x{3000}";
const VERTICAL: &str = r"\n-\r\x{85}\x{2028}\x{2029}";

/// An expression in the other syntax.
pub struct Rewritten {
    pub pattern: String,
    /// Holds `\b` or `\B`, which depends on [`Words`].
    pub has_word_boundary: bool,
}

/// How `\b` is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Words {
    /// The text is ASCII: the crate's own.
    AsciiText,
    /// Any text: by looking around for ASCII word characters.
    AnyText,
}

/// Rewrites `pattern`.
pub fn rewrite(pattern: &str, words: Words) -> Result<Rewritten, RegexError> {
    let mut first = Rewriter::new(pattern, words, Names::default());
    first.collecting = true;
    first.run()?;
    let mut second = Rewriter::new(pattern, words, first.names);
    second.groups_known = first.groups;
    second.run()?;
    Ok(Rewritten {
        pattern: second.out,
        has_word_boundary: second.has_word_boundary,
    })
}

pub(super) fn error<T>(sentence: &str) -> Result<T, RegexError> {
    Err(RegexError::Perl(sentence.to_owned()))
}

fn unsupported<T>(what: &str) -> Result<T, RegexError> {
    Err(RegexError::Perl(format!("{what} is not supported")))
}

#[derive(Default)]
struct Names(Vec<(String, usize)>);

impl Names {
    fn number(&self, name: &str) -> Option<usize> {
        self.0
            .iter()
            .find(|(own, _)| own == name)
            .map(|(_, number)| *number)
    }
}

pub(super) struct Rewriter {
    pub(super) text: Vec<char>,
    pub(super) at: usize,
    pub(super) out: String,
    words: Words,
    /// The first pass: names are gathered, and none is missed.
    collecting: bool,
    names: Names,
    groups: usize,
    groups_known: usize,
    /// `(?x)` of each open group, the outermost first.
    extended: Vec<bool>,
    /// The size of `extended` in the outermost lookbehind that is open.
    lookbehind: Option<usize>,
    pub(super) repeatable: bool,
    unicode: bool,
    has_word_boundary: bool,
}

impl Rewriter {
    fn new(pattern: &str, words: Words, names: Names) -> Self {
        Self {
            text: pattern.chars().collect(),
            at: 0,
            out: String::new(),
            words,
            collecting: false,
            names,
            groups: 0,
            groups_known: usize::MAX,
            extended: vec![false],
            lookbehind: None,
            repeatable: false,
            unicode: false,
            has_word_boundary: false,
        }
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.text.get(self.at).copied()
    }

    pub(super) fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += 1;
        Some(c)
    }

    pub(super) fn eat(&mut self, text: &str) -> bool {
        let matches = text
            .chars()
            .enumerate()
            .all(|(index, c)| self.text.get(self.at + index) == Some(&c));
        if matches {
            self.at += text.chars().count();
        }
        matches
    }

    /// The text up to `end`, which is passed over.
    pub(super) fn until(&mut self, end: char) -> Option<String> {
        let length = self.text.get(self.at..)?.iter().position(|&c| c == end)?;
        let text = self.text.get(self.at..self.at + length)?.iter().collect();
        self.at += length + 1;
        Some(text)
    }

    fn is_extended(&self) -> bool {
        self.extended.last().copied().unwrap_or(false)
    }

    fn run(&mut self) -> Result<(), RegexError> {
        while self.eat("(*UTF)") || self.eat("(*UTF8)") {}
        self.unicode = self.eat("(*UCP)");
        while let Some(c) = self.next() {
            self.element(c)?;
        }
        if self.extended.len() > 1 {
            return error("missing closing parenthesis");
        }
        Ok(())
    }

    fn element(&mut self, c: char) -> Result<(), RegexError> {
        match c {
            '\\' => return self.escape(),
            '[' => return self.class(),
            '(' => return self.open(),
            ')' if self.extended.len() == 1 => return error("unmatched closing parenthesis"),
            ')' => {
                _ = self.extended.pop();
                self.lookbehind = self.lookbehind.filter(|&depth| depth <= self.extended.len());
                self.out.push(')');
            }
            '*' | '+' | '?' => return self.quantifier(c.encode_utf8(&mut [0; 4])),
            '{' => {
                if let Some(interval) = self.interval()? {
                    return self.quantifier(&interval);
                }
                self.literal('{');
            }
            '|' => {
                self.out.push('|');
                self.repeatable = false;
                return Ok(());
            }
            '#' if self.is_extended() => {
                if self.until('\n').is_none() {
                    self.at = self.text.len();
                }
                return Ok(());
            }
            c if self.is_extended() && c.is_whitespace() => return Ok(()),
            '.' | '^' | '$' => self.out.push(c),
            c => self.literal(c),
        }
        self.repeatable = true;
        Ok(())
    }

    fn literal(&mut self, c: char) {
        self.repeatable = true;
        push_literal(&mut self.out, c);
    }

    fn quantifier(&mut self, text: &str) -> Result<(), RegexError> {
        if !self.repeatable {
            return error("quantifier does not follow a repeatable item");
        }
        let fixed = text.strip_prefix('{').is_some_and(|text| !text.contains(','));
        if self.lookbehind.is_some() && !fixed {
            return error("lookbehind assertion is not fixed length");
        }
        self.out.push_str(text);
        if let Some(mode @ ('?' | '+')) = self.peek() {
            self.out.push(mode);
            self.at += 1;
        }
        self.repeatable = false;
        Ok(())
    }

    /// `n}`, `n,}` or `n,m}` after a `{`; else the brace is literal.
    fn interval(&mut self) -> Result<Option<String>, RegexError> {
        let start = self.at;
        let text = self.until('}').unwrap_or_default();
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let (least, most) = text.split_once(',').unwrap_or((&text, &text));
        if !digits(least) || !(most.is_empty() || digits(most)) {
            self.at = start;
            return Ok(None);
        }
        let value = |text: &str| text.parse::<u32>().ok().filter(|&value| value <= 65535);
        let (Some(low), Some(high)) = (
            value(least),
            if most.is_empty() { Some(65535) } else { value(most) },
        ) else {
            return error("number too big in {} quantifier");
        };
        if low > high {
            return error("numbers out of order in {} quantifier");
        }
        Ok(Some(format!("{{{text}}}")))
    }

    fn open(&mut self) -> Result<(), RegexError> {
        self.repeatable = false;
        let extended = self.is_extended();
        if self.eat("*") {
            return unsupported("a verb (*…)");
        }
        if !self.eat("?") {
            self.groups += 1;
            self.extended.push(extended);
            self.out.push('(');
            return Ok(());
        }
        for prefix in [":", "=", "!", "<=", "<!", ">"] {
            if self.eat(prefix) {
                self.extended.push(extended);
                if prefix.starts_with('<') && self.lookbehind.is_none() {
                    self.lookbehind = Some(self.extended.len());
                }
                _ = write!(self.out, "(?{prefix}");
                return Ok(());
            }
        }
        if self.eat("#") {
            return if self.until(')').is_some() {
                Ok(())
            } else {
                error("missing ) following (?# comment")
            };
        }
        if self.eat("|") {
            return unsupported("a branch reset (?|…)");
        }
        if self.eat("P=") {
            let name = self.until(')').unwrap_or_default();
            return self.reference(&name);
        }
        if self.eat("P>") || self.eat("&") {
            let name = self.until(')').unwrap_or_default();
            return self.call(&name);
        }
        if self.eat("P<") || self.eat("<") {
            return self.named_group('>');
        }
        if self.eat("'") {
            return self.named_group('\'');
        }
        if self.eat("(") {
            return self.condition();
        }
        match self.peek() {
            Some('R' | '0'..='9') => {
                let number = self.until(')').unwrap_or_default();
                self.call(if number == "R" { "0" } else { &number })
            }
            Some('C') => unsupported("a callout (?C)"),
            _ => self.flags(),
        }
    }

    fn named_group(&mut self, end: char) -> Result<(), RegexError> {
        let name = self.until(end).unwrap_or_default();
        if name.is_empty() || !name.chars().all(|c| c.is_alphanumeric() || c == '_') {
            return error("syntax error in subpattern name (missing terminator?)");
        }
        self.groups += 1;
        if self.collecting {
            if self.names.number(&name).is_some() {
                return error("two named subpatterns have the same name (PCRE2_DUPNAMES not set)");
            }
            self.names.0.push((name, self.groups));
        }
        self.extended.push(self.is_extended());
        self.out.push('(');
        Ok(())
    }

    /// The number of a group given by name, number or distance.
    fn group_number(&self, name: &str) -> Result<usize, RegexError> {
        let number = match name.strip_prefix(['-', '+']).map(str::parse) {
            Some(Ok(distance)) if name.starts_with('-') => (self.groups + 1).checked_sub(distance),
            Some(Ok(distance)) => self.groups.checked_add(distance),
            _ => name.parse().ok().or_else(|| self.names.number(name)),
        };
        match number {
            Some(number) if number <= self.groups_known => Ok(number),
            None if self.collecting => Ok(0),
            _ => error("reference to non-existent subpattern"),
        }
    }

    fn reference(&mut self, name: &str) -> Result<(), RegexError> {
        let number = self.group_number(name)?;
        if number == 0 && !self.collecting {
            return error("reference to non-existent subpattern");
        }
        _ = write!(self.out, "(?:\\{number})");
        self.repeatable = true;
        Ok(())
    }

    fn call(&mut self, name: &str) -> Result<(), RegexError> {
        let number = self.group_number(name)?;
        _ = write!(self.out, "\\g<{number}>");
        self.repeatable = true;
        Ok(())
    }

    /// `(?(1)yes|no)`
    fn condition(&mut self) -> Result<(), RegexError> {
        let name = self.until(')').unwrap_or_default();
        let name = name.trim_start_matches(['<', '\'']).trim_end_matches(['>', '\'']);
        if name.starts_with('?') || name.starts_with('R') || name == "DEFINE" {
            return unsupported("this condition (?(…)");
        }
        let number = self.group_number(name)?;
        self.extended.push(self.is_extended());
        _ = write!(self.out, "(?({number})");
        Ok(())
    }

    /// `(?i)`, `(?i:…)`, `(?-i)`, `(?^)`
    fn flags(&mut self) -> Result<(), RegexError> {
        let (mut on, mut off, mut negative, mut extended) =
            (String::new(), String::new(), false, self.is_extended());
        loop {
            match self.next() {
                Some('-') if !negative => negative = true,
                Some('x') => extended = !negative,
                Some(c @ ('i' | 'm' | 's' | 'U')) => if negative { &mut off } else { &mut on }.push(c),
                Some('n' | 'J') => return unsupported("this option (?…)"),
                Some(end @ (')' | ':')) => {
                    let minus = if off.is_empty() { "" } else { "-" };
                    let none = on.is_empty() && off.is_empty();
                    if end == ':' {
                        self.extended.push(extended);
                        _ = write!(self.out, "(?{on}{minus}{off}:");
                    } else {
                        if let Some(last) = self.extended.last_mut() {
                            *last = extended;
                        }
                        if !none {
                            _ = write!(self.out, "(?{on}{minus}{off})");
                        }
                    }
                    return Ok(());
                }
                None => return error("missing closing parenthesis"),
                Some(_) => return error("unrecognized character after (? or (?-"),
            }
        }
    }

    fn escape(&mut self) -> Result<(), RegexError> {
        let Some(c) = self.next() else {
            return error("\\ at end of pattern");
        };
        self.repeatable = true;
        if let Some((items, negated)) = self.class_escape(c) {
            // Outside of brackets `grep`'s `\S`, `\D` and `\W` do not match beyond ASCII, inside they do.
            let ascii = !self.unicode && matches!(c, 'D' | 'S' | 'W');
            _ = match (negated, ascii) {
                (false, _) => write!(self.out, "[{items}]"),
                (true, false) => write!(self.out, "[^{items}]"),
                (true, true) => write!(self.out, "[[\\x00-\\x7f]--[{items}]]"),
            };
            return Ok(());
        }
        match c {
            'N' => self.out.push_str("[^\\n]"),
            'R' => _ = write!(self.out, "(?>\\r\\n|[{VERTICAL}])"),
            'b' | 'B' => self.word_boundary(c == 'B'),
            'A' | 'z' | 'G' | 'K' => _ = write!(self.out, "\\{c}"),
            'Z' => self.out.push_str("(?=\\n?\\z)"),
            'Q' => self.quoted(),
            'E' => {}
            'X' | 'C' => return unsupported(&format!("\\{c}")),
            'p' | 'P' => {
                let property = self.property(c)?;
                self.out.push_str(&property);
            }
            'k' => {
                let name = self.delimited().ok_or_else(|| {
                    RegexError::Perl(
                        "\\k is not followed by a braced, angle-bracketed, or quoted name".to_owned(),
                    )
                })?;
                return self.reference(&name);
            }
            'g' => return self.group_escape(),
            '1'..='9' => return self.numbered(c),
            _ => {
                let character = self.character_escape(c)?;
                self.literal(character);
            }
        }
        Ok(())
    }

    /// `\d` and the like: the items of a set, and whether it is negated.
    pub(super) fn class_escape(&self, c: char) -> Option<(&'static str, bool)> {
        let items = match (c.to_ascii_lowercase(), self.unicode) {
            ('d', false) => "0-9",
            ('w', false) => WORD,
            ('s', false) => SPACE,
            ('d', true) => r"\d",
            ('w', true) => r"\w",
            ('s', true) => r"\s",
            ('h', _) => HORIZONTAL,
            ('v', _) => VERTICAL,
            _ => return None,
        };
        Some((items, c.is_ascii_uppercase()))
    }

    fn word_boundary(&mut self, negated: bool) {
        self.has_word_boundary = true;
        if self.unicode || self.words == Words::AsciiText {
            self.out.push_str(if negated { "\\B" } else { "\\b" });
            return;
        }
        let (before, after) = (format!("(?<=[{WORD}])"), format!("(?=[{WORD}])"));
        let (not_before, not_after) = (format!("(?<![{WORD}])"), format!("(?![{WORD}])"));
        _ = if negated {
            write!(self.out, "(?:{before}{after}|{not_before}{not_after})")
        } else {
            write!(self.out, "(?:{before}{not_after}|{not_before}{after})")
        };
    }

    fn quoted(&mut self) {
        while self.at < self.text.len() && !self.eat("\\E") {
            if let Some(c) = self.next() {
                self.literal(c);
            }
        }
    }

    /// What stands in `{…}`, `<…>` or `'…'`.
    fn delimited(&mut self) -> Option<String> {
        let end = match self.peek()? {
            '{' => '}',
            '<' => '>',
            '\'' => '\'',
            _ => return None,
        };
        self.at += 1;
        self.until(end)
    }

    fn group_escape(&mut self) -> Result<(), RegexError> {
        if matches!(self.peek(), Some('<' | '\'')) {
            let name = self.delimited().unwrap_or_default();
            return self.call(&name);
        }
        if self.peek() == Some('{') {
            let name = self.delimited().unwrap_or_default();
            return self.reference(&name);
        }
        let mut name: String = self.next_if(|c| c == '-' || c == '+').into_iter().collect();
        while let Some(digit) = self.next_if(|c| c.is_ascii_digit()) {
            name.push(digit);
        }
        self.reference(&name)
    }

    fn next_if(&mut self, test: impl Fn(char) -> bool) -> Option<char> {
        let c = self.peek().filter(|&c| test(c))?;
        self.at += 1;
        Some(c)
    }

    /// `\1`, or an octal character when there are fewer groups.
    fn numbered(&mut self, first: char) -> Result<(), RegexError> {
        let start = self.at;
        let mut name = first.to_string();
        while let Some(digit) = self.next_if(|c| c.is_ascii_digit()) {
            name.push(digit);
        }
        let number: usize = name.parse().unwrap_or(usize::MAX);
        if number < 10 || number <= self.groups_known.min(self.groups.max(number)) && !self.collecting {
            return self.reference(&name);
        }
        if self.collecting {
            return Ok(());
        }
        self.at = start - 1;
        let character = self.octal(3)?;
        self.literal(character);
        Ok(())
    }

    pub(super) fn octal(&mut self, most: usize) -> Result<char, RegexError> {
        let mut value = 0;
        for _ in 0..most {
            let Some(digit) = self.next_if(|c| ('0'..='7').contains(&c)) else {
                break;
            };
            value = value * 8 + digit.to_digit(8).unwrap_or(0);
        }
        char::from_u32(value).map_or_else(
            || error("character code point value in \\x{} or \\o{} is too large"),
            Ok,
        )
    }

    /// The character that `\c` stands for, inside brackets or outside.
    pub(super) fn character_escape(&mut self, c: char) -> Result<char, RegexError> {
        Ok(match c {
            'a' => '\x07',
            'e' => '\x1b',
            'f' => '\x0c',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            '0' => self.octal(2)?,
            'o' if self.peek() == Some('{') => return self.braced(8),
            'x' if self.peek() == Some('{') => return self.braced(16),
            'x' => {
                let mut value = 0;
                for _ in 0..2 {
                    let Some(digit) = self.next_if(|c| c.is_ascii_hexdigit()) else {
                        break;
                    };
                    value = value * 16 + digit.to_digit(16).unwrap_or(0);
                }
                char::from_u32(value).unwrap_or('\0')
            }
            'c' => match self.next() {
                Some(c) if c.is_ascii() => char::from(c.to_ascii_uppercase() as u8 ^ 0x40),
                _ => return error("\\c at end of pattern"),
            },
            'F' | 'L' | 'l' | 'U' | 'u' => {
                return error("PCRE2 does not support \\F, \\L, \\l, \\N{name}, \\U, or \\u");
            }
            c if c.is_ascii_alphanumeric() => return error("unrecognized character follows \\"),
            c => c,
        })
    }

    fn braced(&mut self, radix: u32) -> Result<char, RegexError> {
        let digits = self.delimited().unwrap_or_default();
        let value = u32::from_str_radix(&digits, radix).ok().and_then(char::from_u32);
        let too_large = "character code point value in \\x{} or \\o{} is too large";
        value.map_or_else(|| error(too_large), Ok)
    }

    /// `\p{L}`, `\pL`, `\p{^L}`
    pub(super) fn property(&mut self, c: char) -> Result<String, RegexError> {
        let name = if self.peek() == Some('{') {
            self.delimited()
        } else {
            self.next().map(String::from)
        };
        let name = name.filter(|name| !name.is_empty());
        let Some(name) = name else {
            return error("malformed \\P or \\p sequence");
        };
        let (name, inverted) = name
            .strip_prefix('^')
            .map_or((name.as_str(), false), |name| (name, true));
        let letter = if (c == 'P') == inverted { 'p' } else { 'P' };
        if name == "Any" {
            return Ok(r"[\x{0}-\x{10ffff}]".to_owned());
        }
        Ok(format!("\\{letter}{{{name}}}"))
    }
}

pub(super) fn push_literal(out: &mut String, c: char) {
    if c.is_ascii_alphanumeric() || !c.is_ascii() {
        out.push(c);
    } else {
        _ = write!(out, "\\x{:02x}", u32::from(c));
    }
}
