//! `exuvia serve`: sessions over HTTP.

use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use exuvia::shim::Server;
use exuvia::shim::config::{Config, LogFormat, Sync};
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

/// Serves sessions with a persistent /workspace over HTTP.
///
/// The first start on an empty data folder makes an application key and a management key and prints them, once. Settings come from a file, the
/// environment and flags; the later wins.
#[derive(Debug, Parser)]
#[command(name = "exuvia serve")]
struct Arguments {
    /// A TOML file with settings: the names of these flags.
    #[arg(long, value_name = "FILE", env = "EXUVIA_CONFIG")]
    config: Option<PathBuf>,
    /// The folder of the database file and the blobs [default: exuvia-data].
    #[arg(long, value_name = "DIR", env = "EXUVIA_DATA")]
    data: Option<PathBuf>,
    /// The address to listen at [default: 127.0.0.1:8787].
    #[arg(long, value_name = "ADDRESS", env = "EXUVIA_LISTEN")]
    listen: Option<String>,
    /// A PostgreSQL database, instead of a SQLite file in the data folder: postgres://user:password@host/name
    #[arg(long, value_name = "URL", env = "EXUVIA_DATABASE", hide_env_values = true)]
    database: Option<String>,
    /// Where contents are kept, instead of a directory in the data folder: file:///…, s3://bucket/prefix, gs://…, az://…
    #[arg(long, value_name = "URL", env = "EXUVIA_BLOBS")]
    blobs: Option<String>,
    /// What an answered change survives: a power failure, or only the end of the process [default: full].
    #[arg(long, value_enum, env = "EXUVIA_SYNC")]
    sync: Option<Sync>,
    /// The name of the tenant [default: default].
    #[arg(long, value_name = "NAME", env = "EXUVIA_TENANT")]
    tenant: Option<String>,
    /// Bytes that the files of one workspace may have [default: 1073741824].
    #[arg(long, value_name = "BYTES", env = "EXUVIA_WORKSPACE_BYTES")]
    workspace_bytes: Option<u64>,
    /// Workspaces that stay in memory at most [default: 1000].
    #[arg(long, value_name = "COUNT", env = "EXUVIA_LOADED_WORKSPACES")]
    loaded_workspaces: Option<usize>,
    /// Commands that run at once [default: one a processor].
    #[arg(long, value_name = "COUNT", env = "EXUVIA_WORKERS")]
    workers: Option<usize>,
    /// Seconds between two collections of unnamed blobs [default: 600].
    #[arg(long, value_name = "SECONDS", env = "EXUVIA_COLLECT_SECONDS")]
    collect_seconds: Option<u64>,
    /// Seconds that an unnamed blob is kept, twice: more than any call takes from its first write to its commit [default: 3600].
    #[arg(long, value_name = "SECONDS", env = "EXUVIA_GRACE_SECONDS")]
    grace_seconds: Option<u64>,
    /// How logs are written [default: text].
    #[arg(long, value_enum, env = "EXUVIA_LOG_FORMAT")]
    log_format: Option<LogFormat>,
    /// What is logged: info, debug, exuvia::shim=trace … [default: info].
    #[arg(long, value_name = "FILTER", env = "EXUVIA_LOG")]
    log: Option<String>,
    /// Print the settings as a file and exit.
    #[arg(long)]
    print_config: bool,
}

impl Arguments {
    fn settings(&self) -> Result<Config, String> {
        let mut config = match &self.config {
            Some(path) => Config::read(path)?,
            None => Config::default(),
        };
        set(&mut config.data, self.data.as_ref());
        set(&mut config.listen, self.listen.as_ref());
        set(&mut config.sync, self.sync.as_ref());
        set(&mut config.tenant, self.tenant.as_ref());
        set(&mut config.workspace_bytes, self.workspace_bytes.as_ref());
        set(&mut config.loaded_workspaces, self.loaded_workspaces.as_ref());
        set(&mut config.collect_seconds, self.collect_seconds.as_ref());
        set(&mut config.grace_seconds, self.grace_seconds.as_ref());
        set(&mut config.log_format, self.log_format.as_ref());
        set(&mut config.log, self.log.as_ref());
        config.database = self.database.clone().or(config.database);
        config.blobs = self.blobs.clone().or(config.blobs);
        config.workers = self.workers.or(config.workers);
        Ok(config)
    }
}

fn set<T: Clone>(place: &mut T, value: Option<&T>) {
    if let Some(value) = value {
        place.clone_from(value);
    }
}

/// Parses the words and serves: 0 after a clean stop, 1 when it cannot serve, 2 for wrong arguments.
pub fn run(words: impl Iterator<Item = OsString>) -> ExitCode {
    let words = std::iter::once(OsString::from("exuvia serve")).chain(words);
    let arguments = match Arguments::try_parse_from(words) {
        Ok(arguments) => arguments,
        Err(error) => {
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() { 2 } else { 0 });
        }
    };
    let (status, message) = match arguments.settings() {
        Err(message) => (2, message),
        Ok(config) if arguments.print_config => match config.print() {
            Ok(text) => {
                print!("{text}");
                return ExitCode::SUCCESS;
            }
            Err(message) => (2, message),
        },
        Ok(config) => match serve(&config) {
            Ok(()) => return ExitCode::SUCCESS,
            Err(message) => (1, message),
        },
    };
    eprintln!("exuvia serve: {message}");
    ExitCode::from(status)
}

fn serve(config: &Config) -> Result<(), String> {
    start_log(config)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| error.to_string())?;
    let served = runtime.block_on(async {
        let server = Server::start(config).await?;
        announce(&server).map_err(|error| format!("standard output: {error}"))?;
        server.run(stop_signal()).await
    });
    // Commands that run on threads of their own are not waited for: what they do is not committed.
    runtime.shutdown_background();
    served
}

/// What is printed: the keys that were made, and the address.
fn announce(server: &Server) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    for key in server.printed() {
        writeln!(out, "{} key: {}", key.name, key.key)?;
    }
    writeln!(out, "listening: http://{}", server.address()?)?;
    out.flush()
}

fn start_log(config: &Config) -> Result<(), String> {
    let filter: Targets = config.log.parse().map_err(|error| format!("--log: {error}"))?;
    let layer = tracing_subscriber::fmt::layer()
        .with_writer(std::io::stderr)
        .with_ansi(false);
    let registry = tracing_subscriber::registry().with(filter);
    let started = match config.log_format {
        LogFormat::Json => registry.with(layer.json()).try_init(),
        LogFormat::Text => registry.with(layer).try_init(),
    };
    started.map_err(|error| error.to_string())
}

async fn stop_signal() {
    use tokio::signal::unix::{SignalKind, signal};
    let Ok(mut terminate) = signal(SignalKind::terminate()) else {
        return std::future::pending().await;
    };
    tokio::select! {
        _ = terminate.recv() => {}
        _ = tokio::signal::ctrl_c() => {}
    }
}
