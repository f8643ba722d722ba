//! `exuvia sandbox ls|rm|status|enable|disable`.

use clap::Subcommand;
use exuvia::client::Client;
use exuvia::wire::{Deleted, SandboxList, SandboxView};
use serde_json::json;

use super::failure::{Failure, print_json};
use super::table;

#[derive(Debug, Subcommand)]
pub enum Command {
    /// List sandbox resources.
    Ls {
        /// Only those with this label; may be repeated.
        #[arg(long, value_name = "KEY=VALUE", value_parser = label)]
        label: Vec<(String, String)>,
    },
    /// Remove a sandbox resource and its workspace.
    Rm {
        /// Its id.
        id: String,
    },
    /// How pod sandboxes are: exit status 3 when they are not enabled or not ready.
    Status,
    /// Enable pod sandboxes on a cluster.
    Enable {
        /// The cluster, by its name in the kubeconfig: the current one is never taken unasked.
        #[arg(long, value_name = "NAME")]
        context: String,
    },
    /// Disable pod sandboxes.
    Disable {
        /// Remove the namespace of the pods with all that is in it, too.
        #[arg(long)]
        delete_namespace: bool,
    },
}

fn label(text: &str) -> Result<(String, String), String> {
    let pair = text.split_once('=').filter(|(key, _)| !key.is_empty());
    pair.map(|(key, value)| (key.to_owned(), value.to_owned()))
        .ok_or_else(|| "must be KEY=VALUE".to_owned())
}

pub fn run(command: &Command, client: &Client, as_json: bool) -> Result<u8, Failure> {
    match command {
        Command::Ls { label } => list(label, client, as_json),
        Command::Rm { id } => remove(id, client, as_json),
        Command::Status => status(client, as_json),
        Command::Enable { context } => Err(no_clusters(&format!(
            "pod sandboxes cannot be enabled on '{context}'"
        ))),
        Command::Disable { .. } => Err(no_clusters("there are no pod sandboxes to disable")),
    }
}

/// Nothing here can talk to a cluster: that is said, and nothing is tried.
fn no_clusters(what: &str) -> Failure {
    Failure::new(format!(
        "{what}: this exuvia has no backend for Kubernetes, only virtual sandboxes; nothing was changed"
    ))
}

fn list(labels: &[(String, String)], client: &Client, as_json: bool) -> Result<u8, Failure> {
    let labels: Vec<(&str, &str)> = labels.iter().map(|(key, value)| (&**key, &**value)).collect();
    let sandboxes = client.sandboxes().list(&labels)?;
    if as_json {
        let next_cursor = None;
        print_json(&SandboxList {
            sandboxes,
            next_cursor,
        })?;
        return Ok(0);
    }
    let rows: Vec<Vec<String>> = sandboxes.iter().map(row).collect();
    table::print(&["ID", "KIND", "STATE", "SESSIONS", "LABELS"], &rows);
    Ok(0)
}

fn row(sandbox: &SandboxView) -> Vec<String> {
    let label = |(key, value): (&String, &String)| format!("{key}={value}");
    let labels: Vec<String> = sandbox.labels.iter().map(label).collect();
    vec![
        sandbox.id.clone(),
        sandbox.kind.clone(),
        sandbox.state.clone(),
        sandbox.sessions.len().to_string(),
        labels.join(","),
    ]
}

fn remove(id: &str, client: &Client, as_json: bool) -> Result<u8, Failure> {
    let deleted = client.sandboxes().delete(id)?;
    match (as_json, deleted) {
        (true, _) => print_json(&Deleted {
            id: id.to_owned(),
            deleted,
        })?,
        (false, true) => println!("removed {id}"),
        (false, false) => eprintln!("exuvia: there is no sandbox {id}"),
    }
    Ok(u8::from(!deleted))
}

fn status(client: &Client, as_json: bool) -> Result<u8, Failure> {
    let cluster = client.tenant().sandbox()?.cluster;
    let ready = cluster.as_ref().is_some_and(|cluster| cluster.ready);
    if as_json {
        print_json(&json!({ "enabled": cluster.is_some(), "ready": ready, "cluster": cluster }))?;
    } else if cluster.is_none() {
        println!("pod sandboxes: not enabled");
    } else {
        println!("pod sandboxes: {}", if ready { "ready" } else { "not ready" });
    }
    Ok(if ready { 0 } else { 3 })
}
