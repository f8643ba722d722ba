//! Opening: [`Fs::open`] with the rules of `open(2)`, and [`OpenNode`], what it gives.

use std::sync::Arc;

use super::mount::Place;
use super::resolve::{Found, Last, Slot, Walker};
use super::{
    Access, Chunk, Device, DirEntry, Errno, FileKind, FileSystem, Follow, Fs, Metadata, NewNode, Node,
    NodeId, OpenFlags, Timestamp, View, create, permission,
};

/// What `open` gives.
pub enum Opened {
    /// A regular file.
    File(OpenNode),
    /// A directory.
    Directory(OpenNode),
    /// A device that the kernel knows.
    Device(Device, OpenNode),
    /// A named pipe; its ends are joined by [`OpenNode::id`].
    Fifo(OpenNode),
}

/// An open node. An unlinked file lives until its last `OpenNode` goes. There is no offset here and no mode: both belong to
/// the descriptor table of the kernel.
pub struct OpenNode {
    tree: Arc<dyn FileSystem>,
    node: NodeId,
    device: u64,
    path: Vec<u8>,
}

impl Drop for OpenNode {
    fn drop(&mut self) {
        self.tree.release(self.node);
    }
}

impl OpenNode {
    fn new(found: Found<'_>) -> OpenNode {
        let Place { mount, node } = found.place;
        mount.tree.retain(node.id);
        OpenNode {
            tree: Arc::clone(&mount.tree),
            node: node.id,
            device: mount.device,
            path: found.path,
        }
    }

    /// The same node, opened once more.
    #[must_use]
    pub fn again(&self) -> OpenNode {
        self.tree.retain(self.node);
        OpenNode {
            tree: Arc::clone(&self.tree),
            node: self.node,
            device: self.device,
            path: self.path.clone(),
        }
    }

    /// Reads at an offset; 0 at or past the end.
    pub fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<usize, Errno> {
        self.tree.read(self.node, offset, buffer)
    }

    /// Reads at most `max` bytes (and at most one chunk of the storage, which is shared); empty at or past the end.
    pub fn read_chunk(&self, offset: u64, max: usize) -> Result<Chunk, Errno> {
        self.tree.read_chunk(self.node, offset, max)
    }

    /// Writes at an offset what fits; returns the count.
    pub fn write_at(&self, offset: u64, data: &[u8], now: Timestamp) -> Result<usize, Errno> {
        self.tree.write(self.node, offset, data, now)
    }

    /// Writes at the end what fits; returns the count and the new length, which is the offset after an `O_APPEND` write.
    pub fn append(&self, data: &[u8], now: Timestamp) -> Result<(usize, u64), Errno> {
        self.tree.append(self.node, data, now)
    }

    /// Sets the length.
    pub fn truncate(&self, length: u64, now: Timestamp) -> Result<(), Errno> {
        self.tree.truncate(self.node, length, now)
    }

    /// The attributes (`fstat`).
    pub fn metadata(&self) -> Result<Metadata, Errno> {
        let metadata = self.tree.metadata(self.node)?;
        Ok(Metadata {
            device: self.device,
            ..metadata
        })
    }

    /// The names of an open directory, sorted by bytes.
    pub fn read_dir(&self) -> Result<Vec<DirEntry>, Errno> {
        self.tree.read_dir(self.node)
    }

    /// The path as resolved at open: absolute, without links.
    pub fn path(&self) -> &[u8] {
        &self.path
    }

    /// Device and node number: equal for all opens of one file.
    pub fn id(&self) -> (u64, u64) {
        (self.device, self.node)
    }
}

impl Fs {
    /// Opens, and creates if asked to. `mode` is for a new file, less the umask.
    pub fn open(&self, view: &View<'_>, path: &[u8], flags: OpenFlags, mode: u32) -> Result<Opened, Errno> {
        let table = self.table();
        let walker = Walker::new(&table, view, path)?;
        if flags.create {
            return open_or_create(walker, view, flags, mode);
        }
        let follow = if flags.nofollow { Follow::No } else { Follow::Yes };
        open_found(walker.finish(follow)?, view, flags)
    }
}

impl Fs {
    /// Opens a regular file that the viewer may execute; reading it is then the loader's right. `EACCES` for what is no such file.
    pub fn open_program(&self, view: &View<'_>, path: &[u8]) -> Result<OpenNode, Errno> {
        let table = self.table();
        find_program(Walker::new(&table, view, path)?, view).map(OpenNode::new)
    }

    /// Whether there is a regular file that the viewer may execute.
    pub fn is_program(&self, view: &View<'_>, path: &[u8]) -> bool {
        let table = self.table();
        Walker::new(&table, view, path).is_ok_and(|walker| find_program(walker, view).is_ok())
    }
}

fn find_program<'t>(walker: Walker<'t>, view: &View<'_>) -> Result<Found<'t>, Errno> {
    let found = walker.finish(Follow::Yes)?;
    if found.place.node.kind != FileKind::Regular {
        return Err(Errno::EACCES);
    }
    permission::check(&found.place.metadata()?, view.user, Access::EXECUTE)?;
    Ok(found)
}

fn open_or_create(
    mut walker: Walker<'_>,
    view: &View<'_>,
    flags: OpenFlags,
    mode: u32,
) -> Result<Opened, Errno> {
    if flags.directory {
        return Err(Errno::EINVAL);
    }
    loop {
        let name = match walker.walk()? {
            Last::Name(name) => name,
            // `.`, `..` and `/` are directories.
            _ if flags.exclusive => return Err(Errno::EEXIST),
            _ => return Err(Errno::EISDIR),
        };
        if walker.trailing_slash {
            return Err(Errno::EISDIR);
        }
        let slot = Slot::new(walker, name)?;
        let Some(place) = slot.existing else {
            return create_file(&slot, view, mode);
        };
        if flags.exclusive {
            return Err(Errno::EEXIST);
        }
        if place.node.kind != FileKind::Symlink {
            if place.node.kind == FileKind::Directory {
                return Err(Errno::EISDIR);
            }
            let path = slot.walker.path_of(&slot.name);
            return open_found(Found { place, path }, view, flags);
        }
        if flags.nofollow {
            return Err(Errno::ELOOP);
        }
        walker = slot.walker;
        walker.follow(place)?;
    }
}

fn create_file(slot: &Slot<'_>, view: &View<'_>, mode: u32) -> Result<Opened, Errno> {
    let id = create::create_in(
        slot,
        view,
        &NewNode {
            mode,
            ..create::template(FileKind::Regular)
        },
    )?;
    let place = slot.place(Node {
        id,
        kind: FileKind::Regular,
    });
    let path = slot.walker.path_of(&slot.name);
    Ok(Opened::File(OpenNode::new(Found { place, path })))
}

/// The checks of `may_open` in Linux, in its order.
fn open_found(found: Found<'_>, view: &View<'_>, flags: OpenFlags) -> Result<Opened, Errno> {
    let kind = found.place.node.kind;
    if flags.directory && kind != FileKind::Directory {
        return Err(Errno::ENOTDIR);
    }
    let writes = flags.write || flags.truncate;
    match kind {
        FileKind::Symlink => return Err(Errno::ELOOP),
        FileKind::Directory if writes => return Err(Errno::EISDIR),
        FileKind::Regular if writes => found.place.mount.check_writable()?,
        _ => {}
    }
    let metadata = found.place.metadata()?;
    let mut wanted = Access::EXISTS;
    if flags.read {
        wanted = wanted | Access::READ;
    }
    if writes {
        wanted = wanted | Access::WRITE;
    }
    // Whether a descriptor may be read or written is known to the kernel alone.
    if metadata.descriptor().is_none() {
        permission::check(&metadata, view.user, wanted)?;
    }
    match kind {
        FileKind::Regular => {
            let node = OpenNode::new(found);
            if flags.truncate {
                node.truncate(0, view.now)?;
            }
            Ok(Opened::File(node))
        }
        FileKind::Directory => Ok(Opened::Directory(OpenNode::new(found))),
        FileKind::Fifo => Ok(Opened::Fifo(OpenNode::new(found))),
        _ => {
            let device = Device::of(&metadata).ok_or(Errno::ENXIO)?;
            Ok(Opened::Device(device, OpenNode::new(found)))
        }
    }
}
