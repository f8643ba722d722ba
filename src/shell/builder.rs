//! What a shell is made of, and how it is put together.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::programs::{Programs, program_names};
use super::{Shell, State};
use crate::builtin::BUILTINS;
use crate::error::Error;
use crate::fs::{Credentials, DEFAULT_USER, FileSystem, Follow, Fs, Quota, View, base_fs};
use crate::host::{Hooks, HostProgram, system_time};
use crate::interp::Interp;
use crate::kernel::{Clock, Fds, Kernel, Limits, Pid, Proc};
use crate::net::Network;

/// The directory a shell starts in.
const WORKSPACE: &[u8] = b"/workspace";

/// The first process number.
const FIRST_PID: Pid = 1000;

/// Collects what a [`Shell`] is made of.
///
/// ```
/// use exuvia::kernel::{Halt, Limits};
/// use exuvia::{Shell, State};
///
/// let mut shell = Shell::builder()
///     .file("/workspace/list", "b\na\n")
///     .file_mode("/usr/local/bin/hello", "#!/bin/bash\necho hello $1\n", 0o755)
///     .env("WHO", "world")
///     .limits(Limits { steps: 10_000, ..Limits::default() })
///     .state(State::Fresh)
///     .build()?;
/// assert_eq!(shell.run("hello $WHO; tac list; WHO=lost").stdout, b"hello world\na\nb\n");
/// assert_eq!(shell.run("echo $WHO").stdout, b"world\n");
/// assert_eq!(shell.run("while true; do true; done").halt, Some(Halt::Steps));
/// # Ok::<(), exuvia::Error>(())
/// ```
pub struct ShellBuilder {
    files: Vec<(Vec<u8>, Vec<u8>, u32)>,
    mounts: Vec<(Vec<u8>, Arc<dyn FileSystem>)>,
    env: Vec<(Vec<u8>, Vec<u8>)>,
    user: Credentials,
    hostname: Option<Vec<u8>>,
    limits: Limits,
    quota: Quota,
    clock: Option<Clock>,
    seed: u64,
    state: State,
    cwd: Vec<u8>,
    programs: BTreeMap<String, Arc<dyn HostProgram>>,
    hooks: Option<Arc<dyn Hooks>>,
    network: Option<Network>,
}

impl std::fmt::Debug for ShellBuilder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ShellBuilder")
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}

impl Default for ShellBuilder {
    fn default() -> Self {
        let env = [
            ("HOME", "/workspace"),
            ("LANG", "C.UTF-8"),
            ("PATH", "/usr/local/bin:/usr/bin:/bin"),
            ("TERM", "dumb"),
            ("USER", "user"),
        ];
        ShellBuilder {
            files: Vec::new(),
            mounts: Vec::new(),
            env: env.map(|(name, value)| (name.into(), value.into())).to_vec(),
            user: DEFAULT_USER,
            hostname: None,
            limits: Limits::default(),
            quota: Quota {
                bytes: 1 << 30,
                ..Quota::default()
            },
            clock: None,
            seed: 0,
            state: State::default(),
            cwd: WORKSPACE.to_vec(),
            programs: BTreeMap::new(),
            hooks: None,
            network: None,
        }
    }
}

impl ShellBuilder {
    /// Puts a file into the tree, mode 644; parents are made.
    #[must_use]
    pub fn file(self, path: impl AsRef<[u8]>, contents: impl AsRef<[u8]>) -> Self {
        self.file_mode(path, contents, 0o644)
    }

    /// Puts a file of a mode into the tree; parents are made.
    #[must_use]
    pub fn file_mode(mut self, path: impl AsRef<[u8]>, contents: impl AsRef<[u8]>, mode: u32) -> Self {
        self.files
            .push((path.as_ref().to_vec(), contents.as_ref().to_vec(), mode));
        self
    }

    /// Mounts a tree at a directory, which is made when it is not there.
    #[must_use]
    pub fn mount(mut self, at: impl AsRef<[u8]>, tree: Arc<dyn FileSystem>) -> Self {
        self.mounts.push((at.as_ref().to_vec(), tree));
        self
    }

    /// An exported variable; replaces an earlier one of the same name.
    #[must_use]
    pub fn env(mut self, name: impl AsRef<[u8]>, value: impl AsRef<[u8]>) -> Self {
        let name = name.as_ref().to_vec();
        self.env.retain(|(old, _)| *old != name);
        self.env.push((name, value.as_ref().to_vec()));
        self
    }

    /// Starts without any exported variable.
    #[must_use]
    pub fn env_clear(mut self) -> Self {
        self.env.clear();
        self
    }

    /// Who processes run as, and whose `/workspace` is: 0 passes permission checks; the default is 1000.
    #[must_use]
    pub fn user(mut self, uid: u32, gid: u32) -> Self {
        self.user = Credentials { uid, gid };
        self
    }

    /// `HOSTNAME`, and what `hostname` prints.
    #[must_use]
    pub fn hostname(mut self, name: impl AsRef<[u8]>) -> Self {
        self.hostname = Some(name.as_ref().to_vec());
        self
    }

    /// What each run may use.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Bytes and nodes that the tree may hold; 1 GiB otherwise.
    #[must_use]
    pub fn quota(mut self, quota: Quota) -> Self {
        self.quota = quota;
        self
    }

    /// How time passes; otherwise virtual from the host's time.
    #[must_use]
    pub fn clock(mut self, clock: Clock) -> Self {
        self.clock = Some(clock);
        self
    }

    /// Where randomness starts. The same script, files, clock and seed give the same bytes.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Whether state lasts from run to run.
    #[must_use]
    pub fn state(mut self, state: State) -> Self {
        self.state = state;
        self
    }

    /// The working directory; made when it is not there.
    #[must_use]
    pub fn cwd(mut self, path: impl AsRef<[u8]>) -> Self {
        self.cwd = path.as_ref().to_vec();
        self
    }

    /// Adds a program of the host to `/usr/bin`, in place of one of the same name.
    #[must_use]
    pub fn program(mut self, name: impl Into<String>, program: Arc<dyn HostProgram>) -> Self {
        self.programs.insert(name.into(), program);
        self
    }

    /// Asks these before a program runs and before a file is opened; forks ask them too.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use exuvia::Shell;
    /// use exuvia::fs::Errno;
    /// use exuvia::host::{Exec, Hooks};
    ///
    /// struct NoRemoval;
    ///
    /// impl Hooks for NoRemoval {
    ///     fn before_exec(&self, exec: &Exec<'_>) -> Result<(), Errno> {
    ///         if exec.path.ends_with(b"/rm") { Err(Errno::EACCES) } else { Ok(()) }
    ///     }
    /// }
    ///
    /// let mut shell = Shell::builder().hooks(Arc::new(NoRemoval)).build()?;
    /// let outcome = shell.run("touch a; rm a; echo $?; ls");
    /// assert_eq!(outcome.stdout, b"126\na\n");
    /// assert_eq!(outcome.stderr, b"bash: line 1: /usr/bin/rm: Permission denied\n");
    /// # Ok::<(), exuvia::Error>(())
    /// ```
    #[must_use]
    pub fn hooks(mut self, hooks: Arc<dyn Hooks>) -> Self {
        self.hooks = Some(hooks);
        self
    }

    /// What `curl` may reach; otherwise nothing: no name is known and no address answers.
    #[must_use]
    pub fn network(mut self, network: Network) -> Self {
        self.network = Some(network);
        self
    }

    /// Builds the shell.
    ///
    /// # Errors
    /// [`Error::File`] when a file or mount cannot be made.
    pub fn build(self) -> Result<Shell, Error> {
        let fs = self.tree()?;
        let now = system_time();
        let clock = self.clock.unwrap_or(Clock::Virtual { start: now });
        let loader = Arc::new(Programs { host: self.programs });
        let kernel = Kernel::new(self.limits.clone(), clock, self.seed, FIRST_PID, loader);
        if let Some(hooks) = self.hooks {
            kernel.set_hooks(hooks);
        }
        if let Some(network) = self.network {
            kernel.set_network(network);
        }
        let mut proc = Proc::new(kernel, fs, FIRST_PID, Fds::default(), self.user);
        proc.cwd = self.cwd.into();
        proc.environment = self.env.into();
        let interp = Interp::new(proc, BUILTINS);
        Ok(Shell {
            interp,
            limits: self.limits,
            state: self.state,
        })
    }

    fn tree(&self) -> Result<Fs, Error> {
        let fs = if self.programs.is_empty() {
            base_fs(program_names(), self.quota)
        } else {
            let names: Vec<&str> = program_names()
                .iter()
                .copied()
                .chain(self.programs.keys().map(String::as_str))
                .collect();
            base_fs(&names, self.quota)
        };
        let fs = fs.map_err(|errno| Error::File(b"/".to_vec(), errno))?;
        let now = system_time();
        let root = View {
            now,
            umask: 0o022,
            ..View::ROOT
        };
        let user = View {
            user: self.user,
            ..root
        };
        let failed = |path: &[u8]| {
            let path = path.to_vec();
            move |errno| Error::File(path, errno)
        };
        if self.user != DEFAULT_USER {
            let (uid, gid) = (Some(self.user.uid), Some(self.user.gid));
            fs.set_owner(&root, WORKSPACE, uid, gid, Follow::No)
                .map_err(failed(WORKSPACE))?;
        }
        for (at, tree) in &self.mounts {
            let placeholder = [at.as_slice(), b"/."].concat();
            fs.write_with_parents(&root, &placeholder, b"").ok();
            fs.mount(at, Arc::clone(tree)).map_err(failed(at))?;
        }
        if let Some(name) = &self.hostname {
            fs.write(&root, b"/etc/hostname", &[name.as_slice(), b"\n"].concat())
                .map_err(failed(b"/etc/hostname"))?;
        }
        for (path, contents, mode) in &self.files {
            fs.write_with_parents(&user, path, contents)
                .or_else(|_| fs.write_with_parents(&root, path, contents))
                .and_then(|()| fs.set_mode(&root, path, *mode, Follow::Yes))
                .map_err(failed(path))?;
        }
        Ok(fs)
    }
}
