//! The versions of an artifact: contents, and what is in a folder.

use std::collections::{BTreeMap, HashSet};
use std::io::{Cursor, Write};
use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

use super::artifacts::artifact_id;
use crate::shim::body::{Params, Query};
use crate::shim::error::{Problem, Rejection};
use crate::shim::gate::{Caller, Scope};
use crate::shim::state::Shim;
use crate::shim::store::artifacts;
use crate::wire::{Artifact, ArtifactVersion, FolderEntry, FolderTree, VersionDiff};

/// One version, with what it is a version of.
struct Found {
    artifact: Artifact,
    version: ArtifactVersion,
    files: Vec<FolderEntry>,
}

fn number(text: &str) -> Result<Option<i64>, Problem> {
    if text == "latest" {
        return Ok(None);
    }
    let number = text.parse::<i64>().ok().filter(|number| *number >= 1);
    number.map(Some).ok_or_else(|| Problem::not_found("version"))
}

async fn find(shim: &Shim, caller: &Caller, id: String, version: &str) -> Result<Found, Problem> {
    caller.require(&[Scope::SessionsOwn])?;
    let (id, number, owner) = (artifact_id(id)?, number(version)?, caller.owner());
    shim.store
        .read(move |connection| {
            let artifact = artifacts::get(connection, &id, owner.as_deref())?;
            let version = artifacts::version(connection, &id, number)?;
            let files = artifacts::files(connection, &id, version.version)?;
            Ok(Found {
                artifact,
                version,
                files,
            })
        })
        .await
}

impl Found {
    fn folder(&self) -> Result<&[FolderEntry], Problem> {
        if self.artifact.kind == "folder" {
            return Ok(&self.files);
        }
        Err(Problem::conflict("this artifact is a file"))
    }
}

/// The contents of a file. Parts can be asked for with `Range`.
#[utoipa::path(get, path = "/v1/artifacts/{artifactId}/versions/{version}/content",
    params(("artifactId" = String, Path), ("version" = String, Path), ("Range" = Option<String>, Header)),
    responses((status = 200, content_type = "*/*", body = Vec<u8>), (status = 206, content_type = "*/*", body = Vec<u8>),
        (status = 416, body = Rejection), (status = "4XX", body = Rejection)), security(("key" = [])))]
pub async fn content(
    State(shim): State<Arc<Shim>>,
    caller: Caller,
    headers: HeaderMap,
    Params((id, version)): Params<(String, String)>,
) -> Result<Response, Problem> {
    let found = find(&shim, &caller, id, &version).await?;
    if found.artifact.kind == "folder" {
        return Err(Problem::conflict(
            "this artifact is a folder: ask for its tree, files or zip",
        ));
    }
    let whole = Whole {
        hash: &found.version.sha256,
        size: found.version.size as u64,
        media_type: &found.version.media_type,
        name: &found.artifact.name,
    };
    whole.answer(&shim, &headers).await
}

/// Contents that are asked for.
struct Whole<'a> {
    hash: &'a str,
    size: u64,
    media_type: &'a str,
    name: &'a str,
}

impl Whole<'_> {
    async fn answer(&self, shim: &Shim, headers: &HeaderMap) -> Result<Response, Problem> {
        let tag = format!("\"{}\"", self.hash);
        let same = headers
            .get(header::IF_NONE_MATCH)
            .and_then(|value| value.to_str().ok());
        if same.is_some_and(|tags| {
            tags.split(',')
                .any(|other| other.trim() == tag || other.trim() == "*")
        }) {
            return Ok((StatusCode::NOT_MODIFIED, [(header::ETAG, tag)]).into_response());
        }
        let mut response = match range(headers, self.size) {
            Asked::Whole => shim.blobs.get(self.hash).await?.into_response(),
            Asked::Part(start, end) => {
                let part = shim.blobs.range(self.hash, start..end).await?;
                let place = format!("bytes {start}-{}/{}", end - 1, self.size);
                (
                    StatusCode::PARTIAL_CONTENT,
                    [(header::CONTENT_RANGE, place)],
                    part,
                )
                    .into_response()
            }
            Asked::Outside => {
                let problem = Problem::new(
                    StatusCode::RANGE_NOT_SATISFIABLE,
                    "request_rejected",
                    "the range is outside of the file",
                );
                let place = [(header::CONTENT_RANGE, format!("bytes */{}", self.size))];
                return Ok((place, problem).into_response());
            }
        };
        self.describe(&mut response, &tag);
        Ok(response)
    }

    fn describe(&self, response: &mut Response, tag: &str) {
        let otherwise = HeaderValue::from_static("application/octet-stream");
        let text = |text: &str| HeaderValue::from_str(text).unwrap_or(otherwise.clone());
        let plain = |c: &char| c.is_ascii_graphic() && !"\"\\".contains(*c);
        let name: String = self.name.chars().filter(plain).collect();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, text(self.media_type));
        headers.insert(header::ETAG, text(tag));
        headers.insert(header::ACCEPT_RANGES, HeaderValue::from_static("bytes"));
        let disposition = format!("attachment; filename=\"{name}\"");
        headers.insert(header::CONTENT_DISPOSITION, text(&disposition));
    }
}

/// What a `Range` header asks for.
#[derive(Debug, PartialEq, Eq)]
enum Asked {
    Whole,
    Part(u64, u64),
    Outside,
}

/// One range of bytes; several, and other units, mean the whole.
fn range(headers: &HeaderMap, size: u64) -> Asked {
    let text = headers.get(header::RANGE).and_then(|value| value.to_str().ok());
    let Some((start, end)) = text.and_then(|text| text.strip_prefix("bytes=")?.split_once('-')) else {
        return Asked::Whole;
    };
    let part = match (start.parse::<u64>(), end.parse::<u64>()) {
        (Ok(start), Ok(end)) if start <= end => (start, end.saturating_add(1).min(size)),
        (Ok(start), Err(_)) if end.is_empty() => (start, size),
        (Err(_), Ok(0)) if start.is_empty() => return Asked::Outside,
        (Err(_), Ok(count)) if start.is_empty() => (size.saturating_sub(count), size),
        _ => return Asked::Whole,
    };
    if part.0 < part.1 {
        Asked::Part(part.0, part.1)
    } else {
        Asked::Outside
    }
}

/// The files of a folder.
#[utoipa::path(get, path = "/v1/artifacts/{artifactId}/versions/{version}/tree",
    params(("artifactId" = String, Path), ("version" = String, Path)),
    responses((status = 200, body = FolderTree), (status = "4XX", body = Rejection)), security(("key" = [])))]
pub async fn tree(
    State(shim): State<Arc<Shim>>,
    caller: Caller,
    Params((id, version)): Params<(String, String)>,
) -> Result<Json<FolderTree>, Problem> {
    let found = find(&shim, &caller, id, &version).await?;
    Ok(Json(FolderTree {
        version: found.version.version,
        files: found.folder()?.to_vec(),
    }))
}

/// One file of a folder.
#[utoipa::path(get, path = "/v1/artifacts/{artifactId}/versions/{version}/files/{path}",
    params(("artifactId" = String, Path), ("version" = String, Path), ("path" = String, Path)),
    responses((status = 200, content_type = "application/octet-stream", body = Vec<u8>), (status = 206, content_type = "application/octet-stream", body = Vec<u8>),
        (status = "4XX", body = Rejection)), security(("key" = [])))]
pub async fn file(
    State(shim): State<Arc<Shim>>,
    caller: Caller,
    headers: HeaderMap,
    Params((id, version, path)): Params<(String, String, String)>,
) -> Result<Response, Problem> {
    let found = find(&shim, &caller, id, &version).await?;
    let entry = found.folder()?.iter().find(|entry| entry.path == path);
    let entry = entry.ok_or_else(|| Problem::not_found("file"))?;
    let whole = Whole {
        hash: &entry.sha256,
        size: entry.size as u64,
        media_type: "application/octet-stream",
        name: path.rsplit('/').next().unwrap_or_default(),
    };
    whole.answer(&shim, &headers).await
}

/// What changed between two versions of a folder.
#[utoipa::path(get, path = "/v1/artifacts/{artifactId}/versions/{version}/diff",
    params(("artifactId" = String, Path), ("version" = String, Path), ("from" = i64, Query, minimum = 1)),
    responses((status = 200, body = VersionDiff), (status = "4XX", body = Rejection)), security(("key" = [])))]
pub async fn diff(
    State(shim): State<Arc<Shim>>,
    caller: Caller,
    Params((id, version)): Params<(String, String)>,
    query: Query,
) -> Result<Json<VersionDiff>, Problem> {
    query.only(&["from"])?;
    let from = query.number("from", 1..=i64::MAX)?;
    let from = from.ok_or_else(|| Problem::query("from: needed"))?;
    let newer = find(&shim, &caller, id.clone(), &version).await?;
    let older = find(&shim, &caller, id, &from.to_string()).await?;
    let table = |files: &[FolderEntry]| -> BTreeMap<String, String> {
        files
            .iter()
            .map(|file| (file.path.clone(), file.sha256.clone()))
            .collect()
    };
    let (old, new) = (table(older.folder()?), table(newer.folder()?));
    let missing = |here: &BTreeMap<String, String>, there: &BTreeMap<String, String>| {
        here.keys()
            .filter(|path| !there.contains_key(*path))
            .cloned()
            .collect()
    };
    let changed = new
        .iter()
        .filter(|(path, hash)| old.get(*path).is_some_and(|before| before != *hash));
    Ok(Json(VersionDiff {
        from,
        to: newer.version.version,
        added: missing(&new, &old),
        removed: missing(&old, &new),
        changed: changed.map(|(path, _)| path.clone()).collect(),
    }))
}

/// The name of a file in an archive. A backslash and a drive are parts of a name here, and a way out of the folder where some unpack it.
fn entry_name(path: &str, taken: &mut HashSet<String>) -> String {
    let mut name = path.replace('\\', "%5C");
    if name.as_bytes().get(1) == Some(&b':') {
        name.replace_range(1..2, "%3A");
    }
    while !taken.insert(name.clone()) {
        name.push('_');
    }
    name
}

/// A folder as a zip file.
#[utoipa::path(get, path = "/v1/artifacts/{artifactId}/versions/{version}/zip",
    params(("artifactId" = String, Path), ("version" = String, Path)),
    responses((status = 200, content_type = "application/zip", body = Vec<u8>), (status = "4XX", body = Rejection)), security(("key" = [])))]
pub async fn zip(
    State(shim): State<Arc<Shim>>,
    caller: Caller,
    Params((id, version)): Params<(String, String)>,
) -> Result<Response, Problem> {
    let found = find(&shim, &caller, id, &version).await?;
    let broken = |error: &dyn std::fmt::Display| Problem::internal(&format!("zip: {error}"));
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let mut names = HashSet::new();
    for file in found.folder()? {
        let name = entry_name(&file.path, &mut names);
        let options = zip::write::SimpleFileOptions::default().large_file(file.size > i64::from(u32::MAX));
        archive
            .start_file(name, options)
            .map_err(|error| broken(&error))?;
        let contents = shim.blobs.get(&file.sha256).await?;
        archive.write_all(&contents).map_err(|error| broken(&error))?;
    }
    let bytes = archive.finish().map_err(|error| broken(&error))?.into_inner();
    let name = format!(
        "attachment; filename=\"{}-{}.zip\"",
        found.artifact.name, found.version.version
    );
    let headers = [
        (header::CONTENT_TYPE, "application/zip".to_owned()),
        (header::CONTENT_DISPOSITION, name),
    ];
    Ok((headers, bytes).into_response())
}
