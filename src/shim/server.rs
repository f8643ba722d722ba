//! [`Server`]: the start, the run and the end of a shim.

use std::path::Path;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Handle;
use tokio::sync::watch;

use super::backend::{Backend, Virtual};
use super::blobs::Blobs;
use super::config::Config;
use super::gate::{self, Role};
use super::routes;
use super::state::Shim;
use super::store::{Store, keys, tenant, turns};
use super::sweep;
use crate::host::HttpTransport;
use crate::net::Network;
use crate::wire::random;

/// How long requests may go on after the server was told to stop.
const DRAIN: Duration = Duration::from_secs(10);

/// How long the headers of a request may take.
const HEADER_TIME: Duration = Duration::from_secs(10);

/// A key that was just made: it is shown once.
#[derive(Debug, Clone)]
pub struct Printed {
    /// `application` or `management`.
    pub name: &'static str,
    /// 64 hexadecimal characters.
    pub key: String,
}

/// A shim that is ready to serve.
pub struct Server {
    listener: TcpListener,
    router: Router,
    shim: Arc<Shim>,
    stop: watch::Sender<bool>,
    printed: Vec<Printed>,
}

impl Server {
    /// Opens the store, makes keys when there are none, and listens.
    pub async fn start(config: &Config) -> Result<Server, String> {
        let transport = Arc::new(HttpTransport::new(Handle::current()));
        Server::start_over(config, Network::new(transport, [])).await
    }

    /// The same over another network, of which each sandbox gets the part that its `allow` names.
    pub async fn start_over(config: &Config, network: Network) -> Result<Server, String> {
        let (store, blobs) = open(config).await?;
        let store = Arc::new(store);
        let say = |problem: super::error::Problem| problem.message().to_owned();
        let name = config.tenant.clone();
        let holder = holder(config);
        let (made, printed) = (holder.clone(), prepare(&store, &name).await.map_err(say)?);
        store
            .write(move |connection| turns::forget_calls(connection, &made))
            .await
            .map_err(say)?;
        let backend: Box<dyn Backend> = Box::new(Virtual::new(
            Arc::clone(&store),
            blobs.clone(),
            Handle::current(),
            network,
            config.workspace_bytes,
            config.workers(),
        ));
        let (stop, stopping) = watch::channel(false);
        let shim = Arc::new(Shim {
            tenant: name,
            holder,
            ..Shim::new(store, blobs, vec![backend], stopping)?
        });
        gate::load_keys(&shim).await.map_err(say)?;
        let listener = TcpListener::bind(&config.listen).await;
        let listener = listener.map_err(|error| format!("{}: {error}", config.listen))?;
        sweep::start(&shim, config);
        let (router, _) = routes::router(&shim);
        Ok(Server {
            listener,
            router,
            shim,
            stop,
            printed,
        })
    }

    /// Keys that were made at this start.
    pub fn printed(&self) -> &[Printed] {
        &self.printed
    }

    /// Where it listens.
    pub fn address(&self) -> std::io::Result<std::net::SocketAddr> {
        self.listener.local_addr()
    }

    /// Serves until `signal` comes; then ends calls that run and lets requests finish.
    pub async fn run(self, signal: impl Future<Output = ()> + Send + 'static) -> Result<(), String> {
        let connections = GracefulShutdown::new();
        let mut signal = pin!(signal);
        loop {
            let accepted = tokio::select! {
                accepted = self.listener.accept() => accepted,
                () = &mut signal => break,
            };
            match accepted {
                Ok((stream, _)) => serve(stream, self.router.clone(), &connections),
                // Too many open files, for example: others may end.
                Err(error) => {
                    tracing::warn!(%error, "a connection could not be accepted");
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
            }
        }
        tracing::info!("stopping");
        // Followers and sweeps end by this.
        let _ = self.stop.send(true);
        self.shim.running.close_all();
        let _ = tokio::time::timeout(DRAIN, connections.shutdown()).await;
        Ok(())
    }
}

/// Serves one connection. Who sends its headers too slowly is cut off.
fn serve(stream: TcpStream, router: Router, connections: &GracefulShutdown) {
    // Answers are small and whole: waiting for more to send would only delay them.
    let _ = stream.set_nodelay(true);
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_TIME)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router));
    let connection = connections.watch(connection);
    tokio::spawn(async move {
        if let Err(error) = connection.await {
            tracing::debug!(%error, "a connection broke");
        }
    });
}

async fn open(config: &Config) -> Result<(Store, Blobs), String> {
    let (config, data) = (config.clone(), config.data.clone());
    let opened = tokio::task::spawn_blocking(move || {
        make_private(&data)?;
        let store = match &config.database {
            Some(url) => Store::postgres(url)?,
            None => Store::sqlite(&data, config.sync)?,
        };
        let blobs = match &config.blobs {
            Some(url) => Blobs::url(url)?,
            None => Blobs::directory(&data.join("blobs"), config.sync)?,
        };
        Ok((store, blobs))
    });
    opened.await.map_err(|error| error.to_string())?
}

/// The data folder is for its owner alone.
fn make_private(path: &Path) -> Result<(), String> {
    let say = |error: std::io::Error| format!("{}: {error}", path.display());
    if path.is_dir() {
        return Ok(());
    }
    std::fs::create_dir_all(path).map_err(say)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o700)).map_err(say)?;
    }
    Ok(())
}

/// One shim owns a SQLite file, so a new start is the same one; over PostgreSQL each process is another.
fn holder(config: &Config) -> String {
    match config.database {
        None => "local".to_owned(),
        Some(_) => random::name("shim_"),
    }
}

/// Makes the tenant, and its keys the first time.
async fn prepare(store: &Store, name: &str) -> Result<Vec<Printed>, super::error::Problem> {
    let name = name.to_owned();
    store
        .write(move |connection| {
            let mut printed = Vec::new();
            if !tenant::ensure(connection, &name)? {
                return Ok(printed);
            }
            for role in [Role::Application, Role::Management] {
                let key = random::key();
                keys::insert(connection, &gate::hash(&key), role, role.name())?;
                printed.push(Printed {
                    name: role.name(),
                    key,
                });
            }
            Ok(printed)
        })
        .await
}
