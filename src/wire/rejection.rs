//! The body of every answer that is no success.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Protocol;

/// Why a request was refused.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Rejection {
    /// Always `rejected`.
    #[cfg_attr(feature = "server", schema(example = "rejected"))]
    pub status: Cow<'static, str>,
    /// What programs look at.
    #[cfg_attr(feature = "server", schema(example = "request_rejected"))]
    pub code: Cow<'static, str>,
    /// What people read.
    pub message: String,
    /// More, by code.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "server", schema(value_type = Option<Object>))]
    pub details: Option<Value>,
    /// The turn that is in the way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub active_turn_id: Option<String>,
    /// The request's own number, when it brought one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
    /// With `protocol_unsupported`: what is supported.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protocol: Option<Protocol>,
}
