//! [`Transport`]: what a host brings, to resolve names and carry exchanges out.

use std::time::Duration;

use core::net::{IpAddr, SocketAddr};

use super::BoxFuture;
use super::url::Url;

/// A body that is sent or received piece by piece; an empty piece ends it.
pub trait BodyStream: Send {
    /// The next piece.
    fn next(&mut self) -> BoxFuture<'_, Result<Vec<u8>, Failure>>;
}

/// What is sent after the headers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Body {
    /// Nothing.
    #[default]
    None,
    /// These bytes.
    Bytes(Vec<u8>),
}

/// One request.
#[derive(Debug, Clone)]
pub struct Exchange {
    /// Where to.
    pub url: Url,
    /// The method.
    pub method: String,
    /// All headers, in order; `Host` is among them.
    pub headers: Vec<(String, Vec<u8>)>,
    /// The body; its length is among the headers.
    pub body: Body,
    /// Time for resolving and connecting.
    pub connect_timeout: Option<Duration>,
    /// Time for all of it, the reply's body included.
    pub timeout: Option<Duration>,
    /// Time for the head of the reply, and for each piece of its body.
    pub idle_timeout: Option<Duration>,
    /// Takes any certificate.
    pub insecure: bool,
}

/// One reply; its body is still to be read.
pub struct Reply {
    /// `1.0`, `1.1`, `2`
    pub version: &'static str,
    /// The status.
    pub status: u16,
    /// The words after it, as far as there are some.
    pub reason: String,
    /// The headers, in order.
    pub headers: Vec<(String, Vec<u8>)>,
    /// The body.
    pub body: Box<dyn BodyStream>,
    /// The address that answered.
    pub address: SocketAddr,
    /// When the connection stood, by [`Transport::now`].
    pub connected: Duration,
    /// When it was encrypted, where it is.
    pub secured: Option<Duration>,
}

impl Reply {
    /// The value of a header, by its name in any case.
    pub fn header(&self, name: &str) -> Option<&[u8]> {
        self.headers
            .iter()
            .find(|(other, _)| other.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_slice())
    }
}

/// Why there is no reply, or no more of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// The name is unknown, or not allowed: to a script both look alike.
    Resolve,
    /// No connection to any address of it.
    Connect,
    /// [`Exchange::connect_timeout`] is over.
    ConnectTimeout,
    /// [`Exchange::timeout`] or [`Exchange::idle_timeout`] is over.
    Timeout,
    /// No agreement on encryption.
    Tls(String),
    /// The certificate is not to be trusted.
    Certificate(String),
    /// The connection ended before a reply came.
    Empty,
    /// The connection broke.
    Receive(String),
}

/// Resolves and connects. The policy is not its business: it is asked only for what may be.
pub trait Transport: Send + Sync {
    /// The addresses of a name.
    fn resolve<'a>(&'a self, host: &'a str) -> BoxFuture<'a, Result<Vec<IpAddr>, Failure>>;

    /// A clock that starts anywhere; one that stands still says nothing of how long things take.
    fn now(&self) -> Duration {
        Duration::ZERO
    }

    /// Sends a request to this very address, and gives the reply when its headers are there. Follows no redirect, uses no proxy, adds no header.
    fn exchange(&self, exchange: Exchange, address: SocketAddr) -> BoxFuture<'_, Result<Reply, Failure>>;
}
