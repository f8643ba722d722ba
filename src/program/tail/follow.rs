//! `tail -f`: what is added to files is printed as it comes.
//!
//! Files are looked at once an interval, as the real tail does without inotify. When nothing has come for a while and no other
//! process can run any more, nothing ever will: then tail waits without a timer, and the system finds the deadlock.

use std::sync::Arc;

use super::options::{Follow, Plan};
use super::{Headers, pretty};
use crate::args::{quoteaf, quotef};
use crate::fs::{Errno, FileKind};
use crate::kernel::{Disposition, File, Proc, Signal, Stop};
use crate::program::message::message;

/// Looks without news before tail asks whether any can come: data may pass through a chain of programs that look.
const PATIENCE: u32 = 16;

/// A file that is followed.
#[derive(Debug)]
pub struct Followed {
    path: Vec<u8>,
    file: Option<Arc<File>>,
    /// Why there is none.
    errno: Option<Errno>,
    /// It will never be followed.
    given_up: bool,
}

impl Followed {
    /// An open file, at its end.
    pub fn open(path: &[u8], file: Arc<File>) -> Followed {
        Followed {
            path: path.to_vec(),
            file: Some(file),
            errno: None,
            given_up: false,
        }
    }

    /// A file that could not be opened.
    pub fn missing(path: &[u8], errno: Errno) -> Followed {
        Followed {
            path: path.to_vec(),
            file: None,
            errno: Some(errno),
            given_up: false,
        }
    }
}

/// A file that was opened and cannot be read: a directory.
pub async fn refused(proc: &mut Proc, path: &[u8], plan: &Plan) -> Result<Followed, Stop> {
    if plan.follow.is_some() {
        let end = if plan.retry && plan.follow == Some(Follow::Name) {
            ""
        } else {
            "; giving up on this name"
        };
        let message = message!(
            quotef(pretty(path)),
            ": cannot follow end of this type of file",
            end
        );
        proc.warn(message).await?;
    }
    let given_up = !(plan.retry && plan.follow == Some(Follow::Name));
    Ok(Followed {
        given_up,
        ..Followed::missing(path, Errno::EISDIR)
    })
}

/// Whether there is anything to follow: a pipe as standard input is not.
pub fn any_to_follow(files: &[Followed]) -> bool {
    let is_ignored = |followed: &Followed| {
        let is_pipe = |file: &Arc<File>| {
            file.metadata()
                .is_ok_and(|metadata| metadata.kind == FileKind::Fifo)
        };
        followed.path == b"-" && followed.file.as_ref().is_some_and(is_pipe)
    };
    !files.iter().all(is_ignored)
}

/// Follows until the process of `--pid` has ended, nothing is left to follow, or for ever.
pub async fn follow(
    proc: &mut Proc,
    mut files: Vec<Followed>,
    plan: &Plan,
    mut headers: Headers,
) -> Result<i32, Stop> {
    let by_name = plan.follow == Some(Follow::Name);
    let mut last_shown = files.len().checked_sub(1);
    let mut quiet = 0;
    loop {
        let waits = |followed: &Followed| !followed.given_up && (followed.file.is_some() || plan.retry);
        if !files.iter().any(waits) {
            proc.warn("no files remaining").await?;
            return Ok(1);
        }
        let writer_is_gone = plan.pid.is_some_and(|pid| !proc.kernel.exists(pid));
        let mut any = false;
        for (index, followed) in files.iter_mut().enumerate() {
            if followed.given_up {
                continue;
            }
            if by_name || (plan.retry && followed.file.is_none()) {
                reopen(proc, followed, plan).await?;
            }
            let fresh = news(proc, followed).await?;
            if !fresh.is_empty() {
                any = true;
                if last_shown != Some(index) {
                    headers.show(proc, &followed.path).await?;
                    last_shown = Some(index);
                }
                proc.write(&fresh).await?;
            }
        }
        proc.flush().await?;
        if writer_is_gone && !any {
            return Ok(0);
        }
        end_with_reader(proc)?;
        quiet = if any { 0 } else { quiet + 1 };
        if quiet > PATIENCE && proc.kernel.only_watchers_left() {
            std::future::pending::<()>().await;
        }
        proc.charge(1)?;
        proc.kernel.watch_for(plan.interval).await;
    }
}

/// As the real tail, which listens for the end of its reader.
fn end_with_reader(proc: &Proc) -> Result<(), Stop> {
    let broken = proc.fds.get(1).is_ok_and(|file| file.has_no_reader());
    if !broken {
        return Ok(());
    }
    if proc.signals.disposition(Signal::PIPE) == Disposition::Default {
        Err(Stop::Signal(Signal::PIPE))
    } else {
        Err(Stop::Exit(1))
    }
}

/// What there is behind the position; `file truncated` when the file has become shorter.
async fn news(proc: &mut Proc, followed: &mut Followed) -> Result<Vec<u8>, Stop> {
    let Some(file) = &followed.file else {
        return Ok(Vec::new());
    };
    if file.is_seekable()
        && file
            .metadata()
            .is_ok_and(|metadata| metadata.size < file.offset())
    {
        let message = [quotef(pretty(&followed.path)).as_slice(), b": file truncated"].concat();
        proc.warn(message).await?;
        if let Some(file) = &followed.file {
            // Cannot fail: it is seekable.
            let _ = file.seek(0);
        }
    }
    let Some(file) = &followed.file else {
        return Ok(Vec::new());
    };
    let mut fresh = Vec::new();
    while let Some(Ok(1..)) = file.try_read(&mut fresh, 64 << 10) {
        if fresh.len() >= 1 << 20 {
            break;
        }
    }
    Ok(fresh)
}

/// Looks whether the name means another file now.
async fn reopen(proc: &mut Proc, followed: &mut Followed, plan: &Plan) -> Result<(), Stop> {
    match proc.open_operand(&followed.path).await {
        Ok(file) => {
            let metadata = file.metadata();
            if metadata.is_ok_and(|metadata| metadata.kind == FileKind::Directory) {
                return Ok(());
            }
            let identity = |file: &File| file.open_node().map(crate::fs::OpenNode::id);
            let what = match &followed.file {
                Some(before) if identity(before) == identity(&file) => return Ok(()),
                Some(_) => " has been replaced;  following new file",
                None => " has appeared;  following new file",
            };
            proc.warn([quoteaf(&followed.path).as_slice(), what.as_bytes()].concat())
                .await?;
            followed.file = Some(file);
            followed.errno = None;
        }
        Err(errno) => {
            if followed.file.take().is_some() {
                let what = format!(" has become inaccessible: {errno}");
                proc.warn([quoteaf(&followed.path).as_slice(), what.as_bytes()].concat())
                    .await?;
                followed.given_up = !plan.retry;
            }
            followed.errno = Some(errno);
        }
    }
    Ok(())
}
