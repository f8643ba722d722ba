//! `exuvia sandbox`, `sessions`, `tool` and `doctor`: work with a running shim.

mod doctor;
mod failure;
mod sandbox;
mod sessions;
mod table;
mod tool;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};

use exuvia::client::Client;
use failure::Failure;

/// Works with a running shim.
#[derive(Debug, Parser)]
#[command(name = "exuvia")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

/// Where the shim is, and who asks.
#[derive(Debug, Args)]
pub struct Where {
    /// The address of the shim.
    #[arg(
        long,
        value_name = "URL",
        env = "EXUVIA_URL",
        default_value = "http://127.0.0.1:8787",
        global = true
    )]
    url: String,
    /// The application key.
    #[arg(
        long,
        value_name = "KEY",
        env = "EXUVIA_KEY",
        hide_env_values = true,
        global = true
    )]
    key: Option<String>,
    /// The management key, for the settings of the tenant.
    #[arg(
        long,
        value_name = "KEY",
        env = "EXUVIA_MANAGEMENT_KEY",
        hide_env_values = true,
        global = true
    )]
    management_key: Option<String>,
    /// Print JSON.
    #[arg(long, global = true)]
    json: bool,
}

impl Where {
    fn client(&self) -> Client {
        Client::with_keys(&self.url, self.key.clone(), self.management_key.clone())
    }
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Sandbox resources: list, remove, and how pods are.
    Sandbox {
        #[command(subcommand)]
        command: sandbox::Command,
        #[command(flatten)]
        place: Where,
    },
    /// Checks what this machine and the shim offer.
    Doctor {
        #[command(subcommand)]
        command: doctor::Command,
        #[command(flatten)]
        place: Where,
    },
    /// Lists sessions.
    Sessions {
        #[command(flatten)]
        place: Where,
    },
    /// Calls one of the six tools in a session.
    Tool {
        #[command(flatten)]
        call: tool::Call,
        #[command(flatten)]
        place: Where,
    },
}

/// Parses the words and asks the shim.
pub fn run(words: impl Iterator<Item = OsString>) -> ExitCode {
    let words = std::iter::once(OsString::from("exuvia")).chain(words);
    let arguments = match Arguments::try_parse_from(words) {
        Ok(arguments) => arguments,
        Err(error) => {
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() { 2 } else { 0 });
        }
    };
    let done = match arguments.command {
        Command::Sandbox { command, place } => sandbox::run(&command, &place.client(), place.json),
        Command::Doctor { command, place } => doctor::run(&command, &place.client(), place.json),
        Command::Sessions { place } => sessions::run(&place.client(), place.json),
        Command::Tool { call, place } => tool::run(&call, &place.client(), place.json),
    };
    match done {
        Ok(status) => ExitCode::from(status),
        Err(Failure { status, message }) => {
            eprintln!("exuvia: {message}");
            ExitCode::from(status)
        }
    }
}
