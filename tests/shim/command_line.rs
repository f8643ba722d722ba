//! Section 8: the commands that work with a running shim, and `serve` itself.

use std::process::{Command, Output};

use serde_json::{Value, json};

use super::harness::{Server, session};

fn exuvia(server: Option<&Server>, words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_exuvia"));
    command.args(words).env_clear();
    if let Some(server) = server {
        command.env("EXUVIA_URL", &server.url);
        command.env("EXUVIA_KEY", &server.application);
        command.env("EXUVIA_MANAGEMENT_KEY", &server.management);
    }
    command.output().unwrap()
}

fn text(output: &Output) -> (String, String, i32) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (
        text(&output.stdout),
        text(&output.stderr),
        output.status.code().unwrap(),
    )
}

#[test]
fn sandboxes() {
    let server = Server::start();
    server
        .app()
        .put(
            "/v1/sandboxes/team-a%2Fproj",
            json!({ "labels": { "project": "acme", "env": "dev" } }),
        )
        .well();
    server.app().put("/v1/sandboxes/other", json!({})).well();
    let run = |words: &[&str]| text(&exuvia(Some(&server), words));
    let table = "ID           KIND     STATE  SESSIONS  LABELS\n\
                 other        virtual  ready  0\n\
                 team-a/proj  virtual  ready  0         env=dev,project=acme\n";
    assert_eq!(run(&["sandbox", "ls"]), (table.into(), String::new(), 0));
    let (found, _, _) = run(&["sandbox", "ls", "--label", "project=acme", "--json"]);
    let found: Value = serde_json::from_str(&found).unwrap();
    assert_eq!(found["sandboxes"].as_array().unwrap().len(), 1);
    assert_eq!(
        run(&["sandbox", "rm", "team-a/proj"]),
        ("removed team-a/proj\n".into(), String::new(), 0)
    );
    assert_eq!(run(&["sandbox", "rm", "team-a/proj"]).2, 1);
    assert_eq!(
        run(&["sandbox", "status"]),
        ("pod sandboxes: not enabled\n".into(), String::new(), 3)
    );
    assert_eq!(run(&["sandbox", "status", "--json"]).2, 3);
    assert_eq!(run(&["sandbox", "explode"]).2, 2);
    assert_eq!(run(&["sandbox", "ls", "--label", "x"]).2, 2);
}

/// Without a backend for clusters nothing is tried, and that is said.
#[test]
fn clusters() {
    let run = |words: &[&str]| text(&exuvia(None, words));
    let (_, err, status) = run(&["sandbox", "enable"]);
    assert!(err.contains("--context") && status == 2, "{err}");
    for words in [
        &["sandbox", "enable", "--context", "staging"][..],
        &["sandbox", "disable"],
        &["sandbox", "disable", "--delete-namespace"],
    ] {
        let (out, err, status) = run(words);
        assert!(out.is_empty() && status == 1, "{words:?}: {out}");
        assert!(
            err.contains("no backend for Kubernetes") && err.contains("nothing was changed"),
            "{err}"
        );
    }
}

#[test]
fn doctor() {
    let server = Server::start();
    let (out, _, status) = text(&exuvia(Some(&server), &["doctor", "sandbox"]));
    assert_eq!(status, 0);
    for part in [
        "platform:",
        "backend:   virtual",
        "not an isolation boundary",
        "pod ",
        "no cluster is enabled",
    ] {
        assert!(out.contains(part), "{part}: {out}");
    }
    let (out, _, _) = text(&exuvia(Some(&server), &["doctor", "sandbox", "--json"]));
    let report: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(
        (&report["backend"], &report["default"]),
        (&json!("virtual"), &json!("none"))
    );
    let (_, err, status) = text(&exuvia(None, &["doctor", "sandbox", "--url", &server.url]));
    assert_eq!(
        (err.as_str(), status),
        (
            "exuvia: a key is needed: --management-key or EXUVIA_MANAGEMENT_KEY\n",
            2
        )
    );
}

#[test]
fn sessions_and_tools() {
    let server = Server::start();
    server
        .app()
        .put("/v1/sessions/s1", session("ada", json!({ "sandbox": {} })))
        .well();
    let run = |words: &[&str]| text(&exuvia(Some(&server), words));
    let (out, _, _) = run(&["sessions"]);
    assert!(
        out.starts_with(
            "ID  AGENT    OWNER  STATUS  SANDBOX  UPDATED\ns1  analyst  ada    idle    inline   "
        ),
        "{out}"
    );
    assert_eq!(
        run(&["tool", "bash", "--session", "s1", "echo hi; echo no >&2; exit 3"]),
        ("hi\n".into(), "no\n".into(), 3)
    );
    let (out, _, status) = run(&["tool", "write", "--session", "s1", "path=a", "content=one"]);
    assert_eq!(
        (out.as_str(), status),
        ("{\"path\":\"/workspace/a\",\"bytes\":3}\n", 0)
    );
    assert_eq!(
        run(&["tool", "read", "--session", "s1", "a"]),
        ("1\tone\n".into(), String::new(), 0)
    );
    let (_, err, status) = run(&["tool", "read", "--session", "s1", "none"]);
    assert!(err.starts_with("sandbox.not_found: "), "{err}");
    assert_eq!(status, 1);
    let (_, err, status) = run(&["tool", "bash", "--session", "none", "true"]);
    assert_eq!(
        (err.as_str(), status),
        ("exuvia: 404 request_rejected: no such session\n", 1)
    );
    assert_eq!(
        text(&exuvia(
            None,
            &["sessions", "--url", "http://127.0.0.1:1", "--key", "x"]
        ))
        .2,
        1
    );
}

#[test]
fn settings_of_a_server() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("shim.toml");
    std::fs::write(&file, "listen = \"127.0.0.1:1\"\ntenant = \"shop\"\ndatabase = \"postgres://user:secret@db.example.com/x\"\n").unwrap();
    let printed = Command::new(env!("CARGO_BIN_EXE_exuvia"))
        .args([
            "serve",
            "--print-config",
            "--config",
            file.to_str().unwrap(),
            "--workers",
            "3",
        ])
        .env("EXUVIA_LISTEN", "127.0.0.1:2")
        .output()
        .unwrap();
    let (out, _, status) = text(&printed);
    assert_eq!(status, 0);
    for line in [
        "listen = \"127.0.0.1:2\"",
        "tenant = \"shop\"",
        "workers = 3",
        "database = \"postgres://user:***@db.example.com/x\"",
    ] {
        assert!(out.lines().any(|other| other == line), "{line}: {out}");
    }
    std::fs::write(&file, "listne = 1\n").unwrap();
    let (_, err, status) = text(&exuvia(None, &["serve", "--config", file.to_str().unwrap()]));
    assert!(err.contains("listne") && status == 2, "{err}");
    assert_eq!(text(&exuvia(None, &["serve", "--help"])).2, 0);
}
