//! The options of `exuvia [-c CMD | FILE | -] [ARG…]`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Parser, ValueEnum};

/// Runs a bash script in an emulated shell: no process is started and no host file is touched, but for a directory given with `--dir`.
#[derive(Debug, Parser)]
#[command(name = "exuvia", version, trailing_var_arg = true)]
pub struct Options {
    /// Run this text.
    #[arg(short = 'c', value_name = "CMD")]
    pub command: Option<OsString>,
    /// Mount a host directory at /workspace; writes stay in memory.
    #[arg(long, value_name = "DIR", conflicts_with = "dir_rw")]
    pub dir: Option<PathBuf>,
    /// Mount a host directory at /workspace for reading and writing.
    #[arg(long, value_name = "DIR")]
    pub dir_rw: Option<PathBuf>,
    #[cfg(feature = "http")]
    #[command(flatten)]
    pub reach: super::network::Reach,
    /// Limits as NAME=VALUE, separated by commas: steps, output-bytes, memory-bytes, depth, processes, open-files, pipe-bytes, wall-clock-ms, time-ms.
    #[arg(long, value_name = "LIST")]
    pub limits: Option<String>,
    /// Print the outcome as JSON instead of the script's output.
    #[arg(long)]
    pub json: bool,
    /// Trace commands, as `set -x` does.
    #[arg(long)]
    pub trace: bool,
    /// How time passes.
    #[arg(long, value_enum, default_value_t = Time::Virtual)]
    pub time: Time,
    /// FILE and its arguments; with -c, $0 and the arguments; `-` reads the script from standard input.
    #[arg(value_name = "ARG", allow_hyphen_values = true)]
    pub words: Vec<OsString>,
}

/// How time passes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Time {
    /// As on the host.
    Real,
    /// Jumps ahead when everything sleeps.
    Virtual,
}
