//! The body of a reply.

use super::Trouble;
use super::options::{Options, Resume};
use super::output::Sink;
use super::transfer::trouble;
use super::verbose;
use super::write_out::Report;
use crate::kernel::{Proc, Stop};
use crate::net::{Reply, Url};
use crate::program::content_coding::{self, Decoder};
use crate::program::network;

/// Takes the body of the last reply, unless its status makes it a failure.
pub(super) async fn body(
    proc: &mut Proc,
    options: &Options,
    url: &Url,
    method: &str,
    reply: &mut Reply,
    sink: &mut Sink,
    report: &mut Report,
) -> Result<Result<(), Trouble>, Stop> {
    let status = reply.status;
    let refused =
        (status >= 400).then(|| Trouble::new(22, format!("The requested URL returned error: {status}")));
    if options.fail
        && let Some(trouble) = refused
    {
        return Ok(Err(trouble));
    }
    if method != "HEAD" {
        // All of it is there.
        if options.resume.is_some() && status == 416 {
            return Ok(Ok(()));
        }
        if let Some(trouble) = unwanted(options, reply, report) {
            return Ok(Err(trouble));
        }
        if !sink.rename(proc, options, reply) {
            return Ok(Err(Trouble::new(23, "Failed writing header")));
        }
        if let Some(path) = sink.path() {
            report.output = String::from_utf8_lossy(path).into_owned();
        }
        if let Err(trouble) = copy(proc, options, url, reply, sink, report).await? {
            return Ok(Err(trouble));
        }
    }
    // A file is made even when nothing came.
    if report.received == 0
        && let Err(trouble) = sink.write(proc, options, b"").await?
    {
        return Ok(Err(trouble));
    }
    Ok(match refused {
        Some(trouble) if options.fail_with_body => Err(trouble),
        _ => Ok(()),
    })
}

/// What makes a body one that is not taken.
fn unwanted(options: &Options, reply: &Reply, report: &Report) -> Option<Trouble> {
    let resumed = match options.resume {
        Some(Resume::At(from)) => from,
        Some(Resume::End) => report.resumed,
        None => 0,
    };
    if resumed > 0 && reply.status == 200 {
        let message = "HTTP server doesn't seem to support byte ranges. Cannot resume.";
        return Some(Trouble::new(33, message));
    }
    let length = network::length(reply);
    if let (Some(most), Some(length)) = (options.max_bytes, length)
        && length > most
    {
        return Some(Trouble::new(63, "Maximum file size exceeded"));
    }
    None
}

async fn copy(
    proc: &mut Proc,
    options: &Options,
    url: &Url,
    reply: &mut Reply,
    sink: &mut Sink,
    report: &mut Report,
) -> Result<Result<(), Trouble>, Stop> {
    let length = network::length(reply);
    let coding = reply.header("content-encoding").filter(|_| options.compressed);
    let coding = coding.filter(|coding| !coding.is_empty() && !coding.eq_ignore_ascii_case(b"identity"));
    let mut decoder = coding.and_then(Decoder::named);
    if coding.is_some() && decoder.is_none() {
        let message =
            "Unrecognized content encoding type. libcurl understands deflate, gzip content encodings.";
        return Ok(Err(Trouble::new(61, message)));
    }
    loop {
        let piece = match network::piece(proc, reply).await? {
            Ok(piece) => piece,
            Err(failure) => return Ok(Err(trouble(failure, url, options, report, length))),
        };
        if piece.is_empty() {
            return Ok(Ok(()));
        }
        if report.received == 0 {
            let line = format!("{{ [{} bytes data]\n", piece.len());
            verbose::say(proc, options, &line).await?;
        }
        report.received += piece.len() as u64;
        let written = match &mut decoder {
            None => sink.write(proc, options, &piece).await?,
            Some(decoder) => decoded(proc, options, decoder, &piece, sink).await?,
        };
        if let Err(trouble) = written {
            return Ok(Err(trouble));
        }
    }
}

/// Writes what a piece stands for.
async fn decoded(
    proc: &mut Proc,
    options: &Options,
    decoder: &mut Decoder,
    piece: &[u8],
    sink: &mut Sink,
) -> Result<Result<(), Trouble>, Stop> {
    for step in piece.chunks(content_coding::STEP) {
        let Ok(data) = decoder.decode(step) else {
            let message = "Error while processing content unencoding: incorrect header check";
            return Ok(Err(Trouble::new(61, message)));
        };
        proc.kernel.meter().charge_bytes(data.len())?;
        if let Err(trouble) = sink.write(proc, options, &data).await? {
            return Ok(Err(trouble));
        }
    }
    Ok(Ok(()))
}
