//! What an attacker would try: ids that are paths, names that lead out of a folder, bodies without an end, the sessions of others.
//!
//! What the network refuses is in `network.rs` here and in `tests/network.rs`; slow headers are in `basics.rs`.

use std::io::{Cursor, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::harness::{Server, session, shared};

/// Spellings of ids that lead elsewhere, where a path is made of them.
const PATHS: &[&str] = &[
    "..",
    "%2e%2e",
    "..%2f..%2fetc%2fpasswd",
    "..%2F",
    "a%2F..%2Fb",
    "a%2f%2e%2e%2fb",
    "%2Fetc%2Fpasswd",
    "a%00b",
    "%00",
    "a%0d%0ab",
    "..%5c..%5cx",
    "%c0%ae%c0%ae",
    "%FF",
    "%252e%252e%252f",
    "a%2F",
    ".hidden",
];

#[test]
fn ids_that_are_paths_name_nothing() {
    let server = shared();
    let app = server.app();
    let body = || session("ada", json!({ "sandbox": {} }));
    for id in PATHS {
        let replies = [
            app.get(&format!("/v1/sessions/{id}")),
            app.put(&format!("/v1/sessions/{id}"), body()),
            app.delete(&format!("/v1/sessions/{id}")),
            app.get(&format!("/v1/sessions/{id}/items")),
            app.post(&format!("/v1/sessions/{id}/turns"), json!({ "requestId": "r" })),
            app.tool(id, "bash", json!({ "command": "id" })),
            app.get(&format!("/v1/sessions/{id}/files/x")),
            app.get(&format!("/v1/sandboxes/{id}")),
            app.put(&format!("/v1/sandboxes/{id}"), json!({})),
            app.get(&format!("/v1/sandboxes/{id}/events")),
            app.get(&format!("/v1/artifacts/{id}")),
            app.get(&format!("/v1/artifacts/{id}/versions/1/content")),
        ];
        for (index, reply) in replies.iter().enumerate() {
            let refused = [400, 404, 405].contains(&reply.status);
            assert!(refused, "{id}, request {index}: {} {}", reply.status, reply.body);
        }
    }
}

#[test]
fn paths_of_files_stay_in_the_workspace() {
    let server = shared();
    let id = server.session();
    for path in PATHS
        .iter()
        .filter(|path| path.contains("..") || path.contains("%2e%2e") || path.contains("%00"))
    {
        // An encoded escape that is decoded once more would be one; as it is, it is a name.
        if path.contains("%252e") || path.contains("%5c") {
            continue;
        }
        let path = format!("/v1/sessions/{id}/files/{path}");
        let put = server
            .app()
            .send("PUT", &path, Some(("text/plain", b"x".to_vec())));
        assert!([400, 404].contains(&put.status), "{path}: {}", put.status);
        let got = server.app().get(&path);
        assert!([400, 404].contains(&got.status), "{path}: {}", got.status);
    }
    // Links lead to the sandbox's own files, never to the host's.
    server.bash(&id, "mkdir -p outputs; ln -s /etc/passwd outputs/passwd; ln -s ../../../../../../etc/passwd up; ln -s /proc/self/environ environ");
    let host = std::fs::read("/etc/passwd").unwrap_or_default();
    for name in ["outputs/passwd", "up", "environ"] {
        let got = server.app().get(&format!("/v1/sessions/{id}/files/{name}"));
        assert_ne!(got.bytes, host, "{name}");
        assert!(!String::from_utf8_lossy(&got.bytes).contains("CARGO"), "{name}");
    }
}

fn turn(server: &Server, session: &str, command: &str) -> Value {
    let turn = server.turn(session);
    let app = server.app().header("Nylorun-Turn", &turn);
    let reply = app.tool(session, "bash", json!({ "command": command }));
    assert_eq!(reply.well()["output"]["exitCode"], 0, "{}", reply.body);
    let path = format!("/v1/sessions/{session}/turns/{turn}/end");
    server.app().post(&path, json!({ "outcome": "completed" })).well();
    server
        .app()
        .get(&format!("/v1/artifacts?sessionId={session}"))
        .well()["artifacts"][0]
        .clone()
}

/// Names that some programs take for a way out when they unpack an archive.
#[test]
fn archives_lead_nowhere() {
    let server = shared();
    let id = server.session();
    let folder = turn(
        server,
        &id,
        "mkdir -p outputs/sub && cd outputs && touch '..\\..\\evil' '..%5C..%5Cevil' 'C:evil' $'new\\nline' '...' 'sub/..\\x' && ln -s /etc/passwd link",
    );
    let path = format!("/v1/artifacts/{}/versions/1/zip", folder["id"].as_str().unwrap());
    let mut archive = zip::ZipArchive::new(Cursor::new(server.app().get(&path).bytes)).unwrap();
    assert_eq!(archive.len(), 6);
    for index in 0..archive.len() {
        let file = archive.by_index(index).unwrap();
        let name = file.name().to_owned();
        let leads_out =
            name.contains('\\') || name.starts_with('/') || name.split('/').any(|part| part == "..");
        assert!(!leads_out && name.as_bytes()[1] != b':', "{name}");
        assert!(file.enclosed_name().is_some(), "{name}");
        assert!(!file.is_symlink(), "{name}");
    }
}

/// Sends a request that says or does not say how long it is, until it is cut off: how many bytes went, and the answer.
fn flood(server: &Server, path: &str, kind: &str, declared: bool) -> (usize, String) {
    let mut stream = TcpStream::connect(server.url.trim_start_matches("http://")).unwrap();
    let length = if declared {
        "Content-Length: 1073741824"
    } else {
        "Transfer-Encoding: chunked"
    };
    let head = format!(
        "PUT {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {}\r\nNylorun-Protocol: 10\r\nContent-Type: {kind}\r\n{length}\r\n\r\n",
        server.application
    );
    stream.write_all(head.as_bytes()).unwrap();
    let block = vec![b' '; 1 << 16];
    let piece = if declared {
        block
    } else {
        [b"10000\r\n".as_slice(), &block, b"\r\n"].concat()
    };
    let mut sent = 0;
    while sent < 1 << 30 && stream.write_all(&piece).is_ok() {
        sent += piece.len();
    }
    let mut answer = String::new();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    // The connection may be reset before the answer is read.
    let _ = stream.read_to_string(&mut answer);
    (sent, answer)
}

#[test]
fn a_body_of_a_gigabyte_is_refused_early() {
    let server = shared();
    let id = server.session();
    let files = format!("/v1/sessions/{id}/files/x");
    // What may lie in the buffers of two sockets.
    let buffers = 16 << 20;
    for (path, kind, declared, most) in [
        ("/v1/sessions/flood", "application/json", true, buffers),
        ("/v1/sessions/flood", "application/json", false, buffers),
        (files.as_str(), "application/octet-stream", true, buffers),
        (
            files.as_str(),
            "application/octet-stream",
            false,
            (100 << 20) + buffers,
        ),
    ] {
        let (sent, answer) = flood(server, path, kind, declared);
        assert!(sent <= most, "{path}: {sent} bytes were taken");
        assert!(
            answer.is_empty() || answer.starts_with("HTTP/1.1 413"),
            "{path}: {answer}"
        );
    }
    assert_eq!(server.bash(&id, "ls"), "");
}

#[test]
fn slow_headers_are_cut_off_in_time() {
    let server = shared();
    let mut stream = TcpStream::connect(server.url.trim_start_matches("http://")).unwrap();
    let start = Instant::now();
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    stream.write_all(b"GET /health HTTP/1.1\r\nHost: x\r\n").unwrap();
    let mut closed = false;
    // One header a second never ends, and is not waited for.
    for number in 0..20 {
        std::thread::sleep(Duration::from_secs(1));
        let line = format!("X-{number}: x\r\n");
        if stream.write_all(line.as_bytes()).is_err() {
            closed = true;
            break;
        }
    }
    let mut rest = Vec::new();
    closed |= stream.read_to_end(&mut rest).is_ok() || !rest.is_empty();
    assert!(
        closed && start.elapsed() < Duration::from_secs(30),
        "{:?}",
        start.elapsed()
    );
    assert_eq!(server.bare().get("/health").status, 200);
}

#[test]
fn the_sessions_of_others_are_not_there() {
    let server = shared();
    let id = server.session();
    let turn = server.turn(&id);
    let grace = server.person("grace", "sessions:own sandboxes:write");
    let path = format!("/v1/sessions/{id}");
    for (name, reply) in [
        ("get", grace.get(&path)),
        ("delete", grace.delete(&path)),
        ("items", grace.get(&format!("{path}/items"))),
        ("events", grace.get(&format!("{path}/events"))),
        (
            "turn",
            grace.post(&format!("{path}/turns"), json!({ "requestId": "r" })),
        ),
        (
            "renew",
            grace.post(&format!("{path}/turns/{turn}/renew"), json!({})),
        ),
        (
            "end",
            grace.post(
                &format!("{path}/turns/{turn}/end"),
                json!({ "outcome": "failed" }),
            ),
        ),
        ("read a file", grace.get(&format!("{path}/files/x"))),
        (
            "write a file",
            grace.send(
                "PUT",
                &format!("{path}/files/x"),
                Some(("text/plain", b"x".to_vec())),
            ),
        ),
        ("put", grace.put(&path, session("grace", json!({})))),
    ] {
        assert_eq!(reply.status, 404, "{name}: {}", reply.body);
    }
    assert_eq!(server.app().get(&path).well()["activeTurnId"], json!(turn));
    // The sandbox that a session owns is no resource: nobody finds it by a name.
    for name in [id.clone(), format!("sessions%2F{id}")] {
        grace
            .get(&format!("/v1/sandboxes/{name}"))
            .refused(404, "request_rejected");
        server
            .app()
            .get(&format!("/v1/sandboxes/{name}"))
            .refused(404, "request_rejected");
    }
    let upload = format!("/v1/artifacts?name=secret&sessionId={id}");
    let made = server
        .app()
        .send("POST", &upload, Some(("text/plain", b"secret".to_vec())));
    assert_eq!(made.status, 201, "{}", made.body);
    let artifact = made.body["artifact"]["id"].as_str().unwrap();
    for path in [
        format!("/v1/artifacts/{artifact}"),
        format!("/v1/artifacts/{artifact}/versions/1/content"),
    ] {
        grace.get(&path).refused(404, "request_rejected");
    }
    let listed = grace.get("/v1/artifacts");
    assert!(!listed.well().to_string().contains(artifact));
}
