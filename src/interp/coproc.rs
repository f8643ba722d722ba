//! `coproc`: a process in the background with a pipe at either end, an array with their numbers, and `NAME_PID`.
//!
//! When it has ended and the shell looks at its children again, both variables go and the descriptors are closed, as in bash.

use std::sync::Arc;

use super::job::Process;
use super::pipeline::{Body, single};
use super::{Flow, Interp, Set};
use crate::expand::{Attributes, Indexed, Text, Value};
use crate::kernel::Pid;
use crate::syntax::ast::{Coproc, Name};

/// A coprocess that was not seen to end.
#[derive(Debug, Clone)]
pub(super) struct Running {
    name: Name,
    pid: Pid,
    /// Where its output is read, and where its input is written.
    fds: [u32; 2],
}

impl Interp {
    /// Starts a coprocess.
    pub(super) async fn start_coproc(&mut self, coproc: &Coproc) -> Flow {
        self.flush().await?;
        if !crate::expand::word::is_name(&coproc.name) {
            self.error([b"`", &*coproc.name, b"': not a valid identifier"].concat());
            self.status = 1;
            return Ok(1);
        }
        self.update_jobs();
        self.reap_coprocs();
        if let Some(running) = self.coprocs.last() {
            let (pid, name) = (running.pid.to_string(), running.name.to_vec());
            let head = format!("warning: execute_coproc: coproc [{pid}:").into_bytes();
            self.error([&head, name.as_slice(), b"] still exists"].concat());
        }
        let (child_input, our_output) = self.proc.kernel.pipe();
        let (our_input, child_output) = self.proc.kernel.pipe();
        let mut child = self.fork(self.options.is(Set::Monitor).then_some(0), false)?;
        child.set_fd(0, child_input);
        child.set_fd(1, child_output);
        let pid = child.proc.pid;
        child.start_task(Body::List(single(&coproc.body)));
        let fds = [our_input, our_output].map(|file| {
            let fd = (10..=63)
                .rev()
                .find(|fd| self.proc.fds.get(*fd).is_err())
                .unwrap_or(64);
            let _ = self.proc.fds.set(fd, file, self.proc.open_files);
            self.proc.fds.set_close_on_exec(fd, true);
            fd
        });
        let process = Process {
            pid,
            text: crate::syntax::print::print_coproc(coproc).into(),
            status: None,
        };
        self.jobs.clean();
        let (directory, lease) = (Arc::clone(&self.proc.cwd), self.proc.kernel.lease());
        self.jobs.add(vec![process], false, directory, lease);
        self.last_background = Some(pid);
        let name = coproc.name.clone();
        self.announce_coproc(Running { name, pid, fds });
        self.status = 0;
        Ok(0)
    }

    fn announce_coproc(&mut self, running: Running) {
        let Running { name, pid, fds } = &running;
        let texts = fds.map(|fd| Text::from(fd.to_string().into_bytes()));
        let variable = self.vars.entry(name);
        if variable.attributes.has(Attributes::READONLY) {
            self.error([name, b": readonly variable".as_slice()].concat());
        } else {
            variable.value = Value::Indexed(Arc::new(Indexed::from_texts(texts)));
            let pid = pid.to_string().into_bytes();
            self.vars.set_raw(&[name, b"_PID".as_slice()].concat(), pid);
        }
        self.coprocs.push(running);
    }

    /// Forgets coprocesses that have ended.
    pub fn reap_coprocs(&mut self) {
        if self.coprocs.is_empty() {
            return;
        }
        let kernel = self.proc.kernel.clone();
        let has_ended =
            |running: &Running| kernel.status_of(running.pid).is_some() || !kernel.exists(running.pid);
        let (ended, running) = std::mem::take(&mut self.coprocs)
            .into_iter()
            .partition(|running| has_ended(running));
        self.coprocs = running;
        for Running { name, fds, .. } in Vec::<Running>::into_iter(ended) {
            for fd in fds {
                let _ = self.proc.fds.close(fd);
            }
            self.vars.unset(&name);
            self.vars.unset(&[&name, b"_PID".as_slice()].concat());
        }
    }
}
