//! [`ReadOnly`]: any tree, unchangeable.

use std::sync::Arc;

use super::{
    Attributes, Chunk, DirEntry, Errno, FileSystem, Metadata, NewNode, Node, NodeId, Portable, Timestamp,
    Usage,
};

/// Refuses every change of the tree inside with `EROFS`.
pub struct ReadOnly {
    tree: Arc<dyn FileSystem>,
}

impl ReadOnly {
    /// A read-only face of a tree, which others may still change.
    pub fn new(tree: Arc<dyn FileSystem>) -> ReadOnly {
        ReadOnly { tree }
    }
}

impl FileSystem for ReadOnly {
    fn root(&self) -> NodeId {
        self.tree.root()
    }

    fn lookup(&self, directory: NodeId, name: &[u8]) -> Result<Node, Errno> {
        self.tree.lookup(directory, name)
    }

    fn metadata(&self, node: NodeId) -> Result<Metadata, Errno> {
        self.tree.metadata(node)
    }

    fn read_dir(&self, directory: NodeId) -> Result<Vec<DirEntry>, Errno> {
        self.tree.read_dir(directory)
    }

    fn read_link(&self, node: NodeId) -> Result<Vec<u8>, Errno> {
        self.tree.read_link(node)
    }

    fn read(&self, node: NodeId, offset: u64, buffer: &mut [u8]) -> Result<usize, Errno> {
        self.tree.read(node, offset, buffer)
    }

    fn read_chunk(&self, node: NodeId, offset: u64, max: usize) -> Result<Chunk, Errno> {
        self.tree.read_chunk(node, offset, max)
    }

    fn write(&self, _: NodeId, _: u64, _: &[u8], _: Timestamp) -> Result<usize, Errno> {
        Err(Errno::EROFS)
    }

    fn append(&self, _: NodeId, _: &[u8], _: Timestamp) -> Result<(usize, u64), Errno> {
        Err(Errno::EROFS)
    }

    fn truncate(&self, _: NodeId, _: u64, _: Timestamp) -> Result<(), Errno> {
        Err(Errno::EROFS)
    }

    fn create(&self, _: NodeId, _: &[u8], _: &NewNode<'_>, _: Timestamp) -> Result<NodeId, Errno> {
        Err(Errno::EROFS)
    }

    fn link(&self, _: NodeId, _: NodeId, _: &[u8], _: Timestamp) -> Result<(), Errno> {
        Err(Errno::EROFS)
    }

    fn unlink(&self, _: NodeId, _: &[u8], _: Timestamp) -> Result<(), Errno> {
        Err(Errno::EROFS)
    }

    fn remove_dir(&self, _: NodeId, _: &[u8], _: Timestamp) -> Result<(), Errno> {
        Err(Errno::EROFS)
    }

    fn rename(&self, _: NodeId, _: &[u8], _: NodeId, _: &[u8], _: Timestamp) -> Result<(), Errno> {
        Err(Errno::EROFS)
    }

    fn set_attributes(&self, _: NodeId, _: &Attributes, _: Timestamp) -> Result<(), Errno> {
        Err(Errno::EROFS)
    }

    fn retain(&self, node: NodeId) {
        self.tree.retain(node);
    }

    fn release(&self, node: NodeId) {
        self.tree.release(node);
    }

    fn fork(&self) -> Result<Arc<dyn FileSystem>, Errno> {
        Ok(Arc::new(ReadOnly {
            tree: self.tree.fork()?,
        }))
    }

    fn usage(&self) -> Usage {
        self.tree.usage()
    }

    fn read_only(&self) -> bool {
        true
    }

    fn portable(&self) -> Portable {
        self.tree.portable()
    }

    fn type_name(&self) -> &'static str {
        self.tree.type_name()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fs::{Access, Follow, Fs, MemFs, OpenFlags, View};

    #[test]
    fn every_change_is_refused() {
        let tree = Arc::new(MemFs::default());
        Fs::new(Arc::clone(&tree) as Arc<dyn FileSystem>)
            .write(&View::ROOT, b"/f", b"x")
            .unwrap();
        let fs = Fs::new(Arc::new(ReadOnly::new(tree)));
        let view = View::ROOT;
        assert_eq!(fs.read(&view, b"/f").unwrap(), b"x");
        let refused = Err(Errno::EROFS);
        assert_eq!(fs.write(&view, b"/f", b"y"), refused);
        assert_eq!(fs.write(&view, b"/new", b"y"), refused);
        assert_eq!(fs.make_dir(&view, b"/d", 0o755), refused);
        assert_eq!(fs.make_dir(&view, b"/f", 0o755), Err(Errno::EEXIST));
        assert_eq!(fs.symlink(&view, b"f", b"/l"), refused);
        assert_eq!(fs.link(&view, b"/f", b"/l", Follow::No), refused);
        assert_eq!(fs.unlink(&view, b"/f"), refused);
        assert_eq!(fs.rename(&view, b"/f", b"/g"), refused);
        assert_eq!(fs.set_mode(&view, b"/f", 0o600, Follow::Yes), refused);
        assert_eq!(
            fs.set_times(&view, b"/f", None, Some(view.now), Follow::Yes),
            refused
        );
        assert_eq!(fs.truncate(&view, b"/f", 0), refused);
        assert_eq!(fs.access(&view, b"/f", Access::WRITE), refused);
        assert_eq!(fs.access(&view, b"/f", Access::READ), Ok(()));
        assert_eq!(
            fs.open(&view, b"/f", OpenFlags::WRITE, 0).err(),
            Some(Errno::EROFS)
        );
    }
}
