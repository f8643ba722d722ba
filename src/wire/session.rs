//! Sessions, turns and tool calls.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use super::{Pinned, SpecInput};

/// The `sandbox` of a new session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SandboxChoice {
    /// `false`
    None,
    /// `{id}`
    Attach(String),
    /// A spec of its own.
    Inline(SpecInput),
}

impl From<SpecInput> for SandboxChoice {
    fn from(spec: SpecInput) -> SandboxChoice {
        SandboxChoice::Inline(spec)
    }
}

impl<'de> Deserialize<'de> for SandboxChoice {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Attach {
            id: String,
        }
        let value = Value::deserialize(deserializer)?;
        let invalid = |error: serde_json::Error| D::Error::custom(format!("sandbox: {error}"));
        match &value {
            Value::Bool(false) => Ok(SandboxChoice::None),
            Value::Object(fields) if fields.contains_key("id") => {
                let attach: Attach = serde_json::from_value(value).map_err(invalid)?;
                Ok(SandboxChoice::Attach(attach.id))
            }
            Value::Object(_) => serde_json::from_value(value)
                .map(SandboxChoice::Inline)
                .map_err(invalid),
            _ => Err(D::Error::custom("sandbox: must be false, {id} or a spec")),
        }
    }
}

impl Serialize for SandboxChoice {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            SandboxChoice::None => serializer.serialize_bool(false),
            SandboxChoice::Attach(id) => serde_json::json!({ "id": id }).serialize(serializer),
            SandboxChoice::Inline(spec) => spec.serialize(serializer),
        }
    }
}

fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<SandboxChoice>, D::Error> {
    SandboxChoice::deserialize(deserializer).map(Some)
}

/// `PUT /v1/sessions/{sessionId}`
#[derive(Debug, Clone, Deserialize, Serialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CreateSession {
    /// The request's own number.
    #[cfg_attr(
        feature = "server",
        schema(min_length = 1, max_length = 200, pattern = "^[!-~]+$")
    )]
    pub request_id: String,
    /// Which agent it is for.
    #[cfg_attr(
        feature = "server",
        schema(min_length = 1, max_length = 200, pattern = "^[!-~]+$")
    )]
    pub agent_id: String,
    /// Whose it is.
    #[cfg_attr(
        feature = "server",
        schema(min_length = 1, max_length = 200, pattern = "^[!-~]+$")
    )]
    pub owner_user_id: String,
    /// Anything the host wants to keep.
    #[cfg_attr(feature = "server", schema(value_type = Option<Object>))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub info: Option<Value>,
    /// Fixed for life. Left out: the tenant's default.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub sandbox: Option<SandboxChoice>,
}

/// Whether a session is in a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum SessionStatus {
    /// It is in none.
    Idle,
    /// It is in one.
    Running,
}

/// A session.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct SessionView {
    /// Its id.
    pub id: String,
    /// Which agent it is for.
    pub agent_id: String,
    /// Whose it is.
    pub owner_user_id: String,
    /// Whether it is in a turn.
    pub status: SessionStatus,
    /// The turn it is in.
    pub active_turn_id: Option<String>,
    /// Its sandbox, or none.
    pub sandbox: Option<Pinned>,
    /// `default`, `inline` or `sandbox`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sandbox_source: Option<String>,
    /// The resource it is attached to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sandbox_id: Option<String>,
    /// When it was made.
    pub created_at: String,
    /// When something last happened in it.
    pub updated_at: String,
}

/// `GET /v1/sessions`
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct SessionList {
    /// By id.
    pub sessions: Vec<SessionView>,
    /// Where the next page starts, or null.
    pub next_cursor: Option<String>,
}

/// `POST /v1/sessions/{id}/turns`
#[derive(Debug, Clone, Deserialize, Serialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StartTurn {
    /// The request's own number.
    #[cfg_attr(
        feature = "server",
        schema(min_length = 1, max_length = 200, pattern = "^[!-~]+$")
    )]
    pub request_id: String,
    /// A second request with the same key answers the same turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "server",
        schema(min_length = 1, max_length = 200, pattern = "^[!-~]+$")
    )]
    pub idempotency_key: Option<String>,
    /// 1 to 3600; 300 otherwise.
    #[cfg_attr(feature = "server", schema(minimum = 1, maximum = 3600))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lease_seconds: Option<i64>,
}

/// `POST …/turns/{turnId}/renew`
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RenewTurn {
    /// 1 to 3600; 300 otherwise.
    #[cfg_attr(feature = "server", schema(minimum = 1, maximum = 3600))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lease_seconds: Option<i64>,
}

/// How a turn ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum TurnOutcome {
    /// Its outputs are exported.
    Completed,
    /// What runs is killed.
    Failed,
    /// What runs is killed, with exit status 130.
    Cancelled,
}

impl TurnOutcome {
    /// As it is written.
    pub fn name(self) -> &'static str {
        match self {
            TurnOutcome::Completed => "completed",
            TurnOutcome::Failed => "failed",
            TurnOutcome::Cancelled => "cancelled",
        }
    }
}

/// `POST …/turns/{turnId}/end`
#[derive(Debug, Clone, Deserialize, Serialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EndTurn {
    /// How it ends.
    pub outcome: TurnOutcome,
}

/// A turn that runs.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct TurnView {
    /// Its id.
    pub turn_id: String,
    /// When it ends unless it is renewed.
    pub lease_until: String,
}

/// A turn that has ended.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct TurnEnded {
    /// Its id.
    pub turn_id: String,
    /// How it ended.
    pub outcome: TurnOutcome,
}
