//! Changes over another tree: what is copied up, what is hidden, what shows through.

use super::*;
use crate::fs::{Follow, Fs, OpenFlags, Opened, View};

const ROOT: View<'static> = View::ROOT;

/// `/dir/sub/deep`, `/dir/one` and a link to it, `/big` of 200 000 bytes.
fn lower() -> Arc<dyn FileSystem> {
    let tree: Arc<dyn FileSystem> = Arc::new(MemFs::default());
    let fs = Fs::new(Arc::clone(&tree));
    fs.write_with_parents(&ROOT, b"/dir/sub/deep", b"deep").unwrap();
    fs.write(&ROOT, b"/dir/one", b"one").unwrap();
    fs.link(&ROOT, b"/dir/one", b"/other", Follow::No).unwrap();
    fs.write(&ROOT, b"/big", &vec![b'x'; 200_000]).unwrap();
    tree
}

fn overlaid(quota: Quota) -> (Fs, Fs) {
    let lower = lower();
    (
        Fs::new(Arc::new(Overlay::new(Arc::clone(&lower), quota).unwrap())),
        Fs::new(lower),
    )
}

fn names(fs: &Fs, path: &str) -> String {
    let names = fs.read_dir(&ROOT, path.as_bytes()).unwrap();
    names
        .iter()
        .map(|entry| String::from_utf8_lossy(&entry.name).into_owned())
        .collect::<Vec<_>>()
        .join(" ")
}

#[test]
fn the_lower_tree_stays_as_it_is() {
    let (fs, lower) = overlaid(Quota::default());
    fs.write(&ROOT, b"/dir/one", b"changed").unwrap();
    fs.unlink(&ROOT, b"/dir/sub/deep").unwrap();
    fs.remove_dir(&ROOT, b"/dir/sub").unwrap();
    fs.rename(&ROOT, b"/dir", b"/moved").unwrap();
    assert_eq!(
        (names(&fs, "/"), names(&fs, "/moved")),
        ("big moved other".into(), "one".into())
    );
    assert_eq!(
        (names(&lower, "/"), names(&lower, "/dir")),
        ("big dir other".into(), "one sub".into())
    );
    assert_eq!(lower.read(&ROOT, b"/dir/one").unwrap(), b"one");
}

#[test]
fn hard_links_see_the_copy() {
    let (fs, _) = overlaid(Quota::default());
    fs.write(&ROOT, b"/dir/one", b"changed").unwrap();
    assert_eq!(fs.read(&ROOT, b"/other").unwrap(), b"changed");
    assert_eq!(fs.metadata(&ROOT, b"/other", Follow::No).unwrap().nlink, 2);
    fs.link(&ROOT, b"/other", b"/third", Follow::No).unwrap();
    fs.unlink(&ROOT, b"/dir/one").unwrap();
    assert_eq!(fs.metadata(&ROOT, b"/third", Follow::No).unwrap().nlink, 2);
}

#[test]
fn a_new_directory_over_an_old_one_is_empty() {
    let (fs, _) = overlaid(Quota::default());
    fs.unlink(&ROOT, b"/dir/sub/deep").unwrap();
    fs.remove_dir(&ROOT, b"/dir/sub").unwrap();
    fs.make_dir(&ROOT, b"/dir/sub", 0o755).unwrap();
    assert_eq!(names(&fs, "/dir/sub"), "");
    fs.write(&ROOT, b"/dir/sub/new", b"").unwrap();
    assert_eq!(names(&fs, "/dir/sub"), "new");
}

#[test]
fn a_moved_directory_keeps_its_node_and_contents() {
    let (fs, _) = overlaid(Quota::default());
    let inode = |path: &str| fs.metadata(&ROOT, path.as_bytes(), Follow::No).unwrap().inode;
    let before = (inode("/dir"), inode("/dir/sub/deep"));
    fs.make_dir(&ROOT, b"/new", 0o755).unwrap();
    fs.rename(&ROOT, b"/dir", b"/new/dir").unwrap();
    assert_eq!((inode("/new/dir"), inode("/new/dir/sub/deep")), before);
    fs.write(&ROOT, b"/new/dir/sub/more", b"").unwrap();
    fs.rename(&ROOT, b"/new/dir", b"/dir").unwrap();
    assert_eq!(
        (names(&fs, "/dir/sub"), names(&fs, "/new")),
        ("deep more".into(), String::new())
    );
    assert_eq!(fs.metadata(&ROOT, b"/", Follow::No).unwrap().nlink, 4);
}

#[test]
fn attributes_need_no_copy_and_contents_are_copied_once() {
    let (fs, _) = overlaid(Quota {
        bytes: 250_000,
        ..Quota::default()
    });
    fs.set_mode(&ROOT, b"/big", 0o600, Follow::No).unwrap();
    assert_eq!(fs.disk_usage(&ROOT, b"/").unwrap().bytes, 0);
    let Opened::File(open) = fs.open(&ROOT, b"/big", OpenFlags::READ_WRITE, 0).unwrap() else {
        panic!()
    };
    open.write_at(1, b"y", ROOT.now).unwrap();
    let found = fs.metadata(&ROOT, b"/big", Follow::No).unwrap();
    assert_eq!(
        (found.mode, found.size, found.inode),
        (0o600, 200_000, open.id().1)
    );
    assert_eq!(fs.disk_usage(&ROOT, b"/").unwrap().bytes, 200_000);
    fs.unlink(&ROOT, b"/big").unwrap();
    let mut start = [0; 3];
    assert_eq!(open.read_at(0, &mut start), Ok(3));
    assert_eq!(&start, b"xyx");
    drop(open);
    assert_eq!(
        fs.disk_usage(&ROOT, b"/").unwrap().bytes,
        0,
        "the copy goes with its last holder"
    );
}

#[test]
fn a_copy_that_does_not_fit_leaves_nothing() {
    let (fs, _) = overlaid(Quota {
        bytes: 1000,
        ..Quota::default()
    });
    let Opened::File(open) = fs.open(&ROOT, b"/big", OpenFlags::WRITE, 0).unwrap() else {
        panic!()
    };
    assert_eq!(open.write_at(0, b"y", ROOT.now), Err(Errno::ENOSPC));
    assert_eq!(fs.disk_usage(&ROOT, b"/").unwrap().bytes, 0);
    open.truncate(10, ROOT.now).unwrap();
    assert_eq!(fs.read(&ROOT, b"/big").unwrap(), b"xxxxxxxxxx");
}

#[test]
fn forks_are_independent() {
    let (fs, _) = overlaid(Quota::default());
    fs.write(&ROOT, b"/dir/one", b"before").unwrap();
    let fork = fs.fork().unwrap();
    fs.rename(&ROOT, b"/dir", b"/gone").unwrap();
    fork.write(&ROOT, b"/dir/one", b"forked").unwrap();
    assert_eq!(fs.read(&ROOT, b"/gone/one").unwrap(), b"before");
    assert_eq!(
        (names(&fork, "/"), fork.read(&ROOT, b"/other").unwrap()),
        ("big dir other".into(), b"forked".to_vec())
    );
}
