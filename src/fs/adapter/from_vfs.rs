//! [`VfsAdapter`]: any `vfs::FileSystem` as a tree.
//!
//! All files have one mode and one owner, as on a FAT disk; changing them, or making a link or device, is `EPERM` as there.
//! `vfs` can replace a file or append to it: a write in the middle reads the whole file and replaces it, which
//! is refused with `EFBIG` above [`REWRITE_MAX`]. A file that is unlinked while it is open is kept in memory. Moving a
//! directory is `EXDEV` where the tree cannot, upon which `mv` copies.

use std::collections::hash_map::Entry;
use std::io::{Read, Seek, SeekFrom, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustc_hash::FxHashMap;

use super::errno;
use crate::fs::path_table::{PathTable, ROOT};
use crate::fs::system_time::{system_time, timestamp};
use crate::fs::{
    Attributes, DirEntry, Errno, FileKind, FileSystem, Metadata, NewNode, Node, NodeId, Timestamp,
};

/// The longest file that is read whole to change it.
pub(super) const REWRITE_MAX: u64 = 256 << 20;

/// A `vfs::FileSystem` as a tree. See the module page. It cannot be forked: put an [`Overlay`](crate::fs::Overlay) over it for that.
pub struct VfsAdapter {
    tree: Box<dyn vfs::FileSystem>,
    file_mode: u32,
    directory_mode: u32,
    state: Mutex<State>,
}

/// A node is its place here.
type Key = (NodeId, Vec<u8>);

struct State {
    nodes: PathTable<Key>,
    holders: FxHashMap<NodeId, u32>,
    /// Contents of files that were unlinked while open.
    orphans: FxHashMap<NodeId, Vec<u8>>,
}

/// Where the contents of a node are.
enum Contents {
    Tree(String),
    Orphan,
}

impl VfsAdapter {
    /// Files get 0644, directories 0755, all owned by user 0.
    pub fn new(tree: impl vfs::FileSystem) -> VfsAdapter {
        let state = State {
            nodes: PathTable::new(),
            holders: FxHashMap::default(),
            orphans: FxHashMap::default(),
        };
        VfsAdapter {
            tree: Box::new(tree),
            file_mode: 0o644,
            directory_mode: 0o755,
            state: Mutex::new(state),
        }
    }

    /// The same with other modes.
    #[must_use]
    pub fn with_modes(self, file_mode: u32, directory_mode: u32) -> VfsAdapter {
        VfsAdapter {
            file_mode: file_mode & 0o7777,
            directory_mode: directory_mode & 0o7777,
            ..self
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn found(&self, path: &str) -> Result<vfs::VfsMetadata, Errno> {
        if !self.tree.exists(path).map_err(|error| errno(&error))? {
            return Err(Errno::ENOENT);
        }
        self.tree.metadata(path).map_err(|error| errno(&error))
    }

    /// The path of a directory.
    fn directory(&self, state: &State, id: NodeId) -> Result<String, Errno> {
        let path = state.path(id)?;
        match self.found(&path)?.file_type {
            vfs::VfsFileType::Directory => Ok(path),
            vfs::VfsFileType::File => Err(Errno::ENOTDIR),
        }
    }

    fn contents(&self, state: &State, id: NodeId) -> Result<(Contents, u64), Errno> {
        if let Some(orphan) = state.orphans.get(&id) {
            return Ok((Contents::Orphan, orphan.len() as u64));
        }
        let path = state.path(id)?;
        let found = self.found(&path)?;
        match found.file_type {
            vfs::VfsFileType::File => Ok((Contents::Tree(path), found.len)),
            vfs::VfsFileType::Directory => Err(Errno::EISDIR),
        }
    }

    fn read_file(&self, path: &str, offset: u64, buffer: &mut [u8]) -> Result<usize, Errno> {
        let mut file = self.tree.open_file(path).map_err(|error| errno(&error))?;
        let read = file.seek(SeekFrom::Start(offset)).and_then(|_| file.read(buffer));
        read.map_err(|error| (&error).into())
    }

    fn read_all(&self, path: &str) -> Result<Vec<u8>, Errno> {
        let file = self.tree.open_file(path).map_err(|error| errno(&error))?;
        let mut contents = Vec::new();
        file.take(REWRITE_MAX + 1)
            .read_to_end(&mut contents)
            .map_err(|error| Errno::from(&error))?;
        if contents.len() as u64 > REWRITE_MAX {
            Err(Errno::EFBIG)
        } else {
            Ok(contents)
        }
    }

    fn put(&self, path: &str, contents: &[u8], end: End, now: Timestamp) -> Result<(), Errno> {
        let opened = match end {
            End::Replace => self.tree.create_file(path),
            End::Append => self.tree.append_file(path),
        };
        let mut file = opened.map_err(|error| errno(&error))?;
        file.write_all(contents)
            .and_then(|()| file.flush())
            .map_err(|error| Errno::from(&error))?;
        drop(file);
        self.stamp(path, now);
        Ok(())
    }

    /// The time of a change, where the tree keeps times at all.
    fn stamp(&self, path: &str, now: Timestamp) {
        if let Some(now) = system_time(now) {
            let _ = self.tree.set_modification_time(path, now);
        }
    }

    /// Changes the contents of a file as a vector.
    fn rewrite(
        &self,
        state: &mut State,
        id: NodeId,
        now: Timestamp,
        change: impl FnOnce(&mut Vec<u8>),
    ) -> Result<(), Errno> {
        match self.contents(state, id)?.0 {
            Contents::Orphan => {
                change(state.orphans.entry(id).or_default());
                Ok(())
            }
            Contents::Tree(path) => {
                let mut contents = self.read_all(&path)?;
                change(&mut contents);
                self.put(&path, &contents, End::Replace, now)
            }
        }
    }

    /// Keeps the contents of an open file that loses its name.
    fn orphan(&self, state: &mut State, id: NodeId, path: &str) -> Result<(), Errno> {
        if state.holders.contains_key(&id) {
            let contents = self.read_all(path)?;
            state.orphans.insert(id, contents);
        }
        Ok(())
    }

    /// Removes what a file or directory of this name is replaced by; a directory must be empty.
    fn clear(&self, state: &mut State, node: Node, path: &str) -> Result<(), Errno> {
        if node.kind == FileKind::Directory {
            if self
                .tree
                .read_dir(path)
                .map_err(|error| errno(&error))?
                .next()
                .is_some()
            {
                return Err(Errno::ENOTEMPTY);
            }
            self.tree.remove_dir(path).map_err(|error| errno(&error))?;
        } else {
            self.orphan(state, node.id, path)?;
            self.tree.remove_file(path).map_err(|error| errno(&error))?;
        }
        state.nodes.forget(node.id);
        Ok(())
    }

    fn find(&self, state: &mut State, directory: NodeId, name: &[u8]) -> Result<Node, Errno> {
        let parent = self.directory(state, directory)?;
        let path = child(&parent, name).map_err(|_| Errno::ENOENT)?;
        let kind = kind(self.found(&path)?.file_type);
        let id = state.nodes.number((directory, name.to_vec()), directory, name);
        Ok(Node { id, kind })
    }

    fn move_file(&self, old: &str, new: &str, now: Timestamp) -> Result<(), Errno> {
        match self.tree.move_file(old, new).map_err(|error| errno(&error)) {
            Err(Errno::EOPNOTSUPP) => {
                let contents = self.read_all(old)?;
                self.put(new, &contents, End::Replace, now)?;
                self.tree.remove_file(old).map_err(|error| errno(&error))
            }
            other => other,
        }
    }

    fn move_directory(&self, old: &str, new: &str) -> Result<(), Errno> {
        match self.tree.move_dir(old, new).map_err(|error| errno(&error)) {
            Err(Errno::EOPNOTSUPP) => Err(Errno::EXDEV),
            other => other,
        }
    }
}

/// Where written bytes go.
#[derive(Clone, Copy)]
enum End {
    Replace,
    Append,
}

impl State {
    fn path(&self, id: NodeId) -> Result<String, Errno> {
        let mut path = String::new();
        for component in self.nodes.path(id)? {
            path.push('/');
            path.push_str(std::str::from_utf8(component).map_err(|_| Errno::EILSEQ)?);
        }
        Ok(path)
    }
}

fn child(parent: &str, name: &[u8]) -> Result<String, Errno> {
    let name = std::str::from_utf8(name).map_err(|_| Errno::EILSEQ)?;
    Ok(format!("{parent}/{name}"))
}

fn kind(file_type: vfs::VfsFileType) -> FileKind {
    match file_type {
        vfs::VfsFileType::File => FileKind::Regular,
        vfs::VfsFileType::Directory => FileKind::Directory,
    }
}

impl FileSystem for VfsAdapter {
    fn root(&self) -> NodeId {
        ROOT
    }

    fn lookup(&self, directory: NodeId, name: &[u8]) -> Result<Node, Errno> {
        self.find(&mut self.state(), directory, name)
    }

    fn metadata(&self, node: NodeId) -> Result<Metadata, Errno> {
        let state = self.state();
        let (kind, size, times) = if let Some(orphan) = state.orphans.get(&node) {
            (FileKind::Regular, orphan.len() as u64, (None, None, None))
        } else {
            let found = self.found(&state.path(node)?)?;
            (
                kind(found.file_type),
                found.len,
                (found.accessed, found.modified, found.created),
            )
        };
        let is_directory = kind == FileKind::Directory;
        let modified = times.1.map(timestamp).unwrap_or_default();
        Ok(Metadata {
            kind,
            mode: if is_directory {
                self.directory_mode
            } else {
                self.file_mode
            },
            nlink: u64::from(!state.orphans.contains_key(&node)) + u64::from(is_directory),
            uid: 0,
            gid: 0,
            size: if is_directory { 4096 } else { size },
            blocks: if is_directory { 8 } else { size.div_ceil(4096) * 8 },
            device: 0,
            inode: node,
            rdev: (0, 0),
            atime: times.0.map_or(modified, timestamp),
            mtime: modified,
            ctime: modified,
            btime: times.2.map_or(modified, timestamp),
        })
    }

    fn read_dir(&self, directory: NodeId) -> Result<Vec<DirEntry>, Errno> {
        let mut state = self.state();
        let path = self.directory(&state, directory)?;
        let mut names: Vec<String> = self
            .tree
            .read_dir(&path)
            .map_err(|error| errno(&error))?
            .collect();
        names.retain(|name| !name.is_empty() && name != "." && name != ".." && !name.contains(['/', '\0']));
        names.sort();
        let mut entries = Vec::new();
        for name in names {
            // What vanished since is left out.
            if let Ok(node) = self.find(&mut state, directory, name.as_bytes()) {
                entries.push(DirEntry {
                    name: name.into_bytes(),
                    kind: node.kind,
                    inode: node.id,
                });
            }
        }
        Ok(entries)
    }

    fn read_link(&self, _: NodeId) -> Result<Vec<u8>, Errno> {
        Err(Errno::EINVAL)
    }

    fn read(&self, node: NodeId, offset: u64, buffer: &mut [u8]) -> Result<usize, Errno> {
        let state = self.state();
        let (contents, length) = self.contents(&state, node)?;
        let count = length.saturating_sub(offset).min(buffer.len() as u64) as usize;
        let Some(buffer) = buffer.get_mut(..count).filter(|buffer| !buffer.is_empty()) else {
            return Ok(0);
        };
        match contents {
            Contents::Tree(path) => self.read_file(&path, offset, buffer),
            Contents::Orphan => {
                let stored = state.orphans.get(&node).map(Vec::as_slice).unwrap_or_default();
                let from = stored
                    .get(offset as usize..offset as usize + count)
                    .ok_or(Errno::EIO)?;
                buffer.copy_from_slice(from);
                Ok(count)
            }
        }
    }

    fn write(&self, node: NodeId, offset: u64, data: &[u8], now: Timestamp) -> Result<usize, Errno> {
        if data.is_empty() {
            return Ok(0);
        }
        let mut state = self.state();
        let (contents, length) = self.contents(&state, node)?;
        if let (Contents::Tree(path), true) = (&contents, offset == length) {
            self.put(path, data, End::Append, now)?;
            return Ok(data.len());
        }
        let end = offset
            .checked_add(data.len() as u64)
            .filter(|end| *end <= REWRITE_MAX)
            .ok_or(Errno::EFBIG)?;
        self.rewrite(&mut state, node, now, |bytes| {
            bytes.resize(bytes.len().max(end as usize), 0);
            if let Some(place) = bytes.get_mut(offset as usize..end as usize) {
                place.copy_from_slice(data);
            }
        })?;
        Ok(data.len())
    }

    fn append(&self, node: NodeId, data: &[u8], now: Timestamp) -> Result<(usize, u64), Errno> {
        let end = self.contents(&self.state(), node)?.1;
        let count = self.write(node, end, data, now)?;
        Ok((count, end + count as u64))
    }

    fn truncate(&self, node: NodeId, length: u64, now: Timestamp) -> Result<(), Errno> {
        let mut state = self.state();
        if let (Contents::Tree(path), 0) = (self.contents(&state, node)?.0, length) {
            return self.put(&path, b"", End::Replace, now);
        }
        if length > REWRITE_MAX {
            return Err(Errno::EFBIG);
        }
        self.rewrite(&mut state, node, now, |bytes| bytes.resize(length as usize, 0))
    }

    fn create(
        &self,
        directory: NodeId,
        name: &[u8],
        new: &NewNode<'_>,
        now: Timestamp,
    ) -> Result<NodeId, Errno> {
        let mut state = self.state();
        let path = child(&self.directory(&state, directory)?, name)?;
        if self.tree.exists(&path).map_err(|error| errno(&error))? {
            return Err(Errno::EEXIST);
        }
        match new.kind {
            FileKind::Regular => self.put(&path, b"", End::Replace, now)?,
            FileKind::Directory => {
                self.tree.create_dir(&path).map_err(|error| errno(&error))?;
                self.stamp(&path, now);
            }
            _ => return Err(Errno::EPERM),
        }
        Ok(state.nodes.number((directory, name.to_vec()), directory, name))
    }

    fn link(&self, _: NodeId, _: NodeId, _: &[u8], _: Timestamp) -> Result<(), Errno> {
        Err(Errno::EPERM)
    }

    fn unlink(&self, directory: NodeId, name: &[u8], _: Timestamp) -> Result<(), Errno> {
        let mut state = self.state();
        let node = self.find(&mut state, directory, name)?;
        if node.kind == FileKind::Directory {
            return Err(Errno::EISDIR);
        }
        let path = state.path(node.id)?;
        self.clear(&mut state, node, &path)
    }

    fn remove_dir(&self, directory: NodeId, name: &[u8], _: Timestamp) -> Result<(), Errno> {
        let mut state = self.state();
        let node = self.find(&mut state, directory, name)?;
        if node.kind != FileKind::Directory {
            return Err(Errno::ENOTDIR);
        }
        let path = state.path(node.id)?;
        self.clear(&mut state, node, &path)
    }

    fn rename(
        &self,
        from: NodeId,
        from_name: &[u8],
        to: NodeId,
        to_name: &[u8],
        now: Timestamp,
    ) -> Result<(), Errno> {
        let mut state = self.state();
        let moved = self.find(&mut state, from, from_name)?;
        let old = state.path(moved.id)?;
        let new = child(&self.directory(&state, to)?, to_name)?;
        if old == new {
            return Ok(());
        }
        if let Ok(replaced) = self.find(&mut state, to, to_name) {
            match (moved.kind, replaced.kind) {
                (FileKind::Directory, FileKind::Regular) => return Err(Errno::ENOTDIR),
                (FileKind::Regular, FileKind::Directory) => return Err(Errno::EISDIR),
                _ => self.clear(&mut state, replaced, &new)?,
            }
        }
        match moved.kind {
            FileKind::Directory => self.move_directory(&old, &new)?,
            _ => self.move_file(&old, &new, now)?,
        }
        state
            .nodes
            .rekey(&(from, from_name.to_vec()), (to, to_name.to_vec()), to, to_name);
        Ok(())
    }

    fn set_attributes(&self, node: NodeId, change: &Attributes, _: Timestamp) -> Result<(), Errno> {
        let found = self.metadata(node)?;
        let foreign = change.uid.is_some_and(|uid| uid != 0) || change.gid.is_some_and(|gid| gid != 0);
        if foreign || change.mode.is_some_and(|mode| mode != found.mode) {
            return Err(Errno::EPERM);
        }
        let path = self.state().path(node)?;
        if let Some(time) = change.mtime {
            let time = system_time(time).ok_or(Errno::EINVAL)?;
            self.tree
                .set_modification_time(&path, time)
                .map_err(|error| errno(&error))?;
        }
        if let Some(time) = change.atime {
            let time = system_time(time).ok_or(Errno::EINVAL)?;
            self.tree
                .set_access_time(&path, time)
                .map_err(|error| errno(&error))?;
        }
        Ok(())
    }

    fn retain(&self, node: NodeId) {
        *self.state().holders.entry(node).or_default() += 1;
    }

    fn release(&self, node: NodeId) {
        let mut state = self.state();
        let Entry::Occupied(mut entry) = state.holders.entry(node) else {
            return;
        };
        *entry.get_mut() -= 1;
        if *entry.get() == 0 {
            entry.remove();
            state.orphans.remove(&node);
        }
    }

    fn type_name(&self) -> &'static str {
        "vfs"
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::fs::{Follow, Fs, OpenFlags, Opened, Overlay, Quota, View};

    const VIEW: View<'static> = View {
        now: Timestamp {
            seconds: 77,
            nanos: 0,
        },
        ..View::ROOT
    };

    fn tree() -> Fs {
        let fs = Fs::new(Arc::new(VfsAdapter::new(vfs::MemoryFS::new())));
        fs.write_with_parents(&VIEW, b"/d/f", b"0123456789").unwrap();
        fs
    }

    #[test]
    fn files_are_written_at_any_offset() {
        let fs = tree();
        let Opened::File(node) = fs.open(&VIEW, b"/d/f", OpenFlags::READ_WRITE, 0).unwrap() else {
            panic!()
        };
        node.write_at(2, b"ab", VIEW.now).unwrap();
        node.write_at(12, b"z", VIEW.now).unwrap();
        assert_eq!(node.append(b"!", VIEW.now), Ok((1, 14)));
        assert_eq!(fs.read(&VIEW, b"/d/f").unwrap(), b"01ab456789\0\0z!");
        node.truncate(3, VIEW.now).unwrap();
        assert_eq!(node.write_at(REWRITE_MAX, b"x", VIEW.now), Err(Errno::EFBIG));
        assert_eq!(fs.metadata(&VIEW, b"/d/f", Follow::No).unwrap().mtime, VIEW.now);
        fs.unlink(&VIEW, b"/d/f").unwrap();
        node.write_at(3, b"kept", VIEW.now).unwrap();
        assert_eq!(&*node.read_chunk(0, 99).unwrap(), b"01akept");
        assert!(!fs.exists(&VIEW, b"/d/f"));
    }

    #[test]
    fn what_vfs_cannot_do_is_an_error() {
        let fs = tree();
        assert_eq!(fs.symlink(&VIEW, b"f", b"/l"), Err(Errno::EPERM));
        assert_eq!(fs.link(&VIEW, b"/d/f", b"/l", Follow::No), Err(Errno::EPERM));
        assert_eq!(fs.set_mode(&VIEW, b"/d/f", 0o755, Follow::No), Err(Errno::EPERM));
        assert_eq!(fs.set_mode(&VIEW, b"/d/f", 0o644, Follow::No), Ok(()));
        assert_eq!(fs.rename(&VIEW, b"/d", b"/e"), Err(Errno::EXDEV));
        assert_eq!(fs.write(&VIEW, b"/\xff", b""), Err(Errno::EILSEQ));
        assert_eq!(fs.kind(&VIEW, b"/\xff", Follow::No), Err(Errno::ENOENT));
        assert_eq!(fs.fork().err(), Some(Errno::EOPNOTSUPP));
        assert_eq!(fs.remove_dir(&VIEW, b"/d"), Err(Errno::ENOTEMPTY));
        assert_eq!(fs.unlink(&VIEW, b"/d"), Err(Errno::EISDIR));
        assert_eq!(fs.kind(&VIEW, b"/d/f/x", Follow::No), Err(Errno::ENOTDIR));
    }

    #[test]
    fn files_move_and_an_overlay_does_the_rest() {
        let fs = tree();
        fs.write(&VIEW, b"/g", b"old").unwrap();
        fs.rename(&VIEW, b"/d/f", b"/g").unwrap();
        assert_eq!(fs.read(&VIEW, b"/g").unwrap(), b"0123456789");
        assert!(!fs.exists(&VIEW, b"/d/f"));
        let lower = VfsAdapter::new(vfs::MemoryFS::new());
        let fs = Fs::new(Arc::new(Overlay::new(Arc::new(lower), Quota::default()).unwrap()));
        fs.write_with_parents(&VIEW, b"/d/f", b"x").unwrap();
        fs.rename(&VIEW, b"/d", b"/e").unwrap();
        fs.symlink(&VIEW, b"e/f", b"/l").unwrap();
        assert_eq!(fs.fork().unwrap().read(&VIEW, b"/l").unwrap(), b"x");
    }
}
