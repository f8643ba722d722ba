//! What an embedder plugs in: time, blocking, programs of its own, a say in what runs and what is opened. Defaults that deny.
//!
//! This is the one place of the library that touches the host's clock and thread.

mod blocking;
mod clock;
#[cfg(feature = "http")]
mod http;
mod program;

pub use blocking::block_on;
pub use clock::{Stopwatch, SystemClock, system_time};
#[cfg(feature = "http")]
pub use http::HttpTransport;
pub use program::HostProgram;

pub use crate::kernel::{Exec, Hooks, Open};
