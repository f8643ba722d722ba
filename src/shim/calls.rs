//! One tool call, from its turn to its commit.
//!
//! In order: wait for the place in the sandbox; take or check the turn; work; commit the changes of the workspace, the events and the end of a turn
//! of its own in one transaction; tell the place; answer. Whoever dies before the commit has done nothing, whoever dies after it has done all.
//!
//! A call goes on when its client goes away: what it did is told by events.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use super::backend::{Answer, Effect, Place, Settled, Task};
use super::clock;
use super::error::Problem;
use super::state::Shim;
use super::store::calls::{self, Begin, Beginning, Begun, Done};
use super::store::events::NewEvent;
use super::store::turns::Kind;
use crate::tool::{Cancel, Outcome, Reply, Request};
use crate::wire::random;

/// How long the turn of a single call is held without a sign of life.
pub const CALL_LEASE: Duration = Duration::from_secs(30);

/// How often a call that another single call is in the way of tries again, and how long.
const RETRY: Duration = Duration::from_millis(20);
const RETRIES: u32 = 250;

/// The longest command that an event shows.
const SHOWN_COMMAND: usize = 500;

/// A call.
pub struct Asked {
    /// Whose.
    pub session: String,
    /// The header that names a turn.
    pub turn: Option<String>,
    /// What is to be done.
    pub task: Task,
    /// How it is told; nothing is told of the moving of files.
    pub label: Option<Label>,
}

/// How a call is told in events.
#[derive(Debug, Clone)]
pub struct Label {
    tool: &'static str,
    command: Option<String>,
    path: Option<String>,
}

impl Label {
    /// Of a tool's request.
    pub fn of(request: &Request) -> Label {
        let (command, path) = match request {
            Request::Bash(bash) => (Some(bash.command.chars().take(SHOWN_COMMAND).collect()), None),
            Request::Read(read) => (None, Some(read.path.clone())),
            Request::Write(write) => (None, Some(write.path.clone())),
            Request::Edit(edit) => (None, Some(edit.path.clone())),
            Request::Grep(grep) => (None, grep.path.clone()),
            Request::Glob(glob) => (None, glob.path.clone()),
        };
        Label {
            tool: request.name(),
            command,
            path,
        }
    }
}

/// Runs a call to its end, whether or not somebody waits for it.
pub async fn run(shim: Arc<Shim>, asked: Asked) -> Result<Answer, Problem> {
    let task = tokio::spawn(async move { attempt(&shim, asked).await });
    task.await
        .unwrap_or_else(|error| Err(Problem::internal(&format!("a call broke: {error}"))))
}

async fn attempt(shim: &Shim, asked: Asked) -> Result<Answer, Problem> {
    let started = tokio::time::Instant::now();
    let begin = Begin {
        session: asked.session,
        turn: asked.turn,
        holder: shim.holder.clone(),
        lease: CALL_LEASE.as_millis() as i64,
    };
    let (mut place, begun) = enter(shim, &begin).await?;
    let cancel = Cancel::new();
    if !shim.running.enter(&begun.turn, &cancel) {
        return Err(Problem::conflict("this turn is being ended"));
    }
    let result = place.work(&begun, asked.task, cancel.clone()).await;
    shim.running.leave(&begun.turn);
    match result {
        Ok(effect) => {
            let told = Told {
                label: asked.label,
                milliseconds: started.elapsed().as_millis() as i64,
                killed: cancel.is_cancelled(),
            };
            commit(shim, &mut *place, begun, effect, &told).await
        }
        Err(problem) => {
            place.settle(Settled::Lost);
            shim.store
                .write_relaxed(move |connection| calls::give_back(connection, &begun))
                .await?;
            Err(problem)
        }
    }
}

/// Waits for the place, and takes or checks the turn.
async fn enter(shim: &Shim, asked: &Begin) -> Result<(Box<dyn Place>, Begun), Problem> {
    for attempt in 0.. {
        let sandbox = shim.sandbox_of(&asked.session).await?;
        let place = shim.backend(&sandbox.kind)?.enter(&sandbox.name).await;
        let begin = asked.clone();
        let begun = shim
            .store
            .write_relaxed(move |connection| calls::begin(connection, &begin, clock::now()))
            .await;
        match begun {
            Ok(Beginning::Go(begun)) if begun.name == sandbox.name => return Ok((place, *begun)),
            Ok(Beginning::Go(begun)) => {
                shim.sandboxes.forget(&asked.session);
                shim.store
                    .write_relaxed(move |connection| calls::give_back(connection, &begun))
                    .await?;
            }
            Ok(Beginning::Wait(problem)) if attempt >= RETRIES => return Err(problem),
            Ok(Beginning::Wait(_)) => {
                drop(place);
                tokio::time::sleep(RETRY).await;
            }
            Err(problem) => {
                shim.sandboxes.forget(&asked.session);
                return Err(problem);
            }
        }
    }
    Err(Problem::busy())
}

/// What events say of a call.
struct Told {
    label: Option<Label>,
    milliseconds: i64,
    killed: bool,
}

async fn commit(
    shim: &Shim,
    place: &mut dyn Place,
    begun: Begun,
    effect: Effect,
    told: &Told,
) -> Result<Answer, Problem> {
    let session = begun.session.clone();
    let done = Done {
        events: events(&begun, &effect, told),
        wakes: begun.state != "running",
        changes: effect.changes,
        begun,
    };
    let committed = shim
        .store
        .write(move |connection| calls::commit(connection, &done, clock::now()))
        .await;
    match committed {
        Ok(version) => {
            place.settle(Settled::Kept(version));
            shim.followers.wake(&session);
            Ok(effect.answer)
        }
        Err(problem) => {
            place.settle(Settled::Lost);
            Err(problem)
        }
    }
}

fn events(begun: &Begun, effect: &Effect, told: &Told) -> Vec<NewEvent> {
    let (Some(label), Answer::Tool(outcome)) = (&told.label, &effect.answer) else {
        return Vec::new();
    };
    let turn = (begun.taken_by == Kind::Host).then(|| begun.turn.clone());
    let event = |kind, source, source_id: &str, payload| NewEvent {
        kind,
        source,
        source_id: source_id.to_owned(),
        turn: turn.clone(),
        payload,
    };
    let sandbox = super::store::sandboxes::resource_id(&begun.name).unwrap_or(&begun.session);
    let mut events = Vec::with_capacity(4);
    if begun.first || begun.state != "running" {
        events.push(event(
            "sandbox.state",
            "sandbox",
            sandbox,
            state(begun, "creating"),
        ));
        events.push(event(
            "sandbox.state",
            "sandbox",
            sandbox,
            state(begun, "running"),
        ));
    }
    let call = random::name("call_");
    events.push(event(
        "sandbox.exec",
        "sandbox",
        sandbox,
        exec(label, outcome, told),
    ));
    events.push(event(
        "tool.completed",
        "tool",
        &call,
        completed(label, outcome, &call),
    ));
    events
}

/// The first use in a turn; `reattach` when the sandbox was used before.
fn state(begun: &Begun, name: &str) -> Value {
    let mut payload = json!({ "state": name, "backend": begun.kind, "network": begun.spec.network });
    if let (true, Some(fields)) = (
        name == "creating" && begun.state != "ready",
        payload.as_object_mut(),
    ) {
        fields.insert("reattach".to_owned(), Value::Bool(true));
    }
    payload
}

fn exec(label: &Label, outcome: &Outcome, told: &Told) -> Value {
    let mut payload = serde_json::Map::new();
    let mut put = |name: &str, value: Value| payload.insert(name.to_owned(), value);
    put("tool", label.tool.into());
    if let Some(command) = &label.command {
        put("command", command.as_str().into());
    }
    if let Some(path) = &label.path {
        put("path", path.as_str().into());
    }
    match outcome {
        Outcome::Completed { output } => {
            put("outcome", "completed".into());
            if let Reply::Bash(reply) = output {
                put("exitCode", reply.exit_code.into());
                if reply.timed_out || told.killed {
                    put("killed", true.into());
                }
            }
        }
        Outcome::Failed(failure) => {
            put("outcome", "failed".into());
            put("code", json!(failure.code));
        }
    }
    put("durationMs", told.milliseconds.into());
    Value::Object(payload)
}

fn completed(label: &Label, outcome: &Outcome, call: &str) -> Value {
    match outcome {
        Outcome::Completed { output } => json!({ "callId": call, "toolName": label.tool, "output": output }),
        Outcome::Failed(failure) => json!({ "callId": call, "toolName": label.tool, "error": failure }),
    }
}
