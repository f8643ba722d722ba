//! Which files are left out: the lists that `.gitignore`, `.ignore` and `.rgignore` hold, and the globs of `-g`.
//!
//! The last glob of a list that matches decides, and the list of the deepest directory that has an answer is the one that counts; `!` takes
//! a file in again. `.gitignore` counts only inside of a repository: there is a `.git` in the directory or above it.

use regex_automata::meta::Regex;

use super::glob::{GlobOptions, compile};
use super::options::Options;
use crate::fs::{Follow, OpenFlags};
use crate::kernel::{Input, Lease, Proc, Stop};
use crate::program::path;

/// What a list says of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    Nothing,
    Ignore,
    Keep,
}

#[derive(Debug)]
struct Rule {
    glob: Regex,
    keeps: bool,
    only_directories: bool,
}

/// A list of globs that counts below a directory.
#[derive(Debug, Default)]
pub struct List {
    rules: Vec<Rule>,
}

impl List {
    /// Reads the lines of a file of ignored files.
    fn parse(text: &[u8]) -> List {
        let mut list = List::default();
        for line in text.split(|byte| *byte == b'\n') {
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            if line.starts_with(b"#") {
                continue;
            }
            list.add(unpadded(line), GlobOptions::default());
        }
        list
    }

    /// Adds a glob. One with a slash before its end counts from the directory of the list, any other at every depth.
    pub fn add(&mut self, line: &[u8], options: GlobOptions) {
        let (keeps, line) = match line.strip_prefix(b"!") {
            Some(rest) => (true, rest),
            None => (false, line),
        };
        let (only_directories, line) = match line.strip_suffix(b"/") {
            Some(rest) => (true, rest),
            None => (false, line),
        };
        if line.is_empty() {
            return;
        }
        let anchored = line.contains(&b'/');
        let line = line.strip_prefix(b"/").unwrap_or(line);
        let line = if anchored || line.starts_with(b"**/") {
            line.to_vec()
        } else {
            [b"**/", line].concat()
        };
        // What is below a directory that matches `dir/**` is left out, the directory is not.
        if let Some(glob) = compile(&line, options) {
            self.rules.push(Rule {
                glob,
                keeps,
                only_directories,
            });
        }
    }

    /// Whether there is no glob.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// A glob that takes files in stands among them.
    pub fn has_keep(&self) -> bool {
        self.rules.iter().any(|rule| rule.keeps)
    }

    /// What is said of a path that is relative to the directory of the list.
    pub fn verdict(&self, relative: &[u8], is_directory: bool) -> Verdict {
        let matching = self
            .rules
            .iter()
            .rev()
            .find(|rule| (is_directory || !rule.only_directories) && rule.glob.is_match(relative));
        match matching {
            None => Verdict::Nothing,
            Some(rule) if rule.keeps => Verdict::Keep,
            Some(_) => Verdict::Ignore,
        }
    }
}

/// Without blanks at the end, unless a backslash keeps the last one.
fn unpadded(line: &[u8]) -> &[u8] {
    let mut line = line;
    while let [rest @ .., b' '] = line {
        if rest.ends_with(b"\\") {
            break;
        }
        line = rest;
    }
    line
}

/// The lists of one directory, by their weight: `.rgignore`, `.ignore`, `.gitignore`.
struct Level {
    directory: Vec<u8>,
    own: List,
    ignore: List,
    git: List,
}

/// The lists of a directory and of those above it.
pub struct Ignored {
    levels: Vec<Level>,
    in_repository: bool,
    lease: Lease,
    held: usize,
}

impl Ignored {
    /// Reads the lists above and in the directory where the search begins. Paths here are absolute.
    pub async fn new(proc: &Proc, options: &Options, start: &[u8]) -> Result<Ignored, Stop> {
        let mut ignored = Ignored {
            levels: Vec::new(),
            in_repository: false,
            lease: proc.kernel.lease(),
            held: 0,
        };
        let mut parents = Vec::new();
        let mut directory = start.to_vec();
        while directory.len() > 1 {
            directory = path::directory_name(&directory).to_vec();
            parents.push(directory.clone());
        }
        if options.ignores_parents {
            for parent in parents.iter().rev() {
                ignored.enter(proc, options, parent).await?;
            }
        }
        Ok(ignored)
    }

    /// Reads the lists of a directory that the search goes into.
    pub async fn enter(&mut self, proc: &Proc, options: &Options, directory: &[u8]) -> Result<(), Stop> {
        let mut level = Level {
            directory: directory.to_vec(),
            own: List::default(),
            ignore: List::default(),
            git: List::default(),
        };
        if options.ignores_git {
            let dot_git = path::join(directory, b".git");
            self.in_repository |= proc.metadata(&dot_git, Follow::Yes).is_ok();
            level.git = self.read(proc, directory, b".gitignore").await?;
        }
        if options.ignores_dot {
            level.own = self.read(proc, directory, b".rgignore").await?;
            level.ignore = self.read(proc, directory, b".ignore").await?;
        }
        self.levels.push(level);
        Ok(())
    }

    /// The search leaves a directory.
    pub fn leave(&mut self) {
        self.levels.pop();
    }

    async fn read(&mut self, proc: &Proc, directory: &[u8], name: &[u8]) -> Result<List, Stop> {
        let path = path::join(directory, name);
        if proc.metadata(&path, Follow::Yes).is_err() {
            return Ok(List::default());
        }
        let Ok(file) = proc.open(&path, OpenFlags::READ).await else {
            return Ok(List::default());
        };
        let mut lease = self.lease.sibling();
        let text = Input::new(file).rest(&mut lease).await.unwrap_or_default();
        // A compiled glob takes some kilobytes.
        let lines = memchr::memchr_iter(b'\n', &text).count() + 1;
        self.held += lines * 4096;
        self.lease.resize(self.held)?;
        proc.charge(lines as u64 * 500)?;
        Ok(List::parse(&text))
    }

    /// Whether a path below the directories entered is ignored.
    pub fn verdict(&self, path: &[u8], is_directory: bool) -> Verdict {
        let lists: [fn(&Level) -> &List; 3] = [|level| &level.own, |level| &level.ignore, |level| &level.git];
        for (index, list) in lists.iter().enumerate() {
            if index == 2 && !self.in_repository {
                continue;
            }
            for level in self.levels.iter().rev() {
                let list = list(level);
                if list.is_empty() {
                    continue;
                }
                let relative = path.strip_prefix(level.directory.as_slice()).unwrap_or(path);
                let relative = relative.strip_prefix(b"/").unwrap_or(relative);
                match list.verdict(relative, is_directory) {
                    Verdict::Nothing => {}
                    verdict => return verdict,
                }
            }
        }
        Verdict::Nothing
    }
}
