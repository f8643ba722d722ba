//! What anybody may see: whether the server lives, whether it can work, and its numbers.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};

use crate::shim::state::Shim;
use crate::shim::store::values;
use crate::wire::{Health, Protocol, Ready};

/// Whether the process lives.
#[utoipa::path(get, path = "/health", responses((status = 200, body = Health)))]
pub async fn health() -> Json<Health> {
    Json(Health {
        status: "ok".to_owned(),
        service: "exuvia".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        protocol: Protocol::ours(),
    })
}

/// Whether it can work: each part answers.
#[utoipa::path(get, path = "/ready", responses((status = 200, body = Ready), (status = 503, body = Ready)))]
pub async fn ready(State(shim): State<Arc<Shim>>) -> Response {
    let look = |connection: &mut dyn crate::shim::store::Connection| {
        connection.row("SELECT name FROM tenant WHERE name = ?1", values![""])?;
        Ok(())
    };
    let stopping = *shim.stopping.borrow();
    let parts = [
        ("store", shim.store.read(look).await.is_ok()),
        ("blobs", shim.blobs.check().await),
        ("server", !stopping),
    ];
    let checks: BTreeMap<_, _> = parts
        .map(|(name, well)| {
            (
                name.to_owned(),
                if well { "ok" } else { "unavailable" }.to_owned(),
            )
        })
        .into();
    let well = parts.iter().all(|(_, well)| *well);
    let (status, word) = match well {
        true => (StatusCode::OK, "ok"),
        false => (StatusCode::SERVICE_UNAVAILABLE, "unavailable"),
    };
    (
        status,
        Json(Ready {
            status: word.to_owned(),
            checks,
        }),
    )
        .into_response()
}

/// Numbers for Prometheus.
#[utoipa::path(get, path = "/metrics", responses((status = 200, content_type = "text/plain", body = String)))]
pub async fn metrics(State(shim): State<Arc<Shim>>) -> Response {
    let loaded = shim.backends.iter().map(|backend| backend.loaded());
    let (count, bytes) = loaded.fold((0, 0), |sum, next| (sum.0 + next.0, sum.1 + next.1));
    shim.metrics.workspaces.set(count as i64);
    shim.metrics.workspace_bytes.set(bytes as i64);
    let kind = "text/plain; version=0.0.4; charset=utf-8";
    ([(header::CONTENT_TYPE, kind)], shim.metrics.text()).into_response()
}
