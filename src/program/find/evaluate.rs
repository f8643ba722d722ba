//! Evaluating an expression for one file.

use super::predicate::{FileTime, Number, PermKind, Predicate, Step};
use super::{Finder, Subject};
use crate::args::quote;
use crate::fs::{Errno, FileKind, Follow, Metadata, Timestamp};
use crate::kernel::{Proc, Stop};
use crate::pattern::Pattern;
use crate::program::message::message;
use crate::program::path;
use crate::program::walk::Links;

/// A time of a node.
pub fn time_of(found: &Metadata, which: FileTime) -> Timestamp {
    match which {
        FileTime::Access => found.atime,
        FileTime::Change => found.ctime,
        FileTime::Modification => found.mtime,
    }
}

/// What an expression asks of the walk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Wish {
    /// Do not go into this directory.
    pub prune: bool,
    /// Stop altogether.
    pub quit: bool,
}

impl Finder {
    /// Runs the code for one file.
    pub async fn evaluate(&mut self, proc: &mut Proc, subject: &Subject<'_>) -> Result<Wish, Stop> {
        let mut wish = Wish::default();
        let mut value = true;
        let mut next = 0;
        let steps = std::sync::Arc::clone(&self.steps);
        while let Some(step) = steps.get(next) {
            next += 1;
            match *step {
                Step::Not => value = !value,
                Step::UnlessTrue(to) if !value => next = to,
                Step::UnlessFalse(to) if value => next = to,
                Step::UnlessTrue(_) | Step::UnlessFalse(_) => {}
                Step::Test(index) => {
                    let Some(slot) = self.predicates.get_mut(index) else {
                        continue;
                    };
                    // Taken out while it runs, since it may need everything else.
                    let mut predicate = std::mem::replace(slot, Predicate::Quit);
                    let result = self.predicate(proc, &mut predicate, subject, &mut wish).await;
                    if let Some(slot) = self.predicates.get_mut(index) {
                        *slot = predicate;
                    }
                    value = result?;
                    if wish.quit {
                        break;
                    }
                }
            }
        }
        Ok(wish)
    }

    async fn predicate(
        &mut self,
        proc: &mut Proc,
        predicate: &mut Predicate,
        subject: &Subject<'_>,
        wish: &mut Wish,
    ) -> Result<bool, Stop> {
        Ok(match predicate {
            Predicate::Prune => {
                wish.prune = true;
                true
            }
            Predicate::Quit => {
                wish.quit = true;
                true
            }
            Predicate::Delete => self.delete(proc, subject).await?,
            Predicate::Print(sink, end) => {
                let line = [subject.path, &[*end]].concat();
                self.outputs.write(proc, *sink, &line).await?;
                true
            }
            Predicate::Printf(sink, format) => {
                let (text, flush) = self.formatted(proc, format, subject).await?;
                self.outputs.write(proc, *sink, &text).await?;
                if flush {
                    proc.flush().await?;
                    self.outputs.flush(proc).await?;
                }
                true
            }
            Predicate::List(sink) => {
                if let Some(found) = subject.metadata {
                    let line = self.listed(proc, subject, &found);
                    self.outputs.write(proc, *sink, &line).await?;
                }
                subject.metadata.is_some()
            }
            Predicate::Exec(exec) => self.exec(proc, exec, subject.path).await?,
            Predicate::Empty => self.is_empty(proc, subject).await?,
            Predicate::Regex(regex) => {
                let found = regex.is_match(subject.path);
                proc.charge(subject.path.len() as u64 / 64 + 1)?;
                found.unwrap_or(false)
            }
            other => self.test(proc, other, subject),
        })
    }

    /// Tests that only look.
    fn test(&mut self, proc: &Proc, predicate: &Predicate, subject: &Subject<'_>) -> bool {
        match predicate {
            Predicate::Constant(value) => return *value,
            Predicate::Name(pattern) => return pattern.matches(base_name(subject.path)),
            Predicate::Path(pattern) => return pattern.matches(subject.path),
            Predicate::Access(access) => return proc.access(subject.path, *access).is_ok(),
            Predicate::Type(kinds) => return subject.kind().is_some_and(|kind| kinds.contains(kind)),
            _ => {}
        }
        let Some(found) = subject.metadata else {
            return false;
        };
        match predicate {
            Predicate::LinkName(pattern) => link_matches(proc, subject, &found, pattern),
            Predicate::TargetType(kinds) => self
                .target_kind(proc, subject)
                .is_some_and(|kind| kinds.contains(kind)),
            Predicate::Size(compare, unit, wanted) => compare.holds(found.size.div_ceil(*unit), *wanted),
            Predicate::Newer(which, reference) => time_of(&found, *which) > *reference,
            Predicate::Age(which, window) => window.holds(time_of(&found, *which)),
            Predicate::Used(window) => used(&found).is_some_and(|time| window.holds(time)),
            Predicate::Perm(kind, file, directory) => {
                let is_directory = found.kind == FileKind::Directory;
                has_permissions(*kind, found.mode, if is_directory { *directory } else { *file })
            }
            Predicate::Number(which, compare, wanted) => {
                let value = match which {
                    Number::Uid => u64::from(found.uid),
                    Number::Gid => u64::from(found.gid),
                    Number::Links => found.nlink,
                    Number::Inode => found.inode,
                };
                compare.holds(value, *wanted)
            }
            Predicate::NoUser => self.accounts.user_name(proc, found.uid).is_none(),
            Predicate::NoGroup => self.accounts.group_name(proc, found.gid).is_none(),
            Predicate::SameFile(device, inode) => (found.device, found.inode) == (*device, *inode),
            Predicate::FileSystem(name) => self.file_system(proc, found.device) == name.as_slice(),
            _ => false,
        }
    }

    /// The kind of file system of a device.
    pub fn file_system(&mut self, proc: &Proc, device: u64) -> &'static [u8] {
        let mounts = proc.fs.mounts();
        let mount = mounts.iter().find(|mount| mount.device == device);
        mount.map_or(b"unknown", |mount| mount.type_name.as_bytes())
    }

    /// What `-xtype` looks at: the other end of a link, or the link where links are followed.
    fn target_kind(&self, proc: &Proc, subject: &Subject<'_>) -> Option<FileKind> {
        let follows = match self.options.links {
            Links::Always => true,
            Links::Operands => subject.depth == 0,
            Links::Never => false,
        };
        let own = || {
            proc.metadata(subject.path, Follow::No)
                .ok()
                .map(|found| found.kind)
        };
        if follows {
            return own();
        }
        match proc.metadata(subject.path, Follow::Yes) {
            Ok(found) => Some(found.kind),
            Err(Errno::ENOENT | Errno::ELOOP) => own(),
            Err(_) => None,
        }
    }

    async fn is_empty(&mut self, proc: &mut Proc, subject: &Subject<'_>) -> Result<bool, Stop> {
        let Some(found) = subject.metadata else {
            return Ok(false);
        };
        match found.kind {
            FileKind::Regular => Ok(found.size == 0),
            FileKind::Directory => match proc.read_dir(subject.path) {
                Ok(names) => Ok(names.is_empty()),
                Err(errno) => {
                    let line = message!(quote(subject.path), ": ", errno.message());
                    self.fail(proc, line).await?;
                    Ok(false)
                }
            },
            _ => Ok(false),
        }
    }

    async fn delete(&mut self, proc: &mut Proc, subject: &Subject<'_>) -> Result<bool, Stop> {
        if subject.path == b"." {
            return Ok(true);
        }
        let own = proc.metadata(subject.path, Follow::No);
        let is_directory = own.is_ok_and(|found| found.kind == FileKind::Directory);
        let removed = if is_directory {
            proc.remove_dir(subject.path)
        } else {
            proc.unlink(subject.path)
        };
        let Err(errno) = removed else {
            return Ok(true);
        };
        let line = message!("cannot delete ", quote(subject.path), ": ", errno.message());
        self.fail(proc, line).await?;
        Ok(false)
    }
}

/// The last component, without slashes behind it.
pub fn base_name(path: &[u8]) -> &[u8] {
    path::base_name(path)
}

fn link_matches(proc: &Proc, subject: &Subject<'_>, found: &Metadata, pattern: &Pattern) -> bool {
    if found.kind != FileKind::Symlink {
        return false;
    }
    proc.read_link(subject.path)
        .is_ok_and(|target| pattern.matches(&target))
}

fn has_permissions(kind: PermKind, mode: u32, wanted: u32) -> bool {
    match kind {
        PermKind::Exact => mode == wanted,
        PermKind::AllOf => mode & wanted == wanted,
        PermKind::AnyOf => wanted == 0 || mode & wanted != 0,
    }
}

/// How long after its status changed a file was accessed.
fn used(found: &Metadata) -> Option<Timestamp> {
    if found.atime < found.ctime {
        return None;
    }
    let between = crate::kernel::between(found.ctime, found.atime);
    Some(Timestamp {
        seconds: i64::try_from(between.as_secs()).ok()?,
        nanos: between.subsec_nanos(),
    })
}
