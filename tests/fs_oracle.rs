//! The file tree against a real one: the same random operations on a [`MemFs`] and on a temporary directory must give the
//! same results, the same error numbers and, at the end, the same tree.
//!
//! Paths are full of what goes wrong: links in circles and to nowhere, `..` after links, trailing slashes, names that are too
//! long. Both trees have the same absolute paths, deep enough that no chain of `..` gets near the temporary directory.
//! In the middle of each sequence the tree is forked, or becomes the lower one of an overlay.

#![allow(clippy::unwrap_used, clippy::panic)]

use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::PathBuf;
use std::sync::Arc;

use exuvia::fs::{
    Credentials, Existing, FileKind, FileSystem, Follow, Fs, MemFs, OpenFlags, Opened, Overlay, Quota,
    Timestamp, View,
};

/// What an operation gives: a description of the value, or the error number.
type Outcome = Result<String, i32>;

const SEQUENCES: u64 = 250;
const STEPS: usize = 80;
const DEPTH: usize = 20;

/// A reproducible source of choices.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % sides
    }

    fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.roll(of.len())]
    }

    fn relative(&mut self) -> String {
        let names = ["a", "b", "c", "a", "b", ".", ".."];
        let mut path = self.one(&names).to_string();
        for _ in 0..self.roll(8).saturating_sub(4) {
            path += self.one(&["/", "/", "/", "//"]);
            path += self.one(&names);
        }
        if self.roll(8) == 0 {
            path.push('/');
        }
        if self.roll(60) == 0 {
            path += &"/".repeat(1 + self.roll(2));
            path += &"n".repeat(254 + self.roll(3));
        }
        path
    }

    fn flags(&mut self) -> OpenFlags {
        let mut flag = |odds| self.roll(odds) == 0;
        let write = flag(2);
        OpenFlags {
            read: !write || flag(2),
            write,
            append: false,
            create: flag(2),
            exclusive: flag(4),
            truncate: flag(4),
            directory: false,
            nofollow: flag(5),
        }
    }

    fn operation(&mut self) -> Operation {
        let (one, two) = (self.relative(), self.relative());
        match self.roll(26) {
            0..=2 => Operation::MakeDir(one),
            3 => Operation::RemoveDir(one),
            4..=5 => Operation::Unlink(one),
            6..=9 => Operation::Rename(one, two),
            10..=11 => Operation::Link(one, two),
            12..=14 => Operation::Symlink(two, one),
            15..=18 => {
                let flags = self.flags();
                let flags = OpenFlags {
                    directory: !flags.create && self.roll(5) == 0,
                    ..flags
                };
                Operation::Open(one, flags)
            }
            19 => Operation::Truncate(one, [0, 3, 5000, 200_000][self.roll(4)]),
            20 => Operation::Stat(one),
            21 => Operation::Lstat(one),
            22 => Operation::ReadLink(one),
            23 => Operation::ReadDir(one),
            24 => Operation::Canonicalize(one),
            _ => Operation::Chmod(one, 0o700 | self.roll(0o100) as u32),
        }
    }
}

#[derive(Debug, Clone)]
enum Operation {
    MakeDir(String),
    RemoveDir(String),
    Unlink(String),
    Rename(String, String),
    Link(String, String),
    Symlink(String, String),
    Open(String, OpenFlags),
    Truncate(String, u64),
    Stat(String),
    Lstat(String),
    ReadLink(String),
    ReadDir(String),
    Canonicalize(String),
    Chmod(String, u32),
}

/// The real side.
struct Real {
    base: String,
}

fn number<T>(result: std::io::Result<T>) -> Result<T, i32> {
    result.map_err(|error| {
        error
            .raw_os_error()
            .unwrap_or_else(|| panic!("{error:?} has no number"))
    })
}

fn unit<T>(result: Result<T, i32>) -> Outcome {
    result.map(|_| String::new())
}

impl Real {
    fn at(&self, path: &str) -> PathBuf {
        format!("{}/{path}", self.base).into()
    }

    fn open(&self, path: &str, flags: OpenFlags) -> Outcome {
        let bits = [
            (flags.create, 0o100),
            (flags.exclusive, 0o200),
            (flags.truncate, 0o1000),
            (flags.directory, 0o200_000),
            (flags.nofollow, 0o400_000),
        ];
        let bits = bits.iter().filter(|(set, _)| *set).map(|(_, bit)| bit).sum();
        let mut options = fs::OpenOptions::new();
        options
            .read(flags.read)
            .write(flags.write)
            .mode(0o666)
            .custom_flags(bits);
        let mut file = number(options.open(self.at(path)))?;
        if flags.write {
            number(file.write_all(b"hello"))?;
        }
        Ok(if file.metadata().unwrap().is_dir() {
            "directory"
        } else {
            "file"
        }
        .into())
    }

    fn run(&self, operation: &Operation) -> Outcome {
        let at = |path: &String| self.at(path);
        match operation {
            Operation::MakeDir(path) => unit(number(fs::create_dir(at(path)))),
            Operation::RemoveDir(path) => unit(number(fs::remove_dir(at(path)))),
            Operation::Unlink(path) => unit(number(fs::remove_file(at(path)))),
            Operation::Rename(old, new) => unit(number(fs::rename(at(old), at(new)))),
            Operation::Link(old, new) => unit(number(fs::hard_link(at(old), at(new)))),
            Operation::Symlink(target, path) => unit(number(std::os::unix::fs::symlink(target, at(path)))),
            Operation::Open(path, flags) => self.open(path, *flags),
            Operation::Truncate(path, length) => {
                // There is no truncate(2) in std: open and set_len find the same errors but for directories.
                let file = number(fs::OpenOptions::new().write(true).open(at(path)))?;
                unit(number(file.set_len(*length)))
            }
            Operation::Stat(path) => number(fs::metadata(at(path))).map(|found| describe_real(&found)),
            Operation::Lstat(path) => {
                number(fs::symlink_metadata(at(path))).map(|found| describe_real(&found))
            }
            Operation::ReadLink(path) => {
                number(fs::read_link(at(path))).map(|path| path.display().to_string())
            }
            Operation::ReadDir(path) => number(fs::read_dir(at(path))).map(|entries| {
                let mut names: Vec<_> = entries
                    .map(|entry| entry.unwrap().file_name().into_string().unwrap())
                    .collect();
                names.sort();
                names.join(" ")
            }),
            Operation::Canonicalize(path) => {
                number(fs::canonicalize(at(path))).map(|path| path.display().to_string())
            }
            Operation::Chmod(path, mode) => unit(number(fs::set_permissions(
                at(path),
                fs::Permissions::from_mode(*mode),
            ))),
        }
    }
}

fn describe_real(found: &fs::Metadata) -> String {
    let (nlink, size) = if found.is_dir() {
        (found.nlink(), 0)
    } else {
        (found.nlink(), found.len())
    };
    let kind = if found.is_dir() {
        "directory"
    } else if found.is_symlink() {
        "link"
    } else {
        "file"
    };
    format!("{kind} {:o} {nlink} {size}", found.mode() & 0o7777)
}

/// The emulated side.
struct Model {
    fs: Fs,
    base: String,
    umask: u32,
    user: Credentials,
}

impl Model {
    fn view(&self) -> View<'_> {
        View {
            cwd: self.base.as_bytes(),
            umask: self.umask,
            user: self.user,
            now: Timestamp::default(),
        }
    }

    fn open(&self, path: &str, flags: OpenFlags) -> Result<&'static str, exuvia::fs::Errno> {
        match self.fs.open(&self.view(), path.as_bytes(), flags, 0o666)? {
            Opened::File(node) => {
                if flags.write {
                    assert_eq!(node.write_at(0, b"hello", Timestamp::default())?, 5);
                }
                Ok("file")
            }
            Opened::Directory(_) => Ok("directory"),
            _ => panic!("neither file nor directory"),
        }
    }

    fn run(&self, operation: &Operation) -> Outcome {
        let (fs, view) = (&self.fs, &self.view());
        let nothing = |(): ()| String::new();
        let result = match operation {
            Operation::MakeDir(path) => fs.make_dir(view, path.as_bytes(), 0o777).map(nothing),
            Operation::RemoveDir(path) => fs.remove_dir(view, path.as_bytes()).map(nothing),
            Operation::Unlink(path) => fs.unlink(view, path.as_bytes()).map(nothing),
            Operation::Rename(old, new) => fs.rename(view, old.as_bytes(), new.as_bytes()).map(nothing),
            Operation::Link(old, new) => fs
                .link(view, old.as_bytes(), new.as_bytes(), Follow::No)
                .map(nothing),
            Operation::Symlink(target, path) => {
                fs.symlink(view, target.as_bytes(), path.as_bytes()).map(nothing)
            }
            Operation::Open(path, flags) => self.open(path, *flags).map(str::to_string),
            Operation::Truncate(path, length) => fs.truncate(view, path.as_bytes(), *length).map(nothing),
            Operation::Stat(path) => fs.metadata(view, path.as_bytes(), Follow::Yes).map(describe),
            Operation::Lstat(path) => fs.metadata(view, path.as_bytes(), Follow::No).map(describe),
            Operation::ReadLink(path) => fs.read_link(view, path.as_bytes()).map(text),
            Operation::ReadDir(path) => fs.read_dir(view, path.as_bytes()).map(|entries| {
                entries
                    .into_iter()
                    .map(|entry| text(entry.name))
                    .collect::<Vec<_>>()
                    .join(" ")
            }),
            Operation::Canonicalize(path) => fs.canonicalize(view, path.as_bytes(), Existing::All).map(text),
            Operation::Chmod(path, mode) => fs
                .set_mode(view, path.as_bytes(), *mode, Follow::Yes)
                .map(nothing),
        };
        result.map_err(|error| error as i32)
    }
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap()
}

fn describe(found: exuvia::fs::Metadata) -> String {
    let (kind, size) = match found.kind {
        FileKind::Directory => ("directory", 0),
        FileKind::Symlink => ("link", found.size),
        _ => ("file", found.size),
    };
    format!("{kind} {:o} {} {size}", found.mode, found.nlink)
}

/// Compares everything below a directory.
fn compare_trees(real: &Real, model: &Model, path: &str) {
    let list = Operation::ReadDir(path.into());
    let (names, expected) = (model.run(&list), real.run(&list));
    assert_eq!(names, expected, "names in {path}");
    for name in names.unwrap().split_whitespace() {
        let path = format!("{path}/{name}");
        let stat = Operation::Lstat(path.clone());
        let found = model.run(&stat);
        assert_eq!(found, real.run(&stat), "{path}");
        let found = found.unwrap();
        if found.starts_with("directory") {
            compare_trees(real, model, &path);
        } else if found.starts_with("link") {
            let link = Operation::ReadLink(path.clone());
            assert_eq!(model.run(&link), real.run(&link), "{path}");
        } else {
            let mut contents = Vec::new();
            fs::File::open(real.at(&path))
                .unwrap()
                .read_to_end(&mut contents)
                .unwrap();
            assert!(
                model.fs.read(&model.view(), path.as_bytes()).unwrap() == contents,
                "contents of {path}"
            );
        }
    }
}

/// Plays one sequence on both sides.
fn play(real: &Real, model: &Model, dice: &mut Dice, steps: usize) {
    let mut log = Vec::new();
    for _ in 0..steps {
        let operation = dice.operation();
        let (found, expected) = (model.run(&operation), real.run(&operation));
        log.push(format!("{operation:?} => {expected:?}"));
        assert!(found == expected, "got {found:?} after\n{}", log.join("\n"));
    }
    compare_trees(real, model, ".");
}

/// A fresh directory on both sides; `fs` gets the directories above it.
fn pair(fs: Fs, directory: &tempfile::TempDir, number: u64) -> (Real, Model) {
    let root = fs::canonicalize(directory.path()).unwrap();
    let base = format!("{}/{number}{}", root.display(), "/d".repeat(DEPTH));
    fs::create_dir_all(&base).unwrap();
    let probe = fs::metadata(&base).unwrap();
    let user = Credentials {
        uid: probe.uid(),
        gid: probe.gid(),
    };
    fs.make_dirs(
        &View {
            umask: 0,
            ..View::ROOT
        },
        base.as_bytes(),
    )
    .unwrap();
    let mut above = base.as_str();
    loop {
        fs.set_mode(&View::ROOT, above.as_bytes(), probe.mode() & 0o7777, Follow::No)
            .unwrap();
        fs.set_owner(
            &View::ROOT,
            above.as_bytes(),
            Some(user.uid),
            Some(user.gid),
            Follow::No,
        )
        .unwrap();
        above = above.rsplit_once('/').unwrap().0;
        if above == root.to_str().unwrap() {
            break;
        }
    }
    let model = Model {
        fs,
        base: base.clone(),
        umask: 0o777 & !probe.mode(),
        user,
    };
    (Real { base }, model)
}

/// Whether directories count their subdirectories here, as on ext4 and tmpfs; btrfs and overlayfs do not.
fn counts_links(directory: &tempfile::TempDir) -> bool {
    fs::create_dir(directory.path().join("probe")).unwrap();
    let links = fs::metadata(directory.path()).unwrap().nlink();
    fs::remove_dir(directory.path().join("probe")).unwrap();
    links == 3
}

/// Plays many sequences: half of the steps on the tree that `start` gives, the other half on what `wrap` makes of it.
fn compare_on(
    sequences: u64,
    start: impl Fn(u64) -> Arc<dyn FileSystem>,
    wrap: impl Fn(Arc<dyn FileSystem>, u64) -> Arc<dyn FileSystem>,
) {
    let directory = scratch();
    if !counts_links(&directory) {
        return;
    }
    for seed in 1..=sequences {
        let tree = start(seed);
        let (real, model) = pair(Fs::new(Arc::clone(&tree)), &directory, seed);
        let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        play(&real, &model, &mut dice, STEPS / 2);
        let model = Model {
            fs: Fs::new(wrap(tree, seed)),
            ..model
        };
        play(&real, &model, &mut dice, STEPS / 2);
    }
}

/// Memory is faster than a disk, and the rules are the same.
fn scratch() -> tempfile::TempDir {
    tempfile::tempdir_in("/dev/shm")
        .or_else(|_| tempfile::tempdir())
        .unwrap()
}

fn memory(_: u64) -> Arc<dyn FileSystem> {
    Arc::new(MemFs::default())
}

#[test]
fn memory_behaves_as_a_disk() {
    compare_on(SEQUENCES, memory, |tree, _| tree.fork().unwrap());
}

#[test]
fn an_overlay_behaves_as_a_disk() {
    compare_on(SEQUENCES, memory, |tree, _| {
        Arc::new(Overlay::new(tree, Quota::default()).unwrap())
    });
}

/// A host directory is changed itself in the first half, and lies under an overlay in the second.
#[cfg(all(feature = "host-fs", unix))]
#[test]
fn a_host_directory_behaves_as_a_disk() {
    use exuvia::fs::HostDir;
    let host = scratch();
    let at = |seed: u64| host.path().join(seed.to_string());
    let start = |seed| -> Arc<dyn FileSystem> {
        fs::create_dir(at(seed)).unwrap();
        Arc::new(HostDir::read_write(at(seed)).unwrap())
    };
    // Each look costs a system call for every component.
    compare_on(SEQUENCES / 8, start, |_, seed| {
        Arc::new(HostDir::overlaid(at(seed), Quota::default()).unwrap())
    });
}
