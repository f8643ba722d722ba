//! The emulated shell as a [`Runner`]: the same case, without a process.
//!
//! A case gets a fresh shell, whose limits bound it, so nothing here needs a time-out. A panic is a failure of the case.

use super::format::{Case, Entry, Mode, Observed};
use super::shell::{RunError, Runner, WORKSPACE, environment, script_text};
use exuvia::fs::{Follow, View};
use exuvia::kernel::Halt;
use exuvia::{Run, Shell, State};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// exuvia itself, in this process.
pub struct Emulated;

impl Runner for Emulated {
    fn run(&self, case: &Case) -> Result<Observed, RunError> {
        catch_unwind(AssertUnwindSafe(|| play(case)))
            .unwrap_or_else(|_| Err(RunError::Failed("panic".to_owned())))
    }
}

fn play(case: &Case) -> Result<Observed, RunError> {
    let failed = |error: &dyn std::fmt::Display| RunError::Failed(error.to_string());
    let mut builder = Shell::builder().state(State::Fresh).user(0, 0).env_clear();
    for (name, value) in environment(case, WORKSPACE.as_bytes(), "/usr/bin:/bin") {
        builder = builder.env(name, value);
    }
    let mut shell = builder.build().map_err(|error| failed(&error))?;
    for entry in &case.entries {
        make(&shell, entry).map_err(|error| failed(&error))?;
    }
    let run = match case.mode {
        Mode::Command => Run::command(script_text(case)),
        Mode::File => {
            make(
                &shell,
                &Entry::File {
                    name: b"script.sh".to_vec(),
                    mode: 0o644,
                    content: case.script.clone(),
                },
            )
            .map_err(|error| failed(&error))?;
            Run::file("script.sh")
        }
        Mode::Stdin => Run::stdin_script().stdin(&case.script),
    };
    let run = match (&case.stdin, case.mode) {
        (_, Mode::Stdin) => run,
        (Some(stdin), _) => run.stdin(stdin),
        (None, _) => run.stdin(b""),
    };
    let outcome = shell.execute(run.args(&case.args));
    if outcome.halt == Some(Halt::Deadlock) {
        return Err(RunError::TimedOut);
    }
    Ok(Observed {
        stdout: outcome.stdout,
        stderr: outcome.stderr,
        status: outcome.status,
    })
}

fn make(shell: &Shell, entry: &Entry) -> Result<(), exuvia::fs::Errno> {
    let view = View {
        umask: 0o022,
        now: exuvia::host::system_time(),
        ..View::ROOT
    };
    let path = |name: &[u8]| [WORKSPACE.as_bytes(), b"/", name].concat();
    match entry {
        Entry::File { name, mode, content } => {
            let path = path(name);
            shell.fs().write_with_parents(&view, &path, content)?;
            shell.fs().set_mode(&view, &path, *mode, Follow::Yes)
        }
        Entry::Directory { name } => {
            let path = path(name);
            shell
                .fs()
                .write_with_parents(&view, &[&path, b"/.made".as_slice()].concat(), b"")?;
            shell.fs().unlink(&view, &[&path, b"/.made".as_slice()].concat())
        }
        Entry::Link { name, target } => shell.fs().symlink(&view, target, &path(name)),
    }
}
