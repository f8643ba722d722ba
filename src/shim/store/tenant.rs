//! The settings of the tenant, as the JSON that was put.

use super::{Connection, values};
use crate::shim::error::Problem;
use crate::shim::limits::Limits;
use crate::wire::TenantSettings;

/// Makes the tenant when there is none, and answers whether it was made now.
pub fn ensure(connection: &mut dyn Connection, name: &str) -> Result<bool, Problem> {
    let count = connection.execute(
        "INSERT INTO tenant (name, settings) VALUES (?1, '{}') ON CONFLICT DO NOTHING",
        values![name],
    )?;
    Ok(count == 1)
}

/// The limits in force.
pub fn limits(connection: &mut dyn Connection) -> Result<Limits, Problem> {
    let row = connection.row("SELECT settings FROM tenant", &[])?;
    let text = row.map_or_else(|| "{}".to_owned(), |row| row.text(0));
    let settings: TenantSettings = serde_json::from_str(&text)
        .map_err(|error| Problem::internal(&format!("tenant settings: {error}")))?;
    Limits::of(&settings).map_err(|problems| Problem::internal(&problems.join("; ")))
}

/// Replaces the settings.
pub fn replace(connection: &mut dyn Connection, settings: &TenantSettings) -> Result<(), Problem> {
    let kept = TenantSettings {
        request_id: None,
        ..settings.clone()
    };
    let text = serde_json::to_string(&kept).map_err(|error| Problem::internal(&error.to_string()))?;
    connection.execute("UPDATE tenant SET settings = ?1", values![text])?;
    Ok(())
}
