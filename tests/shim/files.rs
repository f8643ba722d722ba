//! Section 6: raw bytes into and out of a workspace.

use serde_json::json;

use super::harness::{Reply, Server, session, shared, unique};

fn put(server: &Server, session: &str, path: &str, bytes: &[u8]) -> Reply {
    let path = format!("/v1/sessions/{session}/files/{path}");
    server
        .app()
        .send("PUT", &path, Some(("application/octet-stream", bytes.to_vec())))
}

#[test]
fn in_and_out() {
    let server = shared();
    let id = server.session();
    let bytes: Vec<u8> = (0..=255).collect();
    assert_eq!(
        put(server, &id, "a/b/c.bin", &bytes).well(),
        &json!({ "path": "/workspace/a/b/c.bin", "bytes": 256 })
    );
    assert_eq!(
        server
            .app()
            .get(&format!("/v1/sessions/{id}/files/a/b/c.bin"))
            .bytes,
        bytes
    );
    assert_eq!(
        server
            .app()
            .get(&format!("/v1/sessions/{id}/files/a%2Fb%2Fc.bin"))
            .bytes,
        bytes
    );
    assert_eq!(server.bash(&id, "wc -c < a/b/c.bin; echo out > out"), "256\n");
    assert_eq!(
        server.app().get(&format!("/v1/sessions/{id}/files/out")).bytes,
        b"out\n"
    );
    server
        .app()
        .get(&format!("/v1/sessions/{id}/files/none"))
        .refused(404, "request_rejected");
    server
        .app()
        .get(&format!("/v1/sessions/{id}/files/a"))
        .refused(409, "request_rejected");
    put(server, &id, "a", b"x").refused(409, "request_rejected");
}

#[test]
fn under_the_rule_of_turns() {
    let server = shared();
    let id = server.session();
    let turn = server.turn(&id);
    put(server, &id, "x", b"x").refused(409, "request_rejected");
    let path = format!("/v1/sessions/{id}/files/x");
    let app = server.app().header("Nylorun-Turn", &turn);
    app.send("PUT", &path, Some(("text/plain", b"x".to_vec()))).well();
    server.app().get(&path).refused(409, "request_rejected");
    assert_eq!(app.get(&path).bytes, b"x");
}

#[test]
fn only_the_workspace_and_only_the_owner() {
    let server = shared();
    let id = server.session();
    for path in [
        "..%2Fetc%2Fpasswd",
        "a/../../etc/passwd",
        "a%00b",
        "%2E%2E/x",
        ".",
    ] {
        let reply = put(server, &id, path, b"x");
        assert!([400, 404].contains(&reply.status), "{path}: {}", reply.status);
    }
    let ada = server.person("ada", "sessions:own");
    let path = format!("/v1/sessions/{id}/files/x");
    ada.send("PUT", &path, Some(("text/plain", b"x".to_vec()))).well();
    server
        .person("grace", "sessions:own")
        .get(&path)
        .refused(404, "request_rejected");
    server
        .person("ada", "sandboxes:write")
        .get(&path)
        .refused(403, "scope_required");
    let plain = unique("plain");
    server
        .app()
        .put(
            &format!("/v1/sessions/{plain}"),
            session("ada", json!({ "sandbox": false })),
        )
        .well();
    server
        .app()
        .get(&format!("/v1/sessions/{plain}/files/x"))
        .refused(404, "request_rejected");
}

#[test]
fn too_large() {
    let server = shared();
    let reply = put(server, &server.session(), "big", &vec![0; (100 << 20) + 1]);
    reply.refused(413, "limit_exceeded");
    assert_eq!(reply.body["details"]["limitBytes"], 100 << 20);
}
