//! `--network`: hosts that scripts may reach, over real sockets. Feature `http`.

use std::sync::Arc;

use exuvia::ShellBuilder;
use exuvia::host::HttpTransport;
use exuvia::net::{HostPattern, Network};
use tokio::runtime::{Builder, Runtime};

/// The option. Without it no name is known.
#[derive(Debug, clap::Args)]
pub struct Reach {
    /// Hosts that `curl` and `wget` may reach, separated by commas: example.com, *.example.com, or * for all. Private addresses are never reached.
    #[arg(long = "network", value_name = "HOST,…", value_delimiter = ',', value_parser = host)]
    hosts: Vec<HostPattern>,
}

fn host(text: &str) -> Result<HostPattern, String> {
    HostPattern::parse(text).ok_or_else(|| "no host name, *.suffix or *".to_owned())
}

impl Reach {
    /// Gives a shell the network. It works for as long as the runtime does.
    pub fn give(&self, builder: ShellBuilder) -> Result<(ShellBuilder, Option<Runtime>), String> {
        if self.hosts.is_empty() {
            return Ok((builder, None));
        }
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.map_err(|error| error.to_string())?;
        let transport = Arc::new(HttpTransport::new(runtime.handle().clone()));
        let network = Network::new(transport, self.hosts.iter().cloned());
        Ok((builder.network(network), Some(runtime)))
    }
}
