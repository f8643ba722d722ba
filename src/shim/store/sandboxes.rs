//! Sandboxes: resources with an id, and those that one session alone owns.

use std::collections::BTreeMap;

use serde_json::json;

use super::{Connection, Row, StoreError, Value, events, tenant, turns, values};
use crate::shim::error::Problem;
use crate::shim::limits;
use crate::wire::random;
use crate::wire::{AttachedSession, EnsureSandbox, Pinned, SandboxView};

/// The name of a resource in the table.
pub fn resource_name(id: &str) -> String {
    format!("r:{id}")
}

/// The name of the sandbox of one session.
pub fn owned_name(session: &str) -> String {
    format!("s:{session}")
}

/// The id behind a name; none when a session owns it.
pub fn resource_id(name: &str) -> Option<&str> {
    name.strip_prefix("r:")
}

/// A row.
#[derive(Debug, Clone)]
pub struct Sandbox {
    /// Never used twice.
    pub key: String,
    /// See the table.
    pub name: String,
    /// `virtual` or `pod`.
    pub kind: String,
    /// Its labels.
    pub labels: BTreeMap<String, String>,
    /// Its spec.
    pub spec: Pinned,
    /// `ready`, `running` or `stopped`.
    pub state: String,
    /// Milliseconds.
    pub created_at: i64,
    /// Milliseconds.
    pub updated_at: i64,
}

const COLUMNS: &str = "b.key, b.name, b.kind, b.labels, b.spec, b.state, b.created_at, b.updated_at";

fn read(row: &Row) -> Result<Sandbox, Problem> {
    let broken = |error: serde_json::Error| Problem::internal(&format!("sandbox row: {error}"));
    Ok(Sandbox {
        key: row.text(0),
        name: row.text(1),
        kind: row.text(2),
        labels: serde_json::from_str(&row.text(3)).map_err(broken)?,
        spec: serde_json::from_str(&row.text(4)).map_err(broken)?,
        state: row.text(5),
        created_at: row.int(6),
        updated_at: row.int(7),
    })
}

/// Finds one by its name.
pub fn find(connection: &mut dyn Connection, name: &str) -> Result<Option<Sandbox>, Problem> {
    let sql = format!("SELECT {COLUMNS} FROM sandbox b WHERE b.name = ?1");
    connection
        .row(&sql, values![name])?
        .as_ref()
        .map(read)
        .transpose()
}

/// As [`find`], and nobody else may change it until the transaction ends.
pub fn lock(connection: &mut dyn Connection, name: &str, now: i64) -> Result<Option<Sandbox>, Problem> {
    let count = connection.execute(
        "UPDATE sandbox SET updated_at = ?2 WHERE name = ?1",
        values![name, now],
    )?;
    if count == 0 {
        Ok(None)
    } else {
        find(connection, name)
    }
}

/// Makes one; false when the name is taken.
pub fn insert(connection: &mut dyn Connection, name: &str, spec: &Pinned, now: i64) -> Result<bool, Problem> {
    let count = connection.execute(
        "INSERT INTO sandbox (key, name, kind, labels, spec, state, version, used_at, created_at, updated_at)
         VALUES (?1, ?2, 'virtual', '{}', ?3, 'ready', 0, 0, ?4, ?4) ON CONFLICT DO NOTHING",
        values![random::name("sb_"), name, json_text(spec)?, now],
    )?;
    Ok(count == 1)
}

fn json_text(value: &impl serde::Serialize) -> Result<String, Problem> {
    serde_json::to_string(value).map_err(|error| Problem::internal(&error.to_string()))
}

/// Makes a resource or finds the same.
pub fn ensure(
    connection: &mut dyn Connection,
    id: &str,
    asked: &EnsureSandbox,
    now: i64,
) -> Result<SandboxView, Problem> {
    let name = resource_name(id);
    if let Some(found) = lock(connection, &name, now)? {
        return reuse(connection, &found, asked, now);
    }
    let limits = tenant::limits(connection)?;
    let spec = limits.pin(&asked.spec()).map_err(limits::refuse)?;
    check_room(connection, limits.sandboxes)?;
    if !insert(connection, &name, &spec, now)? {
        let found =
            lock(connection, &name, now)?.ok_or_else(|| Problem::conflict("made and removed meanwhile"))?;
        return reuse(connection, &found, asked, now);
    }
    let labels = asked.labels.clone().unwrap_or_default();
    let made = find(connection, &name)?.ok_or_else(|| Problem::internal("a new sandbox is gone"))?;
    set_labels(connection, &made.key, &labels)?;
    let payload = json!({ "kind": "virtual", "labels": labels });
    events::append_to_sandbox(connection, id, "sandbox.created", &payload, now)?;
    view(connection, &Sandbox { labels, ..made }, None, now)
}

/// Two that are made at one moment must not both take the last place, so the tenant's row is locked.
fn check_room(connection: &mut dyn Connection, max: i64) -> Result<(), Problem> {
    connection.execute("UPDATE tenant SET settings = settings", &[])?;
    let row = connection.row(
        "SELECT COUNT(*) FROM sandbox WHERE name >= 'r:' AND name < 'r;'",
        &[],
    )?;
    if row.map_or(0, |row| row.int(0)) < max {
        return Ok(());
    }
    let message = format!("this tenant has its {max} sandboxes");
    Err(
        Problem::new(axum::http::StatusCode::CONFLICT, "limit_exceeded", message)
            .details(json!({ "limit": "sandboxes", "max": max })),
    )
}

/// What is there must be what is asked for, in the fields that were sent.
fn reuse(
    connection: &mut dyn Connection,
    found: &Sandbox,
    asked: &EnsureSandbox,
    now: i64,
) -> Result<SandboxView, Problem> {
    let limits = tenant::limits(connection)?;
    let pinned = limits.pin(&asked.spec()).map_err(limits::refuse)?;
    let differs = differences(found, asked, &pinned);
    if !differs.is_empty() {
        let message = format!("this sandbox exists with another {}", differs.join(", "));
        return Err(Problem::conflict(message).details(json!({ "fields": differs })));
    }
    let mut found = found.clone();
    if let Some(labels) = &asked.labels {
        set_labels(connection, &found.key, labels)?;
        found.labels.clone_from(labels);
    }
    view(connection, &found, None, now)
}

/// The fields that were sent and are otherwise.
fn differences(found: &Sandbox, asked: &EnsureSandbox, pinned: &Pinned) -> Vec<&'static str> {
    let sent = asked.resources.clone().unwrap_or_default();
    let mut differs = Vec::new();
    if asked.kind.as_ref().is_some_and(|kind| *kind != found.kind) {
        differs.push("kind");
    }
    let hosts = |spec: &Pinned| spec.network.allow.clone().unwrap_or_default();
    let network_sent = asked
        .network
        .as_ref()
        .is_some_and(|network| network.allow.is_some());
    if network_sent && hosts(pinned) != hosts(&found.spec) {
        differs.push("network");
    }
    if sent.cpus.is_some_and(|cpus| cpus != found.spec.resources.cpus) {
        differs.push("resources.cpus");
    }
    if sent.memory.is_some() && pinned.resources.memory != found.spec.resources.memory {
        differs.push("resources.memory");
    }
    differs
}

fn set_labels(
    connection: &mut dyn Connection,
    key: &str,
    labels: &BTreeMap<String, String>,
) -> Result<(), Problem> {
    connection.execute(
        "UPDATE sandbox SET labels = ?2 WHERE key = ?1",
        values![key, json_text(labels)?],
    )?;
    connection.execute("DELETE FROM sandbox_label WHERE sandbox_key = ?1", values![key])?;
    for (name, value) in labels {
        connection.execute(
            "INSERT INTO sandbox_label (sandbox_key, name, value) VALUES (?1, ?2, ?3)",
            values![key, name, value],
        )?;
    }
    Ok(())
}

/// As it is shown; a person sees their own sessions alone.
pub fn view(
    connection: &mut dyn Connection,
    sandbox: &Sandbox,
    owner: Option<&str>,
    now: i64,
) -> Result<SandboxView, Problem> {
    let sessions = attached(connection, &sandbox.name, owner, now)?;
    Ok(shown(sandbox, sessions))
}

fn shown(sandbox: &Sandbox, sessions: Vec<AttachedSession>) -> SandboxView {
    use crate::shim::clock::rfc3339;
    SandboxView {
        id: resource_id(&sandbox.name).unwrap_or_default().to_owned(),
        kind: sandbox.kind.clone(),
        labels: sandbox.labels.clone(),
        spec: sandbox.spec.clone(),
        state: sandbox.state.clone(),
        pod: None,
        sessions,
        created_at: rfc3339(sandbox.created_at),
        updated_at: rfc3339(sandbox.updated_at),
    }
}

fn attached(
    connection: &mut dyn Connection,
    name: &str,
    owner: Option<&str>,
    now: i64,
) -> Result<Vec<AttachedSession>, Problem> {
    let rows = connection.rows(
        "SELECT s.id, t.id FROM session s LEFT JOIN turn t ON t.session_id = s.id AND t.ended_at IS NULL AND t.lease_until > ?2
         WHERE s.sandbox_name = ?1 AND (s.owner = ?3 OR ?3 IS NULL) ORDER BY s.id",
        values![name, now, owner],
    )?;
    Ok(rows.iter().map(session).collect())
}

fn session(row: &Row) -> AttachedSession {
    AttachedSession {
        id: row.text(0),
        active_turn_id: row.maybe_text(1),
    }
}

/// What a list is asked for.
#[derive(Debug, Clone, Default)]
pub struct Listing {
    /// All of these.
    pub labels: Vec<(String, String)>,
    /// Ids above this one.
    pub after: Option<String>,
    /// At most so many.
    pub limit: Option<i64>,
    /// A person sees their own sessions alone.
    pub owner: Option<String>,
}

/// Resources by id; one more than `limit`, when there are more.
pub fn list(
    connection: &mut dyn Connection,
    listing: &Listing,
    now: i64,
) -> Result<Vec<SandboxView>, Problem> {
    let after = listing
        .after
        .as_deref()
        .map_or_else(|| "r:".to_owned(), resource_name);
    let mut parameters = vec![Value::from(after)];
    let mut sql = format!("SELECT {COLUMNS} FROM sandbox b");
    for (index, (name, value)) in listing.labels.iter().enumerate() {
        let (first, second) = (parameters.len() + 1, parameters.len() + 2);
        sql.push_str(&format!(
            " JOIN sandbox_label l{index} ON l{index}.sandbox_key = b.key AND l{index}.name = ?{first} AND l{index}.value = ?{second}"
        ));
        parameters.extend([Value::from(name), Value::from(value)]);
    }
    sql.push_str(" WHERE b.name > ?1 AND b.name < 'r;' ORDER BY b.name");
    if let Some(limit) = listing.limit {
        parameters.push(Value::from(limit + 1));
        sql.push_str(&format!(" LIMIT ?{}", parameters.len()));
    }
    let rows = connection.rows(&sql, &parameters)?;
    let sandboxes: Result<Vec<Sandbox>, Problem> = rows.iter().map(read).collect();
    let sandboxes = sandboxes?;
    let mut sessions = sessions_between(connection, &sandboxes, listing.owner.as_deref(), now)?;
    let views = sandboxes.iter().map(|sandbox| {
        let sessions = sessions.remove(&sandbox.name).unwrap_or_default();
        shown(sandbox, sessions)
    });
    Ok(views.collect())
}

/// The sessions of all sandboxes of a page, in one statement.
fn sessions_between(
    connection: &mut dyn Connection,
    sandboxes: &[Sandbox],
    owner: Option<&str>,
    now: i64,
) -> Result<BTreeMap<String, Vec<AttachedSession>>, Problem> {
    let mut found: BTreeMap<String, Vec<AttachedSession>> = BTreeMap::new();
    let (Some(first), Some(last)) = (sandboxes.first(), sandboxes.last()) else {
        return Ok(found);
    };
    let rows = connection.rows(
        "SELECT s.id, t.id, s.sandbox_name FROM session s
         LEFT JOIN turn t ON t.session_id = s.id AND t.ended_at IS NULL AND t.lease_until > ?3
         WHERE s.sandbox_name >= ?1 AND s.sandbox_name <= ?2 AND (s.owner = ?4 OR ?4 IS NULL) ORDER BY s.id",
        values![&first.name, &last.name, now, owner],
    )?;
    for row in &rows {
        found.entry(row.text(2)).or_default().push(session(row));
    }
    Ok(found)
}

/// Removes a resource. None when there was none; else its key, whose workspace is to be forgotten.
pub fn remove(connection: &mut dyn Connection, id: &str, now: i64) -> Result<Option<String>, Problem> {
    let Some(found) = lock(connection, &resource_name(id), now)? else {
        return Ok(None);
    };
    turns::expire(connection, &turns::Which::Sandbox(&found.key), now)?;
    erase(connection, &found.key)?;
    events::append_to_sandbox(connection, id, "sandbox.deleted", &json!({}), now)?;
    Ok(Some(found.key))
}

/// Takes a sandbox away that no turn uses; busy otherwise.
pub fn erase(connection: &mut dyn Connection, key: &str) -> Result<(), Problem> {
    let running = connection.row(
        "SELECT id FROM turn WHERE sandbox_key = ?1 AND ended_at IS NULL",
        values![key],
    )?;
    if running.is_some() {
        return Err(Problem::busy());
    }
    connection.execute(
        "UPDATE turn SET sandbox_key = NULL WHERE sandbox_key = ?1",
        values![key],
    )?;
    match connection.execute("DELETE FROM sandbox WHERE key = ?1", values![key]) {
        Err(StoreError::Reference) => Err(Problem::busy()),
        other => other.map(drop).map_err(Problem::from),
    }
}
