//! Section 2: sessions.

use serde_json::json;

use super::harness::{Server, session, shared, unique};

#[test]
fn made_once_and_found_again() {
    let server = shared();
    let path = format!("/v1/sessions/{}", unique("s"));
    let body = session("ada", json!({ "info": { "a": [1] }, "sandbox": {} }));
    let first = server.app().put(&path, body.clone());
    assert_eq!(first.well()["status"], "idle");
    assert_eq!(first.body["activeTurnId"], json!(null));
    assert_eq!(first.body["sandboxSource"], "inline");
    assert_eq!(first.body.get("sandboxId"), None);
    let spec = json!({ "network": { "preset": "none" }, "resources": { "cpus": 2, "memory": "1024MiB" }, "idle": "15m" });
    assert_eq!(first.body["sandbox"], spec);
    let mut again = body.clone();
    again["requestId"] = json!("another");
    assert_eq!(server.app().put(&path, again).well(), &first.body);
    assert_eq!(server.app().get(&path).well(), &first.body);
    for change in [
        json!({ "sandbox": false }),
        json!({ "info": 1 }),
        json!({ "agentId": "other" }),
    ] {
        let mut other = body.clone();
        for (key, value) in change.as_object().unwrap() {
            other[key] = value.clone();
        }
        server.app().put(&path, other).refused(409, "request_rejected");
    }
}

#[test]
fn without_a_word_the_tenant_decides() {
    let server = Server::start();
    let make = |id: &str| {
        server
            .app()
            .put(&format!("/v1/sessions/{id}"), session("ada", json!({})))
    };
    let none = make("none");
    assert_eq!(none.well()["sandbox"], json!(null));
    assert_eq!(none.body.get("sandboxSource"), None);
    server
        .management()
        .put("/v1/tenant/sandbox", json!({ "default": "virtual" }))
        .well();
    let default = make("default");
    assert_eq!(default.well()["sandboxSource"], "default");
    assert_eq!(
        default.body["sandbox"]["resources"],
        json!({ "cpus": 2, "memory": "1024MiB" })
    );
    assert_eq!(make("none").well()["sandbox"], json!(null));
    let spec = json!({ "network": { "allow": ["data.example.com"] }, "resources": { "cpus": 1 } });
    server
        .management()
        .put("/v1/tenant/sandbox", json!({ "default": spec }))
        .well();
    let special = make("special");
    assert_eq!(
        special.well()["sandbox"]["network"],
        json!({ "preset": "none", "allow": ["data.example.com"] })
    );
    let no = server
        .app()
        .put("/v1/sessions/no", session("ada", json!({ "sandbox": false })));
    assert_eq!(no.well()["sandbox"], json!(null));
}

#[test]
fn sandbox_has_few_shapes() {
    let server = shared();
    for wrong in [
        json!(true),
        json!(null),
        json!("virtual"),
        json!([]),
        json!({ "image": "python" }),
        json!({ "kind": "virtual" }),
        json!({ "storage": "1GiB" }),
        json!({ "lifecycle": {} }),
        json!({ "labels": {} }),
        json!({ "id": "a", "network": {} }),
        json!({ "id": "" }),
        json!({ "id": 1 }),
        json!({ "network": { "deny": [] } }),
        json!({ "resources": { "gpus": 1 } }),
    ] {
        let path = format!("/v1/sessions/{}", unique("shape"));
        let reply = server
            .app()
            .put(&path, session("ada", json!({ "sandbox": wrong })));
        assert_eq!(reply.status, 400, "{wrong}: {}", reply.body);
        assert_eq!(server.app().get(&path).status, 404, "{wrong}");
    }
}

#[test]
fn all_limit_problems_come_at_once() {
    let server = shared();
    let path = format!("/v1/sessions/{}", unique("limits"));
    let sandbox = json!({ "network": { "allow": ["*.example.com", "1.2.3.4", "https://example.com"] }, "resources": { "cpus": 65, "memory": "9TiB" } });
    let reply = server
        .app()
        .put(&path, session("ada", json!({ "sandbox": sandbox })));
    reply.refused(400, "request_rejected");
    assert_eq!(
        reply.body["details"]["problems"].as_array().unwrap().len(),
        5,
        "{}",
        reply.body
    );
    assert_eq!(server.app().get(&path).status, 404);
}

#[test]
fn specs_are_pinned() {
    let server = shared();
    let sandbox = json!({ "network": { "allow": ["Data.example.com", "a.example.com", "data.example.com"] }, "resources": { "cpus": 4, "memory": "1B" } });
    let path = format!("/v1/sessions/{}", unique("pin"));
    let reply = server
        .app()
        .put(&path, session("ada", json!({ "sandbox": sandbox })));
    let spec = json!({
        "network": { "preset": "none", "allow": ["a.example.com", "data.example.com"] },
        "resources": { "cpus": 4, "memory": "128MiB" }, "idle": "15m"
    });
    assert_eq!(reply.well()["sandbox"], spec);
}

#[test]
fn a_person_has_their_own_sessions() {
    let server = shared();
    let ada = server.person("ada", "sessions:own");
    let path = format!("/v1/sessions/{}", unique("own"));
    ada.put(&path, session("grace", json!({})))
        .refused(403, "request_rejected");
    ada.put(&path, session("ada", json!({ "sandbox": {} })))
        .refused(403, "request_rejected");
    ada.put(&path, session("ada", json!({ "sandbox": false }))).well();
    ada.get(&path).well();
    let grace = server.person("grace", "sessions:own");
    grace.get(&path).refused(404, "request_rejected");
    grace.delete(&path).refused(404, "request_rejected");
    grace
        .put(&path, session("grace", json!({ "sandbox": false })))
        .refused(404, "request_rejected");
    grace
        .post(&format!("{path}/turns"), json!({ "requestId": "r" }))
        .refused(404, "request_rejected");
    let weak = server.person("ada", "sandboxes:write");
    weak.get(&path).refused(403, "scope_required");
    weak.put(&path, session("ada", json!({})))
        .refused(403, "scope_required");
}

#[test]
fn attached_to_a_resource() {
    let server = shared();
    let path = format!("/v1/sessions/{}", unique("attached"));
    let id = format!("team/{}", unique("proj"));
    let body = session("ada", json!({ "sandbox": { "id": id } }));
    server
        .app()
        .put(&path, body.clone())
        .refused(404, "request_rejected");
    server
        .app()
        .put(
            &format!("/v1/sandboxes/{}", id.replace('/', "%2F")),
            json!({ "resources": { "cpus": 3 } }),
        )
        .well();
    let reply = server.app().put(&path, body);
    assert_eq!(reply.well()["sandboxSource"], "sandbox");
    assert_eq!(reply.body["sandboxId"], json!(id));
    assert_eq!(reply.body["sandbox"]["resources"]["cpus"], 3);
}

#[test]
fn removed_with_what_it_owns() {
    let server = shared();
    let id = server.session();
    let path = format!("/v1/sessions/{id}");
    server.bash(&id, "echo kept > file");
    let turn = server.turn(&id);
    let reply = server.app().delete(&path);
    reply.refused(409, "request_rejected");
    assert_eq!(reply.body["activeTurnId"], json!(turn));
    server
        .app()
        .post(
            &format!("{path}/turns/{turn}/end"),
            json!({ "outcome": "failed" }),
        )
        .well();
    assert_eq!(
        server.app().delete(&path).well(),
        &json!({ "id": id, "deleted": true })
    );
    server.app().get(&path).refused(404, "request_rejected");
    server.app().delete(&path).refused(404, "request_rejected");
    server
        .app()
        .put(&path, session("ada", json!({ "sandbox": {} })))
        .well();
    assert_eq!(server.bash(&id, "ls -A"), "");
}

#[test]
fn a_session_that_is_attached_only_detaches() {
    let server = shared();
    let id = unique("detach");
    server.app().put(&format!("/v1/sandboxes/{id}"), json!({})).well();
    let (first, second) = (unique("one"), unique("two"));
    for session_id in [&first, &second] {
        let body = session("ada", json!({ "sandbox": { "id": id } }));
        server
            .app()
            .put(&format!("/v1/sessions/{session_id}"), body)
            .well();
    }
    server.bash(&first, "echo shared > file");
    server.app().delete(&format!("/v1/sessions/{first}")).well();
    assert_eq!(server.bash(&second, "cat file"), "shared\n");
    let events = server.app().get(&format!("/v1/sandboxes/{id}/events"));
    let last = events.well()["events"]
        .as_array()
        .unwrap()
        .last()
        .unwrap()
        .clone();
    assert_eq!(last["type"], "sandbox.detached");
    assert_eq!(
        last["payload"],
        json!({ "sessionId": first, "reason": "session_deleted" })
    );
}

#[test]
fn listed_in_pages() {
    let server = Server::start();
    for number in 0..5 {
        let owner = if number % 2 == 0 { "ada" } else { "grace" };
        server
            .app()
            .put(&format!("/v1/sessions/s{number}"), session(owner, json!({})))
            .well();
    }
    let ids = |body: &serde_json::Value| -> Vec<String> {
        let sessions = body["sessions"].as_array().unwrap();
        sessions
            .iter()
            .map(|session| session["id"].as_str().unwrap().to_owned())
            .collect()
    };
    let first = server.app().get("/v1/sessions?limit=2");
    assert_eq!(ids(first.well()), ["s0", "s1"]);
    let next = first.body["nextCursor"].as_str().unwrap();
    let second = server.app().get(&format!("/v1/sessions?limit=3&cursor={next}"));
    assert_eq!(ids(second.well()), ["s2", "s3", "s4"]);
    assert_eq!(second.body["nextCursor"], json!(null));
    let own = server.person("grace", "sessions:own").get("/v1/sessions");
    assert_eq!(ids(own.well()), ["s1", "s3"]);
    server
        .app()
        .get("/v1/sessions?cursor=x")
        .refused(400, "cursor_invalid");
    server
        .app()
        .get("/v1/sessions?limit=0")
        .refused(400, "query_invalid");
    server
        .app()
        .get("/v1/sessions?other=1")
        .refused(400, "query_invalid");
}
