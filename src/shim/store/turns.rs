//! Turns: the right to use a sandbox, as leases.
//!
//! Two unique indexes over the turns that run decide who gets one: a session has one at most, a sandbox has one at most. Taking a turn is one
//! `INSERT … ON CONFLICT DO NOTHING`, so of any number that ask at one moment exactly one gets it, also over several shims.
//! A turn whose lease is over is ended by whoever finds it: the next who asks, or the sweep.

use serde_json::json;

use super::events::{self, NewEvent};
use super::{Connection, Row, sessions, values};
use crate::shim::error::Problem;
use crate::shim::state::SandboxName;
use crate::wire::random;

/// Who took a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The agent host, by asking for one.
    Host,
    /// A tool call that came without one.
    Call,
}

impl Kind {
    /// As it is stored.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Host => "host",
            Kind::Call => "call",
        }
    }
}

/// A turn to be taken.
#[derive(Debug, Clone)]
pub struct NewTurn {
    /// Whose.
    pub session: String,
    /// A person's session must be theirs.
    pub owner: Option<String>,
    /// The same key answers the same turn.
    pub idempotency_key: Option<String>,
    /// Milliseconds.
    pub lease: i64,
    /// Which shim took it.
    pub holder: String,
}

/// A turn that runs.
#[derive(Debug, Clone)]
pub struct Turn {
    /// Its id.
    pub id: String,
    /// When it ends.
    pub until: i64,
}

/// Which turns to look at.
#[derive(Debug, Clone, Copy)]
pub enum Which<'a> {
    /// Those of a sandbox.
    Sandbox(&'a str),
    /// That of a session.
    Session(&'a str),
    /// All.
    All,
}

/// Ends turns whose lease is over, as failed. Their ids and sessions.
pub fn expire(
    connection: &mut dyn Connection,
    which: &Which<'_>,
    now: i64,
) -> Result<Vec<(String, String)>, Problem> {
    let (condition, value) = match which {
        Which::Sandbox(key) => ("AND sandbox_key = ?2", *key),
        Which::Session(id) => ("AND session_id = ?2", *id),
        Which::All => ("AND ?2 = ''", ""),
    };
    let sql = format!(
        "UPDATE turn SET ended_at = ?1, outcome = 'failed' WHERE ended_at IS NULL AND lease_until <= ?1 {condition}
         RETURNING id, session_id, kind"
    );
    let rows = connection.rows(&sql, values![now, value])?;
    let mut ended = Vec::new();
    for row in &rows {
        let (turn, session) = (row.text(0), row.text(1));
        if row.text(2) == Kind::Host.name() {
            events::append(connection, &session, &[ended_event(&turn, "failed")], now)?;
        }
        ended.push((turn, session));
    }
    Ok(ended)
}

fn ended_event(turn: &str, outcome: &str) -> NewEvent {
    event("turn.ended", turn, json!({ "outcome": outcome }))
}

fn event(kind: &'static str, turn: &str, payload: serde_json::Value) -> NewEvent {
    NewEvent {
        kind,
        source: "turn",
        source_id: turn.to_owned(),
        turn: Some(turn.to_owned()),
        payload,
    }
}

/// The session and the key of its sandbox, which must be there if it has one.
pub fn sandbox_of(
    connection: &mut dyn Connection,
    session: &str,
    owner: Option<&str>,
    now: i64,
) -> Result<Option<String>, Problem> {
    let session = sessions::get(connection, session, owner, now)?;
    let Some(name) = session.sandbox_name else {
        return Ok(None);
    };
    let row = connection.row("SELECT key FROM sandbox WHERE name = ?1", values![name])?;
    row.map(|row| Some(row.text(0)))
        .ok_or_else(|| Problem::unavailable("the sandbox of this session was deleted"))
}

/// Takes a turn for the host.
pub fn start(connection: &mut dyn Connection, asked: &NewTurn, now: i64) -> Result<Turn, Problem> {
    let key = sandbox_of(connection, &asked.session, asked.owner.as_deref(), now)?;
    if let Some(turn) = same(connection, asked, now)? {
        return Ok(turn);
    }
    expire(connection, &Which::Session(&asked.session), now)?;
    if let Some(key) = &key {
        expire(connection, &Which::Sandbox(key), now)?;
    }
    let turn = Turn {
        id: random::name("turn_"),
        until: now + asked.lease,
    };
    if !insert(connection, &turn, asked, key.as_deref(), Kind::Host, now)? {
        return Err(taken(connection, &asked.session, now)?.1);
    }
    let started = event("turn.started", &turn.id, json!({}));
    events::append(connection, &asked.session, &[started], now)?;
    Ok(turn)
}

/// The turn that was taken with the same idempotency key.
fn same(connection: &mut dyn Connection, asked: &NewTurn, now: i64) -> Result<Option<Turn>, Problem> {
    let Some(key) = &asked.idempotency_key else {
        return Ok(None);
    };
    let row = connection.row(
        "SELECT id, lease_until, ended_at FROM turn WHERE session_id = ?1 AND idempotency_key = ?2",
        values![&asked.session, key],
    )?;
    let Some(row) = row else { return Ok(None) };
    if row.maybe_int(2).is_some() || row.int(1) <= now {
        return Err(Problem::conflict("the turn with this idempotency key has ended"));
    }
    Ok(Some(Turn {
        id: row.text(0),
        until: row.int(1),
    }))
}

/// Puts a turn into the table, unless the session or the sandbox has one.
pub fn insert(
    connection: &mut dyn Connection,
    turn: &Turn,
    asked: &NewTurn,
    key: Option<&str>,
    kind: Kind,
    now: i64,
) -> Result<bool, Problem> {
    let done = connection.execute(
        "INSERT INTO turn (id, session_id, sandbox_key, kind, holder, idempotency_key, lease_until, used, started_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 0, ?8) ON CONFLICT DO NOTHING",
        values![
            &turn.id,
            &asked.session,
            key,
            kind.name(),
            &asked.holder,
            asked.idempotency_key.as_ref(),
            turn.until,
            now
        ],
    );
    match done {
        Ok(count) => Ok(count == 1),
        Err(super::StoreError::Reference) => Err(Problem::unavailable("the sandbox was deleted meanwhile")),
        Err(error) => Err(error.into()),
    }
}

/// Why a turn could not be taken; and whether a single call is in the way, which will soon be over.
pub fn taken(connection: &mut dyn Connection, session: &str, now: i64) -> Result<(bool, Problem), Problem> {
    let own = connection.row(
        "SELECT id, kind FROM turn WHERE session_id = ?1 AND ended_at IS NULL AND lease_until > ?2",
        values![session, now],
    )?;
    if let Some(row) = own {
        let problem = Problem::conflict("this session is in a turn").active_turn(row.text(0));
        return Ok((row.text(1) == Kind::Call.name(), problem));
    }
    let other = connection.row(
        "SELECT t.kind FROM session s JOIN sandbox b ON b.name = s.sandbox_name JOIN turn t ON t.sandbox_key = b.key
         WHERE s.id = ?1 AND t.ended_at IS NULL",
        values![session],
    )?;
    Ok((
        other.is_none_or(|row| row.text(0) == Kind::Call.name()),
        Problem::busy(),
    ))
}

/// A turn of a session.
struct Found {
    until: i64,
    outcome: Option<String>,
}

fn find(connection: &mut dyn Connection, session: &str, turn: &str) -> Result<Found, Problem> {
    let row = connection.row(
        "SELECT lease_until, outcome FROM turn WHERE id = ?1 AND session_id = ?2 AND kind = 'host'",
        values![turn, session],
    )?;
    let found = |row: Row| Found {
        until: row.int(0),
        outcome: row.maybe_text(1),
    };
    row.map(found).ok_or_else(|| Problem::not_found("turn"))
}

/// Moves the end of the lease.
pub fn renew(
    connection: &mut dyn Connection,
    session: &str,
    turn: &str,
    lease: i64,
    now: i64,
) -> Result<Turn, Problem> {
    expire(connection, &Which::Session(session), now)?;
    let found = find(connection, session, turn)?;
    let until = now + lease;
    let count = connection.execute(
        "UPDATE turn SET lease_until = ?2 WHERE id = ?1 AND ended_at IS NULL",
        values![turn, until],
    )?;
    if count == 0 || found.until <= now {
        return Err(Problem::conflict("this turn has ended"));
    }
    Ok(Turn {
        id: turn.to_owned(),
        until,
    })
}

/// Ends a turn. True when it ended now, false when it had ended the same way.
pub fn end(
    connection: &mut dyn Connection,
    session: &str,
    turn: &str,
    outcome: &str,
    now: i64,
) -> Result<bool, Problem> {
    expire(connection, &Which::Session(session), now)?;
    let found = find(connection, session, turn)?;
    let count = connection.execute(
        "UPDATE turn SET ended_at = ?2, outcome = ?3 WHERE id = ?1 AND ended_at IS NULL",
        values![turn, now, outcome],
    )?;
    if count == 1 {
        events::append(connection, session, &[ended_event(turn, outcome)], now)?;
        return Ok(true);
    }
    match found.outcome {
        Some(before) if before == outcome => Ok(false),
        Some(before) => Err(Problem::conflict(format!("this turn has ended: {before}"))),
        None => Err(Problem::conflict("this turn has ended")),
    }
}

/// The key of the sandbox of a turn that runs; none when it has ended or has no sandbox.
pub fn key_of_running(
    connection: &mut dyn Connection,
    session: &str,
    turn: &str,
    now: i64,
) -> Result<Option<String>, Problem> {
    let row = connection.row(
        "SELECT sandbox_key FROM turn WHERE id = ?1 AND session_id = ?2 AND ended_at IS NULL AND lease_until > ?3",
        values![turn, session, now],
    )?;
    Ok(row.and_then(|row| row.maybe_text(0)))
}

/// Forgets the turns of single calls that a shim made before it was started again.
pub fn forget_calls(connection: &mut dyn Connection, holder: &str) -> Result<(), Problem> {
    connection.execute(
        "DELETE FROM turn WHERE kind = 'call' AND holder = ?1 AND ended_at IS NULL",
        values![holder],
    )?;
    Ok(())
}

/// Moves the ends of the leases of calls that still run.
pub fn renew_calls(connection: &mut dyn Connection, turns: &[String], until: i64) -> Result<(), Problem> {
    for turn in turns {
        connection.execute(
            "UPDATE turn SET lease_until = ?2 WHERE id = ?1 AND kind = 'call' AND ended_at IS NULL",
            values![turn, until],
        )?;
    }
    Ok(())
}

/// The name and kind of a session's sandbox.
pub fn sandbox_name(connection: &mut dyn Connection, session: &str) -> Result<SandboxName, Problem> {
    let row = connection.row(
        "SELECT s.sandbox_name, b.kind FROM session s LEFT JOIN sandbox b ON b.name = s.sandbox_name WHERE s.id = ?1",
        values![session],
    )?;
    let row = row.ok_or_else(|| Problem::not_found("session"))?;
    let name = row
        .maybe_text(0)
        .ok_or_else(|| Problem::not_found("sandbox: this session has none"))?;
    let kind = row
        .maybe_text(1)
        .ok_or_else(|| Problem::unavailable("the sandbox of this session was deleted"))?;
    Ok(SandboxName { name, kind })
}
