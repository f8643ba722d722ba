//! Drives a running shim with the typed client: an agent that looks after a report, in a sandbox that it shares with a second session.
//!
//! The model here is a script, as in the example `agent_loop`. What a real host does is all here: a shared sandbox, turns, files in and out, tools whose
//! output is shown while it comes, events, and the artifact that a completed turn leaves behind.
//!
//! ```sh
//! exuvia serve --data /tmp/exuvia-data &      # prints the application key, the first time
//! EXUVIA_KEY=… cargo run --example shim_client --features client
//! ```
//!
//! `EXUVIA_URL` names another shim than the one at `http://127.0.0.1:8787`.

use std::time::Duration;

use exuvia::client::{Client, Error, NewSession, Session, Turn, TurnOptions};
use exuvia::tool::{Edit, Outcome, OutputChunk};
use exuvia::wire::{EnsureSandbox, SandboxChoice, TurnOutcome};
use serde_json::json;

/// The sandbox that the sessions share.
const SANDBOX: &str = "examples/report";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let url = std::env::var("EXUVIA_URL").unwrap_or_else(|_| "http://127.0.0.1:8787".to_owned());
    let key = std::env::var("EXUVIA_KEY").map_err(|_| "EXUVIA_KEY must hold the application key")?;
    let client = Client::new(&url, &key);
    println!(
        "{} speaks protocol {}",
        client.url(),
        client.health()?.protocol.max
    );

    let spec = EnsureSandbox::default().label("example", "shim_client");
    client.sandboxes().ensure(SANDBOX, spec)?;
    let (writer, reader) = (attach(&client)?, attach(&client)?);

    let turn = writer.start_turn(TurnOptions::default())?;
    tell_busy(&reader)?;
    repair(&turn)?;
    turn.end(TurnOutcome::Completed)?;

    let report = reader.tools().bash("tail -n 1 outputs/report.txt")?;
    println!("the other session reads: {}", report.stdout.trim());
    assert_eq!(report.stdout, "total 200\n");
    show_history(&client, &writer)?;

    writer.delete()?;
    reader.delete()?;
    client.sandboxes().delete(SANDBOX)?;
    Ok(())
}

fn attach(client: &Client) -> Result<Session, Error> {
    client.create_session(NewSession {
        sandbox: Some(SandboxChoice::Attach(SANDBOX.to_owned())),
        ..NewSession::new("report-keeper", "ada")
    })
}

/// A session that comes too late learns when to try again.
fn tell_busy(session: &Session) -> Result<(), Error> {
    match session.start_turn(TurnOptions::default()) {
        Err(error) if error.code() == Some("sandbox_busy") => {
            let wait = error.retry_after().unwrap_or(Duration::from_secs(1));
            println!("the other session waits: {error} (in {} s)", wait.as_secs());
            Ok(())
        }
        Err(error) => Err(error),
        Ok(turn) => turn.end(TurnOutcome::Cancelled).map(drop),
    }
}

/// The script of the model: it looks, finds the mistake, corrects it and tries again.
fn repair(turn: &Turn) -> Result<(), Error> {
    turn.files().put("sales.csv", "north,120,7\nsouth,80,9\n")?;
    let script = "mkdir -p outputs; awk -F, '{ sum += $3 } END { print \"total\", sum }' sales.csv | tee outputs/report.txt\n";
    turn.tools().write("report.sh", script)?;
    let print = |chunk: OutputChunk| print!("{}", chunk.text);
    turn.tools().bash_streaming("bash report.sh", print)?;
    // What a model asks for is JSON, and a failure is for the model to read.
    let outcome = turn.tools().call("read", &json!({ "path": "report.txt" }))?;
    if let Outcome::Failed(failure) = outcome {
        println!("the model is told: {failure}");
    }
    let change = turn.tools().edit(Edit {
        path: "report.sh".to_owned(),
        old_string: "$3".to_owned(),
        new_string: "$2".to_owned(),
        replace_all: None,
    })?;
    print!("{}", change.diff);
    turn.tools().bash_streaming("bash report.sh", print)?;
    Ok(())
}

/// What happened, and what is left of it.
fn show_history(client: &Client, session: &Session) -> Result<(), Error> {
    for event in session.items(None, None)?.items {
        println!("{:>3} {}", event.seq, event.kind);
    }
    for artifact in client.artifacts().list(Some(session.id()))? {
        for file in client.artifacts().tree(&artifact.id, None)?.files {
            println!("kept: {}/{} ({} bytes)", artifact.name, file.path, file.size);
        }
    }
    Ok(())
}
