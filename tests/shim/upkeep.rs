//! What a server does by itself: unnamed blobs go, workspaces that nobody uses are unloaded; and the bounds of what sandboxes may use.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use exuvia::shim::config::Config;
use serde_json::json;

use super::harness::{Server, config, session, shared, unique};

/// Waits until something holds.
#[track_caller]
fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < Duration::from_secs(30), "{what}");
        thread::sleep(Duration::from_millis(50));
    }
}

/// The files below a directory.
fn files(directory: &Path) -> usize {
    let entries = std::fs::read_dir(directory).into_iter().flatten();
    let count = |entry: std::io::Result<std::fs::DirEntry>| match entry {
        Ok(entry) if entry.path().is_dir() => files(&entry.path()),
        Ok(_) => 1,
        Err(_) => 0,
    };
    entries.map(count).sum()
}

/// The value of a gauge.
fn gauge(server: &Server, name: &str) -> u64 {
    let metrics = server.bare().get("/metrics");
    let text = String::from_utf8_lossy(&metrics.bytes).into_owned();
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    line.unwrap().parse().unwrap()
}

/// A server with a directory of blobs to look at, which collects all the time.
fn collecting(folder: &Path) -> (Server, Config) {
    let config = Config {
        collect_seconds: 1,
        grace_seconds: 1,
        blobs: Some(format!("file://{}/blobs", folder.display())),
        ..config(folder.join("data"))
    };
    std::fs::create_dir_all(folder.join("blobs")).unwrap();
    (Server::with(&config, None), config)
}

#[test]
fn unnamed_blobs_go_and_named_ones_stay() {
    let folder = tempfile::tempdir().unwrap();
    let (server, _) = collecting(folder.path());
    let blobs = folder.path().join("blobs");
    let (kept, gone) = (server.session(), server.session());
    server.bash(&kept, "echo kept > file; echo shared > both");
    server.bash(
        &gone,
        "for n in {1..20}; do echo gone $n > $n; done; echo shared > both",
    );
    server.bash(&kept, "echo older > file; echo kept > file");
    let artifact = server.app().send(
        "POST",
        "/v1/artifacts?name=note",
        Some(("text/plain", b"note".to_vec())),
    );
    assert_eq!(artifact.status, 201);
    assert!(files(&blobs) >= 23);
    server.app().delete(&format!("/v1/sessions/{gone}")).well();
    eventually("three blobs stay: kept, shared, note", || files(&blobs) == 3);
    assert_eq!(server.bash(&kept, "cat file both"), "kept\nshared\n");
}

/// Contents that come and go again and again, while blobs are collected as fast as can be: what was answered is there after a restart.
#[test]
fn a_call_in_progress_keeps_its_blobs() {
    let folder = tempfile::tempdir().unwrap();
    let (server, config) = collecting(folder.path());
    let keys = (server.application.clone(), server.management.clone());
    let sessions: Vec<String> = (0..3).map(|_| server.session()).collect();
    let stop = AtomicBool::new(false);
    let last: Vec<usize> = thread::scope(|scope| {
        let work = |id: &String| {
            let (id, server, stop) = (id.clone(), &server, &stop);
            scope.spawn(move || {
                let mut number = 0;
                while !stop.load(Ordering::SeqCst) {
                    number += 1;
                    // The same few contents in all sessions, each unnamed for about as long as a blob lives.
                    server.bash(&id, &format!("echo contents {} > file", number % 3));
                    thread::sleep(Duration::from_millis(300 + 400 * (number as u64 % 4)));
                }
                number % 3
            })
        };
        let threads: Vec<_> = sessions.iter().map(work).collect();
        thread::sleep(Duration::from_secs(8));
        stop.store(true, Ordering::SeqCst);
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    server.stop();
    let server = Server::with(&config, Some(keys));
    for (id, last) in sessions.iter().zip(last) {
        assert_eq!(server.bash(id, "cat file"), format!("contents {last}\n"));
    }
}

#[test]
fn idle_workspaces_are_unloaded() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::with(&config(folder.path().join("data")), None);
    let settings = json!({ "limits": { "idle": "1s" } });
    server.management().put("/v1/tenant/sandbox", settings).well();
    let id = server.session();
    server.bash(&id, "echo x > file");
    assert_eq!(gauge(&server, "exuvia_workspaces_loaded"), 1);
    assert!(gauge(&server, "exuvia_workspace_bytes") > 0);
    eventually("it is unloaded", || {
        gauge(&server, "exuvia_workspaces_loaded") == 0
    });
    assert_eq!(gauge(&server, "exuvia_workspace_bytes"), 0);
    assert_eq!(server.bash(&id, "cat file"), "x\n");
}

#[test]
fn few_workspaces_stay_loaded() {
    let folder = tempfile::tempdir().unwrap();
    let settings = Config {
        loaded_workspaces: 2,
        ..config(folder.path().join("data"))
    };
    let server = Server::with(&settings, None);
    let sessions: Vec<String> = (0..6).map(|_| server.session()).collect();
    for id in &sessions {
        server.bash(id, &format!("echo {id} > file"));
    }
    eventually("two stay", || gauge(&server, "exuvia_workspaces_loaded") == 2);
    for id in &sessions {
        assert_eq!(server.bash(id, "cat file"), format!("{id}\n"));
    }
}

#[test]
fn memory_is_bounded_and_told() {
    let server = shared();
    let id = unique("memory");
    let body = session(
        "ada",
        json!({ "sandbox": { "resources": { "memory": "128MiB" } } }),
    );
    let view = server.app().put(&format!("/v1/sessions/{id}"), body);
    assert_eq!(view.well()["sandbox"]["resources"]["memory"], "128MiB");
    let fill = |size: &str| {
        let command = format!("x=$(head -c {size} /dev/zero | tr '\\0' x); echo ${{#x}}");
        let reply = server.app().tool(&id, "bash", json!({ "command": command }));
        reply.well()["output"].clone()
    };
    assert_eq!(fill("1M")["stdout"], "1048576\n");
    let output = fill("200M");
    assert_eq!(output["exitCode"], 137, "{output}");
    assert!(output["stderr"].as_str().unwrap().contains("memory"), "{output}");
    assert_eq!(server.bash(&id, "echo still here"), "still here\n");
}

#[test]
fn storage_is_bounded_and_told() {
    let folder = tempfile::tempdir().unwrap();
    let settings = Config {
        workspace_bytes: 4 << 20,
        ..config(folder.path().join("data"))
    };
    let server = Server::with(&settings, None);
    let id = server.session();
    let blocks = "df --output=size,used /workspace | tail -n 1 | awk '{ print $1, $2 >= 1024 }'";
    server.bash(&id, "head -c 1M /dev/zero > one");
    assert_eq!(server.bash(&id, blocks), "4096 1\n", "df tells the quota");
    let reply = server
        .app()
        .tool(&id, "bash", json!({ "command": "head -c 8M /dev/zero > two" }));
    let output = &reply.well()["output"];
    assert_ne!(output["exitCode"], 0);
    assert!(
        output["stderr"]
            .as_str()
            .unwrap()
            .contains("No space left on device"),
        "{output}"
    );
    let upload = server.app().send(
        "PUT",
        &format!("/v1/sessions/{id}/files/three"),
        Some(("application/octet-stream", vec![0; 5 << 20])),
    );
    upload.refused(413, "limit_exceeded");
    let other = server.session();
    server.bash(&other, "head -c 3M /dev/zero > own");
}

/// One worker, one sandbox with a row of calls, another with a single one: it is next, whoever else waits.
#[test]
fn a_busy_sandbox_does_not_starve_another() {
    let folder = tempfile::tempdir().unwrap();
    let settings = Config {
        workers: Some(1),
        ..config(folder.path().join("data"))
    };
    let server = Server::with(&settings, None);
    let (busy, other) = (server.session(), server.session());
    const CALLS: usize = 10;
    thread::scope(|scope| {
        let work = "for ((n = 0; n < 300000; n++)); do :; done; echo x >> log";
        let calls: Vec<_> = (0..CALLS)
            .map(|_| scope.spawn(|| server.bash(&busy, work)))
            .collect();
        thread::sleep(Duration::from_millis(30));
        server.bash(&other, "true");
        let done = calls.iter().filter(|call| call.is_finished()).count();
        assert!(done < CALLS - 2, "{done} of {CALLS} came before");
    });
    assert_eq!(server.bash(&busy, "wc -l < log"), format!("{CALLS}\n"));
}
