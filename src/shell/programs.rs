//! What a command name stands for: a program of the host, one of the table, or the shell itself.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use crate::builtin::BUILTINS;
use crate::host::HostProgram;
use crate::interp;
use crate::kernel::{Loader, Proc, ProgramFuture};
use crate::program;

/// Names of all programs, `bash` and `sh` with them.
pub(super) fn program_names() -> &'static [&'static str] {
    static NAMES: OnceLock<Vec<&'static str>> = OnceLock::new();
    NAMES.get_or_init(|| {
        program::PROGRAMS
            .iter()
            .map(|program| program.name)
            .chain(["bash", "sh"])
            .collect()
    })
}

/// The programs of a shell: the host's, then the table, then the shell itself.
pub(super) struct Programs {
    pub(super) host: BTreeMap<String, Arc<dyn HostProgram>>,
}

impl Loader for Programs {
    fn start<'a>(&self, name: &[u8], proc: &'a mut Proc) -> Option<ProgramFuture<'a>> {
        if !self.host.is_empty()
            && let Ok(text) = std::str::from_utf8(name)
            && let Some(program) = self.host.get(text).cloned()
        {
            return Some(Box::pin(async move { program.run(proc).await }));
        }
        if let Some(program) = program::find(name) {
            return Some((program.run)(proc));
        }
        matches!(name, b"bash" | b"sh")
            .then(|| -> ProgramFuture<'a> { Box::pin(interp::bash(proc, BUILTINS)) })
    }

    fn needs_task(&self, name: &[u8]) -> bool {
        program::runs_others(name) || self.host.keys().any(|host| host.as_bytes() == name)
    }
}
