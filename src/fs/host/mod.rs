//! [`HostDir`]: a directory of the host as a tree (feature `host-fs`, Unix). The only place of the library that touches host files.
//!
//! Every access goes through a `cap-std` directory handle, which the system itself keeps inside: no `..`, no absolute path and
//! no link leads out, not even one that is planted between our look and our access. Links of the host are shown as they
//! are, and [`Fs`](super::Fs) resolves them *inside the sandbox*: an absolute target starts at the sandbox's root.
//!
//! - **Read-only** ([`HostDir::read_only`]) refuses every change; **overlaid** ([`HostDir::overlaid`]) keeps changes in memory;
//!   **read-write** ([`HostDir::read_write`]) changes the host.
//! - Nodes are known by device, inode and birth time, so hard links are one node, and an inode used again is another.
//! - A file that is opened keeps a host descriptor, so it outlives its name as on any Unix.
//! - Nothing may hand powers to the host: setuid and setgid, other owners and device nodes are `EPERM`. Pipes, sockets and
//!   devices of the host are listed and never opened.
//! - Times of changes are the host's; only `set_times` sets what it is told.
//!
//! [`import`] copies a host directory into any tree instead.

mod import;
#[cfg(test)]
mod tests;

use std::ffi::OsStr;
use std::fs::{File, FileTimes};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cap_std::fs::{Dir, DirBuilder, DirBuilderExt, FileTypeExt, MetadataExt, OpenOptions, OpenOptionsExt};
use cap_std::fs::{Permissions, PermissionsExt};
use rustc_hash::FxHashMap;

use super::path_table::{PathTable, ROOT};
use super::system_time::{system_time, timestamp};
use super::{
    Attributes, DirEntry, Errno, FileKind, FileSystem, Metadata, NewNode, Node, NodeId, Overlay, Quota,
    Timestamp,
};

pub use import::{ImportError, ImportLimits, ImportReport, import};

/// A host directory. See the module page.
pub struct HostDir {
    directory: Dir,
    writable: bool,
    owner: Option<(u32, u32)>,
    state: Mutex<State>,
}

/// What makes a host file the same: device, inode, birth in nanoseconds.
type Key = (u64, u64, i128);

struct State {
    nodes: PathTable<Key>,
    held: FxHashMap<NodeId, Held>,
}

/// A node that is open, and the host file once it is needed.
#[derive(Default)]
struct Held {
    count: u32,
    file: Option<Arc<File>>,
}

impl HostDir {
    fn open(path: &Path, writable: bool) -> Result<HostDir, Errno> {
        let directory = Dir::open_ambient_dir(path, cap_std::ambient_authority())?;
        let state = State {
            nodes: PathTable::new(),
            held: FxHashMap::default(),
        };
        Ok(HostDir {
            directory,
            writable,
            owner: None,
            state: Mutex::new(state),
        })
    }

    /// A host directory that is only read.
    pub fn read_only(path: impl AsRef<Path>) -> Result<HostDir, Errno> {
        HostDir::open(path.as_ref(), false)
    }

    /// A host directory that is changed.
    pub fn read_write(path: impl AsRef<Path>) -> Result<HostDir, Errno> {
        HostDir::open(path.as_ref(), true)
    }

    /// A host directory under an [`Overlay`]: changes stay in memory, within the quota.
    pub fn overlaid(path: impl AsRef<Path>, quota: Quota) -> Result<Overlay, Errno> {
        Overlay::new(Arc::new(HostDir::read_only(path)?), quota)
    }

    /// Shows all files as owned by this user and group, rather than by their owners on the host.
    #[must_use]
    pub fn owned_by(self, uid: u32, gid: u32) -> HostDir {
        HostDir {
            owner: Some((uid, gid)),
            ..self
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn check_writable(&self) -> Result<(), Errno> {
        if self.writable { Ok(()) } else { Err(Errno::EROFS) }
    }

    fn host_metadata(&self, path: &Path) -> Result<cap_std::fs::Metadata, Errno> {
        let root = path.as_os_str() == ".";
        let found = if root {
            self.directory.dir_metadata()
        } else {
            self.directory.symlink_metadata(path)
        };
        found.map_err(Errno::from)
    }

    fn find(&self, state: &mut State, directory: NodeId, name: &[u8]) -> Result<Node, Errno> {
        let found = self.host_metadata(&state.child(directory, name)?)?;
        let id = state.nodes.number(key(&found), directory, name);
        Ok(Node {
            id,
            kind: kind(&found),
        })
    }

    /// The host file behind a regular file; kept while the node is open.
    fn file(&self, state: &mut State, id: NodeId) -> Result<Arc<File>, Errno> {
        if let Some(file) = state.held.get(&id).and_then(|held| held.file.clone()) {
            return Ok(file);
        }
        let path = state.path(id)?;
        match kind(&self.host_metadata(&path)?) {
            FileKind::Regular => {}
            FileKind::Directory => return Err(Errno::EISDIR),
            _ => return Err(Errno::EINVAL),
        }
        let file = Arc::new(self.open_file(&path)?);
        if let Some(held) = state.held.get_mut(&id) {
            held.file = Some(Arc::clone(&file));
        }
        Ok(file)
    }

    fn open_file(&self, path: &Path) -> Result<File, Errno> {
        let open = |write| {
            self.directory
                .open_with(path, OpenOptions::new().read(true).write(write))
        };
        let opened = match open(self.writable) {
            // The host may let us read what it does not let us write, and the other way round.
            Err(_) if self.writable => {
                open(false).or_else(|_| self.directory.open_with(path, OpenOptions::new().write(true)))
            }
            other => other,
        };
        opened.map(cap_std::fs::File::into_std).map_err(Errno::from)
    }

    /// Before a name goes: what is open keeps its file.
    fn keep_open(&self, state: &mut State, node: Node) {
        if node.kind == FileKind::Regular && state.held.contains_key(&node.id) {
            // If the host does not let us open it, it could not have been read before either.
            let _ = self.file(state, node.id);
        }
    }

    fn describe(&self, id: NodeId, found: &cap_std::fs::Metadata) -> Metadata {
        let (uid, gid) = self.owner.unwrap_or((found.uid(), found.gid()));
        let time = |seconds, nanos: i64| Timestamp {
            seconds,
            nanos: nanos.clamp(0, 999_999_999) as u32,
        };
        let ctime = time(found.ctime(), found.ctime_nsec());
        Metadata {
            kind: kind(found),
            mode: found.mode() & 0o7777,
            nlink: found.nlink(),
            uid,
            gid,
            size: found.len(),
            blocks: found.blocks(),
            device: 0,
            inode: id,
            // Host devices have no meaning here.
            rdev: (0, 0),
            atime: time(found.atime(), found.atime_nsec()),
            mtime: time(found.mtime(), found.mtime_nsec()),
            ctime,
            btime: found.created().map_or(ctime, |time| timestamp(time.into_std())),
        }
    }

    fn make(&self, path: &Path, new: &NewNode<'_>) -> Result<(), Errno> {
        let mode = new.mode & 0o1777;
        match new.kind {
            FileKind::Regular => {
                let mut options = OpenOptions::new();
                options.write(true).create_new(true).mode(mode);
                self.directory.open_with(path, &options).map(drop)?;
            }
            FileKind::Directory => {
                let mut builder = DirBuilder::new();
                self.directory.create_dir_with(path, builder.mode(mode))?;
            }
            FileKind::Symlink => {
                return self
                    .directory
                    .symlink_contents(OsStr::from_bytes(new.target), path)
                    .map_err(Errno::from);
            }
            _ => return Err(Errno::EPERM),
        }
        // The umask of the host process has no say.
        self.directory
            .set_permissions(path, Permissions::from_mode(mode))
            .map_err(Errno::from)
    }

    fn set_host_times(&self, path: &Path, kind: FileKind, change: &Attributes) -> Result<(), Errno> {
        if change.atime.is_none() && change.mtime.is_none() {
            return Ok(());
        }
        if !matches!(kind, FileKind::Regular | FileKind::Directory) {
            return Err(Errno::EOPNOTSUPP);
        }
        let file = self.directory.open(path)?.into_std();
        let mut times = FileTimes::new();
        if let Some(time) = change.atime {
            times = times.set_accessed(system_time(time).ok_or(Errno::EINVAL)?);
        }
        if let Some(time) = change.mtime {
            times = times.set_modified(system_time(time).ok_or(Errno::EINVAL)?);
        }
        file.set_times(times).map_err(Errno::from)
    }
}

impl State {
    /// The path relative to the host directory.
    fn path(&self, id: NodeId) -> Result<PathBuf, Errno> {
        let components = self.nodes.path(id)?;
        if components.is_empty() {
            return Ok(PathBuf::from("."));
        }
        Ok(components.into_iter().map(OsStr::from_bytes).collect())
    }

    fn child(&self, directory: NodeId, name: &[u8]) -> Result<PathBuf, Errno> {
        let directory = self.path(directory)?;
        Ok(directory.join(OsStr::from_bytes(name)))
    }
}

fn kind(found: &cap_std::fs::Metadata) -> FileKind {
    let file_type = found.file_type();
    match () {
        () if file_type.is_file() => FileKind::Regular,
        () if file_type.is_dir() => FileKind::Directory,
        () if file_type.is_symlink() => FileKind::Symlink,
        () if file_type.is_fifo() => FileKind::Fifo,
        () if file_type.is_block_device() => FileKind::BlockDevice,
        () if file_type.is_socket() => FileKind::Socket,
        () => FileKind::CharDevice,
    }
}

fn key(found: &cap_std::fs::Metadata) -> Key {
    let birth = found.created().map_or(0, |time| {
        let time = timestamp(time.into_std());
        i128::from(time.seconds) * 1_000_000_000 + i128::from(time.nanos)
    });
    (found.dev(), found.ino(), birth)
}

impl FileSystem for HostDir {
    fn root(&self) -> NodeId {
        ROOT
    }

    fn lookup(&self, directory: NodeId, name: &[u8]) -> Result<Node, Errno> {
        self.find(&mut self.state(), directory, name)
    }

    fn metadata(&self, node: NodeId) -> Result<Metadata, Errno> {
        let state = self.state();
        if let Some(file) = state.held.get(&node).and_then(|held| held.file.as_ref()) {
            let found = cap_std::fs::Metadata::from_file(file)?;
            return Ok(self.describe(node, &found));
        }
        let found = self.host_metadata(&state.path(node)?)?;
        Ok(self.describe(node, &found))
    }

    fn read_dir(&self, directory: NodeId) -> Result<Vec<DirEntry>, Errno> {
        let mut state = self.state();
        let path = state.path(directory)?;
        let mut names = Vec::new();
        for entry in self.directory.read_dir(&path)? {
            names.push(entry?.file_name().into_vec());
        }
        names.sort();
        let mut entries = Vec::new();
        for name in names {
            // What vanished since is left out.
            if let Ok(node) = self.find(&mut state, directory, &name) {
                entries.push(DirEntry {
                    name,
                    kind: node.kind,
                    inode: node.id,
                });
            }
        }
        Ok(entries)
    }

    fn read_link(&self, node: NodeId) -> Result<Vec<u8>, Errno> {
        let path = self.state().path(node)?;
        let target = self.directory.read_link_contents(path)?;
        Ok(target.into_os_string().into_vec())
    }

    fn read(&self, node: NodeId, offset: u64, buffer: &mut [u8]) -> Result<usize, Errno> {
        let file = self.file(&mut self.state(), node)?;
        file.read_at(buffer, offset).map_err(Errno::from)
    }

    fn write(&self, node: NodeId, offset: u64, data: &[u8], _: Timestamp) -> Result<usize, Errno> {
        self.check_writable()?;
        let file = self.file(&mut self.state(), node)?;
        file.write_at(data, offset).map_err(Errno::from)
    }

    fn append(&self, node: NodeId, data: &[u8], _: Timestamp) -> Result<(usize, u64), Errno> {
        self.check_writable()?;
        // The lock makes finding the end and writing there one step, among our own writers.
        let mut state = self.state();
        let file = self.file(&mut state, node)?;
        let end = file.metadata()?.len();
        let count = file.write_at(data, end)?;
        Ok((count, end + count as u64))
    }

    fn truncate(&self, node: NodeId, length: u64, _: Timestamp) -> Result<(), Errno> {
        self.check_writable()?;
        let file = self.file(&mut self.state(), node)?;
        file.set_len(length).map_err(Errno::from)
    }

    fn create(
        &self,
        directory: NodeId,
        name: &[u8],
        new: &NewNode<'_>,
        _: Timestamp,
    ) -> Result<NodeId, Errno> {
        self.check_writable()?;
        let mut state = self.state();
        let path = state.child(directory, name)?;
        if self.host_metadata(&path).is_ok() {
            return Err(Errno::EEXIST);
        }
        self.make(&path, new)?;
        Ok(self.find(&mut state, directory, name)?.id)
    }

    fn link(&self, node: NodeId, directory: NodeId, name: &[u8], _: Timestamp) -> Result<(), Errno> {
        self.check_writable()?;
        let state = self.state();
        let (old, new) = (state.path(node)?, state.child(directory, name)?);
        self.directory
            .hard_link(old, &self.directory, new)
            .map_err(Errno::from)
    }

    fn unlink(&self, directory: NodeId, name: &[u8], _: Timestamp) -> Result<(), Errno> {
        self.check_writable()?;
        let mut state = self.state();
        let node = self.find(&mut state, directory, name)?;
        if node.kind == FileKind::Directory {
            return Err(Errno::EISDIR);
        }
        self.keep_open(&mut state, node);
        let path = state.child(directory, name)?;
        let last = self.host_metadata(&path)?.nlink() < 2;
        self.directory.remove_file(path)?;
        // Under another name the node is found again by that.
        if last {
            state.nodes.forget(node.id);
        }
        Ok(())
    }

    fn remove_dir(&self, directory: NodeId, name: &[u8], _: Timestamp) -> Result<(), Errno> {
        self.check_writable()?;
        let mut state = self.state();
        let node = self.find(&mut state, directory, name)?;
        self.directory.remove_dir(state.child(directory, name)?)?;
        state.nodes.forget(node.id);
        Ok(())
    }

    fn rename(
        &self,
        from: NodeId,
        from_name: &[u8],
        to: NodeId,
        to_name: &[u8],
        _: Timestamp,
    ) -> Result<(), Errno> {
        self.check_writable()?;
        let mut state = self.state();
        let replaced = self.find(&mut state, to, to_name).ok();
        if let Some(node) = replaced {
            self.keep_open(&mut state, node);
        }
        let (old, new) = (state.child(from, from_name)?, state.child(to, to_name)?);
        self.directory.rename(old, &self.directory, new)?;
        let moved = self.find(&mut state, to, to_name)?;
        if let Some(node) = replaced.filter(|node| node.id != moved.id) {
            state.nodes.forget(node.id);
        }
        Ok(())
    }

    fn set_attributes(&self, node: NodeId, change: &Attributes, _: Timestamp) -> Result<(), Errno> {
        self.check_writable()?;
        let found = self.metadata(node)?;
        let foreign =
            change.uid.is_some_and(|uid| uid != found.uid) || change.gid.is_some_and(|gid| gid != found.gid);
        if foreign || change.mode.is_some_and(|mode| mode & 0o6000 & !found.mode != 0) {
            return Err(Errno::EPERM);
        }
        let path = self.state().path(node)?;
        if let Some(mode) = change.mode.filter(|mode| *mode != found.mode) {
            self.directory
                .set_permissions(&path, Permissions::from_mode(mode))?;
        }
        self.set_host_times(&path, found.kind, change)
    }

    fn retain(&self, node: NodeId) {
        self.state().held.entry(node).or_default().count += 1;
    }

    fn release(&self, node: NodeId) {
        let mut state = self.state();
        let Some(held) = state.held.get_mut(&node) else {
            return;
        };
        held.count -= 1;
        if held.count == 0 {
            state.held.remove(&node);
        }
    }

    /// What is only read needs no copy to be forked.
    fn fork(&self) -> Result<Arc<dyn FileSystem>, Errno> {
        if self.writable {
            return Err(Errno::EOPNOTSUPP);
        }
        let state = State {
            nodes: self.state().nodes.clone(),
            held: FxHashMap::default(),
        };
        let directory = self.directory.try_clone()?;
        Ok(Arc::new(HostDir {
            directory,
            writable: false,
            owner: self.owner,
            state: Mutex::new(state),
        }))
    }

    fn read_only(&self) -> bool {
        !self.writable
    }

    fn type_name(&self) -> &'static str {
        "host"
    }
}
