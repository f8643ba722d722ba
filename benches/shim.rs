//! The load of a shim on loopback: `cargo bench --bench shim --features cli,server [-- SESSIONS]`.
//!
//! It starts `exuvia serve` on an empty folder and prints: the time of `echo hi` with 32 callers and with one, durable; the memory of idle sessions,
//! each of which has run a command; the time to list sandboxes by label; the time of a start with as many sandboxes.

// A measurement may stop at the first surprise.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

const CALLERS: usize = 32;
const CALLS: usize = 200;

struct Server {
    child: Child,
    url: String,
    keys: Vec<String>,
}

impl Server {
    fn start(data: &Path, sync: &str) -> Server {
        // `Server` waits for it when it is dropped; without an address there is nothing to measure.
        #[allow(clippy::zombie_processes)]
        let mut child = Command::new(env!("CARGO_BIN_EXE_exuvia"))
            .args([
                "serve",
                "--listen",
                "127.0.0.1:0",
                "--log",
                "error",
                "--sync",
                sync,
                "--data",
            ])
            .arg(data)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut keys = Vec::new();
        for line in BufReader::new(child.stdout.take().unwrap()).lines() {
            let line = line.unwrap();
            let (name, value) = line.split_once(": ").unwrap();
            if name == "listening" {
                let url = value.to_owned();
                return Server { child, url, keys };
            }
            keys.push(value.to_owned());
        }
        panic!("the server did not start");
    }

    fn memory(&self) -> f64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse::<f64>().unwrap() / 1024.0
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A caller with a connection of its own.
struct Caller {
    agent: ureq::Agent,
    url: String,
    key: String,
}

impl Caller {
    fn new(url: &str, key: &str) -> Caller {
        Caller {
            agent: ureq::Agent::new_with_defaults(),
            url: url.to_owned(),
            key: key.to_owned(),
        }
    }

    fn ask(&self, method: &str, path: &str, body: &Value) -> Value {
        let request = ureq::http::Request::builder()
            .method(method)
            .uri(format!("{}{path}", self.url))
            .header("Authorization", format!("Bearer {}", self.key))
            .header("Nylorun-Protocol", "10")
            .header("Content-Type", "application/json")
            .body(body.to_string())
            .unwrap();
        let text = self
            .agent
            .run(request)
            .unwrap()
            .body_mut()
            .read_to_string()
            .unwrap();
        serde_json::from_str(&text).unwrap()
    }

    fn session(&self, id: &str) {
        let body = json!({ "requestId": "r", "agentId": "a", "ownerUserId": "u", "sandbox": {} });
        self.ask("PUT", &format!("/v1/sessions/{id}"), &body);
    }

    fn echo(&self, id: &str) -> Duration {
        let started = Instant::now();
        let reply = self.ask(
            "POST",
            &format!("/v1/sessions/{id}/sandbox/bash"),
            &json!({ "command": "echo hi" }),
        );
        assert_eq!(reply["output"]["stdout"], "hi\n", "{reply}");
        started.elapsed()
    }
}

fn percentiles(name: &str, mut times: Vec<Duration>, all: Duration) {
    times.sort();
    let at =
        |percent: usize| times[(times.len() * percent / 100).min(times.len() - 1)].as_secs_f64() * 1000.0;
    let rate = times.len() as f64 / all.as_secs_f64();
    println!(
        "{name}: p50 {:.2} ms, p90 {:.2} ms, p99 {:.2} ms, {rate:.0} calls/s",
        at(50),
        at(90),
        at(99)
    );
}

fn echo(server: &Server, callers: usize) {
    let started = Instant::now();
    let work = |number: usize| {
        let caller = Caller::new(&server.url, &server.keys[0]);
        let id = format!("echo-{number}");
        caller.session(&id);
        for _ in 0..20 {
            caller.echo(&id);
        }
        (0..CALLS).map(|_| caller.echo(&id)).collect::<Vec<_>>()
    };
    let times: Vec<Duration> = thread::scope(|scope| {
        let threads: Vec<_> = (0..callers)
            .map(|number| scope.spawn(move || work(number)))
            .collect();
        threads
            .into_iter()
            .flat_map(|thread| thread.join().unwrap())
            .collect()
    });
    percentiles(&format!("echo hi, {callers} callers"), times, started.elapsed());
}

fn main() {
    let count: usize = std::env::args()
        .find_map(|word| word.parse().ok())
        .unwrap_or(10_000);
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path().join("data");
    for sync in ["full", "process"] {
        println!("--sync {sync}:");
        let server = Server::start(&directory.path().join(sync), sync);
        echo(&server, 1);
        echo(&server, CALLERS);
    }
    let server = Server::start(&data, "process");
    println!("empty: {:.0} MiB", server.memory());
    let settings = json!({ "limits": { "sandboxes": 100_000 } });
    Caller::new(&server.url, &server.keys[1]).ask("PUT", "/v1/tenant/sandbox", &settings);
    thread::scope(|scope| {
        for part in 0..8 {
            let (server, from) = (&server, part * count / 8);
            scope.spawn(move || {
                let caller = Caller::new(&server.url, &server.keys[0]);
                for number in from..(part + 1) * count / 8 {
                    let id = format!("idle-{number:06}");
                    caller.session(&id);
                    caller.echo(&id);
                    let group = format!("g{}", number % (count / 1000).max(1));
                    caller.ask(
                        "PUT",
                        &format!("/v1/sandboxes/{id}"),
                        &json!({ "labels": { "group": group } }),
                    );
                }
            });
        }
    });
    println!("{count} sessions that ran a command: {:.0} MiB", server.memory());
    let caller = Caller::new(&server.url, &server.keys[0]);
    let times: Vec<Duration> = (0..20)
        .map(|_| {
            let started = Instant::now();
            let found = caller.ask("GET", "/v1/sandboxes?label=group=g0", &Value::Null);
            assert!(found["sandboxes"].as_array().unwrap().len() >= 1000.min(count));
            started.elapsed()
        })
        .collect();
    let all = times.iter().sum();
    percentiles("1000 sandboxes by label", times, all);
    let key = server.keys[0].clone();
    drop(server);
    let started = Instant::now();
    let server = Server::start(&data, "process");
    println!(
        "start with {count} sandboxes: {:.0} ms",
        started.elapsed().as_secs_f64() * 1000.0
    );
    Caller::new(&server.url, &key).echo("idle-000000");
}
