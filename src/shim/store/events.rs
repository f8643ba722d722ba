//! Events: numbered without gaps, in the transaction that they tell of.

use serde_json::Value as Json;

use super::{Connection, Row, Value, values};
use crate::shim::error::Problem;
use crate::wire::random;

/// An event of a session before it has its number.
#[derive(Debug, Clone)]
pub struct NewEvent {
    /// Its type.
    pub kind: &'static str,
    /// Who: `sandbox`, `turn`, `tool` or `artifact`.
    pub source: &'static str,
    /// Which one of them.
    pub source_id: String,
    /// The turn.
    pub turn: Option<String>,
    /// More.
    pub payload: Json,
}

/// An event as it is stored.
#[derive(Debug, Clone)]
pub struct StoredEvent {
    /// Its number.
    pub seq: i64,
    /// Its id.
    pub event_id: String,
    /// The turn.
    pub turn: Option<String>,
    /// Milliseconds.
    pub time: i64,
    /// `kind/id`
    pub source: String,
    /// Its type.
    pub kind: String,
    /// JSON.
    pub payload: String,
}

/// Appends events to a session. Nothing happens when the session is gone.
pub fn append(
    connection: &mut dyn Connection,
    session: &str,
    events: &[NewEvent],
    now: i64,
) -> Result<(), Problem> {
    if events.is_empty() {
        return Ok(());
    }
    let count = i64::try_from(events.len()).unwrap_or(i64::MAX);
    let row = connection.row(
        "UPDATE session SET next_seq = next_seq + ?2, updated_at = ?3 WHERE id = ?1 RETURNING next_seq",
        values![session, count, now],
    )?;
    let Some(row) = row else { return Ok(()) };
    let mut parameters = Vec::with_capacity(events.len() * 8);
    for (seq, event) in (row.int(0) - count..).zip(events) {
        parameters.extend([
            Value::from(session),
            Value::from(seq),
            Value::from(random::name("ev_")),
            Value::from(event.turn.as_ref()),
            Value::from(now),
            Value::from(format!("{}/{}", event.source, event.source_id)),
            Value::from(event.kind),
            Value::from(event.payload.to_string()),
        ]);
    }
    connection.execute(&insertion(events.len()), &parameters)?;
    Ok(())
}

fn insertion(count: usize) -> String {
    let row = |index: usize| {
        let names: Vec<String> = (1..=8).map(|column| format!("?{}", index * 8 + column)).collect();
        format!("({})", names.join(", "))
    };
    let rows: Vec<String> = (0..count).map(row).collect();
    format!(
        "INSERT INTO session_event (session_id, seq, event_id, turn_id, time, source, type, payload) VALUES {}",
        rows.join(", ")
    )
}

/// The events of a session after a number, `limit` at most.
pub fn after(
    connection: &mut dyn Connection,
    session: &str,
    seq: i64,
    limit: i64,
) -> Result<Vec<StoredEvent>, Problem> {
    let rows = connection.rows(
        "SELECT seq, event_id, turn_id, time, source, type, payload FROM session_event
         WHERE session_id = ?1 AND seq > ?2 ORDER BY seq LIMIT ?3",
        values![session, seq, limit],
    )?;
    let event = |row: &Row| StoredEvent {
        seq: row.int(0),
        event_id: row.text(1),
        turn: row.maybe_text(2),
        time: row.int(3),
        source: row.text(4),
        kind: row.text(5),
        payload: row.text(6),
    };
    Ok(rows.iter().map(event).collect())
}

/// Appends an event to the history of a sandbox resource.
pub fn append_to_sandbox(
    connection: &mut dyn Connection,
    id: &str,
    kind: &str,
    payload: &Json,
    now: i64,
) -> Result<(), Problem> {
    let row = connection.row(
        "INSERT INTO sandbox_stream (sandbox_id, next_seq) VALUES (?1, 1)
         ON CONFLICT (sandbox_id) DO UPDATE SET next_seq = sandbox_stream.next_seq + 1 RETURNING next_seq",
        values![id],
    )?;
    let seq = row.map_or(1, |row| row.int(0)) - 1;
    connection.execute(
        "INSERT INTO sandbox_event (sandbox_id, seq, event_id, time, type, payload) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        values![id, seq, random::name("ev_"), now, kind, payload.to_string()],
    )?;
    Ok(())
}

/// The events of a sandbox resource from a number on; none when that id never was.
pub fn of_sandbox(
    connection: &mut dyn Connection,
    id: &str,
    from: i64,
) -> Result<Option<Vec<StoredEvent>>, Problem> {
    let known = connection.row(
        "SELECT next_seq FROM sandbox_stream WHERE sandbox_id = ?1",
        values![id],
    )?;
    if known.is_none() {
        return Ok(None);
    }
    let rows = connection.rows(
        "SELECT seq, event_id, time, type, payload FROM sandbox_event WHERE sandbox_id = ?1 AND seq >= ?2 ORDER BY seq LIMIT 1000",
        values![id, from],
    )?;
    let event = |row: &Row| StoredEvent {
        seq: row.int(0),
        event_id: row.text(1),
        turn: None,
        time: row.int(2),
        source: String::new(),
        kind: row.text(3),
        payload: row.text(4),
    };
    Ok(Some(rows.iter().map(event).collect()))
}
