//! Redirections: done left to right, undone in reverse unless `exec` keeps them.

use std::sync::Arc;

use super::{Divert, Flow, Interp, Set, Shopt};
use crate::expand::{Mode, subscript, word};
use crate::fs::{Errno, FileKind, Follow, OpenFlags};
use crate::kernel::{File, cost};
use crate::syntax::ast::{HereDocument, Redirect, RedirectFd, RedirectOp, Word};

/// What redirections replaced, to be put back.
#[derive(Debug, Default)]
pub struct Saved {
    fds: Vec<(u32, Option<Arc<File>>)>,
}

/// A redirection could not be done.
#[derive(Debug, Clone, Copy)]
pub enum Failed {
    /// It was said; the command fails with this status.
    Status(i32),
    /// Control flow.
    Divert(Divert),
}

impl Failed {
    /// As the command's outcome.
    pub fn flow(self) -> Flow {
        match self {
            Failed::Status(status) => Ok(status),
            Failed::Divert(divert) => Err(divert),
        }
    }
}

impl From<Divert> for Failed {
    fn from(divert: Divert) -> Self {
        Failed::Divert(divert)
    }
}

/// What a descriptor is to become.
enum Target {
    File(Arc<File>),
    Close,
    /// A copy of a descriptor, which is closed afterwards when moved.
    Copy {
        from: u32,
        moved: bool,
    },
}

/// The first descriptor that the shell takes for `{name}>`.
const FIRST_VARIABLE_FD: u32 = 10;

impl Interp {
    /// Does redirections; on failure, what was done is undone.
    pub async fn redirect(&mut self, redirects: &[Redirect]) -> Result<Saved, Failed> {
        let mut saved = Saved::default();
        if redirects.is_empty() {
            return Ok(saved);
        }
        if let Err(divert) = self.flush().await {
            return Err(Failed::Divert(divert));
        }
        for redirect in redirects {
            self.line = self.line.max(redirect.line.min(self.line));
            if let Err(failed) = self.redirect_one(redirect, &mut saved).await {
                // Messages of the failure go where the redirections so far lead.
                if let Err(divert) = self.flush().await {
                    return Err(Failed::Divert(divert));
                }
                self.restore(saved);
                return Err(failed);
            }
        }
        Ok(saved)
    }

    /// Puts descriptors back.
    pub fn restore(&mut self, saved: Saved) {
        let limit = u32::MAX;
        for (fd, file) in saved.fds.into_iter().rev() {
            let _ = match file {
                Some(file) => self.proc.fds.set(fd, file, limit).map(drop),
                None => self.proc.fds.close(fd).map(drop),
            };
        }
    }

    async fn redirect_one(&mut self, redirect: &Redirect, saved: &mut Saved) -> Result<(), Failed> {
        self.proc
            .kernel
            .meter()
            .charge(cost::REDIRECTION)
            .map_err(Divert::from)?;
        if let RedirectOp::WriteBoth(word) | RedirectOp::AppendBoth(word) = &redirect.op {
            let append = matches!(redirect.op, RedirectOp::AppendBoth(_));
            let path = self.redirect_word(word).await?;
            let protect = self.options.is(Set::Noclobber);
            let file = self.open_output(&path, append, protect).await?;
            self.install(1, Some(Arc::clone(&file)), saved)?;
            return self.install(2, Some(file), saved);
        }
        // `>&word` and `1>&word`, where the word is no number: both streams.
        if let (RedirectOp::DuplicateOutput(word), None | Some(RedirectFd::Number(1))) =
            (&redirect.op, &redirect.fd)
        {
            let text = self.redirect_word(word).await?;
            if duplicate_of(&text).is_none() && text != b"-" {
                let protect = self.options.is(Set::Noclobber);
                let file = self.open_output(&text, false, protect).await?;
                self.install(1, Some(Arc::clone(&file)), saved)?;
                return self.install(2, Some(file), saved);
            }
            let target = self.duplicate_target(&text)?;
            return self.apply(redirect, 1, target, saved);
        }
        let standard = match &redirect.op {
            RedirectOp::Read(_)
            | RedirectOp::ReadWrite(_)
            | RedirectOp::DuplicateInput(_)
            | RedirectOp::HereDocument(_)
            | RedirectOp::HereString(_) => 0,
            _ => 1,
        };
        if let (
            Some(RedirectFd::Variable(name, key)),
            RedirectOp::DuplicateInput(word) | RedirectOp::DuplicateOutput(word),
        ) = (&redirect.fd, &redirect.op)
            && super::simple::is_dash(word)
        {
            return self.close_variable(name, key.as_ref(), saved).await;
        }
        let target = self.redirect_target(&redirect.op).await?;
        self.apply(redirect, standard, target, saved)
    }

    fn apply(
        &mut self,
        redirect: &Redirect,
        standard: u32,
        target: Target,
        saved: &mut Saved,
    ) -> Result<(), Failed> {
        let (file, moved) = match target {
            Target::File(file) => (Some(file), None),
            Target::Close => (None, None),
            Target::Copy { from, moved } => match self.proc.fds.get(from) {
                Ok(file) => (Some(Arc::clone(file)), moved.then_some(from)),
                Err(errno) => {
                    let what =
                        duplicated(redirect, standard).unwrap_or_else(|| from.to_string().into_bytes());
                    return Err(self.redirect_error(&what, errno));
                }
            },
        };
        let fd = match &redirect.fd {
            Some(RedirectFd::Number(fd)) => *fd,
            None => standard,
            Some(RedirectFd::Variable(name, key)) => {
                let Some(file) = file else { return Ok(()) };
                return self.assign_descriptor(name, key.as_ref(), file, saved);
            }
        };
        let replaces = self.proc.fds.get(fd).is_ok();
        self.install(fd, file, saved)?;
        match moved.filter(|from| *from != fd) {
            Some(from) if replaces => self.install(from, None, saved),
            // Moved to a number that was free, it stays closed even when the rest is undone.
            Some(from) => {
                let _ = self.proc.fds.close(from);
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// `{name}>`: the number goes into the variable, and the descriptor stays open after the command.
    fn assign_descriptor(
        &mut self,
        name: &[u8],
        key: Option<&Word>,
        file: Arc<File>,
        saved: &mut Saved,
    ) -> Result<(), Failed> {
        let limit = self.proc.open_files;
        let fd = match self.proc.fds.insert(file, FIRST_VARIABLE_FD, limit) {
            Ok(fd) => fd,
            Err(errno) => return Err(self.redirect_error(name, errno)),
        };
        if self.options.shopt(Shopt::VarredirClose) && !self.keep_redirects {
            saved.fds.push((fd, None));
        }
        let key = match key {
            Some(word) => {
                let parameter = crate::syntax::ast::ParamName::Variable(name.into());
                match subscript::now(self, &parameter, word) {
                    Ok(key) => Some(key),
                    Err(failure) => return Err(Failed::Divert(self.fail_expansion(failure))),
                }
            }
            None => None,
        };
        match self.assign_element(name, key.as_deref(), fd.to_string().as_bytes(), false) {
            Ok(()) => Ok(()),
            Err(failure) => {
                let _ = self.fail_expansion(failure);
                self.error([name, b": cannot assign fd to variable"].concat());
                Err(Failed::Status(1))
            }
        }
    }

    async fn close_variable(
        &mut self,
        name: &[u8],
        key: Option<&Word>,
        _saved: &mut Saved,
    ) -> Result<(), Failed> {
        let value = match key {
            None => self.scalar(name),
            Some(word) => {
                let parameter = crate::syntax::ast::ParamName::Variable(name.into());
                let key = match subscript::value(self, &parameter, word).await {
                    Ok(key) => key,
                    Err(failure) => return Err(Failed::Divert(self.fail_expansion(failure))),
                };
                self.value_of(name).and_then(|value| {
                    crate::expand::param::element::<Divert>(name, &value, &key)
                        .ok()
                        .flatten()
                        .map(<[u8]>::to_vec)
                })
            }
        };
        let fd = value.as_deref().and_then(duplicate_of).map(|(fd, _)| fd);
        match fd {
            Some(fd) => {
                let _ = self.proc.fds.close(fd);
                Ok(())
            }
            None => {
                self.error([name, b": ambiguous redirect"].concat());
                Err(Failed::Status(1))
            }
        }
    }

    fn install(&mut self, fd: u32, file: Option<Arc<File>>, saved: &mut Saved) -> Result<(), Failed> {
        let limit = self.proc.open_files;
        let old = match file {
            Some(file) => match self.proc.fds.set(fd, file, limit) {
                Ok(old) => old,
                Err(errno) => return Err(self.redirect_error(fd.to_string().as_bytes(), errno)),
            },
            None => self.proc.fds.close(fd).ok(),
        };
        if !self.keep_redirects {
            saved.fds.push((fd, old));
        } else if let Some(old) = old {
            saved.fds.push((fd, Some(old)));
        }
        Ok(())
    }

    async fn redirect_target(&mut self, op: &RedirectOp) -> Result<Target, Failed> {
        match op {
            RedirectOp::Read(word) => self.open_word(word, OpenFlags::READ).await,
            RedirectOp::ReadWrite(word) => self.open_word(word, OpenFlags::READ_WRITE_CREATE).await,
            RedirectOp::Write(word) => {
                let path = self.redirect_word(word).await?;
                let protect = self.options.is(Set::Noclobber);
                self.open_output(&path, false, protect).await.map(Target::File)
            }
            RedirectOp::Clobber(word) => {
                let path = self.redirect_word(word).await?;
                self.open_output(&path, false, false).await.map(Target::File)
            }
            RedirectOp::Append(word) => {
                let path = self.redirect_word(word).await?;
                self.open_output(&path, true, false).await.map(Target::File)
            }
            RedirectOp::DuplicateInput(word) | RedirectOp::DuplicateOutput(word) => {
                let text = self.redirect_word(word).await?;
                self.duplicate_target(&text)
            }
            RedirectOp::HereDocument(document) => self.here_document(document).await,
            RedirectOp::HereString(word) => {
                let mut text = self.expand_single(word).await?;
                text.push(b'\n');
                self.document_file(text)
            }
            RedirectOp::WriteBoth(_) | RedirectOp::AppendBoth(_) => Ok(Target::Close),
        }
    }

    async fn here_document(&mut self, document: &HereDocument) -> Result<Target, Failed> {
        let text = match word::text(self, &document.body, Mode::Document).await {
            Ok(text) => text,
            Err(failure) => return Err(Failed::Divert(self.fail_expansion(failure))),
        };
        self.document_file(text)
    }

    fn document_file(&self, text: Vec<u8>) -> Result<Target, Failed> {
        let file = File::here_document(&self.proc.kernel, text)
            .map_err(|halt| Failed::Divert(Divert::from(halt)))?;
        Ok(Target::File(Arc::new(file)))
    }

    fn duplicate_target(&mut self, text: &[u8]) -> Result<Target, Failed> {
        if text == b"-" {
            return Ok(Target::Close);
        }
        match duplicate_of(text) {
            Some((from, moved)) => Ok(Target::Copy { from, moved }),
            None => {
                self.error([text, b": ambiguous redirect"].concat());
                Err(Failed::Status(1))
            }
        }
    }

    /// Expands the operand: it must be exactly one field.
    async fn redirect_word(&mut self, word: &Word) -> Result<Vec<u8>, Failed> {
        if self.options.is(Set::Posix) {
            // Neither split nor matched, in a shell that is not interactive.
            return Ok(self.expand_single(word).await?);
        }
        let mut fields = Vec::new();
        if let Err(failure) = word::fields(self, std::slice::from_ref(word), &mut fields).await {
            return Err(Failed::Divert(self.fail_expansion(failure)));
        }
        match <[Vec<u8>; 1]>::try_from(fields) {
            Ok([field]) => Ok(field),
            Err(_) => {
                let text = crate::syntax::print::print_word(word);
                self.error([&text, b": ambiguous redirect".as_slice()].concat());
                Err(Failed::Status(1))
            }
        }
    }

    async fn open_word(&mut self, word: &Word, flags: OpenFlags) -> Result<Target, Failed> {
        let path = self.redirect_word(word).await?;
        match self.proc.open(&path, flags).await {
            Ok(file) => Ok(Target::File(file)),
            Err(errno) => Err(self.redirect_error(&path, errno)),
        }
    }

    async fn open_output(&mut self, path: &[u8], append: bool, protect: bool) -> Result<Arc<File>, Failed> {
        // A regular file, or a link that leads nowhere.
        let exists = || match self.proc.metadata(path, Follow::Yes) {
            Ok(metadata) => metadata.kind == FileKind::Regular,
            Err(_) => self.proc.metadata(path, Follow::No).is_ok(),
        };
        if protect && !append && exists() {
            self.error([path, b": cannot overwrite existing file"].concat());
            return Err(Failed::Status(1));
        }
        let flags = if append {
            OpenFlags::APPEND
        } else {
            OpenFlags::CREATE
        };
        match self.proc.open(path, flags).await {
            Ok(file) => Ok(file),
            Err(errno) => Err(self.redirect_error(path, errno)),
        }
    }

    fn redirect_error(&mut self, what: &[u8], errno: Errno) -> Failed {
        let message = format!(": {errno}");
        self.error([what, message.as_bytes()].concat());
        Failed::Status(1)
    }
}

/// What a message calls a descriptor that is not open, where its number was not written: bash guesses which of the two it is.
fn duplicated(redirect: &Redirect, standard: u32) -> Option<Vec<u8>> {
    let (RedirectOp::DuplicateInput(word) | RedirectOp::DuplicateOutput(word)) = &redirect.op else {
        return None;
    };
    match &redirect.fd {
        _ if Interp::literal_name(word).is_some() => None,
        Some(RedirectFd::Number(fd)) if *fd != standard => Some(fd.to_string().into_bytes()),
        Some(RedirectFd::Variable(..)) => None,
        _ => Some(crate::syntax::print::print_word(word)),
    }
}

/// `n` or `n-`.
fn duplicate_of(text: &[u8]) -> Option<(u32, bool)> {
    let (digits, moved) = match text.strip_suffix(b"-") {
        Some(digits) => (digits, true),
        None => (text, false),
    };
    if digits.is_empty() || digits.len() > 9 || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let fd = digits
        .iter()
        .fold(0u32, |value, digit| value * 10 + u32::from(digit - b'0'));
    Some((fd, moved))
}
