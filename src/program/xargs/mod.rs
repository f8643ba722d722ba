//! `xargs`: builds command lines from its input and runs them.
//!
//! [`options`] reads the command line, [`items`] the input; here commands are filled up to their limits as GNU's `buildcmd` does
//! and run, several at a time under `-P`. A command's standard input is empty unless `-a` frees xargs' own.

mod items;
mod options;

use super::usage;
use crate::args::quotef;
use crate::fs::{Device, OpenFlags};
use crate::kernel::{File, Input, Launch, Pid, Proc, Program, Stop, WaitStatus};
use crate::program::launch::launch_status;
use crate::text::gnu_quote::{Style, styled};
use items::{Items, Next, Trouble};
use options::{Options, SPEC};
use std::sync::Arc;

/// The program.
pub const PROGRAM: Program = Program {
    name: "xargs",
    run: |proc| Box::pin(run(proc)),
};

async fn run(proc: &mut Proc) -> Result<i32, Stop> {
    let parsed = usage::parse(proc, &SPEC).await?;
    let environment = environment_size(proc);
    let most = options::SYSTEM_LIMIT.saturating_sub(options::HEADROOM + environment);
    let options = Options::from_parsed(parsed, most);
    let options = usage::accept(proc, options).await?;
    for warning in &options.warnings {
        proc.warn(warning).await?;
    }
    if options.show_limits {
        show_limits(proc, &options, environment, most).await?;
    }
    let input = match &options.arg_file {
        None => proc.stdin(),
        Some(name) if name == b"-" => proc.stdin(),
        Some(name) => match proc.open(name, OpenFlags::READ).await {
            Ok(file) => Ok(file),
            Err(errno) => return Err(usage::fail(proc, 1, options::cannot_open(name, errno)).await),
        },
    };
    let Ok(input) = input else {
        return Err(usage::fail(proc, 1, "Bad file descriptor").await);
    };
    if options.interactive || options.open_tty {
        return Err(usage::fail(
            proc,
            1,
            "failed to open /dev/tty for reading: No such device or address",
        )
        .await);
    }
    let mut builder = Builder::new(proc, &options);
    if options.replace.is_some() {
        builder.run_by_line(Input::new(input)).await
    } else {
        builder.run_filled(Input::new(input)).await
    }
}

fn environment_size(proc: &Proc) -> usize {
    proc.environment
        .iter()
        .map(|(name, value)| name.len() + value.len() + 2)
        .sum()
}

async fn show_limits(
    proc: &mut Proc,
    options: &Options,
    environment: usize,
    most: usize,
) -> Result<(), Stop> {
    let text = format!(
        "Your environment variables take up {environment} bytes\n\
         POSIX upper limit on argument length (this system): {most}\n\
         POSIX smallest allowable upper limit on argument length (all systems): 4096\n\
         Maximum length of command we could actually use: {}\n\
         Size of command buffer we are actually using: {}\n\
         Maximum parallelism (--max-procs must be no greater): 2147483647\n",
        most.saturating_sub(environment),
        options.max_chars
    );
    proc.write_error(text.as_bytes()).await
}

/// A command line in the making, and the commands that run.
struct Builder<'a> {
    proc: &'a mut Proc,
    options: &'a Options,
    args: Vec<Vec<u8>>,
    /// Bytes of the arguments, each with its NUL.
    chars: usize,
    /// Arguments, and their bytes, that every command starts with.
    initial: (usize, usize),
    /// Running commands by slot.
    running: Vec<Option<Pid>>,
    executed: u64,
    status: i32,
}

/// The most arguments that fit a system's limit, a pointer each.
const MOST_ARGS: usize = options::SYSTEM_LIMIT / 8;

impl<'a> Builder<'a> {
    fn new(proc: &'a mut Proc, options: &'a Options) -> Builder<'a> {
        Builder {
            proc,
            options,
            args: Vec::new(),
            chars: 0,
            initial: (0, 0),
            running: Vec::new(),
            executed: 0,
            status: 0,
        }
    }

    /// As many items a command as fit.
    async fn run_filled(&mut self, input: Input) -> Result<i32, Stop> {
        let options = self.options;
        for arg in &options.command {
            self.push(arg.clone()).await?;
            self.initial = (self.args.len(), self.chars);
        }
        let mut items = Items::new(input, options, self.longest());
        loop {
            match items.next().await {
                Ok(Next::End) => break,
                Ok(Next::Item(item)) => {
                    self.warn_of_nul(&mut items).await?;
                    self.push(until_nul(item)).await?;
                }
                Err(trouble) => return self.give_up(trouble).await,
            }
            if options.max_lines.is_some_and(|most| items.lines >= most) && items.at_line_end() {
                self.execute().await?;
                items.lines = 0;
            }
        }
        if self.args.len() > self.initial.0 || (options.run_if_empty && self.executed == 0) {
            self.execute().await?;
        }
        self.finish().await
    }

    /// `-I`: a command for each line.
    async fn run_by_line(&mut self, input: Input) -> Result<i32, Stop> {
        let options = self.options;
        let pattern = options.replace.clone().unwrap_or_default();
        let mut items = Items::new(input, options, options.max_chars.saturating_sub(1));
        loop {
            let line = match items.next().await {
                Ok(Next::End) => break,
                Ok(Next::Item(line)) => line,
                Err(trouble) => return self.give_up(trouble).await,
            };
            self.warn_of_nul(&mut items).await?;
            self.args.clear();
            self.chars = 0;
            for (index, arg) in options.command.iter().enumerate() {
                // The command's own name is not replaced.
                let arg = if index == 0 {
                    arg.clone()
                } else {
                    replaced(arg, &pattern, &line)
                };
                self.push(until_nul(arg)).await?;
            }
            self.execute().await?;
        }
        self.finish().await
    }

    fn longest(&self) -> usize {
        self.options.max_chars.saturating_sub(self.initial.1 + 1)
    }

    async fn warn_of_nul(&mut self, items: &mut Items<'_>) -> Result<(), Stop> {
        if !std::mem::take(&mut items.nul) {
            return Ok(());
        }
        self.proc
            .warn(
                "WARNING: a NUL character occurred in the input.  It cannot be passed through in the argument list.  Did you \
                 mean to use the --null option?",
            )
            .await
    }

    async fn give_up(&mut self, trouble: Trouble) -> Result<i32, Stop> {
        if self.options.replace.is_none() && self.args.len() > self.initial.0 {
            self.execute().await?;
        }
        let message = match trouble {
            Trouble::Quote(name) => {
                format!(
                    "unmatched {name} quote; by default quotes are special to xargs unless you use the -0 option"
                )
            }
            Trouble::TooLong => "argument line too long".to_owned(),
            Trouble::Read(errno) => errno.to_string(),
        };
        self.proc.warn(message).await?;
        self.wait_for_all().await?;
        Ok(1)
    }

    /// Adds an argument, running the command before when it would not fit, and after when it is full.
    async fn push(&mut self, arg: Vec<u8>) -> Result<(), Stop> {
        let length = arg.len() + 1;
        if self.chars + length > self.options.max_chars {
            if self.args.len() == self.initial.0 {
                let message = "cannot fit single argument within argument list size limit";
                return Err(usage::fail(self.proc, 1, message).await);
            }
            let counted = self.options.max_lines.is_some() || self.options.max_args.is_some();
            if self.options.replace.is_some() || (self.options.exit_if_large && counted) {
                return Err(usage::fail(self.proc, 1, "argument list too long").await);
            }
            self.execute().await?;
        }
        self.args.push(arg);
        self.chars += length;
        let count = self.args.len() - self.initial.0.min(self.args.len());
        let full = self
            .options
            .max_args
            .is_some_and(|most| self.initial.0 > 0 && count as u64 >= most);
        if (full && self.initial.0 == self.options.command.len()) || self.args.len() >= MOST_ARGS {
            self.execute().await?;
        }
        Ok(())
    }

    /// Runs the command as it stands and goes back to its initial arguments.
    async fn execute(&mut self) -> Result<(), Stop> {
        let args = self.args.clone();
        self.args.truncate(self.initial.0);
        self.chars = self.initial.1;
        self.executed += 1;
        self.proc.charge(1)?;
        if self.options.verbose {
            let quoted = |arg: &Vec<u8>| styled(arg, Style::ShellEscape, b"");
            let words: Vec<Vec<u8>> = args.iter().map(quoted).collect();
            let line = [words.join(&b' ').as_slice(), b"\n"].concat();
            self.proc.write_error(&line).await?;
        }
        let slot = self.free_slot().await?;
        let name = args.first().cloned().unwrap_or_default();
        match self.proc.spawn(self.launch(args, slot)) {
            Ok(pid) => {
                if let Some(place) = self.running.get_mut(slot) {
                    *place = Some(pid);
                }
                if self.options.max_procs == 1 {
                    self.wait_for(slot, pid, &name).await
                } else {
                    Ok(())
                }
            }
            Err(errno) => {
                let message = [&quotef(&name), b": ".as_slice(), errno.message().as_bytes()].concat();
                self.proc.warn(message).await?;
                self.wait_for_all().await?;
                Err(Stop::Exit(launch_status(errno)))
            }
        }
    }

    fn launch(&self, args: Vec<Vec<u8>>, slot: usize) -> Launch {
        let mut launch = Launch {
            args,
            ..Launch::default()
        };
        if self.options.arg_file.is_none() {
            let null = File::device(&self.proc.kernel, Device::Null, OpenFlags::READ);
            launch.fds.push((0, Arc::new(null)));
        }
        if let Some(name) = &self.options.slot_variable {
            let mut environment = self.proc.environment.to_vec();
            environment.retain(|(known, _)| known != name);
            environment.push((name.clone(), slot.to_string().into_bytes()));
            launch.environment = Some(environment);
        }
        launch
    }

    /// The lowest slot without a command, waiting for one when all are taken.
    async fn free_slot(&mut self) -> Result<usize, Stop> {
        loop {
            if let Some(slot) = self.running.iter().position(Option::is_none) {
                return Ok(slot);
            }
            if self.options.max_procs == 0 || (self.running.len() as u64) < self.options.max_procs {
                self.running.push(None);
                return Ok(self.running.len() - 1);
            }
            self.wait_for_one().await?;
        }
    }

    async fn wait_for_one(&mut self) -> Result<(), Stop> {
        let kernel = self.proc.kernel.clone();
        let running = self.running.clone();
        let ended = || {
            running.iter().enumerate().find_map(|(slot, pid)| {
                let pid = (*pid)?;
                kernel.status_of(pid).is_some().then_some((slot, pid))
            })
        };
        let (slot, pid) = kernel.wait_any(&self.proc.signals, ended).await;
        let name = self.options.command.first().cloned().unwrap_or_default();
        self.wait_for(slot, pid, &name).await
    }

    async fn wait_for_all(&mut self) -> Result<(), Stop> {
        while self.running.iter().any(Option::is_some) {
            self.wait_for_one().await?;
        }
        Ok(())
    }

    async fn wait_for(&mut self, slot: usize, pid: Pid, name: &[u8]) -> Result<(), Stop> {
        let status = self.proc.wait(pid).await.unwrap_or(WaitStatus::Exited(0));
        if let Some(place) = self.running.get_mut(slot) {
            *place = None;
        }
        let (code, sentence) = match status {
            WaitStatus::Exited(0) => return Ok(()),
            WaitStatus::Exited(255) => (124, "exited with status 255; aborting".to_owned()),
            WaitStatus::Exited(_) => {
                self.status = 123;
                return Ok(());
            }
            WaitStatus::Signaled(signal) => (125, format!("terminated by signal {}", signal.number())),
        };
        let message = [&quotef(name), b": ".as_slice(), sentence.as_bytes()].concat();
        Err(usage::fail(self.proc, code, message).await)
    }

    async fn finish(&mut self) -> Result<i32, Stop> {
        self.wait_for_all().await?;
        Ok(self.status)
    }
}

/// A NUL ends an argument, as in C.
fn until_nul(mut arg: Vec<u8>) -> Vec<u8> {
    if let Some(end) = memchr::memchr(0, &arg) {
        arg.truncate(end);
    }
    arg
}

fn replaced(arg: &[u8], pattern: &[u8], line: &[u8]) -> Vec<u8> {
    if pattern.is_empty() {
        return arg.to_vec();
    }
    let mut out = Vec::new();
    let mut rest = arg;
    while let Some(at) = memchr::memmem::find(rest, pattern) {
        out.extend_from_slice(rest.get(..at).unwrap_or_default());
        out.extend_from_slice(line);
        rest = rest.get(at + pattern.len()..).unwrap_or_default();
    }
    out.extend_from_slice(rest);
    out
}
