//! Command and process substitution: `$( … )`, backquotes, `<( … )`.

use std::sync::Arc;

use super::ast::{Command, List, Part, RedirectFd, RedirectOp, Substitution, Word};
use super::error::SyntaxError;
use super::parser::{Parsed, Reader};
use super::word::{Builder, Quote};

impl Reader<'_> {
    /// Production: `$( … )`, behind the parenthesis.
    pub(super) fn command_substitution(&mut self) -> Parsed<Box<Substitution>> {
        self.substitution_body().map(|body| {
            let file = file_to_read(&body);
            Box::new(Substitution {
                body: Arc::new(body),
                backquoted: None,
                raw: None,
                file,
                error: None,
            })
        })
    }

    /// Production: `<( … )` or `>( … )`, behind the parenthesis.
    pub(super) fn process_substitution(&mut self, write: bool) -> Parsed<Part> {
        let body = Arc::new(self.substitution_body()?);
        Ok(Part::Process { write, body })
    }

    /// A list and its `)`. Here-documents inside start behind a newline inside; what is left open is read
    /// behind the line that the substitution ends on, and bash warns.
    fn substitution_body(&mut self) -> Parsed<List> {
        let outer = std::mem::take(&mut self.pending);
        let closer = std::mem::replace(&mut self.closer, b')');
        let body = self.deeper(Self::list_until_parenthesis).map_err(|mut error| {
            error.ends_shell |= !error.incomplete && error.limit.is_none() && !error.resumes;
            error
        })?;
        self.closer = closer;
        if !self.pending.is_empty() {
            let message = format!(
                "command substitution: {} unterminated here-document",
                self.pending.len()
            );
            self.warnings.push((0, message));
        }
        let inner = std::mem::replace(&mut self.pending, outer);
        self.pending.extend(inner);
        Ok(body)
    }

    /// A list that may be empty, and `)`.
    fn list_until_parenthesis(&mut self) -> Parsed<List> {
        self.newlines()?;
        let list = if self.cursor.peek() == Some(b')') {
            List::default()
        } else {
            self.compound_list()?
        };
        self.blanks();
        if self.cursor.eat(b')') {
            Ok(list)
        } else {
            Err(self.unexpected())
        }
    }

    /// Production: `` ` … ` ``, at the backquote. A syntax error inside shows when it runs.
    pub(super) fn backquoted(&mut self, builder: &mut Builder, quote: Quote) -> Parsed<()> {
        let line = self.cursor.line;
        self.cursor.bump();
        let (raw, text) = self.backquoted_text(quote, line)?;
        let (body, error) = self.deeper(|reader| reader.inner(text.into(), line))?;
        let file = if error.is_none() {
            file_to_read(&body)
        } else {
            None
        };
        let substitution = Box::new(Substitution {
            body: Arc::new(body),
            backquoted: Some(raw.into()),
            file,
            error,
            raw: None,
        });
        builder.part_with(Part::Command(substitution), false);
        Ok(())
    }

    /// What stands between backquotes, as written and as it will be read.
    fn backquoted_text(&mut self, quote: Quote, line: u32) -> Parsed<(Vec<u8>, Vec<u8>)> {
        let (mut raw, mut text) = (Vec::new(), Vec::new());
        loop {
            let Some(byte) = self.cursor.peek() else {
                return Err(self.unclosed(b'`', line));
            };
            self.cursor.bump();
            if byte == b'`' {
                return Ok((raw, text));
            }
            raw.push(byte);
            let next = if byte == b'\\' {
                self.cursor.peek_raw()
            } else {
                None
            };
            let Some(next) = next else {
                text.push(byte);
                continue;
            };
            self.cursor.bump();
            raw.push(next);
            let quoted = matches!(next, b'$' | b'`' | b'\\') || (next == b'"' && quote == Quote::Double);
            if !quoted {
                text.push(byte);
            }
            text.push(next);
        }
    }

    /// Reads a text of its own to its end, up to the first error.
    fn inner(&mut self, text: Arc<[u8]>, line: u32) -> Parsed<(List, Option<Box<SyntaxError>>)> {
        let mut reader = self.inside(super::parser::whole_lines(text), line)?;
        let mut list = List::default();
        let error = loop {
            match reader.input_unit() {
                Ok(Some(mut unit)) => {
                    reader.attach_documents(&mut unit);
                    list.items.extend(unit.items);
                }
                Ok(None) => break None,
                Err(error) if error.limit.is_some() => return Err(error),
                Err(error) => break Some(error),
            }
        };
        self.finish(reader);
        Ok((list, error))
    }
}

/// The word of a body that is only `< word`.
fn file_to_read(body: &List) -> Option<Word> {
    let [item] = body.items.as_slice() else {
        return None;
    };
    let pipeline = &item.and_or.first;
    let alone =
        !item.background && item.and_or.rest.is_empty() && pipeline.time.is_none() && !pipeline.negated;
    let [Command::Simple(simple)] = pipeline.commands.as_slice() else {
        return None;
    };
    let bare = alone && simple.words.is_empty() && simple.assigns.is_empty();
    let [redirect] = simple.redirects.as_slice() else {
        return None;
    };
    match (&redirect.fd, &redirect.op) {
        (None | Some(RedirectFd::Number(0)), RedirectOp::Read(word)) if bare => Some(word.clone()),
        _ => None,
    }
}
