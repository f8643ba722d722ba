//! Section 2, tools: what is taken and refused, what streams, what lasts.

use std::io::Read;
use std::thread;

use serde_json::json;

use super::harness::{Server, config, session, shared, unique};

#[test]
fn a_command_answers() {
    let server = shared();
    let id = server.session();
    let reply = server
        .app()
        .tool(&id, "bash", json!({ "command": "echo hi; echo no >&2; exit 3" }));
    assert_eq!(
        reply.well(),
        &json!({ "kind": "completed", "output": { "exitCode": 3, "stdout": "hi\n", "stderr": "no\n" } })
    );
}

#[test]
fn files_last_from_call_to_call() {
    let server = shared();
    let id = server.session();
    assert_eq!(
        server.bash(&id, "pwd; echo $HOME $LANG $TERM $PATH"),
        "/workspace\n/workspace C.UTF-8 dumb /usr/local/bin:/usr/bin:/bin\n"
    );
    server.bash(
        &id,
        "mkdir -p a/b; echo one > a/b/file; ln -s b a/link; cd a; x=1",
    );
    assert_eq!(
        server.bash(&id, "pwd; echo $x; cat a/link/file"),
        "/workspace\n\none\n"
    );
    let written = server
        .app()
        .tool(&id, "write", json!({ "path": "a/b/file", "content": "two\n" }));
    assert_eq!(
        written.well()["output"],
        json!({ "path": "/workspace/a/b/file", "bytes": 4 })
    );
    let read = server
        .app()
        .tool(&id, "read", json!({ "path": "/workspace/a/b/file" }));
    assert_eq!(read.well(), &json!({ "kind": "completed", "output": "1\ttwo" }));
    let missing = server.app().tool(&id, "read", json!({ "path": "none" }));
    assert_eq!(
        (&missing.well()["kind"], &missing.body["code"]),
        (&json!("failed"), &json!("sandbox.not_found"))
    );
}

#[test]
fn input_is_checked() {
    let server = shared();
    let id = server.session();
    for (tool, input) in [
        ("bash", json!({})),
        ("bash", json!({ "command": "" })),
        ("bash", json!({ "command": "true", "timeout": 0 })),
        ("bash", json!({ "command": "true", "timeout": 601 })),
        ("bash", json!({ "command": "true", "more": 1 })),
        ("bash", json!([])),
        ("read", json!({ "path": "x", "limit": 5001 })),
        ("read", json!({ "path": "x", "offset": 0 })),
        ("write", json!({ "path": "x" })),
    ] {
        server
            .app()
            .tool(&id, tool, input)
            .refused(400, "request_rejected");
    }
    server
        .app()
        .tool(&id, "rm", json!({}))
        .refused(404, "request_rejected");
    server
        .app()
        .tool("nobody", "bash", json!({ "command": "true" }))
        .refused(404, "request_rejected");
    let person = server.person("ada", "sessions:own sandboxes:write");
    person
        .tool(&id, "bash", json!({ "command": "true" }))
        .refused(403, "scope_required");
}

#[test]
fn a_command_has_its_time() {
    let server = shared();
    let id = server.session();
    let reply = server.app().tool(
        &id,
        "bash",
        json!({ "command": "echo a; sleep 5; echo b", "timeout": 2 }),
    );
    let output = &reply.well()["output"];
    assert_eq!(
        (&output["exitCode"], &output["timedOut"], &output["stdout"]),
        (&json!(124), &json!(true), &json!("a\n"))
    );
}

#[test]
fn a_command_streams() {
    let server = shared();
    let id = server.session();
    let app = server.app().header("Accept", "text/event-stream");
    let path = format!("/v1/sessions/{id}/sandbox/bash");
    let (status, mut stream) = app.open(
        "POST",
        &path,
        Some(json!({ "command": "echo one; echo two >&2; exit 4" })),
    );
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    assert_eq!(status, 200);
    let events: Vec<&str> = text
        .lines()
        .filter_map(|line| line.strip_prefix("event: "))
        .collect();
    assert_eq!(events, ["stdout", "stderr", "outcome"], "{text}");
    assert!(text.contains(r#"data: {"text":"one\n"}"#), "{text}");
    assert!(text.contains(r#""exitCode":4"#), "{text}");
    let (status, _) =
        app.header("Nylorun-Turn", "none")
            .open("POST", &path, Some(json!({ "command": "true" })));
    assert_eq!(status, 409);
}

/// Calls that come together wait for each other, whichever session they come from.
#[test]
fn one_at_a_time() {
    let server = shared();
    let sandbox = unique("queue");
    server
        .app()
        .put(&format!("/v1/sandboxes/{sandbox}"), json!({}))
        .well();
    let sessions: Vec<String> = (0..4).map(|_| unique("queued")).collect();
    for id in &sessions {
        server
            .app()
            .put(
                &format!("/v1/sessions/{id}"),
                session("ada", json!({ "sandbox": { "id": sandbox } })),
            )
            .well();
    }
    thread::scope(|scope| {
        for id in &sessions {
            scope.spawn(move || {
                for _ in 0..5 {
                    server.bash(id, "n=$(cat n 2>/dev/null || echo 0); for i in {1..200}; do :; done; echo $((n + 1)) > n");
                }
            });
        }
    });
    assert_eq!(server.bash(&sessions[0], "cat n"), "20\n");
}

/// Everything that a file is lasts over a restart.
#[test]
fn workspaces_survive_a_restart() {
    let data = tempfile::tempdir().unwrap();
    let config = config(data.path().join("data"));
    let server = Server::with(&config, None);
    let keys = (server.application.clone(), server.management.clone());
    let id = server.session();
    server.bash(
        &id,
        "printf 'a\\0b' > bin; mkdir -p d/e; echo x > d/e/f; chmod 750 d; chmod 600 bin; ln -s d/e link; ln d/e/f hard; mkfifo pipe
         touch -d '2001-02-03 04:05:06' bin; touch $'odd\\377\\\\name'; : > empty; touch -d '2002-03-04' d",
    );
    let look = "stat -c '%n %F %a %h %s %Y' * | grep -v '^pipe.*[0-9]$'; stat -c '%n %F' pipe; od -c bin; cat link/f; echo y >> hard; cat d/e/f";
    let before = server.bash(&id, look);
    server.bash(&id, "echo x > d/e/f; touch -d '2002-03-04' d");
    server.stop();
    let server = Server::with(&config, Some(keys));
    let again = server.bash(&id, look);
    let without_times = |text: &str| -> Vec<String> {
        let times = |line: &str| !line.starts_with("hard ");
        text.lines()
            .filter(|line| times(line))
            .map(str::to_owned)
            .collect()
    };
    assert_eq!(without_times(&again), without_times(&before));
    assert!(again.contains("bin regular file 600 1 3 981173106"), "{again}");
    server.stop();
}

#[test]
fn a_full_workspace_says_so() {
    let data = tempfile::tempdir().unwrap();
    let config = exuvia::shim::config::Config {
        workspace_bytes: 100_000,
        ..config(data.path().join("data"))
    };
    let server = Server::with(&config, None);
    let id = server.session();
    let reply = server.app().tool(
        &id,
        "bash",
        json!({ "command": "head -c 200000 /dev/zero > big" }),
    );
    assert_eq!(reply.well()["output"]["exitCode"], 1);
    assert!(
        reply.body["output"]["stderr"]
            .as_str()
            .unwrap()
            .contains("No space left on device"),
        "{}",
        reply.body
    );
    let reply = server.app().tool(
        &id,
        "write",
        json!({ "path": "other", "content": "x".repeat(200_000) }),
    );
    assert_eq!(reply.well()["code"], "sandbox.write_failed");
    assert_eq!(
        server.bash(&id, "ls other 2>&1"),
        "ls: cannot access 'other': No such file or directory\n"
    );
}
