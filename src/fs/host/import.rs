//! Copying a host directory into a tree.

use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use cap_std::fs::{Dir, MetadataExt};
use rustc_hash::FxHashMap;
use walkdir::{DirEntry, WalkDir};

use crate::fs::{Errno, Follow, Fs, OpenFlags, Opened, Timestamp, View};

/// What an import may cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImportLimits {
    /// Files, directories and links together.
    pub nodes: u64,
    /// Bytes of all files together.
    pub bytes: u64,
    /// Directories below one another.
    pub depth: usize,
}

impl Default for ImportLimits {
    /// 100 000 nodes, 512 MiB, 64 levels.
    fn default() -> ImportLimits {
        ImportLimits {
            nodes: 100_000,
            bytes: 512 << 20,
            depth: 64,
        }
    }
}

/// What an import did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ImportReport {
    /// Files copied; further hard links of a copied one included.
    pub files: u64,
    /// Directories made, without the one that was there.
    pub directories: u64,
    /// Symbolic links copied as they are.
    pub links: u64,
    /// Bytes copied.
    pub bytes: u64,
    /// Devices, pipes and sockets, which are left out.
    pub skipped: Vec<PathBuf>,
}

/// Why an import stopped. What was copied until then stays.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ImportError {
    /// A limit of [`ImportLimits`], named.
    Limit(&'static str),
    /// The host did not give a file.
    Host(PathBuf, Errno),
    /// The tree did not take it.
    Tree(PathBuf, Errno),
}

impl std::fmt::Display for ImportError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ImportError::Limit(what) => write!(f, "import exceeds the limit of {what}"),
            ImportError::Host(path, error) => write!(f, "cannot import {}: {error}", path.display()),
            ImportError::Tree(path, error) => write!(f, "cannot store {}: {error}", path.display()),
        }
    }
}

impl std::error::Error for ImportError {}

/// Copies what is in a host directory into a directory of a tree, which is made if need be: contents, permission bits (without
/// setuid and setgid), modification times, hard links. Symbolic links are copied, never followed.
/// Files get the owner of the view.
pub fn import(
    host: impl AsRef<Path>,
    into: &Fs,
    view: &View<'_>,
    at: &[u8],
    limits: ImportLimits,
) -> Result<ImportReport, ImportError> {
    let host = host.as_ref();
    let directory = Dir::open_ambient_dir(host, cap_std::ambient_authority())
        .map_err(|error| ImportError::Host(host.to_path_buf(), (&error).into()))?;
    into.make_dirs(view, at)
        .map_err(|error| ImportError::Tree(host.to_path_buf(), error))?;
    let mut importer = Importer {
        host,
        directory,
        into,
        view,
        at,
        limits,
        nodes: 0,
        seen: FxHashMap::default(),
        report: ImportReport::default(),
        finish: Vec::new(),
    };
    importer.walk()?;
    Ok(importer.report)
}

struct Importer<'a> {
    host: &'a Path,
    directory: Dir,
    into: &'a Fs,
    view: &'a View<'a>,
    at: &'a [u8],
    limits: ImportLimits,
    nodes: u64,
    /// Files with several names: device and inode, and the path of the first.
    seen: FxHashMap<(u64, u64), Vec<u8>>,
    report: ImportReport,
    /// Modes and times of directories, set when they are full.
    finish: Vec<(Vec<u8>, u32, Timestamp)>,
}

impl Importer<'_> {
    fn walk(&mut self) -> Result<(), ImportError> {
        let walk = WalkDir::new(self.host)
            .min_depth(1)
            .follow_links(false)
            .sort_by_file_name();
        for entry in walk {
            let entry = entry.map_err(|error| self.walk_error(&error))?;
            self.nodes += 1;
            if self.nodes > self.limits.nodes {
                return Err(ImportError::Limit("nodes"));
            }
            if entry.depth() > self.limits.depth {
                return Err(ImportError::Limit("depth"));
            }
            self.entry(&entry)?;
        }
        while let Some((path, mode, mtime)) = self.finish.pop() {
            self.finish(&path, mode, mtime)
                .map_err(|error| ImportError::Tree(self.host.to_path_buf(), error))?;
        }
        Ok(())
    }

    fn walk_error(&self, error: &walkdir::Error) -> ImportError {
        let path = error.path().unwrap_or(self.host).to_path_buf();
        ImportError::Host(path, error.io_error().map_or(Errno::ELOOP, Errno::from))
    }

    fn entry(&mut self, entry: &DirEntry) -> Result<(), ImportError> {
        let relative = entry
            .path()
            .strip_prefix(self.host)
            .unwrap_or(entry.path())
            .to_path_buf();
        let target = [self.at, b"/", relative.as_os_str().as_bytes()].concat();
        let host = |error: std::io::Error| ImportError::Host(relative.clone(), (&error).into());
        let tree = |error: Errno| ImportError::Tree(relative.clone(), error);
        // Asked again through the handle: only that cannot be led outside.
        let found = self.directory.symlink_metadata(&relative).map_err(host)?;
        let mode = found.mode() & 0o1777;
        let mtime = Timestamp {
            seconds: found.mtime(),
            nanos: found.mtime_nsec().clamp(0, 999_999_999) as u32,
        };
        if found.is_dir() {
            self.into.make_dirs(self.view, &target).map_err(tree)?;
            self.report.directories += 1;
            self.finish.push((target, mode, mtime));
        } else if found.is_symlink() {
            let link = self.directory.read_link_contents(&relative).map_err(host)?;
            self.into
                .symlink(self.view, &link.into_os_string().into_vec(), &target)
                .map_err(tree)?;
            self.report.links += 1;
        } else if found.is_file() {
            self.report.files += 1;
            let key = (found.dev(), found.ino());
            if let Some(first) = self.seen.get(&key) {
                return self
                    .into
                    .link(self.view, first, &target, Follow::No)
                    .map_err(tree);
            }
            self.copy(&relative, &target)?;
            self.finish(&target, mode, mtime).map_err(tree)?;
            if found.nlink() > 1 {
                self.seen.insert(key, target);
            }
        } else {
            self.report.skipped.push(relative);
        }
        Ok(())
    }

    fn copy(&mut self, relative: &Path, target: &[u8]) -> Result<(), ImportError> {
        use std::io::Read;
        let host = |error: std::io::Error| ImportError::Host(relative.to_path_buf(), (&error).into());
        let tree = |error: Errno| ImportError::Tree(relative.to_path_buf(), error);
        let mut from = self.directory.open(relative).map_err(host)?;
        let Opened::File(to) = self
            .into
            .open(self.view, target, OpenFlags::CREATE, 0o666)
            .map_err(tree)?
        else {
            return Err(tree(Errno::EEXIST));
        };
        let mut buffer = vec![0; 64 * 1024];
        let mut offset = 0;
        loop {
            let count = from.read(&mut buffer).map_err(host)?;
            let mut rest = buffer.get(..count).unwrap_or_default();
            if rest.is_empty() {
                return Ok(());
            }
            self.report.bytes += rest.len() as u64;
            if self.report.bytes > self.limits.bytes {
                return Err(ImportError::Limit("bytes"));
            }
            while !rest.is_empty() {
                let written = to.write_at(offset, rest, self.view.now).map_err(tree)?;
                offset += written as u64;
                rest = rest.get(written..).unwrap_or_default();
            }
        }
    }

    fn finish(&self, path: &[u8], mode: u32, mtime: Timestamp) -> Result<(), Errno> {
        self.into.set_mode(self.view, path, mode, Follow::No)?;
        self.into
            .set_times(self.view, path, None, Some(mtime), Follow::No)
    }
}
