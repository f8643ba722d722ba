//! Workspaces: manifests of paths, and the changes of them.

use std::collections::HashSet;

use super::{Connection, Row, Value, values};
use crate::shim::error::Problem;

/// One name of a workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// From the workspace, without a leading `/`; escaped where it is not UTF-8. Empty: the workspace itself.
    pub path: String,
    /// `f` a file, `d` a directory, `l` a link, `p` a named pipe.
    pub kind: Kind,
    /// Permission bits.
    pub mode: u32,
    /// The time of its last change.
    pub time: (i64, u32),
    /// Bytes.
    pub size: u64,
    /// The hash of a file, or the target of a link.
    pub content: Option<String>,
    /// Names with one number are one file.
    pub link: Option<i64>,
}

/// What a name is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link.
    Link,
    /// A named pipe.
    Pipe,
}

impl Kind {
    fn letter(self) -> &'static str {
        match self {
            Kind::File => "f",
            Kind::Directory => "d",
            Kind::Link => "l",
            Kind::Pipe => "p",
        }
    }

    fn of(letter: &str) -> Kind {
        match letter {
            "d" => Kind::Directory,
            "l" => Kind::Link,
            "p" => Kind::Pipe,
            _ => Kind::File,
        }
    }
}

/// What a call changed.
#[derive(Debug, Clone, Default)]
pub struct Changes {
    /// New and changed names.
    pub put: Vec<Entry>,
    /// Names that are gone.
    pub removed: Vec<String>,
}

impl Changes {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.put.is_empty() && self.removed.is_empty()
    }
}

/// The version of a workspace.
pub fn version(connection: &mut dyn Connection, key: &str) -> Result<Option<i64>, Problem> {
    let row = connection.row("SELECT version FROM sandbox WHERE key = ?1", values![key])?;
    Ok(row.map(|row| row.int(0)))
}

/// The whole manifest, by path, and its version.
pub fn manifest(connection: &mut dyn Connection, key: &str) -> Result<(i64, Vec<Entry>), Problem> {
    let version = version(connection, key)?.ok_or_else(|| Problem::unavailable("the sandbox was deleted"))?;
    let rows = connection.rows(
        "SELECT path, kind, mode, seconds, nanos, size, content, link FROM workspace_file WHERE sandbox_key = ?1 ORDER BY path",
        values![key],
    )?;
    Ok((version, rows.iter().map(entry).collect()))
}

fn entry(row: &Row) -> Entry {
    Entry {
        path: row.text(0),
        kind: Kind::of(&row.text(1)),
        mode: row.int(2) as u32,
        time: (row.int(3), row.int(4) as u32),
        size: row.int(5) as u64,
        content: row.maybe_text(6),
        link: row.maybe_int(7),
    }
}

/// The regular files below a directory.
pub fn files_below(
    connection: &mut dyn Connection,
    key: &str,
    directory: &str,
) -> Result<Vec<Entry>, Problem> {
    let rows = connection.rows(
        "SELECT path, kind, mode, seconds, nanos, size, content, link FROM workspace_file
         WHERE sandbox_key = ?1 AND path >= ?2 AND path < ?3 AND kind = 'f' ORDER BY path",
        values![key, format!("{directory}/"), format!("{directory}0")],
    )?;
    Ok(rows.iter().map(entry).collect())
}

/// Writes changes to the version that they were made of; the new version.
pub fn apply(
    connection: &mut dyn Connection,
    key: &str,
    version: i64,
    changes: &Changes,
    now: i64,
) -> Result<i64, Problem> {
    let row = connection.row(
        "UPDATE sandbox SET version = version + 1, state = 'running', used_at = ?2, updated_at = ?2
         WHERE key = ?1 AND version = ?3 RETURNING version",
        values![key, now, version],
    )?;
    let changed = || Problem::conflict("the workspace changed while the tool ran: nothing of it was kept");
    let version = row.ok_or_else(changed)?.int(0);
    for path in &changes.removed {
        connection.execute(
            "DELETE FROM workspace_file WHERE sandbox_key = ?1 AND path = ?2",
            values![key, path],
        )?;
    }
    for entry in &changes.put {
        put(connection, key, entry)?;
    }
    Ok(version)
}

fn put(connection: &mut dyn Connection, key: &str, entry: &Entry) -> Result<(), Problem> {
    connection.execute(
        "INSERT INTO workspace_file (sandbox_key, path, kind, mode, seconds, nanos, size, content, link)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
         ON CONFLICT (sandbox_key, path) DO UPDATE SET kind = excluded.kind, mode = excluded.mode, seconds = excluded.seconds,
           nanos = excluded.nanos, size = excluded.size, content = excluded.content, link = excluded.link",
        values![
            key,
            &entry.path,
            entry.kind.letter(),
            i64::from(entry.mode),
            entry.time.0,
            i64::from(entry.time.1),
            entry.size as i64,
            entry.content.as_ref(),
            entry.link
        ],
    )?;
    Ok(())
}

/// Those of the hashes that something still names.
pub fn named(connection: &mut dyn Connection, hashes: &[String]) -> Result<HashSet<String>, Problem> {
    let mut named = HashSet::new();
    for hash in hashes {
        let row = connection.row(
            "SELECT 1 WHERE EXISTS (SELECT 1 FROM workspace_file WHERE content = ?1 AND kind = 'f')
               OR EXISTS (SELECT 1 FROM artifact_version WHERE hash = ?1) OR EXISTS (SELECT 1 FROM artifact_file WHERE hash = ?1)",
            &[Value::from(hash)],
        )?;
        if row.is_some() {
            named.insert(hash.clone());
        }
    }
    Ok(named)
}
