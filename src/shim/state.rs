//! [`Shim`]: what all requests share.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

use super::backend::Backend;
use super::blobs::Blobs;
use super::error::Problem;
use super::gate::Keys;
use super::metrics::Metrics;
use super::store::{Store, turns};
use crate::tool::Cancel;

/// What all requests share.
pub struct Shim {
    /// Metadata.
    pub store: Arc<Store>,
    /// Contents.
    pub blobs: Blobs,
    /// The kinds of sandbox that can be had.
    pub backends: Vec<Box<dyn Backend>>,
    /// Who may come in.
    pub keys: Keys,
    /// The tenant's name.
    pub tenant: String,
    /// This process, as it signs the turns of single calls.
    pub holder: String,
    /// Wakes those who follow a session's events.
    pub followers: Followers,
    /// Calls under way.
    pub running: Running,
    /// Which sandbox a session has: fixed for its life.
    pub sandboxes: SandboxNames,
    /// Numbers.
    pub metrics: Metrics,
    /// Becomes true when the server stops.
    pub stopping: watch::Receiver<bool>,
}

impl Shim {
    /// Nothing is under way yet; tenant and holder have no names.
    pub fn new(
        store: Arc<Store>,
        blobs: Blobs,
        backends: Vec<Box<dyn Backend>>,
        stopping: watch::Receiver<bool>,
    ) -> Result<Shim, String> {
        Ok(Shim {
            store,
            blobs,
            backends,
            keys: Keys::default(),
            tenant: String::new(),
            holder: String::new(),
            followers: Followers::default(),
            running: Running::default(),
            sandboxes: SandboxNames::default(),
            metrics: Metrics::new()?,
            stopping,
        })
    }

    /// The backend of a kind.
    pub fn backend(&self, kind: &str) -> Result<&dyn Backend, Problem> {
        let found = self.backends.iter().find(|backend| backend.kind() == kind);
        found
            .map(|backend| &**backend)
            .ok_or_else(|| Problem::unavailable(format!("no {kind} sandboxes here")))
    }

    /// The name and kind of a session's sandbox.
    pub async fn sandbox_of(&self, session: &str) -> Result<SandboxName, Problem> {
        if let Some(found) = self.sandboxes.get(session) {
            return Ok(found);
        }
        let id = session.to_owned();
        let found = self
            .store
            .read(move |connection| turns::sandbox_name(connection, &id))
            .await?;
        self.sandboxes.set(session, &found);
        Ok(found)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Where a session works.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SandboxName {
    /// The name in the table.
    pub name: String,
    /// Which backend.
    pub kind: String,
}

/// Remembers the sandboxes of sessions, to save a look into the store at each call.
#[derive(Default)]
pub struct SandboxNames {
    known: Mutex<HashMap<String, SandboxName>>,
}

/// How many are remembered.
const MOST_NAMES: usize = 20_000;

impl SandboxNames {
    fn get(&self, session: &str) -> Option<SandboxName> {
        lock(&self.known).get(session).cloned()
    }

    fn set(&self, session: &str, name: &SandboxName) {
        let mut known = lock(&self.known);
        if known.len() >= MOST_NAMES {
            known.clear();
        }
        known.insert(session.to_owned(), name.clone());
    }

    /// A session is gone, or is not what was remembered.
    pub fn forget(&self, session: &str) {
        lock(&self.known).remove(session);
    }
}

/// Wakes those who follow a session's events.
#[derive(Default)]
pub struct Followers {
    sessions: Mutex<HashMap<String, watch::Sender<u64>>>,
}

impl Followers {
    /// Something new is in a session.
    pub fn wake(&self, session: &str) {
        let mut sessions = lock(&self.sessions);
        let Some(sender) = sessions.get(session) else {
            return;
        };
        if sender.receiver_count() == 0 {
            sessions.remove(session);
        } else {
            sender.send_modify(|count| *count += 1);
        }
    }

    /// Changes whenever something new is there.
    pub fn follow(&self, session: &str) -> watch::Receiver<u64> {
        let mut sessions = lock(&self.sessions);
        let sender = sessions
            .entry(session.to_owned())
            .or_insert_with(|| watch::channel(0).0);
        sender.subscribe()
    }
}

/// Calls under way, by their turn.
#[derive(Default)]
pub struct Running {
    inner: Mutex<RunningCalls>,
}

#[derive(Default)]
struct RunningCalls {
    calls: HashMap<String, Vec<Cancel>>,
    closing: HashSet<String>,
}

impl Running {
    /// A call begins. False when its turn is being ended.
    pub fn enter(&self, turn: &str, cancel: &Cancel) -> bool {
        let mut inner = lock(&self.inner);
        if inner.closing.contains(turn) {
            return false;
        }
        inner
            .calls
            .entry(turn.to_owned())
            .or_default()
            .push(cancel.clone());
        true
    }

    /// A call is over.
    pub fn leave(&self, turn: &str) {
        let mut inner = lock(&self.inner);
        // Calls of one turn come one at a time.
        inner.calls.remove(turn);
    }

    /// Kills what runs in a turn, and lets nothing else begin there.
    pub fn close(&self, turn: &str) {
        let mut inner = lock(&self.inner);
        inner.closing.insert(turn.to_owned());
        for cancel in inner.calls.get(turn).into_iter().flatten() {
            cancel.cancel();
        }
    }

    /// A turn is over.
    pub fn forget(&self, turn: &str) {
        lock(&self.inner).closing.remove(turn);
    }

    /// The turns of all calls.
    pub fn turns(&self) -> Vec<String> {
        lock(&self.inner).calls.keys().cloned().collect()
    }

    /// Kills everything.
    pub fn close_all(&self) {
        for turn in self.turns() {
            self.close(&turn);
        }
    }
}
