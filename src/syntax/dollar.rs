//! What a `$` begins, outside `${…}`: parameters, substitutions, arithmetic, `$'…'` and `$"…"`.

use std::sync::Arc;

use super::ast::{Arith, Name, Param, ParamName, ParamOp, Part, Substitution, Word};
use super::cursor::Cursor;
use super::error::SyntaxError;
use super::parser::{Parsed, Reader, weight};
use super::token::{NAME, class, starts_name};
use super::word::{Builder, Quote};

impl Reader<'_> {
    /// Production: a `$` and what belongs to it; a lone `$` is ordinary.
    pub(super) fn dollar(&mut self, builder: &mut Builder, quote: Quote) -> Parsed<()> {
        self.weigh(weight::PART)?;
        match self.cursor.peek_at(1) {
            Some(b'(') => return self.dollar_parenthesis(builder),
            Some(b'{') => {
                let (param, pure) = self.deeper(|reader| reader.braced_parameter(quote))?;
                builder.part_with(Part::Param(param), pure);
            }
            Some(b'[') => return self.deeper(|reader| reader.bracket_arithmetic(builder)),
            Some(b'\'') if quote == Quote::Bare => return self.ansi_c(builder),
            Some(b'"') if quote == Quote::Bare => {
                self.cursor.bump_many(1);
                self.cursor.peek();
                return self.deeper(|reader| reader.double(builder, true, Quote::Double));
            }
            name => self.plain_parameter(builder, name),
        }
        Ok(())
    }

    /// `$name`, `$1`, `$?`; a `$` that begins nothing is ordinary.
    fn plain_parameter(&mut self, builder: &mut Builder, next: Option<u8>) {
        match next {
            Some(byte) if starts_name(byte) => {
                self.cursor.bump_many(1);
                let name = self.name();
                builder.part(simple(ParamName::Variable(name)));
            }
            Some(byte @ b'0'..=b'9') => {
                self.cursor.bump_many(2);
                builder.part(simple(ParamName::Positional(u32::from(byte - b'0'))));
            }
            Some(byte) if is_special(byte) => {
                self.cursor.bump_many(2);
                builder.part(simple(ParamName::Special(byte)));
            }
            _ => {
                self.cursor.bump();
                builder.byte(b'$');
            }
        }
    }

    /// Production: the name that starts here.
    pub(super) fn name(&mut self) -> Name {
        let mut gathered: Vec<u8> = Vec::new();
        loop {
            let rest = self.cursor.rest();
            let length = rest
                .iter()
                .position(|byte| class(*byte) & NAME == 0)
                .unwrap_or(rest.len());
            let run = rest.get(..length).unwrap_or_default();
            let ended = rest.get(length).is_some_and(|byte| *byte != b'\\');
            if ended && gathered.is_empty() {
                let name = run.into();
                self.cursor.skip(length);
                return name;
            }
            gathered.extend_from_slice(run);
            self.cursor.skip(length);
            if self.cursor.peek().is_none_or(|byte| class(byte) & NAME == 0) {
                return gathered.into();
            }
        }
    }

    /// Production: `$(( … ))`, or `$( … )` when the parentheses do not match that way, as bash decides.
    fn dollar_parenthesis(&mut self, builder: &mut Builder) -> Parsed<()> {
        if self.cursor.peek_at(2) == Some(b'(') {
            return self.double_parenthesis(builder);
        }
        self.cursor.bump_many(2);
        let substitution = self.command_substitution()?;
        builder.part_with(Part::Command(substitution), false);
        Ok(())
    }

    /// `$(( … ))`, or what else begins that way.
    fn double_parenthesis(&mut self, builder: &mut Builder) -> Parsed<()> {
        match self.attempt_arithmetic(3)? {
            Some(text) => {
                let pure = text.pure;
                builder.part_with(Part::Arith(Box::new(arith(text, false))), pure);
            }
            None => {
                let substitution = self.unspaced_substitution()?;
                builder.part_with(Part::Command(substitution), false);
            }
        }
        Ok(())
    }

    /// `$((a); b)`: bash finds the end by counting parentheses, keeps the text, and reads the commands when it runs them.
    fn unspaced_substitution(&mut self) -> Parsed<Box<Substitution>> {
        let start = self.cursor.clone();
        let line = self.cursor.line;
        self.cursor.bump_many(2);
        let (from, frames) = (self.cursor.local(), self.cursor.frames());
        let mut substitution = match self.command_substitution() {
            Err(error) if error.limit.is_none() => self.unreadable_substitution(start, error, line)?,
            result => result?,
        };
        if frames == self.cursor.frames() {
            let text = self.cursor.since(from);
            substitution.raw = Some(text.strip_suffix(b")").unwrap_or(text).into());
        }
        Ok(substitution)
    }

    /// The same where the commands cannot be read.
    fn unreadable_substitution(
        &mut self,
        start: Cursor,
        error: Box<SyntaxError>,
        line: u32,
    ) -> Parsed<Box<Substitution>> {
        self.charge(self.cursor.offset().saturating_sub(start.offset()))?;
        self.cursor = start;
        self.cursor.bump_many(2);
        self.deeper(|reader| reader.arithmetic_text(b")", line))?;
        self.cursor.bump();
        Ok(Box::new(Substitution {
            body: Arc::default(),
            backquoted: None,
            raw: None,
            file: None,
            error: Some(error),
        }))
    }

    /// Arithmetic text behind `prefix` bytes, and its `))`; `None`, with nothing taken, when the closing
    /// parentheses do not stand together.
    pub(super) fn attempt_arithmetic(&mut self, prefix: usize) -> Parsed<Option<Word>> {
        let key = (self.cursor.offset(), self.cursor.local());
        if self.not_arith.contains(&key) {
            return Ok(None);
        }
        let start = self.cursor.clone();
        let (pending, bodies, warnings) = (self.pending.len(), self.bodies.len(), self.warnings.len());
        self.cursor.bump_many(prefix);
        let line = self.cursor.line;
        let text = self.deeper(|reader| reader.arithmetic_text(b")", line));
        let text = text.map_err(|error| self.unclosed_arithmetic(error, b')', line))?;
        if self.cursor.peek_at(1) == Some(b')') {
            self.cursor.bump_many(2);
            return Ok(Some(text));
        }
        self.charge(self.cursor.offset().saturating_sub(start.offset()))?;
        self.not_arith.insert(key);
        self.pending.truncate(pending);
        self.bodies.truncate(bodies);
        self.warnings.truncate(warnings);
        self.cursor = start;
        Ok(None)
    }

    /// bash looks for the parentheses before it looks inside, past everything but quotes.
    fn unclosed_arithmetic(&self, error: Box<SyntaxError>, closer: u8, line: u32) -> Box<SyntaxError> {
        let inner = error.incomplete && ["}'", "]'"].iter().any(|closer| error.message.ends_with(closer));
        if inner { self.unclosed(closer, line) } else { error }
    }

    /// Production: `$[ … ]`
    fn bracket_arithmetic(&mut self, builder: &mut Builder) -> Parsed<()> {
        let line = self.cursor.line;
        self.cursor.bump_many(2);
        let text = self.arithmetic_text(b"]", line);
        let text = text.map_err(|error| self.unclosed_arithmetic(error, b']', line))?;
        self.cursor.bump();
        let pure = text.pure;
        builder.part_with(Part::Arith(Box::new(arith(text, true))), pure);
        Ok(())
    }

    /// Production: arithmetic text up to one of `ends` outside parentheses (and brackets, when `]` ends it), which stays.
    pub(super) fn arithmetic_text(&mut self, ends: &[u8], line: u32) -> Parsed<Word> {
        let mut builder = Builder::default();
        let mut open = 0_usize;
        let mut questions = 0_usize;
        let brackets = ends.contains(&b']');
        loop {
            let Some(byte) = self.cursor.peek() else {
                return Err(self.unclosed(*ends.last().unwrap_or(&b')'), line));
            };
            let ends_here = ends.contains(&byte) && !(byte == b':' && questions > 0);
            if ends_here && (open == 0 || byte == b'}') {
                return Ok(builder.finish());
            }
            self.weigh(weight::ARITHMETIC)?;
            match byte {
                b'\\' | b'"' | b'`' | b'$' => {
                    self.quoted(&mut builder, Quote::Arith, byte)?;
                    continue;
                }
                b'\'' => {
                    let text = self.single()?;
                    builder.byte(b'\'');
                    builder.text(&text);
                    builder.byte(b'\'');
                    continue;
                }
                b'(' => open += 1,
                b'[' if brackets => open += 1,
                b')' => open = open.saturating_sub(1),
                b']' if brackets => open = open.saturating_sub(1),
                b'?' if open == 0 => questions += 1,
                b':' if open == 0 => questions = questions.saturating_sub(1),
                _ => {}
            }
            self.cursor.bump();
            builder.byte(byte);
        }
    }

    /// Production: `$'…'`, at the `$`.
    pub(super) fn ansi_c(&mut self, builder: &mut Builder) -> Parsed<()> {
        let line = self.cursor.line;
        self.cursor.bump_many(1);
        self.cursor.peek();
        self.cursor.bump();
        let mut raw = Vec::new();
        loop {
            match self.cursor.peek_raw() {
                None => return Err(self.unclosed(b'\'', line)),
                Some(b'\'') => break,
                Some(byte) => {
                    raw.push(byte);
                    self.cursor.bump();
                    if byte == b'\\'
                        && let Some(next) = self.cursor.peek_raw()
                    {
                        raw.push(next);
                        self.cursor.bump();
                    }
                }
            }
        }
        self.cursor.bump();
        let text = super::ansi::decode(&raw).into();
        builder.part(Part::AnsiC {
            text,
            raw: raw.into(),
        });
        Ok(())
    }
}

/// Whether `$` and this byte are a special parameter.
pub(super) fn is_special(byte: u8) -> bool {
    b"@*#?-$!".contains(&byte)
}

/// Arithmetic text with what can be compiled of it.
pub(super) fn arith(text: Word, bracket: bool) -> Arith {
    let compiled = super::arith_parser::compile(&text).map(Arc::new);
    Arith {
        text,
        compiled,
        bracket,
    }
}

/// `$name`
fn simple(name: ParamName) -> Part {
    Part::Param(Box::new(Param {
        name,
        subscript: None,
        indirect: false,
        op: ParamOp::Get,
        braced: false,
    }))
}
