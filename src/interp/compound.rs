//! Compound commands.

use std::sync::Arc;

use super::xtrace::{arith_text, head_text};
use super::{Divert, Flow, Interp, Set, Shopt, TrapKey};
use crate::expand::{ExpandHost, Mode, word};
use crate::kernel::{BoxFuture, Halt, cost};
use crate::pattern::PatternOptions;
use crate::syntax::ast::{Arith, CaseEnd, CaseItem, Compound, CompoundKind, List, Name, Word};
use crate::text::columns::{Item, select_menu};
use crate::text::utf8;

/// What a loop does after its body diverted.
pub(super) enum Turn {
    Next,
    Stop,
    Leave(Divert),
}

impl Interp {
    /// `(( … ))` and `[[ … ]]` whose words run nothing: at once.
    pub(super) fn compound_now(&mut self, compound: &Compound) -> Option<Flow> {
        if !compound.redirects.is_empty() || self.noting || self.options.is(Set::Xtrace) {
            return None;
        }
        match &compound.kind {
            CompoundKind::Arith(arith) if arith.text.pure => {
                self.at_line(compound.line);
                let value = word::arithmetic_now(self, arith);
                Some(self.arithmetic_status(value))
            }
            CompoundKind::Cond(cond) if super::cond::is_pure(cond) => {
                self.at_line(compound.line);
                Some(self.cond_now(cond))
            }
            _ => None,
        }
    }

    /// Runs a compound command on the heap.
    pub(super) fn compound_boxed<'a>(&'a mut self, compound: &'a Arc<Compound>) -> BoxFuture<'a, Flow> {
        Box::pin(async move {
            if self.enter()? {
                let compound = Arc::clone(compound);
                let flow = self
                    .on_new_task(move |interp| Box::pin(async move { interp.redirected(&compound).await }))
                    .await;
                self.leave();
                return flow;
            }
            let flow = self.redirected(compound).await;
            self.leave();
            flow
        })
    }

    async fn redirected(&mut self, compound: &Arc<Compound>) -> Flow {
        if compound.redirects.is_empty() {
            return self.compound(compound).await;
        }
        Box::pin(self.with_redirects(compound)).await
    }

    async fn with_redirects(&mut self, compound: &Arc<Compound>) -> Flow {
        let first_fd = self.process_fds.len();
        self.at_line(compound.line);
        let saved = match self.redirect(&compound.redirects).await {
            Ok(saved) => saved,
            Err(failed) => {
                self.flush().await?;
                let status = failed.flow()?;
                self.status = status;
                self.set_pipe_status(status);
                return if self.context.unchecked {
                    Ok(status)
                } else {
                    self.command_failed(status).await
                };
            }
        };
        let flow = if self.runs_now(compound) {
            self.compound_or_wait(compound).await
        } else {
            self.compound(compound).await
        };
        let flushed = self.flush().await;
        self.restore(saved);
        self.close_process_fds(first_fd);
        flushed?;
        flow
    }

    async fn compound(&mut self, compound: &Compound) -> Flow {
        self.at_line(compound.line);
        let status = match &compound.kind {
            CompoundKind::Group(list) => self.list(list).await?,
            CompoundKind::Subshell(list) => {
                if self.noting {
                    self.note_command(|| crate::syntax::print::print_compound(compound));
                }
                return Box::pin(self.subshell(list)).await;
            }
            CompoundKind::If { branches, otherwise } => self.run_if(branches, otherwise.as_ref()).await?,
            CompoundKind::While {
                until,
                condition,
                body,
            } => Box::pin(self.run_while(*until, condition, body)).await?,
            CompoundKind::For { name, words, body } => {
                Box::pin(self.run_for(compound.line, name, words.as_deref(), body)).await?
            }
            CompoundKind::Select { name, words, body } => {
                Box::pin(self.run_select(compound.line, name, words.as_deref(), body)).await?
            }
            CompoundKind::ArithFor {
                init,
                condition,
                update,
                body,
            } => Box::pin(self.run_arith_for(compound.line, init, condition, update, body)).await?,
            CompoundKind::Case { word, items } => self.run_case(compound.line, word, items).await?,
            CompoundKind::Arith(arith) => {
                let text = || crate::syntax::print::print_compound(compound);
                if self.debug_trap(compound.line, text).await? {
                    return Ok(0);
                }
                self.trace_arithmetic(arith).await?;
                let value = Box::pin(word::arithmetic(self, arith)).await;
                let flow = self.arithmetic_status(value);
                self.flush().await?;
                flow?
            }
            CompoundKind::Cond(cond) => {
                let text = || crate::syntax::print::print_compound(compound);
                if self.debug_trap(compound.line, text).await? {
                    return Ok(0);
                }
                let flow = Box::pin(self.cond(cond)).await;
                self.flush().await?;
                flow?
            }
        };
        self.status = status;
        Ok(status)
    }

    /// Before a command: the DEBUG trap. `true`: under `extdebug` it asks to leave the command out.
    pub(super) async fn debug_trap(&mut self, line: u32, text: impl FnOnce() -> Vec<u8>) -> Flow<bool> {
        if !self.has_trap(TrapKey::Debug) {
            if self.noting {
                self.note_command(text);
            }
            return Ok(false);
        }
        self.note_command(text);
        let status = self.run_trap(TrapKey::Debug).await?;
        self.at_line(line);
        if status == 0 || !self.options.shopt(Shopt::Extdebug) {
            return Ok(false);
        }
        if status == 2 && self.can_return() {
            return Err(Divert::Return(2));
        }
        Ok(true)
    }

    fn arithmetic_status(&mut self, value: Result<i64, super::ExpandFailure>) -> Flow {
        let status = match value {
            Ok(value) => i32::from(value == 0),
            Err(super::ExpandFailure::Arith(message)) => {
                self.error([b"((: ".as_slice(), &message].concat());
                1
            }
            Err(super::ExpandFailure::Discard(message)) => {
                self.error(message);
                1
            }
            Err(failure) => return Err(self.fail_expansion(failure)),
        };
        self.status = status;
        self.set_pipe_status(status);
        Ok(status)
    }

    async fn run_if(&mut self, branches: &[(List, List)], otherwise: Option<&List>) -> Flow {
        for (condition, body) in branches {
            if self.condition(condition).await? == 0 {
                return self.list(body).await;
            }
        }
        match otherwise {
            Some(body) => self.list(body).await,
            None => {
                self.status = 0;
                Ok(0)
            }
        }
    }

    /// What a body's outcome means for its loop.
    pub(super) fn turn(&self, flow: Flow, status: &mut i32) -> Turn {
        let last = self.status;
        match flow {
            Ok(last) => {
                *status = last;
                Turn::Next
            }
            Err(Divert::Break(1)) => {
                *status = last;
                Turn::Stop
            }
            Err(Divert::Continue(1)) => {
                *status = last;
                Turn::Next
            }
            Err(Divert::Break(levels)) => Turn::Leave(Divert::Break(levels - 1)),
            Err(Divert::Continue(levels)) => Turn::Leave(Divert::Continue(levels - 1)),
            Err(divert) => Turn::Leave(divert),
        }
    }

    async fn run_while(&mut self, until: bool, condition: &List, body: &List) -> Flow {
        let mut status = 0;
        self.context.loops += 1;
        let divert = loop {
            match self.condition(condition).await {
                Ok(answer) if (answer == 0) == until => break None,
                Ok(_) => {}
                // It succeeds, which ends `until`.
                Err(Divert::Continue(1)) if until => break None,
                Err(divert) => match self.turn(Err(divert), &mut status) {
                    Turn::Next => continue,
                    Turn::Stop => break None,
                    Turn::Leave(divert) => break Some(divert),
                },
            }
            let flow = self.list(body).await;
            match self.turn(flow, &mut status) {
                Turn::Next => {}
                Turn::Stop => break None,
                Turn::Leave(divert) => break Some(divert),
            }
        };
        self.end_loop(status, divert)
    }

    pub(super) fn end_loop(&mut self, status: i32, divert: Option<Divert>) -> Flow {
        self.context.loops = self.context.loops.saturating_sub(1);
        self.status = status;
        match divert {
            Some(divert) => Err(divert),
            None => Ok(status),
        }
    }

    /// The words of `for` and `select`.
    async fn loop_words(&mut self, words: Option<&[Word]>) -> Flow<Vec<Vec<u8>>> {
        let Some(words) = words else {
            return Ok(self.positional.iter().map(|text| text.to_vec()).collect());
        };
        let mut fields = Vec::new();
        match word::fields(self, words, &mut fields).await {
            Ok(()) => Ok(fields),
            Err(failure) => Err(self.fail_expansion(failure)),
        }
    }

    async fn run_for(&mut self, line: u32, name: &Name, words: Option<&[Word]>, body: &List) -> Flow {
        if !word::is_name(name) {
            let flow = self.bad_loop_name(name);
            self.flush().await?;
            return flow;
        }
        let fields = self.loop_words(words).await?;
        self.flush().await?;
        let mut status = 0;
        self.context.loops += 1;
        let mut left = None;
        for field in &fields {
            self.at_line(line);
            if self.options.is(Set::Xtrace) {
                self.trace_head(head_text(b"for", name, words)).await?;
            }
            let skipped = self.debug_trap(line, || head_text(b"for", name, words)).await;
            let flow = match skipped {
                Ok(true) => continue,
                Ok(false) => match self.set_loop_variable(name, field) {
                    Ok(()) => self.list(body).await,
                    Err(failure) => match self.fail_assignment(failure) {
                        Divert::Discard(_) => {
                            self.flush().await?;
                            status = 1;
                            break;
                        }
                        divert => Err(divert),
                    },
                },
                Err(divert) => Err(divert),
            };
            match self.turn(flow, &mut status) {
                Turn::Next => {}
                Turn::Stop => break,
                Turn::Leave(divert) => {
                    left = Some(divert);
                    break;
                }
            }
        }
        self.end_loop(status, left)
    }

    /// A nameref as loop variable is pointed at each word in turn.
    pub(super) fn set_loop_variable(
        &mut self,
        name: &[u8],
        field: &[u8],
    ) -> Result<(), super::ExpandFailure> {
        let is_reference = self
            .vars
            .get(name)
            .is_some_and(|variable| variable.attributes.has(crate::expand::Attributes::NAMEREF));
        if is_reference {
            self.check_writable(name)?;
            self.vars.set_raw(name, field.to_vec());
            return Ok(());
        }
        self.assign_element(name, None, field, false)
    }

    async fn run_arith_for(
        &mut self,
        line: u32,
        init: &Arith,
        condition: &Arith,
        update: &Arith,
        body: &List,
    ) -> Flow {
        let mut status = 0;
        if self.arith_step(line, init).await?.is_none() {
            return Ok(1);
        }
        self.context.loops += 1;
        let divert = loop {
            if !self.passes_unseen(condition) {
                match self.arith_step(line, condition).await {
                    Ok(Some(0)) => break None,
                    Ok(Some(_)) => {}
                    Ok(None) => {
                        status = 1;
                        break None;
                    }
                    Err(divert) => break Some(divert),
                }
            }
            let flow = self.list(body).await;
            match self.turn(flow, &mut status) {
                Turn::Next => {}
                Turn::Stop => break None,
                Turn::Leave(divert) => break Some(divert),
            }
            match self.arith_step(line, update).await {
                Ok(Some(_)) => {}
                Ok(None) => {
                    status = 1;
                    break None;
                }
                Err(divert) => break Some(divert),
            }
            self.proc.kernel.meter().charge(cost::STATEMENT)?;
            self.proc.kernel.breathe().await;
        };
        self.end_loop(status, divert)
    }

    /// Evaluates one of the three expressions; `None` after an error, which is said.
    async fn arith_step(&mut self, line: u32, arith: &Arith) -> Flow<Option<i64>> {
        if self.passes_unseen(arith) {
            return Ok(Some(1));
        }
        self.at_line(line);
        let text = || [b"((".as_slice(), &arith_text(arith), b"))"].concat();
        if self.debug_trap(line, text).await? {
            return Ok(Some(0));
        }
        self.trace_arithmetic(arith).await?;
        if super::assign::is_empty(&arith.text) {
            return Ok(Some(1));
        }
        let value = if arith.text.pure {
            word::arithmetic_now(self, arith)
        } else {
            Box::pin(word::arithmetic(self, arith)).await
        };
        match value {
            Ok(value) => Ok(Some(value)),
            Err(super::ExpandFailure::Arith(message)) => {
                self.error([b"((: ".as_slice(), &message].concat());
                self.flush().await?;
                Ok(None)
            }
            Err(super::ExpandFailure::Discard(message)) => {
                self.error(message);
                self.flush().await?;
                Ok(None)
            }
            Err(failure) => Err(self.fail_expansion(failure)),
        }
    }

    /// An expression that is not there: true, and seen only by a trace or the DEBUG trap.
    fn passes_unseen(&self, arith: &Arith) -> bool {
        super::assign::is_empty(&arith.text)
            && !self.options.is(Set::Xtrace)
            && !self.has_trap(TrapKey::Debug)
    }

    async fn run_case(&mut self, line: u32, word: &Word, items: &[CaseItem]) -> Flow {
        if self.options.is(Set::Xtrace) {
            self.trace_case(word).await?;
        }
        let text = || {
            [
                b"case ".as_slice(),
                &crate::syntax::print::print_word(word),
                b" in ",
            ]
            .concat()
        };
        if self.debug_trap(line, text).await? {
            return Ok(0);
        }
        let subject = self.expand_single(word).await?;
        self.flush().await?;
        let mut status = 0;
        let mut fall_through = false;
        for item in items {
            if !fall_through && !self.any_matches(&subject, &item.patterns).await? {
                continue;
            }
            status = if item.body.items.is_empty() {
                0
            } else {
                self.list(&item.body).await?
            };
            match item.end {
                CaseEnd::Break => return Ok(status),
                CaseEnd::FallThrough => fall_through = true,
                CaseEnd::Continue => fall_through = false,
            }
        }
        self.status = status;
        Ok(status)
    }

    async fn any_matches(&mut self, subject: &[u8], patterns: &[Word]) -> Flow<bool> {
        for pattern in patterns {
            if pattern.pure {
                if self.matches_now(subject, pattern)? {
                    return Ok(true);
                }
                continue;
            }
            let text = match word::text(self, pattern, Mode::Pattern).await {
                Ok(text) => text,
                Err(failure) => return Err(self.fail_expansion(failure)),
            };
            if self.matches_pattern(subject, &text, self.options.shopt(Shopt::Extglob))? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Matches a text as `case` and `[[` do, in any case of letters by the option `nocasematch`. `extglob`: extended patterns are on.
    pub(super) fn matches_pattern(
        &mut self,
        subject: &[u8],
        pattern: &[u8],
        extglob: bool,
    ) -> Result<bool, Halt> {
        let meter = self.proc.kernel.meter();
        meter.charge(subject.len() as u64 / 16 + cost::MATCH)?;
        let options = PatternOptions {
            extglob,
            nocase: self.options.shopt(Shopt::Nocasematch),
            ..PatternOptions::default()
        };
        Ok(ExpandHost::compile(self, pattern, options).matches(subject))
    }

    async fn run_select(&mut self, line: u32, name: &Name, words: Option<&[Word]>, body: &List) -> Flow {
        if self.options.is(Set::Xtrace) {
            self.trace_head(head_text(b"select", name, words)).await?;
        }
        if self
            .debug_trap(line, || head_text(b"select", name, words))
            .await?
        {
            return Ok(0);
        }
        let items = self.loop_words(words).await?;
        if items.is_empty() {
            return Ok(0);
        }
        let mut status = 0;
        self.context.loops += 1;
        let mut show_menu = true;
        let divert = loop {
            if show_menu {
                let columns = self
                    .scalar(b"COLUMNS")
                    .and_then(|text| crate::expand::arith::plain_number(&text));
                let shown: Vec<Item> = items
                    .iter()
                    .map(|text| Item {
                        text: text.clone(),
                        width: utf8::width(text),
                    })
                    .collect();
                let menu = select_menu(&shown, columns.unwrap_or(80) as usize);
                self.print_error(menu);
            }
            let prompt = self.scalar(b"PS3").unwrap_or_else(|| b"#? ".to_vec());
            self.print_error(prompt);
            self.flush().await?;
            let Some(line) = self.read_line_raw().await? else {
                self.vars.set_raw(b"REPLY", b"".as_slice());
                self.print(b"\n");
                self.flush().await?;
                status = 1;
                break None;
            };
            self.vars.set_raw(b"REPLY", line.clone());
            show_menu = line.is_empty();
            if show_menu {
                continue;
            }
            let index = std::str::from_utf8(line.trim_ascii())
                .ok()
                .and_then(|text| text.parse::<i64>().ok());
            let chosen = index
                .and_then(|index| usize::try_from(index).ok())
                .and_then(|index| items.get(index.wrapping_sub(1)));
            let chosen = chosen.cloned().unwrap_or_default();
            if let Err(failure) = self.assign_element(name, None, &chosen, false) {
                status = 1;
                match self.fail_assignment(failure) {
                    Divert::Discard(_) => break None,
                    divert => break Some(divert),
                }
            }
            let flow = self.list(body).await;
            match self.turn(flow, &mut status) {
                Turn::Next => {}
                Turn::Stop => break None,
                Turn::Leave(divert) => break Some(divert),
            }
        };
        self.end_loop(status, divert)
    }

    /// One line of standard input, backslashes handled as `read` does; `None` at the end.
    async fn read_line_raw(&mut self) -> Flow<Option<Vec<u8>>> {
        let Ok(file) = self.proc.stdin() else {
            return Ok(None);
        };
        let mut line = Vec::new();
        let count = file.read_until(&mut line, b'\n', 1 << 20).await.unwrap_or(0);
        if line.last() == Some(&b'\n') {
            line.pop();
        }
        Ok((count > 0).then_some(line))
    }
}
