//! [`Virtual`]: sandboxes that are emulated here.
//!
//! A workspace is loaded when it is first used and stays until nobody has used it for a while. It is known by the version of its manifest, so a shim
//! that finds another version in the store than it has in memory loads it again: another shim was there.
//!
//! A workspace reaches what its `network.allow` names and nothing else, over the network of the shim: the names were held against the tenant's ceiling
//! when the sandbox was made, and addresses are judged at each exchange.
//!
//! Commands run on threads that may wait, as many at once as there are processors; the others wait first come, first served. A sandbox stands in that
//! line once at most, since it does one thing at a time: so a row of calls in one does not starve another, and no sandbox ever runs more commands at
//! once than its `cpus`, which are one at least. Until what a command did is committed, its workspace is in the
//! hands of the [`Place`]; when that does not come to pass, it is dropped and loaded again from what holds.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::body::Bytes;
use axum::http::StatusCode;
use tokio::runtime::Handle;
use tokio::sync::{OwnedMutexGuard, Semaphore};

use super::manifest::{self, Difference, Manifest};
use super::tree::{Source, WorkspaceTree};
use super::{Answer, Availability, Backend, Effect, OutputFile, Place, Rested, Settled, Task, Work};
use crate::fs::{Errno, FileSystem, Quota};
use crate::host::block_on;
use crate::kernel::Limits;
use crate::net::{HostPattern, Network};
use crate::shim::blobs::Blobs;
use crate::shim::clock;
use crate::shim::error::Problem;
use crate::shim::store::calls::Begun;
use crate::shim::store::workspace::Changes;
use crate::shim::store::{Store, workspace};
use crate::shim::units;
use crate::tool::{
    self, Call, Cancel, Failure, FailureCode, Fault, Outcome, Request, VirtualWorkspace, Workspace,
};
use crate::wire::Pinned;

/// How often a command that waits is looked at.
const TICK: Duration = Duration::from_millis(50);

/// Blobs that are written at the same time.
const UPLOADS: usize = 8;

/// The backend. See the module page.
pub struct Virtual {
    shared: Arc<Shared>,
}

struct Shared {
    store: Arc<Store>,
    blobs: Blobs,
    handle: Handle,
    quota: Quota,
    network: Network,
    running: Arc<Semaphore>,
    slots: Mutex<HashMap<String, Arc<tokio::sync::Mutex<Slot>>>>,
}

/// One sandbox.
#[derive(Default)]
struct Slot {
    loaded: Option<Loaded>,
    used_at: i64,
    session: String,
}

/// A workspace in memory.
struct Loaded {
    key: String,
    version: i64,
    manifest: Manifest,
    tree: Arc<WorkspaceTree>,
    workspace: VirtualWorkspace,
}

impl Virtual {
    /// A backend over a store and an object store. The quota bounds one workspace; each has its own list of hosts for the network.
    pub fn new(
        store: Arc<Store>,
        blobs: Blobs,
        handle: Handle,
        network: Network,
        quota_bytes: u64,
        workers: usize,
    ) -> Virtual {
        let quota = Quota {
            bytes: quota_bytes,
            file_bytes: u64::MAX,
            ..Quota::default()
        };
        Virtual {
            shared: Arc::new(Shared {
                store,
                blobs,
                handle,
                quota,
                network,
                running: Arc::new(Semaphore::new(workers)),
                slots: Mutex::default(),
            }),
        }
    }
}

impl Shared {
    fn slots(&self) -> MutexGuard<'_, HashMap<String, Arc<tokio::sync::Mutex<Slot>>>> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn load(&self, begun: &Begun) -> Result<Loaded, Problem> {
        let key = begun.key.clone();
        let (version, entries) = self
            .store
            .read(move |connection| workspace::manifest(connection, &key))
            .await?;
        let manifest: Manifest = entries
            .into_iter()
            .map(|entry| (entry.path.clone(), entry))
            .collect();
        let source = BlobSource {
            blobs: self.blobs.clone(),
            handle: self.handle.clone(),
        };
        let tree = Arc::new(WorkspaceTree::new(Arc::new(source), self.quota));
        let broken = |error: String| Problem::internal(&format!("workspace {}: {error}", begun.name));
        manifest::fill(&tree, &manifest).map_err(|errno| broken(errno.to_string()))?;
        tree.take_changed();
        let mounted = Arc::clone(&tree) as Arc<dyn FileSystem>;
        let shell = VirtualWorkspace::builder()
            .mount("/workspace", mounted)
            .hostname("sandbox")
            .limits(limits(&begun.spec))
            .network(self.network.allowing(allowed(&begun.spec)))
            .build()
            .map_err(|error| broken(error.to_string()))?;
        tree.take_changed();
        Ok(Loaded {
            key: begun.key.clone(),
            version,
            manifest,
            tree,
            workspace: VirtualWorkspace::new(shell),
        })
    }

    /// Blobs first: what a manifest names is there.
    async fn upload(&self, fresh: Vec<manifest::Fresh>) -> Result<(), Problem> {
        let mut uploads = tokio::task::JoinSet::new();
        for blob in fresh {
            if uploads.len() >= UPLOADS {
                finished(uploads.join_next().await)?;
            }
            let blobs = self.blobs.clone();
            uploads.spawn(async move { blobs.put(&blob.hash, Bytes::from(blob.contents)).await });
        }
        while !uploads.is_empty() {
            finished(uploads.join_next().await)?;
        }
        Ok(())
    }
}

fn finished(joined: Option<Result<Result<(), Problem>, tokio::task::JoinError>>) -> Result<(), Problem> {
    match joined {
        None => Ok(()),
        Some(Ok(result)) => result,
        Some(Err(error)) => Err(Problem::internal(&format!("upload: {error}"))),
    }
}

/// What one command may use. Its work is bounded by the time-out of the tool alone.
fn limits(spec: &Pinned) -> Limits {
    let memory = units::mebibytes(&spec.resources.memory).unwrap_or(1024);
    Limits {
        steps: u64::MAX,
        output_bytes: 1 << 30,
        memory_bytes: memory << 20,
        ..Limits::default()
    }
}

/// The hosts that a sandbox may reach.
fn allowed(spec: &Pinned) -> impl Iterator<Item = HostPattern> {
    let names = spec.network.allow.iter().flatten();
    names.filter_map(|name| HostPattern::parse(name))
}

struct BlobSource {
    blobs: Blobs,
    handle: Handle,
}

impl Source for BlobSource {
    fn load(&self, hash: &str) -> Option<Vec<u8>> {
        self.handle.block_on(self.blobs.get(hash)).ok().map(Vec::from)
    }
}

impl Backend for Virtual {
    fn kind(&self) -> &'static str {
        "virtual"
    }

    fn availability(&self) -> Availability {
        Availability {
            isolation: None,
            note: "an emulated shell inside of this process: not an isolation boundary",
        }
    }

    fn enter<'a>(&'a self, name: &'a str) -> Work<'a, Box<dyn Place>> {
        Box::pin(async move {
            let slot = Arc::clone(self.shared.slots().entry(name.to_owned()).or_default());
            let place: Box<dyn Place> = Box::new(Inside {
                slot: slot.lock_owned().await,
                shared: Arc::clone(&self.shared),
                pending: None,
            });
            place
        })
    }

    fn forget(&self, name: &str) {
        let slot = self.shared.slots().remove(name);
        if let Some(slot) = slot
            && let Ok(mut slot) = slot.try_lock()
        {
            slot.loaded = None;
        }
    }

    fn rest(&self, unused_since: i64, most: usize) -> Vec<Rested> {
        let mut slots = self.shared.slots();
        let mut rested = Vec::new();
        let mut loaded = Vec::new();
        slots.retain(|name, slot| {
            // Whoever is on the way in holds a second reference.
            let alone = Arc::strong_count(slot) == 1;
            let Ok(mut inside) = slot.try_lock() else {
                return true;
            };
            if !alone {
                return true;
            }
            if inside.loaded.is_none() {
                return false;
            }
            if inside.used_at < unused_since {
                inside.loaded = None;
                let session = std::mem::take(&mut inside.session);
                let name = name.clone();
                rested.push(Rested { name, session });
                return false;
            }
            loaded.push((inside.used_at, name.clone()));
            true
        });
        if loaded.len() > most {
            loaded.sort();
            for (_, name) in loaded.iter().take(loaded.len() - most) {
                slots.remove(name);
            }
        }
        rested
    }

    fn loaded(&self) -> (usize, u64) {
        let slots = self.shared.slots();
        let sizes = slots.values().filter_map(|slot| {
            let slot = slot.try_lock().ok()?;
            Some(slot.loaded.as_ref()?.tree.usage().bytes)
        });
        sizes.fold((0, 0), |(count, bytes), size| (count + 1, bytes + size))
    }
}

/// One who has a sandbox to itself.
struct Inside {
    slot: OwnedMutexGuard<Slot>,
    shared: Arc<Shared>,
    /// The workspace after work that is not committed yet, and its manifest when that is another one.
    pending: Option<(Loaded, Option<Manifest>)>,
}

impl Inside {
    /// The workspace as the store has it.
    async fn current(&mut self, begun: &Begun) -> Result<Loaded, Problem> {
        let same = |loaded: &Loaded| loaded.key == begun.key && loaded.version == begun.version;
        match self.slot.loaded.take().filter(same) {
            Some(loaded) => Ok(loaded),
            None => self.shared.load(begun).await,
        }
    }

    async fn perform(&mut self, begun: &Begun, task: Task, cancel: Cancel) -> Result<Effect, Problem> {
        let mut loaded = self.current(begun).await?;
        self.slot.used_at = clock::now();
        begun.session.clone_into(&mut self.slot.session);
        let running = Arc::clone(&self.shared.running).acquire_owned().await;
        let body = move || {
            let answer = act(&mut loaded.workspace, task, cancel);
            let difference = match loaded.tree.take_changed() {
                true => manifest::compare(&loaded.tree, &loaded.manifest).map(Some),
                false => Ok(None),
            };
            drop(running);
            (loaded, answer, difference)
        };
        let (loaded, answer, difference) = match tokio::task::spawn_blocking(body).await {
            Ok(done) => done,
            Err(error) => return Ok(broke(&error.to_string())),
        };
        let answer = answer?;
        let difference = difference.map_err(|errno| Problem::internal(&format!("manifest: {errno}")))?;
        self.keep(loaded, answer, difference).await
    }

    async fn keep(
        &mut self,
        loaded: Loaded,
        answer: Answer,
        difference: Option<Difference>,
    ) -> Result<Effect, Problem> {
        let Some(difference) = difference.filter(|difference| !difference.changes.is_empty()) else {
            self.pending = Some((loaded, None));
            return Ok(Effect {
                answer,
                changes: None,
            });
        };
        if matches!(answer, Answer::Tool(Outcome::Failed(_))) {
            // A tool that failed leaves nothing behind: the workspace is read again.
            return Ok(Effect {
                answer,
                changes: None,
            });
        }
        self.shared.upload(difference.fresh).await?;
        self.pending = Some((loaded, Some(difference.manifest)));
        let changes: Changes = difference.changes;
        Ok(Effect {
            answer,
            changes: Some(changes),
        })
    }
}

impl Place for Inside {
    fn work<'a>(
        &'a mut self,
        begun: &'a Begun,
        task: Task,
        cancel: Cancel,
    ) -> Work<'a, Result<Effect, Problem>> {
        Box::pin(self.perform(begun, task, cancel))
    }

    fn outputs<'a>(&'a mut self, key: &'a str) -> Work<'a, Result<Vec<OutputFile>, Problem>> {
        Box::pin(async move {
            let key = key.to_owned();
            let files = self
                .shared
                .store
                .read(move |connection| workspace::files_below(connection, &key, "outputs"))
                .await?;
            let files = files.into_iter().filter_map(|entry| {
                Some(OutputFile {
                    path: entry.path.strip_prefix("outputs/")?.to_owned(),
                    size: entry.size,
                    hash: entry.content?,
                })
            });
            Ok(files.collect())
        })
    }

    fn settle(&mut self, how: Settled) {
        let (Some((mut loaded, manifest)), Settled::Kept(version)) = (self.pending.take(), how) else {
            return;
        };
        loaded.version = version;
        if let Some(manifest) = manifest {
            loaded.manifest = manifest;
        }
        self.slot.loaded = Some(loaded);
    }
}

/// The emulation itself broke: that is a failed call and no more.
fn broke(why: &str) -> Effect {
    tracing::error!(why, "a tool call broke");
    let failure = Failure::new(
        FailureCode::Error,
        "the tool broke; nothing of this call was kept",
    );
    Effect {
        answer: Answer::Tool(Outcome::Failed(failure)),
        changes: None,
    }
}

/// Does the work, on a thread that may wait.
fn act(workspace: &mut VirtualWorkspace, task: Task, cancel: Cancel) -> Result<Answer, Problem> {
    match task {
        Task::Tool(request, output) => call(workspace, &request, output, cancel),
        Task::Put(path, contents) => {
            let written = block_on(workspace.write(&path, &contents), || Some(TICK));
            written.map_err(refused)?;
            Ok(Answer::Stored(contents.len() as u64))
        }
        Task::Get(path) => {
            let node = block_on(workspace.node(&path), || Some(TICK)).map_err(refused)?;
            let size = usize::try_from(node.size).unwrap_or(usize::MAX);
            let contents = block_on(workspace.read(&path, 0, size), || Some(TICK)).map_err(refused)?;
            Ok(Answer::Contents(Bytes::from(contents)))
        }
    }
}

fn call(
    workspace: &mut VirtualWorkspace,
    request: &Request,
    mut output: Option<super::Output>,
    cancel: Cancel,
) -> Result<Answer, Problem> {
    let call = Call {
        cancel,
        output: output
            .as_mut()
            .map(|output| &mut **output as &mut (dyn FnMut(tool::OutputChunk) + Send)),
    };
    let outcome = block_on(tool::run(workspace, request, call), || Some(TICK));
    outcome
        .map(Answer::Tool)
        .map_err(|error| Problem::invalid(error.to_string()))
}

/// What a fault means to someone who moves files.
fn refused(fault: Fault) -> Problem {
    match fault {
        Fault::File(Errno::ENOENT) => Problem::not_found("file"),
        Fault::File(Errno::ENOSPC | Errno::EFBIG) => Problem::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            "limit_exceeded",
            "the workspace is full",
        ),
        Fault::File(errno) => Problem::conflict(errno.to_string()),
        Fault::Workspace(failure) => Problem::unavailable(failure.message),
    }
}
