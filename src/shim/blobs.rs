//! Contents, each under its SHA-256, in an object store: a directory unless a URL says otherwise.
//!
//! A blob is written before the transaction that names it, so a manifest never names what is not there.
//!
//! What nothing names is removed in two steps, each a grace after the last: an old blob goes to `unnamed/`, and from there away. A blob in `unnamed/`
//! that is named after all, because a call wrote the same contents at that moment and committed later, is still found there, and goes back. So the
//! database and the object store need no lock between them, over any number of shims: it is enough that a call commits within a grace of its first
//! write.

use std::collections::HashSet;
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

/// Where blobs wait that nothing named.
const UNNAMED: &str = "unnamed";

/// Blobs that are looked up in the database at once.
const BATCH: usize = 500;

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
        #[cfg(feature = "cloud-blobs")]
        use_ring();
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

    fn unnamed(&self, hash: &str) -> Key {
        self.prefix.clone().join(UNNAMED).join(hash)
    }

    /// Keeps contents under their hash.
    pub async fn put(&self, hash: &str, contents: Bytes) -> Result<(), Problem> {
        let put = self.store.put(&self.key(hash), contents.into()).await;
        put.map(drop).map_err(|error| failed(hash, &error))
    }

    /// The contents.
    pub async fn get(&self, hash: &str) -> Result<Bytes, Problem> {
        self.read(hash, None).await
    }

    /// A part of the contents.
    pub async fn range(&self, hash: &str, range: std::ops::Range<u64>) -> Result<Bytes, Problem> {
        self.read(hash, Some(range)).await
    }

    /// Looks in both places, and once more in the first, since a blob may go back there meanwhile.
    async fn read(&self, hash: &str, range: Option<std::ops::Range<u64>>) -> Result<Bytes, Problem> {
        for key in [self.key(hash), self.unnamed(hash), self.key(hash)] {
            let found = match range.clone() {
                Some(range) => self.store.get_range(&key, range).await,
                None => self.whole(&key).await,
            };
            match found {
                Err(object_store::Error::NotFound { .. }) => {}
                Ok(contents) => return Ok(contents),
                Err(error) => return Err(failed(hash, &error)),
            }
        }
        Err(Problem::internal(&format!("blob {hash} is not there")))
    }

    async fn whole(&self, key: &Key) -> object_store::Result<Bytes> {
        self.store.get(key).await?.bytes().await
    }

    /// Whether the store answers.
    pub async fn check(&self) -> bool {
        let missing = self.store.head(&self.key(&hash(b"nothing"))).await;
        matches!(missing, Ok(_) | Err(object_store::Error::NotFound { .. }))
    }

    /// Moves old blobs that nothing names out of the way, and removes those that have been there for a grace; how many were removed.
    pub async fn collect(&self, store: &Store, grace: Duration) -> Result<u64, Problem> {
        let limit = clock::now() - grace.as_millis() as i64;
        let prefix = (!self.prefix.as_ref().is_empty()).then_some(&self.prefix);
        let mut listed = self.store.list(prefix);
        let (mut old, mut unnamed) = (Vec::new(), Vec::new());
        let mut removed = 0;
        loop {
            let found = listed.next().await.transpose();
            let found = found.map_err(|error| Problem::internal(&format!("blobs: {error}")))?;
            let done = found.is_none();
            if let Some(found) = found.filter(|found| found.last_modified.timestamp_millis() < limit)
                && let Some(hash) = found.location.filename()
            {
                match found.location == self.unnamed(hash) {
                    true => unnamed.push(hash.to_owned()),
                    false => old.push(hash.to_owned()),
                }
            }
            if old.len() >= BATCH || done {
                self.set_aside(store, std::mem::take(&mut old)).await?;
            }
            if unnamed.len() >= BATCH || done {
                removed += self.remove_unnamed(store, std::mem::take(&mut unnamed)).await?;
            }
            if done {
                return Ok(removed);
            }
        }
    }

    /// Copies first, so that a blob is in one of the two places at every moment.
    async fn set_aside(&self, store: &Store, hashes: Vec<String>) -> Result<(), Problem> {
        let named = named(store, &hashes).await?;
        for hash in hashes.iter().filter(|hash| !named.contains(*hash)) {
            self.rename(hash, &self.key(hash), &self.unnamed(hash)).await?;
        }
        Ok(())
    }

    async fn remove_unnamed(&self, store: &Store, hashes: Vec<String>) -> Result<u64, Problem> {
        let named = named(store, &hashes).await?;
        let mut removed = 0;
        for hash in &hashes {
            let key = self.unnamed(hash);
            if named.contains(hash) {
                self.rename(hash, &key, &self.key(hash)).await?;
            } else if self.store.delete(&key).await.is_ok() {
                removed += 1;
            }
        }
        Ok(removed)
    }

    /// A plain renaming would keep the age, which counts from now on. What is gone already was moved by another shim.
    async fn rename(&self, hash: &str, from: &Key, to: &Key) -> Result<(), Problem> {
        let moved = async {
            let contents = self.whole(from).await?;
            self.store.put(to, contents.into()).await?;
            self.store.delete(from).await
        };
        match moved.await {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(failed(hash, &error)),
        }
    }
}

/// Connections to clouds ask the process which library encrypts.
#[cfg(feature = "cloud-blobs")]
fn use_ring() {
    // Refused when there is one already, which will do.
    let _ = rustls::crypto::ring::default_provider().install_default();
}

fn failed(hash: &str, error: &object_store::Error) -> Problem {
    Problem::internal(&format!("blob {hash}: {error}"))
}

/// Those that something names.
async fn named(store: &Store, hashes: &[String]) -> Result<HashSet<String>, Problem> {
    let hashes = hashes.to_vec();
    store
        .read(move |connection| workspace::named(connection, &hashes))
        .await
}
