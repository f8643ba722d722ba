//! `exuvia tool NAME --session ID`: one call of a tool.

use clap::Args;
use serde_json::{Map, Value, json};

use super::client::{Client, Failure, segment};

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
    let path = format!(
        "/v1/sessions/{}/sandbox/{}",
        segment(&call.session),
        segment(&call.name)
    );
    let headers: Vec<(&str, &str)> = call
        .turn
        .iter()
        .map(|turn| ("Nylorun-Turn", turn.as_str()))
        .collect();
    let outcome = client.post(&path, &input(call), &headers)?;
    if as_json {
        println!("{outcome:#}");
        return Ok(status(&outcome));
    }
    let text = |pointer: &str| outcome.pointer(pointer).and_then(Value::as_str);
    match outcome.get("kind").and_then(Value::as_str) {
        Some("failed") => eprintln!(
            "{}: {}",
            text("/code").unwrap_or_default(),
            text("/message").unwrap_or_default()
        ),
        _ if call.name == "bash" => {
            print!("{}", text("/output/stdout").unwrap_or_default());
            eprint!("{}", text("/output/stderr").unwrap_or_default());
        }
        _ => match outcome.get("output") {
            Some(Value::String(text)) => println!("{text}"),
            other => println!("{}", other.cloned().unwrap_or_default()),
        },
    }
    Ok(status(&outcome))
}

/// The exit status: that of the command, or 1 for a tool that failed.
fn status(outcome: &Value) -> u8 {
    if outcome.get("kind").and_then(Value::as_str) == Some("failed") {
        return 1;
    }
    let code = outcome.pointer("/output/exitCode").and_then(Value::as_u64);
    code.map_or(0, |code| u8::try_from(code).unwrap_or(1))
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
