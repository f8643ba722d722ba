//! [`Problem`]: every answer that is no success, with its status, code and words.

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

/// The body of a refusal.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Rejection {
    /// Always `rejected`.
    #[schema(example = "rejected")]
    pub status: &'static str,
    /// What programs look at.
    #[schema(example = "request_rejected")]
    pub code: &'static str,
    /// What people read.
    pub message: String,
    /// More, by code.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub details: Option<Value>,
    /// The turn that is in the way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub active_turn_id: Option<String>,
    /// The request's own number, when it brought one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
    /// With `protocol_unsupported`: what is supported.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protocol: Option<super::wire::Protocol>,
}

/// A refusal or a failure.
#[derive(Debug, Clone)]
pub struct Problem {
    status: StatusCode,
    body: Box<Rejection>,
    headers: Vec<(header::HeaderName, &'static str)>,
}

impl Problem {
    /// A refusal with a code of its own.
    pub fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> Problem {
        Problem {
            status,
            body: Box::new(Rejection {
                status: "rejected",
                code,
                message: message.into(),
                details: None,
                active_turn_id: None,
                request_id: None,
                protocol: None,
            }),
            headers: Vec::new(),
        }
    }

    /// Refuses with a code of its own: [`Problem::new`] where a result is due.
    pub fn refuse<T>(
        status: StatusCode,
        code: &'static str,
        message: impl Into<String>,
    ) -> Result<T, Problem> {
        Err(Problem::new(status, code, message))
    }

    /// The request is wrong.
    pub fn invalid(message: impl Into<String>) -> Problem {
        Problem::new(StatusCode::BAD_REQUEST, "request_rejected", message)
    }

    /// Several things are wrong at once.
    pub fn all_invalid(problems: Vec<String>) -> Problem {
        Problem::invalid(problems.join("; ")).details(json!({ "problems": problems }))
    }

    /// A query is wrong.
    pub fn query(message: impl Into<String>) -> Problem {
        Problem::new(StatusCode::BAD_REQUEST, "query_invalid", message)
    }

    /// A cursor is none of ours.
    pub fn cursor() -> Problem {
        Problem::new(
            StatusCode::BAD_REQUEST,
            "cursor_invalid",
            "this cursor was not given out by this server",
        )
    }

    /// There is no such thing, or it is not the caller's.
    pub fn not_found(what: &str) -> Problem {
        Problem::new(
            StatusCode::NOT_FOUND,
            "request_rejected",
            format!("no such {what}"),
        )
    }

    /// The state of things is in the way.
    pub fn conflict(message: impl Into<String>) -> Problem {
        Problem::new(StatusCode::CONFLICT, "request_rejected", message)
    }

    /// Another one has the turn.
    pub fn busy() -> Problem {
        let seconds = 5;
        let mut problem = Problem::new(
            StatusCode::CONFLICT,
            "sandbox_busy",
            "another turn is using this sandbox; try again",
        )
        .details(json!({ "retryAfterSeconds": seconds }));
        problem.headers.push((header::RETRY_AFTER, "5"));
        problem
    }

    /// The sandbox cannot be used.
    pub fn unavailable(message: impl Into<String>) -> Problem {
        Problem::new(StatusCode::CONFLICT, "sandbox_unavailable", message)
    }

    /// The caller may not.
    pub fn forbidden(message: impl Into<String>) -> Problem {
        Problem::new(StatusCode::FORBIDDEN, "request_rejected", message)
    }

    /// Something broke here. What it was goes into the log, not to the caller.
    pub fn internal(why: &str) -> Problem {
        tracing::error!(why, "internal error");
        Problem::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "internal_error",
            "something went wrong here",
        )
    }

    /// The credential is missing or unknown.
    pub fn credential(code: &'static str) -> Problem {
        let mut problem = Problem::new(
            StatusCode::UNAUTHORIZED,
            code,
            "a key is needed: Authorization: Bearer <key>",
        );
        problem.headers.push((header::WWW_AUTHENTICATE, "Bearer"));
        problem
    }

    /// Adds details.
    #[must_use]
    pub fn details(mut self, details: Value) -> Problem {
        self.body.details = Some(details);
        self
    }

    /// Names the turn that is in the way.
    #[must_use]
    pub fn active_turn(mut self, turn: impl Into<String>) -> Problem {
        self.body.active_turn_id = Some(turn.into());
        self
    }

    /// Says which protocols are supported.
    #[must_use]
    pub fn protocol(mut self, protocol: super::wire::Protocol) -> Problem {
        self.body.protocol = Some(protocol);
        self
    }

    /// The body, for a stream whose status has been sent.
    pub fn json(&self) -> Value {
        json!(self.body)
    }

    /// Whether something broke here, as opposed to a refusal.
    pub fn is_internal(&self) -> bool {
        self.status == StatusCode::INTERNAL_SERVER_ERROR
    }

    /// The words.
    pub fn message(&self) -> &str {
        &self.body.message
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut response = (self.status, Json(*self.body)).into_response();
        for (name, value) in self.headers {
            response
                .headers_mut()
                .insert(name, HeaderValue::from_static(value));
        }
        response
    }
}
