//! Metadata: everything the shim remembers, in SQLite or PostgreSQL.
//!
//! The statements are written once, by plain functions over a [`Connection`], one file a resource. What differs between the two databases stands
//! in [`sqlite`] and [`postgres`]: how a transaction is run. Both run on threads of their own, and handlers wait for the answer.
//!
//! Why not one async driver for both: on SQLite, transactions that arrive together are committed together, each in a savepoint, so that 32
//! callers pay for one flush to the disk instead of 32. No pool of connections can do that. And what holds "at one moment" reads as one function.
//!
//! Rules that keep the statements portable: columns are `TEXT` and `BIGINT` only; parameters are written `?1`; what must be unique is said by an
//! index, and `INSERT … ON CONFLICT DO NOTHING` asks it; rows that several shims change are changed by `UPDATE … RETURNING`, which locks them.

pub mod artifacts;
pub mod calls;
pub mod events;
pub mod keys;
mod migrations;
mod postgres;
pub mod sandboxes;
pub mod sessions;
mod sqlite;
pub mod tenant;
pub mod turns;
pub mod workspace;

use std::path::Path;

use tokio::sync::oneshot;

use super::config::Sync;
use super::error::Problem;

pub use postgres::Postgres;
pub use sqlite::Sqlite;

/// A parameter or a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// `NULL`
    Null,
    /// `BIGINT`
    Int(i64),
    /// `TEXT`
    Text(String),
}

impl From<i64> for Value {
    fn from(value: i64) -> Value {
        Value::Int(value)
    }
}

impl From<&str> for Value {
    fn from(value: &str) -> Value {
        Value::Text(value.to_owned())
    }
}

impl From<&String> for Value {
    fn from(value: &String) -> Value {
        Value::Text(value.clone())
    }
}

impl From<String> for Value {
    fn from(value: String) -> Value {
        Value::Text(value)
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Value {
        value.map_or(Value::Null, Into::into)
    }
}

/// One row of an answer, by the number of the column.
#[derive(Debug, Clone)]
pub struct Row(pub Vec<Value>);

impl Row {
    /// A number; 0 for what is none.
    pub fn int(&self, column: usize) -> i64 {
        self.maybe_int(column).unwrap_or_default()
    }

    /// A number, or none for `NULL`.
    pub fn maybe_int(&self, column: usize) -> Option<i64> {
        match self.0.get(column) {
            Some(Value::Int(value)) => Some(*value),
            _ => None,
        }
    }

    /// A text; empty for what is none.
    pub fn text(&self, column: usize) -> String {
        self.maybe_text(column).unwrap_or_default()
    }

    /// A text, or none for `NULL`.
    pub fn maybe_text(&self, column: usize) -> Option<String> {
        match self.0.get(column) {
            Some(Value::Text(value)) => Some(value.clone()),
            _ => None,
        }
    }
}

/// What is wrong with a statement or the database.
#[derive(Debug)]
pub enum StoreError {
    /// A row that others refer to, or a reference to a row that is gone.
    Reference,
    /// Anything else.
    Failed(String),
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Problem {
        match error {
            StoreError::Reference => Problem::internal("a reference between rows broke"),
            StoreError::Failed(why) => Problem::internal(&why),
        }
    }
}

/// One transaction in progress.
pub trait Connection {
    /// Runs a statement; the number of rows it changed.
    fn execute(&mut self, sql: &str, values: &[Value]) -> Result<u64, StoreError>;

    /// Runs a statement that answers rows.
    fn rows(&mut self, sql: &str, values: &[Value]) -> Result<Vec<Row>, StoreError>;

    /// The first row.
    fn row(&mut self, sql: &str, values: &[Value]) -> Result<Option<Row>, StoreError> {
        Ok(self.rows(sql, values)?.into_iter().next())
    }
}

/// The parameters of a statement.
macro_rules! values {
    ($($value:expr),* $(,)?) => { &[$($crate::shim::store::Value::from($value)),*] };
}
pub(crate) use values;

/// When a writer is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// When the change is on the disk.
    Committed,
    /// When every later transaction sees it. Only for what may be forgotten in a crash: the turn of a single call.
    Relaxed,
}

/// What kind of transaction a job is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// It only looks.
    Read,
    /// It changes something.
    Write(Durability),
}

/// Tells the one who waits, once it is known whether the transaction holds.
pub type Reply = Box<dyn FnOnce(Result<(), StoreError>) + Send>;

/// What a job came to.
pub struct Finish {
    /// Whether its changes are to be kept.
    pub keep: bool,
    /// Called after the commit.
    pub reply: Reply,
}

/// The body of a transaction.
pub type Job = Box<dyn FnOnce(&mut dyn Connection) -> Finish + Send>;

/// A database that runs transactions.
pub trait Database: Send + std::marker::Sync {
    /// Runs a job as soon as it can. A job that cannot be run is dropped.
    fn submit(&self, access: Access, job: Job);
}

/// The handle that the rest of the shim holds.
pub struct Store {
    database: Box<dyn Database>,
}

impl Store {
    /// SQLite in one file of a data folder.
    pub fn sqlite(directory: &Path, sync: Sync) -> Result<Store, String> {
        Ok(Store {
            database: Box::new(Sqlite::open(&directory.join("exuvia.sqlite"), sync)?),
        })
    }

    /// PostgreSQL at a URL.
    pub fn postgres(url: &str) -> Result<Store, String> {
        Ok(Store {
            database: Box::new(Postgres::connect(url)?),
        })
    }

    /// A transaction that only looks.
    pub async fn read<T, F>(&self, body: F) -> Result<T, Problem>
    where
        T: Send + 'static,
        F: FnOnce(&mut dyn Connection) -> Result<T, Problem> + Send + 'static,
    {
        self.run(Access::Read, body).await
    }

    /// A transaction that changes something; it holds when this returns.
    pub async fn write<T, F>(&self, body: F) -> Result<T, Problem>
    where
        T: Send + 'static,
        F: FnOnce(&mut dyn Connection) -> Result<T, Problem> + Send + 'static,
    {
        self.run(Access::Write(Durability::Committed), body).await
    }

    /// A transaction whose loss in a crash does no harm.
    pub async fn write_relaxed<T, F>(&self, body: F) -> Result<T, Problem>
    where
        T: Send + 'static,
        F: FnOnce(&mut dyn Connection) -> Result<T, Problem> + Send + 'static,
    {
        self.run(Access::Write(Durability::Relaxed), body).await
    }

    async fn run<T, F>(&self, access: Access, body: F) -> Result<T, Problem>
    where
        T: Send + 'static,
        F: FnOnce(&mut dyn Connection) -> Result<T, Problem> + Send + 'static,
    {
        let (sender, receiver) = oneshot::channel();
        let job: Job = Box::new(move |connection| {
            let result = body(connection);
            Finish {
                keep: result.is_ok(),
                reply: Box::new(move |committed| {
                    let answer = match committed {
                        Ok(()) => result,
                        Err(error) => Err(error.into()),
                    };
                    // Nobody waits any more when the request was dropped.
                    let _ = sender.send(answer);
                }),
            }
        });
        self.database.submit(access, job);
        receiver
            .await
            .unwrap_or_else(|_| Err(Problem::internal("the database went away")))
    }
}
