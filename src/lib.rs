//! **exuvia**: an emulated Unix shell. It answers as bash 5.2 and the GNU tools do, while no process is started,
//! no host file is touched and no packet leaves.
//!
//! [`Shell`] is the face: build one, run scripts in it, read the [`Outcome`].
//!
//! The layers, from pure to outward: `text`, `pattern`, `args`, `syntax` · `fs` · `kernel` · `expand` · `interp` ·
//! `builtin` and `program` · [`Shell`] · [`tool`]. What follows tells the reasons.
//!
#![doc = include_str!("architecture.md")]

pub mod args;
mod builtin;
#[cfg(feature = "client")]
pub mod client;
mod error;
pub mod expand;
pub mod fs;
pub mod host;
pub mod interp;
pub mod kernel;
#[cfg(feature = "mcp")]
pub mod mcp;
pub mod net;
mod outcome;
pub mod pattern;
mod program;
mod shell;
#[cfg(feature = "server")]
pub mod shim;
mod snapshot;
mod stack;
pub mod syntax;
pub mod text;
pub mod tool;
#[cfg(feature = "client")]
pub mod wire;

pub use error::Error;
pub use outcome::{Event, Outcome};
pub use shell::{Execution, Run, Shell, ShellBuilder, State};
pub use snapshot::Snapshot;

/// The examples of the page that everybody reads first.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
