//! The synchronous path: lists, compound commands and function calls as plain functions, for as long as nothing has to wait.
//!
//! A state machine costs several times what a call does, so what need not wait runs here. Where something must (a program, a
//! substitution, a full pipe, a slice that is used up), the plain functions return: each leaves behind where it stood as a [`Level`], innermost
//! first. [`Interp::go_on`] awaits what they stopped at, and then takes the levels up again from the innermost on. So nothing is
//! run twice, and nothing has to be known beforehand.
//!
//! The coroutines in `list`, `compound` and `function` do the same with everything that this path leaves out: redirections, traces,
//! traps on commands, substitutions. Both are told apart a command at a time.

use std::sync::Arc;

use super::function::{Call, returned};
use super::list::{Now, fails_by_itself};
use super::{Divert, Flow, Interp, Leaving, Set, TrapKey};
use crate::kernel::{BoxFuture, cost};
use crate::syntax::ast::{AndOr, Command, Compound, CompoundKind, Connector, List, Pipeline};

/// Why the synchronous path stopped.
#[derive(Debug, Clone)]
pub(super) enum Wait {
    /// The item of the list runs elsewhere, as a whole.
    Item,
    /// The pipeline runs elsewhere.
    Pipeline,
    /// So does a simple command whose words are expanded.
    Command(Vec<Vec<u8>>),
    /// What was printed must be written; this is the outcome of what printed it.
    Flush(Flow),
    /// Others run first, and traps of signals that came.
    Breathe,
}

/// A construct that stopped, and will go on.
#[derive(Debug, Clone)]
pub(super) enum Level {
    /// A compound command.
    Compound(Box<Stopped>),
    /// A function.
    Function(Box<Call>),
}

/// A compound command that stopped.
#[derive(Debug, Clone)]
pub(super) struct Stopped {
    compound: Arc<Compound>,
    state: State,
    /// [`super::Context::unchecked`] around it.
    unchecked: bool,
}

/// Where a compound command stands.
#[derive(Debug, Clone, Default)]
pub(super) struct State {
    /// The list that runs, by its number in [`list_of`].
    pub(super) list: usize,
    at: Place,
    /// The status of a loop so far.
    pub(super) status: i32,
    /// The words of `for`; the word of `case`.
    pub(super) fields: Vec<Vec<u8>>,
    /// The next of them.
    pub(super) next: usize,
}

/// A pipeline of a list.
#[derive(Debug, Clone, Copy, Default)]
struct Place {
    item: usize,
    link: usize,
}

/// What a compound command does next.
pub(super) enum Next {
    /// Run this list of it.
    List(usize),
    /// It is over.
    End(Flow),
}

/// A list of a compound command: conditions have even numbers and bodies odd ones, but where there are no conditions.
fn list_of(compound: &Compound, index: usize) -> Option<&List> {
    match &compound.kind {
        CompoundKind::Group(list) => Some(list),
        CompoundKind::If { branches, otherwise } => match branches.get(index / 2) {
            Some((condition, _)) if index.is_multiple_of(2) => Some(condition),
            Some((_, body)) => Some(body),
            None => otherwise.as_ref(),
        },
        CompoundKind::While { condition, .. } if index == 0 => Some(condition),
        CompoundKind::While { body, .. }
        | CompoundKind::For { body, .. }
        | CompoundKind::ArithFor { body, .. } => Some(body),
        CompoundKind::Case { items, .. } => items.get(index).map(|item| &item.body),
        _ => None,
    }
}

/// The list is a condition: its failures do not count.
fn is_condition(compound: &Compound, index: usize) -> bool {
    match &compound.kind {
        CompoundKind::While { .. } => index == 0,
        CompoundKind::If { branches, .. } => index.is_multiple_of(2) && index / 2 < branches.len(),
        _ => false,
    }
}

fn pipeline_at(and_or: &AndOr, link: usize) -> Option<&Pipeline> {
    match link.checked_sub(1) {
        None => Some(&and_or.first),
        Some(index) => and_or.rest.get(index).map(|(_, pipeline)| pipeline),
    }
}

/// The pipeline that runs after the one at `link` ended with `status`.
fn next_link(and_or: &AndOr, link: usize, status: i32) -> Option<usize> {
    let rest = and_or.rest.get(link..)?;
    let skipped = rest
        .iter()
        .position(|(connector, _)| (*connector == Connector::And) == (status == 0))?;
    Some(link + skipped + 1)
}

impl Interp {
    /// Commands are noted or traced one by one, by the coroutines.
    #[inline]
    fn is_watched(&self) -> bool {
        self.noting || self.options.is(Set::Xtrace) || self.has_trap(TrapKey::Return)
    }

    #[inline]
    fn stop<T>(&mut self, wait: Wait) -> Option<T> {
        self.waiting = Some(wait);
        None
    }

    /// The kind of compound command that runs here.
    pub(super) fn runs_now(&self, compound: &Compound) -> bool {
        let kind = match &compound.kind {
            CompoundKind::Group(_) | CompoundKind::If { .. } | CompoundKind::While { .. } => true,
            CompoundKind::For { words, .. } => words.iter().flatten().all(|word| word.pure),
            CompoundKind::ArithFor {
                init,
                condition,
                update,
                ..
            } => init.text.pure && condition.text.pure && update.text.pure,
            CompoundKind::Case { word, items } => {
                word.pure && items.iter().flat_map(|item| &item.patterns).all(|word| word.pure)
            }
            _ => false,
        };
        kind && !self.hops_at(self.nest + 1) && !self.is_watched()
    }

    /// Runs a compound command whose redirections are made. `None`: it stopped; without a level, nothing has happened.
    pub(super) fn compound_at_once(&mut self, compound: &Arc<Compound>) -> Option<Flow> {
        if !self.runs_now(compound) {
            return self.stop(Wait::Pipeline);
        }
        self.nest += 1;
        self.at_line(compound.line);
        let unchecked = self.context.unchecked;
        let mut state = State::default();
        let next = self.begin(compound, &mut state);
        self.drive(compound, state, next, unchecked)
    }

    /// Runs a compound command that [`Interp::runs_now`], and waits where it must.
    pub(super) async fn compound_or_wait(&mut self, compound: &Arc<Compound>) -> Flow {
        match self.compound_at_once(compound) {
            Some(flow) if self.pending.is_empty() => flow,
            Some(flow) => self.flush().await.and(flow),
            None => self.go_on().await,
        }
    }

    /// Runs the lists of a compound command until it ends or stops.
    fn drive(
        &mut self,
        compound: &Arc<Compound>,
        mut state: State,
        mut next: Next,
        unchecked: bool,
    ) -> Option<Flow> {
        loop {
            match next {
                Next::End(flow) => {
                    self.nest = self.nest.saturating_sub(1);
                    if let Ok(status) = flow {
                        self.status = status;
                    }
                    return Some(flow);
                }
                Next::List(index) => {
                    state.list = index;
                    state.at = Place::default();
                }
            }
            match self.list_of_state(compound, &mut state) {
                Some(flow) => next = self.after_list(compound, &mut state, flow),
                None => {
                    self.keep_level(compound, state, unchecked);
                    return None;
                }
            }
        }
    }

    fn keep_level(&mut self, compound: &Arc<Compound>, state: State, unchecked: bool) {
        self.levels.push(Level::Compound(Box::new(Stopped {
            compound: Arc::clone(compound),
            state,
            unchecked,
        })));
    }

    /// Runs the list that is due, from where it stands.
    fn list_of_state(&mut self, compound: &Compound, state: &mut State) -> Option<Flow> {
        let Some(list) = list_of(compound, state.list) else {
            return Some(Ok(self.status));
        };
        let unchecked = self.context.unchecked;
        self.context.unchecked |= is_condition(compound, state.list);
        let flow = self.list_now(list, &mut state.at);
        self.context.unchecked = unchecked;
        flow
    }

    fn list_now(&mut self, list: &List, at: &mut Place) -> Option<Flow> {
        while let Some(item) = list.items.get(at.item) {
            if at.link == 0 && (item.background || self.options.is(Set::Noexec) || self.is_watched()) {
                if self.options.is(Set::Noexec) {
                    break;
                }
                return self.stop(Wait::Item);
            }
            if self.proc.kernel.meter().slice_spent() || self.proc.signals.is_pending() {
                return self.stop(Wait::Breathe);
            }
            if let Err(halt) = self.proc.kernel.meter().charge(cost::STATEMENT) {
                return Some(Err(halt.into()));
            }
            if let Err(divert) = self.and_or_now(&item.and_or, at)? {
                return Some(Err(divert));
            }
            at.item += 1;
            at.link = 0;
        }
        if self.proc.signals.is_pending() {
            return self.stop(Wait::Breathe);
        }
        Some(Ok(self.status))
    }

    fn and_or_now(&mut self, and_or: &AndOr, at: &mut Place) -> Option<Flow> {
        while let Some(pipeline) = pipeline_at(and_or, at.link) {
            let last = at.link == and_or.rest.len();
            let unchecked = self.context.unchecked;
            self.context.unchecked |= !last;
            let flow = self.pipeline_now(pipeline);
            self.context.unchecked = unchecked;
            let status = match flow? {
                Ok(status) => status,
                Err(divert) => return Some(Err(divert)),
            };
            if last {
                if status != 0 && !unchecked && !pipeline.negated && fails_by_itself(pipeline) {
                    // A trap that the command itself set is not for its own failure.
                    if self.options.is(Set::Errexit) {
                        self.leaving = Leaving::Frames;
                        return Some(Err(Divert::Exit(status)));
                    }
                }
                return Some(Ok(status));
            }
            match next_link(and_or, at.link, status) {
                Some(link) => at.link = link,
                None => return Some(Ok(status)),
            }
        }
        Some(Ok(self.status))
    }

    fn pipeline_now(&mut self, pipeline: &Pipeline) -> Option<Flow> {
        match pipeline.commands.as_slice() {
            [command] if pipeline.time.is_none() && !pipeline.negated => self.command_now(command),
            _ => self.stop(Wait::Pipeline),
        }
    }

    fn command_now(&mut self, command: &Command) -> Option<Flow> {
        match command {
            Command::Simple(simple) => match self.simple_now(simple) {
                Now::Done(flow) => Some(flow),
                Now::Flush(flow) => self.after_printing(flow),
                Now::Run(args) => self.call_now(args),
                Now::NotPure => self.stop(Wait::Pipeline),
            },
            Command::Compound(compound) => {
                if let Some(flow) = self.compound_now(compound) {
                    return Some(flow);
                }
                if !compound.redirects.is_empty() {
                    return self.stop(Wait::Pipeline);
                }
                let flow = self.compound_at_once(compound)?;
                self.after_printing(flow)
            }
            Command::Function(function) => Some(self.define_function(function)),
            Command::Coproc(_) => self.stop(Wait::Pipeline),
        }
    }

    /// Calls a function whose command has neither assignments nor redirections.
    fn call_now(&mut self, mut args: Vec<Vec<u8>>) -> Option<Flow> {
        let entry = match self
            .functions
            .get(args.first().map(Vec::as_slice).unwrap_or_default())
        {
            Some(entry) if entry.function.body.redirects.is_empty() => entry.clone(),
            _ => return self.stop(Wait::Command(args)),
        };
        let fits = !self.hops_at(self.nest + 1)
            && !self.hops_at(self.nest + 2)
            && !self.options.is(Set::Posix)
            && self.runs_now(&entry.function.body)
            && self.vars.get(b"FUNCNEST").is_none()
            && self.depth + 1 + self.proc.depth <= self.proc.kernel.meter().depth_limit();
        if !fits {
            return self.stop(Wait::Command(args));
        }
        self.tail = false;
        self.depth += 1;
        self.nest += 1;
        let call = self.begin_call(&entry, &args);
        self.recycle(&mut args);
        self.spare_args = args;
        let Some(flow) = self.compound_at_once(&entry.function.body) else {
            self.levels.push(Level::Function(Box::new(call)));
            return None;
        };
        if self.has_trap(TrapKey::Return) {
            self.levels.push(Level::Function(Box::new(call)));
            return self.stop(Wait::Flush(flow));
        }
        let flow = if self.leaves(flow) {
            flow
        } else {
            let flow = returned(flow);
            self.end_call(call, flow);
            flow
        };
        self.leave_call();
        self.end_command(flow)
    }

    /// A simple command has ended: its status is noted.
    fn end_command(&mut self, flow: Flow) -> Option<Flow> {
        if let Ok(status) = flow {
            self.status = status;
            self.set_pipe_status(status);
        }
        self.after_printing(flow)
    }

    /// A command has ended; what it printed is written, or must wait.
    fn after_printing(&mut self, flow: Flow) -> Option<Flow> {
        match self.flush_now() {
            Ok(true) => Some(flow),
            Ok(false) => self.stop(Wait::Flush(flow)),
            Err(divert) => Some(Err(divert)),
        }
    }

    /// Goes on where the synchronous path stopped, to the end of the outermost construct.
    pub(super) fn go_on(&mut self) -> BoxFuture<'_, Flow> {
        Box::pin(self.go_on_levels())
    }

    async fn go_on_levels(&mut self) -> Flow {
        let mut levels = Vec::new();
        loop {
            levels.extend(self.levels.drain(..).rev());
            let wait = self.waiting.take().unwrap_or(Wait::Breathe);
            let mut flow = match (levels.last_mut(), wait) {
                (Some(Level::Compound(stopped)), wait) => self.awaited(stopped, wait).await,
                (_, Wait::Flush(flow)) => Some(self.flush().await.and(flow)),
                _ => None,
            };
            loop {
                flow = match (levels.pop(), flow) {
                    (None, flow) => return flow.unwrap_or(Ok(self.status)),
                    (Some(Level::Function(call)), ended) => {
                        let ended = ended.unwrap_or(Ok(self.status));
                        let ended = self.end_awaited_call(*call, ended).await;
                        Some(self.checked_at(levels.last(), ended).await)
                    }
                    (Some(Level::Compound(stopped)), ended) => self.resume(*stopped, ended),
                };
                if flow.is_none() {
                    break;
                }
            }
        }
    }

    /// Takes a compound command up again. `ended`: what became of the pipeline where it stopped; `None`: that pipeline is still to start.
    fn resume(&mut self, stopped: Stopped, ended: Option<Flow>) -> Option<Flow> {
        let Stopped {
            compound,
            mut state,
            unchecked,
        } = stopped;
        self.context.unchecked = unchecked;
        let flow = match ended {
            Some(Err(divert)) => Some(Err(divert)),
            ended => {
                if let Some(Ok(status)) = ended {
                    advance(&compound, &mut state, status);
                }
                self.list_of_state(&compound, &mut state)
            }
        };
        match flow {
            Some(flow) => {
                let next = self.after_list(&compound, &mut state, flow);
                self.drive(&compound, state, next, unchecked)
            }
            None => {
                self.keep_level(&compound, state, unchecked);
                None
            }
        }
    }

    /// Awaits what a compound command stopped at. `None`: its pipeline is still to start.
    async fn awaited(&mut self, stopped: &mut Stopped, wait: Wait) -> Option<Flow> {
        if let Wait::Breathe = wait {
            return self.breathe().await.err().map(Err);
        }
        let compound = Arc::clone(&stopped.compound);
        let item = list_of(&compound, stopped.state.list)?
            .items
            .get(stopped.state.at.item)?;
        if let Wait::Item = wait {
            stopped.state.at.link = item.and_or.rest.len();
            self.context.unchecked = stopped.is_unchecked();
            return Some(self.item(item).await);
        }
        let pipeline = pipeline_at(&item.and_or, stopped.state.at.link)?;
        self.context.unchecked = stopped.is_unchecked();
        let trapped = self.has_trap(TrapKey::Err);
        let flow = match (wait, pipeline.commands.as_slice()) {
            (Wait::Flush(flow), _) => self.flush().await.and(flow),
            (Wait::Command(args), [Command::Simple(simple)]) => self.simple_expanded(simple, args).await,
            _ => self.pipeline(pipeline).await,
        };
        Some(self.checked(pipeline, flow, trapped).await)
    }

    async fn breathe(&mut self) -> Flow<()> {
        self.proc.kernel.breathe().await;
        if self.proc.signals.is_pending() {
            self.run_pending_traps().await?;
        }
        Ok(())
    }

    /// A function that is a pipeline of this level has ended: looks at its failure.
    async fn checked_at(&mut self, level: Option<&Level>, flow: Flow) -> Flow {
        let Some(Level::Compound(stopped)) = level else {
            return flow;
        };
        let compound = Arc::clone(&stopped.compound);
        let at = stopped.state.at;
        let item = list_of(&compound, stopped.state.list).and_then(|list| list.items.get(at.item));
        match item.and_then(|item| pipeline_at(&item.and_or, at.link)) {
            Some(pipeline) => {
                self.context.unchecked = stopped.is_unchecked();
                self.checked(pipeline, flow, false).await
            }
            None => flow,
        }
    }

    async fn end_awaited_call(&mut self, call: Call, flow: Flow) -> Flow {
        let flow = self.finish_call(call, flow).await;
        self.leave_call();
        self.flush().await?;
        if let Ok(status) = flow {
            self.status = status;
            self.set_pipe_status(status);
        }
        flow
    }
}

impl Stopped {
    /// Failures do not count where it stopped.
    fn is_unchecked(&self) -> bool {
        let list = list_of(&self.compound, self.state.list);
        let item = list.and_then(|list| list.items.get(self.state.at.item));
        self.unchecked
            || is_condition(&self.compound, self.state.list)
            || item.is_some_and(|item| self.state.at.link < item.and_or.rest.len())
    }
}

/// The pipeline where a compound command stopped has ended: the place of the next one.
fn advance(compound: &Compound, state: &mut State, status: i32) {
    let item = list_of(compound, state.list).and_then(|list| list.items.get(state.at.item));
    match item.and_then(|item| next_link(&item.and_or, state.at.link, status)) {
        Some(link) => state.at.link = link,
        None => {
            state.at.item += 1;
            state.at.link = 0;
        }
    }
}
