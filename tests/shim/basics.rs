//! Section 1: how requests are read, who may come in, and what anybody may see.

use std::io::{Read, Write};
use std::net::TcpStream;

use serde_json::json;

use super::harness::{session, shared, unique};

#[test]
fn health_ready_and_metrics_are_open() {
    let server = shared();
    let health = server.bare().get("/health");
    assert_eq!(health.well()["status"], "ok");
    assert_eq!(
        health.body["protocol"],
        json!({ "min": 4, "max": 10, "features": ["sandboxes", "artifacts"] })
    );
    let ready = server.bare().get("/ready");
    assert_eq!(
        ready.well()["checks"],
        json!({ "store": "ok", "blobs": "ok", "server": "ok" })
    );
    let metrics = server.bare().get("/metrics");
    assert!(metrics.headers["content-type"].starts_with("text/plain"));
    assert!(String::from_utf8_lossy(&metrics.bytes).contains("exuvia_requests_total"));
    let document = server.document.value();
    assert!(document["openapi"].as_str().unwrap().starts_with("3.1"));
    assert!(document["paths"]["/v1/sessions/{sessionId}"]["put"].is_object());
}

#[test]
fn a_key_is_needed() {
    let server = shared();
    let bare = server.bare().header("Nylorun-Protocol", "10");
    let reply = bare.get("/v1/sandboxes");
    reply.refused(401, "credential_required");
    assert_eq!(reply.headers["www-authenticate"], "Bearer");
    for wrong in [
        "Bearer x",
        "Basic eDp5",
        "Bearer ",
        &format!("Bearer {}", "0".repeat(64)),
    ] {
        let reply = bare.clone().header("Authorization", wrong).get("/v1/sandboxes");
        reply.refused(401, "credential_invalid");
        assert_eq!(reply.headers["www-authenticate"], "Bearer");
    }
}

#[test]
fn each_key_has_its_routes() {
    let server = shared();
    server
        .app()
        .get("/v1/tenant/sandbox")
        .refused(403, "key_role_mismatch");
    server
        .management()
        .get("/v1/sandboxes")
        .refused(403, "key_role_mismatch");
}

#[test]
fn the_protocol_is_looked_at_before_the_credential() {
    let server = shared();
    for wrong in [None, Some("3"), Some("11"), Some("x"), Some("")] {
        let client = match wrong {
            None => server.bare(),
            Some(value) => server.bare().header("Nylorun-Protocol", value),
        };
        let reply = client.get("/v1/sandboxes");
        reply.refused(426, "protocol_unsupported");
        assert_eq!(reply.body["protocol"]["min"], 4);
    }
    for good in ["4", "10"] {
        assert_eq!(
            server
                .app()
                .header("Nylorun-Protocol", good)
                .get("/v1/sandboxes?limit=1")
                .status,
            200
        );
    }
}

#[test]
fn a_browser_is_refused() {
    let client = shared().app().header("Origin", "https://example.com");
    client.get("/v1/sandboxes").refused(403, "origin_rejected");
}

#[test]
fn a_subject_brings_scopes() {
    let server = shared();
    let app = server.app();
    app.clone()
        .header("Nylorun-Scopes", "sessions:own")
        .get("/v1/sandboxes")
        .refused(400, "subject_invalid");
    app.clone()
        .header("Nylorun-Subject", "ada")
        .get("/v1/sandboxes")
        .refused(400, "subject_invalid");
    for wrong in ["", "a b", &"a".repeat(201)] {
        server
            .person(wrong, "sessions:own")
            .get("/v1/sandboxes")
            .refused(400, "subject_invalid");
    }
    let management = server
        .management()
        .header("Nylorun-Subject", "ada")
        .header("Nylorun-Scopes", "");
    management
        .get("/v1/tenant/sandbox")
        .refused(403, "subject_invalid");
    let reply = server.person("ada", "other").get("/v1/sandboxes");
    reply.refused(403, "scope_required");
    assert_eq!(
        reply.body["details"]["scopes"],
        json!(["sessions:own", "sandboxes:write"])
    );
}

#[test]
fn bodies_are_strict() {
    let server = shared();
    let path = format!("/v1/sessions/{}", unique("strict"));
    let send = |kind: &str, text: &str| {
        server
            .app()
            .send("PUT", &path, Some((kind, text.as_bytes().to_vec())))
    };
    send("application/json", "{").refused(400, "request_rejected");
    send("application/json", "").refused(400, "request_rejected");
    send("application/json", "[]").refused(400, "request_rejected");
    send("text/plain", "{}").refused(415, "unsupported_media_type");
    let mut body = session("ada", json!({ "more": 1 }));
    send("application/json", &body.to_string()).refused(400, "request_rejected");
    body["more"].take();
    send(
        "application/json; charset=utf-8",
        &session("ada", json!({})).to_string(),
    )
    .well();
    let long = session("ada", json!({ "info": "x".repeat(1 << 20) }));
    send("application/json", &long.to_string()).refused(413, "request_rejected");
}

#[test]
fn a_refused_request_is_told_its_number() {
    let server = shared();
    let id = unique("numbered");
    let path = format!("/v1/sessions/{id}");
    let mut body = session("ada", json!({ "requestId": "r-17", "sandbox": {} }));
    assert_eq!(
        server.app().put(&path, body.clone()).well().get("requestId"),
        None
    );
    body["agentId"] = json!("other");
    let conflict = server.app().put(&path, body.clone());
    conflict.refused(409, "request_rejected");
    assert_eq!(conflict.body["requestId"], "r-17");
    body["colour"] = json!("red");
    let unknown_key = server.app().put(&path, body.clone());
    assert_eq!(
        (unknown_key.status, &unknown_key.body["requestId"]),
        (400, &json!("r-17"))
    );
    body["requestId"] = json!("not plain\n");
    assert_eq!(server.app().put(&path, body).body.get("requestId"), None);
    let sandbox = json!({ "requestId": "r-18", "kind": "pod" });
    let pod = server.app().put("/v1/sandboxes/numbered", sandbox);
    pod.refused(409, "sandbox_unavailable");
    assert_eq!(pod.body["requestId"], "r-18");
    let turn = server.app().post(
        &format!("{path}/turns"),
        json!({ "requestId": "r-19", "leaseSeconds": 0 }),
    );
    assert_eq!((turn.status, &turn.body["requestId"]), (400, &json!("r-19")));
    let settings = json!({ "requestId": "r-20", "limits": { "idle": "soon" } });
    let tenant = server.management().put("/v1/tenant/sandbox", settings);
    assert_eq!((tenant.status, &tenant.body["requestId"]), (400, &json!("r-20")));
    assert_eq!(server.app().get("/v1/sandboxes/none").body.get("requestId"), None);
}

#[test]
fn unknown_routes_and_methods() {
    let server = shared();
    server.app().get("/v1/nothing").refused(404, "request_rejected");
    server
        .app()
        .send("PATCH", "/v1/sandboxes", None)
        .refused(405, "request_rejected");
    assert_eq!(server.app().get("/nothing").status, 404);
}

#[test]
fn ids_stay_ids() {
    let server = shared();
    for id in ["..", "..%2F..%2Fetc", "a%00b", "%FF", "a%2F..", "a%20b", "%2Fa"] {
        let reply = server.app().get(&format!("/v1/sessions/{id}"));
        assert!([400, 404].contains(&reply.status), "{id}: {}", reply.status);
        let reply = server.app().put(&format!("/v1/sandboxes/{id}"), json!({}));
        assert!([400, 404, 405].contains(&reply.status), "{id}: {}", reply.status);
    }
}

/// A body that never ends costs no memory, and headers that never end hold nobody up.
#[test]
fn floods_and_drips() {
    let server = shared();
    let address = server.url.trim_start_matches("http://");
    let mut drip = TcpStream::connect(address).unwrap();
    drip.write_all(b"GET /health HTTP/1.1\r\nHost: x\r\nX-Slow: ")
        .unwrap();
    let mut flood = TcpStream::connect(address).unwrap();
    let head = format!(
        "PUT /v1/sessions/flood HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {}\r\nNylorun-Protocol: 10\r\nContent-Type: application/json\r\n\
         Content-Length: 1073741824\r\n\r\n",
        server.application
    );
    flood.write_all(head.as_bytes()).unwrap();
    let piece = vec![b' '; 1 << 16];
    let mut sent = 0usize;
    while sent < 1 << 30 && flood.write_all(&piece).is_ok() {
        sent += piece.len();
    }
    assert!(sent < 64 << 20, "{sent} bytes were taken");
    let mut answer = String::new();
    // The connection may be reset before the answer is read.
    if flood.read_to_string(&mut answer).is_ok() && !answer.is_empty() {
        assert!(answer.starts_with("HTTP/1.1 413"), "{answer}");
    }
    assert_eq!(server.bare().get("/health").status, 200);
    drip.set_read_timeout(Some(std::time::Duration::from_secs(20)))
        .unwrap();
    let mut rest = Vec::new();
    assert!(
        drip.read_to_end(&mut rest).is_ok(),
        "the one who drips is cut off"
    );
}
