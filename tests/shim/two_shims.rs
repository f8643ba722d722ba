//! Two servers over one PostgreSQL and one object store. Without `EXUVIA_TEST_DATABASE` there is nothing to test.

use std::thread;
use std::time::{Duration, Instant};

use exuvia::shim::config::Config;
use serde_json::json;

use super::crash::{Caller, Process};
use super::harness::{Server, config, session};

/// Settings of two servers, if there is a database.
fn settings(folder: &std::path::Path) -> Option<[Config; 2]> {
    let first = Config {
        blobs: Some(format!("file://{}/blobs", folder.display())),
        ..config(folder.join("one"))
    };
    first.database.as_ref()?;
    std::fs::create_dir_all(folder.join("blobs")).unwrap();
    let second = Config {
        data: folder.join("two"),
        ..first.clone()
    };
    Some([first, second])
}

fn prepare(server: &Server) {
    server.app().put("/v1/sandboxes/shared", json!({})).well();
    for id in ["a", "b"] {
        let body = session("ada", json!({ "sandbox": { "id": "shared" } }));
        server.app().put(&format!("/v1/sessions/{id}"), body).well();
    }
}

#[test]
fn one_tenant_over_two() {
    let folder = tempfile::tempdir().unwrap();
    let Some([first, second]) = settings(folder.path()) else {
        return;
    };
    let one = Server::with(&first, None);
    let two = Server::with(&second, Some((one.application.clone(), one.management.clone())));
    prepare(&one);
    let turn = one.turn("a");
    two.app()
        .post("/v1/sessions/b/turns", json!({ "requestId": "r" }))
        .refused(409, "sandbox_busy");
    let named = |server: &Server| server.app().header("Nylorun-Turn", &turn);
    for number in 0..6 {
        let server = if number % 2 == 0 { &one } else { &two };
        let input = json!({ "command": "cat log 2>/dev/null | wc -l; echo line >> log" });
        let reply = named(server).tool("a", "bash", input);
        assert_eq!(
            reply.well()["output"]["stdout"],
            format!("{number}\n"),
            "each sees what the other did"
        );
    }
    let path = format!("/v1/sessions/a/turns/{turn}/end");
    two.app().post(&path, json!({ "outcome": "completed" })).well();
    thread::scope(|scope| {
        for (server, id) in [(&one, "a"), (&two, "b")] {
            scope.spawn(move || (0..10).for_each(|_| drop(server.bash(id, "echo x >> log"))));
        }
    });
    assert_eq!(one.bash("a", "wc -l < log"), "26\n");
}

#[test]
fn a_killed_one_frees_its_turns() {
    let folder = tempfile::tempdir().unwrap();
    let Some([first, second]) = settings(folder.path()) else {
        return;
    };
    let mut one = Process::start(&first);
    let keys = (one.keys[0].clone(), one.keys[1].clone());
    let two = Server::with(&second, Some(keys));
    prepare(&two);
    let asked = json!({ "requestId": "r", "leaseSeconds": 5 });
    let caller = Caller::new(&one.url, &two.application);
    let (status, turn) = caller.ask("POST", "/v1/sessions/a/turns", &asked).unwrap();
    assert_eq!(status, 200, "{turn}");
    two.app()
        .post("/v1/sessions/b/turns", json!({ "requestId": "r" }))
        .refused(409, "sandbox_busy");
    let mut named = Caller::new(&one.url, &two.application);
    named.turn = turn["turnId"].as_str();
    let command = |text: &str| json!({ "command": text });
    let path = "/v1/sessions/a/sandbox/bash";
    let (status, reply) = named.ask("POST", path, &command("echo whole > file")).unwrap();
    assert_eq!(status, 200, "{reply}");
    thread::scope(|scope| {
        let half = command("echo half > file; while :; do :; done");
        let cut_off = scope.spawn(move || named.ask("POST", path, &half));
        thread::sleep(Duration::from_millis(500));
        one.kill();
        assert!(cut_off.join().unwrap().is_none(), "it was killed in the middle");
    });
    let began = Instant::now();
    let taken = loop {
        let reply = two
            .app()
            .post("/v1/sessions/b/turns", json!({ "requestId": "r" }));
        if reply.status == 200 {
            break reply.body["turnId"].as_str().unwrap().to_owned();
        }
        assert!(began.elapsed() < Duration::from_secs(20), "the lease ends");
        thread::sleep(Duration::from_millis(50));
    };
    let app = two.app().header("Nylorun-Turn", &taken);
    let reply = app.tool("b", "bash", command("cat file"));
    assert_eq!(
        reply.well()["output"]["stdout"],
        "whole\n",
        "what was answered, and no more"
    );
    let items = two.app().get("/v1/sessions/a/items?limit=200");
    let last = items.well()["items"].as_array().unwrap().last().unwrap().clone();
    assert_eq!(
        (&last["type"], &last["payload"]["outcome"]),
        (&json!("turn.ended"), &json!("failed"))
    );
}
