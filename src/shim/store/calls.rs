//! Tool calls: the transaction before, which takes or checks the turn, and the one after, in which everything that the call did comes true.

use super::events::NewEvent;
use super::turns::{self, Kind, NewTurn, Turn, Which};
use super::workspace::{self, Changes};
use super::{Connection, events, values};
use crate::shim::error::Problem;
use crate::wire::Pinned;
use crate::wire::random;

/// A call that wants to begin.
#[derive(Debug, Clone)]
pub struct Begin {
    /// Whose.
    pub session: String,
    /// The header that names a turn.
    pub turn: Option<String>,
    /// Which shim.
    pub holder: String,
    /// How long the turn of a single call is held without a sign of life, in milliseconds.
    pub lease: i64,
}

/// A call that may go on.
#[derive(Debug, Clone)]
pub struct Begun {
    /// Whose.
    pub session: String,
    /// The sandbox.
    pub key: String,
    /// Its name.
    pub name: String,
    /// Which backend.
    pub kind: String,
    /// Its spec.
    pub spec: Pinned,
    /// The version of its workspace.
    pub version: i64,
    /// `ready`, `running` or `stopped`.
    pub state: String,
    /// The turn.
    pub turn: String,
    /// Who took it.
    pub taken_by: Kind,
    /// Nothing was called in this turn before.
    pub first: bool,
}

/// How a beginning may end.
#[derive(Debug)]
pub enum Beginning {
    /// It may go on.
    Go(Box<Begun>),
    /// A single call is in the way: try again soon.
    Wait(Problem),
}

/// Takes or checks the turn.
pub fn begin(connection: &mut dyn Connection, asked: &Begin, now: i64) -> Result<Beginning, Problem> {
    let mut begun = sandbox(connection, &asked.session)?;
    if let Some(turn) = &asked.turn {
        use_turn(connection, asked, turn, &mut begun, now)?;
        return Ok(Beginning::Go(Box::new(begun)));
    }
    let turn = Turn {
        id: random::name("turn_"),
        until: now + asked.lease,
    };
    let new = NewTurn {
        session: asked.session.clone(),
        owner: None,
        idempotency_key: None,
        lease: asked.lease,
        holder: asked.holder.clone(),
    };
    let take = |connection: &mut dyn Connection| {
        turns::insert(connection, &turn, &new, Some(&begun.key), Kind::Call, now)
    };
    let mut got = take(connection)?;
    if !got {
        let over = turns::expire(connection, &Which::Sandbox(&begun.key), now)?;
        got = !over.is_empty() && take(connection)?;
    }
    if !got {
        return match turns::taken(connection, &asked.session, now)? {
            (true, problem) => Ok(Beginning::Wait(problem)),
            (false, problem) => Err(problem),
        };
    }
    begun.turn = turn.id;
    look_again(connection, &mut begun)?;
    Ok(Beginning::Go(Box::new(begun)))
}

/// Taking the turn may have waited for the end of another one, on another shim, which changed the workspace: what counts is how it is now.
fn look_again(connection: &mut dyn Connection, begun: &mut Begun) -> Result<(), Problem> {
    let row = connection.row(
        "SELECT version, state FROM sandbox WHERE key = ?1",
        values![&begun.key],
    )?;
    let row = row.ok_or_else(|| Problem::unavailable("the sandbox was deleted meanwhile"))?;
    begun.version = row.int(0);
    begun.state = row.text(1);
    Ok(())
}

fn sandbox(connection: &mut dyn Connection, session: &str) -> Result<Begun, Problem> {
    let row = connection.row(
        "SELECT s.sandbox_name, b.key, b.kind, s.spec, b.version, b.state FROM session s
         LEFT JOIN sandbox b ON b.name = s.sandbox_name WHERE s.id = ?1",
        values![session],
    )?;
    let row = row.ok_or_else(|| Problem::not_found("session"))?;
    let name = row
        .maybe_text(0)
        .ok_or_else(|| Problem::not_found("sandbox: this session has none"))?;
    let key = row
        .maybe_text(1)
        .ok_or_else(|| Problem::unavailable("the sandbox of this session was deleted"))?;
    let spec = serde_json::from_str(&row.text(3)).map_err(|error| Problem::internal(&error.to_string()))?;
    Ok(Begun {
        session: session.to_owned(),
        key,
        name,
        kind: row.text(2),
        spec,
        version: row.int(4),
        state: row.text(5),
        turn: String::new(),
        taken_by: Kind::Call,
        first: false,
    })
}

fn use_turn(
    connection: &mut dyn Connection,
    asked: &Begin,
    turn: &str,
    begun: &mut Begun,
    now: i64,
) -> Result<(), Problem> {
    let row = connection.row(
        "SELECT used FROM turn WHERE id = ?1 AND session_id = ?2 AND kind = 'host' AND sandbox_key = ?3 AND ended_at IS NULL
         AND lease_until > ?4",
        values![turn, &asked.session, &begun.key, now],
    )?;
    let Some(row) = row else {
        let problem = Problem::conflict("Nylorun-Turn does not name the turn of this session that runs");
        let active = connection.row(
            "SELECT id FROM turn WHERE session_id = ?1 AND ended_at IS NULL AND lease_until > ?2",
            values![&asked.session, now],
        )?;
        return Err(match active {
            Some(row) => problem.active_turn(row.text(0)),
            None => problem,
        });
    };
    turn.clone_into(&mut begun.turn);
    begun.taken_by = Kind::Host;
    begun.first = row.int(0) == 0;
    Ok(())
}

/// What a call did.
#[derive(Debug, Clone)]
pub struct Done {
    /// The call.
    pub begun: Begun,
    /// What it changed; none when it changed nothing.
    pub changes: Option<Changes>,
    /// What is to be told.
    pub events: Vec<NewEvent>,
    /// The sandbox was not `running` before.
    pub wakes: bool,
}

/// Makes everything that a call did come true, if its turn still holds. The version of the workspace.
pub fn commit(connection: &mut dyn Connection, done: &Done, now: i64) -> Result<i64, Problem> {
    fence(connection, &done.begun, now)?;
    let key = &done.begun.key;
    let version = match &done.changes {
        Some(changes) => workspace::apply(connection, key, done.begun.version, changes, now)?,
        None => {
            if done.wakes {
                let sql = "UPDATE sandbox SET state = 'running', used_at = ?2 WHERE key = ?1";
                connection.execute(sql, values![key, now])?;
            }
            done.begun.version
        }
    };
    events::append(connection, &done.begun.session, &done.events, now)?;
    Ok(version)
}

/// A writer whose turn is over may not write: another one may have the sandbox.
fn fence(connection: &mut dyn Connection, begun: &Begun, now: i64) -> Result<(), Problem> {
    let sql = match begun.taken_by {
        Kind::Call => "DELETE FROM turn WHERE id = ?1 AND ended_at IS NULL AND lease_until > ?2",
        Kind::Host => {
            "UPDATE turn SET used = used + 1 WHERE id = ?1 AND ended_at IS NULL AND lease_until > ?2"
        }
    };
    if connection.execute(sql, values![&begun.turn, now])? == 1 {
        return Ok(());
    }
    Err(Problem::conflict(
        "the turn ended while the tool ran: nothing of it was kept",
    ))
}

/// Gives back the turn of a single call that came to nothing.
pub fn give_back(connection: &mut dyn Connection, begun: &Begun) -> Result<(), Problem> {
    if begun.taken_by == Kind::Call {
        connection.execute("DELETE FROM turn WHERE id = ?1", values![&begun.turn])?;
    }
    Ok(())
}
