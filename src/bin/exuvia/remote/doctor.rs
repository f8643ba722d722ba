//! `exuvia doctor sandbox`.

use clap::Subcommand;
use exuvia::client::Client;
use exuvia::wire::{DefaultSandbox, Health, Probe, TenantView};
use serde_json::{Value, json};

use super::failure::{Failure, print_json};
use super::table;

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Which kinds of sandbox can be had, and which is in use.
    Sandbox,
}

pub fn run(command: &Command, client: &Client, as_json: bool) -> Result<u8, Failure> {
    let Command::Sandbox = command;
    let (health, settings) = (client.health()?, client.tenant().sandbox()?);
    match as_json {
        true => print_json(&report(client, &health, &settings))?,
        false => print(client, &health, &settings),
    }
    Ok(0)
}

fn platform() -> String {
    format!("{} {}", std::env::consts::OS, std::env::consts::ARCH)
}

fn report(client: &Client, health: &Health, settings: &TenantView) -> Value {
    json!({
        "platform": platform(),
        "url": client.url(),
        "version": health.version,
        "default": settings.config.default,
        "backend": settings.backend,
        "isolation": settings.isolation,
        "reason": settings.reason,
        "probes": settings.probes,
    })
}

/// For people.
fn print(client: &Client, health: &Health, settings: &TenantView) {
    let default = match &settings.config.default {
        DefaultSandbox::None => "none".to_owned(),
        DefaultSandbox::Virtual => "virtual".to_owned(),
        DefaultSandbox::Spec(spec) => json!(spec).to_string(),
    };
    let isolation = settings.isolation.as_deref().unwrap_or("none");
    println!("platform:  {}", platform());
    println!("shim:      {} {}", client.url(), health.version);
    println!("default:   {default}");
    println!("backend:   {}", settings.backend);
    println!("isolation: {isolation} ({})", settings.reason);
    println!();
    let rows: Vec<Vec<String>> = settings.probes.iter().map(row).collect();
    table::print(&["KIND", "AVAILABLE", "ISOLATION", "NOTE"], &rows);
}

fn row(probe: &Probe) -> Vec<String> {
    let none = || "none".to_owned();
    vec![
        probe.name.clone(),
        if probe.available { "yes" } else { "no" }.to_owned(),
        probe.isolation.clone().unwrap_or_else(none),
        probe.reason.clone().unwrap_or_else(none),
    ]
}
