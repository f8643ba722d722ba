//! Simple commands: expand, redirect, assign, find, run.

use std::sync::OnceLock;

use rustc_hash::FxHashMap;

use super::list::Now;
use super::redirect::{Failed, Saved};
use super::{Divert, Flow, Interp, Set, TrapKey};
use crate::expand::{Failure, Mode, word};
use crate::kernel::BoxFuture;
use crate::syntax::ast::{Assign, AssignValue, Part, Simple, Word};

/// How a builtin is written.
#[derive(Clone, Copy)]
pub enum Run {
    /// A plain function: never waits but for its output.
    Plain(fn(&mut Interp, &[Vec<u8>]) -> Flow),
    /// A coroutine.
    Waiting(Waiting),
    /// A plain function for where it need not wait (`None`: it must, and nothing has happened), and a coroutine.
    Eager(fn(&mut Interp, &[Vec<u8>]) -> Option<Flow>, Waiting),
}

/// A builtin that is a coroutine.
pub type Waiting = for<'a> fn(&'a mut Interp, Vec<Vec<u8>>) -> BoxFuture<'a, Flow>;

/// What POSIX and bash say of a builtin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BuiltinKind {
    /// An ordinary builtin.
    Ordinary,
    /// A special builtin of POSIX.
    Special,
    /// A special builtin whose assignment-shaped arguments are assignments.
    Declaration,
}

/// How a special builtin failed, as far as a shell in POSIX mode cares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Misuse {
    /// It did not.
    #[default]
    None,
    /// It was used wrongly: the shell ends where failures count.
    Usage,
    /// It could not do its work: the shell ends.
    Failure,
}

/// A row of the table of builtins.
#[derive(Clone, Copy)]
pub struct Builtin {
    /// Its name.
    pub name: &'static str,
    /// Its kind.
    pub kind: BuiltinKind,
    /// Its body; arguments come without the name.
    pub run: Run,
}

impl Builtin {
    /// A special builtin of POSIX: `declare` and `local` only look like one.
    pub fn is_special(&self) -> bool {
        match self.kind {
            BuiltinKind::Ordinary => false,
            BuiltinKind::Special => true,
            BuiltinKind::Declaration => matches!(self.name, "export" | "readonly"),
        }
    }
}

impl std::fmt::Debug for Builtin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Builtin").field(&self.name).finish()
    }
}

impl Interp {
    /// The builtin of this name, unless it is disabled.
    pub fn find_builtin(&self, name: &[u8]) -> Option<&'static Builtin> {
        let index = *index_of(self.builtins).get(name)?;
        let builtin = self.builtins.get(index)?;
        (self.disabled.is_empty() || !self.disabled.contains(builtin.name)).then_some(builtin)
    }

    /// The builtin that a command's first word names. What a word without expansions names is remembered in the tree.
    #[inline]
    fn builtin_of(&self, simple: &Simple, name: &[u8]) -> Option<&'static Builtin> {
        const NONE: u32 = u32::MAX;
        let place = match simple.builtin.get() {
            0 => {
                let place = index_of(self.builtins)
                    .get(name)
                    .map_or(NONE, |index| *index as u32 + 1);
                if simple
                    .words
                    .first()
                    .is_some_and(|word| Self::literal_name(word).is_some())
                {
                    simple.builtin.set(place);
                }
                place
            }
            place => place,
        };
        let builtin = self.builtins.get((place as usize).wrapping_sub(1))?;
        (self.disabled.is_empty() || !self.disabled.contains(builtin.name)).then_some(builtin)
    }

    /// The synchronous path: pure words, no redirection, assignments alone or a plain builtin.
    pub(super) fn simple_now(&mut self, simple: &Simple) -> Now {
        let watched = self.noting || self.options.is(Set::Xtrace) || self.options.is(Set::Keyword);
        if !simple.pure || !simple.redirects.is_empty() || watched {
            return Now::NotPure;
        }
        self.at_line(simple.line);
        self.substitution_status = None;
        if simple.words.is_empty() {
            return Now::Done(self.assign_now(simple));
        }
        if !simple.assigns.is_empty()
            || simple.words.iter().any(|word| {
                word.assign
                    .as_deref()
                    .is_some_and(|assign| word.braces || is_complex(assign))
            })
        {
            return Now::NotPure;
        }
        let mut args = std::mem::take(&mut self.spare_args);
        if let Err(failure) = self.expand_words_now(simple, &mut args) {
            return Now::Flush(Err(self.fail_expansion(failure)));
        }
        let Some(name) = args.first() else {
            self.status = 0;
            return Now::Done(Ok(0));
        };
        let Some(builtin) = self.builtin_of(simple, name) else {
            return Now::Run(args);
        };
        if matches!(builtin.run, Run::Waiting(_))
            || (!self.functions.is_empty() && self.functions.contains_key(name.as_slice()))
        {
            return Now::Run(args);
        }
        self.note_elements(builtin, simple, &args);
        let operands = args.get(1..).unwrap_or_default();
        let flow = match builtin.run {
            Run::Plain(run) => run(self, operands),
            Run::Eager(now, _) => match now(self, operands) {
                Some(flow) => flow,
                None => return Now::Run(args),
            },
            Run::Waiting(_) => return Now::Run(args),
        };
        let flow = self.settle_plain(builtin.name, flow);
        let flow = self.end_if_misused(builtin, flow);
        self.remember_last_argument(&args);
        self.recycle(&mut args);
        self.spare_args = args;
        if self.pending.is_empty() {
            Now::Done(flow)
        } else {
            Now::Flush(flow)
        }
    }

    /// Expands pure words; an assignment of a declaration is one argument.
    fn expand_words_now(&mut self, simple: &Simple, args: &mut Vec<Vec<u8>>) -> Result<(), Failure<Divert>> {
        for word in &simple.words {
            match (word.assign.as_deref(), args.first()) {
                (Some(assign), Some(name)) if self.builtin_of(simple, name).is_some() => {
                    let argument = self.declaration_argument_now(assign)?;
                    args.push(argument);
                }
                _ => word::fields_now(self, word, args)?,
            }
        }
        Ok(())
    }

    /// What a plain builtin printed is written as far as that is possible, and its status noted.
    fn settle_plain(&mut self, name: &'static str, mut flow: Flow) -> Flow {
        if !self.pending.is_empty() {
            self.flush_now()?;
        }
        if let Ok(status) = &mut flow {
            *status = self.settle_write(name.as_bytes(), *status);
            self.status = *status;
            self.set_pipe_status(*status);
        }
        flow
    }

    /// `PIPESTATUS` of a single command.
    #[inline]
    pub(super) fn set_pipe_status(&mut self, status: i32) {
        if let [only] = self.pipe_status.as_mut_slice() {
            *only = status;
        } else {
            self.pipe_status = vec![status];
        }
    }

    fn assign_now(&mut self, simple: &Simple) -> Flow {
        for assign in &simple.assigns {
            if let Err(failure) = self.assign_pure(assign) {
                return Err(self.fail_assignment(failure));
            }
        }
        self.last_argument.clear();
        self.status = 0;
        self.set_pipe_status(0);
        Ok(0)
    }

    fn remember_last_argument(&mut self, args: &[Vec<u8>]) {
        if let Some(last) = args.last() {
            self.last_argument.clear();
            self.last_argument.extend_from_slice(last);
        }
    }

    /// The whole way, for what may wait.
    pub(super) async fn simple(&mut self, simple: &Simple) -> Flow {
        self.at_line(simple.line);
        if !std::mem::take(&mut self.debugged) && self.has_trap(TrapKey::Debug) {
            let text = || crate::syntax::print::print_simple(simple);
            if self.debug_trap(simple.line, text).await? {
                return Ok(0);
            }
        } else if self.noting {
            self.note_command(|| crate::syntax::print::print_simple(simple));
        }
        if self.options.is(Set::Keyword)
            && let Some(moved) = keywords_in_front(simple)
        {
            return Box::pin(self.simple(&moved)).await;
        }
        self.prepare_trace().await?;
        self.substitution_status = None;
        let first_fd = self.process_fds.len();
        let mut args = Vec::with_capacity(simple.words.len());
        if let Err(failure) = self.expand_words(&simple.words, &mut args).await {
            self.close_process_fds(first_fd);
            let divert = self.fail_expansion(failure);
            self.flush().await?;
            return Err(divert);
        }
        let flow = self.simple_expanded(simple, args).await;
        self.close_process_fds(first_fd);
        flow
    }

    /// Expands the words of a command; a declaration's assignments become one argument each.
    async fn expand_words(&mut self, words: &[Word], args: &mut Vec<Vec<u8>>) -> Result<(), Failure<Divert>> {
        self.declared.clear();
        for word in words {
            if let Some(assign) = &word.assign
                && args.first().and_then(|name| self.find_builtin(name)).is_some()
            {
                if word.braces {
                    for word in word::braced(self, word)? {
                        let Some(assign) = &word.assign else { continue };
                        let argument = self.declaration_argument(assign, args).await?;
                        args.push(argument);
                    }
                    continue;
                }
                let argument = self.declaration_argument(assign, args).await?;
                args.push(argument);
                continue;
            }
            word::fields(self, std::slice::from_ref(word), args).await?;
        }
        Ok(())
    }

    /// The command's words are expanded: redirect, assign, run.
    pub(super) async fn simple_expanded(&mut self, simple: &Simple, args: Vec<Vec<u8>>) -> Flow {
        let first_fd = self.process_fds.len();
        self.words_outside = false;
        let flow = if args.is_empty() {
            self.last_argument.clear();
            self.run_without_name(simple).await
        } else {
            let last = self.last_of(&args);
            let flow = self.run_named(simple, args).await;
            self.last_argument = last;
            flow
        };
        self.close_process_fds(first_fd);
        self.flush().await?;
        match flow {
            Ok(status) => {
                self.status = status;
                self.set_pipe_status(status);
                Ok(status)
            }
            Err(divert) => Err(divert),
        }
    }

    /// What `$_` will be: the last argument, or the name of a list that is declared.
    fn last_of(&self, args: &[Vec<u8>]) -> Vec<u8> {
        let last = args.last().cloned().unwrap_or_default();
        match self.declared.iter().find(|list| list.argument == last) {
            Some(list) => list.name.clone(),
            None => last,
        }
    }

    /// Assignments and redirections only.
    async fn run_without_name(&mut self, simple: &Simple) -> Flow {
        let redirected = self.redirect(&simple.redirects).await;
        let status = match redirected {
            Ok(saved) => {
                self.restore(saved);
                None
            }
            // The assignments are done all the same.
            Err(failed) => Some(failed.flow()?),
        };
        for assign in &simple.assigns {
            if let Err(failure) = self.assign(assign).await {
                return Err(self.fail_assignment(failure));
            }
        }
        let substituted = self.substitution_status.take().unwrap_or(0);
        Ok(status.unwrap_or(substituted))
    }

    async fn run_named(&mut self, simple: &Simple, args: Vec<Vec<u8>>) -> Flow {
        if simple.assigns.is_empty() {
            return self.run_traced(simple, args).await;
        }
        let name = args.first().map(Vec::as_slice).unwrap_or_default();
        let special = self.find_builtin(name).is_some_and(Builtin::is_special);
        if special && self.options.is(Set::Posix) {
            if let Err(failure) = self.assign_temporary(&simple.assigns, true).await {
                return Err(self.fail_assignment(failure));
            }
            return self.run_traced(simple, args).await;
        }
        self.vars.push_scope(true);
        let assigned = self.assign_temporary(&simple.assigns, false).await;
        let flow = match assigned {
            Ok(()) => self.run_traced(simple, args).await,
            Err(failure) => Err(self.fail_expansion(failure)),
        };
        self.vars.pop_scope();
        self.forget_ifs();
        flow
    }

    /// The command's own variables are set.
    async fn run_traced(&mut self, simple: &Simple, args: Vec<Vec<u8>>) -> Flow {
        if self.options.is(Set::Xtrace) {
            self.trace_command(&args).await?;
        }
        let tail = std::mem::take(&mut self.tail);
        let name = args.first().map(Vec::as_slice).unwrap_or_default();
        let builtin = self.find_builtin(name);
        let special = builtin.is_some_and(Builtin::is_special);
        if special && self.options.is(Set::Posix) {
            return Box::pin(self.run_builtin(simple, builtin, args)).await;
        }
        if name.first() == Some(&b'%')
            && !self.detached
            && let Some(Run::Waiting(run)) = self.find_builtin(b"fg").map(|builtin| builtin.run)
        {
            // A job's name as a command brings it to the foreground.
            return run(self, args).await;
        }
        if let Some(entry) = self.functions.get(name).cloned() {
            return self.run_function(simple, entry, args).await;
        }
        if builtin.is_some() {
            return Box::pin(self.run_builtin(simple, builtin, args)).await;
        }
        self.tail = tail;
        Box::pin(self.run_external(simple, args)).await
    }

    async fn run_builtin(
        &mut self,
        simple: &Simple,
        builtin: Option<&'static Builtin>,
        args: Vec<Vec<u8>>,
    ) -> Flow {
        let Some(builtin) = builtin else { return Ok(127) };
        let keep = std::mem::take(&mut self.keep_redirects);
        self.keep_redirects = builtin.name == "exec";
        let redirected = self.redirect_aside(simple).await;
        let permanent = std::mem::replace(&mut self.keep_redirects, keep);
        let saved = match redirected {
            Ok(saved) => saved,
            Err(failed) => {
                let fatal = builtin.is_special() && self.options.is(Set::Posix) && !self.is_interactive();
                return if fatal {
                    Err(Divert::Exit(1))
                } else {
                    failed.flow()
                };
            }
        };
        self.note_elements(builtin, simple, &args);
        let mut args = args;
        args.remove(0);
        let text = self.command_text.clone();
        let flow = match builtin.run {
            Run::Plain(run) => run(self, &args),
            Run::Waiting(run) | Run::Eager(_, run) => run(self, args).await,
        };
        if self.noting && self.trap.is_none() && matches!(builtin.name, "eval" | "." | "source") {
            self.command_text = text;
        }
        let flushed = self.flush().await;
        let flow = flow.map(|status| self.settle_write(builtin.name.as_bytes(), status));
        self.flush().await?;
        // `exec` without a command keeps its redirections.
        if permanent && flow.is_ok() {
            drop(saved);
        } else {
            self.restore(saved);
        }
        flushed?;
        self.end_if_misused(builtin, flow)
    }

    /// Notes which operands of `unset` were written as elements of arrays, outside of quotes.
    #[inline]
    fn note_elements(&mut self, builtin: &Builtin, simple: &Simple, args: &[Vec<u8>]) {
        if builtin.name != "unset" {
            return;
        }
        self.written_elements.clear();
        if simple.words.len() == args.len() {
            let written = simple.words.iter().zip(args);
            let written = written.filter(|(word, _)| is_written_element(word));
            self.written_elements.extend(written.map(|(_, arg)| arg.clone()));
        }
    }

    /// A special builtin that fails may end a shell in POSIX mode.
    fn end_if_misused(&mut self, builtin: &Builtin, flow: Flow) -> Flow {
        let grave = match std::mem::take(&mut self.misuse) {
            Misuse::None => false,
            Misuse::Usage => !self.context.unchecked,
            Misuse::Failure => true,
        };
        let ends = grave && builtin.is_special() && self.options.is(Set::Posix) && !self.is_interactive();
        match flow {
            Ok(status) if ends => Err(Divert::Exit(status)),
            flow => flow,
        }
    }

    /// Redirections do not see the variables of their own command.
    pub(super) async fn redirect_aside(&mut self, simple: &Simple) -> Result<Saved, Failed> {
        if simple.assigns.is_empty() || simple.redirects.is_empty() || !self.vars.in_temporary() {
            return self.redirect(&simple.redirects).await;
        }
        let lifted = self.vars.lift_scope();
        let redirected = self.redirect(&simple.redirects).await;
        self.vars.lay_scope(lifted);
        self.forget_ifs();
        redirected
    }

    /// Runs words as a simple command: nothing is expanded.
    pub async fn run_words(&mut self, args: Vec<Vec<u8>>) -> Flow {
        self.run_named(&Simple::default(), args).await
    }

    /// `command NAME` and `builtin NAME`: no function is looked at.
    pub async fn run_unshadowed(&mut self, args: Vec<Vec<u8>>, only_builtins: bool) -> Flow {
        let name = args.first().cloned().unwrap_or_default();
        if let Some(builtin) = self.find_builtin(&name) {
            let mut args = args;
            args.remove(0);
            let flow = match builtin.run {
                Run::Plain(run) => run(self, &args),
                Run::Waiting(run) | Run::Eager(_, run) => run(self, args).await,
            };
            self.flush().await?;
            return flow.map(|status| self.settle_write(builtin.name.as_bytes(), status));
        }
        if only_builtins {
            self.error([b"builtin: ", name.as_slice(), b": not a shell builtin"].concat());
            return Ok(1);
        }
        self.run_external(&Simple::default(), args).await
    }

    /// The word is a name that stands for itself.
    pub(super) fn literal_name(word: &Word) -> Option<&[u8]> {
        match word.parts.as_slice() {
            [Part::Literal(text)] => Some(text),
            _ => None,
        }
    }

    /// Expands a word to one string.
    pub(super) async fn expand_single(&mut self, word: &Word) -> Flow<Vec<u8>> {
        match word::text(self, word, Mode::Single).await {
            Ok(text) => Ok(text),
            Err(failure) => Err(self.fail_expansion(failure)),
        }
    }
}

/// `set -k`: assignments among the arguments stand before the command.
fn keywords_in_front(simple: &Simple) -> Option<Simple> {
    if !simple.words.iter().any(|word| keyword(word).is_some()) {
        return None;
    }
    let mut moved = simple.clone();
    moved.assigns.extend(simple.words.iter().filter_map(keyword));
    moved.words.retain(|word| keyword(word).is_none());
    Some(moved)
}

/// The word read as an assignment.
fn keyword(word: &Word) -> Option<Assign> {
    if let Some(assign) = &word.assign {
        return Some(Assign::clone(assign));
    }
    let (Part::Literal(text), rest) = word.parts.split_first()? else {
        return None;
    };
    let equals = memchr::memchr(b'=', text)?;
    let (name, value) = text.split_at(equals);
    let (name, append) = match name.strip_suffix(b"+") {
        Some(name) => (name, true),
        None => (name, false),
    };
    if !word::is_name(name) {
        return None;
    }
    let first = value.get(1..).filter(|first| !first.is_empty());
    let first = first.map(|first| Part::Literal(first.into()));
    let value = Word {
        parts: first.into_iter().chain(rest.iter().cloned()).collect(),
        pure: word.pure,
        ..Word::default()
    };
    Some(Assign {
        name: name.into(),
        subscript: None,
        append,
        value: AssignValue::Scalar(value),
    })
}

/// The assignment needs more than one plain string.
fn is_complex(assign: &Assign) -> bool {
    assign.subscript.is_some() || !matches!(assign.value, AssignValue::Scalar(_))
}

/// Places in the table of builtins by name. There is one table in a process.
fn index_of(builtins: &'static [Builtin]) -> &'static FxHashMap<&'static [u8], usize> {
    static INDEX: OnceLock<FxHashMap<&'static [u8], usize>> = OnceLock::new();
    INDEX.get_or_init(|| {
        builtins
            .iter()
            .enumerate()
            .map(|(i, builtin)| (builtin.name.as_bytes(), i))
            .collect()
    })
}

/// The word is `name[…]` as it is written.
fn is_written_element(word: &Word) -> bool {
    match (word.parts.first(), word.parts.last()) {
        (Some(Part::Literal(first)), Some(Part::Literal(last))) => {
            let name = memchr::memchr(b'[', first).and_then(|open| first.get(..open));
            name.is_some_and(word::is_name) && last.ends_with(b"]")
        }
        _ => false,
    }
}

/// The word is a lone `-`.
pub(super) fn is_dash(word: &Word) -> bool {
    Interp::literal_name(word) == Some(b"-")
}
