//! [`Session`]: a session by its id.

use serde_json::Value;

use super::error::Error;
use super::turn::{self, Turn, TurnOptions};
use super::{Client, Events, Files, Page, Tools, session_path};
use crate::wire::random;
use crate::wire::{CreateSession, Deleted, Items, SandboxChoice, SessionList, SessionView};

/// What a session is made of.
#[derive(Debug, Clone, Default)]
pub struct NewSession {
    /// Its id; a new one is made when there is none. With one, the request can be sent again and finds the same session.
    pub id: Option<String>,
    /// Which agent it is for.
    pub agent_id: String,
    /// Whose it is.
    pub owner_user_id: String,
    /// Anything the host wants to keep.
    pub info: Option<Value>,
    /// Its sandbox, fixed for life; the default of the tenant when there is none.
    pub sandbox: Option<SandboxChoice>,
}

impl NewSession {
    /// Of an agent and an owner; the tenant decides about a sandbox.
    pub fn new(agent_id: impl Into<String>, owner_user_id: impl Into<String>) -> NewSession {
        NewSession {
            agent_id: agent_id.into(),
            owner_user_id: owner_user_id.into(),
            ..NewSession::default()
        }
    }
}

pub(super) fn create(client: &Client, new: NewSession) -> Result<Session, Error> {
    let id = new.id.unwrap_or_else(|| random::name("session_"));
    let asked = CreateSession {
        request_id: random::name("request_"),
        agent_id: new.agent_id,
        owner_user_id: new.owner_user_id,
        info: new.info,
        sandbox: new.sandbox,
    };
    let view: SessionView = client.put(session_path(&id, "")).body(&asked)?.json()?;
    Ok(Session::new(client.clone(), view.id))
}

/// A session.
#[derive(Debug, Clone)]
pub struct Session {
    client: Client,
    id: String,
}

impl Session {
    pub(super) fn new(client: Client, id: String) -> Session {
        Session { client, id }
    }

    /// Its id.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// As it is now.
    pub fn view(&self) -> Result<SessionView, Error> {
        self.client.get(session_path(&self.id, "")).json()
    }

    /// Removes it, and the workspace that only it owns.
    pub fn delete(&self) -> Result<(), Error> {
        let deleted: Result<Deleted, Error> = self.client.delete(session_path(&self.id, "")).json();
        deleted.map(drop)
    }

    /// The six tools, each call in a turn of its own.
    pub fn tools(&self) -> Tools<'_> {
        Tools::new(&self.client, &self.id, None)
    }

    /// The files of the workspace, each transfer in a turn of its own.
    pub fn files(&self) -> Files<'_> {
        Files::new(&self.client, &self.id, None)
    }

    /// Takes the right to use the sandbox. It is a lease: [renew](Turn::renew) it, and [end](Turn::end) it.
    pub fn start_turn(&self, options: TurnOptions) -> Result<Turn, Error> {
        turn::start(&self.client, &self.id, options)
    }

    /// The turn with an id, which is not asked for yet.
    pub fn turn(&self, id: impl Into<String>) -> Turn {
        Turn::new(self.client.clone(), self.id.clone(), id.into())
    }

    /// Follows its events, those after `cursor`, or all from the first.
    pub fn events(&self, cursor: Option<&str>) -> Result<Events, Error> {
        Events::open(&self.client, &self.id, cursor)
    }

    /// A page of its history.
    pub fn items(&self, cursor: Option<&str>, limit: Option<u32>) -> Result<Items, Error> {
        let asked = self.client.get(session_path(&self.id, "/items"));
        asked.query("cursor", cursor).query("limit", limit).json()
    }
}

/// Sessions by id, fetched page by page.
#[derive(Debug)]
pub struct Sessions {
    client: Client,
    page: std::vec::IntoIter<SessionView>,
    next: Option<Option<String>>,
}

impl Sessions {
    pub(super) fn new(client: Client) -> Sessions {
        Sessions {
            client,
            page: Vec::new().into_iter(),
            next: Some(None),
        }
    }

    fn fetch(&self, cursor: Option<&String>) -> Result<Page, Error> {
        let asked = self.client.get("/v1/sessions").query("limit", Some(200));
        let list: SessionList = asked.query("cursor", cursor).json()?;
        Ok((list.sessions, list.next_cursor))
    }
}

impl Iterator for Sessions {
    type Item = Result<SessionView, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(session) = self.page.next() {
                return Some(Ok(session));
            }
            let cursor = self.next.take()?;
            match self.fetch(cursor.as_ref()) {
                Ok((page, next)) => {
                    self.page = page.into_iter();
                    self.next = next.map(Some);
                }
                Err(error) => return Some(Err(error)),
            }
        }
    }
}
