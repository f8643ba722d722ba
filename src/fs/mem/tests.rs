//! Properties of the in-memory tree under random operations: the sums and link counts hold after each one, a fork never
//! sees a later change, quotas are never exceeded, and what is not reachable is freed.

use std::sync::Arc;

use proptest::prelude::*;

use super::*;
use crate::fs::{FileKind, Follow, Fs, OpenFlags, OpenNode, Opened, View};

const QUOTA: Quota = Quota {
    bytes: 300_000,
    nodes: 14,
    file_bytes: 200_000,
};
const PATHS: [&str; 9] = [
    "/a", "/b", "/c", "/a/a", "/a/b", "/b/a", "/b/b", "/a/b/c", "/b/a/c",
];

#[derive(Debug, Clone)]
enum Step {
    MakeDir(usize),
    Write(usize, u64, usize),
    Truncate(usize, u64),
    Symlink(usize),
    Link(usize, usize),
    Unlink(usize),
    RemoveDir(usize),
    Rename(usize, usize),
    Hold(usize),
    Drop,
    Fork,
}

fn step() -> impl Strategy<Value = Step> {
    let path = || 0..PATHS.len();
    let length = || {
        prop_oneof![
            Just(0u64),
            Just(1),
            Just(65_535),
            Just(65_536),
            Just(100_000),
            Just(1 << 40)
        ]
    };
    prop_oneof![
        2 => path().prop_map(Step::MakeDir),
        4 => (path(), length(), 0..70_000usize).prop_map(|(path, at, count)| Step::Write(path, at, count)),
        2 => (path(), length()).prop_map(|(path, length)| Step::Truncate(path, length)),
        1 => path().prop_map(Step::Symlink),
        2 => (path(), path()).prop_map(|(old, new)| Step::Link(old, new)),
        2 => path().prop_map(Step::Unlink),
        1 => path().prop_map(Step::RemoveDir),
        3 => (path(), path()).prop_map(|(old, new)| Step::Rename(old, new)),
        1 => path().prop_map(Step::Hold),
        1 => Just(Step::Drop),
        1 => Just(Step::Fork),
    ]
}

fn write(fs: &Fs, path: &[u8], at: u64, count: usize) -> Result<(), Errno> {
    let flags = OpenFlags {
        create: true,
        ..OpenFlags::WRITE
    };
    let Opened::File(node) = fs.open(&View::ROOT, path, flags, 0o644)? else {
        return Err(Errno::EINVAL);
    };
    let written = node.write_at(at, &vec![b'x'; count], Timestamp::default())?;
    assert!(written > 0 || count == 0);
    Ok(())
}

fn apply(fs: &Fs, held: &mut Vec<OpenNode>, step: &Step) -> Result<(), Errno> {
    let path = |index: usize| PATHS[index].as_bytes();
    let view = &View::ROOT;
    match *step {
        Step::MakeDir(at) => fs.make_dir(view, path(at), 0o755),
        Step::Write(at, offset, count) => write(fs, path(at), offset, count),
        Step::Truncate(at, length) => fs.truncate(view, path(at), length),
        Step::Symlink(at) => fs.symlink(view, b"/a/b", path(at)),
        Step::Link(old, new) => fs.link(view, path(old), path(new), Follow::No),
        Step::Unlink(at) => fs.unlink(view, path(at)),
        Step::RemoveDir(at) => fs.remove_dir(view, path(at)),
        Step::Rename(old, new) => fs.rename(view, path(old), path(new)),
        Step::Hold(at) => {
            if let Opened::File(node) = fs.open(view, path(at), OpenFlags::READ, 0)? {
                held.push(node);
            }
            Ok(())
        }
        Step::Drop => {
            held.pop();
            Ok(())
        }
        Step::Fork => Ok(()),
    }
}

/// Everything below a directory: path, attributes, contents.
fn dump(fs: &Fs, path: &str, into: &mut Vec<(String, Metadata, Vec<u8>)>) {
    for entry in fs.read_dir(&View::ROOT, path.as_bytes()).unwrap() {
        let below = format!(
            "{}/{}",
            path.trim_end_matches('/'),
            String::from_utf8(entry.name).unwrap()
        );
        let metadata = fs.metadata(&View::ROOT, below.as_bytes(), Follow::No).unwrap();
        let contents = match entry.kind {
            FileKind::Regular => fs.read(&View::ROOT, below.as_bytes()).unwrap(),
            _ => Vec::new(),
        };
        into.push((below.clone(), metadata, contents));
        if entry.kind == FileKind::Directory {
            dump(fs, &below, into);
        }
    }
}

fn state(fs: &Fs) -> Vec<(String, Metadata, Vec<u8>)> {
    let mut all = Vec::new();
    dump(fs, "/", &mut all);
    all
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(80))]
    #[test]
    fn sums_quotas_and_forks_hold(steps in prop::collection::vec(step(), 1..60)) {
        let tree = Arc::new(MemFs::new(QUOTA));
        let fs = Fs::new(Arc::clone(&tree) as Arc<dyn FileSystem>);
        let (mut held, mut forks) = (Vec::new(), Vec::new());
        for step in &steps {
            if let Step::Fork = step {
                let fork = fs.fork().unwrap();
                let now = state(&fs);
                prop_assert!(state(&fork) == now);
                forks.push((fork, now));
            }
            let _ = apply(&fs, &mut held, step);
            tree.check();
            let usage = tree.usage();
            prop_assert!(usage.bytes <= QUOTA.bytes && usage.nodes <= QUOTA.nodes, "{usage:?}");
        }
        held.clear();
        tree.check();
        for (fork, then) in forks {
            prop_assert!(state(&fork) == then, "a fork changed");
        }
        // With everything removed, the root alone is left.
        for (path, metadata, _) in state(&fs).iter().rev() {
            match metadata.kind {
                FileKind::Directory => fs.remove_dir(&View::ROOT, path.as_bytes()).unwrap(),
                _ => fs.unlink(&View::ROOT, path.as_bytes()).unwrap(),
            }
        }
        prop_assert_eq!((tree.usage().bytes, tree.usage().nodes), (0, 1));
    }
}

#[test]
fn an_unlinked_file_lives_while_it_is_open() {
    let tree = Arc::new(MemFs::default());
    let fs = Fs::new(Arc::clone(&tree) as Arc<dyn FileSystem>);
    fs.write(&View::ROOT, b"/f", b"text").unwrap();
    let Opened::File(node) = fs.open(&View::ROOT, b"/f", OpenFlags::READ_WRITE, 0).unwrap() else {
        panic!()
    };
    fs.unlink(&View::ROOT, b"/f").unwrap();
    assert_eq!(node.append(b"ual", Timestamp::default()), Ok((3, 7)));
    assert_eq!(&*node.read_chunk(0, 99).unwrap(), b"textual");
    assert_eq!((node.metadata().unwrap().nlink, node.path()), (0, &b"/f"[..]));
    let fork = tree.fork_tree();
    assert_eq!(fork.usage().nodes, 1, "a fork has no open files");
    drop(node);
    assert_eq!(tree.usage().bytes, 0);
}

#[test]
fn limits_have_their_own_errors() {
    let tree = Arc::new(MemFs::new(Quota {
        bytes: 100,
        nodes: 4,
        file_bytes: 60,
    }));
    let fs = Fs::new(Arc::clone(&tree) as Arc<dyn FileSystem>);
    let view = &View::ROOT;
    fs.write(view, b"/f", b"").unwrap();
    let Opened::File(node) = fs.open(view, b"/f", OpenFlags::WRITE, 0).unwrap() else {
        panic!()
    };
    assert_eq!(
        node.write_at(50, &[0; 20], view.now),
        Ok(10),
        "what fits is written"
    );
    assert_eq!(node.write_at(60, &[0; 20], view.now), Err(Errno::EFBIG));
    assert_eq!(node.write_at(u64::MAX, &[0; 20], view.now), Err(Errno::EFBIG));
    assert_eq!(node.truncate(1 << 40, view.now), Err(Errno::EFBIG));
    assert_eq!(fs.write(view, b"/g", &[0; 50]), Err(Errno::ENOSPC));
    assert_eq!(tree.usage().bytes, 100);
    assert_eq!(fs.symlink(view, b"f", b"/l"), Err(Errno::ENOSPC));
    assert_eq!(fs.link(view, b"/f", b"/h", Follow::No), Ok(()));
    assert_eq!(fs.make_dir(view, b"/d", 0o755), Err(Errno::ENOSPC));
    assert_eq!(fs.link(view, b"/f", b"/i", Follow::No), Err(Errno::ENOSPC));
}

#[test]
fn a_hundred_thousand_names_and_a_fork() {
    let tree = Arc::new(MemFs::default());
    let new = NewNode {
        kind: FileKind::Regular,
        mode: 0o644,
        uid: 0,
        gid: 0,
        rdev: (0, 0),
        target: b"",
    };
    for number in 0..100_000 {
        tree.create(
            tree.root(),
            format!("{number:06}").as_bytes(),
            &new,
            Timestamp::default(),
        )
        .unwrap();
    }
    let fork = tree.fork_tree();
    tree.unlink(tree.root(), b"050000", Timestamp::default()).unwrap();
    assert_eq!(fork.read_dir(fork.root()).unwrap().len(), 100_000);
    assert_eq!(tree.read_dir(tree.root()).unwrap().len(), 99_999);
}

#[test]
fn times_follow_the_change() {
    let fs = Fs::new(Arc::new(MemFs::default()));
    let at = |seconds| View {
        now: Timestamp { seconds, nanos: 0 },
        ..View::ROOT
    };
    let times = |path: &str| {
        let found = fs.metadata(&View::ROOT, path.as_bytes(), Follow::No).unwrap();
        (
            found.atime.seconds,
            found.mtime.seconds,
            found.ctime.seconds,
            found.btime.seconds,
        )
    };
    fs.make_dir(&at(1), b"/d", 0o755).unwrap();
    fs.write(&at(2), b"/d/f", b"x").unwrap();
    assert_eq!((times("/d"), times("/d/f")), ((1, 2, 2, 1), (2, 2, 2, 2)));
    fs.set_mode(&at(3), b"/d/f", 0o600, Follow::Yes).unwrap();
    fs.link(&at(4), b"/d/f", b"/d/g", Follow::No).unwrap();
    assert_eq!((times("/d"), times("/d/f")), ((1, 4, 4, 1), (2, 2, 4, 2)));
    fs.rename(&at(5), b"/d/g", b"/g").unwrap();
    assert_eq!(
        (times("/"), times("/d"), times("/g")),
        ((0, 5, 5, 0), (1, 5, 5, 1), (2, 2, 5, 2))
    );
    fs.set_times(
        &at(6),
        b"/g",
        None,
        Some(Timestamp {
            seconds: -7,
            nanos: 1,
        }),
        Follow::Yes,
    )
    .unwrap();
    assert_eq!(times("/g"), (2, -7, 6, 2));
}
