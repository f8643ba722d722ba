//! `ls`, `dir` and `vdir`: lists directories.
//!
//! Operands are gathered and sorted first; the files among them are listed together, then each directory under its name. With `-R` the
//! directories found in one are put in front of those that wait. The order of `-U` and `-f` is that of names, since the file tree has
//! no other; `.` and `..` come first.
//!
//! - `spec.rs`, `options.rs`: the command line · `entry.rs`: what is found out about a file · `sort.rs`: the order
//! - `color.rs`: `LS_COLORS` · `names.rs`: one name · `long.rs`: one line of `-l` · `layout.rs`: columns

mod color;
mod entry;
mod layout;
mod long;
mod names;
mod options;
mod sort;
mod spec;

use jiff::tz::TimeZone;
use rustc_hash::FxHashSet;

use self::color::{Colors, Read};
use self::entry::{Entry, Needs};
use self::long::Widths;
use self::options::{Called, Format, Hidden, Options};
use super::accounts::Accounts;
use super::message::message;
use super::{path, usage};
use crate::args::{quoteaf, quotef};
use crate::fs::{DirEntry, Errno, FileKind, Follow, Timestamp};
use crate::kernel::{Proc, Program, Stop};

/// `ls`.
pub const PROGRAM: Program = Program {
    name: "ls",
    run: |proc| Box::pin(run(proc, Called::Ls)),
};

/// `dir`: `ls -C -b`.
pub const DIR: Program = Program {
    name: "dir",
    run: |proc| Box::pin(run(proc, Called::Dir)),
};

/// `vdir`: `ls -l -b`.
pub const VDIR: Program = Program {
    name: "vdir",
    run: |proc| Box::pin(run(proc, Called::Vdir)),
};

/// A directory that waits.
enum Pending {
    List {
        path: Vec<u8>,
        is_argument: bool,
    },
    /// What was listed since lies below this directory.
    Done((u64, u64)),
}

/// A listing at work.
struct Lister<'a> {
    options: &'a Options,
    needs: Needs,
    colors: Option<Colors>,
    accounts: Accounts,
    zone: Option<TimeZone>,
    now: Option<Timestamp>,
    host: Vec<u8>,
    /// Output that is not handed over yet, and the length of what is.
    out: Vec<u8>,
    written: usize,
    entries: Vec<Entry>,
    widths: Widths,
    /// A name among the entries has quotes.
    some_quoted: bool,
    pending: Vec<Pending>,
    /// Directories that are being listed, when links might lead back to them.
    active: FxHashSet<(u64, u64)>,
    shows_headers: bool,
    is_first: bool,
    used_color: bool,
    status: i32,
    dired: Vec<usize>,
    subdired: Vec<usize>,
}

async fn run(proc: &mut Proc, called: Called) -> Result<i32, Stop> {
    let spec = match called {
        Called::Ls => &spec::SPEC,
        Called::Dir => &spec::DIR_SPEC,
        Called::Vdir => &spec::VDIR_SPEC,
    };
    let parsed = usage::parse(proc, spec).await?;
    let options = Options::read(proc, &parsed, called);
    let mut options = usage::accept(proc, options).await?;
    for warning in std::mem::take(&mut options.warnings) {
        proc.warn(warning).await?;
    }
    let mut colors = None;
    if options.color {
        match Colors::read(proc) {
            Read::Table(table) => {
                colors = Some(table);
                options.tab = 0;
            }
            Read::None(warnings) => {
                for warning in warnings {
                    proc.warn(warning).await?;
                }
            }
        }
    }
    let mut lister = Lister::new(proc, &options, colors);
    lister.list(proc, &parsed.operands).await?;
    lister.finish(proc).await?;
    Ok(lister.status)
}

impl<'a> Lister<'a> {
    fn new(proc: &Proc, options: &'a Options, colors: Option<Colors>) -> Lister<'a> {
        let host = if options.hyperlink {
            proc.fs.read(&proc.view(), b"/etc/hostname").unwrap_or_default()
        } else {
            Vec::new()
        };
        Lister {
            options,
            needs: Needs::new(options, colors.as_ref()),
            colors,
            accounts: Accounts::default(),
            zone: None,
            now: None,
            host: host.trim_ascii().to_vec(),
            out: Vec::new(),
            written: 0,
            entries: Vec::new(),
            widths: Widths::default(),
            some_quoted: false,
            pending: Vec::new(),
            active: FxHashSet::default(),
            shows_headers: true,
            is_first: true,
            used_color: false,
            status: 0,
            dired: Vec::new(),
            subdired: Vec::new(),
        }
    }

    /// Bytes printed so far.
    fn position(&self) -> usize {
        self.written + self.out.len()
    }

    async fn emit(&mut self, proc: &mut Proc) -> Result<(), Stop> {
        self.written += self.out.len();
        proc.write(&self.out).await?;
        self.out.clear();
        Ok(())
    }

    async fn warn(&mut self, proc: &mut Proc, line: Vec<u8>, is_argument: bool) -> Result<(), Stop> {
        self.emit(proc).await?;
        proc.warn(line).await?;
        self.status = self.status.max(if is_argument { 2 } else { 1 });
        Ok(())
    }

    async fn list(&mut self, proc: &mut Proc, operands: &[Vec<u8>]) -> Result<(), Stop> {
        let here = [b".".to_vec()];
        let operands = match operands {
            [] if self.options.immediate => &here[..],
            [] => {
                self.pending.push(Pending::List {
                    path: b".".to_vec(),
                    is_argument: true,
                });
                operands
            }
            _ => operands,
        };
        for operand in operands {
            let (entry, problem) = entry::argument(proc, operand, self.options, &self.needs);
            if let Some(line) = problem {
                self.warn(proc, line, true).await?;
            }
            if let Some(entry) = entry {
                self.add(proc, entry);
            }
        }
        self.sort(proc)?;
        if !self.options.immediate {
            self.queue_directories(None);
        }
        if !self.entries.is_empty() {
            self.print_entries(proc).await?;
            if !self.pending.is_empty() {
                self.out.push(b'\n');
            }
        } else if operands.len() <= 1 && self.pending.len() == 1 {
            self.shows_headers = false;
        }
        while let Some(pending) = self.pending.pop() {
            match pending {
                Pending::Done(id) => {
                    self.active.remove(&id);
                }
                Pending::List { path, is_argument } => {
                    self.list_directory(proc, &path, is_argument).await?;
                    self.shows_headers = true;
                }
            }
        }
        Ok(())
    }

    fn add(&mut self, proc: &Proc, entry: Entry) {
        let options = self.options;
        if options.aligns_quotes && !self.some_quoted {
            self.some_quoted = names::quote_name(&entry.name, options, options.also_quoted).changed;
        }
        if let Some(found) = &entry.metadata {
            if options.format == Format::Long || options.blocks {
                let blocks = options.block_unit.format(found.blocks.saturating_mul(512));
                self.widths.blocks = self.widths.blocks.max(blocks.len());
            }
            if options.format == Format::Long {
                self.widths.add_long(proc, &mut self.accounts, found, options);
            }
        }
        if options.inode {
            let digits = entry.inode.map_or(1, |inode| inode.to_string().len());
            self.widths.inode = self.widths.inode.max(digits);
        }
        self.entries.push(entry);
    }

    fn sort(&mut self, proc: &Proc) -> Result<(), Stop> {
        let mut entries = std::mem::take(&mut self.entries);
        let count = entries.len() as u64;
        proc.charge(count * u64::from(count.max(1).ilog2()) / 16)?;
        sort::sort(&mut entries, self.options, |entry| self.name_width(entry));
        self.entries = entries;
        Ok(())
    }

    /// Puts the directories among the entries in front of what waits; operands leave the entries.
    fn queue_directories(&mut self, parent: Option<&[u8]>) {
        for entry in self.entries.iter().rev() {
            if !entry.is_directory() || (parent.is_some() && matches!(entry.name.as_slice(), b"." | b"..")) {
                continue;
            }
            let path = match parent {
                Some(parent) => path::join(parent, &entry.name),
                None => entry.name.clone(),
            };
            self.pending.push(Pending::List {
                path,
                is_argument: parent.is_none(),
            });
        }
        self.entries.retain(|entry| !entry.is_argument_directory);
    }

    async fn list_directory(&mut self, proc: &mut Proc, path: &[u8], is_argument: bool) -> Result<(), Stop> {
        proc.kernel.breathe().await;
        let mut names = match proc.read_dir(path) {
            Ok(names) => names,
            Err(errno) => {
                let line = message!("cannot open directory ", quoteaf(path), ": ", errno.message());
                return self.warn(proc, line, is_argument).await;
            }
        };
        if self.options.recursive && !self.enter(proc, path).await? {
            return Ok(());
        }
        self.entries.clear();
        self.widths = Widths::default();
        self.some_quoted = false;
        if self.options.recursive || self.shows_headers {
            self.print_header(path);
        }
        if self.options.hidden == Hidden::Nothing {
            names.splice(0..0, implied(proc, path));
        }
        let mut blocks = 0_u64;
        for listed in names {
            if self.is_ignored(&listed.name) {
                continue;
            }
            proc.kernel.breathe().await;
            let (entry, problem) = entry::child(proc, path, listed, self.options, &self.needs);
            if let Some(line) = problem {
                self.warn(proc, line, false).await?;
            }
            blocks = blocks.saturating_add(entry.metadata.map_or(0, |found| found.blocks));
            self.add(proc, entry);
        }
        self.sort(proc)?;
        if self.options.recursive {
            self.queue_directories(Some(path));
        }
        if self.options.format == Format::Long || self.options.blocks {
            self.indent_dired();
            let total = self.options.block_unit.format(blocks.saturating_mul(512));
            self.out.extend_from_slice(format!("total {total}").as_bytes());
            self.out.push(self.options.end);
        }
        self.print_entries(proc).await
    }

    /// Marks a directory as being listed; `false` when it is already.
    async fn enter(&mut self, proc: &mut Proc, path: &[u8]) -> Result<bool, Stop> {
        let Ok(found) = proc.metadata(path, Follow::Yes) else {
            return Ok(true);
        };
        let id = (found.device, found.inode);
        if self.active.insert(id) {
            self.pending.push(Pending::Done(id));
            return Ok(true);
        }
        let line = message!(quotef(path), ": not listing already-listed directory");
        self.warn(proc, line, true).await?;
        Ok(false)
    }

    fn print_header(&mut self, path: &[u8]) {
        if !self.is_first {
            self.out.push(b'\n');
        }
        self.is_first = false;
        self.indent_dired();
        let name = names::quote_name(path, self.options, b":");
        let from = self.position();
        self.out.extend_from_slice(&name.text);
        let to = self.position();
        self.subdired.extend([from, to]);
        self.out.extend_from_slice(b":\n");
    }

    fn indent_dired(&mut self) {
        if self.options.dired {
            self.out.extend_from_slice(b"  ");
        }
    }

    fn is_ignored(&self, name: &[u8]) -> bool {
        let options = self.options;
        let hidden = match options.hidden {
            Hidden::Nothing => false,
            Hidden::DotAndDotdot => matches!(name, b"." | b".."),
            Hidden::Default => name.starts_with(b"."),
        };
        let by_default =
            || options.hidden == Hidden::Default && options.hide.iter().any(|pattern| pattern.matches(name));
        hidden || by_default() || options.ignore.iter().any(|pattern| pattern.matches(name))
    }

    async fn print_entries(&mut self, proc: &mut Proc) -> Result<(), Stop> {
        let entries = std::mem::take(&mut self.entries);
        match self.options.format {
            Format::Long | Format::OneColumn => {
                for entry in &entries {
                    if self.options.format == Format::Long {
                        self.set_normal_color();
                        self.print_long(proc, entry);
                    } else {
                        self.print_short(entry, 0);
                    }
                    self.out.push(self.options.end);
                    if self.out.len() > 1 << 14 {
                        self.emit(proc).await?;
                    }
                }
            }
            _ => self.lay_out(&entries),
        }
        self.entries = entries;
        self.emit(proc).await
    }

    async fn finish(&mut self, proc: &mut Proc) -> Result<(), Stop> {
        if self.used_color
            && let Some(colors) = &self.colors
            && (colors.code(color::Code::Left), colors.code(color::Code::Right))
                != (Some(b"\x1b["), Some(b"m"))
        {
            colors.restore_default(&mut self.used_color, &mut self.out);
        }
        if self.options.dired {
            for (word, positions) in [("//DIRED//", &self.dired), ("//SUBDIRED//", &self.subdired)] {
                if positions.is_empty() {
                    continue;
                }
                self.out.extend_from_slice(word.as_bytes());
                for position in positions {
                    self.out.extend_from_slice(format!(" {position}").as_bytes());
                }
                self.out.push(b'\n');
            }
            let style = self.options.style_name();
            let line = format!("//DIRED-OPTIONS// --quoting-style={style}\n");
            self.out.extend_from_slice(line.as_bytes());
        }
        self.emit(proc).await
    }
}

/// `.` and `..`.
fn implied(proc: &Proc, path: &[u8]) -> Vec<DirEntry> {
    let inode = |path: &[u8]| -> Result<u64, Errno> { Ok(proc.metadata(path, Follow::Yes)?.inode) };
    let entry = |name: &[u8], inode| DirEntry {
        name: name.to_vec(),
        kind: FileKind::Directory,
        inode,
    };
    let own = inode(path).unwrap_or(0);
    let parent = inode(&path::join(path, b"..")).unwrap_or(own);
    vec![entry(b".", own), entry(b"..", parent)]
}

impl Options {
    fn style_name(&self) -> &'static str {
        let names = crate::text::gnu_quote::Style::NAMES;
        names
            .iter()
            .find(|(_, style)| *style == self.style)
            .map_or("literal", |(name, _)| name)
    }
}
