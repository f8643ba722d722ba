//! The base tree: the directories, links, devices and files that a script expects of a Debian system, with each program of
//! the shell as an executable file.
//!
//! It is built once in a process and forked from then on, so a shell's tree is O(1) and costs what it changes.

use std::sync::{Arc, OnceLock};

use super::{Credentials, Errno, Fs, MemFs, ProcFs, Quota, Timestamp, View, base_text, special};

/// How the file of a program starts; its name and a newline follow. The ELF mark is there for `file` and `head -c 4`.
pub const PROGRAM_MARK: &[u8] = b"\x7fELFexuvia\0";

/// When the base tree was made: 2025-01-01T00:00:00Z.
const MADE: Timestamp = Timestamp {
    seconds: 1_735_689_600,
    nanos: 0,
};

/// The user and the group to whom `/home/user` and `/workspace` belong.
pub const DEFAULT_USER: Credentials = Credentials { uid: 1000, gid: 1000 };

/// Directories with their modes, parents first.
const DIRECTORIES: [(&str, u32); 37] = [
    ("/dev", 0o755),
    ("/etc", 0o755),
    ("/etc/profile.d", 0o755),
    ("/home", 0o755),
    ("/media", 0o755),
    ("/mnt", 0o755),
    ("/opt", 0o755),
    ("/proc", 0o555),
    ("/root", 0o700),
    ("/run", 0o755),
    ("/run/lock", 0o1777),
    ("/srv", 0o755),
    ("/sys", 0o555),
    ("/tmp", 0o1777),
    ("/usr", 0o755),
    ("/usr/bin", 0o755),
    ("/usr/games", 0o755),
    ("/usr/include", 0o755),
    ("/usr/lib", 0o755),
    ("/usr/lib64", 0o755),
    ("/usr/local", 0o755),
    ("/usr/local/bin", 0o755),
    ("/usr/local/etc", 0o755),
    ("/usr/local/lib", 0o755),
    ("/usr/local/sbin", 0o755),
    ("/usr/local/share", 0o755),
    ("/usr/sbin", 0o755),
    ("/usr/share", 0o755),
    ("/usr/src", 0o755),
    ("/var", 0o755),
    ("/var/cache", 0o755),
    ("/var/lib", 0o755),
    ("/var/log", 0o755),
    ("/var/mail", 0o755),
    ("/var/spool", 0o755),
    ("/var/tmp", 0o1777),
    ("/workspace", 0o755),
];

/// Links with their targets, as on a system with merged `/usr`.
const LINKS: [(&str, &str); 7] = [
    ("/bin", "usr/bin"),
    ("/etc/os-release", "../usr/lib/os-release"),
    ("/lib", "usr/lib"),
    ("/lib64", "usr/lib64"),
    ("/sbin", "usr/sbin"),
    ("/var/lock", "/run/lock"),
    ("/var/run", "/run"),
];

/// What the file of a program holds. The loader goes by it, so copies and links of programs run.
pub fn program_image(name: &str) -> Vec<u8> {
    [PROGRAM_MARK, name.as_bytes(), b"\n"].concat()
}

/// The name of the program in a file's contents, if it is one.
pub fn program_in_image(contents: &[u8]) -> Option<&[u8]> {
    let rest = contents.strip_prefix(PROGRAM_MARK)?;
    rest.split(|byte| *byte == b'\n').next()
}

/// A Debian-like tree with these programs in `/usr/bin`, and `bash` and `sh` if they are not among them. `/proc` is empty: see
/// [`base_fs`].
pub fn base_tree(programs: &[&str], quota: Quota) -> Result<MemFs, Errno> {
    static TEMPLATE: OnceLock<(Vec<String>, MemFs)> = OnceLock::new();
    let tree = match TEMPLATE.get() {
        Some((names, tree)) if names.iter().eq(programs) => tree.fork_tree(),
        Some(_) => build(programs)?,
        None => {
            let names = programs.iter().map(ToString::to_string).collect();
            let tree = build(programs)?;
            // If another thread was faster, its template stays.
            let _ = TEMPLATE.set((names, tree.fork_tree()));
            tree
        }
    };
    tree.set_quota(quota);
    Ok(tree)
}

/// [`base_tree`] with `/proc` mounted: what a shell starts in.
pub fn base_fs(programs: &[&str], quota: Quota) -> Result<Fs, Errno> {
    let fs = Fs::new(Arc::new(base_tree(programs, quota)?));
    fs.mount(b"/proc", Arc::new(ProcFs))?;
    Ok(fs)
}

fn build(programs: &[&str]) -> Result<MemFs, Errno> {
    let tree = Arc::new(MemFs::default());
    let fs = Fs::new(Arc::clone(&tree) as Arc<dyn super::FileSystem>);
    let view = View {
        umask: 0,
        now: MADE,
        ..View::ROOT
    };
    for (path, mode) in DIRECTORIES {
        fs.make_dir(&view, path.as_bytes(), mode & 0o777)?;
        fs.set_mode(&view, path.as_bytes(), mode, super::Follow::No)?;
    }
    for (path, target) in LINKS {
        fs.symlink(&view, target.as_bytes(), path.as_bytes())?;
    }
    special::make_devices(&fs, b"/dev", MADE)?;
    for (path, text) in base_text::FILES {
        fs.write(&View { umask: 0o022, ..view }, path.as_bytes(), text.as_bytes())?;
    }
    fs.make_dir(&view, b"/home/user", 0o755)?;
    for path in [b"/home/user".as_slice(), b"/workspace"] {
        fs.set_owner(
            &view,
            path,
            Some(DEFAULT_USER.uid),
            Some(DEFAULT_USER.gid),
            super::Follow::No,
        )?;
    }
    install(&fs, &view, programs)?;
    drop(fs);
    let root = super::Attributes {
        mtime: Some(MADE),
        atime: Some(MADE),
        ..super::Attributes::default()
    };
    super::FileSystem::set_attributes(&*tree, super::FileSystem::root(&*tree), &root, MADE)?;
    Ok(tree.fork_tree())
}

fn install(fs: &Fs, view: &View<'_>, programs: &[&str]) -> Result<(), Errno> {
    for name in programs.iter().chain(&["bash", "sh"]) {
        let path = [b"/usr/bin/", name.as_bytes()].concat();
        if fs.exists(view, &path) {
            continue;
        }
        fs.write(view, &path, &program_image(name))?;
        fs.set_mode(view, &path, 0o755, super::Follow::No)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fs::{Access, Follow};

    #[test]
    fn programs_are_executable_files() {
        let fs = base_fs(&["cat", "ls"], Quota::default()).unwrap();
        let user = View {
            user: DEFAULT_USER,
            ..View::ROOT
        };
        for path in ["/bin/cat", "/usr/bin/ls", "/bin/bash", "/bin/sh"] {
            assert_eq!(
                fs.access(&user, path.as_bytes(), Access::EXECUTE),
                Ok(()),
                "{path}"
            );
            let name = path.rsplit('/').next().unwrap();
            assert_eq!(
                program_in_image(&fs.read(&user, path.as_bytes()).unwrap()),
                Some(name.as_bytes())
            );
        }
        assert_eq!(fs.write(&user, b"/etc/passwd", b""), Err(Errno::EACCES));
        assert_eq!(fs.write(&user, b"/tmp/x", b"1"), Ok(()));
        assert_eq!(fs.metadata(&user, b"/tmp", Follow::Yes).unwrap().mode, 0o1777);
        assert!(
            fs.read(&user, b"/etc/os-release")
                .unwrap()
                .starts_with(b"PRETTY_NAME")
        );
    }

    #[test]
    fn another_shell_does_not_see_changes() {
        let one = base_tree(&["cat"], Quota::default()).unwrap();
        let one = Fs::new(Arc::new(one));
        one.unlink(&View::ROOT, b"/usr/bin/cat").unwrap();
        let two = Fs::new(Arc::new(base_tree(&["cat"], Quota::default()).unwrap()));
        assert!(two.exists(&View::ROOT, b"/usr/bin/cat"));
    }
}
