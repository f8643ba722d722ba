//! `exuvia sessions`.

use serde_json::{Value, json};

use super::client::{Client, Failure, segment};
use super::table;

pub fn run(client: &Client, as_json: bool) -> Result<u8, Failure> {
    let mut sessions: Vec<Value> = Vec::new();
    let mut cursor = String::new();
    loop {
        let page = client.get(&format!("/v1/sessions?limit=200{cursor}"))?;
        sessions.extend(
            page.get("sessions")
                .and_then(Value::as_array)
                .cloned()
                .unwrap_or_default(),
        );
        match page.get("nextCursor").and_then(Value::as_str) {
            Some(next) => cursor = format!("&cursor={}", segment(next)),
            None => break,
        }
    }
    if as_json {
        println!("{:#}", json!({ "sessions": sessions }));
        return Ok(0);
    }
    let rows: Vec<Vec<String>> = sessions.iter().map(row).collect();
    table::print(&["ID", "AGENT", "OWNER", "STATUS", "SANDBOX", "UPDATED"], &rows);
    Ok(0)
}

fn row(session: &Value) -> Vec<String> {
    let text = |name: &str| {
        session
            .get(name)
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned()
    };
    let sandbox = match (text("sandboxId"), text("sandboxSource")) {
        (id, _) if !id.is_empty() => id,
        (_, source) if !source.is_empty() => source,
        _ => "none".to_owned(),
    };
    vec![
        text("id"),
        text("agentId"),
        text("ownerUserId"),
        text("status"),
        sandbox,
        text("updatedAt"),
    ]
}
