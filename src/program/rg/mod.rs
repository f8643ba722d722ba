//! `rg`: searches files for a pattern, and leaves out those that version control ignores. Behaviour is that of ripgrep 13.
//!
//! [`ignore`] and [`glob`] know which files are left out, [`matcher`] is the pattern, [`search`] shows what is found. Files come in the
//! order of their names, as with `--sort path`: ripgrep itself searches them at the same time, in no order. Colours, `--json`, `-P`,
//! `-z`, `--pre`, `--stats` and encodings are refused.

mod glob;
mod ignore;
mod matcher;
mod options;
mod search;
mod types;

use self::ignore::{Ignored, Verdict};
use self::matcher::Matcher;
use self::options::{Mode, Options};
use self::search::{Origin, Search};
use super::message::message;
use super::path;
use crate::args::Outcome;
use crate::fs::{Errno, Existing, FileKind, Follow, OpenFlags};
use crate::kernel::{Input, Lease, Proc, Program, Stop};

/// The program.
pub const PROGRAM: Program = Program {
    name: "rg",
    run: |proc| Box::pin(run(proc)),
};

async fn run(proc: &mut Proc) -> Result<i32, Stop> {
    let options = match Options::from_arguments(proc.arguments()) {
        Ok(options) => options,
        Err(answer) => {
            match answer.outcome {
                Outcome::Output => proc.write(&answer.text).await?,
                Outcome::Complaint => proc.write_error(&answer.text).await?,
            }
            return Ok(answer.status);
        }
    };
    let Some(patterns) = patterns(proc, &options).await? else {
        return Ok(2);
    };
    let matcher = match Matcher::compile(&options, &patterns) {
        Ok(matcher) => matcher,
        Err(sentence) => {
            proc.write_error(&message!(sentence, "\n")).await?;
            return Ok(2);
        }
    };
    let mut work = Work::new(proc, &options, &matcher);
    work.all(proc).await?;
    Ok(match (work.matched, work.trouble) {
        (true, _) if options.mode == Mode::Quiet => 0,
        (_, true) => 2,
        (matched, false) => i32::from(!matched),
    })
}

/// The patterns of `-e` and of the files of `-f`; `None` after a message.
async fn patterns(proc: &mut Proc, options: &Options) -> Result<Option<Vec<Vec<u8>>>, Stop> {
    let mut patterns = options.patterns.clone();
    for path in &options.pattern_files {
        let mut lease = proc.kernel.lease();
        let read = match proc.open_operand(path).await {
            Ok(file) => Input::new(file).rest(&mut lease).await,
            Err(errno) => Err(errno),
        };
        let text = match read {
            Ok(text) => text,
            Err(errno) => {
                proc.write_error(&message!(path, ": ", described(errno), "\n"))
                    .await?;
                return Ok(None);
            }
        };
        patterns
            .extend(super::lines::split(&text, b'\n').map(|line| super::lines::text(line, b'\n').to_vec()));
    }
    Ok(Some(patterns))
}

/// An error as Rust's library words it.
fn described(errno: Errno) -> String {
    format!("{} (os error {})", errno.message(), errno.number())
}

/// The search of all files.
struct Work<'a> {
    options: &'a Options,
    matcher: &'a Matcher,
    lease: Lease,
    /// The current directory.
    here: Vec<u8>,
    /// Names stand before lines.
    names: bool,
    matched: bool,
    trouble: bool,
    /// Something was shown.
    shown: bool,
}

/// A directory that is being searched.
struct Level {
    entries: std::vec::IntoIter<crate::fs::DirEntry>,
    path: Vec<u8>,
    absolute: Vec<u8>,
}

impl<'a> Work<'a> {
    fn new(proc: &Proc, options: &'a Options, matcher: &'a Matcher) -> Self {
        Work {
            options,
            matcher,
            lease: proc.kernel.lease(),
            here: proc.canonicalize(b".", Existing::All).unwrap_or_default(),
            names: false,
            matched: false,
            trouble: false,
            shown: false,
        }
    }

    /// Nothing more is needed.
    fn is_done(&self) -> bool {
        self.matched && self.options.mode == Mode::Quiet
    }

    async fn all(&mut self, proc: &mut Proc) -> Result<(), Stop> {
        let mut paths = self.options.paths.clone();
        let bare = paths.is_empty();
        if bare {
            let reads = !self.options.lists_files && reads_standard_input(proc);
            paths.push(if reads { b"-".to_vec() } else { b"./".to_vec() });
        }
        let is_directory = |path: &Vec<u8>| {
            proc.metadata(path, Follow::Yes)
                .is_ok_and(|found| found.kind == FileKind::Directory)
        };
        let several = paths.len() > 1 || paths.iter().any(is_directory);
        self.names = self.options.names.unwrap_or(several);
        for path in &paths {
            if self.is_done() {
                break;
            }
            if path == b"-" {
                self.standard_input(proc).await?;
                continue;
            }
            match proc.metadata(path, Follow::Yes) {
                Err(errno) => self.complain(proc, path, errno).await?,
                Ok(found) if found.kind == FileKind::Directory => self.below(proc, path, bare).await?,
                Ok(_) => self.file(proc, path, Origin::Named).await?,
            }
        }
        Ok(())
    }

    async fn complain(&mut self, proc: &mut Proc, path: &[u8], errno: Errno) -> Result<(), Stop> {
        self.trouble = true;
        if self.options.silent {
            return Ok(());
        }
        proc.flush().await?;
        proc.write_error(&message!(path, ": ", described(errno), "\n"))
            .await
    }

    async fn standard_input(&mut self, proc: &mut Proc) -> Result<(), Stop> {
        let Ok(file) = proc.stdin() else { return Ok(()) };
        let mut lease = self.lease.sibling();
        match Input::new(file).rest(&mut lease).await {
            Ok(text) => self.search(proc, b"<stdin>", &text, Origin::Named).await,
            Err(errno) => self.complain(proc, b"-", errno).await,
        }
    }

    /// Everything below a directory, names in order.
    async fn below(&mut self, proc: &mut Proc, root: &[u8], bare: bool) -> Result<(), Stop> {
        let absolute = match proc.canonicalize(root, Existing::All) {
            Ok(path) => path,
            Err(errno) => return self.complain(proc, root, errno).await,
        };
        let mut ignored = Ignored::new(proc, self.options, &absolute).await?;
        let shown = if bare { b"".as_slice() } else { root };
        let mut levels = Vec::new();
        self.enter(proc, &mut levels, &mut ignored, shown.to_vec(), absolute)
            .await?;
        while let Some(level) = levels.last_mut() {
            proc.kernel.breathe().await;
            proc.charge(20)?;
            let Some(entry) = level.entries.next() else {
                levels.pop();
                ignored.leave();
                continue;
            };
            let path = if level.path.is_empty() {
                entry.name.clone()
            } else {
                path::join(&level.path, &entry.name)
            };
            let absolute = path::join(&level.absolute, &entry.name);
            let kind = match entry.kind {
                FileKind::Symlink if self.options.follows => proc
                    .metadata(&path, Follow::Yes)
                    .map_or(FileKind::Symlink, |found| found.kind),
                kind => kind,
            };
            let is_directory = kind == FileKind::Directory;
            if self.leaves_out(&ignored, &absolute, &entry.name, is_directory) {
                continue;
            }
            if is_directory {
                let depth = levels.len();
                let cyclic = entry.kind == FileKind::Symlink && depth > 40;
                if self.options.deepest.is_none_or(|deepest| depth < deepest) && !cyclic {
                    self.enter(proc, &mut levels, &mut ignored, path, absolute)
                        .await?;
                }
            } else if kind == FileKind::Regular && self.options.deepest != Some(0) {
                self.file(proc, &path, Origin::Found).await?;
            }
            if self.is_done() {
                break;
            }
        }
        Ok(())
    }

    async fn enter(
        &mut self,
        proc: &mut Proc,
        levels: &mut Vec<Level>,
        ignored: &mut Ignored,
        path: Vec<u8>,
        absolute: Vec<u8>,
    ) -> Result<(), Stop> {
        match proc.read_dir(&absolute) {
            Ok(entries) => {
                ignored.enter(proc, self.options, &absolute).await?;
                levels.push(Level {
                    entries: entries.into_iter(),
                    path,
                    absolute,
                });
                Ok(())
            }
            Err(errno) => self.complain(proc, &path, errno).await,
        }
    }

    /// An absolute path from the current directory, or from the root.
    fn below_here<'p>(&self, absolute: &'p [u8]) -> &'p [u8] {
        let below = absolute
            .strip_prefix(self.here.as_slice())
            .filter(|rest| rest.starts_with(b"/"));
        let rest = below.unwrap_or(absolute);
        rest.strip_prefix(b"/").unwrap_or(rest)
    }

    fn leaves_out(&self, ignored: &Ignored, absolute: &[u8], name: &[u8], is_directory: bool) -> bool {
        let options = self.options;
        // Globs count from the current directory; those without a slash fit anywhere.
        match options.globs.verdict(self.below_here(absolute), is_directory) {
            Verdict::Keep => return false,
            Verdict::Ignore => return true,
            Verdict::Nothing if !is_directory && options.globs.has_keep() => return true,
            Verdict::Nothing => {}
        }
        match ignored.verdict(absolute, is_directory) {
            Verdict::Ignore => return true,
            Verdict::Keep => {}
            Verdict::Nothing if !options.hidden && name.starts_with(b".") => return true,
            Verdict::Nothing => {}
        }
        if is_directory {
            return false;
        }
        let is_in = |list: &ignore::List| list.verdict(name, false) == Verdict::Ignore;
        is_in(&options.types_not) || (!options.types.is_empty() && !is_in(&options.types))
    }

    async fn file(&mut self, proc: &mut Proc, path: &[u8], origin: Origin) -> Result<(), Stop> {
        if self.options.lists_files {
            let end: &[u8] = if self.options.null { b"\0" } else { b"\n" };
            self.matched = true;
            return proc.write(&message!(path, end)).await;
        }
        let mut lease = self.lease.sibling();
        let read = match proc.open(path, OpenFlags::READ).await {
            Ok(file) => Input::new(file).rest(&mut lease).await,
            Err(errno) => Err(errno),
        };
        match read {
            Ok(text) => self.search(proc, path, &text, origin).await,
            Err(errno) => self.complain(proc, path, errno).await,
        }
    }

    async fn search(
        &mut self,
        proc: &mut Proc,
        path: &[u8],
        text: &[u8],
        origin: Origin,
    ) -> Result<(), Stop> {
        proc.charge(text.len() as u64 / 4 + 40)?;
        // A mark that says UTF-8 is no part of the text.
        let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
        let mut search = Search::new(self.options, self.matcher, path, text);
        search.name = self.names.then_some(path);
        search.separates = self.shown;
        let found = search.run(proc, origin).await?;
        self.matched |= found;
        self.shown |= found;
        Ok(())
    }
}

/// Whether standard input has something to search: it is a file or a pipe, and no terminal or device. Input that the host gave none of is
/// like `/dev/null`.
fn reads_standard_input(proc: &Proc) -> bool {
    let Ok(file) = proc.stdin() else { return false };
    let empty = |size: u64| size == 0 && file.open_node().is_none();
    file.metadata().is_ok_and(|found| match found.kind {
        FileKind::Regular => !empty(found.size),
        FileKind::Fifo => true,
        _ => false,
    })
}
