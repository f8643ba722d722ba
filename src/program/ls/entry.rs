//! One thing to list, and what is found out about it: no more than the options need, so that `ls` of a large directory asks for no
//! metadata.

use super::color::{Code, Colors};
use super::options::{Dereference, Format, Indicator, Options, Sort};
use crate::args::quoteaf;
use crate::fs::{Errno, Existing, FileKind, Follow, Metadata};
use crate::kernel::Proc;
use crate::program::message::message;

/// Something to list.
#[derive(Debug, Default)]
pub struct Entry {
    pub name: Vec<u8>,
    /// What its directory says it is.
    pub kind: Option<FileKind>,
    pub metadata: Option<Metadata>,
    pub inode: Option<u64>,
    /// What a link holds.
    pub link: Option<Vec<u8>>,
    /// What a link leads to.
    pub link_target: Option<(FileKind, u32)>,
    /// The canonical path, for hyperlinks.
    pub absolute: Option<Vec<u8>>,
    /// An operand whose contents are listed.
    pub is_argument_directory: bool,
}

/// Which name of an entry is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// Its own.
    Entry,
    /// What a link holds, after ` -> `.
    Shown,
}

impl Entry {
    pub fn is_directory(&self) -> bool {
        self.kind == Some(FileKind::Directory)
    }

    /// A directory, or a link to one.
    pub fn leads_to_directory(&self) -> bool {
        self.is_directory() || matches!(self.link_target, Some((FileKind::Directory, _)))
    }

    /// The letter behind its name.
    pub fn indicator(&self, style: Indicator) -> Option<u8> {
        let (kind, mode) = match self.metadata {
            Some(found) => (Some(found.kind), found.mode),
            None => (self.kind, 0),
        };
        indicator(kind, mode, style)
    }
}

/// The letter behind the name of something.
pub fn indicator(kind: Option<FileKind>, mode: u32, style: Indicator) -> Option<u8> {
    if style == Indicator::None {
        return None;
    }
    match kind? {
        FileKind::Regular => (style == Indicator::Classify && mode & 0o111 != 0).then_some(b'*'),
        FileKind::Directory => Some(b'/'),
        _ if style == Indicator::Slash => None,
        FileKind::Symlink => Some(b'@'),
        FileKind::Fifo => Some(b'|'),
        FileKind::Socket => Some(b'='),
        FileKind::CharDevice | FileKind::BlockDevice => None,
    }
}

/// `name` in `directory`, which does not show when it is `.`.
pub fn attach(directory: &[u8], name: &[u8]) -> Vec<u8> {
    if directory == b"." {
        return name.to_vec();
    }
    crate::program::path::join(directory, name)
}

/// What must be found out about entries.
#[derive(Debug, Clone, Copy)]
pub struct Needs {
    stat: bool,
    kind: bool,
    /// What links lead to.
    link_targets: bool,
    colored_directories: bool,
    colored_files: bool,
    link_as_target: bool,
}

impl Needs {
    pub fn new(options: &Options, colors: Option<&Colors>) -> Needs {
        let any =
            |codes: &[Code]| colors.is_some_and(|colors| codes.iter().any(|code| colors.is_colored(*code)));
        let link_as_target = colors.is_some_and(|colors| colors.link_as_target);
        let long = options.format == Format::Long;
        let stat =
            matches!(options.sort, Sort::Time | Sort::Size) || long || options.context || options.blocks;
        Needs {
            stat,
            kind: !stat
                && (options.recursive
                    || colors.is_some()
                    || options.directories_first
                    || options.indicator != Indicator::None),
            link_targets: options.directories_first
                || any(&[Code::Orphan])
                || (any(&[Code::Executable]) && link_as_target)
                || (any(&[Code::Missing]) && long),
            colored_directories: any(&[Code::OtherWritable, Code::Sticky, Code::StickyOtherWritable]),
            colored_files: any(&[Code::Executable, Code::SetUid, Code::SetGid, Code::Capability]),
            link_as_target,
        }
    }

    /// Whether the metadata of an entry of a directory is needed.
    fn of_entry(&self, kind: FileKind, options: &Options) -> bool {
        let follows = options.dereference == Dereference::Always || self.link_as_target || self.link_targets;
        self.stat
            || options.hyperlink
            || (kind == FileKind::Directory && self.colored_directories)
            || ((options.inode || self.kind) && kind == FileKind::Symlink && follows)
            || (self.kind
                && kind == FileKind::Regular
                && (options.indicator == Indicator::Classify || self.colored_files))
    }
}

/// An entry, with what went wrong on the way; `None` for an operand that is not there.
pub type Found = (Option<Entry>, Option<Vec<u8>>);

/// Looks at an operand.
pub fn argument(proc: &Proc, name: &[u8], options: &Options, needs: &Needs) -> Found {
    let mut entry = Entry {
        name: name.to_vec(),
        ..Entry::default()
    };
    let problem = look(proc, &mut entry, name, true, options, needs);
    if entry.metadata.is_none() {
        return (None, problem);
    }
    (Some(entry), problem)
}

/// Looks at a name of `directory`.
pub fn child(
    proc: &Proc,
    directory: &[u8],
    listed: crate::fs::DirEntry,
    options: &Options,
    needs: &Needs,
) -> (Entry, Option<Vec<u8>>) {
    let mut entry = Entry {
        name: listed.name,
        kind: Some(listed.kind),
        inode: Some(listed.inode),
        ..Entry::default()
    };
    if !needs.of_entry(listed.kind, options) {
        return (entry, None);
    }
    let path = attach(directory, &entry.name);
    let problem = look(proc, &mut entry, &path, false, options, needs);
    (entry, problem)
}

fn metadata(proc: &Proc, path: &[u8], is_argument: bool, options: &Options) -> Result<Metadata, Errno> {
    match options.dereference {
        Dereference::Always => return proc.metadata(path, Follow::Yes),
        Dereference::Arguments if is_argument => return proc.metadata(path, Follow::Yes),
        Dereference::ArgumentDirectories if is_argument => match proc.metadata(path, Follow::Yes) {
            Ok(found) if found.kind == FileKind::Directory => return Ok(found),
            Ok(_) | Err(Errno::ENOENT | Errno::ELOOP) => {}
            Err(errno) => return Err(errno),
        },
        _ => {}
    }
    proc.metadata(path, Follow::No)
}

/// Fills an entry; what cannot be is the sentence that comes back.
fn look(
    proc: &Proc,
    entry: &mut Entry,
    path: &[u8],
    is_argument: bool,
    options: &Options,
    needs: &Needs,
) -> Option<Vec<u8>> {
    if options.hyperlink {
        entry.absolute = proc.canonicalize(path, Existing::None).ok();
    }
    let found = match metadata(proc, path, is_argument, options) {
        Ok(found) => found,
        Err(errno) => {
            entry.inode = None;
            return Some(message!("cannot access ", quoteaf(path), ": ", errno.message()));
        }
    };
    entry.metadata = Some(found);
    entry.kind = Some(found.kind);
    entry.inode = Some(found.inode);
    entry.is_argument_directory = is_argument && !options.immediate && found.kind == FileKind::Directory;
    if found.kind != FileKind::Symlink || !(options.format == Format::Long || needs.link_targets) {
        return None;
    }
    match proc.read_link(path) {
        Ok(link) => entry.link = Some(link),
        Err(errno) => {
            return Some(message!(
                "cannot read symbolic link ",
                quoteaf(path),
                ": ",
                errno.message()
            ));
        }
    }
    if options.indicator >= Indicator::FileType || needs.link_targets {
        entry.link_target = proc
            .metadata(path, Follow::Yes)
            .ok()
            .map(|target| (target.kind, target.mode));
    }
    None
}
