//! What happens by itself: leases run out, leases of running calls go on, sandboxes that nobody uses are put to rest, unnamed blobs are removed.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;

use super::backend::Rested;
use super::calls::CALL_LEASE;
use super::clock;
use super::config::Config;
use super::error::Problem;
use super::state::Shim;
use super::store::events::{self, NewEvent};
use super::store::turns::{self, Which};
use super::store::{sandboxes, tenant, values};
use super::units;

/// How often leases are looked at.
const LEASES: Duration = Duration::from_millis(500);

/// How often the leases of calls are moved.
const RENEWAL: Duration = Duration::from_secs(8);

/// How often idle sandboxes are looked for.
const REST: Duration = Duration::from_secs(2);

/// Starts all of it; it ends with the server.
pub fn start(shim: &Arc<Shim>, config: &Config) {
    let most = config.loaded_workspaces;
    every(shim, LEASES, |shim| async move { expire(&shim).await });
    every(shim, RENEWAL, |shim| async move { renew(&shim).await });
    every(shim, REST, move |shim| async move { rest(&shim, most).await });
    let collection = Duration::from_secs(config.collect_seconds.max(1));
    let grace = Duration::from_secs(config.grace_seconds);
    every(shim, collection, move |shim| async move {
        let removed = shim.blobs.collect(&shim.store, grace).await?;
        if removed > 0 {
            tracing::info!(removed, "unnamed blobs removed");
        }
        Ok(())
    });
}

fn every<F, W>(shim: &Arc<Shim>, period: Duration, work: W)
where
    F: Future<Output = Result<(), Problem>> + Send,
    W: Fn(Arc<Shim>) -> F + Send + 'static,
{
    let shim = Arc::clone(shim);
    let mut stopping = shim.stopping.clone();
    tokio::spawn(async move {
        loop {
            tokio::select! {
                () = tokio::time::sleep(period) => {}
                _ = stopping.wait_for(|stopping| *stopping) => return,
            }
            // What failed was logged, and is tried again.
            let _ = work(Arc::clone(&shim)).await;
        }
    });
}

async fn expire(shim: &Shim) -> Result<(), Problem> {
    let now = clock::now();
    let over = shim
        .store
        .read(move |connection| {
            let sql = "SELECT id FROM turn WHERE ended_at IS NULL AND lease_until <= ?1 LIMIT 1";
            Ok(connection.row(sql, values![now])?.is_some())
        })
        .await?;
    if !over {
        return Ok(());
    }
    let ended = shim
        .store
        .write(move |connection| turns::expire(connection, &Which::All, now))
        .await?;
    for (turn, session) in ended {
        shim.running.close(&turn);
        shim.running.forget(&turn);
        shim.followers.wake(&session);
    }
    Ok(())
}

async fn renew(shim: &Shim) -> Result<(), Problem> {
    let running = shim.running.turns();
    if running.is_empty() {
        return Ok(());
    }
    let until = clock::now() + CALL_LEASE.as_millis() as i64;
    shim.store
        .write(move |connection| turns::renew_calls(connection, &running, until))
        .await
}

async fn rest(shim: &Shim, most: usize) -> Result<(), Problem> {
    let limits = shim.store.read(tenant::limits).await?;
    let idle = units::milliseconds(&limits.idle).unwrap_or(900_000) as i64;
    for backend in &shim.backends {
        for rested in backend.rest(clock::now() - idle, most) {
            let session = rested.session.clone();
            let kind = backend.kind();
            shim.store
                .write(move |connection| tell_rest(connection, &rested, kind))
                .await?;
            shim.followers.wake(&session);
        }
    }
    Ok(())
}

fn tell_rest(
    connection: &mut dyn super::store::Connection,
    rested: &Rested,
    kind: &'static str,
) -> Result<(), Problem> {
    let now = clock::now();
    let count = connection.execute(
        "UPDATE sandbox SET state = 'stopped' WHERE name = ?1 AND state = 'running'
         AND NOT EXISTS (SELECT 1 FROM turn WHERE turn.sandbox_key = sandbox.key AND ended_at IS NULL)",
        values![&rested.name],
    )?;
    if count == 0 {
        return Ok(());
    }
    let id = sandboxes::resource_id(&rested.name).unwrap_or(&rested.session);
    let event = NewEvent {
        kind: "sandbox.state",
        source: "sandbox",
        source_id: id.to_owned(),
        turn: None,
        payload: json!({ "state": "stopped", "backend": kind }),
    };
    events::append(connection, &rested.session, &[event], now)
}
