//! How a server is set up: by a file, the environment and flags; the later wins.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// The settings of a server.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Config {
    /// The folder of the database file and the blobs.
    pub data: PathBuf,
    /// The address to listen at.
    pub listen: String,
    /// `postgres://…`; a SQLite file in the data folder otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub database: Option<String>,
    /// `s3://…` and others; a directory in the data folder otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blobs: Option<String>,
    /// What an answered change survives.
    pub sync: Sync,
    /// The name of the tenant.
    pub tenant: String,
    /// Bytes that the files of one workspace may have.
    pub workspace_bytes: u64,
    /// Workspaces that stay in memory at most.
    pub loaded_workspaces: usize,
    /// Commands that run at once; one a processor otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workers: Option<usize>,
    /// Seconds between two collections of unnamed blobs.
    pub collect_seconds: u64,
    /// Seconds that an unnamed blob is kept, twice: more than any call takes from its first write to its commit.
    pub grace_seconds: u64,
    /// `text` or `json`.
    pub log_format: LogFormat,
    /// What is logged: `info`, `debug`, `exuvia::shim=trace`.
    pub log: String,
}

/// What an answered change survives, where the server itself writes the files. Each flush costs what the disk makes it cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Sync {
    /// A power failure: every commit is flushed to the disk.
    Full,
    /// The end of the process at any moment, but not of the machine: the system writes in its own time.
    Process,
}

/// How logs are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    /// For people.
    Text,
    /// For machines.
    Json,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            data: PathBuf::from("exuvia-data"),
            listen: "127.0.0.1:8787".to_owned(),
            database: None,
            blobs: None,
            sync: Sync::Full,
            tenant: "default".to_owned(),
            workspace_bytes: 1 << 30,
            loaded_workspaces: 1000,
            workers: None,
            collect_seconds: 600,
            grace_seconds: 3600,
            log_format: LogFormat::Text,
            log: "info".to_owned(),
        }
    }
}

impl Config {
    /// The settings of a file over the defaults.
    pub fn read(path: &Path) -> Result<Config, String> {
        let say = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
        let text = std::fs::read_to_string(path).map_err(|error| say(&error))?;
        toml::from_str(&text).map_err(|error| say(&error))
    }

    /// As a file that gives these settings; the password of a database is left out.
    pub fn print(&self) -> Result<String, String> {
        let mut shown = self.clone();
        shown.database = shown.database.map(|url| without_password(&url));
        toml::to_string(&shown).map_err(|error| error.to_string())
    }

    /// Commands that run at once.
    pub fn workers(&self) -> usize {
        let processors = std::thread::available_parallelism().map_or(2, usize::from);
        self.workers.unwrap_or(processors).max(1)
    }
}

fn without_password(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else {
        return url.to_owned();
    };
    match rest
        .split_once('@')
        .and_then(|(user, host)| Some((user.split_once(':')?.0, host)))
    {
        Some((user, host)) => format!("{scheme}://{user}:***@{host}"),
        None => url.to_owned(),
    }
}
