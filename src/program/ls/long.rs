//! The lines of `ls -l`, and how wide their columns are.

use super::Lister;
use super::entry::{Entry, Target, indicator};
use super::options::Options;
use super::sort::time_of;
use crate::fs::{FileKind, Metadata, Timestamp};
use crate::kernel::Proc;
use crate::program::accounts::Accounts;
use crate::program::dates;
use crate::program::inode::{is_device, mode_letters};
use crate::text::strftime::{Dialect, Moment, strftime};
use crate::text::utf8::width;

/// Half of a year of the Gregorian calendar, in seconds: what is not older shows its time of day.
const HALF_YEAR: i64 = 31_556_952 / 2;
/// Longest date.
const DATE_LIMIT: usize = 1000;

/// Columns that each part takes in what is listed together.
#[derive(Debug, Clone, Copy, Default)]
pub struct Widths {
    pub inode: usize,
    pub blocks: usize,
    links: usize,
    owner: usize,
    group: usize,
    author: usize,
    major: usize,
    minor: usize,
    size: usize,
}

fn digits(number: u64) -> usize {
    number.checked_ilog10().unwrap_or(0) as usize + 1
}

fn grow(width: &mut usize, needed: usize) {
    *width = (*width).max(needed);
}

/// The name of a user or group; its number without one.
fn user(accounts: &mut Accounts, proc: &Proc, uid: u32) -> Option<Vec<u8>> {
    accounts.user_name(proc, uid).map(<[u8]>::to_vec)
}

fn group(accounts: &mut Accounts, proc: &Proc, gid: u32) -> Option<Vec<u8>> {
    accounts.group_name(proc, gid).map(<[u8]>::to_vec)
}

impl Widths {
    /// Makes room for an entry in long lines.
    pub fn add_long(&mut self, proc: &Proc, accounts: &mut Accounts, found: &Metadata, options: &Options) {
        let named = |name: Option<Vec<u8>>, id: u32| match name {
            Some(name) if !options.numeric => width(&name),
            _ => digits(u64::from(id)),
        };
        if options.owner || options.author {
            let needed = named(user(accounts, proc, found.uid), found.uid);
            grow(&mut self.owner, needed);
            grow(&mut self.author, needed);
        }
        if options.group {
            grow(
                &mut self.group,
                named(group(accounts, proc, found.gid), found.gid),
            );
        }
        grow(&mut self.links, digits(found.nlink));
        if is_device(found.kind) {
            grow(&mut self.major, digits(u64::from(found.rdev.0)));
            grow(&mut self.minor, digits(u64::from(found.rdev.1)));
            grow(&mut self.size, self.major + 2 + self.minor);
        } else {
            grow(&mut self.size, options.size_unit.format(found.size).len());
        }
    }
}

impl Lister<'_> {
    fn put_right(&mut self, text: &[u8], columns: usize) {
        let blanks = columns.saturating_sub(width(text));
        self.out.extend(std::iter::repeat_n(b' ', blanks));
        self.out.extend_from_slice(text);
        self.out.push(b' ');
    }

    /// A name to the left, a number to the right.
    fn put_owner(&mut self, name: Option<&[u8]>, id: u32, columns: usize) {
        match name {
            Some(name) => {
                self.out.extend_from_slice(name);
                let blanks = columns.saturating_sub(width(name)) + 1;
                self.out.extend(std::iter::repeat_n(b' ', blanks));
            }
            None => self.put_right(id.to_string().as_bytes(), columns),
        }
    }

    /// The inode number and blocks that `-i` and `-s` put in front, to the given widths.
    pub fn put_front(&mut self, entry: &Entry, widths: (usize, usize)) {
        if self.options.inode {
            let text = entry.inode.map_or("?".to_owned(), |inode| inode.to_string());
            self.put_right(text.as_bytes(), widths.0);
        }
        if self.options.blocks {
            let text = self.blocks_text(entry);
            self.put_right(text.as_bytes(), widths.1);
        }
    }

    /// What `-s` shows.
    pub fn blocks_text(&self, entry: &Entry) -> String {
        entry.metadata.map_or("?".to_owned(), |found| {
            self.options.block_unit.format(found.blocks.saturating_mul(512))
        })
    }

    /// One line, without its end.
    pub fn print_long(&mut self, proc: &Proc, entry: &Entry) {
        let line_start = self.out.len();
        let widths = self.widths;
        self.put_front(entry, (widths.inode, widths.blocks));
        let letters = match &entry.metadata {
            Some(found) => mode_letters(found.kind, found.mode),
            None => letters_unknown(entry.kind),
        };
        self.out.extend_from_slice(&letters);
        self.out.push(b' ');
        let links = entry
            .metadata
            .map_or("?".to_owned(), |found| found.nlink.to_string());
        self.put_right(links.as_bytes(), widths.links);
        self.put_owners(proc, entry);
        if self.options.context {
            self.out.extend_from_slice(b"? ");
        }
        self.put_size(entry);
        self.put_date(proc, entry);
        if self.options.dired {
            self.out.splice(line_start..line_start, *b"  ");
        }
        let column = self.out.len() - line_start;
        let length = self.print_name(entry, Target::Entry, column);
        if entry.kind == Some(FileKind::Symlink) {
            if entry.link.is_some() {
                self.out.extend_from_slice(b" -> ");
                self.print_name(entry, Target::Shown, column + length + 4);
                let (kind, mode) = entry.link_target.unzip();
                let letter = indicator(kind, mode.unwrap_or(0), self.options.indicator);
                self.out.extend(letter);
            }
        } else {
            self.out.extend(entry.indicator(self.options.indicator));
        }
    }

    fn put_owners(&mut self, proc: &Proc, entry: &Entry) {
        let widths = self.widths;
        let named = !self.options.numeric;
        let (uid, gid) = entry.metadata.map_or((0, 0), |found| (found.uid, found.gid));
        let (owner, group) = match entry.metadata {
            None => (Some(b"?".to_vec()), Some(b"?".to_vec())),
            Some(_) if !named => (None, None),
            Some(_) => (
                user(&mut self.accounts, proc, uid),
                group(&mut self.accounts, proc, gid),
            ),
        };
        if self.options.owner {
            self.put_owner(owner.as_deref(), uid, widths.owner);
        }
        if self.options.group {
            self.put_owner(group.as_deref(), gid, widths.group);
        }
        if self.options.author {
            self.put_owner(owner.as_deref(), uid, widths.author);
        }
    }

    fn put_size(&mut self, entry: &Entry) {
        let widths = self.widths;
        match entry.metadata {
            Some(found) if is_device(found.kind) => {
                let spare = widths.size.saturating_sub(widths.major + 2 + widths.minor);
                let major = format!("{},", found.rdev.0);
                self.put_right(major.as_bytes(), widths.major + spare + 1);
                self.put_right(found.rdev.1.to_string().as_bytes(), widths.minor);
            }
            Some(found) => {
                let text = self.options.size_unit.format(found.size);
                self.put_right(text.as_bytes(), widths.size);
            }
            None => self.put_right(b"?", widths.size),
        }
    }

    fn put_date(&mut self, proc: &Proc, entry: &Entry) {
        let time = entry.metadata.map(|found| time_of(&found, self.options.time));
        let text = time.and_then(|time| self.date(proc, time));
        if let Some(text) = text {
            self.out.extend_from_slice(&text);
            self.out.push(b' ');
        } else {
            let columns = self.date_width();
            let text = time.map_or("?".to_owned(), |time| time.seconds.to_string());
            self.put_right(text.as_bytes(), columns);
        }
    }

    /// A date; `None` when it cannot be written in the format.
    fn date(&mut self, proc: &Proc, time: Timestamp) -> Option<Vec<u8>> {
        if self.now.is_none_or(|now| now < time) {
            self.now = Some(proc.kernel.now());
        }
        let now = self.now?;
        let half_year_ago = Timestamp {
            seconds: now.seconds - HALF_YEAR,
            nanos: now.nanos,
        };
        let [older, recent] = &self.options.time_formats;
        let format = if half_year_ago < time && time < now {
            recent
        } else {
            older
        };
        let zone = self.zone.get_or_insert_with(|| dates::zone(proc));
        let moment = Moment::new(time.seconds, time.nanos, zone)?;
        let text = strftime(format, &moment, Dialect::Gnulib, DATE_LIMIT)?;
        (!text.is_empty() || format.is_empty()).then_some(text)
    }

    /// Columns of the date of the epoch.
    fn date_width(&self) -> usize {
        let [older, _] = &self.options.time_formats;
        self.zone
            .as_ref()
            .and_then(|zone| Moment::new(0, 0, zone))
            .and_then(|moment| strftime(older, &moment, Dialect::Gnulib, DATE_LIMIT))
            .map_or(0, |text| width(&text))
    }
}

/// The letters of what cannot be looked at.
fn letters_unknown(kind: Option<FileKind>) -> Vec<u8> {
    let letter = kind.map_or(b'?', crate::program::inode::kind_letter);
    [&[letter][..], b"?????????"].concat()
}
