//! The network of the kernel, as the programs that fetch use it. Without one no name is known and no address answers.

use std::time::Duration;

use crate::kernel::{Proc, Stop};
use crate::net::{Exchange, Failure, Host, Network, Reply, Route};

/// The way to a host.
pub async fn route(proc: &Proc, host: &Host) -> Result<Route, Failure> {
    match proc.kernel.network().cloned() {
        Some(network) => proc.kernel.host_call(network.route(host)).await,
        None if matches!(host, Host::Address(_)) => Err(Failure::Connect),
        None => Err(Failure::Resolve),
    }
}

/// Sends a request along a route.
pub async fn exchange(proc: &Proc, exchange: Exchange, route: &Route) -> Result<Reply, Failure> {
    match proc.kernel.network().cloned() {
        Some(network) => proc.kernel.host_call(network.exchange(exchange, route)).await,
        None => Err(Failure::Connect),
    }
}

/// The next piece of a body; an empty one ends it.
pub async fn piece(proc: &Proc, reply: &mut Reply) -> Result<Result<Vec<u8>, Failure>, Stop> {
    let piece = proc.kernel.host_call(reply.body.next()).await;
    if let Ok(piece) = &piece {
        proc.kernel.meter().charge_bytes(piece.len())?;
    }
    Ok(piece)
}

/// The time of the network, for what is said of how long something took.
pub fn now(proc: &Proc) -> Duration {
    proc.kernel.network().map_or(Duration::ZERO, Network::now)
}

/// The length that a reply says its body has.
pub fn length(reply: &Reply) -> Option<u64> {
    std::str::from_utf8(reply.header("content-length")?)
        .ok()?
        .trim()
        .parse()
        .ok()
}

/// The file name in a `Content-Disposition`: what follows its last slash of either kind.
pub fn disposition(reply: &Reply) -> Option<Vec<u8>> {
    let header = String::from_utf8_lossy(reply.header("content-disposition")?).into_owned();
    let mut rest = header.as_str();
    while let Some(at) = rest.to_ascii_lowercase().find("filename=") {
        let starts_word = !rest
            .get(..at)
            .is_some_and(|before| before.ends_with(|c: char| c.is_ascii_alphanumeric()));
        rest = rest.get(at + "filename=".len()..).unwrap_or_default();
        if starts_word {
            let name = match rest.strip_prefix('"') {
                Some(quoted) => quoted.split('"').next().unwrap_or_default(),
                None => rest.split(';').next().unwrap_or_default().trim(),
            };
            let base = name.rsplit(['/', '\\']).next().unwrap_or_default();
            return (!base.is_empty() && base != "." && base != "..").then(|| base.as_bytes().to_vec());
        }
    }
    None
}
