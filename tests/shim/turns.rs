//! Section 2: turns.

use std::io::{BufRead, BufReader};
use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::harness::{Server, rounds, session, shared, unique};

fn attached(server: &Server, sandbox: &str) -> String {
    let id = unique("member");
    let body = session("ada", json!({ "sandbox": { "id": sandbox } }));
    server.app().put(&format!("/v1/sessions/{id}"), body).well();
    id
}

fn pair(server: &Server) -> (String, String, String) {
    let sandbox = unique("pair");
    server
        .app()
        .put(&format!("/v1/sandboxes/{sandbox}"), json!({}))
        .well();
    (attached(server, &sandbox), attached(server, &sandbox), sandbox)
}

fn start(server: &Server, session: &str, more: Value) -> super::harness::Reply {
    let mut body = json!({ "requestId": "r" });
    for (key, value) in more.as_object().unwrap() {
        body[key] = value.clone();
    }
    server.app().post(&format!("/v1/sessions/{session}/turns"), body)
}

fn end(server: &Server, session: &str, turn: &str, outcome: &str) -> super::harness::Reply {
    server.app().post(
        &format!("/v1/sessions/{session}/turns/{turn}/end"),
        json!({ "outcome": outcome }),
    )
}

#[test]
fn taken_renewed_ended() {
    let server = shared();
    let id = server.session();
    let turn = server.turn(&id);
    let view = server.app().get(&format!("/v1/sessions/{id}"));
    assert_eq!(
        (&view.well()["status"], &view.body["activeTurnId"]),
        (&json!("running"), &json!(turn))
    );
    let again = start(server, &id, json!({}));
    again.refused(409, "request_rejected");
    assert_eq!(again.body["activeTurnId"], json!(turn));
    let path = format!("/v1/sessions/{id}/turns/{turn}");
    let renewed = server
        .app()
        .post(&format!("{path}/renew"), json!({ "leaseSeconds": 3600 }));
    assert!(renewed.well()["leaseUntil"].as_str().unwrap() > view.body["updatedAt"].as_str().unwrap());
    server.app().send("POST", &format!("{path}/renew"), None).well();
    assert_eq!(
        end(server, &id, &turn, "completed").well(),
        &json!({ "turnId": turn, "outcome": "completed" })
    );
    end(server, &id, &turn, "completed").well();
    end(server, &id, &turn, "failed").refused(409, "request_rejected");
    server
        .app()
        .post(&format!("{path}/renew"), json!({}))
        .refused(409, "request_rejected");
    assert_eq!(
        server.app().get(&format!("/v1/sessions/{id}")).well()["status"],
        "idle"
    );
    server.turn(&id);
}

#[test]
fn bounds_and_unknowns() {
    let server = shared();
    let id = server.session();
    for seconds in [0, 3601, -1] {
        start(server, &id, json!({ "leaseSeconds": seconds })).refused(400, "request_rejected");
    }
    let turn = server.turn(&id);
    end(server, &id, &turn, "done").refused(400, "request_rejected");
    end(server, &id, "turn_none", "failed").refused(404, "request_rejected");
    end(server, &server.session(), &turn, "failed").refused(404, "request_rejected");
    start(server, "nobody", json!({})).refused(404, "request_rejected");
}

#[test]
fn the_same_key_is_the_same_turn() {
    let server = shared();
    let id = server.session();
    let first = start(server, &id, json!({ "idempotencyKey": "k" }));
    let second = start(server, &id, json!({ "idempotencyKey": "k" }));
    assert_eq!(first.well()["turnId"], second.well()["turnId"]);
    end(server, &id, first.body["turnId"].as_str().unwrap(), "failed").well();
    start(server, &id, json!({ "idempotencyKey": "k" })).refused(409, "request_rejected");
    start(server, &id, json!({ "idempotencyKey": "l" })).well();
}

#[test]
fn one_turn_a_sandbox() {
    let server = shared();
    let (one, two, sandbox) = pair(server);
    let turn = server.turn(&one);
    let busy = start(server, &two, json!({}));
    busy.refused(409, "sandbox_busy");
    assert_eq!(busy.body["details"], json!({ "retryAfterSeconds": 5 }));
    assert_eq!(busy.headers["retry-after"], "5");
    server
        .app()
        .tool(&two, "bash", json!({ "command": "true" }))
        .refused(409, "sandbox_busy");
    server
        .app()
        .delete(&format!("/v1/sandboxes/{sandbox}"))
        .refused(409, "sandbox_busy");
    end(server, &one, &turn, "completed").well();
    let turn = server.turn(&two);
    end(server, &two, &turn, "completed").well();
}

#[test]
fn a_deleted_sandbox_is_unavailable_until_it_is_made_again() {
    let server = shared();
    let (one, _, sandbox) = pair(server);
    server.bash(&one, "echo old > file");
    server.app().delete(&format!("/v1/sandboxes/{sandbox}")).well();
    start(server, &one, json!({})).refused(409, "sandbox_unavailable");
    server
        .app()
        .tool(&one, "bash", json!({ "command": "true" }))
        .refused(409, "sandbox_unavailable");
    server
        .app()
        .put(&format!("/v1/sandboxes/{sandbox}"), json!({}))
        .well();
    server.turn(&one);
    let turn = server.app().get(&format!("/v1/sessions/{one}")).body["activeTurnId"]
        .as_str()
        .unwrap()
        .to_owned();
    let app = server.app().header("Nylorun-Turn", &turn);
    assert_eq!(
        app.tool(&one, "bash", json!({ "command": "ls -A" })).well()["output"]["stdout"],
        ""
    );
}

#[test]
fn a_lease_runs_out() {
    let server = shared();
    let (one, two, _) = pair(server);
    let turn = start(server, &one, json!({ "leaseSeconds": 1 }));
    let turn = turn.well()["turnId"].as_str().unwrap().to_owned();
    let began = Instant::now();
    while start(server, &two, json!({})).status == 409 {
        assert!(began.elapsed() < Duration::from_secs(10));
        thread::sleep(Duration::from_millis(50));
    }
    assert!(began.elapsed() > Duration::from_millis(700));
    let events = server.app().get(&format!("/v1/sessions/{one}/items"));
    let last = events.well()["items"].as_array().unwrap().last().unwrap().clone();
    assert_eq!(
        (&last["type"], &last["payload"]),
        (&json!("turn.ended"), &json!({ "outcome": "failed" }))
    );
    end(server, &one, &turn, "completed").refused(409, "request_rejected");
    end(server, &one, &turn, "failed").well();
}

#[test]
fn cancelled_kills_what_runs() {
    let server = shared();
    let id = server.session();
    let turn = server.turn(&id);
    let client = server
        .app()
        .header("Nylorun-Turn", &turn)
        .header("Accept", "text/event-stream");
    let input = json!({ "command": "echo before; while :; do :; done", "timeout": 600 });
    let (status, stream) = client.open("POST", &format!("/v1/sessions/{id}/sandbox/bash"), Some(input));
    assert_eq!(status, 200);
    let mut lines = BufReader::new(stream).lines().map(Result::unwrap);
    assert!(lines.any(|line| line.contains("before")), "the command runs");
    end(server, &id, &turn, "cancelled").well();
    let outcome = lines.find(|line| line.contains("exitCode")).expect("an outcome");
    assert!(outcome.contains(r#""exitCode":130"#), "{outcome}");
    let app = server.app().header("Nylorun-Turn", &turn);
    app.tool(&id, "bash", json!({ "command": "true" }))
        .refused(409, "request_rejected");
}

#[test]
fn a_call_names_its_turn() {
    let server = shared();
    let id = server.session();
    let call = |turn: Option<&str>| {
        let app = turn.map_or(server.app(), |turn| server.app().header("Nylorun-Turn", turn));
        app.tool(&id, "bash", json!({ "command": "true" }))
    };
    call(None).well();
    call(Some("turn_none")).refused(409, "request_rejected");
    let turn = server.turn(&id);
    let without = call(None);
    without.refused(409, "request_rejected");
    assert_eq!(without.body["activeTurnId"], json!(turn));
    call(Some("turn_none")).refused(409, "request_rejected");
    call(Some(&turn)).well();
}

/// 64 sessions of one sandbox ask for a turn at one moment, again and again: one gets it each time.
#[test]
fn sixty_four_race() {
    const RACERS: usize = 64;
    let rounds: usize = rounds("EXUVIA_RACE_ROUNDS", 5);
    let server = shared();
    let sandbox = unique("race");
    server
        .app()
        .put(&format!("/v1/sandboxes/{sandbox}"), json!({}))
        .well();
    let sessions: Vec<String> = (0..RACERS).map(|_| attached(server, &sandbox)).collect();
    let barrier = Barrier::new(RACERS);
    let wins: Vec<Vec<bool>> = thread::scope(|scope| {
        let race = |id: &String| {
            let (id, barrier) = (id.clone(), &barrier);
            scope.spawn(move || {
                (0..rounds)
                    .map(|_| {
                        barrier.wait();
                        let reply = start(server, &id, json!({}));
                        let won = reply.status == 200;
                        if !won {
                            reply.refused(409, "sandbox_busy");
                        }
                        barrier.wait();
                        if won {
                            end(server, &id, reply.body["turnId"].as_str().unwrap(), "failed").well();
                        }
                        won
                    })
                    .collect::<Vec<bool>>()
            })
        };
        let racers: Vec<_> = sessions.iter().map(race).collect();
        racers.into_iter().map(|racer| racer.join().unwrap()).collect()
    });
    for round in 0..rounds {
        assert_eq!(wins.iter().filter(|won| won[round]).count(), 1, "round {round}");
    }
}

#[test]
fn a_session_without_a_sandbox_has_turns_and_no_tools() {
    let server = shared();
    let id = unique("plain");
    server
        .app()
        .put(
            &format!("/v1/sessions/{id}"),
            session("ada", json!({ "sandbox": false })),
        )
        .well();
    server
        .app()
        .tool(&id, "bash", json!({ "command": "true" }))
        .refused(404, "request_rejected");
    let turn = server.turn(&id);
    end(server, &id, &turn, "completed").well();
}

/// Whose lease is over while a command runs loses what the command did.
#[test]
fn a_late_writer_commits_nothing() {
    let server = shared();
    let (one, two, _) = pair(server);
    server.bash(&one, "echo before > file");
    let turn = start(server, &one, json!({ "leaseSeconds": 1 }));
    let app = server
        .app()
        .header("Nylorun-Turn", turn.well()["turnId"].as_str().unwrap());
    let late = app.tool(
        &one,
        "bash",
        json!({ "command": "echo late > file; while :; do :; done", "timeout": 600 }),
    );
    late.refused(409, "request_rejected");
    assert_eq!(server.bash(&two, "cat file"), "before\n");
}
