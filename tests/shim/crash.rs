//! Killed at any moment, a server has every write that it answered, and no half of one that it did not.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::thread;
use std::time::Duration;

use exuvia::shim::config::Config;
use serde_json::{Value, json};

use super::harness::{config, rounds, session};

/// A server in a process of its own.
pub struct Process {
    child: Child,
    pub url: String,
    pub keys: Vec<String>,
}

impl Process {
    /// With the settings that matter here.
    pub fn start(config: &Config) -> Process {
        let mut command = Command::new(env!("CARGO_BIN_EXE_exuvia"));
        command
            .args(["serve", "--listen", "127.0.0.1:0", "--log", "error", "--data"])
            .arg(&config.data);
        if let Some(url) = &config.database {
            command.args(["--database", url]);
        }
        if let Some(url) = &config.blobs {
            command.args(["--blobs", url]);
        }
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut keys = Vec::new();
        loop {
            let line = lines.next().expect("the server starts").unwrap();
            let (name, value) = line.split_once(": ").unwrap();
            match name {
                "listening" => {
                    let url = value.to_owned();
                    return Process { child, url, keys };
                }
                _ => keys.push(value.to_owned()),
            }
        }
    }

    /// As `kill -9` does.
    pub fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Someone who asks a server that may be killed.
pub struct Caller<'k> {
    url: String,
    key: &'k str,
    /// The turn that calls are part of.
    pub turn: Option<&'k str>,
}

impl<'k> Caller<'k> {
    pub fn new(url: &str, key: &'k str) -> Caller<'k> {
        Caller {
            url: url.to_owned(),
            key,
            turn: None,
        }
    }

    /// The answer to a call, unless the server was killed before it came whole.
    pub fn ask(&self, method: &str, path: &str, body: &Value) -> Option<(u16, Value)> {
        let agent: ureq::Agent = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .timeout_global(Some(Duration::from_secs(20)))
            .build()
            .into();
        let mut request = ureq::http::Request::builder()
            .method(method)
            .uri(format!("{}{path}", self.url))
            .header("Authorization", format!("Bearer {}", self.key))
            .header("Nylorun-Protocol", "10")
            .header("Content-Type", "application/json");
        if let Some(turn) = self.turn {
            request = request.header("Nylorun-Turn", turn);
        }
        let mut response = agent.run(request.body(body.to_string()).unwrap()).ok()?;
        let text = response.body_mut().read_to_string().ok()?;
        Some((response.status().as_u16(), serde_json::from_str(&text).ok()?))
    }
}

const SESSIONS: usize = 4;

/// Each call writes one number into two files: they must never differ, and never be below what was answered.
fn load(url: &str, key: &str, session: usize, answered: &Mutex<BTreeMap<usize, u64>>) {
    loop {
        let next = answered.lock().unwrap().get(&session).copied().unwrap_or(0) + 1;
        let command = format!("echo {next} > a; mkdir -p d; echo {next} > d/b; seq {next} > big");
        let path = format!("/v1/sessions/s{session}/sandbox/bash");
        match Caller::new(url, key).ask("POST", &path, &json!({ "command": command })) {
            Some((200, reply)) => {
                assert_eq!(reply["output"]["exitCode"], 0, "{reply}");
                answered.lock().unwrap().insert(session, next);
            }
            Some((status, reply)) => panic!("{status} {reply}"),
            None => return,
        }
    }
}

/// Over PostgreSQL a new process is another shim: the call of the one that was killed keeps its turn until the lease ends.
fn patiently(url: &str, key: &str, path: &str, body: &Value) -> (u16, Value) {
    let began = std::time::Instant::now();
    loop {
        let (status, reply) = Caller::new(url, key).ask("POST", path, body).expect("an answer");
        if status != 409 || began.elapsed() > Duration::from_secs(60) {
            return (status, reply);
        }
    }
}

fn check(url: &str, key: &str, answered: &Mutex<BTreeMap<usize, u64>>) {
    for session in 0..SESSIONS {
        let path = format!("/v1/sessions/s{session}/sandbox/bash");
        let look = json!({ "command": "echo $(cat a) $(cat d/b) $(tail -n 1 big) $(wc -l < big)" });
        let (status, reply) = patiently(url, key, &path, &look);
        assert_eq!(status, 200, "{reply}");
        let text = reply["output"]["stdout"].as_str().unwrap().trim().to_owned();
        let numbers: Vec<u64> = text.split(' ').filter_map(|word| word.parse().ok()).collect();
        let least = answered.lock().unwrap().get(&session).copied().unwrap_or(0);
        if numbers.is_empty() && least == 0 {
            continue;
        }
        assert!(
            numbers.len() == 4 && numbers.iter().all(|number| *number == numbers[0]),
            "{text}"
        );
        assert!(
            (least..=least + 1).contains(&numbers[0]),
            "{} answered, {} found",
            least,
            numbers[0]
        );
        answered.lock().unwrap().insert(session, numbers[0]);
        let path = format!("/v1/sessions/s{session}/items?limit=200");
        let items = Caller::new(url, key).ask("GET", &path, &json!({}));
        let (_, items) = items.expect("an answer");
        for (seq, event) in items["items"].as_array().unwrap().iter().enumerate() {
            assert_eq!(event["seq"], json!(seq), "numbered without gaps");
        }
    }
}

/// `EXUVIA_CRASH_ROUNDS` rounds; a few without it.
#[test]
fn killed_under_load() {
    let rounds = rounds("EXUVIA_CRASH_ROUNDS", 6);
    let directory = tempfile::tempdir().unwrap();
    let config = config(directory.path().join("data"));
    let mut server = Process::start(&config);
    let key = server.keys[0].clone();
    for number in 0..SESSIONS {
        let body = session("ada", json!({ "sandbox": {} }));
        let path = format!("/v1/sessions/s{number}");
        Caller::new(&server.url, &key).ask("PUT", &path, &body).unwrap();
    }
    let answered = Mutex::new(BTreeMap::new());
    for round in 0..rounds {
        thread::scope(|scope| {
            for number in 0..SESSIONS {
                let (url, key, answered) = (server.url.clone(), &key, &answered);
                scope.spawn(move || load(&url, key, number, answered));
            }
            thread::sleep(Duration::from_millis(60 + (round as u64 * 37) % 200));
            server.kill();
        });
        server = Process::start(&config);
        check(&server.url, &key, &answered);
    }
    assert!(
        answered.lock().unwrap().values().sum::<u64>() > 0,
        "something was answered"
    );
}
