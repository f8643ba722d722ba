//! Sessions.

use serde_json::json;

use super::events::NewEvent;
use super::{Connection, Row, events, sandboxes, tenant, turns, values};
use crate::shim::clock::rfc3339;
use crate::shim::error::Problem;
use crate::shim::limits::{self, Limits};
use crate::wire::{DefaultSandbox, Pinned, SandboxChoice, SessionStatus, SessionView, SpecInput};

/// A session to be made.
#[derive(Debug, Clone)]
pub struct NewSession {
    /// Its id.
    pub id: String,
    /// Which agent it is for.
    pub agent_id: String,
    /// Whose it is.
    pub owner: String,
    /// What must be the same the next time.
    pub creation: String,
    /// What it asks for.
    pub sandbox: Option<SandboxChoice>,
}

/// A row.
#[derive(Debug, Clone)]
pub struct Session {
    /// Its id.
    pub id: String,
    agent_id: String,
    owner: String,
    creation: String,
    /// The name of its sandbox.
    pub sandbox_name: Option<String>,
    spec: Option<String>,
    source: Option<String>,
    created_at: i64,
    updated_at: i64,
    turn: Option<String>,
}

const SELECT: &str = "SELECT s.id, s.agent_id, s.owner, s.creation, s.sandbox_name, s.spec, s.source, s.created_at, s.updated_at, t.id
     FROM session s LEFT JOIN turn t ON t.session_id = s.id AND t.ended_at IS NULL AND t.lease_until > ?1";

fn read(row: &Row) -> Session {
    Session {
        id: row.text(0),
        agent_id: row.text(1),
        owner: row.text(2),
        creation: row.text(3),
        sandbox_name: row.maybe_text(4),
        spec: row.maybe_text(5),
        source: row.maybe_text(6),
        created_at: row.int(7),
        updated_at: row.int(8),
        turn: row.maybe_text(9),
    }
}

impl Session {
    /// As it is shown.
    pub fn view(&self) -> Result<SessionView, Problem> {
        let broken = |error: serde_json::Error| Problem::internal(&format!("session row: {error}"));
        let spec: Option<Pinned> = self
            .spec
            .as_deref()
            .map(serde_json::from_str)
            .transpose()
            .map_err(broken)?;
        let resource = self.sandbox_name.as_deref().and_then(sandboxes::resource_id);
        Ok(SessionView {
            id: self.id.clone(),
            agent_id: self.agent_id.clone(),
            owner_user_id: self.owner.clone(),
            status: match self.turn {
                Some(_) => SessionStatus::Running,
                None => SessionStatus::Idle,
            },
            active_turn_id: self.turn.clone(),
            sandbox: spec,
            sandbox_source: self.source.clone(),
            sandbox_id: resource.map(str::to_owned),
            created_at: rfc3339(self.created_at),
            updated_at: rfc3339(self.updated_at),
        })
    }
}

fn find(connection: &mut dyn Connection, id: &str, now: i64) -> Result<Option<Session>, Problem> {
    let sql = format!("{SELECT} WHERE s.id = ?2");
    Ok(connection.row(&sql, values![now, id])?.as_ref().map(read))
}

/// One session; another owner's is not there.
pub fn get(
    connection: &mut dyn Connection,
    id: &str,
    owner: Option<&str>,
    now: i64,
) -> Result<Session, Problem> {
    let found = find(connection, id, now)?;
    found
        .filter(|session| owner.is_none_or(|owner| session.owner == owner))
        .ok_or_else(|| Problem::not_found("session"))
}

/// Sessions by id; one more than `limit`, when there are more.
pub fn list(
    connection: &mut dyn Connection,
    owner: Option<&str>,
    after: &str,
    limit: i64,
    now: i64,
) -> Result<Vec<Session>, Problem> {
    let sql = format!("{SELECT} WHERE s.id > ?2 AND (s.owner = ?3 OR ?3 IS NULL) ORDER BY s.id LIMIT ?4");
    let rows = connection.rows(&sql, values![now, after, owner, limit + 1])?;
    Ok(rows.iter().map(read).collect())
}

/// What a choice comes to.
struct Decided {
    name: Option<String>,
    spec: Option<Pinned>,
    source: Option<&'static str>,
}

/// Makes a session, or finds the same. The subject, if any, must own what is found.
pub fn create(
    connection: &mut dyn Connection,
    asked: &NewSession,
    subject: Option<&str>,
    now: i64,
) -> Result<SessionView, Problem> {
    if let Some(found) = find(connection, &asked.id, now)? {
        return same(&found, asked, subject);
    }
    let decided = decide(connection, asked, now)?;
    let spec = decided.spec.as_ref().map(serde_json::to_string).transpose();
    let spec = spec.map_err(|error| Problem::internal(&error.to_string()))?;
    let count = connection.execute(
        "INSERT INTO session (id, agent_id, owner, creation, sandbox_name, spec, source, next_seq, created_at, updated_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 0, ?8, ?8) ON CONFLICT DO NOTHING",
        values![
            &asked.id,
            &asked.agent_id,
            &asked.owner,
            &asked.creation,
            decided.name.as_ref(),
            spec,
            decided.source,
            now
        ],
    )?;
    if count == 1 {
        attach(connection, asked, &decided, now)?;
    }
    let made =
        find(connection, &asked.id, now)?.ok_or_else(|| Problem::conflict("made and removed meanwhile"))?;
    same(&made, asked, subject)
}

fn same(found: &Session, asked: &NewSession, subject: Option<&str>) -> Result<SessionView, Problem> {
    if subject.is_some_and(|subject| found.owner != subject) {
        return Err(Problem::not_found("session"));
    }
    if found.creation != asked.creation {
        return Err(Problem::conflict("this session exists and was created otherwise"));
    }
    found.view()
}

fn decide(connection: &mut dyn Connection, asked: &NewSession, now: i64) -> Result<Decided, Problem> {
    let none = Decided {
        name: None,
        spec: None,
        source: None,
    };
    let limits = tenant::limits(connection)?;
    let own = |limits: &Limits, spec: &SpecInput, source| -> Result<Decided, Problem> {
        Ok(Decided {
            name: Some(sandboxes::owned_name(&asked.id)),
            spec: Some(limits.pin(spec).map_err(limits::refuse)?),
            source: Some(source),
        })
    };
    match (&asked.sandbox, &limits.default) {
        (Some(SandboxChoice::None), _) | (None, DefaultSandbox::None) => Ok(none),
        (None, DefaultSandbox::Virtual) => own(&limits, &SpecInput::default(), "default"),
        (None, DefaultSandbox::Spec(spec)) => own(&limits, spec, "default"),
        (Some(SandboxChoice::Inline(spec)), _) => own(&limits, spec, "inline"),
        (Some(SandboxChoice::Attach(id)), _) => {
            let name = sandboxes::resource_name(id);
            let found = sandboxes::lock(connection, &name, now)?;
            let found = found.ok_or_else(|| Problem::not_found("sandbox"))?;
            Ok(Decided {
                name: Some(name),
                spec: Some(found.spec),
                source: Some("sandbox"),
            })
        }
    }
}

/// What follows from a new session.
fn attach(
    connection: &mut dyn Connection,
    asked: &NewSession,
    decided: &Decided,
    now: i64,
) -> Result<(), Problem> {
    let (Some(name), Some(spec)) = (&decided.name, &decided.spec) else {
        return Ok(());
    };
    let Some(id) = sandboxes::resource_id(name) else {
        sandboxes::insert(connection, name, spec, now)?;
        return Ok(());
    };
    let payload = json!({ "sessionId": asked.id });
    events::append_to_sandbox(connection, id, "sandbox.attached", &payload, now)?;
    let event = NewEvent {
        kind: "sandbox.attached",
        source: "sandbox",
        source_id: id.to_owned(),
        turn: None,
        payload: json!({ "sandboxId": id }),
    };
    events::append(connection, &asked.id, &[event], now)
}

/// Removes a session. The name of the sandbox that goes with it, if any.
pub fn remove(
    connection: &mut dyn Connection,
    id: &str,
    owner: Option<&str>,
    now: i64,
) -> Result<Option<String>, Problem> {
    turns::expire(connection, &turns::Which::Session(id), now)?;
    let found = get(connection, id, owner, now)?;
    if let Some(turn) = found.turn {
        return Err(Problem::conflict("this session is in a turn").active_turn(turn));
    }
    let mut forgotten = None;
    match found.sandbox_name.as_deref() {
        Some(name) if sandboxes::resource_id(name).is_none() => {
            if let Some(sandbox) = sandboxes::lock(connection, name, now)? {
                sandboxes::erase(connection, &sandbox.key)?;
                forgotten = Some(name.to_owned());
            }
        }
        Some(name) => {
            let resource = sandboxes::resource_id(name).unwrap_or_default();
            let payload = json!({ "sessionId": id, "reason": "session_deleted" });
            events::append_to_sandbox(connection, resource, "sandbox.detached", &payload, now)?;
        }
        None => {}
    }
    connection.execute("DELETE FROM session WHERE id = ?1", values![id])?;
    Ok(forgotten)
}
