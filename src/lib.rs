//! **exuvia**: an emulated Unix shell. It answers as bash 5.2 and the GNU tools do, while no process is started,
//! no host file is touched and no packet leaves.
//!
//! The layers, from pure to outward; `src/architecture.md` tells the reasons:
//! `text`, `pattern`, `args`, `syntax` · `fs` · `kernel` · `expand` · `interp` · `builtin` and `program` · [`Shell`].

pub mod args;
pub mod fs;
pub mod kernel;
pub mod pattern;
pub mod program;
pub mod syntax;
pub mod text;
