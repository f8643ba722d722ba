//! PostgreSQL: several shims over one database.
//!
//! A few threads, a connection each, take jobs from one queue; a job is a transaction at the isolation level `READ COMMITTED`, and what must not
//! race is decided by unique indexes and row locks (see the module `store`). A connection that broke is made anew at the next job.

use std::collections::HashMap;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use ::postgres::error::SqlState;
use ::postgres::types::{IsNull, ToSql, Type, to_sql_checked};
use ::postgres::{Client, NoTls, Statement};

use super::migrations::{self, Dialect};
use super::{Access, Connection, Database, Job, Row, StoreError, Value};

/// Connections.
const WORKERS: usize = 8;

/// The lock that shims take while they bring tables up to date: any number that nobody else uses.
const MIGRATION_LOCK: i64 = 0x6578_7576_6961;

/// The database. See the module page.
pub struct Postgres {
    jobs: Sender<Job>,
}

impl Postgres {
    /// Connects and brings the tables up to date.
    pub fn connect(url: &str) -> Result<Postgres, String> {
        let mut session = Session::open(url).map_err(|error| format!("{error:?}"))?;
        session.migrate().map_err(|error| format!("{error:?}"))?;
        let (sender, jobs) = channel();
        let jobs = Arc::new(Mutex::new(jobs));
        let mut first = Some(session);
        for number in 0..WORKERS {
            let (jobs, url): (Arc<Mutex<Receiver<Job>>>, String) = (Arc::clone(&jobs), url.to_owned());
            let session = first.take();
            thread::Builder::new()
                .name(format!("store-{number}"))
                .spawn(move || run_jobs(session, &url, &jobs))
                .map_err(|error| format!("thread: {error}"))?;
        }
        Ok(Postgres { jobs: sender })
    }
}

impl Database for Postgres {
    fn submit(&self, _: Access, job: Job) {
        // Threads that are gone drop the job, and with it the way to its answer.
        let _ = self.jobs.send(job);
    }
}

fn run_jobs(mut session: Option<Session>, url: &str, jobs: &Mutex<Receiver<Job>>) {
    loop {
        let job = jobs.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(job) = job else { return };
        if session.as_ref().is_none_or(|session| session.client.is_closed()) {
            session = Session::open(url).ok();
        }
        match &mut session {
            Some(session) => session.transaction(job),
            None => fail(job),
        }
    }
}

/// Answers a job that has no database.
fn fail(job: Job) {
    let gone = || StoreError::Failed("the database cannot be reached".to_owned());
    struct Gone<F>(F);
    impl<F: Fn() -> StoreError> Connection for Gone<F> {
        fn execute(&mut self, _: &str, _: &[Value]) -> Result<u64, StoreError> {
            Err((self.0)())
        }
        fn rows(&mut self, _: &str, _: &[Value]) -> Result<Vec<Row>, StoreError> {
            Err((self.0)())
        }
    }
    (job(&mut Gone(gone)).reply)(Err(gone()));
}

struct Session {
    client: Client,
    statements: HashMap<String, Statement>,
}

impl Session {
    fn open(url: &str) -> Result<Session, StoreError> {
        Ok(Session {
            client: Client::connect(url, NoTls).map_err(failed)?,
            statements: HashMap::new(),
        })
    }

    fn migrate(&mut self) -> Result<(), StoreError> {
        let lock = &[Value::Int(MIGRATION_LOCK)];
        self.rows("SELECT 1 FROM (SELECT pg_advisory_lock(?1)) AS locked", lock)?;
        let done = migrations::run(self, Dialect::Postgres);
        self.rows("SELECT 1 FROM (SELECT pg_advisory_unlock(?1)) AS unlocked", lock)?;
        done
    }

    fn transaction(&mut self, job: Job) {
        let begun = self.client.batch_execute("BEGIN").map_err(failed);
        let finish = job(self);
        let end = if finish.keep { "COMMIT" } else { "ROLLBACK" };
        let ended = begun.and_then(|()| self.client.batch_execute(end).map_err(failed));
        (finish.reply)(ended);
    }

    fn statement(&mut self, sql: &str) -> Result<Statement, StoreError> {
        if let Some(statement) = self.statements.get(sql) {
            return Ok(statement.clone());
        }
        let statement = self.client.prepare(&sql.replace('?', "$")).map_err(failed)?;
        self.statements.insert(sql.to_owned(), statement.clone());
        Ok(statement)
    }
}

fn parameters(values: &[Value]) -> Vec<&(dyn ToSql + Sync)> {
    values.iter().map(|value| value as &(dyn ToSql + Sync)).collect()
}

impl Connection for Session {
    fn execute(&mut self, sql: &str, values: &[Value]) -> Result<u64, StoreError> {
        let statement = self.statement(sql)?;
        self.client
            .execute(&statement, &parameters(values))
            .map_err(failed)
    }

    fn rows(&mut self, sql: &str, values: &[Value]) -> Result<Vec<Row>, StoreError> {
        let statement = self.statement(sql)?;
        let rows = self
            .client
            .query(&statement, &parameters(values))
            .map_err(failed)?;
        Ok(rows.iter().map(convert).collect())
    }
}

fn convert(row: &::postgres::Row) -> Row {
    let column = |index: usize| {
        let kind = row.columns().get(index).map(::postgres::Column::type_);
        let int = |value: Option<i64>| value.map_or(Value::Null, Value::Int);
        match kind {
            Some(&Type::INT8) => int(row.try_get(index).unwrap_or_default()),
            Some(&Type::INT4) => int(row
                .try_get::<_, Option<i32>>(index)
                .unwrap_or_default()
                .map(i64::from)),
            _ => row
                .try_get::<_, Option<String>>(index)
                .unwrap_or_default()
                .map_or(Value::Null, Value::Text),
        }
    };
    Row((0..row.len()).map(column).collect())
}

fn failed(error: ::postgres::Error) -> StoreError {
    if error.code() == Some(&SqlState::FOREIGN_KEY_VIOLATION) {
        return StoreError::Reference;
    }
    let detail = error.as_db_error().map(ToString::to_string).unwrap_or_default();
    StoreError::Failed(format!("{error} {detail}"))
}

impl ToSql for Value {
    fn to_sql(
        &self,
        kind: &Type,
        out: &mut ::postgres::types::private::BytesMut,
    ) -> Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        match self {
            Value::Null => Ok(IsNull::Yes),
            Value::Int(value) if *kind == Type::INT4 => i32::try_from(*value)?.to_sql(kind, out),
            Value::Int(value) => value.to_sql(kind, out),
            Value::Text(text) => text.to_sql(kind, out),
        }
    }

    fn accepts(kind: &Type) -> bool {
        [Type::INT8, Type::INT4, Type::TEXT, Type::VARCHAR].contains(kind)
    }

    to_sql_checked!();
}
