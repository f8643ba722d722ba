//! The wire contract, walked against real servers: one test a row of its tables, errors included.
//!
//! `EXUVIA_TEST_DATABASE=postgres://…` runs the same tests over PostgreSQL, `EXUVIA_TEST_BLOBS=s3://…` over an object store (feature `cloud-blobs`):
//! `.ci/with-postgres` and `.ci/with-s3` start servers for that. `EXUVIA_CRASH_ROUNDS=200` kills a server that often, `EXUVIA_RACE_ROUNDS` is how
//! often 64 sessions race for one sandbox.

// A test may stop at the first surprise.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "shim/artifacts.rs"]
mod artifacts;
#[path = "shim/basics.rs"]
mod basics;
#[path = "shim/client.rs"]
mod client;
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
#[path = "shim/network.rs"]
mod network;
#[path = "shim/openapi.rs"]
mod openapi;
#[path = "support/origin.rs"]
mod origin;
#[path = "shim/sandboxes.rs"]
mod sandboxes;
#[path = "shim/security.rs"]
mod security;
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
#[path = "shim/upkeep.rs"]
mod upkeep;
