//! [`Problem`]: every answer that is no success, with its status, code and words.

use std::sync::{Arc, OnceLock};

use axum::Json;
use axum::extract::Request;
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use serde_json::{Value, json};

use super::names;
pub use crate::wire::Rejection;

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
                status: "rejected".into(),
                code: code.into(),
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
    pub fn protocol(mut self, protocol: crate::wire::Protocol) -> Problem {
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

/// What a response refuses with, for those who know more about the request.
#[derive(Clone)]
struct Refused(Box<Rejection>);

/// The `requestId` of a request, once its body has been read.
#[derive(Clone, Default)]
pub struct RequestId(Arc<OnceLock<String>>);

impl RequestId {
    /// Looks for it in a body of JSON, which need not be what the route wants.
    pub fn find(&self, body: &[u8]) {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Body {
            request_id: String,
        }
        let found = serde_json::from_slice::<Body>(body).ok();
        if let Some(id) = found
            .map(|body| body.request_id)
            .filter(|id| names::is_plain_id(id))
        {
            // A body is read once.
            let _ = self.0.set(id);
        }
    }
}

/// The middleware that tells a refused request its own number.
pub async fn echo(mut request: Request, next: Next) -> Response {
    let id = RequestId::default();
    request.extensions_mut().insert(id.clone());
    let mut response = next.run(request).await;
    let (Some(id), Some(Refused(mut body))) = (id.0.get(), response.extensions_mut().remove::<Refused>())
    else {
        return response;
    };
    body.request_id = Some(id.clone());
    let (mut parts, _) = response.into_parts();
    parts.headers.remove(header::CONTENT_LENGTH);
    (parts, Json(body)).into_response()
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut response = (self.status, Json(&*self.body)).into_response();
        // The request's own number is not known here: see `echo`.
        response.extensions_mut().insert(Refused(self.body));
        for (name, value) in self.headers {
            response
                .headers_mut()
                .insert(name, HeaderValue::from_static(value));
        }
        response
    }
}
