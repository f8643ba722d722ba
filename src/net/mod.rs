//! The network as programs see it: HTTP exchanges that a host carries out, and the rules that decide which may be.
//!
//! A [`Network`] is a [`Transport`] of the host behind a policy. Every exchange is judged anew: the name against the allow-list, then each
//! address the name resolves to against the blocked ranges. What is left is a [`Route`], and the transport is given an address of it, never the
//! name, so a DNS answer that changes in between changes nothing. Redirects are followed by the programs, exchange by exchange, so they are judged as well.
//!
//! Without a network every name is unknown, as on a machine without DNS.
//!
//! Pure but for the trait: no sockets here. The transport over real ones is in `host`, behind the feature `http`.

mod address;
mod allow;
mod policy;
mod transport;
mod url;

pub use address::{blocked, parse_address};
pub use allow::HostPattern;
pub use policy::{Network, Route};
pub use transport::{Body, BodyStream, Exchange, Failure, Reply, Transport};
pub use url::{Host, Scheme, Url, UrlError, percent_decoded};

/// A future on the heap.
pub type BoxFuture<'a, T> = std::pin::Pin<Box<dyn Future<Output = T> + Send + 'a>>;
