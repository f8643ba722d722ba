//! Sessions, turns and tool calls.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use utoipa::openapi::schema::{ObjectBuilder, OneOfBuilder, Schema, Type};
use utoipa::openapi::{Ref, RefOr};
use utoipa::{PartialSchema, ToSchema};

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

impl PartialSchema for SandboxChoice {
    fn schema() -> RefOr<Schema> {
        let no = ObjectBuilder::new()
            .schema_type(Type::Boolean)
            .enum_values(Some([false]));
        let attach = ObjectBuilder::new()
            .schema_type(Type::Object)
            .property("id", ObjectBuilder::new().schema_type(Type::String))
            .required("id");
        OneOfBuilder::new()
            .item(no)
            .item(attach)
            .item(Ref::from_schema_name("SpecInput"))
            .into()
    }
}

impl ToSchema for SandboxChoice {
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.push(("SpecInput".to_owned(), SpecInput::schema()));
        SpecInput::schemas(schemas);
    }
}

fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<SandboxChoice>, D::Error> {
    SandboxChoice::deserialize(deserializer).map(Some)
}

/// `PUT /v1/sessions/{sessionId}`
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CreateSession {
    /// The request's own number.
    pub request_id: String,
    /// Which agent it is for.
    pub agent_id: String,
    /// Whose it is.
    pub owner_user_id: String,
    /// Anything the host wants to keep.
    #[schema(value_type = Option<Object>)]
    pub info: Option<Value>,
    /// Fixed for life. Left out: the tenant's default.
    #[serde(default, deserialize_with = "present")]
    pub sandbox: Option<SandboxChoice>,
}

/// What must be the same when a session is created again.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Creation<'r> {
    /// Which agent it is for.
    pub agent_id: &'r str,
    /// Whose it is.
    pub owner_user_id: &'r str,
    /// Anything.
    pub info: Option<&'r Value>,
    /// The choice.
    pub sandbox: Option<&'r SandboxChoice>,
}

/// A session.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionView {
    /// Its id.
    pub id: String,
    /// Which agent it is for.
    pub agent_id: String,
    /// Whose it is.
    pub owner_user_id: String,
    /// `idle` or `running`.
    pub status: &'static str,
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
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionList {
    /// By id.
    pub sessions: Vec<SessionView>,
    /// Where the next page starts, or null.
    pub next_cursor: Option<String>,
}

/// `POST /v1/sessions/{id}/turns`
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StartTurn {
    /// The request's own number.
    pub request_id: String,
    /// A second request with the same key answers the same turn.
    pub idempotency_key: Option<String>,
    /// 1 to 3600; 300 otherwise.
    #[schema(minimum = 1, maximum = 3600)]
    pub lease_seconds: Option<i64>,
}

/// `POST …/turns/{turnId}/renew`
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RenewTurn {
    /// 1 to 3600; 300 otherwise.
    #[schema(minimum = 1, maximum = 3600)]
    pub lease_seconds: Option<i64>,
}

/// `POST …/turns/{turnId}/end`
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EndTurn {
    /// `completed`, `failed` or `cancelled`.
    pub outcome: String,
}

/// A turn that runs.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TurnView {
    /// Its id.
    pub turn_id: String,
    /// When it ends unless it is renewed.
    pub lease_until: String,
}

/// A turn that has ended.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TurnEnded {
    /// Its id.
    pub turn_id: String,
    /// How it ended.
    pub outcome: String,
}

/// What a tool call came to, as [`crate::tool::Outcome`] is written.
#[derive(Debug, Clone, ToSchema)]
pub struct ToolOutcome {
    /// `completed` or `failed`.
    #[allow(dead_code)] // it is a schema alone
    kind: String,
    /// When completed: what the tool answers.
    #[allow(dead_code)]
    output: Option<Value>,
    /// When failed: why, for programs.
    #[allow(dead_code)]
    code: Option<String>,
    /// When failed: why, for people and models.
    #[allow(dead_code)]
    message: Option<String>,
}
