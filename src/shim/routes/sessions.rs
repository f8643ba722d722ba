//! Sessions.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use data_encoding::BASE64URL_NOPAD;
use serde::Serialize;
use serde_json::Value;

use crate::shim::body::{Params, Query, Strict};
use crate::shim::clock;
use crate::shim::error::{Problem, Rejection};
use crate::shim::gate::{Caller, Scope};
use crate::shim::names;
use crate::shim::state::Shim;
use crate::shim::store::sessions::{self, NewSession};
use crate::wire::{CreateSession, Deleted, SandboxChoice, SessionList, SessionView};

/// The id, checked.
pub fn session_id(id: String) -> Result<String, Problem> {
    if names::is_session_id(&id) {
        return Ok(id);
    }
    Err(Problem::invalid(
        "a session id is 1 to 200 of [A-Za-z0-9._-], in segments joined by /",
    ))
}

/// What must be the same when a session is created again.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Creation<'r> {
    agent_id: &'r str,
    owner_user_id: &'r str,
    info: Option<&'r Value>,
    sandbox: Option<&'r SandboxChoice>,
}

/// Makes a session, or finds the same.
#[utoipa::path(put, path = "/v1/sessions/{sessionId}", params(("sessionId" = String, Path)), request_body = CreateSession,
    responses((status = 200, body = SessionView), (status = "4XX", body = Rejection), (status = 500, body = Rejection)), security(("key" = [])))]
pub async fn create(
    State(shim): State<Arc<Shim>>,
    caller: Caller,
    Params(id): Params<String>,
    Strict(asked): Strict<CreateSession>,
) -> Result<Json<SessionView>, Problem> {
    caller.require(&[Scope::SessionsOwn])?;
    let id = session_id(id)?;
    check(&asked)?;
    if let Some(subject) = caller.subject() {
        if subject != asked.owner_user_id {
            return Err(Problem::forbidden(
                "ownerUserId must be the person that is acted for",
            ));
        }
        if matches!(asked.sandbox, Some(SandboxChoice::Inline(_))) {
            return Err(Problem::forbidden("a person cannot define a sandbox"));
        }
    }
    let creation = Creation {
        agent_id: &asked.agent_id,
        owner_user_id: &asked.owner_user_id,
        info: asked.info.as_ref(),
        sandbox: asked.sandbox.as_ref(),
    };
    let creation = serde_json::to_string(&creation).map_err(|error| Problem::internal(&error.to_string()))?;
    let new = NewSession {
        id,
        agent_id: asked.agent_id,
        owner: asked.owner_user_id,
        creation,
        sandbox: asked.sandbox,
    };
    let subject = caller.owner();
    let view = shim
        .store
        .write(move |connection| sessions::create(connection, &new, subject.as_deref(), clock::now()))
        .await?;
    Ok(Json(view))
}

fn check(asked: &CreateSession) -> Result<(), Problem> {
    let mut problems = Vec::new();
    let fields = [
        ("requestId", &asked.request_id),
        ("agentId", &asked.agent_id),
        ("ownerUserId", &asked.owner_user_id),
    ];
    for (name, value) in fields {
        if !names::is_plain_id(value) {
            problems.push(format!("{name}: must be 1 to 200 visible ASCII characters"));
        }
    }
    if let Some(SandboxChoice::Attach(id)) = &asked.sandbox
        && !names::is_sandbox_id(id)
    {
        problems.push("sandbox.id: no sandbox id".to_owned());
    }
    if problems.is_empty() {
        Ok(())
    } else {
        Err(Problem::all_invalid(problems))
    }
}

/// One session.
#[utoipa::path(get, path = "/v1/sessions/{sessionId}", params(("sessionId" = String, Path)),
    responses((status = 200, body = SessionView), (status = "4XX", body = Rejection)), security(("key" = [])))]
pub async fn get(
    State(shim): State<Arc<Shim>>,
    caller: Caller,
    Params(id): Params<String>,
) -> Result<Json<SessionView>, Problem> {
    caller.require(&[Scope::SessionsOwn])?;
    let id = session_id(id)?;
    let owner = caller.owner();
    let found = shim
        .store
        .read(move |connection| sessions::get(connection, &id, owner.as_deref(), clock::now())?.view())
        .await?;
    Ok(Json(found))
}

/// Removes a session, and the workspace that only it owns.
#[utoipa::path(delete, path = "/v1/sessions/{sessionId}", params(("sessionId" = String, Path)),
    responses((status = 200, body = Deleted), (status = "4XX", body = Rejection)), security(("key" = [])))]
pub async fn delete(
    State(shim): State<Arc<Shim>>,
    caller: Caller,
    Params(id): Params<String>,
) -> Result<Json<Deleted>, Problem> {
    caller.require(&[Scope::SessionsOwn])?;
    let id = session_id(id)?;
    let (owner, session) = (caller.owner(), id.clone());
    let forgotten = shim
        .store
        .write(move |connection| sessions::remove(connection, &session, owner.as_deref(), clock::now()))
        .await?;
    shim.sandboxes.forget(&id);
    shim.followers.wake(&id);
    if let Some(name) = forgotten {
        shim.backends.iter().for_each(|backend| backend.forget(&name));
    }
    Ok(Json(Deleted { id, deleted: true }))
}

/// Sessions by id, a page at a time.
#[utoipa::path(get, path = "/v1/sessions",
    params(("limit" = Option<i64>, Query, minimum = 1, maximum = 200), ("cursor" = Option<String>, Query)),
    responses((status = 200, body = SessionList), (status = "4XX", body = Rejection)), security(("key" = [])))]
pub async fn list(
    State(shim): State<Arc<Shim>>,
    caller: Caller,
    query: Query,
) -> Result<Json<SessionList>, Problem> {
    caller.require(&[Scope::SessionsOwn])?;
    query.only(&["limit", "cursor"])?;
    let limit = query.number("limit", 1..=200)?.unwrap_or(100);
    let after = query
        .get("cursor")
        .map(read_cursor)
        .transpose()?
        .unwrap_or_default();
    let owner = caller.owner();
    let mut found = shim
        .store
        .read(move |connection| sessions::list(connection, owner.as_deref(), &after, limit, clock::now()))
        .await?;
    let more = found.len() as i64 > limit;
    found.truncate(usize::try_from(limit).unwrap_or_default());
    let next_cursor = found
        .last()
        .filter(|_| more)
        .map(|session| write_cursor(&session.id));
    let sessions: Result<Vec<SessionView>, Problem> = found.iter().map(sessions::Session::view).collect();
    Ok(Json(SessionList {
        sessions: sessions?,
        next_cursor,
    }))
}

/// A place in a list by id.
pub fn write_cursor(id: &str) -> String {
    BASE64URL_NOPAD.encode(format!("id:{id}").as_bytes())
}

/// The id behind a cursor.
pub fn read_cursor(text: &str) -> Result<String, Problem> {
    let bytes = BASE64URL_NOPAD.decode(text.as_bytes()).ok();
    let text = bytes.and_then(|bytes| String::from_utf8(bytes).ok());
    let id = text.as_deref().and_then(|text| text.strip_prefix("id:"));
    id.filter(|id| names::is_sandbox_id(id))
        .map(str::to_owned)
        .ok_or_else(Problem::cursor)
}
