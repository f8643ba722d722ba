//! Section 4: sandbox resources.

use serde_json::{Value, json};

use super::harness::{Server, session, shared, unique};

fn ids(body: &Value) -> Vec<String> {
    let sandboxes = body["sandboxes"].as_array().unwrap();
    sandboxes
        .iter()
        .map(|sandbox| sandbox["id"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn made_once_and_found_again() {
    let server = shared();
    let id = unique("team/proj");
    let path = format!("/v1/sandboxes/{}", id.replace('/', "%2F"));
    let made = server.app().put(
        &path,
        json!({ "labels": { "project": "acme" }, "resources": { "memory": "2GiB" } }),
    );
    let view = made.well();
    assert_eq!(
        (&view["id"], &view["kind"], &view["state"]),
        (&json!(id), &json!("virtual"), &json!("ready"))
    );
    assert_eq!(
        view["spec"]["resources"],
        json!({ "cpus": 2, "memory": "2048MiB" })
    );
    assert_eq!(
        (&view["labels"], &view["sessions"]),
        (&json!({ "project": "acme" }), &json!([]))
    );
    assert_eq!(server.app().get(&path).well()["createdAt"], view["createdAt"]);
    server.app().put(&path, json!({})).well();
    server
        .app()
        .put(
            &path,
            json!({ "kind": "virtual", "resources": { "memory": "2048MiB", "cpus": 2 } }),
        )
        .well();
    for other in [
        json!({ "resources": { "cpus": 1 } }),
        json!({ "resources": { "memory": "1GiB" } }),
        json!({ "network": { "allow": ["example.com"] } }),
    ] {
        server.app().put(&path, other).refused(409, "request_rejected");
    }
    let relabelled = server.app().put(&path, json!({ "labels": { "a": "b" } }));
    assert_eq!(relabelled.well()["labels"], json!({ "a": "b" }));
    assert_eq!(
        server.app().put(&path, json!({})).well()["labels"],
        json!({ "a": "b" })
    );
}

#[test]
fn networks_are_compared_as_sets() {
    let server = shared();
    let path = format!("/v1/sandboxes/{}", unique("net"));
    server
        .app()
        .put(
            &path,
            json!({ "network": { "allow": ["b.example.com", "a.example.com"] } }),
        )
        .well();
    server
        .app()
        .put(
            &path,
            json!({ "network": { "allow": ["A.example.com", "b.example.com", "b.example.com"] } }),
        )
        .well();
    server
        .app()
        .put(&path, json!({ "network": { "allow": ["a.example.com"] } }))
        .refused(409, "request_rejected");
    server
        .app()
        .put(&path, json!({ "network": { "allow": [] } }))
        .refused(409, "request_rejected");
    server.app().put(&path, json!({ "network": {} })).well();
}

#[test]
fn what_a_virtual_one_cannot_be() {
    let server = shared();
    for wrong in [
        json!({ "storage": "1GiB" }),
        json!({ "lifecycle": { "ttl": "1h" } }),
        json!({ "image": "python" }),
        json!({ "kind": "vm" }),
        json!({ "labels": { "-a": "x" } }),
        json!({ "labels": { "a": "ä" } }),
        json!({ "labels": (0..33).map(|n| (format!("k{n}"), json!("v"))).collect::<serde_json::Map<_, _>>() }),
        json!({ "resources": { "cpus": 5 } }),
        json!({ "resources": { "cpus": 0 } }),
        json!({ "network": { "allow": ["*.example.com"] } }),
        json!({ "more": 1 }),
    ] {
        let path = format!("/v1/sandboxes/{}", unique("wrong"));
        let reply = server.app().put(&path, wrong.clone());
        assert_eq!(reply.status, 400, "{wrong}: {}", reply.body);
        assert_eq!(server.app().get(&path).status, 404, "{wrong}");
    }
    for id in ["a%2F", "-a", "a%2F%2Fb", "a%2F..%2Fb", &"a".repeat(201)] {
        server
            .app()
            .put(&format!("/v1/sandboxes/{id}"), json!({}))
            .refused(400, "request_rejected");
    }
}

#[test]
fn pods_need_a_cluster() {
    let server = shared();
    let path = format!("/v1/sandboxes/{}", unique("pod"));
    server.app().put(&path, json!({ "kind": "pod", "image": "python:3.13-slim", "storage": "1GiB", "lifecycle": { "ttl": "1h" } }))
        .refused(409, "sandbox_unavailable");
    server.app().get(&path).refused(404, "request_rejected");
    server.app().put(&path, json!({})).well();
    for what in ["stop", "reset"] {
        server
            .app()
            .send("POST", &format!("{path}/{what}"), None)
            .refused(400, "request_rejected");
        server
            .app()
            .send("POST", &format!("/v1/sandboxes/none/{what}"), None)
            .refused(404, "request_rejected");
    }
}

#[test]
fn a_tenant_may_be_full() {
    let server = Server::start();
    server
        .management()
        .put("/v1/tenant/sandbox", json!({ "limits": { "sandboxes": 2 } }))
        .well();
    server.app().put("/v1/sandboxes/a", json!({})).well();
    server.app().put("/v1/sandboxes/b", json!({})).well();
    let full = server.app().put("/v1/sandboxes/c", json!({}));
    full.refused(409, "limit_exceeded");
    assert_eq!(full.body["details"], json!({ "limit": "sandboxes", "max": 2 }));
    server.app().put("/v1/sandboxes/a", json!({})).well();
    server.app().delete("/v1/sandboxes/a").well();
    server.app().put("/v1/sandboxes/c", json!({})).well();
}

#[test]
fn listed_by_label_and_in_pages() {
    let server = Server::start();
    for (id, labels) in [
        ("a", json!({ "team": "x" })),
        ("b/1", json!({ "team": "x", "env": "dev" })),
        ("b-1", json!({ "team": "y", "env": "dev" })),
        ("c", json!({})),
    ] {
        server
            .app()
            .put(
                &format!("/v1/sandboxes/{}", id.replace('/', "%2F")),
                json!({ "labels": labels }),
            )
            .well();
    }
    let list = |query: &str| server.app().get(&format!("/v1/sandboxes{query}"));
    assert_eq!(ids(list("").well()), ["a", "b-1", "b/1", "c"]);
    assert_eq!(list("").body.get("nextCursor"), None);
    assert_eq!(ids(list("?label=team%3Dx").well()), ["a", "b/1"]);
    assert_eq!(ids(list("?label=team=x&label=env=dev").well()), ["b/1"]);
    assert_eq!(ids(list("?label=team=z").well()), Vec::<String>::new());
    let first = list("?limit=3");
    assert_eq!(ids(first.well()), ["a", "b-1", "b/1"]);
    let cursor = first.body["nextCursor"].as_str().unwrap();
    let second = list(&format!("?limit=3&cursor={cursor}"));
    assert_eq!(
        (ids(second.well()), &second.body["nextCursor"]),
        (vec!["c".to_owned()], &json!(null))
    );
    for wrong in [
        "?limit=0",
        "?limit=201",
        "?limit=x",
        "?label=a",
        "?other=1",
        "?limit=1&limit=2",
    ] {
        list(wrong).refused(400, "query_invalid");
    }
    list("?limit=1&cursor=nonsense").refused(400, "cursor_invalid");
}

#[test]
fn scopes_and_whose_sessions() {
    let server = shared();
    let id = unique("scopes");
    let path = format!("/v1/sandboxes/{id}");
    let reader = server.person("ada", "sessions:own");
    reader.put(&path, json!({})).refused(403, "scope_required");
    server
        .person("ada", "sandboxes:write")
        .put(&path, json!({}))
        .well();
    for owner in ["ada", "grace"] {
        let body = session(owner, json!({ "sandbox": { "id": id } }));
        server
            .app()
            .put(&format!("/v1/sessions/{id}-{owner}"), body)
            .well();
    }
    let names = |view: &Value| -> Vec<String> {
        let sessions = view["sessions"].as_array().unwrap();
        sessions
            .iter()
            .map(|session| session["id"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(
        names(server.app().get(&path).well()),
        [format!("{id}-ada"), format!("{id}-grace")]
    );
    assert_eq!(names(reader.get(&path).well()), [format!("{id}-ada")]);
    reader.delete(&path).refused(403, "scope_required");
    for what in ["stop", "reset"] {
        reader
            .send("POST", &format!("{path}/{what}"), None)
            .refused(403, "scope_required");
    }
    server.person("ada", "").get(&path).refused(403, "scope_required");
    let turn = server.turn(&format!("{id}-grace"));
    let view = server.app().get(&path);
    assert_eq!(
        view.well()["sessions"][1],
        json!({ "id": format!("{id}-grace"), "activeTurnId": turn })
    );
}

#[test]
fn removed_and_remembered() {
    let server = shared();
    let id = unique("gone");
    let path = format!("/v1/sandboxes/{id}");
    assert_eq!(
        server.app().delete(&path).well(),
        &json!({ "id": id, "deleted": false })
    );
    server
        .app()
        .get(&format!("{path}/events"))
        .refused(404, "request_rejected");
    server.app().put(&path, json!({ "labels": { "a": "b" } })).well();
    let member = unique("member");
    server
        .app()
        .put(
            &format!("/v1/sessions/{member}"),
            session("ada", json!({ "sandbox": { "id": id } })),
        )
        .well();
    server.bash(&member, "echo x > file");
    assert_eq!(server.app().get(&path).well()["state"], "running");
    assert_eq!(
        server.app().delete(&path).well(),
        &json!({ "id": id, "deleted": true })
    );
    server.app().get(&path).refused(404, "request_rejected");
    server.app().put(&path, json!({})).well();
    assert_eq!(server.bash(&member, "ls -A"), "");
    let reply = server.app().get(&format!("{path}/events"));
    let events = reply.well()["events"].as_array().unwrap();
    let told: Vec<_> = events
        .iter()
        .map(|event| (event["type"].as_str().unwrap(), event["payload"].clone()))
        .collect();
    assert_eq!(
        told,
        [
            (
                "sandbox.created",
                json!({ "kind": "virtual", "labels": { "a": "b" } })
            ),
            ("sandbox.attached", json!({ "sessionId": member })),
            ("sandbox.deleted", json!({})),
            ("sandbox.created", json!({ "kind": "virtual", "labels": {} })),
        ]
    );
    assert_eq!(
        events
            .iter()
            .map(|event| event["seq"].as_i64().unwrap())
            .collect::<Vec<_>>(),
        [0, 1, 2, 3]
    );
    assert_eq!(events[0]["schema"], "nylorun.sandbox-event/1");
    let rest = server.app().get(&format!("{path}/events?from=3"));
    assert_eq!(rest.well()["events"].as_array().unwrap().len(), 1);
    server
        .app()
        .get(&format!("{path}/events?from=x"))
        .refused(400, "query_invalid");
}
