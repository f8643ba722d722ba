//! Artifacts and their versions. A file has one content a version; a folder has files.

use std::collections::BTreeMap;

use axum::http::StatusCode;
use data_encoding::HEXLOWER;
use serde_json::json;
use sha2::{Digest, Sha256};

use super::events::{self, NewEvent};
use super::{Connection, Row, values};
use crate::shim::backend::OutputFile;
use crate::shim::clock::rfc3339;
use crate::shim::error::Problem;
use crate::wire::random;
use crate::wire::{Artifact, ArtifactVersion, FolderEntry, Stored};

/// The longest file.
pub const FILE_LIMIT: u64 = 100 << 20;

/// All versions of a tenant together.
pub const TENANT_LIMIT: i64 = 10 << 30;

/// Files of one export.
const EXPORT_FILES: usize = 10_000;

/// Bytes of one export.
const EXPORT_BYTES: u64 = 1 << 30;

/// The name of the folder that turns export to.
const OUTPUTS: &str = "outputs";

/// Contents that are in the object store, to become a version.
#[derive(Debug, Clone)]
pub struct Contents {
    /// Their hash.
    pub hash: String,
    /// Bytes.
    pub size: i64,
    /// As given.
    pub media_type: String,
}

/// An artifact to be made.
#[derive(Debug, Clone)]
pub struct NewArtifact {
    /// Its name.
    pub name: String,
    /// Whose.
    pub session: Option<String>,
    /// Its labels.
    pub labels: BTreeMap<String, String>,
}

const SELECT: &str = "SELECT a.id, a.kind, a.name, a.session_id, a.labels, a.versions, a.created_at, a.updated_at FROM artifact a";

fn read(row: &Row) -> Result<Artifact, Problem> {
    let labels = serde_json::from_str(&row.text(4));
    Ok(Artifact {
        id: row.text(0),
        kind: row.text(1),
        name: row.text(2),
        session_id: row.maybe_text(3),
        labels: labels.map_err(|error| Problem::internal(&error.to_string()))?,
        latest_version: row.int(5),
        created_at: rfc3339(row.int(6)),
        updated_at: rfc3339(row.int(7)),
    })
}

/// One artifact; a person sees those of their own sessions alone.
pub fn get(connection: &mut dyn Connection, id: &str, owner: Option<&str>) -> Result<Artifact, Problem> {
    let sql = format!(
        "{SELECT} LEFT JOIN session s ON s.id = a.session_id WHERE a.id = ?1 AND (s.owner = ?2 OR ?2 IS NULL)"
    );
    let row = connection.row(&sql, values![id, owner])?;
    read(&row.ok_or_else(|| Problem::not_found("artifact"))?)
}

/// All, or those of one session.
pub fn list(
    connection: &mut dyn Connection,
    session: Option<&str>,
    owner: Option<&str>,
) -> Result<Vec<Artifact>, Problem> {
    let sql = format!(
        "{SELECT} LEFT JOIN session s ON s.id = a.session_id
         WHERE (a.session_id = ?1 OR ?1 IS NULL) AND (s.owner = ?2 OR ?2 IS NULL) ORDER BY a.id"
    );
    connection
        .rows(&sql, values![session, owner])?
        .iter()
        .map(read)
        .collect()
}

fn insert(
    connection: &mut dyn Connection,
    kind: &str,
    new: &NewArtifact,
    now: i64,
) -> Result<String, Problem> {
    let id = random::name("af_");
    connection.execute(
        "INSERT INTO artifact (id, kind, name, session_id, labels, versions, created_at, updated_at)
         VALUES (?1, ?2, ?3, ?4, ?5, 0, ?6, ?6)",
        values![
            &id,
            kind,
            &new.name,
            new.session.as_ref(),
            json!(new.labels).to_string(),
            now
        ],
    )?;
    Ok(id)
}

fn created(id: &str, name: &str) -> NewEvent {
    event("artifact.created", id, json!({ "artifactId": id, "name": name }))
}

fn event(kind: &'static str, id: &str, payload: serde_json::Value) -> NewEvent {
    NewEvent {
        kind,
        source: "artifact",
        source_id: id.to_owned(),
        turn: None,
        payload,
    }
}

/// Makes a file artifact with its first version.
pub fn create_file(
    connection: &mut dyn Connection,
    new: &NewArtifact,
    contents: &Contents,
    owner: Option<&str>,
    now: i64,
) -> Result<Stored, Problem> {
    if let Some(session) = &new.session {
        super::sessions::get(connection, session, owner, now)?;
    }
    let id = insert(connection, "file", new, now)?;
    if let Some(session) = &new.session {
        events::append(connection, session, &[created(&id, &new.name)], now)?;
    }
    add_version(connection, &id, contents, owner, now)
}

/// Adds a version to a file artifact.
pub fn add_version(
    connection: &mut dyn Connection,
    id: &str,
    contents: &Contents,
    owner: Option<&str>,
    now: i64,
) -> Result<Stored, Problem> {
    let artifact = get(connection, id, owner)?;
    check_room(connection, contents.size)?;
    let version = insert_version(connection, id, contents, now)?;
    if let Some(session) = &artifact.session_id {
        let payload = json!({ "artifactId": id, "version": version, "size": contents.size });
        let told = event("artifact.version.created", id, payload);
        events::append(connection, session, &[told], now)?;
    }
    Ok(Stored {
        artifact: get(connection, id, owner)?,
        version: self::version(connection, id, Some(version))?,
    })
}

fn check_room(connection: &mut dyn Connection, more: i64) -> Result<(), Problem> {
    if total(connection)?.saturating_add(more) <= TENANT_LIMIT {
        return Ok(());
    }
    let message = "the artifacts of this tenant have no more room";
    Err(
        Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "limit_exceeded", message)
            .details(json!({ "limitBytes": TENANT_LIMIT })),
    )
}

fn total(connection: &mut dyn Connection) -> Result<i64, Problem> {
    let row = connection.row(
        "SELECT CAST(COALESCE(SUM(size), 0) AS BIGINT) FROM artifact_version",
        &[],
    )?;
    Ok(row.map_or(0, |row| row.int(0)))
}

fn insert_version(
    connection: &mut dyn Connection,
    id: &str,
    contents: &Contents,
    now: i64,
) -> Result<i64, Problem> {
    let row = connection.row(
        "UPDATE artifact SET versions = versions + 1, updated_at = ?2 WHERE id = ?1 RETURNING versions",
        values![id, now],
    )?;
    let number = row.ok_or_else(|| Problem::not_found("artifact"))?.int(0);
    connection.execute(
        "INSERT INTO artifact_version (artifact_id, number, size, hash, media_type, created_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        values![id, number, contents.size, &contents.hash, &contents.media_type, now],
    )?;
    Ok(number)
}

/// One version; the newest when none is named.
pub fn version(
    connection: &mut dyn Connection,
    id: &str,
    number: Option<i64>,
) -> Result<ArtifactVersion, Problem> {
    let row = connection.row(
        "SELECT number, size, hash, media_type, created_at FROM artifact_version
         WHERE artifact_id = ?1 AND (number = ?2 OR ?2 IS NULL) ORDER BY number DESC LIMIT 1",
        values![id, number],
    )?;
    let row = row.ok_or_else(|| Problem::not_found("version"))?;
    Ok(ArtifactVersion {
        artifact_id: id.to_owned(),
        version: row.int(0),
        size: row.int(1),
        sha256: row.text(2),
        media_type: row.text(3),
        created_at: rfc3339(row.int(4)),
    })
}

/// The files of one version of a folder.
pub fn files(connection: &mut dyn Connection, id: &str, number: i64) -> Result<Vec<FolderEntry>, Problem> {
    let rows = connection.rows(
        "SELECT path, size, hash FROM artifact_file WHERE artifact_id = ?1 AND number = ?2 ORDER BY path",
        values![id, number],
    )?;
    let entry = |row: &Row| FolderEntry {
        path: row.text(0),
        size: row.int(1),
        sha256: row.text(2),
    };
    Ok(rows.iter().map(entry).collect())
}

/// Removes an artifact; false when there was none.
pub fn remove(
    connection: &mut dyn Connection,
    id: &str,
    owner: Option<&str>,
    now: i64,
) -> Result<bool, Problem> {
    let Ok(artifact) = get(connection, id, owner) else {
        return Ok(false);
    };
    connection.execute("DELETE FROM artifact WHERE id = ?1", values![id])?;
    if let Some(session) = &artifact.session_id {
        let told = event("artifact.deleted", id, json!({ "artifactId": id }));
        events::append(connection, session, &[told], now)?;
    }
    Ok(true)
}

/// Makes what a turn left below `outputs` a version of the session's folder, unless nothing changed or it is too much.
pub fn export(
    connection: &mut dyn Connection,
    session: &str,
    turn: &str,
    files: &[OutputFile],
    now: i64,
) -> Result<(), Problem> {
    let folder = folder_of(connection, session)?;
    if files.is_empty() && folder.is_none() {
        return Ok(());
    }
    if let Some(mut skipped) = too_much(connection, files)? {
        skipped.turn = Some(turn.to_owned());
        return events::append(connection, session, &[skipped], now);
    }
    let contents = Contents {
        hash: list_hash(files),
        size: files.iter().map(|file| file.size as i64).sum(),
        media_type: "application/x-directory".to_owned(),
    };
    let mut told = Vec::new();
    let id = match folder {
        Some(id) => id,
        None => new_folder(connection, session, &mut told, now)?,
    };
    if version(connection, &id, None).is_ok_and(|last| last.sha256 == contents.hash) {
        return Ok(());
    }
    let number = insert_version(connection, &id, &contents, now)?;
    for file in files {
        connection.execute(
            "INSERT INTO artifact_file (artifact_id, number, path, size, hash) VALUES (?1, ?2, ?3, ?4, ?5)",
            values![&id, number, &file.path, file.size as i64, &file.hash],
        )?;
    }
    let payload = json!({ "artifactId": id, "version": number, "size": contents.size, "files": files.len() });
    told.push(event("artifact.version.created", &id, payload));
    told.iter_mut()
        .for_each(|event| event.turn = Some(turn.to_owned()));
    events::append(connection, session, &told, now)
}

fn new_folder(
    connection: &mut dyn Connection,
    session: &str,
    told: &mut Vec<NewEvent>,
    now: i64,
) -> Result<String, Problem> {
    let new = NewArtifact {
        name: OUTPUTS.to_owned(),
        session: Some(session.to_owned()),
        labels: BTreeMap::new(),
    };
    let id = insert(connection, "folder", &new, now)?;
    told.push(created(&id, OUTPUTS));
    Ok(id)
}

/// Says that the outputs of a turn could not be exported.
pub fn tell_failed(
    connection: &mut dyn Connection,
    session: &str,
    turn: &str,
    now: i64,
) -> Result<(), Problem> {
    let mut told = event("artifact.export.failed", OUTPUTS, json!({ "name": OUTPUTS }));
    told.turn = Some(turn.to_owned());
    events::append(connection, session, &[told], now)
}

fn folder_of(connection: &mut dyn Connection, session: &str) -> Result<Option<String>, Problem> {
    let row = connection.row(
        "SELECT id FROM artifact WHERE session_id = ?1 AND kind = 'folder' AND name = ?2",
        values![session, OUTPUTS],
    )?;
    Ok(row.map(|row| row.text(0)))
}

fn too_much(connection: &mut dyn Connection, files: &[OutputFile]) -> Result<Option<NewEvent>, Problem> {
    let bytes: u64 = files.iter().map(|file| file.size).sum();
    let skipped = |reason: &str, limit: u64, path: Option<&str>| {
        let mut payload = json!({ "name": OUTPUTS, "reason": reason, "limit": limit });
        if let (Some(path), Some(fields)) = (path, payload.as_object_mut()) {
            fields.insert("path".to_owned(), path.into());
        }
        Some(event("artifact.export.skipped", OUTPUTS, payload))
    };
    if files.len() > EXPORT_FILES {
        return Ok(skipped("too_many_files", EXPORT_FILES as u64, None));
    }
    if let Some(file) = files.iter().find(|file| file.size > FILE_LIMIT) {
        return Ok(skipped("file_too_large", FILE_LIMIT, Some(&file.path)));
    }
    if bytes > EXPORT_BYTES {
        return Ok(skipped("too_large", EXPORT_BYTES, None));
    }
    if total(connection)?.saturating_add(bytes as i64) > TENANT_LIMIT {
        return Ok(skipped("tenant_total", TENANT_LIMIT as u64, None));
    }
    Ok(None)
}

/// A hash over the list of files: the same files, the same hash.
fn list_hash(files: &[OutputFile]) -> String {
    let mut digest = Sha256::new();
    for file in files {
        digest.update(format!("{} {}\0", file.hash, file.path));
    }
    HEXLOWER.encode(&digest.finalize())
}
