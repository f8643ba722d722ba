//! A real server in this process on a free loopback port, and a client whose every request and answer is checked against the OpenAPI document.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread;

use exuvia::net::Network;
use exuvia::shim::Server as Shim;
use exuvia::shim::config::{Config, Sync};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::sync::oneshot;

use super::openapi::Document;

/// A server that ends when it is dropped.
pub struct Server {
    pub url: String,
    pub application: String,
    pub management: String,
    pub document: Arc<Document>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<thread::JoinHandle<()>>,
    data_folder: Option<TempDir>,
}

/// One server for all tests that leave the tenant's settings alone.
pub fn shared() -> &'static Server {
    static SERVER: OnceLock<Server> = OnceLock::new();
    SERVER.get_or_init(|| {
        let server = Server::start();
        let settings = json!({ "limits": { "sandboxes": 100_000 } });
        assert_eq!(
            server.management().put("/v1/tenant/sandbox", settings).status,
            200
        );
        server
    })
}

/// How often something is tried: what the environment says, few otherwise.
pub fn rounds(variable: &str, otherwise: usize) -> usize {
    let given = std::env::var(variable).ok();
    given.and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

/// A name that no other test uses.
pub fn unique(prefix: &str) -> String {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    format!("{prefix}-{}", NEXT.fetch_add(1, Ordering::SeqCst))
}

impl Server {
    /// On an empty data folder.
    pub fn start() -> Server {
        let data = tempfile::tempdir().unwrap();
        let mut server = Server::with(&config(data.path().join("data")), None);
        server.data_folder = Some(data);
        server
    }

    /// With settings; `keys` of an earlier start on the same folder.
    pub fn with(config: &Config, keys: Option<(String, String)>) -> Server {
        Server::over(config, keys, None)
    }

    /// The same, over a network of the test.
    pub fn over(config: &Config, keys: Option<(String, String)>, network: Option<Network>) -> Server {
        let (stop, stopped) = oneshot::channel();
        let (ready, started) = std::sync::mpsc::channel();
        let config = config.clone();
        let thread = thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_multi_thread()
                .worker_threads(2)
                .enable_all()
                .build()
                .unwrap();
            runtime.block_on(async {
                let server = match network {
                    Some(network) => Shim::start_over(&config, network).await.unwrap(),
                    None => Shim::start(&config).await.unwrap(),
                };
                ready
                    .send((server.address().unwrap(), server.printed().to_vec()))
                    .unwrap();
                server.run(async { drop(stopped.await) }).await.unwrap();
            });
            runtime.shutdown_background();
        });
        let (address, printed) = started.recv().expect("the server starts");
        let (application, management) = keys.unwrap_or_else(|| {
            let key = |name| printed.iter().find(|key| key.name == name).unwrap().key.clone();
            (key("application"), key("management"))
        });
        let url = format!("http://{address}");
        let text = ureq::get(format!("{url}/openapi.json"))
            .call()
            .unwrap()
            .body_mut()
            .read_to_string()
            .unwrap();
        Server {
            url,
            application,
            management,
            document: Arc::new(Document::read(&text)),
            stop: Some(stop),
            thread: Some(thread),
            data_folder: None,
        }
    }

    /// Stops it and waits for that.
    pub fn stop(mut self) {
        self.end();
    }

    fn end(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap();
        }
    }

    /// Asks with the application key.
    pub fn app(&self) -> Client {
        self.client(&self.application)
    }

    /// Asks with the management key.
    pub fn management(&self) -> Client {
        self.client(&self.management)
    }

    /// Asks for a person.
    pub fn person(&self, subject: &str, scopes: &str) -> Client {
        self.app()
            .header("Nylorun-Subject", subject)
            .header("Nylorun-Scopes", scopes)
    }

    /// Asks with any key.
    pub fn client(&self, key: &str) -> Client {
        self.bare()
            .header("Authorization", &format!("Bearer {key}"))
            .header("Nylorun-Protocol", "10")
    }

    /// Asks without headers.
    pub fn bare(&self) -> Client {
        let settings = ureq::Agent::config_builder().http_status_as_error(false).build();
        Client {
            agent: ureq::Agent::new_with_config(settings),
            url: self.url.clone(),
            headers: Vec::new(),
            document: Arc::clone(&self.document),
        }
    }

    /// A session with a sandbox of its own.
    pub fn session(&self) -> String {
        let id = unique("session");
        let reply = self.app().put(
            &format!("/v1/sessions/{id}"),
            session("ada", json!({ "sandbox": {} })),
        );
        assert_eq!(reply.status, 200, "{}", reply.body);
        id
    }

    /// A turn of a session.
    pub fn turn(&self, session: &str) -> String {
        let reply = self.app().post(
            &format!("/v1/sessions/{session}/turns"),
            json!({ "requestId": "r" }),
        );
        assert_eq!(reply.status, 200, "{}", reply.body);
        reply.body["turnId"].as_str().unwrap().to_owned()
    }

    /// Runs a command; what it printed.
    pub fn bash(&self, session: &str, command: &str) -> String {
        let reply = self.app().tool(session, "bash", json!({ "command": command }));
        assert_eq!(reply.status, 200, "{}", reply.body);
        reply.body["output"]["stdout"]
            .as_str()
            .unwrap_or_else(|| panic!("{}", reply.body))
            .to_owned()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.end();
    }
}

/// Settings of a test server: `EXUVIA_TEST_DATABASE` names a PostgreSQL server, on which each gets a database of its own; `EXUVIA_TEST_BLOBS` an
/// object store, below which each gets a prefix of its own.
pub fn config(data: PathBuf) -> Config {
    Config {
        data,
        listen: "127.0.0.1:0".to_owned(),
        database: std::env::var("EXUVIA_TEST_DATABASE")
            .ok()
            .map(|url| new_database(&url)),
        blobs: std::env::var("EXUVIA_TEST_BLOBS")
            .ok()
            .map(|url| format!("{url}/{}/{}", std::process::id(), unique("blobs"))),
        workers: Some(2),
        sync: Sync::Process,
        ..Config::default()
    }
}

fn new_database(url: &str) -> String {
    let name = format!("t_{}_{}", std::process::id(), unique("db").replace('-', "_"));
    let mut client = postgres::Client::connect(url, postgres::NoTls).unwrap();
    client.batch_execute(&format!("CREATE DATABASE {name}")).unwrap();
    let (server, _) = url.rsplit_once('/').unwrap();
    format!("{server}/{name}")
}

/// The body of a new session.
pub fn session(owner: &str, more: Value) -> Value {
    let mut body = json!({ "requestId": "r", "agentId": "analyst", "ownerUserId": owner });
    for (key, value) in more.as_object().unwrap() {
        body[key] = value.clone();
    }
    body
}

/// Someone who asks.
#[derive(Clone)]
pub struct Client {
    agent: ureq::Agent,
    url: String,
    headers: Vec<(String, String)>,
    document: Arc<Document>,
}

/// An answer.
#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    pub headers: BTreeMap<String, String>,
    pub bytes: Vec<u8>,
    /// Null for what is not JSON.
    pub body: Value,
}

impl Reply {
    /// Checks status and code.
    #[track_caller]
    pub fn refused(&self, status: u16, code: &str) -> &Reply {
        assert_eq!(
            (self.status, self.body["code"].as_str()),
            (status, Some(code)),
            "{}",
            self.body
        );
        assert_eq!(self.body["status"], "rejected");
        self
    }

    /// Checks for success.
    #[track_caller]
    pub fn well(&self) -> &Value {
        assert_eq!(self.status, 200, "{}", self.body);
        &self.body
    }
}

impl Client {
    /// One more header, or another value of it.
    pub fn header(mut self, name: &str, value: &str) -> Client {
        self.headers.retain(|(other, _)| other != name);
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub fn get(&self, path: &str) -> Reply {
        self.send("GET", path, None)
    }

    pub fn delete(&self, path: &str) -> Reply {
        self.send("DELETE", path, None)
    }

    pub fn put(&self, path: &str, body: Value) -> Reply {
        self.send(
            "PUT",
            path,
            Some(("application/json", body.to_string().into_bytes())),
        )
    }

    pub fn post(&self, path: &str, body: Value) -> Reply {
        self.send(
            "POST",
            path,
            Some(("application/json", body.to_string().into_bytes())),
        )
    }

    /// Calls a tool.
    pub fn tool(&self, session: &str, tool: &str, input: Value) -> Reply {
        self.post(&format!("/v1/sessions/{session}/sandbox/{tool}"), input)
    }

    pub fn send(&self, method: &str, path: &str, body: Option<(&str, Vec<u8>)>) -> Reply {
        let mut request = ureq::http::Request::builder()
            .method(method)
            .uri(format!("{}{path}", self.url));
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        if let Some((kind, _)) = &body {
            request = request.header("Content-Type", *kind);
        }
        let sent = body.clone().map(|(_, bytes)| bytes).unwrap_or_default();
        let mut response = self.agent.run(request.body(sent).unwrap()).unwrap();
        let headers = response.headers().iter().map(|(name, value)| {
            (
                name.as_str().to_owned(),
                String::from_utf8_lossy(value.as_bytes()).into_owned(),
            )
        });
        let headers: BTreeMap<String, String> = headers.collect();
        let mut bytes = Vec::new();
        response.body_mut().as_reader().read_to_end(&mut bytes).unwrap();
        let reply = Reply {
            status: response.status().as_u16(),
            body: serde_json::from_slice(&bytes).unwrap_or_default(),
            headers,
            bytes,
        };
        self.document.check(
            method,
            path,
            body.as_ref().map(|(kind, bytes)| (*kind, bytes.as_slice())),
            &reply,
        );
        reply
    }

    /// Opens a stream of events; the reader gives lines.
    pub fn open(&self, method: &str, path: &str, body: Option<Value>) -> (u16, Box<dyn Read + Send>) {
        let mut request = ureq::http::Request::builder()
            .method(method)
            .uri(format!("{}{path}", self.url));
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        if body.is_some() {
            request = request.header("Content-Type", "application/json");
        }
        let text = body.map(|body| body.to_string()).unwrap_or_default();
        let response = self.agent.run(request.body(text).unwrap()).unwrap();
        let status = response.status().as_u16();
        (status, Box::new(response.into_body().into_reader()))
    }
}
