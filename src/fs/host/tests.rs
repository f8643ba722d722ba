//! Host directories: a real one in a temporary place, seen through each kind of mount.

use std::os::unix::fs::{PermissionsExt, symlink};

use super::*;
use crate::fs::{Follow, Fs, MemFs, OpenFlags, Opened, View};

const VIEW: View<'static> = View::ROOT;

/// `dir/file`, a link to it, one to `/etc/passwd` and one to `..`, `run` of mode 0750.
fn directory() -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    std::fs::create_dir(at("dir")).unwrap();
    std::fs::write(at("dir/file"), "contents").unwrap();
    std::fs::write(at("run"), "#!/bin/sh\n").unwrap();
    std::fs::set_permissions(at("run"), std::fs::Permissions::from_mode(0o750)).unwrap();
    symlink("dir/file", at("link")).unwrap();
    symlink("/etc/passwd", at("outside")).unwrap();
    symlink("../..", at("up")).unwrap();
    directory
}

fn names(fs: &Fs, path: &str) -> String {
    let names = fs.read_dir(&VIEW, path.as_bytes()).unwrap();
    names
        .iter()
        .map(|entry| String::from_utf8_lossy(&entry.name).into_owned())
        .collect::<Vec<_>>()
        .join(" ")
}

#[test]
fn links_stay_inside() {
    let directory = directory();
    let fs = Fs::new(Arc::new(HostDir::read_only(directory.path()).unwrap()));
    assert_eq!(names(&fs, "/"), "dir link outside run up");
    assert_eq!(fs.read(&VIEW, b"/link").unwrap(), b"contents");
    assert_eq!(fs.read(&VIEW, b"/outside"), Err(Errno::ENOENT));
    assert_eq!(names(&fs, "/up"), names(&fs, "/"));
    assert_eq!(fs.metadata(&VIEW, b"/run", Follow::No).unwrap().mode, 0o750);
    assert_eq!(fs.write(&VIEW, b"/link", b""), Err(Errno::EROFS));
    assert!(fs.fork().unwrap().exists(&VIEW, b"/run"));
}

#[test]
fn a_link_planted_behind_our_back_leads_nowhere() {
    let directory = directory();
    let tree = HostDir::read_write(directory.path()).unwrap();
    let node = tree.lookup(tree.root(), b"dir").unwrap();
    let file = tree.lookup(node.id, b"file").unwrap();
    std::fs::remove_dir_all(directory.path().join("dir")).unwrap();
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join("file"), "secret").unwrap();
    symlink(outside.path(), directory.path().join("dir")).unwrap();
    assert!(tree.read(file.id, 0, &mut [0; 9]).is_err());
    assert!(tree.lookup(node.id, b"file").is_err());
    assert!(tree.read_dir(node.id).is_err());
    let new = NewNode {
        kind: FileKind::Regular,
        mode: 0o644,
        uid: 0,
        gid: 0,
        rdev: (0, 0),
        target: b"",
    };
    assert!(tree.create(node.id, b"new", &new, Timestamp::default()).is_err());
    assert!(tree.unlink(node.id, b"file", Timestamp::default()).is_err());
    assert_eq!(std::fs::read_dir(outside.path()).unwrap().count(), 1);
}

#[test]
fn changes_reach_the_host() {
    let directory = directory();
    let host = |name: &str| directory.path().join(name);
    let fs = Fs::new(Arc::new(HostDir::read_write(directory.path()).unwrap()));
    let view = View { umask: 0o027, ..VIEW };
    fs.write_with_parents(&view, b"/new/sub/file", b"text").unwrap();
    assert_eq!(std::fs::read(host("new/sub/file")).unwrap(), b"text");
    assert_eq!(
        std::fs::metadata(host("new/sub/file"))
            .unwrap()
            .permissions()
            .mode()
            & 0o7777,
        0o640
    );
    let Opened::File(node) = fs
        .open(&view, b"/new/sub/file", OpenFlags::READ_WRITE, 0)
        .unwrap()
    else {
        panic!()
    };
    assert_eq!(node.append(b"ual", view.now), Ok((3, 7)));
    fs.rename(&view, b"/new/sub", b"/moved").unwrap();
    fs.link(&view, b"/moved/file", b"/hard", Follow::No).unwrap();
    let inode = |path: &[u8]| fs.metadata(&VIEW, path, Follow::No).unwrap().inode;
    assert_eq!(inode(b"/hard"), inode(b"/moved/file"));
    fs.unlink(&view, b"/hard").unwrap();
    fs.unlink(&view, b"/moved/file").unwrap();
    assert_eq!(&*node.read_chunk(0, 99).unwrap(), b"textual");
    assert_eq!(node.metadata().unwrap().nlink, 0);
    fs.symlink(&view, b"/dir/file", b"/absolute").unwrap();
    assert_eq!(fs.read(&view, b"/absolute").unwrap(), b"contents");
    assert_eq!(fs.remove_dir(&view, b"/dir"), Err(Errno::ENOTEMPTY));
    assert_eq!(fs.make_dir(&view, b"/dir", 0o755), Err(Errno::EEXIST));
    let time = Timestamp {
        seconds: 1_000_000_000,
        nanos: 5,
    };
    fs.set_times(&view, b"/dir", None, Some(time), Follow::No)
        .unwrap();
    assert_eq!(fs.metadata(&view, b"/dir", Follow::No).unwrap().mtime, time);
}

#[test]
fn no_powers_are_handed_out() {
    let directory = directory();
    let fs = Fs::new(Arc::new(HostDir::read_write(directory.path()).unwrap()));
    assert_eq!(fs.set_mode(&VIEW, b"/run", 0o4755, Follow::No), Err(Errno::EPERM));
    assert_eq!(fs.set_mode(&VIEW, b"/run", 0o755, Follow::No), Ok(()));
    assert_eq!(
        fs.set_owner(&VIEW, b"/run", Some(12345), None, Follow::No),
        Err(Errno::EPERM)
    );
    assert_eq!(
        fs.make_node(&VIEW, b"/null", FileKind::CharDevice, 0o666, (1, 3)),
        Err(Errno::EPERM)
    );
    assert_eq!(fs.fork().err(), Some(Errno::EOPNOTSUPP));
    let socket = std::os::unix::net::UnixListener::bind(directory.path().join("socket")).unwrap();
    assert_eq!(
        fs.open(&VIEW, b"/socket", OpenFlags::READ, 0).err(),
        Some(Errno::ENXIO)
    );
    drop(socket);
}

#[test]
fn an_overlay_keeps_the_host_as_it_is() {
    let directory = directory();
    let fs = Fs::new(Arc::new(
        HostDir::overlaid(directory.path(), Quota::default()).unwrap(),
    ));
    fs.write(&VIEW, b"/dir/file", b"changed").unwrap();
    fs.rename(&VIEW, b"/dir", b"/moved").unwrap();
    fs.set_mode(&VIEW, b"/run", 0o4711, Follow::No).unwrap();
    fs.unlink(&VIEW, b"/up").unwrap();
    let fork = fs.fork().unwrap();
    std::fs::write(directory.path().join("late"), "late").unwrap();
    assert_eq!(names(&fork, "/"), "late link moved outside run");
    assert_eq!(fork.read(&VIEW, b"/moved/file").unwrap(), b"changed");
    assert_eq!(
        std::fs::read(directory.path().join("dir/file")).unwrap(),
        b"contents"
    );
}

#[test]
fn import_copies_links_modes_and_times_within_limits() {
    let directory = directory();
    std::fs::hard_link(directory.path().join("run"), directory.path().join("dir/again")).unwrap();
    let fs = Fs::new(Arc::new(MemFs::default()));
    let report = import(directory.path(), &fs, &VIEW, b"/in/here", ImportLimits::default()).unwrap();
    assert_eq!(
        (report.files, report.directories, report.links, report.bytes),
        (3, 1, 3, 18)
    );
    assert_eq!(fs.read(&VIEW, b"/in/here/link").unwrap(), b"contents");
    assert_eq!(fs.read_link(&VIEW, b"/in/here/outside").unwrap(), b"/etc/passwd");
    let found = fs.metadata(&VIEW, b"/in/here/run", Follow::No).unwrap();
    assert_eq!((found.mode, found.nlink), (0o750, 2));
    assert!(found.mtime.seconds > 1_600_000_000);
    let limited = |limits| import(directory.path(), &fs, &VIEW, b"/other", limits).unwrap_err();
    let all = ImportLimits::default();
    assert_eq!(
        limited(ImportLimits { nodes: 3, ..all }),
        ImportError::Limit("nodes")
    );
    let fs = Fs::new(Arc::new(MemFs::default()));
    let limited = |limits| import(directory.path(), &fs, &VIEW, b"/more", limits).unwrap_err();
    assert_eq!(
        limited(ImportLimits { depth: 1, ..all }),
        ImportError::Limit("depth")
    );
}
