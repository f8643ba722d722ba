//! The serialised form of an [`FsSnapshot`]: versioned, and the same for every tree that can be written out.
//!
//! A tree in memory or an overlay is written as a list of nodes, parents first, with hard links as references to an earlier
//! node and files as the parts that are no holes. It is read back as a [`MemFs`](super::MemFs); node numbers start anew. A `/proc` is written
//! by its name. Any other tree makes the whole fail, rather than come back empty.
//!
//! What is read is not trusted: names, references and kinds are checked, and a tree that breaks its own rules is an error.

mod bytes;
mod read;
mod write;

use std::sync::Arc;

use serde::de::Error as _;
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{FileKind, FsSnapshot, Quota, Timestamp};
use bytes::Bytes;

/// The version that is written; only this one is read.
const VERSION: u32 = 1;

#[derive(Serialize, Deserialize)]
struct PortableFs {
    version: u32,
    mounts: Vec<PortableMount>,
}

#[derive(Serialize, Deserialize)]
struct PortableMount {
    at: Bytes,
    /// The covered directory: index of its mount and of its node there.
    covers: Option<(usize, usize)>,
    read_only: bool,
    tree: PortableTree,
}

#[derive(Serialize, Deserialize)]
enum PortableTree {
    Proc,
    /// The first node is the root.
    Nodes {
        quota: Quota,
        nodes: Vec<PortableNode>,
    },
}

#[derive(Serialize, Deserialize)]
struct PortableNode {
    /// Index of the directory; of no meaning for the root.
    parent: usize,
    name: Bytes,
    body: PortableBody,
    /// None for a further name of a node.
    attributes: Option<PortableAttributes>,
}

#[derive(Serialize, Deserialize)]
enum PortableBody {
    Directory,
    /// Parts at their offsets; the rest up to the length is a hole.
    Regular {
        length: u64,
        parts: Vec<(u64, Bytes)>,
    },
    Symlink(Bytes),
    Special {
        kind: FileKind,
        rdev: (u32, u32),
    },
    /// Another name of an earlier node.
    Link(usize),
}

#[derive(Serialize, Deserialize)]
struct PortableAttributes {
    mode: u32,
    uid: u32,
    gid: u32,
    atime: Timestamp,
    mtime: Timestamp,
    ctime: Timestamp,
    btime: Timestamp,
}

impl Serialize for FsSnapshot {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mounts = write::mounts(&self.table).map_err(S::Error::custom)?;
        PortableFs {
            version: VERSION,
            mounts,
        }
        .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for FsSnapshot {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<FsSnapshot, D::Error> {
        let portable = PortableFs::deserialize(deserializer)?;
        if portable.version != VERSION {
            return Err(D::Error::custom(format_args!(
                "snapshot of version {}, not {VERSION}",
                portable.version
            )));
        }
        let table = read::table(portable.mounts).map_err(D::Error::custom)?;
        Ok(FsSnapshot {
            table: Arc::new(table),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Device, Follow, Fs, MemFs, OpenFlags, Opened, Overlay, ReadOnly, View, base_fs};
    use super::*;

    const VIEW: View<'static> = View::ROOT;

    fn round_trip(fs: &Fs) -> Fs {
        let text = serde_json::to_string(&fs.snapshot().unwrap()).unwrap();
        Fs::from_snapshot(&serde_json::from_str(&text).unwrap()).unwrap()
    }

    #[test]
    fn a_tree_comes_back_whole() {
        let fs = base_fs(
            &["cat"],
            Quota {
                nodes: 500,
                ..Quota::default()
            },
        )
        .unwrap();
        let later = View {
            now: Timestamp { seconds: 9, nanos: 8 },
            ..VIEW
        };
        fs.write_with_parents(&later, b"/d/f\xff", b"bytes \0\xfe")
            .unwrap();
        fs.link(&VIEW, b"/d/f\xff", b"/d/g", Follow::No).unwrap();
        fs.symlink(&later, b"f\xff", b"/d/l").unwrap();
        fs.make_node(&VIEW, b"/d/p", FileKind::Fifo, 0o600, (0, 0))
            .unwrap();
        fs.set_mode(&later, b"/d", 0o2701, Follow::No).unwrap();
        fs.write(&VIEW, b"/sparse", b"x").unwrap();
        fs.truncate(&VIEW, b"/sparse", 900_000_000).unwrap();
        let back = round_trip(&fs);
        for path in [
            &b"/d"[..],
            b"/d/f\xff",
            b"/d/g",
            b"/d/l",
            b"/d/p",
            b"/sparse",
            b"/etc/passwd",
            b"/tmp",
        ] {
            let find = |fs: &Fs| {
                let mut found = fs.metadata(&VIEW, path, Follow::No).unwrap();
                found.inode = 0;
                found
            };
            assert_eq!(find(&fs), find(&back), "{path:?}");
        }
        back.write(&VIEW, b"/d/l", b"same").unwrap();
        assert_eq!(back.read(&VIEW, b"/d/g").unwrap(), b"same");
        assert_eq!(back.disk_usage(&VIEW, b"/").unwrap().limit_nodes, 500);
        let stdin = back.open(&VIEW, b"/dev/stdin", OpenFlags::READ, 0);
        assert!(
            matches!(stdin, Ok(Opened::Device(Device::Stdin, _))),
            "/proc is mounted again"
        );
    }

    #[test]
    fn an_overlay_and_a_moved_mount_come_back() {
        let lower = Arc::new(MemFs::default());
        Fs::new(lower.clone()).write(&VIEW, b"/below", b"below").unwrap();
        let fs = Fs::new(Arc::new(
            Overlay::new(
                lower,
                Quota {
                    bytes: 3,
                    ..Quota::default()
                },
            )
            .unwrap(),
        ));
        fs.write_with_parents(&VIEW, b"/up/on/x", b"up").unwrap();
        let other = Arc::new(MemFs::default());
        Fs::new(other.clone()).write(&VIEW, b"/in", b"in").unwrap();
        fs.mount(b"/up/on", Arc::new(ReadOnly::new(other))).unwrap();
        fs.rename(&VIEW, b"/up", b"/moved").unwrap();
        let back = round_trip(&fs);
        assert_eq!(back.read(&VIEW, b"/below").unwrap(), b"below");
        assert_eq!(back.read(&VIEW, b"/moved/on/in").unwrap(), b"in");
        assert_eq!(
            back.write(&VIEW, b"/moved/on/in", b""),
            Err(super::super::Errno::EROFS)
        );
    }

    #[test]
    fn a_broken_snapshot_is_refused() {
        let fs = Fs::new(Arc::new(MemFs::default()));
        fs.write_with_parents(&VIEW, b"/dir/name", b"x").unwrap();
        let text = serde_json::to_string(&fs.snapshot().unwrap()).unwrap();
        let broken = [
            ("\"name\":\"name\"", "\"name\":\"..\""),
            ("\"name\":\"name\"", "\"name\":\"a/b\""),
            ("\"parent\":1", "\"parent\":2"),
            ("\"parent\":1", "\"parent\":77"),
            ("\"version\":1", "\"version\":2"),
            ("\"covers\":null", "\"covers\":[0,0]"),
            (
                "{\"Regular\":{\"length\":1,\"parts\":[[0,\"x\"]]}}",
                "{\"Link\":0}",
            ),
            (
                "{\"Regular\":{\"length\":1,\"parts\":[[0,\"x\"]]}}",
                "{\"Link\":2}",
            ),
            ("\"length\":1", "\"length\":18446744073709551615"),
        ];
        for (from, to) in broken {
            let bad = text.replacen(from, to, 1);
            assert_ne!(bad, text, "{from} in {text}");
            assert!(
                serde_json::from_str::<FsSnapshot>(&bad).is_err(),
                "{from} as {to}"
            );
        }
    }
}
