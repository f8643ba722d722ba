//! Runs a case in a shell: the [`Runner`] trait and the one for real processes.
//!
//! This file owns processes, temporary directories and the clock. A case gets a fresh directory, a fixed environment and its own process
//! group, which is killed as a whole when the time is up: a background child that keeps a pipe open counts as still running.

use super::format::{Case, Entry, Mode, Observed};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{PoisonError, RwLock};
use std::thread;
use std::time::{Duration, Instant};

/// Where the working directory of a case is in the emulated shell, and how `cwd: mapped` shows it.
pub const WORKSPACE: &str = "/workspace";

/// Seconds a case may take unless it says otherwise.
pub const DEFAULT_LIMIT: u64 = 10;

/// Why there is nothing to compare.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunError {
    /// The time was up.
    TimedOut,
    /// The shell could not be run.
    Failed(String),
}

/// Something that runs cases. One value serves many threads.
pub trait Runner: Sync {
    /// Runs the script of `case` in a fresh world made of its files, arguments, input and [`environment`].
    fn run(&self, case: &Case) -> Result<Observed, RunError>;
}

/// The whole environment of a case, in order; later entries replace earlier ones.
pub fn environment(case: &Case, cwd: &[u8], path: &str) -> Vec<(Vec<u8>, Vec<u8>)> {
    let fixed: [(&str, &[u8]); 5] = [
        ("PATH", path.as_bytes()),
        ("HOME", cwd),
        ("LANG", b"C.UTF-8"),
        ("TZ", b"UTC"),
        ("TERM", b"dumb"),
    ];
    let fixed = fixed
        .into_iter()
        .map(|(name, value)| (name.as_bytes().to_vec(), value.to_vec()));
    fixed.chain(case.env.iter().cloned()).collect()
}

/// The script as it is handed over: `-c` takes it without its final newline.
pub fn script_text(case: &Case) -> &[u8] {
    match case.mode {
        Mode::Command => case.script.strip_suffix(b"\n").unwrap_or(&case.script),
        Mode::File | Mode::Stdin => &case.script,
    }
}

/// A real shell, started as a process a case.
pub struct RealShell {
    command: Vec<OsString>,
}

impl RealShell {
    /// `command` is a program and its first arguments, separated by blanks.
    pub fn new(command: &str) -> Self {
        RealShell {
            command: command.split_whitespace().map(OsString::from).collect(),
        }
    }

    /// The judge: the machine's bash.
    pub fn bash() -> Self {
        RealShell::new("bash")
    }

    fn command(&self, case: &Case, world: &World) -> Result<Command, RunError> {
        let Some((program, first)) = self.command.split_first() else {
            return Err(RunError::Failed("empty shell command".to_owned()));
        };
        let mut command = Command::new(program);
        // In `mode: stdin` messages are named after argv[0].
        if first.is_empty() {
            command.arg0(Path::new(program).file_name().unwrap_or(program));
        }
        command
            .args(first)
            .current_dir(&world.cwd)
            .env_clear()
            .process_group(0);
        let cwd = world.cwd.as_os_str().as_bytes();
        for (name, value) in environment(case, cwd, "/usr/bin:/bin") {
            command.env(OsStr::from_bytes(&name), OsStr::from_bytes(&value));
        }
        match case.mode {
            Mode::Command => command
                .arg("-c")
                .arg(OsStr::from_bytes(script_text(case)))
                .arg("bash"),
            Mode::File => command.arg("script.sh"),
            Mode::Stdin => command.args(["-s", "--"]),
        };
        command.args(case.args.iter().map(|a| OsStr::from_bytes(a)));
        let stdin = fs::File::open(&world.stdin)?;
        command.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped());
        Ok(command)
    }
}

impl From<io::Error> for RunError {
    fn from(error: io::Error) -> Self {
        RunError::Failed(error.to_string())
    }
}

impl Runner for RealShell {
    fn run(&self, case: &Case) -> Result<Observed, RunError> {
        let world = World::create(case)?;
        let mut command = self.command(case, &world)?;
        let mut child = {
            let _nothing_is_being_written = WRITING.write().unwrap_or_else(PoisonError::into_inner);
            command.spawn()?
        };
        let deadline = Instant::now() + Duration::from_secs(case.limit.unwrap_or(DEFAULT_LIMIT));
        let stdout = collect(child.stdout.take());
        let stderr = collect(child.stderr.take());
        let outputs = receive(&stdout, deadline).zip(receive(&stderr, deadline));
        let Some((stdout, stderr)) = outputs else {
            kill_group(&mut child);
            return Err(RunError::TimedOut);
        };
        let Some(status) = wait_until(&mut child, deadline)? else {
            kill_group(&mut child);
            return Err(RunError::TimedOut);
        };
        let mut observed = Observed {
            stdout,
            stderr,
            status: status_number(status),
        };
        if case.map_cwd {
            let cwd = world.cwd.as_os_str().as_bytes();
            observed.stdout = replace(&observed.stdout, cwd, WORKSPACE.as_bytes());
            observed.stderr = replace(&observed.stderr, cwd, WORKSPACE.as_bytes());
        }
        Ok(observed)
    }
}

fn status_number(status: ExitStatus) -> i32 {
    status
        .code()
        .or_else(|| status.signal().map(|s| 128 + s))
        .unwrap_or(-1)
}

/// Reads a stream to its end beside the main thread, since the child may fill both pipes.
fn collect(stream: Option<impl Read + Send + 'static>) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut stream) = stream
            && stream.read_to_end(&mut bytes).is_ok()
        {
            // The receiver is gone when the time was up; nobody wants the bytes then.
            drop(sender.send(bytes));
        }
    });
    receiver
}

fn receive(stream: &Receiver<Vec<u8>>, deadline: Instant) -> Option<Vec<u8>> {
    stream
        .recv_timeout(deadline.saturating_duration_since(Instant::now()))
        .ok()
}

/// The child has closed its outputs, so it ends at once but for rare scripts.
fn wait_until(child: &mut Child, deadline: Instant) -> io::Result<Option<ExitStatus>> {
    let mut pause = Duration::from_micros(200);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if Instant::now() >= deadline {
            return Ok(None);
        }
        thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
    }
}

fn kill_group(child: &mut Child) {
    let group = format!("-{}", child.id());
    // Failure means that the group is gone already.
    drop(
        Command::new("kill")
            .args(["-KILL", "--", &group])
            .stderr(Stdio::null())
            .status(),
    );
    drop(child.kill());
    drop(child.wait());
}

/// Replaces every occurrence of `from`.
pub fn replace(text: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((&byte, tail)) = rest.split_first() {
        if let Some(after) = rest.strip_prefix(from) {
            out.extend_from_slice(to);
            rest = after;
        } else {
            out.push(byte);
            rest = tail;
        }
    }
    out
}

/// The start of the names of all temporary directories; output that holds it is refused.
pub const TEMPORARY_NAME: &str = "exuvia-corpus-";

/// Held for reading while files are written and for writing while a process starts: a child that is forked in between holds the
/// file open until its exec, and running that file then fails with "Text file busy".
static WRITING: RwLock<()> = RwLock::new(());

static COUNTER: AtomicUsize = AtomicUsize::new(0);

/// The temporary directory of one run, removed when dropped: the cwd, and the input beside it.
struct World {
    root: PathBuf,
    cwd: PathBuf,
    stdin: PathBuf,
}

impl World {
    /// A directory that nobody has: process numbers repeat where processes live in name spaces of their own.
    fn make_root() -> io::Result<PathBuf> {
        loop {
            let number = COUNTER.fetch_add(1, Ordering::Relaxed);
            // Two runs of one case get names of different length, so that what depends on them shows.
            let pad = "x".repeat(number % 3);
            let name = format!("{TEMPORARY_NAME}{}-{number}{pad}", std::process::id());
            let root = std::env::temp_dir().join(name);
            match fs::create_dir(&root) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                made => return made.map(|()| root),
            }
        }
    }

    fn create(case: &Case) -> io::Result<World> {
        let _nothing_starts = WRITING.read().unwrap_or_else(PoisonError::into_inner);
        let root = World::make_root()?;
        let world = World {
            cwd: root.join("cwd"),
            stdin: root.join("stdin"),
            root,
        };
        fs::create_dir_all(&world.cwd)?;
        fs::set_permissions(&world.cwd, fs::Permissions::from_mode(0o755))?;
        let stdin = match case.mode {
            Mode::Stdin => &case.script,
            Mode::Command | Mode::File => case.stdin.as_deref().unwrap_or_default(),
        };
        fs::write(&world.stdin, stdin)?;
        if case.mode == Mode::File {
            fs::write(world.cwd.join("script.sh"), &case.script)?;
        }
        for entry in &case.entries {
            place(&world.cwd, entry)?;
        }
        Ok(world)
    }
}

impl Drop for World {
    fn drop(&mut self) {
        // A directory left behind in /tmp harms nobody; a script may have removed it itself.
        drop(fs::remove_dir_all(&self.root));
    }
}

fn place(cwd: &Path, entry: &Entry) -> io::Result<()> {
    let at = |name: &[u8]| -> io::Result<PathBuf> {
        let path = cwd.join(OsStr::from_bytes(name));
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        Ok(path)
    };
    match entry {
        Entry::File { name, mode, content } => {
            let path = at(name)?;
            fs::write(&path, content)?;
            fs::set_permissions(&path, fs::Permissions::from_mode(*mode))
        }
        Entry::Directory { name } => fs::create_dir_all(at(name)?),
        Entry::Link { name, target } => symlink(OsStr::from_bytes(target), at(name)?),
    }
}
