//! `set -x`

use super::{Flow, Interp};
use crate::expand::word;
use crate::syntax::ast::{Arith, Assign, AssignValue, Name, ParamOp, Part, Simple, Word};
use crate::text::quote;

impl Interp {
    /// `PS4` expanded; its first character is repeated by depth of `eval` and substitutions.
    fn trace_prefix(&mut self) -> Vec<u8> {
        let text = self.scalar(b"PS4").unwrap_or_default();
        let expanded = self.expand_prompt(&text);
        let first = crate::text::utf8::offset_of(&expanded, 1);
        let mut prefix = Vec::new();
        for _ in 0..self.trace_depth() {
            prefix.extend_from_slice(expanded.get(..first).unwrap_or_default());
        }
        prefix.extend_from_slice(&expanded);
        prefix
    }

    fn trace_depth(&self) -> u32 {
        self.evals
    }

    fn trace(&mut self, text: &[u8]) {
        let prefix = self.trace_prefix();
        let line = [&prefix, text, b"\n"].concat();
        let fd = self
            .scalar(b"BASH_XTRACEFD")
            .and_then(|fd| crate::expand::arith::plain_number(&fd));
        match fd
            .and_then(|fd| u32::try_from(fd).ok())
            .and_then(|fd| self.proc.fds.get(fd).ok().cloned())
        {
            Some(file) => self.queue(&file, &line),
            None => self.print_error(line),
        }
    }

    pub(super) async fn trace_command(&mut self, simple: &Simple, args: &[Vec<u8>]) -> Flow<()> {
        for assign in &simple.assigns {
            let value = match &assign.value {
                AssignValue::Scalar(word) if is_repeatable(word) => {
                    word::text_now(self, word, crate::expand::Mode::Single).ok()
                }
                _ => None,
            };
            self.trace_assignment(assign, value.as_deref());
        }
        let words: Vec<Vec<u8>> = args.iter().map(|arg| quote::traced(arg)).collect();
        self.trace(&words.join(&b' '));
        self.flush().await
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
        let text = crate::syntax::print::print_word(&arith.text);
        let text = [b"(( ".as_slice(), text.trim_ascii(), b" ))"].concat();
        self.trace(&text);
        self.flush().await
    }

    pub(super) async fn trace_for(&mut self, name: &Name, words: Option<&[Word]>) -> Flow<()> {
        let text = for_text(name, words);
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
        self.trace(&text);
        self.flush().await
    }

    pub(super) fn trace_cond(&mut self, left: Option<&[u8]>, operator: &[u8], right: &[u8]) {
        if !self.options.is(super::Set::Xtrace) {
            return;
        }
        let right = quote::traced(right);
        let text = match left {
            Some(left) => [
                b"[[ ".as_slice(),
                &quote::traced(left),
                b" ",
                operator,
                b" ",
                &right,
                b" ]]",
            ]
            .concat(),
            None => [b"[[ ".as_slice(), operator, b" ", &right, b" ]]"].concat(),
        };
        self.trace(&text);
    }
}

/// Expanding the word a second time changes nothing: plain text and values.
fn is_repeatable(word: &Word) -> bool {
    word.parts.iter().all(|part| match part {
        Part::Double { parts, .. } => parts.iter().all(is_plain),
        part => is_plain(part),
    })
}

fn is_plain(part: &Part) -> bool {
    match part {
        Part::Literal(_) | Part::Escaped(_) | Part::Single(_) | Part::AnsiC { .. } | Part::Tilde(_) => true,
        Part::Param(param) => {
            matches!(param.op, ParamOp::Get) && param.subscript.is_none() && !param.indirect
        }
        _ => false,
    }
}

/// The head of a `for` loop, as traces and `BASH_COMMAND` show it.
pub(super) fn for_text(name: &Name, words: Option<&[Word]>) -> Vec<u8> {
    let words: Vec<Vec<u8>> = match words {
        Some(words) => words.iter().map(crate::syntax::print::print_word).collect(),
        None => vec![b"\"$@\"".to_vec()],
    };
    [b"for ".as_slice(), name, b" in ", &words.join(&b' ')].concat()
}
