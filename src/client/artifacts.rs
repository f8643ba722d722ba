//! [`Artifacts`]: files and folders that outlive a workspace.

use std::collections::BTreeMap;

use super::Client;
use super::connection::{Ask, segment};
use super::error::Error;
use crate::wire::{Artifact, ArtifactList, Deleted, FolderTree, Stored, VersionDiff};

/// What a file artifact is made of, beside its contents.
#[derive(Debug, Clone, Default)]
pub struct NewArtifact {
    /// Its name: a file name without a path.
    pub name: String,
    /// The session that it belongs to; needed when acting for a person.
    pub session_id: Option<String>,
    /// Its labels.
    pub labels: BTreeMap<String, String>,
    /// The type of the contents.
    pub media_type: Option<String>,
}

impl NewArtifact {
    /// With a name, and nothing else.
    pub fn named(name: impl Into<String>) -> NewArtifact {
        NewArtifact {
            name: name.into(),
            ..NewArtifact::default()
        }
    }
}

/// Files and folders with their versions. A version is a number from 1, or none for the newest.
#[derive(Debug, Clone, Copy)]
pub struct Artifacts<'c> {
    client: &'c Client,
}

const BYTES: &str = "application/octet-stream";

impl<'c> Artifacts<'c> {
    pub(super) fn new(client: &'c Client) -> Artifacts<'c> {
        Artifacts { client }
    }

    /// Keeps a file.
    pub fn create(&self, new: NewArtifact, contents: impl Into<Vec<u8>>) -> Result<Stored, Error> {
        let asked = self.client.post("/v1/artifacts").query("name", Some(new.name));
        let add = |asked: Ask<'c>, (key, value): (&String, &String)| {
            asked.query("label", Some(format!("{key}={value}")))
        };
        let asked = new
            .labels
            .iter()
            .fold(asked.query("sessionId", new.session_id), add);
        let media_type = new.media_type.as_deref().unwrap_or(BYTES);
        asked.bytes(media_type, contents.into()).long().json()
    }

    /// Adds a version to a file.
    pub fn add_version(&self, id: &str, contents: impl Into<Vec<u8>>) -> Result<Stored, Error> {
        let asked = self.client.post(path(id, "/versions"));
        asked.bytes(BYTES, contents.into()).long().json()
    }

    /// Those of a session, or all.
    pub fn list(&self, session_id: Option<&str>) -> Result<Vec<Artifact>, Error> {
        let asked = self.client.get("/v1/artifacts").query("sessionId", session_id);
        let list: ArtifactList = asked.json()?;
        Ok(list.artifacts)
    }

    /// One of them.
    pub fn get(&self, id: &str) -> Result<Artifact, Error> {
        self.client.get(path(id, "")).json()
    }

    /// Removes one with all versions; false when there was none.
    pub fn delete(&self, id: &str) -> Result<bool, Error> {
        let answer: Deleted = self.client.delete(path(id, "")).json()?;
        Ok(answer.deleted)
    }

    /// The contents of a file.
    pub fn content(&self, id: &str, version: Option<i64>) -> Result<Vec<u8>, Error> {
        self.version(id, version, "/content").read()
    }

    /// The files of a folder.
    pub fn tree(&self, id: &str, version: Option<i64>) -> Result<FolderTree, Error> {
        self.version(id, version, "/tree").json()
    }

    /// One file of a folder.
    pub fn file(&self, id: &str, version: Option<i64>, file: &str) -> Result<Vec<u8>, Error> {
        let file: Vec<String> = file.split('/').map(segment).collect();
        self.version(id, version, &format!("/files/{}", file.join("/")))
            .read()
    }

    /// What changed in a folder since the version `from`.
    pub fn diff(&self, id: &str, version: Option<i64>, from: i64) -> Result<VersionDiff, Error> {
        self.version(id, version, "/diff")
            .query("from", Some(from))
            .json()
    }

    /// A folder as a zip file.
    pub fn zip(&self, id: &str, version: Option<i64>) -> Result<Vec<u8>, Error> {
        self.version(id, version, "/zip").long().read()
    }

    fn version(&self, id: &str, version: Option<i64>, rest: &str) -> Ask<'c> {
        let version = version.map_or_else(|| "latest".to_owned(), |number| number.to_string());
        self.client.get(path(id, &format!("/versions/{version}{rest}")))
    }
}

fn path(id: &str, rest: &str) -> String {
    format!("/v1/artifacts/{}{rest}", segment(id))
}
