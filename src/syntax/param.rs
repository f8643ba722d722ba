//! `${ … }`: every form of the manual's "Shell Parameter Expansion".
//!
//! What does not fit becomes [`ParamOp::Bad`] with its text, because bash finds out when it expands; only a
//! missing `}` or quote is an error of the reader.

use super::ast::{CaseKind, Param, ParamName, ParamOp, Part, ReplaceKind, Subscript, TestKind, Word};
use super::cursor::Cursor;
use super::dollar::{arith, is_special};
use super::parser::{Parsed, Reader};
use super::token::{NAME, QUOTING, class, is_meta, starts_name};
use super::word::{Builder, Quote};

/// A braced parameter before its `}`, and whether it is pure; `None` for the operation when it fits no form.
struct Reading {
    param: Box<Param>,
    pure: bool,
}

impl Reader<'_> {
    /// Production: `${ … }`, at the `$`; the parameter, and whether it is pure.
    pub(super) fn braced_parameter(&mut self, quote: Quote) -> Parsed<(Box<Param>, bool)> {
        let line = self.cursor.line;
        let (start, frames) = (self.cursor.local(), self.cursor.frames());
        self.cursor.bump_many(2);
        match self.parameter_form(quote, line)? {
            Some(Reading { param, pure })
                if !matches!(param.op, ParamOp::BadTransform(_)) && self.cursor.eat(b'}') =>
            {
                Ok((param, pure))
            }
            reading => self.bad_parameter(reading, quote, line, (start, frames)),
        }
    }

    /// The rest of a parameter that has no form.
    fn bad_parameter(
        &mut self,
        reading: Option<Reading>,
        quote: Quote,
        line: u32,
        (start, frames): (usize, usize),
    ) -> Parsed<(Box<Param>, bool)> {
        let rest = self.operand(b"}", quote, line)?;
        self.cursor.eat(b'}');
        let text = if frames == self.cursor.frames() {
            self.cursor.since(start).into()
        } else {
            Box::from(*b"${}")
        };
        match reading {
            Some(Reading { mut param, pure }) if matches!(param.op, ParamOp::BadTransform(_)) => {
                param.op = ParamOp::BadTransform(text);
                Ok((param, pure && rest.pure))
            }
            _ => {
                let param = unbraced(ParamName::Special(b'@'), ParamOp::Bad(text));
                Ok((Box::new(param), rest.pure))
            }
        }
    }

    /// Everything between the braces.
    fn parameter_form(&mut self, quote: Quote, line: u32) -> Parsed<Option<Reading>> {
        match self.cursor.peek() {
            Some(b'#') => self.length_form(quote, line),
            Some(b'!') => self.indirect_form(quote, line),
            _ => match self.parameter_name() {
                Some(name) => self.named_form(name, quote, line),
                None => Ok(None),
            },
        }
    }

    /// Production: `${#x}`, or `${#}` and its operations.
    fn length_form(&mut self, quote: Quote, line: u32) -> Parsed<Option<Reading>> {
        let next = self.cursor.peek_at(1);
        let start = self.cursor.clone();
        self.cursor.bump();
        if next != Some(b'}') {
            if let Some(name) = self.parameter_name() {
                let (subscript, pure) = self.subscript(&name, line)?;
                if self.cursor.peek() == Some(b'}') {
                    let param = Box::new(Param {
                        name,
                        subscript,
                        indirect: false,
                        op: ParamOp::Length,
                        braced: true,
                    });
                    return Ok(Some(Reading { param, pure }));
                }
            }
            self.charge(self.cursor.offset().saturating_sub(start.offset()))?;
            self.cursor = start;
            self.cursor.bump();
        }
        self.named_form(ParamName::Special(b'#'), quote, line)
    }

    /// Production: `${!x}`, `${!prefix*}`, `${!a[@]}`, or `${!}` and its operations.
    fn indirect_form(&mut self, quote: Quote, line: u32) -> Parsed<Option<Reading>> {
        let next = self.cursor.peek_at(1);
        self.cursor.bump();
        // Of the special parameters only these point to others, and two of them not in POSIX mode.
        let special: &[u8] = if self.env.posix() { b"@*" } else { b"#?@*" };
        let names = |byte: u8| starts_name(byte) || byte.is_ascii_digit() || special.contains(&byte);
        if !next.is_some_and(names) {
            return self.named_form(ParamName::Special(b'!'), quote, line);
        }
        let Some(name) = self.parameter_name() else {
            return Ok(None);
        };
        if let Some(at) = self.all_names(&name) {
            let param = Box::new(Param {
                name,
                subscript: None,
                indirect: false,
                op: ParamOp::Names { at },
                braced: true,
            });
            return Ok(Some(Reading { param, pure: true }));
        }
        let (subscript, pure) = self.subscript(&name, line)?;
        let all = match subscript {
            Some(Subscript::At) => Some(true),
            Some(Subscript::Star) => Some(false),
            _ => None,
        };
        if let (Some(at), Some(b'}')) = (all, self.cursor.peek()) {
            let param = Box::new(Param {
                name,
                subscript: None,
                indirect: false,
                op: ParamOp::Keys { at },
                braced: true,
            });
            return Ok(Some(Reading { param, pure }));
        }
        let Some((op, op_pure)) = self.operation(quote, line)? else {
            return Ok(None);
        };
        let param = Box::new(Param {
            name,
            subscript,
            indirect: true,
            op,
            braced: true,
        });
        Ok(Some(Reading {
            param,
            pure: pure && op_pure,
        }))
    }

    /// The `*` or `@` of `${!prefix*}`.
    fn all_names(&mut self, name: &ParamName) -> Option<bool> {
        let mark = self.cursor.peek().filter(|byte| matches!(byte, b'*' | b'@'))?;
        if self.cursor.peek_at(1) != Some(b'}') || !matches!(name, ParamName::Variable(_)) {
            return None;
        }
        self.cursor.bump();
        Some(mark == b'@')
    }

    /// Production: a name and what is done with it.
    fn named_form(&mut self, name: ParamName, quote: Quote, line: u32) -> Parsed<Option<Reading>> {
        let (subscript, pure) = self.subscript(&name, line)?;
        let Some((op, op_pure)) = self.operation(quote, line)? else {
            return Ok(None);
        };
        let param = Box::new(Param {
            name,
            subscript,
            indirect: false,
            op,
            braced: true,
        });
        Ok(Some(Reading {
            param,
            pure: pure && op_pure,
        }))
    }

    /// Production: a variable, a positional or a special parameter.
    fn parameter_name(&mut self) -> Option<ParamName> {
        let first = self.cursor.peek()?;
        if starts_name(first) {
            return Some(ParamName::Variable(self.name()));
        }
        if first.is_ascii_digit() {
            let digits = self.name();
            let digits = std::str::from_utf8(&digits).ok()?;
            let all = digits.bytes().all(|byte| byte.is_ascii_digit());
            // A number that is too large is that of a parameter that is not set.
            let number = all.then(|| digits.parse().unwrap_or(u32::MAX));
            return number.map(ParamName::Positional);
        }
        let nested = first == b'$'
            && self
                .cursor
                .peek_at(1)
                .is_some_and(|next| class(next) & NAME != 0 || b"{('\"$".contains(&next));
        (is_special(first) && !nested).then(|| {
            self.cursor.bump();
            ParamName::Special(first)
        })
    }

    /// Production: `[…]` behind the name of a variable, and whether it is pure.
    fn subscript(&mut self, name: &ParamName, line: u32) -> Parsed<(Option<Subscript>, bool)> {
        if self.cursor.peek() != Some(b'[') || !matches!(name, ParamName::Variable(_)) {
            return Ok((None, true));
        }
        let start = self.cursor.clone();
        self.cursor.bump();
        let ahead = (self.cursor.peek(), self.cursor.peek_at(1));
        if let (Some(mark @ (b'@' | b'*')), Some(b']')) = ahead {
            self.cursor.bump_many(2);
            let subscript = if mark == b'@' {
                Subscript::At
            } else {
                Subscript::Star
            };
            return Ok((Some(subscript), true));
        }
        let mut word = self.subscript_until(b"}", line)?;
        if !self.cursor.eat(b']') {
            // No operation starts with a bracket: a bad substitution.
            self.charge(self.cursor.offset().saturating_sub(start.offset()))?;
            self.cursor = start;
            return Ok((None, true));
        }
        let pure = word.pure;
        word.compile_index();
        Ok((Some(Subscript::Index(Box::new(word))), pure))
    }

    /// Production: the text between brackets, behind the `[`; takes the `]`.
    pub(super) fn subscript_text(&mut self, line: u32) -> Parsed<Word> {
        let word = self.subscript_until(b"", line)?;
        self.cursor.eat(b']');
        Ok(word)
    }

    /// The same up to the `]` or another end, which stays.
    fn subscript_until(&mut self, ends: &[u8], line: u32) -> Parsed<Word> {
        let mut builder = Builder::default();
        let mut open = 0_usize;
        loop {
            match self.cursor.peek() {
                None => return Err(self.unclosed(*ends.first().unwrap_or(&b']'), line)),
                Some(byte) if ends.contains(&byte) && !self.closes_further_on(byte) => {
                    return Ok(builder.finish());
                }
                Some(byte) if class(byte) & QUOTING != 0 => {
                    self.quoted(&mut builder, Quote::Bare, byte)?;
                }
                Some(b']') if open == 0 => return Ok(builder.finish()),
                Some(byte) => {
                    open = match byte {
                        b'[' => open + 1,
                        b']' => open - 1,
                        _ => open,
                    };
                    self.cursor.bump();
                    builder.byte(byte);
                }
            }
        }
    }

    /// The `end` here stands inside the brackets: in the same word, `]` and another `end` follow.
    fn closes_further_on(&self, end: u8) -> bool {
        let word = self.cursor.rest().get(1..).unwrap_or_default();
        let word = word
            .get(..word.iter().position(|byte| is_meta(*byte)).unwrap_or(word.len()))
            .unwrap_or_default();
        let bracket = memchr::memchr(b']', word).and_then(|at| word.get(at..));
        bracket.is_some_and(|rest| rest.contains(&end))
    }

    /// The operation before `}`, and whether it is pure; `None` when none fits.
    fn operation(&mut self, quote: Quote, line: u32) -> Parsed<Option<(ParamOp, bool)>> {
        let Some(first) = self.cursor.peek() else {
            return Err(self.unclosed(b'}', line));
        };
        match first {
            b'}' => Ok(Some((ParamOp::Get, true))),
            b':' if self.cursor.peek_at(1) == Some(b'}') => Ok(None),
            b':' if !matches!(self.cursor.peek_at(1), Some(b'-' | b'=' | b'?' | b'+')) => {
                self.slice(line).map(Some)
            }
            b':' | b'-' | b'=' | b'?' | b'+' => self.test(quote, line).map(Some),
            b'#' | b'%' => self.trim(line).map(Some),
            b'/' => self.replace(line).map(Some),
            b'^' | b',' | b'~' => self.change_case(line).map(Some),
            b'@' => Ok(Some(self.transform())),
            _ => Ok(None),
        }
    }

    /// Production: `:- := :? :+` and the same without colon.
    fn test(&mut self, quote: Quote, line: u32) -> Parsed<(ParamOp, bool)> {
        let colon = self.cursor.eat(b':');
        let kind = match self.cursor.peek() {
            Some(b'=') => TestKind::Assign,
            Some(b'?') => TestKind::Error,
            Some(b'+') => TestKind::Alternative,
            _ => TestKind::Default,
        };
        self.cursor.bump();
        let word = self.operand(b"}", quote, line)?;
        let pure = word.pure;
        Ok((ParamOp::Test { kind, colon, word }, pure))
    }

    /// Production: `# ## % %%` and a pattern.
    fn trim(&mut self, line: u32) -> Parsed<(ParamOp, bool)> {
        let mark = self.cursor.peek().unwrap_or(b'#');
        self.cursor.bump();
        let longest = self.cursor.eat(mark);
        let pattern = self.pattern_operand(b"}", line)?;
        let pure = pattern.pure;
        Ok((
            ParamOp::Trim {
                suffix: mark == b'%',
                longest,
                pattern,
            },
            pure,
        ))
    }

    /// Production: `/pattern/replacement` with its variants `//`, `/#`, `/%`.
    fn replace(&mut self, line: u32) -> Parsed<(ParamOp, bool)> {
        self.cursor.bump();
        let kind = match self.cursor.peek() {
            Some(b'/') => ReplaceKind::All,
            Some(b'#') => ReplaceKind::Prefix,
            Some(b'%') => ReplaceKind::Suffix,
            _ => ReplaceKind::First,
        };
        if kind != ReplaceKind::First {
            self.cursor.bump();
        }
        let mut builder = Builder::default();
        match kind {
            // The slash that comes first is never the one in the middle.
            ReplaceKind::All if self.cursor.eat(b'/') => builder.byte(b'/'),
            // A tilde counts where the pattern starts: the marks `#` and `%` are part of it.
            ReplaceKind::First | ReplaceKind::All => self.operand_tilde(&mut builder),
            _ => {}
        }
        let pattern = self.operand_rest(builder, b"/}", Quote::Bare, line)?;
        let replacement = match self.cursor.eat(b'/') {
            true => Some(Box::new(self.pattern_operand(b"}", line)?)),
            false => None,
        };
        let pure = pattern.pure && replacement.as_ref().is_none_or(|word| word.pure);
        Ok((
            ParamOp::Replace {
                kind,
                pattern,
                replacement,
            },
            pure,
        ))
    }

    /// Production: `:offset:length`
    fn slice(&mut self, line: u32) -> Parsed<(ParamOp, bool)> {
        self.cursor.bump();
        let offset = Box::new(arith(self.arithmetic_text(b":}", line)?, false));
        let length = match self.cursor.eat(b':') {
            true => Some(Box::new(arith(self.arithmetic_text(b"}", line)?, false))),
            false => None,
        };
        let pure = offset.text.pure && length.as_ref().is_none_or(|length| length.text.pure);
        Ok((ParamOp::Slice { offset, length }, pure))
    }

    /// Production: `^ ^^ , ,, ~ ~~` and an optional pattern.
    fn change_case(&mut self, line: u32) -> Parsed<(ParamOp, bool)> {
        let mark = self.cursor.peek().unwrap_or(b'^');
        self.cursor.bump();
        let all = self.cursor.eat(mark);
        let kind = match mark {
            b',' => CaseKind::Lower,
            b'~' => CaseKind::Toggle,
            _ => CaseKind::Upper,
        };
        let pattern = match self.cursor.peek() {
            Some(b'}') => None,
            _ => Some(self.pattern_operand(b"}", line)?),
        };
        let pure = pattern.as_ref().is_none_or(|word| word.pure);
        Ok((ParamOp::Case { kind, all, pattern }, pure))
    }

    /// Production: `@` and a letter. What is none is an error for parameters that are set: its text is filled in later.
    fn transform(&mut self) -> (ParamOp, bool) {
        let letter = self
            .cursor
            .peek_at(1)
            .filter(|letter| b"QEPAKakUuL".contains(letter));
        match letter {
            Some(letter) if self.cursor.peek_at(2) == Some(b'}') => {
                self.cursor.bump_many(2);
                // A prompt string may hold commands.
                (ParamOp::Transform(letter), letter != b'P')
            }
            _ => (ParamOp::BadTransform(Box::default()), true),
        }
    }

    /// Production: a pattern or replacement: quotes and tildes count even inside double quotes.
    fn pattern_operand(&mut self, ends: &[u8], line: u32) -> Parsed<Word> {
        let mut builder = Builder::default();
        self.operand_tilde(&mut builder);
        self.operand_rest(builder, ends, Quote::Bare, line)
    }

    /// Production: the word of an operation, up to one of `ends`, which stays.
    pub(super) fn operand(&mut self, ends: &[u8], quote: Quote, line: u32) -> Parsed<Word> {
        let mut builder = Builder::default();
        if quote == Quote::Bare {
            self.operand_tilde(&mut builder);
        }
        self.operand_rest(builder, ends, quote, line)
    }

    fn operand_tilde(&mut self, builder: &mut Builder) {
        self.tilde(builder, b":/}");
    }

    fn operand_rest(&mut self, mut builder: Builder, ends: &[u8], quote: Quote, line: u32) -> Parsed<Word> {
        let mut apostrophe = None;
        loop {
            match self.cursor.peek() {
                None => {
                    let (closer, line) = apostrophe.map_or((b'}', line), |line| (b'\'', line));
                    return Err(self.unclosed(closer, line));
                }
                Some(byte) if apostrophe.is_none() && ends.contains(&byte) => return Ok(builder.finish()),
                Some(b'\\') if quote != Quote::Bare && self.cursor.peek_at(1) == Some(b'\'') => {
                    self.cursor.bump_many(2);
                    builder.text(b"\\'");
                }
                Some(b'\'') if quote != Quote::Bare => {
                    // Inside double quotes an apostrophe is ordinary, but a `}` between two of them does not count.
                    apostrophe = if apostrophe.is_none() && !self.env.posix() {
                        Some(self.cursor.line)
                    } else {
                        None
                    };
                    self.cursor.bump();
                    builder.byte(b'\'');
                }
                Some(b'"') if apostrophe.is_some() => self.cursor.bump(),
                Some(byte) => self.operand_byte(&mut builder, quote, byte)?,
            }
        }
    }

    /// What `byte` begins in an operand.
    fn operand_byte(&mut self, builder: &mut Builder, quote: Quote, byte: u8) -> Parsed<()> {
        let bare = quote == Quote::Bare;
        match byte {
            b'\\' if !bare && self.cursor.peek_at(1) == Some(b'}') => {
                self.cursor.bump_many(2);
                builder.part(Part::Escaped(b'}'));
            }
            // Double quotes count here, though not in the document around.
            b'\\' if quote == Quote::Document && self.cursor.peek_at(1) == Some(b'"') => {
                self.cursor.bump_many(2);
                builder.part(Part::Escaped(b'"'));
            }
            // Inside double quotes too.
            b'$' if quote == Quote::Double && self.cursor.peek_at(1) == Some(b'\'') => {
                return self.ansi_c(builder);
            }
            // Quotes inside of quotes: every backslash in there escapes.
            b'"' if matches!(quote, Quote::Double | Quote::Document) => {
                return self.deeper(|reader| reader.double(builder, false, Quote::Bare));
            }
            byte if class(byte) & QUOTING != 0 => self.quoted(builder, quote, byte)?,
            b'<' | b'>' if bare && self.cursor.peek_at(1) == Some(b'(') => {
                self.cursor.bump_many(2);
                let part = self.process_substitution(byte == b'>')?;
                builder.part_with(part, false);
            }
            byte => {
                self.cursor.bump();
                builder.byte(byte);
                // Only where the whole is the right side of an assignment.
                if byte == b':' && bare && self.in_assignment {
                    self.operand_tilde(builder);
                }
            }
        }
        Ok(())
    }
}

/// A parameter without subscript or indirection.
fn unbraced(name: ParamName, op: ParamOp) -> Param {
    Param {
        name,
        subscript: None,
        indirect: false,
        op,
        braced: true,
    }
}

impl Word {
    /// Prepares a subscript for arrays with numbers.
    pub(super) fn compile_index(&mut self) {
        if !self.parts.is_empty() {
            self.index = super::arith_parser::compile(self).map(Box::new);
        }
    }

    /// The text between the brackets of `name[…]` as a word, where it stands in a value or an argument. What
    /// cannot be read is taken as it is.
    pub fn subscript(text: &[u8]) -> Self {
        let literal = || Self {
            parts: vec![Part::Literal(text.into())],
            pure: true,
            ..Self::default()
        };
        if !text.iter().any(|byte| class(*byte) & QUOTING != 0) {
            return if text.is_empty() {
                Self {
                    pure: true,
                    ..Self::default()
                }
            } else {
                literal()
            };
        }
        let mut closed = text.to_vec();
        closed.push(b']');
        let mut reader = Reader::new(Cursor::new(closed.into(), 1), &());
        match reader.subscript_text(1) {
            Ok(word) if reader.cursor.peek().is_none() => word,
            _ => literal(),
        }
    }
}
