//! The files that grep searches: operands, and what is below directories under `-r`.

use super::filter::Filter;
use super::filter::Origin;
use super::options::{Devices, Directories, List, Options};
use super::output::Kind;
use super::search::{Report, Searcher};
use crate::fs::{Errno, FileKind, Follow, OpenFlags};
use crate::kernel::{File, Input, Proc, Stop};

/// All files of one command line.
#[derive(Debug)]
pub struct Walk<'a> {
    pub options: &'a Options,
    pub searcher: Searcher<'a>,
    pub files: Filter,
    /// `-H`, or more than one operand.
    pub with_filename: Option<bool>,
    /// The `./` in front of names is left out, since no operand brought it.
    pub omit_dot_slash: bool,
    /// Something matched (as `-L` sees it, too).
    pub matched: bool,
    pub trouble: bool,
}

/// A file to search.
struct Target<'a> {
    path: &'a [u8],
    origin: Origin,
}

impl Walk<'_> {
    /// Searches one operand.
    pub async fn operand(&mut self, proc: &mut Proc, path: &[u8]) -> Result<(), Stop> {
        if path == b"-" {
            let label = self
                .options
                .label
                .clone()
                .unwrap_or_else(|| b"(standard input)".to_vec());
            return match proc.stdin() {
                Ok(file) => self.standard_input(proc, Input::new(file), &label).await,
                Err(errno) => self.suppressible(proc, &label, errno).await,
            };
        }
        let kind = match proc.metadata(path, Follow::Yes) {
            Ok(metadata) => metadata.kind,
            Err(errno) => return self.suppressible(proc, path, errno).await,
        };
        let is_directory = kind == FileKind::Directory;
        if self.skips_name(path, is_directory, Origin::CommandLine) {
            return Ok(());
        }
        match self.options.directories {
            Directories::Recurse if is_directory => self.below(proc, path).await,
            Directories::Skip if is_directory => Ok(()),
            _ => {
                let target = Target {
                    path,
                    origin: Origin::CommandLine,
                };
                self.file(proc, &target, kind).await
            }
        }
    }

    fn skips_name(&self, path: &[u8], is_directory: bool, origin: Origin) -> bool {
        let filter = if is_directory {
            &self.options.exclude_dirs
        } else {
            &self.files
        };
        filter.skips(path, origin)
    }

    /// Everything below a directory, depth first, names in order.
    async fn below(&mut self, proc: &mut Proc, root: &[u8]) -> Result<(), Stop> {
        let mut visited = Vec::new();
        let mut pending = vec![(one_slash(root).to_vec(), 0_usize)];
        while let Some((path, depth)) = pending.pop() {
            proc.kernel.breathe().await;
            let follow = depth == 0 || self.options.dereference;
            let follow = if follow { Follow::Yes } else { Follow::No };
            let metadata = match proc.metadata(&path, follow) {
                Ok(metadata) => metadata,
                Err(errno) => {
                    self.suppressible(proc, self.shown(&path).to_vec().as_slice(), errno)
                        .await?;
                    continue;
                }
            };
            let is_directory = metadata.kind == FileKind::Directory;
            if depth > 0 && self.skips_name(base_name(&path), is_directory, Origin::Directory) {
                continue;
            }
            match metadata.kind {
                FileKind::Directory => {
                    visited.truncate(depth);
                    let id = (metadata.device, metadata.inode);
                    if visited.contains(&id) {
                        self.loop_warning(proc, &path).await?;
                        continue;
                    }
                    visited.push(id);
                    self.push_entries(proc, &path, depth + 1, &mut pending).await?;
                }
                FileKind::Symlink => {}
                kind => {
                    let target = Target {
                        path: &path,
                        origin: Origin::Directory,
                    };
                    self.file(proc, &target, kind).await?;
                }
            }
        }
        Ok(())
    }

    async fn push_entries(
        &mut self,
        proc: &mut Proc,
        path: &[u8],
        depth: usize,
        pending: &mut Vec<(Vec<u8>, usize)>,
    ) -> Result<(), Stop> {
        match proc.read_dir(path) {
            Ok(entries) => {
                pending.extend(entries.iter().rev().map(|entry| (join(path, &entry.name), depth)));
                Ok(())
            }
            Err(errno) => {
                let shown = self.shown(path).to_vec();
                self.suppressible(proc, &shown, errno).await
            }
        }
    }

    async fn loop_warning(&mut self, proc: &mut Proc, path: &[u8]) -> Result<(), Stop> {
        if self.options.no_messages {
            return Ok(());
        }
        let message = [self.shown(path), b": warning: recursive directory loop"].concat();
        proc.warn(message).await
    }

    fn shown<'p>(&self, path: &'p [u8]) -> &'p [u8] {
        if self.omit_dot_slash {
            path.strip_prefix(b"./").unwrap_or(path)
        } else {
            path
        }
    }

    async fn file(&mut self, proc: &mut Proc, target: &Target<'_>, kind: FileKind) -> Result<(), Stop> {
        let shown = self.shown(target.path).to_vec();
        let is_device = matches!(
            kind,
            FileKind::CharDevice | FileKind::BlockDevice | FileKind::Fifo | FileKind::Socket
        );
        let skips_devices = match self.options.devices {
            Devices::Skip => true,
            Devices::ReadNamed => target.origin == Origin::Directory,
            Devices::Read => false,
        };
        if is_device && skips_devices {
            return Ok(());
        }
        let file = match proc.open(target.path, OpenFlags::READ).await {
            Ok(file) => file,
            Err(errno) => return self.suppressible(proc, &shown, errno).await,
        };
        let with_filename = self.with_filename.unwrap_or(target.origin == Origin::Directory);
        let mut input = Input::new(file);
        self.search(proc, &mut input, &shown, with_filename).await?;
        Ok(())
    }

    async fn standard_input(&mut self, proc: &mut Proc, mut input: Input, label: &[u8]) -> Result<(), Stop> {
        let is_device = input
            .file()
            .metadata()
            .is_ok_and(|metadata| metadata.kind != FileKind::Regular);
        if is_device && self.options.devices == Devices::Skip {
            return Ok(());
        }
        let with_filename = self.with_filename.unwrap_or(false);
        let Some(report) = self.search(proc, &mut input, label, with_filename).await? else {
            return Ok(());
        };
        if report.limited || report.error.is_some() {
            return Ok(());
        }
        // What was not looked at is read all the same, so that who writes it does not meet a closed pipe.
        loop {
            let length = input.buffered().len();
            input.consume(length);
            if !matches!(input.fill().await, Ok(true)) {
                return Ok(());
            }
        }
    }

    /// Searches an open file and prints what is to be printed of it as a whole. `None`: it was not searched.
    async fn search(
        &mut self,
        proc: &mut Proc,
        input: &mut Input,
        name: &[u8],
        with_filename: bool,
    ) -> Result<Option<Report>, Stop> {
        if self.is_own_output(proc, input.file()) {
            self.trouble = true;
            if !self.options.no_messages {
                proc.warn([name, b": input file is also the output"].concat())
                    .await?;
            }
            return Ok(None);
        }
        let shown = with_filename.then_some(name);
        let report = self.searcher.search(proc, input, shown).await?;
        if report.binary_match {
            proc.warn([name, b": binary file matches"].concat()).await?;
        }
        if let Some(errno) = report.error {
            self.suppressible(proc, name, errno).await?;
        }
        self.conclude(proc, &report, name, with_filename).await?;
        Ok(Some(report))
    }

    async fn conclude(
        &mut self,
        proc: &mut Proc,
        report: &Report,
        name: &[u8],
        with_filename: bool,
    ) -> Result<(), Stop> {
        let found = report.count > 0;
        let printer = &self.searcher.printer;
        if self.options.count && !self.options.first_match_decides() {
            if with_filename {
                printer.file_name_prefix(proc.out(), name, Kind::Selected);
            }
            super::output::push_number(proc.out(), report.count);
            proc.out().push(b'\n');
        }
        let wanted = if found { List::Matching } else { List::NonMatching };
        if self.options.list == wanted && !self.options.quiet {
            printer.file_name(proc.out(), name);
            proc.out().push(if self.options.null { 0 } else { b'\n' });
        }
        self.matched |= found;
        if found && self.options.quiet {
            return Err(Stop::Exit(0));
        }
        if self.options.line_buffered {
            return proc.flush().await;
        }
        proc.flush_if_full().await
    }

    /// Reading what one writes would never end.
    fn is_own_output(&self, proc: &Proc, input: &File) -> bool {
        let (Some(from), Ok(output)) = (input.open_node(), proc.fds.get(1)) else {
            return false;
        };
        let Some(to) = output.open_node() else {
            return false;
        };
        let harmless = self.options.count
            || self.options.first_match_decides()
            || self.options.max_count.is_some_and(|limit| limit <= 1);
        !harmless
            && from.id() == to.id()
            && input
                .metadata()
                .is_ok_and(|metadata| metadata.kind == FileKind::Regular)
    }

    /// An error about a file, which `-s` hides.
    pub async fn suppressible(&mut self, proc: &mut Proc, name: &[u8], errno: Errno) -> Result<(), Stop> {
        self.trouble = true;
        if self.options.no_messages {
            return Ok(());
        }
        proc.warn([name, b": ", errno.message().as_bytes()].concat())
            .await
    }
}

fn base_name(path: &[u8]) -> &[u8] {
    path.rsplit(|byte| *byte == b'/').next().unwrap_or(path)
}

fn join(directory: &[u8], name: &[u8]) -> Vec<u8> {
    let slash: &[u8] = if directory.ends_with(b"/") { b"" } else { b"/" };
    [directory, slash, name].concat()
}

/// A path without all but one of the slashes at its end.
fn one_slash(path: &[u8]) -> &[u8] {
    let mut path = path;
    while let Some(shorter @ [.., b'/']) = path.strip_suffix(b"/") {
        path = shorter;
    }
    path
}
