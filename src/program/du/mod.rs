//! `du`: how much space trees of files take.
//!
//! Sums are kept on a stack, one level a directory that is open: what is directly in it, and what its directories hold. Each node
//! counts once for the whole command, unless `-l` is given.

mod options;

use rustc_hash::FxHashSet;

use self::options::{Options, SPEC, TimeKind};
use super::message::message;
use super::usage;
use super::walk::{Visit, Visited, Walk};
use crate::args::quoteaf;
use crate::fs::{FileKind, Metadata, Timestamp};
use crate::kernel::{Input, Lease, Proc, Program, Stop};
use crate::text::strftime::{Dialect, Moment, strftime};

/// The program.
pub const PROGRAM: Program = Program {
    name: "du",
    run: |proc| Box::pin(run(proc)),
};

/// Longest date.
const DATE_LIMIT: usize = 4096;

/// What was summed up.
#[derive(Debug, Clone, Copy, Default)]
struct Sum {
    bytes: u64,
    nodes: u64,
    newest: Option<Timestamp>,
}

impl Sum {
    fn add(&mut self, other: Sum) {
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.nodes = self.nodes.saturating_add(other.nodes);
        self.newest = self.newest.max(other.newest);
    }
}

/// A directory that is open.
#[derive(Debug, Clone, Copy, Default)]
struct Level {
    own: Sum,
    /// What is directly in it.
    entries: Sum,
    /// What the directories in it hold.
    below: Sum,
}

struct Counter<'o> {
    options: &'o Options,
    levels: Vec<Level>,
    total: Sum,
    /// Nodes that were counted.
    seen: FxHashSet<(u64, u64)>,
    lease: Lease,
    /// Every node is remembered, not only those with several names.
    remembers_all: bool,
    zone: jiff::tz::TimeZone,
    status: i32,
}

async fn run(proc: &mut Proc) -> Result<i32, Stop> {
    let parsed = usage::parse(proc, &SPEC).await?;
    let read = Options::read(proc, &parsed);
    let (mut options, warnings) = usage::accept(proc, read).await?;
    for warning in warnings {
        proc.warn(warning).await?;
    }
    options.read_excluded(proc, &parsed).await?;
    let mut counter = Counter {
        options: &options,
        levels: Vec::new(),
        total: Sum::default(),
        seen: FxHashSet::default(),
        lease: proc.kernel.lease(),
        remembers_all: false,
        zone: super::dates::zone(proc),
        status: 0,
    };
    let operands = operands(proc, &parsed.operands, &options, &mut counter.status).await?;
    counter.remembers_all = operands.len() > 1 || options.follows_all();
    for operand in &operands {
        counter.count(proc, operand).await?;
    }
    if options.total {
        let total = counter.total;
        counter.print(proc, total, b"total").await?;
    }
    Ok(counter.status)
}

/// The operands, or the names in the file of `--files0-from`.
async fn operands(
    proc: &mut Proc,
    given: &[Vec<u8>],
    options: &Options,
    status: &mut i32,
) -> Result<Vec<Vec<u8>>, Stop> {
    let Some(list) = &options.list else {
        return Ok(if given.is_empty() {
            vec![b".".to_vec()]
        } else {
            given.to_vec()
        });
    };
    let file = match proc.open_operand(list).await {
        Ok(file) => file,
        Err(errno) => {
            let line = message!("cannot open ", quoteaf(list), " for reading: ", errno.message());
            return Err(usage::fail(proc, 1, line).await);
        }
    };
    let mut lease = proc.kernel.lease();
    let text = match Input::new(file).rest(&mut lease).await {
        Ok(text) => text,
        Err(errno) => {
            let line = message!(crate::args::quotef(list), ": read error: ", errno.message());
            return Err(usage::fail(proc, 1, line).await);
        }
    };
    let text = text.strip_suffix(b"\0").unwrap_or(&text);
    let mut names = Vec::new();
    if text.is_empty() {
        return Ok(names);
    }
    for (name, number) in text.split(|byte| *byte == 0).zip(1_u64..) {
        if name.is_empty() {
            let line = message!(
                crate::args::quotef(list),
                ":",
                number.to_string(),
                ": invalid zero-length file name"
            );
            proc.warn(line).await?;
            *status = 1;
        } else {
            names.push(name.to_vec());
        }
    }
    Ok(names)
}

impl Counter<'_> {
    async fn count(&mut self, proc: &mut Proc, operand: &[u8]) -> Result<(), Stop> {
        if operand.is_empty() {
            return self.fail(proc, b"invalid zero-length file name".to_vec()).await;
        }
        let mut walk = Walk::tidy(operand, self.options.links);
        let mut device = None;
        while let Some(visited) = walk.next(proc) {
            proc.kernel.breathe().await;
            match visited.visit {
                Visit::Leave => self.leave(proc, &visited).await?,
                Visit::Unreadable(errno) => {
                    let path = quoteaf(&visited.path);
                    let line = message!("cannot read directory ", path, ": ", errno.message());
                    self.fail(proc, line).await?;
                    self.leave(proc, &visited).await?;
                }
                Visit::Missing(errno) => {
                    let line = message!("cannot access ", quoteaf(&visited.path), ": ", errno.message());
                    self.fail(proc, line).await?;
                }
                Visit::Cycle => {}
                // The real one has no error number left to name.
                Visit::Dangling => {
                    let line = message!("cannot access ", quoteaf(&visited.path));
                    self.fail(proc, line).await?;
                }
                Visit::Enter | Visit::File => {
                    let Some(found) = visited.metadata else { continue };
                    device = device.or(Some(found.device));
                    let foreign = self.options.one_file_system && Some(found.device) != device;
                    if foreign || self.options.is_excluded(&visited.path) || self.is_known(&found)? {
                        if visited.visit == Visit::Enter {
                            // It is left at once, and counts for nothing.
                            self.skip(&mut walk, proc);
                        }
                        continue;
                    }
                    self.enter(proc, &visited, &found).await?;
                }
            }
        }
        Ok(())
    }

    fn skip(&mut self, walk: &mut Walk, proc: &Proc) {
        walk.skip();
        let _ = walk.next(proc);
    }

    async fn fail(&mut self, proc: &mut Proc, line: Vec<u8>) -> Result<(), Stop> {
        self.status = 1;
        proc.warn(line).await
    }

    /// Whether this node was counted; it is from now on.
    fn is_known(&mut self, found: &Metadata) -> Result<bool, Stop> {
        let shared = found.kind != FileKind::Directory && found.nlink > 1;
        if self.options.count_links || !(shared || self.remembers_all) {
            return Ok(false);
        }
        let fresh = self.seen.insert((found.device, found.inode));
        self.lease.resize(self.seen.len() * 32)?;
        Ok(!fresh)
    }

    fn sum_of(&self, found: &Metadata) -> Sum {
        let bytes = if self.options.apparent {
            found.size
        } else {
            found.blocks * 512
        };
        let newest = match self.options.time {
            None => None,
            Some(TimeKind::Modification) => Some(found.mtime),
            Some(TimeKind::Access) => Some(found.atime),
            Some(TimeKind::Change) => Some(found.ctime),
        };
        Sum {
            bytes,
            nodes: 1,
            newest,
        }
    }

    async fn enter(&mut self, proc: &mut Proc, visited: &Visited, found: &Metadata) -> Result<(), Stop> {
        let own = self.sum_of(found);
        self.total.add(own);
        if visited.visit == Visit::Enter {
            self.levels.push(Level {
                own,
                ..Level::default()
            });
            return Ok(());
        }
        if let Some(level) = self.levels.last_mut() {
            level.entries.add(own);
        }
        if visited.depth == 0 || (self.options.all && visited.depth <= self.options.max_depth) {
            self.print_wanted(proc, own, &visited.path).await?;
        }
        Ok(())
    }

    async fn leave(&mut self, proc: &mut Proc, visited: &Visited) -> Result<(), Stop> {
        let Some(level) = self.levels.pop() else {
            return Ok(());
        };
        let mut sum = level.own;
        sum.add(level.entries);
        if !self.options.separate {
            sum.add(level.below);
        }
        if let Some(parent) = self.levels.last_mut() {
            parent.below.add(level.entries);
            parent.below.add(level.below);
            if !self.options.separate {
                parent.entries.add(level.own);
            }
        }
        if visited.depth <= self.options.max_depth {
            self.print_wanted(proc, sum, &visited.path).await?;
        }
        Ok(())
    }

    /// Prints what passes the threshold.
    async fn print_wanted(&mut self, proc: &mut Proc, sum: Sum, path: &[u8]) -> Result<(), Stop> {
        let size = if self.options.inodes { sum.nodes } else { sum.bytes };
        let size = i128::from(size);
        let threshold = i128::from(self.options.threshold);
        let wanted = if threshold < 0 {
            size <= -threshold
        } else {
            size >= threshold
        };
        if wanted {
            self.print(proc, sum, path).await?;
        }
        Ok(())
    }

    async fn print(&mut self, proc: &mut Proc, sum: Sum, path: &[u8]) -> Result<(), Stop> {
        let mut line = if self.options.inodes {
            self.options.inode_unit().format(sum.nodes).into_bytes()
        } else {
            self.options.unit.format(sum.bytes).into_bytes()
        };
        line.push(b'\t');
        if let Some(time) = sum.newest {
            let moment = Moment::new(time.seconds, time.nanos, &self.zone);
            let text = moment
                .and_then(|moment| strftime(&self.options.time_format, &moment, Dialect::Gnulib, DATE_LIMIT));
            line.extend(text.unwrap_or_else(|| time.seconds.to_string().into_bytes()));
            line.push(b'\t');
        }
        line.extend_from_slice(path);
        line.push(if self.options.null { 0 } else { b'\n' });
        proc.write(&line).await
    }
}
