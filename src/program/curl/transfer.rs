//! One transfer: requests, redirections, another try, and what is said when it fails.

use std::time::Duration;

use super::cookies::Jar;
use super::options::Options;
use super::output::{Meter, Sink, save};
use super::request::{self, Content, Trust};
use super::write_out::{Report, render};
use super::{Trouble, warn};
use crate::kernel::{Proc, Stop};
use crate::net::{Exchange, Failure, Host, Reply, Url, UrlError};

/// Redirections that are followed, unless said otherwise.
const REDIRECTS: i64 = 50;

/// The longest wait before another try.
const LONGEST_WAIT: Duration = Duration::from_secs(600);

/// Fetches one URL; gives the exit status.
pub(super) async fn run(
    proc: &mut Proc,
    options: &Options,
    content: &Content,
    jar: &mut Jar,
    index: usize,
) -> Result<i32, Stop> {
    let given = String::from_utf8_lossy(options.urls.get(index).map(Vec::as_slice).unwrap_or_default());
    let mut report = Report {
        given_url: given.clone().into_owned(),
        url: given.into_owned(),
        ..Report::default()
    };
    let mut wait = options.retry_delay.unwrap_or(Duration::from_secs(1));
    let mut left = options.retry;
    let ended = loop {
        let ended = attempt(proc, options, content, jar, index, &mut report).await?;
        let reason = retry_reason(options, &ended, report.status);
        let Some(reason) = reason.filter(|_| left > 0) else {
            break ended;
        };
        let seconds = wait.as_secs();
        let unit = if seconds == 1 { "second" } else { "seconds" };
        let tries = if left == 1 {
            "1 retry".to_owned()
        } else {
            format!("{left} retries")
        };
        let warning = format!("Problem: {reason}. Will retry in {seconds} {unit}. {tries} left.");
        warn(proc, options, &warning).await?;
        proc.sleep(wait).await;
        left -= 1;
        if options.retry_delay.is_none() {
            wait = (wait * 2).min(LONGEST_WAIT);
        }
    };
    finish(proc, options, ended, report).await
}

/// Says what failed, and what `-w` wants to know.
async fn finish(
    proc: &mut Proc,
    options: &Options,
    ended: Result<(), Trouble>,
    mut report: Report,
) -> Result<i32, Stop> {
    if let Err(trouble) = &ended {
        report.exit = trouble.code;
        report.message.clone_from(&trouble.message);
        trouble.say(proc, options).await?;
    }
    if let Some(format) = &options.write_out {
        let format = match format.strip_prefix(b"@") {
            Some(path) => request::read(proc, path).await?.unwrap_or_default(),
            None => format.clone(),
        };
        let (text, unknown) = render(&format, &report);
        proc.write(&text).await?;
        for name in unknown {
            proc.flush().await?;
            proc.write_error(format!("curl: unknown --write-out variable: '{name}'\n").as_bytes())
                .await?;
        }
    }
    proc.flush().await?;
    Ok(report.exit)
}

/// Why another try is worth it.
fn retry_reason(options: &Options, ended: &Result<(), Trouble>, status: u16) -> Option<&'static str> {
    match ended {
        Err(trouble) if trouble.code == 28 => Some("timeout"),
        Err(trouble) if trouble.code == 7 && options.retry_connection_refused => Some("connection refused"),
        _ if matches!(status, 408 | 429 | 500 | 502 | 503 | 504) => Some("HTTP error"),
        Err(_) if options.retry_all_errors => Some("(retrying all errors)"),
        _ => None,
    }
}

/// What changes from one redirection to the next.
struct Step {
    url: Url,
    method: String,
    content: Content,
    trust: Trust,
}

async fn attempt(
    proc: &mut Proc,
    options: &Options,
    content: &Content,
    jar: &mut Jar,
    index: usize,
    report: &mut Report,
) -> Result<Result<(), Trouble>, Stop> {
    report.method = method(options, content);
    if let Some(trouble) = sequence(&report.given_url).filter(|_| !options.literal_urls) {
        return Ok(Err(trouble));
    }
    let first = parse(&report.given_url, content).and_then(|url| Ok((Sink::of(options, index, &url)?, url)));
    let (mut sink, url) = match first {
        Ok(first) => first,
        Err(trouble) => return Ok(Err(trouble)),
    };
    if let Sink::File { path, .. } = &sink {
        report.output = String::from_utf8_lossy(path).into_owned();
    }
    let meter = Meter::start(proc, options).await?;
    (report.received, report.redirects, report.status, report.sent) = (0, 0, 0, 0);
    let step = Step {
        method: method(options, content),
        content: content.clone(),
        trust: Trust::Same,
        url,
    };
    let ended = follow(proc, options, step, jar, &mut sink, report).await?;
    meter.end(proc, report.received, report.sent).await?;
    Ok(ended)
}

/// Requests, until one is answered by more than a redirection.
async fn follow(
    proc: &mut Proc,
    options: &Options,
    mut step: Step,
    jar: &mut Jar,
    sink: &mut Sink,
    report: &mut Report,
) -> Result<Result<(), Trouble>, Stop> {
    let origin = step.url.clone();
    loop {
        let now = proc.kernel.now().seconds;
        let exchange = request::exchange(
            options,
            &step.content,
            &step.method,
            &step.url,
            jar,
            step.trust,
            now,
        );
        if let crate::net::Body::Bytes(body) = &exchange.body {
            report.sent = body.len() as u64;
        }
        let mut reply = match send(proc, exchange).await {
            Ok(reply) => reply,
            Err(failure) => return Ok(Err(trouble(failure, &step.url, options, report, None))),
        };
        note(report, &step, &reply);
        if jar.active {
            jar.take(&step.url, &reply, now);
        }
        if let Err(trouble) = show_head(proc, options, &head(&reply), sink, report).await? {
            return Ok(Err(trouble));
        }
        let location = reply
            .header("location")
            .filter(|_| (300..400).contains(&reply.status));
        let Some(location) = location.map(|text| String::from_utf8_lossy(text).into_owned()) else {
            return body(proc, options, &step, &mut reply, sink, report).await;
        };
        let next = step.url.join(&location);
        if !options.location {
            report.redirect_url = next.map(|url| url.to_string()).unwrap_or_default();
            return body(proc, options, &step, &mut reply, sink, report).await;
        }
        let most = options.max_redirects.unwrap_or(REDIRECTS);
        if most >= 0 && i64::from(report.redirects) >= most {
            return Ok(Err(Trouble::new(
                47,
                format!("Maximum ({most}) redirects followed"),
            )));
        }
        report.redirects += 1;
        let next = match next {
            Ok(next) => next,
            Err(error) => return Ok(Err(url_trouble(error))),
        };
        proc.charge(100)?;
        redirect(options, &mut step, next, reply.status, &origin);
    }
}

/// Without a network no name is known, and no address answers.
async fn send(proc: &Proc, exchange: Exchange) -> Result<Reply, Failure> {
    match proc.kernel.network().cloned() {
        Some(network) => proc.kernel.host_call(network.exchange(exchange)).await,
        None if matches!(exchange.url.host, Host::Address(_)) => Err(Failure::Connect),
        None => Err(Failure::Resolve),
    }
}

/// The next request: a POST becomes a GET where browsers do so, and secrets stay behind when the host is another.
fn redirect(options: &Options, step: &mut Step, next: Url, status: u16, origin: &Url) {
    let becomes_get = match status {
        303 => step.method != "HEAD",
        301 | 302 => step.method == "POST",
        _ => false,
    };
    if becomes_get {
        step.content = Content::default();
        if options.method.is_none() {
            "GET".clone_into(&mut step.method);
        }
    }
    let same = next.same_origin(origin) || options.location_trusted;
    step.trust = if same { Trust::Same } else { Trust::Other };
    step.url = Url {
        // What the first URL said of the user goes along with the rest.
        credentials: next
            .credentials
            .clone()
            .or_else(|| origin.credentials.clone().filter(|_| same)),
        ..next
    };
}

fn method(options: &Options, content: &Content) -> String {
    match &options.method {
        Some(method) => String::from_utf8_lossy(method).into_owned(),
        None if options.head => "HEAD".to_owned(),
        None if content.upload => "PUT".to_owned(),
        None if content.body.is_some() => "POST".to_owned(),
        None => "GET".to_owned(),
    }
}

fn parse(text: &str, content: &Content) -> Result<Url, Trouble> {
    let mut url = Url::parse(text).map_err(url_trouble)?;
    if !content.query.is_empty() {
        let mark = if url.target.contains('?') { '&' } else { '?' };
        url.target = format!(
            "{}{mark}{}",
            url.target,
            String::from_utf8_lossy(&content.query).replace(' ', "%20")
        );
    }
    Ok(url)
}

/// curl makes several URLs of `{a,b}` and `[1-9]`. That is not supported, and a URL is never fetched as it was not meant. An address of IPv6 is none.
fn sequence(text: &str) -> Option<Trouble> {
    let at = text.find(['{', '}', '[', ']'])?;
    let rest = text.get(at..)?;
    let address = rest.strip_prefix('[').and_then(|rest| rest.split_once(']'));
    let is_address =
        |(address, _): (&str, &str)| crate::net::parse_address(address).is_some_and(|found| found.is_ipv6());
    if let Some((_, after)) = address.filter(|address| is_address(*address)) {
        return sequence(after);
    }
    let position = text.get(..at)?.chars().count() + 2;
    let reason = if rest.starts_with('[') {
        "bad range specification"
    } else {
        "unmatched brace"
    };
    let caret = " ".repeat(position - 1);
    Some(Trouble::new(
        3,
        format!("{reason} in URL position {position}:\n{text}\n{caret}^"),
    ))
}

fn url_trouble(error: UrlError) -> Trouble {
    match error {
        UrlError::Scheme(name) => Trouble::new(
            1,
            format!("Protocol \"{name}\" not supported or disabled in libcurl"),
        ),
        UrlError::Port => Trouble::new(3, "URL using bad/illegal format or missing URL"),
        UrlError::Host => Trouble::new(3, "URL using bad/illegal format or missing URL"),
        UrlError::Malformed => Trouble::new(3, "URL using bad/illegal format or missing URL"),
    }
}

fn note(report: &mut Report, step: &Step, reply: &Reply) {
    report.status = reply.status;
    report.version = reply.version;
    report.url = step.url.to_string();
    report.scheme = step.url.scheme.name();
    report.method.clone_from(&step.method);
    report.remote = Some(reply.address);
    report.connects += 1;
    report.content_type = reply
        .header("content-type")
        .map(|text| String::from_utf8_lossy(text).into_owned())
        .unwrap_or_default();
}

/// The head of a reply, as it came.
fn head(reply: &Reply) -> Vec<u8> {
    let mut text = format!("HTTP/{} {}", reply.version, reply.status).into_bytes();
    if !reply.reason.is_empty() || reply.version.starts_with('1') {
        text.extend([b" ", reply.reason.as_bytes()].concat());
    }
    text.extend(b"\r\n");
    for (name, value) in &reply.headers {
        text.extend([name.as_bytes(), b": ", value, b"\r\n"].concat());
    }
    text.extend(b"\r\n");
    text
}

/// Shows the head of a reply where it is wanted.
async fn show_head(
    proc: &mut Proc,
    options: &Options,
    head: &[u8],
    sink: &mut Sink,
    report: &mut Report,
) -> Result<Result<(), Trouble>, Stop> {
    report.header_bytes += head.len() as u64;
    if let Some(path) = &options.dump_header {
        save(proc, path, head).await?;
    }
    if options.include || options.head {
        return sink.write(proc, options, head).await;
    }
    Ok(Ok(()))
}

/// The body of the last reply, unless its status makes it a failure.
async fn body(
    proc: &mut Proc,
    options: &Options,
    step: &Step,
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
    if step.method != "HEAD" {
        let coding = reply.header("content-encoding").map(<[u8]>::to_ascii_lowercase);
        if options.compressed && coding.is_some_and(|coding| coding != b"identity") {
            let message =
                "Unrecognized content encoding type. libcurl understands identity content encodings.";
            return Ok(Err(Trouble::new(61, message)));
        }
        if let Err(trouble) = copy(proc, options, &step.url, reply, sink, report).await? {
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

async fn copy(
    proc: &mut Proc,
    options: &Options,
    url: &Url,
    reply: &mut Reply,
    sink: &mut Sink,
    report: &mut Report,
) -> Result<Result<(), Trouble>, Stop> {
    let length = reply
        .header("content-length")
        .and_then(|text| std::str::from_utf8(text).ok()?.trim().parse().ok());
    loop {
        let kernel = proc.kernel.clone();
        let piece = match kernel.host_call(reply.body.next()).await {
            Ok(piece) => piece,
            Err(failure) => return Ok(Err(trouble(failure, url, options, report, length))),
        };
        if piece.is_empty() {
            return Ok(Ok(()));
        }
        kernel.meter().charge_bytes(piece.len())?;
        report.received += piece.len() as u64;
        if let Err(trouble) = sink.write(proc, options, &piece).await? {
            return Ok(Err(trouble));
        }
    }
}

/// What curl says when there is no reply, or no more of it.
fn trouble(failure: Failure, url: &Url, options: &Options, report: &Report, length: Option<u64>) -> Trouble {
    let received = report.received;
    match failure {
        Failure::Resolve => Trouble::new(6, format!("Could not resolve host: {}", url.host)),
        Failure::Connect => Trouble::new(
            7,
            format!(
                "Failed to connect to {} port {} after 0 ms: Couldn't connect to server",
                url.host, url.port
            ),
        ),
        Failure::ConnectTimeout => {
            let time = options.connect_timeout.or(options.max_time).unwrap_or_default();
            Trouble::new(28, format!("Connection timeout after {} ms", time.as_millis()))
        }
        Failure::Timeout => {
            let time = options.max_time.unwrap_or_default().as_millis();
            let of = length.map_or(String::new(), |length| format!(" out of {length}"));
            Trouble::new(
                28,
                format!("Operation timed out after {time} milliseconds with {received}{of} bytes received"),
            )
        }
        Failure::Tls(message) => Trouble::new(35, message),
        Failure::Certificate(message) => {
            Trouble::new(60, format!("SSL certificate problem: {message}\n{CERTIFICATE}"))
        }
        Failure::Empty => Trouble::new(52, "Empty reply from server"),
        Failure::Receive(_) if length.is_some_and(|length| received < length) => {
            let left = length.unwrap_or_default() - received;
            Trouble::new(18, format!("transfer closed with {left} bytes remaining to read"))
        }
        Failure::Receive(message) => Trouble::new(56, message),
    }
}

const CERTIFICATE: &str = "More details here: https://curl.se/docs/sslcerts.html\n\n\
    curl failed to verify the legitimacy of the server and therefore could not\n\
    establish a secure connection to it. To learn more about this situation and\n\
    how to fix it, please visit the web page mentioned above.";
