//! Shortcuts for hosts that prepare a tree or look at it: whole files in one call. Programs read and write through descriptors.

use super::{Errno, FileKind, Follow, Fs, OpenFlags, OpenNode, Opened, View};

impl Fs {
    fn open_file(&self, view: &View<'_>, path: &[u8], flags: OpenFlags) -> Result<OpenNode, Errno> {
        match self.open(view, path, flags, 0o666)? {
            Opened::File(node) => Ok(node),
            Opened::Directory(_) => Err(Errno::EISDIR),
            Opened::Device(..) | Opened::Fifo(_) => Err(Errno::EINVAL),
        }
    }

    /// The contents of a regular file.
    pub fn read(&self, view: &View<'_>, path: &[u8]) -> Result<Vec<u8>, Errno> {
        let node = self.open_file(view, path, OpenFlags::READ)?;
        let mut contents = Vec::new();
        loop {
            let chunk = node.read_chunk(contents.len() as u64, 1 << 20)?;
            if chunk.is_empty() {
                return Ok(contents);
            }
            if contents.is_empty() {
                contents = chunk.into_vec();
            } else {
                contents.extend_from_slice(&chunk);
            }
        }
    }

    /// Sets the contents of a regular file, which is made (0666 less the umask) if need be.
    pub fn write(&self, view: &View<'_>, path: &[u8], data: &[u8]) -> Result<(), Errno> {
        let node = self.open_file(view, path, OpenFlags::CREATE)?;
        let mut done = 0;
        while let Some(rest) = data.get(done..).filter(|rest| !rest.is_empty()) {
            done += node.write_at(done as u64, rest, view.now)?;
        }
        Ok(())
    }

    /// [`Fs::write`], after making the directories above (0777 less the umask), as `mkdir -p` does.
    pub fn write_with_parents(&self, view: &View<'_>, path: &[u8], data: &[u8]) -> Result<(), Errno> {
        if let Some(end) = memchr::memrchr(b'/', path) {
            self.make_dirs(view, path.get(..end).unwrap_or_default())?;
        }
        self.write(view, path, data)
    }

    /// Makes a directory and those above it, where they are missing, as `mkdir -p` does.
    pub fn make_dirs(&self, view: &View<'_>, path: &[u8]) -> Result<(), Errno> {
        let ends = memchr::memchr_iter(b'/', path).chain([path.len()]);
        for prefix in ends
            .filter_map(|end| path.get(..end))
            .filter(|prefix| !prefix.is_empty())
        {
            match self.kind(view, prefix, Follow::Yes) {
                Ok(FileKind::Directory) => {}
                Ok(_) => return Err(Errno::ENOTDIR),
                Err(Errno::ENOENT) => self.make_dir(view, prefix, 0o777)?,
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}
