//! Artifacts: files and folders that outlive a workspace.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// A file or a folder with its versions.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Artifact {
    /// `af_` and 26 characters.
    pub id: String,
    /// `file` or `folder`.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// The session it belongs to.
    pub session_id: Option<String>,
    /// Its labels.
    pub labels: BTreeMap<String, String>,
    /// The number of the newest version.
    pub latest_version: i64,
    /// When it was made.
    pub created_at: String,
    /// When its newest version came.
    pub updated_at: String,
}

/// One version.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ArtifactVersion {
    /// Its artifact.
    pub artifact_id: String,
    /// From 1.
    pub version: i64,
    /// Bytes; of a folder, of all its files.
    pub size: i64,
    /// Of the contents; of a folder, of the list of its files.
    pub sha256: String,
    /// As it was given.
    pub media_type: String,
    /// When it came.
    pub created_at: String,
}

/// The answer to an upload.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
pub struct Stored {
    /// The artifact.
    pub artifact: Artifact,
    /// The new version.
    pub version: ArtifactVersion,
}

/// `GET /v1/artifacts`
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
pub struct ArtifactList {
    /// By id.
    pub artifacts: Vec<Artifact>,
}

/// One file of a folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
pub struct FolderEntry {
    /// From the folder, without a leading `/`.
    pub path: String,
    /// Bytes.
    pub size: i64,
    /// Of the contents.
    pub sha256: String,
}

/// `GET …/tree`
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
pub struct FolderTree {
    /// The version.
    pub version: i64,
    /// By path.
    pub files: Vec<FolderEntry>,
}

/// `GET …/diff?from=`
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
pub struct VersionDiff {
    /// The older version.
    pub from: i64,
    /// The newer one.
    pub to: i64,
    /// Paths that came.
    pub added: Vec<String>,
    /// Paths that went.
    pub removed: Vec<String>,
    /// Paths with other contents.
    pub changed: Vec<String>,
}

/// The answer to a removal.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
pub struct Deleted {
    /// What was asked for.
    pub id: String,
    /// Whether it was there.
    pub deleted: bool,
}

/// `PUT /v1/sessions/{id}/files/{path}`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
pub struct Written {
    /// Its path in the sandbox.
    pub path: String,
    /// Its length.
    pub bytes: u64,
}
