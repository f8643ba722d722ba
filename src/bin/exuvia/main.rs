//! The command line: run a script in a sandbox, serve sessions or the tools of an agent, or work with the corpus.

mod corpus;
#[cfg(feature = "mcp")]
mod mcp;
mod mount;
#[cfg(feature = "http")]
mod network;
mod options;
#[cfg(feature = "client")]
mod remote;
mod run;
#[cfg(feature = "server")]
mod serve;

use std::process::ExitCode;

fn main() -> ExitCode {
    let mut words = std::env::args_os().skip(1).peekable();
    let command = words
        .peek()
        .and_then(|word| word.to_str())
        .unwrap_or_default()
        .to_owned();
    match command.as_str() {
        "corpus" => match corpus::CorpusArgs::parse(words.skip(1)) {
            Ok(args) => corpus::run(&args),
            Err(error) => {
                eprintln!("exuvia corpus: {error}");
                ExitCode::from(2)
            }
        },
        #[cfg(feature = "mcp")]
        "mcp" => mcp::run(words.skip(1)),
        #[cfg(feature = "server")]
        "serve" => serve::run(words.skip(1)),
        #[cfg(feature = "client")]
        "doctor" | "sandbox" | "sessions" | "tool" => remote::run(words),
        _ => run::run(words),
    }
}
