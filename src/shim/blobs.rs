//! Contents, each under its SHA-256, in an object store: a directory unless a URL says otherwise.
//!
//! A blob is written before the transaction that names it, and removed a good while after nothing names it any more. So a manifest never names
//! what is not there. A write that finds its blob there writes it again, which makes it young, so that a removal that is under way passes it by.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use data_encoding::HEXLOWER;
use object_store::local::LocalFileSystem;
use object_store::memory::InMemory;
use object_store::path::Path as Key;
use object_store::{ObjectStore, ObjectStoreExt};
use sha2::{Digest, Sha256};
use tokio_stream::StreamExt;

use super::clock;
use super::config::Sync;
use super::error::Problem;
use super::store::{Store, workspace};

/// How long a blob lives that nothing names.
const GRACE: Duration = Duration::from_secs(3600);

/// The hash of contents, in hexadecimal.
pub fn hash(contents: &[u8]) -> String {
    HEXLOWER.encode(&Sha256::digest(contents))
}

/// The store of contents. Clones are the same store.
#[derive(Clone)]
pub struct Blobs {
    store: Arc<dyn ObjectStore>,
    prefix: Key,
}

impl Blobs {
    /// In a directory, which is made.
    pub fn directory(path: &Path, sync: Sync) -> Result<Blobs, String> {
        let say = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
        std::fs::create_dir_all(path).map_err(|error| say(&error))?;
        let store = LocalFileSystem::new_with_prefix(path).map_err(|error| say(&error))?;
        Ok(Blobs {
            store: Arc::new(store.with_fsync(sync == Sync::Full)),
            prefix: Key::default(),
        })
    }

    /// At a URL: `s3://bucket/prefix`, `gs://…`, `az://…` with the feature `cloud-blobs`; `file:///…`, `memory:///`.
    pub fn url(text: &str) -> Result<Blobs, String> {
        if text.starts_with("memory:") {
            return Ok(Blobs {
                store: Arc::new(InMemory::new()),
                prefix: Key::default(),
            });
        }
        let url = text.parse().map_err(|error| format!("{text}: {error}"))?;
        let (store, prefix) = object_store::parse_url_opts(&url, std::env::vars())
            .map_err(|error| format!("{text}: {error}"))?;
        Ok(Blobs {
            store: Arc::from(store),
            prefix,
        })
    }

    fn key(&self, hash: &str) -> Key {
        let folder = hash.get(..2).unwrap_or("00");
        self.prefix.clone().join(folder).join(hash)
    }

    /// Keeps contents under their hash.
    pub async fn put(&self, hash: &str, contents: Bytes) -> Result<(), Problem> {
        let put = self.store.put(&self.key(hash), contents.into()).await;
        put.map(drop)
            .map_err(|error| Problem::internal(&format!("blob {hash}: {error}")))
    }

    /// The contents.
    pub async fn get(&self, hash: &str) -> Result<Bytes, Problem> {
        let failed = |error: object_store::Error| Problem::internal(&format!("blob {hash}: {error}"));
        let found = self.store.get(&self.key(hash)).await.map_err(failed)?;
        found.bytes().await.map_err(failed)
    }

    /// A part of the contents.
    pub async fn range(&self, hash: &str, range: std::ops::Range<u64>) -> Result<Bytes, Problem> {
        let found = self.store.get_range(&self.key(hash), range).await;
        found.map_err(|error| Problem::internal(&format!("blob {hash}: {error}")))
    }

    /// Whether the store answers.
    pub async fn check(&self) -> bool {
        let missing = self.store.head(&self.key(&hash(b"nothing"))).await;
        matches!(missing, Ok(_) | Err(object_store::Error::NotFound { .. }))
    }

    /// Removes blobs that nothing names and that are older than the grace; how many.
    pub async fn collect(&self, store: &Store) -> Result<u64, Problem> {
        let limit = clock::now() - GRACE.as_millis() as i64;
        let mut listed = self.store.list(None);
        let mut old = Vec::new();
        let mut removed = 0;
        while let Some(found) = listed.next().await {
            let found = found.map_err(|error| Problem::internal(&format!("blobs: {error}")))?;
            if found.last_modified.timestamp_millis() < limit
                && let Some(name) = found.location.filename()
            {
                old.push(name.to_owned());
            }
            if old.len() >= 500 {
                removed += self
                    .remove_unnamed(store, std::mem::take(&mut old), limit)
                    .await?;
            }
        }
        Ok(removed + self.remove_unnamed(store, old, limit).await?)
    }

    async fn remove_unnamed(&self, store: &Store, hashes: Vec<String>, limit: i64) -> Result<u64, Problem> {
        let asked = hashes.clone();
        let named = store
            .read(move |connection| workspace::named(connection, &asked))
            .await?;
        let mut removed = 0;
        for hash in hashes.iter().filter(|hash| !named.contains(hash)) {
            let key = self.key(hash);
            let still_old = matches!(self.store.head(&key).await, Ok(meta) if meta.last_modified.timestamp_millis() < limit);
            if still_old && self.store.delete(&key).await.is_ok() {
                removed += 1;
            }
        }
        Ok(removed)
    }
}
