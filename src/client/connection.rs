//! One request: what is sent with every one, and how its answer is read.

use std::io::Read;
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;
use ureq::http::{Request, Response};
use ureq::{Agent, Body};

use super::Client;
use super::error::{Error, KeyKind};
use crate::wire::{PROTOCOL, Rejection};

/// How long a connection may take to come about.
const CONNECT: Duration = Duration::from_secs(10);

/// How long an answer may take to begin.
const ANSWER: Duration = Duration::from_secs(60);

/// The same where a command runs, perhaps after those of others.
const LONG_ANSWER: Duration = Duration::from_secs(3600);

/// How long an unused connection is kept: shorter than a shim does, so that a request does not meet its end.
const IDLE: Duration = Duration::from_secs(5);

/// Where the shim is, and the keys.
pub(super) struct Connection {
    agent: Agent,
    url: String,
    key: Option<String>,
    management_key: Option<String>,
}

impl Connection {
    pub(super) fn new(url: &str, key: Option<String>, management_key: Option<String>) -> Connection {
        let settings = Agent::config_builder()
            .http_status_as_error(false)
            .timeout_connect(Some(CONNECT))
            .timeout_recv_response(Some(ANSWER))
            .max_idle_age(IDLE)
            .max_redirects(0)
            .user_agent(concat!("exuvia/", env!("CARGO_PKG_VERSION")))
            .build();
        Connection {
            agent: Agent::new_with_config(settings),
            url: url.trim_end_matches('/').to_owned(),
            key,
            management_key,
        }
    }

    pub(super) fn url(&self) -> &str {
        &self.url
    }

    fn key(&self, path: &str) -> Result<&str, Error> {
        let (key, kind) = match path.starts_with("/v1/tenant/") {
            true => (&self.management_key, KeyKind::Management),
            false => (&self.key, KeyKind::Application),
        };
        key.as_deref().ok_or(Error::KeyMissing(kind))
    }
}

/// A request that is being put together.
pub(super) struct Ask<'c> {
    client: &'c Client,
    method: &'static str,
    path: String,
    query: Vec<String>,
    headers: Vec<(&'static str, String)>,
    body: Vec<u8>,
    long: bool,
    accepted: Option<u16>,
}

impl<'c> Ask<'c> {
    pub(super) fn new(client: &'c Client, method: &'static str, path: impl Into<String>) -> Ask<'c> {
        Ask {
            client,
            method,
            path: path.into(),
            query: Vec::new(),
            headers: Vec::new(),
            body: Vec::new(),
            long: false,
            accepted: None,
        }
    }

    /// A parameter, unless there is none.
    pub(super) fn query(mut self, name: &str, value: Option<impl ToString>) -> Self {
        if let Some(value) = value {
            self.query.push(format!("{name}={}", segment(&value.to_string())));
        }
        self
    }

    /// A header, unless there is none.
    pub(super) fn header(mut self, name: &'static str, value: Option<&str>) -> Self {
        self.headers.extend(value.map(|value| (name, value.to_owned())));
        self
    }

    /// A body as it is.
    pub(super) fn bytes(mut self, media_type: &str, body: Vec<u8>) -> Self {
        self.body = body;
        self.header("Content-Type", Some(media_type))
    }

    /// A body of JSON.
    pub(super) fn body(self, body: &impl Serialize) -> Result<Self, Error> {
        let body = serde_json::to_vec(body).map_err(Error::unreadable)?;
        Ok(self.bytes("application/json", body))
    }

    /// The answer may take its time: a command runs.
    pub(super) fn long(mut self) -> Self {
        self.long = true;
        self
    }

    /// This status is an answer, too.
    pub(super) fn accepting(mut self, status: u16) -> Self {
        self.accepted = Some(status);
        self
    }

    /// Asks, and reads JSON.
    pub(super) fn json<T: DeserializeOwned>(self) -> Result<T, Error> {
        serde_json::from_slice(&self.read()?).map_err(Error::unreadable)
    }

    /// Asks, and reads all of it.
    pub(super) fn read(self) -> Result<Vec<u8>, Error> {
        let mut bytes = Vec::new();
        self.open()?.read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// Asks; what is answered can be read as it comes.
    pub(super) fn open(self) -> Result<Box<dyn Read + Send>, Error> {
        let accepted = self.accepted;
        let response = self.send()?;
        let status = response.status();
        if status.is_success() || accepted == Some(status.as_u16()) {
            return Ok(Box::new(response.into_body().into_reader()));
        }
        Err(rejected(response))
    }

    fn send(self) -> Result<Response<Body>, Error> {
        let connection = &self.client.connection;
        let mut uri = format!("{}{}", connection.url, self.path);
        if !self.query.is_empty() {
            uri = format!("{uri}?{}", self.query.join("&"));
        }
        let mut request = Request::builder().method(self.method).uri(uri);
        if self.path.starts_with("/v1/") {
            request = request
                .header("Authorization", format!("Bearer {}", connection.key(&self.path)?))
                .header("Nylorun-Protocol", PROTOCOL.to_string());
            if let Some(person) = &self.client.person {
                request = request
                    .header("Nylorun-Subject", &person.subject)
                    .header("Nylorun-Scopes", &person.scopes);
            }
        }
        for (name, value) in &self.headers {
            request = request.header(*name, value);
        }
        let request = request
            .body(self.body)
            .map_err(|error| Error::Transport(error.into()))?;
        let request = match self.long {
            true => connection
                .agent
                .configure_request(request)
                .timeout_recv_response(Some(LONG_ANSWER))
                .build(),
            false => request,
        };
        Ok(connection.agent.run(request)?)
    }
}

fn rejected(response: Response<Body>) -> Error {
    let status = response.status().as_u16();
    let retry_after = response.headers().get("Retry-After");
    let seconds = retry_after.and_then(|value| value.to_str().ok()?.parse().ok());
    let mut text = Vec::new();
    if let Err(error) = response.into_body().into_reader().read_to_end(&mut text) {
        return error.into();
    }
    match serde_json::from_slice::<Rejection>(&text) {
        Ok(rejection) => Error::Rejected {
            status,
            retry_after: seconds.map(Duration::from_secs),
            rejection: Box::new(rejection),
        },
        Err(_) => Error::Unreadable(format!("status {status}")),
    }
}

/// A text as one segment of a path, or as a value of a query.
pub(super) fn segment(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte.is_ascii_alphanumeric() || b"._-~".contains(&byte) {
            true => encoded.push(char::from(byte)),
            false => encoded.push_str(&format!("%{byte:02X}")),
        }
    }
    encoded
}
