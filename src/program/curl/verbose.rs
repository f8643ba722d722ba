//! `-v`: what is said of connections and headers on standard error.
//!
//! Each exchange has a connection of its own here; the words are those for the connections that curl would keep.

use super::Session;
use super::options::Options;
use crate::kernel::{Proc, Stop};
use crate::net::{Body, Exchange, Failure, Host, Reply, Route, Url};
use crate::program::network;

/// Says something, with `-v`.
pub(super) async fn say(proc: &mut Proc, options: &Options, text: &str) -> Result<(), Stop> {
    if options.verbose {
        proc.write_error(text.as_bytes()).await?;
    }
    Ok(())
}

/// What is known once a request was sent, or could not be; whether it took a new connection.
pub(super) async fn exchanged(
    proc: &mut Proc,
    options: &Options,
    session: &mut Session,
    exchange: &Exchange,
    route: &Route,
    sent: &mut Result<Reply, Failure>,
) -> Result<bool, Stop> {
    let url = &exchange.url;
    let mut text = String::new();
    let open = session.open.take().filter(|(open, _)| open.same_origin(url));
    let number = open.as_ref().map_or(session.connections, |(_, number)| *number);
    let new = open.is_none();
    if new {
        session.connections += 1;
        text.push_str(&attempts(url, route, sent, number));
    } else {
        text.push_str(&format!(
            "* Re-using existing connection #{number} with host {}\n",
            bare(url)
        ));
    }
    if !matches!(
        sent,
        Err(Failure::Connect | Failure::ConnectTimeout | Failure::Tls(_) | Failure::Certificate(_))
    ) {
        text.push_str(&request(options, exchange));
    }
    session.open = Some((url.clone(), number));
    say(proc, options, &text).await?;
    Ok(new)
}

/// An address where nobody is.
pub(super) async fn unreachable(proc: &mut Proc, options: &Options, url: &Url) -> Result<(), Stop> {
    let Host::Address(address) = url.host else {
        return Ok(());
    };
    let shown = core::net::SocketAddr::new(address, url.port);
    let line = format!(
        "*   Trying {shown}...\n* connect to {address} port {} failed: Connection refused\n",
        url.port
    );
    say(proc, options, &line).await
}

/// A host as it is in sentences: an address of IPv6 without brackets.
pub(super) fn bare(url: &Url) -> String {
    let host = url.host.to_string();
    host.trim_start_matches('[').trim_end_matches(']').to_owned()
}

fn attempts(url: &Url, route: &Route, sent: &Result<Reply, Failure>, number: u32) -> String {
    let refused = matches!(sent, Err(Failure::Connect | Failure::ConnectTimeout));
    let answered = match sent {
        Ok(reply) => Some(reply.address.ip()),
        // Which one it was is not known.
        Err(_) => route.addresses().first().copied().filter(|_| !refused),
    };
    let mut text = String::new();
    for address in route.addresses() {
        let shown = core::net::SocketAddr::new(*address, url.port);
        text.push_str(&format!("*   Trying {shown}...\n"));
        if Some(*address) == answered {
            text.push_str(&format!(
                "* Connected to {} ({address}) port {} (#{number})\n",
                bare(url),
                url.port
            ));
            return text;
        }
        text.push_str(&format!(
            "* connect to {address} port {} failed: Connection refused\n",
            url.port
        ));
    }
    text
}

fn request(options: &Options, exchange: &Exchange) -> String {
    let mut text = String::new();
    let basic = exchange
        .headers
        .iter()
        .any(|(name, value)| name == "Authorization" && value.starts_with(b"Basic "));
    let user = options
        .user
        .as_ref()
        .map(|user| String::from_utf8_lossy(user).into_owned());
    let user = user.or_else(|| exchange.url.credentials.as_ref().map(|(user, _)| user.clone()));
    if let Some(user) = user.filter(|_| basic) {
        let user = user.split(':').next().unwrap_or_default();
        text.push_str(&format!("* Server auth using Basic with user '{user}'\n"));
    }
    text.push_str(&format!(
        "> {} {} HTTP/1.1\r\n",
        exchange.method, exchange.url.target
    ));
    for (name, value) in &exchange.headers {
        text.push_str(&format!("> {name}: {}\r\n", String::from_utf8_lossy(value)));
    }
    text.push_str("> \r\n");
    if let Body::Bytes(body) = &exchange.body
        && !body.is_empty()
    {
        text.push_str(&format!("}} [{} bytes data]\n", body.len()));
    }
    text
}

/// The head of a reply; its end is not told when the status makes it a failure.
pub(super) async fn head(proc: &mut Proc, options: &Options, head: &[u8], failed: bool) -> Result<(), Stop> {
    if !options.verbose {
        return Ok(());
    }
    let mut text = String::new();
    for line in String::from_utf8_lossy(head).split_terminator("\r\n") {
        if !(failed && line.is_empty()) {
            text.push_str(&format!("< {line}\r\n"));
        }
    }
    say(proc, options, &text).await
}

/// The connection after a reply was read.
pub(super) async fn left(
    proc: &mut Proc,
    options: &Options,
    session: &mut Session,
    reply: &mut Reply,
) -> Result<(), Stop> {
    let connection = reply.header("connection").map(<[u8]>::to_ascii_lowercase);
    let ends = network::length(reply).is_some() || reply.header("transfer-encoding").is_some();
    let stays = match connection.as_deref() {
        Some(b"close") => false,
        Some(b"keep-alive") => true,
        _ => reply.version != "1.0" && ends,
    };
    if !stays {
        return closed(proc, options, session).await;
    }
    let Some((url, number)) = &session.open else {
        return Ok(());
    };
    let line = format!("* Connection #{number} to host {} left intact\n", bare(url));
    say(proc, options, &line).await
}

/// The connection after something went wrong.
pub(super) async fn closed(proc: &mut Proc, options: &Options, session: &mut Session) -> Result<(), Stop> {
    let number = match session.open.take() {
        Some((_, number)) => number,
        // A connection that never stood counts as well.
        None => {
            session.connections += 1;
            session.connections - 1
        }
    };
    say(proc, options, &format!("* Closing connection {number}\n")).await
}
