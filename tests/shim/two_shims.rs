//! Two servers over one PostgreSQL and one object store. Without `EXUVIA_TEST_DATABASE` there is nothing to test.

use std::thread;
use std::time::{Duration, Instant};

use exuvia::shim::config::Config;
use serde_json::{Value, json};

use super::crash::{Process, ask};
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
    let ask = |path: &str, body: Value| ask(&one.url, &two.application, "POST", path, &body);
    let (status, turn) = ask(
        "/v1/sessions/a/turns",
        json!({ "requestId": "r", "leaseSeconds": 2 }),
    )
    .unwrap();
    assert_eq!(status, 200, "{turn}");
    two.app()
        .post("/v1/sessions/b/turns", json!({ "requestId": "r" }))
        .refused(409, "sandbox_busy");
    one.kill();
    let began = Instant::now();
    while two
        .app()
        .post("/v1/sessions/b/turns", json!({ "requestId": "r" }))
        .status
        != 200
    {
        assert!(began.elapsed() < Duration::from_secs(10), "the lease ends");
        thread::sleep(Duration::from_millis(50));
    }
}
