//! The end of a turn: what runs is killed, or waited for, and what is below `outputs` becomes a version of the session's artifact.
//!
//! The place in the sandbox is held from the look at `outputs` to the end of the turn, so that no call of a later turn changes files in between. The
//! export is part of the transaction that ends the turn. It never makes it fail: what is too much is told by an event.

use std::sync::Arc;

use super::backend::{OutputFile, Place};
use super::clock;
use super::error::Problem;
use super::state::Shim;
use super::store::{artifacts, turns};
use crate::wire::TurnOutcome;

/// A turn that is to end.
#[derive(Debug, Clone)]
pub struct Ending {
    /// Whose.
    pub session: String,
    /// Which.
    pub turn: String,
    /// How.
    pub outcome: TurnOutcome,
}

/// What there is to export.
#[derive(Debug, Clone)]
enum Outputs {
    /// The turn does not export.
    None,
    /// These files.
    Files(Vec<OutputFile>),
    /// They could not be found out.
    Failed,
}

/// Ends it.
pub async fn end(shim: &Arc<Shim>, ending: Ending) -> Result<(), Problem> {
    let sandbox = shim.sandbox_of(&ending.session).await.ok();
    let completed = ending.outcome == TurnOutcome::Completed;
    if !completed {
        shim.running.close(&ending.turn);
    }
    let result = match sandbox {
        Some(sandbox) => {
            let mut place = shim.backend(&sandbox.kind)?.enter(&sandbox.name).await;
            let outputs = match completed {
                true => outputs(shim, &mut *place, &ending).await,
                false => Outputs::None,
            };
            end_with(shim, &ending, outputs).await
        }
        None => end_with(shim, &ending, Outputs::None).await,
    };
    shim.running.forget(&ending.turn);
    shim.followers.wake(&ending.session);
    result
}

/// The files below `outputs`, if the turn still runs.
async fn outputs(shim: &Shim, place: &mut dyn Place, ending: &Ending) -> Outputs {
    let asked = ending.clone();
    let key = shim
        .store
        .read(move |connection| turns::key_of_running(connection, &asked.session, &asked.turn, clock::now()))
        .await;
    let found = match key {
        Ok(Some(key)) => place.outputs(&key).await,
        Ok(None) => return Outputs::None,
        Err(problem) => Err(problem),
    };
    found.map_or(Outputs::Failed, Outputs::Files)
}

/// Ends the turn with its export; without it, when the export cannot be made.
async fn end_with(shim: &Shim, ending: &Ending, outputs: Outputs) -> Result<(), Problem> {
    let exports = matches!(outputs, Outputs::Files(_));
    match commit(shim, ending, outputs).await {
        Err(problem) if exports && problem.is_internal() => commit(shim, ending, Outputs::Failed).await,
        other => other,
    }
}

async fn commit(shim: &Shim, ending: &Ending, outputs: Outputs) -> Result<(), Problem> {
    let ending = ending.clone();
    let ended = shim.store.write(move |connection| {
        let now = clock::now();
        let (session, turn) = (&ending.session, &ending.turn);
        let ended = turns::end(connection, session, turn, ending.outcome.name(), now)?;
        match &outputs {
            Outputs::Files(files) if ended => artifacts::export(connection, session, turn, files, now),
            Outputs::Failed if ended => artifacts::tell_failed(connection, session, turn, now),
            _ => Ok(()),
        }
    });
    ended.await
}
