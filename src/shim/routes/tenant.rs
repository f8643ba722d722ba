//! The settings of the tenant.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;

use crate::shim::body::Strict;
use crate::shim::error::{Problem, Rejection};
use crate::shim::limits::{self, Limits};
use crate::shim::state::Shim;
use crate::shim::store::tenant;
use crate::wire::{DefaultSandbox, Probe, TenantSettings, TenantView};

/// The image of pods that name none.
const DEFAULT_IMAGE: &str = "python:3.13-slim";

/// The settings in force, and what can be had.
#[utoipa::path(get, path = "/v1/tenant/sandbox",
    responses((status = 200, body = TenantView), (status = "4XX", body = Rejection)), security(("key" = [])))]
pub async fn get(State(shim): State<Arc<Shim>>) -> Result<Json<TenantView>, Problem> {
    let limits = shim.store.read(tenant::limits).await?;
    Ok(Json(view(&shim, &limits)))
}

/// Replaces the settings. Every problem is named, and nothing is changed when there is one.
#[utoipa::path(put, path = "/v1/tenant/sandbox", request_body = TenantSettings,
    responses((status = 200, body = TenantView), (status = "4XX", body = Rejection)), security(("key" = [])))]
pub async fn put(
    State(shim): State<Arc<Shim>>,
    Strict(settings): Strict<TenantSettings>,
) -> Result<Json<TenantView>, Problem> {
    let limits = Limits::of(&settings).map_err(limits::refuse)?;
    shim.store
        .write(move |connection| tenant::replace(connection, &settings))
        .await?;
    Ok(Json(view(&shim, &limits)))
}

fn view(shim: &Shim, limits: &Limits) -> TenantView {
    let probe = |name: &str| {
        let backend = shim.backends.iter().find(|backend| backend.kind() == name);
        let availability = backend.map(|backend| backend.availability());
        Probe {
            name: name.to_owned(),
            available: availability.is_some(),
            isolation: availability
                .as_ref()
                .and_then(|availability| availability.isolation)
                .map(str::to_owned),
            reason: Some(
                availability
                    .map_or("no cluster is enabled", |availability| availability.note)
                    .to_owned(),
            ),
            version: (name == "virtual").then(|| env!("CARGO_PKG_VERSION").to_owned()),
        }
    };
    let default = &limits.default;
    TenantView {
        preference: if *default == DefaultSandbox::None {
            "none"
        } else {
            "virtual"
        }
        .to_owned(),
        backend: "virtual".to_owned(),
        isolation: None,
        reason: "sandboxes of sessions are virtual: an emulated shell, not an isolation boundary".to_owned(),
        probes: vec![probe("virtual"), probe("pod")],
        default_image: DEFAULT_IMAGE.to_owned(),
        config: limits.config(),
        cluster: None,
    }
}
