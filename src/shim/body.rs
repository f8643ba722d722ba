//! How requests are read: strictly, and with every refusal as a [`Problem`].

use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody, to_bytes};
use axum::extract::{FromRequest, FromRequestParts, Path, Request};
use axum::http::request::Parts;
use axum::http::{StatusCode, header};
use serde::de::DeserializeOwned;
use tokio_stream::StreamExt;

use super::error::{Problem, RequestId};

/// The longest JSON body.
pub const BODY_LIMIT: usize = 1 << 20;

/// How long a body may take to arrive.
const BODY_TIME: Duration = Duration::from_secs(60);

/// A JSON body. Unknown keys, another content type, and more than 1 MiB are refused.
pub struct Strict<T>(pub T);

/// As [`Strict`], and no body at all is an empty object.
pub struct StrictOrEmpty<T>(pub T);

impl<S: Sync, T: DeserializeOwned> FromRequest<S> for Strict<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, _: &S) -> Result<Self, Problem> {
        check_type(request.headers())?;
        let bytes = read(request).await?;
        parse(&bytes).map(Strict)
    }
}

impl<S: Sync, T: DeserializeOwned> FromRequest<S> for StrictOrEmpty<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, _: &S) -> Result<Self, Problem> {
        let checked = check_type(request.headers());
        let bytes = read(request).await?;
        if bytes.is_empty() {
            return parse(b"{}").map(StrictOrEmpty);
        }
        checked?;
        parse(&bytes).map(StrictOrEmpty)
    }
}

fn check_type(headers: &axum::http::HeaderMap) -> Result<(), Problem> {
    let kind = headers
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok());
    let essence = kind
        .unwrap_or_default()
        .split(';')
        .next()
        .unwrap_or_default()
        .trim();
    if essence.eq_ignore_ascii_case("application/json") {
        return Ok(());
    }
    Problem::refuse(
        StatusCode::UNSUPPORTED_MEDIA_TYPE,
        "unsupported_media_type",
        "the content type must be application/json",
    )
}

/// Reads a JSON body, and remembers the number that the request gives itself.
async fn read(request: Request) -> Result<Bytes, Problem> {
    let id = request.extensions().get::<RequestId>().cloned();
    let message = format!("the body is longer than {BODY_LIMIT} bytes");
    let too_long = Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "request_rejected", message);
    let bytes = read_within(request.into_body(), BODY_LIMIT, too_long).await?;
    if let Some(id) = id {
        id.find(&bytes);
    }
    Ok(bytes)
}

/// Reads a file that is uploaded.
pub async fn read_upload(body: Body, limit: usize) -> Result<Bytes, Problem> {
    let message = format!("a file may have {limit} bytes at most");
    let too_long = Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "limit_exceeded", message);
    read_within(
        body,
        limit,
        too_long.details(serde_json::json!({ "limitBytes": limit })),
    )
    .await
}

async fn read_within(body: Body, limit: usize, too_long: Problem) -> Result<Bytes, Problem> {
    let declared = body.size_hint().lower();
    if declared > limit as u64 {
        // Many clients look for an answer when they have sent everything: so what is not far too long may come, and is dropped.
        if declared <= 2 * limit as u64 {
            let mut pieces = body.into_data_stream();
            let dropped = async { while let Some(Ok(_)) = pieces.next().await {} };
            let _ = tokio::time::timeout(BODY_TIME, dropped).await; // the answer is the same
        }
        return Err(too_long);
    }
    match tokio::time::timeout(BODY_TIME, to_bytes(body, limit)).await {
        Ok(Ok(bytes)) => Ok(bytes),
        Ok(Err(error)) if is_too_long(&error) => Err(too_long),
        Ok(Err(_)) => Err(Problem::invalid("the body did not arrive whole")),
        Err(_) => Problem::refuse(
            StatusCode::REQUEST_TIMEOUT,
            "request_rejected",
            "the body took too long",
        ),
    }
}

fn is_too_long(error: &axum::Error) -> bool {
    let mut source: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(error) = source {
        if error.to_string().contains("length limit exceeded") {
            return true;
        }
        source = error.source();
    }
    false
}

/// Reads JSON strictly.
pub fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Problem> {
    serde_json::from_slice(bytes).map_err(|error| Problem::invalid(format!("the body: {error}")))
}

/// A path whose parameters are texts.
pub struct Params<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned + Send> FromRequestParts<S> for Params<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let path = Path::<T>::from_request_parts(parts, state).await;
        path.map(|Path(value)| Params(value))
            .map_err(|_| Problem::invalid("the path is not UTF-8"))
    }
}

/// The pairs of a query, in order. Each key must be one of those that the route knows.
pub struct Query(Vec<(String, String)>);

impl<S: Send + Sync> FromRequestParts<S> for Query {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let query = axum::extract::Query::<Vec<(String, String)>>::from_request_parts(parts, state).await;
        query
            .map(|axum::extract::Query(pairs)| Query(pairs))
            .map_err(|_| Problem::query("the query cannot be read"))
    }
}

impl Query {
    /// Refuses keys that the route does not know, and repeated ones but `label`.
    pub fn only(&self, known: &[&str]) -> Result<(), Problem> {
        for (index, (key, _)) in self.0.iter().enumerate() {
            if !known.contains(&key.as_str()) {
                return Err(Problem::query(format!("unknown parameter: {key}")));
            }
            let again = self.0.iter().skip(index + 1).any(|(other, _)| other == key);
            if again && key != "label" {
                return Err(Problem::query(format!("{key}: given twice")));
            }
        }
        Ok(())
    }

    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&str> {
        let found = self.0.iter().find(|(name, _)| name == key);
        found.map(|(_, value)| value.as_str())
    }

    /// A number within bounds.
    pub fn number(&self, key: &str, bounds: std::ops::RangeInclusive<i64>) -> Result<Option<i64>, Problem> {
        let Some(text) = self.get(key) else {
            return Ok(None);
        };
        let number = text.parse().ok().filter(|number| bounds.contains(number));
        let message = || {
            format!(
                "{key}: must be a number from {} to {}",
                bounds.start(),
                bounds.end()
            )
        };
        number.map(Some).ok_or_else(|| Problem::query(message()))
    }

    /// All `label=key=value` pairs.
    pub fn labels(&self) -> Result<Vec<(String, String)>, Problem> {
        let texts = self.0.iter().filter(|(name, _)| name == "label");
        texts
            .map(|(_, text)| match text.split_once('=') {
                Some((key, value)) if !key.is_empty() => Ok((key.to_owned(), value.to_owned())),
                _ => Err(Problem::query(format!("label: '{text}' is not key=value"))),
            })
            .collect()
    }
}
