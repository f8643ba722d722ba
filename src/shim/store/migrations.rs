//! The tables, as numbered steps that both databases run.

use super::{Connection, StoreError, values};

/// What the two databases spell differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// SQLite compares texts by bytes.
    Sqlite,
    /// PostgreSQL does where the column says so.
    Postgres,
}

/// Each step runs once, in order. A step that was released never changes.
const STEPS: &[&str] = &[include_str!("migrations/0001_start.sql")];

/// Runs the steps that are missing.
pub fn run(connection: &mut dyn Connection, dialect: Dialect) -> Result<(), StoreError> {
    connection.execute(
        "CREATE TABLE IF NOT EXISTS schema_step (number BIGINT PRIMARY KEY)",
        &[],
    )?;
    let done = connection.row("SELECT COALESCE(MAX(number), 0) FROM schema_step", &[])?;
    let done = done.map_or(0, |row| row.int(0));
    for (number, step) in (1i64..).zip(STEPS).filter(|(number, _)| *number > done) {
        connection.execute("BEGIN", &[])?;
        for statement in statements(step, dialect) {
            connection.execute(&statement, &[])?;
        }
        connection.execute("INSERT INTO schema_step (number) VALUES (?1)", values![number])?;
        connection.execute("COMMIT", &[])?;
    }
    Ok(())
}

fn statements(step: &str, dialect: Dialect) -> Vec<String> {
    let text = match dialect {
        Dialect::Sqlite => "TEXT",
        Dialect::Postgres => "TEXT COLLATE \"C\"",
    };
    let code: Vec<&str> = step
        .lines()
        .filter(|line| !line.trim_start().starts_with("--"))
        .collect();
    let code = code.join("\n").replace("ORDERED", text);
    let statements = code.split(';').map(str::trim).filter(|one| !one.is_empty());
    statements.map(str::to_owned).collect()
}
