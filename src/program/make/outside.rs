//! The functions that look at files or run commands: `wildcard`, `realpath`, `abspath`, `file`, `shell`.

use super::Make;
use super::names::{self, words};
use crate::fs::{Existing, Follow, OpenFlags};
use crate::kernel::{BoxFuture, Input, Stop, WaitStatus, cost};
use crate::pattern::{Pattern, PatternOptions, has_glob};
use crate::program::message::message;

impl Make<'_> {
    pub fn outside_function<'b>(
        &'b mut self,
        name: &'b str,
        arguments: &'b [Vec<u8>],
    ) -> BoxFuture<'b, Result<Vec<u8>, Stop>> {
        Box::pin(async move {
            let first = arguments.first().map_or(b"".as_slice(), Vec::as_slice);
            match name {
                "wildcard" => {
                    let mut all = Vec::new();
                    for word in words(first) {
                        all.extend(self.matching_files(word)?);
                    }
                    Ok(names::join(all.iter()))
                }
                "realpath" => {
                    let real =
                        words(first).filter_map(|word| self.proc.canonicalize(word, Existing::All).ok());
                    Ok(names::join(real))
                }
                "abspath" => {
                    let cwd = self.proc.cwd.clone();
                    Ok(names::join(words(first).map(|word| absolute(&cwd, word))))
                }
                "file" => {
                    self.file_function(first, arguments.get(1).map(Vec::as_slice))
                        .await
                }
                _ => self.shell_output(first, Newlines::All).await,
            }
        })
    }

    /// The files that a pattern matches, sorted; a name without one counts if it is there.
    pub fn matching_files(&mut self, pattern: &[u8]) -> Result<Vec<Vec<u8>>, Stop> {
        let pattern = self.with_home(pattern);
        if !has_glob(&pattern, false) {
            let exists = self.proc.metadata(&pattern, Follow::No).is_ok();
            return Ok(if exists { vec![pattern] } else { Vec::new() });
        }
        let mut found: Vec<Vec<u8>> = vec![Vec::new()];
        for (index, part) in pattern.split(|byte| *byte == b'/').enumerate() {
            let mut next = Vec::new();
            for base in found {
                let base = if index > 0 {
                    [base.as_slice(), b"/"].concat()
                } else {
                    base
                };
                self.step(&base, part, &mut next)?;
            }
            found = next;
        }
        found.retain(|path| self.proc.metadata(path, Follow::No).is_ok());
        found.sort_unstable();
        Ok(found)
    }

    /// The entries of a directory that one part of a pattern matches.
    fn step(&mut self, base: &[u8], part: &[u8], found: &mut Vec<Vec<u8>>) -> Result<(), Stop> {
        if !has_glob(part, false) {
            found.push([base, part].concat());
            return Ok(());
        }
        let directory = if base.is_empty() { b"." } else { base };
        let Ok(entries) = self.proc.read_dir(directory) else {
            return Ok(());
        };
        self.proc
            .kernel
            .meter()
            .check_memory((entries.len() * (base.len() + 64)) as u64)?;
        let compiled = Pattern::compile(part, PatternOptions::default());
        for entry in entries {
            let name: &[u8] = &entry.name;
            self.proc.charge(cost::MATCH + compiled.cost_bound(name.len()))?;
            let hidden = name.starts_with(b".") && !part.starts_with(b".");
            if !hidden && compiled.matches(name) {
                found.push([base, name].concat());
            }
        }
        Ok(())
    }

    /// `~/x` in the home directory.
    pub fn with_home(&self, name: &[u8]) -> Vec<u8> {
        match name.strip_prefix(b"~") {
            Some(rest) if rest.is_empty() || rest.starts_with(b"/") => {
                let home = self
                    .variables
                    .get(b"HOME")
                    .map(|variable| variable.value.to_vec());
                home.map_or_else(|| name.to_vec(), |home| [home.as_slice(), rest].concat())
            }
            _ => name.to_vec(),
        }
    }

    /// `$(file >name,text)`.
    async fn file_function(&mut self, first: &[u8], text: Option<&[u8]>) -> Result<Vec<u8>, Stop> {
        let (name, flags) = if let Some(name) = first.strip_prefix(b">>") {
            (name, OpenFlags::APPEND)
        } else if let Some(name) = first.strip_prefix(b">") {
            (name, OpenFlags::CREATE)
        } else if let Some(name) = first.strip_prefix(b"<") {
            if text.is_some() {
                return Err(self.fatal("file: too many arguments").await);
            }
            return self.file_contents(names::trim_start(name)).await;
        } else {
            let sentence = message!("file: invalid file operation: ", first);
            return Err(self.fatal(sentence).await);
        };
        let name = names::trim_start(name);
        if name.is_empty() {
            return Err(self.fatal("file: missing filename").await);
        }
        let file = match self.proc.open(name, flags).await {
            Ok(file) => file,
            Err(errno) => return Err(self.fatal(message!("open: ", name, ": ", errno.message())).await),
        };
        if let Some(text) = text {
            let newline: &[u8] = if text.ends_with(b"\n") { b"" } else { b"\n" };
            if let Err(errno) = file.write_all(&[text, newline].concat()).await {
                return Err(self.fatal(message!("write: ", name, ": ", errno.message())).await);
            }
        }
        Ok(Vec::new())
    }

    async fn file_contents(&mut self, name: &[u8]) -> Result<Vec<u8>, Stop> {
        if name.is_empty() {
            return Err(self.fatal("file: missing filename").await);
        }
        let file = match self.proc.open(name, OpenFlags::READ).await {
            Ok(file) => file,
            Err(crate::fs::Errno::ENOENT) => return Ok(Vec::new()),
            Err(errno) => return Err(self.fatal(message!("open: ", name, ": ", errno.message())).await),
        };
        let mut lease = self.proc.kernel.lease();
        match Input::new(file).rest(&mut lease).await {
            Ok(text) => Ok(text
                .strip_suffix(b"\n")
                .map_or_else(|| text.clone(), <[u8]>::to_vec)),
            Err(errno) => Err(self.fatal(message!("read: ", name, ": ", errno.message())).await),
        }
    }

    /// What a command prints, its newlines as blanks.
    pub async fn shell_output(&mut self, command: &[u8], trim: Newlines) -> Result<Vec<u8>, Stop> {
        self.proc.flush().await?;
        let (reader, writer) = self.proc.kernel.pipe();
        let Some(mut launch) = self.command(command).await? else {
            self.set_shell_status(0)?;
            return Ok(Vec::new());
        };
        launch.fds.push((1, writer));
        // The environment is make's own here.
        launch.environment = None;
        let name = launch.args.first().cloned().unwrap_or_default();
        let spawned = self.proc.spawn(launch);
        let child = match spawned {
            Ok(child) => child,
            Err(errno) => {
                self.say_error(message!(name, ": ", errno.message())).await?;
                self.set_shell_status(127)?;
                return Ok(Vec::new());
            }
        };
        let mut lease = self.proc.kernel.lease();
        let output = Input::new(reader).rest(&mut lease).await.unwrap_or_default();
        let status = match self.proc.wait(child).await {
            Ok(WaitStatus::Exited(code)) => i32::from(code),
            Ok(WaitStatus::Signaled(signal)) => i32::from(signal.number()),
            Err(_) => 0,
        };
        self.set_shell_status(status)?;
        self.proc.charge(output.len() as u64 / 8)?;
        Ok(folded(&output, trim))
    }

    fn set_shell_status(&mut self, status: i32) -> Result<(), Stop> {
        use super::variables::{Flavor, Origin, Variable};
        let text = status.to_string().into_bytes();
        let variable = Variable::new(text, Flavor::Simple, Origin::Override);
        self.variables.put(b".SHELLSTATUS", variable)?;
        Ok(())
    }
}

/// Newlines at the end of what a command prints that do not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Newlines {
    /// `$(shell)`.
    All,
    /// `!=`.
    Last,
}

/// Trailing newlines go, all others become blanks.
fn folded(output: &[u8], trim: Newlines) -> Vec<u8> {
    let last = output
        .iter()
        .rposition(|byte| *byte != b'\n')
        .map_or(0, |at| at + 1);
    let end = match trim {
        Newlines::All => last,
        Newlines::Last => output.strip_suffix(b"\n").unwrap_or(output).len(),
    };
    let mut text = Vec::with_capacity(end);
    let mut rest = output.get(..end).unwrap_or_default();
    while let Some((byte, behind)) = rest.split_first() {
        rest = behind;
        match byte {
            b'\r' if rest.starts_with(b"\n") => {}
            b'\n' => text.push(b' '),
            byte => text.push(*byte),
        }
    }
    text
}

/// A path from the root, without `.` and `..`; links are not looked at.
fn absolute(cwd: &[u8], name: &[u8]) -> Vec<u8> {
    let whole = if name.starts_with(b"/") {
        name.to_vec()
    } else {
        [cwd, b"/", name].concat()
    };
    let mut parts: Vec<&[u8]> = Vec::new();
    for part in whole.split(|byte| *byte == b'/') {
        match part {
            b"" | b"." => {}
            b".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    [b"/".as_slice(), &parts.join(&b'/')].concat()
}
