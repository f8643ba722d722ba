//! Simple commands.
//!
//! What a word may be depends on what stands before it. `name=( … )` and blanks in `name[…]` are read only where bash's
//! lexer accepts an assignment: first, behind another assignment, and behind redirections that stand first.
//! The same places make a word an alias. `name=word` is an assignment anywhere before the first other word.

use super::assign::Declaration;
use super::ast::{Command, Simple, Stages, Word};
use super::parser::{Parsed, Reader};
use super::token::is_meta;
use super::word::Builder;

impl Reader<'_> {
    /// Production: assignments, words and redirections, or `name () body`.
    pub(super) fn simple_command(&mut self, into: &mut Stages) -> Parsed<()> {
        let mut simple = Simple {
            line: self.cursor.line,
            pure: true,
            ..Simple::default()
        };
        let mut declaration = None;
        loop {
            self.blanks();
            if self.cursor.next_word_is_alias {
                self.expand_aliases();
            }
            if self.simple_redirect(&mut simple)? {
                declaration = declaration.map(|_| Declaration::Behind);
                if simple.words.is_empty() && simple.assigns.is_empty() {
                    self.expand_aliases();
                }
                continue;
            }
            let Some(byte) = self.cursor.peek() else { break };
            if is_meta(byte) && !self.starts_process_substitution(byte) {
                let alone = simple.assigns.is_empty() && simple.redirects.is_empty();
                if byte == b'(' && simple.words.len() == 1 && alone {
                    return self.function_parentheses(&simple, into);
                }
                break;
            }
            self.simple_part(&mut simple, &mut declaration)?;
            // bash's grammar looks one token ahead before it makes the command: its line is where the second word ends.
            if simple.words.len() + simple.assigns.len() + simple.redirects.len() <= 2 {
                simple.line = self.cursor.line;
            }
        }
        if simple.words.is_empty() && simple.assigns.is_empty() && simple.redirects.is_empty() {
            return Err(self.unexpected());
        }
        *into = Stages::One(Command::Simple(simple));
        Ok(())
    }

    /// A redirection of a simple command, when one stands here.
    fn simple_redirect(&mut self, simple: &mut Simple) -> Parsed<bool> {
        let redirect = self.redirect()?;
        let found = redirect.is_some();
        if let Some(redirect) = redirect {
            simple.pure &= super::redirect::is_pure(&redirect);
            simple.redirects.push(redirect);
        }
        Ok(found)
    }

    pub(super) fn starts_process_substitution(&mut self, byte: u8) -> bool {
        matches!(byte, b'<' | b'>') && self.cursor.peek_at(1) == Some(b'(')
    }

    /// An assignment or a word of a simple command.
    fn simple_part(&mut self, simple: &mut Simple, declaration: &mut Option<Declaration>) -> Parsed<()> {
        if !simple.words.is_empty() {
            if simple.words.len() == 1 || *declaration == Some(Declaration::Command) {
                *declaration = super::assign::declaration(&simple.words, *declaration, self.env.posix());
            }
            let word = match *declaration {
                None => self.word(),
                Some(kind) => self.declaration_argument(kind),
            };
            return word.map(|word| push_word(simple, word));
        }
        if !simple.assigns.is_empty() && !simple.redirects.is_empty() {
            return self.word_behind_redirect(simple);
        }
        self.command_name(simple)
    }

    /// An assignment, or the first word.
    fn command_name(&mut self, simple: &mut Simple) -> Parsed<()> {
        let mut builder = Builder::default();
        if let Some(assign) = self.assignment(&mut builder)? {
            simple.pure &= super::assign::is_pure(&assign);
            simple.assigns.push(assign);
            self.expand_aliases();
            return Ok(());
        }
        if builder.is_empty() {
            if let Some(word) = self.plain_word() {
                push_word(simple, word);
                return Ok(());
            }
            self.tilde(&mut builder, b":/");
        }
        self.word_rest(&mut builder)?;
        push_word(simple, builder.finish());
        Ok(())
    }

    /// Behind assignments and redirections: an assignment only by its shape.
    fn word_behind_redirect(&mut self, simple: &mut Simple) -> Parsed<()> {
        let word = self.word()?;
        match super::assign::assignment_of(&word) {
            Some(assign) => {
                simple.pure &= word.pure;
                simple.assigns.push(assign);
            }
            None => push_word(simple, word),
        }
        Ok(())
    }
}

fn push_word(simple: &mut Simple, word: Word) {
    simple.pure &= word.pure;
    simple.words.push(word);
}
