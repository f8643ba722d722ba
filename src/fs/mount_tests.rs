//! Mount points, canonical names and snapshots of whole file trees.

use std::sync::Arc;

use super::*;

const VIEW: View<'static> = View::ROOT;

/// `/a/b` with a tree that holds `/x/y` on it.
fn tree() -> Fs {
    let fs = Fs::new(Arc::new(MemFs::default()));
    fs.make_dirs(&VIEW, b"/a/b").unwrap();
    fs.write(&VIEW, b"/a/f", b"outer").unwrap();
    fs.write(&VIEW, b"/a/b/hidden", b"").unwrap();
    fs.mount(b"/a/b", Arc::new(MemFs::default())).unwrap();
    fs.write_with_parents(&VIEW, b"/a/b/x/y", b"inner").unwrap();
    fs
}

#[test]
fn paths_cross_mount_points_both_ways() {
    let fs = tree();
    assert_eq!(fs.read(&VIEW, b"/a/b/x/../../f").unwrap(), b"outer");
    assert_eq!(
        fs.read(
            &View {
                cwd: b"/a/b/x",
                ..VIEW
            },
            b"../../b/x/y"
        )
        .unwrap(),
        b"inner"
    );
    assert!(!fs.exists(&VIEW, b"/a/b/hidden"));
    let device = |path: &[u8]| fs.metadata(&VIEW, path, Follow::No).unwrap().device;
    assert_ne!(device(b"/a"), device(b"/a/b"));
    assert_eq!(device(b"/a/b"), device(b"/a/b/x/y"));
    assert_eq!(
        fs.mounts()
            .iter()
            .map(|mount| mount.at.clone())
            .collect::<Vec<_>>(),
        [&b"/"[..], b"/a/b"]
    );
    fs.symlink(&VIEW, b"/a/b/x", b"/link").unwrap();
    assert_eq!(
        fs.canonicalize(&VIEW, b"/link/y", Existing::All).unwrap(),
        b"/a/b/x/y"
    );
}

#[test]
fn mount_points_stay_and_names_do_not_cross() {
    let fs = tree();
    assert_eq!(fs.remove_dir(&VIEW, b"/a/b"), Err(Errno::EBUSY));
    assert_eq!(fs.rename(&VIEW, b"/a/b", b"/c"), Err(Errno::EBUSY));
    assert_eq!(fs.rename(&VIEW, b"/a/f", b"/a/b/f"), Err(Errno::EXDEV));
    assert_eq!(fs.link(&VIEW, b"/a/f", b"/a/b/f", Follow::No), Err(Errno::EXDEV));
    // The way to a mount point may move; the mount moves with it.
    assert_eq!(fs.rename(&VIEW, b"/a", b"/z"), Ok(()));
    assert_eq!(fs.read(&VIEW, b"/z/b/x/y").unwrap(), b"inner");
    assert_eq!(fs.mount(b"/z/f", Arc::new(MemFs::default())), Err(Errno::ENOTDIR));
}

#[test]
fn forks_and_snapshots_take_all_trees() {
    let fs = tree();
    let before = fs.snapshot().unwrap();
    let fork = fs.fork().unwrap();
    fs.write(&VIEW, b"/a/b/x/y", b"changed").unwrap();
    fs.unlink(&VIEW, b"/a/f").unwrap();
    assert_eq!(fork.read(&VIEW, b"/a/b/x/y").unwrap(), b"inner");
    let shared = fs.clone();
    fs.restore(&before).unwrap();
    assert_eq!(shared.read(&VIEW, b"/a/b/x/y").unwrap(), b"inner");
    assert_eq!(shared.read(&VIEW, b"/a/f").unwrap(), b"outer");
    fs.write(&VIEW, b"/a/f", b"again").unwrap();
    assert_eq!(
        Fs::from_snapshot(&before).unwrap().read(&VIEW, b"/a/f").unwrap(),
        b"outer"
    );
}

#[test]
fn canonical_names() {
    let fs = tree();
    fs.symlink(&VIEW, b"nowhere", b"/a/dangling").unwrap();
    fs.symlink(&VIEW, b"loop", b"/a/loop").unwrap();
    let name = |path: &str, existing| {
        let view = View { cwd: b"/a", ..VIEW };
        fs.canonicalize(&view, path.as_bytes(), existing)
            .map(|path| String::from_utf8(path).unwrap())
    };
    let ok = |path: &str| Ok(path.to_string());
    assert_eq!(name("../a/./b//x/", Existing::All), ok("/a/b/x"));
    assert_eq!(name("..", Existing::Parent), ok("/"));
    assert_eq!(name("dangling", Existing::All), Err(Errno::ENOENT));
    assert_eq!(name("dangling", Existing::Parent), ok("/a/nowhere"));
    assert_eq!(name("new/", Existing::Parent), ok("/a/new"));
    assert_eq!(name("f/", Existing::Parent), Err(Errno::ENOTDIR));
    assert_eq!(name("new/er", Existing::Parent), Err(Errno::ENOENT));
    assert_eq!(name("new/er/../../../b/x", Existing::None), ok("/b/x"));
    assert_eq!(name("new/../b/x/z", Existing::None), ok("/a/b/x/z"));
    assert_eq!(name("f/g", Existing::None), ok("/a/f/g"));
    assert_eq!(name("dangling/x", Existing::None), ok("/a/nowhere/x"));
    assert_eq!(name("loop", Existing::Parent), Err(Errno::ELOOP));
    assert_eq!(name("loop/x", Existing::None), ok("/a/loop/x"));
}

#[test]
fn everything_goes_to_another_thread() {
    fn check<T: Send + Sync>() {}
    check::<Fs>();
    check::<FsSnapshot>();
    check::<OpenNode>();
    check::<Opened>();
    check::<Overlay>();
    check::<VfsAdapter>();
    check::<VfsView>();
}
