//! Who may come in: origin, protocol, key, role, subject, in this order.
//!
//! A page of a browser has no business here, so a request with an `Origin` is refused before anything else. The protocol is looked at before the
//! credential, so that an old client learns that it is old and not that its key is wrong. Keys are compared by their SHA-256 in constant time, and
//! all keys are compared always, so that time tells nothing about which is near.

use std::sync::{Arc, PoisonError, RwLock};

use axum::extract::{FromRequestParts, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, StatusCode, header};
use axum::middleware::Next;
use axum::response::Response;
use data_encoding::HEXLOWER;
use serde_json::json;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use super::clock;
use super::error::Problem;
use super::names;
use super::state::Shim;
use crate::wire::Protocol;
pub use crate::wire::Scope;

const SUBJECT: HeaderName = HeaderName::from_static("nylorun-subject");
const SCOPES: HeaderName = HeaderName::from_static("nylorun-scopes");
const PROTOCOL: HeaderName = HeaderName::from_static("nylorun-protocol");

/// What a key is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// `/v1/*`
    Application,
    /// `/v1/tenant/*`
    Management,
}

impl Role {
    /// As it is stored and printed.
    pub fn name(self) -> &'static str {
        match self {
            Role::Application => "application",
            Role::Management => "management",
        }
    }
}

/// The hash that is kept of a key.
pub fn hash(key: &str) -> String {
    HEXLOWER.encode(&Sha256::digest(key.as_bytes()))
}

/// The keys that are known, and when they were last read.
#[derive(Default)]
pub struct Keys {
    known: RwLock<(Vec<(String, Role)>, i64)>,
}

/// How often an unknown key may make us look into the store, in milliseconds.
const RELOAD: i64 = 1000;

impl Keys {
    fn find(&self, hash: &str) -> Option<Role> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        let mut found = None;
        for (other, role) in &known.0 {
            if bool::from(other.as_bytes().ct_eq(hash.as_bytes())) {
                found = Some(*role);
            }
        }
        found
    }

    fn is_fresh(&self) -> bool {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        clock::now() - known.1 < RELOAD
    }

    fn set(&self, keys: Vec<(String, Role)>) {
        *self.known.write().unwrap_or_else(PoisonError::into_inner) = (keys, clock::now());
    }
}

/// The one who asks.
#[derive(Debug, Clone)]
pub struct Caller {
    role: Role,
    /// The person that is acted for, and what they may do.
    person: Option<(String, Vec<String>)>,
}

impl Caller {
    /// The person that is acted for.
    pub fn subject(&self) -> Option<&str> {
        self.person.as_ref().map(|(subject, _)| subject.as_str())
    }

    /// The person as the owner that a store looks for.
    pub fn owner(&self) -> Option<String> {
        self.subject().map(str::to_owned)
    }

    /// A person needs one of these; the application itself may do everything.
    pub fn require(&self, scopes: &[Scope]) -> Result<(), Problem> {
        let Some((_, held)) = &self.person else {
            return Ok(());
        };
        if scopes
            .iter()
            .any(|scope| held.iter().any(|held| held == scope.name()))
        {
            return Ok(());
        }
        Err(scope_required(scopes))
    }

    /// Only the application itself.
    pub fn require_application(&self) -> Result<(), Problem> {
        match self.person {
            None => Ok(()),
            Some(_) => Err(scope_required(&[])),
        }
    }
}

fn scope_required(scopes: &[Scope]) -> Problem {
    let names: Vec<&str> = scopes.iter().map(|scope| scope.name()).collect();
    Problem::new(
        StatusCode::FORBIDDEN,
        "scope_required",
        "the person that is acted for may not do this",
    )
    .details(json!({ "scopes": names }))
}

impl<S: Sync> FromRequestParts<S> for Caller {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Caller, Problem> {
        let caller = parts.extensions.get::<Caller>().cloned();
        caller.ok_or_else(|| Problem::internal("a route is outside of the gate"))
    }
}

/// The middleware of `/v1`.
pub async fn pass(
    State(shim): State<Arc<Shim>>,
    mut request: Request,
    next: Next,
) -> Result<Response, Problem> {
    let headers = request.headers();
    if headers.contains_key(header::ORIGIN) {
        return Problem::refuse(
            StatusCode::FORBIDDEN,
            "origin_rejected",
            "browsers are not served",
        );
    }
    check_protocol(headers)?;
    let role = role(&shim, headers).await?;
    let path = request.uri().path();
    let management = path.starts_with("/v1/tenant/") || path == "/v1/tenant";
    if management != (role == Role::Management) {
        return Problem::refuse(
            StatusCode::FORBIDDEN,
            "key_role_mismatch",
            "this key is not for this route",
        );
    }
    let caller = Caller {
        role,
        person: person(headers)?,
    };
    if caller.role == Role::Management && caller.person.is_some() {
        return Problem::refuse(
            StatusCode::FORBIDDEN,
            "subject_invalid",
            "a management key acts for nobody",
        );
    }
    request.extensions_mut().insert(caller);
    Ok(next.run(request).await)
}

fn check_protocol(headers: &HeaderMap) -> Result<(), Problem> {
    let ours = Protocol::ours();
    let asked = headers.get(PROTOCOL).and_then(|value| value.to_str().ok());
    let number = asked.and_then(|text| text.parse::<u32>().ok());
    if number.is_some_and(|number| (ours.min..=ours.max).contains(&number)) {
        return Ok(());
    }
    let message = format!("send Nylorun-Protocol: {} to {}", ours.min, ours.max);
    Err(Problem::new(StatusCode::UPGRADE_REQUIRED, "protocol_unsupported", message).protocol(ours))
}

async fn role(shim: &Shim, headers: &HeaderMap) -> Result<Role, Problem> {
    let Some(value) = headers.get(header::AUTHORIZATION) else {
        return Err(Problem::credential("credential_required"));
    };
    let text = value.to_str().unwrap_or_default();
    let key = text
        .split_once(' ')
        .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"))
        .map_or("", |(_, key)| key.trim());
    let hash = hash(key);
    if let Some(role) = shim.keys.find(&hash) {
        return Ok(role);
    }
    if !shim.keys.is_fresh() {
        load_keys(shim).await?;
    }
    shim.keys
        .find(&hash)
        .ok_or_else(|| Problem::credential("credential_invalid"))
}

/// Reads the keys from the store.
pub async fn load_keys(shim: &Shim) -> Result<(), Problem> {
    let keys = shim.store.read(super::store::keys::all).await?;
    shim.keys.set(keys);
    Ok(())
}

fn person(headers: &HeaderMap) -> Result<Option<(String, Vec<String>)>, Problem> {
    let invalid = |message: &str| Problem::new(StatusCode::BAD_REQUEST, "subject_invalid", message);
    let text = |name: &HeaderName| {
        let value = headers.get(name)?;
        Some(value.to_str().map(str::to_owned).unwrap_or_default())
    };
    match (text(&SUBJECT), text(&SCOPES)) {
        (None, None) => Ok(None),
        (None, Some(_)) => Err(invalid("scopes without a subject")),
        (Some(_), None) => Err(invalid("a subject without scopes")),
        (Some(subject), Some(_)) if !names::is_plain_id(&subject) => {
            Err(invalid("a subject is 1 to 200 visible ASCII characters"))
        }
        (Some(subject), Some(scopes)) => {
            let scopes = scopes.split_ascii_whitespace().map(str::to_owned).collect();
            Ok(Some((subject, scopes)))
        }
    }
}
