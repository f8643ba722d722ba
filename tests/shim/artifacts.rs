//! Section 6: artifacts and the export of outputs.

use std::io::{Cursor, Read};

use serde_json::{Value, json};

use super::harness::{Reply, Server, shared, unique};

fn upload(server: &Server, query: &str, bytes: &[u8]) -> Reply {
    server.app().send(
        "POST",
        &format!("/v1/artifacts?{query}"),
        Some(("text/plain", bytes.to_vec())),
    )
}

fn created(reply: &Reply) -> String {
    assert_eq!(reply.status, 201, "{}", reply.body);
    reply.body["artifact"]["id"].as_str().unwrap().to_owned()
}

fn end(server: &Server, session: &str, turn: &str) {
    let path = format!("/v1/sessions/{session}/turns/{turn}/end");
    server.app().post(&path, json!({ "outcome": "completed" })).well();
}

/// Runs a command in a turn that ends as completed.
fn turn(server: &Server, session: &str, command: &str) {
    let turn = server.turn(session);
    let app = server.app().header("Nylorun-Turn", &turn);
    assert_eq!(
        app.tool(session, "bash", json!({ "command": command })).well()["output"]["exitCode"],
        0
    );
    end(server, session, &turn);
}

fn folder(server: &Server, session: &str) -> Value {
    let reply = server.app().get(&format!("/v1/artifacts?sessionId={session}"));
    reply.well()["artifacts"]
        .as_array()
        .unwrap()
        .first()
        .cloned()
        .unwrap_or_default()
}

#[test]
fn kept_and_read_back() {
    let server = shared();
    let reply = upload(server, "name=notes.txt&label=a=b", b"hello world");
    let id = created(&reply);
    assert_eq!(id.len(), 29);
    assert_eq!(
        (&reply.body["version"]["version"], &reply.body["version"]["size"]),
        (&json!(1), &json!(11))
    );
    assert_eq!(reply.body["artifact"]["labels"], json!({ "a": "b" }));
    let path = format!("/v1/artifacts/{id}");
    let second = server.app().send(
        "POST",
        &format!("{path}/versions"),
        Some(("text/plain", b"more".to_vec())),
    );
    assert_eq!(second.body["version"]["version"], 2);
    assert_eq!(server.app().get(&path).well()["latestVersion"], 2);
    let first = server.app().get(&format!("{path}/versions/1/content"));
    assert_eq!(
        (first.status, first.bytes.as_slice()),
        (200, b"hello world".as_slice())
    );
    assert_eq!(first.headers["content-type"], "text/plain");
    assert_eq!(first.headers["x-content-type-options"], "nosniff");
    let tag = first.headers["etag"].clone();
    let same = server
        .app()
        .header("If-None-Match", &tag)
        .send("GET", "/health", None);
    assert_eq!(same.status, 200);
    assert_eq!(
        server.app().get(&format!("{path}/versions/latest/content")).bytes,
        b"more"
    );
    server
        .app()
        .get(&format!("{path}/versions/3/content"))
        .refused(404, "request_rejected");
    server
        .app()
        .get(&format!("{path}/versions/latest/tree"))
        .refused(409, "request_rejected");
    assert_eq!(
        server.app().delete(&path).well(),
        &json!({ "id": id, "deleted": true })
    );
    server.app().get(&path).refused(404, "request_rejected");
    server
        .app()
        .get("/v1/artifacts/af_x")
        .refused(404, "request_rejected");
}

#[test]
fn parts_of_contents() {
    let server = shared();
    let id = created(&upload(server, "name=digits", b"0123456789"));
    let part = |range: &str| {
        let reply = server
            .app()
            .header("Range", range)
            .get(&format!("/v1/artifacts/{id}/versions/1/content"));
        (
            reply.status,
            String::from_utf8_lossy(&reply.bytes).into_owned(),
            reply.headers.get("content-range").cloned(),
        )
    };
    assert_eq!(
        part("bytes=2-4"),
        (206, "234".into(), Some("bytes 2-4/10".into()))
    );
    assert_eq!(part("bytes=7-"), (206, "789".into(), Some("bytes 7-9/10".into())));
    assert_eq!(part("bytes=-3"), (206, "789".into(), Some("bytes 7-9/10".into())));
    assert_eq!(
        part("bytes=5-99"),
        (206, "56789".into(), Some("bytes 5-9/10".into()))
    );
    for outside in ["bytes=10-", "bytes=-0"] {
        let (status, _, range) = part(outside);
        assert_eq!((status, range), (416, Some("bytes */10".into())), "{outside}");
    }
    for whole in ["items=0-1", "bytes=4-2", "bytes=0-1,3-4", "bytes=x-"] {
        assert_eq!(part(whole).0, 200, "{whole}");
    }
}

#[test]
fn names_and_owners() {
    let server = shared();
    for name in ["", "a%2Fb", "..", "a%00b", "a%5Cb"] {
        upload(server, &format!("name={name}"), b"x").refused(400, "query_invalid");
    }
    upload(server, "other=1", b"x").refused(400, "query_invalid");
    upload(server, "name=x&sessionId=nobody", b"x").refused(404, "request_rejected");
    let session = server.session();
    let id = created(&upload(server, &format!("name=x&sessionId={session}"), b"x"));
    let send = |client: super::harness::Client, query: &str| {
        client.send(
            "POST",
            &format!("/v1/artifacts?{query}"),
            Some(("text/plain", b"x".to_vec())),
        )
    };
    let ada = server.person("ada", "sessions:own");
    send(ada.clone(), "name=x").refused(400, "request_rejected");
    assert_eq!(
        send(ada.clone(), &format!("name=y&sessionId={session}")).status,
        201
    );
    let grace = server.person("grace", "sessions:own");
    send(grace.clone(), &format!("name=y&sessionId={session}")).refused(404, "request_rejected");
    grace
        .get(&format!("/v1/artifacts/{id}"))
        .refused(404, "request_rejected");
    grace
        .get(&format!("/v1/artifacts/{id}/versions/1/content"))
        .refused(404, "request_rejected");
    assert_eq!(
        grace.delete(&format!("/v1/artifacts/{id}")).well()["deleted"],
        false
    );
    assert_eq!(grace.get("/v1/artifacts").well()["artifacts"], json!([]));
    ada.get(&format!("/v1/artifacts/{id}")).well();
}

#[test]
fn too_large_is_not_kept() {
    let server = shared();
    let name = unique("large");
    let reply = upload(server, &format!("name={name}"), &vec![b'x'; (100 << 20) + 1]);
    reply.refused(413, "limit_exceeded");
    assert_eq!(reply.body["details"]["limitBytes"], 100 << 20);
    let all = server.app().get("/v1/artifacts");
    assert!(
        !all.well()["artifacts"]
            .as_array()
            .unwrap()
            .iter()
            .any(|artifact| artifact["name"] == json!(name))
    );
}

#[test]
fn outputs_become_a_folder() {
    let server = shared();
    let session = server.session();
    turn(
        server,
        &session,
        "mkdir -p outputs/sub; echo one > outputs/a; echo two > outputs/sub/b; echo no > other",
    );
    let artifact = folder(server, &session);
    assert_eq!(
        (&artifact["kind"], &artifact["name"], &artifact["latestVersion"]),
        (&json!("folder"), &json!("outputs"), &json!(1))
    );
    let path = format!("/v1/artifacts/{}/versions", artifact["id"].as_str().unwrap());
    let tree = server.app().get(&format!("{path}/latest/tree"));
    let names: Vec<_> = tree.well()["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| file["path"].clone())
        .collect();
    assert_eq!(names, [json!("a"), json!("sub/b")]);
    assert_eq!(server.app().get(&format!("{path}/1/files/sub/b")).bytes, b"two\n");
    assert_eq!(
        server.app().get(&format!("{path}/1/files/sub%2Fb")).bytes,
        b"two\n"
    );
    server
        .app()
        .get(&format!("{path}/1/files/none"))
        .refused(404, "request_rejected");
    turn(server, &session, "touch outputs/a");
    assert_eq!(
        folder(server, &session)["latestVersion"],
        1,
        "unchanged adds none"
    );
    turn(
        server,
        &session,
        "echo three > outputs/c; rm outputs/sub/b; echo 1 > outputs/a",
    );
    let diff = server.app().get(&format!("{path}/2/diff?from=1"));
    assert_eq!(
        diff.well(),
        &json!({ "from": 1, "to": 2, "added": ["c"], "removed": ["sub/b"], "changed": ["a"] })
    );
    let archive = server.app().get(&format!("{path}/2/zip"));
    let mut archive = zip::ZipArchive::new(Cursor::new(archive.bytes)).unwrap();
    let mut text = String::new();
    archive.by_name("c").unwrap().read_to_string(&mut text).unwrap();
    assert_eq!(text, "three\n");
    server
        .app()
        .get(&format!("{path}/1/content"))
        .refused(409, "request_rejected");
}

#[test]
fn links_are_not_exported() {
    let server = shared();
    let session = server.session();
    turn(
        server,
        &session,
        "mkdir outputs; ln -s /etc/passwd outputs/passwd; ln -s /etc outputs/etc; echo x > outputs/real; ln -s outputs out",
    );
    let id = folder(server, &session)["id"].as_str().unwrap().to_owned();
    let tree = server.app().get(&format!("/v1/artifacts/{id}/versions/1/tree"));
    let names: Vec<_> = tree.well()["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| file["path"].clone())
        .collect();
    assert_eq!(names, [json!("real")]);
    let other = server.session();
    turn(
        server,
        &other,
        "mkdir real; echo x > real/file; ln -s real outputs",
    );
    assert_eq!(folder(server, &other), json!(null));
}

#[test]
fn too_much_is_skipped_and_told() {
    let server = shared();
    let session = server.session();
    turn(
        server,
        &session,
        "mkdir outputs; cd outputs; for d in {1..101}; do mkdir $d; touch $d/{1..100}; done",
    );
    assert_eq!(folder(server, &session), json!(null));
    let items = server
        .app()
        .get(&format!("/v1/sessions/{session}/items?limit=200"));
    let items = items.well()["items"].as_array().unwrap();
    let skipped = items
        .iter()
        .find(|event| event["type"] == "artifact.export.skipped")
        .unwrap();
    assert_eq!(
        skipped["payload"],
        json!({ "name": "outputs", "reason": "too_many_files", "limit": 10_000 })
    );
    assert_eq!(items.last().unwrap()["type"], "artifact.export.skipped");
    turn(
        server,
        &session,
        "rm -r outputs; mkdir outputs; truncate -s 101M outputs/big",
    );
    let items = server
        .app()
        .get(&format!("/v1/sessions/{session}/items?limit=200"));
    let last = items.well()["items"].as_array().unwrap().last().unwrap().clone();
    assert_eq!(
        (&last["payload"]["reason"], &last["payload"]["path"]),
        (&json!("file_too_large"), &json!("big"))
    );
}

#[test]
fn only_a_completed_turn_exports() {
    let server = shared();
    let session = server.session();
    server.bash(&session, "mkdir outputs; echo x > outputs/file");
    assert_eq!(folder(server, &session), json!(null));
    let failed = server.turn(&session);
    let path = format!("/v1/sessions/{session}/turns/{failed}/end");
    server.app().post(&path, json!({ "outcome": "failed" })).well();
    assert_eq!(folder(server, &session), json!(null));
    end(server, &session, &server.turn(&session));
    assert_eq!(folder(server, &session)["latestVersion"], 1);
    let items = server.app().get(&format!("/v1/sessions/{session}/items"));
    let items = items.well()["items"].as_array().unwrap().clone();
    let types: Vec<_> = items
        .iter()
        .rev()
        .take(3)
        .map(|event| event["type"].as_str().unwrap())
        .collect();
    assert_eq!(
        types,
        ["artifact.version.created", "artifact.created", "turn.ended"]
    );
}
