//! Artifacts: files and folders that outlive a workspace.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};

use crate::shim::blobs;
use crate::shim::body::{self, Params, Query};
use crate::shim::clock;
use crate::shim::error::{Problem, Rejection};
use crate::shim::gate::{Caller, Scope};
use crate::shim::names;
use crate::shim::state::Shim;
use crate::shim::store::artifacts::{self, Contents, FILE_LIMIT, NewArtifact};
use crate::wire::{Artifact, ArtifactList, Deleted, Stored};

const OWN: &[Scope] = &[Scope::SessionsOwn];

/// An id that could be one: anything else is not there.
pub fn artifact_id(id: String) -> Result<String, Problem> {
    let alphabet =
        |byte: u8| byte.is_ascii_digit() || (byte.is_ascii_lowercase() && !b"ilou".contains(&byte));
    let well = id
        .strip_prefix("af_")
        .is_some_and(|rest| rest.len() == 26 && rest.bytes().all(alphabet));
    if well {
        Ok(id)
    } else {
        Err(Problem::not_found("artifact"))
    }
}

/// Receives a file and puts it into the object store.
async fn receive(shim: &Shim, headers: &HeaderMap, body: Body) -> Result<Contents, Problem> {
    let limit = usize::try_from(FILE_LIMIT).unwrap_or(usize::MAX);
    let bytes = body::read_upload(body, limit).await?;
    let kind = headers
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok());
    let contents = Contents {
        hash: blobs::hash(&bytes),
        size: bytes.len() as i64,
        media_type: kind
            .unwrap_or("application/octet-stream")
            .chars()
            .take(200)
            .collect(),
    };
    shim.blobs.put(&contents.hash, bytes).await?;
    Ok(contents)
}

/// Makes an artifact of the bytes that are sent.
#[utoipa::path(post, path = "/v1/artifacts",
    params(("name" = String, Query), ("sessionId" = Option<String>, Query), ("label" = Option<Vec<String>>, Query)),
    request_body(content = Vec<u8>, content_type = "application/octet-stream"),
    responses((status = 201, body = Stored), (status = "4XX", body = Rejection)), security(("key" = [])))]
pub async fn create(
    State(shim): State<Arc<Shim>>,
    caller: Caller,
    headers: HeaderMap,
    query: Query,
    body: Body,
) -> Result<(StatusCode, Json<Stored>), Problem> {
    caller.require(OWN)?;
    query.only(&["name", "sessionId", "label"])?;
    let new = NewArtifact {
        name: name(query.get("name"))?,
        session: query.get("sessionId").map(str::to_owned),
        labels: query.labels()?.into_iter().collect::<BTreeMap<String, String>>(),
    };
    let problems = names::label_problems(&new.labels);
    if !problems.is_empty() {
        return Err(Problem::all_invalid(problems));
    }
    if caller.subject().is_some() && new.session.is_none() {
        return Err(Problem::invalid("sessionId: needed when acting for a person"));
    }
    let contents = receive(&shim, &headers, body).await?;
    let owner = caller.owner();
    let session = new.session.clone();
    let stored = shim
        .store
        .write(move |connection| {
            artifacts::create_file(connection, &new, &contents, owner.as_deref(), clock::now())
        })
        .await?;
    session.iter().for_each(|session| shim.followers.wake(session));
    Ok((StatusCode::CREATED, Json(stored)))
}

fn name(given: Option<&str>) -> Result<String, Problem> {
    let name = given.unwrap_or_default();
    let well = (1..=255).contains(&name.len())
        && !name.contains(['/', '\\'])
        && !name.chars().any(char::is_control)
        && ![".", ".."].contains(&name);
    if well {
        return Ok(name.to_owned());
    }
    Err(Problem::query(
        "name: must be 1 to 255 bytes, a file name without a path",
    ))
}

/// Adds a version.
#[utoipa::path(post, path = "/v1/artifacts/{artifactId}/versions", params(("artifactId" = String, Path)),
    request_body(content = Vec<u8>, content_type = "application/octet-stream"),
    responses((status = 201, body = Stored), (status = "4XX", body = Rejection)), security(("key" = [])))]
pub async fn add_version(
    State(shim): State<Arc<Shim>>,
    caller: Caller,
    headers: HeaderMap,
    Params(id): Params<String>,
    body: Body,
) -> Result<(StatusCode, Json<Stored>), Problem> {
    caller.require(OWN)?;
    let id = artifact_id(id)?;
    let (looked_at, owner) = (id.clone(), caller.owner());
    let artifact = shim
        .store
        .read(move |connection| artifacts::get(connection, &looked_at, owner.as_deref()))
        .await?;
    if artifact.kind != "file" {
        return Err(Problem::conflict(
            "a folder gets its versions from the turns of its session",
        ));
    }
    let contents = receive(&shim, &headers, body).await?;
    let owner = caller.owner();
    let stored = shim
        .store
        .write(move |connection| {
            artifacts::add_version(connection, &id, &contents, owner.as_deref(), clock::now())
        })
        .await?;
    artifact
        .session_id
        .iter()
        .for_each(|session| shim.followers.wake(session));
    Ok((StatusCode::CREATED, Json(stored)))
}

/// All artifacts, or those of one session.
#[utoipa::path(get, path = "/v1/artifacts", params(("sessionId" = Option<String>, Query)),
    responses((status = 200, body = ArtifactList), (status = "4XX", body = Rejection)), security(("key" = [])))]
pub async fn list(
    State(shim): State<Arc<Shim>>,
    caller: Caller,
    query: Query,
) -> Result<Json<ArtifactList>, Problem> {
    caller.require(OWN)?;
    query.only(&["sessionId"])?;
    let (session, owner) = (query.get("sessionId").map(str::to_owned), caller.owner());
    let artifacts = shim
        .store
        .read(move |connection| artifacts::list(connection, session.as_deref(), owner.as_deref()))
        .await?;
    Ok(Json(ArtifactList { artifacts }))
}

/// One artifact.
#[utoipa::path(get, path = "/v1/artifacts/{artifactId}", params(("artifactId" = String, Path)),
    responses((status = 200, body = Artifact), (status = "4XX", body = Rejection)), security(("key" = [])))]
pub async fn get(
    State(shim): State<Arc<Shim>>,
    caller: Caller,
    Params(id): Params<String>,
) -> Result<Json<Artifact>, Problem> {
    caller.require(OWN)?;
    let (id, owner) = (artifact_id(id)?, caller.owner());
    let found = shim
        .store
        .read(move |connection| artifacts::get(connection, &id, owner.as_deref()))
        .await?;
    Ok(Json(found))
}

/// Removes an artifact with all versions.
#[utoipa::path(delete, path = "/v1/artifacts/{artifactId}", params(("artifactId" = String, Path)),
    responses((status = 200, body = Deleted), (status = "4XX", body = Rejection)), security(("key" = [])))]
pub async fn delete(
    State(shim): State<Arc<Shim>>,
    caller: Caller,
    Params(id): Params<String>,
) -> Result<Json<Deleted>, Problem> {
    caller.require(OWN)?;
    let (id, owner) = (artifact_id(id)?, caller.owner());
    let gone = id.clone();
    let deleted = shim
        .store
        .write(move |connection| artifacts::remove(connection, &gone, owner.as_deref(), clock::now()))
        .await?;
    Ok(Json(Deleted { id, deleted }))
}
