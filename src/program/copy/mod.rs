//! Copying and moving: the engine of `cp`, `mv` and `install` (coreutils' `copy.c`).
//!
//! A [`Copier`] lives for one command, since later operands depend on earlier ones: what was just created is not overwritten, and
//! names of one node become names of one copy. A tree is walked with a stack of [`Work`] instead of recursion, so depth costs memory
//! only; a directory is finished (its attributes set) when everything below it is done.
//!
//! - `options.rs`: what there is to choose · `same.rs`: whether two paths are the same file
//! - `existing.rs`: an existing destination · `node.rs`: making one node · `attributes.rs`: what is taken over

mod attributes;
mod existing;
mod node;
mod options;
mod same;

use rustc_hash::FxHashMap;

pub use options::{CopyOptions, Dereference, Holes, Make, Overwrite, Preserve};
use same::{same_name, same_node};

use super::message::{complain, message};
use super::path;
use crate::args::quoteaf;
use crate::fs::{DirEntry, Errno, FileKind, Follow, Metadata};
use crate::kernel::{Proc, Stop};

/// A node: device and number.
type NodeKey = (u64, u64);

fn key(metadata: &Metadata) -> NodeKey {
    (metadata.device, metadata.inode)
}

/// Files by node, with the names they were met under.
type Seen = FxHashMap<NodeKey, Vec<Vec<u8>>>;

/// Copies for one command.
pub struct Copier<'a> {
    options: &'a CopyOptions,
    /// Where the copy of a node is.
    copies: FxHashMap<NodeKey, Vec<u8>>,
    /// Operands that were read; only `cp` looks.
    sources: Option<Seen>,
    /// What operands created.
    created: Seen,
}

/// What became of an operand.
#[derive(Debug, Clone, Copy, Default)]
pub struct Copied {
    /// Everything was copied.
    pub complete: bool,
    /// A directory was to be copied or moved into itself.
    pub into_itself: bool,
    /// It was moved by renaming: there is no source any more.
    pub renamed: bool,
}

/// One node to copy.
struct Job {
    source: Vec<u8>,
    destination: Vec<u8>,
    /// There is nothing at the destination.
    is_new: bool,
    /// It is an operand.
    operand: bool,
    /// The device of the operand's directory, for `-x`.
    device: Option<u64>,
}

/// A directory whose contents are being copied.
struct Directory {
    source: Vec<u8>,
    destination: Vec<u8>,
    found: Metadata,
    /// It was made for this copy.
    is_new: bool,
    existing: Option<Metadata>,
    /// The mode to give it back after the copy.
    restore: Option<u32>,
    entries: std::vec::IntoIter<DirEntry>,
    device: Option<u64>,
}

/// One operand under way.
struct Tree<'o> {
    source: &'o [u8],
    destination: &'o [u8],
    directories: Vec<Directory>,
    /// The first directory it makes is remembered, to notice a copy into itself.
    first_made: bool,
    result: Copied,
}

impl<'a> Copier<'a> {
    /// Starts a command. `notices_repeated`: a source given twice is skipped, as `cp` does.
    pub fn new(options: &'a CopyOptions, notices_repeated: bool) -> Copier<'a> {
        Copier {
            options,
            copies: FxHashMap::default(),
            sources: notices_repeated.then(FxHashMap::default),
            created: FxHashMap::default(),
        }
    }

    /// Copies or moves an operand. `is_new`: it is known that nothing is at the destination. Errors are printed.
    pub async fn copy(
        &mut self,
        proc: &mut Proc,
        source: &[u8],
        destination: &[u8],
        is_new: bool,
    ) -> Result<Copied, Stop> {
        let mut tree = Tree {
            source,
            destination,
            directories: Vec::new(),
            first_made: false,
            result: Copied {
                complete: true,
                ..Copied::default()
            },
        };
        let job = Job {
            source: source.to_vec(),
            destination: destination.to_vec(),
            is_new,
            operand: true,
            device: None,
        };
        tree.result.complete &= self.node(proc, &mut tree, job).await?;
        while let Some(directory) = tree.directories.last_mut() {
            proc.kernel.breathe().await;
            let next = if tree.result.into_itself {
                None
            } else {
                directory.entries.next()
            };
            if let Some(entry) = next {
                let job = Job {
                    source: path::join(&directory.source, &entry.name),
                    destination: path::join(&directory.destination, &entry.name),
                    is_new: directory.is_new,
                    operand: false,
                    device: directory.device,
                };
                tree.result.complete &= self.node(proc, &mut tree, job).await?;
            } else if let Some(directory) = tree.directories.pop() {
                tree.result.complete &= self.finish_directory(proc, directory).await?;
            }
        }
        Ok(tree.result)
    }

    fn follows(&self, operand: bool) -> Follow {
        match self.options.dereference {
            Dereference::Always => Follow::Yes,
            Dereference::Operands if operand => Follow::Yes,
            _ => Follow::No,
        }
    }

    /// Copies one node, or starts on a directory. `false`: it failed, and that was said.
    async fn node(&mut self, proc: &mut Proc, tree: &mut Tree<'_>, mut job: Job) -> Result<bool, Stop> {
        let follow = self.follows(job.operand);
        let found = match proc.metadata(&job.source, follow) {
            Ok(found) => found,
            Err(errno) => {
                complain(proc, "cannot stat", &job.source, errno).await?;
                return Ok(false);
            }
        };
        if let Some(fine) = self.passes_over(proc, &job, &found).await? {
            return Ok(fine);
        }
        let mut backup = None;
        let mut existing = None;
        if !job.is_new {
            match self.prepare(proc, tree, &mut job, &found).await? {
                existing::Prepared::Go(metadata, moved) => (existing, backup) = (metadata, moved),
                existing::Prepared::Done(fine) => return Ok(fine),
            }
        }
        if self.goes_through_created_link(proc, &job).await? {
            return Ok(false);
        }
        let is_directory = found.kind == FileKind::Directory;
        if self.options.verbose && !self.options.moves() && !is_directory {
            self.announce(proc, "", &job, backup.as_deref()).await?;
        }
        match self.known_copy(proc, tree, &job, &found).await? {
            Some(true) => return Ok(true),
            Some(false) => return self.un_backup(proc, &job, backup).await,
            None => {}
        }
        if self.options.moves()
            && let Renamed::Done(fine) = self
                .rename(proc, tree, &mut job, &found, backup.as_deref())
                .await?
        {
            return Ok(fine);
        }
        if self.begin(proc, tree, &job, &found, existing).await? {
            return Ok(true);
        }
        self.copies.remove(&key(&found));
        self.un_backup(proc, &job, backup).await
    }

    /// What is not copied at all: a directory without `-r`, an operand that was given before. Gives whether that is fine.
    async fn passes_over(
        &mut self,
        proc: &mut Proc,
        job: &Job,
        found: &Metadata,
    ) -> Result<Option<bool>, Stop> {
        if found.kind == FileKind::Directory && !self.options.recursive {
            let hint = match self.options.mode {
                Some(_) => "",
                None => "-r not specified; ",
            };
            let line = message!(hint, "omitting directory ", quoteaf(&job.source));
            proc.warn(line).await?;
            return Ok(Some(false));
        }
        if job.operand && self.is_repeated(proc, &job.source, found) {
            let source = quoteaf(&job.source);
            let line = message!("warning: source file ", source, " specified more than once");
            proc.warn(line).await?;
            return Ok(Some(true));
        }
        Ok(None)
    }

    /// Makes the copy of a node, of a directory only itself.
    async fn begin(
        &mut self,
        proc: &mut Proc,
        tree: &mut Tree<'_>,
        job: &Job,
        found: &Metadata,
        existing: Option<Metadata>,
    ) -> Result<bool, Stop> {
        if found.kind == FileKind::Directory {
            return self.start_directory(proc, tree, job, found, existing).await;
        }
        let made = self.make(proc, job, found, existing.as_ref()).await?;
        if made && job.operand {
            self.record_created(proc, &job.destination);
        }
        Ok(made)
    }

    /// The operand was given before.
    fn is_repeated(&mut self, proc: &Proc, source: &[u8], found: &Metadata) -> bool {
        let Some(sources) = &mut self.sources else {
            return false;
        };
        if found.kind == FileKind::Directory {
            return false;
        }
        let names = sources.entry(key(found)).or_default();
        let repeated = names.iter().any(|name| same_name(proc, name, source));
        names.push(source.to_vec());
        repeated && !self.options.backup.is_on()
    }

    fn record_created(&mut self, proc: &Proc, destination: &[u8]) {
        if let Ok(made) = proc.metadata(destination, Follow::No) {
            self.created
                .entry(key(&made))
                .or_default()
                .push(destination.to_vec());
        }
    }

    fn was_created(&self, proc: &Proc, destination: &[u8], found: &Metadata) -> bool {
        self.created
            .get(&key(found))
            .is_some_and(|names| names.iter().any(|name| same_name(proc, name, destination)))
    }

    /// `'a' -> 'b' (backup: 'b~')`.
    async fn announce(
        &self,
        proc: &mut Proc,
        what: &str,
        job: &Job,
        backup: Option<&[u8]>,
    ) -> Result<(), Stop> {
        let (source, destination) = (quoteaf(&job.source), quoteaf(&job.destination));
        let mut line = message!(what, source, " -> ", destination);
        if let Some(backup) = backup {
            line.extend_from_slice(&message!(" (backup: ", quoteaf(backup), ")"));
        }
        line.push(b'\n');
        proc.write(&line).await
    }

    /// Writing to a link that an earlier operand made would write somewhere else.
    async fn goes_through_created_link(&self, proc: &mut Proc, job: &Job) -> Result<bool, Stop> {
        let options = self.options;
        if !job.operand || options.moves() || options.backup.is_on() {
            return Ok(false);
        }
        let through = match proc.metadata(&job.destination, Follow::No) {
            Ok(found) => found.kind == FileKind::Symlink && self.was_created(proc, &job.destination, &found),
            Err(_) => false,
        };
        if through {
            let (source, destination) = (quoteaf(&job.source), quoteaf(&job.destination));
            let line = message!(
                "will not copy ",
                source,
                " through just-created symlink ",
                destination
            );
            proc.warn(line).await?;
        }
        Ok(through)
    }

    /// A node that has been copied already is linked instead. `None`: it has not been, or is to be copied again.
    async fn known_copy(
        &mut self,
        proc: &mut Proc,
        tree: &mut Tree<'_>,
        job: &Job,
        found: &Metadata,
    ) -> Result<Option<bool>, Stop> {
        let options = self.options;
        let is_directory = found.kind == FileKind::Directory;
        let followed = self.follows(job.operand) == Follow::Yes;
        let remembers = if options.recursive && is_directory {
            job.operand
        } else if options.moves() && found.nlink == 1 {
            false
        } else if options.preserve.links && options.make != Make::HardLink && (found.nlink > 1 || followed) {
            true
        } else {
            return Ok(None);
        };
        let Some(earlier) = self.copies.get(&key(found)).cloned() else {
            if remembers {
                self.copies.insert(key(found), job.destination.clone());
            }
            return Ok(None);
        };
        if is_directory {
            return self.known_directory(proc, tree, job, &earlier).await;
        }
        let replacing = if options.verbose {
            Replacing::Aloud
        } else {
            Replacing::Silently
        };
        Ok(Some(
            self.hard_link(proc, &earlier, job, replacing, Follow::No).await?,
        ))
    }

    async fn known_directory(
        &self,
        proc: &mut Proc,
        tree: &mut Tree<'_>,
        job: &Job,
        earlier: &[u8],
    ) -> Result<Option<bool>, Stop> {
        if same_name(proc, &job.source, earlier) {
            let (source, destination) = (quoteaf(tree.source), quoteaf(tree.destination));
            let line = message!(
                "cannot copy a directory, ",
                source,
                ", into itself, ",
                destination
            );
            proc.warn(line).await?;
            tree.result.into_itself = true;
            return Ok(Some(false));
        }
        if same_name(proc, &job.destination, earlier) {
            let source = quoteaf(tree.source);
            proc.warn(message!(
                "warning: source directory ",
                source,
                " specified more than once"
            ))
            .await?;
            tree.result.renamed |= self.options.moves();
            return Ok(Some(true));
        }
        if self.follows(job.operand) == Follow::Yes {
            return Ok(None);
        }
        let (destination, earlier) = (quoteaf(&job.destination), quoteaf(earlier));
        proc.warn(message!(
            "will not create hard link ",
            destination,
            " to directory ",
            earlier
        ))
        .await?;
        Ok(Some(false))
    }

    /// Moves by renaming where that is possible.
    async fn rename(
        &mut self,
        proc: &mut Proc,
        tree: &mut Tree<'_>,
        job: &mut Job,
        found: &Metadata,
        backup: Option<&[u8]>,
    ) -> Result<Renamed, Stop> {
        let errno = match proc.rename(&job.source, &job.destination) {
            Ok(()) => {
                if self.options.verbose {
                    self.announce(proc, "renamed ", job, backup).await?;
                }
                tree.result.renamed = true;
                if job.operand {
                    let names = self.created.entry(key(found)).or_default();
                    names.push(job.destination.clone());
                }
                return Ok(Renamed::Done(true));
            }
            Err(errno) => errno,
        };
        if errno != Errno::EXDEV {
            self.copies.remove(&key(found));
            return self.not_renamed(proc, tree, job, errno).await;
        }
        let is_directory = found.kind == FileKind::Directory;
        let removed = if is_directory {
            proc.remove_dir(&job.destination)
        } else {
            proc.unlink(&job.destination)
        };
        if let Err(errno) = removed
            && errno != Errno::ENOENT
        {
            let (source, destination) = (quoteaf(&job.source), quoteaf(&job.destination));
            let line = message!(
                "inter-device move failed: ",
                source,
                " to ",
                destination,
                "; unable to remove target: ",
                errno.message()
            );
            proc.warn(line).await?;
            self.copies.remove(&key(found));
            return Ok(Renamed::Done(false));
        }
        if self.options.verbose && !is_directory {
            self.announce(proc, "copied ", job, backup).await?;
        }
        job.is_new = true;
        Ok(Renamed::OtherDevice)
    }

    async fn not_renamed(
        &self,
        proc: &mut Proc,
        tree: &mut Tree<'_>,
        job: &Job,
        errno: Errno,
    ) -> Result<Renamed, Stop> {
        let (source, destination) = (quoteaf(&job.source), quoteaf(&job.destination));
        match errno {
            Errno::EINVAL => {
                let (source, destination) = (quoteaf(tree.source), quoteaf(tree.destination));
                let line = message!(
                    "cannot move ",
                    source,
                    " to a subdirectory of itself, ",
                    destination
                );
                proc.warn(line).await?;
                tree.result.into_itself = true;
                return Ok(Renamed::Done(true));
            }
            Errno::EDQUOT
            | Errno::EEXIST
            | Errno::EISDIR
            | Errno::EMLINK
            | Errno::ENOSPC
            | Errno::ETXTBSY => {
                proc.warn(message!("cannot overwrite ", destination, ": ", errno.message()))
                    .await?;
            }
            _ => {
                let line = message!("cannot move ", source, " to ", destination, ": ", errno.message());
                proc.warn(line).await?;
            }
        }
        Ok(Renamed::Done(false))
    }

    /// Gives a backup its name back, since nothing came in its place.
    async fn un_backup(&self, proc: &mut Proc, job: &Job, backup: Option<Vec<u8>>) -> Result<bool, Stop> {
        let Some(backup) = backup else {
            return Ok(false);
        };
        if let Err(errno) = proc.rename(&backup, &job.destination) {
            complain(proc, "cannot un-backup", &job.destination, errno).await?;
        } else if self.options.verbose {
            let line = message!(
                quoteaf(&backup),
                " -> ",
                quoteaf(&job.destination),
                " (unbackup)\n"
            );
            proc.write(&line).await?;
        }
        Ok(false)
    }

    /// Makes a directory, or takes the one that is there, and puts its contents on the stack.
    async fn start_directory(
        &mut self,
        proc: &mut Proc,
        tree: &mut Tree<'_>,
        job: &Job,
        found: &Metadata,
        existing: Option<Metadata>,
    ) -> Result<bool, Stop> {
        let mut above = tree.directories.iter();
        if above.any(|above| same_node(&above.found, found)) {
            let line = message!("cannot copy cyclic symbolic link ", quoteaf(&job.source));
            proc.warn(line).await?;
            return Ok(false);
        }
        let stays = existing.filter(|existing| !job.is_new && existing.kind == FileKind::Directory);
        let mut restore = None;
        if stays.is_none() {
            match self.make_directory(proc, &job.destination, found) {
                Ok((mode, made)) => {
                    restore = mode;
                    if !std::mem::replace(&mut tree.first_made, true) {
                        self.copies.insert(key(&made), job.destination.clone());
                    }
                }
                Err(errno) => {
                    complain(proc, "cannot create directory", &job.destination, errno).await?;
                    return Ok(false);
                }
            }
            if self.options.verbose {
                self.announce_directory(proc, job).await?;
            }
        }
        if job.operand {
            self.record_created(proc, &job.destination);
        }
        let entries = self.entries(proc, tree, job, found).await?;
        tree.directories.push(Directory {
            source: job.source.clone(),
            destination: job.destination.clone(),
            found: *found,
            is_new: stays.is_none(),
            existing: stays,
            restore,
            entries: entries.into_iter(),
            device: job.device.or(Some(found.device)),
        });
        Ok(true)
    }

    /// What a directory holds: nothing of another file system with `-x`, and nothing where it cannot be read, which is said.
    async fn entries(
        &self,
        proc: &mut Proc,
        tree: &mut Tree<'_>,
        job: &Job,
        found: &Metadata,
    ) -> Result<Vec<DirEntry>, Stop> {
        if self.options.one_file_system && job.device.is_some_and(|device| device != found.device) {
            return Ok(Vec::new());
        }
        match proc.read_dir(&job.source) {
            Ok(entries) => Ok(entries),
            Err(errno) => {
                complain(proc, "cannot access", &job.source, errno).await?;
                tree.result.complete = false;
                Ok(Vec::new())
            }
        }
    }

    async fn announce_directory(&self, proc: &mut Proc, job: &Job) -> Result<(), Stop> {
        if self.options.moves() {
            let line = message!("created directory ", quoteaf(&job.destination), "\n");
            return proc.write(&line).await;
        }
        self.announce(proc, "", job, None).await
    }

    /// Makes a directory that its maker can write to. Gives the mode to set in the end, if it is another one.
    fn make_directory(
        &self,
        proc: &Proc,
        destination: &[u8],
        found: &Metadata,
    ) -> Result<(Option<u32>, Metadata), Errno> {
        let wanted = self.options.mode.unwrap_or(found.mode);
        let withheld = if self.options.preserve.ownership {
            0o077
        } else {
            0o022
        };
        proc.make_dir(destination, wanted & !withheld)?;
        let made = proc.metadata(destination, Follow::No)?;
        let open = made.mode | 0o700;
        if open != made.mode {
            proc.set_mode(destination, open, Follow::Yes)?;
        }
        let last = made.mode | (wanted & withheld & !proc.umask);
        Ok(((last != open).then_some(last), made))
    }
}

/// What a hard link does about a name that is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Replacing {
    /// It fails.
    No,
    /// It replaces it.
    Silently,
    /// It replaces it and says so.
    Aloud,
}

enum Renamed {
    /// It is settled, well or not.
    Done(bool),
    /// It must be copied.
    OtherDevice,
}
