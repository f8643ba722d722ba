//! The wire contract, walked against real servers: one test a row of its tables, errors included.
//!
//! `EXUVIA_TEST_DATABASE=postgres://…` runs the same tests over PostgreSQL.

// A test may stop at the first surprise.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "shim/artifacts.rs"]
mod artifacts;
#[path = "shim/basics.rs"]
mod basics;
#[path = "shim/command_line.rs"]
mod command_line;
#[path = "shim/crash.rs"]
mod crash;
#[path = "shim/events.rs"]
mod events;
#[path = "shim/files.rs"]
mod files;
#[path = "shim/harness.rs"]
mod harness;
#[path = "shim/openapi.rs"]
mod openapi;
#[path = "shim/sandboxes.rs"]
mod sandboxes;
#[path = "shim/sessions.rs"]
mod sessions;
#[path = "shim/tenant.rs"]
mod tenant;
#[path = "shim/tools.rs"]
mod tools;
#[path = "shim/turns.rs"]
mod turns;
#[path = "shim/two_shims.rs"]
mod two_shims;
