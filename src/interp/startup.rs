//! How a shell comes to life: its variables, the options of `bash`, and what it runs.

use std::sync::{Arc, OnceLock};

use super::function::{EXPORT_PREFIX, EXPORT_SUFFIX};
use super::{
    Arguments, Builtin, Context, Divert, Flow, Frame, Interp, Options, Origin, Set, Shopt, TrapKey, dynamic,
};
use crate::expand::{Attributes, Ifs, Indexed, Text, Value, Variable};
use crate::fs::{Errno, OpenFlags};
use crate::kernel::{Disposition, Proc, Signal, Stop, WaitStatus, cost};
use crate::syntax::ast::Name;

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
            zero: Arc::from(&b"bash"[..]),
            status: 0,
            pipe_status: vec![0],
            frames: imbl::Vector::new(),
            line: 1,
            line_shift: 0,
            command_text: None,
            context: Context::default(),
            subshell: 0,
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
            in_substitution: false,
            in_trap: 0,
            cond_open: false,
            leaving: super::Leaving::default(),
            debugged: false,
            evals: 0,
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
            } else if crate::expand::word::is_name(name)
                && !matches!(
                    name.as_slice(),
                    b"_" | b"SHELLOPTS" | b"BASHOPTS" | b"UID" | b"EUID" | b"PPID"
                )
            {
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
        if self.vars.get(b"OLDPWD").is_none() {
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

    fn import_function(&mut self, name: &[u8], value: &[u8]) {
        let text = [name, b" ", value].concat();
        let Ok(lists) = crate::syntax::parse_all(&text, &()) else {
            return;
        };
        let [list] = lists.as_slice() else { return };
        let [item] = list.items.as_slice() else { return };
        let [crate::syntax::ast::Command::Function(function)] = item.and_or.first.commands.as_slice() else {
            return;
        };
        if self.define_function(function).is_ok()
            && let Some(entry) = Arc::make_mut(&mut self.functions).get_mut(name)
        {
            entry.exported = true;
            entry.source = b"environment"[..].into();
        }
    }

    /// Runs what the shell was started for, to the end of the process.
    pub async fn run_start(&mut self, start: Start) -> Flow<WaitStatus> {
        self.read_bash_env().await?;
        let flow = match start {
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
                match self.proc.stdin() {
                    Ok(file) => self.run_stream(file).await,
                    Err(_) => Ok(0),
                }
            }
        };
        self.finish_process(flow).await
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
            arguments: Arc::clone(&self.positional),
        };
        self.frames.push_back(frame);
        self.run_text(text, Origin::Script).await
    }

    async fn read_script(&mut self, path: &[u8]) -> Result<Vec<u8>, i32> {
        match self.read_whole(path).await {
            Ok(text) if memchr::memchr(0, text.get(..text.len().min(80)).unwrap_or(&text)).is_some() => {
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

fn exported_name(name: &[u8]) -> Option<&[u8]> {
    name.strip_prefix(EXPORT_PREFIX)?.strip_suffix(EXPORT_SUFFIX)
}

/// What the options of `bash` ask for.
#[derive(Debug, Default)]
struct Invocation {
    command: bool,
    stdin: bool,
    version: bool,
    help: bool,
    set: Vec<(usize, bool)>,
    shopt: Vec<(usize, bool)>,
    posix: bool,
    list_options: bool,
    login: bool,
    operands: Vec<Vec<u8>>,
}

/// What follows an invalid option.
const USAGE: &str = "\
Usage:\tbash [GNU long option] [option] ...
\tbash [GNU long option] [option] script-file ...
GNU long options:
\t--debug
\t--debugger
\t--dump-po-strings
\t--dump-strings
\t--help
\t--init-file
\t--login
\t--noediting
\t--noprofile
\t--norc
\t--posix
\t--pretty-print
\t--rcfile
\t--restricted
\t--verbose
\t--version
Shell options:
\t-ilrsD or -c command or -O shopt_option\t\t(invocation only)
\t-abefhkmnptuvxBCEHPT or -o option
";

/// The program `bash` (and `sh`, which starts in posix mode).
pub async fn bash(proc: &mut Proc, builtins: &'static [Builtin]) -> Result<i32, Stop> {
    let name = proc
        .name()
        .rsplit(|byte| *byte == b'/')
        .next()
        .unwrap_or_default()
        .to_vec();
    let invocation = match parse_arguments(proc.arguments()) {
        Ok(invocation) => invocation,
        Err(message) => {
            let usage = if message.ends_with(b": invalid option") {
                USAGE
            } else {
                ""
            };
            let text = [proc.name(), b": ", &message, b"\n", usage.as_bytes()].concat();
            proc.write_error(&text).await?;
            return Ok(2);
        }
    };
    if invocation.version {
        proc.write(b"GNU bash, version 5.2.15(1)-release (x86_64-pc-linux-gnu)\n")
            .await?;
        return Ok(0);
    }
    if invocation.help {
        proc.write(b"Usage:\tbash [GNU long option] [option] ...\n\tbash [GNU long option] [option] script-file ...\n").await?;
        return Ok(0);
    }
    proc.charge(cost::SHELL)?;
    let mut interp = Interp::new(proc.clone(), builtins);
    proc.fds = crate::kernel::Fds::default();
    interp.zero = interp.proc.name().into();
    if name == b"sh" || invocation.posix {
        interp.options.set(Set::Posix, true);
        interp.options.set_shopt(Shopt::ExpandAliases, true);
    }
    for (index, on) in &invocation.set {
        interp.options.set_index(*index, *on);
    }
    for (index, on) in &invocation.shopt {
        interp.options.shopt_index(*index, *on);
    }
    interp.options.set_shopt(Shopt::LoginShell, invocation.login);
    let start = match choose_start(&mut interp, invocation) {
        Ok(start) => start,
        Err(message) => {
            let text = [&*interp.zero, b": ", &message, b"\n"].concat();
            proc.fds = interp.proc.fds.clone();
            proc.write_error(&text).await?;
            return Ok(2);
        }
    };
    let status = interp.run_start(start).await;
    drop(interp);
    match status {
        Ok(WaitStatus::Exited(code)) => Ok(i32::from(code)),
        Ok(WaitStatus::Signaled(signal)) => Err(Stop::Signal(signal)),
        Err(Divert::Halt(halt)) => Err(Stop::Halt(halt)),
        Err(_) => Ok(1),
    }
}

fn choose_start(interp: &mut Interp, invocation: Invocation) -> Result<Start, Vec<u8>> {
    let mut operands = invocation.operands.into_iter();
    let start = if invocation.command {
        let Some(text) = operands.next() else {
            return Err(b"-c: option requires an argument".to_vec());
        };
        if let Some(zero) = operands.next() {
            interp.zero = zero.into();
        }
        Start::Command(text)
    } else if invocation.stdin {
        Start::Stdin
    } else {
        match operands.next() {
            Some(path) => {
                interp.zero = path.as_slice().into();
                Start::File(path)
            }
            None => Start::Stdin,
        }
    };
    interp.set_positional(operands);
    Ok(start)
}

fn parse_arguments(args: &[Vec<u8>]) -> Result<Invocation, Vec<u8>> {
    let mut invocation = Invocation::default();
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        if arg == b"--" || arg == b"-" {
            invocation.operands.extend(rest.cloned());
            return Ok(invocation);
        }
        if let Some(long) = arg.strip_prefix(b"--") {
            match long {
                b"version" => invocation.version = true,
                b"help" => invocation.help = true,
                b"posix" => invocation.posix = true,
                b"login" => invocation.login = true,
                b"norc" | b"noprofile" | b"noediting" => {}
                b"verbose" => invocation.set.push((Set::Verbose as usize, true)),
                b"rcfile" | b"init-file" => {
                    if rest.next().is_none() {
                        return Err([long, b": option requires an argument".as_slice()].concat());
                    }
                }
                _ => return Err([arg, b": invalid option".as_slice()].concat()),
            }
            continue;
        }
        let sign = arg.first().copied();
        if !matches!(sign, Some(b'-' | b'+')) || arg.len() < 2 {
            invocation.operands.push(arg.clone());
            break;
        }
        let on = sign == Some(b'-');
        for letter in arg.get(1..).unwrap_or_default() {
            match letter {
                b'c' if on => invocation.command = true,
                b's' if on => invocation.stdin = true,
                b'l' => invocation.login = true,
                b'i' => {}
                b'o' | b'O' => named_option(*letter, on, rest.next(), &mut invocation)?,
                letter => match super::options::letter_index(*letter) {
                    Some(index) => invocation.set.push((index, on)),
                    None => return Err([&[b'-', *letter], b": invalid option".as_slice()].concat()),
                },
            }
        }
    }
    invocation.operands.extend(rest.cloned());
    Ok(invocation)
}

fn named_option(
    letter: u8,
    on: bool,
    name: Option<&Vec<u8>>,
    invocation: &mut Invocation,
) -> Result<(), Vec<u8>> {
    let Some(name) = name else {
        invocation.list_options = true;
        return Ok(());
    };
    let (index, list, who, what) = if letter == b'o' {
        (
            super::options::set_index(name),
            &mut invocation.set,
            b"line 0: bash: ".as_slice(),
            b": invalid option name".as_slice(),
        )
    } else {
        (
            super::options::shopt_index(name),
            &mut invocation.shopt,
            b"line 0: ".as_slice(),
            b": invalid shell option name".as_slice(),
        )
    };
    match index {
        Some(index) => {
            list.push((index, on));
            Ok(())
        }
        None => Err([who, name, what].concat()),
    }
}
