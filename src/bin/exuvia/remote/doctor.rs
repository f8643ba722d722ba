//! `exuvia doctor sandbox`.

use clap::Subcommand;
use serde_json::{Value, json};

use super::client::{Client, Failure};
use super::table;

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Which kinds of sandbox can be had, and which is in use.
    Sandbox,
}

pub fn run(command: &Command, client: &Client, as_json: bool) -> Result<u8, Failure> {
    let Command::Sandbox = command;
    let health = client.get("/health")?;
    let settings = match client.has_management_key() {
        true => client.get("/v1/tenant/sandbox")?,
        false => {
            return Err(Failure::usage(
                "a key is needed: --management-key or EXUVIA_MANAGEMENT_KEY",
            ));
        }
    };
    let report = json!({
        "platform": format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
        "url": client.url(),
        "version": health.get("version"),
        "default": settings.pointer("/config/default"),
        "backend": settings.get("backend"),
        "isolation": settings.get("isolation"),
        "reason": settings.get("reason"),
        "probes": settings.get("probes"),
    });
    match as_json {
        true => println!("{report:#}"),
        false => print(&report),
    }
    Ok(0)
}

fn text(value: Option<&Value>) -> String {
    match value {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Null) | None => "none".to_owned(),
        Some(other) => other.to_string(),
    }
}

/// For people.
fn print(report: &Value) {
    let field = |name: &str| text(report.get(name));
    println!("platform:  {}", field("platform"));
    println!("shim:      {} {}", field("url"), field("version"));
    println!("default:   {}", field("default"));
    println!("backend:   {}", field("backend"));
    println!("isolation: {} ({})", field("isolation"), field("reason"));
    println!();
    let probes = report
        .get("probes")
        .and_then(Value::as_array)
        .into_iter()
        .flatten();
    let rows: Vec<Vec<String>> = probes.map(row).collect();
    table::print(&["KIND", "AVAILABLE", "ISOLATION", "NOTE"], &rows);
}

fn row(probe: &Value) -> Vec<String> {
    let available = probe.get("available").and_then(Value::as_bool).unwrap_or(false);
    vec![
        text(probe.get("name")),
        if available { "yes" } else { "no" }.to_owned(),
        text(probe.get("isolation")),
        text(probe.get("reason")),
    ]
}
