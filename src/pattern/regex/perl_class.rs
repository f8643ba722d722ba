//! Brackets of Perl expressions, rewritten: `[\w.-]`, `[^]a]`, `[[:alpha:]]`, `[a&&b]`.
//!
//! What the crate `fancy-regex` reads as operators or inner brackets is literal in PCRE, so every character that is not
//! a letter or digit is written as a number.

use std::fmt::Write as _;

use super::RegexError;
use super::perl_syntax::{Rewriter, error, push_literal};
use crate::text::class::Class;

impl Rewriter {
    pub(super) fn class(&mut self) -> Result<(), RegexError> {
        let mut items = String::from(if self.eat("^") { "[^" } else { "[" });
        let mut first = true;
        let mut last: Option<char> = None;
        loop {
            let Some(c) = self.next() else {
                return error("missing terminating ] for character class");
            };
            let before = last.take();
            match c {
                ']' if !first => break,
                '[' if matches!(self.peek(), Some(':' | '.' | '=')) && self.posix_class(&mut items)? => {}
                '\\' => last = self.class_item_escape(&mut items)?,
                '-' if before.is_some() && self.peek() != Some(']') => {
                    self.range(before, &mut items)?;
                }
                c => last = Some(c),
            }
            first = false;
            if let Some(c) = last {
                push_literal(&mut items, c);
            }
        }
        items.push(']');
        self.out.push_str(&items);
        self.repeatable = true;
        Ok(())
    }

    /// The end of a range whose start is written already.
    fn range(&mut self, start: Option<char>, items: &mut String) -> Result<(), RegexError> {
        let end = match self.next() {
            Some('\\') => {
                let mut set = String::new();
                let end = self.class_item_escape(&mut set)?;
                if end.is_none() {
                    items.push_str("\\-");
                    items.push_str(&set);
                }
                end
            }
            c => c,
        };
        let (Some(start), Some(end)) = (start, end) else {
            return Ok(());
        };
        if start > end {
            return error("range out of order in character class");
        }
        items.push('-');
        push_literal(items, end);
        Ok(())
    }

    /// An escape inside brackets: one character, or items that are put at once.
    fn class_item_escape(&mut self, items: &mut String) -> Result<Option<char>, RegexError> {
        let Some(c) = self.next() else {
            return error("\\ at end of pattern");
        };
        if let Some((set, negated)) = self.class_escape(c) {
            _ = if negated {
                write!(items, "[^{set}]")
            } else {
                write!(items, "{set}")
            };
            return Ok(None);
        }
        match c {
            'b' => Ok(Some('\x08')),
            'p' | 'P' => {
                let property = self.property(c)?;
                items.push_str(&property);
                Ok(None)
            }
            'Q' => {
                while self.at < self.text.len() && !self.eat("\\E") {
                    if let Some(c) = self.next() {
                        push_literal(items, c);
                    }
                }
                Ok(None)
            }
            'E' => Ok(None),
            'B' | 'R' | 'X' | 'N' => error("escape sequence is invalid in character class"),
            '1'..='7' => {
                self.at -= 1;
                self.octal(3).map(Some)
            }
            _ => self.character_escape(c).map(Some),
        }
    }

    /// `[:alpha:]` after its `[`; false when it is none, and the bracket is literal.
    fn posix_class(&mut self, items: &mut String) -> Result<bool, RegexError> {
        let (start, Some(mark)) = (self.at, self.peek()) else {
            return Ok(false);
        };
        self.at += 1;
        let name = self.until(mark).filter(|_| self.eat("]"));
        let Some(name) = name.filter(|name| name.chars().all(|c| c.is_ascii_alphabetic() || c == '^')) else {
            self.at = start;
            push_literal(items, '[');
            return Ok(true);
        };
        if mark != ':' {
            return error("POSIX collating elements are not supported");
        }
        let bare = name.trim_start_matches('^');
        if Class::from_name(bare.as_bytes()).is_none() {
            return error("unknown POSIX class name");
        }
        _ = write!(items, "[:{name}:]");
        Ok(true)
    }
}
