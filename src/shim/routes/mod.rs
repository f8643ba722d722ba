//! The routes, one resource a file. The OpenAPI document is generated from them.

mod artifacts;
mod events;
mod files;
mod health;
#[cfg(feature = "mcp")]
mod mcp;
mod sandboxes;
mod sessions;
mod tenant;
mod tools;
mod turns;
mod versions;

use std::sync::Arc;
use std::time::Instant;

use axum::extract::{MatchedPath, Request, State};
use axum::http::{StatusCode, header};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, put};
use axum::{Json, Router};
use tower_http::catch_panic::CatchPanicLayer;
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::openapi::{ComponentsBuilder, InfoBuilder, OpenApi, OpenApiBuilder};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::error::{Problem, echo};
use super::gate;
use super::state::Shim;

/// Everything under `/v1`, behind the gate.
fn guarded() -> OpenApiRouter<Arc<Shim>> {
    let router = OpenApiRouter::new();
    #[cfg(feature = "mcp")]
    let router = router.routes(routes!(mcp::serve));
    router
        .routes(routes!(sessions::create, sessions::get, sessions::delete))
        .routes(routes!(sessions::list))
        .routes(routes!(turns::start))
        .routes(routes!(turns::renew))
        .routes(routes!(turns::end))
        .routes(routes!(tools::call))
        .routes(routes!(sandboxes::ensure, sandboxes::get, sandboxes::delete))
        .routes(routes!(sandboxes::list))
        .routes(routes!(sandboxes::stop))
        .routes(routes!(sandboxes::reset))
        .routes(routes!(sandboxes::events))
        .routes(routes!(tenant::get, tenant::put))
        .routes(routes!(events::items))
        .routes(routes!(events::follow))
        .routes(routes!(artifacts::create, artifacts::list))
        .routes(routes!(artifacts::get, artifacts::delete))
        .routes(routes!(artifacts::add_version))
        .routes(routes!(versions::content))
        .routes(routes!(versions::tree))
        .routes(routes!(versions::diff))
        .routes(routes!(versions::zip))
}

/// Routes that end in a path of any depth, which the document cannot say: there the path is one parameter.
fn deep() -> (Router<Arc<Shim>>, OpenApi) {
    let described: OpenApiRouter<Arc<Shim>> = OpenApiRouter::new()
        .routes(routes!(files::put, files::get))
        .routes(routes!(versions::file));
    let router = Router::new()
        .route(
            "/v1/sessions/{sessionId}/files/{*path}",
            put(files::put).get(files::get),
        )
        .route(
            "/v1/artifacts/{artifactId}/versions/{version}/files/{*path}",
            get(versions::file),
        );
    (router, described.into_openapi())
}

/// What anybody may see.
fn open() -> OpenApiRouter<Arc<Shim>> {
    OpenApiRouter::new()
        .routes(routes!(health::health))
        .routes(routes!(health::ready))
        .routes(routes!(health::metrics))
}

/// The document, and the router that serves it and all routes.
pub fn router(shim: &Arc<Shim>) -> (Router, OpenApi) {
    let (guarded, guarded_api) = guarded().split_for_parts();
    let (open, open_api) = open().split_for_parts();
    let (deep, deep_api) = deep();
    let mut api = describe();
    for part in [open_api, guarded_api, deep_api] {
        api.merge(part);
    }
    let document = api.clone();
    let router = guarded
        .merge(deep)
        .fallback(unknown)
        .method_not_allowed_fallback(wrong_method)
        .layer(from_fn(echo))
        .layer(from_fn_with_state(Arc::clone(shim), gate::pass));
    let router = Router::new()
        .merge(open.method_not_allowed_fallback(wrong_method))
        .route("/openapi.json", get(move || async move { Json(document) }))
        .merge(router)
        .layer(CatchPanicLayer::custom(panicked))
        .layer(from_fn_with_state(Arc::clone(shim), measure))
        .layer(from_fn(no_store))
        .with_state(Arc::clone(shim));
    (router, api)
}

fn describe() -> OpenApi {
    let scheme = SecurityScheme::Http(HttpBuilder::new().scheme(HttpAuthScheme::Bearer).build());
    let info = InfoBuilder::new()
        .title("exuvia runtime shim")
        .version(env!("CARGO_PKG_VERSION"))
        .description(Some(
            "Sessions with a persistent /workspace for agent hosts. Every /v1 request carries `Nylorun-Protocol: 4..10`.",
        ))
        .build();
    let components = ComponentsBuilder::new().security_scheme("key", scheme).build();
    OpenApiBuilder::new()
        .info(info)
        .components(Some(components))
        .build()
}

async fn unknown() -> Problem {
    Problem::not_found("route")
}

async fn wrong_method() -> Problem {
    Problem::new(
        StatusCode::METHOD_NOT_ALLOWED,
        "request_rejected",
        "this route does not have this method",
    )
}

fn panicked(panic: Box<dyn std::any::Any + Send>) -> Response {
    let words = panic
        .downcast_ref::<String>()
        .cloned()
        .or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string));
    Problem::internal(&format!("panic: {}", words.unwrap_or_default())).into_response()
}

/// Answers belong to the one who asked.
async fn no_store(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    headers.insert(
        header::CACHE_CONTROL,
        header::HeaderValue::from_static("no-store"),
    );
    headers.insert(
        header::X_CONTENT_TYPE_OPTIONS,
        header::HeaderValue::from_static("nosniff"),
    );
    response
}

/// Counts and logs.
async fn measure(State(shim): State<Arc<Shim>>, request: Request, next: Next) -> Response {
    let started = Instant::now();
    let method = request.method().clone();
    let route = request
        .extensions()
        .get::<MatchedPath>()
        .map_or_else(|| "none".to_owned(), |path| path.as_str().to_owned());
    let response = next.run(request).await;
    let status = response.status();
    let seconds = started.elapsed().as_secs_f64();
    let labels = [method.as_str(), route.as_str(), status.as_str()];
    shim.metrics.requests.with_label_values(&labels).inc();
    shim.metrics
        .request_seconds
        .with_label_values(&[route.as_str()])
        .observe(seconds);
    tracing::debug!(%method, route, status = status.as_u16(), seconds, "answered");
    response
}
