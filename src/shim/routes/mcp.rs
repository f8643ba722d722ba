//! The six tools of one session over the Model Context Protocol (streamable HTTP), for hosts that speak that instead of the tools' own routes.
//!
//! Nothing is remembered between two requests: each POST carries one message and is answered with JSON. So a client may reach any of several shims.
//! The rules are those of the tools' routes: an application key, and `Nylorun-Turn` during a turn.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::Response;
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, ErrorData, ListToolsResult, PaginatedRequestParams, ServerConfig,
};
use rmcp::service::{RequestContext, RoleServer};
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};

use super::sessions::session_id;
use super::tools::{outcome, turn};
use crate::mcp;
use crate::shim::backend::Task;
use crate::shim::body::{BODY_LIMIT, Params};
use crate::shim::calls::{self, Asked, Label};
use crate::shim::error::Problem;
use crate::shim::gate::Caller;
use crate::shim::state::Shim;

/// The tools of one session.
#[derive(Clone)]
struct SessionTools {
    shim: Arc<Shim>,
    session: String,
    turn: Option<String>,
}

/// One message of the Model Context Protocol.
#[utoipa::path(post, path = "/v1/sessions/{sessionId}/mcp",
    params(("sessionId" = String, Path), ("Nylorun-Turn" = Option<String>, Header)), request_body = Object,
    responses((status = 200, body = Object), (status = 202),
        (status = "4XX", description = "Refused by the shim, or in the words of the protocol")), security(("key" = [])))]
pub async fn serve(
    State(shim): State<Arc<Shim>>,
    caller: Caller,
    Params(id): Params<String>,
    request: Request,
) -> Result<Response, Problem> {
    caller.require_application()?;
    let session = session_id(id)?;
    shim.sandbox_of(&session).await?;
    let tools = SessionTools {
        turn: turn(request.headers())?,
        shim,
        session,
    };
    // The gate has judged who may come in; names of hosts are the business of the proxy before it.
    let mut config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .disable_allowed_hosts();
    config.max_request_body_bytes = BODY_LIMIT;
    let sessions = Arc::new(NeverSessionManager::default());
    let service = StreamableHttpService::new(move || Ok(tools.clone()), sessions, config);
    Ok(service.handle(request).await.map(Body::new))
}

impl ServerHandler for SessionTools {
    fn get_info(&self) -> ServerConfig {
        mcp::server()
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(mcp::tools()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let request = match mcp::request(request)? {
            Ok(request) => request,
            Err(result) => return Ok(result.into()),
        };
        let asked = Asked {
            session: self.session.clone(),
            turn: self.turn.clone(),
            label: Some(Label::of(&request)),
            task: Task::Tool(request, None),
        };
        let done = calls::run(Arc::clone(&self.shim), asked).await.and_then(outcome);
        Ok(match done {
            Ok(outcome) => mcp::result(outcome),
            Err(problem) => mcp::failed(problem.message()),
        }
        .into())
    }
}
