//! [`Turn`]: the right to use a sandbox, held as a lease.

use super::error::Error;
use super::{Client, Files, Tools, session_path};
use crate::wire::random;
use crate::wire::{EndTurn, RenewTurn, StartTurn, TurnEnded, TurnOutcome, TurnView};

/// How a turn is taken.
#[derive(Debug, Clone, Default)]
pub struct TurnOptions {
    /// A second request with the same key answers the same turn.
    pub idempotency_key: Option<String>,
    /// 1 to 3600; 300 otherwise.
    pub lease_seconds: Option<i64>,
}

/// A turn. Dropping it does not end it: its lease does.
#[derive(Debug, Clone)]
pub struct Turn {
    client: Client,
    session: String,
    id: String,
    lease_until: Option<String>,
}

pub(super) fn start(client: &Client, session: &str, options: TurnOptions) -> Result<Turn, Error> {
    let asked = StartTurn {
        request_id: random::name("request_"),
        idempotency_key: options.idempotency_key,
        lease_seconds: options.lease_seconds,
    };
    let answer: TurnView = client
        .post(session_path(session, "/turns"))
        .body(&asked)?
        .json()?;
    Ok(Turn {
        client: client.clone(),
        session: session.to_owned(),
        id: answer.turn_id,
        lease_until: Some(answer.lease_until),
    })
}

impl Turn {
    pub(super) fn new(client: Client, session: String, id: String) -> Turn {
        Turn {
            client,
            session,
            id,
            lease_until: None,
        }
    }

    /// Its id.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// When it ends unless it is renewed, as far as this handle has been told.
    pub fn lease_until(&self) -> Option<&str> {
        self.lease_until.as_deref()
    }

    /// The six tools, in this turn.
    pub fn tools(&self) -> Tools<'_> {
        Tools::new(&self.client, &self.session, Some(&self.id))
    }

    /// The files of the workspace, in this turn.
    pub fn files(&self) -> Files<'_> {
        Files::new(&self.client, &self.session, Some(&self.id))
    }

    /// Holds it for another while: 1 to 3600 seconds, 300 otherwise.
    pub fn renew(&mut self, lease_seconds: Option<i64>) -> Result<(), Error> {
        let answer: TurnView = self
            .client
            .post(self.path("/renew"))
            .body(&RenewTurn { lease_seconds })?
            .json()?;
        self.lease_until = Some(answer.lease_until);
        Ok(())
    }

    /// Ends it. What runs is waited for when it ends as completed, and its outputs are exported; otherwise it is killed.
    pub fn end(self, outcome: TurnOutcome) -> Result<TurnEnded, Error> {
        let asked = self.client.post(self.path("/end"));
        asked.body(&EndTurn { outcome })?.long().json()
    }

    fn path(&self, rest: &str) -> String {
        let turn = super::connection::segment(&self.id);
        session_path(&self.session, &format!("/turns/{turn}{rest}"))
    }
}
