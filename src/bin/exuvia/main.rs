//! The command line.

mod corpus;

use std::process::ExitCode;

fn main() -> ExitCode {
    let mut words = std::env::args_os().skip(1);
    if words.next().is_none_or(|w| w != "corpus") {
        eprintln!("usage: exuvia corpus run|record|check");
        return ExitCode::from(2);
    }
    match corpus::CorpusArgs::parse(words) {
        Ok(args) => corpus::run(&args),
        Err(error) => {
            eprintln!("exuvia corpus: {error}");
            ExitCode::from(2)
        }
    }
}
