//! What is compared with what: files, directories, a file and a directory, what is not there.
//!
//! Directories are not compared by recursion but from a stack of pairs, in the order of names.

use std::sync::Arc;

use super::Differ;
use crate::fs::{Errno, FileKind, Follow, Metadata};
use crate::kernel::{Proc, Stop};
use crate::program::message::message;
use crate::program::path;

/// One of two files.
#[derive(Debug, Clone)]
pub struct Side {
    pub name: Vec<u8>,
    pub state: State,
}

/// Whether it is there.
#[derive(Debug, Clone, Copy)]
pub enum State {
    /// Treated as empty.
    Absent,
    Found(Metadata),
    Failed(Errno),
}

impl Side {
    /// What it is.
    pub fn metadata(&self) -> Option<&Metadata> {
        match &self.state {
            State::Found(found) => Some(found),
            _ => None,
        }
    }

    fn is_directory(&self) -> bool {
        self.metadata()
            .is_some_and(|found| found.kind == FileKind::Directory)
    }

    fn is_absent(&self) -> bool {
        matches!(self.state, State::Absent)
    }
}

/// Directories that a pair lies in.
pub struct Parent {
    names: [Vec<u8>; 2],
    ids: [Option<(u64, u64)>; 2],
    up: Option<Arc<Parent>>,
}

/// A pair that waits: names, and the directories they are in.
pub struct Pending {
    pub left: Option<Vec<u8>>,
    pub right: Option<Vec<u8>>,
    pub parent: Option<Arc<Parent>>,
}

/// The kind of a file in messages.
fn kind_words(found: &Metadata) -> &'static str {
    crate::program::inode::kind_words(found)
}

impl Differ {
    /// Compares two operands and everything below them; the exit status.
    pub async fn compare(&mut self, proc: &mut Proc, left: &[u8], right: &[u8]) -> Result<i32, Stop> {
        let mut pending = vec![Pending {
            left: Some(left.to_vec()),
            right: Some(right.to_vec()),
            parent: None,
        }];
        let mut status = 0;
        while let Some(pair) = pending.pop() {
            proc.kernel.breathe().await;
            status = status.max(self.compare_pair(proc, pair, &mut pending).await?);
        }
        Ok(status)
    }

    async fn compare_pair(
        &mut self,
        proc: &mut Proc,
        pair: Pending,
        pending: &mut Vec<Pending>,
    ) -> Result<i32, Stop> {
        let options = &self.options;
        let parent = pair.parent;
        let absent_first = pair.left.is_none();
        if let (Some(parent), Some(name)) = (&parent, only(pair.left.as_ref(), pair.right.as_ref()))
            && !(options.new_file || (absent_first && options.new_first_file))
        {
            let [first, second] = &parent.names;
            let directory = if absent_first { second } else { first };
            proc.write(&message!("Only in ", directory, ": ", name, "\n"))
                .await?;
            return Ok(1);
        }
        let mut sides = self.look(proc, pair.left, pair.right, parent.as_deref());
        let mut failed = false;
        for side in &sides {
            if let State::Failed(errno) = side.state {
                proc.warn(message!(side.name, ": ", errno.message())).await?;
                failed = true;
            }
        }
        if failed {
            return Ok(2);
        }
        if parent.is_none() && sides[0].is_directory() != sides[1].is_directory() {
            let [left, right] = &mut sides;
            let (file, directory) = if left.is_directory() {
                (right, left)
            } else {
                (left, right)
            };
            if file.name == b"-" {
                proc.warn("cannot compare '-' to a directory").await?;
                return Err(Stop::Exit(2));
            }
            directory.name = path::concatenate(&directory.name, path::last_component(&file.name));
            match proc.metadata(&directory.name, Follow::Yes) {
                Ok(found) => directory.state = State::Found(found),
                Err(errno) => {
                    proc.warn(message!(directory.name, ": ", errno.message())).await?;
                    return Ok(2);
                }
            }
        }
        self.compare_sides(proc, &sides, parent, pending).await
    }

    /// Finds out what both are.
    fn look(
        &self,
        proc: &Proc,
        left: Option<Vec<u8>>,
        right: Option<Vec<u8>>,
        parent: Option<&Parent>,
    ) -> [Side; 2] {
        let options = &self.options;
        let name = left.clone().or(right.clone()).unwrap_or_default();
        let full = |index: usize, own: &Option<Vec<u8>>| {
            let own = own.as_ref().unwrap_or(&name);
            let directory = parent.and_then(|parent| parent.names.get(index));
            directory.map_or_else(|| own.clone(), |directory| path::concatenate(directory, own))
        };
        let side = |index: usize, own: &Option<Vec<u8>>| {
            let name = full(index, own);
            let state = if own.is_some() {
                self.state(proc, &name)
            } else {
                State::Absent
            };
            Side { name, state }
        };
        let mut sides = [side(0, &left), side(1, &right)];
        let found = sides.each_ref().map(|side| side.metadata().is_some());
        for (index, side) in sides.iter_mut().enumerate() {
            let wanted = options.new_file || (index == 0 && options.new_first_file);
            let other_found = found.get(1 - index).copied().unwrap_or(false);
            let absent = match side.state {
                // What `patch` leaves for a file that was not there.
                State::Found(found) => {
                    found.kind == FileKind::Regular && found.mode.trailing_zeros() >= 9 && found.size == 0
                }
                State::Failed(Errno::ENOENT | Errno::EBADF) => parent.is_none() && other_found,
                _ => false,
            };
            if wanted && absent {
                side.state = State::Absent;
            }
        }
        sides
    }

    fn state(&self, proc: &Proc, name: &[u8]) -> State {
        let found = if name == b"-" {
            proc.stdin().and_then(|file| file.metadata())
        } else if self.options.no_dereference {
            proc.metadata(name, Follow::No)
        } else {
            proc.metadata(name, Follow::Yes)
        };
        found.map_or_else(State::Failed, State::Found)
    }

    async fn compare_sides(
        &mut self,
        proc: &mut Proc,
        sides: &[Side; 2],
        parent: Option<Arc<Parent>>,
        pending: &mut Vec<Pending>,
    ) -> Result<i32, Stop> {
        let [left, right] = sides;
        if left.is_absent() && right.is_absent() {
            return Ok(0);
        }
        let id = |side: &Side| side.metadata().map(|found| (found.device, found.inode));
        let both_standard = left.name == b"-" && right.name == b"-";
        let same = both_standard || (id(left).is_some() && id(left) == id(right));
        if same && self.options.prints_differences_only() {
            return self.report_identical(proc, sides).await;
        }
        if left.is_directory() && right.is_directory() {
            return self.compare_directories(proc, sides, parent, pending).await;
        }
        let is_regular = |side: &Side| {
            side.metadata()
                .is_some_and(|found| matches!(found.kind, FileKind::Regular | FileKind::Symlink))
        };
        let comparable = is_regular(left) && is_regular(right)
            || (left.is_absent() && is_regular(right))
            || (right.is_absent() && is_regular(left));
        if left.is_directory() || right.is_directory() || (parent.is_some() && !comparable) {
            return self.compare_unlike(proc, sides, parent, pending).await;
        }
        let kinds = sides
            .each_ref()
            .map(|side| side.metadata().map(|found| found.kind));
        if kinds.contains(&Some(FileKind::Symlink)) {
            return self.compare_links(proc, sides).await;
        }
        let status = self.compare_files(proc, sides, parent.is_some()).await?;
        if status == 0 {
            return self.report_identical(proc, sides).await;
        }
        Ok(status)
    }

    async fn report_identical(&mut self, proc: &mut Proc, sides: &[Side; 2]) -> Result<i32, Stop> {
        if self.options.reports_identical && !sides[0].is_directory() {
            let [left, right] = self.shown_names(sides);
            proc.write(&message!("Files ", left, " and ", right, " are identical\n"))
                .await?;
        }
        Ok(0)
    }

    /// The names in messages: labels where there are any.
    pub fn shown_names(&self, sides: &[Side; 2]) -> [Vec<u8>; 2] {
        let label = |index: usize| self.options.labels.get(index).cloned();
        let [left, right] = sides;
        [
            label(0).unwrap_or_else(|| left.name.clone()),
            label(1).unwrap_or_else(|| right.name.clone()),
        ]
    }

    /// Two things that cannot be compared.
    async fn compare_unlike(
        &mut self,
        proc: &mut Proc,
        sides: &[Side; 2],
        parent: Option<Arc<Parent>>,
        pending: &mut Vec<Pending>,
    ) -> Result<i32, Stop> {
        let [left, right] = sides;
        if left.is_absent() || right.is_absent() {
            let options = &self.options;
            let descends = options.new_file || (options.new_first_file && left.is_absent());
            if (left.is_directory() || right.is_directory()) && options.recursive && descends {
                return self.compare_directories(proc, sides, parent, pending).await;
            }
            let present = if left.is_absent() { right } else { left };
            let (directory, name) = (
                path::directory_name(&present.name),
                path::base_name(&present.name),
            );
            proc.write(&message!("Only in ", directory, ": ", name, "\n"))
                .await?;
            return Ok(1);
        }
        let names = self.shown_names(sides);
        let words = |side: &Side| side.metadata().map_or("weird file", kind_words);
        let line = message!(
            "File ",
            names[0],
            " is a ",
            words(left),
            " while file ",
            names[1],
            " is a ",
            words(right),
            "\n"
        );
        proc.write(&line).await?;
        Ok(1)
    }

    async fn compare_links(&mut self, proc: &mut Proc, sides: &[Side; 2]) -> Result<i32, Stop> {
        let [left, right] = sides;
        let is_link = |side: &Side| {
            side.metadata()
                .is_some_and(|found| found.kind == FileKind::Symlink)
        };
        let names = self.shown_names(sides);
        if !(is_link(left) && is_link(right)) {
            let words = |side: &Side| side.metadata().map_or("regular empty file", kind_words);
            let (from, to) = (words(left), words(right));
            let line = message!(
                "File ",
                names[0],
                " is a ",
                from,
                " while file ",
                names[1],
                " is a ",
                to,
                "\n"
            );
            proc.write(&line).await?;
            return Ok(1);
        }
        let targets = (proc.read_link(&left.name), proc.read_link(&right.name));
        if let (Ok(from), Ok(to)) = &targets
            && from == to
        {
            return self.report_identical(proc, sides).await;
        }
        proc.write(&message!(
            "Symbolic links ",
            names[0],
            " and ",
            names[1],
            " differ\n"
        ))
        .await?;
        Ok(1)
    }

    async fn compare_directories(
        &mut self,
        proc: &mut Proc,
        sides: &[Side; 2],
        parent: Option<Arc<Parent>>,
        pending: &mut Vec<Pending>,
    ) -> Result<i32, Stop> {
        let [left, right] = sides;
        if self.options.style == super::options::Style::Formats {
            proc.warn("-D option not supported with directories").await?;
            return Err(Stop::Exit(2));
        }
        if parent.is_some() && !self.options.recursive {
            let line = message!("Common subdirectories: ", left.name, " and ", right.name, "\n");
            proc.write(&line).await?;
            return Ok(0);
        }
        let ids = sides
            .each_ref()
            .map(|side| side.metadata().map(|found| (found.device, found.inode)));
        for (index, side) in sides.iter().enumerate() {
            if is_loop(parent.as_deref(), index, ids.get(index).copied().flatten()) {
                proc.warn(message!(side.name, ": recursive directory loop"))
                    .await?;
                return Ok(2);
            }
        }
        let mut status = 0;
        let mut lists = [Vec::new(), Vec::new()];
        for (side, list) in sides.iter().zip(&mut lists) {
            if side.is_absent() {
                continue;
            }
            match proc.read_dir(&side.name) {
                Ok(entries) => *list = entries.into_iter().map(|entry| entry.name).collect(),
                Err(errno) => {
                    proc.warn(message!(side.name, ": ", errno.message())).await?;
                    status = 2;
                }
            }
        }
        let is_top = parent.is_none();
        let parent = Arc::new(Parent {
            names: [left.name.clone(), right.name.clone()],
            ids,
            up: parent,
        });
        let [left, right] = lists;
        let pairs = self.pair_names(left, right, is_top);
        pending.extend(pairs.into_iter().rev().map(|(left, right)| Pending {
            left,
            right,
            parent: Some(Arc::clone(&parent)),
        }));
        Ok(status)
    }

    /// Names of both directories beside each other.
    fn pair_names(
        &self,
        left: Vec<Vec<u8>>,
        right: Vec<Vec<u8>>,
        is_top: bool,
    ) -> Vec<(Option<Vec<u8>>, Option<Vec<u8>>)> {
        let options = &self.options;
        let fold = |name: &Vec<u8>| {
            if options.ignore_name_case {
                name.to_ascii_lowercase()
            } else {
                name.clone()
            }
        };
        let prepare = |names: Vec<Vec<u8>>| {
            let mut names: Vec<(Vec<u8>, Vec<u8>)> = names
                .into_iter()
                .filter(|name| !options.exclude.iter().any(|pattern| pattern.matches(name)))
                .map(|name| (fold(&name), name))
                .collect();
            names.sort();
            if let (true, Some(start)) = (is_top, &options.starting_file) {
                let start = fold(start);
                names.retain(|(folded, _)| *folded >= start);
            }
            names.into_iter().peekable()
        };
        let (mut left, mut right) = (prepare(left), prepare(right));
        let mut pairs = Vec::new();
        loop {
            let order = match (left.peek(), right.peek()) {
                (None, None) => return pairs,
                (Some(_), None) => std::cmp::Ordering::Less,
                (None, Some(_)) => std::cmp::Ordering::Greater,
                (Some(one), Some(other)) => one.0.cmp(&other.0),
            };
            let first = if order.is_le() { left.next() } else { None };
            let second = if order.is_ge() { right.next() } else { None };
            pairs.push((first.map(|pair| pair.1), second.map(|pair| pair.1)));
        }
    }
}

/// The only name of two.
fn only<'n>(left: Option<&'n Vec<u8>>, right: Option<&'n Vec<u8>>) -> Option<&'n Vec<u8>> {
    match (left, right) {
        (Some(name), None) | (None, Some(name)) => Some(name),
        _ => None,
    }
}

/// A directory is one of those it lies in.
fn is_loop(parent: Option<&Parent>, index: usize, id: Option<(u64, u64)>) -> bool {
    let mut above = parent;
    while let (Some(parent), Some(_)) = (above, id) {
        if parent.ids.get(index).copied().flatten() == id {
            return true;
        }
        above = parent.up.as_deref();
    }
    false
}
