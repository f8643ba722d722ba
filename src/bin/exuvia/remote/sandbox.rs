//! `exuvia sandbox ls|rm|status`.

use clap::Subcommand;
use serde_json::{Value, json};

use super::client::{Client, Failure, segment};
use super::table;

#[derive(Debug, Subcommand)]
pub enum Command {
    /// List sandbox resources.
    Ls {
        /// Only those with this label; may be repeated.
        #[arg(long, value_name = "KEY=VALUE")]
        label: Vec<String>,
    },
    /// Remove a sandbox resource and its workspace.
    Rm {
        /// Its id.
        id: String,
    },
    /// How pod sandboxes are: exit status 3 when they are not enabled or not ready.
    Status,
}

pub fn run(command: &Command, client: &Client, as_json: bool) -> Result<u8, Failure> {
    match command {
        Command::Ls { label } => list(label, client, as_json),
        Command::Rm { id } => remove(id, client, as_json),
        Command::Status => status(client, as_json),
    }
}

fn list(labels: &[String], client: &Client, as_json: bool) -> Result<u8, Failure> {
    let query: Vec<String> = labels
        .iter()
        .map(|label| format!("label={}", segment(label)))
        .collect();
    let found = client.get(&format!("/v1/sandboxes?{}", query.join("&")))?;
    if as_json {
        println!("{found:#}");
        return Ok(0);
    }
    let sandboxes = found
        .get("sandboxes")
        .and_then(Value::as_array)
        .cloned()
        .unwrap_or_default();
    let rows: Vec<Vec<String>> = sandboxes.iter().map(row).collect();
    table::print(&["ID", "KIND", "STATE", "SESSIONS", "LABELS"], &rows);
    Ok(0)
}

fn row(sandbox: &Value) -> Vec<String> {
    let text = |name: &str| {
        sandbox
            .get(name)
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned()
    };
    let sessions = sandbox
        .get("sessions")
        .and_then(Value::as_array)
        .map_or(0, Vec::len);
    let labels = sandbox
        .get("labels")
        .and_then(Value::as_object)
        .cloned()
        .unwrap_or_default();
    let labels: Vec<String> = labels
        .iter()
        .map(|(key, value)| format!("{key}={}", value.as_str().unwrap_or_default()))
        .collect();
    vec![
        text("id"),
        text("kind"),
        text("state"),
        sessions.to_string(),
        labels.join(","),
    ]
}

fn remove(id: &str, client: &Client, as_json: bool) -> Result<u8, Failure> {
    let answer = client.delete(&format!("/v1/sandboxes/{}", segment(id)))?;
    let deleted = answer.get("deleted").and_then(Value::as_bool).unwrap_or(false);
    match (as_json, deleted) {
        (true, _) => println!("{answer:#}"),
        (false, true) => println!("removed {id}"),
        (false, false) => eprintln!("exuvia: there is no sandbox {id}"),
    }
    Ok(u8::from(!deleted))
}

fn status(client: &Client, as_json: bool) -> Result<u8, Failure> {
    let settings = client.get("/v1/tenant/sandbox")?;
    let cluster = settings.get("cluster").cloned().unwrap_or_default();
    let ready = cluster.get("ready").and_then(Value::as_bool).unwrap_or(false);
    if as_json {
        println!(
            "{:#}",
            json!({ "enabled": !cluster.is_null(), "ready": ready, "cluster": cluster })
        );
    } else if cluster.is_null() {
        println!("pod sandboxes: not enabled");
    } else {
        println!("pod sandboxes: {}", if ready { "ready" } else { "not ready" });
    }
    Ok(if ready { 0 } else { 3 })
}
