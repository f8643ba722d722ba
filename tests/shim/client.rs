//! The typed client, against a real server: each call once, and what it makes of refusals.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use exuvia::client::{Client, Error, KeyKind, NewArtifact, NewSession, TurnOptions};
use exuvia::tool::{Bash, Edit, FailureCode, Grep, Outcome, Read, Stream};
use exuvia::wire::{
    DefaultSandbox, EnsureSandbox, LimitsInput, SandboxChoice, Scope, SessionStatus, SpecInput,
    TenantSettings, TurnOutcome,
};
use serde_json::json;

use super::harness::{Server, shared, unique};

fn client(server: &Server) -> Client {
    Client::with_keys(
        &server.url,
        Some(server.application.clone()),
        Some(server.management.clone()),
    )
}

/// A session with a sandbox of its own.
fn inline() -> NewSession {
    NewSession {
        sandbox: Some(SpecInput::default().into()),
        ..NewSession::new("analyst", "ada")
    }
}

#[test]
fn a_session_and_its_tools() {
    let session = client(shared()).create_session(inline()).unwrap();
    let tools = session.tools();
    let reply = tools.bash("echo hi; echo no >&2; exit 3").unwrap();
    assert_eq!(
        (reply.exit_code, reply.stdout.as_str(), reply.stderr.as_str()),
        (3, "hi\n", "no\n")
    );
    assert_eq!(tools.write("dir/names", "ada\ngrace\n").unwrap().bytes, 10);
    let edited = tools.edit(Edit {
        path: "dir/names".into(),
        old_string: "grace".into(),
        new_string: "linus".into(),
        replace_all: None,
    });
    assert_eq!(edited.unwrap().replacements, 1);
    assert_eq!(tools.read("dir/names").unwrap(), "1\tada\n2\tlinus");
    let second = Read {
        offset: Some(2),
        ..Read::from("dir/names")
    };
    assert_eq!(tools.read(second).unwrap(), "2\tlinus");
    let upper = Grep {
        ignore_case: Some(true),
        ..Grep::from("LINUS")
    };
    assert_eq!(tools.grep(upper).unwrap(), "/workspace/dir/names:2:linus");
    assert_eq!(tools.glob("*ames").unwrap(), "/workspace/dir/names");
    let timed = tools.bash(Bash {
        timeout: Some(1),
        ..Bash::from("while :; do :; done")
    });
    assert!(timed.unwrap().timed_out);
}

#[test]
fn a_tool_that_fails() {
    let session = client(shared()).create_session(inline()).unwrap();
    let error = session.tools().read("none").unwrap_err();
    assert!(matches!(&error, Error::Tool(failure) if failure.code == FailureCode::NotFound));
    assert_eq!((error.code(), error.status()), (Some("sandbox.not_found"), None));
    let outcome = session.tools().call("read", &json!({ "path": "none" })).unwrap();
    assert!(matches!(outcome, Outcome::Failed(_)));
    let error = session.tools().call("read", &json!({ "pfad": 1 })).unwrap_err();
    assert_eq!(
        (error.status(), error.code()),
        (Some(400), Some("request_rejected"))
    );
    let error = session.tools().call("rm", &json!({})).unwrap_err();
    assert_eq!(error.status(), Some(404));
}

#[test]
fn output_comes_while_it_is_printed() {
    let session = client(shared()).create_session(inline()).unwrap();
    let mut seen = BTreeMap::new();
    let mut count = 0;
    let reply = session
        .tools()
        .bash_streaming(
            "for n in 1 2 3; do echo $n; sleep 1; done; echo end >&2",
            |chunk| {
                count += 1;
                seen.entry(chunk.stream == Stream::Stdout)
                    .or_insert_with(String::new)
                    .push_str(&chunk.text);
            },
        )
        .unwrap();
    assert_eq!((reply.exit_code, reply.stdout.as_str()), (0, "1\n2\n3\n"));
    assert_eq!(
        (seen[&true].as_str(), seen[&false].as_str()),
        ("1\n2\n3\n", "end\n")
    );
    assert!(count > 1, "in pieces");
    let missing = client(shared()).session("none");
    let error = missing.tools().bash_streaming("true", |_| {}).unwrap_err();
    assert_eq!(error.status(), Some(404));
}

#[test]
fn turns() {
    let client = client(shared());
    let sandbox = unique("turns");
    client
        .sandboxes()
        .ensure(&sandbox, EnsureSandbox::default())
        .unwrap();
    let attached = || {
        let new = NewSession {
            sandbox: Some(SandboxChoice::Attach(sandbox.clone())),
            ..NewSession::new("analyst", "ada")
        };
        client.create_session(new).unwrap()
    };
    let (one, two) = (attached(), attached());
    let options = TurnOptions {
        idempotency_key: Some("key".into()),
        lease_seconds: Some(60),
    };
    let mut turn = one.start_turn(options.clone()).unwrap();
    assert_eq!(one.start_turn(options).unwrap().id(), turn.id());
    let view = one.view().unwrap();
    assert_eq!(
        (view.status, view.active_turn_id.as_deref()),
        (SessionStatus::Running, Some(turn.id()))
    );
    let busy = two.start_turn(TurnOptions::default()).unwrap_err();
    assert_eq!((busy.status(), busy.code()), (Some(409), Some("sandbox_busy")));
    assert_eq!(busy.retry_after(), Some(Duration::from_secs(5)));
    assert_eq!(busy.details(), Some(&json!({ "retryAfterSeconds": 5 })));
    let again = one.start_turn(TurnOptions::default()).unwrap_err();
    assert_eq!(again.active_turn_id(), Some(turn.id()));
    assert!(again.request_id().is_some_and(|id| id.starts_with("request_")));
    assert_eq!(
        one.tools().bash("true").unwrap_err().active_turn_id(),
        Some(turn.id())
    );
    let before = turn.lease_until().unwrap().to_owned();
    turn.renew(Some(3600)).unwrap();
    assert!(turn.lease_until().unwrap() > before.as_str());
    turn.tools().bash("mkdir outputs; echo x > outputs/file").unwrap();
    turn.files().put("outputs/b", "bytes").unwrap();
    let same = one.turn(turn.id());
    assert_eq!(same.files().get("outputs/b").unwrap(), b"bytes");
    assert_eq!(
        turn.end(TurnOutcome::Completed).unwrap().outcome,
        TurnOutcome::Completed
    );
    let folder = &client.artifacts().list(Some(one.id())).unwrap()[0];
    let tree = client.artifacts().tree(&folder.id, None).unwrap();
    let paths: Vec<&str> = tree.files.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(paths, ["b", "file"]);
    assert_eq!(
        client.artifacts().file(&folder.id, Some(1), "file").unwrap(),
        b"x\n"
    );
    assert!(
        client
            .artifacts()
            .zip(&folder.id, None)
            .unwrap()
            .starts_with(b"PK")
    );
    two.start_turn(TurnOptions::default())
        .unwrap()
        .end(TurnOutcome::Cancelled)
        .unwrap();
}

#[test]
fn sandboxes() {
    let client = client(shared());
    let (id, group) = (unique("team-a/proj"), unique("group"));
    let asked = EnsureSandbox::default()
        .label("group", &*group)
        .allow(["data.example.com"]);
    let made = client.sandboxes().ensure(&id, asked.clone()).unwrap();
    assert_eq!((made.kind.as_str(), made.state.as_str()), ("virtual", "ready"));
    assert_eq!(made.spec.network.allow, Some(vec!["data.example.com".to_owned()]));
    assert_eq!(
        client.sandboxes().ensure(&id, asked).unwrap().created_at,
        made.created_at
    );
    let other = EnsureSandbox::default().allow(["other.example.com"]);
    assert_eq!(
        client.sandboxes().ensure(&id, other).unwrap_err().status(),
        Some(409)
    );
    assert_eq!(client.sandboxes().get(&id).unwrap().id, id);
    for number in 0..4 {
        let more = EnsureSandbox::default().label("group", &*group);
        client
            .sandboxes()
            .ensure(&format!("{id}/{number}"), more)
            .unwrap();
    }
    let labels = [("group", &*group)];
    assert_eq!(client.sandboxes().list(&labels).unwrap().len(), 5);
    assert_eq!(
        client.sandboxes().list(&[labels[0], ("x", "y")]).unwrap().len(),
        0
    );
    let pages: Vec<usize> = client
        .sandboxes()
        .pages(&labels, 2)
        .map(|page| page.unwrap().len())
        .collect();
    assert_eq!(pages, [2, 2, 1]);
    assert_eq!(client.sandboxes().stop(&id).unwrap_err().status(), Some(400));
    assert_eq!(client.sandboxes().reset(&id).unwrap_err().status(), Some(400));
    assert!(client.sandboxes().delete(&id).unwrap());
    assert!(!client.sandboxes().delete(&id).unwrap());
    let events = client.sandboxes().events(&id, None).unwrap().events;
    let kinds: Vec<&str> = events.iter().map(|event| event.kind.as_str()).collect();
    assert_eq!(kinds, ["sandbox.created", "sandbox.deleted"]);
    assert_eq!(client.sandboxes().events(&id, Some(1)).unwrap().events.len(), 1);
}

#[test]
fn a_sandbox_for_a_session() {
    let client = client(shared());
    let spec = EnsureSandbox::default().allow(["data.example.com"]);
    let own = client
        .sandboxes()
        .for_session(NewSession::new("analyst", "ada"), spec)
        .unwrap();
    let session = own.session.clone();
    assert_eq!(own.sandbox_id(), format!("sessions/{}", session.id()));
    assert_eq!(session.tools().bash("echo hi").unwrap().stdout, "hi\n");
    assert!(own.release().unwrap());
    let error = session.tools().bash("true").unwrap_err();
    assert_eq!(error.code(), Some("sandbox_unavailable"));
}

#[test]
fn events_and_history() {
    let session = client(shared()).create_session(inline()).unwrap();
    session.tools().bash("echo one").unwrap();
    let mut events = session.events(None).unwrap();
    let first: Vec<String> = (&mut events).take(2).map(|event| event.unwrap().kind).collect();
    assert_eq!(first, ["sandbox.state", "sandbox.state"]);
    let cursor = events.cursor().unwrap().to_owned();
    let rest: Vec<String> = session
        .events(Some(&cursor))
        .unwrap()
        .take(2)
        .map(|event| event.unwrap().kind)
        .collect();
    assert_eq!(rest, ["sandbox.exec", "tool.completed"]);
    let page = session.items(None, Some(3)).unwrap();
    assert_eq!(page.items.len(), 3);
    let last = session.items(page.next_cursor.as_deref(), None).unwrap();
    assert_eq!((last.items.len(), last.next_cursor), (1, None));
    assert_eq!(
        session.events(Some("x")).unwrap_err().code(),
        Some("cursor_invalid")
    );
    let events = session.events(None).unwrap();
    session.delete().unwrap();
    assert!(events.count() <= 4, "they end with the session");
}

#[test]
fn events_end_with_the_server() {
    let server = Server::start();
    let session = client(&server).create_session(inline()).unwrap();
    let events = session.events(None).unwrap();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let thread = std::thread::spawn({
        let seen = Arc::clone(&seen);
        move || events.for_each(|event| seen.lock().unwrap().push(event.unwrap().kind))
    });
    session.tools().bash("true").unwrap();
    server.stop();
    thread.join().unwrap();
    assert_eq!(seen.lock().unwrap().len(), 4);
    assert!(matches!(session.view(), Err(Error::Transport(_))));
}

#[test]
fn acting_for_a_person() {
    let client = client(shared());
    let ada = client.as_subject("ada", &[Scope::SessionsOwn]);
    let error = ada.create_session(inline()).unwrap_err();
    assert_eq!(error.status(), Some(403), "a person cannot define a sandbox");
    let session = ada
        .create_session(NewSession {
            sandbox: Some(SandboxChoice::None),
            ..NewSession::new("analyst", "ada")
        })
        .unwrap();
    let grace = client.as_subject("grace", &[Scope::SessionsOwn]);
    assert_eq!(
        grace.session(session.id()).view().unwrap_err().status(),
        Some(404)
    );
    let id = unique("person");
    let error = ada.sandboxes().ensure(&id, EnsureSandbox::default()).unwrap_err();
    assert_eq!(error.code(), Some("scope_required"));
    assert_eq!(error.details(), Some(&json!({ "scopes": ["sandboxes:write"] })));
    let writer = client.as_subject("ada", &[Scope::SessionsOwn, Scope::SandboxesWrite]);
    writer.sandboxes().ensure(&id, EnsureSandbox::default()).unwrap();
    let own: Vec<_> = ada
        .sessions()
        .map(|session| session.unwrap().owner_user_id)
        .collect();
    assert!(!own.is_empty() && own.iter().all(|owner| owner == "ada"));
    session.delete().unwrap();
    assert_eq!(session.view().unwrap_err().status(), Some(404));
}

#[test]
fn files_and_artifacts() {
    let client = client(shared());
    let session = client.create_session(inline()).unwrap();
    let name = "dir/a name with ü, %2f and ?";
    let written = session.files().put(name, [0, 255, 10]).unwrap();
    assert_eq!((written.path, written.bytes), (format!("/workspace/{name}"), 3));
    assert_eq!(session.files().get(name).unwrap(), [0, 255, 10]);
    assert_eq!(session.files().get("none").unwrap_err().status(), Some(404));
    let stored = client
        .artifacts()
        .create(
            NewArtifact {
                session_id: Some(session.id().into()),
                labels: BTreeMap::from([("a".into(), "b c".into())]),
                media_type: Some("text/plain".into()),
                ..NewArtifact::named("notes & more.txt")
            },
            "one",
        )
        .unwrap();
    let id = stored.artifact.id;
    assert_eq!(stored.version.media_type, "text/plain");
    assert_eq!(
        client
            .artifacts()
            .add_version(&id, "two")
            .unwrap()
            .version
            .version,
        2
    );
    let found = client.artifacts().get(&id).unwrap();
    assert_eq!(
        (found.name.as_str(), found.labels["a"].as_str()),
        ("notes & more.txt", "b c")
    );
    assert_eq!(client.artifacts().content(&id, None).unwrap(), b"two");
    assert_eq!(client.artifacts().content(&id, Some(1)).unwrap(), b"one");
    assert_eq!(
        client.artifacts().diff(&id, None, 1).unwrap_err().status(),
        Some(409)
    );
    assert!(client.artifacts().delete(&id).unwrap());
    assert!(!client.artifacts().delete(&id).unwrap());
}

#[test]
fn the_tenant_and_the_keys() {
    let server = Server::start();
    let client = client(&server);
    let settings = TenantSettings {
        default: Some(DefaultSandbox::Virtual),
        limits: Some(LimitsInput {
            sandboxes: Some(1),
            ..LimitsInput::default()
        }),
        ..TenantSettings::default()
    };
    assert_eq!(
        client.tenant().set_sandbox(&settings).unwrap().preference,
        "virtual"
    );
    assert_eq!(
        client.tenant().sandbox().unwrap().config.default,
        DefaultSandbox::Virtual
    );
    let session = client.create_session(NewSession::new("analyst", "ada")).unwrap();
    assert_eq!(session.view().unwrap().sandbox_source.as_deref(), Some("default"));
    client
        .sandboxes()
        .ensure("one", EnsureSandbox::default())
        .unwrap();
    let full = client
        .sandboxes()
        .ensure("two", EnsureSandbox::default())
        .unwrap_err();
    assert_eq!(full.details(), Some(&json!({ "limit": "sandboxes", "max": 1 })));
    assert_eq!(client.health().unwrap().status, "ok");
    assert_eq!(client.ready().unwrap().checks["store"], "ok");
    let application_only = Client::new(&server.url, &server.application);
    let error = application_only.tenant().sandbox().unwrap_err();
    assert!(matches!(error, Error::KeyMissing(KeyKind::Management)));
    let stranger = Client::new(&server.url, &"0".repeat(64));
    let error = stranger.sessions().next().unwrap().unwrap_err();
    assert_eq!(
        (error.status(), error.code()),
        (Some(401), Some("credential_invalid"))
    );
    let nobody = Client::new("http://127.0.0.1:1", "x");
    assert!(matches!(nobody.health(), Err(Error::Transport(_))));
    assert!(!format!("{client:?}").contains(&server.application));
}
