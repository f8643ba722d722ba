//! `exuvia sessions`.

use exuvia::client::{Client, Error};
use exuvia::wire::{SessionStatus, SessionView};
use serde_json::json;

use super::failure::{Failure, print_json};
use super::table;

pub fn run(client: &Client, as_json: bool) -> Result<u8, Failure> {
    let sessions: Vec<SessionView> = client.sessions().collect::<Result<_, Error>>()?;
    if as_json {
        print_json(&json!({ "sessions": sessions }))?;
        return Ok(0);
    }
    let rows: Vec<Vec<String>> = sessions.into_iter().map(row).collect();
    table::print(&["ID", "AGENT", "OWNER", "STATUS", "SANDBOX", "UPDATED"], &rows);
    Ok(0)
}

fn row(session: SessionView) -> Vec<String> {
    let status = match session.status {
        SessionStatus::Idle => "idle",
        SessionStatus::Running => "running",
    };
    let sandbox = session.sandbox_id.or(session.sandbox_source);
    vec![
        session.id,
        session.agent_id,
        session.owner_user_id,
        status.to_owned(),
        sandbox.unwrap_or_else(|| "none".to_owned()),
        session.updated_at,
    ]
}
