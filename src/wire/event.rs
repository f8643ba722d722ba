//! Events of sessions and of sandboxes.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Who caused an event.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
pub struct Source {
    /// `sandbox`, `turn`, `tool` or `artifact`.
    pub kind: String,
    /// Which one.
    pub id: String,
}

/// An event of a session.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Envelope {
    /// `nylorun.event/2`
    pub schema: String,
    /// Its own id.
    pub event_id: String,
    /// The tenant.
    pub tenant_id: String,
    /// The session.
    pub session_id: String,
    /// The turn, if it was in one.
    pub turn_id: Option<String>,
    /// Its number in the session, from 0, without gaps.
    pub seq: i64,
    /// What to give to go on after it.
    pub cursor: String,
    /// When.
    pub time: String,
    /// Who.
    pub source: Source,
    /// What.
    #[serde(rename = "type")]
    pub kind: String,
    /// More, by type.
    #[cfg_attr(feature = "server", schema(value_type = Object))]
    pub payload: Value,
}

/// `GET /v1/sessions/{id}/items`
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Items {
    /// In order.
    pub items: Vec<Envelope>,
    /// Where to go on, or null at the end.
    pub next_cursor: Option<String>,
}

/// An event of a sandbox resource.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct SandboxEvent {
    /// `nylorun.sandbox-event/1`
    pub schema: String,
    /// Its own id.
    pub event_id: String,
    /// The tenant.
    pub tenant_id: String,
    /// The sandbox.
    pub sandbox_id: String,
    /// Its number for that id, from 0.
    pub seq: i64,
    /// When.
    pub time: String,
    /// What.
    #[serde(rename = "type")]
    pub kind: String,
    /// More, by type.
    #[cfg_attr(feature = "server", schema(value_type = Object))]
    pub payload: Value,
}

/// `GET /v1/sandboxes/{id}/events`
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
pub struct SandboxEvents {
    /// In order.
    pub events: Vec<SandboxEvent>,
}
