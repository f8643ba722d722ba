//! [`Client`]: a typed client of the runtime shim, named as its pages name things.
//!
//! ```no_run
//! use exuvia::client::{Client, NewSession};
//! use exuvia::wire::SpecInput;
//!
//! let client = Client::new("http://127.0.0.1:8787", &std::env::var("EXUVIA_KEY")?);
//! let session = client.create_session(NewSession {
//!     sandbox: Some(SpecInput::default().allow(["data.example.com", "files.example.com"]).cpus(2).memory("2GiB").into()),
//!     ..NewSession::new("analyst", "ada")
//! })?;
//! let reply = session.tools().bash("echo hello | tee greeting")?;
//! assert_eq!((reply.exit_code, reply.stdout.as_str()), (0, "hello\n"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A turn is the right to use a sandbox that several sessions share. Who comes too late is told when to try again:
//!
//! ```no_run
//! # use exuvia::client::{Client, NewSession, TurnOptions};
//! # use exuvia::wire::{EnsureSandbox, SandboxChoice, TurnOutcome};
//! # let client = Client::new("http://127.0.0.1:8787", "key");
//! client.sandboxes().ensure("team-a/proj-42", EnsureSandbox::default().label("project", "acme"))?;
//! let session = client.create_session(NewSession {
//!     sandbox: Some(SandboxChoice::Attach("team-a/proj-42".into())),
//!     ..NewSession::new("analyst", "ada")
//! })?;
//! let turn = loop {
//!     match session.start_turn(TurnOptions::default()) {
//!         Ok(turn) => break turn,
//!         Err(error) if error.code() == Some("sandbox_busy") => std::thread::sleep(error.retry_after().unwrap_or_default()),
//!         Err(error) => return Err(error.into()),
//!     }
//! };
//! turn.tools().bash_streaming("for n in 1 2 3; do echo $n; done", |chunk| print!("{}", chunk.text))?;
//! turn.end(TurnOutcome::Completed)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Decisions:
//! - **Calls block.** There is no runtime to choose, the command line and tests need none, and a host that has one calls from a thread that may wait
//!   (`spawn_blocking`). A [`Client`] is shared between threads; clones use the same connections.
//! - **Types are those of the server** ([`crate::wire`], and [`crate::tool`] for the tools), so that neither side can drift from the other.
//! - **Handles do not ask.** [`Client::session`], [`Session::turn`] and the like only remember an id. What asks returns a `Result`.
//! - **What fails is one type**, [`Error`]: a refusal with its status, code, details and the turn in the way; a tool that failed; no answer at all.
//!
//! Tests: `tests/shim/client.rs`, against a real server.

mod artifacts;
mod connection;
mod error;
mod events;
mod files;
mod sandboxes;
mod session;
mod sse;
mod tenant;
mod tools;
mod turn;

use std::fmt;
use std::sync::Arc;

use crate::wire::{Health, Ready, Scope, SessionView};

pub use artifacts::{Artifacts, NewArtifact};
pub use error::{Error, KeyKind};
pub use events::Events;
pub use files::Files;
pub use sandboxes::{SandboxPages, Sandboxes, SessionSandbox};
pub use session::{NewSession, Session, Sessions};
pub use tenant::Tenant;
pub use tools::Tools;
pub use turn::{Turn, TurnOptions};

use connection::{Ask, Connection};

/// Someone who asks a shim. See the module page.
#[derive(Clone)]
pub struct Client {
    connection: Arc<Connection>,
    person: Option<Arc<Person>>,
}

/// The person that is acted for.
#[derive(Debug)]
struct Person {
    subject: String,
    scopes: String,
}

/// Without keys.
impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let person = self.person.as_ref().map(|person| &person.subject);
        f.debug_struct("Client")
            .field("url", &self.url())
            .field("subject", &person)
            .finish_non_exhaustive()
    }
}

impl Client {
    /// Asks the shim at a URL with an application key.
    pub fn new(url: &str, key: &str) -> Client {
        Client::with_keys(url, Some(key.to_owned()), None)
    }

    /// With an application key, a management key, both or neither: a request that needs a key that is not there is an [`Error::KeyMissing`].
    pub fn with_keys(url: &str, key: Option<String>, management_key: Option<String>) -> Client {
        Client {
            connection: Arc::new(Connection::new(url, key, management_key)),
            person: None,
        }
    }

    /// The same shim, asked for a person, who has these scopes.
    ///
    /// ```
    /// # use exuvia::client::Client;
    /// use exuvia::wire::Scope;
    ///
    /// let client = Client::new("http://127.0.0.1:8787", "key");
    /// let ada = client.as_subject("ada", &[Scope::SessionsOwn]);
    /// ```
    #[must_use]
    pub fn as_subject(&self, subject: &str, scopes: &[Scope]) -> Client {
        let scopes: Vec<&str> = scopes.iter().map(|scope| scope.name()).collect();
        Client {
            connection: Arc::clone(&self.connection),
            person: Some(Arc::new(Person {
                subject: subject.to_owned(),
                scopes: scopes.join(" "),
            })),
        }
    }

    /// The address.
    pub fn url(&self) -> &str {
        self.connection.url()
    }

    /// Makes a session, or finds the same.
    pub fn create_session(&self, new: NewSession) -> Result<Session, Error> {
        session::create(self, new)
    }

    /// The session with an id, which is not asked for yet.
    pub fn session(&self, id: impl Into<String>) -> Session {
        Session::new(self.clone(), id.into())
    }

    /// All sessions by id, fetched page by page.
    pub fn sessions(&self) -> Sessions {
        Sessions::new(self.clone())
    }

    /// Sandbox resources.
    pub fn sandboxes(&self) -> Sandboxes<'_> {
        Sandboxes::new(self)
    }

    /// Files and folders that outlive a workspace.
    pub fn artifacts(&self) -> Artifacts<'_> {
        Artifacts::new(self)
    }

    /// The settings of the tenant. They need a management key.
    pub fn tenant(&self) -> Tenant<'_> {
        Tenant::new(self)
    }

    /// Whether the shim lives, and what it speaks.
    pub fn health(&self) -> Result<Health, Error> {
        self.get("/health").json()
    }

    /// Whether each part of the shim can work.
    pub fn ready(&self) -> Result<Ready, Error> {
        self.get("/ready").accepting(503).json()
    }

    fn get(&self, path: impl Into<String>) -> Ask<'_> {
        Ask::new(self, "GET", path)
    }

    fn put(&self, path: impl Into<String>) -> Ask<'_> {
        Ask::new(self, "PUT", path)
    }

    fn post(&self, path: impl Into<String>) -> Ask<'_> {
        Ask::new(self, "POST", path)
    }

    fn delete(&self, path: impl Into<String>) -> Ask<'_> {
        Ask::new(self, "DELETE", path)
    }
}

/// The view of a session with the id that a handle has.
fn session_path(id: &str, rest: &str) -> String {
    format!("/v1/sessions/{}{rest}", connection::segment(id))
}

/// What a page of sessions gives.
type Page = (Vec<SessionView>, Option<String>);
