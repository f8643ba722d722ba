//! Interactive shells, `bash -i`: start-up files, prompts, history, and errors that do not end the shell.
//!
//! There is no terminal, so that job control and editing of lines are missing, as in a bash whose input is a file: it says so, then prompts and
//! echoes each line that it reads on standard error. The history is read from `HISTFILE` at the start and written back at the end.
//! Cases: `corpus/cases/idiom/interactive.case`.

use std::sync::Arc;

use super::history::expand;
use super::{Divert, Flow, Interp, Leaving, Origin, Set, Shopt, Start};
use crate::expand::Value;
use crate::kernel::WaitStatus;

/// What bash says when there is no terminal.
const NO_TERMINAL: [&[u8]; 2] = [
    b"cannot set terminal process group (-1): Inappropriate ioctl for device",
    b"no job control in this shell",
];

/// The start-up file for everybody.
const SYSTEM_FILE: &[u8] = b"/etc/bash.bashrc";

/// Which file an interactive shell reads first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) enum StartUp {
    /// The system's and `~/.bashrc`.
    #[default]
    Usual,
    /// `--rcfile`
    File(Vec<u8>),
    /// `--norc`
    Nothing,
}

/// What an interactive shell does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    /// Reads its start-up files.
    Starting,
    /// Prompts for a command that was not read yet.
    Prompting,
    /// Runs commands.
    Running,
}

impl Interp {
    /// The shell that a user would talk to: not one of its subshells.
    pub fn is_interactive(&self) -> bool {
        self.interactive && self.subshell == 0
    }

    /// Runs an interactive shell to the end of the process.
    pub(super) async fn run_interactive(&mut self, start: Start, startup: StartUp) -> Flow<WaitStatus> {
        self.interactive = true;
        for option in [Set::Emacs, Set::Histexpand, Set::History] {
            self.options.set(option, true);
        }
        self.options.set_shopt(Shopt::ExpandAliases, true);
        for (name, value) in [("PS1", &br"\s-\v\$ "[..]), ("PS2", b"> ")] {
            self.set_unless_set(name.as_bytes(), value.to_vec());
        }
        self.name_history_file();
        for message in NO_TERMINAL {
            self.error(message);
        }
        if matches!(start, Start::Command(_)) {
            self.started_as = Some(b'c');
        }
        let flow = match self.read_start_up(startup).await {
            Ok(()) => self.run_with_history(start).await,
            Err(divert) => Err(divert),
        };
        self.finish_process(flow).await
    }

    async fn run_with_history(&mut self, start: Start) -> Flow {
        if !matches!(start, Start::Command(_)) {
            self.begin_history();
        }
        self.run_from(start).await
    }

    fn set_unless_set(&mut self, name: &[u8], value: Vec<u8>) {
        if self.vars.get(name).is_none() {
            self.vars.set_raw(name, value);
        }
    }

    /// In POSIX mode the file is what `ENV` names.
    async fn read_start_up(&mut self, startup: StartUp) -> Flow<()> {
        let home = self.scalar(b"HOME").unwrap_or_default();
        let files = match startup {
            _ if self.options.is(Set::Posix) => self.scalar(b"ENV").into_iter().collect(),
            StartUp::Usual => vec![SYSTEM_FILE.to_vec(), [&home, b"/.bashrc".as_slice()].concat()],
            StartUp::File(file) => vec![SYSTEM_FILE.to_vec(), file],
            StartUp::Nothing => Vec::new(),
        };
        self.stage = Stage::Starting;
        for file in files {
            if let Ok(text) = self.read_whole(&file).await {
                self.run_sourced(&file, text, None).await?;
            }
        }
        self.stage = Stage::Running;
        Ok(())
    }

    /// What an error in a complete command comes to here: the command is abandoned, and the shell goes on.
    pub(super) fn survived(&self, flow: Flow) -> Flow {
        match flow {
            Err(Divert::Exit(status)) if self.is_interactive() && self.leaving == Leaving::Nothing => {
                Err(Divert::Discard(status))
            }
            flow => flow,
        }
    }

    /// Prompts for the first line of a command, or for one more.
    pub(super) async fn prompt(&mut self, first: bool, line: u32) -> Flow<()> {
        if first {
            self.line = line;
            self.run_prompt_commands().await?;
        }
        self.stage = Stage::Prompting;
        let flow = self.print_prompt(if first { b"PS1" } else { b"PS2" }).await;
        self.stage = Stage::Running;
        flow
    }

    /// Prints a prompt, without the marks of what has no width.
    pub(super) async fn print_prompt(&mut self, name: &[u8]) -> Flow<()> {
        let Some(text) = self.scalar(name) else {
            return Ok(());
        };
        let mut prompt = match self.expand_prompt(&text).await {
            Ok(prompt) => prompt,
            Err(failure) => match self.fail_expansion(failure) {
                Divert::Halt(halt) => return Err(halt.into()),
                _ => Vec::new(),
            },
        };
        prompt.retain(|byte| !matches!(byte, 1 | 2));
        self.print_error(prompt);
        self.flush().await
    }

    /// `PROMPT_COMMAND`: each of its elements is run, and sees `$?` as the last command left it.
    async fn run_prompt_commands(&mut self) -> Flow<()> {
        let commands = match self.value_of(b"PROMPT_COMMAND") {
            None | Some(Value::Unset) => return Ok(()),
            Some(value) => value.elements(),
        };
        for command in commands {
            let (status, pipe_status, line) = (self.status, self.pipe_status.clone(), self.line);
            let flow = self.run_nested(command.to_vec(), Origin::Eval).await;
            (self.status, self.pipe_status, self.line) = (status, pipe_status, line);
            if let Err(divert @ (Divert::Exit(_) | Divert::Halt(_) | Divert::Kill(_))) = self.survived(flow) {
                return Err(divert);
            }
        }
        Ok(())
    }

    /// A line was read behind a prompt: it is echoed, and its `!` are replaced. `false`: that failed, and the line is dropped.
    pub(super) async fn take_typed(&mut self, pending: &mut Vec<u8>, start: usize) -> Flow<bool> {
        let mut echo = pending.get(start..).unwrap_or_default().to_vec();
        if echo.last() != Some(&b'\n') {
            echo.push(b'\n');
        }
        self.print_error(echo);
        let typed = pending.get(start..).unwrap_or_default();
        if start > 0 || !self.options.is(Set::Histexpand) || !typed.contains(&b'!') {
            self.flush().await?;
            return Ok(true);
        }
        let history = Arc::clone(&self.history);
        let expanded = expand(&history, typed);
        let kept = match expanded {
            Some(text) if text == typed => true,
            Some(text) => {
                self.print_error(&text);
                pending.truncate(start);
                pending.extend_from_slice(&text);
                true
            }
            None => {
                let event = memchr::memchr(b'!', typed).and_then(|at| typed.get(at..));
                let event = event.and_then(|text| text.split(u8::is_ascii_whitespace).next());
                self.error([event.unwrap_or_default(), b": event not found"].concat());
                false
            }
        };
        self.flush().await?;
        Ok(kept)
    }

    /// The end of the input, or `exit`, is said.
    pub fn say_exit(&mut self) {
        if self.is_interactive() && self.stage != Stage::Starting {
            let login = self.options.shopt(Shopt::LoginShell);
            self.print_error(if login { "logout\n" } else { "exit\n" });
        }
    }
}
