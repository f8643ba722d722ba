//! Sandbox resources.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;

use super::sessions::{read_cursor, write_cursor};
use crate::shim::body::{Params, Query, Strict};
use crate::shim::clock::{self, rfc3339};
use crate::shim::error::{Problem, Rejection};
use crate::shim::gate::{Caller, Scope};
use crate::shim::names;
use crate::shim::state::Shim;
use crate::shim::store::events::{self, StoredEvent};
use crate::shim::store::sandboxes::{self, Listing};
use crate::wire::{Deleted, EnsureSandbox, SandboxEvent, SandboxEvents, SandboxList, SandboxView};

const READ: &[Scope] = &[Scope::SessionsOwn, Scope::SandboxesWrite];
const WRITE: &[Scope] = &[Scope::SandboxesWrite];

fn sandbox_id(id: String) -> Result<String, Problem> {
    if names::is_sandbox_id(&id) {
        return Ok(id);
    }
    Err(Problem::invalid(
        "a sandbox id is 1 to 200 characters: segments of [A-Za-z0-9._-] that start with a letter or digit, joined by /",
    ))
}

/// Makes a sandbox, or finds the same.
#[utoipa::path(put, path = "/v1/sandboxes/{sandboxId}", params(("sandboxId" = String, Path)), request_body = EnsureSandbox,
    responses((status = 200, body = SandboxView), (status = "4XX", body = Rejection)), security(("key" = [])))]
pub async fn ensure(
    State(shim): State<Arc<Shim>>,
    caller: Caller,
    Params(id): Params<String>,
    Strict(asked): Strict<EnsureSandbox>,
) -> Result<Json<SandboxView>, Problem> {
    caller.require(WRITE)?;
    let id = sandbox_id(id)?;
    let pod = check(&asked)?;
    if pod {
        shim.backend("pod")?;
    }
    let owner = caller.owner();
    let view = shim
        .store
        .write(move |connection| {
            let mut view = sandboxes::ensure(connection, &id, &asked, clock::now())?;
            if owner.is_some() {
                let found = sandboxes::find(connection, &sandboxes::resource_name(&id))?;
                let found = found.ok_or_else(|| Problem::not_found("sandbox"))?;
                view = sandboxes::view(connection, &found, owner.as_deref(), clock::now())?;
            }
            Ok(view)
        })
        .await?;
    Ok(Json(view))
}

/// What is wrong without a look at the tenant; true for a pod.
fn check(asked: &EnsureSandbox) -> Result<bool, Problem> {
    let mut problems = asked
        .labels
        .as_ref()
        .map(names::label_problems)
        .unwrap_or_default();
    let pod = match asked.kind.as_deref() {
        None | Some("virtual") => false,
        Some("pod") => true,
        Some(other) => {
            problems.push(format!("kind: '{other}' is neither virtual nor pod"));
            false
        }
    };
    if !pod {
        let fields = [
            ("storage", asked.storage.is_some()),
            ("lifecycle", asked.lifecycle.is_some()),
        ];
        for (name, _) in fields.iter().filter(|(_, given)| *given) {
            problems.push(format!("{name}: only for pods"));
        }
    }
    if problems.is_empty() {
        Ok(pod)
    } else {
        Err(Problem::all_invalid(problems))
    }
}

/// One sandbox.
#[utoipa::path(get, path = "/v1/sandboxes/{sandboxId}", params(("sandboxId" = String, Path)),
    responses((status = 200, body = SandboxView), (status = "4XX", body = Rejection)), security(("key" = [])))]
pub async fn get(
    State(shim): State<Arc<Shim>>,
    caller: Caller,
    Params(id): Params<String>,
) -> Result<Json<SandboxView>, Problem> {
    caller.require(READ)?;
    let id = sandbox_id(id)?;
    let owner = caller.owner();
    let view = shim
        .store
        .read(move |connection| {
            let found = sandboxes::find(connection, &sandboxes::resource_name(&id))?;
            let found = found.ok_or_else(|| Problem::not_found("sandbox"))?;
            sandboxes::view(connection, &found, owner.as_deref(), clock::now())
        })
        .await?;
    Ok(Json(view))
}

/// Sandboxes by id, all of them or a page at a time.
#[utoipa::path(get, path = "/v1/sandboxes",
    params(("label" = Option<Vec<String>>, Query), ("limit" = Option<i64>, Query, minimum = 1, maximum = 200), ("cursor" = Option<String>, Query)),
    responses((status = 200, body = SandboxList), (status = "4XX", body = Rejection)), security(("key" = [])))]
pub async fn list(
    State(shim): State<Arc<Shim>>,
    caller: Caller,
    query: Query,
) -> Result<Json<SandboxList>, Problem> {
    caller.require(READ)?;
    query.only(&["label", "limit", "cursor"])?;
    let limit = query.number("limit", 1..=200)?;
    let after = query.get("cursor").map(read_cursor).transpose()?;
    if after.is_some() && limit.is_none() {
        return Err(Problem::query("cursor: goes with limit"));
    }
    let listing = Listing {
        labels: query.labels()?,
        after,
        limit,
        owner: caller.owner(),
    };
    let mut sandboxes = shim
        .store
        .read(move |connection| sandboxes::list(connection, &listing, clock::now()))
        .await?;
    let next_cursor = limit.map(|limit| {
        let limit = usize::try_from(limit).unwrap_or_default();
        let more = sandboxes.len() > limit;
        sandboxes.truncate(limit);
        sandboxes
            .last()
            .filter(|_| more)
            .map(|last| write_cursor(&last.id))
    });
    Ok(Json(SandboxList {
        sandboxes,
        next_cursor,
    }))
}

/// Removes a sandbox with its workspace.
#[utoipa::path(delete, path = "/v1/sandboxes/{sandboxId}", params(("sandboxId" = String, Path)),
    responses((status = 200, body = Deleted), (status = "4XX", body = Rejection)), security(("key" = [])))]
pub async fn delete(
    State(shim): State<Arc<Shim>>,
    caller: Caller,
    Params(id): Params<String>,
) -> Result<Json<Deleted>, Problem> {
    caller.require(WRITE)?;
    let id = sandbox_id(id)?;
    let gone = id.clone();
    let removed = shim
        .store
        .write(move |connection| sandboxes::remove(connection, &gone, clock::now()))
        .await?;
    let name = sandboxes::resource_name(&id);
    shim.backends.iter().for_each(|backend| backend.forget(&name));
    Ok(Json(Deleted {
        id,
        deleted: removed.is_some(),
    }))
}

/// Suspends a pod.
#[utoipa::path(post, path = "/v1/sandboxes/{sandboxId}/stop", params(("sandboxId" = String, Path)),
    responses((status = 200, body = SandboxView), (status = "4XX", body = Rejection)), security(("key" = [])))]
pub async fn stop(
    State(shim): State<Arc<Shim>>,
    caller: Caller,
    Params(id): Params<String>,
) -> Result<Json<SandboxView>, Problem> {
    pods_only(&shim, &caller, id, "stop").await
}

/// Gives a pod a new, empty volume.
#[utoipa::path(post, path = "/v1/sandboxes/{sandboxId}/reset", params(("sandboxId" = String, Path)),
    responses((status = 200, body = SandboxView), (status = "4XX", body = Rejection)), security(("key" = [])))]
pub async fn reset(
    State(shim): State<Arc<Shim>>,
    caller: Caller,
    Params(id): Params<String>,
) -> Result<Json<SandboxView>, Problem> {
    pods_only(&shim, &caller, id, "reset").await
}

async fn pods_only(
    shim: &Shim,
    caller: &Caller,
    id: String,
    what: &str,
) -> Result<Json<SandboxView>, Problem> {
    caller.require(WRITE)?;
    let id = sandbox_id(id)?;
    let name = sandboxes::resource_name(&id);
    let found = shim
        .store
        .read(move |connection| sandboxes::find(connection, &name))
        .await?;
    match found {
        None => Err(Problem::not_found("sandbox")),
        Some(found) => Err(Problem::invalid(format!(
            "{what}: a {} sandbox has no such thing",
            found.kind
        ))),
    }
}

/// The history of an id, also after it was deleted.
#[utoipa::path(get, path = "/v1/sandboxes/{sandboxId}/events",
    params(("sandboxId" = String, Path), ("from" = Option<i64>, Query, minimum = 0)),
    responses((status = 200, body = SandboxEvents), (status = "4XX", body = Rejection)), security(("key" = [])))]
pub async fn events(
    State(shim): State<Arc<Shim>>,
    caller: Caller,
    Params(id): Params<String>,
    query: Query,
) -> Result<Json<SandboxEvents>, Problem> {
    caller.require(READ)?;
    let id = sandbox_id(id)?;
    query.only(&["from"])?;
    let from = query.number("from", 0..=i64::MAX)?.unwrap_or(0);
    let sandbox = id.clone();
    let found = shim
        .store
        .read(move |connection| events::of_sandbox(connection, &sandbox, from))
        .await?;
    let found = found.ok_or_else(|| Problem::not_found("sandbox"))?;
    let shown = |event: StoredEvent| SandboxEvent {
        schema: "nylorun.sandbox-event/1".to_owned(),
        event_id: event.event_id,
        tenant_id: shim.tenant.clone(),
        sandbox_id: id.clone(),
        seq: event.seq,
        time: rfc3339(event.time),
        kind: event.kind,
        payload: serde_json::from_str(&event.payload).unwrap_or_default(),
    };
    Ok(Json(SandboxEvents {
        events: found.into_iter().map(shown).collect(),
    }))
}
