//! [`Sandboxes`]: sandbox resources.

use super::connection::{Ask, segment};
use super::error::Error;
use super::{Client, NewSession, Session};
use crate::wire::random;
use crate::wire::{Deleted, EnsureSandbox, SandboxChoice, SandboxEvents, SandboxList, SandboxView};

/// Sandbox resources: sessions that are attached to one share its `/workspace`.
#[derive(Debug, Clone, Copy)]
pub struct Sandboxes<'c> {
    client: &'c Client,
}

impl<'c> Sandboxes<'c> {
    pub(super) fn new(client: &'c Client) -> Sandboxes<'c> {
        Sandboxes { client }
    }

    /// Makes one, or finds the same. Only the fields that are given are compared.
    pub fn ensure(&self, id: &str, mut asked: EnsureSandbox) -> Result<SandboxView, Error> {
        asked.request_id.get_or_insert_with(|| random::name("request_"));
        self.client.put(path(id, "")).body(&asked)?.json()
    }

    /// One of them.
    pub fn get(&self, id: &str) -> Result<SandboxView, Error> {
        self.client.get(path(id, "")).json()
    }

    /// Those that have all of these labels, by id; with none, all.
    pub fn list(&self, labels: &[(&str, &str)]) -> Result<Vec<SandboxView>, Error> {
        let list: SandboxList = labelled(self.client.get("/v1/sandboxes"), labels).json()?;
        Ok(list.sandboxes)
    }

    /// As [`list`](Sandboxes::list), fetched page by page.
    pub fn pages(&self, labels: &[(&str, &str)], limit: u32) -> SandboxPages<'c> {
        let own = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
        SandboxPages {
            client: self.client,
            labels: labels.iter().map(own).collect(),
            limit,
            next: Some(None),
        }
    }

    /// Removes one with its workspace; false when there was none.
    pub fn delete(&self, id: &str) -> Result<bool, Error> {
        let answer: Deleted = self.client.delete(path(id, "")).json()?;
        Ok(answer.deleted)
    }

    /// Suspends a pod and keeps its volume.
    pub fn stop(&self, id: &str) -> Result<SandboxView, Error> {
        self.client.post(path(id, "/stop")).json()
    }

    /// Gives a pod a new, empty volume.
    pub fn reset(&self, id: &str) -> Result<SandboxView, Error> {
        self.client.post(path(id, "/reset")).json()
    }

    /// The history of an id, from a number on; also after it was deleted.
    pub fn events(&self, id: &str, from: Option<i64>) -> Result<SandboxEvents, Error> {
        self.client.get(path(id, "/events")).query("from", from).json()
    }

    /// Makes a sandbox for one session alone, `sessions/<id>`, and the session in it.
    ///
    /// ```no_run
    /// # use exuvia::client::{Client, NewSession};
    /// # use exuvia::wire::EnsureSandbox;
    /// # let client = Client::new("http://127.0.0.1:8787", "key");
    /// let spec = EnsureSandbox::default().allow(["data.example.com"]);
    /// let own = client.sandboxes().for_session(NewSession::new("analyst", "ada"), spec)?;
    /// own.session.tools().bash("echo hello")?;
    /// own.release()?;
    /// # Ok::<(), exuvia::client::Error>(())
    /// ```
    pub fn for_session(&self, session: NewSession, spec: EnsureSandbox) -> Result<SessionSandbox, Error> {
        let id = session.id.clone().unwrap_or_else(|| random::name("session_"));
        let sandbox_id = format!("sessions/{id}");
        self.ensure(&sandbox_id, spec)?;
        let session = self.client.create_session(NewSession {
            id: Some(id),
            sandbox: Some(SandboxChoice::Attach(sandbox_id.clone())),
            ..session
        })?;
        Ok(SessionSandbox {
            session,
            client: self.client.clone(),
            sandbox_id,
        })
    }
}

/// A session with a sandbox that was made for it.
#[derive(Debug, Clone)]
pub struct SessionSandbox {
    /// The session.
    pub session: Session,
    client: Client,
    sandbox_id: String,
}

impl SessionSandbox {
    /// The id of the sandbox.
    pub fn sandbox_id(&self) -> &str {
        &self.sandbox_id
    }

    /// Removes the sandbox with its workspace; the session stays. False when there was none any more.
    pub fn release(self) -> Result<bool, Error> {
        self.client.sandboxes().delete(&self.sandbox_id)
    }
}

/// Pages of sandboxes by id.
#[derive(Debug)]
pub struct SandboxPages<'c> {
    client: &'c Client,
    labels: Vec<(String, String)>,
    limit: u32,
    next: Option<Option<String>>,
}

impl Iterator for SandboxPages<'_> {
    type Item = Result<Vec<SandboxView>, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let cursor = self.next.take()?;
        let labels: Vec<(&str, &str)> = self
            .labels
            .iter()
            .map(|(key, value)| (&**key, &**value))
            .collect();
        let asked = labelled(self.client.get("/v1/sandboxes"), &labels).query("limit", Some(self.limit));
        let page: Result<SandboxList, Error> = asked.query("cursor", cursor).json();
        Some(page.map(|page| {
            self.next = page.next_cursor.flatten().map(Some);
            page.sandboxes
        }))
    }
}

fn labelled<'c>(asked: Ask<'c>, labels: &[(&str, &str)]) -> Ask<'c> {
    let add =
        |asked: Ask<'c>, (key, value): &(&str, &str)| asked.query("label", Some(format!("{key}={value}")));
    labels.iter().fold(asked, add)
}

fn path(id: &str, rest: &str) -> String {
    format!("/v1/sandboxes/{}{rest}", segment(id))
}
