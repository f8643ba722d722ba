//! [`Network`]: a transport behind the rules.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use core::net::{IpAddr, SocketAddr};

use super::address::blocked;
use super::allow::HostPattern;
use super::transport::{Exchange, Failure, Reply, Transport};
use super::url::Host;

/// What a shell may reach.
#[derive(Clone)]
pub struct Network {
    transport: Arc<dyn Transport>,
    allow: Vec<HostPattern>,
    permitted: Vec<IpAddr>,
}

impl fmt::Debug for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Network")
            .field("allow", &self.allow)
            .finish_non_exhaustive()
    }
}

impl Network {
    /// A network where these hosts are allowed. Addresses of the blocked ranges are refused whatever they are called.
    pub fn new(transport: Arc<dyn Transport>, allow: impl IntoIterator<Item = HostPattern>) -> Network {
        Network {
            transport,
            allow: allow.into_iter().collect(),
            permitted: Vec::new(),
        }
    }

    /// The same network for someone to whom other hosts are allowed.
    #[must_use]
    pub fn allowing(&self, allow: impl IntoIterator<Item = HostPattern>) -> Network {
        Network {
            allow: allow.into_iter().collect(),
            ..self.clone()
        }
    }

    /// Takes one address out of the blocked ranges. For tests against a server on this host; never for scripts of others.
    #[must_use]
    pub fn permit_for_tests(mut self, address: IpAddr) -> Network {
        self.permitted.push(address);
        self
    }

    /// Finds a host, if it may be reached. A route without addresses is one where nobody answers.
    pub async fn route(&self, host: &Host) -> Result<Route, Failure> {
        let found = match host {
            // A list of names allows no address but when it allows all.
            Host::Address(address) if self.allows("") || self.permitted.contains(address) => vec![*address],
            Host::Address(_) => return Err(Failure::Connect),
            Host::Name(name) if self.allows(name) => self.transport.resolve(name).await?,
            Host::Name(_) => return Err(Failure::Resolve),
        };
        if found.is_empty() {
            return Err(Failure::Resolve);
        }
        let open = |address: &IpAddr| self.permitted.contains(address) || !blocked(*address);
        Ok(Route {
            host: host.clone(),
            addresses: found.into_iter().filter(open).collect(),
        })
    }

    /// Sends a request along the route to its host, to the first address that answers.
    pub async fn exchange(&self, exchange: Exchange, route: &Route) -> Result<Reply, Failure> {
        if route.host != exchange.url.host {
            return Err(Failure::Resolve);
        }
        let mut failure = Failure::Connect;
        for address in &route.addresses {
            let address = SocketAddr::new(*address, exchange.url.port);
            match self.transport.exchange(exchange.clone(), address).await {
                Err(why @ (Failure::Connect | Failure::ConnectTimeout)) => failure = why,
                other => return other,
            }
        }
        Err(failure)
    }

    /// The time of the transport, for what is said of how long something took.
    pub fn now(&self) -> Duration {
        self.transport.now()
    }

    fn allows(&self, name: &str) -> bool {
        self.allow.iter().any(|pattern| pattern.matches(name))
    }
}

/// The way to a host: those of its addresses that may be connected to. Only [`Network::route`] makes one, so each was judged.
#[derive(Debug, Clone)]
pub struct Route {
    host: Host,
    addresses: Vec<IpAddr>,
}

impl Route {
    /// The addresses, in the order in which they are tried.
    pub fn addresses(&self) -> &[IpAddr] {
        &self.addresses
    }

    /// Leaves addresses out.
    pub fn retain(&mut self, wanted: fn(&IpAddr) -> bool) {
        self.addresses.retain(wanted);
    }
}
