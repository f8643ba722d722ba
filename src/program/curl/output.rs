//! Where replies go, and the meter that shows how far they have come.

use std::sync::Arc;

use super::options::{Options, Target};
use super::{Trouble, warn};
use crate::fs::{Follow, OpenFlags};
use crate::kernel::{File, Proc, Stop};
use crate::net::{Reply, Url};
use crate::program::network;

/// Where one reply goes.
pub(super) enum Sink {
    Stdout,
    /// Opened when there is something to write, or at the end.
    File {
        path: Vec<u8>,
        file: Option<Arc<File>>,
        /// The name is that of the URL, and a header may say another.
        remote: bool,
        /// What is there stays.
        append: bool,
    },
}

impl Sink {
    /// What the options say of the URL number `index`.
    pub(super) fn of(options: &Options, index: usize, url: &Url) -> Result<Sink, Trouble> {
        let (path, remote) = match options.targets.get(index) {
            None => return Ok(Sink::Stdout),
            Some(Target::File(path)) if path == b"-" => return Ok(Sink::Stdout),
            Some(Target::File(path)) => (path.clone(), false),
            Some(Target::RemoteName) => {
                let path = url.target.split('?').next().unwrap_or_default();
                let name = path.rsplit('/').next().unwrap_or_default();
                if name.is_empty() {
                    return Err(Trouble::new(
                        23,
                        "Failed writing received data to disk/application",
                    ));
                }
                (name.as_bytes().to_vec(), true)
            }
        };
        Ok(Sink::File {
            path: in_directory(options, &path),
            file: None,
            remote,
            append: false,
        })
    }

    /// Takes the name that a header gives, where that is wanted. False when there is a file of that name.
    pub(super) fn rename(&mut self, proc: &Proc, options: &Options, reply: &Reply) -> bool {
        let Sink::File {
            path, remote: true, ..
        } = self
        else {
            return true;
        };
        if !options.remote_header_name {
            return true;
        }
        let Some(name) = network::disposition(reply) else {
            return true;
        };
        *path = in_directory(options, &name);
        proc.metadata(path, Follow::Yes).is_err()
    }

    /// Goes on where the file that is there ends: its length.
    pub(super) fn resume(&mut self, proc: &Proc) -> u64 {
        let Sink::File { path, append, .. } = self else {
            return 0;
        };
        *append = true;
        proc.metadata(path, Follow::Yes).map_or(0, |file| file.size)
    }

    /// The file, where it goes to one.
    pub(super) fn path(&self) -> Option<&[u8]> {
        match self {
            Sink::Stdout => None,
            Sink::File { path, .. } => Some(path),
        }
    }

    /// Writes a piece as it comes.
    pub(super) async fn write(
        &mut self,
        proc: &mut Proc,
        options: &Options,
        data: &[u8],
    ) -> Result<Result<(), Trouble>, Stop> {
        let failed = || Trouble::new(23, "Failure writing output to destination");
        match self {
            Sink::Stdout => {
                proc.write(data).await?;
                Ok(proc.try_flush().await?.map_err(|_| failed()))
            }
            Sink::File {
                path, file, append, ..
            } => {
                if file.is_none() {
                    *file = open(proc, options, path, *append).await?;
                }
                let Some(file) = file else {
                    return Ok(Err(failed()));
                };
                let written = file.write_all(data).await;
                if let Some(halt) = proc.kernel.meter().halted() {
                    return Err(Stop::Halt(halt));
                }
                Ok(written.map_err(|_| failed()))
            }
        }
    }
}

/// `--output-dir`
fn in_directory(options: &Options, path: &[u8]) -> Vec<u8> {
    match &options.output_directory {
        None => path.to_vec(),
        Some(directory) => [directory.as_slice(), b"/", path].concat(),
    }
}

async fn open(
    proc: &mut Proc,
    options: &Options,
    path: &[u8],
    append: bool,
) -> Result<Option<Arc<File>>, Stop> {
    if options.create_dirs
        && let Some(end) = memchr::memrchr(b'/', path)
    {
        let directory = path.get(..end).unwrap_or_default();
        let _ = proc.fs.make_dirs(&proc.view(), directory); // opening says what is wrong
    }
    let flags = if append {
        OpenFlags::APPEND
    } else {
        OpenFlags::CREATE
    };
    match proc.open(path, flags).await {
        Ok(file) => Ok(Some(file)),
        Err(errno) => {
            let path = String::from_utf8_lossy(path);
            warn(proc, options, &format!("Failed to open the file {path}: {errno}")).await?;
            Ok(None)
        }
    }
}

/// Writes a whole file; `-` is standard output. Errors are not reported, as in curl.
pub(super) async fn save(proc: &mut Proc, path: &[u8], text: &[u8]) -> Result<(), Stop> {
    if path == b"-" {
        return proc.write(text).await;
    }
    if let Ok(file) = proc.open(path, OpenFlags::CREATE).await
        && file.write_all(text).await.is_err()
        && let Some(halt) = proc.kernel.meter().halted()
    {
        return Err(Stop::Halt(halt));
    }
    Ok(())
}

/// The meter on standard error; silent when it is not wanted. It shows the start and the end: time does not pass while the host waits.
pub(super) struct Meter {
    shown: bool,
}

impl Meter {
    pub(super) async fn start(proc: &mut Proc, options: &Options) -> Result<Meter, Stop> {
        let shown = !options.silent && !options.no_meter;
        if shown {
            let head = "  % Total    % Received % Xferd  Average Speed   Time    Time     Time  Current\n\
                 \x20                                Dload  Upload   Total   Spent    Left  Speed\n";
            let text = format!("{head}{}", line(0, 0));
            proc.write_error(text.as_bytes()).await?;
        }
        Ok(Meter { shown })
    }

    pub(super) async fn end(&self, proc: &mut Proc, received: u64, sent: u64) -> Result<(), Stop> {
        if self.shown {
            proc.write_error(format!("{}\n", line(received, sent)).as_bytes())
                .await?;
        }
        Ok(())
    }
}

fn line(received: u64, sent: u64) -> String {
    let percent = |bytes: u64| if bytes > 0 { 100 } else { 0 };
    let never = "--:--:--";
    format!(
        "\r{:>3} {}  {:>3} {}  {:>3} {}  {}  {} {never} {never} {never} {}",
        percent(received + sent),
        short(received + sent),
        percent(received),
        short(received),
        percent(sent),
        short(sent),
        short(received),
        short(sent),
        short(received),
    )
}

/// A number in five places.
fn short(bytes: u64) -> String {
    const K: u64 = 1024;
    const M: u64 = 1024 * K;
    match bytes {
        0..100_000 => format!("{bytes:>5}"),
        _ if bytes < 10_000 * K => format!("{:>4}k", bytes / K),
        _ if bytes < 100 * M => format!("{:>2}.{}M", bytes / M, bytes % M / (M / 10)),
        _ if bytes < 10_000 * M => format!("{:>4}M", bytes / M),
        _ => format!("{:>4}G", bytes / (1024 * M)),
    }
}
