//! Section 5: the events of a session.

use std::io::{BufRead, BufReader, Read};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use super::harness::{Server, config, session, shared, unique};

/// Reads events from a stream in the background.
fn events(stream: Box<dyn Read + Send>) -> mpsc::Receiver<Value> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut id = String::new();
        for line in BufReader::new(stream).lines() {
            let Ok(line) = line else { return };
            if let Some(text) = line.strip_prefix("id: ") {
                text.clone_into(&mut id);
            }
            if let Some(data) = line.strip_prefix("data: ") {
                let event: Value = serde_json::from_str(data).unwrap();
                assert_eq!(event["cursor"], json!(id));
                if sender.send(event).is_err() {
                    return;
                }
            }
        }
    });
    receiver
}

fn take(receiver: &mpsc::Receiver<Value>, count: usize) -> Vec<Value> {
    (0..count)
        .map(|_| receiver.recv_timeout(Duration::from_secs(10)).expect("an event"))
        .collect()
}

fn follow(server: &Server, id: &str, from: Option<&str>) -> mpsc::Receiver<Value> {
    let query = from.map(|cursor| format!("?cursor={cursor}")).unwrap_or_default();
    let (status, stream) = server
        .app()
        .open("GET", &format!("/v1/sessions/{id}/events{query}"), None);
    assert_eq!(status, 200);
    events(stream)
}

fn told(events: &[Value]) -> Vec<String> {
    let state = |event: &Value| {
        event["payload"]["state"]
            .as_str()
            .map(|state| format!(" {state}"))
            .unwrap_or_default()
    };
    events
        .iter()
        .map(|event| format!("{}{}", event["type"].as_str().unwrap(), state(event)))
        .collect()
}

#[test]
fn a_turn_is_told() {
    let server = shared();
    let sandbox = unique("told");
    server
        .app()
        .put(&format!("/v1/sandboxes/{sandbox}"), json!({}))
        .well();
    let id = unique("told");
    server
        .app()
        .put(
            &format!("/v1/sessions/{id}"),
            session("ada", json!({ "sandbox": { "id": sandbox } })),
        )
        .well();
    let turn = server.turn(&id);
    let app = server.app().header("Nylorun-Turn", &turn);
    app.tool(
        &id,
        "bash",
        json!({ "command": format!("exit 3 # {}", "x".repeat(600)) }),
    )
    .well();
    app.tool(&id, "read", json!({ "path": "none" })).well();
    let path = format!("/v1/sessions/{id}/turns/{turn}/end");
    server.app().post(&path, json!({ "outcome": "failed" })).well();
    let reply = server.app().get(&format!("/v1/sessions/{id}/items"));
    let items = reply.well()["items"].as_array().unwrap().clone();
    assert_eq!(
        told(&items),
        [
            "sandbox.attached",
            "turn.started",
            "sandbox.state creating",
            "sandbox.state running",
            "sandbox.exec",
            "tool.completed",
            "sandbox.exec",
            "tool.completed",
            "turn.ended"
        ]
    );
    let exec = &items[4]["payload"];
    assert_eq!(
        (&exec["tool"], &exec["exitCode"], &exec["outcome"]),
        (&json!("bash"), &json!(3), &json!("completed"))
    );
    assert_eq!(exec["command"].as_str().unwrap().len(), 500);
    assert!(exec["durationMs"].is_i64());
    assert_eq!(
        (&items[6]["payload"]["path"], &items[6]["payload"]["code"]),
        (&json!("none"), &json!("sandbox.not_found"))
    );
    assert_eq!(items[7]["payload"]["error"]["code"], "sandbox.not_found");
    for (seq, event) in items.iter().enumerate() {
        assert_eq!(
            (&event["schema"], &event["seq"]),
            (&json!("nylorun.event/2"), &json!(seq))
        );
        assert_eq!(
            (&event["sessionId"], &event["tenantId"]),
            (&json!(id), &json!("default"))
        );
        let expected = if seq == 0 { json!(null) } else { json!(turn) };
        assert_eq!(event["turnId"], expected);
    }
}

#[test]
fn followed_and_resumed_without_gap_or_duplicate() {
    let server = shared();
    let id = server.session();
    let live = follow(server, &id, None);
    server.bash(&id, "true");
    let first = take(&live, 4);
    assert_eq!(
        told(&first),
        [
            "sandbox.state creating",
            "sandbox.state running",
            "sandbox.exec",
            "tool.completed"
        ]
    );
    for _ in 0..3 {
        server.bash(&id, "true");
    }
    let second = take(&live, 6);
    let seqs: Vec<i64> = first
        .iter()
        .chain(&second)
        .map(|event| event["seq"].as_i64().unwrap())
        .collect();
    assert_eq!(seqs, (0..10).collect::<Vec<_>>());
    let resumed = follow(server, &id, first[3]["cursor"].as_str());
    assert_eq!(take(&resumed, 6), second);
    let client = server.app().header("Last-Event-ID", "8");
    let (_, stream) = client.open("GET", &format!("/v1/sessions/{id}/events?cursor=1"), None);
    assert_eq!(take(&events(stream), 1)[0]["seq"], 9);
    assert!(live.recv_timeout(Duration::from_millis(100)).is_err());
}

#[test]
fn history_in_pages() {
    let server = shared();
    let id = server.session();
    server.bash(&id, "true");
    let first = server.app().get(&format!("/v1/sessions/{id}/items?limit=3"));
    assert_eq!(first.well()["items"].as_array().unwrap().len(), 3);
    assert_eq!(first.body["nextCursor"], "2");
    let rest = server.app().get(&format!("/v1/sessions/{id}/items?cursor=2"));
    assert_eq!(rest.well()["items"].as_array().unwrap().len(), 1);
    assert_eq!(rest.body["nextCursor"], json!(null));
    for wrong in ["x", "-1", "01", ""] {
        server
            .app()
            .get(&format!("/v1/sessions/{id}/items?cursor={wrong}"))
            .refused(400, "cursor_invalid");
        let reply = server
            .app()
            .get(&format!("/v1/sessions/{id}/events?cursor={wrong}"));
        reply.refused(400, "cursor_invalid");
    }
    server
        .app()
        .get(&format!("/v1/sessions/{id}/items?limit=0"))
        .refused(400, "query_invalid");
}

#[test]
fn another_owners_events_are_not_there() {
    let server = shared();
    let id = server.session();
    let grace = server.person("grace", "sessions:own");
    for what in ["items", "events"] {
        grace
            .get(&format!("/v1/sessions/{id}/{what}"))
            .refused(404, "request_rejected");
        server
            .app()
            .get(&format!("/v1/sessions/nobody/{what}"))
            .refused(404, "request_rejected");
    }
    server
        .person("ada", "sessions:own")
        .get(&format!("/v1/sessions/{id}/items"))
        .well();
}

#[test]
fn a_sandbox_comes_to_rest() {
    let data = tempfile::tempdir().unwrap();
    let server = Server::with(&config(data.path().join("data")), None);
    server
        .management()
        .put("/v1/tenant/sandbox", json!({ "limits": { "idle": "500ms" } }))
        .well();
    let id = server.session();
    server.bash(&id, "echo kept > file");
    let live = follow(&server, &id, Some("3"));
    let rest = take(&live, 1);
    assert_eq!(told(&rest), ["sandbox.state stopped"]);
    assert_eq!(server.bash(&id, "cat file"), "kept\n");
    let again = take(&live, 4);
    assert_eq!(told(&again)[0], "sandbox.state creating");
    assert_eq!(again[0]["payload"]["reattach"], json!(true));
    drop(live);
}

#[test]
fn a_stopping_server_ends_streams_and_commands() {
    let data = tempfile::tempdir().unwrap();
    let server = Server::with(&config(data.path().join("data")), None);
    let id = server.session();
    let live = follow(&server, &id, None);
    let app = server.app();
    let call = thread::spawn({
        let id = id.clone();
        move || app.tool(&id, "bash", json!({ "command": "while :; do :; done" }))
    });
    thread::sleep(Duration::from_millis(300));
    server.stop();
    assert_eq!(call.join().unwrap().well()["output"]["exitCode"], 130);
    while live.recv_timeout(Duration::from_secs(5)).is_ok() {}
}
