//! One node of the in-memory tree.

use std::sync::Arc;

use super::content::Content;
use super::directory::Directory;
use crate::fs::{Attributes, Errno, FileKind, Metadata, NewNode, NodeId, Timestamp};

/// A node: attributes and what it holds.
#[derive(Clone)]
pub(super) struct Inode {
    pub mode: u32,
    pub uid: u32,
    pub gid: u32,
    pub nlink: u64,
    pub atime: Timestamp,
    pub mtime: Timestamp,
    pub ctime: Timestamp,
    pub btime: Timestamp,
    pub body: Body,
}

/// What a node holds, by its kind.
#[derive(Clone)]
pub(super) enum Body {
    Regular(Content),
    Directory(Directory),
    Symlink(Arc<[u8]>),
    Special(FileKind, (u32, u32)),
}

/// What `ls -ld` shows as the size of a directory on ext4, and its blocks.
const DIRECTORY_SIZE: u64 = 4096;
const DIRECTORY_BLOCKS: u64 = 8;
/// A link shorter than this is stored in its node on ext4.
const FAST_SYMLINK: usize = 60;

impl Inode {
    /// A node without a name yet.
    pub fn new(new: &NewNode<'_>, now: Timestamp) -> Inode {
        let (nlink, body) = match new.kind {
            FileKind::Regular => (1, Body::Regular(Content::default())),
            FileKind::Directory => (2, Body::Directory(Directory::default())),
            FileKind::Symlink => (1, Body::Symlink(new.target.into())),
            other => (1, Body::Special(other, new.rdev)),
        };
        Inode {
            mode: new.mode,
            uid: new.uid,
            gid: new.gid,
            nlink,
            atime: now,
            mtime: now,
            ctime: now,
            btime: now,
            body,
        }
    }

    pub fn kind(&self) -> FileKind {
        match self.body {
            Body::Regular(_) => FileKind::Regular,
            Body::Directory(_) => FileKind::Directory,
            Body::Symlink(_) => FileKind::Symlink,
            Body::Special(kind, _) => kind,
        }
    }

    /// Bytes that count against the quota.
    pub fn charged_bytes(&self) -> u64 {
        match &self.body {
            Body::Regular(content) => content.length(),
            Body::Symlink(target) => target.len() as u64,
            _ => 0,
        }
    }

    /// Nodes that count against the quota: itself and its further names.
    pub fn charged_nodes(&self) -> u64 {
        match self.body {
            Body::Directory(_) => 1,
            _ => self.nlink.max(1),
        }
    }

    pub fn directory(&self) -> Result<&Directory, Errno> {
        match &self.body {
            Body::Directory(directory) => Ok(directory),
            _ => Err(Errno::ENOTDIR),
        }
    }

    pub fn directory_mut(&mut self) -> Result<&mut Directory, Errno> {
        match &mut self.body {
            Body::Directory(directory) => Ok(directory),
            _ => Err(Errno::ENOTDIR),
        }
    }

    pub fn content(&self) -> Result<&Content, Errno> {
        match &self.body {
            Body::Regular(content) => Ok(content),
            Body::Directory(_) => Err(Errno::EISDIR),
            _ => Err(Errno::EINVAL),
        }
    }

    pub fn content_mut(&mut self) -> Result<&mut Content, Errno> {
        match &mut self.body {
            Body::Regular(content) => Ok(content),
            Body::Directory(_) => Err(Errno::EISDIR),
            _ => Err(Errno::EINVAL),
        }
    }

    /// Stamps a change of contents.
    pub fn modified(&mut self, now: Timestamp) {
        self.mtime = now;
        self.ctime = now;
    }

    pub fn apply(&mut self, change: &Attributes, now: Timestamp) {
        self.mode = change.mode.unwrap_or(self.mode) & 0o7777;
        self.uid = change.uid.unwrap_or(self.uid);
        self.gid = change.gid.unwrap_or(self.gid);
        self.atime = change.atime.unwrap_or(self.atime);
        self.mtime = change.mtime.unwrap_or(self.mtime);
        self.ctime = now;
    }

    pub fn metadata(&self, id: NodeId) -> Metadata {
        let (size, blocks) = match &self.body {
            Body::Regular(content) => (content.length(), content.blocks()),
            Body::Directory(_) => (DIRECTORY_SIZE, DIRECTORY_BLOCKS),
            Body::Symlink(target) if target.len() < FAST_SYMLINK => (target.len() as u64, 0),
            Body::Symlink(target) => (target.len() as u64, 8),
            Body::Special(..) => (0, 0),
        };
        Metadata {
            kind: self.kind(),
            mode: self.mode,
            nlink: self.nlink,
            uid: self.uid,
            gid: self.gid,
            size,
            blocks,
            device: 0,
            inode: id,
            rdev: if let Body::Special(_, rdev) = self.body {
                rdev
            } else {
                (0, 0)
            },
            atime: self.atime,
            mtime: self.mtime,
            ctime: self.ctime,
            btime: self.btime,
        }
    }
}
