//! One transfer: requests, redirections, another try, and what is said when it fails.

use std::time::Duration;

use super::options::{Options, Resume, Target};
use super::output::{Meter, Sink, save};
use super::receive::body;
use super::request::{self, Asked, Content, Trust};
use super::write_out::{Report, Stream, render};
use super::{Session, Trouble, verbose, warn};
use crate::kernel::{Proc, Stop};
use crate::net::{Exchange, Failure, Host, Reply, Url, UrlError};
use crate::program::network;

/// Redirections that are followed, unless said otherwise.
const REDIRECTS: i64 = 50;

/// The longest wait before another try.
const LONGEST_WAIT: Duration = Duration::from_secs(600);

/// Fetches one URL; gives the exit status.
pub(super) async fn run(
    proc: &mut Proc,
    options: &Options,
    content: &Content,
    session: &mut Session,
    index: usize,
) -> Result<i32, Stop> {
    let given = String::from_utf8_lossy(options.urls.get(index).map(Vec::as_slice).unwrap_or_default());
    let mut report = Report {
        given_url: given.clone().into_owned(),
        url: given.into_owned(),
        number: index,
        ..Report::default()
    };
    let mut wait = options.retry_delay.unwrap_or(Duration::from_secs(1));
    let mut left = options.retry;
    let mut waited = Duration::ZERO;
    let ended = loop {
        let ended = attempt(proc, options, content, session, index, &mut report).await?;
        waited += report.total;
        let in_time = options.retry_max_time.is_none_or(|most| waited + wait <= most);
        let reason = retry_reason(options, &ended, report.status);
        let Some(reason) = reason.filter(|_| left > 0 && in_time) else {
            break ended;
        };
        if let Err(trouble) = &ended {
            trouble.say(proc, options).await?;
        }
        let seconds = wait.as_secs();
        let warning = format!("Problem {reason}. Will retry in {seconds} seconds. {left} retries left.");
        warn(proc, options, &warning).await?;
        proc.sleep(wait).await;
        throw_away(proc, options, index, report.received).await?;
        waited += wait;
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
        let rendered = render(&format, &report);
        for name in &rendered.unknown {
            proc.flush().await?;
            proc.write_error(format!("curl: unknown --write-out variable: '{name}'\n").as_bytes())
                .await?;
        }
        for (stream, text) in rendered.texts {
            match stream {
                Stream::Out => proc.write(&text).await?,
                Stream::Error => {
                    proc.flush().await?;
                    proc.write_error(&text).await?;
                }
            }
        }
    }
    proc.flush().await?;
    Ok(report.exit)
}

/// What a try before has written to a file is not kept.
async fn throw_away(proc: &mut Proc, options: &Options, index: usize, bytes: u64) -> Result<(), Stop> {
    let to_file = match options.targets.get(index) {
        Some(Target::File(path)) => path != b"-",
        Some(Target::RemoteName) => true,
        None => false,
    };
    if bytes == 0 || !to_file || options.silent {
        return Ok(());
    }
    proc.write_error(format!("Throwing away {bytes} bytes\n").as_bytes())
        .await
}

/// Why another try is worth it.
fn retry_reason(options: &Options, ended: &Result<(), Trouble>, status: u16) -> Option<&'static str> {
    match ended {
        Err(trouble) if trouble.code == 28 => Some(": timeout"),
        Err(trouble) if trouble.code == 7 && options.retry_connection_refused => Some(": connection refused"),
        _ if matches!(status, 408 | 429 | 500 | 502 | 503 | 504) => Some(": HTTP error"),
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
    session: &mut Session,
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
    if let Some(path) = sink.path() {
        report.output = String::from_utf8_lossy(path).into_owned();
    }
    let meter = Meter::start(proc, options).await?;
    report.begin();
    if options.resume == Some(Resume::End) {
        report.resumed = sink.resume(proc);
    } else if let Some(Resume::At(from)) = options.resume {
        sink.resume(proc);
        report.resumed = from;
    }
    let step = Step {
        method: method(options, content),
        content: content.clone(),
        trust: Trust::Same,
        url,
    };
    let began = network::now(proc);
    let ended = follow(proc, options, step, session, &mut sink, report, began).await?;
    report.total = network::now(proc).saturating_sub(began);
    meter.end(proc, report.received, report.sent).await?;
    Ok(ended)
}

/// Requests, until one is answered by more than a redirection.
async fn follow(
    proc: &mut Proc,
    options: &Options,
    mut step: Step,
    session: &mut Session,
    sink: &mut Sink,
    report: &mut Report,
    began: Duration,
) -> Result<Result<(), Trouble>, Stop> {
    let origin = step.url.clone();
    loop {
        let mut reply = match send(proc, options, &step, session, report, began).await? {
            Ok(reply) => reply,
            Err(trouble) => return gone(proc, options, session, trouble).await,
        };
        note(report, &step, &reply);
        let head = head(&reply);
        let failed = options.fail && reply.status >= 400;
        verbose::head(proc, options, &head, failed).await?;
        if session.jar.active {
            let now = proc.kernel.now().seconds;
            session.jar.take(&step.url, &reply, now);
        }
        if let Err(trouble) = show_head(proc, options, &head, sink, report).await? {
            return gone(proc, options, session, trouble).await;
        }
        let location = reply
            .header("location")
            .filter(|_| (300..400).contains(&reply.status))
            .map(|text| String::from_utf8_lossy(text).into_owned());
        let next = location.map(|location| step.url.join(&location));
        let Some(next) = next.clone().filter(|_| options.location) else {
            report.redirect_url = match next {
                Some(Ok(url)) => url.to_string(),
                _ => String::new(),
            };
            let taken = body(proc, options, &step.url, &step.method, &mut reply, sink, report).await?;
            return match taken {
                Ok(()) => {
                    verbose::left(proc, options, session, &mut reply).await?;
                    Ok(Ok(()))
                }
                Err(trouble) => gone(proc, options, session, trouble).await,
            };
        };
        verbose::left(proc, options, session, &mut reply).await?;
        let next = match further(options, report, next) {
            Ok(next) => next,
            Err(trouble) => {
                let line = format!("* {}\n", trouble.message);
                verbose::say(proc, options, &line).await?;
                return Ok(Err(trouble));
            }
        };
        report.redirected = network::now(proc).saturating_sub(began);
        proc.charge(100)?;
        let line = format!("* Issue another request to this URL: '{next}'\n");
        verbose::say(proc, options, &line).await?;
        let was_post = step.content.body.is_some();
        redirect(options, &mut step, next, reply.status, &origin);
        if was_post && step.content.body.is_none() {
            verbose::say(proc, options, "* Switch from POST to GET\n").await?;
        }
    }
}

/// The transfer is over; what was wrong is told with `-v`, too.
async fn gone(
    proc: &mut Proc,
    options: &Options,
    session: &mut Session,
    trouble: Trouble,
) -> Result<Result<(), Trouble>, Stop> {
    let sentence = trouble.message.lines().next().unwrap_or_default();
    verbose::say(proc, options, &format!("* {sentence}\n")).await?;
    verbose::closed(proc, options, session).await?;
    Ok(Err(trouble))
}

/// Whether the redirection is followed.
fn further(options: &Options, report: &mut Report, next: Result<Url, UrlError>) -> Result<Url, Trouble> {
    let most = options.max_redirects.unwrap_or(REDIRECTS);
    if most >= 0 && i64::from(report.redirects) >= most {
        return Err(Trouble::new(47, format!("Maximum ({most}) redirects followed")));
    }
    report.redirects += 1;
    next.map_err(url_trouble)
}

/// Sends one request; the time that is left is what the steps before it did not use.
async fn send(
    proc: &mut Proc,
    options: &Options,
    step: &Step,
    session: &mut Session,
    report: &mut Report,
    began: Duration,
) -> Result<Result<Reply, Trouble>, Stop> {
    if let Some(trouble) = forbidden(options, &step.url) {
        return Ok(Err(trouble));
    }
    if let (Some(family), Host::Address(address)) = (options.address_family, &step.url.host)
        && !family.test()(address)
    {
        return Ok(Err(Trouble::new(7, "Couldn't connect to server")));
    }
    let passed = |proc: &Proc| network::now(proc).saturating_sub(began);
    let now = proc.kernel.now().seconds;
    let mut exchange = request::exchange(
        options,
        &step.content,
        &step.method,
        &step.url,
        &session.jar,
        Asked {
            trust: step.trust,
            now,
            from: report.resumed,
        },
    );
    let mut route = match network::route(proc, &step.url.host).await {
        Ok(route) => route,
        Err(failure) => {
            verbose::unreachable(proc, options, &step.url).await?;
            return Ok(Err(trouble(failure, &step.url, options, report, None)));
        }
    };
    let before = route.addresses().len();
    if let Some(family) = options.address_family {
        route.retain(family.test());
    }
    if before > 0 && route.addresses().is_empty() {
        return Ok(Err(trouble(Failure::Resolve, &step.url, options, report, None)));
    }
    report.resolved = passed(proc);
    if let Some(most) = options.max_time {
        let left = most.saturating_sub(report.resolved);
        if left.is_zero() {
            return Ok(Err(trouble(Failure::Timeout, &step.url, options, report, None)));
        }
        exchange.timeout = Some(left);
    }
    let mut sent = network::exchange(proc, exchange.clone(), &route).await;
    let new = verbose::exchanged(proc, options, session, &exchange, &route, &mut sent).await?;
    report.connects += u32::from(new && sent.is_ok());
    report.replied = passed(proc);
    if !matches!(sent, Err(Failure::Connect | Failure::ConnectTimeout)) {
        report.request_bytes = request_bytes(&exchange);
        if let crate::net::Body::Bytes(body) = &exchange.body {
            report.sent = body.len() as u64;
        }
    }
    Ok(match sent {
        Ok(reply) => {
            report.connected = reply.connected.saturating_sub(began);
            report.secured = reply.secured.map(|secured| secured.saturating_sub(began));
            Ok(reply)
        }
        Err(failure) => Err(trouble(failure, &step.url, options, report, None)),
    })
}

/// `--proto` leaves the protocol out.
fn forbidden(options: &Options, url: &Url) -> Option<Trouble> {
    let name = url.scheme.name();
    let out = match url.scheme {
        crate::net::Scheme::Http => options.only_https,
        crate::net::Scheme::Https => options.only_others,
    };
    out.then(|| {
        Trouble::new(
            1,
            format!("Protocol \"{name}\" not supported or disabled in libcurl"),
        )
    })
}

/// The length of a request's head.
fn request_bytes(exchange: &Exchange) -> u64 {
    let line = exchange.method.len() + exchange.url.target.len() + " HTTP/1.1\r\n".len() + 1;
    let headers = exchange.headers.iter();
    let headers: usize = headers.map(|(name, value)| name.len() + value.len() + 4).sum();
    (line + headers + 2) as u64
}

/// The next request: a POST becomes a GET where browsers do so, and secrets stay behind when the host is another.
fn redirect(options: &Options, step: &mut Step, next: Url, status: u16, origin: &Url) {
    let becomes_get = match status {
        _ if options.keep_post.contains(&status) => false,
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
    if let Some(name) = content.file_name.as_ref().filter(|_| url.target.ends_with('/')) {
        url.target.push_str(name);
    }
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
    report.headers.clone_from(&reply.headers);
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

/// What curl says when there is no reply, or no more of it.
pub(super) fn trouble(
    failure: Failure,
    url: &Url,
    options: &Options,
    report: &Report,
    length: Option<u64>,
) -> Trouble {
    let received = report.received;
    match failure {
        Failure::Resolve => Trouble::new(6, format!("Could not resolve host: {}", url.host)),
        Failure::Connect => Trouble::new(
            7,
            format!(
                "Failed to connect to {} port {} after {} ms: Couldn't connect to server",
                verbose::bare(url),
                url.port,
                report.replied.as_millis()
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
