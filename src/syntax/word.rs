//! Words: literal runs, quotes, backslashes, tildes and extended patterns.
//!
//! A word is gathered by a [`Builder`]: adjacent literal bytes are merged, and what the word holds (something
//! that runs a command, an unquoted brace) is noted on the way. Where `$` and backquotes lead stands in
//! `dollar`, `param` and `substitution`.

use super::ast::{Part, Word};
use super::parser::{Parsed, Reader, weight};
use super::token::{BRACE, META, QUOTING, TILDE_AFTER, class};

/// What quoting is in force where text is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quote {
    /// None: every quote counts.
    Bare,
    /// Inside `"…"`, or an operand of `${…}` there.
    Double,
    /// A here-document's body: as inside double quotes, where `"` is ordinary.
    Document,
    /// Arithmetic: as inside double quotes, where `"` is removed.
    Arith,
}

/// Gathers the parts of a word.
#[derive(Debug, Default)]
pub(super) struct Builder {
    parts: Vec<Part>,
    literal: Vec<u8>,
    impure: bool,
    /// Classes of the unquoted bytes.
    seen: u8,
}

impl Builder {
    /// Adds unquoted text.
    pub(super) fn text(&mut self, text: &[u8]) {
        self.literal.extend_from_slice(text);
    }

    /// Adds one unquoted byte.
    #[inline]
    pub(super) fn byte(&mut self, byte: u8) {
        self.literal.push(byte);
        self.seen |= class(byte);
    }

    /// Adds a part that runs nothing.
    pub(super) fn part(&mut self, part: Part) {
        self.flush();
        self.push(part);
    }

    /// Adds a part, which may hold substitutions.
    pub(super) fn part_with(&mut self, part: Part, pure: bool) {
        self.impure |= !pure;
        self.part(part);
    }

    /// Adds what another word holds.
    pub(super) fn word(&mut self, word: Word) {
        self.impure |= !word.pure;
        for part in word.parts {
            match part {
                Part::Literal(text) => text.iter().for_each(|byte| self.byte(*byte)),
                part => self.part(part),
            }
        }
    }

    fn flush(&mut self) {
        if !self.literal.is_empty() {
            let text = self.literal.as_slice().into();
            self.literal.clear();
            self.push(Part::Literal(text));
        }
    }

    /// Most words have one part.
    fn push(&mut self, part: Part) {
        if self.parts.capacity() == 0 {
            self.parts.reserve_exact(1);
        }
        self.parts.push(part);
    }

    /// Nothing was added yet.
    pub(super) fn is_empty(&self) -> bool {
        self.parts.is_empty() && self.literal.is_empty()
    }

    /// The unquoted byte added last, when nothing else came after it.
    fn last_byte(&self) -> Option<u8> {
        self.literal.last().copied()
    }

    /// The whole word so far, when it is unquoted text only.
    pub(super) fn plain(&self) -> Option<&[u8]> {
        self.parts.is_empty().then_some(&self.literal)
    }

    /// The word.
    pub(super) fn finish(mut self) -> Word {
        self.flush();
        let braces = self.seen & BRACE != 0 && has_braces(&self.parts);
        Word {
            parts: self.parts,
            pure: !self.impure,
            braces,
            assign: None,
            index: None,
        }
    }

    /// The parts, and whether all are pure: for the inside of quotes.
    pub(super) fn into_parts(mut self) -> (Vec<Part>, bool) {
        self.flush();
        (self.parts, !self.impure)
    }
}

/// An unquoted `{`, then `,` or `..`, then `}`.
fn has_braces(parts: &[Part]) -> bool {
    let (mut open, mut separated, mut dot) = (false, false, false);
    for part in parts {
        let Part::Literal(text) = part else {
            dot = false;
            continue;
        };
        for byte in text.iter() {
            match byte {
                b'{' => open = true,
                b',' => separated |= open,
                b'.' => separated |= open && dot,
                b'}' if separated => return true,
                _ => {}
            }
            dot = *byte == b'.';
        }
    }
    false
}

impl Reader<'_> {
    /// Production: a word up to the next blank or operator. The caller has seen that one starts here.
    pub(super) fn word(&mut self) -> Parsed<Word> {
        self.weigh(weight::WORD)?;
        if let Some(word) = self.plain_word() {
            return Ok(word);
        }
        let mut builder = Builder::default();
        self.tilde(&mut builder, b":/");
        let outside = std::mem::replace(&mut self.in_assignment, false);
        let rest = self.word_rest(&mut builder);
        self.in_assignment = outside;
        rest?;
        Ok(builder.finish())
    }

    /// A word of ordinary bytes only: the usual case.
    pub(super) fn plain_word(&mut self) -> Option<Word> {
        let rest = self.cursor.rest();
        let mut seen = 0;
        let length = rest.iter().position(|byte| {
            let class = class(*byte);
            seen |= class;
            class & META != 0
        })?;
        let ends = !matches!(rest.get(length), Some(b'(' | b'<' | b'>'));
        let text = rest
            .get(..length)
            .filter(|text| !text.is_empty() && ends && text.first() != Some(&b'~'))?;
        if seen & (QUOTING | BRACE | TILDE_AFTER) != 0 {
            return None;
        }
        let word = Word {
            parts: vec![Part::Literal(text.into())],
            pure: true,
            braces: false,
            assign: None,
            index: None,
        };
        self.cursor.skip(length);
        Some(word)
    }

    /// Reads on to the end of a word.
    pub(super) fn word_rest(&mut self, builder: &mut Builder) -> Parsed<()> {
        loop {
            self.literal_run(builder, META | QUOTING | TILDE_AFTER);
            match self.cursor.peek() {
                None => return Ok(()),
                Some(byte) if class(byte) & META != 0 => {
                    if !self.meta_in_word(builder, byte)? {
                        return Ok(());
                    }
                }
                Some(byte) if class(byte) & QUOTING != 0 => {
                    self.weigh(weight::PART)?;
                    self.quoted(builder, Quote::Bare, byte)?;
                }
                Some(byte) => {
                    let first_equals =
                        byte == b'=' && self.tildes_in_arguments && assignment_prefix(builder.plain());
                    self.cursor.bump();
                    builder.byte(byte);
                    if first_equals {
                        self.tilde(builder, b":/");
                        return self.assigned_rest(builder);
                    }
                }
            }
        }
    }

    /// Reads on to the end of a word that looks like an assignment, behind its `=`: tildes count after `:`.
    pub(super) fn assigned_rest(&mut self, builder: &mut Builder) -> Parsed<()> {
        loop {
            self.literal_run(builder, META | QUOTING | TILDE_AFTER);
            match self.cursor.peek() {
                None => return Ok(()),
                Some(byte) if class(byte) & META != 0 => {
                    if !self.meta_in_word(builder, byte)? {
                        return Ok(());
                    }
                }
                Some(byte) if class(byte) & QUOTING != 0 => {
                    self.weigh(weight::PART)?;
                    self.quoted(builder, Quote::Bare, byte)?;
                }
                Some(byte) => {
                    self.cursor.bump();
                    builder.byte(byte);
                    if byte == b':' {
                        self.tilde(builder, b":/");
                    }
                }
            }
        }
    }

    /// Takes the bytes up to one of these classes.
    #[inline]
    fn literal_run(&mut self, builder: &mut Builder, stop: u8) {
        let rest = self.cursor.rest();
        let mut seen = 0;
        let mut length = 0;
        for byte in rest {
            let class = class(*byte);
            if class & stop != 0 {
                break;
            }
            seen |= class;
            length += 1;
        }
        builder.seen |= seen;
        builder.text(rest.get(..length).unwrap_or_default());
        self.cursor.skip(length);
    }

    /// An operator byte inside a word: `<(`, `>(` and extended patterns go on; others end it.
    fn meta_in_word(&mut self, builder: &mut Builder, byte: u8) -> Parsed<bool> {
        match byte {
            b'(' if self.extglob && builder.last_byte().is_some_and(|byte| b"?*+@!".contains(&byte)) => {
                self.deeper(|reader| reader.extended_pattern(builder))?;
                Ok(true)
            }
            b'<' | b'>' if self.cursor.peek_at(1) == Some(b'(') => {
                self.cursor.bump_many(2);
                let part = self.process_substitution(byte == b'>')?;
                builder.part_with(part, false);
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// Production: `(a|b)` behind one of `?*+@!`: blanks and operators inside are ordinary.
    fn extended_pattern(&mut self, builder: &mut Builder) -> Parsed<()> {
        let line = self.cursor.line;
        self.cursor.bump();
        builder.byte(b'(');
        loop {
            match self.cursor.peek() {
                None => return Err(self.unclosed(b')', line)),
                Some(b')') => {
                    self.cursor.bump();
                    builder.byte(b')');
                    return Ok(());
                }
                Some(b'(') => self.deeper(|reader| reader.extended_pattern(builder))?,
                Some(byte) if class(byte) & QUOTING != 0 => {
                    self.weigh(weight::PART)?;
                    self.quoted(builder, Quote::Bare, byte)?;
                }
                Some(byte) => {
                    self.cursor.bump();
                    builder.byte(byte);
                }
            }
        }
    }

    /// Production: a tilde prefix, when one starts here: `~` and unquoted text up to one of `ends` or the word's end.
    pub(super) fn tilde(&mut self, builder: &mut Builder, ends: &[u8]) {
        if self.cursor.peek() != Some(b'~') {
            return;
        }
        let user = self.cursor.rest().get(1..).unwrap_or_default();
        let ending = |byte: &u8| ends.contains(byte) || class(*byte) & (META | QUOTING) != 0;
        let length = user.iter().position(ending).unwrap_or(user.len());
        if user.get(length).is_some_and(|byte| class(*byte) & QUOTING != 0) {
            return;
        }
        let user = user.get(..length).unwrap_or_default();
        // Braces come first: the tilde is found again in what they give.
        if user.contains(&b'{') {
            return;
        }
        let user = user.into();
        self.cursor.skip(length + 1);
        builder.part(Part::Tilde(user));
    }

    /// What `byte`, one of the quoting characters, begins.
    pub(super) fn quoted(&mut self, builder: &mut Builder, quote: Quote, byte: u8) -> Parsed<()> {
        match byte {
            b'\\' => self.backslash(builder, quote),
            b'\'' if quote == Quote::Bare => {
                return self.single().map(|text| builder.part(Part::Single(text.into())));
            }
            b'\'' => {
                self.cursor.bump();
                builder.byte(b'\'');
            }
            b'"' => {
                return self.deeper(|reader| reader.double(builder, false, Quote::Double));
            }
            b'`' => return self.backquoted(builder, quote),
            _ => return self.dollar(builder, quote),
        }
        Ok(())
    }

    /// A backslash: inside double quotes it escapes only what is special there.
    fn backslash(&mut self, builder: &mut Builder, quote: Quote) {
        self.cursor.bump();
        let next = self.cursor.peek_raw();
        let escapes = match (next, quote) {
            (None, _) => false,
            (Some(_), Quote::Bare) => true,
            (Some(byte), Quote::Document) => b"$`\\".contains(&byte),
            (Some(byte), _) => b"$`\\\"".contains(&byte),
        };
        match next {
            Some(byte) if escapes => {
                self.cursor.bump();
                builder.part(Part::Escaped(byte));
            }
            _ => builder.byte(b'\\'),
        }
    }

    /// Production: `'…'`, at the quote; the text between.
    pub(super) fn single(&mut self) -> Parsed<Box<[u8]>> {
        let line = self.cursor.line;
        self.cursor.bump();
        let mut text = Vec::new();
        loop {
            if self.cursor.peek_raw().is_none() {
                return Err(self.unclosed(b'\'', line));
            }
            let rest = self.cursor.rest();
            let length = memchr::memchr(b'\'', rest);
            text.extend_from_slice(rest.get(..length.unwrap_or(rest.len())).unwrap_or_default());
            match length {
                Some(length) => {
                    self.cursor.skip_lines(length + 1);
                    return Ok(text.into_boxed_slice());
                }
                None => self.cursor.skip_lines(rest.len()),
            }
        }
    }

    /// Production: `"…"`, at the quote. `backslashes`: what they escape.
    pub(super) fn double(
        &mut self,
        outside: &mut Builder,
        localized: bool,
        backslashes: Quote,
    ) -> Parsed<()> {
        let line = self.cursor.line;
        self.cursor.bump();
        let mut builder = Builder::default();
        loop {
            let rest = self.cursor.rest();
            let special = |byte: &u8| matches!(byte, b'"' | b'\\' | b'$' | b'`');
            let length = rest.iter().position(special).unwrap_or(rest.len());
            builder.text(rest.get(..length).unwrap_or_default());
            self.cursor.skip_lines(length);
            match self.cursor.peek() {
                None => return Err(self.unclosed(b'"', line)),
                Some(b'"') => {
                    self.cursor.bump();
                    let (parts, pure) = builder.into_parts();
                    outside.part_with(Part::Double { parts, localized }, pure);
                    return Ok(());
                }
                Some(b'\\') => self.backslash(&mut builder, backslashes),
                Some(byte @ (b'$' | b'`')) => self.quoted(&mut builder, Quote::Double, byte)?,
                Some(_) => {}
            }
        }
    }
}

/// Whether what stands before a `=` makes an assignment of the word: `name`, `name+`, `name[…]`.
fn assignment_prefix(before: Option<&[u8]>) -> bool {
    let Some(before) = before else { return false };
    let before = before.strip_suffix(b"+").unwrap_or(before);
    let name = match before
        .strip_suffix(b"]")
        .and_then(|open| memchr::memchr(b'[', open))
    {
        Some(bracket) => before.get(..bracket).unwrap_or_default(),
        None => before,
    };
    super::token::is_name(name)
}

#[cfg(test)]
mod tests {
    use super::super::ast::{AssignValue, Command, Part, Simple};
    use super::super::parse_all;

    fn simple(source: &str) -> Simple {
        let lists = parse_all(source.as_bytes(), &()).unwrap();
        match &lists[0].items[0].and_or.first.commands[0] {
            Command::Simple(simple) => simple.clone(),
            other => panic!("{other:?}"),
        }
    }

    fn literal(text: &str) -> Part {
        Part::Literal(text.as_bytes().into())
    }

    #[test]
    fn quotes_become_parts() {
        let words = simple(r#"a'b'"c\"d"\ e"#).words;
        let double = Part::Double {
            parts: vec![literal("c"), Part::Escaped(b'"'), literal("d")],
            localized: false,
        };
        assert_eq!(
            words[0].parts,
            [
                literal("a"),
                Part::Single(b"b"[..].into()),
                double,
                Part::Escaped(b' '),
                literal("e")
            ]
        );
    }

    #[test]
    fn purity_and_braces_are_seen() {
        let flags = |source: &str| {
            simple(source)
                .words
                .iter()
                .map(|word| (word.pure, word.braces))
                .collect::<Vec<_>>()
        };
        assert_eq!(
            flags("a{b,c} ${x:-$(d)} $((1+`e`)) '{f,g}' {1..3} \"$(h)\" {a}"),
            [
                (true, true),
                (false, false),
                (false, false),
                (true, false),
                (true, true),
                (false, false),
                (true, false)
            ]
        );
        assert!(!simple("a <<E\n$(b)\nE\n").pure);
        assert!(simple("a <<E\n$b\nE\n").pure);
    }

    #[test]
    fn tildes_stand_where_bash_expands_them() {
        let tildes = |source: &str| {
            let simple = simple(source);
            let mut words: Vec<_> = simple.words.iter().map(|word| word.parts.clone()).collect();
            words.extend(simple.assigns.iter().map(|assign| match &assign.value {
                AssignValue::Scalar(word) => word.parts.clone(),
                AssignValue::Array(_) => Vec::new(),
            }));
            words
                .iter()
                .flatten()
                .filter(|part| matches!(part, Part::Tilde(_)))
                .count()
        };
        assert_eq!(tildes("~ ~/a ~b a=~:~ a:~ --a=~ '~' ~'b' \\~"), 5);
        assert_eq!(tildes("x=~:a~:~/b"), 2);
    }

    #[test]
    fn declarations_carry_their_assignments() {
        let assigned = |source: &str| {
            simple(source)
                .words
                .iter()
                .filter(|word| word.assign.is_some())
                .count()
        };
        assert_eq!(assigned("declare -x a=1 b c+=2 d[1]=3 e=(4 5) 'f'=6"), 4);
        assert_eq!(assigned("echo a=1"), 0);
        assert_eq!(assigned("command export a=1"), 0);
    }
}
