//! The body of a reply: where it goes, how far it has come, and what is said in the end.

use std::sync::Arc;
use std::time::Duration;

use super::attempt::Attempt;
use super::log::{self, Level};
use super::progress::Dots;
use super::retrieve::{Session, Task};
use super::{address, name, rate, status};
use crate::args::quote;
use crate::fs::{Errno, Follow, OpenFlags, Timestamp};
use crate::kernel::{File, Proc, Stop};
use crate::net::{Failure, Reply};
use crate::program::content_coding::{self, Decoder};
use crate::program::message::message;
use crate::program::{cookies, network};

/// What the head says of the body.
struct Expected {
    /// All bytes of the file, those before this transfer included.
    total: Option<u64>,
    /// The bytes before this transfer.
    before: u64,
    /// Bytes that are sent again, and are there already.
    again: u64,
}

/// Where it goes.
enum Sink {
    Stdout,
    File(Arc<File>),
}

/// How a transfer ended.
#[derive(PartialEq)]
enum End {
    Whole,
    /// The connection closed before all had come.
    Closed,
    TimedOut,
    Broken,
    /// It cannot be written.
    Unwritten(Errno),
}

/// There is nothing left to fetch.
pub(super) async fn complete(session: &Session, proc: &mut Proc) -> Result<Attempt, Stop> {
    let line = "\n    The file is already fully retrieved; nothing to do.\n\n";
    session.log.say(proc, Level::Verbose, line).await?;
    Ok(Attempt::Ended(0))
}

/// Takes the body of a reply.
pub(super) async fn receive(
    session: &mut Session,
    proc: &mut Proc,
    task: &mut Task,
    mut reply: Reply,
) -> Result<Attempt, Stop> {
    let Some(expected) = expected(session, task, &reply) else {
        return Ok(Attempt::Again);
    };
    let whole = expected.total.is_some_and(|total| expected.again >= total);
    if expected.again > 0 && whole && !session.options.timestamping {
        return complete(session, proc).await;
    }
    if !choose_name(session, proc, task, &reply) {
        return Ok(Attempt::Ended(0));
    }
    if is_unchanged(proc, task, &reply, expected.total) {
        let line = message!(
            "Server ignored If-Modified-Since header for file ",
            quote(&task.path),
            ".\nYou might want to add --no-if-modified-since option.\n\n"
        );
        session.log.say(proc, Level::Verbose, line).await?;
        return Ok(Attempt::Ended(0));
    }
    if reply.status == 204 {
        return nothing(session, proc, task).await;
    }
    if reply.status < 400 {
        let line = length_line(session, &expected, &reply);
        session.log.say(proc, Level::Verbose, line).await?;
    }
    if session.options.spider {
        return exists(session, proc, task, &mut reply).await;
    }
    let mut sink = match open(session, proc, task).await {
        Ok(sink) => sink,
        Err(errno) => return unwritten(session, proc, task, errno, true).await,
    };
    let shown = if task.path == b"-" {
        b"STDOUT"
    } else {
        task.path.as_slice()
    };
    let line = message!("Saving to: ", quote(shown), "\n");
    session.log.say(proc, Level::Verbose, line).await?;
    let started = network::now(proc);
    let (end, received, decoded) = copy(session, proc, &mut sink, &expected, &mut reply).await?;
    let elapsed = network::now(proc).saturating_sub(started);
    let transfer = Transfer {
        end,
        length: expected.before + received,
        total: expected.total.filter(|_| !decoded),
        received,
        elapsed,
    };
    finish(session, proc, task, &mut reply, transfer).await
}

/// What came of it.
struct Transfer {
    end: End,
    length: u64,
    total: Option<u64>,
    received: u64,
    elapsed: Duration,
}

/// None when the server sends another part than was asked for.
fn expected(session: &Session, task: &Task, reply: &Reply) -> Option<Expected> {
    let length = network::length(reply).filter(|_| !session.options.ignore_length);
    let asked = task.request.from;
    if reply.status != 206 {
        return Some(Expected {
            total: length,
            before: 0,
            again: asked,
        });
    }
    let range = String::from_utf8_lossy(reply.header("content-range")?).into_owned();
    let first: u64 = range
        .strip_prefix("bytes ")?
        .split('-')
        .next()?
        .trim()
        .parse()
        .ok()?;
    (first == asked).then_some(Expected {
        total: length.map(|length| first.saturating_add(length)),
        before: first,
        again: 0,
    })
}

/// `--content-disposition`: the name that the server gives. False when it is taken and must not be overwritten.
fn choose_name(session: &Session, proc: &Proc, task: &mut Task, reply: &Reply) -> bool {
    if std::mem::replace(&mut task.named, true) {
        return true;
    }
    let options = &session.options;
    if let Some(given) = network::disposition(reply) {
        task.path = name::placed(&given, options);
    }
    if options.no_clobber && name::is_taken(proc, &task.path) {
        return false;
    }
    if !options.resume && !options.timestamping && !options.directories {
        task.path = name::unique(proc, std::mem::take(&mut task.path));
    }
    true
}

/// Whether a server that was asked for a newer file sends the one that is there.
fn is_unchanged(proc: &Proc, task: &Task, reply: &Reply, total: Option<u64>) -> bool {
    let (Some(since), Some(modified)) = (task.request.since, modified(reply)) else {
        return false;
    };
    let size = proc.metadata(&task.path, Follow::Yes).map(|file| file.size).ok();
    size.is_some() && size == total && modified <= since.seconds
}

/// `Last-Modified`, in seconds since the epoch.
fn modified(reply: &Reply) -> Option<i64> {
    cookies::date(&String::from_utf8_lossy(reply.header("last-modified")?))
}

async fn nothing(session: &mut Session, proc: &mut Proc, task: &Task) -> Result<Attempt, Stop> {
    let stamp = log::stamp(proc);
    let line = message!(stamp, " (0.00 B/s) - ", quote(&task.path), " saved [0]\n\n");
    session.log.say(proc, Level::Verbose, line).await?;
    let url = address::shown(&task.request.url);
    let line = message!(
        stamp,
        " URL:",
        url,
        " [0] -> \"",
        task.path,
        "\" [",
        task.count.to_string(),
        "]\n"
    );
    session.log.say(proc, Level::Terse, line).await?;
    Ok(Attempt::Ended(0))
}

fn media_type(reply: &Reply) -> Option<String> {
    let text = String::from_utf8_lossy(reply.header("content-type")?).into_owned();
    Some(text.split(';').next()?.trim().to_owned())
}

fn length_line(session: &Session, expected: &Expected, reply: &Reply) -> String {
    let with_size = |bytes: u64| match bytes {
        0..1024 => bytes.to_string(),
        _ => format!("{bytes} ({})", rate::size(bytes)),
    };
    let length = match expected.total {
        Some(total) if expected.before > 0 => {
            let rest = total.saturating_sub(expected.before);
            format!("{}, {} remaining", with_size(total), with_size(rest))
        }
        Some(total) => with_size(total),
        None if session.options.ignore_length => "ignored".to_owned(),
        None => "unspecified".to_owned(),
    };
    let kind = media_type(reply).map_or(String::new(), |kind| format!(" [{kind}]"));
    format!("Length: {length}{kind}\n")
}

/// `--spider`: that it is there is all that was asked.
async fn exists(session: &Session, proc: &mut Proc, task: &Task, reply: &mut Reply) -> Result<Attempt, Stop> {
    // What says nothing of itself is taken for a page.
    let html = media_type(reply).is_none_or(|kind| kind == "text/html");
    let line = if html {
        "Remote file exists and could contain further links,\nbut recursion is disabled -- not retrieving.\n\n"
    } else {
        "Remote file exists.\n\n"
    };
    session.log.say(proc, Level::Verbose, line).await?;
    let url = address::shown(&task.request.url);
    let line = format!(
        "{} URL: {url} {} {}\n",
        log::stamp(proc),
        reply.status,
        reply.reason
    );
    session.log.say(proc, Level::Terse, line).await?;
    Ok(Attempt::Ended(0))
}

/// Opens what is written to; makes the directories above it.
async fn open(session: &Session, proc: &mut Proc, task: &Task) -> Result<Sink, Errno> {
    if let Some(file) = &session.output {
        return Ok(Sink::File(Arc::clone(file)));
    }
    if task.path == b"-" {
        return Ok(Sink::Stdout);
    }
    if let Some(end) = memchr::memrchr(b'/', &task.path).filter(|end| *end > 0) {
        let directory = task.path.get(..end).unwrap_or_default();
        proc.fs.make_dirs(&proc.view(), directory)?;
    }
    let flags = if task.request.from > 0 && session.options.start_position.is_none() {
        OpenFlags::APPEND
    } else {
        OpenFlags::CREATE
    };
    Ok(Sink::File(proc.open(&task.path, flags).await?))
}

async fn unwritten(
    session: &Session,
    proc: &mut Proc,
    task: &Task,
    errno: Errno,
    opening: bool,
) -> Result<Attempt, Stop> {
    if opening {
        let line = message!(task.path, ": ", errno.message(), "\n");
        session.log.say(proc, Level::NotQuiet, line).await?;
    }
    session.log.say(proc, Level::Verbose, "\n").await?;
    let line = message!(
        "Cannot write to ",
        quote(&task.path),
        " (",
        errno.message(),
        ").\n"
    );
    session.log.say(proc, Level::NotQuiet, line).await?;
    Ok(Attempt::Ended(status::FILE))
}

impl Sink {
    async fn write(&mut self, proc: &mut Proc, data: &[u8]) -> Result<Result<(), Errno>, Stop> {
        let written = match self {
            Sink::Stdout => {
                proc.write(data).await?;
                proc.try_flush().await?
            }
            Sink::File(file) => file.write_all(data).await,
        };
        match proc.kernel.meter().halted() {
            Some(halt) => Err(Stop::Halt(halt)),
            None => Ok(written),
        }
    }
}

/// Takes the pieces: how it ended, how many bytes came, and whether a coding was undone.
async fn copy(
    session: &Session,
    proc: &mut Proc,
    sink: &mut Sink,
    expected: &Expected,
    reply: &mut Reply,
) -> Result<(End, u64, bool), Stop> {
    let options = Arc::clone(&session.options);
    if options.save_headers
        && let Err(errno) = sink.write(proc, &head(reply)).await?
    {
        return Ok((End::Unwritten(errno), 0, false));
    }
    let coding = reply.header("content-encoding").filter(|_| options.compression);
    let mut decoder = coding.and_then(Decoder::named);
    let (mut dots, text) = Dots::start(options.progress, expected.before, expected.total);
    session.log.say(proc, Level::Progress, text).await?;
    let started = network::now(proc);
    let (mut received, mut written) = (0_u64, 0_u64);
    let end = loop {
        let piece = match network::piece(proc, reply).await? {
            Ok(piece) if piece.is_empty() => break End::Whole,
            Ok(piece) => piece,
            Err(failure) => break end_of(&failure, expected),
        };
        let skipped = expected.again.saturating_sub(received).min(piece.len() as u64) as usize;
        let fresh = piece.get(skipped..).unwrap_or_default();
        received += piece.len() as u64;
        match put(proc, sink, decoder.as_mut(), fresh).await? {
            Ok(count) => written += count,
            Err(end) => break end,
        }
        let elapsed = network::now(proc).saturating_sub(started);
        let text = dots.add(piece.len() as u64, elapsed);
        session.log.say(proc, Level::Progress, text).await?;
    };
    let text = dots.end(network::now(proc).saturating_sub(started));
    session.log.say(proc, Level::Progress, text).await?;
    let decoded = decoder.is_some();
    Ok((end, if decoded { written } else { received }, decoded))
}

/// Writes a piece, decoded where it is coded; the number of bytes.
async fn put(
    proc: &mut Proc,
    sink: &mut Sink,
    decoder: Option<&mut Decoder>,
    piece: &[u8],
) -> Result<Result<u64, End>, Stop> {
    let Some(decoder) = decoder else {
        let written = sink.write(proc, piece).await?;
        return Ok(written.map(|()| piece.len() as u64).map_err(End::Unwritten));
    };
    let mut count = 0;
    for step in piece.chunks(content_coding::STEP) {
        let Ok(data) = decoder.decode(step) else {
            return Ok(Err(End::Broken));
        };
        proc.kernel.meter().charge_bytes(data.len())?;
        if let Err(errno) = sink.write(proc, &data).await? {
            return Ok(Err(End::Unwritten(errno)));
        }
        count += data.len() as u64;
    }
    Ok(Ok(count))
}

fn end_of(failure: &Failure, expected: &Expected) -> End {
    match failure {
        Failure::Timeout => End::TimedOut,
        _ if expected.total.is_some() => End::Closed,
        _ => End::Broken,
    }
}

fn head(reply: &Reply) -> Vec<u8> {
    let mut text = format!("HTTP/{} {} {}\r\n", reply.version, reply.status, reply.reason).into_bytes();
    for (name, value) in &reply.headers {
        text.extend(message!(name, ": ", value, "\r\n"));
    }
    text.extend(b"\r\n");
    text
}

/// Says how it went.
async fn finish(
    session: &mut Session,
    proc: &mut Proc,
    task: &mut Task,
    reply: &mut Reply,
    transfer: Transfer,
) -> Result<Attempt, Stop> {
    if let End::Unwritten(errno) = transfer.end {
        return unwritten(session, proc, task, errno, false).await;
    }
    set_time(session, proc, task, reply).await?;
    let whole = match transfer.total {
        Some(total) => transfer.end == End::Whole && transfer.length >= total,
        None => transfer.end == End::Whole,
    };
    if reply.status >= 400 {
        return Ok(Attempt::Ended(status::SERVER));
    }
    if whole {
        return saved(session, proc, task, &transfer).await;
    }
    let (stamp, rate) = (log::stamp(proc), rate::long(transfer.received, transfer.elapsed));
    let at = transfer.length;
    let of = transfer.total.map_or(String::new(), |total| format!("/{total}"));
    let why = match transfer.end {
        End::TimedOut => format!("Read error at byte {at}{of} (Connection timed out). "),
        End::Broken => format!("Read error at byte {at}{of} (Connection reset by peer). "),
        _ => format!("Connection closed at byte {at}. "),
    };
    let line = format!("{stamp} ({rate}) - {why}");
    session.log.say(proc, Level::Verbose, line).await?;
    session.open = None;
    task.request.from = transfer.length;
    task.request.since = None;
    Ok(Attempt::Again)
}

/// The file gets the time that the server gives it.
async fn set_time(session: &Session, proc: &mut Proc, task: &Task, reply: &mut Reply) -> Result<(), Stop> {
    let options = &session.options;
    match modified(reply) {
        Some(seconds) if options.server_times && task.path != b"-" => {
            let time = Timestamp { seconds, nanos: 0 };
            // A file that takes no time keeps its own, as in wget.
            let _ = proc.set_times(&task.path, Some(time), Some(time), Follow::Yes);
            Ok(())
        }
        None if options.timestamping && options.output.is_none() => {
            let line = "Last-modified header missing -- time-stamps turned off.\n";
            session.log.say(proc, Level::NotQuiet, line).await
        }
        _ => Ok(()),
    }
}

async fn saved(
    session: &mut Session,
    proc: &mut Proc,
    task: &Task,
    transfer: &Transfer,
) -> Result<Attempt, Stop> {
    let (stamp, rate) = (log::stamp(proc), rate::long(transfer.received, transfer.elapsed));
    let lengths = match transfer.total {
        Some(total) => format!("[{}/{total}]", transfer.length),
        None => format!("[{}]", transfer.length),
    };
    let line = if task.path == b"-" {
        message!(stamp, " (", rate, ") - written to stdout ", lengths, "\n\n")
    } else {
        message!(
            stamp,
            " (",
            rate,
            ") - ",
            quote(&task.path),
            " saved ",
            lengths,
            "\n\n"
        )
    };
    session.log.say(proc, Level::Verbose, line).await?;
    let url = address::shown(&task.request.url);
    let count = task.count.to_string();
    let line = message!(
        stamp, " URL:", url, " ", lengths, " -> \"", task.path, "\" [", count, "]\n"
    );
    session.log.say(proc, Level::Terse, line).await?;
    session.files += 1;
    session.bytes += transfer.received;
    session.spent += transfer.elapsed;
    Ok(Attempt::Ended(0))
}
