//! The command line: run a script in a sandbox, serve the tools of an agent, or work with the corpus.

mod corpus;
#[cfg(feature = "mcp")]
mod mcp;
mod mount;
mod options;
mod run;

use std::process::ExitCode;

fn main() -> ExitCode {
    let mut words = std::env::args_os().skip(1).peekable();
    if words.peek().is_some_and(|word| word == "corpus") {
        words.next();
        return match corpus::CorpusArgs::parse(words) {
            Ok(args) => corpus::run(&args),
            Err(error) => {
                eprintln!("exuvia corpus: {error}");
                ExitCode::from(2)
            }
        };
    }
    #[cfg(feature = "mcp")]
    if words.peek().is_some_and(|word| word == "mcp") {
        words.next();
        return mcp::run(words);
    }
    run::run(words)
}
