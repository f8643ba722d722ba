//! [`VfsView`]: a file tree as a `vfs::FileSystem`, for hosts whose code works on that.

use std::fmt;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::time::SystemTime;

use vfs::error::VfsErrorKind;
use vfs::{SeekAndRead, SeekAndWrite, VfsError, VfsFileType, VfsMetadata, VfsResult};

use crate::fs::system_time::{system_time, timestamp};
use crate::fs::{
    Credentials, Errno, FileKind, Follow, Fs, MemFs, OpenFlags, OpenNode, Opened, Timestamp, View,
};

/// A file tree seen through `vfs`, by user 0 with umask 022. Links are followed, devices and pipes are not shown; changes
/// are stamped with one time, since nothing here has a clock.
pub struct VfsView {
    fs: Fs,
    now: Timestamp,
}

impl VfsView {
    /// A view whose changes are stamped with `now`.
    pub fn new(fs: Fs, now: Timestamp) -> VfsView {
        VfsView { fs, now }
    }

    /// A view of a tree in memory.
    pub fn of_memory(tree: std::sync::Arc<MemFs>, now: Timestamp) -> VfsView {
        VfsView::new(Fs::new(tree), now)
    }

    fn view(&self) -> View<'static> {
        View {
            cwd: b"/",
            umask: 0o022,
            user: Credentials::default(),
            now: self.now,
        }
    }

    fn open(&self, path: &str, flags: OpenFlags) -> VfsResult<OpenFile> {
        match self
            .fs
            .open(&self.view(), &absolute(path), flags, 0o666)
            .map_err(failure)?
        {
            Opened::File(node) => Ok(OpenFile {
                node,
                position: 0,
                now: self.now,
            }),
            _ => Err(VfsErrorKind::Other("Not a file".into()).into()),
        }
    }

    fn kind(&self, path: &str) -> Result<FileKind, Errno> {
        self.fs.kind(&self.view(), &absolute(path), Follow::Yes)
    }

    fn set_times(&self, path: &str, atime: Option<SystemTime>, mtime: Option<SystemTime>) -> VfsResult<()> {
        let (atime, mtime) = (atime.map(timestamp), mtime.map(timestamp));
        self.fs
            .set_times(&self.view(), &absolute(path), atime, mtime, Follow::Yes)
            .map_err(failure)
    }
}

impl fmt::Debug for VfsView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("VfsView")
    }
}

/// The root is the empty string in `vfs`.
fn absolute(path: &str) -> Vec<u8> {
    if path.is_empty() {
        b"/".to_vec()
    } else {
        path.as_bytes().to_vec()
    }
}

fn failure(error: Errno) -> VfsError {
    match error {
        Errno::ENOENT => VfsErrorKind::FileNotFound.into(),
        Errno::EEXIST => VfsErrorKind::FileExists.into(),
        Errno::EOPNOTSUPP => VfsErrorKind::NotSupported.into(),
        other => VfsErrorKind::IoError(other.into()).into(),
    }
}

impl vfs::FileSystem for VfsView {
    fn read_dir(&self, path: &str) -> VfsResult<Box<dyn Iterator<Item = String> + Send>> {
        let entries = self.fs.read_dir(&self.view(), &absolute(path)).map_err(failure)?;
        // vfs has no names that are not UTF-8, and no kinds but two.
        let names: Vec<String> = entries
            .into_iter()
            .filter_map(|entry| String::from_utf8(entry.name).ok())
            .filter(|name| self.exists(&format!("{path}/{name}")).unwrap_or(false))
            .collect();
        Ok(Box::new(names.into_iter()))
    }

    fn create_dir(&self, path: &str) -> VfsResult<()> {
        match self.fs.make_dir(&self.view(), &absolute(path), 0o777) {
            Err(Errno::EEXIST) if self.kind(path) == Ok(FileKind::Directory) => {
                Err(VfsErrorKind::DirectoryExists.into())
            }
            other => other.map_err(failure),
        }
    }

    fn open_file(&self, path: &str) -> VfsResult<Box<dyn SeekAndRead + Send>> {
        Ok(Box::new(self.open(path, OpenFlags::READ)?))
    }

    fn create_file(&self, path: &str) -> VfsResult<Box<dyn SeekAndWrite + Send>> {
        Ok(Box::new(self.open(path, OpenFlags::CREATE)?))
    }

    fn append_file(&self, path: &str) -> VfsResult<Box<dyn SeekAndWrite + Send>> {
        let mut file = self.open(path, OpenFlags::WRITE)?;
        file.seek(SeekFrom::End(0))?;
        Ok(Box::new(file))
    }

    fn metadata(&self, path: &str) -> VfsResult<VfsMetadata> {
        let found = self
            .fs
            .metadata(&self.view(), &absolute(path), Follow::Yes)
            .map_err(failure)?;
        let (file_type, len) = match found.kind {
            FileKind::Directory => (VfsFileType::Directory, 0),
            FileKind::Regular => (VfsFileType::File, found.size),
            _ => return Err(VfsErrorKind::FileNotFound.into()),
        };
        Ok(VfsMetadata {
            file_type,
            len,
            created: system_time(found.btime),
            modified: system_time(found.mtime),
            accessed: system_time(found.atime),
        })
    }

    fn set_modification_time(&self, path: &str, time: SystemTime) -> VfsResult<()> {
        self.set_times(path, None, Some(time))
    }

    fn set_access_time(&self, path: &str, time: SystemTime) -> VfsResult<()> {
        self.set_times(path, Some(time), None)
    }

    fn exists(&self, path: &str) -> VfsResult<bool> {
        match self.kind(path) {
            Ok(kind) => Ok(matches!(kind, FileKind::Regular | FileKind::Directory)),
            Err(Errno::ENOENT | Errno::ENOTDIR | Errno::ELOOP) => Ok(false),
            Err(error) => Err(failure(error)),
        }
    }

    fn remove_file(&self, path: &str) -> VfsResult<()> {
        self.fs.unlink(&self.view(), &absolute(path)).map_err(failure)
    }

    fn remove_dir(&self, path: &str) -> VfsResult<()> {
        self.fs.remove_dir(&self.view(), &absolute(path)).map_err(failure)
    }

    fn move_file(&self, old: &str, new: &str) -> VfsResult<()> {
        self.fs
            .rename(&self.view(), &absolute(old), &absolute(new))
            .map_err(failure)
    }

    fn move_dir(&self, old: &str, new: &str) -> VfsResult<()> {
        self.move_file(old, new)
    }
}

/// An open file with a position.
struct OpenFile {
    node: OpenNode,
    position: u64,
    now: Timestamp,
}

impl Read for OpenFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.node.read_at(self.position, buffer)?;
        self.position += count as u64;
        Ok(count)
    }
}

impl Write for OpenFile {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        let count = self.node.write_at(self.position, data, self.now)?;
        self.position += count as u64;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Seek for OpenFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let (base, offset) = match to {
            SeekFrom::Start(offset) => (offset, 0),
            SeekFrom::Current(offset) => (self.position, offset),
            SeekFrom::End(offset) => (self.node.metadata()?.size, offset),
        };
        self.position = base.checked_add_signed(offset).ok_or(Errno::EINVAL)?;
        Ok(self.position)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use vfs::VfsPath;

    use super::*;

    fn root() -> (VfsPath, Arc<MemFs>) {
        let tree = Arc::new(MemFs::default());
        (
            VfsView::of_memory(Arc::clone(&tree), Timestamp { seconds: 5, nanos: 0 }).into(),
            tree,
        )
    }

    fn read(path: &VfsPath) -> String {
        path.read_to_string().unwrap()
    }

    #[test]
    fn files_are_written_sought_and_moved() {
        let (root, tree) = root();
        let file = root.join("a/b/file").unwrap();
        file.parent().create_dir_all().unwrap();
        let mut out = file.create_file().unwrap();
        out.write_all(b"Hello world!").unwrap();
        out.seek(SeekFrom::Current(-6)).unwrap();
        out.write_all(b"there").unwrap();
        drop(out);
        file.append_file().unwrap().write_all(b" End").unwrap();
        assert_eq!(read(&file), "Hello there! End");
        let moved = root.join("moved").unwrap();
        file.move_file(&moved).unwrap();
        root.join("a")
            .unwrap()
            .copy_dir(&root.join("c").unwrap())
            .unwrap();
        root.join("a")
            .unwrap()
            .move_dir(&root.join("d").unwrap())
            .unwrap();
        let names: Vec<_> = root.read_dir().unwrap().map(|path| path.filename()).collect();
        assert_eq!(names, ["c", "d", "moved"]);
        assert_eq!(
            Fs::new(tree).read(&View::ROOT, b"/moved").unwrap(),
            b"Hello there! End"
        );
        root.join("c").unwrap().remove_dir_all().unwrap();
        assert!(!root.join("c/b").unwrap().exists().unwrap());
    }

    #[test]
    fn links_are_followed_and_other_nodes_are_not_there() {
        let (root, tree) = root();
        let fs = Fs::new(tree);
        fs.write(&View::ROOT, b"/f", b"text").unwrap();
        fs.symlink(&View::ROOT, b"f", b"/l").unwrap();
        fs.symlink(&View::ROOT, b"nowhere", b"/dangling").unwrap();
        fs.make_node(&View::ROOT, b"/pipe", FileKind::Fifo, 0o600, (0, 0))
            .unwrap();
        assert_eq!(read(&root.join("l").unwrap()), "text");
        let names: Vec<_> = root.read_dir().unwrap().map(|path| path.filename()).collect();
        assert_eq!(names, ["f", "l"]);
        assert!(!root.join("f/x").unwrap().exists().unwrap());
        let error = root.join("f").unwrap().create_dir().unwrap_err();
        assert!(matches!(error.kind(), VfsErrorKind::FileExists));
        assert!(root.join("nowhere").unwrap().open_file().is_err());
    }

    #[test]
    fn a_view_of_an_adapter_of_a_view() {
        let (_, tree) = root();
        let inner = VfsView::of_memory(tree, Timestamp::default());
        let fs = Fs::new(Arc::new(super::super::VfsAdapter::new(inner)));
        fs.write_with_parents(&View::ROOT, b"/x/y", b"deep").unwrap();
        fs.rename(&View::ROOT, b"/x", b"/z").unwrap();
        assert_eq!(fs.read(&View::ROOT, b"/z/y").unwrap(), b"deep");
        let outer: VfsPath = VfsView::new(fs, Timestamp::default()).into();
        assert_eq!(read(&outer.join("z/y").unwrap()), "deep");
    }
}
