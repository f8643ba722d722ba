//! How a shell comes to life: its variables, what it takes from the environment, and what it runs.

use std::sync::{Arc, OnceLock};

use super::function::{EXPORT_PREFIX, EXPORT_SUFFIX};
use super::{
    Arguments, Builtin, Context, Divert, Flow, Frame, Interp, Misuse, Options, Origin, Set, TrapKey, dynamic,
};
use crate::expand::{Attributes, Ifs, Indexed, Text, Value, Variable};
use crate::fs::{Errno, FileKind, Follow, OpenFlags};
use crate::kernel::{Disposition, Proc, Signal, WaitStatus};
use crate::syntax::ast::{Command, Name};

use super::job::Jobs;
use super::vars::Vars;

/// What a shell is started to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Start {
    /// `-c text`
    Command(Vec<u8>),
    /// A script file.
    File(Vec<u8>),
    /// The text of a script, and the name it goes by.
    Script {
        /// What it says.
        text: Vec<u8>,
        /// Its path, for messages and `BASH_SOURCE`.
        name: Vec<u8>,
    },
    /// Standard input.
    Stdin,
}

/// The shell's own variables, before the environment.
fn template() -> &'static Vars {
    static TEMPLATE: OnceLock<Vars> = OnceLock::new();
    TEMPLATE.get_or_init(|| {
        let mut vars = Vars::default();
        let plain = [
            ("BASH", "/usr/bin/bash"),
            (
                "BASH_LOADABLES_PATH",
                "/usr/local/lib/bash:/usr/lib/bash:/opt/local/lib/bash:/usr/pkg/lib/bash:/opt/pkg/lib/bash:.",
            ),
            ("BASH_VERSION", "5.2.15(1)-release"),
            ("HOSTTYPE", "x86_64"),
            ("IFS", " \t\n"),
            ("MACHTYPE", "x86_64-pc-linux-gnu"),
            ("OPTERR", "1"),
            ("OPTIND", "1"),
            ("OSTYPE", "linux-gnu"),
            ("PS4", "+ "),
            ("SHELL", "/bin/bash"),
        ];
        for (name, value) in plain {
            vars.set_raw(name.as_bytes(), value.as_bytes());
        }
        let version = ["5", "2", "15", "1", "release", "x86_64-pc-linux-gnu"];
        let version = Indexed::from_texts(version.map(|text| Text::new(text.as_bytes())));
        let attributes = Attributes::READONLY;
        vars.insert(
            Name::from(&b"BASH_VERSINFO"[..]),
            Variable {
                value: Value::Indexed(Arc::new(version)),
                attributes,
            },
        );
        for (name, kind) in dynamic::TABLE {
            let attributes = match kind {
                dynamic::Dynamic::ShellOpts | dynamic::Dynamic::BashOpts => Attributes::READONLY,
                dynamic::Dynamic::Random
                | dynamic::Dynamic::Srandom
                | dynamic::Dynamic::BashPid
                | dynamic::Dynamic::HistCmd => Attributes::INTEGER,
                dynamic::Dynamic::FuncName => Attributes::ARRAY,
                _ => Attributes::default(),
            };
            vars.insert(
                Name::from(name.as_bytes()),
                Variable {
                    value: Value::Dynamic(kind as u8),
                    attributes,
                },
            );
        }
        vars
    })
}

impl Interp {
    /// A shell on a process; its environment becomes variables.
    pub fn new(proc: Proc, builtins: &'static [Builtin]) -> Interp {
        let now = proc.kernel.now();
        let random = proc.kernel.random() & 0x7fff_ffff;
        let mut interp = Interp {
            vars: template().clone(),
            functions: Arc::default(),
            aliases: Arc::default(),
            options: Options::default(),
            traps: Arc::default(),
            jobs: Jobs::default(),
            positional: Arc::default(),
            first_arguments: None,
            zero: Arc::from(&b"bash"[..]),
            status: 0,
            pipe_status: Vec::new(),
            frames: imbl::Vector::new(),
            line: 1,
            line_shift: 0,
            command_text: None,
            context: Context::default(),
            subshell: 0,
            subshell_offset: 0,
            words_outside: false,
            preparing: false,
            positional_reset: false,
            written_elements: Vec::new(),
            misuse: Misuse::None,
            shell_pid: proc.pid,
            shell_parent: proc.parent,
            last_background: None,
            directories: Arc::default(),
            hashed: Arc::default(),
            disabled: Arc::default(),
            started_as: None,
            execution_string: None,
            getopts_offset: 0,
            seconds_base: now,
            random,
            last_random: 0,
            builtins,
            keep_redirects: false,
            detached: false,
            noting: false,
            interactive: false,
            stage: super::interactive::Stage::Running,
            commands: 0,
            in_substitution: false,
            in_trap: 0,
            trap: None,
            trap_status: 0,
            cond_open: false,
            leaving: super::Leaving::default(),
            debugged: false,
            evals: 0,
            trace_descriptor: None,
            trace_prompt: Vec::new(),
            nest: 0,
            depth: 0,
            arithmetic_depth: 0,
            substitution_status: None,
            ifs: Arc::clone(Ifs::standard()),
            ifs_changed: true,
            buffers: Vec::new(),
            spare_args: Vec::new(),
            waiting: None,
            levels: Vec::new(),
            byte_locale: false,
            locale_varies: false,
            pending: Vec::new(),
            write_failed: false,
            pending_errno: None,
            last_argument: b"bash".to_vec(),
            declared: Vec::new(),
            process_fds: Vec::new(),
            tail: false,
            started_at: now,
            history: Arc::default(),
            completions: Arc::default(),
            has_completed: false,
            last_format: None,
            last_substitution: None,
            prompts: 0,
            patterns: Arc::default(),
            last_regex: None,
            coprocs: Vec::new(),
            proc,
        };
        let lease = interp.proc.kernel.lease();
        interp.vars.hold(&lease);
        interp.import_environment();
        interp.note_ignored();
        interp.read_locale();
        interp
    }

    /// Signals that are ignored when a shell starts stay so, and `trap` lists them.
    fn note_ignored(&mut self) {
        let signals = Arc::clone(&self.proc.signals);
        let ignored: Vec<Signal> = Signal::all()
            .filter(|signal| signals.disposition(*signal) == Disposition::Ignore)
            .collect();
        if ignored.is_empty() {
            return;
        }
        let kernel = &self.proc.kernel;
        let traps = Arc::make_mut(&mut self.traps);
        let keys = ignored.iter().map(|signal| TrapKey::Signal(*signal));
        traps
            .active
            .extend(keys.map(|key| (key, Arc::new(kernel.held(b"", Vec::new())))));
        traps.ignored_at_start = ignored;
    }

    /// An empty shell to stand in while the real one is away.
    pub(super) fn hollow(&self) -> Interp {
        let mut proc = self.proc.clone();
        proc.fds = crate::kernel::Fds::default();
        Interp {
            vars: Vars::default(),
            functions: Arc::default(),
            aliases: Arc::default(),
            traps: Arc::default(),
            jobs: Jobs::default(),
            positional: Arc::default(),
            first_arguments: None,
            zero: Arc::clone(&self.zero),
            pipe_status: Vec::new(),
            frames: imbl::Vector::new(),
            command_text: None,
            directories: Arc::default(),
            hashed: Arc::default(),
            disabled: Arc::default(),
            execution_string: None,
            ifs: Arc::clone(&self.ifs),
            buffers: Vec::new(),
            spare_args: Vec::new(),
            waiting: None,
            levels: Vec::new(),
            pending: Vec::new(),
            last_argument: Vec::new(),
            declared: Vec::new(),
            process_fds: Vec::new(),
            history: Arc::default(),
            completions: Arc::default(),
            last_format: None,
            last_substitution: None,
            patterns: Arc::default(),
            last_regex: None,
            coprocs: Vec::new(),
            trace_prompt: Vec::new(),
            proc,
            written_elements: Vec::new(),
            ..*self
        }
    }

    /// Positional parameters.
    pub fn set_positional(&mut self, args: impl IntoIterator<Item = Vec<u8>>) {
        self.positional = Arc::new(Arguments::new(
            args.into_iter().map(Text::from),
            self.proc.kernel.lease(),
        ));
    }

    /// `SECONDS` starts anew.
    pub fn restart_clock(&mut self) {
        self.seconds_base = self.proc.kernel.now();
        self.started_at = self.seconds_base;
    }

    /// Closes the standard streams of a run that has ended.
    pub fn close_files(&mut self) {
        for fd in 0..3 {
            let _ = self.proc.fds.close(fd);
        }
    }

    fn import_environment(&mut self) {
        let environment = self.proc.environment.clone();
        for (name, value) in environment.iter() {
            if let Some(function) = exported_name(name) {
                self.import_function(function, value);
            } else if crate::expand::word::is_name(name) && !self.keeps_own(name) {
                self.vars.set_exported(name, value.clone());
            }
        }
        let level = match self.number(b"SHLVL").unwrap_or(0).saturating_add(1) {
            level @ 0..1000 => level,
            level if level < 0 => 0,
            level => {
                let message = format!("warning: shell level ({level}) too high, resetting to 1");
                self.say(message.as_bytes());
                1
            }
        };
        self.vars.set_exported(b"SHLVL", level.to_string().into_bytes());
        self.vars.set_exported(b"PWD", self.proc.cwd.to_vec());
        if self.vars.get(b"PATH").is_none() {
            self.vars.set_raw(
                b"PATH",
                b"/usr/local/bin:/usr/local/sbin:/usr/bin:/usr/sbin:/bin:/sbin:.".to_vec(),
            );
        }
        let old = self.scalar(b"OLDPWD");
        let is_directory = |path: &Vec<u8>| {
            let found = self.proc.metadata(path, Follow::Yes);
            found.is_ok_and(|found| found.kind == FileKind::Directory)
        };
        if !old.as_ref().is_some_and(is_directory) {
            self.vars.unset(b"OLDPWD");
            let variable = self.vars.entry(b"OLDPWD");
            variable.attributes = variable.attributes.with(Attributes::EXPORT);
        }
        if self.vars.get(b"TERM").is_none() {
            self.vars.set_raw(b"TERM", b"dumb".to_vec());
        }
        if self.vars.get(b"HOSTNAME").is_none() {
            let host = self
                .proc
                .fs
                .read(&self.proc.view(), b"/etc/hostname")
                .unwrap_or_default();
            self.vars.set_raw(b"HOSTNAME", host.trim_ascii().to_vec());
        }
        let fixed = [
            ("UID", self.proc.user.uid),
            ("EUID", self.proc.user.uid),
            ("PPID", self.proc.parent),
        ];
        for (name, number) in fixed {
            let attributes = Attributes::INTEGER.with(Attributes::READONLY);
            let value = Value::Scalar(Text::from(number.to_string().into_bytes()));
            self.vars
                .insert(Name::from(name.as_bytes()), Variable { value, attributes });
        }
        let optind = self.vars.entry(b"OPTIND");
        optind.attributes = optind.attributes.with(Attributes::INTEGER);
        if self.vars.get(b"POSIXLY_CORRECT").is_some() {
            self.options.set(Set::Posix, true);
        }
        self.import_options();
        if self.vars.get(b"BASH_XTRACEFD").is_some() {
            self.choose_trace_descriptor();
        }
    }

    /// A variable that the shell does not take from its environment; the superuser's `PS4` could run commands.
    fn keeps_own(&self, name: &[u8]) -> bool {
        let fixed = matches!(
            name,
            b"_" | b"BASH" | b"BASHOPTS" | b"EUID" | b"IFS" | b"OPTIND" | b"PPID" | b"SHELLOPTS" | b"UID"
        );
        let dynamic = || {
            let value = self.vars.get(name).map(|variable| &variable.value);
            matches!(value, Some(Value::Dynamic(_)))
        };
        fixed || (name == b"PS4" && self.proc.user.uid == 0) || dynamic()
    }

    /// Options that are on in the shell that started this one, where it exports them.
    fn import_options(&mut self) {
        let environment = self.proc.environment.clone();
        for (variable, value) in environment.iter() {
            let set = variable == b"SHELLOPTS";
            if !set && variable != b"BASHOPTS" {
                continue;
            }
            for name in value.split(|byte| *byte == b':') {
                if let (true, Some(index)) = (set, super::options::set_index(name)) {
                    self.options.set_index(index, true);
                } else if let (false, Some(index)) = (set, super::options::shopt_index(name)) {
                    self.options.shopt_index(index, true);
                }
            }
            let variable = self.vars.entry(variable);
            variable.attributes = variable.attributes.with(Attributes::EXPORT);
        }
    }

    /// A function of the shell that started this one: nothing but its definition is run, and what is none is said.
    fn import_function(&mut self, name: &[u8], value: &[u8]) {
        if !value.starts_with(b"() {") {
            return;
        }
        let posix = self.options.is(Set::Posix) && !crate::expand::word::is_name(name);
        if !posix && !name.contains(&b'/') {
            self.define_imported(name, value);
        }
        match Arc::make_mut(&mut self.functions).get_mut(name) {
            Some(entry) => {
                entry.exported = true;
                entry.source = b"environment"[..].into();
            }
            None => self.say(&[b"error importing function definition for `", name, b"'"].concat()),
        }
    }

    fn define_imported(&mut self, name: &[u8], value: &[u8]) {
        let text = [name, b" ", value].concat();
        let lists = match crate::syntax::parse_all(&text, &()) {
            Ok(lists) => lists,
            Err(error) => {
                for (line, message) in error.lines() {
                    let line = format!(": line {}: ", line.saturating_sub(1));
                    self.say(&[name, line.as_bytes(), message.as_bytes()].concat());
                }
                return;
            }
        };
        if let [list] = lists.as_slice()
            && let [item] = list.items.as_slice()
            && let ([Command::Function(function)], []) =
                (item.and_or.first.commands.as_slice(), item.and_or.rest.as_slice())
            && !item.background
        {
            let _ = self.define_function(function);
            return;
        }
        self.say(&[b"warning: ", name, b": ignoring function definition attempt"].concat());
    }

    /// Runs what the shell was started for, to the end of the process.
    pub async fn run_start(&mut self, start: Start) -> Flow<WaitStatus> {
        let flow = match self.read_bash_env().await {
            Ok(()) => {
                if self.options.is(Set::History) && !matches!(start, Start::Command(_)) {
                    self.start_history();
                }
                self.run_from(start).await
            }
            Err(divert) => Err(divert),
        };
        self.finish_process(flow).await
    }

    pub(super) async fn run_from(&mut self, start: Start) -> Flow {
        match start {
            Start::Command(text) => {
                self.started_as = Some(b'c');
                self.execution_string = Some(text.as_slice().into());
                self.vars.set_raw(b"BASH_EXECUTION_STRING", text.clone());
                self.run_text(&text, Origin::Command).await
            }
            Start::File(path) => match self.read_script(&path).await {
                Ok(text) => self.run_script(&path, &text).await,
                Err(status) => Err(Divert::Exit(status)),
            },
            Start::Script { text, name } => self.run_script(&name, &text).await,
            Start::Stdin => {
                self.started_as = Some(b's');
                self.run_stream().await
            }
        }
    }

    /// `BASH_ENV`: a file that is sourced before a script.
    async fn read_bash_env(&mut self) -> Flow<()> {
        let Some(path) = self
            .scalar(b"BASH_ENV")
            .filter(|path| !path.is_empty() && !self.options.is(Set::Posix))
        else {
            return Ok(());
        };
        let Ok(text) = self.read_whole(&path).await else {
            return Ok(());
        };
        self.run_sourced(&path, text, None).await.map(drop)
    }

    async fn run_script(&mut self, path: &[u8], text: &[u8]) -> Flow {
        let frame = Frame {
            name: Name::from(&b"main"[..]),
            source: path.into(),
            call_line: 0,
            arguments: None,
        };
        self.frames.push_back(frame);
        self.run_text(text, Origin::Script).await
    }

    async fn read_script(&mut self, path: &[u8]) -> Result<Vec<u8>, i32> {
        match self.read_whole(path).await {
            Ok(text) if is_binary(&text) => {
                self.say(&[path, b": cannot execute binary file"].concat());
                Err(126)
            }
            Ok(text) => Ok(text),
            Err(Errno::EISDIR) => {
                self.say(&[path, b": Is a directory"].concat());
                Err(126)
            }
            Err(errno) => {
                // It was not opened: the shell still goes by its own name.
                let line = [self.proc.name(), b": ", path, format!(": {errno}\n").as_bytes()].concat();
                self.print_error(line);
                Err(if errno == Errno::ENOENT { 127 } else { 126 })
            }
        }
    }

    fn say(&mut self, message: &[u8]) {
        let zero = self.message_name();
        self.print_error([&*zero, b": ", message, b"\n"].concat());
    }

    /// A whole file, bounded by the memory limit.
    pub async fn read_whole(&mut self, path: &[u8]) -> Result<Vec<u8>, Errno> {
        let file = self.proc.open(path, OpenFlags::READ).await?;
        let mut text = Vec::new();
        let mut lease = self.proc.kernel.lease();
        loop {
            if file.read(&mut text, 1 << 16).await? == 0 {
                // It is kept for as long as it runs, and files that read each other nest deep.
                text.shrink_to_fit();
                return Ok(text);
            }
            lease.resize(text.len()).map_err(|_| Errno::ENOMEM)?;
        }
    }
}

/// The start of a file that is no script: a NUL in its first line (or the one after `#!`), or what begins programs.
pub(super) fn is_binary(text: &[u8]) -> bool {
    let head = text.get(..80).unwrap_or(text);
    let lines = if head.starts_with(b"#!") { 2 } else { 1 };
    let mut looked_at = head.split(|byte| *byte == b'\n').take(lines);
    head.starts_with(b"\x7fELF") || looked_at.any(|line| line.contains(&0))
}

fn exported_name(name: &[u8]) -> Option<&[u8]> {
    name.strip_prefix(EXPORT_PREFIX)?.strip_suffix(EXPORT_SUFFIX)
}
