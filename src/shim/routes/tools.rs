//! The six tools.

use std::convert::Infallible;
use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderName, header};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use serde_json::Value;
use tokio::sync::mpsc;
use tokio_stream::StreamExt;
use tokio_stream::wrappers::UnboundedReceiverStream;

use super::sessions::session_id;
use crate::shim::backend::{Answer, Task};
use crate::shim::body::{Params, Strict};
use crate::shim::calls::{self, Asked, Label};
use crate::shim::error::{Problem, Rejection};
use crate::shim::gate::Caller;
use crate::shim::state::Shim;
use crate::tool::{Outcome, OutputChunk, Request, Stream, TOOL_NAMES};
use crate::wire::{ToolInput, ToolOutcome};

const TURN: HeaderName = HeaderName::from_static("nylorun-turn");

/// The turn that a request names.
pub fn turn(headers: &HeaderMap) -> Result<Option<String>, Problem> {
    let Some(value) = headers.get(TURN) else {
        return Ok(None);
    };
    let text = value.to_str().ok().filter(|text| !text.is_empty());
    text.map(|text| Some(text.to_owned()))
        .ok_or_else(|| Problem::invalid("Nylorun-Turn: must name a turn"))
}

/// Calls a tool. With `Accept: text/event-stream`, `bash` sends `stdout` and `stderr` while it runs, and the outcome last.
#[utoipa::path(post, path = "/v1/sessions/{sessionId}/sandbox/{tool}",
    params(("sessionId" = String, Path), ("tool" = String, Path, pattern = "^(bash|read|write|edit|grep|glob)$"), ("Nylorun-Turn" = Option<String>, Header)), request_body = ToolInput,
    responses((status = 200, body = ToolOutcome), (status = "4XX", body = Rejection)), security(("key" = [])))]
pub async fn call(
    State(shim): State<Arc<Shim>>,
    caller: Caller,
    headers: HeaderMap,
    Params((id, tool)): Params<(String, String)>,
    Strict(input): Strict<Value>,
) -> Result<Response, Problem> {
    caller.require_application()?;
    let session = session_id(id)?;
    if !TOOL_NAMES.contains(&tool.as_str()) {
        return Err(Problem::not_found("tool"));
    }
    let turn = turn(&headers)?;
    let request = Request::parse(&tool, input).map_err(|error| Problem::invalid(error.to_string()))?;
    let accept = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok());
    let streams = tool == "bash" && accept.is_some_and(|accept| accept.contains("text/event-stream"));
    let label = Some(Label::of(&request));
    let asked = |output| Asked {
        session,
        turn,
        task: Task::Tool(request, output),
        label,
    };
    if streams {
        return Ok(stream(shim, asked).await?.into_response());
    }
    let started = std::time::Instant::now();
    let outcome = outcome(calls::run(Arc::clone(&shim), asked(None)).await?)?;
    count(&shim, &tool, &outcome, started.elapsed().as_secs_f64());
    Ok(Json(outcome).into_response())
}

fn count(shim: &Shim, tool: &str, outcome: &Outcome, seconds: f64) {
    let word = match outcome {
        Outcome::Completed { .. } => "completed",
        Outcome::Failed(_) => "failed",
    };
    shim.metrics.calls.with_label_values(&[tool, word]).inc();
    shim.metrics
        .call_seconds
        .with_label_values(&[tool])
        .observe(seconds);
}

/// What a tool call came to.
pub fn outcome(answer: Answer) -> Result<Outcome, Problem> {
    match answer {
        Answer::Tool(outcome) => Ok(outcome),
        Answer::Stored(_) | Answer::Contents(_) => Err(Problem::internal("a tool call answered with a file")),
    }
}

/// Sends pieces as they come. The status waits for the first of them, so that a refusal is one.
async fn stream(
    shim: Arc<Shim>,
    asked: impl FnOnce(Option<crate::shim::backend::Output>) -> Asked,
) -> Result<Sse<impl tokio_stream::Stream<Item = Result<Event, Infallible>>>, Problem> {
    let (sender, mut receiver) = mpsc::unbounded_channel::<Result<Event, Problem>>();
    let pieces = sender.clone();
    let output = move |chunk: OutputChunk| {
        let name = match chunk.stream {
            Stream::Stdout => "stdout",
            Stream::Stderr => "stderr",
        };
        let data = serde_json::json!({ "text": chunk.text });
        // The call goes on when nobody listens any more.
        let _ = pieces.send(Ok(Event::default().event(name).data(data.to_string())));
    };
    let asked = asked(Some(Box::new(output)));
    tokio::spawn(async move {
        let started = std::time::Instant::now();
        let last = calls::run(Arc::clone(&shim), asked)
            .await
            .and_then(outcome)
            .map(|outcome| {
                count(&shim, "bash", &outcome, started.elapsed().as_secs_f64());
                Event::default()
                    .event("outcome")
                    .data(serde_json::json!(outcome).to_string())
            });
        let _ = sender.send(last);
    });
    let first = receiver
        .recv()
        .await
        .unwrap_or_else(|| Err(Problem::internal("a call is gone")))?;
    let rest = UnboundedReceiverStream::new(receiver)
        .map(|piece| Ok(piece.unwrap_or_else(|problem| rejected(&problem))));
    Ok(Sse::new(tokio_stream::once(Ok(first)).chain(rest)).keep_alive(KeepAlive::default()))
}

/// A refusal after output was sent: the turn ended meanwhile.
fn rejected(problem: &Problem) -> Event {
    Event::default()
        .event("rejected")
        .data(problem.json().to_string())
}
