//! One try: the connection, the request, and what the head of the reply means.

use core::net::IpAddr;

use super::body;
use super::log::{self, Level};
use super::options::Family;
use super::request::{self, Request};
use super::retrieve::{Session, Task};
use super::{address, status};
use crate::args::quote;
use crate::kernel::{Proc, Stop};
use crate::net::{Failure, Host, Reply, Route};
use crate::program::message::message;
use crate::program::network;

/// How a try ended.
pub(super) enum Attempt {
    /// There is nothing more to try; the exit status.
    Ended(i32),
    /// The status, and where to go.
    Redirected(u16, String),
    /// Another try may be worth it.
    Again,
}

/// Asks once; twice when the server wants a name.
pub(super) async fn once(session: &mut Session, proc: &mut Proc, task: &mut Task) -> Result<Attempt, Stop> {
    loop {
        let known = session
            .known
            .iter()
            .any(|known| known.same_origin(&task.request.url));
        task.request.authorized |= known && task.request.trusted;
        let mut reply = match ask(session, proc, &task.request).await? {
            Ok(reply) => reply,
            Err(attempt) => return Ok(attempt),
        };
        show_head(session, proc, &mut reply).await?;
        remember(session, &task.request, &reply);
        if session.options.cookies {
            let now = proc.kernel.now().seconds;
            session.jar.take(&task.request.url, &reply, now);
        }
        let asked_for_name = reply.status == 401 && !task.request.authorized;
        let basic = challenge(&reply).filter(|_| asked_for_name);
        let Some(basic) = basic.filter(|_| request::credentials(&task.request, &session.options).is_some())
        else {
            return meaning(session, proc, task, reply).await;
        };
        let line = message!("Authentication selected: ", basic, "\n");
        session.log.say(proc, Level::NotQuiet, line).await?;
        task.request.authorized = true;
        if task.request.trusted {
            session.known.push(task.request.url.clone());
        }
    }
}

/// What a server asks a name with, where that is understood.
fn challenge(reply: &Reply) -> Option<Vec<u8>> {
    let value = reply.header("www-authenticate")?;
    let scheme = value.get(..5)?;
    (scheme.eq_ignore_ascii_case(b"basic")).then(|| value.to_vec())
}

/// Whether the connection would be used again.
fn remember(session: &mut Session, request: &Request, reply: &Reply) {
    let connection = reply.header("connection").map(<[u8]>::to_ascii_lowercase);
    let stays = match connection.as_deref() {
        Some(b"close") => false,
        Some(b"keep-alive") => true,
        _ => reply.version != "1.0",
    };
    let ends = network::length(reply).is_some() || reply.header("transfer-encoding").is_some();
    let stays = stays && ends && session.options.keep_alive && !session.options.spider;
    session.open = stays.then(|| request.url.clone());
}

/// Sends the request; or says why that failed.
async fn ask(
    session: &mut Session,
    proc: &mut Proc,
    request: &Request,
) -> Result<Result<Reply, Attempt>, Stop> {
    let reused = session
        .open
        .take()
        .is_some_and(|open| open.same_origin(&request.url));
    let route = match find(session, proc, request, reused).await? {
        Ok(route) => route,
        Err(attempt) => return Ok(Err(attempt)),
    };
    let now = proc.kernel.now().seconds;
    let exchange = request::exchange(request, &session.options, &session.jar, now);
    let mut sent = network::exchange(proc, exchange, &route).await;
    if !reused && !connected(session, proc, request, &route, &mut sent).await? {
        let again = session.options.retry_refused || sent.is_err_and(|why| why == Failure::ConnectTimeout);
        let ended = Attempt::Ended(status::NETWORK);
        return Ok(Err(if again { Attempt::Again } else { ended }));
    }
    match sent {
        Ok(reply) => Ok(Ok(reply)),
        Err(failure) => Ok(Err(unanswered(session, proc, request, failure).await?)),
    }
}

/// Finds the host.
async fn find(
    session: &Session,
    proc: &mut Proc,
    request: &Request,
    reused: bool,
) -> Result<Result<Route, Attempt>, Stop> {
    let url = &request.url;
    let found = network::route(proc, &url.host).await;
    let mut route = match found {
        Ok(route) => route,
        Err(Failure::Resolve) => return unknown(session, proc, &url.host, "Name or service not known").await,
        Err(_) => {
            let line = format!("Connecting to {}... ", address::peer(url, None));
            session.log.say(proc, Level::Verbose, line).await?;
            let line = "failed: Connection refused.\n";
            session.log.say(proc, Level::NotQuiet, line).await?;
            let again = session.options.retry_refused;
            let ended = Attempt::Ended(status::NETWORK);
            return Ok(Err(if again { Attempt::Again } else { ended }));
        }
    };
    if let Some(family) = session.options.family {
        let before = route.addresses().len();
        route.retain(match family {
            Family::V4 => IpAddr::is_ipv4,
            Family::V6 => IpAddr::is_ipv6,
        });
        if before > 0 && route.addresses().is_empty() {
            let why = "Address family for hostname not supported";
            return unknown(session, proc, &url.host, why).await;
        }
    }
    if reused {
        let line = format!("Reusing existing connection to {}.\n", address::peer(url, None));
        session.log.say(proc, Level::Verbose, line).await?;
        return Ok(Ok(route));
    }
    if let (Host::Name(name), false) = (&url.host, route.addresses().is_empty()) {
        let addresses: Vec<String> = route.addresses().iter().take(3).map(IpAddr::to_string).collect();
        let more = if route.addresses().len() > 3 { ", ..." } else { "" };
        let line = format!("Resolving {name} ({name})... {}{more}\n", addresses.join(", "));
        session.log.say(proc, Level::Verbose, line).await?;
    }
    let line = format!(
        "Connecting to {}... ",
        address::peer(url, route.addresses().first().copied())
    );
    session.log.say(proc, Level::Verbose, line).await?;
    Ok(Ok(route))
}

/// Nobody knows the host.
async fn unknown(
    session: &Session,
    proc: &mut Proc,
    host: &Host,
    why: &str,
) -> Result<Result<Route, Attempt>, Stop> {
    let host = host.to_string();
    let line = format!("Resolving {host} ({host})... failed: {why}.\n");
    session.log.say(proc, Level::Verbose, line).await?;
    let line = message!(
        proc.name(),
        ": unable to resolve host address ",
        quote(host.as_bytes()),
        "\n"
    );
    session.log.say(proc, Level::NotQuiet, line).await?;
    Ok(Err(Attempt::Ended(status::NETWORK)))
}

/// Tells which addresses answered, after the first was named. Whether one did.
async fn connected(
    session: &Session,
    proc: &mut Proc,
    request: &Request,
    route: &Route,
    sent: &mut Result<Reply, Failure>,
) -> Result<bool, Stop> {
    let (last, why) = match sent {
        Ok(reply) => (Some(reply.address.ip()), "Connection refused"),
        Err(Failure::Connect) => (None, "Connection refused"),
        Err(Failure::ConnectTimeout) => (None, "Connection timed out"),
        // Which address it was is not known.
        Err(_) => (route.addresses().first().copied(), ""),
    };
    for (index, tried) in route.addresses().iter().enumerate() {
        if Some(*tried) == last {
            break;
        }
        if let Some(next) = route.addresses().get(index + 1) {
            let peer = address::peer(&request.url, Some(*next));
            let line = format!("failed: {why}.\nConnecting to {peer}... ");
            session.log.say(proc, Level::Verbose, line).await?;
        }
    }
    if last.is_none() {
        let line = format!("failed: {why}.\n");
        session.log.say(proc, Level::NotQuiet, line).await?;
        return Ok(false);
    }
    session.log.say(proc, Level::Verbose, "connected.\n").await?;
    Ok(true)
}

/// Says why there is no reply.
async fn unanswered(
    session: &Session,
    proc: &mut Proc,
    request: &Request,
    failure: Failure,
) -> Result<Attempt, Stop> {
    let host = message!(request.url.host.to_string());
    let line = match &failure {
        Failure::Tls(_) => b"Unable to establish SSL connection.\n".to_vec(),
        Failure::Certificate(reason) => distrust(&host, reason),
        _ => {
            let line = "HTTP request sent, awaiting response... ";
            session.log.say(proc, Level::Verbose, line).await?;
            let line = match failure {
                Failure::Empty => "No data received.\n",
                Failure::Timeout => "Read error (Connection timed out) in headers.\n",
                _ => "Read error (Connection reset by peer) in headers.\n",
            };
            line.as_bytes().to_vec()
        }
    };
    session.log.say(proc, Level::NotQuiet, line).await?;
    Ok(match failure {
        Failure::Tls(_) => Attempt::Ended(status::NETWORK),
        Failure::Certificate(_) => Attempt::Ended(status::CERTIFICATE),
        _ => Attempt::Again,
    })
}

/// What is wrong with a certificate, in the words of GnuTLS.
fn distrust(host: &[u8], reason: &str) -> Vec<u8> {
    let host = quote(host);
    let wrong = match reason {
        _ if reason.contains("UnknownIssuer") => Some(" doesn't have a known issuer.\n"),
        _ if reason.contains("expired") || reason.contains("Expired") => Some(" has expired.\n"),
        _ if reason.contains("not valid yet") || reason.contains("NotValidYet") => {
            Some(" is not yet activated.\n")
        }
        _ => None,
    };
    let mut text = message!("ERROR: The certificate of ", host, " is not trusted.\n");
    if let Some(wrong) = wrong {
        text.extend(message!("ERROR: The certificate of ", host, wrong));
    }
    if reason.contains("not valid for") || reason.contains("NotValidForName") {
        text.extend(message!(
            "The certificate's owner does not match hostname ",
            host,
            "\n"
        ));
    }
    text
}

/// The first line of the reply; with `-S` all of its head.
async fn show_head(session: &Session, proc: &mut Proc, reply: &mut Reply) -> Result<(), Stop> {
    let line = "HTTP request sent, awaiting response... ";
    session.log.say(proc, Level::Verbose, line).await?;
    if !session.options.server_response {
        let line = format!("{} {}\n", reply.status, reply.reason);
        return session.log.say(proc, Level::Verbose, line).await;
    }
    session.log.say(proc, Level::Verbose, "\n").await?;
    let mut text = format!("  HTTP/{} {} {}\n", reply.version, reply.status, reply.reason).into_bytes();
    for (name, value) in &reply.headers {
        text.extend(message!("  ", name, ": ", value, "\n"));
    }
    session.log.say(proc, Level::Always, text).await
}

/// What the status says.
async fn meaning(
    session: &mut Session,
    proc: &mut Proc,
    task: &mut Task,
    reply: Reply,
) -> Result<Attempt, Stop> {
    let code = reply.status;
    let location = reply
        .header("location")
        .map(|text| String::from_utf8_lossy(text).into_owned());
    match code {
        401 => {
            session.log.say(proc, Level::Verbose, "\n").await?;
            let line = "Username/Password Authentication Failed.\n";
            session.log.say(proc, Level::NotQuiet, line).await?;
            Ok(Attempt::Ended(status::CREDENTIALS))
        }
        _ if session.options.retry_on.contains(&code) => {
            let line = format!("{}:\n", address::shown(&task.request.url));
            session.log.say(proc, Level::Terse, line).await?;
            Ok(Attempt::Again)
        }
        301 | 302 | 303 | 307 | 308 => redirected(session, proc, code, location).await,
        300 if location.is_some() => redirected(session, proc, code, location).await,
        304 if task.request.since.is_some() => {
            let line = message!(
                "File ",
                quote(&task.path),
                " not modified on server. Omitting download.\n\n"
            );
            session.log.say(proc, Level::Verbose, line).await?;
            Ok(Attempt::Ended(0))
        }
        416 if task.request.from > 0 => body::complete(session, proc).await,
        200..=300 => body::receive(session, proc, task, reply).await,
        _ => {
            let reason = reply.reason.clone();
            if session.options.content_on_error {
                body::receive(session, proc, task, reply).await?;
            }
            refused(session, proc, task, code, &reason).await
        }
    }
}

async fn redirected(
    session: &Session,
    proc: &mut Proc,
    code: u16,
    location: Option<String>,
) -> Result<Attempt, Stop> {
    let Some(location) = location else {
        session
            .log
            .say(proc, Level::Verbose, "Location: unspecified\n")
            .await?;
        let line = format!("ERROR: Redirection ({code}) without location.\n");
        session.log.say(proc, Level::NotQuiet, line).await?;
        return Ok(Attempt::Ended(status::SERVER));
    };
    let line = format!("Location: {location} [following]\n");
    session.log.say(proc, Level::Verbose, line).await?;
    Ok(Attempt::Redirected(code, location))
}

/// The server says no.
async fn refused(
    session: &Session,
    proc: &mut Proc,
    task: &Task,
    code: u16,
    reason: &str,
) -> Result<Attempt, Stop> {
    let line = format!("{}:\n", address::shown(&task.request.url));
    session.log.say(proc, Level::Terse, line).await?;
    let line = if code == 404 && session.options.spider {
        "Remote file does not exist -- broken link!!!\n".to_owned()
    } else {
        let reason = if reason.is_empty() {
            "(no description)"
        } else {
            reason
        };
        format!("{} ERROR {code}: {reason}.\n", log::stamp(proc))
    };
    session.log.say(proc, Level::NotQuiet, line).await?;
    session.log.say(proc, Level::Verbose, "\n").await?;
    Ok(Attempt::Ended(status::SERVER))
}
