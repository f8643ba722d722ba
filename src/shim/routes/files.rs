//! Raw bytes into and out of a workspace, under the same turns as tools.

use std::sync::Arc;

use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};

use super::sessions::session_id;
use super::tools::turn;
use crate::shim::backend::{Answer, Task};
use crate::shim::body::{self, Params};
use crate::shim::calls::{self, Asked};
use crate::shim::clock;
use crate::shim::error::{Problem, Rejection};
use crate::shim::gate::{Caller, Scope};
use crate::shim::state::Shim;
use crate::shim::store::artifacts::FILE_LIMIT;
use crate::shim::store::sessions;
use crate::wire::Written;

/// The path in the sandbox: below `/workspace`, and nowhere else.
fn workspace_path(path: &str) -> Result<Vec<u8>, Problem> {
    let segments: Vec<&str> = path
        .split('/')
        .filter(|segment| !segment.is_empty() && *segment != ".")
        .collect();
    if segments.is_empty() || segments.contains(&"..") || path.contains('\0') {
        return Err(Problem::invalid("the path must name a file below /workspace"));
    }
    Ok(format!("/workspace/{}", segments.join("/")).into_bytes())
}

/// Writes a file; directories above it are made.
#[utoipa::path(put, path = "/v1/sessions/{sessionId}/files/{path}",
    params(("sessionId" = String, Path), ("path" = String, Path), ("Nylorun-Turn" = Option<String>, Header)),
    request_body(content = Vec<u8>, content_type = "application/octet-stream"),
    responses((status = 200, body = Written), (status = "4XX", body = Rejection)), security(("key" = [])))]
pub async fn put(
    State(shim): State<Arc<Shim>>,
    caller: Caller,
    headers: HeaderMap,
    Params((id, path)): Params<(String, String)>,
    body: Body,
) -> Result<Json<Written>, Problem> {
    let (session, path) = enter(&shim, &caller, id, &path).await?;
    let limit = usize::try_from(FILE_LIMIT).unwrap_or(usize::MAX);
    let contents = body::read_upload(body, limit).await?;
    let shown = String::from_utf8_lossy(&path).into_owned();
    let asked = Asked {
        session,
        turn: turn(&headers)?,
        task: Task::Put(path, contents),
        label: None,
    };
    match calls::run(shim, asked).await? {
        Answer::Stored(bytes) => Ok(Json(Written { path: shown, bytes })),
        _ => Err(Problem::internal("an upload answered with something else")),
    }
}

/// Reads a file.
#[utoipa::path(get, path = "/v1/sessions/{sessionId}/files/{path}",
    params(("sessionId" = String, Path), ("path" = String, Path), ("Nylorun-Turn" = Option<String>, Header)),
    responses((status = 200, content_type = "application/octet-stream", body = Vec<u8>), (status = "4XX", body = Rejection)), security(("key" = [])))]
pub async fn get(
    State(shim): State<Arc<Shim>>,
    caller: Caller,
    headers: HeaderMap,
    Params((id, path)): Params<(String, String)>,
) -> Result<Response, Problem> {
    let (session, path) = enter(&shim, &caller, id, &path).await?;
    let asked = Asked {
        session,
        turn: turn(&headers)?,
        task: Task::Get(path),
        label: None,
    };
    match calls::run(shim, asked).await? {
        Answer::Contents(contents) => {
            let kind = [(header::CONTENT_TYPE, "application/octet-stream")];
            Ok((StatusCode::OK, kind, contents).into_response())
        }
        _ => Err(Problem::internal("a download answered with something else")),
    }
}

async fn enter(shim: &Shim, caller: &Caller, id: String, path: &str) -> Result<(String, Vec<u8>), Problem> {
    caller.require(&[Scope::SessionsOwn])?;
    let session = session_id(id)?;
    let path = workspace_path(path)?;
    if caller.subject().is_some() {
        let (looked_at, owner) = (session.clone(), caller.owner());
        let now = clock::now();
        let look = shim
            .store
            .read(move |connection| sessions::get(connection, &looked_at, owner.as_deref(), now));
        look.await?;
    }
    Ok((session, path))
}
