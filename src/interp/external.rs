//! Programs: found along `PATH`, run as a child process or in place of this one.

use std::sync::Arc;

use super::function::EXPORT_PREFIX;
use super::job::Process;
use super::{Divert, Flow, Interp, Shopt, TrapKey};
use crate::expand::{Attributes, Text};
use crate::fs::{Errno, FileKind, Follow, OpenNode};
use crate::kernel::{Environment, Proc, WaitStatus, cost};
use crate::syntax::ast::{ParamOp, Part, Redirect, RedirectOp, Simple};

/// Where a command was found.
enum Found {
    /// Opened, unless the path was known.
    Path(Vec<u8>, Option<OpenNode>),
    Missing,
}

/// Some redirection is `n>&m-`.
fn moves_descriptors(simple: &Simple) -> bool {
    simple.redirects.iter().any(|redirect| match &redirect.op {
        RedirectOp::DuplicateInput(word) | RedirectOp::DuplicateOutput(word) => {
            matches!(word.parts.last(), Some(Part::Literal(text)) if text.len() > 1 && text.ends_with(b"-"))
        }
        _ => false,
    })
}

/// Expanding the words of a redirection may change a variable.
fn may_assign(redirect: &Redirect) -> bool {
    match &redirect.op {
        RedirectOp::HereDocument(document) => has_effects(&document.body.parts),
        RedirectOp::Read(word)
        | RedirectOp::Write(word)
        | RedirectOp::Clobber(word)
        | RedirectOp::Append(word)
        | RedirectOp::ReadWrite(word)
        | RedirectOp::HereString(word)
        | RedirectOp::DuplicateInput(word)
        | RedirectOp::DuplicateOutput(word)
        | RedirectOp::WriteBoth(word)
        | RedirectOp::AppendBoth(word) => has_effects(&word.parts),
    }
}

fn has_effects(parts: &[Part]) -> bool {
    parts.iter().any(|part| match part {
        Part::Double { parts, .. } => has_effects(parts),
        Part::Param(param) => param.op != ParamOp::Get || param.subscript.is_some(),
        Part::Arith(_) => true,
        _ => false,
    })
}

impl Interp {
    pub(super) async fn run_external(&mut self, simple: &Simple, args: Vec<Vec<u8>>) -> Flow {
        self.flush().await?;
        let in_place = std::mem::take(&mut self.tail) && !self.has_any_trap();
        let mut child = if in_place {
            self.proc.clone()
        } else {
            self.proc.fork(None, true)?
        };
        // Redirections and assignments act on the child alone.
        let before = moves_descriptors(simple).then(|| self.proc.fds.clone());
        let variables = simple.redirects.iter().any(may_assign).then(|| self.vars.clone());
        let redirected = self.redirect_aside(simple).await;
        if let Some(variables) = variables {
            self.vars = variables;
            self.ifs_changed = true;
        }
        let saved = match redirected {
            Ok(saved) => saved,
            Err(failed) => {
                if !in_place {
                    self.abandon(&child);
                }
                // Redirections are the child's: what fails there ends the child alone.
                return match failed.flow() {
                    Err(Divert::Exit(status)) => Ok(status),
                    Err(Divert::Discard(_)) => Ok(1),
                    flow => flow,
                };
            }
        };
        child.fds = self.proc.fds.inherited();
        child.cwd = Arc::clone(&self.proc.cwd);
        child.umask = self.proc.umask;
        child.args = args;
        // What follows may print: through the redirections.
        let flow = self.launch(child, simple, in_place).await;
        self.flush().await?;
        self.restore(saved);
        if let Some(before) = before {
            self.proc.fds = before;
        }
        flow
    }

    fn abandon(&self, child: &Proc) {
        self.proc.kernel.exit_process(child.pid, WaitStatus::Exited(1));
        self.proc.kernel.reap(child.pid);
    }

    /// Exported variables and exported functions.
    pub fn environment_of_programs(&mut self) -> Arc<Vec<(Vec<u8>, Vec<u8>)>> {
        let environment = self.vars.environment();
        let mut exported = self.exported_functions();
        exported.extend(self.foreign_environment());
        for name in ["BASHOPTS", "SHELLOPTS"] {
            let variable = self.vars.get(name.as_bytes());
            if variable.is_some_and(|variable| variable.attributes.has(Attributes::EXPORT))
                && let Some(value) = self.scalar(name.as_bytes())
            {
                exported.push((name.as_bytes().to_vec(), value));
            }
        }
        if exported.is_empty() {
            return environment;
        }
        Arc::new(environment.iter().cloned().chain(exported).collect())
    }

    /// The same for what takes this shell's place: it is no level below it.
    fn environment_for_exec(&mut self) -> Arc<Vec<(Vec<u8>, Vec<u8>)>> {
        let mut environment = self.environment_of_programs();
        if self.subshell > 0 {
            return environment;
        }
        let level = self.number(b"SHLVL").unwrap_or(0).saturating_sub(1).max(0);
        let levels = Arc::make_mut(&mut environment).iter_mut();
        if let Some((_, value)) = levels.into_iter().find(|(name, _)| name == b"SHLVL") {
            *value = level.to_string().into_bytes();
        }
        environment
    }

    /// What came with a name that no variable can have: programs get it as it came.
    fn foreign_environment(&self) -> impl Iterator<Item = (Vec<u8>, Vec<u8>)> + '_ {
        let foreign = |name: &[u8]| !crate::expand::word::is_name(name) && !name.starts_with(EXPORT_PREFIX);
        let all = self.proc.environment.iter();
        all.filter(move |(name, _)| foreign(name)).cloned()
    }

    async fn launch(&mut self, mut child: Proc, simple: &Simple, in_place: bool) -> Flow {
        let (found, node) = match self.search(child.name(), in_place) {
            Found::Path(path, node) => (path, node),
            Found::Missing => {
                if !in_place {
                    self.abandon(&child);
                }
                return self.command_not_found(&child.args).await;
            }
        };
        child.environment = Environment::with_last(self.environment_of_programs(), b"_", &found);
        let name = simple.words.is_empty().then(|| child.name().to_vec());
        let program = match self.load(&mut child, &found, node) {
            Ok(program) => program,
            Err(status) => {
                if !in_place {
                    self.abandon(&child);
                }
                return Ok(status);
            }
        };
        if in_place {
            return self.run_in_place(child, &program).await;
        }
        let pid = child.pid;
        if self.proc.kernel.loader().needs_task(&program) {
            child.start_task(program);
        } else {
            let status = Box::pin(child.run_program(&program)).await;
            drop(child);
            self.proc.kernel.exit_process(pid, status);
        }
        let status = self.wait_child(pid).await;
        if let WaitStatus::Signaled(_) = status {
            let text = name.unwrap_or_else(|| crate::syntax::print::print_simple(simple));
            self.say_killed(&[Process {
                pid,
                text: text.into(),
                status: Some(status),
            }]);
        }
        self.notify_jobs();
        Ok(status.code())
    }

    /// The program takes this process over: nothing of the shell runs after it.
    async fn run_in_place(&mut self, mut child: Proc, program: &[u8]) -> Flow {
        // The shell's own descriptors go, so that pipes end with the program.
        self.proc.fds = child.fds.clone();
        let status = if self.proc.kernel.loader().needs_task(program) {
            // The number stays, so that a signal finds it.
            let (kernel, pid) = (child.kernel.clone(), child.pid);
            kernel.detach(pid);
            child.start_task(program.to_vec());
            kernel.ended(pid).await
        } else {
            Box::pin(child.run_program(program)).await
        };
        match status {
            WaitStatus::Exited(code) => Ok(i32::from(code)),
            WaitStatus::Signaled(signal) => Err(Divert::Kill(signal)),
        }
    }

    /// Resolves what a path holds; on failure says it and gives the status.
    fn load(&mut self, child: &mut Proc, path: &[u8], node: Option<OpenNode>) -> Result<Vec<u8>, i32> {
        match child.load_opened(path, node) {
            Ok(program) => Ok(program),
            Err(Errno::ENOEXEC) if self.is_binary(path) => {
                self.error([path, b": cannot execute binary file: Exec format error"].concat());
                Err(126)
            }
            Err(Errno::ENOEXEC) => {
                // A file without `#!` is a script for this shell.
                let rest = child.args.split_off(1.min(child.args.len()));
                child.args = [b"bash".to_vec(), path.to_vec()]
                    .into_iter()
                    .chain(rest)
                    .collect();
                Ok(b"bash".to_vec())
            }
            Err(errno) => Err(self.say_exec_error(path, errno)),
        }
    }

    /// The first line of a file holds a NUL: not a script.
    fn is_binary(&self, path: &[u8]) -> bool {
        let text = self.proc.fs.read(&self.proc.view(), path).unwrap_or_default();
        super::startup::is_binary(&text)
    }

    /// Says why a file cannot be run: 126, or 127 when it is not there.
    pub fn say_exec_error(&mut self, path: &[u8], errno: Errno) -> i32 {
        let view = self.proc.view();
        let is_dir = self
            .proc
            .fs
            .metadata(&view, path, Follow::Yes)
            .is_ok_and(|metadata| metadata.kind == FileKind::Directory);
        if is_dir {
            self.error([path, b": Is a directory"].concat());
            return 126;
        }
        if errno == Errno::ENOENT {
            // The file may be there and its interpreter missing.
            if self
                .proc
                .fs
                .metadata(&self.proc.view(), path, Follow::Yes)
                .is_ok()
            {
                self.error([path, b": cannot execute: required file not found"].concat());
                return 127;
            }
            self.error([path, b": No such file or directory"].concat());
            return 127;
        }
        self.error([path, format!(": {errno}").as_bytes()].concat());
        126
    }

    async fn command_not_found(&mut self, args: &[Vec<u8>]) -> Flow {
        if let Some(entry) = self
            .functions
            .get(b"command_not_found_handle".as_slice())
            .cloned()
        {
            let mut call = vec![b"command_not_found_handle".to_vec()];
            call.extend_from_slice(args);
            let mut child = self.fork(None, true)?;
            let pid = child.proc.pid;
            let flow = child.call_function(&entry, &call).await;
            let status = child.finish_process(flow).await?;
            drop(child);
            self.proc.kernel.exit_process(pid, status);
            self.proc.kernel.reap(pid);
            return Ok(status.code());
        }
        let name = args.first().map(Vec::as_slice).unwrap_or_default();
        self.error([&*crate::text::quote::printable(name), b": command not found"].concat());
        Ok(127)
    }

    /// The path that is remembered for a command; looking is a hit.
    pub fn hashed_path(&mut self, name: &[u8]) -> Option<Vec<u8>> {
        if !self.hashed.contains_key(name) {
            return None;
        }
        let (path, hits) = Arc::make_mut(&mut self.hashed).get_mut(name)?;
        *hits += 1;
        Some(path.to_vec())
    }

    /// Looks a command up. `forget`: the shell is replaced by what is found, and need not remember it.
    fn search(&mut self, name: &[u8], forget: bool) -> Found {
        // Without a `PATH` the name is a path.
        if name.contains(&b'/') || self.scalar(b"PATH").is_none_or(|path| path.is_empty()) {
            return Found::Path(name.to_vec(), None);
        }
        // `PATH=… name` neither asks the table nor fills it.
        let remembers = !self.vars.temporary_holds(b"PATH");
        if remembers
            && let Some(path) = self.hashed_path(name)
            && (!self.options.shopt(Shopt::Checkhash) || self.is_executable(&path))
        {
            return Found::Path(path, None);
        }
        match self.first_in_path(name) {
            Some((path, node)) => {
                if remembers && !forget && self.options.is(super::Set::Hashall) {
                    let kept = self.proc.kernel.held(name, path.clone());
                    Arc::make_mut(&mut self.hashed).insert(name.to_vec(), (kept, 1));
                }
                Found::Path(path, Some(node))
            }
            None => match self.find_any_in_path(name) {
                Some(path) => Found::Path(path, None),
                None => Found::Missing,
            },
        }
    }

    /// A regular file that may be executed.
    pub fn is_executable(&self, path: &[u8]) -> bool {
        let charged = self.proc.kernel.meter().charge(cost::PATH);
        charged.is_ok() && self.proc.fs.is_program(&self.proc.view(), path)
    }

    /// The first path of a command along `PATH`, and what is there.
    fn first_in_path(&mut self, name: &[u8]) -> Option<(Vec<u8>, OpenNode)> {
        if name.is_empty() {
            return None;
        }
        let path = Text::from(self.scalar(b"PATH")?);
        let mut candidate = Vec::with_capacity(64);
        for directory in path.split(|byte| *byte == b':') {
            candidate.clear();
            candidate_in(directory, name, &mut candidate);
            self.proc.kernel.meter().charge(cost::PATH).ok()?;
            if let Ok(node) = self.proc.fs.open_program(&self.proc.view(), &candidate) {
                return Some((candidate, node));
            }
        }
        None
    }

    /// Paths of a command along `PATH`, in order.
    pub fn find_in_path(&mut self, name: &[u8]) -> Vec<Vec<u8>> {
        let candidates = self.path_candidates(name);
        candidates
            .into_iter()
            .filter(|path| self.is_executable(path))
            .collect()
    }

    /// A file along `PATH` that may not be executed: bash reports that one.
    fn find_any_in_path(&mut self, name: &[u8]) -> Option<Vec<u8>> {
        let candidates = self.path_candidates(name);
        candidates.into_iter().find(|path| {
            self.proc
                .metadata(path, Follow::Yes)
                .is_ok_and(|found| found.kind == FileKind::Regular)
        })
    }

    fn path_candidates(&mut self, name: &[u8]) -> Vec<Vec<u8>> {
        if name.is_empty() {
            return Vec::new();
        }
        let path = self.scalar(b"PATH").unwrap_or_default();
        path.split(|byte| *byte == b':')
            .map(|directory| {
                let mut candidate = Vec::new();
                candidate_in(directory, name, &mut candidate);
                candidate
            })
            .collect()
    }
}

/// The path of a command in a directory of `PATH`.
fn candidate_in(directory: &[u8], name: &[u8], into: &mut Vec<u8>) {
    into.extend_from_slice(if directory.is_empty() { b"." } else { directory });
    if into.last() != Some(&b'/') {
        into.push(b'/');
    }
    into.extend_from_slice(name);
}

impl Interp {
    /// The status of a `return` without an argument: in a trap, what it was before.
    pub fn return_status(&self) -> i32 {
        match self.trap {
            None | Some(TrapKey::Debug) => self.status,
            Some(_) => self.trap_status,
        }
    }

    /// The status of an `exit` without an argument: in the EXIT trap, what it was before.
    pub fn exit_status(&self) -> i32 {
        match self.trap {
            Some(TrapKey::Exit) => self.trap_status,
            _ => self.status,
        }
    }

    /// `exec command`: the program takes this process over. `Err`: it could not be run, with the status.
    pub async fn exec_program(
        &mut self,
        args: Vec<Vec<u8>>,
        name: Option<Vec<u8>>,
        clear: bool,
        login: bool,
    ) -> Flow<Result<i32, i32>> {
        self.flush().await?;
        let command = args.first().cloned().unwrap_or_default();
        let path = match self.search(&command, false) {
            Found::Path(path, _) => path,
            Found::Missing => {
                self.error([b"exec: ", command.as_slice(), b": not found"].concat());
                return Ok(Err(127));
            }
        };
        let mut child = self.proc.clone();
        child.args = args;
        child.environment = if clear {
            Environment::default()
        } else {
            self.environment_for_exec().into()
        };
        let zero = name.unwrap_or_else(|| {
            if login {
                [b"-", command.as_slice()].concat()
            } else {
                command.clone()
            }
        });
        if let Some(first) = child.args.first_mut() {
            *first = zero;
        }
        let program = match child.load(&path) {
            Ok(program) => program,
            Err(Errno::ENOEXEC) => match self.load(&mut child, &path, None) {
                Ok(program) => program,
                Err(status) => return Ok(Err(status)),
            },
            Err(errno) => {
                let path = if path.starts_with(b"./") || !path.starts_with(b"/") {
                    let tail = path.strip_prefix(b"./").unwrap_or(&path);
                    [&*self.proc.cwd, b"/", tail].concat()
                } else {
                    path
                };
                let status = self.say_exec_error(&path, errno);
                if errno != Errno::ENOENT {
                    let is_dir = self
                        .proc
                        .metadata(&path, Follow::Yes)
                        .is_ok_and(|metadata| metadata.kind == FileKind::Directory);
                    let errno = if is_dir { Errno::EISDIR } else { errno };
                    let reason = format!(": cannot execute: {errno}");
                    self.error([b"exec: ".as_slice(), &path, reason.as_bytes()].concat());
                }
                return Ok(Err(status));
            }
        };
        child.fds = self.proc.fds.inherited();
        // Traps do not survive exec; EXIT does not run.
        Arc::make_mut(&mut self.traps).active.clear();
        self.run_in_place(child, &program).await.map(Ok)
    }
}
