//! Lists: `;`, `&`, newline, `&&`, `||`, and where `set -e` acts.

use super::{Divert, Flow, Interp, Leaving, Set, TrapKey};
use crate::kernel::{BoxFuture, cost};
use crate::syntax::ast::{AndOr, Command, CompoundKind, Connector, Item, List, Pipeline};

/// What the synchronous path made of a command.
pub(super) enum Now {
    /// It is done.
    Done(Flow),
    /// It has run; what it printed must still be written.
    Flush(Flow),
    /// Its words are expanded; it must wait for something.
    Run(Vec<Vec<u8>>),
    /// Nothing has happened yet.
    NotPure,
}

impl Interp {
    /// Runs a list, on the heap: for callers that recurse.
    pub fn run_list<'a>(&'a mut self, list: &'a List) -> BoxFuture<'a, Flow> {
        Box::pin(self.list(list))
    }

    /// Runs a list; its status is that of its last command.
    pub(super) async fn list(&mut self, list: &List) -> Flow {
        for item in &list.items {
            if self.options.is(Set::Noexec) {
                break;
            }
            self.item(item).await?;
        }
        Ok(self.status)
    }

    pub(super) async fn item(&mut self, item: &Item) -> Flow {
        self.proc.kernel.meter().charge(cost::STATEMENT)?;
        if self.proc.kernel.meter().slice_spent() {
            crate::kernel::yield_now().await;
        }
        if self.proc.signals.is_pending() {
            self.run_pending_traps().await?;
        }
        if item.background {
            self.background(&item.and_or).await?;
        } else {
            self.and_or(&item.and_or).await?;
        }
        if self.proc.signals.is_pending() {
            self.run_pending_traps().await?;
        }
        Ok(self.status)
    }

    async fn and_or(&mut self, and_or: &AndOr) -> Flow {
        if and_or.rest.is_empty() {
            return self.checked_pipeline(&and_or.first).await;
        }
        Box::pin(self.and_or_chain(and_or)).await
    }

    async fn and_or_chain(&mut self, and_or: &AndOr) -> Flow {
        let mut status = self.unchecked_pipeline(&and_or.first).await?;
        for (i, (connector, pipeline)) in and_or.rest.iter().enumerate() {
            if (*connector == Connector::And) != (status == 0) {
                continue;
            }
            if self.proc.signals.is_pending() {
                self.run_pending_traps().await?;
            }
            status = if i + 1 == and_or.rest.len() {
                self.checked_pipeline(pipeline).await?
            } else {
                self.unchecked_pipeline(pipeline).await?
            };
        }
        Ok(status)
    }

    async fn unchecked_pipeline(&mut self, pipeline: &Pipeline) -> Flow {
        let saved = std::mem::replace(&mut self.context.unchecked, true);
        let result = self.pipeline(pipeline).await;
        self.context.unchecked = saved;
        result
    }

    async fn checked_pipeline(&mut self, pipeline: &Pipeline) -> Flow {
        // A trap that the command itself sets is not for its own failure.
        let trapped = self.has_trap(TrapKey::Err);
        let flow = self.pipeline(pipeline).await;
        self.checked(pipeline, flow, trapped).await
    }

    /// Looks at a pipeline's failure where failures count. `trapped`: there was an ERR trap when it started.
    pub(super) async fn checked(&mut self, pipeline: &Pipeline, flow: Flow, trapped: bool) -> Flow {
        let status = flow?;
        if status != 0 && !self.context.unchecked && !pipeline.negated && fails_by_itself(pipeline) {
            return self.failed_command(status, trapped).await;
        }
        Ok(status)
    }

    /// A command failed where failures count: the ERR trap, then `set -e`.
    pub(super) async fn command_failed(&mut self, status: i32) -> Flow {
        let trapped = self.has_trap(TrapKey::Err);
        self.failed_command(status, trapped).await
    }

    async fn failed_command(&mut self, status: i32, trapped: bool) -> Flow {
        if trapped && self.has_trap(TrapKey::Err) {
            self.run_trap(TrapKey::Err).await?;
            self.status = status;
        }
        if self.options.is(Set::Errexit) {
            self.leaving = Leaving::Frames;
            return Err(Divert::Exit(status));
        }
        Ok(status)
    }

    pub(super) async fn pipeline(&mut self, pipeline: &Pipeline) -> Flow {
        if let [command] = pipeline.commands.as_slice()
            && pipeline.time.is_none()
        {
            if !pipeline.negated {
                return self.command(command).await;
            }
            let saved = std::mem::replace(&mut self.context.unchecked, true);
            let result = self.command(command).await;
            self.context.unchecked = saved;
            self.status = i32::from(result? == 0);
            return Ok(self.status);
        }
        Box::pin(self.long_pipeline(pipeline)).await
    }

    /// Runs one command in this process.
    pub(super) async fn command(&mut self, command: &Command) -> Flow {
        match command {
            Command::Simple(simple) => match self.simple_now(simple) {
                Now::Done(flow) => flow,
                Now::Flush(flow) => {
                    self.flush().await?;
                    flow
                }
                Now::Run(args) => Box::pin(self.simple_expanded(simple, args)).await,
                Now::NotPure => Box::pin(self.simple(simple)).await,
            },
            Command::Compound(compound) => {
                if let Some(flow) = self.compound_now(compound) {
                    return flow;
                }
                if compound.redirects.is_empty() && self.runs_now(compound) {
                    return self.compound_or_wait(compound).await;
                }
                self.compound_boxed(compound).await
            }
            Command::Function(function) => self.define_function(function),
            Command::Coproc(coproc) => Box::pin(self.start_coproc(coproc)).await,
        }
    }

    /// Runs a list whose failures do not count: conditions.
    pub(super) async fn condition(&mut self, list: &List) -> Flow {
        let saved = std::mem::replace(&mut self.context.unchecked, true);
        let result = self.list(list).await;
        self.context.unchecked = saved;
        result
    }
}

/// The pipeline's failure is its own, not that of a command inside that was already looked at.
pub(super) fn fails_by_itself(pipeline: &Pipeline) -> bool {
    let [command] = pipeline.commands.as_slice() else {
        return true;
    };
    if pipeline.line == super::pipeline::STAGE {
        return false;
    }
    match command {
        Command::Simple(_) => true,
        Command::Compound(compound) => matches!(
            compound.kind,
            CompoundKind::Subshell(_) | CompoundKind::Arith(_) | CompoundKind::Cond(_)
        ),
        _ => false,
    }
}

/// The list is a single simple command in the foreground: a candidate to take its process over.
pub(super) fn only_command(list: &List) -> Option<&Command> {
    let [
        Item {
            and_or,
            background: false,
            ..
        },
    ] = list.items.as_slice()
    else {
        return None;
    };
    let [command] = and_or.first.commands.as_slice() else {
        return None;
    };
    let plain = and_or.rest.is_empty() && !and_or.first.negated && and_or.first.time.is_none();
    plain.then_some(command)
}
