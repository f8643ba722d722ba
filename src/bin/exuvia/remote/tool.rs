//! `exuvia tool NAME --session ID`: one call of a tool.

use clap::Args;
use exuvia::client::Client;
use exuvia::tool::{Outcome, Reply};
use serde_json::{Map, Value, json};

use super::failure::{Failure, print_json};

#[derive(Debug, Args)]
pub struct Call {
    /// bash, read, write, edit, grep or glob.
    name: String,
    /// In which session.
    #[arg(long, value_name = "ID")]
    session: String,
    /// The turn that the session is in, if it is in one.
    #[arg(long, value_name = "ID")]
    turn: Option<String>,
    /// The input: NAME=VALUE pairs, one JSON object, or the one main value (a command, a path, a pattern).
    #[arg(value_name = "INPUT", required = true, allow_hyphen_values = true)]
    input: Vec<String>,
}

pub fn run(call: &Call, client: &Client, as_json: bool) -> Result<u8, Failure> {
    let session = client.session(&call.session);
    let input = input(call);
    let outcome = match &call.turn {
        Some(turn) => session.turn(turn).tools().call(&call.name, &input),
        None => session.tools().call(&call.name, &input),
    }?;
    if as_json {
        print_json(&outcome)?;
    } else {
        print(&outcome)?;
    }
    Ok(status(&outcome))
}

fn print(outcome: &Outcome) -> Result<(), Failure> {
    match outcome {
        Outcome::Failed(failure) => eprintln!("{}: {}", failure.code.name(), failure.message),
        Outcome::Completed { output } => match output {
            Reply::Text(text) => println!("{text}"),
            Reply::Bash(reply) => {
                print!("{}", reply.stdout);
                eprint!("{}", reply.stderr);
            }
            Reply::Edit(_) | Reply::Write(_) => {
                let text = serde_json::to_string(output);
                println!("{}", text.map_err(|error| Failure::new(error.to_string()))?);
            }
        },
    }
    Ok(())
}

/// The exit status: that of the command, or 1 for a tool that failed.
fn status(outcome: &Outcome) -> u8 {
    match outcome {
        Outcome::Completed {
            output: Reply::Bash(reply),
        } => u8::try_from(reply.exit_code).unwrap_or(1),
        Outcome::Completed { .. } => 0,
        Outcome::Failed(_) => 1,
    }
}

fn input(call: &Call) -> Value {
    let main = match call.name.as_str() {
        "bash" => "command",
        "grep" | "glob" => "pattern",
        _ => "path",
    };
    if let [only] = call.input.as_slice() {
        if let Ok(value @ Value::Object(_)) = serde_json::from_str(only) {
            return value;
        }
        if pair(only).is_none() {
            return json!({ main: only });
        }
    }
    let mut fields = Map::new();
    for word in &call.input {
        let (name, value) = pair(word).unwrap_or((main, word));
        let number = value.parse::<i64>().ok().filter(|_| NUMBERS.contains(&name));
        let flag = value.parse::<bool>().ok().filter(|_| FLAGS.contains(&name));
        let value = match (number, flag) {
            (Some(number), _) => number.into(),
            (_, Some(flag)) => flag.into(),
            _ => Value::from(value),
        };
        fields.insert(name.to_owned(), value);
    }
    Value::Object(fields)
}

/// Fields that are numbers, and those that are yes or no.
const NUMBERS: &[&str] = &["limit", "max_results", "offset", "timeout"];
const FLAGS: &[&str] = &["ignore_case", "replace_all"];

/// Fields that are texts.
const TEXTS: &[&str] = &[
    "command",
    "content",
    "glob",
    "new_string",
    "old_string",
    "path",
    "pattern",
];

/// `NAME=VALUE` of a field that some tool has.
fn pair(word: &str) -> Option<(&str, &str)> {
    let (name, value) = word.split_once('=')?;
    let known = [NUMBERS, FLAGS, TEXTS]
        .into_iter()
        .any(|names| names.contains(&name));
    known.then_some((name, value))
}
