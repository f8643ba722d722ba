//! The events of a session: followed while they happen, or read as history.
//!
//! A cursor is the number of the last event that was seen. Following reads the store whenever something new is announced, and now and then all the
//! same, since another shim may have written: so there is no gap and no duplicate, wherever one goes on.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::sse::{Event, KeepAlive, Sse};
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;

use super::sessions::session_id;
use crate::shim::body::{Params, Query};
use crate::shim::clock::{self, rfc3339};
use crate::shim::error::{Problem, Rejection};
use crate::shim::gate::{Caller, Scope};
use crate::shim::state::Shim;
use crate::shim::store::events::{self, StoredEvent};
use crate::shim::store::sessions;
use crate::wire::{Envelope, Items, Source};

/// Events that are read at once.
const PAGE: i64 = 200;

/// How often a follower looks without having been told of anything.
const LOOK: Duration = Duration::from_secs(1);

/// How often a silent stream says that it lives.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

fn cursor(text: Option<&str>) -> Result<i64, Problem> {
    let Some(text) = text else { return Ok(-1) };
    let number = text.parse::<i64>().ok().filter(|number| *number >= 0);
    number
        .filter(|number| number.to_string() == text)
        .ok_or_else(Problem::cursor)
}

fn envelope(shim: &Shim, session: &str, event: StoredEvent) -> Envelope {
    let (kind, id) = event.source.split_once('/').unwrap_or((&event.source, ""));
    Envelope {
        schema: "nylorun.event/2".to_owned(),
        event_id: event.event_id,
        tenant_id: shim.tenant.clone(),
        session_id: session.to_owned(),
        turn_id: event.turn,
        seq: event.seq,
        cursor: event.seq.to_string(),
        time: rfc3339(event.time),
        source: Source {
            kind: kind.to_owned(),
            id: id.to_owned(),
        },
        kind: event.kind,
        payload: serde_json::from_str(&event.payload).unwrap_or_default(),
    }
}

async fn check(shim: &Shim, caller: &Caller, session: &str) -> Result<(), Problem> {
    caller.require(&[Scope::SessionsOwn])?;
    let (session, owner) = (session.to_owned(), caller.owner());
    let looked = shim
        .store
        .read(move |connection| sessions::get(connection, &session, owner.as_deref(), clock::now()))
        .await;
    looked.map(drop)
}

/// History, a page at a time.
#[utoipa::path(get, path = "/v1/sessions/{sessionId}/items",
    params(("sessionId" = String, Path), ("cursor" = Option<String>, Query), ("limit" = Option<i64>, Query, minimum = 1, maximum = 200)),
    responses((status = 200, body = Items), (status = "4XX", body = Rejection)), security(("key" = [])))]
pub async fn items(
    State(shim): State<Arc<Shim>>,
    caller: Caller,
    Params(id): Params<String>,
    query: Query,
) -> Result<Json<Items>, Problem> {
    let session = session_id(id)?;
    query.only(&["cursor", "limit"])?;
    let after = cursor(query.get("cursor"))?;
    let limit = query.number("limit", 1..=PAGE)?.unwrap_or(100);
    check(&shim, &caller, &session).await?;
    let asked = session.clone();
    let mut found = shim
        .store
        .read(move |connection| events::after(connection, &asked, after, limit + 1))
        .await?;
    let more = found.len() as i64 > limit;
    found.truncate(usize::try_from(limit).unwrap_or_default());
    let items: Vec<Envelope> = found
        .into_iter()
        .map(|event| envelope(&shim, &session, event))
        .collect();
    let next_cursor = items.last().filter(|_| more).map(|last| last.cursor.clone());
    Ok(Json(Items { items, next_cursor }))
}

/// Follows the events of a session, from `cursor` or `Last-Event-ID` on; from the first without one.
#[utoipa::path(get, path = "/v1/sessions/{sessionId}/events",
    params(("sessionId" = String, Path), ("cursor" = Option<String>, Query), ("Last-Event-ID" = Option<String>, Header)),
    responses((status = 200, content_type = "text/event-stream", body = Envelope), (status = "4XX", body = Rejection)), security(("key" = [])))]
pub async fn follow(
    State(shim): State<Arc<Shim>>,
    caller: Caller,
    headers: HeaderMap,
    Params(id): Params<String>,
    query: Query,
) -> Result<Sse<impl tokio_stream::Stream<Item = Result<Event, Infallible>>>, Problem> {
    let session = session_id(id)?;
    query.only(&["cursor"])?;
    let last = headers
        .get("last-event-id")
        .map(|value| value.to_str().unwrap_or("?"));
    let after = cursor(last.or(query.get("cursor")))?;
    check(&shim, &caller, &session).await?;
    let (sender, receiver) = mpsc::channel(64);
    tokio::spawn(async move {
        shim.metrics.followers.inc();
        // What stops it: the listener went away, the session is gone, or the server ends.
        let _ = send_all(&shim, &session, after, &sender).await;
        shim.metrics.followers.dec();
    });
    let keep_alive = KeepAlive::new().interval(KEEP_ALIVE);
    Ok(Sse::new(ReceiverStream::new(receiver)).keep_alive(keep_alive))
}

/// The one who listens went away.
struct Gone;

async fn send_all(
    shim: &Shim,
    session: &str,
    mut after: i64,
    sender: &mpsc::Sender<Result<Event, Infallible>>,
) -> Result<(), Gone> {
    let mut news = shim.followers.follow(session);
    let mut stopping = shim.stopping.clone();
    loop {
        news.mark_unchanged();
        let asked = session.to_owned();
        let found = shim
            .store
            .read(move |connection| {
                let found = events::after(connection, &asked, after, PAGE)?;
                if found.is_empty() {
                    // Nothing will come where the session is no more.
                    sessions::get(connection, &asked, None, clock::now())?;
                }
                Ok(found)
            })
            .await
            .map_err(|_| Gone)?;
        let full = found.len() as i64 == PAGE;
        for event in found {
            after = event.seq;
            let envelope = envelope(shim, session, event);
            let data = serde_json::to_string(&envelope).map_err(|_| Gone)?;
            let event = Event::default()
                .id(envelope.cursor)
                .event(envelope.kind)
                .data(data);
            sender.send(Ok(event)).await.map_err(|_| Gone)?;
        }
        if full {
            continue;
        }
        tokio::select! {
            _ = tokio::time::timeout(LOOK, news.changed()) => {}
            _ = stopping.wait_for(|stopping| *stopping) => return Err(Gone),
            () = sender.closed() => return Err(Gone),
        }
    }
}
