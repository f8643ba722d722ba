//! What a run is given.

use std::sync::Arc;

use crate::interp::Start;
use crate::kernel::{HostSource, Limits};

/// What a run is given: a script, and what it sees as arguments, input, environment and directory.
///
/// ```
/// use exuvia::{Run, Shell};
///
/// let run = Run::command("echo \"$0 $1 $PWD $TEAM\"; tr a-z A-Z")
///     .zero("greet")
///     .args(["ada"])
///     .env("TEAM", "blue")
///     .cwd("/tmp")
///     .stdin("text\n");
/// let outcome = Shell::new().execute(run);
/// assert_eq!(outcome.stdout, b"greet ada /tmp blue\nTEXT\n");
/// ```
#[derive(Clone, Default)]
pub struct Run {
    pub(super) start: Option<Start>,
    pub(super) args: Vec<Vec<u8>>,
    pub(super) zero: Option<Vec<u8>>,
    pub(super) stdin: Stdin,
    pub(super) env: Vec<(Vec<u8>, Vec<u8>)>,
    pub(super) cwd: Option<Vec<u8>>,
    pub(super) limits: Option<Limits>,
    pub(super) trace: bool,
}

#[derive(Clone, Default)]
pub(super) enum Stdin {
    #[default]
    Empty,
    Bytes(Arc<[u8]>),
    Host(Arc<dyn HostSource>),
}

impl std::fmt::Debug for Run {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Run")
            .field("start", &self.start)
            .field("args", &self.args)
            .finish_non_exhaustive()
    }
}

impl Run {
    /// Runs a text, as `bash -c` does.
    pub fn command(text: impl AsRef<[u8]>) -> Run {
        Run {
            start: Some(Start::Command(text.as_ref().to_vec())),
            ..Run::default()
        }
    }

    /// Runs a script file of the tree.
    pub fn file(path: impl AsRef<[u8]>) -> Run {
        let path = path.as_ref().to_vec();
        Run {
            zero: Some(path.clone()),
            start: Some(Start::File(path)),
            ..Run::default()
        }
    }

    /// Reads the script from standard input, as `bash -s` does.
    pub fn stdin_script() -> Run {
        Run {
            start: Some(Start::Stdin),
            ..Run::default()
        }
    }

    /// Runs a text as the script file `name`, which need not exist.
    pub fn script(text: impl AsRef<[u8]>, name: impl AsRef<[u8]>) -> Run {
        let (text, name) = (text.as_ref().to_vec(), name.as_ref().to_vec());
        Run {
            start: Some(Start::Script {
                text,
                name: name.clone(),
            }),
            zero: Some(name),
            ..Run::default()
        }
    }

    /// Traces commands, as `set -x` does.
    #[must_use]
    pub fn trace(mut self) -> Run {
        self.trace = true;
        self
    }

    /// Positional parameters.
    #[must_use]
    pub fn args<A: AsRef<[u8]>>(mut self, args: impl IntoIterator<Item = A>) -> Run {
        self.args = args.into_iter().map(|arg| arg.as_ref().to_vec()).collect();
        self
    }

    /// `$0`
    #[must_use]
    pub fn zero(mut self, name: impl AsRef<[u8]>) -> Run {
        self.zero = Some(name.as_ref().to_vec());
        self
    }

    /// Standard input; empty otherwise.
    #[must_use]
    pub fn stdin(mut self, bytes: impl AsRef<[u8]>) -> Run {
        self.stdin = Stdin::Bytes(bytes.as_ref().into());
        self
    }

    /// Standard input from the host, read as it is needed.
    #[must_use]
    pub fn stdin_from(mut self, source: Arc<dyn HostSource>) -> Run {
        self.stdin = Stdin::Host(source);
        self
    }

    /// An exported variable for this run.
    #[must_use]
    pub fn env(mut self, name: impl AsRef<[u8]>, value: impl AsRef<[u8]>) -> Run {
        self.env.push((name.as_ref().to_vec(), value.as_ref().to_vec()));
        self
    }

    /// The working directory of this run, absolute.
    #[must_use]
    pub fn cwd(mut self, path: impl AsRef<[u8]>) -> Run {
        self.cwd = Some(path.as_ref().to_vec());
        self
    }

    /// Limits of this run instead of the shell's.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Run {
        self.limits = Some(limits);
        self
    }
}
