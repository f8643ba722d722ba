//! Keys: their hashes alone.

use super::{Connection, values};
use crate::shim::clock;
use crate::shim::error::Problem;
use crate::shim::gate::Role;

/// All of them.
pub fn all(connection: &mut dyn Connection) -> Result<Vec<(String, Role)>, Problem> {
    let rows = connection.rows("SELECT sha256, role FROM api_key", &[])?;
    let role = |text: String| match text.as_str() {
        "management" => Role::Management,
        _ => Role::Application,
    };
    Ok(rows.iter().map(|row| (row.text(0), role(row.text(1)))).collect())
}

/// Keeps a key. False when it is there already.
pub fn insert(connection: &mut dyn Connection, hash: &str, role: Role, name: &str) -> Result<bool, Problem> {
    let count = connection.execute(
        "INSERT INTO api_key (sha256, role, name, created_at) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING",
        values![hash, role.name(), name, clock::now()],
    )?;
    Ok(count == 1)
}
