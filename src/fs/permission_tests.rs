//! Permissions, as user 1000 of group 1000 meets them. A test that runs as root cannot ask a real tree, so these few rules are
//! written down from `path_resolution(7)`, `unlink(2)`, `chmod(2)`, `chown(2)` and `utimensat(2)`.

use std::sync::Arc;

use super::*;

const ROOT: View<'static> = View {
    umask: 0,
    ..View::ROOT
};
const USER: View<'static> = View {
    user: Credentials { uid: 1000, gid: 1000 },
    ..ROOT
};

fn tree() -> Fs {
    let fs = Fs::new(Arc::new(MemFs::default()));
    fs.make_dir(&ROOT, b"/tmp", 0o1777).unwrap();
    fs.make_dir(&ROOT, b"/closed", 0o700).unwrap();
    fs.make_dir(&ROOT, b"/listed", 0o744).unwrap();
    fs.make_dir(&ROOT, b"/home", 0o755).unwrap();
    fs.set_owner(&ROOT, b"/home", Some(1000), Some(1000), Follow::No)
        .unwrap();
    fs.write(&ROOT, b"/closed/f", b"").unwrap();
    fs.write(&ROOT, b"/listed/f", b"").unwrap();
    fs.write(&ROOT, b"/tmp/root", b"").unwrap();
    fs.write(&USER, b"/home/mine", b"").unwrap();
    fs
}

fn mode(fs: &Fs, path: &[u8]) -> u32 {
    fs.metadata(&ROOT, path, Follow::No).unwrap().mode
}

#[test]
fn search_and_read_are_two_things() {
    let fs = tree();
    assert_eq!(fs.kind(&USER, b"/closed/f", Follow::Yes), Err(Errno::EACCES));
    assert_eq!(fs.kind(&USER, b"/listed/f", Follow::Yes), Err(Errno::EACCES));
    assert_eq!(fs.read_dir(&USER, b"/listed").unwrap().len(), 1);
    assert_eq!(fs.read_dir(&USER, b"/closed"), Err(Errno::EACCES));
    assert_eq!(fs.kind(&ROOT, b"/closed/f", Follow::Yes), Ok(FileKind::Regular));
    // Who stands in a directory needs no way to it.
    fs.make_dir(&ROOT, b"/closed/open", 0o777).unwrap();
    let inside = View {
        cwd: b"/closed/open",
        ..USER
    };
    assert_eq!(fs.write(&inside, b"f", b""), Ok(()));
    assert_eq!(fs.kind(&inside, b"../f", Follow::Yes), Err(Errno::EACCES));
}

#[test]
fn a_sticky_directory_guards_names() {
    let fs = tree();
    fs.write(&USER, b"/tmp/mine", b"").unwrap();
    assert_eq!(fs.unlink(&USER, b"/tmp/root"), Err(Errno::EPERM));
    assert_eq!(fs.rename(&USER, b"/tmp/root", b"/tmp/x"), Err(Errno::EPERM));
    assert_eq!(fs.rename(&USER, b"/tmp/mine", b"/tmp/root"), Err(Errno::EPERM));
    assert_eq!(fs.unlink(&USER, b"/closed/f"), Err(Errno::EACCES));
    assert_eq!(fs.unlink(&USER, b"/tmp/mine"), Ok(()));
    assert_eq!(fs.unlink(&ROOT, b"/tmp/root"), Ok(()));
}

#[test]
fn opening_heeds_the_bits_and_creating_does_not() {
    let fs = tree();
    fs.set_mode(&ROOT, b"/home/mine", 0o040, Follow::Yes).unwrap();
    assert_eq!(
        fs.read(&USER, b"/home/mine"),
        Err(Errno::EACCES),
        "the owner's bits count, not the group's"
    );
    assert_eq!(fs.read(&ROOT, b"/home/mine"), Ok(Vec::new()));
    assert!(matches!(
        fs.open(&USER, b"/home/new", OpenFlags::CREATE, 0),
        Ok(Opened::File(_))
    ));
    assert_eq!(
        fs.open(&USER, b"/home/new", OpenFlags::READ, 0).err(),
        Some(Errno::EACCES)
    );
    assert_eq!(fs.make_dir(&USER, b"/new", 0o777), Err(Errno::EACCES));
    assert_eq!(
        fs.access(&ROOT, b"/home/new", Access::EXECUTE),
        Err(Errno::EACCES)
    );
    fs.set_mode(&ROOT, b"/home/new", 0o001, Follow::Yes).unwrap();
    assert_eq!(fs.access(&ROOT, b"/home/new", Access::EXECUTE), Ok(()));
}

#[test]
fn attributes_belong_to_the_owner() {
    let fs = tree();
    let later = Some(Timestamp { seconds: 5, nanos: 0 });
    let now = Some(USER.now);
    assert_eq!(
        fs.set_mode(&USER, b"/tmp/root", 0o777, Follow::Yes),
        Err(Errno::EPERM)
    );
    assert_eq!(
        fs.set_times(&USER, b"/tmp/root", later, later, Follow::Yes),
        Err(Errno::EPERM)
    );
    assert_eq!(
        fs.set_times(&USER, b"/closed", now, now, Follow::Yes),
        Err(Errno::EACCES)
    );
    fs.set_mode(&ROOT, b"/tmp/root", 0o666, Follow::Yes).unwrap();
    assert_eq!(fs.set_times(&USER, b"/tmp/root", now, now, Follow::Yes), Ok(()));
    assert_eq!(
        fs.set_owner(&USER, b"/home/mine", Some(0), None, Follow::Yes),
        Err(Errno::EPERM)
    );
    assert_eq!(
        fs.set_owner(&USER, b"/home/mine", None, Some(0), Follow::Yes),
        Err(Errno::EPERM)
    );
    assert_eq!(
        fs.set_owner(&USER, b"/home/mine", Some(1000), Some(1000), Follow::Yes),
        Ok(())
    );
    fs.symlink(&USER, b"mine", b"/home/link").unwrap();
    assert_eq!(
        fs.set_mode(&USER, b"/home/link", 0o600, Follow::No),
        Err(Errno::EOPNOTSUPP)
    );
}

#[test]
fn special_bits() {
    let fs = tree();
    fs.set_mode(&ROOT, b"/home/mine", 0o6755, Follow::Yes).unwrap();
    fs.set_owner(&ROOT, b"/home/mine", Some(0), None, Follow::Yes)
        .unwrap();
    assert_eq!(
        mode(&fs, b"/home/mine"),
        0o755,
        "chown takes setuid and setgid away"
    );
    fs.make_dir(&ROOT, b"/shared", 0o777).unwrap();
    fs.set_owner(&ROOT, b"/shared", None, Some(50), Follow::Yes)
        .unwrap();
    fs.set_mode(&ROOT, b"/shared", 0o2777, Follow::Yes).unwrap();
    fs.make_dir(&USER, b"/shared/d", 0o755).unwrap();
    fs.write(&USER, b"/shared/f", b"").unwrap();
    let gid = |path: &[u8]| fs.metadata(&ROOT, path, Follow::No).unwrap().gid;
    assert_eq!(
        (mode(&fs, b"/shared/d"), gid(b"/shared/d"), gid(b"/shared/f")),
        (0o2755, 50, 50)
    );
    fs.set_mode(&USER, b"/shared/f", 0o2755, Follow::Yes).unwrap();
    assert_eq!(
        mode(&fs, b"/shared/f"),
        0o755,
        "setgid is for members of the group"
    );
    let masked = View { umask: 0o027, ..USER };
    fs.write(&masked, b"/home/masked", b"").unwrap();
    assert_eq!(mode(&fs, b"/home/masked"), 0o640);
}

#[test]
fn devices_are_made_by_root() {
    let fs = tree();
    let make = |view, path: &[u8], kind| fs.make_node(view, path, kind, 0o666, (1, 3));
    assert_eq!(
        make(&USER, b"/home/null", FileKind::CharDevice),
        Err(Errno::EPERM)
    );
    assert_eq!(make(&USER, b"/home/pipe", FileKind::Fifo), Ok(()));
    assert_eq!(make(&ROOT, b"/home/null", FileKind::CharDevice), Ok(()));
    assert_eq!(make(&ROOT, b"/home/d", FileKind::Directory), Err(Errno::EPERM));
    let marker = fs.make_node(&ROOT, b"/home/fd", FileKind::CharDevice, 0o666, (u32::MAX, 0));
    assert_eq!(marker, Err(Errno::EINVAL), "nobody can make a descriptor");
    assert_eq!(make(&ROOT, b"/home/sock", FileKind::Socket), Ok(()));
    assert!(matches!(
        fs.open(&USER, b"/home/pipe", OpenFlags::READ, 0),
        Ok(Opened::Fifo(_))
    ));
    assert_eq!(
        fs.open(&ROOT, b"/home/sock", OpenFlags::READ, 0).err(),
        Some(Errno::ENXIO)
    );
}
