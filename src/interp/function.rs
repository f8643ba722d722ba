//! Functions.

use std::sync::Arc;

use super::trap::Hidden;
use super::{Arguments, Context, Divert, Flow, Frame, Interp, Leaving, Set, Shopt, TrapKey};
use crate::expand::Text;
use crate::kernel::{Lease, cost};
use crate::syntax::ast::{Function, Simple};

/// A defined function.
#[derive(Debug, Clone)]
pub struct FunctionEntry {
    /// What it does.
    pub function: Arc<Function>,
    /// Where it was defined: `BASH_SOURCE` while it runs.
    pub source: Arc<[u8]>,
    /// `export -f`
    pub exported: bool,
    /// `readonly -f`
    pub readonly: bool,
    /// `declare -ft`: DEBUG and RETURN traps are inherited.
    pub trace: bool,
    /// Its share of the run's memory.
    pub lease: Arc<Lease>,
    /// What its lines are shifted by.
    pub(super) line_shift: i64,
}

/// What a call puts aside until it ends.
#[derive(Debug, Clone)]
pub(super) struct Call {
    positional: Arc<Arguments>,
    line: u32,
    context: Context,
    shift: i64,
    hidden: Hidden,
    getopts: usize,
    /// `$_` afterwards.
    last_argument: Text,
}

/// The prefix of exported functions in the environment, as bash 5.2 spells it.
pub(super) const EXPORT_PREFIX: &[u8] = b"BASH_FUNC_";
/// The suffix.
pub(super) const EXPORT_SUFFIX: &[u8] = b"%%";

impl Interp {
    /// Stores a function.
    pub(super) fn define_function(&mut self, function: &Arc<Function>) -> Flow {
        self.at_line(function.line);
        let name = function.name.clone();
        let posix = self.options.is(Set::Posix);
        let special = self.find_builtin(&name).is_some_and(super::Builtin::is_special);
        if posix && special {
            self.error([b"`", &*name, b"': is a special builtin"].concat());
            return Err(Divert::Exit(2));
        }
        // The name comes as it was written: quotes and expansions are still there.
        if name
            .iter()
            .any(|byte| matches!(byte, b'$' | b'\'' | b'"' | b'\\' | b'`'))
        {
            self.error([b"`", &*name, b"': not a valid identifier"].concat());
            self.status = 1;
            return Ok(1);
        }
        if posix && !crate::expand::word::is_name(&name) {
            self.error([b"`", &*name, b"': not a valid identifier"].concat());
            return Err(Divert::Exit(2));
        }
        if self.functions.get(&name).is_some_and(|old| old.readonly) {
            self.error([&*name, b": readonly function"].concat());
            self.status = 1;
            return Ok(1);
        }
        let old = self.functions.get(&name);
        let (exported, trace) = old.map_or((false, false), |old| (old.exported, old.trace));
        let mut lease = self.proc.kernel.lease();
        lease.resize(function.weight + 512)?;
        let entry = FunctionEntry {
            function: Arc::clone(function),
            lease: Arc::new(lease),
            source: self.source_name(),
            exported: exported || self.options.is(Set::Allexport),
            readonly: false,
            trace,
            // In an interactive shell each function counts its own lines.
            line_shift: match self.is_interactive() {
                true => 1 - i64::from(function.line),
                false => self.line_shift,
            },
        };
        if Arc::strong_count(&self.functions) > 1 {
            self.proc.kernel.meter().charge(self.functions.len() as u64 * 4)?;
        }
        Arc::make_mut(&mut self.functions).insert(name, entry);
        self.status = 0;
        Ok(0)
    }

    /// `exit`: functions that are running are not left, for the EXIT trap sees them.
    pub fn leave_shell(&mut self, status: i32) -> Divert {
        self.leaving = Leaving::All;
        Divert::Exit(status)
    }

    /// A function or a sourced file is running.
    pub fn can_return(&self) -> bool {
        self.vars.in_function() || self.frames.iter().any(|frame| &*frame.name == b"source")
    }

    /// Where code that is read now stands: the file, or what bash says for the others.
    pub(super) fn source_name(&self) -> Arc<[u8]> {
        match self.frames.back() {
            Some(frame) if !frame.source.is_empty() => Arc::clone(&frame.source),
            _ if self.started_as == Some(b'c') => b"environment"[..].into(),
            _ => b"main"[..].into(),
        }
    }

    /// A function as a command: redirections and assignments around it.
    pub(super) async fn run_function(
        &mut self,
        simple: &Simple,
        entry: FunctionEntry,
        args: Vec<Vec<u8>>,
    ) -> Flow {
        let saved = match self.redirect_aside(simple).await {
            Ok(saved) => saved,
            Err(failed) => return failed.flow(),
        };
        let flow = self.call_function(&entry, &args).await;
        let flushed = self.flush().await;
        self.restore(saved);
        flushed?;
        flow
    }

    /// Calls a function; `args` begin with its name.
    pub(super) async fn call_function(&mut self, entry: &FunctionEntry, args: &[Vec<u8>]) -> Flow {
        self.depth += 1;
        let limit = self.proc.kernel.meter().depth_limit();
        if let Some(nesting) = self.nesting_exceeded() {
            self.depth -= 1;
            let name = &entry.function.name;
            self.error(
                [
                    name,
                    format!(": maximum function nesting level exceeded ({nesting})").as_bytes(),
                ]
                .concat(),
            );
            return Err(Divert::Discard(1));
        }
        if self.depth + self.proc.depth > limit {
            self.proc.kernel.meter().stop(crate::kernel::Halt::Depth);
            return Err(Divert::Halt(crate::kernel::Halt::Depth));
        }
        self.nest += 1;
        let flow = if self.hops_at(self.nest) {
            let (entry, args) = (entry.clone(), args.to_vec());
            self.on_new_task(move |interp| Box::pin(async move { interp.function_body(&entry, &args).await }))
                .await
        } else {
            Box::pin(self.function_body(entry, args)).await
        };
        self.leave_call();
        flow
    }

    /// One call less.
    pub(super) fn leave_call(&mut self) {
        self.nest = self.nest.saturating_sub(1);
        self.depth -= 1;
    }

    /// `FUNCNEST`, when this call would go beyond it.
    fn nesting_exceeded(&mut self) -> Option<i64> {
        self.vars.get(b"FUNCNEST")?;
        let nesting = self.number(b"FUNCNEST").filter(|nesting| *nesting > 0)?;
        let depth = self
            .frames
            .iter()
            .filter(|frame| !matches!(&*frame.name, b"main" | b"source"))
            .count();
        (depth as i64 >= nesting).then_some(nesting)
    }

    async fn function_body(&mut self, entry: &FunctionEntry, args: &[Vec<u8>]) -> Flow {
        let call = self.begin_call(entry, args);
        let flow = self.function_commands(entry).await;
        self.finish_call(call, flow).await
    }

    /// Arguments, frame and scope of a call.
    pub(super) fn begin_call(&mut self, entry: &FunctionEntry, args: &[Vec<u8>]) -> Call {
        // A limit that is met here ends the run at the first statement.
        let _ = self.proc.kernel.meter().charge(cost::FUNCTION);
        let texts = args.iter().skip(1).map(|arg| Text::new(arg));
        let arguments = Arc::new(Arguments::new(texts, self.proc.kernel.lease()));
        let positional = std::mem::replace(&mut self.positional, Arc::clone(&arguments));
        let call_line = self.line;
        let frame = Frame {
            name: entry.function.name.clone(),
            source: Arc::clone(&entry.source),
            call_line,
            arguments: self.options.shopt(Shopt::Extdebug).then_some(arguments),
        };
        self.frames.push_back(frame);
        self.vars.push_scope(false);
        let context = self.context;
        let shift = std::mem::replace(&mut self.line_shift, entry.line_shift);
        self.context.loops = 0;
        let traced = self.options.is(Set::Functrace) || entry.trace || self.options.shopt(Shopt::Extdebug);
        Call {
            positional,
            line: call_line,
            context,
            shift,
            hidden: self.hide_traps(traced),
            getopts: self.getopts_offset,
            last_argument: Text::new(args.last().map(Vec::as_slice).unwrap_or_default()),
        }
    }

    /// The RETURN trap, and then the end of a call.
    pub(super) async fn finish_call(&mut self, call: Call, flow: Flow) -> Flow {
        if self.leaves(flow) {
            return flow;
        }
        // The trap sees `$?` as it was before `return`.
        let flow = returned(flow);
        let trapped = if flow.is_ok() && self.has_trap(TrapKey::Return) {
            self.run_trap(TrapKey::Return).await.map(drop)
        } else {
            Ok(())
        };
        self.end_call(call, flow);
        trapped?;
        flow
    }

    /// The shell ends, and its EXIT trap will see the function that runs.
    pub(super) fn leaves(&mut self, flow: Flow) -> bool {
        let leaves = matches!(flow, Err(Divert::Exit(_))) && self.leaving != Leaving::Nothing;
        if leaves && self.leaving == Leaving::Frames {
            self.vars.pop_scope();
            self.forget_ifs();
        }
        leaves
    }

    /// Everything is again as it was before the call.
    pub(super) fn end_call(&mut self, call: Call, flow: Flow) {
        if let Ok(status) = flow {
            self.status = status;
        }
        self.restore_traps(call.hidden);
        self.getopts_offset = call.getopts;
        self.context = call.context;
        self.line_shift = call.shift;
        if let Some(options) = self.vars.pop_scope() {
            self.options = *options;
        }
        self.forget_ifs();
        self.frames.pop_back();
        self.positional = call.positional;
        self.line = call.line;
        self.last_argument.clear();
        self.last_argument.extend_from_slice(&call.last_argument);
    }

    async fn function_commands(&mut self, entry: &FunctionEntry) -> Flow {
        if self.has_trap(TrapKey::Debug) {
            self.at_line(entry.function.line);
            self.run_trap(TrapKey::Debug).await?;
        }
        let body = Arc::clone(&entry.function.body);
        self.compound_boxed(&body).await
    }

    /// `BASH_FUNC_name%%=() { … }` of every exported function.
    pub(super) fn exported_functions(&self) -> Vec<(Vec<u8>, Vec<u8>)> {
        let mut list: Vec<_> = self
            .functions
            .values()
            .filter(|entry| entry.exported)
            .map(|entry| {
                let name = [EXPORT_PREFIX, &entry.function.name, EXPORT_SUFFIX].concat();
                let text = crate::syntax::print::print_function_value(&entry.function);
                (name, text)
            })
            .collect();
        list.sort();
        list
    }
}

/// `return` ends here.
pub(super) fn returned(flow: Flow) -> Flow {
    match flow {
        Err(Divert::Return(status)) => Ok(status),
        flow => flow,
    }
}
