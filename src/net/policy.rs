//! [`Network`]: a transport behind the rules.

use std::fmt;
use std::sync::Arc;

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

    /// Sends a request, if it may be sent.
    pub async fn exchange(&self, exchange: Exchange) -> Result<Reply, Failure> {
        let addresses = self.addresses(&exchange.url.host).await?;
        for address in addresses {
            let address = SocketAddr::new(address, exchange.url.port);
            match self.transport.exchange(exchange.clone(), address).await {
                Err(Failure::Connect) => {}
                other => return other,
            }
        }
        Err(Failure::Connect)
    }

    /// The addresses of a host that may be connected to.
    async fn addresses(&self, host: &Host) -> Result<Vec<IpAddr>, Failure> {
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
        Ok(found.into_iter().filter(open).collect())
    }

    fn allows(&self, name: &str) -> bool {
        self.allow.iter().any(|pattern| pattern.matches(name))
    }
}
