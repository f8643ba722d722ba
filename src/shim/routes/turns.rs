//! Turns.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;

use super::sessions::session_id;
use crate::shim::body::{Params, Strict, StrictOrEmpty};
use crate::shim::clock::{self, rfc3339};
use crate::shim::error::{Problem, Rejection};
use crate::shim::export;
use crate::shim::gate::{Caller, Scope};
use crate::shim::names;
use crate::shim::state::Shim;
use crate::shim::store::sessions;
use crate::shim::store::turns::{self, NewTurn, Turn};
use crate::wire::{EndTurn, RenewTurn, StartTurn, TurnEnded, TurnView};

fn lease(seconds: Option<i64>) -> Result<i64, Problem> {
    let seconds = seconds.unwrap_or(300);
    if (1..=3600).contains(&seconds) {
        return Ok(seconds * 1000);
    }
    Err(Problem::invalid("leaseSeconds: must be from 1 to 3600"))
}

fn view(turn: Turn) -> Json<TurnView> {
    Json(TurnView {
        turn_id: turn.id,
        lease_until: rfc3339(turn.until),
    })
}

/// Takes the right to use the sandbox.
#[utoipa::path(post, path = "/v1/sessions/{sessionId}/turns", params(("sessionId" = String, Path)), request_body = StartTurn,
    responses((status = 200, body = TurnView), (status = "4XX", body = Rejection)), security(("key" = [])))]
pub async fn start(
    State(shim): State<Arc<Shim>>,
    caller: Caller,
    Params(id): Params<String>,
    Strict(asked): Strict<StartTurn>,
) -> Result<Json<TurnView>, Problem> {
    caller.require(&[Scope::SessionsOwn])?;
    let session = session_id(id)?;
    let given = [Some(&asked.request_id), asked.idempotency_key.as_ref()];
    if !given.into_iter().flatten().all(|text| names::is_plain_id(text)) {
        return Err(Problem::invalid(
            "requestId and idempotencyKey: must be 1 to 200 visible ASCII characters",
        ));
    }
    let new = NewTurn {
        session: session.clone(),
        owner: caller.owner(),
        idempotency_key: asked.idempotency_key,
        lease: lease(asked.lease_seconds)?,
        holder: shim.holder.clone(),
    };
    let turn = shim
        .store
        .write(move |connection| turns::start(connection, &new, clock::now()))
        .await?;
    shim.followers.wake(&session);
    Ok(view(turn))
}

/// Moves the end of the lease.
#[utoipa::path(post, path = "/v1/sessions/{sessionId}/turns/{turnId}/renew",
    params(("sessionId" = String, Path), ("turnId" = String, Path)), request_body = RenewTurn,
    responses((status = 200, body = TurnView), (status = "4XX", body = Rejection)), security(("key" = [])))]
pub async fn renew(
    State(shim): State<Arc<Shim>>,
    caller: Caller,
    Params((id, turn)): Params<(String, String)>,
    StrictOrEmpty(asked): StrictOrEmpty<RenewTurn>,
) -> Result<Json<TurnView>, Problem> {
    caller.require(&[Scope::SessionsOwn])?;
    let session = session_id(id)?;
    let (lease, owner) = (lease(asked.lease_seconds)?, caller.owner());
    let turn = shim
        .store
        .write(move |connection| {
            let now = clock::now();
            sessions::get(connection, &session, owner.as_deref(), now)?;
            turns::renew(connection, &session, &turn, lease, now)
        })
        .await?;
    Ok(view(turn))
}

/// Ends a turn. What runs in it is killed unless it ends as completed; then the outputs are exported.
#[utoipa::path(post, path = "/v1/sessions/{sessionId}/turns/{turnId}/end",
    params(("sessionId" = String, Path), ("turnId" = String, Path)), request_body = EndTurn,
    responses((status = 200, body = TurnEnded), (status = "4XX", body = Rejection)), security(("key" = [])))]
pub async fn end(
    State(shim): State<Arc<Shim>>,
    caller: Caller,
    Params((id, turn)): Params<(String, String)>,
    Strict(asked): Strict<EndTurn>,
) -> Result<Json<TurnEnded>, Problem> {
    caller.require(&[Scope::SessionsOwn])?;
    let session = session_id(id)?;
    let (owner, looked_at) = (caller.owner(), session.clone());
    shim.store
        .read(move |connection| sessions::get(connection, &looked_at, owner.as_deref(), clock::now()))
        .await?;
    let ending = export::Ending {
        session,
        turn: turn.clone(),
        outcome: asked.outcome,
    };
    export::end(&shim, ending).await?;
    Ok(Json(TurnEnded {
        turn_id: turn,
        outcome: asked.outcome,
    }))
}
