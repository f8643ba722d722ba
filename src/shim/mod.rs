//! The runtime shim: sessions, sandboxes, turns, tools, events and files over HTTP, for agent hosts that keep their own loop.
//!
//! ```text
//! routes ──▶ gate (who may), body (what is asked), wire (types)
//!    │
//!    ├──▶ calls, export ──▶ backend ──▶ tool        a call: turn, work, commit
//!    └──▶ store ──▶ SQLite or PostgreSQL            everything that is remembered; blobs ──▶ an object store
//! ```
//!
//! Decisions:
//! - **A call is one transaction.** What a tool did to a workspace becomes true in the same commit as its events and the end of its turn. Contents are
//!   in the object store before, under their hashes. So a crash leaves a workspace before or after a call.
//! - **The database decides who may.** A turn is a row, and unique indexes make it the only one; a writer whose row is gone commits nothing. So the
//!   rules hold for several shims over one database, and after a crash, without anybody who remembers.
//! - **Nothing in memory is needed.** Loaded workspaces and names are copies that are checked against the store at each call and may be dropped.
//! - **Tokio lives here only**, behind the feature `server`; the tools below are plain futures.
//!
//! Tests: `tests/shim.rs` starts real servers and walks the contract.

mod backend;
mod blobs;
mod body;
mod calls;
mod clock;
pub mod config;
mod error;
mod export;
mod gate;
mod limits;
mod metrics;
mod names;
mod routes;
mod server;
mod state;
mod store;
mod sweep;
mod units;

pub use server::{Printed, Server};
