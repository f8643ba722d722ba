//! SQLite: one file, one writer, transactions that are committed together.
//!
//! The writer is a thread. It takes the first job that waits, begins, runs it in a savepoint, goes on with all that have arrived meanwhile, commits
//! once, and answers them all. Readers are two more threads with connections of their own; in WAL mode they see the last commit and wait for nobody.
//!
//! With [`Sync::Full`] an answered change is on the disk, also when the power fails. A batch that only holds what may be forgotten waits a moment for
//! others before it is committed.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use rusqlite::types::{ToSql, ToSqlOutput, ValueRef};
use rusqlite::{ErrorCode, TransactionState};

use super::migrations::{self, Dialect};
use super::{Access, Connection, Database, Durability, Finish, Job, Reply, Row, StoreError, Value};
use crate::shim::config::Sync;

/// Transactions that share one commit at most.
const BATCH: usize = 256;

/// How long changes wait for company that may be forgotten in a crash.
const MOMENT: Duration = Duration::from_millis(5);

/// Threads that only read.
const READERS: usize = 2;

/// The database. See the module page.
pub struct Sqlite {
    writer: Sender<(Durability, Job)>,
    reader: Sender<Job>,
}

impl Sqlite {
    /// Opens or makes the file, and brings its tables up to date.
    pub fn open(path: &Path, sync: Sync) -> Result<Sqlite, String> {
        let mut writer = connect(path, sync)?;
        migrations::run(&mut Handle(&mut writer), Dialect::Sqlite).map_err(|error| format!("{error:?}"))?;
        let (write, jobs) = channel();
        spawn("store-writer", move || write_jobs(&mut writer, &jobs))?;
        let (read, jobs) = channel();
        let jobs = Arc::new(Mutex::new(jobs));
        for _ in 0..READERS {
            let (jobs, path): (Arc<Mutex<Receiver<Job>>>, PathBuf) = (Arc::clone(&jobs), path.to_owned());
            let mut connection = connect(&path, sync)?;
            spawn("store-reader", move || read_jobs(&mut connection, &jobs))?;
        }
        Ok(Sqlite {
            writer: write,
            reader: read,
        })
    }
}

fn spawn(name: &str, body: impl FnOnce() + Send + 'static) -> Result<(), String> {
    let thread = thread::Builder::new().name(name.to_owned()).spawn(body);
    thread
        .map(drop)
        .map_err(|error| format!("thread {name}: {error}"))
}

fn connect(path: &Path, sync: Sync) -> Result<rusqlite::Connection, String> {
    let say = |error: rusqlite::Error| format!("{}: {error}", path.display());
    let connection = rusqlite::Connection::open(path).map_err(say)?;
    connection
        .execute_batch(
            "PRAGMA journal_mode=WAL; PRAGMA foreign_keys=ON; PRAGMA busy_timeout=5000;
             PRAGMA temp_store=MEMORY; PRAGMA cache_size=-16000; PRAGMA wal_autocheckpoint=4000;",
        )
        .map_err(say)?;
    let level = if sync == Sync::Full { "FULL" } else { "NORMAL" };
    connection
        .pragma_update(None, "synchronous", level)
        .map_err(say)?;
    connection.set_prepared_statement_cache_capacity(256);
    Ok(connection)
}

impl Database for Sqlite {
    fn submit(&self, access: Access, job: Job) {
        // A thread that is gone drops the job, and with it the way to its answer.
        let _ = match access {
            Access::Read => self.reader.send(job).is_ok(),
            Access::Write(durability) => self.writer.send((durability, job)).is_ok(),
        };
    }
}

fn read_jobs(connection: &mut rusqlite::Connection, jobs: &Mutex<Receiver<Job>>) {
    loop {
        let job = jobs.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(job) = job else { return };
        let begun = batch(connection, "BEGIN");
        let finish = job(&mut Handle(connection));
        let ended = begun.and_then(|()| batch(connection, "COMMIT"));
        (finish.reply)(ended);
    }
}

fn write_jobs(connection: &mut rusqlite::Connection, jobs: &Receiver<(Durability, Job)>) {
    while let Ok(first) = jobs.recv() {
        let begun = batch(connection, "BEGIN IMMEDIATE");
        let mut replies: Vec<Reply> = Vec::new();
        let mut next = Some(first);
        let mut count = 0;
        while let Some((durability, job)) = next.take() {
            let finish = in_savepoint(connection, job);
            match durability {
                Durability::Relaxed if begun.is_ok() => (finish.reply)(Ok(())),
                _ => replies.push(finish.reply),
            }
            count += 1;
            if count < BATCH {
                next = following(jobs, replies.is_empty());
            }
        }
        end_batch(connection, begun, replies);
    }
}

/// The job after this one: at once, or, while nobody waits for the commit, within a moment.
fn following(jobs: &Receiver<(Durability, Job)>, nobody_waits: bool) -> Option<(Durability, Job)> {
    match nobody_waits {
        true => jobs.recv_timeout(MOMENT).ok(),
        false => jobs.try_recv().ok(),
    }
}

fn end_batch(connection: &mut rusqlite::Connection, begun: Result<(), StoreError>, replies: Vec<Reply>) {
    let ended = begun.and_then(|()| batch(connection, "COMMIT"));
    if ended.is_err()
        && !matches!(
            connection.transaction_state(None::<&str>),
            Ok(TransactionState::None)
        )
    {
        let _ = batch(connection, "ROLLBACK");
    }
    for reply in replies {
        reply(match &ended {
            Ok(()) => Ok(()),
            Err(error) => Err(StoreError::Failed(format!("{error:?}"))),
        });
    }
}

/// Runs one job so that it can be undone alone.
fn in_savepoint(connection: &mut rusqlite::Connection, job: Job) -> Finish {
    let begun = batch(connection, "SAVEPOINT job");
    let finish = job(&mut Handle(connection));
    let ended = begun.and_then(|()| {
        if !finish.keep {
            batch(connection, "ROLLBACK TO job")?;
        }
        batch(connection, "RELEASE job")
    });
    match ended {
        Ok(()) => finish,
        Err(error) => Finish {
            keep: false,
            reply: Box::new(|_| (finish.reply)(Err(error))),
        },
    }
}

fn batch(connection: &mut rusqlite::Connection, sql: &str) -> Result<(), StoreError> {
    let mut statement = connection.prepare_cached(sql).map_err(failed)?;
    statement.execute([]).map(drop).map_err(failed)
}

fn failed(error: rusqlite::Error) -> StoreError {
    match error.sqlite_error() {
        Some(code)
            if code.code == ErrorCode::ConstraintViolation
                && code.extended_code == rusqlite::ffi::SQLITE_CONSTRAINT_FOREIGNKEY =>
        {
            StoreError::Reference
        }
        _ => StoreError::Failed(error.to_string()),
    }
}

/// A connection inside of a transaction.
struct Handle<'c>(&'c mut rusqlite::Connection);

impl Connection for Handle<'_> {
    fn execute(&mut self, sql: &str, values: &[Value]) -> Result<u64, StoreError> {
        let mut statement = self.0.prepare_cached(sql).map_err(failed)?;
        let count = statement
            .execute(rusqlite::params_from_iter(values))
            .map_err(failed)?;
        Ok(count as u64)
    }

    fn rows(&mut self, sql: &str, values: &[Value]) -> Result<Vec<Row>, StoreError> {
        let mut statement = self.0.prepare_cached(sql).map_err(failed)?;
        let columns = statement.column_count();
        let mut answer = statement
            .query(rusqlite::params_from_iter(values))
            .map_err(failed)?;
        let mut rows = Vec::new();
        while let Some(row) = answer.next().map_err(failed)? {
            let values: Result<Vec<Value>, _> =
                (0..columns).map(|index| row.get_ref(index).map(value)).collect();
            rows.push(Row(values.map_err(failed)?));
        }
        Ok(rows)
    }
}

fn value(column: ValueRef<'_>) -> Value {
    match column {
        ValueRef::Integer(value) => Value::Int(value),
        ValueRef::Text(text) => Value::Text(String::from_utf8_lossy(text).into_owned()),
        ValueRef::Null | ValueRef::Real(_) | ValueRef::Blob(_) => Value::Null,
    }
}

impl ToSql for Value {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Value::Null => ValueRef::Null,
            Value::Int(value) => ValueRef::Integer(*value),
            Value::Text(text) => ValueRef::Text(text.as_bytes()),
        }))
    }
}
