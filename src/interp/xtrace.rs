//! `set -x`

use super::assign::Element;
use super::{ExpandFailure, Flow, Interp, Set};
use crate::syntax::ast::{Arith, Assign, Name, Word};
use crate::text::number::legal_number;
use crate::text::quote;

impl Interp {
    /// Expands `PS4` for the traces of a command: it may run commands, which are not traced.
    pub(super) async fn prepare_trace(&mut self) -> Flow<()> {
        if !self.options.is(Set::Xtrace) {
            return Ok(());
        }
        let text = self.scalar(b"PS4").unwrap_or_default();
        self.options.set(Set::Xtrace, false);
        let expanded = Box::pin(self.expand_prompt(&text)).await;
        self.options.set(Set::Xtrace, true);
        self.trace_prompt = match expanded {
            Ok(expanded) => expanded,
            Err(ExpandFailure::Divert(divert)) => return Err(divert),
            Err(_) => text,
        };
        Ok(())
    }

    /// `PS4`; its first character is repeated by the depth of `eval`, sourced files, traps and substitutions.
    fn trace_prefix(&self) -> Vec<u8> {
        let expanded = &self.trace_prompt;
        let first = crate::text::utf8::offset_of(expanded, 1);
        let mut prefix = Vec::new();
        for _ in 0..self.evals {
            prefix.extend_from_slice(expanded.get(..first).unwrap_or_default());
        }
        prefix.extend_from_slice(expanded);
        prefix
    }

    fn trace(&mut self, text: &[u8]) {
        let prefix = self.trace_prefix();
        let line = [&prefix, text, b"\n"].concat();
        let fd = self.trace_descriptor;
        match fd.and_then(|fd| self.proc.fds.get(fd).ok().cloned()) {
            Some(file) => self.queue(&file, &line),
            None => self.print_error(line),
        }
    }

    /// `BASH_XTRACEFD` was assigned: what is no open descriptor is said, and changes nothing.
    pub(super) fn choose_trace_descriptor(&mut self) {
        let value = self.scalar(b"BASH_XTRACEFD").unwrap_or_default();
        let descriptor = legal_number(&value).and_then(|number| u32::try_from(number).ok());
        let open = descriptor.filter(|descriptor| self.proc.fds.get(*descriptor).is_ok());
        if value.is_empty() || open.is_some() {
            self.trace_descriptor = open;
        } else {
            let message = [
                b"BASH_XTRACEFD: ",
                value.as_slice(),
                b": invalid value for trace file descriptor",
            ];
            self.error(message.concat());
        }
    }

    pub(super) async fn trace_command(&mut self, args: &[Vec<u8>]) -> Flow<()> {
        let words: Vec<Vec<u8>> = args
            .iter()
            .map(|arg| {
                let list = self.declared.iter().find(|declared| declared.argument == *arg);
                quote::traced(list.map_or(arg, |declared| &declared.name))
            })
            .collect();
        self.trace(&words.join(&b' '));
        self.flush().await
    }

    /// The list that an argument of a declaration builtin gives to an array: shown before the command.
    pub(super) fn trace_list(&mut self, name: &[u8], append: bool, elements: &[Element]) {
        if !self.options.is(super::Set::Xtrace) {
            return;
        }
        let shown: Vec<Vec<u8>> = elements
            .iter()
            .map(|element| match &element.key {
                Some(key) => {
                    let equals: &[u8] = if element.append { b"]+=" } else { b"]=" };
                    [
                        b"[",
                        &*quote::reusable(key),
                        equals,
                        &quote::reusable(&element.value),
                    ]
                    .concat()
                }
                None => quote::reusable(&element.value),
            })
            .collect();
        let operator: &[u8] = if append { b"+=(" } else { b"=(" };
        self.trace(&[name, operator, &shown.join(&b' '), b")"].concat());
    }

    /// An assignment: a string as it came out, a list as it was written.
    pub(super) fn trace_assignment(&mut self, assign: &Assign, value: Option<&[u8]>) {
        if !self.options.is(super::Set::Xtrace) {
            return;
        }
        let Some(value) = value else {
            let text = crate::syntax::print::print_assignment(assign);
            return self.trace(&text);
        };
        let operator: &[u8] = if assign.append { b"+=" } else { b"=" };
        let mut text = assign.name.to_vec();
        if let Some(subscript) = &assign.subscript {
            text.push(b'[');
            text.extend_from_slice(&crate::syntax::print::print_word(subscript));
            text.push(b']');
        }
        text.extend_from_slice(operator);
        if !value.is_empty() {
            text.extend_from_slice(&quote::traced(value));
        }
        self.trace(&text);
    }

    pub(super) async fn trace_arithmetic(&mut self, arith: &Arith) -> Flow<()> {
        if !self.options.is(super::Set::Xtrace) {
            return Ok(());
        }
        let text = [b"(( ".as_slice(), &arith_text(arith), b" ))"].concat();
        self.prepare_trace().await?;
        self.trace(&text);
        self.flush().await
    }

    /// The head of a `for` or `select`.
    pub(super) async fn trace_head(&mut self, text: Vec<u8>) -> Flow<()> {
        self.prepare_trace().await?;
        self.trace(&text);
        self.flush().await
    }

    pub(super) async fn trace_case(&mut self, word: &Word) -> Flow<()> {
        let text = [
            b"case ".as_slice(),
            &crate::syntax::print::print_word(word),
            b" in",
        ]
        .concat();
        self.prepare_trace().await?;
        self.trace(&text);
        self.flush().await
    }

    /// A test of `[[`: its words as they came out, nothing quoted but what is empty.
    pub(super) fn trace_cond(&mut self, negated: bool, left: Option<&[u8]>, operator: &[u8], right: &[u8]) {
        if !self.options.is(super::Set::Xtrace) {
            return;
        }
        let shown = |text: &[u8]| {
            if text.is_empty() {
                b"''".to_vec()
            } else {
                text.to_vec()
            }
        };
        let mut words = vec![b"[[".to_vec()];
        if negated {
            words.push(b"!".to_vec());
        }
        words.extend(left.map(shown));
        words.extend([operator.to_vec(), shown(right), b"]]".to_vec()]);
        self.trace(&words.join(&b' '));
    }

    /// A value that a declaration builtin gives to a variable.
    pub fn trace_declared(&mut self, name: &[u8], append: bool, value: &[u8]) {
        if !self.options.is(super::Set::Xtrace) {
            return;
        }
        let operator: &[u8] = if append { b"+=" } else { b"=" };
        let value = if value.is_empty() {
            Vec::new()
        } else {
            quote::traced(value)
        };
        self.trace(&[name, operator, &value].concat());
    }
}

/// The head of a `for` or `select`, as traces and `BASH_COMMAND` show it.
pub(super) fn head_text(keyword: &[u8], name: &Name, words: Option<&[Word]>) -> Vec<u8> {
    let words: Vec<Vec<u8>> = match words {
        Some(words) => words.iter().map(crate::syntax::print::print_word).collect(),
        None => vec![b"\"$@\"".to_vec()],
    };
    [keyword, b" ", name, b" in ", &words.join(&b' ')].concat()
}

/// An expression of `((`, with its blanks; an empty one of `for ((` is 1.
pub(super) fn arith_text(arith: &Arith) -> Vec<u8> {
    if super::assign::is_empty(&arith.text) {
        return b"1".to_vec();
    }
    crate::syntax::print::print_word(&arith.text)
}
