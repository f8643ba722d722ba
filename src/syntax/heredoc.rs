//! Here-documents: bodies are read behind the newline that ends the line of their operators.
//!
//! When a body is read, its redirection already lies somewhere in the tree. So each operator gets a number, its
//! body stays empty, and when the complete command has been read, [`Reader::attach_documents`] puts the bodies
//! in their places (see `attach`).

use std::sync::Arc;

use super::ast::{HereDocument, List, Param, ParamName, ParamOp, Part, Word};
use super::cursor::Cursor;
use super::parser::{Parsed, Reader};
use super::word::{Builder, Quote};

/// A here-document whose body was not read yet.
#[derive(Debug, Clone)]
pub(super) struct Pending {
    /// Where the body goes in `Reader::bodies`.
    number: usize,
    /// The delimiter without quotes.
    wanted: Vec<u8>,
    strip_tabs: bool,
    quoted: bool,
}

/// A body that was read.
#[derive(Debug, Clone, Default)]
pub(super) struct Body {
    word: Word,
    raw: Option<Box<[u8]>>,
}

impl HereDocument {
    /// The delimiter without its quotes: the line that ends the document.
    pub fn wanted(&self) -> Vec<u8> {
        let mut wanted = Vec::new();
        let mut reader = Reader::new(Cursor::new(Arc::from(&*self.delimiter), 1), &());
        match reader.word() {
            Ok(word) if self.quoted => {
                without_quotes(&word.parts, &mut wanted);
                wanted
            }
            _ => self.delimiter.to_vec(),
        }
    }
}

impl Reader<'_> {
    /// Production: the delimiter behind `<<` or `<<-`.
    pub(super) fn here_document(&mut self, strip_tabs: bool) -> Parsed<HereDocument> {
        let (start, frames) = (self.cursor.local(), self.cursor.frames());
        let word = self.word()?;
        let mut wanted = Vec::new();
        let quoted = without_quotes(&word.parts, &mut wanted);
        let mut delimiter: Box<[u8]> = match frames == self.cursor.frames() {
            true => self.cursor.since(start).into(),
            false => wanted.as_slice().into(),
        };
        if !quoted {
            wanted = without_continuations(&delimiter);
            delimiter = wanted.as_slice().into();
        }
        let number = self.bodies.len();
        self.bodies.push(Body::default());
        self.pending.push(Pending {
            number,
            wanted,
            strip_tabs,
            quoted,
        });
        Ok(HereDocument {
            delimiter,
            strip_tabs,
            quoted,
            body: placeholder(number),
            raw: None,
        })
    }

    /// Reads the bodies that start here.
    pub(super) fn here_documents(&mut self) -> Parsed<()> {
        for pending in std::mem::take(&mut self.pending) {
            let line = self.cursor.line;
            let text = self.document_text(&pending);
            let body = self.document_body(&pending, text, line)?;
            if let Some(place) = self.bodies.get_mut(pending.number) {
                *place = body;
            }
        }
        Ok(())
    }

    /// The lines up to the delimiter.
    fn document_text(&mut self, pending: &Pending) -> Vec<u8> {
        let opened = self.cursor.line_before();
        let mut text = Vec::new();
        let mut line = Vec::new();
        let mut closed = false;
        while self.document_line(&mut line, pending.quoted) {
            let tabs = line
                .iter()
                .take_while(|byte| pending.strip_tabs && **byte == b'\t')
                .count();
            let kept = line.get(tabs..).unwrap_or_default();
            // A delimiter that begins with a tab is found before tabs are taken off.
            let is_delimiter = |line: &[u8]| line.strip_suffix(b"\n").unwrap_or(line) == pending.wanted;
            if is_delimiter(kept) || is_delimiter(&line) {
                return text;
            }
            // In a substitution, a line that begins so and closes it ends the document too, though bash warns.
            let after = kept.strip_prefix(pending.wanted.as_slice());
            if let Some(after) = after.filter(|after| self.closer == b')' && after.contains(&b')')) {
                self.cursor.unread(after.len());
                closed = true;
                break;
            }
            text.extend_from_slice(kept);
        }
        self.cursor.ran_out |= !closed;
        let wanted = String::from_utf8_lossy(&pending.wanted);
        let message = format!("here-document at line {opened} delimited by end-of-file (wanted `{wanted}')");
        self.warnings.push((self.cursor.line_before(), message));
        text
    }

    /// The next line with its newline; an unquoted document joins continued lines.
    fn document_line(&mut self, line: &mut Vec<u8>, quoted: bool) -> bool {
        line.clear();
        while self.cursor.peek_raw().is_some() {
            let rest = self.cursor.rest();
            let length = memchr::memchr(b'\n', rest).map_or(rest.len(), |newline| newline + 1);
            line.extend_from_slice(rest.get(..length).unwrap_or_default());
            self.cursor.skip_lines(length);
            let Some(text) = line.strip_suffix(b"\n") else {
                continue;
            };
            let backslashes = text.iter().rev().take_while(|byte| **byte == b'\\').count();
            if quoted || backslashes % 2 == 0 {
                return true;
            }
            line.truncate(line.len() - 2);
            self.cursor.ran_out |= self.cursor.rest().is_empty();
        }
        !line.is_empty()
    }

    /// The body as a word, and as text when its parts would print another one.
    fn document_body(&mut self, pending: &Pending, text: Vec<u8>, line: u32) -> Parsed<Body> {
        if pending.quoted {
            let parts = if text.is_empty() {
                Vec::new()
            } else {
                vec![Part::Single(text.into())]
            };
            return Ok(Body {
                word: Word {
                    parts,
                    pure: true,
                    ..Word::default()
                },
                raw: None,
            });
        }
        let text: Arc<[u8]> = text.into();
        let mut reader = self.inside(text.clone(), line)?;
        let word = reader.document_parts()?;
        self.finish(reader);
        let raw = (!word.pure && super::print::print_word(&word) != *text).then(|| Box::from(&*text));
        Ok(Body { word, raw })
    }

    /// The parts of an unquoted body. What cannot be read fails when it is expanded.
    fn document_parts(&mut self) -> Parsed<Word> {
        let mut builder = Builder::default();
        loop {
            let rest = self.cursor.rest();
            let length = rest
                .iter()
                .position(|byte| matches!(byte, b'\\' | b'$' | b'`'))
                .unwrap_or(rest.len());
            builder.text(rest.get(..length).unwrap_or_default());
            self.cursor.skip_lines(length);
            let start = self.cursor.local();
            let Some(byte) = self.cursor.peek() else { break };
            match self.quoted(&mut builder, Quote::Document, byte) {
                Err(error) if error.limit.is_some() => return Err(error),
                Err(_) => {
                    builder.part(Part::Param(Box::new(self.unreadable(start))));
                    break;
                }
                Ok(()) => {}
            }
        }
        let mut word = builder.finish();
        word.braces = false;
        if !self.bodies.is_empty() {
            self.attach_to_word(&mut word);
        }
        Ok(word)
    }

    /// What starts at `start` and has no end, up to the end of the text: expanding it fails.
    fn unreadable(&mut self, start: usize) -> Param {
        self.cursor.skip(self.cursor.rest().len());
        let op = ParamOp::Bad(self.cursor.since(start).into());
        Param {
            name: ParamName::Special(b'@'),
            subscript: None,
            indirect: false,
            op,
            braced: true,
        }
    }

    /// Puts the bodies that were read into the tree.
    pub(super) fn attach_documents(&mut self, list: &mut List) {
        if !self.bodies.is_empty() {
            let bodies = std::mem::take(&mut self.bodies);
            super::attach::list(list, &bodies);
        }
    }

    fn attach_to_word(&mut self, word: &mut Word) {
        let bodies = std::mem::take(&mut self.bodies);
        super::attach::word(word, &bodies);
    }
}

/// A text of several lines that backslashes continue, as one.
fn without_continuations(text: &[u8]) -> Vec<u8> {
    let mut kept = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = memchr::memmem::find(rest, b"\\\n") {
        kept.extend_from_slice(rest.get(..at).unwrap_or_default());
        rest = rest.get(at + 2..).unwrap_or_default();
    }
    kept.extend_from_slice(rest);
    kept
}

/// What stands in a body's place until it is attached.
fn placeholder(number: usize) -> Word {
    let number = (number as u64).to_le_bytes();
    Word {
        parts: vec![Part::Literal(number[..].into())],
        pure: true,
        braces: false,
        assign: None,
        index: None,
    }
}

/// Puts the body where its placeholder stands.
pub(super) fn attach(document: &mut HereDocument, bodies: &[Body]) {
    let [Part::Literal(number)] = document.body.parts.as_slice() else {
        return;
    };
    let Ok(number) = (&**number).try_into() else {
        return;
    };
    if let Some(body) = bodies.get(u64::from_le_bytes(number) as usize) {
        document.body = body.word.clone();
        document.raw.clone_from(&body.raw);
    }
}

/// Gathers the text of a delimiter with quotes removed; whether there were any.
fn without_quotes(parts: &[Part], text: &mut Vec<u8>) -> bool {
    let mut quoted = false;
    for part in parts {
        match part {
            Part::Literal(literal) => text.extend_from_slice(literal),
            Part::Escaped(byte) => {
                text.push(*byte);
                quoted = true;
            }
            Part::Single(literal) | Part::AnsiC { text: literal, .. } => {
                text.extend_from_slice(literal);
                quoted = true;
            }
            Part::Double { parts, .. } => {
                without_quotes(parts, text);
                quoted = true;
            }
            other => text.extend(super::print::print_part(other)),
        }
    }
    quoted
}

#[cfg(test)]
mod tests {
    use super::super::ast::{Command, RedirectOp};
    use super::super::print::print_word;
    use super::super::{Parser, parse_all};

    /// The bodies of the first command's documents.
    fn bodies(source: &str) -> Vec<String> {
        let lists = parse_all(source.as_bytes(), &()).unwrap();
        let Command::Simple(simple) = &lists[0].items[0].and_or.first.commands[0] else {
            panic!("simple")
        };
        let body = |op: &RedirectOp| match op {
            RedirectOp::HereDocument(document) => String::from_utf8(print_word(&document.body)).unwrap(),
            other => panic!("{other:?}"),
        };
        simple
            .redirects
            .iter()
            .map(|redirect| body(&redirect.op))
            .collect()
    }

    #[test]
    fn bodies_come_in_order() {
        assert_eq!(
            bodies("a <<A <<-'B' <<C\nx $y\nA\n\tz\n\tB\nC\n"),
            ["x $y\n", "'z\n'", ""]
        );
        assert_eq!(
            bodies("a <<A \"b\nc\" $(d <<B\nin\nB\n)\nout\\\ner\nA\n"),
            ["outer\n"]
        );
    }

    #[test]
    fn the_end_of_the_input_ends_a_body() {
        let mut parser = Parser::new(b"a <<A\nx"[..].into(), 1);
        assert!(parser.next(&()).unwrap().is_some());
        let warning = "here-document at line 1 delimited by end-of-file (wanted `A')".to_string();
        assert_eq!(parser.take_warnings(), [(2, warning)]);
    }
}
