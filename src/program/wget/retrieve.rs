//! All URLs one after the other; each with its redirections and its tries.

use std::sync::Arc;
use std::time::Duration;

use super::address;
use super::attempt::{self, Attempt};
use super::log::{self, Level, Log};
use super::name;
use super::options::Options;
use super::rate;
use super::request::Request;
use super::status;
use crate::args::quote;
use crate::kernel::{File, Input, Proc, Stop};
use crate::net::Url;
use crate::program::cookies::Jar;
use crate::program::message::message;
use crate::program::network;

/// What lasts from one URL to the next.
pub(super) struct Session {
    pub(super) options: Arc<Options>,
    pub(super) log: Log,
    /// The file of `-O`.
    pub(super) output: Option<Arc<File>>,
    pub(super) jar: Jar,
    /// The origin of a connection that would still be open.
    pub(super) open: Option<Url>,
    /// Origins that have asked for a name and got it.
    pub(super) known: Vec<Url>,
    pub(super) files: u64,
    pub(super) bytes: u64,
    pub(super) spent: Duration,
    pub(super) status: i32,
    started: (Duration, Duration),
}

/// A file on its way.
pub(super) struct Task {
    pub(super) request: Request,
    /// The local file, or `-`.
    pub(super) path: Vec<u8>,
    /// The number of the try.
    pub(super) count: u64,
    /// The path is final: neither a header nor a redirection changes it.
    pub(super) named: bool,
}

/// How a URL ended.
enum Fetched {
    Status(i32),
    Redirected(u16, String),
}

impl Session {
    pub(super) fn new(
        proc: &Proc,
        options: Options,
        log: Log,
        output: Option<Arc<File>>,
        jar: Jar,
    ) -> Session {
        Session {
            options: Arc::new(options),
            log,
            output,
            jar,
            open: None,
            known: Vec::new(),
            files: 0,
            bytes: 0,
            spent: Duration::ZERO,
            status: 0,
            started: now(proc),
        }
    }

    /// Fetches everything, and sums up.
    pub(super) async fn all(&mut self, proc: &mut Proc) -> Result<(), Stop> {
        let options = Arc::clone(&self.options);
        let mut first = true;
        for text in &options.urls {
            match address::parse(text) {
                Ok(url) => self.next(proc, url, &mut first).await?,
                Err(reason) => {
                    let line = message!(
                        text,
                        if text.is_empty() { "http://" } else { "" },
                        ": ",
                        reason,
                        ".\n"
                    );
                    self.log.say(proc, Level::NotQuiet, line).await?;
                    self.fail(status::GENERIC);
                }
            }
        }
        if let Some(path) = &options.input_file {
            for url in self.listed(proc, path).await? {
                self.next(proc, url, &mut first).await?;
            }
        }
        if (options.urls.len() > 1 || options.input_file.is_some()) && self.bytes > 0 {
            self.sum_up(proc).await?;
        }
        Ok(())
    }

    /// Of several failures, the one with the smallest number counts; what has no number of its own counts least.
    fn fail(&mut self, status: i32) {
        let weak = matches!(self.status, 0 | status::GENERIC);
        if status != 0 && (weak || (status < self.status && status != status::GENERIC)) {
            self.status = status;
        }
    }

    async fn next(&mut self, proc: &mut Proc, url: Url, first: &mut bool) -> Result<(), Stop> {
        if !std::mem::take(first) && !self.options.wait.is_zero() {
            proc.sleep(self.options.wait).await;
        }
        let status = self.visit(proc, url).await?;
        self.fail(status);
        Ok(())
    }

    /// The URLs in the file of `-i`, one a line.
    async fn listed(&mut self, proc: &mut Proc, path: &[u8]) -> Result<Vec<Url>, Stop> {
        let mut lease = proc.kernel.lease();
        let text = match proc.open_operand(path).await {
            Ok(file) => Input::new(file).rest(&mut lease).await,
            Err(errno) => Err(errno),
        };
        if let Some(halt) = proc.kernel.meter().halted() {
            return Err(Stop::Halt(halt));
        }
        let text = match text {
            Ok(text) => text,
            Err(errno) => {
                let line = message!(path, ": ", errno.message(), "\n");
                self.log.say(proc, Level::NotQuiet, line).await?;
                Vec::new()
            }
        };
        let mut urls = Vec::new();
        for line in text.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii) {
            if line.is_empty() {
                continue;
            }
            match address::parse(line) {
                Ok(url) => urls.push(url),
                Err(reason) => {
                    let full = if memchr::memmem::find(line, b"://").is_some() {
                        ""
                    } else {
                        "http://"
                    };
                    let line = message!(path, ": Invalid URL ", full, line, ": ", reason, "\n");
                    self.log.say(proc, Level::NotQuiet, line).await?;
                }
            }
        }
        if urls.is_empty() {
            let line = message!("No URLs found in ", path, ".\n");
            self.log.say(proc, Level::NotQuiet, line).await?;
        }
        Ok(urls)
    }

    async fn sum_up(&mut self, proc: &mut Proc) -> Result<(), Stop> {
        let (kernel, network) = now(proc);
        let wall = (kernel.saturating_sub(self.started.0)).max(network.saturating_sub(self.started.1));
        let mut text = format!(
            "FINISHED --{}--\nTotal wall clock time: {}\n",
            log::stamp(proc),
            rate::span(wall)
        );
        text.push_str(&format!(
            "Downloaded: {} files, {} in {} ({})\n",
            self.files,
            rate::size(self.bytes),
            rate::span(self.spent),
            rate::long(self.bytes, self.spent)
        ));
        self.log.say(proc, Level::NotQuiet, text).await
    }

    /// Fetches a URL, wherever it leads; gives the exit status.
    async fn visit(&mut self, proc: &mut Proc, first: Url) -> Result<i32, Stop> {
        let options = Arc::clone(&self.options);
        let origin = first.clone();
        let mut request = match self.request(proc, first).await? {
            Ok(request) => request,
            Err(status) => return Ok(status),
        };
        let mut named_by = request.url.clone();
        let mut left = options.max_redirects;
        loop {
            if options.trust_names {
                named_by = request.url.clone();
            }
            let (code, location) = match self.tries(proc, &request, &named_by).await? {
                Fetched::Status(status) => return Ok(status),
                Fetched::Redirected(code, location) => (code, location),
            };
            let next = match request.url.join(&address::encoded(location.as_bytes())) {
                Ok(next) => next,
                Err(error) => {
                    let line = format!("{location}: {}.\n", address::sentence(error));
                    self.log.say(proc, Level::NotQuiet, line).await?;
                    return Ok(status::GENERIC);
                }
            };
            if left == 0 {
                let line = format!("{} redirections exceeded.\n", options.max_redirects);
                self.log.say(proc, Level::NotQuiet, line).await?;
                return Ok(status::SERVER);
            }
            left -= 1;
            proc.charge(100)?;
            redirect(&mut request, next, code, &origin);
        }
    }

    /// The first request for a URL, with its body.
    async fn request(&mut self, proc: &mut Proc, url: Url) -> Result<Result<Request, i32>, Stop> {
        let options = Arc::clone(&self.options);
        let (data, path) = match &options.method {
            Some(_) => (&options.body_data, &options.body_file),
            None => (&options.post_data, &options.post_file),
        };
        let method = match &options.method {
            Some(method) => method.clone(),
            None if data.is_some() || path.is_some() => "POST".to_owned(),
            None if options.spider => "HEAD".to_owned(),
            None => "GET".to_owned(),
        };
        let body = match path {
            None => data.clone(),
            Some(path) => match self.file(proc, path, &url).await? {
                Some(body) => Some(body),
                None => return Ok(Err(status::FILE)),
            },
        };
        Ok(Ok(Request {
            url,
            method,
            body,
            trusted: true,
            authorized: !options.challenge,
            from: 0,
            since: None,
        }))
    }

    async fn file(&mut self, proc: &mut Proc, path: &[u8], url: &Url) -> Result<Option<Vec<u8>>, Stop> {
        let mut lease = proc.kernel.lease();
        let read = match proc.open(path, crate::fs::OpenFlags::READ).await {
            Ok(file) => Input::new(file).rest(&mut lease).await,
            Err(errno) => Err(errno),
        };
        if let Some(halt) = proc.kernel.meter().halted() {
            return Err(Stop::Halt(halt));
        }
        match read {
            Ok(bytes) => Ok(Some(bytes)),
            Err(errno) => {
                let line = format!("--{}--  {}\n", log::stamp(proc), address::shown(url));
                self.log.say(proc, Level::Verbose, line).await?;
                let line = message!(
                    "BODY data file ",
                    quote(path),
                    " missing: ",
                    errno.message(),
                    "\n"
                );
                self.log.say(proc, Level::NotQuiet, line).await?;
                Ok(None)
            }
        }
    }

    /// The local file for a URL; none when it is there already.
    async fn local(&mut self, proc: &mut Proc, url: &Url) -> Result<Option<Vec<u8>>, Stop> {
        let options = Arc::clone(&self.options);
        if let Some(path) = &options.output {
            return Ok(Some(path.clone()));
        }
        let name = name::of(url, &options);
        if let Some(length) = name.cut_from {
            let line = format!("The destination name is too long ({length}), reducing to 236\n");
            self.log.say(proc, Level::NotQuiet, line).await?;
        }
        if options.content_disposition || options.resume || options.timestamping || options.spider {
            return Ok(Some(name.path));
        }
        if options.no_clobber && name::is_taken(proc, &name.path) {
            let line = message!("File ", quote(&name.path), " already there; not retrieving.\n\n");
            self.log.say(proc, Level::Verbose, line).await?;
            return Ok(None);
        }
        if options.directories {
            return Ok(Some(name.path));
        }
        Ok(Some(name::unique(proc, name.path)))
    }

    /// Asks until there is an answer, or too often.
    async fn tries(&mut self, proc: &mut Proc, request: &Request, named_by: &Url) -> Result<Fetched, Stop> {
        let options = Arc::clone(&self.options);
        let Some(path) = self.local(proc, named_by).await? else {
            return Ok(Fetched::Status(0));
        };
        let mut task = Task {
            request: request.clone(),
            path,
            count: 0,
            named: options.output.is_some() || !options.content_disposition,
        };
        self.start_position(proc, &mut task);
        loop {
            task.count += 1;
            if task.count > 1 {
                let wait = Duration::from_secs(task.count - 1).min(options.wait_retry);
                proc.sleep(wait).await;
            }
            self.announce(proc, &task).await?;
            match attempt::once(self, proc, &mut task).await? {
                Attempt::Ended(status) => return Ok(Fetched::Status(status)),
                Attempt::Redirected(code, location) => return Ok(Fetched::Redirected(code, location)),
                Attempt::Again => {}
            }
            let last = options.tries.is_some_and(|tries| task.count >= tries);
            let line = if last { "Giving up.\n\n" } else { "Retrying.\n\n" };
            self.log.say(proc, Level::Verbose, line).await?;
            if last {
                return Ok(Fetched::Status(status::NETWORK));
            }
        }
    }

    /// Where a first try begins, and from when a file must be to be fetched.
    fn start_position(&self, proc: &Proc, task: &mut Task) {
        let options = &self.options;
        let there = match &self.output {
            Some(file) => file.metadata().ok(),
            None => proc.metadata(&task.path, crate::fs::Follow::Yes).ok(),
        };
        if let Some(position) = options.start_position {
            task.request.from = position;
        } else if options.resume && task.path != b"-" {
            task.request.from = there.as_ref().map_or(0, |file| file.size);
        }
        if options.timestamping && options.if_modified_since && options.output.is_none() {
            task.request.since = there.map(|file| file.mtime);
        }
    }

    async fn announce(&mut self, proc: &mut Proc, task: &Task) -> Result<(), Stop> {
        if self.options.spider {
            let line = "Spider mode enabled. Check if remote file exists.\n";
            self.log.say(proc, Level::Verbose, line).await?;
        }
        let again = match task.count {
            1 => String::new(),
            count => format!("(try:{count:>2})  "),
        };
        let line = format!(
            "--{}--  {again}{}\n",
            log::stamp(proc),
            address::shown(&task.request.url)
        );
        self.log.say(proc, Level::Verbose, line).await
    }
}

/// The next request: a POST becomes a GET where browsers do so, and secrets stay behind when the host is another.
fn redirect(request: &mut Request, next: Url, code: u16, origin: &Url) {
    let becomes_get = match code {
        303 => request.method != "HEAD",
        301 | 302 => request.method == "POST",
        _ => false,
    };
    if becomes_get {
        "GET".clone_into(&mut request.method);
        request.body = None;
    }
    request.trusted = next.same_origin(origin);
    request.authorized &= request.trusted;
    request.url = Url {
        credentials: next.credentials.clone(),
        ..next
    };
}

/// The time of the shell, and that of the network.
fn now(proc: &Proc) -> (Duration, Duration) {
    let now = proc.kernel.now();
    let seconds = Duration::new(now.seconds.max(0) as u64, now.nanos);
    (seconds, network::now(proc))
}
